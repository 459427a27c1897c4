"""Reference implementations: measures in plain loops for one query, slowly, written from their definitions.

The tests hold the library against these functions; nothing here may import it. Each takes a `Query`, or all
queries of a run, a `Setting`, and the parameters of its measure. `REFERENCES` maps a name to a function of a
query and a setting; `RUN_REFERENCES` holds the measures in which the value of a query depends on the whole
run. Every file `reference_*.py` beside this one is imported, so that what it has is known.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import signature
from itertools import groupby, pairwise, permutations
from pathlib import Path
from typing import Any

from scipy.stats import kendalltau, spearmanr


@dataclass(frozen=True)
class Query:
    """One topic and the list returned for it."""

    grades: list[int | None]  # of each listed document, None = unjudged
    judged: list[int]  # of all judged documents of the topic, listed or not
    scores: list[float]  # of each listed document
    costs: list[float] | None = None  # of each listed document, or all the same
    overlap: float = 0.0  # of the first document's words with those of a right answer
    searches: list[list[int]] | None = None  # what each search showed, as ranks in the list, their union
    left: int = 0  # documents that left the list before ranks were given

    def condensed(self) -> "Query":
        """Without unjudged documents, and without those with a negative grade."""
        kept = [at for at, grade in enumerate(self.grades) if grade is not None and grade >= 0]
        ranks = {at + 1: rank for rank, at in enumerate(kept, 1)}
        return replace(
            self,
            grades=[self.grades[at] for at in kept],
            scores=[self.scores[at] for at in kept],
            costs=self.costs and [self.costs[at] for at in kept],
            overlap=self.overlap if 0 in kept else 0.0,
            searches=self.searches and [[ranks[r] for r in one if r in ranks] for one in self.searches],
            left=self.left + len(self.grades) - len(kept),
        )


@dataclass(frozen=True)
class Setting:
    """What a measure is given beside the query."""

    levels: tuple[int, ...]  # positive grades that occur in the qrels, ascending
    k: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


Gains = dict[int, float] | None
Scale = Callable[[int | None], float]  # grade -> gain
REFERENCES: dict[str, Callable[[Query, Setting], float]] = {}
RUN_REFERENCES: dict[str, Callable[[list[Query], Setting], list[float]]] = {}


def reference(f: Callable[..., float]) -> Callable[..., float]:
    """Register `f` under its name; it is shown the first k documents only."""
    knows_nil = "nil" in signature(f).parameters

    def call(q: Query, s: Setting) -> float:
        params = dict(s.params)
        q = q.condensed() if params.pop("judged_only", False) else q
        q = replace(q, grades=q.grades[: s.k], scores=q.scores[: s.k])
        worth = None if knows_nil else params.pop("nil", None)
        scale = mapped(params["gains"]) if params.get("gains") else binary(params.get("rel") or 1)
        if worth is not None and not pool(q, scale):
            return 0.0 if q.grades else worth
        return float(f(q, s, **params))

    REFERENCES[f.__name__] = call
    return f


def run_reference(f: Callable[..., list[float]]) -> Callable[..., list[float]]:
    RUN_REFERENCES[f.__name__] = lambda queries, s: f(queries, s, **s.params)
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


# Classical measures.


@reference
def P(q, s, rel=1):
    assert s.k is not None
    return sum(seen(q, binary(rel))) / s.k


@reference
def R(q, s, rel=1):
    return ratio(sum(seen(q, binary(rel))), len(pool(q, binary(rel))))


@reference
def Success(q, s, rel=1):
    return 1.0 if first(seen(q, binary(rel))) else 0.0


@reference
def SetP(q, s, rel=1):
    return ratio(sum(seen(q, binary(rel))), len(q.grades))


@reference
def SetR(q, s, rel=1):
    return R(q, s, rel)


@reference
def SetF(q, s, rel=1, beta=1.0):
    p, r = SetP(q, s, rel), SetR(q, s, rel)
    return ratio((1 + beta) * p * r, r + beta * p)


@reference
def Rprec(q, s, rel=1):
    n_relevant = len(pool(q, binary(rel)))
    return ratio(sum(seen(q, binary(rel))[:n_relevant]), n_relevant)


@reference
def Bpref(q, s, rel=1):
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


@reference
def AP(q, s, rel=1):
    return ratio(precisions(seen(q, binary(rel))), len(pool(q, binary(rel))))


@reference
def AUPRC(q, s, rel=1):
    """Trapezoids between the points (recall, precision) of all depths; that of the empty list is (0, 1)."""
    g, R = seen(q, binary(rel)), len(pool(q, binary(rel)))
    points = [(0.0, 1.0), *((ratio(sum(g[:i]), R), sum(g[:i]) / i) for i in range(1, len(g) + 1))]
    return sum((after - before) * (y + x) / 2 for (before, x), (after, y) in pairwise(points))


@reference
def aAP(q, s, rel=1):
    return ratio(precisions(seen(q, binary(rel))), len(pool(q, binary(rel))[: s.k]))


@reference
def RR(q, s, rel=1):
    return ratio(1, first(seen(q, binary(rel))))


@reference
def nDCG(q, s, dcg="log2", gains=None):
    def scale(x: int | None) -> float:
        return 2.0 ** mapped(gains)(x) - 1 if dcg == "exp-log2" else mapped(gains)(x)

    return ratio(dcg_sum(seen(q, scale)), dcg_sum(pool(q, scale)[: s.k]))


@reference
def CG(q, s, gains=None):
    return sum(seen(q, mapped(gains)))


@reference
def DCG(q, s, dcg="log2"):
    return dcg_sum(seen(q, level), dcg)


@reference
def anDCG(q, s, dcg="jk"):
    return ratio(DCG(q, s, dcg), dcg_sum(pool(q, level)[: s.k], dcg))


@reference
def enDCG(q, s, dcg="jk"):
    return ratio(DCG(q, s, dcg), dcg_sum(pool(q, level), dcg))


@reference
def ERR(q, s):
    return err(seen(q, exponential(s, 4)))


@reference
def RBP(q, s, p=0.8, rel=None, max_rel=None):
    return rbp(seen(q, linear_or_binary(s, rel, max_rel)), p)


@reference
def nRBP(q, s, p=0.8, rel=None, max_rel=None):
    return ratio(RBP(q, s, p, rel, max_rel), rbp(pool(q, linear_or_binary(s, rel, max_rel))[: s.k], p))


@reference
def RBPRes(q, s, p=0.8):
    return rbp(seen(q, lambda x: 1.0 if x is None or x < 0 else 0.0), p) + p ** len(q.grades)


# Terminal document. The query that is shown is already cut at k.


def ended(q: Query, s: Setting) -> bool:
    """Did the system stop of its own accord?"""
    return s.k is None or len(q.grades) + q.left < s.k


def terminal(q: Query, scale: Scale) -> float:
    return sum(seen(q, scale)) / sum(pool(q, scale)) if pool(q, scale) else 1.0


def from_grade(rel: int, scale: Scale) -> Scale:
    """No gain below a grade."""
    return lambda x: scale(x) if level(x) >= rel else 0.0


def perfect(q: Query, scale: Scale, kind: str, unit: float) -> float:
    """What the end of a complete list is worth; `unit` is the gain of grade 1."""
    gains = pool(q, scale)
    return {"full": 1.0, "least": min(gains), "unit": unit}[kind] if gains else 1.0


def extended(q: Query, s: Setting, scale: Scale, kind: str = "full", unit: float = 1.0) -> list[float]:
    return seen(q, scale) + ([terminal(q, scale) * perfect(q, scale, kind, unit)] if ended(q, s) else [])


@reference
def RRT(q, s, rel=1, gain="binary"):
    best = pool(q, from_grade(rel, linear(s)))
    if ended(q, s) and not best:
        return 1 / (len(q.grades) + 1)
    rank = first(seen(q, binary(rel)))
    if rank == 0:
        return 0.0
    return (linear(s)(q.grades[rank - 1]) / best[0] if gain == "linear" else 1.0) / rank


@reference
def PT(q, s, rel=1):
    assert s.k is not None
    return sum(extended(q, s, binary(rel))) / s.k


@reference
def RBPT(q, s, p=0.8, rel=None, max_rel=None, tail=True, gain="linear", terminal="least", norm="ideal"):
    scale, unit = linear(s, max_rel), 1 / top(s, max_rel)
    if rel is not None or gain == "raw":
        scale, unit = mapped() if rel is None else binary(rel), 1.0
    listed, end = seen(q, scale), extended(q, s, scale, terminal, unit)[len(q.grades) :]
    if not tail:
        return rbp([*listed, *end], p)
    score = rbp(listed, p) + p ** len(listed) * sum(end)
    best = pool(q, scale)
    of_best = rbp(best, p) + p ** len(best) * perfect(q, scale, terminal, unit)
    return score / of_best if norm == "ideal" else score


@reference
def nDCGT(q, s, rel=None, max_rel=None, ideal="cut", terminal="least"):
    scale, unit = (linear(s, max_rel), 1 / top(s, max_rel)) if rel is None else (binary(rel), 1.0)
    best, depth = pool(q, scale), s.k
    if ended(q, s):
        best, depth = [*best, perfect(q, scale, terminal, unit)], len(q.grades) + 1
    listed = dcg_sum(extended(q, s, scale, terminal, unit))
    return ratio(listed, dcg_sum(best if ideal == "full" else best[:depth]))


@reference
def APT(q, s, rel=1, gain="binary", norm="ideal", max_rel=None, terminal="least"):
    scale, unit = binary(rel), 1.0
    if gain == "linear":
        scale, unit = from_grade(rel, linear(s, max_rel)), 1 / top(s, max_rel)
    best, end = pool(q, scale), [perfect(q, scale, terminal, unit)] if ended(q, s) else []
    listed = precisions(extended(q, s, scale, terminal, unit))
    return ratio(listed, sum(best) + len(end) if norm == "count" else precisions([*best, *end]))


@reference
def ERRT(q, s, max_rel=None, terminal="full"):
    return err(extended(q, s, exponential(s, max_rel), terminal))


# Utility.


def gain_scale(s: Setting, gain: str, max_rel: float | None) -> Scale:
    return {"linear": linear, "exp": exponential, "signed": signed}[gain](s, max_rel)


def gains_seen(q: Query, s: Setting, gain: str, max_rel: float | None) -> list[float]:
    return seen(q, gain_scale(s, gain, max_rel))


def net(gains: list[float], q: Query, e: float, weight: Callable[[int], float]) -> float:
    return sum(weight(i) * (x - cost) for (i, x), cost in zip(ranked(gains), costs_of(q, e)))


def cascade(g: list[float]) -> list[float]:
    return [x * chance for x, chance in zip(g, unsatisfied(g))]


@reference
def FlatU(q, s, e=0.05, gain="linear", max_rel=None):
    return net(gains_seen(q, s, gain, max_rel), q, e, lambda i: 1.0)


@reference
def DCGU(q, s, e=0.05, gain="linear", max_rel=None):
    return net(gains_seen(q, s, gain, max_rel), q, e, lambda i: 1 / math.log2(i + 1))


@reference
def RBPU(q, s, p=0.8, e=0.05, gain="linear", max_rel=None):
    return net(gains_seen(q, s, gain, max_rel), q, e, lambda i: (1 - p) * p ** (i - 1))


@reference
def ERRU(q, s, e=0.05, gain="exp", max_rel=None):
    return net(cascade(gains_seen(q, s, gain, max_rel)), q, e, lambda i: 1 / i)


@reference
def RBU(q, s, p=0.8, e=0.05, gain="exp", max_rel=None):
    return net(cascade(gains_seen(q, s, gain, max_rel)), q, e, lambda i: (1 - p) * p ** (i - 1))


@reference
def iRBU(q, s, p=0.8, gain="exp", max_rel=None):
    return rbp(cascade(gains_seen(q, s, gain, max_rel)), p)


# Information.


@reference
def OIE(q, s, D=20000, beta=1.05, part="all"):
    listed = [level(x) for x in q.grades]
    if D in ("qrels", "tool"):
        D = len(q.judged) + sum(1 for x in q.grades if x is None)
    relevant = Counter(x for x in q.judged if x > 0)
    missed = relevant - Counter(listed)

    def information(n_documents: int) -> float:
        return -math.log(n_documents / D)

    def as_good_as(x: int, documents: Counter[int]) -> int:
        return sum(count for y, count in documents.items() if y >= x)

    # A document not listed shares its rank with all D, an irrelevant one its grade: ln(D/D) = 0, so neither
    # is summed.
    H_S = sum(information(i) for i in range(1, len(listed) + 1))
    H_G = sum(information(as_good_as(x, relevant)) for x in relevant.elements())
    H_SG, above = 0.0, Counter[int]()
    for x in listed:
        above[x] += 1
        H_SG += information(as_good_as(x, above))
    H_SG += sum(information(as_good_as(x, relevant)) for x in missed.elements())
    return {"all": H_S + H_G - beta * H_SG, "S": H_S, "G": H_G, "joint": H_SG}[part]


# Graded relevance and question answering.


def adjusted_gain(q: Query, s: Setting, gains: Gains) -> Scale:
    gain = mapped(gains)
    levels = sorted(x for x in {*s.levels, *(gains or {})} if gain(x) > 0)
    R_of = Counter(x for x in q.judged if gain(x) > 0)
    R = sum(R_of.values())

    def adjusted(x: int | None) -> float:
        if x not in levels or R_of[x] == R:
            return gain(x)
        lower = [y for y in levels if y < x]
        return gain(x) - R_of[x] / R * (gain(x) - (gain(lower[-1]) if lower else 0.0))

    return adjusted


def sakai(
    q: Query, s: Setting, gains: Gains, adjusted: bool, formula: Callable[[list[float], list[float]], float]
) -> float:
    """`formula` of the list's and the ideal list's gains; without relevant documents only the empty list is
    right.
    """
    scale = adjusted_gain(q, s, gains) if adjusted else mapped(gains)
    g, best = seen(q, scale), pool(q, scale)
    if best:
        return formula(g, best)
    return 0.0 if g else 1.0


def bonused(g: list[float], best: list[float], r: int, beta: float) -> float:
    """(beta cg(r) + count(r)) / (beta cig(r) + r)."""
    return (beta * sum(g[:r]) + sum(1 for x in g[:r] if x > 0)) / (beta * sum(best[:r]) + r)


@reference
def Q(q, s, beta=1.0, gains=None, adjusted=False, ideal="cut"):
    def formula(g: list[float], best: list[float]) -> float:
        R = len(best[: s.k] if ideal == "cut" else best)
        return sum(bonused(g, best, r, beta) for r, x in ranked(g) if x > 0) / R

    return sakai(q, s, gains, adjusted, formula)


@reference
def RMeasure(q, s, beta=1.0, gains=None, adjusted=False):
    return sakai(q, s, gains, adjusted, lambda g, best: bonused(g, best, len(best), beta))


@reference
def AWP(q, s, gains=None, adjusted=False):
    def formula(g: list[float], best: list[float]) -> float:
        return sum(sum(g[:r]) / sum(best[:r]) for r, x in ranked(g) if x > 0) / len(best[: s.k])

    return sakai(q, s, gains, adjusted, formula)


@reference
def RWP(q, s, gains=None, adjusted=False):
    return sakai(q, s, gains, adjusted, lambda g, best: sum(g[: len(best)]) / sum(best))


@reference
def AGR(q, s, gains=None):
    return AWP(q, s, gains, adjusted=True)


@reference
def RGR(q, s, gains=None):
    return RWP(q, s, gains, adjusted=True)


# The list against all D documents of the collection.


def heights_and_grades(q: Query, D: int) -> tuple[list[int], list[int]]:
    """Height (the higher the earlier in the list; 0 if not listed) and grade of every document."""
    missed = Counter(q.judged) - Counter(x for x in q.grades if x is not None)
    grades = [level(x) for x in [*q.grades, *missed.elements()]]
    heights = list(range(len(q.grades), 0, -1))
    if len(grades) > D:
        raise ValueError(f"{len(grades)} documents are known, more than D={D}")
    return heights + [0] * (D - len(heights)), grades + [0] * (D - len(grades))


@reference
def AUC(q, s, D=20000, rel=1):
    heights, grades = heights_and_grades(q, D)
    relevant = [h for h, x in zip(heights, grades) if x >= rel]
    irrelevant = Counter(h for h, x in zip(heights, grades) if x < rel)
    if not relevant or not irrelevant:
        return 0.5
    won = sum(
        count * (1.0 if h > other else 0.5 if h == other else 0.0)
        for h in relevant
        for other, count in irrelevant.items()
    )
    return won / (len(relevant) * irrelevant.total())


def correlated(q: Query, D: int, correlation: Callable[..., Any]) -> float:
    heights, grades = heights_and_grades(q, D)
    constant = len(set(heights)) == 1 or len(set(grades)) == 1
    return 0.0 if constant else correlation(heights, grades).statistic


@reference
def KendallTau(q, s, D=20000):
    return correlated(q, D, kendalltau)


@reference
def Spearman(q, s, D=20000):
    return correlated(q, D, spearmanr)


# Not answering.


@reference
def EM(q, s, rel=1):
    if q.grades:
        return float((q.grades[0] or 0) >= rel)
    return float(all(grade < rel for grade in q.judged))


@reference
def K1(q, s, rel=1):
    return q.scores[0] * (1 if level(q.grades[0]) >= rel else -1) if q.grades else 0.0


@run_reference
def c(queries, s, unanswered="accuracy", rel=1):
    correct = [any(level(x) >= rel for x in q.grades[: s.k]) for q in queries]
    n_ac = sum(correct)
    n_aw = sum(1 for q in queries if q.grades) - n_ac
    readings = {
        "accuracy": ratio(n_ac, len(queries)),
        "precision": ratio(n_ac, n_ac + n_aw),
        "error": ratio(n_aw, n_ac + n_aw),
    }
    value = readings[unanswered] if isinstance(unanswered, str) else float(unanswered)
    return [float(right) if q.grades else value for q, right in zip(queries, correct)]


@run_reference
def CWS(queries, s, rel=1):
    answered = [j for j, q in enumerate(queries) if q.grades]
    order = sorted(answered, key=lambda j: -queries[j].scores[0])  # a stable sort
    order += [j for j, q in enumerate(queries) if not q.grades]
    values, correct = [0.0] * len(queries), 0
    for i, j in enumerate(order, start=1):
        q = queries[j]
        correct += bool(q.grades) and level(q.grades[0]) >= rel
        values[j] = correct / i
    return values


# Normalised measures: the list's score over that of the ideal list.


@reference
def nERR(q, s, gain="exp", max_rel=None):
    scale = gain_scale(s, gain, max_rel)
    return ratio(err(seen(q, scale)), err(pool(q, scale)[: s.k]))


@reference
def niRBU(q, s, p=0.8, gain="exp", max_rel=None):
    scale = gain_scale(s, gain, max_rel)
    return ratio(rbp(cascade(seen(q, scale)), p), rbp(cascade(pool(q, scale)[: s.k]), p))


@reference
def nRBPT(q, s, p=0.8, rel=None):
    scale = mapped() if rel is None else binary(rel)
    g, best = seen(q, scale), pool(q, scale)
    if not ended(q, s):
        return ratio(rbp(g, p), rbp(best[: s.k], p))
    return (rbp(g, p) + p ** len(g) * terminal(q, scale)) / (rbp(best, p) + p ** len(best))


@reference
def nERRT(q, s, gain="exp", max_rel=None):
    scale = gain_scale(s, gain, max_rel)
    g, best = seen(q, scale), pool(q, scale)
    if not ended(q, s):
        return ratio(err(g), err(best[: s.k]))
    return err([*g, scale(1) * terminal(q, scale)]) / err([*best, scale(1)])


# Harm: a negative grade costs.


@reference
def SignedDCG(q, s):
    return dcg_sum([float(x or 0) for x in q.grades])


@reference
def SignedRBPT(q, s, p=0.8, max_rel=None):
    end = p ** len(q.grades) * terminal(q, linear(s, max_rel)) if ended(q, s) else 0.0
    return rbp(seen(q, signed(s, max_rel)), p) + end


@reference
def UDCG(q, s, gamma=1 / 3, max_rel=None):
    score = 0.0
    for u in seen(q, signed(s, max_rel)):
        score += u if u > 0 else -gamma * abs(u)
    return 1 / (1 + math.exp(-score / len(q.grades))) if q.grades else 0.5


def overlap(one: list, other: list, p: float) -> float:
    """Rank-biased overlap to depth 1000, without its factor 1 - p."""
    total, shared, seen_in_one, seen_in_other = 0.0, 0, set(), set()
    for i in range(1000):
        if i < max(len(one), len(other)):
            seen_in_one.update(one[i : i + 1])
            seen_in_other.update(other[i : i + 1])
            shared = len(seen_in_one & seen_in_other)
        total += p**i * shared / (i + 1)
    return total


def compatibility(q: Query, p: float, sign: int) -> float:
    """With the ideal list of all documents whose grade has this sign, the largest first."""
    grades = {("listed", i): sign * (x or 0) for i, x in enumerate(q.grades)}
    ranking = list(grades)
    missed = Counter(q.judged) - Counter(x for x in q.grades if x is not None)
    grades |= {("missed", i): sign * x for i, x in enumerate(missed.elements())}
    ideal = sorted((doc for doc in grades if grades[doc] > 0), key=lambda doc: -grades[doc])
    return overlap(ranking, ideal, p) / overlap(ideal, ideal, p) if ideal else 0.0


@reference
def HarmCompat(q, s, p=0.95):
    return compatibility(q, p, -1)


@reference
def CompatDiff(q, s, p=0.95):
    return compatibility(q, p, 1) - compatibility(q, p, -1)


# Reading cost: a reader who walks down the list and pays.


@reference
def TBG(q, s, half_life=224.0, cost=1.0, rel=None, max_rel=None):
    total, time = 0.0, 0.0
    for g, c in zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)):
        total += g * math.exp(-time * math.log(2) / half_life)
        time += c
    return total


@reference
def UMeasure(q, s, L=132000.0, cost=1.0, rel=None, max_rel=None):
    total, position = 0.0, 0.0
    for g, c in zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)):
        position += c
        total += g * max(0.0, (L - position) / L)
    return total


def going_on(i: int, gain: float, paid: float, reader: str, p, T, A, b1, R1, b2, R2) -> float:
    """The chance that the reader goes on from rank i to the next."""
    if reader == "rbp":
        return p
    if reader == "inst":
        wanted = T - gain
        return ((i + T + wanted - 1) / (i + T + wanted)) ** 2
    leaves_at_goal = 1 / (1 + b1 * math.exp((T - gain) * R1))
    if paid == 0 and R2 > 0:
        return 1 - leaves_at_goal
    rate = gain / paid if paid else 0.0
    return (1 - leaves_at_goal) / (1 + b2 * math.exp((A - rate) * R2))


def walk(q: Query, s: Setting, reader="rbp", p=0.8, T=1.0, A=0.2, b1=0.9, R1=1.0, b2=0.9, R2=1.0, cost=1.0,
         rel=None, max_rel=None):  # fmt: skip
    """Expected documents, gain and cost, from the chance to leave at each rank."""
    expected = [0.0, 0.0, 0.0]
    here, gain, paid = 1.0, 0.0, 0.0
    values = list(zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)))
    for i, (g, c) in enumerate(values, start=1):
        gain, paid = gain + g, paid + c
        go_on = 0.0 if i == len(values) else going_on(i, gain, paid, reader, p, T, A, b1, R1, b2, R2)
        leave = here * (1 - go_on)
        for at, so_far in enumerate((i, gain, paid)):
            expected[at] += leave * so_far
        here *= go_on
    return expected


@reference
def EU(q, s, **habits):
    documents, gain, _ = walk(q, s, **habits)
    return ratio(gain, documents)


@reference
def ETU(q, s, **habits):
    return walk(q, s, **habits)[1]


@reference
def EC(q, s, **habits):
    documents, _, cost = walk(q, s, **habits)
    return ratio(cost, documents)


@reference
def ETC(q, s, **habits):
    return walk(q, s, **habits)[2]


@reference
def EET(q, s, of="nDCG@10", alpha=-0.001, beta=1.0, cost=1.0):
    name, _, k = of.partition("@")
    depths = [int(depth) for depth in (k, s.k) if depth]
    inner = REFERENCES[name](q, Setting(s.levels, min(depths, default=None)))
    efficiency = math.exp(alpha * sum(costs_of(q, cost)))
    return ratio((1 + beta**2) * efficiency * max(0.0, inner), beta**2 * max(0.0, inner) + efficiency)


# Silence with a price.


def right(q: Query, rel: int) -> bool | None:
    """Whether the answer is; None where there is none."""
    return level(q.grades[0]) >= rel if q.grades else None


@reference
def UF(q, s, rel=1, price=None, target=None):
    c = 1.0 if price is None else price
    if target is not None:
        c = target / (1 - target)
    return {True: 1.0, False: -c, None: 0.0}[right(q, rel)]


@run_reference
def F05u(queries, s, rel=1, positive=None):
    """Counted as PAN's evaluator does: what is left open first, then positive claims, then misses."""
    tp = fp = fn = u = 0
    for q in queries:
        truth = positive is None or any(grade >= positive for grade in q.judged)
        if right(q, rel) is None:
            u += 1
        elif right(q, rel):
            tp += truth
        elif positive is None or not truth:
            fp += 1
        else:
            fn += 1
    return [ratio(1.25 * tp, 1.25 * tp + 0.25 * (fn + u) + fp)] * len(queries)


