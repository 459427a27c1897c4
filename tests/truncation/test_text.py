"""Policies as text and as files: what is written is read again, and errors name what is needed."""

import json
import math

import pytest
from messages import refused

from ir_trunc import InputError, ParameterError, Rankings, load_policy
from ir_trunc.truncation import (
    Fixed,
    Given,
    Greedy,
    LargestGap,
    Oracle,
    Policy,
    ScoreThreshold,
    ShareOfTop,
    cross_validate,
    parse_policy,
    write_cuts,
)

half = ScoreThreshold(0.5)


@pytest.mark.parametrize(("policy", "name"), [
    (Greedy(), "stop.json"), (ScoreThreshold(math.inf), "stop.json.gz"),
    (LargestGap(at_least=1, at_most=5), "stop.json"),
])  # fmt: skip
def test_a_saved_policy_is_loaded_by_its_path(policy, name, tmp_path):
    policy.save(tmp_path / name)
    assert load_policy(tmp_path / name) == parse_policy(str(tmp_path / name)) == policy


def test_what_is_not_a_saved_policy_is_refused_with_its_file(tmp_path):
    path = tmp_path / "stop.json"
    half.save(path)
    content = json.loads(path.read_text())

    for changed, message in [
        ({"ir_trunc": "Power"}, "says that it holds 'Power': a Policy is needed"),
        ({"data": {"policy": "Fixd", "parameters": {"k": 1}}}, "no policy 'Fixd'.*Did you mean"),
        ({"data": {"policy": ["x"], "parameters": {}}}, "there is no policy"),
        ({"data": {"policy": "Fixed", "parameters": {"k": -1}}}, "k=-1 is out of range"),
        ({"data": {"policy": "Fixed", "parameters": {"k": 1, "n": 2}}}, "'n' is unknown"),
        ({"data": 5}, "an object is needed"),
    ]:
        path.write_text(json.dumps(content | changed))
        refused(InputError, rf"stop\.json.*{message}", load_policy, path)


def test_a_file_of_cuts_says_what_it_is(tmp_path):
    write_cuts(tmp_path / "k.tsv", {"1": 2})
    with pytest.raises(InputError, match=r"k\.tsv is a file of cuts, .*: parse_policy and truncate"):
        load_policy(tmp_path / "k.tsv")


def test_a_policy_that_nobody_else_knows_is_not_saved(tmp_path):
    class Mine(Policy):
        def lengths(self, rankings):
            return rankings.lengths

    refused(ParameterError, "Mine is not in the registry of policies", Mine().save, tmp_path / "stop.json")


UNSCORED, NEGATIVE = Rankings.from_lists([[1]]), Rankings.from_lists([[1, 0]], scores=[[-1, -2]])


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda: Oracle("AP")([0.9]), ParameterError, "cannot be used on a live list: it looks at judgments"),
    (lambda: Given({"1": 2}).keep([0.9]), ParameterError, "its cuts belong to topics"),
    (lambda: Greedy().cut(NEGATIVE), ParameterError, "Greedy has no k yet: fit it"),
    (lambda: ScoreThreshold().cut(NEGATIVE), ParameterError, "ScoreThreshold has no threshold yet"),
    (lambda: Oracle().cut(NEGATIVE), ParameterError, "Oracle has no measure yet"),
    (lambda: Fixed(1, at_least=3, at_most=2), ParameterError, "at_least=3 is above at_most=2"),
    (lambda: ShareOfTop(0.5).cut(NEGATIVE), InputError, "topic 1 has -1 for its first document"),
    (lambda: LargestGap().cut(UNSCORED), InputError, "needs the scores"),
    (lambda: Given({}, "k.tsv").cut(NEGATIVE), InputError, "k.tsv has no cut for topic 1"),
    (lambda: Oracle("c@1").cut(NEGATIVE), ParameterError, "c@1 looks at all lists of a run at once"),
    (lambda: Greedy().fit(NEGATIVE, "RBPU OIE"), ParameterError, "one measure, not 2: RBPU, OIE"),
    (lambda: cross_validate("Greedy", "RBPU", None, {"r": NEGATIVE}), ParameterError, "1 topic cannot"),
], ids=range(12))  # fmt: skip
def test_errors_name_the_policy_and_what_is_needed(call, kind, message):
    refused(kind, message, call)
