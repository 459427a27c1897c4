"""Estimates: values of independent units, and what they say of a mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from ir_measures.measures.base import MeanAgg

from ir_trunc._core.arrays import Bools, Floats, Ints
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import cached_property
from ir_trunc._core.parameters import generator
from ir_trunc._core.rankings import Rankings
from ir_trunc._inference.bounds import below, bootstrap_bounds, quantile, special, stats
from ir_trunc._scoring.objects import range_of
from ir_trunc._scoring.results import Results
from ir_trunc.measures.definition import RunScores, influence, value_from_means
from ir_trunc.measures.parts import over

UNBOUNDED = (-math.inf, math.inf)
ALPHA = 0.05
FEW_LABELLED = 20  # topics of people; with fewer the judge's scores are not used
_DIFFERING = 10  # topics of people on which the judge's scores have to differ before they are used
_DRAWS = 2000  # of topics, for intervals of measures of the whole run
_SMALLEST_P = 1e-12
_NEAR = 1e-7  # to 0 or 1: influence values are derivatives by differences
_CELLS = 1 << 22  # of a block of draws: 32 MB
E = TypeVar("E", bound="Estimate")


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values of n independent units, whose mean is a quantity, or of several quantities (... x n).

    Bounds of the mean are those of bounded values. On a side on which the quantity has no bound they are
    Student's, and NaN where all values are equal.

    Attributes
    ----------
    values : array
        Of the units (... x n).
    range : tuple
        The lowest and the highest value that the quantity can have.
    weights : array, optional
        Of the units in the mean (n), 0 for one that does not count.
    exact : float, optional
        The mean to the last bit, as it was added up elsewhere.
    """

    values: Floats
    range: tuple[Any, Any] = UNBOUNDED
    weights: Floats | None = None
    exact: Any = None

    @classmethod
    def share(cls, part: Floats, whole: Floats, limits: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        """The ratio of two sums over units: a mean over the units of its denominator."""
        return cls(np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0), limits, whole)

    @property
    def n(self) -> int:
        """How many units count."""
        return self.values.shape[-1] if self.weights is None else int(np.count_nonzero(self.weights))

    @property
    def mean(self) -> Any:
        """The quantity; NaN over no unit."""
        if self.exact is not None:
            return self.exact
        if not self.n:
            return np.full(self.values.shape[:-1], np.nan)[()]
        if self.weights is None:
            return self.values.mean(axis=-1)
        return (self.values * self.weights).sum(axis=-1) / self.weights.sum()

    @property
    def error(self) -> Any:
        """The standard error of the mean."""
        return self.values.std(axis=-1, ddof=1) / math.sqrt(self.n)

    @property
    def heaviest(self) -> tuple[int, float]:
        """The unit farthest from the mean, and its share of the variance, 0 where the range has bounds."""
        squares = (self.values - self.values.mean()) ** 2
        open_ended = not np.isfinite(self.range).all() and bool(self.differ)
        return int(squares.argmax()), float(squares.max() / squares.sum()) if open_ended else 0.0

    @property
    def differ(self) -> Any:
        """Whether values differ, so that Student's t is defined."""
        return np.ptp(self.values, axis=-1) > TOLERANCE

    @property
    def reach(self) -> tuple[Any, Any]:
        """The lowest and the highest value that a unit can have."""
        return self.range

    def interval(self, alpha: float = ALPHA) -> Floats:
        """Confidence bounds of the level 1 - alpha (2 x ...)."""
        return np.stack([self.bound(alpha / 2, upper) for upper in (False, True)])

    def bound(self, alpha: float, upper: bool) -> Any:
        """The lower or the upper confidence bound of the level 1 - alpha."""
        rows, end = np.atleast_2d(self.values), self.reach[upper]
        bound = np.full(len(rows), np.nan)
        finite = np.isfinite(rows).all(axis=1) & (self.n > 0)
        if finite.any() and np.isfinite(end).all():
            ends = np.broadcast_to(end, len(rows))[finite]
            bound[finite] = quantile(rows[finite], 1 - alpha if upper else alpha, ends, self.weights)
        elif finite.any() and self.n > 1:
            bound = np.where(self.differ, self.student(2 * alpha)[int(upper)], np.nan).reshape(-1)
        bound = bound.reshape(self.values.shape[:-1])
        # Rounding leaves no mean outside of its bounds, and no bound outside of the range.
        inside = (np.maximum if upper else np.minimum)(bound, self.mean)
        return np.clip(inside, *self.range)[()]

    def student(self, alpha: Any = ALPHA) -> Floats:
        """Student's interval (2 x ...), cut to the range."""
        half = stats.t.ppf(1 - alpha / 2, self.n - 1) * self.error
        return np.asarray(np.clip([self.mean - half, self.mean + half], *self.range))

    def p_at_most(self, limit: float) -> Any:
        """P value of the hypothesis that the mean is at most this."""
        return self._p(limit, upper=False)

    def p_at_least(self, limit: float) -> Any:
        """P value of the hypothesis that the mean is at least this."""
        return self._p(limit, upper=True)

    def p(self) -> Any:
        """The two-sided p value of the mean 0."""
        return np.minimum(2 * np.minimum(self.p_at_most(0.0), self.p_at_least(0.0)), 1.0)

    def _p(self, limit: float, upper: bool) -> Any:
        rows, end = np.atleast_2d(self.values), self.reach[upper]
        if np.isfinite(end).all():
            share = below(rows, limit, end, self.weights)
            return (1 - share if upper else share).reshape(self.values.shape[:-1])[()]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (limit - self.mean) / self.error * (1 if upper else -1)
        return np.where(self.differ, stats.t.sf(t, self.n - 1), 1.0)[()]

    @property
    def best(self) -> Estimate:
        """The estimate of which Student's test is."""
        return self

    @property
    def moved(self) -> Any:
        """How many units of a difference are not 0."""
        return (np.abs(self.values) > TOLERANCE).sum(axis=-1)

    def t_test(self) -> Any:
        """The two-tailed p value of Student's test of the mean 0; of equal values that of `p`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stats.t.sf(np.abs(self.mean / self.error), self.n - 1)
        return p if np.all(self.differ) else np.where(self.differ, p, self.p())

    def __getitem__(self: E, row: Any) -> E:
        """Some of several quantities."""
        return replace(self, values=self.values[row], exact=None)

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference to another quantity of the same units."""
        if not np.array_equal(_weights(self), _weights(other)):
            return _Apart(self.values, _between(self, other), parts=(self, other))
        return Estimate(self.values - other.values, _between(self, other), self.weights)


