"""Ranking: the rows of a run, joined to the judgments, as the lists that are scored.

A run comes as pieces of whole topics, from one file, one frame or many machines. Each piece is ranked by
itself and keeps one list for each of its topics: its length and its judged documents, never more than the
qrels have, however long the lists are (costs of documents, and their scores where they are kept, come on
top). So runs can be larger than memory. `Rankings.concat` puts the pieces together, and the scores have the
bits of a run in one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_trunc.core.errors import warn
from ir_trunc.core.flat import SomeLists
from ir_trunc.core.rankings import Ints, Rankings, first_of, offsets_of
from ir_trunc.ranking.compiled import compiled, compiled_rows
from ir_trunc.ranking.qrels import Qrels
from ir_trunc.ranking.ranked import RankedRows
from ir_trunc.ranking.words import overlaps_of
from ir_trunc.read.arrow import occurs, strings
from ir_trunc.read.notes import NO_NOTES, Notes
from ir_trunc.read.reading import DEFAULT, RUN, Reading
from ir_trunc.read.registry import Data, recognised
from ir_trunc.read.rows import Rows


@dataclass(frozen=True, eq=False)
class Piece:
    """Some lists of a run.

    lists: one for each topic of the qrels that the piece has. notes: what is to be said of these rows.
    source: what to call the run. reading: how it was read. starts_over: whether the piece has all lists of
    the pieces before it, too.
    """

    lists: SomeLists
    notes: Notes = NO_NOTES
    source: str = "run"
    reading: Reading = DEFAULT
    starts_over: bool = False


@dataclass(frozen=True, eq=False)
class Joined:
    """Rows of a run by rank, beside the judgments.

    ranked: the rows. lists: one for each topic of the qrels. keys: which judgment each judged document of the
    lists has, as a position in `Qrels.keys`, or -1 for a NIL that is right. notes: what is to be said of the
    run.
    """

    ranked: RankedRows
    lists: SomeLists
    keys: Ints
    notes: Notes


def rank_run(qrels: Qrels, run: Any, reading: Reading = DEFAULT, keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run, one for each topic of the qrels; warnings count what is left out.

    run: in any form. keep_scores: whether the lists keep the scores of all documents, as policies need them;
    measures do not.
    """
    return put_together(qrels, pieces_of(qrels, recognised(run, replace(RUN, reading=reading)), keep_scores))


