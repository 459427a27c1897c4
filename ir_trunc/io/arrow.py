"""Between Arrow and numpy, without pandas.

pyarrow's own conversions import pandas when they are first used, and that takes longer than scoring a TREC run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.rankings import Bools, Ints


def strings(values: Sequence[str]) -> pa.StringArray:
    """Texts as an Arrow array."""
    encoded = [value.encode() for value in values]
    offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int32, len(encoded) + 1)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def places(at: Ints) -> pa.Int64Array:
    """Positions as an Arrow array, for `take`."""
    return pa.Array.from_buffers(pa.int64(), len(at), [None, pa.py_buffer(np.ascontiguousarray(at, np.int64))])


def flat(array: pa.Array) -> npt.NDArray[np.generic]:
    """The numbers or truth values of an array without nulls; not a copy where they are numbers."""
    start, stop = array.offset, array.offset + len(array)
    _, data = array.buffers()
    if pa.types.is_boolean(array.type):
        return np.unpackbits(np.frombuffer(data, np.uint8), count=stop, bitorder="little")[start:].astype(bool)
    return np.frombuffer(data, array.type.to_pandas_dtype(), stop)[start:] if data else np.zeros(0, np.int64)


def positions(ids: pa.Array, among: pa.Array) -> Ints:
    """Where each id stands among others, -1 where it does not."""
    found = pc.index_in(ids, value_set=among)
    at: Ints = flat(found).astype(np.int64)
    if found.null_count:
        at[~flat(found.is_valid())] = -1
    return at


def occurs(ids: pa.Array, value: str) -> Bools:
    """Which of the ids are this one."""
    equal: Bools = flat(pc.is_in(ids, value_set=strings([value])))
    return equal
