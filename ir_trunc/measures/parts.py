"""What formulas are composed of: gains, ideal lists, discounts by rank, costs, ratios, standing by grade."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints, offsets_of
from ir_trunc._core.errors import ParameterError, counted, nearest, warn
from ir_trunc._core.lazy import cached_property, npt
from ir_trunc.measures.lists import EveryDocument, Lists, from_nothing, read_only, running
from ir_trunc.measures.params import QRELS, TOOL, Size

if TYPE_CHECKING:
    from ir_trunc._core.rankings import Judgments

__all__ = [
    "binary", "cascade", "count", "discount", "effort", "exponential", "first_relevant", "geometric",
    "graded", "jk_discount", "linear", "linear_or_binary", "log2_discount", "mapped", "nil", "over", "powers",
    "powers_of_two", "precision_at_relevant", "reciprocal", "scale_of", "scaled", "signed",
    "silent_or", "top_grade", "undiscounted",
]  # fmt: skip

_TOP_EXPONENT = 1000  # 2^1024 is infinity in 64 bits


GainScale = Callable[[Ints], Any]
"""From grades to units of gain, 0 for negatives. The functions below return one scale for equal arguments."""


@lru_cache
def at_least(rel: int) -> GainScale:
    """1 for a grade of at least `rel`, else 0."""
    return lambda grade: grade >= rel


@lru_cache
def of_pairs(lowest: int, *gains: tuple[int, float]) -> GainScale:
    """The gain that pairs of grade and gain have for it; without one the grade itself, 0 below the lowest."""

    def scale(grade: Ints) -> Floats:
        worth = grade.astype(np.float64)
        worth[grade < lowest] = 0.0
        for level, gain in gains:  # that of grade 0 is not for negative grades nor the unjudged
            worth[grade == level] = gain
        return worth

    return scale


@lru_cache
def powers_up_to(top: int) -> GainScale:
    """2^grade - 1."""
    return lambda grade: (np.ldexp(1.0, np.arange(top + 1)) - 1)[np.maximum(grade, 0)]


class OfJudged:
    """The gains of all judged documents, retrieved or not.

    rows: the topic of every judged document, by its position. units: of every judged document. R: relevant
    documents of every query. best_first: their units, the highest first inside a query, whatever the grades.
    ideals: cumulated with weights that all runs have.
    """

    def __init__(self, rows: Ints, units: Floats, R: Ints, best_first: Floats):
        self.rows, self.units, self.R, self.best_first = rows, units, R, best_first
        self.ideals: dict[Any, tuple[Floats | None, Floats, Ints]] = {}

    @classmethod
    def of(cls, judgments: Judgments, units: Floats) -> OfJudged:
        """From the units of every judged document."""
        worth = units > 0
        row, best_first = judgments.rows[worth], units[worth]
        R = np.bincount(row, minlength=len(judgments.topics))
        rises = best_first[1:] > best_first[:-1]
        if rises.any() and (rises & (row[1:] == row[:-1])).any():
            best_first = best_first[np.lexsort((-best_first, row))]  # of a map that falls as the grade rises
        # Not the judgments themselves, which hold this: a cycle would keep both in memory for a while.
        return cls(judgments.rows, units, R, best_first)

    @property
    def total(self) -> Floats:
        """The sum of units of every query."""
        return np.bincount(self.rows, self.units, len(self.R)).astype(np.float64, copy=False)

    @cached_property
    def offsets(self) -> Ints:
        """Where the relevant documents of every query begin."""
        return offsets_of(self.R)

    @cached_property
    def ranks(self) -> Ints:
        """The rank of every relevant document in its ideal list."""
        return np.arange(1, len(self.best_first) + 1) - self.offsets[:-1].repeat(self.R)


def gains_by(scale: GainScale, lists: Lists, unit: float = 1.0) -> Gains:
    """Gains by a scale, in units of `unit`. Those of all judged documents are computed once for all scales
    that give them the same units, as linear and binary ones do where no grade is above 1.
    """
    judgments = lists.judgments
    of_judged = judgments.computed.get(scale)
    if of_judged is None:
        units = np.asarray(scale(judgments.grades), np.float64)
        for of_judged in [*judgments.computed.values()]:  # a copy: other threads add to it
            if isinstance(of_judged, OfJudged) and np.logical_and.reduce(of_judged.units == units):
                break
        else:
            of_judged = OfJudged.of(judgments, units)
        judgments.computed[scale] = of_judged
    units = np.asarray(scale(lists.raw_grade), np.float64)
    lists.gains = units if unit == 1.0 else units / unit
    return Gains(lists, units, of_judged, lists.gains, unit)


class Gains:
    """The gains of documents, in whole units where the scale allows it, so that their sums are exact.

    units: of every hit. hits: the gain of every hit. unit: a gain is its units divided by this number.
    """

    def __init__(self, lists: Lists, units: Floats, judged: OfJudged, hits: Floats, unit: float = 1.0):
        self.lists, self.units, self.judged, self.hits, self.unit = lists, units, judged, hits, unit

    @property
    def relevant(self) -> Bools:
        """Whether a hit has any gain."""
        return self.units > 0

    @property
    def R(self) -> Ints:
        """Number of relevant documents of every query, retrieved or not."""
        return self.judged.R

    @property
    def rank_of_last(self) -> Ints:
        """R of the query that each hit belongs to."""
        return self.R[self.lists.row]

    @property
    def highest(self) -> Floats:
        """Units of every query's best document; 0 for a nil query."""
        return self._units_at(self.judged.offsets[:-1])

    @property
    def lowest(self) -> Floats:
        """Units of every query's relevant document with the least gain; 0 for a nil query."""
        return self._units_at(self.judged.offsets[1:] - 1)

    def _units_at(self, places: Ints) -> Floats:
        """Units of a relevant document of every query, by its place among those of all queries."""
        units, known = np.zeros(len(self.R)), self.R > 0
        units[known] = self.judged.best_first[places[known]]
        return units

    def share(self) -> Floats:
        """Share of the query's whole gain that the list holds, at every point; 1 for a nil query."""
        total = self.judged.total
        nil = total == 0
        share: Floats = (self.lists.sum(self.units) + self.lists.spread(nil)) / self.lists.spread(total + nil)
        return share

    @property
    def ideal_hits(self) -> Floats:
        """Gain of every document of the ideal lists: all relevant documents, best first."""
        return self.judged.best_first / self.unit

    def ideal(self, weights: Floats | None = None) -> Ideal:
        """Cumulated (and weighted) gain of the ideal list: all relevant documents, best first."""
        ideals, key = self.judged.ideals, (self.unit, id(weights))
        if key not in ideals:
            hits = self.ideal_hits
            ideal = self.cumulated(hits if weights is None else hits * weights[self.judged.ranks])
            if weights is not None and weights.flags.writeable:  # made for this call
                return ideal
            ideals[key] = weights, ideal.sums, ideal.starts  # with the weights, whose id stays theirs
        return Ideal(self.lists, *ideals[key][1:], self.R)

    def precision_of_ideal(self) -> Ideal:
        """g_i (g_1 + ... + g_i) / i, cumulated down the ideal list."""
        gains = self.ideal_hits
        return self.cumulated(gains * running(gains, self.judged.offsets) / self.judged.ranks)

    def cumulated(self, worth: Floats) -> Ideal:
        """What the documents of the ideal list are worth (one value each), cumulated down the list."""
        return Ideal(self.lists, *from_nothing(worth, self.judged.offsets), self.R)


