"""`compare`: scores several runs and tests their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from scipy import stats

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, ParameterError, counted, nearest, noted, shown
from ir_trunc._core.parameters import Alpha, Flag, Repetitions, Seed, Whole, checked, number, one_of, text
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings
from ir_trunc._inference.bootstrap import bootstrap_bounds
from ir_trunc._inference.p_values import Correction, PairTest, corrected
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._reporting.comparison import MEANS, P_VALUES, TESTED, Comparison
from ir_trunc._scoring._runs import RunsLike, by_name, score_each
from ir_trunc._scoring._statistics import bounds_of_means, interval_of_equals, p_of_equals
from ir_trunc._scoring.evaluator import Evaluator, ScoringOptions
from ir_trunc._scoring.judged import JudgedResults, corrected_together, refuse_unjudged
from ir_trunc._scoring.objects import MeasureLike, bind, parse_measure, range_of
from ir_trunc._scoring.results import Results
from ir_trunc.measures.declaration import lower_is_better, oriented
from ir_trunc.measures.definition import BoundMeasure, RunScores, influence, value_from_means
from ir_trunc.meta.significance import FOR_ALL_PAIRS, TESTS, Setting, named_test, not_worse, paired_tests

__all__ = ["compare"]

OTHER_TOPICS = "have different topics: they need the same (leave out missing=, which excludes topics)."
_DRAWS = 2000  # of topics, for intervals of measures of the whole run
_NAMED = 5  # systems with empty lists that a note names


@checked
def compare(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: Correction | Literal["auto"] | None = "auto",
    alpha: Alpha = 0.05,
    intervals: Annotated[bool, Flag("whether the table has confidence intervals")] = False,
    margin: float | Mapping[Any, float] | None = None,
    unit: str | None = None,
    repetitions: Repetitions = 10_000,
    seed: Seed = 0,
    jobs: Annotated[int, Whole("how many runs are scored at a time", 1)] = 1,
    **options: Unpack[ScoringOptions],
) -> Comparison:
    """Score several runs, and test which of their differences are significant.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld, ties, depth
        As for `calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.
    baseline : str, optional
        The run that all others are compared with. Without one, all pairs of runs are compared.
    test : str
        't' (paired, two-tailed), 'bootstrap', 'randomisation', 'sign' (paired, too), 'tukey' or
        'randomised-tukey' (Tukey's honestly significant differences over all runs).
        `ir_trunc.meta.significance` has the formulas. 'sign' counts the topics on which a run has higher and
        lower scores.
    correction : str, optional
        For the number of comparisons under one measure: 'holm', 'bh' (Benjamini-Hochberg) or None. The
        default 'auto' is Holm, and None for Tukey's tests, which allow for all pairs by themselves.
    alpha : float
        The significance level. Confidence intervals have the level 1 - alpha.
    intervals : bool
        Whether the table has confidence intervals: of the differences to the baseline or, without a baseline,
        of the means. `Comparison.pairs` always has those of the differences.
    margin : float or dict, optional
        With a baseline: how much worse (> 0, in units of the measure) a run may be and still count as not
        worse; one number, or `{measure: number}`. Adds p values of non-inferiority and of equivalence.
    unit : str, optional
        For data with keys, the key whose values are independent of each other, by default the outermost one.
        Tests, intervals and random draws take the nested mean of each unit as one value, and the means of the
        table are means over these units.
    repetitions, seed : int
        Number of random draws and their seed, for tests that draw.
    jobs : int
        How many runs are scored at a time, each by a thread. The scores are the same.

    Returns
    -------
    Comparison
        It prints as a table. `to_pandas()` is the DataFrame of means, `by_topic()` the scores by topic,
        `by_view()` the means over all, answerable and nil queries, `pairs()` the differences with intervals,
        p values and effect sizes; `to_latex()` and `to_html()` are tables for a paper and for a page.

    Raises
    ------
    InputError
        If there is no run, if Rankings have different topics, or if no run has the baseline's name.
    ParameterError
        For an unknown test or correction, or a number out of its range.

    Notes
    -----
    Intervals are individual, also where p values are corrected; those of Tukey's tests are simultaneous.
    A measure of the whole run, `c@1` for example, is tested by its influence values; the interval of its mean
    is that of the bootstrap with bias correction and acceleration (BCa), which computes it anew for each of
    2,000 draws of topics. There is no test for a measure without influence values, for a count, and
    where a score is not finite; the table says why. Where all values or differences are equal, intervals and
    p values follow from the bounds of the measure, as for `check`; one without bounds has no interval then.

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
    new     1.0000+  1.0000+
    <BLANKLINE>
    + the best mean of a measure.
    Significance, for each measure: paired t test, corrected for 1 comparison by
      Holm, p < 0.05.
    3 topics are few for a test: take 10 or more.
    <BLANKLINE>
    Differences, with individual 95 % confidence intervals:
    <BLANKLINE>
                    difference     low   high      p  effect
    measure system
    RR      new         0.3333 -0.3838 1.0504 0.1835  1.1547
    AP      new         0.3056 -0.3599 0.9710 0.1869  1.1406
    """
    evaluator = Evaluator(measures, qrels, **options)
    named = by_name(runs)
    tests: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction, "alpha": alpha}
    tests |= {"margin": margin, "unit": unit, "repetitions": repetitions, "seed": seed}
    return compare_scored(evaluator, tuple(named), score_each(evaluator, named, jobs), intervals, **tests)


def compare_scored(
    evaluator: Evaluator,
    systems: Sequence[str],
    each: Iterable[tuple[str, Results]],
    intervals: bool,
    *,
    baseline: str | None,
    test: str,
    correction: str | None,
    alpha: float,
    margin: float | Mapping[Any, float] | None = None,
    unit: str | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """The comparison of runs of these names. each: their Results, which the arguments are checked before."""
    names = tuple(str(measure) for measure in evaluator.measures)
    reference = None if baseline is None else _baseline(baseline, systems)
    setting = _setting(systems, reference, alpha, repetitions, seed)
    pair_test: PairTest = named_test(test, TESTS)
    adjusted_by = _correction(correction, pair_test)
    margins = _margins(margin, evaluator.measures, reference)
    if intervals and reference is not None and pair_test == "sign":
        raise ParameterError("test='sign' has no intervals of the differences: leave out intervals=.")
    if evaluator.labels is not None and pair_test != "t":
        raise ParameterError(f"test={test!r}: with Judged, differences are tested by 't'.")
    with noted() as notes:
        bootstraps, scored = intervals and reference is None, []
        for name, results in each:
            refuse_unjudged(name, results)
            scored.append(_ScoredRun.of(results, unit, pair_test, setting, bootstraps))
            if scored[-1].topics != scored[0].topics:
                raise InputError(f"runs {systems[0]!r} and {name!r} {OTHER_TOPICS}")
    of_scores, of_weights = _tested(names, scored, pair_test, setting, adjusted_by, margins)
    return Comparison(
        measures=names,
        systems=tuple(systems),
        compared=tuple((systems[i], systems[j]) for i, j in zip(setting.first, setting.second)),
        **of_scores,
        baseline=reference,
        test=pair_test,
        correction=adjusted_by,
        alpha=alpha,
        seed=seed,
        margins=margins,
        intervals=intervals,
        notes=(*filter(None, [evaluator.cut_note]), *notes, *of_weights, *_empty_lists(systems, scored)),
    )


def _tested(
    measures: Sequence[str],
    scored: Sequence[_ScoredRun],
    test: PairTest,
    setting: Setting,
    correction: Correction | None,
    margins: Mapping[str, float],
) -> tuple[dict[str, Any], list[str]]:
    """The fields of a comparison that follow from scores, and notes on equal differences and on a judge."""
    first, labelled = scored[0], scored[0].labelled
    paired, values = (np.stack(each, axis=1) for each in zip(*((run.paired, run.values) for run in scored)))
    means = dict(zip(MEANS, np.stack([run.means for run in scored], axis=-1)))
    tested = {name: np.full((len(measures), len(setting.first)), np.nan) for name in TESTED}
    fields: dict[str, Any] = {"topics": first.topics, "unit": first.unit, "nil": first.nil, "values": values}
    fields |= {"means": means, "tested": tested, "units": paired.shape[2], "labelled": 0, "draws": 0}
    untested, weights, equal = {}, [], []
    for row, (name, scores) in enumerate(zip(measures, paired)):
        of_pairs: dict[str, Floats] = {}
        if reasons := [run.untested[row] for run in scored if run.untested[row]]:
            untested[name] = reasons[0]
        elif labelled is not None:
            of_pairs, corrected_means, weight = _corrected_pairs(
                name, scores, labelled, setting, margins.get(name)
            )
            means["all"][row], means["low"][row], means["high"][row] = corrected_means
            weights.append(f"{name} {weight:.2f}")
        elif len(setting.first):
            of_pairs, fields["draws"], by_bounds = _test_pairs(name, scores, test, setting, margins.get(name))
            equal += [name] * by_bounds
        for column, of_column in of_pairs.items():
            tested[column][row] = corrected(of_column, correction) if column in P_VALUES else of_column
    fields["untested"] = untested
    if labelled is None:
        what = f"All differences of a pair are equal under {', '.join(equal)}"
        rest = "where it has none, there is no interval, and p is 1"
        return fields, [f"{what}: interval and p follow from the bounds of the measure; {rest}."] * bool(
            equal
        )
    return fields | {"units": len(labelled), "labelled": int(labelled.sum())}, [
        f"Weight of the judge's scores in corrected means: {', '.join(weights)}.",
        "Scores by topic are by people's labels where there are some, else by the judge's.",
    ]


def _setting(
    systems: Sequence[str], baseline: str | None, alpha: float, repetitions: int, seed: int
) -> Setting:
    """All pairs of the systems, or each other system and the baseline."""
    pairs = np.triu_indices(len(systems), k=1)
    if baseline is not None:
        others = np.flatnonzero(np.array(systems, dtype=object) != baseline)
        pairs = others, np.full(len(others), systems.index(baseline))
    return Setting(*pairs, alpha, repetitions, seed)


def _empty_lists(systems: Sequence[str], scored: Sequence[_ScoredRun]) -> Iterator[str]:
    """A note that counts the empty lists of each system that has any."""
    if empty := [f"{name} {run.empty}" for name, run in zip(systems, scored) if run.empty]:
        more = f" and {len(empty) - _NAMED} more systems" if len(empty) > _NAMED else ""
        yield f"Empty lists, which are scored as such: {', '.join(empty[:_NAMED])}{more}."


def _baseline(name: Any, systems: Sequence[str]) -> str:
    """The run that has this name, or that was read from this file; the ending of its name may be left out."""
    wanted = text("baseline", name)
    if wanted in systems:
        return wanted
    file = Path(wanted).name.removesuffix(".gz")
    near = [system for system in systems if file in (Path(system).name, Path(system).stem)]
    if len(near) == 1:
        return near[0]
    several = f" Several are called so: {', '.join(near)}." if near else nearest(wanted, systems)
    names = ", ".join(systems[:10]) + ", ..." * (len(systems) > 10)
    raise InputError(f"baseline={shown(name)} is not one of the runs: {names}.{several}")


def _correction(value: Any, test: PairTest) -> Correction | None:
    correction: Any = None if value is None else one_of("correction", value, ("auto", "holm", "bh"))
    if test not in FOR_ALL_PAIRS:
        return "holm" if correction == "auto" else correction
    if correction in ("holm", "bh"):
        raise ParameterError(f"correction={correction!r}: {test} allows for all pairs itself; leave it out.")
    return None


def _margins(margin: Any, measures: Sequence[Measure], baseline: str | None) -> dict[str, float]:
    if margin is None:
        return {}
    if baseline is None:
        raise ParameterError("margin says what is not worse than the baseline: baseline= is needed with it.")
    if not isinstance(margin, Mapping):
        return dict.fromkeys(map(str, measures), number("margin", margin, 0, inside=True))
    named = {str(parse_measure(name)): (name, value) for name, value in margin.items()}
    names = [str(measure) for measure in measures]
    for name in named.keys() - names:
        known = f"{', '.join(names)}.{nearest(name, names)}"
        raise ParameterError(f"margin: {name} is not among the measures, {known}")
    return {key: number(f"margin of {name}", value, 0, inside=True) for key, (name, value) in named.items()}


def _test_pairs(
    measure: str, scores: Floats, test: PairTest, setting: Setting, margin: float | None
) -> tuple[dict[str, Floats], int, bool]:
    """The results of the tests under one measure (P each), not corrected yet, and the number of draws.

    The last value is whether all differences of a pair are equal, and its results follow from the bounds.
    """
    pairs, differences = paired_tests(scores, test, setting), setting.differences(scores)
    results = {"p": pairs.p, "difference": differences.mean(axis=1)}
    results |= {"low": pairs.low, "high": pairs.high, "effect": pairs.effect}
    results["up"], results["down"] = pairs.moved
    if margin is not None:
        of_margin = not_worse(oriented(measure, scores), setting, margin)
        results["p_not_worse"], results["p_equivalent"] = of_margin
    equal = np.ptp(differences, axis=1) <= TOLERANCE
    by_bounds = equal & (pairs.high - pairs.low <= TOLERANCE)
    for pair in np.flatnonzero(equal).tolist():
        _widen(results, pair, measure, differences[pair], setting.alpha, margin)
    return results, pairs.draws, bool(by_bounds.any())


def _widen(
    results: dict[str, Floats], pair: int, measure: str, equal: Floats, alpha: float, margin: float | None
) -> None:
    """Put in what follows from the bounds of a measure where all differences of a pair are equal."""
    (lowest, highest), value, n = range_of(parse_measure(measure)), float(equal.mean()), len(equal)
    most = highest - lowest
    if results["high"][pair] - results["low"][pair] <= TOLERANCE:
        bounds = interval_of_equals(value, n, -most, most, 1 - alpha)
        results["low"][pair], results["high"][pair] = bounds
        results["p"][pair] = p_of_equals(abs(value), n, -most)
    if margin is not None:
        better = -value if lower_is_better(measure) else value
        worse, above = (p_of_equals(of, n, -most, -margin) for of in (better, -better))
        results["p_not_worse"][pair], results["p_equivalent"][pair] = worse, max(worse, above)


def _corrected_pairs(
    measure: str, scores: Floats, labelled: Bools, setting: Setting, margin: float | None
) -> tuple[dict[str, Floats], Floats, float]:
    """The same of corrected means, with these and their bounds (3 x S), and the weight of the judge."""
    differences, systems = setting.differences(scores), len(scores)
    estimate = corrected_together(np.concatenate([scores, differences]), labelled)
    values = np.stack([estimate.mean, *estimate.bounds(1 - setting.alpha)])
    difference, low, high = values[:, systems:]
    people = differences[:, : int(labelled.sum())]
    spread = people.std(axis=1, ddof=1)

    def p_above(above: Floats) -> Floats:  # one-sided; 1 where the error is not known
        p = stats.t.sf(above / estimate.error[systems:], estimate.freedom)
        return np.asarray(np.nan_to_num(p, nan=1.0))

    results = {"p": np.minimum(2 * p_above(np.abs(difference)), 1), "difference": difference}
    results |= {"low": low, "high": high, "up": (people > 0).sum(axis=1), "down": (people < 0).sum(axis=1)}
    results["effect"] = np.divide(difference, spread, out=np.full(len(spread), np.nan), where=spread > 0)
    if margin is not None:
        better = oriented(measure, difference)
        worse, above = p_above(margin + better), p_above(margin - better)
        results |= {"p_not_worse": worse, "p_equivalent": np.maximum(worse, above)}
    return results, values[:, :systems], float(estimate.weight[0])


@dataclass(frozen=True)
class _ScoredRun:
    """What a comparison keeps of one run with M measures and T topics."""

    topics: tuple[str, ...]
    unit: str  # the key whose values are independent of each other; "topic" without keys
    nil: Bools
    empty: int  # number of empty lists
    values: Floats  # scores by topic (M x T)
    paired: Floats  # the values that a paired test uses, of U units (M x U)
    means: Floats  # by `MEANS` (5 x M)
    untested: list[str]  # for each measure, why there is no test; "" if there is one
    labelled: Bools | None = None  # by people (T); `paired` has the scores of their topics, then the judge's

    @classmethod
    def of(
        cls, results: Results, unit: str | None, test: PairTest, setting: Setting, bootstraps: bool
    ) -> _ScoredRun:
        """bootstraps: whether measures of the whole run get intervals of their means."""
        if isinstance(results, JudgedResults):
            parts = results.people, results.judge
            people, judge = (cls.of(part, None, test, setting, False) for part in parts)
            return replace(
                judge,
                nil=results.nil,
                values=results.values,
                paired=np.hstack([people.paired, judge.paired]),
                means=np.full(judge.means.shape, np.nan),
                untested=[one or other for one, other in zip(people.untested, judge.untested)],
                labelled=results.labelled,
            )
        by_list, keys, untested = results.values.copy(), results.universe.keys, []
        drawn: dict[int, tuple[float, float]] = {}
        for row, measure in enumerate(results.measures):
            reason, bound = "", bind(measure)
            if not isinstance(measure.aggregator(), MeanAgg):
                reason = "it is added up over topics."
            elif not np.isfinite(results.values[row]).all():
                reason = "not every score is a finite number."
            elif bound is not None and bound.definition.scope == "run":
                drawn[row] = np.nan, np.nan
                try:
                    by_list[row] = values_of_whole_run(bound, results)
                    if bootstraps and len(results.topics) > 1:
                        drawn[row] = bootstrap_interval(
                            bound, results.rankings, 1 - setting.alpha, setting.seed
                        )
                    if test == "sign":
                        reason = "it looks at all lists of a run, and the sign test counts topics."
                except ParameterError as error:  # no influence values
                    reason = str(error)
            if reason:
                by_list[row] = np.nan
            untested.append(reason)
        units, paired = results.means_of_units(by_list, unit)
        name = (unit or keys[0]) if keys else "topic"
        if len(units) < 2:
            verb = "is" if len(units) == 1 else "are"
            too_few = f"there {verb} {counted(len(units), name)}, and a test needs two."
            untested, paired = [too_few] * len(untested), np.full(paired.shape, np.nan)
        ranges = [*map(range_of, results.measures)]
        bounds = bounds_of_means(paired, ranges, setting.alpha)
        for row, limits in enumerate(ranges):  # a mean is where values can be
            bounds[:, row] = np.clip(drawn.get(row, bounds[:, row]), *limits)
        empty, means = int((results.rankings.lengths == 0).sum()), np.vstack([_views(results, unit), bounds])
        return cls(results.topics, name, results.nil, empty, results.values, paired, means, untested)


def values_of_whole_run(measure: BoundMeasure, results: Results) -> Floats:
    """Influence values of a measure of the whole run; ParameterError where there are none."""
    if keys := results.universe.keys:
        raise ParameterError(f"it looks at all lists of a run, and has no values of its own by {keys[0]}.")
    return influence(measure, results.rankings)


def bootstrap_interval(
    measure: BoundMeasure, rankings: Rankings, confidence: float, seed: int
) -> tuple[float, float]:
    """BCa bounds of a measure of the whole run (tests/benchmarks/intervals.py estimates their coverage)."""
    of_means = measure.definition.of_means is not None
    parts = RunScores(measure, rankings).parts if of_means else np.empty((0, 0))

    def value_over(drawn: Ints) -> Any:
        if of_means:  # of all draws at once
            return value_from_means(measure, np.stack([part[drawn].mean(axis=-1) for part in parts]))
        return measure.score(rankings.take(drawn)).mean()

    bounds = bootstrap_bounds(value_over, len(rankings), confidence, _DRAWS, seed, of_means, "BCa")
    if np.isnan(bounds).any():  # all draws may be equal
        value = float(value_over(np.arange(len(rankings))))
        return interval_of_equals(value, len(rankings), *measure.range, confidence)
    return bounds


def _views(results: Results, unit: str | None) -> Floats:
    """Means over all topics, over those with answers and over nil queries (3 x M); NaN over none.

    They are means over units, as the tests are of units.
    """
    means = np.full((3, len(results.measures)), np.nan)
    for row, topics in enumerate((np.ones(len(results.nil), bool), ~results.nil, results.nil)):
        if topics.any():
            part = results if topics.all() else results.over(topics)
            means[row] = part.means(unit)
    return means
