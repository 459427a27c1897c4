"""Systems that are left out of the pool: what a system loses that nobody judged (Zobel, SIGIR 1998)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.measures import scores
from ir_trunc.measures.params import Whole
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.options import Groups
from ir_trunc.meta.pairs import rounded
from ir_trunc.meta.pools import PooledRuns, own_formulas
from ir_trunc.meta.tables import crossed
from ir_trunc.scoring.objects import MeasureLike, parse_measures, written
from ir_trunc.scoring.results import Result, axes
from ir_trunc.scoring.runs import progress


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """Every system scored by the whole pool and by the pool without its group.

    measures: M. systems: S. groups: S. depth: of the pools. full, without: mean scores (M x S).
    """

    shapes = axes(groups="systems", full="measures systems", without="measures systems")

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    groups: tuple[str, ...]
    depth: int
    full: Floats
    without: Floats

    def ranks(self) -> tuple[Ints, Ints]:
        """The place of every system by the whole pool, and without its group (M x S each).

        For the second, the system alone has its score without its group; all others keep theirs.
        """
        full = 1 + (self.full[:, None, :] > self.full[:, :, None]).sum(axis=2)
        others = self.full[:, None, :] > self.without[:, :, None]
        others[:, np.arange(len(self.systems)), np.arange(len(self.systems))] = False
        return full, 1 + others.sum(axis=2)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and system: measure, system, group, full, without, loss, places_lost."""
        rank, rank_without = self.ranks()
        levels = {"measure": self.measures, "system": self.systems}
        frame = crossed(levels, {"full": self.full, "without": self.without})
        frame.insert(2, "group", list(self.groups) * len(self.measures))
        return frame.assign(loss=frame["full"] - frame["without"], places_lost=(rank_without - rank).ravel())

    def summary(self) -> pd.DataFrame:
        """Mean and largest loss by measure."""
        return self.to_pandas().groupby("measure", sort=False)[["loss", "places_lost"]].agg(["mean", "max"])

    @property
    def heading(self) -> str:
        """The pools' depth, and how many groups there are."""
        return f"pools of depth {self.depth}, each system without its group ({len(set(self.groups))} groups)"


@procedure(source="Zobel, SIGIR 1998, https://doi.org/10.1145/290941.291014")
def leave_group_out(
    measures: MeasureLike,
    pools: PooledRuns,
    depth: Annotated[int, Whole("depth of the pools")],
    groups: Annotated[
        Mapping[str, str] | None,
        Groups("systems that leave the pool together; by default each is its own group"),
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
