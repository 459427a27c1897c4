"""Predictivity: how well the order of systems on some topics predicts their order on others.

Webber et al., SIGIR 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Repetitions, Seed, generator
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.meta.coefficients import tau
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better, labelled_table, rounded, square_table
from ir_trunc.meta.procedures import procedure
from ir_trunc.plots import _kit
from ir_trunc.plots._style import ACCENT
from ir_trunc.scoring._runs import progress
from ir_trunc.scoring._statistics import interval
from ir_trunc.scoring.results import Result

__all__ = ["Predictivity", "predictivity"]


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
        bounds = [interval(partial(_mean_tau, pair), *how) for pair in progress(own, "intervals", "measure")]
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
        shown = _kit.ready_axes(ax)
        own = [self.taus[:, row, row] for row in range(len(self.measures))]
        shown.boxplot(own, medianprops={"color": ACCENT, "linewidth": 2})
        shown.set_xticks(range(1, len(own) + 1), self.measures, rotation=30, ha="right")
        shown.set_ylabel("Kendall's tau between halves (no unit)")
        return shown


@procedure(
    source="Webber, Moffat, Zobel & Sakai, SIGIR 2008, https://doi.org/10.1145/1390334.1390456",
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
    half = len(matrix.topics) // 2
    if half < 1 or len(matrix.systems) < 2:
        raise InputError("predictivity needs at least two topics and two systems.")
    rng, M = generator(seed), len(matrix.measures)
    count, everyone = repetitions, np.arange(len(matrix.systems))
    halves, taus = np.empty((count, 2, M, len(matrix.systems))), np.empty((count, M, M))
    for split in progress(range(count), "halving", "split"):
        order = rng.permutation(len(matrix.topics))
        for side in range(2):
            chosen = np.zeros((len(matrix.systems), 1, len(order)), dtype=bool)
            chosen[:, :, order[side * half : (side + 1) * half]] = True
            halves[split, side] = higher_is_better(
                matrix.measures, rounded(matrix.over(everyone, chosen)[:, 0].T)
            )
        taus[split] = [[tau(first, second) for second in halves[split, 1]] for first in halves[split, 0]]
    return Predictivity(matrix.measures, matrix.systems, taus, halves, seed)


def _mean_tau(halves: Floats, drawn: Ints) -> float:
    """Mean tau over the splits (splits x 2 x S) between two orderings of the systems drawn."""
    return float(np.mean([tau(first[drawn], second[drawn]) for first, second in halves]))
