"""TREC files: read at once where they are plain, line by line where they are not.

An error names the line.

A file is read in blocks of lines. Where a glance at a block's bytes finds one blank, or one tab, between all
fields, pyarrow takes it as a table; other white space is tidied first. Whatever pyarrow cannot read goes the
slow way, which splits lines as trec_eval does and either reads them or says what is wrong with which line.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ir_trunc.core.arrays import HIGHEST_GRADE
from ir_trunc.core.errors import InputError, counted, warn
from ir_trunc.core.rankings import Bools, Floats, Ints
from ir_trunc.read.arrow import flat, pa, pc, truths
from ir_trunc.read.comments import row_in_a_comment, without_comments
from ir_trunc.read.layout import COMMENT, MARK, QRELS, RANK, RUN, Layout, nothing_in
from ir_trunc.read.notes import NO_NOTES, Notes
from ir_trunc.read.registry import File, reader
from ir_trunc.read.rows import Rows, one_array
from ir_trunc.read.signs import signs_of_lines
from ir_trunc.read.text import BYTE_ORDER_MARK, BadLineError, blocks, blocks_of, check_zeros, line_ends

# Python takes more for a number: 1_000, and the digits of all scripts.
_NUMBER = {
    int: re.compile(r"[+-]?[0-9]{1,4000}"),
    float: re.compile(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
    ),
}
_LOOKED_AT = 4  # blocks of a file in which signs are looked for
_GLANCE = 1 << 18  # bytes that are looked at together, in the processor's cache


def _are_lines(data: File) -> bool:
    """Whether the first line has as many fields as a run or qrels, and a number where they have it."""
    fields = data.start.splitlines()[0].split() if data.start else []
    if len(fields) not in (len(RUN.fields), len(QRELS.fields)):
        return False
    number = fields[RUN.fields.index(RUN.value) if len(fields) == len(RUN.fields) else -1]
    return _NUMBER[float].fullmatch(number.decode(errors="replace")) is not None


@reader(
    "a path of TREC lines, plain or gzipped",
    "run",
    "qrels",
    "answers",
    of="path",
    recognises=_are_lines,
    usual=True,
)
def trec(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Lines `query_id Q0 doc_id rank score tag` of runs and `query_id iteration doc_id relevance` of qrels.

    Blanks or tabs are between the fields; `#` begins a comment. The second column of answers is their class.
    """
    path, source = Path(data), layout.source(data)
    read = rows_of_blocks(blocks(path, source), layout, source, 1)
    pieces: Iterable[Rows]
    if path.is_file():
        find = partial(_lines_of, path, source)
        pieces = (replace(rows, lines_of=find) for rows in read)
    else:  # what comes through a pipe cannot be read again
        held = list(read)
        pieces = [Rows.concat(held)] if held else []
    count = 0
    for rows in pieces:
        count += len(rows)
        yield rows
    if not count:
        raise nothing_in(source, layout)


def rows_of_lines(data: bytes, layout: Layout, source: str, first: int | None = None) -> Rows:
    """The rows of a file, or of any lines of one, that were read elsewhere; there may be none.

    first: the number that the first line has in its file; where it is not known, an error shows the line
    instead.
    """
    read = list(rows_of_blocks(blocks_of(data, source), layout, source, first))
    return Rows.concat(read or [_rows(_parse_lines(b"", layout, source, first), layout, source)])


def rows_of_blocks(
    blocks: Iterable[memoryview], layout: Layout, source: str, first: int | None
) -> Iterator[Rows]:
    """The rows of each block of lines. first: the number of the first line, as for `rows_of_lines`."""
    hidden = None
    try:
        for number, block in enumerate(map(_buffer, blocks)):
            separator = _separator(block)
            table = _quick(block, separator, layout)
            each_is_a_row = separator and table is not None
            if table is None:
                data = block.to_pybytes()
                hidden = hidden or row_in_a_comment(data, layout)
                if len(kept := without_comments(data)) < len(data):
                    bare = _buffer(kept)
                    table = _quick(bare, _separator(bare), layout)
                if table is None:
                    table = _parse_lines(data, layout, source, first)
            looked_at = layout.kind == "run" and number < _LOOKED_AT
            yield _rows(table, layout, source, signs_of_lines(block) if looked_at else NO_NOTES)
            if first is not None:
                first += len(table) if each_is_a_row else line_ends(block)
    except BadLineError as error:
        at = None if first is None else first + error.before
        raise InputError(f"{_line_at(source, at, error.line)} {error}") from None
    if hidden:
        warn(
            f"{source}: lines that begin with # are comments and are left out, but one looks like a row:"
            f" {_brief(hidden)!r}. If it is one, its topic needs an id that does not begin with #."
        )


def _lines_of(path: Path, source: str, topic: str, doc: str) -> list[int]:
    """The numbers of the lines that have this topic and this document."""
    found, first = [], 1
    for block in blocks(path, source):
        data = bytes(block)
        if doc.encode() in data:
            for at, line in enumerate(data.splitlines(), first):
                if line.split()[:3:2] == [topic.encode(), doc.encode()]:
                    found.append(at)
        first += line_ends(block)
    return found


def _rows(table: pa.Table, layout: Layout, source: str, notes: Notes = NO_NOTES) -> Rows:
    reading = layout.reading
    classes = table[layout.by_class] if layout.by_class else None
    rows = Rows.of(source, table["query_id"], table["doc_id"], flat(one_array(table[layout.value])), classes)
    ranks = flat(one_array(table[RANK])) if reading.order == "rank" else None
    hidden = None if reading.stop is None else truths(one_array(pc.equal(table[MARK], reading.stop)))
    return rows.read(reading, ranks, hidden, notes=notes)


