"""Named tuples, or other objects with an attribute for each field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from ir_trunc.core.checks import several
from ir_trunc.core.errors import InputError
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_item, reader
from ir_trunc.read.tables import looked_at, possible, wanted


def _have_names(data: Iterable[Any]) -> bool:
    first = first_item(data)
    return hasattr(first, "query_id") and not isinstance(first, Mapping)


@reader(
    "named tuples with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=_have_names,
    usual=True,
    columns=True,
    called="named tuples",
)
def named_tuples(data: Iterable[Any], layout: Layout) -> Table:
    """As ir-measures and ir_datasets have them; rows of `DataFrame.itertuples()`, too.

    They are ScoredDoc(query_id, doc_id, score) and Qrel(query_id, doc_id, relevance). An iterator is read
    once.
    """
    return table_of(data, layout, layout.source)


def table_of(data: Iterable[Any], layout: Layout, source: str) -> Table:
    """The attributes of items as columns."""
    items = data if isinstance(data, list) else several(layout.kind, data, "named tuples")
    called = {field: field for field in possible(layout)}
    for field in layout.reading.names:
        if field in called:
            called[field] = _called(field, items, layout)
    fields = wanted(layout, lambda field: hasattr(items[0], called[field])) if items else layout.columns
    names = [called[field] for field in fields]
    try:
        columns = {name: list(map(attrgetter(name), items)) for name in names}
    except AttributeError as error:
        raise InputError(f"{source}: every item needs the fields {', '.join(names)}; {error}.") from None
    if items:
        seen = {
            called[field]: [getattr(item, called[field], None) for item in items]
            for field in looked_at(layout)
        }
        columns = {**seen, **columns}
    return Table(source, columns)


def _called(field: str, items: list[Any], layout: Layout) -> str:
    """The attribute that has a field."""
    names = [str(name) for name in layout.reading.names.candidates(field, (field,))]
    return next((name for name in names if not items or hasattr(items[0], name)), names[0])
