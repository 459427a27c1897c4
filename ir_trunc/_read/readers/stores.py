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
from ir_trunc._read.registry import Table, reader

_CHROMA = {"ids", "distances"}
_FILLER, _LARGEST = -1, 3e38  # FAISS fills a list that is too short with this position, and a distance above
_NO_LISTS = (str, bytes, Mapping)


def _body(result: Any) -> Any:
    """A response without the object that Elasticsearch's client puts around it."""
    return getattr(result, "body", result)


def _is_result(result: Any) -> bool:
    """Whether this is what a search for one query returned, other than a list of documents."""
    result = _body(result)
    if isinstance(result, Mapping):
        is_error = isinstance(result.get("error"), (str, Mapping))
        is_response = any(isinstance(result.get(name), Mapping) for name in ("hits", "_shards"))
        return is_response or is_error or result.keys() >= _CHROMA
    return hasattr(result, "points") or _are_points(result)


def _are_points(result: Any) -> bool:
    """Whether this is a list of Qdrant's points."""
    return isinstance(result, list) and bool(result) and hasattr(result[0], "payload")


def _is_batch(results: Any) -> bool:
    """Whether this is what a search for several queries returned."""
    results = _body(results)
    if isinstance(results, Mapping):
        return _is_result(results) or isinstance(results.get("responses"), list)
    if hasattr(results, "documents") and hasattr(results, "scores"):  # of bm25s, whose len() counts queries
        return True
    if isinstance(results, tuple):
        return len(results) == 2 and all(getattr(part, "ndim", 0) == 2 for part in results)
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
    recognises=lambda data: _is_batch(data) or _with_topics(data),
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
    recognises=lambda data: _is_result(next(iter(data.values()), None)),
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
            ids, distances = results["ids"], results["distances"]
            if not isinstance(ids, list) or not isinstance(distances, list) or len(ids) != len(distances):
                raise InputError(f"{source}: Chroma's ids and distances are needed: include=['distances'].")
            return [{"ids": [of], "distances": [numbers]} for of, numbers in zip(ids, distances)]
        return [results]
    if isinstance(results, tuple):
        of_bm25s = hasattr(results, "documents")
        names = ("scores", "documents")
        values, documents = (getattr(results, name) for name in names) if of_bm25s else results
        if np.shape(documents) != np.shape(values):
            what = f"of the shape {np.shape(documents)} and values of the shape {np.shape(values)}"
            raise InputError(f"{source}: documents {what}: both need a row for each query.")
        if not of_bm25s and (np.abs(values[documents != _FILLER]) >= _LARGEST).any():
            what = f"the distance {_LARGEST:.2g} stands for no document, whose position is -1"
            raise InputError(f"{source}: {what}; give FAISS's own positions, and the ids of documents apart.")
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
        items = {topic: getattr(result, "points", result)}
        if isinstance(items[topic], (str, bytes)) or not isinstance(items[topic], Iterable):
            raise InputError(f"{place}: {shown(result)}: what a search returned for one query is needed.")
        items[topic] = list(items[topic])
        first = items[topic][0] if items[topic] else ()
        read = scored_pairs if isinstance(first, (tuple, list)) else scored_objects
        table = (scored_dicts if isinstance(first, Mapping) else read).table(items, layout)
        columns: Mapping[str, list[Any]] = table.columns
        rows = zip(columns["doc_id"], columns["score"])
        pairs[topic] = [(_document(doc, documents, place), value) for doc, value in rows if doc != _FILLER]
    falling, rising = (_all_in_order(pairs.values(), sign) for sign in (1, -1))
    lower = layout.reading.lower_is_better
    ordered = all(_all_in_order([rows], 1) or _all_in_order([rows], -1) for rows in pairs.values())
    if ordered and not (falling or rising):
        what = "the values fall in some lists and rise in others"
        raise InputError(f"{layout.source}: {what}; the results of one search are needed.")
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
        pair = [part[0] for part in (ids, distances) if isinstance(part, list) and len(part) == 1]
        lists = [part for part in pair if isinstance(part, list)]
        if len(lists) != 2 or len(lists[0]) != len(lists[1]):
            raise InputError(f"{place}: one list of Chroma's ids and one of distances are needed.")
        return zip(*lists)
    if "error" in response or not isinstance(response.get("hits"), Mapping):
        raise InputError(f"{place}: the response is an error: {shown(response.get('error'))}.")
    failed = (response.get("_shards") or {}).get("failed", 0)
    if response.get("timed_out") or failed:
        why = f"{failed} shards failed" if failed else "it timed out"
        raise InputError(f"{place}: the response is a part of the result: {why}.")
    hits = response["hits"].get("hits")
    if not isinstance(hits, list):
        raise InputError(f"{place}: hits.hits is {shown(hits)}: a list is needed, empty for no documents.")
    if any(isinstance(hit, Mapping) and hit.get("_score", 0) is None for hit in hits):
        raise InputError(f"{place}: _score is null, as in sorted hits; track_scores=True gives scores.")
    return list(hits)


def _document(doc: Any, documents: Any, place: str) -> Any:
    """The id of a document, from its position where `documents` has the ids."""
    if documents is None:
        return doc
    if isinstance(documents, (str, bytes)) or not hasattr(documents, "__len__"):
        raise InputError(f"{place}: documents {shown(documents)}: a list of the ids is needed.")
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
