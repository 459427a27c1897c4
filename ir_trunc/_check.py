"""`check`: conditions under which a new run may not pass."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal, Unpack, get_args

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg

from ir_trunc._compare import FEW_UNITS, OTHER_TOPICS, counted_units, few_units
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, counted, noted, printable, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Alpha, Choice, checked, several, text
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc._inference.estimate import QUANTITIES, fewest
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike
from ir_trunc._read.reading import takes
from ir_trunc._scoring.evaluator import IMPOSED, Evaluator, Options
from ir_trunc._scoring.objects import parse_measure
from ir_trunc._scoring.results import Result, Results
from ir_trunc._scoring.runs import score_each
from ir_trunc.measures.declaration import lower_is_better

__all__ = ["Check", "Condition", "Gate", "check", "read_condition"]

Verdict = Literal["passed", "failed", "undecided"]
Require = Literal["observed", "shown"]

_NUMBER = r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_FORM = re.compile(
    r"\s*+(?P<what>\S(?:.*?\S)?)\s*+(?:\b(?P<change>worsens|improves|drops|rises)(?:\s+by)?\s+|(?P<sign><=|>=|<|>)\s*)"
    rf"(?P<limit>{_NUMBER})\s*"
)
_UNREAD = "SetR(rel=1)"  # where no condition needs a score: of whole lists, whatever their order and ends
_EQUAL = 1e-9  # numbers that differ by less are equal
_EXAMPLES = "'RBPT worsens 0.02', 'passages rises 5' or 'wrongly > 0.2'"


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
        Whether the change is compared, new less old, and not the value.
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

    def met(self, values: Floats) -> Bools:
        """Which of these values meet the condition; those within 1e-9 of the limit are equal to it."""
        beyond = self.limit - values if self.below else values - self.limit
        return np.asarray(beyond > _EQUAL if self.strict else beyond >= -_EQUAL)


def read_condition(condition: Any) -> Condition:
    """A condition from its text.

    Raises
    ------
    ParameterError
        If the text has another form, names no measure and no quantity, or calls an improvement a failure.

    Examples
    --------
    >>> condition = read_condition("RBPT worsens 0.02")
    >>> condition.name, condition.of_change, condition.limit
    ('RBPT', True, -0.02)
    >>> read_condition("HarmCompat worsens 0.1").limit
    0.1
    """
    words = text("condition", condition)
    match = _FORM.fullmatch(words)
    if match is None:
        raise ParameterError(f"condition {printable(words)!r} is not understood: write {_EXAMPLES}.")
    what, change, sign, limit = match["what"], match["change"], match["sign"], float(match["limit"])
    try:
        measure = None if what in QUANTITIES else _measure(what)
        name = what if measure is None else str(measure)
        if change:
            better = QUANTITIES[name][1] if measure is None else 1 - 2 * lower_is_better(name)
            limit = _change(name, change, limit, better)
            return Condition(words, name, measure, True, limit < 0, False, limit)
    except IrTruncError as error:
        raise ParameterError(f"condition {printable(words)!r}: {error}") from None
    return Condition(words, name, measure, False, sign[0] == "<", len(sign) == 1, limit)


def _change(name: str, change: str, size: float, better: int) -> float:
    """The limit of a change, new less old; IrTruncError where the word contradicts the direction.

    better: 1 where higher values are better, -1 where lower ones are, 0 where neither.
    """
    if size <= 0:
        raise IrTruncError(f"how much it {change} is a number above 0.")
    if change in ("worsens", "improves"):
        if not better:
            raise IrTruncError(f"neither direction of {name} is better: write drops or rises.")
        return size * (better if change == "improves" else -better)
    limit = -size if change == "drops" else size
    if limit * better > 0:
        worse = "write worsens where that should fail, improves where a change for the better should"
        raise IrTruncError(f"of {name} {'higher' if better > 0 else 'lower'} values are better: {worse}.")
    return limit


def _measure(what: str) -> Measure:
    try:
        measure = parse_measure(what)
    except IrTruncError as error:
        if "Did you mean" in str(error):
            raise
        raise IrTruncError(f"{error} Beside measures there are: {', '.join(QUANTITIES)}.") from None
    if not isinstance(measure.aggregator(), MeanAgg):
        raise IrTruncError(f"{measure} is added up over topics; a mean is needed.")
    return measure


def _estimate(condition: Condition, results: Results, unit: str | None) -> Any:
    """What the run says of the quantity of a condition."""
    if condition.measure is None:
        quantity, better = QUANTITIES[condition.name]
        return results.quantity(quantity, bool(better), unit)
    try:
        return results.estimate(results.measures.index(condition.measure), unit)
    except ParameterError as error:
        raise ParameterError(f"condition {printable(condition.text)!r}: {error}") from None


@dataclass(frozen=True)
class Check:
    """The verdict on one condition.

    Attributes
    ----------
    condition : str
    verdict : 'passed', 'failed' or 'undecided'
    before, now : float
        The quantity in the baseline (NaN if the condition needs none) and in the new run.
    change : float
        Their difference; with `Judged` the corrected difference, which need not be that of the two values.
    low, high : float
        The confidence interval of the difference or of the new value; NaN for an end that is not known.
    units : int
        Of how many topics (or other units that are independent of each other) the quantity is the mean or the
        share; with `Judged` of those that people labelled, where the condition depends on labels.
    needed : int
        With require='shown', the fewest topics that could show the limit, where there are fewer; else 0.
    unknown : str
        Why there is no interval.
    segment : str
        With `by`, the part of the lists that this is about, as 'country=se'; else ''.
    """

    condition: str
    verdict: Verdict
    before: float
    now: float
    change: float
    low: float
    high: float
    units: int
    needed: int
    unknown: str
    segment: str = ""

    @property
    def name(self) -> str:
        """The condition, and before it the segment."""
        return printable(": ".join(filter(None, (self.segment, self.condition))))

    def line(self, unit: str = "topic") -> str:
        """The verdict and the numbers behind it. unit: what is counted."""
        ends = ["-" if np.isnan(end) else f"{end:.4f}" for end in (self.low, self.high)]
        interval = f"({self.unknown})" if self.unknown else f"[{', '.join(ends)}]"
        interval += f", {counted(self.units, unit)}"
        if self.needed:
            interval += f"; it takes {self.needed} or more to show this limit"
        values, nothing = f"{self.now:.4f} {interval}", np.isnan(self.now)
        if not np.isnan(self.before):
            corrected = "corrected " if abs(self.change - (self.now - self.before)) > _EQUAL else ""
            difference = f"{corrected}difference {self.change:+.4f}"
            values = f"{self.before:.4f} -> {self.now:.4f}, {difference} {interval}"
        return f"{self.verdict:<9}  {self.name}: {self.unknown if nothing else values}"


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The verdicts on the conditions of a gate.

    Attributes
    ----------
    checks
        One for each condition; with `by`, for each condition in each segment.
    topics
        Their number.
    unit, units
        What is independent of each other ("topic", or a key), and the number of these.
    confidence
        The level of the intervals.
    require : 'observed' or 'shown'
        What decides: the observed value, or its interval.
    labelled
        With `Judged`, the number of topics that people labelled, whose labels correct the values; 0 without.
    nil
        How many of the topics are nil queries, on which silence is right.
    notes
        What was assumed or left out when the data were read.
    """

    checks: tuple[Check, ...]
    topics: int
    unit: str
    units: int
    confidence: float
    require: Require
    labelled: int
    nil: int
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no condition failed."""
        return all(check.verdict != "failed" for check in self.checks)

    @property
    def heading(self) -> str:
        """How many conditions failed."""
        verdicts = [check.verdict for check in self.checks]
        counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in get_args(Verdict))
        units = counted_units(self.units, self.unit, self.topics, self.labelled)
        about = f"{units}, {100 * self.confidence:g} % intervals, require={self.require!r}"
        segments = {check.segment for check in self.checks}
        conditions = counted(len(verdicts) // len(segments), "condition")
        if "" not in segments:
            conditions += f" in each of {len(segments)} segments"
        return f"{conditions}: {counts}; {about}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each condition, with the columns that a `Check` has."""
        return pd.DataFrame([vars(check) for check in self.checks])

    def lines(self) -> list[str]:
        """A line for each condition, and one each if some lists are of nil queries, and if topics are few."""
        lines = [check.line(self.unit) for check in self.checks]
        if self.nil:
            lines.append(f"Nil queries, on which silence is right: {self.nil} of {self.topics}.")
        fewest = min((check.units for check in self.checks if not check.unknown), default=self.units)
        return lines + few_units(fewest, self.unit, ", and intervals are wide")

    def junit(self) -> str:
        """The checks as JUnit XML, which continuous integration displays: a test case for each condition."""
        verdicts = [check.verdict for check in self.checks]
        counts = {"failures": verdicts.count("failed"), "errors": 0, "skipped": verdicts.count("undecided")}
        attributes = {"name": "ir_trunc check", "tests": str(len(verdicts))}
        suite = ElementTree.Element("testsuite", attributes | {name: str(n) for name, n in counts.items()})
        for check in self.checks:
            name, text = check.name, printable(check.line(self.unit))
            case = ElementTree.SubElement(suite, "testcase", classname="ir_trunc.check", name=name)
            if check.verdict != "passed":
                kind = "failure" if check.verdict == "failed" else "skipped"
                ElementTree.SubElement(case, kind, message=text)
            ElementTree.SubElement(case, "system-out").text = text
        ElementTree.indent(suite)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'

    def __repr__(self) -> str:
        cautions = [fitted(f"Read with care: {note}", 2) for note in self.notes if IMPOSED in note]
        return "\n".join([fitted(self.heading), *cautions, *(fitted(line, 11) for line in self.lines())])


