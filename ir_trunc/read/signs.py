"""Signs that a run is not what it seems, said once a run.

They are counted, on a sample where counting all would take time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc.core.rankings import distinct
from ir_trunc.read.arrow import numeric, pa
from ir_trunc.read.columns import known_column
from ir_trunc.read.layout import COMMENT, RUN
from ir_trunc.read.notes import Notes
from ir_trunc.read.rows import Rows

_WINDOWS = 16  # places of a block of lines that are looked at
_WINDOW = 320  # bytes: a handful of lines
_SAMPLE = 256  # rows of a frame that are looked at

Seen = tuple[str | bytes, float, float]  # topic, rank and score of a row


def signs_of_lines(block: pa.Buffer) -> Notes:
    """What some lines of a block of a run say."""
    view = memoryview(block)
    whole = len(view) <= _WINDOWS * _WINDOW
    starts = [0] if whole else range(0, len(view) - _WINDOW, len(view) // _WINDOWS)
    marks: set[str] = set()
    pairs: list[tuple[Seen, Seen]] = []
    for start in starts:
        lines = bytes(view if whole else view[start : start + _WINDOW]).splitlines()
        seen: list[Seen] = []
        for line in lines if whole else lines[1:-1]:
            fields = line.split()
            if len(fields) != len(RUN.fields) or fields[0].startswith(COMMENT):
                continue
            topic, mark, _, rank, score, _ = fields
            marks.add(mark.decode(errors="replace"))
            try:
                seen.append((topic, float(rank), float(score)))
            except ValueError:  # no rank; what is no score is an error elsewhere
                continue
        pairs += pairwise(seen)
    return _signs_of_pairs(pairs, marks)


def with_signs(rows: Rows, ranks: Any, marks: Any) -> Rows:
    """The rows with what a sample of them is a sign of.

    ranks, marks: columns that may be of any type, or not there.
    """
    if not len(rows):
        return rows
    at = distinct(np.linspace(0, len(rows) - 1, _SAMPLE).astype(np.int64))
    seen: list[str] = []
    texts = None if marks is None else known_column(marks)
    if texts is not None and not pa.types.is_primitive(texts.type):
        seen = texts.cast(pa.string()).take(numeric(at)).to_pylist()
    places = None if ranks is None else known_column(ranks)
    if places is None or not (pa.types.is_integer(places.type) or pa.types.is_floating(places.type)):
        return replace(rows, notes=_signs_of_pairs([], seen))
    topics = rows.topics.dictionary_decode()
    values = -rows.values if rows.reading.lower_is_better else rows.values

    def of(rows_at: npt.NDArray[np.int64]) -> list[Seen]:
        here = numeric(rows_at)
        return list(
            zip(topics.take(here).to_pylist(), places.take(here).to_pylist(), values[rows_at].tolist())
        )

    at = at[at < len(rows) - 1]
    return replace(rows, notes=_signs_of_pairs(zip(of(at), of(at + 1)), seen))


def _signs_of_pairs(pairs: Iterable[tuple[Seen, Seen]], marks: Iterable[str]) -> Notes:
    """What neighbouring rows say of the direction of ranks and scores."""
    votes: dict[str | bytes, int] = defaultdict(int)
    for (topic, rank, score), (other, next_rank, next_score) in pairs:
        if topic == other and rank != next_rank and score != next_score:
            votes[topic] += 1 if (rank < next_rank) == (score < next_score) else -1
    against = len([vote for vote in votes.values() if vote > 0])
    return Notes(looked_at=len(votes), against=against, marks=frozenset(marks))
