"""What policies are worth on topics that they have not seen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import generator, whole
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import read_once
from ir_trunc._read.reading import Unpack
from ir_trunc._scoring._runs import RunsLike, each_run
from ir_trunc._scoring._statistics import interval_of_mean
from ir_trunc._scoring.evaluator import Evaluator, Options
from ir_trunc._scoring.objects import MeasureLike, parse_measures
from ir_trunc._scoring.results import as_table
from ir_trunc.measures.definition import influence
from ir_trunc.truncation._fitting import curve_of, one_measure, units_of
from ir_trunc.truncation._policy import Cutter, Policy, lengths_of, sees_judgments
from ir_trunc.truncation._text import PoliciesLike, parse_policies
from ir_trunc.truncation.policies.lengths import Greedy
from ir_trunc.truncation.policies.thresholds import LevelPolicy

_REPETITIONS = 2000


def cross_validate(
    policies: PoliciesLike,
    measure: str | Measure,
    qrels: QrelsLike | None,
    runs: RunsLike,
    folds: int = 5,
    seed: int = 0,
    also: MeasureLike = (),
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
    qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.
    folds : int
        Parts into which the topics are split; each part is cut by a policy fitted on all others. With keys,
        values of the outermost key are split, drawn and tested: the lists of one stay in one part.
    seed : int
        Start of the random numbers that split the topics and draw the bootstrap.
    also : MeasureLike, optional
        Further measures of the cut lists, to which nothing is fitted.

    Returns
    -------
    pandas.DataFrame
        A row for each system and policy:

        - score, and its 95 % confidence interval low to high (bootstrap over topics); with keys, score,
          regret, length, empty and coverage are nested means
        - of_oracle, the share of the best possible score, and regret, the difference from it; of_oracle is
          NaN if that score is not above 0. Both are NaN for a measure of the whole run, whose interval and p
          value are those of its influence values
        - length, the mean number of documents; empty, the share of empty lists; coverage, the share of the
          others; set_size, the mean number of documents in the others
        - p_value of a two-tailed paired t test over topics against the best fixed k, which is fitted on the
          training topics too
        - silence_precision, the share of the empty lists that belong to nil queries, and silence_recall, the
          share of the nil queries that have the empty list; NaN if there is nothing to count
        - cost, the mean per topic, where the run has costs, and a column for each measure of `also`

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import cross_validate
    >>> qrels, runs = generated.collection(topics=20, systems=2)
    >>> table = cross_validate("LargestGap ScoreThreshold", "RBPT", qrels, {"fair": runs["fair-never"]}, 4)
    >>> table["policy"].tolist()
    ['LargestGap', 'ScoreThreshold']
    """
    cutters = parse_policies(policies)
    _, _, rank_one = read_once(qrels, options)
    further = () if isinstance(also, (str, list, tuple)) and not also else parse_measures(also)
    evaluator, bound = Evaluator(further or measure, None), one_measure(measure)
    of_run = bound.definition.scope == "run"
    rows = []
    for name, run in each_run(runs, "cross-validating"):
        rankings = rank_one(run)
        best = np.full(len(rankings), np.nan) if of_run else curve_of(measure, rankings).best()[1]
        _, unit_of, weights = units_of(rankings)
        by_unit = partial(_unit_means, unit_of=unit_of, weights=weights)
        units = int(unit_of.max(initial=-1)) + 1
        parts = [np.flatnonzero(np.isin(unit_of, part)) for part in topic_folds(units, folds, seed)]
        others = [np.setdiff1d(np.arange(len(rankings)), part) for part in parts]
        greedy = fit_each(Greedy(), measure, rankings, others)
        of_greedy = by_unit(influence(bound, rankings.cut(cut_each(greedy, rankings, parts))))
        for policy in cutters:
            cuts = cut_each(fit_each(policy, measure, rankings, others), rankings, parts)
            kept = rankings.cut(cuts)
            scores, values = by_unit(bound.score(kept)), by_unit(influence(bound, kept))
            results = evaluator.calc(kept)
            low, high = interval_of_mean(values, repetitions=_REPETITIONS, seed=seed)
            row = {
                "system": name,
                "policy": str(policy),
                "score": scores.mean(),
                "low": low,
                "high": high,
                "of_oracle": scores.mean() / by_unit(best).mean() if best.mean() > 0 else np.nan,
                "regret": (by_unit(best) - scores).mean(),
                "length": by_unit(cuts).mean(),
                "empty": by_unit(cuts == 0).mean(),
                "coverage": by_unit(cuts > 0).mean(),
                "set_size": cuts[cuts > 0].mean() if cuts.any() else np.nan,
                "p_value": _paired_p_value(values, of_greedy),
                "silence_precision": results.abstention.precision,
                "silence_recall": results.abstention.recall,
            }
            if rankings.costs is not None:
                row["cost"] = rankings.costs[results.rankings.places].sum() / len(rankings)
            rows.append(row | {str(other): results.aggregated[other] for other in further})
    return as_table(rows)


def topic_folds(topics: int, folds: int, seed: int) -> list[Ints]:
    """Positions of the topics in parts of about equal size; ParameterError for fewer than two."""
    if topics < 2:
        raise ParameterError(f"There is {topics} topic: to split them, at least two are needed.")
    folds = whole("folds", folds, 2, topics)
    return [np.sort(part) for part in np.array_split(generator(seed).permutation(topics), folds)]


def fit_each(policy: Cutter, measure: Any, rankings: Rankings, sets: Sequence[Ints]) -> list[Cutter]:
    """The policy as it is fitted on each of several sets of lists, which are given by their positions."""
    if getattr(type(policy), "fit", None) is Policy.fit:
        return [policy] * len(sets)
    if isinstance(policy, LevelPolicy):  # the keys of all documents are computed and sorted once
        return [*policy.fit_each(rankings, measure, sets)]
    # A policy of the user's may keep what it learns in itself: each set has a copy of its own.
    return [copy(policy).fit(rankings.take(positions), measure) for positions in sets]


def cut_each(policies: Sequence[Cutter], rankings: Rankings, parts: Sequence[Ints]) -> Ints:
    """The length of every list (Q), each part cut by its own policy; one that sees judgments says so."""
    lists = rankings if sees_judgments(policies[0]) else rankings.unjudged()
    if all(policy is policies[0] for policy in policies):
        return lengths_of(policies[0], lists)
    cuts = np.zeros(len(rankings), np.int64)
    for policy, part in zip(policies, parts):
        cuts[part] = lengths_of(policy, lists.take(part))
    return cuts


def _unit_means(values: Any, unit_of: Ints, weights: Floats) -> Floats:
    """The nested mean of the values of each unit, as `units_of` has them."""
    means: Floats = np.bincount(unit_of, values * weights) / np.bincount(unit_of, weights)
    return means


def _paired_p_value(scores: Floats, reference: Floats) -> float:
    """The p value of a paired t test over topics; 1 if all differences are 0."""
    from scipy.stats import ttest_rel

    if (scores == reference).all():
        return 1.0
    with warnings.catch_warnings():  # of equal differences, whose p value is 0 or next to it
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        return float(ttest_rel(scores, reference).pvalue)
