"""TREC's Change Detection track: runs of its form are checked, and scored beside silence and perfect lists.

A list of documents belongs to a topic, one of its questions and a day; a list of questions to a topic and a
day. Scored are all questions of all topics on every day of the collection; a list that a run does not name is
empty. Means are taken over the days of a question, over the questions of a topic, and over topics.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, counted, noted, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Alpha, Choice, checked, file_name, one_of, several, text
from ir_trunc._core.rankings import Floats
from ir_trunc._output.files import Target, write_text
from ir_trunc._output.tables import Cell, MarkedTable, fitted
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
from ir_trunc._reporting.compare import compare_scored
from ir_trunc._reporting.comparison import Comparison
from ir_trunc._scoring._runs import by_file_name
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Result, Results
from ir_trunc.measures.declaration import oriented
from ir_trunc.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MEASURES", "ChangeCheck", "ChangeScores", "check_runs", "read_lists", "score", "universe"]

Ranked = Literal["documents", "questions"]
Terminal = Literal["unit", "least"]
TiedRanks = Literal["expected", "file"]
AbsentDates = Annotated[Absent, Choice("what a date is that a run does not name")]

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

KEYS: dict[Ranked, tuple[str, ...]] = {
    "documents": ("topic", "question", "day"),
    "questions": ("topic", "day"),
}
"""The keys of a list, by what is in it."""

HIGHEST_GAIN = 10
SILENT, PERFECT = "silent", "perfect"
RAGTIME1 = "ragtime1"
_WITHOUT = ("2023-10-24", "2023-10-25", "2023-10-26")  # days that RAGTIME1 lacks
_FAR = 366  # days between two neighbours of a collection, more than which are a mistake
_MOST = 20_000_000  # lists that are scored
_SIGNS = np.array(["·", "✕", "○", "●"])  # of a day: silence without news, false alarm, missed news, reported

DaysLike = str | os.PathLike[str] | Mapping[str, str] | Iterable[str]
"""The days of a collection: `ragtime1`, a range `2024-01-01..2024-03-31`, dates, or {document: date}.

