"""Plain tuples of topic, document and number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_trunc.core.errors import InputError, shown
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_item, reader

_FIELDS = 3


def _are_tuples(data: Any) -> bool:
    return type(first_item(data)) in (tuple, list)


@reader(
    "a list of tuples (topic, document, <value>)",
    "run",
    "qrels",
    of="list",
    recognises=_are_tuples,
    called="tuples",
)
def plain_tuples(data: Sequence[Any], layout: Layout) -> Table:
    """One tuple or list of three for each document, in this order."""
    source = layout.source
    names = ("query_id", "doc_id", layout.value)
    for at, row in enumerate(data):
        if not isinstance(row, (tuple, list)) or len(row) != _FIELDS:
            raise InputError(f"{source}, row {at}: {shown(row)}: ({', '.join(names)}) is needed.")
    return Table(source, {name: [row[at] for row in data] for at, name in enumerate(names)})
