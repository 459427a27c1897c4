"""Ranked lists as a formula sees them, so that one formula gives both the score and the whole curve.

A formula computes with three kinds of arrays. One value for every HIT, that is every judged document of the
lists (`row`, `rank`, `grade`); one value for every QUERY; and one value for every POINT where a list may end.
`Lists` has one point for each list, its own end; `Depths` has the n + 1 points d = 0..n of each list. `sum`
leads from hits to points and `spread` from queries to points; `n` is the length of the list that ends at a
point. All else is plain arithmetic.

Unjudged documents have gain 0, so that a sum over hits is the sum over the list, and it has the same bits:
adding 0.0 changes none. Every sum runs along one list alone, from the top: a score cannot depend on its
batch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints, offsets_of, sizes_of
from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import cached_property, npt

if TYPE_CHECKING:
    from ir_trunc._core.rankings import Rankings

__all__ = ["Depths", "EveryDocument", "Lists"]

T = TypeVar("T", bound=np.generic)

# Cells of one padded block in `running`: small enough for a processor's cache.
_BLOCK = 1 << 14
_FEW = 16  # rows that are cumulated faster one by one


def running(
    x: npt.ArrayLike, offsets: Ints, accumulate: Callable[..., Floats] = np.add.accumulate, gap: int = 0
) -> Floats:
    """Cumulative sums (or products) inside every row of a flat array. gap: how many 0s come before each."""
    # One cumulative sum over the whole array would drift, and a row's bits would depend on those before it.
    # Rows are laid side by side in padded blocks instead, and each is cumulated by itself.
    flat = np.asarray(x, dtype=np.float64)
    lengths = sizes_of(offsets)
    result = np.zeros(len(flat) + gap * len(lengths))
    if len(lengths) <= _FEW:
        for row, (start, stop) in enumerate(pairwise(offsets.tolist()), 1):
            accumulate(flat[start:stop], out=result[start + gap * row : stop + gap * row])
        return result
    step = max(1, _BLOCK // max(1, int(lengths.max(initial=0))))
    for first in range(0, len(lengths), step):
        here = lengths[first : first + step]
        start, stop = offsets[first], offsets[first + len(here)]
        filled = np.arange(here.max() + gap) < here[:, None] + gap
        block = np.zeros(filled.shape)
        inside = block[:, gap:]
        inside[filled[:, gap:]] = flat[start:stop]
        inside[:] = accumulate(inside, axis=1)
        result[start + gap * first : stop + gap * (first + len(here))] = block[filled]
    return result


def above(x: npt.ArrayLike, offsets: Ints, accumulate: Callable[..., Floats], first: float) -> Floats:
    """The cumulative sum (or product) of what is above each value in its row; `first` where there is none."""
    shifted = np.append(first, running(x, offsets, accumulate))
    shifted[offsets[:-1]] = first
    return shifted[:-1]


def from_nothing(x: npt.ArrayLike, offsets: Ints) -> tuple[Floats, Ints]:
    """Cumulative sums inside every row, each of which begins with the 0 of the empty list; their starts."""
    return running(x, offsets, gap=1), offsets[:-1] + np.arange(len(offsets) - 1)


def read_only(table: Floats) -> Floats:
    """A table that stays for further calls, so that nothing may change it."""
    table.flags.writeable = False
    return table


@lru_cache(maxsize=4)
def _ranks(size: int) -> Floats:
    return read_only(np.arange(size, dtype=np.float64))


class Lists:
    """Every list up to its own end: a point is a list (Q points).

    Attributes
    ----------
    row, rank : array
        Query and rank of every hit.
    raw_grade : array
        Grade of every hit.
    lengths, offsets : array
        Length of every list, and where its hits begin among all hits.
    k : int or None
        The cutoff.
    n : array
        Length of the list that ends at each point.
    ranks : array
        0, 1, 2, ... as far as any list, ideal list or terminal document reaches.
    gains : array or None
        The gains of hits that a formula took last.
    """

    gains: Floats | None = None

    def __init__(self, rankings: Rankings, cutoff: int | None = None, judged_only: bool = False):
        if judged_only:
            rankings = rankings.condensed()
        longest = int(rankings.lengths.max(initial=0))
        shown = rankings
        if cutoff is not None and longest > cutoff:
            shown, longest = rankings._cut(cutoff), cutoff
        self.rankings = shown
        self.judgments = shown.judgments
        self.first_scores = shown.first_scores
        self.overlaps = shown.overlaps
        self.costs = None if shown.costs is None else shown.costs[shown.places]
        self.lengths = shown.lengths
        self.offsets = shown.judged_offsets
        self.row = shown.judged_rows
        self.rank = shown.judged_ranks
        self.raw_grade = shown.judged_grades
        self.k = cutoff
        self.n: Ints = shown.lengths
        longest = max(longest, self.judgments.most_judged)
        # A multiple of 1024: vectorised functions may compute the rest of a block with other last bits.
        self.ranks = _ranks((longest + 2 + 1023) // 1024 * 1024)

    def with_cutoff(self, cutoff: int | None) -> Lists:
        """The same lists with another cutoff that cuts none of them."""
        lists = object.__new__(type(self))
        vars(lists).update(vars(self), k=cutoff)
        vars(lists).pop("nothing", None)  # which has the cutoff, too
        return lists

    @cached_property
    def grade(self) -> Ints:
        """Grade of every hit, 0 instead of a negative one."""
        return np.maximum(self.raw_grade, 0)

    @property
    def stopped(self) -> Bools | bool:
        """Whether the system ended the list at this point; a list that fills the cutoff may go on."""
        return True if self.k is None else self._reached(self.n, self.rankings) < self.k

    def _reached(self, n: Ints, rankings: Rankings) -> Ints:
        """Documents of these lists at every point, those that left a whole list included."""
        left = rankings.withheld
        return n if left is None else np.where(n == self.spread(rankings.lengths), n + self.spread(left), n)

    def depth_of_ideal(self, ended: Ints) -> Ints:
        """The depth of the ideal list: `ended` where the system ended the list, k where it filled the cutoff.

        k counts documents that left the list: the divisor is that of the stock measure at k.
        """
        return ended if self.k is None else np.where(self.stopped, ended, self.k)

    @cached_property
    def silence(self) -> tuple[Ints, Ints]:
        """The points with the empty list for a query that NIL answers, and the query of each."""
        query = self.spread(np.arange(len(self.lengths)))
        by_nil = self.judgments.by_nil
        answers = np.zeros(len(query), dtype=bool) if by_nil is None else by_nil[query]
        points = np.flatnonzero((self.n == 0) & answers)
        return points, query[points]

    @cached_property
    def nothing(self) -> Lists:
        """The empty list for every query, of which NIL answers none."""
        zeros = np.zeros(len(self.lengths), dtype=np.int64)
        none = zeros[:0]
        first = None if self.first_scores is None else np.full(len(zeros), -np.inf)
        offsets = np.zeros(len(zeros) + 1, dtype=np.int64)
        rankings = type(self.rankings)  # its module is not imported here: declarations do not need it
        empty = rankings(self.judgments.without_nil(), zeros, offsets, none, none, zeros, first_scores=first)
        return Lists(empty, self.k)

    def to_depth(self, cutoff: int | None) -> tuple[Lists, Ints]:
        """These lists with another cutoff, and for each point the point there at which the list ends."""
        return Lists(self.rankings, cutoff), np.arange(len(self.lengths))

    # from hits to hits

    def running(self, x: npt.ArrayLike, accumulate: Callable[..., Floats] = np.add.accumulate) -> Floats:
        """The sum over a hit and all hits above it."""
        return running(x, self.offsets, accumulate)

    def above(self, x: npt.ArrayLike, accumulate: Callable[..., Floats], first: float) -> Floats:
        """The sum over all hits above a hit; `first` where there is none."""
        return above(x, self.offsets, accumulate, first)

    # from hits, queries and ranks to points

    def sum(self, x: npt.ArrayLike) -> Floats:
        """The sum over all hits of the list that ends at a point."""
        sums = np.bincount(self.row, x, len(self.lengths))
        return sums.astype(np.float64, copy=False)  # of no hits, bincount makes integers

    def spread(self, x: npt.NDArray[T]) -> npt.NDArray[T]:
        """Each query's value at each of its points."""
        return x

    def own(self, x: npt.NDArray[T]) -> npt.NDArray[T]:
        """The value at each list's own end (from points to queries)."""
        return x

    def prefix(self, table: Floats) -> Floats:
        """The sum of a table's values for the ranks 1..n."""
        sums: Floats = np.cumsum(np.where(self.ranks == 0, 0.0, table))
        return sums[self.n]

    # tables

    def table(self, function: Callable[[Floats], Floats]) -> Floats:
        """The values of a function of the rank, for every rank."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return function(self.ranks)

    def known(self) -> Ints:
        """Documents known for each query: the list's own and the judged ones outside it."""
        return self.lengths + np.diff(self.judgments.offsets) - np.diff(self.offsets)

    def collection(self, size: int) -> int:
        """The collection size D, which cannot be smaller than the documents known."""
        known = self.known()
        if known.max(initial=0) > size:
            larger = f"the {known.max()} documents known for topic {self.judgments.topics[known.argmax()]}"
            raise ParameterError(f"D={size} is smaller than {larger}: give the size of the whole collection.")
        return size