Or a file, with a date or `document<TAB>date` on each line.
"""

Judged = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


@dataclass(frozen=True, eq=False, repr=False)
class ChangeScores(Result):
    """A leaderboard of runs of the track, for lists of documents and for lists of questions.

    It prints as two tables with a row for each run, the best first. `to_pandas` has their numbers, `by` the
    means by topic, question or day, `calendar` the days on which runs reported, `plot` draws the leaderboard,
    and `to_latex`, `to_markdown` and `to_html` are tables for a paper or a page.

    Attributes
    ----------
    convention : str
        What the measures take the end of a list to be worth, and what was assumed.
    results : dict
        By 'documents' and 'questions' the Results of each run, of `silent`, which returns nothing, and of
        `perfect`, which returns the ideal lists.
    comparisons : dict
        By the same the Comparison of the runs: means by topic with intervals, and tests by topic.
    invalid : dict
        The errors of runs that are not scored, by the names of their files.
    short : tuple of str
        What the measures are called in tables.
    """

    convention: str
    results: Mapping[Ranked, Mapping[str, Results]]
    comparisons: Mapping[Ranked, Comparison]
    invalid: Mapping[str, Sequence[str]]
    short: tuple[str, ...]

    @property
    def heading(self) -> str:
        """The convention, and how many lists are scored, and how many of them are nil."""
        nil = {ranked: results[SILENT].nil for ranked, results in self.results.items()}
        lists = (f"{counted(len(of), 'list')} of {what}, {of.sum()} of them nil" for what, of in nil.items())
        return f"{self.convention}. Change Detection: {'; '.join(lists)}"

    def to_pandas(self) -> pd.DataFrame:
        """The leaderboard: a row for each of documents and questions, and run.

        For each measure its mean, the interval of the mean by topic, the skill (score - silent) / (perfect -
        silent), and the mean over days with something to find; then the share of the other days on which the
        list is empty.
        """
        return pd.concat({ranked: self._board(ranked) for ranked in KEYS}, names=["ranked"])

    def _board(self, ranked: Ranked) -> pd.DataFrame:
        comparison, results = self.comparisons[ranked], self.results[ranked]
        names, nil = self._names(ranked), results[SILENT].nil
        means, news = (
            np.array([each.means() for each in of])
            for of in zip(*((results[name], results[name].over(~nil)) for name in names))
        )
        bounds = comparison.mean_low, comparison.mean_high
        low, high = (np.pad(of.T, [(0, 2), (0, 0)], constant_values=np.nan) for of in bounds)
        parts = {"": means, " low": low, " high": high, " skill": _skill(means), " with news": news}
        columns: dict[str, Any] = {
            f"{measure}{part}": values[:, at]
            for at, measure in enumerate(self.short)
            for part, values in parts.items()
        }
        columns["right silence"] = [_right_silence(results[name], nil) for name in names]
        return pd.DataFrame(columns, pd.Index(names, name="run"))

    def _names(self, ranked: Ranked) -> list[str]:
        """The rows of a table: the runs, the best first, and the two systems that are none."""
        return [*self.comparisons[ranked].systems, SILENT, PERFECT]

    def by(self, key: Literal["topic", "question", "day"]) -> pd.DataFrame:
        """Means for each topic, question or day, of each run: a column for each measure and for its skill.

        Parameters
        ----------
        key : {'topic', 'question', 'day'}
            Lists of questions have no means by question.

        Returns
        -------
        DataFrame
            Indexed by ranked, the keys down to this one, and run.
        """
        one_of("key", key, KEYS["documents"])
        outer = KEYS["documents"][: KEYS["documents"].index(key) + 1]
        columns = [*self.short, *(f"{measure} skill" for measure in self.short)]
        tables = []
        for ranked, results in self.results.items():
            if key not in KEYS[ranked]:
                continue
            names = self._names(ranked)
            means = [results[name].by(key) for name in names]
            groups = means[0].index.to_frame(index=False).reindex(columns=list(outer), fill_value="")
            table = groups.loc[groups.index.repeat(len(names))].reset_index(drop=True)
            values = np.stack(means)  # runs x groups x measures
            cells = np.concatenate([values, _skill(values)], axis=2).swapaxes(0, 1)
            table[columns] = cells.reshape(len(table), -1)
            tables.append(table.assign(ranked=ranked, run=names * len(groups)))
        return pd.concat(tables).set_index(["ranked", *outer, "run"])

    def calendar(self, topic: str) -> pd.DataFrame:
        """Days of a topic by runs: whether a run reported a question, and first whether there was `news`.

        Parameters
        ----------
        topic : str
            The id of the topic.

        Returns
        -------
        DataFrame
            Of True and False, for `ir_trunc.plots.calendar`.
        """
        results = self.results["questions"]
        keys = pd.MultiIndex.from_tuples([tuple(key.split(SEPARATOR)) for key in results[SILENT].topics])
        if text("topic", topic) not in keys.levels[0]:
            raise InputError(f"topic {topic}: the topics have no topic {topic}.")
        runs = self.comparisons["questions"].systems
        reported = {name: results[name].rankings.lengths > 0 for name in runs}
        table = pd.DataFrame({"news": ~results[SILENT].nil, **reported}, keys)
        return table.loc[[topic]].droplevel(0).rename_axis(index=topic)

    def pairs(self) -> pd.DataFrame:
        """The tests by topic, a row for each of ranked, measure and pair of runs; see `Comparison.pairs`."""
        tables = {ranked: comparison.pairs() for ranked, comparison in self.comparisons.items()}
        return pd.concat(tables, names=["ranked"]).reset_index("ranked").reset_index(drop=True)

    def plot(self, ax: Axes | None = None, ranked: Ranked = "documents") -> Axes:
        """Mean scores of the runs with their intervals, as `ir_trunc.plots.scores` draws them.

        Parameters
        ----------
        ax : Axes, optional
        ranked : {'documents', 'questions'}

        Returns
        -------
        Axes
        """
        from ir_trunc import plots

        one_of("ranked", ranked, KEYS)
        ax = plots.scores(self._shortened(self.comparisons[ranked]), ax)
        ax.set_title(f"lists of {ranked}\n{self.convention.partition('; ')[0]}", fontsize="small")
        return ax

    def _shortened(self, comparison: Comparison) -> Comparison:
        """The comparison with short names of measures."""
        names = dict(zip(comparison.measures, self.short))
        untested = {names[name]: why for name, why in comparison.untested.items()}
        return replace(comparison, measures=self.short, untested=untested)

    def _tables(self, digits: int, heading: str = "") -> list[MarkedTable]:
        """Two tables of documents and two of questions: means with tests, and what stands beside them.

        heading: what stands above them; without it, the first caption names the convention.
        """
        tables: list[MarkedTable] = []
        for ranked, comparison in self.comparisons.items():
            convention = "" if heading or tables else f"{self.convention}. "
            table, board = self._shortened(comparison).marked(digits), self._board(ranked)
            values = board.map(lambda value: Cell("-" if np.isnan(value) else f"{value:.{digits}f}"))
            kinds = (" skill", " with news", "right silence")
            more = [name for kind in kinds for name in map(str, board) if name.endswith(kind)]
            rows = list(board.index)
            scores = replace(
                table,
                caption=f"{convention}Lists of {ranked}: {table.caption}",
                letters=[*table.letters, *"  " * bool(table.letters)],
                rows=rows,
                cells=[*table.cells, *values[list(self.short)].to_numpy()[-2:].tolist()],
                warnings=(),
            )
            caption = (
                f"Lists of {ranked}: skill, (mean - silent) / (perfect - silent); the mean over days with"
                " something to find; and the share of the other days on which the list is empty"
            )
            beside = MarkedTable(caption, (), rows, more, values[more].to_numpy().tolist(), best="", notes=())
            tables += [scores, beside]
        return tables

    def _text(self, digits: int) -> str:
        tables = [table.text() for table in self._tables(digits)]
        left = [
            f"Not scored, since it is invalid: {name} ({counted(len(of), 'error')})."
            for name, of in self.invalid.items()
        ]
        return "\n\n".join([*tables, *map(fitted, left)])

    def to_latex(self, label: str = "", digits: int = 4) -> str:
        r"""Tables for booktabs and graphicx, two of documents and two of questions.

        Parameters
        ----------
        label
            For `\ref`, with a number behind it; "" for none.
        digits
            Decimal places.
        """
        tables = enumerate(self._tables(digits), 1)
        return "\n".join(table.latex(f"{label}-{number}" if label else "") for number, table in tables)

    def to_markdown(self, digits: int = 4) -> str:
        """Tables in GitHub's Markdown, and paragraphs that explain their marks."""
        return "\n".join(table.markdown() for table in self._tables(digits))

    def to_html(self, digits: int = 4) -> str:
        """Table elements with captions and headings, and paragraphs that explain their marks."""
        return "\n".join(table.html() for table in self._tables(digits))

    def _repr_html_(self) -> str:
        return self.to_html()

    def page(self, path: Target | None = None, title: str = "Change Detection", command: str = "") -> str:
        """Write one HTML page with the leaderboard and a calendar of each topic.

        Parameters
        ----------
        path : path, optional
            Where to write the page.
        title, command : str
            Its heading, and what it was made by.

        Returns
        -------
        str
            The page.
        """
        from ir_trunc._reporting.report import template

        calendars = []
        for topic in self.results["questions"][SILENT].by("topic").index:
            table = self.calendar(topic)
            news = table["news"].to_numpy(int)
            lines = [(str(run), "".join(_SIGNS[2 * news + reported])) for run, reported in table.items()]
            lines[0] = ("news", "".join(_SIGNS[3 * news]))
            calendars.append((topic, list(table.index), lines))
        page: str = template("change_detection.html")(
            title=text("title", title),
            heading=self.heading,
            tables=[table.html() for table in self._tables(4, self.heading)],
            invalid=self.invalid,
            calendars=calendars,
            command=text("command", command),
            version=__version__,
            made=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        )
        if path is not None:
            write_text(path, [page])
        return page


