"""Harm: documents that cost their reader something, and lists that should be empty.

Everywhere else a negative grade counts as 0. Here, and under gain='signed' in FlatU, DCGU and RBPU, a
document of grade -2 costs as much as one of grade 2 is worth: it may mislead its reader.

Sets are lists without order, for topics of which some want nothing at all. A nil query is a topic for which
nothing is relevant; its right answer is the empty list, as a day without news wants no notification.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures import parts
from ir_trunc.measures.classical import JARVELIN, RecallWeight, SetF, SetP, SetR
from ir_trunc.measures.declaration import ELSEWHERE, measure
from ir_trunc.measures.definition import UNBOUNDED
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MaxRel, MinRel, Nil, Number, OnlyRel, Persistence
from ir_trunc.measures.terminal import LIU, share_at_end
from ir_trunc.measures.utility import AT_MOST_ONE

TRAPPOLINI = "Trappolini, Cuconasu, Filice, Maarek & Silvestri, 2025, https://arxiv.org/abs/2510.21440"
CLARKE = "Clarke, Vtyurina & Smucker, TOIS 2021, https://doi.org/10.1145/3451161"
LIN = "Lin et al., TREC 2016, https://trec.nist.gov/pubs/trec25/papers/Overview-RT.pdf"
ROBERTSON = "Robertson & Soboroff, TREC 2002, https://trec.nist.gov/pubs/trec11/papers/OVER.FILTERING.pdf"

ELSEWHERE["recall_cap R_cap@k aR@k abbreviated_recall"] = "nCG(rel=1)@k"
ELSEWHERE["NCG@k"] = "nCG@k of k documents; CLEF TAR's is R at the depth of k per cent of the documents"

QUESTION = "Is a list with harmful documents worth reading, and is it empty where nothing is relevant?"

DEPTH = 1000  # of TREC's tool for compatibility, whatever the length of the list

Distraction = Annotated[float, Number("weight of harm against help", 0)]
Balance = Annotated[float, Number("weight of gain against pain", 0, 1)]
Least = Annotated[float, Number("scaled utility below which a list is as bad as it can be, MinNU", high=0)]

harm = partial(measure, ties="grades")


@harm(source=f"after {JARVELIN}, our extension: negative gains", range=UNBOUNDED)
def SignedDCG(lists: Lists) -> Floats:
    """Discounted cumulative gain with the grades as they are, negative ones too.

    sum_i x_i / log2(i + 1)

    Without negative grades it is DCG. Empty list: 0.
    """
    return lists.sum(lists.raw_grade * parts.log2_discount(lists)[lists.rank])


@harm(
    source=f"after {LIU}, our extension: the paper has gains of 0 and more", range=AT_MOST_ONE, reads=("end",)
)
def SignedRBPT(lists: Lists, p: Persistence = 0.8, max_rel: MaxRel = None) -> Floats:
    """Rank-biased precision with a terminal document, where harmful documents cost.

    (1 - p) sum_i g_i p^(i-1) + p^n r_t, g_i = x_i / max_rel

    r_t is the share of the positive gain retrieved: harm does not make a list incomplete. Without negative
    grades it is RBPT(terminal='full', norm='none'). Empty list: 1 for a nil query, else 0.
    """
    gains = parts.signed(lists, max_rel)
    end = parts.powers(lists, p)[lists.n] * share_at_end(lists, parts.linear(lists, max_rel))
    return lists.sum(gains.hits * parts.geometric(lists, p)[lists.rank]) + end


@harm(source=TRAPPOLINI, reads=("end",))
def UDCG(lists: Lists, gamma: Distraction = 1 / 3, max_rel: MaxRel = None) -> Floats:
    """Utility and distraction-aware cumulative gain: passages for a language model, which reads them all.

    1 / (1 + exp(-s)), s = (sum over relevant i of u_i - gamma sum over harmful i of u_i) / n, u_i = |x_i| /
    max_rel

    u_i is how surely the model answers from the passage alone, one minus the probability that it abstains:
    give it as a grade, positive where the passage is relevant and negative where it distracts, 87 for .87
    with max_rel=100. Empty list: 1/2, for neither help nor harm; the authors' code has 0, which is less than
    it gives to any distractors.
    """
    units = parts.signed(lists, max_rel).hits
    s = parts.over(lists.sum(np.where(units < 0, gamma * units, units)), lists.n)
    return 1 / (1 + np.exp(-s))


# compatibility with an ideal list


@harm(source=CLARKE, lower_is_better=True)
def HarmCompat(lists: Lists, p: Persistence = 0.95) -> Floats:
    """Compatibility with the most harmful list there is (TREC Health Misinformation): low is good.

    RBO(list, harmful ideal) / RBO(harmful ideal, harmful ideal), over 1000 ranks
    RBO = (1 - p) sum_i p^(i-1) (documents that both have in their first i) / i

    The ideal list is all documents of negative grade, the most harmful first, tied ones as the list has them.
    Empty list, nothing harmful: 0.
    """
    return compatibility(lists, p, sign=-1)


@harm(source=CLARKE, range=(-1, 1))
def CompatDiff(lists: Lists, p: Persistence = 0.95) -> Floats:
    """Helpful less harmful compatibility, the measure of TREC Health Misinformation.

    Compat(helpful ideal) - Compat(harmful ideal), each as in HarmCompat

    The helpful ideal list is all documents of positive grade, best first. Empty list: 0.
    """
    return compatibility(lists, p) - HarmCompat(lists, p)


def compatibility(lists: Lists, p: float, sign: int = 1) -> Floats:
    """Rank-biased overlap with the ideal list, best first (sign=-1: most harmful first), ties as in the list.

    A document that stands at rank i here and at rank j there is in both lists from max(i, j) on.
    """
    weight = parts.powers_of(p, DEPTH) / np.arange(1, DEPTH + 1)
    from_rank = np.append(np.cumsum(weight[::-1])[::-1], 0.0)  # the sum of the weights from a rank on
    hits = parts.standing(lists, sign)
    in_both = np.maximum(lists.rank[hits.at], hits.better_in_all + hits.as_good - hits.better)
    shared = np.zeros(len(lists.rank))
    shared[hits.at] = from_rank[np.minimum(in_both, DEPTH + 1) - 1]
    best = np.append(0.0, np.cumsum(from_rank))[np.minimum(hits.R, DEPTH)]
    return parts.over(lists.sum(shared), lists.spread(best))


# sets that may be empty


@measure(source=LIN, cutoff="none", reads=("end",))
def NilP(lists: Lists, rel: MinRel = 1, nil: Nil = 1.0) -> Floats:
    """Precision of the whole list, where silence is right on a nil query.

    sum_i r_i / n; on a nil query nil for the empty list, 0 for any other

    Empty list: 0 where something is relevant. With nil=0 it is SetP.
    """
    return parts.silent_or(lists, parts.binary(lists, rel).R, nil, SetP(lists, rel))


@measure(source=LIN, cutoff="none")
def NilR(lists: Lists, rel: MinRel = 1, nil: Nil = 1.0) -> Floats:
    """Recall of the whole list, where silence is right on a nil query.

    sum_i r_i / R; on a nil query nil for the empty list, 0 for any other

    With nil=0 it is SetR.
    """
    return parts.silent_or(lists, parts.binary(lists, rel).R, nil, SetR(lists, rel))


@measure(source=LIN, cutoff="none", reads=("end",))
def NilF(lists: Lists, rel: MinRel = 1, beta: RecallWeight = 1.0, nil: Nil = 1.0) -> Floats:
    """F-measure of the whole list, where silence is right on a nil query.

    (1 + beta) (sum_i r_i) / (n + beta R); on a nil query nil for the empty list, 0 for any other

    With nil=0 it is SetF, and beta is its.
    """
    return parts.silent_or(lists, parts.binary(lists, rel).R, nil, SetF(lists, rel, beta))


@measure(source=LIN, reads=("end",))
def EG(lists: Lists, rel: OnlyRel = None, max_rel: MaxRel = None, nil: Nil = 1.0) -> Floats:
    """Expected gain of a document that was pushed.

    1/n sum_i g_i; on a nil query nil for the empty list, 0 for any other

    EG-1 of TREC Real-Time Summarization, where a topic is one interest profile on one day; nil=0 is EG-0.
    Gains are linear, so that grades 0, 1, 2 are worth 0, 1/2, 1 as there, or binary with rel. Empty list: 0
    where something is relevant.
    """
    gains = parts.linear_or_binary(lists, rel, max_rel)
    return parts.silent_or(lists, gains.R, nil, parts.over(lists.sum(gains.hits), lists.n))


@measure(source=LIN)
def nCG(lists: Lists, rel: OnlyRel = None, max_rel: MaxRel = None, nil: Nil = 1.0) -> Floats:
    """Normalised cumulative gain, without a discount.

    sum_i g_i / Z, Z being the highest sum that k documents can have; on a nil query as EG

    nCG-1 of TREC Real-Time Summarization, which allows 10 documents a day (nCG@10); nil=0 is nCG-0. Without a
    cutoff Z is the gain of all relevant documents. Gains are linear, or binary with rel. Empty list: 0 where
    something is relevant.
    """
    gains = parts.linear_or_binary(lists, rel, max_rel)
    best = gains.ideal().at_points(lists.k)
    return parts.silent_or(lists, gains.R, nil, parts.over(lists.sum(gains.hits), best))


@measure(source=LIN, range=UNBOUNDED, reads=("end",))
def GMP(lists: Lists, alpha: Balance = 0.5, rel: OnlyRel = None, max_rel: MaxRel = None) -> Floats:
    """Gain minus pain: what was pushed is worth its gain, and each document without gain is a pain.

    sum_i (alpha g_i - (1 - alpha) [g_i = 0])

    TREC Real-Time Summarization takes alpha of .33, .5 and .66. Gains are linear, or binary with rel. Empty
    list: 0, which is the best that a nil query can have.
    """
    gains = parts.linear_or_binary(lists, rel, max_rel)
    return alpha * lists.sum(gains.hits) - (1 - alpha) * (lists.n - lists.sum(gains.relevant))


@measure(source=ROBERTSON, cutoff="none")
def T11SU(lists: Lists, rel: MinRel = 1, m: Least = -0.5) -> Floats:
    """Scaled linear utility of filtering: two for a relevant document, less one for any other.

    (max((2 tp - fp) / (2 R), m) - m) / (1 - m)

    tp = sum_i r_i, fp = n - tp. Empty list: -m / (1 - m), 1/3 by default. The track's topics all had relevant
    documents. Here a nil query has 1 for the empty list, whose utility of 0 is the highest possible, and 0
    for any other list.
    """
    gains = parts.binary(lists, rel)
    scaled = np.maximum(parts.over(3 * lists.sum(gains.hits) - lists.n, 2 * lists.spread(gains.R)), m)
    return parts.silent_or(lists, gains.R, 1.0, (scaled - m) / (1 - m))
