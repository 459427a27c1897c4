"""Frames with the columns <columns>."""

from __future__ import annotations

from typing import Any

from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader


@reader(
    "a frame (pandas, polars, pyarrow, DuckDB) with the columns <columns>",
    "run",
    "qrels",
    "answers",
    "topics",
    of="frame",
    recognises=lambda data: hasattr(data, "itertuples"),
    usual=True,
    columns=True,
)
def frame(data: Any, layout: Layout) -> Table:
    """The columns are called query_id or qid, doc_id or docno, and score or relevance (label).

    The class of an answer is called iteration. A run may have cost and shown, too, and rank in the place of
    scores.
    """
    return Table(layout.source, data)
