"""Lists as flat arrays with offsets: the tools of such arrays, and lists of some topics put together.

`Q` is the number of topics; topic `q` owns the slice `offsets[q]:offsets[q + 1]` of a flat array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def offsets_of(lengths: npt.ArrayLike) -> Ints:
    """Offsets (Q + 1) of rows that have these lengths (Q)."""
    sums = np.zeros(np.size(lengths) + 1, np.int64)
    np.cumsum(lengths, out=sums[1:])
    return sums


def sizes_of(offsets: Ints) -> Ints:
    """Lengths (Q) of rows with these offsets (Q + 1); np.diff, for any axes and orders, takes longer."""
    return offsets[1:] - offsets[:-1]


def places_of(offsets: Ints, rows: Ints) -> Ints:
    """Where the values of these rows are, row after row, in an array with offsets."""
    return _places(offsets[rows], sizes_of(offsets)[rows])


def _places(firsts: Ints, lengths: Ints) -> Ints:
    """Where the values of rows are, row after row, that begin at these places."""
    ends = offsets_of(lengths)
    places: Ints = np.arange(ends[-1]) + np.repeat(firsts - ends[:-1], lengths)
    return places


def distinct(values: Ints) -> Ints:
    """The values, ascending, each once."""
    # np.unique imports numpy.ma, which takes longer than scoring a small run.
    ascending = np.sort(values)
    first = np.ones(len(ascending), dtype=bool)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]


def first_of(scores: Floats, starts: Ints, lengths: Ints) -> Floats:
    """The score of each list's first document (Q); -inf for an empty list."""
    first = np.full(len(lengths), -np.inf)
    first[lengths > 0] = scores[starts[lengths > 0]]
    return first


@dataclass(frozen=True, eq=False)
class SomeLists:
    """The lists of some topics of a run, as the arrays of `Rankings`.

    topics: positions of the n topics among those of the judgments, ascending. held: which of these lists hold
    the document NIL (n). All others are as `Rankings` have them, with n topics in the place of Q.
    """

    topics: Ints
    lengths: Ints
    judged_offsets: Ints
    judged_ranks: Ints
    judged_grades: Ints
    starts: Ints
    scores: Floats | None
    costs: Floats | None
    first_scores: Floats | None
    overlaps: Floats | None
    held: Bools

    def take(self, at: Ints) -> SomeLists:
        """Some of these lists, by their positions among them."""
        judged = places_of(self.judged_offsets, at)
        return SomeLists(
            self.topics[at],
            self.lengths[at],
            offsets_of(sizes_of(self.judged_offsets)[at]),
            self.judged_ranks[judged],
            self.judged_grades[judged],
            self.starts[at],
            self.scores,
            self.costs,
            None if self.first_scores is None else self.first_scores[at],
            None if self.overlaps is None else self.overlaps[at],
            self.held[at],
        )

    @classmethod
    def concat(cls, topics: Sequence[str], pieces: Sequence[SomeLists]) -> SomeLists:
        """The lists of one run for all of its topics (Q); a topic that no piece has gets the empty list.

        Raises InputError for a topic that two pieces have, and where only some of the pieces have costs.
        """
        size = len(topics)
        scores, costs = _joined(pieces, "scores"), _joined(pieces, "costs")
        if costs is None and any(piece.costs is not None for piece in pieces):
            raise InputError("only some pieces of the run have costs; all of them must, or none.")
        lengths, starts, counts, firsts = np.zeros((4, size), np.int64)
        seen, held = np.zeros((2, size), bool)
        first_scores, overlaps = np.full(size, -np.inf), np.zeros(size)
        documents_above = judged_above = 0
        for piece in pieces:
            at = piece.topics
            if seen[at].any():
                topic = topics[at[seen[at]][0]]
                raise InputError(
                    f"topic {topic} is in two pieces of the run; one piece must have all its rows."
                )
            seen[at] = True
            lengths[at] = piece.lengths
            starts[at] = piece.starts + documents_above
            counts[at] = np.diff(piece.judged_offsets)
            firsts[at] = piece.judged_offsets[:-1] + judged_above
            held[at] = piece.held
            if piece.first_scores is not None:
                first_scores[at] = piece.first_scores
            if piece.overlaps is not None:
                overlaps[at] = piece.overlaps
            of_documents = piece.costs if scores is None else piece.scores
            documents_above += 0 if of_documents is None else len(of_documents)
            judged_above += len(piece.judged_ranks)
        judged, none = _places(firsts, counts), np.zeros(0, np.int64)
        return cls(
            np.arange(size),
            lengths,
            offsets_of(counts),
            _joined(pieces, "judged_ranks")[judged] if pieces else none,
            _joined(pieces, "judged_grades")[judged] if pieces else none,
            starts,
            scores,
            costs,
            first_scores if all(piece.first_scores is not None for piece in pieces) else None,
            overlaps if pieces and all(piece.overlaps is not None for piece in pieces) else None,
            held,
        )


def _joined(pieces: Sequence[SomeLists], name: str) -> Any:
    """An array of all pieces; None where a piece has none."""
    columns = [getattr(piece, name) for piece in pieces]
    known = [column for column in columns if column is not None]
    if not known or len(known) < len(columns):
        return None
    return known[0] if len(known) == 1 else np.concatenate(known)