def _weights(estimate: Estimate) -> Floats:
    return np.ones(estimate.values.shape[-1]) if estimate.weights is None else estimate.weights


def _between(new: Estimate, old: Estimate) -> tuple[Any, Any]:
    return new.range[0] - old.range[1], new.range[1] - old.range[0]


@dataclass(frozen=True, eq=False)
class _Apart(Estimate):
    """The difference of means of different units, each with half of alpha, however they depend."""

    parts: tuple[Estimate, Estimate] = field(kw_only=True)

    @property
    def n(self) -> int:
        return min(part.n for part in self.parts)

    @property
    def mean(self) -> Any:
        new, old = self.parts
        return new.mean - old.mean

    def bound(self, alpha: float, upper: bool) -> Any:
        new, old = self.parts
        return new.bound(alpha / 2, upper) - old.bound(alpha / 2, not upper)


@dataclass(frozen=True, eq=False)
class RunEstimate(Estimate):
    """A measure of the whole run by its influence values: what the bootstrap (BCa) says of it.

    Where this cannot be formed, and where the measure is a share, as c@1 with nothing unanswered, bounds are
    those of the mean of these values, which may be beyond its range.

    Attributes
    ----------
    redrawn : function, optional
        The measure over drawn units (n), or over those of all draws (draws x n) if `at_once`. A difference
        has none.
    parts : array, optional
        What units contribute to the measure (... x parts x n), as whether an answer is correct.
    """

    redrawn: Callable[[Ints], Any] | None = None
    at_once: bool = False
    parts: Floats | None = None

    @classmethod
    def ratio(cls, part: Floats, whole: Floats, limits: tuple[float, float]) -> RunEstimate:
        """The ratio of two means over the same units, which is computed anew in each draw."""

        value = part.mean() / whole.mean()
        of_drawn = lambda drawn: over(part[drawn].sum(axis=-1), whole[drawn].sum(axis=-1), value)  # noqa: E731
        return cls(value + (part - value * whole) / whole.mean(), limits, None, value, of_drawn, True)

    @property
    def reach(self) -> tuple[Any, Any]:
        low, high = self.range
        return np.minimum(low, self.values.min(axis=-1)), np.maximum(high, self.values.max(axis=-1))

    def interval(self, alpha: float = ALPHA) -> Floats:
        whole = np.round(self.values)
        if np.isin(whole, (0, 1)).all() and np.abs(self.values - whole).max(initial=0.0) < _NEAR:
            return Estimate(whole, self.range).interval(alpha)
        if self.redrawn is not None and self.n > 1:
            drawn = self.redrawn, self.n, 1 - alpha, _DRAWS, 0, self.at_once
            bounds = np.array(bootstrap_bounds(*drawn, "BCa"))
            if not np.isnan(bounds).any():
                return np.asarray(np.clip(bounds, *self.range))
        return super().interval(alpha)

    @property
    def moved(self) -> Any:
        return super().moved if self.parts is None else (self.parts != 0).any(axis=-2).sum(axis=-1)

    def __getitem__(self, row: Any) -> RunEstimate:
        parts = None if self.parts is None else self.parts[row]
        return replace(self, values=self.values[row], parts=parts, exact=None)

    def __sub__(self, other: Any) -> Estimate:
        parts = None if self.parts is None or other.parts is None else self.parts - other.parts
        return RunEstimate(self.values - other.values, _between(self, other), parts=parts)


