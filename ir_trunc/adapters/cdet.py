"""TREC's Change Detection track: runs of its form, and their scores beside silence and perfect lists.

A list of documents belongs to a topic, one of its questions and a day; a list of questions to a topic and a
day. Scored are all questions of all topics on every day of the collection; a list that a run does not name is
empty. Means are taken over the days of a question, over the questions of a topic, and over topics.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError, counted, warn
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import Choice, checked, file_name, several
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels
from ir_trunc._read.readers.cdet import (
    SEPARATOR,
    ChangeRun,
    join_keys,
    one_day,
    one_key,
    read_change_run,
    read_change_topics,
)
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._read.text import contents, decoded, numbered_lines
from ir_trunc._scoring._runs import by_file_name
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Result, Results

__all__ = ["MEASURES", "ChangeScores", "read_lists", "score", "universe"]

MEASURES = "nDCGT(max_rel=10) APT(gain='linear',max_rel=10) RBPT(max_rel=10) RRT(gain='linear')"
"""The measures of the track, whose gains are 0, 1, 5 and 10."""

Ranked = Literal["documents", "questions"]

KEYS: dict[Ranked, tuple[str, ...]] = {
    "documents": ("topic", "question", "day"),
    "questions": ("topic", "day"),
}
"""The keys of a list, by what is in it."""

HIGHEST_GAIN = 10
SILENT, PERFECT = "silent", "perfect"
ALL = "all"

DaysLike = str | os.PathLike[str] | Mapping[str, str] | Iterable[str]
"""The days of a collection: a range `2024-01-01..2024-03-31`, dates, or {document: date}.

Or a file, with a date or `document<TAB>date` on each line.
"""

Judged = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


@dataclass(frozen=True, eq=False, repr=False)
class ChangeScores(Result):
    """Scores of runs of the track, with the rows of the two systems that they are compared with.

    Attributes
    ----------
    table : DataFrame
        A row for each of ranked (documents or questions), topic, question and run; `all` stands for a mean.
        The columns are the numbers of lists, of nil lists and of empty lists of the run, and the measures.
        The run `silent` returns nothing, `perfect` the ideal lists. A row `NAME, skill` holds
        (score - silent) / (perfect - silent), NaN where nothing was to be found.
    """

    table: pd.DataFrame

    @property
    def heading(self) -> str:
        """How many lists are scored, and how many of them are nil."""
        parts = []
        for ranked in KEYS:
            row: Any = self.table.xs((ranked, ALL, ALL, SILENT))
            lists = counted(int(row["lists"]), "list")
            parts.append(f"{lists} of {ranked}, {int(row['nil'])} of them nil")
        return f"Change Detection: {'; '.join(parts)}"

    def to_pandas(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def summary(self) -> pd.DataFrame:
        """The means over all topics."""
        of_all = self.table.index.get_level_values("topic") == ALL
        return self.table[of_all].droplevel(["topic", "question"])


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
    >>> from ir_trunc.adapters import cdet
    >>> run = cdet.read_lists("my.jsonl", "questions")  # doctest: +SKIP
    >>> calc(cdet.MEASURES, qrels, run, keys="topic/day").aggregated  # doctest: +SKIP
    """
    path = file_name("path", path)
    return _lists(read_change_run(path, f"run {path}"), what)


