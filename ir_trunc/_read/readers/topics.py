"""Topics: files of them, and in memory a column, a list of ids or of items that have one, or a mapping."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal

from ir_trunc._core.errors import InputError, either, shown, warn
from ir_trunc._core.lazy import pattern
from ir_trunc._read.arrow import id_column, joined_id, one_id, pa
from ir_trunc._read.readers.datasets import dataset_name
from ir_trunc._read.reading import TOPICS, KeysLike, Layout, Reading
from ir_trunc._read.registry import Table, reader, reader_of
from ir_trunc._read.tables import column_name, ids_of_table, usual
from ir_trunc._read.text import decoded, json_texts, numbered_lines, parts, read_json


def read_topics(data: Any, *, keys: KeysLike | None = None) -> list[str]:
    """Topic ids, each once, in the order given.

    Ids are called query_id, qid, query-id, topic_id, question_id, id or _id.

    Parameters
    ----------
    data : path, str, dict, frame, column or iterable
        A file, plain or gzipped: TREC topics (`<num>` or `<topic number="...">`), lines `id<TAB>text` or of
        ids alone, CSV or TSV with a header, a JSON list or object, or JSON lines. An ir_datasets data set, or
        the id of one. A frame, or a column of pandas, polars, pyarrow or numpy. A dict whose keys are ids;
        ids; or items, named tuples or dicts.
    keys : tuple of str or str, optional
        The keys that identify a list together, see `Reading`: ids may be tuples of them, and a frame may have
        a column of each.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        Where the data cannot be read as topics, with the line, and where there is no topic.

    Examples
    --------
    >>> from ir_trunc import read_topics
    >>> read_topics([{"qid": 3, "query": "jazz"}, {"qid": 1, "query": "blues"}])
    ['3', '1']
    """
    return topics_as(data, Reading(keys=keys))


def topics_as(data: Any, reading: Reading) -> list[str]:
    """As `read_topics`; data may call the ids as the user names the column `query_id`."""
    layout = replace(TOPICS, reading=reading)
    table = reader_of(data, layout).table(data, layout)
    topics = [*table.topics]
    if table.columns is not None:
        topics += ids_of_table(table.columns, "topic", table.source, layout)
    if not topics:
        raise InputError(f"{_source_of(data)}: there is no topic; at least one is needed.")
    return list(dict.fromkeys(topics))


def warn_of_unjudged(data: Any, topics: Iterable[str], judged: Collection[str], qrels: str) -> None:
    """Warn of topics without judgments, which may be all: a user may add those that nobody judged."""
    topics = list(topics)
    unjudged = [topic for topic in topics if topic not in judged]
    if unjudged:
        what = f"{len(unjudged)} of {len(topics)} topics (for example topic {shown(unjudged[0])})"
        count = "it counts as a nil query" if len(unjudged) == 1 else "they count as nil queries"
        treated = f"{count}, for which the empty list is right"
        warn(f"{_source_of(data)}: no judgments in {qrels} for {what}; {treated}.")


def _source_of(data: Any) -> str:
    """The name of topics in messages."""
    if isinstance(data, (str, os.PathLike)):
        return f"topics {os.fspath(data)}"
    is_dataset = hasattr(data, "queries_iter")
    return f"topics of {dataset_name(data)}" if is_dataset else f"topics ({type(data).__name__})"


_IDS = usual("topic")
_NAMED = either(_IDS)


def _names_in(layout: Layout) -> tuple[Any, ...]:
    """The names that ids may have, the user's first."""
    named = layout.reading.names
    return (named["query_id"], *_IDS) if "query_id" in named else _IDS


_TREC = pattern(rb"<num>\s*+(?:Number\s*+:\s*+)?([^\s<]+)", re.IGNORECASE)
_XML = pattern(rb"""<topic[^<>]*\bnumber\s*+=\s*+["']([^"'<]+)["']""", re.IGNORECASE)
_REFERENCE = pattern(r"&#?\w+;")  # to a character; entities that a file itself declares stay as they are
_TOPIC = pattern(rb"<(?:top|topic)[\s>]", re.IGNORECASE)
_JUDGED = pattern(rb"\s*\S+\s+(Q0|[0-9]+)\s+\S+\s+-?[0-9]+(\s+\S+\s+\S+)?\s*")  # four fields, or six

MOST_TOPICS = 5_000_000  # topics of a file: each takes more memory than its line
_HEAD = 100  # lines that show whether a file is something else than topics

_LINES = "lines 'id<TAB>text' or of ids alone"
_FORM = f"a file of topics (TREC topics, {_LINES}, CSV with a header, JSON, JSON lines)"


