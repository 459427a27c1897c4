"""What is doubtful about a run under the measures that score it: said once, by the door that scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_trunc.core.errors import warn
from ir_trunc.core.rankings import Rankings
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.declare import CUTOFF

_SHORTEST = 10  # a shorter limit is more likely the system's own: one answer, three passages
_SHARE = 0.5


def warn_of_doubts(source: str, rankings: Rankings, measures: Sequence[BoundMeasure | None]) -> None:
    """Warn of ends and of confidences that say nothing of the system.

    source: what to call the run. measures: those that ir_trunc computes, None for others.
    """
    _warn_of_limit(source, rankings, measures)
    _warn_of_equal_confidences(source, rankings, measures)


def _warn_of_limit(source: str, rankings: Rankings, measures: Sequence[BoundMeasure | None]) -> None:
    """Warn where most lists have the longest length, and a measure reads the end without a cutoff.

    source: what to call the run. measures: those that ir_trunc computes, None for others.
    """
    lengths = rankings.lengths[rankings.lengths > 0]
    k = int(lengths.max(initial=0))
    share = float((lengths == k).mean()) if len(lengths) > 1 else 0.0
    if k < _SHORTEST or share < _SHARE:
        return
    reading = next(
        (measure for measure in measures if measure and measure.cutoff is None and reads_the_end(measure)),
        None,
    )
    if reading is not None:
        name = reading.definition.name
        what = (
            f"{share:.0%} of the lists have exactly {k} documents, a limit that was probably imposed from"
            " outside"
        )
        warn(f"{source}: {what}; {name} takes it for the system's decision{_remedy(reading, k)}.")


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


def _warn_of_equal_confidences(
    source: str, rankings: Rankings, measures: Sequence[BoundMeasure | None]
) -> None:
    """Warn where a measure takes first scores for confidence, and all of them are equal."""
    if rankings.first_scores is None:
        return
    found = rankings.first_scores[rankings.lengths > 0]
    if len(found) < 2 or (found != found[0]).any():
        return
    reading = next((measure for measure in measures if measure and reads_confidences(measure)), None)
    if reading is not None:
        what = f"the first documents of all {len(found)} lists have the same score, {found[0]:g}"
        warn(
            f"{source}: {what}, which {reading.definition.name} takes for confidence: it tells no answer from"
            " another."
        )


def reads_confidences(measure: BoundMeasure) -> bool:
    """Whether the scores of the first documents change the values of a right and a wrong answer."""
    surer, less = (
        Rankings.from_lists([[1], [0]], [[1], [0]], scores=[[first], [second]])
        for first, second in ((1.0, 0.5), (0.5, 1.0))
    )
    return bool((measure.score(surer) != measure.score(less)).any())
