"""Fitting: the level for all lists of a run that is best for a measure, and scores as policies read them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError
from ir_trunc._core.parameters import instance
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.definition import parts_of, value_from_means
from ir_trunc.measures.lists import Depths, running
from ir_trunc.scoring.objects import bind, parse_measures

_SAME = 1e-12  # relative: scores that differ by less are equal, so that rounding chooses no level


def single_measure(measure: Any) -> Measure:
    """A measure, from a text or an object; ParameterError for several."""
    measures = parse_measures(measure)
    if len(measures) > 1:
        names = ", ".join(map(str, measures))
        raise ParameterError(f"policies are fitted and judged by one measure, not {len(measures)}: {names}.")
    return measures[0]


def one_measure(measure: Any) -> BoundMeasure:
    """The formula of one measure, or the one that is given.

    ParameterError for several and for one that counts losses, UnknownMeasureError if only another tool
    computes it.
    """
    if isinstance(measure, BoundMeasure):
        return measure
    parsed = single_measure(measure)
    bound = bind(parsed)
    if bound is None:
        raise UnknownMeasureError(f"{parsed} is not computed by ir_trunc: it has no curve.")
    if bound.definition.lower_is_better:
        problem = "counts losses, lower is better: policies need a measure whose higher values are better"
        raise ParameterError(f"{parsed} {problem}.")
    return bound


def curve_of(measure: Any, rankings: Rankings) -> Curve:
    """The curve of one measure; ParameterError if its score of a list depends on other lists."""
    bound = one_measure(measure)
    if bound.definition.scope == "run":
        raise ParameterError(
            f"{bound.definition.name} looks at all lists of a run at once: a list alone has no best cut."
            " Greedy, ScoreThreshold and ShareOfTop, which have one level for the whole run, can be fitted to"
            " it; an oracle needs another measure."
        )
    return bound.curve(_check_rankings(rankings))


def best_level(key_of: Callable[[Rankings], Floats], rankings: Rankings, measure: Any) -> float:
    """The level for which the measure is best if each list ends before its first document with a lower key.

    `key_of` gives every document a key; keys fall along each list. Infinity if nothing is better than empty
    lists; of several best levels the highest.
    """
    bound = one_measure(measure)
    depths = Depths(_check_rankings(rankings), bound.cutoff)
    parts, offsets = np.array(parts_of(bound, depths)), offsets_of(depths.lengths + 1)
    levels, sums = sums_at_levels(key_of(rankings.cut(depths.lengths)), parts, offsets)
    # The score of a measure of the whole run is computed from the means of its parts.
    scores = value_from_means(bound, sums / len(rankings))
    highest = scores.max()
    return float(levels[np.argmax(scores >= highest - _SAME * abs(highest))])


def sums_at_levels(key: Floats, values: Floats, offsets: Ints) -> tuple[Floats, Floats]:
    """All levels that make a difference, from infinity down, and the sum of `values` over the lists at each.

    At a level each list ends before its first document with a lower key. `key` has a number for every
    document, falling along each list. A row of `values` has one for each list after 0, 1, ..., n documents;
    `offsets` tells where lists begin in a row.
    """
    # One pass down the sorted keys: a document adds the rise of its list's values at its rank.
    order = np.argsort(-key, kind="stable")
    rises = np.delete(np.diff(values, axis=1), offsets[1:-1] - 1, axis=1)[:, order]
    empty = values[:, offsets[:-1]].sum(axis=1, keepdims=True)
    levels, sums = np.append(np.inf, key[order]), np.cumsum(np.hstack([empty, rises]), axis=1)
    last_of_equals = np.append(levels[1:] < levels[:-1], True)
    return levels[last_of_equals], sums[:, last_of_equals]


def _check_rankings(rankings: Any) -> Rankings:
    return instance("rankings", rankings, Rankings, "Rankings, as ir_trunc.rank makes them,")


def falling_scores(rankings: Rankings) -> Floats:
    """The score of every document, list after list, for policies that compare scores.

    Lists are ordered by their scores as 32-bit floats. A score that is higher than the one above it only as
    a 64-bit float is set to that one.

    Parameters
    ----------
    rankings : Rankings
        Lists with the scores of all documents, as `ir_trunc.rank` gives them.

    Returns
    -------
    array of float64

    Raises
    ------
    InputError
        If the rankings have no scores.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.truncation import falling_scores
    >>> falling_scores(Rankings.from_lists([[1, 0], [0]], scores=[[0.9, 0.2], [0.4]]))
    array([0.9, 0.2, 0.4])
    """
    _check_rankings(rankings)
    if rankings.scores is None:
        raise InputError(
            "the policy needs the scores of the documents, and these lists have none: a run needs scores, and"
            " rankings come with them from ir_trunc.rank(...) or calc(..., keep_scores=True)."
        )
    if len(rankings) == 1:  # a live list should be cut in microseconds
        start = int(rankings.starts[0])
        return np.minimum.accumulate(rankings.scores[start : start + int(rankings.lengths[0])])
    return running(rankings.scores[rankings.places], offsets_of(rankings.lengths), np.minimum.accumulate)


def lists_of_scores(rankings: Rankings) -> list[Floats]:
    """The scores of each list, as in `falling_scores`, for formulas of one list."""
    scores = falling_scores(rankings)
    if len(rankings) == 1:
        return [scores]
    return [scores[start:end] for start, end in pairwise(offsets_of(rankings.lengths).tolist())]


def from_0_to_1(scores: Floats) -> Floats:
    """The scores of a list scaled so that its last is 0 and its first 1; 0 where all are equal."""
    if not len(scores):
        return scores
    first, last = scores.item(0) / 2, scores.item(-1) / 2  # halves: a difference may be beyond 64 bits
    return (scores / 2 - last) / (first - last) if first > last else np.zeros(len(scores))
