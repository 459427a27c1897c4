"""Files of tables and records: CSV and TSV, JSON and JSON lines, Parquet, and folders of BEIR."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted, shown, warn
from ir_trunc._core.rankings import distinct
from ir_trunc._read.arrow import one_array, pa, pc
from ir_trunc._read.readers.memory import records
from ir_trunc._read.readers.topics import topic_file
from ir_trunc._read.readers.trec import has_ranks, rows_in
from ir_trunc._read.reading import RANK, TOPICS, Columns, Layout
from ir_trunc._read.registry import File, Table, reader, reader_of
from ir_trunc._read.rows import PART, Rows
from ir_trunc._read.tables import FIELDS_OF, NUMBERS, field_of_columns, rows_of_table
from ir_trunc._read.text import (
    beginning,
    check_unpacked,
    contents,
    decoded,
    json_content,
    json_objects,
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
    "run",
    "qrels",
    recognises=_is_table,
    columns=True,
)
def csv_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped, with tabs, commas or semicolons between the fields.

    The names are those that the columns of frames have; BEIR's query-id and corpus-id are known.
    """
    source = layout.source
    names, separator = _header(beginning(data))
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    field_of = field_of_columns(names, layout, source)
    return Table(source, _columns(contents(data, source).lstrip(), names, separator, field_of, source))


def _columns(
    text: bytes, names: list[str], separator: str, field_of: Mapping[Any, str], source: str, header: int = 1
) -> dict[Any, pa.ChunkedArray]:
    """Columns of a text by their names, those of numbers as numbers. header: lines above the first row."""
    import pyarrow.csv

    quote = False if separator in "\t " else '"'  # texts behind tabs hold any quotes
    # Without threads, here and for Parquet: pyarrow's may outlive Python, and the process then aborts.
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names, skip_rows=header),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, quote_char=quote),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), include_columns=list(field_of)
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"{source} is not a table: {str(error).splitlines()[0]}") from None
    columns = {name: pc.ascii_trim(table[name], " ") for name in table.column_names}
    for name, column in columns.items():
        if field_of[name] in NUMBERS:
            try:
                columns[name] = column.cast(pa.float64())
            except pa.ArrowInvalid:
                rows = enumerate(column.to_pylist(), 1)
                row, text = next((row, text) for row, text in rows if not _is_number(text))
                what = name if header else field_of[name]
                raise InputError(f"{source}, row {row}: {what} {shown(text)} is not a number.") from None
    return columns


def _is_number(text: str) -> bool:
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


_SHORT = {
    "run": {3: ("query_id", "doc_id", ""), 4: ("query_id", "doc_id", RANK, "score")},
    "qrels": {2: ("query_id", "doc_id"), 3: ("query_id", "doc_id", "relevance")},
}
"""The fields of short lines, by their number; the third one of a run is the rank or the score."""


def _are_short(data: File) -> bool:
    """Whether lines have two or three fields, or four with a rank, and are no header."""
    rows = rows_in(b"".join(line for line in data.start.splitlines(True) if line.endswith((b"\r", b"\n"))))
    fields = [field.decode(errors="replace") for field in next(iter(rows), [])]
    if not rows or Counter(map(len, rows)).most_common(1)[0][0] != len(fields):
        return False  # of another form, and the first line is damaged
    if len(fields) == 4:
        return has_ranks(data.start)
    is_number = len(fields) == 2 or (len(fields) == 3 and _is_number(fields[2]))
    return is_number and fields[0][0] not in "{[<" and FIELDS_OF.keys().isdisjoint(fields)


