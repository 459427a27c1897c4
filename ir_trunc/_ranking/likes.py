"""What qrels and runs may be, as types for annotations."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.qrels import Qrels


class Frame(Protocol):
    """A table that Arrow's C stream takes: of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a stream."""


class WithQrels(Protocol):
    """A data set of ir_datasets that has qrels."""

    def qrels_iter(self) -> Any:
        """Its judgments."""


class WithRun(Protocol):
    """A data set of ir_datasets that has a run."""

    def scoreddocs_iter(self) -> Any:
        """The documents of the run, and their scores."""


QrelsLike = (
    str
    | os.PathLike[str]
    | Mapping[Any, Mapping[Any, int] | Collection[Any]]
    | Iterable[Sequence[Any] | Mapping[str, Any]]
    | Frame
    | WithQrels
    | Qrels
)
"""Qrels in any of their forms.

A path of a file (TREC, NTCIR, JSON, CSV, Parquet; plain or gzipped) or of a folder of BEIR, or the id of an
ir_datasets data set; `{topic: {document: grade}}`, or `{topic: [relevant document, ...]}`; named tuples with
query_id, doc_id and relevance, plain tuples in this order, or dicts with these names; a frame or a Hugging
Face Dataset with these columns; an ir_datasets data set; or what `read_qrels` or `read_answers` returns.
"""

RunLike = (
    str
    | os.PathLike[str]
    | Mapping[Any, Mapping[Any, float] | Sequence[Any]]
    | Iterable[Sequence[Any] | Mapping[str, Any]]
    | Frame
    | WithRun
    | Rankings
)
"""A run in any of its forms.

A path of a file (TREC, JSON, CSV, Parquet; plain or gzipped); `{topic: {document: score}}`, `{topic:
[document, ...]}` by rank, or `{topic: [item, ...]}` of pairs (document, score), of dicts with id and score,
or of the objects that frameworks of retrieval return; named tuples with query_id, doc_id and score, plain
tuples in this order, or dicts with these names; a frame or a Hugging Face Dataset with these columns (and
cost, where documents differ in it); an ir_datasets data set that has a run; or `Rankings`.
"""
