"""Simulated pools: equal to scoring on qrels that are cut by hand."""

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import collections, scores
from messages import refused

import ir_trunc
from ir_trunc import IrTruncError, meta

pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
MEASURES = "P@3 R@5 AP nDCG@4 RBP(p=0.7,rel=1) Bpref DCG@5"


@given(collections, st.integers(1, 10))
def test_a_simulated_pool_scores_like_qrels_cut_by_hand(data, depth):
    qrels, runs = data
    simulated = meta.pooled_runs(qrels, runs)
    keep = simulated.in_pool(depth, ["s0", "s3"])
    cut = plain.pool(qrels, {name: runs[name] for name in ("s0", "s3")}, depth)
    assert keep.sum() == sum(map(len, cut.values()))
    some, others = "P@3 R@5 AP nDCG@4 DCG@5 RBP(p=0.7,rel=1)", "nDCG RR RBPT(p=0.5) OIE"
    found = np.concatenate([simulated.score(measures, keep).values for measures in (some, others)])
    expected = scores(f"{some} {others}", cut, runs.values())
    np.testing.assert_allclose(found.transpose(1, 0, 2), expected, atol=1e-12)


@given(collections)
def test_the_whole_pool_scores_like_calc(data):
    qrels, runs = data
    found = meta.pooled_runs(qrels, runs).score(MEASURES)
    assert found.values.tobytes() == meta.score_matrix(MEASURES, qrels, runs).values.tobytes()
    ready = ir_trunc.evaluator(MEASURES, qrels)
    for name, values in zip(found.systems, found.values.transpose(1, 0, 2)):
        np.testing.assert_array_equal(values, ready.calc(runs[name]).values)


@given(collections, st.integers(1, 8))
def test_each_group_left_out(data, depth):
    qrels, runs = data
    groups = {name: "ab"[at % 2] for at, name in enumerate(runs)}
    found = meta.leave_group_out("AP P@3", meta.pooled_runs(qrels, runs), depth, groups)
    frame = found.to_pandas().set_index(["measure", "system"])
    by_all = scores("AP P@3", plain.pool(qrels, runs, depth), runs.values())
    full = {name: values.mean(axis=1) for name, values in zip(runs, by_all)}
    for name in runs:
        others = {other: run for other, run in runs.items() if groups[other] != groups[name]}
        (values,) = scores("AP P@3", plain.pool(qrels, others, depth), [runs[name]])
        without = values.mean(axis=1)
        for at, measure in enumerate(("AP", "P@3")):
            row = frame.loc[(measure, name)]
            assert row["full"] == pytest.approx(full[name][at])
            assert row["without"] == pytest.approx(without[at])
            rivals = [full[other][at] for other in runs if other != name]
            lost = sum(x > without[at] + 1e-12 for x in rivals) - sum(
                x > full[name][at] + 1e-12 for x in rivals
            )
            assert row["places_lost"] == lost


def test_coverage_tells_how_much_of_a_pool_was_judged():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 3.0, "n": 2.0, "b": 1.0}}, "y": {"1": {"n": 1.0}}}
    pools = meta.pooled_runs(qrels, runs)
    assert pools.coverage(1) == 1 / 2
    assert pools.coverage(3) == 2 / 4
    assert pools.coverage(3, ["x"]) == 2 / 3


def test_a_group_of_a_system_that_no_text_names_is_refused():
    pools = meta.pooled_runs({"q": {"a": 1}}, {"one": {"q": ["a"]}})
    refused(IrTruncError, "group", meta.leave_group_out, "AP", pools, depth=1, groups={10**5000: 3})


def test_a_system_that_was_left_out_loses_places_where_its_loss_grows():
    qrels = {"q": {"a": 1, "b": -1, "c": -1}}
    pools = meta.pooled_runs(qrels, {"one": {"q": ["a", "b"]}, "two": {"q": ["a", "c", "b"]}})
    left = meta.leave_group_out("HarmCompat", pools, depth=3).to_pandas().set_index("system")
    assert left.loc["one", ["full", "without"]].tolist() == sorted(left.loc["one", ["full", "without"]])
    assert (left["loss"] == left["without"] - left["full"]).all()
