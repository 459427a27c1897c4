"""Folders of BEIR."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ir_trunc._core.errors import InputError, warn
from ir_trunc._read.readers.csv_files import csv_file
from ir_trunc._read.readers.topics import topic_file
from ir_trunc._read.reading import TOPICS, Layout
from ir_trunc._read.registry import File, Table, reader


def _is_folder(data: File) -> bool:
    return Path(data.path, "qrels").is_dir() or Path(data.path, "queries.jsonl").is_file()


@reader("a folder of BEIR", "qrels", "topics", of="path", recognises=_is_folder)
def beir_folder(data: str | os.PathLike[str], layout: Layout) -> Table:
    """The judgments are those of qrels/test.tsv; another split is read by its path.

    The query universe has all of queries.jsonl but the queries that only other splits judge.
    """
    folder = Path(data)
    queries = _ids(folder / "queries.jsonl")
    if layout.kind == "topics":
        return Table(layout.source, topics=queries)
    path = folder / "qrels" / "test.tsv"
    if not path.is_file():
        others = ", ".join(sorted(file.name for file in Path(folder, "qrels").glob("*.tsv")))
        raise InputError(f"{layout.source} has no qrels/test.tsv; name the file: {others or 'none'}.")
    found = csv_file.table(path, layout)
    judged = {file: set(_ids(file)) for file in path.parent.glob("*.tsv")}
    elsewhere = set().union(*judged.values()) - judged[path]
    unjudged = [query for query in queries if query not in judged[path] | elsewhere]
    if unjudged:
        what = f"{len(unjudged)} queries have no judgment in any of its qrels (query {unjudged[0]} for one)"
        warn(f"{layout.source}: {what}; they count as nil queries, for which the empty list is right.")
    return replace(found, topics=tuple(unjudged))


def _ids(path: Path) -> tuple[str, ...]:
    return topic_file.table(path, TOPICS).topics if path.is_file() else ()
