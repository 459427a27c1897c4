"""Scores of one run and of several: warnings of ends and confidences, other tools, one depth, threads."""

import threading
import warnings

import ir_measures
import pytest
from messages import refused

from ir_trunc import (
    InputError,
    IrTruncError,
    IrTruncWarning,
    ParameterError,
    Rankings,
    calc,
    compare,
    meta,
    rank,
    read_answers,
    read_run,
)
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.runs import _in_threads, score_each
from ir_trunc.synthetic import generated
from ir_trunc.truncation import study, truncate

QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
SAME = {"1": {"a": 1.0}, "2": {"c": 1.0}}
SURER = {"1": {"a": 0.9}, "2": {"c": 0.4}}


@pytest.mark.parametrize("name", ["CWS", "K1"])
def test_confidences_that_are_all_equal_are_said_once_a_run(name):
    what = rf"the first documents of all 2 lists have the same score, 1, which {name} takes for confidence"
    with pytest.warns(IrTruncWarning, match=what) as caught:
        calc(f"RR {name} AP", QRELS, SAME, missing="empty")
    assert len(caught) == 1
    runs = {name: {"3": {}} | run for name, run in (("a", SAME), ("b", SAME), ("c", SURER))}
    with pytest.warns(IrTruncWarning, match="CWS takes|K1 takes") as caught:
        compare(f"{name} RR", QRELS, runs)
    assert len(caught) == 1  # of both runs


@pytest.mark.parametrize(
    ("measures", "run"), [("CWS K1", SURER), ("CWS K1", {"1": {"a": 1.0}}), ("RR AP c@1", SAME), ("CWS", {})]
)
def test_nothing_is_said_of_other_confidences_and_of_measures_that_read_none(measures, run):
    calc(measures, QRELS, run, missing="empty")
    calc("CWS K1", None, rank(QRELS, SAME, missing="empty"))  # lists of somebody's own making


def test_lists_of_one_length_are_said_where_a_measure_reads_the_end():
    qrels = {str(topic): {"d1": 1} for topic in range(4)}
    run = {topic: {f"d{rank}": -rank for rank in range(1, 21)} for topic in qrels}
    several = r"end at 20 documents, .* RBPT, SetP, OIE treat .* use RBPT@20, OIE@20; for SetP, e"
    without = r"WSS\(D=20\) treats it as .*; for WSS\(D=20\), end the lists where"
    for measures, what in (("AP RBPT SetP OIE", several), ("WSS(D=20) WSS(D=20)@95", without)):
        with pytest.warns(IrTruncWarning, match=what) as caught:
            calc(measures, qrels, run)
        assert len(caught) == 1
    shorter = {topic: dict(list(docs.items())[: 5 + int(topic)]) for topic, docs in run.items()}
    for measures in ("AP nDCG RR", "RBPT@20", "P@10 RR"):
        calc(measures, qrels, run)
    calc("RBPT", qrels, shorter)
    calc("RBPT", None, rank(qrels, run))


def test_the_few_passages_of_a_pipeline_are_a_limit_too():
    qrels = {str(topic): {"d1": 1} for topic in range(10)}
    run = {key: [f"d{rank}" for rank in range(1, 6)] for key in qrels}
    with pytest.warns(IrTruncWarning, match=r"run \(dict\): most lists end at 5 documents, .* use RBPT@5\."):
        calc("RBPT", qrels, run)
    calc("RBPT", qrels, run | {"0": ["d1"]})  # a list that ended earlier
    calc("RBPT", qrels, {key: ["d1"] for key in qrels})  # one answer for each question


def test_the_length_at_which_a_policy_ends_lists_is_no_limit():
    qrels = {str(topic): {"d1": 1} for topic in range(10)}
    run = {key: [f"d{rank}" for rank in range(1, 6)] for key in qrels}
    cut = truncate(run, "Fixed(4)")
    calc("RBPT", qrels, cut)
    calc("RBPT", qrels, read_run(truncate(cut, "Fixed(9)")))
    compare("RBPT", qrels, {"four": cut, "three": truncate(run, dict.fromkeys(qrels, 3))})
    with pytest.warns(IrTruncWarning, match="most lists end at 5 documents"):  # as they did before
        calc("RBPT", qrels, truncate(run, "Fixed(9)"))


