"""One rule for ids in every form of data: text and whole numbers are ids, nothing else is."""

import datetime
import enum
import uuid
from collections import namedtuple
from decimal import Decimal

import ir_datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ir_trunc import InputError, calc, read_qrels
from ir_trunc._core.errors import shown

pl = pytest.importorskip("polars")

QRELS = {"1": {"1": 1, "0": 0}, "1.0": {"1": 1}, "True": {"True": 1}}
DAY = datetime.date(2026, 1, 1)
IDS = {
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


def frame(values, dtype):
    return pd.DataFrame({"qid": "1", "docno": pd.Series(values, dtype=dtype), "score": [2.0, 1.0]})


FORMS = {
    "dict": lambda values: {"1": dict(zip(values, (2.0, 1.0)))},
    "dict of topics": lambda values: {value: {"1": 1.0} for value in values},
    "list by rank": lambda values: {"1": values},
    "tuple by rank": lambda values: {"1": tuple(values)},
    "named tuples": lambda values: [Doc("1", value, score) for value, score in zip(values, (2.0, 1.0))],
    "pandas": lambda values: frame(values, None),
    "pandas objects": lambda values: frame(values, object),
    "pandas categories": lambda values: frame(values, None).astype({"docno": "category"}),
    "polars objects": lambda values: pl.DataFrame(
        {"qid": ["1", "1"], "docno": pl.Series(values, dtype=pl.Object), "score": [2.0, 1.0]}
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", IDS)
def test_text_and_whole_numbers_are_ids_in_every_form(form, kind):
    expected = [0.5, 0.0, 0.0] if form == "dict of topics" else [1.0, 0.0, 0.0]
    qrels = QRELS if form != "dict of topics" else {"1": {"1": 1}, "0": {"1": 0}, "x": {}}
    values = calc("RR", qrels, FORMS[form](IDS[kind])).values[0].tolist()
    assert values == (expected if form != "dict of topics" else [0.0, 1.0, 0.0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", NO_IDS)
def test_nothing_else_is_an_id_in_any_form(form, kind):
    try:
        run = FORMS[form](NO_IDS[kind])
    except OverflowError:
        pytest.skip("pandas 2.2 cannot hold whole numbers of so many digits")
    with pytest.raises(InputError, match=r"doc_id|query_id") as caught:
        calc("RR", QRELS, run)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["dict", "dict of topics", "list by rank", "named tuples", "pandas objects"])
def test_half_a_character_is_not_an_id(form):
    with pytest.raises(InputError, match=r"_id '.udc00' is not text that UTF-8 can hold"):
        calc("RR", QRELS, FORMS[form](["1", "\udc00"]))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, 0.0]).dictionary_encode(),
        pa.array([True, False]).dictionary_encode(),
        pa.array([b"1", b"0"]).dictionary_encode(),
        pa.array([DAY, DAY]).dictionary_encode(),
        pa.array([Decimal(1), Decimal(0)]).dictionary_encode(),
        pa.array([b"1", b"0"]),
        pa.array([[1], [0]]),
        pa.array([{"id": 1}, {"id": 0}]),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"1" * 16, b"0" * 16], pa.binary(16))),
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
    ],
    ids=lambda column: str(column.type)[:40],
)
def test_arrow_types_that_are_no_ids(column):
    with pytest.raises(InputError, match="row 0: doc_id"):
        calc("RR", QRELS, pa.table({"qid": ["1", "1"], "docno": column, "score": [2.0, 1.0]}))


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt64, pl.Int8])
def test_whole_numbers_of_any_size_are_ids_and_scores(dtype):
    """pyarrow has no 128-bit integers."""
    run = pl.DataFrame(
        {"qid": ["1", "1"], "docno": [1, 0], "score": [1, 2]},
        schema_overrides={"docno": dtype, "score": dtype},
    )
    assert calc("RR", QRELS, run).values[0].tolist() == [0.5, 0.0, 0.0]
    judged = run.rename({"score": "label"})
    assert calc("RR", judged, run).values[0].tolist() == [1.0]


def test_a_column_that_is_not_needed_may_have_any_type():
    run = pl.DataFrame(
        {"qid": ["1"], "docno": ["1"], "score": [1.0], "text": pl.Series([object()], dtype=pl.Object)}
    )
    assert calc("RR", QRELS, run.with_columns(more=pl.lit(1, pl.Int128))).values[0].tolist() == [
        1.0,
        0.0,
        0.0,
    ]


SCORES = {
    "a decimal NaN": Decimal("NaN"),
    "a signalling decimal NaN": Decimal("sNaN"),
    "a decimal infinity": Decimal("-Infinity"),
    "a truth among numbers": True,
    "a truth of numpy": np.True_,
    "a complex number": 1j,
    "an array": np.array(1.0),
    "a number too large": 10**5000,
}


@pytest.mark.parametrize("kind", SCORES)
def test_scores_and_grades_that_are_no_finite_numbers(kind):
    values = [1, SCORES[kind]]
    objects = pd.DataFrame({"qid": "1", "docno": ["1", "0"], "score": pd.Series(values, dtype=object)})
    for run in ({"1": dict(zip("10", values))}, objects, [Doc("1", *pair) for pair in zip("10", values)]):
        with pytest.raises(InputError, match="topic 1, document 0: score"):
            calc("RR", QRELS, run)
    for qrels in ({"1": dict(zip("10", values))}, objects.rename(columns={"score": "label"})):
        with pytest.raises(InputError, match="topic 1, document 0: relevance"):
            calc("RR", qrels, {})


@pytest.mark.parametrize("name", ["qid", "docno", "score", "cost"])
def test_a_column_that_is_there_twice_is_refused(name):
    run = pd.DataFrame({"qid": ["1"], "docno": ["1"], "score": [1.0], "cost": [0.5]})
    for twice in (
        pd.concat([run, run[[name]]], axis=1),
        pa.Table.from_pandas(run).append_column(name, [["2"]]),
    ):
        with pytest.raises(InputError, match=f"columns {name} and {name} for the same field"):
            calc("RR", QRELS, twice)


def test_two_names_of_one_field_are_refused():
    run = pd.DataFrame({"qid": ["1"], "query_id": ["2"], "docno": ["1"], "score": [1.0]})
    with pytest.raises(InputError, match="columns qid and query_id"):
        calc("RR", QRELS, run)


class Loose:
    """A data set whose ids and scale are what its maker liked."""

    def __init__(self, topics, scale):
        self.topics, self.scale = topics, scale

    def dataset_id(self):
        return "loose"

    def queries_iter(self):
        return (ir_datasets.formats.GenericQuery(topic, "") for topic in self.topics)

    def qrels_iter(self):
        return iter([ir_datasets.formats.TrecQrel("1", "a", 1, "0")])

    def qrels_defs(self):
        return self.scale


Loose.__module__ = "ir_datasets.loose"


def test_ids_and_scale_of_a_data_set_follow_the_same_rule():
    assert read_qrels(Loose([1, "2"], {1: "yes"})).judgments.topics == ("1", "2")
    with pytest.raises(InputError, match=r"data set loose, row 1: query_id 2.0 is float"):
        read_qrels(Loose(["1", 2.0], {}))
    with pytest.raises(InputError, match=r"data set loose: its judgment scale \['high'\]"):
        read_qrels(Loose(["1"], {"high": "yes"}))


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
