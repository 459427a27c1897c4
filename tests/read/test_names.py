"""Names of fields in every form: those of the user are found or refused, and the usual ones are the same."""

from collections import namedtuple
from functools import partial

import pandas as pd
import pytest
from messages import check, complaint
from spans import span
from written import json_lines, to_file

import ir_trunc
from ir_trunc import IrTruncWarning, ParameterError, calc, rank, read_qrels, read_run, read_topics, truncation
from ir_trunc._cli.main import main

pl = pytest.importorskip("polars")
Row = namedtuple("Row", "topic doc sim grade place tokens")
ROWS = [Row("1", "b", 0.9, 1, 1, 5.0), Row("1", "a", 0.5, 0, 2, 3.0), Row("2", "b", 0.7, 2, 1, 4.0)]
FRAME = pd.DataFrame(ROWS)
OF_RUN = {"query_id": "topic", "doc_id": "doc", "score": "sim", "rank": "place", "cost": "tokens"}
OF_QRELS = {"query_id": "topic", "doc_id": "doc", "relevance": "grade"}
LISTS = {topic: [row._asdict() for row in ROWS if row.topic == topic] for topic in "12"}
RECORDS = [{"topic": topic, "found": docs} for topic, docs in LISTS.items()]
OF_SPAN = {"openinference.span.kind": "RETRIEVER"}
SPANS = [
    span(
        OF_SPAN | {"topic": topic, "retrieval.documents": [{"document": doc} for doc in docs]}, 2 * int(topic)
    )
    for topic, docs in LISTS.items()
]


FORMS = {
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "columns": lambda folder: FRAME.to_dict("list"),
    "records": lambda folder: FRAME.to_dict("records"),
    "named tuples": lambda folder: ROWS,
    "CSV": lambda folder: to_file(FRAME, folder / "rows.csv"),
    "Parquet": lambda folder: to_file(FRAME, folder / "rows.parquet"),
    "JSON": lambda folder: json_lines(folder / "rows.json", [FRAME.to_dict("records")]),
    "JSON lines": lambda folder: json_lines(folder / "rows.jsonl", FRAME.to_dict("records")),
    "columns in JSON": lambda folder: json_lines(folder / "columns.json", [FRAME.to_dict("list")]),
    "lists by topic": lambda folder: LISTS,
    "lists by topic in JSON": lambda folder: json_lines(folder / "topics.json", [LISTS]),
    "search results": lambda folder: (["1", "2"], [*LISTS.values()]),
    "records with lists": lambda folder: RECORDS,
    "records with lists in JSON": lambda folder: json_lines(folder / "lists.json", [RECORDS]),
    "records with lists in JSON lines": lambda folder: json_lines(folder / "lists.jsonl", RECORDS),
    "frame with lists": lambda folder: pd.DataFrame(RECORDS),
    "spans": lambda folder: SPANS,
}
POLICY = truncation.Fixed(2).fit(rank({"1": {"a": 1}, "2": {"b": 1}}, {"1": ["a"], "2": ["b"]}), "SetF")
JUDGED = [form for form in FORMS if form not in ("search results", "spans")]
pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")


def names_in(form, names):
    """The names of the fields that a form has."""
    without = {"spans": ("cost",), "search results": ("query_id",)}.get(form, ())
    without = ("query_id",) if form.startswith("lists by topic") else without
    list_of = {"list": "found"} if "with lists" in form else {}
    return {field: name for field, name in names.items() if field not in without} | list_of


