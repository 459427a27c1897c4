"""`report`: one HTML page about several runs."""

from __future__ import annotations

import csv
import html
import os
import platform
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from ir_measures.measures.base import MeanAgg

from ir_trunc._check import Gate
from ir_trunc._compare import Comparison, compare_scored, few_units
from ir_trunc._core.curve import bin_name, bin_of
from ir_trunc._core.errors import InputError, IrTruncError, counted, noted, plural, printable, shown, warn
from ir_trunc._core.parameters import Text, Whole, checked, instance
from ir_trunc._core.rankings import Rankings
from ir_trunc._explanation import explained
from ir_trunc._inference import selection
from ir_trunc._inference.estimate import Estimate
from ir_trunc._output.files import Target, check_outputs, write_text
from ir_trunc._output.tables import shortened
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._ranking.runs import in_memory
from ir_trunc._read.arrow import one_id, strings
from ir_trunc._read.readers.datasets import load_dataset, loaded
from ir_trunc._read.reading import NO_COLUMNS, Columns, takes
from ir_trunc._read.registry import is_path_like
from ir_trunc._read.tables import OWN_IDS, header, usual
from ir_trunc._read.text import decoded, digested, json_texts, numbered_lines, parts, read_json
from ir_trunc._scoring.evaluator import IMPOSED, Evaluator, Options
from ir_trunc._scoring.objects import MeasureLike, parse_measure, range_of
from ir_trunc._scoring.results import Results
from ir_trunc._scoring.runs import RunsLike, by_name, each_run, score_each
from ir_trunc._ties import tie_notes
from ir_trunc.measures.declaration import lower_is_better, oriented
from ir_trunc.truncation._fitting import units_of
from ir_trunc.truncation._text import parse_policies
from ir_trunc.truncation._validation import Split, validated
from ir_trunc.version import __version__

__all__ = ["report", "template"]

MEASURES = "RBPT nDCG@10 RBPU c@1"
"""The measures of a page by default."""

POLICIES: tuple[str, ...] = ("Greedy", "ScoreThreshold", "LargestGap", "Oracle")
"""The policies of a page: a fixed length, a threshold, one without training, and the upper bound."""

WITHOUT_SCORES = ("Greedy", "Oracle")
"""Those of lists without scores."""

_PACKAGES = "ir_measures", "numpy", "pandas", "scipy"
_RELEVANT, _OTHER, _UNJUDGED, _END, _BEST = "●", "○", "·", "┃", "✂"
_CURVE_WIDTH, _CURVE_HEIGHT = 96, 24
_LISTS = 2500  # more than these are shown with fewer ranks and points, which keeps the page small
_EXPLAINED = 500  # up to as many lists, each opens into the score at its depths
_EACH_LENGTH = 10  # up to which each length has a bar of its own
_SHOWN, _WORDS = 5, 160  # documents of a list whose texts are shown, and how many characters of each