@checked
@takes(Options)
def check(
    conditions: Iterable[str] | str,
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    baseline: RunLike | None = None,
    require: Annotated[Require, Choice("what decides on a condition")] = "observed",
    alpha: Alpha = 0.05,
    unit: str | None = None,
    by: str | None = None,
    **options: Unpack[Options],
) -> Gate:
    """Check a new run against conditions under which it may not pass.

    Parameters
    ----------
    conditions : str or list of str
        'RBPT worsens 0.02' is met by a mean that is worse than the baseline's by 0.02 or more, 'passages
        rises 5' by one that is higher by 5 or more, 'wrongly > 0.2' (or <, <=, >=) by the new run's own
        value. A condition is about a measure, `passages` (documents of a list), `kept` (share of the
        answerable queries whose list keeps a relevant document), `unanswered` (share of the nil queries that
        get the empty list), `wrongly` (share of the empty lists whose query has an answer) or
        `abstention.silent` (share of empty lists). A value within 1e-9 of a limit is equal to it. Changes are
        those for the worse (`worsens`), for the better (`improves`), downwards (`drops`) and upwards
        (`rises`).
    qrels, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld, ties
        As for `calc`.
    run : RunLike
        The new run.
    baseline : RunLike, optional
        The earlier run; conditions about a change need it.
    require : {'observed', 'shown'}
        'observed': a condition has failed if the observed value meets it. 'shown': it has passed only if no
        part of the confidence interval meets it. Too few topics then fail, two equal runs included: of a
        measure from 0 to 1, a change of 0.1 takes 36, 0.05 takes 72 and 0.02 takes 183.
    alpha : float
        Intervals have the level 1 - alpha. They follow from the lowest and the highest value of the measure
        or share, as in `compare`, that of a difference included: a run just at the limit is passed in at most
        alpha / 2 of cases. On a side without such a bound they are Student's, and there is none where all
        values are equal; of a measure of the whole run that of its value is the BCa bootstrap's.
    unit : str, optional
        For data with keys, the key whose values are independent of each other, by default the outermost one.
        Intervals are then those of the nested means of these units.
    by : str, optional
        For data with keys, a key: the lists of each of its values (each country, for example) must pass by
        themselves, so that no failure hides in the mean. This needs no correction: the whole passes only if
        every one does. Units are then those of the next key. A value with too few of them to show the limit
        has the number that it takes.

    Returns
    -------
    Gate
        `passed` is the result, `checks` has the conditions.

    Raises
    ------
    ParameterError
        For a condition that is not understood, or that needs a baseline.
    InputError
        For data that cannot be read, and for a single topic.

    Examples
    --------
    >>> qrels = {str(topic): {"a": 1} for topic in range(12)}
    >>> old = {topic: ["a"] for topic in qrels}
    >>> new = {topic: ["x", "a"] if int(topic) > 1 else ["a"] for topic in qrels}
    >>> gate = check(["RR worsens 0.1", "passages > 10"], qrels, new, baseline=old)
    >>> gate
    2 conditions: 1 passed, 1 failed, 0 undecided; 12 topics, 95 % intervals,
      require='observed'
    failed     RR worsens 0.1: 1.0000 -> 0.5833, difference -0.4167 [-0.5873,
               -0.0310], 12 topics
    passed     passages > 10: 1.8333 [1.3104, 2.0807], 12 topics
    """
    texts = [conditions] if isinstance(conditions, str) else several("conditions", conditions, "texts")
    parsed, measures = read_conditions(texts, baseline)
    named = {"the run": run} if baseline is None else {"the run": run, "the baseline": baseline}
    with noted() as notes:  # of both, by one evaluator
        scored = dict(score_each(Evaluator(measures or _UNREAD, qrels, **options), named, alike=True))
    return gate_of(parsed, *scored.values(), require=require, alpha=alpha, unit=unit, by=by, notes=notes)


