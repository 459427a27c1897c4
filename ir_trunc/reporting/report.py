"""`report`: one HTML page about several runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import IrTruncError, noted, printable
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import text, whole
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc._output.files import Target, check_outputs, write_text
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import rank, read_once
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.declaration import oriented
from ir_trunc.reporting.compare import compare
from ir_trunc.reporting.comparison import Comparison
from ir_trunc.scoring._runs import RunsLike, by_name
from ir_trunc.scoring._ties import tie_notes
from ir_trunc.scoring.evaluator import Options
from ir_trunc.scoring.objects import MeasureLike, read_measures
from ir_trunc.scoring.results import VIEWS, Results
from ir_trunc.truncation import cross_validate
from ir_trunc.truncation.study import bin_name, bin_of
from ir_trunc.version import __version__

__all__ = ["report"]

MEASURES = "RBPT nDCG@10 RBPU c@1"
"""The measures of a page by default."""

POLICIES = ("Greedy", "ScoreThreshold", "LargestGap", "Oracle")
"""The policies of a page: a fixed length, a threshold, one without training, and the upper bound."""

_BAR_HEIGHT = 60  # of the highest bar
_RELEVANT, _OTHER, _UNJUDGED, _END, _BEST = "●", "○", "·", "┃", "✂"
_CURVE_WIDTH, _CURVE_HEIGHT = 96, 24
_LISTS = 2500  # more than these are shown with fewer ranks and points, which keeps the page small


def report(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    path: Target | None = None,
    *,
    baseline: str | None = None,
    title: str = "Rankings and where they end",
    folds: int = 5,
    unit: str | None = None,
    **options: Unpack[Options],
) -> str:
    """Write one HTML page about several runs: it needs no network, no other file, and no JavaScript.

    It shows the comparison with its tests, means over queries with and without an answer, empty lists and how
    many of them are right, lengths and best cuts of the lists, the gain of truncation policies, every topic
    with its lists by rank, their curves and regrets, worst first, and what was assumed or left out.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `calc`. Curves, best cuts and policies are those of the first measure that scores each list by
        itself.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.
    path : path, optional
        Where to write the page.
    baseline : str, optional
        The run that all others are compared with.
    title : str
        The heading of the page.
    folds : int
        Number of parts of the topics for the cross-validation of the policies.
    unit : str, optional
        As for `compare`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    IrTruncError
        As `compare` does.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}}
    >>> page = report("RBPT AP", qrels, {"one": {"q1": ["a"], "q2": ["x", "b"]}}, folds=3)
    >>> page.splitlines()[0]
    '<!DOCTYPE html>'
    """
    render = _template()
    text("title", title)
    folds = whole("folds", folds, 2)
    if path is not None:
        check_outputs([path])
    named = {name: list(run) if isinstance(run, Iterator) else run for name, run in by_name(runs).items()}
    with noted() as notes:
        judged, left = read_once(qrels, options)
        comparison = compare(measures, judged, named, baseline=baseline, intervals=True, unit=unit, **left)
        with warnings.catch_warnings(), noted(issued=False):  # the comparison has given the warnings
            warnings.simplefilter("ignore")
            lists = {name: rank(judged, run, **left) for name, run in named.items()}
            cuts = _cuts(measures, lists)
            gains = _policy_gains(cuts, lists, folds)
        notes += () if cuts is None else tie_notes(cuts.measure, lists)
    page: str = render(
        title=title,
        version=__version__,
        found=comparison,
        comparison=replace(comparison, notes=()).to_html(),  # the page has a section of notes
        views=_view_tables(comparison),
        silence=[
            (name, Results((), rankings, np.empty((0, len(rankings)))).abstention)
            for name, rankings in lists.items()
        ],
        cuts=cuts,
        lengths=_length_bars(cuts, lists),
        policies=gains,
        topics=_topic_rows(comparison, lists, cuts),
        notes=[*dict.fromkeys((*comparison.notes, *notes))],
        many=len(comparison.systems) * len(comparison.topics),
    )
    if path is not None:
        write_text(path, [page])
    return page


def _cuts(measures: MeasureLike, lists: Any) -> _Curves | None:
    """The curves of a measure of single lists: the first that reads their ends, else the first of all."""
    own = {
        str(measure): bound
        for measure, bound in read_measures(measures).items()
        if bound is not None and bound.definition.scope == "list"
    }
    if not own:
        return None
    name = next((name for name, bound in own.items() if "end" in bound.reads), next(iter(own)))
    return _Curves(name, {run: own[name].curve(rankings) for run, rankings in lists.items()})


def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # not before a page is written

    loaded = Environment(
        loader=PackageLoader("ir_trunc.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    loaded.filters["shown"] = lambda value: printable(str(value))
    loaded.filters["number"] = lambda value, digits=4: "–" if value != value else f"{value:.{digits}f}"
    loaded.filters["counted"] = lambda count, one, many="": (
        f"one {one}" if count == 1 else f"{count} {many or one + 's'}"
    )
    loaded.filters["change"] = lambda value: f"{value:+.4f}" if round(value, 4) else "0.0000"
    return loaded.get_template("report.html").render


@dataclass(frozen=True)
class _Curves:
    """The curves of every run under one measure."""

    measure: str
    curves: Mapping[str, Curve]

    def lengths(self, name: str) -> Ints:
        """Lengths of a run's lists, down to the depth of the measure (T)."""
        return np.diff(self.curves[name].offsets) - 1


