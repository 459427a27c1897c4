"""Dicts from topics to lists: of relevant documents, pairs, dicts, or objects with an id and a score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.columns import one_id
from ir_trunc._read.names import Columns
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, first_docs, first_item, reader

_COLLECTIONS = (list, set, frozenset, tuple)

# Where an object or a dict may keep the id of a document, itself or in something that it holds.
_IDS = ("id", "_id", "doc_id", "docno", "id_", "node_id")
_INSIDE = ("node", "document", "metadata", "meta")

_SCORES, _BESIDE = ("score", "relevance_score"), ("metadata", "meta")  # what holds it, if not the object
_PLAIN = (str, int, float, tuple, list, set, frozenset, bytes, Mapping)


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
    return _table(data, layout, lambda doc, place: (doc, 1))


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

    return _table(data, layout, pair)


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

    return _table(data, layout, pair)


def _are_objects(data: Mapping[Any, Any]) -> bool:
    item = first_item(first_docs(data))
    held = any(hasattr(item, name) for name in ("score", *_BESIDE))
    return item is not None and not isinstance(item, _PLAIN) and held


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

    return _table(data, layout, pair)


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


def _table(data: Mapping[Any, Any], layout: Layout, pair: Callable[[Any, str], tuple[Any, Any]]) -> Table:
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
