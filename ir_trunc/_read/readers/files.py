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

from ir_trunc._core.errors import InputError, counted, option, warn
from ir_trunc._core.rankings import distinct
from ir_trunc._read.arrow import flat, pa, pc
from ir_trunc._read.readers.memory import dicts, records
from ir_trunc._read.readers.topics import topic_file
from ir_trunc._read.readers.trec import has_ranks, rows_in, trec
from ir_trunc._read.reading import RANK, TOPICS, Columns, Layout
from ir_trunc._read.registry import File, Reader, Table, are_columns, reader, reader_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import FIELDS_OF, NUMBERS, field_of_columns, possible_fields, rows_of_table
from ir_trunc._read.text import (
    NUMBER,
    beginning,
    check_unpacked,
    json_content,
    json_parts,
    number_of,
    numbered_lines,
    parts,
)


def _header(start: bytes) -> tuple[list[str], str]:
    """The names in the first line, and what separates them."""
    text = next(iter(start.splitlines()), b"").decode(errors="replace")
    separator = max("\t,;", key=text.count)
    return [name.strip(' "') for name in text.split(separator)], separator


def _is_table(data: File) -> bool:
    names, _ = _header(data.start)
    has_ids = {"query_id", "doc_id"} <= {FIELDS_OF.get(name) for name in names}
    keys = data.reading.nesting
    has_named = not {*data.reading.names.values(), *(keys.names if keys else ())}.isdisjoint(names)
    return has_ids or has_named or (data.name.endswith(".csv") and len(names) not in (1, 4, 6))


@reader(
    "a path of CSV or TSV with a header that names <columns>",
    recognises=_is_table,
    columns=True,
    shapes="path",
    kinds="run qrels",
)
def csv_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Plain or gzipped, with tabs, commas or semicolons between the fields.

    The names are those that the columns of frames have; BEIR's query-id and corpus-id are known.
    """
    source = layout.source
    names, separator = _header(beginning(data))
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    field_of = field_of_columns(names, layout, source)
    pieces = list[Rows]()
    for block in _blocks(parts(data, source), separator):
        columns = _columns(block, names, separator, field_of, source, headers=0 if pieces else 1)
        pieces.append(rows_of_table(columns, layout, source))
    yield Rows.concat(pieces)


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
    # Without threads, here and for Parquet: pyarrow's may outlive Python, and the process then aborts.
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names, skip_rows=headers),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, quote_char=quote),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), include_columns=list(field_of)
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"{source} is not a table: {str(error).splitlines()[0]}") from None
    columns: dict[Any, Any] = {name: pc.ascii_trim(table[name], " ") for name in table.column_names}
    for name in (name for name in columns if field_of[name] in NUMBERS):
        try:
            columns[name] = columns[name].cast(pa.float64())
        except pa.ArrowInvalid:  # levels that are words, or a mistake
            columns[name] = list(map(number_of, columns[name].to_pylist()))
    return columns


_SHORT = {
    "run": {3: ("query_id", "doc_id", "score"), 4: ("query_id", "doc_id", RANK, "score")},
    "qrels": {2: ("query_id", "doc_id"), 3: ("query_id", "doc_id", "relevance")},
}
"""The fields of short lines, by their number; the third one of a run is the rank or the score."""

_COMPARED = 100  # lines, whose numbers of fields say which of two differing lines is wrong


def _are_short(data: File) -> bool:
    """Whether lines have two or three fields, or four with a rank, and are no header."""
    rows = rows_in(b"".join(line for line in data.start.splitlines(True) if line.endswith((b"\r", b"\n"))))
    fields = [field.decode(errors="replace") for field in next(iter(rows), [])]
    if not rows or Counter(map(len, rows)).most_common(1)[0][0] != len(fields):
        return False  # of another form, and the first line is damaged
    if len(fields) == 4:
        return has_ranks(data.start)
    value = re.sub("^L(?=[0-9]+$)", "", fields[-1])
    is_number = len(fields) == 2 or (len(fields) == 3 and NUMBER[float].fullmatch(value) is not None)
    return is_number and fields[0][0] not in "{[<" and FIELDS_OF.keys().isdisjoint(fields)


@reader(
    "a path of lines 'query_id doc_id <value>', without a header",
    recognises=_are_short,
    columns=True,
    shapes="path",
    kinds="run qrels",
)
def short_lines(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Runs of three fields, as MS MARCO and Tevatron have them, or of four, 'query_id doc_id rank score'.

    The third field is a rank if each topic has 1 to n or 0 to n-1, and else a score; a warning says what was
    decided, and columns={"rank": 2} or {"score": 2} decides, with fields counted from 0. Qrels have two
    fields, of relevant documents, or three, where NTCIR's grade L3 is 3.
    """
    source, reading, of_run = layout.source, layout.reading, layout.kind == "run"
    count = len(rows_in(beginning(data))[0])
    if count not in (fields_of := _SHORT[layout.kind]):
        needed = f"{' or '.join(map(str, fields_of))}, or {len(layout.fields)} in TREC's form, are needed"
        hint = " Is it a run?" if count == 4 else ""
        place, _ = next(_lines(data, source))
        raise InputError(f"{place}: {counted(count, 'field')}; {needed}.{hint}")
    if reading.stop is not None:
        what = f"in {count} fields there is no mark"
        raise InputError(f"{source}: {what}, which {option('stop', reading.stop)} needs.")
    given = {f: int(name) if str(name).isdecimal() else name for f, name in reading.names.items()}
    Columns(given, reading.names.needed).check(range(count), possible_fields(layout), source)
    field_at = {place: field for field, place in given.items()}
    fields = [field_at.get(n, "" if f in given else f) for n, f in enumerate(fields_of[count])]
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
        if (are_ranks := _are_ranks(rows)) is None:
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
    rows = replace(rows, named=frozenset(given))
    yield rows.read(reading, rows.ranks, unscored=rows.unscored) if of_run else rows


