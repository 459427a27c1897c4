"""Policies by hand and against other tools."""

import numpy as np
import pytest
from scipy.stats import expon, genpareto, norm

from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import AdaptiveK, Fixed, Knee, LargestGap, ScoreDistribution, Surprise

ELEVEN = [0.9, 0.88, 0.6, 0.59, 0.58, 0.57, 0.56, 0.55, 0.54, 0.53, 0.1]  # ten gaps; AdaptiveK omits the last


@pytest.mark.parametrize(("policy", "scores", "length"), [
    (LargestGap(), ELEVEN, 10),
    (AdaptiveK(), ELEVEN, 7),  # five more than up to the gap
    (AdaptiveK(share=0, buffer=0), ELEVEN, 11),
    (Fixed(9, among=(4, 1)), [5, 4, 3, 2, 1], 4),
    (Knee(), [9, 7, 5, 3, 1], 5),  # a straight line
    (Knee(), [9, 8.9, 8.8, 8.7, 1], 5),  # above the line
    (Knee(), [1, 0.1, 0], 1),  # three documents are enough
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
