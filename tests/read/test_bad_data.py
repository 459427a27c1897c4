"""Data in memory that cannot be scored: the message names the column, row, topic or document."""

import datetime
import math
from collections import namedtuple

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ir_trunc import InputError, IrTruncError, calc, compare
from ir_trunc._read.readers import memory

pl = pytest.importorskip("polars")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
RUN = pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "b"], "score": [2.0, 1.0, 3.0]})
JUDGED = RUN.drop(columns="score").assign(relevance=[1, 0, 2])


def complaint(qrels, run, measures="AP RBPT"):
    """What is said about these data."""
    with pytest.raises(InputError) as caught:
        calc(measures, qrels, run)
    message = str(caught.value)
    assert "\n" not in message
    assert "Arrow" not in message
    return message


def check(message, *parts):
    assert [part for part in parts if part not in message] == [], message


@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_a_missing_column_is_named_beside_those_that_are_there(make):
    check(complaint(QRELS, make(RUN.drop(columns="doc_id"))), "run", "doc_id or docno", "query_id", "score")
    check(
        complaint(QRELS, make(RUN.rename(columns={"query_id": "topic"}))),
        "query_id or qid",
        "topic",
        "doc_id",
    )
    check(
        complaint(make(JUDGED.drop(columns="relevance")), RUN),
        "qrels",
        "relevance or label",
        "query_id, doc_id",
    )


@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_a_missing_id_is_named_by_its_row(make):
    check(complaint(QRELS, make(RUN.assign(doc_id=["a", None, "b"]))), "run", "row 1", "doc_id", "missing")
    check(
        complaint(make(JUDGED.assign(query_id=["1", "1", None])), RUN),
        "qrels",
        "row 2",
        "query_id",
        "missing",
    )


@pytest.mark.parametrize("kind", ["string[python]", "string[pyarrow]", "Int64", "category"])
def test_a_missing_id_of_any_pandas_type_is_named_by_its_row(kind):
    ids = pd.Series(["1", None, "2"], dtype="Int64" if kind == "Int64" else "string").astype(kind)
    check(complaint(QRELS, RUN.assign(doc_id=ids)), "run", "row 1", "doc_id", "missing")


def test_ids_that_are_no_text():
    check(complaint(QRELS, RUN.assign(query_id=[1.0, 1.0, 2.0])), "run", "query_id", "text")
    check(complaint(QRELS, RUN.assign(doc_id=[b"a", b"b", b"b"])), "run", "doc_id", "text")
    check(
        complaint(QRELS, RUN.assign(query_id=pd.to_datetime(["2026-01-01"] * 3))), "run", "query_id", "text"
    )
    check(complaint(QRELS, {"1": {datetime.date(2026, 1, 1): 1.0}}), "run", "doc_id", "text")
    check(complaint(QRELS, {"1": {"a": 1.0, None: 2.0}}), "doc_id", "missing")


