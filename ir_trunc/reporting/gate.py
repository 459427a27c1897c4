"""`check`: conditions under which a new run may not pass, decided by confidence intervals."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from scipy import stats

from ir_trunc._core.errors import IrTruncError, ParameterError, counted, nearest, noted, printable
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, number, several, text
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.definition import influence
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import bind, parse_measure
from ir_trunc.scoring.results import Result, Results

__all__ = ["Check", "Condition", "Gate", "check", "read_condition"]

Verdict = Literal["passed", "failed", "undecided"]
_VERDICTS: dict[bool | None, Verdict] = {True: "failed", False: "passed", None: "undecided"}

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FORM = re.compile(
    rf"\s*(?P<what>.+?)\s*(?:\b(?P<change>drops|rises)(?:\s+by)?\s+|(?P<sign><=|>=|<|>)\s*)(?P<limit>{_NUMBER})\s*"
)
_EXAMPLES = "'RBPT drops 0.02', 'length rises 5' or 'abstention.precision < 0.8'"


@dataclass(frozen=True)
class _Estimate:
    """An estimate with its confidence interval; NaN and the reason if there is none."""

    value: float
    low: float
    high: float
    unknown: str = ""


@dataclass(frozen=True)
class Condition:
    """What a run must not be: a quantity, or its change against a baseline, compared with a limit.

    Attributes
    ----------
    text : str
        The condition as it was given.
    name : str
        The quantity.
    measure : Measure or None
        None for one of the `QUANTITIES`.
    of_change : bool
        Whether the change is compared, and not the value.
    below : bool
        Whether values below the limit meet the condition, or those above.
    strict : bool
        Whether the limit itself does not meet the condition.
    limit : float
    """

    text: str
    name: str
    measure: Measure | None
    of_change: bool
    below: bool
    strict: bool
    limit: float

    def met(self, estimate: _Estimate) -> bool | None:
        """Whether all values of the interval meet the condition; None if only some do."""
        bounds = np.array([estimate.low, estimate.high])
        if estimate.unknown or np.isnan(bounds).any():
            return None
        met = (bounds < self.limit) if self.below else (bounds > self.limit)
        if not self.strict:
            met |= bounds == self.limit
        return bool(met[0]) if met[0] == met[1] else None


def read_condition(condition: Any) -> Condition:
    """A condition from its text.

    Raises
    ------
    ParameterError
        If the text has another form, or names no measure and no quantity.

    Examples
    --------
    >>> condition = read_condition("RBPT drops 0.02")
    >>> condition.name, condition.of_change, condition.limit
    ('RBPT', True, -0.02)
    """
    words = text("condition", condition)
    match = _FORM.fullmatch(words)
    if match is None:
        raise ParameterError(f"condition {printable(words)!r} is not understood: write {_EXAMPLES}.")
    what, change, sign, limit = match["what"], match["change"], match["sign"], float(match["limit"])
    if change and limit <= 0:
        raise ParameterError(f"condition {printable(words)!r}: how much it {change} is a number above 0.")
    try:
        measure = None if what in QUANTITIES else _measure(what)
    except IrTruncError as error:
        raise ParameterError(f"condition {printable(words)!r}: {error}") from None
    name = what if measure is None else str(measure)
    if change:
        drops = change == "drops"
        return Condition(words, name, measure, True, drops, False, -limit if drops else limit)
    return Condition(words, name, measure, False, sign[0] == "<", len(sign) == 1, limit)


def _measure(what: str) -> Measure:
    try:
        measure = parse_measure(what)
    except IrTruncError as error:
        near = nearest(what, QUANTITIES)
        raise IrTruncError(f"{error}{near}" if "Did you mean" not in str(error) else str(error)) from None
    if not isinstance(measure.aggregator(), MeanAgg):
        raise IrTruncError(f"{measure} is added up over topics; a mean is needed.")
    return measure


def _topic_values(condition: Condition, results: Results) -> Floats:
    """By topic (T), the values that a paired test uses; NaN if the quantity is not defined for the run."""
    if condition.measure is None:
        return QUANTITIES[condition.name](results)[0]
    bound = bind(condition.measure)
    if bound is not None and bound.definition.scope == "run":
        return influence(bound, results.rankings)
    return np.asarray(results.values[results.measures.index(condition.measure)])


def _estimate(condition: Condition, results: Results, confidence: float) -> _Estimate:
    """The quantity of one run, with its interval: Wilson's for a share, Student's t for a mean."""
    if condition.measure is None:
        counts = QUANTITIES[condition.name](results)[1]
        if counts is not None:
            hits, among = counts
            if not among:
                return _Estimate(np.nan, np.nan, np.nan, "there is nothing that it is a share of")
            bounds = stats.binomtest(hits, among).proportion_ci(confidence, method="wilson")
            return _Estimate(hits / among, float(bounds.low), float(bounds.high))
    return _mean(_topic_values(condition, results), confidence)


def _mean(values: Floats, confidence: float) -> _Estimate:
    """A mean over topics with Student's interval."""
    mean = float(values.mean()) if len(values) else np.nan
    if np.isnan(mean):
        return _Estimate(np.nan, np.nan, np.nan, "one of the runs has nothing that it is a share of")
    if len(values) < 2:
        return _Estimate(mean, np.nan, np.nan, "there is 1 topic")
    half = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1) * stats.sem(values))
    return _Estimate(mean, mean - half, mean + half)


