"""JSON and JSON lines of runs and qrels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ir_trunc._core.errors import InputError
from ir_trunc._read.json_text import json_lines, read_json
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, reader, reader_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import contents

_STARTS = (b'{"', b"{}", b"[{", b"[[", b"[]")


def _is_json(data: File) -> bool:
    return b"".join(data.start[:200].split()).startswith(_STARTS)


@reader(
    "a path of JSON or JSON lines, plain or gzipped",
    "run",
    "qrels",
    of="path",
    recognises=_is_json,
    columns=True,
)
def json_file(data: str | os.PathLike[str], layout: Layout) -> Iterator[Rows]:
    """One record for each document, in lines or in a list, or one object in any of the forms of dicts.

    Such forms are {topic: {document: score}} and {topic: [{"id": ..., "score": ...}]}.
    """
    source = layout.source
    text = contents(Path(data), source, (b"{", b"["))
    lines = json_lines(text, source)
    found = [read_json(line, place) for place, line in lines] if lines else read_json(text, source)
    if isinstance(found, dict) and layout.reading.names.get("query_id", "query_id") in found:
        found = [found]  # lines, of which there is one
    try:
        for rows in reader_of(found, layout).pieces(found, layout):
            yield replace(rows, source=source)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
