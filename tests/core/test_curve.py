"""The best cut against exact arithmetic, and the depths that curves and lists take."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from ir_trunc import Rankings, curves
from ir_trunc.typing import Curve

Exact = Callable[[list[int], list[int]], Fraction]


def tp(g):
    return sum(1 for x in g if x)


def precisions(g):
    return sum((Fraction(tp(g[:i]), i) for i, x in enumerate(g, 1) if x), Fraction(0))


def found(g, judged):
    return Fraction(sum(g), sum(judged)) if sum(judged) else Fraction(1)


def F(beta):
    return lambda g, judged: Fraction((1 + beta) * tp(g)) / (len(g) + beta * tp(judged) or 1)


def rbp(g, p):
    return (1 - p) * sum((x * p**i for i, x in enumerate(g)), Fraction(0))


def apt(g, judged):
    end = Fraction(tp(g), tp(judged)) if tp(judged) else Fraction(1)
    return (precisions(g) + end * (tp(g) + end) / (len(g) + 1)) / (tp(judged) + 1)


def q(g, judged):
    if not sum(judged):
        return Fraction(not g)
    ideal = sorted((x for x in judged if x), reverse=True)
    blended = ((sum(g[:r]) + tp(g[:r]), sum(ideal[:r]) + r) for r, x in enumerate(g, 1) if x)
    return sum((Fraction(*pair) for pair in blended), Fraction(0)) / len(ideal)


def flat(e, top):
    return lambda g, judged: sum((Fraction(x, top) - e for x in g), Fraction(0))


P8, E20 = Fraction(4, 5), Fraction(1, 20)
BINARY: dict[str, Exact] = {
    "SetF": F(Fraction(1)),
    "SetF(beta=0.1)": F(Fraction(1, 10)),
    "SetF(beta=3)": F(Fraction(3)),
    "SetP": lambda g, judged: Fraction(tp(g), len(g)) if g else Fraction(0),
    "SetR": lambda g, judged: Fraction(tp(g), tp(judged)) if tp(judged) else Fraction(0),
    "AP": lambda g, judged: precisions(g) / tp(judged) if tp(judged) else Fraction(0),
    "APT": apt,
    "RBPT(rel=1)": lambda g, judged: rbp(g, P8) + P8 ** len(g) * (found(g, judged)),
    "FlatU": flat(E20, 1),
    "RBPU": lambda g, judged: rbp([x - E20 for x in g], P8),
    "UF": lambda g, judged: Fraction((1 if g[0] else -1) if g else 0),
    "Q": q,
}
GRADED: dict[str, Exact] = {
    "Q": q,
    "FlatU(e=0.3333333333333333,max_rel=3)": flat(Fraction(1, 3), 3),
    "FlatU(e=0.1,max_rel=10)": flat(Fraction(1, 10), 10),
}


@pytest.mark.parametrize(
    ("measure", "exact", "top"),
    [*((m, f, 1) for m, f in BINARY.items()), *((m, f, 3) for m, f in GRADED.items())],
)
def test_the_best_cut_is_that_of_exact_arithmetic(measure, exact, top):
    rng = np.random.default_rng(7)
    lists = [rng.integers(0, top + 1, rng.integers(0, 13)).tolist() for _ in range(400)]
    judged = [g + rng.integers(0, top + 1, rng.integers(0, 5)).tolist() for g in lists]
    [curve] = curves(measure, None, Rankings.from_lists(lists, judged)).values()
    for g, pool, depth in zip(lists, judged, curve.best()[0].tolist()):
        values = [exact(g[:d], pool) for d in range(len(g) + 1)]
        assert depth == values.index(max(values)), (measure, g, pool)


def test_f_of_two_thirds_at_6_and_at_9_is_best_at_6():
    lists = Rankings.from_lists([[0, 1, 1, 1, 0, 1, 0, 0, 1]], [[1] * 6 + [0] * 4])
    [curve] = curves("SetF", None, lists).values()
    assert curve.best()[0].tolist() == [6]
    assert curve.values[6] == curve.values[9]
    assert curve.best()[1].tolist() == [pytest.approx(2 / 3)]


def test_the_best_cut_of_a_loss_is_the_least_harmful_one():
    lists = Rankings.from_lists([[-1, 1, -1], [1]], [[-1, -1, 1], [1, -1]])
    [harm] = curves("HarmCompat", None, lists).values()
    assert harm.best()[0].tolist() == [0, 0]
    assert harm.best()[1].tolist() == [0.0, 0.0]
    [cost] = curves("EC", None, Rankings.from_lists([[0, 0, 0]], costs=[[3.0, 1.0, 1.0]])).values()
    opposite = Curve(cost.topics, cost.offsets, -cost.values)
    assert cost.best()[0].tolist() == opposite.best()[0].tolist()
    assert cost.best()[1].tolist() == (-opposite.best()[1]).tolist()


TWO = Rankings.from_lists([[1, 0], [0, 0, 1]], scores=[[2, 1], [3, 2, 1]])
[CURVE] = curves("P@5", None, TWO).values()


def test_depths_of_any_whole_kind_are_taken():
    for depth in (2, 2.0, np.int8(2), [2, 2], np.array([2, 2], np.uint64), 2**62):
        assert TWO.cut(depth).lengths.tolist() == ([2, 3] if np.max(depth) == 2**62 else [2, 2])
        assert len(CURVE.at(depth)) == 2