def read_conditions(texts: Iterable[str], baseline: Any) -> tuple[list[Condition], list[Measure]]:
    """Conditions from their texts, and their measures; ParameterError where one needs a baseline."""
    parsed = [read_condition(words) for words in texts]
    if not parsed:
        raise ParameterError("No condition is given; 'RBPT worsens 0.02', for example.")
    for each in (printable(condition.text) for condition in parsed if condition.of_change):
        if baseline is None:
            raise ParameterError(f"condition {each!r} compares with a baseline, which is not given.")
    return parsed, [condition.measure for condition in parsed if condition.measure is not None]


@checked
def gate_of(
    parsed: Sequence[Condition],
    now: Results,
    before: Results | None = None,
    *,
    require: Annotated[Require, Choice("what decides on a condition")] = "observed",
    alpha: Alpha = 0.05,
    unit: str | None = None,
    by: str | None = None,
    notes: Iterable[str] = (),
) -> Gate:
    """The verdicts on conditions, from the scores of the run and of its baseline."""
    for name, results in zip(("the run", "the baseline"), filter(None, (now, before))):
        results.refuse_unequal(name)
    if before is not None and before.topics != now.topics:
        raise InputError(f"the run and the baseline {OTHER_TOPICS}")
    keys, parts = now.universe.keys, {"": (now, before)}
    if by is not None:
        segments, _ = now.segments(by), now.counts(unit)  # which refuse what is no key
        if by == (unit := unit or (keys[1] if keys[:1] == (by,) else None)) or keys[-1:] == (by,):
            raise ParameterError(f"segments by {shown(by)}: each needs several values of another, inner key.")
        parts = {name: (now.over(of), before and before.over(of)) for name, of in segments.items()}
    unit_name, units, labelled = now.counts(unit)
    if units < 2:
        raise InputError(f"there is {counted(units, unit_name)}: a gate needs two, and better {FEW_UNITS}.")
    each_part = product(parsed, parts.items())
    checks = [_check(of, *part, unit, require, alpha, segment) for of, (segment, part) in each_part]
    about = len(now.topics), unit_name, units, 1 - alpha, require, labelled, int(now.nil.sum())
    return Gate(tuple(checks), *about, tuple(notes))


