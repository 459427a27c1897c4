"""The score matrix: from runs, tables and files, of lists with keys; standardised scores."""

import gzip
import json
import math
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import collection, matrix_of
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, compare, meta
from ir_trunc.meta.matrix import higher_is_better
from ir_trunc.synthetic import demo

QRELS = str(demo.data() / "demo.qrels")

RUNS = [str(demo.data() / f"{name}.run") for name in demo.SYSTEMS]

MATRIX = meta.score_matrix("AP RBPT(p=0.9) c@1", QRELS, RUNS)

BY_LIST = MATRIX.take(measures="AP RBPT(p=0.9)")


def equal(one, other):
    assert (one.measures, one.systems, one.topics) == (other.measures, other.systems, other.topics)
    assert one.values.tobytes() == other.values.tobytes()
    return True


def test_a_score_matrix_from_a_folder_paths_and_a_mapping(tmp_path):
    for name in demo.SYSTEMS:
        data = (demo.data() / f"{name}.run").read_bytes()
        (tmp_path / f"{name}.run.gz").write_bytes(gzip.compress(data))
    qrels = demo.data() / "demo.qrels"
    matrix = meta.score_matrix("AP RBPT(p=0.5)", qrels, tmp_path)
    assert matrix.systems == tuple(f"{name}.run" for name in sorted(demo.SYSTEMS))
    paths = meta.score_matrix("AP RBPT(p=0.5)", qrels, sorted(tmp_path.iterdir()))
    by_name = {path.name: path for path in sorted(tmp_path.iterdir())}
    mapped = meta.score_matrix("AP RBPT(p=0.5)", qrels, by_name)
    assert matrix.values.tobytes() == paths.values.tobytes() == mapped.values.tobytes()
    assert matrix[ir_measures.AP].shape == (3, len(matrix.topics))
    assert matrix.to_pandas().loc[("says-little.run", "nothing-to-find"), "RBPT(p=0.5)"] == 1
    assert " ".join(matrix.joined({"again": matrix}).measures[2:]) == "AP, again RBPT(p=0.5), again"


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
    own = meta.Reference.of(matrix).standardise(matrix)
    np.testing.assert_array_equal(reference.standardise(matrix).values, own.values)


BY_TOPIC = compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic()


@pytest.mark.parametrize("table", [
    BY_LIST.to_pandas(), BY_LIST.to_pandas().reset_index(),
    BY_TOPIC, BY_TOPIC.rename(columns={"query_id": "qid"}), BY_TOPIC.iloc[:, ::-1],
])  # fmt: skip
def test_a_table_becomes_the_matrix_that_it_came_from(table):
    before = table.copy()
    assert equal(meta.ScoreMatrix.from_pandas(table), BY_LIST)
    pd.testing.assert_frame_equal(table, before)
    pa = pytest.importorskip("pyarrow")
    assert equal(meta.ScoreMatrix.from_pandas(pa.Table.from_pandas(pd.DataFrame(table))), BY_LIST)


LONG = pd.DataFrame({"system": [*"sstt"], "query_id": [*"1212"], "measure": "AP", "value": [0.5, 0.25, 0, 1]})


@pytest.mark.parametrize(("table", "says"), [
    (LONG.iloc[:-1], r"'AP' of system 't' on topic '2' has no score \(1 are missing\)"),
    (pd.concat([LONG, LONG.iloc[:1]]), "'AP' of system 's' on topic '1' has two scores"),
    (LONG.assign(value=["x", 1, 2, 3]), "has the score 'x': a finite number is needed"),
    (LONG.assign(value=[True, 1, 2, 3]), "has the score True: a finite number is needed"),
    (LONG.assign(value=[np.nan, 1, 2, 3]), "has the score nan: a finite number is needed"),
    (LONG.assign(value=[np.inf, 1, 2, 3]), "has the score inf: a finite number is needed"),
    (LONG.assign(query_id=[1.0, 2.0, 1.0, 2.0]), "query_id 1.0 is float, not text or a whole number"),
    (LONG.assign(system=[None, "s", "t", "t"]), "row 0: system is missing"),
    (LONG.drop(columns="system"), "the columns system, query_id, measure, value"),
    (LONG.assign(fold=1), "the column 'fold' is not known beside measure and value"),
    (LONG.iloc[:0], "it has no scores"),
    (LONG[["system", "query_id"]], "it has no scores"),
    ([("s", "1", "AP", 0.5)], "table of type list: a DataFrame with scores is needed"),
])  # fmt: skip
def test_a_table_that_is_not_a_matrix_is_refused_with_the_place(table, says):
    refused(InputError, says, meta.ScoreMatrix.from_pandas, table)


