"""Judgments as flat arrays with offsets, and the order of topics."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ir_trunc._core.arrays import (
    Bools,
    Ints,
    check_integers,
    check_offsets,
    distinct,
    indices_of_rows,
    offsets_of,
    sizes_of,
)
from ir_trunc._core.errors import counted

HIGHEST_GRADE = 2**31 - 1


def canonical_order(topics: Sequence[str]) -> list[int]:
    """Positions that put topics in their one order: as numbers where all are numbers, as text otherwise."""
    joined = "".join(topics)
    if not (joined.isascii() and joined.isdigit() and all(topics)):
        return sorted(range(len(topics)), key=topics.__getitem__)
    numbers = [topic.lstrip("0") for topic in topics]  # not int(): ids may have thousands of digits
    keys = [*zip(map(len, numbers), numbers, topics)]
    return sorted(range(len(topics)), key=keys.__getitem__)


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """The grades of all judged documents of every topic, best first, without document ids."""

    topics: tuple[str, ...]  # Q ids in canonical order
    offsets: Ints  # Q + 1, into `grades`
    grades: Ints  # descending in each topic; negative grades stay negative
    levels: Ints  # positive grades of the scale, ascending; `take` keeps them: they belong to the collection
    by_nil: Bools | None = None  # nil queries (Q) whose only relevant document is NIL, added by `with_nil`
    scale_declared: bool = False  # by the data set; if not, `levels` are the grades that occur
    computed: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    """What measures have computed from these judgments, once for all runs."""

    def __post_init__(self) -> None:
        check_integers("grades", self.grades)
        check_integers("levels", self.levels)
        check_offsets("offsets of the judgments", self.offsets, len(self.topics), len(self.grades))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "computed": {}}

    def __repr__(self) -> str:
        return f"Judgments({self.described})"

    @property
    def described(self) -> str:
        """How many topics, nil queries and judgments of each grade there are, in a line."""
        nil = int(self.nil_queries.sum())
        some_nil = f", {nil} of them {'a nil query' if nil == 1 else 'nil queries'}" if nil else ""
        grades, counts = np.unique(self.grades, return_counts=True)
        of_each = ", ".join(f"{count} of grade {grade}" for grade, count in zip(grades, counts))
        shown = of_each if len(grades) <= 6 else f"grades from {grades[0]} to {grades[-1]}"
        judgments = counted(len(self.grades), "judgment")
        return f"{counted(len(self.topics), 'topic')}{some_nil}; {judgments}{shown and ': '}{shown}"

    @classmethod
    def unchecked(cls, topics: tuple[str, ...], offsets: Ints, grades: Ints, levels: Ints) -> Judgments:
        """Judgments of arrays that are known to fit together."""
        judgments = object.__new__(cls)
        vars(judgments).update(topics=topics, offsets=offsets, grades=grades, levels=levels, computed={})
        return judgments

    @property
    def nil_queries(self) -> Bools:
        """Which topics have no relevant document except NIL (Q)."""
        relevant: Ints = np.bincount(self.rows[self.grades > 0], minlength=len(self.topics))
        none: Bools = relevant == 0
        return none if self.by_nil is None else none | self.by_nil

    @property
    def max_rel(self) -> int:
        """The highest grade of the judgement scale; 0 where nothing is relevant."""
        return int(self.levels[-1]) if len(self.levels) else 0

    @property
    def scale_is_open(self) -> bool:
        """Whether the scale may go on above its highest known grade: it is inferred, and has gaps."""
        return not self.scale_declared and self.max_rel > len(self.levels)

    @property
    def most_judged(self) -> int:
        """The largest number of judged documents of a topic."""
        if "most_judged" not in self.computed:
            self.computed["most_judged"] = int(sizes_of(self.offsets).max(initial=0))
        most: int = self.computed["most_judged"]
        return most

    @classmethod
    def from_rows(
        cls, topics: Sequence[str], rows: Ints, grades: Ints, levels: Iterable[int] = ()
    ) -> Judgments:
        """Judgments of documents in any order. levels: grades of the scale, which need not occur."""
        # One sort of both takes a fifth of the time.
        keys = rows << 32
        keys |= HIGHEST_GRADE - grades
        keys.sort(kind="stable")
        offsets = offsets_of(np.bincount(rows, minlength=len(topics)))
        keys &= 2**32 - 1
        descending, scale = np.subtract(HIGHEST_GRADE, keys, out=keys), distinct(grades)
        if further := list(levels):
            scale = distinct(np.append(scale, further))
        return cls.unchecked(tuple(topics), offsets, descending, scale[scale.searchsorted(1) :])

    def with_nil(self, grade: int) -> Judgments:
        """The judgments with a document NIL of this grade for each nil query."""
        nil = self.nil_queries
        rows = np.append(self.rows, np.flatnonzero(nil))
        grades = np.append(self.grades, np.full(int(nil.sum()), grade))
        answered = Judgments.from_rows(self.topics, rows, grades, self.levels)
        return replace(answered, by_nil=nil, scale_declared=self.scale_declared)

    def without_nil(self) -> Judgments:
        """The judgments without the documents that `with_nil` added."""
        if self.by_nil is None:
            return self
        kept = ~(self.by_nil[self.rows] & (self.grades > 0))
        offsets = offsets_of(np.bincount(self.rows[kept], minlength=len(self.topics)))
        return replace(self, offsets=offsets, grades=self.grades[kept], by_nil=None)

    def take(self, positions: Ints) -> Judgments:
        """The judgments of some of the topics, by their positions."""
        counts = sizes_of(self.offsets)[positions]
        return replace(
            self,
            topics=tuple(self.topics[q] for q in positions),
            offsets=offsets_of(counts),
            grades=self.grades[indices_of_rows(self.offsets[positions], counts)],
            by_nil=None if self.by_nil is None else self.by_nil[positions],
        )

    @property
    def rows(self) -> Ints:
        """The position of the topic of every entry of `grades`."""
        if "rows" not in self.computed:
            self.computed["rows"] = np.arange(len(self.topics)).repeat(sizes_of(self.offsets))
        rows: Ints = self.computed["rows"]
        return rows


@dataclass(frozen=True, eq=False)
class NilLists:
    """The lists of a run that hold the document NIL."""

    convention: str  # of a NilRule
    held: Bools  # which lists hold NIL (Q), before the convention shortens them

    def __len__(self) -> int:
        return int(self.held.sum())
