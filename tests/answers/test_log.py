"""Logs of answers: qrels and run of answers, and refusals where a log does not say what a measure needs."""

import gzip
import itertools
import json
import math
import random
import re
import shlex

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from messages import refused
from written import json_lines

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, calc, calc_aggregate, read_answers, read_log
from ir_trunc._cli.main import main

ITEMS = [
    {"id": "q1", "answer": "Paris", "confidence": 0.9, "correct": True, "answerable": True, "group": "a"},
    {"id": "q2", "answer": "1789", "confidence": 0.4, "correct": False, "answerable": False, "group": "a"},
    {"id": "q3", "answer": None, "confidence": 0.8, "correct": None, "answerable": False, "group": "b"},
    {"id": "q4", "answer": " ", "confidence": None, "correct": False, "answerable": True, "group": "b"},
    {"id": "q5", "answer": "x", "confidence": 0.7, "correct": True, "answerable": True, "group": "b"},
]
SILENT = [{name: item[name] for name in item if name != "answerable"} for item in ITEMS]
SCORES = {"c@1": 2 / 5 + 2 / 5 * 2 / 5, "UF(price=3)": -1 / 5, "AURC": (0 + 0 + 1 / 3) / 3, "EM": 3 / 5}


def scored(log, measures="c@1 UF(price=3) AURC EM"):
    return {str(measure): score for measure, score in log.calc(measures).aggregated.items()}


def answered(right, sure):
    """Questions with an answer each."""
    return [
        {"id": n, "answer": "a", "correct": bool(r), "confidence": float(c)}
        for n, (r, c) in enumerate(zip(right, sure))
    ]


def test_scores_are_those_of_the_definitions():
    log = read_log(ITEMS)
    assert scored(log) == pytest.approx(SCORES)
    assert repr(log) == "5 questions: 2 correct, 1 wrong, 2 unanswered"
    assert calc_aggregate("EM", log.qrels, log.run) == log.calc("EM").aggregated
    assert log.by_group("c@1")["c@1"].tolist() == pytest.approx([1 / 2, 1 / 3 + 2 / 3 * 1 / 3])
    refused(InputError, "no column group", read_log([{"id": 1, "answer": ""}]).by_group, "c@1")


def test_every_form_is_the_same_log(tmp_path):
    plain = json_lines(tmp_path / "log.jsonl", ITEMS)
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    array = tmp_path / "log.json"
    array.write_text(json.dumps(ITEMS))
    by_id = {item["id"]: {name: item[name] for name in item if name != "id"} for item in ITEMS}
    frame = pd.DataFrame(ITEMS)
    polars = pytest.importorskip("polars", reason="polars is not installed").DataFrame(ITEMS)
    forms = [plain, str(packed), array, by_id, frame, frame.convert_dtypes(), iter(ITEMS), polars]
    renamed = [{"qid": item["id"], "prediction": item["answer"], **item} for item in ITEMS]
    for item in renamed:
        del item["id"], item["answer"]
    wanted = read_log(ITEMS)
    for form in [*forms, pa.Table.from_pylist(ITEMS), renamed]:
        log = read_log(form)
        assert (log.run, log.answerable, log.groups) == (wanted.run, wanted.answerable, wanted.groups)
    named = read_log(frame.rename(columns={"correct": "ok"}), columns={"correct": "ok"})
    assert named.run == wanted.run


