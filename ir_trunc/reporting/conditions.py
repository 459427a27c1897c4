"""Conditions of a gate, as texts, and the quantities that they speak of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from scipy import stats

from ir_trunc._core.errors import IrTruncError, ParameterError, nearest, printable
from ir_trunc._core.parameters import text
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc.measures.definition import influence
from ir_trunc.scoring.objects import bind, parse_measure
from ir_trunc.scoring.results import Results

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FORM = re.compile(
    rf"\s*(?P<what>.+?)\s*(?:\b(?P<change>drops|rises)(?:\s+by)?\s+|(?P<sign><=|>=|<|>)\s*)(?P<limit>{_NUMBER})\s*"
)
_EXAMPLES = "'RBPT drops 0.02', 'length rises 5' or 'abstention.precision < 0.8'"


@dataclass(frozen=True)
class Range:
    """An estimate with its confidence interval; NaN and the reason where there is none."""

    value: float
    low: float
    high: float
    unknown: str = ""


@dataclass(frozen=True)
class Condition:
    """What a run must not be: a quantity, compared with a limit by itself or by its change.

    name: of the quantity. measure: None where it is one of `QUANTITIES`. below: whether values below the
    limit meet the condition, or those above. strict: whether the limit itself does not meet it.
    """

    text: str
    name: str
    measure: Measure | None
    of_change: bool
    below: bool
    strict: bool
    limit: float

    def met(self, found: Range) -> bool | None:
        """Whether all values of the interval meet the condition; None where some do and some do not."""
        if found.unknown or np.isnan([found.low, found.high]).any():
            return None
        met = {self._met(found.low), self._met(found.high)}
        return met.pop() if len(met) == 1 else None

    def _met(self, value: float) -> bool:
        beyond = value < self.limit if self.below else value > self.limit
        return beyond or (value == self.limit and not self.strict)


def read_condition(given: Any) -> Condition:
    """A condition from its text.

    Raises
    ------
    ParameterError
        Where the text has another form, or names no measure and no quantity.

    Examples
    --------
    >>> found = read_condition("RBPT drops 0.02")
    >>> found.name, found.of_change, found.limit
    ('RBPT', True, -0.02)
    """
    whole = text("condition", given)
    match = _FORM.fullmatch(whole)
    if match is None:
        raise ParameterError(f"condition {printable(whole)!r} is not understood: write {_EXAMPLES}.")
    what, change, sign, limit = match["what"], match["change"], match["sign"], float(match["limit"])
    if change and limit <= 0:
        raise ParameterError(f"condition {printable(whole)!r}: how much it {change} is a number above 0.")
    try:
        measure = None if what in QUANTITIES else _measure(what)
    except IrTruncError as error:
        raise ParameterError(f"condition {printable(whole)!r}: {error}") from None
    name = what if measure is None else str(measure)
    if change == "drops":
        return Condition(whole, name, measure, True, True, False, -limit)
    if change == "rises":
        return Condition(whole, name, measure, True, False, False, limit)
    return Condition(whole, name, measure, False, sign[0] == "<", len(sign) == 1, limit)


def _measure(what: str) -> Measure:
    try:
        measure = parse_measure(what)
    except IrTruncError as error:
        near = nearest(what, QUANTITIES)
        raise IrTruncError(f"{error}{near}" if "Did you mean" not in str(error) else str(error)) from None
    if not isinstance(measure.aggregator(), MeanAgg):
        raise IrTruncError(f"{measure} is added up over topics; a mean is needed.")
    return measure


def values_of(condition: Condition, results: Results) -> Floats:
    """By topic (T), what a paired test may take; NaN where the quantity is not defined for the run."""
    if condition.measure is None:
        return QUANTITIES[condition.name](results)[0]
    bound = bind(condition.measure)
    if bound is not None and bound.definition.scope == "run":
        return influence(bound, results.rankings)
    return np.asarray(results.values[results.measures.index(condition.measure)])


def value_of(condition: Condition, results: Results, confidence: float) -> Range:
    """The quantity of one run, with its interval: Wilson's for a share, Student's t for a mean."""
    if condition.measure is None:
        counted = QUANTITIES[condition.name](results)[1]
        if counted is not None:
            hits, among = counted
            if not among:
                return Range(np.nan, np.nan, np.nan, "there is nothing that it is a share of")
            bounds = stats.binomtest(hits, among).proportion_ci(confidence, method="wilson")
            return Range(hits / among, float(bounds.low), float(bounds.high))
    return mean_of(values_of(condition, results), confidence)


def mean_of(values: Floats, confidence: float) -> Range:
    """A mean over topics with Student's interval."""
    mean = float(values.mean()) if len(values) else np.nan
    if np.isnan(mean):
        return Range(np.nan, np.nan, np.nan, "one of the runs has nothing that it is a share of")
    if len(values) < 2:
        return Range(mean, np.nan, np.nan, "there is 1 topic")
    half = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1) * stats.sem(values))
    return Range(mean, mean - half, mean + half)


Counted = tuple[int, int] | None


def _share(part: Bools, among: Bools) -> tuple[Floats, Counted]:
    """A share of topics: values by topic whose mean it is (to first order), and the counts."""
    hits, count = int((part & among).sum()), int(among.sum())
    if not count:
        return np.full(len(part), np.nan), (0, 0)
    share = hits / count
    return share + among * (part - share) / among.mean(), (hits, count)


def _empty(results: Results) -> Bools:
    return np.asarray(results.rankings.lengths == 0)


QUANTITIES: Mapping[str, Callable[[Results], tuple[Floats, Counted]]] = {
    "length": lambda results: (results.rankings.lengths.astype(np.float64), None),
    "abstention.silent": lambda results: _share(_empty(results), np.ones_like(results.nil)),
    "abstention.precision": lambda results: _share(results.nil, _empty(results)),
    "abstention.recall": lambda results: _share(_empty(results), results.nil),
}
"""What a condition may speak of beside measures: values by topic, and for a share what it counts."""
