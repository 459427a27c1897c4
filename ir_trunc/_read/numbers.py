"""Files of lines `topic<TAB>number`: cuts, and sizes of topics."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import file_name
from ir_trunc._read.text import contents, decoded, numbered_lines


def read_numbers(path: str | os.PathLike[str], kind: str, number: str, low: int = 0) -> dict[str, int]:
    """{topic: whole number} from a file of lines `topic<TAB>number`, plain or gzipped.

    kind: what the file holds, and number: what its numbers are, for messages. Raises InputError that names
    the line: not two fields, a number that is not whole or lower than `low`, or a topic for the second time.
    """
    path = file_name("path", path)
    source = f"{kind}s {path}"
    form = f"'topic<TAB>{number}' with a whole number {number} >= {low} is needed"
    found: dict[str, int] = {}
    for where, line in numbered_lines(contents(Path(path), source), source):
        fields = [decoded(field, f"{where}: the topic is") for field in line.split()]
        if len(fields) != 2 or not re.fullmatch(r"[0-9]{1,18}", fields[1]) or int(fields[1]) < low:
            raise InputError(f"{where}: {' '.join(fields)!r}: {form}.")
        if fields[0] in found:
            raise InputError(f"{where}: topic {fields[0]} has a {kind} already.")
        found[fields[0]] = int(fields[1])
    if not found:
        raise InputError(f"{source} is empty: {form}.")
    return found


def read_sizes(path: str) -> dict[str, int]:
    """{topic: number of documents} from a file."""
    return read_numbers(path, "size", "number", low=1)
