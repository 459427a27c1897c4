"""Confidence intervals of equal values and of shares."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.rankings import Floats
from ir_trunc._inference.bootstrap import bootstrap_bounds
from ir_trunc._inference.p_values import half_of_interval

CONFIDENCE = 0.95
_NEAR = 1e-12


def interval_of_mean(
    scores: Floats, confidence: float = CONFIDENCE, repetitions: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Bounds of the mean of scores; what is drawn are the scores."""
    return bootstrap_bounds(
        lambda drawn: scores[drawn].mean(axis=-1), len(scores), confidence, repetitions, seed, vectorised=True
    )


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
