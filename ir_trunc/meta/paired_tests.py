"""Significance tests of pairs of systems, and corrections for their number.

The tests are paired over topics and two-tailed. With D_t the difference of two systems on topic t (T topics):

    t              p of mean(D) / (sd(D) / sqrt(T)) by Student's t with T - 1 degrees of freedom (scipy)
    bootstrap      topics drawn with replacement from D - mean(D), so that 'no difference' holds;
                   p is the share of draws whose |t| is at least the observed one (Sakai, SIGIR 2006)
    randomisation  signs of D drawn at random, or all 2^T where these are no more than the repetitions;
                   p is the share of draws whose |mean| is at least the observed one

A measure of the whole run (`c@1`, `CWS`) has influence values in place of scores by topic: its values by
topic depend on each other, and as scores they would tell equal systems apart in up to 31 % (c@1) and 78 %
(CWS) of trials at p < .05.

The observed difference counts as one of the random draws: p = (1 + as extreme) / (1 + repetitions). Two
systems that are equal on every topic have p = 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from scipy import stats

from ir_trunc._core.parameters import generator, one_of
from ir_trunc._core.rankings import Floats
from ir_trunc.measures.params import Choice

Test = Literal["t", "bootstrap", "randomisation"]
Correction = Literal["holm", "bh"]

_CELLS = 1 << 22  # values of one block of draws: 32 MB
# of the largest difference: sums of the same numbers in another order differ by less, other draws by more
_SAME = 1e-7


def _t(D: Floats, alpha: float, repetitions: int, seed: int) -> tuple[Floats, Floats, int]:
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        # They are of differences that are equal on all topics.
        warnings.simplefilter("ignore", RuntimeWarning)
        p = stats.ttest_1samp(D, 0.0, axis=1).pvalue
    needed = stats.t.ppf(1 - alpha / 2, D.shape[1] - 1) * stats.sem(D, axis=1)
    return np.where(np.isnan(p), 1.0, p), needed, 0


def _bootstrap(D: Floats, alpha: float, repetitions: int, seed: int) -> tuple[Floats, Floats, int]:
    T = D.shape[1]
    draws = generator(seed).multinomial(T, np.full(T, 1 / T), size=repetitions).astype(np.float64).T / T

    def studentised(rows: Floats) -> tuple[Floats, Floats]:
        centred = rows - rows.mean(axis=1, keepdims=True)
        mean = centred @ draws
        variance = np.maximum((centred**2) @ draws - mean**2, 0.0)
        return _t_value(mean, variance, T), _t_value(rows.mean(axis=1), rows.var(axis=1), T)

    p, critical = _shares(D, studentised, alpha, repetitions)
    error = np.sqrt(D.var(axis=1) / (T - 1))
    return p, np.multiply(critical, error, out=np.zeros(len(D)), where=error > 0), repetitions


def _t_value(mean: Floats, variance: Floats, T: int) -> Floats:
    """|t| from a mean and the population variance.

    It is infinite where only the variance is 0, which rounding may hide.
    """
    flat = variance <= _SAME**2
    error = np.sqrt(np.where(flat, 1.0, variance) / (T - 1))
    return np.where(flat, np.where(np.abs(mean) <= _SAME, 0.0, np.inf), np.abs(mean) / error)


def _randomisation(D: Floats, alpha: float, repetitions: int, seed: int) -> tuple[Floats, Floats, int]:
    T = D.shape[1]
    signs, exact = drawn_signs(T, repetitions, seed)

    def means(rows: Floats) -> tuple[Floats, Floats]:
        return np.abs(rows @ signs.T) / T, np.abs(rows.mean(axis=1))

    p, needed = _shares(D, means, alpha, len(signs), observed_is_drawn=exact)
    return p, needed, len(signs)


def drawn_signs(T: int, repetitions: int, seed: int) -> tuple[Floats, bool]:
    """Signs for T topics (draws x T), and whether they are all that there are."""
    if T < 63 and repetitions >= 2**T:
        minus = (np.arange(2**T)[:, None] >> np.arange(T)) & 1
        return (1 - 2 * minus).astype(np.float64), True
    return (1 - 2 * generator(seed).integers(0, 2, size=(repetitions, T))).astype(np.float64), False


def _shares(
    D: Floats,
    statistic: Callable[[Floats], tuple[Floats, Floats]],
    alpha: float,
    draws: int,
    observed_is_drawn: bool = False,
) -> tuple[Floats, Floats]:
    """P values (pairs) and the value of the statistic that 1 - alpha of the draws stay below (pairs)."""
    p, critical = np.empty((2, len(D)))
    step = max(1, _CELLS // draws)
    for start in range(0, len(D), step):
        part = slice(start, start + step)
        drawn, observed = statistic(D[part])
        extreme = (drawn >= observed[:, None] * (1 - _SAME) - _SAME).sum(axis=1)
        p[part] = extreme / draws if observed_is_drawn else (extreme + 1) / (draws + 1)
        critical[part] = np.quantile(drawn, 1 - alpha, axis=1, method="higher")
    p[~D.any(axis=1)] = 1.0
    return p, critical


TESTS: Mapping[str, Callable[[Floats, float, int, int], tuple[Floats, Floats, int]]] = {
    "t": _t,
    "bootstrap": _bootstrap,
    "randomisation": _randomisation,
}
"""The tests by name.

Of differences (pairs x T), alpha, repetitions and seed, they give p values and differences needed (a value
for each pair), and how many draws there were.
"""


_SPELLED = {"randomization": "randomisation", "randomized-tukey": "randomised-tukey"}


def named_test(test: Any, known: Iterable[str] = TESTS) -> Any:
    """The name of a test, however it is spelled; ParameterError where there is none."""
    return one_of("test", _SPELLED.get(test, test) if isinstance(test, str) else test, known)


def corrected(p: Floats, correction: Correction | None) -> Floats:
    """P values of one family of comparisons, corrected for their number.

    Holm: the i-th smallest of n p values, i = 1, ..., n, becomes max over j <= i of (n - j + 1) p_j, and at
    most 1. 'bh' controls the share of false discoveries (Benjamini and Hochberg).

    Examples
    --------
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction is None or not len(p):
        return p
    if correction == "bh":
        return np.asarray(stats.false_discovery_control(p))
    order = np.argsort(p)
    falling = np.arange(len(p), 0, -1)
    found = np.empty(len(p))
    found[order] = np.minimum(np.maximum.accumulate(falling * p[order]), 1.0)
    return found


class TestName(Choice):
    """The name of a test, however it is spelled."""

    def clean(self, name: str, value: Any) -> Any:
        """The name of a test of `TESTS`."""
        return named_test(value)
