"""Runs that name a NIL document, "there is no answer": what it means for the list that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ir_trunc.errors import InputError
from ir_trunc.io.ranked import LeftOut, RankedRows
from ir_trunc.io.rows import PLACEHOLDER
from ir_trunc.rankings import Bools, Ints

Convention = Literal["ends", "trec2001", "sakai", "document"]


@dataclass(frozen=True)
class NilRule:
    """How a document that stands for "no answer" is scored.

    convention: 'ends', the list ends before it, and documents behind it are left out (Liu et al. 2016); 'trec2001', it is a
    document of gain 1 for a nil query and of gain 0 for others, wherever it stands; 'sakai', the same, but at rank 1 only
    (Sakai 2004); 'document', it is a document like any other. id: its document id.
    """

    convention: Convention = "ends"
    id: str = "NIL"

    def __post_init__(self) -> None:
        if self.convention not in get_args(Convention):
            raise InputError(f"nil={self.convention!r} is unknown: one of {', '.join(get_args(Convention))} is needed.")

    @property
    def marked(self) -> str:
        """The id that has a meaning of its own; where NIL is a document like any other, no document of a list has it."""
        return PLACEHOLDER if self.convention == "document" else self.id

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

    def left_out(self, run: RankedRows, at: Ints) -> LeftOut:
        """What is not scored since it stands behind a NIL at these rows."""
        behind = run.lengths[run.topic[at]] - run.rank[at]
        if self.convention != "ends":
            return LeftOut()
        return LeftOut(ended=int(np.count_nonzero(behind)), behind=int(behind.sum()))

    def right(self, run: RankedRows, at: Ints, nil_queries: Bools) -> Ints:
        """Those of the rows with NIL in which it is the right answer of its topic."""
        right = at[nil_queries[run.topic[at]]]
        return right[run.rank[right] == 1] if self.convention == "sakai" else right
