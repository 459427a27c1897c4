"""Power, agreement, stability, predictivity, unanimity: equal to their naive twins, and lawful."""

import sys
from itertools import combinations, product

import naive_meta as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ir_trunc import meta
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError
from ir_trunc._core.parameters import generator
from ir_trunc.meta import stability
from ir_trunc.meta.power import corrected
from ir_trunc.meta.stability import BINS


def matrix_of(values, measures=None):
    values = np.asarray(values, dtype=np.float64)
    M, S, T = values.shape
    names = measures or [f"m{i}" for i in range(M)]
    return meta.ScoreMatrix(
        tuple(names), tuple(f"s{i}" for i in range(S)), tuple(str(t) for t in range(T)), values
    )


def random_matrix(seed, M=2, S=5, T=8):
    """Few different values, so that ties are common; the last system is a copy of the first."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(M, S, T)) / 4 * rng.integers(0, 2, size=(M, S, 1))
    values[:, -1] = values[:, 0]
    return matrix_of(values)


matrices = st.builds(random_matrix, st.integers(0, 2**32 - 1))


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


@given(matrices, st.integers(0, 99))
def test_bootstrap_equals_its_twin(matrix, seed):
    T = len(matrix.topics)
    found = meta.power(matrix, "bootstrap", repetitions=50, seed=seed)
    draws = generator(seed).multinomial(T, np.full(T, 1 / T), size=50)
    for scores, p in zip(matrix.values, found.p):
        np.testing.assert_allclose(
            p, [naive.bootstrap_p(D, draws.tolist()) for D in naive.differences(scores.tolist())]
        )


@given(matrices, st.integers(0, 99))
def test_randomisation_equals_its_twin(matrix, seed):
    found = meta.power(matrix, "randomisation", repetitions=50, seed=seed)
    signs = 1 - 2 * generator(seed).integers(0, 2, size=(50, len(matrix.topics)))
    assert found.repetitions == 50
    for scores, p in zip(matrix.values, found.p):
        np.testing.assert_allclose(
            p, [naive.randomisation_p(D, signs.tolist()) for D in naive.differences(scores.tolist())]
        )


def test_exact_randomisation_is_scipys_permutation_test():
    matrix = random_matrix(5, M=1, S=4, T=7)
    found = meta.power(matrix, "randomisation", repetitions=128)
    assert found.repetitions == 128
    for D, p in zip(naive.differences(matrix.values[0].tolist()), found.p[0]):
        exact = stats.permutation_test((D,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
        np.testing.assert_allclose(p, exact)


def test_the_difference_needed_is_where_the_t_test_turns():
    """A pair shifted to just above its needed difference is significant, just below it is not."""
    matrix = random_matrix(1, M=1, S=2, T=12)
    matrix.values[0, 1] = np.arange(12) % 3
    needed = meta.power(matrix).needed[0, 0]
    D = matrix.values[0, 0] - matrix.values[0, 1]
    for factor, significant in ((1.001, True), (0.999, False)):
        shifted = D - D.mean() + factor * needed
        assert (stats.ttest_1samp(shifted, 0).pvalue < 0.05) == significant


def test_the_three_tests_agree_on_much_data():
    rng = np.random.default_rng(0)
    matrix = matrix_of(rng.normal(size=(1, 8, 60)) + np.linspace(0, 0.8, 8)[None, :, None])
    p = {
        test: meta.power(matrix, test, repetitions=4000).p[0] for test in ("t", "bootstrap", "randomisation")
    }
    np.testing.assert_allclose(p["bootstrap"], p["t"], atol=0.03)
    np.testing.assert_allclose(p["randomisation"], p["t"], atol=0.03)


def test_corrections_equal_their_twins():
    matrix = random_matrix(9, M=3, S=6, T=9)
    p = meta.power(matrix).p
    for row, holm, bh in zip(
        p, meta.power(matrix, correction="holm").p, meta.power(matrix, correction="bh").p
    ):
        np.testing.assert_allclose(holm, naive.holm(row.tolist()))
        np.testing.assert_allclose(bh, naive.benjamini_hochberg(row.tolist()))


def test_holm_equals_statsmodels_and_needs_it_not(monkeypatch):
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 40):
        p = np.round(rng.random(n) ** 3, 2)  # with ties
        np.testing.assert_allclose(corrected(p, "holm"), multipletests(p, method="holm")[1], atol=1e-15)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    assert meta.power(random_matrix(9), correction="holm").p.max() <= 1


def test_randomization_may_be_spelled_in_two_ways():
    one, other = (meta.power(random_matrix(1), f"randomi{letter}ation", repetitions=50) for letter in "sz")
    assert one.test == other.test == "randomisation"
    assert (one.p == other.p).all()


def test_p_values_as_a_matrix_and_as_pairs():
    matrix = random_matrix(2)
    found = meta.power(matrix)
    square, pairs = found.matrix("m1"), found.pairs()
    assert np.diag(square).tolist() == [1.0] * 5
    for row in pairs[pairs["measure"] == "m1"].itertuples():
        assert square.loc[row.system, row.other] == square.loc[row.other, row.system] == row.p
        a, b = (matrix["m1"][matrix.systems.index(name)].mean() for name in (row.system, row.other))
        assert row.difference == pytest.approx(a - b, abs=1e-9)
    assert found.to_pandas()["discriminative_power"].tolist() == (found.p < 0.05).mean(axis=1).tolist()


def test_agreement_of_systems_and_of_p_values():
    matrix = random_matrix(3, M=3, S=7)
    table, p = meta.agreement(matrix), meta.power(matrix)
    assert table.values[0, 2] == table.values[2, 0] == meta.tau(matrix.means()[0], matrix.means()[2])
    assert meta.agreement(p).values[0, 1] == pytest.approx(
        stats.kendalltau(p.p[0].round(9), p.p[1].round(9)).statistic
    )
    ap = meta.agreement(matrix, "tau_ap_b").to_pandas()
    assert ap.loc["m0", "m1"] == ap.loc["m1", "m0"] == meta.tau_ap_b(matrix.means()[0], matrix.means()[1])
    low, high = table.interval("m0", "m2", repetitions=200)
    assert -1 <= low <= high <= 1
    assert meta.agreement({"a": [1, 2], "b": [2, 1]}).values[0, 1] == -1


def drawn_sets(matrix, size, sets, repetitions, seed):
    which = np.zeros(len(matrix.topics), dtype=np.int8)
    for number in range(sets):
        which[number * size : (number + 1) * size] = number + 1
    pairs = len(matrix.systems) * (len(matrix.systems) - 1) // 2
    drawn = generator(seed).permuted(np.broadcast_to(which, (pairs, repetitions, len(which))), axis=2)
    return [[[np.flatnonzero(row == number + 1) for number in range(sets)] for row in pair] for pair in drawn]


@given(matrices, st.integers(0, 99), st.integers(1, 8))
def test_error_rates_equal_their_twin(matrix, seed, size):
    found = meta.error_rates(matrix, size, repetitions=20, seed=seed)
    sets = [[own[0] for own in pair] for pair in drawn_sets(matrix, size, 1, 20, seed)]
    assert [len(topics) for topics in sets[0]] == [size] * 20
    for scores, errors, ties in zip(matrix.values, found.errors, found.ties):
        for f, error, tie in zip(found.fuzziness, errors, ties):
            np.testing.assert_allclose(
                (error, tie), naive.error_rate_and_ties(scores.tolist(), sets, f), atol=1e-12
            )


@given(matrices, st.integers(0, 99))
def test_fuzziness_relative_to_the_spread_equals_its_twin(matrix, seed):
    found = meta.error_rates(matrix, 4, repetitions=20, seed=seed, relative_to="spread")
    sets = [[own[0] for own in pair] for pair in drawn_sets(matrix, 4, 1, 20, seed)]
    for scores, errors, ties in zip(matrix.values, found.errors, found.ties):
        spread = float(np.ptp(scores.mean(axis=1)))
        for f, error, tie in zip(found.fuzziness, errors, ties):
            np.testing.assert_allclose(
                (error, tie), naive.error_rate_and_ties(scores.tolist(), sets, f, spread), atol=1e-12
            )


def test_a_linear_change_of_scale_changes_no_error_rate_relative_to_the_spread():
    matrix = matrix_of(np.random.default_rng(3).random((1, 8, 30)))
    moved = matrix_of(0.5 * matrix.values + 0.5)
    of_spread, of_score = (
        [meta.error_rates(m, relative_to=to) for m in (matrix, moved)] for to in ("spread", "score")
    )
    np.testing.assert_array_equal(of_spread[0].fewer_wins, of_spread[1].fewer_wins)
    assert (of_score[0].fewer_wins != of_score[1].fewer_wins).any()
    assert "fuzziness relative to the spread" in " ".join(repr(of_spread[0]).split())


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.05, 0.2]))
def test_intervals_of_sensitivity_equal_their_twin(seed, width):
    """The systems that are drawn bring the comparisons of their pairs; a system drawn twice is not compared
    with itself.
    """
    rng = np.random.default_rng(seed)
    comparisons = rng.integers(0, 30, (1, BINS, 10))
    swaps = rng.binomial(comparisons, 0.15)
    found = meta.SwapRates(("m",), tuple("abcde"), comparisons, swaps, width, 5, 100, 7, np.ones(1))
    drawn, edges = [], []
    for times in generator(7).multinomial(5, np.full(5, 0.2), size=60).tolist():
        weights = [times[i] * times[j] for i, j in combinations(range(5), 2)]
        bins = [(np.dot(c, weights), np.dot(s, weights)) for c, s in zip(comparisons[0], swaps[0])]
        edge, share = naive.sensitivity(bins, width)
        edges.append(edge)
        drawn.append(share)
    row = found.intervals(0.9, 60).iloc[0]
    assert row["difference_low"] == pytest.approx(sorted(edges)[2])
    assert row["difference_high"] == pytest.approx(sorted(edges)[56])
    assert (row["share_low"], row["share_high"]) == pytest.approx((sorted(drawn)[2], sorted(drawn)[56]))


@given(matrices, st.integers(0, 99), st.integers(1, 4))
def test_swap_rates_equal_their_twin(matrix, seed, size):
    found = meta.swap_rates(matrix, size, repetitions=20, seed=seed)
    sets = drawn_sets(matrix, size, 2, 20, seed)
    assert all(not set(first) & set(second) for pair in sets for first, second in pair)
    for at, scores in enumerate(matrix.values):
        expected = np.array(naive.swaps(scores.tolist(), sets, 0.01))
        np.testing.assert_array_equal(found.comparisons[at].sum(axis=1), expected[:, 0])
        np.testing.assert_array_equal(found.swaps[at].sum(axis=1), expected[:, 1])


def test_sensitivity_is_the_first_bin_with_few_swaps():
    comparisons, swaps = np.zeros((2, 1, BINS, 1), dtype=np.int64)
    comparisons[0, :4, 0], swaps[0, :4, 0] = [100, 50, 40, 10], [30, 3, 2, 1]
    made = (comparisons, swaps, 0.01, 5, 200, 0, np.array([0.8]))
    found = meta.SwapRates(("m",), ("a", "b"), *made).sensitivity()
    assert found.loc["m"].to_dict() == {
        "overall_swap_rate": 36 / 200,
        "difference": 0.02,
        "best_score": 0.8,
        "relative_difference": 0.02 / 0.8,
        "share": 50 / 200,
    }


def test_a_difference_is_relative_to_the_best_system_over_all_topics():
    matrix = random_matrix(7, S=5)
    found = meta.swap_rates(matrix, repetitions=20).sensitivity(limit=1)
    best = [max(np.mean(scores) for scores in of_measure) for of_measure in matrix.values.tolist()]
    assert found["best_score"].tolist() == pytest.approx(best)
    assert found["relative_difference"].tolist() == pytest.approx((found["difference"] / best).tolist())
    below = meta.ScoreMatrix(matrix.measures, matrix.systems, matrix.topics, matrix.values - 10)
    assert meta.swap_rates(below, repetitions=20).sensitivity()["relative_difference"].isna().all()


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    matrix = random_matrix(7, S=9)
    errors, swaps = meta.error_rates(matrix), meta.swap_rates(matrix)
    bootstrap = meta.power(matrix, "bootstrap")
    monkeypatch.setattr(stability, "_CELLS", 1)
    monkeypatch.setattr(sys.modules["ir_trunc.meta.power"], "_CELLS", 1)
    np.testing.assert_array_equal(meta.error_rates(matrix).fewer_wins, errors.fewer_wins)
    np.testing.assert_array_equal(meta.swap_rates(matrix).swaps, swaps.swaps)
    np.testing.assert_array_equal(meta.power(matrix, "bootstrap").p, bootstrap.p)


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


@given(matrices, st.integers(0, 99))
def test_uir_equals_its_twin_exact_and_sampled(matrix, seed):
    T, reference = len(matrix.topics), matrix.values.tolist()
    exact = meta.coverage(matrix, matrix.measures, None)
    assert exact.topic_pairs == T * T
    np.testing.assert_allclose(exact.uir, naive.uir(reference, list(product(range(T), repeat=2))), atol=1e-12)
    np.testing.assert_allclose(exact.uir, -exact.uir.T, atol=1e-12)
    sampled = meta.coverage(matrix, matrix.measures, 30, seed)
    drawn = generator(seed).integers(0, T, size=(2, 30)).T.tolist()
    np.testing.assert_allclose(sampled.uir, naive.uir(reference, drawn), atol=1e-12)


def test_cov_is_spearman_over_ordered_pairs():
    matrix = random_matrix(8, M=3, S=6)
    found = meta.coverage(matrix, ["m0", "m1"], None)
    ordered = [(s, t) for s in range(6) for t in range(6) if s != t]
    for means, cov in zip(matrix.means(), found.cov):
        gaps = [means[s] - means[t] for s, t in ordered]
        assert cov == pytest.approx(stats.spearmanr(gaps, [found.uir[s, t] for s, t in ordered]).statistic)
    assert found.to_pandas()["cov"].is_monotonic_decreasing


@pytest.mark.parametrize("procedure", [
    lambda m, seed: meta.power(m, "bootstrap", seed=seed).p,
    lambda m, seed: meta.power(m, "randomisation", repetitions=99, seed=seed).p,
    lambda m, seed: meta.error_rates(m, seed=seed).fewer_wins,
    lambda m, seed: meta.swap_rates(m, seed=seed).swaps,
    lambda m, seed: meta.predictivity(m, 10, seed).taus,
    lambda m, seed: meta.coverage(m, ["m0"], 50, seed).uir,
    lambda m, seed: meta.power(m, seed=seed).intervals().to_numpy(),
])  # fmt: skip
def test_a_seed_gives_the_same_figures_and_another_one_others(procedure):
    matrix = random_matrix(6, S=8)
    np.testing.assert_array_equal(procedure(matrix, 1), procedure(matrix, 1))
    assert (procedure(matrix, 1) != procedure(matrix, 2)).any()


def test_systems_that_tie_are_not_ordered_by_rounding():
    """The same scores in another order of topics may add up to another last bit."""
    scores = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.9, 0.4])
    orders = [np.random.default_rng(seed).permutation(scores) for seed in range(40)]
    matrix = matrix_of([orders])
    assert len({order.mean() for order in orders}) > 1
    assert len(set(matrix.means()[0])) == 1


def test_intervals_hold_the_figure_and_shrink_with_confidence():
    matrix = matrix_of(
        np.random.default_rng(1).normal(size=(1, 20, 30)) + np.linspace(0, 1, 20)[None, :, None]
    )
    found = meta.power(matrix)
    (low, high), (low_50, high_50) = (found.intervals(confidence=c).iloc[0] for c in (0.95, 0.5))
    assert low < low_50 < found.share[0] < high_50 < high
    errors = meta.error_rates(matrix)
    bounds = errors.intervals(0.05, repetitions=200).iloc[0]
    assert bounds["error_low"] < errors.errors[0, 4] < bounds["error_high"]
    assert bounds["ties_low"] < errors.ties[0, 4] < bounds["ties_high"]
    swaps = meta.swap_rates(matrix, width=0.1)
    low, high, difference_low, difference_high, share_low, share_high = swaps.intervals(repetitions=200).iloc[
        0
    ]
    assert difference_low <= swaps.sensitivity()["difference"].iloc[0] <= difference_high
    assert share_low <= swaps.sensitivity()["share"].iloc[0] <= share_high
    assert low < swaps.sensitivity()["overall_swap_rate"].iloc[0] < high


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda m: meta.power(m, "z"), "test='z' is unknown"),
    (lambda m: meta.power(m, alpha=2), "alpha=2"),
    (lambda m: meta.power(m, correction="x"), "correction='x'"),
    (lambda m: meta.power(m, "bootstrap", repetitions=0), "repetitions=0"),
    (lambda m: meta.power(m, "bootstrap", seed=-1), "seed=-1"),
    (lambda m: meta.power(m.take(topics=["1"])), "at least two"),
    (lambda m: meta.power(m.take(["s1"])), "at least two"),
    (lambda m: meta.power(m).matrix("AP"), "no measure AP here"),
    (lambda m: m.take(["x"]), "'x'"),
    (lambda m: m["nDCG"], "no measure nDCG"),
    (lambda m: meta.agreement(m, "r"), "coefficient='r'"),
    (lambda m: meta.agreement({"a": [1, 2], "b": [1]}), "differ in length"),
    (lambda m: meta.error_rates(m, 9), "size=9"),
    (lambda m: meta.error_rates(m, relative_to="mean"), "relative_to='mean' is unknown"),
    (lambda m: meta.swap_rates(m, 5), "size=5"),
    (lambda m: meta.swap_rates(m, width=0), "width=0"),
    (lambda m: meta.error_rates(m).intervals(0.5), "fuzziness=0.5"),
    (lambda m: meta.predictivity(m.take(topics=["1"])), "at least two topics"),
    (lambda m: meta.coverage(m, []), "No reference"),
    (lambda m: meta.coverage(m, ["AP"]), "no measure AP"),
    (lambda m: matrix_of(m.values * np.nan), "finite"),
    (lambda m: matrix_of(m.values, ["a"]), "shape"),
    (lambda m: m.joined({"x": m.take(["s1"])}), "other systems"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    with pytest.raises(IrTruncError, match=says):
        wrong(random_matrix(0))
    assert issubclass(InputError, ValueError)
    assert issubclass(ParameterError, ValueError)
