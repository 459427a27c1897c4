"""Past one machine: runs of any size, ranked where their rows are by Dask or Spark, scored as on one machine.

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

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import needed
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._read.readers.trec import rows_of_lines
from ir_trunc._read.reading import MARK, RANK, RUN, Layout, Unpack
from ir_trunc._read.rows import Samples
from ir_trunc._read.tables import COST, SHOWN, columns_of, rows_of_table
from ir_trunc.adapters import driver, workers
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike
from ir_trunc.scoring.results import Results

__all__ = ["dask", "spark"]

# Types of columns: here, in Spark, those of Spark that can be meant, and what is needed in words.
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

_SAMPLE = 256  # rows of a Spark DataFrame that are looked at


@keywords_of(Evaluator)
def dask(measures: MeasureLike, qrels: QrelsLike, run: Any, **options: Unpack[Options]) -> Results:
    """Scores of a run by Dask, with the current client or, without one, on the processors of this machine.

    A run in any other form that `ir_trunc.calc` takes is read and scored in this process.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
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
    ready, judged = driver.ready_for(measures, qrels, options)
    with needed("scale.dask needs Dask", "dask", IrTruncError):
        import dask.dataframe as dd
        from dask import compute, config, delayed
    layout, again = replace(RUN, reading=ready.reading), replace(RUN, reading=ready.reading.again)
    if isinstance(run, dd.DataFrame):
        source = driver.DASK
        columns = columns_of(run.columns, layout, source)
        empty = {name: pa.array([], _TYPES[field][0]) for field, name in columns.items()}
        none = rows_of_table(pa.table(empty), layout, source)
        given = run[list(columns.values()) + driver.to_look_at(run.columns, columns)].to_delayed()
        tidied = delayed(workers.tidied, nout=2)
        pieces = [tidied(piece, f"{source}, partition {at}", layout) for at, piece in enumerate(given)]
    elif not driver.are_lines(run):
        return driver.scored_here(ready, run, "a Dask DataFrame")
    else:
        none = rows_of_lines(b"", layout, "run")
        paths, source = driver.paths_of(run)
        blocks = driver.blocks_of(paths, source)
        pieces = [delayed(workers.read_block, nout=2)(*block, layout) for block in blocks]
    frames = dd.from_delayed([frame for frame, _ in pieces], meta=workers.as_frame(none))
    shuffled = frames.shuffle("query_id")
    # In the graph, not scattered: what is scattered to a worker is lost with it.
    judged_there = delayed(driver.for_workers(judged), traverse=False)
    # The default threshold is for graphs that are large by mistake.
    with config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        ranked = delayed(workers.ranked)
        ranked_there = [ranked(judged_there, piece, source, again) for piece in shuffled.to_delayed()]
        parts, samples = compute(ranked_there, [some for _, some in pieces])
    return driver.scored(ready, judged, parts, source, sum(samples, ()))


@keywords_of(Evaluator)
def spark(measures: MeasureLike, qrels: QrelsLike, run: Any, **options: Unpack[Options]) -> Results:
    """Scores of a run by Spark, in the session of the DataFrame, or for paths in the active one.

    A run in any other form that `ir_trunc.calc` takes is read and scored in this process.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`, without measures that other tools compute, and without `order='file'` and
        `duplicates='first'`: a shuffle loses the order of the rows.
    run : pyspark.sql.DataFrame, path or list of paths
        A frame with the columns query_id or qid, doc_id or docno, and score (and cost); or paths of TREC
        runs, plain or compressed, with wild cards, on any file system that Spark reads.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        Where qrels or run cannot be read, or an option needs the run on one machine.
    IrTruncError
        Where PySpark is not installed.

    Examples
    --------
    >>> from ir_trunc.adapters import scale
    >>> scale.spark("RBPT", {"q": {"a": 1}}, {"q": ["a"]}).aggregated
    {RBPT: 1.0}
    """
    ready, judged = driver.ready_for(measures, qrels, options)
    layout = replace(RUN, reading=ready.reading)
    with needed("scale.spark needs PySpark", "spark", IrTruncError):
        from pyspark.errors import AnalysisException
        from pyspark.sql import SparkSession, functions
    if hasattr(run, "mapInArrow"):
        source = driver.SPARK
        rows = run.select(*_cast(run, source, layout))
    elif not driver.are_lines(run):
        return driver.scored_here(ready, run, "a Spark DataFrame")
    else:
        paths, source = driver.paths_of(run)
        try:
            lines = SparkSession.builder.getOrCreate().read.text(paths)
        except AnalysisException as error:
            raise FileNotFoundError(f"{source}: {str(error).splitlines()[0]}") from None
        topic = functions.regexp_extract("value", r"^\s*(\S+)", 1).alias("query_id")
        rows = lines.select(topic, functions.col("value").cast("binary").alias("line"))
    judged_there = driver.for_workers(judged)

    def in_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = list(batches)
        if held:
            part = workers.packed(judged_there, pa.Table.from_batches(held), source, layout)
            yield pa.RecordBatch.from_pydict({"part": [part]})

    collected = rows.repartition("query_id").mapInArrow(in_parts, "part binary").collect()
    parts = [pickle.loads(row["part"]) for row in collected]
    for part in parts:
        if isinstance(part, IrTruncError):
            raise part
    # Those of lines are in the parts.
    samples = _looked_at(run, source, layout) if source == driver.SPARK else ()
    return driver.scored(ready, judged, parts, source, samples)


def _looked_at(run: Any, source: str, layout: Layout) -> Samples:
    """The first rows of a Spark DataFrame."""
    columns = columns_of(run.columns, layout, source)
    names = [*columns.values(), *driver.to_look_at(run.columns, columns)]
    rows = run.select(*names).limit(_SAMPLE).collect()
    return rows_of_table(
        pa.table({name: [row[name] for row in rows] for name in names}), layout, source
    ).samples


def _cast(run: Any, source: str, layout: Layout) -> list[Any]:
    """A Spark DataFrame's columns under the names and with the types that they have here.

    Raises InputError where a type cannot be meant.
    """
    columns = []
    for field, name in columns_of(run.columns, layout, source).items():
        known = dict(run.dtypes)[name]
        _, of_spark, meant, words = _TYPES[field]
        if not known.startswith(meant):
            raise InputError(f"{source}: column {name} is of type {known}; {words} are needed.")
        columns.append(run[name].cast(of_spark).alias(field))
    return columns
