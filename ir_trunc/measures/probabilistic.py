"""Readers who stop by chance: ERR, rank-biased precision, and what of it nobody has judged."""

from __future__ import annotations

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError
from ir_trunc.measures.classical import WEBBER, dcg, normalised
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MaxRel, OnlyRel, Persistence
from ir_trunc.measures.parts import cascade, exponential, geometric, linear_or_binary, reciprocal

MOFFAT = "Moffat & Zobel, TOIS 2008, https://doi.org/10.1145/1416950.1416952"
CHAPELLE = "Chapelle, Metlzer, Zhang & Grinspan, CIKM 2009, https://doi.org/10.1145/1645953.1646033"

QUESTION = "What does a reader find who may stop at any document?"

GDEVAL_TOP_GRADE = 4  # ir-measures answers ERR by gdeval, whose judgement scale is fixed


@measure(
    source=f"{CHAPELLE}; not the ERR of Amigó et al. 2022, section 4.1, which is ERRU(e=0)", takes_nil=True
)
def ERR(lists: Lists) -> Floats:
    """Expected reciprocal rank, as ir-measures has it.

    sum_i (1/i) g_i prod_{j < i} (1 - g_j), g = (2^x - 1) / 2^4

    The judgement scale ends at 4, as in gdeval. ERRU(e=0) has the scale of the qrels, as Amigó et al. (2022)
    have it: with binary judgments, a list of one relevant document scores 1/16 by ERR and 1/2 by ERRU(e=0).
    Empty list: 0.
    """
    highest = lists.judgments.max_rel
    if highest > GDEVAL_TOP_GRADE:
        raise ParameterError(
            f"ERR's judgement scale ends at 4, but the qrels hold grade {highest}: use ERRU(e=0)."
        )
    return lists.sum(cascade(lists, exponential(lists, GDEVAL_TOP_GRADE)) * reciprocal(lists)[lists.rank])


@measure(
    source=f"{MOFFAT}; Webber, Moffat & Zobel, EVIA 2010, eq. 6",
    takes_nil=True,
    scale_free=lambda rel, **_: rel is not None,  # `max_rel` would be no parameter of it in ir-measures
)
def RBP(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None) -> Floats:
    """Rank-biased precision.

    (1 - p) sum_i g_i p^(i-1)

    Gains are linear (x / highest grade in the qrels), or binary with rel. Empty list: 0.
    """
    gains = linear_or_binary(lists, rel)
    return dcg(lists, gains, geometric(lists, p))


@measure(source=f"{WEBBER}, section 3.1", takes_nil=True)
def nRBP(lists: Lists, p: Persistence = 0.8, rel: OnlyRel = None, max_rel: MaxRel = None) -> Floats:
    """Rank-biased precision over that of the ideal list, cut at k.

    RBP@k(list) / RBP@k(ideal)

    Gains are linear, or binary with rel. Empty list, nil query: 0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    return normalised(lists, gains, geometric(lists, p), lists.k)


@measure(source=f"{MOFFAT}; Webber, Moffat & Zobel, EVIA 2010, section 3.1", reads=("end",), ties="grades")
def RBPRes(lists: Lists, p: Persistence = 0.8) -> Floats:
    """Residual of rank-biased precision: the weight of all that nobody has judged.

    (1 - p) sum over unjudged ranks of p^(i-1), + p^n

    A negative grade is unjudged, as in trec_eval. Empty list: 1.
    """
    return 1 - lists.sum((lists.raw_grade >= 0) * geometric(lists, p)[lists.rank])
