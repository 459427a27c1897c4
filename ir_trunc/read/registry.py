"""Readers of data, and the one place that asks what data are.

A reader is a function in a file of its own in `ir_trunc/read/readers`, declared by `@reader`: it says what it
recognises, and gives a `Table` or pieces of `Rows`. Runs, qrels, answers and topics, the errors that say what
would be right and the reference page all read the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from os import PathLike
from pkgutil import iter_modules
from typing import Any

from ir_trunc.core.errors import InputError
from ir_trunc.read import readers as package
from ir_trunc.read.layout import Kind, Layout
from ir_trunc.read.names import Columns
from ir_trunc.read.rows import Rows
from ir_trunc.read.tables import rows_of_table


@dataclass(frozen=True)
class Table:
    """Data in columns.

    source: what to call them in a message. columns: by name, as a mapping, a pandas frame or a pyarrow table.
    topics, levels: as `Rows` have them. named: fields whose columns the user named and the
    reader has taken already.
    """

    source: str
    columns: Any = None
    topics: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reader:
    """What a form of data is, how it is known and how it is read.

    form: what it looks like, for messages; `<columns>` and `<value>` stand for what is read. about: what is
    to be known of it, for the reference. kinds: what can have this form. recognises: whether data have it;
    iterators come as lists. last: whether it is asked only where no other reader recognises the data. read:
    the data as a table, or as pieces of rows. columns: whether its columns can be named by the user.
    recognises_named: whether data with columns of these names have it.
    """

    form: str
    about: str
    kinds: tuple[Kind, ...]
    recognises: Callable[[Any], bool]
    last: bool
    read: Callable[[Any, Layout], Table | Iterable[Rows]]
    columns: bool = False
    recognises_named: Callable[[Any, Columns], bool] = lambda data, names: False

    def form_of(self, layout: Layout) -> str:
        """What the form looks like in data of this layout."""
        return self.form.replace("<columns>", layout.named).replace("<value>", layout.value)

    def pieces(self, data: Any, layout: Layout) -> Iterator[Rows]:
        """The rows of data, in pieces that may be of any rows."""
        found, names = self.read(data, layout), layout.reading.names
        if names.needed and not self.columns:
            fields = ", ".join(field for field in names if field in names.needed)
            what = f"{layout.kind} of the form {self.form_of(layout)}: it has no columns"
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


registry: dict[str, Reader] = {}


def reader(
    form: str,
    *kinds: Kind,
    recognises: Callable[[Any], bool],
    last: bool = False,
    **columns: Any,
) -> Callable[[Callable[[Any, Layout], Table | Iterable[Rows]]], Reader]:
    """Declare a function as a reader; its docstring says what is to be known of the form."""

    def declare(read: Callable[[Any, Layout], Table | Iterable[Rows]]) -> Reader:
        about = " ".join((read.__doc__ or "").split())
        registry[form] = Reader(form, about, kinds, recognises, last, read, **columns)
        return registry[form]

    return declare


@cache
def _import_all() -> None:
    """Import every file of readers, once."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


def readers(kind: Kind) -> list[Reader]:
    """The readers of a kind, in the order in which they are asked."""
    _import_all()
    of_kind = [known for known in registry.values() if kind in known.kinds]
    return sorted(of_kind, key=lambda known: (known.last, known.form))


def reader_of(data: Any, layout: Layout, *others: str) -> Reader:
    """The reader that recognises the data; InputError with all forms that would be right where none does.

    others: forms that the caller takes beside those of the registry.
    """
    known, names = readers(layout.kind), layout.reading.names
    found = next(
        (known_ for known_ in known if known_.recognises(data) or known_.recognises_named(data, names)), None
    )
    if found is None:
        general_first = sorted(known, key=lambda reader: not reader.last)
        forms = "; ".join([*others, *(reader.form_of(layout) for reader in general_first)])
        raise InputError(f"{layout.kind} of type {type(data).__name__}: one of these is needed: {forms}.")
    return found


def rows(data: Any, layout: Layout) -> Iterator[Rows]:
    """The rows of data, some whole topics at a time.

    What is read in pieces is never in memory as a whole, unless the rows of a topic are found apart: then a
    last piece comes that starts over, with all rows.
    """
    given = held(data)
    found, seen, count = reader_of(given, layout), set[str](), 0
    for piece in found.pieces(given, layout):
        topics = piece.topics.dictionary.to_pylist()
        if not seen.isdisjoint(topics):
            yield replace(_together(found, given, layout), starts_over=True)
            return
        seen.update(topics)
        count += len(piece)
        yield from piece.parts()
    _refuse_the_exhausted(data, count, layout)


def whole(data: Any, layout: Layout) -> Rows:
    """All rows of data."""
    given = held(data)
    found = _together(reader_of(given, layout), given, layout)
    _refuse_the_exhausted(data, len(found), layout)
    return found


def held(data: Any) -> Any:
    """The data, or what an iterator yields."""
    stream = hasattr(data, "__next__") and not hasattr(data, "__arrow_c_stream__")
    return list(data) if stream else data


def _together(found: Reader, data: Any, layout: Layout) -> Rows:
    return Rows.concat(list(found.pieces(data, layout)))


def _refuse_the_exhausted(data: Any, count: int, layout: Layout) -> None:
    """InputError for an iterator that yields nothing: it was most likely read before."""
    if not count and hasattr(data, "__next__"):
        kind = f"{layout.kind} ({type(data).__name__})"
        raise InputError(
            f"{kind}: it yields nothing. An iterator can be read only once: give a list, or make a new one."
        )


def is_path(data: Any) -> bool:
    """Whether data are a path."""
    return isinstance(data, (str, PathLike))


def is_frame(data: Any) -> bool:
    """Whether data are a frame or a column of pandas, polars or another Arrow C stream."""
    return hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__")


def is_list(data: Any) -> bool:
    """Whether data are items one after the other, and none of the above."""
    return isinstance(data, Iterable) and not (
        is_path(data) or is_frame(data) or isinstance(data, (bytes, bytearray, memoryview, Mapping))
    )


def first_item(data: Any) -> Any:
    """The first item of a list; None where it has none or cannot be asked for it."""
    return data[0] if isinstance(data, (list, tuple)) and data else None


def first_listed(data: Any) -> Any:
    """The first item in {topic: [item, ...]}; None where data are something else or have none."""
    if not isinstance(data, Mapping):
        return None
    return next(
        (first_item(docs) for docs in data.values() if not isinstance(docs, Sized) or len(docs)), None
    )
