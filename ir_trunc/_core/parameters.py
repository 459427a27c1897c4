"""Parameters: their allowed values are declared once, as annotations, and checked once, where a user calls.

A parameter is annotated with a kind: `alpha: Annotated[float, Number("significance level", 0, 1)]`.
Measures, policies and procedures read the kinds when they are declared; `@checked` reads those of any other
function. Code behind such a boundary trusts its arguments.
"""

from __future__ import annotations

import ast
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cache, wraps
from numbers import Real
from types import SimpleNamespace
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, either, nearest, shown
from ir_trunc._core.lazy import npt

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def number(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, *, inside: bool = False
) -> float:
    """A finite number between two bounds; `inside` leaves the bounds themselves out."""
    real = _real(name, value, range_of_numbers, low, high, inside)
    ok = low < real < high if inside else low <= real <= high
    if not (ok and math.isfinite(real)):
        needed = f"{range_of_numbers(low, high, inside)} is needed"
        raise ParameterError(f"{name}={shown(value)} is out of range: {needed}.")
    return real


def whole(name: str, value: Any, low: int, high: int = LARGEST) -> int:
    """A whole number between two bounds, as an int or as a float without a fraction."""
    if type(value) is int and low <= value <= high:  # a float has not all digits of the largest ones
        return value
    real, allowed = _real(name, value, range_of_wholes, low, high), range_of_wholes(low, high)
    if real > LARGEST == high:
        raise ParameterError(f"{name}={shown(value)} is too large: {allowed}, and at most {high}, is needed.")
    if not real.is_integer() or not low <= (exact := int(value)) <= high:
        beyond = " below 2^63" if high == LARGEST and real > 0 else ""
        raise ParameterError(f"{name}={shown(value)} is out of range: {allowed}{beyond} is needed.")
    return exact


def generator(seed: int) -> np.random.Generator:
    """numpy's PCG64, whose random numbers are equal on every machine; numpy's default may change."""
    return np.random.Generator(np.random.PCG64(whole("seed", seed, 0)))


def wrong_type(name: str, value: Any, needed: str) -> ParameterTypeError:
    """The error about a value of another type than is needed."""
    return ParameterTypeError(f"{name}={shown(value)}: {needed} is needed, not {type(value).__name__}.")


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_type(name, value, "True or False")
    return bool(value)


def refuse_bare(name: str, bare: tuple[object, ...]) -> None:
    """ParameterTypeError for a decorator without arguments, which gets what it decorates in place of them."""
    if bare:
        raise ParameterTypeError(f"{name} needs its source: @{name}(source='...').")


def with_source(declare: T) -> T:
    """The function, a decorator whose arguments are keywords, with that error where it has none."""
    function: Any = declare

    @wraps(function)
    def declared(*bare: object, **given: Any) -> Any:
        refuse_bare(function.__name__, bare)
        return function(**given)

    return cast(T, declared)


def text(name: str, value: Any) -> str:
    """A text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{name}={shown(value)} is not text that UTF-8 can hold.") from None
    return str(value)


def one_of(name: str, value: Any, words: Iterable[str]) -> str:
    """One of a few words."""
    allowed = list(words)
    if not isinstance(value, str) or value not in allowed:
        needed = f"{either([*map(repr, allowed)])} is needed.{nearest(value, allowed)}"
        raise ParameterError(f"{name}={shown(value)} is unknown: {needed}")
    return str(value)


def file_name(name: str, value: Any) -> str:
    """The name of a file."""
    try:
        path = os.fspath(value)
    except TypeError:  # or __fspath__ returns no path
        path = None
    if not isinstance(path, str):
        raise wrong_type(name, value, "a path")
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not path or not possible:
        why = "no file can have this name" if path else "the path is empty"
        raise ParameterError(f"{name}={shown(value)}: {why}.")
    return path


def instance(name: str, value: Any, kind: type[T], needed: str) -> T:
    """An object of a class. needed: in words, what it is and where one gets it."""
    if not isinstance(value, kind):
        raise InputError(f"{name} of type {type(value).__name__}: {needed} is needed.")
    return value


def mapping(name: str, value: Any, needed: str) -> Mapping[Any, Any]:
    """A dict or another mapping. needed: in words, from what to what."""
    return instance(name, value, Mapping, needed)  # type: ignore[type-abstract]


def several(name: str, value: Any, needed: str) -> list[Any]:
    """The items of a list, a tuple or another iterable except text. needed: what the items are, in words."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise ParameterTypeError(f"{name}={shown(value)}: {needed} are needed, in a list.")
    return list(value)


