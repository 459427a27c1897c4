"""What is scored: lists of all questions, or topics, on all days of the collection; and checks of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError, MissingFileError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Choice, checked, file_name, several
from ir_trunc._output.tables import fitted
from ir_trunc._read.readers.cdet import (
    Absent,
    ChangeCollection,
    ChangeRun,
    join_keys,
    one_day,
    one_key,
    read_change_run,
    read_change_topics,
)
from ir_trunc._read.text import decoded, numbered_lines, parts
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import by_file_name

Ranked = Literal["documents", "questions"]
Lists = dict[str, dict[str, float]]

KEYS: dict[Ranked, tuple[str, ...]] = {
    "documents": ("topic", "question", "day"),
    "questions": ("topic", "day"),
}
"""The keys of a list, by what is in it."""

RAGTIME1 = "ragtime1"
_WITHOUT = ("2023-10-24", "2023-10-25", "2023-10-26")  # days that RAGTIME1 lacks
_FAR = 366  # days between two neighbours of a collection, more than which are a mistake
_MOST = 20_000_000  # lists that are scored

DaysLike = str | os.PathLike[str] | Mapping[str, str] | Iterable[str]
"""The days of a collection: `ragtime1`, a range `2024-01-01..2024-03-31`, dates, or {document: date}.

