"""Readers of data, and the one place that asks what data are.

A reader is a function in a file of its own in `ir_trunc/_read/readers`, declared by `@reader`: it says what
it recognises, and gives a `Table` or pieces of `Rows`. Runs, qrels, answers and topics, the errors that say
what would be right and the reference page all read the registry.

Data have a shape: a path, a frame, a mapping, a list or an object. Only readers of this shape are asked. The
usual reader of a shape is asked first, and takes what no other one recognises.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from operator import attrgetter
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple

from ir_trunc._core.errors import InputError
from ir_trunc._read import readers as package
from ir_trunc._read.reading import DataKind, Layout, Reading
from ir_trunc._read.rows import Rows, Samples
from ir_trunc._read.tables import rows_of_table
from ir_trunc._read.text import beginning

Shape = Literal["path", "frame", "mapping", "list", "object"]


@dataclass(frozen=True)
class Table:
    """Data in columns.

    source: what to call them in a message. columns: a mapping of columns by name, or a frame.
    topics, levels: as `Rows` have them. named: fields whose columns the user named and the
    reader has taken already.
    """

    source: str
    columns: Any = None
    topics: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()


class File:
    """A path, and what its form is known by.

    path: as it was given. name: as text, without .gz. start: its first bytes, unpacked; none for what is not
    a regular file or cannot be read. reading: how it is to be read.
    """

    def __init__(self, path: str | os.PathLike[str], reading: Reading):
        self.path = path
        self.reading = reading
        try:
            self.name = os.fspath(path).removesuffix(".gz")
        except TypeError:  # a path that is bytes, or none
            raise InputError(f"a path of type {type(path).__name__} is not text, as paths must be.") from None
        self.start = beginning(path)


class Compiled(NamedTuple):
    """How the compiled kernel takes data of a form; None where it is not sure what they mean.

    The lists have the bits that the reader's rows give, and what a reader refuses is left to it.

    run: gives a run to lists that the kernel began, and returns what was looked at of it. qrels: what the
    kernel reads of qrels, given a number by which its hashes differ.
    """

    run: Callable[[Any, Data], Samples | None]
    qrels: Callable[[Data, int], Any]


@dataclass(frozen=True)
class Reader:
    """What a form of data is, how it is known and how it is read.

    form: what it looks like, for messages; `<columns>` and `<value>` stand for what is read. about: what is
    to be known of it, for the reference. kinds: what can have this form. shapes: those it is asked for; with
    'object', for everything of a class that is not Python's own. recognises: whether data have the form,
    given a `File` for a path. usual: whether it is the usual reader of its shapes. suffix: of paths that have
    the form, whatever they hold. columns: whether its columns can be named by the user. called: what to call
    such data in a message; by default the name of their type. read: the data as a table, or as pieces of
    rows. compiled: how the kernel takes them, if it does.
    """

    form: str
    about: str
    kinds: tuple[DataKind, ...]
    shapes: tuple[Shape, ...]
    recognises: Callable[[Any], bool] | None
    usual: bool
    suffix: str
    columns: bool
    called: str
    read: Callable[[Any, Layout], Table | Iterable[Rows]]
    compiled: Compiled | None = None

    def form_of(self, layout: Layout) -> str:
        """What the form looks like in data of this layout."""
        return self.form.replace("<columns>", layout.named).replace("<value>", layout.value)

    def source(self, data: Any, layout: Layout) -> str:
        """What to call the data in a message."""
        if isinstance(data, (str, os.PathLike)):
            return f"{layout.kind} {os.fspath(data)}"
        return f"{layout.kind} ({self.called or type(data).__name__})"

    def found(self, data: Any, layout: Layout) -> Table | Iterable[Rows]:
        """What the reader makes of the data."""
        return self.read(data, replace(layout, source=self.source(data, layout)))

    def table(self, data: Any, layout: Layout) -> Table:
        """The data as a table, where the reader gives one."""
        found = self.found(data, layout)
        assert isinstance(found, Table)
        return found

    def pieces(self, data: Any, layout: Layout) -> Iterator[Rows]:
        """The rows of data, in pieces that may be of any rows."""
        found, names = self.found(data, layout), layout.reading.names
        if names.needed and not self.columns:
            fields = ", ".join(field for field in names if field in names.needed)
            what = f"{layout.kind} ({self.form_of(layout)}) has no columns"
            if not isinstance(found, Table):
                next(iter(found), None)  # raises where something else is wrong, as a file that is not there
            raise InputError(f"{what}; leave {fields} out of columns={names}.")
        if not isinstance(found, Table):
            yield from found
            return
        if found.named:
            layout = replace(layout, reading=replace(layout.reading, columns=None))
        rows = rows_of_table({} if found.columns is None else found.columns, layout, found.source)
        yield replace(rows, universe=found.topics, levels=found.levels, named=rows.named | found.named)


READERS: dict[str, Reader] = {}


def reader(
    form: str,
    *kinds: DataKind,
    of: Shape | tuple[Shape, ...],
    recognises: Callable[[Any], bool] | None = None,
    usual: bool = False,
    suffix: str = "",
    columns: bool = False,
    called: str = "",
    compiled: Compiled | None = None,
) -> Callable[[Callable[[Any, Layout], Table | Iterable[Rows]]], Reader]:
    """Declare a function as a reader of data of some shapes.

    Its docstring says what is to be known of the form.
    """

    def declare(read: Callable[[Any, Layout], Table | Iterable[Rows]]) -> Reader:
        about = " ".join((read.__doc__ or "").split())
        shapes = (of,) if isinstance(of, str) else of
        known = (form, about, kinds, shapes, recognises, usual, suffix, columns, called, read, compiled)
        READERS[form] = Reader(*known)
        return READERS[form]

    return declare


@cache
def _import_all() -> None:
    """Import every file of readers, once."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


