"""Naive twins, part one: what all twins share, and the classical measures. Tests take everything from
`naive`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any


@dataclass(frozen=True)
class Query:
    """One topic and the list returned for it."""

    grades: list[int | None]  # of each listed document, None = unjudged
    judged: list[int]  # of all judged documents of the topic, listed or not
    scores: list[float]  # of each listed document
    costs: list[float] | None = None  # of each listed document, or all the same
    overlap: float = 0.0  # of the first document's words with those of a right answer
    searches: list[list[int]] | None = None  # what each search showed, as ranks in the list, their union


@dataclass(frozen=True)
class Setting:
    """What a measure is given beside the query."""

    levels: tuple[int, ...]  # positive grades that occur in the qrels, ascending
    k: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


Gains = dict[int, float] | None
Scale = Callable[[int | None], float]  # grade -> gain
TWINS: dict[str, Callable[[Query, Setting], float]] = {}
RUN_TWINS: dict[str, Callable[[list[Query], Setting], list[float]]] = {}


def twin(f: Callable[..., float]) -> Callable[..., float]:
    """Register `f` under its name; it is shown the first k documents only."""

    def call(q: Query, s: Setting) -> float:
        q, params = replace(q, grades=q.grades[: s.k], scores=q.scores[: s.k]), dict(s.params)
        worth = None if "nil" in signature(f).parameters else params.pop("nil", None)
        scale = mapped(params["gains"]) if params.get("gains") else binary(params.get("rel") or 1)
        if worth is not None and not pool(q, scale):
            return 0.0 if q.grades else worth
        return float(f(q, s, **params))

    TWINS[f.__name__] = call
    return f


def run_twin(f: Callable[..., list[float]]) -> Callable[..., list[float]]:
    RUN_TWINS[f.__name__] = lambda queries, s: f(queries, s, **s.params)
    return f


# From grades to gains.


def level(x: int | None) -> int:
    return 0 if x is None or x < 0 else x


def binary(rel: int) -> Scale:
    return lambda x: 1.0 if level(x) >= rel else 0.0


def top(s: Setting, max_rel: float | None) -> float:
    if max_rel is not None:
        return max_rel
    return s.levels[-1] if s.levels else 1


def linear(s: Setting, max_rel: float | None = None) -> Scale:
    return lambda x: level(x) / top(s, max_rel)


def signed(s: Setting, max_rel: float | None = None) -> Scale:
    """Linear, and below 0 for a negative grade."""
    return lambda x: 0.0 if x is None else x / top(s, max_rel)


def exponential(s: Setting, max_rel: float | None = None) -> Scale:
    return lambda x: (2.0 ** level(x) - 1) / 2.0 ** top(s, max_rel)


def linear_or_binary(s: Setting, rel: int | None, max_rel: float | None) -> Scale:
    return linear(s, max_rel) if rel is None else binary(rel)


def mapped(gains: Gains = None) -> Scale:
    """The grade itself, or what the map says; a negative grade has no gain, nor has an unjudged document."""
    return lambda x: 0.0 if x is None else max(0.0, float((gains or {}).get(x, x)))


def seen(q: Query, scale: Scale) -> list[float]:
    """The gains down the list."""
    return [scale(x) for x in q.grades]


def pool(q: Query, scale: Scale) -> list[float]:
    """The gains of the topic's relevant documents, best first; R is its length."""
    return sorted((scale(x) for x in q.judged if scale(x) > 0), reverse=True)


# Sums over a list of gains.


def costs_of(q: Query, cost: float) -> list[float]:
    """Of each listed document."""
    return [cost] * len(q.grades) if q.costs is None else q.costs[: len(q.grades)]


def ranked(g: list[float]) -> list[tuple[int, float]]:
    return list(enumerate(g, start=1))


def ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def first(g: list[float]) -> int:
    """Rank of the first relevant document, 0 if there is none."""
    return next((i for i, x in ranked(g) if x > 0), 0)


def rbp(g: list[float], p: float) -> float:
    return (1 - p) * sum(x * p ** (i - 1) for i, x in ranked(g))


def precisions(g: list[float]) -> float:
    return sum(x * sum(g[:i]) / i for i, x in ranked(g) if x)


def unsatisfied(g: list[float]) -> list[float]:
    """For each rank the chance that nothing above it has satisfied the reader."""
    chances = [1.0]
    for x in g[:-1]:
        chances.append(chances[-1] * (1 - x))
    return chances


