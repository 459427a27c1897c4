"""What policies are worth on topics that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, Unpack

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import generator, whole
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._inference.estimate import Estimate, RunEstimate
from ir_trunc._inference.significance import paired_t_p_values
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import read_once
from ir_trunc._read.reading import takes
from ir_trunc._scoring.evaluator import Evaluator, Options
from ir_trunc._scoring.objects import MeasureLike, parse_measures
from ir_trunc._scoring.results import Results, as_table
from ir_trunc._scoring.runs import RunsLike, each_run
from ir_trunc.measures.definition import influence
from ir_trunc.truncation._fitting import curve_of, one_measure, units_of
from ir_trunc.truncation._policy import Cutter, Policy, among_tried, lengths_of, sees_judgments
from ir_trunc.truncation._text import PoliciesLike, parse_policies
from ir_trunc.truncation.policies.basic import Greedy, LevelPolicy

_FOLDS = 5


@takes(Options)
def cross_validate(
    policies: PoliciesLike,
    measure: str | Measure,
    qrels: QrelsLike | None,
    runs: RunsLike,
    folds: int = 5,
    seed: int = 0,
    further_measures: MeasureLike = (),
    unit: str | None = None,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Score, regret and length of policies, each fitted on some topics of a run and applied to the others.

    A policy cuts lists without judgments, unless it has a true attribute `sees_judgments` as the oracle has.
    A measure of the whole run (`c@1`) is fitted on all training topics and computed over all held-out cuts
    together; `Oracle` is not defined for it.

    Parameters
    ----------
    policies : str, Policy or list of these
        See `parse_policy`.
    measure : str or Measure
        The measure to which policies are fitted, and by which they are judged.
    qrels, **options
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.
    folds : int
        Parts into which the topics are split; each part is cut by a policy fitted on all others. With keys,
        units are split, drawn and tested: the lists of one stay in one part.
    seed : int
        Start of the random numbers that split the topics.
    further_measures : MeasureLike, optional
        Measures of the cut lists, to which nothing is fitted.
    unit : str, optional
        For data with keys, the key whose values are independent of each other, by default the outermost one.
        All means are over these units.

    Returns
    -------
    pandas.DataFrame
        A row for each system and policy:

        - score, and its 95 % confidence interval low to high, as `compare` has it; with keys, score, regret,
          length, empty and coverage are nested means
        - of_oracle, the share of the best possible score, and regret, the difference from it; of_oracle is
          NaN if that score is not above 0. Both are NaN for a measure of the whole run, whose p value is that
          of its influence values
        - length, the mean number of documents; empty, the share of empty lists; coverage, the share of the
          others; set_size, the mean number of documents in the others
        - p_value of a two-tailed paired t test over topics against the best fixed k, which is fitted on the
          training topics too
        - silence_precision, the share of the empty lists that belong to nil queries, and silence_recall, the
          share of the nil queries that have the empty list; NaN if there is nothing to count
        - cost, the mean per topic, where the run has costs, and a column for each of `further_measures`

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import cross_validate
    >>> qrels, runs = generated.collection(topics=20, systems=2)
    >>> table = cross_validate("LargestGap ScoreThreshold", "RBPT", qrels, {"fair": runs["fair-never"]}, 4)
    >>> table["policy"].tolist()
    ['LargestGap', 'ScoreThreshold']
    """
    cutters, (_, rank_one) = parse_policies(policies), read_once(qrels, options)
    none = isinstance(further_measures, (str, list, tuple)) and not further_measures
    further = () if none else parse_measures(further_measures)
    lists = ((name, rank_one(run)) for name, run in each_run(runs, "cross-validating"))
    return as_table([row for row, _ in validated(cutters, measure, lists, folds, seed, further, unit)])


def validated(
    cutters: Sequence[Cutter],
    measure: Any,
    lists: Iterable[tuple[str, Rankings]],
    folds: int,
    seed: int = 0,
    further: Sequence[Measure] = (),
    unit: str | None = None,
) -> Iterator[tuple[dict[str, Any], Floats]]:
    """The rows of `cross_validate`, each with the values of units."""
    evaluator, bound = Evaluator(further or measure, None), one_measure(measure)
    (named,) = parse_measures(measure)
    for name, rankings in lists:
        split = Split.of(rankings, folds, seed, unit)
        of_run = bound.definition.scope == "run"
        best = np.full(len(rankings), np.nan) if of_run else curve_of(measure, rankings).best()[1]
        best = split.unit_means(best)
        greedy, _ = split.trial(Greedy(), measure)
        of_greedy = split.unit_means(influence(bound, rankings.cut(greedy)))
        for policy in cutters:
            cuts, _ = split.trial(policy, measure)
            kept = rankings.cut(cuts)
            results, costs = evaluator.calc(kept), kept.costs_of_lists()
            scores, values = (split.unit_means(of(kept)) for of in (bound.score, partial(influence, bound)))
            low, high = estimate_of(named, kept, unit).interval().tolist()
            row = {
                "system": name,
                "policy": str(policy),
                "score": scores.mean(),
                "low": low,
                "high": high,
                "of_oracle": scores.mean() / best.mean() if best.mean() > 0 else np.nan,
                "regret": (best - scores).mean(),
                "length": split.unit_means(cuts).mean(),
                "empty": split.unit_means(cuts == 0).mean(),
                "coverage": split.unit_means(cuts > 0).mean(),
                "set_size": np.average(cuts, weights=split.weights * (cuts > 0)) if cuts.any() else np.nan,
                "p_value": float(paired_t_p_values((values - of_greedy)[None])[0]),
                "silence_precision": results.abstention.precision,
                "silence_recall": results.abstention.recall,
            }
            if kept.answers is not None:
                row |= dict.fromkeys(("silence_precision", "silence_recall"), np.nan)
            if costs is not None:
                row["cost"] = split.unit_means(costs).mean()
            means = dict(zip(results.measures, results.means(unit)))
            yield row | {str(other): means[other] for other in further}, values