Or a file, with a date or `document<TAB>date` on each line.
"""


@checked
def read_lists(
    path: str | os.PathLike[str], what: Annotated[Ranked, Choice("what is ranked", tuple(KEYS))] = "documents"
) -> Lists:
    """The lists of a run of the track, as `{id: {document: score}}`.

    Parameters
    ----------
    path : path
        JSON lines: one with `runtag`, then one for each topic.
    what : {'documents', 'questions'}
        Documents by question and day, with the ids `topic/question/day`; or questions by day, with the ids
        `topic/day`, where the scores are the question-ranks with the opposite sign.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        Where the run is not valid, with line, topic, date and question.

    Examples
    --------
    >>> from ir_trunc import calc
    >>> from ir_trunc import cdet
    >>> run = cdet.read_lists("my.jsonl", "questions")  # doctest: +SKIP
    >>> calc(cdet.MEASURES["unit"], qrels, run, keys="topic/day").aggregated  # doctest: +SKIP
    """
    path = file_name("path", path)
    return lists_of(read_change_run(path, f"run {path}"), what)


def lists_of(run: ChangeRun, what: Ranked, tied: bool = True) -> Lists:
    """The lists of a run. tied=False: questions of the same rank are in the order of the file."""
    if what == "documents":
        return run.lists()
    lists: Lists = {}
    for each in run.rankings:
        lists.setdefault(join_keys(each.topic, each.day), {})[each.question] = float(-each.rank)
    if not tied:
        for key, ranks in lists.items():
            lists[key] = {name: float(-at) for at, name in enumerate(sorted(ranks, key=lambda q: -ranks[q]))}
    return lists


@checked
def universe(
    topics: Any, days: DaysLike, what: Annotated[Ranked, Choice("what is ranked", tuple(KEYS))] = "documents"
) -> list[str]:
    """The ids of all lists: every question of the topics, or every topic, on every day of the collection.

    Parameters
    ----------
    topics : path or dict
        The file of topics, or `{topic: [question, ...]}`.
    days : DaysLike
        The days of the collection: a file, a range, dates, or the dates of its documents.
    what : {'documents', 'questions'}

    Returns
    -------
    list of str

    Examples
    --------
    >>> from ir_trunc import cdet
    >>> cdet.universe({"t1": ["q1"]}, "2024-02-28..2024-03-01")
    ['t1/q1/2024-02-28', 't1/q1/2024-02-29', 't1/q1/2024-03-01']
    """
    return all_lists(collection_of(topics, *read_days(days)), what)


def all_lists(collection: ChangeCollection, ranked: Ranked) -> list[str]:
    """The ids of all lists of a collection."""
    groups: Iterable[tuple[str, ...]] = ((topic,) for topic in collection.questions)
    if ranked == "documents":
        groups = ((topic, name) for topic, named in collection.questions.items() for name in named)
    return [join_keys(*group, day) for group in groups for day in collection.days]


def collection_of(topics: Any, days: Sequence[str], date_of: Mapping[str, str]) -> ChangeCollection:
    """What runs are checked against; InputError for topics that are not valid, and for too many lists."""
    asked = _questions(topics)
    if (lists := sum(map(len, asked.values())) * len(days)) > _MOST:
        raise InputError(f"days: {len(days):,} days are {lists:,} lists; at most {_MOST:,} can be scored.")
    return ChangeCollection(asked, days, date_of)


def _questions(topics: Any) -> dict[str, list[str]]:
    """The questions by topic."""
    if not isinstance(topics, Mapping):
        path = file_name("topics", topics)
        return {topic: list(asked) for topic, asked in read_change_topics(path, f"topics {path}").items()}
    asked: dict[str, list[str]] = {}
    for topic, questions in topics.items():
        key, place = one_key(topic, "topic", "topics"), f"topics, topic {topic}"
        named = several("topics", questions, "{topic: [question, ...]}")
        asked[key] = [one_key(question, "question", place) for question in named]
        if not named or len({*asked[key]}) < len(named):
            raise InputError(f"{place}: it needs one question or more, each of them once.")
    if not asked:
        raise InputError("topics: there is no topic; at least one is needed.")
    if len(asked) < len(topics):
        raise InputError(f"topics: {len(topics)} topics are only {len(asked)} as text.")
    return asked


def read_days(days: DaysLike) -> tuple[list[str], dict[str, str]]:
    """The days of the collection in their order, and those of its documents where they are given."""
    if isinstance(days, str) and days == RAGTIME1:
        return [day for day in days_between("2021-08-01", "2024-07-31") if day not in _WITHOUT], {}
    if isinstance(days, str) and re.fullmatch(r"[0-9-]+\.\.[0-9-]+|[0-9]{4}-[0-9]{2}-[0-9]{2}", days):
        first, _, last = days.partition("..")
        return days_between(*(one_day(end, f"days {days}") for end in (first, last or first))), {}
    if isinstance(days, str) and not os.path.exists(days):
        raise MissingFileError(f"days {days}: there is no such file, and a range is 2024-01-01..2024-03-31.")
    if isinstance(days, (str, os.PathLike)):
        days = _days_of_file(days)
    if isinstance(days, Mapping):
        date_of = {str(doc): one_day(day, f"days, document {doc}") for doc, day in days.items()}
        chosen = set(date_of.values())
    else:
        date_of, chosen = {}, {one_day(day, "days") for day in several("days", days, "a range, or dates")}
    if not chosen:
        raise InputError("days: there is no day; at least one is needed.")
    return close_days(sorted(chosen), "days"), date_of


def close_days(days: list[str], source: str) -> list[str]:
    """The days; InputError where one is so far from the others that it is probably a mistake."""
    gaps = np.diff(np.array(days, "datetime64[D]")).astype(int)
    if gaps.max(initial=0) > _FAR:
        at = int(gaps.argmax())
        apart = f"{days[at]} and {days[at + 1]} are {gaps[at]:,} days apart, and no day is between them"
        raise InputError(f"{source}: {apart}; name a range as days if both are right.")
    return days


def _days_of_file(path: str | os.PathLike[str]) -> Mapping[str, str] | list[str]:
    """The days of documents, or dates alone."""
    source = f"days {os.fspath(path)}"
    days: dict[str, str] = {}
    widths = set()
    for place, line in numbered_lines(parts(Path(path), source), source):
        fields = decoded(line, f"{place} is").split()
        day = intern(one_day(fields[-1], place))
        widths.add(len(fields))
        if widths not in ({1}, {2}):
            raise InputError(f"{place}: a date, or 'document<TAB>date', is needed on each line.")
        if days.setdefault(fields[0], day) != day:
            raise InputError(f"{place}: document {fields[0]} is of {days[fields[0]]} in a line above.")
    return days if widths == {2} else list(days)


def days_between(first: str, last: str) -> list[str]:
    """All days from the first to the last."""
    if last < first:
        raise InputError(f"days {first}..{last}: the first day comes after the last.")
    days = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + np.timedelta64(1, "D"))
    return days.astype(str).tolist()


AbsentDates = Annotated[Absent, Choice("what a date is that a run does not name")]


def read_all(paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent) -> dict[str, ChangeRun]:
    """The runs with their errors, by the names of their files; a runtag of several is an error of each."""
    read = {n: read_change_run(p, f"run {p}", collection, absent, True) for n, p in paths.items()}
    for name, run in read.items():
        if others := [other for other, each in read.items() if each.tag == run.tag != "" and other != name]:
            run.refuse(f"run {paths[name]}, line 1: runtag {run.tag} is that of {', '.join(others)}, too.")
    return read


@dataclass(frozen=True, eq=False, repr=False)
class ChangeCheck(Result):
    """What is wrong with runs of the track.

    Attributes
    ----------
    against : str
        What they were checked against.
    errors, warnings : dict
        Messages by the name of the run's file; a run with errors is invalid.
    """

    against: str
    errors: Mapping[str, Sequence[str]]
    warnings: Mapping[str, Sequence[str]]

    @property
    def valid(self) -> bool:
        """Whether all runs are."""
        return not any(self.errors.values())

    @property
    def heading(self) -> str:
        """How many runs are valid, and what they were checked against."""
        valid = len(self.errors) - sum(map(bool, self.errors.values()))
        return f"{valid} of {counted(len(self.errors), 'run')} valid, checked against {self.against}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each message, in the columns run, kind ('error' or 'warning') and message."""
        rows = [
            (name, kind, message)
            for name in self.errors
            for kind, messages in (("error", self.errors), ("warning", self.warnings))
            for message in messages[name]
        ]
        return pd.DataFrame(rows, columns=["run", "kind", "message"])

    def __repr__(self) -> str:
        lines = [f"{self.heading}."]
        for name, errors in self.errors.items():
            lines.append(f"{name}: {counted(len(errors), 'error') if errors else 'valid'}")
            lines += [f"  error: {message}" for message in errors]
            lines += [f"  warning: {message}" for message in self.warnings[name]]
        return "\n".join(fitted(line, 4) for line in lines)


