"""TREC files, lines of fewer fields, and lines with answers.

pyarrow reads a block of TREC lines as a table, once there is one blank between all fields. What it refuses,
or would read otherwise, is read line by line, as trec_eval splits lines: this decides what a line means, or
which line is wrong.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted, option, warn
from ir_trunc._core.lazy import npt, pattern
from ir_trunc._core.rankings import HIGHEST_GRADE
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import flat, grade_of, number_column, number_in, occurs, one_array, pa, score_of
from ir_trunc._read.reading import COMMENT, MARK, QRELS, RANK, RUN, Layout
from ir_trunc._read.registry import Compiled, Data, File, Table, reader
from ir_trunc._read.rows import Rows, Sample, Samples, Seen
from ir_trunc._read.text import NUMBER, BadLineError, blocks, decoded, file_lines, line_ends, line_parts

_LEVEL = pattern(rb"L(?<=[ \t]L)(?=[0-9]+\s*(?:[\r\n]|\Z))")  # of NTCIR, before a grade


def _types(layout: Layout) -> dict[str, pa.DataType]:
    """The types of the fields that are read; short lines may lack the value."""
    return {field: kind for field, kind in layout.columns.items() if field in layout.fields}


def _line_by_line(lines: list[bytes], layout: Layout, source: str, first: int, longer: list[int]) -> pa.Table:
    """The lines as a table; InputError that names the line which is wrong. longer: gets lines too long."""
    types, rows = _types(layout), []
    kinds = {name: {pa.int64(): int, pa.float64(): float}.get(kind, str) for name, kind in types.items()}
    for number, line in enumerate(lines, first):
        fields = line.split()
        if fields and not fields[0].startswith(COMMENT):
            if layout.fields == RUN.fields and len(fields) > len(RUN.fields) and fields[3].isdigit():
                longer.append(number)
                fields = fields[: len(RUN.fields)]
            try:
                rows.append(_line_values(fields, layout, kinds))
            except InputError as error:
                raise InputError(f"{source}, line {number}{error}") from None
    return pa.table({name: pa.array(values, types[name]) for name, values in zip(types, zip(*rows))})


def _line_values(fields: list[bytes], layout: Layout, kinds: dict[str, type[Any]]) -> list[Any]:
    """The fields of a line that are read. The text of an InputError continues the name of the line."""
    if len(fields) != len(layout.fields):
        needed = f"{len(layout.fields)} are needed: {' '.join(layout.fields)}"
        if layout.fields == RUN.fields:
            needed += ", or in all lines query_id doc_id with rank, score or both"
        hints = {len(QRELS.fields): " Is it a qrels file?", len(RUN.fields): " Is it a run?"}
        raise InputError(f": {counted(len(fields), 'field')}; {needed}.{hints.get(len(fields), '')}")
    texts = {name: decoded(fields[layout.fields.index(name)], ": the ids are") for name in kinds}
    values: dict[str, Any] = dict(texts)
    for name, text in texts.items():
        kind, hint, problem = kinds[name], "", ""
        try:
            if name == RANK and not NUMBER[int].fullmatch(text):
                raise ValueError
            values[name] = {int: grade_of, float: score_of}.get(kind, str)(text)
            problem = ": a finite number is needed" if kind is float and math.isinf(values[name]) else ""
        except ValueError as error:
            hint, problem = str(error), f" is not a {'whole ' if kind is int else ''}number"
            if NUMBER[kind].fullmatch(text):
                problem = f": {'a number below 2^31' if kind is int else 'a finite number'} is needed"
        if problem:
            place = f"topic {_brief(texts['query_id'])}, document {_brief(texts['doc_id'])}"
            raise InputError(f" ({place}): {name} {_brief(text)!r}{problem}.{hint}")
    return [*values.values()]


def _brief(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


_BLANK_LINES = pattern(rb"\n[ \n]+")
_ONE_SIGN = bytes.maketrans(b"\t\v\f\r", b"   \n")  # one sign between fields, one between lines

_SAMPLED_BLOCKS = 4  # the first blocks of a file
_WINDOWS = 16  # parts of a block that a sample has
_WINDOW = 320  # bytes: a handful of lines


def rows_in(lines: bytes) -> list[list[bytes]]:
    """The fields of the lines that are neither blank nor comments; none of what is no text."""
    lines = b"" if b"\0" in lines else lines
    return [fields for line in lines.splitlines() if (fields := line.split()) and fields[0][:1] != COMMENT]


def are_numbers(fields: Iterable[bytes]) -> bool:
    """Whether at least half of these fields are numbers."""
    numbers = [number_in(field.decode(errors="replace")) is not None for field in fields]
    return 2 * sum(numbers) >= len(numbers)


def _are_lines(data: File) -> bool:
    """Whether most lines have as many fields as those of runs or qrels, and a number where these have it."""
    rows, place = rows_in(data.lines), RUN.fields.index(RUN.value)
    for count, value in ((len(RUN.fields), place), (len(QRELS.fields), -1)):
        fitting = [row[value] for row in rows if len(row) == count]
        may_be_header = len(rows[:1] and rows[0]) == count and not are_numbers(fitting[:1])
        if 2 * len(fitting) > len(rows) and are_numbers(fitting) and not may_be_header:
            is_run = count == len(RUN.fields) and _are_iterations(rows)
            return not (has_ranks(rows) or has_answers(data)) and (is_run or not _are_judged(rows))
    return False


def has_ranks(rows: list[list[bytes]]) -> bool:
    """Whether lines are 'query_id doc_id rank score': most topics begin with their first ranks."""
    first: dict[bytes, list[list[bytes]]] = {}
    four = [row for row in rows if len(row) == len(QRELS.fields)]
    for row in four:
        first.setdefault(row[0], []).append(row)
    if 2 * len(four) <= len(rows) or not are_numbers(row[3] for row in four):
        return False
    if len({row[1] for row in four}) == 1 and _are_iterations(four):
        return False
    ranks = ([b"0"], [b"1"], [b"0", b"1"], [b"1", b"2"])
    two = [begun[:2] for begun in first.values()]
    good = [[row[2] for row in each] in ranks and len({row[1] for row in each}) == len(each) for each in two]
    return 2 * sum(good) > len(first)


def _are_iterations(rows: list[list[bytes]]) -> bool:
    """Whether the second fields can be those of qrels or runs in TREC's form: numbers or Q0."""
    return all(field.isdigit() or field == b"Q0" for row in rows for field in row[1:2])