def _skill(scores: Floats) -> Floats:
    """(score - silent) / (perfect - silent) of systems (S x ...), of which these two are the last."""
    silent, room = scores[-2], scores[-1] - scores[-2]
    skill: Floats = np.divide(scores - silent, room, out=np.full(scores.shape, np.nan), where=room != 0)
    return skill


def _right_silence(results: Results, nil: Any) -> float:
    """The nested mean share of the nil lists that are empty."""
    if not nil.any():
        return np.nan
    quiet = results.over(nil)
    return float(quiet.means_of_units((quiet.rankings.lengths == 0).astype(float)[None])[1].mean())


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
    >>> calc(cdet.MEASURES["unit"], qrels, run, keys="topic/day").aggregated  # doctest: +SKIP
    """
    path = file_name("path", path)
    return _lists(read_change_run(path, f"run {path}"), what)


def _lists(run: ChangeRun, what: Ranked, tied: bool = True) -> Lists:
    """tied=False: questions of the same rank are in the order of the file."""
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
    >>> from ir_trunc.adapters import cdet
    >>> cdet.universe({"t1": ["q1"]}, "2024-02-28..2024-03-01")
    ['t1/q1/2024-02-28', 't1/q1/2024-02-29', 't1/q1/2024-03-01']
    """
    return _all_lists(_collection(topics, *_read_days(days)), what)


