"""NIL answers under every convention, what ending lists at NIL changes, and wrapped runs."""

import re
from functools import partial
from typing import get_args

import ir_measures
import numpy as np
import pandas as pd
import pytest
from generated import ALL
from ir_measures import RR

from ir_trunc import (
    InputError,
    IrTruncWarning,
    NilRule,
    calc,
    evaluator,
    nil_report,
    rank,
    read_answers,
    read_qrels,
    with_effort,
    with_terminal,
)
from ir_trunc._ranking.nil import Convention

QRELS = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 0}, "4": {"d": 1}}
RUN = {"1": ["NIL", "a"], "2": ["x", "NIL"], "3": ["NIL"], "4": ["d", "e"]}


def reciprocal_ranks(nil):
    return calc("RR", QRELS, RUN, nil=nil).values[0].tolist()


def test_nil_ends_the_list_with_one_warning():
    with pytest.warns(
        UserWarning, match=r"NIL ends 1 list\(s\) before their last document; 1 document"
    ) as caught:
        results = calc("RRT RR", QRELS, RUN, nil="ends")
    assert len(caught) == 1
    assert results.rankings.lengths.tolist() == [0, 1, 0, 2]
    assert results.values[0].tolist() == [0, 0.5, 1, 1]


def test_nil_of_trec_2001_is_right_wherever_it_stands():
    assert reciprocal_ranks("trec2001") == [0.5, 0.5, 1, 1]


def test_nil_of_sakai_is_right_at_rank_1_only():
    assert reciprocal_ranks("sakai") == [0.5, 0, 1, 1]


def test_nil_as_an_ordinary_document_is_what_stock_tools_see():
    stock = ir_measures.iter_calc(
        [RR], QRELS, {q: {d: -i for i, d in enumerate(docs)} for q, docs in RUN.items()}
    )
    assert reciprocal_ranks("document") == [metric.value for metric in sorted(stock)]


def test_a_document_called_NIL_is_a_document_unless_somebody_says_otherwise_and_that_is_said():
    stock = ir_measures.iter_calc(
        [RR], QRELS, {q: {d: -i for i, d in enumerate(docs)} for q, docs in RUN.items()}
    )
    what = (
        r"^run \(dict\): 3 lists hold a document called NIL, taken for a document; nil='ends' ends these"
        r" lists before it"
    )
    with pytest.warns(IrTruncWarning, match=what) as caught:
        results = calc("RR", QRELS, RUN)
    assert len(caught) == 1
    assert results.values[0].tolist() == [metric.value for metric in sorted(stock)]
    calc("RR", QRELS, RUN, nil="document")  # who says so needs no warning


@pytest.mark.filterwarnings("ignore:.*documents? called NIL, taken for a document")
def test_every_stock_score_is_that_of_ir_measures_where_documents_are_called_NIL():
    qrels = {"1": {"NIL": 2, "a": 1}, "2": {"b": 1}, "3": {"c": 0}}
    run = {"1": {"x": 3.0, "NIL": 2.0, "a": 1.0}, "2": {"NIL": 2.0, "b": 1.0}, "3": {"NIL": 1.0}}
    measures = [
        ir_measures.AP,
        ir_measures.nDCG @ 10,
        ir_measures.P @ 5,
        ir_measures.SetP,
        ir_measures.ERR @ 5,
    ]
    stock = {
        (m.measure, m.query_id): m.value for m in ir_measures.pytrec_eval.iter_calc(measures[:4], qrels, run)
    }
    ours = calc(measures[:4], qrels, run)
    for measure, values in zip(ours.measures, ours.values.tolist()):
        assert values == pytest.approx([stock[measure, topic] for topic in ours.topics]), measure


