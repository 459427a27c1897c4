"""Predictivity: the mean tau over halves of the topics."""

import numpy as np
from matrices import random_matrix
from scipy import stats

from ir_trunc import meta
from ir_trunc._core.parameters import generator


def test_predictivity_is_the_mean_tau_over_halves():
    matrix = random_matrix(4, M=2, S=6, T=9)
    found = meta.predictivity(matrix, repetitions=10, seed=3)
    rng, total = generator(3), np.zeros((2, 2))
    for _ in range(10):
        order = rng.permutation(9)
        halves = [matrix.values[:, :, order[:4]].mean(axis=2), matrix.values[:, :, order[4:8]].mean(axis=2)]
        total += [[stats.kendalltau(x, y).statistic for y in halves[1]] for x in halves[0]]
    np.testing.assert_allclose(found.values, total / 10)
    bounds = found.intervals(repetitions=20)
    assert (bounds["low"] <= bounds["high"]).all()
    assert (bounds["high"] <= 1).all()
