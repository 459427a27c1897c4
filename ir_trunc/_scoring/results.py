"""Results: how they print, show in a notebook and convert to pandas, and the scores of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import ir_measures
import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg

from ir_trunc._core import arrays, errors
from ir_trunc._core.errors import IrTruncError, ParameterError, UnknownMeasureError, counted, option, shown
from ir_trunc._core.lazy import cached_property, explanation, inference, npt, pd, plots
from ir_trunc._core.rankings import Bools, Floats, Rankings, sizes_of
from ir_trunc._core.universe import Nest, Universe
from ir_trunc._output.tables import as_html, fitted, table_text
from ir_trunc._ranking.runs import as_ranked
from ir_trunc._read.arrow import pa
from ir_trunc._read.reading import DEFAULT
from ir_trunc._scoring.objects import bind, parse_measure
from ir_trunc.measures.definition import BoundMeasure, RunScores, value_from_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ir_trunc._ranking.runs import Documents
    from ir_trunc._scoring.tables import ResultTable

__all__ = ["Abstention", "Aggregated", "ByMeasure", "Result", "Results"]
V = TypeVar("V")

VIEWS = ("all", "answerable", "nil")
_SHOWN = 20  # topics in a notebook


class Result:
    """The base class of results.

    A new kind of result is a frozen dataclass (`repr=False`) that defines `heading` and `to_pandas`. Results
    that are saved inherit from `ir_trunc._saved.Saved`.

    Attributes
    ----------
    digits : int
        Decimal places of the numbers in a summary.
    every_row : bool
        Whether a summary prints all of its rows, however many pandas would print.
    """

    digits: ClassVar[int] = 4
    every_row: ClassVar[bool] = False

    @property
    def heading(self) -> str:
        """What the result is and how it was computed, in a line."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The result as a table."""
        raise NotImplementedError

    def summary(self) -> pd.DataFrame:
        """The table below the heading where the result is printed."""
        return self.to_pandas()

    def report(self, places: int | None = None) -> str:
        """What a command prints: the result as it is printed, or more.

        places: decimal places of the numbers in a table, -1 for all; by default as it is printed.
        """
        own_form = type(self).__repr__ is not Result.__repr__
        return str(self) if places is None or own_form else self._text(places)

    def frames(self) -> dict[str, pd.DataFrame]:
        """All values, as tables by name; most results have one."""
        return {type(self).__name__.lower(): self.to_pandas()}

    def _text(self, digits: int) -> str:
        return f"{fitted(self.heading)}\n{table_text(self.summary(), digits, self.every_row)}"

    def __repr__(self) -> str:
        return self._text(self.digits)

    def _repr_html_(self) -> str:
        import html  # for notebooks: commands start sooner without its table of entities

        lines = "<br>".join(html.escape(errors.printable(line)) for line in self.heading.splitlines())
        return f"<p>{lines}</p>\n{as_html(self.summary(), self.digits)}"


class Statement(Result):
    """A result that is printed as its heading alone."""

    def __repr__(self) -> str:
        return fitted(self.heading)


class ByMeasure(dict[Any, V], Generic[V]):
    """A dict by measure. A measure may be named by its text, as in `scores["RBPT(p=0.5)"]`."""

    def __missing__(self, key: Any) -> V:
        measure = parse_measure(key)
        if not super().__contains__(measure):
            raise KeyError(f"{key} is not among the measures: {', '.join(map(str, self))}")
        return super().__getitem__(measure)

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def get(self, key: Any, default: Any = None) -> Any:
        """What belongs to a measure, or a default where the measure is not there."""
        try:
            return self[key]
        except (KeyError, IrTruncError):
            return default


