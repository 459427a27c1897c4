"""The mean of bounded values: reference values, a reference implementation, and laws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from ir_trunc._inference.bounds import below, bootstrap_bounds
from ir_trunc._inference.estimate import CorrectedEstimate, Estimate, RunEstimate, fewest, stacked

UNIT, SIGNED = (0, 1), (-1, 1)
REFERENCE = [  # values, range, mean, 95 %, Student's, two-sided p of 0
    ([1] * 19 + [0], UNIT, 0.95, (0.7513, 0.9987), (0.8453, 1.0547), None),
    ([1] * 20, UNIT, 1, (0.8316, 1), (1, 1), None),
    ([0.2, 0.5, 0.5, 0.9, 1], UNIT, 0.62, (0.2573, 0.8891), (0.2138, 1.0262), None),
    ([0] * 9 + [0.3], UNIT, 0.03, (0.0008, 0.3327), (-0.0379, 0.0979), None),
    ([i / 30 for i in range(1, 31)], UNIT, 0.5167, (0.3968, 0.6346), (0.4071, 0.6262), None),
    ([0] * 10, SIGNED, 0, (-0.3085, 0.3085), (0, 0), 1),
    ([0.5, 0.499], SIGNED, 0.4995, (-0.7629, 0.9209), (0.4931, 0.5059), 0.8895),
    ([0] * 8 + [-1, 0.1], SIGNED, -0.09, (-0.4391, 0.2666), (-0.3198, 0.1398), 1),
]


@pytest.mark.parametrize(("values", "limits", "mean", "bounds", "student", "p"), REFERENCE)
def test_the_table_of_references(values, limits, mean, bounds, student, p):
    estimate = Estimate(np.array(values, float), limits)
    assert estimate.mean == pytest.approx(mean, abs=5.1e-5)
    assert estimate.interval() == pytest.approx(bounds, abs=5.1e-5)
    assert Estimate(estimate.values).student() == pytest.approx(student, abs=5.1e-5)
    if p is not None:
        assert estimate.p() == pytest.approx(p, abs=5.1e-5)


def test_units_with_weights():
    weights = np.repeat([1.0, 3.0], 10)
    assert Estimate(np.full(20, 0.8), UNIT, weights).interval() == pytest.approx((0.6105, 0.8474), abs=5.1e-5)
    assert Estimate(np.ones(20), UNIT, weights).interval() == pytest.approx((0.763, 1), abs=5.1e-4)
    some = np.array([1.0, 0, 0.3, 0.7])
    counted, alone = Estimate(some, UNIT, np.array([1.0, 0, 1, 1])), Estimate(some[[0, 2, 3]], UNIT)
    assert counted.n == 3
    assert counted.mean == pytest.approx(alone.mean, abs=1e-15)
    np.testing.assert_allclose(counted.interval(), alone.interval(), atol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100, 1000, pytest.param(7000, marks=pytest.mark.full)])
def test_a_share_has_the_interval_of_clopper_and_pearson(n):
    for hits in {0, 1, n // 2, n - n // 20, n - 1, n} & {*range(n + 1)}:
        estimate = Estimate(np.repeat([1.0, 0.0], [hits, n - hits]), UNIT)
        for alpha in (0.05, 0.01, 0.0002):
            known = stats.binomtest(hits, n).proportion_ci(1 - alpha)
            np.testing.assert_allclose(estimate.interval(alpha), known, atol=1e-9)
        limit = stats.beta.ppf(0.3, hits + 1, n)
        assert estimate.p_at_most(limit) == pytest.approx(stats.binom.sf(hits - 1, n, limit), abs=2e-7)
        assert estimate.p_at_least(limit) == pytest.approx(stats.binom.cdf(hits, n, limit), abs=2e-7)


@pytest.mark.parametrize("value", [0, 0.3, 1])
@pytest.mark.parametrize("n", [1, 3, 50, 7000])
def test_equal_values(value, n):
    low, high = Estimate(np.full(n, float(value)), UNIT).interval()
    assert low == pytest.approx(value * 0.025 ** (1 / n), abs=1e-9)
    assert high == pytest.approx(value + (1 - value) * (1 - 0.025 ** (1 / n)), abs=1e-9)


def by_quadrature(x):
    """Imhof's integral, over log(u), by an adaptive rule."""
    x = np.array(x)

    def integrand(log):
        u = np.exp(log)
        return np.sin(np.arctan(x * u).sum()) * np.exp(-np.log1p((x * u) ** 2).sum() / 2)

    return 0.5 - integrate.quad(integrand, -40, 40, limit=2000, epsabs=1e-11, points=[0])[0] / np.pi


def test_the_distribution_equals_its_reference():
    random = np.random.default_rng(0)
    for _ in range(60):
        n = random.integers(1, 30)
        values = random.choice([random.random(n), random.beta(0.1, 0.1, n), np.r_[np.ones(n - 1), 0.2]])
        end, limit = random.choice([0.0, 1.0]), random.uniform(0.02, 0.98)
        weights = random.choice([np.ones(n), random.uniform(0.2, 3, n)])
        terms = np.append(weights * (values - limit), weights.max() * (end - limit))
        if (terms > 0).any() and (terms < 0).any():
            expected = pytest.approx(by_quadrature(terms), abs=2e-8)
            assert below(values[None], limit, end, weights)[0] == expected


