"""Graded answers: the score of the answer that was given with the documents of a list.

The measure is on no list of measures, since it needs answers that were graded at several depths in the place
of judgments of documents.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError
from ir_trunc.measures.declaration import unlisted
from ir_trunc.measures.definition import Definition
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Number, Param


def answer_score(lists: Lists, low: float = 0.0, high: float = 1.0) -> Floats:
    """The score of the answer that was given with the documents of a list.

    score(k) with the largest k <= n that was tried

    `ir_trunc.read_depths` reads the scores, in the place of judgments of documents. The empty list has the
    score of k = 0. A list that is shorter than the lowest k is refused, unless it is whole.
    """
    assert lists.rankings.answers is not None
    curve = lists.rankings.answers["score"]
    least, most = np.nanmin(curve.values, initial=low), np.nanmax(curve.values, initial=high)
    if least < low or most > high:
        needed = f"low={min(low, least):g} and high={max(high, most):g}, the range of read_depths, are needed"
        raise ParameterError(f"AnswerScore: scores from {least:g} to {most:g}; {needed}.")
    scores: Floats = curve.values[lists.spread(curve.offsets[:-1]) + lists.n]
    return curve.scored(scores, lists.n) if type(lists) is Lists else scores


_LOW = Param("low", Number("lowest possible score"), 0.0)
_HIGH = Param("high", Number("highest possible score"), 1.0)
_PARAMS = {param.name: param for param in (_LOW, _HIGH)}

unlisted["AnswerScore"] = Definition(
    name="AnswerScore",
    source="ours",
    declared=lambda: (_PARAMS, answer_score),
    bounds=lambda low, high: (low, high),
    ties="orders",
    reads=("answers",),
)