@pytest.mark.parametrize("form", FORMS)
def test_each_name_of_a_run_is_found_or_refused(form, tmp_path):
    run, names, qrels = FORMS[form](tmp_path), names_in(form, OF_RUN), {"1": {"b": 1}, "2": {"b": 1}}
    ranked = rank(qrels, run, columns=names)
    assert ranked.judged_ranks.tolist() == [1, 1]
    assert ranked.scores.tolist() == [0.9, 0.5, 0.7]
    assert "cost" not in names or ranked.costs.tolist() == [5, 3, 4]
    by_rank = {field: name for field, name in names.items() if field != "score"}
    assert rank(qrels, run, columns=by_rank, order="rank").judged_ranks.tolist() == [1, 1]
    assert calc("RR", qrels, run, columns=names).values.tolist() == [[1, 1]]
    for field in names:
        wrong = {"columns": names | {field: "misnamed"}}
        check(complaint(partial(read_run, run, **wrong)), "misnamed")
        check(complaint(partial(calc, "RR", qrels, run, **wrong)), "misnamed")
        check(complaint(partial(read_run, run, **wrong, order="rank")), "misnamed")
    wrong = {"columns": {field: name for field, name in names.items() if field != "cost"}, "cost": "misnamed"}
    for door in (partial(ir_trunc.how_many, qrels, run, "SetF"), partial(POLICY.monitor, run)):
        check(complaint(partial(door, **wrong)), "no field cost" if form == "spans" else "misnamed")


USERS = {f"u{n % 4}/q{n}": {"a": n % 2, "b": 1} for n in range(24)}
OF_KEYS = {
    "compare": lambda **how: ir_trunc.compare("RBPT", USERS, {"x": USERS, "y": USERS}, **how),
    "check": lambda **how: ir_trunc.check("RBPT < 0.1", USERS, USERS, **how),
    "report": lambda **how: ir_trunc.report("RBPT", USERS, {"x": USERS}, folds=2, **how),
    "score_matrix": lambda **how: ir_trunc.meta.score_matrix("AP", USERS, {"x": USERS, "y": USERS}, **how),
    "cross_validate": lambda **how: truncation.cross_validate(
        "Greedy", "RBPT", USERS, {"x": USERS}, 2, **how
    ),
}


@pytest.mark.parametrize(("door", "option"), [*((door, "unit") for door in OF_KEYS), ("check", "by")])
def test_each_name_of_a_key_is_found_or_refused(door, option):
    OF_KEYS[door](keys="user/question", **{option: "user"})
    for keys in ("user/question", None):
        with pytest.raises(ParameterError, match=f"misnamed.*{'user' if keys else 'keys= names them'}"):
            OF_KEYS[door](keys=keys, **{option: "misnamed"})


@pytest.mark.parametrize("form", JUDGED)
def test_each_name_of_qrels_is_found_or_refused(form, tmp_path):
    qrels, names, run = FORMS[form](tmp_path), names_in(form, OF_QRELS), {"1": ["a", "b"], "2": ["b"]}
    ready = read_qrels(qrels, columns=names)
    assert ready.to_dict() == {"1": {"a": 0, "b": 1}, "2": {"b": 2}}
    scored = calc("RR nDCG", qrels, run, columns=names)
    assert scored.values.tolist() == calc("RR nDCG", ready, run).values.tolist()
    for field in names:
        wrong = {"columns": names | {field: "misnamed"}}
        check(complaint(partial(read_qrels, qrels, **wrong)), "misnamed")
        message = complaint(partial(calc, "RR", qrels, run, **wrong))
        check(message, "it has: topic, found" if field == "list" else "misnamed")


