"""Files of JSON, CSV and Parquet, and folders of BEIR: how each is read, and its most likely mistake."""

import ast
import gzip
import json
import re
import warnings

import pandas as pd
import pytest
from messages import complaint, refused

from ir_trunc import InputError, IrTruncWarning, calc, read_qrels, read_run, read_topics

QRELS = {"1": {"a": 1, "007": 2}, "2": {"b": 1}}
RUN = {"1": {"a": 0.25, "007": 0.5, "x": 0.125}, "2": {"c": 3.0, "b": 2.0}}
ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
JUDGED = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
MEASURES = "AP nDCG RBPT"
EXPECTED = calc(MEASURES, QRELS, RUN)


def same(results, expected=EXPECTED):
    assert results.topics == expected.topics
    assert results.values.tobytes() == expected.values.tobytes()


def records(rows, value):
    return [{"query_id": topic, "doc_id": doc, value: number} for topic, doc, number in rows]


def written(path, text):
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


RANKS = {"1": ["007", "a", "x"], "2": ["c", "b"]}
SHORT = {
    "MS MARCO": ("{q}\t{d}\t{rank}", "the rank, since it is 1 to n"),
    "from 0 on": ("  {q}  {d} {place}\r", "the rank"),
    "Tevatron": ("{q}\t{d}\t{score}", "the score, since it is not 1 to n"),
    "ColBERT": ("{q} {d} {rank} {score}", None),
}


