"""`compare`: scores several runs, tests their differences, and shows them in tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Unpack

import numpy as np

from ir_trunc._core import errors, parameters
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, ParameterError, counted, nearest, noted, printable, shown
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Alpha, Flag, Repetitions, Seed, Whole, checked, number, one_of, text
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc._inference import significance
from ir_trunc._inference.estimate import Estimate, RunEstimate, stacked
from ir_trunc._inference.significance import FOR_ALL_PAIRS, PairTest, Setting, units_needed
from ir_trunc._output.tables import SIGNIFICANT, Cell, MarkedTable, fitted, table_text
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._read.reading import takes
from ir_trunc._saved import Saved
from ir_trunc._scoring.evaluator import Evaluator, ScoringOptions
from ir_trunc._scoring.objects import MeasureLike, bind, parse_measure
from ir_trunc._scoring.results import VIEWS, Results, as_table
from ir_trunc._scoring.runs import RunsLike, by_name, score_each
from ir_trunc._scoring.tables import crossed, labelled_table
from ir_trunc.measures.declaration import lower_is_better, oriented
from ir_trunc.measures.parts import over

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "compare"]

FEW_UNITS = 10
"""With fewer topics (or other units), tests find little and the level of intervals is approximate."""
_PRINTED = 20  # comparisons that are printed below the table; pairs() has all
_TESTS: Mapping[PairTest, str] = {
    "t": "paired t test",
    "bounded": "test by the bounds of the measure",
    "bootstrap": "paired bootstrap test",
    "randomisation": "paired randomisation test",
    "sign": "sign test, of the topics up and down and not of the means",
    "tukey": "Tukey's HSD test over systems and topics",
    "randomised-tukey": "randomised Tukey HSD test",
}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg", "holm-all": "Holm"}

_ENDING = re.compile(r"(?<=.)\.(run|res|results|trec|txt|tsv|csv|jsonl?|parquet)$")

P_VALUES = ("p", "p_not_worse", "p_equivalent")
_OF_MARGIN = "bounded_low", "bounded_high"
_COUNTS = "differ", "up", "down"
_UNKNOWN = np.nan, np.nan
_AT_LEVEL = "level", "at_low", "at_high"
TESTED = (*P_VALUES, "p_alone", *_AT_LEVEL, "difference", "low", "high", *_OF_MARGIN, "effect", *_COUNTS)
"""What a comparison has of each measure and pair of systems."""

MEANS = (*VIEWS, "low", "high")
"""What it has of each measure and system."""
OTHER_TOPICS = "have different topics: they need the same (leave out missing=, which excludes topics)."
_NAMED = 5  # systems with empty lists that a note names


class Means(dict[str, Any]):
    """Means by view; their bounds are computed when they are first asked for."""

    def __init__(self, views: Mapping[str, Floats], bounds: Callable[[], Mapping[str, Floats]]):
        super().__init__(views)
        self._bounds = bounds

    def __missing__(self, name: str) -> Floats:
        if name not in MEANS:
            raise KeyError(name)
        self.update(self._bounds())
        return self[name]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Saved):
    """Mean scores of S systems under M measures over T topics, with significance tests of P pairs of systems.

    A comparison prints as a table, `comparison["AP"]` has the means of one measure, `to_pandas` those of all,
    and `to_latex`, `to_html` and `to_markdown` make tables for a paper or a page.

    Attributes
    ----------
    measures, systems, topics
        Their names.
    unit, units
        What is independent of each other ("topic", or a key), and the number of these.
    labelled
        With `Judged`, the number of topics that people labelled, whose labels correct the means; 0 without.
    nil
        Which topics are nil queries (T).
    values
        Scores by topic (M x S x T).
    means
        Of each measure and system (M x S):

        - all, answerable, nil: means (for counts: sums) over all topics, over those with answers and over nil
          queries; NaN where there are no such topics
        - low, high: confidence interval of the mean over all
    compared
        The pairs of systems (P): each system and the baseline, or all pairs.
    tested
        Of each measure and pair (M x P):

        - p, corrected by `correction`, and p_alone; p_not_worse and p_equivalent, of non-inferiority and of
          equivalence within `margins`, corrected too
        - difference of the means, first system less second (with `Judged` the corrected difference, which
          need not be that of the corrected means), and low and high, its confidence interval, which is not
          corrected for the number of pairs; for the t test also at_low and at_high, the interval to which
          the corrected p belongs, of the level 1 - level; with margins bounded_low and bounded_high, of the
          level 1 - 2 alpha, by the bounds of the measure
        - effect, the mean difference over its standard deviation, see the page of `ir_trunc.meta`
        - differ, how many topics (or other units) differ; up and down, on how many of them the first system
          has a higher score than the second, and a lower one
    untested
        For each measure without a test, the reason. Its arrays hold NaN.
    baseline
        The system that all others are compared with, or None.
    test, correction, alpha, draws, seed
        The test and its parameters; draws is 0 for a test that draws nothing.
    margins
        For each measure, in its own units, the largest difference that counts as not worse.
    intervals
        Whether confidence intervals are printed.
    notes
        What was assumed or left out when the data were read, which lists are empty, and under which measures
        all differences of a pair are equal.
    """

    shapes: ClassVar[Mapping[str, str]] = {"nil": "topics", "values": "measures systems topics"}

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    unit: str
    units: int
    labelled: int
    nil: Bools
    values: Floats
    means: Mapping[str, Floats]
    compared: tuple[tuple[str, str], ...]
    tested: Mapping[str, Floats]
    untested: Mapping[str, str]
    baseline: str | None
    test: PairTest
    correction: Literal["holm", "bh", "holm-all"] | None
    alpha: float
    draws: int
    seed: int
    margins: Mapping[str, float]
    intervals: bool
    notes: tuple[str, ...]

    def _data(self) -> Any:
        self.means["low"]  # which computes both bounds
        return super()._data()

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        comparison = super()._from(data, where)
        measures, systems = comparison.measures, comparison.systems
        for table, columns, axis in (("means", MEANS, "systems"), ("tested", TESTED, "compared")):
            shapes = {name: array.shape for name, array in getattr(comparison, table).items()}
            if shapes != dict.fromkeys(columns, (len(measures), len(getattr(comparison, axis)))):
                needed = f"a value for each of the measures x {axis} in {', '.join(columns)}"
                raise InputError(f"{where}: {table} has {shapes}: {needed} is needed.")
        named = {*chain(*comparison.compared), comparison.baseline or systems[0]}
        rows = {*comparison.untested, *comparison.margins}
        for what, names, all_of in (("system", named, systems), ("measure", rows, measures)):
            for name in sorted(names - {*all_of}):
                among = f"is not among those compared: {', '.join(all_of)}"
                raise InputError(f"{where}: {what} {name!r} {among}.")
        for measure in measures:
            try:
                parse_measure(measure)
            except errors.IrTruncError as error:
                raise InputError(f"{where}, measures: {error}") from None
        if not 0 < comparison.alpha < 1:
            raise InputError(f"{where}, alpha is {comparison.alpha}: a number between 0 and 1 is needed.")
        for name in _COUNTS:
            values = comparison.tested[name]
            if not ((values == np.floor(values)) & (values >= 0) & (values < 2**53) | np.isnan(values)).all():
                raise InputError(f"{where}, tested, {name}: numbers of topics are needed.")
        return comparison

    def __getitem__(self, measure: Any) -> pd.Series[float]:
        """The means of one measure, named by its text or object, by system."""
        means = self.to_pandas()
        name = measure if isinstance(measure, str) and measure in means else str(parse_measure(measure))
        if name not in means:
            message = f"The comparison has no measure {name}; it has: {', '.join(self.measures)}."
            raise errors.UnknownMeasureError(message + nearest(name, self.measures))
        return means[name]

    def __iter__(self) -> Any:
        raise TypeError("A comparison is not iterable: to_pandas(), by_topic() and pairs() are its tables.")

    def __getattr__(self, name: str) -> Any:
        table = "; to_pandas() makes its means a DataFrame" if not name.startswith("_") else ""
        raise AttributeError(f"a comparison has no attribute {name!r}{table}.")

    @property
    def views(self) -> Floats:
        """Means over all topics, over those with answers and over nil queries (3 x M x S)."""
        return np.stack([self.means[view] for view in VIEWS])

    def to_pandas(self) -> pd.DataFrame:
        """Mean scores: a row for each system, a column for each measure.

        Where `intervals` are printed, columns `RBPT low` and `RBPT high`, for example, have their bounds;
        with a baseline `RBPT difference low` and `RBPT difference high` those of the differences to it.
        """
        table = labelled_table("system", self.systems, self.means["all"].T, self.measures)
        for row, name in enumerate(self.measures if self.intervals else ()):
            bounds = self._bounds(row)
            for side, end in enumerate(self.bound_names):
                table[f"{name} {end}"] = [bounds.get(system, _UNKNOWN)[side] for system in self.systems]
        return table

    @property
    def bound_names(self) -> tuple[str, ...]:
        """The words behind the name of a measure in the columns of its bounds; none without intervals."""
        if not self.intervals:
            return ()
        return ("low", "high") if self.baseline is None else ("difference low", "difference high")

    def _bounds(self, row: int) -> dict[str, tuple[float, float]]:
        """The intervals under a measure: of the means, or of the differences to the baseline."""
        named, table = self.systems, self.means
        if self.baseline is not None:
            named, table = tuple(system for system, _ in self.compared), self.tested
        return dict(zip(named, zip(table["low"][row].tolist(), table["high"][row].tolist())))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Mean scores with their confidence intervals, as `ir_trunc.plots.scores` draws them.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Axes

        Raises
        ------
        ImportError
            Where matplotlib is not installed.

        Examples
        --------
        >>> from ir_trunc import compare
        >>> ax = compare("RR", {"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": ["a"]}, "y": {"2": ["b"]}}).plot()
        >>> ax.get_xlabel()
        'mean score, a scale for each measure (bars: 95 % confidence)'
        """

        return plots.scores(self, ax)

    def plot_topics(self, ax: Axes | None = None) -> Axes:
        """Differences of the first two systems compared by topic, as in Sakai (2004), figure 3. Returns Axes.

        Topics are sorted by the difference under the first measure.
        """

        shown, (system, other) = plots._kit.ready_axes(ax, 7.2), self.compared[0]
        D = self.values[:, self.systems.index(system)] - self.values[:, self.systems.index(other)]
        D = D[:, np.argsort(-D[0], kind="stable")]
        series = {name: (np.arange(1, len(self.topics) + 1), of) for name, of in zip(self.measures, D)}
        plots._kit.draw_lines(shown, series, "topics, sorted by the first measure", f"{system} less {other}")
        plots._kit.reference_line(shown, 0, "")
        return shown

    def by_view(self) -> pd.DataFrame:
        """Means over all topics, over those with answers and over nil queries: rows of (queries, system)."""
        index = pd.MultiIndex.from_product([VIEWS, self.systems], names=["queries", "system"])
        cells = self.views.transpose(0, 2, 1).reshape(len(index), len(self.measures))
        return as_table(pd.DataFrame(cells, index, list(self.measures)))

    def by_topic(self) -> pd.DataFrame:
        """Scores by topic, in the columns system, query_id, measure and value."""
        levels = {"system": self.systems, "query_id": self.topics, "measure": self.measures}
        return as_table(crossed(levels, {"value": self.values.transpose(1, 2, 0)}))

    def pairs(self) -> pd.DataFrame:
        """The results of the tests, a row for each measure and pair.

        The columns: measure, system, other, difference, low and high (its confidence interval), p, effect,
        and differ, how many topics differ; with margins also margin, bounded_low and bounded_high,
        p_not_worse and p_equivalent. The sign test, which is not about means, has the numbers of topics up
        and down in place of low, high and effect.
        """
        names = [(name, *pair) for name in self.measures for pair in self.compared]
        columns = {name: self.tested[name] for name in (*self._columns(), "differ")}
        if self.margins:
            margins = [self.margins.get(name, np.nan) for name in self.measures]
            columns["margin"] = np.repeat(margins, len(self.compared))
            columns |= {name: self.tested[name] for name in (*_OF_MARGIN, "p_not_worse", "p_equivalent")}
        table = as_table(pd.DataFrame(names, columns=["measure", "system", "other"]))
        table = table.assign(**{name: values.ravel() for name, values in columns.items()})
        return table.astype({name: "Int64" for name in _COUNTS if name in table})

    def _columns(self) -> list[str]:
        """The columns of the results of the test."""
        if self.test == "sign":
            return ["difference", "up", "down", "p"]
        return ["difference", "low", "high", "p", "effect"]

    def __repr__(self) -> str:
        parts = [self.marked(self.digits).text()]
        tested = self.pairs()
        tested = tested[~tested["measure"].isin(list(self.untested))]
        if 0 < len(tested) <= _PRINTED:
            rows = ["measure", "system"] if self.baseline is not None else ["measure", "system", "other"]
            columns = [*self._columns(), "differ"] if self._few_differ else self._columns()
            table = table_text(tested.set_index(rows)[columns], self.digits)
            what = f"with {self._level(True)} intervals" if self.test != "sign" else "with topics up and down"
            parts.append(f"Differences, {what}:\n\n{table}")
        elif len(tested):
            many = f"all {len(tested)} comparisons"
            parts.append(fitted(f"pairs() has the p values and effect sizes of {many}."))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        return self.to_html(self.digits)

    @property
    def over(self) -> str:
        """What the means are over: '84 topics', or '11 topics with 30 lists'."""
        return counted_units(self.units, self.unit, len(self.topics))

    @property
    def heading(self) -> str:
        """How many systems and topics there are."""
        systems = counted(len(self.systems), "system")
        against = "" if self.baseline is None else f" (baseline: {self.baseline})"
        if self.labelled:
            topics = counted_units(self.units, self.unit, len(self.topics), self.labelled)
            return f"Corrected mean scores of {systems}{against} over {topics}"
        nil = counted(int(self.nil.sum()), "of them a nil query", "of them nil queries")
        if self.unit == "question":  # of logs of answers
            nil = f"{int(self.nil.sum())} of them without an answer"
        heading = f"Mean scores of {systems}{against} over {self.over}"
        return f"{heading}, {nil}" if self.nil.any() else heading

    def marked(self, digits: int = 4) -> MarkedTable:
        """The table of means with marks for the best and for significance, with this many decimal places."""
        places = parameters.whole("digits", digits, 0, 15)
        lettered = self.baseline is None and self.compared and len(self.systems) <= len(ascii_lowercase)
        letters = ascii_lowercase[: len(self.systems)] if lettered else ""
        marks = self._marks(letters)
        cells = [*zip(*(self._column(row, marks, places) for row in range(len(self.measures))))]
        losses = ", ".join(name for name in self.measures if lower_is_better(name))
        best = "the best mean of a measure" + (f", the lowest of {losses}." if losses else ".")
        of_marks = [f"{SIGNIFICANT} significantly different from {self.baseline}."] if marks else []
        if letters:
            better = "better on significantly more topics" if self.test == "sign" else "significantly better"
            of_marks = [f"Letters behind a mean: {better} than these systems."]
        notes = [*of_marks, *self._test_notes(letters), *self._margin_notes()]
        return MarkedTable(self.heading, letters, self.systems, self.measures, cells, best, notes, self.notes)

    def to_latex(self, label: str = "", digits: int = 4) -> str:
        r"""A LaTeX table for booktabs and graphicx, whose caption explains its marks and names parameters.

        Names of systems have no file endings (.run, .txt and so on) where they differ without them.

        Parameters
        ----------
        label
            For `\ref`; "" for none.
        digits
            Decimal places of the means.
        """
        short = [_ENDING.sub("", name) for name in self.systems]
        names = dict(zip(self.systems, short if len({*short}) == len(short) else self.systems))
        pairs = tuple((names[first], names[second]) for first, second in self.compared)
        baseline = None if self.baseline is None else names[self.baseline]
        named = replace(self, systems=tuple(names.values()), compared=pairs, baseline=baseline)
        table = named.marked(digits)
        return replace(table, notes=[*table.notes, *_parameters(self.measures)]).latex(text("label", label))

    def to_html(self, digits: int = 4) -> str:
        """A table element with caption and headings, and paragraphs that explain its marks."""
        return self.marked(digits).html()

    def to_markdown(self, digits: int = 4) -> str:
        """A table in GitHub's Markdown, and paragraphs that explain its marks."""
        return self.marked(digits).markdown()

    @property
    def significant(self) -> Bools:
        """Whether each measure and pair differ significantly: enough units differ, too (M x P)."""
        enough = self.tested["differ"] >= units_needed(self.alpha)
        return np.asarray((self.tested["p"] < self.alpha) & enough)

    @property
    def _few_differ(self) -> bool:
        """Whether a p value is low and too few units differ."""
        return bool(((self.tested["p"] < self.alpha) & ~self.significant).any())

    def _marks(self, letters: str) -> dict[tuple[int, int], str]:
        """By measure and system: letters of worse systems, or whether it differs from the baseline."""
        marks: dict[tuple[int, int], str] = defaultdict(str)
        place = {name: position for position, name in enumerate(self.systems)}
        for measure, pair in np.argwhere(self.significant).tolist():
            first, second = self.compared[pair]
            if self.baseline is not None:
                marks[measure, place[first]] = SIGNIFICANT
            elif letters:
                up, down, difference = (self.tested[name] for name in ("up", "down", "difference"))
                more = up - down if self.test == "sign" else difference
                wins = oriented(self.measures[measure], more[measure, pair]) > 0
                better, worse = (first, second) if wins else (second, first)
                cell = measure, place[better]
                marks[cell] = "".join(sorted(marks[cell] + letters[place[worse]]))
        return dict(marks)

    def _column(self, row: int, marks: Mapping[tuple[int, int], str], digits: int) -> list[Cell]:
        """The means under a measure, below them their intervals or those of the differences."""
        means = self.means["all"][row]
        scores = oriented(self.measures[row], means)
        highest, lowest = np.nanmax(scores, initial=-np.inf), np.nanmin(scores, initial=np.inf)
        differ = highest - lowest > TOLERANCE
        places = 0 if (means == np.floor(means)).all() and means.max() > 1 else digits  # counts have none
        bounds = self._bounds(row) if self.intervals else {}
        cells = []
        for place, (name, mean) in enumerate(zip(self.systems, means)):
            least, most = bounds.get(name, _UNKNOWN)
            below = "" if np.isnan(least) else f"[{least:.{digits}f}, {most:.{digits}f}]"
            best = bool(differ and scores[place] >= highest - TOLERANCE)
            cell = Cell(f"{mean:.{places}f}", best, marks.get((row, place), ""), below)
            cells.append(cell if np.isfinite(mean) else Cell("-"))
        return cells

    def _test_notes(self, letters: str) -> list[str]:
        notes = []
        if self.compared and len(self.untested) < len(self.measures):
            each = "over all measures" if self.correction == "holm-all" else "for each measure"
            test = "t test of corrected differences" if self.labelled else _TESTS[self.test]
            pairs = "which allows for all pairs of systems" if self.test in FOR_ALL_PAIRS else self.corrected
            draws = f", {self.draws} draws, seed {self.seed}" if self.draws else ""
            notes.append(f"Significance, {each}: {test}, {pairs}, p < {self.alpha:g}{draws}.")
            notes += few_units(self.units, self.unit, " for a test")
            if self._few_differ:
                needed = counted(units_needed(self.alpha), self.unit)
                notes.append(f"No mark where fewer than {needed} differ.")
            if self.baseline is None and not letters:
                many = f"More than {len(ascii_lowercase)} systems"
                notes.append(f"{many} have no marks unless there is a baseline.")
        if self.intervals:
            of = "means" if self.baseline is None else f"differences to {self.baseline}"
            notes.append(f"The intervals of the {of} have {self._level(self.baseline is not None)}.")
        by_reason = defaultdict(list)
        for measure, reason in self.untested.items():
            by_reason[reason].append(measure)
        return notes + [f"Not tested: {', '.join(names)}; {reason}" for reason, names in by_reason.items()]

    def _level(self, of_differences: bool) -> str:
        """The level of the intervals, and whether it holds for each of them or for all together."""
        together = of_differences and self.test in FOR_ALL_PAIRS
        return f"{'simultaneous' if together else 'individual'} {100 * (1 - self.alpha):g} % confidence"

    @property
    def corrected(self) -> str:
        """Whether p values are corrected: 'corrected for 3 comparisons by Holm'."""
        if self.correction is None:
            return "not corrected for the number of comparisons"
        tests = len(self.compared)
        if self.correction == "holm-all":
            tests *= len(self.measures) - len(self.untested)
        return f"corrected for {counted(tests, 'comparison')} by {CORRECTIONS[self.correction]}"

    def _margin_notes(self) -> list[str]:
        """Which systems are shown not to be worse than the baseline, and which to be equivalent to it."""
        notes = []
        for measure, margin in self.margins.items():
            if measure in self.untested:
                continue
            row = self.measures.index(measure)
            for name, words in (("p_not_worse", "not worse than"), ("p_equivalent", "equivalent to")):
                p_values = zip(self.compared, self.tested[name][row])
                systems = [system for (system, _), p in p_values if p < self.alpha]
                within = f"{words} {self.baseline} within {margin:g}"
                notes.append(f"By {measure} {within}: {', '.join(systems) or 'none'}.")
        if notes:
            bounds = f"by the bounds of the measure, {self.corrected}"
            notes[-1] += f" One-sided tests {bounds}, p < {self.alpha:g}."
        return notes


