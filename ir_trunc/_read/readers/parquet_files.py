"""Parquet files."""

from __future__ import annotations

import os

from ir_trunc._core.errors import InputError
from ir_trunc._read.arrow import pa
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader
from ir_trunc._read.tables import read_of


@reader(
    "a path of Parquet with the columns <columns>",
    "run",
    "qrels",
    "topics",
    of="path",
    recognises=lambda data: data.start.startswith(b"PAR1"),
    suffix=".parquet",
    columns=True,
)
def parquet_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """The columns are called as those of frames; others are not read."""
    import pyarrow.parquet

    source = layout.source
    try:
        with pyarrow.parquet.ParquetFile(os.fspath(data)) as file:
            known = read_of(file.schema_arrow.names, layout, source)
            table = file.read(columns=list(known))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    return Table(source, table)
