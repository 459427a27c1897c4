"""Rankings from plain grades, and rankings as plain dicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ir_trunc._core import arrays
from ir_trunc._core.errors import InputError
from ir_trunc._core.flat import SomeLists, first_of, offsets_of
from ir_trunc._core.judgments import Judgments, canonical_order


def arrays_of_lists(
    lists: Sequence[Iterable[int | None]],
    judged: Sequence[Iterable[int]] | None,
    topics: Sequence[str] | None,
    scores: Sequence[Iterable[float]] | None,
    costs: Sequence[Iterable[float]] | None,
) -> tuple[Any, ...]:
    """The first arguments of `Rankings`, from those of `Rankings.from_lists`."""
    rows: list[list[int | None]] = [list(grades) for grades in lists]
    pools = (
        [[g for g in row if g is not None] for row in rows] if judged is None else [list(p) for p in judged]
    )
    names = [str(number) for number in range(1, len(rows) + 1)] if topics is None else list(topics)
    if not len(rows) == len(pools) == len(names):
        raise InputError(
            f"{len(rows)} lists, {len(pools)} sets of judgments, {len(names)} topics: as many of each"
            " are needed."
        )
    if odd := [name for name in names if not isinstance(name, str)]:
        raise InputError(f"topic {odd[0]!r} is {type(odd[0]).__name__}: topics are text.")
    rows = [[None if g is None else arrays.grade(name, g) for g in row] for name, row in zip(names, rows)]
    pools = [[arrays.grade(name, g) for g in pool] for name, pool in zip(names, pools)]
    if [names[at] for at in canonical_order(names)] != names or len(set(names)) != len(names):
        raise InputError(
            "topics must be distinct and in canonical order (numbers ascending, or text ascending)."
        )
    for name, row, pool in zip(names, rows, pools):
        lacking = Counter(grade for grade in row if grade is not None) - Counter(pool)
        if lacking:
            grade = next(iter(lacking))
            raise InputError(f"topic {name}: the list holds a document of grade {grade} that `judged` lacks.")
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    found = [[(rank, grade) for rank, grade in enumerate(row, 1) if grade is not None] for row in rows]
    flat = np.array([pair for row in found for pair in row], dtype=np.int64).reshape(-1, 2)
    score = arrays.falling(arrays.by_document("scores", scores, names, lengths), names, lengths)
    cost = arrays.by_document("costs", costs, names, lengths)
    starts = offsets_of(lengths)[:-1]
    owner = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
    return (
        Judgments.from_rows(names, owner, np.array([g for pool in pools for g in pool], dtype=np.int64)),
        lengths,
        offsets_of([len(row) for row in found]),
        flat[:, 0],
        flat[:, 1],
        starts,
        score,
        cost,
        None if score is None else first_of(score, starts, lengths),
    )


def dicts_of(
    judgments: Judgments, lists: SomeLists
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """What `Rankings.to_dicts` returns. lists: of all topics."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, (topic, length) in enumerate(zip(judgments.topics, lists.lengths.tolist())):
        here = slice(lists.judged_offsets[q], lists.judged_offsets[q + 1])
        judged = judgments.grades[judgments.offsets[q] : judgments.offsets[q + 1]]
        found = lists.judged_grades[here].tolist()
        left = Counter(judged.tolist()) - Counter(found)
        grades = {f"r{rank}": grade for rank, grade in zip(lists.judged_ranks[here].tolist(), found)}
        grades |= {f"j{number}": grade for number, grade in enumerate(left.elements())}
        qrels[topic] = grades or {"j": 0}
        if length:
            run[topic] = {f"r{rank}": float(length - rank) for rank in range(1, length + 1)}
    return qrels, run