def test_a_loaded_matrix_gives_the_same_figures(tmp_path):
    MATRIX.save(tmp_path / "matrix.json")
    loaded = meta.ScoreMatrix.load(tmp_path / "matrix.json")
    assert equal(loaded, MATRIX)
    assert equal(loaded.take(measures="AP RBPT(p=0.9)"), BY_LIST)
    for procedure in (meta.power, meta.error_rates, meta.swap_rates, meta.predictivity):
        assert repr(procedure(loaded.take(measures="AP RBPT(p=0.9)"))) == repr(procedure(BY_LIST))
    np.testing.assert_array_equal(meta.agreement(loaded).values, meta.agreement(MATRIX).values)


@pytest.mark.parametrize("name", ["c@1", "c@1, with a name of its own"])
def test_a_loaded_matrix_says_where_it_lacks_the_lists(name, tmp_path):
    renamed = BY_LIST.joined({"with a name of its own": MATRIX.take(measures="c@1")})
    matrix = MATRIX if name == "c@1" else renamed
    matrix.save(tmp_path / "matrix.json")
    loaded = meta.ScoreMatrix.load(tmp_path / "matrix.json")
    procedures = meta.power, meta.error_rates, meta.swap_rates, meta.predictivity
    for call in (*procedures, lambda m: m.take(topics=m.topics[:1])):
        refused(InputError, f"{name} looks at all lists of a run", call, loaded)
    refused(InputError, "has no score of one topic alone", meta.coverage, loaded, name)
    assert loaded.take(systems=loaded.systems[:2]).means().tolist() == matrix.means()[:, :2].tolist()


def test_a_frame_that_pandas_cannot_hold_is_refused():
    pl = pytest.importorskip("polars")
    columns = {"system": ["a", "b"], "query_id": ["1", "1"], "measure": ["m", "m"]}
    table = pl.DataFrame({**columns, "value": pl.Series([1, 2], dtype=pl.Int128)})
    refused(InputError, r"table: .*cast its values to floats", meta.ScoreMatrix.from_pandas, table)


def test_conditions_have_the_direction_of_their_measure():
    values = np.ones((4, 1))
    names = ["HarmCompat@5, deep", "AP@5, deep", "HarmCompat", "a measure of one's own"]
    assert higher_is_better(names, values).ravel().tolist() == [-1, 1, -1, 1]


def test_without_the_worst_quarter_of_the_systems():
    matrix = matrix_of([[[0.5], [0.1], [0.9], [0.3], [0.2]], [[0.1], [0.2], [0.3], [0.4], [0.5]]])
    assert matrix.without_worst().systems == tuple(matrix.systems[at] for at in (0, 2, 3, 4))
    assert matrix.without_worst(0.5, matrix.measures[1]).systems == matrix.systems[2:]
    assert matrix.without_worst(0.1).systems == matrix.systems
    refused(ParameterError, "share=1 is out of range", matrix.without_worst, 1)


DAYS, QUESTIONS, TOPICS = 4, 3, 11
KEYS = "topic/question/day"


@pytest.fixture(scope="module")
def nested():
    """Qrels and three runs: topics x questions x days, in no even numbers."""
    rng = np.random.default_rng(3)
    questions = [(t, q) for t in range(TOPICS) for q in range(1 + t % QUESTIONS)]
    ids = [f"t{t}/q{q}/{d}" for t, q in questions for d in range(1 + (t + q) % DAYS)]
    qrels = {each: {"a": 1, "b": int(rng.integers(0, 2))} for each in ids}
    runs = {
        name: {each: list(rng.permutation(["a", "b", "c"])[: rng.integers(1, 4)]) for each in ids}
        for name in ("one", "two", "three")
    }
    return qrels, runs


