"""Confidence bounds: of the mean of bounded values, and, by the bootstrap, of statistics that are not means.

Bounds of the mean of bounded values assume no distribution. Values of independent units and one further value
at an end of the range have the weights Dirichlet(1, ..., 1); `below` is the distribution of their mean
(Gaffke 2005; Learned-Miller & Thomas 2019, https://arxiv.org/abs/1905.06208). For values 0 and 1 the bounds
are those of Clopper and Pearson.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.lazy import Lazy
from ir_trunc._core.parameters import generator, number, whole

if TYPE_CHECKING:
    from scipy import special as special, stats as stats
else:
    special, stats = Lazy(import_module, "scipy.special"), Lazy(import_module, "scipy.stats")

_FACTORS = 64  # that are multiplied at a time, which cannot overflow
_CELLS = 1 << 19  # of a block of rows: 8 MB
_NEAR, _STEPS = 1e-10, 100  # of the range, and at most so many evaluations for a quantile
_T = 0.2 * np.arange(55)  # of the contour; errors are below 1e-9
_COSH, _SINH = np.cosh(_T), np.sinh(_T)
_STEP = np.where(_T == 0, 0.1, 0.2) / np.pi


def below(values: Floats, limit: Any, end: Any, weights: Floats | None = None) -> Floats:
    """F_end(limit) of each row of values (R x n). weights: of the units; the further one has the largest.

    It is P(sum_j e_j x_j <= 0), where e_j is exponential with mean 1.
    """
    terms = _with_end(values, end) - np.reshape(np.asarray(limit, np.float64), (-1, 1))
    if weights is not None:
        terms *= np.append(weights, weights.max())
    shares = np.where((terms <= 0).all(axis=1), 1.0, 0.0)
    mixed = np.flatnonzero((terms > 0).any(axis=1) & (terms < 0).any(axis=1))
    step = max(1, _CELLS // (len(_T) * terms.shape[1]))
    for rows in (mixed[start : start + step] for start in range(0, len(mixed), step)):
        flipped = terms[rows].sum(axis=1) > 0  # the smaller tail is computed
        above = _share_above(np.where(flipped[:, None], -terms[rows], terms[rows]))
        shares[rows] = np.where(flipped, above, 1 - above)
    return np.asarray(np.clip(shares, 0.0, 1.0))


def _share_above(x: Floats) -> Floats:
    """P(sum_j e_j x_j > 0): (1 / 2 pi i) int M(s) / s ds, with M(s) = prod_j 1 / (1 - s x_j), for s > 0.

    The trapezoidal rule on a hyperbola through the saddle point c, bent as the path of steepest descent is:
    s = c + k (b (cosh t - 1) + i sinh t). Imhof's integral, along the imaginary axis, is the same and needs
    many more nodes where one value is far from the others.
    """
    x = x / x.max(axis=1, keepdims=True)
    mean, square = x.sum(axis=1, keepdims=True), (x**2).sum(axis=1, keepdims=True)
    c = np.minimum((np.sqrt(mean**2 + 4 * square) - mean) / (2 * square), 0.5)
    for _ in range(_STEPS):  # Newton's method, damped: log M(s) - log(s) is self-concordant
        tilted = x / (1 - c * x)
        slope, curvature = tilted.sum(axis=1, keepdims=True) - 1 / c, (tilted**2).sum(axis=1, keepdims=True)
        curvature += 1 / c**2
        decrement = np.abs(slope) / np.sqrt(curvature)
        if decrement.max() < 1e-3:
            break
        c = c - slope / curvature / np.where(decrement > 0.25, 1 + decrement, 1)
    k = 1 / np.sqrt(curvature)
    tilted = np.hstack([tilted, -1 / c]) * k
    bend = 2 / 3 * (tilted**3).sum(axis=1, keepdims=True)
    z, product = bend * (_COSH - 1) + 1j * _SINH, bend * _SINH + 1j * _COSH
    for start in range(0, tilted.shape[1], _FACTORS):
        factors = 1 - tilted[:, start : start + _FACTORS, None] * z[:, None]
        product = product / np.multiply.reduce(factors, axis=1)
    scale = np.exp(-np.log1p(-c * x).sum(axis=1, keepdims=True)) * k / c
    return np.asarray(scale[:, 0] * (product.imag @ _STEP))


def _with_end(values: Floats, end: Any) -> Floats:
    return np.asarray(np.column_stack([values, np.broadcast_to(end, len(values))]))


def quantile(values: Floats, share: float, end: Any, weights: Floats | None = None) -> Floats:
    """The t at which F_end(t) is this share, of each row of values (R x n)."""
    low, high = np.minimum(values.min(axis=1), end), np.maximum(values.max(axis=1), end)
    units = np.ones(values.shape[1]) if weights is None else weights
    units = np.append(units, units.max()) / (units.sum() + units.max())
    everything, end = _with_end(values, end), np.broadcast_to(end, len(values))
    t, z, near = everything @ units, special.ndtri(share), _NEAR * (high - low)
    slope = 1 / np.maximum(np.sqrt((everything - t[:, None]) ** 2 @ units**2), 1e-300)
    t = np.clip(t + z / slope, low + near, high - near)
    active, (last, last_error) = np.flatnonzero(high > low), np.zeros((2, len(t)))
    for step in range(_STEPS):
        if not len(active):
            break
        at = t[active]
        # As quantiles of the normal distribution shares are nearly linear in t: secants find the root.
        error = special.ndtri(np.clip(below(values[active], at, end[active], weights), 1e-300, 1 - 1e-16)) - z
        low[active] = np.where(error <= 0, at, low[active])
        high[active] = np.where(error >= 0, at, high[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            if step:
                slope[active] = (error - last_error[active]) / (at - last[active])
            new = at - error / slope[active]
        inside = (new >= low[active]) & (new <= high[active]) & (step % 8 < 7)
        last[active], last_error[active] = at, error
        t[active] = np.where(error == 0, at, np.where(inside, new, (low[active] + high[active]) / 2))
        left = np.minimum(np.abs(t[active] - at), high[active] - low[active])
        active = active[left > near[active]]
    return np.asarray(t)


_GROUPS = 500  # of items that are left out together: the skewness of many items needs no more
_BATCH = 1 << 22  # positions that are drawn at a time: the memory that is needed does not grow with the draws


def bootstrap_bounds(
    statistic: Callable[[Ints], Any],
    items: int,
    confidence: float = 0.95,
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
