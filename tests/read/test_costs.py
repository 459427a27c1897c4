"""Costs of documents: by hand, by their door, and through policies. The laws hold them for every measure."""

import numpy as np
import pandas as pd
import pytest
from generated import queries, rankings_of
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import calc, curves, parse_measure
from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import Greedy

pl = pytest.importorskip("polars")

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}


def frame(costs=(0.4, 0.3, 0.1, 0.2)):
    """Neither topics nor documents are in order."""
    return pd.DataFrame(
        {
            "query_id": ["2", "1", "1", "1"],
            "doc_id": ["d", "c", "a", "b"],
            "score": [1.0, 1.0, 3.0, 2.0],
            "cost": costs,
        }
    )


@pytest.mark.parametrize("form", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_costs_take_the_place_of_effort_in_ranked_order(form):
    values = calc("FlatU DCGU FlatU(e=0.5) iRBU iRBU(gain='exp')", QRELS, form(frame())).values
    assert values[0] == pytest.approx([(1 - 0.1) + (0 - 0.2) + (1 - 0.3), 1 - 0.4])
    assert values[1, 0] == pytest.approx((1 - 0.1) - 0.2 / np.log2(3) + (1 - 0.3) / 2)
    assert (values[2] == values[0]).all()
    assert (values[3:] == calc("iRBU iRBU(gain='exp')", QRELS, frame().drop(columns="cost")).values).all()


@given(seed=st.integers(0, 500).map(lambda half: 2 * half + 1), e=st.sampled_from([0.0, 0.05, 0.5]))
def test_equal_costs_are_a_constant_effort(seed, e):
    run = queries(seed, 6)
    plain = rankings_of(run)
    costly = Rankings.from_lists(
        [q.grades for q in run], [q.judged for q in run], costs=[[e] * len(q.grades) for q in run]
    )  # fmt: skip
    measures = f"FlatU(e={e}) DCGU(e={e}) RBPU(e={e}) ERRU(e={e}) RBU(e={e})"
    for (_, a), (_, b) in zip(curves(measures, None, plain).items(), curves(measures, None, costly).items()):
        np.testing.assert_allclose(a.values, b.values, rtol=1e-12, atol=1e-12)


def test_policies_weigh_costs():
    """The second relevant document is not worth its price."""
    lists, costs = [[1, 1]] * 4, [[0.1, 2.0]] * 4
    cheap, dear = Rankings.from_lists(lists), Rankings.from_lists(lists, costs=costs)
    assert Greedy().fit(cheap, "FlatU").k == 2
    assert Greedy().fit(dear, "FlatU").k == 1
    assert curves("FlatU", None, dear)[parse_measure("FlatU")].best()[0].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0.1, 0.1, -0.2, 0.1], "topic 1, document a: cost -0.2: a finite number >= 0 is needed"),
        ([0.1, 0.2, 0.1, np.inf], "topic 1, document b: cost inf"),
        ([0.1, 0.2, 0.1, np.nan], "topic 1, document b: cost nan"),
        (["x", "y", "z", "w"], "topic 2, document d: cost 'x' is not a number"),
    ],
)
def test_wrong_costs_name_topic_and_document(bad, message):
    with pytest.raises(InputError, match=message):
        calc("FlatU", QRELS, frame(bad))


def test_costs_of_plain_lists_are_counted():
    with pytest.raises(InputError, match="1 costs for 2 documents"):
        Rankings.from_lists([[1, 0]], costs=[[0.5]])
