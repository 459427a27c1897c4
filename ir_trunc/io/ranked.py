"""A run's rows in their one order, topic by topic: what judgments are joined to, and what wrapped runs are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.errors import warn
from ir_trunc.io.order import ranked_order, repeated
from ir_trunc.io.rows import PLACEHOLDER, Rows
from ir_trunc.rankings import Ints


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a run for some topics, ranked.

    rows: one for each document; a topic's rows stand together. topic: each row's topic, as a position among the topics (Q).
    rank: each row's rank, from 1. lengths, starts: of every topic's list (Q).
    """

    rows: Rows
    topic: Ints
    rank: Ints
    lengths: Ints
    starts: Ints

    @classmethod
    def of(cls, run: Rows, topics: pa.StringArray) -> RankedRows:
        """The lists of these topics; a warning counts the topics of the run that are not among them.

        Placeholder documents make their topic known and are no documents. Raises InputError where a topic has the same
        document twice.
        """
        twice = repeated(run.topics.indices.to_numpy(), run.docs)
        if twice:
            raise run.error(twice[1], "it is in the list twice")
        code_of = pc.index_in(run.topics.dictionary, value_set=topics).fill_null(-1).to_numpy().astype(np.int64)
        topic = code_of[run.topics.indices.to_numpy()]
        keep = (topic >= 0) & ~pc.equal(run.docs, PLACEHOLDER).to_numpy(zero_copy_only=False)
        if not keep.all():
            _warn_of_strangers(run, topic)
            run, topic = run.filter(keep), topic[keep]
        order = ranked_order(topic, run)
        if order is not None:
            run, topic = run.take(order), topic[order]
        firsts = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1]))[: len(topic)])
        starts = np.zeros(len(topics), dtype=np.int64)
        starts[topic[firsts]] = firsts
        rank = np.arange(len(topic)) - starts[topic] + 1
        return cls(run, topic, rank, np.bincount(topic, minlength=len(topics)), starts)


def _warn_of_strangers(run: Rows, topic: Ints) -> None:
    strangers = len(pc.unique(run.topics.indices.filter(pa.array(topic < 0))))
    if strangers:
        what = f"{strangers} topics that the qrels lack are" if strangers > 1 else "1 topic that the qrels lack is"
        none = "; NO topic is left" if strangers == len(pc.unique(run.topics.indices)) else ""
        first = run.topics[int(np.argmax(topic < 0))]
        warn(f"{run.source}: {what} left out (topic {first} first){none}.")
