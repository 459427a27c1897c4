"""Ids, scores and grades of data in memory: what each value means, or which one means nothing."""

import contextlib
import datetime
import enum
import uuid
from collections import namedtuple
from decimal import Decimal
from itertools import product

import ir_measures
import messages
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from messages import check, refused

from ir_trunc import InputError, IrTruncError, calc
from ir_trunc._core.errors import shown

pl = pytest.importorskip("polars")
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
RUN = pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "b"], "score": [2.0, 1.0, 3.0]})
JUDGED = RUN.drop(columns="score").assign(relevance=[1, 0, 2])


def complaint(qrels, run):
    """What is said about these data."""
    message = messages.complaint(lambda: calc("AP RBPT", qrels, run))
    assert "Arrow" not in message
    return message


@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_a_missing_column_is_named_beside_those_that_are_there(make):
    check(complaint(QRELS, make(RUN.drop(columns="doc_id"))), "run", "doc_id or docno", "query_id", "score")
    renamed = make(RUN.rename(columns={"query_id": "topic"}))
    check(complaint(QRELS, renamed), "query_id or qid", "topic", "doc_id")
    unjudged = make(JUDGED.drop(columns="relevance"))
    check(complaint(unjudged, RUN), "qrels", "relevance or label", "query_id, doc_id")


# What is wrong, the scores, and the first document that has a wrong one.
@pytest.mark.parametrize("dtype", ["string[python]", "string[pyarrow]", "category"])
def test_a_missing_id_is_missing_in_every_dtype(dtype):
    run = RUN.assign(doc_id=["a", None, "b"]).astype({"doc_id": dtype})
    check(complaint(QRELS, run), "run", "row 1: doc_id is missing")


def test_dates_and_categories_of_words_are_no_scores():
    for scores in (pd.to_datetime(["2026-01-01"] * 3), pd.Categorical(["3", "high", "1"])):
        check(complaint(QRELS, RUN.assign(score=scores)), "run", "topic 1", "score")


def test_large_whole_scores_are_scores():
    """Time stamps, for example; 32 bits are kept of them."""
    stamps = {"1": {"a": 1_700_000_000_000_000_001, "b": 1_600_000_000_000_000_001}}
    assert calc("RR", QRELS, stamps).values[0].tolist() == [1, 0]
    assert calc("RR", QRELS, RUN.assign(score=[2**60 + 1, 2**59 + 1, 2**60 + 1])).values[0].tolist() == [1, 0]
    assert calc("RR", QRELS, {"1": {"a": 2**64, "b": 0.5}}).values[0].tolist() == [1, 0]
    ids = calc("RR", {"1": {2**70: 1, 2**63: 0}}, {"1": {2**63: 2.0, 2**70: 1.0}})
    assert ids.values[0].tolist() == [1 / 2]


TWICE = pd.concat([RUN, RUN[:1]])


@pytest.mark.parametrize("run", [
    {"1": {1: 1.0, "1": 2.0}}, {1: {"a": 1.0}, "1": {"a": 2.0}}, {"1": ["a", "b", "a"]},
    [ir_measures.ScoredDoc("1", "a", 1.0)] * 2, TWICE, TWICE.astype({"doc_id": "category"}),
    pl.from_pandas(TWICE),
], ids=["number and text", "topics too", "by rank", "tuples", "pandas", "categories", "polars"])  # fmt: skip
def test_a_document_that_is_twice_in_a_list_is_named(run):
    check(complaint(QRELS, run), "run", "topic 1", "document", "twice")


def test_a_document_that_is_judged_twice_is_named():
    again = JUDGED[1:2].assign(relevance=JUDGED["relevance"] + 1)
    check(complaint(pd.concat([JUDGED, again]), RUN), "qrels", "topic 1", "document b", "twice")
    check(complaint({1: {"a": 1}, "1": {"a": 0}}, RUN), "qrels", "topic 1", "document a", "twice")


@pytest.mark.parametrize(("codes", "ids", "parts"), [
    ([0, 1], ["1", None], ["row 1", "query_id", "missing"]),
    ([0, 1], ["1", "1"], ["topic 1", "document a", "twice"]),
])  # fmt: skip
def test_dictionaries_with_missing_or_repeated_values(codes, ids, parts):
    topics = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(ids))
    check(complaint(QRELS, pa.table({"query_id": topics, "doc_id": ["a", "a"], "score": [1.0, 2.0]})), *parts)


