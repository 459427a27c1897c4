"""Classical measures: those of ir-measures, and the depth family of Webber, Moffat & Zobel (2010).

A name that ir-measures has too means here what it means there.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError
from ir_trunc.measures import parts
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Choice, GradeGains, MaxRel, MinRel, Number, OnlyRel, Persistence
from ir_trunc.measures.parts import Gains

AMIGO_2022 = "Amigó, Mizzaro & Spina, SIGIR 2022"
EVIA = "Webber, Moffat & Zobel, EVIA 2010"
WEBBER = f"{EVIA}, http://research.nii.ac.jp/ntcir/workshop/OnlineProceedings8/EVIA/03-EVIA2010-WebberW.pdf"
JARVELIN = "Järvelin & Kekäläinen, TOIS 2002, https://doi.org/10.1145/582415.582418"
BUCKLEY = "Buckley & Voorhees, SIGIR 2004, https://doi.org/10.1145/1008992.1009000"
RIJSBERGEN = "van Rijsbergen, Information Retrieval, 1979, http://www.dcs.gla.ac.uk/Keith/Preface.html"
HARMAN = "Harman, TREC-1, 1992, https://trec.nist.gov/pubs/trec1/t1_proceedings.html"
DAVIS = "Davis & Goadrich, ICML 2006, https://doi.org/10.1145/1143844.1143874"
KANTOR = "Kantor & Voorhees, Information Retrieval 2000, https://doi.org/10.1023/A:1009902609570"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"
MOFFAT = "Moffat & Zobel, TOIS 2008, https://doi.org/10.1145/1416950.1416952"
CHAPELLE = "Chapelle, Metlzer, Zhang & Grinspan, CIKM 2009, https://doi.org/10.1145/1645953.1646033"

QUESTION = "What is found, and how high? The length counts only in SetP, SetF and RBPRes."

Discount = Annotated[
    Literal["log2", "jk"], Choice("discount: log2(i + 1), or log2(max(2, i)) as in the original")
]
DCGForm = Annotated[
    Literal["log2", "exp-log2"],
    Choice(
        "gains: the grade, or 2^grade - 1; discount log2(i + 1)",
        elsewhere=(("jk", " anDCG@k is nDCG@k with the discount of 2002, log2(max(2, i))."),),
    ),
]
RecallWeight = Annotated[
    float, Number("weight of recall against precision, as trec_eval's set_F takes it", 0)
]

GDEVAL_TOP_GRADE = 4  # ir-measures answers ERR by gdeval, whose judgement scale is fixed

classical = partial(measure, takes_nil=True)


# counting relevant documents


@classical(source=f"{RIJSBERGEN}; {EVIA}, eq. 1", cutoff="required", aliases=("Precision",))
def P(lists: Lists, rel: MinRel = 1) -> Floats:
    """Precision at k.

    sum_{i <= k} r_i / k

    A list shorter than k is as good as one filled up with irrelevant documents. Empty list: 0.
    """
    return lists.sum(parts.binary(lists, rel).hits) / float(lists.k or 1)


@classical(source=f"{RIJSBERGEN}; {EVIA}, eq. 2", cutoff="required", aliases=("Recall",))
def R(lists: Lists, rel: MinRel = 1) -> Floats:
    """Recall at k.

    sum_{i <= k} r_i / R

    Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    return parts.over(lists.sum(gains.hits), lists.spread(gains.R))


@classical(source=TREC_EVAL, cutoff="required")
def Success(lists: Lists, rel: MinRel = 1) -> Floats:
    """Whether there is a relevant document in the first k.

    1 if sum_{i <= k} r_i > 0, else 0

    Empty list: 0.
    """
    return (lists.sum(parts.binary(lists, rel).hits) > 0).astype(np.float64)


@classical(source=RIJSBERGEN, cutoff="none", reads=("end",))
def SetP(lists: Lists, rel: MinRel = 1) -> Floats:
    """Precision of the whole list.

    sum_i r_i / n

    Empty list: 0.
    """
    return parts.over(lists.sum(parts.binary(lists, rel).hits), lists.n)


@classical(source=RIJSBERGEN, cutoff="none")
def SetR(lists: Lists, rel: MinRel = 1) -> Floats:
    """Recall of the whole list.

    sum_i r_i / R

    Empty list, nil query: 0.
    """
    return R(lists, rel)