_IDS = {"queries": ("query_id", usual("topic")), "documents": ("doc_id", (*usual("doc_id"), *OWN_IDS))}
_TEXTS = usual("text")
_NEEDED = (
    "{id: text}, the id of an ir_datasets data set, or a file is needed: 'id<TAB>text', CSV, JSON or TREC"
)
_MARK = re.compile(r"<(/?)(top|topic|doc)\b([^<>]*)>", re.IGNORECASE)
_MARKED_ID = re.compile(r"<(num|docno)>\s*+(?:Number\s*+:\s*+)?([^\s<]+)(?:\s*</\1>)?", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@checked
@takes(Options)
def report(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    path: Target | None = None,
    *,
    baseline: str | None = None,
    title: Annotated[str, Text("heading")] = "Rankings and where they end",
    folds: Annotated[int, Whole("parts of the topics", 2)] = 5,
    unit: str | None = None,
    gate: Gate | None = None,
    queries: Any = None,
    documents: Any = None,
    command: Annotated[str, Text("what the page was made by")] = "",
    **options: Unpack[Options],
) -> str:
    """Write one HTML page about several runs: it needs no network, no other file, and no JavaScript.

    A verdict comes first: who is better by how much, with what certainty, and what a policy would change. It
    is followed by the comparison with its tests, nil queries and empty lists, lengths and best cuts of the
    lists, what truncation policies change, every topic with its lists by rank, the worst first, what was
    assumed or left out, and where the page comes from. Sections without content are left out.

    Parameters
    ----------
    measures, qrels, **options
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
        Their texts: `{id: text}`, a file of lines `id<TAB>text`, CSV, JSON, JSON lines or TREC, or an
        ir_datasets data set or its id. Texts of documents are those of the first five of each list.
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
    if gate is not None:
        instance("gate", gate, Gate, "what ir_trunc.check returns")
    named = by_name(runs)
    check_outputs([path], [qrels, *named.values(), options.get("topics"), queries, documents])
    with noted() as notes, digested() as files:
        evaluator = Evaluator(measures, qrels, **options)
        if documents is not None:
            for name, run in named.items():
                if isinstance(run, Rankings):
                    why = "is Rankings, which have no ids of documents"
                    raise InputError(f"documents: run {name!r} {why}; give the run.")
                named[name] = in_memory(run, vars(evaluator.reading))
        scored = score_each(evaluator, named, alike=True, keep_scores=True)
        about: Any = {"queries": queries, "documents": documents, "command": command, "gate": gate}
        about |= {"baseline": baseline, "title": title, "folds": folds, "unit": unit}
        page = page_of(evaluator, named, scored, notes, files, **about)
    if path is not None:
        write_text(path, [page])
    return page


def page_of(
    evaluator: Evaluator,
    named: Mapping[str, Any],
    scored: Iterable[tuple[str, Results]],
    notes: list[str],
    files: Mapping[str, tuple[int, str]],
    *,
    baseline: str | None,
    title: str,
    folds: int = 5,
    unit: str | None = None,
    gate: Gate | None = None,
    queries: Any = None,
    documents: Any = None,
    command: str = "",
) -> str:
    """The page of runs from their scores. notes, files: what reading has collected, and still collects."""
    results: dict[str, Results] = {}
    each = ((name, results.setdefault(name, of_run)) for name, of_run in scored)
    comparison = compare_scored(evaluator, tuple(named), each, True, baseline=baseline, unit=unit)
    columns = evaluator.reading.names
    asked = read_texts("queries", queries, comparison.topics, columns)
    with noted(issued=False):  # the comparison has given the warnings
        view = _View(evaluator, comparison, results, unit)
        policies = view.policies(folds, evaluator.labels is not None)
        first = {} if documents is None else _first_documents(named, view.lists)
    notes += tie_notes(view.measure, view.lists) if view.curves else ()
    shown = {doc for of_run in first.values() for docs in of_run for doc in docs}
    texts = read_texts("documents", documents, sorted(shown), columns) if shown else {}
    for doc, words in texts.items():
        texts[doc] = f"{words[:_WORDS]}{' ...' if len(words) > _WORDS else ''}"
    counts = [(name, of_run.abstention) for name, of_run in results.items()]
    messages = [*dict.fromkeys((*comparison.notes, *notes))]
    names = {path: Path(path).name if os.path.isfile(path) else path for path in files}
    for path, name in names.items():
        messages = [message.replace(path, name) for message in messages]
    imposed = [message.partition(f"{IMPOSED}. ") for message in messages if IMPOSED in message]
    cautions, advice = [where + IMPOSED for where, *_ in imposed], [remedy for *_, remedy in imposed]
    few = few_units(comparison.units, comparison.unit, " for a test") if comparison.compared else []
    page: str = template()(
        cautions=cautions + [words.partition(":")[0] for words in few],
        advice=advice,
        title=title,
        version=__version__,
        gate=gate,
        found=comparison,
        charted=np.flatnonzero(np.isfinite(comparison.means["all"]).all(axis=1)).tolist(),
        view=view,
        verdict=view.verdict(policies),
        comparison=replace(comparison, notes=()).to_html(),  # the page has a section of notes
        abstention=counts if any(of_run.silent for _, of_run in counts) else [],
        lengths=view.length_bars(),
        policies=policies,
        topics=view.topics(first),
        queries=asked,
        texts=texts,
        notes=messages,
        files=[(names[path], *file) for path, file in files.items()],
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        versions={"Python": platform.python_version()} | {name: version(name) for name in _PACKAGES},
    )
    return page


def template(name: str = "report.html", package: str = "ir_trunc._report") -> Any:
    """What renders a page of a package, which may include templates of this one."""
    # jinja2 is imported when a page is written.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    loader = ChoiceLoader([*map(PackageLoader, dict.fromkeys((package, "ir_trunc._report")))])
    blocks: Any = {"trim_blocks": True, "lstrip_blocks": True}
    found = Environment(loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, **blocks)
    found.filters.update(
        shown=lambda value: printable(str(value)),
        number=lambda value, digits=4: "–" if value != value else f"{value:.{digits}f}",
        counted=lambda count, one, many="": f"one {one}" if count == 1 else counted(count, one, many),
        plural=plural,
        short=lambda name: shortened(str(name), 19),
        change=lambda value: f"{value:+.4f}" if round(value, 4) else "0.0000",
        documents=lambda mean: f"{mean:,.0f}" if mean >= 100 else f"{mean:.1f}",
    )
    return found.get_template(name).render


def _first_documents(named: Mapping[str, Any], lists: Mapping[str, Rankings]) -> dict[str, list[list[str]]]:
    """The ids of the first documents of every list of every run."""
    first = {}
    for name, run in named.items():
        rankings = lists[name]
        ranked = RankedRows.of(run, strings(rankings.topics))
        docs: list[list[str]] = [[] for _ in range(len(rankings))]
        top = np.flatnonzero(ranked.rank <= np.minimum(_SHOWN, rankings.lengths)[ranked.topic])
        for topic, doc in zip(ranked.topic[top].tolist(), ranked.rows.docs.take(top).to_pylist()):
            docs[topic].append(doc)
        first[name] = docs
    return first


class _View:
    """The lists of several runs with their curves under one measure, in what the template shows.

    The measure is the first of those of single lists that reads their ends, else the first of these. Without
    one there are no curves, and the measure is the first of all.
    """

    def __init__(
        self, evaluator: Evaluator, found: Comparison, results: Mapping[str, Results], unit: str | None
    ):
        bounds = evaluator.by_measure.items()
        own = {str(each): of for each, of in bounds if of and of.definition.scope == "list"}
        to_ends = [name for name, bound in own.items() if "end" in bound.reads]
        self.lists = {name: of_run.rankings for name, of_run in results.items()}
        self.found, self.unit, self.own = found, unit, own
        self.measure: str = [*to_ends, *own, *found.measures][0]
        self.lower_is_better = lower_is_better(self.measure)
        self.row = found.measures.index(self.measure)
        self.cutoff = own[self.measure].cutoff if own else None  # documents below it change no score
        self.curves = {run: own[self.measure].curve(of) for run, of in self.lists.items()} if own else {}
        best = {run: curve.best() for run, curve in self.curves.items()}
        self.best = {run: lengths for run, (lengths, _) in best.items()}  # of each list's best cut
        lost = [best[run][1] - curve.own() for run, curve in self.curves.items()]
        self.regrets = oriented(self.measure, np.array(lost)) if own else np.zeros_like(found.values[0])
        self.universes = {name: of_run.universe for name, of_run in results.items()}
        self.size = len(found.systems) * len(found.topics)

    def mean(self, run: str, values: Any) -> float:
        """The mean of values of a run's lists over units, as the means of the comparison are."""
        weights = units_of(self.lists[run], self.unit)[2]
        return float(np.average(values, weights=weights)) if len(weights) else float("nan")

    def verdict(self, policies: dict[str, Any]) -> dict[str, Any]:
        """The best system (with a baseline, of the others), the next or the baseline, and the best policy."""
        found = self.found
        means = dict(zip(found.systems, found.means["all"][self.row].tolist()))
        ranked = sorted(means, key=lambda name: -oriented(self.measure, means[name]))
        best = next((name for name in ranked if name != found.baseline), ranked[0])
        other = ranked[:2][-1] if found.baseline is None else found.baseline
        tests: dict[tuple[str, str], dict[str, Any]] = {}
        for column, (first, second) in enumerate(found.compared):
            test = {name: float(of[self.row, column]) for name, of in found.tested.items()}
            test["significant"] = bool(found.significant[self.row, column])
            turned = {"at_low": -test["at_high"], "at_high": -test["at_low"]}
            tests |= {(first, second): test, (second, first): test | turned}
        return {
            "means": means,
            "best": best,
            "other": other,
            "test": tests.get((best, other)),
            "differ": [test["significant"] for (system, _), test in tests.items() if system == best],
            "policy": self.best_policy(policies, best),
            "length": self.mean(best, self.lists[best].lengths),
            "mean": "mean" if isinstance(parse_measure(self.measure).aggregator(), MeanAgg) else "total",
        }

    def best_policy(self, policies: dict[str, Any], run: str) -> dict[str, Any] | None:
        """The policy with the best score, and the change that is to be expected of the best on new topics."""
        each = zip(policies["rows"], policies.get("values", ()))
        tried = [(row, of) for row, of in each if row["system"] == run and row["policy"] != POLICIES[-1]]
        if not tried:
            return None
        rows, values = zip(*tried)
        split = Split(self.lists[run], *units_of(self.lists[run], self.unit), [])
        own = split.unit_means(self.curves[run].own())
        changes = oriented(self.measure, np.array(values) - own)
        low, high = range_of(parse_measure(self.measure))
        estimates = [Estimate(of_policy, (low - high, high - low)) for of_policy in changes]
        scores, ones = changes.mean(axis=1), np.ones((len(changes) + 2, len(own)))
        samples = np.vstack([changes, ones])
        draws = selection.bootstrap(samples, np.arange(len(own)), np.zeros(len(own), bool), 0)
        chosen = draws.scores.argmax(axis=1)
        expected = selection.of_best(estimates, scores, draws.outside, chosen)
        change, *ends = oriented(self.measure, np.array(expected)).tolist()
        of_best = {"change": change, "change_low": min(ends), "change_high": max(ends)}
        return {**rows[int(scores.argmax())], **of_best, "candidates": len(rows)}

    def length_bars(self) -> list[dict[str, Any]]:
        """For each run the shares of its lists in bins of length, as they are and at their best cuts."""
        bins = {run: [self.lists[run].lengths, best] for run, best in self.best.items()}
        longest = max((int(of.max(initial=0)) for both in bins.values() for of in both), default=0)
        names = [str(length) for length in range(longest + 1)]
        if longest > _EACH_LENGTH:
            bins = {run: [bin_of(lengths) for lengths in both] for run, both in bins.items()}
            names = [bin_name(place).replace("-", "–") for place in range(int(bin_of(longest)) + 1)]
        count = len(names)
        systems = []
        for run, both in bins.items():
            shares = [(np.bincount(of, minlength=count) / max(1, len(of))).tolist() for of in both]
            bars = [{"bin": label, "own": own, "best": best} for label, own, best in zip(names, *shares)]
            mean, median = self.mean(run, self.lists[run].lengths), float(np.median(self.best[run]))
            systems.append({"name": run, "bars": bars, "mean": mean, "median": median})
        return systems

    def policies(self, folds: int, judged: bool) -> dict[str, Any]:
        """Scores of policies: rows for each run and policy, or the reason why there are none."""
        units = int(units_of(next(iter(self.lists.values())), self.unit)[1].max(initial=-1)) + 1
        why = ""
        if not self.curves:
            why = "no measure of the page scores each list by itself"
        elif judged:
            why = "they would be fitted to labels by a model and by people, which differ"
        elif units < 2:
            why = "one topic cannot be split"
        folds = min(folds, units)
        means = {run: self.mean(run, curve.own()) for run, curve in self.curves.items()}
        for tried in () if why else (POLICIES, WITHOUT_SCORES):
            try:
                lists = each_run(self.lists, "cross-validating")
                found = [*validated(parse_policies(tried), self.measure, lists, folds, unit=self.unit)]
            except IrTruncError as error:
                why = str(error).rstrip(".")
            else:
                about = {"why": why, "tried": tried, "folds": folds, "means": means}
                return {"rows": [row for row, _ in found], "values": [each for _, each in found], **about}
        return {"rows": [], "why": why}

    def topics(self, first_documents: Mapping[str, list[list[str]]]) -> dict[str, Any]:
        """Rows for the topics, the largest regret first (without curves: the lowest score first)."""
        found, few = self.found, self.size <= _LISTS
        ranks, points = (40, 24) if few else (16, 8)  # of a list and, about, of its curve
        first = next(iter(self.lists.values()))
        judged, graded = first.judgments, first.answers is not None
        relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(found.topics)) * ~found.nil
        values = found.values[self.row]
        worst = self.regrets.max(axis=0) if self.curves else -oriented(self.measure, values.mean(axis=0))
        topics = []
        for topic in np.argsort(-worst, kind="stable").tolist():
            paths, rows = self._paths(topic, points) if self.curves else {}, []
            for place in np.argsort(-self.regrets[:, topic], kind="stable").tolist():
                name = found.systems[place]
                best = int(self.best[name][topic]) if self.curves else None
                shown = _of_list(self.lists[name], topic, ranks, best)
                shown |= {"system": name, "score": float(values[place, topic]), "curve": paths.get(name)}
                shown["regret"] = float(self.regrets[place, topic])
                shown["documents"] = first_documents[name][topic] if few and first_documents else []
                shown["why"] = None
                if self.curves and self.size <= _EXPLAINED:
                    measure, bound = parse_measure(self.measure), self.own[self.measure]
                    shown["why"] = explained(measure, bound, self.lists[name], topic)
                rows.append(shown)
            row = {"id": found.topics[topic], "nil": bool(found.nil[topic]), "lists": rows}
            row["relevant"] = "–" if graded else int(relevant[topic])
            row["judged"] = "–" if graded else int(judged.offsets[topic + 1] - judged.offsets[topic])
            topics.append(row | {"mean": float(values[:, topic].mean())})
        return {"rows": topics, "ranks": ranks}

    def _paths(self, topic: int, points: int) -> dict[str, dict[str, Any]]:
        """The curves of a topic as SVG paths over logarithmic depths, with their ends and best cuts."""
        bounds = slice(topic, topic + 2)
        values = {name: of.values[slice(*of.offsets[bounds])] for name, of in self.curves.items()}
        low, high = (float(of([of(scores) for scores in values.values()])) for of in (np.nanmin, np.nanmax))
        widest = max(np.log1p(max(map(len, values.values())) - 1), 1e-9)
        paths = {}
        for name, scores in values.items():
            end, best = len(scores) - 1, int(self.best[name][topic])
            depths = np.unique(np.rint(np.expm1(np.linspace(0, np.log1p(end), points))).astype(int))
            depths = np.union1d(depths, [best, end])
            depths = depths[np.isfinite(scores[depths])]  # of graded answers, the first may have no score
            x = np.rint(4 + (_CURVE_WIDTH - 8) * np.log1p(depths) / widest).astype(int).tolist()
            height = (_CURVE_HEIGHT - 8) * (scores[depths] - low) / max(high - low, 1e-12)
            y = np.rint(_CURVE_HEIGHT - 4 - height).astype(int).tolist()
            line = "".join(f"{sign}{a} {b}" for sign, a, b in zip(chain("ML", repeat(" ")), x, y))
            point = dict(zip(depths.tolist(), zip(x, y)))
            paths[name] = {"line": line, "end": point[end], "best": point[best]}
        return paths


