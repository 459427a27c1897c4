"""Swap rates: how large a difference has to be for other topics not to turn it round.

Voorhees & Buckley, SIGIR 2002.

Two sets of c topics without a common one are drawn at random; x and y are the mean scores of two systems on
the first. Comparisons are binned by |x - y|, and swap if the second set says the opposite. Sensitivity is the
lower edge of the first bin with a swap rate of at most 5 %, and the share of comparisons at or above that
edge. Ties and measures of the whole run are treated as in `stability`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Repetitions, Seed, number
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.measures.params import Number
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.pairs import drawn_pairs, ratio_intervals
from ir_trunc.meta.stability import Size, difference, mean_scores, set_size
from ir_trunc.meta.tables import by_name, crossed
from ir_trunc.plots import looks
from ir_trunc.scoring.results import Result, axes

BINS = 21


@dataclass(frozen=True, eq=False, repr=False)
class SwapRates(Result):
    """Swaps by the size of the difference: comparisons, swaps (M x BINS x pairs).

    Bin b holds differences from b width to (b + 1) width, and the last bin all above. size: topics in each
    of the two sets. best: the highest mean score of a system over all topics (M).
    """

    shapes = axes(comparisons=f"measures {BINS} pairs", swaps=f"measures {BINS} pairs", best="measures")

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    comparisons: Ints
    swaps: Ints
    width: float
    size: int
    repetitions: int
    seed: int
    best: Floats

    @property
    def rates(self) -> Floats:
        """Swap rate of every bin (M x BINS); NaN where a bin has no comparison."""
        swaps, all_of = self.swaps.sum(axis=2), self.comparisons.sum(axis=2)
        return np.asarray(np.divide(swaps, all_of, out=np.full(swaps.shape, np.nan), where=all_of > 0))

    def intervals(
        self, confidence: float = 0.95, repetitions: int = 1000, limit: float = 0.05
    ) -> pd.DataFrame:
        """Bootstrap bounds over systems, a row for each measure.

        low and high are those of the swap rate of all comparisons; difference_low, difference_high, share_low
        and share_high those of `sensitivity`. A difference is infinite where no bin is below the limit.
        """
        part, all_of = (x.sum(axis=1).astype(np.float64) for x in (self.swaps, self.comparisons))
        bounds = ratio_intervals(part, all_of, len(self.systems), confidence, repetitions, self.seed)
        drawn = drawn_pairs(len(self.systems), repetitions, self.seed).T
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        both = zip(self.swaps, self.comparisons)
        found = [_sensitivity(s @ drawn, c @ drawn, self.width, limit) for s, c in both]
        # Edges and shares of bins are not interpolated: each bound is one that was drawn.
        of_bins = [np.quantile(one, tails, axis=1, method="inverted_cdf").T.ravel() for one in found]
        names = ["low", "high", "difference_low", "difference_high", "share_low", "share_high"]
        return by_name("measure", self.measures, np.hstack([bounds, of_bins]), names)

    def sensitivity(self, limit: float = 0.05) -> pd.DataFrame:
        """How large a difference has to be for the swap rate to be within a limit, a row for each measure.

        overall_swap_rate: of all comparisons, whatever their difference. difference: the lower edge of the
        first bin within the limit; NaN where there is none. best_score: the highest mean score of a system.
        relative_difference: the edge over the best score; NaN where that is not above 0. share: of the
        comparisons at or above the edge. The last four are those of Peñas & Rodrigo (ACL 2011, Table 2).
        """
        swaps, all_of, most = self.swaps.sum(axis=2), self.comparisons.sum(axis=2), number("limit", limit)
        found = [_sensitivity(s[:, None], c[:, None], self.width, most)[:, 0] for s, c in zip(swaps, all_of)]
        frame = by_name("measure", self.measures, found, ["difference", "share"]).replace(np.inf, np.nan)
        frame.insert(0, "overall_swap_rate", swaps.sum(axis=1) / all_of.sum(axis=1))
        frame.insert(2, "best_score", self.best)
        relative = (frame["difference"] / frame["best_score"]).where(frame["best_score"] > 0)
        frame.insert(3, "relative_difference", relative)
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and bin: measure, from_difference, comparisons, swaps, swap_rate."""
        levels = {"measure": self.measures, "from_difference": np.arange(BINS) * self.width}
        comparisons, swaps = self.comparisons.sum(axis=2), self.swaps.sum(axis=2)
        return crossed(levels, {"comparisons": comparisons, "swaps": swaps, "swap_rate": self.rates})

    @property
    def heading(self) -> str:
        """How the sets were drawn."""
        drawn = f"{self.repetitions} times two sets of {self.size} topics"
        return f"{drawn} for each pair of {len(self.systems)} systems, seed {self.seed}"

    def summary(self) -> pd.DataFrame:
        """The sensitivity of each measure."""
        return self.sensitivity()

    def plot(self, ax: Any = None) -> Any:
        """Swap rate against the difference on the first set, with a line at 5 %. Returns Axes."""
        shown, edges = looks.axes(ax), np.arange(BINS) * self.width
        series = {name: (edges, 100 * rates) for name, rates in zip(self.measures, self.rates)}
        difference = "difference of mean scores on the first set of topics"
        looks.lines(shown, series, difference, "swap rate (% of comparisons)")
        looks.level(shown, 5, "5 %")
        return shown


