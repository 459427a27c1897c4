"""The score matrix: the score of every system on every topic under every measure.

Most procedures take one. It is made from runs (`score_matrix`) or from a table of scores
(`ScoreMatrix.from_pandas`).

Standardised scores tell how much better a system is than others were on the same topic, so they can be
compared across collections. They are those of Webber et al., SIGIR 2008, and the same mapped onto 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, Self, Unpack

import numpy as np
import numpy.typing as npt
from ir_measures import Measure
from scipy import special

from ir_trunc._core.errors import InputError, UnknownMeasureError, counted, nearest, option, shown, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, mapping, number, several
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings, canonical_order
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._read.arrow import one_id
from ir_trunc._read.reading import takes
from ir_trunc._saved import Saved, fields_of, from_json, plain
from ir_trunc._scoring.evaluator import Evaluator, ScoringOptions
from ir_trunc._scoring.objects import MeasureLike, bind, canonical, definition_of, parse_measure, written
from ir_trunc._scoring.results import Result, Results
from ir_trunc._scoring.runs import RunsLike, by_name, score_each
from ir_trunc._scoring.tables import crossed, labelled_table
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.declaration import items_of, lower_is_better, split_at_blanks
from ir_trunc.measures.definition import RunScores
from ir_trunc.measures.params import Choice
from ir_trunc.measures.parts import over
from ir_trunc.meta.procedures import procedure

_FORM = "the columns system, query_id, measure, value, or system, query_id and one for each measure,"


def _frame(table: Any) -> pd.DataFrame:
    """A row for each score."""
    converted = table
    if not isinstance(table, pd.DataFrame) and hasattr(table, "to_pandas"):
        try:
            converted = table.to_pandas()
        except Exception as error:  # of another library: polars' Int128 has no form in Arrow
            kind, reason = type(table).__name__, str(error).partition("\n")[0]
            what = f"this {kind} does not become one of pandas ({reason})"
            raise InputError(f"table: {what}: cast its values to floats.") from error
    if not isinstance(converted, pd.DataFrame):
        raise InputError(f"table of type {type(table).__name__}: a DataFrame with scores is needed.")
    frame = pd.DataFrame(converted)
    frame = frame.reset_index([name for name in frame.index.names if name is not None])
    frame = frame.rename(columns={"qid": "query_id"}) if "query_id" not in frame else frame
    columns = list(frame.columns)
    if not {"system", "query_id"} <= set(columns) or len(set(columns)) < len(columns):
        there = ", ".join(map(str, columns)) or "none"
        raise InputError(f"table: {_FORM} are needed, each once; its columns: {there}.")
    if not {"measure", "value"} <= set(columns):
        return frame.melt(["system", "query_id"], var_name="measure", value_name="value")
    for column in columns:
        if column not in ("system", "query_id", "measure", "value"):
            unknown = f"the column {shown(column)} is not known beside measure and value"
            raise InputError(f"table: {unknown}: {_FORM} are needed.")
    return frame.reset_index(drop=True)


def _is_number(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and bool(np.isfinite(value))


def _cell(row: Any) -> str:
    where = f"system {shown(row['system'])} on topic {shown(row['query_id'])}"
    return f"table: {shown(row['measure'])} of {where}"


def indices_of(wanted: Sequence[str], known: Sequence[str]) -> list[int]:
    """The positions of names; InputError for one that is missing."""
    positions = {name: position for position, name in enumerate(known)}
    for name in wanted:
        if not isinstance(name, str) or name not in positions:
            raise InputError(f"There is no {shown(name)} among {len(known)} names.{nearest(name, known)}")
    return [positions[name] for name in wanted]


def index_of_measure(measure: str | Measure, names: Sequence[str]) -> int:
    """The position of a measure, by its text or its object; UnknownMeasureError where it is missing."""
    if isinstance(measure, str) and measure in names:
        return list(names).index(measure)
    name, known = str(parse_measure(measure)), list(map(canonical, names))
    if name not in known:
        there = f"{', '.join(names)}.{nearest(name, names)}"
        raise UnknownMeasureError(f"There is no measure {name} here; there are: {there}")
    return known.index(name)


def rounded(x: npt.ArrayLike) -> Floats:
    """Values to 10 significant digits, so that the noise of additions orders no systems that tie."""
    values = np.asarray(x, dtype=np.float64)
    return np.array([float(f"{value:.10g}") for value in values.ravel().tolist()]).reshape(values.shape)


@dataclass(frozen=True, eq=False, repr=False)
class SystemResult(Result):
    """A result about S systems under M measures."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]