def reference_means(qrels, run, units):
    """Means over days, then over questions, of reciprocal ranks, by topic or by question."""
    questions = {}
    for each, docs in run.items():
        relevant = [rank for rank, doc in enumerate(docs, 1) if qrels[each].get(doc)]
        questions.setdefault(each.rpartition("/")[0], []).append(1 / relevant[0] if relevant else 0.0)
    means = {question: sum(days) / len(days) for question, days in questions.items()}
    if units == "question":
        return means
    topics = {}
    for question, mean in means.items():
        topics.setdefault(question.partition("/")[0], []).append(mean)
    return {topic: sum(each) / len(each) for topic, each in topics.items()}


@pytest.mark.parametrize("unit", [None, "topic", "question"])
def test_a_matrix_has_the_nested_means_of_units(nested, unit):
    qrels, runs = nested
    matrix = meta.score_matrix("RR", qrels, runs, keys=KEYS, unit=unit)
    for system, row in zip(matrix.systems, matrix["RR"]):
        expected = reference_means(qrels, runs[system], unit or "topic")
        assert set(matrix.topics) == set(expected)
        assert row.tolist() == [pytest.approx(expected[each], abs=1e-12) for each in matrix.topics]
    assert matrix.heading == f"ScoreMatrix(1 measure, 3 systems, {len(matrix.topics)} {unit or 'topic'}s)"
    assert f"{len(matrix.topics)} {unit or 'topic'}s" in meta.power(matrix).heading


def test_results_make_the_same_matrix(nested, tmp_path):
    qrels, runs = nested
    results = {name: ir_trunc.calc("RR AP", qrels, run, keys=KEYS) for name, run in runs.items()}
    matrix = meta.ScoreMatrix.from_results(results)
    again = meta.score_matrix("RR AP", qrels, runs, keys=KEYS)
    np.testing.assert_array_equal(matrix.values, again.values)
    matrix.save(tmp_path / "matrix.json")
    assert meta.ScoreMatrix.load(tmp_path / "matrix.json").heading == matrix.heading
    assert matrix.take(systems=["one"]).unit == "topic"


def test_lists_without_keys_are_units_themselves():
    flat = {"q1": {"a": 1}, "q2": {"a": 1}}
    matrix = meta.ScoreMatrix.from_results({"one": ir_trunc.calc("RR c@1", flat, {"q1": ["a"], "q2": []})})
    assert (matrix.topics, matrix.unit, list(matrix.runs)) == (("q1", "q2"), "topic", ["c@1"])


def test_few_units_are_reported_once_and_one_is_refused(nested):
    qrels, runs = nested
    few = {each: judged for each, judged in qrels.items() if each.startswith(("t0/", "t1/"))}
    kept = {name: {each: run[each] for each in few} for name, run in runs.items()}
    with pytest.warns(ir_trunc.IrTruncWarning, match=r"2 topics with keys.*fewer than 10") as caught:
        matrix = meta.score_matrix("RR", few, kept, keys=KEYS)
    assert len(caught) == 1
    assert meta.power(matrix).heading.splitlines()[0].endswith("3 systems, 2 topics")
    one = {each: judged for each, judged in qrels.items() if each.startswith("t2/")}
    kept = {name: {each: run[each] for each in one} for name, run in runs.items()}
    with pytest.raises(InputError, match=r"There is 1 topic: .*at least two; unit="):
        meta.score_matrix("RR", one, kept, keys=KEYS)


@pytest.mark.parametrize(("wrong", "error", "says"), [
    (lambda q, r: meta.score_matrix("RR", q, r, keys=KEYS, unit="month"), ParameterError, "no key 'month'"),
    (lambda q, r: meta.score_matrix("RR", q, r, unit="topic"), ParameterError, "none; keys= names them"),
    (lambda q, r: meta.pooled_runs(q, r, keys=KEYS), ParameterError, "keys.*pools are of topics"),
    (lambda q, r: meta.ScoreMatrix.from_results({}), InputError, "no results"),
    (lambda q, r: meta.ScoreMatrix.from_results({"one": 3}), InputError, r"results\['one'\]"),
    (lambda q, r: meta.ScoreMatrix.from_results(
        {"one": ir_trunc.calc("RR", q, r["one"]), "two": ir_trunc.calc("AP", q, r["one"])}),
     InputError, "two has other measures"),
    (lambda q, r: meta.ScoreMatrix.from_results(
        {"one": ir_trunc.calc("RR", q, r["one"]), "two": ir_trunc.calc("RR", {"q": {"a": 1}}, {"q": []})}),
     InputError, "two has other topics.*missing"),
])  # fmt: skip
def test_what_is_no_matrix_is_refused(nested, wrong, error, says):
    refused(error, says, wrong, *nested)


