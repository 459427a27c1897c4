"""Monitoring: what a policy was fitted on is kept and saved, and live lists are compared with it."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from generated import queries
from messages import refused
from reference_policies import positive
from scipy.stats import mannwhitneyu

import ir_trunc
from ir_trunc import InputError, ParameterError, Rankings, load_policy
from ir_trunc.truncation import Fixed, Greedy, LargestGap, Oracle, ScoreThreshold, parse_policy, truncate
from ir_trunc.truncation._monitoring import _kolmogorov_smirnov, _rank_test


def lists_of(seed, count, shift=0.0):
    """Lists of 8 scores around 1; a document is relevant where its score is above 1.2."""
    scores = -np.sort(-np.random.default_rng(seed).normal(1 + shift, 0.15, (count, 8)), axis=1)
    return Rankings.from_lists((scores > 1.2 + shift).astype(int).tolist(), scores=scores.tolist())


def test_a_fitted_policy_keeps_what_it_was_fitted_on_and_its_file_does():
    lists = lists_of(0, 60)
    policy = ScoreThreshold(at_most=5).fit(lists, "RBPT(p=0.8)")
    kept, profile = policy.cut(lists), policy.fitted_on
    assert (profile.measure, profile.questions) == ("RBPT(p=0.8)", 60)
    assert profile.without_answer == pytest.approx(lists.judgments.nil_queries.mean())
    assert (profile.silent, profile.length) == pytest.approx(((kept == 0).mean(), kept.mean()))
    assert dict(profile.features["top score"])[lists.first_scores.max()] == 1
    spreads = lists.scores.reshape(60, 8).std(axis=1)
    assert [value for value, _ in profile.features["spread"]] == pytest.approx(np.sort(spreads))
    assert policy.to_dict()["fitted_on"]["questions"] == 60
    assert policy.fit(lists_of(1, 9), "AP") is policy
    again = ir_trunc.truncation.policy_from_dict(json.loads(json.dumps(policy.to_dict())))
    assert again == policy == ScoreThreshold(policy.threshold, at_most=5)
    assert again.fitted_on == profile


@pytest.mark.parametrize("name", ["Greedy", "ShareOfTop", "LargestGap", "Fixed(k=2)"])
def test_every_live_policy_can_be_monitored(name):
    policy = parse_policy(name).fit(lists_of(0, 100), "RBPT")
    assert policy.monitor(lists_of(1, 100)).matches
    shifted = policy.monitor(lists_of(1, 100, 0.2))
    assert not shifted.matches
    assert shifted.to_pandas().loc["top score", "shifted"]
    assert "ALARM, shifted: top score" in str(shifted)


@pytest.mark.weekly
def test_false_alarms_are_at_most_those_that_are_stated():
    """200 pairs of samples of one collection; tests/benchmarks/monitoring.py draws 1,000 in more settings."""
    everything, rng, alarms = lists_of(2, 3000), np.random.default_rng(0), 0
    for _ in range(200):
        drawn = rng.choice(3000, 120, replace=False)
        policy = ScoreThreshold().fit(everything.take(drawn[:60]), "RBPT")
        alarms += not policy.monitor(everything.take(drawn[60:]), alpha=0.1).matches
    assert 0.01 < alarms / 200 < 0.1 + 2 * np.sqrt(0.1 * 0.9 / 200)


def test_the_p_value_is_that_of_stephens_1970():
    """2 sum (-1)^(j-1) e^(-2 j^2 x^2) with x = (sqrt(n) + .12 + .11 / sqrt(n)) d; n = 8 * 24 / 32."""
    points = tuple((float(value), value / 8) for value in range(1, 9))
    second = np.repeat([1.0, 2, 3, 4], 6)  # all of them where half of the first sample lies
    x = (math.sqrt(6) + 0.12 + 0.11 / math.sqrt(6)) * 0.5
    expected = 2 * sum((-1) ** (j - 1) * math.exp(-2 * j**2 * x**2) for j in range(1, 20))
    assert _kolmogorov_smirnov(points, 8, second, 24) == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx(0.0656, abs=0.0005)


def lists_with(lengths, seed=0):
    """Lists of these lengths, whose scores lie around 1."""
    rng = np.random.default_rng(seed)
    scores = [sorted(rng.normal(1, 0.15, n), reverse=True) for n in lengths]
    return Rankings.from_lists([[0] * n for n in lengths], scores=[list(map(float, row)) for row in scores])


def run_of(lists):
    """Lists as a run."""
    rows = zip(lists.topics, np.split(lists.scores, np.cumsum(lists.lengths)[:-1]))
    return {topic: {f"d{rank}": float(score) for rank, score in enumerate(row)} for topic, row in rows}


@pytest.mark.parametrize(("in_fit", "live", "doubt"), [
    (Rankings.from_lists([[1, 0]] * 40), lists_of(0, 40), "top score: not compared, fewer than 2 lists of"),
    (lists_of(0, 40), Rankings.from_lists([[1, 0]] * 40), "40 lists of the fit and 0 live ones have it"),
    (lists_with([0] * 59 + [3]), lists_with([0] * 58 + [3] * 2), "gap: not compared, fewer than 2 lists of"),
    (lists_with([3] * 60), lists_with([0] * 45 + [3] * 15), "60 lists of the fit and 15 live ones have it"),
    (lists_with([1] * 45 + [3] * 15), lists_with([1] * 30 + [3] * 30), "gap: not compared, 15 lists of"),
])  # fmt: skip
def test_what_too_few_lists_have_is_in_doubt_and_never_unchanged(in_fit, live, doubt):
    result = Fixed(2).fit(in_fit, "SetF").monitor(live)
    assert doubt in " ".join(result.heading.split())
    assert "No shift" not in result.heading
    assert not result.matches


@pytest.mark.parametrize(("live", "shifted"), [
    ([3] * 60, "retrieved"),  # all values of both samples are equal
    ([50] * 10 + [0] * 50, "retrieved"),
    ([0] * 60, "silent"),
    ([50] * 30 + [3] * 30, "retrieved"),
])  # fmt: skip
def test_lists_that_became_short_or_empty_raise_an_alarm(live, shifted):
    result = Fixed(10).fit(lists_with([50] * 60), "AP").monitor(run_of(lists_with(live, 1)))
    assert not result.matches
    assert shifted in result.heading
    assert "No shift" not in str(result)
    assert result.lists == 60


def test_the_rank_test_is_scipy_s():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 6, 80), rng.integers(1, 6, 40)
    counts = np.stack(np.unique(first, return_counts=True), axis=1)
    expected = mannwhitneyu(first, second, use_continuity=False, method="asymptotic").pvalue
    assert _rank_test(counts, 80, second, 40) == pytest.approx(expected)
    assert _rank_test(np.array([[3, 9]]), 9, np.full(9, 3), 9) == 1


def test_where_a_shift_could_not_be_seen_the_text_does_not_say_that_there_is_none(tmp_path, command):
    policy = ScoreThreshold().fit(lists_of(0, 60), "RBPT")
    cut = lists_of(1, 60)
    cut = cut.cut(policy.cut(cut))
    after = policy.monitor(cut)
    assert not after.matches
    assert "No list is longer than the policy keeps" in " ".join(after.heading.split())
    assert "No shift" not in after.heading
    few_gaps = [1] * 50 + [2] * 10
    Fixed(1).fit(lists_with(few_gaps), "AP").save(path := tmp_path / "stop.json")
    truncate(run_of(lists_with(few_gaps, 1)), "Fixed(8)").write(tmp_path / "live.run")
    status, printed, _ = command("monitor", str(path), str(tmp_path / "live.run"))
    assert status == 2
    assert printed.startswith("Not enough to tell: 60 live lists")


def test_lists_of_all_lengths_and_equal_scores_can_be_compared():
    lists = positive(queries(3, 30))
    assert LargestGap().fit(lists, "RBPT").monitor(lists).matches
    equal = Rankings.from_lists([[0, 0]] * 30, scores=[[1, 1]] * 30)
    assert ScoreThreshold(1.0).fit(equal, "RBPT").monitor(equal).p_value.tolist() == [1] * 6


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: Fixed(2).monitor(lists_of(0, 9)), ParameterError, "does not know what it was fitted on"),
    (lambda: Oracle("AP").monitor(lists_of(0, 9)), ParameterError, "cannot be used on a live list"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor({"1": {"a": 1}}), InputError,
     "1 independent live list, and .* was fitted on 9: too few to tell"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor(lists_of(0, 20), alpha=1), ParameterError,
     "alpha=1 is out of range"),
    (lambda: Fixed(2).fit(lists_of(0, 60), "AP").monitor(lists_of(0, 19)), InputError,
     "19 independent live lists, and .* on 60: too few"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor(lists_of(0, 60)), InputError,
     "60 independent live lists, and .* on 9: too few to tell"),
    (lambda: Fixed(2).fit(lists_of(0, 60), "AP").monitor({}), InputError, "run .dict.: there is no list; at"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(call, error, message):
    refused(error, message, call)


def test_a_file_whose_profile_is_damaged_is_refused(tmp_path):
    path = tmp_path / "stop.json"
    Greedy().fit(lists_of(0, 9), "RBPT").save(path)
    content = json.loads(path.read_text())
    for changed, message in [
        ({"questions": 1}, "questions is 1: from two to the number of lists"),
        ({"silent": "often"}, "silent is 'often': a number"),
        ({"features": {"gap": [[1]]}}, "1 items: 2 are needed"),
        ({"more": 1}, "'more' is unknown"),
        ({"silent": 1.5}, "silent is 1.5: a number from 0 to 1"),
        ({"without_answer": "NaN"}, "without_answer is nan: a number"),
        ({"length": -3.0}, "length is -3.0: a number from 0"),
        ({"lengths": [[1, -5], [2, 14]]}, "lengths: lengths from 0 on"),
        ({"questions": 10**18}, "to the number of lists"),
        ({"features": {}}, "features: retrieved is missing"),
        *(
            ({"features": {"retrieved": points}}, "features, retrieved: values that rise, with shares")
            for points in ([], [[1, 3.0]], [[1, 0.3]], [[1, -0.5], [2, 1]], [["NaN", 1]], [[2, 0.5], [1, 1]])
        ),
    ]:
        data = content["data"] | {"fitted_on": content["data"]["fitted_on"] | changed}
        path.write_text(json.dumps(content | {"data": data}))
        refused(InputError, rf"stop\.json, fitted_on.*{message}", load_policy, path)


def test_the_command_says_whether_a_run_matches(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ScoreThreshold().fit(lists_of(0, 40), "RBPT").save("stop.json")
    for name, shift in (("same", 0.0), ("other", 0.3)):
        truncate(run_of(lists_of(5, 40, shift)), "Fixed(8)").write(f"{name}.run")
    status, printed, errors = command("monitor", "stop.json", "same.run")
    assert (status, errors) == (0, "")
    assert printed.startswith("No shift is shown: 40 live lists")
    status, printed, _ = command("monitor", "stop.json", "other.run")
    assert status == 1
    assert "ALARM, shifted: " in printed
    assert command("monitor", "same.run", "same.run")[0] == 2


def distances(seed, count=40):
    """Frames with a distance for each document: those up to 0.2 are relevant."""
    drawn = np.sort(np.random.default_rng(seed).uniform(0, 1, (count, 20))).tolist()
    rows = [(str(q), f"d{r}", x) for q, row in enumerate(drawn) for r, x in enumerate(row)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "distance"])


@pytest.mark.filterwarnings("ignore:how_many. 40 questions are few")
def test_the_direction_and_the_name_of_the_scores_are_part_of_the_policy(tmp_path, command):
    """A threshold on distances keeps those below it, in every live call, without being told again."""
    frame, live = distances(0), distances(1)
    qrels = frame.assign(relevance=(frame["distance"] <= 0.2).astype(int))
    reading = {"lower_is_better": True, "columns": {"score": "distance"}}
    fitted = ScoreThreshold().fit(ir_trunc.rank(qrels, frame, **reading), "SetF")
    advised = ir_trunc.how_many(qrels, frame, "SetF", policies="ScoreThreshold", **reading).policy
    fitted.save(tmp_path / "stop.json")
    scores = live["distance"][live["query_id"] == "0"].tolist()
    items = [{"id": n, "distance": score, "score": 1.0} for n, score in enumerate(scores)]
    number = sum(score <= -fitted.threshold for score in scores)
    assert 0 < number < 20
    for policy in (load_policy(tmp_path / "stop.json"), fitted, advised):
        assert policy(scores) == number
        assert len(policy.keep(items)) == len(policy.keep(live[live["query_id"] == "0"])) == number
        assert len(policy.keep(list(zip("abcdefghijklmnopqrst", scores)))) == number
        assert policy([-score for score in scores], lower_is_better=False) == number
    columns = {"columns": {"score": "distance"}}
    assert fitted.monitor(live, **columns).matches
    with pytest.warns(ir_trunc.IrTruncWarning, match="the scores rise"):
        assert not fitted.monitor(live, lower_is_better=False, **columns).matches
    assert len(truncate(live, fitted, **columns).to_dict()["0"]) == number
    lines = [f"{q} Q0 {d} 1 {x!r} t\n" for q, d, x in live.itertuples(index=False)]
    (tmp_path / "live.run").write_text("".join(lines))
    status, out, _ = command("truncate", str(tmp_path / "live.run"), "--policy", str(tmp_path / "stop.json"))
    assert (status, out.splitlines()[0]) == (0, f"0\t{number}")
    assert command("monitor", str(tmp_path / "stop.json"), str(tmp_path / "live.run"))[0] == 0


def test_a_question_that_comes_twice_in_a_live_log_has_two_lists():
    once = run_of(lists_of(5, 40, 0.0))
    fitted = ScoreThreshold().fit(lists_of(5, 40), "RBPT(p=0.8)")
    rows = [(topic, doc, score) for topic, docs in once.items() for doc, score in docs.items()]
    other = {topic: f"again {topic}" for topic in once}
    apart = fitted.monitor(rows + [(other[topic], *row) for topic, *row in rows])
    again = fitted.monitor(rows + rows)
    assert again.lists == apart.lists == 2 * len(once)
    assert again.to_pandas().equals(apart.to_pandas())


@pytest.mark.needs("spans and stores")
def test_a_policy_with_a_budget_is_monitored_with_costs():
    docs = [[{"id": f"d{i}", "score": 1 - 0.1 * i, "tokens": 3 + q % 4} for i in range(4)] for q in range(40)]
    run = [{"query_id": str(q), "contexts": contexts} for q, contexts in enumerate(docs)]
    how = {"columns": {"list": "contexts", "cost": "tokens"}}
    lists = ir_trunc.rank({str(q): {"d0": 1} for q in range(40)}, run, **how)
    policy = Fixed(3, budget=8).fit(lists, "RBPT")
    found = policy.monitor(run, columns={"list": "contexts"}, cost="tokens").to_pandas()
    assert found.equals(policy.monitor(run, **how).to_pandas())
    refused(ParameterError, "cost= is read with a run", policy.monitor, lists, cost="tokens")


def test_p_values_of_lists_with_keys_are_those_of_independent_lists():
    """Forty users, each with the same list on three days: as if each had one."""
    second = run_of(lists_of(1, 40, 0.15))
    policy = ScoreThreshold().fit(lists_of(0, 40), "RBPT")
    nested = {f"{user}/{day}": docs for user, docs in second.items() for day in "abc"}
    alone, with_keys = policy.monitor(second), policy.monitor(nested, keys="user/day")
    pd.testing.assert_frame_equal(with_keys.to_pandas(), alone.to_pandas(), rtol=1e-9)
    flat = policy.monitor(nested)
    assert (with_keys.lists, flat.lists) == (40, 120)
    uneven = nested | {f"1/{day}": nested["1/a"] for day in range(10)}
    assert policy.monitor(uneven, keys="user/day").lists == 130**2 // (13**2 + 39 * 3**2)
    assert (flat.p_value < alone.p_value).sum() >= 3
    assert 0 < alone.to_pandas().loc["passages", "p_value"] < 0.5