def has_answers(data: File) -> bool:
    """Whether the first lines go on after the tag, all but those of NIL, and not with one text as tags do."""
    lines = rows_in(data.lines)
    answered = [line for line in lines if len(line) > len(RUN.fields) and line[3].isdigit()]
    others = [line for line in lines[:-1] if line not in answered and line[2:3] != [b"NIL"]]
    return not others and len({tuple(line[len(RUN.fields) :]) for line in answered}) > 1


def _run_to_kernel(lists: Any, run: Data) -> Samples | None:
    samples = list[Sample]()
    if not os.path.isfile(run.value):
        return None  # a pipe cannot be read again
    try:
        for number, block in enumerate(blocks(run.value, run.source)):
            if not kernel.lines(lists, block if block[-1] == ord("\n") else bytes(block) + b"\n"):
                return None
            samples += _samples_of_block(block, number)
    except (BadLineError, OSError):
        return None
    return tuple(samples)


def _qrels_by_kernel(data: Data, seed: int) -> Any:
    if not os.path.isfile(data.value):
        return None  # as above
    try:
        lines = bytearray()
        for block in blocks(data.value, data.source):
            if not (bytes(block[:1]).isspace() and bytes(block).isspace()):
                lines += block
    except (BadLineError, OSError):
        return None
    lines += b"\n"
    return kernel.qrels_of_lines(lines, seed)


