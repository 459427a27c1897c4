"""Rows of a run, joined to the judgments in Python: those that the compiled kernel does not take."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ir_trunc._core.flat import SomeLists
from ir_trunc._core.rankings import Ints, first_of, offsets_of
from ir_trunc._ranking.notes import Notes
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.ranked import RankedRows
from ir_trunc._ranking.words import overlaps_of
from ir_trunc._read.arrow import occurs, strings
from ir_trunc._read.rows import Rows


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
        lengths, notes = qrels.nil.lengths(ranked, nil), qrels.nil.notes(ranked, nil)
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