@checked
@takes(ScoringOptions)
def compare(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: Literal["auto", "holm", "bh", "holm-all"] | None = "auto",
    alpha: Alpha = 0.05,
    intervals: Annotated[bool, Flag("whether the table has confidence intervals")] = False,
    margin: float | Mapping[Any, float] | None = None,
    unit: str | None = None,
    repetitions: Repetitions = 10_000,
    seed: Seed = 0,
    sort: str | None = None,
    jobs: Annotated[int, Whole("how many runs are scored at a time", 1)] = 1,
    **options: Unpack[ScoringOptions],
) -> Comparison:
    """Score several runs, and test which of their differences are significant.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld, ties, depth
        As for `calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.
    baseline : str, optional
        The run that all others are compared with. Without one, all pairs of runs are compared.
    test : str
        't' (paired, two-tailed), 'bounded' (from the bounds of the measure alone: it holds its level with few
        topics and rare failures, too), 'bootstrap', 'randomisation', 'sign' (paired, too), 'tukey' or
        'randomised-tukey' (Tukey's honestly significant differences over all runs).
        The page of `ir_trunc.meta` has the formulas. 'sign' counts the topics on which a run has higher and
        lower scores.
    correction : str, optional
        For the number of comparisons under one measure: 'holm', 'bh' (Benjamini-Hochberg) or None; under all
        measures together: 'holm-all'. The default 'auto' is 'holm', and None for Tukey's tests, which allow
        for all pairs by themselves.
    alpha : float
        The significance level. Confidence intervals have the level 1 - alpha.
    intervals : bool
        Whether the table has confidence intervals: of the differences to the baseline or, without a baseline,
        of the means. `Comparison.pairs` always has those of the differences.
    margin : float or dict, optional
        With a baseline: how much worse (> 0, in units of the measure) a run may be and still count as not
        worse; one number, or `{measure: number}`. Adds p values of non-inferiority and of equivalence, and
        the interval of the level 1 - 2 alpha to which they belong; all from the bounds of the measure.
    unit : str, optional
        For data with keys, the key whose values are independent of each other, by default the outermost one.
        Tests, intervals and random draws take the nested mean of each unit as one value, and the means of the
        table are means over these units.
    repetitions, seed : int
        Number of random draws and their seed, for tests that draw.
    sort : str, optional
        The measure by whose means the runs are in order, the best first; by default they are as given.
    jobs : int
        How many runs are scored at a time, each by a thread. The scores are the same.

    Returns
    -------
    Comparison
        It prints as a table. `to_pandas()` is the DataFrame of means, `by_topic()` the scores by topic,
        `by_view()` the means over all, answerable and nil queries, `pairs()` the differences with intervals,
        p values and effect sizes; `to_latex()` and `to_html()` are tables for a paper and for a page.

    Raises
    ------
    InputError
        If there is no run, if Rankings have different topics, or if no run has the baseline's name.
    ParameterError
        For an unknown test or correction, or a number out of its range.

    Notes
    -----
    The interval of a mean follows from the lowest and the highest value of the measure: it needs no
    distribution, and is as long as it is with few topics (Learned-Miller & Thomas 2019, arXiv 1905.06208); of
    a share it is that of Clopper and Pearson. A side without such a bound is Student's. That of a difference
    belongs to the test. Intervals are individual, also where p values are corrected; those of Tukey's tests
    are simultaneous. A difference is marked only if at least k topics differ, 2^(1 - k) being at most alpha
    (6 topics at 0.05); `pairs()` says how many do.
    A measure of the whole run, `c@1` for example, is tested by its influence values; the interval of its mean
    is that of the bootstrap with bias correction and acceleration (BCa), which computes it anew for each of
    2,000 draws of topics. There is no test for a measure without influence values, for a count, and
    where a score is not finite; the table says why. Where all differences are equal, intervals and p values
    follow from the bounds of the measure; one without bounds has no interval then.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1, "d": 1}}
    >>> runs = {
    ...     "bm25": {"q1": ["x", "a"], "q2": ["b"], "q3": ["x", "c", "d"]},
    ...     "new": {"q1": ["a"], "q2": ["b"], "q3": ["c", "d"]},
    ... }
    >>> print(compare("RR AP", qrels, runs, baseline="bm25"))
    Mean scores of 2 systems (baseline: bm25) over 3 topics
    <BLANKLINE>
                 RR       AP
    system
    bm25    0.6667   0.6944
    new     1.0000+  1.0000+
    <BLANKLINE>
    + the best mean of a measure.
    Significance, for each measure: paired t test, corrected for 1 comparison by
      Holm, p < 0.05.
    3 topics are few for a test: take 10 or more.
    <BLANKLINE>
    Differences, with individual 95 % confidence intervals:
    <BLANKLINE>
                    difference     low   high      p  effect
    measure system
    RR      new         0.3333 -0.3838 1.0000 0.1835  1.1547
    AP      new         0.3056 -0.3599 0.9710 0.1869  1.1406
    """
    evaluator = Evaluator(measures, qrels, **options)
    named = by_name(runs)
    tests: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction, "alpha": alpha}
    tests |= {"margin": margin, "unit": unit, "repetitions": repetitions, "seed": seed, "sort": sort}
    each = score_each(evaluator, named, jobs, alike=True)
    return compare_scored(evaluator, tuple(named), each, intervals, **tests)