def _check(
    condition: Condition,
    now: Results,
    before: Results | None,
    unit: str | None,
    require: Require,
    alpha: float,
    segment: str,
) -> Check:
    new = decides = _estimate(condition, now, unit)
    earlier = change = np.nan
    if condition.of_change and before is not None:
        old = _estimate(condition, before, unit)
        decides = new - old
        earlier, change = float(old.mean), float(decides.mean)
    bounds, (lowest, highest) = decides.interval(alpha), decides.range
    # The end of the range that is worse, and what no topic can be better than: here that nothing changed.
    worst, best, end = (lowest, highest, 0) if condition.below else (highest, lowest, 1)
    needed = fewest(0.0 if condition.of_change else best, worst, condition.limit, alpha)
    observed, shown = condition.met(np.array([decides.mean, bounds[end]])).tolist()
    unknown = "there is nothing that it is a share of" if np.isnan(decides.mean) else ""
    if not unknown and np.isnan(bounds[end]):
        unknown = "all values are equal and have no bound: no interval follows from them"
    fails = observed if require == "observed" else shown or unknown
    verdict: Verdict = "failed" if fails else "passed"
    if np.isnan(decides.mean) and require == "observed":
        verdict = "undecided"
    few = decides.n < needed < np.inf and (segment or require == "shown") and not observed
    low, high = bounds.tolist()
    numbers = earlier, float(new.mean), change, low, high
    return Check(condition.text, verdict, *numbers, decides.n, int(needed) if few else 0, unknown, segment)