def pairs(count=300):
    """Scores of two runs of few or many topics, with atoms at both ends."""
    random = np.random.default_rng(2)
    for _ in range(count):
        n = int(random.choice([2, 8, 15, 50, 120]))
        old = np.where(random.random(n) < 0.4, random.integers(0, 2, n), random.random(n))
        change = random.choice([0, 0.1, 1]) * random.normal(size=n)
        yield random, Estimate(np.clip(old + change, 0, 1), UNIT), Estimate(old, UNIT)


@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.weekly)])
def test_bounds_are_inside_the_range_hold_the_mean_and_are_monotone_and_continuous(count):
    for random, new, old in pairs(count):
        difference = new - old
        for estimate, (least, most) in ((new, UNIT), (difference, SIGNED)):
            low, high = estimate.interval()
            assert least <= low <= estimate.mean <= high <= most
        topic = random.integers(new.n)
        worse = new.values.copy()
        worse[topic] *= random.random()
        assert (Estimate(worse, UNIT) - old).bound(0.025, False) <= difference.bound(0.025, False) + 1e-9
        moved = new.values.copy()
        moved[topic] += 1e-6 if moved[topic] < 0.5 else -1e-6
        assert np.abs((Estimate(moved, UNIT) - old).interval() - difference.interval()).max() < 1e-3 * 2


def test_p_values_are_those_of_the_bounds():
    for _, new, old in pairs(40):
        difference = new - old
        for alpha in (0.01, 0.2):
            low, high = difference.bound(alpha, False), difference.bound(alpha, True)
            if low > -1:
                assert difference.p_at_most(low) == pytest.approx(alpha, abs=1e-7)
            if high < 1:
                assert difference.p_at_least(high) == pytest.approx(alpha, abs=1e-7)


def test_many_quantities_are_computed_as_each_alone():
    values = np.random.default_rng(3).beta(0.2, 0.2, (40, 25))
    values[3], values[4, 2] = 1.0, np.nan
    together = Estimate(values, UNIT).interval()
    alone = np.array([Estimate(row, UNIT).interval() for row in values]).T
    np.testing.assert_allclose(together, alone, atol=1e-9)
    assert np.isnan(together[:, 4]).all()
    rows = stacked([Estimate(row, UNIT) for row in values])
    np.testing.assert_array_equal(rows.interval(), together)


def test_a_side_without_a_bound_is_student_s():
    values = np.array([0.1, 0.5, 0.2, 0.9])
    half = stats.t.ppf(0.975, 3) * stats.sem(values)
    low, high = Estimate(values, (-np.inf, 1)).interval()
    assert low == pytest.approx(values.mean() - half)
    assert high == Estimate(values, UNIT).interval()[1]
    t = (values.mean() - 0.2) / stats.sem(values)
    assert Estimate(values).p_at_most(0.2) == pytest.approx(stats.t.sf(t, 3))
    equal = Estimate(np.full(5, 0.3), (0, np.inf)).interval()
    assert equal[0] == pytest.approx(0.3 * 0.025**0.2, abs=1e-9)
    assert np.isnan(equal[1])
    assert Estimate(np.full(5, 0.3)).p_at_most(0) == 1


def test_how_many_units_could_show_a_limit():
    assert [fewest(0.0, -1, -limit) for limit in (0.1, 0.05, 0.02)] == [36, 72, 183]
    for best, limit in ((0.0, -0.1), (1.0, 0.8)):
        end = -1.0 if best == 0 else 0.0
        n = int(fewest(best, end, limit))
        low = [Estimate(np.full(units, best), (end, 1)).interval()[0] for units in (n - 1, n)]
        assert low[0] <= limit < low[1]
    assert fewest(0.5, 0, 0.6) == fewest(0.5, -np.inf, 0.1) == np.inf


def test_a_ratio_is_a_mean_over_the_units_of_its_denominator():
    kept = Estimate.share(np.array([1.0, 0, 1, 0, 1]), np.array([1.0, 1, 1, 0, 1]))
    assert (kept.n, kept.mean) == (4, 0.75)
    np.testing.assert_allclose(kept.interval(), stats.binomtest(3, 4).proportion_ci(), atol=1e-9)
    other = Estimate.share(np.array([0.0, 0, 1, 0, 1]), np.array([1.0, 1, 1, 0, 1]))
    ones = Estimate(np.array([1.0, 0, 0, 0]), SIGNED)
    np.testing.assert_allclose((kept - other).interval(), ones.interval(), atol=1e-9)
    nothing = Estimate.share(np.zeros(3), np.zeros(3))
    assert np.isnan([nothing.mean, *nothing.interval()]).all()