@dataclass(frozen=True, eq=False)
class CorrectedEstimate(Estimate):
    """Values by people's labels of n topics, and by a judge's of all N topics: prediction-powered means.

    With w the weight and M the judge's mean over the other topics, it is the mean of people - w (judge - M)
    over the n topics (PPI++; Angelopoulos, Duchi & Zrnic 2023, https://arxiv.org/abs/2311.01453). Its bounds
    are those of these values, widened by what is not known of w M.

    Attributes
    ----------
    people, judge : Estimate
        By people's labels (... x n), whose values these are, and by the judge's (... x N).
    labelled : array of bool
        The topics of people (N).
    fixed : array, optional
        The weight; by default the best one, or 0 where people alone have a shorter interval.
    """

    people: Estimate = field(kw_only=True)
    judge: Estimate = field(kw_only=True)
    labelled: Bools = field(kw_only=True)
    fixed: Floats | None = None

    @classmethod
    def of(cls, people: Estimate, judge: Estimate, labelled: Bools) -> Estimate:
        """Both kinds of values; where people labelled all topics, theirs alone."""
        if labelled.all():
            return people
        return cls(people.values, people.range, people=people, judge=judge, labelled=labelled)

    @cached_property
    def best(self) -> CorrectedEstimate:
        """With the weight cov_n(people, judge) / ((1 + n / (N - n)) var(judge)), from 0 to 1.

        It is 0 where too little is known of the judge's errors: n < 20, N - n < 2, or fewer than 10 of the n
        topics on which both differ.
        """
        people, judge, rest = self.values, self.judge.values, self.others.n
        same = judge[..., self.labelled]
        differing = (np.abs(people - same) > TOLERANCE).sum(axis=-1)
        centred = same - same.mean(axis=-1, keepdims=True)
        covariance = (centred * (people - people.mean(axis=-1, keepdims=True))).sum(axis=-1) / (self.n - 1)
        spread = (1 + self.n / rest) * judge.var(axis=-1, ddof=1)
        usable = (differing >= _DIFFERING) & (spread > TOLERANCE) & (self.n >= FEW_LABELLED) & (rest >= 2)
        best = np.divide(covariance, spread, out=np.zeros(np.shape(covariance)), where=usable)
        return replace(self, fixed=np.clip(best, 0, 1))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the judge's scores."""
        if self.fixed is not None:
            return self.fixed
        best, alone = (np.ptp(each.interval(), axis=0) for each in (self.best, self.people))
        return np.where(best < alone, self.best.weight, 0.0)

    @cached_property
    def others(self) -> Estimate:
        """The judge's values of the other topics."""
        return Estimate(self.judge.values[..., ~self.labelled])

    @cached_property
    def rests(self) -> Estimate:
        """people - w (judge - M), and between what they are."""
        w, mean = self.weight, np.asarray(self.others.mean)
        rests = self.values - w[..., None] * (self.judge.values[..., self.labelled] - mean[..., None])
        lows, highs = zip(self.people.reach, self.judge.reach)
        low, high = np.minimum(*lows), np.maximum(*highs)
        with np.errstate(invalid="ignore"):  # 0 x inf
            least, most = low - w * (high - mean), high + w * (mean - low)
        return Estimate(rests, (np.where(w > 0, least, low), np.where(w > 0, most, high)))

    @property
    def by_topic(self) -> Floats:
        """Values of all topics (... x N), the mean of which is this one."""
        topics, w = len(self.labelled), self.weight[..., None]
        values: Floats = w * self.judge.values * topics / max(topics - self.n, 1)
        of_people = self.values - w * self.judge.values[..., self.labelled]
        values[..., self.labelled] = of_people * topics / self.n
        return values

    @property
    def mean(self) -> Any:
        return self.rests.mean

    @property
    def differ(self) -> Any:
        return self.rests.differ

    @property
    def error(self) -> Any:
        return np.hypot(self.rests.error, self._of_others)

    @property
    def _of_others(self) -> Any:
        """The standard error of w M."""
        return self.weight * self.others.error if self.others.n > 1 else 0.0

    def interval(self, alpha: float = ALPHA) -> Floats:
        if isinstance(self.people, RunEstimate) and not self.weight.any():
            return self.people.interval(alpha)
        return super().interval(alpha)

    def bound(self, alpha: float, upper: bool) -> Any:
        half = self._of_others * (stats.t.ppf(1 - alpha, self.others.n - 1) if self.others.n > 1 else 0.0)
        away = np.hypot(self.rests.bound(alpha, upper) - self.mean, half)
        return np.clip(self.mean + away * (1 if upper else -1), *self.range)[()]

    def _p(self, limit: float, upper: bool) -> Any:
        """The level at which the bound is this limit."""
        from scipy.optimize import brentq

        def p(estimate: CorrectedEstimate) -> float:
            def beyond(alpha: float) -> float:
                return float(limit - estimate.bound(alpha, upper)) * (1 if upper else -1)

            ends = _SMALLEST_P, 0.5
            signs = [beyond(end) > 0 for end in ends]
            if all(signs) or not any(signs):
                return ends[0] if all(signs) else 1.0
            return float(brentq(beyond, *ends))

        rows = np.ndindex(self.values.shape[:-1])
        each = [p(replace(self[row], fixed=self.weight[row])) for row in rows]
        return np.array(each).reshape(self.values.shape[:-1])[()]

    @property
    def moved(self) -> Any:
        return self.people.moved

    def __getitem__(self, row: Any) -> CorrectedEstimate:
        people, judge = self.people[row], self.judge[row]
        fixed = None if self.fixed is None else self.fixed[row]
        return replace(self, values=people.values, people=people, judge=judge, fixed=fixed)

    def __sub__(self, other: Any) -> Estimate:
        return CorrectedEstimate.of(self.people - other.people, self.judge - other.judge, self.labelled)


