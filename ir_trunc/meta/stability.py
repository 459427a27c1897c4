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
every set, as Peñas & Rodrigo (ACL 2011) do, and on every half.

Predictivity is how well the order of systems on one half of the topics predicts their order on the other
(Webber et al., SIGIR 2008). Split tests count how often the other half contradicts a significant difference
(Zobel, SIGIR 1998).

Coverage of unanimous improvement (Amigó et al., JAIR 2011; Amigó, Mizzaro & Spina, SIGIR 2022): for systems
s, s' and topic pairs (t1, t2), with reference measures M::

    UIR(s, s') = share of pairs where s on t1 is at least s' on t2 in every m of M, less that of the reverse
    Cov(m)     = Spearman's rho over all ordered pairs of systems between m(s) - m(s') and UIR(s, s')
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from scipy import stats

from ir_trunc._core.errors import InputError, ParameterError, counted
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Alpha, Repetitions, Seed, Several, generator, number, whole
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.bounds import bootstrap_bounds
from ir_trunc._inference.significance import Test, TestName, ratio_intervals, system_pairs
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import crossed, labelled_table, square_table
from ir_trunc.measures.answering import PENAS_2011
from ir_trunc.measures.classical import EVIA
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.measures.parts import over
from ir_trunc.measures.terminal import AMIGO
from ir_trunc.meta.agreement import tau
from ir_trunc.meta.matrix import ScoreMatrix, SystemResult, higher_is_better, rounded
from ir_trunc.meta.power import power
from ir_trunc.meta.procedures import MatrixMeasures, WholeOrAll, procedure

RelativeTo = Literal["score", "spread"]
SetSize = Annotated[int | None, Whole("topics in a set, by default half of them")]

FUZZINESS = tuple(percent / 100 for percent in range(1, 11))
BINS = 21
_CELLS = 1 << 21  # random numbers of one block
# relative: what is nearer is equal, so that a tie does not depend on the order in which a machine adds
SAME = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ErrorRates(SystemResult):
    """Error rate and ties of M measures at F values of the fuzziness."""

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
    source="Buckley & Voorhees, SIGIR 2000, https://doi.org/10.1145/345508.345543;"
    f" {PENAS_2011}, section 4.2, figures 1 and 2",
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
class SwapRates(SystemResult):
    """Swaps of M measures in bins of the difference: bin b begins at b width, and the last has no end."""

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
    source="Voorhees & Buckley, SIGIR 2002, https://doi.org/10.1145/564376.564432;"
    f" {PENAS_2011}, section 4.3, table 2",
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
    how = comparisons[:, BINS], width, count, repetitions, seed, best
    return SwapRates(matrix.measures, matrix.systems, comparisons[:, :BINS], swaps[:, :BINS], *how)


@dataclass(frozen=True, eq=False, repr=False)
class SplitTests(SystemResult):
    """What one half of the topics says of differences that are significant on the other half."""

    significant: Ints  # comparisons with a significant difference on the first half (M x pairs)
    repeated: Ints  # of these, those with the same order, and significant, on the second half (M x pairs)
    reversed: Ints  # of these, those with the opposite order on the second half (M x pairs)
    size: int  # topics in each half
    repetitions: int
    test: Test
    alpha: float
    seed: int

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure: the share that is significant, and of these those repeated and reversed."""
        counts = self.significant.sum(axis=1)
        shares = {"significant": self.significant.mean(axis=1) / self.repetitions}
        for name in ("repeated", "reversed"):
            shares[name] = over(getattr(self, name).sum(axis=1), counts, otherwise=np.nan)
        return labelled_table("measure", self.measures, shares)

    @property
    def heading(self) -> str:
        """The test, and how topics were split."""
        drawn = f"{self.repetitions} splits into two halves of {self.size} topics, seed {self.seed}"
        return f"{self.test} test, p < {self.alpha:g}, on one half; {drawn}; {len(self.systems)} systems"


@procedure(source=f"Zobel, SIGIR 1998, https://doi.org/10.1145/290941.291014; {EVIA}, section 2")
def split_tests(
    matrix: ScoreMatrix,
    repetitions: Repetitions = 100,
    test: TestName = "t",
    alpha: Alpha = 0.05,
    seed: Seed = 0,
) -> SplitTests:
    """How often differences that are significant on half of the topics hold on the other half.

    All pairs of systems and all measures share the splits. With an odd number of topics, one is left out.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    repetitions : int
        Splits into halves, 1 or more.
    test : {'t', 'bootstrap', 'randomisation', 'sign'}
        The test, see the page of `ir_trunc.meta`; those that draw do so 1,000 times.
    alpha : float
        Significance level, between 0 and 1.
    seed : int
        Seed of the draws, 0 or more.

    Returns
    -------
    SplitTests
        For each measure the share of comparisons that are significant on one half, and of these the shares
        that are significant again, or in the opposite order, on the other half.

    Raises
    ------
    InputError
        Where there are fewer than four topics or two systems, or for `c@1` by the sign test.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> print(meta.split_tests(matrix, 20, alpha=0.2).to_pandas().round(2).to_string(index=False))
     significant  repeated  reversed
            0.28      0.82      0.00
            0.20      0.00      0.25
    """
    if len(matrix.topics) < 4:
        raise InputError(f"{counted(len(matrix.topics), 'topic')}: two halves for a test need at least four.")
    counts, names = [], np.array(matrix.topics)
    for halves in random_halves(matrix, repetitions, seed):
        parts = (matrix.take(topics=names[half].tolist()) for half in halves)
        one, other = (power(part, test, alpha, seed=seed) for part in parts)
        found, again = one.p < alpha, other.differences / np.where(one.differences, one.differences, np.inf)
        counts.append([found, found & (other.p < alpha) & (again > 0), found & (again < -SAME)])
    found, again, against = np.sum(counts, axis=0)
    how = len(names) // 2, repetitions, test, alpha, seed
    return SplitTests(matrix.measures, matrix.systems, found, again, against, *how)


def random_halves(matrix: ScoreMatrix, repetitions: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """The positions of the topics in two halves; of an odd number of topics one is left out."""
    half, rng = len(matrix.topics) // 2, generator(seed)
    for _ in progress(range(repetitions), "halving the topics", "split"):
        order = rng.permutation(len(matrix.topics))
        yield order[:half], order[half : 2 * half]


@dataclass(frozen=True, eq=False, repr=False)
class Predictivity(SystemResult):
    """Kendall's tau between system orderings on two halves of the topics, for every split."""

    digits = 3

    taus: Floats  # (splits x M x M), the row's measure on the first half, the column's on the second
    halves: Floats  # mean scores (splits x 2 x M x S), those of losses negative
    seed: int

    @property
    def values(self) -> Floats:
        """Mean tau over the splits (M x M); the diagonal is that of a measure with itself."""
        return np.asarray(self.taus.mean(axis=0))

    def intervals(self, confidence: float = 0.95, repetitions: int = 200) -> pd.DataFrame:
        """Bootstrap bounds over systems of the tau of each measure with itself: low, high."""
        own = self.halves.transpose(2, 0, 1, 3)  # by measure
        how = len(self.systems), confidence, repetitions, self.seed
        pairs = progress(own, "intervals", "measure")
        bounds = [bootstrap_bounds(partial(_mean_tau, pair), *how) for pair in pairs]
        return labelled_table("measure", self.measures, bounds, ["low", "high"])

    def to_pandas(self) -> pd.DataFrame:
        """Measures by measures: mean tau."""
        return square_table(self.measures, self.values)

    @property
    def heading(self) -> str:
        """How the topics were split."""
        drawn = f"{len(self.taus)} splits, seed {self.seed}"
        return f"mean tau between two halves of the topics; {drawn}; {len(self.systems)} systems"

    def plot(self, ax: Any = None) -> Any:
        """The taus of all splits for each measure with itself, as boxes. Returns Axes."""
        shown = plots._kit.ready_axes(ax)
        own = [self.taus[:, row, row] for row in range(len(self.measures))]
        shown.boxplot(own, medianprops={"color": plots._kit.ACCENT, "linewidth": 2})
        shown.set_xticks(range(1, len(own) + 1), self.measures, rotation=30, ha="right")
        shown.set_ylabel("Kendall's tau between halves (no unit)")
        return shown


@procedure(
    source="Webber, Moffat, Zobel & Sakai, SIGIR 2008, https://doi.org/10.1145/1390334.1390456;"
    f" {EVIA}, section 2",
    command="stability",
)
def predictivity(matrix: ScoreMatrix, repetitions: Repetitions = 100, seed: Seed = 0) -> Predictivity:
    """Kendall's tau between the orders of the systems on random halves of the topics.

    With an odd number of topics, one is left out. A measure of the whole run (`c@1`, `CWS`) is computed anew
    on each half.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    repetitions : int
        Splits into halves, 1 or more.
    seed : int
        Seed of the draws, 0 or more.

    Returns
    -------
    Predictivity
        Tau of every two measures, the first on one half and the second on the other, for every split.

    Raises
    ------
    InputError
        Where there are fewer than two topics or systems.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.predictivity(matrix, repetitions=20).values.round(3).tolist()
    [[0.862, 0.354], [0.46, 0.767]]
    """
    S, T = len(matrix.systems), len(matrix.topics)
    if T < 2 or S < 2:
        raise InputError("predictivity needs at least two topics and two systems.")
    means, taus = [], []
    for halves in random_halves(matrix, repetitions, seed):
        chosen = [np.broadcast_to(np.isin(np.arange(T), half), (S, 1, T)) for half in halves]
        of_halves = [rounded(matrix.over(np.arange(S), each)[:, 0].T) for each in chosen]
        means.append([higher_is_better(matrix.measures, each) for each in of_halves])
        taus.append([[tau(first, second) for second in means[-1][1]] for first in means[-1][0]])
    return Predictivity(matrix.measures, matrix.systems, np.array(taus), np.array(means), seed)


def _mean_tau(halves: Floats, drawn: Ints) -> float:
    """Mean tau over the splits (splits x 2 x S) between two orderings of the systems drawn."""
    return float(np.mean([tau(first[drawn], second[drawn]) for first, second in halves]))


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(SystemResult):
    """UIR of all pairs of S systems and Cov of M measures."""

    digits = 3

    reference: tuple[str, ...]
    uir: Floats  # (S x S), row s against column s'
    means: Floats  # mean scores (M x S), those of losses negative
    topic_pairs: int  # how many were compared
    exact: bool  # whether these are all
    seed: int

    @property
    def cov(self) -> Floats:
        """Cov of every measure (M)."""
        everyone = np.arange(len(self.systems))
        return np.array([_cov(means, self.uir, everyone) for means in self.means])

    def intervals(self, confidence: float = 0.95, repetitions: int = 200) -> pd.DataFrame:
        """Bootstrap bounds of Cov, a row for each measure: low, high. Systems are drawn."""
        how = len(self.systems), confidence, repetitions, self.seed
        bounds = [bootstrap_bounds(partial(_cov, means, self.uir), *how) for means in self.means]
        return labelled_table("measure", self.measures, bounds, ["low", "high"])

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure, the best first: cov."""
        frame = labelled_table("measure", self.measures, {"cov": self.cov})
        return frame.sort_values("cov", ascending=False, kind="stable")

    @property
    def heading(self) -> str:
        """The reference measures, and the number of pairs of topics."""
        pairs = f"{self.topic_pairs} topic pairs ({'all' if self.exact else f'seed {self.seed}'})"
        return f"Cov with respect to {', '.join(self.reference)}; {pairs}, {len(self.systems)} systems"


@procedure(
    source=f"Amigó, Gonzalo, Artiles & Verdejo, JAIR 2011; {AMIGO}, section 4.4 and table 3",
    command="stability",
)
def coverage(
    matrix: ScoreMatrix,
    reference: Annotated[Any, MatrixMeasures("reference measures, which score each topic by itself")],
    topic_pairs: Annotated[int | None, WholeOrAll("pairs of topics to draw, with replacement")] = 1000,
    seed: Seed = 0,
) -> Coverage:
    """How far a measure covers the improvements that all reference measures agree on.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    reference : text, measure or list of both
        Measures of the matrix that score each topic by itself.
    topic_pairs : int or None
        Pairs of topics to draw, with replacement; None takes all pairs.
    seed : int
        Seed of the draws, 0 or more.

    Returns
    -------
    Coverage
        The unanimous improvement ratio of all pairs of systems, and Cov of every measure.

    Raises
    ------
    InputError
        Where there are fewer than three systems, or a reference measure looks at the whole run.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.coverage(matrix, "AP").cov.round(3).tolist()
    [1.0, 0.829]
    """
    if len(matrix.systems) < 3:
        raise InputError(f"There are {len(matrix.systems)} systems: Cov needs at least three.")
    places = matrix.places(reference)
    if not places:
        raise InputError("No reference measure is named: at least one is needed.")
    T = len(matrix.topics)
    if topic_pairs is None:
        first, second = np.indices((T, T)).reshape(2, -1)
    else:
        first, second = generator(seed).integers(0, T, size=(2, topic_pairs))
    names = tuple(matrix.measures[place] for place in places)
    matrix.refuse_whole_run(names, "unanimity compares topics; take another reference")
    scores = higher_is_better(names, matrix.values[places])
    ours, theirs = scores[:, :, first], scores[:, :, second]
    uir = np.zeros((len(matrix.systems),) * 2)
    for s in progress(range(len(uir)), "UIR", "system"):
        own = ours[:, s, None]
        at_least = np.logical_and.reduce(own >= theirs).sum(axis=1)
        uir[s] = (at_least - np.logical_and.reduce(theirs >= own).sum(axis=1)) / len(first)
    means = matrix.oriented_means()
    return Coverage(matrix.measures, matrix.systems, names, uir, means, len(first), topic_pairs is None, seed)


def _cov(means: Floats, uir: Floats, drawn: Ints) -> float:
    """Spearman's rho over the ordered pairs of different systems drawn; 0 where one side is constant."""
    s, t = (drawn[rows] for rows in np.nonzero(drawn[:, None] != drawn[None, :]))
    x, y = means[s] - means[t], uir[s, t]
    if not len(x) or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    return float(stats.spearmanr(x, y).statistic)