def readers_of(kind: DataKind) -> list[Reader]:
    """The readers of a kind, in the order in which they are asked."""
    _import_all()
    of_kind = [known for known in READERS.values() if kind in known.kinds]
    return sorted(sorted(of_kind, key=attrgetter("form")), key=attrgetter("usual"), reverse=True)


def shape_of(data: Any) -> Shape:
    """What data are, before it is asked which form they have."""
    if isinstance(data, (str, os.PathLike)):
        return "path"
    if hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__"):
        return "frame"
    if isinstance(data, Mapping):
        return "mapping"
    one = isinstance(data, (bytes, bytearray, memoryview)) or getattr(data, "ndim", 1) == 0
    return "list" if isinstance(data, Iterable) and not one else "object"


def reader_of(data: Any, layout: Layout, *others: str) -> Reader:
    """The reader that recognises the data; InputError with all forms that would be right where none does.

    others: forms that the caller takes beside those of the registry.
    """
    shape = shape_of(data)
    shapes = {shape} if shape == "path" or type(data).__module__ == "builtins" else {shape, "object"}
    given = File(data, layout.reading) if shape == "path" else data
    known = readers_of(layout.kind)
    asked = [reader for reader in known if not shapes.isdisjoint(reader.shapes)]
    if isinstance(given, File) and os.path.isfile(given.path):
        for reader in asked:
            if reader.suffix and given.name.endswith(reader.suffix):
                return reader
    for reader in asked:
        if reader.recognises and reader.recognises(given):
            return reader
    for reader in asked:
        if reader.usual:
            return reader
    forms = "; ".join([*others, *(reader.form_of(layout) for reader in known)])
    raise InputError(f"{layout.kind} of type {type(data).__name__}: one of these is needed: {forms}.")


@dataclass(frozen=True)
class Data:
    """Data, and the reader that recognises them.

    iterator: the type of the iterator that they come from, if they do.
    """

    value: Any
    layout: Layout
    reader: Reader
    iterator: str = ""

    @property
    def source(self) -> str:
        """What to call them in a message."""
        return self.reader.source(self.value, self.layout)

    def rows(self) -> Iterator[Rows]:
        """The rows, some whole topics at a time.

        What is read in pieces is never in memory as a whole, unless the rows of a topic are found apart: then
        a last piece comes that starts over, with all rows.
        """
        seen, count = set[str](), 0
        for piece in self.reader.pieces(self.value, self.layout):
            topics = piece.topics.dictionary.to_pylist()
            if not seen.isdisjoint(topics):
                yield replace(self.all_rows(), starts_over=True)
                return
            seen.update(topics)
            count += len(piece)
            yield from piece.parts()
        self._refuse_nothing(count)

    def all_rows(self) -> Rows:
        """All rows at once."""
        found = Rows.concat(list(self.reader.pieces(self.value, self.layout)))
        self._refuse_nothing(len(found))
        return found

    def _refuse_nothing(self, rows: int) -> None:
        """InputError for an iterator that yields nothing: it was most likely read before."""
        if self.iterator and not rows:
            raise InputError(
                f"{self.layout.kind} ({self.iterator}): it yields nothing. An iterator can be read only once:"
                " give a list, or make a new one."
            )


def recognised(data: Any, layout: Layout) -> Data:
    """Data with their reader; what an iterator yields is held in a list."""
    again = not hasattr(data, "__next__")
    held = data if again or hasattr(data, "__arrow_c_stream__") else list(data)
    return Data(held, layout, reader_of(held, layout), "" if again else type(data).__name__)


def read_rows(data: Any, layout: Layout) -> Rows:
    """All rows of data."""
    return recognised(data, layout).all_rows()


def first_item(data: Any) -> Any:
    """The first item of a list; None where it has none or cannot be asked for it."""
    return data[0] if isinstance(data, (list, tuple)) and data else None


def first_docs(data: Mapping[Any, Any]) -> Any:
    """What a mapping has for the first topic that has documents; None where none has."""
    return next((docs for docs in data.values() if list_length(docs)), None)


def list_length(docs: Any) -> int:
    """The length of what a mapping has for a topic; 1 where it has none, as an array of no dimension."""
    try:
        return len(docs)
    except TypeError:
        return 1
