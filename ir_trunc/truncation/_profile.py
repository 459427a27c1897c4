"""Profiles: what a policy was fitted on, as far as lists without labels can be compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy as np

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Floats, Rankings, offsets_of
from ir_trunc._core.universe import Universe
from ir_trunc._saved import fields_of, from_json
from ir_trunc.truncation._fitting import falling_scores, one_measure, units_of

_DOCUMENTS = {"top score": 1, "gap": 2, "spread": 2}  # that a list needs, to have the feature
POINTS = 100  # of a distribution
_TWO = 2  # values that have a distribution


@dataclass(frozen=True)
class Profile:
    """What a policy was fitted on, as far as lists without labels can be compared with it.

    Attributes
    ----------
    measure : str
        The measure that the policy was fitted to.
    questions : int
        The number of independent questions: of lists, or with keys of values of the outermost key.
    without_answer : float
        The share of the questions that have no relevant document.
    silent : float
        The share of the lists that the policy leaves empty.
    length : float
        The mean of the lengths that it leaves.
    lengths : tuple of pairs
        Each length that it leaves, with the number of lists.
    lower_is_better : bool
        Whether the scores were distances. The policy takes live scores as such, too.
    score : str
        The column or key of the scores, if it was named.
    features : mapping of str to tuple of pairs
        Distributions over the lists: values with the share of lists that have no higher one, at most 100 of
        them. "top score", "gap" (the first score less the second), "spread" (the standard deviation of the
        scores) and "retrieved" (the number of documents).
    """

    measure: str
    questions: int
    without_answer: float
    silent: float
    length: float
    lengths: tuple[tuple[int, int], ...]
    lower_is_better: bool
    score: str
    features: Mapping[str, tuple[tuple[float, float], ...]]

    @classmethod
    def of(cls, policy: Any, rankings: Rankings, measure: Any) -> Profile:
        """The profile of the lists that a policy was fitted on."""
        if measure is not None:
            one_measure(measure)  # that it is one, also where a policy has no use for it
        lengths = policy.cut(rankings)
        values, universe = features_of(rankings).items(), rankings.universe or Universe()
        return cls(
            str(measure),
            independent(rankings),
            float(rankings.judgments.nil_queries.mean()),
            float((lengths == 0).mean()),
            float(lengths.mean()),
            tuple(zip(*(part.tolist() for part in np.unique(lengths, return_counts=True)))),
            universe.lower_is_better,
            universe.score,
            {name: _distribution(value) for name, value in values if len(value) >= _TWO},
        )

    @classmethod
    def from_dict(cls, data: Any, where: str) -> Profile:
        """The profile as JSON holds it; InputError that begins with `where` for anything else."""
        kinds = get_type_hints(cls)
        values = fields_of(data, kinds, where)
        profile = cls(**{name: from_json(values[name], kinds[name], f"{where}, {name}") for name in values})
        for problem in profile._problems():
            raise InputError(f"{where}, {problem}.")
        return profile

    def number_with(self, feature: str) -> int:
        """How many of the independent lists have a feature: a gap takes two documents."""
        fewest = _DOCUMENTS.get(feature, 0)
        shares = [share for value, share in self.features["retrieved"] if value < fewest]
        return round(self.questions * (1 - max(shares, default=0.0))) if feature in self.features else 0

    def _problems(self) -> Iterator[str]:
        """What no lists can have."""
        lists = sum(number for _, number in self.lengths)
        if self.questions < _TWO or lists < self.questions:
            yield f"questions is {self.questions}: from two to the number of lists are needed"
        for name, high in (("without_answer", 1), ("silent", 1), ("length", LARGEST)):
            value = getattr(self, name)
            if not 0 <= value <= high:
                yield f"{name} is {value}: a number from 0 to {high} is needed"
        if any(length < 0 or number < 1 for length, number in self.lengths):
            yield "lengths: lengths from 0 on, each with a number of lists, are needed"
        if "retrieved" not in self.features:
            yield "features: retrieved is missing"
        for name, points in self.features.items():
            values, shares = np.array(points, np.float64).reshape(-1, 2).T
            rise = (np.diff(values) > 0).all() and (np.diff(shares, prepend=0) > 0).all()
            if not (rise and np.isfinite(values).all() and shares[-1:].tolist() == [1]):
                yield f"features, {name}: values that rise, with shares that rise to 1, are needed"


def independent(rankings: Rankings) -> int:
    """The number of independent lists; with keys of values of the outermost key, whose lists may be alike.

    It is lower where some values have many more lists than others.
    """
    sizes = np.bincount(units_of(rankings)[1])
    return int(sizes.sum() ** 2 // (sizes**2).sum()) if len(sizes) else 0


def features_of(rankings: Rankings) -> dict[str, Floats]:
    """Features of lists that need no labels; those of scores only for lists that have enough of them."""
    n = rankings.lengths
    features = {"retrieved": n.astype(np.float64)}
    try:
        scores = falling_scores(rankings)
    except InputError:  # there are none, or they cannot be compared
        return features
    with np.errstate(over="ignore"):
        first = offsets_of(n)[:-1]
        mean = np.bincount(rankings.rows, scores, len(n)) / np.maximum(n, 1)
        square = (scores - mean[rankings.rows]) ** 2
        spread = np.sqrt(np.bincount(rankings.rows, square, len(n)) / np.maximum(n, 1))
        gap = scores[first[n > 1]] - scores[first[n > 1] + 1]
    return {"top score": scores[first[n > 0]], "gap": gap, "spread": spread[n > 1]} | features


def _distribution(values: Floats) -> tuple[tuple[float, float], ...]:
    """Some of the values, evenly spaced by rank, each with the share of values that are not higher."""
    ordered = np.sort(values)
    places = np.unique(np.round(np.linspace(0, len(ordered) - 1, POINTS)).astype(np.int64))
    points = np.unique(ordered[places])
    shares = np.searchsorted(ordered, points, side="right") / len(ordered)
    return tuple(zip(points.tolist(), shares.tolist()))
