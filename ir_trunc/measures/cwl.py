"""C/W/L: a reader who may leave at any document, and leaves at the list's end.

The reader goes on from rank i with probability C_i. The end of the list is where everybody leaves: what would
stand behind it is neither found nor paid for. A run's costs (a `cost` column) say what each document costs;
without them all cost the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import EveryDocument, Lists
from ir_trunc.measures.params import Choice, MaxRel, Number, OnlyRel, Persistence
from ir_trunc.measures.parts import linear_or_binary, over
from ir_trunc.measures.reading_cost import Cost

CWL = "Azzopardi, Thomas & Moffat, SIGIR 2019, https://doi.org/10.1145/3331184.3331353"

QUESTION = "What does a reader gain and pay, who leaves no later than the end of the list?"

WantedGain = Annotated[float, Number("gain that the reader wants in all", 0.5)]
Model = Annotated[
    Literal["rbp", "inst", "ift"], Choice("how the reader goes on: by a persistence, by INST, or by foraging")
]
Rate = Annotated[float, Number("gain for its cost that the reader of 'ift' expects", 0)]
Intercept = Annotated[float, Number("how soon the reader of 'ift' leaves at the target, or at the rate", 0)]
Rationality = Annotated[float, Number("how strictly the reader of 'ift' keeps to target or rate", 0)]

_NOTHING_PAID = 1e300  # the rate where nothing is paid: above any expectation


@dataclass(frozen=True)
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