@pytest.mark.parametrize(("form", "of_run"), [
    pytest.param(form, of_run, marks=[pytest.mark.weekly] * ((i + j) % 4 > 0))
    for i, form in enumerate(JUDGED)
    for j, of_run in enumerate(FORMS)
])  # fmt: skip
def test_one_argument_names_the_fields_of_qrels_and_run(form, of_run, tmp_path):
    """A name that both could have is refused if neither has it, whatever the usual names are."""
    qrels, run = FORMS[form](tmp_path), FORMS[of_run](tmp_path)
    names = names_in(form, OF_QRELS) | names_in(of_run, OF_RUN)
    ready = read_qrels(qrels, columns=names_in(form, OF_QRELS))
    expected = calc("RR", ready, run, columns=names_in(of_run, OF_RUN)).values.tolist()
    assert calc("RR", qrels, run, columns=names).values.tolist() == expected == [[1, 1]]
    for field in names:
        message = complaint(partial(calc, "RR", qrels, run, columns=names | {field: "misnamed"}))
        check(message, "it has: topic, found" if field == "list" and "with lists" in form else "misnamed")


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.split()[0] in ("CSV", "Parquet") or "JSON" in form]
)
def test_a_command_reads_what_the_function_reads(form, tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 b 1\n2 0 b 1\n")
    path, names = str(FORMS[form](tmp_path)), names_in(form, OF_RUN)
    for field in names:
        for misnamed in (False, True):
            these = names | ({field: "misnamed"} if misnamed else {})
            words = [f"--columns={field}={name}" for field, name in these.items()]
            assert main([str(tmp_path / "qrels"), path, "RR", *words]) == 2 * misnamed
            said = capsys.readouterr()
            assert "misnamed" in said.err if misnamed else "1.0000" in said.out


VOCABULARY = {
    "query_id": ("query_id", "qid", "query-id", "topic_id", "question_id"),
    "doc_id": ("doc_id", "docno", "corpus-id", "docid", "document_id"),
    "score": ("score", "_score", "similarity", "relevance_score"),
    "relevance": ("relevance", "label", "grade", "rating"),
    "rank": ("rank", "position"),
}


@pytest.mark.needs("spans and stores")
@pytest.mark.parametrize(
    ("field", "name"), [(field, name) for field in VOCABULARY for name in VOCABULARY[field]]
)
def test_the_usual_names_are_the_same_in_all_forms(field, name, tmp_path):
    row = {"query_id": "1", "doc_id": "a", "score": 0.5, "relevance": 1, "rank": 1}
    row = {name if known == field else known: value for known, value in row.items()}
    frame = pd.DataFrame([row])
    document = {key: value for key, value in row.items() if key not in VOCABULARY["query_id"]}
    topic = {key: value for key, value in row.items() if key in VOCABULARY["query_id"]}
    forms = [
        frame,
        [row],
        frame.to_dict("list"),
        json_lines(tmp_path / "row.jsonl", [row]),
        [topic | {"docs": [document]}],
    ]
    order = "rank" if field == "rank" else "score"
    for run in forms:
        assert read_run(run, order=order).to_dict() == {"1": {"a": 0.5}}
    for qrels in [*forms[:4], [topic | {"relevant_docs": [document]}]]:
        assert read_qrels(qrels).to_dict() == {"1": {"a": 1}}
    if field == "query_id":
        assert read_topics([topic]) == read_topics(frame[[name]]) == ["1"]
        assert ir_trunc.read_log([topic | {"answer": "x", "correct": 1}]).run == {"1": {"correct": 1.0}}


@pytest.mark.needs("spans and stores")
def test_ranks_in_records_decide_where_there_are_no_scores():
    docs = [{"id": "x", "rank": 3}, {"id": "a", "rank": 1}, {"id": "b", "position": 2}]
    for run in ({"1": docs}, [{"query_id": "1", "results": docs}], (["1"], [docs])):
        assert calc("AP", {"1": {"a": 1, "b": 1}}, run).values.tolist() == [[1]]
        assert calc("AP", {"1": {"a": 1, "b": 1}}, run, order="rank").values.tolist() == [[1]]
        assert calc("RR", {"1": {"a": 1, "b": 1}}, run, order="file").values.tolist() == [[0.5]]
    scored = {"1": [{"id": "x", "rank": 2, "score": 0.9}, {"id": "a", "rank": 1, "score": 0.5}]}
    assert calc("RR", {"1": {"a": 1}}, scored).values.tolist() == [[0.5]]
    assert calc("RR", {"1": {"a": 1}}, scored, order="rank").values.tolist() == [[1]]


@pytest.mark.needs("spans and stores")
@pytest.mark.parametrize(("doc", "part"), [
    ({"id": "b", "rank": 1}, "document b: rank 1 is in the list twice; order='file'"),
    ({"id": "b", "rank": 1.5}, "document b: rank 1.5 is not a whole number"),
    ({"id": "b", "rank": "first"}, "document b: rank 'first' is not a whole number"),
    ({"id": "b"}, "document b: it has no rank, and others have one"),
])  # fmt: skip
def test_ranks_that_give_no_order_are_refused(doc, part):
    run = {"1": [{"id": "a", "rank": 1}, doc]}
    check(complaint(lambda: calc("RR", {"1": {"a": 1}}, run)), part)
    assert read_run(run, order="file").docs.to_pylist() == ["a", "b"]


@pytest.mark.needs("spans and stores")
def test_a_name_is_not_found_in_one_document_and_replaced_in_another():
    run = {"1": [{"id": "a", "sim": 0.5}, {"id": "b", "score": 0.9}]}
    check(complaint(lambda: read_run(run, columns={"score": "sim"})), "document b: it has no score")
    told = complaint(lambda: read_run(run, columns={"score": "smi"}))
    check(told, "no document has 'smi'", "have: id, sim. Did you mean sim?")
    qrels = [{"id": "1", "gold_docs": [{"id": "a", "grade": 1}, {"id": "b", "label": 2}]}]
    for read in (read_qrels, lambda data, **names: calc("RR", data, {"1": ["a"]}, **names)):
        told = complaint(partial(read, qrels, columns={"relevance": "label"}))
        check(told, "document a: it has no relevance, and others have one")


@pytest.mark.needs("spans and stores")
def test_numbers_under_a_name_that_is_not_known_are_named():
    """Where the name of the grade or the score is missing, not wrong."""
    found = [{"doc": "a", "sim": 0.5, "gold": 0}, {"doc": "b", "sim": 0.9, "gold": 1}]
    data = [{"topic": "1", "found": found}]
    names = {"query_id": "topic", "list": "found", "doc_id": "doc"}
    with pytest.warns(IrTruncWarning, match="no grades and count as relevant; they have: doc, sim, gold"):
        read_qrels(data, columns=names)
    with pytest.warns(IrTruncWarning, match="no scores and are in the order of their lists; they have: doc"):
        read_run(data, columns=names)


def test_columns_in_a_dict_are_a_table():
    columns = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [0.5, 0.9]}
    labels = {"qid": ["1", "1"], "docno": ["a", "b"], "relevance": [1, 0]}
    for run in (columns, {name: pd.Series(values) for name, values in columns.items()}):
        assert calc("RR", labels, run).values.tolist() == [[0.5]]
        assert ir_trunc.evaluator("RR", labels).calc(run).values.tolist() == [[0.5]]
    assert read_topics({"qid": ["3", "1"], "query": ["x", "y"]}) == ["3", "1"]
    assert read_run({"query_id": ["a"], "text": ["b"]}).to_dict() == {"query_id": {"a": 0}, "text": {"b": 0}}
    keys = {"user": ["u", "u"], "day": ["1", "2"], "doc_id": ["a", "b"], "score": [0.5, 0.9]}
    assert read_run(keys, keys=("user", "day")).to_dict() == {"u/1": {"a": 0.5}, "u/2": {"b": 0.9}}


@pytest.mark.needs("spans and stores")
def test_keys_are_found_or_refused():
    frame = pd.DataFrame({"user": ["u"], "day": ["1"], "doc_id": ["a"], "score": [0.5], "query_id": ["x/y"]})
    records = [{"user": "u", "day": "1", "docs": ["a", "b"]}]
    for run, names in ((frame, None), (frame.to_dict("records"), None), (records, {"list": "docs"})):
        assert list(read_run(run, keys="user/day", columns=names).to_dict()) == ["u/1"]
    for run in (frame, frame.to_dict("records"), frame.to_dict("list")):
        told = "no column dya, which keys='user/dya' names; it has: user, day, doc_id, score, query_id."
        remedy = "columns={'query_id': 'query_id'} takes the ids of query_id."
        check(complaint(partial(read_run, run, keys="user/dya")), told, remedy)
        assert list(read_run(run, keys="user/dya", columns={"query_id": "query_id"}).to_dict()) == ["x/y"]
    told = complaint(lambda: read_run(records, keys="user/dya", columns={"list": "docs"}))
    check(told, "it has: user, day, docs")
