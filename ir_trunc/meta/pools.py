"""Pools simulated from runs: what would have been judged with a shallower pool or with other systems.

A document is in the pool of depth d if it is among the first d documents of any pooled run. A simulated pool
keeps the judgments of its documents; it cannot add what nobody has judged, and `coverage` says how much is.

Pool depth is compared with evaluation depth (Webber, Moffat & Zobel, 2010): `conditions` gives the scores
under a few pairs of depths, `pool_grid` the discriminative power over a whole grid of them. The grid has each
measure in three forms::

    raw            the score itself
    normalised     the score over that of the ideal list (all relevant documents of the pool, best first, to
                   the same evaluation depth); 0 where that is 0. So AP@k becomes AP with the divisor
                   min(k, R), and DCG@k nDCG@k
    standardised   (score - mean) / sd, by topic, over the systems themselves; 0 where all are equal
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, counted, option, shown, warn
from ir_trunc._core.lazy import cached_property, pd, plots
from ir_trunc._core.parameters import Alpha, Several, instance, mapping, several, text, whole
from ir_trunc._core.rankings import Bools, Floats, Ints, Judgments, Rankings, offsets_of
from ir_trunc._output.tables import fitted, number_text, table_text
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import Convention, NilRule, Run
from ir_trunc._ranking.runs import join_run, read_run
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._scoring.objects import MeasureLike, own_formula, parse_measure, parse_measures, written
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import RunsLike, by_name, progress
from ir_trunc._scoring.tables import crossed
from ir_trunc.measures import BoundMeasure, scores
from ir_trunc.measures.classical import EVIA
from ir_trunc.measures.declaration import items_of, parse
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.measures.parts import over
from ir_trunc.meta import matrix as matrices
from ir_trunc.meta.calibration import persistence
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.power import power
from ir_trunc.meta.procedures import SystemGroups, SystemNames, procedure

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
        return matrices.indices_of(several("pooled", pooled, "names of systems"), self.systems)

    def judgments(self, keep: Bools) -> Judgments:
        """Some of the judgments, on the judgement scale of all."""
        topics = self.qrels.judgments.topics
        rows = self.qrels.keys // max(1, len(self.qrels.docs))
        kept = Judgments.from_rows(topics, rows[keep], self.qrels.grades[keep])
        return replace(kept, levels=self.qrels.judgments.levels)

    def with_judgments(self, system: int, keep: Bools, judgments: Judgments) -> Rankings:
        """One run's lists where only some documents are judged."""
        rankings, shown = self.rankings[system], keep[self.places[system]]
        offsets = offsets_of(np.bincount(rankings.judged_rows[shown], minlength=len(rankings)))
        ranks, grades = rankings.judged_ranks[shown], rankings.judged_grades[shown]
        judged: Any = {"judged_offsets": offsets, "judged_ranks": ranks, "judged_grades": grades}
        return replace(rankings, judgments=judgments, **judged)

    def score(self, measures: Any, keep: Bools | None = None) -> ScoreMatrix:
        """Scores of all systems by some of the judgments (K; by default all)."""
        parsed, count = parse_measures(measures), len(self.qrels.keys)
        shown = np.ones(count, dtype=bool) if keep is None else keep
        if not (isinstance(shown, np.ndarray) and shown.dtype.kind == "b" and shown.shape == (count,)):
            needed = f"a truth value for each of {count} judgments is needed"
            raise InputError(f"keep: {needed}, as in_pool gives.")
        return self.matrix({written(each): own_formula(each) for each in parsed}, shown)

    def matrix(self, measures: Mapping[str, BoundMeasure], keep: Bools) -> ScoreMatrix:
        """The scores by these formulas, by name."""
        judgments = self.judgments(keep)
        rankings = [self.with_judgments(system, keep, judgments) for system in range(len(self.systems))]
        values = np.array([scores(measures.values(), lists) for lists in rankings]).transpose(1, 0, 2)
        runs = matrices.run_scores(measures, rankings)
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
        given, needed = option("nil", ready.nil.convention), option("nil", "ends")
        raise InputError(f"{given} makes NIL an answer that no pool holds: {needed} is needed here.")
    joined = [join_run(ready, read_run(run, **reading)) for run in progress(named.values(), "reading", "run")]
    lists, places = tuple(lists for lists, _, _ in joined), tuple(keys for _, _, keys in joined)
    return PooledRuns(ready, tuple(named), lists, places)


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(matrices.SystemResult):
    """Every system scored by the whole pool and by the pool without its group."""

    groups: tuple[str, ...]  # of each system
    depth: int  # of the pools
    full: Floats  # mean scores by the whole pool (M x S)
    without: Floats  # mean scores without the group of the system (M x S)

    def ranks(self) -> tuple[Ints, Ints]:
        """The place of every system by the whole pool, and without its group (M x S each).

        For the second, the system alone has its score without its group; all others keep theirs.
        """
        pooled, alone = (matrices.higher_is_better(self.measures, each) for each in (self.full, self.without))
        full = 1 + (pooled[:, None, :] > pooled[:, :, None]).sum(axis=2)
        others = (pooled[:, None, :] > alone[:, :, None]) & ~np.eye(len(self.systems), dtype=bool)
        return full, 1 + others.sum(axis=2)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and system: measure, system, group, full, without, loss, places_lost."""
        rank, rank_without = self.ranks()
        levels = {"measure": self.measures, "system": self.systems}
        frame = crossed(levels, {"full": self.full, "without": self.without})
        frame.insert(2, "group", list(self.groups) * len(self.measures))
        loss = matrices.higher_is_better(self.measures, self.full - self.without)
        return frame.assign(loss=loss.ravel(), places_lost=(rank_without - rank).ravel())

    def summary(self) -> pd.DataFrame:
        """Mean and largest loss by measure."""
        return self.to_pandas().groupby("measure", sort=False)[["loss", "places_lost"]].agg(["mean", "max"])

    @property
    def heading(self) -> str:
        """The pools' depth, and how many groups there are."""
        return f"pools of depth {self.depth}, each system without its group ({len(set(self.groups))} groups)"


