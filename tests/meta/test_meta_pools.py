"""Score matrix, simulated pools, the grid of depths, standardisation: equal to scoring on qrels that are cut
by hand.
"""

import gzip
import json
import math
from itertools import product

import ir_measures
import naive_meta as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ir_trunc
from ir_trunc import meta
from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc.synthetic import demo

MEASURES = "P@3 R@5 AP nDCG@4 RBP(p=0.7,rel=1) Bpref DCG@5"


def collection(seed, systems=5, topics=4):
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {f"s{i}": {} for i in range(systems)}
    for topic in map(str, range(topics)):
        docs = [f"d{i}" for i in range(12)]
        judged = rng.permutation(docs)[: rng.integers(1, 12)]
        qrels[topic] = {str(doc): int(rng.integers(0, 3)) for doc in judged}
        for run in runs.values():
            found = rng.permutation(docs)[: rng.integers(0, 10)]
            run[topic] = {str(doc): float(-rank) for rank, doc in enumerate(found)}
    qrels["0"]["d0"] = 2  # the scale is the same for every collection
    return qrels, runs


collections = st.builds(collection, st.integers(0, 2**32 - 1))


def scores(measures, qrels, runs):
    """Of each run, by ir_trunc on qrels made by hand; every topic has a judgment, so that none is lost."""
    padded = {topic: {"nowhere": 0} | judged for topic, judged in qrels.items()}
    padded["~scale"] = {"top": 2}
    ready = ir_trunc.evaluator(measures, padded)
    found = [ready.calc(run) for run in runs]
    assert {results.topics for results in found} == {(*sorted(qrels), "~scale")}
    return [results.values[:, :-1] for results in found]


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@given(collections, st.integers(1, 10))
def test_a_simulated_pool_scores_like_qrels_cut_by_hand(data, depth):
    qrels, runs = data
    simulated = meta.pooled_runs(qrels, runs)
    keep = simulated.in_pool(depth, ["s0", "s3"])
    cut = naive.pool(qrels, {name: runs[name] for name in ("s0", "s3")}, depth)
    assert keep.sum() == sum(map(len, cut.values()))
    some, others = "P@3 R@5 AP nDCG@4 DCG@5 RBP(p=0.7,rel=1)", "nDCG RR RBPT(p=0.5) OIE"
    found = np.concatenate([simulated.score(measures, keep).values for measures in (some, others)])
    expected = scores(f"{some} {others}", cut, runs.values())
    np.testing.assert_allclose(found.transpose(1, 0, 2), expected, atol=1e-12)


