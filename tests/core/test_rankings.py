"""Rankings, judgments and curves: what is refused, lists that are cut and joined, and best cuts."""

from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from generated import EVERY, groups, rankings_of, runs, same_lists
from hypothesis import given, settings, strategies as st
from messages import refused

from ir_trunc import InputError, Rankings, calc, curves, rank
from ir_trunc._core.rankings import Judgments
from ir_trunc.measures import scores
from ir_trunc.typing import Curve

NAN = float("nan")
TWO = Rankings.from_lists([[1, 0], [0, 0, 1]], scores=[[2, 1], [3, 2, 1]])


@pytest.mark.parametrize(("lists", "options", "problem"), [
    ([[0.9, 1]], {}, r"topic 1: grade 0\.9 is not a whole number below 2\^31; None stands for"),
    ([[NAN, 1]], {}, "topic 1: grade nan"),
    ([[float("inf")]], {}, "topic 1: grade inf"),
    ([["1"]], {}, "topic 1: grade '1'"),
    ([[True]], {}, "topic 1: grade True"),
    ([[2**40]], {}, "topic 1: grade 1099511627776"),
    ([[1]], {"judged": [[1, 0.5]]}, r"topic 1: grade 0\.5"),
    ([[1, 0]], {"costs": [[0.1, NAN]]}, "topic 1, costs=nan is out of range: a finite number is needed"),
    ([[1, 0]], {"costs": [[0.1, -1]]}, r"costs: -1\.0 at place 1; finite numbers >= 0 are needed"),
    ([[1, 0]], {"scores": [[2.0, NAN]]}, "topic 1, scores=nan is out of range"),
    ([[1, 0]], {"scores": [[1.0, 2.0]]}, r"topic 1: score 2\.0 comes after 1\.0; scores must fall"),
    ([[1, 0]], {"scores": [[3.0]]}, "topic 1: 1 scores for 2 documents; one each is needed"),
    ([[1, 0], [1]], {"scores": [[3.0, 2.0, 1.0]]}, "scores for 1 lists, but there are 2"),
    ([[1]], {"scores": [["high"]]}, "topic 1, scores='high': a finite number is needed"),
    ([[1]], {"topics": [7]}, "topic 7 is int: topics are text"),
])  # fmt: skip
def test_lists_that_cannot_be_are_refused(lists, options, problem):
    refused(InputError, problem, Rankings.from_lists, lists, **options)


def test_whole_numbers_of_any_type_are_grades():
    plain = Rankings.from_lists([[1, None, 2]])
    for grades in ([1.0, None, 2.0], [np.int8(1), None, np.float32(2)]):
        other = Rankings.from_lists([grades])
        assert other.judged_grades.dtype == np.int64
        assert other.judged_grades.tolist() == plain.judged_grades.tolist() == [1, 2]


def arrays(**changes):
    """One topic, the judged document of grade 1 at rank 2 of a list of three."""
    lists = Rankings.from_lists([[None, 1, None]])
    return {field.name: getattr(lists, field.name) for field in fields(lists)} | changes


@pytest.mark.parametrize(("name", "value", "problem"), [
    ("judged_offsets", np.array([0, 2]), "judged_offsets: offsets that rise from 0 to 1 are needed"),
    ("judged_offsets", np.array([1, 1]), "judged_offsets"),
    ("judged_offsets", np.array([0, 1, 1]), "judged_offsets has 3 values: 2 are needed"),
    ("judged_ranks", np.array([4]), "topic 1: a judged document at rank 4 of 3 documents"),
    ("judged_ranks", np.array([0]), "topic 1: a judged document at rank 0"),
    ("judged_ranks", np.array([1, 2]), "judged_grades has the shape .1,.: one value for each"),
    ("judged_grades", np.array([0.9]), "judged_grades is of type array of float64: array of int64"),
    ("judged_grades", [1], "judged_grades is of type list: array of int64 is needed"),
    ("lengths", np.array([-1]), "topic 1: a length of -1"),
    ("scores", np.array([1.0, 0.5]), "starts: lists reach from 0 to 3, but there are 2 scores"),
    ("costs", np.array([1.0, NAN, 1.0]), "costs: nan at place 1; finite numbers >= 0 are needed"),
    ("first_scores", np.zeros(5), "first_scores has the shape .5,.: one value for each of the topics"),
    ("starts", np.array([-1]), "lengths|starts"),
])  # fmt: skip
def test_impossible_arrays_are_refused(name, value, problem):
    scores = {"scores": np.array([3.0, 2.0, 1.0])}
    assert len(Rankings(**arrays(**scores))) == 1
    refused(InputError, problem, Rankings, **arrays(**(scores | {name: value})))