@pytest.mark.full
def test_a_measure_is_refused_exactly_where_unknown_nil_queries_change_it():
    """For all measures, over all 2^3 ways in which the questions may have an answer."""
    log, unknown = read_log(SILENT), ("q2", "q3", "q4")
    assert [name for name, has in log.answerable.items() if has is None] == list(unknown)
    unanswerable = set()
    for name, definition in ir_trunc.measures.registry.items():
        required = definition.params.get("cutoff")
        measure = name + "@1" * bool(required is not None and required.required)
        worlds = []
        try:
            for has in itertools.product((False, True), repeat=3):
                world = log.answerable | dict(zip(unknown, has))
                qrels = {q: {"correct": 1, "wrong": 0} if a else {"wrong": 0} for q, a in world.items()}
                worlds.append(calc(measure, qrels, log.run).values)
        except ir_trunc.IrTruncError:
            with pytest.raises(ir_trunc.IrTruncError):
                log.calc(measure)
            continue
        differs = not all(np.allclose(each, worlds[0], rtol=0, atol=1e-12, equal_nan=True) for each in worlds)
        if differs:
            unanswerable.add(name)
            refused(InputError, rf"{name}.*3 questions .*question q2.*column answerable", log.calc, measure)
        else:
            log.calc(measure)
    assert {"EM", "RBPT", "nDCGT"} <= unanswerable
    assert not unanswerable & {"c", "UF", "AURC", "CWS", "K1"}


def test_what_is_not_known_is_refused_or_assumed_on_request():
    with pytest.raises(InputError, match="qrels depend on which questions have an answer"):
        _ = read_log(SILENT).qrels
    assumed = read_log(SILENT, all_answerable=True)
    assert assumed.calc("EM").aggregated == dict.fromkeys(assumed.calc("EM").aggregated, 2 / 5)
    assert assumed.qrels["q3"] == {"correct": 1, "wrong": 0}
    unsure = [{name: item[name] for name in item if name != "confidence"} for item in ITEMS]
    for what in (lambda log: log.calc("c@1 AURC"), lambda log: log.threshold(0.1)):
        refused(InputError, "needs the column confidence", what, read_log(unsure))


def test_references_are_judged_and_say_what_has_an_answer():
    items = [
        {"id": 1, "prediction": "the Paris", "references": ["Paris", "Paris, France"]},
        {"id": 2, "prediction": "red paint", "references": "red"},
        {"id": 3, "prediction": "", "references": []},
        {"id": 4, "prediction": "no", "references": []},
    ]
    exact = read_log(items, "em")
    assert list(exact.answerable.values()) == [True, True, False, False]
    assert scored(exact, "EM") == {"EM": 2 / 4}
    with pytest.warns(IrTruncWarning, match="1 answer with a correctness between 0 and 1 count"):
        assert read_log(items, "f1").counts["correct"] == 1
    assert read_log(items, "f1", correct_from=2 / 3).counts["correct"] == 2
    refused(ParameterError, r"correct_from=1\.5", read_log, items, "f1", correct_from=1.5)
    assert read_log(items, lambda answer, references: answer[0] == "r").counts["correct"] == 1
    refused(InputError, r"question 1: correct is missing.*judge='em'", read_log, items)


def test_a_log_that_is_read_from_something_else_is_told(tmp_path):
    odd = [{"id": 1, "answer": "a", "is_correct": True}]
    refused(InputError, r"the log has: id, answer, is_correct\. columns=\{'correct'", read_log, odd)
    for name, message in (("log.csv", "a path is of JSON or JSON lines; a table is"), ("log", "is empty")):
        (tmp_path / name).write_text("")
        refused(InputError, message, read_log, tmp_path / name)


SAID = ["unanswerable", "I don't know", "N/A", "no answer", "Cannot answer from the context."]
IN_WORDS = [
    {"id": 0, "answer": "x", "references": ["x"]},
    {"id": 1, "answer": "none", "references": ["None"]},  # right, and so no abstention
    *({"id": n, "answer": said, "references": [["y"], ["unanswerable"]][n % 2]}
      for n, said in enumerate(SAID, 2)),
]  # fmt: skip


@pytest.mark.parametrize("abstains", [SAID, map(str.upper, SAID), re.compile("unans|know|/A|answer")])
def test_abstentions_in_words_are_declared(abstains):
    log = read_log(IN_WORDS, "em", abstains=abstains)
    assert repr(log) == "7 questions: 2 correct, 0 wrong, 5 unanswered"
    assert [log.answerable[str(n)] for n in range(7)] == [True, True, True, False, True, False, True]
    assert scored(log, "c@1 EM") == pytest.approx({"c@1": (2 + 2 / 7 * 5) / 7, "EM": 4 / 7})
    refused(ParameterError, r"abstains=5: texts or a compiled pattern", read_log, IN_WORDS, "em", abstains=5)