def compare_scored(
    evaluator: Evaluator,
    systems: Sequence[str],
    each: Iterable[tuple[str, Results]],
    intervals: bool,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = "auto",
    alpha: float = 0.05,
    margin: float | Mapping[Any, float] | None = None,
    unit: str | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    sort: str | None = None,
) -> Comparison:
    """The comparison of runs of these names. each: their Results, which the arguments are checked before."""
    names = tuple(str(measure) for measure in evaluator.measures)
    reference = None if baseline is None else _baseline(baseline, systems)
    if sort is not None and (sort := str(parse_measure(sort))) not in names:
        raise ParameterError(f"there is no measure {sort!r} to sort by; the measures are {', '.join(names)}.")
    pair_test: PairTest = significance.named_test(test, ("bounded", *significance.TESTS))
    adjusted_by = _correction(correction, pair_test)
    margins = _margins(margin, names, reference)
    if intervals and reference is not None and pair_test == "sign":
        raise ParameterError("test='sign' has no intervals of the differences: leave out intervals=.")
    if evaluator.labels is not None and pair_test != "t":
        raise ParameterError(f"test={test!r}: with Judged, differences are tested by 't'.")
    with noted() as notes:
        scored = list[_ScoredRun]()
        for name, results in each:
            results.refuse_unequal(name)
            scored.append(_ScoredRun.of(results, unit, pair_test))
            if scored[-1].topics != scored[0].topics:
                raise InputError(f"runs {systems[0]!r} and {name!r} {OTHER_TOPICS}")
    if sort is not None:
        row = names.index(sort)
        best_first = np.argsort([-oriented(sort, run.means[0, row]) for run in scored], kind="stable")
        systems, scored = [systems[at] for at in best_first], [scored[at] for at in best_first]
    pairs = np.triu_indices(len(systems), k=1)  # all, or each other system and the baseline
    if reference is not None:
        others = np.flatnonzero(np.array(systems, dtype=object) != reference)
        pairs = others, np.full(len(others), systems.index(reference))
    setting = Setting(*pairs, alpha, repetitions, seed)
    of_scores, of_data = _tested(names, systems, scored, pair_test, setting, adjusted_by, margins)
    of_lists = map(printable, _notes(names, systems, scored))
    compared = tuple((systems[i], systems[j]) for i, j in zip(setting.first, setting.second))
    all_notes = (*filter(None, [evaluator.cut_note]), *notes, *of_data, *of_lists)
    how: Any = {"baseline": reference, "test": pair_test, "correction": adjusted_by, "alpha": alpha}
    how |= {"seed": seed, "margins": margins, "intervals": intervals, "compared": compared}
    return Comparison(names, tuple(systems), **of_scores, **how, notes=all_notes)


