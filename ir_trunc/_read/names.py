"""What the columns of data are called, where they do not have our names: `columns={"doc_id": "chunk"}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, nearest, shown

FIELDS = ("query_id", "doc_id", "score", "relevance", "iteration", "rank", "Q0", "cost", "shown")
"""The fields that a column can be named for."""


@dataclass(frozen=True)
class Columns(Mapping[str, Any]):
    """The column of each field that was named.

    given: pairs of a field and its column. needed: fields whose column must be there. The others may be those
    of other data: one argument names the columns of a run and of its qrels.
    """

    given: tuple[tuple[str, Any], ...] = ()
    needed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, columns: Mapping[str, Any] | None) -> Columns:
        """From the argument of a function; ParameterError where it is not understood."""
        if isinstance(columns, Columns):
            return columns
        if columns is None:
            return cls()
        if not isinstance(columns, Mapping):
            raise ParameterTypeError(
                f"columns={shown(columns)}: a dict from fields to columns is needed, as {_EXAMPLE}."
            )
        for field, column in columns.items():
            if not isinstance(field, str) or field not in FIELDS:
                turned = isinstance(column, str) and column in FIELDS
                direction = f" The field comes first, then its column: {_EXAMPLE}."
                near = direction if turned else nearest(field, FIELDS)
                raise ParameterError(
                    f"columns: there is no field {shown(field)}; the fields are {', '.join(FIELDS)}.{near}"
                )
            named = isinstance(column, str) or (isinstance(column, int) and column.bit_length() < 64)
            if isinstance(column, bool) or not named:
                raise ParameterTypeError(
                    f"columns: {field} is {shown(column)}: the name of a column is needed."
                )
        fields_of: dict[Any, str] = {}
        for field, column in columns.items():
            if fields_of.setdefault(column, field) != field:
                both = f"{fields_of[column]} and {field}"
                raise ParameterError(f"columns: {column!r} is given for {both}; each needs its own column.")
        return cls(tuple(columns.items()), frozenset(columns))

    def __getitem__(self, field: str) -> Any:
        return dict(self.given)[field]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self.given))

    def __len__(self) -> int:
        return len(self.given)

    def __repr__(self) -> str:
        return repr(dict(self.given))

    def needing(self, fields: Iterable[str]) -> Columns:
        """These names, of which the columns of some fields must be there."""
        return replace(self, needed=frozenset(fields) & set(self))

    def among(self, found: Iterable[Any], field: str, usual: Iterable[Any]) -> list[Any]:
        """The columns found that a field may have.

        One is the column that was named, or else those with a usual name that no other field was given.
        """
        if not self.given:
            return [column for column in found if column in usual]
        found = list(found)
        named = [column for column in found if field in self and column == self[field]]
        taken = {column for other, column in self.given if other != field}
        return named or [column for column in found if column in usual and column not in taken]

    def candidates(self, field: str, usual: tuple[str, ...]) -> tuple[Any, ...]:
        """The names that a field of a record may have, the one that was named first."""
        if field not in self:
            return usual
        return (self[field],) if field in self.needed else (self[field], *usual)

    def check(self, found: Iterable[Any], possible: Iterable[str], source: str) -> None:
        """InputError where a column that must be there is not, or is one of a field that the data lack."""
        found, possible = list(found), list(possible)
        for field in self:
            if field not in self.needed:
                continue
            if field not in possible:
                raise InputError(
                    f"{source} has no field {field}, which columns names; it can have {', '.join(possible)}."
                )
            if self[field] not in found:
                near = nearest(str(self[field]), map(str, found))
                raise InputError(
                    f"{source} has no column {self[field]!r}, which columns names for {field}; it has:"
                    f" {', '.join(map(str, found)) or 'none'}.{near}"
                )


NO_COLUMNS = Columns()

_EXAMPLE = "columns={'doc_id': 'chunk'}"
