"""Results of vector stores and search engines, as their clients return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.memory import scored_dicts, scored_objects, scored_pairs
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import COMMON, Table, reader

_CHROMA = {"ids", "distances"}
_FILLER = -1  # FAISS fills a list that is too short with this position
_NO_LISTS = (str, bytes, Mapping)


def _body(result: Any) -> Any:
    """A response without the object that Elasticsearch's client puts around it."""
    return getattr(result, "body", result)


def _is_result(result: Any) -> bool:
    """Whether this is what a search for one query returned, other than a list of documents."""
    result = _body(result)
    if isinstance(result, Mapping):
        return result.keys() >= _CHROMA or isinstance(result.get("hits"), Mapping) or "_shards" in result
    return hasattr(result, "points")


def _is_batch(results: Any) -> bool:
    """Whether this is what a search for several queries returned."""
    results = _body(results)
    if isinstance(results, Mapping):
        return _is_result(results) or isinstance(results.get("responses"), list)
    if isinstance(results, tuple) and len(results) == 2:
        return all(getattr(part, "ndim", 0) == 2 for part in results)
    if not isinstance(results, list):
        return False
    first = next((result for result in results if not isinstance(result, list) or result), None)
    return _is_result(first) or (isinstance(first, list) and isinstance(first[0], Mapping))


def _with_topics(data: Any) -> bool:
    """Whether this is (topics, results) or (topics, results, documents)."""
    is_tuple = type(data) is tuple and len(data) in (2, 3)
    return (
        is_tuple
        and not isinstance(data[0], _NO_LISTS)
        and isinstance(data[0], Iterable)
        and _is_batch(data[1])
    )


@reader(
    "(topics, results) or (topics, results, documents) of a search in a vector store",
    "run",
    of=("list", "mapping", "object"),
    recognises=lambda data: _is_batch(data) or _with_topics(data),
    priority=COMMON + 5,  # they are tuples, dicts and lists, too
    called="search results",
)
def search_results(data: Any, layout: Layout) -> Table:
    """What FAISS, Chroma, bm25s, Qdrant, sentence-transformers or Elasticsearch (msearch) return for queries.

    `topics` are the ids of the queries, in their order. `documents` are the ids of all documents, where the
    results have their positions in the collection. Chroma's distances are lower for better documents; so are
    values that rise in all lists, which a warning reports.
    """
    if not _with_topics(data):
        needed = "(topics, results) is needed, with the ids of the queries in their order"
        raise InputError(f"{layout.source}: these are results of a search without their topics; {needed}.")
    topics = [one_id(topic, "query_id", layout.source) for topic in data[0]]
    lists = _lists_of(_body(data[1]), layout.source)
    if len(topics) != len(lists):
        raise InputError(f"{layout.source}: {len(topics)} topics have results of {len(lists)} queries.")
    if len(set(topics)) < len(topics):
        twice = next(topic for number, topic in enumerate(topics) if topic in topics[:number])
        raise InputError(f"{layout.source}: topic {shown(twice)} is given twice.")
    return _table(dict(zip(topics, lists)), layout, data[2] if len(data) == 3 else None)


@reader(
    "{topic: response} of Elasticsearch, OpenSearch, Chroma or Qdrant",
    "run",
    of="mapping",
    recognises=lambda data: _is_result(next(iter(data.values()), None)),
    priority=COMMON + 4,  # a response is a dict, too
    called="responses",
)
def responses(data: Mapping[Any, Any], layout: Layout) -> Table:
    """A response for each topic, as the client returns it. An error or a partial response is refused."""
    return _table(dict(data), layout, None)