def _tested(
    measures: Sequence[str],
    systems: Sequence[str],
    scored: Sequence[_ScoredRun],
    test: PairTest,
    setting: Setting,
    correction: Any,
    margins: Mapping[str, float],
) -> tuple[dict[str, Any], list[str]]:
    """The fields of a comparison that follow from scores, and a note on equal differences."""
    first, draws, untested, equal = scored[0], 0, dict[str, str](), list[str]()
    tested = {name: np.full((len(measures), len(setting.first)), np.nan) for name in TESTED}
    by_bounds = np.zeros(len(setting.first), bool)
    for row, name in enumerate(measures):
        reasons = [run.untested[row] for run in scored if run.untested[row]]
        if reasons:
            untested[name] = reasons[0]
        elif len(setting.first):
            estimates = [run.estimates[row] for run in scored]
            of_pairs, draws, flat = _test_pairs(name, estimates, test, setting, margins.get(name))
            by_bounds |= flat
            if flat.any():
                equal.append(name)
            for column, of_column in of_pairs.items():
                tested[column][row] = of_column
    tested["p_alone"], tested["level"] = tested["p"].copy(), np.full_like(tested["p"], setting.alpha)
    rows = [row for row, name in enumerate(measures) if name not in untested]
    families = [[row] for row in rows]
    if correction == "holm-all":
        families, correction = [rows], "holm"
    for column, family in product(P_VALUES, families if rows else ()):
        p = tested[column][family]
        if np.isnan(p).any():
            continue
        adjusted = significance.uncut_p_values(p.ravel(), correction)
        tested[column][family] = np.minimum(adjusted, 1.0).reshape(p.shape)
        if column == "p":
            times = over(adjusted, p.ravel(), float(p.size) if correction else 1.0)
            tested["level"][family] = setting.alpha / times.reshape(p.shape)
    for row in rows if test == "t" and len(setting.first) else ():
        each = stacked([run.estimates[row] for run in scored])
        differences = each[setting.first] - each[setting.second]
        level = tested["level"][row]
        interval, alike = differences.best.student(level), ~differences.differ
        if alike.any():
            interval[:, alike] = differences[alike].interval()
        tested["at_low"][row], tested["at_high"][row] = interval
    views = dict(zip(VIEWS, np.stack([run.means for run in scored], axis=-1)))
    fields = {
        "topics": first.topics, "unit": first.unit, "units": first.units, "labelled": first.labelled,
        "nil": first.nil, "values": np.stack([run.values for run in scored], axis=1),
        "means": Means(views, partial(_intervals, scored, setting.alpha)), "tested": tested,
        "draws": draws, "untested": untested,
    }  # fmt: skip
    notes = []
    if equal:
        pair, *others = np.flatnonzero(by_bounds)
        named = f"{systems[setting.first[pair]]} and {systems[setting.second[pair]]}"
        named += f" and {counted(len(others), 'other pair')}" if others else ""
        of = f"under {', '.join(equal)} for {printable(named)}"
        what = f"Every topic has the same difference {of}, so the t test is undefined"
        rest = "without bounds there is no interval, and p is 1"
        notes.append(f"{what}; interval and p use the measure's bounds instead ({rest}).")
    if first.labelled:
        notes.append("Scores by topic are by people's labels where there are some, else by the judge's.")
    return fields, notes


