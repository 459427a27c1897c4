"""What is doubtful about a run under the measures that score it: said once, by the door that scores."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc.core.errors import warn
from ir_trunc.core.rankings import Rankings
from ir_trunc.measures import BoundMeasure
from ir_trunc.scoring.ends import warn_of_limit


def warn_of_doubts(source: str, rankings: Rankings, measures: Sequence[BoundMeasure | None]) -> None:
    """Warn of ends and of confidences that say nothing of the system.

    source: what to call the run. measures: those that ir_trunc computes, None for others.
    """
    warn_of_limit(source, rankings, measures)
    warn_of_equal_confidences(source, rankings, measures)


def warn_of_equal_confidences(
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
