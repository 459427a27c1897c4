"""Fitting: the level that is best for a measure, of each list or of the whole run, by trying all."""

import numpy as np
import pytest
from generated import queries
from hypothesis import given, settings, strategies as st
from reference_policies import answers, positive

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures import scores
from ir_trunc.truncation import (
    Fixed,
    Greedy,
    Nucleus,
    Oracle,
    ScoreThreshold,
    ShareOfTop,
    Surprise,
    cross_validate,
)
from ir_trunc.truncation._fitting import one_measure

MEASURES = [
    "RBPU", "OIE(D=90)", "nDCGT", "RBPT@5", "SetF", "FlatU(e=0.5)", "UF", "c@1", "c(rel=2)@3",
    "c(unanswered='precision')@1", "c(unanswered='error')@2", "c(unanswered=0.5)@1", "F05u",
    "F05u(positive=2)",
]  # fmt: skip
BOUND = [one_measure(name) for name in MEASURES]


def values(rankings):
    """Of all measures."""
    return [found.mean() for found in scores(BOUND, rankings)]


def value(name, rankings):
    return one_measure(name).score(rankings).mean()


@pytest.mark.full
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 12))
def test_a_fitted_level_is_the_highest_of_the_best_by_trying_all(seed, size):
    rankings = positive(queries(seed, size, longest=10, pool=8))
    shown = rankings.scores[rankings.places]
    tops = (
        shown[np.repeat(np.append(0, np.cumsum(rankings.lengths))[:-1], rankings.lengths)]
        if len(shown)
        else shown
    )
    for kind, some in ((ScoreThreshold, shown), (ShareOfTop, shown / tops)):
        levels = [np.inf, *np.unique(some)[::-1].tolist()]
        tried = [values(rankings.cut(kind(at).cut(rankings))) for at in levels]
        for name, reached in zip(MEASURES, np.transpose(tried), strict=True):
            fitted = kind().fit(rankings, name)
            level = fitted.threshold if kind is ScoreThreshold else fitted.share
            best = reached.max()
            assert value(name, rankings.cut(fitted.cut(rankings))) == pytest.approx(best, abs=1e-12), name
            assert level == max(at for at, one in zip(levels, reached) if one >= best - 1e-12), name
    depths = [values(rankings.cut(d)) for d in range(int(rankings.lengths.max()) + 1)]
    for name, reached in zip(MEASURES, np.transpose(depths), strict=True):
        k = Greedy().fit(rankings, name).k
        assert reached[k] == pytest.approx(reached.max(), abs=1e-12), name
        assert reached[:k].max(initial=-1) < reached.max(), name


AMONG = [{"among": lengths} for lengths in ((0, 2, 5), (3, 1), (2, 20))]


@pytest.mark.parametrize(("kind", "bounds"), [
    (ScoreThreshold, {"at_least": 1}), (ShareOfTop, {"at_most": 3}), (Surprise, {"at_most": 3}),
    (Nucleus, {"at_least": 2, "at_most": 4}),
    *((kind, among) for kind in (ScoreThreshold, ShareOfTop, Nucleus) for among in AMONG),
])  # fmt: skip
def test_a_level_is_fitted_for_the_lengths_that_are_possible(kind, bounds):
    rankings = positive(queries(5, 12, longest=10, pool=8))
    low, high = bounds.get("at_least", 0), bounds.get("at_most", 10)
    depths = bounds.get("among", range(low, high + 1))
    for name in ("RBPU", "SetF", "c@1"):
        kept = kind(**bounds).fit(rankings, name).cut(rankings)
        assert ((kept >= np.minimum(low, rankings.lengths)) & (kept <= high)).all()
        tried = [kind(level, **bounds).cut(rankings) for level in np.linspace(0, 1, 101)]
        best = max(value(name, rankings.cut(cuts)) for cuts in tried)
        assert value(name, rankings.cut(kept)) >= best - 1e-12
        k = Greedy(**bounds).fit(rankings, name).k
        assert k in depths
        assert value(name, rankings.cut(k)) >= max(value(name, rankings.cut(d)) for d in depths) - 1e-12


@pytest.mark.parametrize("measure", ["RBPU", "SetF", "c@1"])
@pytest.mark.parametrize("kind", [Greedy, ScoreThreshold, ShareOfTop])
def test_a_list_of_weight_three_counts_like_three_lists(kind, measure):
    rankings = positive(queries(6, 12, longest=10, pool=8))
    weights = np.arange(12) % 3 + 1
    several = rankings.take(np.repeat(np.arange(12), weights))
    assert kind().fit(rankings, measure, weights) == kind().fit(several, measure)
    with pytest.raises(ParameterError, match="weights: 2 for 12 lists; each list needs one"):
        kind().fit(rankings, measure, [1, 2])


def test_nothing_returned_is_the_best_where_nothing_is_relevant():
    rankings = Rankings.from_lists([[0, 0], [0]], scores=[[2, 1], [1]])
    assert Greedy().fit(rankings, "RBPU") == Fixed(0)
    assert ScoreThreshold().fit(rankings, "RBPU") == ScoreThreshold(np.inf)


def test_what_has_no_level_for_the_whole_run_says_why():
    rankings = answers([1, 0, 1], [0.9, 0.5, 0.4])
    with pytest.raises(
        ParameterError, match=r"c@1 looks at all lists.*Greedy, ScoreThreshold and ShareOfTop"
    ):
        cross_validate(["Oracle"], "c@1", None, {"run": rankings}, folds=3)
    with pytest.raises(ParameterError, match=r"CWS looks at all lists.*no policy can be fitted to it"):
        cross_validate(["ScoreThreshold"], "CWS", None, {"run": rankings}, folds=3)
    assert Oracle("RBPU").fit(rankings, "c@1").cut(rankings).tolist() == [1, 0, 1]
    assert Fixed(1).fit(rankings, "CWS") == Fixed(1)
