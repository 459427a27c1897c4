"""Dask and Spark: runs of any size are ranked by workers and scored here, as on one machine.

The engine shuffles the rows, so that those of a topic are contiguous, and every worker ranks its topics and
joins them to the qrels, of which it holds a copy. What comes back is one row for each list with its length
and its judged documents, never more than the qrels and the lengths (and the documents' costs, where the run
has some). The scores are computed from that here, by the code that scores a run on one machine: every measure
works, also those that look at all lists at once, and the digits are the same to the last bit. A worker that
is lost loses nothing: the engine does its part again.

Workers need ir_trunc installed, and memory for a partition of the shuffled rows; more partitions are smaller
ones.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from ir_trunc._core.errors import InputError, IrTruncError, MissingFileError, UnknownMeasureError
from ir_trunc._core.lazy import needed, pd
from ir_trunc._ranking.qrels import Qrels, QrelsLike
from ir_trunc._ranking.runs import Piece, put_together, rank_piece, with_missing
from ir_trunc._read.readers.trec import rows_of_lines, trec
from ir_trunc._read.reading import MARK, RANK, RUN, Layout, Unpack, nothing_in
from ir_trunc._read.registry import reader_of, shape_of
from ir_trunc._read.rows import Rows, Samples
from ir_trunc._read.tables import COST, SHOWN, columns_of, rows_of_table
from ir_trunc._read.text import GZIP_MAGIC
from ir_trunc.measures import scores
from ir_trunc.scoring.evaluator import Evaluator, Options, warn_about_lists
from ir_trunc.scoring.objects import MeasureLike
from ir_trunc.scoring.results import Results

__all__ = ["dask", "spark"]

# Of each field: the Arrow type, the Spark type, the Spark types that can be read as it, and these in words.
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TEXT = pa.string(), "string", ("string", *_WHOLE), "text or whole numbers"
_NUMBER = pa.float64(), "double", ("float", "double", "decimal", *_WHOLE), "numbers"
_PLACE = pa.int64(), "bigint", _WHOLE, "whole numbers"
_TRUTH = pa.bool_(), "boolean", ("boolean",), "truth values"
_TYPES = {
    **dict.fromkeys(("query_id", "doc_id", MARK), _TEXT),
    **dict.fromkeys(("score", COST), _NUMBER),
    **{RANK: _PLACE, SHOWN: _TRUTH},
}

_SAMPLE = 256  # rows of a Spark DataFrame that are examined for warnings
BLOCK = 1 << 25  # bytes of a text file that are one partition


def dask(measures: MeasureLike, qrels: QrelsLike, run: Any, **options: Unpack[Options]) -> Results:
    """Scores of a run by Dask, with the current client or, without one, on the processors of this machine.

    A run in any other form that `ir_trunc.calc` takes is read and scored in this process.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `ir_trunc.calc`, without measures that other tools compute, and without `order='file'` and
        `duplicates='first'`: a shuffle loses the order of the rows.
    run : dask.dataframe.DataFrame, path or list of paths
        A frame with the columns query_id or qid, doc_id or docno, and score (and cost); or paths of TREC
        runs, plain or gzipped, with wild cards, on any file system that fsspec knows. A gzipped file is one
        partition.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        Where qrels or run cannot be read, or an option needs the run on one machine.
    IrTruncError
        Where Dask is not installed.

    Examples
    --------
    >>> from ir_trunc.adapters import scale
    >>> scale.dask("RBPT", {"q": {"a": 1}}, {"q": ["a"]}).aggregated
    {RBPT: 1.0}
    """
    evaluator, judged = _evaluator(measures, qrels, options)
    with needed("scale.dask needs Dask", "dask", IrTruncError):
        import dask.dataframe as dd
        from dask import compute, config, delayed
    layout = replace(RUN, reading=evaluator.reading)
    if isinstance(run, dd.DataFrame):
        source = "run (Dask)"
        columns = columns_of(run.columns, layout, source)
        empty = {name: pa.array([], _TYPES[field][0]) for field, name in columns.items()}
        no_rows = rows_of_table(pa.table(empty), layout, source)
        partitions = run[_names_of(run, columns)].to_delayed()
        tidied = delayed(_tidied, nout=2)
        pieces = [tidied(part, f"{source}, partition {at}", layout) for at, part in enumerate(partitions)]
    elif _are_lines(run):
        no_rows = rows_of_lines(b"", layout, "run")
        paths, source = _paths_of(run)
        pieces = [delayed(_lines_read, nout=2)(*block, layout) for block in _blocks(paths, source)]
    else:
        return _scored_here(evaluator, run, "a Dask DataFrame")
    frames = dd.from_delayed([frame for frame, _ in pieces], meta=_frame(no_rows))
    shuffled = frames.shuffle("query_id").to_delayed()
    # In the graph, not scattered: what is scattered to a worker is lost with it.
    judged_there = delayed(judged, traverse=False)
    layout_again = replace(RUN, reading=evaluator.reading.again)
    # The default threshold is for graphs that are large by mistake.
    with config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        ranked = [delayed(_ranked)(judged_there, part, source, layout_again) for part in shuffled]
        parts, samples = compute(ranked, [sample for _, sample in pieces])
    return _results(evaluator, parts, source, sum(samples, ()), is_frame=isinstance(run, dd.DataFrame))


def spark(measures: MeasureLike, qrels: QrelsLike, run: Any, **options: Unpack[Options]) -> Results:
    """Scores of a run by Spark, in the session of the DataFrame, or for paths in the active one.

    A run in any other form that `ir_trunc.calc` takes is read and scored in this process.

    Parameters
    ----------
    measures, qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `dask`.
    run : pyspark.sql.DataFrame, path or list of paths
        As for `dask`, on any file system that Spark reads, and in any form that it decompresses.

    Returns
    -------
    Results

    Raises
    ------
    InputError, IrTruncError
        As for `dask`.

    Examples
    --------
    >>> from ir_trunc.adapters import scale
    >>> scale.spark("RBPT", {"q": {"a": 1}}, {"q": ["a"]}).aggregated
    {RBPT: 1.0}
    """
    evaluator, judged = _evaluator(measures, qrels, options)
    layout = replace(RUN, reading=evaluator.reading)
    with needed("scale.spark needs PySpark", "spark", IrTruncError):
        from pyspark.errors import AnalysisException
        from pyspark.sql import SparkSession, functions
    samples: Samples = ()  # those of lines are in the parts
    if is_frame := hasattr(run, "mapInArrow"):
        source = "run (Spark)"
        columns = columns_of(run.columns, layout, source)
        types, cast = dict(run.dtypes), []
        for field, name in columns.items():
            _, spark_type, readable, words = _TYPES[field]
            if not types[name].startswith(readable):
                raise InputError(f"{source}: column {name} is of type {types[name]}; {words} are needed.")
            cast.append(run[name].cast(spark_type).alias(field))
        rows = run.select(*cast)
    elif _are_lines(run):
        paths, source = _paths_of(run)
        try:
            lines = SparkSession.builder.getOrCreate().read.text(paths)
        except AnalysisException as error:
            raise MissingFileError(f"{source}: {str(error).splitlines()[0]}") from None
        topic = functions.regexp_extract("value", r"^\s*(\S+)", 1).alias("query_id")
        rows = lines.select(topic, functions.col("value").cast("binary").alias("line"))
    else:
        return _scored_here(evaluator, run, "a Spark DataFrame")

    def in_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = list(batches)
        if held:
            part = _packed(judged, pa.Table.from_batches(held), source, layout)
            yield pa.RecordBatch.from_pydict({"part": [part]})

    collected = rows.repartition("query_id").mapInArrow(in_parts, "part binary").collect()
    parts = [pickle.loads(row["part"]) for row in collected]
    for part in parts:
        if isinstance(part, IrTruncError):
            raise part
    if is_frame:
        names = _names_of(run, columns)
        first_rows = run.select(*names).limit(_SAMPLE).collect()
        table = pa.table({name: [row[name] for row in first_rows] for name in names})
        samples = rows_of_table(table, layout, source).samples
    return _results(evaluator, parts, source, samples, is_frame)


# In this process.


def _evaluator(measures: Any, qrels: Any, options: Options) -> tuple[Evaluator, Qrels]:
    """The evaluator, and its qrels without rows; an error where the run would be needed on one machine."""
    evaluator = Evaluator(measures, qrels, **options)
    if evaluator.qrels is None:
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    if evaluator.reading.order == "file" or evaluator.reading.duplicates == "first":
        what = "order='file' and duplicates='first' need the run on one machine"
        raise InputError(f"{what}: a shuffle loses the order of rows.")
    if evaluator.over_ties:
        raise InputError("ties='expected' needs the run on one machine: ir_trunc.calc scores it.")
    for measure in evaluator.others.values():
        raise UnknownMeasureError(
            f"{measure} is not computed by ir_trunc: other tools need the run on one machine."
        )
    judged = evaluator.qrels
    return evaluator, replace(judged, given=judged.rows.take(np.zeros(0, np.int64)))


def _are_lines(run: Any) -> bool:
    """Whether a run is paths of TREC lines, which workers can read."""
    paths = run if isinstance(run, (list, tuple)) else [run]
    return bool(paths) and all(
        shape_of(path) == "path" and (not os.path.exists(path) or reader_of(path, RUN) is trec)
        for path in paths
    )


def _scored_here(evaluator: Evaluator, run: Any, frame: str) -> Results:
    """The scores of a run in any other form, which only this process can read."""
    if not hasattr(run, "__next__"):  # an iterator is read once
        reader_of(run, RUN, frame)
    return evaluator.calc(run)


def _paths_of(run: Any) -> tuple[list[str], str]:
    """Paths as text, and what to call them in a message."""
    paths = [os.fspath(path) for path in (run if isinstance(run, (list, tuple)) else [run])]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return paths, f"run {paths[0]}{more}"


def _names_of(run: Any, columns: dict[str, str]) -> list[str]:
    """The columns that are read, and those that may be a sign that the run is not what it seems."""
    signs = [name for name in (RANK, MARK) if name in run.columns and name not in columns]
    return [*columns.values(), *signs]


def _results(
    evaluator: Evaluator, parts: Sequence[Piece], source: str, samples: Samples, is_frame: bool
) -> Results:
    """The scores of the run's lists, put together."""
    if not is_frame and not any(part.notes.known or part.notes.ignored for part in parts):
        raise nothing_in(source, RUN)
    assert evaluator.qrels is not None
    rankings = put_together(evaluator.qrels, parts, source, evaluator.reading, samples)
    rankings = with_missing(rankings, evaluator.missing, source)
    warn_about_lists(evaluator.bound, source, rankings)
    return Results(evaluator.measures, rankings, np.array(scores(evaluator.bound, rankings)))