def _of_list(rankings: Rankings, topic: int, most: int, best: int | None) -> dict[str, Any]:
    """One list to rank `most`, in signs and in words; `best` is the length of its best cut."""
    length = int(rankings.lengths[topic])
    hits = slice(rankings.judged_offsets[topic], rankings.judged_offsets[topic + 1])
    grade = dict(zip(rankings.judged_ranks[hits].tolist(), rankings.judged_grades[hits].tolist()))
    signs = {place: _RELEVANT if value > 0 else _OTHER for place, value in grade.items()} | {0: ""}
    ends = {best: _BEST, length: _END}
    shown = [signs.get(place, _UNJUDGED) + ends.get(place, "") for place in range(min(length, most) + 1)]
    relevant = [place for place, value in grade.items() if value > 0]
    ranks = ", ".join(map(str, relevant[:8])) + (" …" if len(relevant) > 8 else "")
    about = {"length": length, "best": best, "found": len(relevant), "ranks": ranks, "relevant": relevant}
    return about | {"signs": "".join(shown), "more": max(length - most, 0)}


# Texts of queries and documents, by their ids.


def read_texts(
    kind: str, data: Any, wanted: Collection[str], columns: Columns = NO_COLUMNS
) -> dict[str, str]:
    """The texts of the ids that are wanted; a warning counts those that the data lack.

    kind: 'queries' or 'documents'. data: `{id: text}`, a path, or a data set of ir_datasets or its id.
    columns: what the user calls ids.
    """
    if data is None:
        return {}
    ids = frozenset(wanted)
    names = Columns(columns).candidates(*_IDS[kind])
    if is_path_like(data) and (os.path.isdir(data) or not os.path.exists(data)):
        name, data = os.fspath(data), load_dataset(os.fspath(data))
        if data is None:
            raise InputError(f"{kind} {name}: there is no such file; {_NEEDED}.")
    items: Iterable[tuple[Any, Any]]
    if isinstance(data, Mapping):
        items = data.items()
    elif is_path_like(data):
        items = _of_file(names, data, f"{kind} {os.fspath(data)}")
    elif hasattr(data, "queries_iter" if kind == "queries" else "docs_iter"):
        items = _of_dataset(kind, data, ids)
    else:
        raise InputError(f"{kind} of type {type(data).__name__}: {_NEEDED}.")
    texts: dict[str, str] = {}
    for name, words in items:
        if not isinstance(words, str):
            raise InputError(f"{kind}: the text of {shown(name)} is {type(words).__name__}; {_NEEDED}.")
        key, line = one_id(name, "id", kind), " ".join(words.split())
        if key in ids and texts.setdefault(key, line) != line:
            both = f"{shown(texts[key])} and {shown(line)}"
            raise InputError(f"{kind}: {shown(key)} has two texts, {both}; each id needs one.")
    if lacking := [name for name in wanted if name not in texts]:
        warn(f"{kind}: no text for {len(lacking)} of {len(wanted)} (for example {shown(lacking[0])}).")
    return texts