def at_best_threshold(queries: list[Query], given: list[float], silent: list[float]) -> list[float]:
    """Every threshold is tried, the highest first; a later one has to be better."""
    best: list[float] = []
    for t in [math.inf, *sorted({q.scores[0] for q in queries if q.grades}, reverse=True)]:
        earned = [x if q.grades and q.scores[0] >= t else y for q, x, y in zip(queries, given, silent)]
        if not best or sum(earned) > sum(best) + 1e-9:
            best = earned
    return best


@run_reference
def BestEM(queries, s, rel=1):
    silent = [float(all(grade < rel for grade in q.judged)) for q in queries]
    return at_best_threshold(queries, [float(bool(right(q, rel))) for q in queries], silent)


def worth_of_words(q: Query) -> float:
    if right(q, 1) is None:
        return float(all(grade < 1 for grade in q.judged))
    return 1.0 if right(q, 1) else q.overlap


@reference
def TokenF1(q, s):
    return worth_of_words(q)


@run_reference
def BestTokenF1(queries, s):
    silent = [float(all(grade < 1 for grade in q.judged)) for q in queries]
    return at_best_threshold(queries, [worth_of_words(q) for q in queries], silent)


# Risk and coverage.


def in_every_order(confidences: list[float]) -> list[list[int]]:
    """All orders of answers by falling confidence."""
    orders: list[list[int]] = [[]]
    falling = sorted(range(len(confidences)), key=lambda j: -confidences[j])
    for _, group in groupby(falling, lambda j: confidences[j]):
        equals = list(group)
        orders = [[*before, *after] for before in orders for after in permutations(equals)]
    return orders


