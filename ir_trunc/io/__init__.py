"""Doors: qrels and runs in all the forms that users have them, as `Rankings`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ir_trunc.io import datasets
from ir_trunc.io.frames import read_memory
from ir_trunc.io.qrels import Qrels
from ir_trunc.io.rows import NIL, PLACEHOLDER, Rows
from ir_trunc.io.trec import QRELS, RUN, Layout, read_trec

__all__ = ["NIL", "PLACEHOLDER", "QRELS", "RUN", "Qrels", "Rows", "read", "read_qrels"]


def read(data: Any, layout: Layout) -> Rows:
    """Rows of qrels or a run: a path (plain or gzipped) or any of the forms in memory."""
    return read_trec(data, layout) if isinstance(data, (str, os.PathLike)) else read_memory(data, layout)


def read_qrels(data: Any, topics: Iterable[str] = ()) -> Qrels:
    """Qrels ready for any number of runs; those that are ready already stay as they are.

    data: anything that `read` takes, an ir_datasets data set, or the id of one. topics: more topics of the query universe,
    without judgments.
    """
    if isinstance(data, Qrels):
        return data
    if isinstance(data, str) and not Path(data).exists():
        found = datasets.load(data)
        if found is None:
            raise FileNotFoundError(f"qrels {data}: there is no such file, nor an ir_datasets data set of that id.")
        data = found
    if hasattr(data, "qrels_iter"):
        data, universe = datasets.qrels_and_topics(data)
        topics = [*universe, *topics]
    return Qrels.of(read(data, QRELS), topics)
