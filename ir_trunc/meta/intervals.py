"""How sure the figures of meta-evaluation are: intervals of shares of system pairs, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ir_trunc.core.checks import generator, whole
from ir_trunc.core.rankings import Floats, Ints
from ir_trunc.meta.pairs import square
from ir_trunc.scoring.bootstrap import interval

if TYPE_CHECKING:
    import pandas as pd


def bounds_frame(
    measures: Sequence[str], bounds: npt.ArrayLike, names: Sequence[str] = ("low", "high")
) -> pd.DataFrame:
    """Bounds of every measure as a table."""
    import pandas as pd

    return pd.DataFrame(np.asarray(bounds), index=pd.Index(measures, name="measure"), columns=list(names))


def ratio_intervals(
    part: Floats,
    whole_of: Floats,
    systems: int,
    confidence: float = 0.95,
    repetitions: int = 1000,
    seed: int = 0,
) -> Floats:
    """Bounds of sum(part) / sum(whole) over pairs of systems, for each measure (M x 2).

    part, whole_of: (M x pairs). Systems are what is drawn, since pairs that share one are not independent; a
    pair of a system with itself, which a draw may hold, is left out. Shares of pairs, error rates, ties and
    swap rates are such ratios.
    """
    bounds = np.empty((len(part), 2))
    for row, parts, wholes in zip(bounds, part, np.broadcast_to(whole_of, part.shape)):
        top, bottom = square(parts, systems, 0.0), square(wholes, systems, 0.0)

        def statistic(drawn: Ints, top: Floats = top, bottom: Floats = bottom) -> float:
            times = np.bincount(drawn, minlength=systems).astype(np.float64)
            weight = times @ bottom @ times
            return float(times @ top @ times / weight) if weight else 0.0

        row[:] = interval(statistic, systems, confidence, repetitions, seed)
    return bounds


def drawn_pairs(systems: int, repetitions: int, seed: int) -> Floats:
    """How often every pair is in each of R draws of the systems (R x pairs).

    Pairs are counted as `ratio_intervals` counts them.
    """
    times = generator(seed).multinomial(
        systems, np.full(systems, 1 / systems), size=whole("repetitions", repetitions, 1)
    )
    first, second = np.triu_indices(systems, k=1)
    return (times[:, first] * times[:, second]).astype(np.float64)
