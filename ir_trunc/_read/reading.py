"""How data are read: the options of a run, the columns that the user named, and the fields of data."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from textwrap import TextWrapper, fill
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeVar, cast, get_args, get_type_hints

from ir_trunc._core.errors import (
    InputError,
    ParameterError,
    ParameterTypeError,
    listed,
    nearest,
    option,
    shown,
)
from ir_trunc._core.parameters import flag, one_of
from ir_trunc._core.universe import Keys
from ir_trunc._read.arrow import ValueType, pa

DataKind = Literal["run", "qrels", "answers", "topics", "depths"]
Order = Literal["score", "score64", "rank", "file"]
Duplicates = Literal["error", "first", "best"]
KeysLike = Sequence[str] | Keys
Searches = Literal["union", "first", "last", "sequence"]

COMMENT = b"#"  # begins a line that is not read, as in trec_eval 10
RANK, MARK = "rank", "Q0"  # columns of a run that are read where they decide
SEARCH = "search"  # the name of the innermost key where a question has several searches

FIELDS = (
    "query_id", "doc_id", "score", "relevance", "iteration", "rank", "Q0", "cost", "shown", "list", "depth",
    "repeat",
)  # fmt: skip
"""The fields whose columns the user can name."""

_EXAMPLE = {"doc_id": "chunk"}


class Columns(dict[str, Any]):
    """The columns that the user named, by field, as in `columns={"doc_id": "chunk"}`.

    needed: fields whose column must exist here; others may be those of the qrels of a run, or of their runs.
    """

    def __init__(self, columns: Mapping[str, Any] | None = None, needed: Iterable[str] = ()):
        super().__init__(columns or {})
        self.needed = frozenset(needed) & set(self)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((*self.items(), self.needed))

    @classmethod
    def of(cls, columns: Mapping[str, Any] | None, possible: Sequence[str] = FIELDS) -> Columns:
        """The argument of a public function; ParameterError where it is wrong."""
        if isinstance(columns, Columns):
            return columns
        if columns is None:
            return cls()
        if not isinstance(columns, Mapping):
            needed = f"a dict from fields to columns is needed, as {option('columns', _EXAMPLE)}"
            raise ParameterTypeError(f"columns={shown(columns)}: {needed}.")
        field_of: dict[Any, str] = {}
        for field, column in columns.items():
            if not isinstance(field, str) or field not in possible:
                hint = nearest(field, possible)
                if isinstance(column, str) and column in possible:
                    hint = f" The field comes first, then its column: {option('columns', _EXAMPLE)}."
                fields = f"there is no field {shown(field)}; the fields are {', '.join(possible)}"
                raise ParameterError(f"columns: {fields}.{hint}")
            is_name = isinstance(column, str) or (isinstance(column, int) and column.bit_length() < 64)
            is_name |= field == "cost" and callable(column)  # of a document
            if isinstance(column, bool) or not is_name:
                what = f"{field} is {shown(column)}: the name of a column is needed"
                raise ParameterTypeError(f"columns: {what}.")
            if field_of.setdefault(column, field) != field:
                both = f"{field_of[column]} and {field}"
                raise ParameterError(f"columns: {column!r} is given for {both}; each needs its own column.")
        return cls(columns, columns)

    def among(self, names: Collection[Any], field: str, usual: Collection[Any]) -> list[Any]:
        """Which names of a table can be a field: that of the user, or usual ones of no other field."""
        named = [name for name in names if field in self and name == self[field]]
        taken = {column for other, column in self.items() if other != field}
        return named or [name for name in names if name in usual and name not in taken]

    def candidates(self, field: str, usual: tuple[str, ...]) -> tuple[Any, ...]:
        """The names that a field of a record may have, the one that the user gave first."""
        if field not in self:
            return usual
        return (self[field],) if field in self.needed else (self[field], *usual)

    def check(self, names: Collection[Any], possible: Collection[str], source: str) -> None:
        """InputError where a needed column is missing, or is one of a field that the data cannot have."""
        for field in filter(self.needed.__contains__, self):
            if field not in possible:
                what = f"{source} has no field {field}, which columns names"
                raise InputError(f"{what}; it can have {', '.join(possible)}.")
            if self[field] not in names:
                near = nearest(str(self[field]), map(str, names))
                what = f"{source} has no column {self[field]!r}, which columns names for {field}"
                if field in ("doc_id", "score") and "list" not in self and not near:
                    near = name_the_list()
                raise InputError(f"{what}; it has: {listed(names, 'none')}.{near}")


NO_COLUMNS = Columns()


def name_the_list() -> str:
    """The remedy where documents are in a list of each record."""
    return f" Where each record has a list of documents, {option('columns', {'list': '...'})} names it."


class Option(NamedTuple):
    """An option of reading: its default, the value of its flag, and what it is in a sentence."""

    default: Any
    value: str  # of the flag at the command line; "" where the type says it
    sentence: str  # the help of the flag
    more: str = ""  # what `Reading` says further


# fmt: off
class HowRead(TypedDict, total=False):
    """How a run is read: the table of these options, a row for each.

    The keywords and docstrings of functions that take them (see `takes`), `Reading`, and the flags of
    commands with their help follow from it.
    """

    order: Annotated[Order, Option("score", "",
        "What decides the order of a list: score (the default), as 32-bit floats and then the document "
        "id, as in ir-measures, pytrec_eval and trec_eval 9; score64, as trec_eval 10 has it; the rank "
        "column; or the rows of the file as they stand.",
        "The rank column of a file or of a frame needs no scores beside it. Lists that are given by rank,"
        " `{topic: [document, ...]}`, keep their order under each of them.")]
    duplicates: Annotated[Duplicates, Option("error", "",
        "A document that is in a list twice: an error (the default), or only its first row counts, or its"
        " best.",
        "The best is the one that comes first in the order.")]
    stop: Annotated[str | None, Option(None, "MARK",
        "A list ends before the first row with this mark in the second column, NS for example.",
        "In a frame, the column is called Q0, and a column `shown` of truth values does the same.")]
    lower_is_better: Annotated[bool, Option(False, "",
        "Scores are distances.", "They are taken with the opposite sign.")]
    columns: Annotated[Mapping[str, Any] | None, Option(None, "FIELD=COLUMN...",
        "What a field is called in CSV, TSV, JSON or Parquet: doc_id=chunk,score=similarity; may be "
        "repeated.",
        'In Python a dict, `{"doc_id": "chunk"}`, for frames and records, too. Each must be found in the '
        'run or in the qrels; other fields have their usual names. `{"list": "contexts"}` is the path to '
        "the documents of each record, and the cost of such documents may be a function of them: "
        '`{"cost": lambda doc: len(doc.page_content)}`.')]
    keys: Annotated[KeysLike | None, Option(None, "KEYS",
        "Keys that identify a list, outermost first: topic/question/day.",
        'They have the separator that ids have, or are a tuple, `("topic", "question", "day")`. Columns '
        "of these names, and tuples in the place of ids, are joined to one text; ids that are texts "
        'already must have as many parts. Where the innermost key is called "search", a list is that of '
        "one of several searches, see `searches`.")]
    searches: Annotated[Searches | None, Option(None, "",
        "The list of a question with several searches, where spans or the key search of question/search "
        "tell: their union (the default), the first or the last one, or the union for sDCG and nsDCG.",
        "The union has one search after the other, each document at its first place. The last search may "
        "be empty. 'sequence' is the union with what `sDCG` and `nsDCG` need to know of the searches. "
        "Searches are in the order of their first rows, spans in that of their start. Judgments are of "
        "questions. By default a warning counts the questions with several searches.")]
    withheld: Annotated[Any, Option(None, "FILE",
        "Documents that leave lists and judgments, in lines 'topic document'; or the words 'same id', for"
        " the document that has the id of its topic.",
        "A dict, `{topic: ids}`, or a file of judgments, too. They leave before ranks are given, with a "
        "warning that counts them. A list fills the cutoff of a measure if it had as many documents "
        "before they left.")]
# fmt: on


def options_of(table: Any) -> dict[str, Option]:
    """The rows of a table of options, by name; choices and flags are as the types say."""
    rows = {}
    for name, hint in get_type_hints(table, include_extras=True).items():
        kind, (row,) = hint.__origin__, hint.__metadata__
        kinds = [each for each in (kind, *get_args(kind)) if getattr(each, "__origin__", None) is Literal]
        choices = "|".join(word for each in kinds for word in get_args(each))
        rows[name] = row._replace(value=row.value or choices)
    return rows


def _described(table: Any) -> str:
    """The options of a table as parameters in a docstring."""
    wrapped = TextWrapper(110, initial_indent=" " * 8, subsequent_indent=" " * 8).fill
    texts = {name: wrapped(f"{row.sentence} {row.more}") for name, row in options_of(table).items()}
    return "\n".join(f"    {name} : {type_in(table, name)}\n{text}" for name, text in texts.items()).lstrip()


def type_in(table: Any, name: str) -> str:
    """The type of an option as the table has it."""
    text: str = table.__annotations__[name].__forward_arg__
    return text.removeprefix("Annotated[").partition(", Option(")[0]


F = TypeVar("F", bound=Callable[..., Any])


def takes(table: Any, written: bool = False) -> Callable[[F], F]:
    """Let a function take the options of a table as `**options`; an unknown one is an error that names both.

    In the docstring, `**options` stands for their names. written: whether the signature has them, too. Of a
    class, only docstring and signature follow from the table.
    """
    names = ", ".join(table.__annotations__)

    def decorated(function: Any) -> Any:
        given = signature(function)
        own = [each for each in given.parameters.values() if each.kind is not each.VAR_KEYWORD]
        known = {each.name for each in own} | {*table.__annotations__}

        @wraps(function, updated=())
        def checking(*args: Any, **options: Any) -> Any:
            for name in sorted(options.keys() - known):
                has = f"{function.__qualname__} has no option {name!r}; it has: {', '.join(sorted(known))}"
                raise ParameterTypeError(f"{has}.{nearest(name, known)}")
            return function(*args, **options)

        taking: Any = function if isinstance(function, type) else checking
        for line in re.finditer(r"^( *)(.*?)\*\*options$", function.__doc__ or "", re.MULTILINE):
            filled = fill(f"{line[0].removesuffix('**options')}{names}", 110, subsequent_indent=line[1])
            taking.__doc__ = function.__doc__.replace(line[0], filled)
        if written:
            for name, row in options_of(table).items():
                how = {"default": row.default, "annotation": type_in(table, name)}
                own.append(Parameter(name, Parameter.KEYWORD_ONLY, **how))
            taking.__signature__ = given.replace(parameters=own)
        return taking

    return decorated


_HINTS = get_type_hints(HowRead)
_OPTIONS = [
    (name, _HINTS[name], dataclasses.field(default=row.default)) for name, row in options_of(HowRead).items()
]
_Options: Any = dataclasses.make_dataclass("_Options", _OPTIONS, frozen=True)


_frozen: Any = dataclass(frozen=True)  # type checkers do not see the fields that follow from the table


@_frozen
class Reading(_Options):  # type: ignore[misc]
    __doc__ = f"""How a run is read.

    Parameters
    ----------
    {_described(HowRead)}

    Raises
    ------
    ParameterError
        For a value that none of them has.
    """

    over_ties: bool = dataclasses.field(default=False, repr=False, compare=False, kw_only=True)
    """Whether all orders of tied documents are scored, so that no warning says what decides their order."""
    by_search: bool = dataclasses.field(default=False, init=False, repr=False, compare=False)
    """Whether the innermost key is that of the searches for a question."""

    def __post_init__(self) -> None:
        one_of("order", self.order, get_args(Order))
        one_of("duplicates", self.duplicates, get_args(Duplicates))
        if self.stop is not None and (not isinstance(self.stop, str) or self.stop.split() != [self.stop]):
            needed = "a mark without blanks is needed, as the second column has it"
            raise ParameterError(f"stop={shown(self.stop)}: {needed}.")
        object.__setattr__(self, "lower_is_better", flag("lower_is_better", self.lower_is_better))
        if self.columns is not None:
            object.__setattr__(self, "columns", Columns.of(self.columns) or None)
        if self.searches is not None:
            one_of("searches", self.searches, get_args(Searches))
        if self.keys is not None:
            object.__setattr__(self, "keys", Keys.of(self.keys))
            object.__setattr__(self, "by_search", cast(Keys, self.keys).names[-1] == SEARCH)

    @classmethod
    def of(cls, **options: Any) -> Reading:
        """From the keywords of a function that reads runs; ParameterTypeError for an unknown one."""
        known = tuple(HowRead.__annotations__)
        for name in (name for name in options if name not in known):
            what = f"There is no option {name!r}; a run is read by {', '.join(known)}"
            raise ParameterTypeError(f"{what}.{nearest(name, known)}")
        return cls(**options)

    @property
    def names(self) -> Columns:
        """The columns that the user named."""
        return cast(Columns, self.columns or NO_COLUMNS)

    def without_functions(self) -> Reading:
        """The same without a column that is a function: costs that were read."""
        columns = {field: name for field, name in self.names.items() if not callable(name)}
        return dataclasses.replace(self, columns=Columns(columns, self.names.needed))

    @property
    def nesting(self) -> Keys | None:
        """The keys of lists."""
        return cast("Keys | None", self.keys)

    @property
    def of_questions(self) -> Keys | None:
        """The keys of lists without that of searches, which is not in the judgments."""
        keys = self.nesting
        if keys is None or not self.by_search:
            return keys
        return Keys(keys.names[:-1], keys.separator) if len(keys.names) > 2 else None

    @property
    def without_scores(self) -> bool:
        """Whether a run may lack scores, because they do not decide the order."""
        return self.order in ("rank", "file")


DEFAULT = Reading()


@dataclass(frozen=True)
class Layout:
    """What data are read as: their kind, their fields, and for a run its options."""

    kind: DataKind
    fields: tuple[str, ...]  # of a line of a TREC file
    value: str  # the field of the score or the grade
    value_type: ValueType
    item: str = "doc_id"  # the field of what a row of a topic is about
    by_class: str | None = None  # the field of the class of an answer
    levels: Mapping[str, int] | None = None  # grades of the levels that are words
    reading: Reading = DEFAULT
    source: str = ""  # the name of the data in messages
    answers: bool = False  # whether documents are answers, of which a blank one is silence
    first_row: int = 0  # the number of the first row in messages, where the data are a part

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """The fields that are read, and their types."""
        ids = {"query_id": pa.dictionary(pa.int32(), pa.string()), self.item: pa.string()}
        others = {self.by_class: pa.string()} if self.by_class else {}
        if self.reading.order == "rank":
            others[RANK] = pa.int64()
        if self.reading.stop is not None:
            others[MARK] = pa.string()
        return ids | {self.value: pa.type_for_alias("string" if self.levels else self.value_type)} | others


RUN = Layout("run", ("query_id", MARK, "doc_id", RANK, "score", "tag"), "score", "double")
QRELS = Layout("qrels", ("query_id", "iteration", "doc_id", "relevance"), "relevance", "int64")
TOPICS = Layout("topics", ("query_id",), "topic", "string")
DEPTHS = Layout("depths", ("query_id", "depth", "score"), "score", "double", item="depth")
ANSWERS = Layout("answers", QRELS.fields, "relevance", "int64", by_class="iteration", answers=True)
