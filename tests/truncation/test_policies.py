"""Laws of policies: what they may see, that fitting finds the best, and that nothing beats the oracle."""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from generated import ALL, queries, rankings_of, runs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import expon, genpareto, norm

from ir_trunc import calc, rank, read_qrels
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.truncation import (
    AdaptiveK,
    Fixed,
    Given,
    Greedy,
    Knee,
    LargestGap,
    Oracle,
    ScoreDistribution,
    ScoreThreshold,
    ShareOfTop,
    Surprise,
    cross_validate,
    parse_policy,
)
from ir_trunc.truncation._fitting import curve_of
from ir_trunc.truncation._validation import held_out_cuts, topic_folds
from ir_trunc.truncation.policies import distributions
from ir_trunc.truncation.policies.distributions import probabilities, surprises

FITTED = [Greedy(), ScoreThreshold(), ShareOfTop(), Surprise(), ScoreDistribution()]
BLIND = [*FITTED, LargestGap(), AdaptiveK(), Knee(), Fixed(0), Fixed(3), ScoreThreshold(0.5), ShareOfTop(0.9)]
MEASURES = ["RBPU", "OIE(D=90)", "nDCGT", "RBPT@5", "SetF", "FlatU(e=0.5)", "UF"]
a_measure = st.sampled_from(MEASURES)


def positive(run):
    """Scores above 0, which ShareOfTop needs, and up to 1, which K1 needs."""
    return rankings_of([replace(q, scores=[above_0(s) for s in q.scores]) for q in run])


@cache
def sixteen_lists(seed):
    """The same for all measures."""
    return positive(queries(seed, 16))


@pytest.fixture
def mixtures_once(monkeypatch):
    """The slowest step of all policies is made once for the same lists."""
    monkeypatch.setattr(distributions, "probabilities", mixtures)


mixtures = cache(distributions.probabilities)


def above_0(score):
    return (score + 0.01) / 2


def mean_at(measure, rankings, cuts):
    return curve_of(measure, rankings).at(cuts).mean()


# What a policy may do.


@given(run=runs, measure=a_measure)
def test_cuts_lie_between_nothing_and_the_whole_list(run, measure):
    rankings = positive(run)
    for policy in BLIND:
        cuts = policy.fit(rankings, measure).cut(rankings)
        assert cuts.dtype == np.int64, policy
        assert ((cuts >= 0) & (cuts <= rankings.lengths)).all(), policy


@pytest.mark.parametrize(
    "definition", [d for d in ALL if d.scope == "list" and not d.lower_is_better], ids=lambda d: d.name
)
def test_no_policy_beats_the_oracle_on_its_measure(definition, mixtures_once):
    given_ = {CUTOFF: 5} if CUTOFF in definition.params else {}
    bound = definition.bind(given_ | ({"D": 90} if "D" in definition.params else {}))
    text = f"{definition.name}{'(D=90)' if 'D' in definition.params else ''}{'@5' if given_ else ''}"
    for seed in range(4):
        rankings = sixteen_lists(seed)
        best = bound.score(rankings.cut(Oracle(text).cut(rankings)))
        cuts = [policy.fit(rankings, text).cut(rankings) for policy in BLIND]
        scores = bound.score(rankings.take(np.tile(np.arange(16), len(cuts))).cut(np.concatenate(cuts)))
        for policy, reached in zip(BLIND, scores.reshape(len(cuts), 16), strict=True):
            assert (reached <= best).all(), (policy, seed)


@given(
    run=st.builds(queries, st.integers(0, 1000), st.integers(4, 12)),
    measure=a_measure,
    seed=st.integers(0, 9),
)
def test_cuts_do_not_look_at_test_judgments(run, measure, seed):
    """The judgments of one part are thrown away, and grades given at random: the cuts of that part stay."""
    rankings, rng = positive(run), np.random.default_rng(seed)
    parts = topic_folds(len(rankings), 3, seed)
    tested = parts[0]
    others = np.delete(np.arange(len(run)), tested)
    noise = [replace(q, grades=[*q.grades], judged=[*q.judged]) for q in run]
    for at in tested:
        grades = [int(g) for g in rng.integers(0, 4, len(run[at].grades))]
        noise[at] = replace(run[at], grades=grades, judged=[*grades, 1, 3])
    changed = positive(noise)
    for policy in BLIND:
        fitted = policy.fit(rankings.take(others), measure)
        assert fitted.cut(rankings.take(tested)).tolist() == fitted.cut(changed.take(tested)).tolist(), policy
        before, after = (
            held_out_cuts(fitted, measure, lists, parts)[tested] for lists in (rankings, changed)
        )
        assert before.tolist() == after.tolist(), policy