def _of_file(names: Sequence[Any], path: str | os.PathLike[str], source: str) -> Iterator[tuple[Any, Any]]:
    """Lines of an id and a text behind a tab, CSV or TSV with a header, JSON, or TREC topics and documents.

    names: what ids are called.
    """
    text = parts(path, source, (b"<", b"{", b"["))
    first = next(text, b"")
    data, start = chain([first], text), first.lstrip()[:1]
    if start == b"<":
        mark = None
        for mark, attributes, words in _marked(decoded(b"".join(data), f"{source} is")):
            marked_id = re.search(r"number\s*=\s*[\"']([^\"']+)", attributes) or _MARKED_ID.search(words)
            if marked_id is None:
                raise InputError(f"{source}: {shown(mark + words)} has no id.")
            words = _TAG.sub(" ", _MARKED_ID.sub(" ", words))
            yield marked_id[marked_id.lastindex or 0], html.unescape(words)
        if mark is None:
            raise InputError(f"{source} holds no <top>, <topic> or <doc>; {_NEEDED}.")
    elif start in (b"{", b"["):
        for place, line in json_texts(data, source):
            content, is_whole = read_json(line, place), place == source
            if is_whole and isinstance(content, Mapping) and content.keys().isdisjoint(names):
                yield from content.items()
            else:
                items = content if isinstance(content, list) and is_whole else [content]
                yield from (_of_object(names, item, place) for item in items)
    else:
        lines = numbered_lines(data, source)
        head = [*islice(lines, 1)]
        columns, separator = header(head[0][1] if head else b"")
        if not {*names}.isdisjoint(columns) and not {*_TEXTS}.isdisjoint(columns):
            rows = (decoded(row, f"{place} is") for place, row in lines)
            table = csv.DictReader(rows, columns, delimiter=separator)
            yield from (_of_object(names, item, f"{source}, row {row}") for row, item in enumerate(table, 2))
            return
        for place, row in chain(head, lines):
            name, tab, rest = row.partition(b"\t")
            if not tab:
                neither = f"no tab between an id and a text, nor a header with {names[0]} and text"
                raise InputError(f"{place}: there is {neither}; {_NEEDED}.")
            yield decoded(name.strip(), f"{place}: the id is"), decoded(rest, f"{place}: the text is")


