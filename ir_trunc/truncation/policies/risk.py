"""Conformal risk control: the expected loss on a new topic is at most a given level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, nearest, shown
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc.measures.lists import running
from ir_trunc.measures.params import Choice, Number
from ir_trunc.truncation._fitting import curve_of, falling_scores, one_measure, sums_at_levels
from ir_trunc.truncation._policy import Policy, policy, unfitted
from ir_trunc.truncation.policies.thresholds import Level, counts_reaching, shares_of_top

__all__ = ["RiskControlled"]

_KEYS = {"score": falling_scores, "share": shares_of_top}
_SLACK = 1e-12


@dataclass(frozen=True)
class Risk:
    """A loss from 0 to 1 for each list: a word, or a measure whose shortfall it is."""

    meaning: str
    allowed: str = "'missed', 'false_answer', or a measure from 0 to 1 that scores each list by itself"

    def clean(self, name: str, value: Any) -> str:
        """The word, or the measure as text."""
        if isinstance(value, str) and value in _LOSSES:
            return value
        try:
            bound = one_measure(value)
        except ValueError as error:
            needed = f"{self.allowed} is needed ({error}).{nearest(value, _LOSSES)}"
            raise ParameterError(f"{name}={shown(value)}: {needed}") from None
        low, high = bound.range
        if bound.definition.scope == "run" or low < 0 or high > 1:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        return str(value)


@policy(source="Angelopoulos, Bates, Fisch, Lei & Schuster, ICLR 2024, https://arxiv.org/abs/2208.02814")
class RiskControlled(Policy):
    """The fewest documents that keep a promised risk.

    number of i with s_i >= level (by='share': s_i / s_1 >= level); for n calibration topics the level is
    chosen so that (sum of their losses + 1) / (n + 1) <= alpha

    risk='missed': the share of the relevant documents that are not kept, 0 if there are none.
    risk='false_answer': 1 if something is kept though nothing is relevant. risk=a measure, such as one of
    recall or success: 1 less its score. The guarantee: on a new topic, drawn as the calibration topics were,
    the expected loss is at most alpha. Of the levels with this guarantee `fit` chooses the one with the
    shortest lists, for 'false_answer' the one with the longest. A loss that can rise as a list grows counts
    as the highest from there on, which keeps the guarantee. `fit` uses `risk` and ignores the measure. It
    raises InputError if there are too few topics for the guarantee (fewer than 1 / alpha - 1), or if even
    whole lists lose more.
    """

    risk: Annotated[str, Risk("the loss: 'missed', 'false_answer', or a measure from 0 to 1")]
    alpha: Annotated[float, Number("highest expected loss", 0, 1, inside=True)]
    by: Annotated[str, Choice("what the level is of", ("score", "share"))] = "score"
    level: Annotated[
        float | None, Level("lowest score or share to keep; calibrated where it is not given")
    ] = None

    def fit(self, rankings: Rankings, measure: Any = None) -> RiskControlled:
        """The policy with the level that has the guarantee; InputError if none has."""
        if self.level is not None:
            return self
        key, n = _KEYS[self.by](rankings), len(rankings)
        if 1 / (n + 1) > self.alpha:
            raise InputError(
                f"{self}: {n} topics are too few for this promise; at least {math.ceil(1 / self.alpha) - 1}"
                " are needed to calibrate it."
            )
        loss, shorter_is_safe = _loss(self.risk, rankings)
        offsets = offsets_of(rankings.lengths + 1)
        if shorter_is_safe:
            worst = running(loss, offsets, np.maximum.accumulate)
        else:
            worst = running(loss[::-1], offsets_of(rankings.lengths[::-1] + 1), np.maximum.accumulate)[::-1]
        levels, sums = sums_at_levels(key, worst[None, :], offsets)
        safe = np.flatnonzero((sums[0] + 1) / (n + 1) <= self.alpha + _SLACK)
        if not len(safe):
            least = sums[0].min() / n
            raise InputError(
                f"{self}: no level keeps this promise; even whole lists lose {least:.3f} on average over {n}"
                " topics. Retrieve more, or allow a higher alpha."
            )
        return RiskControlled(
            self.risk, self.alpha, self.by, float(levels[safe[-1 if shorter_is_safe else 0]])
        )

    def cut(self, rankings: Rankings) -> Ints:
        """How many documents reach the level (Q)."""
        key = _KEYS[self.by](rankings)
        if self.level is None:
            raise unfitted(self, "level")
        return counts_reaching(self.level, key, rankings)


def _loss(risk: str, rankings: Rankings) -> tuple[Floats, bool]:
    """The loss of every list after d = 0, 1, ..., n documents, and whether shorter lists lose less."""
    if risk in _LOSSES:
        return _LOSSES[risk](rankings)
    curve = curve_of(risk, rankings)
    lengths = rankings.lengths + 1
    depth = np.arange(lengths.sum()) - np.repeat(offsets_of(lengths)[:-1], lengths)
    last = np.repeat(np.diff(curve.offsets) - 1, lengths)  # a cutoff may end the curve before the list
    return 1 - curve.values[np.repeat(curve.offsets[:-1], lengths) + np.minimum(depth, last)], False


def _missed(rankings: Rankings) -> tuple[Floats, bool]:
    offsets, is_hit = offsets_of(rankings.lengths + 1), rankings.judged_grades > 0
    hits_at_rank = np.zeros(offsets[-1])
    hits_at_rank[offsets[:-1][rankings.judged_rows[is_hit]] + rankings.judged_ranks[is_hit]] = 1
    judged = rankings.judgments
    by_topic = np.bincount(judged.rows[judged.grades > 0], minlength=len(rankings))
    relevant = np.repeat(by_topic, rankings.lengths + 1)
    return np.where(relevant > 0, 1 - running(hits_at_rank, offsets) / np.maximum(relevant, 1), 0.0), False


def _false_answer(rankings: Rankings) -> tuple[Floats, bool]:
    lengths = rankings.lengths + 1
    kept = np.ones(lengths.sum())
    kept[offsets_of(lengths)[:-1]] = 0.0
    return kept * np.repeat(rankings.judgments.nil_queries, lengths), True


_LOSSES = {"missed": _missed, "false_answer": _false_answer}
