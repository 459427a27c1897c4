"""Runs, topics and judgments of TREC's Change Detection track: JSON lines with the keys topic, question, day.

A run begins with a line that has its `runtag`. Each further line has a topic and its results by date: the
questions of that day, each with its rank and its ranking of documents. The guidelines and the track's toolkit
spell the names differently (`doc-ranking`, `doc_ranking`), and the toolkit puts the questions of a date into
an object; both are read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ir_trunc._core.errors import InputError, counted, option, shown
from ir_trunc._core.lazy import cached_property
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.memory import dicts
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import as_dict, beginning, file_lines, read_json

SEPARATOR = "/"  # joins the keys of a list to its id

LONGEST = 100  # documents that a list of the track may have
LONGEST_TAG = 20
MOST_ERRORS = 50  # of a run that is checked
_LARGEST = sys.float_info.max
_PASSES = "; the organisers' checker lets it pass"  # where ours is stricter
_NAMED = 5  # dates or topics that a message names
_TOPICS = ("topic", "tid", "topic_id")
_QUESTIONS, _GAINS = ("qid", "question_id"), ("gain", "rel", "relevance", "rel_grade")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_extra(content: Mapping[str, Any]) -> bool:
    return isinstance(content.get("extra"), (Mapping, type(None)))


_NEEDED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "runtag": ("the name of a run", lambda value: isinstance(value, str) and value != ""),
    "description": ("text", _is_text),
    "models": ("a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value))),
    "extern": ("text", _is_text),
    "run_type": ("'manual' or 'automatic'", lambda value: value in ("manual", "automatic")),
    "question-rank": ("a whole number from 0 on", lambda value: type(value) is int and value >= 0),
    "doc-ranking": ("a list of documents", lambda value: isinstance(value, list)),
    "doc_id": ("an id", lambda value: value != ""),
    "score": ("a finite number", lambda value: type(value) in (int, float) and abs(value) <= _LARGEST),
    "questions": ("a list of objects with qid", lambda value: isinstance(value, list) and value != []),
    "rel_docs": ("a list of ids", lambda value: isinstance(value, list)),
    "gain": ("a whole number", lambda value: type(value) is int),
}
"""What the values of fields must be."""

Absent = Literal["error", "tied", "empty"]
"""What a date or a topic is that a run does not name."""


class DayRanking(NamedTuple):
    """What a run returns for one question on one day."""

    place: str  # where it stands, in messages
    topic: str
    day: str
    question: str
    rank: int  # the rank of the question among those of the topic and the day
    docs: dict[str, float]  # with their scores


@dataclass(frozen=True)
class ChangeCollection:
    """What a run is checked against; without questions and days, its form alone is."""

    questions: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by topic
    days: Sequence[str] = ()
    date_of: Mapping[str, str] = field(default_factory=dict)  # of documents, where they are known

    @cached_property
    def dates(self) -> frozenset[str]:
        return frozenset(self.days)

    def check(self, topic: str, day: str | None, place: str, passes: str = "") -> None:
        """InputError where there is no such topic or day."""
        if self.questions and topic not in self.questions:
            raise InputError(f"{place}: the topics have no topic {topic}{passes}.")
        if self.days and day is not None and day not in self.dates:
            one_day(day, place)
            ends = f"{self.days[0]} to {self.days[-1]}"
            raise InputError(f"{place}: the collection has no day {day}; it has {ends}.")


@dataclass
class ChangeRun:
    """A run of the track: its tag, a ranking for each question and day, and the days named by topic."""

    tag: str = ""
    rankings: list[DayRanking] = field(default_factory=list)
    named: dict[str, set[str]] = field(default_factory=dict)
    faults: dict[str, list[Any]] = field(default_factory=dict)  # by cause the first error, and how many
    odd: dict[str, list[str]] = field(default_factory=dict)  # what is allowed, and the places where it is

    def lists(self) -> dict[str, dict[str, float]]:
        """The scores of documents by the ids of lists."""
        return {join_keys(each.topic, each.question, each.day): each.docs for each in self.rankings}

    def refuse(self, error: str) -> None:
        """Put an error of the whole run before the others."""
        self.faults = {error: [error, 1]} | self.faults

    @property
    def errors(self) -> list[str]:
        """The errors, those of one cause once."""
        each = [*self.faults.values()][:MOST_ERRORS]
        return [f"{error[:-1]} ({counted(n, 'time')})." if n > 1 else error for error, n in each]

    @property
    def warnings(self) -> list[str]:
        """What is allowed, but not by the guidelines or not likely to be meant."""
        return [f"{places[0]}: {what} ({counted(len(places), 'time')})." for what, places in self.odd.items()]


def join_keys(*keys: str) -> str:
    """The id of a list from its keys, which do not hold the separator."""
    return SEPARATOR.join(keys)


class _Enough(Exception):
    """There are as many errors as are reported."""


class _RunReader:
    """Reads a run."""

    def __init__(self, collection: ChangeCollection, absent: Absent, collect: bool):
        self.collection, self.absent, self.collect, self.run = collection, absent, collect, ChangeRun()

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of the run without which the rest can be read."""
        try:
            yield
        except InputError as error:
            if not self.collect:
                raise
            cause = re.sub(r"\d+", "", str(error).partition(": ")[2] or str(error))
            fault = self.run.faults.setdefault(cause, [str(error), 0])
            fault[1] += 1
            if len(self.run.faults) == MOST_ERRORS:
                raise _Enough from None

    def refuse(self, problem: str) -> None:
        """An error of a part, which is read all the same."""
        with self.part():
            raise InputError(problem)

    def read(self, path: str | os.PathLike[str], source: str) -> None:
        line_of: dict[str, str] = {}
        unread = 1  # parts whose topics are not known; only without any it is known which topics are missing
        with self.part():
            lines = file_lines(path, source, b"{")
            first, line = next(lines, ("", b""))
            if not first:
                what = "a line with runtag, and a line for each topic are needed"
                raise InputError(f"{source} is empty: {what}.")
            content = read_json(line, first)
            with self.part():
                self.read_head(as_dict(content, first, 'with "runtag"'), first)
            for place, line in lines:
                unread += 1
                with self.part():
                    content = as_dict(read_json(line, place), place, 'with "topic" and "results"')
                    topic = one_key(_field(content, place, "topic"), "topic", place)
                    unread -= 1
                    if topic in line_of:
                        raise InputError(f"{place}: topic {topic} has a line already ({line_of[topic]}).")
                    line_of[topic] = place
                    self.read_topic(content, topic, f"{place}, topic {topic}")
            unread -= 1
        if not unread:
            self.refuse_missing("topic", self.collection.questions, line_of, source)

    def refuse_missing(self, what: str, needed: Iterable[str], named: Container[str], place: str) -> None:
        missing = [name for name in needed if name not in named and self.absent == "error"]
        if missing:
            names = ", ".join(missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")
            remedy = f"write an empty list for silence, or say what they are by {option('absent')}"
            self.refuse(f"{place}: {counted(len(missing), what)} missing, {names}; {remedy}.")

    def read_head(self, content: Mapping[str, Any], place: str) -> None:
        """The line with the runtag; in the track it has more."""
        self.run.tag = tag = _field(content, place, "runtag")
        if not self.collection.questions:
            return
        if re.fullmatch(rf"(?!\.)[A-Za-z0-9_.-]{{1,{LONGEST_TAG}}}", tag) is None:
            signs = f"at most {LONGEST_TAG} letters, digits, _, - and, not in the first place, . are needed"
            self.refuse(f"{place}: runtag {shown(tag)}: {signs}.")
        for name in ("description", "models", "extern", "run_type"):
            with self.part():
                _field({"run_type": "manual", **content}, place, name)
        extra = {} if content.get("extra") is None else content["extra"]
        texts = isinstance(extra, Mapping) and all(map(_is_text, extra.values()))
        self.schema(len(tag) > 1, "a runtag of one character", place)
        self.schema("run_type" in content, "a run without run_type, 'manual' or 'automatic'", place)
        self.schema(texts, "extra whose values are not all text", place)

    def read_topic(self, content: Mapping[str, Any], topic: str, place: str) -> None:
        self.collection.check(topic, None, place, _PASSES)
        self.schema(_is_text(content["topic"]), "a topic that is no text", place)
        self.schema(_is_extra(content), "extra that is no object", place)
        days = self.run.named[topic] = set()
        for day, questions in as_dict(_field(content, place, "results"), place, "{date: questions}").items():
            with self.part():
                days.add(one_day(day, place))
                here = f"{place}, {day}"
                with self.part():
                    self.collection.check(topic, day, here)
                self.read_day(questions, topic, day, here)
        self.refuse_missing("date", self.collection.days, days, place)

    def read_day(self, questions: Any, topic: str, day: str, place: str) -> None:
        named = isinstance(questions, Mapping)
        self.schema(named, "a date without an object {'results': [questions]}", place)
        if named:
            self.schema(_is_extra(questions), "extra that is no object", place)
            questions = _field(questions, place, "results")
        if not isinstance(questions, list):
            kind = "null" if questions is None else shown(questions)
            raise InputError(f"{place}: a list of questions is needed, not {kind}.")
        rank_of: dict[str, int] = {}
        for item in questions:
            with self.part():
                content = as_dict(item, place, 'with "qid"')
                question = one_key(_field(content, place, "qid"), "question", place)
                here = f"{place}, question {question}"
                if question in rank_of:
                    raise InputError(f"{here}: it is in the results of this day twice{_PASSES}.")
                known = self.collection.questions.get(topic, [question])
                if question not in known and not (self.run.tag and question.startswith(self.run.tag)):
                    rule = f"a question that the run proposes begins with its runtag {self.run.tag}"
                    raise InputError(f"{here}: topic {topic} has no question {question}; {rule}.")
                rank = _field(content, here, "question-rank", "question_rank")
                rank_of[question] = rank
                documents = _field(content, here, "doc-ranking", "doc_ranking")
                spelt = {"question_rank", "doc_ranking"} <= content.keys()
                self.schema(spelt, "names with a hyphen, for question_rank and doc_ranking", here)
                text = content.get("question_text", 0)
                self.schema(text is None or _is_text(text), "a question without question_text", here)
                self.schema(_is_text(content["qid"]), "a qid that is no text", here)
                self.schema(_is_extra(content), "extra that is no object", here)
                docs = self.read_documents(documents, day, here)
                self.run.rankings.append(DayRanking(here, topic, day, question, rank, docs))
        if len({*rank_of.values()}) < len(rank_of):
            self.note("questions have the same question-rank, and are scored in every order", place)

    def note(self, what: str, place: str) -> None:
        self.run.odd.setdefault(what, []).append(place)

    def schema(self, right: bool, what: str, place: str) -> None:
        """Note what the organisers' published types do not take."""
        if not right:
            self.note(f"the organisers' schema refuses {what}", place)

    def read_documents(self, documents: list[Any], day: str, place: str) -> dict[str, float]:
        """The documents of a ranking with their scores."""
        if len(documents) > LONGEST:
            self.refuse(f"{place}: {len(documents)} documents; at most {LONGEST} are allowed.")
        date_of = self.collection.date_of
        try:  # all documents at once
            docs: dict[str, float] = {item["doc_id"]: item["score"] for item in documents}
            "".join(docs).encode()  # an error where an id is no text
            scores = docs.values()
            are_finite = {*map(type, scores)} <= {int, float} and max(map(abs, scores), default=0) <= _LARGEST
            of_day = not date_of or {*map(date_of.get, docs)} <= {day}
            is_plain = len(docs) == len(documents) and "" not in docs and are_finite and of_day
        except (KeyError, TypeError, UnicodeEncodeError):
            is_plain = False
        if not is_plain:
            docs = {}
            for item in documents:
                with self.part():
                    content = as_dict(item, place, 'with "doc_id" and "score"')
                    doc = one_id(_field(content, place, "doc_id"), "doc_id", place)
                    score = _field(content, f"{place}, document {doc}", "score")
                    self.schema(_is_text(item["doc_id"]), "a doc_id that is no text", place)
                    if doc in docs:
                        raise InputError(f"{place}, document {doc}: it is in the list twice.")
                    if date_of and date_of.get(doc) != day:
                        of = f"is of {date_of[doc]}" if doc in date_of else "is not in the collection"
                        raise InputError(f"{place}, document {doc}: it {of}.")
                    docs[doc] = score
        if not documents:
            self.note("a question is reported without documents", place)
        if sorted(docs.values(), reverse=True) != [*docs.values()]:
            self.note("scores rise down the list; the order is that of the scores", place)
        return docs


def read_change_run(
    path: str | os.PathLike[str],
    source: str,
    collection: ChangeCollection | None = None,
    absent: Absent = "error",
    collect: bool = False,
) -> ChangeRun:
    """A run of the track; InputError with the line, topic, date and question where it is not valid.

    With a collection it is checked against this, and has to name all of its topics and dates unless `absent`
    says otherwise. collect: errors are collected, up to `MOST_ERRORS`, in place of raised.
    """
    reads = _RunReader(collection or ChangeCollection(), absent, collect)
    with suppress(_Enough):
        reads.read(path, source)
    return reads.run


def one_day(value: object, place: str) -> str:
    """A date as the track writes it; InputError where it is none."""
    text = str(value)  # of a text, or of a date of Python or numpy
    if not _is_day(text):
        raise InputError(f"{place}: {shown(value)} is not a date; YYYY-MM-DD is needed, such as 2024-01-31.")
    return text


@lru_cache(1 << 12)  # each day is named by many topics
def _is_day(text: str) -> bool:
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat() == text
    return False


def _field(content: Mapping[str, Any], place: str, *names: str) -> Any:
    """The value of a field that has one of several names; InputError where it is not as `_NEEDED` says."""
    present = [name for name in names if name in content]
    if len(present) != 1:
        keys = ", ".join(map(shown, content)) or "nothing"
        problem = "stand for the same field" if present else "is missing; it has: " + keys
        raise InputError(f"{place}: {' and '.join(present) if present else names[0]} {problem}.")
    value = content[present[0]]
    needed, is_right = _NEEDED.get(names[0], ("", None))
    if is_right is not None and not is_right(value):
        kind, passes = "null" if value is None else shown(value), ""
        with suppress(TypeError, ValueError, OverflowError):  # pydantic takes "1" and 1.0 for 1
            number = float(value)
            if names[0] == "score" or (names[0] == "question-rank" and number.is_integer()):
                passes = _PASSES
        raise InputError(f"{place}: {names[0]} is {kind}, not {needed}{passes}.")
    return value


def one_key(value: Any, name: str, place: str) -> str:
    """A part of the id of a list, as text."""
    key = one_id(value, name, place)
    if SEPARATOR in key:
        raise InputError(f"{place}: {name} {shown(value)}: an id without {SEPARATOR!r} is needed.")
    return key


@reader(
    'a path of a Change Detection run (JSON lines, the first with "runtag")',
    recognises=lambda data: _has_fields(data.start, ["runtag"]),
    kinds="run",
)
def change_run(data: str | os.PathLike[str], layout: Layout) -> Table | Iterable[Rows]:
    """A list for each question and day, its id `topic/question/day`; at most 100 documents each."""
    return dicts.read(read_change_run(data, layout.source).lists(), layout)


def _has_fields(start: bytes, *fields: Iterable[str]) -> bool:
    """Whether the first line of a file is an object with these fields, each under one of several names."""
    first = start.split(b"\n", 1)[0]
    return first.startswith(b"{") and all(any(f'"{n}"'.encode() in first for n in names) for names in fields)


def is_change_topics(path: str, name: str = "tid") -> bool:
    """Whether a file begins like topics of the track, or with another name of a field."""
    return _has_fields(beginning(path), [name])


def read_change_topics(path: str | os.PathLike[str], source: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """{topic: {question: (document found when the topic was developed, ...)}} from a file of topics."""
    topics: dict[str, dict[str, tuple[str, ...]]] = {}
    for place, line in file_lines(path, source, b"{"):
        content = as_dict(read_json(line, place), place, 'with "tid" and "questions"')
        topic = one_key(_field(content, place, "tid"), "tid", place)
        place = f"{place}, topic {topic}"
        if topic in topics:
            raise InputError(f"{place}: it is in the file twice.")
        topics[topic] = {}
        for item in _field(content, place, "questions"):
            question = one_key(_field(as_dict(item, place, 'with "qid"'), place, "qid"), "qid", place)
            if question in topics[topic]:
                raise InputError(f"{place}, question {question}: it is in the topic twice.")
            documents = _field({"rel_docs": [], **item}, f"{place}, question {question}", "rel_docs")
            topics[topic][question] = tuple(one_id(doc, "doc_id", place) for doc in documents)
    if not topics:
        raise InputError(f"{source} is empty: a line with tid and questions for each topic is needed.")
    return topics


@reader(
    'a path of Change Detection topics (JSON lines with "tid" and "questions")',
    recognises=lambda data: _has_fields(data.start, ["tid"]),
    kinds="topics qrels",
)
def change_topics(data: str | os.PathLike[str], layout: Layout) -> Table | Iterable[Rows]:
    """An id `topic/question` for each question; as qrels, its `rel_docs` with the relevance 1."""
    topics = read_change_topics(data, layout.source)
    documents = {join_keys(topic, name): docs for topic in topics for name, docs in topics[topic].items()}
    if layout.kind == "topics":
        return Table(layout.source, topics=tuple(documents))
    return dicts.read(documents, layout)


@reader(
    "a path of Change Detection judgments (JSON lines with topic, qid, day, doc_id and gain)",
    recognises=lambda data: _has_fields(data.start, _TOPICS, _QUESTIONS, _GAINS),
    kinds="qrels",
)
def change_qrels(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Lists `topic/question/day`, or without a day; where there is no doc_id, questions by `topic/day`."""
    rows = list[tuple[str, str, int]]()
    for place, line in file_lines(data, layout.source, b"{"):
        content = as_dict(read_json(line, place), place, "with topic, qid and gain")
        keys = [one_key(_field(content, place, *_TOPICS), "topic", place)]
        doc = question = one_key(_field(content, place, *_QUESTIONS), "question", place)
        if "doc_id" in content:
            keys, doc = [*keys, question], one_id(content["doc_id"], "doc_id", place)
        if "day" in content or "date" in content:
            keys.append(one_day(_field(content, place, "day", "date"), place))
        rows.append((join_keys(*keys), doc, _field(content, place, *_GAINS)))
    names = ("query_id", "doc_id", "relevance")
    return Table(layout.source, {name: [row[at] for row in rows] for at, name in enumerate(names)})
