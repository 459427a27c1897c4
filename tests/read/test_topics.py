"""Topics: every form of them, and what holds none."""

from collections import namedtuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from messages import refused

from ir_trunc import InputError, calc, read_qrels, read_topics

pl = pytest.importorskip("polars")
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
def test_topic_files(tmp_path, kind):
    (tmp_path / "topics").write_bytes(TOPIC_FILES[kind].encode())
    assert read_topics(tmp_path / "topics") == ["1", "2", "3", "4"]


@pytest.mark.filterwarnings("ignore:.*no judgments in qrels", "ignore:.*is not in the run")
@pytest.mark.parametrize(
    "text", ["query,text\n1,a\n9,b\n", '[{"query": "1"}, {"query": "9"}]', "qid\n1\n9\n"]
)
def test_topics_have_the_column_of_ids_that_the_user_named(tmp_path, text):
    (tmp_path / "queries").write_text(text)
    run = [{"query": "1", "doc_id": "a", "score": 1.0}]
    results = calc("RBPT", {"1": {"a": 1}}, run, topics=tmp_path / "queries", columns={"query_id": "query"})
    assert results.topics == ("1", "9")


Query = namedtuple("Query", "query_id text")
TEXTS = pd.Series(["1", "2", "3", "4"])
COLUMNS = {
    "pandas": TEXTS,
    "pandas, numbers": TEXTS.astype(int),
    "pandas, index": pd.Index(["1", "2", "3", "4"]),
    "polars": pl.Series(["1", "2", "3", "4"]),
    "polars, categories": pl.Series(["1", "2", "3", "4"], dtype=pl.Categorical),
    "pyarrow": pa.array(["1", "2", "3", "4"]),
    "list": ["1", "2", "3", "4"],
    "mapping": {"1": "text", "2": "", "3": "", "4": ""},
    "pandas frame": pd.DataFrame({"qid": ["1", "2", "3", "4"], "query": "x"}),
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
    qrels = read_qrels({"1": {"a": 1}, "2": {}, "3": {}, "4": {}}, COLUMNS[kind])
    assert qrels.judgments.topics == ("1", "2", "3", "4")


@pytest.mark.parametrize(("topics", "message"), [
    (b"123", r"topics of type bytes: .*a file of topics \(TREC topics, "),
    (5, r"topics of type int: .*a file"),
    (np.array(5), r"topics of type ndarray: .*a file"),
    ([("1", "text")], "item 0: .* is tuple; an id, or an item with query_id, .* or _id, is needed"),
    (["1", float("nan")], "item 1: topic is missing"),
    (pd.Series(["1", None]), "row 1: topic is missing"),
    ([1.0], "item 0: topic 1.0 is float, not text"),
    ([{"text": "x"}], "item 0: an object with query_id, .* id or _id is needed; it has: 'text'"),
    ({float("nan"): "x"}, "topic is missing"),
    (pd.DataFrame({"topic": ["1"]}), "no column query_id or .* or id or _id; it has: topic"),
    (np.array([["1", "2"]]), "row 0: .* is ndarray"),
    (["\ud800"], "not text that UTF-8 can hold"),
    (iter(()), "there is no topic"),
])  # fmt: skip
def test_what_holds_no_topics_is_refused(topics, message):
    refused(InputError, message, read_topics, topics)


@pytest.mark.parametrize(("text", "topic"), [
    ('<topics><topic number="Q&amp;A &lt;1&#62;"/></topics>', "Q&A <1>"),
    ("<top>\n<num> Number: Q&amp;A\n</top>", "Q&A"),
    ("<top>\n<num> Number: Q&A&copy\n</top>", "Q&A&copy"),
    ('<!DOCTYPE t [<!ENTITY me SYSTEM "file:///a">]><topics><topic number="&me;"/></topics>', "&me;"),
])  # fmt: skip
def test_characters_of_marked_up_topics_are_read_and_entities_are_not_followed(tmp_path, text, topic):
    (tmp_path / "topics.xml").write_text(text)
    assert read_topics(tmp_path / "topics.xml") == [topic]


@pytest.mark.parametrize(("text", "message"), [
    ("1 0 d1 1\n1 0 d2 0\n", "looks like qrels or a run, not like topics; a file"),
    ("1\tQ0\td1\t1\t2.5\tsys\n", None),
    ("1 Q0 d1 1 2 sys\n1 Q0 d2 2 1 sys\n", "looks like qrels or a run"),
    ("1 first question\n", "line 1: '1 first question' is not an id; an id, 'id<TAB>text', or a CSV"),
    ("1\n2,second\n", "line 2: '2,second' is not an id"),
    ("topic\ttext\n1\tfirst\n2\tsecond\n", "'topic' looks like a header; call the column of ids"),
    ("topic,text\n1,first\n", "line 1: 'topic,text' is not an id"),
    ("1\tfirst\n\tsecond\n", "line 2: the id is missing"),
    ("qid,text\n1,first\n,second\n", "row 3: qid is missing"),
    ("qid,id,text\n1,2,first\n", "columns qid and id for the same field"),
    ('qid,text\n1,"first\n', "is not a table"),
    ('{"_id": "1"}\n{"text": "2"}\n', "line 2: an object with query_id, .* is needed; it has: 'text'"),
    ('{"_id": "1"}\n{"_id": "2"\n', "line 2 cannot be read as JSON"),
    ('{"_id": "1"}\n{"_id": null}\n', "line 2: topic is missing"),
    ('[{"_id": 1.5}]', "item 0: topic 1.5 is float"),
    ('{"1": "x", "1": "y"}', "cannot be read as JSON: an object has the name '1' twice"),
    ('{"version": "2", "data": []}', "the value of 'data' is list, not text"),
    ("[" * 100_000, "nested too deeply"),
    ('["\\ud800"]', "not text that UTF-8 can hold"),
    ("<top><num>1</num></top><top><title>x</top>", "holds 2 topics, but only 1 of them have a number"),
    ("", "no topic"),
    ("<doc>x</doc>", "neither <num> nor"),
])  # fmt: skip
def test_a_file_that_is_not_of_topics_is_refused(tmp_path, text, message):
    path = tmp_path / "my-topics"
    path.write_text(text)
    refused(InputError, f"my-topics.*{message or 'looks like qrels or a run'}", read_topics, path)


def test_lines_of_topics_end_where_lines_of_runs_do_and_only_ascii_blanks_cut_ids(tmp_path):
    path = tmp_path / "topics"
    path.write_bytes("1\tone\u2028two\r\n 質問\u30002\x85 \tthree\x0cfour\r3\u00a0\n".encode())
    assert read_topics(path) == ["1", "質問\u30002\x85", "3\u00a0"]
    qrels = {topic: {"a": 1} for topic in read_topics(path)}
    assert calc("RBPT", qrels, {}, topics=path).values.tolist() == [[0] * 3]