class Ideal:
    """Cumulated gain of every query's ideal list: `sums[starts + depth]` for a depth <= lengths."""

    def __init__(self, lists: Lists, sums: Floats, starts: Ints, lengths: Ints):
        self.lists, self.sums, self.starts, self.lengths = lists, sums, starts, lengths

    def at_hits(self, depth: npt.ArrayLike) -> Floats:
        """One value for every hit, at its own depth."""
        at: Ints = self.starts[self.lists.row] + np.minimum(depth, self.lengths[self.lists.row])
        return self.sums[at]

    def at_points(self, depth: npt.ArrayLike | None) -> Floats:
        """One value for every point, at its own depth; None stands for the whole ideal list."""
        whole = self.lists.spread(self.lengths)
        reach = whole if depth is None else np.minimum(depth, whole)
        return self.sums[self.lists.spread(self.starts) + reach]


# gain scales


def binary(lists: Lists, rel: int = 1) -> Gains:
    """1 for a grade of at least `rel`, else 0."""
    return gains_by(at_least(rel), lists)


def graded(lists: Lists, rel: int = 1) -> Gains:
    """The grade itself, and 0 for a grade below `rel`."""
    return gains_by(of_pairs(rel), lists)


def scale_of(gains: dict[int, float] | None) -> GainScale:
    """The scale of a map: its gain for a grade, the grade itself where it has none; never below 0."""
    return of_pairs(1, *(gains or {}).items())


