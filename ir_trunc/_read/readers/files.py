"""Files of tables and records: CSV and TSV, JSON and JSON lines, Parquet, and folders of BEIR."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted, option, repeated, shown, warn
from ir_trunc._core.rankings import distinct
from ir_trunc._read.arrow import flat, pa, pc
from ir_trunc._read.readers.memory import records
from ir_trunc._read.readers.topics import topic_file
from ir_trunc._read.readers.trec import are_numbers, has_ranks, rows_in, trec
from ir_trunc._read.reading import RANK, TOPICS, Columns, Layout
from ir_trunc._read.registry import File, Reader, Table, are_columns, reader, reader_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import FIELDS_IN, NUMBERS, field_of_columns, header, possible_fields, rows_of_table
from ir_trunc._read.text import (
    beginning,
    check_unpacked,
    file_lines,
    json_content,
    json_parts,
    keep_digest,
    parts,
)


def _is_table(data: File) -> bool:
    names, separator = header(data.start)
    has_ids = {"query_id", "doc_id"} <= {*map(FIELDS_IN["run"].get, names)}
    keys = data.reading.nesting
    has_named = not {*data.reading.names.values(), *(keys.names if keys else ())}.isdisjoint(names)
    return has_ids or has_named or _is_separated(data, separator)


def _is_separated(data: File, separator: str) -> bool:
    """Whether all lines have this sign; in files of other names equally often, and no blanks."""
    lines = [line for line in data.lines.splitlines() if line.strip()]
    signs = {line.count(separator.encode()) for line in lines}
    if data.name.endswith(".csv"):
        return bool(signs) and 0 not in signs and separator != "\t"
    return len(signs) == 1 and signs != {0} and all(len(line.split()) == 1 for line in lines)


@reader("a path of CSV or TSV with a header that names <columns>", recognises=_is_table, columns=True)
def csv_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Plain or gzipped, with tabs, commas or semicolons between the fields.

    The names are those that the columns of frames have; BEIR's query-id and corpus-id are known. Places,
    counted from 0, name the columns of a table without a header.
    """
    source, given, named = layout.source, layout.reading.names, frozenset[str]()
    names, separator = header(beginning(data))
    headers, levels = 1, layout.levels or ()
    own = {field: str(name) if isinstance(name, int) else name for field, name in given.items()}
    given = Columns(own, given.needed)
    layout = replace(layout, reading=replace(layout.reading, columns=given))
    keys = layout.reading.nesting.names if layout.reading.nesting else ()
    by_place = [name for name in given.values() if isinstance(name, str) and name.isdecimal()]
    numbered = list(map(str, range(len(names))))  # as pandas writes columns without names
    usual, fields = FIELDS_IN[layout.kind], ("query_id", layout.item, layout.value)
    known = {name for name in names if usual.get(name) in fields}
    known |= {*given.values(), *keys}.difference(by_place).intersection(names)
    if not known and names != numbered:
        if by_place:
            names, layout, named = _by_place(layout, len(names), source)
            headers = 0
        elif any(name in levels or (name and are_numbers([name.encode()])) for name in names):
            short = _usual(layout, len(names))
            example = {field: short.index(field) for field in fields if field in short}
            example = example or {"query_id": 0, layout.item: 1}
            first = shown(separator.join(names))
            what = f"{source} has no header: its first line is {first}"
            raise InputError(f"{what}; {option('columns', example)} takes columns by their places.")
    if (twice := repeated(names)) is not None:
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    field_of = field_of_columns(names, layout, source)
    pieces = list[Rows]()
    for block in _blocks(parts(data, source), separator):
        columns = _columns(block, names, separator, field_of, source, headers=0 if pieces else headers)
        pieces.append(rows_of_table(columns, layout, source))
        layout = replace(layout, first_row=layout.first_row + len(next(iter(columns.values()), ())))
    rows = Rows.concat(pieces)
    yield replace(rows, named=rows.named | named)


def _usual(layout: Layout, count: int) -> tuple[str, ...]:
    """The fields of lines with so many."""
    return (_SHORT.get(layout.kind, {}) | {len(layout.fields): layout.fields}).get(count, ())


