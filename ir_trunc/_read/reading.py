"""How data are read: the options of a run, the columns that the user named, and the fields of data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, get_args

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, nearest, shown
from ir_trunc._read.arrow import ValueType, pa

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None  # only type checkers read `**options: Unpack[HowRead]`


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


if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None  # only type checkers read `**reading: Unpack[HowRead]`

DataKind = Literal["run", "qrels", "answers", "topics"]
Order = Literal["score", "score64", "rank", "file"]
Duplicates = Literal["error", "first", "best"]

COMMENT = b"#"  # begins a line that is not read, as in trec_eval 10
RANK, MARK = "rank", "Q0"  # columns of a run that are read where they decide


class HowRead(TypedDict, total=False):
    """The keywords of `Reading`, as every function has them that takes a run."""

    order: Order
    duplicates: Duplicates
    stop: str | None
    lower_is_better: bool
    columns: Mapping[str, Any] | None


@dataclass(frozen=True)
class Reading:
    """How a run is read.

    order: what decides the order of a list. 'score' (the default): scores descending, compared as 32-bit
    floats, ties by document id descending, as in ir-measures, pytrec_eval and trec_eval 9. 'score64':
    the same with 64-bit floats, as trec_eval 10 has it. 'rank': the rank column of a file or of a frame,
    which then needs no scores. 'file': the rows of a list as they stand. Lists that are given by rank,
    `{topic: [document, ...]}`, keep their order under each of them.

    duplicates: a document that is in a list twice is an 'error', or only its 'first' row counts, or its
    'best', the one that comes first in the order.

    stop: the mark in the second column of a file (in a frame the column Q0) from which on a list was not
    shown, 'NS' for example: the list ends before the first row that has it. In a frame, a column `shown` of
    truth values does the same.

    lower_is_better: scores are distances: they are taken with the opposite sign.

    columns: what the columns of a table, or the names of records, are called, `{"doc_id": "chunk"}`: our
    field, then their column. Fields that are not named have the usual names.

    Raises ParameterError for a value that none of them has.
    """

    order: Order = "score"
    duplicates: Duplicates = "error"
    stop: str | None = None
    lower_is_better: bool = False
    columns: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, known in {"order": get_args(Order), "duplicates": get_args(Duplicates)}.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                near = nearest(value, known)
                raise ParameterError(f"{name}={shown(value)}: {', '.join(known)} are possible.{near}")
        if self.stop is not None and (not isinstance(self.stop, str) or self.stop.split() != [self.stop]):
            raise ParameterError(
                f"stop={shown(self.stop)}: a mark without blanks is needed, as the second column has it."
            )
        if not isinstance(self.lower_is_better, bool):
            raise ParameterTypeError(
                f"lower_is_better={shown(self.lower_is_better)}: True or False is needed."
            )
        object.__setattr__(self, "columns", Columns.of(self.columns) or None)

    @classmethod
    def of(cls, **keywords: Unpack[HowRead]) -> Reading:
        """From the keywords of a function that takes a run; ParameterTypeError for an unknown one."""
        known = tuple(HowRead.__annotations__)
        for name in keywords:
            if name not in known:
                raise ParameterTypeError(
                    f"There is no option {name!r}; a run is read by {', '.join(known)}.{nearest(name, known)}"
                )
        return cls(**keywords)

    @property
    def names(self) -> Columns:
        """What columns are called."""
        return cast(Columns, self.columns or NO_COLUMNS)

    @property
    def without_scores(self) -> bool:
        """Whether a run may have no scores, since they do not decide."""
        return self.order in ("rank", "file")

    @property
    def by_rows(self) -> bool:
        """Whether it matters in which order the rows of a list stand."""
        return self.order == "file" or self.duplicates == "first"

    @property
    def again(self) -> Reading:
        """How rows that were read in this way, and written into a frame since then, are read."""
        return replace(self, stop=None, lower_is_better=False, columns=None)


DEFAULT = Reading()


@dataclass(frozen=True)
class Layout:
    """The fields of data. source: what to call these data in a message, once their reader is known."""

    kind: DataKind
    fields: tuple[str, ...]
    value: str
    value_type: ValueType
    by_class: str | None = None
    reading: Reading = DEFAULT
    source: str = ""

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """The fields that are read, and their types."""
        ids = {"query_id": pa.dictionary(pa.int32(), pa.string()), "doc_id": pa.string()}
        others = {self.by_class: pa.string()} if self.by_class else {}
        if self.reading.order == "rank":
            others[RANK] = pa.int64()
        if self.reading.stop is not None:
            others[MARK] = pa.string()
        return ids | {self.value: pa.type_for_alias(self.value_type)} | others

    @property
    def named(self) -> str:
        """The names of the fields that are read."""
        return ", ".join(self.fields if self.kind == "topics" else self.columns)


RUN = Layout("run", ("query_id", MARK, "doc_id", RANK, "score", "tag"), "score", "double")
QRELS = Layout("qrels", ("query_id", "iteration", "doc_id", "relevance"), "relevance", "int64")
TOPICS = Layout("topics", ("query_id",), "topic", "string")
ANSWERS = Layout("answers", QRELS.fields, "relevance", "int64", by_class="iteration")


def nothing_in(source: str, layout: Layout) -> InputError:
    """The error about a file without lines."""
    return InputError(f"{source} is empty: lines of the form '{' '.join(layout.fields)}' are needed.")
