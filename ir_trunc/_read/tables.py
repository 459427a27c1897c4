"""Rows of tables: a column for each field, under one of the names that it may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, nearest
from ir_trunc._core.rankings import Bools, distinct
from ir_trunc._read.arrow import ValueType, id_column, known_column, number_column, numeric, pa, pc
from ir_trunc._read.reading import MARK, NO_COLUMNS, RANK, RUN, Columns, Layout
from ir_trunc._read.rows import Rows, Sample, Samples, Seen

# A run may have these columns: what reading each document costs, in the place of the utility measures'
# constant effort, and whether it was shown.
COST, SHOWN = "cost", "shown"

_SAMPLE = 256  # rows of a frame that are looked at

_BEIR = "corpus-id"  # beside which BEIR calls relevance score

# The columns that are read, under the names of ir-measures, PyTerrier and BEIR.
_NAMES = {
    "query_id": ("query_id", "qid", "query-id"),
    "topic": ("query_id", "qid", "query-id", "_id", "id"),  # in data that are of topics alone
    "doc_id": ("doc_id", "docno", _BEIR),
    "score": ("score",),
    "relevance": ("relevance", "label"),
    "iteration": ("iteration", "class"),
    RANK: (RANK,),
    MARK: (MARK,),
    COST: (COST,),
    SHOWN: (SHOWN,),
}

FIELDS_OF = {name: field for field, names in reversed(_NAMES.items()) for name in names}
"""The field of every name that a column may have."""

NUMBERS = ("score", "relevance", RANK, COST)
"""Fields that are numbers."""


def columns_of(found: Iterable[Any], layout: Layout, source: str) -> dict[str, Any]:
    """The columns that are read, by the names that they have: those needed, and those that a run may have."""
    found, names = list(found), layout.reading.names
    if names.needed:
        names.check(found, possible_fields(layout), source)
    fields = fields_to_read(layout, lambda field: bool(names.among(found, field, (field,))))
    return {field: column_name(found, field, source, names) for field in fields}


def read_of(found: Iterable[Any], layout: Layout, source: str) -> dict[Any, str]:
    """The columns of a table that are read or looked at, and the field of each.

    Where no name is known, the field is the first one of topics.
    """
    found, names = list(found), layout.reading.names
    if layout.kind == "topics":
        known = {name: FIELDS_OF[name] for name in found if name in FIELDS_OF}
        return known or dict.fromkeys(found[:1], "topic")
    fields = {name: field for field, name in columns_of(found, layout, source).items()}
    others = {
        name: field for field in fields_of_signs(layout) for name in names.among(found, field, (field,))
    }
    return {**others, **fields}


def possible_fields(layout: Layout) -> list[str]:
    """The fields that data of this layout can have."""
    of_runs = (RANK, MARK, COST, SHOWN) if layout.kind == "run" else ()
    return list(dict.fromkeys([*layout.columns, *of_runs]))


def fields_of_signs(layout: Layout) -> tuple[str, ...]:
    """Fields of a run that may be a sign that it is not what it seems."""
    return (RANK, MARK) if layout.kind == "run" else ()


def fields_to_read(layout: Layout, has: Callable[[str], bool]) -> list[str]:
    """The fields that are read of data that have some."""
    fields = list(layout.columns)
    if layout.kind != "run":
        return fields
    if layout.reading.without_scores and not has(layout.value):
        fields.remove(layout.value)
    return fields + [field for field in (COST, SHOWN) if has(field)]


def rows_of_table(data: Any, layout: Layout, source: str) -> Rows:
    """Rows of a frame, or of a mapping of columns. source: what to call it in a message."""
    table = columns_by_name(data, source)
    found, names = column_names(table), layout.reading.names
    read = columns_of(found, layout, source)
    rows = _from_columns({field: table[name] for field, name in read.items()}, layout, source)
    if names.given:
        rows = replace(rows, named=frozenset(field for field in names if names[field] in found))
    if layout.kind != "run":
        return rows
    signs = [names.among(found, field, (field,)) for field in fields_of_signs(layout)]
    seen = (table[name[0]] if len(name) == 1 else None for name in signs)
    scores = -rows.values if rows.reading.lower_is_better else rows.values
    return replace(rows, samples=_looked_at(rows.topics, scores, *seen))


def _looked_at(
    topics: pa.DictionaryArray, values: npt.NDArray[np.generic], ranks: Any, marks: Any
) -> Samples:
    """A sample of rows.

    values: scores, as they were given. ranks, marks: columns of any type, or None.
    """
    if not len(values):
        return ()
    at = distinct(np.linspace(0, len(values) - 1, _SAMPLE).astype(np.int64))
    seen: list[str] = []
    texts = None if marks is None else known_column(marks)
    if texts is not None and not pa.types.is_primitive(texts.type):
        seen = texts.cast(pa.string()).take(numeric(at)).to_pylist()
    places = None if ranks is None else known_column(ranks)
    if places is None or not (pa.types.is_integer(places.type) or pa.types.is_floating(places.type)):
        return (Sample(marks=frozenset(seen)),)
    names = topics.dictionary_decode()

    def of(rows_at: npt.NDArray[np.int64]) -> list[Seen]:
        here = numeric(rows_at)
        return list(
            zip(names.take(here).to_pylist(), places.take(here).to_pylist(), values[rows_at].tolist())
        )

    at = at[at < len(values) - 1]
    return (Sample(tuple(zip(of(at), of(at + 1))), frozenset(seen)),)


def _from_columns(columns: dict[str, Any], layout: Layout, source: str) -> Rows:
    topics, docs = (
        id_column(columns["query_id"], source, "query_id"),
        id_column(columns["doc_id"], source, "doc_id"),
    )
    classes = id_column(columns["iteration"], source, "iteration") if layout.by_class else None

    def read(field: str, kind: ValueType) -> npt.NDArray[Any]:
        return number_column(columns[field], field, kind, source, topics, docs)

    ranks = read(RANK, "int64") if layout.reading.order == "rank" else None
    scored = layout.value in columns
    places = np.arange(len(docs)) if ranks is None else ranks
    values = read(layout.value, layout.value_type) if scored else -places.astype(np.float64)
    rows = Rows.of(source, topics, docs, values, classes)
    if layout.kind != "run":
        return rows
    hidden = ~_truths(columns[SHOWN], rows) if SHOWN in columns else None
    if layout.reading.stop is not None:
        marks = id_column(columns[MARK], source, MARK, topics)
        stopped = np.asarray(pc.equal(marks, layout.reading.stop))
        hidden = stopped if hidden is None else stopped | hidden
    rows = rows.read(layout.reading, ranks, hidden, None if scored else np.ones(len(rows), dtype=bool))
    return rows.with_costs(read(COST, "double").astype(np.float64)) if COST in columns else rows


def _truths(column: Any, rows: Rows) -> Bools:
    """Which rows are shown; InputError for anything but truth values."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    for at, value in enumerate(values):
        if not isinstance(value, (bool, np.bool_)):
            raise rows.error(at, f"{SHOWN} {value!r}: True or False is needed")
    return np.array(values, dtype=bool)