@reader(_FORM, shapes="path", kinds="topics")
def topic_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped; TREC topics, CSV, TSV, JSON or JSON lines.

    TREC topics have `<num>` or `<topic number="...">`; the column or name of the ids in the other forms is
    query_id, qid, topic_id, id or _id.
    """
    source = layout.source
    text = parts(data, source, (b"<", b"{", b"["))
    first = next(text, b"")
    read = {b"<": _from_markup, b"{": _from_json, b"[": _from_json}.get(first.lstrip()[:1], _from_lines)
    topics = dict[str, None]()
    for topic in read(chain([first], text), source, _names_in(layout)):
        topics[topic] = None
        if len(topics) > MOST_TOPICS:
            raise InputError(f"{source} holds more than {MOST_TOPICS:,} topics: hardly a file of topics.")
    return Table(source, topics=tuple(topics))


def _from_markup(parts_of_text: Iterable[bytes], source: str, _: tuple[Any, ...]) -> Iterable[str]:
    data = b"".join(parts_of_text)
    ids = _TREC.findall(data) or _XML.findall(data)
    if not ids:
        what = f"{source} looks like marked-up topics"
        raise InputError(f"{what}, but holds neither <num> nor <topic number=...>.")
    topics = sum(1 for _ in _TOPIC.finditer(data))
    if topics > len(ids):
        raise InputError(f"{source} holds {topics} topics, but only {len(ids)} of them have a number.")
    import html  # with references in topics: commands start sooner without its table of entities

    texts = (decoded(name, f"{source}: the id is") for name in ids)
    return (_REFERENCE.sub(lambda sign: html.unescape(sign[0]), text) for text in texts)


def _from_json(data: Iterable[bytes], source: str, ids: tuple[Any, ...]) -> Iterable[str]:
    """Ids of a list of ids or of objects, of one object whose names are ids, or of an object on each line."""
    contents = ((read_json(text, place), place) for place, text in json_texts(data, source))
    content, place = next(contents)
    if place != source:
        return (_id_of_item(item, place, ids) for item, place in chain([(content, place)], contents))
    if isinstance(content, list):
        return (_id_of_item(item, f"{source}, item {number}", ids) for number, item in enumerate(content))
    if any(name in content for name in ids):
        return [_id_of_item(content, source, ids)]
    odd = next((name for name, text in content.items() if not isinstance(text, (str, dict))), None)
    if odd is not None:
        kind = type(content[odd]).__name__
        needed = f"{{id: text}}, a list of ids, or objects with {_NAMED} are needed"
        raise InputError(f"{source}: the value of {shown(odd)} is {kind}, not text; {needed}.")
    return (one_id(name, "topic", source) for name in content)


def _from_lines(data: Iterable[bytes], source: str, ids: tuple[Any, ...]) -> Iterable[str]:
    """Lines of an id, or of an id and a text behind a tab; or a table with a header and a column of ids."""
    lines = numbered_lines(data, source)
    head = [*islice(lines, _HEAD)]
    names = head[0][1].decode(errors="replace") if head else ""
    ids = tuple(str(name).casefold() for name in ids)
    for separator in "\t,;":
        if any(name.strip(' "').casefold() in ids for name in names.split(separator)):
            yield from _from_table(chain(head, lines), separator, source, ids[0])
            return
    if head and all(_JUDGED.fullmatch(line) for _, line in head):
        raise InputError(f"{source} looks like qrels or a run, not like topics; {_FORM} is needed.")
    first, *others = [line.partition(b"\t")[0].strip() for _, line in head] or [b""]
    if others and not first.isdigit() and all(map(bytes.isdigit, others)):
        name = shown(first.decode(errors="replace"))
        raise InputError(f"{source}: {name} looks like a header; call the column of ids {_NAMED}.")
    for place, line in chain(head, lines):
        start, tab, _ = line.partition(b"\t")
        topic = decoded(start.strip(), f"{place}: the id is")
        if not topic:
            raise InputError(f"{place}: the id is missing.")
        if not tab and (len(start.split()) > 1 or "," in topic):
            needed = f"an id, 'id<TAB>text', or a CSV with a header that has {_NAMED}"
            raise InputError(f"{place}: {shown(topic)} is not an id; {needed} is needed.")
        yield topic


def _from_table(lines: Iterable[tuple[str, bytes]], separator: str, source: str, own: Any) -> Iterable[str]:
    """The ids of a table with a header, in a column `own` or a usual one; quoted fields hold line ends."""
    import csv

    # Texts behind tabs hold any quotes.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    texts = (decoded(line, f"{place} is") for place, line in lines)
    rows = csv.reader(texts, delimiter=separator, quoting=quoting, strict=True)
    try:
        header = [name.strip(" ").casefold() for name in next(rows)]
        column = header.index(own if own in header else column_name(header, "topic", source))
        for number, row in enumerate(rows, 2):
            if len(row) <= column or not row[column].strip(" "):
                raise InputError(f"{source}, row {number}: {header[column]} is missing.")
            yield row[column].strip(" ")
    except csv.Error as error:
        raise InputError(f"{source} is not a table: {error}.") from None


def _is_column(data: Any) -> bool:
    return hasattr(data, "dtype") or isinstance(data, (pa.Array, pa.ChunkedArray))


@reader(
    f"ids in a list, in a column or as keys of a mapping, or items with {_NAMED}",
    recognises=_is_column,
    shapes="mapping list frame",
    kinds="topics",
)
def items(data: Iterable[Any], layout: Layout) -> Table:
    """A column of pandas, polars, pyarrow or numpy; qrels or queries as dicts, for example.

    Items are objects with one of these attributes, or mappings with one of these names.
    """
    if _is_column(data):
        return Table(layout.source, topics=tuple(id_column(data, layout.source, "topic").to_pylist()))
    names = layout.reading.nesting
    places = ((f"{layout.source}, item {number}", item) for number, item in enumerate(data))
    ids = _names_in(layout)
    topics = tuple(_id_of_item(joined_id(item, names, place), place, ids) for place, item in places)
    return Table(layout.source, topics=topics)


def _id_of_item(item: Any, place: str, names: tuple[Any, ...]) -> str:
    """The id of an item, which may be the item itself."""
    if isinstance(item, Mapping):
        ids = [item[name] for name in names if name in item]
    else:
        has = [str(name) for name in names if hasattr(item, str(name)) and not isinstance(item, str)]
        ids = [getattr(item, name) for name in has] or [item]
    if not ids:
        there = ", ".join(map(shown, item)) or "nothing"
        raise InputError(f"{place}: an object with {_NAMED} is needed; it has: {there}.")
    if isinstance(ids[0], (tuple, list, set, Mapping)):
        what = f"{shown(item)} is {type(item).__name__}; an id, or an item with {_NAMED}, is needed"
        raise InputError(f"{place}: {what}.")
    return one_id(ids[0], "topic", place)
