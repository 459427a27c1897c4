"""Results that are saved as JSON: policies, score matrices, reference sets and comparisons.

Numbers keep every bit. An array is an object of its shape and its values in one row. A number that JSON does
not have is a text: "NaN", "Infinity", "-Infinity".
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Self, get_type_hints

import numpy as np
from ir_measures import Measure

from ir_trunc._core.annotations import LARGEST, CheckedFields, Notation, instance_of, typed
from ir_trunc._core.errors import InputError, printable, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import file_name
from ir_trunc._output.files import Target, write_text
from ir_trunc._read.text import parts, read_json
from ir_trunc._scoring.results import Result

FORMAT = 1
"""The number of the format. It grows when files are written in another form."""

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SURROGATE = pattern("[\ud800-\udfff]")
_NAMES: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class Saved(CheckedFields, Result):
    """A result that is saved as JSON: a dataclass whose fields are written, each as its annotation says."""

    def _data(self) -> Any:
        """The result as JSON can hold it."""
        return plain(self)

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        """The result from what `_data` returned. Raises InputError that begins with `where`."""
        hints = get_type_hints(cls)
        values = fields_of(data, [field.name for field in fields(cls)], where)  # type: ignore[arg-type]
        typed_values = {
            name: from_json(value, hints[name], f"{where}, {name}") for name, value in values.items()
        }
        try:
            return cls(**typed_values)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def save(self, path: Target) -> None:
        """Write the result as JSON, with every bit of its numbers; gzipped where the name ends in .gz.

        The file appears under its name once it is complete.
        """
        write_json(path, type(self).__name__, self._data())

    @classmethod
    def load(cls, path: Target) -> Self:
        """Read what `save` wrote. Raises InputError where the file holds something else."""
        return cls._from(*read_saved(path, cls.__name__))


def write_json(path: Target, kind: str, data: Any) -> None:
    """Write the data of a kind of result."""
    content = {"ir_trunc": kind, "format": FORMAT, "data": data}
    write_text(file_name("path", path), [json.dumps(content, allow_nan=False)])


def read_saved(path: Target, kind: str) -> tuple[Any, str]:
    """The data that `write_json` wrote, and the name of the file for messages."""
    source = printable(file_name("path", path))
    content = read_json(b"".join(parts(source, source, b"{")), source)
    if not isinstance(content, dict) or set(content) != {"ir_trunc", "format", "data"}:
        raise InputError(f"{source} is not a result that {kind}.save wrote.")
    if content["ir_trunc"] != kind:
        raise InputError(f"{source} says that it holds {shown(content['ir_trunc'])}: a {kind} is needed.")
    if content["format"] is True or content["format"] != FORMAT:
        raise InputError(
            f"{source} has the format {shown(content['format'])}: this version reads format {FORMAT}."
        )
    return content["data"], source


def plain(value: Any) -> Any:
    """A value as JSON can hold it; InputError for one that it cannot."""
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "values": [plain(item) for item in value.ravel().tolist()]}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return next(word for word, number in _NOT_FINITE.items() if number == value or value != value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Measure):
        return str(value)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    raise InputError(f"{shown(value)} of type {type(value).__name__} cannot be saved.")


def fields_of(data: Any, names: Iterable[str], where: str) -> dict[str, Any]:
    """A JSON object that must have these names, and no others."""
    needed = list(names)
    values: dict[str, Any] = instance_of(data, dict, "an object", where)
    for name in values:
        if not isinstance(name, str) or name not in needed:
            raise InputError(f"{where}: {shown(name)} is unknown; it has: {', '.join(needed)}.")
    for name in needed:
        if name not in values:
            raise InputError(f"{where}: {name} is missing.")
    return values


class _Json(Notation):
    """Values as JSON holds them, see above."""

    sequence = list

    def array(self, value: Any, dtype: Any, where: str) -> np.ndarray[Any, Any]:
        """An array from its shape and its values."""
        parts = fields_of(value, ("shape", "values"), where)
        sizes = from_json(parts["shape"], tuple[int, ...], f"{where}, shape")
        values = instance_of(parts["values"], list, "a list", f"{where}, values")
        if any(size < 0 for size in sizes) or math.prod(sizes) != len(values):
            raise InputError(
                f"{where} has {len(values)} values, which is not the shape {' x '.join(map(str, sizes))}."
            )
        scalar = float if issubclass(dtype, np.floating) else bool if issubclass(dtype, np.bool_) else int
        flat = [self.scalar(item, scalar, f"{where}, value {place}") for place, item in enumerate(values)]
        return np.array(flat, dtype=dtype).reshape(sizes)

    def scalar(self, value: Any, kind: type[Any], where: str) -> Any:
        """A text, a number, or true or false."""
        if kind is float:
            if isinstance(value, str) and value in _NOT_FINITE:
                return _NOT_FINITE[value]
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if number and abs(value) <= sys.float_info.max:
                return float(value)
        elif kind is str and isinstance(value, str) and _SURROGATE.search(value):
            raise InputError(f"{where} is {shown(value)}, which is not text that UTF-8 can hold.")
        elif type(value) is kind and (kind is not int or abs(value) <= LARGEST):
            return value
        raise InputError(f"{where} is {shown(value)}: {_NAMES[kind]} is needed.")


from_json = partial(typed, notation=_Json())
"""A value of a type from JSON data: `from_json(data, kind, where)`, as `typed`."""