@reader(
    "a path of lines 'query_id doc_id <value>', without a header",
    "run",
    "qrels",
    recognises=_are_short,
    columns=True,
)
def short_lines(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """Runs of three fields, as MS MARCO and Tevatron have them, or of four, 'query_id doc_id rank score'.

    The third field is a rank if each topic has 1 to n or 0 to n-1, and else a score; a warning says what was
    decided, and columns={"rank": 2} or {"score": 2} decides, with fields counted from 0. Qrels have two
    fields, of relevant documents, or three.
    """
    source, reading = layout.source, layout.reading
    text = re.sub(rb"(?m)^(#.*|[ \t]+)|[ \t\r]+$", b"", contents(data, source)).strip()
    text, count = re.sub(rb"[ \t]+", b" ", text), len(text.partition(b"\n")[0].split())
    if count not in (fields_of := _SHORT[layout.kind]):
        needed = f"{' or '.join(map(str, fields_of))}, or {len(layout.fields)} in TREC's form, are needed"
        hint = " Is it a run?" if count == 4 else ""
        place, _ = next(_short_lines(data, source))
        raise InputError(f"{place}: {counted(count, 'field')}; {needed}.{hint}")
    given = {field: int(name) if str(name).isdecimal() else name for field, name in reading.names.items()}
    fields = {field: place for place, field in enumerate(fields_of[count])}
    fields = {field: place for field, place in fields.items() if place not in given.values()} | given
    names = [str(place) for place in range(count)]
    field_of = {name: "score" if name > "1" else "" for name in names}
    try:
        columns = _columns(text, names, " ", field_of, source, 0)
    except InputError:
        _refuse_short_line(data, source, count)
        raise
    table: Any = {int(name): column for name, column in columns.items()}
    if "" in fields and reading.without_scores:
        fields[RANK] = fields.pop("")
    elif "" in fields:
        if (are_ranks := _are_ranks(table[0], table[2])) is None:
            which = "columns={'rank': 2} (--columns rank=2) or columns={'score': 2} says which"
            raise InputError(f"{source}: the third field may be the rank or the score; {which}.")
        fields[RANK if are_ranks else "score"] = fields.pop("")
        what = "the rank, since it is 1 to n" if are_ranks else "the score, since it is not 1 to n"
        warn(f"{source}: the third field is taken for {what} in each topic; columns={fields} confirms.")
    if layout.kind == "qrels" and "relevance" not in fields:
        fields["relevance"], table[2] = 2, np.ones(len(table[0]), np.int64)
        warn(f"{source}: lines of two fields are taken for relevant documents, of grade 1.")
    reading = replace(reading, columns=Columns(fields, fields))
    if RANK in fields and "score" not in fields and not reading.without_scores:
        reading = replace(reading, order="rank")
    rows = rows_of_table(table, replace(layout, reading=reading), source)
    yield replace(rows, named=frozenset(given))


def _short_lines(data: str | os.PathLike[str], source: str) -> Iterator[tuple[str, bytes]]:
    """The lines that are neither blank nor comments, with their places."""
    lines = numbered_lines(parts(data, source), source)
    return ((place, line) for place, line in lines if rows_in(line))


def _refuse_short_line(data: str | os.PathLike[str], source: str, count: int) -> None:
    """InputError that names the first line of other fields than the first line has, if there is one."""
    for place, line in _short_lines(data, source):
        fields = decoded(line, f"{place} is").split()
        if len(fields) != count:
            raise InputError(f"{place}: {counted(len(fields), 'field')}; {count} are needed, as before it.")
        if odd := [field for field in fields[2:] if not _is_number(field)]:
            raise InputError(f"{place}: {shown(odd[0])} is not a number.")


def _are_ranks(topics: pa.ChunkedArray, values: pa.ChunkedArray) -> bool | None:
    """Whether numbers are 1 to n, or 0 to n-1, in each topic; None where they may be scores all the same."""
    topic = one_array(topics).dictionary_encode().indices.to_numpy()
    value = one_array(values).to_numpy()
    order = np.lexsort((value, topic))
    begins = np.append(True, np.diff(topic[order]) != 0)
    places = np.arange(len(order)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    first = distinct(value[order] - places)
    if len(first) > 1 or first[0] not in (0, 1):
        return False
    return True if ((np.diff(topic) == 0) & (np.diff(value) > 0)).any() else None


@reader(
    "a path of JSON or JSON lines, plain or gzipped",
    "run",
    "qrels",
    recognises=lambda data: b"".join(data.start[:200].split())[:2] in (b'{"', b"{}", b"[{", b"[[", b"[]"),
    columns=True,
)
def json_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """One record for each document, in lines or in a list, or one object in any of the forms of dicts.

    Such forms are {topic: {document: score}} and {topic: [{"id": ..., "score": ...}]}.
    """
    source = layout.source
    places, objects = zip(*islice(json_objects(data, source), PART))
    content = objects[0] if places[0] == source else [*objects]
    if len(objects) == PART:
        if reader_of(content, layout) is records and (rows := _rows_of_records(data, layout)) is not None:
            yield rows
            return
        content = json_content(data, source)
    keys = layout.reading.nesting
    first_id = keys.names[0] if keys else "query_id"
    if isinstance(content, dict) and layout.reading.names.get("query_id", first_id) in content:
        content = [content]  # JSON lines of a single line
    try:
        for rows in reader_of(content, layout).pieces(content, layout):
            yield replace(rows, source=source)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def _rows_of_records(data: str | os.PathLike[str], layout: Layout) -> Rows | None:
    """The rows of many lines, all of the same names; None where one is wrong: to say it takes more memory."""
    objects, pieces, names = json_objects(data, layout.source), list[Rows](), list[set[str]]()
    with suppress(InputError):
        while content := [item for _, item in islice(objects, PART)]:
            names.append({*chain.from_iterable(content)})
            if len(names) > 1 and names.pop() != names[0]:
                return None
            pieces += records.pieces(content, layout)
        return replace(Rows.concat(pieces), source=layout.source)
    return None


@reader(
    "a path of Parquet with the columns <columns>",
    "run",
    "qrels",
    "topics",
    recognises=lambda data: (
        data.start.startswith(b"PAR1") or bool(data.start and data.name.endswith(".parquet"))
    ),
    columns=True,
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
    "qrels",
    "topics",
    recognises=lambda data: (
        os.path.isdir(os.path.join(data.path, "qrels"))
        or os.path.isfile(os.path.join(data.path, "queries.jsonl"))
    ),
)
def beir_folder(data: str | os.PathLike[str], layout: Layout) -> Table:
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
    table = csv_file.table(os.path.join(folder, "test.tsv"), layout)
    judged = set().union(*(_ids(os.path.join(folder, split)) for split in splits))
    return replace(table, asked=tuple(query for query in queries if query not in judged))


def _ids(path: str) -> tuple[str, ...]:
    return topic_file.table(path, TOPICS).topics if os.path.isfile(path) else ()
