"""What an option of a procedure may be, besides the kinds that measures have (`ir_trunc.measures.params`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ir_measures import Measure

from ir_trunc._core.errors import IrTruncError, ParameterError, shown
from ir_trunc._core.parameters import mapping, several, text, whole
from ir_trunc.measures.declaration import items_of
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
