"""One call from labels and what was retrieved to a policy that is deployed."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from messages import refused
from scipy import stats

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, how_many
from ir_trunc._how_many import _with_bounds
from ir_trunc._inference.estimate import Estimate
from ir_trunc.truncation import Fixed, Policy, ScoreThreshold, cross_validate


def collection(questions=80, seed=0, noise=0.1):
    """Every fourth question has no answer; scores of answers lie around 0.7, those of others around 0.4."""
    rng = np.random.default_rng(seed)
    labels, retrieved = {}, {}
    for q in range(questions):
        answers = {f"r{number}": 1 for number in range(rng.integers(1, 5) if q % 4 else 0)}
        others = {f"x{number}": float(rng.normal(0.4, noise)) for number in range(10)}
        labels[str(q)] = answers
        retrieved[str(q)] = {doc: float(rng.normal(0.7, noise)) for doc in answers} | others
    return labels, retrieved


def noise_only(questions=90, seed=0):
    """Random scores; a third of the questions have no answer."""
    rng = np.random.default_rng(seed)
    counts = (rng.integers(1, 4) if q % 3 else 0 for q in range(questions))
    labels = {str(q): {f"d{doc}": 1 for doc in rng.permutation(20)[:n]} for q, n in enumerate(counts)}
    return labels, {q: {f"d{doc}": float(rng.random()) for doc in range(20)} for q in labels}


LABELS, RETRIEVED = collection()
SINGLE = "ScoreThreshold(threshold=0.62) Fixed(k=1) Fixed(k=4)"  # nothing to fit


@pytest.fixture(scope="module")
def advice():
    return how_many(LABELS, RETRIEVED)


def row(advice, name):
    return advice.to_pandas().set_index("policy").loc[name]


def heading(advice):
    return advice.heading.splitlines()


def test_a_threshold_is_advised_and_can_be_used(advice):
    assert advice.advised == advice.policies[0] == "ScoreThreshold"
    assert 0.5 < advice.policy.threshold < 0.7
    assert [advice.policy(scores) for scores in ([0.9, 0.8, 0.3], [0.4, 0.3])] == [2, 0]
    assert advice.policy.keep([("answer", 0.9), ("other", 0.3)]) == [("answer", 0.9)]
    assert (advice.questions, advice.unanswerable) == (80, 20)
    assert advice.policy == ScoreThreshold().fit(ir_trunc.rank(LABELS, RETRIEVED), "RBPT")
    assert heading(advice)[1].startswith(f"Advice: ScoreThreshold(threshold={advice.policy.threshold:.4g}).")
    assert row(advice, "ScoreThreshold")["fitted"] == repr(advice.policy)
    assert len(repr(advice.policy.threshold)) > 10  # it is printed to four digits, and kept in full


def test_the_figures_are_those_of_cross_validation():
    names = ["Greedy", "ScoreThreshold", "LargestGap", "Fixed(k=3)"]
    options = {"policies": names, "folds": 4, "seed": 3}
    advice = how_many(LABELS, RETRIEVED, "FlatU(e=0.1)", **options)
    table = cross_validate(measure="FlatU(e=0.1)", qrels=LABELS, runs={"r": RETRIEVED}, **options)
    ours, theirs = (frame.set_index("policy").loc[names] for frame in (advice.to_pandas(), table))
    exact = ["score", "length", "empty"]
    np.testing.assert_allclose(ours[exact].to_numpy(float), theirs[exact].to_numpy(float), rtol=1e-12)
    np.testing.assert_allclose(1 - ours["wrongly"], theirs["silence_precision"], rtol=1e-12)
    np.testing.assert_allclose(ours["unanswered"], theirs["silence_recall"], rtol=1e-12)
    np.testing.assert_allclose(ours[["low", "high"]], theirs[["low", "high"]], atol=0.03)
    assert (np.diff(advice.score) <= 0).all()
    assert advice.first.sum() == pytest.approx(1)


def test_the_quantities_of_a_user_come_first():
    """Each from its definition, in the order in which the heading and the table have them."""
    advice = how_many(LABELS, RETRIEVED, policies=SINGLE, price=3, tolerance=0)
    kept, silent, answerable, passages = 0, [], 0, 0
    for question, docs in RETRIEVED.items():
        returned = [doc for doc, score in docs.items() if np.float32(score) >= 0.62]
        passages += len(returned)
        answerable += bool(LABELS[question])
        kept += any(doc in LABELS[question] for doc in returned)
        silent += [] if returned else [question]
    unanswerable, wrongly = 80 - answerable, sum(bool(LABELS[question]) for question in silent)
    expected = {
        "kept": kept / answerable, "unanswered": (len(silent) - wrongly) / unanswerable,
        "wrongly": wrongly / len(silent), "length": passages / 80, "cost": 3 * passages / 80,
        "empty": len(silent) / 80,
    }  # fmt: skip
    policy = row(advice, "ScoreThreshold(threshold=0.62)")
    assert policy[list(expected)].tolist() == pytest.approx(list(expected.values()))
    assert math.isnan(row(advice, "Fixed(k=1)")["wrongly"])
    assert heading(advice)[2:7] == [
        f"kept: {expected['kept']:.0%} (100%) of the answerable questions still get a relevant passage on"
        f" these questions; at least {advice.expected_kept[1]:.0%} of new ones do.",
        f"unanswered: {expected['unanswered']:.0%} (0%) of the unanswerable questions are left unanswered.",
        f"wrongly: {expected['wrongly']:.0%} of the unanswered questions had an answer.",
        f"passages: {passages / 80:.1f} (11.8) per question.",
        f"cost: {3 * passages / 80:.4g} (35.4) per question.",
    ]
    assert heading(advice)[7].startswith("RBPT: expect ")
    columns = ["kept", "unanswered", "wrongly", "passages", "cost", "score", "low", "high"]
    assert list(advice.summary()) == columns


@pytest.mark.parametrize("measure", ["RBPT", "c@1", "FlatU(e=0.1)"])
def test_another_share_of_unanswerable_questions_is_that_of_a_collection_with_more_of_them(measure):
    """With each unanswerable question three times, a quarter becomes a half."""
    labels, retrieved = dict(LABELS), dict(RETRIEVED)
    for question in [question for question, right in LABELS.items() if not right]:
        for copy in ("1000", "2000"):
            labels[copy + question], retrieved[copy + question] = {}, RETRIEVED[question]
    ours = how_many(LABELS, RETRIEVED, measure, policies=SINGLE, unanswerable=0.5, price=1)
    theirs = how_many(labels, retrieved, measure, policies=SINGLE, price=1)
    columns = ["kept", "unanswered", "wrongly", "length", "cost", "empty", "score"]
    assert "80 questions, 20 of them without an answer (weighted to 50%)" in ours.heading
    for name in theirs.policies:
        one, other = (row(advice, name)[columns].to_numpy(float) for advice in (ours, theirs))
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_the_share_expected_in_production_changes_the_level():
    levels = []
    for share in (0.05, 0.9):
        advice = how_many(LABELS, RETRIEVED, policies="ScoreThreshold", unanswerable=share)
        levels += re.findall(r"threshold=([\d.]+)", row(advice, "ScoreThreshold")["fitted"])
    assert float(levels[0]) < float(levels[1])
    everything, why = {q: {"r0": 1} for q in RETRIEVED}, "every question has an answer in the labels"
    refused(InputError, why, how_many, everything, RETRIEVED, unanswerable=0.2)
    why = "CWS looks at all lists of a run"
    refused(ParameterError, why, how_many, LABELS, RETRIEVED, "CWS", unanswerable=0.2)


@pytest.mark.parametrize("share", [0, 1])
def test_questions_of_one_kind_may_be_expected(share):
    advice = how_many(LABELS, RETRIEVED, policies=SINGLE, unanswerable=share)
    assert row(advice, "always silent")[["kept", "unanswered", "score"]].tolist() == [0, 1, share]
    assert np.isfinite(advice.expected).all()


def test_costs_are_those_of_the_run_times_the_price(advice):
    assert "cost" not in advice.to_pandas()
    rows = [(q, doc, score, len(doc)) for q, docs in RETRIEVED.items() for doc, score in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "cost"])
    own, priced = (how_many(LABELS, frame, policies="Greedy", price=price) for price in (None, 5))
    assert row(own, "as retrieved")["cost"] == frame["cost"].sum() / 80
    assert priced.cost == pytest.approx(5 * own.cost)


def test_with_keys_means_are_nested_and_the_outermost_key_is_the_unit():
    """Questions of several days: more of one do not count more, and ten days are not ten questions."""
    days = [(question, f"{question}/{day}") for question in LABELS for day in range(1 + int(question) % 3)]
    by_day = [{day: data[question] for question, day in days} for data in (LABELS, RETRIEVED)]
    policies = "Fixed(k=2) ScoreThreshold(threshold=0.62)"
    nested = how_many(*by_day, policies=policies, keys="question/day")
    single = how_many(LABELS, RETRIEVED, policies=policies)
    assert nested.policies == single.policies
    for column in ("kept", "unanswered", "wrongly", "length", "empty", "score"):
        np.testing.assert_allclose(getattr(nested, column), getattr(single, column), rtol=1e-9)
    for column in ("low", "high", "expected_kept"):
        np.testing.assert_allclose(getattr(nested, column), getattr(single, column), atol=1e-9)
    # The questions are in another order, and so are draws.
    np.testing.assert_allclose(nested.expected, single.expected, atol=0.02)
    assert (nested.unit, nested.units, nested.questions) == ("question", 80, 159)
    assert "folds and intervals are over 80 values of 'question'" in nested.heading
    fitted = how_many(*by_day, policies="ScoreThreshold", keys="question/day")
    assert fitted.policy == how_many(LABELS, RETRIEVED, policies="ScoreThreshold").policy


# References, and measures that cannot advise.


def test_random_scores_advise_silence_and_say_so():
    labels, retrieved = noise_only()
    advice = how_many(labels, retrieved)
    lines = heading(advice)
    assert advice.policy(np.linspace(1, 0, 20)) == 0
    assert "This leaves every question unanswered." in lines
    assert f"No policy is better than 'always silent' beyond chance (p = {advice.chance:.2f})." in lines
    auroc, low, high = advice.separation
    assert low < 0.5 < high
    separate = f"AUROC of the top score {auroc:.2f} ({low:.2f} to {high:.2f})."
    assert f"These scores are not shown to separate questions with and without an answer: {separate}" in lines
    assert {"always silent", "as retrieved"} <= {*advice.policies}


def test_the_lead_over_the_better_reference_is_said_only_where_chance_does_not_explain_it(advice):
    assert advice.chance < 0.01
    assert not any("beyond chance" in line for line in heading(advice))
    assert any(line.startswith("These scores separate questions") for line in heading(advice))


@pytest.mark.parametrize("measure", ["RBPT", "NegTotalCost(D=1000,penalty='uniform')", "SetF", "c@1"])
def test_parameters_are_finite(measure):
    advice = how_many(*noise_only(), measure)
    assert not any("inf" in text for text in (*advice.fitted, repr(advice), repr(advice.policy)))


@pytest.mark.parametrize("measure", ["RR", "nDCG@10", "P@5", "AP", "RBP"])
def test_a_measure_that_cannot_prefer_a_shorter_list_is_refused(measure):
    why = r"does not look at the end of a list.*Use .* RBPT, nDCGT, SetF"
    refused(ParameterError, why, how_many, LABELS, RETRIEVED, measure)


def test_a_measure_under_which_nothing_beats_silence_is_refused():
    """By default NegTotalCost charges for reading alone."""
    why = r"does not reward what is found.* always be silence\. Use .* RBPT"
    refused(ParameterError, why, how_many, LABELS, RETRIEVED, "NegTotalCost(D=99)")
    assert how_many(LABELS, RETRIEVED, "NegTotalCost(D=99,penalty='uniform')").advised


def test_a_measure_that_rewards_silence_may_advise():
    assert how_many(LABELS, RETRIEVED, "EM").score[0] > 0.5


# A share that has to be kept.


def test_enough_answerable_questions_keep_a_relevant_passage():
    labels, retrieved = collection(200, noise=0.15)
    free, bound = (how_many(labels, retrieved, "RBPT", keep=keep) for keep in (None, 0.97))
    assert row(free, free.advised)["kept"] < 0.97 <= row(bound, bound.advised)["kept"]
    allowed = bound.kept >= 0.97
    assert row(bound, bound.advised)["score"] >= bound.score[allowed].max() - bound.tolerance
    assert row(bound, "ScoreThreshold")["kept"] > row(free, "ScoreThreshold")["kept"]


@pytest.mark.filterwarnings("ignore:.* are few")
@pytest.mark.parametrize(("questions", "shown"), [(40, False), (400, True)])
def test_the_binomial_bound_says_whether_the_questions_show_it(questions, shown):
    """The bound b of x of n: with this share, x or more of n have a probability of 5 % / candidates."""
    labels, retrieved = collection(questions)
    advice = how_many(labels, retrieved, policies="Fixed(k=3)", keep=0.95)
    (line,) = [line for line in heading(advice) if "with 95 % confidence" in line]
    kept, bound = (float(share) / 100 for share in re.findall(r"([\d.]+)% of", line))
    asked = sum(map(bool, labels.values()))
    right = round(kept * asked)
    assert (right / asked, bound) == pytest.approx(advice.expected_kept, abs=5e-4)
    chance = stats.binom.sf(right - 1, asked, advice.expected_kept[1])
    assert chance == pytest.approx(0.05 / advice.candidates, rel=1e-6)
    assert line.endswith("This shows keep=0.95." if shown else "This does not show keep=0.95.")
    assert "\nPolicies that keep less than 0.95 here: always silent.\n" in advice.heading
    assert (bound >= 0.95) == shown


def test_a_share_that_nothing_keeps_is_refused():
    lists = RETRIEVED | {question: {"x": 1.0} for question in "123"}
    refused(InputError, r"keep=0\.99: no policy keeps .*does for 95\.0%", how_many, LABELS, lists, keep=0.99)


# The choice.


def test_the_present_setting_is_compared():
    for present, name in [(5, "Fixed(k=5)"), ("Fixed(k=5)", "Fixed(k=5)"), (Fixed(7), "Fixed(k=7)")]:
        advice = how_many(LABELS, RETRIEVED, policies="ScoreThreshold Fixed(k=5)", present=present)
        assert advice.present == name
        now = row(advice, name)
        assert 0 < now["behind_low"] < advice.score[0] - now["score"] < now["behind_high"]
        assert heading(advice)[1].endswith(f"In brackets: the present setting, {name}.")
        change = f"a change of {now['behind_low']:+.3f} to {now['behind_high']:+.3f}."
        assert f"and {now['score']:.3f} with the present setting: {change}" in advice.heading
        assert f"It ranks first of {len(advice.policies)} policies in" in advice.heading
    stays = how_many(LABELS, RETRIEVED, policies="Fixed(k=2)", present="ScoreThreshold(threshold=0.6)")
    assert heading(stays)[1] == "Advice: keep the present setting, ScoreThreshold(threshold=0.6)."


def test_a_simpler_policy_within_the_margin_is_preferred():
    policies = "ScoreThreshold Fixed(k=2)"
    free, simple = (how_many(LABELS, RETRIEVED, policies=policies, tolerance=most) for most in (0, 0.9))
    assert free.advised == "ScoreThreshold"
    assert simple.advised == "as retrieved"
    lead = free.score[0] - row(free, "Fixed(k=2)")["score"]
    chosen = how_many(LABELS, RETRIEVED, policies=policies, tolerance=lead + 1e-6)
    assert chosen.policy == Fixed(2)
    level = heading(free)[1].removeprefix("Advice: ").partition(". In brackets")[0]
    assert f"Fixed(k=2) is simpler than {level}; its score is within {lead + 1e-6:g}." in heading(chosen)


@pytest.mark.parametrize(("options", "reason"), [
    # A threshold is no simpler than a length, and a length is no simpler than another one.
    ({"policies": "Fixed(k=1)", "present": "ScoreThreshold(threshold=0.35)"}, "Fixed(k=1)"),
    ({"policies": "Fixed(k=1) Fixed(k=2)", "keep": 0.95}, "Fixed(k=1)"),
])  # fmt: skip
def test_a_policy_is_called_simpler_only_where_it_is(options, reason):
    ranks = 1 if "present" in options else 1 + (np.arange(80) % 10 == 0)
    labels = {str(q): {"a": 1} for q in range(80)}
    retrieved = {}
    for question, rank in zip(labels, np.broadcast_to(ranks, 80)):
        docs = ["a", "b"] if rank == 1 else ["b", "a"]
        retrieved[question] = {docs[0]: 0.9, docs[1]: 0.4} | {f"x{n}": 0.1 - n / 100 for n in range(9)}
    lines = heading(how_many(labels, retrieved, tolerance=0.25, **options))
    assert not any("simpler" in line for line in lines)
    assert f"Its score is within 0.25 of the highest, that of {reason}." in lines


@pytest.mark.parametrize(("nil_scores", "says"), [
    ([0.2, 0.6] * 20, "separate questions with and without an answer"),
    ([0.99, 0.98] * 20, "separate questions with and without an answer the wrong way round"),
    ([0.2, 0.1], "are not shown to separate questions with and without an answer"),  # all in order, but two
    ([0.95, 0.6], "are not shown to separate questions with and without an answer"),
    ([0.51, 0.5102], "are not shown to separate questions with and without an answer"),  # alike by chance
])  # fmt: skip
def test_that_scores_separate_is_said_with_the_direction_and_only_where_it_is_shown(nil_scores, says):
    labels = {str(q): {"a": 1} if q < 60 else {} for q in range(60 + len(nil_scores))}
    tops = [*np.linspace(0.5, 0.97, 60), *nil_scores]
    retrieved = {q: {"a": top, "b": 0.05, "c": 0.01} for q, top in zip(labels, tops)}
    advice = how_many(labels, retrieved)
    assert any(line.startswith(f"These scores {says}: AUROC") for line in heading(advice))
    assert advice.separation[1] < advice.separation[2]


def test_the_score_to_expect_is_lower_than_that_of_the_best_of_many():
    labels, retrieved = collection(60, noise=0.25)
    many = how_many(labels, retrieved, tolerance=0)
    one = how_many(labels, retrieved, policies="Fixed(k=2)", present="Fixed(k=2)", tolerance=0)
    assert many.chance <= 0.05
    assert many.expected[0] < many.score[0] - 0.003
    assert many.expected[1] < many.expected[0] < many.expected[2]
    # the present setting was not chosen among many: what it has on these questions is what to expect
    assert one.expected == tuple(row(one, "Fixed(k=2)")[["score", "low", "high"]])
    assert one.expected[1] < one.expected[0] < one.expected[2]


# What may be concluded.


@pytest.mark.parametrize(("measure", "share", "expected"), [
    ("FlatU(e=0.1)", None, 0), ("RBPT", 0.5, 0.5), ("RBPT", 0.8, 0.8)
])  # fmt: skip
def test_what_silence_is_worth_is_known(measure, share, expected):
    """Under FlatU it is 0; under RBPT it is the share of unanswerable questions, where that is given."""
    labels, retrieved = noise_only()
    advice = how_many(labels, retrieved, measure, unanswerable=share)
    assert advice.advised == "always silent"
    assert advice.expected == pytest.approx((expected,) * 3)


def test_an_interval_has_no_zero_width_where_the_value_is_not_known():
    """All questions have the score 1, and the mean of 60 and one more is below 1."""
    labels = {str(q): {"a": 1} if q % 3 else {} for q in range(60)}
    retrieved = {q: {"a": 0.9, "b": 0.3} if labels[q] else {"c": 0.4, "d": 0.2} for q in labels}
    advice = how_many(labels, retrieved)
    low = 0.025 ** (1 / 60)
    assert row(advice, advice.advised)["low"] == pytest.approx(low, abs=1e-9)
    assert advice.expected == pytest.approx((1, low, 1), abs=0.006)
    weighted, draws = how_many(labels, retrieved, unanswerable=0.5), np.random.default_rng(0)
    means = sum(draws.beta(n, 1, 100_000) for n in (20, 40)) / 2  # 20 are unanswerable
    assert weighted.expected == pytest.approx((1, np.quantile(means, 0.025), 1), abs=0.01)


@pytest.mark.weekly
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_the_interval_of_what_to_expect_holds_the_truth_with_other_shares(share):
    """40 draws of 100 questions, a fifth unanswerable; tests/benchmarks/advice.py draws more."""
    new_labels, new_lists = collection(2000, seed=99, noise=0.25)
    rankings, held = ir_trunc.rank(new_labels, new_lists), 0
    for seed in range(40):
        options = {"unanswerable": share, "policies": "ScoreThreshold Fixed(k=1)"}
        advice = how_many(*collection(100, seed, 0.25), **options)
        scores = ir_trunc.calc("RBPT", None, rankings.cut(advice.policy.cut(rankings))).values[0]
        of_nil = rankings.judgments.nil_queries
        truth = share * scores[of_nil].mean() + (1 - share) * scores[~of_nil].mean()
        held += advice.expected[1] - 1e-9 <= truth <= advice.expected[2] + 1e-9
    assert held >= 36


def test_where_nothing_is_better_than_the_references_the_advice_is_the_present_setting_or_the_better_one():
    labels, retrieved = noise_only(60, seed=2)
    for options, name in (
        ({}, "always silent"),
        ({"tolerance": 0}, "always silent"),
        ({"present": "ShareOfTop(share=2)"}, "ShareOfTop(share=2.0)"),  # as silent
        ({"present": 5}, "always silent"),  # of which it is known that it is worse
    ):
        advice = how_many(labels, retrieved, **options)
        assert advice.chance > 0.05
        assert advice.advised == name
        assert "beyond chance" in advice.heading


def test_a_policy_that_can_be_silent_is_named_beside_one_that_cannot():
    labels, retrieved = collection()
    advice = how_many(labels, retrieved, policies="Fixed(k=2) ScoreThreshold", tolerance=0.9, present=2)
    assert advice.advised == "Fixed(k=2)"
    (line,) = [line for line in heading(advice) if "can return nothing" in line]
    able = row(advice, "ScoreThreshold")
    change = f"{-able['behind_high']:+.3f} to {-able['behind_low']:+.3f}"
    assert line.startswith("Of 1 policy that can return nothing, ScoreThreshold(threshold=")
    assert f"it would change RBPT by {change}, keeps {able['kept']:.0%} and leaves" in line
    assert f"{able['score']:.3f}" not in line
    assert "can return nothing" not in how_many(labels, retrieved).heading


def test_equal_policies_share_the_first_place_and_the_shorter_list_comes_first():
    advice = how_many(LABELS, RETRIEVED, "c@1", policies="Fixed(k=3) Fixed(k=2)")
    assert advice.policies == ("Fixed(k=2)", "Fixed(k=3)", "as retrieved", "always silent")
    assert advice.first.tolist() == pytest.approx([1 / 3] * 3 + [0])
    assert advice.advised == "as retrieved"


def test_differences_that_the_data_do_not_show_are_said():
    labels, retrieved = collection(noise=0.6)
    advice = how_many(labels, retrieved, "SetF", policies="ScoreThreshold Greedy ShareOfTop Fixed(k=0)")
    test = "simultaneous 95 % intervals of 5 differences"
    assert f"No significant difference, by {test}, from {', '.join(advice.alike)}." in heading(advice)
    assert "Fixed(k=0)" not in advice.alike
    for name in advice.alike:
        assert row(advice, name)["behind_low"] <= 0


# Policies.


def test_every_policy_that_needs_nothing_is_tried(advice):
    assert {"Greedy", "ScoreThreshold", "ShareOfTop", "LargestGap", "Knee", "Surprise"} <= {*advice.policies}
    assert not {"Oracle", "Given"} & {name.partition("(")[0] for name in advice.policies}
    assert not any(name.startswith("Fixed(k=20") for name in advice.policies)  # no list is that long


def test_fixed_lengths_are_tried_up_to_the_longest_list():
    lists = {str(q): {f"d{doc}": -float(doc) for doc in range(101)} for q in range(4)}
    with pytest.warns(IrTruncWarning, match="few"):
        advice = how_many({q: {"d0": 1, "d7": 1} for q in lists}, lists, "SetF")
    fixed = {name for name in advice.policies if name.startswith("Fixed")}
    assert fixed == {f"Fixed(k={k})" for k in (1, 2, 3, 5, 10, 20, 50, 100)}


def test_policies_that_cannot_be_tried_are_named_with_the_reason():
    below = {q: {doc: score - 5 for doc, score in docs.items()} for q, docs in RETRIEVED.items()}
    advice = how_many(LABELS, below)
    assert "ShareOfTop" not in advice.policies
    assert any("ShareOfTop needs scores above 0" in reason for reason in advice.left_out)
    assert "Not tried: ShareOfTop needs scores above 0" in repr(advice)
    refused(InputError, "ShareOfTop needs scores above 0", how_many, LABELS, below, policies="ShareOfTop")


def test_a_policy_of_one_s_own_is_advised():
    class Exactly(Policy):
        def lengths(self, rankings):
            lists = zip(rankings.starts, rankings.lengths)
            return np.array([int((rankings.scores[start : start + n] > 0.62).sum()) for start, n in lists])

        def __str__(self):
            return "Exactly"

    advice = how_many(LABELS, RETRIEVED, policies=[Exactly(), "Fixed(k=0)"])
    assert isinstance(advice.policy, Exactly)
    assert advice.policy([0.9, 0.1]) == 1


def test_the_picture_has_a_row_for_each_policy_with_its_cost_or_length(advice):
    pytest.importorskip("matplotlib")
    assert advice.plot().texts[-1].get_text().startswith("mean length")
    advice = how_many(LABELS, RETRIEVED, policies="Greedy ScoreThreshold", price=2)
    assert advice.plot().texts[-1].get_text().startswith("mean cost")
    assert advice.plot("length").texts[-1].get_text().startswith("mean length")
    assert len(advice.plot().get_yticks()) == 4
    refused(InputError, "needs column tokens", advice.plot, "tokens")


# What is read.


def test_arguments_in_the_other_order_are_refused_with_what_to_write(command, tmp_path):
    rows = [(question, doc, score) for question, docs in RETRIEVED.items() for doc, score in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    said = r"the first argument looks like what was retrieved, .*\. Write how_many\(labels, retrieved\)"
    for retrieved in (RETRIEVED, frame):
        refused(InputError, said, how_many, retrieved, LABELS)
        assert how_many(LABELS, retrieved, policies="Greedy").questions == 80
    for name, data in {"labels": LABELS, "run": RETRIEVED}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    status, _, err = command("how-many", str(tmp_path / "run.json"), str(tmp_path / "labels.json"))
    assert (status, "at a terminal LABELS RUN" in err) == (2, True)
    unread = {"1": {"a": 0.5}}  # in either order: the error is that of the right one
    refused(InputError, "qrels", how_many, unread, unread)


def test_few_questions_are_reported():
    with pytest.warns(IrTruncWarning, match="how_many: 20 questions are few") as warned:
        advice = how_many(*collection(20))
    assert warned[0].filename == __file__
    assert "20 questions are few" in repr(advice)


@pytest.mark.parametrize("questions", [2, 3, 4])
def test_a_few_questions_are_fewer_parts(questions):
    labels, retrieved = collection(questions)
    with pytest.warns(IrTruncWarning, match="are few"):
        assert how_many(labels, retrieved).folds == questions
    why = f"folds=5: {questions} topics? cannot be split"
    refused(ParameterError, why, how_many, labels, retrieved, folds=5)


def test_equal_scores_are_reported():
    equal = {question: dict.fromkeys(docs, 0.5) for question, docs in RETRIEVED.items()}
    with pytest.warns(IrTruncWarning) as warned:
        advice = how_many(LABELS, equal)
    assert sum("all scores of a list are equal" in str(warning.message) for warning in warned) == 1
    assert not any("lower_is_better" in str(warning.message) for warning in warned)
    auroc, low, high = advice.separation  # of other questions scores may differ
    assert low < auroc == 0.5 < high


def test_scores_that_look_like_distances_are_reported():
    distances = {topic: {doc: 1 - score for doc, score in docs.items()} for topic, docs in RETRIEVED.items()}
    message = r"lower half of \d+ of \d+ lists; if the scores are distances, lower_is_better=True"
    with pytest.warns(match=message):
        how_many(LABELS, distances, policies="Greedy")
    how_many(LABELS, distances, policies="Greedy", lower_is_better=True)


@pytest.mark.parametrize(("retrieved", "message"), [
    ({f"question {number}": {"a": 0.9} for number in range(60)}, "no topic of the run"),
    ({}, "nothing was retrieved"),
    ({f"q{number}": [] for number in range(60)}, r"for any of the 60 .*\(for example question q0.*same ids"),
    ({f"q{number}": {"other": 0.5} for number in range(60)}, "60 questions have relevant documents"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_where_nothing_can_be_learnt_there_is_no_advice(retrieved, message):
    labels = {f"q{number}": {"a": 1} for number in range(60)}
    refused(InputError, message, how_many, labels, retrieved, policies="Greedy")
    why = "none of the 80 questions has a relevant document in the labels"
    refused(InputError, why, how_many, {question: {} for question in LABELS}, RETRIEVED)


@pytest.mark.parametrize("others", [["Fixed(k=1)", "Fixed(k=3)"], ["always silent"]])
def test_differences_from_the_best_policy_hold_together(others):
    """The intervals of both others of three policies have half the level each, that of one has the whole."""
    names, kinds = [others[0], "Fixed(k=2)", *others[1:]], np.arange(40) < 20
    values = np.random.default_rng(0).random((len(names), 40))
    if names[0] == "always silent":  # its worth on unanswerable questions is known, on others it is not
        values[0, kinds] = 1.0
    each, means = [Estimate(row, (0.0, 1.0)) for row in values], values.mean(axis=1)
    table = _with_bounds(pd.DataFrame({"policy": names, "score": means}), each, means[None], 1, kinds)
    for row, estimate in enumerate(each):
        behind = (each[1] - estimate).interval(0.05 / len(others)) if row != 1 else [0, 0]
        assert [*table[["behind_low", "behind_high"]].iloc[row]] == pytest.approx([*behind])
        assert [*table[["low", "high"]].iloc[row]] == pytest.approx([*estimate.interval()])
