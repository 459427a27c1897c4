"""What Dask and Spark do on their workers: read, tidy and rank partitions of a run."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa

from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc._core.lazy import pd
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.rank import Piece, rank_piece
from ir_trunc._read.readers.trec import rows_of_lines
from ir_trunc._read.reading import RANK, Layout
from ir_trunc._read.rows import Rows, Samples
from ir_trunc._read.tables import COST, SHOWN, rows_of_table


def ranked(qrels: Qrels, frame: Any, source: str, layout: Layout) -> Piece:
    """A partition of the shuffled rows, ranked."""
    return rank_piece(qrels, rows_of_table(frame, layout, source))


def tidied(frame: pd.DataFrame, source: str, layout: Layout) -> tuple[pd.DataFrame, Samples]:
    """A partition as a single machine reads it, and what was looked at of it.

    Its types are those that every shuffle can handle.
    """
    rows = rows_of_table(frame, layout, source)
    return as_frame(rows), rows.samples


def read_block(
    system: Any, path: str, start: int, length: int | None, layout: Layout
) -> tuple[pd.DataFrame, Samples]:
    """A partition of a text file, the lines that begin in this block, and what is to be said of them."""
    from fsspec.utils import read_block as lines_of

    with system.open(path, "rb") as file:
        data = file.read() if length is None else lines_of(file, start, length, b"\n")
    rows = rows_of_lines(data, layout, f"run {path}", None if start else 1)
    return as_frame(rows), rows.samples


def as_frame(rows: Rows) -> pd.DataFrame:
    """Rows as the frame that is shuffled."""
    columns = {
        "query_id": rows.topics.dictionary_decode(),
        "doc_id": rows.docs,
        "score": rows.values if rows.unscored is None else None,
        RANK: rows.ranks,
        COST: rows.costs,
        SHOWN: None if rows.hidden is None else ~rows.hidden,
    }
    known = {name: column for name, column in columns.items() if column is not None}
    frame: pd.DataFrame = pa.table(known).to_pandas(types_mapper={pa.string(): pd.StringDtype("pyarrow")}.get)
    return frame


def packed(qrels: Qrels, table: pa.Table, source: str, layout: Layout) -> bytes:
    """A part, or the error that it gives.

    Spark would hide an error in a text of many lines, and would try in vain again.
    """
    try:
        if "line" in table.column_names:
            return pickle.dumps(
                rank_piece(qrels, rows_of_lines(b"\n".join(table["line"].to_pylist()), layout, source))
            )
        for field in ("query_id", "doc_id"):
            if table[field].null_count:
                row = table.filter(table[field].is_null()).slice(0, 1).to_pylist()[0]
                raise InputError(
                    f"{source}, topic {row['query_id']}, document {row['doc_id']}: {field} is missing."
                )
        return pickle.dumps(ranked(qrels, table, source, layout))
    except IrTruncError as error:
        return pickle.dumps(error)
