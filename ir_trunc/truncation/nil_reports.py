"""What the document NIL makes of a run: how long its lists are before and after they end there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import whole
from ir_trunc._core.rankings import Ints
from ir_trunc._ranking.doors import read_run
from ir_trunc._ranking.likes import RunLike
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.rank import say
from ir_trunc._ranking.ranked import RankedRows
from ir_trunc._read.arrow import occurs, pa, pc, strings
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc._read.topics import read_topics
from ir_trunc.scoring.printed import fitted
from ir_trunc.scoring.protocol import Result, axes


@dataclass(frozen=True, eq=False, repr=False)
class NilReport(Result):
    """What the NIL rule makes of a run: which lists its system ended, and how long they are before and after.

    Parameters
    ----------
    ended_by_nil, short, left_alone : int
        Numbers of lists: the three rows of Liu et al.'s Table 2.
    before, after : array of int64
        Lengths by topic (Q).
    """

    shapes = axes(before="lists", after="lists")

    ended_by_nil: int
    short: int
    left_alone: int
    before: Ints
    after: Ints

    def to_pandas(self) -> pd.DataFrame:
        """Lists of each length, before and after: columns before, after; index length."""
        longest = int(max(self.before.max(initial=0), self.after.max(initial=0)))
        columns = {"before": self.before, "after": self.after}
        counts = {name: np.bincount(column, minlength=longest + 1) for name, column in columns.items()}
        return pd.DataFrame(counts).rename_axis("length")

    @property
    def heading(self) -> str:
        """How the lists end."""
        total = self.ended_by_nil + self.short + self.left_alone
        return (
            f"{total} lists: {self.ended_by_nil} ended by NIL, {self.short} short and so ended by the system,"
            f" {self.left_alone} at the imposed depth and left alone"
        )

    def __repr__(self) -> str:
        return fitted(self.heading)


@keywords_of(Reading)
def nil_report(
    run: RunLike,
    topics: Any = None,
    *,
    depth: int | None = None,
    nil: NilRule | Convention = "ends",
    **reading: Unpack[HowRead],
) -> NilReport:
    """What ending lists at NIL changes in a run.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`.
    topics : optional
        The query universe, in any form that `read_topics` takes; by default the run's own topics.
    depth : int, optional
        The length that the evaluation imposed: a list of that length without NIL is left alone, a shorter one
        was ended by its system. Without a depth every list was.
    nil : str or NilRule
        A convention, of which only 'ends' ends lists, or a rule: `NilRule(id="none")` for another id.
    order, duplicates, stop, lower_is_better, columns
        How the run is read, as for `ir_trunc.calc`.

    Returns
    -------
    NilReport

    Raises
    ------
    InputError
        If the run cannot be read.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.nil_report({"1": {"a": 3, "NIL": 2, "b": 1}, "2": {"x": 1}})
    2 lists: 1 ended by NIL, 1 short and so ended by the system, 0 at the imposed
      depth and left alone
    """
    rows = read_run(run, **reading)
    rule = nil_rule(nil)
    names = pc.unique(rows.topics).cast(pa.string()) if topics is None else strings(read_topics(topics))
    ranked = RankedRows.of(rows, names)
    say(ranked.notes, rows.source, rule.id, rows.reading)
    ends = rule.convention == "ends"
    at = np.flatnonzero(occurs(ranked.rows.docs, rule.id) & ends)
    after = rule.lengths(ranked, at)
    by_nil = len(at)
    full = np.zeros(len(after), dtype=bool) if depth is None else ranked.lengths >= whole("depth", depth, 1)
    full[ranked.topic[at]] = False
    left = int(full.sum())
    return NilReport(by_nil, len(after) - by_nil - left, left, ranked.lengths, after)
