"""Policies on lists that were just retrieved, by hand, and against other tools."""

import array
import math
from collections import deque, namedtuple
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from messages import refused
from scipy.stats import expon, genpareto, norm

from ir_trunc import InputError, IrTruncWarning, ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import Fixed, LargestGap, Policy, ScoreThreshold, ShareOfTop, cross_validate
from ir_trunc.truncation.policies.basic import AdaptiveK, Knee, ScoreDistribution, Surprise

pl = pytest.importorskip("polars")
Hit = namedtuple("Hit", "query_id doc_id score")
half = ScoreThreshold(0.5)


@dataclass
class Node:
    """As retrieval frameworks have it."""

    text: str
    score: float | None = None
    metadata: dict | None = None


@pytest.mark.parametrize("scores", [
    [0.9, 0.5, 0.1],
    (0.9, 0.5, 0.1),
    np.array([0.9, 0.5, 0.1]),
    np.array([0.9, 0.5, 0.1], np.float32),
    np.array([0.9, Fraction(1, 2), 0], object),
    array.array("d", [0.9, 0.5, 0.1]),
    pd.Series([0.9, 0.5, 0.1], index=list("abc")),
    pl.Series([0.9, 0.5, 0.1]),
    pa.array([0.9, 0.5, 0.1]),
    memoryview(array.array("d", [0.9, 0.5, 0.1])),
    [np.float32(0.9), np.float64(0.5), 0],
], ids=lambda scores: type(scores).__name__)  # fmt: skip
def test_scores_of_one_list_give_a_plain_length(scores):
    assert half(scores) == 2
    assert type(half(scores)) is int


def test_a_row_for_each_list_gives_an_array_of_lengths():
    found = half(np.array([[0.9, 0.5, 0.1], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]]))
    assert found.dtype == np.int64
    assert found.tolist() == [2, 0, 3]
    assert half(np.zeros((0, 5))).tolist() == []
    assert half(np.zeros((2, 0))).tolist() == [0, 0]


def test_a_rise_in_digits_that_runs_do_not_have_is_no_rise():
    """Runs are in order as 32-bit floats, and so are lists."""
    assert half([0.5, math.nextafter(0.5, 1)]) == 2


def test_distances_are_read_with_the_opposite_sign():
    assert LargestGap()([0.1, 0.2, 0.9], lower_is_better=True) == 2
    assert ScoreThreshold(-0.3)([0.1, 0.2, 0.9], lower_is_better=True) == 2
    items = [("a", 0.1), ("b", 0.2), ("c", 0.9)]
    assert LargestGap().keep(items, lower_is_better=True) == items[:2]


@pytest.mark.parametrize(("scores", "message"), [
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
], ids=str)  # fmt: skip
def test_scores_that_are_not_a_falling_list_of_numbers_are_refused(scores, message):
    refused(InputError, message, half, scores)


def test_a_policy_of_one_s_own_works_live_too():
    class Odd(Policy):
        def lengths(self, rankings):
            return self.answer

    for answer, kept in [([1], 1), ([99], 3), ([2.0], 2), ([math.inf], 3)]:
        Odd.answer = answer
        assert Odd()([3, 2, 1]) == kept
    for answer in ([-1], [0.5], [1, 2], [], [math.nan], ["x"], [None], [True], [[1]], [[1], [1, 2]], None):
        Odd.answer = answer
        refused(InputError, "`cut` must return a whole length >= 0", Odd(), [3, 2, 1])
    lists = Rankings.from_lists([[1, 0]] * 4)
    named = "Odd: `cut` must return a whole length >= 0 for each of 4 topics"
    refused(InputError, named, cross_validate, [Odd()], "RBPU", None, {"run": lists}, folds=2)


