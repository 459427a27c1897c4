"""The parts of a page: of whole runs, and of topics with every list by rank, its curve and its regret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import IrTruncError
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc.reporting.comparison import Comparison
from ir_trunc.scoring.results import VIEWS, Abstention, Results
from ir_trunc.truncation import cross_validate
from ir_trunc.truncation.study import bin_name, bin_of

POLICIES = ("Greedy", "ScoreThreshold", "LargestGap", "Oracle")
"""The policies of a page: a fixed length, a threshold, one without training, and what can be reached."""

_HEIGHT = 60  # of the highest bar


@dataclass(frozen=True)
class Cuts:
    """The curves of every run by one measure."""

    measure: str
    curves: Mapping[str, Curve]

    def lengths(self, name: str) -> Ints:
        """Lengths of a run's lists, as far as the measure looks (T)."""
        return np.diff(self.curves[name].offsets) - 1

    def regrets(self, name: str) -> Floats:
        """What each list misses to its best cut (T)."""
        curve = self.curves[name]
        return np.asarray(curve.best()[1] - curve.own())


def views(found: Comparison) -> list[dict[str, Any]]:
    """Tables of means over the answerable and over the nil queries; none where there is only one kind."""
    if not found.nil.any() or found.nil.all():
        return []
    means = dict(zip(VIEWS, found.views))
    return [
        {"view": view, "topics": int(of.sum()), "rows": list(zip(found.systems, means[view].T.tolist()))}
        for view, of in (("answerable", ~found.nil), ("nil", found.nil))
    ]


def silence(lists: Mapping[str, Rankings]) -> list[tuple[str, Abstention]]:
    """How often each run was silent, and how often rightly."""
    results = {name: Results((), rankings, np.empty((0, len(rankings)))) for name, rankings in lists.items()}
    return [(name, found.abstention) for name, found in results.items()]


def lengths(cuts: Cuts | None, lists: Mapping[str, Rankings]) -> dict[str, Any] | None:
    """Shares of the lists in bins of length, as they are and at their best cuts, with bars to draw."""
    if cuts is None:
        return None
    own = {name: bin_of(cuts.lengths(name)) for name in lists}
    best = {name: bin_of(cuts.curves[name].best()[0]) for name in lists}
    last = max(int(of.max(initial=0)) for of in (*own.values(), *best.values()))
    systems = []
    for name in lists:
        shares = [np.bincount(of[name], minlength=last + 1) / max(1, len(of[name])) for of in (own, best)]
        bars = [
            {"own": a, "best": b, "own_height": round(a * _HEIGHT), "best_height": round(b * _HEIGHT)}
            for a, b in zip(*(share.tolist() for share in shares))
        ]
        mean, median = float(cuts.lengths(name).mean()), float(np.median(cuts.curves[name].best()[0]))
        systems.append({"name": name, "bars": bars, "mean": mean, "median": median})
    return {"bins": [bin_name(place).replace("-", "–") for place in range(last + 1)], "systems": systems}


def policies(cuts: Cuts | None, lists: Mapping[str, Rankings], folds: int) -> dict[str, Any]:
    """What policies would gain: rows for each run and policy, or the reason why there are none."""
    if cuts is None:
        return {"rows": [], "why": "no measure of the page scores each list by itself, better lists higher"}
    topics = len(next(iter(lists.values())))
    if topics < 2:
        return {"rows": [], "why": "one topic cannot be split"}
    parts = min(folds, topics)
    try:
        table = pd.DataFrame(cross_validate(POLICIES, cuts.measure, None, lists, folds=parts))
    except IrTruncError as error:
        return {"rows": [], "why": str(error)}
    means = {name: float(curve.own().mean()) for name, curve in cuts.curves.items()}
    rows = [row | {"now": means[row["system"]]} for row in table.to_dict("records")]
    return {"rows": rows, "why": "", "folds": parts}


# Topics, worst first, with every list by rank.

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
