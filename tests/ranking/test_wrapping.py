"""Wrapped runs are what was scored; reports of lists that NIL ends."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from ir_measures import RR

from ir_trunc import (
    InputError,
    NilRule,
    calc,
    evaluator,
    read_answers,
    read_qrels,
    with_effort,
    with_terminal,
)
from ir_trunc.truncation.study import nil_report

RUN = {"1": ["NIL", "a"], "2": ["x", "NIL"], "3": ["NIL"], "4": ["d", "e"]}


def test_a_wrapped_run_keeps_the_answers_behind_one_that_is_none():
    wrapped = with_terminal(read_answers({"1": [["Paris"]]}, "squad"), {"1": [" ", "Paris"]})
    rows = wrapped.run.to_pandas()[["doc_id", "rank", "gain"]].to_numpy().tolist()
    assert rows == [["paris", 1, 1], ["__end__", 2, 1]]


def test_a_wrapped_run_shows_the_terminal_documents():
    qrels = {"1": {"a": 1, "b": 1}, "2": {"x": 0}, "3": {"c": 1}}
    wrapped = with_terminal(qrels, {"1": {"a": 3.0, "z": 2.0}})
    assert wrapped.run.to_pandas()[["query_id", "doc_id", "rank", "gain"]].values.tolist() == [
        ["1", "a", 1, 1.0], ["1", "z", 2, 0.0], ["1", "__end__", 3, 0.5],
        ["2", "__end__", 1, 1.0], ["3", "__end__", 1, 0.0],
    ]  # fmt: skip
    assert wrapped.qrels.set_index(["query_id", "doc_id"])["relevance"]["2", "__end__"] == 1
    with pytest.raises(InputError, match="__end__ documents already"):
        with_terminal(qrels, wrapped.run)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_a_list_at_the_imposed_depth_is_not_wrapped():
    wrapped = with_terminal({"1": {"a": 0}}, {"1": ["x", "y"]}, depth=2)
    assert "__end__" not in set(wrapped.run.to_pandas()["doc_id"]) | set(wrapped.qrels["doc_id"])


def test_effort_beside_every_document():
    qrels, run = {"1": {"a": 1}}, {"1": ["x", "a"]}
    wrapped = with_effort(qrels, run, e=0.25).run.to_pandas()
    assert wrapped[["gain", "effort", "utility"]].values.tolist() == [[0, 0.25, -0.25], [1, 0.25, 0.75]]
    assert calc("FlatU(e=0.25)", qrels, run).values[0, 0] == wrapped["utility"].sum()


@pytest.mark.full
def test_trec_eval_s_reciprocal_rank_of_wrapped_runs_is_RRT(real_data, tmp_path):
    """Runs of robust03 cut at random lengths, some of them 0, with a third of the topics made nil queries.

    The judgments are those of the relevant documents and of one in ten of the others.
    """
    folder = real_data("robust03")
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(ir_measures.read_trec_qrels(str(folder / "qrels.robust03.txt")))
    frame = frame[(frame["relevance"] > 0) | (frame.index % 10 == 0)].copy()
    nil = set(frame["query_id"].unique()[::3])
    frame.loc[frame["query_id"].isin(nil), "relevance"] = 0
    qrels = read_qrels(frame)
    ready = evaluator("RRT", qrels)
    for path in sorted((folder / "runs").glob("*.gz")):
        run = pd.read_csv(path, sep=r"\s+", header=None, usecols=[0, 2, 4], dtype={0: str, 2: str})
        run.columns = ["query_id", "doc_id", "score"]
        lengths = {topic: int(rng.integers(0, 8)) for topic in run["query_id"].unique()}
        run = run[run.groupby("query_id")["score"].rank(method="min", ascending=False) <= 8]  # few to sort
        run = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
        run = run[run.groupby("query_id").cumcount() < run["query_id"].map(lengths)]
        ours = ready.calc(run)
        wrapped = with_terminal(qrels, run)
        wrapped.write(tmp_path / "run", tmp_path / "qrels")
        judged = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
        shown = list(ir_measures.read_trec_run(str(tmp_path / "run")))
        from_files = ir_measures.pytrec_eval.iter_calc([RR], judged, shown)
        theirs = {metric.query_id: metric.value for metric in from_files}
        assert [theirs[topic] for topic in ours.topics] == ours.values[0].tolist(), path.name


def test_report_of_lists_that_their_system_ended():
    report = nil_report(RUN | {"5": ["x", "y", "z"]}, depth=3)
    assert (report.ended_by_nil, report.short, report.left_alone) == (3, 1, 1)
    assert str(report).startswith("5 lists: 3 ended by NIL, 1 short")
    assert report.to_pandas().to_dict("list") == {"before": [0, 1, 3, 1], "after": [2, 1, 1, 1]}


def test_a_report_takes_a_convention_or_a_rule_as_scoring_does():
    run = {"1": ["none", "a"], "2": ["x", "NIL"]}
    assert nil_report(run).after.tolist() == [2, 1]
    assert nil_report(run, nil=NilRule(id="none")).after.tolist() == [0, 2]
    table = nil_report({"1": ["a", "NIL", "b"]}).to_pandas()
    assert table.to_dict("list") == {"before": [0, 0, 0, 1], "after": [0, 1, 0, 0]}
    assert nil_report(run, nil="document").ended_by_nil == 0
    assert nil_report(run, nil=NilRule("sakai", "none")).after.tolist() == [2, 2]


def test_a_report_takes_topics_in_any_form(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("1\n2\n3\n10\n")
    for topics in (path, str(path), ["1", "2", 3, 10], pd.DataFrame({"qid": [1, 2, 3, 10]})):
        report = nil_report({"1": ["a", "NIL"], "10": ["NIL"]}, topics)
        assert report.before.tolist() == [2, 0, 0, 1]
        assert report.after.tolist() == [1, 0, 0, 0]


PARIS = [{"Paris": 2, "City of Light": 1}, {"London": 1, "Rome": 0}]
CLASSES = {"1": PARIS, "2": [], "3": [{"Oslo": 1}], "4": [], "5": []}
RUNS = [
    {"1": ["Rome", "the", "The Paris", "paris", "City of Light", "London"],
     "2": ["NIL"], "3": ["oslo", "Oslo"], "4": []},
    {"1": ["x", "X", "London", "london"],
     "2": ["a", "NIL"], "3": ["NIL", "Oslo"], "4": ["nil", "NIL", "b"], "5": ["b", "B"]},
    {"1": ["Nil", "Paris"], "2": ["y"], "3": [], "5": ["NIL", "b", "nil"]},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("nil", ["ends", "trec2001", "sakai", "document"])
@pytest.mark.parametrize("normalise", [None, "squad"])
@pytest.mark.parametrize("run", RUNS)
def test_trec_evals_reciprocal_rank_of_wrapped_answers_is_rrt(run, normalise, nil):
    qrels = read_answers(CLASSES, normalise, nil=nil)
    wrapped = with_terminal(qrels, run)
    found = wrapped.run.to_pandas()
    assert not found.duplicated(["query_id", "doc_id"]).any()
    judged: dict[str, dict[str, int]] = {}
    for topic, doc, grade in wrapped.qrels.itertuples(index=False):
        judged.setdefault(topic, {})[doc] = grade
    shown: dict[str, dict[str, float]] = {}
    for row in found.itertuples(index=False):
        shown.setdefault(row.query_id, {})[row.doc_id] = row.score
    found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "num_rel", "num_rel_ret"}).evaluate(shown)
    results = calc("RRT", qrels, run)
    expected = dict(zip(results.topics, results.values[0].tolist()))
    assert {topic: found[topic]["recip_rank"] for topic in expected} == pytest.approx(expected)
    assert found["1"]["num_rel"] == 2  # classes


def test_a_repeated_answer_is_marked_and_the_first_is_written_as_it_was_compared():
    wrapped = with_terminal(read_answers(CLASSES, "squad"), {"1": ["The Paris", "paris", "City of Light"]})
    docs = wrapped.run.to_pandas().query("query_id == '1'")
    assert docs["doc_id"].tolist() == ["paris", "__again__2__paris", "__again__3__city of light", "__end__"]
    assert docs["gain"].tolist() == [1, 0, 0, 0.5]
    judged = wrapped.qrels[wrapped.qrels["query_id"] == "1"].set_index("doc_id")["relevance"]
    assert judged.to_dict() == {"paris": 2, "london": 1, "rome": 0, "__end__": 0}