DEPTHS = {"shallow": (1, 2), "extended": (1, 5), "deep": (5, 5), "all": (None, 5)}


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@given(collections)
def test_conditions_are_scores_by_qrels_and_lists_that_are_cut_by_hand(data):
    qrels, runs = data
    found = meta.conditions("P AP RBP(p={p})", meta.pooled_runs(qrels, runs), DEPTHS, residual=0.2)
    for name, (pool, depth) in DEPTHS.items():
        cut = qrels if pool is None else naive.pool(qrels, runs, pool)
        p = 0.2 ** (1 / depth)
        measures = [f"P@{depth}", f"AP@{depth}", f"RBP(p={p!r})@{depth}"]
        by_measure = np.array([found[f"{measure}, {name}"] for measure in measures])
        expected = scores(measures, cut, runs.values())
        np.testing.assert_allclose(by_measure.transpose(1, 0, 2), expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_conditions_are_told_apart_and_compared_in_one_matrix():
    pools = meta.pooled_runs(*collection(2, systems=6, topics=9))
    first = meta.conditions("nDCG RBP(p=0.8)", pools, DEPTHS)
    assert first.measures[:3] == ("nDCG@2, shallow", "RBP(p=0.8)@2, shallow", "nDCG@5, extended")
    again = meta.conditions(pools, DEPTHS, "nDCG RBP(p=0.8)")  # the pools first, as one says it
    np.testing.assert_array_equal(first.values, again.values)
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


@pytest.mark.parametrize(("measures", "depths", "says"), [
    ("P@5", {"a": (1, 1)}, r"P@5 has a cutoff, and the evaluation depth sets it"),
    ("RBP(p={p})", {"a": (1, None)}, "there is none: write a number"),
    ("P", {}, "depths names no condition"),
    ("P", {"a": (0, 1)}, r"depths\['a'\], pool depth=0 is out of range"),
    ("P", {"a": 10}, r"depths\['a'\]=10: a pool depth and an evaluation depth are needed"),
    ("P", [(1, 1)], "{condition: \\(pool depth, evaluation depth\\)} is needed"),
    ({"b": "P"}, {"a": (1, 1)}, "measures are given for 'b', and the conditions are 'a'"),
    ("", {"a": (1, 1)}, "No measure is given for 'a'"),
    ("Rprec", {"a": (1, 1)}, "Rprec has no parameter 'cutoff'"),
])  # fmt: skip
def test_what_is_wrong_with_a_condition_is_said(measures, depths, says):
    with pytest.raises(IrTruncError, match=says):
        meta.conditions(measures, meta.pooled_runs(*collection(0)), depths)


def test_tables_keep_what_their_user_wrote():
    """And a measure is found by any way to write it."""
    qrels, runs = collection(4)
    wanted = ["RBP(p=0.8)", "RBPT(p=0.8,tail=True)@3", "nDCG(dcg='log2')@2", "AP"]
    matrix = meta.score_matrix(wanted, qrels, runs)
    pools = meta.pooled_runs(qrels, runs)
    left = meta.leave_group_out(wanted, pools, 3)
    for found in (matrix, pools.score(wanted), meta.power(matrix), meta.agreement(matrix)):
        assert list(getattr(found, "measures", None) or found.names) == wanted
    assert left.measures == tuple(wanted)
    assert meta.properties("RBP(p=0.8)", length=4)[0].measure == "RBP(p=0.8)"
    for short, written in (("RBP", wanted[0]), ("RBPT@3", wanted[1]), (ir_measures.nDCG @ 2, wanted[2])):
        np.testing.assert_array_equal(matrix[short], matrix[written])
    assert meta.score_matrix("RBP RBP(p=0.8)", qrels, runs).measures == ("RBP",)  # one measure
    reference = meta.Reference.of(meta.score_matrix("RBP RBPT@3 nDCG@2 AP", qrels, runs))
    np.testing.assert_array_equal(
        reference.standardise(matrix).values, meta.Reference.of(matrix).standardise(matrix).values
    )


def test_the_discount_of_2002_is_named_where_ndcg_has_none():
    with pytest.raises(ir_trunc.ParameterError, match=r"anDCG\(dcg='jk'\)@k is nDCG@k with"):
        ir_trunc.parse_measure("nDCG(dcg='jk')@10")


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@given(collections)
def test_the_whole_pool_scores_like_calc(data):
    qrels, runs = data
    found = meta.pooled_runs(qrels, runs).score(MEASURES)
    assert found.values.tobytes() == meta.score_matrix(MEASURES, qrels, runs).values.tobytes()
    ready = ir_trunc.evaluator(MEASURES, qrels)
    for name, values in zip(found.systems, found.values.transpose(1, 0, 2)):
        np.testing.assert_array_equal(values, ready.calc(runs[name]).values)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@given(collections, st.integers(1, 8))
def test_each_group_left_out(data, depth):
    qrels, runs = data
    groups = {name: "ab"[at % 2] for at, name in enumerate(runs)}
    found = meta.leave_group_out("AP P@3", meta.pooled_runs(qrels, runs), depth, groups)
    frame = found.to_pandas().set_index(["measure", "system"])
    by_all = scores("AP P@3", naive.pool(qrels, runs, depth), runs.values())
    full = {name: values.mean(axis=1) for name, values in zip(runs, by_all)}
    for name in runs:
        others = {other: run for other, run in runs.items() if groups[other] != groups[name]}
        (values,) = scores("AP P@3", naive.pool(qrels, others, depth), [runs[name]])
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


def test_grid_of_depths_and_forms():
    """Every cell is the discriminative power of scores that are made by hand."""
    qrels, runs = collection(11, systems=6, topics=9)
    texts = ["P", "DCG", "RBP(p={p}, rel=1)"]
    grid = meta.pool_grid(texts, meta.pooled_runs(qrels, runs), (1, 3, 5), (3, 5), residual=0.2)
    cells = grid.to_pandas().set_index(["pool_depth", "depth", "measure", "form"])["discriminative_power"]
    assert len(cells) == 3 * 2 * 3 * 3
    for pool_depth, depth in product((1, 3, 5), (3, 5)):
        cut = naive.pool(qrels, runs, pool_depth)
        assert grid.judged[grid.pool_depths.index(pool_depth)] == sum(map(len, cut.values()))
        for text in texts:
            measure = text.replace("{p}", repr(0.2 ** (1 / depth))) + f"@{depth}"
            *found, ideal = scores(measure, cut, [*runs.values(), naive.ideal_run(cut)])
            raw, best = np.array(found)[:, 0], ideal[0]
            forms = {
                "raw": raw,
                "normalised": [[x / top if top else 0.0 for x, top in zip(row, best)] for row in raw],
                "standardised": np.array([naive.standardised(list(column)) for column in raw.T]).T,
            }
            for form, values in forms.items():
                matrix = meta.ScoreMatrix(("m",), tuple(runs), tuple(qrels), np.array([values]))
                assert cells[pool_depth, depth, text, form] == meta.power(matrix).share[0]


def test_grid_marks_full_and_extended_assessment():
    qrels, runs = collection(1)
    grid = meta.pool_grid(["P"], meta.pooled_runs(qrels, runs), (2, 5), (2, 5), ["raw"])
    marks = {(row.pool_depth, row.depth): row.assessment for row in grid.to_pandas().itertuples()}
    assert marks == {(2, 2): "full", (2, 5): "extended", (5, 2): "deeper", (5, 5): "full"}
    assert "extended" in repr(grid)


def test_normalised_scores_are_the_measures_that_webber_names():
    """AP over its ideal is aAP, DCG over its ideal anDCG, P over its ideal is what R abbreviated to k would
    be.
    """
    qrels, runs = collection(3, systems=8, topics=6)
    pools = meta.pooled_runs(qrels, runs)
    grid = meta.pool_grid(["AP", "DCG(dcg='jk')", "RBP(p=0.6, rel=1)"], pools, (4,), (3,), ["normalised"])
    named = pools.score("aAP@3 anDCG(dcg='jk')@3 nRBP(p=0.6,rel=1)@3", pools.in_pool(4))
    np.testing.assert_array_equal(grid.share.ravel(), meta.power(named).share)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_coverage_tells_how_much_of_a_pool_was_judged():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 3.0, "n": 2.0, "b": 1.0}}, "y": {"1": {"n": 1.0}}}
    pools = meta.pooled_runs(qrels, runs)
    assert pools.coverage(1) == 1 / 2
    assert pools.coverage(3) == 2 / 4
    assert pools.coverage(3, ["x"]) == 2 / 3