class Depths(Lists):
    """Every list up to every depth: a point is a list and a depth d = 0..n (sum of n + 1 points)."""

    def __init__(self, rankings: Rankings, cutoff: int | None = None, judged_only: bool = False):
        rankings = rankings.without_negative() if judged_only else rankings
        if judged_only and cutoff is not None:  # the judged document at rank k is the last that counts
            last = rankings.judged_offsets[:-1] + cutoff - 1
            depths, filled = rankings.lengths.copy(), last < rankings.judged_offsets[1:]
            depths[filled] = rankings.judged_ranks[last[filled]]
            rankings = rankings._cut(depths)
        super().__init__(rankings, cutoff, judged_only)
        self.whole = whole = rankings if judged_only else self.rankings
        sizes = whole.lengths + 1
        self.ends = np.cumsum(sizes)
        self._sizes = sizes
        self.n = np.arange(sizes.sum()) - np.repeat(self.ends - sizes, sizes)
        self._depth, self._judged_only = self.n, judged_only
        # A sum stays the same from one hit to the next: each list has a level before its first hit, and one
        # more per hit.
        self._at_hit = np.arange(len(self.row)) + self.row + 1
        starts = self.ends - sizes
        rises = np.zeros(len(self.n), dtype=np.int64)
        rises[starts[1:]] = 1
        rises[starts[self.row] + whole.judged_ranks] = 1
        self._level = np.cumsum(rises)
        if judged_only:
            self.n = self._level - self.spread(self.offsets[:-1] + np.arange(len(self.lengths)))

    @property
    def stopped(self) -> Bools | bool:
        return True if self.k is None else self._reached(self._depth, self.whole) < self.k

    def to_depth(self, cutoff: int | None) -> tuple[Lists, Ints]:
        view = Depths(self.whole, cutoff, self._judged_only)
        depth = np.minimum(self._depth, self.spread(view.whole.lengths))
        at: Ints = self.spread(view.ends - view._sizes) + depth
        return view, at

    def sum(self, x: npt.ArrayLike) -> Floats:
        levels = np.zeros(len(self.row) + len(self.lengths))
        levels[self._at_hit] = self.running(x)
        return levels[self._level]

    def spread(self, x: npt.NDArray[T]) -> npt.NDArray[T]:
        return np.repeat(x, self._sizes)

    def own(self, x: npt.NDArray[T]) -> npt.NDArray[T]:
        return x[self.ends - 1]


