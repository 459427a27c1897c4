"""Spans of retrieval: every form gives the same run, and every mistake an error that names the span."""

import json

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from messages import check, complaint, refused
from spans import listed, openinference, otlp, span
from written import json_lines

from ir_trunc import InputError, IrTruncWarning, calc, read_qrels, read_run

LISTS = {"capital of France?": {"d1": 0.75, "d2": 0.5}, "nothing?": {}, "sky?": {"d3": 0.25}}
QRELS = {"capital of France?": {"d2": 1}, "nothing?": {}, "sky?": {"d1": 1}}
OTHERS = [{"openinference.span.kind": "CHAIN", "input.value": "sky?"}, {"openinference.span.kind": "LLM"}]

pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")


def without(attributes, *names):
    return {name: value for name, value in attributes.items() if not name.endswith(names)}


def nested(query, docs):
    documents = [{"document": {"id": doc, "score": score}} for doc, score in docs.items()]
    kind = {"openinference": {"span": {"kind": "RETRIEVER"}}}
    return kind | {"input": {"value": query}, "retrieval": {"documents": documents}}


def as_text(query, docs):
    attributes = listed(query, docs)
    return attributes | {"gen_ai.retrieval.documents": json.dumps(attributes["gen_ai.retrieval.documents"])}


FORMS = [openinference, nested, listed, as_text]


def spans_of(lists, form=openinference):
    each = [*OTHERS, *(form(query, docs) for query, docs in lists.items())]
    return [span(attributes, number) for number, attributes in enumerate(each)]


def phoenix(spans):
    """The columns of the frame of `phoenix.client.Client().spans.get_spans_dataframe()`."""
    rows = []
    for one in spans:
        kind = one["attributes"]["openinference.span.kind"]
        row = {"name": "x", "span_kind": kind, "context.span_id": one["context"]["span_id"]}
        row |= {"attributes.openinference.span.kind": kind, "attributes.retrieval.documents": None}
        row |= {"attributes.input.value": one["attributes"].get("input.value")}
        documents = {}
        for name, value in one["attributes"].items():
            if name.startswith("retrieval.documents."):
                _, _, place, key = name.split(".", 3)
                documents.setdefault(place, {})[key] = value
        rows.append(row | ({"attributes.retrieval.documents": [*documents.values()]} if documents else {}))
    return pd.DataFrame(rows, [row["context.span_id"] for row in rows])


SCORES = st.sampled_from([0.125, 0.25, 0.5, 0.75])
DOCS = st.dictionaries(st.sampled_from("abcdef"), SCORES, max_size=4)
RUNS = st.dictionaries(st.sampled_from(["one?", "two?", "3", "a\nb"]), DOCS, min_size=1)


@settings(max_examples=10)
@given(RUNS.filter(lambda run: any(run.values())), st.sampled_from(FORMS))
def test_every_form_is_the_same_run_as_a_dict(run, form):
    spans = spans_of(run, form)
    expected = calc("RBPT NumRet", {topic: {"a": 1} for topic in run}, run).values.tolist()
    data = [spans, tuple(spans), otlp(spans), [otlp(spans[:3]), otlp(spans[3:])]]
    if form is openinference:
        data += [frame := phoenix(spans), pa.Table.from_pandas(frame, preserve_index=False)]
    for each in data:
        assert calc("RBPT NumRet", {topic: {"a": 1} for topic in run}, each).values.tolist() == expected


def test_every_file_is_the_same_run(tmp_path):
    spans = spans_of(LISTS)
    files = {
        "lines.jsonl": json_lines(tmp_path / "lines.jsonl", spans),
        "ConsoleSpanExporter": json_lines(tmp_path / "console.json", spans, indent=4),
        "list.json": json_lines(tmp_path / "list.json", [spans]),
        "otlp.json": json_lines(tmp_path / "otlp.json", [otlp(spans)]),
        "collector.jsonl": json_lines(tmp_path / "collector.jsonl", [otlp(spans[:2]), otlp(spans[2:])]),
    }
    for name, path in files.items():
        assert calc("NumRet", QRELS, path).values.tolist() == [[2, 0, 1]], name
    one = json_lines(tmp_path / "one.jsonl", spans[2:3])
    assert read_run(one).to_dict() == {"capital of France?": LISTS["capital of France?"]}


