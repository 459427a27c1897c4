"""Traces: the lists that retrieval spans of OpenInference and OpenTelemetry record."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.nested import rows_of_lists
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import json_content, read_json

# The names of a span's values in one level are those of the columns of Phoenix's frames.
_DOCUMENT = pattern(r"attributes\.(?:gen_ai\.)?retrieval\.documents(?:\.([0-9]{1,9})(?:\.(.+))?)?")
_QUERIES = ("input.value", "gen_ai.retrieval.query.text")
_KINDS = ("openinference.span.kind", "span_kind", "gen_ai.operation.name")
_RETRIEVALS = ("RETRIEVER", "retrieval")
_SPAN_ID = "context.span_id"
_POSITION = "document_position"  # from 0 on, as Phoenix's annotations of documents call it
_PREFIXES = ("", "attributes.", "context.", "document.")  # which names may lack
_BY_SPAN = f"columns={{'query_id': '{_SPAN_ID}'}} makes each span a topic"

_COLUMNS = ("attributes.openinference.", "attributes.retrieval.", "attributes.gen_ai")  # of a frame of spans

_OTLP = "resourceSpans"
_SPAN = pattern(rb'"resourceSpans"|"context"\s*:\s*\{[^{}]*"span_id"')


def _is_span(item: Any) -> bool:
    """Whether an item is a span: a dict, an object of the SDK, or spans in OTLP's JSON."""
    if isinstance(item, Mapping):
        context = item.get("context")
        return _OTLP in item or (isinstance(context, Mapping) and "span_id" in context)
    return all(hasattr(item, name) for name in ("to_json", "context", "attributes"))


def _are_spans(data: Any) -> bool:
    if isinstance(data, File):
        return data.start.startswith((b"{", b"[")) and _SPAN.search(data.start) is not None
    if isinstance(data, (list, tuple, Mapping)):
        return bool(data) and _is_span(data if isinstance(data, Mapping) else data[0])
    names = getattr(data, "column_names", getattr(data, "columns", ()))
    is_frame = any(hasattr(data, method) for method in ("itertuples", "to_dicts", "to_pylist"))
    return is_frame and any(isinstance(name, str) and name.startswith(_COLUMNS) for name in names)


@reader(
    "spans of OpenInference or OpenTelemetry: JSON, JSON lines, OTLP's JSON, in memory, or Phoenix's frame",
    "run",
    recognises=_are_spans,
    columns=True,
    called="spans",
)
def spans(data: Any, layout: Layout) -> Table | Iterable[Rows]:
    """A list for each retrieval span; other spans are not read, and a warning counts them.

    A retrieval span is of OpenInference's kind RETRIEVER or of OpenTelemetry's operation retrieval, or has
    retrieval.documents or gen_ai.retrieval.documents. The topic is the text of the query;
    columns={"query_id": "context.span_id"} makes each span a topic, and any attribute can be named so. Lists
    without scores are in the order of the span; a span without documents is an empty list. Of retrieval spans
    inside of each other, the outermost one that records documents is read.
    """
    source = layout.source
    if isinstance(data, (str, os.PathLike)):
        data = json_content(data, source)
    if isinstance(data, (list, tuple, Mapping)):
        each = _one_by_one([data] if isinstance(data, Mapping) else data, source)
    elif hasattr(data, "itertuples"):
        each = data.to_dict("records")
    else:  # of polars or pyarrow
        each = data.to_dicts() if hasattr(data, "to_dicts") else data.to_pylist()
    return _lists(map(_flat, each), layout)


