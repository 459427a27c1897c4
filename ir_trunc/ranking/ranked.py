"""A run's rows in their one order, topic by topic.

Judgments are joined to them, and wrapped runs are made of them.

What the keys are, the run's `Reading` says: scores as 32-bit floats unless told otherwise, which is the order
of ir-measures, pytrec_eval and trec_eval 9, so that truncated and classical measures speak of one list. Most
runs arrive in their order, and are only checked; where they are not, only the topics that are out of order
are sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc.core.errors import InputError
from ir_trunc.core.rankings import Bools, Floats, Ints, distinct
from ir_trunc.read.arrow import flat, numeric, occurs, pa, pc, positions, truths
from ir_trunc.read.notes import Notes
from ir_trunc.read.reading import DEFAULT, Order
from ir_trunc.read.rows import PLACEHOLDER, Rows

Keys = npt.NDArray[Any]  # numbers, one for each row: the higher comes first

_PRECISION: dict[Order, type[np.floating[Any]]] = {"score": np.float32, "score64": np.float64}


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a run for some topics, ranked.

    rows: one for each document; a topic's rows are contiguous. topic: each row's topic, as a position among
    the topics (Q). rank: each row's rank, from 1. lengths, starts: of every topic's list (Q). notes: what is
    to be said of the run.
    """

    rows: Rows
    topic: Ints
    rank: Ints
    lengths: Ints
    starts: Ints
    notes: Notes

    @property
    def scores(self) -> Floats | None:
        """Of each row; None where some are not known."""
        if self.rows.unscored is not None and self.rows.unscored.any():
            return None
        return np.asarray(self.rows.values, dtype=np.float64)

    @property
    def falling(self) -> Floats:
        """Scores by which every tool has the rows in this order.

        They are the rows' own, or minus their ranks where those would not do.
        """
        usual = replace(self.rows, reading=DEFAULT, unscored=None)
        if ranked_order(self.topic, usual) is None:
            return np.asarray(self.rows.values, dtype=np.float64)
        return -self.rank.astype(np.float64)

    @classmethod
    def of(cls, run: Rows, topics: pa.StringArray) -> RankedRows:
        """The lists of these topics.

        Placeholder documents make their topic known and are not counted. Raises InputError where a topic has
        the same document twice.
        """
        number = positions(run.topics.dictionary, topics)
        strange = number < 0
        number[strange] = np.arange(len(topics), len(topics) + np.count_nonzero(strange))
        topic = number[flat(run.topics.indices)]
        again = repeats(topic, run.docs)
        if len(again) and run.reading.duplicates == "error":
            raise run.twice(
                int(again[0]), "it is in the list twice; duplicates='first' or 'best' keeps one of them"
            )
        known = topic < len(topics)
        notes = _strangers(run, known)
        keep = known & ~occurs(run.docs, PLACEHOLDER)
        if run.reading.duplicates == "first":
            keep[again] = False
        if not keep.all():
            run, topic = run.filter(keep), topic[keep]
        order = ranked_order(topic, run)
        if order is not None:
            run, topic = run.take(order), topic[order]
        keep = np.ones(len(topic), dtype=bool)
        if len(again) and run.reading.duplicates == "best":
            keep[repeats(topic, run.docs)] = False
        if run.hidden is not None:
            ended = _ended(topic, run.hidden)
            behind = int(np.count_nonzero(ended & ~run.hidden))
            notes = replace(notes, ended=len(distinct(topic[ended])), behind=behind)
            keep &= ~ended
        if not keep.all():
            run, topic = run.filter(keep), topic[keep]
        firsts = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1]))[: len(topic)])
        starts = np.zeros(len(topics), dtype=np.int64)
        starts[topic[firsts]] = firsts
        rank = np.arange(len(topic)) - starts[topic] + 1
        lengths = np.bincount(topic, minlength=len(topics))
        lists, tied = _count_tied(run, starts, lengths)
        notes = run.notes + replace(notes, lists=lists, tied=tied)
        return cls(run, topic, rank, lengths, starts, notes)


def repeats(topic: Ints, docs: pa.StringArray) -> Ints:
    """The rows whose topic and document an earlier row has. topic: as numbers >= 0."""
    codes = docs.dictionary_encode()
    keys = topic * len(codes.dictionary) + flat(codes.indices)
    if len(distinct(keys)) == len(keys):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    return np.sort(order[1:][np.diff(keys[order]) == 0])


