"""Terminal documents: the list's end is itself an answer (Liu, Moffat, Baldwin & Zhang 2016).

The system's n documents are followed by one more at rank n + 1, whose gain r_t is the share of the topic's
gain that was retrieved; 1 for a nil query. With a cutoff k, a list of k or more documents did not visibly
stop and gets none.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.rankings import Floats
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Choice, Flag, MaxRel, MinRel, OnlyRel, Persistence
from ir_trunc.measures.parts import (
    Gains,
    binary,
    cascade,
    exponential,
    first_relevant,
    graded,
    linear_or_binary,
    log2_discount,
    over,
    powers,
    precision_at_relevant,
    reciprocal,
)

__all__ = ["APT", "ERRT", "PT", "RBPT", "RRT", "nDCGT"]

LIU = "Liu, Moffat, Baldwin & Zhang, SIGIR 2016, https://doi.org/10.1145/2911451.2914737"
QUESTION = (
    "Did the list end in the right place? Its end is one more answer, and right as far as everything was"
    " found."
)

AMIGO = "Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051"

Tail = Annotated[bool, Flag("whether the terminal document fills all further ranks; otherwise it fills one")]
IdealDepth = Annotated[
    Literal["cut", "full"],
    Choice(
        "ideal list: cut to the depth of the list with its terminal document, or never cut", ("cut", "full")
    ),
]


def terminal(lists: Lists, gains: Gains) -> Floats:
    """r_t at every point; 0 where the list did not visibly stop."""
    return np.where(lists.stopped, gains.share(), 0.0)


@measure(source=LIU)
def RRT(lists: Lists, rel: MinRel = 1) -> Floats:
    """Reciprocal rank with a terminal document: how soon the first answer comes, or else the end.

    1 / (rank of the first relevant document); for a nil query 1 / (n + 1)

    No relevant document retrieved although there are some: 0. Empty list, nil query: 1.
    """
    gains = binary(lists, rel)
    at_end = np.where(lists.stopped & (lists.spread(gains.R) == 0), reciprocal(lists)[lists.n + 1], 0.0)
    return lists.sum(first_relevant(lists, gains) / lists.rank) + at_end


@measure(source=LIU, cutoff="required")
def PT(lists: Lists, rel: MinRel = 1) -> Floats:
    """Precision at k of the list with its terminal document.

    (sum_{i <= k} r_i + [n < k] r_t) / k

    Empty list: 1/k for a nil query, else 0.
    """
    gains = binary(lists, rel)
    return (lists.sum(gains.hits) + terminal(lists, gains)) / float(lists.k or 1)


@measure(source=LIU, reads=("end",))
def RBPT(
    lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None, max_rel: MaxRel = None, tail: Tail = True
) -> Floats:
    """Rank-biased precision whose terminal document speaks for all ranks that the system left empty.

    (1 - p) sum_i g_i p^(i-1) + p^n r_t

    Gains are linear, or binary with rel. tail=False: one terminal document only, (1 - p) p^n r_t.
    Empty list: 1 for a nil query (tail=True), else 0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    power = powers(lists, p)
    end = power[lists.n] * terminal(lists, gains)
    return (1 - p) * lists.sum(gains.hits * power[lists.rank - 1]) + (end if tail else (1 - p) * end)


@measure(source=LIU, aliases=("NDCGT",), reads=("end",))
def nDCGT(lists: Lists, rel: OnlyRel = None, ideal: IdealDepth = "cut") -> Floats:
    """Normalised discounted cumulative gain of the list with its terminal document.

    DCG(list + r_t) / DCG(ideal + 1.0), both to depth n + 1

    Discount log2(i + 1). The ideal list is all relevant documents, best first, cut to n + 1; if they are
    fewer, the last is followed by a terminal gain of 1. ideal='full': all relevant documents and the 1, never
    cut. Gains are the grades, or binary with rel. Empty list: 1 for a nil query, else 0.
    """
    gains = graded(lists) if rel is None else binary(lists, rel)
    weight = log2_discount(lists)
    dcg = lists.sum(gains.hits * weight[lists.rank]) + weight[lists.n + 1] * terminal(lists, gains)
    R = lists.spread(gains.R)
    depth = lists.n + lists.stopped if ideal == "cut" else R + 1
    last = weight[R + 1] * (lists.stopped & (depth > R))
    return over(dcg, gains.ideal(weight).at_points(depth) + last)


@measure(source=LIU, reads=("end",))
def APT(lists: Lists, rel: MinRel = 1) -> Floats:
    """Average precision of the list with its terminal document.

    1/(R + 1) sum_{i <= n+1} r_i (r_1 + ... + r_i) / i, with r_(n+1) = r_t

    Empty list: 1 for a nil query, else 0. A list that fills the cutoff: average precision, 0 for a nil query.
    """
    gains = binary(lists, rel)
    end = terminal(lists, gains)
    hits = lists.sum(gains.hits)
    total = lists.sum(precision_at_relevant(lists, gains)) + end * (hits + end) / (lists.n + 1)
    return over(total, lists.spread(gains.R) + lists.stopped)


@measure(source=AMIGO, reads=("end",))
def ERRT(lists: Lists, max_rel: MaxRel = None) -> Floats:
    """Expected reciprocal rank of the list with its terminal document.

    sum_{i <= n+1} (1/i) g_i prod_{j < i} (1 - g_j), with g_(n+1) = r_t

    Gains are exponential. Empty list: 1 for a nil query, else 0.
    """
    gains = exponential(lists, max_rel)
    satisfied = cascade(lists, gains)
    still_reading = 1 - lists.sum(satisfied)
    return lists.sum(satisfied / lists.rank) + still_reading * terminal(lists, gains) / (lists.n + 1)