@reader(
    "a path of TREC lines, plain or gzipped",
    recognises=_are_lines,
    compiled=Compiled(_run_to_kernel, _qrels_by_kernel),
    kinds="run qrels answers",
)
def trec(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Lines `query_id Q0 doc_id rank score tag` of runs and `query_id iteration doc_id relevance` of qrels.

    Blanks or tabs are between the fields; `#` begins a comment. The second column of answers is their class.
    """
    source = layout.source
    pieces: Iterable[Rows] = _rows_of_blocks(blocks(data, source), layout, source)
    if os.path.isfile(data):
        pieces = (replace(rows, lines_of=partial(_lines_of, data, source)) for rows in pieces)
    elif held := list(pieces):  # a pipe cannot be read again
        pieces = [Rows.concat(held)]
    count = 0
    for rows in pieces:
        count += len(rows)
        yield rows
    if not count:
        raise InputError(f"{source} is empty: lines of the form '{' '.join(layout.fields)}' are needed.")


def _lines_of(path: str | os.PathLike[str], source: str, topic: str, doc: str) -> list[int]:
    """The numbers of the first two lines that have this topic and this document."""
    numbers, first = list[int](), 1
    wanted = [re.escape(name.encode()) for name in (topic, doc)]
    row = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*+(%b[ \t\v\f]++\S++[ \t\v\f]++%b)(?!\S)" % (*wanted,))
    for block in blocks(path, source):
        data = bytes(block)
        numbers += [first + line_ends(data[: found.start(1)]) for found in islice(row.finditer(data), 2)]
        if len(numbers) > 1:
            break
        first += line_ends(data)
    return numbers[:2]


@dataclass
class _Seen:
    """What was seen in the blocks of a file: the number of the next line, and what a warning reports."""

    first: int = 1
    longer: list[int] = field(default_factory=list)  # lines with words after the tag
    comment: str | None = None  # the first one that looks like a row


def _rows_of_blocks(blocks: Iterable[memoryview], layout: Layout, source: str) -> Iterator[Rows]:
    """The rows of each block of lines."""
    seen = _Seen()
    try:
        for number, block in enumerate(blocks):
            samples = _samples_of_block(block, number) if layout.kind == "run" else ()
            rows = _rows_of_block(block, layout, source, seen)
            del block  # whoever takes the rows may need as much memory again
            if rows is not None:
                yield replace(rows, samples=samples)
    except BadLineError as error:
        raise InputError(f"{source}, line {seen.first + error.before} {error}") from None
    if seen.longer:
        what = f"{counted(len(seen.longer), 'line')} (for example line {seen.longer[0]})"
        warn(f"{source}: the words after the tag, the sixth field, are not read: {what}.")
    if seen.comment:
        what = "lines that begin with # are comments and are left out, but one looks like a row"
        remedy = "If it is one, its topic needs an id that does not begin with #"
        warn(f"{source}: {what}: {_brief(seen.comment)!r}. {remedy}.")


def _rows_of_block(block: memoryview, layout: Layout, source: str, seen: _Seen) -> Rows | None:
    """The rows of a block, which is read in parts; None where it has none."""
    pieces = list[Rows]()
    for data in line_parts(block):
        if layout.fields[2:] == (QRELS.value,):
            data = _LEVEL.sub(b"", data)
        plain = data.translate(_ONE_SIGN)
        # white space must stand alone between fields and lines, and no line may be a comment
        white = np.frombuffer(plain, np.uint8) <= ord(" ")
        alone = not (white[:1].any() or plain.endswith(b" ") or (white[1:] & white[:-1]).any())
        if not alone or plain.startswith(COMMENT) or (COMMENT in plain and b"\n#" in plain):
            seen.comment = seen.comment or _row_in_a_comment(data, layout)
            # Blank lines would cost as much as rows.
            plain = b"\n".join(map(b" ".join, rows_in(_BLANK_LINES.sub(b"\n", plain))))
        if plain:
            rows = _at_once(plain, layout, source)
            if rows is None:
                table = _line_by_line(data.splitlines(), layout, source, seen.first, seen.longer)
                rows = _rows(table, layout, source)
            pieces.append(rows)
        seen.first += line_ends(data)
    return Rows.concat(pieces) if pieces else None


def _samples_of_block(block: memoryview, number: int) -> Samples:
    """A sample of the lines of a block of a run; none after the first blocks of the file."""
    if number >= _SAMPLED_BLOCKS:
        return ()
    small = len(block) <= _WINDOWS * _WINDOW
    starts = [0] if small else range(0, len(block) - _WINDOW, len(block) // _WINDOWS)
    marks: set[bytes] = set()
    pairs: list[tuple[Seen, Seen]] = []
    for start in starts:
        lines = bytes(block if small else block[start : start + _WINDOW]).splitlines()
        seen: list[Seen] = []
        for line in lines if small else lines[1:-1]:
            try:
                topic, mark, _, rank, score, _ = line.split()
                if not topic.startswith(COMMENT):
                    marks.add(mark)
                    seen.append((topic, float(rank), float(score)))
            except ValueError:  # a rank may be any word; what else is wrong is an error elsewhere
                continue
        pairs += pairwise(seen)
    return (Sample(tuple(pairs), frozenset(mark.decode(errors="replace") for mark in marks)),)


def _row_in_a_comment(data: bytes, layout: Layout) -> str | None:
    """The first comment that would be a row if # belonged to the id of its topic."""
    for line in data.splitlines() if COMMENT in data else ():
        fields = line.decode(errors="replace").split()
        complete = len(fields) == len(layout.fields) and fields[0].startswith("#") and fields[0] != "#"
        if complete and NUMBER[float].fullmatch(fields[layout.fields.index(layout.value)]):
            return " ".join(fields)
    return None


def _at_once(data: bytes, layout: Layout, source: str) -> Rows | None:
    """The rows of lines with one blank between fields; None where pyarrow would not read them as they are."""
    types = _types(layout)
    # pyarrow reads hexadecimal numbers; -2^63 is `NO_GRADE` in a column.
    if pa.int64() in types.values() and (b"0x" in data.lower() or b"9223372036854775808" in data):
        return None
    from pyarrow import csv

    # In pyarrow's own memory: its threads would need Python to free other memory, perhaps while Python exits.
    # Behind an empty line, a byte order mark is part of an id; at the start pyarrow would drop it.
    buffer = pa.allocate_buffer(1 + len(data))
    view = memoryview(buffer).cast("B")
    view[0], view[1:] = ord("\n"), data
    try:
        table = csv.read_csv(
            pa.BufferReader(buffer),
            csv.ReadOptions(use_threads=False, column_names=list(layout.fields)),
            csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False),
            csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
        )
        rows = _rows(table, layout, source)
    except (pa.ArrowInvalid, InputError):
        return None
    return rows if rows.ranks is None or (np.abs(rows.ranks) <= HIGHEST_GRADE).all() else None


