"""Significance tests and discriminative power: equal to their reference implementations and to scipy."""

from itertools import combinations

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import matrices, random_matrix
from scipy import stats

from ir_trunc import meta
from ir_trunc._core.parameters import generator


@given(matrices)
def test_t_test_is_scipys_paired_one(matrix):
    found = meta.power(matrix)
    for scores, p in zip(matrix.values, found.p):
        for (a, b), value in zip(combinations(scores, 2), p):
            if (a == b).all():
                assert value == 1
            elif np.ptp(a - b) > 0:
                np.testing.assert_allclose(value, stats.ttest_rel(a, b).pvalue, rtol=1e-9)
            else:
                assert value == 0  # the same difference on every topic


REFERENCES = {
    "bootstrap": (plain.bootstrap_p, lambda rng, T: rng.multinomial(T, np.full(T, 1 / T), size=50)),
    "randomisation": (plain.randomisation_p, lambda rng, T: 1 - 2 * rng.integers(0, 2, size=(50, T))),
}


@pytest.mark.parametrize("test", REFERENCES)
@given(matrices, st.integers(0, 99))
def test_tests_that_draw_equal_their_references(test, matrix, seed):
    found, (expected, draw) = meta.power(matrix, test, repetitions=50, seed=seed), REFERENCES[test]
    assert found.repetitions == 50
    draws = draw(generator(seed), len(matrix.topics)).tolist()
    for scores, p in zip(matrix.values, found.p):
        np.testing.assert_allclose(p, [expected(D, draws) for D in plain.differences(scores.tolist())])


def test_exact_randomisation_is_scipys_permutation_test():
    matrix = random_matrix(5, M=1, S=4, T=7)
    found = meta.power(matrix, "randomisation", repetitions=128)
    assert found.repetitions == 128
    for D, p in zip(plain.differences(matrix.values[0].tolist()), found.p[0]):
        exact = stats.permutation_test((D,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
        np.testing.assert_allclose(p, exact)


def test_the_name_of_a_test_may_be_spelled_either_way():
    matrix = random_matrix(5, M=1, S=3, T=7)
    british, american = (meta.power(matrix, f"randomi{letter}ation", repetitions=9) for letter in "sz")
    assert american.test == british.test == "randomisation"
    assert american.p.tolist() == british.p.tolist()


def test_the_difference_needed_is_where_the_t_test_turns():
    """A pair shifted to just above its needed difference is significant, just below it is not."""
    matrix = random_matrix(1, M=1, S=2, T=12)
    matrix.values[0, 1] = np.arange(12) % 3
    needed = meta.power(matrix).needed[0, 0]
    D = matrix.values[0, 0] - matrix.values[0, 1]
    for factor, significant in ((1.001, True), (0.999, False)):
        shifted = D - D.mean() + factor * needed
        assert (stats.ttest_1samp(shifted, 0).pvalue < 0.05) == significant


def test_corrections_equal_their_references():
    matrix = random_matrix(9, M=3, S=6, T=9)
    p, holm, bh = (meta.power(matrix, correction=name).p for name in (None, "holm", "bh"))
    np.testing.assert_allclose(holm, [plain.holm(row) for row in p.tolist()])
    np.testing.assert_allclose(bh, [stats.false_discovery_control(row) for row in p])


def test_p_values_as_a_matrix_and_as_pairs():
    matrix = random_matrix(2)
    found = meta.power(matrix)
    square, pairs = found.matrix("m1"), found.pairs()
    assert np.diag(square).tolist() == [1.0] * 5
    for row in pairs[pairs["measure"] == "m1"].itertuples():
        assert square.loc[row.system, row.other] == square.loc[row.other, row.system] == row.p
        a, b = (matrix["m1"][matrix.systems.index(name)].mean() for name in (row.system, row.other))
        assert row.difference == pytest.approx(a - b, abs=1e-9)
    assert found.to_pandas()["discriminative_power"].tolist() == pytest.approx((found.p < 0.05).mean(axis=1))


def test_overlap_of_significant_pairs():
    found = meta.power(random_matrix(5, M=3, S=8), alpha=0.3)
    significant = [{pair for pair, p in enumerate(row) if p < 0.3} for row in found.p]
    table = found.overlap()
    for (first, one), (second, other) in combinations(zip(found.measures, significant), 2):
        assert one != other
        assert table.loc[first, second] == table.loc[second, first] == len(one & other) / len(one | other)
    assert (np.diag(table) == 1).all()
    nothing = meta.power(random_matrix(5, M=2, S=3), correction="holm", alpha=1e-9)
    assert nothing.overlap().isna().all(axis=None)