def test_cross_validation_shows_judgments_only_to_those_who_say_that_they_see_them():
    seen = []

    @dataclass(frozen=True)
    class Curious:
        sees_judgments: bool

        def fit(self, rankings, measure):
            seen.append(("fit", len(rankings.judgments.grades) > 0))
            return self

        def cut(self, rankings):
            seen.append(("cut", len(rankings.judgments.grades) > 0 or len(rankings.judged_ranks) > 0))
            return rankings.lengths

    rankings = rankings_of(queries(3, 12))
    cross_validate([Curious(False)], "RBPU", None, {"run": rankings}, folds=2)
    assert seen == [("fit", True), ("cut", False)] * 2
    seen.clear()
    cross_validate([Curious(True)], "RBPU", None, {"run": rankings}, folds=2)
    assert seen == [("fit", True), ("cut", True)] * 2


def test_cross_validation_fits_on_other_topics_than_it_cuts():
    seen = []

    class Watching:
        def fit(self, rankings, measure):
            seen.append([rankings.topics])
            return self

        def cut(self, rankings):
            seen[-1].append(rankings.topics)
            return rankings.lengths

    rankings = rankings_of(queries(3, 11))
    cross_validate([Watching()], "RBPU", None, {"run": rankings}, folds=4)
    assert len(seen) == 4
    for fitted, cut in seen:
        assert sorted([*fitted, *cut], key=int) == list(rankings.topics)
    assert sorted((topic for _, cut in seen for topic in cut), key=int) == list(rankings.topics)


NONSENSE = [[-1, 2], [1], [[1, 2]], [math.nan, 1], [1.5, 1], [True, True], ["1", "2"], [[1], [1, 2]], None]


@pytest.mark.parametrize("answer", NONSENSE, ids=str)
def test_a_policy_of_one_s_own_that_answers_nonsense_is_named(answer):
    class Mine:
        def fit(self, rankings, measure):
            return self

        def cut(self, rankings):
            return answer

        def __str__(self):
            return "Mine"

    rankings = Rankings.from_lists([[1, 0]] * 4)
    with pytest.raises(InputError, match="Mine: `cut` must return a whole length >= 0 for each of 2 topics"):
        cross_validate([Mine()], "RBPU", None, {"run": rankings}, folds=2)


def test_a_policy_may_ask_for_more_documents_than_there_are():
    rankings = Rankings.from_lists([[1, 0], [1], [], [0]])
    table = cross_validate([Fixed(99)], "RBPU", None, {"run": rankings}, folds=2)
    assert table["length"].tolist() == [1.0]


# What fitting finds.


@given(run=runs, measure=a_measure)
def test_greedy_finds_the_lowest_of_the_best_fixed_depths(run, measure):
    rankings = rankings_of(run)
    means = [mean_at(measure, rankings, d) for d in range(int(rankings.lengths.max()) + 1)]
    fitted = Greedy().fit(rankings, measure)
    assert mean_at(measure, rankings, fitted.cut(rankings)) == pytest.approx(max(means), abs=1e-12)
    lower = means[: fitted.k]
    assert not lower or max(lower) < max(means) + 1e-12


@given(run=runs, measure=a_measure)
def test_fitted_levels_are_the_best_of_all_levels(run, measure):
    rankings = positive(run)
    scores = {above_0(s) for q in run for s in q.scores}
    shares = {above_0(s) / above_0(q.scores[0]) for q in run for s in q.scores}
    for kind, levels in ((ScoreThreshold, scores), (ShareOfTop, shares)):
        reached = mean_at(measure, rankings, kind().fit(rankings, measure).cut(rankings))
        best = max(mean_at(measure, rankings, kind(level).cut(rankings)) for level in [*levels, np.inf])
        assert reached == pytest.approx(best, abs=1e-12)


