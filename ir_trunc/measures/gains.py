"""Gains: what documents are worth by a scale, in the lists and in all judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import ParameterError, warn
from ir_trunc._core.rankings import Bools, Floats, Ints, Judgments, offsets_of
from ir_trunc.measures.lists import Lists, from_nothing

_TOP_EXPONENT = 1000  # 2^1024 is infinity in 64 bits

# Scales are functions from grades to units of gain (0 for negatives); scales that give equal gains are equal,
# and have one hash.
Scale = Callable[[Ints], npt.ArrayLike]


@dataclass(frozen=True)
class AtLeast:
    """1 for a grade of at least `rel`, else 0."""

    rel: int

    def __call__(self, grade: Ints) -> Bools:
        return grade >= self.rel


@dataclass(frozen=True)
class SignedGrade:
    """The grade itself, below 0 where it is negative."""

    def __call__(self, grade: Ints) -> Ints:
        return grade


@dataclass(frozen=True)
class Mapped:
    """The gain that pairs of grade and gain have for it, the grade itself where they have none.

    A gain of grade 0 belongs to documents that were judged 0: it is not that of negative grades, nor of
    unjudged documents.
    """

    gains: tuple[tuple[int, float], ...] = ()

    def __call__(self, grade: Ints) -> Floats:
        worth = np.maximum(grade, 0).astype(np.float64)
        for level, gain in self.gains:
            worth[grade == level] = gain
        return worth


@dataclass(frozen=True)
class PowersOfTwo:
    """2^grade - 1."""

    top: int

    def __call__(self, grade: Ints) -> Floats:
        worth: Floats = np.ldexp(1.0, np.arange(self.top + 1)) - 1
        return worth[np.maximum(grade, 0)]


@dataclass(frozen=True, eq=False)
class Judged:
    """What all judged documents are worth, retrieved or not.

    R: relevant documents of every query. relevant: their units, the highest first inside a query, whatever
    the grades. total: the sum of units of every query.
    """

    R: Ints
    relevant: Floats
    total: Floats

    @classmethod
    def of(cls, judgments: Judgments, units: Floats) -> Judged:
        """From the units of every judged document."""
        queries, rows = len(judgments.topics), judgments.rows
        worth = units > 0
        R = np.bincount(rows[worth], minlength=queries)
        row, relevant = rows[worth], units[worth]
        if ((row[1:] == row[:-1]) & (relevant[1:] > relevant[:-1])).any():
            relevant = relevant[np.lexsort((-relevant, row))]  # a map may give a higher grade a lower gain
        return cls(
            R, relevant, np.bincount(rows, weights=units, minlength=queries).astype(np.float64, copy=False)
        )


def judged_by(scale: Scale, judgments: Judgments) -> Judged:
    """What all judged documents are worth by a scale."""
    found: Judged | None = judgments.known.get(scale)
    if found is None:
        found = Judged.of(judgments, np.asarray(scale(judgments.grades), np.float64))
        judgments.known[scale] = found
    return found


def gains_by(scale: Scale, lists: Lists, unit: float = 1.0) -> Gains:
    """Gains by a scale, in units of `unit`."""
    return Gains(
        lists, np.asarray(scale(lists.raw_grade), np.float64), judged_by(scale, lists.judgments), unit
    )


@dataclass(frozen=True, eq=False)
class Gains:
    """What the documents are worth, in whole units where the scale allows, so that sums of them are exact.

    counts: units of every hit. judged: of every judged document. unit: worth of one unit.
    """

    lists: Lists
    counts: Floats
    judged: Judged
    unit: float = 1.0

    @property
    def hits(self) -> Floats:
        """Gain of every hit."""
        return self.counts / self.unit

    @property
    def relevant(self) -> Bools:
        """Whether a hit has any gain."""
        return self.counts > 0

    @property
    def R(self) -> Ints:
        """Number of relevant documents of every query, retrieved or not."""
        return self.judged.R

    @property
    def rank_of_last(self) -> Ints:
        """R of the query that each hit belongs to."""
        return self.R[self.lists.row]

    def share(self) -> Floats:
        """Share of the query's whole gain that the list holds, at every point; 1 for a nil query."""
        total = self.judged.total
        nil = total == 0
        share: Floats = (self.lists.sum(self.counts) + self.lists.spread(nil)) / self.lists.spread(
            total + nil
        )
        return share

    def ideal(self, weights: Floats | None = None) -> Ideal:
        """Cumulated (and weighted) gain of the ideal list: all relevant documents, best first."""
        worth = self.judged.relevant / self.unit
        return self.cumulated(worth if weights is None else worth * weights[self.ideal_ranks])

    @property
    def ideal_ranks(self) -> Ints:
        """The rank that every relevant document has in its ideal list."""
        first = offsets_of(self.R)[:-1]
        ranks: Ints = np.arange(len(self.judged.relevant)) - np.repeat(first, self.R) + 1
        return ranks

    def cumulated(self, worth: Floats) -> Ideal:
        """What the documents of the ideal list are worth (one value each), cumulated down the list."""
        offsets = offsets_of(self.R)
        sums, starts = from_nothing(worth, offsets), offsets[:-1] + np.arange(len(self.R))
        return Ideal(self.lists, sums, starts, self.R)


