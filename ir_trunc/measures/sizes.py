"""The number of documents of each topic: one number for all, one for each, or as many as the qrels judge."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import ParameterError, ParameterTypeError, nearest, shown
from ir_trunc._core.rankings import Floats
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Whole

QRELS = "qrels"

Size = int | str | dict[str, int]


def is_path(size: Size) -> bool:
    """Whether the numbers are in a file that has not been read yet."""
    return isinstance(size, str) and size != QRELS


@dataclass(frozen=True)
class Sizes:
    """A number of documents, for all topics or for each.

    The path of a file stands for the numbers in it; whoever binds the measure reads it.
    """

    meaning: str
    allowed: str = (
        "a whole number >= 1, 'qrels' (the documents that the qrels judge for the topic), a map"
        " {topic: number}, or the path of a file of lines 'topic<TAB>number'"
    )

    def clean(self, name: str, value: Any) -> Size:
        """The number, map or path as a plain Python object; ParameterError where it is not allowed."""
        if isinstance(value, (str, os.PathLike)):
            path = os.fspath(value)
            if isinstance(path, str) and path.strip() and "\0" not in path:
                return str(path)
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        if isinstance(value, Mapping) or callable(getattr(value, "to_dict", None)):
            return self._by_topic(name, value)
        try:
            return Whole(self.meaning).clean(name, value)
        except ParameterTypeError:
            raise ParameterTypeError(f"{name}={shown(value)}: {self.allowed} is needed.") from None

    def _by_topic(self, name: str, value: Any) -> dict[str, int]:
        """The map, or what a pandas Series holds, with topics as text."""
        given = value if isinstance(value, Mapping) else value.to_dict()
        if not isinstance(given, Mapping) or not given:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        for topic in given:
            if isinstance(topic, bool) or not isinstance(topic, (str, int, np.integer)):
                what = f"topic {shown(topic)} is {type(topic).__name__}"
                raise ParameterTypeError(f"{name}: {what}: topics are text.")
        size = Whole(self.meaning)
        found = {str(topic): size.clean(f"{name}[{shown(topic)}]", given[topic]) for topic in given}
        if len(found) < len(given):
            raise ParameterError(f"{name}={shown(value)}: a topic is in it twice, as text and as a number.")
        return found


Documents = Annotated[Size, Sizes("number of documents of the collection, or of each topic's own")]


def documents(lists: Lists, D: Size) -> Floats:
    """The number of documents of every point's topic.

    'qrels': as many as are judged, and never fewer than the list holds. ParameterError where a given number
    is smaller than the documents known, or a topic has none.
    """
    if D == QRELS:
        judged = np.diff(lists.judgments.offsets)
        known: Floats = np.maximum(lists.spread(judged), lists.n).astype(np.float64)
        return known
    if isinstance(D, str):
        hint = nearest(D, [QRELS])
        raise ParameterError(f"D={D!r} is a path: ir_trunc.calc, or ir_trunc.parse_measure, reads it.{hint}")
    if isinstance(D, dict):
        return lists.spread(_of_topics(lists, D))
    return lists.spread(np.full(len(lists.lengths), lists.collection(D), dtype=np.float64))


def _of_topics(lists: Lists, sizes: Mapping[str, int]) -> Floats:
    """The number that the map has for every topic (Q)."""
    topics = lists.judgments.topics
    missing = [topic for topic in topics if topic not in sizes]
    if missing:
        known = f"; one that it has is {next(iter(sizes))}"
        raise ParameterError(f"D has no number for {len(missing)} topic(s), {missing[0]} for one{known}.")
    found = np.array([sizes[topic] for topic in topics], dtype=np.float64)
    for at in np.flatnonzero(lists.known() > found)[:1]:
        raise ParameterError(
            f"D[{topics[at]!r}]={found[at]:.0f} is smaller than the {lists.known()[at]} documents known for"
            f" topic {topics[at]}: give the number of all its documents."
        )
    return found
