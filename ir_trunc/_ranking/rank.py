"""Ranking: the rows of a run, joined to the judgments, as the lists that are scored.

The compiled kernel takes plain runs as a whole. Others come as pieces of whole topics, from one file, one
frame or many machines. Each piece is ranked by itself and keeps one list for each of its topics: its length
and its judged documents, never more than the qrels have, however long the lists are (costs of documents, and
their scores where they are kept, come on top). So runs can be larger than memory. `SomeLists.concat` puts the
pieces together, and the scores have the bits of a run in one piece.

The kernel gives the bits that `join` gives, and words no error. Where it is not sure what data mean, nothing
of what it found is used: the data are read in Python, which understands them or says what is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from ir_trunc._core.errors import warn
from ir_trunc._core.flat import SomeLists
from ir_trunc._core.rankings import Rankings
from ir_trunc._kernel import kernel
from ir_trunc._ranking.joined import Joined, join
from ir_trunc._ranking.notes import Notes
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._read.arrow import Texts, flat
from ir_trunc._read.reading import DEFAULT, RUN, Order, Reading
from ir_trunc._read.registry import Data, recognised
from ir_trunc._read.rows import Rows, Samples

_ORDERS = get_args(Order)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some lists of a run.

    lists: one for each topic of the qrels that the piece has. notes: what is to be said of these rows.
    source: what to call the run. reading: how it was read. starts_over: whether the piece has all lists of
    the pieces before it, too.
    """

    lists: SomeLists
    notes: Notes
    source: str
    reading: Reading
    starts_over: bool = False