def test_judgments_and_curves_check_their_offsets():
    one, half, ends = np.array([1]), np.array([0.5]), np.array([0, 1])
    refused(InputError, "offsets of the judgments", Judgments, ("1",), np.array([0, 3]), one, one)
    refused(InputError, "grades: a flat array of whole numbers", Judgments, ("1",), ends, half, one)
    refused(InputError, "offsets of the curve", Curve, ("1",), np.array([0, 3]), np.array([0.0, 1.0]))
    refused(InputError, "every topic needs a value", Curve, ("1", "2"), np.array([0, 0, 1]), np.array([0.0]))


def test_results_over_some_topics_take_a_mask_and_nothing_else():
    results = calc("P@1", None, TWO)
    assert results.over([False, True]).topics == ("2",)
    assert results.over(np.array([True, False])).topics == ("1",)
    for positions in ([0, 1], [1], ["1"], [True], [1.0, 0.0]):
        refused(InputError, "a mask, True or False for each of 2 topics, is needed", results.over, positions)
    refused(InputError, r"whole numbers are needed, not bool; np\.flatnonzero", TWO.take, [True, False])
    for position in (-1, 2):
        refused(InputError, "numbers from 0 to 1", TWO.take, [position])
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


@settings(max_examples=5 * settings().max_examples)
@given(run=runs, parts=st.integers(1, 5), seed=st.integers(0, 99))
def test_pieces_put_together_are_the_whole(run, parts, seed):
    """All that measures look at; then they have the same bits."""
    whole = rankings_of(run)
    joined = Rankings.concat(whole.judgments, [whole.take(part) for part in groups(len(run), parts, seed)])
    assert same_lists(joined, whole)
    assert joined.judgments is whole.judgments
    assert joined.overlaps.tobytes() == whole.overlaps.tobytes()
    for name in ("scores", "costs"):
        ours, theirs = getattr(joined, name), getattr(whole, name)
        assert (ours is None) == (theirs is None)
        assert ours is None or ours[joined.places].tobytes() == theirs[whole.places].tobytes()


@given(run=runs, depth=st.integers(0, 4), seed=st.integers(0, 99))
def test_lists_that_are_cut_and_picked_are_parts_too(run, depth, seed):
    whole = rankings_of(run).cut(depth)
    at = np.random.default_rng(seed).permutation(len(run))[: len(run) // 2 + 1]
    picked = whole.take(np.sort(at))
    again = Rankings.concat(picked.judgments, [picked])
    assert same_lists(again, picked)
    first, second = (np.array(scores(EVERY.values(), lists)) for lists in (again, picked))
    assert first.tobytes() == second.tobytes()


def test_pieces_that_do_not_fit_together_are_refused():
    lists, other = Rankings.from_lists([[1]]), Rankings.from_lists([[1]], topics=["x"])
    unknown = "topic x of a piece is not a topic of the judgments"
    refused(InputError, unknown, Rankings.concat, lists.judgments, [lists, other])
    some, free = Rankings.from_lists([[1], [1]], costs=[[1.0], [1.0]]), Rankings.from_lists([[1], [1]])
    pieces = [some.take([0]), free.take([1])]
    refused(InputError, "only some pieces of the run have costs", Rankings.concat, some.judgments, pieces)


def test_first_scores_follow_the_lists():
    lists = Rankings.from_lists([[1, 0], [], [0]], scores=[[3.0, 1.0], [], [2.0]])
    assert lists.first_scores.tolist() == [3.0, -np.inf, 2.0]
    assert lists.take([2, 1]).first_scores.tolist() == [2.0, -np.inf]
    assert lists.cut([1, 0, 0]).first_scores.tolist() == [3.0, -np.inf, -np.inf]
    assert lists.unjudged().first_scores.tolist() == [3.0, -np.inf, 2.0]
    assert Rankings.from_lists([[1]]).first_scores is None
    assert curves("CWS", None, lists)


def as_dicts(values, mask):
    """The cells of a matrix within the mask; ids are the columns' numbers, with leading zeros."""
    return {
        str(row): {f"{column:04d}": value for column, value in enumerate(cells) if inside[column]}
        for row, (cells, inside) in enumerate(zip(values.tolist(), mask.tolist()), 1)
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("seed", "width"), [(0, 12), (1, 1), (2, 40)])
@pytest.mark.parametrize("types", [("f8", "i8"), ("f4", "f4"), ("i1", "u1"), (float, bool)])
def test_matrices_are_the_dicts_with_the_columns_as_ids(seed, width, types):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 5, (30, width)).astype(types[0])
    labels = rng.integers(0, 3, (30, width)).astype(types[1])
    shown, judged = rng.random((2, 30, width)) < [[[0.6]], [[0.7]]]
    judged[:, 0] = True  # a topic without judgments is in no qrels
    shown[:3] = False
    if types[0] == "f8":
        scores[5:9] *= 1e300  # beyond 32 bits they are ties
    ours = Rankings.from_arrays(scores, labels, shown=shown, judged=judged)
    expected = rank(as_dicts(labels.astype(int), judged), as_dicts(scores, shown))
    for name in ("lengths", "judged_offsets", "judged_ranks", "judged_grades", "first_scores"):
        assert (getattr(ours, name) == getattr(expected, name)).all(), name
    assert ours.topics == expected.topics
    assert (ours.scores[ours.places] == expected.scores[expected.places]).all()
    measures = "nDCG@5 AP RBPT OIE RBPU c@1 CWS"
    assert calc(measures, None, ours).values.tobytes() == calc(measures, None, expected).values.tobytes()


