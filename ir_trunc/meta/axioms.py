"""The seven formal properties of Amigó, Mizzaro & Spina (SIGIR 2022), as comparisons over small rankings.

A case is a signed sum of scores that has to be positive. `EVERY` property holds if all of its cases do, with cases over all
rankings up to a length; a `THRESHOLD` property asks for a depth. The collection of a case holds the documents of its lists,
some relevant ones that no list has, and one more irrelevant one, all judged; the lists that are compared share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

Grades = tuple[int, ...]


@dataclass(frozen=True)
class Ranking:
    """Grades by rank, and the grades of all judged documents, which these are among."""

    grades: Grades
    judged: Grades

    def __str__(self) -> str:
        relevant = sum(grade > 0 for grade in self.judged)
        half = len(self.grades) // 2
        shown = "".join(map(str, self.grades)) or "-"
        if len(self.grades) > 12:
            shown = f"{self.grades[0]}^{half} {self.grades[-1]}^{half}"
        return f"{shown} (R={relevant})"


Case = tuple[tuple[int, Ranking], ...]
"""Signed rankings; the sum of their scores, with these signs, has to be above 0."""

Scale = tuple[int, ...]
"""The grades from which lists are made, 0 first."""

DEEPEST = 13
"""The largest n that is tried for Deepness, as a power of 2: its lists still fit into most collections."""


@dataclass(frozen=True)
class Property:
    """A property: its number and name, what it says, and its cases, the smallest first."""

    number: int
    name: str
    meaning: str
    cases: Callable[[Scale, int], Iterator[Case]]
    threshold: str | None = None


def _lists(scale: Scale, length: int) -> Iterator[tuple[Grades, Grades]]:
    """All lists up to a length with their collections, in which 0, 1 or 2 more documents are relevant."""
    for n in range(length + 1):
        for grades in product(scale, repeat=n):
            for missed in range(3):
                yield grades, (*grades, 0, *(scale[-1:] * missed))


def _swapped(grades: Grades, i: int, j: int) -> Grades:
    changed = list(grades)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)


def _better(one: Grades, other: Grades, judged: Grades) -> Case:
    return (1, Ranking(one, judged)), (-1, Ranking(other, judged))


def _priority(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length):
        for j in range(len(grades)):
            for i in range(j):
                if grades[j] > grades[i]:
                    yield _better(_swapped(grades, i, j), grades, judged)


def _top_weightedness(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length):
        rises = [i for i in range(len(grades) - 1) if grades[i] < grades[i + 1]]
        for i in rises:
            for j in rises:
                if i < j and grades[i : i + 2] == grades[j : j + 2]:
                    yield _better(_swapped(grades, i, i + 1), _swapped(grades, j, j + 1), judged)


def _one_against_block(scale: Scale, n: int) -> Case:
    """One relevant document on top, and n relevant ones behind n irrelevant ones."""
    block = (0,) * n + scale[-1:] * n
    return _better(scale[-1:], block, block)


def _deepness(scale: Scale, length: int) -> Iterator[Case]:
    for power in range(DEEPEST + 1):
        yield _one_against_block(scale, 2**power)


def _shallowness(scale: Scale, length: int) -> Iterator[Case]:
    for m in (*range(1, 33), 64, 128, 256):
        (_, one), (_, block) = _one_against_block(scale, m)
        yield (1, block), (-1, one)


def _confidence(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length - 1):
        yield _better(grades, (*grades, 0), judged)


def _recall(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length):
        if any(grades):
            for grade in scale[1:]:
                yield (1, Ranking(grades, judged)), (-1, Ranking(grades, (*judged, grade)))


def _redundancy(scale: Scale, length: int) -> Iterator[Case]:
    top = scale[-1:]
    for n, missed in product(range(1, length), range(3)):
        judged = top * (2 + missed) + (0,) * (n + 1)
        lists = ((0,) * n + top, (0,) * (n + 1), (0,) * (n - 1) + top * 2, (0,) * (n - 1) + (*top, 0))
        yield tuple((sign, Ranking(grades, judged)) for sign, grades in zip((1, -1, -1, 1), lists))


PROPERTIES = (
    Property(1, "Priority", "swapping a better document up raises the score", _priority),
    Property(2, "Top-weightedness", "a correct swap of neighbours raises it more higher up", _top_weightedness),
    Property(
        3, "Deepness", "one relevant on top beats n relevant after n irrelevant, from some n on", _deepness, "all beyond"
    ),
    Property(
        4, "Shallowness", "one relevant on top loses to m relevant after m irrelevant, for some m", _shallowness, "some"
    ),
    Property(5, "Confidence", "appending an irrelevant document lowers the score", _confidence),
    Property(6, "Recall", "one more relevant document outside the list lowers it", _recall),
    Property(7, "Redundancy", "a relevant document adds more where it is the first", _redundancy),
)
