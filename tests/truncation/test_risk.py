"""RiskControlled: its promise holds on topics that the calibration has not seen, or it finds no level."""

import math
from functools import cache

import numpy as np
import pytest
from messages import refused
from scipy.stats import binom

from ir_trunc import InputError, IrTruncWarning, ParameterError, calc, rank
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import RiskControlled, ScoreThreshold
from ir_trunc.truncation.policies.risk import _fewest_topics, _p_values

ALL_RISKS = ["missed", "dropped", "false_answer", "SetR", "Success@1", "SetF", "RBPT"]


@cache
def topics(count, seed, missing=0.0):
    """Topics drawn alike: 0 to 4 relevant documents among 12, scores that overlap; one in three is nil.

    The retriever misses this share of the relevant documents.
    """
    rng = np.random.default_rng(seed)
    lists, pools, scores = [], [], []
    for _ in range(count):
        relevant = int(rng.integers(1, 5)) * int(rng.random() > 1 / 3)
        retrieved = np.sum(rng.random(relevant) >= missing)
        grades = np.array([1] * retrieved + [0] * (12 - retrieved))
        drawn = 1 + rng.normal(0.4 + 0.4 * grades, 0.12) + rng.normal(0, 0.05)
        order = np.argsort(-drawn)
        lists.append(grades[order].tolist())
        pools.append([1] * relevant + [0] * 12)
        scores.append(drawn[order].tolist())
    return Rankings.from_lists(lists, pools, scores=scores)


def losses(risk, rankings, whole):
    """The loss of every list, from the definition; `whole` are the lists before they were cut."""

    def relevant_in(rows, grades):
        return np.bincount(rows[grades > 0], minlength=len(rankings))

    judged = relevant_in(rankings.judgments.rows, rankings.judgments.grades)
    kept = relevant_in(rankings.judged_rows, rankings.judged_grades)
    if risk == "false_answer":
        return (judged == 0) & (rankings.lengths > 0)
    if risk in ("missed", "dropped"):
        some = judged if risk == "missed" else relevant_in(whole.judged_rows, whole.judged_grades)
        return np.where(some > 0, 1 - kept / np.maximum(some, 1), 0)
    return 1 - calc(risk, None, rankings).values[0]


def p_value(by_topic, alpha):
    """Hoeffding-Bentkus (Bates et al. 2021, https://arxiv.org/abs/2101.02703) from the definition."""
    n, mean = len(by_topic), float(np.mean(by_topic))
    a = min(mean, alpha)
    h = (a * math.log(a / alpha) if a else 0) + (1 - a) * math.log((1 - a) / (1 - alpha))
    return min(math.exp(-n * h), math.e * binom.cdf(math.ceil(round(n * mean, 9)), n, alpha))