class Aggregated(Result, ByMeasure[float]):
    """Mean scores by measure. A measure may be named by its text, as in `scores["RBPT(p=0.5)"]`."""

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure, by its text: value."""
        index = pd.Index([str(measure) for measure in self], name="measure")
        return pd.DataFrame({"value": list(self.values())}, index=index, dtype=float)

    def __repr__(self) -> str:
        return fitted(dict.__repr__(self))

    def _repr_html_(self) -> str:
        return as_html(self.to_pandas().T, index=False)


@dataclass(frozen=True, repr=False)
class Abstention(Result):
    """How often a system returned nothing, and how often rightly.

    A list that holds the document NIL is not empty, unless nil='ends' ends it at once.

    Attributes
    ----------
    topics, nil, silent, rightly : int
        Numbers of topics, of nil queries, of empty lists, and of empty lists for nil queries.
    """

    topics: int
    nil: int
    silent: int
    rightly: int

    def to_pandas(self) -> pd.DataFrame:
        """One row: topics, nil, silent, rightly, precision, recall."""
        return pd.DataFrame([vars(self) | {"precision": self.precision, "recall": self.recall}])

    @property
    def heading(self) -> str:
        """The numbers in words."""
        nil = counted(self.nil, "nil query", "nil queries")
        return f"{self.silent} of {counted(self.topics, 'list')} are empty, {self.rightly} rightly; {nil}"

    @property
    def precision(self) -> float:
        """Share of the empty lists that are right; NaN where there is none."""
        return self.rightly / self.silent if self.silent else float("nan")

    @property
    def recall(self) -> float:
        """Share of the nil queries that got the empty list; NaN where there is none."""
        return self.rightly / self.nil if self.nil else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Results(Statement):
    """Scores of one run. `aggregated, per_query = results` unpacks them as those of ir-measures.

    `rankings.nil` says what a document NIL was taken for, and `len(rankings.nil)` how many lists hold it;
    where a list does, the repr says so.

    Parameters
    ----------
    measures : tuple of ir_measures.Measure
        The M measures.
    rankings : Rankings
        The lists that were scored (Q).
    values : array
        Scores (M x Q).
    ties : TiedScores, optional
        With ties='expected': how many lists have ties, and the range of the scores over their orders.
    documents : Documents, optional
        The run itself, not a copy: `explain` reads the ids of documents from it.

    Examples
    --------
    >>> from ir_trunc import calc
    >>> results = calc("RBPT(p=0.5) nDCG@10", {"q": {"a": 1}, "r": {}}, {"q": ["a", "b"]})
    >>> results.aggregated["nDCG@10"]
    0.5
    >>> results["RBPT(p=0.5)"].to_dict()
    {'q': 0.75, 'r': 1.0}
    """

    measures: tuple[Measure, ...]
    rankings: Rankings
    values: Floats
    ties: Any = None
    documents: Documents | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids in canonical order (Q)."""
        return self.rankings.topics

    @property
    def nil(self) -> Bools:
        """Which topics are nil queries (Q)."""
        return self.rankings.judgments.nil_queries

    @property
    def abstention(self) -> Abstention:
        """How often the system returned nothing, and how often rightly."""
        silent = self._own_lists.lengths == 0
        return Abstention(len(silent), int(self.nil.sum()), int(silent.sum()), int((silent & self.nil).sum()))

    @property
    def answered(self) -> dict[str, int]:
        """n_ac, n_aw, n_u: questions answered correctly, wrongly and not at all, by their first documents."""
        lists = self._own_lists
        right = int(((lists.judged_ranks == 1) & (lists.judged_grades > 0)).sum())
        silent = int((lists.lengths == 0).sum())
        return {"n_ac": right, "n_aw": len(lists) - right - silent, "n_u": silent}

    @cached_property
    def universe(self) -> Universe:
        """The topics that were scored, and what was assumed about them."""
        rankings, judgments = self.rankings, self.rankings.judgments.without_nil()
        empty = 0 if rankings.missing is None else int(rankings.missing.sum())
        sizes = {
            size if isinstance(size, (str, int, float)) else "given for each topic"
            for measure in self.measures
            if (size := getattr(bind(measure), "params", {}).get("D")) is not None
        }
        return replace(
            rankings.universe or Universe(),
            topics=len(rankings),
            in_run=len(rankings) - empty,
            missing=empty,
            unjudged=int((sizes_of(judgments.offsets) == 0).sum()),
            nil=int(self.nil.sum()),
            sizes=", ".join(sorted(map(str, sizes))),
            levels=tuple(judgments.levels.tolist()),
            declared=judgments.scale_declared,
        )

    @cached_property
    def _nest(self) -> Nest | None:
        """The groups of lists under each key; None for lists without keys."""
        universe = self.rankings.universe
        return Nest(universe.nesting, self.topics) if universe and universe.nesting else None

    def _nested(self, level: int | None, unit: int = 0) -> Floats:
        """Nested means of each measure for the groups of a level (M x groups); None: for the whole run.

        unit: the level whose groups count alike in the mean of the whole run.
        """
        nest = cast(Nest, self._nest)
        # A copy, row by row in memory: `over` may leave another order, in which numpy adds otherwise.
        means = nest.means(np.array(self.values, order="C"), level, unit)
        for row, bound in self._of_run.items():
            parts = nest.means(RunScores(bound, self.rankings).parts, level, unit)
            means[row] = value_from_means(bound, parts)
        return means

    @property
    def _of_run(self) -> dict[int, BoundMeasure]:
        """The measures that look at all lists of a run, by their rows."""
        bound = enumerate(map(bind, self.measures))
        return {row: each for row, each in bound if each is not None and each.definition.scope == "run"}

    def _level(self, key: str | None) -> int:
        """The place of a key among the keys, that of the outermost one for None."""
        names = self.universe.keys
        if key is None:
            return 0
        if not isinstance(key, str) or key not in names:  # a frame is equal to no name, nor unequal
            keys = ", ".join(names) or f"none; {option('keys')} names them"
            hint = errors.nearest(key, names)
            raise ParameterError(f"Results have no key {shown(key)}; they have {keys}.{hint}")
        return names.index(key)

    def by(self, key: str) -> pd.DataFrame:
        """Nested means for each value of a key: a row for each of its groups, a column for each measure.

        Parameters
        ----------
        key : str
            One of the keys that were named when the run was scored. Inner keys are averaged first, one after
            the other. A measure of the whole run (`c@1`) is computed anew for each group, from nested means
            of its numbers of lists, so that its value for the run is not the mean of this column.

        Returns
        -------
        DataFrame
            Indexed by the keys from the outermost to this one.

        Raises
        ------
        ParameterError
            Where there is no such key, or a measure of the whole run has no means.

        Examples
        --------
        >>> from ir_trunc import calc
        >>> qrels = {"a/mon": {"x": 1}, "a/tue": {"x": 1}, "b/mon": {"x": 1}}
        >>> results = calc("RR", qrels, {"a/mon": ["x"], "b/mon": ["x"]}, keys="user/day")
        >>> results.by("user")["RR"].to_dict()
        {'a': 0.5, 'b': 1.0}
        >>> results.aggregated["RR"]
        0.75
        """
        level, nest = self._level(key), cast(Nest, self._nest)
        index: pd.Index[Any] = pd.Index(nest.groups[level], name=key)
        if level > 0:
            ids = [tuple(group.split(nest.keys.separator)) for group in nest.groups[level]]
            index = pd.MultiIndex.from_tuples(ids, names=nest.keys.names[: level + 1])
        return pd.DataFrame(self._nested(level).T, index=index, columns=[*map(str, self.measures)])

    def unit_means(self, unit: str | None = None) -> tuple[tuple[str, ...], Floats]:
        """The independent units of a test, and their nested means.

        Lists under one key depend on each other: the days of a question, for example.

        Parameters
        ----------
        unit : str, optional
            The key whose groups are the units, by default the outermost one.

        Returns
        -------
        units : tuple of str
            U ids; without keys those of the topics.
        values : array
            Means (M x U); without keys the values themselves.

        Raises
        ------
        ParameterError
            Where there is no such key, or where a measure of the whole run has no values of units.

        Examples
        --------
        >>> from ir_trunc import calc
        >>> qrels = {"a/mon": {"x": 1}, "a/tue": {"x": 1}, "b/mon": {"x": 1}}
        >>> units, values = calc("RR", qrels, {"a/mon": ["x"]}, keys="user/day").unit_means()
        >>> units, values.tolist()
        (('a', 'b'), [[0.5, 0.0]])
        """
        level = self._level(unit)
        for bound in self._of_run.values() if self._nest is not None else ():
            none = f"it has no values of its own for each {self.universe.keys[level]}"
            raise ParameterError(f"{bound.definition.name} looks at all lists of a run: {none}.")
        return self.means_of_units(self.values, unit)

    def means_of_units(self, values: Floats, unit: str | None = None) -> tuple[tuple[str, ...], Floats]:
        """The independent units of a test, and nested means of other values of the lists (N x Q): N x U."""
        level = self._level(unit)
        if self._nest is None:
            return self.topics, values
        return tuple(self._nest.groups[level]), self._nest.means(values, level)

    def counts(self, unit: str | None = None) -> tuple[str, int, int]:
        """What is independent of each other, how many of it there are, and topics that people labelled."""
        units, _ = self.means_of_units(self.values, unit)  # which refuses what is no key
        keys = self.universe.keys
        return (unit or keys[0]) if keys else "topic", len(units), 0

    def segments(self, key: str) -> dict[str, Bools]:
        """Which lists have each value of a key, by 'key=value'."""
        level, keys = self._level(key), self.universe.nesting
        values = np.array([ids[level] for ids in keys.split(self.topics)] if keys else [])
        return {f"{key}={value}": values == value for value in dict.fromkeys(values.tolist())}

    def over(self, keep: npt.NDArray[np.bool_]) -> Results:
        """The results over some of the topics; measures of the whole run are computed anew over them."""
        kept = np.flatnonzero(arrays.mask(keep, len(self.topics)))
        rankings, values = self.rankings.take(kept), self.values[:, kept]
        for row, bound in self._of_run.items():
            values[row] = bound.score(rankings)
        return Results(self.measures, rankings, values, self.ties and self.ties.over(keep), self.documents)

    def views(self) -> dict[str, Results]:
        """The results over all topics, over those with answers, and over nil queries."""
        nil = self._own_lists.judgments.nil_queries
        return dict(zip(VIEWS, (self, self.over(~nil), self.over(nil))))

    @property
    def _own_lists(self) -> Rankings:
        """The lists; InputError where their ends are documents."""
        return as_ranked(self.rankings, DEFAULT)

    @cached_property
    def _means(self) -> tuple[float, ...]:
        """The means (for counts: sums), to the last bit as ir-measures' aggregators add them up."""
        topics, means = self.values.shape[1], [0.0] * len(self.measures)
        if topics and self._nest is not None:
            means = self._nested(None)[:, 0].tolist()
        elif topics:  # one value after the other, as they do
            means = ((0.0 + np.add.accumulate(self.values, axis=1)[:, -1]) / topics).tolist()
        for row, measure in enumerate(self.measures):
            if not topics or type(measure).aggregator is not Measure.aggregator:  # which makes a MeanAgg
                aggregator = measure.aggregator()
                for value in self.values[row].tolist():
                    aggregator.add(value)
                means[row] = aggregator.result()
        return tuple(means)

    def means(self, unit: str | None = None) -> tuple[float, ...]:
        """The mean of each measure over the units of a key, by default the outermost: nested below it."""
        level = self._level(unit)
        if level == 0 or not len(self.topics):
            return self._means
        nested = self._nested(None, level)[:, 0].tolist()
        counts = [not isinstance(measure.aggregator(), MeanAgg) for measure in self.measures]
        return tuple(total if count else mean for total, count, mean in zip(self._means, counts, nested))

    @property
    def aggregated(self) -> Aggregated:
        """Every measure with its mean (for counts: sum) over all topics, as ir-measures adds it up.

        With keys, means are nested: over the innermost key first, over the outermost at last.
        """
        return Aggregated(zip(self.measures, self._means))

    @property
    def per_query(self) -> list[ir_measures.Metric]:
        """One ir_measures.Metric for each measure and topic."""
        return list(self.metrics())

    def metrics(self) -> Iterator[ir_measures.Metric]:
        """Yield an ir_measures.Metric for each measure and topic."""
        for measure, values in zip(self.measures, self.values.tolist()):
            yield from map(ir_measures.Metric, self.topics, repeat(measure), values)

    def __iter__(self) -> Iterator[Any]:
        yield self.aggregated
        yield self.per_query

    def __getitem__(self, measure: str | Measure) -> pd.Series[float]:
        """The scores under one measure by topic, by the measure's text or object."""
        row, index = self._row(measure), pd.Index(self.topics, name="query_id")
        return pd.Series(self.values[row], index, name=str(self.measures[row]))

    def __contains__(self, measure: object) -> bool:
        try:
            return parse_measure(measure) in self.measures  # type: ignore[arg-type]
        except IrTruncError:
            return False

    def to_pandas(self) -> pd.DataFrame:
        """Scores by topic (rows) and measure (columns, by their texts)."""
        index = pd.Index(self.topics, name="query_id")
        return pd.DataFrame(self.values.T, index=index, columns=[*map(str, self.measures)])

    def explain(self, topic: str, measure: str | Measure | None = None) -> Any:
        """Why a topic has its score: the score if its list ended at each depth, and what its end is worth.

        Parameters
        ----------
        topic : str
            The id of the topic; with keys that of the list, `topic/question/day` for example.
        measure : str or Measure, optional
            One of those scored, by default the first. Of a measure of the whole run (`c@1`) it says what the
            topic adds to the score of the run.

        Returns
        -------
        Explanation
            It prints as a table with lines below; `to_pandas()` has all rows, and `plot()` draws them.

        Raises
        ------
        InputError
            Where the topic is not scored, or the run has changed since it was scored.
        UnknownMeasureError
            For a measure that was not scored, or that only ir-measures computes.

        Examples
        --------
        >>> from ir_trunc import calc
        >>> calc("RBPT", {"q": {"a": 1, "c": 1}}, {"q": ["a", "b"]}).explain("q")
        RBPT of topic q: 0.5200
             document grade   gain  score  change
        rank
        0                          0.0000  0.0000
        1           a     1 1.0000 0.6000  0.6000
        2           b     - 0.0000 0.5200 -0.0800
        <BLANKLINE>
        Of this score, the end of the list is worth 0.3200: a list that went on there,
          as at a cutoff of 2, would score 0.2000.
        Relevant: 2 documents, 1 of them down to rank 2.
        Not judged (-), which counts as not relevant: 1 document.
        The best end would be after 1 document: 0.6000.
        """
        return explanation.explain(self, topic, measure)

    def _row(self, measure: str | Measure) -> int:
        """The place of a measure; UnknownMeasureError where it was not scored."""
        wanted = parse_measure(measure)
        if wanted not in self.measures:
            measures = ", ".join(map(str, self.measures))
            raise UnknownMeasureError(f"The results have no measure {wanted}; they have: {measures}.")
        return self.measures.index(wanted)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Means with their 95 % confidence intervals, each measure on its own scale.

        Intervals are those of `ir_trunc.compare`; with keys they are over the values of the outermost key.
        Counts have none.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Axes

        Raises
        ------
        ParameterError
            Where a mean is not a finite number: there is no topic, for example.
        ImportError
            Where matplotlib is not installed.

        Examples
        --------
        >>> from ir_trunc import calc
        >>> ax = calc("RR", {"1": {"a": 1}, "2": {"b": 1}}, {"1": ["a"], "2": ["x", "b"]}).plot()
        >>> [text.get_text() for text in ax.texts]
        ['RR', '0.750']
        """

        intervals = np.array([inference.interval(self, row) for row in range(len(self.measures))])[..., None]
        means = pd.DataFrame([self._means], [self._units], [str(measure) for measure in self.measures])
        bounds = None if np.isnan(intervals).all() else (intervals[:, 0], intervals[:, 1])
        return plots._systems.scores_with_bounds(means, bounds, 0.05, ax)

    @property
    def _units(self) -> str:
        """Over what intervals are."""
        units = self.topics if self._nest is None else self._nest.groups[0]
        return counted(len(units), self.universe.keys[0] if self._nest else "topic")

    def estimate(self, row: int, unit: str | None = None) -> Any:
        """What independent units say of the mean of a measure.

        Parameters
        ----------
        row : int
            The place of the measure.
        unit : str, optional
            As for `unit_means`.

        Returns
        -------
        Estimate

        Raises
        ------
        ParameterError
            Where a measure is added up over topics, or looks at the whole run and has no values of units.

        Examples
        --------
        >>> from ir_trunc import calc
        >>> run = {topic: ["a"] for topic in "pqrs"}
        >>> estimate = calc("RR", dict.fromkeys(run, {"a": 1}), run).estimate(0)
        >>> estimate.interval().round(3).tolist()
        [0.398, 1.0]
        """
        return inference.estimate(self, row, unit)

    def quantity(self, function: Callable[[Rankings], Any], by_labels: bool, unit: str | None) -> Any:
        """What units say of a quantity of lists. function: values, or a part and the whole that it is of."""
        return inference.quantity(self, function, unit)

    def view_means(self, unit: str | None = None) -> Floats:
        """Means over all topics, over those with answers and over nil queries (3 x M), over units."""
        means = np.full((len(VIEWS), len(self.measures)), np.nan)
        for row, topics in enumerate((np.ones(len(self.nil), bool), ~self.nil, self.nil)):
            if topics.any():
                means[row] = (self if topics.all() else self.over(topics)).means(unit)
        return means

    def notes(self) -> Iterator[str]:
        """What stands below the means: where documents are tied, over which orders they are."""
        if self.ties is not None:
            yield self.ties.heading

    def refuse_unequal(self, name: str) -> None:
        """InputError where these scores of a run, called `name`, are not on equal terms with others."""

    def to_arrow(self) -> pa.Table:
        """A row for each measure and topic, in the columns query_id, measure, value."""
        topics = pa.array(self.topics, pa.string())
        columns = {
            "query_id": pa.chunked_array([topics] * len(self.measures)),
            "measure": pa.chunked_array([pa.repeat(str(measure), len(topics)) for measure in self.measures]),
            "value": pa.chunked_array([pa.array(row) for row in self.values]),
        }
        return pa.table(columns)

    @property
    def heading(self) -> str:
        """The means, and what a document NIL was taken for where a list holds it."""
        means = ", ".join(f"{measure}: {value:.4f}" for measure, value in self.aggregated.items())
        nil = self.rankings.nil
        named = f"; nil={nil.convention!r}, {len(nil)} of the lists hold that document" if nil else ""
        topics = counted(len(self.topics), "topic")
        if self._nest is not None:
            names = zip((*self.universe.keys[:-1], "list"), self._nest.groups)
            topics = ", ".join(counted(len(groups), name) for name, groups in names)
            if of_run := [str(self.measures[row]) for row in self._of_run]:
                named += f"; {', '.join(of_run)} computed from nested means"
        universe = self.universe
        named += f"; {universe.searched}" if universe.searches else ""
        named += f"; {universe.missing} missing from the run" if universe.missing else ""
        named += f"; {universe.excluded} more missing from the run, excluded" if universe.excluded else ""
        named += f"; {self.ties.heading}" if self.ties is not None else ""
        return f"Results over {topics} ({means}){named}"

    def _repr_html_(self) -> str:
        shown = self.to_pandas().head(_SHOWN)
        more = len(self.topics) - len(shown)
        label = f"all {len(self.topics)} topics" + (f" ({more} more)" if more else "")
        shown.loc[label] = list(self._means)
        return as_html(shown)


def as_table(data: Any, index: Any = None) -> ResultTable:
    """The data as a DataFrame that prints as results do."""
    from ir_trunc._scoring.tables import ResultTable  # with pandas: not before there is a table

    return ResultTable(data, index=index)