def numbers(name: str, values: Any) -> npt.NDArray[np.float64]:
    """Finite numbers as a flat array; there may be none."""
    if not isinstance(values, np.ndarray):
        given = several(name, values, "finite numbers")
        return np.array([number(name, value) for value in given], np.float64)
    if values.ndim != 1 or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise InputError(f"{name}={shown(values)}: finite numbers are needed, in a list or a flat array.")
    return values.astype(np.float64)


def range_of_numbers(low: float, high: float, inside: bool = False) -> str:
    """The numbers between two bounds, in words."""
    equal = "" if inside else "="
    bounds = [f"{sign}{equal} {end:g}" for sign, end in ((">", low), ("<", high)) if abs(end) < math.inf]
    return f"a number {' and '.join(bounds)}" if bounds else "a finite number"


def range_of_wholes(low: int, high: int = LARGEST) -> str:
    """The whole numbers between two bounds, in words."""
    return f"a whole number >= {low}" if high == LARGEST else f"a whole number from {low} to {high}"


def _real(name: str, value: Any, in_words: Callable[..., str], *bounds: Any) -> float:
    if type(value) is float:  # as most are
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise wrong_type(name, value, in_words(*bounds))
    try:
        return float(value)
    except OverflowError:
        return math.inf  # beyond all bounds, whatever its sign


LARGEST_NUMBER = 1e100
"""Products of parameters, gains and counts then stay below the largest number of 64 bits."""


class Kind:
    """A set of allowed values. A subclass has `allowed` and `clean`.

    meaning: what the parameter is, in words.
    """

    def __init__(self, meaning: str):
        self.meaning = meaning

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        raise NotImplementedError

    def clean(self, name: str, value: Any) -> Any:
        """The value as a plain Python object; ParameterError where it is not allowed."""
        raise NotImplementedError


class Param:
    """One parameter: its kind (allowed values), its default, and whether it has to be given."""

    def __init__(self, name: str, kind: Kind, default: Any = None, required: bool = False):
        self.name, self.kind, self.default, self.required = name, kind, default, required

    def clean(self, value: Any) -> Any:
        """The value as a plain Python object; None is allowed where it is the default."""
        may_be_none = self.default is None and not self.required
        return None if value is None and may_be_none else self.kind.clean(self.name, value)


def written_arguments(params: Iterable[Param]) -> str:
    """Parameters with their defaults, in brackets; nothing where there are none."""
    inside = [param.name if param.default is None else f"{param.name}={param.default!r}" for param in params]
    return f"({', '.join(inside)})" if inside else ""


class Number(Kind):
    """A real number between two bounds; `inside` leaves the bounds themselves out."""

    def __init__(self, meaning: str, low: float = -math.inf, high: float = math.inf, inside: bool = False):
        super().__init__(meaning)
        self.low, self.high, self.inside = low, high, inside

    @property
    def allowed(self) -> str:
        return range_of_numbers(self.low, self.high, self.inside)

    def clean(self, name: str, value: Any) -> float:
        real = number(name, value, self.low, self.high, inside=self.inside)
        if abs(real) > LARGEST_NUMBER:
            needed = f"{self.allowed}, and at most {LARGEST_NUMBER:g}, is needed"
            raise ParameterError(f"{name}={real:g} is too large: {needed}.")
        return real


class Whole(Kind):
    """A whole number from `low` on, to `high`."""

    def __init__(self, meaning: str, low: int = 1, high: int = LARGEST):
        super().__init__(meaning)
        self.low, self.high = low, high

    @property
    def allowed(self) -> str:
        return range_of_wholes(self.low, self.high)

    def clean(self, name: str, value: Any) -> int:
        return whole(name, value, self.low, self.high)


class Flag(Kind):
    """True or False."""

    allowed = "True or False"

    def clean(self, name: str, value: Any) -> bool:
        return flag(name, value)


class Text(Kind):
    """A text."""

    allowed = "a text"

    def clean(self, name: str, value: Any) -> str:
        return text(name, value)


