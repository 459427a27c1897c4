"""Terminal documents: the list's end is itself an answer (Liu, Moffat, Baldwin & Zhang 2016).

The system's n documents are followed by one more at rank n + 1, whose gain r_t is the share of the topic's
gain that was retrieved; 1 for a nil query. With a cutoff k, a list of k or more documents did not visibly
stop and gets none.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import Range
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import BinaryOrLinear, Choice, Flag, MaxRel, MinRel, OnlyRel, Persistence
from ir_trunc.measures.parts import (
    Gains,
    binary,
    cascade,
    exponential,
    first_relevant,
    graded,
    linear,
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


Norm = Annotated[
    Literal["ideal", "count"],
    Choice("divisor: the sum for the ideal list, or the gain of the topic and 1", ("ideal", "count")),
]


def to_1_with_rel(rel: int | None, **others: object) -> Range:
    """The range of nDCGT: r_t is at most what a binary gain is worth, but more than a low graded one."""
    return (0, math.inf if rel is None else 1)


def to_1_if_binary(gain: str, **others: object) -> Range:
    """The range of APT, for the same reason."""
    return (0, 1 if gain == "binary" else math.inf)


def terminal(lists: Lists, gains: Gains) -> Floats:
    """r_t at every point; 0 where the list did not visibly stop."""
    return np.where(lists.stopped, gains.share(), 0.0)


@measure(source=LIU)
def RRT(lists: Lists, rel: MinRel = 1, gain: BinaryOrLinear = "binary") -> Floats:
    """Reciprocal rank with a terminal document: how soon the first answer comes, or else the end.

    1 / (rank of the first relevant document); for a nil query 1 / (n + 1)

    gain='linear': that document's grade over the topic's highest, over its rank. No relevant document
    retrieved although there are some: 0. Empty list, nil query: 1.
    """
    gains = binary(lists, rel) if gain == "binary" else graded(lists, rel)
    at_end = np.where(lists.stopped & (lists.spread(gains.R) == 0), reciprocal(lists)[lists.n + 1], 0.0)
    first = over(first_relevant(lists, gains) * gains.counts, gains.highest[lists.row])
    return lists.sum(first / lists.rank) + at_end


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

    Gains are linear, or binary with rel: give max_rel where no judged document may have the top grade.
    tail=False: one terminal document only, (1 - p) p^n r_t. Empty list: 1 for a nil query (tail=True), else
    0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    power = powers(lists, p)
    end = power[lists.n] * terminal(lists, gains)
    return (1 - p) * lists.sum(gains.hits * power[lists.rank - 1]) + (end if tail else (1 - p) * end)


@measure(source=LIU, range=to_1_with_rel, aliases=("NDCGT",), reads=("end",))
def nDCGT(lists: Lists, rel: OnlyRel = None, max_rel: MaxRel = None, ideal: IdealDepth = "cut") -> Floats:
    """Normalised discounted cumulative gain of the list with its terminal document.

    DCG(list + r_t) / DCG(ideal + 1.0), both to depth n + 1

    Discount log2(i + 1). The ideal list is all relevant documents, best first, cut to n + 1; if they are
    fewer, the last is followed by a terminal gain of 1. ideal='full': all relevant documents and the 1, never
    cut. Gains are linear, or binary with rel: give max_rel where no judged document may have the top grade.
    Binary scores are at most 1. Graded ones are 1 for the ideal list, and may be higher for a list that ends
    before documents of low grade, since r_t is then worth more than these. Empty list: 1 for a nil query,
    else 0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    weight = log2_discount(lists)
    dcg = lists.sum(gains.hits * weight[lists.rank]) + weight[lists.n + 1] * terminal(lists, gains)
    R = lists.spread(gains.R)
    depth = lists.n + lists.stopped if ideal == "cut" else R + 1
    last = weight[R + 1] * (lists.stopped & (depth > R))
    return over(dcg, gains.ideal(weight).at_points(depth) + last)


@measure(source=LIU, range=to_1_if_binary, reads=("end",))
def APT(
    lists: Lists,
    rel: MinRel = 1,
    gain: BinaryOrLinear = "binary",
    norm: Norm = "ideal",
    max_rel: MaxRel = None,
) -> Floats:
    """Average precision of the list with its terminal document.

    1/(R + 1) sum_{i <= n+1} r_i (r_1 + ... + r_i) / i, with r_(n+1) = r_t

    gain='linear': g_i in the place of r_i, and in that of R + 1 the same sum for the ideal list (all relevant
    documents, best first, then a terminal gain of 1) or, with norm='count', the sum of the topic's gains and
    1. Give max_rel where no judged document may have the top grade. Empty list: 1 for a nil query, else 0. A
    list that fills the cutoff: average precision, 0 for a nil query.
    """
    gains = binary(lists, rel) if gain == "binary" else linear(lists, max_rel, rel)
    end = terminal(lists, gains)
    of_list = lists.sum(gains.hits)
    total = lists.sum(precision_at_relevant(lists, gains)) + end * (of_list + end) / (lists.n + 1)
    of_topic, R = lists.spread(gains.judged.total / gains.unit), lists.spread(gains.R)
    if norm == "count":
        return over(total, of_topic + lists.stopped)
    last = lists.stopped * (of_topic + 1) / (R + 1)
    return over(total, gains.precision_of_ideal().at_points(R) + last)


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
