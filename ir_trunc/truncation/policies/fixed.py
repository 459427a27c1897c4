"""One length for all lists, given or fitted."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc.measures.params import Whole
from ir_trunc.truncation._fitting import best_level
from ir_trunc.truncation._policy import Policy, policy, unfitted

__all__ = ["Fixed", "Greedy"]

_BAHRI_2020 = "Bahri, Tay, Zheng, Metzler & Tomkins, SIGIR 2020, https://doi.org/10.1145/3397271.3401188"


@policy(source=_BAHRI_2020)
class Fixed(Policy):
    """The first k documents.

    min(k, n)
    """

    k: Annotated[int, Whole("documents to keep", low=0)]

    def cut(self, rankings: Rankings) -> Ints:
        """k, or the whole of a shorter list (Q)."""
        return np.minimum(rankings.lengths, self.k)


@policy(source=_BAHRI_2020)
class Greedy(Policy):
    """The first k documents, for the k that is best on the training topics.

    min(k, n) with the k for which the measure's mean over the training topics is highest

    `fit` returns `Fixed(k)`; of several best k the lowest.
    """

    def fit(self, rankings: Rankings, measure: Any) -> Fixed:
        """The best fixed k; of several the lowest."""
        level = best_level(lambda lists: -lists.ranks.astype(np.float64), rankings, measure)
        return Fixed(0 if level == np.inf else int(-level))

    def cut(self, rankings: Rankings) -> Ints:
        """ParameterError: the best k has to be fitted first."""
        raise unfitted(self, "k")
