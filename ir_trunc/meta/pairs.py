"""Names and pairs of systems: where names stand, the order of the pairs, and intervals of shares of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc._core.errors import InputError, UnknownMeasureError, nearest, shown
from ir_trunc._core.parameters import generator, whole
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.scoring.objects import canonical, parse_measure
from ir_trunc.scoring.statistics import interval


def positions(wanted: Sequence[str], known: Sequence[str]) -> list[int]:
    """Where names stand; InputError for one that is not there."""
    place = {name: at for at, name in enumerate(known)}
    for name in wanted:
        if not isinstance(name, str) or name not in place:
            raise InputError(f"There is no {shown(name)} among {len(known)} names.{nearest(name, known)}")
    return [place[name] for name in wanted]


def place_of(measure: str | Measure, names: Sequence[str]) -> int:
    """Where a measure stands, by its text or its object; UnknownMeasureError where it does not."""
    if isinstance(measure, str) and measure in names:
        return list(names).index(measure)
    name, known = str(parse_measure(measure)), list(map(canonical, names))
    if name not in known:
        there = f"there are: {', '.join(names)}."
        raise UnknownMeasureError(f"There is no measure {name} here; {there}{nearest(name, names)}")
    return known.index(name)


def pairs(systems: Sequence[str]) -> tuple[Ints, Ints]:
    """The two members of every pair of systems (S (S - 1) / 2 each), in the order of combinations."""
    if len(systems) < 2:
        raise InputError("There is 1 system: at least two are needed, to compare them.")
    first, second = np.triu_indices(len(systems), k=1)
    return first.astype(np.int64), second.astype(np.int64)


def square(of_pairs: Floats, systems: int, diagonal: float) -> Floats:
    """Values of pairs as a symmetric matrix (S x S)."""
    matrix = np.full((systems, systems), diagonal)
    upper = np.triu_indices(systems, k=1)
    matrix[upper] = of_pairs
    matrix.T[upper] = of_pairs
    return matrix


def rounded(x: npt.ArrayLike) -> Floats:
    """Values to 10 significant digits.

    Equal means differ in their last bits where the same scores are added in another order, or on another
    machine; without this, such noise would order systems that tie.
    """
    values = np.asarray(x, dtype=np.float64)
    return np.array([float(f"{value:.10g}") for value in values.ravel().tolist()]).reshape(values.shape)


def ratio_intervals(
    part: Floats, whole_of: Floats, systems: int, confidence: float, repetitions: int, seed: int
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
    count = whole("repetitions", repetitions, 1)
    times = generator(seed).multinomial(systems, np.full(systems, 1 / systems), size=count)
    first, second = np.triu_indices(systems, k=1)
    return (times[:, first] * times[:, second]).astype(np.float64)
