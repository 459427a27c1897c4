"""Lists that all have the same length.

If a limit was imposed from outside, their ends say nothing of their system.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ir_trunc.core.errors import warn
from ir_trunc.core.rankings import Rankings
from ir_trunc.measures import BoundMeasure

_SHORTEST = 10  # a shorter limit is more likely the system's own: one answer, three passages
_SHARE = 0.5


def warn_of_limit(source: str, rankings: Rankings, measures: Iterable[BoundMeasure | None]) -> None:
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
        warn(f"{source}: {what}; {name} takes it for the system's decision. Write @{k} after the measure.")


def reads_the_end(measure: BoundMeasure) -> bool:
    """Whether one more document that is not relevant, at the end of a list, changes the score."""
    scores = 1 / np.arange(1, 10)  # in [0, 1], where measures of confidence need them
    short, longer = (
        Rankings.from_lists([[1] + [0] * rest, [0]], [[1] + [0] * 9, [0]], scores=[scores[: rest + 1], [0]])
        for rest in (7, 8)
    )
    return bool((measure.score(short) != measure.score(longer)).any())