def test_abstentions_in_words_get_a_warning_unless_they_are_declared(tmp_path, capsys):
    told = r"5 wrong answers look like abstentions \('N/A', 2 times, for example\); abstains="
    items = [*IN_WORDS[:3], *IN_WORDS[4:], {"id": 9, "answer": "N/A", "references": ["z"]}]
    with pytest.warns(IrTruncWarning, match=told):
        assert read_log(items, "em").counts == {"correct": 2, "wrong": 5, "unanswered": 0}
    assert read_log(items, "em", abstains=()).counts["wrong"] == 5
    path = str(json_lines(tmp_path / "log.jsonl", items))
    main(["answers", path, "c@1", "--judge", "em", "--abstains", "n/a", "--abstains", "no answer"])
    captured = capsys.readouterr()
    assert "7 questions: 2 correct, 2 wrong, 3 unanswered" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize(("references", "answer", "score"), [
    ([], "the", 0), (["the"], "", 0), (["a", "Paris"], "the", 0), (["A"], "A", 1), (["A"], "Paris", 0),
    ([" "], "", 1), ([" "], "the", 0), (["a", "Paris"], "A.", 1), ([], " ", 1),
    (["the Paris"], "paris.", 1), ([], "Paris", 0), (["Paris"], "", 0),
])  # fmt: skip
@pytest.mark.parametrize(("judge", "measure"), [("em", "EM"), ("f1", "TokenF1")])
def test_what_is_blank_is_no_answer_and_no_reference(judge, measure, references, answer, score):
    log = read_log([{"id": 1, "answer": answer, "references": references}], judge)
    assert scored(log, "EM") == {"EM": score}
    qrels = read_answers({"1": [references]}, "squad")
    assert [*calc_aggregate(measure, qrels, {"1": [answer]}).values()] == [score]


REFUSALS = [
    "No answer found in the documents.",
    "No relevant documents found.",
    "The answer is not in the text.",
]


def test_answers_in_words_without_a_value_of_correct_are_silence_if_this_is_declared(tmp_path, capsys):
    items = [{"id": n, "answer": REFUSALS[n % 3]} for n in range(7)] + [
        {"id": 7, "answer": "x", "correct": True}
    ]
    what = "7 answers look like abstentions and correct is missing (question 0, for example)"
    with pytest.raises(InputError) as caught:
        read_log(items)
    remedy = f"abstains={REFUSALS}"
    assert str(caught.value) == f"log: {what}; {remedy} takes them for no answer."
    assert eval(f"read_log(items, {remedy})").counts == {"correct": 1, "wrong": 0, "unanswered": 7}
    path = str(json_lines(tmp_path / "log.jsonl", items))
    assert main(["answers", path, "c@1"]) == 2
    said = capsys.readouterr().err
    words = shlex.split(said[said.index("--abstains") : said.index(" takes them")])
    main(["answers", path, "c@1", *words])
    assert "8 questions: 1 correct, 0 wrong, 7 unanswered" in capsys.readouterr().out
    several = [{"id": n, "answer": f"I could not find {n}"} for n in range(6)]
    refused(InputError, r"6 answers .*; abstains=, texts or a pattern, takes them for", read_log, several)
    with pytest.raises(InputError, match=r"correct is missing: .*; judge='em' or 'f1' compares"):
        read_log([{"id": 1, "answer": REFUSALS[0], "references": ["x"]}])


@pytest.mark.parametrize(("judge", "measure"), [("em", "EM"), ("f1", "TokenF1")])
def test_the_judges_of_logs_score_answers_as_read_answers_does(judge, measure):
    words = ["a", "The", "an", "Paris", "paris,", "France", "!", "red", ""]
    random = np.random.default_rng(0)

    def text():
        return " ".join(random.choice(words, random.integers(0, 3)))

    items = [
        {"id": str(n), "answer": text(), "references": [text() for _ in range(random.integers(0, 4))]}
        for n in range(500)
    ]
    qrels = read_answers({item["id"]: [item["references"]] for item in items}, "squad")
    run = {item["id"]: [item["answer"]] if item["answer"] else [] for item in items}
    by_topic = calc(measure, qrels, run)
    expected = dict(zip(by_topic.topics, by_topic.values[0] >= 0.5))
    log = read_log(items, judge, correct_from=0.5)
    found = log.calc("EM")
    assert dict(zip(found.topics, found.values[0] == 1)) == expected
    assert 100 < sum(expected.values()) < 400


