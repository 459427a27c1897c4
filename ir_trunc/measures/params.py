"""What a measure's parameter may be, in Python, in measure strings and at the command line.

A formula names its parameters by annotation, `def RBPT(lists, p: Persistence = 0.8)`; the annotation holds
the kind defined here, which turns what a user gives into a plain value or says what would be right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from ir_trunc._core.checks import LARGEST, flag, number, range_of_numbers, range_of_wholes, text, whole
from ir_trunc._core.errors import ParameterError, ParameterTypeError, shown

LARGEST_NUMBER = 1e100
"""Products of parameters, gains and counts then stay below the largest number of 64 bits."""


class Kind(Protocol):
    """A set of allowed values."""

    @property
    def meaning(self) -> str:
        """What the parameter is, in words."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""

    def clean(self, name: str, value: Any) -> Any:
        """The value as a plain Python object; ParameterError where it is not allowed."""


@dataclass(frozen=True)
class Param:
    """One parameter: its kind (allowed values), its default, and whether it has to be given."""

    name: str
    kind: Kind
    default: Any = None
    required: bool = False


def written_arguments(params: Iterable[Param]) -> str:
    """Parameters with their defaults, in brackets; nothing where there are none."""
    inside = [param.name if param.default is None else f"{param.name}={param.default!r}" for param in params]
    return f"({', '.join(inside)})" if inside else ""


@dataclass(frozen=True)
class Number:
    """A real number between two bounds; `inside` leaves the bounds themselves out."""

    meaning: str
    low: float = -math.inf
    high: float = math.inf
    inside: bool = False

    @property
    def allowed(self) -> str:
        return range_of_numbers(self.low, self.high, self.inside)

    def clean(self, name: str, value: Any) -> float:
        found = number(name, value, self.low, self.high, inside=self.inside)
        if abs(found) > LARGEST_NUMBER:
            raise ParameterError(
                f"{name}={found:g} is too large: {self.allowed}, and at most {LARGEST_NUMBER:g}, is needed."
            )
        return found


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` on, to `high`."""

    meaning: str
    low: int = 1
    high: int = LARGEST

    @property
    def allowed(self) -> str:
        return range_of_wholes(self.low, self.high)

    def clean(self, name: str, value: Any) -> int:
        return whole(name, value, self.low, self.high)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    meaning: str
    allowed: str = "True or False"

    def clean(self, name: str, value: Any) -> bool:
        return flag(name, value)


@dataclass(frozen=True)
class Text:
    """A text."""

    meaning: str
    allowed: str = "a text"

    def clean(self, name: str, value: Any) -> str:
        return text(name, value)


@dataclass(frozen=True)
class Choice:
    """One of a few words, or, where `number` is given, a number of that kind.

    elsewhere: (word, hint) for words that another measure knows.
    """

    meaning: str
    words: tuple[str, ...]
    number: Number | None = None
    elsewhere: tuple[tuple[str, str], ...] = ()

    @property
    def allowed(self) -> str:
        words = " or ".join(repr(word) for word in self.words)
        return f"{words}, or {self.number.allowed}" if self.number else words

    def clean(self, name: str, value: Any) -> str | float:
        if isinstance(value, str):
            if value in self.words:
                return str(value)
            hint = dict(self.elsewhere).get(value, "")
            raise ParameterError(f"{name}={shown(value)} is unknown: {self.allowed} is needed.{hint}")
        if self.number is None:
            raise ParameterTypeError(
                f"{name}={shown(value)}: {self.allowed} is needed, not {type(value).__name__}."
            )
        return self.number.clean(name, value)


@dataclass(frozen=True)
class GainMap:
    """A gain for each grade; a grade that the map leaves out is its own gain.

    Negative grades and unjudged documents have gain 0, also where the map gives grade 0 a gain, as in
    ir-measures.
    """

    meaning: str
    allowed: str = "a map from whole grades to numbers >= 0 that does not fall as the grade rises"

    def clean(self, name: str, value: Any) -> dict[int, float]:
        if not isinstance(value, Mapping):
            raise ParameterTypeError(
                f"{name}={shown(value)}: {self.allowed} is needed, not {type(value).__name__}."
            )
        grade, gain = Whole("grade", low=-(2**31)), Number("gain", low=0)
        clean = {grade.clean(f"{name}, grade", x): gain.clean(f"{name}[{shown(x)}]", value[x]) for x in value}
        ordered = [clean[x] for x in sorted(clean)]
        if ordered != sorted(ordered):
            raise ParameterError(f"{name}={shown(value)} falls as the grade rises: {self.allowed} is needed.")
        if any(clean[x] > 0 for x in clean if x < 0):
            raise ParameterError(f"{name}={shown(value)}: negative grades count as 0 and cannot have a gain.")
        # A whole gain prints as a whole number, so that {1: 3} stays {1: 3}.
        return {x: int(g) if g.is_integer() else g for x, g in sorted(clean.items())}


MinRel = Annotated[int, Whole("lowest grade that counts as relevant; gains are then 0 or 1")]
OnlyRel = Annotated[
    "int | None", Whole("lowest grade that counts as relevant, with gain 1; without it gains are graded")
]
MaxRel = Annotated[int | None, Whole("top of the judgement scale; by default the highest grade in the qrels")]
Scale = Annotated[
    Literal["linear", "exp"], Choice("gain scale: x / max_rel or (2^x - 1) / 2^max_rel", ("linear", "exp"))
]
SignedScale = Annotated[
    Literal["linear", "exp", "signed"],
    Choice(
        "gain scale: x / max_rel, (2^x - 1) / 2^max_rel, or x / max_rel with negative grades below 0",
        ("linear", "exp", "signed"),
    ),
]
GradeGains = Annotated[
    dict[int, float] | None,
    GainMap("gain of each grade, 0 for negative grades and unjudged documents; by default the grade itself"),
]
Persistence = Annotated[
    float,
    Number("persistence: the probability that the reader goes on to the next document", 0, 1, inside=True),
]
Effort = Annotated[float, Number("effort of reading one document, in units of gain", 0)]
CollectionSize = Annotated[int, Whole("number of documents in the collection")]