class EveryDocument:
    """The documents of all lists, one list after the other, down to the cutoff.

    Attributes
    ----------
    first : array
        Where each list begins, and the end of the last (Q + 1).
    row, rank : array
        Query and rank of every document.
    at_hits : array
        The position of each hit among the documents.
    """

    def __init__(self, lists: Lists):
        self.lists = lists
        self.first = offsets_of(lists.lengths)
        self.row: Ints = np.repeat(np.arange(len(lists.lengths)), lists.lengths)
        self.rank: Ints = np.arange(self.first[-1]) - self.first[self.row] + 1
        self.at_hits: Ints = self.first[lists.row] + lists.rank - 1

    def costs(self, cost: float) -> Floats:
        """The cost of reading each document: the run's own costs, or the same for all."""
        return np.full(len(self.row), cost) if self.lists.costs is None else self.lists.costs

    def of_hits(self, x: Floats) -> Floats:
        """The values of the hits; 0 for the documents that are not judged."""
        values = np.zeros(len(self.row))
        values[self.at_hits] = x
        return values

    def running(self, x: Floats, accumulate: Callable[..., Floats] = np.add.accumulate) -> Floats:
        """The sum over a document and all above it."""
        return running(x, self.first, accumulate)

    def above(self, x: Floats, accumulate: Callable[..., Floats], first: float) -> Floats:
        """The sum over the documents above only; `first` for the top of the list."""
        return above(x, self.first, accumulate, first)

    def sum(self, x: Floats) -> Floats:
        """The sum over the list that ends at a point."""
        sums, starts = from_nothing(x, self.first)
        result: Floats = sums[self.lists.spread(starts) + self.lists.n]
        return result
