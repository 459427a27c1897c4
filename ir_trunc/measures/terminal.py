"""Terminal documents: the list's end is itself an answer (Liu, Moffat, Baldwin & Zhang 2016).

The system's n documents are followed by one more at rank n + 1, whose gain is r_t m: r_t is the share of the
topic's gain that was retrieved, 1 for a nil query, and m what a perfect end is worth. With a cutoff k, a list
of k or more documents is treated as cut off, not as ended, and gets none.

With binary gains m is 1. The authors have m = 1 for graded gains, too (terminal='full', norm='none'): a list
can then score above 1. The default is ours: where m is the topic's smallest gain, no list scores above all
relevant documents in the order of their gains, a list never loses by the best document that it lacks, and the
unit of the grades does not matter.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures import parts
from ir_trunc.measures.classical import AMIGO_2022
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import Range
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import BinaryOrLinear, Choice, Flag, MaxRel, MinRel, OnlyRel, Persistence
from ir_trunc.measures.parts import Gains

LIU = "Liu, Moffat, Baldwin & Zhang, SIGIR 2016, https://doi.org/10.1145/2911451.2914737"
QUESTION = (
    "Did the list end in the right place? Its end is one more answer, and right as far as everything was"
    " found."
)

AMIGO = f"{AMIGO_2022}, https://doi.org/10.1145/3477495.3532051"

Tail = Annotated[bool, Flag("whether the terminal document fills all further ranks; otherwise it fills one")]
IdealDepth = Annotated[
    Literal["cut", "full"],
    Choice("ideal list: cut to the depth of the list with its terminal document, or never cut"),
]


Norm = Annotated[
    Literal["ideal", "count"], Choice("divisor: the sum for the ideal list, or the gain of the topic and 1")
]
IdealOrNone = Annotated[
    Literal["ideal", "none"], Choice("divisor: the sum for the ideal list with its end, or none")
]
LinearOrRaw = Annotated[
    Literal["linear", "raw"], Choice("gains without rel: x / max_rel, or the grade itself")
]
Terminal = Annotated[
    Literal["least", "full", "unit"],
    Choice(
        "gain of a perfect end: the smallest gain of the topic's relevant documents, 1, or that of grade 1; 1"
        " for a nil query"
    ),
]
FullOrLeast = Annotated[
    Literal["full", "least"],
    Choice("gain of a perfect end: 1, or the smallest gain of the topic's documents"),
]


def range_of_RBPT(
    rel: int | None, tail: bool, gain: str, terminal: str, norm: str, **others: object
) -> Range:
    """Without a divisor, raw gains exceed 1."""
    unbounded = terminal == "full" if tail and norm == "ideal" else gain == "raw"
    return (0, math.inf if rel is None and unbounded else 1)


def is_ratio(
    terminal: str, norm: str = "ideal", tail: bool = True, gain: str = "linear", **others: object
) -> bool:
    """Whether the scale of the gains cancels out: it is in the list's sum, its end's and the ideal list's."""
    return gain == "raw" or (terminal != "full" and norm == "ideal" and tail)


of_ends = partial(measure, reads=("end",), scale_free=is_ratio)


def share_at_end(lists: Lists, gains: Gains) -> Floats:
    """r_t at every point; 0 where the list is treated as cut off."""
    return np.where(lists.stopped, gains.share(), 0.0)


def perfect_end(lists: Lists, gains: Gains, terminal: str) -> Floats | float:
    """m at every point; one 1.0 for all where every relevant document has the gain 1."""
    if (gains.judged.best_first == gains.unit).all() and (terminal != "unit" or gains.unit == 1):
        return 1.0
    ends: dict[str, Floats | float] = {"least": gains.lowest, "full": gains.unit, "unit": 1.0}
    return lists.spread(np.where(gains.R > 0, ends[terminal], gains.unit) / gains.unit)