def rank_run(qrels: Qrels, run: Any, reading: Reading = DEFAULT, keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run, one for each topic of the qrels; warnings count what is left out.

    run: in any form. keep_scores: whether the lists keep the scores of all documents, as policies need them;
    measures do not.
    """
    data = recognised(run, replace(RUN, reading=reading))
    whole = compiled(qrels, data, keep_scores)
    return said(qrels, whole) if whole else rank(qrels, data.rows(), keep_scores)


def rank(qrels: Qrels, rows: Iterable[Rows], keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run that was read. rows: pieces of whole topics, as `Data.rows` yields them."""
    return put_together(qrels, (rank_piece(qrels, piece, keep_scores) for piece in rows))


def join_run(qrels: Qrels, run: Rows) -> tuple[Rankings, Joined]:
    """The ranked lists of a whole run, and its rows beside the judgments, for what needs document ids."""
    joined = join(qrels, run)
    return said(qrels, Piece(joined.lists, joined.notes, run.source, run.reading)), joined


def rank_piece(qrels: Qrels, rows: Rows, keep_scores: bool = False) -> Piece:
    """The lists of a piece, which must have all rows of its topics."""
    if whole := compiled_rows(qrels, rows, keep_scores):
        return whole
    found = join(qrels, rows)
    lists = found.lists if keep_scores else replace(found.lists, scores=None)
    some = lists.take(np.flatnonzero((lists.lengths > 0) | lists.held))  # NIL may end a list at once
    return Piece(some, found.notes, rows.source, rows.reading, rows.starts_over)


def put_together(
    qrels: Qrels,
    pieces: Iterable[Piece],
    source: str | None = None,
    reading: Reading | None = None,
    samples: Samples = (),
) -> Rankings:
    """The ranked lists of a run from its pieces; warnings count what is left out.

    source, reading: what to call the run, and how it was read, where its pieces do not tell. samples: what
    was looked at of the run before it was in pieces.
    """
    held: list[Piece] = []
    for piece in pieces:
        if piece.starts_over:
            held.clear()
        held.append(piece)
    notes = sum((piece.notes for piece in held), Notes(samples=samples))
    for piece in held[:1]:
        source, reading = source or piece.source, reading or piece.reading
    lists = SomeLists.concat(qrels.judgments.topics, [piece.lists for piece in held])
    return said(qrels, Piece(lists, notes, source or "run", reading or DEFAULT))


def compiled(qrels: Qrels, run: Data, keep_scores: bool) -> Piece | None:
    """The lists of a run by the kernel; None where it is not sure of it, or there is no kernel."""
    way, how = run.reader.compiled, run.layout.reading
    if way is None or how.stop is not None or how.columns:
        return None
    give, order, lower = way.run, how.order, how.lower_is_better
    found = _by_kernel(qrels, order, lower, keep_scores, lambda lists: give(lists, run), whole=True)
    return found and Piece(*found, run.source, how)


def compiled_rows(qrels: Qrels, rows: Rows, keep_scores: bool) -> Piece | None:
    """The lists of rows, as `compiled` gives those of a run."""
    if kernel is None or rows.reading.order == "rank":
        return None
    if any(column is not None for column in (rows.costs, rows.ranks, rows.hidden, rows.unscored)):
        return None

    def read(lists: Any) -> Samples | None:
        topics, scores = rows.topics, np.ascontiguousarray(rows.values, np.float64)
        names, docs = Texts.of_arrow(topics.dictionary), Texts.of_arrow(rows.docs)
        columns = (flat(topics.indices), names.offsets, names.data, docs.offsets, docs.data, scores)
        return rows.samples if kernel.columns(lists, *columns) else None

    # Where low scores are better, their signs were changed before.
    found = _by_kernel(qrels, rows.reading.order, False, keep_scores, read, whole=False)
    return found and Piece(*found, rows.source, rows.reading, rows.starts_over)


def _by_kernel(
    qrels: Qrels,
    order: Order,
    lower_is_better: bool,
    keep_scores: bool,
    read: Callable[[Any], Samples | None],
    whole: bool,
) -> tuple[SomeLists, Notes] | None:
    """The lists, and what is to be said of them; None where the kernel is not sure of them.

    read: gives the kernel the run, for lists that it began, and returns what was looked at of it. whole:
    whether topics without a document get the empty list.
    """
    if kernel is None or qrels.classes is not None or qrels.normalise is not None:
        return None
    judged = qrels.judged_docs.here
    if judged is None:
        return None
    begun = kernel.begin(judged, _ORDERS.index(order), lower_is_better, keep_scores)
    samples = read(begun)
    if samples is None:
        return None
    numbers, scores, first_scores, rows, several, tied, strangers, stranger = kernel.found(begun, whole)
    if not rows:
        return None
    topics, lengths, offsets, ranks, grades, starts = [np.frombuffer(column, np.int64) for column in numbers]
    kept, first = np.frombuffer(scores) if keep_scores else None, np.frombuffer(first_scores)
    held = np.zeros(len(topics), dtype=bool)
    lists = SomeLists(topics, lengths, offsets, ranks, grades, starts, kept, None, first, None, held)
    known = bool(lengths.any())
    return lists, Notes(known, strangers, stranger, lists=several, tied=tied, samples=samples)


def said(qrels: Qrels, run: Piece) -> Rankings:
    """The rankings of a whole run; warnings say what of it is left out, and what makes it doubtful."""
    lists, source = run.lists, run.source
    say(run.notes, source, qrels.nil.id, run.reading)
    found = int(lists.lengths.sum())
    # An answer outside of all classes is a wrong answer.
    if found and len(qrels.keys) and qrels.classes is None and not len(lists.judged_ranks):
        known = f"one that is judged is {qrels.docs[0]}"
        warn(
            f"{source}: none of its {found} documents is judged; are these the ids of the qrels'"
            f" collection? ({known})"
        )
    return Rankings.of_lists(qrels.judgments_with_nil, lists, qrels.nil.convention)


def say(notes: Notes, source: str, nil: str, reading: Reading) -> None:
    """Warn of each kind once.

    source: what to call the run. nil: the NIL document's id. reading: how it was read.
    """
    if 2 * notes.tied > notes.lists:
        what = f"all scores are equal in {notes.tied} of {notes.lists} lists, so that document ids decide"
        warn(
            f"{source}: {what} their order; order='rank' takes the rank column, order='file' the rows as"
            " they stand."
        )
    looked_at, rising = _directions(notes.samples)
    against = looked_at - rising if reading.lower_is_better else rising
    if 2 * against > looked_at and not reading.without_scores:
        what = (
            f"the rank column runs against the scores in {against} of {looked_at} lists that were looked at"
        )
        other = (
            "if higher scores are better, leave lower_is_better out"
            if reading.lower_is_better
            else "if they are distances, lower_is_better=True"
        )
        warn(f"{source}: {what}, and the scores decide; {other}, and if the ranks are right, order='rank'.")
    marks = {mark for sample in notes.samples for mark in sample.marks}
    if reading.stop is None and len(marks) > 1:
        some = ", ".join(sorted(marks)[:5])
        warn(
            f"{source}: the second column has several values ({some}); if one ends the list, name it:"
            " stop='...'."
        )
    if reading.stop is not None and not notes.ended:
        warn(f"{source}: no row has the mark {reading.stop} in its second column: no list ends there.")
    if notes.behind:
        what = f"{notes.behind} documents come after one that was not shown; their lists end before it"
        warn(f"{source}: {what}.")
    if notes.strangers:
        many = f"{notes.strangers} topics that the qrels lack are"
        what = many if notes.strangers > 1 else "1 topic that the qrels lack is"
        none = "" if notes.known else "; NO topic is left"
        warn(f"{source}: {what} left out (topic {notes.stranger} for one){none}.")
    if notes.behind_nil:
        what = f"{nil} ends {notes.cut_by_nil} list(s) before their last document"
        warn(f"{source}: {what}; {notes.behind_nil} document(s) behind it are left out.")
    if notes.empty:
        warn(f"{source}: {notes.empty} answer(s) that normalise to nothing are left out.")
    if notes.taken:
        what = f"{notes.taken} lists hold" if notes.taken > 1 else "1 list holds"
        warn(
            f"{source}: {what} a document called {nil}, taken for a document; nil='ends' ends these lists"
            " before it."
        )


def _directions(samples: Samples) -> tuple[int, int]:
    """Lists with ranks and scores that differ, and those of them whose ranks mostly rise with the scores."""
    looked_at = rising = 0
    for sample in samples:
        votes: dict[str | bytes, int] = defaultdict(int)
        for (topic, rank, score), (other, next_rank, next_score) in sample.pairs:
            if topic == other and rank != next_rank and score != next_score:
                votes[topic] += 1 if (rank < next_rank) == (score < next_score) else -1
        looked_at += len(votes)
        rising += sum(vote > 0 for vote in votes.values())
    return looked_at, rising