def _by_place(layout: Layout, count: int, source: str) -> tuple[list[str], Layout, frozenset[str]]:
    """The fields of columns without a header, the layout with no other names, and what the user named.

    A field that the user named stands where he says; others stand where short lines have them.
    """
    names, possible = layout.reading.names, possible_fields(layout)
    # Fields of qrels or of runs alone are left out.
    own = (field for field in names if field in possible or field in names.needed)
    given = {field: int(names[field]) if str(names[field]).isdecimal() else names[field] for field in own}
    Columns(given, names.needed).check(range(count), possible, source)
    field_at = {place: field for field, place in given.items()}
    others = {place: field for place, field in enumerate(_usual(layout, count)) if field not in given}
    fields = [field_at.get(place, others.get(place, str(place))) for place in range(count)]
    return fields, replace(layout, reading=replace(layout.reading, columns=None)), frozenset(given)


def _blocks(data: Iterator[bytes], separator: str) -> Iterator[bytes]:
    """The lines of a table, without blank ones before them, in blocks that end outside of quotes."""
    quote, are_open, block = b"\0" if separator == "\t" else b'"', False, bytearray()
    for part in data:
        block += part if block else part.lstrip()
        are_open ^= part.count(quote) % 2 == 1
        end = block.rfind(b"\n") + 1
        if end and are_open == (block.count(quote, end) % 2 == 1):
            yield bytes(block[:end])
            del block[:end]
    if block:
        yield bytes(block)


def _columns(
    text: bytes, names: list[str], separator: str, field_of: Mapping[Any, str], source: str, headers: int
) -> dict[Any, Any]:
    """Columns of a part of a table by their names, those of numbers as numbers where they all are."""
    import pyarrow.csv

    quote = False if separator == "\t" else '"'  # texts behind tabs hold any quotes
    texts = dict.fromkeys(names, pa.string())
    # Without threads, here and for Parquet: pyarrow's may outlive Python, and the process then aborts.
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names, skip_rows=headers),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, quote_char=quote),
            pyarrow.csv.ConvertOptions(column_types=texts, include_columns=list(field_of)),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"{source} is not a table: {str(error).splitlines()[0]}") from None
    columns: dict[Any, Any] = {name: pc.ascii_trim(table[name], " ") for name in table.column_names}
    for name in (name for name in columns if field_of[name] in NUMBERS):
        with suppress(pa.ArrowInvalid):  # levels that are words, a gap, or a mistake
            columns[name] = columns[name].cast(pa.float64())
    return columns


_SHORT = {
    "run": {3: ("query_id", "doc_id", "score"), 4: ("query_id", "doc_id", RANK, "score")},
    "qrels": {2: ("query_id", "doc_id"), 3: ("query_id", "doc_id", "relevance")},
}
"""The fields of short lines, by their number; the third one of a run is the rank or the score."""


_COMPARED = 100  # lines, whose numbers of fields say which of two differing lines is wrong


def _are_short(data: File) -> bool:
    """Whether lines have two or three fields, or four with a rank, and are no header."""
    rows = rows_in(data.lines)
    fields = [field.decode(errors="replace") for field in next(iter(rows), [])]
    if data.name.endswith(".csv") and _is_separated(data, header(data.start)[1]):
        return False
    if not rows or Counter(map(len, rows)).most_common(1)[0][0] != len(fields):
        return False  # of another form, and the first line is damaged
    if len(fields) == 4:
        return has_ranks(rows)
    values = [re.sub(b"^L(?=[0-9]+$)", b"", row[2]) for row in rows if len(row) == 3]
    is_number = len(fields) == 2 or (len(fields) == 3 and are_numbers(values[:1]) and are_numbers(values))
    return is_number and fields[0][0] not in "{[<" and FIELDS_IN["run"].keys().isdisjoint(fields)


