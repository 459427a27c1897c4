"""Rankings in pieces: some of the lists picked out, and the lists of some topics put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc.core.errors import InputError
from ir_trunc.core.judgments import Bools, Floats, Ints, Judgments, NilLists, offsets_of, places_of

if TYPE_CHECKING:
    from ir_trunc.core.rankings import Rankings


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


def unchecked(kind: type[Rankings], **arrays: Any) -> Rankings:
    """Rankings of arrays that are known to fit together: to check them takes longer than to compute them."""
    made = object.__new__(kind)
    vars(made).update(arrays)
    return made


def derived(lists: Rankings, **changed: Any) -> Rankings:
    """Rankings that differ in some arrays, which are computed from arrays that were checked."""
    return unchecked(type(lists), **{**vars(lists), **changed})


def picked(lists: Rankings, rows: Ints, judgments: Judgments) -> Rankings:
    """The lists at these positions, beside the judgments of their topics."""
    found = places_of(lists.judged_offsets, rows)
    return derived(
        lists,
        judgments=judgments,
        lengths=lists.lengths[rows],
        judged_offsets=offsets_of(np.diff(lists.judged_offsets)[rows]),
        judged_ranks=lists.judged_ranks[found],
        judged_grades=lists.judged_grades[found],
        starts=lists.starts[rows],
        first_scores=None if lists.first_scores is None else lists.first_scores[rows],
        overlaps=None if lists.overlaps is None else lists.overlaps[rows],
        nil=None if lists.nil is None else replace(lists.nil, held=lists.nil.held[rows]),
    )


def put_together(
    kind: type[Rankings], judgments: Judgments, pieces: Sequence[SomeLists], convention: str | None
) -> Rankings:
    """The lists of one run; a topic that no piece has gets the empty list.

    convention: what NIL is taken for; None where it is not known which lists hold it. Raises InputError for a
    topic that two pieces have, and where only some of the pieces have costs.
    """
    size = len(judgments.topics)
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
            topic = judgments.topics[at[seen[at]][0]]
            raise InputError(f"topic {topic} is in two pieces of the run; one piece must have all its rows.")
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
    judged_offsets = offsets_of(counts)
    found = np.arange(judged_offsets[-1]) + np.repeat(firsts - judged_offsets[:-1], counts)
    none = np.zeros(0, np.int64)
    return unchecked(
        kind,
        judgments=judgments,
        lengths=lengths,
        judged_offsets=judged_offsets,
        judged_ranks=_joined(pieces, "judged_ranks")[found] if pieces else none,
        judged_grades=_joined(pieces, "judged_grades")[found] if pieces else none,
        starts=starts,
        scores=scores,
        costs=costs,
        first_scores=first_scores if all(piece.first_scores is not None for piece in pieces) else None,
        nil=NilLists(convention, held) if convention else None,
        overlaps=overlaps if pieces and all(piece.overlaps is not None for piece in pieces) else None,
    )


def _joined(pieces: Sequence[SomeLists], name: str) -> Any:
    """An array of all pieces; None where a piece has none."""
    columns = [getattr(piece, name) for piece in pieces]
    known = [column for column in columns if column is not None]
    if not known or len(known) < len(columns):
        return None
    return known[0] if len(known) == 1 else np.concatenate(known)


def joined(kind: type[Rankings], judgments: Judgments, pieces: Sequence[Rankings]) -> Rankings:
    """What `Rankings.concat` returns."""
    place = {topic: at for at, topic in enumerate(judgments.topics)}
    if strange := {topic for piece in pieces for topic in piece.topics}.difference(place):
        raise InputError(f"topic {min(strange)} of a piece is not a topic of the judgments.")
    some = [
        SomeLists(
            np.array([place[topic] for topic in piece.topics], np.int64),
            piece.lengths,
            piece.judged_offsets,
            piece.judged_ranks,
            piece.judged_grades,
            piece.starts,
            piece.scores,
            piece.costs,
            piece.first_scores,
            piece.overlaps,
            np.zeros(len(piece), bool) if piece.nil is None else piece.nil.held,
        )
        for piece in pieces
    ]
    nil = pieces[0].nil if pieces and all(piece.nil is not None for piece in pieces) else None
    return put_together(kind, judgments, some, None if nil is None else nil.convention)