def mapped(lists: Lists, gains: dict[int, float] | None) -> Gains:
    """Gains by a map; a warning where a grade that it leaves out is worth less than a lower grade."""
    levels, pairs = lists.judgments.levels, (gains or {}).items()
    for grade in levels[~np.isin(levels, list(gains))].tolist() if gains else ():
        worth_more = [(lower, gain) for lower, gain in pairs if lower < grade < gain]
        if worth_more:
            lower, gain = worth_more[0]
            keeps = f"which keeps its gain {grade:g}, below the {gain:g} of grade {lower}"
            warn(f"gains={gains} leaves out grade {grade}, {keeps}: the ideal list goes by gain.")
            break
    return gains_by(scale_of(gains), lists)


def powers_of_two(lists: Lists, gains: dict[int, float] | None) -> Gains:
    """2^g - 1, g being the grade or what a map has for it."""
    highest = mapped(lists, gains).judged.best_first.max(initial=0.0)
    if highest > _TOP_EXPONENT:
        needed = f"grades or gains g of at most {_TOP_EXPONENT}"
        raise ParameterError(f"gains 2^g - 1 need {needed}, not {highest:g}.")
    levels = np.append(0, lists.judgments.levels)
    powers = ((int(x), 2**g - 1) for x, g in zip(levels, scale_of(gains)(levels)))
    return gains_by(of_pairs(1, *powers), lists)


def linear(lists: Lists, max_rel: int | None = None, rel: int = 1) -> Gains:
    """x / max_rel, and 0 for a grade below `rel`."""
    return gains_by(of_pairs(rel), lists, float(top_grade(lists, max_rel)))


def signed(lists: Lists, max_rel: int | None = None) -> Gains:
    """x / max_rel, below 0 for negative grades."""
    return gains_by(np.positive, lists, float(top_grade(lists, max_rel)))


def linear_or_binary(lists: Lists, rel: int | None, max_rel: int | None = None) -> Gains:
    """x / max_rel, or, where `rel` is given, 1 for a grade of at least `rel`."""
    return linear(lists, max_rel) if rel is None else binary(lists, rel)


def exponential(lists: Lists, max_rel: int | None = None) -> Gains:
    """(2^x - 1) / 2^max_rel."""
    top = top_grade(lists, max_rel)
    if top > _TOP_EXPONENT:
        needed = f"a judgement scale of at most {_TOP_EXPONENT}"
        raise ParameterError(f"exponential gains need {needed}, not {top}.")
    return gains_by(powers_up_to(top), lists, 2.0**top)


def scaled(lists: Lists, gain: str, max_rel: int | None) -> Gains:
    """Gains by the scale of that name."""
    return {"linear": linear, "exp": exponential, "signed": signed}[gain](lists, max_rel)


def top_grade(lists: Lists, max_rel: int | None) -> int:
    """The top of the judgement scale, as given or as found in the judgments; at least 1."""
    highest = lists.judgments.max_rel
    if max_rel is not None and max_rel < highest:
        raise ParameterError(f"max_rel={max_rel} is lower than the highest grade in the qrels, {highest}.")
    return max_rel or highest or 1


# discounts: one value for every rank 0, 1, 2, ...; the value at 0 is not used


def undiscounted(lists: Lists) -> Floats:
    """1 at every rank."""
    return np.ones(len(lists.ranks))


def log2_discount(lists: Lists) -> Floats:
    """1 / log2(i + 1)."""
    return _discounts(1, len(lists.ranks))


def jk_discount(lists: Lists) -> Floats:
    """1 / log2(max(2, i)): no discount for the first two ranks."""
    return _discounts(0, len(lists.ranks))


# numpy's powers and logarithms have other last bits on other processors. Products have the same bits on all,
# and logarithms by `math` have with one C library. Tables are kept: they take longer than a small run.


@lru_cache(maxsize=4)
def _discounts(shift: int, size: int) -> Floats:
    logs = np.fromiter(map(math.log2, range(2, size + shift)), np.float64)
    return read_only(np.append(np.ones(2 - shift), 1 / logs))


@lru_cache(maxsize=16)
def powers_of(p: float, size: int) -> Floats:
    """p^i for i = 0, 1, 2, ..., size - 1; 0 where it is too small to be exact to the last bit."""
    values = np.full(size, float(p))
    values[:1] = 1
    np.multiply.accumulate(values, out=values)
    values[values < sys.float_info.min] = 0  # processors are slow with such numbers
    return read_only(values)


def discount(lists: Lists, dcg: str) -> Floats:
    """The discount of that name."""
    return {"log2": log2_discount, "jk": jk_discount}[dcg](lists)


