"""Columns in memory as ids and numbers.

They are read at once where Arrow knows their type, and value by value where it does not.

The second way is slow and settles what a value means, or says which one means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from itertools import count
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.arrays import HIGHEST_GRADE
from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.arrow import flat, numeric, one_array, pa, pc, strings
from ir_trunc._read.reading import Layout


def ids(
    column: Any, source: str, field: str, topics: Iterable[Any] | None = None
) -> pa.Array | pa.ChunkedArray:
    """Ids as text, by the rule of `one_id`; an error names the row, or its topic if known."""
    known = known_column(column)
    if known is not None:
        if pa.types.is_string(known.type) or pa.types.is_large_string(known.type):
            return known
        if pa.types.is_string_view(known.type) or pa.types.is_integer(known.type):
            return known.cast(pa.string())
    places = (f"row {row}" for row in count()) if topics is None else (f"topic {topic}" for topic in topics)
    text = [one_id(value, field, f"{source}, {place}") for value, place in zip(_values(column), places)]
    return pa.array(text, pa.string())


def one_id(value: Any, field: str, place: str) -> str:
    """An id as text: text stays as it is, a whole number is written out, anything else is an InputError.

    No other type has one way to be written: 1.0 and 1, True and "True", the many forms of a date. field: what
    the id is called. place: where it stands.
    """
    nan = isinstance(value, float) and value != value
    if value is None or nan or type(value).__name__ in ("NAType", "NaTType"):
        raise InputError(f"{place}: {field} is missing.")
    if isinstance(value, bool) or not isinstance(value, (str, Integral)):
        raise InputError(
            f"{place}: {field} {shown(value)} is {type(value).__name__}, not text or a whole number."
        )
    try:
        # Not the names that enumerations print.
        text = str.__str__(value) if isinstance(value, str) else str(int(value))
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{place}: {field} {shown(value)} is not text that UTF-8 can hold.") from None
    except ValueError:
        raise InputError(
            f"{place}: {field} has more digits than Python writes out; give it as text."
        ) from None
    return text


def numbers(
    column: Any, layout: Layout, source: str, topics: pa.Array, docs: pa.Array
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Grades as whole numbers, scores as floats; anything else is an error that names topic and document."""
    whole = layout.value_type == "int64"
    known = known_column(column)
    if known is not None and (pa.types.is_integer(known.type) or pa.types.is_floating(known.type)):
        try:
            cast = flat(one_array(known.cast(layout.value_type, safe=whole)))
            return cast.astype(np.int64, copy=False) if whole else cast.astype(np.float64, copy=False)
        except _odd():
            pass
    result = []
    for at, value in enumerate(_values(column)):
        is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_))
        number = _float(value) if is_number else None
        if number is None or (whole and not (abs(number) <= HIGHEST_GRADE and value == int(value))):
            kind = "a whole number below 2^31" if whole else "a number"
            place = f"{source}, topic {topics[at]}, document {docs[at]}"
            raise InputError(f"{place}: {layout.value} {shown(value)} is not {kind}.")
        result.append(int(value) if whole else number)
    return np.array(result, dtype=np.int64) if whole else np.array(result, dtype=np.float64)


def _odd() -> tuple[type[Exception], ...]:
    """What pyarrow raises of values that it does not understand, which are not only its own exceptions."""
    return (pa.ArrowException, TypeError, OverflowError, ValueError)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a decimal NaN that signals
        return math.nan


def known_column(column: Any) -> pa.Array | pa.ChunkedArray | None:
    """A column whose type and values Arrow is sure of, dictionaries as plain values.

    None for any other column, and for one with gaps.
    """
    try:
        known = _decoded(_arrow(column))
    except _odd():
        return None
    if known.null_count:
        return None
    # pyarrow takes True for 1 where it stands among numbers.
    of_objects = pa.types.is_primitive(known.type) and _of_objects(column)
    return None if of_objects and not {bool, np.bool_}.isdisjoint(map(type, column)) else known


def _of_objects(column: Any) -> bool:
    """Whether each value is a Python object, as in a list and in objects of pandas and polars.

    Such a column has no type of its own.
    """
    return isinstance(column, list) or str(getattr(column, "dtype", "")).lower() == "object"


def _of_one_type(column: list[Any]) -> pa.Array | None:
    """Python's own texts, whole numbers or floats as an array; None for anything else.

    pyarrow would import pandas before it looks at a list, which takes longer than scoring most runs.
    """
    kinds = set(map(type, column))
    if kinds == {str}:
        return strings(column)
    if kinds == {int}:
        return numeric(np.array(column, dtype=np.int64))
    return numeric(np.array(column, dtype=np.float64)) if kinds == {float} else None


def _arrow(column: Any) -> pa.Array | pa.ChunkedArray:
    if type(column) is list and (known := _of_one_type(column)) is not None:
        return known
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    if hasattr(column, "iloc"):
        return pa.array(column, from_pandas=True)
    if hasattr(column, "to_arrow"):
        # polars, whose stream does worse: older ones give invalid categories, or die of objects
        return pa.array(column.to_list()) if _of_objects(column) else column.to_arrow()
    return pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)


def _decoded(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A dictionary-encoded column as plain values: its dictionary may hold a value twice, or none at all."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = column.type.value_type
    if pa.types.is_string_view(kind):
        kind = pa.string()  # views cannot be taken from
    return pa.chunked_array([pc.take(chunk.dictionary.cast(kind), chunk.indices) for chunk in chunks], kind)


def _values(column: Any) -> list[Any]:
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)
