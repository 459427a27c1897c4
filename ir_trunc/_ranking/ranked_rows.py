"""The rows of a run by rank, topic by topic.

The run's `Reading` selects the sort keys. By default they are the scores as 32-bit floats, as in ir-measures,
pytrec_eval and trec_eval 9, so that truncated and classical measures see the same list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Bools, Floats, Ints, distinct
from ir_trunc._ranking.notes import Notes
from ir_trunc._read.arrow import flat, index_in, numeric, occurs, pa, pc, strings
from ir_trunc._read.reading import DEFAULT, Order
from ir_trunc._read.rows import PLACEHOLDER, Rows

_PRECISION: dict[Order, type[np.floating[Any]]] = {"score": np.float32, "score64": np.float64}


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a run for some topics, by rank."""

    rows: Rows  # one for each document; those of a topic are contiguous
    topic: Ints  # of each row, the position of its topic among the Q topics
    rank: Ints  # of each row, from 1
    lengths: Ints  # of each list (Q)
    starts: Ints  # of each list (Q), the index of its first row
    notes: Notes
    missing: Bools  # topics without a row, and without an empty list, in the run (Q)

    @property
    def scores(self) -> Floats | None:
        """The score of each row; None if some rows have no score."""
        if self.rows.unscored is not None and self.rows.unscored.any():
            return None
        return np.asarray(self.rows.values, dtype=np.float64)

    @property
    def falling(self) -> Floats:
        """Scores that put the rows in this order in every tool: their own, or minus their ranks."""
        by_score = ranked_order(self.topic, replace(self.rows, reading=DEFAULT, unscored=None))
        if np.array_equal(by_score, np.arange(len(by_score))):
            return np.asarray(self.rows.values, dtype=np.float64)
        return -self.rank.astype(np.float64)

    @classmethod
    def of(cls, run: Rows, topics: pa.StringArray) -> RankedRows:
        """The lists of these topics; a placeholder makes its topic known, and is not in the list."""
        position = index_in(run.topics.dictionary, topics)
        unknown = position < 0  # they get numbers beyond those of the qrels' topics
        position[unknown] = np.arange(len(topics), len(topics) + np.count_nonzero(unknown))
        topic = position[flat(run.topics.indices)]
        duplicates, again = run.reading.duplicates, repeats(topic, run.docs)
        if len(again) and duplicates == "error":
            problem = "it is in the list twice; duplicates='first' or 'best' keeps one of them"
            raise run.both(int(again[0]), None, problem)
        known = topic < len(topics)
        notes = Notes(known=bool(known.any()))
        if not known.all():
            codes = pc.unique(run.topics.indices.take(numeric(np.flatnonzero(~known))))
            names = run.topics.dictionary.take(codes)
            notes.ignored, notes.first_ignored = len(names), pc.min(names).as_py()
        missing = np.ones(len(topics), dtype=bool)
        missing[topic[known]] = False
        if run.universe:
            empty = index_in(strings(run.universe), topics)
            missing[empty[empty >= 0]] = False
        keep = known & ~occurs(run.docs, PLACEHOLDER)
        if duplicates == "first":
            keep[again] = False
        run, topic = run.filter(keep), topic[keep]
        order = ranked_order(topic, run)
        if (order[1:] < order[:-1]).any():
            run, topic = run.take(order), topic[order]
        keep = np.ones(len(topic), dtype=bool)
        if duplicates == "best":
            keep[repeats(topic, run.docs)] = False
        if run.hidden is not None:
            first_hidden = np.full(len(topics), len(topic))
            np.minimum.at(first_hidden, topic[run.hidden], np.flatnonzero(run.hidden))
            ended = np.arange(len(topic)) >= first_hidden[topic]
            behind = int(np.count_nonzero(ended & ~run.hidden))
            notes.ended, notes.behind = len(distinct(topic[ended])), behind
            keep &= ~ended
        run, topic = run.filter(keep), topic[keep]
        starts = np.zeros(len(topics), dtype=np.int64)
        starts[topic[::-1]] = np.arange(len(topic))[::-1]
        rank = np.arange(len(topic)) - starts[topic] + 1
        lengths = np.bincount(topic, minlength=len(topics))
        notes.samples = run.samples
        if run.reading.order in _PRECISION and run.unscored is None:
            keys, first = _keys(run), starts[lengths > 1]
            last = first + lengths[lengths > 1] - 1
            tied = int(np.count_nonzero(keys[first] == keys[last]))
            same_key = (topic[1:] == topic[:-1]) & (keys[1:] == keys[:-1])
            rounded = same_key & (run.values[1:] != run.values[:-1])
            notes.lists, notes.tied, notes.rounded = len(first), tied, len(distinct(topic[1:][rounded]))
        return cls(run, topic, rank, lengths, starts, notes, missing)


def repeats(topic: Ints, docs: pa.StringArray) -> Ints:
    """The rows that repeat the topic and document of an earlier row; topics are numbers >= 0."""
    codes = docs.dictionary_encode()
    pairs = topic * len(codes.dictionary) + flat(codes.indices)
    if len(distinct(pairs)) == len(pairs):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(pairs, kind="stable")
    return np.sort(order[1:][np.diff(pairs[order]) == 0])


def _keys(rows: Rows) -> Ints | Floats:
    """The sort key of each row; the highest comes first."""
    keys: Ints | Floats
    if precision := _PRECISION.get(rows.reading.order):
        with np.errstate(over="ignore"):
            keys = rows.values.astype(precision).astype(np.float64)
    elif rows.reading.order == "file":
        keys = -np.arange(len(rows))
    elif rows.ranks is not None:
        keys = -rows.ranks
    else:
        raise InputError(f"{rows.source}: order='rank' needs ranks.")
    return keys if rows.unscored is None else np.where(rows.unscored, rows.values, keys)


def ranked_order(topic: Ints, rows: Rows) -> Ints:
    """The indices that sort the rows by rank. Topics keep their order if the rows of each are contiguous."""
    keys, place = _keys(rows), np.cumsum(np.diff(topic, prepend=topic[:1]) != 0)
    if place.max(initial=-1) >= len(distinct(topic)):
        place = topic
    by_rank = rows.reading.order == "rank"
    columns = pa.table([numeric(place), numeric(keys), rows.docs], ["place", "key", "doc"])
    falling = [("key", "descending")] if by_rank else [("key", "descending"), ("doc", "descending")]
    order: Ints = flat(pc.sort_indices(columns, [("place", "ascending"), *falling])).astype(np.int64)
    if by_rank:
        again = np.flatnonzero((np.diff(place[order]) == 0) & (np.diff(keys[order]) == 0))[:1]
        for row, other in zip(order[again + 1].tolist(), order[again].tolist()):
            problem = f"rank {-int(keys[row])} is in the list twice"
            raise rows.both(row, other, f"{problem}; order='file' takes the rows as they stand")
    return order
