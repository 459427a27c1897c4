"""Harm: negative grades cost. A document may mislead its reader, and a list is better without it.

Everywhere else a negative grade counts as 0. Here, and under gain='signed' in FlatU, DCGU and RBPU, a
document of grade -2 costs as much as one of grade 2 is worth.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.classical import JARVELIN
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import UNBOUNDED
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MaxRel, Number, Persistence
from ir_trunc.measures.parts import geometric, linear, log2_discount, over, powers, powers_of, signed
from ir_trunc.measures.standing import standing
from ir_trunc.measures.terminal import LIU, share_at_end
from ir_trunc.measures.utility import AT_MOST_ONE

TRAPPOLINI = "Trappolini, Cuconasu, Filice, Maarek & Silvestri, 2025, https://arxiv.org/abs/2510.21440"
CLARKE = "Clarke, Vtyurina & Smucker, TOIS 2021, https://doi.org/10.1145/3451161"

QUESTION = "Is the list worth reading where some documents do harm?"

DEPTH = 1000  # of TREC's tool for compatibility, whatever the length of the list

Distraction = Annotated[float, Number("weight of harm against help", 0)]


@measure(source=f"after {JARVELIN}, our extension: negative gains", range=UNBOUNDED, ties="grades")
def SignedDCG(lists: Lists) -> Floats:
    """Discounted cumulative gain with the grades as they are, negative ones too.

    sum_i x_i / log2(i + 1)

    Without negative grades it is DCG. Empty list: 0.
    """
    return lists.sum(lists.raw_grade * log2_discount(lists)[lists.rank])


@measure(
    source=f"after {LIU}, our extension: the paper has gains of 0 and more",
    range=AT_MOST_ONE,
    reads=("end",),
    ties="grades",
)
def SignedRBPT(lists: Lists, p: Persistence = 0.8, max_rel: MaxRel = None) -> Floats:
    """Rank-biased precision with a terminal document, where harmful documents cost.

    (1 - p) sum_i g_i p^(i-1) + p^n r_t, g_i = x_i / max_rel

    r_t is the share of the positive gain retrieved: harm does not make a list incomplete. Without negative
    grades it is RBPT(terminal='full', norm='none'). Empty list: 1 for a nil query, else 0.
    """
    gains = signed(lists, max_rel)
    end = powers(lists, p)[lists.n] * share_at_end(lists, linear(lists, max_rel))
    return lists.sum(gains.hits * geometric(lists, p)[lists.rank]) + end


@measure(source=TRAPPOLINI, reads=("end",), ties="grades")
def UDCG(lists: Lists, gamma: Distraction = 1 / 3, max_rel: MaxRel = None) -> Floats:
    """Utility and distraction-aware cumulative gain: passages for a language model, which reads them all.

    1 / (1 + exp(-s)), s = (sum over relevant i of u_i - gamma sum over harmful i of u_i) / n, u_i = |x_i| /
    max_rel

    u_i is how surely the model answers from the passage alone, one minus the probability that it abstains:
    give it as a grade, positive where the passage is relevant and negative where it distracts, 87 for .87
    with max_rel=100. Empty list: 1/2, for neither help nor harm; the authors' code has 0, which is less than
    it gives to any distractors.
    """
    units = signed(lists, max_rel).hits
    s = over(lists.sum(np.where(units < 0, gamma * units, units)), lists.n)
    return 1 / (1 + np.exp(-s))


# compatibility with an ideal list


@measure(source=CLARKE, lower_is_better=True, ties="grades")
def HarmCompat(lists: Lists, p: Persistence = 0.95) -> Floats:
    """Compatibility with the most harmful list there is (TREC Health Misinformation): low is good.

    RBO(list, harmful ideal) / RBO(harmful ideal, harmful ideal), over 1000 ranks
    RBO = (1 - p) sum_i p^(i-1) (documents that both have in their first i) / i

    The ideal list is all documents of negative grade, the most harmful first, tied ones as the list has them.
    Empty list, nothing harmful: 0.
    """
    return compatibility(lists, p, sign=-1)


@measure(source=CLARKE, range=(-1, 1), ties="grades")
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
    weight = powers_of(p, DEPTH) / np.arange(1, DEPTH + 1)
    from_rank = np.append(np.cumsum(weight[::-1])[::-1], 0.0)  # the sum of the weights from a rank on
    hits = standing(lists, sign)
    in_both = np.maximum(lists.rank[hits.at], hits.better_in_all + hits.as_good - hits.better)
    shared = np.zeros(len(lists.rank))
    shared[hits.at] = from_rank[np.minimum(in_both, DEPTH + 1) - 1]
    best = np.append(0.0, np.cumsum(from_rank))[np.minimum(hits.R, DEPTH)]
    return over(lists.sum(shared), lists.spread(best))
