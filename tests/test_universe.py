"""The query universe: topics without judgments, ir_datasets collections, three views of the results, abstention."""

import gzip

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import AP, Qrel

import ir_trunc
from ir_trunc import InputError, ParameterError, calc, compare, read_qrels, read_topics, with_topics
from ir_trunc.io import PLACEHOLDER

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"a": 2.0}, "3": {"z": 1.0}}
ROWS = [Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]

TOPIC_FILES = {
    "ids": "1\n2\n3\n4\n",
    "tsv": "1\tfirst question\n2\tsecond\n3\tthird one\n4\tlast\n",
    "blanks": "1 first question\n2 second\n\n3 third\n4 last",
    "trec": "<top>\n<num> Number: 1\n<title>\n</top>\n<top><num>2</num></top><top><num> 3 <title></top><top><num>4\n</top>",
    "xml": '<topics><topic number="1"><query>x</query></topic>' + "".join(f'<topic number="{n}"/>' for n in (2, 3, 4)),
}


@pytest.mark.parametrize("kind", TOPIC_FILES)
@pytest.mark.parametrize("zipped", [False, True])
def test_topic_files(tmp_path, kind, zipped):
    path = tmp_path / "topics"
    data = TOPIC_FILES[kind].encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    assert read_topics(path) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    "topics",
    [
        ["1", "2", "3", "4"],
        (topic for topic in [1, 2, 3, 4]),
        pd.DataFrame({"qid": ["1", "2", "3", "4"], "query": "x"}),
        pl.DataFrame({"query_id": [1, 2, 3, 4]}),
        {"1": "text", "2": "", "3": "", "4": ""},
    ],
    ids=["list", "generator", "pandas", "polars", "mapping"],
)
def test_topics_in_memory(topics):
    assert read_topics(topics) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("text", "message"), [("", "no topic"), ("<doc>x</doc>", "neither <num> nor")])
def test_a_topic_file_without_topics_is_refused(tmp_path, text, message):
    path = tmp_path / "my-topics"
    path.write_text(text)
    with pytest.raises(InputError, match=f"my-topics.*{message}"):
        read_topics(path)


def test_unjudged_topics_are_nil_queries():
    results = calc("RBPT AP", QRELS, RUN, topics=["3", "4"])
    assert results.topics == ("1", "2", "3", "4")
    assert results.to_pandas()["RBPT"].round(2).tolist() == [0.9, 0, 0.8, 1]


FORMS = {
    "dict": QRELS,
    "named tuples": ROWS,
    "pandas": pd.DataFrame(ROWS),
    "PyTerrier": pd.DataFrame([(r.query_id, r.doc_id, r.relevance) for r in ROWS], columns=["qid", "docno", "label"]),
    "pyarrow": pa.Table.from_pandas(pd.DataFrame(ROWS)),
    "polars": pl.DataFrame(pd.DataFrame(ROWS).to_dict("list")),
    "Qrels": read_qrels(QRELS),
}


@pytest.mark.parametrize("form", FORMS)
def test_with_topics_in_every_form(form):
    larger = with_topics(FORMS[form], ["4", "2", "3"])
    expected = calc("RBPT c@1 OIE", QRELS, RUN, topics=["3", "4"])
    assert calc("RBPT c@1 OIE", larger, RUN).values.tobytes() == expected.values.tobytes()


@pytest.mark.parametrize("form", ["dict", "named tuples", "pandas"])
def test_with_topics_is_ir_measures_input(form):
    larger = with_topics(FORMS[form], ["3", "4"])
    means = ir_measures.calc_aggregate([ir_trunc.RBPT, AP], larger, RUN)
    assert means == {m: pytest.approx(v) for m, v in calc("RBPT AP", QRELS, RUN, topics=["3", "4"]).aggregated.items()}
    assert QRELS == {"1": {"a": 1, "b": 0}, "2": {"c": 2}}


def test_the_placeholder_is_neither_retrieved_nor_judged():
    qrels = {"1": {"a": 1}, "2": {PLACEHOLDER: 1}}
    run = {"1": {PLACEHOLDER: 9.0, "a": 1.0}, "2": {PLACEHOLDER: 1.0}}
    results = calc("RR RBPT SetP OIE(D=1)", qrels, run)
    assert results.rankings.lengths.tolist() == [1, 0]
    assert results.values[:3].tolist() == [[1, 0], [1, 1], [1, 0]]


def test_three_views_and_abstention():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"x": 0}, "4": {}}
    run = {"1": ["a"], "3": ["x"]}
    results = calc("RBPT c@1", qrels, run)
    views = results.views()
    assert {name: view.topics for name, view in views.items()} == {
        "all": ("1", "2", "3", "4"),
        "answerable": ("1", "2"),
        "nil": ("3", "4"),
    }
    assert views["nil"].aggregated["RBPT"] == pytest.approx((0.8 + 1) / 2)
    assert views["answerable"].aggregated["c@1"] == 1 / 2 + 1 / 2 * 1 / 2  # over these questions alone
    silence = results.abstention
    assert (silence.silent, silence.nil, silence.rightly) == (2, 2, 1)
    assert (silence.precision, silence.recall) == (0.5, 0.5)


def test_systems_are_compared_in_three_views():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"x": 0}, "4": {}}
    runs = {"silent": {"1": ["a"]}, "loud": {topic: ["a", "b", "x"] for topic in qrels}}
    table = compare("RBPT c@1", qrels, runs, views=True)
    assert table.index.names == ["queries", "system"]
    assert list(table.index) == [(view, name) for view in ("all", "answerable", "nil") for name in runs]
    for (view, name), row in table.iterrows():
        assert row.tolist() == list(calc("RBPT c@1", qrels, runs[name]).views()[view].aggregated.values())
    assert compare("RBPT", {"1": {"a": 1}}, {"silent": runs["silent"]}, views=True).loc["nil"].isna().all(axis=None)
    with pytest.raises(ParameterError, match="long=True and views=True"):
        compare("RBPT", qrels, runs, long=True, views=True)