def rank(qrels: Qrels, rows: Iterable[Rows], keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run that was read. rows: pieces of whole topics, as `Data.rows` yields them."""
    return put_together(qrels, (rank_piece(qrels, piece, keep_scores) for piece in rows))


def pieces_of(qrels: Qrels, run: Data, keep_scores: bool) -> Iterator[Piece]:
    """The lists of a run, some whole topics at a time: the way from data to `Piece`s, for every form of data.

    A faster way for one form belongs here and nowhere else. It is known by `run.reader`; it has `run.value`,
    as the user gave it, and `run.layout.reading`, how it is read; and it yields the pieces that the rows of
    `run.rows()` would give:

    - Each topic is in one piece. Where a topic turns up again, a last piece comes that `starts_over`.
    - Topics without a document can be left out of `lists` unless they hold NIL. Placeholders are not
      documents.
    - Ranks are those of the order that the reading asks for. What a reader or `RankedRows` refuses, as a
      document that is given twice, is refused in the same words.
    - `notes` count the topics that the qrels lack, lists that NIL ends, ties and other signs.
    - `scores` are those of all documents where they are kept, else None. `first_scores` are known wherever
      all rows have scores.

    What it does not take it leaves to the readers; `rank_piece` takes their rows.
    """
    if whole := compiled(qrels, run, keep_scores):
        yield Piece(whole.lists, whole.notes, whole.source, run.layout.reading)
        return
    for rows in run.rows():
        yield rank_piece(qrels, rows, keep_scores)


def rank_piece(qrels: Qrels, rows: Rows, keep_scores: bool = False) -> Piece:
    """The lists of a piece, which must have all rows of its topics."""
    if whole := compiled_rows(qrels, rows, keep_scores):
        return Piece(whole.lists, whole.notes, whole.source, rows.reading, rows.starts_over)
    found = join(qrels, rows)
    lists = found.lists if keep_scores else replace(found.lists, scores=None)
    some = lists.take(np.flatnonzero((lists.lengths > 0) | lists.held))  # NIL may end a list at once
    return Piece(some, found.notes, rows.source, rows.reading, rows.starts_over)


def put_together(
    qrels: Qrels,
    pieces: Iterable[Piece],
    source: str | None = None,
    reading: Reading | None = None,
    notes: Notes = NO_NOTES,
) -> Rankings:
    """The ranked lists of a run from its pieces; warnings count what is left out.

    source, reading: what to call the run, and how it was read, where its pieces do not tell. notes: those
    that the pieces do not know of.
    """
    held: list[Piece] = []
    for piece in pieces:
        if piece.starts_over:
            held.clear()
        held.append(piece)
    lists = SomeLists.concat(qrels.judgments.topics, [piece.lists for piece in held])
    for piece in held:
        notes += piece.notes
        source, reading = source or piece.source, reading or piece.reading
    return said(qrels, lists, notes, source or "run", reading or DEFAULT)


def join_run(qrels: Qrels, run: Rows) -> tuple[Rankings, Joined]:
    """The ranked lists of a whole run, and its rows beside the judgments, for what needs document ids."""
    joined = join(qrels, run)
    return said(qrels, joined.lists, joined.notes, run.source, run.reading), joined


def said(qrels: Qrels, lists: SomeLists, notes: Notes, source: str, reading: Reading) -> Rankings:
    """The rankings of these lists; warnings say what of the run is left out, and what makes it doubtful.

    source: what to call the run.
    """
    notes.warn(source, qrels.nil.id, reading)
    found = int(lists.lengths.sum())
    # An answer outside of all classes is a wrong answer.
    if found and len(qrels.keys) and qrels.classes is None and not len(lists.judged_ranks):
        known = f"one that is judged is {qrels.docs[0]}"
        warn(
            f"{source}: none of its {found} documents is judged; are these the ids of the qrels'"
            f" collection? ({known})"
        )
    return Rankings.of_lists(qrels.judgments_with_nil, lists, qrels.nil.convention)


def join(qrels: Qrels, run: Rows) -> Joined:
    """Rows by rank beside the judgments, without a warning."""
    ranked = by_rank(qrels, run)
    ids = ranked.rows.docs
    if qrels.normalise is not None:
        ids = strings([qrels.normalise(doc) for doc in ids.to_pylist()])
    nil = np.flatnonzero(occurs(ids, qrels.nil_id))
    nil = nil[np.diff(ranked.topic[nil], prepend=-1) != 0]  # several answers may normalise to it: the first
    held = np.zeros(len(ranked.lengths), dtype=bool)
    lengths, notes = ranked.lengths, ranked.notes
    if len(nil):
        held[ranked.topic[nil]] = True
        lengths, notes = qrels.nil.lengths(ranked, nil), notes + qrels.nil.notes(ranked, nil)
    key = qrels.find(ranked.topic, ids)
    row = np.flatnonzero((key >= 0) & (ranked.rank <= lengths[ranked.topic]))
    key = key[row]
    grade = _grades(qrels, ranked, row, key)
    if len(nil) and qrels.nil.answers:
        right = qrels.nil.right(ranked, nil, qrels.judgments.nil_queries)
        row, key = np.append(row, right), np.append(key, np.full(len(right), -1))
        grade = np.append(grade, np.full(len(right), max(1, qrels.judgments.max_rel)))
    # Judged documents go in the order of the qrels' topics, whatever the order of the topics in the run.
    order = np.argsort(offsets_of(ranked.lengths)[ranked.topic[row]] + ranked.rank[row])
    row, key, grade = row[order], key[order], grade[order]
    scores = ranked.scores
    lists = SomeLists(
        np.arange(len(lengths)),
        lengths,
        offsets_of(np.bincount(ranked.topic[row], minlength=len(lengths))),
        ranked.rank[row],
        grade,
        ranked.starts,
        scores,
        ranked.rows.costs,
        None if scores is None else first_of(scores, ranked.starts, lengths),
        None if qrels.classes is None else overlaps_of(qrels, ranked, lengths),
        held,
    )
    return Joined(ranked, lists, key, notes)


def by_rank(qrels: Qrels, run: Rows) -> RankedRows:
    """The rows for the topics of the qrels, by rank; what normalises to nothing is not an answer."""
    if qrels.normalise is None:
        return RankedRows.of(run, qrels.topics)
    docs = run.docs.to_pylist()
    answers = np.array([bool(qrels.normalise(doc)) for doc in docs], dtype=bool)
    empty = sum(bool(docs[at].strip()) for at in np.flatnonzero(~answers))  # a blank answer is silence
    ranked = RankedRows.of(run.filter(answers), qrels.topics)
    return replace(ranked, notes=replace(ranked.notes, empty=empty))


def _grades(qrels: Qrels, ranked: RankedRows, row: Ints, key: Ints) -> Ints:
    """The grade of each judged row; an answer whose class another one gave above is worth nothing."""
    grade = qrels.grades[key]
    if qrels.classes is None:
        return grade
    right = np.flatnonzero(grade > 0)  # a wrong answer does not use up its class
    topic, of_class = ranked.topic[row[right]], qrels.classes[key[right]]
    order = np.lexsort((ranked.rank[row[right]], of_class, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(of_class[order]) == 0)
    grade[right[order[1:][again]]] = 0
    return grade