# What is wrong, the scores, and the first document that has a wrong one.
BAD_SCORES = {
    "missing": ([1.0, None, 2.0], "b"),
    "NaN": ([1.0, math.nan, 2.0], "b"),
    "infinite": ([1.0, math.inf, 2.0], "b"),
    "text": (["3", "high", "1"], ""),
    "text of numbers": (["1.5", "2.5", "3.5"], "a"),
    "true or false": ([True, False, True], "a"),
    "dates": (pd.to_datetime(["2026-01-01"] * 3), "a"),
}
FRAMES = {
    "pandas": lambda frame: frame,
    "object": lambda frame: frame.astype({"score": object}),
    "category": lambda frame: frame.astype({"score": "category"}),
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("kind", BAD_SCORES)
@pytest.mark.parametrize("form", FRAMES)
def test_a_score_that_is_no_number_is_named(kind, form):
    scores, doc = BAD_SCORES[kind]
    check(
        complaint(QRELS, FRAMES[form](RUN.assign(score=scores))), "run", "topic 1", f"document {doc}", "score"
    )


HUGE = pytest.param(10**400, id="huge")


@pytest.mark.parametrize(
    "value", [None, math.nan, math.inf, "2", True, [1.0], 1j, HUGE, np.array([1, 2])], ids=str
)
def test_a_score_in_a_dict_that_is_no_number_is_named(value):
    check(
        complaint(QRELS, {"1": {"b": 1.0}, "2": {"a": 1.0, "x": value}}),
        "run",
        "topic 2",
        "document x",
        "score",
    )


@pytest.mark.parametrize(
    "value", [None, math.nan, math.inf, -math.inf, 1.5, "1", True, HUGE, 2**63, 2**40, -(2**63)]
)
def test_a_grade_that_is_no_whole_number_is_named(value):
    check(complaint({"1": {"b": 1}, "2": {"a": 1, "x": value}}, RUN), "qrels", "topic 2", "document x")


@pytest.mark.parametrize("value", [1.5, math.inf, -math.inf, math.nan, None, 2**63, 2**40, -(2**63)])
def test_a_grade_in_a_frame_that_is_no_whole_number_is_named(value):
    check(complaint(JUDGED.assign(relevance=[1, value, 2]), RUN), "qrels", "topic 1", "document b")


def test_a_grade_in_a_frame_that_is_text_is_named():
    check(
        complaint(JUDGED.assign(relevance=["1", "0", "2"]), RUN),
        "qrels",
        "topic 1",
        "document a",
        "relevance",
    )


def test_large_whole_scores_are_scores():
    """Time stamps, for example; 32 bits are kept of them."""
    stamps = {"1": {"a": 1_700_000_000_000_000_001, "b": 1_600_000_000_000_000_001}}
    assert calc("RR", QRELS, stamps).values[0].tolist() == [1, 0]
    assert calc("RR", QRELS, RUN.assign(score=[2**60 + 1, 2**59 + 1, 2**60 + 1])).values[0].tolist() == [1, 0]
    assert calc("RR", QRELS, {"1": {"a": 2**64, "b": 0.5}}).values[0].tolist() == [1, 0]


def test_large_numbers_are_ids():
    assert calc("RR", {"1": {2**70: 1, 2**63: 0}}, {"1": {2**63: 2.0, 2**70: 1.0}}).values[0].tolist() == [
        1 / 2
    ]


TWICE = pd.concat([RUN, RUN[:1]])


@pytest.mark.parametrize("run", [
    {"1": {1: 1.0, "1": 2.0}}, {1: {"a": 1.0}, "1": {"a": 2.0}}, {"1": ["a", "b", "a"]},
    [ir_measures.ScoredDoc("1", "a", 1.0)] * 2, TWICE, TWICE.astype({"doc_id": "category"}),
    pl.from_pandas(TWICE),
], ids=["number and text", "topics too", "by rank", "tuples", "pandas", "categories", "polars"])  # fmt: skip
def test_a_document_that_is_twice_in_a_list_is_named(run):
    check(complaint(QRELS, run), "run", "topic 1", "document", "twice")


def test_a_document_that_is_judged_twice_is_named():
    check(complaint(pd.concat([JUDGED, JUDGED[1:2]]), RUN), "qrels", "topic 1", "document b", "twice")
    check(complaint({1: {"a": 1}, "1": {"a": 0}}, RUN), "qrels", "topic 1", "document a", "twice")


def test_a_dict_without_dicts_inside_is_refused():
    check(complaint(QRELS, {"1": {"a": 1.0}, "2": 0.5}), "run", "topic 2", "float")
    check(complaint({"1": {"a": 1}, "2": ["a"]}, RUN), "qrels", "topic 2", "list")
    check(complaint(QRELS, {"1": [["a"], ["b"]]}), "run", "topic 1")
    check(complaint(QRELS, {"1": [("a", 2.0, "x")]}), "run", "topic 1", "(document, score)")


@pytest.mark.parametrize(
    "thing", [None, 5, b"path", object(), calc, datetime.date(2026, 1, 1), pl.from_pandas(RUN).lazy()]
)
def test_an_object_of_a_wrong_type_is_named(thing):
    check(complaint(QRELS, thing), f"run of type {type(thing).__name__}", "query_id, doc_id, score")
    if thing is not None:
        check(complaint(thing, RUN), f"qrels of type {type(thing).__name__}", "query_id, doc_id, relevance")


@pytest.mark.parametrize("items", [
    [("1", "a")],
    ["1 Q0 a 1 2.0 sys"], np.ones((2, 3)), {"1"},
    [None], [ir_measures.Qrel("1", "a", 1)], [namedtuple("Odd", "qid docno score")("1", "a", 1.0)],
], ids=["tuples", "lines", "array", "set", "None", "qrels", "other names"])  # fmt: skip
def test_items_without_fields_are_refused_with_the_fields_that_are_needed(items):
    check(complaint(QRELS, items), "run", "query_id", "doc_id", "score")


def test_records_without_a_field_are_refused_with_its_names():
    records = [{"query": "1", "doc": "a", "score": 1.0}]
    check(complaint(QRELS, records), "run (records) has no column query_id or qid", "query, doc, score")


def test_two_columns_of_one_name_are_refused():
    check(complaint(QRELS, pd.concat([RUN, RUN[["doc_id"]]], axis=1)), "run", "doc_id")
    check(
        complaint(QRELS, pa.Table.from_pandas(RUN).append_column("doc_id", [["x", "y", "z"]])),
        "run",
        "doc_id",
    )


def test_a_dictionary_with_a_missing_value_is_a_missing_id():
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["1", None]))
    data = pa.table({"query_id": codes, "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    check(complaint(QRELS, data), "row 1", "query_id", "missing")


def test_a_dictionary_that_repeats_a_value_is_one_topic():
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["1", "1"]))
    data = pa.table({"query_id": codes, "doc_id": ["a", "a", "b"], "score": [1.0, 2.0, 3.0]})
    check(complaint(QRELS, data), "topic 1", "document a", "twice")


