"""`compare`: scores several runs and tests their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from ir_measures import Measure

from ir_trunc._compare.comparison import CORRECTIONS, FEW_UNITS, P_VALUES, TESTED, Comparison, Means
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, ParameterError, counted, nearest, noted, printable, shown
from ir_trunc._core.parameters import Alpha, Flag, Repetitions, Seed, Whole, checked, number, one_of, text
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc._inference import significance
from ir_trunc._inference.estimate import Estimate, RunEstimate, stacked
from ir_trunc._inference.significance import PairTest, Setting
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._read.reading import takes
from ir_trunc._scoring.evaluator import Evaluator, ScoringOptions
from ir_trunc._scoring.objects import MeasureLike, parse_measure
from ir_trunc._scoring.results import VIEWS, Results
from ir_trunc._scoring.runs import RunsLike, by_name, score_each
from ir_trunc.measures.declaration import lower_is_better, oriented
from ir_trunc.measures.parts import over

__all__ = ["compare"]

OTHER_TOPICS = "have different topics: they need the same (leave out missing=, which excludes topics)."
_NAMED = 5  # systems with empty lists that a note names


@checked
@takes(ScoringOptions)
def compare(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: Literal["auto", "holm", "bh", "holm-all"] | None = "auto",
    alpha: Alpha = 0.05,
    intervals: Annotated[bool, Flag("whether the table has confidence intervals")] = False,
    margin: float | Mapping[Any, float] | None = None,
    unit: str | None = None,
    repetitions: Repetitions = 10_000,
    seed: Seed = 0,
    sort: str | None = None,
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
        't' (paired, two-tailed), 'bounded' (from the bounds of the measure alone: it holds its level with few
        topics and rare failures, too), 'bootstrap', 'randomisation', 'sign' (paired, too), 'tukey' or
        'randomised-tukey' (Tukey's honestly significant differences over all runs).
        The page of `ir_trunc.meta` has the formulas. 'sign' counts the topics on which a run has higher and
        lower scores.
    correction : str, optional
        For the number of comparisons under one measure: 'holm', 'bh' (Benjamini-Hochberg) or None; under all
        measures together: 'holm-all'. The default 'auto' is 'holm', and None for Tukey's tests, which allow
        for all pairs by themselves.
    alpha : float
        The significance level. Confidence intervals have the level 1 - alpha.
    intervals : bool
        Whether the table has confidence intervals: of the differences to the baseline or, without a baseline,
        of the means. `Comparison.pairs` always has those of the differences.
    margin : float or dict, optional
        With a baseline: how much worse (> 0, in units of the measure) a run may be and still count as not
        worse; one number, or `{measure: number}`. Adds p values of non-inferiority and of equivalence, and
        the interval of the level 1 - 2 alpha to which they belong; all from the bounds of the measure.
    unit : str, optional
        For data with keys, the key whose values are independent of each other, by default the outermost one.
        Tests, intervals and random draws take the nested mean of each unit as one value, and the means of the
        table are means over these units.
    repetitions, seed : int
        Number of random draws and their seed, for tests that draw.
    sort : str, optional
        The measure by whose means the runs are in order, the best first; by default they are as given.
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
    The interval of a mean follows from the lowest and the highest value of the measure: it needs no
    distribution, and is as long as it is with few topics (Learned-Miller & Thomas 2019, arXiv 1905.06208); of
    a share it is that of Clopper and Pearson. A side without such a bound is Student's. That of a difference
    belongs to the test. Intervals are individual, also where p values are corrected; those of Tukey's tests
    are simultaneous. A difference is marked only if at least k topics differ, 2^(1 - k) being at most alpha
    (6 topics at 0.05); `pairs()` says how many do.
    A measure of the whole run, `c@1` for example, is tested by its influence values; the interval of its mean
    is that of the bootstrap with bias correction and acceleration (BCa), which computes it anew for each of
    2,000 draws of topics. There is no test for a measure without influence values, for a count, and
    where a score is not finite; the table says why. Where all differences are equal, intervals and p values
    follow from the bounds of the measure; one without bounds has no interval then.

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
    RR      new         0.3333 -0.3838 1.0000 0.1835  1.1547
    AP      new         0.3056 -0.3599 0.9710 0.1869  1.1406
    """
    evaluator = Evaluator(measures, qrels, **options)
    named = by_name(runs)
    tests: dict[str, Any] = {"baseline": baseline, "test": test, "correction": correction, "alpha": alpha}
    tests |= {"margin": margin, "unit": unit, "repetitions": repetitions, "seed": seed, "sort": sort}
    each = score_each(evaluator, named, jobs, alike=True)
    return compare_scored(evaluator, tuple(named), each, intervals, **tests)


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
    sort: str | None = None,
) -> Comparison:
    """The comparison of runs of these names. each: their Results, which the arguments are checked before."""
    names = tuple(str(measure) for measure in evaluator.measures)
    reference = None if baseline is None else _baseline(baseline, systems)
    if sort is not None and (sort := str(parse_measure(sort))) not in names:
        raise ParameterError(f"there is no measure {sort!r} to sort by; the measures are {', '.join(names)}.")
    pair_test: PairTest = significance.named_test(test, ("bounded", *significance.TESTS))
    adjusted_by = _correction(correction, pair_test)
    margins = _margins(margin, evaluator.measures, reference)
    if intervals and reference is not None and pair_test == "sign":
        raise ParameterError("test='sign' has no intervals of the differences: leave out intervals=.")
    if evaluator.labels is not None and pair_test != "t":
        raise ParameterError(f"test={test!r}: with Judged, differences are tested by 't'.")
    with noted() as notes:
        scored = list[_ScoredRun]()
        for name, results in each:
            results.refuse_unequal(name)
            scored.append(_ScoredRun.of(results, unit, pair_test))
            if scored[-1].topics != scored[0].topics:
                raise InputError(f"runs {systems[0]!r} and {name!r} {OTHER_TOPICS}")
    if sort is not None:
        row = names.index(sort)
        best_first = np.argsort([-oriented(sort, run.means[0, row]) for run in scored], kind="stable")
        systems, scored = [systems[at] for at in best_first], [scored[at] for at in best_first]
    pairs = np.triu_indices(len(systems), k=1)  # all, or each other system and the baseline
    if reference is not None:
        others = np.flatnonzero(np.array(systems, dtype=object) != reference)
        pairs = others, np.full(len(others), systems.index(reference))
    setting = Setting(*pairs, alpha, repetitions, seed)
    of_scores, of_data = _tested(names, systems, scored, pair_test, setting, adjusted_by, margins)
    of_lists = map(printable, _notes(names, systems, scored))
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
        notes=(*filter(None, [evaluator.cut_note]), *notes, *of_data, *of_lists),
    )


