"""Reading cost: a reader pays for each document, in seconds, characters, tokens or money.

A run's costs (a `cost` column) say what each document costs; without them all cost the same. The reader of
C/W/L goes on from rank i with probability C_i. The end of the list is where everybody leaves: what would
stand behind it is neither found nor paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError, ParameterTypeError, shown
from ir_trunc.measures.declaration import lookup, measure, parse
from ir_trunc.measures.definition import BoundMeasure
from ir_trunc.measures.lists import EveryDocument, Lists
from ir_trunc.measures.params import Choice, Kind, MaxRel, Number, OnlyRel, Persistence
from ir_trunc.measures.parts import effort, linear_or_binary, over, undiscounted

SMUCKER = "Smucker & Clarke, SIGIR 2012, https://doi.org/10.1145/2348283.2348300"
SAKAI_DOU = "Sakai & Dou, SIGIR 2013, https://doi.org/10.1145/2484028.2484031"
MENG = "Meng, Arabzadeh, Askari, Aliannejadi & de Rijke, SIGIR 2024, https://doi.org/10.1145/3626772.3657864"
CWL = "Azzopardi, Thomas & Moffat, SIGIR 2019, https://doi.org/10.1145/3331184.3331353"

QUESTION = "What does a reader find who has little time or may stop early, and is that worth the cost?"

Cost = Annotated[float, Number("cost of reading one document; a run's own costs take its place", 0)]
HalfLife = Annotated[float, Number("cost at which half of the readers have left", 0, inside=True)]
Patience = Annotated[float, Number("cost at which the last reader leaves", 0, inside=True)]
Falling = Annotated[float, Number("how fast efficiency falls with the cost", high=0)]
Weight = Annotated[float, Number("weight of efficiency against effectiveness; 0 leaves efficiency out", 0)]
WantedGain = Annotated[float, Number("gain that the reader wants in all", 0.5)]
Model = Annotated[
    Literal["rbp", "inst", "ift"], Choice("how the reader goes on: by a persistence, by INST, or by foraging")
]
Rate = Annotated[float, Number("gain for its cost that the reader of 'ift' expects", 0)]
Intercept = Annotated[float, Number("how soon the reader of 'ift' leaves at the target, or at the rate", 0)]
Rationality = Annotated[float, Number("how strictly the reader of 'ift' keeps to target or rate", 0)]

_NOTHING_PAID = 1e300  # the rate where nothing is paid: above any expectation


# a reader whose time is limited


@measure(source=SMUCKER, range=(0, np.inf))
def TBG(
    lists: Lists, half_life: HalfLife = 224.0, cost: Cost = 1.0, rel: OnlyRel = None, max_rel: MaxRel = None
) -> Floats:
    """Time-biased gain: what a reader gains whose number falls by half with every half-life.

    sum_i g_i 2^(-T_i / half_life), T_i the cost of all documents above rank i

    With costs in seconds the half-life of the paper is 224. Gains are linear, or binary with rel; the paper's
    gain of a relevant document is .4928, the probability that it is clicked and saved. Empty list: 0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    documents = EveryDocument(lists)
    before = documents.above(documents.costs(cost), np.add.accumulate, first=0.0)[documents.at_hits]
    return lists.sum(gains.hits * np.exp2(-before / half_life))


@measure(source=SAKAI_DOU, range=(0, np.inf))
def UMeasure(
    lists: Lists, L: Patience = 132000.0, cost: Cost = 1.0, rel: OnlyRel = None, max_rel: MaxRel = None
) -> Floats:
    """U-measure: gain that is worth less the more text was read, and nothing behind L characters.

    sum_i g_i max(0, 1 - T_i / L), T_i the cost of all documents down to and with rank i

    With costs in characters L is 132,000 in the paper, about half an hour. Gains are linear, or binary with
    rel, and not normalised. Empty list: 0.
    """
    gains = linear_or_binary(lists, rel, max_rel)
    documents = EveryDocument(lists)
    with_it = documents.running(documents.costs(cost))[documents.at_hits]
    return lists.sum(gains.hits * np.maximum(0.0, 1 - with_it / L))


# any measure, and what the list costs


class Named(Kind):
    """Another measure, by its text."""

    allowed = "a measure of single lists, without judged_only, whose values are at most 1, as 'nDCG@10'"

    def clean(self, name: str, value: Any) -> str:
        """The measure's text; ParameterError for any other measure."""
        if not isinstance(value, str) and not hasattr(value, "NAME"):
            raise ParameterTypeError(f"{name}={shown(value)}: {self.allowed} is needed.")
        text = str(value)
        try:
            bound = bound_of(text)
        except ValueError as error:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed. {error}") from None
        if bound.definition.scope != "list" or bound.range[1] > 1 or bound.judged_only:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        return text.strip()


def bound_of(text: str) -> BoundMeasure:
    """The measure of the registry that a text names."""
    name, params, at = parse(text)
    definition = lookup(name)
    return definition.bind(params if at is None else params | {definition.at: at})


Of = Annotated[str, Named("measure of what the list is worth")]