FEW = 10  # units of lists with keys, below which tests are rough


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(Saved):
    """Scores of S systems on T topics under M measures.

    A measure of scope 'run' (`c@1`, `CWS`) has values that depend on each other. Its lists in `runs` serve to
    compute it over drawn topics (`over`) and to test it (`paired`); a matrix that was loaded lacks them, and
    what needs them is an InputError.
    """

    shapes: ClassVar[Mapping[str, str]] = {"values": "measures systems topics"}
    _needed: ClassVar[str] = "a score matrix, which meta.score_matrix(measures, qrels, runs) makes,"

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # (M x S x T)
    runs: Mapping[str, tuple[RunScores, ...]] = field(default_factory=dict)  # of each system, by measure
    unit: str = "topic"  # what `topics` are: of lists with keys, the key whose values are independent

    def __post_init__(self) -> None:
        super().__post_init__()
        indices_of([*self.runs], self.measures)
        for m, s, t in np.argwhere(~np.isfinite(self.values))[:1]:
            where = f"{self.measures[m]}, system {self.systems[s]}, topic {self.topics[t]}"
            raise InputError(f"{where}: score {self.values[m, s, t]}; a finite number is needed.")

    @property
    def heading(self) -> str:
        """How many measures, systems and topics there are."""
        sizes = zip(self.values.shape, ("measure", "system", self.unit))
        return f"ScoreMatrix({', '.join(counted(size, what) for size, what in sizes)})"

    def summary(self) -> pd.DataFrame:
        """Mean scores: a row for each system, a column for each measure."""
        return labelled_table("system", self.systems, self.means().T, self.measures)

    @classmethod
    def from_pandas(cls, table: Any) -> Self:
        """The matrix of a table of scores, one for each system, topic and measure.

        table: a frame with the columns system, query_id (or qid), measure and value, as
        `compare(...).by_topic()` makes it, or system, query_id and a column for each measure, as `to_pandas`
        does; both may be in its index. Topics are put in the canonical order. Raises InputError where a score
        is missing, there twice or not a finite number.
        """
        frame, keys = _frame(table), ["measure", "system", "query_id"]
        if frame.empty:
            raise InputError("table: it has no scores.")
        for name in keys:
            frame[name] = [one_id(value, name, f"table, row {row}") for row, value in enumerate(frame[name])]
        for row in frame[frame.duplicated(keys)].to_dict("records"):
            raise InputError(f"{_cell(row)} has two scores.")
        for row in frame[[not _is_number(value) for value in frame["value"]]].to_dict("records"):
            raise InputError(f"{_cell(row)} has the score {shown(row['value'])}: a finite number is needed.")
        measures, systems, ids = (tuple(frame[name].unique().tolist()) for name in keys)
        topics = tuple(ids[position] for position in canonical_order(ids))
        wanted = pd.MultiIndex.from_product([measures, systems, topics], names=keys)
        scores = frame.set_index(keys)["value"].astype(float).reindex(wanted)
        for at in np.flatnonzero(scores.isna())[:1]:
            lacking = f"{_cell(dict(zip(keys, wanted[at])))} has no score ({scores.isna().sum()} are missing)"
            raise InputError(f"{lacking}: every system needs one for each topic and measure.")
        values = np.asarray(scores, np.float64).reshape(len(measures), len(systems), len(topics))
        return cls(measures, systems, topics, values)

    @classmethod
    def from_results(cls, results: Mapping[str, Results], unit: str | None = None) -> Self:
        """The matrix of the results of several runs, by name.

        Lists with keys are not independent of each other: the matrix has nested means of units, which are the
        values of the outermost key, or of the key `unit`. Raises InputError where the results have other
        topics or measures than the first, or fewer than two units.
        """
        needed = "the results of ir_trunc.calc, by name"
        named = mapping("results", results, needed)
        if not named:
            raise InputError(f"There are no results: {needed}, are needed.")
        for name, each in named.items():
            instance(f"results[{shown(name)}]", each, Results, "a result of ir_trunc.calc")
        first_name, first = next(iter(named.items()))
        means = {name: each.unit_means(unit) for name, each in named.items()}
        units, _ = means[first_name]
        for name, each in named.items():
            if each.measures != first.measures or means[name][0] != units:
                of = "topics" if each.measures == first.measures else "measures"
                remedy = f" (leave out {option('missing')}, which excludes topics)" if of == "topics" else ""
                raise InputError(f"{name} has other {of} than {first_name}: the same are needed{remedy}.")
        values = np.stack([of_units for _, of_units in means.values()], axis=1)
        keys = first.universe.keys
        what = unit or keys[0] if keys else "topic"
        if keys and len(units) < 2:
            tested = f"lists with keys are tested by {what}, which takes at least two"
            other = f"{option('unit')} names another key of {', '.join(keys)}"
            raise InputError(f"There is 1 {what}: {tested}; {other}.")
        if keys and len(units) < FEW:
            rough = f"with fewer than {FEW} units, tests and intervals are rough"
            warn(f"There are {len(units)} {what}s with keys: {rough}.")
        bound = {written(measure): bind(measure) for measure in first.measures}
        runs = run_scores(bound, [each.rankings for each in named.values()])
        return cls(tuple(bound), tuple(named), units, values, runs, what)

    def _data(self) -> Any:
        saved = ("measures", "systems", "topics", "values")
        data = {name: plain(getattr(self, name)) for name in saved} | {"whole_run": list(self.runs)}
        return data if self.unit == "topic" else data | {"unit": self.unit}

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        names = "values", "unit", "measures", "systems", "topics", "whole_run"
        saved = fields_of({"unit": "topic"} | data if isinstance(data, dict) else data, names, where)
        whole_run = from_json(saved.pop("whole_run"), tuple[str, ...], f"{where}, whole_run")
        return super()._from(saved | {"runs": {name: [] for name in whole_run}}, where)

    def __getitem__(self, measure: Any) -> Floats:
        """The scores under one measure (S x T), by its text or its ir-measures object."""
        scores: Floats = self.values[index_of_measure(measure, self.measures)]
        return scores

    def places(self, measures: Any) -> list[int]:
        """The positions of measures, given as texts, objects or a list of both."""

        def names_in(text: str) -> list[str]:  # a name of the matrix may have blanks
            return [text] if text in self.measures else split_at_blanks(text)

        needed = f"a measure of the matrix ({', '.join(self.measures)})"
        named_measures = items_of("measures", measures, needed, names_in)
        return [index_of_measure(measure, self.measures) for measure in named_measures]

    def means(self) -> Floats:
        """Mean scores over topics (M x S), rounded."""
        return rounded(self.values.mean(axis=2))

    def oriented_means(self) -> Floats:
        """Mean scores over topics (M x S), rounded, such that higher is better."""
        return higher_is_better(self.measures, self.means())

    def over(self, systems: Ints, sets: Bools) -> Floats:
        """The measures over sets of topics: of P systems R sets each (P x R x T), P x R x M values."""
        self._refuse_values_alone()
        scores: Floats = (sets / sets.sum(axis=-1, keepdims=True)) @ self.values.transpose(1, 2, 0)[systems]
        for name, runs in self.runs.items():
            row = self.measures.index(name)
            scores[:, :, row] = [runs[system].over(chosen) for system, chosen in zip(systems, sets)]
        return scores

    def paired(self) -> Floats:
        """What a paired test takes (M x S x T): scores, or influence values of measures of the whole run."""
        self._refuse_values_alone()
        values = self.values.copy()
        for name, runs in self.runs.items():
            values[self.measures.index(name)] = [run.influence() for run in runs]
        return values

    def refuse_whole_run(self, measures: Iterable[str], what: str) -> None:
        """InputError where one of these measures has no score of a topic alone."""
        for name in measures:
            if name in self.runs or _looks_at_the_whole_run(name):
                looks = f"{name} looks at all lists of a run"
                raise InputError(f"{looks}, and has no score of one topic alone: {what}.")

    def _refuse_values_alone(self) -> None:
        for name in self.measures:
            if not self.runs.get(name, ()) and (name in self.runs or _looks_at_the_whole_run(name)):
                depend = f"{name} looks at all lists of a run: its values by topic depend on each other"
                needed = "the lists are needed here. ir_trunc.meta.score_matrix keeps them"
                raise InputError(f"{depend}, so that {needed}.")

    def take(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None, measures: Any = None
    ) -> ScoreMatrix:
        """Some of the systems, some of the topics, some of the measures, in the order given."""
        if measures is not None:
            places = self.places(measures)
            names = tuple(self.measures[place] for place in places)
            own = {name: self.runs[name] for name in names if name in self.runs}
            return replace(self, measures=names, values=self.values[places], runs=own).take(systems, topics)
        if topics is not None:
            self._refuse_values_alone()
        rows = self.systems if systems is None else tuple(several("systems", systems, "names"))
        columns = self.topics if topics is None else tuple(several("topics", topics, "ids"))
        kept, places = indices_of(rows, self.systems), indices_of(columns, self.topics)
        values = self.values[np.ix_(range(len(self.measures)), kept, places)]
        runs = {name: tuple(of[row].take(places) for row in kept if of) for name, of in self.runs.items()}
        for name, each in runs.items() if topics is not None else ():
            values[self.measures.index(name)] = [run.measure.score(run.rankings) for run in each]
        return ScoreMatrix(self.measures, rows, columns, values, runs, self.unit)

    def without_worst(self, share: float = 0.25, measure: str | Measure | None = None) -> ScoreMatrix:
        """The matrix without the systems of the lowest means, as studies of measures leave out broken runs.

        share: of the systems, rounded down to whole ones. measure: by whose mean, the first one by default.
        """
        place = 0 if measure is None else index_of_measure(measure, self.measures)
        gone = int(number("share", share, 0, 1, inside=True) * len(self.systems))
        worst = np.argsort(self.oriented_means()[place], kind="stable")[:gone].tolist()
        return self.take([name for at, name in enumerate(self.systems) if at not in worst])

    def joined(self, others: Mapping[str, ScoreMatrix]) -> ScoreMatrix:
        """With others of the same systems and topics, whose measures are called 'measure, name'."""
        names, parts, runs = list(self.measures), [self.values], dict(self.runs)
        for name, other in mapping("others", others, "{name: matrix}").items():
            matrix_of(other)
            if (other.systems, other.topics) != (self.systems, self.topics):
                needed = "the same, in this order, are needed"
                raise InputError(f"matrix {shown(name)} has other systems or topics: {needed}.")
            names += [f"{measure}, {name}" for measure in other.measures]
            parts.append(other.values)
            runs |= {f"{measure}, {name}": each for measure, each in other.runs.items()}
        return ScoreMatrix(tuple(names), self.systems, self.topics, np.concatenate(parts), runs, self.unit)

    def to_pandas(self) -> pd.DataFrame:
        """Scores in rows of (system, query_id), a column for each measure."""
        index = pd.MultiIndex.from_product([self.systems, self.topics], names=["system", "query_id"])
        rows = self.values.reshape(len(self.measures), -1).T
        return pd.DataFrame(rows, index=index, columns=list(self.measures))