def test_a_warning_counts_what_is_not_read_and_what_is_assumed():
    first = openinference("sky?", {"d3": 0.25})
    spans = [*spans_of(LISTS), span(first | {"retrieval.documents.0.document.score": 0.5}, 9)]
    with pytest.warns(IrTruncWarning) as caught:
        assert read_run(spans).to_dict()["sky?"] == {"d3": 0.25}
    assert [str(warning.message) for warning in caught] == [
        "run (spans): retrieval spans without documents, which count as empty lists: 1 of 4; retrieval spans"
        " with the query and the documents of an earlier one, whose scores count: 1."
    ]


@pytest.mark.filterwarnings("error")
def test_an_empty_list_that_is_recorded_needs_no_warning():
    empty = span(as_text("nothing?", {}))
    assert read_run([empty, span(as_text("sky?", {"d3": 0.25}))]).universe == ("nothing?", "sky?")


def test_one_query_with_two_lists_is_refused_unless_spans_are_topics():
    spans = [span(openinference("sky?", {doc: 0.5}), number) for number, doc in enumerate(["d1", "d2"])]
    check(
        complaint(lambda: read_run(spans)),
        "run (spans), span 0x0001: the query 'sky?' has other documents in span 0x0000",
        "columns={'query_id': 'context.span_id'} makes each span a topic",
    )
    two = [spans[0], span(openinference("sky?", {"d2": 0.5}), 2)]
    by_trace = "columns={'query_id': 'context.trace_id'} makes each trace a topic"
    check(complaint(lambda: read_run(two)), "run (spans), span 0x0002: the query 'sky?'", by_trace)
    columns = {"query_id": "context.trace_id"}
    assert read_run(two, columns=columns).to_dict() == {"0x0": {"d1": 0.5}, "0x1": {"d2": 0.5}}
    by_span = {"0x0000": {"d1": 0.5}, "0x0001": {"d2": 0.5}}
    for name in ("context.span_id", "span_id"):
        assert read_run(spans, columns={"query_id": name}).to_dict() == by_span
        assert read_run(phoenix(spans), columns={"query_id": name}).to_dict() == by_span


@pytest.mark.parametrize(("documents", "read"), [
    ([1, None], [1]),  # as LlamaIndex records a retriever: the inner span is a step
    ([1, 2], [1]),  # the steps of a fusion
    ([None, 2], [2]),
    ([None, None, 3], [3]),
    ([1, None, 3], [1]),
    ([None, 2, 3], [2]),
    ([None, 2, None], [2]),
])  # fmt: skip
@pytest.mark.parametrize("reverse", [False, True])  # inner spans end first
def test_of_nested_spans_the_outermost_with_documents_is_read(documents, read, reverse):
    spans, parent = [span(openinference("other", {"x": 0.5}), 9)], None
    for number, doc in enumerate(documents, 1):
        attributes = openinference("q", {} if doc is None else {f"d{doc}": 0.5})
        spans.append(span(attributes, number, parent_id=parent))
        spans.append(span({}, 10 + number, parent_id=f"0x{number:04x}"))
        parent = f"0x{10 + number:04x}"
    for data in (spans[::-1] if reverse else spans, otlp(spans)):
        not_read = len(documents) - len(read)
        with pytest.warns(IrTruncWarning, match=f"nested retrieval spans.* is read: {not_read}[.;]"):
            assert read_run(data).to_dict() == {"other": {"x": 0.5}, "q": {f"d{doc}": 0.5 for doc in read}}


def test_parents_in_a_circle_end():
    docs = {"a": 0.5}
    spans = [span(openinference("q", docs), number, parent_id=f"0x{1 - number:04x}") for number in (0, 1)]
    check(complaint(lambda: read_run(spans)), "no span is a retrieval")
    assert read_run([span(openinference("q", docs), parent_id="0x0000")]).to_dict() == {"q": docs}


def traced(trace, name, attributes, parent=None, second=0.0):
    context = {"trace_id": f"0x{trace:032x}", "span_id": name}
    return span(attributes, context=context, parent_id=parent, start_time=f"2026-01-01T00:00:{second:04.1f}Z")