def estimate_of(measure: Measure, rankings: Rankings, unit: str | None = None) -> Estimate:
    """What the lists of a run say of a measure; one of the whole run has influence values of units."""
    bound = one_measure(measure)
    results = Results((measure,), rankings, bound.score(rankings)[None])
    if bound.definition.scope == "list" or not results.universe.keys:
        return results.estimate(0, unit)
    return RunEstimate(results.means_of_units(influence(bound, rankings)[None], unit)[1][0], bound.range)


@dataclass(frozen=True)
class Split:
    """The lists of a run in parts, each of which is cut by policies that are fitted on the others.

    Attributes
    ----------
    unit : str
        The outermost key, whose values stay in one part; "" without keys.
    unit_of : array
        The number of its value for each list (Q).
    weights : array
        The weights of the lists in nested means (Q).
    parts : list of array
        The positions of the lists of each part.
    """

    rankings: Rankings
    unit: str
    unit_of: Ints
    weights: Floats
    parts: list[Ints]

    @classmethod
    def of(cls, rankings: Rankings, folds: int | None, seed: int, unit: str | None = None) -> Split:
        """folds: the number of parts, by default 5 or as many as there are units."""
        unit, unit_of, weights = units_of(rankings, unit)
        units = int(unit_of.max(initial=-1)) + 1
        of_units = topic_folds(units, max(2, min(_FOLDS, units)) if folds is None else folds, seed)
        return cls(rankings, unit, unit_of, weights, [np.flatnonzero(np.isin(unit_of, p)) for p in of_units])

    def unit_means(self, values: Any) -> Floats:
        """The nested mean of the values of each unit."""
        sums, weights = (np.bincount(self.unit_of, of) for of in (values * self.weights, self.weights))
        return sums / weights

    def trial(
        self, policy: Cutter, measure: Any, on_all: bool = False, **goal: Any
    ) -> tuple[Ints, list[Any]]:
        """The length of each list by a policy that was fitted on other parts, and the policies so fitted.

        on_all: whether it is fitted on all lists, too, at last. goal: weights and keep, see `best_levels`.
        """
        topics = np.arange(len(self.rankings))
        sets = [*(np.setdiff1d(topics, part) for part in self.parts), *[topics] * on_all]
        fitted = fit_each(policy, measure, self.rankings, sets, **goal)
        return cut_each(fitted[: len(self.parts)], self.rankings, self.parts), fitted


def topic_folds(topics: int, folds: int, seed: int) -> list[Ints]:
    """Positions of the topics in parts of about equal size; ParameterError where there are too few."""
    if whole("folds", folds, 2) > topics:
        raise ParameterError(f"folds={folds}: {counted(topics, 'topic')} cannot be split into as many parts.")
    return [np.sort(part) for part in np.array_split(generator(seed).permutation(topics), folds)]


def fit_each(
    policy: Any,
    measure: Any,
    rankings: Rankings,
    sets: Sequence[Ints],
    weights: Floats | None = None,
    keep: float | None = None,
) -> list[Any]:
    """The policy as it is fitted on each of several sets of lists, which are given by their positions."""
    policy = among_tried(policy, rankings)
    hook = policy.learn if isinstance(policy, Policy) else policy.fit
    own = getattr(hook, "__func__", None)
    if own is LevelPolicy.learn:  # the keys of all documents are computed and sorted once
        return policy.learn_each(rankings, measure, sets, weights, keep)
    if own is Policy.learn:
        return [policy] * len(sets)
    # One that takes no weights is fitted without them; what it is worth is weighted all the same.
    if "weights" not in signature(hook).parameters:
        weights = None
    further = [() if weights is None else (weights[chosen],) for chosen in sets]
    # A policy of the user's may keep what it learns in itself: each set has a copy of its own.
    return [copy(policy).fit(rankings.take(chosen), measure, *more) for chosen, more in zip(sets, further)]


def cut_each(policies: Sequence[Cutter], rankings: Rankings, parts: Sequence[Ints]) -> Ints:
    """The length of every list (Q), each part cut by its own policy; one that sees judgments says so."""
    lists = rankings if sees_judgments(policies[0]) else rankings.unjudged()
    if all(policy is policies[0] for policy in policies):
        return lengths_of(policies[0], lists)
    cuts = np.zeros(len(rankings), np.int64)
    for policy, part in zip(policies, parts):
        cuts[part] = lengths_of(policy, lists.take(part))
    return cuts
