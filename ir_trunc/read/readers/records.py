"""Flat records: mappings with a name for each field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_trunc.core.errors import InputError
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_item, reader


def _are_records(data: Any) -> bool:
    return isinstance(first_item(data), Mapping)


@reader(
    "a list of dicts with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=_are_records,
    columns=True,
    called="records",
)
def records(data: Sequence[Any], layout: Layout) -> Table:
    """One dict for each document, with the names that the columns of frames have.

    An example is [{"query_id": "1", "doc_id": "a", "score": 0.5}].
    """
    source = layout.source
    names: dict[Any, None] = {}
    for at, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise InputError(f"{source}, row {at}: a dict is needed, not {type(record).__name__}.")
        names.update(dict.fromkeys(record))
    return Table(source, {name: [record.get(name) for record in data] for name in names})
