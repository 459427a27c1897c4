"""Reference implementations of sessions: several searches for one question (Järvelin et al. 2008)."""

import math

from reference_measures import Query, mapped, pool, ratio, reference


def searches_of(q: Query) -> list[list[int]]:
    """What each search showed: documents by their rank in the union. A plain list is one search."""
    return [list(range(1, len(q.grades) + 1))] if q.searches is None else q.searches


@reference
def sDCG(q, s, bq=4.0, gains=None, k=None):
    known: set[int] = set()
    total = 0.0
    for j, search in enumerate(searches_of(q), 1):
        of_search = [0.0 if doc in known else mapped(gains)(q.grades[doc - 1]) for doc in search[:k]]
        dcg = sum(gain / math.log2(i + 1) for i, gain in enumerate(of_search, 1))
        total += dcg / (1 + math.log(j) / math.log(bq))
        known |= {*search[:k]}
    return total


@reference
def nsDCG(q, s, bq=4.0, gains=None, k=None):
    weights = [
        1 / (1 + math.log(j) / math.log(bq)) / math.log2(i + 1)
        for j, search in enumerate(searches_of(q), 1)
        for i, _ in enumerate(search[:k], 1)
    ]
    best = sum(w * g for w, g in zip(sorted(weights, reverse=True), pool(q, mapped(gains))))
    return ratio(sDCG(q, s, bq, gains, k), best)