@classical(source=RIJSBERGEN, cutoff="none", reads=("end",))
def SetF(lists: Lists, rel: MinRel = 1, beta: RecallWeight = 1.0) -> Floats:
    """F-measure of the whole list.

    (1 + beta) SetP SetR / (SetR + beta SetP) = (1 + beta) (sum_i r_i) / (n + beta R)

    Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    return parts.over((1 + beta) * lists.sum(gains.hits), lists.n + beta * lists.spread(gains.R))


@classical(source=TREC_EVAL, cutoff="none", aliases=("RPrec",))
def Rprec(lists: Lists, rel: MinRel = 1) -> Floats:
    """Precision at rank R.

    sum_{i <= R} r_i / R

    Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    return parts.over(lists.sum(gains.hits * (lists.rank <= gains.rank_of_last)), lists.spread(gains.R))


@classical(source=BUCKLEY, cutoff="none", aliases=("BPref",), ties="grades")
def Bpref(lists: Lists, rel: MinRel = 1) -> Floats:
    """Binary preference: how rarely a judged irrelevant document stands above a relevant one.

    1/R sum over the relevant retrieved of 1 - min(N_above, R) / min(R, N)

    N: judged irrelevant documents of the topic (grade at least 0), N_above: those retrieved above the
    relevant one. Unjudged documents do not count, nor do negative grades, as in trec_eval. Empty list, nil
    query: 0.
    """
    gains, judgments = parts.binary(lists, rel), lists.judgments
    irrelevant = (judgments.grades >= 0) & (judgments.grades < rel)
    N = np.bincount(judgments.rows[irrelevant], minlength=len(lists.lengths))
    N_above = lists.running((lists.raw_grade >= 0) & (lists.raw_grade < rel))
    lost = parts.over(np.minimum(N_above, gains.rank_of_last), np.minimum(gains.R, N)[lists.row])
    return parts.over(lists.sum(gains.hits * (1 - lost)), lists.spread(gains.R))


# average precision, reciprocal rank


@classical(source=f"{HARMAN}; {EVIA}, eq. 3", aliases=("MAP",))
def AP(lists: Lists, rel: MinRel = 1) -> Floats:
    """Average precision.

    1/R sum_i r_i (r_1 + ... + r_i) / i

    Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    return parts.over(lists.sum(parts.precision_at_relevant(lists, gains)), lists.spread(gains.R))


@classical(source=f"{DAVIS}; {AMIGO_2022}, section 3.1, footnote 3")
def AUPRC(lists: Lists, rel: MinRel = 1) -> Floats:
    """Area under the precision-recall curve, by the trapezoidal rule.

    1/R sum_i r_i (P@i + P@(i-1)) / 2, P@0 = 1

    The area ends at the recall that the list reaches. AP is the area by rectangles, r_i P@i. Of a list that
    holds all relevant documents it is `auc(recall, precision)` in scikit-learn. Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    above = parts.over(parts.count(lists, gains) - 1, lists.rank - 1, otherwise=1.0)
    area = (parts.precision_at_relevant(lists, gains) + gains.hits * above) / 2
    return parts.over(lists.sum(area), lists.spread(gains.R))


@classical(source=f"{WEBBER}, eq. 4")
def aAP(lists: Lists, rel: MinRel = 1) -> Floats:
    """Average precision whose divisor is abbreviated to the cutoff.

    1/min(k, R) sum_{i <= k} r_i (r_1 + ... + r_i) / i

    Empty list, nil query: 0.
    """
    gains = parts.binary(lists, rel)
    reach = gains.R if lists.k is None else np.minimum(gains.R, lists.k)
    return parts.over(lists.sum(parts.precision_at_relevant(lists, gains)), lists.spread(reach))


@classical(source=KANTOR, aliases=("MRR",))
def RR(lists: Lists, rel: MinRel = 1) -> Floats:
    """Reciprocal rank.

    1 / (rank of the first relevant document)

    Empty list, nil query, none found: 0.
    """
    return lists.sum(parts.first_relevant(lists, parts.binary(lists, rel)) / lists.rank)


# discounted cumulative gain


def dcg(lists: Lists, gains: Gains, weight: Floats) -> Floats:
    """sum_i g_i weight_i."""
    return lists.sum(gains.hits * weight[lists.rank])


def normalised(lists: Lists, gains: Gains, weight: Floats, depth: int | None) -> Floats:
    """Discounted gain over that of the ideal list, cut at a depth or never."""
    return parts.over(dcg(lists, gains, weight), gains.ideal(weight).at_points(depth))


@classical(source=JARVELIN, aliases=("NDCG", "MSnDCG"))
def nDCG(lists: Lists, dcg: DCGForm = "log2", gains: GradeGains = None) -> Floats:
    """Normalised discounted cumulative gain.

    DCG@k(list) / DCG@k(ideal), DCG@k = sum_{i <= k} g_i / log2(i + 1)

    Empty list, nil query: 0.
    """
    worth = parts.mapped(lists, gains) if dcg == "log2" else parts.powers_of_two(lists, gains)
    return normalised(lists, worth, parts.log2_discount(lists), lists.k)