JUDGED_IDS = {"1": {"1": 1, "0": 0}, "1.0": {"1": 1}, "True": {"True": 1}}
DAY = datetime.date(2026, 1, 1)
GOOD_IDS = {
    "text": ["1", "0"],
    "numbers": [1, 0],
    "numbers of numpy": [np.int64(1), np.int32(0)],
    "text of numpy": [np.str_("1"), np.str_("0")],
    "an enumeration of text": list(enum.Enum("Text", {"one": "1", "none": "0"}, type=str)),
    "an enumeration of numbers": list(enum.IntEnum("Number", {"one": 1, "none": 0})),
}
NO_IDS = {
    "floats": [1.0, 0.0],
    "truths": [True, False],
    "truths of numpy": [np.True_, np.False_],
    "a truth among numbers": [1, False],
    "bytes": [b"1", b"0"],
    "dates": [DAY, DAY + datetime.timedelta(1)],
    "times": [datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 2)],
    "durations": [datetime.timedelta(1), datetime.timedelta(2)],
    "decimals": [Decimal(1), Decimal(0)],
    "UUIDs": [uuid.UUID(int=1), uuid.UUID(int=0)],
    "missing": ["1", None],
    "more digits than Python writes": [1, 10**5000],
}
Doc = namedtuple("Doc", "query_id doc_id score")


def frame_of_ids(values, dtype):
    return pd.DataFrame({"qid": "1", "docno": pd.Series(values, dtype=dtype), "score": [2.0, 1.0]})


FORMS = {
    "dict": lambda values: {"1": dict(zip(values, (2.0, 1.0)))},
    "dict of topics": lambda values: {value: {"1": 1.0} for value in values},
    "list by rank": lambda values: {"1": values},
    "tuple by rank": lambda values: {"1": tuple(values)},
    "named tuples": lambda values: [Doc("1", value, score) for value, score in zip(values, (2.0, 1.0))],
    "pandas": lambda values: frame_of_ids(values, None),
    "pandas objects": lambda values: frame_of_ids(values, object),
    "pandas categories": lambda values: frame_of_ids(values, None).astype({"docno": "category"}),
    "polars objects": lambda values: pl.DataFrame(
        {"qid": ["1", "1"], "docno": pl.Series(values, dtype=pl.Object), "score": [2.0, 1.0]}
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_text_and_whole_numbers_are_ids_in_every_form_and_nothing_else_is(form):
    qrels, expected = JUDGED_IDS, [1.0, 0.0, 0.0]
    if form == "dict of topics":
        qrels, expected = {"1": {"1": 1}, "0": {"1": 0}, "x": {}}, [0.0, 1.0, 0.0]
    for kind, ids in GOOD_IDS.items():
        assert calc("RR", qrels, FORMS[form](ids)).values[0].tolist() == expected, kind
    for kind, ids in NO_IDS.items():
        try:
            run = FORMS[form](ids)
        except OverflowError:  # pandas 2.2 cannot hold whole numbers of so many digits
            continue
        with pytest.raises(InputError, match=r"doc_id|query_id") as caught:
            calc("RR", JUDGED_IDS, run)
        assert "\n" not in str(caught.value), kind


@pytest.mark.parametrize("form", ["dict", "dict of topics", "list by rank", "named tuples", "pandas objects"])
def test_half_a_character_is_not_an_id(form):
    with pytest.raises(InputError, match=r"_id '.udc00' is not text that UTF-8 can hold"):
        calc("RR", JUDGED_IDS, FORMS[form](["1", "\udc00"]))


@pytest.mark.parametrize("column", [
    pa.array([1.0, 0.0]).dictionary_encode(), pa.array([True, False]).dictionary_encode(),
    pa.array([b"1", b"0"]).dictionary_encode(), pa.array([DAY, DAY]).dictionary_encode(),
    pa.array([Decimal(1), Decimal(0)]).dictionary_encode(), pa.array([b"1", b"0"]), pa.array([[1], [0]]),
    pa.array([{"id": 1}, {"id": 0}]),
    pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"1" * 16, b"0" * 16], pa.binary(16))),
    pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
], ids=lambda column: str(column.type)[:40])  # fmt: skip
def test_arrow_types_that_are_no_ids(column):
    with pytest.raises(InputError, match="row 0: doc_id"):
        calc("RR", JUDGED_IDS, pa.table({"qid": ["1", "1"], "docno": column, "score": [2.0, 1.0]}))


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt64, pl.Int8])
def test_whole_numbers_of_any_size_are_ids_and_scores(dtype):
    """pyarrow has no 128-bit integers."""
    types = {"docno": dtype, "score": dtype}
    run = pl.DataFrame({"qid": ["1", "1"], "docno": [1, 0], "score": [1, 2]}, schema_overrides=types)
    assert calc("RR", JUDGED_IDS, run).values[0].tolist() == [0.5, 0.0, 0.0]
    assert calc("RR", run.rename({"score": "label"}), run).values[0].tolist() == [1.0]


