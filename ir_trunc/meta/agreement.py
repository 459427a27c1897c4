"""How far two measures agree: coefficients between the orderings that they produce.

These are Kendall's tau, tau_ap and rank-biased overlap. The impact of truncation is how scores and the order
of systems change when the ends of lists count (Liu et al., SIGIR 2016, Figure 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from ir_measures import Measure
from scipy import stats

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import mapping, number, numbers, one_of, text, whole
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.bounds import bootstrap_bounds
from ir_trunc._ranking.qrels import QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.runs import read_run
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import RunsLike, by_name, each_run
from ir_trunc._scoring.tables import labelled_table, square_table
from ir_trunc.measures.classical import EVIA
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.measures.terminal import LIU
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better, index_of_measure, rounded
from ir_trunc.meta.power import Power
from ir_trunc.meta.procedures import SingleMeasure, procedure

TieRule = Literal["a", "b", "w"]

_CELLS = 1 << 22  # values of one block of depths: 32 MB


def tau(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau b of two orderings: the share of pairs that they order alike, less that of the others.

    (C - D) / sqrt((C + D + X) (C + D + Y))

    C, D: pairs of items that both orderings have in one order, and in opposite orders; X, Y: pairs that only
    x, and only y, has tied. Symmetric, from -1 to 1; 0 where all values of one ordering are equal.

    Parameters
    ----------
    x, y : array_like of float
        A value of every item, in the order of the items; at least two. High values come first.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths, or fewer than two values.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.tau([3, 2, 1], [3, 1, 2]), 3)
    0.333
    """
    return float(np.nan_to_num(stats.kendalltau(*_same_items(x, y)).statistic))