@procedure(source="Voorhees & Buckley, SIGIR 2002, https://doi.org/10.1145/564376.564432")
def swap_rates(
    matrix: ScoreMatrix,
    size: Size = None,
    repetitions: Repetitions = 100,
    width: Annotated[float, Number("width of a bin of differences", 0, inside=True)] = 0.01,
    seed: Seed = 0,
) -> SwapRates:
    """How often a difference of a given size is reversed on other topics.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    size : int, optional
        Topics in each of the two sets, by default and at most half of them.
    repetitions : int
        Pairs of sets that are drawn for every pair of systems, 1 or more.
    width : float
        Width of a bin of differences, above 0; measures on another scale than 0 to 1 need another width.
    seed : int
        Seed of the draws, 0 or more.

    Returns
    -------
    SwapRates
        Comparisons and swaps in every bin, and the sensitivity.

    Raises
    ------
    ParameterError
        Where a set would have more than half of the topics.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> found = meta.swap_rates(matrix, repetitions=20).sensitivity()
    >>> print(found.loc["RBPT"].round(3).to_string())
    overall_swap_rate      0.167
    difference             0.020
    best_score             0.578
    relative_difference    0.035
    share                  0.900
    """
    count = set_size(matrix, size, len(matrix.topics) // 2)
    found, swapped = [], []
    for (x, y), (x2, y2) in mean_scores(matrix, count, 2, repetitions, seed):
        first, second = difference(x, y), difference(x2, y2)
        bins = np.minimum(np.floor(np.round(np.abs(first) / width, 9)), BINS - 1)
        opposite = first * second < 0
        here = [bins == b for b in range(BINS)]
        found.append(np.array([at.sum(axis=1) for at in here]).transpose(2, 0, 1))
        swapped.append(np.array([(at & opposite).sum(axis=1) for at in here]).transpose(2, 0, 1))
    comparisons, swaps = np.concatenate(found, axis=2), np.concatenate(swapped, axis=2)
    drawn, best = (width, count, repetitions, seed), matrix.means().max(axis=1)
    return SwapRates(matrix.measures, matrix.systems, comparisons, swaps, *drawn, best)


def _sensitivity(swaps: npt.ArrayLike, comparisons: npt.ArrayLike, width: float, limit: float) -> Floats:
    """The edge of the first bin within the limit, and the share of comparisons above it (2 x R).

    The counts are those of bins (BINS x R). Where no bin has a swap rate within the limit, the edge is
    infinite and the share is 0; otherwise the share is of the comparisons at or above the edge.
    """
    lost, all_of = np.asarray(swaps, np.float64), np.asarray(comparisons, np.float64)
    below = (all_of > 0) & (lost <= limit * all_of)
    first, any_below = below.argmax(axis=0), below.any(axis=0)
    above = all_of[::-1].cumsum(axis=0)[::-1]
    share = above[first, np.arange(above.shape[1])] / np.maximum(1.0, above[0])
    return np.stack([np.where(any_below, first * width, np.inf), np.where(any_below, share, 0.0)])
