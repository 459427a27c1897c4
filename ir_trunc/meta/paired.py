"""Differences of systems on the same topics: p values, confidence intervals and effect sizes, pair by pair.

With D_t the difference of two systems on topic t, of T topics, S systems in all:

    t                 Student's t test; interval mean(D) +- t(1 - alpha/2) sd(D) / sqrt(T)
    bootstrap         that of `meta.power` (Sakai 2006); interval mean(D) +- q sd(D) / sqrt(T), where
                      q is the quantile 1 - alpha of |t| over the draws
    randomisation     signs of D are drawn; the interval holds every d for which the test does not reject
                      the hypothesis mean(D) = d
    tukey             Tukey's honestly significant differences after a two-way analysis of variance without
                      replication (systems x topics), whose residual variance V has (S - 1)(T - 1) degrees of
                      freedom: |mean(D)| / sqrt(V / T) against the studentised range (Sakai 2018)
    randomised-tukey  the values of each topic are permuted over the systems; p is the share of draws in
                      which two means differ by |mean(D)| or more (Carterette 2012), as NTCIR reports it

Effect size: mean(D) / sd(D); for the last two mean(D) / sqrt(V), since all pairs share one variance.

The last two allow for all pairs of the S systems by themselves, and so do their intervals. Those of the other
tests are for one pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ir_trunc._core.parameters import generator
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.meta.paired_tests import TESTS, Test, drawn_signs
from ir_trunc.scoring.statistics import PairTest

_CELLS = 1 << 22


@dataclass(frozen=True)
class Pairs:
    """What a test finds out about P pairs: arrays of length P.

    p: without correction. low, high: bounds of the difference of means. effect: NaN where all topics differ
    by the same. draws: how many there were, 0 for a test that draws nothing.
    """

    p: Floats
    low: Floats
    high: Floats
    effect: Floats
    draws: int


@dataclass(frozen=True)
class Setting:
    """How a test is done. first, second: the systems of each pair, by their rows."""

    first: Ints
    second: Ints
    alpha: float
    repetitions: int
    seed: int

    def differences(self, scores: Floats) -> Floats:
        """First less second on every topic (P x T)."""
        return np.asarray(scores[self.first] - scores[self.second])


def paired_tests(scores: Floats, test: PairTest, how: Setting) -> Pairs:
    """Test the differences of the pairs of systems that `how` names, in their order.

    scores: what a paired test over topics may take (S x T), T at least 2. test: a name of `PAIR_TESTS`.
    """
    unit = float(np.ptp(scores, axis=0).max()) or 1.0  # no test depends on it, and noise has one size
    found = PAIR_TESTS[test](scores / unit, how)
    return replace(found, low=found.low * unit, high=found.high * unit)


def not_worse(scores: Floats, how: Setting, margin: float) -> tuple[Floats, Floats]:
    """P values of non-inferiority and of equivalence.

    The first says that the first system of each pair is not worse than the second by `margin` or more, the
    second that they are equivalent.

    Non-inferiority: one-sided t test of mean(D) <= -margin. Equivalence: the larger p value of two one-sided
    t tests, of mean(D) <= -margin and of mean(D) >= margin (Schuirmann 1987).

    Examples
    --------
    >>> scores = np.array([[0.50, 0.61, 0.40, 0.72], [0.51, 0.60, 0.42, 0.70]])
    >>> how = Setting(np.array([0]), np.array([1]), 0.05, 0, 0)
    >>> [p.round(4).tolist() for p in not_worse(scores, how, margin=0.05)]
    [[0.006], [0.006]]
    """
    D = how.differences(scores)
    worse = _one_sided(D.mean(axis=1) + margin, D)
    better = _one_sided(margin - D.mean(axis=1), D)
    return worse, np.maximum(worse, better)


def _one_sided(above: Floats, D: Floats) -> Floats:
    """P values that a mean is above a bound, from how far it is observed to be above."""
    error = _error(D)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p: Floats = stats.t.sf(above / error, D.shape[1] - 1)
    return np.asarray(np.where(error > 0, p, np.where(above > 0, 0.0, 1.0)))


def _error(D: Floats) -> Floats:
    """Standard errors of the means; 0 where only rounding tells topics apart."""
    error = D.std(axis=1, ddof=1) / np.sqrt(D.shape[1])
    return np.asarray(np.where(error > 1e-12 * np.abs(D).max(axis=1), error, 0.0))


def _effect(D: Floats) -> Floats:
    spread = _error(D) * np.sqrt(D.shape[1])
    return np.asarray(np.divide(D.mean(axis=1), spread, out=np.full(len(D), np.nan), where=spread > 0))


def _symmetric(test: Test) -> Callable[[Floats, Setting], Pairs]:
    """A test whose interval is the difference, more or less what would have been significant."""

    def found(scores: Floats, how: Setting) -> Pairs:
        D = how.differences(scores)
        p, needed, draws = TESTS[test](D, how.alpha, how.repetitions, how.seed)
        return Pairs(p, D.mean(axis=1) - needed, D.mean(axis=1) + needed, _effect(D), draws)

    return found


def _randomisation(scores: Floats, how: Setting) -> Pairs:
    """The interval is that of the test turned round, in closed form.

    With signs s of one draw, the hypothesis mean = d gives |mean(s (D - d))| = |a - d b|, a = mean(s D) and
    b = mean(s), which is at least |mean(D) - d| for d between (m - a) / (1 - b) and (m + a) / (1 + b).
    """
    D = how.differences(scores)
    p, _, draws = TESTS["randomisation"](D, how.alpha, how.repetitions, how.seed)
    T = D.shape[1]
    signs, exact = drawn_signs(T, how.repetitions, how.seed)
    b = signs.mean(axis=1)
    one_sided = np.abs(b) == 1  # these draws are as extreme as the data for every d
    signs, b = signs[~one_sided], b[~one_sided]
    others = how.alpha * draws if exact else how.alpha * (draws + 1) - 1  # as extreme, at most, to reject d
    rejected = int(np.floor(others + 1e-9)) - int(one_sided.sum())
    low, high = np.full(len(D), -np.inf), np.full(len(D), np.inf)
    if not 0 <= rejected < len(b):
        return Pairs(p, low, high, _effect(D), draws)
    step = max(1, _CELLS // draws)
    for start in range(0, len(D), step):
        part = slice(start, start + step)
        mean = D[part].mean(axis=1)[:, None]
        a = D[part] @ signs.T / T
        ends = np.sort([(mean - a) / (1 - b), (mean + a) / (1 + b)], axis=0)
        low[part] = np.partition(ends[0], rejected, axis=1)[:, rejected]
        high[part] = -np.partition(-ends[1], rejected, axis=1)[:, rejected]
    return Pairs(p, low, high, _effect(D), draws)


def _tukey(scores: Floats, how: Setting) -> Pairs:
    S, T = scores.shape
    difference = how.differences(scores).mean(axis=1)
    variance, freedom = residual_variance(scores), (S - 1) * (T - 1)
    if variance == 0:
        return Pairs(np.where(difference == 0, 1.0, 0.0), difference, difference, difference * np.nan, 0)
    error = np.sqrt(variance / T)
    distinct, at = np.unique(np.abs(difference) / error, return_inverse=True)
    p = np.clip(stats.studentized_range.sf(distinct, S, freedom), 0.0, 1.0)[at]
    reach = error * stats.studentized_range.ppf(1 - how.alpha, S, freedom)
    return Pairs(p, difference - reach, difference + reach, difference / np.sqrt(variance), 0)


def _randomised_tukey(scores: Floats, how: Setting) -> Pairs:
    S, T = scores.shape
    difference = how.differences(scores).mean(axis=1)
    random = generator(how.seed)
    largest = np.empty(how.repetitions)
    step = max(1, _CELLS // scores.size)
    for start in range(0, how.repetitions, step):
        count = min(step, how.repetitions - start)
        drawn = random.permuted(np.broadcast_to(scores, (count, S, T)), axis=1)
        largest[start : start + count] = np.ptp(drawn.mean(axis=2), axis=1)
    extreme = (largest[None, :] >= np.abs(difference)[:, None] * (1 - 1e-7) - 1e-12).sum(axis=1)
    reach = float(np.quantile(largest, 1 - how.alpha, method="higher"))
    variance = residual_variance(scores)
    effect = difference / np.sqrt(variance) if variance > 0 else difference * np.nan
    p = np.where(difference == 0, 1.0, (extreme + 1) / (how.repetitions + 1))
    return Pairs(p, difference - reach, difference + reach, effect, how.repetitions)


def residual_variance(scores: Floats) -> float:
    """What a two-way analysis of variance without replication leaves over (Sakai's V_E2).

    sum_st (x_st - mean_s - mean_t + mean)^2 / ((S - 1)(T - 1)), for scores (S x T).

    Examples
    --------
    >>> residual_variance(np.array([[0.1, 0.5], [0.3, 0.7]]))
    0.0
    """
    S, T = scores.shape
    left = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    found = float((left**2).sum() / ((S - 1) * (T - 1)))
    return found if found > 1e-24 * float(np.abs(scores).max()) ** 2 else 0.0


PAIR_TESTS: Mapping[str, Callable[[Floats, Setting], Pairs]] = {
    "t": _symmetric("t"),
    "bootstrap": _symmetric("bootstrap"),
    "randomisation": _randomisation,
    "tukey": _tukey,
    "randomised-tukey": _randomised_tukey,
}
FOR_ALL_PAIRS = ("tukey", "randomised-tukey")
"""The tests that allow for the number of pairs by themselves."""
