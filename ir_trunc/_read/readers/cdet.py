"""Runs and topics of TREC's Change Detection track: JSON lines with the keys topic, question and day.

A run begins with a line that has its `runtag`. Each further line has a topic and its results by date: the
questions of that day, each with its rank and its ranking of documents. The guidelines and the track's toolkit
spell the names differently (`doc-ranking`, `doc_ranking`), and the toolkit puts the questions of a date into
an object; both are read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.arrow import one_id
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader
from ir_trunc._read.text import contents, numbered_lines, read_json

SEPARATOR = "/"  # joins the keys of a list to its id

LONGEST = 100  # documents that a list of the track may have


class DayRanking(NamedTuple):
    """What a run returns for one question on one day."""

    place: str  # where it stands, in messages
    topic: str
    day: str
    question: str
    rank: int  # the rank of the question among those of the topic and the day
    docs: list[str]
    scores: list[float]


@dataclass(frozen=True)
class ChangeRun:
    """A run of the track: its tag, and a ranking for each question and day that it names."""

    tag: str
    rankings: list[DayRanking]


def join_keys(*keys: str) -> str:
    """The id of a list from its keys, which do not hold the separator."""
    return SEPARATOR.join(keys)


def read_change_run(path: str | os.PathLike[str], source: str) -> ChangeRun:
    """A run of the track; InputError with the line, topic, date and question where it is not valid."""
    lines = numbered_lines(contents(path, source, b"{"), source)
    if not lines:
        raise InputError(f"{source} is empty: a line with runtag, and a line for each topic are needed.")
    (first, line), *topics = lines
    tag = _field(_object(read_json(line, first), first, 'with "runtag"'), first, "runtag")
    if not isinstance(tag, str) or not tag:
        raise InputError(f"{first}: runtag {shown(tag)} is not the name of a run.")
    rankings: list[DayRanking] = []
    line_of: dict[str, str] = {}
    for place, line in topics:
        content = _object(read_json(line, place), place, 'with "topic" and "results"')
        topic = one_key(_field(content, place, "topic"), "topic", place)
        if topic in line_of:
            raise InputError(f"{place}: topic {topic} has a line already ({line_of[topic]}).")
        line_of[topic] = place
        results = _object(_field(content, place, "results"), f"{place}, topic {topic}", "{date: questions}")
        for day, questions in results.items():
            of_topic = f"{place}, topic {topic}"
            rankings += _rankings_of_day(questions, of_topic, topic, one_day(day, of_topic))
    return ChangeRun(tag, rankings)


def one_day(value: object, place: str) -> str:
    """A date as the track writes it; InputError where it is none."""
    text = str(value)  # of a text, or of a date of Python or numpy
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise InputError(f"{place}: {shown(value)} is not a date; YYYY-MM-DD is needed, such as 2024-01-31.")


def _rankings_of_day(questions: Any, place: str, topic: str, day: str) -> Iterator[DayRanking]:
    place = f"{place}, {day}"
    if isinstance(questions, Mapping):
        questions = _field(questions, place, "results")
    if not isinstance(questions, list):
        raise InputError(f"{place}: a list of questions is needed, not {type(questions).__name__}.")
    question_of: dict[int, str] = {}
    names: set[str] = set()
    for item in questions:
        content = _object(item, place, 'with "qid"')
        question = one_key(_field(content, place, "qid"), "question", place)
        of_question = f"{place}, question {question}"
        if question in names:
            raise InputError(f"{of_question}: it is in the results of this day twice.")
        names.add(question)
        rank = _field(content, of_question, "question-rank", "question_rank")
        if isinstance(rank, bool) or not isinstance(rank, int) or rank < 0:
            raise InputError(f"{of_question}: question-rank {shown(rank)} is not a whole number from 0 on.")
        if question_of.setdefault(rank, question) != question:
            other = question_of[rank]
            raise InputError(f"{of_question}: question {other} has the question-rank {rank}, too.")
        documents = _field(content, of_question, "doc-ranking", "doc_ranking")
        yield DayRanking(of_question, topic, day, question, rank, *_documents(documents, of_question))


def _documents(documents: Any, place: str) -> tuple[list[str], list[float]]:
    """The ids and the scores of a ranking."""
    if not isinstance(documents, list):
        raise InputError(f"{place}: doc-ranking is a list of documents, not {type(documents).__name__}.")
    try:  # all documents at once
        docs, scores = [item["doc_id"] for item in documents], [item["score"] for item in documents]
        is_plain = {*map(type, docs)} <= {str} and {*map(type, scores)} <= {int, float}
    except (KeyError, TypeError):
        is_plain = False
    if not is_plain or not max(map(abs, scores), default=0) <= sys.float_info.max:
        pairs = [_document(item, place) for item in documents]
        docs, scores = [doc for doc, _ in pairs], [score for _, score in pairs]
    if len(set(docs)) < len(docs):
        twice = next(doc for number, doc in enumerate(docs) if doc in docs[:number])
        raise InputError(f"{place}, document {twice}: it is in the list twice.")
    if len(docs) > LONGEST:
        raise InputError(f"{place}: {len(docs)} documents; at most {LONGEST} are allowed.")
    return docs, scores


def _document(item: Any, place: str) -> tuple[str, float]:
    content = _object(item, place, 'with "doc_id" and "score"')
    doc, score = one_id(_field(content, place, "doc_id"), "doc_id", place), _field(content, place, "score")
    is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
    if not is_number or not abs(score) <= sys.float_info.max:
        raise InputError(f"{place}, document {doc}: score {shown(score)} is not a finite number.")
    return doc, score


def _object(content: Any, place: str, needed: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise InputError(f"{place}: an object {needed} is needed, not {type(content).__name__}.")
    return content


def _field(content: Mapping[str, Any], place: str, *names: str) -> Any:
    """The value of a field that has one of several names."""
    present = [name for name in names if name in content]
    if len(present) != 1:
        keys = ", ".join(map(shown, content)) or "nothing"
        problem = "stand for the same field" if present else "is missing; it has: " + keys
        raise InputError(f"{place}: {' and '.join(present) if present else names[0]} {problem}.")
    return content[present[0]]


def one_key(value: Any, name: str, place: str) -> str:
    """A part of the id of a list, as text."""
    key = one_id(value, name, place)
    if not key or SEPARATOR in key:
        raise InputError(f"{place}: {name} {shown(value)}: an id without {SEPARATOR!r} is needed.")
    return key


@reader(
    'a path of a Change Detection run (JSON lines, the first with "runtag")',
    "run",
    recognises=lambda data: data.start.startswith(b"{") and b'"runtag"' in data.start.split(b"\n", 1)[0],
)
def change_run(data: str | os.PathLike[str], layout: Layout) -> Table:
    """A list for each question and day, its id `topic/question/day`; at most 100 documents each."""
    rankings = read_change_run(data, layout.source).rankings
    lists = [join_keys(each.topic, each.question, each.day) for each in rankings]
    lengths = [len(each.docs) for each in rankings]
    columns = {
        "query_id": np.repeat(np.array(lists, object), lengths),
        "doc_id": list(chain.from_iterable(each.docs for each in rankings)),
        "score": np.array([score for each in rankings for score in each.scores], np.float64),
    }
    return Table(layout.source, columns, tuple(lists))


def read_change_topics(path: str | os.PathLike[str], source: str) -> dict[str, dict[str, list[str]]]:
    """{topic: {question: [document found when the topic was developed, ...]}} from a file of topics."""
    topics: dict[str, dict[str, list[str]]] = {}
    for place, line in numbered_lines(contents(path, source, b"{"), source):
        content = _object(read_json(line, place), place, 'with "tid" and "questions"')
        topic = one_key(_field(content, place, "tid"), "tid", place)
        place = f"{place}, topic {topic}"
        if topic in topics:
            raise InputError(f"{place}: it is in the file twice.")
        questions = _field(content, place, "questions")
        if not isinstance(questions, list) or not questions:
            raise InputError(f"{place}: questions: a list of objects with qid is needed.")
        topics[topic] = {}
        for item in questions:
            question = one_key(_field(_object(item, place, 'with "qid"'), place, "qid"), "qid", place)
            if question in topics[topic]:
                raise InputError(f"{place}, question {question}: it is in the topic twice.")
            documents = item.get("rel_docs", [])
            if not isinstance(documents, list):
                raise InputError(f"{place}, question {question}: rel_docs is a list of ids.")
            topics[topic][question] = [one_id(doc, "doc_id", place) for doc in documents]
    if not topics:
        raise InputError(f"{source} is empty: a line with tid and questions for each topic is needed.")
    return topics


@reader(
    'a path of Change Detection topics (JSON lines with "tid" and "questions")',
    "topics",
    "qrels",
    recognises=lambda data: data.start.startswith(b"{") and b'"tid"' in data.start.split(b"\n", 1)[0],
)
def change_topics(data: str | os.PathLike[str], layout: Layout) -> Table:
    """An id `topic/question` for each question; as qrels, its `rel_docs` with the relevance 1."""
    topics = read_change_topics(data, layout.source)
    documents = {join_keys(topic, name): docs for topic in topics for name, docs in topics[topic].items()}
    if layout.kind == "topics":
        return Table(layout.source, topics=tuple(documents))
    pairs = [(key, doc) for key, docs in documents.items() for doc in docs]
    columns = {"query_id": [key for key, _ in pairs], "doc_id": [doc for _, doc in pairs]}
    return Table(layout.source, columns | {"relevance": [1] * len(pairs)}, tuple(documents))