@dataclass(frozen=True, eq=False)
class Ideal:
    """Cumulated gain of every query's ideal list: `sums[starts + depth]` for a depth <= lengths."""

    lists: Lists
    sums: Floats
    starts: Ints
    lengths: Ints

    def at_hits(self, depth: npt.ArrayLike) -> Floats:
        """One value for every hit, at its own depth."""
        at: Ints = self.starts[self.lists.row] + np.minimum(depth, self.lengths[self.lists.row])
        return self.sums[at]

    def at_points(self, depth: npt.ArrayLike) -> Floats:
        """One value for every point, at its own depth."""
        at: Ints = self.lists.spread(self.starts) + np.minimum(depth, self.lists.spread(self.lengths))
        return self.sums[at]


# gain scales


def binary(lists: Lists, rel: int = 1) -> Gains:
    """1 for a grade of at least `rel`, else 0."""
    return gains_by(AtLeast(rel), lists)


def graded(lists: Lists) -> Gains:
    """The grade itself."""
    return gains_by(Mapped(), lists)


def scale_of(gains: dict[int, float] | None) -> Mapped:
    """The scale of a map: its gain for a grade, the grade itself where it has none; never below 0."""
    return Mapped(tuple((gains or {}).items()))


def mapped(lists: Lists, gains: dict[int, float] | None) -> Gains:
    """Gains by a map; a warning where a grade that it leaves out is worth less than a lower grade."""
    scale = scale_of(gains)
    if gains:
        _say_what_falls(gains, lists.judgments.levels, scale)
    return gains_by(scale, lists)


def _say_what_falls(gains: dict[int, float], levels: Ints, scale: Mapped) -> None:
    worth = scale(levels)
    for at in np.flatnonzero(~np.isin(levels, list(gains))):
        higher = [x for x, gain in gains.items() if x < levels[at] and gain > worth[at]]
        if higher:
            warn(
                f"gains={gains} leaves out grade {levels[at]}, which keeps its gain {worth[at]:g}, below the "
                f"{gains[higher[0]]:g} of grade {higher[0]}: the ideal list goes by gain."
            )
            return


def powers_of_two(lists: Lists, gains: dict[int, float] | None) -> Gains:
    """2^g - 1, g being the grade or what a map has for it."""
    exponents = mapped(lists, gains)
    highest = exponents.judged.relevant.max(initial=0.0)
    if highest > _TOP_EXPONENT:
        raise ParameterError(
            f"gains 2^g - 1 need grades or gains g of at most {_TOP_EXPONENT}, not {highest:g}."
        )
    levels = np.append(0, lists.judgments.levels)
    return gains_by(Mapped(tuple((int(x), 2**g - 1) for x, g in zip(levels, scale_of(gains)(levels)))), lists)


def linear(lists: Lists, max_rel: int | None = None) -> Gains:
    """x / max_rel."""
    return gains_by(Mapped(), lists, float(top_grade(lists, max_rel)))


def signed(lists: Lists, max_rel: int | None = None) -> Gains:
    """x / max_rel, below 0 for negative grades."""
    return gains_by(SignedGrade(), lists, float(top_grade(lists, max_rel)))


def linear_or_binary(lists: Lists, rel: int | None, max_rel: int | None = None) -> Gains:
    """x / max_rel, or, where `rel` is given, 1 for a grade of at least `rel`."""
    return linear(lists, max_rel) if rel is None else binary(lists, rel)


def exponential(lists: Lists, max_rel: int | None = None) -> Gains:
    """(2^x - 1) / 2^max_rel."""
    top = top_grade(lists, max_rel)
    if top > _TOP_EXPONENT:
        raise ParameterError(
            f"exponential gains need a judgement scale of at most {_TOP_EXPONENT}, not {top}."
        )
    return gains_by(PowersOfTwo(top), lists, 2.0**top)


def scaled(lists: Lists, gain: str, max_rel: int | None) -> Gains:
    """Gains by the scale of that name."""
    return {"linear": linear, "exp": exponential, "signed": signed}[gain](lists, max_rel)


def top_grade(lists: Lists, max_rel: int | None) -> int:
    """The top of the judgement scale, as given or as found in the judgments; at least 1."""
    found = lists.judgments.max_rel
    if max_rel is not None and max_rel < found:
        raise ParameterError(f"max_rel={max_rel} is lower than the highest grade in the qrels, {found}.")
    return max_rel or found or 1
