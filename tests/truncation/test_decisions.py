"""Systems that answer yes, no or nothing."""

import csv
import gzip
import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest

from ir_trunc import InputError, IrTruncWarning, ParameterError, calc, calc_aggregate, read_log
from ir_trunc.truncation._log import read_decisions

TRUTH = {"a": True, "b": True, "c": False, "d": False}
ANSWERS = {"a": 0.9, "b": 0.5, "c": 0.8, "d": 0.25}
QRELS = {q: {"yes": 2, "no": 0} if q in "ab" else {"yes": 0, "no": 1} for q in "abcd"}
RUN = {"a": {"yes": 0.4}, "b": {}, "c": {"yes": 0.8 - 0.5}, "d": {"no": 0.25}}


def lines(name, values):
    return "".join(json.dumps({"id": key, name: value}) + "\n" for key, value in values.items())


FORMS = {
    "dict": lambda name, values: values,
    "records": lambda name, values: [{"id": key, name: value} for key, value in values.items()],
    "frame": lambda name, values: pd.DataFrame({"id": list(values), name: list(values.values())}),
    "lists of one": lambda name, values: {key: [value] for key, value in values.items()},
    "numpy": lambda name, values: {key: np.array(value)[()] for key, value in values.items()},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_decisions_in_memory(form):
    assert read_decisions(form("value", ANSWERS), form("same", TRUTH)) == (QRELS, RUN)


def test_each_decision_may_call_its_fields_otherwise():
    answers = [
        {"id": "a", "value": 0.9},
        {"qid": "b", "answer": 0.2},
        {"id": "c", "score": 0.1, "value": 0.7},
    ]
    truth = [{"id": "a", "same": True}, {"query_id": "b", "truth": False}, {"id": "c", "label": False}]
    decisions = read_decisions(answers, truth)
    assert [list(answer) for answer in decisions.run.values()] == [["yes"], ["no"], ["yes"]]
    assert [right["yes"] for right in decisions.qrels.values()] == [2, 0, 0]


def test_questions_that_the_truth_lacks_do_not_count():
    log = read_log(ANSWERS | {"z": 0.9}, truth=TRUTH)
    assert str(log) == "4 questions: 2 correct, 1 wrong, 1 unanswered"


def test_a_log_of_decisions():
    log = read_log(ANSWERS, truth=TRUTH)
    assert (log.qrels, log.run) == (QRELS, RUN)
    assert str(log) == "4 questions: 2 correct, 1 wrong, 1 unanswered"
    assert log.calc("c@1 F05u(positive=2)").aggregated == calc_aggregate("c@1 F05u(positive=2)", QRELS, RUN)
    assert read_log(ANSWERS, truth=TRUTH, threshold=0.8).run["c"] == {}
    for wrong in ({"truth": TRUTH, "judge": "em"}, {"threshold": 0.8}):
        with pytest.raises(ParameterError, match=r"no effect with truth|needs truth"):
            read_log(ANSWERS, **wrong)


@pytest.mark.parametrize("text", [lines, lambda name, values: json.dumps(values)], ids=["lines", "object"])
def test_decisions_in_files(tmp_path, text):
    (tmp_path / "truth").write_text(text("same", TRUTH))
    (tmp_path / "answers.gz").write_bytes(gzip.compress(text("value", ANSWERS).encode()))
    assert read_decisions(tmp_path / "answers.gz", str(tmp_path / "truth")) == (QRELS, RUN)


def test_exactly_the_threshold_is_silence():
    """One right, one wrong, two open: (1 + 2 * 1/4) / 4."""
    decisions = read_decisions({"a": 0.9, "b": 0.75, "c": 0.8, "d": 0.75}, TRUTH, threshold=0.75)
    assert decisions.run["b"] == decisions.run["d"] == {}
    assert calc_aggregate("c@1", *decisions)["c@1"] == (1 + 2 / 4) / 4


def test_true_false_and_none_are_yes_no_and_nothing():
    decisions = read_decisions({"a": True, "b": None, "c": False, "d": True}, TRUTH)
    assert [list(answer) for answer in decisions.run.values()] == [["yes"], [], ["no"], ["yes"]]
    assert calc("c@1", *decisions).to_pandas().shape == (4, 1)


@pytest.mark.parametrize(
    ("answers", "truth", "told"),
    [
        ({"a": "yes"}, {"a": True}, "answers, question a: 'yes': a finite number, True, False or None"),
        ({"a": math.nan}, {"a": True}, "answers, question a: nan: a finite number"),
        ({"a": [0.1, 0.9]}, {"a": True}, r"answers, question a: \[0.1, 0.9\]"),
        ({"a": 0.9}, {"a": 0.9}, "truth, question a: 0.9: true or false"),
        ({"a": 0.9}, {"a": "True"}, "truth, question a: 'True': true or false"),
        ({"a": 0.9}, {}, "truth: there is no question"),
        ([{"id": "a", "value": 1}] * 2, {"a": True}, "answers, question a is there twice"),
        (
            [{"id": "a", "prob": 1}],
            {"a": True},
            "answers, item 1 has no column value or .*; it has: id, prob",
        ),
        ([{"id": "a", "value": 1}, {"id": "b"}], {"a": True}, "answers, item 2 has no column value or"),
        ([{"id": "a", "value": 1}, 5], {"a": True}, "answers, item 2: 5: a dict with id and value is needed"),
        (5, {"a": True}, "answers of type int: a path of JSON .*, with id and value, is needed"),
        (pd.DataFrame({"id": ["a"]}), {"a": True}, "answers has no column value or answer or score"),
        (pd.DataFrame([["a", 1, 0]], columns=["id", "value", "value"]), {"a": True}, "value and value for"),
    ],
)
def test_what_is_no_decision_is_refused(answers, truth, told):
    with pytest.raises(InputError, match=told):
        read_decisions(answers, truth)


@pytest.mark.full
def test_pan_official_scores_in_one_line(real_data):
    """One system wraps each value in a list."""
    folder = real_data("pan20-av")
    with open(folder / "official-metrics.tsv", encoding="utf-8") as file:
        official = {row["system"]: float(row["c@1"]) for row in csv.DictReader(file, delimiter="\t")}
    assert len(official) == 7
    for system, printed in official.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            decisions = read_decisions(folder / f"runs/{system}.jsonl.gz", folder / "truth.jsonl.gz")
        assert math.isclose(calc_aggregate("c@1", *decisions)["c@1"], printed, abs_tol=1e-9), system


def test_open_questions_and_values_on_another_scale_get_a_warning():
    with pytest.warns(IrTruncWarning, match=r"1 of 4 questions have no answer \(for example question d\)"):
        decisions = read_decisions({key: ANSWERS[key] for key in "abc"}, TRUTH)
    assert decisions.run["d"] == {}
    truth = {"a": True, "b": False}
    with pytest.warns(IrTruncWarning, match="question a has the value 70, one of 1 that are not in 0 to 1"):
        read_decisions({"a": 70, "b": 0}, truth)
    assert read_decisions({"a": 70, "b": 0}, truth, threshold=50).run == {"a": {"yes": 20}, "b": {"no": 50}}