Counts = tuple[int, int] | None


def _share(part: Bools, among: Bools) -> tuple[Floats, Counts]:
    """A share of topics: values by topic whose mean it is (to first order), and numerator and denominator."""
    hits, count = int((part & among).sum()), int(among.sum())
    if not count:
        return np.full(len(part), np.nan), (0, 0)
    share = hits / count
    return share + among * (part - share) / among.mean(), (hits, count)


def _empty(results: Results) -> Bools:
    return np.asarray(results.rankings.lengths == 0)


QUANTITIES: Mapping[str, Callable[[Results], tuple[Floats, Counts]]] = {
    "length": lambda results: (results.rankings.lengths.astype(np.float64), None),
    "abstention.silent": lambda results: _share(_empty(results), np.ones_like(results.nil)),
    "abstention.precision": lambda results: _share(results.nil, _empty(results)),
    "abstention.recall": lambda results: _share(_empty(results), results.nil),
}
"""What a condition may compare beside measures: values by topic, and for a share its counts."""


@dataclass(frozen=True)
class Check:
    """The verdict on one condition.

    Attributes
    ----------
    condition : str
    verdict : 'passed', 'failed' or 'undecided'
    before, now : float
        The quantity in the baseline (NaN if the condition needs none) and in the new run.
    low, high : float
        The interval that decides, of the difference or of the new value.
    unknown : str
        Why there is no interval.
    """

    condition: str
    verdict: Verdict
    before: float
    now: float
    low: float
    high: float
    unknown: str

    def __str__(self) -> str:
        """The verdict and the numbers behind it, in a line."""
        interval = f"[{self.low:.4f}, {self.high:.4f}]"
        if not np.isnan(self.before):
            change = f"{self.now - self.before:+.4f}"
            values = f"{self.before:.4f} -> {self.now:.4f}, difference {change} {interval}"
        else:
            values = f"{self.now:.4f} {interval}"
        return f"{self.verdict:<9}  {printable(self.condition)}: {self.unknown or values}"


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The verdicts on the conditions of a gate.

    Attributes
    ----------
    checks
        One for each condition.
    topics
        Their number.
    confidence
        The level of the intervals.
    strict
        Whether an undecided condition fails.
    notes
        What was assumed or left out when the data were read.
    """

    checks: tuple[Check, ...]
    topics: int
    confidence: float
    strict: bool
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no condition failed and, if `strict`, none is undecided."""
        return not any(map(self.fails, self.checks))

    def fails(self, check: Check) -> bool:
        """Whether a check keeps the run from passing."""
        return check.verdict == "failed" or (self.strict and check.verdict == "undecided")

    @property
    def heading(self) -> str:
        """How many conditions failed."""
        verdicts = [check.verdict for check in self.checks]
        words = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in _VERDICTS.values())
        about = f"{self.topics} topics, {100 * self.confidence:g} % intervals"
        return f"{counted(len(verdicts), 'condition')}: {words}; {about}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each condition: condition, verdict, before, now, low, high, unknown."""
        return pd.DataFrame([vars(check) for check in self.checks])

    def lines(self) -> list[str]:
        """A line for each condition."""
        return [str(check) for check in self.checks]

    def junit(self) -> str:
        """The checks as JUnit XML, which continuous integration displays: a test case for each condition."""
        failing = sum(map(self.fails, self.checks))
        undecided = sum(check.verdict == "undecided" and not self.strict for check in self.checks)
        counts = {"tests": len(self.checks), "failures": failing, "errors": 0, "skipped": undecided}
        attributes = {"name": "ir_trunc check"} | {name: str(count) for name, count in counts.items()}
        suite = ElementTree.Element("testsuite", attributes)
        for check in self.checks:
            name, text = printable(check.condition), printable(str(check))
            case = ElementTree.SubElement(suite, "testcase", classname="ir_trunc.check", name=name)
            if self.fails(check) or check.verdict == "undecided":
                ElementTree.SubElement(case, "failure" if self.fails(check) else "skipped", message=text)
            ElementTree.SubElement(case, "system-out").text = text
        ElementTree.indent(suite)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'

    def __repr__(self) -> str:
        return "\n".join([fitted(self.heading), *(fitted(line, 11) for line in self.lines())])