def promised(items, risk, delta):
    """By definition: from n, n / 2, ... answers on, until P(so few wrong | risk) is above the level."""
    n, S = len(items), 1
    while (1 - risk) ** (n / 2**S) <= delta / (S + 1):
        S += 1
    reached = []
    levels = sorted({item["confidence"] for item in items}, reverse=True)
    for start in range(S):
        for level in levels:
            given = [item["correct"] for item in items if item["confidence"] >= level]
            if len(given) < n / 2**start:
                continue
            wrong = given.count(False)
            if sum(
                math.comb(len(given), k) * risk**k * (1 - risk) ** (len(given) - k) for k in range(wrong + 1)
            ) > (delta / S):
                break
            reached.append(level)
    return min(reached)


def test_a_threshold_with_a_promise_is_the_lowest_that_is_shown_from_any_start():
    for seed, n in ((0, 300), (1, 700), (2, 150)):
        rng = np.random.default_rng(seed)
        sure = rng.integers(1, 100, n) / 100
        items = answered(rng.random(n) > 0.08 * (1 - sure), sure)
        assert read_log(items).threshold(0.1, delta=0.1) == promised(items, 0.1, 0.1)
    log = read_log(items)
    message = r"no threshold is shown .* 0\.01 with delta=0\.1.* takes 230 answers"
    refused(InputError, message, log.threshold, 0.01, delta=0.1)
    few, enough = (read_log(answered(np.ones(n, bool), np.linspace(1, 0.5, n))) for n in (21, 22))
    assert enough.threshold(0.1, delta=0.1) == 0.5
    refused(InputError, "takes 22 answers without an error", few.threshold, 0.1, delta=0.1)
    for risk, delta in ((0, 0.1), (1, 0.1), (0.1, 0), (0.1, 1)):
        refused(ParameterError, "out of range", log.threshold, risk, delta)


def test_the_threshold_is_the_lowest_that_keeps_the_risk():
    rng = np.random.default_rng(0)
    items = answered(rng.random(40) < 0.7, rng.integers(9, size=40) / 8)
    log = read_log(items)
    for risk in (0.2, 0.25, 0.3, 1.0):
        keeping = []
        for t in {item["confidence"] for item in items}:
            correct = [item["correct"] for item in items if item["confidence"] >= t]
            if correct.count(False) <= risk * len(correct):
                keeping.append(t)
        if keeping:
            assert log.threshold(risk) == min(keeping)
        else:
            refused(InputError, "no threshold has a risk of at most", log.threshold, risk)


@pytest.mark.parametrize(("change", "message"), [
    ({"id": None}, "item 1: id is missing"), ({"id": "q2"}, "question q2 is there twice"),
    ({"answer": True}, "question q1: answer True: a text is needed"),
    ({"correct": None}, "question q1: correct is missing"),
    ({"answer": "I don't know", "correct": None}, r"1 answer .* \(question q1, .*abstains=.\"I don"),
    ({"correct": "yes"}, "question q1: correct='yes'"),
    ({"confidence": "high"}, "question q1: confidence='high'"),
    ({"confidence": float("nan")}, "confidence is missing for 1 of 3"),
    ({"answerable": "no"}, "question q1: answerable 'no'"),
    ({"answerable": False}, "question q1 is answered correctly and has no answer"),
    ({"answer": ""}, "question q1 is unanswered and correct"),
    ({"references": []}, "question q1: answerable is True and references"),
    ({"references": [1]}, "question q1: references"), ({"group": None}, "group is missing for 1 of 5"),
    ({"prediction": "x"}, "columns answer and prediction for the same field"),
])  # fmt: skip
def test_wrong_fields_are_named(change, message):
    refused(InputError, message, read_log, [ITEMS[0] | change, *ITEMS[1:]])


