"""The shape of a list's scores: gaps between neighbours, and the knee of their curve."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc.measures.params import Number, Whole
from ir_trunc.truncation._fitting import from_0_to_1, of_lists
from ir_trunc.truncation._policy import Policy, policy

_TAGUCHI_2025 = "Taguchi, Maekawa & Bhutani, EMNLP 2025, https://doi.org/10.18653/v1/2025.emnlp-main.1017"


@policy(source=_TAGUCHI_2025, idempotent=False)
class LargestGap(Policy):
    """The documents above the largest gap between neighbouring scores.

    the lowest i < n with the highest s_i - s_(i+1); n where all scores are equal

    The shortened list has a largest gap of its own, so that cutting it again shortens it further.
    """

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the gap (Q)."""
        return of_lists(lambda scores: _above_largest_gap(scores, 1.0), rankings)


@policy(source=_TAGUCHI_2025, idempotent=False)
class AdaptiveK(Policy):
    """The documents above the largest of the upper gaps, and a few more.

    min(n, buffer + i) with the lowest i <= n - 1 - floor((1 - share) (n - 1)) that has the highest
    s_i - s_(i+1); n where these are all 0

    The defaults are those of the paper. With share=1 and buffer=0 it is `LargestGap`.
    """

    share: Annotated[float, Number("share of the gaps, from the top, among which the largest is", 0, 1)] = 0.9
    buffer: Annotated[int, Whole("documents to keep below the gap", low=0)] = 5

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the gap, and `buffer` more (Q)."""
        return of_lists(
            lambda scores: np.minimum(scores.shape[1], self.buffer + _above_largest_gap(scores, self.share)),
            rankings,
        )


_SLACK = 1e-9  # 0.1 of 10 gaps is one gap, though (1 - 0.9) * 10 is a little less


def _above_largest_gap(scores: Floats, share: float) -> Ints:
    """The rank above the largest gap in this share of the gaps, from the top; n if these gaps are all 0."""
    n = scores.shape[1]
    count = n - 1 - math.floor((1 - share) * (n - 1) + _SLACK)
    if count < 1:
        return np.full(len(scores), n)
    with np.errstate(over="ignore"):
        gaps = scores[:, :count] - scores[:, 1 : count + 1]
    ranks: Ints = np.where(gaps.max(axis=1) > 0, gaps.argmax(axis=1) + 1, n)
    return ranks


@policy(
    source="Satopää, Albrecht, Irwin & Raghavan, ICDCS Workshops 2011, https://doi.org/10.1109/ICDCSW.2011.20",
    idempotent=False,
)
class Knee(Policy):
    """The documents above the knee of the scores, where they stop falling steeply.

    i - 1 with the lowest i that is furthest below the straight line from s_1 to s_n: that has the highest
    (n - i) / (n - 1) - (s_i - s_n) / (s_1 - s_n); n where no score is below that line

    Scores that fall along a straight line, or slowly at first, have no knee: such a list stays whole.
    """

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the knee (Q)."""
        return of_lists(_above_knee, rankings)


_FEWEST_DOCUMENTS = 3  # two make a straight line
_SAME_DISTANCE = 1e-9  # smaller differences are rounding: a straight line has no knee


def _above_knee(scores: Floats) -> Ints:
    n = scores.shape[1]
    if n < _FEWEST_DOCUMENTS:
        return np.full(len(scores), n)
    below = np.arange(n - 1, -1, -1) / (n - 1) - from_0_to_1(scores)
    below[:, 0] = below[:, -1] = 0.0
    furthest = below.max(axis=1, keepdims=True)
    has_knee = (furthest[:, 0] > _SAME_DISTANCE) & (scores[:, 0] > scores[:, -1])
    ranks: Ints = np.where(has_knee, (below >= furthest * (1 - _SAME_DISTANCE)).argmax(axis=1), n)
    return ranks
