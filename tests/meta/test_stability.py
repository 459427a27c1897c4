"""Error rates, swap rates, halves of topics and Cov: equal to reference implementations."""

import warnings
from itertools import combinations, product

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, settings, strategies as st
from matrices import matrices, matrix_of, random_matrix
from scipy import stats

from ir_trunc import meta
from ir_trunc._core.parameters import generator
from ir_trunc._inference import significance
from ir_trunc.meta import stability
from ir_trunc.meta.stability import BINS


def drawn_sets(matrix, size, sets, repetitions, seed):
    which = np.zeros(len(matrix.topics), dtype=np.int8)
    for number in range(sets):
        which[number * size : (number + 1) * size] = number + 1
    pairs = len(matrix.systems) * (len(matrix.systems) - 1) // 2
    drawn = generator(seed).permuted(np.broadcast_to(which, (pairs, repetitions, len(which))), axis=2)
    return [[[np.flatnonzero(row == number + 1) for number in range(sets)] for row in pair] for pair in drawn]


@given(matrices, st.integers(0, 99), st.integers(1, 8), st.sampled_from(["score", "spread"]))
def test_error_rates_equal_their_reference(matrix, seed, size, relative_to):
    found = meta.error_rates(matrix, size, repetitions=20, seed=seed, relative_to=relative_to)
    sets = [[own[0] for own in pair] for pair in drawn_sets(matrix, size, 1, 20, seed)]
    assert [len(topics) for topics in sets[0]] == [size] * 20
    for scores, errors, ties in zip(matrix.values, found.errors, found.ties):
        spread = [float(np.ptp(scores.mean(axis=1)))] * (relative_to == "spread")
        for f, error, tie in zip(found.fuzziness, errors, ties):
            expected = plain.error_rate_and_ties(scores.tolist(), sets, f, *spread)
            np.testing.assert_allclose((error, tie), expected, atol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.05, 0.2]))
def test_intervals_of_sensitivity_equal_their_reference(seed, width):
    """The systems that are drawn bring the comparisons of their pairs; a system drawn twice is not compared
    with itself.
    """
    rng = np.random.default_rng(seed)
    comparisons = rng.integers(0, 30, (1, BINS, 10))
    swaps = rng.binomial(comparisons, 0.15)
    ties = rng.binomial(comparisons[:, 0] - swaps[:, 0], rng.choice([0.5, 1]))
    swaps[:, 0] *= rng.integers(0, 2)
    found = meta.SwapRates(("m",), tuple("abcde"), comparisons, swaps, ties, width, 5, 100, 7, np.ones(1))
    drawn, edges = [], []
    of_systems = [[1] * 5, *generator(7).multinomial(5, np.full(5, 0.2), size=60).tolist()]
    for times in of_systems:
        weights = [times[i] * times[j] for i, j in combinations(range(5), 2)]
        tied = [ties[0], *np.zeros((BINS - 1, 10))]
        bins = [[np.dot(x, weights) for x in counts] for counts in zip(comparisons[0], swaps[0], tied)]
        edge, share = plain.sensitivity(bins, width)
        edges.append(edge)
        drawn.append(share)
    point, edge, share = found.sensitivity().iloc[0], edges.pop(0), drawn.pop(0)
    assert point["share"] == pytest.approx(share)
    assert point["overall_swap_rate"] == pytest.approx(swaps.sum() / comparisons.sum())
    np.testing.assert_allclose(point["difference"], edge if edge < np.inf else np.nan)
    row = found.intervals(0.9, 60).iloc[0]
    assert row["difference_low"] == pytest.approx(sorted(edges)[2])
    assert row["difference_high"] == pytest.approx(sorted(edges)[56])
    assert (row["share_low"], row["share_high"]) == pytest.approx((sorted(drawn)[2], sorted(drawn)[56]))


