"""A policy that has learned the measure's curve: what it sees, what it learns, which models it takes."""

import sys

import numpy as np
import pytest
from messages import refused
from reference_policies import cuts_of, features as reference_features

from ir_trunc import ParameterError, how_many
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import Fixed, Greedy, Learned, Oracle, ScoreThreshold, cross_validate
from ir_trunc.truncation.policies.learned import FEATURES, features


def topics(count, seed):
    """The answers of a list are those above its one drop, which lies elsewhere in each, at no fixed score."""
    rng = np.random.default_rng(seed)
    lists, scores = [], []
    for _ in range(count):
        relevant, level = int(rng.integers(0, 9)), rng.uniform(0, 5)
        upper = np.sort(rng.uniform(level + 2, level + 3, relevant))[::-1]
        lower = np.sort(rng.uniform(level, level + 1, 15 - relevant))[::-1]
        lists.append([1] * relevant + [0] * (15 - relevant))
        scores.append([*upper.tolist(), *lower.tolist()])
    return Rankings.from_lists(lists, scores=scores)


def test_what_the_model_sees_of_each_cut_is_what_is_documented():
    lists = [[9.0, 7.0, 7.0, 1.0], [3.0], [], [2.0, 2.0]]
    lists += [np.linspace(5, 1, length).tolist() for length in (60, 1000)]
    x, cuts, offsets = features(Rankings.from_lists([[0] * len(scores) for scores in lists], scores=lists))
    assert x.shape == (len(cuts), len(FEATURES))
    for at, scores in enumerate(lists):
        rows = slice(offsets[at], offsets[at + 1])
        assert cuts[rows].tolist() == cuts_of(len(scores))
        expected = [reference_features(scores, k) for k in cuts[rows].tolist()]
        assert x[rows] == pytest.approx(np.array(expected), abs=1e-12)


def test_a_drop_in_the_scores_is_learned():
    """No level of the score, share or length finds it; the largest gap does, but is silent on nil topics only
    here.
    """
    pytest.importorskip("sklearn")
    table = cross_validate("Greedy ScoreThreshold Learned", "SetF", None, {"run": topics(120, 0)}, folds=3)
    score = table.set_index("policy")["score"]
    assert score["Learned"] > max(score["Greedy"], score["ScoreThreshold"]) + 0.05


def test_any_regressor_and_any_classifier_will_do():
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.linear_model import Ridge
    from sklearn.tree import DecisionTreeClassifier

    train, test = topics(60, 1), topics(20, 2)
    for estimator in Ridge(), DecisionTreeClassifier(max_depth=5, random_state=0), DummyClassifier():
        fitted = Learned(estimator).fit(train, "SetF")
        cuts = fitted.cut(test)
        assert ((cuts >= 0) & (cuts <= 15)).all()
        assert fitted.estimator is estimator
        assert not hasattr(estimator, "n_features_in_"), "the estimator of the user stays as it is"
        assert fitted([3.0, 2.9, 0.1]) in range(4)
    # What expects the same of all cuts takes the lowest.
    assert Learned(DummyRegressor()).fit(train, "SetF").cut(test).tolist() == [0] * 20
    empty = Rankings.from_lists([[]] * 3, scores=[[]] * 3)
    assert Learned(DecisionTreeClassifier()).fit(empty, "SetF").cut(empty).tolist() == [0, 0, 0]


def test_a_model_may_expect_an_infinite_score():
    """One without a bound on what it says, such as a ratio: the lowest of such cuts is chosen."""
    base = pytest.importorskip("sklearn.base")

    class Ratio(base.RegressorMixin, base.BaseEstimator):
        def fit(self, x, y):
            return self

        def predict(self, x):
            return np.where(x[:, FEATURES.index("cut: k")] >= 2, np.inf, 0.5)

    lists = topics(9, 4)
    assert Learned(Ratio()).fit(lists, "SetF").cut(lists).tolist() == [2] * 9


def test_it_needs_fitting():
    pytest.importorskip("sklearn")
    refused(ParameterError, "Learned has no model yet: fit it", Learned(), [0.9, 0.5])
    refused(ParameterError, "looks at all lists of a run at once", Learned().fit, topics(30, 3), "c@1")


@pytest.mark.full
def test_how_many_tries_it_where_it_is_asked_to():
    """Not by itself: what is advised would depend on the packages that are installed."""
    pytest.importorskip("sklearn")
    lists = topics(60, 5)
    assert "Learned" not in how_many(None, lists, "SetF").policies
    advice = how_many(None, lists, "SetF", also="Learned")
    assert {"Learned", "Greedy", "ScoreThreshold"} <= {*advice.policies}


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    refused(ImportError, r"pip install 'ir_trunc\[learn\]'", Learned().fit, topics(9, 6), "SetF")
    with pytest.raises(ImportError, match=r"pip install 'ir_trunc\[learn\]'"):
        how_many(None, topics(60, 5), "SetF", also="Learned")


@pytest.mark.parametrize("estimator", [5, "Ridge", Fixed, Greedy(), ScoreThreshold(0.5)], ids=str)
def test_what_is_no_estimator_is_refused(estimator):
    refused(ParameterError, "an estimator of scikit-learn", Learned, estimator)


def test_a_classifier_learns_which_cut_is_the_best():
    """A tree without limits knows the lists that it was fitted on."""
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(random_state=0)
    lists = topics(40, 3)
    assert (Learned(tree).fit(lists, "SetF").cut(lists) == Oracle("SetF").cut(lists)).mean() > 0.9
