"""Data in memory: dicts, lists and frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.parameters import several
from ir_trunc._core.rankings import Bools
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import id_column, number_column, numeric, one_id, pa, pc
from ir_trunc._read.reading import MARK, RANK, Columns, Layout, Reading
from ir_trunc._read.registry import COMMON, Compiled, Data, Table, first_docs, first_item, list_length, reader
from ir_trunc._read.rows import PART, Rows, Samples, encoded
from ir_trunc._read.tables import COST, SHOWN, fields_to_read, possible_fields, sampled_fields

_DICTS = (dict, defaultdict)  # other mappings may have values of their own making


def _dicts_to_kernel(lists: Any, run: Data) -> Samples | None:
    plain = type(run.value) in _DICTS and run.layout.reading.order != "rank"
    return () if plain and kernel.dicts(lists, run.value, np.float64) else None


def _qrels_of_dicts(data: Data, seed: int) -> Any:
    return kernel.qrels_of_dicts(data.value, seed) if type(data.value) in _DICTS else None


@reader(
    "{topic: {document: <value>}}",
    "run",
    "qrels",
    of="mapping",
    recognises=lambda data: isinstance(first_docs(data), Mapping),
    priority=COMMON,
    fallback=True,
    called="dict",
    compiled=Compiled(_dicts_to_kernel, _qrels_of_dicts),
)
def dicts(data: Mapping[Any, Any], layout: Layout) -> Iterator[Rows]:
    """The form of pytrec_eval and ir-measures.

    A run may have lists by rank, without scores, or one answer as text; silence is the empty list. Topics and
    documents are text or whole numbers.
    """
    names = id_column(list(data), layout.source, "query_id", map(shown, data))
    each_once = len(pc.unique(names)) == len(data)  # 1 and "1" are one topic
    start = 0
    for some in _some_at_a_time(data) if each_once else [data]:
        here = names.slice(start, len(some))
        yield replace(_rows_of_dict(some, here, layout), universe=tuple(here.to_pylist()))
        start += len(some)


def _some_at_a_time(data: Mapping[Any, Any]) -> Iterator[Mapping[Any, Any]]:
    some, rows = {}, 0
    for topic, docs in data.items():
        some[topic] = docs
        rows += list_length(docs)
        if rows >= PART:
            yield some
            some, rows = {}, 0
    if some or not data:
        yield some


def _rows_of_dict(data: Mapping[Any, Any], topics_of: pa.Array, layout: Layout) -> Rows:
    """The rows of a dict whose topics have these names."""
    source, names = layout.source, encoded(topics_of)
    listed = [not isinstance(docs, Mapping) for docs in data.values()]
    if layout.kind == "run" and any(listed):
        data = {topic: _ranked(docs, f"{source}, topic {topic}") for topic, docs in data.items()}
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            raise InputError(
                f"{source}, topic {topic}: {{document: {layout.value}}} is needed, not {type(docs).__name__}."
            )
    lengths = [len(docs) for docs in data.values()]
    codes = np.repeat(np.arange(len(data)), lengths)
    topics = pa.DictionaryArray.from_arrays(names.indices.take(numeric(codes)), names.dictionary)
    docs = id_column(list(chain.from_iterable(data.values())), source, "doc_id", topics)
    values = [value for docs in data.values() for value in docs.values()]
    rows = Rows.of(
        source, topics, docs, number_column(values, layout.value, layout.value_type, source, topics, docs)
    )
    return _read_dict(rows, layout.reading, np.repeat(listed, lengths)) if layout.kind == "run" else rows


def _read_dict(rows: Rows, reading: Reading, listed: Bools) -> Rows:
    """The rows of a dict; listed: those of lists by rank, whose values are not scores but places."""
    if reading.stop is not None:
        raise InputError(
            f"{rows.source}: a dict has no second column, in which stop={reading.stop!r} could be."
        )
    if reading.order == "rank" and not listed.all():
        topic = rows.topics[int(listed.argmin())]
        raise InputError(
            f"{rows.source}, topic {topic}: order='rank' needs a list by rank, [document, ...], not scores."
        )
    ranks = (1 - rows.values).astype(np.int64) if reading.order == "rank" else None
    return rows.read(reading, ranks, unscored=listed if listed.any() else None)


def _ranked(docs: Any, place: str) -> Any:
    """One answer, or answers by rank, as {document: score}; silence, the empty answer, is the empty list."""
    if isinstance(docs, str):
        docs = [docs] if docs else []
    if isinstance(docs, (list, tuple)):
        if not set(map(type, docs)) <= {str, int}:
            for doc in docs:
                one_id(doc, "doc_id", place)
        if len(set(docs)) < len(docs):
            again = next(doc for at, doc in enumerate(docs) if doc in docs[:at])
            raise InputError(f"{place}, document {again}: it is in the list twice.")
        return {doc: float(-rank) for rank, doc in enumerate(docs)}
    return docs


_COLLECTIONS = (list, set, frozenset, tuple)

# Where an object or a dict may keep the id of a document, itself or in something that it holds.
_IDS = ("id", "_id", "doc_id", "docno", "id_", "node_id")
_INSIDE = ("node", "document", "metadata", "meta")

_SCORES, _BESIDE = ("score", "relevance_score"), ("metadata", "meta")  # what holds it, if not the object
_NO_OBJECTS = (str, int, float, tuple, list, set, frozenset, bytes, Mapping)


def _are_ids(data: Mapping[Any, Any]) -> bool:
    if any(isinstance(docs, Mapping) for docs in data.values()):
        return False
    each = [docs for docs in data.values() if isinstance(docs, _COLLECTIONS)]
    return bool(each) and all(isinstance(doc, (str, int)) for docs in each for doc in docs)


@reader(
    "{topic: [relevant document, ...]}",
    "qrels",
    of="mapping",
    recognises=_are_ids,
    called="relevant documents",
)
def relevant_ids(data: Mapping[Any, Any], layout: Layout) -> Table:
    """A list or a set of ids, each of relevance 1; documents that are not named are unjudged.

    A topic without any id is one for which nothing is relevant.
    """
    for topic, docs in data.items():
        if not isinstance(docs, _COLLECTIONS):
            raise InputError(
                f"{layout.source}, topic {topic}: a list of ids is needed, not {type(docs).__name__}."
            )
    return _scored_table(data, layout, lambda doc, place: (doc, 1))


def _are_pairs(data: Mapping[Any, Any]) -> bool:
    item = first_item(first_docs(data))
    return isinstance(item, tuple) or (isinstance(item, list) and len(item) == 2)


@reader(
    "{topic: [(document, <value>), ...]}",
    "run",
    "qrels",
    of="mapping",
    recognises=_are_pairs,
    columns=True,
    called="pairs",
)
def scored_pairs(data: Mapping[Any, Any], layout: Layout) -> Table:
    """The document is an id, or an object that has one, as in LangChain's (Document, score).

    The order of the pairs does not count, the scores do.
    """

    def pair(item: Any, place: str) -> tuple[Any, Any]:
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise InputError(f"{place}: {shown(item)}: a pair (document, score) is needed.")
        doc, score = item
        if isinstance(score, str) and not isinstance(doc, str):
            raise InputError(f"{place}: {shown(item)}: the document comes first, then its score.")
        return _id_of(doc, place, layout.reading.names), score

    return _scored_table(data, layout, pair)


@reader(
    '{topic: [{"id": document, "<value>": number}, ...]}',
    "run",
    "qrels",
    of="mapping",
    recognises=lambda data: isinstance(first_item(first_docs(data)), Mapping),
    columns=True,
    called="dicts by topic",
)
def scored_dicts(data: Mapping[Any, Any], layout: Layout) -> Table:
    """Search engines' answers. The id is called id, _id, doc_id or docno, its score score or _score.

    A distance is given by lower_is_better=True.
    """
    columns = layout.reading.names
    names = columns.candidates(
        layout.value, ("score", "_score") if layout.kind == "run" else (layout.value, "label")
    )

    def pair(item: Any, place: str) -> tuple[Any, Any]:
        if not isinstance(item, Mapping):
            raise InputError(f"{place}: {shown(item)}: a dict with id and {names[0]} is needed.")
        found = [name for name in names if name in item]
        if not found:
            known = ", ".join(map(str, item))
            raise InputError(
                f"{place}: {' or '.join(map(str, names))} is missing; it has: {known or 'nothing'}."
            )
        return _id_of(item, place, columns), item[found[0]]

    return _scored_table(data, layout, pair)


def _are_objects(data: Mapping[Any, Any]) -> bool:
    item = first_item(first_docs(data))
    held = any(hasattr(item, name) for name in ("score", *_BESIDE))
    return item is not None and not isinstance(item, _NO_OBJECTS) and held


@reader(
    "{topic: [object with id and score, ...]}",
    "run",
    of="mapping",
    recognises=_are_objects,
    columns=True,
    called="objects by topic",
)
def scored_objects(data: Mapping[Any, Any], layout: Layout) -> Table:
    """Documents of LlamaIndex, Haystack or LangChain, or any other objects.

    The score is the attribute score, or score or relevance_score in the metadata. The id is the attribute id,
    _id, doc_id or docno, or that of the node, document or metadata.
    """
    columns = layout.reading.names
    names = columns.candidates("score", _SCORES)

    def pair(item: Any, place: str) -> tuple[Any, Any]:
        holders = [item, *(_held(item, name) for name in _BESIDE)]
        scores = (_held(holder, name) for holder in holders for name in names)
        score = next((found for found in scores if found is not None), None)
        if score is None:
            raise InputError(
                f"{place}: {shown(item)} has no {names[0]}; a retriever that gives it is needed."
            )
        return _id_of(item, place, columns), score

    return _scored_table(data, layout, pair)


def _id_of(item: Any, place: str, columns: Columns) -> Any:
    """The id that a document is, or has; InputError where there is none. columns: how the user calls it."""
    names = columns.candidates("doc_id", _IDS)
    found = _id_in(item, names, "doc_id" not in columns.needed)
    if found is None and item is not None:
        called = ", ".join(map(str, names[:4]))
        raise InputError(f"{place}: {shown(item)} has no id; it is looked for under {called}.")
    return found


def _id_in(item: Any, names: tuple[Any, ...], plain: bool) -> Any:
    """The id of a document; None where there is none. plain: whether a text or a number is an id itself."""
    if item is None or isinstance(item, (str, int, float)):
        return item if plain else None
    for name in names:
        found = _held(item, name)
        if found is not None and not callable(found):
            return found
    inside = (_id_in(_held(item, name), names, plain) for name in _INSIDE)
    return next((found for found in inside if found is not None), None)


def _held(item: Any, name: Any) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, str(name), None)


def _scored_table(
    data: Mapping[Any, Any], layout: Layout, pair: Callable[[Any, str], tuple[Any, Any]]
) -> Table:
    """A table of {topic: [item, ...]}, where `pair` gives the document and the number of an item."""
    source, names = layout.source, layout.reading.names
    names.check(names.values(), ("doc_id", layout.value), source)
    topics = [one_id(topic, "query_id", source) for topic in data]
    columns: dict[str, list[Any]] = {"query_id": [], "doc_id": [], layout.value: []}
    for topic, items in zip(topics, data.values()):
        if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
            raise InputError(f"{source}, topic {topic}: a list is needed, not {type(items).__name__}.")
        for at, item in enumerate(items):
            doc, number = pair(item, f"{source}, topic {topic}, item {at}")
            columns["query_id"].append(topic)
            columns["doc_id"].append(doc)
            columns[layout.value].append(number)
    named = frozenset({"doc_id", layout.value} & names.keys())
    return Table(source, columns, topics=tuple(topics), named=named)


def _have_names(data: Iterable[Any]) -> bool:
    first = first_item(data)
    return hasattr(first, "query_id") and not isinstance(first, Mapping)


def _tuples_to_kernel(lists: Any, run: Data) -> Samples | None:
    items = _kernel_items(run) if run.layout.reading.order != "rank" else None
    return () if items and kernel.tuples(lists, *items, np.float64) else None


def _qrels_of_tuples(data: Data, seed: int) -> Any:
    items = _kernel_items(data)
    return kernel.qrels_of_tuples(*items, seed) if items else None


def _kernel_items(data: Data) -> list[Any]:
    """The tuples, their type, how many fields they have, and where those that are read stand.

    An empty list where the kernel may not take them.
    """
    items = list(data.value) if type(data.value) is tuple else data.value
    if type(items) is not list or not items:
        return []
    kind, fields = type(items[0]), ("query_id", "doc_id", data.layout.value)
    places = [len(fields), *range(len(fields))] if kind is tuple else _kernel_places(kind, fields)
    return [items, kind, *places] if places else []


def _kernel_places(kind: type, fields: tuple[str, ...]) -> list[int]:
    """How many fields named tuples of this type have, and where those that are read stand.

    An empty list where their attributes may be something else.
    """
    plain = issubclass(kind, tuple) and kind.__getattribute__ is tuple.__getattribute__
    if not plain or kind.__dictoffset__ or any(hasattr(kind, name) for name in (RANK, MARK, COST, SHOWN)):
        return []
    getters: list[Any] = [getattr(kind, name, None) for name in fields]
    if any(type(getter).__name__ != "_tuplegetter" for getter in getters):
        return []
    return [len(getattr(kind, "_fields", ())), *(getter.__reduce__()[1][0] for getter in getters)]


_COMPILED = Compiled(_tuples_to_kernel, _qrels_of_tuples)


@reader(
    "named tuples with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=_have_names,
    priority=COMMON,
    fallback=True,
    columns=True,
    called="named tuples",
    compiled=_COMPILED,
)
def named_tuples(data: Iterable[Any], layout: Layout) -> Table:
    """As ir-measures and ir_datasets have them; rows of `DataFrame.itertuples()`, too.

    They are ScoredDoc(query_id, doc_id, score) and Qrel(query_id, doc_id, relevance). An iterator is read
    once.
    """
    return table_of_attributes(data, layout, layout.source)


def table_of_attributes(data: Iterable[Any], layout: Layout, source: str) -> Table:
    """The attributes of items as columns."""
    items = data if isinstance(data, list) else several(layout.kind, data, "named tuples")
    called = {field: field for field in possible_fields(layout)}
    for field in layout.reading.names:
        if field in called:
            called[field] = _called(field, items, layout)
    fields = (
        fields_to_read(layout, lambda field: hasattr(items[0], called[field])) if items else layout.columns
    )
    names = [called[field] for field in fields]
    try:
        columns = {name: list(map(attrgetter(name), items)) for name in names}
    except AttributeError as error:
        raise InputError(f"{source}: every item needs the fields {', '.join(names)}; {error}.") from None
    if items:
        seen = {
            called[field]: [getattr(item, called[field], None) for item in items]
            for field in sampled_fields(layout)
        }
        columns = {**seen, **columns}
    return Table(source, columns)


def _called(field: str, items: list[Any], layout: Layout) -> str:
    """The attribute that has a field."""
    names = [str(name) for name in layout.reading.names.candidates(field, (field,))]
    return next((name for name in names if not items or hasattr(items[0], name)), names[0])


@reader(
    "a list of tuples (topic, document, <value>)",
    "run",
    "qrels",
    of="list",
    recognises=lambda data: type(first_item(data)) in (tuple, list),
    called="tuples",
    compiled=_COMPILED,
)
def plain_tuples(data: Sequence[Any], layout: Layout) -> Table:
    """One tuple or list of three for each document, in this order."""
    names = ("query_id", "doc_id", layout.value)
    for at, row in enumerate(data):
        if not isinstance(row, (tuple, list)) or len(row) != len(names):
            raise InputError(f"{layout.source}, row {at}: {shown(row)}: ({', '.join(names)}) is needed.")
    return Table(layout.source, {name: [row[at] for row in data] for at, name in enumerate(names)})


@reader(
    "a list of dicts with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=lambda data: isinstance(first_item(data), Mapping),
    columns=True,
    called="records",
)
def records(data: Sequence[Any], layout: Layout) -> Table:
    """One dict for each document, with the names that the columns of frames have.

    An example is [{"query_id": "1", "doc_id": "a", "score": 0.5}].
    """
    names: dict[Any, None] = {}
    for at, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise InputError(f"{layout.source}, row {at}: a dict is needed, not {type(record).__name__}.")
        names.update(dict.fromkeys(record))
    return Table(layout.source, {name: [record.get(name) for record in data] for name in names})


@reader(
    "a frame (pandas, polars, pyarrow, DuckDB) with the columns <columns>",
    "run",
    "qrels",
    "answers",
    "topics",
    of="frame",
    recognises=lambda data: hasattr(data, "itertuples"),
    priority=COMMON,
    fallback=True,
    columns=True,
)
def frame(data: Any, layout: Layout) -> Table:
    """The columns are called query_id or qid, doc_id or docno, and score or relevance (label).

    The class of an answer is called iteration. A run may have cost and shown, too, and rank in the place of
    scores.
    """
    return Table(layout.source, data)
