"""Policies on lists that were just retrieved: numbers in, a length out; items in, the kept items out."""

import array
import json
import math
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, Rankings, calc, load_policy
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
    ranked,
    truncate,
    write_cuts,
)

pl = pytest.importorskip("polars")

Hit = namedtuple("Hit", "query_id doc_id score")
half = ScoreThreshold(0.5)


@dataclass
class Node:
    """As retrieval frameworks have it."""

    text: str
    score: float | None = None
    metadata: dict | None = None


class Tensor:
    """Gives its numbers as an array, and each as an object with `item`, as tensors do."""

    ndim = 1

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)

    def __len__(self):
        return len(self.values)


# A length.


@pytest.mark.parametrize(
    "scores",
    [
        [0.9, 0.5, 0.1],
        (0.9, 0.5, 0.1),
        np.array([0.9, 0.5, 0.1]),
        np.array([0.9, 0.5, 0.1], np.float32),
        np.array([0.9, Fraction(1, 2), 0], object),
        array.array("d", [0.9, 0.5, 0.1]),
        pd.Series([0.9, 0.5, 0.1], index=list("abc")),
        pl.Series([0.9, 0.5, 0.1]),
        pa.array([0.9, 0.5, 0.1]),
        Tensor([0.9, 0.5, 0.1]),
        [np.float32(0.9), np.float64(0.5), 0],
    ],
    ids=lambda scores: type(scores).__name__,
)
def test_scores_of_one_list_give_a_plain_length(scores):
    assert half(scores) == 2
    assert type(half(scores)) is int


def test_a_row_for_each_list_gives_an_array_of_lengths():
    found = half(np.array([[0.9, 0.5, 0.1], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]]))
    assert found.dtype == np.int64
    assert found.tolist() == [2, 0, 3]
    assert half(np.zeros((0, 5))).tolist() == []
    assert half(np.zeros((2, 0))).tolist() == [0, 0]


@pytest.mark.parametrize("policy", [half, LargestGap(), ShareOfTop(0.5), Fixed(3)], ids=str)
def test_lists_of_no_document_of_one_and_of_equal_scores(policy):
    assert policy([]) == 0
    assert policy([0.7]) == 1
    assert policy([0.7, 0.7, 0.7]) == 3


def test_a_rise_in_digits_that_runs_do_not_have_is_no_rise():
    """Runs are in order as 32-bit floats, and so are lists."""
    assert half([0.5, math.nextafter(0.5, 1)]) == 2


def test_distances_are_read_with_the_opposite_sign():
    assert LargestGap()([0.1, 0.2, 0.9], lower_is_better=True) == 2
    assert ScoreThreshold(-0.3)([0.1, 0.2, 0.9], lower_is_better=True) == 2
    items = [("a", 0.1), ("b", 0.2), ("c", 0.9)]
    assert LargestGap().keep(items, lower_is_better=True) == items[:2]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.9, math.nan], "nan at place 1; finite numbers"),
        ([0.9, -math.inf], "-inf at place 1; finite numbers"),
        (np.array([[1.0, 0.5], [1.0, np.nan]]), "row 1, nan at place 1"),
        ([0.1, 0.9], "0.9 at place 1 is higher than 0.1 before it; scores must fall"),
        (np.array([[2.0, 1.0], [1.0, 2.0]]), "row 1, 2 at place 1 is higher"),
        ([0.9, None], "one list of numbers"),
        ([0.9, "0.5"], "one list of numbers"),
        ([True, False], "one list of numbers"),
        ([("d1", 0.9)], "`keep` takes items with scores"),
        ([(1, 0.5), (2, 0.4)], "`keep` takes items with scores"),
        ([[0.9, 0.5], [0.1]], "one list of numbers"),
        ({"d1": 0.9}, "`keep` takes items with scores"),
        (pd.DataFrame({"score": [0.9, 0.5]}), "`keep` takes items with scores"),
        (0.9, "one list of numbers"),
        ("0.9", "one list of numbers"),
        (None, "one list of numbers"),
        ([10**400], "one list of numbers"),
        (pl.Series([1], dtype=pl.Int128), "one list of numbers"),
    ],
    ids=str,
)
def test_scores_that_are_not_a_falling_list_of_numbers_are_refused(scores, message):
    with pytest.raises(InputError, match=message):
        half(scores)


def test_policies_that_cannot_work_live_say_why():
    for policy, message in [
        (Oracle("AP"), "Oracle.measure=AP. cannot be used on a live list: it looks at judgments"),
        (Given({"1": 2}), "its cuts belong to topics"),
        (Greedy(), "Greedy has no k yet: fit it"),
        (ScoreThreshold(), "ScoreThreshold has no threshold yet"),
    ]:
        for call in (policy, lambda scores, policy=policy: policy.keep(scores)):
            with pytest.raises(ParameterError, match=message):
                call([0.9, 0.5])


