"""Annotations as types: those of an object's fields, of results that are saved, and of parameters."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache
from types import NoneType, SimpleNamespace
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from ir_trunc._core.errors import InputError, shown

T = TypeVar("T")

LARGEST = 2**63 - 1  # the largest whole number that arrays hold


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


class CheckedFields:
    """A dataclass whose fields have the types of their annotations, and arrays of the shapes that it states.

    Attributes
    ----------
    shapes : mapping of str to str
        The axes of arrays by their names, as "measures pairs". An axis that has the name of a field or of a
        property is as long as its value.
    """

    shapes: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        own: Any = type(self)
        for name, kind, words in _types_of_fields(own):
            value = getattr(self, name)
            try:
                typed(value, kind, name)
            except InputError:
                has = f"array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
                raise InputError(f"{name} is of type {has}: {words} is needed.") from None
        lengths: dict[str, int] = {}  # of axes without a field, which are as long wherever they occur
        for name, axes in self.shapes.items():
            array, names = getattr(self, name), axes.split()
            if array is None:
                continue
            for axis in names:
                if axis not in lengths and hasattr(self, axis):
                    lengths[axis] = len(getattr(self, axis))
            has_axes = len(names) == array.ndim
            if not has_axes or any(
                size != (int(axis) if axis.isdigit() else lengths.setdefault(axis, size))
                for axis, size in zip(names, array.shape)
            ):
                needed = f"one value for each of the {' x '.join(names)}"
                raise InputError(f"{name} has the shape {array.shape}: {needed} is needed.")


@cache
def _types_of_fields(kind: Any) -> list[tuple[str, Any, str]]:
    """The name of each field, its type, and its type in words."""
    hints, found = get_type_hints(kind), []
    for field in fields(kind):
        words = str(field.type)
        for alias, array in (("Floats", "float64"), ("Ints", "int64"), ("Bools", "bool")):
            words = words.replace(alias, f"array of {array}")
        found.append((field.name, hints[field.name], words))
    return found


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations as types; that of `**options`, which only type checkers read, is left out."""
    arguments = inspect.signature(function).parameters.values()
    further = {argument.name for argument in arguments if argument.kind is argument.VAR_KEYWORD}
    written = {name: hint for name, hint in function.__annotations__.items() if name not in further}
    names = getattr(inspect.unwrap(function), "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=written), names, include_extras=True)
