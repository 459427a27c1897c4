"""Discriminative power: the share of pairs of systems that a significance test tells apart (Sakai 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure
from scipy.spatial.distance import squareform

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Alpha, Repetitions, Seed
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference import significance
from ir_trunc._inference.significance import Correction, Test, TestName
from ir_trunc._scoring.tables import labelled_table, square_table
from ir_trunc.measures.classical import EVIA
from ir_trunc.measures.params import Choice
from ir_trunc.measures.parts import over
from ir_trunc.meta.matrix import ScoreMatrix, SystemResult, index_of_measure
from ir_trunc.meta.procedures import procedure


@dataclass(frozen=True, eq=False, repr=False)
class Power(SystemResult):
    """P values of all pairs of systems under M measures.

    Pairs are in the order of `itertools.combinations(systems, 2)`. `needed` is the difference of means at
    which each pair would have been significant at `alpha`, all else equal and without correction; by
    randomisation it is the bound of the draws, which grows with the difference itself. For the sign
    test, which looks at no means, it is infinite.
    """

    p: Floats  # (M x pairs), corrected if `correction` is set
    differences: Floats  # of mean scores (M x pairs)
    needed: Floats  # (M x pairs)
    moved: Ints  # topics on which the first system is above the second, and below it (2 x M x pairs)
    test: Test
    alpha: float
    correction: Correction | None
    repetitions: int  # draws used, 0 for a test that draws nothing
    seed: int
    units: str  # what the tests are paired over, '20 topics'

    @property
    def share(self) -> Floats:
        """Discriminative power of each measure (M): share of pairs with p < alpha."""
        return np.asarray((self.p < self.alpha).mean(axis=1))

    def intervals(self, confidence: float = 0.95, repetitions: int = 1000) -> pd.DataFrame:
        """Bootstrap bounds over systems of the discriminative power, a row for each measure: low, high."""
        significant, pairs = (self.p < self.alpha).astype(np.int64), np.ones((1, 1), np.int64)
        how = len(self.systems), confidence, repetitions, self.seed
        bounds = significance.ratio_intervals(significant, pairs, *how)
        return labelled_table("measure", self.measures, bounds, ["low", "high"])

    def matrix(self, measure: str | Measure) -> pd.DataFrame:
        """P values of one measure (text or object), systems by systems; 1 on the diagonal."""
        p = squareform(self.p[index_of_measure(measure, self.measures)])
        return square_table(self.systems, p + np.eye(len(p)))

    def overlap(self) -> pd.DataFrame:
        """Pairs that two measures both find significant, as a share of those that one of them does.

        NaN where neither finds any.
        """
        significant = (self.p < self.alpha).astype(np.int64)
        both, of_one = significant @ significant.T, significant.sum(axis=1)
        either = of_one[:, None] + of_one - both
        return square_table(self.measures, over(both, either, otherwise=np.nan))

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure: discriminative power, pairs, median and largest difference needed."""
        columns = {
            "discriminative_power": self.share,
            "pairs": self.p.shape[1],
            "median_difference_needed": np.median(self.needed, axis=1),
            "largest_difference_needed": self.needed.max(axis=1),
        }
        return labelled_table("measure", self.measures, columns)

    def pairs(self) -> pd.DataFrame:
        """A row for each measure and pair: measure, system, other, difference, needed, p.

        The sign test has the numbers of topics `up` and `down` in place of `needed`.
        """
        names = list(combinations(self.systems, 2))
        frame = pd.DataFrame(names * len(self.measures), columns=["system", "other"])
        frame.insert(0, "measure", np.repeat(self.measures, len(names)))
        of_test = {"needed": self.needed} if self.test != "sign" else dict(zip(("up", "down"), self.moved))
        columns = {"difference": self.differences, **of_test, "p": self.p}
        return frame.assign(**{name: values.ravel() for name, values in columns.items()})

    def frames(self) -> dict[str, pd.DataFrame]:
        """The table by measure, and the p values of all pairs."""
        return {"power": self.to_pandas(), "p-values": self.pairs()}

    @property
    def heading(self) -> str:
        """The test, its level, and what was drawn."""
        draws = f", {self.repetitions} repetitions, seed {self.seed}" if self.repetitions else ""
        correction = f", corrected by {self.correction}" if self.correction else ""
        test = f"{self.test} test, p < {self.alpha:g}{correction}{draws}; {len(self.systems)} systems"
        needed = "difference needed: that at which a pair would be significant, all else equal"
        return f"{test}, {self.units}\n{needed}"

    def plot(self, ax: Any = None) -> Any:
        """Each measure's p values in descending order, as Sakai draws them. Returns Axes."""
        shown = plots._kit.ready_axes(ax)
        places = np.unique(np.linspace(0, self.p.shape[1] - 1, 60).astype(int))
        ordered = np.sort(self.p, axis=1)[:, ::-1][:, places]
        percent = 100 * (places + 1) / self.p.shape[1]
        series = {name: (percent, y) for name, y in zip(self.measures, ordered)}
        pairs = "system pairs, from the highest p value to the lowest (%)"
        plots._kit.draw_lines(shown, series, pairs, "p value")
        plots._kit.reference_line(shown, self.alpha, f"p = {self.alpha:g}")
        shown.set_ylim(0, 0.5)
        return shown


@procedure(
    source=f"Sakai, SIGIR 2006, https://doi.org/10.1145/1148170.1148261; {EVIA}, section 3.2 and table 1",
    command="power",
)
def power(
    matrix: ScoreMatrix,
    test: TestName = "t",
    alpha: Alpha = 0.05,
    correction: Annotated[Correction | None, Choice("correction for many comparisons")] = None,
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
    test : {'t', 'bootstrap', 'randomisation', 'sign'}
        The test, see the page of `ir_trunc.meta`.
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
        Where there is one topic or one system, or a measure of the whole run for the sign test.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.power(matrix, alpha=0.2).share.round(3).tolist()
    [0.667, 0.667]
    """
    if len(matrix.topics) < 2:
        raise InputError(f"There is 1 {matrix.unit}: a significance test needs at least two.")
    if test == "sign":
        matrix.refuse_whole_run(matrix.measures, "the sign test counts topics")
    first, second = significance.system_pairs(matrix.systems)
    setting = significance.Setting(first, second, alpha, repetitions, seed)
    p, needed, up_and_down, drawn = [], [], [], 0
    for scores in matrix.paired():
        D = setting.differences(scores)
        # No test depends on the unit, and noise has one size.
        unit = np.where(D.any(axis=1), np.abs(D).max(axis=1), 1.0)
        uncorrected, critical, drawn = significance.TESTS[test](D / unit[:, None], scores, setting)
        p.append(significance.corrected(uncorrected, correction))
        needed.append(critical * unit)
        up_and_down.append(significance.ups_and_downs(D))
    means = matrix.means()
    arrays = np.stack(p), means[:, first] - means[:, second], np.stack(needed), np.stack(up_and_down, axis=1)
    units = counted(len(matrix.topics), matrix.unit)
    return Power(matrix.measures, matrix.systems, *arrays, test, alpha, correction, drawn, seed, units)
