"""The leaderboard of runs of the track: tables, means by key, calendars, and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ir_trunc._compare import FEW_UNITS, Comparison
from ir_trunc._core.errors import InputError, ParameterError, counted
from ir_trunc._core.lazy import cached_property, pd, plots
from ir_trunc._core.parameters import one_of, text
from ir_trunc._core.rankings import Floats
from ir_trunc._core.universe import Keys, Nest
from ir_trunc._inference.estimate import Estimate, RunEstimate
from ir_trunc._output.files import Target, write_text
from ir_trunc._output.tables import Cell, MarkedTable, fitted
from ir_trunc._read.readers.cdet import SEPARATOR
from ir_trunc._scoring.results import Result, Results
from ir_trunc.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ranked = Literal["documents", "questions"]

KEYS: dict[Ranked, tuple[str, ...]] = {
    "documents": ("topic", "question", "day"),
    "questions": ("topic", "day"),
}
"""The keys of a list, by what is in it."""

SILENT, PERFECT = "silent", "perfect"
_SIGNS = np.array(["·", "✕", "○", "●"])  # of a day: silence without news, false alarm, missed news, reported
_COLUMNS = {"": "means", " low": "low", " high": "high", " skill": "skill"}
_COLUMNS |= {" skill low": "skill_low", " skill high": "skill_high", " with news": "with_news"}
_BESIDE = (
    "Lists of {}: skill, (mean - silent) / (perfect - silent); the mean over days with something to find; and"
    " the share of the other days on which the list is empty"
)
_INTERVALS = (
    "In brackets: individual {:g} % confidence intervals of the skill, by topic (BCa bootstrap; of fewer than"
    " 10 topics Student's, which are too narrow)."
)


class _Board(NamedTuple):
    """The figures of S systems, the last two of which are silent and perfect, under M measures (S x M)."""

    systems: list[str]
    means: Floats
    low: Floats  # bounds of the intervals of the means; NaN for the last two systems
    high: Floats
    skill: Floats  # (mean - silent) / (perfect - silent)
    skill_low: Floats  # bounds of its intervals, as those of the means
    skill_high: Floats
    with_news: Floats  # means over days with something to find
    right_silence: Floats  # the share of the other days on which the list is empty (S)

    @classmethod
    def of(cls, ranked: Ranked, comparison: Comparison, results: Mapping[str, Results]) -> _Board:
        systems, ends = [*comparison.systems, SILENT, PERFECT], (results[SILENT], results[PERFECT])
        nil = ends[0].nil
        means = np.vstack([comparison.means["all"].T, *(each.means() for each in ends)])
        news = np.vstack([comparison.means["answerable"].T, *(each.over(~nil).means() for each in ends)])
        low, high = (
            np.pad(comparison.means[end].T, [(0, 2), (0, 0)], constant_values=np.nan)
            for end in ("low", "high")
        )
        right_silence = np.full(len(systems), np.nan)
        if nil.any():
            quiet = [topic for topic, is_nil in zip(ends[0].topics, nil) if is_nil]
            empty = np.array([results[name].rankings.lengths[nil] == 0 for name in systems], float)
            right_silence = Nest(Keys(KEYS[ranked]), quiet).means(empty, None)[:, 0]
        skill_low, skill_high = _skill_bounds(comparison, results)
        return cls(systems, means, low, high, _skill(means), skill_low, skill_high, news, right_silence)


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
        tables = {}
        for ranked, board in self._boards.items():
            columns = {
                f"{measure}{part}": getattr(board, name)[:, at]
                for at, measure in enumerate(self.short)
                for part, name in _COLUMNS.items()
            }
            columns["right silence"] = board.right_silence
            tables[ranked] = pd.DataFrame(columns, pd.Index(board.systems, name="run"))
        return pd.concat(tables, names=["ranked"])

    @cached_property
    def _boards(self) -> dict[Ranked, _Board]:
        return {each: _Board.of(each, self.comparisons[each], of) for each, of in self.results.items()}

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
            names = self._boards[ranked].systems
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

        A question that a run reports in vain on a day with news for another one is no false alarm of the
        topic: the calendar of the question shows it.

        Parameters
        ----------
        topic : str
            The id of the topic, or 'topic/question'.

        Returns
        -------
        DataFrame
            Of True and False, for `ir_trunc.plots.calendar`.
        """
        results = self.results["documents" if SEPARATOR in text("topic", topic) else "questions"]
        keys = pd.MultiIndex.from_tuples([key.rpartition(SEPARATOR)[::2] for key in results[SILENT].topics])
        if topic not in keys.levels[0]:
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
        """Mean scores of the runs with their intervals, and lines at the scores of silence.

        Parameters
        ----------
        ax : Axes, optional
        ranked : {'documents', 'questions'}

        Returns
        -------
        Axes
        """
        one_of("ranked", ranked, KEYS)
        comparison = self._shortened(self.comparisons[ranked])
        bounds, line = (comparison.means["low"], comparison.means["high"]), self._boards[ranked].means[-2]
        ax = plots._systems.scores_with_bounds(
            comparison.to_pandas()[[*comparison.measures]], bounds, comparison.alpha, ax, (SILENT, line)
        )
        ax.set_title(f"lists of {ranked}\n{self.convention.partition('; ')[0]}", fontsize="small")
        return ax

    def _shortened(self, comparison: Comparison) -> Comparison:
        """The comparison with short names of measures."""
        names = dict(zip(comparison.measures, self.short))
        untested = {names[name]: why for name, why in comparison.untested.items()}
        return replace(comparison, measures=self.short, untested=untested)

    def _tables(self, digits: int, headed: bool = False) -> Iterator[MarkedTable]:
        """Two tables of documents and two of questions: means with tests, and what stands beside them.

        headed: whether a heading names the convention; otherwise the first caption does.
        """
        for ranked, board in self._boards.items():
            table = self._shortened(self.comparisons[ranked]).marked(digits)
            table = table.with_rows(board.systems[-2:], _cells(board.means[-2:], digits))
            convention = f"{self.convention}. " if ranked == "documents" and not headed else ""
            yield replace(table, caption=f"{convention}Lists of {ranked}: {table.caption}", warnings=())
            names = [f"{measure}{part}" for part in (" skill", " with news") for measure in self.short]
            figures = np.column_stack([board.skill, board.with_news, board.right_silence])
            beside = _cells(figures, digits)
            for cells, *ends in zip(beside, board.skill_low, board.skill_high):
                for at, (low, high) in enumerate(zip(*ends)):
                    if low < high:
                        cells[at] = replace(cells[at], below=f"[{low:.{digits}f}, {high:.{digits}f}]")
            caption, columns = _BESIDE.format(ranked), [*names, "right silence"]
            has_intervals = any(cell.below for cells in beside for cell in cells)
            level = 100 * (1 - self.comparisons[ranked].alpha)
            notes = [_INTERVALS.format(level)] if has_intervals else []
            yield MarkedTable(caption, (), board.systems, columns, beside, best="", notes=notes)

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
        from ir_trunc._report.report import template

        calendars = []
        for topic in self.results["questions"][SILENT].by("topic").index:
            table = self.calendar(topic)
            news = table["news"].to_numpy(int)
            lines = [(str(run), "".join(_SIGNS[2 * news + reported])) for run, reported in table.items()]
            lines[0] = ("news", "".join(_SIGNS[3 * news]))
            calendars.append((topic, list(table.index), lines))
        page: str = template("change_detection.html", "ir_trunc.cdet")(
            title=text("title", title),
            heading=self.heading,
            tables=[table.html() for table in self._tables(4, headed=True)],
            invalid=self.invalid,
            calendars=calendars,
            command=text("command", command),
            version=__version__,
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        )
        if path is not None:
            write_text(path, [page])
        return page


