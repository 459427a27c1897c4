"""Runs of the track are checked against its collection, and scored by the measures of its guidelines.

What is scored are lists of all questions, or topics, on all days of the collection.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._compare import Comparison, compare_scored
from ir_trunc._core.errors import InputError, MissingFileError, ParameterError, counted, noted, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Alpha, Choice, checked, file_name, several
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels
from ir_trunc._read.readers.cdet import (
    SEPARATOR,
    Absent,
    ChangeCollection,
    ChangeRun,
    DayRanking,
    join_keys,
    one_day,
    one_key,
    read_change_run,
    read_change_topics,
)
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._read.text import decoded, numbered_lines, parts
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Result, Results
from ir_trunc._scoring.runs import by_file_name
from ir_trunc.cdet._leaderboard import KEYS, PERFECT, SILENT, ChangeScores, Ranked

AbsentDates = Annotated[Absent, Choice("what a date is that a run does not name")]
Terminal = Literal["unit", "least"]
TiedRanks = Literal["expected", "file"]
Lists = dict[str, dict[str, float]]
Gains = dict[str, dict[str, int]]

SCALE = (0, 1, 5, 10)  # of gains

MEASURES: Mapping[Terminal, str] = {
    "unit": "nDCGT(terminal='unit') APT(gain='linear',terminal='unit')"
    " RBPT(p=0.5,gain='raw',terminal='unit',norm='none') RRT",
    "least": "nDCGT APT(gain='linear') RBPT(p=0.5) RRT",
}
"""The measures of the track, by what the end of a list is worth: literally one unit, or the least gain."""

CONVENTIONS: Mapping[Terminal, str] = {
    "unit": "Literal convention (grades as gains, end worth one unit, p = .5, RR binary)",
    "least": "Bounded convention (end worth the topic's least gain, p = .5, RR binary)",
}

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


def read_all(paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent) -> dict[str, ChangeRun]:
    """The runs with their errors, by the names of their files; a runtag of several is an error of each."""
    read = {n: read_change_run(p, f"run {p}", collection, absent, True) for n, p in paths.items()}
    for name, run in read.items():
        tag = f"run {paths[name]}, line 1: runtag {run.tag} is"
        if run.tag in (SILENT, PERFECT):
            run.refuse(f"{tag} the name of a row of the table; give it its own.")
        if others := [other for other, each in read.items() if each.tag == run.tag != "" and other != name]:
            run.refuse(f"{tag} that of {', '.join(others)}, too.")
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
        Up to 50 errors of each run, where those of one cause are one error with a count; and warnings for
        what is allowed, but probably not meant.

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


@checked
def score(
    topics: Any,
    qrels: QrelsLike,
    runs: Any,
    *,
    days: DaysLike | None = None,
    question_qrels: QrelsLike | None = None,
    measures: MeasureLike | None = None,
    terminal: Annotated[Terminal, Choice("what the end of a list is worth")] = "unit",
    ties: Annotated[TiedRanks, Choice("what decides equal question-ranks")] = "expected",
    absent: AbsentDates = "error",
    baseline: str | None = None,
    test: str = "t",
    correction: Any = "auto",
    alpha: Alpha = 0.05,
) -> ChangeScores:
    """Score runs of the track beside silence and perfect lists, with intervals and tests by topic.

    Of several runs, those that are not valid are left out, with a warning. Documents are in the order of
    their scores in double precision.

    Parameters
    ----------
    topics : path or dict
        The file of topics, or `{topic: [question, ...]}`.
    qrels : QrelsLike
        Gains of documents, with the keys topic, question and day; without day where `days` has the dates of
        documents.
    runs : path, or several
        Files of runs, or folders of them. A run is named by its runtag.
    days : DaysLike, optional
        The days of the collection. Without it, all days from the first to the last in the qrels, with a
        warning.
    question_qrels : QrelsLike, optional
        Gains of questions, with the keys topic and day. Without it, the gain of a question on a day is the
        highest gain of its documents on that day.
    measures : MeasureLike, optional
        In place of the four of the track.
    terminal : {'unit', 'least'}
        What the end of a list is worth to these four: one unit of the grades, which are then the gains of
        RBPT, or the topic's least gain, with values of at most 1.
    ties : {'expected', 'file'}
        Questions with the same question-rank: the mean over all of their orders, or the order of the file.
    absent : {'error', 'tied', 'empty'}
        A date of the collection or a topic that a run does not name: an error, all questions that are known
        by then, those that the run proposed included, at the same rank without documents, or silence.
    baseline, test, correction, alpha
        As for `ir_trunc.compare`.

    Returns
    -------
    ChangeScores

    Raises
    ------
    InputError
        Where no run is valid, or qrels name a topic or a date that the collection
        lacks.

    Examples
    --------
    >>> from ir_trunc import cdet
    >>> cdet.score("topics.jsonl", "my.qrels", "my.jsonl", days="days.txt").to_pandas()  # doctest: +SKIP
    """
    if measures is not None and terminal != "unit":
        raise ParameterError("terminal is for the track's measures: write it inside of your own.")
    # a wrong one is an error before anything is read
    named = list(read_measures(MEASURES[terminal] if measures is None else measures))
    paths = by_file_name(runs)
    chosen, date_of = ([], {}) if days is None else read_days(days)
    documents = _gains(qrels, date_of)
    collection = collection_of(topics, chosen or _days_of(documents), date_of)
    convention = CONVENTIONS[terminal] if measures is None else "Measures as named"
    if question_qrels is None:
        of_questions = _highest_gains(documents)
        convention += "; a question's gain is the highest of its documents that day"
    else:
        of_questions = _by_key(read_qrels(question_qrels, keys=KEYS["questions"]))
    grades: dict[Ranked, Gains] = {"documents": documents, "questions": of_questions}
    _check_gains(grades, collection)
    valid, invalid = _valid_runs(paths, collection, absent)
    for run in valid.values():
        _warn_about_proposals(run, collection, of_questions)
    if absent != "error":
        convention += f"; dates that a run does not name are {'tied' if absent == 'tied' else 'silence'}"
    tests: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction, "alpha": alpha}
    results, comparisons = dict[Ranked, dict[str, Results]](), dict[Ranked, Comparison]()
    for ranked, gains in grades.items():
        judged = {key: gains.get(key, {}) for key in all_lists(collection, ranked)}
        ideal = {key: {doc: float(x) for doc, x in of.items() if x > 0} for key, of in judged.items()}
        returned = {tag: lists_of(run, ranked, ties == "expected") for tag, run in valid.items()}
        how: Any = {"order": "score64"}
        if ranked == "questions" and ties == "expected":
            how = {"ties": "expected"}
        with noted(issued=False):  # invalid runs have been refused, and other lists are empty
            ready = Evaluator(named, judged, keys=KEYS[ranked], missing="empty", **how)
            results[ranked] = of_all = {
                name: ready.calc({key: docs for key, docs in lists.items() if key in judged})
                for name, lists in {**returned, SILENT: {}, PERFECT: ideal}.items()
            }
            each, sort = ((tag, of_all[tag]) for tag in returned), str(ready.measures[0])
            comparisons[ranked] = compare_scored(
                ready, list(returned), each, intervals=True, sort=sort, **tests
            )
    short = tuple(str(each).partition("(")[0] if measures is None else str(each) for each in named)
    return ChangeScores(convention, results, comparisons, invalid, short)


def _valid_runs(
    paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent
) -> tuple[dict[str, ChangeRun], dict[str, list[str]]]:
    """The valid runs by their runtags, and the errors of the others; InputError where no run is valid."""
    valid: dict[str, ChangeRun] = {}
    invalid: dict[str, list[str]] = {}
    for name, run in read_all(paths, collection, absent).items():
        if run.errors:
            invalid[name] = run.errors
            continue
        if absent == "tied":
            run.rankings += _ties(run, collection, str(paths[name]))
        valid[run.tag] = run
    for name, errors in invalid.items():
        more = f" ({counted(len(errors), 'error')}; `ir_trunc cdet check` lists them)"
        if not valid:
            raise InputError(f"{errors[0]}{more}" if len(errors) > 1 else errors[0])
        warn(f"run {name} is not valid, and not scored: {errors[0]}{more}")
    return valid, invalid


def _ties(run: ChangeRun, collection: ChangeCollection, path: str) -> list[DayRanking]:
    """For dates that a run does not name: all questions that are known there at rank 0, without documents.

    Known are those of the topic, and those that the run itself proposed on an earlier day.
    """
    proposed: dict[str, dict[str, str]] = {}
    for each in sorted(run.rankings, key=lambda each: each.day):
        if each.question not in collection.questions[each.topic]:
            proposed.setdefault(each.topic, {}).setdefault(each.question, each.day)
    return [
        DayRanking(path, topic, day, question, 0, {})
        for topic, asked in collection.questions.items()
        for day in collection.dates.difference(run.named.get(topic, ()))
        for question in (*asked, *(q for q, first in proposed.get(topic, {}).items() if first < day))
    ]


def _gains(qrels: QrelsLike, date_of: Mapping[str, str]) -> Gains:
    """The gains of documents by topic, question and day, with the days of documents where qrels have none."""
    try:
        return _by_key(read_qrels(qrels, keys=KEYS["documents"]))
    except InputError as error:
        if not date_of:
            raise
        try:
            by_question = _by_key(read_qrels(qrels, keys=("topic", "question")))
        except InputError:
            raise error from None
    gains: Gains = {}
    for key, grades in by_question.items():
        for doc, grade in grades.items():
            if doc not in date_of:
                raise InputError(f"qrels, topic {key}, document {doc}: the days have no date for it.")
            gains.setdefault(join_keys(key, date_of[doc]), {})[doc] = grade
    return gains


def _days_of(gains: Gains) -> list[str]:
    """All days from the first to the last in the qrels."""
    named = {one_day(key.rpartition(SEPARATOR)[2], f"qrels, topic {key}") for key in gains}
    days = close_days(sorted(named), "qrels")
    what = f"the collection is taken to have all days from {days[0]} to {days[-1]}"
    warn(f"no days are given: {what}, the first and the last in the qrels.")
    return days_between(days[0], days[-1])


def _highest_gains(gains: Gains) -> Gains:
    """The highest gain of a document, by question, topic and day."""
    highest: Gains = {}
    for key, grades in gains.items():
        topic, question, day = key.split(SEPARATOR)
        highest.setdefault(join_keys(topic, day), {})[question] = max(grades.values(), default=0)
    return highest


def _by_key(qrels: Qrels) -> Gains:
    """{id: {document: grade}}."""
    judged = qrels.to_dict().items()
    return {key: {doc: x for doc, x in grades.items() if doc != PLACEHOLDER} for key, grades in judged}


def _check_gains(grades: Mapping[Ranked, Gains], collection: ChangeCollection) -> None:
    """InputError for another topic or day and for gains beyond the scale; warnings for what is unusual."""
    others, gains = set[str](), set[int]()
    date_of = collection.date_of
    for ranked, each in grades.items():
        for key, judged in each.items():
            topic, *question, day = key.split(SEPARATOR)
            place = f"qrels of {ranked}, topic {key}"
            collection.check(topic, day, place)
            relevant = [name for name, gain in judged.items() if gain > 0]
            known = collection.questions[topic]
            others |= {join_keys(topic, name) for name in question or relevant if name not in known}
            highest = max(judged.values(), default=0)
            if highest > SCALE[-1]:
                raise InputError(f"{place}: gain {highest}; the highest gain of the track is {SCALE[-1]}.")
            gains |= {*judged.values()}
            for doc in relevant if question and date_of else ():
                if date_of.get(doc) != day:
                    what = f"it is of {date_of[doc]}" if doc in date_of else "the days have no date for it"
                    raise InputError(f"{place}, document {doc}: {what}.")
    if others:
        warn(
            f"qrels: ignored {counted(len(others), 'question')} that the topics do not have (for example"
            f" {min(others)}). Their documents are not scored; they count in the ranking of questions."
        )
    odd, scale = (", ".join(map(str, each)) for each in (sorted(gains.difference(SCALE)), SCALE))
    if odd:
        warn(f"qrels: gains {odd} are not of the track's scale {scale}.")


def _warn_about_proposals(run: ChangeRun, collection: ChangeCollection, question_gains: Gains) -> None:
    """A warning for questions of the run's own that nobody judged."""
    proposed = [
        each
        for each in run.rankings
        if each.question not in collection.questions[each.topic]
        and each.question not in question_gains.get(join_keys(each.topic, each.day), {})
    ]
    if proposed:
        names = {(each.topic, each.question) for each in proposed}
        warn(
            f"run {run.tag}: {counted(len(names), 'question')} of its own without judgments (for example"
            f" {proposed[0].question}), ranked {counted(len(proposed), 'time')}. Their documents are not"
            " scored; in the ranking of questions they count as irrelevant."
        )
