"""Rows of tables: a column for each field, under one of the names that it may have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np

from ir_trunc._core.errors import InputError, listed, nearest, option, repeated
from ir_trunc._core.lazy import npt
from ir_trunc._read.arrow import id_column, joined_column, number_column, pa, pc, values_of, whole_numbers
from ir_trunc._read.reading import MARK, NO_COLUMNS, RANK, TOPICS, Columns, DataKind, Layout, name_the_list
from ir_trunc._read.rows import Rows, samples_of

COST, SHOWN, REPEAT = "cost", "shown", "repeat"
"""Columns that need not be there: the cost of each document of a run, or of each graded answer; whether a
document was shown; and which of several answers to a question at one depth this is."""

OPTIONAL = {"run": (COST, SHOWN), "depths": (COST, REPEAT)}

LIST = "list"  # the path to the documents of a record, which only users name

SIGNS = (RANK, MARK)  # columns of a run that may show that it should be read with other options

_BEIR = "corpus-id"  # BEIR's name of documents; its qrels, and those with pid, call relevance score

OWN_IDS = ("id", "_id")  # names of the id of what a record or a document is

_TOPICS, _OF_TOPICS = ("query_id", "qid", "query-id"), ("topic_id", "question_id")
_ALONE = (*_TOPICS, *_OF_TOPICS, *OWN_IDS)  # in data that are of topics or questions alone

OF_LOGS = "id", "answer", "confidence", "correct", "references", "answerable", "group", "candidate"
"""Fields of logs of answers."""

VOCABULARY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "query_id": (_TOPICS, (*_OF_TOPICS, "query", "query_text")),
    "topic": (_ALONE, ()),
    "doc_id": (
        ("doc_id", "docno", _BEIR, "pid"),
        ("docid", "docId", "document_id", "corpus_id", "id_", "node_id"),
    ),
    "score": (("score",), ("_score", "relevance_score", "_relevance_score", "similarity")),
    "relevance": (("relevance", "label"), ("grade", "rating")),
    "iteration": (("iteration", "class"), ()),
    RANK: ((RANK,), ("position",)),
    "depth": (("k", "depth"), ("n", "passages")),
    "answer's score": (("score",), ("correct", "f1", "grade")),  # the score where it is of graded answers
    "text": (("title", "query", "question", "text", "contents", "body", "passage"), ()),
    **{field: ((field,), ()) for field in (MARK, COST, SHOWN, REPEAT, *OF_LOGS)},
    "id": (_ALONE, ()),
    "answer": (("answer", "prediction"), ()),
    "references": (("references", "reference"), ()),
}
"""The usual names of every field, in all forms; the second ones count where none of the first is there."""

DISTANCES = ("distance", "_distance")  # names of the scores of documents of which lower ones are better


def usual(field: str) -> tuple[str, ...]:
    """The usual names of a field, the first ones first."""
    first, others = VOCABULARY[field]
    return first + others


_OF_DEPTHS = {"depth": "depth", "answer's score": "score", COST: COST, REPEAT: REPEAT, "query_id": "query_id"}
_OTHERS = "text", *OF_LOGS, *_OF_DEPTHS.keys() - {COST, "query_id"}

FIELDS_OF = {name: field for field in reversed(VOCABULARY) if field not in _OTHERS for name in usual(field)}
"""The field of every name that a column may have."""

FIELDS_OF_DEPTHS = {name: field for key, field in _OF_DEPTHS.items() for name in usual(key)}
"""The same in tables of graded answers, whose names are too short to recognise other data by."""

FIELDS_IN: dict[DataKind, dict[str, str]] = dict.fromkeys(get_args(DataKind), FIELDS_OF)
FIELDS_IN["depths"] = FIELDS_OF_DEPTHS

NUMBERS = ("score", "relevance", RANK, COST)  # fields that are numbers


def matching(names: Collection[Any], field: str, named: Columns, graded: bool = False) -> list[Any]:
    """Which names of a table can be a field; more than one where it is not clear."""
    first, others = VOCABULARY["answer's score" if graded and field == "score" else field]
    return named.among(names, field, first) or named.among(names, field, others)


def columns_of(names: Collection[Any], layout: Layout, source: str) -> dict[str, Any]:
    """Which of a table's columns are read: their names, by field."""
    named, fields = layout.reading.names, list(layout.columns)
    named.check(names, possible_fields(layout), source)
    if layout.reading.without_scores and not matching(names, layout.value, named):
        fields.remove(layout.value)
    fields += (field for field in OPTIONAL.get(layout.kind, ()) if matching(names, field, named))
    if key_columns(names, layout, source):
        fields.remove("query_id")
    return {field: column_name(names, field, source, named, layout.kind == "depths") for field in fields}


