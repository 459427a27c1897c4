"""Lines of TREC files one by one, as trec_eval splits them: what each means, or which of them is wrong."""

from __future__ import annotations

import math
import re
from typing import Any

from ir_trunc._core.arrays import HIGHEST_GRADE
from ir_trunc._core.errors import InputError, counted
from ir_trunc._read.arrow import pa
from ir_trunc._read.reading import COMMENT, QRELS, RUN, Layout
from ir_trunc._read.text import decoded

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
                rows.append(_values(fields, layout, kinds))
            except InputError as error:
                raise InputError(f"{line_at(source, None if first is None else at, line)}{error}") from None
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
