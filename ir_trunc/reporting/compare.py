"""`compare`: scores several runs and tests their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from scipy import stats

from ir_trunc._core.errors import InputError, ParameterError, nearest, noted, shown
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.parameters import flag, number, one_of, text, whole
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.measures.definition import influence
from ir_trunc.meta.power import (
    FOR_ALL_PAIRS,
    PAIR_TESTS,
    Correction,
    Setting,
    corrected,
    named_test,
    not_worse,
    paired_tests,
)
from ir_trunc.reporting.comparison import OF_PAIRS, Comparison
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike, bind, parse_measure
from ir_trunc.scoring.results import Results
from ir_trunc.scoring.runs import RunsLike, by_name, score_each
from ir_trunc.scoring.statistics import PairTest


@dataclass(frozen=True)
class Plan:
    """What is to be tested, and how."""

    test: PairTest
    correction: Correction | None
    margins: Mapping[str, float]
    setting: Setting

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        baseline: str | None,
        test: Any,
        correction: Any,
        alpha: Any,
        margin: Any,
        measures: Sequence[Measure],
        repetitions: Any,
        seed: Any,
    ) -> Plan:
        """The arguments of `compare`, checked."""
        named: PairTest = named_test(test, PAIR_TESTS)
        if baseline is None:
            first, second = np.triu_indices(len(systems), k=1)
        else:
            first = np.flatnonzero(np.array(systems, dtype=object) != baseline)
            second = np.full(len(first), systems.index(baseline))
        level, draws = number("alpha", alpha, 0, 1, inside=True), whole("repetitions", repetitions, 1)
        setting = Setting(first, second, level, draws, whole("seed", seed, 0))
        return cls(named, _correction(correction, named), _margins(margin, measures, baseline), setting)

    def tested(
        self, paired: Mapping[str, Floats], untested: Mapping[str, str]
    ) -> tuple[dict[str, Floats], int]:
        """What the tests say (M x P each; NaN where nothing is tested), and how many draws there were."""
        P, draws = len(self.setting.first), 0
        found = {name: np.full((len(paired), P), np.nan) for name in OF_PAIRS}
        for row, (measure, scores) in enumerate(paired.items()):
            if measure in untested or not P:
                continue
            pairs = paired_tests(scores, self.test, self.setting)
            draws = pairs.draws
            difference = self.setting.differences(scores).mean(axis=1)
            p = corrected(pairs.p, self.correction)
            values = [p, difference, pairs.low, pairs.high, pairs.effect]
            if measure in self.margins:
                both = not_worse(scores, self.setting, self.margins[measure])
                values += [corrected(one, self.correction) for one in both]
            for name, value in zip(OF_PAIRS, values):
                found[name][row] = value
        return found, draws


def _correction(value: Any, test: PairTest) -> Correction | None:
    found = None if value is None else one_of("correction", value, ("auto", "holm", "bh"))
    if test in FOR_ALL_PAIRS:
        if found in ("holm", "bh"):
            raise ParameterError(f"correction={found!r}: {test} allows for all pairs itself; leave it out.")
        return None
    return None if found is None else "bh" if found == "bh" else "holm"


def _margins(margin: Any, measures: Sequence[Measure], baseline: str | None) -> dict[str, float]:
    if margin is None:
        return {}
    if baseline is None:
        raise ParameterError("margin says what is not worse than the baseline: baseline= is needed with it.")
    if not isinstance(margin, Mapping):
        above = number("margin", margin, 0, inside=True)
        given = {str(measure): above for measure in measures}
    else:
        given = {
            str(parse_measure(name)): number(f"margin of {name}", value, 0, inside=True)
            for name, value in margin.items()
        }
    for name in given:
        if lower_is_better(name):
            raise ParameterError(
                f"margin: {name} counts losses, lower is better: name the others in {{measure: number}}."
            )
        if name not in (known := [str(measure) for measure in measures]):
            raise ParameterError(
                f"margin: {name} is not among the measures, {', '.join(known)}.{nearest(name, known)}"
            )
    return given


def baseline_of(given: Any, systems: Sequence[str]) -> str:
    """The run that has this name, or that was read from this file, whose ending may be left out.

    Raises InputError where there is none, or where there are several.
    """
    name = text("baseline", given)
    if name in systems:
        return name
    file = Path(name).name.removesuffix(".gz")
    near = [system for system in systems if file in (Path(system).name, Path(system).stem)]
    if len(near) == 1:
        return near[0]
    several = f" Several are called so: {', '.join(near)}." if near else nearest(name, systems)
    some = ", ".join(systems[:10]) + ", ..." * (len(systems) > 10)
    raise InputError(f"baseline={shown(given)} is not one of the runs: {some}.{several}")


_NAMED = 5  # systems with empty lists that a note names


@keywords_of(Evaluator)
def compare(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: Correction | Literal["auto"] | None = "auto",
    alpha: float = 0.05,
    intervals: bool = False,
    margin: float | Mapping[Any, float] | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    **options: Unpack[Options],
) -> Comparison:
    """Score several runs, and test which of their differences are significant.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, which are then named by their files.
    baseline : str, optional
        The run that all others are compared with. Without one, all pairs of runs are compared.
    test : str
        't' (paired, two-tailed), 'bootstrap', 'randomization' (paired, too), 'tukey' or 'randomized-tukey'
        (Tukey's honestly significant differences over all runs). `ir_trunc.meta.power` has the formulas.
    correction : str, optional
        For the number of comparisons under one measure: 'holm', 'bh' (Benjamini-Hochberg) or None. The
        default 'auto' is Holm, and None for Tukey's tests, which allow for all pairs by themselves.
    alpha : float
        The level of significance. Confidence intervals have the level 1 - alpha.
    intervals : bool
        Whether the table has confidence intervals: of the differences to the baseline, or of the means where
        there is no baseline. `Comparison.pairs` always has those of the differences.
    margin : float or dict, optional
        With a baseline: how much worse (> 0, in units of the measure) a run may be and still count as not
        worse; one number, or `{measure: number}`. Adds p values of non-inferiority and of equivalence.
    repetitions, seed : int
        Of the tests that draw.

    Returns
    -------
    Comparison
        It prints as a table. `to_pandas()` is the DataFrame of means, `by_topic()` the scores by topic,
        `by_view()` the means over all, answerable and nil queries, `pairs()` the differences with intervals,
        p values and effect sizes; `to_latex()` and `to_html()` are tables for a paper and for a page.

    Raises
    ------
    InputError
        Where there is no run, where Rankings have different topics, or no run has the baseline's name.
    ParameterError
        For an unknown test or correction, or a number out of its range.

    Notes
    -----
    A measure of the whole run, `c@1` for example, is tested by its influence values. A measure that has none,
    a count, or a measure whose scores are not all finite is shown without a test, and the table says why.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1, "d": 1}}
    >>> runs = {
    ...     "bm25": {"q1": ["x", "a"], "q2": ["b"], "q3": ["x", "c", "d"]},
    ...     "new": {"q1": ["a"], "q2": ["b"], "q3": ["c", "d"]},
    ... }
    >>> print(compare("RR AP", qrels, runs, baseline="bm25"))
    Mean scores of 2 systems (baseline: bm25) over 3 topics
    <BLANKLINE>
                RR       AP
    system
    bm25    0.6667   0.6944
    new     1.0000*  1.0000*
    <BLANKLINE>
    * the highest mean of a measure.
    Significance, for each measure: paired t test, corrected for 1 comparison by
      Holm, p < 0.05.
    <BLANKLINE>
                    difference     low   high      p  effect
    measure system
    RR      new         0.3333 -0.3838 1.0504 0.1835  1.1547
    AP      new         0.3056 -0.3599 0.9710 0.1869  1.1406
    """
    ready = Evaluator(measures, qrels, **options)
    asked, named = ready.measures, by_name(runs)
    systems, names = tuple(named), [str(measure) for measure in asked]
    against = None if baseline is None else baseline_of(baseline, systems)
    plan = Plan.of(systems, against, test, correction, alpha, margin, asked, repetitions, seed)
    show = flag("intervals", intervals)
    with noted() as notes:
        scored = [_Scored.of(results) for _, results in score_each(ready, named)]
    for system, one in zip(systems, scored):
        if one.topics != scored[0].topics:
            raise InputError(f"runs {systems[0]!r} and {system!r} have different topics: they need the same.")
    paired = np.stack([one.paired for one in scored], axis=1)
    reasons = zip(names, *(one.untested for one in scored))
    untested = {name: next(filter(None, why)) for name, *why in reasons if any(why)}
    results, draws = plan.tested(dict(zip(names, paired)), untested)
    half = stats.t.ppf(1 - plan.setting.alpha / 2, paired.shape[2] - 1) * stats.sem(paired, axis=2)
    return Comparison(
        measures=tuple(names),
        systems=systems,
        topics=scored[0].topics,
        nil=scored[0].nil,
        values=np.stack([one.values for one in scored], axis=1),
        views=np.stack([one.views for one in scored], axis=2),
        compared=tuple((systems[i], systems[j]) for i, j in zip(plan.setting.first, plan.setting.second)),
        **results,
        mean_low=paired.mean(axis=2) - half,
        mean_high=paired.mean(axis=2) + half,
        untested=untested,
        baseline=against,
        test=plan.test,
        correction=plan.correction,
        alpha=plan.setting.alpha,
        draws=draws,
        seed=plan.setting.seed,
        margins=plan.margins,
        intervals=show,
        notes=(*notes, *_of_empty_lists(dict(zip(systems, scored)))),
    )


@dataclass(frozen=True)
class _Scored:
    """What is kept of one run: values and what a paired test may take (M x T), means by view (3 x M)."""

    topics: tuple[str, ...]
    nil: Bools
    empty: int
    values: Floats
    paired: Floats
    views: Floats
    untested: list[str]

    @classmethod
    def of(cls, results: Results) -> _Scored:
        paired, untested = results.values.copy(), []
        for row, measure in enumerate(results.measures):
            reason = _untestable(measure, results.values[row])
            bound = bind(measure)
            if not reason and bound is not None:
                try:
                    paired[row] = influence(bound, results.rankings)
                except ParameterError as error:  # the measure does not declare how
                    reason = str(error)
            if reason:
                paired[row] = np.nan
            untested.append(reason)
        empty = int((results.rankings.lengths == 0).sum())
        return cls(results.topics, results.nil, empty, results.values, paired, _views(results), untested)


def _untestable(measure: Measure, values: Floats) -> str:
    """Why no paired test applies to a measure; "" where one does."""
    if len(values) < 2:
        return f"there {'is 1 topic' if len(values) else 'is not one topic'}, and a test needs two."
    if not isinstance(measure.aggregator(), MeanAgg):
        return "it is added up over topics."
    return "" if np.isfinite(values).all() else "not every score is a finite number."


def _views(results: Results) -> Floats:
    """Means over all topics, over those with answers and over nil queries (3 x M); NaN over none."""
    found = np.full((3, len(results.measures)), np.nan)
    for row, keep in enumerate((np.ones(len(results.nil), bool), ~results.nil, results.nil)):
        if keep.any():
            part = results if keep.all() else results.over(keep)
            found[row] = list(part.aggregated.values())
    return found


def _of_empty_lists(scored: Mapping[str, _Scored]) -> list[str]:
    """A note on the systems that returned nothing for some topics."""
    found = {name: one.empty for name, one in scored.items() if one.empty}
    if not found:
        return []
    said = ", ".join(f"{name} {count}" for name, count in list(found.items())[:_NAMED])
    more = f" and {len(found) - _NAMED} more systems" if len(found) > _NAMED else ""
    return [f"Empty lists, which are scored as such: {said}{more}."]
