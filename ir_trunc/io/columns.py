"""Columns in memory as ids and numbers: at once where Arrow knows their type, value by value where it does not.

The second way is slow and settles what a value means, or says which one means nothing.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.errors import InputError
from ir_trunc.io.rows import HIGHEST_GRADE
from ir_trunc.io.trec import Layout

_ODD = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeEncodeError, ValueError)


def ids(column: Any, source: str, field: str, topics: Sequence[Any] | None = None) -> pa.Array | pa.ChunkedArray:
    """Ids as text; whole numbers are written out, anything else is an error that names the row, or its topic if known."""
    try:
        known = _decoded(_arrow(column))
    except _ODD:
        known = None
    if known is not None and not known.null_count:
        if pa.types.is_string(known.type) or pa.types.is_large_string(known.type):
            return known
        if pa.types.is_string_view(known.type) or pa.types.is_integer(known.type):
            return known.cast(pa.string())
    text = []
    for row, value in enumerate(_values(column)):
        # NaN differs from itself; pandas' NA cannot be asked.
        missing = value is None or type(value).__name__ == "NAType" or value != value
        if missing or isinstance(value, bool) or not isinstance(value, (str, Integral)):
            place = f"row {row}" if topics is None else f"topic {topics[row]}"
            what = "is missing" if missing else f"{reprlib.repr(value)} is {type(value).__name__}, not text"
            raise InputError(f"{source}, {place}: {field} {what}.")
        text.append(str(value))
    try:
        return pa.array(text, pa.string())
    except UnicodeEncodeError as error:
        raise InputError(f"{source}: {field} {error.object!a} is no text that UTF-8 can hold.") from None


def numbers(
    column: Any, layout: Layout, source: str, topics: pa.Array, docs: pa.Array
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Grades as whole numbers, scores as floats; anything else is an error that names topic and document."""
    whole = layout.value == "relevance"
    try:
        if isinstance(column, list) and bool in set(map(type, column)):
            raise pa.ArrowInvalid("pyarrow would take True for 1")
        known = _arrow(column)
        if not known.null_count and (pa.types.is_integer(known.type) or pa.types.is_floating(known.type)):
            fast: npt.NDArray[np.int64] | npt.NDArray[np.float64] = known.cast(layout.value_type, safe=whole).to_numpy()
            return fast
    except _ODD:
        pass
    result = []
    for at, value in enumerate(_values(column)):
        number = isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_))
        if not number or (whole and not (abs(value) <= HIGHEST_GRADE and value == int(value))):
            kind = "a whole number below 2^31" if whole else "a number"
            place = f"{source}, topic {topics[at]}, document {docs[at]}"
            raise InputError(f"{place}: {layout.value} {reprlib.repr(value)} is not {kind}.")
        result.append(int(value) if whole else _float(value))
    return np.array(result, dtype=np.int64) if whole else np.array(result, dtype=np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _arrow(column: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    return pa.array(column, from_pandas=True) if hasattr(column, "to_numpy") else pa.array(column)


def _decoded(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A dictionary-encoded column as plain values: its dictionary may hold a value twice, or none at all."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = pa.int64() if pa.types.is_integer(column.type.value_type) else pa.string()
    plain = [pc.take(chunk.dictionary.cast(kind), chunk.indices) for chunk in chunks]
    return pa.chunked_array(plain, kind)


def _values(column: Any) -> list[Any]:
    values: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return values
