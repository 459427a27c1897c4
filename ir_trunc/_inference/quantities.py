"""What users count beside measures: documents, relevant ones that are kept, and lists that are empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir_trunc._core.rankings import Bools, Floats, Rankings


def _kept(lists: Rankings) -> tuple[Floats | Bools, Bools]:
    if lists.answers is not None:
        return lists.answers["right"].at(lists.lengths), np.ones(len(lists), bool)
    hits, answerable = lists.judged_rows[lists.judged_grades > 0], ~lists.judgments.nil_queries
    return (np.bincount(hits, minlength=len(lists)) > 0) & answerable, answerable


def _unanswered(lists: Rankings) -> tuple[Bools, Bools]:
    nil = lists.judgments.nil_queries  # of graded answers nobody says which questions have one
    return (lists.lengths == 0) & nil, nil


def _wrongly(lists: Rankings) -> tuple[Bools, Bools]:
    silent = (lists.lengths == 0) & (lists.answers is None)
    return silent & ~lists.judgments.nil_queries, silent


QUANTITIES: dict[str, tuple[Callable[[Rankings], tuple[Any, Any]], int]] = {
    "passages": (lambda lists: (lists.lengths, None), 0),
    "kept": (_kept, 1),
    "unanswered": (_unanswered, 1),
    "wrongly": (_wrongly, -1),
    "abstention.silent": (lambda lists: (lists.lengths == 0, np.ones(len(lists))), 0),
}
"""By name: a function that gives values by list, of a share its part and its whole (Q); and, where labels
say that higher values are better (1) or lower ones (-1), which."""