@procedure(source=f"Zobel, SIGIR 1998, https://doi.org/10.1145/290941.291014; {EVIA}, section 2")
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
    bound = {written(measure): own_formula(measure) for measure in parse_measures(measures)}
    full = pools.matrix(bound, pools.in_pool(depth)).means()
    without = np.empty_like(full)
    groups_of = tuple(of[system] for system in pools.systems)
    for group in progress(list(dict.fromkeys(groups_of)), "leaving out", "group"):
        keep = pools.in_pool(depth, [system for system in pools.systems if of[system] != group])
        judgments = pools.judgments(keep)
        for at in (at for at, own in enumerate(groups_of) if own == group):
            values = scores(bound.values(), pools.with_judgments(at, keep, judgments))
            without[:, at] = matrices.rounded([by_topic.mean() for by_topic in values])
    return LeftOut(tuple(bound), pools.systems, groups_of, depth, full, without)


ConditionDepths = Mapping[str, tuple[int | None, int | None]]
"""Pool depth and evaluation depth by the name of a condition."""

PAPER_2010 = "aAP anDCG RBP(p={p},rel=1)"
"""The measures of Webber, Moffat & Zobel (2010).

nDCG has the discount of 2002, and an ideal list that is cut at the evaluation depth.
"""

CONDITIONS_2010: ConditionDepths = {"shallow": (10, 10), "extended": (10, 100), "deep": (100, 100)}
"""Pool depth and evaluation depth in the three conditions of Webber, Moffat & Zobel (2010)."""

_PERSISTENCE = "{p}"
_FORMS = {"raw": "raw score", "normalised": "normalised by the ideal", "standardised": "standardised"}
_NAMES = tuple(_FORMS)
_DEPTHS = (5, 10, 20, 50, 100)


