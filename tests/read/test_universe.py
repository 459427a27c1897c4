"""The query universe: topics without judgments, ir_datasets collections, three views of the results,
abstention.
"""

import gzip
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import AP, Qrel

import ir_trunc
from ir_trunc import (
    InputError,
    IrTruncWarning,
    calc,
    compare,
    rank,
    read_qrels,
    read_topics,
    with_topics,
)
from ir_trunc._read.rows import PLACEHOLDER

pl = pytest.importorskip("polars")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"a": 2.0}, "3": {"z": 1.0}}
ROWS = [Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]

TOPIC_FILES = {
    "ids": "1\n2\n3\n4\n",
    "tsv": "1\tfirst question\n2\tsecond\n3\tthird one\n4\tlast\n",
    "CSV": 'qid,query\n1,"first, and\nonly"\n2,x\n"3",y\n4,\n',
    "CSV with semicolons": "text;_id\nx;1\ny;2\nz;3\n;4\n",
    "TSV with a header": 'ID\ttext\n1\t"first\n2\tx\n3\ty\n4\t\n',
    "JSON lines": '{"_id": "1", "text": "x"}\r\n{"_id": 2}\n\n{"_id": "3"}\n{"_id": "4"}\n',
    "JSON list": '[1, "2", {"query_id": 3},\n {"qid": "4"}]',
    "JSON object, printed well": '{\n  "1": "first",\n  "2": {"text": "x"},\n  "3": "",\n  "4": "y"\n}',
    "trec": (
        "<top>\n<num> Number: 1\n<title>\n</top>\n<top><num>2</num></top><top><num> 3"
        " <title></top><top><num>4\n</top>"
    ),
    "xml": (
        '<topics><topic number="1"><query>x</query></topic>'
        + "".join(f'<topic number="{n}"/>' for n in (2, 3, 4))
    ),
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


class Query(NamedTuple):
    query_id: str
    text: str


TEXTS = pd.Series(["1", "2", "3", "4"])
COLUMNS = {
    "pandas": TEXTS,
    "pandas, numbers": TEXTS.astype(int),
    "pandas, objects": TEXTS.astype(object),
    "pandas, categories": TEXTS.astype("category"),
    "pandas, Arrow": TEXTS.astype("string[pyarrow]"),
    "pandas, index": pd.Index(["1", "2", "3", "4"]),
    "polars": pl.Series(["1", "2", "3", "4"]),
    "polars, numbers": pl.Series([1, 2, 3, 4]),
    "polars, categories": pl.Series(["1", "2", "3", "4"], dtype=pl.Categorical),
    "polars, enumeration": pl.Series(["1", "2", "3", "4"], dtype=pl.Enum(["4", "3", "2", "1"])),
    "pyarrow": pa.array(["1", "2", "3", "4"]),
    "pyarrow, in chunks": pa.chunked_array([["1"], ["2", "3"], ["4"]]),
    "numpy": np.array(["1", "2", "3", "4"]),
    "numpy, numbers": np.arange(1, 5),
    "numpy, objects": np.array([1, "2", 3, "4"], dtype=object),
    "range": range(1, 5),
    "named tuples": [Query(str(at), "text") for at in range(1, 5)],
    "mappings": [{"_id": "1"}, {"qid": 2}, {"id": "3"}, {"query_id": "4"}],
    "Arrow table": pa.table({"_id": ["1", "2", "3", "4"]}),
    "polars frame": pl.DataFrame({"id": [1, 2, 3, 4]}),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_and_items_of_topics(kind):
    assert read_topics(COLUMNS[kind]) == ["1", "2", "3", "4"]
    assert read_qrels({"1": {"a": 1}, "2": {}, "3": {}, "4": {}}, COLUMNS[kind]).judgments.topics == (
        "1",
        "2",
        "3",
        "4",
    )


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        (b"123", r"topics of type bytes: .*a file of topics \(TREC topics, "),
        (5, r"topics of type int: .*a file"),
        (np.array(5), r"topics of type ndarray: .*a file"),
        ([("1", "text")], "item 0: .* is tuple; an id, or an item with query_id, qid, _id or id, is needed"),
        (["1", float("nan")], "item 1: topic is missing"),
        (pd.Series(["1", None]), "row 1: topic is missing"),
        ([1.0], "item 0: topic 1.0 is float, not text"),
        ([{"text": "x"}], "item 0: an object with query_id, qid, _id or id is needed; it has: 'text'"),
        ({float("nan"): "x"}, "topic is missing"),
        (pd.DataFrame({"topic": ["1"]}), "no column query_id or qid or query-id or _id or id; it has: topic"),
        (np.array([["1", "2"]]), "row 0: .* is ndarray"),
        (["\ud800"], "not text that UTF-8 can hold"),
        (iter(()), "there is no topic"),
    ],
)
def test_what_holds_no_topics_is_refused(topics, message):
    with pytest.raises(InputError, match=message):
        read_topics(topics)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ('<topics><topic number="Q&amp;A &lt;1&#62;"/></topics>', "Q&A <1>"),
        ("<top>\n<num> Number: Q&amp;A\n</top>", "Q&A"),
        ("<top>\n<num> Number: Q&A&copy\n</top>", "Q&A&copy"),
        (
            (
                '<!DOCTYPE t [<!ENTITY me SYSTEM "file:///etc/hostname">]><topics><topic'
                ' number="&me;"/></topics>'
            ),
            "&me;",
        ),
    ],
)
def test_characters_of_marked_up_topics_are_read_and_entities_are_not_followed(tmp_path, text, topic):
    (tmp_path / "topics.xml").write_text(text)
    assert read_topics(tmp_path / "topics.xml") == [topic]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 d1 1\n1 0 d2 0\n", "looks like qrels or a run, not like topics; a file"),
        ("1\tQ0\td1\t1\t2.5\tsys\n", None),
        ("1 Q0 d1 1 2 sys\n1 Q0 d2 2 1 sys\n", "looks like qrels or a run"),
        (
            "1 first question\n",
            "line 1: '1 first question' is not an id; an id, 'id<TAB>text', or a CSV with a header",
        ),
        ("1\n2,second\n", "line 2: '2,second' is not an id"),
        (
            "topic\ttext\n1\tfirst\n2\tsecond\n",
            "'topic' looks like a header; call the column of ids query_id, qid",
        ),
        ("topic,text\n1,first\n", "line 1: 'topic,text' is not an id"),
        ("1\tfirst\n\tsecond\n", "line 2: the id is missing"),
        ("qid,text\n1,first\n,second\n", "row 3: qid is missing"),
        ("qid,id,text\n1,2,first\n", "columns qid and id for the same field"),
        ('qid,text\n1,"first\n', "is not a table"),
        (
            '{"_id": "1"}\n{"text": "2"}\n',
            "line 2: an object with query_id, qid, _id or id is needed; it has: 'text'",
        ),
        ('{"_id": "1"}\n{"_id": "2"\n', "line 2 cannot be read as JSON"),
        ('{"_id": "1"}\n{"_id": null}\n', "line 2: topic is missing"),
        ('[{"_id": 1.5}]', "item 0: topic 1.5 is float"),
        ('{"1": "x", "1": "y"}', "cannot be read as JSON: an object has the name '1' twice"),
        ('{"version": "2", "data": []}', "the value of 'data' is list, not text"),
        ("[" * 100_000, "nested too deeply"),
        ('["\\ud800"]', "not text that UTF-8 can hold"),
        ("<top><num>1</num></top><top><title>x</top>", "holds 2 topics, but only 1 of them have a number"),
    ],
)
def test_a_file_that_is_not_of_topics_is_refused(tmp_path, text, message):
    path = tmp_path / "my-topics"
    path.write_text(text)
    with pytest.raises(InputError, match=f"my-topics.*{message or 'looks like qrels or a run'}"):
        read_topics(path)