@pytest.mark.parametrize("form", SHORT)
def test_runs_of_three_and_four_fields(tmp_path, form):
    line, told = SHORT[form]
    rows = [(q, d, rank) for q, docs in RANKS.items() for rank, d in enumerate(docs, 1)]
    text = "\n".join(line.format(q=q, d=d, rank=rank, place=rank - 1, score=RUN[q][d]) for q, d, rank in rows)
    path = written(tmp_path / "my.run.gz", f"{text}\n\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        same(calc(MEASURES, QRELS, path))
    assert [told in str(warning.message) for warning in caught] == [True] * (told is not None)
    last = {"score" if "score" in line else "rank": line.count("}") - 1}
    assert (read_run(path, columns=last).unscored is None) == ("score" in line)


@pytest.mark.parametrize("text", ["1 a 1\n2 b 1\n", "1 a 2\n1 b 1\n"])
def test_ranks_or_scores_that_cannot_be_told_apart_are_an_error(tmp_path, text):
    path = written(tmp_path / "my.run", text)
    told = "third field may be the rank or the score; columns={'rank': 2}"
    assert told in complaint(lambda: read_run(path))
    assert read_run(path, columns={"score": 2}).to_dict()["1"]["a"] == float(text[4])
    assert read_run(path, order="file").to_dict()["1"]["a"] == 0
    assert read_run(path, order="rank").to_dict()["1"]["a"] == -float(text[4])
    for columns in ({"rank": 2}, {"rank": "2"}):
        assert read_run(path, columns=columns).to_dict()["1"]["a"] == -float(text[4])


@pytest.mark.filterwarnings("ignore:.*lines of two fields are taken for relevant documents, of grade 1")
def test_qrels_of_three_and_two_fields(tmp_path):
    judged = "".join(f"{q}\t{d}\t{grade}\n" for q, d, grade in JUDGED)
    same(calc(MEASURES, written(tmp_path / "three", judged), RUN))
    assert read_qrels(written(tmp_path / "two", "1 a\n2 b\n")).to_dict() == {"1": {"a": 1}, "2": {"b": 1}}


@pytest.mark.parametrize(("text", "told"), [
    ("1 a 1\n1 b x\n", "my.run, line 2 (topic 1, document b): score 'x' is not a number"),
    ("1 a 1\n1 b\n", "my.run, line 2: 2 fields; 3 are needed: query_id doc_id score."),
    ("1 a\n", "my.run, line 1: 2 fields; 3 or 4, or 6 in TREC's form, are needed."),
    ("1 a 1 1 1\n", "5 fields; 6 are needed: query_id Q0 doc_id rank score tag, or in all lines query_id"),
])  # fmt: skip
def test_a_mistake_in_short_lines_is_named(tmp_path, text, told):
    path = written(tmp_path / "my.run", text)
    assert told in complaint(lambda: read_run(path))
    written(path, "1 a 1 0.5\n1 b 2 0.25\n")
    hint = "4 fields; 2 or 3, or 4 in TREC's form, are needed. Is it a run?"
    assert hint in complaint(lambda: read_qrels(path))


JSON_FORMS = {
    "lines": lambda rows, value: "\n".join(map(json.dumps, records(rows, value))) + "\n",
    "a list": lambda rows, value: json.dumps(records(rows, value), indent=1),
    "dicts over lines": lambda rows, value: json.dumps(nested(rows), indent=2),
}


def nested(rows):
    found = {}
    for topic, doc, number in rows:
        found.setdefault(topic, {})[doc] = number
    return found


@pytest.mark.parametrize("name", ["run.json", "run.txt", "run.jsonl.gz"])
@pytest.mark.parametrize("form", JSON_FORMS)
def test_json(tmp_path, form, name):
    run = written(tmp_path / name, JSON_FORMS[form](ROWS, "score"))
    qrels = written(tmp_path / f"qrels.{name}", JSON_FORMS[form](JUDGED, "relevance"))
    same(calc(MEASURES, qrels, run))
    same(calc(MEASURES, str(qrels), str(run)))


def test_the_mistakes_of_json(tmp_path):
    rows = records(ROWS, "score")
    text = json.dumps(rows[0]) + "\n" + json.dumps(rows[1])[:-5] + "\n"
    assert "line 2 cannot be read as JSON" in complaint(lambda: read_run(written(tmp_path / "a.jsonl", text)))
    rows[1]["score"] = "high"
    for bad in ("oops", "{", '{"a": 1,}', "nul"):
        for after in ("", json.dumps(rows[0]) + "\n"):
            path = written(tmp_path / "a.jsonl", f"\n{json.dumps(rows[0])}\n{bad}\n{after}")
            assert "a.jsonl, line 3 cannot be read as JSON" in complaint(lambda path=path: read_run(path))
    written(path, f"{json.dumps(rows[0])}\n" * 2 + "{\n")
    assert "line 1 column" in complaint(lambda: read_run(path))
    path = written(tmp_path / "b.jsonl", "\n".join(map(json.dumps, rows)))
    assert str(path) in complaint(lambda: read_run(path))
    assert "topic 1, document 007: score 'high' is not a number" in complaint(lambda: read_run(path))


def csv_text(rows, value, separator, names=("query_id", "doc_id")):
    head = separator.join(["text", *names, value])
    return "\n".join([head, *(separator.join(["x", q, d, str(v)]) for q, d, v in rows)]) + "\n"


@pytest.mark.parametrize(
    ("separator", "name"), [(",", "run.csv"), ("\t", "run.tsv"), (";", "run.csv.gz"), (",", "run")]
)
def test_csv_with_a_header(tmp_path, separator, name):
    run = written(tmp_path / name, csv_text(ROWS, "score", separator))
    qrels = written(tmp_path / f"qrels-{name}", csv_text(JUDGED, "relevance", separator))
    same(calc(MEASURES, qrels, run))
    beir = written(tmp_path / f"beir-{name}", csv_text(JUDGED, "score", separator, ("query-id", "corpus-id")))
    same(calc(MEASURES, beir, run))


def test_grades_of_a_table_may_be_words_and_columns_that_are_not_read_hold_anything(tmp_path):
    qrels = written(tmp_path / "a.csv", "qid,docno,label\n1,a,good\n1,b,0\n")
    assert read_qrels(qrels, levels={"good": 2}).to_dict() == {"1": {"a": 2, "b": 0}}
    assert "relevance 'good' is not a whole number" in complaint(lambda: read_qrels(qrels))
    run = written(tmp_path / "b.csv", "qid,docno,rank,score\n1,a,first,0.5\n")
    assert read_run(run).to_dict() == {"1": {"a": 0.5}}
    assert "rank 'first' is not a whole number" in complaint(lambda: read_run(run, order="rank"))


def test_csv_may_quote_and_put_blanks_around_its_fields(tmp_path):
    text = '"query_id", "doc_id", "score"\r\n1, a, 0.5\r\n1,"b, c",0.25\r\n'
    assert read_run(written(tmp_path / "a.csv", text)).to_dict() == {"1": {"a": 0.5, "b, c": 0.25}}


def test_tables_and_dicts_in_parts_are_what_they_are_as_a_whole(tmp_path, monkeypatch):
    rows = [(str(n // 7), f"d\n,{n}" if n % 3 else f"d{n}", 25 - n / 8) for n in range(200)]
    quoted = "".join(f'{q},"{d}",{s}\n' for q, d, s in rows)
    paths = [
        written(tmp_path / "a.csv", f"\n\nqid,docno,score\n{quoted}"),
        written(tmp_path / "a.json", json.dumps(nested(rows))),
        written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records(rows, "score")))),
    ]
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 50)
    for path in paths:
        assert read_run(path).to_dict() == nested(rows)
    written(tmp_path / "a.csv", f"qid,docno,score\n{quoted}1,x,high\n")
    told = complaint(lambda: read_run(tmp_path / "a.csv"))
    assert "topic 1, document x: score 'high' is not a number" in told


