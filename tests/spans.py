"""Spans of retrieval as those who write them do."""

import json


def span(attributes, number=0, **more):
    """A span as `ReadableSpan.to_json` writes it."""
    context = {"trace_id": f"0x{number // 2}", "span_id": f"0x{number:04x}"}
    return {"name": "retrieve", "context": context, "attributes": attributes} | more


def openinference(query, docs):
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    for place, (doc, score) in enumerate(docs.items()):
        attributes[f"retrieval.documents.{place}.document.id"] = doc
        attributes[f"retrieval.documents.{place}.document.score"] = score
        attributes[f"retrieval.documents.{place}.document.metadata"] = json.dumps({"page": place})
    return attributes


def listed(query, docs):
    documents = [{"id": doc, "score": score} for doc, score in docs.items()]
    name = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": query}
    return name | {"gen_ai.retrieval.documents": documents}


def otlp_value(value):
    if isinstance(value, dict):
        return {"kvlistValue": {"values": otlp_pairs(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [otlp_value(item) for item in value]}}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def otlp_pairs(attributes):
    return [{"key": key, "value": otlp_value(value)} for key, value in attributes.items()]


def otlp(spans):
    """Spans as the collector's file exporter writes them."""
    each = [
        {"traceId": one["context"]["trace_id"], "spanId": one["context"]["span_id"], "name": one["name"]}
        | ({"startTimeUnixNano": one["start_time"]} if "start_time" in one else {})
        | {"parentSpanId": one.get("parent_id") or "", "attributes": otlp_pairs(one["attributes"])}
        for one in spans
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": each}]}]}
