"""Simulated pools, conditions and the grid of depths: equal to scoring on qrels that are cut by hand."""

from itertools import product

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import collection, collections, scores

import ir_trunc
from ir_trunc import meta

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
            above, before = (sum(x > own + 1e-12 for x in rivals) for own in (without[at], full[name][at]))
            assert row["places_lost"] == above - before


def test_coverage_tells_how_much_of_a_pool_was_judged():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 3.0, "n": 2.0, "b": 1.0}}, "y": {"1": {"n": 1.0}}}
    pools = meta.pooled_runs(qrels, runs)
    assert pools.coverage(1) == 1 / 2
    assert pools.coverage(3) == 2 / 4
    assert pools.coverage(3, ["x"]) == 2 / 3


def test_a_system_that_was_left_out_loses_places_where_its_loss_grows():
    qrels = {"q": {"a": 1, "b": -1, "c": -1}}
    pools = meta.pooled_runs(qrels, {"one": {"q": ["a", "b"]}, "two": {"q": ["a", "c", "b"]}})
    left = meta.leave_group_out("HarmCompat", pools, depth=3).to_pandas().set_index("system")
    assert left.loc["one", ["full", "without"]].tolist() == sorted(left.loc["one", ["full", "without"]])
    assert (left["loss"] == left["without"] - left["full"]).all()


DEPTHS = {"shallow": (1, 2), "extended": (1, 5), "deep": (5, 5), "all": (None, 5)}


@given(collections)
def test_conditions_are_scores_by_qrels_and_lists_that_are_cut_by_hand(data):
    qrels, runs = data
    found = meta.conditions("P AP RBP(p={p})", meta.pooled_runs(qrels, runs), DEPTHS, residual=0.2)
    for name, (pool, depth) in DEPTHS.items():
        cut = qrels if pool is None else plain.pool(qrels, runs, pool)
        columns = [at for at, measure in enumerate(found.measures) if measure.endswith(f", {name}")]
        measures = [found.measures[at].removesuffix(f", {name}") for at in columns]
        assert measures[:2] == [f"P@{depth}", f"AP@{depth}"]
        assert ir_trunc.parse_measure(measures[2])["p"] == pytest.approx(0.2 ** (1 / depth))
        by_measure = found.values[columns]
        expected = scores(measures, cut, runs.values())
        np.testing.assert_allclose(by_measure.transpose(1, 0, 2), expected, atol=1e-12)


def test_conditions_are_told_apart_and_compared_in_one_matrix():
    pools = meta.pooled_runs(*collection(2, systems=6, topics=9))
    first = meta.conditions("nDCG RBP(p=0.8)", pools, DEPTHS)
    assert first.measures[:3] == ("nDCG@2, shallow", "RBP(p=0.8)@2, shallow", "nDCG@5, extended")
    each = meta.conditions(dict.fromkeys(DEPTHS, "nDCG") | {"all": "Q P"}, pools, DEPTHS)
    assert each.measures[-2:] == ("Q@5, all", "P@5, all")
    assert meta.agreement(meta.power(first)).values.shape == (8, 8)
    fed = meta.conditions("P", pools, {"a": (1, 5)}, pooled=["s0"])
    np.testing.assert_array_equal(fed.values, pools.score("P@5", pools.in_pool(1, ["s0"])).values)


def test_a_pool_that_few_have_judged_is_said():
    runs = {"x": {"1": {doc: -float(rank) for rank, doc in enumerate("abcdefgh")}}}
    pools = meta.pooled_runs({"1": {"a": 1, "b": 0}}, runs)
    with pytest.warns(ir_trunc.IrTruncWarning, match="deep: 25 % of the first 8 ranks of the pooled runs"):
        meta.conditions("P", pools, {"shallow": (2, 5), "deep": (8, 8)})


def test_grid_of_depths_and_forms():
    """Every cell is the discriminative power of scores that are made by hand."""
    qrels, runs = collection(11, systems=6, topics=9)
    texts = ["P", "DCG", "RBP(p={p}, rel=1)"]
    grid = meta.pool_grid(texts, meta.pooled_runs(qrels, runs), (1, 3, 5), (3, 5), residual=0.2)
    cells = grid.to_pandas().set_index(["pool_depth", "depth", "measure", "form"])["discriminative_power"]
    assert len(cells) == 3 * 2 * 3 * 3
    for pool_depth, depth in product((1, 3, 5), (3, 5)):
        cut = plain.pool(qrels, runs, pool_depth)
        assert grid.judged[grid.pool_depths.index(pool_depth)] == sum(map(len, cut.values()))
        for text in texts:
            measure = text.replace("{p}", repr(0.2 ** (1 / depth))) + f"@{depth}"
            *found, ideal = scores(measure, cut, [*runs.values(), plain.ideal_run(cut)])
            raw, best = np.array(found)[:, 0], ideal[0]
            forms = {"raw": raw, "standardised": np.transpose([plain.standardised([*of]) for of in raw.T])}
            forms["normalised"] = [[x / top if top else 0.0 for x, top in zip(row, best)] for row in raw]
            for form, values in forms.items():
                matrix = meta.ScoreMatrix(("m",), tuple(runs), tuple(qrels), np.array([values]))
                assert cells[pool_depth, depth, text, form] == meta.power(matrix).share[0]


def test_grid_marks_full_and_extended_assessment():
    qrels, runs = collection(1)
    grid = meta.pool_grid(["P"], meta.pooled_runs(qrels, runs), (2, 5), (2, 5), ["raw"])
    marks = {(row.pool_depth, row.depth): row.assessment for row in grid.to_pandas().itertuples()}
    assert marks == {(2, 2): "full", (2, 5): "extended", (5, 2): "deeper", (5, 5): "full"}
    assert "extended" in repr(grid)


@pytest.mark.needs("plots")
def test_the_whole_grid_is_drawn_with_a_panel_for_each_measure_and_form():
    pools = meta.pooled_runs(*collection(1))
    grid = meta.pool_grid(["P", "RBP(p={p})"], pools, (2, 5), (2, 5, 9), ["raw", "standardised"])
    figure = grid.plot_all().figure
    panels = np.array(figure.axes).reshape(2, 2)
    for m, f in np.ndindex(2, 2):
        full, *lines = (line.get_xydata().T.tolist() for line in panels[m, f].lines)
        assert full == [[2, 5], [grid.share[0, 0, m, f], grid.share[1, 1, m, f]]]
        assert lines == [[[2, 5, 9], grid.share[pool, :, m, f].tolist()] for pool in (0, 1)]
    assert [ax.get_title() for ax in figure.axes] == ["raw score", "standardised", "", ""]
    assert [ax.get_ylabel() for ax in figure.axes] == ["P", "", "RBP(p=by depth)", ""]
    assert [bool(ax.get_xlabel()) for ax in figure.axes] == [False, False, True, True]
    assert [text.get_text() for text in figure.legends[0].texts] == ["full assessment", "pool 2", "pool 5"]
    assert len(meta.pool_grid(["P"], pools, (2,), (2,), ["raw"]).plot_all().figure.axes) == 1
