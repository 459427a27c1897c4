"""Ids of topics in memory: a column, a list of ids or of items that have one, or the keys of a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ir_trunc.core.errors import InputError, shown
from ir_trunc.read.arrow import pa
from ir_trunc.read.columns import ids, one_id
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, reader

FIELDS = ("query_id", "qid", "query-id", "_id", "id")
NAMED = "query_id, qid, _id or id"


def _is_column(data: Any) -> bool:
    return hasattr(data, "dtype") or isinstance(data, (pa.Array, pa.ChunkedArray))


@reader("a column of ids", "topics", of=("frame", "list"), recognises=_is_column)
def column(data: Any, layout: Layout) -> Table:
    """A column of pandas, polars, pyarrow or numpy."""
    return Table(layout.source, topics=tuple(ids(data, layout.source, "topic").to_pylist()))


@reader("a mapping whose keys are ids", "topics", of="mapping", usual=True)
def keys(data: Mapping[Any, Any], layout: Layout) -> Table:
    """Qrels or queries as dicts, for example."""
    return Table(layout.source, topics=tuple(one_id(topic, "topic", layout.source) for topic in data))


@reader(f"a list of ids, or of items with {NAMED}", "topics", of="list", usual=True)
def items(data: Iterable[Any], layout: Layout) -> Table:
    """Items are objects with one of these attributes, or mappings with one of these names."""
    source = layout.source
    return Table(source, topics=tuple(of_item(item, f"{source}, item {at}") for at, item in enumerate(data)))


def of_item(item: Any, place: str) -> str:
    """The id that an item is, or has."""
    if isinstance(item, Mapping):
        held = [item[name] for name in FIELDS if name in item]
    else:
        held = [getattr(item, name) for name in FIELDS if hasattr(item, name)] or [item]
    if not held:
        raise InputError(
            f"{place}: an object with {NAMED} is needed; it has: {', '.join(map(shown, item)) or 'nothing'}."
        )
    if isinstance(held[0], (tuple, list, set, Mapping)):
        raise InputError(
            f"{place}: {shown(item)} is {type(item).__name__}; an id, or an item with {NAMED}, is needed."
        )
    return one_id(held[0], "topic", place)
