"""TREC files, and the qrels of NTCIR.

pyarrow reads a block of TREC lines as a table, once there is one blank between all fields. What it refuses,
or would read otherwise, is read line by line, as trec_eval splits lines: this decides what a line means, or
which line is wrong.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted, warn
from ir_trunc._core.judgments import HIGHEST_GRADE
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import flat, one_array, pa, pc, truths
from ir_trunc._read.reading import COMMENT, MARK, QRELS, RANK, RUN, Layout, nothing_in
from ir_trunc._read.registry import COMMON, Compiled, Data, File, Table, reader
from ir_trunc._read.rows import Rows, Sample, Samples, Seen
from ir_trunc._read.text import (
    BYTE_ORDER_MARK,
    BadLineError,
    blocks,
    blocks_of_bytes,
    check_zeros,
    contents,
    decoded,
    line_ends,
    numbered_lines,
)

# Python takes more for a number: 1_000, and the digits of all scripts.
NUMBER = {
    int: re.compile(r"[+-]?[0-9]{1,4000}"),
    float: re.compile(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
    ),
}


def line_by_line(lines: list[bytes], layout: Layout, source: str, first: int | None) -> pa.Table:
    """What the lines mean; InputError that says which of them is wrong."""
    types, rows = layout.columns, []
    kinds = {name: {pa.int64(): int, pa.float64(): float}.get(kind, str) for name, kind in types.items()}
    for at, line in enumerate(lines, first or 0):
        fields = line.split()
        if fields and not fields[0].startswith(COMMENT):
            try:
                rows.append(_line_values(fields, layout, kinds))
            except InputError as error:
                raise InputError(f"{line_at(source, None if first is None else at, line)}{error}") from None
    columns = zip(*rows) if rows else [()] * len(types)
    return pa.table({name: pa.array(column, types[name]) for name, column in zip(types, columns)})


def _line_values(fields: list[bytes], layout: Layout, kinds: dict[str, type[Any]]) -> list[Any]:
    """The fields of a line that are read. An InputError goes on from the name of the line."""
    if len(fields) != len(layout.fields):
        needed = f"{len(layout.fields)} are needed: {' '.join(layout.fields)}"
        other = {len(QRELS.fields): " Is it a qrels file?", len(RUN.fields): " Is it a run?"}
        raise InputError(f": {counted(len(fields), 'field')}; {needed}.{other.get(len(fields), '')}")
    texts = {name: decoded(fields[layout.fields.index(name)], ": the ids are") for name in kinds}
    for name, text in texts.items():
        if problem := kinds[name] is not str and _problem_of(kinds[name], text):
            place = f"topic {brief(texts['query_id'])}, document {brief(texts['doc_id'])}"
            raise InputError(f" ({place}): {name} {brief(text)!r}{problem}.")
    return [kinds[name](text) for name, text in texts.items()]


def _problem_of(kind: type[int] | type[float], text: str) -> str:
    """What makes a text no number of this kind, or one that is out of range; nothing where it is one."""
    if not NUMBER[kind].fullmatch(text):
        return f" is not a {'whole ' if kind is int else ''}number"
    if kind is int:
        return "" if abs(int(text)) <= HIGHEST_GRADE else ": a number below 2^31 is needed"
    return "" if math.isfinite(float(text)) else ": a finite number is needed"


def line_at(source: str, number: int | None, line: bytes) -> str:
    """What to call a line in a message: by its number, or where that is not known by its text."""
    return f"{source}, line {repr(brief(line.decode(errors='replace'))) if number is None else number}"


def brief(text: str) -> str:
    """As much of a text as a message has room for."""
    return text if len(text) <= 80 else f"{text[:77]}..."


_ONE_SIGN = bytes.maketrans(b"\t\v\f\r", b"   \n")  # one sign between fields, one between lines

_LOOKED_AT = 4  # blocks of a file in which signs are looked for
_WINDOWS = 16  # places of a block of lines that are looked at
_WINDOW = 320  # bytes: a handful of lines


def _are_lines(data: File) -> bool:
    """Whether the first line has as many fields as a run or qrels, and a number where they have it."""
    fields = data.start.splitlines()[0].split() if data.start else []
    if len(fields) not in (len(RUN.fields), len(QRELS.fields)):
        return False
    number = fields[RUN.fields.index(RUN.value) if len(fields) == len(RUN.fields) else -1]
    return NUMBER[float].fullmatch(number.decode(errors="replace")) is not None


def _run_to_kernel(lists: Any, run: Data) -> Samples | None:
    path, samples = Path(run.value), list[Sample]()
    if not path.is_file():
        return None  # what comes through a pipe cannot be read again
    try:
        for number, block in enumerate(blocks(path, run.source)):
            if not kernel.lines(lists, block):
                return None
            samples += _looked_at(block, number)
    except (BadLineError, OSError):
        return None
    return tuple(samples)


def _qrels_by_kernel(data: Data, seed: int) -> Any:
    path = Path(data.value)
    if not path.is_file():
        return None  # as above
    try:
        lines = b"".join([*map(bytes, blocks(path, data.source)), b"\n"])
    except (BadLineError, OSError):
        return None
    return kernel.qrels_of_lines(lines, seed)


@reader(
    "a path of TREC lines, plain or gzipped",
    "run",
    "qrels",
    "answers",
    of="path",
    recognises=_are_lines,
    priority=COMMON,
    fallback=True,
    compiled=Compiled(_run_to_kernel, _qrels_by_kernel),
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
    found, first, wanted = [], 1, [topic.encode(), doc.encode()]
    for block in blocks(path, source):
        lines = bytes(block).splitlines()
        found += [at for at, line in enumerate(lines, first) if line.split()[:3:2] == wanted]
        first += len(lines)
    return found


def rows_of_lines(data: bytes, layout: Layout, source: str, first: int | None = None) -> Rows:
    """The rows of a file, or of any lines of one, that were read elsewhere; there may be none.

    first: the number that the first line has in its file; where it is not known, an error shows the line
    instead.
    """
    read = list(rows_of_blocks(blocks_of_bytes(data, source), layout, source, first))
    return Rows.concat(read or [_rows(line_by_line([], layout, source, first), layout, source)])


def rows_of_blocks(
    blocks: Iterable[memoryview], layout: Layout, source: str, first: int | None
) -> Iterator[Rows]:
    """The rows of each block of lines. first: the number of the first line, as for `rows_of_lines`."""
    hidden = None
    try:
        for number, block in enumerate(blocks):
            samples = _looked_at(block, number) if layout.kind == "run" else ()
            data = bytes(block)
            check_zeros(data)
            plain = data.translate(_ONE_SIGN)
            if not _one_blank_between_fields(plain):
                hidden = hidden or _row_in_a_comment(data, layout)
                plain = _tidied(data)
            rows = _at_once(plain, layout, source, samples)
            if rows is None:
                rows = _rows(line_by_line(data.splitlines(), layout, source, first), layout, source, samples)
            yield rows
            if first is not None:
                first += line_ends(data)
    except BadLineError as error:
        at = None if first is None else first + error.before
        raise InputError(f"{line_at(source, at, error.line)} {error}") from None
    if hidden:
        warn(
            f"{source}: lines that begin with # are comments and are left out, but one looks like a row:"
            f" {brief(hidden)!r}. If it is one, its topic needs an id that does not begin with #."
        )


def _looked_at(block: memoryview, number: int) -> Samples:
    """A sample of the lines of a block of a run; nothing where it is not one of the file's first blocks."""
    if number >= _LOOKED_AT:
        return ()
    whole = len(block) <= _WINDOWS * _WINDOW
    starts = [0] if whole else range(0, len(block) - _WINDOW, len(block) // _WINDOWS)
    marks: set[str] = set()
    pairs: list[tuple[Seen, Seen]] = []
    for start in starts:
        lines = bytes(block if whole else block[start : start + _WINDOW]).splitlines()
        seen: list[Seen] = []
        for line in lines if whole else lines[1:-1]:
            words = line.split()
            if len(words) != len(RUN.fields) or words[0].startswith(COMMENT):
                continue
            topic, mark, _, rank, score, _ = words
            marks.add(mark.decode(errors="replace"))
            try:
                seen.append((topic, float(rank), float(score)))
            except ValueError:  # no rank; what is no score is an error elsewhere
                continue
        pairs += pairwise(seen)
    return (Sample(tuple(pairs), frozenset(marks)),)


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
        if named and NUMBER[float].fullmatch(fields[value]):
            return " ".join(fields)
    return None


def _at_once(data: bytes, layout: Layout, source: str, samples: Samples) -> Rows | None:
    """The rows of lines with one blank between their fields.

    None where pyarrow refuses them, or would read them otherwise.
    """
    if data.startswith(BYTE_ORDER_MARK):  # it would leave out what is a part of an id here
        return None
    if pa.int64() in layout.columns.values() and b"0x" in data.lower():  # it knows hexadecimal numbers
        return None
    try:
        rows = _rows(_table(data, layout), layout, source, samples)
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


def _rows(table: pa.Table, layout: Layout, source: str, samples: Samples = ()) -> Rows:
    reading = layout.reading
    classes = table[layout.by_class] if layout.by_class else None
    rows = Rows.of(source, table["query_id"], table["doc_id"], flat(one_array(table[layout.value])), classes)
    ranks = flat(one_array(table[RANK])) if reading.order == "rank" else None
    hidden = None if reading.stop is None else truths(one_array(pc.equal(table[MARK], reading.stop)))
    return rows.read(reading, ranks, hidden, samples=samples)


_NTCIR_LINE = re.compile(rb"\s*(\S+)\s+(\S+)\s+L([0-9]{1,10})\s*")
_NTCIR_FORM = "'topic document L<grade>' is needed, as 'L0' or 'L3'"


def _is_ntcir(data: File) -> bool:
    """Whether the first line that is not a comment has a level of NTCIR."""
    lines = (line for line in data.start.splitlines() if line.strip())
    first = next((line for line in lines if not line.lstrip().startswith(COMMENT)), b"")
    return _NTCIR_LINE.fullmatch(first) is not None


@reader("a path of NTCIR lines 'topic document L3'", "qrels", of="path", recognises=_is_ntcir)
def ntcir(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped, as NTCIREVAL has it: L0 is not relevant, and L3 is grade 3."""
    source = layout.source
    columns: dict[str, list[str | int]] = {"query_id": [], "doc_id": [], "relevance": []}
    for place, line in numbered_lines(contents(Path(data), source), source):
        if line.lstrip().startswith(COMMENT):
            continue
        found = _NTCIR_LINE.fullmatch(line)
        if found is None or int(found[3]) > HIGHEST_GRADE:
            raise InputError(f"{place}: {line.decode(errors='replace').strip()!r}: {_NTCIR_FORM}.")
        columns["query_id"].append(decoded(found[1], f"{place}: the ids are"))
        columns["doc_id"].append(decoded(found[2], f"{place}: the ids are"))
        columns["relevance"].append(int(found[3]))
    return Table(source, columns)