def by_risk(queries: list[Query], rel: int, risks) -> list[float]:
    """risks: from the errors of answers in order of confidence, a value for each place. Equal confidences:
    the mean over every order, where these are few, else the chance of an error among equals in place of the
    errors. Equals share the mean of their values.
    """
    at = [j for j, q in enumerate(queries) if q.grades]
    wrong = [float(not right(queries[j], rel)) for j in at]
    sure = [queries[j].scores[0] for j in at]
    equals = [[i for i, x in enumerate(sure) if x == own] for own in sure]
    at_answer = [0.0] * len(at)
    if math.prod(math.factorial(sure.count(x)) for x in set(sure)) < 500:
        orders = in_every_order(sure)
        for order in orders:
            for j, value in zip(order, risks([wrong[j] for j in order])):
                at_answer[j] += value / len(orders)
    else:
        order = sorted(range(len(at)), key=lambda j: -sure[j])
        for j, value in zip(order, risks([sum(wrong[i] for i in equals[j]) / len(equals[j]) for j in order])):
            at_answer[j] = value
    values = [sum(at_answer[i] for i in group) / len(group) for group in equals]
    area = sum(values) / len(values) if values else 0.0
    result = [area] * len(queries)
    for j, value in zip(at, values):
        result[j] = value
    return result


