"""Every document of the lists, judged or not: for what depends on ranks at which nobody has judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ir_trunc._core.rankings import Floats, Ints, offsets_of
from ir_trunc.measures.lists import Lists, above, from_nothing, running


@dataclass(frozen=True, eq=False)
class EveryDocument:
    """The documents of all lists, one list after the other.

    first: where each list begins, and the end of the last (Q + 1). row, rank: of every document.
    """

    lists: Lists
    first: Ints
    row: Ints
    rank: Ints

    @classmethod
    def of(cls, lists: Lists) -> EveryDocument:
        """Those of the lists that are looked at."""
        first = offsets_of(lists.lengths)
        row = np.repeat(np.arange(len(lists.lengths)), lists.lengths)
        return cls(lists, first, row, np.arange(first[-1]) - first[row] + 1)

    def costs(self, cost: float) -> Floats:
        """What reading each of them costs: the run's own costs, or the same for all."""
        return np.full(len(self.row), cost) if self.lists.costs is None else self.lists.costs

    def of_hits(self, x: Floats) -> Floats:
        """The values of the hits; 0 for the documents that are not judged."""
        found = np.zeros(len(self.row))
        found[self.at_hits] = x
        return found

    @property
    def at_hits(self) -> Ints:
        """Where the hits stand."""
        return self.first[self.lists.row] + self.lists.rank - 1

    def running(self, x: Floats, accumulate: Callable[..., Floats] = np.add.accumulate) -> Floats:
        """The sum over a document and all above it."""
        return running(x, self.first, accumulate)

    def above(self, x: Floats, accumulate: Callable[..., Floats], first: float) -> Floats:
        """The sum over the documents above only; `first` for the top of the list."""
        return above(x, self.first, accumulate, first)

    def sum(self, x: Floats) -> Floats:
        """The sum over the list that ends at a point."""
        at = self.lists.spread(self.first[:-1] + np.arange(len(self.first) - 1)) + self.lists.n
        result: Floats = from_nothing(x, self.first)[at]
        return result
