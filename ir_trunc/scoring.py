"""The verbs: ir-measures' names and order of arguments, with wider doors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
from ir_measures import Measure

from ir_trunc.curve import Curve
from ir_trunc.errors import InputError, ParameterError, UnknownMeasureError
from ir_trunc.io import RUN, Qrels, Rows, read, read_qrels
from ir_trunc.measures import curves as curves_of
from ir_trunc.measures import scores
from ir_trunc.measures.text import split
from ir_trunc.provider import bind, parse_measure
from ir_trunc.rankings import Floats, Rankings
from ir_trunc.results import Aggregated, Results

if TYPE_CHECKING:
    import pandas as pd

Runs = Mapping[str, Any] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Evaluator:
    """Measures and qrels made ready once, for any number of runs.

    measures: texts (`"RBPT(p=0.5)"`; blanks separate several in one text), ir-measures objects, or a list of both. qrels: a
    path, plain or gzipped; `{topic: {document: grade}}`; named tuples; a pandas, polars or pyarrow frame with the columns
    query_id, doc_id and relevance; None where runs come as `Rankings`, which hold their judgments. Measures that ir_trunc
    does not compute itself are asked of ir-measures.
    """

    def __init__(self, measures: Any, qrels: Any):
        self.measures = parse_measures(measures)
        self.bound = [bind(measure) for measure in self.measures]
        self.qrels = None if qrels is None else read_qrels(qrels)

    def calc(self, run: Any) -> Results:
        """Scores of one run: by topic and in the mean."""
        rows, rankings = self._open(run)
        own = iter(scores((bound for bound in self.bound if bound), rankings))
        asked = iter(self._ask_others(rows, rankings))
        values = [next(own) if bound else next(asked) for bound in self.bound]
        return Results(self.measures, rankings.topics, np.array(values))

    def calc_aggregate(self, run: Any) -> Aggregated:
        """Mean scores of one run."""
        return self.calc(run).aggregated

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield a Metric for each measure and topic."""
        return self.calc(run).metrics()

    def curves(self, run: Any) -> dict[Measure, Curve]:
        """The score at every depth of every list, for each measure."""
        for measure, bound in zip(self.measures, self.bound):
            if bound is None:
                raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: it has no curve.")
        rankings = self._open(run)[1]
        return dict(zip(self.measures, curves_of((bound for bound in self.bound if bound), rankings)))

    def _open(self, run: Any) -> tuple[Rows | None, Rankings]:
        rows = None if isinstance(run, Rankings) else read(run, RUN)
        return rows, rankings_of(self.qrels, run if rows is None else rows)

    def _ask_others(self, rows: Rows | None, rankings: Rankings) -> list[Floats]:
        """Scores of the measures that only other providers of ir-measures know (Q each)."""
        others = [measure for measure, bound in zip(self.measures, self.bound) if not bound]
        if not others:
            return []
        if rows is None or self.qrels is None:
            raise InputError(f"{others[0]} is asked of ir-measures, which needs document ids: Rankings have none.")
        qrels, run = self.qrels.to_dict(), rows.to_dict()
        # One at a time: beside a judged_only measure, ir_measures 0.4.3 may let NumRet count judged documents only.
        by_topic = ({m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)} for measure in others)
        return [np.array([values[topic] for topic in rankings.topics], dtype=np.float64) for values in by_topic]


def rankings_of(qrels: Qrels | None, run: Any) -> Rankings:
    """The ranked lists of a run in any of the forms that `calc` takes, or of rows that were read already."""
    if isinstance(run, Rankings):
        return run
    if qrels is None:
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    return qrels.rank(run if isinstance(run, Rows) else read(run, RUN))


def parse_measures(measures: Any) -> tuple[Measure, ...]:
    """Measures from texts and objects, each once, in the order given."""
    given = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    parts = [part for item in given for part in (split(item) if isinstance(item, str) else [item])]
    if not parts:
        raise ParameterError("No measure is given; 'RBPT nDCG@10', for example.")
    return tuple(dict.fromkeys(parse_measure(part) for part in parts))


