"""One call from what was retrieved and labels to a policy that is deployed."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, how_many
from ir_trunc.truncation import Fixed, Policy, ScoreThreshold, cross_validate


def collection(questions=80, seed=0, noise=0.1):
    """Every fourth question has no answer; scores of answers lie around 0.7, those of others around 0.4."""
    rng = np.random.default_rng(seed)
    labels, retrieved = {}, {}
    for q in range(questions):
        answers = {f"r{at}": 1 for at in range(rng.integers(1, 5) if q % 4 else 0)}
        others = {f"x{at}": float(rng.normal(0.4, noise)) for at in range(10)}
        labels[str(q)] = answers
        retrieved[str(q)] = {doc: float(rng.normal(0.7, noise)) for doc in answers} | others
    return retrieved, labels


RETRIEVED, LABELS = collection()


@pytest.fixture(scope="module")
def advice():
    """What is advised where nothing is said."""
    return how_many(RETRIEVED, LABELS)


def row(advice, name):
    return advice.to_pandas().set_index("policy").loc[name]


def test_a_threshold_is_found_and_can_be_used(advice):
    assert advice.policies[0] == "ScoreThreshold"
    assert 0.5 < advice.policy.threshold < 0.7
    assert [advice.policy(scores) for scores in ([0.9, 0.8, 0.3], [0.4, 0.3])] == [2, 0]
    assert advice.policy.keep([("answer", 0.9), ("other", 0.3)]) == [("answer", 0.9)]
    assert f"Best is ScoreThreshold(threshold={advice.policy.threshold!r})" in repr(advice).replace("\n ", "")
    assert (advice.questions, advice.silent) == (80, 20)


def test_the_figures_are_those_of_cross_validation():
    """The same folds, the same cuts: what `cross_validate` says of each policy."""
    names = ["Greedy", "ScoreThreshold", "LargestGap", "Fixed(k=3)"]
    options = {"policies": names, "folds": 4, "seed": 3}
    advice = how_many(RETRIEVED, LABELS, "FlatU(e=0.1)", **options)
    table = cross_validate(measure="FlatU(e=0.1)", qrels=LABELS, runs={"r": RETRIEVED}, **options)
    columns = ["score", "low", "high", "length", "empty", "silence_precision"]
    ours, theirs = (frame.set_index("policy").loc[names, columns] for frame in (advice.to_pandas(), table))
    np.testing.assert_allclose(ours.to_numpy(float), theirs.to_numpy(float), rtol=1e-12)
    assert (np.diff(advice.score) <= 0).all()
    assert advice.first.sum() == pytest.approx(1)


def test_the_policy_is_fitted_on_all_questions():
    advice = how_many(RETRIEVED, LABELS, policies="ScoreThreshold")
    assert advice.policy == ScoreThreshold().fit(ir_trunc.rank(LABELS, RETRIEVED), "RBPT")


def test_the_present_setting_is_told_with_what_the_best_is_better_by(advice):
    assert advice.present == "as retrieved"
    assert row(advice, "as retrieved")["length"] == np.mean([len(docs) for docs in RETRIEVED.values()])
    for present, name in [(5, "Fixed(k=5)"), ("Fixed(k=5)", "Fixed(k=5)"), (Fixed(7), "Fixed(k=7)")]:
        advice = how_many(RETRIEVED, LABELS, policies="ScoreThreshold Fixed(k=5)", present=present)
        assert advice.present == name
        found = row(advice, name)
        assert 0 < found["behind_low"] < advice.score[0] - found["score"] < found["behind_high"]
        assert f"The present setting, {name}, has {found['score']:.3f}" in repr(advice)
        assert "as retrieved" not in advice.policies
    best = how_many(RETRIEVED, LABELS, policies="Fixed(k=0)", present="ScoreThreshold(threshold=0.6)")
    assert "Best is the present setting, ScoreThreshold(threshold=0.6): " in repr(best)
    assert "Nothing that was tried is better" in repr(best)
    lists = {question: dict(list(docs.items())[:1]) for question, docs in RETRIEVED.items()}
    itself = how_many(lists, LABELS, policies="Fixed(1)").heading
    assert itself.count("Best is the present setting, as retrieved: ") == 1
    assert "apart from Fixed(k=1)." in itself


def test_costs_are_told_beside_scores(advice):
    assert "cost" not in advice.to_pandas()
    advice = how_many(RETRIEVED, LABELS, cost=350)
    assert advice.cost == pytest.approx(350 * advice.length)
    frame = pd.DataFrame(
        [(q, doc, score, len(doc)) for q, docs in RETRIEVED.items() for doc, score in docs.items()],
        columns=["query_id", "doc_id", "score", "cost"],
    )
    some = how_many(frame, LABELS, "FlatU", policies="Greedy ScoreThreshold")
    assert row(some, "as retrieved")["cost"] == frame["cost"].sum() / 80


def test_silence_and_how_often_it_is_right():
    advice = how_many(RETRIEVED, LABELS, policies=["ScoreThreshold(threshold=0.62)", "Fixed(k=1)"])
    silent = [q for q, docs in RETRIEVED.items() if max(docs.values()) < 0.62]
    found = row(advice, "ScoreThreshold(threshold=0.62)")
    assert found["empty"] == len(silent) / 80
    assert found["silence_precision"] == np.mean([not LABELS[q] for q in silent])
    assert math.isnan(row(advice, "Fixed(k=1)")["silence_precision"])


def test_winners_that_overlap_are_said_and_the_simpler_one_named():
    retrieved, labels = collection(noise=0.6)
    advice = how_many(retrieved, labels, "SetF", policies="ScoreThreshold Greedy ShareOfTop Fixed(k=0)")
    assert "Careful: these questions do not tell it apart from" in repr(advice).replace("\n  ", " ")
    assert "Fixed(k=0)" not in advice.alike
    for name in advice.alike:
        assert row(advice, name)["behind_low"] <= 0
    clear = how_many(RETRIEVED, LABELS, policies="ScoreThreshold Fixed(k=0)")
    assert clear.alike == ()
    assert "Careful" not in repr(clear)


def test_equal_policies_share_the_first_place_and_the_shorter_list_wins():
    advice = how_many(RETRIEVED, LABELS, "c@1", policies="Fixed(k=3) Fixed(k=2)")
    assert advice.policies[:2] == ("Fixed(k=2)", "Fixed(k=3)")
    assert advice.first.tolist() == pytest.approx([1 / 3] * 3)


def test_few_questions_are_said():
    with pytest.warns(IrTruncWarning, match="how_many: 20 questions are few") as told:
        advice = how_many(*collection(20))
    assert told[0].filename == __file__
    assert "Careful: 20 questions are few" in repr(advice)


def test_policies_that_cannot_be_tried_are_named_with_the_reason():
    below = {q: {doc: score - 5 for doc, score in docs.items()} for q, docs in RETRIEVED.items()}
    advice = how_many(below, LABELS)
    assert "ShareOfTop" not in advice.policies
    assert any("ShareOfTop needs scores above 0" in reason for reason in advice.left_out)
    assert "Not tried: ShareOfTop needs scores above 0" in repr(advice)
    with pytest.raises(InputError, match="ShareOfTop needs scores above 0"):
        how_many(below, LABELS, policies="ShareOfTop")


def test_every_policy_that_needs_nothing_is_tried(advice):
    assert {"Greedy", "ScoreThreshold", "ShareOfTop", "LargestGap", "Knee", "Surprise"} <= {*advice.policies}
    assert not {"Oracle", "Given"} & {name.partition("(")[0] for name in advice.policies}
    assert {"Fixed(k=1)", "Fixed(k=10)"} <= {*advice.policies}
    assert "Fixed(k=20)" not in advice.policies  # no list is that long


def test_a_policy_of_one_s_own_is_advised():
    class Exactly(Policy):
        def cut(self, rankings):
            lists = zip(rankings.starts, rankings.lengths)
            return np.array([int((rankings.scores[start : start + n] > 0.62).sum()) for start, n in lists])

        def __str__(self):
            return "Exactly"

    advice = how_many(RETRIEVED, LABELS, policies=[Exactly(), "Fixed(k=0)"])
    assert isinstance(advice.policy, Exactly)
    assert advice.policy([0.9, 0.1]) == 1


def test_the_picture_shows_score_against_cost(advice):
    pytest.importorskip("matplotlib")
    assert advice.plot().texts[-1].get_text().startswith("mean length")
    advice = how_many(RETRIEVED, LABELS, policies="Greedy ScoreThreshold", cost=2)
    assert advice.plot().texts[-1].get_text().startswith("mean cost")
    assert advice.plot("length").texts[-1].get_text().startswith("mean length")
    with pytest.raises(InputError, match="no column 'tokens'"):
        advice.plot("tokens")


def test_scores_that_look_like_distances_are_said():
    distances = {topic: {doc: 1 - score for doc, score in docs.items()} for topic, docs in RETRIEVED.items()}
    message = r"lower half of \d+ of \d+ lists; if the scores are distances, pass lower_is_better"
    with pytest.warns(match=message):
        how_many(distances, LABELS, policies="Greedy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        how_many(distances, LABELS, policies="Greedy", lower_is_better=True)


@pytest.mark.parametrize(("retrieved", "message"), [
    ({f"question {at}": {"a": 0.9} for at in range(60)}, "nothing was retrieved"),
    ({}, "nothing was retrieved"),
    ({f"q{at}": [] for at in range(60)}, r"for any of the 60 .*\(for example question q0.*same ids"),
    ({f"q{at}": {"other": 0.5} for at in range(60)}, "60 questions have relevant documents, and none"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_where_nothing_can_be_learnt_there_is_no_advice(retrieved, message):
    labels = {f"q{at}": {"a": 1} for at in range(60)}
    with pytest.raises(InputError, match=message):
        how_many(retrieved, labels, policies="Greedy")


def test_where_no_question_has_an_answer_silence_is_advised():
    questions = [f"q{at}" for at in range(60)]
    silent = how_many({q: {"a": 0.5} for q in questions}, {q: {} for q in questions}, policies="Greedy")
    assert silent.policy([0.9]) == 0


@pytest.mark.parametrize(("options", "message"), [
    ({"policies": "Oracle"}, "Oracle cannot be used on a live list"),
    ({"policies": "Fixd"}, "no policy 'Fixd'"),
    ({"also": "Oracle"}, "Oracle cannot be used on a live list"),
    ({"also": 5}, "policies=5"),
    ({"measure": "RBPT AP"}, "one measure, not 2"),
    ({"cost": -1}, "cost=-1 is out of range"),
    ({"present": -1}, "k=-1 is out of range"),
    ({"folds": 1}, "folds=1 is out of range"),
    ({"retrieved": {"1": {"a": 1.0}}, "labels": {"1": {"a": 1}}}, "There is 1 topic"),
])  # fmt: skip
def test_what_is_wrong_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        how_many(**{"retrieved": RETRIEVED, "labels": LABELS} | options)