PAIRS = [("a", 0.9), ("b", 0.5), ("c", 0.1)]
BELOW = [Node("a", metadata={"relevance": 0.9}), Node("b", metadata={"relevance": 0.1})]
KEPT = {
    "pairs": (PAIRS, PAIRS[:2], {}),
    "a deque": (deque(PAIRS), deque(PAIRS[:2]), {}),
    "dict of scores": ({"a": 0.9, "b": 0.5, "c": 0.1}, {"a": 0.9, "b": 0.5}, {}),
    "dict of objects": ({"a": Node("a", 0.9), "b": Node("b", 0)}, {"a": Node("a", 0.9)}, {"score": "score"}),
    "dicts": ([{"id": 1, "score": 0.9}, {"id": 2, "score": 0}], [{"id": 1, "score": 0.9}], {}),
    "dicts by name": ([{"sim": 0.9}, {"sim": 0.1}], [{"sim": 0.9}], {"score": "sim"}),
    "objects": ([Node("a", 0.9), Node("b", 0.1)], [Node("a", 0.9)], {}),
    "named tuples": ([Hit("1", "a", 0.9), Hit("1", "b", 0.1)], [Hit("1", "a", 0.9)], {}),
    "one level down": (BELOW, BELOW[:1], {"score": "metadata.relevance"}),
    "a function": (["aaa", "b"], ["aaa"], {"score": lambda text: len(text) / 3}),
    "scores beside, an array": (["x", "y"], ["x"], {"score": np.array([0.9, 0.1])}),
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
    refused(InputError, "items have no column 'score'", half.keep, frame.drop(columns="score"))
    twice = pd.concat([frame, frame["score"]], axis=1)
    for items in (twice, pa.table([pa.array([0.9]), pa.array([0.9])], names=["score", "score"])):
        refused(InputError, "items have several columns 'score'", half.keep, items)
    for items in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        message = "items are a frame, whose rows no function reads: score='name'"
        refused(InputError, message, half.keep, items, score=lambda row: row["sim"])


def test_collections_that_cannot_be_shortened_are_refused():
    for items in ({"a": 0.9}.items(), {0.9}):
        refused(InputError, "a list, a tuple, an array, a frame or a dict is needed", half.keep, items)
    refused(InputError, "array cannot be made .*: give a list", half.keep, array.array("d", [0.9, 0.1]))


def test_scores_that_rise_from_first_to_last_are_said():
    items = [("a", 0.1), ("b", 0.5), ("c", 0.9)]
    with pytest.warns(IrTruncWarning, match="rising scores.*lower_is_better=True") as told:
        assert half.keep(items) == items[1:]
    assert told[0].filename == __file__


@pytest.mark.parametrize(("items", "options", "message"), [
    ([Node("a", 0.9), Node("b")], {}, "item 1, Node.*, has no score: score='name' says where it is"),
    ([{"id": 1}], {"score": "sim"}, "item 0, {'id': 1}, has no sim"),
    ([("a", "b")], {}, "item 0 has the score 'b': a number is needed"),
    ([("a", 0.9), ("b", math.nan)], {}, "nan at place 1"),
    (["a", "b"], {}, "item 0, 'a', has no score"),
    (["a", "b"], {"score": [0.9]}, "score has the shape .1,.: 2 items need a score each"),
    ([Node("a", np.ones(2))], {}, "item 0 has the score"),
    (iter([("a", 0.9)]), {}, "a list, a tuple, an array"),
], ids=range(8))  # fmt: skip
def test_items_without_a_score_are_refused_by_their_place(items, options, message):
    refused((InputError, ParameterError), message, half.keep, items, **options)


@given(st.lists(st.floats(0.125, 1, width=32), max_size=12))
def test_what_is_kept_of_any_order_is_what_is_kept_of_the_sorted_list(scores):
    items = list(enumerate(scores))
    best = sorted(items, key=lambda item: -item[1])
    for policy in (half, LargestGap(), ShareOfTop(0.7), Fixed(4)):
        k = policy([score for _, score in best])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ir_trunc.truncation._policy.warn", lambda message: None)
            assert policy.keep(items) == sorted(best[:k])


# By hand, and against other tools.

ELEVEN = [0.9, 0.88, 0.6, 0.59, 0.58, 0.57, 0.56, 0.55, 0.54, 0.53, 0.1]  # ten gaps; AdaptiveK omits the last


@pytest.mark.parametrize(("policy", "scores", "length"), [
    (LargestGap(), ELEVEN, 10),
    (AdaptiveK(), ELEVEN, 7),  # five more than up to the gap
    (AdaptiveK(share=0, buffer=0), ELEVEN, 11),
    (Fixed(9, among=(4, 1)), [5, 4, 3, 2, 1], 4),
    (Knee(), [9, 7, 5, 3, 1], 5),  # a straight line
    (Knee(), [9, 8.9, 8.8, 8.7, 1], 5),  # above the line
    (Knee(), [1, 0.1, 0], 1),  # three documents are enough
])  # fmt: skip
def test_lengths_by_hand(policy, scores, length):
    assert policy(scores) == length


def test_surprise_is_the_improbability_in_the_distribution_that_scores_were_drawn_from():
    """Of exponential scores the surprise is the excess over the last, in units of the mean."""
    rng = np.random.default_rng(0)
    for shape in (-0.3, 0.0, 0.4):
        drawn = np.sort(genpareto(shape, scale=2.0).rvs(10_000, random_state=rng))[::-1]
        rankings = Rankings.from_lists([[0] * len(drawn)], scores=[drawn.tolist()])
        expected = -genpareto(shape, scale=2.0).logsf(drawn)
        assert Surprise()._keys(rankings)[200:] == pytest.approx(expected[200:], rel=0.05, abs=0.02)


def test_the_mixture_is_found_that_scores_were_drawn_from():
    """200 relevant documents around 8 among 2,000 others: the probability is that of Bayes' rule."""
    rng = np.random.default_rng(0)
    relevant, others = rng.normal(8, 0.7, 200), rng.exponential(1.0, 2000)
    scores = np.sort(np.concatenate([relevant, others]))[::-1]
    rankings = Rankings.from_lists([[0] * len(scores)], scores=[scores.tolist()])
    density = 200 * norm(8, 0.7).pdf(scores), 2000 * expon().pdf(scores)
    found, expected = ScoreDistribution()._keys(rankings), density[0] / (density[0] + density[1])
    inside = scores < 8
    assert np.abs(found[inside] - expected[inside]).max() < 0.1
    assert (np.diff(found) <= 0).all()
    assert abs(int(ScoreDistribution(0.5).cut(rankings)[0]) - 200) < 20
