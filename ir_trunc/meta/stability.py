"""Stability: how often other topics contradict a comparison of two systems.

Sets of c topics are drawn at random; x and y are the mean scores of two systems on such a set::

    tie    |x - y| < f max(|x|, |y|) (Buckley & Voorhees, SIGIR 2000), or relative to the spread, whatever the
           measure's scale is: |x - y| < f (highest - lowest mean of a system over all topics)
    error  sum of min(wins of x, wins of y) / comparisons, over all pairs of systems and sets
    swap   a second set, without a common topic, orders the systems the other way (Voorhees & Buckley, SIGIR
           2002)

For swaps, comparisons are binned by the size of x - y. The difference needed is the lower edge of the first
bin with a swap rate of at most 5 %. Sensitivity is the share of comparisons at or above that edge.

Two equal means always tie, two means of 0 too. A measure of the whole run (`c@1`, `CWS`) is computed anew on
every set, as Peñas & Rodrigo (ACL 2011) do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Repetitions, Seed, Several, generator, number, whole
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.significance import ratio_intervals, system_pairs
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import crossed, labelled_table
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.measures.parts import over
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better
from ir_trunc.meta.procedures import procedure

RelativeTo = Literal["score", "spread"]
SetSize = Annotated[int | None, Whole("topics in a set, by default half of them")]

FUZZINESS = tuple(percent / 100 for percent in range(1, 11))
BINS = 21
_CELLS = 1 << 21  # random numbers of one block
# relative: what is nearer is equal, so that a tie does not depend on the order in which a machine adds
SAME = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ErrorRates(Result):
    """Error rate and ties of M measures at F values of the fuzziness."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    fuzziness: tuple[float, ...]
    fewer_wins: Ints  # of the system that wins less often (M x F x pairs), out of `repetitions`
    ties_of_pairs: Ints  # (M x F x pairs), out of `repetitions`
    size: int  # topics in a set
    repetitions: int
    seed: int
    relative_to: RelativeTo = "score"  # what the fuzziness is a share of

    @property
    def errors(self) -> Floats:
        """Share of comparisons that contradict their pair's majority (M x F)."""
        return np.asarray(self.fewer_wins.mean(axis=2) / self.repetitions)

    @property
    def ties(self) -> Floats:
        """Share of comparisons that tie (M x F)."""
        return np.asarray(self.ties_of_pairs.mean(axis=2) / self.repetitions)

    def intervals(
        self, fuzziness: float = 0.05, confidence: float = 0.95, repetitions: int = 1000
    ) -> pd.DataFrame:
        """Bootstrap bounds over systems, by measure: error_low, error_high, ties_low and ties_high."""
        if number("fuzziness", fuzziness) not in self.fuzziness:
            raise ParameterError(f"fuzziness={fuzziness!r}: one of {self.fuzziness} is needed.")
        column, all_sets = self.fuzziness.index(fuzziness), np.array([[self.repetitions]])
        counts = self.fewer_wins[:, column], self.ties_of_pairs[:, column]
        how = len(self.systems), confidence, repetitions, self.seed
        bounds = [ratio_intervals(count, all_sets, *how) for count in counts]
        names = ["error_low", "error_high", "ties_low", "ties_high"]
        return labelled_table("measure", self.measures, np.hstack(bounds), names)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and fuzziness: measure, fuzziness, error_rate, ties."""
        levels = {"measure": self.measures, "fuzziness": self.fuzziness}
        return crossed(levels, {"error_rate": self.errors, "ties": self.ties})

    @property
    def heading(self) -> str:
        """How the sets were drawn."""
        drawn = f"{self.repetitions} sets of {self.size} topics for each pair of {len(self.systems)} systems"
        return f"{drawn}, seed {self.seed}; fuzziness relative to the {self.relative_to}"

    def summary(self) -> pd.DataFrame:
        """A row for each measure, a column for each fuzziness."""
        return self.to_pandas().pivot(index="measure", columns="fuzziness").loc[list(self.measures)]

    def plot(self, ax: Any = None) -> Any:
        """Error rate against ties, a curve over the fuzziness for each measure. Returns Axes."""
        series = {name: (100 * x, 100 * y) for name, x, y in zip(self.measures, self.ties, self.errors)}
        labels = "ties (% of comparisons)", "error rate (% of comparisons)"
        return plots._kit.draw_lines(plots._kit.ready_axes(ax), series, *labels)


@procedure(
    source="Buckley & Voorhees, SIGIR 2000, https://doi.org/10.1145/345508.345543; Peñas & Rodrigo, ACL 2011,"
    " section 4.2, figures 1 and 2",
    command="stability",
)
def error_rates(
    matrix: ScoreMatrix,
    size: SetSize = None,
    repetitions: Repetitions = 100,
    fuzziness: Annotated[
        tuple[float, ...], Several("shares below which a difference is a tie", Number("share", 0))
    ] = FUZZINESS,
    seed: Seed = 0,
    relative_to: Annotated[
        RelativeTo, Choice("what the fuzziness is a share of: the higher score or the spread")
    ] = "score",
) -> ErrorRates:
    """How often one set of topics contradicts most others about two systems, and how often they tie.

    Each pair of systems has its own sets of topics, the same for all measures.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    size : int, optional
        Topics in a set, from 1 to all; by default half of them.
    repetitions : int
        Sets that are drawn for every pair, 1 or more.
    fuzziness : sequence of float
        Two scores tie where their difference is below this share; 0 or more.
    seed : int
        Seed of the draws, 0 or more.
    relative_to : {'score', 'spread'}
        What the fuzziness is a share of: the higher of the two scores, or the spread of all systems' scores.

    Returns
    -------
    ErrorRates
        Error rate and ties at every fuzziness.

    Raises
    ------
    ParameterError
        Where a set would have more topics than there are.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.error_rates(matrix, repetitions=20, fuzziness=[0.05]).errors.round(3).tolist()
    [[0.0], [0.033]]
    """
    count = set_size(matrix, size, len(matrix.topics))
    spread = np.ptp(matrix.means(), axis=1)
    wins: list[Ints] = []
    for [(x, y)] in mean_scores(matrix, count, 1, repetitions, seed):
        gap = difference(x, y)
        bound = spread if relative_to == "spread" else np.maximum(np.abs(x), np.abs(y))
        apart = [np.abs(gap) >= f * bound * (1 - SAME) for f in fuzziness]
        both = [[((gap > 0) & far).sum(axis=1), ((gap < 0) & far).sum(axis=1)] for far in apart]
        wins.append(np.array(both).transpose(3, 0, 2, 1))
    counts = np.concatenate(wins, axis=2)
    fewer, ties = counts.min(axis=3), repetitions - counts.sum(axis=3)
    names = matrix.measures, matrix.systems
    return ErrorRates(*names, fuzziness, fewer, ties, count, repetitions, seed, relative_to)


def difference(x: Floats, y: Floats) -> Floats:
    """x - y, and 0 where they differ by rounding only."""
    return np.where(np.abs(x - y) <= SAME * np.maximum(np.abs(x), np.abs(y)), 0.0, x - y)


def mean_scores(
    matrix: ScoreMatrix, size: int, sets: int, repetitions: int, seed: int
) -> Iterator[list[tuple[Floats, Floats]]]:
    """For blocks of pairs, the mean scores of both members (pairs x repetitions x M) on each random set."""
    rng, T = generator(seed), len(matrix.topics)
    first, second = system_pairs(matrix.systems)
    which = np.zeros(T, dtype=np.int8)  # the number of a topic's set; 0 for none
    which[: sets * size] = np.repeat(np.arange(1, sets + 1), size)
    step = max(1, _CELLS // (repetitions * T))
    for start in progress(range(0, len(first), step), "drawing topics", "block"):
        a, b = first[start : start + step], second[start : start + step]
        drawn = rng.permuted(np.broadcast_to(which, (len(a), repetitions, T)), axis=2)
        chosen = (drawn == name for name in range(1, sets + 1))
        yield [(matrix.over(a, pick), matrix.over(b, pick)) for pick in chosen]


def set_size(matrix: ScoreMatrix, size: int | None, most: int) -> int:
    """Topics in a set: as given, by default half of them; ParameterError for more than there may be."""
    if len(matrix.topics) < 2:
        raise InputError("There is 1 topic: sets of topics need at least two.")
    return whole("size", max(1, len(matrix.topics) // 2) if size is None else size, 1, most)


@dataclass(frozen=True, eq=False, repr=False)
class SwapRates(Result):
    """Swaps of M measures in bins of the difference: bin b begins at b width, and the last has no end."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    comparisons: Ints  # (M x BINS x pairs)
    swaps: Ints  # (M x BINS x pairs)
    ties: Ints  # of the first bin, comparisons without a difference, which nothing can swap (M x pairs)
    width: float
    size: int  # topics in each of the two sets
    repetitions: int
    seed: int
    best: Floats  # the best mean score of a system over all topics (M)

    @property
    def rates(self) -> Floats:
        """Swap rate of every bin (M x BINS); NaN where no comparison in it has a difference."""
        comparisons = self.comparisons.sum(axis=2)
        rates = over(self.swaps.sum(axis=2), comparisons, otherwise=np.nan)
        rates[comparisons[:, 0] == self.ties.sum(axis=1), 0] = np.nan
        return rates

    def intervals(
        self, confidence: float = 0.95, repetitions: int = 1000, limit: float = 0.05
    ) -> pd.DataFrame:
        """Bootstrap bounds over systems, a row for each measure.

        low and high are those of the swap rate of all comparisons; difference_low, difference_high, share_low
        and share_high those of `sensitivity`. A difference is infinite where no bin is below the limit.
        """
        S, (part, all_of) = len(self.systems), (x.sum(axis=1) for x in (self.swaps, self.comparisons))
        bounds = ratio_intervals(part, all_of, S, confidence, repetitions, self.seed)
        count = whole("repetitions", repetitions, 1)
        times = generator(self.seed).multinomial(S, np.full(S, 1 / S), size=count)
        first, second = system_pairs(self.systems)
        drawn = self._sensitivity((times[:, first] * times[:, second]).astype(np.float64).T, limit)
        # Edges and shares of bins are not interpolated: each bound is a value that was drawn.
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        of_bins = [np.quantile(each, tails, axis=1, method="inverted_cdf").T.ravel() for each in drawn]
        names = ["low", "high", "difference_low", "difference_high", "share_low", "share_high"]
        return labelled_table("measure", self.measures, np.hstack([bounds, of_bins]), names)

    def sensitivity(self, limit: float = 0.05) -> pd.DataFrame:
        """How large a difference has to be for the swap rate to be within a limit, a row for each measure.

        overall_swap_rate: of all comparisons, whatever their difference. difference: the lower edge of the
        first bin within the limit; NaN where there is none. A first bin in which all differences are 0 says
        nothing of swaps, and is passed over. best_score: the best mean score of a system.
        relative_difference: the edge over the best score; NaN where that is not above 0. share: of the
        comparisons at or above the edge. The last four are those of Peñas & Rodrigo (ACL 2011, Table 2).
        """
        swaps, all_of = self.swaps.sum(axis=2), self.comparisons.sum(axis=2)
        difference, share = self._sensitivity(np.ones((self.swaps.shape[2], 1)), limit)[:, :, 0].T
        difference[np.isinf(difference)] = np.nan
        columns = {
            "overall_swap_rate": swaps.sum(axis=1) / all_of.sum(axis=1),
            "difference": difference,
            "best_score": self.best,
            "relative_difference": over(difference, np.maximum(self.best, 0), otherwise=np.nan),
            "share": share,
        }
        return labelled_table("measure", self.measures, columns)

    def _sensitivity(self, times: Floats, limit: float) -> Floats:
        """The edge of the first bin within the limit or infinity, and the share of comparisons from it on.

        times: how often each pair of systems is taken, in R draws (pairs x R). M x 2 x R values.
        """
        lost, all_of = self.swaps @ times, self.comparisons @ times  # M x BINS x R
        with np.errstate(over="ignore"):
            below = (all_of > 0) & (lost <= number("limit", limit) * all_of)
        below[:, 0] &= all_of[:, 0] > self.ties @ times
        first, any_below = below.argmax(axis=1), below.any(axis=1)
        above = all_of[:, ::-1].cumsum(axis=1)[:, ::-1]
        share = np.take_along_axis(above, first[:, None], 1)[:, 0] / np.maximum(1.0, above[:, 0])
        edge = np.where(any_below, first * self.width, np.inf)
        return np.stack([edge, np.where(any_below, share, 0.0)], axis=1)

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
        shown, edges = plots._kit.ready_axes(ax), np.arange(BINS) * self.width
        series = {name: (edges, 100 * rates) for name, rates in zip(self.measures, self.rates)}
        labels = "difference of mean scores on the first set of topics", "swap rate (% of comparisons)"
        plots._kit.draw_lines(shown, series, *labels)
        plots._kit.reference_line(shown, 5, "5 %")
        return shown


@procedure(
    source="Voorhees & Buckley, SIGIR 2002, https://doi.org/10.1145/564376.564432; Peñas & Rodrigo, ACL 2011,"
    " section 4.3, table 2",
    command="stability",
)
def swap_rates(
    matrix: ScoreMatrix,
    size: SetSize = None,
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
    counts: list[Ints] = []  # comparisons and swaps in each bin, then those without a difference
    for (x, y), (x2, y2) in mean_scores(matrix, count, 2, repetitions, seed):
        first, second = difference(x, y), difference(x2, y2)
        bins = np.minimum(np.floor(np.round(np.abs(first) / width, 9)), BINS - 1)
        in_bins = np.array([*(bins == b for b in range(BINS)), first == 0])
        counts.append(np.array([in_bins.sum(axis=2), (in_bins & (first * second < 0)).sum(axis=2)]))
    comparisons, swaps = np.concatenate(counts, axis=2).transpose(0, 3, 1, 2)
    best = higher_is_better(matrix.measures, matrix.oriented_means().max(axis=1))
    names = matrix.measures, matrix.systems
    binned = comparisons[:, :BINS], swaps[:, :BINS], comparisons[:, BINS]
    return SwapRates(*names, *binned, width, count, repetitions, seed, best)