def _skill(scores: Floats) -> Floats:
    """(score - silent) / (perfect - silent) of systems (S x ...), of which these two are the last."""
    silent, room = scores[-2], scores[-1] - scores[-2]
    skill: Floats = np.divide(scores - silent, room, out=np.full(scores.shape, np.nan), where=room != 0)
    return skill


def _skill_bounds(comparison: Comparison, results: Mapping[str, Results]) -> Floats:
    """The bounds of the skill over topics, the ratio computed anew in each draw (2 x S x M); NaN for none."""
    bounds = np.full((2, len(comparison.systems) + 2, len(comparison.measures)), np.nan)
    with suppress(ParameterError):  # a measure of the whole run has no values of topics
        silent, perfect = (results[name].unit_means()[1] for name in (SILENT, PERFECT))
        for row, name in enumerate(comparison.systems):
            gains = results[name].unit_means()[1] - silent
            for at in np.flatnonzero((perfect != silent).any(axis=1)):
                skill: Estimate = RunEstimate.ratio(gains[at], (perfect - silent)[at], (-np.inf, 1.0))
                if len(gains[at]) < FEW_UNITS:
                    skill = Estimate(skill.values, skill.range)
                bounds[:, row, at] = skill.interval(comparison.alpha)
    return bounds


def _cells(figures: Floats, digits: int) -> list[list[Cell]]:
    return [[Cell("-" if np.isnan(x) else f"{x:.{digits}f}") for x in row] for row in figures]
