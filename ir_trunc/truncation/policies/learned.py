"""A model of scikit-learn that predicts the score of a list at each length."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.curve import lowest_of_best
from ir_trunc._core.errors import ParameterTypeError, shown
from ir_trunc._core.lazy import needed
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc.measures.lists import running
from ir_trunc.measures.params import Kind
from ir_trunc.truncation._fitting import curve_of, falling_scores
from ir_trunc.truncation._policy import BOUNDS, Policy, policy, unfitted

__all__ = ["FEATURES", "Learned"]

_BICUT = "BiCut (Lien, Cohen & Croft, ICTIR 2019, https://doi.org/10.1145/3341981.3344234)"
_CHOPPY = "Choppy (Bahri et al., SIGIR 2020, https://doi.org/10.1145/3397271.3401188)"

FEATURES = (
    "cut: k",
    "share: k / n",
    "length: n",
    "score: s_k; s_1 for k = 0",
    "next: s_(k+1); s_n for k = n",
    "gap: score - next",
    "level: (s_k - s_n) / (s_1 - s_n); 1 for k = 0, and where all are equal",
    "first: s_1",
    "mean: of all scores",
    "spread: their standard deviation",
    "skew: their third moment about the mean, over spread^3; 0 where spread is 0",
    "kept: mean of s_1 ... s_k; s_1 for k = 0",
)
"""The features of a list s_1 ... s_n that is cut after k documents, in this order."""

# Every length to 20, then lengths about 5 % apart: in long lists the score changes little between neighbours.
_CUTS = np.unique(np.concatenate([np.arange(21), np.round(20 * 1.05 ** np.arange(1, 400))])).astype(np.int64)

_LARGEST = 1e30  # bound of scores: some models use 32-bit floats
_SAME = 1e-12  # as for best cuts


class Estimator(Kind):
    """A regressor or a classifier as scikit-learn has them."""

    allowed = "an estimator of scikit-learn: an object with fit, predict and get_params"

    def clean(self, name: str, value: Any) -> Any:
        """The estimator."""
        ok = all(callable(getattr(value, method, None)) for method in ("fit", "predict", "get_params"))
        if not ok or isinstance(value, type):
            raise ParameterTypeError(f"{name}={shown(value)}: {self.allowed} is needed.")
        return value


@policy(source=f"a relative, on features, of {_BICUT} and {_CHOPPY}", idempotent=False, written=False)
class Learned(Policy):
    """The cut with the highest expected score, as a model expects it.

    the lowest k with the highest E[score at k | features], k = 0..20, then about 5 % apart, and n

    A regressor learns the score of the measure at each cut of each training list. A classifier learns whether
    a cut is the best of its list, and the cut with the highest probability is chosen. The features of a cut
    are those of `ir_trunc.truncation.policies.learned.FEATURES`. The default estimator is scikit-learn's
    HistGradientBoostingRegressor(max_iter=100, max_depth=4, random_state=0). A call costs what the
    model's `predict` costs: for the default model a call on 100 scores takes about 0.7 ms, 0.55 of them in
    `predict`. `joblib.dump` saves a fitted policy.
    """

    needs = "sklearn"

    estimator: Annotated[Any, Estimator("regressor or classifier; gradient boosting if not given")] = None
    model: Annotated[Any, Estimator("the estimator, fitted; fitted where it is not given")] = None

    def __str__(self) -> str:
        inside = [f"{name}={getattr(self, name)}" for name in BOUNDS if getattr(self, name) is not None]
        if self.estimator is not None:
            inside.insert(0, shown(self.estimator))
        return f"Learned({', '.join(inside)})" if inside else "Learned"

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Learned:
        """The policy with a model fitted on the measure's curves."""
        if self.model is not None:
            return self
        with needed("Learned needs scikit-learn", "learn"):
            from sklearn.base import clone, is_classifier
            from sklearn.ensemble import HistGradientBoostingRegressor
        curve = curve_of(measure, rankings)
        x, cuts, offsets = features(rankings)
        rows, points = np.repeat(np.arange(len(rankings)), np.diff(offsets)), np.diff(curve.offsets)
        y: npt.NDArray[Any] = curve.values[curve.offsets[:-1][rows] + np.minimum(cuts, points[rows] - 1)]
        known = ~np.isnan(y)  # of graded answers, the shortest lists may have none
        if weights is not None:
            y = y * weights[rows]
        estimator = self.estimator
        if estimator is None:
            estimator = HistGradientBoostingRegressor(max_iter=100, max_depth=4, random_state=0)
        if is_classifier(estimator):
            best = np.zeros(len(y), bool)
            best[offsets[:-1] + lowest_of_best(y, offsets, _SAME)[0]] = True
            y = best
        return replace(self, model=clone(estimator).fit(x[known], y[known]))

    def lengths(self, rankings: Rankings) -> Ints:
        """The cut with the highest expected score (Q)."""
        x, cuts, offsets = features(rankings)
        if self.model is None:
            raise unfitted(self, "model")
        if len(x) == 0:
            return np.zeros(0, np.int64)
        place, _ = lowest_of_best(_expected(self.model, x), offsets)
        return cuts[offsets[:-1] + place]


def _expected(model: Any, x: Floats) -> Floats:
    """The expected score of each cut, or its probability to be the best."""
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(x), np.float64)
    positive = np.flatnonzero(model.classes_)
    probabilities = model.predict_proba(x)
    return np.asarray(probabilities[:, positive[0]], np.float64) if len(positive) else np.zeros(len(x))


def features(rankings: Rankings) -> tuple[Floats, Ints, Ints]:
    """The features of every cut that is tried (cuts x features), the cuts, and the offsets of the lists."""
    scores, n = np.clip(falling_scores(rankings), -_LARGEST, _LARGEST), rankings.lengths
    counts = np.searchsorted(_CUTS, n) + 1  # the cuts below n, and n
    offsets, lists = offsets_of(counts), np.repeat(np.arange(len(n)), counts)
    place = np.arange(len(lists)) - offsets[:-1][lists]
    k = np.where(place == counts[lists] - 1, n[lists], _CUTS[np.minimum(place, len(_CUTS) - 1)])
    rows, size, padded = rankings.rows, np.maximum(n, 1), np.append(scores, 0.0)

    def total(values: Floats) -> Floats:
        return np.bincount(rows, values, len(n)).astype(np.float64, copy=False)

    mean = total(scores) / size
    deviation = scores - mean[rows]
    spread = np.sqrt(total(deviation * deviation) / size)
    third_moment = total(deviation * deviation * deviation) / size
    skew = np.divide(third_moment, spread**3, np.zeros(len(n)), where=spread > 0)
    above = np.append(running(scores, offsets_of(n)), 0.0)

    def position(place: Ints) -> Ints:
        """The position of a document of each cut's list among all scores; -1 (a 0) for an empty list."""
        return np.where(n[lists] > 0, offsets_of(n)[:-1][lists] + place, -1)

    first, last = padded[position(np.zeros_like(k))], padded[position(n[lists] - 1)]
    score, following = padded[position(np.maximum(k, 1) - 1)], padded[position(np.minimum(k, n[lists] - 1))]
    kept = above[position(np.maximum(k, 1) - 1)] / np.maximum(k, 1)
    spanned = first - last
    level = np.divide(score - last, spanned, np.ones(len(k)), where=spanned > 0)
    of_cut = (k, k / size[lists], n[lists], score, following, score - following, level, first)
    of_list = (mean[lists], spread[lists], skew[lists])
    return np.stack((*of_cut, *of_list, kept), axis=1).astype(np.float64), k, offsets