@dataclass(frozen=True, eq=False)
class WeightedEstimate(Estimate):
    """Values of units of two kinds, each of which has its own share: their bounds are drawn.

    In each draw the units of a kind, and one more at an end of the range if it has one, have random weights.

    Attributes
    ----------
    kinds : array of bool
        Of the units (n).
    scale : array
        The weight that the value of each unit holds already (n).
    """

    kinds: Bools = field(kw_only=True)
    scale: Floats = field(kw_only=True)

    def draws(self, count: int = _DRAWS, seed: int = 0) -> Floats:
        """Means with the one more at the lower and at the upper end (2 x count x R)."""
        random, rows = generator(seed), np.atleast_2d(self.values)
        means, step = np.zeros((2, count, len(rows))), max(1, _CELLS // self.n)
        for kind in (self.kinds, ~self.kinds):
            values, scale = rows[:, kind].T, float(self.scale[kind].max(initial=0.0))
            for start in range(0, count if kind.any() else 0, step):
                weights = random.exponential(size=(min(step, count - start), len(values) + 1))
                for means_of_end, end in zip(means, self.reach):
                    one_more = weights[:, :1] * np.isfinite(end)
                    total = (weights[:, 1:] @ values) + one_more * scale * (end if np.isfinite(end) else 0.0)
                    share = len(values) / self.n / (weights[:, 1:].sum(axis=1, keepdims=True) + one_more)
                    means_of_end[start : start + step] += total * share
        return means

    def bound(self, alpha: float, upper: bool) -> Any:
        bound = np.quantile(self.draws()[int(upper)], 1 - alpha if upper else alpha, axis=0)
        inside = (np.maximum if upper else np.minimum)(bound.reshape(self.values.shape[:-1]), self.mean)
        return np.clip(inside, *self.range)[()]

    def _p(self, limit: float, upper: bool) -> Any:
        draws = self.draws()[int(upper)]
        beyond = (draws >= limit if upper else draws <= limit).mean(axis=0)
        return beyond.reshape(self.values.shape[:-1])[()]

    def __sub__(self, other: Estimate) -> Estimate:
        return replace(self, values=self.values - other.values, range=_between(self, other))


def weighted(each: Estimate) -> WeightedEstimate:
    """The same, as an estimate that draws weights of its units."""
    if isinstance(each, WeightedEstimate):
        return each
    if isinstance(each, CorrectedEstimate):
        values = each.by_topic
        limits, ones = (float(values.min()), float(values.max())), np.ones(values.shape[-1])
        return WeightedEstimate(values, limits, kinds=each.labelled, scale=ones)
    low, high = each.reach
    limits = float(min(np.min(low), each.values.min())), float(max(np.max(high), each.values.max()))
    ones = np.ones(each.values.shape[-1]) if each.weights is None else each.weights / each.weights.mean()
    return WeightedEstimate(each.values * ones, limits, kinds=np.zeros(len(ones), bool), scale=ones)


def stacked(estimates: Sequence[Any]) -> Any:
    """Several estimates of one kind as one, with a row for each; of whole runs, for their differences."""
    first, values = estimates[0], np.stack([estimate.values for estimate in estimates])
    if isinstance(first, CorrectedEstimate):
        people, judge = (stacked([getattr(each, who) for each in estimates]) for who in ("people", "judge"))
        return replace(first, values=values, people=people, judge=judge)
    if isinstance(first, RunEstimate):
        parts = None if first.parts is None else np.stack([estimate.parts for estimate in estimates])
        return replace(first, values=values, parts=parts, redrawn=None, exact=None)
    return replace(first, values=values, exact=None)


def intervals_of_shares(hits: Floats, n: Floats, alpha: float = ALPHA) -> Floats:
    """The bounds of shares, of many at once (2 x ...): those of the mean of values 0 and 1."""
    low = special.betaincinv(np.maximum(hits, 1), n - hits + 1, alpha / 2) * (hits > 0)
    high = special.betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - alpha / 2)
    return np.array([low, np.where(hits < n, high, 1.0)])