ROOT = {"openinference.span.kind": "AGENT", "input.value": "who?", "session.id": "s"}
AGENT = [
    traced(1, "0xa", ROOT),
    traced(1, "0xc", openinference("who else", {"b": 0.9, "c": 0.1}), "0xa", 2.5),
    traced(1, "b", openinference("who was", {"a": 0.5, "b": 0.4}), "a", 2.0),
    traced(1, "0xd", openinference("who", {}), "0xlost", 3.0),
]


def test_the_searches_of_a_trace_are_one_list_for_the_question_at_its_root():
    union = {"a": 0.5, "b": 0.4, "c": 0.1}
    for spans in (AGENT, AGENT[::-1], otlp(AGENT)):
        with pytest.warns(IrTruncWarning, match="1 topic with several searches: each list is their union"):
            assert read_run(spans).to_dict() == {"who?": union}
        assert calc("RR NumRet", {"who?": {"c": 1}}, spans).values.tolist() == [[1 / 3], [3]]
    own = {"who was": {"a": 0.5, "b": 0.4}, "who else": {"b": 0.9, "c": 0.1}, "who": {}}
    assert read_run(AGENT, columns={"query_id": "input.value"}).to_dict() == own
    with pytest.warns(IrTruncWarning, match="traces without their root.*: 3; columns=.*context.trace_id"):
        assert read_run(AGENT[1:]).to_dict() == own
    searches = (traced(1, f"0x{n}", openinference("q", {n: int(n) / 9}), "0xa") for n in "12")
    rising = [traced(1, "0xa", ROOT), *searches]
    assert calc("RR", {"who?": {"1": 1}}, rising).values.tolist() == [[1.0]]


def test_ids_of_traces_match_with_0x_and_without():
    trace, columns = f"{1:032x}", {"query_id": "context.trace_id"}
    for spans in (AGENT, AGENT[1:], otlp(AGENT)):
        for topic in (trace, f"0x{trace}"):
            assert calc("RR", {topic: {"c": 1}}, spans, columns=columns).values.tolist() == [[1 / 3]]
    empty = [traced(1, "0xa", openinference("q", {})), traced(2, "0xb", openinference("q", {"a": 1.0}))]
    qrels = {trace: {"c": 1}, f"{2:032x}": {"a": 1}}
    assert calc("RBPT", qrels, empty, columns=columns, missing="error").values.tolist() == [[0, 1]]


def test_a_session_joins_its_traces_but_one_question_in_two_traces_is_refused():
    again = [traced(2, "0xe", ROOT), traced(2, "0xf", openinference("who", {"z": 1.0}), "0xe", 9)]
    check(complaint(lambda: read_run(AGENT + again)), "the query 'who?' has other documents in span b")
    in_session = read_run(AGENT + again, columns={"query_id": "session.id"}).to_dict()["s"]
    assert "".join(in_session) == "abcz"


def test_keys_that_no_span_has_are_an_error():
    asked = {("s", "1"): {"c": 1}}
    refused(InputError, "no topic of the run is in the qrels", calc, "RR", asked, AGENT, keys="session/turn")


def test_any_attribute_can_be_the_topic_the_document_or_the_score():
    attributes = openinference("sky?", {"d3": 0.25, "d1": 0.5}) | {"metadata": '{"qid": 7}'}
    columns = {"query_id": "metadata.qid", "doc_id": "metadata.page"}
    assert read_run([span(attributes)], columns=columns).to_dict() == {"7": {"0": 0.25, "1": 0.5}}
    columns |= {"score": "metadata.page", "doc_id": "document.id"}
    assert read_run([span(attributes)], columns=columns).to_dict() == {"7": {"d3": 0.0, "d1": 1.0}}
    check(complaint(lambda: read_run([span(attributes)], columns={"cost": "tokens"})), "no field cost")


def test_annotations_of_documents_are_judgments_of_the_same_places():
    marks = {"span_id": ["0x0002", "0x0002"], "document_position": [0, 1], "label": ["no", "yes"]}
    annotations = pd.DataFrame(marks | {"score": [0.0, 1.0]})
    columns = {"query_id": "span_id", "doc_id": "document_position", "relevance": "score"}
    assert read_qrels(annotations, columns=columns).to_dict() == {"0x0002": {"0": 0, "1": 1}}
    for spans in (spans_of(LISTS), phoenix(spans_of(LISTS))):
        assert calc("RR", annotations, spans, columns=columns).values.tolist() == [[0.5]]


