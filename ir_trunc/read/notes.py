"""What is to be said of a run: counted where it is read and ranked, and said once.

Signs that a run is not what it seems are counted on a sample, where counting all would take time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc.core.errors import warn
from ir_trunc.core.rankings import distinct
from ir_trunc.read.arrow import numeric, pa
from ir_trunc.read.columns import known_column
from ir_trunc.read.reading import COMMENT, RUN, Reading

_LOOKED_AT = 4  # blocks of a file in which signs are looked for
_WINDOWS = 16  # places of a block of lines that are looked at
_WINDOW = 320  # bytes: a handful of lines
_SAMPLE = 256  # rows of a frame that are looked at

Seen = tuple[str | bytes, float, float]  # topic, rank and score of a row


@dataclass(frozen=True)
class Notes:
    """What of a run is left out, and signs that it is not what it seems.

    Notes can be added up where a run is read or ranked in parts. All but known, stranger and marks are
    counts.

    known: whether the qrels have any of the run's topics. strangers: topics that they lack; stranger: the
    first of these ids as text. cut_by_nil: lists that NIL ends before their last document; behind_nil:
    documents behind it. taken: lists with a NIL that is taken for a document since nobody said what it means.
    empty: answers of which their normaliser leaves nothing.

    lists: of two documents or more whose order is decided by scores; tied: those of them in which all scores
    are equal. looked_at: lists of the sample with ranks and scores that differ; against: those whose ranks
    rise with the scores. marks: of the second column, in the sample. ended: lists that end before a row that
    was not shown; behind: rows behind it that were shown.
    """

    known: bool = False
    strangers: int = 0
    stranger: str | None = None
    cut_by_nil: int = 0
    behind_nil: int = 0
    taken: int = 0
    empty: int = 0
    lists: int = 0
    tied: int = 0
    looked_at: int = 0
    against: int = 0
    marks: frozenset[str] = frozenset()
    ended: int = 0
    behind: int = 0

    def __add__(self, other: Notes) -> Notes:
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        strangers = [name for name in (self.stranger, other.stranger) if name is not None]
        return Notes(
            known=self.known or other.known,
            stranger=min(strangers, default=None),
            marks=self.marks | other.marks,
            **counts,
        )

    def warn(self, source: str, nil: str, reading: Reading) -> None:
        """Warn of each kind once.

        source: what to call the run. nil: the NIL document's id. reading: how it was read.
        """
        if 2 * self.tied > self.lists:
            what = (
                f"all scores are equal in {self.tied} of {self.lists} lists, so that document ids decide"
                " their order"
            )
            warn(
                f"{source}: {what}; order='rank' takes the rank column, order='file' the rows as they stand."
            )
        against = self.looked_at - self.against if reading.lower_is_better else self.against
        if 2 * against > self.looked_at and not reading.without_scores:
            what = (
                f"the rank column runs against the scores in {against} of {self.looked_at} lists that were"
                " looked at"
            )
            other = (
                "if higher scores are better, leave lower_is_better out"
                if reading.lower_is_better
                else "if they are distances, lower_is_better=True"
            )
            warn(
                f"{source}: {what}, and the scores decide; {other}, and if the ranks are right, order='rank'."
            )
        if reading.stop is None and len(self.marks) > 1:
            marks = ", ".join(sorted(self.marks)[:5])
            warn(
                f"{source}: the second column has several values ({marks}); if one ends the list, name it:"
                " stop='...'."
            )
        if reading.stop is not None and not self.ended:
            warn(f"{source}: no row has the mark {reading.stop} in its second column: no list ends there.")
        if self.behind:
            warn(
                f"{source}: {self.behind} documents come after one that was not shown; their lists end"
                " before it."
            )
        if self.strangers:
            what = (
                f"{self.strangers} topics that the qrels lack are"
                if self.strangers > 1
                else "1 topic that the qrels lack is"
            )
            none = "" if self.known else "; NO topic is left"
            warn(f"{source}: {what} left out (topic {self.stranger} for one){none}.")
        if self.behind_nil:
            what = f"{nil} ends {self.cut_by_nil} list(s) before their last document"
            warn(f"{source}: {what}; {self.behind_nil} document(s) behind it are left out.")
        if self.empty:
            warn(f"{source}: {self.empty} answer(s) that normalise to nothing are left out.")
        if self.taken:
            what = f"{self.taken} lists hold" if self.taken > 1 else "1 list holds"
            warn(
                f"{source}: {what} a document called {nil}, taken for a document; nil='ends' ends these lists"
                " before it."
            )


_COUNTS = [field.name for field in fields(Notes) if field.type == "int"]

NO_NOTES = Notes()


def signs_of_lines(block: memoryview, number: int) -> Notes:
    """What some lines of a block of a run say; nothing where it is not one of the file's first blocks."""
    if number >= _LOOKED_AT:
        return NO_NOTES
    whole = len(block) <= _WINDOWS * _WINDOW
    starts = [0] if whole else range(0, len(block) - _WINDOW, len(block) // _WINDOWS)
    marks: set[str] = set()
    pairs: list[tuple[Seen, Seen]] = []
    for start in starts:
        lines = bytes(block if whole else block[start : start + _WINDOW]).splitlines()
        seen: list[Seen] = []
        for line in lines if whole else lines[1:-1]:
            words = line.split()
            if len(words) != len(RUN.fields) or words[0].startswith(COMMENT):
                continue
            topic, mark, _, rank, score, _ = words
            marks.add(mark.decode(errors="replace"))
            try:
                seen.append((topic, float(rank), float(score)))
            except ValueError:  # no rank; what is no score is an error elsewhere
                continue
        pairs += pairwise(seen)
    return _signs_of_pairs(pairs, marks)


def signs_of_columns(
    topics: pa.DictionaryArray, values: npt.NDArray[np.generic], ranks: Any, marks: Any
) -> Notes:
    """What a sample of rows is a sign of.

    values: scores, as they were given. ranks, marks: columns of any type, or None.
    """
    if not len(values):
        return NO_NOTES
    at = distinct(np.linspace(0, len(values) - 1, _SAMPLE).astype(np.int64))
    seen: list[str] = []
    texts = None if marks is None else known_column(marks)
    if texts is not None and not pa.types.is_primitive(texts.type):
        seen = texts.cast(pa.string()).take(numeric(at)).to_pylist()
    places = None if ranks is None else known_column(ranks)
    if places is None or not (pa.types.is_integer(places.type) or pa.types.is_floating(places.type)):
        return _signs_of_pairs([], seen)
    names = topics.dictionary_decode()

    def of(rows_at: npt.NDArray[np.int64]) -> list[Seen]:
        here = numeric(rows_at)
        return list(
            zip(names.take(here).to_pylist(), places.take(here).to_pylist(), values[rows_at].tolist())
        )

    at = at[at < len(values) - 1]
    return _signs_of_pairs(zip(of(at), of(at + 1)), seen)


def _signs_of_pairs(pairs: Iterable[tuple[Seen, Seen]], marks: Iterable[str]) -> Notes:
    """What neighbouring rows say of the direction of ranks and scores."""
    votes: dict[str | bytes, int] = defaultdict(int)
    for (topic, rank, score), (other, next_rank, next_score) in pairs:
        if topic == other and rank != next_rank and score != next_score:
            votes[topic] += 1 if (rank < next_rank) == (score < next_score) else -1
    against = len([vote for vote in votes.values() if vote > 0])
    return Notes(looked_at=len(votes), against=against, marks=frozenset(marks))