def _one_by_one(items: Iterable[Any], source: str) -> Iterator[Mapping[str, Any]]:
    """Spans as dicts, which objects of the SDK write out and OTLP's JSON nests."""
    for number, item in enumerate(items):
        place = f"{source}, item {number}"
        if not _is_span(item):
            raise InputError(f"{place}: {shown(item)}: a span is needed, with context and attributes.")
        span = item if isinstance(item, Mapping) else read_json(item.to_json().encode(), place)
        if _OTLP not in span:
            yield span
            continue
        try:
            for scope in (scope for resource in span[_OTLP] for scope in resource["scopeSpans"]):
                for one in scope["spans"]:
                    attributes = {pair["key"]: _of_otlp(pair["value"]) for pair in one.get("attributes", ())}
                    ids = {"context": {"span_id": one["spanId"]}, "parent_id": one.get("parentSpanId")}
                    yield ids | {"attributes": attributes}
        except (AttributeError, KeyError, TypeError, ValueError):
            needed = "scopeSpans with spans that have spanId and attributes are needed, as in OTLP's JSON"
            raise InputError(f"{place}, {_OTLP}: {needed}.") from None


def _of_otlp(value: Mapping[str, Any]) -> Any:
    """A value of OTLP's JSON, which names its type: `{"stringValue": "a"}`."""
    ((kind, content),) = value.items()
    if kind == "kvlistValue":
        return {pair["key"]: _of_otlp(pair["value"]) for pair in content.get("values", ())}
    if kind == "arrayValue":
        return [_of_otlp(item) for item in content.get("values", ())]
    return int(content) if kind == "intValue" else content


def _flat(value: Any, name: str = "", into: dict[str, Any] | None = None) -> dict[str, Any]:
    """The values of a span by their names in one level, without missing ones; documents may be JSON text."""
    flat: dict[str, Any] = {} if into is None else into
    if isinstance(value, str) and name.endswith((".documents", ".metadata")):
        with suppress(InputError):  # a text that is no JSON stays a text
            value = read_json(value.encode(errors="replace"), name)
    items: Iterable[tuple[Any, Any]] = ()
    if not isinstance(value, (str, int, float)):  # which most values are
        value = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(value, Mapping):
            items = value.items()
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
            items = enumerate({} if item is None else item for item in value)
    for key, inner in items:
        _flat(inner, f"{name}.{key}" if name else str(key), flat)
    nan = isinstance(value, float) and value != value
    if not items and value is not None and not nan and type(value).__name__ not in ("NAType", "NaTType"):
        flat[name] = value
    return flat


def _first(values: Mapping[str, Any], names: Iterable[Any]) -> Any:
    """The value that has one of the names, with or without its prefix; None where none has."""
    keys = (f"{prefix}{name}" for name in names for prefix in _PREFIXES)
    return next((values[key] for key in keys if key in values), None)


def _lists(flat_spans: Iterable[dict[str, Any]], layout: Layout) -> Table | Iterable[Rows]:
    """The lists of retrieval spans; a warning reports what is not read and what is assumed."""
    source, columns = layout.source, layout.reading.names
    columns.check(columns.values(), ("query_id", "doc_id", "score"), source)
    queries = columns.candidates("query_id", _QUERIES)
    retrievals, notes = _retrievals(flat_spans, source)
    lists: dict[str, list[tuple[str, Any]]] = {}
    span_of: dict[str, str] = {}
    for span_id, values, documents in retrievals:
        place, query = f"{source}, span {span_id}", _first(values, queries)
        if query is None:
            what = f"it has no {' or '.join(map(str, queries))}, which would be its topic"
            raise InputError(f"{place}: {what}; {_BY_SPAN}.")
        topic = one_id(query, "query_id", place)
        scored = [_scored(doc, f"{place}, document {doc[_POSITION]}", layout) for doc in documents or ()]
        first = lists.setdefault(topic, scored)
        if [doc for doc, _ in first] != [doc for doc, _ in scored]:
            what = f"the query {shown(topic)} has other documents in span {span_of[topic]}"
            raise InputError(f"{place}: {what}, and a topic has one list; {_BY_SPAN}.")
        span_of.setdefault(topic, span_id)
    if repeated := len(retrievals) - len(lists):
        what = "retrieval spans with the query and the documents of an earlier one, whose scores count"
        notes.append(f"{what}: {repeated}")
    if any(score is None for docs in lists.values() for _, score in docs):
        notes.append("the documents have no scores and are in the order of the spans")
    return rows_of_lists(lists, layout, ranked=True, notes=notes)