def fewest(best: float, end: float, limit: float, alpha: float = ALPHA) -> float:
    """How many units it takes, whose values are all the best, until a bound towards `end` is past the limit.

    Infinite where the best is not past it, or there is no end.
    """
    share = (best - limit) / (best - end) if np.isfinite([best, end]).all() and best != end else 0.0
    if share <= 0:
        return math.inf
    return 1 if share >= 1 else max(1, math.floor(math.log(alpha / 2) / math.log1p(-share)) + 1)


# What results show: the means of measures, and quantities of lists, which users count beside them.


def estimate(results: Results, row: int, unit: str | None = None) -> Estimate:
    """What units say of the mean of a measure, see `Results.estimate`."""
    measure, bound = results.measures[row], results._of_run.get(row)
    if not isinstance(measure.aggregator(), MeanAgg):
        raise ParameterError("it is added up over topics.")
    if bound is None:
        (values,) = results.means_of_units(results.values[row][None], unit)[1]
        return Estimate(values, range_of(measure), exact=results.means(unit)[row])
    if results._nest is not None:
        key = results.universe.keys[0]
        raise ParameterError(f"it looks at all lists of a run, and has no values of its own by {key}.")
    rankings = results.rankings
    of_units = influence(bound, rankings), bound.range, None, results.means()[row]
    if bound.definition.of_means is None:
        return RunEstimate(*of_units, lambda drawn: bound.score(rankings.take(drawn)).mean())
    parts = RunScores(bound, rankings).parts
    of_drawn = lambda drawn: value_from_means(bound, parts[:, drawn].mean(axis=-1))  # noqa: E731
    return RunEstimate(*of_units, of_drawn, True, parts)