def conditions(
    measures: MeasureLike | Mapping[str, MeasureLike],
    pools: PooledRuns,
    depths: ConditionDepths,
    *,
    pooled: Iterable[str] | None = None,
    residual: float | None = None,
) -> ScoreMatrix:
    """Scores under several conditions of pool depth and evaluation depth, in one matrix.

    `meta.power` and `meta.agreement` of the matrix compare measures across conditions.

    Parameters
    ----------
    measures : text, measure or list of both, or {condition: these}
        Measures without a cutoff: '@k' is added. '{p}' in a text stands for the persistence whose residual
        at depth k is `residual`, as in 'RBP(p={p},rel=1)'.
    pools : PooledRuns
        Runs with the judged documents in them, from `meta.pooled_runs(qrels, runs)`.
    depths : {condition: (pool depth, evaluation depth)}
        Depths in documents, 1 or more. None as pool depth keeps all judgments, None as evaluation depth looks
        at whole lists.
    pooled : list of str, optional
        Systems that feed the pools, by default all.
    residual : float, optional
        Between 0 and 1; 0.1 where not given.

    Returns
    -------
    ScoreMatrix
        Its measures are called 'measure@k, condition'.

    Raises
    ------
    ParameterError
        For a measure with a cutoff of its own where the condition sets one, for '{p}' without an evaluation
        depth, or for a residual without '{p}' in any measure.
    InputError
        Where `depths` names no condition, or `measures` names others.

    Warns
    -----
    IrTruncWarning
        Where fewer than half of the ranks that a pool covers are judged.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> pools = meta.pooled_runs(demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> found = meta.conditions("AP nDCG", pools, {"shallow": (1, 1), "deep": (5, 5)})
    >>> found.measures
    ('AP@1, shallow', 'nDCG@1, shallow', 'AP@5, deep', 'nDCG@5, deep')
    """
    pools = instance("pools", pools, PooledRuns, "the result of meta.pooled_runs(qrels, runs)")
    wanted = _depths(depths)
    by_condition = measures if isinstance(measures, Mapping) else dict.fromkeys(wanted, measures)
    if set(by_condition) != set(wanted):
        given, names = (", ".join(map(shown, of)) for of in (by_condition, wanted))
        what = f"measures are given for {given}, and the conditions are {names}"
        raise InputError(f"{what}: measures for each of these are needed.")
    asked = {name: texts_of(by_condition[name]) for name in wanted}
    for name, texts in asked.items():
        if not texts:
            raise ParameterError(f"No measure is given for {shown(name)}; 'AP nDCG', for example.")
    check_residual(residual, [one for texts in asked.values() for one in texts])
    parts = {}
    for name, (pool, depth) in wanted.items():
        parsed = [parse_measure(at_depth(one, depth, residual)) for one in asked[name]]
        keep = None if pool is None else pools.in_pool(pool, pooled)
        coverage = 1.0 if pool is None else pools.coverage(pool, pooled)
        if coverage < 0.5:
            judged = f"{100 * coverage:.0f} % of the first {pool} ranks of the pooled runs are judged"
            lacks = "the simulated pool lacks the others; PooledRuns.coverage has the share for any depth"
            warn(f"{name}: {judged}, and {lacks}.")
        parts[name] = pools.score(parsed, keep)
    topics = pools.qrels.judgments.topics
    nothing = ScoreMatrix((), pools.systems, topics, np.empty((0, len(pools.systems), len(topics))))
    return nothing.joined(parts)


