"""P values: of Student's paired test, and corrected for their number."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ir_trunc._core.arrays import Floats

_EQUAL = 1e-14  # relative to their mean, values that differ by less are equal

PairTest = Literal["t", "bounded", "bootstrap", "randomisation", "sign", "tukey", "randomised-tukey"]
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
    return np.minimum(holm(p), 1.0)


def holm(p: Floats) -> Floats:
    """P values corrected by Holm, which may be above 1."""
    order, adjusted = np.argsort(p), np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    return adjusted


def units_needed(alpha: float) -> int:
    """The fewest units that have to differ before a test can show anything: 2^(1 - k) is at most alpha."""
    return math.ceil(1 - math.log2(alpha) - 1e-9)


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