def ids_of_table(data: Any, field: str, source: str) -> list[str]:
    """One column of ids of a frame, or of a mapping of columns."""
    table = columns_by_name(data, source)
    column: list[str] = id_column(
        table[column_name(column_names(table), field, source)], source, field
    ).to_pylist()
    return column


def columns_by_name(data: Any, source: str) -> Any:
    """A frame whose columns can be taken by name, or a mapping of columns as it is."""
    if isinstance(data, Mapping) or hasattr(data, "itertuples") or isinstance(data, pa.Table):
        return data
    if hasattr(data, "get_columns"):
        # polars: one column may have a type that Arrow lacks, the others need not suffer
        return {column.name: column for column in data.get_columns()}
    try:
        return pa.RecordBatchReader.from_stream(data).read_all()
    except (pa.ArrowInvalid, TypeError):
        raise InputError(f"{source} is a single column: a frame with several columns is needed.") from None


def column_names(table: Any) -> list[Any]:
    """The names of the columns of a table."""
    return list(table.column_names if isinstance(table, pa.Table) else getattr(table, "columns", table))


def column_name(found: Iterable[Any], field: str, source: str, columns: Columns | None = None) -> Any:
    """The name that a field has among the columns found. columns: those that the user named, where he can."""
    found, given = list(found), NO_COLUMNS if columns is None else columns
    names = given.among(found, field, _NAMES[field])
    if not names and field == "relevance" and _BEIR in found:
        names = given.among(found, field, ("score",))
    if not names:
        named = [str(given[field])] if field in given else []
        wanted = " or ".join([*named, *_NAMES[field]])
        hint = nearest(named[0], map(str, found)) if named else ""
        if field == RUN.value and RANK in found:
            hint += " order='rank' takes the column rank."
        elif columns is not None and not hint:
            hint = f" columns={{{field!r}: '...'}} names another."
        raise InputError(
            f"{source} has no column {wanted}; it has: {', '.join(map(str, found)) or 'none'}.{hint}"
        )
    if len(names) > 1:
        raise InputError(f"{source} has the columns {' and '.join(names)} for the same field: one is needed.")
    return names[0]
