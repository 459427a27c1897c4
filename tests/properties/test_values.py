"""A value means the same in every form of data, read by the kernel and in Python."""

import csv
import json
import math
import warnings
from collections import namedtuple
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, Judged, Rankings, calc, rank, read_answers, read_qrels

NAMES = {"relevance": ("query_id", "doc_id", "relevance"), "score": ("query_id", "doc_id", "score")}
NO_SUCH_VALUE = "this form of data holds no such value"
NONE = "no judgment"
ERROR = "an error"
# Values, and what they are as grades and as scores.
VALUES = {
    "True": (True, 1, 1.0), "False": (False, 0, 0.0), "numpy True": (np.True_, 1, 1.0), "1": (1, 1, 1.0),
    "1.0": (1.0, 1, 1.0), "text 1": ("1", 1, 1.0), "text 1.0": ("1.0", 1, 1.0), "text 1e0": ("1e0", 1, 1.0),
    "numpy 8": (np.int8(1), 1, 1.0), "Decimal": (Decimal("1.0"), 1, 1.0), "null": (None, NONE, ERROR),
    "NaN": (math.nan, NONE, ERROR), "nothing": ("", NONE, ERROR), "-100": (-100, -100, -100.0),
    "2^31": (2**31, ERROR, 2.0**31), "text 2^31": (str(2**31), ERROR, 2.0**31), "0.5": (0.5, ERROR, 0.5),
    "inf": (math.inf, ERROR, ERROR), "a word": ("x", ERROR, ERROR), "text 1_0": ("1_0", ERROR, ERROR),
    "text True": ("True", 1, 1.0),
}  # fmt: skip


def by_topic(rows):
    topics = {}
    for topic, doc, value in rows:
        topics.setdefault(topic, []).append((doc, value))
    return topics


def columns(rows, field):
    return {name: [row[place] for row in rows] for place, name in enumerate(NAMES[field])}


def records(rows, field):
    return [dict(zip(NAMES[field], row)) for row in rows]


def file_of(name, write):
    def make(rows, field, folder):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            write(file, rows, field)
        return folder / name

    return make


def as_table(file, rows, field, separator=","):
    csv.writer(file, delimiter=separator).writerows([NAMES[field], *rows])