def tau_ap(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau that weighs the top (Yilmaz, Aslam & Robertson, SIGIR 2008).

    2/(N - 1) sum_{i = 2..N} C_i / (i - 1) - 1

    C_i: items above rank i of ordering x that y, too, has above the item at rank i. From -1 to 1. It is not
    symmetric. Where x has ties, it is the mean over all orders of the tied items, tau_AP,a of Urbano &
    Marrero (ICTIR 2017). Where y has ties, it is not defined: take `tau_ap_b`.

    Parameters
    ----------
    x : array_like of float
        A value of every item, in the order of the items. High values come first.
    y : array_like of float
        Values of the same items in the same order, without ties.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths or fewer than two values, or y has ties.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.tau_ap([4, 3, 2, 1], [4, 3, 2, 1]), meta.tau_ap([1, 1, 1, 1], [4, 3, 2, 1])
    (1.0, 0.0)
    """
    a, b = _same_items(x, y)
    if len(np.unique(b)) < len(b):
        undefined = "its coefficient is not defined for them. Take tau_ap_b"
        raise InputError(f"The ordering y, against which tau_ap holds x, has ties: {undefined}.")
    top = _ranks(a)[0]
    order, rank = np.argsort(top, kind="stable"), np.arange(1, len(a) + 1)
    # In the orders of a tie group, an item has each of the ranks equally often, and half of the other items
    # that may be above it are above it.
    of_group = np.bincount(top, weights=_above_in_both(a, b)) / np.maximum(1, np.bincount(top))
    C = of_group[top[order]] + (rank - top[order]) / 2
    return float(2 * np.mean(C[1:] / (rank[1:] - 1)) - 1)


def tau_ap_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """tau_AP,b (Urbano & Marrero, ICTIR 2017): tau_ap where neither ordering is the true one, with ties.

    (t(x, y) + t(y, x)) / 2, where t(x, y) = 2/M sum_i C_i / (p_i - 1) - 1

    i runs over the M items outside x's first tie group; p_i: the first rank of i's tie group in x; C_i: items
    above that group that y, too, has above i. Without ties t is `tau_ap`. Symmetric, from -1 to 1; 0 where
    all values of one ordering are equal.

    Parameters
    ----------
    x, y : array_like of float
        A value of every item, in the order of the items; at least two. High values come first.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths, or fewer than two values.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.tau_ap_b([3, 2, 2, 1], [3, 2, 2, 1])
    1.0
    """
    a, b = _same_items(x, y)
    if (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    return (above_ties(a, b) + above_ties(b, a)) / 2


def above_ties(a: Floats, b: Floats) -> float:
    """t(a, b) of `tau_ap_b`; 0 where all values of a are equal."""
    top = _ranks(a)[0]
    below = top > 1
    return float(2 * np.mean(_above_in_both(a, b)[below] / (top[below] - 1)) - 1) if below.any() else 0.0


def rbo(x: Any, y: Any, p: float = 0.9, ties: TieRule = "b") -> float:
    """Rank-biased overlap of two orderings, extrapolated (Webber, Moffat & Zobel, TOIS 2010).

    A_l p^l + (1 - p)/p sum_{d = 1..l} A_d p^d

    A_d: agreement of the two orderings down to depth d, the share of items in common; l: length of the longer
    one. Beyond the end of the shorter ordering, of length s, its unseen items are taken to agree as those to
    depth s do (A_s). Symmetric, from 0 to 1.

    Parameters
    ----------
    x, y : array_like of float, or dict
        Values of the same items in the same order, or `{item: value}` each, which may hold different items
        and differ in length. High values come first.
    p : float
        The persistence, between 0 and 1: how much deeper ranks weigh.
    ties : {'a', 'b', 'w'}
        What A_d is where a tie group crosses depth d (Corsi & Urbano, SIGIR 2024). 'a': the mean over all
        orders of tied items, for orderings of one length. 'b': this mean, corrected for what the ties leave
        open, so that an ordering with ties agrees with itself by 1. 'w': tied items share their first rank,
        as in sports (Webber et al.).

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where an ordering is empty, or only one of them is a dict.
    ParameterError
        Where p or ties is not allowed.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.rbo({"a": 3, "b": 2, "c": 1}, {"a": 9, "c": 8}), 4)
    0.82
    """
    p = number("p", p, 0, 1, inside=True)
    one_of("ties", ties, ("a", "b", "w"))
    (shorter, s), (longer, length) = sorted(_tops_and_bottoms(x, y), key=lambda ordering: ordering[1])
    only_longer = shorter[0] > length
    agreement, at_s = np.empty(length), 0.0
    step = max(1, _CELLS // len(only_longer))
    # The first block ends at depth s, where the agreement that the second part extrapolates is known.
    starts = [*range(1, s + 1, step), *range(s + 1, length + 1, step)]
    for d in (np.arange(start, min(start + step, (s if start <= s else length) + 1)) for start in starts):
        in_shorter, in_longer = (_contributions(ranks, d, ties) for ranks in (shorter, longer))
        beyond = np.maximum(0, d - s)
        active = (in_longer[only_longer] > 0).sum(axis=0)
        share = in_longer[only_longer].sum(axis=0) / np.maximum(1, active)
        common = (in_shorter * in_longer).sum(axis=0) + beyond * at_s * share
        if ties == "a":
            size = d.astype(np.float64)
        elif ties == "w":
            size = (in_shorter.sum(axis=0) + beyond + in_longer.sum(axis=0)) / 2
        else:
            size = np.sqrt(((in_shorter**2).sum(axis=0) + beyond) * (in_longer**2).sum(axis=0))
        agreement[d - 1] = common / size
        at_s = agreement[s - 1] if d[-1] == s else at_s
    depth = np.arange(1, length + 1)
    both = _contributions(shorter, depth[-1:], ties) * _contributions(longer, depth[-1:], ties)
    last = (both.sum() + (length - s) * at_s) / length
    return float(last * p**length + (1 - p) / p * np.sum(agreement * p**depth))


def _contributions(ranks: tuple[Ints, Ints], d: Ints, ties: TieRule) -> Floats:
    """How far each item is among the first d (items x depths), from its tie group's first and last rank."""
    top, bottom = (one[:, None] for one in ranks)
    if ties == "w":
        return (d >= top).astype(np.float64)
    return np.clip((d - top + 1) / (bottom - top + 1), 0.0, 1.0)


