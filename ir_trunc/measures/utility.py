"""Utility: what the documents are worth, less the effort of reading them (Amigó, Mizzaro & Spina 2022).

The effort of a document is e, the same for all. Where a run has costs (a `cost` column: tokens, seconds or
money, expressed in units of gain), each document's own cost takes the place of e; iRBU counts neither.
"""

from __future__ import annotations

import math

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import UNBOUNDED, ListPart
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Effort, MaxRel, Persistence, Scale, SignedScale
from ir_trunc.measures.parts import (
    cascade,
    effort,
    geometric,
    log2_discount,
    reciprocal,
    scaled,
    undiscounted,
)
from ir_trunc.measures.terminal import AMIGO

AMIGO_RBU = "Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018, https://doi.org/10.1145/3209978.3210024"
SAKAI_ZENG = "Sakai & Zeng, SIGIR 2019, https://doi.org/10.1145/3331184.3331215"

QUESTION = "Was what the list holds worth the effort of reading all of it?"

AT_MOST_ONE = (-math.inf, 1)


def end_if_costly(e: float, **others: object) -> tuple[ListPart, ...]:
    """Where documents cost nothing, those at the end of a list that are worth nothing change nothing."""
    return ("end",) if e else ()


def utility(lists: Lists, worth: Floats, weight: Floats, e: float) -> Floats:
    """sum_i weight_i (worth_i - e_i), over the whole list.

    A judged document that is worth just its effort adds exactly 0, so that cuts around it tie as they should.
    """
    weight_of_hits = weight[lists.rank]
    if lists.costs is not None:
        return lists.sum(worth * weight_of_hits) - effort(lists, weight, e)
    of_unjudged = lists.prefix(weight) - lists.sum(weight_of_hits)
    return lists.sum((worth - e) * weight_of_hits) - e * of_unjudged


@measure(source=f"{AMIGO}, section 3.3", range=UNBOUNDED, reads=end_if_costly)
def FlatU(lists: Lists, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None) -> Floats:
    """Flat utility: gain less effort, the same at every rank.

    sum_i (g_i - e)

    Empty list: 0. A run's costs take the place of e.
    """
    gains = scaled(lists, gain, max_rel)
    return utility(lists, gains.hits, undiscounted(lists), e)


@measure(source=f"{AMIGO}, section 3.3", range=UNBOUNDED, reads=end_if_costly)
def DCGU(lists: Lists, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None) -> Floats:
    """Discounted cumulative utility.

    sum_i (g_i - e) / log2(i + 1)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, scaled(lists, gain, max_rel).hits, log2_discount(lists), e)


@measure(source=f"{AMIGO}, section 3.3", range=AT_MOST_ONE, reads=end_if_costly)
def RBPU(
    lists: Lists, p: Persistence = 0.8, e: Effort = 0.05, gain: SignedScale = "linear", max_rel: MaxRel = None
) -> Floats:
    """Rank-biased precision less effort.

    (1 - p) sum_i (g_i - e) p^(i-1)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, scaled(lists, gain, max_rel).hits, geometric(lists, p), e)


@measure(source=f"{AMIGO}, section 3.3", range=AT_MOST_ONE, reads=end_if_costly)
def ERRU(lists: Lists, e: Effort = 0.05, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Expected reciprocal rank less effort.

    sum_i (1/i) (g_i prod_{j < i} (1 - g_j) - e)

    Empty list: 0. With e=0 it is ERR with the judgement scale max_rel. A run's costs take the place of e.
    """
    return utility(lists, cascade(lists, scaled(lists, gain, max_rel)), reciprocal(lists), e)


@measure(
    source=f"{AMIGO_RBU}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.3",
    range=AT_MOST_ONE,
    reads=end_if_costly,
)
def RBU(
    lists: Lists, p: Persistence = 0.8, e: Effort = 0.05, gain: Scale = "exp", max_rel: MaxRel = None
) -> Floats:
    """Rank-biased utility: a satisfied reader gains nothing more, but goes on paying.

    (1 - p) sum_i p^(i-1) (g_i prod_{j < i} (1 - g_j) - e)

    Empty list: 0. A run's costs take the place of e.
    """
    return utility(lists, cascade(lists, scaled(lists, gain, max_rel)), geometric(lists, p), e)


@measure(source=f"{SAKAI_ZENG}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.1")
def iRBU(lists: Lists, p: Persistence = 0.8, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Rank-biased utility without effort.

    (1 - p) sum_i p^(i-1) g_i prod_{j < i} (1 - g_j)

    Empty list: 0.
    """
    return lists.sum(cascade(lists, scaled(lists, gain, max_rel)) * geometric(lists, p)[lists.rank])