def test_ratios_over_different_units_take_the_bounds_of_both():
    new = Estimate.share(np.array([1.0, 0, 1]), np.array([1.0, 1, 1]))
    old = Estimate.share(np.array([0.0, 0, 1]), np.array([0.0, 0, 1]))
    difference = new - old
    assert (difference.n, difference.mean) == (1, pytest.approx(-1 / 3))
    (low, high), (least, most) = new.interval(0.025), old.interval(0.025)
    np.testing.assert_allclose(difference.interval(0.05), (low - most, high - least))


def test_a_measure_of_the_whole_run_has_bca_but_where_it_is_a_share():
    values = np.random.default_rng(4).random(40)
    run = RunEstimate(values, UNIT, redrawn=lambda drawn: values[drawn].mean(axis=-1), at_once=True)
    known = stats.bootstrap((values,), np.mean, n_resamples=2000, random_state=np.random.default_rng(0))
    assert run.interval() == pytest.approx(known.confidence_interval, abs=0.003)
    assert run.interval()[0] != Estimate(values, UNIT).interval()[0]
    for same in (np.repeat([1.0, 0.0], [17, 3]), np.full(9, 0.4)):
        share = replace(run, values=same, redrawn=lambda drawn, same=same: same[drawn].mean(axis=-1))
        np.testing.assert_array_equal(share.interval(), Estimate(same, UNIT).interval())
    beyond = RunEstimate(np.array([0.2, 1.4, 0.9]), UNIT) - RunEstimate(np.array([0.1, 0.2, 0.4]), UNIT)
    low, high = beyond.interval()
    assert -1 <= low <= beyond.mean <= high <= 1


def judged(labelled, seed=0, topics=300):
    random = np.random.default_rng(seed)
    truth = np.where(random.random(topics) < 0.3, 0, random.random(topics))
    judge = np.clip(truth + random.normal(0, 0.15, topics) + 0.05, 0, 1)
    known = np.arange(topics) < labelled
    estimate = CorrectedEstimate.of(Estimate(truth[known], UNIT), Estimate(judge, UNIT), known)
    return estimate, truth, judge, known


def test_labels_of_two_kinds():
    estimate, truth, judge, known = judged(60)
    n, rest = 60, 240
    covariance = np.cov(truth[known], judge[known])[0, 1]
    weight = covariance / ((1 + n / rest) * judge.var(ddof=1))
    assert estimate.best.weight == pytest.approx(weight)
    values = truth[known] - weight * (judge[known] - judge[~known].mean())
    assert estimate.weight == pytest.approx(weight)
    assert estimate.mean == pytest.approx(values.mean())
    error = np.hypot(values.std(ddof=1) / np.sqrt(n), weight * judge[~known].std(ddof=1) / np.sqrt(rest))
    assert estimate.best.error == pytest.approx(error)
    mean = judge[~known].mean()
    inner = Estimate(values, (-weight * (1 - mean), 1 + weight * mean)).interval()
    half = stats.t.ppf(0.975, rest - 1) * weight * judge[~known].std(ddof=1) / np.sqrt(rest)
    away = np.hypot(inner - values.mean(), half) * [-1, 1]
    np.testing.assert_allclose(estimate.interval(), values.mean() + away, atol=1e-9)
    assert np.ptp(estimate.interval()) < np.ptp(Estimate(truth[known], UNIT).interval())
    low, high = estimate.bound(0.03, False), estimate.bound(0.03, True)
    assert (estimate.p_at_most(low), estimate.p_at_least(high)) == pytest.approx((0.03, 0.03), abs=1e-6)


def test_people_alone_are_taken_where_the_judge_does_not_help():
    few, truth, _, known = judged(19)
    np.testing.assert_array_equal(few.interval(), Estimate(truth[known], UNIT).interval())
    every, truth, *_ = judged(300)
    assert type(every) is Estimate
    np.testing.assert_array_equal(every.interval(), Estimate(truth, UNIT).interval())
    new, *_ = judged(60)
    old, *_ = judged(60, seed=1)
    difference = new - old
    sparse, by_judge = difference.values * (np.arange(60) < 9), Estimate(difference.judge.values, SIGNED)
    few = CorrectedEstimate.of(Estimate(sparse, SIGNED), by_judge, new.labelled)
    assert (few.weight, few.mean) == (0, pytest.approx(sparse.mean()))
    both = stacked([new, old])
    np.testing.assert_allclose(both.interval(), np.array([new.interval(), old.interval()]).T, atol=1e-9)
    np.testing.assert_allclose(both.weight, [new.weight, old.weight])
    np.testing.assert_allclose(both.p_at_most(0.3), [new.p_at_most(0.3), old.p_at_most(0.3)], atol=1e-9)


def test_a_ratio_is_computed_anew_in_each_draw():
    random = np.random.default_rng(0)
    whole, part = random.random(30) + 0.1, random.random(30)
    ratio = RunEstimate.ratio(part, whole, (-np.inf, np.inf))
    assert ratio.mean == pytest.approx(part.sum() / whole.sum()) == pytest.approx(ratio.values.mean())
    of_drawn = lambda drawn: part[drawn].sum() / whole[drawn].sum()  # noqa: E731
    expected = bootstrap_bounds(of_drawn, 30, 0.95, 2000, 0, False, "BCa")
    assert ratio.interval().tolist() == pytest.approx(expected)
