"""The choice among policies against reference implementations, written from the definitions."""

from itertools import product
from math import sqrt
from statistics import mean, variance

import numpy as np
import pytest
from scipy import stats

from ir_trunc._core.parameters import generator
from ir_trunc._inference import selection
from ir_trunc._inference.selection import RESAMPLES, bootstrap, choose, separation

RANDOM = np.random.default_rng(3)
QUESTIONS, POLICIES = 30, 4
NIL = np.arange(QUESTIONS) % 3 == 0
VALUES = np.round(RANDOM.random((POLICIES, QUESTIONS)), 2) - np.arange(POLICIES)[:, None] / 20
KEPT = (RANDOM.random((POLICIES, QUESTIONS)) < 0.8) & ~NIL


@pytest.fixture(scope="module", params=[False, True])
def drawn(request):
    """The samples of the bootstrap, drawn as it draws them, and what it made of them."""
    weights = np.where(NIL, 1.5, 0.75) if request.param else np.ones(QUESTIONS)
    random = generator(5)
    kinds = (np.flatnonzero(NIL), np.flatnonzero(~NIL)) if request.param else (np.arange(QUESTIONS),)
    parts = [kind[random.integers(0, len(kind), (RESAMPLES, len(kind)))] for kind in kinds]
    table = np.vstack([VALUES, KEPT, weights, ~NIL * 1.0])
    return np.hstack(parts), weights, bootstrap(table, np.arange(QUESTIONS), NIL & request.param, 5)


def test_the_bootstrap_scores_each_sample_and_the_questions_left_out(drawn):
    samples, weights, draws = drawn
    for number, sample in enumerate(samples[:20].tolist()):
        outside = sorted({*range(QUESTIONS)} - {*sample})
        answerable = [question for question in sample if not NIL[question]]
        kinds = [[q for q in outside if NIL[q] == kind] for kind in (True, False)]
        for policy in range(POLICIES):
            total = sum(VALUES[policy, question] for question in sample)
            expected = total / sum(weights[question] for question in sample)
            assert draws.scores[number, policy] == pytest.approx(expected, rel=1e-12)
            left = mean(VALUES[policy, outside])
            if weights[0] != 1:  # both kinds have their share, 10 of 30 questions with the weight 1.5
                left = sum(mean(VALUES[policy, kind]) / weights[kind[0]] for kind in kinds) / 2
            assert draws.outside[number, policy] == pytest.approx(left, rel=1e-12)
            assert draws.kept[number, policy] == pytest.approx(mean(KEPT[policy, answerable].astype(float)))


@pytest.mark.parametrize(("margin", "keep"), [*product([0.0, 0.05, 0.4], [None, 0.75, 0.99])])
def test_the_simplest_of_those_within_the_margin_is_chosen(drawn, margin, keep):
    *_, draws = drawn
    ranks = np.array([2, 1, 2, 0])
    expected = []
    for scores, kept in zip(draws.scores.tolist(), draws.kept.tolist()):
        places = range(POLICIES)
        if keep is not None:
            places = [p for p in places if kept[p] >= keep] or [p for p in places if kept[p] == max(kept)]
        best = max(scores[place] for place in places)
        near = [place for place in places if scores[place] >= best - margin - 1e-12]
        expected.append(min(near, key=lambda place: (ranks[place], -round(scores[place], 12))))
    assert choose(draws.scores, draws.kept, ranks, margin, keep).tolist() == expected


def test_the_shares_of_the_first_place_are_counted():
    scores = np.array([[0.3, 0.2, 0.3], [0.1, 0.4, 0.2], [0.5, 0.1, 0.5 - 1e-15]])
    assert selection.shares_of_first(scores).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_the_reality_check_counts_leads_that_are_as_large_by_chance(drawn):
    *_, draws = drawn
    scores, references = VALUES.mean(axis=1), np.array([False, True, False, True])
    reference = max((1, 3), key=lambda place: scores[place])
    leads = [scores[place] - scores[reference] for place in (0, 2)]
    as_large = 0
    for sample in draws.scores.tolist():
        by_chance = (sample[place] - sample[reference] - lead for place, lead in zip((0, 2), leads))
        as_large += max(by_chance) >= max(leads) - 1e-12
    of_draws = draws.scores[:, ~references] - draws.scores[:, [reference]]
    assert selection.chance_of_lead(np.array(leads), of_draws) == as_large / RESAMPLES
    assert selection.chance_of_lead(np.zeros(0), np.zeros((RESAMPLES, 0))) == 1


def test_the_separation_is_the_share_of_pairs_in_order_with_the_interval_of_delong():
    top = np.round(RANDOM.normal(0, 1, QUESTIONS) + ~NIL, 1)
    top[:4] = -np.inf  # empty lists
    others, nil = top[~NIL], top[NIL]

    def above(score, other):
        return 1.0 if score > other else 0.5 if score == other else 0.0

    of_others = [mean(above(score, other) for other in nil) for score in others]
    of_nil = [mean(above(score, other) for score in others) for other in nil]
    parts = [variance(of_others) / len(others), variance(of_nil) / len(nil)]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(others) - 1) + parts[1] ** 2 / (len(nil) - 1))
    half, expected = stats.t.ppf(0.975, freedom) * sqrt(sum(parts)), mean(of_others)
    bounds = expected - half, min(expected + half, 1)
    assert separation(top, NIL) == pytest.approx((expected, *bounds))
    assert separation(-top[4:], NIL[4:])[0] < 0.5
    assert np.isnan([separation(None, NIL), separation(top, np.zeros(QUESTIONS, bool))]).all()


@pytest.mark.parametrize("few", [5, 8, 20])
def test_scores_that_do_not_separate_are_rarely_said_to(few):
    """The normal quantile of DeLong's interval would say it of 12 % of samples with five of a kind."""
    nil, random = np.arange(few + 60) < few, np.random.default_rng(few)
    bounds = [separation(random.random(len(nil)), nil)[1:] for _ in range(600)]
    assert np.mean([low > 0.5 or high < 0.5 for low, high in bounds]) < 0.095