def selective(errors: list[float]) -> list[float]:
    return [sum(errors[:i]) / i for i in range(1, len(errors) + 1)]


@run_reference
def AURC(queries, s, rel=1):
    return by_risk(queries, rel, selective)


@run_reference
def EAURC(queries, s, rel=1):
    wrong = sum(1.0 for q in queries if right(q, rel) is False)
    total = sum(1.0 for q in queries if q.grades)
    best = selective([0.0] * int(total - wrong) + [1.0] * int(wrong))
    return by_risk(queries, rel, lambda errors: [x - y for x, y in zip(selective(errors), best)])


@run_reference
def AUGRC(queries, s, rel=1):
    return by_risk(
        queries, rel, lambda errors: [sum(errors[:i]) / len(errors) for i in range(1, len(errors) + 1)]
    )


# Sets that may be empty.


def on_silent_topics(q: Query, relevant: list[float], nil: float, score: float) -> float:
    if relevant:
        return score
    return 0.0 if q.grades else nil


@reference
def NilP(q, s, rel=1, nil=1.0):
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetP(q, s, rel))


@reference
def NilR(q, s, rel=1, nil=1.0):
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetR(q, s, rel))


@reference
def NilF(q, s, rel=1, beta=1.0, nil=1.0):
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetF(q, s, rel, beta))


