"""Words that an answer shares with the right ones, for topics whose documents are answers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.ranked import RankedRows

Words = Counter[str]


def token_f1(answer: Words, right: Words) -> float:
    """2 s / (w + w'), s words in common of w in the answer and w' in the right one."""
    shared = sum((answer & right).values())
    return 2 * shared / (sum(answer.values()) + sum(right.values())) if shared else 0.0


def overlaps_of(qrels: Qrels, ranked: RankedRows, lengths: Ints) -> Floats:
    """The token F1 of each list's first answer with the nearest right one (Q).

    None where documents are not answers.

    lengths: of the lists as they are scored.
    """
    found = np.zeros(len(lengths))
    there = np.flatnonzero(lengths > 0)
    for topic, answer in zip(there, ranked.rows.docs.take(ranked.starts[there]).to_pylist()):
        words = Counter((qrels.normalise(answer) if qrels.normalise else answer).split())
        found[topic] = max((token_f1(words, right) for right in qrels.right_words[topic]), default=0.0)
    return found