def _notes(measures: Sequence[str], systems: Sequence[str], scored: Sequence[_ScoredRun]) -> Iterator[str]:
    """A note on each measure without bounds of whose mean one unit carries most of the variance.

    The last one counts the empty lists of each system that has any.
    """
    by_topic = scored[0].unit == "topic" and not scored[0].labelled
    for row, measure in enumerate(measures):
        carried = []
        for system, run in zip(systems, scored):
            if not run.untested[row] and run.units >= FEW_UNITS:
                at, share = run.estimates[row].heaviest
                if share > 0.5:
                    named = f"{system}: topic {run.topics[at]}" if by_topic else system
                    carried.append(f"{named}, {share:.0%}")
        if carried:
            what = f"one {scored[0].unit} carries most of the variance of the mean"
            rest = "tests and intervals rest on it; report a measure with bounds beside it"
            yield f"{measure} has no bounds, and {what} ({_first_of(carried, '; ')}): {rest}."
    if empty := [f"{name} {run.empty}" for name, run in zip(systems, scored) if run.empty]:
        yield f"Empty lists, which are scored as such: {_first_of(empty, ', ', ' systems')}."


def _first_of(names: Sequence[str], separator: str, what: str = "") -> str:
    """The first names of many, and the number of the others."""
    more = f" and {len(names) - _NAMED} more{what}" if len(names) > _NAMED else ""
    return f"{separator.join(names[:_NAMED])}{more}"


