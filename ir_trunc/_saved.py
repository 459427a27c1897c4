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
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from types import NoneType
from typing import Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from ir_measures import Measure

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import InputError, printable, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import file_name
from ir_trunc._output.files import Target, write_text
from ir_trunc._read.text import parts, read_json
from ir_trunc._scoring.results import Result

T = TypeVar("T")

FORMAT = 1
"""The number of the format. It grows when files are written in another form."""

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SURROGATE = pattern("[\ud800-\udfff]")
_NAMES: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class Notation:
    """How values are written: here as Python's objects. A subclass describes another notation, as JSON."""

    sequence: type = tuple

    def array(self, value: Any, dtype: Any, where: str) -> np.ndarray[Any, Any]:
        """An array of values of this type."""
        array = instance_of(value, np.ndarray, "an array", where)
        if array.dtype.kind != np.dtype(dtype).kind:
            raise InputError(f"{where} is an array of {array.dtype}: one of {np.dtype(dtype)} is needed.")
        return array

    def scalar(self, value: Any, kind: type[Any], where: str) -> Any:
        """One value of this type."""
        if kind is float and isinstance(value, (float, np.floating)):
            return value
        if kind in (int, float):
            number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (number and abs(value) <= LARGEST):
                raise InputError(f"{where} is {shown(value)}: a number is needed.")
            return value
        return instance_of(value, kind, kind.__name__, where)


PYTHON = Notation()


def typed(value: Any, kind: Any, where: str, notation: Notation = PYTHON) -> Any:
    """A value of this type, read from its notation; InputError that begins with `where` for another type."""
    origin, args = get_origin(kind), get_args(kind)
    if hasattr(origin, "__value__"):  # an alias, as numpy's NDArray is since version 2.5
        return typed(value, origin.__value__[args], where, notation)
    if origin in (Union, types.UnionType):
        if value is None and NoneType in args:
            return None
        *others, last = [each for each in args if each is not NoneType]
        for each in others:
            with suppress(InputError):
                return typed(value, each, where, notation)
        return typed(value, last, where, notation)
    if origin is Literal:
        if not isinstance(value, str) or value not in args:
            raise InputError(f"{where} is {shown(value)}: {' or '.join(map(repr, args))} is needed.")
        return value
    if origin is np.ndarray:
        return notation.array(value, get_args(args[1])[0], where)
    if origin is tuple:
        items: Any = instance_of(value, notation.sequence, "a list", where)
        if args == (str, ...) and notation is PYTHON and {*map(type, items)} <= {str}:
            return items  # at once: there may be many topics
        kinds = [args[0]] * len(items) if args[-1] is Ellipsis else list(args)
        if len(items) != len(kinds):
            raise InputError(f"{where} has {len(items)} items: {len(kinds)} are needed.")
        pairs = enumerate(zip(items, kinds))
        return tuple(typed(item, each, f"{where}[{place}]", notation) for place, (item, each) in pairs)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise InputError(f"{where} is {shown(value)}: an object is needed.")
        names = [notation.scalar(name, str, f"a name in {where}") for name in value]
        return {name: typed(value[name], args[1], f"{where}[{shown(name)}]", notation) for name in names}
    return notation.scalar(value, kind, where)


def instance_of(value: Any, kind: type[T], needed: str, where: str) -> T:
    """A value of this class; InputError for another. needed: the class in words."""
    if not isinstance(value, kind):
        raise InputError(f"{where} is {shown(value)}: {needed} is needed.")
    return value


_types_of_fields = cache(get_type_hints)


class Saved(Result):
    """A result that is saved as JSON: a dataclass whose fields are written, each as its annotation says.

    Attributes
    ----------
    shapes : mapping of str to str
        The axes of arrays, which are fields, by the arrays' names: "measures topics" for example.
    """

    shapes: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        own: Any = type(self)
        for field in fields(own):
            value = getattr(self, field.name)
            try:
                typed(value, _types_of_fields(own)[field.name], field.name)
            except InputError:
                has = f"array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
                words = str(field.type)
                for alias, array in (("Floats", "float64"), ("Ints", "int64"), ("Bools", "bool")):
                    words = words.replace(alias, f"array of {array}")
                raise InputError(f"{field.name} is of type {has}: {words} is needed.") from None
        for name, axes in self.shapes.items():
            shape, names = getattr(self, name).shape, axes.split()
            if shape != tuple(len(getattr(self, axis)) for axis in names):
                needed = f"one value for each of the {' x '.join(names)}"
                raise InputError(f"{name} has the shape {shape}: {needed} is needed.")

    def _data(self) -> Any:
        """The result as JSON can hold it."""
        return plain(self)

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        """The result from what `_data` returned. Raises InputError that begins with `where`."""
        hints = get_type_hints(cls)
        values = fields_of(data, [field.name for field in fields(cls)], where)  # type: ignore[arg-type]
        typed_values = {name: from_json(values[name], hints[name], f"{where}, {name}") for name in values}
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
        what = f"{source} has the format {shown(content['format'])}"
        raise InputError(f"{what}: this version reads format {FORMAT}.")
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
            shape = " x ".join(map(str, sizes))
            raise InputError(f"{where} has {len(values)} values, which is not the shape {shape}.")
        scalar: type[Any] = {"f": float, "b": bool}.get(np.dtype(dtype).kind, int)
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
