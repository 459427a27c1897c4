"""Confidence intervals by the bootstrap, for everything here that has them: scipy draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.parameters import generator, number, whole
from ir_trunc._core.rankings import Floats, Ints

CONFIDENCE = 0.95
_NEAR = 1e-12
_EQUAL = 1e-14  # relative to their mean, values that differ by less are equal
_BATCH = 1 << 22  # positions that are drawn at a time: the memory that is needed does not grow with the draws


def interval(
    statistic: Callable[[Ints], Any],
    items: int,
    confidence: float = CONFIDENCE,
    repetitions: int = 1000,
    seed: int = 0,
    vectorised: bool = False,
    method: Literal["percentile", "BCa"] = "percentile",
) -> tuple[float, float]:
    """Bounds of a statistic of several items, which are drawn with replacement.

    statistic: of the items at these positions; `vectorised`: of all draws at once (repetitions x items), with
    a value for each. items: how many there are. confidence: share of the draws between the bounds. method:
    'BCa' corrects bias and skewness (Efron 1987); NaN where all draws are on one side, or leaving out any one
    item makes the same difference: scipy's own changes the filters of warnings there.
    """
    from scipy import special, stats

    drawn = stats.bootstrap(
        (np.arange(items),),
        (lambda drawn, axis: statistic(drawn)) if vectorised else statistic,
        n_resamples=whole("repetitions", repetitions, 1),
        confidence_level=number("confidence", confidence, 0, 1, inside=True),
        vectorized=vectorised,
        method="percentile",
        batch=max(1, _BATCH // max(1, items)),
        random_state=generator(seed),
    )
    bounds = drawn.confidence_interval
    if method == "percentile":
        return float(bounds.low), float(bounds.high)
    draws, value = drawn.bootstrap_distribution, statistic(np.arange(items))
    bias = special.ndtri(((draws < value).mean() + (draws <= value).mean()) / 2)
    left_out = np.array([statistic(np.delete(np.arange(items), item)) for item in range(items)])
    influences = left_out.mean() - left_out
    if np.isinf(bias) or not influences.any():
        return np.nan, np.nan
    skewness = (influences**3).sum() / (6 * (influences**2).sum() ** 1.5)
    z = bias + special.ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = np.quantile(draws, special.ndtr(bias + z / (1 - skewness * z)))
    return float(low), float(high)


def interval_of_mean(
    scores: Floats, confidence: float = CONFIDENCE, repetitions: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Bounds of the mean of scores; what is drawn are the scores."""
    return interval(
        lambda drawn: scores[drawn].mean(axis=-1), len(scores), confidence, repetitions, seed, vectorised=True
    )


PairTest = Literal["t", "bootstrap", "randomisation", "sign", "tukey", "randomised-tukey"]
Correction = Literal["holm", "bh"]


def corrected(p: Floats, correction: Correction | None) -> Floats:
    """P values of one family of comparisons, corrected for their number.

    Holm: the i-th smallest of n p values, i = 1, ..., n, becomes max over j <= i of (n - j + 1) p_j, and at
    most 1. 'bh' controls the share of false discoveries (Benjamini and Hochberg).
    """
    if correction is None or not len(p):
        return p
    if correction == "bh":
        from scipy import stats

        return np.asarray(stats.false_discovery_control(p))
    order, adjusted = np.argsort(p), np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]), 1.0)
    return adjusted


def paired_t_p_values(differences: Floats) -> Floats:
    """The p values of two-tailed paired t tests, of differences (P x T); 1 where all are 0.

    Equal differences other than 0 have the p value 0: scipy computes it from rounding errors, with a warning.
    """
    from scipy import stats

    mean = differences.mean(axis=1, keepdims=True)
    p: Floats = np.where(mean[:, 0] == 0, 1.0, 0.0)
    varied = np.abs(differences - mean).max(axis=1) > _EQUAL * np.abs(mean[:, 0])
    if varied.any():
        p[varied] = stats.ttest_1samp(differences[varied], 0.0, axis=1).pvalue
    return p


def half_of_interval(values: Floats, alpha: float) -> Floats:
    """Half of Student's interval of means over the last axis."""
    from scipy import stats

    needed = stats.t.ppf(1 - alpha / 2, values.shape[-1] - 1) * stats.sem(values, axis=-1)
    return np.asarray(needed)


def interval_of_equals(
    value: float, n: int, lowest: float, highest: float, confidence: float
) -> tuple[float, float]:
    """Bounds of the mean of n equal values from lowest to highest; NaN where these are infinite.

    The share of other values is at most 1 - (1 - confidence)^(1/n).
    """
    if np.isinf(lowest) or np.isinf(highest):
        return np.nan, np.nan
    others = 1 - (1 - confidence) ** (1 / n)
    return value - others * (value - lowest), value + others * (highest - value)


def bounds_of_means(values: Floats, ranges: Iterable[tuple[float, float]], alpha: float) -> Floats:
    """Confidence bounds (2 x M) of means (of M x N values): Student's; of equal values those of the range."""
    bounds: Floats = values.mean(axis=1) + np.outer([-1, 1], half_of_interval(values, alpha))
    for row, (lowest, highest) in enumerate(ranges):
        if np.ptp(values[row]) <= TOLERANCE:
            of_all = float(values[row].mean()), values.shape[1], lowest, highest
            bounds[:, row] = interval_of_equals(*of_all, 1 - alpha)
    return bounds


def p_of_equals(value: float, n: int, lowest: float, limit: float = 0.0) -> float:
    """P value that the mean of n equal values is above a limit: of the interval that begins there.

    1 where the values have no lowest.
    """
    if value <= limit or np.isinf(lowest):
        return 1.0
    return float(((limit - lowest) / (value - lowest)) ** n)


def interval_of_share(hits: int, n: int, confidence: float) -> tuple[float, float]:
    """Wilson's score interval of a share of n."""
    from scipy import stats

    bounds = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    return float(bounds.low), float(bounds.high)


def interval_of_paired_shares(new: Floats, old: Floats, confidence: float) -> tuple[float, float]:
    """Tango's score interval of the difference of two shares of the same items, whose values are 0 and 1.

    The differences d for which |b - c - n d| <= z sqrt(n (2 q + d (1 - d))): b items are 1 in `new` alone, c
    in `old` alone, and q is the likeliest probability of the latter under d (Tango 1998,
    https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B).
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    n, gained, lost = len(new), float(((new == 1) & (old == 0)).sum()), float(((new == 0) & (old == 1)).sum())
    z = float(ndtri((1 + confidence) / 2))

    def beyond(d: float, sign: int) -> float:
        linear = (2 * n - gained + lost) * d - gained - lost
        q = (np.sqrt(max(linear**2 + 8 * n * lost * d * (1 - d), 0)) - linear) / (4 * n)
        return float(gained - lost - n * d - sign * z * np.sqrt(max(n * (2 * q + d * (1 - d)), 0)))

    observed = (gained - lost) / n  # where no item differs, this solves the equation too
    low = -1.0 if observed == -1 else brentq(beyond, -1, observed - _NEAR, (1,))
    high = 1.0 if observed == 1 else brentq(beyond, observed + _NEAR, 1, (-1,))
    return float(low), float(high)