def test_a_policy_of_one_s_own_works_live_too():
    class Odd(Policy):
        def cut(self, rankings):
            return np.array(self.answer)

    for answer, kept in [([1], 1), ([99], 3), ([2.0], 2), ([math.inf], 3)]:
        Odd.answer = answer
        assert Odd()([3, 2, 1]) == kept
    for answer in ([-1], [0.5], [1, 2], [], [math.nan], ["x"], [None]):
        Odd.answer = answer
        with pytest.raises(InputError, match="`cut` must return a whole length >= 0"):
            Odd()([3, 2, 1])


def test_a_level_is_a_plain_number_for_other_frameworks():
    rankings = Rankings.from_lists([[1, 0], [0, 0]], scores=[[0.9, 0.4], [0.3, 0.2]])
    fitted = ScoreThreshold().fit(rankings, "FlatU(e=0.5)")
    assert (type(fitted.threshold), fitted.threshold) == (float, 0.9)
    assert type(Greedy().fit(rankings, "FlatU(e=0.1)").k) is int
    assert type(ShareOfTop().fit(rankings, "FlatU(e=0.5)").share) is float


# Items.


PAIRS = [("a", 0.9), ("b", 0.5), ("c", 0.1)]
KEPT = {
    "pairs": (PAIRS, PAIRS[:2], {}),
    "a tuple of pairs": (tuple(PAIRS), tuple(PAIRS[:2]), {}),
    "a deque": (deque(PAIRS), deque(PAIRS[:2]), {}),
    "dict of scores": ({"a": 0.9, "b": 0.5, "c": 0.1}, {"a": 0.9, "b": 0.5}, {}),
    "ordered dict": (OrderedDict(PAIRS), OrderedDict(PAIRS[:2]), {}),
    "dict of objects": ({"a": Node("a", 0.9), "b": Node("b", 0)}, {"a": Node("a", 0.9)}, {"score": "score"}),
    "dicts": ([{"id": 1, "score": 0.9}, {"id": 2, "score": 0}], [{"id": 1, "score": 0.9}], {}),
    "dicts by name": ([{"sim": 0.9}, {"sim": 0.1}], [{"sim": 0.9}], {"score": "sim"}),
    "objects": ([Node("a", 0.9), Node("b", 0.1)], [Node("a", 0.9)], {}),
    "named tuples": ([Hit("1", "a", 0.9), Hit("1", "b", 0.1)], [Hit("1", "a", 0.9)], {}),
    "one level down": (
        [Node("a", metadata={"relevance": 0.9}), Node("b", metadata={"relevance": 0.1})],
        [Node("a", metadata={"relevance": 0.9})],
        {"score": "metadata.relevance"},
    ),
    "a function": (["aaa", "b"], ["aaa"], {"score": lambda text: len(text) / 3}),
    "scores beside": (["x", "y"], ["x"], {"score": [0.9, 0.1]}),
    "scores beside, an array": (["x", "y"], ["x"], {"score": np.array([0.9, 0.1])}),
    "numbers": ([0.9, 0.1], [0.9], {}),
    "objects whose scores are arrays of one": ([Node("a", np.array(0.9)), Node("b", np.array([0.1]))], 1, {}),
    "nothing": ([], [], {}),
    "none kept": ([("a", 0.2)], [], {}),
}


@pytest.mark.parametrize(("items", "kept", "options"), KEPT.values(), ids=KEPT)
def test_items_are_kept_in_a_collection_of_their_own_type(items, kept, options):
    found = half.keep(items, **options)
    assert type(found) is type(items)
    assert found == (items[:kept] if isinstance(kept, int) else kept)
    assert all(any(one is item for item in items) for one in found)


def test_arrays_and_frames_come_back_as_they_are():
    assert half.keep(np.array([0.9, 0.5, 0.1], np.float32)).tolist() == pytest.approx([0.9, 0.5])
    names = np.array(["a", "b", "c"])
    assert half.keep(names, score=[0.9, 0.5, 0.1]).tolist() == ["a", "b"]
    assert half.keep(np.eye(3), score=[0.9, 0.5, 0.1]).shape == (2, 3)
    frame = pd.DataFrame({"doc": names, "score": [0.9, 0.5, 0.1], "sim": [1.0, 0.1, 0.0]}, index=[7, 8, 9])
    pd.testing.assert_frame_equal(half.keep(frame), frame.iloc[:2])
    pd.testing.assert_frame_equal(half.keep(frame, score="sim"), frame.iloc[:1])
    pd.testing.assert_series_equal(half.keep(frame["score"]), frame["score"].iloc[:2])
    assert half.keep(pl.from_pandas(frame)).equals(pl.from_pandas(frame)[:2])
    assert half.keep(pa.Table.from_pandas(frame)).equals(pa.Table.from_pandas(frame)[:2])
    with pytest.raises(InputError, match="items have no column 'score'"):
        half.keep(frame.drop(columns="score"))


