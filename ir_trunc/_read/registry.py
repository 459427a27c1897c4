"""Readers of data, and the order in which they are asked whether they recognise given data.

A reader is a function in a file of `ir_trunc/_read/readers`, declared by `@reader`. It returns a `Table` or
yields `Rows`. `READERS` in `ir_trunc/_read/readers/__init__.py` lists them in the order of asking.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np

from ir_trunc._core.errors import InputError, noted, option, shown
from ir_trunc._core.lazy import npt
from ir_trunc._read.arrow import occurs, pa, pc, truths
from ir_trunc._read.reading import QRELS, DataKind, Layout, Reading
from ir_trunc._read.rows import LEAST_ROWS, Directions, Rows, Samples
from ir_trunc._read.tables import FIELDS_IN, rows_of_table
from ir_trunc._read.text import beginning

Shape = Literal["path", "frame", "mapping", "list", "object"]


@dataclass(frozen=True)
class Table:
    """Data in columns, as a reader returns them; `topics`, `asked` and `levels` are those of `Rows`."""

    source: str
    columns: Any = None  # a mapping of columns by name, or a frame
    topics: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()


SAMPLED = 1 << 13  # bytes of a file: in their lines, forms of lines are recognised


class File:
    """A path with what its form is recognised by: its name without `.gz`, first bytes, and first lines."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading):
        self.path, self.reading = path, reading
        self.name = os.fspath(path).removesuffix(".gz")
        self.start = beginning(path)
        lines = self.start[:SAMPLED]
        end = max(lines.rfind(b"\n"), lines.rfind(b"\r")) + 1
        self.lines = lines if end == 0 or len(lines) < SAMPLED else lines[:end]  # whole ones


class Compiled(NamedTuple):
    """How the kernel reads data of a form; None where it is not sure of them, and the reader decides."""

    run: Callable[[Any, Data], Samples | None]  # adds a run to the kernel's lists; returns samples
    qrels: Callable[[Data, int], Any]  # the number is the seed of the kernel's hashes


Read = Callable[[Any, Layout], Table | Iterable[Rows]]  # the layout holds the data's name for messages


@dataclass(frozen=True)
class Reader:
    """A form of data: how it is recognised and read. The decorator `reader` declares it."""

    form: str  # what it looks like, for messages; `<columns>` and `<value>` stand for the fields
    about: str
    read: Read
    recognises: Callable[[Any], bool]  # whether data have the form; a path comes as a `File`
    shapes: Collection[Shape]  # of data that it is asked for
    kinds: Collection[DataKind]  # that it reads
    columns: bool = False  # whether users can name its columns
    called: str = ""  # such data in messages; by default the name of their type
    compiled: Compiled | None = None
    ordered: bool = True  # whether the places of scored documents mean anything

    def form_of(self, layout: Layout) -> str:
        """What the form looks like in data of this layout."""
        fields = layout.fields if layout.kind == "topics" else layout.columns
        return self.form.replace("<columns>", ", ".join(fields)).replace("<value>", layout.value)

    def source(self, data: Any, layout: Layout) -> str:
        """The name of the data in messages."""
        if is_path_like(data):
            return f"{layout.kind} {os.fspath(data)}"
        return layout.source or f"{layout.kind} ({self.called or type(data).__name__})"

    def table(self, data: Any, layout: Layout) -> Table:
        """The data of a reader that returns a table."""
        table = self.read(data, replace(layout, source=self.source(data, layout)))
        assert isinstance(table, Table)
        return table

    def pieces(self, data: Any, layout: Layout) -> Iterator[Rows]:
        """The rows of data in pieces, which need not hold whole topics."""
        source = self.source(data, layout)
        try:
            content = self.read(data, replace(layout, source=source))
        except RecursionError:
            raise InputError(f"{source} is nested too deeply to be read.") from None
        names = layout.reading.names
        if names.needed and not self.columns:
            fields = ", ".join(name for name in names if name in names.needed)
            what = f"{layout.kind} ({self.form_of(layout)}) has no columns"
            raise InputError(f"{what}; leave {fields} out of {option('columns', dict(names))}.")
        if not isinstance(content, Table):
            yield from content
            return
        rows = rows_of_table(content.columns, layout, content.source)
        universe = (*rows.universe, *content.topics)
        yield replace(rows, universe=universe, asked=content.asked, levels=content.levels)


