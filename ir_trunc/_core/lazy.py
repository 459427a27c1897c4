"""Work that is put off, or not done: imports, patterns, properties, and the methods of dataclasses.

Scoring a run from files takes less time than importing pandas. Annotations name such packages too, but only
type checkers read annotations.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

__all__ = ["Lazy", "cached_property", "dataclass", "needed", "npt", "pattern", "pd"]

T = TypeVar("T")


class Lazy:
    """What a function returns, which is called when an attribute of it is first read."""

    def __init__(self, function: Callable[..., Any], *args: Any):
        self._make = partial(function, *args)

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._make(), attribute)
        setattr(self, attribute, value)
        return value


@contextmanager
def needed(what: str, extra: str, error: type[Exception] = ImportError) -> Iterator[None]:
    """Import optional packages; an ImportError names what needs them and the extra that installs them."""
    try:
        yield
    except ImportError:
        raise error(f"{what}: pip install 'ir_trunc[{extra}]'.") from None


class cached_property(Generic[T]):
    """A property that is computed when it is first read, without a lock: two threads may compute it twice."""

    # Before Python 3.12, functools.cached_property holds one lock for all objects of a class: threads wait
    # for each other, and a process that is forked in the meantime waits for ever.

    def __init__(self, compute: Callable[[Any], T]):
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> cached_property[T] | T:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.compute(instance))  # type: ignore[no-any-return]


class _Signature:
    """The signature of a class whose `__init__` takes its fields, made when it is asked for."""

    def __get__(self, instance: object | None, owner: Any) -> Any:
        from inspect import Parameter, Signature

        if instance is not None:
            raise AttributeError
        parameters = []
        for each in sorted(fields(owner), key=lambda field: bool(field.kw_only)):
            kind = Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            default = Parameter.empty if each.default is MISSING else each.default
            parameters.append(Parameter(each.name, kind, default=default, annotation=each.type))
        return Signature(parameters)


def _frozen(self: Any, name: str, value: Any = None) -> None:
    raise FrozenInstanceError(f"field {name!r} cannot be changed: dataclasses.replace makes another object")


def _frozen_dataclass(
    *, frozen: bool, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[Any], Any]:
    """`dataclasses.dataclass(frozen=True)` without methods that are compiled for each class.

    Fields have a default or none; `default_factory` is not known.
    """

    def decorated(cls: Any) -> Any:
        dataclasses.dataclass(init=False, eq=False, repr=False, kw_only=kw_only)(cls)
        own = fields(cls)
        places = [each.name for each in own if not each.kw_only]
        required = {each.name for each in own if each.default is MISSING}
        defaults = {each.name: each.default for each in own}

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            given = dict(zip(places, args)) | kwargs
            values = defaults | given
            wrong = len(values) > len(own) or len(given) < len(args) + len(kwargs)
            if wrong or not required <= given.keys():
                cls.__signature__.bind(*args, **kwargs)  # which says what is wrong
            vars(self).update(values)
            if hasattr(cls, "__post_init__"):
                self.__post_init__()

        def __repr__(self: Any) -> str:
            inside = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in own if each.repr)
            return f"{type(self).__qualname__}({inside})"

        compared = attrgetter(*(each.name for each in own if each.compare))

        def __eq__(self: Any, other: Any) -> Any:
            return compared(self) == compared(other) if type(other) is type(self) else NotImplemented

        def __hash__(self: Any) -> int:
            return hash(compared(self))

        methods: dict[str, Any] = {"__init__": __init__, "__setattr__": _frozen, "__delattr__": _frozen}
        methods |= {"__repr__": __repr__} if repr else {}
        methods |= {"__eq__": __eq__, "__hash__": __hash__} if eq else {}
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        cls.__signature__ = _Signature()
        return cls

    return decorated


if TYPE_CHECKING:
    from dataclasses import dataclass
    from re import compile as pattern

    import numpy.typing as npt
    import pandas as pd
else:
    dataclass = _frozen_dataclass
    npt, pd = Lazy(import_module, "numpy.typing"), Lazy(import_module, "pandas")
    pattern = partial(Lazy, re.compile)