def _baseline(name: Any, systems: Sequence[str]) -> str:
    """The run that has this name, or that was read from this file; the ending of its name may be left out."""
    wanted = text("baseline", name)
    if wanted in systems:
        return wanted
    file = Path(wanted).name.removesuffix(".gz")
    near = [system for system in systems if file in (Path(system).name, Path(system).stem)]
    if len(near) == 1:
        return near[0]
    several = f" Several are called so: {', '.join(near)}." if near else nearest(wanted, systems)
    names = ", ".join(systems[:10]) + (", ..." if len(systems) > 10 else "")
    raise InputError(f"baseline={shown(name)} is not one of the runs: {names}.{several}")


def _correction(value: Any, test: PairTest) -> Any:
    correction: Any = None if value is None else one_of("correction", value, ("auto", *CORRECTIONS))
    if test not in FOR_ALL_PAIRS:
        return "holm" if correction == "auto" else correction
    if correction in CORRECTIONS:
        raise ParameterError(f"correction={correction!r}: {test} allows for all pairs itself; leave it out.")
    return None


def _margins(margin: Any, measures: Sequence[str], baseline: str | None) -> dict[str, float]:
    if margin is None:
        return {}
    if baseline is None:
        raise ParameterError("margin says what is not worse than the baseline: baseline= is needed with it.")
    if not isinstance(margin, Mapping):
        return dict.fromkeys(measures, number("margin", margin, 0, inside=True))
    named = {str(parse_measure(name)): (name, value) for name, value in margin.items()}
    for name in named.keys() - measures:
        known = f"{', '.join(measures)}.{nearest(name, measures)}"
        raise ParameterError(f"margin: {name} is not among the measures, {known}")
    return {key: number(f"margin of {name}", value, 0, inside=True) for key, (name, value) in named.items()}


