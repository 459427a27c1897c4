"""Reading cost: a reader pays for each document, in seconds, characters, tokens or money.

A run's costs (a `cost` column) say what each document costs; without them all cost the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError, ParameterTypeError, shown
from ir_trunc.measures.declaration import lookup, measure, parse
from ir_trunc.measures.definition import BoundMeasure
from ir_trunc.measures.lists import EveryDocument, Lists
from ir_trunc.measures.params import MaxRel, Number, OnlyRel
from ir_trunc.measures.parts import effort, linear_or_binary, over, undiscounted

SMUCKER = "Smucker & Clarke, SIGIR 2012, https://doi.org/10.1145/2348283.2348300"
SAKAI_DOU = "Sakai & Dou, SIGIR 2013, https://doi.org/10.1145/2484028.2484031"
MENG = "Meng, Arabzadeh, Askari, Aliannejadi & de Rijke, SIGIR 2024, https://doi.org/10.1145/3626772.3657864"

QUESTION = "What does a reader find whose time is limited, and is it worth what reading costs?"

Cost = Annotated[float, Number("cost of reading one document; a run's own costs take its place", 0)]
HalfLife = Annotated[float, Number("cost at which half of the readers have left", 0, inside=True)]
Patience = Annotated[float, Number("cost at which the last reader leaves", 0, inside=True)]
Falling = Annotated[float, Number("how fast efficiency falls with the cost", high=0)]
Weight = Annotated[float, Number("weight of efficiency against effectiveness; 0 leaves efficiency out", 0)]


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


@dataclass(frozen=True)
class Named:
    """Another measure, by its text."""

    meaning: str
    allowed: str = "a measure of single lists, without judged_only, whose values are at most 1, as 'nDCG@10'"

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
