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
    return Rankings.from_lists(lists, [[1]] * len(lists), topics=names)


@pytest.mark.parametrize(("system", "c_at_1", "accuracy", "n_ac", "n_aw", "n_u"), TABLE_3)
def test_table_3(system, c_at_1, accuracy, n_ac, n_aw, n_u):
    values = calc_aggregate("c@1 c(unanswered=0)@1 UF UF(price=9.5)", None, answers(n_ac, n_aw, n_u))
    assert round(values["c@1"], 2) == c_at_1
    assert round(values["c(unanswered=0)@1"], 2) == accuracy
    assert values["UF"] == pytest.approx((n_ac - n_aw) / 500)
    assert values["UF(price=9.5)"] == pytest.approx((n_ac - 9.5 * n_aw) / 500)


def test_k1_refuses_scores_that_are_no_self_scores():
    run = Rankings.from_lists([[1]], [[1]], scores=[[17.0]])
    with pytest.raises(ValueError, match="topic 1 has 17 for its first document"):
        calc("K1", None, run)