def _test_pairs(
    measure: str, estimates: Sequence[Any], test: PairTest, setting: Setting, margin: float | None
) -> tuple[dict[str, Floats], int, Bools]:
    """The results of the tests under one measure (P each), not corrected yet, and the number of draws.

    The last value is of which pairs all differences are equal, and the results follow from the bounds (P).
    """
    each, draws = stacked(estimates), 0
    differences = each[setting.first] - each[setting.second]
    of_test = differences.best
    results = {"difference": of_test.mean, "differ": differences.moved}
    results["up"], results["down"] = significance.ups_and_downs(differences.values)
    if test in ("t", "bounded"):
        results["effect"] = over(of_test.mean, differences.values.std(axis=1, ddof=1), otherwise=np.nan)
        results["effect"][~differences.differ] = np.nan
        student = of_test.t_test, of_test.student
        p, bounds = student if test == "t" else (differences.p, differences.interval)
        results["p"], (results["low"], results["high"]) = p(), bounds(setting.alpha)
    else:
        pairs = significance.paired_tests(each.values, test, setting)
        results |= {"p": pairs.p, "effect": pairs.effect, "low": pairs.low, "high": pairs.high}
        draws = pairs.draws
        for name in ("low", "high"):
            inside = np.clip(results[name], *differences.range)
            results[name] = np.where(np.isfinite(results[name]), inside, results[name])
    flat = ~differences.differ & (results["high"] - results["low"] <= TOLERANCE)
    if flat.any():
        equal = differences[flat]
        results["p"][flat], bounds = equal.p(), equal.interval(setting.alpha)
        results["low"][flat], results["high"][flat] = bounds
    if margin is not None:
        results["bounded_low"], results["bounded_high"] = differences.interval(2 * setting.alpha)
        better = each[setting.second] - each[setting.first] if lower_is_better(measure) else differences
        worse, above = better.p_at_most(-margin), better.p_at_least(margin)
        results |= {"p_not_worse": worse, "p_equivalent": np.maximum(worse, above)}
    return results, draws, flat


