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
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property", "npt", "pattern", "pd"]  # which stand for what others define


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


if TYPE_CHECKING:
    from functools import cached_property
    from re import compile as pattern

    import numpy.typing as npt
    import pandas as pd

    explanation: Any
    inference: Any
    plots: Any
    ties: Any
else:

    class cached_property:
        """A property that is computed when it is first read, without a lock: threads may compute it twice."""

        # Before Python 3.12, functools.cached_property holds one lock for all objects of a class: threads
        # wait for each other, and a process that is forked in the meantime waits for ever.

        def __init__(self, compute):
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.name, self.compute(instance))

    npt, pd = Lazy(import_module, "numpy.typing"), Lazy(import_module, "pandas")
    pattern = partial(Lazy, re.compile)
    # Modules that can be taken away, by which results are drawn, explained and estimated.
    explanation = Lazy(import_module, "ir_trunc._explanation")
    inference = Lazy(import_module, "ir_trunc._inference.estimate")
    plots = Lazy(import_module, "ir_trunc.plots")
    ties = Lazy(import_module, "ir_trunc._ties")
