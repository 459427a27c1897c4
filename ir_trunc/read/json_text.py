"""JSON as the standard has it: no object with a name twice, no NaN, no infinity.

There is an error where a text has one.
"""

from __future__ import annotations

import json
from typing import Any

from ir_trunc.core.errors import InputError, shown


def read_json(data: bytes, place: str) -> Any:
    """What a JSON text says. place: what to call it in a message."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_unknown)
    except UnicodeDecodeError:
        raise InputError(f"{place} is not UTF-8 text.") from None
    except RecursionError:
        raise InputError(f"{place} is nested too deeply to be read.") from None
    except ValueError as error:
        raise InputError(f"{place} cannot be read as JSON: {error}.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"an object has the name {shown(twice)} twice")
    return found


def _unknown(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
