"""Measures as they are declared, and with values for their parameters: scores, curves, influence values.

The score of a topic under a measure of scope 'list' depends on no other topic: over some topics the measure
is the mean of their scores. A measure of scope 'run' is computed anew for every set of topics. For tests each
topic has an influence value instead of its score: the values of different topics are independent to first
order, and their mean is the measure.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ir_trunc._core.arrays import Bools, Floats
from ir_trunc._core.errors import ParameterError, nearest, shown
from ir_trunc._core.lazy import cached_property, pattern
from ir_trunc._core.parameters import written_arguments
from ir_trunc.measures.lists import Depths, Lists
from ir_trunc.measures.params import Param

if TYPE_CHECKING:
    from ir_trunc._core.curve import Curve
    from ir_trunc._core.rankings import Rankings

Formula = Callable[..., Floats]
OfMeans = tuple[Callable[..., tuple[Floats, ...]], Callable[..., Floats]]
ListPart = Literal["confidence", "end", "answers"]
ListParts = tuple[ListPart, ...] | Callable[..., tuple[ListPart, ...]]
TieUnit = Literal["gains", "grades", "orders"]
Range = tuple[float, float]

CUTOFF = "cutoff"
JUDGED_ONLY = "judged_only"
UNBOUNDED = (-math.inf, math.inf)

NOT_FINITE: Any = {"over": "ignore", "invalid": "ignore"}  # `BoundMeasure.of` refuses such scores itself
_DOCUMENTS = "judgments of documents; the measure of graded answers is AnswerScore"
_STEP = 1e-7  # of a mean: central differences are then right to about 1e-9


class Declared:
    """A declaration whose docstring has a sentence, an empty line, the formula, and notes below it."""

    def _docstring(self) -> str:
        raise NotImplementedError

    @cached_property
    def _paragraphs(self) -> list[str]:
        return inspect.cleandoc(self._docstring()).split("\n\n")

    @property
    def summary(self) -> str:
        """What it is, in one sentence."""
        return self._paragraphs[0]

    @property
    def equation(self) -> str:
        """The formula, as text."""
        return "\n".join(line.strip() for part in self._paragraphs[1:2] for line in part.splitlines())

    @property
    def notes(self) -> str:
        """What happens to empty lists and nil queries, and whatever else there is to know."""
        parts = self._paragraphs[2:]
        return "\n\n".join(part if part.startswith(" ") else " ".join(part.split()) for part in parts)


ADDRESS = pattern(r", (https?://[^ ,;]+)")
"""The address in the text of a source, which has the place behind it: a section, an equation or a table."""


@dataclass(kw_only=True, eq=False, repr=False, init=False)
class Declaration:
    """What the decorator `measure` and the definition that it makes have in common; `measure` explains it."""

    source: str
    scope: Literal["list", "run"] = "list"
    aliases: tuple[str, ...] = ()
    of_means: OfMeans | None = None
    influence: Formula | None = None
    at: str = CUTOFF
    lower_is_better: bool = False
    reads: ListParts = ()
    scale_free: Callable[..., bool] | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class Definition(Declaration, Declared):
    """A measure as it is declared: a formula over `Lists`, its parameters, and the range of its values.

    The parameters are those of `measure`, except for these.

    Parameters
    ----------
    declared : function
        Returns the parameters and the formula. They are read at their first use: few measures are used.
    bounds : tuple of two floats, or function
        The `range` of `measure`.

    Examples
    --------
    >>> from ir_trunc.measures import lookup
    >>> lookup("RBPT").signature
    "RBPT(p=0.8, rel, max_rel, tail=True, gain='linear', terminal='least', norm='ideal')[@k]"
    >>> lookup("PT").equation
    '(sum_{i <= k} r_i + [n < k] r_t) / k'
    """

    name: str
    declared: Callable[[], tuple[Mapping[str, Param], Formula]]
    bounds: Range | Callable[..., Range]
    ties: TieUnit

    @cached_property
    def params(self) -> Mapping[str, Param]:
        """Its parameters by name; 'cutoff' is the k of `@k`."""
        return self._declared[0]

    @cached_property
    def formula(self) -> Formula:
        """From `Lists` and values of the parameters to a value for each point of the lists."""
        return self._declared[1]

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        return {name: param.default for name, param in self.params.items()}

    @cached_property
    def _declared(self) -> tuple[Mapping[str, Param], Formula]:
        return self.declared()

    def _docstring(self) -> str:
        return self.formula.__doc__ or f"{self.name}.\n\nnot known under python -OO"

    @property
    def range(self) -> Range:
        """The lowest and the highest value with the default parameters."""
        return self.range_with(self._defaults)

    def range_with(self, params: Mapping[str, Any]) -> Range:
        """The lowest and the highest value with these parameters."""
        return self.bounds(**params) if callable(self.bounds) else self.bounds

    @property
    def signature(self) -> str:
        """The measure as it is written, with its parameters and their defaults."""
        hidden = self.at, JUDGED_ONLY  # which every measure of lists has
        inside = written_arguments(param for name, param in self.params.items() if name not in hidden)
        sign = "@k" if self.at == CUTOFF else f"@{self.at}"
        if self.at not in self.params:
            sign = ""
        elif not self.params[self.at].required:
            sign = f"[{sign}]"
        return f"{self.name}{inside}{sign}"

    def describe(self) -> str:
        """All there is to know about the measure, as text."""
        low, high = (f"{bound:g}".replace("inf", "infinity") for bound in self.range)
        lines = [self.summary, "", *(f"    {line}" for line in self.equation.splitlines()), ""]
        lines += [self.notes, ""] if self.notes else []
        for param in self.params.values():
            default = "not set" if param.default is None else f"default {param.default!r}"
            default = "required" if param.required else default
            lines.append(f"{param.name}: {param.kind.meaning}; {param.kind.allowed} ({default})")
        better = ", lower is better" if self.lower_is_better else ""
        lines += ["", f"range: {low} to {high}{better}", f"source: {self.source}"]
        if self.aliases:
            lines.append(f"also called: {', '.join(self.aliases)}")
        return "\n".join(lines)

    def bind(self, params: Mapping[str, Any]) -> BoundMeasure:
        """The measure with values for its parameters.

        Parameters
        ----------
        params : mapping of str to value
            Parameters that are left out, or None, have their defaults. The key 'cutoff' is the k of `@k`.

        Returns
        -------
        BoundMeasure

        Raises
        ------
        ParameterError
            If a parameter is unknown or missing, or its value is not allowed.

        Examples
        --------
        >>> from ir_trunc.measures import lookup
        >>> lookup("RBPT").bind({"p": 0.5, "cutoff": 10}).cutoff
        10
        """
        return self.of_clean(
            {name: self.clean(name, value) for name, value in params.items() if value is not None}
        )

    def of_clean(self, params: Mapping[str, Any]) -> BoundMeasure:
        """The measure with values that `clean` has returned; ParameterError where one is missing."""
        values = {**self._defaults, **params}
        for name, param in self.params.items():
            if param.required and values[name] is None:
                raise ParameterError(f"{self.name} needs a {name}: write {self.name}@10, for example.")
        cutoff, judged_only = values.pop(CUTOFF, None), values.pop(JUDGED_ONLY, False)
        return BoundMeasure(self, values, cutoff, judged_only)

    def clean(self, name: str, value: Any) -> Any:
        """A parameter's value as a plain Python object; ParameterError where it is unknown or not allowed."""
        if name not in self.params:
            known = ", ".join(self.params) or "none"
            raise ParameterError(
                f"{self.name} has no parameter {name!r}; it has: {known}.{nearest(name, self.params)}"
            )
        try:
            return self.params[name].kind.clean(name, value)
        except ParameterError as error:
            raise type(error)(f"{self.name}: {error}") from None


