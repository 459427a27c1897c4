"""`report`: one HTML page about several runs."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ir_trunc._core.curve import Curve, bin_name, bin_of
from ir_trunc._core.errors import InputError, IrTruncError, counted, noted, printable
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, text, whole
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._output.files import Target, check_outputs, write_text
from ir_trunc._output.tables import shortened
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._ranking.runs import read_once, read_run
from ir_trunc._read.arrow import strings
from ir_trunc._read.reading import HowRead, Unpack
from ir_trunc._reporting._texts import read_texts
from ir_trunc._reporting.compare import compare
from ir_trunc._reporting.comparison import FEW_UNITS, Comparison
from ir_trunc._reporting.gate import Gate
from ir_trunc._scoring._runs import RunsLike, by_name
from ir_trunc._scoring._ties import tie_notes
from ir_trunc._scoring.evaluator import IMPOSED, Options
from ir_trunc._scoring.judged import Judged
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Abstention, Results
from ir_trunc.measures.declaration import lower_is_better, oriented
from ir_trunc.truncation import cross_validate
from ir_trunc.truncation._fitting import units_of
from ir_trunc.version import __version__

__all__ = ["report", "template"]

MEASURES = "RBPT nDCG@10 RBPU c@1"
"""The measures of a page by default."""

POLICIES = ("Greedy", "ScoreThreshold", "LargestGap", "Oracle")
"""The policies of a page: a fixed length, a threshold, one without training, and the upper bound."""

WITHOUT_SCORES = ("Greedy", "Oracle")
"""Those of lists without scores."""

_PACKAGES = "ir_measures", "numpy", "pandas", "scipy"
_RELEVANT, _OTHER, _UNJUDGED, _END, _BEST = "●", "○", "·", "┃", "✂"
_CURVE_WIDTH, _CURVE_HEIGHT = 96, 24
_LISTS = 2500  # more than these are shown with fewer ranks and points, which keeps the page small
_SHOWN, _WORDS = 5, 160  # documents of a list whose texts are shown, and how many characters of each


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
    gate: Gate | None = None,
    queries: Any = None,
    documents: Any = None,
    command: str = "",
    **options: Unpack[Options],
) -> str:
    """Write one HTML page about several runs: it needs no network, no other file, and no JavaScript.

    A verdict comes first: who is better by how much, with what certainty, and what a policy would change. It
    is followed by the comparison with its tests, nil queries and empty lists, lengths and best cuts of the
    lists, what truncation policies change, every topic with its lists by rank, the worst first, what was
    assumed or left out, and where the page comes from. Sections without content are left out.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld
        As for `calc`. The verdict, curves, best cuts and policies are those of the first measure that scores
        each list by itself.
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
    gate : Gate, optional
        What `check` returned; it stands below the verdict.
    queries, documents : path, str, dict or data set, optional
        Their texts: `{id: text}`, a file of lines `id<TAB>text`, JSON, JSON lines or TREC, or an ir_datasets
        data set or its id. Texts of documents are those of the first five of each list.
    command : str
        What the page was made by, for its last section.

    Returns
    -------
    str
        The page.

    Raises
    ------
    IrTruncError
        As `compare` does, and for texts that cannot be read.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}}
    >>> page = report("RBPT AP", qrels, {"one": {"q1": ["a"], "q2": ["x", "b"]}}, folds=3)
    >>> page.splitlines()[0]
    '<!DOCTYPE html>'
    """
    render = template()
    text("title", title)
    text("command", command)
    folds = whole("folds", folds, 2)
    if gate is not None:
        instance("gate", gate, Gate, "what ir_trunc.check returns")
    named = {name: list(run) if isinstance(run, Iterator) else run for name, run in by_name(runs).items()}
    labels = qrels if isinstance(qrels, Judged) else None
    inputs = [qrels, *named.values(), options.get("topics"), queries, documents]
    check_outputs([path], inputs)
    with noted() as notes:
        judged, left, rank_one = read_once(qrels if labels is None else labels.mixed, options)
        comparison = compare(
            measures, labels or judged, named, baseline=baseline, intervals=True, unit=unit, **left
        )
        asked = read_texts("queries", queries, comparison.topics)
        with noted(issued=False):  # the comparison has given the warnings
            lists = {name: rank_one(run) for name, run in named.items()}
            cuts = _cuts(measures, lists)
            gains = _policy_gains(cuts if labels is None else None, lists, folds, unit)
            first = {} if documents is None else _first_documents(named, lists, left)
        notes += () if cuts is None else tie_notes(cuts.measure, lists)
        shown = {doc for of_run in first.values() for docs in of_run for doc in docs}
        texts = read_texts("documents", documents, sorted(shown)) if shown else {}
    files = _files(inputs)
    messages = [*dict.fromkeys((*comparison.notes, *notes))]
    for file, name, *_ in files:
        messages = [message.replace(file, name) for message in messages]
    imposed = [message.partition(f"{IMPOSED}. ") for message in messages if IMPOSED in message]
    cautions, advice = [where + IMPOSED for where, *_ in imposed], [remedy for *_, remedy in imposed]
    few = bool(comparison.compared) and comparison.units < FEW_UNITS
    page: str = render(
        _sections(comparison, cuts, gains, lists, unit),
        cautions=cautions + [f"{counted(comparison.units, comparison.unit)} are few for a test"] * few,
        advice=advice,
        title=title,
        version=__version__,
        gate=gate,
        topics=_topic_rows(comparison, lists, cuts, first),
        queries=asked,
        texts={doc: f"{words[:_WORDS]}{' ...' * (len(words) > _WORDS)}" for doc, words in texts.items()},
        notes=messages,
        files=files,
        command=command,
        made=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        versions={"Python": platform.python_version()} | {name: version(name) for name in _PACKAGES},
    )
    if path is not None:
        write_text(path, [page])
    return page


def _files(data: Iterable[Any]) -> list[tuple[str, str, int, str]]:
    """Path, name, number of bytes and SHA-256 of those data that are regular files."""
    paths = [os.fspath(path) for path in data if isinstance(path, (str, os.PathLike))]
    files = []
    for path in filter(os.path.isfile, dict.fromkeys(paths)):
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        files.append((path, Path(path).name, os.path.getsize(path), digest.hexdigest()))
    return files


def _verdict(
    comparison: Comparison,
    cuts: _Curves | None,
    gains: dict[str, Any],
    lists: Mapping[str, Rankings],
    unit: str | None,
) -> dict[str, Any]:
    """The best system (with a baseline, of the others), the next or the baseline, and the best policy."""
    measure = comparison.measures[0] if cuts is None else cuts.measure
    row = comparison.measures.index(measure)
    means = dict(zip(comparison.systems, comparison.views[0, row].tolist()))
    ranked = sorted(means, key=lambda name: -float(oriented(measure, np.array(means[name]))))
    best = next((name for name in ranked if name != comparison.baseline), ranked[0])
    other = ranked[:2][-1] if comparison.baseline is None else comparison.baseline
    tests: dict[tuple[str, str], tuple[float, float, float]] = {}
    for column, (first, second) in enumerate(comparison.compared):
        low, high, p = (float(of[row, column]) for of in (comparison.low, comparison.high, comparison.p))
        tests |= {(first, second): (low, high, p), (second, first): (-high, -low, p)}
    tried = [gain for gain in gains["rows"] if gain["system"] == best and gain["policy"] != POLICIES[-1]]
    return {
        "measure": measure,
        "lower_is_better": lower_is_better(measure),
        "means": means,
        "best": best,
        "other": other,
        "test": tests.get((best, other)),
        "ps": [p for (system, _), (_, _, p) in tests.items() if system == best],
        "policy": max(
            tried, key=lambda gain: float(oriented(measure, np.array(gain["score"]))), default=None
        ),
        "length": _mean(lists[best], lists[best].lengths, unit),
    }


def _sections(
    comparison: Comparison,
    cuts: _Curves | None,
    gains: dict[str, Any],
    lists: Mapping[str, Rankings],
    unit: str | None,
) -> dict[str, Any]:
    """What the template says of all topics together."""
    return {
        "found": comparison,
        "cuts": cuts,
        "policies": gains,
        "verdict": _verdict(comparison, cuts, gains, lists, unit),
        "charted": np.flatnonzero(np.isfinite(comparison.views[0]).all(axis=1)).tolist(),
        "comparison": replace(comparison, notes=()).to_html(),  # the page has a section of notes
        "abstention": _abstention(lists),
        "lengths": _length_bars(cuts, lists, unit),
        "many": len(comparison.systems) * len(comparison.topics),
        "universe": next(iter(lists.values())).universe,
    }


def _mean(rankings: Rankings, values: Any, unit: str | None) -> float:
    """The mean of values of lists over units, as the means of the comparison are."""
    _, _, weights = units_of(rankings, unit)
    return float(np.average(values, weights=weights)) if len(rankings) else float("nan")


def _abstention(lists: Mapping[str, Rankings]) -> list[tuple[str, Abstention]]:
    """How often each run returned nothing; nothing if none ever did."""
    counts = [(name, Results((), of, np.empty((0, len(of)))).abstention) for name, of in lists.items()]
    return counts if any(of_run.silent for _, of_run in counts) else []


def _change(value: float) -> str:
    return f"{value:+.4f}" if round(value, 4) else "0.0000"


def _documents(mean: float) -> str:
    """A mean number of documents."""
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:.1f}"


def _first_documents(
    named: Mapping[str, Any], lists: Mapping[str, Rankings], options: Mapping[str, Any]
) -> dict[str, list[list[str]]]:
    """The ids of the first documents of every list of every run."""
    reading = {name: options[name] for name in HowRead.__annotations__ if name in options}
    first = {}
    for name, run in named.items():
        if isinstance(run, Rankings):
            raise InputError(
                f"documents: run {name!r} is Rankings, which have no ids of documents; give the run."
            )
        rankings = lists[name]
        ranked = RankedRows.of(read_run(run, **reading), strings(rankings.topics))
        docs: list[list[str]] = [[] for _ in range(len(rankings))]
        top = np.flatnonzero(ranked.rank <= np.minimum(_SHOWN, rankings.lengths)[ranked.topic])
        for topic, doc in zip(ranked.topic[top].tolist(), ranked.rows.docs.take(top).to_pylist()):
            docs[topic].append(doc)
        first[name] = docs
    return first


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
    curves = {run: own[name].curve(rankings) for run, rankings in lists.items()}
    best = {run: curve.best() for run, curve in curves.items()}
    regrets = [oriented(name, best[run][1] - curve.own()) for run, curve in curves.items()]
    return _Curves(
        name, own[name].cutoff, curves, {run: cut for run, (cut, _) in best.items()}, np.array(regrets)
    )


def template(name: str = "report.html") -> Any:
    """What renders a page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # not before a page is written

    loaded = Environment(
        loader=PackageLoader("ir_trunc._reporting"),
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
    loaded.filters["short"] = lambda name: shortened(str(name), 19)
    loaded.filters["change"] = _change
    loaded.filters["documents"] = _documents
    return loaded.get_template(name).render


@dataclass(frozen=True)
class _Curves:
    """The curves of every run under one measure."""

    measure: str
    cutoff: int | None  # the k of `@k`: documents below it change no score
    curves: Mapping[str, Curve]
    best: Mapping[str, Ints]  # the length of each list's best cut
    regrets: Floats  # by run and list


def _length_bars(
    cuts: _Curves | None, lists: Mapping[str, Rankings], unit: str | None
) -> list[dict[str, Any]]:
    """For each run the shares of its lists in bins of length, as they are and at their best cuts."""
    if cuts is None:
        return []
    bins = {name: (bin_of(rankings.lengths), bin_of(cuts.best[name])) for name, rankings in lists.items()}
    count = max(int(of.max(initial=0)) for both in bins.values() for of in both) + 1
    names = [bin_name(place).replace("-", "–") for place in range(count)]
    systems = []
    for name, both in bins.items():
        shares = [(np.bincount(of, minlength=count) / max(1, len(of))).tolist() for of in both]
        bars = [{"bin": label, "own": own, "best": best} for label, own, best in zip(names, *shares)]
        mean, median = _mean(lists[name], lists[name].lengths, unit), float(np.median(cuts.best[name]))
        systems.append({"name": name, "bars": bars, "mean": mean, "median": median})
    return systems


def _policy_gains(
    cuts: _Curves | None, lists: Mapping[str, Rankings], folds: int, unit: str | None
) -> dict[str, Any]:
    """Scores of policies: rows for each run and policy, or the reason why there are none."""
    if cuts is None:
        return {"rows": [], "why": "no measure of the page scores each list by itself"}
    parts = min(folds, int(units_of(next(iter(lists.values())), unit)[1].max(initial=-1)) + 1)
    if parts < 2:
        return {"rows": [], "why": "one topic cannot be split"}
    why, table = "", pd.DataFrame()
    for policies in (POLICIES, WITHOUT_SCORES):
        try:
            table = pd.DataFrame(cross_validate(policies, cuts.measure, None, lists, folds=parts, unit=unit))
            break
        except IrTruncError as error:
            why = str(error).rstrip(".")
    if not len(table):
        return {"rows": [], "why": why}
    means = {name: _mean(lists[name], curve.own(), unit) for name, curve in cuts.curves.items()}
    return {"rows": table.to_dict("records"), "why": why, "tried": policies, "folds": parts, "means": means}


def _topic_rows(
    comparison: Comparison,
    lists: Mapping[str, Rankings],
    cuts: _Curves | None,
    first_documents: Mapping[str, list[list[str]]],
) -> dict[str, Any]:
    """Rows for the topics, the largest regret first (without curves: the lowest score first)."""
    few = len(comparison.systems) * len(comparison.topics) <= _LISTS
    ranks, points = (40, 24) if few else (16, 8)  # ranks of a list, and about how many points of its curve
    judged = next(iter(lists.values())).judgments
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(comparison.topics)) * ~comparison.nil
    row = 0 if cuts is None else comparison.measures.index(cuts.measure)
    values = comparison.values[row]
    regrets = np.zeros_like(values) if cuts is None else cuts.regrets
    worst = regrets.max(axis=0) if cuts else -oriented(comparison.measures[row], values.mean(axis=0))
    topics = []
    for topic in np.argsort(-worst, kind="stable").tolist():
        paths = _paths(cuts, topic, points) if cuts else {}
        rows = []
        for place in np.argsort(-regrets[:, topic], kind="stable").tolist():
            name = comparison.systems[place]
            shown = _of_list(lists[name], topic, ranks, int(cuts.best[name][topic]) if cuts else None)
            shown |= {"system": name, "score": float(values[place, topic]), "curve": paths.get(name)}
            shown["regret"] = float(regrets[place, topic])
            shown["documents"] = first_documents[name][topic] if few and first_documents else []
            rows.append(shown)
        topics.append(
            {
                "id": comparison.topics[topic],
                "nil": bool(comparison.nil[topic]),
                "relevant": int(relevant[topic]),
                "judged": int(judged.offsets[topic + 1] - judged.offsets[topic]),
                "mean": float(values[:, topic].mean()),
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
    about = {"length": length, "best": best, "found": len(relevant), "ranks": ranks, "relevant": relevant}
    return about | {"signs": "".join(signs), "more": max(length - most, 0)}


def _paths(cuts: _Curves, topic: int, points: int) -> dict[str, dict[str, Any]]:
    """The curves of a topic's lists as SVG paths over logarithmic depths, with their ends and best cuts."""
    offsets = {name: curve.offsets[topic : topic + 2] for name, curve in cuts.curves.items()}
    values = {name: cuts.curves[name].values[slice(*bounds)] for name, bounds in offsets.items()}
    low, high = (float(of(of(scores) for scores in values.values())) for of in (min, max))
    widest = max(np.log1p(max(map(len, values.values())) - 1), 1e-9)
    paths = {}
    for name, scores in values.items():
        end, best = len(scores) - 1, int(cuts.best[name][topic])
        depths = np.unique(np.rint(np.expm1(np.linspace(0, np.log1p(end), points))).astype(int))
        depths = np.union1d(depths, [best, end])
        x = np.rint(4 + (_CURVE_WIDTH - 8) * np.log1p(depths) / widest).astype(int).tolist()
        height = (_CURVE_HEIGHT - 8) * (scores[depths] - low) / max(high - low, 1e-12)
        y = np.rint(_CURVE_HEIGHT - 4 - height).astype(int).tolist()
        line = "".join(f"{'ML'[min(i, 1)] if i < 2 else ' '}{a} {b}" for i, (a, b) in enumerate(zip(x, y)))
        point = dict(zip(depths.tolist(), zip(x, y)))
        paths[name] = {"line": line, "end": point[end], "best": point[best]}
    return paths
