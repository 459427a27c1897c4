"""What is doubtful about a run under the measures that score it: said once, by the door that scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ir_trunc.core.cached import cached_property
from ir_trunc.core.errors import warn
from ir_trunc.core.rankings import Rankings
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.declare import CUTOFF

_SHORTEST = 10  # a shorter limit is more likely the system's own: one answer, three passages
_SHARE = 0.5


class Doubts:
    """Ends and confidences that say nothing of the system, for measures that read them.

    measures: those that ir_trunc computes, None for others. What a measure reads is tried out once, when the
    first list calls for it.
    """

    def __init__(self, measures: Iterable[BoundMeasure | None]):
        self._measures = [measure for measure in measures if measure]

    @cached_property
    def _of_ends(self) -> BoundMeasure | None:
        return self._first(lambda measure: measure.cutoff is None and reads_the_end(measure))

    @cached_property
    def _of_confidences(self) -> BoundMeasure | None:
        return self._first(reads_confidences)

    def _first(self, reads: Callable[[BoundMeasure], bool]) -> BoundMeasure | None:
        return next((measure for measure in self._measures if reads(measure)), None)

    def warn(self, source: str, rankings: Rankings) -> None:
        """Warn where most lists have the longest length, and where all first scores are equal.

        source: what to call the run.
        """
        filled = rankings.lengths > 0
        lengths = rankings.lengths[filled]
        k = int(lengths.max(initial=0))
        share = float((lengths == k).mean()) if len(lengths) > 1 else 0.0
        if k >= _SHORTEST and share >= _SHARE and (reading := self._of_ends):
            what = (
                f"{share:.0%} of the lists have exactly {k} documents, a limit that was probably imposed from"
                f" outside; {reading.definition.name} takes it for the system's decision"
            )
            warn(f"{source}: {what}{_remedy(reading, k)}.")
        first = np.zeros(0) if rankings.first_scores is None else rankings.first_scores[filled]
        if len(first) > 1 and (first == first[0]).all() and (reading := self._of_confidences):
            what = f"the first documents of all {len(first)} lists have the same score, {first[0]:g}"
            warn(
                f"{source}: {what}, which {reading.definition.name} takes for confidence: it tells no answer"
                " from another."
            )


def _remedy(measure: BoundMeasure, k: int) -> str:
    """What to do about a limit that was imposed. WSS@r, for one, has no cutoff that could express it."""
    if CUTOFF in measure.definition.params:
        return f". Write @{k} after the measure"
    return (
        ", and has no cutoff that says otherwise. If the limit was imposed, end the lists where the system or"
        " the reader stopped (ir_trunc truncate), or take another measure"
    )


def reads_the_end(measure: BoundMeasure) -> bool:
    """Whether one more document that is not relevant, at the end of a list, changes the score."""
    scores = 1 / np.arange(1, 10)  # in [0, 1], where measures of confidence need them
    short, longer = (
        Rankings.from_lists([[1] + [0] * rest, [0]], [[1] + [0] * 9, [0]], scores=[scores[: rest + 1], [0]])
        for rest in (7, 8)
    )
    return bool((measure.score(short) != measure.score(longer)).any())


def reads_confidences(measure: BoundMeasure) -> bool:
    """Whether the scores of the first documents change the values of a right and a wrong answer."""
    surer, less = (
        Rankings.from_lists([[1], [0]], [[1], [0]], scores=[[first], [second]])
        for first, second in ((1.0, 0.5), (0.5, 1.0))
    )
    return bool((measure.score(surer) != measure.score(less)).any())