@pytest.mark.parametrize("form", [pd.DataFrame, pa.table])
@pytest.mark.parametrize("field", ["id", "answer", "correct"])
def test_a_column_that_a_frame_has_twice_is_refused(form, field):
    frame = pd.DataFrame(ITEMS)[["id", "answer", "correct"]]
    names = [*frame.columns, field]
    log = pd.concat([frame, frame[field]], axis=1)
    if form is pa.table:
        log = pa.table([pa.array(log.iloc[:, at], from_pandas=True) for at in range(4)], names=names)
    refused(InputError, f"columns {field} and {field} for the same field", read_log, log)


@pytest.mark.parametrize("log", [[], {}, [5], 5, None, b"x", [[1]], pd.DataFrame(), [{"a": 1}], {"id": "q"}])
def test_what_is_no_log_is_refused(log):
    with pytest.raises(InputError):
        read_log(log)
    refused(InputError, "log, item 2: 5: ", read_log, [ITEMS[0], 5])


@pytest.mark.parametrize(
    "text", ["", "\0\0", "q1 Q0 d 1 1.0 t\n", '{"id": 1,\n', '{"id": NaN}\n{"id": 2}\n', "[1, 2]"]
)
def test_a_file_that_is_no_log_is_refused_by_its_name(tmp_path, text):
    path = tmp_path / "my.jsonl"
    path.write_text(text)
    refused(InputError, r"my\.jsonl", read_log, path)


def test_the_command_prints_and_draws_scores_risks_and_the_threshold(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    json_lines(tmp_path / "log.jsonl", SILENT)
    words = ["answers", "log.jsonl", "c@1", "UF(price=3)", "--risk", "0.1"]
    assert main([*words, "AURC", "--plot", "risk.png"]) == 0
    assert (tmp_path / "risk.png").read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert "5 questions: 2 correct, 1 wrong, 2 unanswered" in printed
    assert "UF(price=3) -0.2000" in printed
    assert "b          3 0.5556" in printed
    assert "Threshold for a risk of at most 0.1: 0.7\n(on this log 2 of 3 answers" in printed
    assert "on other questions it is above 0.1 half of the time or more" in printed
    for added, message in (
        (["EM"], "EM depends"),
        (["--risk", "2"], "--risk"),
        (["--columns", "cost=usd"], "cost"),
        (["nope"], "nope"),
        (["--delta", "0.1"], "no threshold is shown"),
        (["--plot", "x.txt"], "x.txt"),
    ):
        assert main([*words, *added]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), message in err) == ("", 1, True), err
    assert main([*words, "EM", "--all-answerable"]) == 0
    assert "EM           0.4000" in capsys.readouterr().out


