"""How far two measures agree: Kendall's tau, tau_ap and rank-biased overlap of the orderings that they produce."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from ir_trunc.errors import InputError, ParameterError
from ir_trunc.meta.intervals import interval
from ir_trunc.meta.matrix import ScoreMatrix, positions, settled
from ir_trunc.meta.significance import Power
from ir_trunc.rankings import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

Bounds = tuple[float, float]
Coefficient = Literal["tau", "tau_ap", "rbo"]


@dataclass(frozen=True, eq=False)
class Agreement:
    """A coefficient for every two of N orderings: values (N x N), 1 on the diagonal.

    of: what was ordered. orderings: the values by which it was (N x items), high ones first. p: of rank-biased overlap.
    """

    names: tuple[str, ...]
    values: Floats
    coefficient: Coefficient
    of: str
    orderings: Floats
    p: float

    def interval(self, name: str, other: str, confidence: float = 0.95, repetitions: int = 1000, seed: int = 0) -> Bounds:
        """Bootstrap bounds of one coefficient; what is drawn are the items that were ordered."""
        x, y = self.orderings[positions([name, other], self.names)]
        compare = _functions(self.p)[self.coefficient]
        return interval(lambda drawn: compare(x[drawn], y[drawn]), len(x), confidence, repetitions, seed)

    def to_pandas(self) -> pd.DataFrame:
        """Names by names; for tau_ap the row is the ordering that is looked at, the column the one it is held against."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return f"{self.coefficient} between orderings of {self.of}\n{self.to_pandas().to_string(float_format='%.2f')}"

    def scatter(self, name: str, other: str, ax: Any = None) -> Any:
        """Every item by its values in two orderings, with the coefficient (Webber et al.'s Figure 2). Returns Axes."""
        from ir_trunc.meta.figures import axes

        shown, (row, column) = axes(ax, 4.8), positions([name, other], self.names)
        shown.plot(self.orderings[row], self.orderings[column], "o", color="0.2", markersize=4, fillstyle="none")
        shown.set(xlabel=name, ylabel=other, title=f"{self.coefficient} = {self.values[row, column]:.3f}")
        return shown

    def plot(self, ax: Any = None) -> Any:
        """The matrix in shades of grey with its figures. Returns Axes."""
        from ir_trunc.meta.figures import axes, table

        side = 2.5 + 0.55 * len(self.names)
        return table(axes(ax, side + 0.8, side), self.values, self.names, f"{self.coefficient} of {self.of} (no unit)")


def agreement(
    ordered: ScoreMatrix | Power | Mapping[str, npt.ArrayLike], coefficient: Coefficient = "tau", p: float = 0.9
) -> Agreement:
    """Agreement between every two measures.

    ordered: a score matrix (systems in the order of their mean scores; the shape of Webber et al.'s Table 2); p values from
    `power` (pairs of systems in the order of significance; their Table 3); or {name: values}, where high values come first.
    coefficient: 'tau' (Kendall's tau b, which knows ties), 'tau_ap' or 'rbo'. p: persistence of rank-biased overlap.
    """
    if isinstance(ordered, ScoreMatrix):
        series, of = dict(zip(ordered.measures, ordered.means())), "systems by mean score"
    elif isinstance(ordered, Power):
        series, of = dict(zip(ordered.measures, settled(-ordered.p))), "system pairs by p value"
    else:
        series, of = {name: np.asarray(values, np.float64) for name, values in ordered.items()}, "values"
    if len({len(values) for values in series.values()}) != 1:
        raise InputError("orderings differ in length: as many values for the same items in the same order are needed.")
    functions = _functions(p)
    if coefficient not in functions:
        raise ParameterError(f"coefficient={coefficient!r} is unknown: {' or '.join(map(repr, functions))} is needed.")
    compare = functions[coefficient]
    values = np.eye(len(series))
    for row, x in enumerate(series.values()):
        for column, y in enumerate(series.values()):
            if coefficient != "tau_ap" and column < row:
                values[row, column] = values[column, row]
            elif column != row:
                values[row, column] = compare(x, y)
    return Agreement(tuple(series), values, coefficient, of, np.stack(list(series.values())), p)


def _functions(p: float) -> dict[str, Callable[[Floats, Floats], float]]:
    return {"tau": tau, "tau_ap": tau_ap, "rbo": lambda x, y: rbo(x, y, p)}


def tau(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau b; 0 where all values of one ordering are equal."""
    found = float(stats.kendalltau(x, y).statistic)
    return 0.0 if np.isnan(found) else found


def tau_ap(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau that weighs the top (Yilmaz, Aslam & Robertson, SIGIR 2008).

    2/(N - 1) sum_{i = 2..N} C_i / (i - 1) - 1

    C_i: items above rank i of ordering x that y, too, has above the item at rank i. Not symmetric. Equal values stand in
    the order in which they are given. From -1 to 1; one item alone: InputError.
    """
    at = _places(x, y)
    below = np.tril(at[:, None] > at[None, :], k=-1).sum(axis=1)[1:]  # of the items above, those that y has above, too
    return float(2 * np.mean(below / np.arange(1, len(at))) - 1)


def rbo(x: npt.ArrayLike, y: npt.ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap of two orderings of the same N items, extrapolated (Webber, Moffat & Zobel, TOIS 2010).

    A_N p^N + (1 - p)/p sum_{d = 1..N} A_d p^d

    A_d: share of items that the two orderings have in common down to depth d (A_N = 1). Equal values stand in the order in
    which they are given. From 0 to 1.
    """
    if not 0 < p < 1:
        raise ParameterError(f"p={p!r}: a number > 0 and < 1 is needed.")
    at = _places(x, y)
    N = len(at)
    # An item is common from the greater of its two ranks on.
    common = np.cumsum(np.bincount(np.maximum(at, np.arange(N)), minlength=N))
    depth = np.arange(1, N + 1)
    return float(common[-1] / N * p**N + (1 - p) / p * np.sum(common / depth * p**depth))


def _places(x: npt.ArrayLike, y: npt.ArrayLike) -> Ints:
    """The places in ordering y of the items, which are taken in the order of x."""
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if len(a) != len(b) or len(a) < 2:
        raise InputError(f"orderings of {len(a)} and {len(b)} items: the same items, at least two, are needed.")
    order = np.argsort(-b, kind="stable")
    place = np.empty(len(b), dtype=np.int64)
    place[order] = np.arange(len(b))
    return place[np.argsort(-a, kind="stable")]
