"""Forms of files are recognised from all sampled rows, and what a message advises is right."""

import ast
import re
import warnings

import pytest
from messages import refused

from ir_trunc import InputError, IrTruncWarning, calc, read_qrels, read_run

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 0, "e": 1}}
RUN = {"1": {"a": 0.9, "b": 0.5, "x": 0.25}, "2": {"d": 0.75, "e": 0.5}}


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize(("text", "expected"), [
    ("894 AP1 -1 1869\n894 AP2 1 in 1870\n", {"AP1 1869": 0, "AP2 in 1870": 1}),
    ("894 AP1 -1 1869\n894 AP2 1 1870\n894 AP3 3 1871\n", {"AP1 1869": 0, "AP2 1870": 1, "AP3 1871": 0}),
    ("894 AP1 -1 1869\n", {"AP1 1869": 0}),
    ("894 AP1 1 in 1869 BC\n894 AP2 -1 in 1870 BC\n", {"AP1 in 1869 BC": 1, "AP2 in 1870 BC": 0}),
])  # fmt: skip
def test_judgments_of_answers_that_are_numbers(file, text, expected):
    assert read_qrels(file("qa", text)).to_dict() == {"894": expected}


@pytest.mark.parametrize(
    "text", ["1 0 1 1\n1 0 2 0\n", "1 Q0 1 1\n2 Q0 1 0\n", "1 0 -1 1\n1 0 1 0\n", "1 0 3 1\n"]
)
def test_documents_that_are_small_numbers_stay_documents(file, text):
    topic, _, doc, grade = text.splitlines()[0].split()
    assert read_qrels(file("x.qrels", text)).to_dict()[topic][doc] == int(grade)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("first", ["q0 d7 {0} 3.5\n", "q0 17 {0} 9\nq2 18 {0} 8\n", ""])
def test_a_run_of_four_columns_may_begin_with_a_list_of_one_document(file, start, first):
    text = first.format(start) + f"q1 d1 {start} 9.5\nq1 d2 {start + 1} 8.5\n"
    run = read_run(file("x.run", text)).to_dict()
    assert run["q1"] == {"d1": 9.5, "d2": 8.5}
    assert len(run) == 1 + first.count("\n")


def test_a_run_of_lists_of_one_document_has_ranks(file):
    assert read_run(file("x.run", "q1 d1 1 0.5\nq2 d2 1 0.25\n")).to_dict() == {
        "q1": {"d1": 0.5},
        "q2": {"d2": 0.25},
    }
    refused(InputError, "Is it a run", read_qrels, file("x.qrels", "q1 d1 1 0.5\nq2 d2 1 0.25\n"))


def test_a_damaged_first_line_does_not_change_the_form(file):
    rest = "".join(f"{topic} Q0 d{topic} 1 0.5 s\n" for topic in range(9))
    with pytest.raises(InputError, match=r"line 1 .*score 'x' is not a number"):
        read_run(file("x.run", "8 Q0 d0 1 x s\n" + rest))
    refused(InputError, "line 1: 3 fields; 6 are needed", read_run, file("x.run", "8 d0 1\n" + rest))


def executed(message, name="columns"):
    """The first value of an option that a message advises."""
    return ast.literal_eval(re.search(name + r"=(\{[^}]*\})", message)[1])


TABLES = {
    "qrels": "".join(f"{q},{d},{grade}\n" for q, docs in QRELS.items() for d, grade in docs.items()),
    "qrels of four columns": "".join(
        f"{q},0,{d},{g}\n" for q, docs in QRELS.items() for d, g in docs.items()
    ),
    "qrels with semicolons": "".join(f"{q};{d};{g}\n" for q, docs in QRELS.items() for d, g in docs.items()),
    "run": "".join(f"{q},{d},{score}\n" for q, docs in RUN.items() for d, score in docs.items()),
    "run of six columns": "".join(
        f"{q},Q0,{d},{at},{s},x\n" for q, docs in RUN.items() for at, (d, s) in enumerate(docs.items(), 1)
    ),
}


@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
@pytest.mark.parametrize("kind", TABLES)
def test_the_advice_about_a_table_without_a_header_is_right(file, kind, name):
    path, read = file(name, TABLES[kind]), read_qrels if "qrels" in kind else read_run
    with pytest.raises(InputError, match=r"no header: its first line is '1[,;]") as refused:
        read(path)
    columns = executed(str(refused.value))
    assert read(path, columns=columns).to_dict() == (QRELS if "qrels" in kind else RUN)
    data = (path, RUN) if "qrels" in kind else (QRELS, path)
    measures = "RR AP nDCG@10"
    assert (calc(measures, *data, columns=columns).values == calc(measures, QRELS, RUN).values).all()


def test_places_are_those_of_other_commas_too(file):
    path = file("x.csv", '"d 1",1,0.5\n"d,2",1,0.25\n')
    assert read_run(path, columns={"doc_id": 0, "query_id": 1, "score": 2}).to_dict() == {
        "1": {"d 1": 0.5, "d,2": 0.25}
    }
    with pytest.raises(InputError, match="no column 3, which columns names for score"):
        read_run(path, columns={"doc_id": 0, "query_id": 1, "score": 3})
    path = file("y.csv", "0,1,2\nq,d,0.5\n")  # as pandas writes columns without names
    assert read_run(path, columns={"query_id": 0, "doc_id": 1, "score": 2}).to_dict() == {"q": {"d": 0.5}}


@pytest.mark.parametrize("blank", ["\t", " "])
def test_names_of_a_run_take_no_field_of_the_qrels(file, blank):
    qrels = file("x.qrels", TABLES["qrels"].replace(",", blank))
    run = file("x.run", TABLES["run"].replace(",", blank))
    measures = "RR AP nDCG@10"
    with pytest.warns(IrTruncWarning, match="confirms") as told:
        before = calc(measures, qrels, run).values
    columns = executed(str(told[0].message))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (calc(measures, qrels, run, columns=columns).values == before).all()
    assert (before == calc(measures, QRELS, RUN).values).all()


def test_a_name_of_a_run_may_be_that_of_a_grade(file):
    qrels = file("qrels.csv", "query_id,doc_id,relevance\n1,a,0\n1,b,1\n")
    run = file("run.csv", "query_id,doc_id,relevance\n1,a,0.9\n1,b,0.5\n")
    assert calc("RR", qrels, run, columns={"score": "relevance"}).values.tolist() == [[0.5]]
    qrels, short = file("q", "1 a 0\n1 b 1\n"), file("x.run", "1 a 0.9\n1 b 0.5\n")
    with pytest.warns(IrTruncWarning, match="taken for the score"):
        results = calc("RR", qrels, short, columns={"relevance": 2, "query_id": 0})
    assert results.values.tolist() == [[0.5]]