def check(
    conditions: Iterable[str] | str,
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    baseline: RunLike | None = None,
    confidence: float = 0.95,
    strict: bool = False,
    **options: Unpack[Options],
) -> Gate:
    """Check a new run against conditions under which it may not pass.

    Parameters
    ----------
    conditions : str or list of str
        'RBPT drops 0.02' is met by a mean that is lower than the baseline's by 0.02 or more, 'length rises 5'
        by one that is higher by 5 or more, 'abstention.precision < 0.8' (or <=, >, >=) by the new run's own
        value. A condition is about a measure, `length` (documents of a list), `abstention.silent`
        (share of empty lists), `abstention.precision` (share of them that belong to nil queries) and
        `abstention.recall` (share of the nil queries that got the empty list).
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.
    run : RunLike
        The new run.
    baseline : RunLike, optional
        The earlier run; conditions with 'drops' or 'rises' need it.
    confidence : float
        The level of the intervals.
    strict : bool
        Whether an undecided condition keeps the run from passing.

    Returns
    -------
    Gate
        `passed` is the result, `checks` the conditions. A condition has failed if the whole confidence
        interval (paired over topics by Student's t; Wilson's for a share) meets it, has passed if none of it
        does, and is undecided otherwise: there are too few topics.

    Raises
    ------
    ParameterError
        For a condition that is not understood, or that needs a baseline.
    InputError
        For data that cannot be read.

    Examples
    --------
    >>> qrels = {str(topic): {"a": 1} for topic in range(9)}
    >>> old = {topic: ["a"] for topic in qrels}
    >>> new = {topic: ["x", "a"] if topic > "1" else ["a"] for topic in qrels}
    >>> check(["RR drops 0.1", "length > 10"], qrels, new, baseline=old)
    2 conditions: 1 failed, 1 passed, 0 undecided; 9 topics, 95 % intervals
    failed     RR drops 0.1: 1.0000 -> 0.6111, difference -0.3889 [-0.5584, -0.2194]
    passed     length > 10: 1.7778 [1.4388, 2.1167]
    """
    texts = [conditions] if isinstance(conditions, str) else several("conditions", conditions, "texts")
    parsed = [read_condition(words) for words in texts]
    if not parsed:
        raise ParameterError("No condition is given; 'RBPT drops 0.02', for example.")
    if baseline is None and (changes := [condition for condition in parsed if condition.of_change]):
        words = printable(changes[0].text)
        raise ParameterError(f"condition {words!r} compares with a baseline, which is not given.")
    level, fails = number("confidence", confidence, 0, 1, inside=True), flag("strict", strict)
    measures = [condition.measure for condition in parsed if condition.measure is not None]

    def results_of(data: Any) -> Results:
        if measures:
            return Evaluator(measures, qrels, **options).calc(data)
        rankings = rank(qrels, data, **options)
        return Results((), rankings, np.zeros((0, len(rankings))))

    with noted() as notes:
        now = results_of(run)
        before = results_of(baseline) if baseline is not None else None
    checks = tuple(
        _check(condition, now, before if condition.of_change else None, level) for condition in parsed
    )
    return Gate(checks, len(now.topics), level, fails, tuple(notes))


def _check(condition: Condition, now: Results, before: Results | None, confidence: float) -> Check:
    new = _estimate(condition, now, confidence)
    old, decides = _Estimate(np.nan, np.nan, np.nan), new
    if before is not None:
        old = _estimate(condition, before, confidence)
        if before.topics != now.topics:
            raise ParameterError("the run and the baseline have different topics: they need the same.")
        decides = _mean(_topic_values(condition, now) - _topic_values(condition, before), confidence)
    verdict = _VERDICTS[condition.met(decides)]
    return Check(condition.text, verdict, old.value, new.value, decides.low, decides.high, decides.unknown)