def _tested(
    measures: Sequence[str],
    systems: Sequence[str],
    scored: Sequence[_ScoredRun],
    test: PairTest,
    setting: Setting,
    correction: Any,
    margins: Mapping[str, float],
) -> tuple[dict[str, Any], list[str]]:
    """The fields of a comparison that follow from scores, and a note on equal differences."""
    first, draws, untested, equal = scored[0], 0, dict[str, str](), list[str]()
    tested = {name: np.full((len(measures), len(setting.first)), np.nan) for name in TESTED}
    by_bounds = np.zeros(len(setting.first), bool)
    for row, name in enumerate(measures):
        reasons = [run.untested[row] for run in scored if run.untested[row]]
        if reasons:
            untested[name] = reasons[0]
        elif len(setting.first):
            estimates = [run.estimates[row] for run in scored]
            of_pairs, draws, flat = _test_pairs(name, estimates, test, setting, margins.get(name))
            by_bounds |= flat
            if flat.any():
                equal.append(name)
            for column, of_column in of_pairs.items():
                tested[column][row] = of_column
    tested["p_alone"], tested["level"] = tested["p"].copy(), np.full_like(tested["p"], setting.alpha)
    rows = [row for row, name in enumerate(measures) if name not in untested]
    families = [[row] for row in rows]
    if correction == "holm-all":
        families, correction = [rows], "holm"
    for column, family in product(P_VALUES, families if rows else ()):
        p = tested[column][family]
        if np.isnan(p).any():
            continue
        adjusted = significance.adjusted(p.ravel(), correction)
        tested[column][family] = np.minimum(adjusted, 1.0).reshape(p.shape)
        if column == "p":
            times = over(adjusted, p.ravel(), float(p.size) if correction else 1.0)
            tested["level"][family] = setting.alpha / times.reshape(p.shape)
    for row in rows if test == "t" and len(setting.first) else ():
        differences = _differences([run.estimates[row] for run in scored], setting)
        level = tested["level"][row]
        interval, alike = differences.best.student(level), ~differences.differ
        if alike.any():
            interval[:, alike] = differences[alike].interval()
        tested["at_low"][row], tested["at_high"][row] = interval
    views = dict(zip(VIEWS, np.stack([run.means for run in scored], axis=-1)))
    fields = {
        "topics": first.topics, "unit": first.unit, "units": first.units, "labelled": first.labelled,
        "nil": first.nil, "values": np.stack([run.values for run in scored], axis=1),
        "means": Means(views, partial(_intervals, scored, setting.alpha)), "tested": tested,
        "draws": draws, "untested": untested,
    }  # fmt: skip
    notes = []
    if equal:
        pair, *others = np.flatnonzero(by_bounds)
        named = f"{systems[setting.first[pair]]} and {systems[setting.second[pair]]}"
        named += f" and {counted(len(others), 'other pair')}" if others else ""
        of = f"under {', '.join(equal)} for {printable(named)}"
        what = f"Every topic has the same difference {of}, so the t test is undefined"
        rest = "without bounds there is no interval, and p is 1"
        notes.append(f"{what}; interval and p use the measure's bounds instead ({rest}).")
    if first.labelled:
        notes.append("Scores by topic are by people's labels where there are some, else by the judge's.")
    return fields, notes


