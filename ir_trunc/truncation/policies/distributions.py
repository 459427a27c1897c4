"""Policies that fit a distribution to the scores of each list."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.rankings import Floats, Rankings
from ir_trunc.truncation._fitting import from_0_to_1, of_documents
from ir_trunc.truncation._policy import policy
from ir_trunc.truncation.policies.thresholds import ARAMPATZIS_2009, Level, LevelPolicy

_STEPS = 50  # of expectation and maximisation
_FEWEST_SCORES = 3  # different scores
_NARROWEST = 0.02  # standard deviation of the normal, as a share of the scores' range
_TINY = 1e-12
_NONE = 1e-300  # documents that are not relevant, where rounding leaves none
_ROOT = math.sqrt(2 * math.pi)
_HIGHEST = round(-math.log(_TINY), 9)
_DIGITS = 9  # of what is compared to a level: other machines may differ in the last bits of a logarithm


def _surprises(scores: Floats) -> Floats:
    """-ln of the probability of a score at least as high in the distribution of the list."""
    x, n = from_0_to_1(scores), scores.shape[1]
    # E[X] and E[X (1 - F)]; of the document at rank i, i - 1 of the n - 1 others are higher.
    a0, a1 = x.sum(axis=1, keepdims=True) / n, (x * np.arange(n)).sum(axis=1, keepdims=True)
    a1 /= n * max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shape, scale = a0 / (a0 - 2 * a1) - 2, 2 * a0 * a1 / (a0 - 2 * a1)
        levels = np.log(np.maximum(1 - shape / scale * x, 0.0)) / -shape
        levels = np.where(np.abs(shape) < _TINY, x / scale, levels)
    levels = np.where(a1 == 0, np.where(x > 0, _HIGHEST, 0.0), levels)  # all equal, or all but the first
    return np.minimum.accumulate(np.round(np.minimum(levels, _HIGHEST), _DIGITS), axis=1)


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
    _level = "surprise"

    def _keys(self, rankings: Rankings) -> Floats:
        return of_documents(_surprises, rankings)


def _probabilities(scores: Floats) -> Floats:
    """The probability of being relevant of each document, by the mixture of its list."""
    x, n = from_0_to_1(scores), scores.shape[1]
    has_mixture = np.count_nonzero(x[:, 1:] != x[:, :-1], axis=1) >= _FEWEST_SCORES - 1
    values = np.full(scores.shape, 0.5)
    x = x[has_mixture]
    if not len(x):
        return values
    powers, alone = np.stack([np.ones(x.shape), x, x * x], axis=1), len(x) == 1
    # Of a live list, numbers of Python take a third of the time and have the same bits.
    higher, lower, root = (max, min, math.sqrt) if alone else (np.maximum, np.minimum, np.sqrt)

    def moments(weights: Floats) -> Any:
        """The sums of the weights, of weights times x and of weights times x^2, for every list."""
        sums = np.matmul(powers, weights[:, :, None])
        return sums.ravel().tolist() if alone else (sums[:, 0], sums[:, 1], sums[:, 2])

    _, sum_x, sum_xx = moments(np.ones(x.shape))
    share, centre, rate = 0.5, 1.0, n / sum_x
    width = root(higher(sum_xx / n - (sum_x / n) ** 2, 0.0))
    relevant = np.empty(x.shape)
    with np.errstate(over="ignore"):
        for _ in range(_STEPS):
            width = higher(width, _NARROWEST)
            # (c x - b) x - a: ln of (1 - share) Exponential(x) / (share Normal(x))
            c = 1 / (2 * width * width)
            b = 2 * c * centre + rate
            a = np.log(share / ((1 - share) * rate * width * _ROOT)) - c * centre * centre
            np.multiply(x, c, out=relevant)
            relevant -= b
            relevant *= x
            relevant -= a
            np.exp(relevant, out=relevant)
            relevant += 1
            np.reciprocal(relevant, out=relevant)
            weight, of_x, of_xx = moments(relevant)
            share, some = lower(higher(weight / n, 0.001), 0.999), higher(weight, _TINY)
            centre = of_x / some
            width = root(higher(of_xx - 2 * centre * of_x + centre * centre * weight, 0.0) / some)
            rate = lower(higher(n - weight, _NONE) / higher(sum_x - of_x, _TINY), 1 / _NARROWEST)
    upwards = np.maximum.accumulate(relevant[:, ::-1], axis=1)[:, ::-1]
    values[has_mixture] = np.round(upwards, _DIGITS)
    return values


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
    _level = "probability"

    def _keys(self, rankings: Rankings) -> Floats:
        return of_documents(_probabilities, rankings)
