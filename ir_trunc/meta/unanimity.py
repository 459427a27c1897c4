"""Coverage of unanimous improvement (Amigó et al., JAIR 2011; Amigó, Mizzaro & Spina, SIGIR 2022).

For systems s, s' and topic pairs (t1, t2), with reference measures M::

    UIR(s, s') = share of pairs where s on t1 is at least s' on t2 in every m of M, less that of the reverse
    Cov(m)     = Spearman's rho over all ordered pairs of systems between m(s) - m(s') and UIR(s, s')
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy import stats

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Seed, generator
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._inference.bootstrap import bootstrap_bounds
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import labelled_table
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better
from ir_trunc.meta.procedures import MatrixMeasures, WholeOrAll, procedure


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Result):
    """UIR of all pairs of S systems and Cov of M measures."""

    digits = 3

    measures: tuple[str, ...]
    systems: tuple[str, ...]
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
    source="Amigó, Gonzalo, Artiles & Verdejo, JAIR 2011; Amigó, Mizzaro & Spina, SIGIR 2022,"
    " https://doi.org/10.1145/3477495.3532051, section 4.4 and table 3",
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
