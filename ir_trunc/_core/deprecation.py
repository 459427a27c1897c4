"""Names and keywords that have changed: the old ones work through 0.3, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def outdated(old: str, new: str, depth: int) -> None:
    """Warn at the line of the user, which is `depth` frames away."""
    warnings.warn(f"{old} is {new} now; the old name works through 0.3.", DeprecationWarning, depth + 1)


def moved(module: str, name: str, places: Mapping[str, str], instead: Mapping[str, str] = {}) -> Any:
    """What an old name of a module is, for its `__getattr__`; AttributeError where there is no such name.

    instead: what to write where the new place is not a name but a call.
    """
    if name not in places:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    outdated(f"{module}.{name}", instead.get(name, places[name]), 3)
    owner, _, new = places[name].rpartition(".")
    return getattr(import_module(owner), new)


def renamed(
    convert: Callable[[Any], Any] = lambda value: value, **new: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take keywords by their old names: `@renamed(also="further_measures")`.

    convert: what the value of an old keyword is for the new one.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def with_old_keywords(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in new.keys() & kwargs.keys():
                if new[old] in kwargs:
                    raise TypeError(f"{function.__name__}() got {old} and {new[old]}, its new name.")
                outdated(f"{function.__name__}({old}=)", f"{new[old]}=", 2)
                kwargs[new[old]] = convert(kwargs.pop(old))
            return function(*args, **kwargs)

        return with_old_keywords

    return decorate


def former(package: str, private: str, *names: str) -> None:
    """Give modules of a package that is private now their old names; for the module with its old name."""
    outdated(package, "private: its classes are in ir_trunc.typing", 3)
    for name in names:
        module = sys.modules[f"{package}.{name}"] = import_module(f"{private}.{name}")
        setattr(sys.modules[package], name, module)
