"""Monitoring: what a policy was fitted on is kept and saved, and live lists are compared with it."""

import json

import numpy as np
import pytest
from generated import queries
from naive_policies import positive
from scipy.stats import ks_2samp

import ir_trunc
from ir_trunc import InputError, ParameterError, Rankings, load_policy
from ir_trunc.truncation import Fixed, Greedy, LargestGap, Oracle, ScoreThreshold, parse_policy
from ir_trunc.truncation._monitoring import _distribution, _kolmogorov_smirnov


def lists_of(seed, count, shift=0.0):
    """Lists of 8 scores around 1; a document is relevant where its score is above 1.2."""
    rng = np.random.default_rng(seed)
    scores = -np.sort(-rng.normal(1 + shift, 0.15, (count, 8)), axis=1)
    return Rankings.from_lists((scores > 1.2 + shift).astype(int).tolist(), scores=scores.tolist())


def test_a_fitted_policy_keeps_what_it_was_fitted_on_and_its_file_does():
    lists = lists_of(0, 60)
    policy = ScoreThreshold(at_most=5).fit(lists, "RBPT(p=0.8)")
    kept, profile = policy.cut(lists), policy.fitted_on
    assert (profile.measure, profile.questions) == ("RBPT(p=0.8)", 60)
    assert profile.without_answer == lists.judgments.nil_queries.mean()
    assert (profile.silent, profile.length) == ((kept == 0).mean(), kept.mean())
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


def test_false_alarms_are_at_most_those_that_are_stated():
    """400 pairs of samples of one collection; tests/benchmarks/monitoring.py draws 1,000 in more settings."""
    everything, rng, alarms = lists_of(2, 3000), np.random.default_rng(0), 0
    for _ in range(400):
        drawn = rng.choice(3000, 120, replace=False)
        policy = ScoreThreshold().fit(everything.take(drawn[:60]), "RBPT")
        alarms += not policy.monitor(everything.take(drawn[60:]), alpha=0.1).matches
    assert 0.01 < alarms / 400 < 0.1 + 2 * np.sqrt(0.1 * 0.9 / 400)


def test_lists_of_one_value_of_the_outermost_key_do_not_count_as_independent():
    """Ten users, each with the same list on twenty days: flat tests nearly always raise an alarm."""

    def by_user(seed, keyed=True):
        rng = np.random.default_rng(seed)
        tops = rng.normal(1, 0.15, 10)
        run = {f"{u}/{d}": {"a": tops[u], "b": tops[u] - 0.1, "c": 0.2} for u in range(10) for d in range(20)}
        keys = "user/day" if keyed else None
        return ir_trunc.rank({topic: {"a": 1} for topic in run}, run, keys=keys), run

    policy = ScoreThreshold().fit(by_user(0)[0], "RBPT")
    flat = ScoreThreshold().fit(by_user(0, keyed=False)[0], "RBPT")
    assert (policy.fitted_on.questions, flat.fitted_on.questions) == (10, 200)
    alarms = [not policy.monitor(by_user(seed)[0]).matches for seed in range(1, 41)]
    flat_alarms = [not flat.monitor(by_user(seed)[1]).matches for seed in range(1, 41)]
    assert sum(alarms) <= 4
    assert sum(flat_alarms) >= 30
    _, run = by_user(1)
    assert policy.monitor(run, keys="user/day").lists == 10
    much = run | {f"0/{d}": run["0/1"] for d in range(20, 60)}
    assert policy.monitor(much, keys="user/day").lists == 240**2 // (60**2 + 9 * 20**2)


def test_a_distribution_of_which_all_points_are_known_is_tested_as_scipy_does():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 90), rng.normal(0.4, 1, 70)
    p_value = _kolmogorov_smirnov(_distribution(first), 90, second, 70)
    assert p_value == pytest.approx(ks_2samp(first, second).pvalue, rel=0.25)


def test_lists_of_all_lengths_and_equal_scores_can_be_compared():
    lists = positive(queries(3, 30))
    policy = LargestGap().fit(lists, "RBPT")
    assert policy.monitor(lists).matches
    equal = Rankings.from_lists([[0, 0]] * 30, scores=[[1, 1]] * 30)
    assert ScoreThreshold(1.0).fit(equal, "RBPT").monitor(equal).p_value.tolist() == [1] * 6


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: Fixed(2).monitor(lists_of(0, 9)), ParameterError, "does not know what it was fitted on"),
    (lambda: Oracle("AP").monitor(lists_of(0, 9)), ParameterError, "cannot be used on a live list"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor({"1": {"a": 1}}), InputError, "1 live list: two"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor(5), InputError, "run of type int"),
    (lambda: Fixed(2, fitted_on="AP"), InputError, "a Profile, as policy.fitted_on is, is needed"),
    (lambda: Fixed(2).fit(lists_of(0, 9), "AP").monitor(lists_of(0, 9), alpha=1), ParameterError,
     "alpha=1 is out of range"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_file_whose_profile_is_damaged_is_refused(tmp_path):
    path = tmp_path / "stop.json"
    Greedy().fit(lists_of(0, 9), "RBPT").save(path)
    content = json.loads(path.read_text())
    for changed, message in [
        ({"questions": 1}, "questions is 1: two or more"),
        ({"silent": "often"}, "silent is 'often': a number"),
        ({"features": {"gap": [[1]]}}, "1 items: 2 are needed"),
        ({"more": 1}, "'more' is unknown"),
    ]:
        data = content["data"] | {"fitted_on": content["data"]["fitted_on"] | changed}
        path.write_text(json.dumps(content | {"data": data}))
        with pytest.raises(InputError, match=rf"stop\.json, fitted_on.*{message}"):
            load_policy(path)


def test_another_system_on_the_same_topics_raises_an_alarm(real_data):
    folder = real_data("covid-r1")
    qrels = ir_trunc.read_qrels(folder / "qrels.covid-r1.txt")
    first, second = (folder / "runs" / f"{name}.gz" for name in ("BBGhelani1", "BERT"))
    policy = ScoreThreshold().fit(ir_trunc.rank(qrels, first), "RBPT")
    assert policy.monitor(first).matches
    assert not policy.monitor(second).matches


def test_the_command_says_whether_a_run_matches(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    policy = ScoreThreshold().fit(lists_of(0, 40), "RBPT")
    policy.save("stop.json")
    for name, shift in (("same", 0.0), ("other", 0.3)):
        lists = lists_of(5, 40, shift)
        scores = lists.scores.reshape(40, 8).tolist()
        lines = [f"{q} Q0 d{r} {r} {s} x\n" for q, row in enumerate(scores) for r, s in enumerate(row, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    status, printed, errors = command("monitor", "stop.json", "same.run")
    assert (status, errors) == (0, "")
    assert printed.startswith("No shift is shown: 40 live lists")
    status, printed, _ = command("monitor", "stop.json", "other.run")
    assert status == 1
    assert "ALARM, shifted: " in printed
    assert command("monitor", "same.run", "same.run")[0] == 2