def test_the_best_are_kept_in_the_order_that_the_items_have():
    items = [("b", 0.6), ("x", 0.1), ("a", 0.9), ("c", 0.6)]
    assert half.keep(items) == [("b", 0.6), ("a", 0.9), ("c", 0.6)]
    assert Fixed(2).keep(items) == [("b", 0.6), ("a", 0.9)]
    assert items == [("b", 0.6), ("x", 0.1), ("a", 0.9), ("c", 0.6)]


def test_scores_that_rise_from_first_to_last_are_said():
    items = [("a", 0.1), ("b", 0.5), ("c", 0.9)]
    with pytest.warns(IrTruncWarning, match="rising scores.*lower_is_better=True") as told:
        assert half.keep(items) == items[1:]
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("items", "options", "message"),
    [
        ([Node("a", 0.9), Node("b")], {}, "item 1, Node.*, has no score: score='name' says where it is"),
        ([{"id": 1}], {"score": "sim"}, "item 0, {'id': 1}, has no sim"),
        ([("a", "b")], {}, "item 0 has the score 'b': a number is needed"),
        ([("a", True)], {}, "item 0 has the score True: a number is needed"),
        ([("a", 0.9, 1)], {}, "item 0, .'a', 0.9, 1., has no score"),
        ([("a", 0.9), ("b", math.nan)], {}, "nan at place 1"),
        (["a", "b"], {}, "item 0, 'a', has no score"),
        (["a", "b"], {"score": [0.9]}, "score has the shape .1,.: 2 items need a score each"),
        (["a", "b"], {"score": 5}, "one list of numbers"),
        ([Node("a", np.ones(2))], {}, "item 0 has the score"),
        ("ab", {}, "items of type str"),
        ({"a", "b"}, {}, "items of type set"),
        (Hit("1", "a", 0.9), {}, "items of type Hit"),
        (iter([("a", 0.9)]), {}, "a list, a tuple, an array"),
        (None, {}, "items of type NoneType"),
        ([0.9], {"lower_is_better": "yes"}, "True or False"),
    ],
    ids=range(16),
)
def test_items_without_a_score_are_refused_by_their_place(items, options, message):
    with pytest.raises((InputError, ParameterError), match=message):
        half.keep(items, **options)


@given(st.lists(st.floats(0.125, 1, width=32), max_size=12))
def test_what_is_kept_of_any_order_is_what_is_kept_of_the_sorted_list(scores):
    items = list(enumerate(scores))
    best = sorted(items, key=lambda item: -item[1])
    for policy in (half, LargestGap(), ShareOfTop(0.7), Fixed(4)):
        k = policy([score for _, score in best])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ir_trunc.truncation._policy.warn", lambda message: None)
            assert policy.keep(items) == sorted(best[:k])


# Files.


@pytest.mark.parametrize(
    "policy", [half, Fixed(3), Greedy(), ScoreThreshold(math.inf), Oracle("RBPU(p=0.9)")]
)
@pytest.mark.parametrize("name", ["stop.json", "stop.json.gz"])
def test_a_policy_is_saved_and_loaded(policy, name, tmp_path):
    path = tmp_path / name
    policy.save(path)
    assert load_policy(path) == policy
    assert parse_policy(str(path)) == policy


def test_what_is_not_a_saved_policy_is_refused_with_its_file(tmp_path):
    path = tmp_path / "stop.json"
    half.save(path)
    content = json.loads(path.read_text())

    def refused(changed, message):
        path.write_text(json.dumps(changed))
        with pytest.raises(InputError, match=rf"stop\.json.*{message}"):
            load_policy(path)

    refused(content | {"ir_trunc": "Power"}, "a Policy is needed")
    refused(content | {"data": {"policy": "Fixd", "parameters": {"k": 1}}}, "no policy 'Fixd'.*Did you mean")
    refused(content | {"data": {"policy": ["x"], "parameters": {}}}, "there is no policy")
    refused(content | {"data": {"policy": "Fixed", "parameters": {"k": -1}}}, "k=-1 is out of range")
    refused(content | {"data": {"policy": "Fixed", "parameters": {"k": 1.5}}}, "k is 1.5: a whole number")
    refused(content | {"data": {"policy": "Fixed", "parameters": {}}}, "k is missing")
    refused(content | {"data": {"policy": "Fixed", "parameters": {"k": 1, "n": 2}}}, "'n' is unknown")
    refused(content | {"data": 5}, "an object is needed")


