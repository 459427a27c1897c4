"""Columns in memory as ids and numbers, and conversion between Arrow and numpy.

pyarrow's own conversions import pandas when they are first used, which takes longer than scoring a TREC run.
So does the import of pyarrow: it waits until pyarrow is used, because the compiled kernel needs none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from importlib import import_module
from itertools import chain, count, repeat
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ir_trunc._core.arrays import Texts
from ir_trunc._core.errors import InputError, option, shown
from ir_trunc._core.lazy import Lazy, npt, pattern
from ir_trunc._core.rankings import HIGHEST_GRADE, Bools, Floats, Ints
from ir_trunc._core.universe import Keys
from ir_trunc._read.text import NUMBER

__all__ = ["pa", "pc"]  # other modules import pyarrow from here, so that it is loaded when it is first used

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = Lazy(import_module, "pyarrow"), Lazy(import_module, "pyarrow.compute")


_NO_NUMBERS = (bool, np.bool_, np.timedelta64)  # although Python or numpy says so
_NULLS = ("NoneType", "NAType", "NaTType")
_TRUTHS = {"true": 1, "false": 0}

NO_GRADE = -(2**63)
"""The grade of a row without a judgment, in a column."""

ValueType = Literal["int64", "double", "string"]  # the types of values in Arrow's names: grades, scores, ids


def arrow_texts(ids: pa.StringArray) -> Texts:
    """The texts of an array, not copied."""
    _, offsets, data = ids.buffers()
    ends = np.frombuffer(offsets, np.int32)[ids.offset : ids.offset + len(ids) + 1]
    return Texts(ends, np.frombuffer(data, np.uint8) if data else b"")


def text_array(texts: Texts) -> pa.StringArray:
    """Texts as an Arrow array, not copied."""
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(texts.offsets), pa.py_buffer(texts.data))


def strings(values: Sequence[str]) -> pa.StringArray:
    """Texts as an Arrow array."""
    return text_array(Texts.of(values))


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
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def index_in(ids: pa.Array, among: pa.Array) -> Ints:
    """Where each id stands among others, -1 where it does not."""
    indices = pc.index_in(ids, value_set=among)
    places: Ints = flat(indices).astype(np.int64)
    if indices.null_count:
        places[~truths(indices.is_valid())] = -1
    return places


def occurs(ids: pa.Array, *values: str) -> Bools:
    """Which of the ids are among these."""
    return truths(pc.is_in(ids, value_set=strings(values)))


def id_column(
    column: Any,
    source: str,
    field: str,
    topics: Iterable[Any] | None = None,
    keys: Keys | None = None,
    first: int = 0,
    blank: bool = False,
) -> pa.Array | pa.ChunkedArray:
    """Ids as text, by the rule of `one_id`; an error names the row, or its topic if known.

    first: the number of the first row. blank: whether the empty text may be one.
    """
    typed = known_column(column)
    if typed is not None:
        if pa.types.is_string_view(typed.type) or pa.types.is_integer(typed.type):
            typed = typed.cast(pa.string())
        is_text = pa.types.is_string(typed.type) or pa.types.is_large_string(typed.type)
        if is_text and (blank or pc.min(pc.binary_length(typed)).as_py() != 0):
            return typed
    texts, what = [], "row" if topics is None else "topic"
    for value, name in zip(values_of(column), count(first) if topics is None else topics):
        place = f"{source}, {what} {name}"
        is_blank = blank and isinstance(value, str) and not value
        texts.append("" if is_blank else one_id(joined_id(value, keys, place), field, place))
    return strings(texts)


def one_id(value: Any, field: str, place: str) -> str:
    """An id as text: text stays as it is, a whole number is written out, anything else is an InputError."""
    try:
        if isinstance(value, str):
            text = str.__str__(value)  # not the names that enumerations print
            text.encode()
            if text:
                return text
        if isinstance(value, Integral) and not isinstance(value, _NO_NUMBERS):
            return str(int(value))
    except UnicodeEncodeError:
        raise InputError(f"{place}: {field} {shown(value)} is not text that UTF-8 can hold.") from None
    except ValueError:
        what = "has more digits than Python writes out; give it as text"
        raise InputError(f"{place}: {field} {what}.") from None
    if isinstance(value, str) or is_missing(value):
        raise InputError(f"{place}: {field} is missing. Leave such rows out, or fill them in.")
    hint = " keys=(...) names the parts of a tuple." if isinstance(value, tuple) else ""
    kind = type(value).__name__
    raise InputError(f"{place}: {field} {shown(value)} is {kind}, not text or a whole number.{hint}")


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or a missing value of pandas."""
    is_nan = isinstance(value, (float, np.floating)) and value != value
    return bool(is_nan) or type(value).__name__ in _NULLS