def test_a_saved_reference_standardises_new_systems(tmp_path):
    qrels, runs = collection(5, systems=7)
    matrix = meta.score_matrix("AP P@5", qrels, runs)
    meta.Reference.of(matrix.take(["s0", "s1", "s2"])).save(tmp_path / "reference.json")
    loaded = meta.Reference.load(tmp_path / "reference.json")
    assert loaded.systems == 3
    new = loaded.standardise(matrix.take(["s5"], ["2", "0"]))
    for measure in matrix.measures:
        for at, topic in enumerate(("2", "0")):
            column = matrix.topics.index(topic)
            known = [matrix[measure][system, column] for system in range(3)]
            mean, sd = np.mean(known), np.std(known)
            expected = (matrix[measure][5, column] - mean) / sd if max(known) > min(known) else 0.0
            assert new[measure][0, at] == pytest.approx(expected)


ONE = {"shape": [1, 1], "values": [0.5]}


def saved(**changed):
    data = {"measures": ["AP"], "topics": ["1"], "systems": 3, "mean": ONE, "sd": ONE} | changed
    return json.dumps({"ir_trunc": "Reference", "format": 1, "data": data})


def array(*values):
    return {"shape": [1, len(values)], "values": values}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "nested too deeply"),
        (saved()[:-2] + ', "systems": 4}}', "the name 'systems' twice"),
        (saved(mean=array(math.nan)), "NaN is not a JSON number"),
        (saved(mean=array("NaN")), "mean and sd: finite numbers are needed"),
        (saved().replace("0.5", "1e999"), "mean, value 0 is inf: a number is needed"),
        (saved(mean=array(10**400)), "mean, value 0 is 1000"),
        (saved().replace("3", "1e999"), "systems is inf: a whole number is needed"),
        (saved(systems="3"), "systems is '3': a whole number is needed"),
        (saved(systems=0), "systems is 0: at least one is needed"),
        (saved(sd=array(-0.1)), "no standard deviation below 0"),
        (saved(measures="A"), "measures is 'A': a list is needed"),
        (saved(topics=[1]), r"topics\[0\] is 1: a text is needed"),
        (saved(mean=array("0.5")), "mean, value 0 is '0.5': a number is needed"),
        (saved(mean=array(0.5, 0.5)), "mean has the shape .* one value for measures x topics is needed"),
        ("[]", "is not a result that Reference.save wrote"),
    ],
)
def test_a_reference_that_was_not_saved_is_refused(tmp_path, text, says):
    (tmp_path / "reference.json").write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        meta.Reference.load(tmp_path / "reference.json")
    assert "reference.json" in str(caught.value)


