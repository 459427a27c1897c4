"""Weights of questions: for nested means, and for the share of unanswerable questions in production."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc.measures.definition import BoundMeasure, parts_of, value_from_means
from ir_trunc.measures.lists import Lists

_WORST = 1e9  # the score of a level that is not allowed is below minus this


def weights_of(nil: Bools, nested: Floats, unanswerable: float | None) -> Floats:
    """The weight of each question, 1 on average, with which the unanswerable ones have the wanted share."""
    if unanswerable is None:
        return nested
    share = float(nested[nil].sum() / len(nil))
    if share == 0 < unanswerable:
        raise InputError(
            f"unanswerable={unanswerable:g}: every question has an answer in the labels. Add questions"
            " without one (with empty labels, or by topics=)."
        )
    of_nil = unanswerable / share if share else 0.0
    return nested * np.where(nil, of_nil, (1 - unanswerable) / (1 - share))


def weighted(bound: BoundMeasure, topics: tuple[str, ...], weights: Floats) -> BoundMeasure:
    """The measure whose plain mean is the weighted mean."""
    definition, weight_of = bound.definition, dict(zip(topics, weights.tolist()))

    def weight(lists: Lists) -> Floats:
        return lists.spread(np.array([weight_of[topic] for topic in lists.judgments.topics]))

    if definition.scope == "list":

        def formula(lists: Lists, **params: Any) -> Floats:
            return definition.formula(lists, **params) * weight(lists)

        return replace(bound, definition=replace(definition, formula=formula))
    if definition.of_means is None:
        raise ParameterError(
            f"{definition.name} looks at all lists of a run and has no weighted mean, as `unanswerable` and"
            " `keys` need; RBPT, EM and c@1 have."
        )
    parts, value = definition.of_means

    def weighted_parts(lists: Lists, **params: Any) -> tuple[Floats, ...]:
        return tuple(part * weight(lists) for part in parts(lists, **params))

    changed = replace(definition, of_means=(weighted_parts, value), influence=None)
    return replace(bound, definition=changed)


def keeping(bound: BoundMeasure, keep: float, answerable: int) -> BoundMeasure:
    """The measure for fitting levels that keep a relevant document for a share of the answerable questions.

    A level that keeps fewer has a score below that of all others. The share is one standard error higher than
    wanted: of levels that reach it exactly, half would miss it on new questions.
    """
    wanted = min(keep + math.sqrt(keep * (1 - keep) / answerable), 1.0)

    def parts(lists: Lists, **_: Any) -> tuple[Floats, ...]:
        with_answer = lists.spread(~lists.judgments.nil_queries)
        kept = (lists.sum(lists.grade > 0) > 0) & with_answer
        return *parts_of(bound, lists), kept.astype(np.float64), with_answer.astype(np.float64)

    def value(*means: Floats, **_: Any) -> Floats:
        *own, kept, with_answer = means
        missing = np.maximum(wanted * with_answer - kept - TOLERANCE, 0)
        return np.where(missing > 0, -_WORST * (1 + missing), value_from_means(bound, np.array(own)))

    definition = replace(bound.definition, scope="run", of_means=(parts, value), influence=None)
    return replace(bound, definition=definition)