def test_lists_without_scores_are_in_the_order_of_the_span():
    attributes = without(openinference("q", {"b": 0, "c": 0, "a": 0}), ".score")
    for order in ("score", "file", "rank"):
        with pytest.warns(IrTruncWarning, match="no scores and are in the order of the spans"):
            assert calc("RR", {"q": {"c": 1}}, [span(attributes)], order=order).values.tolist() == [[0.5]]
    mixed = [span(attributes), span(openinference("other", {"a": 0.5}), 1)]
    place = "run (spans), topic q, search 1, document b"
    check(complaint(lambda: read_run(mixed)), f"{place}: it has no score", "order='file' takes the documents")
    assert calc("RR", {"other": {"a": 1}, "q": {"c": 1}}, mixed, order="file").values.tolist() == [[1, 0.5]]


@pytest.mark.filterwarnings("always::ir_trunc.IrTruncWarning")
def test_what_is_assumed_is_told_once():
    unscored = span(without(openinference("q", {"b": 0, "c": 0}), ".score"))
    with pytest.warns(IrTruncWarning) as told:
        calc("RR", {"q": {"c": 1}}, [unscored])
    assert sum("the documents have no scores" in str(each.message) for each in told) == 1


def test_distances_are_noticed():
    spans = [span(openinference("q", {"near": 0.1, "far": 0.9}))]
    with pytest.warns(IrTruncWarning, match="ranks run against the scores.*lower_is_better=True"):
        calc("RR", {"q": {"near": 1}}, spans)
    assert calc("RR", {"q": {"near": 1}}, spans, lower_is_better=True).values.tolist() == [[1]]
    assert calc("RR", {"q": {"near": 1}}, spans, order="rank").values.tolist() == [[1]]