def _view_tables(comparison: Comparison) -> list[dict[str, Any]]:
    """Tables of means over answerable and over nil queries; none if there is only one kind."""
    tables = []
    for view, means, topics in zip(VIEWS[1:], comparison.views[1:], (~comparison.nil, comparison.nil)):
        rows = list(zip(comparison.systems, means.T.tolist()))
        tables.append({"view": view, "topics": int(topics.sum()), "rows": rows})
    return tables if all(table["topics"] for table in tables) else []


def _length_bars(cuts: _Curves | None, lists: Mapping[str, Rankings]) -> dict[str, Any] | None:
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
            {"own": a, "best": b, "own_height": round(a * _BAR_HEIGHT), "best_height": round(b * _BAR_HEIGHT)}
            for a, b in zip(*(share.tolist() for share in shares))
        ]
        mean, median = float(cuts.lengths(name).mean()), float(np.median(cuts.curves[name].best()[0]))
        systems.append({"name": name, "bars": bars, "mean": mean, "median": median})
    return {"bins": [bin_name(place).replace("-", "–") for place in range(last + 1)], "systems": systems}


def _policy_gains(cuts: _Curves | None, lists: Mapping[str, Rankings], folds: int) -> dict[str, Any]:
    """Scores of policies: rows for each run and policy, or the reason why there are none."""
    if cuts is None:
        return {"rows": [], "why": "no measure of the page scores each list by itself"}
    parts = min(folds, len(next(iter(lists.values()))))
    if parts < 2:
        return {"rows": [], "why": "one topic cannot be split"}
    try:
        table = pd.DataFrame(cross_validate(POLICIES, cuts.measure, None, lists, folds=parts))
    except IrTruncError as error:
        return {"rows": [], "why": str(error)}
    means = {name: float(curve.own().mean()) for name, curve in cuts.curves.items()}
    rows = [row | {"now": means[row["system"]]} for row in table.to_dict("records")]
    return {"rows": rows, "why": "", "folds": parts}


