"""Estimates of what results show: the means of measures, and quantities of lists."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from ir_measures.measures.base import MeanAgg

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.rankings import Floats, Rankings
from ir_trunc._inference.estimate import Estimate, RunEstimate
from ir_trunc._scoring.objects import range_of
from ir_trunc._scoring.results import Results
from ir_trunc.measures.definition import RunScores, influence, value_from_means


def estimate(results: Results, row: int, unit: str | None = None) -> Estimate:
    """What units say of the mean of a measure, see `Results.estimate`."""
    measure, bound = results.measures[row], results._of_run.get(row)
    if not isinstance(measure.aggregator(), MeanAgg):
        raise ParameterError("it is added up over topics.")
    if bound is None:
        (values,) = results.means_of_units(results.values[row][None], unit)[1]
        return Estimate(values, range_of(measure), exact=results.means(unit)[row])
    if results._nest is not None:
        key = results.universe.keys[0]
        raise ParameterError(f"it looks at all lists of a run, and has no values of its own by {key}.")
    rankings = results.rankings
    of_units = influence(bound, rankings), bound.range, None, results.means()[row]
    if bound.definition.of_means is None:
        return RunEstimate(*of_units, lambda drawn: bound.score(rankings.take(drawn)).mean())
    parts = RunScores(bound, rankings).parts
    of_drawn = lambda drawn: value_from_means(bound, parts[:, drawn].mean(axis=-1))  # noqa: E731
    return RunEstimate(*of_units, of_drawn, True, parts)


def quantity(results: Results, function: Callable[[Rankings], Any], unit: str | None) -> Estimate:
    """What units say of a quantity of lists, see `Results.quantity`."""
    part, whole = function(results.rankings)
    if whole is None:
        values = results.means_of_units(part[None].astype(np.float64), unit)[1][0]
        return Estimate(values, (0.0, np.inf))
    return Estimate.share(*results.means_of_units(np.stack([part, whole]).astype(np.float64), unit)[1])


def interval(results: Results, row: int) -> Floats:
    """The 95 % interval of a mean; NaN where there is none."""
    if results.topics:
        with suppress(ParameterError):
            bounds: Floats = results.estimate(row).interval()
            return bounds
    return np.full(2, np.nan)