def higher_is_better(measures: Sequence[str], values: Floats) -> Floats:
    """Values by measure (M x ...) such that higher is better: those of losses have the opposite sign.

    A condition has the direction of its measure: 'HarmCompat@5, deep'.
    """
    both = ((measure, measure.partition(", ")[0]) for measure in measures)
    losses = np.array([any(map(lower_is_better, names)) for names in both], dtype=bool)
    return np.where(losses.reshape(-1, *[1] * (values.ndim - 1)), -values, values)


def matrix_of(value: Any) -> ScoreMatrix:
    """The argument, where it is a score matrix."""
    return instance("matrix", value, ScoreMatrix, ScoreMatrix._needed)


def _looks_at_the_whole_run(name: str) -> bool:
    try:
        definition = definition_of(parse_measure(name))
    except ValueError:  # scores may have any name
        return False
    return definition is not None and definition.scope == "run"


@takes(ScoringOptions)
def score_matrix(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    unit: str | None = None,
    **options: Unpack[ScoringOptions],
) -> ScoreMatrix:
    """The scores of many runs, by topic.

    A progress bar shows on a terminal where it takes long.

    Parameters
    ----------
    measures, qrels, **options
        As for `ir_trunc.calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.
    unit : str, optional
        Of lists with keys, the key whose values are independent, by default the outermost one: the matrix has
        their nested means.

    Returns
    -------
    ScoreMatrix
        Measures, systems and topics with their scores: what most of `ir_trunc.meta` starts from.

    Raises
    ------
    InputError
        Where there is no run, or qrels or a run cannot be read as such.
    ParameterError, UnknownMeasureError
        As `ir_trunc.calc` does.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> runs = {"short": {"q": ["a"]}, "long": {"q": ["a", "b", "c"]}}
    >>> meta.score_matrix("RBPT P@1", {"q": {"a": 1}}, runs).to_pandas().round(3)
                      RBPT  P@1
    system query_id
    short  q         1.000  1.0
    long   q         0.712  1.0
    """
    ready = Evaluator(measures, qrels, **options)
    return ScoreMatrix.from_results(dict(score_each(ready, by_name(runs), alike=True)), unit)