def _rows(table: pa.Table, layout: Layout, source: str) -> Rows:
    reading = layout.reading
    classes = table[layout.by_class] if layout.by_class else None
    ids, unscored = (table["query_id"], table["doc_id"]), None
    ranks = flat(one_array(table[RANK])) if reading.order == "rank" else None
    values = table[layout.value] if layout.value in layout.fields else None
    if values is None and layout.kind == "run":
        places = np.arange(len(table)) if ranks is None else ranks
        numbers: npt.NDArray[Any] = -places.astype(np.float64)
        unscored = np.ones(len(table), bool)
    elif values is None:
        numbers = np.ones(len(table), np.int64)  # relevant documents
    elif layout.levels:
        numbers = number_column(values, layout.value, "int64", source, ids, layout.levels)
    else:
        numbers = flat(one_array(values))
    rows = Rows.of(source, *ids, numbers, classes)
    hidden = None if reading.stop is None else occurs(one_array(table[MARK]), reading.stop)
    return rows.read(reading, ranks=ranks, hidden=hidden, unscored=unscored)


# Ranked answers of TREC's question answering tracks. The fields of runs are those that Aranea writes (Jimmy
# Lin, https://cs.uwaterloo.ca/~jimmylin/downloads, ConvertToTREC), and the numbers of judgments those of NIST
# (https://trec.nist.gov/data/qa/2005_qadata/README.list+other.results).
_GRADES = {"-1": 0, "1": 1, "2": 0, "3": 0}  # wrong, right, unsupported by the document, inexact