def key_columns(names: Collection[Any], layout: Layout, source: str) -> tuple[str, ...]:
    """The columns that are joined to the ids of lists; none where the table has the ids as texts."""
    keys = layout.reading.nesting
    if keys is None:
        return ()
    own = layout.reading.names.get("query_id")
    if own is not None:
        if own in keys.names and {*keys.names} <= {*names}:
            what = f"columns names {own!r} for query_id, which is one of {option('keys', str(keys))}"
            raise InputError(f"{source}: {what}: leave query_id out, and the columns of the keys are joined.")
        return ()
    missing = [name for name in keys.names if name not in names]
    if not missing:
        return keys.names
    if len(missing) < len(keys.names):
        what = f"{source} has no column {missing[0]}, which {option('keys', str(keys))} names"
        ids, hint = matching(names, "query_id", NO_COLUMNS), ""
        if ids:
            hint = f" {option('columns', {'query_id': ids[0]})} takes the ids of {ids[0]}."
        raise InputError(f"{what}; it has: {listed(names)}.{hint}")
    return ()


def field_of_columns(names: Sequence[Any], layout: Layout, source: str) -> dict[Any, str]:
    """The columns of a table that are read or sampled, with their fields; the first may be that of topics."""
    if layout.kind == "topics":
        usual = {name: FIELDS_OF[name] for name in names if name in FIELDS_OF}
        keys = dict.fromkeys(key_columns(names, layout, source), "topic")
        return keys or usual or dict.fromkeys(names[:1], "topic")
    signs = SIGNS if layout.kind == "run" else ()
    sampled = {name: field for field in signs for name in matching(names, field, layout.reading.names)}
    keys = dict.fromkeys(key_columns(names, layout, source), "query_id")
    return sampled | keys | {name: field for field, name in columns_of(names, layout, source).items()}


def possible_fields(layout: Layout) -> list[str]:
    """The fields that data of this layout can have."""
    signs = SIGNS if layout.kind == "run" else ()
    return list(dict.fromkeys([*layout.columns, *signs, *OPTIONAL.get(layout.kind, ()), LIST]))


def rows_of_table(data: Any, layout: Layout, source: str) -> Rows:
    """Rows of a frame, or of a mapping of columns. source: its name in messages."""
    table, reading = columns_by_name(data, source), layout.reading
    names, named = column_names(table), reading.names
    columns = {field: table[name] for field, name in columns_of(names, layout, source).items()}
    topics = list_ids(table, columns.get("query_id"), layout, source)
    item, first = layout.item, layout.first_row
    items = columns[item] if item == "doc_id" else whole_numbers(columns[item])
    docs = id_column(items, source, item, first=first, blank=layout.answers)
    by_class = layout.by_class or (REPEAT if REPEAT in columns else None)
    classes = None if by_class is None else id_column(columns[by_class], source, by_class, first=first)

    def numbers(field: str, kind: Any) -> npt.NDArray[Any]:
        return number_column(columns[field], field, kind, source, (topics, docs), layout.levels)

    ranks = numbers(RANK, "int64") if reading.order == "rank" else None
    scored = layout.value in columns
    places = np.arange(len(docs)) if ranks is None else ranks
    values = numbers(layout.value, layout.value_type) if scored else -places.astype(np.float64)
    rows = Rows.of(source, topics, docs, values, classes)
    if named:
        found = frozenset(field for field in possible_fields(layout) if named.get(field) in names)
        rows = replace(rows, named=found)
    if COST in columns:
        costs = numbers(COST, "double")
        rows.require(COST, costs, np.isfinite(costs) & (costs >= 0), "a finite number >= 0")
        rows = replace(rows, costs=costs)
    if layout.kind != "run":
        return rows
    hidden = np.zeros(len(rows), bool)
    if SHOWN in columns:
        for row, value in enumerate(values_of(columns[SHOWN])):
            if not isinstance(value, (bool, np.bool_)):
                raise rows.error(row, f"{SHOWN} {value!r}: True or False is needed")
            hidden[row] = not value
    if reading.stop is not None:
        hidden |= np.asarray(pc.equal(id_column(columns[MARK], source, MARK, topics), reading.stop))
    candidates = (matching(names, field, named) for field in SIGNS)
    sampled = [table[name[0]] if len(name) == 1 else None for name in candidates]
    unscored = None if scored else np.ones(len(rows), bool)
    ended = hidden if SHOWN in columns or reading.stop is not None else None
    samples = samples_of(rows.topics, rows.values, *sampled)
    if hasattr(data, "groupby") and {"query_id", item} <= columns.keys():
        rows = replace(rows, runs_in=partial(_runs_in, data, columns_of(names, layout, source)))
    return rows.read(reading, ranks=ranks, hidden=ended, unscored=unscored, samples=samples)


