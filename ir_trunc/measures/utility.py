"""Utility: the worth of documents minus the effort of reading; information (Amigó et al. 2018, 2022).

The effort of a document is e, the same for all. Where a run has costs (a `cost` column: tokens, seconds or
money, expressed in units of gain), each document's own cost takes the place of e; iRBU counts neither.
Information (OIE) is what the list and the judgments have in common.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.parameters import Choice, Number
from ir_trunc.measures import parts
from ir_trunc.measures.classical import AMIGO_2022
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import UNBOUNDED, ListPart
from ir_trunc.measures.lists import Lists, read_only
from ir_trunc.measures.params import Documents, Effort, MaxRel, Persistence, Scale, SignedScale
from ir_trunc.measures.terminal import AMIGO

AMIGO_RBU = "Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018, https://doi.org/10.1145/3209978.3210024"
SAKAI_ZENG = "Sakai & Zeng, SIGIR 2019, https://doi.org/10.1145/3331184.3331215"
AMIGO_OIE = "Amigó, Giner, Mizzaro & Spina, ICTIR 2018, https://doi.org/10.1145/3234944.3234958"

QUESTION = "Was the list worth the effort of reading all of it, or how much does it tell about the judgments?"

AT_MOST_ONE = (-math.inf, 1)
Part = Annotated[
    Literal["all", "S", "G", "joint"], Choice("the measure, or one of its three parts: H(S), H(G) or H(S,G)")
]
JointWeight = Annotated[
    float, Number("weight of the joint information; above 1, noise and silence both cost", 0)
]


# Where documents cost nothing, those at the end of a list that are worth nothing change nothing.
net = partial(measure, reads=lambda e, **_: ("end",) if e else ())


def utility(lists: Lists, worth: Floats, weight: Floats, e: float) -> Floats:
    """sum_i weight_i (worth_i - e_i), over the whole list.

    A judged document that is worth just its effort adds exactly 0, so that cuts around it tie as they should.
    """
    weight_of_hits = weight[lists.rank]
    if lists.costs is not None:
        return lists.sum(worth * weight_of_hits) - parts.effort(lists, weight, e)
    of_unjudged = lists.prefix(weight) - lists.sum(weight_of_hits)
    return lists.sum((worth - e) * weight_of_hits) - e * of_unjudged


def satisfied(lists: Lists, gain: str, max_rel: int | None) -> Floats:
    """The probability that each hit, and none above it, satisfies the reader."""
    return parts.cascade(lists, parts.scaled(lists, gain, max_rel))


@net(source=f"{AMIGO}, section 3.3", range=UNBOUNDED)
def FlatU(lists: Lists, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None) -> Floats:
    """Flat utility: gain less effort, the same at every rank.

    sum_i (g_i - e)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, parts.scaled(lists, gain, max_rel).hits, parts.undiscounted(lists), e)


@net(source=f"{AMIGO}, section 3.3", range=UNBOUNDED)
def DCGU(lists: Lists, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None) -> Floats:
    """Discounted cumulative utility.

    sum_i (g_i - e) / log2(i + 1)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, parts.scaled(lists, gain, max_rel).hits, parts.log2_discount(lists), e)


@net(source=f"{AMIGO}, section 3.3", range=AT_MOST_ONE)
def RBPU(
    lists: Lists, p: Persistence = 0.8, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None
) -> Floats:
    """Rank-biased precision less effort.

    (1 - p) sum_i (g_i - e) p^(i-1)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, parts.scaled(lists, gain, max_rel).hits, parts.geometric(lists, p), e)