def _all_lists(collection: ChangeCollection, ranked: Ranked) -> list[str]:
    """The ids of all lists of a collection."""
    groups: Iterable[tuple[str, ...]] = ((topic,) for topic in collection.questions)
    if ranked == "documents":
        groups = ((topic, name) for topic, named in collection.questions.items() for name in named)
    return [join_keys(*group, day) for group in groups for day in collection.days]


def _collection(topics: Any, days: Sequence[str], date_of: Mapping[str, str]) -> ChangeCollection:
    asked = _questions(topics)
    if (lists := sum(map(len, asked.values())) * len(days)) > _MOST:
        raise InputError(f"days: {len(days):,} days are {lists:,} lists; at most {_MOST:,} can be scored.")
    return ChangeCollection(asked, days, date_of)


def _questions(topics: Any) -> dict[str, list[str]]:
    if not isinstance(topics, Mapping):
        path = file_name("topics", topics)
        return {topic: list(asked) for topic, asked in read_change_topics(path, f"topics {path}").items()}
    asked: dict[str, list[str]] = {}
    for topic, questions in topics.items():
        key, place = one_key(topic, "topic", "topics"), f"topics, topic {topic}"
        named = several("topics", questions, "{topic: [question, ...]}")
        asked[key] = [one_key(question, "question", place) for question in named]
    if not asked:
        raise InputError("topics: there is no topic; at least one is needed.")
    return asked


def _read_days(days: DaysLike) -> tuple[list[str], dict[str, str]]:
    """The days of the collection in their order, and those of its documents where they are given."""
    if isinstance(days, str) and days == RAGTIME1:
        return [day for day in _range("2021-08-01", "2024-07-31") if day not in _WITHOUT], {}
    if isinstance(days, str) and re.fullmatch(r"[0-9-]+\.\.[0-9-]+|[0-9]{4}-[0-9]{2}-[0-9]{2}", days):
        first, _, last = days.partition("..")
        return _range(*(one_day(end, f"days {days}") for end in (first, last or first))), {}
    if isinstance(days, (str, os.PathLike)):
        days = _days_of_file(days)
    if isinstance(days, Mapping):
        date_of = {str(doc): one_day(day, f"days, document {doc}") for doc, day in days.items()}
        chosen = set(date_of.values())
    else:
        date_of, chosen = {}, {one_day(day, "days") for day in several("days", days, "a range, or dates")}
    if not chosen:
        raise InputError("days: there is no day; at least one is needed.")
    return _near(sorted(chosen), "days"), date_of