def _line_at(source: str, number: int | None, line: bytes) -> str:
    """What to call a line in a message: by its number, or where that is not known by its text."""
    return f"{source}, line {repr(_brief(line.decode(errors='replace'))) if number is None else number}"


def _quick(block: pa.Buffer, separator: str | None, layout: Layout) -> pa.Table | None:
    """One block of lines as a table by pyarrow.

    None where pyarrow cannot read them, or might read them otherwise.
    """
    tidy = block if separator else _tidied(block)
    if layout.value_type == "int64" and b"0x" in tidy.to_pybytes().lower():
        return None  # it might take hexadecimal grades
    if tidy[: len(BYTE_ORDER_MARK)].to_pybytes() == BYTE_ORDER_MARK:
        return None  # it would leave it out, but only a file's own is no part of an id
    try:
        table = _parse(tidy, separator or " ", layout)
    except pa.ArrowInvalid:
        return None
    if not _in_range(flat(one_array(table[layout.value]))).all():
        return None  # the slow way says in which line
    for chunk in table["query_id"].chunks:
        if pc.any(pc.starts_with(chunk.dictionary, COMMENT.decode())).as_py():
            return None
    return table


def _in_range(values: Floats | Ints) -> Bools:
    """Which scores or grades can be taken."""
    return (
        np.isfinite(values)
        if values.dtype.kind == "f"
        else (values >= -HIGHEST_GRADE) & (values <= HIGHEST_GRADE)
    )


def _separator(block: pa.Buffer) -> str | None:
    """The blank or tab that stands alone between all fields.

    None where other white space, or more of it, is found.
    """
    data = np.frombuffer(block, np.uint8)
    if len(data) and (data[0] <= ord(" ") or data[-1] in b" \t"):
        return None
    blanks, tabs = 0, 0
    for start in range(0, len(data), _GLANCE):
        part = data[start : start + _GLANCE]
        white = data[start : start + _GLANCE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return None
        spaces = int(np.count_nonzero(part == ord(" ")))
        ends = int(np.count_nonzero(part == ord("\n")))
        others = int(np.count_nonzero(white[: len(part)])) - spaces - ends
        if others and others > np.count_nonzero(part == ord("\t")):
            return None
        blanks, tabs = blanks + spaces, tabs + others
    if blanks and tabs:
        return None
    return "\t" if tabs else " "


def _tidied(block: pa.Buffer) -> pa.Buffer:
    """The lines with single blanks between fields and none around them."""
    check_zeros(block)
    data = block.to_pybytes()
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for blank in (b"\t", b"\x0b", b"\x0c"):
        data = data.replace(blank, b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return _buffer(data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" "))


def _buffer(data: bytes | memoryview) -> pa.Buffer:
    """Bytes in pyarrow's own memory.

    Its threads would have to ask Python to free others, and may do so while Python ends.
    """
    buffer = pa.allocate_buffer(len(data))
    memoryview(buffer).cast("B")[:] = data
    return buffer


def _parse(block: pa.Buffer, separator: str, layout: Layout) -> pa.Table:
    from pyarrow import csv

    types = layout.columns
    return csv.read_csv(
        pa.BufferReader(block),
        csv.ReadOptions(
            use_threads=False, block_size=min(len(block) + 1, 2**31 - 1), column_names=list(layout.fields)
        ),
        csv.ParseOptions(delimiter=separator, quote_char=False, double_quote=False),
        csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False
        ),
    )


def _brief(text: str) -> str:
    """As much of a text as a message has room for."""
    return text if len(text) <= 80 else f"{text[:77]}..."


def _parse_lines(data: bytes, layout: Layout, source: str, first: int | None) -> pa.Table:
    """The slow way, which settles what a line means."""
    columns: dict[str, list[Any]] = {name: [] for name in layout.columns}
    for at, line in enumerate([] if data.isspace() else data.splitlines(), first or 0):
        fields = line.split()
        if not fields or fields[0].startswith(COMMENT):
            continue
        line_at = _line_at(source, None if first is None else at, line)
        if len(fields) != len(layout.fields):
            needed = f"{len(layout.fields)} are needed: {' '.join(layout.fields)}"
            other = {len(QRELS.fields): " Is it a qrels file?", len(RUN.fields): " Is it a run?"}.get(
                len(fields), ""
            )
            raise InputError(f"{line_at}: {counted(len(fields), 'field')}; {needed}.{other}")
        try:
            texts = {name: fields[layout.fields.index(name)].decode() for name in columns}
        except UnicodeDecodeError:
            raise InputError(f"{line_at}: the ids are not UTF-8 text.") from None
        place = f"{line_at} (topic {_brief(texts['query_id'])}, document {_brief(texts['doc_id'])})"
        for name, column in columns.items():
            number = {pa.int64(): int, pa.float64(): float}.get(layout.columns[name])
            column.append(texts[name] if number is None else _number(number, texts[name], f"{place}: {name}"))
    return pa.table({name: pa.array(column, layout.columns[name]) for name, column in columns.items()})


def _number(kind: type[int] | type[float], text: str, what: str) -> float:
    """The number that a text means; InputError where it means none, or one that is out of range."""
    shown = f"{what} {_brief(text)!r}"
    if not _NUMBER[kind].fullmatch(text):
        raise InputError(f"{shown} is not a {'whole ' if kind is int else ''}number.")
    value = kind(text)
    if not (abs(value) <= HIGHEST_GRADE if kind is int else math.isfinite(value)):
        raise InputError(f"{shown}: a {'number below 2^31' if kind is int else 'finite number'} is needed.")
    return value
