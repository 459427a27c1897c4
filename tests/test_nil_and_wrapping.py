"""NIL answers under the three conventions, what ending lists at NIL changes, and wrapped runs."""

import gzip

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import RR

from ir_trunc import InputError, NilRule, calc, evaluator, nil_report, read_answers, read_qrels, with_effort, with_terminal

QRELS = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 0}, "4": {"d": 1}}
RUN = {"1": ["NIL", "a"], "2": ["x", "NIL"], "3": ["NIL"], "4": ["d", "e"]}


def reciprocal_ranks(nil):
    return calc("RR", QRELS, RUN, nil=nil).values[0].tolist()


def test_nil_ends_the_list_with_one_warning():
    with pytest.warns(UserWarning, match=r"NIL ends 1 list\(s\) before their last document; 1 document") as caught:
        results = calc("RRT RR", QRELS, RUN)
    assert len(caught) == 1
    assert results.rankings.lengths.tolist() == [0, 1, 0, 2]
    assert results.values[0].tolist() == [0, 0.5, 1, 1]


def test_nil_of_trec_2001_is_right_wherever_it_stands():
    assert reciprocal_ranks("trec2001") == [0.5, 0.5, 1, 1]


def test_nil_of_sakai_is_right_at_rank_1_only():
    assert reciprocal_ranks("sakai") == [0.5, 0, 1, 1]


def test_nil_as_an_ordinary_document_is_what_stock_tools_see():
    stock = ir_measures.iter_calc([RR], QRELS, {q: {d: -i for i, d in enumerate(docs)} for q, docs in RUN.items()})
    assert reciprocal_ranks("document") == [metric.value for metric in sorted(stock)]


def test_a_judged_document_of_that_name_counts_where_it_is_an_ordinary_document():
    assert calc("RR", {"1": {"NIL": 1}}, {"1": ["x", "NIL"]}, nil="document").values[0].tolist() == [0.5]
    assert calc("RRT", {"1": {"NIL": 1}}, {"1": ["NIL"]}).values[0].tolist() == [1]  # by default: a nil query, silence


def test_a_convention_can_be_chosen_for_qrels_that_are_ready():
    ready, answers = read_qrels(QRELS), read_answers({"1": [["a"]], "2": []})
    assert calc("RR", ready, RUN, nil="trec2001").values[0].tolist() == [0.5, 0.5, 1, 1]
    assert calc("RR", answers, {"2": ["x", "NIL"]}, nil="sakai").values[0].tolist() == [0, 0]
    assert calc("RR", answers, {"2": ["NIL", "x"]}, nil="sakai").values[0].tolist() == [0, 1]
    assert ready.nil == NilRule()


def test_rankings_take_neither_topics_nor_a_convention():
    rankings = calc("RR", {"1": {"a": 1}}, {"1": ["a"]}).rankings
    with pytest.raises(InputError, match="topics and nil go with qrels"):
        calc("RR", None, rankings, nil="sakai")


def test_another_id_can_stand_for_no_answer():
    run = {"1": ["none"], "2": ["none"]}
    rule = NilRule(id="none")
    assert calc("RRT", {"1": {"a": 1}, "2": {"b": 0}}, run, nil=rule).values[0].tolist() == [0, 1]


def test_an_unknown_convention_is_refused():
    with pytest.raises(InputError, match="nil='liu' is unknown: one of ends, trec2001, sakai, document"):
        calc("RR", QRELS, RUN, nil="liu")


def test_report_of_lists_that_their_system_ended():
    report = nil_report(RUN | {"5": ["x", "y", "z"]}, depth=3)
    assert (report.ended_by_nil, report.short, report.left_alone) == (3, 1, 1)
    assert str(report).startswith("5 lists: 3 ended by NIL, 1 short")
    assert report.to_pandas().to_dict("list") == {"before": [0, 1, 3, 1], "after": [2, 1, 1, 1]}


def test_a_wrapped_run_shows_the_terminal_documents():
    qrels = {"1": {"a": 1, "b": 1}, "2": {"x": 0}, "3": {"c": 1}}
    wrapped = with_terminal(qrels, {"1": {"a": 3.0, "z": 2.0}})
    expected = pd.DataFrame(
        [
            ("1", "a", 1, 1.0),
            ("1", "z", 2, 0.0),
            ("1", "__end__", 3, 0.5),
            ("2", "__end__", 1, 1.0),
            ("3", "__end__", 1, 0.0),
        ],
        columns=["query_id", "doc_id", "rank", "gain"],
    )
    pd.testing.assert_frame_equal(wrapped.run[["query_id", "doc_id", "rank", "gain"]], expected)
    assert wrapped.qrels.set_index(["query_id", "doc_id"])["relevance"]["2", "__end__"] == 1
    with pytest.raises(InputError, match="__end__ documents already"):
        with_terminal(qrels, wrapped.run)


def test_a_list_at_the_imposed_depth_is_not_wrapped():
    wrapped = with_terminal({"1": {"a": 0}}, {"1": ["x", "y"]}, depth=2)
    assert "__end__" not in set(wrapped.run["doc_id"]) | set(wrapped.qrels["doc_id"])


def test_effort_beside_every_document():
    wrapped = with_effort({"1": {"a": 1}}, {"1": ["x", "a"]}, e=0.25)
    assert wrapped.run[["gain", "effort", "utility"]].to_numpy().tolist() == [[0, 0.25, -0.25], [1, 0.25, 0.75]]
    assert calc("FlatU(e=0.25)", {"1": {"a": 1}}, {"1": ["x", "a"]}).values[0, 0] == wrapped.run["utility"].sum()


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.split() for line in file]


def test_trec_eval_s_reciprocal_rank_of_wrapped_runs_is_RRT(real_data, tmp_path):
    """Every robust03 run cut at random lengths, some of them 0, with a third of the topics made nil queries."""
    folder = real_data("robust03")
    rng = np.random.default_rng(7)
    judged = pd.DataFrame(ir_measures.read_trec_qrels(str(folder / "qrels.robust03.txt")))
    nil = set(judged["query_id"].unique()[::3])
    judged.loc[judged["query_id"].isin(nil), "relevance"] = 0
    qrels = read_qrels(judged)
    ready = evaluator("RRT", qrels)
    for path in sorted((folder / "runs").glob("*.gz")):
        run = pd.DataFrame([(f[0], f[2], float(f[4])) for f in lines_of(path)], columns=["query_id", "doc_id", "score"])
        run = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
        rank = run.groupby("query_id").cumcount()
        run = run[rank < run["query_id"].map({q: int(rng.integers(0, 8)) for q in run["query_id"].unique()})]
        ours = ready.calc(run)
        wrapped = with_terminal(qrels, run)
        wrapped.write(tmp_path / "run", tmp_path / "qrels")
        from_files = ir_measures.pytrec_eval.iter_calc(
            [RR], ir_measures.read_trec_qrels(str(tmp_path / "qrels")), ir_measures.read_trec_run(str(tmp_path / "run"))
        )
        theirs = {metric.query_id: metric.value for metric in from_files}
        assert [theirs[topic] for topic in ours.topics] == ours.values[0].tolist(), path.name
