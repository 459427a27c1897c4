"""Texts of queries and documents, by their ids."""

from __future__ import annotations

import csv
import html
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.datasets import load_dataset, loaded
from ir_trunc._read.reading import NO_COLUMNS, Columns
from ir_trunc._read.tables import OWN_IDS, header, usual
from ir_trunc._read.text import decoded, json_texts, numbered_lines, parts, read_json

_IDS = {"queries": ("query_id", usual("topic")), "documents": ("doc_id", (*usual("doc_id"), *OWN_IDS))}
_TEXTS = usual("text")
_NEEDED = (
    "{id: text}, the id of an ir_datasets data set, or a file is needed: 'id<TAB>text', CSV, JSON or TREC"
)
_MARK = re.compile(r"<(/?)(top|topic|doc)\b([^<>]*)>", re.IGNORECASE)
_MARKED_ID = re.compile(r"<(num|docno)>\s*+(?:Number\s*+:\s*+)?([^\s<]+)(?:\s*</\1>)?", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def read_texts(
    kind: str, data: Any, wanted: Collection[str], columns: Columns = NO_COLUMNS
) -> dict[str, str]:
    """The texts of the ids that are wanted; a warning counts those that the data lack.

    kind: 'queries' or 'documents'. data: `{id: text}`, a path, or a data set of ir_datasets or its id.
    columns: what the user calls ids.
    """
    if data is None:
        return {}
    ids = frozenset(wanted)
    field, usual_names = _IDS[kind]
    names = (columns[field], *usual_names) if field in columns else usual_names
    path = Path(data) if isinstance(data, (str, os.PathLike)) else None
    source = "" if path is None else os.fspath(data)
    if path is not None and not path.is_file():
        data, path = load_dataset(os.fspath(data)), None
        if data is None:
            raise InputError(f"{kind} {source}: there is no such file; {_NEEDED}.")
    items: Iterable[tuple[Any, Any]]
    if isinstance(data, Mapping):
        items = data.items()
    elif path is not None:
        items = _of_file(names, path, f"{kind} {source}")
    elif hasattr(data, "queries_iter" if kind == "queries" else "docs_iter"):
        items = _of_dataset(kind, data, ids)
    else:
        raise InputError(f"{kind} of type {type(data).__name__}: {_NEEDED}.")
    texts = {}
    for name, words in items:
        if not isinstance(words, str):
            raise InputError(f"{kind}: the text of {shown(name)} is {type(words).__name__}; {_NEEDED}.")
        if (key := one_id(name, "id", kind)) in ids:
            texts[key] = " ".join(words.split())
    if lacking := [name for name in wanted if name not in texts]:
        warn(f"{kind}: no text for {len(lacking)} of {len(wanted)} (for example {shown(lacking[0])}).")
    return texts


def _of_file(names: Sequence[Any], path: Path, source: str) -> Iterator[tuple[Any, Any]]:
    """Lines of an id and a text behind a tab, CSV or TSV with a header, JSON, or TREC topics and documents.

    names: what ids are called.
    """
    text = parts(path, source, (b"<", b"{", b"["))
    first = next(text, b"")
    data, start = chain([first], text), first.lstrip()[:1]
    if start == b"<":
        mark = None
        for mark, attributes, words in _marked(decoded(b"".join(data), f"{source} is")):
            marked_id = re.search(r"number\s*=\s*[\"']([^\"']+)", attributes) or _MARKED_ID.search(words)
            if marked_id is None:
                raise InputError(f"{source}: {shown(mark + words)} has no id.")
            words = _TAG.sub(" ", _MARKED_ID.sub(" ", words))
            yield marked_id[marked_id.lastindex or 0], html.unescape(words)
        if mark is None:
            raise InputError(f"{source} holds no <top>, <topic> or <doc>; {_NEEDED}.")
    elif start in (b"{", b"["):
        for place, line in json_texts(data, source):
            content, is_whole = read_json(line, place), place == source
            if is_whole and isinstance(content, Mapping) and content.keys().isdisjoint(names):
                yield from content.items()
            else:
                items = content if isinstance(content, list) and is_whole else [content]
                yield from (_of_object(names, item, place) for item in items)
    else:
        lines = numbered_lines(data, source)
        head = [*islice(lines, 1)]
        columns, separator = header(head[0][1] if head else b"")
        if not {*names}.isdisjoint(columns) and not {*_TEXTS}.isdisjoint(columns):
            rows = (decoded(row, f"{place} is") for place, row in lines)
            table = csv.DictReader(rows, columns, delimiter=separator)
            yield from (_of_object(names, item, f"{source}, row {row}") for row, item in enumerate(table, 2))
            return
        for place, row in chain(head, lines):
            name, tab, rest = row.partition(b"\t")
            if not tab:
                header_of = f"a header with {names[0]} and text"
                raise InputError(
                    f"{place}: there is no tab between an id and a text, nor {header_of}; {_NEEDED}."
                )
            yield decoded(name.strip(), f"{place}: the id is"), decoded(rest, f"{place}: the text is")


def _marked(text: str) -> Iterator[tuple[str, str, str]]:
    """The start, its attributes and the content of each topic or document that has an end."""
    last_end = {mark[2].lower(): mark.start() for mark in _MARK.finditer(text) if mark[1]}
    start = None
    for mark in _MARK.finditer(text):
        name = mark[2].lower()
        if start is None:
            start = mark if not mark[1] and last_end.get(name, -1) > mark.start() else None
        elif mark[1] and name == start[2].lower():
            yield start[0], start[3], text[start.end() : mark.start()]
            start = None


def _of_object(names: Sequence[Any], item: Any, place: str) -> tuple[Any, str]:
    """The id and the texts of one JSON object, or of a row."""
    ids = [name for name in names if isinstance(item, Mapping) and name in item]
    texts = [item[name] for name in _TEXTS if ids and name != ids[0] and isinstance(item.get(name), str)]
    if not ids or not texts:
        of = f"{', '.join(map(str, names))}; and of the texts {', '.join(_TEXTS)}"
        raise InputError(f"{place}: an object with an id and a text is needed; names of ids are {of}.")
    return item[ids[0]], " ".join(texts)


def _of_dataset(kind: str, dataset: Any, wanted: Collection[str]) -> list[tuple[str, str]]:
    """Queries or documents of ir_datasets; documents are looked up where the data set can do so."""

    def texts() -> Iterator[tuple[str, str]]:
        if kind == "queries":
            yield from ((query.query_id, query.default_text()) for query in dataset.queries_iter())
            return
        has_store = hasattr(dataset, "docs_store")
        docs = dataset.docs_store().get_many_iter(list(wanted)) if has_store else dataset.docs_iter()
        yield from ((doc.doc_id, doc.default_text()) for doc in docs if doc.doc_id in wanted)

    return loaded(dataset, texts)