@given(matrices, st.integers(0, 99), st.integers(1, 4))
def test_swap_rates_equal_their_reference(matrix, seed, size):
    found = meta.swap_rates(matrix, size, repetitions=20, seed=seed)
    sets = drawn_sets(matrix, size, 2, 20, seed)
    assert all(not set(first) & set(second) for pair in sets for first, second in pair)
    for at, scores in enumerate(matrix.values):
        expected = np.array(plain.swaps(scores.tolist(), sets, 0.01))
        np.testing.assert_array_equal(found.comparisons[at].sum(axis=1), expected[:, 0])
        np.testing.assert_array_equal(found.swaps[at].sum(axis=1), expected[:, 1])
        rates = [swaps / all_of if all_of > ties else np.nan for all_of, swaps, ties in expected]
        np.testing.assert_array_equal(found.rates[at], rates)


def test_a_first_bin_of_zeros_alone_says_nothing_of_swaps():
    """Differences are 0 or 1 here: a difference of 0 is never swapped."""
    matrix = matrix_of(np.array([[[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]]], dtype=float))
    found = meta.swap_rates(matrix, size=1, repetitions=200)
    assert found.comparisons[0, 0].sum() == found.ties.sum() > 0
    assert np.isnan(found.rates[0, 0])
    assert found.rates[0, -1] > 0.05
    assert np.isnan(found.sensitivity()["difference"].iloc[0])
    assert found.sensitivity(limit=1)["difference"].iloc[0] == pytest.approx(0.2)
    assert found.intervals(limit=1)["difference_low"].iloc[0] == pytest.approx(0.2)


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
    monkeypatch.setattr(significance, "_CELLS", 1)
    np.testing.assert_array_equal(meta.error_rates(matrix).fewer_wins, errors.fewer_wins)
    np.testing.assert_array_equal(meta.swap_rates(matrix).swaps, swaps.swaps)
    np.testing.assert_array_equal(meta.power(matrix, "bootstrap").p, bootstrap.p)


def test_intervals_hold_the_figure_and_shrink_with_confidence():
    scores = np.random.default_rng(1).normal(size=(1, 20, 30)) + np.linspace(0, 1, 20)[None, :, None]
    matrix = matrix_of(scores)
    found = meta.power(matrix)
    (low, high), (low_50, high_50) = (found.intervals(confidence=c).iloc[0] for c in (0.95, 0.5))
    assert low < low_50 < found.share[0] < high_50 < high
    assert (meta.power(matrix, seed=1).intervals() != found.intervals()).any(axis=None)
    errors = meta.error_rates(matrix)
    bounds = errors.intervals(0.05, repetitions=200).iloc[0]
    assert bounds["error_low"] < errors.errors[0, 4] < bounds["error_high"]
    assert bounds["ties_low"] < errors.ties[0, 4] < bounds["ties_high"]
    swaps = meta.swap_rates(matrix, width=0.1)
    figures, bounds = swaps.sensitivity().iloc[0], swaps.intervals(repetitions=200).iloc[0]
    assert bounds["difference_low"] <= figures["difference"] <= bounds["difference_high"]
    assert bounds["share_low"] <= figures["share"] <= bounds["share_high"]
    assert bounds["low"] < figures["overall_swap_rate"] < bounds["high"]


def test_the_best_score_of_a_loss_is_the_lowest():
    frame = matrix_of(np.random.default_rng(7).random((2, 6, 12)).round(2)).to_pandas()
    matrix = meta.ScoreMatrix.from_pandas(frame.set_axis(("AP", "HarmCompat"), axis=1))
    table = meta.swap_rates(matrix, repetitions=5).sensitivity()
    assert table["best_score"].tolist() == [matrix.means()[0].max(), matrix.means()[1].min()]


def test_swap_rates_are_drawn_in_percent_at_the_edges_of_their_bins():
    swaps = meta.swap_rates(random_matrix(3, M=2, S=6, T=12), width=0.1)
    drawn = {line.get_label(): line.get_xydata() for line in swaps.plot().lines}
    for name, rates in zip(swaps.measures, swaps.rates):
        np.testing.assert_allclose(drawn[name], np.column_stack([0.1 * np.arange(len(rates)), 100 * rates]))


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
