"""Work that is put off: packages imported when they are first used, and properties computed when first read.

Scoring a run from files takes less time than importing pandas. Annotations name such packages too, but only
type checkers read annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

__all__ = ["LazyModule", "cached_property", "needed", "pd"]

T = TypeVar("T")


class LazyModule:
    """A module that is imported when one of its attributes is first read."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
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


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")