class BoundMeasure:
    """A measure with values for its parameters: what can be computed.

    `Definition.bind` makes it.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import lookup
    >>> rankings = Rankings.from_lists([[1, None, 1], []], judged=[[1, 1, 1], []])
    >>> lookup("APT").bind({}).score(rankings).round(3)
    array([0.528, 1.   ])
    """

    def __init__(
        self,
        definition: Definition,
        params: Mapping[str, Any],
        cutoff: int | None = None,
        judged_only: bool = False,
    ):
        self.definition, self.params, self.cutoff, self.judged_only = definition, params, cutoff, judged_only

    def with_params(self, **changed: Any) -> BoundMeasure:
        """The measure with these values in place of its own."""
        return BoundMeasure(self.definition, {**self.params, **changed}, self.cutoff, self.judged_only)

    @property
    def range(self) -> Range:
        """The lowest and the highest value with these parameters."""
        return self.definition.range_with(self.params)

    @property
    def infers_scale(self) -> bool:
        """Whether gains depend on a top of the judgement scale that is not given."""
        free = self.definition.scale_free
        if self.params.get("max_rel") is not None or (free is not None and free(**self.params)):
            return False
        if "max_rel" not in self.params:
            return free is not None
        rel = self.definition.params.get("rel")  # by default None where it makes linear gains binary
        binary = rel is not None and rel.default is None and self.params["rel"] is not None
        return not binary and self.params.get("gain") != "binary"

    @property
    def reads(self) -> tuple[ListPart, ...]:
        """What the measure reads with these parameters: 'confidence', 'end', both or neither."""
        reads = self.definition.reads
        return reads(**self.params) if callable(reads) else reads

    def of(self, lists: Lists) -> Floats:
        """The formula's value at every point of the lists, which must have this measure's cutoff."""
        values = self._values(lists)
        if lists.judgments.by_nil is not None and self.definition.scope == "list":
            # Where the document NIL is relevant, the empty list is still as right as where nothing is.
            silent, topic = lists.silence
            values[silent] = self._values(lists.nothing)[topic]
        return values

    def _values(self, lists: Lists) -> Floats:
        """ParameterError where gains or costs are so large that a score is not a finite number."""
        of_answers = "answers" in self.reads
        if of_answers is (lists.rankings.answers is None):
            needs = "graded answers, as read_depths reads them" if of_answers else _DOCUMENTS
            raise ParameterError(f"{self.definition.name} needs {needs}.")
        result = self.definition.formula(lists, **self.params)
        if not isinstance(result, np.ndarray) or result.shape != lists.n.shape:
            needed = "an array with a value for every point of the lists"
            what = f"{self.definition.name} returns {shown(result)}: {needed}"
            raise ParameterError(f"{what}, as lists.sum(...) and lists.n are, is needed.")
        values: Floats = result + 0.0  # -0.0 becomes 0.0
        if not of_answers and not np.logical_and.reduce(np.isfinite(values)):
            given = ", ".join(f"{name}={value!r}" for name, value in self.params.items() if value is not None)
            what = f"{self.definition.name}({given}): not every score is a finite number"
            remedy = "smaller gains, costs or parameters are needed"
            if np.isnan(values[lists.n == 0]).any():
                remedy = "over(a, b) of ir_trunc.measures.parts divides, and allows 0 / 0 of the empty list"
            raise ParameterError(f"{what}; {remedy}.")
        return values

    def score(self, rankings: Rankings) -> Floats:
        """The score of every list (Q), in the order of the topics."""
        return all_scores([self], rankings)[0]

    def curve(self, rankings: Rankings) -> Curve:
        """The score at every depth of every list, to its end or to the cutoff.

        Where a measure looks at all lists of a run, one list at a time is cut and the others stay as they
        are.
        """
        return all_curves([self], rankings)[0]


