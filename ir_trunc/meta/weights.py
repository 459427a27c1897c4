"""How much the ranks of a list weigh in a measure (Webber, Moffat & Zobel, 2010, Figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.rankings import Floats
from ir_trunc._scoring.objects import MeasureLike, parse_measures, written
from ir_trunc._scoring.results import Result
from ir_trunc.measures.params import Whole
from ir_trunc.meta.calibration import gains_of_one
from ir_trunc.meta.pools import own_formulas
from ir_trunc.meta.procedures import procedure


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
        named = zip(self.measures, self.shares)
        shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in named)
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


@procedure(source="Webber, Moffat & Zobel, EVIA 2010, Figure 1", command="weights")
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
    for row, measure, bound in zip(weights, wanted, own_formulas(wanted)):
        if bound.definition.scope == "run":
            raise ParameterError(f"{measure} looks at all lists of a run: no rank has a weight of its own.")
        row[:] = gains_of_one(bound, ranks, np.full(depth + 1, depth))
        if not row.sum() > 0:
            raise ParameterError(f"{measure} gives no weight to the only relevant document of a list.")
        row /= row.sum()
    return RankWeights(tuple(map(written, wanted)), depth, beyond, weights)
