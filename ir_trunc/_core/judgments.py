"""Judgments as flat arrays with offsets, and the order of topics."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ir_trunc._core import arrays
from ir_trunc._core.flat import Bools, Ints, distinct, offsets_of, places_of, sizes_of
from ir_trunc._core.lazy import cached_property


def canonical_order(topics: Sequence[str]) -> list[int]:
    """Positions that put topics in their one order: as numbers where all are numbers, as text otherwise."""
    if not all(topic.isascii() and topic.isdigit() for topic in topics):
        return sorted(range(len(topics)), key=topics.__getitem__)
    numbers = [topic.lstrip("0") for topic in topics]  # not int(): ids may have thousands of digits
    return sorted(range(len(topics)), key=lambda at: (len(numbers[at]), numbers[at], topics[at]))


@dataclass(frozen=True, eq=False)
class Judgments:
    """The grades of every judged document of every topic, best first, without the documents' ids.

    topics: Q ids in canonical order. offsets: (Q + 1). grades: flat, descending inside a topic, negatives as
    given. levels: the positive grades of the judgement scale, ascending. They belong to the judgments as they
    were given, and stay when topics are picked out. by_nil: the nil queries (Q) to which the document NIL was
    added as their one relevant document; None where that was not done.
    """

    topics: tuple[str, ...]
    offsets: Ints
    grades: Ints
    levels: Ints
    by_nil: Bools | None = None

    def __post_init__(self) -> None:
        arrays.whole("grades", self.grades)
        arrays.whole("levels", self.levels)
        arrays.offsets("offsets of the judgments", self.offsets, len(self.topics), len(self.grades))

    @cached_property
    def known(self) -> dict[Hashable, Any]:
        """What measures have computed of these judgments, once for all runs."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without what is known

    @property
    def nil_queries(self) -> Bools:
        """Which topics have no relevant document but NIL (Q)."""
        found: Ints = np.bincount(self.rows[self.grades > 0], minlength=len(self.topics))
        nothing: Bools = found == 0
        return nothing if self.by_nil is None else nothing | self.by_nil

    @cached_property
    def max_rel(self) -> int:
        """The top of the judgement scale; 0 where nothing is relevant."""
        return int(self.levels.max(initial=0))

    @cached_property
    def most_judged(self) -> int:
        """Judged documents of the topic that has most of them."""
        return int(sizes_of(self.offsets).max(initial=0))

    @classmethod
    def from_rows(
        cls, topics: Sequence[str], rows: Ints, grades: Ints, levels: Iterable[int] = ()
    ) -> Judgments:
        """Judgments of these topics, in their order, from one (row, grade) per judged document in any order.

        levels: of the judgement scale, beside those that occur.
        """
        order = np.lexsort((-grades, rows))
        offsets = offsets_of(np.bincount(rows, minlength=len(topics)))
        scale = distinct(np.concatenate((grades, np.fromiter(levels, np.int64))))
        return cls(tuple(topics), offsets, grades[order], scale[scale > 0])

    def with_nil(self, grade: int) -> Judgments:
        """The judgments with a document NIL of this grade for each nil query."""
        nil = self.nil_queries
        rows, grades = (
            np.append(self.rows, np.flatnonzero(nil)),
            np.append(self.grades, np.full(int(nil.sum()), grade)),
        )
        return replace(Judgments.from_rows(self.topics, rows, grades, self.levels), by_nil=nil)

    def without_nil(self) -> Judgments:
        """The judgments without the documents that `with_nil` added."""
        if self.by_nil is None:
            return self
        kept = ~(self.by_nil[self.rows] & (self.grades > 0))
        offsets = offsets_of(np.bincount(self.rows[kept], minlength=len(self.topics)))
        return Judgments(self.topics, offsets, self.grades[kept], self.levels)

    def take(self, rows: Ints) -> Judgments:
        """The judgments of some of the topics, by their positions."""
        return Judgments(
            tuple(self.topics[q] for q in rows),
            offsets_of(sizes_of(self.offsets)[rows]),
            self.grades[places_of(self.offsets, rows)],
            self.levels,
            None if self.by_nil is None else self.by_nil[rows],
        )

    @property
    def rows(self) -> Ints:
        """The topic's position of every entry of `grades`."""
        return np.repeat(np.arange(len(self.topics)), sizes_of(self.offsets))


@dataclass(frozen=True, eq=False)
class NilLists:
    """The lists of a run that hold the document NIL.

    convention: what NIL was taken for (`ir_trunc.NilRule`). held: which lists hold it (Q), as the run has
    them.
    """

    convention: str
    held: Bools

    def __len__(self) -> int:
        return int(self.held.sum())
