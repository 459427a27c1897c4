"""Pools simulated from runs: what would have been judged if less had been pooled, or other systems.

A document is in the pool of depth d if it is among the first d documents of any pooled run. A simulated pool
keeps the judgments of its documents and forgets all others; it cannot add what nobody has judged, so
`coverage` says how much of it the assessors saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc._core.errors import InputError, UnknownMeasureError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import cached_property
from ir_trunc._core.parameters import several, whole
from ir_trunc._core.rankings import Bools, Ints, Judgments, Rankings, offsets_of
from ir_trunc._ranking.doors import read_qrels_of_runs, read_run
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.rank import join_run
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc.measures import BoundMeasure, scores
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.pairs import positions
from ir_trunc.meta.scored_runs import named_runs, run_scores
from ir_trunc.scoring.objects import bind, parse_measures, written
from ir_trunc.scoring.runs import RunsLike, progress

_ABSENT = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """Runs with the judged documents in them, from which pools of any depth are simulated.

    qrels: all judgments (K). systems: S names. rankings: one for each system. places: for each system the
    place in `qrels.keys` of every judged document of its lists.
    """

    qrels: Qrels
    systems: tuple[str, ...]
    rankings: tuple[Rankings, ...]
    places: tuple[Ints, ...]

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """The rank of every judged document in every run (S x K); the largest number where it is absent."""
        ranks = np.full((len(self.systems), len(self.qrels.keys)), _ABSENT, dtype=np.int32)
        for row, rankings, places in zip(ranks, self.rankings, self.places):
            row[places] = rankings.judged_ranks
        return ranks

    def in_pool(self, depth: int, pooled: Iterable[str] | None = None) -> Bools:
        """Which judgments (K) the pool of this depth holds. pooled: systems that feed it, by default all."""
        depth, rows = whole("pool depth", depth, 1), self._places(pooled)
        return np.asarray((self.ranks[rows] <= depth).any(axis=0))

    def coverage(self, depth: int, pooled: Iterable[str] | None = None) -> float:
        """Share of the places in the first `depth` ranks of the pooled runs whose document is judged.

        1 in a pool that was judged in full; where it is low, the simulated pool is shallower than it claims.
        """
        depth, at = whole("depth", depth, 1), self._places(pooled)
        judged = sum(int((self.rankings[i].judged_ranks <= depth).sum()) for i in at)
        shown = sum(int(np.minimum(self.rankings[i].lengths, depth).sum()) for i in at)
        return judged / shown if shown else 0.0

    def _places(self, pooled: Iterable[str] | None) -> Sequence[int]:
        if pooled is None:
            return range(len(self.systems))
        return positions(several("pooled", pooled, "names of systems"), self.systems)

    def judgments(self, keep: Bools) -> Judgments:
        """Some of the judgments, on the judgement scale of all.

        The scale belongs to the assessors, not to the pool.
        """
        topics = self.qrels.judgments.topics
        rows = self.qrels.keys // max(1, len(self.qrels.docs))
        kept = Judgments.from_rows(topics, rows[keep], self.qrels.grades[keep])
        return replace(kept, levels=self.qrels.judgments.levels)

    def with_judgments(self, system: int, keep: Bools, judgments: Judgments) -> Rankings:
        """One run's lists where only some documents are judged."""
        rankings, shown = self.rankings[system], keep[self.places[system]]
        per_topic = np.bincount(rankings.judged_rows[shown], minlength=len(rankings))
        return replace(
            rankings,
            judgments=judgments,
            judged_offsets=offsets_of(per_topic),
            judged_ranks=rankings.judged_ranks[shown],
            judged_grades=rankings.judged_grades[shown],
        )

    def score(self, measures: Any, keep: Bools | None = None) -> ScoreMatrix:
        """Scores of all systems by some of the judgments (K; by default all)."""
        parsed = parse_measures(measures)
        count = len(self.qrels.keys)
        shown = np.ones(count, dtype=bool) if keep is None else keep
        if not (isinstance(shown, np.ndarray) and shown.dtype.kind == "b" and shown.shape == (count,)):
            raise InputError(
                f"keep: a truth value for each of {count} judgments is needed, as in_pool gives."
            )
        return self.matrix(dict(zip(map(written, parsed), own_formulas(parsed))), shown)

    def matrix(self, measures: Mapping[str, BoundMeasure], keep: Bools) -> ScoreMatrix:
        """The scores by these formulas, by name."""
        judgments = self.judgments(keep)
        rankings = [self.with_judgments(at, keep, judgments) for at in range(len(self.systems))]
        values = np.array([scores(measures.values(), lists) for lists in rankings]).transpose(1, 0, 2)
        runs = run_scores(measures, rankings)
        return ScoreMatrix(tuple(measures), self.systems, judgments.topics, values, runs)


@keywords_of(Reading)
def pooled_runs(
    qrels: QrelsLike, runs: RunsLike, nil: NilRule | Convention | None = None, **reading: Unpack[HowRead]
) -> PooledRuns:
    """Runs read once for any number of simulated pools.

    A progress bar shows on a terminal where it takes long.

    Parameters
    ----------
    qrels, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.

    Returns
    -------
    PooledRuns
        What `pool_grid` and `leave_group_out` take.

    Raises
    ------
    InputError
        Where there is no run, qrels or a run cannot be read, or NIL is an answer that nobody judged
        ('trec2001', 'sakai').

    Examples
    --------
    >>> from ir_trunc import meta
    >>> runs = {"one": {"q": ["a", "x"]}, "two": {"q": ["b", "a"]}}
    >>> pooled = meta.pooled_runs({"q": {"a": 1, "b": 0}}, runs)
    >>> pooled.systems, pooled.coverage(depth=1)
    (('one', 'two'), 1.0)
    """
    ready, reading = read_qrels_of_runs(qrels, nil=nil, reading=reading)
    named = named_runs(runs)
    if ready.nil.answers:
        raise InputError(
            f"nil={ready.nil.convention!r} makes NIL an answer that no pool holds: nil='ends' is needed here."
        )
    joined = [join_run(ready, read_run(run, **reading)) for run in progress(named.values(), "reading", "run")]
    lists, places = tuple(lists for lists, _ in joined), tuple(run.keys for _, run in joined)
    return PooledRuns(ready, tuple(named), lists, places)


def own_formulas(measures: Iterable[Measure]) -> list[BoundMeasure]:
    """The formulas of measures; UnknownMeasureError where only another provider knows one."""
    found = []
    for measure in measures:
        formula = bind(measure)
        if formula is None:
            raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: its formula is needed here.")
        found.append(formula)
    return found