@given(run=runs, measure=a_measure)
def test_fitted_parameters_reproduce_and_nothing_is_fitted_twice(run, measure):
    rankings, other = positive(run), positive(queries(77, 5))
    for policy in [*BLIND, Oracle()]:
        before = str(policy)
        fitted = policy.fit(rankings, measure)
        again = parse_policy(str(fitted))
        assert str(policy) == before
        assert again.cut(rankings).tolist() == fitted.cut(rankings).tolist(), policy
        assert again.fit(other, "RBPU(p=0.5)") == again


def test_a_policy_on_plain_lists():
    rankings = Rankings.from_lists(
        [[1, 0, 1, 0], [0, 0], [], [0, 0, 0]], [[1, 1, 0, 0], [0, 0], [], [0, 0, 0]],
        scores=[[9, 8, 3, 2], [4, 1], [], [5, 5, 5]],
    )  # fmt: skip
    assert Fixed(2).cut(rankings).tolist() == [2, 2, 0, 2]
    assert ScoreThreshold(4).cut(rankings).tolist() == [2, 1, 0, 3]
    assert ScoreThreshold(np.inf).cut(rankings).tolist() == [0, 0, 0, 0]
    assert ShareOfTop(0.3).cut(rankings).tolist() == [3, 1, 0, 3]
    assert LargestGap().cut(rankings).tolist() == [
        2,
        1,
        0,
        3,
    ]  # equal scores have no gap: the list stays whole
    assert Oracle("SetF").cut(rankings).tolist() == [3, 0, 0, 0]
    assert Given({"1": 0, "2": 9, "3": 1, "4": 2}).cut(rankings).tolist() == [0, 2, 0, 2]


def test_the_largest_gap_of_a_single_document_and_of_scores_that_overflow():
    rankings = Rankings.from_lists([[0], [0, 0]], scores=[[3.0], [1.7e308, -1.7e308]])
    assert LargestGap().cut(rankings).tolist() == [1, 1]


def test_adaptive_k_by_hand():
    """Eleven documents have ten gaps, of which the last is left out; five more are kept, or fewer if told."""
    scores = [0.9, 0.88, 0.6, 0.59, 0.58, 0.57, 0.56, 0.55, 0.54, 0.53, 0.1]
    rankings = Rankings.from_lists([[0] * 11], scores=[scores])
    assert LargestGap().cut(rankings).tolist() == [10]
    assert AdaptiveK().cut(rankings).tolist() == [7]
    assert AdaptiveK(buffer=0).cut(rankings).tolist() == [2]
    assert AdaptiveK(share=1).cut(rankings).tolist() == [11]
    assert AdaptiveK(share=0, buffer=0).cut(rankings).tolist() == [11]


def test_the_knee_by_hand():
    lists = [
        [9, 5, 1.2, 1.1, 1],  # furthest below the line at the third
        [9, 7, 5, 3, 1],  # a straight line
        [9, 8.9, 8.8, 8.7, 1],  # above the line
        [9, 1],
        [9],
    ]
    rankings = Rankings.from_lists([[0] * len(scores) for scores in lists], scores=lists)
    assert Knee().cut(rankings).tolist() == [2, 5, 5, 2, 1]


def test_surprise_is_the_improbability_in_the_distribution_that_scores_were_drawn_from():
    """Of exponential scores the surprise is the excess over the last, in units of the mean."""
    rng = np.random.default_rng(0)
    for shape in (-0.3, 0.0, 0.4):
        drawn = np.sort(genpareto(shape, scale=2.0).rvs(20_000, random_state=rng))[::-1]
        rankings = Rankings.from_lists([[0] * len(drawn)], scores=[drawn.tolist()])
        expected = -genpareto(shape, scale=2.0).logsf(drawn)
        assert surprises(rankings)[200:] == pytest.approx(expected[200:], rel=0.05, abs=0.02)


def test_the_mixture_is_found_that_scores_were_drawn_from():
    """200 relevant documents around 8 among 2,000 others: the probability is that of Bayes' rule."""
    rng = np.random.default_rng(0)
    relevant, others = rng.normal(8, 0.7, 200), rng.exponential(1.0, 2000)
    scores = np.sort(np.concatenate([relevant, others]))[::-1]
    rankings = Rankings.from_lists([[0] * len(scores)], scores=[scores.tolist()])
    density = 200 * norm(8, 0.7).pdf(scores), 2000 * expon().pdf(scores)
    found, expected = probabilities(rankings), density[0] / (density[0] + density[1])
    inside = scores < 8
    assert np.abs(found[inside] - expected[inside]).max() < 0.1
    assert (np.diff(found) <= 0).all()
    assert abs(int(ScoreDistribution(0.5).cut(rankings)[0]) - 200) < 20


