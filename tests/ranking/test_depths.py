"""Graded answers in the place of judgments: what a cut means, what is refused, and the law of equality."""

import json
import random
import shlex

import numpy as np
import pandas as pd
import pytest
from messages import refused
from written import to_file

import ir_trunc
from ir_trunc import InputError, ParameterError, read_depths
from ir_trunc._cli.main import COMMANDS as COMMAND_NAMES, main
from ir_trunc.measures import registry
from ir_trunc.synthetic import generated
from ir_trunc.truncation import (
    Greedy,
    LargestGap,
    Oracle,
    RiskControlled,
    ScoreThreshold,
    cross_validate,
    study,
)

QRELS, RUNS = generated.collection(topics=50, systems=1)
RUN = {"mine": next(iter(RUNS.values()))}
DEPTHS = (0, 1, 3, 5, 10)
TRIED = pytest.mark.filterwarnings("ignore:.*answers were graded with")


def answers(questions=80, seed=1, depths=DEPTHS):
    """0 or 1 by question and depth, where more passages may harm, and lists of ten passages."""
    draw, graded, run = random.Random(seed), {}, {}
    for question in map(str, range(questions)):
        first = draw.choice([1, 1, 2, 4, 11])
        graded[question] = {k: int(draw.random() < (0.9 - 0.05 * k if first <= k else 0.1)) for k in depths}
        scores = sorted((draw.random() + (rank < first) for rank in range(10)), reverse=True)
        run[question] = {f"d{rank}": score for rank, score in enumerate(scores)}
    return graded, run


def graded_by(curve):
    """The curve of a measure as graded answers of all depths."""
    ends = min(0.0, curve.values.min()), max(1.0, curve.values.max())
    return read_depths({topic: dict(enumerate(values)) for topic, values in curve.rows()}, range=ends)


PLAIN = {name: each for name, each in registry.items() if each.scope == "list" and not each.lower_is_better}
PARAMS = {name: each.params for name, each in PLAIN.items() if "D" not in each.params}
LISTS = [name for name, params in PARAMS.items() if not any(param.required for param in params.values())]