def _lines(data: str | os.PathLike[str], source: str) -> Iterator[tuple[str, list[bytes]]]:
    """The place and the fields of each line that is neither blank nor a comment."""
    for place, line in numbered_lines(parts(data, source), source):
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


@reader(
    "a path of JSON or JSON lines, plain or gzipped",
    recognises=lambda data: b"".join(data.start[:200].split())[:2] in (b'{"', b"{}", b"[{", b"[[", b"[]"),
    columns=True,
    shapes="path",
    kinds="run qrels",
)
def json_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """One record for each document, in lines or in a list, or one object in any of the forms of dicts.

    Such forms are {topic: {document: score}} and {topic: [{"id": ..., "score": ...}]}.
    """
    source, keys = layout.source, layout.reading.nesting
    in_parts = json_parts(data, source)
    content, further = next(in_parts), next(in_parts, None)
    if further is not None:
        if (form := reader_of(content, layout)) in (dicts, records):
            rows = _rows_of_parts(form, chain((content, further), in_parts), layout)
            if rows is not None:
                yield rows
                return
        content = json_content(data, source)
    if isinstance(content, dict) and not are_columns(content, layout):
        topic = layout.reading.names.get("query_id", keys.names[0] if keys else "query_id")
        if topic in content or {"query_id", "doc_id"} <= {FIELDS_OF.get(name) for name in content}:
            content = [content]  # JSON lines of a single line
    try:
        for rows in reader_of(content, layout).pieces(content, layout):
            yield replace(rows, source=source)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def _rows_of_parts(form: Reader, contents: Iterable[Any], layout: Layout) -> Rows | None:
    """The rows of a content in parts, records of the same names; None where one is wrong.

    What is wrong, the reader says of the whole content, which takes more memory.
    """
    pieces, names = list[Rows](), set[Any]()
    with suppress(InputError):
        for content in contents:
            if form is records and pieces and names != {*chain.from_iterable(content)}:
                return None
            names = names or {*chain.from_iterable(content)} if form is records else names
            pieces += form.pieces(content, layout)
        return replace(Rows.concat(pieces), source=layout.source)
    return None


@reader(
    "a path of Parquet with the columns <columns>",
    recognises=lambda data: (
        data.start.startswith(b"PAR1") or bool(data.start and data.name.endswith(".parquet"))
    ),
    columns=True,
    shapes="path",
    kinds="run qrels topics",
)
def parquet_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """The columns are called as those of frames; others are not read."""
    import pyarrow.parquet

    source = layout.source
    try:
        with pyarrow.parquet.ParquetFile(os.fspath(data)) as file:
            check_unpacked(8 * file.metadata.num_rows, os.path.getsize(data), source)
            columns = list(field_of_columns(file.schema_arrow.names, layout, source))
            table = file.read(columns=columns, use_threads=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    return Table(source, table)


@reader(
    "a folder of BEIR",
    recognises=lambda data: (
        os.path.isdir(os.path.join(data.path, "qrels"))
        or os.path.isfile(os.path.join(data.path, "queries.jsonl"))
    ),
    shapes="path",
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
