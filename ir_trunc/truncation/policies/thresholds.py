"""Policies with a level that the documents have to reach: a score, or a share of the first score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import number
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc.measures.params import Number
from ir_trunc.truncation._fitting import best_levels, falling_scores, of_documents, one_measure
from ir_trunc.truncation._policy import Policy, policy, unfitted

_DIGITS = 9  # of sums of probabilities
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
    """A policy that keeps the documents whose key is at least a level, one of its parameters."""

    _level: ClassVar[str]

    def _keys(self, rankings: Rankings) -> Floats:
        """The key of every document; keys fall along each list."""
        raise NotImplementedError

    def _at(self, key: float) -> Policy:
        """The policy that keeps the documents with at least this key."""
        level: dict[str, Any] = {self._level: key}
        return replace(self, **level)

    def _lowest_key(self, level: float) -> float:
        return level

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Policy:
        """The best of all levels; of several the highest."""
        return self.learn_each(rankings, measure, [np.arange(len(rankings))], weights)[0]

    def learn_each(
        self,
        rankings: Rankings,
        measure: Any,
        sets: Sequence[Ints],
        weights: Floats | None = None,
        keep: float | None = None,
    ) -> list[Policy]:
        """The policy as it is fitted on each of several sets of lists, see `best_levels`."""
        if getattr(self, self._level, None) is not None:
            return [self] * len(sets)
        bound, keys = one_measure(measure), bounded_keys(self._keys(rankings), rankings, self)
        meant = None if self.among is None else self._meant
        levels = best_levels(keys, rankings, bound, sets, weights, keep, meant)
        return [self._at(key) for key in levels]

    def lengths(self, rankings: Rankings) -> Ints:
        """How many documents reach the level (Q)."""
        level = getattr(self, self._level)
        if level is None:
            raise unfitted(self, self._level)
        return counts_reaching(self._lowest_key(level), self._keys(rankings), rankings)


def bounded_keys(keys: Floats, rankings: Rankings, policy: Policy) -> Floats:
    """Keys for which every level gives the lengths within the bounds of a policy."""
    if not policy.is_bounded:
        return keys
    ranks = rankings.ranks
    keys = np.where(ranks <= (policy.at_least or 0), np.inf, keys)
    return np.where(ranks > policy.longest(rankings)[rankings.rows], -np.inf, keys)


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
    _level = "threshold"

    def _keys(self, rankings: Rankings) -> Floats:
        return falling_scores(rankings)


@policy(source="ours, after common practice: a threshold relative to the best score")
class ShareOfTop(LevelPolicy):
    """The documents with at least this share of their list's highest score.

    number of i with s_i / s_1 >= share

    The highest score must be above 0. `fit` chooses the best of all shares; of several the highest. Those who
    sample from language models, and retrieval frameworks after them, call this rule min-p.
    """

    share: Annotated[
        float | None, Level("lowest share of the highest score to keep; fitted where it is not given")
    ] = None
    _level = "share"

    def _keys(self, rankings: Rankings) -> Floats:
        return shares_of_top(rankings)


@policy(
    source="Holtzman, Buys, Du, Forbes & Choi, ICLR 2020, https://arxiv.org/abs/1904.09751", idempotent=False
)
class Nucleus(LevelPolicy):
    """The fewest documents with this share of a list's probability (top-p).

    number of i with P_1 + ... + P_(i-1) < p, P_i = exp(s_i / temperature) / sum_j exp(s_j / temperature)

    The rule by which language models choose the words to sample from, applied to the scores of a list. The
    scores should be logits or logarithms of probabilities; cosine similarities need a low temperature, such
    as 0.05. Sums are rounded to 9 digits. With p=0 every list is empty. `fit` chooses the best p for the
    given temperature; of several the lowest.
    """

    p: Annotated[
        float | None, Number("share of the probability to keep; fitted where it is not given", 0, 1)
    ] = None
    temperature: Annotated[float, Number("what scores are divided by", 0, math.inf, inside=True)] = 1.0
    _level = "p"

    def _keys(self, rankings: Rankings) -> Floats:
        return -of_documents(self._sums_above, rankings)

    def _sums_above(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp((scores / 2 - scores[:, :1] / 2) / self.temperature * 2)
        sums = np.cumsum(weights, axis=1)
        above: Floats = np.round((sums - weights) / sums[:, -1:], _DIGITS)
        above[:, 0] = 0
        return np.maximum.accumulate(above, axis=1)

    def _at(self, key: float) -> Policy:
        # Between this sum and the next: sums differ by 1e-9 or more.
        return replace(
            self, p=0.0 if key == math.inf else min(round(-key + 0.5 / 10**_DIGITS, _DIGITS + 1), 1.0)
        )

    def _lowest_key(self, level: float) -> float:
        return math.nextafter(-level, math.inf)