@dataclass(frozen=True)
class _ScoredRun:
    """What a comparison keeps of one run with M measures and T topics."""

    topics: tuple[str, ...]
    nil: Bools
    empty: int  # number of empty lists
    values: Floats  # scores by topic (M x T)
    means: Floats  # by `VIEWS` (3 x M)
    estimates: list[Any]  # of each measure; None where there is none
    untested: list[str]  # for each measure, why there is no test; "" if there is one
    unit: str  # the key whose values are independent of each other; "topic" without keys
    units: int
    labelled: int  # number of topics that people labelled, with Judged

    @classmethod
    def of(cls, results: Results, unit: str | None, test: PairTest) -> _ScoredRun:
        (name, units, labelled), estimates, untested = results.counts(unit), list[Any](), list[str]()
        for row in range(len(results.measures)):
            reason, estimate = "", None
            try:
                estimate = results.estimate(row, unit)
            except ParameterError as error:
                reason = str(error)
            if not np.isfinite(results.values[row]).all():
                reason = "not every score is a finite number."
            elif isinstance(estimate, RunEstimate) and test == "sign":
                reason = "it looks at all lists of a run, and the sign test counts topics."
            elif units < 2:
                verb = "is" if units == 1 else "are"
                reason = f"there {verb} {counted(units, name)}, and a test needs two."
            estimates.append(estimate)
            untested.append(reason)
        empty = int((results.rankings.lengths == 0).sum())
        of_topics = results.topics, results.nil, empty, results.values, results.view_means(unit)
        return cls(*of_topics, estimates, untested, name, units, labelled)


def _intervals(scored: Sequence[_ScoredRun], alpha: float) -> dict[str, Floats]:
    """The bounds of all means (M x S each); NaN where there are none."""
    bounds = np.full((2, len(scored[0].estimates), len(scored)), np.nan)
    for row, estimates in enumerate(zip(*(run.estimates for run in scored))):
        if all(type(estimate) is Estimate for estimate in estimates):
            bounds[:, row] = stacked(estimates).interval(alpha)
            continue
        for place, estimate in enumerate(estimates):
            if estimate is not None:
                bounds[:, row, place] = estimate.interval(alpha)
    return dict(zip(("low", "high"), bounds))


def counted_units(units: int, unit: str, lists: int, labelled: int = 0) -> str:
    """What is independent: '11 users with 30 lists', or '9 topics, 3 of them labelled by people'."""
    with_lists = f" with {counted(lists, 'list')}" if units != lists else ""
    by_people = f", {labelled} of them labelled by people" if labelled else ""
    return f"{counted(units, unit)}{with_lists}{by_people}"


def few_units(units: int, unit: str, why: str) -> list[str]:
    """The caution that these are few, and for what; none where they are enough."""
    if units >= FEW_UNITS:
        return []
    return [f"{counted(units, unit)} {'is' if units == 1 else 'are'} few{why}: take {FEW_UNITS} or more."]


def _parameters(measures: Iterable[str]) -> list[str]:
    """A sentence with all parameters of our own measures, as their names leave out those by default."""
    parts = []
    for name in measures:
        bound = bind(parse_measure(name))
        values = {} if bound is None else {key: v for key, v in bound.params.items() if v is not None}
        if values:
            parts.append(f"of {name}: {', '.join(f'{key}={shown(value)}' for key, value in values.items())}")
    return [f"Parameters {'; '.join(parts)}."] if parts else []
