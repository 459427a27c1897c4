"""Topics: files of them, and in memory a column, a list of ids or of items that have one, or a mapping."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._read.arrow import id_column, one_id, pa
from ir_trunc._read.readers.datasets import dataset_name
from ir_trunc._read.reading import TOPICS, Layout
from ir_trunc._read.registry import Table, reader, reader_of
from ir_trunc._read.tables import column_name, ids_of_table
from ir_trunc._read.text import contents, decoded, json_lines, numbered_lines, read_json


def read_topics(data: Any) -> list[str]:
    """Topic ids, each once, in the order given.

    The column, field or name that holds the ids is called query_id, qid, _id or id.

    Parameters
    ----------
    data : path, str, dict, frame, column or iterable
        A file, plain or gzipped: TREC topics (`<num>` or `<topic number="...">`), lines `id<TAB>text` or of
        ids alone, CSV or TSV with a header, a JSON list or object, or JSON lines. An ir_datasets data set, or
        the id of one. A frame, or a column of pandas, polars, pyarrow or numpy. A dict whose keys are ids;
        ids; or items, named tuples or dicts.

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
    found = reader_of(data, TOPICS).table(data, TOPICS)
    names = [*found.topics]
    if found.columns is not None:
        names += ids_of_table(found.columns, "topic", found.source)
    if not names:
        raise InputError(f"{_named(data)}: there is no topic; at least one is needed.")
    return list(dict.fromkeys(names))


def say_unjudged(topics: Any, found: Iterable[str], judged: Collection[str], qrels: str) -> None:
    """Warn of topics that the qrels lack.

    topics: as the user gave them. found: their ids. qrels: what to call the qrels.

    It may be all of them, where someone adds the topics that nobody judged. What is wrong then is told by the
    run: that no topic is left is said where it has none of the qrels and none of these.
    """
    names = list(found)
    lacking = [name for name in names if name not in judged]
    if not lacking:
        return
    what = f"{len(lacking)} of {len(names)} topics (topic {shown(lacking[0])} for one)"
    nil = "nil queries, for which the empty list is right"
    warn(f"{_named(topics)}: no judgments in {qrels} for {what}; they count as {nil}.")


def _named(data: Any) -> str:
    """What to call topics in a message."""
    if isinstance(data, (str, os.PathLike)):
        return f"topics {os.fspath(data)}"
    named = f"of {dataset_name(data)}" if hasattr(data, "queries_iter") else f"({type(data).__name__})"
    return f"topics {named}"


_ID_FIELDS = ("query_id", "qid", "query-id", "_id", "id")
_NAMED = "query_id, qid, _id or id"