@measure(source=f"{LIU}, table 1 (gain='linear' is our extension)")
def RRT(lists: Lists, rel: MinRel = 1, gain: BinaryOrLinear = "binary") -> Floats:
    """Reciprocal rank with a terminal document: how soon the first answer comes, or else the end.

    1 / (rank of the first relevant document); for a nil query 1 / (n + 1)

    gain='linear': that document's grade over the topic's highest, over its rank. No relevant document
    retrieved although there are some: 0. Empty list, nil query: 1.
    """
    gains = parts.binary(lists, rel) if gain == "binary" else parts.graded(lists, rel)
    at_end = np.where(lists.stopped & (lists.spread(gains.R) == 0), parts.reciprocal(lists)[lists.n + 1], 0.0)
    first = parts.over(parts.first_relevant(lists, gains) * gains.units, gains.highest[lists.row])
    return lists.sum(first / lists.rank) + at_end


@measure(source=f"{LIU}, section 2", cutoff="required")
def PT(lists: Lists, rel: MinRel = 1) -> Floats:
    """Precision at k of the list with its terminal document.

    (sum_{i <= k} r_i + [n < k] r_t) / k

    Empty list: 1/k for a nil query, else 0.
    """
    gains = parts.binary(lists, rel)
    return (lists.sum(gains.hits) + share_at_end(lists, gains)) / float(lists.k or 1)


@of_ends(
    source=f"{LIU}, table 1 (with grades terminal='full', norm='none'; other values of these: ours;"
    " tail=False: Amigó et al. 2022, 3.2)",
    range=range_of_RBPT,
)
def RBPT(
    lists: Lists,
    p: Persistence = 0.8,
    rel: OnlyRel = None,
    max_rel: MaxRel = None,
    tail: Tail = True,
    gain: LinearOrRaw = "linear",
    terminal: Terminal = "least",
    norm: IdealOrNone = "ideal",
) -> Floats:
    """Rank-biased precision whose terminal document speaks for all ranks that the system left empty.

    ((1 - p) sum_i g_i p^(i-1) + p^n r_t m) / ((1 - p) sum_{i <= R} ideal g_i p^(i-1) + p^R m)

    Gains are linear, or binary with rel: then m and the divisor are 1. m is the smallest gain of the topic's
    relevant documents; terminal= names others. norm='none': no divisor. tail=False: one terminal document
    only, (1 - p) p^n r_t m, and no divisor. A list that fills the cutoff has the same divisor. The end of a
    list of n documents weighs p^n, with p = 0.8 0.33 after 5, 0.11 after 10 and 0.01 after 20: the ends of
    long lists need a higher p. Empty list: 1 for a nil query (tail=True), else 0.
    """
    raw = rel is None and gain == "raw"
    gains = parts.graded(lists) if raw else parts.linear_or_binary(lists, rel, max_rel)
    power, m = parts.powers(lists, p), perfect_end(lists, gains, terminal)
    end = power[lists.n] * m * share_at_end(lists, gains)
    score = (1 - p) * lists.sum(gains.hits * power[lists.rank - 1]) + (end if tail else (1 - p) * end)
    if norm == "none" or not tail or isinstance(m, float):
        return score
    R = lists.spread(gains.R)
    ideal = gains.ideal(parts.geometric(lists, p)).at_points(R) + power[R] * m
    ones = lists.spread((gains.lowest == gains.unit) & (gains.highest == gains.unit))
    return score / np.where(ones & (m == 1), 1.0, ideal)  # that of ones is 1, but for rounding