def _notes(measures: Sequence[str], systems: Sequence[str], scored: Sequence[_ScoredRun]) -> Iterator[str]:
    """A note on each measure without bounds of whose mean one unit carries most of the variance.

    The last one counts the empty lists of each system that has any.
    """
    by_topic = scored[0].unit == "topic" and not scored[0].labelled
    for row, measure in enumerate(measures):
        carried = []
        for system, run in zip(systems, scored):
            if not run.untested[row] and run.units >= FEW_UNITS:
                at, share = run.estimates[row].heaviest
                named = f"{system}: topic {run.topics[at]}" if by_topic else system
                carried += [f"{named}, {share:.0%}"] if share > 0.5 else []
        if carried:
            what = f"one {scored[0].unit} carries most of the variance of the mean"
            rest = "tests and intervals rest on it; report a measure with bounds beside it"
            yield f"{measure} has no bounds, and {what} ({_first_of(carried, '; ')}): {rest}."
    if empty := [f"{name} {run.empty}" for name, run in zip(systems, scored) if run.empty]:
        yield f"Empty lists, which are scored as such: {_first_of(empty, ', ', ' systems')}."


def _first_of(names: Sequence[str], separator: str, what: str = "") -> str:
    """The first names of many, and the number of the others."""
    more = f" and {len(names) - _NAMED} more{what}" if len(names) > _NAMED else ""
    return f"{separator.join(names[:_NAMED])}{more}"


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
    names = ", ".join(systems[:10]) + (", ..." if len(systems) > 10 else "")
    raise InputError(f"baseline={shown(name)} is not one of the runs: {names}.{several}")


def _correction(value: Any, test: PairTest) -> Any:
    correction: Any = None if value is None else one_of("correction", value, ("auto", *CORRECTIONS))
    if test not in significance.FOR_ALL_PAIRS:
        return "holm" if correction == "auto" else correction
    if correction in CORRECTIONS:
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


def _differences(estimates: Sequence[Any], setting: Setting) -> Any:
    """Of each pair, the first less the second."""
    each = stacked(estimates)
    return each[setting.first] - each[setting.second]


