"""Parameters by what they should mean (a break-even rank, or a residual), and the weights of ranks.

The weights say how much each rank of a list counts in a measure (Webber, Moffat & Zobel, 2010, Figure 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure
from scipy import optimize

from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import number, whole
from ir_trunc._core.rankings import Floats, Ints, Judgments, Rankings, offsets_of
from ir_trunc._scoring.objects import MeasureLike, own_formula, parse_measure, parse_measures, written
from ir_trunc._scoring.results import Result, Statement
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.classical import EVIA
from ir_trunc.measures.params import Number, Text, Whole
from ir_trunc.measures.terminal import AMIGO
from ir_trunc.meta.procedures import procedure

# How far, and how near to its lower bound, an unbounded parameter is searched.
_WIDEST, _NARROWEST = 1e6, 1e-300
DEEPEST = 100_000  # rank that can be asked for: its list is scored some 400 times


@dataclass(frozen=True, repr=False)
class Calibration(Statement):
    """A parameter's value at which one relevant document at `rank` is worth as much as returning nothing."""

    measure: str  # with the value
    parameter: str
    value: float
    rank: int
    gap: float  # the score of the list less that of the empty list, with the value
    last_rank: int  # at which a relevant document is still worth as much as nothing, or more

    def to_pandas(self) -> pd.DataFrame:
        """One row: measure, parameter, value, rank, gap, last_rank."""
        return pd.DataFrame([vars(self)])

    @property
    def heading(self) -> str:
        """The value, and what it gives when put back."""
        back = f"put back: one relevant document at rank {self.rank} less nothing = {self.gap:.1e}"
        pays = f"last rank that pays: {self.last_rank}"
        return f"{self.measure}\n{self.parameter} = {self.value!r}\n{back}; {pays}"


@procedure(
    source=f"after {AMIGO}, our extension of the calibration in sections 3.3 and 3.4.2", command="calibrate"
)
def break_even(
    measure: str | Measure,
    parameter: Annotated[str, Text("parameter of the measure that is a number: e, p or beta")],
    rank: Annotated[int, Whole("rank of the only relevant document", 1, DEEPEST)],
) -> Calibration:
    """The value of a parameter for which one relevant document at a rank is worth as much as silence.

    The list ends at `rank` with its only relevant document, of grade 1, and the topic has no other. The other
    parameters of the measure stay as they are.

    Parameters
    ----------
    measure : text or measure
        A measure that ir_trunc computes.
    parameter : str
        The parameter, a number of the measure.
    rank : int
        1 to 100000, and not beyond D where the measure has the size D of the collection as parameter.

    Returns
    -------
    Calibration
        The measure with the value, and what it gives when put back.

    Raises
    ------
    ParameterError
        Where the parameter is not a number, or no value of it breaks even.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.break_even("OIE", "beta", rank=20).value, 4)
    1.0464
    """
    parsed = parse_measure(measure)
    bound = own_formula(parsed)
    params = bound.definition.params.items()
    kinds = {name: param.kind for name, param in params if isinstance(param.kind, Number)}
    if parameter not in kinds:
        name, usable = bound.definition.name, ", ".join(kinds) or "nothing"
        raise ParameterError(f"{name}: parameter={shown(parameter)} cannot be calibrated; {usable} can.")
    kind = kinds[parameter]
    size = bound.params.get("D", DEEPEST * 10)
    if rank > size:
        raise ParameterError(f"{parsed}: rank={rank} is beyond the D={size} documents of the collection.")

    def with_value(value: float) -> BoundMeasure:
        return bound.with_params(**{parameter: value})

    def gap(value: float) -> float:
        return float(gains_over_silence(with_value(value), np.array([rank]))[0])

    low, high = max(kind.low, -_WIDEST), min(kind.high, _WIDEST)
    grid = low + np.geomspace(_NARROWEST, high - low, 400)
    if high < _WIDEST:
        grid = np.linspace(low, high, 402)[1:-1]
    # Near its bounds a parameter may take the whole score to 0, and far out nothing changes: signs count.
    signs = np.sign([gap(float(value)) for value in grid])
    change = np.flatnonzero(signs[1:] * signs[:-1] < 0)
    if not len(change):
        sign = signs.max() if signs.max() > 0 else signs.min()
        worth = {1: "more than", -1: "less than", 0: "as much as"}[sign]
        what = f"no {parameter} breaks even at rank {rank}: a relevant document there is worth {worth}"
        tried = f"{parameter} that was tried, from {grid[0]:.3g} to {grid[-1]:.3g}"
        raise ParameterError(f"{parsed}: {what} nothing at every {tried}.")
    place = change[0]
    value = float(optimize.brentq(gap, grid[place], grid[place + 1], xtol=_NARROWEST, rtol=8.9e-16))
    # At `rank` itself rounding decides.
    last = max(rank, last_rank_that_pays(with_value(value), min(2 * rank + 2, size)))
    return Calibration(str(parsed(**{parameter: value})), parameter, value, rank, gap(value), last)


def last_rank_that_pays(measure: BoundMeasure, deepest: int = 100) -> int:
    """The last rank to `deepest` at which one relevant document is worth at least nothing; 0: none."""
    ranks = np.arange(1, deepest + 1)
    return int(ranks[gains_over_silence(measure, ranks) >= 0].max(initial=0))