TWO = openinference("q", {"a": 0.5, "b": 0.25})
GEN = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "q"}
MISTAKES = {
    "no id": (
        without(TWO, "1.document.id"),
        "0.25} has no id; it is looked for under id, _id, doc_id, docno; it has: document_position, score",
    ),
    "no query": (without(TWO, "input.value"), "it has no input.value or gen_ai.retrieval.query.text"),
    "no documents at all": (without(TWO, ".id", ".score", ".metadata"), "records documents"),
    "the first was dropped": (
        {name: value for name, value in TWO.items() if ".0." not in name},
        "document 0 is missing, and later ones are there; a span keeps as many attributes",
    ),
    "ids alone": (GEN | {"gen_ai.retrieval.documents": ["a", "b"]}, "documents with id and score are needed"),
    "a text": (GEN | {"gen_ai.retrieval.documents": "a, b"}, "gen_ai.retrieval.documents: 'a, b'"),
    "an odd item": (GEN | {"gen_ai.retrieval.documents": [{"id": "a"}, "b"]}, "documents.1: 'b'"),
    "an empty item": (GEN | {"gen_ai.retrieval.documents": [{"id": "a"}, None]}, "documents.1: {}"),
    "a score as text": (TWO | {"retrieval.documents.0.document.score": "high"}, "score"),
    "an id that is a number": (TWO | {"retrieval.documents.0.document.id": 0.5}, "doc_id 0.5 is float"),
    "a NaN": (TWO | {"retrieval.documents.0.document.score": float("nan")}, "document a: it has no score"),
    "the same document twice": (TWO | {"retrieval.documents.1.document.id": "a"}, "document a"),
    "not a retrieval": ({"openinference.span.kind": "LLM"}, "no span is a retrieval (1 LLM)"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_an_error_that_names_its_place(mistake):
    attributes, part = MISTAKES[mistake]
    check(complaint(lambda: calc("RR", {"q": {"a": 1}}, [span(attributes)])), part, "run (spans)")


def test_a_span_that_is_nested_too_deeply_is_an_error():
    deep = {}
    for _ in range(3000):
        deep = {"x": deep}
    otlp = {"key": "x", "value": {"stringValue": "x"}}
    for _ in range(3000):
        otlp = {"key": "x", "value": {"kvlistValue": {"values": [otlp]}}}
    in_otlp = {"scopeSpans": [{"spans": [{"spanId": "1", "attributes": [otlp]}]}]}
    for data in ([span(TWO | {"x": deep})], {"resourceSpans": [in_otlp]}):
        with pytest.raises(InputError, match=r"^run \(spans\) is nested too deeply to be read\.$"):
            calc("RR", {"q": {"a": 1}}, data)


def test_other_data_than_spans_are_refused(tmp_path):
    good = span(TWO)
    check(complaint(lambda: read_run([good, {"a": 1}])), "item 1: {'a': 1}: a span is needed, with context")
    for odd in (5, [5], *([{"scopeSpans": [{"spans": [one]}]}] for one in (5, {"attributes": []}))):
        check(complaint(lambda odd=odd: read_run({"resourceSpans": odd})), "spanId", "OTLP's JSON")
    path = json_lines(tmp_path / "spans.jsonl", [good, good])
    path.write_text(path.read_text() + "{", encoding="utf-8")
    check(complaint(lambda: read_run(path)), f"run {path}, line 3 cannot be read as JSON")
    check(complaint(lambda: read_run({"resourceSpans": []})), "no span is a retrieval (there is none)")


def test_a_frame_with_rows_of_documents_is_a_frame():
    frame = pd.DataFrame({"context.span_id": ["0x1"], "query_id": ["q"], "doc_id": ["d"], "score": [0.5]})
    assert read_run(frame).to_dict() == {"q": {"d": 0.5}}


def test_documents_as_json_text_are_no_document_id():
    texts = {query: as_text(query, docs)["gen_ai.retrieval.documents"] for query, docs in LISTS.items()}
    expected = calc("RBPT NumRet", QRELS, LISTS).values.tolist()
    for run in (texts, texts | {"nothing?": []}, dict(reversed(texts.items()))):
        assert calc("RBPT NumRet", QRELS, run).values.tolist() == expected
    mistakes = {
        "[{": "topic sky? cannot be read as JSON",
        "": "topic sky? is empty: JSON is needed",
        '[{"id": "a"}]': "topic sky?, document a: it has no score, and others have one",
        "{}": "topic sky?: {}: a list of its documents",
        None: "topic sky?: None: a list of its documents",
    }
    for text, part in mistakes.items():
        check(complaint(lambda text=text: read_run(texts | {"sky?": text})), part)


@pytest.fixture
def sdk():
    """The provider of the real SDK, and what has its finished spans."""
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider, exporter = trace.TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


@pytest.mark.full
def test_spans_of_the_real_sdk(sdk, tmp_path):
    names = pytest.importorskip("openinference.semconv.trace", reason="openinference is not installed")
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    of_span, of_document = names.SpanAttributes, names.DocumentAttributes
    assert (of_document.DOCUMENT_ID, of_document.DOCUMENT_SCORE) == ("document.id", "document.score")
    used = of_span.OPENINFERENCE_SPAN_KIND, of_span.INPUT_VALUE, of_span.RETRIEVAL_DOCUMENTS
    assert used == ("openinference.span.kind", "input.value", "retrieval.documents")
    provider, exporter = sdk
    with (tmp_path / "console.json").open("w") as out:
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=out)))
        tracer = provider.get_tracer("test")
        for query, docs in LISTS.items():
            with tracer.start_as_current_span("chain"), tracer.start_as_current_span("retrieve") as one:
                one.set_attributes(openinference(query, docs))
    finished = exporter.get_finished_spans()
    written = tmp_path / "spans.jsonl"
    written.write_text("".join(f"{one.to_json(indent=None)}\n" for one in finished), encoding="utf-8")
    expected = calc("RBPT NumRet", QRELS, LISTS).values.tolist()
    for data in (finished, list(finished), written, tmp_path / "console.json"):
        assert calc("RBPT NumRet", QRELS, data).values.tolist() == expected


@pytest.mark.full
def test_long_lists_meet_the_real_limit_of_attributes(sdk):
    provider, exporter = sdk
    with provider.get_tracer("test").start_as_current_span("retrieve") as one:
        one.set_attributes(openinference("q", {f"d{place}": 1.0 / (1 + place) for place in range(60)}))
    check(complaint(lambda: read_run(exporter.get_finished_spans())), "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT")
