"""Parquet files."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from ir_trunc.core.errors import InputError
from ir_trunc.read.layout import Layout
from ir_trunc.read.registry import Table, is_path, reader
from ir_trunc.read.tables import read_of
from ir_trunc.read.text import beginning


def _is_parquet(data: Any) -> bool:
    return (
        is_path(data)
        and (os.fspath(data).endswith(".parquet") or beginning(data).startswith(b"PAR1"))
        and os.path.isfile(data)
    )


@reader(
    "a path of Parquet with the columns <columns>",
    "run",
    "qrels",
    "topics",
    recognises=_is_parquet,
    columns=True,
)
def parquet_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """The columns are called as those of frames; others are not read."""
    import pyarrow.parquet

    source = layout.source(data)
    try:
        with pyarrow.parquet.ParquetFile(os.fspath(data)) as file:
            known = read_of(file.schema_arrow.names, layout, source)
            table = file.read(columns=list(known))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    return Table(source, table)
