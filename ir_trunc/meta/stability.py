"""Stability: how often the topics of one draw say what those of most others deny.

Sets of c topics are drawn at random; x and y are the mean scores of two systems on such a set.

    tie    |x - y| < f max(|x|, |y|) (Buckley & Voorhees, SIGIR 2000), or relative to the spread, whatever the
           measure's scale is: |x - y| < f (highest - lowest mean of a system over all topics)
    error  sum of min(wins of x, wins of y) / comparisons, over all pairs of systems and sets

Two equal means always tie, two means of 0 too. A measure of the whole run (`c@1`, `CWS`) is computed anew on
every set, as Peñas & Rodrigo (ACL 2011) do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Repetitions, Seed, Several, generator, number, whole
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.pairs import pairs, ratio_intervals
from ir_trunc.meta.tables import by_name, crossed
from ir_trunc.plots import looks
from ir_trunc.scoring.results import Result, axes
from ir_trunc.scoring.runs import progress

RelativeTo = Literal["score", "spread"]
Size = Annotated[int | None, Whole("topics in a set, by default half of them")]

FUZZINESS = tuple(percent / 100 for percent in range(1, 11))

_CELLS = 1 << 21  # random numbers of one block
# relative: what is nearer is equal, so that a tie does not depend on the order in which a machine adds
_SAME = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ErrorRates(Result):
    """Error rate and ties at every fuzziness (M x F each).

    fewer_wins, ties_of_pairs: counts (M x F x pairs) out of `repetitions` for each pair. size: topics in a
    set. relative_to: what the fuzziness is a share of.
    """

    shapes = axes(fewer_wins="measures fuzziness pairs", ties_of_pairs="measures fuzziness pairs")

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    fuzziness: tuple[float, ...]
    fewer_wins: Ints
    ties_of_pairs: Ints
    size: int
    repetitions: int
    seed: int
    relative_to: RelativeTo = "score"

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
        at, each = self.fuzziness.index(fuzziness), np.array([[float(self.repetitions)]])
        counts = (self.fewer_wins[:, at], self.ties_of_pairs[:, at])
        how = (len(self.systems), confidence, repetitions, self.seed)
        bounds = [ratio_intervals(count.astype(np.float64), each, *how) for count in counts]
        names = ["error_low", "error_high", "ties_low", "ties_high"]
        return by_name("measure", self.measures, np.hstack(bounds), names)

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
        return looks.lines(looks.axes(ax), series, "ties (% of comparisons)", "error rate (% of comparisons)")


@procedure(source="Buckley & Voorhees, SIGIR 2000, https://doi.org/10.1145/345508.345543")
def error_rates(
    matrix: ScoreMatrix,
    size: Size = None,
    repetitions: Repetitions = 100,
    fuzziness: Annotated[
        tuple[float, ...], Several("shares below which a difference is a tie", Number("share", 0))
    ] = FUZZINESS,
    seed: Seed = 0,
    relative_to: Annotated[
        RelativeTo,
        Choice("what the fuzziness is a share of: the higher score or the spread", ("score", "spread")),
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
        gap, highest = difference(x, y), np.maximum(np.abs(x), np.abs(y))
        bound = spread if relative_to == "spread" else highest
        each = []
        for f in fuzziness:
            tied = np.abs(gap) < f * bound * (1 - _SAME)
            each.append([((gap > 0) & ~tied).sum(axis=1), ((gap < 0) & ~tied).sum(axis=1)])
        wins.append(np.array(each).transpose(3, 0, 2, 1))
    counts = np.concatenate(wins, axis=2)
    fewer, ties = counts.min(axis=3), repetitions - counts.sum(axis=3)
    drawn = count, repetitions, seed
    return ErrorRates(matrix.measures, matrix.systems, fuzziness, fewer, ties, *drawn, relative_to)


def difference(x: Floats, y: Floats) -> Floats:
    """x - y, and 0 where only rounding tells them apart."""
    return np.where(np.abs(x - y) <= _SAME * np.maximum(np.abs(x), np.abs(y)), 0.0, x - y)


def mean_scores(
    matrix: ScoreMatrix, size: int, sets: int, repetitions: int, seed: int
) -> Iterator[list[tuple[Floats, Floats]]]:
    """For blocks of pairs, the mean scores of both members on random sets of topics.

    They are pairs x repetitions x M each, on as many sets.
    """
    rng, T = generator(seed), len(matrix.topics)
    first, second = pairs(matrix.systems)
    which = np.zeros(T, dtype=np.int8)
    for drawn_set in range(sets):
        which[drawn_set * size : (drawn_set + 1) * size] = drawn_set + 1
    step = max(1, _CELLS // (whole("repetitions", repetitions, 1) * T))
    for start in progress(range(0, len(first), step), "drawing topics", "block"):
        a, b = first[start : start + step], second[start : start + step]
        drawn = rng.permuted(np.broadcast_to(which, (len(a), repetitions, T)), axis=2)
        chosen = (drawn == number + 1 for number in range(sets))
        yield [(matrix.over(a, pick), matrix.over(b, pick)) for pick in chosen]


def set_size(matrix: ScoreMatrix, size: int | None, most: int) -> int:
    """Topics in a set: as given, by default half of them; ParameterError for more than there may be."""
    if len(matrix.topics) < 2:
        raise InputError("There is 1 topic: sets of topics need at least two.")
    return whole("size", max(1, len(matrix.topics) // 2) if size is None else size, 1, most)
