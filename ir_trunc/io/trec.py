"""TREC files: read at once where they are plain, line by line where they are not, with an error that names the line.

White space is tidied where a search through the bytes finds any that needs it; then the fast way takes the file as a table
with one separator. Whatever it cannot read goes the slow way, which splits lines as trec_eval does and either reads them
or says what is wrong with which line.
"""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ir_trunc.errors import InputError
from ir_trunc.io.rows import HIGHEST_GRADE, Rows

# Python takes more for a number: 1_000, and the digits of all scripts.
_NUMBER = {
    int: re.compile(r"[+-]?[0-9]{1,4000}"),
    float: re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE),
}

_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Layout:
    """The fields of a line."""

    kind: str
    fields: tuple[str, ...]
    value: str
    value_type: pa.DataType
    by_class: str | None = None

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """The fields that are read, and their types."""
        ids = {"query_id": pa.dictionary(pa.int32(), pa.string()), "doc_id": pa.string()}
        return ids | {self.value: self.value_type} | ({self.by_class: pa.string()} if self.by_class else {})


RUN = Layout("run", ("query_id", "Q0", "doc_id", "rank", "score", "tag"), "score", pa.float64())
QRELS = Layout("qrels", ("query_id", "iteration", "doc_id", "relevance"), "relevance", pa.int64())
ANSWERS = Layout("answers", QRELS.fields, "relevance", pa.int64(), by_class="iteration")


def read_trec(path: str | os.PathLike[str], layout: Layout) -> Rows:
    """The rows of a TREC file, plain or gzipped (known by its first bytes, not by its name)."""
    source = f"{layout.kind} {os.fspath(path)}"
    data = contents(Path(path), source)
    try:
        if layout.value == "relevance" and b" 0x" in data.lower():
            raise pa.ArrowInvalid("pyarrow would take hexadecimal grades")
        table = _parse(_tidied(data), layout)
        values = table[layout.value].to_numpy()
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise pa.ArrowInvalid("a score that is not finite: the slow way says in which line")
    except pa.ArrowInvalid:
        table = _parse_lines(data, layout, source)
        values = table[layout.value].to_numpy()
    if not len(values):
        raise InputError(f"{source} is empty: lines of the form '{' '.join(layout.fields)}' are needed.")
    return Rows.of(source, table["query_id"], table["doc_id"], values, table[layout.by_class] if layout.by_class else None)


def contents(path: Path, source: str) -> bytes:
    """The bytes of a text file, decompressed where they are gzipped, without a byte order mark."""
    if not path.exists():
        place = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise FileNotFoundError(f"{source}: there is no such file{place}.")
    if path.is_dir():
        raise InputError(f"{source} is a directory: name the files in it.")
    data = path.read_bytes()
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except EOFError:
            raise InputError(f"{source} ends in the middle: the gzip file is truncated.") from None
        except (zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{source} cannot be decompressed: {error}.") from None
    elif path.suffix == ".gz" and data:
        raise InputError(f"{source} is not a gzip file, whatever its name says.")
    if b"\0" in data:
        raise InputError(f"{source} is not text: it holds a zero byte.")
    return data.removeprefix(_BYTE_ORDER_MARK)


def _tidied(data: bytes) -> bytes:
    """The same lines with single blanks between fields and none around them. Each search costs next to nothing."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\t" in data:
        data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if b" \n" in data or b"\n " in data:
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return data.strip(b" ")


def _parse(data: bytes, layout: Layout) -> pa.Table:
    # Into pyarrow's own memory: its threads would have to ask Python to free ours, and may do so while Python ends.
    buffer = pa.allocate_buffer(len(data))
    memoryview(buffer).cast("B")[:] = data
    types = layout.columns
    return pa.csv.read_csv(
        pa.BufferReader(buffer),
        pa.csv.ReadOptions(column_names=list(layout.fields)),
        pa.csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False),
        pa.csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False),
    )


def _brief(text: str) -> str:
    """As much of a text as a message has room for."""
    return text if len(text) <= 80 else f"{text[:77]}..."


def _parse_lines(data: bytes, layout: Layout, source: str) -> pa.Table:
    """The slow way, which settles what a line means."""
    topics, docs, values, classes = [], [], [], []
    number = int if layout.value == "relevance" else float
    where = layout.fields.index(layout.value)
    for at, line in enumerate(data.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != len(layout.fields):
            needed = f"{len(layout.fields)} are needed: {' '.join(layout.fields)}"
            raise InputError(f"{source}, line {at}: {len(fields)} fields; {needed}.")
        try:
            topic, second, doc, text = (fields[place].decode() for place in (0, 1, 2, where))
        except UnicodeDecodeError:
            raise InputError(f"{source}, line {at}: the ids are not UTF-8 text.") from None
        place = f"{source}, line {at} (topic {_brief(topic)}, document {_brief(doc)}): {layout.value} {_brief(text)!r}"
        if not _NUMBER[number].fullmatch(text):
            raise InputError(f"{place} is no {'whole ' if number is int else ''}number.")
        value = number(text)
        if not (abs(value) <= HIGHEST_GRADE if number is int else math.isfinite(value)):
            raise InputError(f"{place}: a {'number below 2^31' if number is int else 'finite number'} is needed.")
        topics.append(topic)
        docs.append(doc)
        classes.append(second)
        values.append(value)
    columns = dict(zip(layout.columns, (topics, docs, values, classes)))
    return pa.table({name: pa.array(column, layout.columns[name]) for name, column in columns.items()})