class Choice(Kind):
    """One of a few words, or, where `number` is given, a number of that kind.

    words: by default those of the `Literal` in the annotation. elsewhere: (word, hint) for words that another
    measure knows.
    """

    def __init__(
        self,
        meaning: str,
        words: tuple[str, ...] = (),
        number: Number | None = None,
        elsewhere: tuple[tuple[str, str], ...] = (),
    ):
        super().__init__(meaning)
        self.words, self.number, self.elsewhere = words, number, elsewhere

    @property
    def allowed(self) -> str:
        words = either([*map(repr, self.words)])
        return f"{words}, or {self.number.allowed}" if self.number else words

    def clean(self, name: str, value: Any) -> str | float:
        if isinstance(value, str):
            if value in self.words:
                return str(value)
            hint = dict(self.elsewhere).get(value) or nearest(value, self.words)
            raise ParameterError(f"{name}={shown(value)} is unknown: {self.allowed} is needed.{hint}")
        if self.number is None:
            raise wrong_type(name, value, self.allowed)
        return self.number.clean(name, value)


class Several(Kind):
    """One or more values of a kind; each counts once."""

    def __init__(self, meaning: str, each: Kind):
        super().__init__(meaning)
        self.each = each

    @property
    def allowed(self) -> str:
        return f"one or more of: {self.each.allowed}"

    def clean(self, name: str, value: Any) -> tuple[Any, ...]:
        values = value.split() if isinstance(value, str) else several(name, value, self.meaning)
        distinct = tuple(dict.fromkeys(self.each.clean(name, item) for item in values))
        if not distinct:
            raise ParameterError(f"{name} is empty: at least one is needed.")
        return distinct


def literal(node: ast.expr, source: str) -> Any:
    """The value of a Python literal; ValueError where it is none, and for grouped digits such as 1_0."""
    for part in ast.walk(node) if "_" in source else ():
        is_number = isinstance(part, ast.Constant) and isinstance(part.value, (int, float))
        if is_number and "_" in (ast.get_source_segment(source, part) or ""):
            raise ValueError("the digits of a number are written without signs between them")
    return ast.literal_eval(node)


def call_parts(text: str, refused: Callable[[str], Exception]) -> tuple[str, Any, dict[str, Any], Any]:
    """A text `Name(value, param=value)@value`: its name, and values as syntax, by place, name, behind @."""
    try:
        node: Any = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise refused("it cannot be read") from None
    behind, args, keywords = None, [], []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        node, behind = node.left, node.right
    if isinstance(node, ast.Call):
        node, args, keywords = node.func, node.args, node.keywords
    if not isinstance(node, ast.Name):
        raise refused("it does not begin with a name")
    by_name = {keyword.arg: keyword.value for keyword in keywords}
    if None in by_name:
        raise refused("parameters need names")
    if len(by_name) < len(keywords):
        raise refused("a parameter is given twice")
    return node.id, args, by_name, behind


Seed = Annotated[int, Whole("seed of what is drawn at random", low=0)]
Repetitions = Annotated[int, Whole("number of random draws")]
Alpha = Annotated[float, Number("significance level", 0, 1, inside=True)]


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a public function whose annotations hold a kind; it receives plain values."""
    signature = inspect.signature(function)
    parameters = cache(lambda: declared_parameters(function))  # annotations may name what is defined later

    @wraps(function)
    def with_checks(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        for name, parameter in parameters().items():
            if name in bound.arguments:
                bound.arguments[name] = parameter.clean(bound.arguments[name])
        return function(*bound.args, **bound.kwargs)

    return with_checks


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations as types; that of `**options`, which only type checkers read, is left out."""
    if isinstance(function, type):
        return get_type_hints(function, include_extras=True)
    arguments = inspect.signature(function).parameters.values()
    further = {argument.name for argument in arguments if argument.kind is argument.VAR_KEYWORD}
    written = {name: hint for name, hint in function.__annotations__.items() if name not in further}
    names = getattr(inspect.unwrap(function), "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=written), names, include_extras=True)


def kind_of(annotation: Any) -> Any:
    """The kind that an annotation holds, or None."""
    kind, *_ = getattr(annotation, "__metadata__", None) or [None]
    if isinstance(kind, Choice) and not kind.words:
        literals = (annotation.__origin__, *get_args(annotation.__origin__))  # the second of `Literal | None`
        kind = copy(kind)  # whatever its class is
        kind.words = next(get_args(each) for each in literals if get_origin(each) is Literal)
    return kind if hasattr(kind, "clean") else None


def declared_parameters(function: Callable[..., Any]) -> dict[str, Param]:
    """The parameters of a function whose annotations hold a kind, by name."""
    hints = annotations_of(function)
    declared = {}
    for name, argument in inspect.signature(function).parameters.items():
        if kind := kind_of(hints.get(name)):
            required = argument.default is argument.empty
            declared[name] = Param(name, kind, None if required else argument.default, required)
    return declared
