"""Runs of the track are scored by the measures of its guidelines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ir_trunc._compare.compare import compare_scored
from ir_trunc._compare.comparison import Comparison
from ir_trunc._core.errors import InputError, ParameterError, counted, noted, warn
from ir_trunc._core.parameters import Alpha, Choice, checked
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels
from ir_trunc._read.readers.cdet import (
    SEPARATOR,
    Absent,
    ChangeCollection,
    ChangeRun,
    DayRanking,
    join_keys,
    one_day,
)
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Results
from ir_trunc._scoring.runs import by_file_name
from ir_trunc.cdet._collection import (
    KEYS,
    AbsentDates,
    DaysLike,
    Lists,
    Ranked,
    all_lists,
    close_days,
    collection_of,
    days_between,
    lists_of,
    read_all,
    read_days,
)
from ir_trunc.cdet._leaderboard import PERFECT, SILENT, ChangeScores

Terminal = Literal["unit", "least"]
TiedRanks = Literal["expected", "file"]
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
    results, comparisons = {}, {}
    for ranked, gains in grades.items():
        judged = {key: gains.get(key, {}) for key in all_lists(collection, ranked)}
        returned = {tag: lists_of(run, ranked, ties == "expected") for tag, run in valid.items()}
        how: Any = {"order": "score64"}
        if ranked == "questions" and ties == "expected":
            how = {"ties": "expected"}
        with noted(issued=False):  # invalid runs have been refused, and other lists are empty
            ready = Evaluator(named, judged, keys=KEYS[ranked], missing="empty", **how)
            results[ranked], comparisons[ranked] = _compared(ready, judged, returned, tests)
    short = tuple(str(each).partition("(")[0] if measures is None else str(each) for each in named)
    return ChangeScores(convention, results, comparisons, invalid, short)


def _compared(
    ready: Evaluator, judged: Gains, returned: Mapping[str, Lists], tests: Mapping[str, Any]
) -> tuple[dict[str, Results], Comparison]:
    """The results of the runs, of silence and of perfect lists, and the comparison of the runs by rank."""
    ideal = {key: {doc: float(x) for doc, x in gains.items() if x > 0} for key, gains in judged.items()}
    results = {
        name: ready.calc({key: docs for key, docs in lists.items() if key in judged})
        for name, lists in {**returned, SILENT: {}, PERFECT: ideal}.items()
    }
    each, sort = ((tag, results[tag]) for tag in returned), str(ready.measures[0])
    return results, compare_scored(ready, list(returned), each, intervals=True, sort=sort, **tests)


def _valid_runs(
    paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent
) -> tuple[dict[str, ChangeRun], dict[str, list[str]]]:
    """The valid runs by their runtags, and the errors of the others; InputError where no run is valid."""
    valid: dict[str, ChangeRun] = {}
    invalid: dict[str, list[str]] = {}
    for name, run in read_all(paths, collection, absent).items():
        if run.tag in (SILENT, PERFECT):
            place = f"run {paths[name]}, line 1"
            run.refuse(f"{place}: runtag {run.tag} is the name of a row of the table; give it its own.")
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
