"""Dicts from topics to documents with their scores or grades, or to lists by rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.rankings import Bools
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import numeric, pa, pc
from ir_trunc._read.columns import ids, numbers, one_id
from ir_trunc._read.reading import Layout, Reading
from ir_trunc._read.registry import Compiled, Data, first_docs, length_of, reader
from ir_trunc._read.rows import PART, Rows, Samples, encoded

_PLAIN = (dict, defaultdict)  # other mappings may have values of their own making


def _run_to_kernel(lists: Any, run: Data) -> Samples | None:
    plain = type(run.value) in _PLAIN and run.layout.reading.order != "rank"
    return () if plain and kernel.dicts(lists, run.value, np.float64) else None


def _qrels_by_kernel(data: Data, seed: int) -> Any:
    return kernel.qrels_of_dicts(data.value, seed) if type(data.value) in _PLAIN else None


@reader(
    "{topic: {document: <value>}}",
    "run",
    "qrels",
    of="mapping",
    recognises=lambda data: isinstance(first_docs(data), Mapping),
    usual=True,
    called="dict",
    compiled=Compiled(_run_to_kernel, _qrels_by_kernel),
)
def dicts(data: Mapping[Any, Any], layout: Layout) -> Iterator[Rows]:
    """The form of pytrec_eval and ir-measures.

    A run may have lists by rank, without scores, or one answer as text; silence is the empty list. Topics and
    documents are text or whole numbers.
    """
    names = ids(list(data), layout.source, "query_id", map(shown, data))
    each_once = len(pc.unique(names)) == len(data)  # 1 and "1" are one topic
    start = 0
    for some in _some_at_a_time(data) if each_once else [data]:
        here = names.slice(start, len(some))
        yield replace(_rows(some, here, layout), universe=tuple(here.to_pylist()))
        start += len(some)


def _some_at_a_time(data: Mapping[Any, Any]) -> Iterator[Mapping[Any, Any]]:
    some, rows = {}, 0
    for topic, docs in data.items():
        some[topic] = docs
        rows += length_of(docs)
        if rows >= PART:
            yield some
            some, rows = {}, 0
    if some or not data:
        yield some


def _rows(data: Mapping[Any, Any], topics_of: pa.Array, layout: Layout) -> Rows:
    """The rows of a dict whose topics have these names."""
    source, names = layout.source, encoded(topics_of)
    listed = [not isinstance(docs, Mapping) for docs in data.values()]
    if layout.kind == "run" and any(listed):
        data = {topic: _ranked(docs, f"{source}, topic {topic}") for topic, docs in data.items()}
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            raise InputError(
                f"{source}, topic {topic}: {{document: {layout.value}}} is needed, not {type(docs).__name__}."
            )
    lengths = [len(docs) for docs in data.values()]
    codes = np.repeat(np.arange(len(data)), lengths)
    topics = pa.DictionaryArray.from_arrays(names.indices.take(numeric(codes)), names.dictionary)
    docs = ids(list(chain.from_iterable(data.values())), source, "doc_id", topics)
    values = [value for docs in data.values() for value in docs.values()]
    rows = Rows.of(source, topics, docs, numbers(values, layout, source, topics, docs))
    return _read_dict(rows, layout.reading, np.repeat(listed, lengths)) if layout.kind == "run" else rows


def _read_dict(rows: Rows, reading: Reading, listed: Bools) -> Rows:
    """The rows of a dict; listed: those of lists by rank, whose values are not scores but places."""
    if reading.stop is not None:
        raise InputError(
            f"{rows.source}: a dict has no second column, in which stop={reading.stop!r} could be."
        )
    if reading.order == "rank" and not listed.all():
        topic = rows.topics[int(listed.argmin())]
        raise InputError(
            f"{rows.source}, topic {topic}: order='rank' needs a list by rank, [document, ...], not scores."
        )
    ranks = (1 - rows.values).astype(np.int64) if reading.order == "rank" else None
    return rows.read(reading, ranks, unscored=listed if listed.any() else None)


def _ranked(docs: Any, place: str) -> Any:
    """One answer, or answers by rank, as {document: score}; silence, the empty answer, is the empty list."""
    if isinstance(docs, str):
        docs = [docs] if docs else []
    if isinstance(docs, (list, tuple)):
        if not set(map(type, docs)) <= {str, int}:
            for doc in docs:
                one_id(doc, "doc_id", place)
        if len(set(docs)) < len(docs):
            again = next(doc for at, doc in enumerate(docs) if doc in docs[:at])
            raise InputError(f"{place}, document {again}: it is in the list twice.")
        return {doc: float(-rank) for rank, doc in enumerate(docs)}
    return docs
