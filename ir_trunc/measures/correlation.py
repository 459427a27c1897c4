"""Full rankings: list and judgments over all D documents of a collection (Amigó, Mizzaro & Spina 2022).

The list is taken as a ranking of all D documents, in which those outside it share the last place; the
judgments are another, with ties wherever grades are equal. No formula takes one number of the size of D^2 or
D^3 from another, so that scores are as precise in a collection of 10^12 documents as in a small one.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc.measures.declaration import ELSEWHERE, measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import CollectionSize, MinRel
from ir_trunc.measures.parts import binary, count, over
from ir_trunc.measures.standing import grade_groups, standing

HANLEY = "Hanley & McNeil, Radiology 1982, https://doi.org/10.1148/radiology.143.1.7063747"
KENDALL = "Kendall, Biometrika 1945, https://doi.org/10.1093/biomet/33.3.239"
SPEARMAN = "Spearman, American Journal of Psychology 1904, https://doi.org/10.2307/1412159"

ELSEWHERE["roc_auc auroc"] = "AUC"

QUESTION = "How well does the whole order agree with the judgments, over all documents of the collection?"


def without_last(D: float, count: Floats | Ints) -> tuple[Floats, Floats]:
    """C(D, 2) - C(D - n, 2) and (D^3 - D) - ((D - n)^3 - (D - n)), each in one product."""
    n = count.astype(np.float64)
    return n * (2 * D - n - 1) / 2, n * (3 * D * (D - n) + n**2 - 1)


@measure(source=f"{HANLEY}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.1")
def AUC(lists: Lists, D: CollectionSize = 20000, rel: MinRel = 1) -> Floats:
    """Area under the ROC curve: the chance that a relevant document stands above an irrelevant one.

    (pairs in the right order + 1/2 tied pairs) / (R (D - R))

    Tied are the pairs of which the list holds neither document. Documents of the list are never tied: where
    scores are equal, the order of the list decides, as in every other measure. Nil query, or nothing
    irrelevant: 1/2. Empty list: 1/2.
    """
    gains = binary(lists, rel)
    R = gains.R
    irrelevant = float(lists.collection(D)) - R
    passed = lists.rank - count(lists, gains)
    hits = lists.sum(gains.hits)
    right = lists.sum(gains.hits * (irrelevant[lists.row] - passed))
    tied = (lists.spread(R) - hits) * (lists.spread(irrelevant) - (lists.n - hits))
    return over(right + tied / 2, lists.spread(R * irrelevant), otherwise=0.5)


@measure(source=f"{KENDALL}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.1", range=(-1, 1), reads=("end",))
def KendallTau(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Kendall's tau-b between list and judgments over the collection.

    (concordant - discordant) / sqrt((pairs - tied in the list) (pairs - tied in the judgments))

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    hit = standing(lists)
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
    lost = (lists.n - hits) * lists.spread(binary(lists).R) - passed
    ordered, _ = without_last(float(D), lists.n)
    grades = grade_groups(lists.judgments)
    size = grades.size.astype(np.float64)
    in_judgments = without_last(float(D), grades.R)[0] - grades.sum(size * (size - 1) / 2)
    return over(won - lost, np.sqrt(ordered) * np.sqrt(lists.spread(in_judgments)))


@measure(source=f"{SPEARMAN}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.1", range=(-1, 1), reads=("end",))
def Spearman(lists: Lists, D: CollectionSize = 20000) -> Floats:
    """Spearman's rho between list and judgments over the collection, tied documents sharing their mean rank.

    cov(rank in the list, rank in the judgments) / (their standard deviations)

    Where one of the two ranks nothing (empty list, nil query): 0.
    """
    size, grades = float(lists.collection(D)), grade_groups(lists.judgments)

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
    return over(12 * covariance, np.sqrt(in_list) * np.sqrt(lists.spread(in_judgments)))
