"""Figures that Peñas & Rodrigo (2011) print in their Table 3."""

import pytest

from ir_trunc import calc, calc_aggregate
from ir_trunc._core.rankings import Rankings

TABLE_3 = [
    ("icia091ro", 0.58, 0.47, 237, 156, 107),
    ("uaic092ro", 0.47, 0.47, 236, 264, 0),
    ("loga092de", 0.44, 0.37, 187, 230, 83),
    ("base092de", 0.38, 0.38, 189, 311, 0),
]


def answers(correct: int, wrong: int, unanswered: int) -> Rankings:
    lists = [[1]] * correct + [[None]] * wrong + [[]] * unanswered
    names = [f"{number:03}" for number in range(len(lists))]
    return Rankings.from_lists(
        lists, [[1]] * len(lists), topics=names, scores=[[0.5] * len(row) for row in lists]
    )


@pytest.mark.parametrize(("system", "c_at_1", "accuracy", "n_ac", "n_aw", "n_u"), TABLE_3)
def test_table_3(system, c_at_1, accuracy, n_ac, n_aw, n_u):
    values = calc_aggregate("c@1 c(unanswered=0)@1 UF UF(price=9.5)", None, answers(n_ac, n_aw, n_u))
    assert round(values["c@1"], 2) == c_at_1
    assert round(values["c(unanswered=0)@1"], 2) == accuracy
    assert values["UF"] == pytest.approx((n_ac - n_aw) / 500)
    assert values["UF(price=9.5)"] == pytest.approx((n_ac - 9.5 * n_aw) / 500)


def test_all_readings_of_an_unanswered_question():
    n_ac, n_aw, n_u = 3, 1, 4
    n = n_ac + n_aw + n_u
    readings = {
        "c@1": n_ac / n + n_ac / n * n_u / n,
        "c(unanswered=0)@1": n_ac / n,
        "c(unanswered=1)@1": (n_ac + n_u) / n,
        "c(unanswered=0.5)@1": (n_ac + 0.5 * n_u) / n,
        "c(unanswered='precision')@1": n_ac / (n_ac + n_aw),
        "c(unanswered='error')@1": n_ac / n + n_aw / (n_ac + n_aw) * n_u / n,
    }
    values = calc_aggregate(list(readings), None, answers(n_ac, n_aw, n_u))
    assert {str(measure): value for measure, value in values.items()} == pytest.approx(readings)


def test_confidence_weighted_score_by_hand():
    lists, scores = [[1], [None], [1], []], [[0.2], [0.9], [0.5], []]
    run = Rankings.from_lists(lists, [[1]] * 4, scores=scores)
    assert calc("CWS", None, run).values[0].tolist() == pytest.approx([2 / 3, 0 / 1, 1 / 2, 2 / 4])


def test_k1_counts_confidence_for_or_against():
    run = Rankings.from_lists([[1], [None], []], [[1]] * 3, scores=[[0.75], [0.5], []])
    assert calc("K1", None, run).values[0].tolist() == [0.75, -0.5, 0]


def test_k1_refuses_scores_that_are_no_self_scores():
    run = Rankings.from_lists([[1]], [[1]], scores=[[17.0]])
    with pytest.raises(ValueError, match="topic 1 has 17 for its first document"):
        calc("K1", None, run)
