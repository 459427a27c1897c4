"""Dicts from topics to pairs of document and score, as retrievers return them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ir_trunc.core.errors import InputError, shown
from ir_trunc.read.names import Columns
from ir_trunc.read.readers.scored_objects import id_of, table_of_lists
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, first_docs, first_item, reader


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
    pair = partial(_pair, columns=layout.reading.names)
    return table_of_lists(data, layout, pair)


def _pair(item: Any, place: str, columns: Columns) -> tuple[Any, Any]:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise InputError(f"{place}: {shown(item)}: a pair (document, score) is needed.")
    doc, score = item
    if isinstance(score, str) and not isinstance(doc, str):
        raise InputError(f"{place}: {shown(item)}: the document comes first, then its score.")
    return id_of(doc, place, columns), score