def test_one_message_lists_the_depths_of_all_runs_and_proposes_one_cutoff():
    qrels = {str(topic): {"d1": 1} for topic in range(4)}
    depths = {"a": 100, "b": 50, "c": 100, "ends": 3}
    runs = {name: {key: [f"d{rank}" for rank in range(k)] for key in qrels} for name, k in depths.items()}
    with pytest.warns(IrTruncWarning) as caught:
        comparison = compare("RBPT OIE AP", qrels, runs)
    (message,) = (str(warning.message) for warning in caught)
    where, advice = "end at one depth (50: b; 100: a, c)", "if it is a limit, use RBPT@50, OIE@50."
    assert message.startswith(f"most lists of 3 of 4 runs {where}, probably a limit")
    assert message.endswith(f"RBPT, OIE treat it as a decision of the system; {advice}")
    assert message in comparison.notes


# Measures that other tools of ir-measures compute: they get exactly the lists that ir_trunc scores.


def test_scores_that_only_64_bits_tell_apart_are_one_list_for_all_tools():
    qrels = {"1": {"a": 1, "b": 0}}
    run = {"1": {"a": 1700000001.0, "b": 1700000000.0}}
    with pytest.warns(IrTruncWarning, match="all scores are equal"):  # as 32-bit floats
        rr, compat = calc("RR Compat(p=0.8)", qrels, run).values[:, 0]
    assert rr == 0.5
    assert compat < calc("Compat(p=0.8)", qrels, {"1": ["a", "b"]}).values[0, 0]


def test_normalised_answers_and_their_classes_are_seen_by_all_tools():
    answers = read_answers({"1": [["Paris", "City of Paris"], ["Lyon"]]}, "squad")
    run = {"1": {"The Paris": 3.0, "city of paris!": 2.0, "Rome": 1.0}}
    values = calc("SetP NumRelRet NumRet NumRel", answers, run).values[:, 0]
    assert values.tolist() == [pytest.approx(1 / 3), 1, 3, 2]


def test_a_list_that_nil_ends_is_as_short_for_all_tools():
    run = {"1": {"a": 3.0, "NIL": 2.0, "b": 1.0}, "2": {"NIL": 1.0}}
    with pytest.warns(UserWarning, match="NIL"):
        values = calc("NumRet", {"1": {"a": 1}, "2": {}}, run, nil="ends").values
    assert values.tolist() == [[1, 0]]


def test_other_tools_are_not_asked_about_grades_for_which_they_would_take_all_memory():
    """trec_eval has a table of all grades up to the highest."""
    assert calc("NumRet", {"1": {"a": 10**6}}, {"1": ["a"]}).values.tolist() == [[1]]
    for grade in (10**6 + 1, 2**31 - 1):
        qrels, run = {"1": {"a": grade}}, {"1": ["a"]}
        assert calc("AP", qrels, run).values.tolist() == [[1]]
        refused(InputError, f"NumRet .* highest, {grade}: grades up to 1,000,000", calc, "NumRet", qrels, run)


@pytest.mark.parametrize("qrels", [{"q": {"a": 1}}, None])
def test_other_tools_are_not_asked_about_rankings_which_have_no_ids(qrels):
    rankings = rank({"q": {"a": 1}}, {"q": ["a"]})
    with pytest.raises(InputError, match="infAP is asked of ir-measures, which needs document ids"):
        calc("infAP", qrels, rankings)


def test_counts_of_ir_measures_have_the_topics_that_a_run_lacks():
    """As `trec_eval -c` counts them."""
    qrels, run = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}, {"1": {"a": 1.0}}
    assert calc("NumQ NumRel NumRet", qrels, run, missing="empty").values.tolist() == [[1, 1], [1, 2], [1, 0]]
    stock = ir_measures.calc_aggregate([ir_measures.NumQ, ir_measures.NumRel], qrels, run)
    assert set(stock.values()) == {1}  # of ir-measures itself, as the page for its users says


OF_TWO = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}
DEEP = {"q": [*"xyazbw"], "r": ["c"]}


# One depth for all measures, as Amigó et al. 2022 have it in their table 3.


def test_measures_that_take_a_cutoff_have_the_depth_and_the_others_see_the_lists_cut_there():
    measures = "RBPT nDCG SetF P@2 AP@5 c@1 Judged"
    found = calc(measures, OF_TWO, DEEP, depth=3)
    assert " ".join(map(str, found.measures)) == "RBPT@3 nDCG@3 SetF P@2 AP@3 c@1 Judged@3"
    uncut = calc("RBPT@3 nDCG@3 P@2 AP@3 c@1 Judged@3", OF_TWO, DEEP)
    assert found["RBPT@3"].values.tolist() == uncut["RBPT@3"].values.tolist()  # an imposed depth is no stop
    for measure in uncut.measures:
        assert found[measure].values.tolist() == uncut[measure].values.tolist(), measure
    shorter = {"q": DEEP["q"][:3], "r": ["c"]}
    assert found["SetF"].values.tolist() == calc("SetF", OF_TWO, shorter)["SetF"].values.tolist()
    assert "cut at depth    3" in str(found.universe)
    assert "cut at depth" not in str(calc("AP", OF_TWO, DEEP, depth=3).universe)


