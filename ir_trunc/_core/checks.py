"""What an argument may be: asked at the door of every function, with an error that says what would be right.

Each check returns the argument as a plain Python value. A measure's parameters (`measures.params`) and all
other functions share these.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, nearest, shown

T = TypeVar("T")

LARGEST = 2**63 - 1
"""The largest whole number that arrays hold."""


def number(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, *, inside: bool = False
) -> float:
    """A finite number between two bounds; `inside` leaves the bounds themselves out."""
    allowed = range_of_numbers(low, high, inside)
    found = _real(name, value, allowed)
    ok = low < found < high if inside else low <= found <= high
    if not (ok and math.isfinite(found)):
        raise ParameterError(f"{name}={shown(value)} is out of range: {allowed} is needed.")
    return found


def whole(name: str, value: Any, low: int, high: int = LARGEST) -> int:
    """A whole number between two bounds, as an int or as a float without a fraction."""
    allowed = range_of_wholes(low, high)
    found = _real(name, value, allowed)
    if found > LARGEST == high:
        raise ParameterError(f"{name}={shown(value)} is too large: {allowed}, and at most {high}, is needed.")
    if not found.is_integer() or not low <= (exact := int(value)) <= high:
        beyond = " below 2^63" if high == LARGEST and found > 0 else ""
        raise ParameterError(f"{name}={shown(value)} is out of range: {allowed}{beyond} is needed.")
    return exact


def generator(seed: int) -> np.random.Generator:
    """numpy's PCG64, whose random numbers are equal on every machine; numpy's default may change."""
    return np.random.Generator(np.random.PCG64(whole("seed", seed, 0)))


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterTypeError(
            f"{name}={shown(value)}: True or False is needed, not {type(value).__name__}."
        )
    return bool(value)


def text(name: str, value: Any) -> str:
    """A text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise ParameterTypeError(f"{name}={shown(value)}: a text is needed, not {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{name}={shown(value)} is not text that UTF-8 can hold.") from None
    return str(value)


def one_of(name: str, value: Any, words: Iterable[str]) -> str:
    """One of a few words."""
    known = list(words)
    if not isinstance(value, str) or value not in known:
        needed = f"{' or '.join(map(repr, known))} is needed.{nearest(value, known)}"
        raise ParameterError(f"{name}={shown(value)} is unknown: {needed}")
    return str(value)


def file_name(name: str, value: Any) -> str:
    """The name of a file."""
    try:
        found = os.fspath(value)
    except TypeError:
        found = None
    if not isinstance(found, str):
        raise ParameterTypeError(f"{name}={shown(value)}: a path is needed, not {type(value).__name__}.")
    try:
        possible = b"\0" not in os.fsencode(found)
    except UnicodeEncodeError:
        possible = False
    if not found or not possible:
        raise ParameterError(f"{name}={shown(value)}: no file can have this name.")
    return found


def instance(name: str, value: Any, kind: type[T], needed: str) -> T:
    """An object of a class. needed: in words, what it is and where one gets it."""
    if not isinstance(value, kind):
        raise InputError(f"{name} of type {type(value).__name__}: {needed} is needed.")
    return value


def mapping(name: str, value: Any, needed: str) -> Mapping[Any, Any]:
    """A dict or another mapping. needed: in words, from what to what."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} of type {type(value).__name__}: {needed} is needed.")
    return value


def several(name: str, value: Any, needed: str) -> list[Any]:
    """The items of a list, a tuple or another iterable except text. needed: what the items are, in words."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise ParameterTypeError(f"{name}={shown(value)}: {needed} are needed, in a list.")
    return list(value)


def numbers(name: str, values: Any) -> npt.NDArray[np.float64]:
    """Finite numbers as a flat array; there may be none."""
    if not isinstance(values, np.ndarray):
        return np.array(
            [number(name, value) for value in several(name, values, "finite numbers")], dtype=np.float64
        )
    if values.ndim != 1 or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise InputError(f"{name}={shown(values)}: finite numbers are needed, in a list or a flat array.")
    return values.astype(np.float64)


def range_of_numbers(low: float, high: float, inside: bool = False) -> str:
    """The numbers between two bounds, in words."""
    equal = "" if inside else "="
    bounds = [f">{equal} {low:g}"] * (low > -math.inf) + [f"<{equal} {high:g}"] * (high < math.inf)
    return f"a number {' and '.join(bounds)}" if bounds else "a finite number"


def range_of_wholes(low: int, high: int = LARGEST) -> str:
    """The whole numbers between two bounds, in words."""
    return f"a whole number >= {low}" if high == LARGEST else f"a whole number from {low} to {high}"


def _real(name: str, value: Any, allowed: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise ParameterTypeError(f"{name}={shown(value)}: {allowed} is needed, not {type(value).__name__}.")
    try:
        return float(value)
    except OverflowError:
        return math.inf  # beyond all bounds, whatever its sign
