"""Conformal risk control: its promise holds on topics that the calibration has not seen, or is refused."""

from functools import cache

import numpy as np
import pytest

from ir_trunc import InputError, ParameterError, calc
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import RiskControlled
from ir_trunc.truncation.policies.risk import _loss

ALL_RISKS = ["missed", "false_answer", "SetR", "Success@1", "SetF"]


@cache
def topics(count, seed):
    """Topics drawn alike: 0 to 4 relevant documents among 12, scores that overlap; one in three is nil."""
    rng = np.random.default_rng(seed)
    lists, scores = [], []
    for _ in range(count):
        relevant = int(rng.integers(1, 5)) * int(rng.random() > 1 / 3)
        grades = np.array([1] * relevant + [0] * (12 - relevant))
        drawn = rng.normal(0.4 + 0.3 * grades, 0.15) + rng.normal(0, 0.05)
        order = np.argsort(-drawn)
        lists.append(grades[order].tolist())
        scores.append((np.maximum(drawn, 0.001) + 0.001)[order].tolist())
    return Rankings.from_lists(lists, lists, scores=scores)


def losses(risk, rankings):
    """The loss of every list at its own end, from the definition."""
    found = []
    for at in range(len(rankings)):
        alone = rankings.take([at])
        relevant = int((alone.judgments.grades > 0).sum())
        kept = int((alone.judged_grades > 0).sum())
        if risk == "missed":
            found.append(1 - kept / relevant if relevant else 0.0)
        elif risk == "false_answer":
            found.append(float(not relevant and alone.lengths[0] > 0))
        else:
            found.append(1 - calc(risk, None, alone).values[0, 0])
    return np.array(found)


@pytest.mark.parametrize("risk", ALL_RISKS)
def test_the_loss_at_every_cut_is_that_of_the_cut_list(risk):
    rankings = topics(30, 5)
    curve, _ = _loss(risk, rankings)
    for k in (0, 1, 3, 12):
        assert curve.reshape(30, 13)[:, k] == pytest.approx(losses(risk, rankings.cut(k)))


@pytest.mark.parametrize(
    ("risk", "alpha", "by"),
    [("missed", 0.2, "score"), ("missed", 0.1, "share"), ("false_answer", 0.1, "score")],
)
def test_the_promise_holds_on_new_topics(risk, alpha, by):
    """The loss of new topics over 400 calibrations on 40 topics each: in the mean at most alpha, and not far
    below it (at most 2 / 41, by the theorem that bounds it from below).
    """
    everything = topics(400 * 60, 1)
    means, lengths = [], []
    for trial in range(400):
        first = trial * 60
        calibrated = RiskControlled(risk, alpha, by).fit(everything.take(range(first, first + 40)))
        new = everything.take(range(first + 40, first + 60))
        kept = new.cut(calibrated.cut(new))
        curve, _ = _loss(risk, new)
        means.append(curve.reshape(20, 13)[np.arange(20), kept.lengths].mean())
        lengths.append(kept.lengths.mean())
    error = np.std(means) / np.sqrt(len(means))
    assert np.mean(means) <= alpha + 2 * error
    assert np.mean(means) >= alpha - 2 / 41 - 2 * error
    assert np.mean(lengths) < 11


def test_the_level_by_hand():
    """Nine topics with a relevant document at ranks 1, 1, 1, 2, 2, 3, 4, 5, 5; scores 9 to 1 by rank.

    Cut after rank k, 3, 5, 6, 7, 9 of 9 have it; (lost + 1) / 10 is .7, .5, .4, .3, .1.
    """
    ranks = [1, 1, 1, 2, 2, 3, 4, 5, 5]
    lists = [[int(at == rank) for at in range(1, 10)] for rank in ranks]
    rankings = Rankings.from_lists(lists, scores=[list(range(9, 0, -1))] * 9)
    for alpha, rank in [(0.7, 1), (0.5, 2), (0.45, 3), (0.4, 3), (0.3, 4), (0.29, 5), (0.1, 5)]:
        calibrated = RiskControlled("missed", alpha).fit(rankings)
        assert calibrated.cut(rankings).tolist() == [rank] * 9, alpha
        assert calibrated.level == 10 - rank
    assert RiskControlled("missed", 0.5, "share").fit(rankings).level == pytest.approx(8 / 9)


def test_the_longest_lists_that_keep_silent_often_enough():
    """Four nil topics of nine, best scores 4, 3, 2, 1: two may be answered, (2 + 1) / 10 <= .3."""
    lists = [[0, 0]] * 4 + [[1, 0]] * 5
    scores = [[4, 0.5], [3, 0.5], [2, 0.5], [1, 0.5], [9, 1], [8, 1], [7, 1], [6, 1], [2.5, 1]]
    rankings = Rankings.from_lists(lists, scores=scores)
    assert RiskControlled("false_answer", 0.3).fit(rankings).level == 2.5
    assert RiskControlled("false_answer", 0.1).fit(rankings).level == 6


def test_a_promise_that_too_few_topics_cannot_back_is_refused():
    rankings = topics(18, 3)
    with pytest.raises(InputError, match="18 topics are too few for this promise; at least 19 are needed"):
        RiskControlled("missed", 0.05).fit(rankings)
    RiskControlled("false_answer", 0.05).fit(topics(19, 3))


def test_a_promise_that_even_whole_lists_do_not_keep_is_refused():
    lists = Rankings.from_lists([[1, 0]] * 20, [[1, 0, 1, 1]] * 20, scores=[[2, 1]] * 20)
    with pytest.raises(InputError, match=r"even whole lists lose 0\.667 on average over 20 topics"):
        RiskControlled("missed", 0.5).fit(lists)
    assert RiskControlled("missed", 0.7).fit(lists).level == 2


def test_a_risk_that_is_no_risk_is_refused():
    for risk in ("mised", "RBPU", "c@1", "AP RR", 5, None):
        with pytest.raises(
            ParameterError, match=r"risk=.*'missed', 'false_answer', or a measure from 0 to 1"
        ):
            RiskControlled(risk, 0.1)
    with pytest.raises(ParameterError, match="Did you mean missed"):
        RiskControlled("mised", 0.1)
    for alpha in (0, 1, -1, float("nan")):
        with pytest.raises(ParameterError, match="alpha"):
            RiskControlled("missed", alpha)