@reference
def EG(q, s, rel=None, max_rel=None, nil=1.0):
    scale = linear_or_binary(s, rel, max_rel)
    return on_silent_topics(q, pool(q, scale), nil, ratio(sum(seen(q, scale)), len(q.grades)))


@reference
def nCG(q, s, rel=None, max_rel=None, nil=1.0):
    scale = linear_or_binary(s, rel, max_rel)
    relevant = pool(q, scale)
    return on_silent_topics(q, relevant, nil, ratio(sum(seen(q, scale)), sum(relevant[: s.k])))


@reference
def GMP(q, s, alpha=0.5, rel=None, max_rel=None):
    return sum(alpha * x if x > 0 else -(1 - alpha) for x in seen(q, linear_or_binary(s, rel, max_rel)))


@reference
def T11SU(q, s, rel=1, m=-0.5):
    relevant = len(pool(q, binary(rel)))
    if not relevant:
        return 0.0 if q.grades else 1.0
    utility = sum(2 if x > 0 else -1 for x in seen(q, binary(rel)))
    return (max(utility / (2 * relevant), m) - m) / (1 - m)


for _file in sorted(Path(__file__).parent.glob("reference_*.py")):
    if _file.stem not in ("reference_meta", "reference_policies", "reference_properties"):  # of other things
        import_module(_file.stem)