@reader("a path of lines 'query_id doc_id <value>', without a header", recognises=_are_short, columns=True)
def short_lines(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Runs of three fields, as MS MARCO and Tevatron have them, or of four, 'query_id doc_id rank score'.

    The third field is a rank if each topic has 1 to n or 0 to n-1, and else a score; a warning says what was
    decided, and columns={"rank": 2} or {"score": 2} decides, with fields counted from 0. Qrels have two
    fields, of relevant documents, or three, where NTCIR's grade L3 is 3.
    """
    source, reading, of_run = layout.source, layout.reading, layout.kind == "run"
    count = len(rows_in(beginning(data))[0])
    fields_of = _SHORT[layout.kind]
    if count not in fields_of:
        needed = f"{' or '.join(map(str, fields_of))}, or {len(layout.fields)} in TREC's form, are needed"
        hint = " Is it a run?" if count == 4 else ""
        place, _ = next(_lines(data, source))
        raise InputError(f"{place}: {counted(count, 'field')}; {needed}.{hint}")
    if reading.stop is not None:
        what = f"in {count} fields there is no mark"
        raise InputError(f"{source}: {what}, which {option('stop', reading.stop)} needs.")
    fields, layout, given = _by_place(layout, count, source)
    is_open = of_run and count == 3 and fields[2] == "score" and "score" not in given
    if is_open and reading.without_scores:
        fields[2], is_open = RANK, False
    if RANK in fields and "score" not in fields and not reading.without_scores:
        reading = replace(reading, order="rank")
    as_scores = replace(reading, columns=None, lower_is_better=False)
    try:
        rows = Rows.concat([*trec.pieces(data, replace(layout, fields=tuple(fields), reading=as_scores))])
    except InputError:
        (place, _), *others = lines = [*islice(_lines(data, source), _COMPARED)]
        most = Counter(len(line) for _, line in lines).most_common(1)[0][0]
        if others and most != count:  # the first line is another than the others, and perhaps very long
            needed = f"{most} are needed, as in most lines"
            raise InputError(f"{place}: {counted(count, 'field')}; {needed}.") from None
        raise
    if is_open:
        are_ranks = _are_ranks(rows)
        if are_ranks is None:
            which = f"{option('columns', {'rank': 2}, {'score': 2})} says which"
            raise InputError(f"{source}: the third field may be the rank or the score; {which}.")
        what = "the rank, since it is 1 to n" if are_ranks else "the score, since it is not 1 to n"
        these = option("columns", {"query_id": 0, "doc_id": 1, RANK if are_ranks else "score": 2})
        warn(f"{source}: the third field is taken for {what} in each topic; {these} confirms.")
        if are_ranks:
            reading, ranks, unscored = replace(reading, order="rank"), rows.values, np.ones(len(rows), bool)
            rows = replace(rows, values=-ranks, ranks=ranks.astype(np.int64), unscored=unscored)
    if not of_run and "relevance" not in fields:
        warn(f"{source}: lines of two fields are taken for relevant documents, of grade 1.")
    rows = replace(rows, named=given)
    yield rows.read(reading, samples=()) if of_run else rows


def _lines(data: str | os.PathLike[str], source: str) -> Iterator[tuple[str, list[bytes]]]:
    """The place and the fields of each line that is neither blank nor a comment."""
    for place, line in file_lines(data, source):
        yield from ((place, fields) for fields in rows_in(line))


def _are_ranks(rows: Rows) -> bool | None:
    """Whether numbers are 1 to n, or 0 to n-1, in each topic; None where they may be scores all the same."""
    topic, value = flat(rows.topics.indices), rows.values
    order = np.lexsort((value, topic))
    begins = np.append(True, np.diff(topic[order]) != 0)
    places = np.arange(len(order)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    first = distinct(value[order] - places)
    if len(first) > 1 or first[0] not in (0, 1):
        return False
    return True if ((np.diff(topic) == 0) & (np.diff(value) > 0)).any() else None


@reader("a path of CSV or TSV with a header that names <columns>", columns=True, kinds="depths")
def depth_table(data: str | os.PathLike[str], layout: Layout) -> Table | Iterable[Rows]:
    """A row for each question and depth: query_id, k, score and, where they differ, cost and repeat."""
    return csv_file.read(data, layout)


@reader(
    "a path of JSON or JSON lines, plain or gzipped",
    recognises=lambda data: b"".join(data.start[:200].split())[:2] in (b'{"', b"{}", b"[{", b"[[", b"[]"),
    columns=True,
    kinds="run qrels depths",
)
def json_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """One record for each document, in lines or in a list, or one object in any of the forms of dicts.

    Such forms are {topic: {document: score}} and {topic: [{"id": ..., "score": ...}]}.
    """
    source, keys = layout.source, layout.reading.nesting
    in_parts = json_parts(data, source)
    content, further = next(in_parts), next(in_parts, None)
    try:
        if further is not None:
            whole = _rows_of_parts(reader_of(content, layout), chain((content, further), in_parts), layout)
            if whole is not None:
                yield whole
                return
            content = json_content(data, source)
        if isinstance(content, dict) and not are_columns(content, layout):
            topic = layout.reading.names.get("query_id", keys.names[0] if keys else "query_id")
            if topic in content or {"query_id", layout.item} <= {*map(FIELDS_IN[layout.kind].get, content)}:
                content = [content]  # JSON lines of a single line
        for rows in reader_of(content, layout).pieces(content, layout):
            yield replace(rows, source=source)
    except InputError as error:
        place = "" if str(error).startswith(source) else f"{source}: "
        raise InputError(f"{place}{error}") from None


def _rows_of_parts(form: Reader, contents: Iterable[Any], layout: Layout) -> Rows | None:
    """The rows of records of the same names in parts; None where their names differ, and in other forms."""
    pieces, names, number = list[Rows](), set[Any](), 0
    for content in contents:
        names = names or {*chain.from_iterable(content)}
        if form is not records or names != {*chain.from_iterable(content)}:
            return None
        pieces += form.pieces(content, replace(layout, first_row=number))
        number += len(content)
    return replace(Rows.concat(pieces), source=layout.source)


@reader(
    "a path of Parquet with the columns <columns>",
    recognises=lambda data: data.start[:4] == b"PAR1" or (data.start and data.name.endswith(".parquet")),
    columns=True,
    kinds="run qrels topics depths",
)
def parquet_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """The columns are called as those of frames; others are not read."""
    import pyarrow.parquet

    source = layout.source
    try:
        with pa.OSFile(os.fspath(data)) as whole, pyarrow.parquet.ParquetFile(whole) as file:
            check_unpacked(8 * file.metadata.num_rows, os.path.getsize(data), source)
            columns = list(field_of_columns(file.schema_arrow.names, layout, source))
            table = file.read(columns=columns, use_threads=False)
            keep_digest(data, whole)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    return Table(source, table)


@reader(
    "a folder of BEIR",
    recognises=lambda data: (
        os.path.isdir(os.path.join(data.path, "qrels"))
        or os.path.isfile(os.path.join(data.path, "queries.jsonl"))
    ),
    kinds="qrels topics",
)
def beir_folder(data: str | os.PathLike[str], layout: Layout) -> Table | list[Rows]:
    """The judgments are those of qrels/test.tsv; another split is read by its path.

    Its topics are all of queries.jsonl but the queries that only other splits judge.
    """
    from glob import glob

    folder = os.path.join(data, "qrels")
    queries = _ids(os.path.join(data, "queries.jsonl"))
    if layout.kind == "topics":
        return Table(layout.source, topics=queries)
    splits = sorted(glob("*.tsv", root_dir=folder))
    if "test.tsv" not in splits:
        others = ", ".join(splits)
        raise InputError(f"{layout.source} has no qrels/test.tsv; name the file: {others or 'none'}.")
    (rows,) = csv_file.pieces(os.path.join(folder, "test.tsv"), layout)
    judged = set().union(*(_ids(os.path.join(folder, split)) for split in splits))
    return [replace(rows, asked=tuple(query for query in queries if query not in judged))]


def _ids(path: str) -> tuple[str, ...]:
    return topic_file.table(path, TOPICS).topics if os.path.isfile(path) else ()
