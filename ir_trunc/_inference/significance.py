"""Significance tests of pairs of systems.

The tests are paired over topics and two-tailed. With D_t the difference of two systems on topic t, of T
topics, S systems in all::

    t                 Student's t test with T - 1 degrees of freedom (scipy); interval
                      mean(D) +- t(1 - alpha/2) sd(D) / sqrt(T)
    bootstrap         topics are drawn with replacement from D - mean(D), so that 'no difference' holds; p is
                      the share of draws whose |t| is at least the observed one (Sakai, SIGIR 2006); interval
                      mean(D) +- q sd(D) / sqrt(T), where q is the quantile 1 - alpha of |t| over the draws
    randomisation     signs of D are drawn at random, or all 2^T are taken where these are no more than the
                      repetitions; p is the share of draws whose |mean| is at least the observed one; the
                      interval holds every d for which the test does not reject the hypothesis mean(D) = d
    sign              the binomial test of the topics with D > 0 among those with D != 0, against a half
                      (Sakai 2004, table 2); it says nothing of mean(D): its interval has no bounds
    tukey             Tukey's honestly significant differences after a two-way analysis of variance without
                      replication (systems x topics), whose residual variance V has (S - 1)(T - 1) degrees of
                      freedom: |mean(D)| / sqrt(V / T) against the studentised range (Sakai 2018)
    randomised-tukey  the values of each topic are permuted over the systems; p is the share of draws in
                      which two means differ by |mean(D)| or more (Carterette 2012), as NTCIR reports it

Effect size: mean(D) / sd(D); for Tukey's tests mean(D) / sqrt(V), since all pairs share one variance.

The last two tests and their intervals account for all pairs of the S systems; the others are for one pair.

The observed difference counts as one of the random draws: p = (1 + as extreme) / (1 + repetitions). Two
systems that are equal on every topic have p = 1.

A measure of the whole run (`c@1`, `CWS`) has influence values in place of scores by topic: its values by
topic depend on each other, and as scores they would tell equal systems apart in up to 31 % (c@1) and 78 %
(CWS) of trials at p < .05.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import generator, one_of
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.bounds import bootstrap_bounds, stats
from ir_trunc.measures.params import Choice
from ir_trunc.measures.parts import over

__all__ = ["FOR_ALL_PAIRS", "TESTS", "Pairs", "Setting", "Test", "TestName", "paired_tests"]

Test = Literal["t", "bootstrap", "randomisation", "sign"]
PairTest = Literal["t", "bounded", "bootstrap", "randomisation", "sign", "tukey", "randomised-tukey"]
Correction = Literal["holm", "bh"]

Tested = tuple[Floats, Any, int]  # p values, differences needed (one or for each pair), and draws

_CELLS = 1 << 22  # values of one block of draws: 32 MB
# of the largest difference: sums of the same numbers in another order differ by less, other draws by more
_SAME = 1e-7
_NO_DIFFERENCE = 1e-12  # of one topic, as a share of the largest
_EQUAL = 1e-14  # relative to their mean, values that differ by less are equal


@dataclass(frozen=True)
class Setting:
    """The pairs that are tested, and the parameters of the test."""

    first: Ints  # row of the first system of each pair
    second: Ints
    alpha: float
    repetitions: int
    seed: int

    def differences(self, scores: Floats) -> Floats:
        """First less second on every topic (P x T)."""
        return np.asarray(scores[self.first] - scores[self.second])


def _t(D: Floats, scores: Floats, how: Setting) -> Tested:
    needed = stats.t.ppf(1 - how.alpha / 2, D.shape[1] - 1) * stats.sem(D, axis=1)
    return paired_t_p_values(D), needed, 0


def _bootstrap(D: Floats, scores: Floats, how: Setting) -> Tested:
    T = D.shape[1]
    times = generator(how.seed).multinomial(T, np.full(T, 1 / T), size=how.repetitions)
    draws = times.astype(np.float64).T / T

    def studentised(rows: Floats) -> tuple[Floats, Floats]:
        centred = rows - rows.mean(axis=1, keepdims=True)
        mean = centred @ draws
        variance = np.maximum((centred**2) @ draws - mean**2, 0.0)
        return _t_value(mean, variance, T), _t_value(rows.mean(axis=1), rows.var(axis=1), T)

    p, critical = _shares(D, studentised, how.alpha, how.repetitions)
    error = np.sqrt(D.var(axis=1) / (T - 1))
    needed = np.multiply(critical, error, out=np.zeros(len(D)), where=error > 0)
    return p, needed, how.repetitions


def _t_value(mean: Floats, variance: Floats, T: int) -> Floats:
    """|t| from a mean and the population variance; infinite where only the variance is 0."""
    flat = variance <= _SAME**2
    error = np.sqrt(np.where(flat, 1.0, variance) / (T - 1))
    return np.where(flat, np.where(np.abs(mean) <= _SAME, 0.0, np.inf), np.abs(mean) / error)


def _randomisation(D: Floats, scores: Floats, how: Setting) -> Tested:
    T = D.shape[1]
    signs, exact = drawn_signs(T, how.repetitions, how.seed)

    def means(rows: Floats) -> tuple[Floats, Floats]:
        return np.abs(rows @ signs.T) / T, np.abs(rows.mean(axis=1))

    p, needed = _shares(D, means, how.alpha, len(signs), exact)
    return p, needed, len(signs)


def drawn_signs(T: int, repetitions: int, seed: int) -> tuple[Floats, bool]:
    """Signs for T topics (draws x T), and whether they are all that there are."""
    if T < 63 and repetitions >= 2**T:
        minus = (np.arange(2**T)[:, None] >> np.arange(T)) & 1
        return (1 - 2 * minus).astype(np.float64), True
    return (1 - 2 * generator(seed).integers(0, 2, size=(repetitions, T))).astype(np.float64), False


def _sign(D: Floats, scores: Floats, how: Setting) -> Tested:
    up, down = ups_and_downs(D)
    p = np.minimum(2 * stats.binom.cdf(np.minimum(up, down), up + down, 0.5), 1.0)
    return p, np.full(len(D), np.inf), 0


def ups_and_downs(D: Floats) -> tuple[Ints, Ints]:
    """On how many topics the first system of each pair is above the second, and on how many below it."""
    least = _NO_DIFFERENCE * np.abs(D).max(initial=0.0)
    signs = np.sign(D) * (np.abs(D) > least)
    return (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)


def _blocks(count: int, cells: int) -> Iterator[slice]:
    """Slices of as many of `count` rows of `cells` values as are computed at a time."""
    step = max(1, _CELLS // cells)
    return (slice(start, start + step) for start in range(0, count, step))


def _shares(
    D: Floats, statistic: Callable[..., tuple[Floats, Floats]], alpha: float, draws: int, exact: bool = False
) -> tuple[Floats, Floats]:
    """P values (pairs) and the value of the statistic that 1 - alpha of the draws stay below (pairs).

    exact: whether the observed differences are among the draws.
    """
    p, critical = np.empty((2, len(D)))
    for part in _blocks(len(D), draws):
        drawn, observed = statistic(D[part])
        extreme = (drawn >= observed[:, None] * (1 - _SAME) - _SAME).sum(axis=1)
        p[part] = extreme / draws if exact else (extreme + 1) / (draws + 1)
        critical[part] = np.quantile(drawn, 1 - alpha, axis=1, method="higher")
    p[~D.any(axis=1)] = 1.0
    return p, critical


_SPELLED = {"randomization": "randomisation", "randomized-tukey": "randomised-tukey"}


def named_test(test: Any, known: Iterable[str]) -> Any:
    """The name of a test, however it is spelled; ParameterError where there is none."""
    return one_of("test", _SPELLED.get(test, test) if isinstance(test, str) else test, known)


class NamedTest(Choice):
    """The name of a test, however it is spelled."""

    def clean(self, name: str, value: Any) -> Any:
        """The name of one of these tests."""
        return named_test(value, self.words)


TestName = Annotated[Test, NamedTest("significance test, paired over topics and two-tailed")]


def system_pairs(systems: Sequence[str]) -> tuple[Ints, Ints]:
    """The two members of every pair of systems (S (S - 1) / 2 each), in the order of combinations."""
    if len(systems) < 2:
        raise InputError("There is 1 system: at least two are needed, to compare them.")
    first, second = np.triu_indices(len(systems), k=1)
    return first.astype(np.int64), second.astype(np.int64)


def ratio_intervals(
    part: Ints, whole_of: Ints, systems: int, confidence: float, repetitions: int, seed: int
) -> Floats:
    """Bounds of sum(part) / sum(whole) over pairs of systems, for each measure (M x 2)."""
    from scipy.spatial.distance import squareform

    # Systems are drawn, since pairs that share one are not independent; one that is drawn twice is no pair.
    def ratio(parts: Floats, wholes: Floats, drawn: Ints) -> float:
        times = np.bincount(drawn, minlength=systems).astype(np.float64)
        weight = times @ wholes @ times
        return float(times @ parts @ times / weight) if weight else 0.0

    pairs = zip(part.astype(np.float64), np.broadcast_to(whole_of, part.shape).astype(np.float64))
    ratios = [partial(ratio, squareform(parts), squareform(wholes)) for parts, wholes in pairs]
    return np.array([bootstrap_bounds(each, systems, confidence, repetitions, seed) for each in ratios])


@dataclass(frozen=True)
class Pairs:
    """The result of a test of P pairs: arrays of length P."""

    p: Floats  # without correction
    low: Floats  # bounds of the difference of means
    high: Floats
    effect: Floats  # NaN where all topics differ by the same
    moved: tuple[Ints, Ints]  # on how many topics the first system is above the second, and below it
    draws: int  # 0 for a test that draws nothing


def paired_tests(scores: Floats, test: PairTest, how: Setting) -> Pairs:
    """Test the pairs of systems that `how` names, in their order. scores: (S x T), T at least 2."""
    unit = float(np.ptp(scores, axis=0).max()) or 1.0  # no test depends on it, and noise has one size
    scores = scores / unit
    D = how.differences(scores)
    p, needed, draws = TESTS[test](D, scores, how)
    mean = D.mean(axis=1)
    low, high = _inverted(D, how, draws) if test == "randomisation" else (mean - needed, mean + needed)
    effect = np.full(len(D), np.nan)
    if test != "sign":
        error = D.std(axis=1, ddof=1) / np.sqrt(D.shape[1])  # 0 where topics differ by rounding only
        error = np.where(error > 1e-12 * np.abs(D).max(axis=1), error, 0.0)
        effect = over(mean, error * np.sqrt(D.shape[1]), otherwise=np.nan)
    if test in FOR_ALL_PAIRS:
        # A difference that equals the bound is not significant, whatever rounding makes of the two.
        low, high = np.where(p > how.alpha, [np.minimum(low, 0), np.maximum(high, 0)], [low, high])
        variance = residual_variance(scores)
        effect = mean / np.sqrt(variance) if variance > 0 else mean * np.nan
    return Pairs(p, low * unit, high * unit, effect, ups_and_downs(D), draws)


def _inverted(D: Floats, how: Setting, draws: int) -> tuple[Floats, Floats]:
    """The interval by inversion of the randomisation test, in closed form.

    With signs s of one draw, the hypothesis mean = d gives |mean(s (D - d))| = |a - d b|, a = mean(s D) and
    b = mean(s), which is at least |mean(D) - d| for d between (m - a) / (1 - b) and (m + a) / (1 + b).
    """
    T = D.shape[1]
    signs, exact = drawn_signs(T, how.repetitions, how.seed)
    b = signs.mean(axis=1)
    one_sided = np.abs(b) == 1  # these draws are as extreme as the data for every d
    signs, b = signs[~one_sided], b[~one_sided]
    others = how.alpha * draws if exact else how.alpha * (draws + 1) - 1  # as extreme, at most, to reject d
    rejected = int(np.floor(others + 1e-9)) - int(one_sided.sum())
    low, high = np.full(len(D), -np.inf), np.full(len(D), np.inf)
    for part in _blocks(len(D), draws) if 0 <= rejected < len(b) else ():
        mean = D[part].mean(axis=1)[:, None]
        a = D[part] @ signs.T / T
        ends = np.sort([(mean - a) / (1 - b), (mean + a) / (1 + b)], axis=0)
        low[part] = np.partition(ends[0], rejected, axis=1)[:, rejected]
        high[part] = -np.partition(-ends[1], rejected, axis=1)[:, rejected]
    return low, high


def _tukey(D: Floats, scores: Floats, how: Setting) -> Tested:
    S, T = scores.shape
    difference = D.mean(axis=1)
    variance, freedom = residual_variance(scores), (S - 1) * (T - 1)
    if variance == 0:
        return np.where(difference == 0, 1.0, 0.0), np.zeros(len(D)), 0
    error = np.sqrt(variance / T)
    distinct, inverse = np.unique(np.abs(difference) / error, return_inverse=True)
    p = np.clip(stats.studentized_range.sf(distinct, S, freedom), 0.0, 1.0)[inverse]
    return p, error * stats.studentized_range.ppf(1 - how.alpha, S, freedom), 0


def _randomised_tukey(D: Floats, scores: Floats, how: Setting) -> Tested:
    S, T = scores.shape
    difference = D.mean(axis=1)
    random, largest = generator(how.seed), np.empty(how.repetitions)
    for part in _blocks(how.repetitions, scores.size):
        drawn = random.permuted(np.broadcast_to(scores, (len(largest[part]), S, T)), axis=1)
        largest[part] = np.ptp(drawn.mean(axis=2), axis=1)
    extreme = (largest[None, :] >= np.abs(difference)[:, None] * (1 - 1e-7) - 1e-12).sum(axis=1)
    p = np.where(difference == 0, 1.0, (extreme + 1) / (how.repetitions + 1))
    return p, np.quantile(largest, 1 - how.alpha, method="higher"), how.repetitions


def residual_variance(scores: Floats) -> float:
    """The residual variance of a two-way analysis of variance without replication (Sakai's V_E2).

    sum_st (x_st - mean_s - mean_t + mean)^2 / ((S - 1)(T - 1)), for scores (S x T).
    """
    S, T = scores.shape
    left = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    variance = float((left**2).sum() / ((S - 1) * (T - 1)))
    return variance if variance > 1e-24 * float(np.abs(scores).max()) ** 2 else 0.0


_OF_ALL = {"tukey": _tukey, "randomised-tukey": _randomised_tukey}
_OF_PAIRS = {"t": _t, "bootstrap": _bootstrap, "randomisation": _randomisation, "sign": _sign}
TESTS: Mapping[str, Callable[[Floats, Floats, Setting], Tested]] = _OF_PAIRS | _OF_ALL
"""From differences (P x T), the scores that they are of, and the setting."""

FOR_ALL_PAIRS = tuple(_OF_ALL)  # they allow for the number of pairs by themselves


# P values of several comparisons.


def corrected(p: Floats, correction: Correction | None) -> Floats:
    """P values of one family of comparisons, corrected for their number.

    Holm: the i-th smallest of n p values, i = 1, ..., n, becomes max over j <= i of (n - j + 1) p_j, and at
    most 1. 'bh' controls the share of false discoveries (Benjamini and Hochberg).
    """
    return np.minimum(uncut_p_values(p, correction), 1.0)


def uncut_p_values(p: Floats, correction: Correction | None) -> Floats:
    """P values corrected as by `corrected`; those of Holm may be above 1."""
    if correction is None or not len(p):
        return p
    if correction == "bh":
        return np.asarray(stats.false_discovery_control(p))
    order, by_holm = np.argsort(p), np.empty(len(p))
    by_holm[order] = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    return by_holm


def units_needed(alpha: float) -> int:
    """The fewest units that have to differ before a test can show anything: 2^(1 - k) is at most alpha."""
    return math.ceil(1 - math.log2(alpha) - 1e-9)


def paired_t_p_values(differences: Floats) -> Floats:
    """The p values of two-tailed paired t tests, of differences (P x T); 1 where all are 0.

    Equal differences other than 0 have the p value 0: scipy computes it from rounding errors, with a warning.
    """
    mean = differences.mean(axis=1, keepdims=True)
    p: Floats = np.where(mean[:, 0] == 0, 1.0, 0.0)
    varied = np.abs(differences - mean).max(axis=1) > _EQUAL * np.abs(mean[:, 0])
    if varied.any():
        p[varied] = stats.ttest_1samp(differences[varied], 0.0, axis=1).pvalue
    return p