def test_a_score_matrix_from_a_folder_paths_and_a_mapping(tmp_path):
    for name in demo.SYSTEMS:
        data = (demo.data() / f"{name}.run").read_bytes()
        (tmp_path / f"{name}.run.gz").write_bytes(gzip.compress(data))
    qrels = demo.data() / "demo.qrels"
    matrix = meta.score_matrix("AP RBPT(p=0.5)", qrels, tmp_path)
    assert matrix.systems == tuple(f"{name}.run" for name in sorted(demo.SYSTEMS))
    paths = meta.score_matrix("AP RBPT(p=0.5)", qrels, sorted(tmp_path.iterdir()))
    mapped = meta.score_matrix(
        "AP RBPT(p=0.5)", qrels, {path.name: path for path in sorted(tmp_path.iterdir())}
    )
    assert matrix.values.tobytes() == paths.values.tobytes() == mapped.values.tobytes()
    assert matrix[ir_measures.AP].shape == (3, len(matrix.topics))
    assert matrix.to_pandas().loc[("says-little.run", "nothing-to-find"), "RBPT(p=0.5)"] == 1
    assert matrix.joined({"again": matrix}).measures == (
        "AP",
        "RBPT(p=0.5)",
        "AP, again",
        "RBPT(p=0.5), again",
    )


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda pools, path: meta.score_matrix("AP", {"q": {"a": 1}}, path), "holds no files"),
    (lambda pools, path: meta.score_matrix("AP", {"q": {"a": 1}}, []), "There is no run"),
    (lambda pools, path: pools.in_pool(0), "pool depth=0"),
    (lambda pools, path: pools.in_pool(1, ["s9"]), "'s9'"),
    (lambda pools, path: pools.score("infAP"), "infAP is not computed"),
    (lambda pools, path: meta.pool_grid(["P"], pools, forms=["x"]), "forms='x'"),
    (lambda pools, path: meta.pool_grid(["RBP(p={p})"], pools, residual=1), "residual=1"),
    (lambda pools, path: meta.pool_grid([], pools), "at least one measure"),
    (lambda pools, path: meta.leave_group_out("AP", pools, 1, {"s0": "a"}), "system s1 has none"),
    (lambda pools, path: meta.Reference.load(__file__), "test_meta_pools.py cannot be read as JSON"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says, tmp_path):
    with pytest.raises(IrTruncError, match=says):
        wrong(meta.pooled_runs(*collection(0)), tmp_path)