def at_depth(measure: str, depth: int | None, residual: float | None = None) -> str:
    """A measure's text at an evaluation depth, where '{p}' is the persistence with the residual, or 0.1."""
    if depth is None:
        if _PERSISTENCE in measure:
            stands = f"{_PERSISTENCE} stands for the persistence of an evaluation depth"
            raise ParameterError(f"{measure}: {stands}, and there is none: write a number.")
        return measure
    filled = measure.replace(_PERSISTENCE, repr(persistence(0.1 if residual is None else residual, depth)))
    if parse(filled)[2] is not None:
        raise ParameterError(f"{measure} has a cutoff, and the evaluation depth sets it: leave it out.")
    return f"{filled}@{depth}"


def check_residual(residual: float | None, measures: Iterable[str]) -> None:
    """ParameterError where a residual is given and no measure takes its persistence."""
    if residual is not None and not any(_PERSISTENCE in measure for measure in measures):
        such = f"measures with {_PERSISTENCE}, as 'RBP(p={_PERSISTENCE}, rel=1)', and none has it"
        needed = "write such a measure, or leave residual out"
        raise ParameterError(f"residual={shown(residual)} is for {such}: {needed}.")


def texts_of(measures: Any) -> tuple[str, ...]:
    """The texts of measures that have no cutoff yet, each once."""
    wanted = items_of("measures", measures, "a text without a cutoff as 'AP P' or a measure object")
    texts = (one if isinstance(one, str) else written(parse_measure(one)) for one in wanted)
    return tuple(dict.fromkeys(texts))


def _depths(depths: Any) -> dict[str, tuple[int | None, int | None]]:
    by_condition = mapping("depths", depths, "{condition: (pool depth, evaluation depth)}")
    if not by_condition:
        raise InputError("depths names no condition: at least one is needed.")
    depths_of = {}
    for name, both in by_condition.items():
        where = f"depths[{shown(name)}]"
        values = several(where, both, "a pool depth and an evaluation depth")
        if len(values) != 2:
            raise ParameterError(f"{where}={shown(both)}: a pool depth and an evaluation depth are needed.")
        words = f"{where}, pool depth", f"{where}, evaluation depth"
        pool, depth = (None if at is None else whole(word, at, 1) for word, at in zip(words, values))
        depths_of[text("condition", name)] = (pool, depth)
    return depths_of


def _plain(measure: str | Measure) -> str:
    """A measure as pictures name it: its persistence may depend on the depth."""
    return str(measure).replace("p={p},rel=1", "p by depth").replace("{p}", "by depth")


