"""Pools simulated from runs: what would have been judged with a shallower pool or with other systems.

A document is in the pool of depth d if it is among the first d documents of any pooled run. A simulated pool
keeps the judgments of its documents; it cannot add what nobody has judged, and `coverage` says how much is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError, counted, option
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import several, whole
from ir_trunc._core.rankings import Bools, Floats, Ints, Judgments, Rankings, offsets_of
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import Convention, NilRule, Run
from ir_trunc._ranking.runs import join_run, read_run
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._scoring.objects import MeasureLike, bind, parse_measures, written
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import RunsLike, by_name, progress
from ir_trunc._scoring.tables import crossed
from ir_trunc.measures import BoundMeasure, scores
from ir_trunc.measures.params import Whole
from ir_trunc.meta.matrix import ScoreMatrix, higher_is_better, indices_of, rounded, run_scores
from ir_trunc.meta.procedures import SystemGroups, procedure

_ABSENT = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False, repr=False)
class PooledRuns:
    """Runs with the judged documents in them, from which pools of any depth are simulated."""

    _needed: ClassVar[str] = "the result of meta.pooled_runs"

    qrels: Qrels  # all judgments (K)
    systems: tuple[str, ...]
    rankings: tuple[Rankings, ...]  # of each system
    places: tuple[Ints, ...]  # for each system, where the judged documents of its lists are in `qrels.keys`

    def __repr__(self) -> str:
        systems, topics = counted(len(self.systems), "system"), counted(len(self.qrels.topic_ids), "topic")
        return f"PooledRuns({systems}, {topics}, {counted(len(self.qrels.keys), 'judged document')})"

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
        """Share of judged documents in the first `depth` ranks of the pooled runs; 1 for a full pool."""
        depth, rows = whole("depth", depth, 1), self._places(pooled)
        judged = sum(int((self.rankings[i].judged_ranks <= depth).sum()) for i in rows)
        shown = sum(int(np.minimum(self.rankings[i].lengths, depth).sum()) for i in rows)
        return judged / shown if shown else 0.0

    def _places(self, pooled: Iterable[str] | None) -> Sequence[int]:
        if pooled is None:
            return range(len(self.systems))
        return indices_of(several("pooled", pooled, "names of systems"), self.systems)

    def judgments(self, keep: Bools) -> Judgments:
        """Some of the judgments, on the judgement scale of all."""
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
        parsed, count = parse_measures(measures), len(self.qrels.keys)
        shown = np.ones(count, dtype=bool) if keep is None else keep
        if not (isinstance(shown, np.ndarray) and shown.dtype.kind == "b" and shown.shape == (count,)):
            raise InputError(
                f"keep: a truth value for each of {count} judgments is needed, as in_pool gives."
            )
        return self.matrix(dict(zip(map(written, parsed), own_formulas(parsed))), shown)

    def matrix(self, measures: Mapping[str, BoundMeasure], keep: Bools) -> ScoreMatrix:
        """The scores by these formulas, by name."""
        judgments = self.judgments(keep)
        rankings = [self.with_judgments(system, keep, judgments) for system in range(len(self.systems))]
        values = np.array([scores(measures.values(), lists) for lists in rankings]).transpose(1, 0, 2)
        runs = run_scores(measures, rankings)
        return ScoreMatrix(tuple(measures), self.systems, judgments.topics, values, runs)


@takes(HowRead)
def pooled_runs(
    qrels: QrelsLike, runs: RunsLike, nil: NilRule | Convention | None = None, **reading: Unpack[HowRead]
) -> PooledRuns:
    """Runs read once for any number of simulated pools.

    A progress bar shows on a terminal where it takes long.

    Parameters
    ----------
    qrels, nil, **options
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
    named = by_name(runs)
    read_before = [run for run in named.values() if isinstance(run, Run)]
    for run in read_before:
        ready = ready.without(run.reading.withheld)
    if reading.get("keys") is not None or any(run.given.keys for run in read_before):
        raise ParameterError("keys: pools are of topics, whose lists have no further keys; leave keys out.")
    if ready.nil.answers:
        what = f"{option('nil', ready.nil.convention)} makes NIL an answer that no pool holds"
        raise InputError(f"{what}: {option('nil', 'ends')} is needed here.")
    joined = [join_run(ready, read_run(run, **reading)) for run in progress(named.values(), "reading", "run")]
    lists, places = tuple(lists for lists, _, _ in joined), tuple(keys for _, _, keys in joined)
    return PooledRuns(ready, tuple(named), lists, places)