def joined_id(value: Any, keys: Keys | None, place: str) -> Any:
    """A tuple of keys as the id of its list; any other value as it is."""
    if keys is None or not isinstance(value, (tuple, list)):
        return value
    names = chain(keys.names, repeat(keys.names[-1]))  # how many there must be, `joined` says
    return keys.joined([_key_text(part, name, place) for part, name in zip(value, names)], place)


def _key_text(value: Any, name: str, place: str) -> str:
    """A key as text, by the rule of `one_id`. A date is written as 2024-01-31, and so is its midnight."""
    if isinstance(value, np.datetime64):
        exact = value.astype("datetime64[us]").item()  # a datetime, or None where it is not a time
        value = exact if value.astype("datetime64[us]") == value or exact is None else str(value)
    if isinstance(value, date) and value == value:  # pandas' NaT is a datetime, too
        of_day = isinstance(value, datetime) and value.time() != time()
        value = str(value) if of_day or getattr(value, "nanosecond", False) else value.isoformat()[:10]
    return one_id(value, name, place)


def _key_column(column: Any, source: str, name: str, first: int = 0) -> pa.Array | pa.ChunkedArray:
    """A column of keys as text, by the rule of `_key_text`. first: the number of the first row."""
    typed = known_column(column)
    if typed is None:
        rows = enumerate(values_of(column), first)
        return strings([_key_text(value, name, f"{source}, row {row}") for row, value in rows])
    if not pa.types.is_temporal(typed.type):
        return id_column(column, source, name, first=first)  # typed has the numbers of periods
    coded = one_array(typed).dictionary_encode()
    texts = strings([_key_text(value, name, source) for value in coded.dictionary.to_pylist()])
    return texts.take(coded.indices)


def joined_column(columns: Mapping[str, Any], keys: Keys, source: str, first: int = 0) -> pa.Array:
    """Columns of keys, by name, as ids of lists. first: the number of the first row."""
    each = columns.items()
    parts = [one_array(_key_column(column, source, name, first)).cast(pa.string()) for name, column in each]
    for part in parts:
        for row in np.flatnonzero(truths(pc.match_substring(part, keys.separator)))[:1].tolist():
            keys.joined([part[row].as_py() for part in parts], f"{source}, row {first + row}")
    return pc.binary_join_element_wise(*parts, keys.separator)


