"""TREC files: pyarrow reads a block of lines as a table, once there is one blank between all fields.

What it refuses, or would read otherwise, is read line by line, as trec_eval splits lines: that way settles
what a line means, or says which line is wrong.
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
from ir_trunc.read.arrow import flat, one_array, pa, pc, truths
from ir_trunc.read.notes import NO_NOTES, Notes, signs_of_lines
from ir_trunc.read.reading import COMMENT, MARK, QRELS, RANK, RUN, Layout, nothing_in
from ir_trunc.read.registry import File, reader
from ir_trunc.read.rows import Rows
from ir_trunc.read.text import (
    BYTE_ORDER_MARK,
    BadLineError,
    blocks,
    blocks_of,
    check_zeros,
    decoded,
    line_ends,
)

# Python takes more for a number: 1_000, and the digits of all scripts.
_NUMBER = {
    int: re.compile(r"[+-]?[0-9]{1,4000}"),
    float: re.compile(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
    ),
}
_PLAIN = bytes.maketrans(b"\t\v\f\r", b"   \n")  # one sign between fields, one between lines


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
    path, source = Path(data), layout.source
    pieces: Iterable[Rows] = rows_of_blocks(blocks(path, source), layout, source, 1)
    if path.is_file():
        find = partial(_lines_of, path, source)
        pieces = (replace(rows, lines_of=find) for rows in pieces)
    elif held := list(pieces):  # what comes through a pipe cannot be read again
        pieces = [Rows.concat(held)]
    count = 0
    for rows in pieces:
        count += len(rows)
        yield rows
    if not count:
        raise nothing_in(source, layout)


def _lines_of(path: Path, source: str, topic: str, doc: str) -> list[int]:
    """The numbers of the lines that have this topic and this document."""
    found, first = [], 1
    for block in blocks(path, source):
        lines = bytes(block).splitlines()
        found += [
            at for at, line in enumerate(lines, first) if line.split()[:3:2] == [topic.encode(), doc.encode()]
        ]
        first += len(lines)
    return found


def rows_of_lines(data: bytes, layout: Layout, source: str, first: int | None = None) -> Rows:
    """The rows of a file, or of any lines of one, that were read elsewhere; there may be none.

    first: the number that the first line has in its file; where it is not known, an error shows the line
    instead.
    """
    read = list(rows_of_blocks(blocks_of(data, source), layout, source, first))
    return Rows.concat(read or [_rows(_line_by_line([], layout, source, first), layout, source)])


def rows_of_blocks(
    blocks: Iterable[memoryview], layout: Layout, source: str, first: int | None
) -> Iterator[Rows]:
    """The rows of each block of lines. first: the number of the first line, as for `rows_of_lines`."""
    hidden = None
    try:
        for number, block in enumerate(blocks):
            notes = signs_of_lines(block, number) if layout.kind == "run" else NO_NOTES
            data = bytes(block)
            check_zeros(data)
            plain = data.translate(_PLAIN)
            if not _one_blank_between_fields(plain):
                hidden = hidden or _row_in_a_comment(data, layout)
                plain = _tidied(data)
            rows = _at_once(plain, layout, source, notes)
            if rows is None:
                rows = _rows(_line_by_line(data.splitlines(), layout, source, first), layout, source, notes)
            yield rows
            if first is not None:
                first += line_ends(data)
    except BadLineError as error:
        at = None if first is None else first + error.before
        raise InputError(f"{_line_at(source, at, error.line)} {error}") from None
    if hidden:
        warn(
            f"{source}: lines that begin with # are comments and are left out, but one looks like a row:"
            f" {_brief(hidden)!r}. If it is one, its topic needs an id that does not begin with #."
        )


def _one_blank_between_fields(data: bytes) -> bool:
    """Whether white space stands alone between fields and lines, and no line is a comment."""
    white = np.frombuffer(data, np.uint8) <= ord(" ")
    alone = not (white[:1].any() or data.endswith(b" ") or (white[1:] & white[:-1]).any())
    comments = COMMENT in data and (data.startswith(COMMENT) or b"\n#" in data)
    return alone and not comments


def _tidied(data: bytes) -> bytes:
    """The lines with one blank between their fields, without comments and empty lines."""
    lines = (line.split() for line in data.splitlines())
    return b"\n".join(b" ".join(fields) for fields in lines if fields and not fields[0].startswith(COMMENT))


def _row_in_a_comment(data: bytes, layout: Layout) -> str | None:
    """The first comment that would be a row if # were a part of its topic's id."""
    value = layout.fields.index(layout.value)
    for line in data.splitlines() if COMMENT in data else ():
        fields = line.decode(errors="replace").split()
        named = len(fields) == len(layout.fields) and fields[0].startswith("#") and fields[0] != "#"
        if named and _NUMBER[float].fullmatch(fields[value]):
            return " ".join(fields)
    return None