@dataclass(frozen=True, eq=False, repr=False)
class PoolGrid(Result):
    """Discriminative power for pool depths x evaluation depths x measures x forms."""

    digits = 3
    pool_depths: tuple[int, ...]
    depths: tuple[int, ...]
    measures: tuple[str, ...]  # without their cutoff
    forms: tuple[str, ...]
    share: Floats  # of the system pairs that a paired t test tells apart, for each of the four above
    judged: tuple[int, ...]  # judgments in each pool
    coverage: Floats  # share of the ranks of each pool that are judged at all
    alpha: float
    topics: int  # how many there are
    systems: int

    def to_pandas(self) -> pd.DataFrame:
        """A row for each cell: pool_depth, depth, measure, form, assessment, discriminative_power.

        assessment: 'full' where the evaluation is as deep as the pool, 'extended' where it is deeper, and
        'deeper' where the pool is the deeper one.
        """
        names = {name: getattr(self, f"{name}s") for name in ("pool_depth", "depth", "measure", "form")}
        frame = crossed(names, {"discriminative_power": self.share})
        ahead = (frame["depth"] - frame["pool_depth"]).clip(-1, 1)
        frame.insert(4, "assessment", ahead.map({0: "full", 1: "extended", -1: "deeper"}))
        return frame

    @property
    def heading(self) -> str:
        """The test, and each pool's size."""
        test = f"discriminative power, paired t test, p < {self.alpha:g}"
        lines = [f"{test}; {self.systems} systems, {self.topics} topics"]
        for depth, judged, share in zip(self.pool_depths, self.judged, self.coverage):
            lines.append(f"  pool {depth}: {judged} judgments, {100 * share:.0f}% of the pooled ranks judged")
        lines.append("columns: evaluation depth; = full assessment, + extended (beyond the pool)")
        return "\n".join(lines)

    def _text(self, digits: int) -> str:
        return f"{fitted(self.heading)}\n{table_text(self.summary(digits))}"

    def summary(self, digits: int = digits) -> pd.DataFrame:
        """A row for each measure, form and pool depth, a column for each evaluation depth."""
        frame, marks = self.to_pandas(), {"full": "=", "extended": "+", "deeper": " "}
        shares = [number_text(share, digits) for share in frame["discriminative_power"]]
        frame["share"] = [share + marks[word] for share, word in zip(shares, frame["assessment"])]
        wide = frame.pivot(index=["measure", "form", "pool_depth"], columns="depth", values="share")
        return wide.loc[list(product(self.measures, self.forms, self.pool_depths))]

    def plot(self, measure: str | Measure | None = None, form: str = "raw", ax: Any = None) -> Any:
        """Discriminative power against evaluation depth.

        There is a line for each pool depth, and one for full assessment. Without a measure all are drawn,
        see `plot_all`.
        """
        if measure is None:
            if ax is not None:
                raise InputError("ax is for one picture: name a measure, or leave ax out.")
            if len(self.measures) * len(self.forms) > 1:
                return self.plot_all()
            measure, form = self.measures[0], self.forms[0]
        ax = plots._kit.ready_axes(ax)
        plots._kit.name_lines(ax, self._drawn(measure, form, ax))
        ax.set_title(f"{_plain(measure)}: {_FORMS[form]}", fontsize="medium")
        ax.set(xlabel="evaluation depth k (documents)", ylabel=f"share of system pairs, p < {self.alpha:g}")
        return ax

    def _drawn(self, measure: str | Measure, form: str, ax: Any) -> list[tuple[str, Any]]:
        """One panel; its lines by their names."""
        place = matrices.index_of_measure(measure, self.measures), matrices.indices_of([form], self.forms)[0]
        of_one = self.share[:, :, place[0], place[1]]
        both = [d for d in self.pool_depths if d in self.depths]
        full = [of_one[self.pool_depths.index(d), self.depths.index(d)] for d in both]
        wide = ax.plot(both, full, color="0.8", linewidth=5, label="full assessment", zorder=1)
        depths = {f"pool {d}": (self.depths, line) for d, line in zip(self.pool_depths, of_one)}
        drawn = [("full assessment", wide[0]), *plots._kit.draw_unnamed_lines(ax, depths)]
        ax.set_xscale("log")
        ax.set_xticks(self.depths, [str(depth) for depth in self.depths])
        ax.minorticks_off()
        return drawn

    def plot_all(self) -> Any:
        """All of it, a row for each measure and a column for each form. Returns one of the Axes."""
        grid = plots._kit.panels(len(self.measures), len(self.forms))
        for row, measure in zip(grid, self.measures):
            for ax, form in zip(row, self.forms):
                names, drawn = zip(*self._drawn(measure, form, ax))
                ax.label_outer()
            row[0].set_ylabel(_plain(measure))
        for ax, form in zip(grid[0], self.forms):
            ax.set_title(_FORMS[form], fontsize="medium")
        figure = grid[0, 0].figure
        for ax in grid[-1]:
            ax.set_xlabel("evaluation depth (documents)", fontsize="small")
        figure.supylabel(f"share of system pairs, p < {self.alpha:g}", fontsize="medium")
        below: dict[str, Any] = {"loc": "outside lower center", "frameon": False, "fontsize": "small"}
        figure.legend(drawn, names, ncols=min(len(self.forms) + 1, 3), **below)
        return grid[0, 0]