def _near(days: list[str], source: str) -> list[str]:
    """The days; InputError where one is so far from the others that it is probably a mistake."""
    gaps = np.diff(np.array(days, "datetime64[D]")).astype(int)
    if gaps.max(initial=0) > _FAR:
        at = int(gaps.argmax())
        apart = f"{days[at]} and {days[at + 1]} are {gaps[at]:,} days apart, and no day is between them"
        raise InputError(f"{source}: {apart}; name a range as days if both are right.")
    return days


def _days_of_file(path: str | os.PathLike[str]) -> Mapping[str, str] | list[str]:
    source = f"days {os.fspath(path)}"
    days: dict[str, str] = {}
    widths = set()
    for place, line in numbered_lines(parts(Path(path), source), source):
        fields = decoded(line, f"{place} is").split()
        days[fields[0]] = intern(one_day(fields[-1], place))
        widths.add(len(fields))
        if widths not in ({1}, {2}):
            raise InputError(f"{place}: a date, or 'document<TAB>date', is needed on each line.")
    return days if widths == {2} else list(days)


def _range(first: str, last: str) -> list[str]:
    if last < first:
        raise InputError(f"days {first}..{last}: the first day comes after the last.")
    days = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + np.timedelta64(1, "D"))
    return days.astype(str).tolist()


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
    >>> from ir_trunc.adapters import cdet
    >>> cdet.check_runs("topics.jsonl", "my.jsonl", days="2024-01-01..2024-03-31").valid  # doctest: +SKIP
    """
    paths = by_file_name(runs)
    given = [_read_days(each) for each in (days, docs) if each is not None] or [_read_days(RAGTIME1)]
    (chosen, _), (_, date_of) = given[0], given[-1]
    if docs is not None and not date_of:
        raise InputError("docs: lines 'document<TAB>date', or {document: date}, are needed.")
    collection = _collection(topics, chosen, date_of)
    read = {
        name: read_change_run(path, f"run {path}", collection, absent, True) for name, path in paths.items()
    }
    owners: dict[str, str] = {}
    for name, run in read.items():
        if run.tag and (other := owners.setdefault(run.tag, name)) != name:
            run.errors.append(f"run {paths[name]}, line 1: runtag {run.tag} is that of {other}, too.")
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
        A date of the collection or a topic that a run does not name: an error, all questions of the topic at
        the same rank without documents, or silence.
    baseline, test, correction, alpha
        As for `ir_trunc.compare`.

    Returns
    -------
    ChangeScores

    Raises
    ------
    InputError
        Where no run is valid, two have the same runtag, or qrels name a topic or a date that the collection
        lacks.

    Examples
    --------
    >>> from ir_trunc.adapters import cdet
    >>> cdet.score("topics.jsonl", "my.qrels", "my.jsonl", days="days.txt").to_pandas()  # doctest: +SKIP
    """
    if measures is not None and terminal != "unit":
        raise ParameterError("terminal is for the track's measures: write it inside of your own.")
    # a wrong one is an error before anything is read
    named = list(read_measures(MEASURES[terminal] if measures is None else measures))
    paths = by_file_name(runs)
    chosen, date_of = ([], {}) if days is None else _read_days(days)
    documents = _gains(qrels, date_of)
    collection = _collection(topics, chosen or _days_of(documents), date_of)
    convention = CONVENTIONS[terminal] if measures is None else "Measures as named"
    if question_qrels is None:
        of_questions = _question_gains(documents)
        convention += "; a question's gain is the highest of its documents that day"
    else:
        of_questions = _by_key(read_qrels(question_qrels, keys=KEYS["questions"]))
    grades: dict[Ranked, Judged] = {"documents": documents, "questions": of_questions}
    _check_qrels(grades, collection)
    valid, invalid = _valid_runs(paths, collection, absent)
    for run in valid.values():
        _warn_about_proposals(run, collection, of_questions)
    if absent != "error":
        convention += f"; dates that a run does not name are {'tied' if absent == 'tied' else 'silence'}"
    tests: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction, "alpha": alpha}
    results, comparisons = {}, {}
    for ranked, gains in grades.items():
        judged = {key: gains.get(key, {}) for key in _all_lists(collection, ranked)}
        returned = {tag: _lists(run, ranked, ties == "expected") for tag, run in valid.items()}
        how: dict[str, Any] = {"ties": "expected"} if ranked == "questions" and ties == "expected" else {}
        with noted(issued=False):  # invalid runs have been refused, and other lists are empty
            ready = Evaluator(
                named, judged, keys=KEYS[ranked], missing="empty", **how or {"order": "score64"}
            )
            results[ranked], comparisons[ranked] = _compared(ready, judged, returned, tests)
    short = tuple(str(each).partition("(")[0] if measures is None else str(each) for each in named)
    return ChangeScores(convention, results, comparisons, invalid, short)


