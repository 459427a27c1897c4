"""How far two measures agree: coefficients between the orderings that they produce."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import mapping, numbers, text
from ir_trunc._core.rankings import Floats
from ir_trunc._inference.bootstrap import bootstrap_bounds
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.tables import square_table
from ir_trunc.measures.params import Choice, Number
from ir_trunc.meta.coefficients import above_ties, rbo, tau, tau_ap, tau_ap_b
from ir_trunc.meta.matrix import ScoreMatrix, index_of_measure, rounded
from ir_trunc.meta.power import Power
from ir_trunc.meta.procedures import procedure

Coefficient = Literal["tau", "tau_ap", "tau_ap_b", "rbo"]

_WORDS = {
    "tau": "Kendall's tau",
    "tau_ap": "AP correlation",
    "tau_ap_b": "AP correlation with ties",
    "rbo": "Rank-biased overlap",
}


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
        return bootstrap_bounds(
            lambda drawn: compare(x[drawn], y[drawn]), len(x), confidence, repetitions, seed
        )

    def to_pandas(self) -> pd.DataFrame:
        """Coefficients, names by names; for tau_ap the row is x and the column y, see `meta.tau_ap`."""
        return square_table(self.names, self.values)

    def p_values(self) -> pd.DataFrame:
        """P values of Kendall's tau, names by names: that the orderings do not depend on each other (scipy).

        `(p_values() < 0.001).sum().sum() / 2` of the N (N - 1) / 2 pairs are significant at this level. NaN
        on the diagonal, and where all values of an ordering are equal.
        """
        from scipy.stats import kendalltau

        p = np.full(self.values.shape, np.nan)
        for row, column in combinations(range(len(self.names)), 2):
            p[row, column] = p[column, row] = kendalltau(*self.orderings[[row, column]]).pvalue
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
        for kind, style in zip(kinds, plots._kit.line_styles(len(kinds))):
            marks = {"color": "0.2", "marker": "o"} if kinds == [""] else style
            points = self.orderings[[row, column]][:, of_items == kind]
            shown.plot(
                *points, label=kind, **marks | {"linestyle": "none", "fillstyle": "none", "markersize": 5}
            )
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
    source="Kendall, Biometrika 1945, https://doi.org/10.1093/biomet/33.3.239; Webber, Moffat & Zobel, EVIA"
    " 2010, tables 2 and 3",
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
        raise InputError(
            "orderings differ in length: as many values for the same items in the same order are needed."
        )
    compare, orderings = _functions(p)[coefficient], np.stack(list(series.values()))
    values = np.eye(len(series))
    for row, column in combinations(range(len(series)), 2):
        x, y = orderings[row], orderings[column]
        values[row, column] = compare(x, y)
        values[column, row] = compare(y, x) if coefficient == "tau_ap" else values[row, column]
    return Agreement(tuple(series), values, coefficient, of, orderings, p)


def _functions(p: float) -> dict[str, Callable[[Floats, Floats], float]]:
    return {"tau": tau, "tau_ap": tau_ap, "tau_ap_b": tau_ap_b, "rbo": lambda x, y: rbo(x, y, p)}