def test_nothing_returned_is_the_best_where_nothing_is_relevant():
    rankings = Rankings.from_lists([[0, 0], [0]], scores=[[2, 1], [1]])
    assert Greedy().fit(rankings, "RBPU") == Fixed(0)
    assert ScoreThreshold().fit(rankings, "RBPU") == ScoreThreshold(np.inf)


# Cross-validation.


def test_cross_validation_table_by_hand():
    """Every list has its relevant document on top: the best fixed k is 1 on any topics."""
    lists = [[1, 0, 0]] * 6
    rankings = Rankings.from_lists(lists, scores=[[3, 2, 1]] * 6, costs=[[0.1, 0.2, 0.4]] * 6)
    table = cross_validate(
        ["Greedy", "Fixed(k=3)", "Fixed(k=0)", "Oracle"], "SetP", None, {"run": rankings}, folds=3
    )
    table = table.set_index("policy")
    assert table["score"].tolist() == pytest.approx([1, 1 / 3, 0, 1])
    assert table["of_oracle"].tolist() == pytest.approx([1, 1 / 3, 0, 1])
    assert table["regret"].tolist() == pytest.approx([0, 2 / 3, 1, 0])
    assert table["length"].tolist() == [1, 3, 0, 1]
    assert table["cost"].tolist() == pytest.approx([0.1, 0.7, 0, 0.1])
    assert table["empty"].tolist() == [0, 0, 1, 0]
    assert table["p_value"].tolist()[::3] == [1, 1]


def test_other_measures_and_silence_of_the_same_lists_by_hand():
    """Topics 1 to 4 have a relevant document on top, 5 and 6 are nil queries with lower scores."""
    lists, scores = [[1, 0]] * 4 + [[0, 0]] * 2, [[9, 8]] * 4 + [[3, 2]] * 2
    rankings = Rankings.from_lists(lists, scores=scores)
    policies = [
        "Fixed(k=0)",
        "Fixed(k=2)",
        "Oracle",
        ScoreThreshold(9.0),
        Given(dict(zip("123456", [0, 1, 1, 1, 0, 1]))),
    ]
    table = cross_validate(policies, "FlatU", None, {"run": rankings}, folds=3, also="SetP c@1")
    assert table["silence_precision"].tolist() == pytest.approx([1 / 3, np.nan, 1, 1, 1 / 2], nan_ok=True)
    assert table["silence_recall"].tolist() == [1, 0, 1, 1, 1 / 2]
    assert table["SetP"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1 / 2])
    assert table["c@1"].tolist() == pytest.approx(
        [0, 4 / 6, (4 + 2 * 4 / 6) / 6, (4 + 2 * 4 / 6) / 6, (3 + 2 * 3 / 6) / 6]
    )
    alone = cross_validate(policies, "FlatU", None, {"run": rankings}, folds=3)
    assert alone.equals(table[alone.columns])
    everywhere = cross_validate(policies, "FlatU", None, {"run": rankings.take(range(4))}, folds=2)
    assert everywhere["silence_recall"].isna().all()


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), folds=st.integers(2, 5))
def test_cross_validation_keeps_its_promises(seed, folds):
    rankings = positive(queries(seed, 9))
    table = cross_validate([*BLIND, Oracle()], "RBPU(p=0.9)", None, {"run": rankings}, folds, seed % 10)
    oracle = table.iloc[-1]
    assert (table["score"] <= oracle["score"] + 1e-12).all()
    assert (table["regret"] >= 0).all()
    assert oracle["regret"] == 0
    assert ((table["low"] <= table["score"] + 1e-12) & (table["score"] <= table["high"] + 1e-12)).mean() > 0.9
    assert table["p_value"].between(0, 1).all()
    assert ("cost" in table) == (seed % 2 == 0)
    parts = topic_folds(len(rankings), folds, seed % 10)
    assert sorted(np.concatenate(parts).tolist()) == list(range(9))