@of_ends(
    source=f"{LIU}, table 1 (with grades terminal='full', other values: ours; ideal='full': Amigó et al.)",
    # An end that is worth 1 exceeds documents of low grades.
    range=lambda rel, terminal, **_: (0, math.inf if rel is None and terminal == "full" else 1),
    aliases=("NDCGT",),
)
def nDCGT(
    lists: Lists,
    rel: OnlyRel = None,
    max_rel: MaxRel = None,
    ideal: IdealDepth = "cut",
    terminal: Terminal = "least",
) -> Floats:
    """Normalised discounted cumulative gain of the list with its terminal document.

    DCG(list + r_t m) / DCG(ideal + m), both to depth n + 1

    Discount log2(i + 1). The ideal list is all relevant documents, best first, cut to n + 1; if they are
    fewer, the last is followed by a terminal gain of m. ideal='full': all relevant documents and m, never
    cut. Gains are linear, or binary with rel: then m is 1. m is the smallest gain of the topic's relevant
    documents; terminal= names others. Scores are at most 1, but for terminal='full', where the end of an
    incomplete list may be worth more than the documents that it lacks. Empty list: 1 for a nil query, else 0.
    """
    gains = parts.linear_or_binary(lists, rel, max_rel)
    weight, m = parts.log2_discount(lists), perfect_end(lists, gains, terminal)
    end = weight[lists.n + 1] * m * share_at_end(lists, gains)
    R = lists.spread(gains.R)
    depth = lists.depth_of_ideal(lists.n + 1) if ideal == "cut" else R + 1
    last = weight[R + 1] * m * (lists.stopped & (depth > R))
    listed = lists.sum(gains.hits * weight[lists.rank]) + end
    return parts.over(listed, gains.ideal(weight).at_points(depth) + last)


@of_ends(
    source=f"{LIU}, table 1 (with grades gain='linear', terminal='full', norm='count'; other values: ours)",
    range=lambda gain, terminal, **_: (0, math.inf if gain != "binary" and terminal == "full" else 1),
)
def APT(
    lists: Lists,
    rel: MinRel = 1,
    gain: BinaryOrLinear = "binary",
    norm: Norm = "ideal",
    max_rel: MaxRel = None,
    terminal: Terminal = "least",
) -> Floats:
    """Average precision of the list with its terminal document.

    1/(R + 1) sum_{i <= n+1} r_i (r_1 + ... + r_i) / i, with r_(n+1) = r_t

    gain='linear': g_i in the place of r_i, r_t m in that of r_t, and in that of R + 1 the same sum for the
    ideal list (all relevant documents, best first, then m) or, with norm='count', the sum of the topic's
    gains and 1. m is the smallest gain of the topic's relevant documents; terminal= names others. Empty list:
    1 for a nil query, else 0. A list that fills the cutoff: average precision, 0 for a nil query.
    """
    gains = parts.binary(lists, rel) if gain == "binary" else parts.linear(lists, max_rel, rel)
    m, of_list = perfect_end(lists, gains, terminal), lists.sum(gains.hits)
    end = m * share_at_end(lists, gains)
    total = lists.sum(parts.precision_at_relevant(lists, gains)) + end * (of_list + end) / (lists.n + 1)
    of_topic, R = lists.spread(gains.judged.total / gains.unit), lists.spread(gains.R)
    if norm == "count":
        return parts.over(total, of_topic + lists.stopped)
    last = lists.stopped * m * (of_topic + m) / (R + 1)
    return parts.over(total, gains.precision_of_ideal().at_points(R) + last)


@measure(source=f"{AMIGO}, section 3.2", reads=("end",))
def ERRT(lists: Lists, max_rel: MaxRel = None, terminal: FullOrLeast = "full") -> Floats:
    """Expected reciprocal rank of the list with its terminal document.

    sum_{i <= n+1} (1/i) g_i prod_{j < i} (1 - g_j), with g_(n+1) = r_t

    Gains are exponential. terminal='least': g_(n+1) = r_t m, m the smallest gain of the topic's relevant
    documents; then no list scores above the complete one in the order of gains. Empty list: 1 for a nil
    query, else 0.
    """
    gains = parts.exponential(lists, max_rel)
    end = perfect_end(lists, gains, terminal) * share_at_end(lists, gains)
    satisfied = parts.cascade(lists, gains)
    return lists.sum(satisfied / lists.rank) + (1 - lists.sum(satisfied)) * end / (lists.n + 1)