def test_lines_of_topics_end_where_lines_of_runs_do_and_only_ascii_blanks_cut_ids(tmp_path):
    path = tmp_path / "topics"
    path.write_bytes("1\tone\u2028two\r\n 質問\u30002\x85 \tthree\x0cfour\r3\u00a0\n".encode())
    assert read_topics(path) == ["1", "質問\u30002\x85", "3\u00a0"]
    assert calc(
        "RBPT", {"1": {"a": 1}, "質問\u30002\x85": {"b": 1}, "3\u00a0": {"c": 1}}, {}, topics=path
    ).values.tolist() == [[0] * 3]


@pytest.mark.filterwarnings("ignore:.*nil queries")
def test_a_path_of_topics_is_read_wherever_topics_are_wanted(tmp_path, command):
    path = tmp_path / "topics.txt"
    path.write_text("1\n2\n10\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for topics in (path, str(path)):
        assert read_qrels({"1": {"a": 1}}, topics).judgments.topics == ("1", "2", "10")
        assert read_qrels(read_qrels({"1": {"a": 1}}), topics).judgments.topics == ("1", "2", "10")
        assert set(with_topics({"1": {"a": 1}}, topics)) == {"1", "2", "10"}
        assert rank({"1": {"a": 1}}, {}, topics=topics).topics == ("1", "2", "10")
    (tmp_path / "run").write_text("1 Q0 a 1 1 s\n")
    status, out, err = command(
        *(str(tmp_path / name) for name in ("qrels", "run")), "RBPT", "-q", "-n", "--topics", str(path)
    )
    assert (status, len(out.splitlines())) == (0, 3)
    assert "topics.txt: no judgments in qrels" in err
    assert (
        "for 2 of 3 topics (topic '2' for one); they count as nil queries, for which the empty list is right."
        in err
    )


def test_topics_that_the_topics_alone_know_are_counted_once(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("1\n2\n3\n4\n")
    what = (
        r"topics\.txt: no judgments in qrels \(dict\) for 2 of 4 topics \(topic '3' for one\); they count as"
        r" nil queries"
    )
    for door in (lambda: calc("AP", QRELS, RUN, topics=path), lambda: with_topics(QRELS, path)):
        with pytest.warns(IrTruncWarning, match=what) as caught:
            door()
        assert len(caught) == 1
    calc("AP", QRELS, {}, topics=["1", "2"])  # nothing to say
    with pytest.warns(IrTruncWarning) as caught:
        compare("AP", QRELS, {"a": {}, "b": {}, "c": {}}, topics=path)
    assert len(caught) == 1


def test_additional_topics_alone_are_counted_and_not_said_loudly():
    count = (
        r"^topics \(list\): no judgments in qrels \(dict\) for 2 of 2 topics \(topic 'Q1' for one\); they"
        r" count as nil"
    )
    for call in (
        lambda: calc("RBPT", QRELS, {"1": ["a"]}, topics=["Q1", "Q2"]),
        lambda: with_topics(QRELS, ["Q1", "Q2"]),
    ):
        with pytest.warns(IrTruncWarning, match=count) as caught:
            call()
        assert len(caught) == 1


def test_topics_that_share_no_id_with_qrels_and_run_are_said_loudly():
    with pytest.warns(IrTruncWarning) as caught:
        calc("RBPT", QRELS, {"R1": ["a"]}, topics=["Q1", "Q2"])
    assert [("NO topic is left" in str(one.message)) for one in caught] == [False, True]
    with pytest.warns(IrTruncWarning, match="NO topic is left"):
        calc("RBPT", QRELS, {"Q1": ["a"]}, topics=["1", "2"])


def test_with_topics_knows_numbers_for_the_topics_that_they_are():
    assert with_topics({1: {"a": 1}, 2: {}}, ["1", "2"]) == {1: {"a": 1}, 2: {PLACEHOLDER: 0}}


@pytest.mark.parametrize(("text", "message"), [("", "no topic"), ("<doc>x</doc>", "neither <num> nor")])
def test_a_topic_file_without_topics_is_refused(tmp_path, text, message):
    path = tmp_path / "my-topics"
    path.write_text(text)
    with pytest.raises(InputError, match=f"my-topics.*{message}"):
        read_topics(path)


@pytest.mark.filterwarnings("ignore:.*nil queries")
def test_unjudged_topics_are_nil_queries():
    results = calc("RBPT AP", QRELS, RUN, topics=["3", "4"])
    assert results.topics == ("1", "2", "3", "4")
    assert results.to_pandas()["RBPT"].round(2).tolist() == [0.9, 0, 0.8, 1]


FORMS = {
    "dict": QRELS,
    "named tuples": ROWS,
    "pandas": pd.DataFrame(ROWS),
    "PyTerrier": pd.DataFrame(
        [(r.query_id, r.doc_id, r.relevance) for r in ROWS], columns=["qid", "docno", "label"]
    ),
    "pyarrow": pa.Table.from_pandas(pd.DataFrame(ROWS)),
    "polars": pl.DataFrame(pd.DataFrame(ROWS).to_dict("list")),
    "Qrels": read_qrels(QRELS),
}


@pytest.mark.filterwarnings("ignore:.*nil queries")
@pytest.mark.parametrize("form", FORMS)
def test_with_topics_in_every_form(form):
    larger = with_topics(FORMS[form], ["4", "2", "3"])
    expected = calc("RBPT c@1 OIE", QRELS, RUN, topics=["3", "4"])
    assert calc("RBPT c@1 OIE", larger, RUN).values.tobytes() == expected.values.tobytes()


OTHERS = {
    "plain tuples": [tuple(row[:3]) for row in ROWS],
    "records": [row._asdict() for row in ROWS],
    "relevant documents": {"1": ["a"], "2": ["c"]},
    "dicts by topic": {"1": [{"id": "a", "relevance": 1}], "2": [{"id": "c", "relevance": 2}]},
}


@pytest.mark.parametrize("form", OTHERS)
def test_with_topics_takes_every_form_that_calc_takes(form):
    with pytest.warns(IrTruncWarning, match="for 2 of 3 topics .topic '4' for one"):
        larger = with_topics(OTHERS[form], ["4", "2", "3"])
    assert larger.judgments.topics == ("1", "2", "3", "4")
    more = read_qrels(OTHERS[form])
    assert larger.judgments.grades.tolist() == more.judgments.grades.tolist()
    assert larger.judgments.levels.tolist() == more.judgments.levels.tolist()


def test_with_topics_refuses_qrels_that_calc_refuses():
    with pytest.raises(InputError, match=r"topic 1, document a: relevance 0.5 is not a whole number"):
        with_topics({"1": {"a": 0.5}}, ["2"])


@pytest.mark.filterwarnings("ignore:.*nil queries")
@pytest.mark.parametrize("form", ["dict", "named tuples", "pandas"])
def test_with_topics_is_ir_measures_input(form):
    larger = with_topics(FORMS[form], ["3", "4"])
    means = ir_measures.calc_aggregate([ir_trunc.RBPT, AP], larger, RUN)
    assert means == {
        m: pytest.approx(v) for m, v in calc("RBPT AP", QRELS, RUN, topics=["3", "4"]).aggregated.items()
    }
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
    table = compare("RBPT c@1", qrels, runs).by_view()
    assert table.index.names == ["queries", "system"]
    assert list(table.index) == [(view, name) for view in ("all", "answerable", "nil") for name in runs]
    for (view, name), row in table.iterrows():
        assert row.tolist() == list(calc("RBPT c@1", qrels, runs[name]).views()[view].aggregated.values())
    silent = compare("RBPT", {"1": {"a": 1}}, {"silent": runs["silent"]})
    assert silent.by_view().loc["nil"].isna().all(axis=None)
