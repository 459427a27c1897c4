"""Files of tables and records: CSV and TSV, JSON and JSON lines, Parquet, and folders of BEIR."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.arrow import pa, pc
from ir_trunc._read.readers.memory import records
from ir_trunc._read.readers.topics import topic_file
from ir_trunc._read.reading import TOPICS, Layout
from ir_trunc._read.registry import File, Table, reader, reader_of
from ir_trunc._read.rows import PART, Rows
from ir_trunc._read.tables import FIELDS_OF, NUMBERS, field_of_columns
from ir_trunc._read.text import beginning, check_unpacked, contents, json_content, json_objects


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
    import pyarrow.csv

    source = layout.source
    names, separator = _header(beginning(data))
    quote = False if separator == "\t" else '"'  # texts behind tabs hold any quotes
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    field_of = field_of_columns(names, layout, source)
    # Without threads, here and for Parquet: pyarrow's may outlive Python, and the process then aborts.
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(contents(data, source).lstrip()),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names, skip_rows=1),
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
                raise InputError(f"{source}, row {row}: {name} {shown(text)} is not a number.") from None
    return Table(source, columns)


def _is_number(text: str) -> bool:
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


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
