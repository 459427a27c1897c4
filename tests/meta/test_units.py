"""Scores of lists with keys: procedures test and draw whole units."""

import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, meta

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
    qrels, runs = nested
    lines = [f"{each} 0 {doc} {grade}\n" for each, judged in qrels.items() for doc, grade in judged.items()]
    (tmp_path / "q.txt").write_text("".join(lines), encoding="utf-8")
    for name, run in runs.items():
        ranked = ((each, k, doc) for each, docs in run.items() for k, doc in enumerate(docs))
        rows = [f"{each} Q0 {doc} {k} {9 - k} {name}\n" for each, k, doc in ranked]
        (tmp_path / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    files = [str(tmp_path / "q.txt"), *(str(tmp_path / f"{name}.run") for name in runs)]
    status, out, _ = command("meta", "power", *files, "RR", "--keys", KEYS, "--unit", "question")
    questions = {each.rpartition("/")[0] for each in qrels}
    assert (status, f"{len(questions)} questions" in " ".join(out.split())) == (0, True)
