"""Qrels as the ids of the relevant documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_trunc.core.errors import InputError
from ir_trunc.read.readers.scored_objects import table_of_lists
from ir_trunc.read.reading import Layout
from ir_trunc.read.registry import Table, reader

_COLLECTIONS = (list, set, frozenset, tuple)


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
    return table_of_lists(data, layout, lambda doc, place: (doc, 1))