def all_scores(measures: Iterable[BoundMeasure], rankings: Rankings) -> list[Floats]:
    """The scores of several measures; measures with the same cutoff share one view of the lists.

    Parameters
    ----------
    measures : iterable of BoundMeasure
        As `Definition.bind` makes them.
    rankings : Rankings
        The ranked lists, with their judgments (Q topics).

    Returns
    -------
    list of array of float64
        Q scores for each measure, in the order of the topics.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import lookup, scores
    >>> rankings = Rankings.from_lists([[1, 0], []])
    >>> scores([lookup("SetP").bind({}), lookup("RRT").bind({})], rankings)
    [array([0.5, 0. ]), array([1., 1.])]
    """
    longest = int(rankings.lengths.max(initial=0))
    views: dict[tuple[int | None, bool], Lists] = {}
    values = []
    with np.errstate(**NOT_FINITE):
        for measure in measures:
            cutoff = measure.cutoff
            depth = None if cutoff is None or cutoff >= longest else cutoff
            view = depth, measure.judged_only
            if view not in views:
                views[view] = Lists(rankings, *view)
            values.append(measure.of(views[view] if depth == cutoff else views[view].with_cutoff(cutoff)))
    return values


def all_curves(measures: Iterable[BoundMeasure], rankings: Rankings) -> list[Curve]:
    """The curves of several measures; measures with the same cutoff share one view of the lists.

    Parameters
    ----------
    measures : iterable of BoundMeasure
        As `Definition.bind` makes them.
    rankings : Rankings
        The ranked lists, with their judgments.

    Returns
    -------
    list of Curve
        One for each measure.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import curves, lookup
    >>> (curve,) = curves([lookup("SetP").bind({})], Rankings.from_lists([[1, 0]]))
    >>> curve.values
    array([0. , 1. , 0.5])
    """
    from ir_trunc._core.curve import Curve  # with all that lists need, which declarations do not

    view = cache(partial(Depths, rankings))
    curves = []
    with np.errstate(**NOT_FINITE):
        for measure in measures:
            lists = view(measure.cutoff, measure.judged_only)
            values, is_loss = measure.of(lists), measure.definition.lower_is_better
            curves.append(Curve(rankings.topics, np.append(0, lists.ends), values, is_loss))
    return curves