def run_scores(
    measures: Mapping[str, BoundMeasure | None], rankings: Sequence[Rankings]
) -> dict[str, tuple[RunScores, ...]]:
    """The lists of all systems under those measures that look at whole runs, by name."""
    looking = {name: bound for name, bound in measures.items() if bound and bound.definition.scope == "run"}
    return {name: tuple(RunScores(bound, lists) for lists in rankings) for name, bound in looking.items()}


Form = Literal["normal", "linear", "z"]

SLOPE, CENTRE = 0.15, 0.5
"""Sakai's A and B: by Chebyshev's inequality at least 89 % of the scores then lie in 0.05 to 0.95."""

_SAME = 1e-12  # relative


@dataclass(frozen=True, eq=False, repr=False)
class Reference(Saved):
    """The difficulty of topics as a set of systems found it (Webber et al., SIGIR 2008)."""

    shapes: ClassVar[Mapping[str, str]] = {"mean": "measures topics", "sd": "measures topics"}

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    systems: int  # how many there were
    mean: Floats  # (M x T)
    sd: Floats  # of the population (M x T)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.systems < 1:
            raise InputError(f"systems is {self.systems}: at least one is needed.")
        if not (np.isfinite(self.mean).all() and np.isfinite(self.sd).all() and (self.sd >= 0).all()):
            raise InputError("mean and sd: finite numbers are needed, and no standard deviation below 0.")

    @classmethod
    def of(cls, matrix: ScoreMatrix) -> Reference:
        """The reference that these systems give."""
        matrix_of(matrix).refuse_whole_run(matrix.measures, "it cannot be standardised by topic")
        mean, sd = matrix.values.mean(axis=1), matrix.values.std(axis=1)
        equal = sd <= _SAME * np.abs(matrix.values).max(axis=1)  # the sd of equal values may not round to 0
        return cls(matrix.measures, matrix.topics, len(matrix.systems), mean, np.where(equal, 0.0, sd))

    def standardise(self, matrix: ScoreMatrix) -> ScoreMatrix:
        """(score - mean) / sd for scores on topics of the reference; 0 where the sd is 0."""
        measures = [index_of_measure(name, self.measures) for name in matrix_of(matrix).measures]
        cells = np.ix_(measures, indices_of(matrix.topics, self.topics))
        mean, sd = self.mean[cells][:, None, :], self.sd[cells][:, None, :]
        return replace(matrix, values=over(matrix.values - mean, sd))

    @property
    def heading(self) -> str:
        """How many systems, measures and topics there are."""
        topics = f"difficulty of {len(self.topics)} topics"
        return f"{topics} as {self.systems} systems found it; means over the topics"

    def summary(self) -> pd.DataFrame:
        """A row for each measure: mean and sd, averaged over topics."""
        columns = {"mean": self.mean.mean(axis=1), "sd": self.sd.mean(axis=1)}
        return labelled_table("measure", self.measures, columns)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and topic: measure, query_id, mean, sd."""
        levels = {"measure": self.measures, "query_id": self.topics}
        return crossed(levels, {"mean": self.mean, "sd": self.sd})


@procedure(
    source="Webber, Moffat & Zobel, SIGIR 2008, https://doi.org/10.1145/1390334.1390346; the same, EVIA 2010,"
    " eq. 8; Sakai, ICTIR 2016"
)
def standardised(
    matrix: ScoreMatrix, form: Annotated[Form, Choice("what standardised scores become")] = "normal"
) -> ScoreMatrix:
    """Scores relative to how hard each topic was for these systems.

    With the mean m and the standard deviation s of the systems' scores on a topic, z = (score - m) / s, and
    0 where all systems are equal. 'normal' is the share of a normal distribution below z (Webber et al.);
    'linear' is 0.15 z + 0.5, cut to 0 and 1 (Sakai); 'z' is z itself. s is that of the population.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`. Other systems than these
        are standardised by `Reference.of(matrix).standardise(others)`, and mapped by `in_form`.
    form : {'normal', 'linear', 'z'}
        What standardised scores become.

    Returns
    -------
    ScoreMatrix
        From 0 to 1; without bounds for 'z'.

    Raises
    ------
    InputError
        Where a measure looks at the whole run, and has no score of one topic alone.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.standardised(matrix, "linear").means().round(3).tolist()
    [[0.601, 0.367, 0.532], [0.533, 0.387, 0.58]]
    """
    z_scores = Reference.of(matrix).standardise(matrix)
    return replace(z_scores, values=in_form(z_scores.values, form))


def in_form(z: Floats, form: Form) -> Floats:
    """Standardised scores in a form, see `standardised`."""
    if form == "z":
        return z
    return np.clip(SLOPE * z + CENTRE, 0.0, 1.0) if form == "linear" else np.asarray(special.ndtr(z))
