"""Readers of data, and the choice of the reader for given data.

A reader is a function in a file of `ir_trunc/_read/readers`, declared by `@reader`. It returns a `Table` or
yields `Rows`. Only readers of the shape of the data are asked whether they recognise them, those with the
highest priority first. Data that no reader recognises go to the fallback of their shape, if it has one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple

from ir_trunc._core.errors import InputError, ParameterError, shown
from ir_trunc._read import readers as package
from ir_trunc._read.reading import DataKind, Layout, Reading
from ir_trunc._read.rows import Rows, Samples
from ir_trunc._read.tables import rows_of_table
from ir_trunc._read.text import beginning

Shape = Literal["path", "frame", "mapping", "list", "object"]

# Priorities of readers. COMMON: forms that most users have are asked first, because recognising takes time.
# LOOSE: readers that also recognise what another reader knows better.
COMMON, DEFAULT_PRIORITY, LOOSE = 80, 50, 20


@dataclass(frozen=True)
class Table:
    """Data in columns, as a reader returns them; `topics`, `asked` and `levels` are those of `Rows`."""

    source: str
    columns: Any = None  # a mapping of columns by name, or a frame
    topics: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()  # fields whose columns the user named and the reader has read


class File:
    """A path with what its form is recognised by: its name without `.gz`, and its first bytes."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading):
        self.path, self.reading = path, reading
        self.name = os.fspath(path).removesuffix(".gz")
        self.start = beginning(path)


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
    kinds: tuple[DataKind, ...]
    shapes: tuple[Shape, ...]  # of data that it is asked for; 'object': whose class is not built in
    read: Read
    recognises: Callable[[Any], bool] | None = None  # whether data have the form; a path comes as a `File`
    priority: int = DEFAULT_PRIORITY  # 0 to 100, the highest first; two equals must not recognise the same
    fallback: bool = False  # whether it takes data of its shapes that no reader recognises
    suffix: str = ""  # the end of file names that decides for this form, whatever the file contains
    columns: bool = False  # whether users can name its columns
    called: str = ""  # such data in messages; by default the name of their type
    compiled: Compiled | None = None

    def form_of(self, layout: Layout) -> str:
        """What the form looks like in data of this layout."""
        fields = layout.fields if layout.kind == "topics" else layout.columns
        return self.form.replace("<columns>", ", ".join(fields)).replace("<value>", layout.value)

    def source(self, data: Any, layout: Layout) -> str:
        """The name of the data in messages."""
        if isinstance(data, (str, os.PathLike)):
            return f"{layout.kind} {os.fspath(data)}"
        return f"{layout.kind} ({self.called or type(data).__name__})"

    def table(self, data: Any, layout: Layout) -> Table:
        """The data of a reader that returns a table."""
        table = self.read(data, replace(layout, source=self.source(data, layout)))
        assert isinstance(table, Table)
        return table

    def pieces(self, data: Any, layout: Layout) -> Iterator[Rows]:
        """The rows of data in pieces, which need not hold whole topics."""
        source, names = self.source(data, layout), layout.reading.names
        content = self.read(data, replace(layout, source=source))
        if names.needed and not self.columns:
            fields = ", ".join(name for name in names if name in names.needed)
            what = f"{layout.kind} ({self.form_of(layout)}) has no columns"
            if not isinstance(content, Table):
                next(iter(content), None)  # raises another error first, as of a file that does not exist
            raise InputError(f"{what}; leave {fields} out of columns={names}.")
        if not isinstance(content, Table):
            yield from content
            return
        if content.named:
            layout = replace(layout, reading=replace(layout.reading, columns=None))
        rows = rows_of_table({} if content.columns is None else content.columns, layout, content.source)
        named = rows.named | content.named
        yield replace(rows, universe=content.topics, asked=content.asked, levels=content.levels, named=named)


READERS: dict[str, Reader] = {}  # by their forms


def reader(
    form: str, *kinds: DataKind, of: Shape | tuple[Shape, ...], **attributes: Any
) -> Callable[[Read], Reader]:
    """Declare a function as a reader; its docstring is what the reference says of the form.

    of: its shapes. attributes: the others of `Reader`. ParameterError for a priority that is not allowed, or
    where another reader of the same priority claims the same suffix, or is the fallback for the same shape.
    """

    def declare(read: Read) -> Reader:
        about, shapes = " ".join((read.__doc__ or "").split()), (of,) if isinstance(of, str) else of
        declared = Reader(form, about, kinds, shapes, read, **attributes)
        priority, suffix = declared.priority, declared.suffix
        if not 0 <= priority <= 100:
            raise ParameterError(f"reader {form!r}: priority={priority!r}: a number from 0 to 100 is needed.")
        for other in READERS.values():
            if other.form == form or other.priority != priority or not {*other.kinds} & {*kinds}:
                continue
            if suffix and other.suffix == suffix:
                raise _ambiguous(ParameterError, f"files whose name ends in {suffix}", [other, declared])
            if declared.fallback and other.fallback and (shared := {*other.shapes} & {*shapes}):
                what = f"data of the shape {min(shared)!r} that no reader recognises"
                raise _ambiguous(ParameterError, what, [other, declared])
        READERS[form] = declared
        return declared

    return declare


