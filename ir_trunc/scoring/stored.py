"""Results as JSON and back: the fields of a dataclass, each read as the type that its annotation has.

Numbers keep every bit. An array is an object of its shape and its values in one row. What JSON has no number
for is a text: "NaN", "Infinity", "-Infinity".
"""

from __future__ import annotations

import json
import math
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError, printable, shown
from ir_trunc._core.parameters import LARGEST, file_name
from ir_trunc._output.files import Target, write_text
from ir_trunc._read.text import contents, read_json
from ir_trunc.scoring.objects import parse_measure

FORMAT = 1
"""Counts the ways in which results were written."""

_ODD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NAMES: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def write_json(path: Target, kind: str, data: Any) -> None:
    """Write a result of a kind."""
    content = {"ir_trunc": kind, "format": FORMAT, "data": data}
    write_text(file_name("path", path), [json.dumps(content, allow_nan=False)])


def read_saved(path: Target, kind: str) -> tuple[Any, str]:
    """The data of a result of a kind, and what to call them in a message."""
    source = printable(file_name("path", path))
    found = read_json(contents(Path(source), source, b"{"), source)
    if not isinstance(found, dict) or set(found) != {"ir_trunc", "format", "data"}:
        raise InputError(f"{source} is not a result that {kind}.save wrote.")
    if found["ir_trunc"] != kind:
        raise InputError(f"{source} says that it holds {shown(found['ir_trunc'])}: a {kind} is needed.")
    if found["format"] is True or found["format"] != FORMAT:
        raise InputError(
            f"{source} has the format {shown(found['format'])}: this version reads format {FORMAT}."
        )
    return found["data"], source


def plain(value: Any) -> Any:
    """A value as JSON can hold it; InputError for one that it cannot."""
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "values": [plain(one) for one in value.ravel().tolist()]}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return next(word for word, odd in _ODD.items() if odd == value or value != value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Measure):
        return str(value)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    raise InputError(f"{shown(value)} of type {type(value).__name__} cannot be saved.")


def value_of(data: Any, kind: Any, where: str) -> Any:
    """What JSON data say, as this type; InputError that names the place where they say something else."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        return value_of(data, next(one for one in args if one is not type(None)), where)
    if origin is Literal:
        if isinstance(data, bool) or data not in args:
            raise InputError(f"{where} is {shown(data)}: {' or '.join(map(repr, args))} is needed.")
        return data
    if origin is np.ndarray:
        return array_of(data, get_args(args[1])[0], where)
    if origin is tuple:
        parts = _of_type(data, list, "a list", where)
        kinds = [args[0]] * len(parts) if args[-1] is Ellipsis else list(args)
        if len(parts) != len(kinds):
            raise InputError(f"{where} has {len(parts)} items: {len(kinds)} are needed.")
        return tuple(
            value_of(part, one, f"{where}[{at}]") for at, (part, one) in enumerate(zip(parts, kinds))
        )
    if origin is not None and issubclass(origin, Mapping):
        found = _of_type(data, dict, "an object", where)
        return {name: value_of(one, args[1], f"{where}[{shown(name)}]") for name, one in found.items()}
    if is_dataclass(kind):
        return object_of(data, kind, where)
    if kind is Measure:
        try:
            return parse_measure(_plain_value(data, str, where))
        except (ParameterError, UnknownMeasureError) as error:
            raise InputError(f"{where}: {error}") from None
    return _plain_value(data, kind, where)


def object_of(data: Any, kind: Any, where: str) -> Any:
    """An object of a dataclass, with all of its fields and no others."""
    hints = get_type_hints(kind)
    found = named(data, [field.name for field in fields(kind)], where)
    values = {name: value_of(one, hints[name], f"{where}, {name}") for name, one in found.items()}
    try:
        return kind(**values)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def named(data: Any, names: Iterable[str], where: str) -> dict[str, Any]:
    """The object with these names, and no others."""
    needed = list(names)
    found: dict[str, Any] = _of_type(data, dict, "an object", where)
    for name in found:
        if not isinstance(name, str) or name not in needed:
            raise InputError(f"{where}: {shown(name)} is unknown; it has: {', '.join(needed)}.")
    for name in needed:
        if name not in found:
            raise InputError(f"{where}: {name} is missing.")
    return found


def array_of(data: Any, kind: Any, where: str) -> np.ndarray[Any, Any]:
    """An array from its shape and values."""
    found = named(data, ("shape", "values"), where)
    sizes = value_of(found["shape"], tuple[int, ...], f"{where}, shape")
    values = _of_type(found["values"], list, "a list", f"{where}, values")
    if any(size < 0 for size in sizes) or math.prod(sizes) != len(values):
        raise InputError(
            f"{where} has {len(values)} values, which is not the shape {' x '.join(map(str, sizes))}."
        )
    of = float if issubclass(kind, np.floating) else bool if issubclass(kind, np.bool_) else int
    flat = [_plain_value(one, of, f"{where}, value {at}") for at, one in enumerate(values)]
    return np.array(flat, dtype=kind).reshape(sizes)


def _plain_value(data: Any, kind: type[Any], where: str) -> Any:
    if kind is float:
        if isinstance(data, str) and data in _ODD:
            return _ODD[data]
        if isinstance(data, (int, float)) and not isinstance(data, bool) and abs(data) <= sys.float_info.max:
            return float(data)
    elif type(data) is kind and (kind is not int or abs(data) <= LARGEST):
        return data
    raise InputError(f"{where} is {shown(data)}: {_NAMES[kind]} is needed.")


def _of_type(data: Any, kind: type, needed: str, where: str) -> Any:
    if not isinstance(data, kind):
        raise InputError(f"{where} is {shown(data)}: {needed} is needed.")
    return data


def check_shapes(value: Any, shapes: Mapping[str, str], where: str) -> None:
    """InputError where an array's axes are not as long as they are to be.

    shapes: for a field with an array, the names of its axes. A field of this name tells the length, 'pairs'
    are those of `systems`, a number stands for itself; any other name is as long wherever it occurs.
    """
    lengths: dict[str, int] = {}

    def length(axis: str, found: int) -> int:
        if axis.isdigit():
            return int(axis)
        if axis == "pairs":
            return len(value.systems) * (len(value.systems) - 1) // 2
        return len(getattr(value, axis)) if hasattr(value, axis) else lengths.setdefault(axis, found)

    for name, axes in shapes.items():
        shape, words = np.shape(getattr(value, name)), axes.split()
        if len(shape) != len(words) or any(length(axis, size) != size for axis, size in zip(words, shape)):
            raise InputError(
                f"{where}, {name} has the shape {shape}: one value for {' x '.join(words)} is needed."
            )