def own_formulas(measures: Iterable[Measure]) -> list[BoundMeasure]:
    """The formulas of measures; UnknownMeasureError where only another provider knows one."""
    formulas = []
    for measure in measures:
        formula = bind(measure)
        if formula is None:
            raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: its formula is needed here.")
        formulas.append(formula)
    return formulas


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """Every system scored by the whole pool and by the pool without its group."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    groups: tuple[str, ...]  # of each system
    depth: int  # of the pools
    full: Floats  # mean scores by the whole pool (M x S)
    without: Floats  # mean scores without the group of the system (M x S)

    def ranks(self) -> tuple[Ints, Ints]:
        """The place of every system by the whole pool, and without its group (M x S each).

        For the second, the system alone has its score without its group; all others keep theirs.
        """
        pooled, alone = (higher_is_better(self.measures, each) for each in (self.full, self.without))
        full = 1 + (pooled[:, None, :] > pooled[:, :, None]).sum(axis=2)
        others = (pooled[:, None, :] > alone[:, :, None]) & ~np.eye(len(self.systems), dtype=bool)
        return full, 1 + others.sum(axis=2)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and system: measure, system, group, full, without, loss, places_lost."""
        rank, rank_without = self.ranks()
        levels = {"measure": self.measures, "system": self.systems}
        frame = crossed(levels, {"full": self.full, "without": self.without})
        frame.insert(2, "group", list(self.groups) * len(self.measures))
        loss = higher_is_better(self.measures, self.full - self.without)
        return frame.assign(loss=loss.ravel(), places_lost=(rank_without - rank).ravel())

    def summary(self) -> pd.DataFrame:
        """Mean and largest loss by measure."""
        return self.to_pandas().groupby("measure", sort=False)[["loss", "places_lost"]].agg(["mean", "max"])

    @property
    def heading(self) -> str:
        """The pools' depth, and how many groups there are."""
        return f"pools of depth {self.depth}, each system without its group ({len(set(self.groups))} groups)"


@procedure(
    source="Zobel, SIGIR 1998, https://doi.org/10.1145/290941.291014; Webber, Moffat & Zobel, EVIA 2010,"
    " section 2"
)
def leave_group_out(
    measures: MeasureLike,
    pools: PooledRuns,
    depth: Annotated[int, Whole("depth of the pools")],
    groups: Annotated[
        Mapping[str, str] | None,
        SystemGroups("systems that leave the pool together; by default each is its own group"),
    ] = None,
) -> LeftOut:
    """How each system would fare if it had not been pooled: the loss that a new system has to expect.

    Parameters
    ----------
    measures : text, measure or list of both
        Measures that ir_trunc computes.
    pools : PooledRuns
        Runs with the judged documents in them, from `meta.pooled_runs(qrels, runs)`.
    depth : int
        Depth of the pools, 1 or more.
    groups : mapping of str to str, optional
        {system: group}; a group leaves the pool together, and by default each system is its own.

    Returns
    -------
    LeftOut
        Mean scores with the whole pool and without the system's group.

    Raises
    ------
    InputError
        Where a system has no group.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> pools = meta.pooled_runs(demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> left = meta.leave_group_out("AP", pools, depth=2)
    >>> (left.full - left.without).round(3).tolist()
    [[0.0, 0.0, 0.0]]
    """
    of = dict(zip(pools.systems, pools.systems)) if groups is None else groups
    for system in pools.systems:
        if system not in of:
            raise InputError(f"groups: system {system} has none.")
    parsed = parse_measures(measures)
    bound = own_formulas(parsed)
    full = pools.score(parsed, pools.in_pool(depth)).means()
    without = np.empty_like(full)
    groups_of = tuple(of[system] for system in pools.systems)
    for group in progress(list(dict.fromkeys(groups_of)), "leaving out", "group"):
        keep = pools.in_pool(depth, [system for system in pools.systems if of[system] != group])
        judgments = pools.judgments(keep)
        for at in [at for at, own in enumerate(groups_of) if own == group]:
            values = scores(bound, pools.with_judgments(at, keep, judgments))
            without[:, at] = rounded([by_topic.mean() for by_topic in values])
    return LeftOut(tuple(map(written, parsed)), pools.systems, groups_of, depth, full, without)
