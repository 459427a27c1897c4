"""Rankings, judgments and curves made by hand: what is impossible is refused where it is made."""

from dataclasses import fields, replace

import numpy as np
import pytest
from generated import rankings_of, runs
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import Curve, InputError, Rankings, calc
from ir_trunc._core.rankings import Judgments

NAN = float("nan")


@pytest.mark.parametrize(
    ("lists", "options", "problem"),
    [
        (
            [[0.9, 1]],
            {},
            r"topic 1: grade 0\.9 is not a whole number below 2\^31; None stands for an unjudged document",
        ),
        ([[NAN, 1]], {}, "topic 1: grade nan"),
        ([[float("inf")]], {}, "topic 1: grade inf"),
        ([["1"]], {}, "topic 1: grade '1'"),
        ([[True]], {}, "topic 1: grade True"),
        ([[2**40]], {}, "topic 1: grade 1099511627776"),
        ([[1]], {"judged": [[1, 0.5]]}, r"topic 1: grade 0\.5"),
        ([[1, 0]], {"costs": [[0.1, NAN]]}, "topic 1: nan among the costs; finite numbers are needed"),
        ([[1, 0]], {"costs": [[0.1, -1]]}, r"costs: -1\.0 at place 1; finite numbers >= 0 are needed"),
        ([[1, 0]], {"scores": [[2.0, NAN]]}, "topic 1: nan among the scores"),
        ([[1, 0]], {"scores": [[1.0, 2.0]]}, r"topic 1: score 2\.0 comes after 1\.0; scores must fall"),
        (
            [[1, 0], [1]],
            {"scores": [[3.0], [2.0, 1.0]]},
            "topic 1: 1 scores for 2 documents; one each is needed",
        ),
        ([[1, 0], [1]], {"scores": [[3.0, 2.0, 1.0]]}, "scores for 1 lists, but there are 2"),
        ([[1], [1]], {"costs": [[], [1, 1]]}, "topic 1: 0 costs for 1 documents"),
        ([[1]], {"scores": [["high"]]}, "scores: numbers are needed"),
        ([[1]], {"topics": [7]}, "topic 7 is int: topics are text"),
    ],
)
def test_lists_that_cannot_be_are_refused(lists, options, problem):
    with pytest.raises(InputError, match=problem):
        Rankings.from_lists(lists, **options)


def test_whole_numbers_of_any_type_are_grades():
    plain = Rankings.from_lists([[1, None, 2]])
    for grades in ([1.0, None, 2.0], [np.int8(1), None, np.float32(2)]):
        other = Rankings.from_lists([grades])
        assert other.judged_grades.dtype == np.int64
        assert other.judged_grades.tolist() == plain.judged_grades.tolist() == [1, 2]


def arrays(**changes):
    """One topic, the judged document of grade 1 at rank 2 of a list of three."""
    ints = {
        "lengths": [3],
        "judged_offsets": [0, 1],
        "judged_ranks": [2],
        "judged_grades": [1],
        "starts": [0],
    }
    given = {name: np.array(value) for name, value in ints.items()}
    judgments = Judgments(("1",), np.array([0, 1]), np.array([1]), np.array([1]))
    return {"judgments": judgments} | given | changes


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (
            "judged_offsets",
            np.array([0, 2]),
            "judged_offsets: offsets that rise from 0 to 1 are needed, not 0 to 2",
        ),
        ("judged_offsets", np.array([1, 1]), "judged_offsets"),
        ("judged_offsets", np.array([0, 1, 1]), "judged_offsets has 3 values: 2 are needed"),
        ("judged_ranks", np.array([4]), "topic 1: a judged document at rank 4 of 3 documents"),
        ("judged_ranks", np.array([0]), "topic 1: a judged document at rank 0"),
        ("judged_ranks", np.array([1, 2]), "judged_ranks has 2 values: 1 are needed"),
        (
            "judged_grades",
            np.array([0.9]),
            r"judged_grades: a flat array of whole numbers \(int64\) is needed, not an array of float64",
        ),
        ("judged_grades", [1], "judged_grades: a flat array of whole numbers .* not list"),
        ("lengths", np.array([-1]), "topic 1: a length of -1"),
        ("scores", np.array([1.0, 0.5]), "starts: lists reach from 0 to 3, but there are 2 scores"),
        ("costs", np.array([1.0, NAN, 1.0]), "costs: nan at place 1; finite numbers >= 0 are needed"),
        ("starts", np.array([-1]), "lengths|starts"),
    ],
)
def test_impossible_arrays_are_refused(name, value, problem):
    scores = {"scores": np.array([3.0, 2.0, 1.0])}
    assert len(Rankings(**arrays(**scores))) == 1
    with pytest.raises(InputError, match=problem):
        Rankings(**arrays(**(scores | {name: value})))