@pytest.mark.parametrize(("text", "message"), [
    ("".join(f"{q},{d},{s}\n" for q, d, s in ROWS), "has no header: its first line is"),
    (csv_text(ROWS, "score", ",").replace("0.5", "high"), "document 007: score 'high' is not a number"),
    (csv_text(ROWS, "score", ",") + "1,a\n", "is not a table"),
    ("query_id,doc_id,score,score\n1,a,1,2\n", "two columns are called score"),
])  # fmt: skip
def test_the_mistakes_of_csv(tmp_path, text, message):
    assert message in complaint(lambda: read_run(written(tmp_path / "a.csv", text)))


def test_a_run_of_trec_may_still_be_called_csv_or_tsv(tmp_path):
    text = "".join(f"{q}\tQ0\t{d}\t1\t{s}\tx\n" for q, d, s in ROWS)
    for name in ("run.tsv", "run.csv"):
        same(calc(MEASURES, QRELS, written(tmp_path / name, text)))


def test_parquet(tmp_path):
    run, qrels = tmp_path / "run.parquet", tmp_path / "qrels"
    names = ["query_id", "doc_id"]
    pd.DataFrame(ROWS, columns=[*names, "score"]).assign(text="x").to_parquet(run)
    pd.DataFrame(JUDGED, columns=[*names, "relevance"]).to_parquet(qrels)
    same(calc(MEASURES, qrels, run))
    assert read_topics(qrels) == ["1", "2"]


def test_the_mistakes_of_parquet(tmp_path):
    pd.DataFrame(ROWS, columns=["query_id", "chunk", "score"]).to_parquet(tmp_path / "a.parquet")
    assert "has no column doc_id or docno" in complaint(lambda: read_run(tmp_path / "a.parquet"))
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    assert "b.parquet cannot be read as Parquet" in complaint(lambda: read_run(tmp_path / "b.parquet"))


