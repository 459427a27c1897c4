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
    hit_offsets: Ints
    hit_ranks: Ints
    hit_grades: Ints
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
    found = places_of(lists.hit_offsets, rows)
    return derived(
        lists,
        judgments=judgments,
        lengths=lists.lengths[rows],
        hit_offsets=offsets_of(np.diff(lists.hit_offsets)[rows]),
        hit_ranks=lists.hit_ranks[found],
        hit_grades=lists.hit_grades[found],
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
    topics = _joined([piece.topics for piece in pieces])
    twice = np.flatnonzero(np.bincount(topics, minlength=size) > 1)
    if len(twice):
        topic = judgments.topics[twice[0]]
        raise InputError(f"topic {topic} is in two pieces of the run; one piece must have all its rows.")

    def each(columns: list[Any], silent: float | bool) -> Any:
        """A value for each topic (Q)."""
        values = np.full(size, silent)
        values[topics] = _joined(columns)
        return values

    def known(name: str) -> list[Any] | None:
        """What every piece has, or None."""
        columns = [getattr(piece, name) for piece in pieces]
        return None if any(column is None for column in columns) else columns

    scores, costs, first, overlaps = map(known, ("scores", "costs", "first_scores", "overlaps"))
    if costs is None and any(piece.costs is not None for piece in pieces):
        raise InputError("only some pieces of the run have costs; all of them must, or none.")
    documents = offsets_of([len(column) for column in scores or costs or [()] * len(pieces)])
    hits = offsets_of([len(piece.hit_ranks) for piece in pieces])
    counts = each([np.diff(piece.hit_offsets) for piece in pieces], 0)
    firsts = each([piece.hit_offsets[:-1] + shift for piece, shift in zip(pieces, hits)], 0)
    hit_offsets = offsets_of(counts)
    found = np.arange(hit_offsets[-1]) + np.repeat(firsts - hit_offsets[:-1], counts)
    return unchecked(
        kind,
        judgments=judgments,
        lengths=each([piece.lengths for piece in pieces], 0),
        hit_offsets=hit_offsets,
        hit_ranks=_joined([piece.hit_ranks for piece in pieces])[found],
        hit_grades=_joined([piece.hit_grades for piece in pieces])[found],
        starts=each([piece.starts + shift for piece, shift in zip(pieces, documents)], 0),
        scores=_joined(scores) if scores else None,
        costs=_joined(costs) if costs else None,
        first_scores=None if first is None else each(first, -np.inf),
        nil=NilLists(convention, each([piece.held for piece in pieces], False)) if convention else None,
        overlaps=each(overlaps, 0.0) if overlaps else None,
    )


def joined(kind: type[Rankings], judgments: Judgments, pieces: Sequence[Rankings]) -> Rankings:
    """What `Rankings.concat` returns."""
    place = {topic: at for at, topic in enumerate(judgments.topics)}
    if strange := {topic for piece in pieces for topic in piece.topics}.difference(place):
        raise InputError(f"topic {min(strange)} of a piece is not a topic of the judgments.")
    some = [
        SomeLists(
            np.array([place[topic] for topic in piece.topics], np.int64),
            piece.lengths,
            piece.hit_offsets,
            piece.hit_ranks,
            piece.hit_grades,
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


def _joined(columns: Sequence[Any]) -> Any:
    return columns[0] if len(columns) == 1 else np.concatenate([np.zeros(0, np.int64), *columns])