def _test_pairs(
    measure: str, estimates: Sequence[Any], test: PairTest, setting: Setting, margin: float | None
) -> tuple[dict[str, Floats], int, Bools]:
    """The results of the tests under one measure (P each), not corrected yet, and the number of draws.

    The last value is of which pairs all differences are equal, and the results follow from the bounds (P).
    """
    each, draws = stacked(estimates), 0
    differences = _differences(estimates, setting)
    of_test = differences.best
    results = {"difference": of_test.mean, "differ": differences.moved}
    results["up"], results["down"] = significance.ups_and_downs(differences.values)
    if test in ("t", "bounded"):
        results["effect"] = over(of_test.mean, differences.values.std(axis=1, ddof=1), otherwise=np.nan)
        results["effect"][~differences.differ] = np.nan
        student = of_test.t_test, of_test.student
        p, bounds = student if test == "t" else (differences.p, differences.interval)
        results["p"], (results["low"], results["high"]) = p(), bounds(setting.alpha)
    else:
        pairs = significance.paired_tests(each.values, test, setting)
        results |= {"p": pairs.p, "effect": pairs.effect, "low": pairs.low, "high": pairs.high}
        draws = pairs.draws
        for name in ("low", "high"):
            inside = np.clip(results[name], *differences.range)
            results[name] = np.where(np.isfinite(results[name]), inside, results[name])
    flat = ~differences.differ & (results["high"] - results["low"] <= TOLERANCE)
    if flat.any():
        equal = differences[flat]
        results["p"][flat], bounds = equal.p(), equal.interval(setting.alpha)
        results["low"][flat], results["high"][flat] = bounds
    if margin is not None:
        results["bounded_low"], results["bounded_high"] = differences.interval(2 * setting.alpha)
        better = each[setting.second] - each[setting.first] if lower_is_better(measure) else differences
        worse, above = better.p_at_most(-margin), better.p_at_least(margin)
        results |= {"p_not_worse": worse, "p_equivalent": np.maximum(worse, above)}
    return results, draws, flat


@dataclass(frozen=True)
class _ScoredRun:
    """What a comparison keeps of one run with M measures and T topics."""

    topics: tuple[str, ...]
    nil: Bools
    empty: int  # number of empty lists
    values: Floats  # scores by topic (M x T)
    means: Floats  # by `VIEWS` (3 x M)
    estimates: list[Any]  # of each measure; None where there is none
    untested: list[str]  # for each measure, why there is no test; "" if there is one
    unit: str  # the key whose values are independent of each other; "topic" without keys
    units: int
    labelled: int  # number of topics that people labelled, with Judged

    @classmethod
    def of(cls, results: Results, unit: str | None, test: PairTest) -> _ScoredRun:
        (name, units, labelled), estimates, untested = results.counts(unit), list[Any](), list[str]()
        for row in range(len(results.measures)):
            reason, estimate = "", None
            try:
                estimate = results.estimate(row, unit)
            except ParameterError as error:
                reason = str(error)
            if not np.isfinite(results.values[row]).all():
                reason = "not every score is a finite number."
            elif isinstance(estimate, RunEstimate) and test == "sign":
                reason = "it looks at all lists of a run, and the sign test counts topics."
            elif units < 2:
                verb = "is" if units == 1 else "are"
                reason = f"there {verb} {counted(units, name)}, and a test needs two."
            estimates.append(estimate)
            untested.append(reason)
        empty = int((results.rankings.lengths == 0).sum())
        of_topics = results.topics, results.nil, empty, results.values, results.view_means(unit)
        return cls(*of_topics, estimates, untested, name, units, labelled)


def _intervals(scored: Sequence[_ScoredRun], alpha: float) -> dict[str, Floats]:
    """The bounds of all means (M x S each); NaN where there are none."""
    bounds = np.full((2, len(scored[0].estimates), len(scored)), np.nan)
    for row, estimates in enumerate(zip(*(run.estimates for run in scored))):
        if all(type(estimate) is Estimate for estimate in estimates):
            bounds[:, row] = stacked(estimates).interval(alpha)
            continue
        for place, estimate in enumerate(estimates):
            if estimate is not None:
                bounds[:, row, place] = estimate.interval(alpha)
    return dict(zip(("low", "high"), bounds))