def _marked(text: str) -> Iterator[tuple[str, str, str]]:
    """The start, its attributes and the content of each topic or document that has an end."""
    last_end = {mark[2].lower(): mark.start() for mark in _MARK.finditer(text) if mark[1]}
    start = None
    for mark in _MARK.finditer(text):
        name = mark[2].lower()
        if start is None:
            start = mark if not mark[1] and last_end.get(name, -1) > mark.start() else None
        elif mark[1] and name == start[2].lower():
            yield start[0], start[3], text[start.end() : mark.start()]
            start = None


def _of_object(names: Sequence[Any], item: Any, place: str) -> tuple[Any, str]:
    """The id and the texts of one JSON object, or of a row."""
    ids = [name for name in names if isinstance(item, Mapping) and name in item]
    texts = [item[name] for name in _TEXTS if ids and name != ids[0] and isinstance(item.get(name), str)]
    if not ids or not texts:
        of = f"{', '.join(map(str, names))}; and of the texts {', '.join(_TEXTS)}"
        raise InputError(f"{place}: an object with an id and a text is needed; names of ids are {of}.")
    return item[ids[0]], " ".join(texts)


def _of_dataset(kind: str, dataset: Any, wanted: Collection[str]) -> list[tuple[str, str]]:
    """Queries or documents of ir_datasets; documents are looked up where the data set can do so."""

    def texts() -> Iterator[tuple[str, str]]:
        if kind == "queries":
            yield from ((query.query_id, query.default_text()) for query in dataset.queries_iter())
            return
        has_store = hasattr(dataset, "docs_store")
        docs = dataset.docs_store().get_many_iter(list(wanted)) if has_store else dataset.docs_iter()
        yield from ((doc.doc_id, doc.default_text()) for doc in docs if doc.doc_id in wanted)

    return loaded(dataset, texts)
