"""Screening: a reviewer reads to the list's end and wants all that is relevant (technology-assisted review).

The list's end is the stopping point. D is the number of documents that the topic's search found, all of which
would have to be read without the system; judgments for this task usually name each of them. A list with a
document that is not judged shows that they do not, and D has to be given. D='tool' is the rule of CLEF's
script: the judged documents, or those of the list where these are more; costs count the judged ones alone.
Recall at the end is `SetR`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.arrays import Bools, Floats
from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.parameters import number
from ir_trunc.measures.classical import SetR
from ir_trunc.measures.declaration import ELSEWHERE, measure
from ir_trunc.measures.definition import Range
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import QRELS, TOOL, Choice, Documents, Kind, MinRel, Number, Size
from ir_trunc.measures.parts import Gains, binary, collection_sizes, count, effort, over, undiscounted

COHEN = "Cohen, Hersh, Peterson & Yen, JAMIA 2006, https://doi.org/10.1197/jamia.M1929"
KUSA = (
    "Kusa, Lipani, Knoth & Hanbury, Intelligent Systems with Applications 2023,"
    " https://doi.org/10.1016/j.iswa.2023.200193"
)
CORMACK = "Cormack & Grossman, SIGIR 2016, https://doi.org/10.1145/2911451.2911510"
CLEF = "Kanoulas, Li, Azzopardi & Spijker, CLEF 2017, https://ceur-ws.org/Vol-1866/invited_paper_12.pdf"

ELSEWHERE |= {"loss_er": "1 - OneMinusLossER", "wss_95": "WSS@95", "wss_100": "WSS@100"}

QUESTION = "How much reading did the end of the list save, and how many relevant documents did it leave out?"


class RecallLevel(Kind):
    """A recall to be reached: a share, or, above 1, a percentage."""

    allowed = "a share > 0 and <= 1, or a percentage > 1 and <= 100 (0.95 and 95 are the same)"

    def clean(self, name: str, value: Any) -> float:
        """The recall as a share; ParameterError where it is not allowed."""
        try:
            recall = number(name, value, math.ulp(0), 100)
        except ParameterError as error:
            raise type(error)(f"{name}={shown(value)}: {self.allowed} is needed.") from None
        return recall if recall <= 1 else recall / 100


TargetRecall = Annotated[float, RecallLevel("recall to be reached, written @r")]
OptionalRecall = Annotated[
    "float | None", RecallLevel("recall to be reached, written @r; by default the list's end")
]
ReadingPrice = Annotated[
    float, Number("cost of a document that is read; a run's own costs take its place", 0)
]
Unread = Annotated[
    float, Number("cost of a document that has to be read later, since relevant ones are missing", 0)
]
Penalty = Annotated[
    Literal["none", "uniform", "weighted"], Choice("what is paid for missing relevant documents")
]


def to_0(D: Size, **others: object) -> Range:
    """At most 0 unless a list may be longer than D, which gives documents back."""
    return (-math.inf, math.inf if D == TOOL else 0)


def share_read(lists: Lists, D: Size) -> Floats:
    """n / D; 0 where there is no document at all."""
    return over(lists.n.astype(np.float64), collection_sizes(lists, D))


def reached(lists: Lists, gains: Gains, r: float) -> tuple[Floats, Floats, Bools]:
    """Relevant documents that a recall takes, the rank of the last of them, whether the list holds them."""
    needed = np.round(r * gains.R)  # half to even, as the tool of CLEF TAR does
    at = gains.relevant & (count(lists, gains) == needed[lists.row])
    wanted = lists.spread(needed)
    return wanted, lists.sum(lists.rank * at), lists.sum(gains.hits) >= wanted


# At a given recall the rank where it is reached counts, and not the end of the list.
@measure(source=COHEN, range=(-1, 1), cutoff="none", at="r", reads=lambda r, **_: () if r else ("end",))
def WSS(lists: Lists, r: OptionalRecall = None, D: Documents = QRELS, rel: MinRel = 1) -> Floats:
    """Work saved over sampling: the reading saved at a recall, less what a random sample would save.

    recall - n / D; with r: (D - n_r) / D - (1 - r), n_r the rank at which recall r is reached, 0 if it is not

    WSS@0.95 and WSS@95 are the same. n_r is the rank of relevant document number round(r R), half to even, as
    in the tool of CLEF TAR. Empty list: 0. Nil query: -n / D, and r with r.
    """
    if r is None:
        return np.asarray(SetR(lists, rel) - share_read(lists, D))
    _, rank, there = reached(lists, binary(lists, rel), r)
    return np.where(there, r - over(rank, collection_sizes(lists, D)), 0.0)


@measure(source=KUSA, cutoff="none", at="r")
def TNR(lists: Lists, r: TargetRecall = 0.95, D: Documents = QRELS, rel: MinRel = 1) -> Floats:
    """True negative rate at a recall: the share of irrelevant documents that need not be read to reach it.

    (D - R - irrelevant documents above rank n_r) / (D - R), n_r as in WSS; 0 where recall r is not reached

    It is WSS@r mapped to [0, 1], and comparable between topics. Nothing irrelevant: 1. Empty list: 0, and 1
    for a nil query.
    """
    gains = binary(lists, rel)
    needed, rank, there = reached(lists, gains, r)
    read = lists.n - lists.sum(gains.hits)
    irrelevant = np.maximum(collection_sizes(lists, D) - lists.spread(gains.R), read)
    return np.where(there, over(irrelevant - (rank - needed), irrelevant, otherwise=1.0), 0.0)


@measure(source=CORMACK, cutoff="none", at="r")
def Reliability(lists: Lists, r: TargetRecall = 0.95, rel: MinRel = 1) -> Floats:
    """Reliability: whether the list ends with the recall that was promised; the mean is the share of topics.

    1 if sum_i r_i / R >= r, else 0

    Empty list: 0. Nil query: 1.
    """
    gains = binary(lists, rel)
    recall = over(lists.sum(gains.hits), lists.spread(gains.R), otherwise=1.0)
    return (recall >= r).astype(np.float64)


@measure(source=CLEF, range=(0, np.inf), cutoff="none", lower_is_better=True)
def LastRel(lists: Lists, rel: MinRel = 1) -> Floats:
    """Rank of the last relevant document that the list holds.

    max {i : r_i = 1}; 0 where there is none

    A count to be read beside the recall: low is good only where all that is relevant was found. Empty list:
    0.
    """
    gains = binary(lists, rel)
    previous = lists.above(np.where(gains.relevant, lists.rank, 0), np.maximum.accumulate, first=0.0)
    return lists.sum(np.where(gains.relevant, lists.rank - previous, 0.0))


@measure(source=CORMACK, range=(-1, 1), cutoff="none", reads=("end",))
def OneMinusLossER(lists: Lists, D: Documents = QRELS, rel: MinRel = 1) -> Floats:
    """One minus loss_er: effort and missing recall, each squared, so that higher is better.

    1 - ((1 - recall)^2 + (100 / D)^2 (n / (R + 100))^2)

    The sum is the loss_er of CLEF TAR. Empty list: 0. Nil query: recall is 0.
    """
    lost = 1 - SetR(lists, rel)
    effort = 100 * share_read(lists, D) / (lists.spread(binary(lists, rel).R) + 100)
    return 1 - (lost**2 + effort**2)


@measure(source=CLEF, range=to_0, cutoff="none", reads=("end",))
def NegTotalCost(
    lists: Lists,
    price: ReadingPrice = 1.0,
    penalty: Penalty = "none",
    unread: Unread = 2.0,
    D: Documents = QRELS,
    rel: MinRel = 1,
) -> Floats:
    """Minus the total cost: of what is read, and of what is read later to find missing documents.

    -(price n + penalty)
    penalty: 0; uniform: unread (D - n) (R - f) / R; weighted: sum_{i=1}^{R-f-1} unread (D - n) / 2^i

    f is the number of relevant documents found. Minus total_cost, total_cost_uniform and total_cost_weighted
    of CLEF TAR, with price=1, or price=3 where the system asks for feedback on each document. A run's costs
    take the place of the price. With D='tool' the penalty of a list that is longer than D is below 0, as in
    CLEF's script. Empty list: minus the penalty, 0 for a nil query.
    """
    cost = effort(lists, undiscounted(lists), price)
    if penalty == "none":
        return -cost
    gains = binary(lists, rel)
    R = lists.spread(gains.R)
    missing = R - lists.sum(gains.hits)
    judged = lists.spread(np.diff(lists.judgments.offsets).astype(np.float64))
    left = unread * ((judged if D == TOOL else collection_sizes(lists, D)) - lists.n)
    if penalty == "uniform":
        return -(cost + left * over(missing, R))
    halves: Floats = np.ldexp(1.0, -np.maximum(missing - 1, 0).astype(np.int64))
    return -(cost + left * (1 - halves))


@measure(source=CLEF, cutoff="none")
def NormArea(lists: Lists, D: Documents = QRELS, rel: MinRel = 1) -> Floats:
    """Area under the curve of relevant documents found against documents read, over that of the best order.

    sum over relevant ranks i <= D of (D - i + 1/2), over R D - R^2 / 2

    What the list leaves out is never found. Empty list, nil query: 0.
    """
    gains = binary(lists, rel)
    size, R = collection_sizes(lists, D), lists.spread(gains.R)
    area = lists.sum(gains.hits) * (size + 0.5) - lists.sum(gains.hits * lists.rank)
    return over(area, R * size - R**2 / 2)
