"""What an option of a procedure may be, besides the kinds that measures have (`ir_trunc.measures.params`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from ir_measures import Measure

from ir_trunc._core.checks import mapping, several, text, whole
from ir_trunc._core.errors import IrTruncError, ParameterError, shown
from ir_trunc.measures.params import Kind, Number, Whole
from ir_trunc.measures.text import items_of
from ir_trunc.scoring.objects import parse_measure


@dataclass(frozen=True)
class WholeOrAll:
    """A whole number from 1 on, or None for all that there are."""

    meaning: str
    or_none: bool = True
    allowed: str = "a whole number >= 1, or None for all"

    def clean(self, name: str, value: Any) -> int:
        """The number as an int."""
        return whole(name, value, 1)


@dataclass(frozen=True)
class Several:
    """One or more values of a kind; each counts once."""

    meaning: str
    each: Kind

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"one or more of: {self.each.allowed}"

    def clean(self, name: str, value: Any) -> tuple[Any, ...]:
        """The values in their order."""
        given = value.split() if isinstance(value, str) else several(name, value, self.meaning)
        found = tuple(dict.fromkeys(self.each.clean(name, one) for one in given))
        if not found:
            raise ParameterError(f"{name} is empty: at least one is needed.")
        return found


@dataclass(frozen=True)
class Names:
    """Names of systems; at the command line a file with one a line."""

    meaning: str
    allowed: str = "names of systems, in a list"
    fields: int = 1

    def clean(self, name: str, value: Any) -> tuple[str, ...]:
        """The names in their order."""
        found = tuple(text(name, one) for one in several(name, value, "names of systems"))
        if not found:
            raise ParameterError(f"{name} is empty: at least one name is needed.")
        return found

    def of_rows(self, rows: list[list[str]]) -> list[str]:
        """The names in a file."""
        return [name for (name,) in rows]


@dataclass(frozen=True)
class Groups:
    """A group for each system; at the command line a file of lines 'system group'."""

    meaning: str
    allowed: str = "{system: group}"
    fields: int = 2

    def clean(self, name: str, value: Any) -> Mapping[str, str]:
        """The groups as a dict."""
        given = mapping(name, value, self.allowed)
        return {system: text(f"{name}, {system!r}", group) for system, group in given.items()}

    def of_rows(self, rows: list[list[str]]) -> dict[str, str]:
        """The groups in a file."""
        return dict(rows)


@dataclass(frozen=True)
class Measures:
    """Measures of the score matrix, as texts, objects or a list of both."""

    meaning: str
    allowed: str = "measures of the matrix, as a text, an object or a list of both"

    def clean(self, name: str, value: Any) -> list[Any]:
        """The measures one by one; the matrix knows which it has."""
        return items_of(name, value, "a measure of the matrix", lambda text: [text])


@dataclass(frozen=True)
class OneMeasure:
    """A measure, as a text or an object."""

    meaning: str
    allowed: str = "a measure, as a text or an object"

    def clean(self, name: str, value: Any) -> Measure:
        """The measure as an object."""
        found = items_of(name, value, "a measure")
        if len(found) != 1:
            raise ParameterError(f"{name}={shown(value)}: one measure is needed, not {len(found)}.")
        try:
            return parse_measure(found[0])
        except IrTruncError as error:
            raise type(error)(f"{name}: {error}") from None


Seed = Annotated[int, Whole("seed of what is drawn at random", low=0)]
Repetitions = Annotated[int, Whole("number of random draws")]
Alpha = Annotated[float, Number("significance level", 0, 1, inside=True)]
