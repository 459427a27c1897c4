"""CSV and TSV files with a header."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.arrow import pa, pc
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.tables import FIELDS_OF, NUMBERS, read_of
from ir_trunc._read.text import beginning, contents

_SEPARATORS = ("\t", ",", ";")


def _header(start: bytes) -> tuple[list[str], str]:
    """The names in the first line, and what separates them."""
    line = start.splitlines()[:1]
    text = line[0].decode(errors="replace") if line else ""
    separator = max(_SEPARATORS, key=text.count)
    return [name.strip(' "') for name in text.split(separator)], separator


def _is_table(data: File) -> bool:
    names, _ = _header(data.start)
    if not set(data.reading.names.values()).isdisjoint(names):
        return True
    if "query_id" in map(FIELDS_OF.get, names) and "doc_id" in map(FIELDS_OF.get, names):
        return True
    return data.name.endswith(".csv") and len(names) not in (1, 4, 6)


@reader(
    "a path of CSV or TSV with a header that names <columns>",
    "run",
    "qrels",
    of="path",
    recognises=_is_table,
    columns=True,
)
def csv_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped, with tabs, commas or semicolons between the fields.

    The names are those that the columns of frames have; BEIR's query-id and corpus-id are known.
    """
    import pyarrow.csv

    source = layout.source
    names, separator = _header(beginning(data))
    quote = False if separator == "\t" else '"'  # texts behind tabs hold any quotes
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    known = read_of(names, layout, source)
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(contents(Path(data), source).lstrip()),
            pyarrow.csv.ReadOptions(column_names=names, skip_rows=1),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, quote_char=quote),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=list(known),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"{source} is not a table: {str(error).splitlines()[0]}") from None
    columns = {name: pc.ascii_trim(table[name], " ") for name in table.column_names}
    for name in columns:
        if known[name] in NUMBERS:
            columns[name] = _numbers(columns[name], name, source)
    return Table(source, columns)


def _numbers(column: Any, name: str, source: str) -> Any:
    """A column of texts as numbers; InputError that names the row of one that is not."""
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        at, text = next((at, text) for at, text in enumerate(column.to_pylist(), 1) if not _is_number(text))
        raise InputError(f"{source}, row {at}: {name} {shown(text)} is not a number.") from None


def _is_number(text: str) -> bool:
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True
