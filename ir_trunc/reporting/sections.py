"""The parts of a page that speak of whole runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc.core.curve import Curve
from ir_trunc.core.errors import IrTruncError
from ir_trunc.core.later import pd
from ir_trunc.core.rankings import Floats, Ints, Rankings
from ir_trunc.reporting.comparison import Comparison
from ir_trunc.scoring.results import VIEWS, Abstention, Results
from ir_trunc.truncation import cross_validate
from ir_trunc.truncation.best_cuts import bin_name, bin_of

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
