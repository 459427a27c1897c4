"""The part of a page that speaks of topics: every list by rank, its curve and its regret, worst first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ir_trunc.core.curve import Curve
from ir_trunc.core.rankings import Floats, Rankings
from ir_trunc.reporting.comparison import Comparison
from ir_trunc.reporting.sections import Cuts

RELEVANT, OTHER, UNJUDGED, END, BEST = "●", "○", "·", "┃", "✂"
WIDTH, HEIGHT = 96, 24  # of a curve
_LISTS = 2500  # more than these are shown with fewer ranks and points, which keeps the page small


class Detail(NamedTuple):
    """How many ranks of a list are shown, and about how many points of its curve."""

    ranks: int
    points: int


def topics_of(found: Comparison, lists: Mapping[str, Rankings], cuts: Cuts | None) -> dict[str, Any]:
    """Topics in rows, those with the largest regret first (without curves: those with the lowest scores)."""
    detail = Detail(40, 24) if len(found.systems) * len(found.topics) <= _LISTS else Detail(16, 8)
    first = next(iter(lists.values()))
    judged = first.judgments
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(found.topics)) * ~found.nil
    count = np.diff(judged.offsets)
    row = 0 if cuts is None else found.measures.index(cuts.measure)
    values = found.values[row]
    regrets, best, worst = np.zeros_like(values), {}, -values.mean(axis=0)
    if cuts is not None:
        regrets = np.array([cuts.regrets(name) for name in found.systems])
        best = {name: cuts.curves[name].best()[0] for name in found.systems}
        worst = regrets.max(axis=0)
    silent = np.array([lists[name].lengths == 0 for name in found.systems])
    topics = []
    for at in np.argsort(-worst, kind="stable").tolist():
        scale = None if cuts is None else _scale(cuts, at)
        rows = []
        for place in np.argsort(-regrets[:, at], kind="stable").tolist():
            name = found.systems[place]
            shown = {"system": name, "score": float(values[place, at]), "regret": float(regrets[place, at])}
            shown |= _of_list(lists[name], at, detail, int(best[name][at]) if best else None)
            if cuts is not None and scale is not None:
                shown["curve"] = _path(cuts.curves[name], at, scale, detail)
            rows.append(shown)
        topics.append(
            {
                "id": found.topics[at],
                "nil": bool(found.nil[at]),
                "relevant": int(relevant[at]),
                "judged": int(count[at]),
                "mean": float(values[:, at].mean()),
                "regret": float(regrets[:, at].max()),
                "worst": rows[0]["system"],
                "silent": int(silent[:, at].sum()),
                "lists": rows,
            }
        )
    return {"measure": found.measures[row], "rows": topics, "ranks": detail.ranks}


def _of_list(rankings: Rankings, at: int, detail: Detail, best: int | None) -> dict[str, Any]:
    """One list by rank, in signs and in words. best: where it should have ended."""
    length = int(rankings.lengths[at])
    hits = slice(rankings.judged_offsets[at], rankings.judged_offsets[at + 1])
    grade = dict(zip(rankings.judged_ranks[hits].tolist(), rankings.judged_grades[hits].tolist()))
    signs = [BEST] * (best == 0 and length > 0) + [END] * (length == 0)
    for rank in range(1, min(length, detail.ranks) + 1):
        signs.append(UNJUDGED if rank not in grade else RELEVANT if grade[rank] > 0 else OTHER)
        signs += [BEST] * (rank == best and rank < length) + [END] * (rank == length)
    found = [rank for rank, value in grade.items() if value > 0]
    ranks = ", ".join(map(str, found[:8])) + (" …" if len(found) > 8 else "")
    return {
        "length": length,
        "best": best,
        "found": len(found),
        "ranks": ranks,
        "signs": "".join(signs),
        "more": length - detail.ranks if length > detail.ranks else 0,
    }


@dataclass(frozen=True)
class _Scale:
    """From depths and scores to the pixels of a small picture; depths near the top have more room."""

    longest: int
    low: float
    high: float

    def x(self, depth: Any) -> Any:
        return np.rint(4 + (WIDTH - 8) * np.log1p(depth) / max(np.log1p(self.longest), 1e-9)).astype(int)

    def y(self, score: Any) -> Any:
        span = max(self.high - self.low, 1e-12)
        return np.rint(HEIGHT - 4 - (HEIGHT - 8) * (score - self.low) / span).astype(int)


def _scale(cuts: Cuts, at: int) -> _Scale:
    """One scale for the lists of a topic, so that they can be compared."""
    values = [_values(curve, at) for curve in cuts.curves.values()]
    low, high = (float(of(of(value) for value in values)) for of in (min, max))
    return _Scale(max(len(value) for value in values) - 1, low, high)


def _values(curve: Curve, at: int) -> Floats:
    return curve.values[curve.offsets[at] : curve.offsets[at + 1]]


def _path(curve: Curve, at: int, scale: _Scale, detail: Detail) -> dict[str, Any]:
    """The curve of one list as the points of a line, its end and its best cut as points."""
    values, end = _values(curve, at), int(np.diff(curve.offsets)[at]) - 1
    best = int(np.argmax(values >= values.max() - 1e-12 * np.abs(values).max()))
    depths = np.unique(np.rint(np.expm1(np.linspace(0, np.log1p(end), detail.points))).astype(int))
    depths = np.union1d(depths, [best, end])
    x, y = scale.x(depths), scale.y(values[depths])
    line = "".join(f"{'ML'[min(i, 1)] if i < 2 else ' '}{a} {b}" for i, (a, b) in enumerate(zip(x, y)))
    point = {int(d): (int(a), int(b)) for d, a, b in zip(depths, x, y)}
    return {"line": line, "end": point[end], "best": point[best]}
