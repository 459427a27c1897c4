"""The seven formal properties of Amigó, Mizzaro & Spina (SIGIR 2022), as comparisons over rankings.

A case is a signed sum of scores that has to be positive. Five properties hold if every one of their cases
does; their cases are made from all lists up to a length. Deepness and Shallowness ask for a depth instead.
The collection of a case holds the documents of its lists, some relevant ones that no list has, and one more
irrelevant one, all judged; the lists that are compared share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Literal

Grades = tuple[int, ...]

OUTSIDE = 2
"""How many relevant documents are at most outside the lists of a case."""


@dataclass(frozen=True)
class Ranking:
    """Grades by rank, and the grades of all judged documents, ascending, which these are among."""

    grades: Grades
    judged: Grades

    def __str__(self) -> str:
        half = len(self.grades) // 2
        shown = "".join(map(str, self.grades)) or "-"
        if len(self.grades) > 12:
            shown = f"{self.grades[0]}^{half} {self.grades[-1]}^{half}"
        relevant = [grade for grade in self.judged if grade > 0]
        if relevant and max(relevant) > 1 and len(relevant) < 10:
            return f"{shown} (relevant: {','.join(map(str, relevant))})"
        return f"{shown} (R={len(relevant)})"


Case = tuple[tuple[int, Ranking], ...]
"""Signed rankings; the sum of their scores, with these signs, has to be above 0."""

Scale = tuple[int, ...]
"""The grades from which lists are made, 0 first."""


def named(scale: Scale) -> str:
    """The grades of a scale, as messages name them."""
    return ",".join(map(str, scale))


Rule = Literal["every case", "from some n on", "for some m"]


@dataclass(frozen=True)
class Property:
    """A property of measures: its number and name, what it says, its rule, and its cases.

    The rule says by which of its cases the property is decided.

    cases: from a scale and the length of the longest lists, the smallest first; None for the two properties
    about depth, whose cases are made by `one_against_block`.
    """

    number: int
    name: str
    meaning: str
    rule: Rule
    cases: Callable[[Scale, int], Iterator[Case]] | None = None


def _outside(scale: Scale) -> Iterator[Grades]:
    for count in range(OUTSIDE + 1):
        yield from combinations_with_replacement(scale[1:], count)


def _lists(scale: Scale, length: int) -> Iterator[tuple[Grades, Grades]]:
    """All lists up to a length, each with all its collections."""
    for n in range(length + 1):
        for grades in product(scale, repeat=n):
            for missed in _outside(scale):
                yield grades, tuple(sorted((*grades, 0, *missed)))


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


def _confidence(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length - 1):
        yield _better(grades, (*grades, 0), judged)


def _recall(scale: Scale, length: int) -> Iterator[Case]:
    for grades, judged in _lists(scale, length):
        if any(grades):
            for grade in scale[1:]:
                yield (1, Ranking(grades, judged)), (-1, Ranking(grades, tuple(sorted((*judged, grade)))))


def _redundancy(scale: Scale, length: int) -> Iterator[Case]:
    for n, missed, above, below in product(range(1, length), _outside(scale), scale[1:], scale[1:]):
        judged = tuple(sorted((*(0,) * (n + 1), above, below, *missed)))
        ends = (0, below), (0, 0), (above, below), (above, 0)
        yield tuple((sign, Ranking((0,) * (n - 1) + end, judged)) for sign, end in zip((1, -1, -1, 1), ends))


def one_against_block(grade: int, n: int, times: int) -> Case:
    """One relevant document on top against n relevant ones behind n irrelevant ones.

    The collection has `times` as many of both, judged.
    """
    return _better((grade,), (0,) * n + (grade,) * n, (0,) * n * times + (grade,) * n * times)


_TOP = "a correct swap of neighbours raises it more higher up"
_ON_TOP = "one relevant on top"
_FIRST = "a relevant document adds more where it is the first"

PROPERTIES = (
    Property(1, "Priority", "swapping a better document up raises the score", "every case", _priority),
    Property(2, "Top-weightedness", _TOP, "every case", _top_weightedness),
    Property(
        3, "Deepness", f"{_ON_TOP} beats n relevant after n irrelevant, from some n on", "from some n on"
    ),
    Property(4, "Shallowness", f"{_ON_TOP} loses to m relevant after m irrelevant, for some m", "for some m"),
    Property(5, "Confidence", "appending an irrelevant document lowers the score", "every case", _confidence),
    Property(6, "Recall", "one more relevant document outside the list lowers it", "every case", _recall),
    Property(7, "Redundancy", _FIRST, "every case", _redundancy),
)