def _compared(
    ready: Evaluator, judged: Judged, returned: Mapping[str, Lists], tests: Mapping[str, Any]
) -> tuple[dict[str, Results], Comparison]:
    """The results of the runs, of silence and of perfect lists, and the comparison of the runs by rank."""
    ideal = {key: {doc: float(x) for doc, x in gains.items() if x > 0} for key, gains in judged.items()}
    results = {
        name: ready.calc({key: docs for key, docs in lists.items() if key in judged})
        for name, lists in {**returned, SILENT: {}, PERFECT: ideal}.items()
    }
    first = np.array([results[tag].means()[0] for tag in returned])
    best_first = np.argsort(-oriented(str(ready.measures[0]), first), kind="stable")
    systems = [list(returned)[at] for at in best_first]
    each = ((name, results[name]) for name in systems)
    return results, compare_scored(ready, systems, each, intervals=True, **tests)


def _valid_runs(
    paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent
) -> tuple[dict[str, ChangeRun], dict[str, list[str]]]:
    """The valid runs by their runtags, and the errors of the others; InputError where no run is valid."""
    valid: dict[str, ChangeRun] = {}
    invalid: dict[str, list[str]] = {}
    for name, path in paths.items():
        run = read_change_run(path, f"run {path}", collection, absent, collect=True)
        if run.errors:
            invalid[name] = run.errors
            continue
        if run.tag in (*valid, SILENT, PERFECT):
            whose = "a row of the table" if run.tag in (SILENT, PERFECT) else "another run"
            raise InputError(f"run {path}, line 1: runtag {run.tag} is the name of {whose}; give it its own.")
        if absent == "tied":
            for topic, questions in collection.questions.items():
                for day in collection.dates - run.named.get(topic, set()):
                    run.rankings += [DayRanking(path, topic, day, q, 0, [], []) for q in questions]
        valid[run.tag] = run
    for name, errors in invalid.items():
        more = f" ({counted(len(errors), 'error')}; `ir_trunc cdet check` lists them)"
        if not valid:
            raise InputError(errors[0] + more * (len(errors) > 1))
        warn(f"run {name} is not valid, and not scored: {errors[0]}{more}")
    return valid, invalid


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
    named = {one_day(key.rpartition(SEPARATOR)[2], f"qrels, topic {key}") for key in gains}
    days = _near(sorted(named), "qrels")
    what = f"the collection is taken to have all days from {days[0]} to {days[-1]}"
    warn(f"no days are given: {what}, the first and the last in the qrels.")
    return _range(days[0], days[-1])


def _check_qrels(grades: Mapping[Ranked, Judged], collection: ChangeCollection) -> None:
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


def _warn_about_proposals(run: ChangeRun, collection: ChangeCollection, question_gains: Judged) -> None:
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