def plain(value):
    """The value as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    return float(value) if isinstance(value, Decimal) else value


def in_json(form):
    def write(file, rows, field):
        if any(isinstance(value, float) and not math.isfinite(value) for *_, value in rows):
            pytest.skip(NO_SUCH_VALUE)
        file.write(form([(topic, doc, plain(value)) for topic, doc, value in rows], field))

    return write


def as_trec(file, rows, field):
    for place, (topic, doc, value) in enumerate(rows, 1):
        if value is None or value == "":
            pytest.skip(NO_SUCH_VALUE)
        line = f"{topic} 0 {doc} {value}" if field == "relevance" else f"{topic} Q0 {doc} {place} {value} s"
        file.write(line + "\n")


def as_short(file, rows, field):
    if rows[0][2] is None or rows[0][2] == "":
        pytest.skip(NO_SUCH_VALUE)
    file.write("".join(f"{topic}\t{doc}\t{value}\n" for topic, doc, value in rows))


def frame(rows, field, folder):
    return pd.DataFrame(columns(rows, field)).astype(dict.fromkeys(NAMES[field][:2], str))


def of_arrow(make):
    def table(rows, field, folder):
        try:
            return make(columns([(*ids, plain(value)) for *ids, value in rows], field))
        except Exception:  # a column of Arrow has one type
            pytest.skip(NO_SUCH_VALUE)

    return table


def parquet(rows, field, folder):
    pq.write_table(of_arrow(pa.table)(rows, field, folder), folder / "x.parquet")
    return folder / "x.parquet"


DOORS = {
    "dicts": lambda rows, *_: {topic: dict(docs) for topic, docs in by_topic(rows).items()},
    "pairs": lambda rows, *_: by_topic(rows),
    "documents by topic": lambda rows, field, _: {
        topic: [{"id": doc, field: value} for doc, value in docs] for topic, docs in by_topic(rows).items()
    },
    "tuples": lambda rows, *_: rows,
    "named tuples": lambda rows, field, _: [namedtuple("Row", NAMES[field])(*row) for row in rows],
    "records": lambda rows, field, _: records(rows, field),
    "pandas": frame,
    "pandas objects": lambda rows, field, _: pd.DataFrame(columns(rows, field), dtype=object),
    "polars": of_arrow(pl.DataFrame),
    "Arrow": of_arrow(pa.table),
    "Parquet": parquet,
    "CSV": file_of("x.csv", as_table),
    "TSV": file_of("x.tsv", lambda *data: as_table(*data, "\t")),
    "JSON dicts": file_of(
        "x.json",
        in_json(lambda rows, _: json.dumps({topic: dict(docs) for topic, docs in by_topic(rows).items()})),
    ),
    "JSON records": file_of("x.json", in_json(lambda rows, field: json.dumps(records(rows, field)))),
    "JSON lines": file_of(
        "x.jsonl",
        in_json(lambda rows, field: "".join(json.dumps(row) + "\n" for row in records(rows, field))),
    ),
    "TREC": file_of("x.txt", as_trec),
    "short lines": file_of("x.txt", as_short),
}

OF_THE_KERNEL = {"dicts", "tuples", "TREC", "short lines"}  # forms that it reads itself


@pytest.fixture
def way(request, monkeypatch):
    if request.param == "Python":
        for module in ("qrels", "runs"):
            monkeypatch.setattr(f"ir_trunc._ranking.{module}.kernel", None)


WAYS = [
    pytest.param(way, door, marks=[pytest.mark.weekly] * (way == "Python" and door not in OF_THE_KERNEL))
    for way in ("kernel", "Python")
    for door in DOORS
]


@pytest.mark.parametrize(("way", "door"), WAYS, indirect=["way"])
@pytest.mark.parametrize("name", VALUES)
def test_a_grade_is_the_same_at_all_doors(way, tmp_path, name, door):
    value, grade, _ = VALUES[name]
    data = DOORS[door]([("1", "a", value), ("1", "b", 1), ("2", "c", value)], "relevance", tmp_path)
    if grade == ERROR:
        refused(InputError, r"whole number|2\^31|3 fields", read_qrels, data)
    elif grade == NONE:
        with pytest.warns(IrTruncWarning, match=r"2 of 3 rows have no judgment \(for example topic 1\)"):
            qrels = read_qrels(data)
        assert qrels.to_dict() == {"1": {"b": 1}, "2": {"__nil__": 0}}
        assert qrels.judgments.topics == ("1", "2")
    else:
        assert read_qrels(data).to_dict() == {"1": {"a": grade, "b": 1}, "2": {"c": grade}}


@pytest.mark.parametrize(("way", "door"), WAYS, indirect=["way"])
@pytest.mark.parametrize("name", VALUES)
def test_a_score_is_the_same_at_all_doors(way, tmp_path, name, door):
    value, _, score = VALUES[name]
    data = DOORS[door]([("1", "a", value), ("1", "b", 0.75), ("1", "c", 0.25)], "score", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)  # how short lines are read
        if score == ERROR:
            refused(InputError, "score", rank, {"1": {"a": 1}}, data)
        else:
            scores = sorted([score, 0.75, 0.25], reverse=True)
            rankings = rank({"1": {"a": 1}}, data)
            assert rankings.scores.tolist() == scores
            assert rankings.judged_ranks.tolist() == [scores.index(score) + 1]


IN_WORDS = {"TREC", "short lines"}  # no id is missing there
IDS = {"null": None, "NaN": math.nan, "nothing": ""}


@pytest.mark.parametrize("field", ["relevance", "score"])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("way", "door"), [each for each in WAYS if each.values[1] not in IN_WORDS], indirect=["way"]
)
@pytest.mark.parametrize("name", IDS)
def test_an_id_that_is_missing_is_an_error_with_a_remedy(way, tmp_path, name, door, place, field):
    value = IDS[name]
    if door in ("pandas", "JSON dicts") and value != "":
        pytest.skip(NO_SUCH_VALUE)
    if isinstance(value, float) and door in ("JSON records", "JSON lines", "CSV", "TSV"):
        pytest.skip(NO_SUCH_VALUE)
    rows = [("1", "a", 1.0), ("2", "b", 2.0), ("3", "c", 1.0)]
    rows[1] = tuple(value if at == place else part for at, part in enumerate(rows[1]))
    data = DOORS[door](rows, field, tmp_path)
    with pytest.raises(InputError, match=r"(row|topic|item) .*(is missing. Leave such rows out|has no id)"):
        read_qrels(data) if field == "relevance" else ir_trunc.read_run(data)


def test_labels_of_a_matrix_and_of_torch():
    scores = np.array([[3.0, 2.0, 1.0]])
    with pytest.warns(IrTruncWarning, match="labels: 1 of 3 are NaN"):
        by_nan = Rankings.from_arrays(scores, np.array([[math.nan, 1.0, True]]))
    assert calc("RR", None, by_nan).values.tolist() == [[0.5]]
    assert by_nan.judged_ranks.tolist() == [2, 3]
    assert Rankings.from_arrays(scores > 2.5, np.array([[0, 1, True]])).scores.tolist() == [1.0, 0.0, 0.0]
    assert Rankings.from_arrays(scores, np.array([[-100, 1, 0]])).judged_grades.tolist() == [-100, 1, 0]


def test_labels_of_answers_are_grades():
    qrels = read_answers({"1": [{"a": True}, {"b": "1.0"}], "2": [{"c": 2.0}]})
    assert qrels.grades.tolist() == [1, 1, 2]
    with pytest.warns(IrTruncWarning, match="1 of 2 rows have no judgment"):
        assert read_answers({"1": [{"a": 1}], "2": [{"b": None}]}).judgments.topics == ("1", "2")


def test_a_sheet_names_its_unfilled_rows():
    judge = {str(topic): {"a": 1, "b": 0} for topic in range(4)}
    sheet = pd.DataFrame({"query_id": [*"001122"], "doc_id": ["a", "b"] * 3})
    sheet["relevance"] = ["1", "", "0", "1", "", ""]
    with pytest.warns(IrTruncWarning) as told:
        labels = Judged(judge, sheet)
    said = [str(each.message) for each in told]
    assert any("3 of 6 rows have no judgment" in text for text in said)
    assert any("1 topic without a filled row (for example 2) count as not labelled" in text for text in said)
    assert labels.topics == {"0", "1"}
    with pytest.raises(InputError, match="labels are not filled in: none of their 6 rows has a grade"):
        Judged(judge, sheet.assign(relevance=""))


def test_withheld_documents_have_a_grade_or_none_at_all():
    run = {"1": {"a": 2.0, "b": 1.0}}
    with pytest.warns(IrTruncWarning, match="withheld"):
        assert calc("RR", {"1": {"b": 1}}, run, withheld={"1": ["a"]}).values.tolist() == [[1.0]]
    with pytest.raises(InputError, match=r"documents of topic 1 have no grade.* is needed"):
        calc("RR", {"1": {"b": 1}}, run, withheld={"1": {"a": None}})