def err(g: list[float]) -> float:
    return sum(x * chance / i for (i, x), chance in zip(ranked(g), unsatisfied(g)))


def dcg_sum(g: list[float], dcg: str = "log2") -> float:
    return sum(x / math.log2(max(2, i) if dcg == "jk" else i + 1) for i, x in ranked(g))


# The measures.


@twin
def P(q: Query, s: Setting, rel: int = 1) -> float:
    assert s.k is not None
    return sum(seen(q, binary(rel))) / s.k


@twin
def R(q: Query, s: Setting, rel: int = 1) -> float:
    return ratio(sum(seen(q, binary(rel))), len(pool(q, binary(rel))))


@twin
def Success(q: Query, s: Setting, rel: int = 1) -> float:
    return 1.0 if first(seen(q, binary(rel))) else 0.0


@twin
def SetP(q: Query, s: Setting, rel: int = 1) -> float:
    return ratio(sum(seen(q, binary(rel))), len(q.grades))


@twin
def SetR(q: Query, s: Setting, rel: int = 1) -> float:
    return R(q, s, rel)


@twin
def SetF(q: Query, s: Setting, rel: int = 1, beta: float = 1.0) -> float:
    p, r = SetP(q, s, rel), SetR(q, s, rel)
    return ratio((1 + beta) * p * r, r + beta * p)


@twin
def Rprec(q: Query, s: Setting, rel: int = 1) -> float:
    n_relevant = len(pool(q, binary(rel)))
    return ratio(sum(seen(q, binary(rel))[:n_relevant]), n_relevant)


@twin
def Bpref(q: Query, s: Setting, rel: int = 1) -> float:
    n_relevant = len(pool(q, binary(rel)))
    n_irrelevant = sum(1 for x in q.judged if 0 <= x < rel)
    above, total = 0, 0.0
    for x in q.grades:
        if x is None or x < 0:
            continue
        if x < rel:
            above += 1
        else:
            total += 1 - min(above, n_relevant) / min(n_relevant, n_irrelevant) if above else 1
    return ratio(total, n_relevant)


@twin
def AP(q: Query, s: Setting, rel: int = 1) -> float:
    return ratio(precisions(seen(q, binary(rel))), len(pool(q, binary(rel))))


@twin
def aAP(q: Query, s: Setting, rel: int = 1) -> float:
    return ratio(precisions(seen(q, binary(rel))), len(pool(q, binary(rel))[: s.k]))


@twin
def RR(q: Query, s: Setting, rel: int = 1) -> float:
    return ratio(1, first(seen(q, binary(rel))))


@twin
def nDCG(q: Query, s: Setting, dcg: str = "log2", gains: Gains = None) -> float:
    def scale(x: int | None) -> float:
        return 2.0 ** mapped(gains)(x) - 1 if dcg == "exp-log2" else mapped(gains)(x)

    return ratio(dcg_sum(seen(q, scale)), dcg_sum(pool(q, scale)[: s.k]))


@twin
def CG(q: Query, s: Setting, gains: Gains = None) -> float:
    return sum(seen(q, mapped(gains)))


@twin
def DCG(q: Query, s: Setting, dcg: str = "log2") -> float:
    return dcg_sum(seen(q, level), dcg)


@twin
def anDCG(q: Query, s: Setting, dcg: str = "log2") -> float:
    return ratio(DCG(q, s, dcg), dcg_sum(pool(q, level)[: s.k], dcg))


@twin
def enDCG(q: Query, s: Setting, dcg: str = "log2") -> float:
    return ratio(DCG(q, s, dcg), dcg_sum(pool(q, level), dcg))


@twin
def ERR(q: Query, s: Setting) -> float:
    return err(seen(q, exponential(s, 4)))


@twin
def RBP(q: Query, s: Setting, p: float = 0.8, rel: int | None = None, max_rel: float | None = None) -> float:
    return rbp(seen(q, linear_or_binary(s, rel, max_rel)), p)


@twin
def nRBP(q: Query, s: Setting, p: float = 0.8, rel: int | None = None, max_rel: float | None = None) -> float:
    best = pool(q, linear_or_binary(s, rel, max_rel))[: s.k]
    return ratio(RBP(q, s, p, rel, max_rel), rbp(best, p))


@twin
def RBPRes(q: Query, s: Setting, p: float = 0.8) -> float:
    return rbp(seen(q, lambda x: 1.0 if x is None or x < 0 else 0.0), p) + p ** len(q.grades)