@checked
def check_runs(
    topics: Any,
    runs: Any,
    *,
    days: DaysLike | None = None,
    docs: DaysLike | None = None,
    absent: AbsentDates = "error",
) -> ChangeCheck:
    """Check runs by the rules of the track's run checker.

    Parameters
    ----------
    topics : path or dict
        The file of topics, or `{topic: [question, ...]}`.
    runs : path, or several
        Files of runs, or folders of them.
    days : DaysLike, optional
        The days of the collection; by default those of `docs`, and without these RAGTIME1's.
    docs : DaysLike, optional
        The days of documents: a file of lines `document<TAB>date`, or `{document: date}`.
    absent : {'error', 'tied', 'empty'}
        As for `score`.

    Returns
    -------
    ChangeCheck
        Up to 50 errors of each run, and warnings for what is allowed, but probably not meant.

    Raises
    ------
    InputError
        Where topics or days are not valid, or there is no run.

    Examples
    --------
    >>> from ir_trunc import cdet
    >>> cdet.check_runs("topics.jsonl", "my.jsonl", days="2024-01-01..2024-03-31").valid  # doctest: +SKIP
    """
    paths = by_file_name(runs)
    calendars = [read_days(each) for each in (days, docs) if each is not None] or [read_days(RAGTIME1)]
    (chosen, _), (_, date_of) = calendars[0], calendars[-1]
    if docs is not None and not date_of:
        raise InputError("docs: lines 'document<TAB>date', or {document: date}, are needed.")
    collection = collection_of(topics, chosen, date_of)
    read = read_all(paths, collection, absent)
    asked = f"{counted(len(collection.questions), 'topic')} and {counted(len(chosen), 'day')}"
    against = f"{asked} ({chosen[0]} to {chosen[-1]})"
    errors = {name: run.errors for name, run in read.items()}
    return ChangeCheck(against, errors, {name: run.warnings for name, run in read.items()})