@pytest.mark.parametrize(("changes", "said"), [
    ({"scores": np.ones(3)}, "scores: a matrix .* of numbers is needed, not 1 dimensions of float64"),
    ({"scores": np.ones((2, 2, 2))}, "scores: a matrix"),
    ({"labels": np.array([["a", "b"]] * 2)}, "labels: a matrix .* of numbers"),
    ({"labels": [[1, None], [0, 1]]}, "labels: a matrix .* not 2 dimensions of object"),
    ({"labels": [[1], [0, 1]]}, "labels=.* a matrix .topics x documents. of numbers is needed"),
    ({"labels": np.ones((2, 3), int)}, r"shapes \(2, 2\), \(2, 3\), \(2, 2\), \(2, 2\) for 2 topics"),
    ({"shown": np.ones((2, 2))}, "shown: a matrix .* of truth values"),
    ({"scores": np.array([[1, 2], [3, np.nan]])}, "topic 2, column 1: score nan is not a finite number"),
    ({"scores": np.array([[1, 2], [3, -np.inf]])}, "score -inf is not a finite number; shown= leaves cells"),
    ({"labels": np.array([[1, 0.5], [3, 1]])}, "topic 1, column 1: label 0.5 is not a whole number"),
    ({"labels": np.array([[1, 0], [2.0**31, 1]])}, "topic 2, column 0: label 2147483648.0 is not"),
    ({"topics": ["b", "a"]}, "canonical order"),
    ({"topics": ["a"]}, "for 1 topics"),
    ({"topics": [1, 2]}, "topic 1 is int"),
])  # fmt: skip
def test_matrices_that_do_not_fit_are_refused(changes, said):
    given = {"scores": np.ones((2, 2)), "labels": np.ones((2, 2), int)} | changes
    refused(InputError, said, Rankings.from_arrays, **given)


def test_cells_that_are_not_looked_at_may_hold_anything():
    shown, judged = np.array([[True, False]]), np.array([[False, True]])
    scores, labels = np.array([[1.0, np.nan]]), np.array([[np.nan, 1.0]])
    rankings = Rankings.from_arrays(scores, labels, shown=shown, judged=judged)
    assert calc("SetR RBPT", None, rankings).values.shape == (2, 1)
    assert (rankings.lengths.tolist(), rankings.judged_grades.tolist()) == ([1], [])
    for shape in ((0, 3), (2, 0)):
        assert Rankings.from_arrays(np.ones(shape), np.ones(shape, int)).lengths.sum() == 0


def test_masks_of_numpy_say_what_is_shown_and_judged():
    scores = np.ma.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]], mask=[[0, 1, 1], [0, 0, 0]])
    labels = np.ma.array([[1, 0, 1], [0, 1, 0]], mask=[[0, 0, 0], [1, 0, 1]])
    ours = Rankings.from_arrays(scores, labels, judged=[[True] * 3, [False, True, True]])
    assert (ours.lengths.tolist(), ours.judged_ranks.tolist()) == ([1, 3], [1, 2])
    assert ours.judgments.grades.tolist() == [1, 1, 0, 1]
    ours = Rankings.from_arrays(scores, labels, shown=[[False, True, True], [True, False, True]])
    assert (ours.lengths.tolist(), ours.judged_ranks.tolist()) == ([0, 2], [])
    plain = np.ma.array([[3.0, 2.0]])  # which has no mask
    assert Rankings.from_arrays(plain, np.ma.array([[1, 0]], mask=False)).judged_grades.tolist() == [1, 0]
    for changes in ({"shown": np.ma.array(scores > 0)}, {"topics": ["1"], "scores": scores[:1]}):
        with pytest.raises(InputError, match=r"shown: .* is needed, without a mask|one shape is needed"):
            Rankings.from_arrays(**{"scores": scores, "labels": labels, **changes})
    for method in (Rankings.from_lists([[1], [0]]).cut, Rankings.from_lists([[1], [0]]).take):
        refused(InputError, "without a mask", method, np.ma.array([1, 0], mask=[0, 1]))