def powers(lists: Lists, p: float) -> Floats:
    """p^i for i = 0, 1, 2, ..."""
    return powers_of(p, len(lists.ranks))


def geometric(lists: Lists, p: float) -> Floats:
    """(1 - p) p^(i - 1): the weights of rank-biased measures."""
    return (1 - p) * np.append(0.0, powers(lists, p)[:-1])


def reciprocal(lists: Lists) -> Floats:
    """1 / i."""
    return lists.table(lambda i: 1 / i)


# what lies above a document


def count(lists: Lists, gains: Gains) -> Floats:
    """Relevant documents down to and with each hit."""
    return lists.running(gains.relevant)


def precision_at_relevant(lists: Lists, gains: Gains) -> Floats:
    """g_i (g_1 + ... + g_i) / i at each hit: with binary gains the precision at each relevant document."""
    return gains.hits * lists.running(gains.hits) / lists.rank


def first_relevant(lists: Lists, gains: Gains) -> Floats:
    """1 for the first relevant document of each list; 0 for all other hits."""
    return np.where(gains.relevant & (count(lists, gains) == 1), 1.0, 0.0)


def cascade(lists: Lists, gains: Gains) -> Floats:
    """g_i prod_{j < i} (1 - g_j): the probability that this hit, and none above it, satisfies the reader."""
    return gains.hits * lists.above(1 - gains.hits, np.multiply.accumulate, first=1.0)


# ratios


def over(
    numerator: Floats | Ints, denominator: Floats | Ints, otherwise: float | Callable[[], Floats] = 0.0
) -> Floats:
    """numerator / denominator, and a named value where the denominator is 0."""
    result = np.empty(numerator.shape)
    result[...] = otherwise() if callable(otherwise) else otherwise
    return np.divide(numerator, denominator, out=result, where=np.not_equal(denominator, 0))


def nil(lists: Lists) -> Floats:
    """What a nil query earns where its right answer is silence: 1 for the empty list, 0 for any other."""
    return np.where(lists.n == 0, 1.0, 0.0)


def silent_or(lists: Lists, R: Ints, worth: float, score: Floats) -> Floats:
    """The score where something is relevant; on a nil query the empty list has a worth, and others have 0."""
    return np.where(lists.spread(R) == 0, worth * nil(lists), score)


# costs and sizes


def effort(lists: Lists, weight: Floats, e: float) -> Floats:
    """What reading costs: sum_i weight_i e; where the run has costs, sum_i weight_i cost_i."""
    if lists.costs is None:
        return e * lists.prefix(weight)
    documents = EveryDocument(lists)
    return documents.sum(lists.costs * weight[documents.rank])


def collection_sizes(lists: Lists, D: Size) -> Floats:
    """The number of documents of every point's topic; ParameterError where lists or judgments refute it.

    With D='tool' as CLEF's script counts them: the judged ones, or those of the list, whichever are more.
    """
    judged = np.diff(lists.judgments.offsets)
    if D == QRELS:
        for at in np.flatnonzero(lists.known() > judged)[:1]:
            topic, unjudged = lists.judgments.topics[at], int(lists.known()[at] - judged[at])
            raise ParameterError(
                f"D='qrels': the list of topic {topic} has {counted(unjudged, 'unjudged document')}, so the"
                f" collection is larger than the {judged[at]} judged ones. Write D=: a number, a number for"
                " each topic, a data set, or 'tool' to count as CLEF's script does: the judged documents, or"
                " those of the list, whichever are more."
            )
    if D in (QRELS, TOOL):
        numbers = lists.spread(judged.astype(np.float64))
        return numbers if D == QRELS else np.maximum(numbers, lists.n)
    if isinstance(D, str):
        hint = nearest(D, [QRELS, TOOL])
        raise ParameterError(f"D={D!r} is a path: ir_trunc.calc, or ir_trunc.parse_measure, reads it.{hint}")
    if isinstance(D, dict):
        return lists.spread(_of_topics(lists, D))
    return lists.spread(np.full(len(lists.lengths), lists.collection(D), dtype=np.float64))


def _of_topics(lists: Lists, sizes: Mapping[str, int]) -> Floats:
    """The number that the map has for every topic (Q)."""
    topics = lists.judgments.topics
    missing = [topic for topic in topics if topic not in sizes]
    if missing:
        none = f"no number for {counted(len(missing), 'topic')} (for example {missing[0]})"
        raise ParameterError(f"D has {none}; its topics are written like {next(iter(sizes))}.")
    numbers = np.array([sizes[topic] for topic in topics], dtype=np.float64)
    for at in np.flatnonzero(lists.known() > numbers)[:1]:
        larger = f"the {lists.known()[at]} documents known for topic {topics[at]}"
        size = f"D[{topics[at]!r}]={numbers[at]:.0f}"
        raise ParameterError(f"{size} is smaller than {larger}: give the number of all its documents.")
    return numbers