def test_two_logs_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    items = answered([n % 3 > 0 for n in range(30)], np.arange(30) / 30)
    better = [item | {"correct": item["correct"] or item["id"] < 15} for item in items]
    silent, nothing = [{"id": n, "answer": None} for n in (30, 31)], {"answerable": False}
    # Each says it of one question.
    json_lines(tmp_path / "old.jsonl", [*items, silent[0] | nothing, silent[1]])
    json_lines(tmp_path / "new.jsonl", [*better, silent[0], silent[1] | nothing])
    json_lines(tmp_path / "short.jsonl", items[1:])
    assert main(["answers", "old.jsonl", "new.jsonl", "c@1", "AURC", "EM"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"old.jsonl +0.6641\S* .* 0.6875\S*\nnew.jsonl +0.8301\S* .* 0.8438", printed)
    old, new = (read_log(tmp_path / f"{name}.jsonl") for name in ("old", "new"))
    counts = "questions +correct +wrong +unanswered\nold.jsonl +32 +20 +10 +2\nnew.jsonl +32 +25 +5 +2\n"
    assert re.search(counts, printed)
    assert "over 32 questions, 2 of them without an answer" in " ".join(printed.split())
    assert not re.search("nil quer|topic|list", printed)
    qrels = old.with_answerable(new)._qrels(nil=False)
    compared = ir_trunc.compare(
        "c@1 AURC", qrels, {"old.jsonl": old.run, "new.jsonl": new.run}, baseline="old.jsonl"
    )
    row = compared.pairs().iloc[0]
    assert f"[{row['low']:.4f}, {row['high']:.4f}]" in printed
    for words in (["short.jsonl", "c@1"], ["new.jsonl", "nope"], ["new.jsonl", "c@1", "--risk", "0.1"]):
        assert main(["answers", "old.jsonl", *words]) == 2
    for words, message in (
        (["c@1", "old.jsonl"], "log c@1: there is no such file"),
        (["old.jsonl", "no/new.jsonl", "c@1"], "log no/new.jsonl: there is no such file"),
        (["old.jsonl", "c@1", "new.jsonl"], "'new.jsonl' is a file where a measure is needed"),
    ):
        capsys.readouterr()
        assert main(["answers", *words]) == 2
        assert message in capsys.readouterr().err


def test_check_takes_logs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    json_lines(tmp_path / "new.jsonl", SILENT)
    json_lines(tmp_path / "old.jsonl", [SILENT[0], SILENT[1] | {"correct": True}, *SILENT[2:]])
    json_lines(tmp_path / "other.jsonl", SILENT[1:])
    assert main(["check", "new.jsonl", "--fail-if", "c@1 < 0.5"]) == 0
    assert main(["check", "new.jsonl", "--fail-if", "c@1 < 0.6"]) == 1
    assert main(["check", "new.jsonl", "--baseline", "old.jsonl", "--fail-if", "c@1 worsens 0.1"]) == 1
    capsys.readouterr()
    for words, message in (
        (["new.jsonl", "--fail-if", "EM < 0.5"], "EM depends"),
        (["new.jsonl", "--fail-if", "wrongly > 0.5"], "qrels depend"),
        (["new.jsonl", "--baseline", "other.jsonl", "--fail-if", "c@1 worsens 1"], "question q1"),
        (["new.jsonl", "--missing", "error", "--fail-if", "c@1 < 0"], "--missing has no effect"),
        (["new.jsonl", "new.jsonl", "--judge", "em", "--fail-if", "c@1 < 0"], "--judge"),
    ):
        assert main(["check", *words]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), message in err) == ("", 1, True), err


def test_the_candidates_behind_unanswered_questions_show_what_validation_gains():
    """Peñas & Rodrigo 2011, table 3, icia091ro: 237 right, 156 wrong, 107 unanswered."""
    right = [{"id": f"r{n}", "answer": "x", "references": "x"} for n in range(237)]
    wrong = [{"id": f"w{n}", "answer": "y", "references": "x"} for n in range(156)]
    open_ = [{"id": f"u{n}", "candidate": "xy"[n < 80], "references": "x"} for n in range(107)]
    log = read_log([*right, *wrong, *open_], "em")
    assert log.counts == {"correct": 237, "wrong": 156, "unanswered": 107}
    assert log.calc("c@1").answered == {"n_ac": 237, "n_aw": 156, "n_u": 107}
    found = log.validation().iloc[0]
    assert found[["accuracy", "rejected"]].tolist() == [237 / 500, 80 / 500]
    assert found["estimated"] == pytest.approx(237 / 500 * (1 + 80 / 500))
    assert found["attainable"] == (237 + 27) / 500
    assert found[["precision", "recall"]].tolist() == [237 / 393, 237 / 264]
    assert "pearson" not in found


