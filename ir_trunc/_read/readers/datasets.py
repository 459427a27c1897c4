"""Data sets of ir_datasets and of Hugging Face."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ir_trunc._core.errors import InputError, MissingFileError, shown
from ir_trunc._read.arrow import id_column
from ir_trunc._read.readers.memory import named_tuples
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.tables import field_of_columns
from ir_trunc._read.text import missing_file


def load_dataset(name: str) -> Any | None:
    """The data set of this id, or None where ir_datasets knows none."""
    try:
        import ir_datasets

        return ir_datasets.load(name)
    except (KeyError, OSError):  # unknown, or ir_datasets cannot make its folder in the home directory
        return None


def _is_dataset(data: Any) -> bool:
    if isinstance(data, File):
        is_folder = os.path.isdir(data.path)
        return not os.path.exists(data.path) or (is_folder and load_dataset(os.fspath(data.path)) is not None)
    of_library = type(data).__module__.startswith("ir_datasets") and not isinstance(data, Iterable)
    return of_library or hasattr(data, "queries_iter")


@reader(
    "an ir_datasets data set or its id",
    recognises=_is_dataset,
    shapes="path object",
    kinds="run qrels topics",
)
def ir_dataset(data: Any, layout: Layout) -> Table:
    """The scored documents of a data set are its run.

    Its qrels come with its topics, of which some may have no judgment, and with its judgment scale.
    """
    if isinstance(data, (str, os.PathLike)) and os.path.isdir(data):
        what = f"{layout.source} is a directory: name the files in it. The data set of this name is"
        remedy = f"ir_datasets.load({os.fspath(data)!r}), or its id in a folder that has no such directory"
        raise InputError(f"{what} {remedy}.")
    if isinstance(data, os.PathLike):
        raise missing_file(data, layout.source)
    collection = load_dataset(data) if isinstance(data, str) else data
    if collection is None:
        what = f"{layout.source}: there is no such file, nor an ir_datasets data set of that id"
        raise MissingFileError(f"{what if data else f'{layout.kind}: the path is empty'}.")
    if layout.kind == "topics":
        return Table("topics", topics=_topics(collection))
    name, is_run = dataset_name(collection), layout.kind == "run"
    rows = getattr(collection, "scoreddocs_iter" if is_run else "qrels_iter", None)
    if rows is None:
        missing = "run (scoreddocs) of its own: give a run"
        if not is_run:
            missing = "qrels: choose one of its parts that has"
        raise InputError(f"data set {name} has no {missing}.")
    table = named_tuples.table(loaded(collection, rows), layout)
    if is_run:
        return table
    topics, grades = _topics(collection), list(collection.qrels_defs() or {})
    try:
        levels = tuple(int(grade) for grade in grades if int(grade) > 0)
    except (TypeError, ValueError):
        what = f"its judgment scale {shown(grades)} is not of whole grades"
        raise InputError(f"data set {name}: {what}.") from None
    return replace(table, source=f"data set {name}", asked=topics, levels=levels)


def _topics(dataset: Any) -> tuple[str, ...]:
    """Ids of the data set's topics: the query universe."""
    if not hasattr(dataset, "queries_iter"):
        return ()
    asked = [query.query_id for query in loaded(dataset, dataset.queries_iter)]
    return tuple(id_column(asked, f"data set {dataset_name(dataset)}", "query_id").to_pylist())


def dataset_name(dataset: Any) -> str:
    """What to call a data set in a message."""
    return str(dataset.dataset_id() if hasattr(dataset, "dataset_id") else dataset)


def loaded(dataset: Any, items: Callable[[], Iterable[Any]]) -> list[Any]:
    """Items of a data set; InputError with the reason where they cannot be downloaded or read."""
    logger = logging.getLogger("ir_datasets")  # logs every attempt that fails; the error has the last
    logger.addFilter(_is_no_download)
    try:
        return list(items())
    except Exception as error:  # of downloads, licence steps or broken files
        # Of the errors of several sources, `(what, [(source, error), ...])`, the last.
        each = error.args[1] if len(error.args) > 1 else None
        last = each[-1][-1] if isinstance(each, list) and each and isinstance(each[-1], tuple) else error
        lines = str(last).strip().splitlines() or [type(error).__name__]
        url = getattr(getattr(last, "request", None), "url", None)
        if isinstance(last, OSError) and url and not getattr(last, "response", None):
            lines = [f"{url} cannot be reached; is there a connection to the network?"]
        raise InputError(f"data set {dataset_name(dataset)} cannot be loaded: {lines[0]}") from error
    finally:
        logger.removeFilter(_is_no_download)


def _is_no_download(record: logging.LogRecord) -> bool:
    return not record.getMessage().lower().startswith("download")


@reader(
    "a Hugging Face Dataset with the columns <columns>",
    recognises=lambda d: type(d).__module__.split(".")[0] == "datasets" and hasattr(d, "column_names"),
    columns=True,
    shapes="object",
    kinds="run qrels topics",
)
def hugging_face(data: Any, layout: Layout) -> Table:
    """A split of a data set, as `datasets.load_dataset(..., split=...)` gives it.

    The columns are called as those of frames, or query-id and corpus-id.
    """
    source = layout.source
    if isinstance(data, Mapping):
        raise InputError(f"{source}: it has the splits {', '.join(data)}: give one of them, data[...].")
    if not hasattr(data, "select_columns") or not hasattr(data, "__len__"):
        raise InputError(f"{source} is a stream: a Dataset is needed, which streaming=False gives.")
    columns = list(field_of_columns(data.column_names, layout, source))
    return Table(source, data.select_columns(columns).with_format("arrow")[:])