def test_judgments_of_a_document_called_NIL_count_where_it_is_one_and_are_never_lost_in_silence():
    qrels, run = {"1": {"NIL": 1}, "2": {"a": 1}}, {"1": ["x", "NIL"], "2": ["a"]}
    assert calc("RR", qrels, run, nil="document").values[0].tolist() == [0.5, 1]
    for convention in ("ends", "trec2001", "sakai"):
        what = (
            r"^qrels \(dict\): 1 judgment\(s\) of a document called NIL are left out, since"
            rf" nil='{convention}' gives"
        )
        with pytest.warns(IrTruncWarning, match=what) as caught:
            results = calc("RRT", qrels, run | {"1": ["NIL"]}, nil=convention)
        assert len(caught) == 1
        assert results.values[0].tolist() == [1, 1]  # a nil query, and NIL says so


@pytest.mark.filterwarnings("ignore:.*NIL")
@pytest.mark.parametrize("nil", get_args(Convention))
def test_a_topic_without_answers_is_a_nil_query_under_every_convention(nil):
    run = {"1": ["NIL", "a"], "2": [], "3": ["NIL"], "4": ["d", "e"]}
    results = calc("Q EM AP", QRELS, run, nil=nil)
    assert results.nil.tolist() == [False, True, True, False]
    assert {name: view.topics for name, view in results.views().items()} == {
        "all": ("1", "2", "3", "4"),
        "answerable": ("1", "4"),
        "nil": ("2", "3"),
    }
    silence = results.abstention
    assert (silence.nil, silence.silent, silence.rightly) == ((2, 3, 2) if nil == "ends" else (2, 1, 1))
    assert results.values[:, 1].tolist() == [1, 1, 0]  # the empty list is right
    assert results.values[:2, 2].tolist() == ([0, 0] if nil == "document" else [1, 1])


@pytest.mark.parametrize("nil", ["trec2001", "sakai"])
def test_the_empty_list_on_a_nil_query_scores_the_same_under_every_convention(nil):
    """Every measure, whether NIL is relevant there or nothing is; also at depth 0 of a longer list."""
    measures = [str(d.name) + "@5" * ("cutoff" in d.params and d.params["cutoff"].required) for d in ALL]
    listwise = [m for m, d in zip(measures, ALL) if d.scope == "list"]
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 0}, "3": {}}, {"1": {"b": 0.9}, "3": {"NIL": 0.5}}
    expected = calc(listwise, qrels, {"1": {"b": 0.9}}, nil="document")
    found = calc(listwise, qrels, run, nil=nil)
    assert found.values[:, :2].tolist() == expected.values[:, :2].tolist()
    cut = evaluator(listwise, None).calc(found.rankings.cut(0))
    for measure, curve in evaluator(listwise, None).curves(found.rankings).items():
        row = cut.measures.index(measure)
        assert curve.at([0, 0, 0]).tolist() == cut.values[row].tolist()
        assert cut.values[row, 1:].tolist() == expected.values[row, 1:].tolist(), measure


@pytest.mark.filterwarnings("ignore:.*NIL")
def test_the_result_shows_what_NIL_was_taken_for_and_in_how_many_lists():
    default, ends = calc("RR", QRELS, RUN), calc("RR", QRELS, RUN, nil="ends")
    first, second = (" ".join(repr(one).split()) for one in (default, ends))  # a line has 80 columns
    assert first == "Results over 4 topics (RR: 0.3750); nil='document', 3 of the lists hold that document"
    assert second == "Results over 4 topics (RR: 0.2500); nil='ends', 3 of the lists hold that document"
    assert repr(calc("RR", QRELS, {"1": ["a"]}, nil="ends")) == "Results over 4 topics (RR: 0.2500)"
    assert (ends.rankings.nil.convention, len(ends.rankings.nil)) == ("ends", 3)
    assert ends.rankings.nil.held.tolist() == [True, True, True, False]
    assert [len(view.rankings.nil) for view in ends.views().values()] == [3, 1, 2]
    assert rank(QRELS, RUN, nil="ends").nil.held.tolist() == [True, True, True, False]