def test_judgments_and_curves_check_their_offsets():
    with pytest.raises(InputError, match="offsets of the judgments"):
        Judgments(("1",), np.array([0, 3]), np.array([1]), np.array([1]))
    with pytest.raises(InputError, match="grades: a flat array of whole numbers"):
        Judgments(("1",), np.array([0, 1]), np.array([0.5]), np.array([1]))
    with pytest.raises(InputError, match="offsets of the curve"):
        Curve(("1",), np.array([0, 3]), np.array([0.0, 1.0]))
    with pytest.raises(InputError, match="every topic needs a value"):
        Curve(("1", "2"), np.array([0, 0, 1]), np.array([0.0]))


TWO = Rankings.from_lists([[1, 0], [0, 0, 1]], scores=[[2, 1], [3, 2, 1]])


@pytest.mark.parametrize(
    ("depth", "problem"),
    [
        (-1, r"depth -1: a whole number from 0"),
        ([1, -2], "topic 2, depth -2"),
        (1.5, r"depth 1\.5"),
        (NAN, "depth nan"),
        ([1, NAN], "depth"),
        ("2", "depth '2'"),
        (None, "depth None"),
        (True, "depth True"),
        (10**30, "depth 1000000000000000000000000000000"),
        ([1], "depth has the shape"),
        ([[1, 2]], "depth has the shape"),
        ([[1], [1, 2]], "depth"),
    ],
)
def test_a_depth_is_a_whole_number_from_0_on(depth, problem):
    curve = calc_curve()
    for cut in (TWO.cut, curve.at):
        with pytest.raises(InputError, match=problem):
            cut(depth)


def calc_curve():
    from ir_trunc import curves

    [curve] = curves("P@5", None, TWO).values()
    return curve


def test_depths_of_any_whole_kind_are_taken():
    for depth in (2, 2.0, np.int8(2), [2, 2], np.array([2, 2], np.uint64), 2**62):
        assert TWO.cut(depth).lengths.tolist() == ([2, 3] if np.max(depth) == 2**62 else [2, 2])
        assert len(calc_curve().at(depth)) == 2


def test_results_over_some_topics_take_a_mask_and_nothing_else():
    results = calc("P@1", None, TWO)
    assert results.over([False, True]).topics == ("2",)
    assert results.over(np.array([True, False])).topics == ("1",)
    for positions in ([0, 1], [1], ["1"], [True], [1.0, 0.0]):
        with pytest.raises(InputError, match="a mask, True or False for each of 2 topics, is needed"):
            results.over(positions)
    with pytest.raises(InputError, match=r"whole numbers are needed, not bool; np\.flatnonzero"):
        TWO.take([True, False])
    for position in (-1, 2):
        with pytest.raises(InputError, match="numbers from 0 to 1"):
            TWO.take([position])
    assert TWO.take([]).topics == ()


@given(run=runs, depth=st.integers(0, 30))
def test_lists_that_are_cut_picked_out_or_unjudged_pass_every_check(run, depth):
    """They are made without checks; `replace` makes them once more, with all checks."""
    rankings = rankings_of(run)
    some = list(range(0, len(rankings), 2))
    for made in (rankings.cut(depth), rankings.take(some), rankings.cut(depth).unjudged().take(some)):
        again = replace(made)
        assert repr(again) == repr(made)
        assert all(getattr(again, f.name) is getattr(made, f.name) for f in fields(made))


def test_rankings_of_one_s_own_have_a_first_score_for_each_list():
    lists = Rankings.from_lists([[1, 0], [0]], scores=[[2.0, 1.0], [1.0]])
    with pytest.raises(InputError, match="first_scores: one number for each of 2 lists is needed"):
        replace(lists, first_scores=np.zeros(5))