def _lists_of(results: Any, source: str) -> Sequence[Any]:
    """The results of each query."""
    if isinstance(results, Mapping):
        if "responses" in results:
            return list(results["responses"])
        if results.keys() >= _CHROMA:
            if results["ids"] is None or results["distances"] is None:
                raise InputError(f"{source}: Chroma's ids and distances are needed: include=['distances'].")
            pairs = zip(results["ids"], results["distances"], strict=True)
            return [{"ids": [ids], "distances": [distances]} for ids, distances in pairs]
        return [results]
    if isinstance(results, tuple):
        documents, values = results
        if not hasattr(results, "documents"):  # FAISS has the values first, bm25s the documents
            documents, values = values, documents
        if documents.shape != values.shape:
            what = f"of the shape {documents.shape} and values of the shape {values.shape}"
            raise InputError(f"{source}: documents {what}: both need a row for each query.")
        return [list(zip(*row)) for row in zip(documents.tolist(), values.tolist())]
    return [results] if _is_result(results) else results


def _table(lists: dict[Any, Any], layout: Layout, documents: Any) -> Table:
    """The table of {topic: result}, best first."""
    pairs = {}
    are_distances = False
    for topic, result in lists.items():
        place, result = f"{layout.source}, topic {shown(topic)}", _body(result)
        if isinstance(result, Mapping):
            are_distances |= result.keys() >= _CHROMA
            result = _hits(result, place)
        items = {topic: list(getattr(result, "points", result))}
        first = items[topic][0] if items[topic] else ()
        read = scored_pairs if isinstance(first, (tuple, list)) else scored_objects
        table = (scored_dicts if isinstance(first, Mapping) else read).table(items, layout)
        columns: Mapping[str, list[Any]] = table.columns
        rows = zip(columns["doc_id"], columns["score"])
        pairs[topic] = [(_document(doc, documents, place), value) for doc, value in rows if doc != _FILLER]
    falling, rising = (_all_in_order(pairs.values(), sign) for sign in (1, -1))
    lower = layout.reading.lower_is_better
    if lower and falling and not rising:
        raise InputError(
            f"{layout.source}: the values fall from the first document on, so they are no distances; leave"
            " out lower_is_better."
        )
    if rising and not falling and not lower and not are_distances:
        warn(
            f"{layout.source}: the values rise from the first document on and are taken for distances;"
            " lower_is_better=True confirms."
        )
        are_distances = True
    if are_distances and not lower:
        pairs = {topic: [(doc, -score) for doc, score in rows] for topic, rows in pairs.items()}
    return scored_pairs.table(pairs, layout)


def _hits(response: Mapping[str, Any], place: str) -> Iterable[Any]:
    """The documents of a response, in a form of `memory`; InputError where it is an error or a part."""
    if response.keys() >= _CHROMA:
        ids, distances = response["ids"], response["distances"]
        if distances is None or len(ids) != 1 or len(distances) != 1:
            raise InputError(f"{place}: one list of Chroma's ids and one of distances are needed.")
        return zip(ids[0], distances[0], strict=True)
    if "error" in response or not isinstance(response.get("hits"), Mapping):
        raise InputError(f"{place}: the response is an error: {shown(response.get('error'))}.")
    failed = (response.get("_shards") or {}).get("failed", 0)
    if response.get("timed_out") or failed:
        why = f"{failed} shards failed" if failed else "it timed out"
        raise InputError(f"{place}: the response is a part of the result: {why}.")
    hits = response["hits"].get("hits", [])
    if any(isinstance(hit, Mapping) and hit.get("_score", 0) is None for hit in hits):
        raise InputError(f"{place}: _score is null, as in sorted hits; track_scores=True gives scores.")
    return list(hits)


def _document(doc: Any, documents: Any, place: str) -> Any:
    """The id of a document, from its position where `documents` has the ids."""
    if documents is None:
        return doc
    if not isinstance(doc, Integral) or not 0 <= int(doc) < len(documents):
        raise InputError(f"{place}: {shown(doc)} is not a position in the {len(documents)} documents.")
    found = documents[int(doc)]
    return found.item() if isinstance(found, np.generic) else found


def _all_in_order(lists: Iterable[Sequence[tuple[Any, Any]]], sign: int) -> bool:
    """Whether the values of all lists fall (or, with -1, rise) from the first document on."""
    try:
        return all(sign * a >= sign * b for rows in lists for (_, a), (_, b) in pairwise(rows))
    except TypeError:  # of a value that is no number, which is refused later
        return False