def test_the_same_seed_gives_the_same_table():
    runs_ = {"run": positive(queries(4, 12))}
    first, second, other = (cross_validate(FITTED, "RBPU", None, runs_, 4, seed) for seed in (1, 1, 2))
    assert first.equals(second)
    assert not first.equals(other)


# Errors.


def test_errors_name_the_policy_and_what_is_needed():
    rankings = Rankings.from_lists([[1, 0]], scores=[[-1, -2]])
    cases = [
        (lambda: Greedy().cut(rankings), ParameterError, "Greedy has no k yet: fit it"),
        (lambda: ScoreThreshold().cut(rankings), ParameterError, "ScoreThreshold has no threshold yet"),
        (lambda: Oracle().cut(rankings), ParameterError, "Oracle has no measure yet"),
        (lambda: Fixed(-1), ParameterError, "k=-1 is out of range"),
        (
            lambda: ScoreThreshold(float("nan")),
            ParameterError,
            "threshold=nan is out of range: a finite number is needed",
        ),
        (lambda: ShareOfTop(0.5).cut(rankings), InputError, "topic 1 has -1 for its first document"),
        (lambda: LargestGap().cut(Rankings.from_lists([[1]])), InputError, "needs the scores"),
        (lambda: Given({}, "k.tsv").cut(rankings), InputError, "k.tsv has no cut for topic 1"),
        (
            lambda: Oracle().fit(rankings, "c@1").cut(rankings),
            ParameterError,
            "c@1 looks at all lists of a run at once",
        ),
        (lambda: Greedy().fit(rankings, "RBPU OIE"), ParameterError, "one measure, not 2: RBPU, OIE"),
        (lambda: cross_validate("Greedy", "RBPU", None, {"r": rankings}), ParameterError, "There is 1 topic"),
        (lambda: parse_policy("Fixd(k=3)"), ParameterError, "no policy 'Fixd.k=3.'.*Did you mean Fixed"),
        (
            lambda: parse_policy("Fixed"),
            ParameterError,
            r"'Fixed' cannot be read: missing a required argument: 'k'; Fixed\(k=...\) is needed",
        ),
        (lambda: parse_policy("Fixed(n=3)"), ParameterError, "Fixed has no parameter 'n'; it has: k."),
        (
            lambda: parse_policy("ScoreThreshold(treshold=3)"),
            ParameterError,
            "it has: threshold. Did you mean threshold",
        ),
        (lambda: parse_policy("Fixed(k=1, k=2)"), ParameterError, "a parameter is given twice"),
        (lambda: parse_policy("Fixed(1, k=2)"), ParameterError, "multiple values for argument 'k'"),
        (lambda: parse_policy("Fixed(k=1)(2)"), ParameterError, "cannot be read"),
        (lambda: parse_policy("Fixed(1) + (2)"), ParameterError, "cannot be read"),
        (
            lambda: parse_policy("Fixed(k=1.5)"),
            ParameterError,
            "Fixed: k=1.5 is out of range: a whole number >= 0",
        ),
        (
            lambda: parse_policy("Fixed(k=ten)"),
            ParameterError,
            "Fixed: k='ten': a whole number >= 0 is needed",
        ),
        (
            lambda: parse_policy("LargestGap(3)"),
            ParameterError,
            "too many positional arguments; LargestGap is needed",
        ),
        (lambda: parse_policy("Fixed(k=" + "-" * 9000 + "1)"), ParameterError, "cannot be read|is needed"),
        (lambda: parse_policy("cuts" * 999), ParameterError, "There is no policy"),
        (lambda: parse_policy("Oracle(measure=RBPX)"), ValueError, "There is no measure 'RBPX'"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.filterwarnings("ignore:.*nil queries")
def test_policies_look_at_ranked_runs():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9, "x": 0.2}, "2": {"y": 0.3, "z": 0.1}}
    assert LargestGap().cut(rank(qrels, run)).tolist() == [1, 1]
    assert ScoreThreshold(0.5).cut(rank(read_qrels(qrels), run, topics=["1", "3"])).tolist() == [1, 0, 0]
    with pytest.raises(InputError, match=r"ir_trunc\.rank"):
        LargestGap().cut(calc("AP", qrels, run).rankings)
