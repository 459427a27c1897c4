"""Standing: how documents stand to each other by their grades, in a list and among all that is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ir_trunc._core.arrays import Floats, Ints, offsets_of
from ir_trunc.measures.lists import Lists

if TYPE_CHECKING:
    from ir_trunc._core.rankings import Judgments


@dataclass(frozen=True)
class GradeGroups:
    """The relevant documents of every query in groups of the same grade, best first."""

    row: Ints  # of every group, its query
    grade: Ints
    size: Ints
    better: Ints  # of every group, the number of relevant documents of a higher grade
    R: Ints  # relevant documents of every query
    levels: Ints  # positive grades of the scale
    keys: Ints  # of every relevant document, ascending

    def around(self, row: Ints, grade: Ints) -> tuple[Ints, Ints]:
        """How many judged documents of a query are better than a positive grade, and how many have it."""
        key = _keys(row, grade, self.levels)
        first, end = (np.searchsorted(self.keys, key, side) for side in ("left", "right"))
        return first - offsets_of(self.R)[row], end - first

    def sum(self, of_group: Floats) -> Floats:
        """The sum over the groups of every query, the worst grade first."""
        sums = np.bincount(self.row[::-1], of_group[::-1], minlength=len(self.R))
        return sums.astype(np.float64, copy=False)


def _keys(row: Ints, grade: Ints, levels: Ints) -> Ints:
    """One number for each query and grade, ascending by query and, inside a query, from the best grade."""
    keys: Ints = (row + 1) * len(levels) - 1 - np.searchsorted(levels, grade)
    return keys


def grade_groups(judgments: Judgments) -> GradeGroups:
    """The groups of some judgments; computed once for them."""
    groups: GradeGroups | None = judgments.computed.get(GradeGroups)
    if groups is None:
        relevant = judgments.grades > 0
        row, grade, levels = judgments.rows[relevant], judgments.grades[relevant], judgments.levels
        keys = _keys(row, grade, levels)
        R = np.bincount(row, minlength=len(judgments.topics))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        size, better = np.diff(firsts, append=len(keys)), firsts - offsets_of(R)[row[firsts]]
        groups = GradeGroups(row[firsts], grade[firsts], size, better, R, levels, keys)
        judgments.computed[GradeGroups] = groups
    return groups


@dataclass(frozen=True)
class Standing:
    """How the relevant hits stand by their grades."""

    at: Ints  # which hits these are; the other fields have a value for each of them
    better: Ints  # documents of a higher grade down to its rank
    as_good: Ints  # those of the same or a higher grade, with itself
    better_in_all: Ints  # in all judgments
    as_good_in_all: Ints
    R: Ints  # relevant documents of every query


def standing(lists: Lists, sign: int = 1) -> Standing:
    """How the relevant hits stand by their grades; with sign=-1 the harmful ones, the most harmful first."""
    judgments, grades = lists.judgments, sign * lists.raw_grade
    if sign < 0:
        judgments = judgments.from_rows(judgments.topics, judgments.rows, -judgments.grades)
    at = np.flatnonzero(grades > 0)
    row, grade, groups = lists.row[at], grades[at], grade_groups(judgments)
    better, same = _above(np.searchsorted(groups.levels, grade), row, len(lists.lengths))
    better_in_all, same_in_all = groups.around(row, grade)
    return Standing(at, better, better + same + 1, better_in_all, better_in_all + same_in_all, groups.R)


def _above(values: Ints, row: Ints, rows: int) -> tuple[Ints, Ints]:
    """For each value >= 0, how many above it in its row are greater, and how many are the same.

    Bit by bit from the highest: values whose higher bits are the same form a group, in which they keep their
    order; those with bit 1 are greater than those with bit 0, and then go their own way.
    """
    limits = offsets_of(np.bincount(row, minlength=rows))
    start, end, place = limits[row], limits[row + 1], np.arange(len(values))  # of its group, and its own
    greater = np.zeros(len(values), dtype=np.int64)
    for bit in reversed(range(int(values.max(initial=0)).bit_length())):
        zero = (values >> bit) & 1 == 0
        zeros = np.empty_like(zero)
        zeros[place] = zero
        count = offsets_of(zeros)
        zeros_above = count[place] - count[start]
        ones_above = place - start - zeros_above
        split = start + count[end] - count[start]
        greater += np.where(zero, ones_above, 0)
        place = np.where(zero, start + zeros_above, split + ones_above)
        start, end = np.where(zero, start, split), np.where(zero, split, end)
    return greater, place - start