def _lists(run: ChangeRun, what: Ranked) -> Lists:
    lists: Lists = {}
    for each in run.rankings:
        if what == "documents":
            lists[join_keys(each.topic, each.question, each.day)] = dict(zip(each.docs, each.scores))
        else:
            lists.setdefault(join_keys(each.topic, each.day), {})[each.question] = float(-each.rank)
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
    >>> from ir_trunc.adapters import cdet
    >>> cdet.universe({"t1": ["q1"]}, "2024-02-28..2024-03-01")
    ['t1/q1/2024-02-28', 't1/q1/2024-02-29', 't1/q1/2024-03-01']
    """
    return _Collection(_questions(topics), _read_days(days)[0]).lists(what)


@dataclass(frozen=True)
class _Collection:
    """The questions of each topic, and the days."""

    questions: Mapping[str, list[str]]
    days: list[str]

    def lists(self, ranked: Ranked) -> list[str]:
        """The ids of all lists."""
        if ranked == "questions":
            return [join_keys(topic, day) for topic in self.questions for day in self.days]
        asked = [join_keys(topic, question) for topic, named in self.questions.items() for question in named]
        return [join_keys(question, day) for question in asked for day in self.days]

    @cached_property
    def _dates(self) -> frozenset[str]:
        return frozenset(self.days)

    def check(self, topic: str, day: str, place: str) -> None:
        """InputError where there is no such topic or day."""
        if topic not in self.questions:
            raise InputError(f"{place}: the topics have no topic {topic}.")
        if one_day(day, place) not in self._dates:
            ends = f"{self.days[0]} to {self.days[-1]}"
            raise InputError(f"{place}: the collection has no day {day}; it has {ends}.")


def _questions(topics: Any) -> dict[str, list[str]]:
    if not isinstance(topics, Mapping):
        path = file_name("topics", topics)
        return {topic: list(asked) for topic, asked in read_change_topics(path, f"topics {path}").items()}
    asked: dict[str, list[str]] = {}
    for topic, questions in topics.items():
        key, place = one_key(topic, "topic", "topics"), f"topics, topic {topic}"
        named = several("topics", questions, "{topic: [question, ...]}")
        asked[key] = [one_key(question, "question", place) for question in named]
    return asked


def _read_days(days: DaysLike) -> tuple[list[str], dict[str, str]]:
    """The days of the collection in their order, and those of its documents where they are given."""
    if isinstance(days, str) and (ends := re.fullmatch(r"([0-9-]+)\.\.([0-9-]+)", days)):
        return _range(*(one_day(end, f"days {days}") for end in ends.groups())), {}
    if isinstance(days, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", days):
        days = [days]
    if isinstance(days, (str, os.PathLike)):
        days = _days_of_file(days)
    if isinstance(days, Mapping):
        date_of = {str(doc): one_day(day, f"days, document {doc}") for doc, day in days.items()}
        chosen = set(date_of.values())
    else:
        date_of, chosen = {}, {one_day(day, "days") for day in several("days", days, "a range, or dates")}
    if not chosen:
        raise InputError("days: there is no day; at least one is needed.")
    return sorted(chosen), date_of


def _days_of_file(path: str | os.PathLike[str]) -> Mapping[str, str] | list[str]:
    source = f"days {os.fspath(path)}"
    days: dict[str, str] = {}
    widths = set()
    for place, line in numbered_lines(contents(Path(path), source), source):
        fields = decoded(line, f"{place} is").split()
        days[fields[0]] = one_day(fields[-1], place)
        widths.add(len(fields))
        if widths not in ({1}, {2}):
            raise InputError(f"{place}: a date, or 'document<TAB>date', is needed on each line.")
    return days if widths == {2} else list(days)


def _range(first: str, last: str) -> list[str]:
    if last < first:
        raise InputError(f"days {first}..{last}: the first day comes after the last.")
    return np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(str).tolist()


@checked
def score(
    topics: Any,
    qrels: QrelsLike,
    runs: Any,
    *,
    days: DaysLike | None = None,
    question_qrels: QrelsLike | None = None,
    measures: MeasureLike = MEASURES,
) -> ChangeScores:
    """Scores of runs of the track, of silence and of perfect lists.

    Parameters
    ----------
    topics : path or dict
        The file of topics, or `{topic: [question, ...]}`.
    qrels : QrelsLike
        Gains of documents, with the keys topic, question and day; without day where `days` has the dates of
        documents.
    runs : path, or several
        Files of runs, or folders of them.
    days : DaysLike, optional
        The days of the collection. Without it, all days from the first to the last in the qrels, with a
        warning.
    question_qrels : QrelsLike, optional
        Gains of questions, with the keys topic and day. Without it, the gain of a question on a day is the
        highest gain of its documents on that day.
    measures : MeasureLike
        The measures; by default the four of the track.

    Returns
    -------
    ChangeScores

    Raises
    ------
    InputError
        Where a run is not valid, or names a topic, a question or a date that the collection lacks.

    Examples
    --------
    >>> from ir_trunc.adapters import cdet
    >>> cdet.score("topics.jsonl", "my.qrels", "my.jsonl", days="days.txt").summary()  # doctest: +SKIP
    """
    measures = list(read_measures(measures))  # a wrong one is an error before anything is read
    asked, paths = _questions(topics), by_file_name(runs)
    if taken := {SILENT, PERFECT} & set(paths):
        raise InputError(f"run {min(taken)}: a row of the table has this name; rename the file.")
    chosen, date_of = ([], {}) if days is None else _read_days(days)
    documents = _gains(qrels, date_of)
    collection = _Collection(asked, chosen or _days_of(documents))
    if question_qrels is None:
        of_questions = _question_gains(documents)
    else:
        of_questions = _by_key(read_qrels(question_qrels, keys=KEYS["questions"]))
    grades: dict[Ranked, Judged] = {"documents": documents, "questions": of_questions}
    _check_qrels(grades, collection)
    systems: dict[str, ChangeRun] = {}
    for name, path in paths.items():
        systems[name] = read_change_run(path, f"run {path}")
        _check_run(systems[name], f"run {path}", collection, of_questions)
    if question_qrels is None:
        what = "the gain of a question on a day is the highest gain of its documents on that day"
        warn(f"no judgments of questions are given: {what}.")
    tables = []
    for ranked, keys in KEYS.items():
        lists = collection.lists(ranked)
        judged = {key: grades[ranked].get(key, {}) for key in lists}
        ready = Evaluator(measures, judged, keys=keys)
        ideal = {key: {doc: gain for doc, gain in gains.items() if gain > 0} for key, gains in judged.items()}
        returned: dict[str, Any] = {SILENT: {}, PERFECT: ideal}
        returned |= {name: _lists(run, ranked) for name, run in systems.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid run has been refused, and other lists are empty
            complete = {name: {key: run.get(key, {}) for key in lists} for name, run in returned.items()}
            results = {name: ready.calc(run) for name, run in complete.items()}
        tables.append(_table(ranked, results))
    return ChangeScores(pd.concat(tables))


def _by_key(qrels: Qrels) -> Judged:
    """{id: {document: grade}}."""
    judged = qrels.to_dict().items()
    return {key: {doc: x for doc, x in grades.items() if doc != PLACEHOLDER} for key, grades in judged}


def _gains(qrels: QrelsLike, date_of: Mapping[str, str]) -> Judged:
    """The gains of documents by topic, question and day, with the days of documents where qrels have none."""
    try:
        return _by_key(read_qrels(qrels, keys=KEYS["documents"]))
    except InputError:
        if not date_of:
            raise
    gains: Judged = {}
    for key, grades in _by_key(read_qrels(qrels, keys=("topic", "question"))).items():
        for doc, grade in grades.items():
            if doc not in date_of:
                raise InputError(f"qrels, topic {key}, document {doc}: the days have no date for it.")
            gains.setdefault(join_keys(key, date_of[doc]), {})[doc] = grade
    return gains


def _days_of(gains: Judged) -> list[str]:
    """All days from the first to the last in the qrels."""
    days = sorted(one_day(key.rpartition(SEPARATOR)[2], f"qrels, topic {key}") for key in gains)
    what = f"the collection is taken to have all days from {days[0]} to {days[-1]}"
    warn(f"no days are given: {what}, the first and the last in the qrels.")
    return _range(days[0], days[-1])


def _check_qrels(grades: Mapping[Ranked, Judged], collection: _Collection) -> None:
    """InputError for another topic or day; warnings for other questions and for gains beyond the scale."""
    others: set[str] = set()
    for ranked, gains in grades.items():
        for key, judged in gains.items():
            topic, *question, day = key.split(SEPARATOR)
            collection.check(topic, day, f"qrels of {ranked}, topic {key}")
            if question and question[0] not in collection.questions[topic]:
                others.add(join_keys(topic, question[0]))
            if (highest := max(judged.values(), default=0)) > HIGHEST_GAIN:
                scale = f"the highest gain of the track is {HIGHEST_GAIN}"
                raise InputError(f"qrels of {ranked}, topic {key}: gain {highest}; {scale}.")
    if others:
        warn(
            f"qrels: ignored {counted(len(others), 'question')} that the topics do not have (for example"
            f" {min(others)}). Their documents are not scored; they count in the ranking of questions."
        )


def _question_gains(gains: Judged) -> Judged:
    """The highest gain of a document, by question, topic and day."""
    highest: Judged = {}
    for key, grades in gains.items():
        topic, question, day = key.split(SEPARATOR)
        highest.setdefault(join_keys(topic, day), {})[question] = max(grades.values(), default=0)
    return highest


def _check_run(run: ChangeRun, source: str, collection: _Collection, question_gains: Judged) -> None:
    """InputError where a run names another topic, question or day; a warning for questions of its own."""
    proposed = []
    for each in run.rankings:
        collection.check(each.topic, each.day, each.place)
        if each.question in collection.questions[each.topic]:
            continue
        if not each.question.startswith(run.tag):
            rule = f"a question that the run proposes begins with its runtag {run.tag}"
            raise InputError(f"{each.place}: topic {each.topic} has no question {each.question}; {rule}.")
        if each.question not in question_gains.get(join_keys(each.topic, each.day), {}):
            proposed.append(each)
    if proposed:
        names = {(each.topic, each.question) for each in proposed}
        warn(
            f"{source}: {counted(len(names), 'question')} of its own without judgments (for example"
            f" {proposed[0].question}), ranked {counted(len(proposed), 'time')}. Their documents are not"
            " scored; in the ranking of questions they count as irrelevant."
        )


def _table(ranked: Ranked, results: Mapping[str, Results]) -> pd.DataFrame:
    """The scores and skills of all systems: of each question, of each topic and of all."""
    tables = {name: _nested_means(KEYS[ranked], result) for name, result in results.items()}
    measures = tables[SILENT].columns[3:]
    silent, perfect = tables[SILENT][measures], tables[PERFECT][measures]
    for name in [name for name in tables if name not in (SILENT, PERFECT)]:
        scores = tables[name][measures]
        skill = ((scores - silent) / (perfect - silent)).where(perfect != silent)
        tables[f"{name}, skill"] = tables[name].assign(**skill)
    table = pd.concat({(ranked, name): each for name, each in tables.items()}, names=["ranked", "run"])
    by_group = np.arange(len(table)).reshape(len(tables), -1).T.ravel()
    return table.reorder_levels(["ranked", "topic", "question", "run"]).iloc[by_group]


def _nested_means(keys: tuple[str, ...], results: Results) -> pd.DataFrame:
    """The numbers of lists and the means for each group of lists, with `all` for keys that it lacks."""
    lists = pd.MultiIndex.from_tuples([(*topic.split(SEPARATOR),) for topic in results.topics], names=keys)
    empty = results.rankings.lengths == 0
    counts = pd.DataFrame({"lists": 1, "nil": results.nil.astype(int), "empty": empty.astype(int)}, lists)
    means = {str(measure): value for measure, value in results.aggregated.items()}
    tables = []
    for depth in range(len(keys) - 1, 0, -1):
        table = counts.groupby(level=list(keys[:depth]), sort=False).sum().join(results.by(keys[depth - 1]))
        groups = table.index.to_frame().reindex(columns=["topic", "question"], fill_value=ALL)
        tables.append(table.set_index(pd.MultiIndex.from_frame(groups)))
    whole = pd.MultiIndex.from_tuples([(ALL, ALL)], names=["topic", "question"])
    return pd.concat([*tables, counts.sum().to_frame().T.assign(**means).set_index(whole)])
