"""Runs that name a NIL document, "there is no answer": what it means for the list that holds it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.rankings import Bools, Ints
from ir_trunc._ranking.notes import Notes
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._read.rows import PLACEHOLDER

Convention = Literal["ends", "trec2001", "sakai", "document"]


@dataclass(frozen=True)
class NilRule:
    """What a document that stands for "no answer" means in a run.

    convention: 'ends', the list ends before it, and documents behind it are left out (Liu et al. 2016);
    'trec2001', it is a document of gain 1 for a nil query and of gain 0 for others, wherever it stands;
    'sakai', as 'trec2001', at rank 1 only (Sakai 2004); 'document', it is a document like any other. id: its
    document id. Under every convention a topic without answers is a nil query, and the empty list is right
    for it. Raises InputError where the convention is unknown, or the id is not a text that a document can
    have.
    """

    convention: Convention = "ends"
    id: str = "NIL"
    chosen: bool = field(default=True, repr=False, compare=False, kw_only=True)
    """Whether the user chose this rule. Where nobody did, a run that holds the id is given a warning."""

    def __post_init__(self) -> None:
        if not isinstance(self.convention, str) or self.convention not in get_args(Convention):
            known = ", ".join(map(repr, get_args(Convention)))
            raise InputError(
                f"nil={shown(self.convention)} is unknown: {known} or a NilRule is needed; NilRule(id=...)"
                " names another id."
            )
        if not isinstance(self.id, str) or not self.id or self.id == PLACEHOLDER:
            why = (
                ", which never is a document," if isinstance(self.id, str) and self.id == PLACEHOLDER else ""
            )
            raise InputError(
                f"NilRule(id={shown(self.id)}): a document id other than {PLACEHOLDER!r}{why} is needed."
            )

    @property
    def means_something(self) -> bool:
        """Whether NIL is anything else than a document."""
        return self.convention != "document"

    @property
    def answers(self) -> bool:
        """Whether NIL is the one relevant document of a nil query."""
        return self.convention in ("trec2001", "sakai")

    def lengths(self, run: RankedRows, at: Ints) -> Ints:
        """Lengths of the lists (Q) where NIL stands at these rows."""
        ended = run.lengths.copy()
        if self.convention == "ends":
            ended[run.topic[at]] = run.rank[at] - 1
        return ended

    def notes(self, run: RankedRows, at: Ints) -> Notes:
        """What is to be said of the run, where NIL stands at these rows."""
        if self.convention != "ends":
            return replace(run.notes, taken=0 if self.chosen else len(at))
        behind = run.lengths[run.topic[at]] - run.rank[at]
        return replace(run.notes, cut_by_nil=int(np.count_nonzero(behind)), behind_nil=int(behind.sum()))

    def right(self, run: RankedRows, at: Ints, nil_queries: Bools) -> Ints:
        """Those of the rows with NIL in which it is the right answer of its topic."""
        right = at[nil_queries[run.topic[at]]]
        return right[run.rank[right] == 1] if self.convention == "sakai" else right


DOCUMENTS = NilRule("document", chosen=False)
"""Where nobody says what NIL means in a run of documents: what it means to every other tool."""


def nil_rule(nil: Any) -> NilRule:
    """The rule that a convention stands for; a rule stays as it is. Raises InputError for anything else."""
    return nil if isinstance(nil, NilRule) else NilRule(nil)
