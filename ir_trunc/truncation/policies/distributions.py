"""Policies that fit a distribution to the scores of each list."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np

from ir_trunc._core.rankings import Floats, Rankings
from ir_trunc.truncation._fitting import from_0_to_1, lists_of_scores
from ir_trunc.truncation._policy import policy
from ir_trunc.truncation.policies.thresholds import ARAMPATZIS_2009, Level, LevelPolicy

__all__ = ["ScoreDistribution", "Surprise"]


_STEPS = 50  # of expectation and maximisation
_FEWEST_SCORES = 3  # different scores
_NARROWEST = 0.02  # standard deviation of the normal, as a share of the scores' range
_TINY = 1e-12
_NONE = 1e-300  # documents that are not relevant, where rounding leaves none
_ROOT = math.sqrt(2 * math.pi)
_HIGHEST = round(-math.log(_TINY), 9)
_DIGITS = 9  # of what is compared to a level: other machines may differ in the last bits of a logarithm


def _by_list(formula: Callable[[Floats], Floats]) -> Callable[[Rankings], Floats]:
    """A formula of the scores of one list, for every document of rankings, list after list."""

    def values(rankings: Rankings) -> Floats:
        lists = [formula(scores) for scores in lists_of_scores(rankings)]
        return np.concatenate(lists) if lists else np.zeros(0)

    return values


@_by_list
def surprises(scores: Floats) -> Floats:
    """-ln of the probability of a score at least as high in the distribution of the list."""
    if not len(scores):
        return scores
    x, n = from_0_to_1(scores), len(scores)
    # E[X] and E[X (1 - F)]; of the document at rank i, i - 1 of the n - 1 others are higher.
    a0, a1 = float(x.sum()) / n, float((x * np.arange(n)).sum()) / (n * max(n - 1, 1))
    if a1 == 0:  # all scores are equal, or all but the first
        return np.where(x > 0, _HIGHEST, 0.0)
    shape, scale = a0 / (a0 - 2 * a1) - 2, 2 * a0 * a1 / (a0 - 2 * a1)
    if abs(shape) < _TINY:
        level = x / scale
    else:
        with np.errstate(divide="ignore"):
            level = np.log(np.maximum(1 - shape / scale * x, 0.0)) / -shape
    falling: Floats = np.minimum.accumulate(np.round(np.minimum(level, _HIGHEST), _DIGITS))
    return falling


@policy(
    source="Bahri, Zheng, Tay, Metzler & Tomkins, SIGIR 2023, https://arxiv.org/abs/2010.09797",
    idempotent=False,
)
class Surprise(LevelPolicy):
    """The documents with surprisingly high scores for their list.

    number of i with -ln(1 - F(s_i - s_n)) >= surprise, F the generalised Pareto distribution of the list

    What a search returns is the upper tail of the scores of a collection, so that the excess of the scores
    over the last one is distributed as a generalised Pareto. It is fitted to each list by
    probability-weighted moments (Hosking & Wallis 1987); the paper fits by maximum likelihood, and finds
    where the tail begins by a test of fit. If all scores are equal, each surprise is 0; the highest is 27.6.
    `fit` chooses the best of all levels; of several the highest.
    """

    surprise: Annotated[
        float | None, Level("lowest surprise to keep, in nats; fitted where it is not given")
    ] = None
    _keys = staticmethod(surprises)


@_by_list
def probabilities(scores: Floats) -> Floats:
    """The probability of being relevant of each document, by the mixture of its list."""
    x, n = from_0_to_1(scores), len(scores)
    if np.count_nonzero(x[1:] != x[:-1]) < _FEWEST_SCORES - 1:
        return np.full(n, 0.5)
    powers = np.stack([np.ones(n), x, x * x])
    _, sum_x, sum_xx = powers.sum(axis=1).tolist()
    share, centre, rate = 0.5, 1.0, n / sum_x
    width = math.sqrt(max(sum_xx / n - (sum_x / n) ** 2, 0.0))
    with np.errstate(over="ignore"):
        for _ in range(_STEPS):
            width = max(width, _NARROWEST)
            # ln of share * Normal(x) / ((1 - share) * Exponential(x)), a square function of x
            c = 1 / (2 * width * width)
            b = 2 * c * centre + rate
            a = math.log(share / ((1 - share) * rate * width * _ROOT)) - c * centre * centre
            relevant = 1 / (1 + np.exp((c * x - b) * x - a))
            weight, of_x, of_xx = (powers @ relevant).tolist()
            share, some = min(max(weight / n, 0.001), 0.999), max(weight, _TINY)
            centre = of_x / some
            width = math.sqrt(max(of_xx - 2 * centre * of_x + centre * centre * weight, 0.0) / some)
            rate = min(max(n - weight, _NONE) / max(sum_x - of_x, _TINY), 1 / _NARROWEST)
    upwards: Floats = np.maximum.accumulate(relevant[::-1])[::-1]
    return np.round(upwards, _DIGITS)


@policy(source=ARAMPATZIS_2009, idempotent=False)
class ScoreDistribution(LevelPolicy):
    """The documents that are relevant with at least this probability.

    number of i with P(relevant | s_i) >= probability

    Scores of relevant documents are assumed to be normal, those of the others exponential. This mixture is
    fitted to each list, from its last score to its first, by 50 steps of expectation and maximisation. The
    normal falls off faster than the exponential, so that very high scores would count as less relevant than
    lower ones: a document gets the highest probability of all from it down. In lists of fewer than three
    different scores every probability is 1/2. `fit` chooses the best of all levels; of several the highest.
    The paper derives the level from the mixture and the measure; here it is fitted on training topics. A call
    on 100 scores takes about 0.3 ms, with other policies except `Learned` at most a tenth of that.
    """

    probability: Annotated[
        float | None, Level("lowest probability of relevance to keep; fitted where it is not given")
    ] = None
    _keys = staticmethod(probabilities)
