"""Signs that lists in an order of their own were meant otherwise: the reader of a run reports them once.

Lists whose scores rise perhaps have distances. Lists without scores that are in the order of their ids may be
unranked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ir_trunc._core.errors import counted, option, warn
from ir_trunc._core.lazy import npt
from ir_trunc._core.rankings import distinct
from ir_trunc._read.arrow import flat, pa, pc, truths
from ir_trunc._read.reading import DEFAULT, Layout, Reading
from ir_trunc._read.rows import Rows

_ENOUGH = 10  # lists that show a direction
_MOST = 0.95  # of them
_CHANCE = 1e-6  # that documents are in the order of their ids
LEAST_ROWS = 2 * _ENOUGH
_SAMPLE = 256  # rows of a run in memory whose scores are compared with the next ones


class Directions:
    """Counts the lists of a run whose scores rise, and those in the order of their ids."""

    def __init__(self, source: str, reading: Reading = DEFAULT):
        self.source, self.reading = source, reading
        self.scored = self.rising = self.unscored = self.by_id = 0
        self.log_chance = 0.0

    def add(self, rows: Rows, ordered: bool) -> None:
        """Count the lists of a piece; those that have ranks are looked at where they are ranked.

        ordered: whether documents with scores are in an order of their own.
        """
        self.reading, topics = rows.reading, flat(rows.topics.indices)
        same = topics[1:] == topics[:-1]
        if not same.any() or any(sample.pairs for sample in rows.samples):
            return
        if rows.unscored is None and ordered:
            self.count(topics[1:][same], np.diff(rows.values)[same])
        elif rows.unscored is not None and rows.unscored.all() and rows.ranks is None:
            pairs = np.bincount(topics[1:][same])
            in_order = np.bincount(topics[1:][same & _follow(rows.docs)], minlength=len(pairs))
            self.unscored += int(np.count_nonzero(pairs))
            self.by_id += int(np.count_nonzero(pairs * (pairs == in_order)))
            self.log_chance -= sum(math.lgamma(number + 2) for number in pairs[pairs > 0].tolist())

    def count(self, lists: npt.NDArray[Any], changes: npt.NDArray[Any]) -> None:
        """Count lists by the changes from a score to the next one, a change for each number of a list."""
        most = int(lists.max(initial=-1)) + 1
        rises, falls = (np.bincount(lists[sign * changes > 0], minlength=most) for sign in (1, -1))
        self.scored += int(np.count_nonzero(rises + falls))
        self.rising += int(np.count_nonzero(rises * (falls == 0)))

    def warn(self) -> None:
        """Warn of what the lists of the run show."""
        lower = self.reading.lower_is_better
        if self.reading.without_scores:
            return
        if self.scored >= _ENOUGH and self.rising >= _MOST * self.scored:
            what = "distances fall" if lower else "scores rise"
            remedy = f"if they are distances, {option('lower_is_better', True)}"
            if lower:
                remedy = f"if higher scores are better, leave {option('lower_is_better', True)} out"
            warn(
                f"{self.source}: the {what} from the first document on in {self.rising} of"
                f" {counted(self.scored, 'list')}; {remedy}, and if the lists are in their order,"
                f" {option('order', 'file')}."
            )
        if self.log_chance < math.log(_CHANCE) and self.unscored >= _ENOUGH and self.by_id == self.unscored:
            warn(
                f"{self.source}: all {self.unscored} lists without scores are in the order of their document"
                f" ids, which is taken for the ranking; {option('order', 'file')} confirms."
            )


def _follow(docs: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Whether each id comes after the one before it, as text or, where all are digits, as a number."""
    follows = truths(pc.greater(docs[1:], docs[:-1]))
    if pc.all(pc.utf8_is_digit(docs)).as_py():
        length = np.diff(flat(pc.binary_length(docs)).astype(np.int64))
        follows = (length > 0) | ((length == 0) & follows)
    return follows


def report_direction(
    layout: Layout, source: str, size: int, topic: Callable[[int], Any], score: Callable[[int], float]
) -> None:
    """Report the direction of rows that the kernel reads, by some of them. topic, score: those of a row."""
    if size < LEAST_ROWS or layout.reading.without_scores:
        return
    codes: dict[Any, int] = {}
    places = distinct(np.linspace(0, size - 2, _SAMPLE).astype(np.int64)).tolist()
    places = [place for place in places if topic(place) == topic(place + 1)]
    lists = np.array([codes.setdefault(topic(place), len(codes)) for place in places], np.int64)
    changes = np.array([float(score(place + 1)) - float(score(place)) for place in places])
    directions = Directions(source, layout.reading)
    directions.count(lists, -changes if layout.reading.lower_is_better else changes)
    directions.warn()