def test_a_candidate_is_judged_by_correct_and_self_scores_by_what_was_right():
    items = answered([True, False, True], [0.9, 0.4, 0.4])
    items.append({"id": 4, "answer": "", "candidate": "d", "correct": True})
    log = read_log(items)
    assert log.candidates == {"4": True}
    found = log.validation().iloc[0]
    assert found["auroc"] == 0.75  # a pair in order, and a tie
    assert found["pearson"] == pytest.approx(np.corrcoef([0.9, 0.4, 0.4], [1, 0, 1])[0, 1])
    unanswered = {"answer": None, "references": "Paris"}
    in_words = [unanswered | {"id": n, "candidate": text} for n, text in enumerate(["the paris.", "N/A"])]
    assert read_log(in_words, "em", abstains="n/a").candidates == {"0": True, "1": False}
    with pytest.raises(InputError, match="question 4 is unanswered and correct: is silence right there"):
        read_log([{**item, "candidate": None} for item in items])
    with pytest.raises(InputError, match="question 5 is unanswered and has no candidate"):
        read_log([*items, {"id": 5, "answer": None}]).validation()


@pytest.mark.parametrize("seed", range(6))
def test_figures_are_those_of_the_scripts_of_their_authors(seed):
    """Counts as run_llm_ours.py of Chen et al. has them, and aggregation as SimpleQA's script has it."""
    draw = random.Random(seed)
    kinds = draw.choices(["AK", "AD", "UK", "UD"], k=20)
    items = [{"id": n, "answer": None} for n in range(20)]
    for item, kind in zip(items, kinds):
        right = kind[0] == "A"
        is_open = draw.choice([{"candidate": "a", "correct": right}, {"answerable": right}])
        item.update({"answer": "a", "correct": right} if kind[1] == "K" else is_open)
    AK, AD, UK, UD = (kinds.count(kind) for kind in ("AK", "AD", "UK", "UD"))
    given, right = AK / (AK + UK), AK / 20
    expected = {
        "c@1": (AK + (AD + UD) * right) / 20, "UF": (AK - UK) / 20, "coverage": (AK + UK) / 20,
        "risk": UK / (AK + UK), "carefulness": UD / (UK + UD), "alignment": (AK + UD) / 20,
        "correct given attempted": given, "F": 2 * given * right / (given + right) if AK else 0,
    }  # fmt: skip
    figures = read_log(items).figures()
    assert figures["score"].to_dict() == pytest.approx(expected)
    assert figures["source"].str.contains("https://").all()


def test_figures_that_a_log_does_not_tell_are_not_there(tmp_path, capsys):
    unknown = [{"id": 1, "answer": "a", "correct": True}, {"id": 2, "answer": None}]
    figures = read_log(unknown).figures()["score"]
    assert figures[figures.isna()].index.tolist() == ["carefulness", "alignment"]
    silent = read_log([{"id": 1, "answer": None, "answerable": False}]).figures()["score"]
    assert silent[silent.isna()].index.tolist() == ["risk"]
    counted = ["coverage", "carefulness", "alignment", "correct given attempted", "F"]
    assert silent[counted].tolist() == [0, 1, 1, 0, 0]
    path = str(json_lines(tmp_path / "log.jsonl", unknown))
    assert main(["answers", path]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"correct given attempted +1.0000", printed)
    assert "carefulness, alignment: Chen" in printed
    assert main(["answers", path, path]) == 2
    assert "A measure is needed" in capsys.readouterr().err
    sure = str(json_lines(tmp_path / "sure.jsonl", [unknown[0] | {"confidence": 0.5}, unknown[1]]))
    for words, is_said in (([], True), (["c@1"], False)):  # which has no coverage of another kind
        assert main(["answers", sure, *words]) == 0
        said = "In this table, coverage is a share of the 1 answer; above it, of the 2 questions."
        assert (said in capsys.readouterr().out) is is_said


@pytest.mark.weekly
def test_a_promised_threshold_is_rarely_exceeded_and_an_observed_one_often():
    """75 logs of 300 answers, whose error falls from .4 to 0; tests/benchmarks/guarantees.py has more."""
    broken = {None: 0, 0.1: 0}
    for seed in range(75):
        rng = np.random.default_rng(seed)
        sure = rng.random(300)
        right = rng.random(300) >= 0.4 * (1 - sure)
        items = answered(right, sure)
        for delta in broken:
            try:
                broken[delta] += 0.4 * (1 - read_log(items).threshold(0.1, delta)) / 2 > 0.1
            except InputError:
                continue
    assert broken[None] > 22
    assert broken[0.1] <= 7