class RunScores:
    """One run's lists under one measure of scope 'run'."""

    def __init__(self, measure: BoundMeasure, rankings: Rankings, weights: Floats | None = None):
        self.measure, self._weights = measure, weights
        self.rankings = rankings if measure.cutoff is None else rankings.cut(measure.cutoff)
        self._lists = Lists(self.rankings, measure.cutoff)

    @cached_property
    def parts(self) -> Floats:
        """What the measure follows from by means, for every topic (parts x T), see `parts_of`."""
        parts: Floats = np.array(parts_of(self.measure, self._lists))
        return parts if self._weights is None else parts * self._weights

    def over(self, sets: Bools) -> Floats:
        """The measure over each of R sets of topics (R x T): R values."""
        if self.measure.definition.of_means is not None:
            means = [(sets * part).sum(axis=1) / sets.sum(axis=1) for part in self.parts]
            return value_from_means(self.measure, np.array(means))
        return np.array([self.measure.score(self.rankings.take(np.flatnonzero(one))).mean() for one in sets])

    def influence(self) -> Floats:
        """The influence value of every topic (T); ParameterError where the measure does not declare any."""
        definition = self.measure.definition
        if definition.influence is not None and self._weights is None:
            return definition.influence(self._lists, **self.measure.params)
        if definition.of_means is None:
            raise ParameterError(
                f"{definition.name} looks at all lists of a run: its values by topic depend on each other,"
                " and a test over topics may not take them. Declare of_means= or influence= with the measure"
                " (see ir_trunc.measure)."
            )
        means: Floats = self.parts.mean(axis=1)
        steps = _STEP * np.eye(len(means))
        up, down = (value_from_means(self.measure, means[:, None] + step) for step in (steps, -steps))
        slopes = (up - down) / (2 * _STEP)
        changes: Floats = (slopes[:, None] * (self.parts - means[:, None])).sum(axis=0)
        return value_from_means(self.measure, means) + changes

    def take(self, topics: list[int]) -> RunScores:
        """The run's lists for some of the topics, by their positions."""
        return RunScores(self.measure, self.rankings.take(topics))


def parts_of(measure: BoundMeasure, lists: Lists) -> tuple[Floats, ...]:
    """Values at the points of the lists from whose means over queries the measure follows, see `measure`."""
    definition = measure.definition
    if definition.scope == "list":
        with np.errstate(**NOT_FINITE):
            return (measure.of(lists),)
    if definition.of_means is None:
        raise ParameterError(
            f"{definition.name} looks at all lists of a run, and no policy can be fitted to it: it does not"
            " declare how it follows from means over topics (of_means= of ir_trunc.measure)."
        )
    return definition.of_means[0](lists, **measure.params)


def value_from_means(measure: BoundMeasure, means: Floats) -> Floats:
    """The measure from the means of its parts (parts x ...)."""
    of_means = measure.definition.of_means
    return means[0] if of_means is None else np.asarray(of_means[1](*means, **measure.params))


def influence(measure: BoundMeasure, rankings: Rankings, weights: Floats | None = None) -> Floats:
    """For every topic (T) a value that a paired test may take; their mean is the measure, weighted or not."""
    if measure.definition.scope == "run":
        return RunScores(measure, rankings, weights).influence()
    return measure.score(rankings) if weights is None else measure.score(rankings) * weights + 0.0
