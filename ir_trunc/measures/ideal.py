"""Ideal rankings: how near a list comes to its topic's ideal list, or to the order of all documents by grade.

ERR and ERRT divide grades by the top of the scale. Where a topic has no document of the top grade, no list
reaches 1: the only document there is, of grade 1 out of 3, earns .56 by ERRT. Here a list is divided by the
topic's ideal list, as in nDCG.

With a terminal document that is not enough: it is worth up to 1, more than a document of a low grade, so that
the ideal list would not be the best one, and stopping before a relevant document could earn more than 1. It
is therefore worth r_t times what a document of grade 1 is worth (terminal='unit' of other measures). Then no
list is better than all relevant documents, best first, and nothing else.

Correlations take the list as a ranking of all D documents, in which those outside it share the last place;
the judgments are another, with ties wherever grades are equal (Amigó, Mizzaro & Spina 2022). No formula takes
one number of the size of D^2 or D^3 from another, so that scores are as precise in a collection of 10^12
documents as in a small one.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc.measures import parts
from ir_trunc.measures.classical import AMIGO_2022, dcg
from ir_trunc.measures.declaration import ELSEWHERE, measure
from ir_trunc.measures.lists import Lists, above
from ir_trunc.measures.params import CollectionSize, MaxRel, MinRel, OnlyRel, Persistence, Scale
from ir_trunc.measures.parts import Gains, Ideal
from ir_trunc.measures.terminal import AMIGO, LIU, share_at_end

SAKAI_SONG = "Sakai & Song, SIGIR 2011, https://doi.org/10.1145/2009916.2010055"
HANLEY = "Hanley & McNeil, Radiology 1982, https://doi.org/10.1148/radiology.143.1.7063747"
KENDALL = "Kendall, Biometrika 1945, https://doi.org/10.1093/biomet/33.3.239"
SPEARMAN = "Spearman, American Journal of Psychology 1904, https://doi.org/10.2307/1412159"

ELSEWHERE["roc_auc auroc"] = "AUC"

QUESTION = "How close is the list to the ideal one, or its order to that of all documents by grade?"


def satisfied_by_ideal(gains: Gains, weights: Floats) -> tuple[Ideal, Ideal]:
    """sum_i weight_i g_i prod_{j < i} (1 - g_j) of the ideal list at every depth, and without weights."""
    hits = gains.ideal_hits
    chance = hits * above(1 - hits, gains.judged.offsets, np.multiply.accumulate, 1.0)
    return gains.cumulated(chance * weights[gains.judged.ranks]), gains.cumulated(chance)


def over_ideal(lists: Lists, gains: Gains, weight: Floats) -> Floats:
    """What a reader finds who may be satisfied, over the same for the ideal list, both to k."""
    ideal, _ = satisfied_by_ideal(gains, weight)
    return parts.over(lists.sum(parts.cascade(lists, gains) * weight[lists.rank]), ideal.at_points(lists.k))


@measure(source=SAKAI_SONG)
def nERR(lists: Lists, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Normalised expected reciprocal rank: ERR over that of the ideal list, both to k.

    sum_i (1/i) g_i prod_{j < i} (1 - g_j), over the same for the ideal list

    The scale is that of the judgments, or ends at max_rel. NTCIREVAL's nERR divides grades by one more than
    the top grade: gain='linear', max_rel=4 for grades up to 3. Without the ideal list it is ERRU(e=0), which
    is ERR for any scale. Empty list, nil query: 0.
    """
    return over_ideal(lists, parts.scaled(lists, gain, max_rel), parts.reciprocal(lists))


