"""What formulas are composed of: gain scales, discounts by rank, the cascade, ratios."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_trunc._core.rankings import Floats, Ints
from ir_trunc.measures.every_document import EveryDocument
from ir_trunc.measures.gains import (
    Gains,
    binary,
    exponential,
    graded,
    linear,
    linear_or_binary,
    mapped,
    powers_of_two,
    scale_of,
    scaled,
    signed,
    top_grade,
)
from ir_trunc.measures.lists import (
    Lists,
    discount,
    geometric,
    jk_discount,
    log2_discount,
    powers,
    reciprocal,
    undiscounted,
)

__all__ = ["binary", "exponential", "graded", "linear", "linear_or_binary", "mapped", "powers_of_two"]
__all__ += ["scale_of", "scaled", "signed", "top_grade"]
__all__ += ["discount", "geometric", "jk_discount", "log2_discount", "powers", "reciprocal", "undiscounted"]
__all__ += ["cascade", "count", "effort", "first_relevant", "nil", "over", "precision_at_relevant"]


def effort(lists: Lists, weight: Floats, e: float) -> Floats:
    """What reading costs: sum_i weight_i e; where the run has costs, sum_i weight_i cost_i."""
    if lists.costs is None:
        return e * lists.prefix(weight)
    documents = EveryDocument.of(lists)
    return documents.sum(lists.costs * weight[documents.rank])


# what lies above a document


def count(lists: Lists, gains: Gains) -> Floats:
    """Relevant documents down to and with each hit."""
    return lists.running(gains.relevant)


def precision_at_relevant(lists: Lists, gains: Gains) -> Floats:
    """Precision at each relevant document's rank; 0 for the other hits."""
    return np.where(gains.relevant, count(lists, gains) / lists.rank, 0.0)


def first_relevant(lists: Lists, gains: Gains) -> Floats:
    """1 for the first relevant document of each list; 0 for all other hits."""
    return np.where(gains.relevant & (count(lists, gains) == 1), 1.0, 0.0)


def cascade(lists: Lists, gains: Gains) -> Floats:
    """g_i prod_{j < i} (1 - g_j): the probability that this hit, and none above it, satisfies the reader."""
    return gains.hits * lists.above(1 - gains.hits, np.multiply.accumulate, first=1.0)


# ratios


def over(
    numerator: Floats, denominator: Floats | Ints, otherwise: float | Callable[[], Floats] = 0.0
) -> Floats:
    """numerator / denominator, and a named value where the denominator is 0."""
    instead = otherwise() if callable(otherwise) else otherwise
    result = np.broadcast_to(np.asarray(instead, np.float64), np.shape(numerator)).copy()
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)
    return result


def nil(lists: Lists) -> Floats:
    """What a nil query earns where its right answer is silence: 1 for the empty list, 0 for any other."""
    return np.where(lists.n == 0, 1.0, 0.0)
