"""scikit-learn: a policy as an estimator, for GridSearchCV, cross_val_score and Pipeline.

A sample is a list: in `X` its scores, from the first document on, and in `y` the grades of its documents in
the same places. Grades beyond the last score are those of documents that were not retrieved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.sklearn needs scikit-learn", "learn"):
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc.truncation._fitting import one_measure
from ir_trunc.truncation._items import numbers_of
from ir_trunc.truncation._policy import lengths_of
from ir_trunc.truncation._text import live_policy

__all__ = ["Truncate"]


class Truncate(BaseEstimator):  # type: ignore[misc]
    """An estimator that predicts how many documents of each list to keep.

    Parameters
    ----------
    policy : Policy or str
        What is fitted: `"ScoreThreshold"`, `"Greedy"`, `Learned(...)`.
    measure : measure or str
        What it is fitted for, and what `score` is the mean of.

    Attributes
    ----------
    policy_ : Policy
        The fitted policy, for `policy_(scores)`, `policy_.keep(items)` and `policy_.save(path)`.

    Examples
    --------
    >>> from ir_trunc.adapters.sklearn import Truncate  # doctest: +SKIP
    >>> lists, grades = [[0.9, 0.8, 0.3], [0.4, 0.2]], [[1, 1, 0], [0, 0]]
    >>> Truncate("ScoreThreshold", "SetF").fit(lists, grades).predict([[0.95, 0.1]])  # doctest: +SKIP
    array([1])
    """

    def __init__(self, policy: Any = "ScoreThreshold", measure: Any = "RBPT(p=0.8)"):
        self.policy = policy
        self.measure = measure

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Truncate:
        """Fit the policy to the measure on lists and their grades."""
        self.policy_ = live_policy(self.policy).fit(_rankings(X, y), self.measure)
        return self

    def predict(self, X: Sequence[Any]) -> Ints:
        """How many documents of each list to keep."""
        check_is_fitted(self)
        return lengths_of(self.policy_, _rankings(X).unjudged())

    def transform(self, X: Sequence[Any]) -> list[Any]:
        """The scores that are kept of each list."""
        return [row[:k] for row, k in zip(X, self.predict(X).tolist())]

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """The mean of the measure over the lists as the policy ends them."""
        judged = _rankings(X, y)
        return float(one_measure(self.measure).score(judged.cut(self.predict(X))).mean())


def _rankings(lists: Sequence[Any], grades: Sequence[Any] | None = None) -> Rankings:
    scores = [numbers_of(row) for row in lists]
    if grades is None:
        return Rankings.from_lists([[None] * len(row) for row in scores], [[]] * len(scores), scores=scores)
    judged = [np.asarray(row).tolist() for row in grades]
    if not all(isinstance(row, list) for row in judged):
        raise InputError("y has one value for a list: a row of grades is needed, one for each document.")
    if len(judged) != len(scores):
        raise InputError(f"{len(judged)} rows of grades for {len(scores)} lists: one for each is needed.")
    for number, (row, labels) in enumerate(zip(scores, judged)):
        if len(labels) < len(row):
            problem = f"has {len(row)} scores, but {len(labels)} grades: one each is needed"
            raise InputError(f"list {number} {problem}.")
    own = [labels[: len(row)] for row, labels in zip(scores, judged)]
    return Rankings.from_lists(own, judged, scores=scores)
