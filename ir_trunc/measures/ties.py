"""Documents of equal grades and those of higher grades, in the judgments and in a list down to each hit.

The work grows with the documents, however many grades there are: unlike usual judgments, a scale of clicks or
of prices may have as many grades as documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_trunc._core.rankings import Floats, Ints, Judgments, offsets_of
from ir_trunc.measures.lists import Lists


@dataclass(frozen=True, eq=False)
class Ties:
    """The relevant documents of every query in groups of the same grade, best first.

    row, grade, size, better: of every group; better: relevant documents of its query that have a higher
    grade. R: relevant documents of every query. keys: of every group, ascending, and a last one that no
    document has; starts: how many relevant documents have a lower key. levels: the positive grades of the
    scale.
    """

    row: Ints
    grade: Ints
    size: Ints
    better: Ints
    R: Ints
    keys: Ints
    starts: Ints
    levels: Ints

    @classmethod
    def of(cls, judgments: Judgments) -> Ties:
        """The groups of some judgments."""
        relevant = judgments.grades > 0
        row, grade, levels = judgments.rows[relevant], judgments.grades[relevant], judgments.levels
        keys = _keys(row, np.searchsorted(levels, grade), levels)
        R = np.bincount(row, minlength=len(judgments.topics))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        row, grade, keys = row[firsts], grade[firsts], np.append(keys[firsts], _LAST)
        starts = np.append(firsts, [R.sum()] * 2)
        return cls(row, grade, np.diff(starts)[:-1], firsts - offsets_of(R)[row], R, keys, starts, levels)

    def around(self, row: Ints, level: Ints) -> tuple[Ints, Ints]:
        """How many judged documents are better than documents of these queries and levels, or as good.

        level: the place of a positive grade among `levels`.
        """
        key = _keys(row, level, self.levels)
        at = np.searchsorted(self.keys, key)
        size = (self.starts[at + 1] - self.starts[at]) * (self.keys[at] == key)
        return self.starts[at] - offsets_of(self.R)[row], size

    def sum(self, of_group: Floats) -> Floats:
        """The sum over the groups of every query, the worst grade first."""
        sums = np.bincount(self.row[::-1], of_group[::-1], minlength=len(self.R))
        return sums.astype(np.float64, copy=False)


_LAST = np.iinfo(np.int64).max


def _keys(row: Ints, level: Ints, levels: Ints) -> Ints:
    """One number for each query and grade, ascending by query and, inside a query, from the best grade."""
    return row * len(levels) + (len(levels) - 1 - level)


def ties(judgments: Judgments) -> Ties:
    """The groups of some judgments."""
    found: Ties = judgments.known.get(Ties) or Ties.of(judgments)
    judgments.known[Ties] = found
    return found


@dataclass(frozen=True, eq=False)
class Standing:
    """How each relevant hit stands by its grade; 0 for the other hits.

    better, as_good: documents of a higher grade, and those of the same grade or a higher one (itself
    included), down to its rank. better_in_all, as_good_in_all: in all judgments.
    """

    better: Ints
    as_good: Ints
    better_in_all: Ints
    as_good_in_all: Ints


def standing(lists: Lists) -> Standing:
    """How each relevant hit stands by its grade."""
    at = np.flatnonzero(lists.grade > 0)
    row, level = lists.row[at], np.searchsorted(lists.judgments.levels, lists.grade[at])
    better_above, same_above = _above(level, row, len(lists.lengths))
    better_in_all, same_in_all = ties(lists.judgments).around(row, level)
    result = np.zeros((4, len(lists.row)), dtype=np.int64)
    result[:, at] = better_above, better_above + same_above + 1, better_in_all, better_in_all + same_in_all
    return Standing(*result)


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