@measure(source=f"{AMIGO}, section 3.1, where it is named without a formula")
def niRBU(lists: Lists, p: Persistence = 0.8, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Normalised iRBU: rank-biased utility without effort, over that of the ideal list, both to k.

    sum_i p^(i-1) g_i prod_{j < i} (1 - g_j), over the same for the ideal list

    Empty list, nil query: 0.
    """
    return over_ideal(lists, parts.scaled(lists, gain, max_rel), parts.geometric(lists, p))


@measure(source=f"after {LIU}, our extension: RBPT over the ideal list", reads=("end",))
def nRBPT(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None) -> Floats:
    """Rank-biased precision with a terminal document, over that of the ideal list.

    ((1 - p) sum_i g_i p^(i-1) + p^n r_t) / ((1 - p) sum_{i <= R} ideal g_i p^(i-1) + p^R)

    Gains are the grades, so that the terminal document is worth what a document of grade 1 is worth, or
    binary with rel. Without a cutoff it is RBPT(terminal='unit'), and with rel RBPT. RBPT never cuts its
    ideal list; here, for a list that fills the cutoff k, both sums go to k, without a terminal document on
    either side. Empty list: 1 for a nil query, else 0.
    """
    gains = parts.graded(lists) if rel is None else parts.binary(lists, rel)
    weight, power, R = parts.geometric(lists, p), parts.powers(lists, p), lists.spread(gains.R)
    score = dcg(lists, gains, weight) + power[lists.n] * share_at_end(lists, gains)
    ideal = gains.ideal(weight).at_points(lists.depth_of_ideal(R))
    return parts.over(score, ideal + np.where(lists.stopped, power[R], 0.0))


@measure(source=f"after {LIU}, our extension: ERRT over the ideal list", reads=("end",))
def nERRT(lists: Lists, gain: Scale = "exp", max_rel: MaxRel = None) -> Floats:
    """Expected reciprocal rank with a terminal document, over that of the ideal list.

    sum_{i <= n+1} (1/i) g_i prod_{j < i} (1 - g_j), over the same for the ideal list; g_(n+1) = r_t g(1)

    The terminal document is worth what a document of grade 1 is worth, times the share of the gain retrieved;
    that of ERRT is worth 1, or what the document of the lowest grade is worth. A list that fills the cutoff
    k: nERR@k. Empty list: 1 for a nil query, else 0.
    """
    gains = parts.scaled(lists, gain, max_rel)
    weight, R = parts.reciprocal(lists), lists.spread(gains.R)
    end = 1 / gains.unit  # of grade 1, on either scale
    satisfied = parts.cascade(lists, gains)
    last = end * share_at_end(lists, gains) * (1 - lists.sum(satisfied)) * weight[lists.n + 1]
    ideal, unweighted = satisfied_by_ideal(gains, weight)
    last_of_ideal = np.where(lists.stopped, end * (1 - unweighted.at_points(R)) * weight[R + 1], 0.0)
    of_ideal = ideal.at_points(lists.depth_of_ideal(R)) + last_of_ideal
    return parts.over(lists.sum(satisfied * weight[lists.rank]) + last, of_ideal)


# full rankings


def without_last(D: float, count: Floats | Ints) -> tuple[Floats, Floats]:
    """C(D, 2) - C(D - n, 2) and (D^3 - D) - ((D - n)^3 - (D - n)), each in one product."""
    n = count.astype(np.float64)
    return n * (2 * D - n - 1) / 2, n * (3 * D * (D - n) + n**2 - 1)


@measure(source=f"{HANLEY}; {AMIGO_2022}, section 3.1")
def AUC(lists: Lists, D: CollectionSize = 20000, rel: MinRel = 1) -> Floats:
    """Area under the ROC curve: the chance that a relevant document stands above an irrelevant one.

    (pairs in the right order + 1/2 tied pairs) / (R (D - R))

    Tied are the pairs of which the list holds neither document. Documents of the list are never tied: where
    scores are equal, the order of the list decides, as in every other measure. Nil query, or nothing
    irrelevant: 1/2. Empty list: 1/2.
    """
    gains = parts.binary(lists, rel)
    R = gains.R
    irrelevant = float(lists.collection(D)) - R
    passed = lists.rank - parts.count(lists, gains)
    hits = lists.sum(gains.hits)
    right = lists.sum(gains.hits * (irrelevant[lists.row] - passed))
    tied = (lists.spread(R) - hits) * (lists.spread(irrelevant) - (lists.n - hits))
    return parts.over(right + tied / 2, lists.spread(R * irrelevant), otherwise=0.5)


@measure(source=f"{KENDALL}; {AMIGO_2022}, section 3.1", range=(-1, 1), reads=("end",))
def KendallTau(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Kendall's tau-b between list and judgments over the collection.

    (concordant - discordant) / sqrt((pairs - tied in the list) (pairs - tied in the judgments))

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    hit = parts.standing(lists)
    relevant = lists.grade > 0
    hits = lists.sum(relevant)
    # A relevant document at rank i stands above all lower grades and beneath all higher ones that are not yet
    # passed.
    worse_below = (lists.collection(D) - hit.as_good_in_all) - (lists.rank[hit.at] - hit.as_good)
    ahead = np.zeros(len(lists.row))
    ahead[hit.at] = worse_below - (hit.better_in_all - hit.better)
    won = lists.sum(ahead)
    # Each irrelevant document stands above those of the R relevant ones that are not yet passed.
    passed = lists.n * hits - lists.sum(relevant * lists.rank) - hits * (hits - 1) / 2
    lost = (lists.n - hits) * lists.spread(parts.binary(lists).R) - passed
    ordered, _ = without_last(float(D), lists.n)
    grades = parts.grade_groups(lists.judgments)
    size = grades.size.astype(np.float64)
    in_judgments = without_last(float(D), grades.R)[0] - grades.sum(size * (size - 1) / 2)
    return parts.over(won - lost, np.sqrt(ordered) * np.sqrt(lists.spread(in_judgments)))


@measure(source=f"{SPEARMAN}; {AMIGO_2022}, section 3.1", range=(-1, 1), reads=("end",))
def Spearman(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Spearman's rho between list and judgments over the collection, tied documents sharing their mean rank.

    cov(rank in the list, rank in the judgments) / (their standard deviations)

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    size, grades = float(lists.collection(D)), parts.grade_groups(lists.judgments)

    def lead(row: Ints, better: Ints, same: Ints) -> Floats:
        """How far a grade stands before grade 0; documents of grade 0 then add nothing to the covariance."""
        return np.asarray((size - same + grades.R[row]) / 2 - better)

    relevant = np.flatnonzero(lists.grade)
    row, of_hit = lists.row[relevant], np.zeros(len(lists.row))
    of_hit[relevant] = lead(row, *grades.around(row, lists.grade[relevant]))
    same = grades.size.astype(np.float64)
    of_all = grades.sum(lead(grades.row, grades.better, grades.size) * same)
    missing = lists.spread(of_all) - lists.sum(of_hit)
    covariance = lists.sum(((size + 1) / 2 - lists.rank) * of_hit) - lists.n / 2 * missing
    _, in_list = without_last(size, lists.n)
    in_judgments = without_last(size, grades.R)[1] - grades.sum(same * same * same - same)
    return parts.over(12 * covariance, np.sqrt(in_list) * np.sqrt(lists.spread(in_judgments)))
