"""Full rankings: the list against the judgments over a whole collection of D documents (Amigó, Mizzaro & Spina 2022).

The list is taken as a ranking of all D documents, in which those outside it share the last place; the judgments are
another, with ties wherever grades are equal. All sums are whole numbers or halves, so that they are exact.
"""

from __future__ import annotations

import numpy as np

from ir_trunc.measures.declare import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import CollectionSize, MinRel
from ir_trunc.measures.parts import binary, count, over, standing
from ir_trunc.rankings import Floats

HANLEY = "Hanley & McNeil, Radiology 1982, https://doi.org/10.1148/radiology.143.1.7063747"
KENDALL = "Kendall, Biometrika 1945, https://doi.org/10.1093/biomet/33.3.239"
SPEARMAN = "Spearman, American Journal of Psychology 1904, https://doi.org/10.2307/1412159"


QUESTION = "How well does the whole order agree with the judgments, over all documents of the collection?"


def ties(lists: Lists, D: int) -> Floats:
    """How many of the D documents have grade 0 and each positive grade (Q x (1 + levels))."""
    judgments = lists.judgments
    column = np.searchsorted(judgments.levels, judgments.grades, side="right")
    shape = (len(lists.lengths), len(judgments.levels) + 1)
    sizes = np.bincount(judgments.rows * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)
    sizes[:, 0] = D - sizes[:, 1:].sum(axis=1)
    return sizes.astype(np.float64)


@measure(source=HANLEY)
def AUC(lists: Lists, D: CollectionSize = 20000, rel: MinRel = 1) -> Floats:
    """Area under the ROC curve: the chance that a relevant document stands above an irrelevant one, ties being one half.

    (pairs in the right order + 1/2 tied pairs) / (R (D - R))

    Nil query, or nothing irrelevant: 1/2. Empty list: 1/2.
    """
    gains = binary(lists, rel)
    R = gains.R
    irrelevant = lists.collection(D) - R
    passed = lists.rank - count(lists, gains)
    found = lists.sum(gains.hits)
    right = lists.sum(gains.hits * (irrelevant[lists.row] - passed))
    tied = (lists.spread(R) - found) * (lists.spread(irrelevant) - (lists.n - found))
    return over(right + tied / 2, lists.spread(R * irrelevant), otherwise=0.5)


@measure(source=KENDALL, range=(-1, 1))
def KendallTau(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Kendall's tau-b between list and judgments over the collection.

    (concordant - discordant) / sqrt((pairs - tied in the list) (pairs - tied in the judgments))

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    as_good, as_good_in_all = standing(lists, by=0)
    better, better_in_all = standing(lists, by=1)
    relevant = lists.grade > 0
    found = lists.sum(relevant)
    # A relevant document at rank i stands above all lower grades and beneath all higher ones that are not yet passed.
    worse_below = (lists.collection(D) - as_good_in_all) - (lists.rank - as_good)
    won = lists.sum(relevant * (worse_below - (better_in_all - better)))
    # Each irrelevant document stands above those of the R relevant ones that are not yet passed.
    passed = lists.n * found - lists.sum(relevant * lists.rank) - found * (found - 1) / 2
    lost = (lists.n - found) * lists.spread(binary(lists).R) - passed
    grades, outside = ties(lists, D), float(D) - lists.n
    pairs = float(D) * (D - 1) / 2
    in_list, in_judgments = outside * (outside - 1) / 2, (grades * (grades - 1) / 2).sum(axis=1)
    return over(won - lost, np.sqrt((pairs - in_list) * lists.spread(pairs - in_judgments)))


@measure(source=SPEARMAN, range=(-1, 1))
def Spearman(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Spearman's rho between list and judgments over the collection, tied documents sharing their mean rank.

    cov(rank in the list, rank in the judgments) / (their standard deviations)

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    grades = ties(lists, lists.collection(D))
    better = grades.sum(axis=1, keepdims=True) - np.cumsum(grades, axis=1)
    mean_rank = better + (grades + 1) / 2
    # How far each grade stands before grade 0; documents of grade 0 then add nothing to the covariance.
    lead = mean_rank[:, :1] - mean_rank
    of_hit = lead[lists.row, np.searchsorted(lists.judgments.levels, lists.grade, side="right")]
    missing = lists.spread((lead * grades).sum(axis=1)) - lists.sum(of_hit)
    covariance = lists.sum(((D + 1) / 2 - lists.rank) * of_hit) - lists.n / 2 * missing
    cube = float(D) ** 3 - D
    outside = float(D) - lists.n
    in_list, in_judgments = outside**3 - outside, (grades**3 - grades).sum(axis=1)
    return over(covariance, np.sqrt((cube - in_list) * lists.spread(cube - in_judgments)) / 12)
