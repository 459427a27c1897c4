"""Meta-evaluation on real runs: what must hold there, whatever the figures."""

import numpy as np
import pytest
from scipy import stats

from ir_trunc import meta

MEASURES = "P@10 AP nDCG@10 RBP(p=0.8)"

# The ranks of one run go against its scores.
pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")


@pytest.fixture(scope="module")
def covid(real_data):
    folder = real_data("covid-r1")
    return meta.pooled_runs(folder / "qrels.covid-r1.txt", folder / "runs")


def test_all_pairs_of_143_systems(covid):
    matrix = covid.score(MEASURES)
    found = meta.power(matrix)
    assert found.p.shape == (4, 143 * 142 // 2)
    pairs = found.pairs()
    for row in pairs.sample(40, random_state=0).itertuples():
        a, b = (matrix[row.measure][matrix.systems.index(name)] for name in (row.system, row.other))
        assert row.p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    # The three tests say nearly the same of real scores (Smucker et al. 2007).
    for test in ("bootstrap", "randomisation"):
        np.testing.assert_allclose(meta.power(matrix, test, repetitions=400).share, found.share, atol=0.03)


def test_judgments_below_the_evaluation_depth_change_only_normalised_measures(covid):
    """A pool of all runs that reaches as deep as the evaluation shows every document that counts."""
    for depth in (5, 10):
        raw = [
            covid.score(f"P@{depth} DCG@{depth}", covid.in_pool(pool)).values for pool in (depth, 20, 1000)
        ]
        assert raw[0].tobytes() == raw[1].tobytes() == raw[2].tobytes()
        recall = [covid.score(f"R@{depth}", covid.in_pool(pool)).values for pool in (depth, 1000)]
        assert (recall[0] >= recall[1]).all()
        assert (recall[0] > recall[1]).any()


def test_pools_grow_and_their_coverage_falls(covid):
    sizes = [int(covid.in_pool(depth).sum()) for depth in (1, 5, 20, 100)]
    assert sizes == sorted(sizes)
    assert covid.coverage(5) > covid.coverage(100)
    assert covid.in_pool(5, covid.systems[:70]).sum() < sizes[1]


def test_deeper_measures_are_more_stable_on_a_full_pool(real_data):
    """What Webber et al. and Voorhees & Buckley found everywhere: reciprocal rank is the least stable."""
    folder = real_data("robust03")
    matrix = meta.score_matrix("RR P@10 AP nDCG@1000", folder / "qrels.robust03.txt", folder / "runs")
    share, swaps = meta.power(matrix).share, meta.swap_rates(matrix).sensitivity()["overall_swap_rate"]
    assert share.argmin() == swaps.to_numpy().argmax() == 0
    assert share[2:].min() > share[1]
    assert np.diag(meta.predictivity(matrix, 30).values).argmin() == 0
