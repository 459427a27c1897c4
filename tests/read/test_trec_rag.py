"""Answers of TREC's RAG track: both years' forms are the lists of their references."""

import json

import pytest
from messages import check, complaint

from ir_trunc import calc, read_run

QRELS = {"1": {"b": 1}, "2": {}}
OF_2024 = [
    {"run_id": "r", "topic_id": "1", "topic": "x", "references": ["a", "b"], "answer": [{"citations": [1]}]},
    {"run_id": "r", "topic_id": "2", "topic": "y", "references": [], "answer": []},
]
OF_2025 = [
    {
        "metadata": {"run_id": "r", "narrative_id": number + 1},
        "references": answer["references"],
        "answer": [],
    }
    for number, answer in enumerate(OF_2024)
]


@pytest.mark.parametrize("answers", [OF_2024, OF_2025], ids=["2024", "2025"])
def test_a_list_is_the_references_of_an_answer_and_ends_with_them(tmp_path, answers):
    path = tmp_path / "rag.jsonl"
    expected = calc("RR NumRet RBPT", QRELS, {"1": ["a", "b"], "2": []}).values.tolist()
    for number in (2, 1):  # a file of a single line, too
        path.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers[:number]), encoding="utf-8")
        assert calc("RR NumRet RBPT", QRELS, path, missing="empty").values.tolist() == expected
    assert calc("RR NumRet RBPT", QRELS, answers).values.tolist() == expected
    assert read_run(answers).universe == ("1", "2")


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ({"x": 1}, "narrative_id, and a list at references are needed; it has: x"),
        (5, "item 1: topic_id or"),
        (OF_2024[0], "item 1: topic 1 is in an item before"),
        ({"topic_id": "3", "references": "a"}, "a list at references"),
        ({"topic_id": 1.5, "references": []}, "topic 1.5 is float"),
        ({"topic_id": "3", "references": ["a", "a"]}, "topic 3, document a: it is in the list twice"),
        ({"topic_id": "3", "references": [None]}, "topic 3: doc_id is missing"),
    ],
)
def test_a_mistake_is_an_error_that_names_its_place(answer, part):
    check(complaint(lambda: read_run([OF_2024[0], answer])), part, "run (answers of TREC RAG)")
