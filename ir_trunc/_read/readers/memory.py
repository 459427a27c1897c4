"""Data in memory: dicts, lists and frames."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, repeat
from numbers import Real
from operator import attrgetter
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, option, shown
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import id_column, number_column, numeric, one_id, pa, pc, whole_numbers
from ir_trunc._read.reading import DEFAULT, HowRead, Layout
from ir_trunc._read.registry import Compiled, Data, Table, reader
from ir_trunc._read.rows import PART, Rows, Samples, encoded, report_direction
from ir_trunc._read.tables import FIELDS_IN, NUMBERS, OPTIONAL, SIGNS, columns_of, field_of_columns
from ir_trunc._read.text import number_of

_DICTS = (dict, defaultdict)  # other mappings may compute their values
_LISTS = (list, tuple, set, frozenset)
# Keys of a search engine's response, which may begin with a number.
_RESPONSE = {"hits", "_shards", "error", "data", "results"}


def first_item(data: Any) -> Any:
    """The first item of a list or tuple; None where it is empty or something else."""
    return data[0] if isinstance(data, (list, tuple)) and data else None


def value_at(record: Any, path: Any) -> Any:
    """The value at a path of keys, attributes and places, or of a key with dots; None where there is none."""
    value = value_in(record, path)
    if value is not None or not isinstance(path, str) or "." not in path:
        return value
    name, _, rest = path.partition(".")
    return value_at(value_in(record, name), rest)


def value_in(record: Any, name: Any) -> Any:
    """The value of a key, of an attribute or at a place in a list; None where there is none."""
    if type(record) is dict or isinstance(record, Mapping):
        return record.get(name)
    if isinstance(record, (list, tuple)) and str(name).isdigit():
        return record[int(name)] if int(name) < len(record) else None
    # Arrays are no records, and `data` of one is another thing; a row of a frame or of an array is one.
    is_array = hasattr(record, "__array__") and not hasattr(record, "keys") and getattr(record, "ndim", 1) > 0
    return None if is_array else getattr(record, str(name), None)


def has_name(record: Any, path: str) -> bool:
    """Whether a record has a key or an attribute, with or without a value."""
    return path in record if isinstance(record, Mapping) else hasattr(record, str(path))


@reader(
    "what ir_trunc.read_run returns",
    recognises=lambda data: isinstance(data, Rows),
    columns=True,
    shapes="object",
    kinds="run",
)
def run_object(data: Any, layout: Layout) -> Iterator[Rows]:
    """What `truncate` returns, and what `with_terminal` holds, too: read as it was, with the same options."""
    wanted, rows = layout.reading, data
    for name in HowRead.__annotations__:
        value, known, default = (getattr(each, name) for each in (wanted, data.given, DEFAULT))
        if value in (default, known) or (name == "columns" and not wanted.names.needed):
            continue
        if name in ("columns", "stop") or known != default:
            raise InputError(f"{data.source}: this run was read before; read_run takes {name}= there.")
        changed = replace(rows.reading, **{name: value})
        if name == "lower_is_better":
            rows = rows.read(changed)
        by_rank = value == "rank" and rows.unscored is not None and rows.unscored.all()
        ranks = (1 - rows.values).astype(np.int64) if by_rank else rows.ranks
        rows = replace(rows, reading=changed, ranks=ranks)
    yield replace(rows, reading=replace(rows.reading, over_ties=wanted.over_ties))


def _are_dicts(data: Mapping[Any, Any]) -> bool:
    """Whether topics have dicts of numbers, or ids by rank or, in qrels, in sets."""
    kinds = {*map(type, data.values())}
    if kinds <= {*_DICTS}:
        docs: Mapping[Any, Any] = next(filter(None, data.values()), {})
        return isinstance(next(iter(docs.values()), None), (float, int, Real)) and _RESPONSE.isdisjoint(docs)
    return kinds <= {*_LISTS} and {*map(type, map(next, map(iter, filter(None, data.values()))))} == {str}


def _dicts_to_kernel(lists: Any, run: Data) -> Samples | None:
    plain = type(run.value) in _DICTS and run.layout.reading.order != "rank"
    return () if plain and kernel.dicts(lists, run.value, np.float64) else None


@reader(
    "{topic: {document: <value>}} or {topic: [document, ...]}",
    recognises=_are_dicts,
    called="dict",
    ordered=False,
    compiled=Compiled(
        _dicts_to_kernel,
        lambda qrels, seed: kernel.qrels_of_dicts(qrels.value, seed) if type(qrels.value) in _DICTS else None,
    ),
    shapes="mapping",
    kinds="run qrels depths",
)
def dicts(data: Mapping[Any, Any], layout: Layout) -> Iterator[Rows]:
    """The form of pytrec_eval and ir-measures.

    A run may have lists by rank, without scores, or one answer as text; silence is the empty list. Qrels may
    be lists or sets of relevant documents, each of relevance 1; others are unjudged. Topics and documents are
    text or whole numbers.
    """
    topics = id_column(list(data), layout.source, "query_id", map(shown, data), layout.reading.nesting)
    each_once = len(pc.unique(topics)) == len(data)  # 1 and "1" are one topic
    without_values = layout.kind == "run" or not any(map(isinstance, data.values(), repeat(Mapping)))
    sizes = [len(docs) if isinstance(docs, (Mapping, *_LISTS)) else 1 for docs in data.values()]
    cuts = list[int]()
    if each_once and sum(sizes) >= PART:
        cuts = (np.flatnonzero(np.diff(np.cumsum(sizes) // PART)) + 1).tolist()
    items = iter(data.items())
    for start, stop in pairwise([0, *cuts, len(data)]):
        part = topics.slice(start, stop - start)
        rows = _rows_of_dict(dict(islice(items, stop - start)), part, layout, without_values)
        yield replace(rows, universe=tuple(part.to_pylist()))


def _rows_of_dict(data: Mapping[Any, Any], topic_ids: pa.Array, layout: Layout, without_values: bool) -> Rows:
    """without_values: whether topics may have ids alone."""
    source, names = layout.source, encoded(topic_ids)
    listed, lengths, ids, values = list[bool](), list[int](), list[Any](), list[Any]()
    for topic, docs in data.items():
        listed.append(not isinstance(docs, Mapping))
        if not listed[-1]:
            values += docs.values()
        else:  # in lists by rank, the values are places
            docs = _ids(docs, f"{source}, topic {topic}", layout, without_values)
            values += map(float, range(0, -len(docs), -1)) if layout.kind == "run" else [1] * len(docs)
        lengths.append(len(docs))
        ids += docs
    codes = np.arange(len(data)).repeat(lengths)
    topics = pa.DictionaryArray.from_arrays(names.indices.take(numeric(codes)), names.dictionary)
    items = ids if layout.item == "doc_id" else whole_numbers(ids)
    docs = id_column(items, source, layout.item, topics, blank=layout.answers)
    numbers = number_column(values, layout.value, layout.value_type, source, (topics, docs), layout.levels)
    rows, reading = Rows.of(source, topics, docs, numbers), layout.reading
    if layout.kind != "run":
        return rows
    if reading.stop is not None:
        what = f"a dict has no second column, in which {option('stop', reading.stop)} could be"
        raise InputError(f"{source}: {what}.")
    unscored = np.repeat(listed, lengths)
    if reading.order == "rank" and not unscored.all():
        place = f"{source}, topic {rows.topics[int(unscored.argmin())]}: {option('order', 'rank')}"
        raise InputError(f"{place} needs a list by rank, [document, ...], not scores.")
    ranks = (1 - rows.values).astype(np.int64) if reading.order == "rank" else None
    return rows.read(reading, ranks=ranks, unscored=unscored if unscored.any() else None)


def _ids(docs: Any, place: str, layout: Layout, without_values: bool) -> Any:
    """The ids of a topic without values; of a run one answer or answers by rank, where "" is silence."""
    of_run = layout.kind == "run"
    if of_run and isinstance(docs, str):
        docs = [docs] if docs else []
    if not without_values or not isinstance(docs, (list, tuple) if of_run else _LISTS):
        raise InputError(f"{place}: {{document: {layout.value}}} is needed, not {type(docs).__name__}.")
    if not set(map(type, docs)) <= {str, int}:
        for doc in docs:
            one_id(doc, "doc_id", place)
    if of_run and len(set(docs)) < len(docs):
        again = Counter(docs).most_common(1)[0][0]
        if layout.reading.duplicates == "error":
            what = f"it is in the list twice; {option('duplicates', 'first')} keeps its first place"
            raise InputError(f"{place}, document {again}: {what}.")
        return [*dict.fromkeys(docs)]  # the first row of a document is also its best
    return docs


def _kernel_items(data: Data) -> list[Any]:
    """The tuples, their type, the number of their fields, and the places of those that are read.

    Empty where the kernel cannot read them, because attributes may differ from fields.
    """
    items = list(data.value) if type(data.value) is tuple else data.value
    if type(items) is not list or not items or data.layout.reading.order == "rank":
        return []
    kind, fields = type(items[0]), ("query_id", "doc_id", data.layout.value)
    if kind is tuple:
        return [items, kind, len(fields), *range(len(fields))]
    plain = issubclass(kind, tuple) and kind.__getattribute__ is tuple.__getattribute__
    keys = () if data.layout.reading.nesting is None else data.layout.reading.nesting.names
    others, own = (*SIGNS, *OPTIONAL["run"], *keys), getattr(kind, "_fields", ())
    plain &= {*fields} <= {*own} and not kind.__dictoffset__
    plain &= all(type(getattr(kind, name, None)).__name__ == "_tuplegetter" for name in fields)
    if not plain or any(hasattr(kind, name) for name in others):
        return []
    return [items, kind, len(own), *map(own.index, fields)]


def _tuples_to_kernel(lists: Any, run: Data) -> Samples | None:
    arguments = _kernel_items(run)
    if not arguments or not kernel.tuples(lists, *arguments, np.float64):
        return None
    items, _, _, topic, _, score = arguments
    report_direction(run.layout, run.source, len(items), lambda n: items[n][topic], lambda n: items[n][score])
    return ()


_COMPILED = Compiled(
    _tuples_to_kernel,
    lambda qrels, seed: kernel.qrels_of_tuples(*items, seed) if (items := _kernel_items(qrels)) else None,
)


@reader(
    "named tuples with <columns>",
    recognises=lambda data: hasattr(item := first_item(data), "query_id") and not isinstance(item, Mapping),
    columns=True,
    called="named tuples",
    compiled=_COMPILED,
    shapes="list",
    kinds="run qrels answers depths",
)
def named_tuples(data: Iterable[Any], layout: Layout) -> Table:
    """As ir-measures and ir_datasets have them; rows of `DataFrame.itertuples()`, too.

    They are ScoredDoc(query_id, doc_id, score) and Qrel(query_id, doc_id, relevance). An iterator is read
    once.
    """
    items = data if isinstance(data, list) else [*data]
    keys = layout.reading.nesting
    named = [*map(str, layout.reading.names.values()), *(keys.names if keys else ())]
    known = FIELDS_IN[layout.kind]
    present = [name for name in dict.fromkeys([*known, *named]) if items and _has(items[0], name)]
    # An object may have more attributes than a row: the usual name of a field is read, or else others.
    names = [name for name in present if name in named or known[name] not in {*present} - {name}]
    field_of = field_of_columns(names, layout, layout.source) if names else {}
    signs = [name for name, field in field_of.items() if field in SIGNS and field not in layout.columns]
    needed = [name for name in field_of if name not in signs] or [*layout.columns, *named]
    try:
        columns = {name: list(map(attrgetter(name), items)) for name in needed}
    except AttributeError as error:
        what = f"every item needs the fields {', '.join(needed)}; {error}"
        if hasattr(data, "ndim"):
            what = "an array has no ids; Rankings.from_arrays(scores, labels) makes lists of two matrices"
        raise InputError(f"{layout.source}: {what}.") from None
    sampled = {name: [getattr(item, name, None) for item in items] for name in signs}
    return Table(layout.source, columns | sampled)


def _has(item: Any, name: str) -> bool:
    """Whether an object has an attribute, whose name may have dots."""
    try:
        attrgetter(name)(item)
    except AttributeError:
        return False
    return True


_FIELDS = (str, Real, type(None))  # the types that a field may have


def _are_tuples(data: Any) -> bool:
    """Whether the first items are rows: a list of topics may stand before the results of a search."""
    row = first_item(data)
    if type(data) is list and type(row) is list:
        return len(row) > 0 and not isinstance(row[0], Mapping)
    if type(data) is list or type(row) not in (tuple, list):
        return type(row) is tuple
    return all(type(row) in (tuple, list) and all(isinstance(v, _FIELDS) for v in row) for row in data[:2])


@reader(
    "a list of tuples (topic, document, <value>)",
    recognises=_are_tuples,
    called="tuples",
    compiled=_COMPILED,
    shapes="list",
    kinds="run qrels depths",
)
def plain_tuples(data: Sequence[Any], layout: Layout) -> Table:
    """One tuple or list of three for each document, in this order."""
    names = ("query_id", layout.item, layout.value)
    for number, row in enumerate(data):
        if not isinstance(row, (tuple, list)) or len(row) != len(names):
            raise InputError(f"{layout.source}, row {number}: {shown(row)}: ({', '.join(names)}) is needed.")
    return Table(layout.source, {name: [row[place] for row in data] for place, name in enumerate(names)})


@reader(
    "a list of dicts with <columns>",
    recognises=lambda data: isinstance(first_item(data), Mapping),
    columns=True,
    called="records",
    shapes="list",
    kinds="run qrels answers depths",
)
def records(data: Sequence[Any], layout: Layout) -> Table:
    """One dict for each document, with the names that the columns of frames have.

    An example is [{"query_id": "1", "doc_id": "a", "score": 0.5}].
    """
    names: dict[Any, None] = {}
    for number, record in enumerate(data, layout.first_row):
        if not isinstance(record, Mapping):
            raise InputError(f"{layout.source}, row {number}: a dict is needed, not {type(record).__name__}.")
        names.update(dict.fromkeys(record))
    keys = layout.reading.nesting
    field_of = {**FIELDS_IN[layout.kind], **{name: field for field, name in layout.reading.names.items()}}
    field_of |= dict.fromkeys(keys.names if keys else (), "query_id")
    values = {name: [record.get(name) for record in data] if name in field_of else [] for name in names}
    for name in names:
        if field_of.get(name) in NUMBERS and isinstance(first_item(values[name]), str):
            values[name] = list(map(number_of, values[name]))
    return Table(layout.source, values)


def _is_frame_of_rows(data: Any) -> bool:
    fields = map(FIELDS_IN["run"].get, data.columns) if hasattr(data, "itertuples") else ()
    return {"query_id", "doc_id"} <= {*fields}


def _objects_to_kernel(lists: Any, run: Data) -> Samples | None:
    """The rows of a frame of pandas whose ids are Python objects, which Arrow would copy first."""
    frame, layout = run.value, run.layout
    names = list(frame.columns) if hasattr(frame, "itertuples") else []
    if layout.reading.order == "rank" or layout.reading.keys or not {*SIGNS}.isdisjoint(names):
        return None
    try:
        fields = columns_of(names, layout, run.source)
    except InputError:  # the reader says what is wrong
        return None
    columns = [frame[name] for name in fields.values()]
    of_objects = all(str(getattr(column, "dtype", "")) == "object" for column in columns[:2])
    if [*fields] != ["query_id", "doc_id", layout.value] or not of_objects:
        return None
    topics, docs, scores = (column.to_numpy() for column in columns)
    if scores.dtype.kind not in "fiu" or scores.dtype.itemsize > 8:
        return None
    scores = np.ascontiguousarray(scores, np.float64)
    if not kernel.objects(lists, topics.tolist(), docs.tolist(), scores):
        return None
    report_direction(layout, run.source, len(topics), topics.__getitem__, scores.__getitem__)
    return ()


@reader(
    "a frame (pandas, polars, pyarrow, DuckDB) with the columns <columns>",
    recognises=_is_frame_of_rows,
    columns=True,
    compiled=Compiled(_objects_to_kernel, lambda qrels, seed: None),
    shapes="frame",
    kinds="run qrels answers topics depths",
)
def frame(data: Any, layout: Layout) -> Table:
    """The columns are called query_id or qid, doc_id or docno, and score or relevance (label).

    The class of an answer is called iteration. A run may have cost and shown, too, and rank in the place of
    scores.
    """
    return Table(layout.source, data)