@pytest.fixture
def beir(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "x"}\n')
    queries = [{"_id": q, "text": "x"} for q in ("1", "2", "3", "4")]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    rows = "".join(f"{topic}\t{doc}\t{grade}\n" for topic, doc, grade in JUDGED)
    (tmp_path / "qrels/test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    (tmp_path / "qrels/train.tsv").write_text("query-id\tcorpus-id\tscore\n3\ta\t1\n")
    return tmp_path


def test_a_folder_of_beir_brings_its_queries(beir):
    with pytest.warns(IrTruncWarning, match=r"1 of 3 topics have no judgment \(for example 4\) and are not"):
        results = calc(MEASURES, beir, RUN)
    assert results.topics == ("1", "2")
    results = calc(MEASURES, beir, RUN, unjudged="nil", missing="empty")
    assert results.topics == ("1", "2", "4")  # query 3 is of another split
    assert results.values[:, :2].tolist() == EXPECTED.values.tolist()
    assert read_topics(beir) == ["1", "2", "3", "4"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(calc(MEASURES, beir / "qrels" / "test.tsv", RUN))


def test_a_folder_of_beir_without_test_says_which_splits_it_has(beir):
    (beir / "qrels/test.tsv").unlink()
    assert "has no qrels/test.tsv; name the file: train.tsv" in complaint(lambda: read_qrels(beir))


# Forms of files are recognised from all sampled rows, and what a message advises is right.
@pytest.mark.parametrize(("text", "expected"), [
    ("894 AP1 -1 1869\n894 AP2 1 in 1870\n", {"AP1 1869": 0, "AP2 in 1870": 1}),
    ("894 AP1 -1 1869\n894 AP2 1 1870\n894 AP3 3 1871\n", {"AP1 1869": 0, "AP2 1870": 1, "AP3 1871": 0}),
    ("894 AP1 -1 1869\n", {"AP1 1869": 0}),
    ("894 AP1 1 in 1869 BC\n894 AP2 -1 in 1870 BC\n", {"AP1 in 1869 BC": 1, "AP2 in 1870 BC": 0}),
])  # fmt: skip
def test_judgments_of_answers_that_are_numbers(tmp_path, text, expected):
    assert read_qrels(written(tmp_path / "qa", text)).to_dict() == {"894": expected}


@pytest.mark.parametrize(
    "text",
    ["1 0 1 1\n1 0 2 0\n", "1 Q0 1 1\n2 Q0 1 0\n", "1 0 -1 1\n1 0 1 0\n", "1 0 3 1\n", "1 0 L3 2\n"],
)
def test_documents_that_are_small_numbers_stay_documents(tmp_path, text):
    topic, _, doc, grade = text.splitlines()[0].split()
    assert read_qrels(written(tmp_path / "x.qrels", text)).to_dict()[topic][doc] == int(grade)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("first", ["q0 d7 {0} 3.5\n", "q0 17 {0} 9\nq2 18 {0} 8\n", ""])
def test_a_run_of_four_columns_may_begin_with_a_list_of_one_document(tmp_path, start, first):
    text = first.format(start) + f"q1 d1 {start} 9.5\nq1 d2 {start + 1} 8.5\n"
    run = read_run(written(tmp_path / "x.run", text)).to_dict()
    assert run["q1"] == {"d1": 9.5, "d2": 8.5}
    assert len(run) == 1 + first.count("\n")


def test_a_run_of_lists_of_one_document_has_ranks(tmp_path):
    path = written(tmp_path / "x.run", "q1 d1 1 0.5\nq2 d2 1 0.25\n")
    assert read_run(path).to_dict() == {"q1": {"d1": 0.5}, "q2": {"d2": 0.25}}
    refused(InputError, "Is it a run", read_qrels, path)


def test_a_damaged_first_line_does_not_change_the_form(tmp_path):
    rest, path = "".join(f"{topic} Q0 d{topic} 1 0.5 s\n" for topic in range(9)), tmp_path / "x.run"
    written(path, f"8 Q0 d0 1 x s\n{rest}")
    refused(InputError, r"line 1 .*score 'x' is not a number", read_run, path)
    refused(InputError, "line 1: 3 fields; 6 are needed", read_run, written(path, f"8 d0 1\n{rest}"))


TABLES = {
    "qrels": "".join(f"{q},{d},{grade}\n" for q, d, grade in JUDGED),
    "qrels of four columns": "".join(f"{q},0,{d},{grade}\n" for q, d, grade in JUDGED),
    "qrels with semicolons": "".join(f"{q};{d};{grade}\n" for q, d, grade in JUDGED),
    "run": "".join(f"{q},{d},{score}\n" for q, d, score in ROWS),
    "run of six columns": "".join(f"{q},Q0,{d},{at},{score},x\n" for at, (q, d, score) in enumerate(ROWS, 1)),
}


def advised(message):
    """The columns that a message advises."""
    return ast.literal_eval(re.search(r"columns=(\{[^}]*\})", str(message))[1])


@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
@pytest.mark.parametrize("kind", TABLES)
def test_the_advice_about_a_table_without_a_header_is_right(tmp_path, kind, name):
    path, read = written(tmp_path / name, TABLES[kind]), read_qrels if "qrels" in kind else read_run
    with pytest.raises(InputError, match=r"no header: its first line is '1[,;]") as refused:
        read(path)
    columns = advised(refused.value)
    assert read(path, columns=columns).to_dict() == (QRELS if "qrels" in kind else RUN)
    same(calc(MEASURES, *((path, RUN) if "qrels" in kind else (QRELS, path)), columns=columns))


def test_places_are_those_of_other_commas_too(tmp_path):
    path, columns = written(tmp_path / "x.csv", '"d 1",1,0.5\n"d,2",1,0.25\n'), {"doc_id": 0, "query_id": 1}
    assert read_run(path, columns=columns | {"score": 2}).to_dict() == {"1": {"d 1": 0.5, "d,2": 0.25}}
    wrong = "no column 3, which columns names for score"
    refused(InputError, wrong, read_run, path, columns=columns | {"score": 3})
    path = written(tmp_path / "y.csv", "0,1,2\nq,d,0.5\n")  # as pandas writes columns without names
    assert read_run(path, columns={"query_id": 0, "doc_id": 1, "score": 2}).to_dict() == {"q": {"d": 0.5}}


@pytest.mark.parametrize("blank", ["\t", " "])
def test_names_of_a_run_take_no_field_of_the_qrels(tmp_path, blank):
    qrels = written(tmp_path / "x.qrels", TABLES["qrels"].replace(",", blank))
    run = written(tmp_path / "x.run", TABLES["run"].replace(",", blank))
    with pytest.warns(IrTruncWarning, match="confirms") as told:
        same(calc(MEASURES, qrels, run))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(calc(MEASURES, qrels, run, columns=advised(told[0].message)))


def test_a_name_of_a_run_may_be_that_of_a_grade(tmp_path):
    qrels = written(tmp_path / "qrels.csv", "query_id,doc_id,relevance\n1,a,0\n1,b,1\n")
    run = written(tmp_path / "run.csv", "query_id,doc_id,relevance\n1,a,0.9\n1,b,0.5\n")
    assert calc("RR", qrels, run, columns={"score": "relevance"}).values.tolist() == [[0.5]]
    qrels = written(tmp_path / "q", "1 a 0\n1 b 1\n")
    run = written(tmp_path / "x.run", "1 a 0.9\n1 b 0.5\n")
    with pytest.warns(IrTruncWarning, match="taken for the score"):
        results = calc("RR", qrels, run, columns={"relevance": 2, "query_id": 0})
    assert results.values.tolist() == [[0.5]]
