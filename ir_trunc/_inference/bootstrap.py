"""Confidence intervals by the bootstrap, of statistics that are no means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ir_trunc._core.arrays import Ints
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.parameters import generator, number, whole

CONFIDENCE = 0.95
_GROUPS = 500  # of items that are left out together: the skewness of many items needs no more
_BATCH = 1 << 22  # positions that are drawn at a time: the memory that is needed does not grow with the draws


def bootstrap_bounds(
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
    'BCa' corrects bias and skewness (Efron 1987), which is estimated by leaving out one item at a time, of
    more than 500 items one of 500 groups; NaN where all draws are on one side, or all that is left out makes
    the same difference: scipy's own changes the filters of warnings there.
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
    groups = min(items, _GROUPS)
    left_out = np.array([statistic(np.delete(np.arange(items), np.s_[at::groups])) for at in range(groups)])
    influences = left_out.mean() - left_out
    if np.isinf(bias) or np.abs(influences).max() <= TOLERANCE:
        return np.nan, np.nan
    skewness = (influences**3).sum() / (6 * (influences**2).sum() ** 1.5)
    z = bias + special.ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = np.quantile(draws, special.ndtr(bias + z / (1 - skewness * z)))
    return float(low), float(high)