_TREC = re.compile(rb"<num>\s*(?:Number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
_XML = re.compile(rb"""<topic[^>]*\bnumber\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_REFERENCE = re.compile(r"&#?\w+;")  # to a character; entities that a file itself declares stay as they are
_TOPIC = re.compile(rb"<(?:top|topic)[\s>]", re.IGNORECASE)
_JUDGED = re.compile(rb"\s*\S+\s+(Q0|[0-9]+)\s+\S+\s+-?[0-9]+(\s+\S+\s+\S+)?\s*")  # four fields, or six

_FORM = (
    "a file of topics (TREC topics, lines 'id<TAB>text' or of ids alone, CSV with a header, JSON, JSON lines)"
)


@reader(_FORM, "topics", of="path", fallback=True)
def topic_file(data: str | os.PathLike[str], layout: Layout) -> Table:
    """Plain or gzipped; TREC topics, CSV, TSV, JSON or JSON lines.

    TREC topics have `<num>` or `<topic number="...">`; the column or name of the ids in the other forms is
    query_id, qid, _id or id.
    """
    source = layout.source
    return Table(source, topics=tuple(_from_file(Path(data), source)))


def _from_file(path: Path, source: str) -> list[str]:
    data = contents(path, source, (b"<", b"{", b"["))
    start = data.lstrip()[:1]
    if start == b"<":
        return _marked(data, source)
    return _from_json(data, source) if start in (b"{", b"[") else _from_lines(data, source)


def _marked(data: bytes, source: str) -> list[str]:
    """TREC topics, with a number each."""
    found = _TREC.findall(data) or _XML.findall(data)
    if not found:
        raise InputError(
            f"{source} looks like marked-up topics, but holds neither <num> nor <topic number=...>."
        )
    topics = len(_TOPIC.findall(data))
    if topics > len(found):
        raise InputError(f"{source} holds {topics} topics, but only {len(found)} of them have a number.")
    import html  # with references in topics: commands start sooner without its table of entities

    return [
        _REFERENCE.sub(lambda sign: html.unescape(sign[0]), decoded(name, f"{source}: the id is"))
        for name in found
    ]


def _from_json(data: bytes, source: str) -> list[str]:
    """A list of ids or of objects; one object whose names are ids; or an object on each line."""
    if lines := json_lines(data, source):
        return [of_item(read_json(line, place), place) for place, line in lines]
    found = read_json(data, source)
    if isinstance(found, list):
        return [of_item(item, f"{source}, item {at}") for at, item in enumerate(found)]
    if any(name in found for name in _ID_FIELDS):
        return [of_item(found, source)]
    odd = next((name for name, text in found.items() if not isinstance(text, (str, dict))), None)
    if odd is not None:
        kind = type(found[odd]).__name__
        needed = f"{{id: text}}, a list of ids, or objects with {_NAMED} are needed"
        raise InputError(f"{source}: the value of {shown(odd)} is {kind}, not text; {needed}.")
    return [one_id(name, "topic", source) for name in found]


def _from_lines(data: bytes, source: str) -> list[str]:
    """Lines of an id, or of an id and a text behind a tab; or a table whose header names the column of ids.

    Lines end as those of runs do, by their bytes, and only ASCII blanks are not part of an id.
    """
    lines = numbered_lines(data, source)
    if not lines:
        return []
    first = lines[0][1].decode(errors="replace")
    for separator in "\t,;":
        if any(name.strip(' "').casefold() in _ID_FIELDS for name in first.split(separator)):
            return _from_table(decoded(data, f"{source}: the id is"), separator, source)
    if all(_JUDGED.fullmatch(line) for _, line in lines):
        raise InputError(f"{source} looks like qrels or a run, not like topics; {_FORM} is needed.")
    found = [_of_line(line, place) for place, line in lines]
    if len(found) > 1 and not found[0].isdigit() and all(name.isdigit() for name in found[1:]):
        raise InputError(f"{source}: {shown(found[0])} looks like a header; call the column of ids {_NAMED}.")
    return found


def _of_line(line: bytes, place: str) -> str:
    start, tab, _ = line.partition(b"\t")
    name = decoded(start.strip(), f"{place}: the id is")
    if not name:
        raise InputError(f"{place}: the id is missing.")
    if not tab and (len(start.split()) > 1 or "," in name):
        needed = f"an id, 'id<TAB>text', or a CSV with a header that has {_NAMED}"
        raise InputError(f"{place}: {shown(name)} is not an id; {needed} is needed.")
    return name


def _from_table(text: str, separator: str, source: str) -> list[str]:
    """The column of ids of a table with a header; quoted fields may hold line ends."""
    lines = io.StringIO(text, newline="")
    # Texts behind tabs hold any quotes.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator, quoting=quoting, strict=True) if row]
    except csv.Error as error:
        raise InputError(f"{source} is not a table: {error}.") from None
    header = [name.strip(" ").casefold() for name in rows[0]]
    at = header.index(column_name(header, "topic", source))
    found = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) <= at or not row[at].strip(" "):
            raise InputError(f"{source}, row {number}: {header[at]} is missing.")
        found.append(row[at].strip(" "))
    return found


def _is_column(data: Any) -> bool:
    return hasattr(data, "dtype") or isinstance(data, (pa.Array, pa.ChunkedArray))


@reader("a column of ids", "topics", of=("frame", "list"), recognises=_is_column)
def column(data: Any, layout: Layout) -> Table:
    """A column of pandas, polars, pyarrow or numpy."""
    return Table(layout.source, topics=tuple(id_column(data, layout.source, "topic").to_pylist()))


@reader("a mapping whose keys are ids", "topics", of="mapping", fallback=True)
def keys(data: Mapping[Any, Any], layout: Layout) -> Table:
    """Qrels or queries as dicts, for example."""
    return Table(layout.source, topics=tuple(one_id(topic, "topic", layout.source) for topic in data))


@reader(f"a list of ids, or of items with {_NAMED}", "topics", of="list", fallback=True)
def items(data: Iterable[Any], layout: Layout) -> Table:
    """Items are objects with one of these attributes, or mappings with one of these names."""
    source = layout.source
    return Table(source, topics=tuple(of_item(item, f"{source}, item {at}") for at, item in enumerate(data)))


def of_item(item: Any, place: str) -> str:
    """The id that an item is, or has."""
    if isinstance(item, Mapping):
        held = [item[name] for name in _ID_FIELDS if name in item]
    else:
        held = [getattr(item, name) for name in _ID_FIELDS if hasattr(item, name)] or [item]
    if not held:
        raise InputError(
            f"{place}: an object with {_NAMED} is needed; it has: {', '.join(map(shown, item)) or 'nothing'}."
        )
    if isinstance(held[0], (tuple, list, set, Mapping)):
        raise InputError(
            f"{place}: {shown(item)} is {type(item).__name__}; an id, or an item with {_NAMED}, is needed."
        )
    return one_id(held[0], "topic", place)