def quantity(results: Results, function: Callable[[Rankings], Any], unit: str | None) -> Estimate:
    """What units say of a quantity of lists, see `Results.quantity`."""
    part, whole = function(results.rankings)
    if whole is None:
        return Estimate(results.means_of_units(part[None].astype(np.float64), unit)[1][0], (0.0, np.inf))
    return Estimate.share(*results.means_of_units(np.stack([part, whole]).astype(np.float64), unit)[1])


def interval(results: Results, row: int) -> Floats:
    """The 95 % interval of a mean; NaN where there is none."""
    if results.topics:
        with suppress(ParameterError):
            return np.asarray(results.estimate(row).interval())
    return np.full(2, np.nan)


def _kept(lists: Rankings) -> tuple[Floats | Bools, Bools]:
    if lists.answers is not None:
        return lists.answers["right"].at(lists.lengths), np.ones(len(lists), bool)
    hits, answerable = lists.judged_rows[lists.judged_grades > 0], ~lists.judgments.nil_queries
    return (np.bincount(hits, minlength=len(lists)) > 0) & answerable, answerable


def _unanswered(lists: Rankings) -> tuple[Bools, Bools]:
    nil = lists.judgments.nil_queries  # of graded answers nobody says which questions have one
    return (lists.lengths == 0) & nil, nil


def _wrongly(lists: Rankings) -> tuple[Bools, Bools]:
    silent = (lists.lengths == 0) & (lists.answers is None)
    return silent & ~lists.judgments.nil_queries, silent


QUANTITIES: dict[str, tuple[Callable[[Rankings], tuple[Any, Any]], int]] = {
    "passages": (lambda lists: (lists.lengths, None), 0),
    "kept": (_kept, 1),
    "unanswered": (_unanswered, 1),
    "wrongly": (_wrongly, -1),
    "abstention.silent": (lambda lists: (lists.lengths == 0, np.ones(len(lists))), 0),
}
"""By name: a function that gives values by list, of a share its part and its whole (Q); and, where labels
say that higher values are better (1) or lower ones (-1), which."""