def _are_judged(rows: list[list[bytes]]) -> bool:
    """Whether the third fields are judgments, and others are not those of qrels; answers may be numbers."""
    judged = bool(rows) and all(len(row) > 2 and row[2].decode(errors="replace") in _GRADES for row in rows)
    lengths, usual = {*map(len, rows)}, len(QRELS.fields)
    answered = max(lengths, default=0) > usual or (lengths == {usual} and not _are_iterations(rows))
    return judged and answered and not has_ranks(rows)


def _answers(data: str | os.PathLike[str], source: str, least: int) -> Iterator[tuple[str, str, list[str]]]:
    """The place of each line, its document with its answer, which are judged together, and so many fields."""
    for place, line in file_lines(data, source):
        fields = decoded(line, f"{place}: the text is").split(None, least)
        if "".join(fields[:1]).startswith("#"):  # a comment
            continue
        if len(fields) < least:
            raise InputError(f"{place}: {counted(len(fields), 'field')}; {least} and an answer are needed.")
        doc, answer = fields[2 if least == len(RUN.fields) else 1], "".join(fields[least:]).split()
        yield place, doc if doc == "NIL" else " ".join([doc, *answer]), fields


@reader(
    "a path of TREC lines 'question Q0 document rank score tag answer'", recognises=has_answers, kinds="run"
)
def answer_run(data: str | os.PathLike[str], layout: Layout) -> Table:
    """As TREC-8 to TREC 2001 had them. A document of the list is a document with an answer, in the order of
    the ranks; `order="rank"` keeps the scores, too."""
    rows = list[tuple[str, str, int, float]]()
    for place, pair, fields in _answers(data, layout.source, len(RUN.fields)):
        topic, _, _, rank, score, *_ = fields
        try:
            number = float(score) if layout.reading.order == RANK else -float(rank)
            rows.append((topic, pair, int(rank), number))
        except ValueError:
            raise InputError(f"{place}: rank {rank!r} and score {score!r}: numbers are needed.") from None
    return Table(layout.source, dict(zip(("query_id", "doc_id", RANK, "score"), map(list, zip(*rows)))))


@reader(
    "a path of TREC lines 'question document judgment answer'",
    recognises=lambda data: _are_judged(rows_in(data.lines)),
    kinds="qrels",
)
def answer_judgments(data: str | os.PathLike[str], layout: Layout) -> Table:
    """As TREC-8 to TREC 2001 had them: a document with an answer is wrong (-1), right (1), or right without
    support by the document (2), which counts as wrong; `levels={"2": 1}` counts it as right (lenient)."""
    grades, unsupported = _GRADES | dict(layout.levels or {}), 0
    rows = list[tuple[str, str, int]]()
    for place, pair, (topic, _, judgment, *_) in _answers(data, layout.source, 3):
        if judgment not in grades:
            raise InputError(f"{place}: judgment {judgment!r}: one of {', '.join(grades)} is needed.")
        unsupported += judgment == "2"
        rows.append((topic, pair, grades[judgment]))
    if unsupported and "2" not in (layout.levels or {}):
        what = f"{counted(unsupported, 'answer')} that the document does not support count as wrong (strict)"
        warn(f"{layout.source}: {what}; {option('levels', {'2': 1})} counts them as right (lenient).")
    return Table(layout.source, dict(zip(("query_id", "doc_id", layout.value), map(list, zip(*rows)))))