def _ended(topic: Ints, hidden: Bools) -> Bools:
    """Which rows stand behind the first of their list that was not shown, or are this one."""
    before: Ints = np.cumsum(hidden) - hidden
    firsts = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1]))[: len(topic)])
    of_list: Ints = np.repeat(before[firsts], np.diff(np.append(firsts, len(topic))))
    ended: Bools = before + hidden > of_list
    return ended


def _strangers(run: Rows, known: Bools) -> Notes:
    """The topics of a run that the qrels lack. known: which rows have others."""
    if known.all():
        return Notes(known=len(known) > 0)
    strange = run.topics.dictionary.take(pc.unique(run.topics.indices.take(numeric(np.flatnonzero(~known)))))
    return Notes(known=bool(known.any()), strangers=len(strange), stranger=pc.min(strange).as_py())


def _keys(rows: Rows) -> Keys:
    """What decides the order of each list."""
    precision = _PRECISION.get(rows.reading.order)
    if precision:
        with np.errstate(over="ignore"):
            keys: Keys = rows.values.astype(precision)
    elif rows.reading.order == "file":
        keys = -np.arange(len(rows))
    elif rows.ranks is not None:
        keys = -rows.ranks
    else:
        raise InputError(f"{rows.source}: order='rank' needs ranks.")
    return keys if rows.unscored is None else np.where(rows.unscored, rows.values, keys)


def _count_tied(rows: Rows, starts: Ints, lengths: Ints) -> tuple[int, int]:
    """Lists in whose order scores have a say, and those of them whose scores are all equal.

    Lists of fewer than two documents do not count.
    """
    kind = _PRECISION.get(rows.reading.order)
    if kind is None or rows.unscored is not None:
        return 0, 0
    first = starts[lengths > 1]
    last = first + lengths[lengths > 1] - 1
    with np.errstate(over="ignore"):
        tied = rows.values[first].astype(kind) == rows.values[last].astype(kind)
    return len(first), int(np.count_nonzero(tied))


def ranked_order(topics: Ints, rows: Rows) -> Ints | None:
    """Positions that bring the rows into order, or None where they are in it.

    topics: each row's topic, as a number.
    """
    keys = _keys(rows)
    order = None
    same = topics[1:] == topics[:-1]
    firsts = np.append(topics[:1], topics[1:][~same])
    if len(distinct(firsts)) < len(firsts):
        order = np.argsort(topics, kind="stable")
        topics, keys = topics[order], keys[order]
        same = topics[1:] == topics[:-1]
    rises = same & (keys[1:] > keys[:-1])
    if rises.any():
        order = np.arange(len(topics)) if order is None else order
        unsorted = np.zeros(int(topics.max()) + 1, dtype=bool)
        unsorted[topics[:-1][rises]] = True
        at = np.flatnonzero(unsorted[topics])
        # A topic's rows stand together, but the topics in any order; sorted by first appearance they fill the
        # same places.
        first = np.cumsum(np.append(True, ~same))[at]
        by_key = at[np.lexsort((-keys[at], first))]
        order[at], keys[at] = order[by_key], keys[by_key]
    tied = same & (keys[1:] == keys[:-1])
    if rows.reading.order == "rank" and tied.any():
        second = int(tied.argmax()) + 1
        row = second if order is None else int(order[second])
        raise rows.error(row, f"rank {-int(keys[second])} is in the list twice")
    return _with_ties_in_order(order, tied, rows.docs)


def _with_ties_in_order(order: Ints | None, tied: Bools, docs: pa.StringArray) -> Ints | None:
    """The order with descending ids where rows are tied with the next."""
    ties = np.flatnonzero(tied)
    if not len(ties):
        return order
    above, below = (docs.take(numeric(at if order is None else order[at])) for at in (ties, ties + 1))
    if not truths(pc.less(above, below)).any():
        return order
    order = np.arange(len(tied) + 1) if order is None else order
    group = np.cumsum(np.append(True, ~tied))
    at = np.flatnonzero(np.append(False, tied) | np.append(tied, False))
    table = pa.Table.from_arrays([numeric(group[at]), docs.take(numeric(order[at]))], ["group", "doc"])
    order[at] = order[at][
        flat(pc.sort_indices(table, sort_keys=[("group", "ascending"), ("doc", "descending")]))
    ]
    return order
