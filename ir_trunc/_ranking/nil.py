"""The NIL document of a run, which stands for "there is no answer", and its meaning for the list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.rankings import Bools, Ints
from ir_trunc._ranking.ranked_rows import Notes, RankedRows
from ir_trunc._read.rows import PLACEHOLDER

Convention = Literal["ends", "trec2001", "sakai", "document"]


@dataclass(frozen=True)
class NilRule:
    """The meaning of a document NIL, which stands for "there is no answer" in a run.

    Under every convention a topic without answers is a nil query, and the empty list is right for it.

    Parameters
    ----------
    convention : {'ends', 'trec2001', 'sakai', 'document'}
        - 'ends': the list ends before NIL, and documents behind it are left out (Liu et al. 2016).
        - 'trec2001': NIL is a document of gain 1 for a nil query and of gain 0 for others, at any rank.
        - 'sakai': as 'trec2001', but with a gain at rank 1 only (Sakai 2004).
        - 'document': NIL is a document like any other.
    id : str
        The document id of NIL.

    Raises
    ------
    InputError
        If the convention is unknown, or no document can have this id.

    Examples
    --------
    >>> from ir_trunc import NilRule, calc_aggregate
    >>> calc_aggregate("RRT", {"1": {"a": 0}}, {"1": ["none"]}, nil=NilRule("ends", id="none"))
    {RRT: 1.0}
    """

    convention: Convention = "ends"
    id: str = "NIL"
    chosen: bool = field(default=True, repr=False, compare=False, kw_only=True)
    """Whether the user chose this rule. If not, a run that holds the id gets a warning."""
    answers: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether NIL is the only relevant document of a nil query."""

    def __post_init__(self) -> None:
        if not isinstance(self.convention, str) or self.convention not in get_args(Convention):
            conventions = ", ".join(map(repr, get_args(Convention)))
            needed = f"{conventions} or a NilRule is needed; NilRule(id=...) names another id"
            raise InputError(f"nil={shown(self.convention)} is unknown: {needed}.")
        possible = isinstance(self.id, str) and bool(self.id.strip())
        if not possible or self.id == PLACEHOLDER:
            why = ", which never is a document," if possible else ""
            raise InputError(
                f"NilRule(id={shown(self.id)}): a document id other than {PLACEHOLDER!r}{why} is needed."
            )
        object.__setattr__(self, "answers", self.convention in ("trec2001", "sakai"))

    @property
    def means_something(self) -> bool:
        """Whether NIL is anything but an ordinary document."""
        return self.convention != "document"

    def lengths(self, run: RankedRows, nil_rows: Ints) -> Ints:
        """The lengths of the lists (Q), given the rows that hold NIL."""
        lengths = run.lengths.copy()
        if self.convention == "ends":
            lengths[run.topic[nil_rows]] = run.rank[nil_rows] - 1
        return lengths

    def count(self, notes: Notes, run: RankedRows, nil_rows: Ints) -> None:
        """Note what the rows that hold NIL do to the run."""
        if self.convention != "ends":
            notes.taken = 0 if self.chosen else len(nil_rows)
            return
        behind = run.lengths[run.topic[nil_rows]] - run.rank[nil_rows]
        notes.cut_by_nil, notes.behind_nil = int(np.count_nonzero(behind)), int(behind.sum())

    def right(self, run: RankedRows, nil_rows: Ints, nil_queries: Bools) -> Ints:
        """The rows in which NIL is the right answer of its topic."""
        right = nil_rows[nil_queries[run.topic[nil_rows]]]
        return right[run.rank[right] == 1] if self.convention == "sakai" else right


DOCUMENTS = NilRule("document", chosen=False)
"""The default for runs of documents: NIL is an ordinary document, as in every other tool."""


def nil_rule(nil: Any) -> NilRule:
    """The rule of a convention; a rule is returned as it is. InputError for anything else."""
    return nil if isinstance(nil, NilRule) else NilRule(nil)
