"""Records with a list of documents each, in forms that are declared or that the user names."""

import json

import pytest
from messages import check, complaint

from ir_trunc import calc, read_qrels, read_run

DOCS = [{"meta": {"key": "a"}, "sim": 0.9}, {"meta": {"key": "b"}, "sim": 0.5}]
RECORDS = [
    {"q": {"id": 7}, "found": {"docs": DOCS}},
    {"q": {"id": 8}, "found": {"docs": []}},
]  # fmt: skip
NAMES = {"list": "found.docs", "query_id": "q.id", "doc_id": "meta.key", "score": "sim"}


def test_any_records_are_read_by_the_names_of_their_parts(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS), encoding="utf-8")
    for data in (RECORDS, path):
        rows = read_run(data, columns=NAMES)
        assert rows.to_dict() == {"7": {"a": 0.9, "b": 0.5}}
        assert rows.universe == ("7", "8")
        assert calc("RR NumRet", {"7": {"b": 1}}, data, columns=NAMES).values.tolist() == [[0.5], [2]]
    path.write_text(json.dumps(RECORDS[0]), encoding="utf-8")  # JSON lines of a single line
    assert read_run(path, columns=NAMES).to_dict() == {"7": {"a": 0.9, "b": 0.5}}


def test_lists_without_scores_are_by_rank_and_the_usual_names_need_no_naming():
    records = [{"qid": "1", "contexts": [{"id": "a"}, {"id": "b"}]}]
    columns = {"list": "contexts"}
    assert calc("RR", {"1": {"b": 1}}, records, columns=columns).values.tolist() == [[0.5]]
    assert read_qrels(records, columns=columns).to_dict() == {"1": {"a": 1, "b": 1}}


@pytest.mark.parametrize(("record", "part"), [
    ({"qid": "2"}, "item 1: query_id or qid or query-id or topic_id or _id or id, and a list at contexts"),
    ({"contexts": []}, "a list at contexts are needed; it has: contexts"),
    ({"qid": "2", "contexts": "a"}, "it has: qid, contexts"),
    ({f"name {n}": 0 for n in range(99)}, "it has: name 0, name 1, "),
    ({"qid": "1", "contexts": []}, "topic 1 is in an item before"),
    ({"qid": "2", "contexts": [{"id": "a"}]}, "topic 2, document a: it has no score, and others have one"),
])  # fmt: skip
def test_the_mistakes_of_records(record, part):
    records = [{"qid": "1", "contexts": [{"id": "a", "score": 1.0}]}, record]
    message = complaint(lambda: read_run(records, columns={"list": "contexts"}))
    check(message, part, "run (records)")
    assert len(message) < 400


SCORED = [{"id": "b", "score": 0.9, "text": "x"}, {"id": "a", "score": 0.5, "text": "y"}]
DECLARED = {
    "iKAT 2023": {"run_name": "mine", "turns": [
        {"turn_id": "1", "responses": [{"rank": 1, "text": "x", "passage_provenance": SCORED}]},
        {"turn_id": "2", "responses": [{"rank": 1, "text": "x", "passage_provenance": []}]},
    ]},
    "iKAT 2025": [
        {"turn_id": "1", "references": {"b": 0.9, "a": 0.5}, "responses": [{"rank": 1, "text": "x"}]},
        {"metadata": {"turn_id": "2", "topic_id": "7"}, "references": {}},
    ],
    "MTRAGEval": [
        {"task_id": "1", "contexts": [{"document_id": doc["id"], "score": doc["score"]} for doc in SCORED]},
        {"task_id": "2", "contexts": []},
    ],
    "DPR": [
        {"question": "1", "answers": ["x"], "ctxs": [doc | {"score": str(doc["score"])} for doc in SCORED]},
        {"question": "2", "answers": [], "ctxs": []},
    ],
    **{
        f"{name} as {type(docs).__name__}": [{"query_id": "1", name: docs}, {"query_id": "2", name: []}]
        for name in ("contexts", "ctxs", "documents", "results", "hits", "references")
        for docs in (SCORED, {"b": 0.9, "a": 0.5})
    },
    "hits of a response": [
        {"query": "1", "hits": {"hits": [{"_id": "b", "_score": 0.9}, {"_id": "a", "_score": 0.5}]}},
        {"query": "2", "hits": {"hits": []}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", DECLARED)
def test_a_declared_form_is_the_run_of_its_lists(tmp_path, form):
    data = DECLARED[form]
    (tmp_path / "whole.json").write_text(json.dumps(data), encoding="utf-8")
    files = [tmp_path / "whole.json"]
    if isinstance(data, list):
        text = "".join(f"{json.dumps(record)}\n" for record in data)
        (tmp_path / "lines.jsonl").write_text(text, encoding="utf-8")
        files.append(tmp_path / "lines.jsonl")
    for run in (data, *files):
        rows = read_run(run)
        assert rows.to_dict() == {"1": {"b": 0.9, "a": 0.5}}
        assert rows.universe == ("1", "2")


def test_rows_with_a_list_among_their_fields_are_rows():
    row = {"query_id": "1", "doc_id": "a", "score": 0.5, "references": ["x"]}
    assert read_run([row]).to_dict() == {"1": {"a": 0.5}}


def test_a_run_is_no_judgments():
    check(complaint(lambda: read_qrels(DECLARED["DPR"])), "qrels (questions of DPR): they are a run")
