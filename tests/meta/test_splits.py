"""Split tests and predictivity: equal to plain loops over the halves."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matrices import matrices, matrix_of, random_matrix
from scipy import stats

from ir_trunc import InputError, meta
from ir_trunc._core.parameters import generator


def _gap_and_p(x, y):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of differences that are all equal
        return float(np.mean(x - y)), stats.ttest_rel(x, y).pvalue if (x != y).any() else 1.0


@settings(max_examples=5)
@given(matrices, st.integers(0, 99), st.sampled_from([0.05, 0.3]))
def test_split_tests_equal_their_reference(matrix, seed, alpha):
    """Zobel 1998, as Webber et al. 2010, section 2, name it: tests on one half, orders on the other."""
    found, rng = meta.split_tests(matrix, 5, alpha=alpha, seed=seed), generator(seed)
    splits = [rng.permutation(8) for _ in range(5)]
    for scores, *counts in zip(matrix.values, found.significant, found.repeated, found.reversed):
        expected = []
        for x, y in combinations(scores, 2):
            halves = [[_gap_and_p(x[half], y[half]) for half in (split[:4], split[4:])] for split in splits]
            on_second = [(gap * other, p) for (gap, first), (other, p) in halves if first < alpha]
            again = [product > 0 and p < alpha for product, p in on_second]
            expected.append([len(on_second), sum(again), sum(product < 0 for product, _ in on_second)])
        assert np.transpose(counts).tolist() == expected


def test_split_tests_tell_real_differences_from_chance():
    """Real ones are repeated; of the others 5 % are significant on one half, and half of these reversed."""
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(1, 6, 61)) + 2 * np.arange(6)[:, None]
    found = meta.split_tests(matrix_of(np.concatenate([apart, rng.normal(size=(1, 6, 61))])), 40)
    of_real, (significant, repeated, reversed_) = found.to_pandas().to_numpy().tolist()
    assert (found.size, of_real) == (30, [1, 1, 0])
    assert 0.01 < significant < 0.1
    assert repeated < 0.2 < reversed_
    with pytest.raises(InputError, match="3 topics: two halves for a test need at least four"):
        meta.split_tests(random_matrix(1, T=3))


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
