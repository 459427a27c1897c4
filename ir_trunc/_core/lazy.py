"""Work that is put off until it is needed: imports, patterns and properties.

Scoring a run from files takes less time than importing pandas. Annotations name such packages too, but only
type checkers read annotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

__all__ = [
    "Lazy",
    "cached_property",
    "explanation",
    "inference",
    "needed",
    "npt",
    "pattern",
    "pd",
    "plots",
    "ties",
]

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
        return instance.__dict__.setdefault(self.name, self.compute(instance))


if TYPE_CHECKING:
    from re import compile as pattern

    import numpy.typing as npt
    import pandas as pd

    explanation: Any
    inference: Any
    plots: Any
    ties: Any
else:
    npt, pd = Lazy(import_module, "numpy.typing"), Lazy(import_module, "pandas")
    pattern = partial(Lazy, re.compile)
    # Modules that can be taken away, by which results are drawn, explained and estimated.
    explanation = Lazy(import_module, "ir_trunc._explanation")
    inference = Lazy(import_module, "ir_trunc._inference.estimate")
    plots = Lazy(import_module, "ir_trunc.plots")
    ties = Lazy(import_module, "ir_trunc._ties")
