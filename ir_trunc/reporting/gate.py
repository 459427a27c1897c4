"""A gate for pipelines: conditions under which a run may not pass, decided by confidence intervals."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ir_trunc._core.errors import ParameterError, counted, noted, printable
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, number, several
from ir_trunc._ranking.doors import rank
from ir_trunc._ranking.likes import QrelsLike, RunLike
from ir_trunc._read.reading import Unpack
from ir_trunc.reporting.conditions import Condition, Range, mean_of, read_condition, value_of, values_of
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.results import Result, Results, fitted

Verdict = Literal["passed", "failed", "undecided"]
_VERDICTS: dict[bool | None, Verdict] = {True: "failed", False: "passed", None: "undecided"}


@dataclass(frozen=True)
class Check:
    """One condition and what became of it.

    before, now: the quantity in the baseline (NaN where the condition does not ask for it) and in the new
    run. low, high: the interval that decides, of the difference or of the new value. unknown: why there is
    none.
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
            said = f"{self.before:.4f} -> {self.now:.4f}, difference {change} {interval}"
        else:
            said = f"{self.now:.4f} {interval}"
        return f"{self.verdict:<9}  {printable(self.condition)}: {self.unknown or said}"


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """What became of the conditions of a gate.

    Attributes
    ----------
    checks
        One for each condition.
    topics
        How many there were.
    confidence
        The level of the intervals.
    strict
        Whether what is undecided fails.
    notes
        What was guessed or left out when the data were read.
    """

    checks: tuple[Check, ...]
    topics: int
    confidence: float
    strict: bool
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no condition failed; where `strict` is set, whether all were decided too."""
        return not any(map(self.fails, self.checks))

    def fails(self, check: Check) -> bool:
        """Whether a check keeps the run from passing."""
        return check.verdict == "failed" or (self.strict and check.verdict == "undecided")

    @property
    def heading(self) -> str:
        """How many conditions failed."""
        found = [check.verdict for check in self.checks]
        words = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in _VERDICTS.values())
        about = f"{self.topics} topics, {100 * self.confidence:g} % intervals"
        return f"{counted(len(found), 'condition')}: {words}; {about}"

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
            name, said = printable(check.condition), printable(str(check))
            case = ElementTree.SubElement(suite, "testcase", classname="ir_trunc.check", name=name)
            if self.fails(check) or check.verdict == "undecided":
                ElementTree.SubElement(case, "failure" if self.fails(check) else "skipped", message=said)
            ElementTree.SubElement(case, "system-out").text = said
        ElementTree.indent(suite)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'

    def __repr__(self) -> str:
        return "\n".join([fitted(self.heading), *(fitted(line, 11) for line in self.lines())])


@keywords_of(Evaluator)
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
        value. A condition speaks of a measure, of `length` (documents of a list), or of `abstention.silent`
        (share of empty lists), `abstention.precision` (share of them that belong to nil queries) and
        `abstention.recall` (share of the nil queries that got the empty list).
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.
    run : RunLike
        The new run.
    baseline : RunLike, optional
        The run before; conditions with 'drops' or 'rises' need it.
    confidence : float
        The level of the intervals.
    strict : bool
        Whether a condition that is undecided keeps the run from passing.

    Returns
    -------
    Gate
        `passed` is the answer, `checks` the conditions. A condition has failed where the whole confidence
        interval (paired over topics by Student's t; Wilson's for a share) meets it, passed where none of it
        does, and is undecided in between: there are too few topics to tell.

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
    given = [conditions] if isinstance(conditions, str) else several("conditions", conditions, "texts")
    read = [read_condition(one) for one in given]
    if not read:
        raise ParameterError("No condition is given; 'RBPT drops 0.02', for example.")
    if baseline is None and (changes := [one for one in read if one.of_change]):
        said = printable(changes[0].text)
        raise ParameterError(f"condition {said!r} compares with a baseline, which is not given.")
    level, fails = number("confidence", confidence, 0, 1, inside=True), flag("strict", strict)
    measures = [one.measure for one in read if one.measure is not None]

    def scored(given: Any) -> Results:
        if measures:
            return Evaluator(measures, qrels, **options).calc(given)
        rankings = rank(qrels, given, **options)
        return Results((), rankings, np.zeros((0, len(rankings))))

    with noted() as notes:
        now = scored(run)
        before = scored(baseline) if baseline is not None else None
    checks = tuple(_checked(one, now, before if one.of_change else None, level) for one in read)
    return Gate(checks, len(now.topics), level, fails, tuple(notes))


def _checked(condition: Condition, now: Results, before: Results | None, confidence: float) -> Check:
    new = value_of(condition, now, confidence)
    old, decides = Range(np.nan, np.nan, np.nan), new
    if before is not None:
        old = value_of(condition, before, confidence)
        if before.topics != now.topics:
            raise ParameterError("the run and the baseline have different topics: they need the same.")
        decides = mean_of(values_of(condition, now) - values_of(condition, before), confidence)
    verdict = _VERDICTS[condition.met(decides)]
    return Check(condition.text, verdict, old.value, new.value, decides.low, decides.high, decides.unknown)