def number_column(
    column: Any, field: str, kind: ValueType, source: str, ids: Any, levels: Mapping[str, int] | None = None
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Grades by the rule of `grade_of`, scores by that of `score_of`; an error names topic and document.

    ids: the topics and the documents. levels: grades of the levels that are words.
    """
    whole = kind == "int64"
    dtype: type[Any] = np.int64 if whole else np.float64
    typed = None if levels else known_column(column, gaps=whole and field != "rank")
    if typed is not None and (pa.types.is_integer(typed.type) or pa.types.is_floating(typed.type)):
        with suppress(pa.ArrowException):  # a fraction among whole numbers
            numbers = one_array(typed.cast(kind, safe=whole))
            if not whole or (pc.min(numbers).as_py() or 0) > NO_GRADE:
                numbers = numbers.fill_null(NO_GRADE) if numbers.null_count else numbers
                return flat(numbers).astype(dtype, copy=False)
    result = []
    for row, value in enumerate(values_of(column)):
        try:
            number = grade_of(value, levels) if whole else score_of(value)
            if number == NO_GRADE and field == "rank":
                raise ValueError
            result.append(number)
        except ValueError as error:
            needed = "a whole number below 2^31" if whole else "a number"
            place = f"{source}, topic {ids[0][row]}, document {ids[1][row]}"
            hint = "" if field == "rank" else error  # which is of grades
            raise InputError(f"{place}: {field} {shown(value)} is not {needed}.{hint}") from None
    return np.array(result, dtype=dtype)


def number_in(value: Any) -> Any:
    """The number that a value is or that a text holds; NaN for null and the empty text, None for others."""
    if isinstance(value, str):
        text = value.strip()
        number = float(text) if NUMBER[float].fullmatch(text) else _TRUTHS.get(text.casefold())
        return number if text else math.nan
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if type(value).__name__ in _NULLS:
        return math.nan
    return value if isinstance(value, (Real, Decimal)) and not isinstance(value, _NO_NUMBERS) else None


def score_of(value: Any) -> float:
    """The score that a value is; ValueError where it is none, as null, NaN and the empty text are."""
    number = number_in(value)
    size = math.nan if number is None else _float(number)
    if size != size:
        raise ValueError
    return size


def grade_of(value: Any, levels: Mapping[str, int] | None = None) -> int:
    """The grade that a value is: `NO_GRADE` for null, NaN and "". ValueError, with a hint, for others."""
    if levels and isinstance(value, str) and value in levels:
        return levels[value]
    number = number_in(value)
    size = math.inf if number is None else _float(number)
    if size != size:
        return NO_GRADE
    if not (abs(size) <= HIGHEST_GRADE and number == int(number)):
        raise ValueError(_hint_of_grades(value, levels))
    return int(number)


_FRACTION = pattern(r"[+-]?[0-9]*+\.0*+[1-9][0-9]*+")
_WORDS = (("yes", "no"), ("y", "n"), ("relevant", "irrelevant", "not relevant"))
_SCALES = [{"S": 3, "A": 2, "B": 1}, {"H": 3, "R": 2, "PR": 1}]  # of NTCIR
for _written in (str, str.capitalize, str.upper):
    _SCALES += [{_written(word): int(word == words[0]) for word in words} for words in _WORDS]


def _hint_of_grades(value: Any, levels: Mapping[str, int] | None) -> str:
    """What an error about a grade that is a word or a fraction proposes."""
    if isinstance(value, (str, Real)) and not isinstance(value, Integral) and _FRACTION.fullmatch(str(value)):
        line = "{q: {d: round(100 * g) for d, g in docs.items()} for q, docs in qrels.items()}"
        return f" {line} makes fractions whole; rel=50, for example, then says what is relevant."
    if not isinstance(value, str) or not value.replace(" ", "").isalpha():
        return ""
    if levels:
        return f" {option('levels')} has {', '.join(levels)}."
    scale = next((scale for scale in _SCALES if value in scale), None)
    if scale is None:
        each = f"levels={{{value!r}: 1}}, with a grade for each word that occurs,"
        return f" {each} in read_qrels or read_answers (--levels) says what words are worth."
    words = ",".join(f"{word}={grade}" for word, grade in scale.items())
    flag = f"'{words}'" if " " in words else words
    return f" levels={scale} in read_qrels or read_answers (--levels {flag}) says what words are worth."


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a decimal NaN that signals
        return math.nan


def known_column(column: Any, gaps: bool = False) -> pa.Array | pa.ChunkedArray | None:
    """A column whose type and values Arrow is sure of, without dictionaries; None for others.

    gaps: whether values may be null.
    """
    is_object = isinstance(column, list) or str(getattr(column, "dtype", "")).lower() == "object"
    try:
        typed = _of_objects(column) if is_object else _arrow(column)
    except (pa.ArrowException, TypeError, OverflowError, ValueError):  # of values that it does not understand
        return None
    return None if typed is None or (typed.null_count and not gaps) else typed


def _arrow(column: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        typed = column
    elif hasattr(column, "iloc"):
        typed = pa.array(column, from_pandas=True)
    elif hasattr(column, "to_arrow"):  # polars, whose stream does worse: older ones give invalid categories
        typed = column.to_arrow()
    else:
        typed = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    if not pa.types.is_dictionary(typed.type):
        return typed
    # Decoded, since a dictionary may hold a value twice, or a null.
    chunks = typed.chunks if isinstance(typed, pa.ChunkedArray) else [typed]
    kind = typed.type.value_type
    if pa.types.is_string_view(kind):
        kind = pa.string()  # views cannot be taken from
    return pa.chunked_array([pc.take(chunk.dictionary.cast(kind), chunk.indices) for chunk in chunks], kind)


def _of_objects(column: Any) -> pa.Array | None:
    """Objects as an array of a stated type; None where they are of several types or of another one."""
    values = column.to_numpy().tolist() if hasattr(column, "to_numpy") else list(column)
    # pyarrow dies of some mixtures when it infers the type itself, takes True for 1, and imports pandas.
    kinds = set(map(type, values))
    if kinds == {str}:
        return strings(values)
    if kinds and kinds <= {int, float}:
        numbers: Any = np.array(values, np.float64 if float in kinds else np.int64)
        return numeric(numbers)
    kind = kinds.pop() if len(kinds) == 1 else object
    if issubclass(kind, (np.integer, np.floating)) and not issubclass(kind, np.timedelta64):
        return pa.array(np.array(values))
    return None if values else pa.nulls(0)


def values_of(column: Any) -> list[Any]:
    """The values of any column as Python's objects."""
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def whole_numbers(column: Any) -> list[Any]:
    """The values of a column, with 3 in the place of 3.0."""
    values = values_of(column)
    return [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
