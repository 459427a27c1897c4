"""Policies by hand and against other tools: nothing beats the oracle."""

from functools import cache

import numpy as np
import pytest
from generated import ALL, queries
from naive_policies import BLIND, positive
from scipy.stats import expon, genpareto, norm

from ir_trunc import calc, rank, read_qrels
from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.truncation import (
    AdaptiveK,
    Knee,
    LargestGap,
    Oracle,
    ScoreDistribution,
    ScoreThreshold,
    ShareOfTop,
    Surprise,
)


@cache
def sixteen_lists():
    """The same for all measures, and how each policy cuts them."""
    rankings = positive(queries(0, 16))
    return rankings, [policy.fit(rankings, "SetF").cut(rankings) for policy in BLIND]


@pytest.mark.parametrize(
    "definition", [d for d in ALL if d.scope == "list" and not d.lower_is_better], ids=lambda d: d.name
)
def test_no_policy_beats_the_oracle_on_its_measure(definition):
    given_ = {CUTOFF: 5} if CUTOFF in definition.params else {}
    bound = definition.bind(given_ | ({"D": 90} if "D" in definition.params else {}))
    text = f"{definition.name}{'(D=90)' if 'D' in definition.params else ''}{'@5' if given_ else ''}"
    rankings, cuts = sixteen_lists()
    best = bound.score(rankings.cut(Oracle(text).cut(rankings)))
    scores = bound.score(rankings.take(np.tile(np.arange(16), len(cuts))).cut(np.concatenate(cuts)))
    for policy, reached in zip(BLIND, scores.reshape(len(cuts), 16), strict=True):
        assert (reached <= best).all(), policy


ELEVEN = [0.9, 0.88, 0.6, 0.59, 0.58, 0.57, 0.56, 0.55, 0.54, 0.53, 0.1]  # ten gaps; AdaptiveK omits the last


@pytest.mark.parametrize(("policy", "scores", "length"), [
    (LargestGap(), [3.0], 1),
    (LargestGap(), [1.7e308, -1.7e308], 1),  # a difference that overflows
    (LargestGap(), [5, 5, 5], 3),  # equal scores have no gap
    (LargestGap(), ELEVEN, 10),
    (AdaptiveK(), ELEVEN, 7),  # five more than up to the gap
    (AdaptiveK(buffer=0), ELEVEN, 2),
    (AdaptiveK(share=1), ELEVEN, 11),
    (AdaptiveK(share=0, buffer=0), ELEVEN, 11),
    (Knee(), [9, 5, 1.2, 1.1, 1], 2),  # furthest below the line at the third
    (Knee(), [9, 7, 5, 3, 1], 5),  # a straight line
    (Knee(), [9, 8.9, 8.8, 8.7, 1], 5),  # above the line
    (Knee(), [1, 0.1, 0], 1),  # three documents are enough
    (Knee(), [1, 0.5, 0], 3),
    (Knee(), [9, 1], 2),
    (Knee(), [9], 1),
])  # fmt: skip
def test_lengths_by_hand(policy, scores, length):
    assert policy(scores) == length


def test_surprise_is_the_improbability_in_the_distribution_that_scores_were_drawn_from():
    """Of exponential scores the surprise is the excess over the last, in units of the mean."""
    rng = np.random.default_rng(0)
    for shape in (-0.3, 0.0, 0.4):
        drawn = np.sort(genpareto(shape, scale=2.0).rvs(10_000, random_state=rng))[::-1]
        rankings = Rankings.from_lists([[0] * len(drawn)], scores=[drawn.tolist()])
        expected = -genpareto(shape, scale=2.0).logsf(drawn)
        assert Surprise()._keys(rankings)[200:] == pytest.approx(expected[200:], rel=0.05, abs=0.02)


def test_the_mixture_is_found_that_scores_were_drawn_from():
    """200 relevant documents around 8 among 2,000 others: the probability is that of Bayes' rule."""
    rng = np.random.default_rng(0)
    relevant, others = rng.normal(8, 0.7, 200), rng.exponential(1.0, 2000)
    scores = np.sort(np.concatenate([relevant, others]))[::-1]
    rankings = Rankings.from_lists([[0] * len(scores)], scores=[scores.tolist()])
    density = 200 * norm(8, 0.7).pdf(scores), 2000 * expon().pdf(scores)
    found, expected = ScoreDistribution()._keys(rankings), density[0] / (density[0] + density[1])
    inside = scores < 8
    assert np.abs(found[inside] - expected[inside]).max() < 0.1
    assert (np.diff(found) <= 0).all()
    assert abs(int(ScoreDistribution(0.5).cut(rankings)[0]) - 200) < 20


def test_a_share_of_the_top_needs_a_top_above_zero():
    with pytest.raises(InputError, match="topic 2 has 0 for its first document"):
        ShareOfTop(0.5).cut(Rankings.from_lists([[1], [1, 0]], scores=[[1.0], [0.0, -1.0]]))


@pytest.mark.filterwarnings("ignore:.*nil quer")
def test_policies_look_at_ranked_runs():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9, "x": 0.2}, "2": {"y": 0.3, "z": 0.1}}
    assert LargestGap().cut(rank(qrels, run)).tolist() == [1, 1]
    assert ScoreThreshold(0.5).cut(rank(read_qrels(qrels), run, topics=["1", "3"])).tolist() == [1, 0, 0]
    with pytest.raises(InputError, match=r"ir_trunc\.rank"):
        LargestGap().cut(calc("AP", qrels, run).rankings)