@net(source=f"{AMIGO}, section 3.3", range=AT_MOST_ONE)
def ERRU(lists: Lists, e: Effort = 0.05, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Expected reciprocal rank less effort.

    sum_i (1/i) (g_i prod_{j < i} (1 - g_j) - e)

    Empty list: 0. With e=0 it is ERR with the judgement scale max_rel. A run's costs take the place of e.
    """
    return utility(lists, satisfied(lists, gain, max_rel), parts.reciprocal(lists), e)


@net(source=f"{AMIGO_RBU}; {AMIGO_2022}, section 3.3", range=AT_MOST_ONE)
def RBU(
    lists: Lists, p: Persistence = 0.8, e: Effort = 0.05, gain: Scale = "exp", max_rel: MaxRel = None
) -> Floats:
    """Rank-biased utility: a satisfied reader gains nothing more, but goes on paying.

    (1 - p) sum_i p^(i-1) (g_i prod_{j < i} (1 - g_j) - e)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, satisfied(lists, gain, max_rel), parts.geometric(lists, p), e)


@measure(source=f"{SAKAI_ZENG}; {AMIGO_2022}, section 3.1")
def iRBU(lists: Lists, p: Persistence = 0.8, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Rank-biased utility without effort.

    (1 - p) sum_i p^(i-1) g_i prod_{j < i} (1 - g_j)

    Empty list: 0.
    """
    return lists.sum(satisfied(lists, gain, max_rel) * parts.geometric(lists, p)[lists.rank])


# information


def end_unless_joint(beta: float, part: str, **others: object) -> tuple[ListPart, ...]:
    """With beta=1 noise costs nothing, and the score is the information that list and judgments share."""
    return () if part == "G" or (part == "all" and beta == 1) else ("end",)


@measure(
    source=f"{AMIGO_OIE}; {AMIGO_2022}, section 3.4", range=UNBOUNDED, reads=end_unless_joint, ties="grades"
)
def OIE(lists: Lists, D: Documents = 20000, beta: JointWeight = 1.05, part: Part = "all") -> Floats:
    """Observational information effectiveness: the information that list and judgments share, in nats.

    H(S) + H(G) - beta H(S,G)

    H(S) = -sum over the retrieved of ln(i/D); H(G) = -sum over the relevant of ln(|{grade >= its own}|/D);
    H(S,G) = -sum over all of ln(|{rank no lower and grade no lower}|/D). Documents outside the list share the
    last rank, grades are 0 where nothing is judged, and the factor 1/D is left out. A document that is not
    relevant, or not retrieved, has as much joint information as it has alone; only relevant retrieved
    documents have less, and gain ln(documents as good, to its rank) - ln(rank) - ln(documents as good, in all
    / D). D='qrels': the documents that are judged or in the list. part='S', 'G' and 'joint' are H(S), H(G)
    and H(S,G) alone. In the largest collections m relevant documents behind m others beat one on top where
    beta is below (2m - 1)/m, and in smaller ones where it is lower still. Empty list: H(G) (1 - beta), which
    is 0 for a nil query.
    """
    judged = lists.spread(np.diff(lists.judgments.offsets))
    unjudged = lists.n - lists.sum(np.ones(len(lists.row))).astype(np.int64)
    size = np.maximum(parts.collection_sizes(lists, "tool" if D == "qrels" else D), judged + unjudged)
    log = natural_logs(len(lists.ranks))
    hit = parts.standing(lists)
    gain = np.zeros(len(lists.row))
    gain[hit.at] = log[hit.as_good] - log[lists.rank[hit.at]] - log[hit.as_good_in_all]
    distinct, at = np.unique(size, return_inverse=True)
    of_size: Floats = np.array([math.log(max(1, number)) for number in distinct.tolist()])[at]
    shared = lists.sum(gain) + lists.sum(lists.grade > 0) * of_size
    H_S = lists.n * of_size - lists.prefix(log)
    grades = parts.grade_groups(lists.judgments)
    coded = grades.sum(grades.size * log[grades.better + grades.size])
    H_G = lists.spread(grades.R) * of_size - lists.spread(coded)
    if part == "all":
        return H_S + H_G - beta * (H_S + H_G - shared)
    return {"S": H_S, "G": H_G, "joint": H_S + H_G - shared}[part]


@lru_cache(maxsize=4)
def natural_logs(size: int) -> Floats:
    """ln max(1, i) for i = 0, 1, 2, ..., size - 1, by `math` as the discounts are."""
    return read_only(np.fromiter(map(math.log, (1, *range(1, size))), np.float64))
