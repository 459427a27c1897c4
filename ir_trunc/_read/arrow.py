"""Between Arrow and numpy, without pandas; and pyarrow itself, imported when it is first used.

pyarrow's own conversions import pandas when they are first used, and that takes longer than scoring a TREC
run. So does the import of pyarrow, and lists that the compiled kernel reads need none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.lazy import LazyModule
from ir_trunc._core.rankings import Bools, Floats, Ints

__all__ = ["Texts", "flat", "numeric", "occurs", "one_array", "pa", "pc", "positions", "strings", "truths"]

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = LazyModule("pyarrow"), LazyModule("pyarrow.compute")


@dataclass(frozen=True, eq=False)
class Texts:
    """Ids one after the other: id i has the bytes from offsets[i] to offsets[i + 1]."""

    offsets: npt.NDArray[np.int32]
    data: bytes | npt.NDArray[np.uint8]

    @classmethod
    def of(cls, ids: Sequence[str]) -> Texts:
        """The UTF-8 of texts; UnicodeEncodeError where one has none."""
        encoded = list(map(str.encode, ids))
        offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int32, len(encoded) + 1)
        return cls(offsets, b"".join(encoded))

    @classmethod
    def of_arrow(cls, ids: pa.StringArray) -> Texts:
        """Those of an array, not copied."""
        _, offsets, data = ids.buffers()
        ends = np.frombuffer(offsets, np.int32)[ids.offset : ids.offset + len(ids) + 1]
        return cls(ends, np.frombuffer(data, np.uint8) if data else b"")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def arrow(self) -> pa.StringArray:
        """As an array, not copied."""
        buffers = [pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.StringArray.from_buffers(len(self.offsets) - 1, *buffers)

    def list(self) -> list[str]:
        """As Python's own texts."""
        data = bytes(self.data)
        return [data[start:end].decode() for start, end in pairwise(self.offsets.tolist())]


def strings(values: Sequence[str]) -> pa.StringArray:
    """Texts as an Arrow array."""
    return Texts.of(values).arrow()


def numeric(values: Ints | Floats) -> pa.Array:
    """64-bit numbers as an Arrow array, not copied."""
    kind = pa.float64() if values.dtype.kind == "f" else pa.int64()
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def flat(array: pa.Array) -> npt.NDArray[Any]:
    """The numbers of an array without nulls, not copied."""
    _, data = array.buffers()
    start, stop = array.offset, array.offset + len(array)
    return np.frombuffer(data, array.type.to_pandas_dtype(), stop)[start:] if data else np.zeros(0, np.int64)


def truths(array: pa.BooleanArray) -> Bools:
    """The truth values of an array without nulls."""
    _, bits = array.buffers()
    start, stop = array.offset, array.offset + len(array)
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=stop, bitorder="little")[start:].astype(bool)


def one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column in one piece."""
    if isinstance(column, pa.Array):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return column.combine_chunks()


def positions(ids: pa.Array, among: pa.Array) -> Ints:
    """Where each id stands among others, -1 where it does not."""
    found = pc.index_in(ids, value_set=among)
    at: Ints = flat(found).astype(np.int64)
    if found.null_count:
        at[~truths(found.is_valid())] = -1
    return at


def occurs(ids: pa.Array, *values: str) -> Bools:
    """Which of the ids are among these."""
    return truths(pc.is_in(ids, value_set=strings(values)))
