"""What this process does beside the workers of Dask or Spark: it reads options and paths, and scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, UnknownMeasureError
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.rank import Piece, put_together
from ir_trunc._read.readers.trec import trec
from ir_trunc._read.reading import MARK, RANK, RUN, nothing_in
from ir_trunc._read.registry import reader_of, shape_of
from ir_trunc._read.rows import Samples
from ir_trunc._read.text import GZIP_MAGIC
from ir_trunc.measures import scores
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.results import Results

DASK, SPARK = "run (Dask)", "run (Spark)"
BLOCK = 1 << 25  # bytes of a text file that are one partition


def ready_for(measures: Any, qrels: Any, options: Options) -> tuple[Evaluator, Qrels]:
    """The evaluator and its qrels; an error where the run would be needed on one machine."""
    ready = Evaluator(measures, qrels, **options)
    if ready.qrels is None:
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    if ready.reading.by_rows:
        raise InputError(
            "order='file' and duplicates='first' need the run on one machine: a shuffle loses the order of"
            " rows."
        )
    for measure in ready.others.values():
        raise UnknownMeasureError(
            f"{measure} is not computed by ir_trunc: other tools need the run on one machine."
        )
    return ready, ready.qrels


def for_workers(qrels: Qrels) -> Qrels:
    """The qrels without their rows, which ranking does not need."""
    return replace(qrels, given=qrels.rows.take(np.zeros(0, np.int64)))


def are_lines(run: Any) -> bool:
    """Whether a run is paths of TREC lines, which workers can read; other forms are read and scored here."""
    paths = run if isinstance(run, (list, tuple)) else [run]
    return bool(paths) and all(
        shape_of(path) == "path" and (not os.path.exists(path) or reader_of(path, RUN) is trec)
        for path in paths
    )


def scored_here(ready: Evaluator, run: Any, frame: str) -> Results:
    """The scores of a run that only this process can read."""
    if not hasattr(run, "__next__"):  # an iterator is read once
        reader_of(run, RUN, frame)
    return ready.calc(run)


def paths_of(run: Any) -> tuple[list[str], str]:
    """Paths as text, and what to call them in a message."""
    given = run if isinstance(run, (list, tuple)) else [run]
    paths = [os.fspath(path) for path in given]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return paths, f"run {paths[0]}{more}"


def to_look_at(found: Iterable[str], read: Mapping[str, Any]) -> list[str]:
    """Columns that are not read, but may be a sign that the run is not what it seems."""
    return [name for name in (RANK, MARK) if name in found and name not in read]


def scored(ready: Evaluator, qrels: Qrels, parts: Sequence[Piece], source: str, samples: Samples) -> Results:
    """The scores of the run's lists, put together."""
    if source not in (DASK, SPARK) and not any(part.notes.known or part.notes.strangers for part in parts):
        raise nothing_in(source, RUN)
    rankings = put_together(qrels, parts, source, ready.reading, samples)
    ready.doubts.warn(source, rankings)
    return Results(ready.measures, rankings, np.array(scores(ready.bound, rankings)))


def blocks_of(paths: list[str], source: str) -> list[tuple[Any, str, int, int | None]]:
    """File system, path, first byte and length of every partition of text files; a gzipped file is one."""
    from fsspec.core import get_fs_token_paths

    system, _, found = get_fs_token_paths(paths, mode="rb")
    blocks: list[tuple[Any, str, int, int | None]] = []
    for path in found:
        try:
            info = system.info(path)
        except FileNotFoundError:
            raise FileNotFoundError(f"run {path}: there is no such file.") from None
        if info["type"] == "directory":
            raise InputError(f"run {path} is a directory: name the files in it, {path}/* for example.")
        with system.open(path, "rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        if path.endswith(".gz") and info["size"] and not packed:
            raise InputError(f"run {path} is not a gzip file, although its name ends in .gz.")
        starts = [0] if packed else range(0, info["size"], BLOCK)
        blocks += [(system, path, start, None if packed else BLOCK) for start in starts]
    if not found:
        raise FileNotFoundError(f"{source}: there is no such file.")
    if not blocks:
        raise nothing_in(source, RUN)
    return blocks