def evaluator(measures: Any, qrels: Any) -> Evaluator:
    """Measures and qrels made ready for several runs; see `Evaluator`."""
    return Evaluator(measures, qrels)


def calc(measures: Any, qrels: Any, run: Any) -> Results:
    """Scores of a run by topic and in the mean.

    >>> results = calc("RBPT nDCG@10", {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    >>> aggregated, per_query = results
    >>> results.to_pandas().round(3).values.tolist()
    [[0.84, 1.0]]

    measures, qrels: see `Evaluator`. run: a path, plain or gzipped; `{topic: {document: score}}`; named tuples; a frame with
    the columns query_id, doc_id and score (and cost, where documents differ in it); or `Rankings`. Every topic of the qrels
    is scored, one that the run lacks as an empty list. Raises InputError, ParameterError or UnknownMeasureError, all of them
    ValueErrors.
    """
    return Evaluator(measures, qrels).calc(run)


def calc_aggregate(measures: Any, qrels: Any, run: Any) -> Aggregated:
    """Mean scores of a run: a dict from measure to value; see `calc`."""
    return calc(measures, qrels, run).aggregated


def iter_calc(measures: Any, qrels: Any, run: Any) -> Iterator[ir_measures.Metric]:
    """Yield a Metric (query_id, measure, value) for each measure and topic; see `calc`."""
    return calc(measures, qrels, run).metrics()


def curves(measures: Any, qrels: Any, run: Any) -> dict[Measure, Curve]:
    """The score at every depth of every list, for each measure; see `calc`."""
    return Evaluator(measures, qrels).curves(run)


def compare(measures: Any, qrels: Any, runs: Runs, *, long: bool = False) -> pd.DataFrame:
    """Mean scores of several runs: a DataFrame with a row for each system and a column for each measure.

    runs: `{name: run}`, or paths of files and folders, which are then named by their files. long=True: the scores by topic
    instead, in the columns system, query_id, measure, value. A progress bar shows on a terminal where it takes long.
    """
    import pandas as pd

    tables = {name: results.to_pandas() for name, results in iter_compare(measures, qrels, runs)}
    if long:
        whole = pd.concat(tables, names=["system"]).reset_index()
        return whole.melt(["system", "query_id"], var_name="measure", value_name="value")
    frame = pd.DataFrame({name: results.mean() for name, results in tables.items()}).T
    return frame.rename_axis("system")


def iter_compare(measures: Any, qrels: Any, runs: Runs) -> Iterator[tuple[str, Results]]:
    """Yield (name, Results) for each run, with a progress bar on a terminal."""
    ready = Evaluator(measures, qrels)
    for name, run in each_run(runs, "scoring"):
        yield name, ready.calc(run)


def each_run(runs: Runs, doing: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, run) for each run, with a progress bar on a terminal where it takes long."""
    from tqdm import tqdm

    named = dict(runs) if isinstance(runs, Mapping) else by_file_name(runs)
    for name, run in tqdm(named.items(), desc=doing, unit="run", disable=None, delay=1, leave=False):
        yield str(name), run


def by_file_name(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> dict[str, Path]:
    """Runs named by their files, without '.gz'; by their whole paths where names repeat. A folder stands for its files."""
    given = [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]
    files = [file for path in given for file in (folder_files(path) if path.is_dir() else [path])]
    names = [file.name.removesuffix(".gz") for file in files]
    if len(set(names)) < len(names):
        names = [str(file) for file in files]
    if len(set(names)) < len(names):
        raise InputError(f"run {next(name for name in names if names.count(name) > 1)} is given twice.")
    return dict(zip(names, files))


def folder_files(folder: Path) -> list[Path]:
    """The files of a folder by name, without hidden ones; InputError where there are none."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"folder {folder} holds no files: the runs are needed.")
    return files
