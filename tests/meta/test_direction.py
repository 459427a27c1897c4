"""A loss and the same with the opposite sign give the same conclusions in every procedure of scores."""

import numpy as np
import pytest
from matrices import matrix_of

from ir_trunc import meta
from ir_trunc.meta.matrix import higher_is_better

SCORES = np.random.default_rng(7).random((2, 6, 12)).round(2)


def both():
    """A matrix of two gains, and one in which the second is a loss with the opposite sign."""
    gain, loss = ("AP", "RBP"), ("AP", "HarmCompat")
    matrices = []
    for names, sign in ((gain, 1), (loss, -1)):
        frame = matrix_of([SCORES[0].tolist(), (sign * SCORES[1]).tolist()]).to_pandas()
        matrices.append(meta.ScoreMatrix.from_pandas(frame.set_axis(names, axis=1)))
    return matrices


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_ap_b", "rbo"])
def test_coefficients(coefficient):
    gain, loss = (meta.agreement(matrix, coefficient) for matrix in both())
    np.testing.assert_array_equal(gain.values, loss.values)


@pytest.mark.parametrize("conclusion", [
    lambda matrix: meta.coverage(matrix, matrix.measures[1]).cov,
    lambda matrix: meta.coverage(matrix, list(matrix.measures)).uir,
    lambda matrix: meta.predictivity(matrix, repetitions=5).taus,
    lambda matrix: meta.swap_rates(matrix, repetitions=20).rates,
    lambda matrix: meta.swap_rates(matrix, repetitions=20).sensitivity()[["difference", "share"]],
    lambda matrix: meta.error_rates(matrix, repetitions=20).errors,
    lambda matrix: meta.power(matrix).p,
    lambda matrix: meta.agreement(meta.power(matrix)).values,
])  # fmt: skip
def test_conclusions(conclusion):
    gain, loss = map(conclusion, both())
    np.testing.assert_array_equal(gain, loss)


def test_the_best_score_of_a_loss_is_the_lowest():
    gain, loss = both()
    table = meta.swap_rates(loss, repetitions=5).sensitivity()
    assert table.loc["HarmCompat", "best_score"] == loss.means()[1].min()
    assert table.loc["AP", "best_score"] == gain.means()[0].max()


def test_a_system_that_was_left_out_loses_places_where_its_loss_grows():
    qrels = {"q": {"a": 1, "b": -1, "c": -1}}
    pools = meta.pooled_runs(qrels, {"one": {"q": ["a", "b"]}, "two": {"q": ["a", "c", "b"]}})
    left = meta.leave_group_out("HarmCompat", pools, depth=3).to_pandas().set_index("system")
    assert left.loc["one", ["full", "without"]].tolist() == sorted(left.loc["one", ["full", "without"]])
    assert (left["loss"] == left["without"] - left["full"]).all()


def test_conditions_have_the_direction_of_their_measure():
    values = np.ones((4, 1))
    names = ["HarmCompat@5, deep", "AP@5, deep", "HarmCompat", "a measure of one's own"]
    assert higher_is_better(names, values).ravel().tolist() == [-1, 1, -1, 1]