def test_views_at_the_command_line_show_what_NIL_was_taken_for(command, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 s\n2 Q0 NIL 1 2 s\n")
    (tmp_path / "plain").write_text("1 Q0 a 1 2 s\n")
    words = (str(tmp_path / "qrels"), str(tmp_path / "run"), "RR", "--views")
    _, out, err = command(*words)
    assert "taken for a document" in err
    assert [line for line in out.splitlines() if "nil=" in line] == [
        "all\tnil=document\t1",
        "answerable\tnil=document\t0",
        "nil\tnil=document\t1",
    ]
    assert "all\tnil=ends\t1" in command(*words, "--nil", "ends")[1]
    assert "nil=" not in command(words[0], str(tmp_path / "plain"), "RR", "--views")[1]


def test_NIL_is_found_whatever_the_normaliser_makes_of_it():
    answers = read_answers({"1": [], "2": [["Paris"]]}, "squad")
    results = calc("EM UF", answers, {"1": "NIL", "2": "NIL"})
    assert results.values.tolist() == [[1, 0], [0, 0]]
    assert len(results.rankings.nil) == 2
    with pytest.warns(
        IrTruncWarning, match="1 judgment.s. of a document called nil are left out, since nil='ends'"
    ):
        read_answers({"1": [["Nil."]]}, "squad")
    assert (
        calc("EM", read_answers({"1": [["Nil."]]}, "squad", nil="document"), {"1": "NIL"}).values[0, 0] == 1
    )
    with pytest.raises(
        InputError, match=r"NIL id 'the' normalises to nothing: NilRule\(id=...\) names another"
    ):
        calc("EM", answers, {}, nil=NilRule(id="the"))


def test_a_convention_can_be_chosen_for_qrels_that_are_ready():
    ready, answers = read_qrels(QRELS), read_answers({"1": [["a"]], "2": []})
    assert calc("RR", ready, RUN, nil="trec2001").values[0].tolist() == [0.5, 0.5, 1, 1]
    assert calc("RR", answers, {"2": ["x", "NIL"]}, nil="sakai").values[0].tolist() == [0, 0]
    assert calc("RR", answers, {"2": ["NIL", "x"]}, nil="sakai").values[0].tolist() == [0, 1]
    assert ready.nil == NilRule("document")
    assert answers.nil == NilRule("ends")


def test_rankings_take_neither_topics_nor_a_convention():
    rankings = calc("RR", {"1": {"a": 1}}, {"1": ["a"]}).rankings
    with pytest.raises(InputError, match="topics and nil go with qrels"):
        calc("RR", None, rankings, nil="sakai")


def test_another_id_can_stand_for_no_answer():
    run = {"1": ["none"], "2": ["none"]}
    rule = NilRule(id="none")
    assert calc("RRT", {"1": {"a": 1}, "2": {"b": 0}}, run, nil=rule).values[0].tolist() == [0, 1]


@pytest.mark.parametrize("nil", ["liu", "none", 5, [], {"id": "NIL"}, ("ends",)])
def test_what_is_no_convention_is_refused(nil):
    what = (
        f"nil={re.escape(repr(nil))} is unknown: 'ends', 'trec2001', 'sakai', 'document' or a NilRule is"
        " needed; NilRule"
    )
    for door, data in (
        (partial(calc, "RR", QRELS), RUN),
        (read_qrels, QRELS),
        (read_answers, {}),
        (nil_report, RUN),
    ):
        with pytest.raises(InputError, match=what):
            door(data, nil=nil)


@pytest.mark.parametrize("name", ["", 5, None, "__nil__"])
def test_a_NIL_document_needs_an_id_that_a_document_can_have(name):
    with pytest.raises(InputError, match=r"NilRule\(id=.*\): a document id other than '__nil__'"):
        NilRule(id=name)


def test_report_of_lists_that_their_system_ended():
    report = nil_report(RUN | {"5": ["x", "y", "z"]}, depth=3)
    assert (report.ended_by_nil, report.short, report.left_alone) == (3, 1, 1)
    assert str(report).startswith("5 lists: 3 ended by NIL, 1 short")
    assert report.to_pandas().to_dict("list") == {"before": [0, 1, 3, 1], "after": [2, 1, 1, 1]}


def test_a_report_takes_a_convention_or_a_rule_as_scoring_does():
    run = {"1": ["none", "a"], "2": ["x", "NIL"]}
    assert nil_report(run).after.tolist() == [2, 1]
    assert nil_report(run, nil=NilRule(id="none")).after.tolist() == [0, 2]
    assert nil_report(run, nil="document").ended_by_nil == 0
    assert nil_report(run, nil=NilRule("sakai", "none")).after.tolist() == [2, 2]


def test_a_report_reads_topics_as_every_door_does(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("1\n2\n3\n10\n")
    for topics in (path, str(path), ["1", "2", 3, 10], pd.DataFrame({"qid": [1, 2, 3, 10]})):
        report = nil_report({"1": ["a", "NIL"], "10": ["NIL"]}, topics)
        assert report.before.tolist() == [2, 0, 0, 1]
        assert report.after.tolist() == [1, 0, 0, 0]


def test_a_wrapped_run_keeps_the_answers_behind_one_that_is_none():
    with pytest.warns(IrTruncWarning, match=r"1 answer.s. that normalise to nothing are left out"):
        wrapped = with_terminal(read_answers({"1": [["Paris"]]}, "squad"), {"1": ["the", "Paris"]})
    assert wrapped.run[["doc_id", "rank", "gain"]].to_numpy().tolist() == [["paris", 1, 1], ["__end__", 2, 1]]


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


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_a_list_at_the_imposed_depth_is_not_wrapped():
    wrapped = with_terminal({"1": {"a": 0}}, {"1": ["x", "y"]}, depth=2)
    assert "__end__" not in set(wrapped.run["doc_id"]) | set(wrapped.qrels["doc_id"])


def test_effort_beside_every_document():
    wrapped = with_effort({"1": {"a": 1}}, {"1": ["x", "a"]}, e=0.25)
    assert wrapped.run[["gain", "effort", "utility"]].to_numpy().tolist() == [
        [0, 0.25, -0.25],
        [1, 0.25, 0.75],
    ]
    assert (
        calc("FlatU(e=0.25)", {"1": {"a": 1}}, {"1": ["x", "a"]}).values[0, 0] == wrapped.run["utility"].sum()
    )


def test_trec_eval_s_reciprocal_rank_of_wrapped_runs_is_RRT(real_data, tmp_path):
    """Runs of robust03 cut at random lengths, some of them 0, with a third of the topics made nil queries.

    The judgments are those of the relevant documents and of one in ten of the others.
    """
    folder = real_data("robust03")
    rng = np.random.default_rng(7)
    judged = pd.DataFrame(ir_measures.read_trec_qrels(str(folder / "qrels.robust03.txt")))
    judged = judged[(judged["relevance"] > 0) | (judged.index % 10 == 0)].copy()
    nil = set(judged["query_id"].unique()[::3])
    judged.loc[judged["query_id"].isin(nil), "relevance"] = 0
    qrels = read_qrels(judged)
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
        grades, shown = {}, {}
        for line in (tmp_path / "qrels").read_text(encoding="utf-8").splitlines():
            topic, _, document, grade = line.split()
            grades.setdefault(topic, {})[document] = int(grade)
        for line in (tmp_path / "run").read_text(encoding="utf-8").splitlines():
            topic, _, document, _, score, _ = line.split()
            shown.setdefault(topic, {})[document] = float(score)
        from_files = ir_measures.pytrec_eval.iter_calc([RR], grades, shown)
        theirs = {metric.query_id: metric.value for metric in from_files}
        assert [theirs[topic] for topic in ours.topics] == ours.values[0].tolist(), path.name