@measure(source=MENG, reads=("end",), ties="orders")
def EET(
    lists: Lists, of: Of = "nDCG@10", alpha: Falling = -0.001, beta: Weight = 1.0, cost: Cost = 1.0
) -> Floats:
    """Efficiency-effectiveness tradeoff: any measure, weighed against what the whole list costs.

    (1 + beta^2) E Q / (beta^2 Q + E), E = exp(alpha T_n), Q = max(0, the measure `of`)

    T_n is the cost of all documents: n where each costs 1, as for the re-ranking depth of the paper, whose Q
    is the gain over the list that was not re-ranked. Empty list: the measure's own value of it, weighed
    against an efficiency of 1.
    """
    inner = bound_of(of)
    depths = [k for k in (lists.k, inner.cutoff) if k is not None]
    view, at = lists.to_depth(min(depths, default=None))
    worth = np.maximum(0.0, inner.of(view)[at])
    efficiency = np.exp(alpha * effort(lists, undiscounted(lists), cost))
    return over((1 + beta * beta) * efficiency * worth, beta * beta * worth + efficiency)


# C/W/L: a reader who may leave at any document, and leaves at the list's end


@dataclass(eq=False, repr=False)
class UserModel:
    """A model of how a user reads a list, and the cost and gain of documents to this user."""

    reader: Model = "rbp"
    p: Persistence = 0.8
    T: WantedGain = 1.0
    A: Rate = 0.2
    b1: Intercept = 0.9
    R1: Rationality = 1.0
    b2: Intercept = 0.9
    R2: Rationality = 1.0
    cost: Cost = 1.0
    rel: OnlyRel = None
    max_rel: MaxRel = None

    def expected(self, lists: Lists, quantity: Literal["gain", "cost"]) -> tuple[Floats, Floats]:
        """The expected gain or cost of all documents that this user reads, and the number of these."""
        documents = EveryDocument(lists)
        gain = documents.of_hits(linear_or_binary(lists, self.rel, self.max_rel).hits)
        cost = documents.costs(self.cost)
        going_on = {"rbp": self.rbp, "inst": self.inst, "ift": self.ift}[self.reader](documents, gain, cost)
        seen = documents.above(going_on, np.multiply.accumulate, first=1.0)
        return documents.sum(seen * (gain if quantity == "gain" else cost)), documents.sum(seen)

    # C_i: the probability of going on behind rank i

    def rbp(self, documents: EveryDocument, gain: Floats, cost: Floats) -> Floats:
        """Moffat & Zobel, TOIS 2008."""
        return np.full(len(gain), self.p)

    def inst(self, documents: EveryDocument, gain: Floats, cost: Floats) -> Floats:
        """Moffat, Bailey, Scholer & Thomas, ADCS 2015."""
        goal: Floats = documents.rank + 2 * self.T - documents.running(gain)
        return ((goal - 1) / goal) ** 2

    def ift(self, documents: EveryDocument, gain: Floats, cost: Floats) -> Floats:
        """Azzopardi, Thomas & Craswell, SIGIR 2018."""
        gained, paid = documents.running(gain), documents.running(cost)
        rate = over(gained, paid, otherwise=_NOTHING_PAID)
        goal = 1 - 1 / (1 + self.b1 * np.exp((self.T - gained) * self.R1))
        content: Floats = 1 / (1 + self.b2 * np.exp((self.A - rate) * self.R2))
        return goal * content


@measure(source=CWL, reads=("end",), ties="orders")
def EU(lists: Lists, user: UserModel) -> Floats:
    """Expected utility: the gain of each document that is read (C/W/L), by a reader who leaves at the end.

    sum_i V_i g_i / sum_i V_i, V_i = prod_{j < i} C_j, i to n

    reader='rbp': C_i = p. 'inst': C_i = ((i + 2 T - G_i - 1) / (i + 2 T - G_i))^2. 'ift': C_i = (1 - 1 / (1 +
    b1 exp((T - G_i) R1))) / (1 + b2 exp((A - G_i / K_i) R2)). G_i and K_i are the gain and the cost down to
    and with rank i. Gains are linear, or binary with rel. On a list that does not end early it is what
    cwl_eval calls EU. Empty list: 0.
    """
    return over(*user.expected(lists, "gain"))


@measure(source=CWL, range=(0, np.inf), ties="orders")
def ETU(lists: Lists, user: UserModel) -> Floats:
    """Expected total utility: the gain of all documents that are read (C/W/L).

    sum_i V_i g_i, V_i as in EU

    Empty list: 0.
    """
    return user.expected(lists, "gain")[0]


@measure(source=CWL, range=(0, np.inf), lower_is_better=True, ties="orders")
def EC(lists: Lists, user: UserModel) -> Floats:
    """Expected cost: what each document costs that is read (C/W/L).

    sum_i V_i k_i / sum_i V_i, V_i as in EU, k_i the cost

    It describes the reader, beside EU; low is not good by itself. Empty list: 0.
    """
    return over(*user.expected(lists, "cost"))


@measure(source=CWL, range=(0, np.inf), lower_is_better=True, reads=("end",), ties="orders")
def ETC(lists: Lists, user: UserModel) -> Floats:
    """Expected total cost: what all documents cost that are read (C/W/L); with cost=1, how many they are.

    sum_i V_i k_i, V_i as in EU, k_i the cost

    It describes the reader, beside ETU; low is not good by itself. Empty list: 0.
    """
    return user.expected(lists, "cost")[0]
