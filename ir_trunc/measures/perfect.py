"""Perfect lists: measures whose perfect list scores 1, whatever the scale of the judgments.

ERR and ERRT divide grades by the top of the scale. Where a topic has no document of the top grade, no list
reaches 1: the only document there is, of grade 1 out of 3, earns .56 by ERRT. Here a list is divided by the
topic's ideal list, as in nDCG.

With a terminal document that is not enough: it is worth up to 1, more than a document of a low grade, so that
the ideal list would not be the best one, and stopping before a relevant document could earn more than 1. It
is therefore worth r_t times what a document of grade 1 is worth (terminal='unit' of other measures). Then no
list is better than all relevant documents, best first, and nothing else.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.classical import dcg
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists, above
from ir_trunc.measures.params import MaxRel, OnlyRel, Persistence, Scale
from ir_trunc.measures.parts import (
    Gains,
    Ideal,
    binary,
    cascade,
    geometric,
    graded,
    over,
    powers,
    reciprocal,
    scaled,
)
from ir_trunc.measures.terminal import AMIGO, LIU, share_at_end

SAKAI_SONG = "Sakai & Song, SIGIR 2011, https://doi.org/10.1145/2009916.2010055"

QUESTION = "How close is the list to the best one that the topic's judgments allow?"


def satisfied_by_ideal(gains: Gains, weights: Floats) -> tuple[Ideal, Ideal]:
    """sum_i weight_i g_i prod_{j < i} (1 - g_j) of the ideal list at every depth, and without weights."""
    hits = gains.ideal_hits
    chance = hits * above(1 - hits, gains.judged.offsets, np.multiply.accumulate, 1.0)
    return gains.cumulated(chance * weights[gains.judged.ranks]), gains.cumulated(chance)


def over_ideal(lists: Lists, gains: Gains, weight: Floats) -> Floats:
    """What a reader finds who may be satisfied, over the same for the ideal list, both to k."""
    ideal, _ = satisfied_by_ideal(gains, weight)
    score = lists.sum(cascade(lists, gains) * weight[lists.rank])
    return over(score, ideal.at_points(lists.k))


@measure(source=SAKAI_SONG)
def nERR(lists: Lists, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Normalised expected reciprocal rank: ERR over that of the ideal list, both to k.

    sum_i (1/i) g_i prod_{j < i} (1 - g_j), over the same for the ideal list

    The scale is that of the judgments, or ends at max_rel. NTCIREVAL's nERR divides grades by one more than
    the top grade: gain='linear', max_rel=4 for grades up to 3. Without the ideal list it is ERRU(e=0), which
    is ERR for any scale. Empty list, nil query: 0.
    """
    return over_ideal(lists, scaled(lists, gain, max_rel), reciprocal(lists))


@measure(source=f"{AMIGO}, section 3.1, where it is named without a formula")
def niRBU(lists: Lists, p: Persistence = 0.8, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Normalised iRBU: rank-biased utility without effort, over that of the ideal list, both to k.

    sum_i p^(i-1) g_i prod_{j < i} (1 - g_j), over the same for the ideal list

    Empty list, nil query: 0.
    """
    return over_ideal(lists, scaled(lists, gain, max_rel), geometric(lists, p))


@measure(source=f"after {LIU}, our extension: RBPT over the ideal list", reads=("end",))
def nRBPT(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None) -> Floats:
    """Rank-biased precision with a terminal document, over that of the ideal list.

    ((1 - p) sum_i g_i p^(i-1) + p^n r_t) / ((1 - p) sum_{i <= R} ideal g_i p^(i-1) + p^R)

    Gains are the grades, so that the terminal document is worth what a document of grade 1 is worth, or
    binary with rel. Without a cutoff it is RBPT(terminal='unit'), and with rel RBPT. RBPT never cuts its
    ideal list; here, for a list that fills the cutoff k, both sums go to k, without a terminal document on
    either side. Empty list: 1 for a nil query, else 0.
    """
    gains = graded(lists) if rel is None else binary(lists, rel)
    weight, power, R = geometric(lists, p), powers(lists, p), lists.spread(gains.R)
    score = dcg(lists, gains, weight) + power[lists.n] * share_at_end(lists, gains)
    ideal = gains.ideal(weight).at_points(lists.depth_of_ideal(R))
    return over(score, ideal + np.where(lists.stopped, power[R], 0.0))


@measure(source=f"after {LIU}, our extension: ERRT over the ideal list", reads=("end",))
def nERRT(lists: Lists, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Expected reciprocal rank with a terminal document, over that of the ideal list.

    sum_{i <= n+1} (1/i) g_i prod_{j < i} (1 - g_j), over the same for the ideal list; g_(n+1) = r_t g(1)

    The terminal document is worth what a document of grade 1 is worth, times the share of the gain retrieved;
    that of ERRT is worth 1, or what the document of the lowest grade is worth. A list that fills the cutoff
    k: nERR@k. Empty list: 1 for a nil query, else 0.
    """
    gains = scaled(lists, gain, max_rel)
    weight, R = reciprocal(lists), lists.spread(gains.R)
    end = 1 / gains.unit  # of grade 1, on either scale
    satisfied = cascade(lists, gains)
    last = end * share_at_end(lists, gains) * (1 - lists.sum(satisfied)) * weight[lists.n + 1]
    ideal, unweighted = satisfied_by_ideal(gains, weight)
    last_of_ideal = np.where(lists.stopped, end * (1 - unweighted.at_points(R)) * weight[R + 1], 0.0)
    of_ideal = ideal.at_points(lists.depth_of_ideal(R)) + last_of_ideal
    return over(lists.sum(satisfied * weight[lists.rank]) + last, of_ideal)