@classical(
    source="Järvelin & Kekäläinen, SIGIR 2000, https://doi.org/10.1145/345508.345545; Sakai, NTCIR-4, 2004,"
    " section 2.2",
    range=(0, np.inf),
)
def CG(lists: Lists, gains: GradeGains = None) -> Floats:
    """Cumulative gain.

    sum_i g_i

    Gains are the grades, or those of the map. Empty list: 0.
    """
    return lists.sum(parts.mapped(lists, gains).units)


@classical(source=f"{JARVELIN}; {EVIA}, eq. 5, which prints min(2, i) for max(2, i)", range=(0, np.inf))
def DCG(lists: Lists, dcg: Discount = "log2") -> Floats:
    """Discounted cumulative gain.

    sum_i g_i / log2(i + 1), or g_i / log2(max(2, i)) with dcg='jk'

    Empty list: 0.
    """
    return lists.sum(parts.graded(lists).hits * parts.discount(lists, dcg)[lists.rank])


@classical(source=f"{WEBBER}, section 3.1 (abbreviated: section 4.2)")
def anDCG(lists: Lists, dcg: Discount = "jk") -> Floats:
    """Discounted cumulative gain over that of the ideal list, cut at k (abbreviated).

    DCG@k(list) / DCG@k(ideal)

    Empty list, nil query: 0.
    """
    return normalised(lists, parts.graded(lists), parts.discount(lists, dcg), lists.k)


@classical(source=f"{WEBBER}, section 3.1 (expanded)")
def enDCG(lists: Lists, dcg: Discount = "jk") -> Floats:
    """Discounted cumulative gain over that of the whole ideal list (expanded).

    DCG@k(list) / DCG(ideal)

    Empty list, nil query: 0.
    """
    return normalised(lists, parts.graded(lists), parts.discount(lists, dcg), None)


# readers who stop by chance


@classical(source=f"{CHAPELLE}; not the ERR of Amigó et al. 2022, section 4.1, which is ERRU(e=0)")
def ERR(lists: Lists) -> Floats:
    """Expected reciprocal rank, as ir-measures has it.

    sum_i (1/i) g_i prod_{j < i} (1 - g_j), g = (2^x - 1) / 2^4

    The judgement scale ends at 4, as in gdeval. ERRU(e=0) has the scale of the qrels, as Amigó et al. (2022)
    have it: with binary judgments, a list of one relevant document scores 1/16 by ERR and 1/2 by ERRU(e=0).
    Empty list: 0.
    """
    highest = lists.judgments.max_rel
    if highest > GDEVAL_TOP_GRADE:
        what = f"ERR's judgement scale ends at 4, but the qrels hold grade {highest}"
        raise ParameterError(f"{what}: use ERRU(e=0).")
    satisfied = parts.cascade(lists, parts.exponential(lists, GDEVAL_TOP_GRADE))
    return lists.sum(satisfied * parts.reciprocal(lists)[lists.rank])


@classical(
    source=f"{MOFFAT}; {EVIA}, eq. 6",
    scale_free=lambda rel, **_: rel is not None,  # `max_rel` would be no parameter of it in ir-measures
)
def RBP(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None) -> Floats:
    """Rank-biased precision.

    (1 - p) sum_i g_i p^(i-1)

    Gains are linear (x / highest grade in the qrels), or binary with rel. Empty list: 0.
    """
    return dcg(lists, parts.linear_or_binary(lists, rel), parts.geometric(lists, p))


@classical(source=f"{WEBBER}, section 3.1")
def nRBP(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None, max_rel: MaxRel = None) -> Floats:
    """Rank-biased precision over that of the ideal list, cut at k.

    RBP@k(list) / RBP@k(ideal)

    Gains are linear, or binary with rel. Empty list, nil query: 0.
    """
    return normalised(lists, parts.linear_or_binary(lists, rel, max_rel), parts.geometric(lists, p), lists.k)


@measure(source=f"{MOFFAT}; {EVIA}, section 3.1", reads=("end",), ties="grades")
def RBPRes(lists: Lists, p: Persistence = 0.8) -> Floats:
    """Residual of rank-biased precision: the weight of all that nobody has judged.

    (1 - p) sum over unjudged ranks of p^(i-1), + p^n

    A negative grade is unjudged, as in trec_eval. Empty list: 1.
    """
    return 1 - lists.sum((lists.raw_grade >= 0) * parts.geometric(lists, p)[lists.rank])