def _runs_in(frame: Any, columns: Mapping[str, Any]) -> str:
    """The end of a message about repeated documents, where a column of a frame of pandas tells them apart."""
    ids = [columns["query_id"], columns["doc_id"]]
    texts = [name for name in frame.select_dtypes(exclude="number") if name not in columns.values()]
    texts = [name for name in texts if not frame[[*ids, name]].astype(str).duplicated().any()]
    if not texts:
        return ""
    name = min(texts, key=lambda text: len(frame[text].astype(str).unique()))
    parts = f"{{name: part for name, part in df.groupby({name!r})}}"
    return f". Where the column {name!r} names several runs, these are {parts}"


def list_ids(
    table: Any, column: Any, layout: Layout, source: str, field: str = "query_id"
) -> pa.Array | pa.ChunkedArray:
    """The ids of the lists of a table: those of a column, or the columns of keys joined."""
    names, keys = key_columns(column_names(table), layout, source), layout.reading.nesting
    first = layout.first_row
    if keys is None or not names:
        return id_column(column, source, field, keys=keys, first=first)
    return joined_column({name: table[name] for name in names}, keys, source, first)


def ids_of_table(data: Any, field: str, source: str, layout: Layout = TOPICS) -> list[str]:
    """One column of ids of a frame, or of a mapping of columns; with keys, their columns joined."""
    table = columns_by_name(data, source)
    names = column_names(table)
    keys = key_columns(names, layout, source)
    own = layout.reading.names.get("query_id")
    column = None if keys else table[own if own in names else column_name(names, field, source)]
    ids: list[str] = list_ids(table, column, layout, source, field).to_pylist()
    return ids


def columns_by_name(data: Any, source: str) -> Any:
    """A frame or a mapping whose columns can be taken by name."""
    if isinstance(data, Mapping) or hasattr(data, "itertuples") or isinstance(data, pa.Table):
        return data
    if hasattr(data, "get_columns"):  # polars: a column may have a type that Arrow lacks
        return {column.name: column for column in data.get_columns()}
    return arrow_table(data, source)


def arrow_table(frame: Any, source: str) -> pa.Table:
    """A frame as a table of pyarrow; InputError for a single column."""
    try:
        return pa.table(frame)
    except (pa.ArrowInvalid, TypeError):
        raise InputError(f"{source} is a single column: a frame with several columns is needed.") from None


def records_of_frame(frame: Any, source: str) -> list[dict[Any, Any]]:
    """The rows of a frame as dicts, None where a value is missing."""
    of_pandas = hasattr(frame, "itertuples")
    table = frame if of_pandas else arrow_table(frame, source)
    if (twice := repeated(column_names(table))) is not None:  # a dict would keep one of them
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    if of_pandas:  # Arrow knows no column of several types and no half of a surrogate pair
        table = table.astype(object).where(table.notna(), None)
    rows: list[dict[Any, Any]] = table.to_dict("records") if of_pandas else table.to_pylist()
    return rows


def column_names(table: Any) -> list[Any]:
    """The names of the columns of a table."""
    return list(table.column_names if isinstance(table, pa.Table) else getattr(table, "columns", table))


def column_name(
    names: Collection[Any], field: str, source: str, columns: Columns | None = None, graded: bool = False
) -> Any:
    """Which of a table's names is that of a field. columns: those that the user named, where he can."""
    named = NO_COLUMNS if columns is None else columns
    present = matching(names, field, named, graded)
    if not present and field == "relevance" and not {_BEIR, "pid"}.isdisjoint(names):
        present = named.among(names, field, ("score",))
    if not present:
        wanted = [str(named[field])] if field in named else []
        hint = nearest(wanted[0], map(str, names)) if wanted else ""
        of_score = field == "score"
        ranks = matching(names, RANK, named) if of_score else []
        distances = [name for name in DISTANCES if name in names and of_score]
        if ranks:
            hint += f" {option('order', 'rank')} takes the column {ranks[0]}."
        elif distances:
            these = f"{option('columns', {field: distances[0]})} with {option('lower_is_better', True)}"
            hint += f" {these} takes the column {distances[0]}."
        elif columns is not None and not hint:
            hint = f" {option('columns', {field: '...'})} names another."
            if of_score and not graded:
                hint += f" {option('order', 'file')} takes the rows as they stand."
            if field == "doc_id":
                hint += name_the_list()
        needed, has = " or ".join([*wanted, *VOCABULARY[field][0]]), listed(names, "none")
        raise InputError(f"{source} has no column {needed}; it has: {has}.{hint}")
    if len(present) > 1:
        both = " and ".join(present)
        raise InputError(f"{source} has the columns {both} for the same field: one is needed.")
    return present[0]


def header(start: bytes) -> tuple[list[str], str]:
    """The names in the first line, and what separates them."""
    text = next(iter(start.splitlines()), b"").decode(errors="replace")
    separator = max("\t,;", key=text.count)
    return [name.strip(' "') for name in text.split(separator)], separator
