"""Splits: what one half of the topics says of the other.

Predictivity is how well the order of systems on one half predicts their order on the other (Webber et al.,
SIGIR 2008). Split tests ask how often the other half contradicts a significant difference (Zobel, SIGIR
1998). A measure of the whole run (`c@1`, `CWS`) is computed anew on each half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Alpha, Repetitions, Seed, generator
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.bootstrap import bootstrap_bounds
from ir_trunc._inference.significance import Test, TestName
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import labelled_table, square_table
from ir_trunc.measures.parts import over
from ir_trunc.meta.coefficients import tau
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better, rounded
from ir_trunc.meta.power import power
from ir_trunc.meta.procedures import procedure
from ir_trunc.meta.stability import SAME


@dataclass(frozen=True, eq=False, repr=False)
class SplitTests(Result):
    """What one half of the topics says of differences that are significant on the other half."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
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
        shares = {
            "significant": self.significant.mean(axis=1) / self.repetitions,
            "repeated": over(self.repeated.sum(axis=1), counts, otherwise=np.nan),
            "reversed": over(self.reversed.sum(axis=1), counts, otherwise=np.nan),
        }
        return labelled_table("measure", self.measures, shares)

    @property
    def heading(self) -> str:
        """The test, and how topics were split."""
        drawn = f"{self.repetitions} splits into two halves of {self.size} topics, seed {self.seed}"
        return f"{self.test} test, p < {self.alpha:g}, on one half; {drawn}; {len(self.systems)} systems"


@procedure(
    source="Zobel, SIGIR 1998, https://doi.org/10.1145/290941.291014; Webber, Moffat & Zobel, EVIA 2010,"
    " section 2"
)
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
        topics = counted(len(matrix.topics), "topic")
        raise InputError(f"{topics}: two halves for a test need at least four.")
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
class Predictivity(Result):
    """Kendall's tau between system orderings on two halves of the topics, for every split."""

    digits = 3

    measures: tuple[str, ...]
    systems: tuple[str, ...]
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
        bounds = [
            bootstrap_bounds(partial(_mean_tau, pair), *how) for pair in progress(own, "intervals", "measure")
        ]
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
    " Webber, Moffat & Zobel, EVIA 2010, section 2",
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
