"""JSON as the standard has it: no object with a name twice, no NaN, no infinity.

There is an error where a text has one.
"""

from __future__ import annotations

import json
from typing import Any

from ir_trunc._core.errors import InputError, shown
from ir_trunc._read.text import decoded, numbered_lines


def read_json(data: bytes, place: str) -> Any:
    """What a JSON text says. place: what to call it in a message."""
    text = decoded(data, f"{place} is")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_unknown)
    except RecursionError:
        raise InputError(f"{place} is nested too deeply to be read.") from None
    except ValueError as error:
        raise InputError(f"{place} cannot be read as JSON: {error}.") from None


def json_lines(data: bytes, source: str) -> list[tuple[str, bytes]]:
    """The lines of a text with an object on each, and what to call them; none where it has another form."""
    lines = numbered_lines(data, source)
    first = lines[0][1].strip() if len(lines) > 1 else b""
    return lines if first.startswith(b"{") and first.endswith(b"}") else []


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"an object has the name {shown(twice)} twice")
    return found


def _unknown(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
