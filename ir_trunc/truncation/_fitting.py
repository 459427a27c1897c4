"""Fitting: one level for all lists of a run, the best for a measure on them."""

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
from ir_trunc.measures.definition import parts_of, value_of
from ir_trunc.measures.lists import Depths, running
from ir_trunc.scoring.objects import bind, parse_measures

_SAME = 1e-12  # relative: measures that differ by less are equal, so that rounding chooses no level


def single_measure(measure: Any) -> Measure:
    """A measure, from a text or an object; ParameterError for several."""
    found = parse_measures(measure)
    if len(found) > 1:
        raise ParameterError(
            f"policies are fitted and judged by one measure, not {len(found)}: {', '.join(map(str, found))}."
        )
    return found[0]


def one_measure(measure: Any) -> BoundMeasure:
    """The formula of one measure.

    ParameterError for several and for one that counts losses, UnknownMeasureError where only another tool has
    it.
    """
    found = single_measure(measure)
    bound = bind(found)
    if bound is None:
        raise UnknownMeasureError(f"{found} is not computed by ir_trunc: it has no curve.")
    if bound.definition.lower_is_better:
        raise ParameterError(
            f"{found} counts losses, lower is better: policies need a measure whose higher values are better."
        )
    return bound


def curve_of(measure: Any, rankings: Rankings) -> Curve:
    """The curve of one measure; ParameterError where its scores depend on more than their own list."""
    bound = one_measure(measure)
    if bound.definition.scope == "run":
        raise ParameterError(
            f"{measure} looks at all lists of a run at once: a list alone has no best cut. Greedy,"
            " ScoreThreshold and ShareOfTop, which have one level for the whole run, can be fitted to it; an"
            " oracle needs another measure."
        )
    return bound.curve(instance("rankings", rankings, Rankings, "Rankings, as ir_trunc.rank makes them,"))


def best_level(key_of: Callable[[Rankings], Floats], rankings: Rankings, measure: Any) -> float:
    """The level for which the measure is best if lists end before their first document with a lower key.

    key_of: gives every document of the lists a key; keys fall along each list. Every level that makes a
    difference is tried, in one way down the sorted keys: the document that comes in adds what its list's
    curve rises there. Infinity where nothing is better than empty lists; of several best levels the highest.
    A measure of the whole run is computed at every level from the means of its parts.
    """
    bound = one_measure(measure)
    rankings = instance("rankings", rankings, Rankings, "Rankings, as ir_trunc.rank makes them,")
    depths = Depths(rankings, bound.cutoff)
    parts, offsets = np.array(parts_of(bound, depths)), offsets_of(depths.lengths + 1)
    levels, sums = at_every_level(key_of(rankings.cut(depths.lengths)), parts, offsets)
    reached = value_of(bound, sums / len(rankings))
    highest = reached.max()
    return float(levels[np.argmax(reached >= highest - _SAME * abs(highest))])


def at_every_level(key: Floats, values: Floats, offsets: Ints) -> tuple[Floats, Floats]:
    """All levels that make a difference, from infinity down, and sums over all lists at each of them.

    Summed is what a list is worth if it ends before its first document with a key below the level.

    key: of every document, falling along each list. values: in rows, of each list after d = 0, 1, ..., n
    documents; offsets: of the lists in a row.
    """
    order = np.argsort(-key, kind="stable")
    rises = np.delete(np.diff(values, axis=1), offsets[1:-1] - 1, axis=1)[:, order]
    empty = values[:, offsets[:-1]].sum(axis=1, keepdims=True)
    levels, sums = np.append(np.inf, key[order]), np.cumsum(np.hstack([empty, rises]), axis=1)
    together = np.append(levels[1:] < levels[:-1], True)  # equal keys come in together
    return levels[together], sums[:, together]


def falling_scores(rankings: Rankings) -> Floats:
    """The score of every document, list after list, for policies that compare scores.

    Lists are in order of their scores as 32-bit floats: a score that rises in the digits behind these is set
    to the one above it.

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
    instance("rankings", rankings, Rankings, "Rankings, as ir_trunc.rank makes them,")
    if rankings.scores is None:
        raise InputError(
            "the policy needs the scores of the documents, and these lists have none: a run needs scores, and"
            " rankings come with them from ir_trunc.rank(...) or calc(..., keep_scores=True)."
        )
    if len(rankings) == 1:  # what is cut live is one list, and cut in microseconds
        start = int(rankings.starts[0])
        return np.minimum.accumulate(rankings.scores[start : start + int(rankings.lengths[0])])
    return running(rankings.scores[rankings.places], offsets_of(rankings.lengths), np.minimum.accumulate)


def lists_of_scores(rankings: Rankings) -> list[Floats]:
    """The scores of each list, as `falling_scores` has them, for formulas that are written for one list."""
    scores = falling_scores(rankings)
    if len(rankings) == 1:
        return [scores]
    return [scores[start:end] for start, end in pairwise(offsets_of(rankings.lengths).tolist())]


def in_one(values: list[Floats]) -> Floats:
    """What was found for the documents of each list, list after list."""
    if len(values) == 1:
        return values[0]
    return np.concatenate(values) if values else np.zeros(0)


def from_0_to_1(scores: Floats) -> Floats:
    """The scores of a list scaled so that its last is 0 and its first 1; 0 where all are equal."""
    if not len(scores):
        return scores
    first, last = scores.item(0) / 2, scores.item(-1) / 2  # halves: a difference may be beyond 64 bits
    return (scores / 2 - last) / (first - last) if first > last else np.zeros(len(scores))