class Tensor:
    """A tensor of torch, which is no array while it has a gradient, or in a type that numpy lacks."""

    def __init__(self, values, dtype="torch.bfloat16", requires_grad=True):
        self.values, self.dtype, self.requires_grad = values, dtype, requires_grad

    def detach(self):
        return Tensor(self.values, self.dtype, requires_grad=False)

    def float(self):
        return Tensor(self.values, "torch.float32", self.requires_grad)

    def __array__(self, dtype=None, copy=None):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.array(self.values)


@pytest.mark.parametrize("dtype", ["torch.bfloat16", "torch.float32"])
def test_tensors_with_gradients_and_of_bfloat16_are_matrices(dtype):
    rankings = Rankings.from_arrays(Tensor([[0.5, 2.0]], dtype), Tensor([[1, 0]], "torch.int64"))
    assert rankings.judged_grades.tolist() == [0, 1]
    assert rankings.first_scores.tolist() == [2.0]


def test_an_array_that_is_no_run_leads_to_matrices():
    for data in ((np.ones((2, 2), int), {}), ({"1": {"a": 1}}, np.ones((2, 2)))):
        refused(InputError, r"an array has no ids; Rankings.from_arrays\(scores, labels\)", calc, "AP", *data)


def rbpt(g, judged):
    found = Fraction(sum(g), sum(judged)) if sum(judged) else 1
    return (1 - P8) * sum(x * P8**i for i, x in enumerate(g)) + P8 ** len(g) * found


P8, TENTH, THIRD = Fraction(4, 5), Fraction(1, 10), Fraction(1, 3)
EXACT = {  # measures whose floats differ in the last digits where scores are equal
    "SetF(beta=0.1)": lambda g, judged: sum(g) / (len(g) + TENTH * sum(judged) or 1),
    "RBPT(rel=1)": rbpt,
    "FlatU(e=0.3333333333333333,max_rel=3)": lambda g, judged: sum(x * THIRD - THIRD for x in g),
}


@pytest.mark.parametrize(("measure", "exact"), EXACT.items())
def test_the_best_cut_is_that_of_exact_arithmetic(measure, exact):
    top = 3 if "max_rel" in measure else 1
    rng = np.random.default_rng(7)
    lists = [rng.integers(0, top + 1, rng.integers(0, 13)).tolist() for _ in range(400)]
    judged = [g + rng.integers(0, top + 1, rng.integers(0, 5)).tolist() for g in lists]
    [curve] = curves(measure, None, Rankings.from_lists(lists, judged)).values()
    for g, pool, depth in zip(lists, judged, curve.best()[0].tolist()):
        values = [exact(g[:d], pool) for d in range(len(g) + 1)]
        assert depth == values.index(max(values)), (measure, g, pool)


def test_the_best_cut_of_a_loss_is_the_least_harmful_one():
    lists = Rankings.from_lists([[-1, 1, -1], [1]], [[-1, -1, 1], [1, -1]])
    [harm] = curves("HarmCompat", None, lists).values()
    assert harm.best()[0].tolist() == [0, 0]
    assert harm.best()[1].tolist() == [0.0, 0.0]
    [cost] = curves("EC", None, Rankings.from_lists([[0, 0, 0]], costs=[[3.0, 1.0, 1.0]])).values()
    opposite = Curve(cost.topics, cost.offsets, -cost.values)
    assert cost.best()[0].tolist() == opposite.best()[0].tolist()
    assert cost.best()[1].tolist() == (-opposite.best()[1]).tolist()


def test_depths_of_any_whole_kind_are_taken():
    [curve] = curves("P@5", None, TWO).values()
    for depth in (2, 2.0, np.int8(2), [2, 2], np.array([2, 2], np.uint64), 2**62):
        assert TWO.cut(depth).lengths.tolist() == ([2, 3] if np.max(depth) == 2**62 else [2, 2])
        assert len(curve.at(depth)) == 2