def reader(
    form: str,
    *,
    recognises: Callable[[Any], Any] = lambda data: False,
    shapes: str = "path",
    kinds: str = "run qrels",
    **others: Any,
) -> Callable[[Read], Reader]:
    """Declare a function as a reader, of files by default; its docstring is what the reference says of it.

    others: the other attributes of `Reader`. The shape 'object' is data of a class that is not built in,
    whatever their shape. The first reader of a shape for a kind (run, qrels, ...) is that of the usual form:
    it also reads what no reader recognises, and says what is needed.
    """

    def declare(read: Read) -> Reader:
        about, of = " ".join((read.__doc__ or "").split()), (tuple(shapes.split()), tuple(kinds.split()))
        return Reader(form, about, read, recognises, *of, **others)  # type: ignore[arg-type]

    return declare


def readers_of(kind: DataKind) -> Iterator[Reader]:
    """The readers of a kind in the order of asking."""
    return (reader for reader in _readers().READERS if kind in reader.kinds)


@cache
def _readers() -> Any:
    """The package of readers, which import this module."""
    return import_module("ir_trunc._read.readers")


def is_path_like(data: Any) -> bool:
    """Whether data are the path of a file."""
    return isinstance(data, str) or hasattr(type(data), "__fspath__")  # as os.PathLike asks, but sooner


def shape_of(data: Any) -> Shape:
    """The shape of data, which decides which readers are asked."""
    if isinstance(data, (dict, Mapping)):
        return "mapping"
    if is_path_like(data):
        return "path"
    if hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__"):
        return "frame"
    scalar = isinstance(data, (bytes, bytearray, memoryview)) or getattr(data, "ndim", 1) == 0
    return "list" if isinstance(data, Iterable) and not scalar else "object"


_LONGEST_NAME = 4096  # of a path, on most systems


def _refuse_content(path: str | os.PathLike[str], layout: Layout) -> None:
    """InputError for a text that no file can have as its name, as the content of a run."""
    name: Any = None
    with suppress(TypeError):  # __fspath__ returns no path
        name = os.fspath(path)
    if not isinstance(name, str):
        raise InputError(f"a path of type {type(path).__name__} is not text, as paths must be.")
    if (len(name) > _LONGEST_NAME or "\n" in name or "\r" in name) and not os.path.exists(name):
        content = f"this looks like the content of {'a run' if layout.kind == 'run' else layout.kind}"
        raise InputError(f"{layout.kind} {shown(name)}: {content}; write it to a file, or pass rows.")


def are_columns(data: Mapping[Any, Any], layout: Layout) -> bool:
    """Whether these are columns of one length by their names, as a frame's `to_dict("list")` returns them."""
    names, keys = layout.reading.names, layout.reading.nesting
    known = FIELDS_IN[layout.kind]
    fields = {known.get(name) for name in data} | {field for field in names if names[field] in data}
    has_topics = bool(fields & {"query_id", "topic"}) or bool(keys and {*keys.names} <= data.keys())
    if not has_topics or (layout.item not in fields and layout.kind != "topics"):
        return False
    columns = data.values()
    are_lists = all(hasattr(c, "__len__") and not isinstance(c, (str, Mapping, set)) for c in columns)
    return are_lists and len({*map(len, columns)}) == 1


def reader_of(data: Any, layout: Layout) -> Reader:
    """The reader for the data; InputError where there is none."""
    shape, recognisable = shape_of(data), data
    shapes = {shape} if shape == "path" or type(data).__module__ == "builtins" else {shape, "object"}
    if shape == "path":
        _refuse_content(data, layout)
        recognisable = File(data, layout.reading)
    every: Any = _readers()
    chosen: Reader | None = None
    if shape == "mapping" and are_columns(data, layout):
        chosen = every.memory.frame
    elif shape != "path" and "list" in layout.reading.names and every.nested.has_list(data, layout):
        chosen = every.nested.nested_records
    else:
        for reader in readers_of(layout.kind):
            if not shapes.isdisjoint(reader.shapes) and reader.recognises(recognisable):
                return reader
            if chosen is None and shape != "object" and shape in reader.shapes:
                chosen = reader
    if chosen is not None:
        return chosen
    forms = "; ".join(reader.form_of(layout) for reader in islice(readers_of(layout.kind), 4))
    needed = f"one of these is needed: {forms}; or another form of the page 'Your data'"
    raise InputError(f"{layout.kind} of type {type(data).__name__}: {needed}.")