def reference_level(risk, alpha, by, delta, rankings):
    """The last level of the sequence before the first that is not shown, or None."""

    def keys_of(lists):
        top = np.repeat(lists.first_scores, lists.lengths) if by == "share" else 1
        return lists.scores[lists.places] / top

    def losses_at(level, lists):
        lengths = np.bincount(lists.rows[keys_of(lists) >= level], minlength=len(lists))
        of_all = losses(risk, lists.cut(lengths), lists)
        return of_all[lists.judgments.nil_queries] if risk == "false_answer" else of_all

    def levels_of(lists):
        return [*sorted(set(keys_of(lists).tolist())), math.inf]

    start, tested = -math.inf, rankings
    if risk not in ("missed", "dropped", "false_answer"):
        order, n = np.random.default_rng(0).permutation(len(rankings)), len(rankings)
        learning, tested = (rankings.take(np.sort(part)) for part in (order[: n // 2], order[n // 2 :]))
        means = {level: losses_at(level, learning).mean() for level in levels_of(learning)}
        start = min(level for level in means if means[level] <= min(means.values()) + 1e-12)
        start = -math.inf if start == min(means) else start
    levels = [level for level in levels_of(tested) if level >= start]
    last = None
    for level in levels[::-1] if risk == "false_answer" else levels:
        if p_value(losses_at(level, tested), alpha) > delta:
            break
        last = level
    return last


@pytest.mark.parametrize("by", ["score", "share"])
@pytest.mark.parametrize(("risk", "alpha"), list(zip(ALL_RISKS, [0.3, 0.2, 0.2, 0.75, 0.75, 0.85, 0.65])))
def test_the_level_is_the_last_that_is_shown_to_keep_the_promise(risk, alpha, by):
    rankings = topics(80, 5, 0.05).cut(6)
    level = reference_level(risk, alpha, by, 0.1, rankings)
    assert RiskControlled(risk, alpha, by).fit(rankings).level == pytest.approx(level)


def test_the_level_of_conformal_risk_control_by_hand():
    """Nine topics with a relevant document at ranks 1, 1, 1, 2, 2, 3, 4, 5, 5; scores 9 to 1 by rank.

    Cut after rank k, 3, 5, 6, 7, 9 of 9 have it; (lost + 1) / 10 is .7, .5, .4, .3, .1.
    """
    lists = [[int(k == place) for k in range(1, 10)] for place in [1, 1, 1, 2, 2, 3, 4, 5, 5]]
    rankings = Rankings.from_lists(lists, scores=[list(range(9, 0, -1))] * 9)
    for alpha, k in [(0.7, 1), (0.5, 2), (0.45, 3), (0.4, 3), (0.3, 4), (0.29, 5), (0.1, 5)]:
        fitted = RiskControlled("dropped", alpha, delta="mean").fit(rankings)
        assert fitted.cut(rankings).tolist() == [k] * 9, alpha
        assert fitted.level == 10 - k
    assert RiskControlled("dropped", 0.5, "share", delta="mean").fit(rankings).level == pytest.approx(8 / 9)


def test_the_longest_lists_that_keep_silent_often_enough():
    """Four nil topics of nine, best scores 4, 3, 2, 1: two may be answered, (2 + 1) / 10 <= .3."""
    lists = [[0, 0]] * 4 + [[1, 0]] * 5
    scores = [[4, 0.5], [3, 0.5], [2, 0.5], [1, 0.5], [9, 1], [8, 1], [7, 1], [6, 1], [2.5, 1]]
    rankings = Rankings.from_lists(lists, scores=scores)
    assert RiskControlled("false_answer", 0.3, delta="mean", given="all").fit(rankings).level == 2.5
    assert RiskControlled("false_answer", 0.1, delta="mean", given="all").fit(rankings).level == 6
    assert RiskControlled("false_answer", 0.3, delta="mean").fit(rankings).level == 6  # 0 + 1 of 4 + 1
    assert RiskControlled("false_answer", 0.4, delta="mean").fit(rankings).level == 4  # 1 + 1 of 4 + 1


def test_false_answers_are_a_share_of_the_unanswerable_topics():
    """Of 300 topics 30 are nil: over all topics, 10 % false answers are what answering everything gives."""
    rng = np.random.default_rng(0)
    lists = [[1, 0]] * 270 + [[0, 0]] * 30
    scores = -np.sort(-(rng.normal(0, 1, (300, 2)) + 1.5 * np.array(lists)), axis=1)
    rankings = Rankings.from_lists(lists, scores=scores.tolist())
    answered = RiskControlled("false_answer", 0.15).fit(rankings).cut(rankings) > 0
    assert answered[rankings.judgments.nil_queries].mean() <= 0.15 < answered.mean()
    with pytest.warns(IrTruncWarning, match=r"10\.0% of the topics are unanswerable.*every level keeps"):
        everything = RiskControlled("false_answer", 0.15, given="all").fit(rankings)
    assert everything.cut(rankings).all()
    with pytest.warns(IrTruncWarning, match=r"answerable.*every level keeps"):
        RiskControlled("missed", 0.95).fit(rankings)


def test_the_mean_is_over_the_topics_that_are_named():
    """A promise over the answerable topics is that of a calibration without the others."""
    everything = topics(120, 3)
    answerable = everything.take(np.flatnonzero(~everything.judgments.nil_queries))
    alone = RiskControlled("missed", 0.3).fit(answerable)
    named = RiskControlled("missed", 0.3, given="answerable").fit(everything)
    assert named.cut(answerable).tolist() == alone.cut(answerable).tolist()
    assert RiskControlled("missed", 0.3).fit(everything).level > alone.level


@pytest.mark.parametrize(("policy", "fewest"), [
    (RiskControlled("missed", 0.1), 22),  # .9^22 <= .1
    (RiskControlled("RBPT", 0.1), 44),  # half of them test
    (RiskControlled("missed", 0.05, delta=0.5), 14),
    (RiskControlled("dropped", 0.05, delta="mean"), 19),
    (RiskControlled("missed", 0.1, given="answerable"), 22),
    (RiskControlled("false_answer", 0.1), 22),
    (RiskControlled("false_answer", 0.1, delta="mean"), 9),
])  # fmt: skip
def test_a_promise_that_too_few_topics_cannot_show_is_refused(policy, fewest):
    lists = Rankings.from_lists([[int(policy.risk != "false_answer")]] * fewest, scores=[[1.0]] * fewest)
    assert policy.fit(lists).cut(lists).tolist() == [int(policy.risk != "false_answer")] * fewest
    topics = rf"{fewest - 1} (un)?(answerable )?topics"
    with pytest.raises(InputError, match=rf"{topics} are too few .* at least {fewest} are needed"):
        policy.fit(lists.take(range(fewest - 1)))


def test_a_promise_that_no_level_keeps_is_refused_and_one_between_the_ends_is_kept():
    lists = Rankings.from_lists([[1, 0]] * 40, [[1, 0, 1, 1]] * 40, scores=[[2, 1]] * 40)
    with pytest.raises(InputError, match=r"no level is shown .* lose least lose 0\.667 on average over 40"):
        RiskControlled("missed", 0.5).fit(lists)
    assert RiskControlled("missed", 0.9).fit(lists).level == 2
    between = Rankings.from_lists([[1, 0, 0, 0]] * 60, scores=[[4, 3, 2, 1]] * 60)
    assert RiskControlled("RBPT", 0.2).fit(between) == RiskControlled("RBPT", 0.2, level=4.0)
    assert ScoreThreshold(4).cut(between).tolist() == [1] * 60


@pytest.mark.parametrize("risk", ["missed", "RBPT"])
def test_lists_of_one_unit_are_not_counted_as_independent(risk):
    """Each of 60 questions has the same list on 3 days, or one list: the level is the same."""
    days = [f"{day}" for day in range(3)]
    draw, qrels, run = np.random.default_rng(0), {}, {}
    for question in range(60):
        qrels[f"q{question:02}"] = {"a": 1}
        run[f"q{question:02}"] = {"a": draw.normal(2, 0.5), "b": draw.normal(1, 0.2), "c": 0.1}
    nested = [{f"{q}/{day}": docs for q, docs in data.items() for day in days} for data in (qrels, run)]
    policy = RiskControlled(risk, 0.4)
    assert policy.fit(rank(*nested, keys="question/day")).level == policy.fit(rank(qrels, run)).level
    few = rank(*nested, keys="question/day").take(range(6))
    refused(InputError, "2 topics are too few", policy.fit, few)


def test_a_risk_that_is_no_risk_is_refused():
    for risk in ("RBPU", "c@1"):
        why = r"risk=.*'missed', 'dropped', 'false_answer', 'wrong', or a measure"
        refused(ParameterError, why, RiskControlled, risk, 0.1)
    for risk in ("missed", "RBPT"):
        with pytest.raises(ParameterError, match="delta='mean' holds only for losses that are known to be 0"):
            RiskControlled(risk, 0.1, delta="mean")


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_p_values_and_the_fewest_topics_are_those_of_the_definitions(alpha):
    means = np.arange(0, 21) / 40
    expected = [p_value([mean] * 20, alpha) for mean in means]
    assert _p_values(means, 20, alpha).tolist() == pytest.approx(expected)
    assert _fewest_topics(0.05, "mean") == 19  # 1 / (n + 1) is the bound on a loss of 0
    assert _fewest_topics(0.05, 0.1) == 45  # .95^45 is the first below .1


def test_whole_lists_are_tested_first_where_they_lose_least():
    """The half that is tested has its relevant documents below all scores of the half that chooses."""
    tested = set(np.random.default_rng(0).permutation(60)[30:].tolist())
    scores = [[1.0, 0.1 if topic in tested else 0.5] for topic in range(60)]
    lists = Rankings.from_lists([[0, 1]] * 60, scores=scores)
    assert RiskControlled("SetR", 0.2).fit(lists).level == 0.1