@pytest.mark.parametrize("empty", [{}, [], JUDGED[:0]], ids=["dict", "list", "frame"])
def test_qrels_of_nothing_are_refused(empty):
    check(complaint(empty, RUN), "qrels", "topic")


def test_half_a_character_is_no_id():
    check(complaint(QRELS, {"1": {"a\ud800": 1.0}}), "run", "doc_id")


@pytest.mark.parametrize("runs", [RUN, [RUN]], ids=["frame", "frames"])
def test_a_comparison_needs_names_or_paths(runs):
    with pytest.raises(InputError, match="runs"):
        compare("AP", QRELS, runs)


def test_a_comparison_needs_a_system():
    with pytest.raises(InputError, match="There is no run"):
        compare("AP", QRELS, {})


@pytest.mark.parametrize("measure", ["alpha_nDCG@10", "ERR_IA@10", "NERR8@10"])
def test_a_measure_that_no_installed_tool_computes_is_named(measure):
    with pytest.raises(IrTruncError, match=measure.split("@")[0]):
        calc(measure, QRELS, {"1": ["a"], "2": ["a"]})


@pytest.mark.parametrize(
    "run", [{"1": ["a", "b"]}, {}, {"1": ["a"], "2": ["a"]}], ids=["a topic less", "none", "no pairs"]
)
def test_a_measure_that_leaves_topics_out_is_no_crash(run):
    """ir_measures' Accuracy has no value for a topic that the run lacks, and fails where nothing is to be
    compared.
    """
    try:
        results = calc("Accuracy@5", {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}, run)
    except IrTruncError as error:
        message = str(error)
        check(message, "Accuracy")
    else:
        assert results.topics == ("1", "2")


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=2)
    | st.binary(max_size=2)
    | st.dates()
)
ANY_IDS = st.sampled_from(["1", "2", "a", "b"]) | VALUES


@given(
    qrels=st.dictionaries(ANY_IDS, st.dictionaries(ANY_IDS, VALUES, max_size=2), max_size=2),
    both=st.booleans(),
)
@example(qrels={"1": {2**64: 1}}, both=True)
@example(qrels={"1": {"a": math.inf}}, both=False)
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_any_dict_gives_scores_or_a_clear_error(qrels, both):
    try:
        values = calc("AP RBPT", qrels, qrels if both else RUN).values
    except IrTruncError:
        return
    assert np.isfinite(values).all()


@pytest.mark.parametrize("topic", [0, 7])
def test_a_bad_id_in_a_dict_is_named_with_its_topic(monkeypatch, topic):
    """Whichever part of the run it stands in: no row is counted."""
    monkeypatch.setattr(memory, "PART", 3)
    run = {str(at): {"a": 1.0, (None if at == topic else "b"): 0.5} for at in range(9)}
    check(complaint(QRELS, run), "run", f"topic {topic}", "doc_id", "missing")
    check(complaint(QRELS, {**run, 1.5: {}, str(topic): {}}), "run", "query_id 1.5 is float")


def test_a_topic_of_the_universe_that_is_no_text_is_named():
    with pytest.raises(InputError, match=r"topic '\\ud800' is not? text"):
        calc("AP", {"1": {"a": 1}}, {}, topics=["\ud800"])