def _ambiguous(error: type[ParameterError | InputError], what: str, claimants: list[Reader]) -> Exception:
    forms = " and ".join(repr(claimant.form) for claimant in claimants)
    problem = f"More than one reader of priority {claimants[0].priority} takes {what}: {forms}"
    return error(f"{problem}. Give one of them another priority.")


@cache
def _import_all() -> None:
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


def readers_of(kind: DataKind) -> list[Reader]:
    """The readers of a kind, for lists of forms: the fallbacks first, then by their forms."""
    _import_all()
    of_kind = [reader for reader in READERS.values() if kind in reader.kinds]
    return sorted(of_kind, key=lambda reader: (not reader.fallback, reader.form))


def shape_of(data: Any) -> Shape:
    """The shape of data, which decides which readers are asked."""
    if isinstance(data, (str, os.PathLike)):
        return "path"
    if hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__"):
        return "frame"
    if isinstance(data, Mapping):
        return "mapping"
    scalar = isinstance(data, (bytes, bytearray, memoryview)) or getattr(data, "ndim", 1) == 0
    return "list" if isinstance(data, Iterable) and not scalar else "object"


_LONGEST_NAME, _LONGEST_PART = 4096, 255  # of a path, on most systems


def _refuse_content(path: str | os.PathLike[str], layout: Layout) -> None:
    """InputError for a text that no file can have as its name, as the content of a run."""
    try:
        name = os.fspath(path)
        size = len(name.encode(errors="replace"))
    except (TypeError, AttributeError):  # __fspath__ returns bytes or no path at all
        raise InputError(f"a path of type {type(path).__name__} is not text, as paths must be.") from None
    if ("\n" in name or "\r" in name) and not os.path.exists(name):
        content = f"this looks like the content of {'a run' if layout.kind == 'run' else layout.kind}"
        raise InputError(f"{layout.kind} {shown(name)}: {content}; write it to a file, or pass rows.")
    if size > _LONGEST_NAME or max(map(len, name.split(os.sep))) > _LONGEST_PART:
        raise InputError(f"{layout.kind} {shown(name)}: a name of {size} bytes is too long for a file.")


def reader_of(data: Any, layout: Layout) -> Reader:
    """The reader for the data; InputError where there is none or are two."""
    shape = shape_of(data)
    if shape == "path":
        _refuse_content(data, layout)
    shapes = {shape} if shape == "path" or type(data).__module__ == "builtins" else {shape, "object"}
    recognisable = File(data, layout.reading) if shape == "path" else data
    of_shape = (each for each in readers_of(layout.kind) if not shapes.isdisjoint(each.shapes))
    asked = sorted(of_shape, key=lambda reader: -reader.priority)
    if isinstance(recognisable, File) and os.path.isfile(recognisable.path):
        for reader in asked:
            if reader.suffix and recognisable.name.endswith(reader.suffix):
                return reader
    for _, equals in groupby(asked, key=lambda reader: reader.priority):
        claimants = [reader for reader in equals if reader.recognises and reader.recognises(recognisable)]
        if len(claimants) > 1:
            raise _ambiguous(InputError, claimants[0].source(data, layout), claimants)
        if claimants:
            return claimants[0]
    if fallback := next((reader for reader in asked if reader.fallback), None):
        return fallback
    # The usual forms, and those of readers that are declared outside this package.
    of_kind = ((each, each.read.__module__.startswith("ir_trunc.")) for each in readers_of(layout.kind))
    forms = "; ".join(each.form_of(layout) for each, ours in of_kind if each.fallback or not ours)
    needed = f"one of these is needed: {forms}; or another form of the page 'Your data'"
    raise InputError(f"{layout.kind} of type {type(data).__name__}: {needed}.")


@dataclass(frozen=True)
class Data:
    """Data with the reader for them."""

    value: Any
    layout: Layout
    reader: Reader
    iterator: str = ""  # the type of the iterator that the data come from, if they do

    @property
    def source(self) -> str:
        return self.reader.source(self.value, self.layout)

    def rows(self) -> Iterator[Rows]:
        """The rows, in pieces of whole topics; if one is not contiguous, all rows at last."""
        seen, count = set[str](), 0
        for piece in self.reader.pieces(self.value, self.layout):
            topics = piece.topics.dictionary.to_pylist()
            if not seen.isdisjoint(topics):
                yield replace(self.all_rows(), starts_over=True)
                return
            seen.update(topics)
            count += len(piece)
            yield from piece.parts()
        self._refuse_exhausted(count)

    def all_rows(self) -> Rows:
        """All rows at once."""
        rows = Rows.concat(list(self.reader.pieces(self.value, self.layout)))
        self._refuse_exhausted(len(rows))
        return rows

    def _refuse_exhausted(self, count: int) -> None:
        if self.iterator and not count:
            remedy = "An iterator can be read only once: give a list, or make a new one."
            raise InputError(f"{self.layout.kind} ({self.iterator}): it yields nothing. {remedy}")


def recognised(data: Any, layout: Layout) -> Data:
    """Data with their reader; what an iterator yields is kept in a list."""
    iterator = hasattr(data, "__next__") and not hasattr(data, "__arrow_c_stream__")
    if type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars"):
        data = data.collect()
    value = list(data) if iterator else data
    name = type(data).__name__ if hasattr(data, "__next__") else ""
    return Data(value, layout, reader_of(value, layout), name)


def read_rows(data: Any, layout: Layout) -> Rows:
    """All rows of data."""
    return recognised(data, layout).all_rows()