def _at_once(data: bytes, layout: Layout, source: str, notes: Notes) -> Rows | None:
    """The rows of lines with one blank between their fields.

    None where pyarrow refuses them, or would read them otherwise.
    """
    if data.startswith(BYTE_ORDER_MARK):  # it would leave out what is a part of an id here
        return None
    if pa.int64() in layout.columns.values() and b"0x" in data.lower():  # it knows hexadecimal numbers
        return None
    try:
        rows = _rows(_table(data, layout), layout, source, notes)
    except (pa.ArrowInvalid, InputError):
        return None
    return rows if rows.ranks is None or (np.abs(rows.ranks) <= HIGHEST_GRADE).all() else None


def _table(data: bytes, layout: Layout) -> pa.Table:
    from pyarrow import csv

    # In pyarrow's own memory: its threads would have to ask Python to free other memory, and may do so while
    # Python ends.
    buffer = pa.allocate_buffer(len(data))
    memoryview(buffer).cast("B")[:] = data
    return csv.read_csv(
        pa.BufferReader(buffer),
        csv.ReadOptions(use_threads=False, column_names=list(layout.fields)),
        csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False),
        csv.ConvertOptions(
            column_types=layout.columns,
            include_columns=list(layout.columns),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _rows(table: pa.Table, layout: Layout, source: str, notes: Notes = NO_NOTES) -> Rows:
    reading = layout.reading
    classes = table[layout.by_class] if layout.by_class else None
    rows = Rows.of(source, table["query_id"], table["doc_id"], flat(one_array(table[layout.value])), classes)
    ranks = flat(one_array(table[RANK])) if reading.order == "rank" else None
    hidden = None if reading.stop is None else truths(one_array(pc.equal(table[MARK], reading.stop)))
    return rows.read(reading, ranks, hidden, notes=notes)


def _line_by_line(lines: list[bytes], layout: Layout, source: str, first: int | None) -> pa.Table:
    """What the lines mean; InputError that says which of them is wrong."""
    types, rows = layout.columns, []
    kinds = {name: {pa.int64(): int, pa.float64(): float}.get(kind, str) for name, kind in types.items()}
    for at, line in enumerate(lines, first or 0):
        fields = line.split()
        if fields and not fields[0].startswith(COMMENT):
            try:
                rows.append(_values(fields, layout, kinds))
            except InputError as error:
                raise InputError(f"{_line_at(source, None if first is None else at, line)}{error}") from None
    columns = zip(*rows) if rows else [()] * len(types)
    return pa.table({name: pa.array(column, types[name]) for name, column in zip(types, columns)})


def _values(fields: list[bytes], layout: Layout, kinds: dict[str, type[Any]]) -> list[Any]:
    """The fields of a line that are read. An InputError goes on from the name of the line."""
    if len(fields) != len(layout.fields):
        needed = f"{len(layout.fields)} are needed: {' '.join(layout.fields)}"
        other = {len(QRELS.fields): " Is it a qrels file?", len(RUN.fields): " Is it a run?"}
        raise InputError(f": {counted(len(fields), 'field')}; {needed}.{other.get(len(fields), '')}")
    texts = {name: decoded(fields[layout.fields.index(name)], ": the ids are") for name in kinds}
    for name, text in texts.items():
        if problem := kinds[name] is not str and _problem_of(kinds[name], text):
            place = f"topic {_brief(texts['query_id'])}, document {_brief(texts['doc_id'])}"
            raise InputError(f" ({place}): {name} {_brief(text)!r}{problem}.")
    return [kinds[name](text) for name, text in texts.items()]


def _problem_of(kind: type[int] | type[float], text: str) -> str:
    """What makes a text no number of this kind, or one that is out of range; nothing where it is one."""
    if not _NUMBER[kind].fullmatch(text):
        return f" is not a {'whole ' if kind is int else ''}number"
    if kind is int:
        return "" if abs(int(text)) <= HIGHEST_GRADE else ": a number below 2^31 is needed"
    return "" if math.isfinite(float(text)) else ": a finite number is needed"


def _line_at(source: str, number: int | None, line: bytes) -> str:
    """What to call a line in a message: by its number, or where that is not known by its text."""
    return f"{source}, line {repr(_brief(line.decode(errors='replace'))) if number is None else number}"


def _brief(text: str) -> str:
    """As much of a text as a message has room for."""
    return text if len(text) <= 80 else f"{text[:77]}..."
