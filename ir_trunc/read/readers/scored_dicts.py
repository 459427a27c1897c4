"""Dicts from topics to dicts with id and score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_trunc.core.errors import InputError, shown
from ir_trunc.read.readers.scored_objects import id_of, table_of_lists
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_docs, first_item, reader


def _are_dicts(data: Mapping[Any, Any]) -> bool:
    return isinstance(first_item(first_docs(data)), Mapping)


@reader(
    '{topic: [{"id": document, "<value>": number}, ...]}',
    "run",
    "qrels",
    of="mapping",
    recognises=_are_dicts,
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
        return id_of(item, place, columns), item[found[0]]

    return table_of_lists(data, layout, pair)