def test_a_policy_that_nobody_else_knows_is_not_saved(tmp_path):
    class Mine(Policy):
        def cut(self, rankings):
            return rankings.lengths

    with pytest.raises(ParameterError, match="Mine is not in the registry of policies"):
        Mine().save(tmp_path / "stop.json")


# Runs that were cut.

RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.2}, "q3": {}}


def test_a_cut_run_goes_back_to_a_dict_a_frame_and_a_file(tmp_path):
    cut = truncate(RUN, half)
    assert dict(cut) == cut.to_dict()
    judged = {topic: {"a": 1} for topic in RUN}
    whole = calc("RBPT", judged, cut.to_dict())
    assert calc("RBPT", judged, cut).values.tolist() == whole.values.tolist()  # as it is
    assert cut.to_dict() == {"q1": {"a": 0.9, "b": 0.8}, "q2": {}, "q3": {}}
    assert cut.cuts == {"q1": 2, "q2": 0, "q3": 0}
    frame = pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["a", "b"], "score": [0.9, 0.8], "rank": [1, 2]})
    pd.testing.assert_frame_equal(cut.to_pandas(), frame, check_dtype=False)
    cut.write(tmp_path / "cut.run.gz")
    qrels = {topic: {"a": 1} for topic in RUN}
    scores = [ir_trunc.calc("RBPT SetF", qrels, run) for run in (cut.to_dict(), tmp_path / "cut.run.gz")]
    assert scores[0].to_pandas().equals(scores[1].to_pandas())
    assert repr(cut) == "Truncated(3 lists, 2 documents, 2 lists empty)"


def test_every_form_of_cuts_ends_a_run(tmp_path):
    expected = truncate(RUN, half).to_dict()
    qrels = {topic: {"a": 1} for topic in RUN}
    rankings = ir_trunc.rank(qrels, RUN)
    write_cuts(tmp_path / "cuts.tsv", {"q1": 2, "q2": 0, "q3": 0})
    half.save(tmp_path / "stop.json")
    for cuts in (
        "ScoreThreshold(0.5)",
        {"q1": 2, "q2": 0, "q3": 9},
        rankings.cut(half.cut(rankings)),
        str(tmp_path / "cuts.tsv"),
        str(tmp_path / "stop.json"),
    ):
        assert truncate(RUN, cuts).to_dict() == expected
    assert truncate(RUN, rankings.cut(Oracle("SetF").cut(rankings))).to_dict()["q1"] == {"a": 0.9}


def test_a_cut_run_has_the_order_in_which_it_was_read():
    distances = {"q": {"near": 0.1, "far": 0.9, "middle": 0.3}}
    assert truncate(distances, LargestGap(), lower_is_better=True).to_dict() == {
        "q": {"near": -0.1, "middle": -0.3}
    }
    ties = truncate({"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, Fixed(1)).to_dict()
    assert ties == {"q": {"b": 1.0}}  # as ir-measures orders equal scores
    assert truncate({1: ["x", "y", "z"]}, Fixed(2)).to_pandas()["doc_id"].tolist() == ["x", "y"]


def test_runs_that_cannot_be_cut_are_refused():
    for policy, error, message in [
        ({"q1": 1}, InputError, "topic q2 of the run has no cut"),
        ({"q1": 1, "q2": 0, "q3": -1}, InputError, "topic q3: -1 documents cannot be kept"),
        ("Oracle(measure=AP)", ParameterError, "looks at judgments, which a run does not have"),
        ("Greedy", ParameterError, "Greedy has no k yet"),
        (5, ParameterError, "5 is not a policy"),
        (half.cut, ParameterError, "is not a policy"),
    ]:
        with pytest.raises(error, match=message):
            truncate(RUN, policy)


def test_cross_validation_and_live_use_end_a_list_alike():
    """What was evaluated is what is deployed."""
    rng = np.random.default_rng(3)
    run = {
        str(q): {f"d{i}": float(s) for i, s in enumerate(np.sort(rng.random(9))[::-1])} for q in range(1, 30)
    }
    rankings = ranked(ir_trunc.read_run(run))
    for policy in (half, LargestGap(), ShareOfTop(0.4), Fixed(4)):
        lengths = [len(policy.keep(scores)) for scores in run.values()]
        assert lengths == policy.cut(rankings).tolist()
    table = cross_validate([half], "SetF", {q: {"d0": 1} for q in run}, {"r": run}, folds=2)
    assert table["length"].tolist() == [np.mean([half(list(scores.values())) for scores in run.values()])]
