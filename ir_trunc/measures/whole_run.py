"""A measure over any of a run's topics: what paired tests, random sets of topics and fitted thresholds need.

A score by topic of a measure of scope 'list' depends on no other topic: over some topics the measure is the
mean of theirs. A measure of scope 'run' is computed anew for every set of topics. For tests each topic has an
influence value instead of its score: the values of different topics are independent to first order, and their
mean is the measure.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import cached_property
from ir_trunc._core.rankings import Bools, Floats, Rankings
from ir_trunc.measures.definition import BoundMeasure
from ir_trunc.measures.lists import Lists

_STEP = 1e-7  # of a mean: central differences are then right to about 1e-9


class RunScores:
    """One run's lists under one measure of scope 'run'."""

    def __init__(self, measure: BoundMeasure, rankings: Rankings):
        self.measure = measure
        self.rankings = rankings if measure.cutoff is None else rankings.cut(measure.cutoff)
        self._lists = Lists(self.rankings, measure.cutoff)

    @cached_property
    def _parts(self) -> Floats:
        return np.array(parts_of(self.measure, self._lists))

    def over(self, sets: Bools) -> Floats:
        """The measure over each of R sets of topics (R x T): R values."""
        if self.measure.definition.of_means is not None:
            return value_of(self.measure, (sets @ self._parts.T / sets.sum(axis=1, keepdims=True)).T)
        return np.array([self.measure.score(self.rankings.take(np.flatnonzero(one))).mean() for one in sets])

    def influence(self) -> Floats:
        """The influence value of every topic (T).

        Raises ParameterError where the measure declares neither `of_means` nor `influence`.
        """
        definition = self.measure.definition
        if definition.influence is not None:
            return definition.influence(self._lists, **self.measure.params)
        if definition.of_means is None:
            raise ParameterError(
                f"{definition.name} looks at all lists of a run: its values by topic depend on each other,"
                " and a test over topics may not take them. Declare of_means= or influence= with the measure"
                " (see ir_trunc.measure)."
            )
        means: Floats = self._parts.mean(axis=1)
        steps = _STEP * np.eye(len(means))
        up, down = (value_of(self.measure, means[:, None] + step) for step in (steps, -steps))
        slopes = (up - down) / (2 * _STEP)
        return value_of(self.measure, means) + slopes @ (self._parts - means[:, None])

    def take(self, topics: list[int]) -> RunScores:
        """The run's lists for some of the topics, by their positions."""
        return RunScores(self.measure, self.rankings.take(topics))


def parts_of(measure: BoundMeasure, lists: Lists) -> tuple[Floats, ...]:
    """Values at the points of the lists from whose means over queries the measure follows.

    A measure of scope 'list' has one part, its own scores. ParameterError where a measure declares none.
    """
    definition = measure.definition
    if definition.scope == "list":
        return (measure.of(lists),)
    if definition.of_means is None:
        raise ParameterError(
            f"{definition.name} looks at all lists of a run, and no policy can be fitted to it: it does not"
            " declare how it follows from means over topics (of_means= of ir_trunc.measure)."
        )
    return definition.of_means[0](lists, **measure.params)


def value_of(measure: BoundMeasure, means: Floats) -> Floats:
    """The measure from the means of its parts (parts x ...)."""
    of_means = measure.definition.of_means
    return means[0] if of_means is None else np.asarray(of_means[1](*means, **measure.params))


def influence(measure: BoundMeasure, rankings: Rankings) -> Floats:
    """For every topic (T) a value that a paired test may take; their mean is the measure."""
    if measure.definition.scope == "list":
        return measure.score(rankings)
    return RunScores(measure, rankings).influence()