def _topic_rows(
    comparison: Comparison, lists: Mapping[str, Rankings], cuts: _Curves | None
) -> dict[str, Any]:
    """Rows for the topics, the largest regret first (without curves: the lowest score first)."""
    few = len(comparison.systems) * len(comparison.topics) <= _LISTS
    ranks, points = (40, 24) if few else (16, 8)  # ranks of a list, and about how many points of its curve
    first = next(iter(lists.values()))
    judged = first.judgments
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(comparison.topics)) * ~comparison.nil
    count = np.diff(judged.offsets)
    row = 0 if cuts is None else comparison.measures.index(cuts.measure)
    values = comparison.values[row]
    regrets, best, worst = np.zeros_like(values), {}, -oriented(comparison.measures[row], values.mean(axis=0))
    if cuts is not None:
        curves = [cuts.curves[name] for name in comparison.systems]
        regrets = np.array([oriented(cuts.measure, curve.best()[1] - curve.own()) for curve in curves])
        best = {name: cuts.curves[name].best()[0] for name in comparison.systems}
        worst = regrets.max(axis=0)
    silent = np.array([lists[name].lengths == 0 for name in comparison.systems])
    topics = []
    for topic in np.argsort(-worst, kind="stable").tolist():
        paths = {} if cuts is None else _paths(cuts, topic, points)
        rows = []
        for place in np.argsort(-regrets[:, topic], kind="stable").tolist():
            name = comparison.systems[place]
            score, regret = float(values[place, topic]), float(regrets[place, topic])
            shown = {"system": name, "score": score, "regret": regret}
            shown |= _of_list(lists[name], topic, ranks, int(best[name][topic]) if best else None)
            rows.append(shown | ({"curve": paths[name]} if paths else {}))
        topics.append(
            {
                "id": comparison.topics[topic],
                "nil": bool(comparison.nil[topic]),
                "relevant": int(relevant[topic]),
                "judged": int(count[topic]),
                "mean": float(values[:, topic].mean()),
                "regret": float(regrets[:, topic].max()),
                "worst": rows[0]["system"],
                "silent": int(silent[:, topic].sum()),
                "lists": rows,
            }
        )
    return {"measure": comparison.measures[row], "rows": topics, "ranks": ranks}


def _of_list(rankings: Rankings, topic: int, most: int, best: int | None) -> dict[str, Any]:
    """One list to rank `most`, in signs and in words; `best` is the length of its best cut."""
    length = int(rankings.lengths[topic])
    hits = slice(rankings.judged_offsets[topic], rankings.judged_offsets[topic + 1])
    grade = dict(zip(rankings.judged_ranks[hits].tolist(), rankings.judged_grades[hits].tolist()))
    signs = [_BEST] * (best == 0 and length > 0) + [_END] * (length == 0)
    for place in range(1, min(length, most) + 1):
        signs.append(_UNJUDGED if place not in grade else _RELEVANT if grade[place] > 0 else _OTHER)
        signs += [_BEST] * (place == best and place < length) + [_END] * (place == length)
    relevant = [place for place, value in grade.items() if value > 0]
    ranks = ", ".join(map(str, relevant[:8])) + (" …" if len(relevant) > 8 else "")
    about = {"length": length, "best": best, "found": len(relevant), "ranks": ranks}
    return about | {"signs": "".join(signs), "more": max(length - most, 0)}


def _paths(cuts: _Curves, topic: int, points: int) -> dict[str, dict[str, Any]]:
    """The curves of a topic's lists as SVG paths over logarithmic depths, with their ends and best cuts."""
    offsets = {name: curve.offsets[topic : topic + 2] for name, curve in cuts.curves.items()}
    values = {name: cuts.curves[name].values[slice(*bounds)] for name, bounds in offsets.items()}
    best_cuts = {name: int(curve.best()[0][topic]) for name, curve in cuts.curves.items()}
    low, high = (float(of(of(scores) for scores in values.values())) for of in (min, max))
    widest = max(np.log1p(max(map(len, values.values())) - 1), 1e-9)
    paths = {}
    for name, scores in values.items():
        end, best = len(scores) - 1, best_cuts[name]
        depths = np.unique(np.rint(np.expm1(np.linspace(0, np.log1p(end), points))).astype(int))
        depths = np.union1d(depths, [best, end])
        x = np.rint(4 + (_CURVE_WIDTH - 8) * np.log1p(depths) / widest).astype(int).tolist()
        height = (_CURVE_HEIGHT - 8) * (scores[depths] - low) / max(high - low, 1e-12)
        y = np.rint(_CURVE_HEIGHT - 4 - height).astype(int).tolist()
        line = "".join(f"{'ML'[min(i, 1)] if i < 2 else ' '}{a} {b}" for i, (a, b) in enumerate(zip(x, y)))
        point = dict(zip(depths.tolist(), zip(x, y)))
        paths[name] = {"line": line, "end": point[end], "best": point[best]}
    return paths
