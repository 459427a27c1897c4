"""Lists by the compiled kernel: of the common forms of runs, with the bits that `rank_piece` gives.

The kernel words no error. Where it is not sure what data mean, nothing of what it found is used: the data are
read in Python, which understands them or says what is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from ir_trunc._kernel import kernel
from ir_trunc.core.flat import SomeLists, offsets_of, places_of
from ir_trunc.ranking.judged_docs import CodedRows, seed
from ir_trunc.ranking.qrels import Qrels
from ir_trunc.read.arrow import Texts, flat
from ir_trunc.read.notes import NO_NOTES, Notes, signs_of_lines
from ir_trunc.read.readers.dicts import dicts
from ir_trunc.read.readers.lists_of_rows import named_tuples, plain_tuples
from ir_trunc.read.readers.trec import trec
from ir_trunc.read.reading import MARK, RANK, Order
from ir_trunc.read.registry import Data
from ir_trunc.read.rows import Rows
from ir_trunc.read.tables import COST, SHOWN
from ir_trunc.read.text import BadLineError, blocks

_ORDERS = get_args(Order)
_DICTS = (dict, defaultdict)


class Compiled(NamedTuple):
    """The lists of a whole run, what is to be said of it, and what to call it."""

    lists: SomeLists
    notes: Notes
    source: str


class _Found(NamedTuple):
    """What the kernel found.

    Of each list in the order of the run: its topic's position among those of the qrels, its length, its first
    score and the number of its judged documents; of these, ranks and grades; the scores of all documents,
    where they are kept. rows: documents, those of strangers too. several: lists of more than one document;
    tied: those of them whose scores are all equal. strangers: topics that the qrels lack; stranger: the first
    of them as text.
    """

    topics: bytes
    lengths: bytes
    first_scores: bytes
    judged: bytes
    ranks: bytes
    grades: bytes
    scores: bytes
    rows: int
    several: int
    tied: int
    strangers: int
    stranger: str | None


def compiled(qrels: Qrels, run: Data, keep_scores: bool) -> Compiled | None:
    """The lists of a run; None where the kernel is not sure of it, or there is no kernel."""
    reading = run.layout.reading
    way = None if reading.stop is not None or reading.columns else _WAYS.get(run.reader.form)
    if way is None:
        return None

    def read(lists: Any) -> Notes | None:
        return way.run(lists, run)

    found = _found(qrels, reading.order, reading.lower_is_better, keep_scores, read)
    return found and Compiled(*found, run.source)


def compiled_rows(qrels: Qrels, rows: Rows, keep_scores: bool) -> Compiled | None:
    """The lists of rows, as `compiled` gives those of a run."""
    if kernel is None or rows.reading.order == "rank":
        return None
    if any(column is not None for column in (rows.costs, rows.ranks, rows.hidden, rows.unscored)):
        return None

    def read(lists: Any) -> Notes | None:
        topics, scores = rows.topics, np.ascontiguousarray(rows.values, np.float64)
        names, docs = Texts.of_arrow(topics.dictionary), Texts.of_arrow(rows.docs)
        columns = (flat(topics.indices), names.offsets, names.data, docs.offsets, docs.data, scores)
        return rows.notes if kernel.columns(lists, *columns) else None

    # Where low scores are better, their signs were changed before.
    found = _found(qrels, rows.reading.order, False, keep_scores, read)
    return found and Compiled(*found, rows.source)


def _found(
    qrels: Qrels, order: Order, lower_is_better: bool, keep_scores: bool, read: Callable[[Any], Notes | None]
) -> tuple[SomeLists, Notes] | None:
    """The lists, and what is to be said of them; None where the kernel is not sure of them.

    read: gives the kernel the run, for lists that it began, and returns what is to be said of it.
    """
    if kernel is None or qrels.classes is not None or qrels.normalise is not None:
        return None
    judged = qrels.judged_docs.here
    if judged is None:
        return None
    lists = kernel.begin(judged, _ORDERS.index(order), lower_is_better, keep_scores)
    signs = read(lists)
    found = None if signs is None else _Found(*kernel.found(lists))
    if signs is None or found is None or not found.rows:
        return None
    notes = Notes(
        known=bool(found.topics),
        strangers=found.strangers,
        stranger=found.stranger,
        lists=found.several,
        tied=found.tied,
    )
    return _some_lists(found, keep_scores), notes + signs


def coded_qrels(data: Data) -> CodedRows | None:
    """Qrels of a common form; None where the kernel is not sure of them, or there is no kernel."""
    way = None if kernel is None or data.layout.reading.columns else _WAYS.get(data.reader.form)
    read = None if way is None else way.qrels(data)
    if way is None or read is None:
        return None
    topics, docs = (Texts(np.frombuffer(offsets, np.int32), ids) for offsets, ids in read[:2])
    topic, doc, grade = (np.frombuffer(column, np.int32) for column in read[2:])
    pairs = np.sort(topic.astype(np.int64) * max(1, len(docs)) + doc)
    if not len(pairs) or (pairs[1:] == pairs[:-1]).any():
        return None
    universe = tuple(data.value) if isinstance(data.value, dict) else ()
    return CodedRows(data.source, topics, docs, topic, doc, grade, universe)


def _some_lists(found: _Found, keep_scores: bool) -> SomeLists:
    """The lists by the positions of their topics; scores stay in the order of the run."""
    topics, lengths, judged, ranks, grades = (
        np.frombuffer(column, np.int64)
        for column in (found.topics, found.lengths, found.judged, found.ranks, found.grades)
    )
    order = np.argsort(topics)
    hits = places_of(offsets_of(judged), order)
    return SomeLists(
        topics[order],
        lengths[order],
        offsets_of(judged[order]),
        ranks[hits],
        grades[hits],
        offsets_of(lengths)[:-1][order],
        np.frombuffer(found.scores, np.float64) if keep_scores else None,
        None,
        np.frombuffer(found.first_scores, np.float64)[order],
        None,
        np.zeros(len(order), dtype=bool),
    )


def _lines(lists: Any, run: Data) -> Notes | None:
    path, signs = Path(run.value), NO_NOTES
    if not path.is_file():
        return None  # what comes through a pipe cannot be read again
    try:
        for number, block in enumerate(blocks(path, run.source)):
            if not kernel.lines(lists, block):
                return None
            signs += signs_of_lines(block, number)
    except (BadLineError, OSError):
        return None
    return signs


def _judged_lines(data: Data) -> Any:
    path = Path(data.value)
    if not path.is_file():
        return None  # as above
    try:
        lines = b"".join([*map(bytes, blocks(path, data.source)), b"\n"])
    except (BadLineError, OSError):
        return None
    return kernel.qrels_of_lines(lines, seed())


def _dicts(lists: Any, run: Data) -> Notes | None:
    plain = type(run.value) in _DICTS and run.layout.reading.order != "rank"
    return NO_NOTES if plain and kernel.dicts(lists, run.value, np.float64) else None


def _judged_dicts(data: Data) -> Any:
    return kernel.qrels_of_dicts(data.value, seed()) if type(data.value) in _DICTS else None


def _tuples(lists: Any, run: Data) -> Notes | None:
    items = _items(run) if run.layout.reading.order != "rank" else None
    return NO_NOTES if items and kernel.tuples(lists, *items, np.float64) else None


def _judged_tuples(data: Data) -> Any:
    items = _items(data)
    return kernel.qrels_of_tuples(*items, seed()) if items else None


def _items(data: Data) -> list[Any]:
    """The tuples, their type, how many fields they have, and where those that are read stand.

    An empty list where the kernel may not take them.
    """
    items = list(data.value) if type(data.value) is tuple else data.value
    if type(items) is not list or not items:
        return []
    kind, fields = type(items[0]), ("query_id", "doc_id", data.layout.value)
    places = [len(fields), *range(len(fields))] if kind is tuple else _places(kind, fields)
    return [items, kind, *places] if places else []


def _places(kind: type, fields: tuple[str, ...]) -> list[int]:
    """How many fields named tuples of this type have, and where those that are read stand.

    An empty list where their attributes may be something else.
    """
    plain = issubclass(kind, tuple) and kind.__getattribute__ is tuple.__getattribute__
    if not plain or kind.__dictoffset__ or any(hasattr(kind, name) for name in (RANK, MARK, COST, SHOWN)):
        return []
    getters: list[Any] = [getattr(kind, name, None) for name in fields]
    if any(type(getter).__name__ != "_tuplegetter" for getter in getters):
        return []
    return [len(getattr(kind, "_fields", ())), *(getter.__reduce__()[1][0] for getter in getters)]


class _Way(NamedTuple):
    """How the kernel takes data of one form.

    run: gives a run to lists that the kernel began. qrels: what the kernel reads of qrels. Both return None
    where the kernel is not sure.
    """

    run: Callable[[Any, Data], Notes | None]
    qrels: Callable[[Data], Any]


# By the reader that recognises the data.
_WAYS = {
    trec.form: _Way(_lines, _judged_lines),
    dicts.form: _Way(_dicts, _judged_dicts),
    named_tuples.form: _Way(_tuples, _judged_tuples),
    plain_tuples.form: _Way(_tuples, _judged_tuples),
}
