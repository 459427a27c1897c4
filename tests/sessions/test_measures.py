"""Measures of several searches for one question."""

import math

import numpy as np
import pytest
from generated import in_sessions, queries, rankings_of, setting_of
from hypothesis import given, strategies as st
from messages import refused
from reference_measures import REFERENCES

import ir_trunc
from ir_trunc import ParameterError
from ir_trunc.measures import lookup

pytestmark = pytest.mark.filterwarnings("ignore:.*several searches")
BOTH = ("sDCG", "nsDCG")
QRELS = {"q": {"a": 2, "c": 1, "z": 3}}
RUN = {"q/1": {"b": 0.9, "a": 0.5}, "q/2": {}, "q/3": {"a": 0.8, "c": 0.7}}


def calc(measures, run=RUN, **options):
    return ir_trunc.calc(measures, QRELS, run, keys="question/search", **options).values[:, 0].tolist()


@pytest.mark.parametrize("name", BOTH)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_prefix_is_the_session_before_the_next_new_document(name, seed):
    (q,) = in_sessions(queries(seed, 1), seed)
    curve = lookup(name).bind({"k": 2}).curve(rankings_of([q])).values
    for depth, value in enumerate(curve):
        ended: list[list[int]] = []
        for search in q.searches:
            new = next((at for at, document in enumerate(search) if document > depth), len(search))
            ended.append(search[:new])
            if new < len(search):
                break
        cut = q.__class__(q.grades[:depth], q.judged, q.scores[:depth], searches=ended)
        setting = setting_of([q], lookup(name).bind({}), {"k": 2})
        assert value == pytest.approx(REFERENCES[name](cut, setting))


@given(seed=st.integers(0, 2**32 - 1))
def test_one_search_is_DCG_and_a_patient_searcher_pays_nothing(seed):
    plain = queries(seed, 4)
    one = rankings_of(plain)
    for k in (None, 3):
        dcg = lookup("DCG").bind({"cutoff": k}).score(one)
        np.testing.assert_allclose(lookup("sDCG").bind({"k": k}).score(one), dcg, atol=1e-12)
    several = rankings_of(in_sessions(plain, seed))
    bases = [lookup("sDCG").bind({"bq": bq}).score(several) for bq in (1.5, 4, 1e9)]
    assert (bases[0] <= bases[1] + 1e-12).all()
    assert (bases[1] <= bases[2] + 1e-12).all()


def test_a_session_by_hand():
    """a at rank 2 of the first search, c at rank 2 of the third; the empty search counts."""
    third = 1 + math.log(3, 4)
    expected = 2 / math.log2(3) + 1 / third / math.log2(3)
    assert calc("sDCG sDCG(bq=2)", searches="sequence") == pytest.approx(
        [expected, 2 / math.log2(3) + 1 / (1 + math.log2(3)) / math.log2(3)]
    )
    best = 3 + 2 / math.log2(3) + 1 / third
    assert calc("nsDCG", searches="sequence") == pytest.approx([expected / best])
    # At 1 only b and the second time of a are seen: a counts where it is seen first.
    assert calc("sDCG@1", searches="sequence") == pytest.approx([2 / third])


def test_what_keeps_no_searches_apart_is_refused():
    for how in ("union", "last"):
        refused(ParameterError, f"searches='{how}'.*with searches='sequence'", calc, "nsDCG", searches=how)
