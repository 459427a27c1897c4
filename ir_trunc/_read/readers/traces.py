"""Traces: the lists that retrieval spans of OpenInference and OpenTelemetry record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from ir_trunc._core.errors import InputError, option, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.universe import Keys
from ir_trunc._read.arrow import is_missing, one_id
from ir_trunc._read.readers.nested import Doc, Fields, Form, documents_of, rows_of_lists
from ir_trunc._read.reading import RANK, SEARCH, Columns, Layout
from ir_trunc._read.registry import File, reader, shape_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import records_of_frame
from ir_trunc._read.text import json_items, read_json

# The names of a span's values in one level are those of the columns of Phoenix's frames.
_DOCUMENT = pattern(r"attributes\.(?:gen_ai\.)?retrieval\.documents(?:\.([0-9]{1,9})(?:\.(.+))?)?")
_QUERIES = ("input.value", "gen_ai.retrieval.query.text")
_TIME_ZONE = pattern(r"(Z|[+-][0-9]{2}:?[0-9]{2})$")
_KINDS = ("openinference.span.kind", "span_kind", "gen_ai.operation.name")
_SPAN_ID, _TRACE_ID = "context.span_id", "context.trace_id"
_POSITION = "document_position"  # from 0 on, as Phoenix's annotations of documents call it
_PREFIXES = ("", "attributes.", "context.")  # which names may lack

_COLUMNS = ("attributes.openinference.", "attributes.retrieval.", "attributes.gen_ai")  # of a frame of spans

_KEYS = Keys(("question", SEARCH), ", search ")  # of the lists of spans, which are then joined by question

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
    names = getattr(data, "column_names", getattr(data, "columns", ())) if shape_of(data) == "frame" else ()
    return any(isinstance(name, str) and name.startswith(_COLUMNS) for name in names)


@reader(
    "spans of OpenInference or OpenTelemetry: JSON, JSON lines, OTLP's JSON, in memory, or Phoenix's frame",
    recognises=_are_spans,
    columns=True,
    called="spans",
    shapes="path mapping list frame",
    kinds="run",
)
def spans(data: Any, layout: Layout) -> Iterable[Rows]:
    """A list for each retrieval span; other spans are not read.

    A retrieval span is of OpenInference's kind RETRIEVER or of OpenTelemetry's operation retrieval, or has
    retrieval.documents or gen_ai.retrieval.documents. The topic is the question at the root of its trace, so
    that rephrased searches belong to one question: searches= says what its list is, by default their union.
    Searches are ordered by their start. columns={"query_id": "input.value"} takes the query of the span
    itself, "context.span_id" makes each span a topic, and any attribute of it or of a span around it can be
    named so. Lists without scores are in the order of the span; a span without documents is an empty list.
    Of retrieval spans inside of each other, the outermost one that records documents is read.
    """
    source, shape = layout.source, shape_of(data)
    if shape == "frame":
        return _lists(map(_flat, records_of_frame(data, source)), layout)
    items = json_items(data, source) if shape == "path" else data
    return _lists(map(_flat, _one_by_one([items] if shape == "mapping" else items, source)), layout)


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
            scopes = [scope for resource in span[_OTLP] for scope in resource["scopeSpans"]]
            for one in chain.from_iterable(scope["spans"] for scope in scopes):
                yield {
                    "context": {"span_id": one["spanId"], "trace_id": one.get("traceId")},
                    "attributes": _of_otlp({"kvlistValue": {"values": one.get("attributes", ())}}),
                    "parent_id": one.get("parentSpanId"),
                    "start_time": one.get("startTimeUnixNano"),
                }
        except (AttributeError, LookupError, TypeError, ValueError):
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
    if not items and not is_missing(value):
        flat[name] = value
    return flat


def _first(values: Mapping[str, Any], names: Iterable[Any]) -> Any:
    """The value that has one of the names, with or without its prefix; None where none has."""
    keys = (f"{prefix}{name}" for name in names for prefix in _PREFIXES)
    return next((values[key] for key in keys if key in values), None)


class _Span(NamedTuple):
    """A span by what is read of it."""

    name: str  # its id as it was given, or its number
    parent: str  # ids without 0x, which not all exporters write
    trace: str
    start: str
    topic: Any  # what the span has for it
    kind: str
    documents: list[dict[str, Any]] | None  # as it records them; None for no record

    @classmethod
    def of(cls, values: dict[str, Any], number: int, queries: Iterable[Any], source: str) -> _Span:
        """The span that has these values. queries: names of its topic."""
        keys = _SPAN_ID, "parent_id", _TRACE_ID, "start_time"
        name, parent, trace, start = (str(values.get(key, "")) for key in keys)
        ids = name or str(number), parent.removeprefix("0x"), trace.removeprefix("0x")
        topic, kind = (_first(values, names) for names in (queries, _KINDS))
        kind = str("" if kind is None else kind) or "of no kind"
        documents = _documents(values, f"{source}, span {ids[0]}")
        return cls(*ids, _TIME_ZONE.sub("", start), topic, kind, documents)

    @property
    def is_retrieval(self) -> bool:
        return self.documents is not None or self.kind in ("RETRIEVER", "retrieval")


def _lists(flat_spans: Iterable[dict[str, Any]], layout: Layout) -> Iterable[Rows]:
    """The lists of retrieval spans; a warning reports what is not read and what is assumed."""
    source, columns = layout.source, layout.reading.names
    columns.check(columns.values(), ("query_id", "doc_id", "score", RANK), source)
    queries = columns.candidates("query_id", _QUERIES)
    in_document = {f: str(columns[f]).removeprefix("document.") for f in columns if f != "query_id"}
    names = Columns(in_document, columns.needed)
    fields = Fields(replace(layout, reading=replace(layout.reading, columns=names)), Form("spans", ()))
    spans = [_Span.of(values, number, queries, source) for number, values in enumerate(flat_spans)]
    by_id = {f"trace {span.trace}": span for span in spans if span.trace and not span.parent}
    by_id |= {span.name.removeprefix("0x"): span for span in spans}
    searches, notes = _searches(spans, by_id, source)
    # One question in two traces was perhaps asked of two systems; any other attribute may join traces.
    by_question = str(queries[0]).removeprefix("attributes.") in _QUERIES
    by_trace: dict[str, dict[str, list[tuple[_Span, list[Doc]]]]] = {}
    cut = 0
    for search in searches:
        place, around = f"{source}, span {search.name}", _around(search, by_id)
        topics = [span.topic for span in around if span.topic is not None]
        if not topics:
            what = f"it has no {' or '.join(map(str, queries))}, which would be its topic"
            raise InputError(f"{place}: {what}; {_each_span()}.")
        topic = one_id(topics[0 if "query_id" in columns.needed else -1], "query_id", place)
        cut += by_question and bool(around[-1].parent)
        listed = search, documents_of(search.documents or (), place, fields)
        by_trace.setdefault(topic, {}).setdefault(around[-1].name * by_question, []).append(listed)
    if cut:
        what = "retrieval spans of traces without their root, whose own query or that of a span around them"
        remedy = f"{option('columns', {'query_id': _TRACE_ID})} joins each trace"
        notes.append(f"{what} is the topic: {cut}; {remedy}")
    lists = dict[str, list[Doc]]()
    for topic, traces in by_trace.items():
        first, *others = traces.values()
        for each in others:
            ids, of_first = ([[doc for doc, *_ in docs] for _, docs in found] for found in (each, first))
            if ids != of_first:
                (span, _), (other, _) = each[0], first[0]
                apart = _each_span()
                if all(one.trace for one in spans) and span.trace != other.trace:
                    apart = f"{option('columns', {'query_id': _TRACE_ID})} makes each trace a topic"
                what = f"the query {shown(topic)} has other documents in span {other.name}"
                raise InputError(f"{source}, span {span.name}: {what}, and a topic has one list; {apart}.")
        lists |= {_KEYS.separator.join([topic, str(n)]): docs for n, (_, docs) in enumerate(first, 1)}
    repeated = sum(len(traces) - 1 for traces in by_trace.values())
    if repeated:
        what = "retrieval spans with the query and the documents of an earlier one, whose scores count"
        notes.append(f"{what}: {repeated}")
    if any(score is None for docs in lists.values() for _, score, *_ in docs):
        notes.append("the documents have no scores and are in the order of the spans")
    layout = replace(layout, reading=replace(layout.reading, keys=None))
    rows: Any = rows_of_lists(lists, layout, fields, ranked=True, notes=notes)
    return [replace(each, traced=True, reading=replace(each.reading, keys=_KEYS)) for each in rows]


def _each_span() -> str:
    return f"{option('columns', {'query_id': _SPAN_ID})} makes each span a topic"


def _around(span: _Span, by_id: Mapping[str, _Span]) -> list[_Span]:
    """A span and those around it, the root of its trace at last, also where others between are missing."""
    around = [span]
    while (parent := by_id.get(around[-1].parent)) and parent not in around:
        around.append(parent)
    root = by_id.get(f"trace {span.trace}") if around[-1].parent else None
    return around if root is None or root in around else [*around, root]


def _searches(spans: list[_Span], by_id: Mapping[str, _Span], source: str) -> tuple[list[_Span], list[str]]:
    """Retrieval spans, by time, of nested ones the outermost that records documents; notes on the others."""
    found = [span for span in spans if span.is_retrieval]
    nested = set[str]()
    for span in found:
        outer = [other for other in _around(span, by_id)[1:] if other.is_retrieval]
        inner_is_read = span.documents is not None and all(other.documents is None for other in outer)
        nested.update(other.name for other in (outer if inner_is_read or not outer else [span]))
    kept = [span for span in found if span.name not in nested]
    bare = sum(span.documents is None for span in kept)
    if bare == len(kept):
        others = Counter(span.kind for span in spans if not span.is_retrieval)
        kinds = ", ".join(f"{count} {kind}" for kind, count in others.items()) or "there is none"
        problem = "no retrieval span records documents" if kept else f"no span is a retrieval ({kinds})"
        needed = "spans with retrieval.documents or gen_ai.retrieval.documents are needed"
        raise InputError(f"{source}: {problem}; {needed}.")
    counts = {
        "nested retrieval spans, of which the outermost with documents is read": len(found) - len(kept),
        "retrieval spans without documents, which count as empty lists": bare and f"{bare} of {len(kept)}",
    }
    if all(span.start for span in kept):
        kept.sort(key=attrgetter("start"))
    return kept, [f"{what}: {count}" for what, count in counts.items() if count]


def _documents(span: dict[str, Any], place: str) -> list[dict[str, Any]] | None:
    """The documents that a span records, in their order; None where it records none, not even no document."""
    documents: dict[int, dict[str, Any]] = {}
    recorded = False
    for name, value in span.items():
        part = _DOCUMENT.fullmatch(name)
        if part is None:
            continue
        recorded = True
        if part[2]:
            position = int(part[1])
            documents.setdefault(position, {_POSITION: position})[part[2].removeprefix("document.")] = value
        elif part[1] or not isinstance(value, (list, tuple)) or value:
            needed = "documents with id and score are needed"
            raise InputError(f"{place}, {name.removeprefix('attributes.')}: {shown(value)}: {needed}.")
    missing = next((position for position in range(len(documents)) if position not in documents), None)
    if missing is not None:
        why = "a span keeps as many attributes as OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT says"
        raise InputError(f"{place}: document {missing} is missing, and later ones are there; {why}.")
    return [documents[position] for position in range(len(documents))] if recorded else None
