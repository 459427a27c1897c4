"""The knee of the curve that the scores make."""

from __future__ import annotations

import numpy as np

from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc.truncation.declare import Policy, policy
from ir_trunc.truncation.fitting import from_0_to_1, lists_of_scores

SATOPAA = "Satopää, Albrecht, Irwin & Raghavan, ICDCS Workshops 2011, https://doi.org/10.1109/ICDCSW.2011.20"


@policy(source=SATOPAA, idempotent=False)
class Knee(Policy):
    """The documents above the knee of the scores, where they stop falling steeply.

    i - 1 with the lowest i that is furthest below the straight line from s_1 to s_n: that has the highest
    (n - i) / (n - 1) - (s_i - s_n) / (s_1 - s_n); n where no score is below that line

    Scores that fall along a straight line, or slowly at first, have no knee: such a list stays whole.
    """

    def cut(self, rankings: Rankings) -> Ints:
        """The rank above the knee (Q)."""
        return np.array([_above_knee(scores) for scores in lists_of_scores(rankings)], np.int64)


def _above_knee(scores: Floats) -> int:
    n = len(scores)
    height = from_0_to_1(scores)
    if n < _FEWEST or height[0] == 0:  # the scores are all equal
        return n
    below: Floats = np.arange(n - 1, -1, -1) / (n - 1) - height
    below[0] = below[-1] = 0.0
    furthest = below.max()
    return int((below >= furthest * (1 - _SAME)).argmax()) if furthest > _SAME else n


_FEWEST = 3  # documents: two make a straight line
_SAME = 1e-9  # in spite of rounding a straight line is one, and of two equal distances the first is taken
