"""Unanimous improvement and Cov: equal to their reference implementations."""

from itertools import product

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import matrices, matrix_of, random_matrix
from scipy import stats

from ir_trunc import meta
from ir_trunc._core.parameters import generator


@given(matrices, st.integers(0, 99))
def test_uir_equals_its_reference_exact_and_sampled(matrix, seed):
    T, reference = len(matrix.topics), matrix.values.tolist()
    exact = meta.coverage(matrix, matrix.measures, None)
    assert exact.topic_pairs == T * T
    np.testing.assert_allclose(exact.uir, plain.uir(reference, list(product(range(T), repeat=2))), atol=1e-12)
    np.testing.assert_allclose(exact.uir, -exact.uir.T, atol=1e-12)
    sampled = meta.coverage(matrix, matrix.measures, 30, seed)
    drawn = generator(seed).integers(0, T, size=(2, 30)).T.tolist()
    np.testing.assert_allclose(sampled.uir, plain.uir(reference, drawn), atol=1e-12)


def test_cov_is_spearman_over_ordered_pairs():
    matrix = random_matrix(8, M=3, S=6)
    found = meta.coverage(matrix, ["m0", "m1"], None)
    ordered = [(s, t) for s in range(6) for t in range(6) if s != t]
    for means, cov in zip(matrix.means(), found.cov):
        gaps = [means[s] - means[t] for s, t in ordered]
        assert cov == pytest.approx(stats.spearmanr(gaps, [found.uir[s, t] for s, t in ordered]).statistic)
    assert found.to_pandas()["cov"].is_monotonic_decreasing
    constant = matrix_of(np.concatenate([matrix.values[:2], np.ones((1, 6, 8))]))
    assert meta.coverage(constant, ["m0", "m1"], None).cov[2] == 0  # m2 prefers no system
