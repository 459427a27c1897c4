"""Qrels of NTCIR: a line for each judged document, with its level in letters."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ir_trunc._core.arrays import HIGHEST_GRADE
from ir_trunc._core.errors import InputError
from ir_trunc._read.reading import COMMENT, Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.text import contents, decoded, numbered_lines

_LINE = re.compile(rb"\s*(\S+)\s+(\S+)\s+L([0-9]{1,10})\s*")
_FORM = "'topic document L<grade>' is needed, as 'L0' or 'L3'"


def _is_ntcir(data: File) -> bool:
    """Whether the first line that is not a comment has a level of NTCIR."""
    lines = (line for line in data.start.splitlines() if line.strip())
    first = next((line for line in lines if not line.lstrip().startswith(COMMENT)), b"")
    return _LINE.fullmatch(first) is not None


@reader("a path of NTCIR lines 'topic document L3'", "qrels", of="path", recognises=_is_ntcir)
def ntcir(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped, as NTCIREVAL has it: L0 is not relevant, and L3 is grade 3."""
    source = layout.source
    columns: dict[str, list[str | int]] = {"query_id": [], "doc_id": [], "relevance": []}
    for place, line in numbered_lines(contents(Path(data), source), source):
        if line.lstrip().startswith(COMMENT):
            continue
        found = _LINE.fullmatch(line)
        if found is None or int(found[3]) > HIGHEST_GRADE:
            raise InputError(f"{place}: {line.decode(errors='replace').strip()!r}: {_FORM}.")
        columns["query_id"].append(decoded(found[1], f"{place}: the ids are"))
        columns["doc_id"].append(decoded(found[2], f"{place}: the ids are"))
        columns["relevance"].append(int(found[3]))
    return Table(source, columns)