@procedure(source=f"{EVIA}, section 4.2, figures 3 and 4", command="pools")
def pool_grid(
    measures: MeasureLike,
    pools: PooledRuns,
    pool_depths: Annotated[Sequence[int], Several("depths of the pools", Whole("depth"))] = _DEPTHS,
    depths: Annotated[Sequence[int], Several("evaluation depths", Whole("depth"))] = (*_DEPTHS, 1000),
    forms: Annotated[Iterable[str], Several("forms of the scores", Choice("form", _NAMES))] = _NAMES,
    pooled: Annotated[Iterable[str] | None, SystemNames("systems that feed the pool, by default all")] = None,
    residual: Annotated[
        float | None,
        Number("residual at depth k, for '{p}' in a measure (0.1 where not given)", 0, 1, inside=True),
    ] = None,
    alpha: Alpha = 0.05,
) -> PoolGrid:
    """Discriminative power of measures at every pool depth and evaluation depth.

    Parameters
    ----------
    measures : text, measure or list of both
        Without a cutoff: '@k' is added. '{p}' in a text stands for the persistence whose residual at depth k
        is `residual`, as in 'RBP(p={p}, rel=1)'.
    pools : PooledRuns
        Runs with the judged documents in them, from `meta.pooled_runs(qrels, runs)`.
    pool_depths, depths : sequence of int
        Depths of the pools and evaluation depths, 1 or more.
    forms : {'raw', 'normalised', 'standardised'} or list of these
        Forms of the scores.
    pooled : list of str, optional
        Systems that feed the pool, by default all.
    residual : float, optional
        Between 0 and 1; 0.1 where not given.
    alpha : float
        Significance level of the paired t test, between 0 and 1.

    Returns
    -------
    PoolGrid
        Discriminative power, and the size of each pool.

    Raises
    ------
    ParameterError
        For a residual without '{p}' in any measure.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> pools = meta.pooled_runs(demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.pool_grid("AP P", pools, pool_depths=[1, 2], depths=[1, 2], forms="raw", alpha=0.2).judged
    (7, 13)
    """
    names, kinds, sizes, ends = texts_of(measures), tuple(forms), tuple(pool_depths), tuple(depths)
    if not names:
        raise ParameterError("A grid needs at least one measure.")
    check_residual(residual, names)
    texts = [at_depth(name, k, residual) for k in ends for name in names]
    bound = {each: own_formula(parse_measure(each)) for each in texts}
    share = np.empty((len(sizes), len(texts), len(kinds)))
    keeps = [pools.in_pool(depth, pooled) for depth in sizes]
    for row, keep in enumerate(progress(keeps, "pools", "pool")):
        raw = pools.matrix(bound, keep)
        if kinds != ("raw",):
            raw.refuse_whole_run(texts, "give forms=['raw']")
        best = np.array([measure.score(ideal(pools.judgments(keep))) for measure in bound.values()])
        for column, form in enumerate(kinds):
            scores = raw
            if form == "normalised":
                scores = replace(raw, values=over(raw.values, best[:, None, :]))
            elif form == "standardised":
                scores = matrices.standardised(raw, "z")
            share[row, :, column] = power(scores, alpha=alpha).share
    cells = share.reshape(len(sizes), len(ends), len(names), len(kinds))
    judged = tuple(int(keep.sum()) for keep in keeps)
    coverage = np.array([pools.coverage(depth, pooled) for depth in sizes])
    counts = len(pools.qrels.judgments.topics), len(pools.systems)
    return PoolGrid(sizes, ends, names, kinds, cells, judged, coverage, alpha, *counts)


def ideal(judgments: Judgments) -> Rankings:
    """The ideal list of every topic: its relevant documents, best first, and nothing else."""
    relevant = judgments.grades > 0
    lengths = np.bincount(judgments.rows[relevant], minlength=len(judgments.topics))
    offsets = offsets_of(lengths)
    ranks = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths) + 1
    return Rankings(judgments, lengths, offsets, ranks, judgments.grades[relevant], offsets[:-1])