# standing: how documents stand to each other by their grades, in a list and among all that is judged


class GradeGroups(NamedTuple):
    """The relevant documents of every query in groups of the same grade, best first."""

    row: Ints  # of every group, its query
    grade: Ints
    size: Ints
    better: Ints  # of every group, the number of relevant documents of a higher grade
    R: Ints  # relevant documents of every query
    levels: Ints  # positive grades of the scale
    keys: Ints  # of every relevant document, ascending

    def around(self, row: Ints, grade: Ints) -> tuple[Ints, Ints]:
        """How many judged documents of a query are better than a positive grade, and how many have it."""
        key = _keys(row, grade, self.levels)
        first, end = (np.searchsorted(self.keys, key, side) for side in ("left", "right"))
        return first - offsets_of(self.R)[row], end - first

    def sum(self, of_group: Floats) -> Floats:
        """The sum over the groups of every query, the worst grade first."""
        sums = np.bincount(self.row[::-1], of_group[::-1], minlength=len(self.R))
        return sums.astype(np.float64, copy=False)


def _keys(row: Ints, grade: Ints, levels: Ints) -> Ints:
    """One number for each query and grade, ascending by query and, inside a query, from the best grade."""
    keys: Ints = (row + 1) * len(levels) - 1 - np.searchsorted(levels, grade)
    return keys


def grade_groups(judgments: Judgments) -> GradeGroups:
    """The groups of some judgments; computed once for them."""
    groups: GradeGroups | None = judgments.computed.get(GradeGroups)
    if groups is None:
        relevant = judgments.grades > 0
        row, grade, levels = judgments.rows[relevant], judgments.grades[relevant], judgments.levels
        keys = _keys(row, grade, levels)
        R = np.bincount(row, minlength=len(judgments.topics))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        size, better = np.diff(firsts, append=len(keys)), firsts - offsets_of(R)[row[firsts]]
        groups = GradeGroups(row[firsts], grade[firsts], size, better, R, levels, keys)
        judgments.computed[GradeGroups] = groups
    return groups


class Standing(NamedTuple):
    """How the relevant hits stand by their grades."""

    at: Ints  # which hits these are; the other fields have a value for each of them
    better: Ints  # documents of a higher grade down to its rank
    as_good: Ints  # those of the same or a higher grade, with itself
    better_in_all: Ints  # in all judgments
    as_good_in_all: Ints
    R: Ints  # relevant documents of every query


def standing(lists: Lists, sign: int = 1) -> Standing:
    """How the relevant hits stand by their grades; with sign=-1 the harmful ones, the most harmful first."""
    judgments, grades = lists.judgments, sign * lists.raw_grade
    if sign < 0:
        judgments = judgments.from_rows(judgments.topics, judgments.rows, -judgments.grades)
    at = np.flatnonzero(grades > 0)
    row, grade, groups = lists.row[at], grades[at], grade_groups(judgments)
    better, same = _above(np.searchsorted(groups.levels, grade), row, len(lists.lengths))
    better_in_all, same_in_all = groups.around(row, grade)
    return Standing(at, better, better + same + 1, better_in_all, better_in_all + same_in_all, groups.R)


def _above(values: Ints, row: Ints, rows: int) -> tuple[Ints, Ints]:
    """For each value >= 0, how many above it in its row are greater, and how many are the same.

    Bit by bit from the highest: values whose higher bits are the same form a group, in which they keep their
    order; those with bit 1 are greater than those with bit 0, and then go their own way.
    """
    limits = offsets_of(np.bincount(row, minlength=rows))
    start, end, place = limits[row], limits[row + 1], np.arange(len(values))  # of its group, and its own
    greater = np.zeros(len(values), dtype=np.int64)
    for bit in reversed(range(int(values.max(initial=0)).bit_length())):
        zero = (values >> bit) & 1 == 0
        zeros = np.empty_like(zero)
        zeros[place] = zero
        count = offsets_of(zeros)
        zeros_above = count[place] - count[start]
        ones_above = place - start - zeros_above
        split = start + count[end] - count[start]
        greater += np.where(zero, ones_above, 0)
        place = np.where(zero, start + zeros_above, split + ones_above)
        start, end = np.where(zero, start, split), np.where(zero, split, end)
    return greater, place - start
