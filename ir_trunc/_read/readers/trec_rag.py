"""Answers of TREC's RAG track: a list ends with the last reference of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.memory import dicts
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader
from ir_trunc._read.rows import Rows


def _topic_of(answer: Any) -> Any:
    """The id of an answer's topic: topic_id in 2024, narrative_id in the metadata in 2025; else None."""
    if not isinstance(answer, Mapping) or "references" not in answer:
        return None
    metadata = answer.get("metadata")
    fields = {**metadata, **answer} if isinstance(metadata, Mapping) else answer
    return fields.get("topic_id", fields.get("narrative_id"))


@reader(
    "JSON lines of TREC's RAG track, with topic_id or narrative_id, and references",
    "run",
    recognises=lambda data: _topic_of(data[0] if isinstance(data, list) and data else data) is not None,
    called="answers of TREC RAG",
)
def rag_answers(data: Any, layout: Layout) -> Table | Iterable[Rows]:
    """The references of an answer are the list of its topic, in their order; other fields are not read."""
    lists: dict[str, list[Any]] = {}
    for number, answer in enumerate([data] if isinstance(data, Mapping) else data):
        place, topic = f"{layout.source}, item {number}", _topic_of(answer)
        if topic is None or not isinstance(answer["references"], list):
            needed = "topic_id or narrative_id, and a list of references are needed"
            raise InputError(f"{place}: {shown(answer)}: {needed}.")
        if (topic := one_id(topic, "topic", place)) in lists:
            raise InputError(f"{place}: topic {topic} has an answer already.")
        lists[topic] = answer["references"]
    return dicts.read(lists, layout)