def test_a_column_that_is_not_needed_may_have_any_type():
    run = pl.DataFrame({"qid": ["1"], "docno": ["1"], "score": [1.0]})
    run = run.with_columns(more=pl.lit(1, pl.Int128), text=pl.Series([object()], dtype=pl.Object))
    assert calc("RR", JUDGED_IDS, run).values[0].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["qid", "docno", "score", "cost"])
def test_a_column_that_is_there_twice_is_refused(name):
    run = pd.DataFrame({"qid": ["1"], "docno": ["1"], "score": [1.0], "cost": [0.5]})
    table = pa.Table.from_pandas(run).append_column(name, [["2"]])
    for twice in (pd.concat([run, run[[name]]], axis=1), table):
        refused(InputError, f"columns {name} and {name} for the same field", calc, "RR", JUDGED_IDS, twice)
    refused(InputError, "columns qid and query_id", calc, "RR", JUDGED_IDS, run.assign(query_id="2"))


def test_every_value_can_be_shown_in_a_message():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    for value in (10**5000, Mute(), [Mute()], pd.DataFrame({"a": [1, 2]}), "a\nb", {"q": None}):
        assert shown(value)
        assert "\n" not in shown(value)
        assert len(shown(value)) < 200


NEAR = ["1", "01", "1.0", "+1", "a", "A", "\u00e9", "e\u0301", "\ufb01", "fi", "a\u200b"]


@pytest.mark.parametrize("form", ["dicts", "frames", "files"])
def test_ids_that_look_alike_are_different_ids(form, tmp_path):
    """They are compared byte by byte: no number, no case, no normal form of Unicode."""
    judged = {topic: {doc: int(doc == topic) for doc in NEAR} for topic in NEAR}
    found = {topic: {topic: 1.0} for topic in NEAR}
    rows = [(topic, doc, grade) for topic, docs in judged.items() for doc, grade in docs.items()]
    if form == "dicts":
        qrels, run = judged, found
    elif form == "frames":
        qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
        run = pd.DataFrame({"query_id": NEAR, "doc_id": NEAR, "score": 1.0})
    else:
        qrels, run = tmp_path / "qrels", tmp_path / "run"
        qrels.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows), "utf-8")
        run.write_text("".join(f"{name} Q0 {name} 1 1.0 t\n" for name in NEAR), "utf-8")
    results = calc("RR", qrels, run)
    assert sorted(results.topics) == sorted(NEAR)
    assert results.values.tolist() == [[1] * len(NEAR)]


KINDS = ("?", "i1", "u8", "f2", "f8", "g", "D", "U1", "S1", "M8[D]", "M8[ns]", "m8[s]", "V1")
SCALARS = [*(np.zeros(1, kind)[0] for kind in KINDS), np.datetime64("NaT", "ns"), np.array(1)]


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("first", "second"), [*product(SCALARS, SCALARS)])
def test_no_pair_of_numpy_scalars_ends_the_interpreter(first, second):
    """pyarrow died of np.datetime64 beside np.bool_ where it inferred the type."""
    column = pd.Series([first, second], dtype=object)
    for run in (
        {"1": {"a": first, "b": second}},
        [Doc("1", "a", first), Doc("1", "b", second)],
        {"1": [("a", first), ("b", second)]},
        RUN[:2].assign(score=column),
        RUN[:2].assign(query_id=column),
    ):
        with contextlib.suppress(IrTruncError):
            calc("AP", QRELS, run)
