"""Discriminative power: how many pairs of systems a significance test tells apart (Sakai, SIGIR 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, get_args

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Alpha, Repetitions, Seed
from ir_trunc._core.rankings import Floats
from ir_trunc.measures.params import Choice
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.paired_tests import TESTS, Correction, Test, TestName, corrected
from ir_trunc.meta.pairs import pairs, place_of, ratio_intervals, square
from ir_trunc.meta.tables import by_name, square_table
from ir_trunc.plots import looks
from ir_trunc.scoring.results import Result, axes


@dataclass(frozen=True, eq=False, repr=False)
class Power(Result):
    """P values of all pairs of S systems under M measures.

    p: (M x pairs), corrected if `correction` is set; pairs stand in the order of
    `itertools.combinations(systems, 2)`. differences: of mean scores (M x pairs). needed: the difference of
    means at which each pair would have been significant at `alpha`, all else equal and without correction (M
    x pairs); by randomisation it is the bound of the draws, which grows with the difference itself.
    repetitions: draws used, 0 for the t test.
    """

    shapes = axes(p="measures pairs", differences="measures pairs", needed="measures pairs")

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    p: Floats
    differences: Floats
    needed: Floats
    test: Test
    alpha: float
    correction: Correction | None
    repetitions: int
    seed: int

    @property
    def share(self) -> Floats:
        """Discriminative power of each measure (M): share of pairs with p < alpha."""
        return np.asarray((self.p < self.alpha).mean(axis=1))

    def intervals(self, confidence: float = 0.95, repetitions: int = 1000) -> pd.DataFrame:
        """Bootstrap bounds over systems of the discriminative power, a row for each measure: low, high."""
        significant, each = (self.p < self.alpha).astype(np.float64), np.ones((1, self.p.shape[1]))
        bounds = ratio_intervals(significant, each, len(self.systems), confidence, repetitions, self.seed)
        return by_name("measure", self.measures, bounds, ["low", "high"])

    def matrix(self, measure: str | Measure) -> pd.DataFrame:
        """P values of one measure (text or object), systems by systems; 1 on the diagonal."""
        p = self.p[place_of(measure, self.measures)]
        return square_table(self.systems, square(p, len(self.systems), 1.0))

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure: discriminative power, pairs, median and largest difference needed."""
        columns = {
            "discriminative_power": self.share,
            "pairs": self.p.shape[1],
            "median_difference_needed": np.median(self.needed, axis=1),
            "largest_difference_needed": self.needed.max(axis=1),
        }
        return by_name("measure", self.measures, columns)

    def pairs(self) -> pd.DataFrame:
        """A row for each measure and pair: measure, system, other, difference, needed, p."""
        names = list(combinations(self.systems, 2))
        frame = pd.DataFrame(names * len(self.measures), columns=["system", "other"])
        frame.insert(0, "measure", np.repeat(self.measures, len(names)))
        return frame.assign(difference=self.differences.ravel(), needed=self.needed.ravel(), p=self.p.ravel())

    def frames(self) -> dict[str, pd.DataFrame]:
        """The table by measure, and the p values of all pairs."""
        return {"power": self.to_pandas(), "p-values": self.pairs()}

    @property
    def heading(self) -> str:
        """The test, its level, and what was drawn."""
        draws = f", {self.repetitions} repetitions, seed {self.seed}" if self.repetitions else ""
        corrected = f", corrected by {self.correction}" if self.correction else ""
        return f"{self.test} test, p < {self.alpha:g}{corrected}{draws}; {len(self.systems)} systems"

    def plot(self, ax: Any = None) -> Any:
        """Each measure's p values in descending order, as in Sakai's ASL curves; a mark at alpha.

        Returns Axes.
        """
        shown = looks.axes(ax)
        places = np.unique(np.linspace(0, self.p.shape[1] - 1, 60).astype(int))
        ordered = np.sort(self.p, axis=1)[:, ::-1][:, places]
        percent = 100 * (places + 1) / self.p.shape[1]
        series = {name: (percent, y) for name, y in zip(self.measures, ordered)}
        looks.lines(shown, series, "system pairs, from the highest p value to the lowest (%)", "p value")
        looks.level(shown, self.alpha, f"p = {self.alpha:g}")
        shown.set_ylim(0, 0.5)
        return shown


@procedure(source="Sakai, SIGIR 2006, https://doi.org/10.1145/1148170.1148261")
def power(
    matrix: ScoreMatrix,
    test: Annotated[
        Test, TestName("significance test, paired over topics and two-tailed", get_args(Test))
    ] = "t",
    alpha: Alpha = 0.05,
    correction: Annotated[
        Correction | None, Choice("correction for many comparisons", ("holm", "bh"))
    ] = None,
    repetitions: Repetitions = 1000,
    seed: Seed = 0,
) -> Power:
    """Share of system pairs that a significance test tells apart: the discriminative power of measures.

    All pairs and measures share their draws. No p value of a test that draws is below 1 / (1 + repetitions),
    which a correction multiplies: draw more, or take t.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`.
    test : {'t', 'bootstrap', 'randomisation'}
        The test.
    alpha : float
        Significance level, between 0 and 1.
    correction : {'holm', 'bh'}, optional
        Holm's or Benjamini and Hochberg's correction over the pairs of one measure.
    repetitions : int
        Draws of the two tests that draw, 1 or more.
    seed : int
        Seed of the draws, 0 or more.

    Returns
    -------
    Power
        P values, differences and the differences needed for significance.

    Raises
    ------
    InputError
        Where there is one topic or one system.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.power(matrix, alpha=0.2).share.round(3).tolist()
    [0.667, 0.667]
    """
    if len(matrix.topics) < 2:
        raise InputError("There is 1 topic: a significance test needs at least two.")
    first, second = pairs(matrix.systems)
    p, needed, drawn = [], [], 0
    for scores in matrix.paired():
        D = scores[first] - scores[second]
        # No test depends on the unit, and noise has one size.
        unit = np.where(D.any(axis=1), np.abs(D).max(axis=1), 1.0)
        found, critical, drawn = TESTS[test](D / unit[:, None], alpha, repetitions, seed)
        p.append(corrected(found, correction))
        needed.append(critical * unit)
    means = matrix.means()
    arrays = np.stack(p), means[:, first] - means[:, second], np.stack(needed)
    return Power(matrix.measures, matrix.systems, *arrays, test, alpha, correction, drawn, seed)