@dataclass(eq=False)
class Data:
    """Data with the reader for them."""

    value: Any
    layout: Layout
    reader: Reader
    source: str  # their name in messages
    iterator: str = ""  # the type of the iterator that the data come from, if they do

    def pieces(self) -> Iterator[Rows]:
        """The rows as the reader yields them; InputError where an iterator gave none."""
        count, directions = 0, Directions(self.source)
        for piece in self.reader.pieces(self.value, self.layout):
            count += len(piece)
            if self.layout.kind == "run" and len(piece) >= LEAST_ROWS and not isinstance(self.value, Rows):
                directions.add(piece, self.reader.ordered)
            yield piece
        directions.warn()
        if self.iterator == "_tee" and not count:  # ir-measures gives each of its tools its own iterator
            raise InputError(f"{self.layout.kind}: there is no row; at least one is needed.")
        if self.iterator and not count:
            remedy = "An iterator can be read only once: give a list, or make a new one."
            raise InputError(f"{self.layout.kind} ({self.iterator}): it yields nothing. {remedy}")

    def rows(self) -> Iterator[Rows]:
        """The rows, in pieces of whole topics; if one is not contiguous, all rows at last."""
        seen, pieces = set[str](), self.pieces()
        for piece in pieces:
            if piece.reading.by_search:  # as in all pieces: a question may have searches in several
                yield Rows.concat([piece, *pieces])
                return
            topics = piece.topics.dictionary.to_pylist()
            if not seen.isdisjoint(topics):
                yield replace(self.all_rows(), starts_over=True)
                return
            seen.update(topics)
            yield from piece.parts()

    def all_rows(self) -> Rows:
        """All rows at once."""
        return Rows.concat([*self.pieces()])


def recognised(data: Any, layout: Layout) -> Data:
    """Data with their reader; what an iterator yields is kept in a list."""
    name = type(data).__name__ if hasattr(data, "__next__") else ""
    if type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars"):
        data = data.collect()
    value = list(data) if name and not hasattr(data, "__arrow_c_stream__") else data
    if layout.reading.withheld is not None:
        withheld = Withheld.of(layout.reading.withheld)
        layout = replace(layout, reading=replace(layout.reading, withheld=withheld))
    reader = reader_of(value, layout)
    return Data(value, layout, reader, reader.source(value, layout), name)


def read_rows(data: Any, layout: Layout) -> Rows:
    """All rows of data."""
    return recognised(data, layout).all_rows()


SAME_ID = "same id"


@dataclass(frozen=True)
class Withheld:
    """Documents that are in no list of their topic and are not judged for it; `of` reads them."""

    docs: Mapping[str, Collection[str]] | None  # by topic; None for the document that has the id of the topic

    @classmethod
    def of(cls, value: Any) -> Withheld:
        """The argument of a public function; InputError where it cannot be read."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str) and value == SAME_ID:
            return cls(None)
        if isinstance(value, Mapping):
            value = {topic: [ids] if isinstance(ids, (str, int)) else ids for topic, ids in value.items()}
        try:
            with noted(issued=False):  # grades do not matter
                rows = read_rows(value, QRELS)
            if rows.unfilled:
                raise InputError(f"{rows.source}: documents of topic {rows.unfilled[0][0]} have no grade.")
            return cls(rows.to_dict())
        except InputError as error:
            needed = f"{{topic: ids}}, a file of judgments or of lines 'topic document', or {SAME_ID!r}"
            raise InputError(f"withheld: {error} {needed} is needed.") from None

    def among(self, topics: pa.DictionaryArray, docs: pa.StringArray) -> npt.NDArray[np.bool_]:
        """Whether each of these documents is withheld."""
        if self.docs is None:
            return truths(pc.equal(topics.dictionary_decode(), docs))
        withheld = occurs(docs, *set().union(*self.docs.values()))
        for row in np.flatnonzero(withheld).tolist():
            withheld[row] = docs[row].as_py() in self.docs.get(topics[row].as_py(), ())
        return withheld
