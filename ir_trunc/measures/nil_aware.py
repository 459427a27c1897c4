"""Sets that may be empty: lists without order, for topics of which some want nothing at all.

A nil query is a topic for which nothing is relevant; its right answer is the empty list, as a day without
news wants no notification.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.classical import RecallWeight, SetF, SetP, SetR
from ir_trunc.measures.declaration import ELSEWHERE, measure
from ir_trunc.measures.definition import UNBOUNDED
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MaxRel, MinRel, Nil, Number, OnlyRel
from ir_trunc.measures.parts import binary, linear_or_binary, over, silent_or

LIN = "Lin et al., TREC 2016, https://trec.nist.gov/pubs/trec25/papers/Overview-RT.pdf"
ROBERTSON = "Robertson & Soboroff, TREC 2002, https://trec.nist.gov/pubs/trec11/papers/OVER.FILTERING.pdf"

ELSEWHERE["recall_cap R_cap@k aR@k abbreviated_recall"] = "nCG(rel=1)@k"
ELSEWHERE["NCG@k"] = "nCG@k of k documents; CLEF TAR's is R at the depth of k per cent of the documents"

QUESTION = "Is the set right, where the right one may be empty?"

Balance = Annotated[float, Number("weight of gain against pain", 0, 1)]
Least = Annotated[float, Number("scaled utility below which a list is as bad as it can be, MinNU", high=0)]


@measure(source=LIN, cutoff="none", reads=("end",))
def NilP(lists: Lists, rel: MinRel = 1, nil: Nil = 1.0) -> Floats:
    """Precision of the whole list, where silence is right on a nil query.

    sum_i r_i / n; on a nil query nil for the empty list, 0 for any other

    Empty list: 0 where something is relevant. With nil=0 it is SetP.
    """
    return silent_or(lists, binary(lists, rel).R, nil, SetP(lists, rel))


@measure(source=LIN, cutoff="none")
def NilR(lists: Lists, rel: MinRel = 1, nil: Nil = 1.0) -> Floats:
    """Recall of the whole list, where silence is right on a nil query.

    sum_i r_i / R; on a nil query nil for the empty list, 0 for any other

    With nil=0 it is SetR.
    """
    return silent_or(lists, binary(lists, rel).R, nil, SetR(lists, rel))


@measure(source=LIN, cutoff="none", reads=("end",))
def NilF(lists: Lists, rel: MinRel = 1, beta: RecallWeight = 1.0, nil: Nil = 1.0) -> Floats:
    """F-measure of the whole list, where silence is right on a nil query.

    (1 + beta) (sum_i r_i) / (n + beta R); on a nil query nil for the empty list, 0 for any other

    With nil=0 it is SetF, and beta is its.
    """
    return silent_or(lists, binary(lists, rel).R, nil, SetF(lists, rel, beta))


@measure(source=LIN, reads=("end",))
def EG(lists: Lists, rel: OnlyRel = None, max_rel: MaxRel = None, nil: Nil = 1.0) -> Floats:
    """Expected gain of a document that was pushed.

    1/n sum_i g_i; on a nil query nil for the empty list, 0 for any other

    EG-1 of TREC Real-Time Summarization, where a topic is one interest profile on one day; nil=0 is EG-0.
    Gains are linear, so that grades 0, 1, 2 are worth 0, 1/2, 1 as there, or binary with rel. Empty list: 0
    where something is relevant.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    return silent_or(lists, gains.R, nil, over(lists.sum(gains.hits), lists.n))


@measure(source=LIN)
def nCG(lists: Lists, rel: OnlyRel = None, max_rel: MaxRel = None, nil: Nil = 1.0) -> Floats:
    """Normalised cumulative gain, without a discount.

    sum_i g_i / Z, Z being the highest sum that k documents can have; on a nil query as EG

    nCG-1 of TREC Real-Time Summarization, which allows 10 documents a day (nCG@10); nil=0 is nCG-0. Without a
    cutoff Z is the gain of all relevant documents. Gains are linear, or binary with rel. Empty list: 0 where
    something is relevant.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    best = gains.ideal().at_points(lists.k)
    return silent_or(lists, gains.R, nil, over(lists.sum(gains.hits), best))


@measure(source=LIN, range=UNBOUNDED, reads=("end",))
def GMP(lists: Lists, alpha: Balance = 0.5, rel: OnlyRel = None, max_rel: MaxRel = None) -> Floats:
    """Gain minus pain: what was pushed is worth its gain, and each document without gain is a pain.

    sum_i (alpha g_i - (1 - alpha) [g_i = 0])

    TREC Real-Time Summarization takes alpha of .33, .5 and .66. Gains are linear, or binary with rel. Empty
    list: 0, which is the best that a nil query can have.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    pain = lists.n - lists.sum(gains.relevant)
    return alpha * lists.sum(gains.hits) - (1 - alpha) * pain


@measure(source=ROBERTSON, cutoff="none")
def T11SU(lists: Lists, rel: MinRel = 1, m: Least = -0.5) -> Floats:
    """Scaled linear utility of filtering: two for a relevant document, less one for any other.

    (max((2 tp - fp) / (2 R), m) - m) / (1 - m)

    tp = sum_i r_i, fp = n - tp. Empty list: -m / (1 - m), 1/3 by default. The track's topics all had relevant
    documents. Here a nil query has 1 for the empty list, whose utility of 0 is the highest possible, and 0
    for any other list.
    """
    gains = binary(lists, rel)
    hits = lists.sum(gains.hits)
    scaled = np.maximum(over(3 * hits - lists.n, 2 * lists.spread(gains.R)), m)
    return silent_or(lists, gains.R, 1.0, (scaled - m) / (1 - m))
