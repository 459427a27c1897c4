"""Policies with a level that the documents have to reach: a score, or a share of the first score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import number
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc.truncation._fitting import best_levels, falling_scores
from ir_trunc.truncation._policy import Policy, policy, unfitted

__all__ = ["ScoreThreshold", "ShareOfTop"]

ARAMPATZIS_2009 = "Arampatzis, Kamps & Robertson, SIGIR 2009, https://doi.org/10.1145/1571941.1572031"


@dataclass(frozen=True)
class Level:
    """A finite number, or infinity, which nothing reaches."""

    meaning: str
    allowed: str = "a finite number, or inf, which ends every list before its first document"

    def clean(self, name: str, value: Any) -> float:
        """The number as a float."""
        infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
        return float(value) if infinite else number(name, value)


class LevelPolicy(Policy):
    """A policy that keeps the documents whose key is at least a level, which is its one parameter."""

    @staticmethod
    def _keys(rankings: Rankings, /) -> Floats:
        """The key of every document; keys fall along each list."""
        raise NotImplementedError

    def _at(self, level: float) -> Policy:
        """The policy with this level."""
        return type(self)(level)  # type: ignore[call-arg]

    def fit(self, rankings: Rankings, measure: Any) -> Policy:
        """The best of all levels; of several the highest."""
        return self.fit_each(rankings, measure, [np.arange(len(rankings))])[0]

    def fit_each(self, rankings: Rankings, measure: Any, sets: Sequence[Ints]) -> list[Policy]:
        """The policy as it is fitted on each of several sets of lists, which are given by their positions."""
        if vars(self) and None not in vars(self).values():
            return [self] * len(sets)
        return [self._at(level) for level in best_levels(self._keys, rankings, measure, sets)]

    def cut(self, rankings: Rankings) -> Ints:
        """How many documents reach the level (Q)."""
        ((name, level),) = vars(self).items()
        if level is None:
            raise unfitted(self, name)
        return counts_reaching(level, self._keys(rankings), rankings)


def shares_of_top(rankings: Rankings) -> Floats:
    """Each score as a share of its list's highest, which must be above 0."""
    scores, filled = falling_scores(rankings), rankings.lengths > 0
    top = np.ones(len(rankings))
    top[filled] = scores[offsets_of(rankings.lengths)[:-1][filled]]
    if (top <= 0).any():
        place = int((top <= 0).argmax())
        raise InputError(
            f"ShareOfTop needs scores above 0: topic {rankings.topics[place]} has {top[place]:g} for its"
            " first document. ScoreThreshold and LargestGap take any."
        )
    return scores / top[rankings.rows]


def counts_reaching(level: float, key: Floats, rankings: Rankings) -> Ints:
    """How many documents of each list have a key of at least this level (Q)."""
    if len(rankings) == 1:  # a live list should be cut in microseconds
        return np.array([np.count_nonzero(key >= level)])
    return np.bincount(rankings.rows[key >= level], minlength=len(rankings))


@policy(source=ARAMPATZIS_2009)
class ScoreThreshold(LevelPolicy):
    """The documents with at least this score.

    number of i with s_i >= threshold

    `fit` chooses the best of all thresholds; of several the highest. The paper models the distribution of the
    scores; here every threshold that makes a difference is tried.
    """

    threshold: Annotated[float | None, Level("lowest score to keep; fitted where it is not given")] = None
    _keys = staticmethod(falling_scores)


@policy(source="common practice: a threshold relative to the best score")
class ShareOfTop(LevelPolicy):
    """The documents with at least this share of their list's highest score.

    number of i with s_i / s_1 >= share

    The highest score must be above 0. `fit` chooses the best of all shares; of several the highest.
    """

    share: Annotated[
        float | None, Level("lowest share of the highest score to keep; fitted where it is not given")
    ] = None
    _keys = staticmethod(shares_of_top)