def test_answers_with_the_scores_of_a_measure_have_its_best_cuts():
    measures = ir_trunc.curves(LISTS, QRELS, RUN["mine"])
    columns = ["length", "score", "best_length", "best_score", "regret"]
    expected = study.best_cuts(LISTS, QRELS, RUN).groupby("measure", sort=False)[columns]
    assert len(measures) > 50
    for (_, table), curve in zip(expected, measures.values(), strict=True):
        depths = graded_by(curve)
        found = study.best_cuts(depths.measure, depths, RUN)[columns]
        np.testing.assert_allclose(found, table, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", ["RBPT", "SetF"])
def test_answers_with_the_scores_of_a_measure_have_its_policies_and_its_advice(measure):
    depths = graded_by(ir_trunc.curves(measure, QRELS, RUN["mine"])[measure])
    policies = ["Greedy", "ScoreThreshold", "LargestGap", "ShareOfTop(at_least=1)", "Oracle", "Surprise"]
    by_labels = cross_validate(policies, measure, QRELS, RUN)
    by_answers = cross_validate(policies, "AnswerScore", depths, RUN)
    numbers = ["score", "low", "high", "of_oracle", "regret", "length", "empty", "coverage", "p_value"]
    np.testing.assert_allclose(by_answers[numbers], by_labels[numbers], rtol=0, atol=1e-12)
    for policy in (Greedy(), ScoreThreshold(), RiskControlled(measure, 0.9)):
        fitted = policy.fit(ir_trunc.rank(QRELS, RUN["mine"]), measure)
        risk = {"risk": "AnswerScore"} if hasattr(policy, "risk") else {}
        same = type(policy)(**{**vars(policy), **risk, "fitted_on": None})
        again = same.fit(ir_trunc.rank(depths, RUN["mine"]), "AnswerScore")
        assert {**vars(again), **risk, "fitted_on": 0} == {**vars(fitted), **risk, "fitted_on": 0}
    learnt, expected = ir_trunc.how_many(depths, RUN["mine"]), ir_trunc.how_many(QRELS, RUN["mine"], measure)
    for name in ("policy", "policies", "fitted"):
        assert getattr(learnt, name) == getattr(expected, name)
    for name in ("expected", "chance"):
        assert getattr(learnt, name) == pytest.approx(getattr(expected, name), abs=1e-12)
    for column in ("score", "low", "high", "length", "first", "behind_low", "behind_high"):
        np.testing.assert_allclose(learnt.table[column], expected.table[column], rtol=0, atol=1e-12)


@TRIED
def test_a_cut_has_the_score_of_the_largest_depth_that_was_tried():
    graded, run = answers()
    run = {q: dict([*docs.items()][: 10 - int(q) % 7]) for q, docs in run.items()}
    for q, scores in graded.items():  # depths beyond the end of a list are the whole list
        inside = [k for k in scores if k <= len(run[q])]
        graded[q] = {k: s for k, s in scores.items() if k in inside} | {20: scores[inside[-1]]}
    rankings = ir_trunc.rank(read_depths(graded), run)
    for depth in range(11):
        found = ir_trunc.calc("AnswerScore", None, rankings.cut(depth))
        for topic, score in zip(rankings.topics, found.values[0].tolist(), strict=True):
            tried = [k for k in graded[topic] if k <= min(depth, len(run[topic]))]
            assert score == graded[topic][tried[-1]], (topic, depth)


@TRIED
def test_fitting_chooses_among_the_depths_that_were_tried():
    graded, run = answers(depths=(0, 2, 7))
    rankings = ir_trunc.rank(read_depths(graded), run)
    assert Greedy().fit(rankings, "AnswerScore").k in (0, 2, 7)
    assert {*Oracle("AnswerScore").cut(rankings).tolist()} == {0, 2, 7}
    for policy in (ScoreThreshold(), LargestGap(), RiskControlled("wrong", 0.8)):
        fitted = policy.fit(rankings, "AnswerScore")
        assert {*fitted.cut(rankings).tolist()} <= {0, 2, 7}
        assert fitted([0.9] * 5) in (0, 2, 5)  # 5 is the whole list
    fixed = [name for name in ir_trunc.how_many(read_depths(graded), run).policies if "Fixed" in name]
    assert sorted(fixed) == ["Fixed(k=2)", "Fixed(k=7)"]


@pytest.mark.needs("scikit-learn")
@TRIED
def test_where_no_answer_was_graded_without_passages_policies_keep_some():
    graded, run = answers(depths=(3, 5, 10))
    depths = read_depths(graded)
    advice = ir_trunc.how_many(depths, run, also="Learned")
    assert "always silent" not in advice.policies
    assert not advice.left_out
    assert (advice.length >= 3).all()
    threshold = next(fitted for fitted in advice.fitted if fitted.startswith("ScoreThreshold"))
    assert threshold.endswith("among=(3, 5, 10))")
    table = cross_validate("Oracle ScoreThreshold Greedy", "AnswerScore", depths, {"mine": run})
    assert table["length"].min() >= 3
    none = r"topic 0 has no graded answer for a list of 2 documents: the low.* 3"
    refused(InputError, none, cross_validate, "Fixed(2)", "AnswerScore", depths, {"mine": run})
    curve = ir_trunc.curves("AnswerScore", depths, run)["AnswerScore"]
    refused(InputError, "no graded answer for a list of 0 documents", curve.at, 0)


FORMS = ("records", "columns", "frame", "dict", "tuples", "csv", "tsv", "jsonl", "parquet")


def in_form(form, graded, folder):
    rows = [(q, k, score) for q, scores in graded.items() for k, score in scores.items()]
    frame = pd.DataFrame(rows, columns=["question_id", "passages", "f1"])
    kinds = {"records": frame.to_dict("records"), "columns": frame.to_dict("list")}
    kinds |= {"frame": frame, "dict": graded, "tuples": rows}
    return kinds[form] if form in kinds else to_file(frame, folder / f"depths.{form}")


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_hold_the_same_answers(form, tmp_path):
    graded, _ = answers(12)
    found, expected = read_depths(in_form(form, graded, tmp_path)), read_depths(graded)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert found.depths == [*DEPTHS]


def test_names_are_those_of_the_user_and_repeats_are_averaged():
    rows = [(k, repeat, k + repeat == 1, 10 * k + repeat) for k in (0, 1) for repeat in (0, 1, 2)]
    columns = {"score": "good", "depth": "top_k", "cost": "seconds"}
    frame = pd.DataFrame(rows, columns=["top_k", "repeat", "good", "seconds"]).assign(qid="q")
    depths = read_depths(frame, columns=columns)
    table = depths.to_pandas()
    assert table["score"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert table["right"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert table["cost"].tolist() == [1, 11]
    assert table["spread"].tolist() == pytest.approx([np.std([1, 0, 0], ddof=1)] * 2)
    assert table["questions"].tolist() == [1, 1]
    assert "spread" in repr(depths)


def test_costs_are_those_of_the_answers_and_budgets_those_of_the_documents():
    graded, run = answers()
    rows = [(q, k, score, 100 + 10 * k) for q, scores in graded.items() for k, score in scores.items()]
    depths = read_depths(pd.DataFrame(rows, columns=["qid", "k", "score", "cost"]))
    documents = [(q, doc, score, 7) for q, docs in run.items() for doc, score in docs.items()]
    frame = pd.DataFrame(documents, columns=["query_id", "doc_id", "score", "cost"])
    said = "graded with 0, 1, 3, 5, 10 passages; another cut means"
    with pytest.warns(ir_trunc.IrTruncWarning, match=said):
        advice = ir_trunc.how_many(depths, frame, price=0.5, budget=36)
    rows = advice.table.set_index("policy")
    assert rows.loc["Fixed(k=3)", "cost"] == pytest.approx(0.5 * 130)
    assert rows.loc["as retrieved", "length"] == 5
    assert rows.loc["as retrieved", "cost"] == pytest.approx(0.5 * 150)
    assert rows.loc["as retrieved", "used"] == pytest.approx(35 / 36)


@TRIED
def test_keep_is_the_share_of_questions_that_are_answered_right():
    graded, run = answers(200)
    depths = read_depths(graded)
    advice = ir_trunc.how_many(depths, run, keep=0.5)
    assert advice.table.set_index("policy").loc[advice.advised, "kept"] >= 0.5
    assert "of the questions get a right answer here; at least" in " ".join(str(advice).split())
    shares = {k: np.mean([scores[k] for scores in graded.values()]) for k in DEPTHS}
    for k in (1, 3, 5):
        row = advice.table.set_index("policy").loc[f"Fixed(k={k})"]
        assert row["kept"] == row["score"] == pytest.approx(shares[k])
    assert advice.table[["unanswered", "wrongly"]].isna().all(axis=None)
    none = r"keep=0.99: no policy answers that share of the questions right"
    refused(InputError, none, ir_trunc.how_many, depths, run, keep=0.99)


@TRIED
def test_the_risk_of_wrong_answers_is_that_of_their_scores():
    graded, run = answers(400)
    rankings = ir_trunc.rank(read_depths(graded), run)
    wrong, score = (RiskControlled(risk, 0.65).fit(rankings) for risk in ("wrong", "AnswerScore"))
    assert wrong.level == score.level
    halves = read_depths({q: {k: s / 2 for k, s in each.items()} for q, each in graded.items()}, right=0.5)
    assert RiskControlled("wrong", 0.65).fit(ir_trunc.rank(halves, run)).level == wrong.level
    with pytest.raises(ParameterError, match=r"risk='wrong' is counted by graded answers"):
        RiskControlled("wrong", 0.5).fit(ir_trunc.rank(QRELS, RUN["mine"]))
    with pytest.raises(ParameterError, match=r"risk='missed' is counted by judgments"):
        RiskControlled("missed", 0.5).fit(rankings)


def test_logs_of_answers_become_a_table():
    logs = {
        k: ir_trunc.read_log([{"id": "q", "answer": k and "a", "correct": k == 3}, {"id": "r", **other}])
        for k, other in ((0, {"answer": None, "answerable": False}), (3, {"answer": "b", "correct": False}))
    }
    table = read_depths(logs).table
    rows = [["q", 0, 0], ["q", 3, 1], ["r", 0, 1], ["r", 3, 0]]
    assert table[["query_id", "k", "score"]].values.tolist() == rows


GOOD = {"q": {0: 0, 2: 1}, "r": {0: 1, 2: 0}}
LISTED = {"q": ["a", "b"], "r": ["c", "d"]}
REFUSED = {
    "twice": ([("q", 1, 0), ("q", 1.0, 1)], "question q, k = 1: it is there twice; a column repeat"),
    "repeat twice": ([{"qid": "q", "k": 1, "score": 1, "repeat": "a"}] * 2, "q, k = 1: it is there twice\\."),
    "word": ([("q", 1, "good")], "score 'good' is not a number"),
    "null": ([{"qid": "q", "k": 1, "score": None}], "score None is not a number"),
    "beyond": ({"q": {0: 0, 1: 7}}, r"k = 1: score 7; a score from 0 to 1 is needed, .*range="),
    "single": ({"q": {3: 0}, "r": {3: 1}}, "all answers were graded at k = 3: two depths are needed"),
    "half": ({"q": {0.5: 0}}, "depth 0.5 is float, not text or a whole number"),
    "below": ({"q": {-1: 0}}, "k = -1: a whole number of passages, from 0 on, is needed"),
    "no number": ({"q": {"all": 0}}, "k = all: a whole number of passages"),
    "no k": ([{"qid": "q", "score": 1}], "has no column k or depth"),
    "two k": ([{"qid": "q", "k": 1, "depth": 1, "score": 1}], "the columns k and depth for the same field"),
    "costs": ([{"qid": "q", "k": 1, "score": 1, "cost": -1}], "cost -1.0: a finite number >= 0 is needed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_of_answers_is_refused(name):
    data, message = REFUSED[name]
    refused(InputError, message, read_depths, data)


@TRIED
@pytest.mark.filterwarnings("ignore:.*no judgments in")
def test_what_a_table_cannot_tell_of_a_run_is_refused():
    depths = read_depths(GOOD)
    how_many, calc, alone = ir_trunc.how_many, ir_trunc.calc, {"q": ["a", "b"]}
    more, longer = LISTED | {"s": ["e"], "t": ["f"]}, read_depths(GOOD | {"q": {0: 0, 2: 1, 5: 0}})
    without = r"2 questions of the run \(s for example\) without a score in depths"
    refused(InputError, without, how_many, depths, more)
    both = "question q: k = 2 and 5 both mean its whole list of 2 documents"
    refused(InputError, both, how_many, longer, LISTED)
    no_list = r"topic r has no .* the run has no list for it; missing='exclude' leaves"
    with pytest.warns(ir_trunc.IrTruncWarning, match="1 of the 2 topics"):
        refused(InputError, no_list, calc, "AnswerScore", depths, alone)
    with pytest.warns(ir_trunc.IrTruncWarning, match="excluded from all means"):
        assert calc("AnswerScore", depths, alone, missing="exclude").aggregated["AnswerScore"] == 1
    refused(ParameterError, r"RBPT needs judgments .* is AnswerScore", calc, "RBPT", depths, LISTED)
    graded = "AnswerScore needs graded answers, as read_depths reads them"
    refused(ParameterError, graded, calc, "AnswerScore", QRELS, RUN["mine"])
    to_9 = read_depths({"q": {0: 0, 2: 9}}, range=(0, 9))
    ends = "scores from 0 to 9; low=0 and high=9, the range of read_depths"
    refused(ParameterError, ends, calc, "AnswerScore", to_9, alone)
    for name, value in {"topics": ["x"], "nil": "ends"}.items():
        no_effect = f"{name}= has no effect on graded answers"
        refused(ParameterError, no_effect, calc, "AnswerScore", depths, LISTED, **{name: value})
    refused(ParameterError, "graded answers are no judgments of documents", ir_trunc.Judged, GOOD, depths)
    tied, of_documents = {q: {"a": 1, "b": 0} for q in LISTED}, "answers; ties='expected' is for documents"
    refused(InputError, of_documents, calc, "AnswerScore", depths, tied, ties="expected")
    for wrong in ({"range": (1, 0)}, {"right": 2}, {"range": (0, None)}):
        refused(ParameterError, "range|right", read_depths, GOOD, **wrong)


@TRIED
def test_a_report_and_an_explanation_say_that_no_document_is_judged():
    graded, run = answers(12, depths=(1, 3, 10))
    depths = read_depths(graded)
    page = ir_trunc.report("AnswerScore", depths, {"mine": run})
    assert "Answers are graded, and not documents." in page
    assert "Not judged (" not in page
    assert page.count("</a></th><td>–<td>–") == 12
    explained = ir_trunc.calc("AnswerScore", depths, run).explain("0")
    assert explained.to_pandas()["score"].tolist()[-1] == graded["0"][10]


@TRIED
def test_the_command_recognises_a_table_of_answers(tmp_path, monkeypatch, capsys):
    graded, run = answers()
    monkeypatch.chdir(tmp_path)
    in_form("csv", graded, tmp_path)
    in_form("jsonl", graded, tmp_path)
    rows = ({"qid": q, "docno": d, "score": s} for q, docs in run.items() for d, s in docs.items())
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, rows)))
    expected = str(ir_trunc.how_many(read_depths(graded), run))
    for table in ("depths.csv", "depths.jsonl"):
        assert main(["how-many", table, "run.jsonl", "-o", "stop.json"]) == 0
        assert capsys.readouterr().out.strip() == expected.strip()
    assert ir_trunc.load_policy("stop.json") == ir_trunc.how_many(read_depths(graded), run).policy
    assert main(["study", "best-cuts", "depths.csv", "run.jsonl"]) == 0
    assert capsys.readouterr().out.count("AnswerScore") == len(graded)


COMMANDS = {  # with a table of graded answers in the place of qrels, and whether it is what they need
    "AnswerScore": 0,
    "AnswerScore --explain 1": 0,
    "AnswerScore -q --format csv": 0,
    "RBPT": 2,
    "compare AnswerScore": 0,
    "check --fail-if 'AnswerScore < 0'": 0,
    "check --fail-if 'kept < 0.5'": 2,
    "report AnswerScore -o page.html": 0,
    "report RBPT -o page.html": 2,
    "how-many": 0,
    "how-many RBPT": 2,
    "study best-cuts": 0,
    "study policies AnswerScore --policy Greedy": 0,
    "meta matrix AnswerScore -o matrix.json": 0,
    "meta pools nDCG": 2,
    "meta truncation-impact RBPT@3": 2,
    "wrap --terminal": 2,
    "wrap --effort": 2,
    "compare AnswerScore --judge depths.csv": 2,
}


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_takes_graded_answers_or_refuses_them_in_a_line(line, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    in_form("csv", {str(q): {0: 0, 1: int(q % 3 > 0), 2: 1} for q in range(12)}, tmp_path)
    (tmp_path / "my.run").write_text("".join(f"{q} Q0 {d} 1 {3 - d} t\n" for q in range(12) for d in (1, 2)))
    words = shlex.split(line)
    names = [each for group in COMMAND_NAMES.values() for each in group]
    at = 0 if words[0] not in names else 2 if words[0] in ("study", "meta") else 1
    status, out, err = command(*words[:at], "depths.csv", "my.run", *words[at:])
    errors = [said for said in err.splitlines() if "warning:" not in said]
    assert (status, len(errors)) == (COMMANDS[line], int(COMMANDS[line] > 0)), err
    assert status or out or "-o" in words