def _ranks(values: Floats) -> tuple[Ints, Ints]:
    """First and last rank of every item's tie group; high values come first."""
    first, last = (stats.rankdata(-values, method).astype(np.int64) for method in ("min", "max"))
    return first, last


def _above_in_both(a: Floats, b: Floats) -> Floats:
    """For every item, how many others both orderings have above it."""
    return np.array([((a > one) & (b > other)).sum() for one, other in zip(a, b)], dtype=np.float64)


def _same_items(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = numbers("x", x), numbers("y", y)
    if a.shape != b.shape or len(a) < 2:
        sizes = f"{a.size} and {b.size} items"
        raise InputError(f"orderings of {sizes}: the same items, at least two, are needed.")
    return a, b


def _tops_and_bottoms(x: Any, y: Any) -> list[tuple[tuple[Ints, Ints], int]]:
    """The first and last ranks of all items of either ordering, the absent ones last, and its length."""
    if isinstance(x, Mapping) != isinstance(y, Mapping):
        raise InputError("x and y: both must be {item: value}, or both the values of the same items.")
    if not isinstance(x, Mapping):
        return [(_ranks(values), len(values)) for values in _same_items(x, y)]
    items = list(dict.fromkeys([*x, *y]))
    absent, orderings = len(items) * 2 + 1, []
    for ordering in (x, y):
        values = numbers("ordering", list(ordering.values()))
        if not len(values):
            raise InputError("an ordering needs at least one item.")
        place = {item: position for position, item in enumerate(ordering)}
        positions = np.array([place.get(item, -1) for item in items])
        top, bottom = (np.where(positions < 0, absent, ranks[positions]) for ranks in _ranks(values))
        orderings.append(((top, bottom), len(values)))
    return orderings


Coefficient = Literal["tau", "tau_ap", "tau_ap_b", "rbo"]

_AP = "AP correlation"
_WORDS = {"tau": "Kendall's tau", "tau_ap": _AP, "tau_ap_b": f"{_AP} with ties", "rbo": "Rank-biased overlap"}


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """A coefficient for every two of N orderings."""

    digits = 2

    names: tuple[str, ...]
    values: Floats  # coefficients (N x N), 1 on the diagonal
    coefficient: Coefficient
    of: str  # what was ordered
    orderings: Floats  # the values by which it was (N x items), high ones first: those of losses negative
    p: float  # persistence of rank-biased overlap

    def interval(
        self,
        name: str | Measure,
        other: str | Measure,
        confidence: float = 0.95,
        repetitions: int = 1000,
        seed: int = 0,
    ) -> tuple[float, float]:
        """Bootstrap bounds of one coefficient over the items that were ordered.

        An item that is drawn twice ties with itself; tau_ap leaves such ties out, as `tau_ap_b` does.
        """
        x, y = self.orderings[[index_of_measure(name, self.names), index_of_measure(other, self.names)]]
        compare = above_ties if self.coefficient == "tau_ap" else _functions(self.p)[self.coefficient]
        how = len(x), confidence, repetitions, seed
        return bootstrap_bounds(lambda drawn: compare(x[drawn], y[drawn]), *how)

    def to_pandas(self) -> pd.DataFrame:
        """Coefficients, names by names; for tau_ap the row is x and the column y, see `meta.tau_ap`."""
        return square_table(self.names, self.values)

    def p_values(self) -> pd.DataFrame:
        """P values of Kendall's tau, names by names: that the orderings do not depend on each other (scipy).

        `(p_values() < 0.001).sum().sum() / 2` of the N (N - 1) / 2 pairs are significant at this level. NaN
        on the diagonal, and where all values of an ordering are equal.
        """
        p = np.full(self.values.shape, np.nan)
        for row, column in combinations(range(len(self.names)), 2):
            p[row, column] = p[column, row] = stats.kendalltau(*self.orderings[[row, column]]).pvalue
        return square_table(self.names, p)

    def frames(self) -> dict[str, pd.DataFrame]:
        """A row for every two names: name, other and the coefficient."""
        wide = self.to_pandas().rename_axis("name").reset_index()
        name = f"{self.coefficient} of {self.of}".replace(" ", "-")
        return {name: wide.melt("name", var_name="other", value_name=self.coefficient)}

    @property
    def heading(self) -> str:
        """What was compared by which coefficient."""
        return f"{self.coefficient} between orderings of {self.of}"

    def block_means(self, blocks: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Mean coefficients inside of each block of names and between every two blocks.

        Parameters
        ----------
        blocks : {name: block}, optional
            By default the conditions of `meta.conditions`, or else the cutoffs: 10 for `AP@10`.

        Returns
        -------
        DataFrame
            Blocks by blocks; NaN on the diagonal for a block of one name.
        """
        if blocks is None:
            blocks = {name: (name.rpartition(", ")[2] or name).rpartition("@")[2] for name in self.names}
        block_by_name = mapping("blocks", blocks, "{name: block}")
        for name in self.names:
            if name not in block_by_name:
                raise InputError(f"blocks: {name} is in no block.")
        block_of = np.array([text("block", block_by_name[name]) for name in self.names])
        named = list(dict.fromkeys(block_of.tolist()))
        others, means = ~np.eye(len(self.names), dtype=bool), np.full((len(named), len(named)), np.nan)
        for row, column in product(range(len(named)), repeat=2):
            of_both = np.outer(block_of == named[row], block_of == named[column]) & others
            if of_both.any():
                means[row, column] = self.values[of_both].mean()
        return square_table(named, means)

    def scatter(
        self,
        name: str | Measure,
        other: str | Measure,
        ax: Any = None,
        coloured_by: Sequence[str] | None = None,
    ) -> Any:
        """Every item by its values in two orderings, as in Webber et al.'s Figure 2. Returns Axes.

        coloured_by: a name for each item, its collection for example (Amigó et al. 2022, figure 3).
        """
        row, column = index_of_measure(name, self.names), index_of_measure(other, self.names)
        shown = plots._kit.ready_axes(ax, 4.8)
        of_items = np.array(coloured_by if coloured_by is not None else [""] * self.orderings.shape[1])
        if len(of_items) != self.orderings.shape[1]:
            raise InputError(f"coloured_by has {len(of_items)} names for {self.orderings.shape[1]} items.")
        kinds = list(dict.fromkeys(of_items.tolist()))
        hollow = {"linestyle": "none", "fillstyle": "none", "markersize": 5}
        for kind, style in zip(kinds, plots._kit.line_styles(len(kinds))):
            marks = {"color": "0.2", "marker": "o"} if kinds == [""] else style
            shown.plot(*self.orderings[[row, column]][:, of_items == kind], label=kind, **marks | hollow)
        if coloured_by is not None:
            plots._kit.legend_beside(shown)
        title = f"{_WORDS[self.coefficient]}: {self.values[row, column]:.3f}"
        shown.set(xlabel=str(name), ylabel=str(other), title=title)
        return shown

    def plot(self, ax: Any = None) -> Any:
        """The matrix in shades of grey with its figures. Returns Axes."""
        shown = plots._kit.shaded_table(self.to_pandas(), "{:.2f}", ax)
        shown.set_title(f"{_WORDS[self.coefficient]} of {self.of}", fontsize="medium")
        return shown


@procedure(
    source=f"Kendall, Biometrika 1945, https://doi.org/10.1093/biomet/33.3.239; {EVIA}, tables 2 and 3",
    command="power",
)
def agreement(
    ordered: ScoreMatrix | Power | Mapping[str, npt.ArrayLike],
    coefficient: Annotated[Coefficient, Choice("coefficient between two orderings")] = "tau",
    p: Annotated[float, Number("persistence of rank-biased overlap", 0, 1, inside=True)] = 0.9,
) -> Agreement:
    """Agreement between every two measures: a coefficient between the orderings that they produce.

    Systems are ordered by their mean scores, the best first (the shape of Webber et al.'s Table 2), or pairs
    of systems by their p values (their Table 3).

    Parameters
    ----------
    ordered : ScoreMatrix, Power or mapping
        A score matrix, p values from `power`, or {name: values}, where high values come first.
    coefficient : {'tau', 'tau_ap', 'tau_ap_b', 'rbo'}
        'tau' is Kendall's tau b, which knows ties. 'tau_ap' weighs the top and is not symmetric; 'tau_ap_b'
        is, with ties. 'rbo' is rank-biased overlap.
    p : float
        Persistence of rank-biased overlap, between 0 and 1.

    Returns
    -------
    Agreement
        The coefficients, and the orderings that they are of.

    Raises
    ------
    InputError
        Where the orderings differ in length, or tau_ap is asked of an ordering with ties.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> print(meta.agreement(matrix))
    tau between orderings of systems by mean score
           AP  RBPT
    AP   1.00  0.33
    RBPT 0.33  1.00
    """
    if isinstance(ordered, ScoreMatrix):
        series, of = dict(zip(ordered.measures, ordered.oriented_means())), "systems by mean score"
    elif isinstance(ordered, Power):
        series, of = dict(zip(ordered.measures, rounded(-ordered.p))), "system pairs by p value"
    else:
        needed = f"{ScoreMatrix._needed} p values of meta.power or {{name: values}}"
        given, of = mapping("ordered", ordered, needed).items(), "values"
        series = {text("name", name): numbers(f"ordered[{name!r}]", values) for name, values in given}
    if len({len(values) for values in series.values()}) != 1:
        needed = "as many values for the same items in the same order are needed"
        raise InputError(f"orderings differ in length: {needed}.")
    compare, orderings = _functions(p)[coefficient], np.stack(list(series.values()))
    values = np.eye(len(series))
    for row, column in combinations(range(len(series)), 2):
        x, y = orderings[row], orderings[column]
        values[row, column] = compare(x, y)
        values[column, row] = compare(y, x) if coefficient == "tau_ap" else values[row, column]
    return Agreement(tuple(series), values, coefficient, of, orderings, p)


def _functions(p: float) -> dict[str, Callable[[Floats, Floats], float]]:
    return {"tau": tau, "tau_ap": tau_ap, "tau_ap_b": tau_ap_b, "rbo": lambda x, y: rbo(x, y, p)}


@dataclass(frozen=True, eq=False, repr=False)
class TruncationImpact(Result):
    """Share of truncated lists and both mean scores of every system."""

    measure: str  # with regard to the end of a list
    usual: str  # without
    depth: int
    systems: tuple[str, ...]
    truncated: Floats  # share of lists that are shorter than `depth` once NIL ends them
    before: Floats  # mean scores by `usual`
    after: Floats  # mean scores by `measure`

    def to_pandas(self) -> pd.DataFrame:
        """A row for each system: truncated, before, after, change."""
        columns = {"truncated": self.truncated, "before": self.before, "after": self.after}
        return labelled_table("system", self.systems, columns).assign(change=self.after - self.before)

    @property
    def tau(self) -> float:
        """Kendall's tau between the orders of the systems before and after; NaN for a single system."""
        if len(self.systems) < 2:
            return np.nan
        return tau(higher_is_better([self.usual], self.before), higher_is_better([self.measure], self.after))

    @property
    def heading(self) -> str:
        """Both measures, when a list is truncated, and tau."""
        measures = f"{self.usual} (before) and {self.measure} (after)"
        of_orders = f"; tau between both orders {self.tau:.3f}" if len(self.systems) > 1 else ""
        return f"{measures}; truncated: shorter than {self.depth}{of_orders}"

    def plot(self, ax: Any = None, top: int | None = None) -> Any:
        """Both scores of each system against its share of truncated lists, joined by a line. Returns Axes.

        top: how many systems are drawn, those with the best scores before; by default all.
        """
        count = len(self.systems) if top is None else whole("top", top, 1)
        best = np.sort(np.argsort(-higher_is_better([self.usual], self.before), kind="stable")[:count])
        before, after, x = self.before[best], self.after[best], 100 * self.truncated[best]
        shown = plots._kit.ready_axes(ax)
        shown.vlines(x, before, after, color=plots._kit.GREY, linewidth=1, zorder=1)
        usual = f"{plots._kit.label(self.usual)}, as usual"
        shown.plot(x, before, "o", color=plots._kit.INK, markerfacecolor="white", label=usual)
        with_end = f"{plots._kit.label(self.measure)}, with the end"
        shown.plot(x, after, "s", color=plots._kit.ACCENT, label=with_end)
        shown.set(xlabel=f"lists of fewer than {self.depth} documents (%)", ylabel="mean score")
        plots._kit.legend_above(shown, 2)
        return shown


@procedure(source=f"{LIU}, section 3, table 3 and figures 2 and 3")
@takes(HowRead)
def truncation_impact(
    measure: str | Measure,
    qrels: QrelsLike,
    runs: RunsLike,
    usual: Annotated[str | Measure, SingleMeasure("measure without regard to the end")] = "RBP(p=0.5)@5",
    depth: Annotated[int, Whole("length from which on a list is not truncated")] = 5,
    **reading: Unpack[HowRead],
) -> TruncationImpact:
    """How each system's scores change when the ends of its lists count.

    Before, the document NIL is worth 1 where nothing is relevant and 0 elsewhere, as at TREC 2001; after, it
    ends its list. A list that fills the evaluation depth need not have ended there: give both measures this
    depth as their cutoff, `RBPT(p=0.5)@5` and `RBP(p=0.5)@5` for example.

    Parameters
    ----------
    measure : text or measure
        A measure that reads the end of a list.
    qrels : path, dict, DataFrame or iterable
        Judgments, see `ir_trunc.read_qrels`.
    runs : folder, files or dict
        Runs, see `ir_trunc.compare`.
    usual : text or measure
        A measure that does not look at the end.
    depth : int
        A list of fewer documents counts as truncated; 1 or more.
    **options
        How runs are read, as for `ir_trunc.calc`.

    Returns
    -------
    TruncationImpact
        Share of truncated lists and both scores of each system.

    Raises
    ------
    InputError
        Where there is no run.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> qrels = {"1": {"a": 1}, "2": {"b": 0}}
    >>> runs = {"silent": {"1": ["a"], "2": ["NIL"]}, "talks": {"1": ["a", *"bcde"], "2": [*"abcde"]}}
    >>> print(meta.truncation_impact("RBPT(p=0.5)@5", qrels, runs).to_pandas().round(3))
            truncated  before  after  change
    system
    silent        1.0    0.50   1.00     0.5
    talks         0.0    0.25   0.25     0.0
    """
    ready, reading = read_qrels_of_runs(qrels, reading=reading)
    ends = Evaluator(measure, ready, nil="ends", **reading)
    plain = Evaluator(usual, ready, nil="trec2001", **reading)
    of_systems: dict[str, tuple[float, float, float]] = {}
    for name, rows in each_run(by_name(runs), "scoring"):
        run = read_run(rows, **reading)
        after, before = ends.calc(run), plain.calc(run)
        truncated = float((after.rankings.lengths < depth).mean())
        usual_mean, mean = (float(results.unit_means()[1][0].mean()) for results in (before, after))
        of_systems[name] = truncated, usual_mean, mean
    columns = np.array(list(of_systems.values())).T
    return TruncationImpact(str(ends.measures[0]), str(plain.measures[0]), depth, tuple(of_systems), *columns)
