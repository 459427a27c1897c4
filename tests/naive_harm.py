"""Naive twins of the measures of harm, for which a negative grade costs."""

import math
from collections import Counter

from naive_classical import Query, Setting, dcg_sum, linear, pool, rbp, seen, signed, twin


@twin
def SignedDCG(q: Query, s: Setting) -> float:
    return dcg_sum([float(x or 0) for x in q.grades])


@twin
def SignedRBPT(q: Query, s: Setting, p: float = 0.8, max_rel: float | None = None) -> float:
    scale = linear(s, max_rel)
    ended = s.k is None or len(q.grades) < s.k
    share = sum(seen(q, scale)) / sum(pool(q, scale)) if pool(q, scale) else 1.0
    return rbp(seen(q, signed(s, max_rel)), p) + ended * p ** len(q.grades) * share


@twin
def UDCG(q: Query, s: Setting, gamma: float = 1 / 3, max_rel: float | None = None) -> float:
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


@twin
def HarmCompat(q: Query, s: Setting, p: float = 0.95) -> float:
    return compatibility(q, p, -1)


@twin
def CompatDiff(q: Query, s: Setting, p: float = 0.95) -> float:
    return compatibility(q, p, 1) - compatibility(q, p, -1)
