"""Agreement of measures: the coefficients between their orderings."""

import json
import math
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from matrices import matrix_of, random_matrix
from messages import refused
from scipy import stats

from ir_trunc import InputError, meta


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


def test_systems_that_tie_are_not_ordered_by_rounding():
    """The same scores in another order of topics may add up to another last bit."""
    scores = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.9, 0.4])
    orders = [np.random.default_rng(seed).permutation(scores) for seed in range(40)]
    matrix = matrix_of([orders])
    assert len({order.mean() for order in orders}) > 1
    assert len(set(matrix.means()[0])) == 1


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_ap_b", "rbo"])
def test_intervals_of_an_ordering_with_itself_are_one(coefficient):
    """An item that is drawn twice is no disagreement."""
    found = meta.agreement({"a": [5, 1, 4, 2, 3], "b": [5, 1, 4, 2, 3]}, coefficient)
    low, high = found.interval("a", "b", repetitions=50)
    assert high == pytest.approx(1)
    assert low in (pytest.approx(1), 0)  # 0 where one item alone was drawn
    assert math.isfinite(low)


def test_block_means_are_those_of_the_paper():
    """Webber, Moffat & Zobel (2010), section 4.1: .905, .860 and .767, here of rounded taus."""
    table = json.loads((files("ir_trunc") / "_reproduce" / "printed.json").read_text())["webber2010"][
        "table_2"
    ]
    names, rows = table["measures"], table["rows"]
    values = np.eye(len(names))
    for row, taus in enumerate(rows):
        values[row, row + 1 :] = values[row + 1 :, row] = taus
    found = meta.Agreement(tuple(names), values, "tau", "systems", np.zeros((len(names), 1)), 0.9)
    blocks = {name: "10" if name.endswith("@10") or name == "RBP.8" else "1000" for name in names}
    means = found.block_means(blocks)
    np.testing.assert_allclose(means, [[0.905, 0.767], [0.767, 0.86]], rtol=0, atol=0.0011)


def test_blocks_are_cutoffs_or_conditions():
    found = meta.agreement({"AP@10": [3, 1, 2], "P@10": [3, 2, 1], "AP@5": [1, 2, 3]})
    means = found.block_means()
    assert list(means) == ["10", "5"]
    assert means.loc["10", "10"] == pytest.approx(found.values[0, 1])
    assert means.loc["5", "10"] == pytest.approx(np.mean(found.values[2, :2]))
    assert np.isnan(means.loc["5", "5"])
    assert list(meta.agreement({"AP@10, deep": [1, 2], "AP@5, flat": [1, 2]}).block_means()) == [
        "deep",
        "flat",
    ]
    refused(InputError, "blocks: AP@5 is in no block", found.block_means, {"AP@10": "a", "P@10": "a"})


@pytest.mark.parametrize(("coefficient", "expected"), [
    ("tau_ap", 2 * (1 / 1 + 2 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5 - 1),
    ("rbo", 0.8**6 + 0.25 * sum(A * 0.8**d for d, A in enumerate((1, 1, 2 / 3, 2 / 4, 4 / 5, 1), 1))),
])  # fmt: skip
def test_the_pairs_with_the_lowest_p_values_come_first(coefficient, expected):
    """Both measures have the same two lowest p values; the four others are in opposite orders."""
    power = meta.power(random_matrix(3, M=2, S=4))
    p = np.array([[0.001, 0.01, 0.2, 0.5, 0.6, 0.9], [0.002, 0.02, 0.9, 0.6, 0.5, 0.3]])
    found = meta.agreement(replace(power, p=p), coefficient, 0.8)
    assert found.values[0, 1] == found.values[1, 0] == pytest.approx(expected)
