"""Dask and Spark: the rows of a run are shuffled by list, and `arrow.scorer` scores them where they are.

The scores stay in the engine, a row for each list; or the lists are collected, without their documents, and
become the `Results` that one machine gives, to the last bit. A worker that is lost loses nothing: the engine
does its part again. Workers need ir_trunc. Dask's need memory for a partition of the shuffled rows; Spark's
hold some lists at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from ir_trunc._core.errors import InputError, IrTruncError, ParameterError
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._read.arrow import pa
from ir_trunc._read.reading import Unpack
from ir_trunc._scoring.evaluator import Options
from ir_trunc._scoring.objects import MeasureLike
from ir_trunc.adapters.arrow import Scorer, scorer

__all__ = ["dask", "spark"]

PATIENCE = 60.0  # seconds for which a cluster may be without any worker


def dask(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: Any,
    *,
    collect: bool = True,
    max_rel: int | None = None,
    **options: Unpack[Options],
) -> Any:
    """Scores of a run by Dask, with the current client or, without one, on the processors of this machine.

    Parameters
    ----------
    measures, qrels, max_rel, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld
        As for `ir_trunc.adapters.arrow.scorer`, without `order='file'` and `duplicates='first'`: a shuffle
        loses the order of the rows.
    run : dask.dataframe.DataFrame
        A row for each document, with the columns that `scorer` takes.
    collect : bool
        Whether the lists are collected in one result. Otherwise the scores stay in the engine.

    Returns
    -------
    Results or dask.dataframe.DataFrame
        In the frame, a row for each list: its keys, the measures, length and nil.

    Raises
    ------
    InputError
        Where qrels or run cannot be read.
    ParameterError
        As `scorer` raises it, and where an option needs the run on one machine.
    IrTruncError
        With `collect`, where Dask has no worker for 60 seconds, or gives up because workers died of the same
        task.

    Examples
    --------
    >>> import pandas as pd
    >>> from dask import dataframe
    >>> from ir_trunc.adapters import scale
    >>> clicks = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "relevance": [1]})
    >>> scale.dask("RBPT", None, dataframe.from_pandas(clicks, npartitions=1)).aggregated
    {RBPT: 1.0}
    """
    score = scorer(measures, qrels, collect=collect, max_rel=max_rel, source="run (Dask)", **options)
    keys, names = _columns(
        score, run, "map_partitions", "a Dask DataFrame, which dask.dataframe.read_parquet"
    )
    from dask import delayed
    from dask.dataframe import from_delayed

    # In the graph, not scattered: what is scattered to a worker is lost with it.
    there, shuffled = delayed(score, traverse=False), run[names].shuffle(on=keys).to_delayed()
    scored = [delayed(_scored)(partition, there) for partition in shuffled]
    if not collect:
        return from_delayed(scored, meta=_as_frame(score.schema.empty_table()))
    return score.results([part for frame in _computed(scored) for part in frame["part"]])


def spark(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: Any,
    *,
    collect: bool = True,
    max_rel: int | None = None,
    **options: Unpack[Options],
) -> Any:
    """Scores of a run by Spark, in the session of the DataFrame.

    Parameters
    ----------
    measures, qrels, max_rel, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld, collect
        As for `dask`.
    run : pyspark.sql.DataFrame
        A row for each document, with the columns that `scorer` takes.

    Returns
    -------
    Results or pyspark.sql.DataFrame
        As for `dask`.

    Raises
    ------
    InputError, ParameterError
        As for `dask`.
    IrTruncError
        With `collect`, where all executors are lost and none comes back for 60 seconds, or Spark gives up,
        usually because a task failed four times. Spark's own settings say how long it waits for the first
        executor, and for one that does not answer (`spark.network.timeout`). Under Spark Connect they decide
        about all of these.

    Examples
    --------
    >>> from ir_trunc.adapters import scale
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> clicks = SparkSession.builder.getOrCreate().read.parquet("clicks")  # doctest: +SKIP
    >>> scale.spark("RBPT", None, clicks).aggregated  # doctest: +SKIP
    {RBPT: 1.0}
    """
    score = scorer(measures, qrels, collect=collect, max_rel=max_rel, source="run (Spark)", **options)
    keys, names = _columns(score, run, "mapInArrow", "a Spark DataFrame, which session.read.parquet")
    from pyspark.sql.pandas.types import from_arrow_schema

    lists = run.select(*names).repartition(*keys).sortWithinPartitions(*keys)
    scored = lists.mapInArrow(score.stream, from_arrow_schema(score.schema))
    return score.results([row["part"] for row in _collected(scored)]) if collect else scored


def _columns(score: Scorer, run: Any, method: str, needed: str) -> tuple[list[str], list[str]]:
    """The keys and all columns that are read; an error for another frame, and where one machine is needed."""
    reading = score.evaluator.reading
    if reading.order == "file" or reading.duplicates == "first":
        what = "order='file' and duplicates='first' need the run on one machine"
        raise ParameterError(f"{what}: a shuffle loses the order of rows.")
    if not hasattr(run, method):
        what = f"run of type {type(run).__name__}: {needed}(...) makes of files, is needed"
        raise InputError(f"{what}; ir_trunc.calc takes other runs.")
    return score.needed(run.columns)


def _computed(scored: list[Any]) -> Sequence[Any]:
    """Delayed frames, computed."""
    from dask import compute

    try:
        from distributed import KilledWorker, default_client

        client = default_client()  # type: ignore[no-untyped-call]
    except (ImportError, ValueError):  # no cluster
        frames: Sequence[Any] = compute(*scored)
        return frames
    futures = client.compute(scored)
    with _patience("Dask", client.ncores, lambda: client.cancel(futures), KilledWorker, monotonic()):
        frames = client.gather(futures)
    return frames


def _collected(scored: Any) -> Sequence[Any]:
    """The rows of a Spark frame."""
    rows: Sequence[Any]
    if "connect" in type(scored).__module__:  # Spark Connect does not know its executors
        rows = scored.collect()
        return rows
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    context, tag = scored.sparkSession.sparkContext, f"ir_trunc {uuid4()}"
    context.addJobTag(tag)
    cancel = partial(context.cancelJobsWithTag, tag)
    try:  # The first executor may have to be started: Spark's own settings say how long.
        with _patience("Spark", partial(_has_executor, context), cancel, Py4JJavaError, inf):
            rows = scored.collect()
    finally:
        context.removeJobTag(tag)
    return rows


def _has_executor(context: Any) -> bool:
    java = context._jsc.sc()
    return bool(java.isLocal() or java.getExecutorMemoryStatus().size() > 1)  # one of them is the driver


@contextmanager
def _patience(
    engine: str, workers: Callable[[], Any], cancel: Callable[[], Any], gave_up: type[Exception], seen: float
) -> Iterator[None]:
    """IrTruncError where an engine gives up, or has no worker for too long; `seen` is when it had one."""
    ended, lost = Event(), Event()

    def watch() -> None:
        nonlocal seen
        while not ended.is_set():
            with suppress(Exception):  # an engine that does not answer now
                seen = monotonic() if workers() else seen
                if lost.is_set() or monotonic() - seen > PATIENCE:
                    lost.set()
                    cancel()  # again and again: Spark may not have begun the job yet
            ended.wait(1)

    Thread(target=watch, daemon=True).start()
    try:
        yield
    except Exception as error:
        if not lost.is_set() and not isinstance(error, gave_up):
            raise
        reason = str(getattr(error, "java_exception", error)).partition("\n")[0]
        what = f"has had no worker for {PATIENCE:g} seconds" if lost.is_set() else f"gave up ({reason})"
        raise IrTruncError(f"{engine} {what}: the run is not scored.") from None
    finally:
        ended.set()


def _scored(frame: Any, score: Scorer) -> Any:
    """A partition of the shuffled rows, scored."""
    return _as_frame(score(frame))


def _as_frame(table: pa.Table) -> Any:
    """A table as a frame of pandas."""
    import pandas as pd

    return table.to_pandas(types_mapper={pa.string(): pd.StringDtype("pyarrow")}.get)
