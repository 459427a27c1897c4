"""Texts of queries and documents are read from every form, and refused with what would be right."""

import gzip
import json

import pytest
from messages import refused

from ir_trunc import InputError, IrTruncWarning
from ir_trunc._read.reading import Columns
from ir_trunc._report.texts import read_texts

TEXTS = {"1": "first question?", "q2": "a & b"}
FORMS = {
    "lines": "1\tfirst  question?\nq2\ta & b\n",
    "object": json.dumps(TEXTS),
    "json lines": "".join(json.dumps({"_id": name, "text": words}) + "\n" for name, words in TEXTS.items()),
    "list": json.dumps([{"qid": name, "query": words} for name, words in TEXTS.items()]),
    "trec": "<top>\n<num> Number: 1\n<title> first question?\n</top>\n"
    "<top><num>q2</num><title>a &amp; b</title></top>",
    "xml": '<topics><topic number="1"><query>first question?</query></topic>'
    '<topic number="q2"><query>a &amp; b</query></topic></topics>',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_any_form_has_the_texts(form, tmp_path):
    (tmp_path / "texts").write_text(FORMS[form])
    assert read_texts("queries", tmp_path / "texts", ["1", "q2"]) == TEXTS
    with gzip.open(tmp_path / "texts.gz", "wt") as file:
        file.write(FORMS[form])
    assert read_texts("queries", str(tmp_path / "texts.gz"), ["q2"]) == {"q2": "a & b"}


def test_texts_of_a_csv_have_the_names_of_its_header(tmp_path):
    (tmp_path / "texts.csv").write_text('query,text\n1,"one, two"\nq2,three\n')
    columns = Columns({"query_id": "query"})
    assert read_texts("queries", tmp_path / "texts.csv", ["1"], columns) == {"1": "one, two"}
    (tmp_path / "texts.csv").write_text("qid;query\n1;one\n")
    assert read_texts("queries", tmp_path / "texts.csv", ["1"]) == {"1": "one"}


def test_documents_have_names_of_their_own(tmp_path):
    (tmp_path / "docs").write_text("<DOC>\n<DOCNO>7</DOCNO>\nsome\nwords\n</DOC>")
    assert read_texts("documents", tmp_path / "docs", ["7"]) == {"7": "some words"}
    (tmp_path / "docs").write_text('{"docno": "7", "title": "A title", "text": "and words"}')
    assert read_texts("documents", tmp_path / "docs", ["7"]) == {"7": "A title and words"}


def test_a_data_set_has_queries_and_documents():
    passages = pytest.importorskip("ir_trunc.synthetic.passages")
    dataset = passages.passage_collection(seed=0)
    query, document = next(dataset.queries_iter()), next(dataset.docs_iter())
    assert read_texts("queries", dataset, [query.query_id]) == {query.query_id: query.text}
    wanted = read_texts("documents", dataset, [document.doc_id])
    assert wanted == {document.doc_id: " ".join(document.text.split())}


def test_a_data_set_that_cannot_be_loaded_is_refused_with_the_reason():
    class Broken:
        dataset_id = "broken".lower

        def queries_iter(self):
            raise OSError("there is no disk")

    with pytest.raises(InputError, match="data set broken cannot be loaded: there is no disk"):
        read_texts("queries", Broken(), ["1"])


def test_ids_without_a_text_are_counted():
    with pytest.warns(IrTruncWarning, match=r"queries: no text for 1 of 2 \(for example '2'\)"):
        assert read_texts("queries", {1: "one"}, ["1", "2"]) == {"1": "one"}
    assert read_texts("queries", None, ["1"]) == {}


@pytest.mark.parametrize(("content", "message"), [
    ("no tab here\n", "line 1: there is no tab between an id and a text"),
    ('{"1": 5}', "the text of '1' is int"),
    ('{"_id": "1"}\n{"_id": "2"}\n', "line 1: an object with an id and a text is needed"),
    ("[1, 2]", "an object with an id and a text is needed"),
    ("<html>no topics</html>", "holds no <top>, <topic> or <doc>"),
    ("<top>no number</top>", "has no id"),
])  # fmt: skip
def test_what_is_not_texts_is_refused(content, message, tmp_path):
    (tmp_path / "bad").write_text(content)
    refused(InputError, message, read_texts, "queries", tmp_path / "bad", ["1"])