def _blocks(paths: list[str], source: str) -> list[tuple[Any, str, int, int | None]]:
    """File system, path, first byte and length of every partition of text files; a gzipped file is one."""
    from fsspec.core import get_fs_token_paths

    system, _, files = get_fs_token_paths(paths, mode="rb")
    blocks: list[tuple[Any, str, int, int | None]] = []
    for path in files:
        try:
            info = system.info(path)
        except FileNotFoundError:
            raise MissingFileError(f"run {path}: there is no such file.") from None
        if info["type"] == "directory":
            raise InputError(f"run {path} is a directory: name the files in it, {path}/* for example.")
        with system.open(path, "rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        if path.endswith(".gz") and info["size"] and not packed:
            raise InputError(f"run {path} is not a gzip file, although its name ends in .gz.")
        starts = [0] if packed else range(0, info["size"], BLOCK)
        blocks += [(system, path, start, None if packed else BLOCK) for start in starts]
    if not files:
        raise MissingFileError(f"{source}: there is no such file.")
    if not blocks:
        raise nothing_in(source, RUN)
    return blocks


# On the workers.


def _ranked(qrels: Qrels, frame: Any, source: str, layout: Layout) -> Piece:
    """A partition of the shuffled rows, ranked."""
    return rank_piece(qrels, rows_of_table(frame, layout, source))


def _tidied(frame: pd.DataFrame, source: str, layout: Layout) -> tuple[pd.DataFrame, Samples]:
    """A partition with the column types that every shuffle can handle, and a sample for warnings."""
    rows = rows_of_table(frame, layout, source)
    return _frame(rows), rows.samples


def _lines_read(
    system: Any, path: str, start: int, length: int | None, layout: Layout
) -> tuple[pd.DataFrame, Samples]:
    """A partition of a text file: the lines that begin in this block, and a sample for warnings."""
    from fsspec.utils import read_block

    with system.open(path, "rb") as file:
        data = file.read() if length is None else read_block(file, start, length, b"\n")
    rows = rows_of_lines(data, layout, f"run {path}", None if start else 1)
    return _frame(rows), rows.samples


def _frame(rows: Rows) -> pd.DataFrame:
    """Rows as the frame that is shuffled."""
    columns = {
        "query_id": rows.topics.dictionary_decode(),
        "doc_id": rows.docs,
        "score": rows.values if rows.unscored is None else None,
        RANK: rows.ranks,
        COST: rows.costs,
        SHOWN: None if rows.hidden is None else ~rows.hidden,
    }
    table = pa.table({name: column for name, column in columns.items() if column is not None})
    frame: pd.DataFrame = table.to_pandas(types_mapper={pa.string(): pd.StringDtype("pyarrow")}.get)
    return frame


def _packed(qrels: Qrels, table: pa.Table, source: str, layout: Layout) -> bytes:
    """A part, or the error that it gives: Spark would hide it in a long text, and would try in vain again."""
    try:
        if "line" in table.column_names:
            lines = b"\n".join(table["line"].to_pylist())
            return pickle.dumps(rank_piece(qrels, rows_of_lines(lines, layout, source)))
        for field in ("query_id", "doc_id"):
            if table[field].null_count:
                row = table.filter(table[field].is_null()).slice(0, 1).to_pylist()[0]
                place = f"{source}, topic {row['query_id']}, document {row['doc_id']}"
                raise InputError(f"{place}: {field} is missing.")
        return pickle.dumps(_ranked(qrels, table, source, layout))
    except IrTruncError as error:
        return pickle.dumps(error)