def test_rankings_are_cut_too_and_a_comparison_says_for_which_measures():
    lists = Rankings.from_lists([[0, 0, 1, 0, 1]])
    assert calc("SetP", None, lists, depth=3)["SetP"].tolist() == [1 / 3]
    found = compare("AP SetF", OF_TWO, {"one": DEEP, "other": {}}, missing="empty", depth=3)
    assert found.measures == ("AP@3", "SetF")
    assert found.notes[0] == "Lists are cut at 3 documents for SetF."
    with pytest.raises(ParameterError, match="ties='expected': lists cut at a depth have one order"):
        calc("SetF", OF_TWO, DEEP, ties="expected", depth=3)
    refused(ParameterError, "depth=0", calc, "SetF", OF_TWO, DEEP, depth=0)


def test_no_warning_asks_for_the_depth_that_was_given(recwarn):
    qrels = {str(topic): {"a": 1} for topic in range(12)}
    run = {topic: [*"onmlkjihgfedcba"] for topic in qrels}
    calc("SetF RBPT", qrels, run, depth=10)
    meta.score_matrix("SetF", qrels, {"one": run, "other": run}, depth=10)
    assert not recwarn.list


MANY, SYSTEMS = generated.collection(topics=20, systems=9)
MEASURES = "nDCG@10 AP RBPT OIE c@1 NumRet"


def outcome(runs, jobs):
    """Scores of the runs, bit by bit, warnings and the error."""
    scored = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for name, results in score_each(Evaluator(MEASURES, MANY), runs, jobs):
                scored.append((name, results.values.tobytes()))
        except IrTruncError as error:
            scored.append(str(error))
    return scored, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("jobs", [2, 3, 50])
def test_threads_give_the_same_scores_errors_and_warnings(jobs):
    shorter = {name: dict(list(run.items())[at:]) for at, (name, run) in enumerate(SYSTEMS.items())}
    broken = shorter | {"broken": {"1": {"a": float("nan")}}, "broken, too": {"1": 5}} | SYSTEMS
    for runs in (SYSTEMS, shorter, broken, dict(list(shorter.items())[1:2])):
        expected = outcome(runs, 1)
        assert outcome(runs, jobs) == expected
        assert len(expected[0]) == (len(shorter) + 1 if runs is broken else len(runs))
    assert outcome(shorter, jobs)[1]


def test_a_warning_of_one_line_is_shown_once():
    """Python shows it again where filters of warnings have changed; and these belong to all threads."""
    full = {topic: [f"d{rank}" for rank in range(20)] for topic in MANY}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            Evaluator(MEASURES, MANY).calc(full)
    messages = [str(warning.message) for warning in caught]
    assert messages
    assert len(messages) == len(set(messages))


def test_threads_that_are_abandoned_are_not_waited_for():
    """The garbage collector may abandon them inside a thread, which would wait for itself."""
    released, order = threading.Event(), []

    def slowly(number):
        if number:
            released.wait(20)
            order.append(number)
        return number

    threads = _in_threads(slowly, range(9), 2)
    assert next(threads) == 0
    threads.close()
    order.append("closed")
    released.set()
    assert order[0] == "closed"


@pytest.mark.filterwarnings("ignore:.*probably a limit")
def test_a_comparison_by_threads_and_at_the_command_line(collection, command):
    expected = compare("AP RBPT", MANY, SYSTEMS, baseline=next(iter(SYSTEMS)))
    assert repr(compare("AP RBPT", MANY, SYSTEMS, baseline=next(iter(SYSTEMS)), jobs=4)) == repr(expected)
    words = ["demo.qrels", *sorted(path.name for path in collection.glob("*.run")), "RBPT", "AP"]
    for whole in (words, ["compare", *words, "--baseline", "says-little.run"]):
        alone = command(*whole)
        assert alone[0] == 0
        assert command(*whole, "--jobs", "2") == alone
    error = "ir_trunc: argument --jobs: '0' is not a whole number from 1 on; see 'ir_trunc --help'.\n"
    assert command(*words, "--jobs", "0") == (2, "", error)


@pytest.mark.parametrize("call", [compare, meta.score_matrix, study.best_cuts, study.cuts])
def test_runs_need_names_of_their_own_and_there_must_be_one(call):
    refused(InputError, "each run needs a name of its own", call, "AP", QRELS, {1: SAME, "1": SURER})
    for none in ({}, []):
        refused(InputError, "There is no run", call, "AP", QRELS, none)
    assert compare("AP", QRELS, {1: SAME, 2: SURER}, missing="empty").systems == ("1", "2")