class _Retrieval(NamedTuple):
    """A retrieval span: its id, its values, and the documents that it records, None where it records none."""

    span_id: str
    values: dict[str, Any]
    documents: list[dict[str, Any]] | None


def _retrievals(flat_spans: Iterable[dict[str, Any]], source: str) -> tuple[list[_Retrieval], list[str]]:
    """Retrieval spans, the outermost one of nested ones that records documents, and notes on the others."""
    each: list[_Retrieval] = []
    parents: dict[str, str] = {}
    others = Counter[str]()
    for number, values in enumerate(flat_spans):
        span_id = str(values.get(_SPAN_ID, number))
        parents[span_id] = str(values.get("parent_id"))
        documents = _documents(values, f"{source}, span {span_id}")
        kind = str(_first(values, _KINDS) or "of no kind")
        if documents is None and kind not in _RETRIEVALS:
            others[kind] += 1
        else:
            each.append(_Retrieval(span_id, values, documents))
    records = {retrieval.span_id: retrieval.documents is not None for retrieval in each}
    nested: set[str] = set()
    for span_id in records:
        around = [span_id]
        while (parent := parents[around[-1]]) in parents and parent not in around:
            around.append(parent)
        outer = [parent for parent in around[1:] if parent in records]
        inner_is_read = records[span_id] and not any(records[parent] for parent in outer)
        nested.update(outer if inner_is_read or not outer else [span_id])
    kept = [retrieval for retrieval in each if retrieval.span_id not in nested]
    bare = sum(retrieval.documents is None for retrieval in kept)
    kinds = ", ".join(f"{count} {kind}" for kind, count in others.items()) or "there is none"
    if bare == len(kept):
        problem = "no retrieval span records documents" if kept else f"no span is a retrieval ({kinds})"
        needed = "spans with retrieval.documents or gen_ai.retrieval.documents are needed"
        raise InputError(f"{source}: {problem}; {needed}.")
    counts = {
        "spans of other kinds, which are not read": others.total() and f"{others.total()} ({kinds})",
        "nested retrieval spans, of which the outermost with documents is read": len(each) - len(kept),
        "retrieval spans without documents, which count as empty lists": bare and f"{bare} of {len(kept)}",
    }
    return kept, [f"{what}: {count}" for what, count in counts.items() if count]


def _documents(span: dict[str, Any], place: str) -> list[dict[str, Any]] | None:
    """The documents that a span records, in their order; None where it records none, not even no document."""
    documents: dict[int, dict[str, Any]] = {}
    recorded = False
    for name, value in span.items():
        if (part := _DOCUMENT.fullmatch(name)) is None:
            continue
        recorded = True
        if part[2]:
            position = int(part[1])
            documents.setdefault(position, {_POSITION: position})[part[2]] = value
        elif part[1] or not isinstance(value, (list, tuple)) or value:
            needed = "documents with id and score are needed"
            raise InputError(f"{place}, {name.removeprefix('attributes.')}: {shown(value)}: {needed}.")
    for position in range(len(documents)):
        if position not in documents:
            why = "a span keeps as many attributes as OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT says"
            raise InputError(f"{place}: document {position} is missing, and later ones are there; {why}.")
    return [documents[position] for position in sorted(documents)] if recorded else None


def _scored(document: dict[str, Any], place: str, layout: Layout) -> tuple[str, Any]:
    """The id of a document, and its score, which may be missing."""
    columns = layout.reading.names
    doc = _first(document, columns.candidates("doc_id", ("id",)))
    if doc is None:
        names = [name.removeprefix("document.") for name in document]
        what = f"it has no {columns.get('doc_id', 'id')}; it has: {', '.join(names)}"
        raise InputError(f"{place}: {what}. columns={{'doc_id': {names[-1]!r}}} takes another value.")
    return one_id(doc, "doc_id", place), _first(document, columns.candidates("score", ("score",)))
