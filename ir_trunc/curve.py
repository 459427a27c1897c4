"""A score at every depth of every list: the score itself and the best cut are two readings of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ir_trunc.rankings import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Curve:
    """What each list would score if it ended after d = 0, 1, ..., n documents.

    topics: Q ids. offsets: (Q + 1) into values; topic `q` has n + 1 values, the first for the empty list.
    """

    topics: tuple[str, ...]
    offsets: Ints
    values: Floats

    def own(self) -> Floats:
        """The score of every list at its own length (Q): the last value of its curve."""
        return self.values[self.offsets[1:] - 1]

    def best(self) -> tuple[Ints, Floats]:
        """The best depth and its score for every list (Q each); of several maxima the shortest list wins."""
        top: Floats = np.maximum.reduceat(self.values, self.offsets[:-1])
        lengths = np.diff(self.offsets)
        depth = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], lengths)
        reached = self.values == np.repeat(top, lengths)
        return np.minimum.reduceat(np.where(reached, depth, lengths.max()), self.offsets[:-1]), top

    def at(self, depth: npt.ArrayLike) -> Floats:
        """The score of every list cut after `depth` documents (one number, or one for each topic)."""
        at: Ints = self.offsets[:-1] + np.minimum(depth, np.diff(self.offsets) - 1)
        return self.values[at]

    def rows(self) -> Iterator[tuple[str, Floats]]:
        """Each topic with its values for d = 0..n."""
        for at, topic in enumerate(self.topics):
            yield topic, self.values[self.offsets[at] : self.offsets[at + 1]]

    def to_pandas(self) -> pd.DataFrame:
        """One row for each topic and depth: query_id, depth, value."""
        import pandas as pd

        lengths = np.diff(self.offsets)
        depth = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], lengths)
        return pd.DataFrame({"query_id": np.repeat(self.topics, lengths), "depth": depth, "value": self.values})
