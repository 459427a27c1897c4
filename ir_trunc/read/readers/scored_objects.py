"""Dicts from topics to objects with an id and a score, as the frameworks of retrieval have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ir_trunc.core.errors import InputError, shown
from ir_trunc.read.columns import one_id
from ir_trunc.read.names import NO_COLUMNS, Columns
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_docs, first_item, reader

_IDS = ("id", "_id", "doc_id", "docno", "id_", "node_id")
_INSIDE = ("node", "document", "metadata", "meta")  # where an object may keep the id
_SCORES, _BESIDE = ("score", "relevance_score"), ("metadata", "meta")  # what holds it, if not the object
_PLAIN = (str, int, float, tuple, list, set, frozenset, bytes, Mapping)


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
    names = layout.reading.names

    def pair(item: Any, place: str) -> tuple[Any, Any]:
        called = names.candidates("score", _SCORES)
        holders = [item, *(_held(item, name) for name in _BESIDE)]
        scores = (_held(holder, name) for holder in holders for name in called)
        score = next((found for found in scores if found is not None), None)
        if score is None:
            raise InputError(
                f"{place}: {shown(item)} has no {called[0]}; a retriever that gives it is needed."
            )
        return id_of(item, place, names), score

    return table_of_lists(data, layout, pair)


def id_of(item: Any, place: str, columns: Columns = NO_COLUMNS) -> Any:
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


def table_of_lists(
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
