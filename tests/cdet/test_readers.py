"""Runs and topics of the Change Detection track: both spellings, both shapes, every mistake."""

import gzip
import json

import pytest
from messages import refused

from ir_trunc import InputError, calc, read_qrels, read_topics

QRELS = {"t/q_1/2024-01-01": {"a": 5}, "t/q_2/2024-01-01": {"b": 10}, "t/q_1/2024-01-02": {}}


def ranking(*documents, qid="q_1", rank=0, **more):
    """A question of a day, with (document, score) pairs."""
    docs = [{"doc_id": doc, "score": score} for doc, score in documents]
    return {"qid": qid, "question-rank": rank, "doc-ranking": docs} | more


RESULTS = {
    "2024-01-01": [ranking(("x", 2), ("a", 1.5), rank=1), ranking(("b", 0.5), qid="q_2")],
    "2024-01-02": [ranking()],
}


def written(path, results, *more, tag="mine"):
    lines = [{"runtag": tag}, {"topic": "t", "results": results}, *more]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def toolkit(results):
    """The spelling and the shape of the track's toolkit."""
    text = json.dumps({day: {"results": items, "extra": {}} for day, items in results.items()})
    return json.loads(text.replace("-rank", "_rank"))


def test_both_forms_are_the_same_run_as_a_dict(tmp_path):
    run = {"t/q_1/2024-01-01": ["x", "a"], "t/q_2/2024-01-01": ["b"], "t/q_1/2024-01-02": []}
    expected = calc("RBPT(max_rel=10) RR", QRELS, run).to_pandas()
    for results in (RESULTS, toolkit(RESULTS)):
        path = written(tmp_path / "my.run", results)
        assert calc("RBPT(max_rel=10) RR", QRELS, path).to_pandas().equals(expected)
        assert calc("RR", QRELS, path, keys="topic/question/day").aggregated["RR"] == (0.25 + 1) / 2
        packed = tmp_path / "my.jsonl.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert calc("RBPT(max_rel=10) RR", QRELS, packed).to_pandas().equals(expected)


PLACE = "line 2, topic t, 2024-01-01, question q_1"
MISTAKES = [
    ([ranking(("a", 2), ("a", 1))], f"{PLACE}, document a: it is in the list twice"),
    ([ranking(*((f"d{n}", -n) for n in range(101)))], f"{PLACE}: 101 documents; at most 100 are allowed"),
    ([ranking(("a", "0.5"))], f"{PLACE}, document a: score is '0.5', not a finite number"),
    ([ranking(("a", True))], f"{PLACE}, document a: score is True, not"),
    ([ranking(("a", 1e999))], "line 2 cannot be read as JSON"),
    ([ranking() | {"doc-ranking": [{"doc_id": "a"}]}],
     f"{PLACE}, document a: score is missing; it has: 'doc_id'"),
    ([ranking() | {"doc-ranking": ["a"]}],
     f'{PLACE}: an object with "doc_id" and "score" is needed, not str'),
    ([ranking() | {"doc-ranking": None}], f"{PLACE}: doc-ranking is null, not a list of documents"),
    ([ranking() | {"doc-ranking": {"a": 1}}], f"{PLACE}: doc-ranking is {{'a': 1}}, not a list of documents"),
    ([ranking(rank=-1)], f"{PLACE}: question-rank is -1, not a whole number from 0 on"),
    ([ranking(), ranking(rank=1)], f"{PLACE}: it is in the results of this day twice"),
    ([ranking(question_rank=0)], f"{PLACE}: question-rank and question_rank stand for the same field"),
    ({"extra": 1}, "line 2, topic t, 2024-01-01: results is missing"),
    ([ranking(qid="q/1")], "2024-01-01: question 'q/1': an id without '/' is needed"),
]  # fmt: skip


@pytest.mark.parametrize(("questions", "message"), MISTAKES)
def test_a_mistake_is_named_with_line_topic_date_and_question(tmp_path, questions, message):
    path = written(tmp_path / "my.run", {"2024-01-01": questions})
    with pytest.raises(InputError) as raised:
        calc("RR", QRELS, path)
    assert f"run {path}, " in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.parametrize("day", ["2024-02-30", "2024-1-1", "today", "20240101"])
def test_a_date_that_is_none(tmp_path, day):
    with pytest.raises(InputError, match=f"line 2, topic t: '{day}' is not a date; YYYY-MM-DD is needed"):
        calc("RR", QRELS, written(tmp_path / "my.run", {day: []}))


@pytest.mark.parametrize(("tag", "more", "message"), [
    ("", [], "line 1: runtag is '', not the name of a run"),
    ("a", [{"topic": "t", "results": {}}], "line 3: topic t has a line already (.*line 2)"),
    ("a", [{"results": {}}], "line 3: topic is missing"),
    ("a", [["topic"]], 'line 3: an object with "topic" and "results" is needed'),
])  # fmt: skip
def test_lines_that_are_wrong(tmp_path, tag, more, message):
    with pytest.raises(InputError, match=message.replace("(.", r"\(.").replace("2)", r"2\)")):
        calc("RR", QRELS, written(tmp_path / "my.run", {}, *more, tag=tag))


def test_topics_are_questions_and_their_documents_are_qrels(tmp_path):
    path = tmp_path / "topics.jsonl"
    topic = {"tid": "t", "label": "x", "questions": [{"qid": "q_1", "rel_docs": ["a"]}, {"qid": "q_2"}]}
    path.write_text(json.dumps(topic) + "\n")
    assert read_topics(path) == ["t/q_1", "t/q_2"]
    assert read_qrels(path).to_dict() == {"t/q_1": {"a": 1}, "t/q_2": {"__nil__": 0}}
    twice = {"tid": "t", "questions": [{"qid": "q"}, {"qid": "q"}]}
    for wrong, message in [
        ({"tid": "t", "questions": []}, "line 1, topic t: questions is \\[\\], not a list"),
        (twice, "topic t, question q: it is in the topic twice"),
        ({"tid": "t/1", "questions": [{"qid": "q"}]}, "tid 't/1': an id without '/'"),
    ]:
        path.write_text(json.dumps(wrong) + "\n")
        refused(InputError, message, read_topics, path)


def test_the_public_development_topics(real_data):
    assert len(read_topics(real_data("cdet-dev") / "dev-topics.jsonl")) == 24
