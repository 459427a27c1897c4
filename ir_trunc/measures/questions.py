"""What a measure reads of a run beside its relevant documents, found out by trying."""

from __future__ import annotations

import numpy as np

from ir_trunc._core.rankings import Rankings
from ir_trunc.measures.definition import BoundMeasure

_SCORES = 1 / np.arange(1, 10)  # in [0, 1], where measures of confidence need them
_SHORT, _LONGER = (
    Rankings.from_lists([[1] + [0] * rest, [0]], [[1] + [0] * 9, [0]], scores=[_SCORES[: rest + 1], [0]])
    for rest in (7, 8)
)
_SURER, _LESS = (
    Rankings.from_lists([[1], [0]], scores=[[first], [second]]) for first, second in ((1.0, 0.5), (0.5, 1.0))
)


def reads_the_end(measure: BoundMeasure) -> bool:
    """Whether one more document that is not relevant, at the end of a list, changes the score."""
    return bool((measure.score(_SHORT) != measure.score(_LONGER)).any())


def reads_confidences(measure: BoundMeasure) -> bool:
    """Whether the scores of the first documents change the values of a right and a wrong answer."""
    return bool((measure.score(_SURER) != measure.score(_LESS)).any())