def test_impact_of_truncation_is_nested(nested):
    qrels, runs = nested
    impact = meta.truncation_impact("RR", qrels, runs, usual="RR", keys=KEYS)
    for system, after in zip(impact.systems, impact.after):
        assert after == pytest.approx(np.mean([*reference_means(qrels, runs[system], "topic").values()]))


def test_the_command_takes_keys_and_a_unit(nested, tmp_path, command):
    named = {"qrels": nested[0]} | nested[1]
    files = {str(tmp_path / f"{name}.json"): data for name, data in named.items()}
    for path, data in files.items():
        Path(path).write_text(json.dumps(data), encoding="utf-8")
    status, out, _ = command("meta", "power", *files, "RR", "--keys", KEYS, "--unit", "question")
    questions = {each.rpartition("/")[0] for each in nested[0]}
    assert (status, f"{len(questions)} questions" in " ".join(out.split())) == (0, True)


def in_form(scores, form):
    """Scores of systems on one topic, without arrays."""
    z_scores = plain.standardised(scores)
    if form == "normal":
        return [(1 + math.erf(z / math.sqrt(2))) / 2 for z in z_scores]
    return z_scores if form == "z" else [min(1.0, max(0.0, 0.15 * z + 0.5)) for z in z_scores]


four = st.lists(st.integers(0, 20), min_size=4, max_size=4)


@given(st.lists(four, min_size=1, max_size=5), st.sampled_from(["normal", "linear", "z"]))
def test_standardised_scores_equal_their_reference(topics, form):
    found = meta.standardised(matrix_of([np.transpose(topics)]), form)
    for at, scores in enumerate(topics):
        assert found.values[0, :, at].tolist() == pytest.approx(in_form(scores, form), abs=1e-12)
        if form != "z":
            assert found.values.min() >= 0
            assert found.values.max() <= 1


def test_a_score_far_from_the_others_is_cut_to_0_or_1():
    """One of 101 systems: z is 10, and the linear form would be 2."""
    for score, bound in ((1, 1), (-1, 0)):
        matrix = matrix_of([[[score], *[[0]] * 100]])
        assert meta.standardised(matrix, "linear").values[0, 0, 0] == bound


def test_a_saved_reference_standardises_new_systems(tmp_path):
    qrels, runs = collection(5, systems=7)
    matrix = meta.score_matrix("AP P@5", qrels, runs)
    meta.Reference.of(matrix.take(["s0", "s1", "s2"])).save(tmp_path / "reference.json")
    loaded = meta.Reference.load(tmp_path / "reference.json")
    assert loaded.systems == 3
    means = np.stack([loaded.mean, loaded.sd], 1).mean(axis=2)
    np.testing.assert_allclose(loaded.summary(), means, rtol=1e-9)
    new = loaded.standardise(matrix.take(["s5"], ["2", "0"]))
    for measure in matrix.measures:
        for at, topic in enumerate(("2", "0")):
            column = matrix.topics.index(topic)
            known = [matrix[measure][system, column] for system in range(3)]
            mean, sd = np.mean(known), np.std(known)
            expected = (matrix[measure][5, column] - mean) / sd if max(known) > min(known) else 0.0
            assert new[measure][0, at] == pytest.approx(expected)


def array(*values):
    return {"shape": [1, len(values)], "values": values}


def saved(**changed):
    data = {"measures": ["AP"], "topics": ["1"], "systems": 3, "mean": array(0.5), "sd": array(0.5)} | changed
    return json.dumps({"ir_trunc": "Reference", "format": 1, "data": data})


@pytest.mark.parametrize(("text", "says"), [
    (saved(topics=["1", "2"], mean=array(0.5, "NaN"), sd=array(0.5, 0.5)),
     "mean and sd: finite numbers are needed"),
    (saved(systems=0), "systems is 0: at least one is needed"),
    (saved(sd=array(-0.1)), "no standard deviation below 0"),
])  # fmt: skip
def test_a_reference_that_was_not_saved_is_refused(tmp_path, text, says):
    (tmp_path / "reference.json").write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        meta.Reference.load(tmp_path / "reference.json")
    assert "reference.json" in str(caught.value)