def gains_over_silence(measure: BoundMeasure, ranks: Ints) -> Floats:
    """Scores of lists that end at these ranks with their only relevant document, less that of none."""
    return gains_of_one(measure, ranks, np.append(0, ranks))


def gains_of_one(measure: BoundMeasure, ranks: Ints, lengths: Ints) -> Floats:
    """What the topic's only judged document, of grade 1, adds at each of R ranks.

    lengths: of the list without it, and of those that have it at each rank (R + 1).
    """
    rows, ones = np.arange(len(lengths)), np.ones_like(lengths)
    judgments = Judgments.from_rows([str(row) for row in rows], rows, ones)
    hits, starts = np.append(0, rows), offsets_of(lengths)[:-1]
    scores = measure.score(Rankings(judgments, lengths, hits, ranks, ones[1:], starts))
    return np.asarray(scores[1:] - scores[0])


def persistence(residual: float, depth: int) -> float:
    """The persistence at which all ranks beyond a depth together have a given weight.

    p = residual^(1/depth)

    Parameters
    ----------
    residual : float
        The weight of the ranks beyond the depth, between 0 and 1.
    depth : int
        1 or more.

    Returns
    -------
    float
        p, as `RBP(p=...)` takes it.

    Raises
    ------
    ParameterError
        Where residual or depth is out of its range.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.persistence(0.1, depth=10), 3)
    0.794
    """
    return float(number("residual", residual, 0, 1, inside=True) ** (1 / whole("depth", depth, 1)))


def residual(p: float, depth: int) -> float:
    """The weight that all ranks beyond a depth have together at a persistence.

    p^depth

    Parameters
    ----------
    p : float
        The persistence, between 0 and 1.
    depth : int
        0 or more.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ParameterError
        Where p or depth is out of its range.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.residual(0.8, depth=10), 3)
    0.107
    """
    return float(number("p", p, 0, 1, inside=True) ** whole("depth", depth, 0))


@dataclass(frozen=True, eq=False, repr=False)
class RankWeights(Result):
    """Weights of the ranks 1 to `depth` in M measures, as shares of their sum."""

    measures: tuple[str, ...]
    depth: int
    beyond: int
    weights: Floats  # (M x depth)

    @property
    def shares(self) -> Floats:
        """Share of the weight that lies beyond the rank `beyond` (M)."""
        return np.asarray(self.weights[:, self.beyond :].sum(axis=1))

    @property
    def heading(self) -> str:
        """The shares beyond the rank, in words."""
        shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in zip(self.measures, self.shares))
        return f"weight of the ranks {self.beyond + 1} to {self.depth} in that of 1 to {self.depth}: {shares}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each rank, a column for each measure."""
        ranks = pd.Index(range(1, self.depth + 1), name="rank")
        return pd.DataFrame(self.weights.T, ranks, list(self.measures))

    def plot(self, ax: Any = None) -> Any:
        """The weight of each rank, both axes logarithmic. Returns Axes."""
        ax, ranks = plots._kit.ready_axes(ax), np.arange(1, self.depth + 1)
        # What weighs nothing has no place on the axis.
        drawn = {name: (ranks[of > 0], of[of > 0]) for name, of in zip(self.measures, self.weights)}
        plots._kit.draw_lines(ax, drawn, "rank", f"share of the weight of {self.depth} ranks")
        ax.set(xscale="log", yscale="log")
        ax.axvline(self.beyond, color="0.8", linewidth=1, zorder=0)
        return ax


@procedure(source=f"{EVIA}, Figure 1", command="weights")
def rank_weights(
    measures: MeasureLike,
    depth: Annotated[int, Whole("documents of the list", 1, 10_000)] = 1000,
    beyond: Annotated[int, Whole("rank below which the share of the weight is reported", 0)] = 100,
) -> RankWeights:
    """Weight of each rank of a list in a measure: what its only relevant document is worth there.

    The list has `depth` documents, and the topic one relevant document, of grade 1. Its weight at a rank is
    the score with it there less the score of the same list without it. Weights are divided by their sum.

    Parameters
    ----------
    measures : text, measure or list of both
        Measures that ir_trunc computes.
    depth : int
        Documents of the list, 1 to 10000.
    beyond : int
        Rank below which the share of the weight is reported, less than `depth`.

    Returns
    -------
    RankWeights

    Raises
    ------
    ParameterError
        Where `beyond` is not above the end of the list, or a measure gives no rank any weight.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> print(meta.rank_weights("DCG RBP(p=0.9977)").heading)
    weight of the ranks 101 to 1000 in that of 1 to 1000: DCG 83.0 %, RBP(p=0.9977) 77.1 %
    """
    if beyond >= depth:
        raise ParameterError(f"beyond={beyond}: a rank above the depth of {depth} documents is needed.")
    wanted, ranks = parse_measures(measures), np.arange(1, depth + 1)
    weights = np.empty((len(wanted), depth))
    for row, measure in zip(weights, wanted):
        bound = own_formula(measure)
        if bound.definition.scope == "run":
            raise ParameterError(f"{measure} looks at all lists of a run: no rank has a weight of its own.")
        row[:] = gains_of_one(bound, ranks, np.full(depth + 1, depth))
        if not row.sum() > 0:
            raise ParameterError(f"{measure} gives no weight to the only relevant document of a list.")
        row /= row.sum()
    return RankWeights(tuple(map(written, wanted)), depth, beyond, weights)
