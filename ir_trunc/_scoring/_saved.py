"""Results that are saved as JSON: policies, score matrices, reference sets and comparisons.

Numbers keep every bit. An array is an object of its shape and its values in one row. A number that JSON does
not have is a text: "NaN", "Infinity", "-Infinity".
"""

from __future__ import annotations

import json
import math
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError, printable, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import LARGEST, CheckedFields, file_name
from ir_trunc._output.files import Target, write_text
from ir_trunc._read.text import contents, read_json
from ir_trunc._scoring.results import Result

if TYPE_CHECKING:
    from typing_extensions import Self

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
        typed_values = {name: typed(value, hints[name], f"{where}, {name}") for name, value in values.items()}
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
    content = read_json(contents(source, source, b"{"), source)
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


def typed(data: Any, kind: Any, where: str) -> Any:
    """JSON data as a value of this type; InputError that begins with `where` if they are of another type."""
    origin, args = get_origin(kind), get_args(kind)
    if hasattr(origin, "__value__"):  # an alias, as numpy's NDArray is since version 2.5
        return typed(data, origin.__value__[args], where)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        return typed(data, next(each for each in args if each is not type(None)), where)
    if origin is Literal:
        if isinstance(data, bool) or data not in args:
            raise InputError(f"{where} is {shown(data)}: {' or '.join(map(repr, args))} is needed.")
        return data
    if origin is np.ndarray:
        return array_of(data, get_args(args[1])[0], where)
    if origin is tuple:
        items = _instance(data, list, "a list", where)
        kinds = [args[0]] * len(items) if args[-1] is Ellipsis else list(args)
        if len(items) != len(kinds):
            raise InputError(f"{where} has {len(items)} items: {len(kinds)} are needed.")
        pairs = enumerate(zip(items, kinds))
        return tuple(typed(item, each, f"{where}[{place}]") for place, (item, each) in pairs)
    if origin is not None and issubclass(origin, Mapping):
        items = _instance(data, dict, "an object", where)
        return {
            _scalar(name, str, f"a name in {where}"): typed(item, args[1], f"{where}[{shown(name)}]")
            for name, item in items.items()
        }
    return _scalar(data, kind, where)


def fields_of(data: Any, names: Iterable[str], where: str) -> dict[str, Any]:
    """A JSON object that must have these names, and no others."""
    needed = list(names)
    values: dict[str, Any] = _instance(data, dict, "an object", where)
    for name in values:
        if not isinstance(name, str) or name not in needed:
            raise InputError(f"{where}: {shown(name)} is unknown; it has: {', '.join(needed)}.")
    for name in needed:
        if name not in values:
            raise InputError(f"{where}: {name} is missing.")
    return values


def array_of(data: Any, kind: Any, where: str) -> np.ndarray[Any, Any]:
    """An array from its shape and its values."""
    parts = fields_of(data, ("shape", "values"), where)
    sizes = typed(parts["shape"], tuple[int, ...], f"{where}, shape")
    values = _instance(parts["values"], list, "a list", f"{where}, values")
    if any(size < 0 for size in sizes) or math.prod(sizes) != len(values):
        raise InputError(
            f"{where} has {len(values)} values, which is not the shape {' x '.join(map(str, sizes))}."
        )
    scalar = float if issubclass(kind, np.floating) else bool if issubclass(kind, np.bool_) else int
    flat = [_scalar(value, scalar, f"{where}, value {place}") for place, value in enumerate(values)]
    return np.array(flat, dtype=kind).reshape(sizes)


def _scalar(data: Any, kind: type[Any], where: str) -> Any:
    if kind is float:
        if isinstance(data, str) and data in _NOT_FINITE:
            return _NOT_FINITE[data]
        if isinstance(data, (int, float)) and not isinstance(data, bool) and abs(data) <= sys.float_info.max:
            return float(data)
    elif kind is str and isinstance(data, str) and _SURROGATE.search(data):
        raise InputError(f"{where} is {shown(data)}, which is not text that UTF-8 can hold.")
    elif type(data) is kind and (kind is not int or abs(data) <= LARGEST):
        return data
    raise InputError(f"{where} is {shown(data)}: {_NAMES[kind]} is needed.")


def _instance(data: Any, kind: type, needed: str, where: str) -> Any:
    if not isinstance(data, kind):
        raise InputError(f"{where} is {shown(data)}: {needed} is needed.")
    return data
