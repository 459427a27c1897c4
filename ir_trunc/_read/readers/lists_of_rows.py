"""Lists with an item for each document: named tuples, plain tuples, or dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.parameters import several
from ir_trunc._kernel import kernel
from ir_trunc._read.reading import MARK, RANK, Layout
from ir_trunc._read.registry import Compiled, Data, Table, first_item, reader
from ir_trunc._read.rows import Samples
from ir_trunc._read.tables import COST, SHOWN, looked_at, possible, wanted


def _have_names(data: Iterable[Any]) -> bool:
    first = first_item(data)
    return hasattr(first, "query_id") and not isinstance(first, Mapping)


def _run_to_kernel(lists: Any, run: Data) -> Samples | None:
    items = _items(run) if run.layout.reading.order != "rank" else None
    return () if items and kernel.tuples(lists, *items, np.float64) else None


def _qrels_by_kernel(data: Data, seed: int) -> Any:
    items = _items(data)
    return kernel.qrels_of_tuples(*items, seed) if items else None


def _items(data: Data) -> list[Any]:
    """The tuples, their type, how many fields they have, and where those that are read stand.

    An empty list where the kernel may not take them.
    """
    items = list(data.value) if type(data.value) is tuple else data.value
    if type(items) is not list or not items:
        return []
    kind, fields = type(items[0]), ("query_id", "doc_id", data.layout.value)
    places = [len(fields), *range(len(fields))] if kind is tuple else _places(kind, fields)
    return [items, kind, *places] if places else []


def _places(kind: type, fields: tuple[str, ...]) -> list[int]:
    """How many fields named tuples of this type have, and where those that are read stand.

    An empty list where their attributes may be something else.
    """
    plain = issubclass(kind, tuple) and kind.__getattribute__ is tuple.__getattribute__
    if not plain or kind.__dictoffset__ or any(hasattr(kind, name) for name in (RANK, MARK, COST, SHOWN)):
        return []
    getters: list[Any] = [getattr(kind, name, None) for name in fields]
    if any(type(getter).__name__ != "_tuplegetter" for getter in getters):
        return []
    return [len(getattr(kind, "_fields", ())), *(getter.__reduce__()[1][0] for getter in getters)]


_COMPILED = Compiled(_run_to_kernel, _qrels_by_kernel)


@reader(
    "named tuples with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=_have_names,
    usual=True,
    columns=True,
    called="named tuples",
    compiled=_COMPILED,
)
def named_tuples(data: Iterable[Any], layout: Layout) -> Table:
    """As ir-measures and ir_datasets have them; rows of `DataFrame.itertuples()`, too.

    They are ScoredDoc(query_id, doc_id, score) and Qrel(query_id, doc_id, relevance). An iterator is read
    once.
    """
    return table_of(data, layout, layout.source)


def table_of(data: Iterable[Any], layout: Layout, source: str) -> Table:
    """The attributes of items as columns."""
    items = data if isinstance(data, list) else several(layout.kind, data, "named tuples")
    called = {field: field for field in possible(layout)}
    for field in layout.reading.names:
        if field in called:
            called[field] = _called(field, items, layout)
    fields = wanted(layout, lambda field: hasattr(items[0], called[field])) if items else layout.columns
    names = [called[field] for field in fields]
    try:
        columns = {name: list(map(attrgetter(name), items)) for name in names}
    except AttributeError as error:
        raise InputError(f"{source}: every item needs the fields {', '.join(names)}; {error}.") from None
    if items:
        seen = {
            called[field]: [getattr(item, called[field], None) for item in items]
            for field in looked_at(layout)
        }
        columns = {**seen, **columns}
    return Table(source, columns)


def _called(field: str, items: list[Any], layout: Layout) -> str:
    """The attribute that has a field."""
    names = [str(name) for name in layout.reading.names.candidates(field, (field,))]
    return next((name for name in names if not items or hasattr(items[0], name)), names[0])


@reader(
    "a list of tuples (topic, document, <value>)",
    "run",
    "qrels",
    of="list",
    recognises=lambda data: type(first_item(data)) in (tuple, list),
    called="tuples",
    compiled=_COMPILED,
)
def plain_tuples(data: Sequence[Any], layout: Layout) -> Table:
    """One tuple or list of three for each document, in this order."""
    names = ("query_id", "doc_id", layout.value)
    for at, row in enumerate(data):
        if not isinstance(row, (tuple, list)) or len(row) != len(names):
            raise InputError(f"{layout.source}, row {at}: {shown(row)}: ({', '.join(names)}) is needed.")
    return Table(layout.source, {name: [row[at] for row in data] for at, name in enumerate(names)})


@reader(
    "a list of dicts with <columns>",
    "run",
    "qrels",
    "answers",
    of="list",
    recognises=lambda data: isinstance(first_item(data), Mapping),
    columns=True,
    called="records",
)
def records(data: Sequence[Any], layout: Layout) -> Table:
    """One dict for each document, with the names that the columns of frames have.

    An example is [{"query_id": "1", "doc_id": "a", "score": 0.5}].
    """
    names: dict[Any, None] = {}
    for at, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise InputError(f"{layout.source}, row {at}: a dict is needed, not {type(record).__name__}.")
        names.update(dict.fromkeys(record))
    return Table(layout.source, {name: [record.get(name) for record in data] for name in names})
