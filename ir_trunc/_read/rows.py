"""Qrels and runs as columns with a row for each document, which all readers give, checked.

`Directions` collects signs that lists in an order of their own were meant otherwise: lists whose scores rise
perhaps have distances, and lists without scores that are in the order of their ids may be unranked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from ir_trunc._core.errors import InputError, counted, option, warn
from ir_trunc._core.lazy import npt
from ir_trunc._core.rankings import HIGHEST_GRADE, Bools, Floats, Ints, distinct
from ir_trunc._core.universe import Universe
from ir_trunc._read.arrow import NO_GRADE, flat, known_column, numeric, one_array, pa, pc, strings, truths
from ir_trunc._read.reading import DEFAULT, Layout, Reading

PART = 1 << 17  # rows that are worked on at a time: what is made of them fits in the processor's cache

PLACEHOLDER = "__nil__"
"""The document id of the row that makes a topic visible: never retrieved, never judged, never pooled."""

TERMINAL = "__end__"
"""The document id of the ends of lists in runs that `with_terminal` has made, for other tools."""

Seen = tuple[str | bytes, float, float]  # topic, rank and score of a row in a sample


class Sample(NamedTuple):
    """Some rows of a run, in which signs of a wrong option are looked for: all rows would take too long."""

    pairs: tuple[tuple[Seen, Seen], ...] = ()  # neighbouring rows
    marks: frozenset[str] = frozenset()  # values of the second column


Samples = tuple[Sample, ...]

_COLUMNS = ("topics", "docs", "values", "classes", "costs", "ranks", "hidden", "unscored")


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Columns of qrels or of a run, with a row for each document of a topic."""

    source: str
    topics: pa.DictionaryArray
    docs: pa.StringArray
    values: Ints | Floats  # grades or scores
    classes: pa.DictionaryArray | None = None  # of answers, in qrels of answers
    costs: Floats | None = None
    reading: Reading = DEFAULT
    ranks: Ints | None = None  # where they decide the order
    hidden: Bools | None = None  # rows that were not shown to the user, where this is known
    unscored: Bools | None = None  # rows without a score: their values are minus their places in the list
    lines_of: Callable[[str, str], list[int]] | None = None  # of a topic and a document in a file
    runs_in: Callable[[], str] | None = None  # says which column of a frame may name several runs
    samples: Samples = ()
    starts_over: bool = False  # whether this piece of a run has the rows of all pieces before it, too
    universe: tuple[str, ...] = ()  # topics that belong to the data, with or without a row
    unfilled: tuple[tuple[str, int], ...] = ()  # topics with rows without a judgment, and how many of these
    asked: tuple[str, ...] = ()  # topics of the qrels' collection, of which some may be unjudged
    levels: tuple[int, ...] = ()  # of the judgment scale, where it is known
    named: frozenset[str] = frozenset()  # fields whose columns the user named
    searched: Universe | None = None  # what is said of questions with several searches
    cut_at: int | None = None  # the length of the longest list, where a policy made it shorter
    traced: bool = False  # whether topics may be ids of spans, which exporters write with 0x or without

    @classmethod
    def of(
        cls,
        source: str,
        topics: pa.ChunkedArray,
        docs: pa.ChunkedArray,
        values: npt.NDArray[np.generic],
        classes: pa.ChunkedArray | None = None,
    ) -> Rows:
        """Rows from columns of text; scores must be finite and grades whole."""
        by_class, ids = None if classes is None else encoded(classes), _in_one(docs, source)
        rows = cls(source, encoded(topics), ids, np.asarray(values), by_class)
        if rows.values.dtype.kind == "f":
            rows.require("score", rows.values, np.isfinite(rows.values), "a finite number")
        else:
            none = rows.values == NO_GRADE
            within = none | (rows.values >= -HIGHEST_GRADE) & (rows.values <= HIGHEST_GRADE)
            rows.require("grade", rows.values, within, "a number below 2^31")
            if none.any():
                topics = Counter(rows.take(np.flatnonzero(none)).topics.to_pylist())
                rows = replace(rows.filter(~none), universe=(*topics,), unfilled=(*topics.items(),))
        return rows

    @classmethod
    def concat(cls, pieces: Sequence[Rows]) -> Rows:
        """The rows of all pieces of the same data; there is at least one piece."""
        first, *others = pieces
        if not others:
            return first

        def joined(name: str) -> Any:
            columns = [getattr(piece, name) for piece in pieces]
            present = next((column for column in columns if column is not None), None)
            if present is None:
                return None
            if isinstance(present, pa.Array):
                column = pa.chunked_array(columns)
                return _in_one(column, first.source) if name == "docs" else encoded(column)
            missing = (np.zeros(len(piece), present.dtype) for piece in pieces)
            return np.concatenate([m if c is None else c for m, c in zip(missing, columns)])

        columns = {name: joined(name) for name in _COLUMNS}
        for name in ("samples", "universe", "unfilled"):
            columns[name] = tuple(chain.from_iterable(getattr(piece, name) for piece in pieces))
        return replace(first, **columns)

    def __len__(self) -> int:
        return len(self.docs)

    def __getstate__(self) -> dict[str, Any]:
        """Without functions, which pickle may not take: costs and errors of the reader have served."""
        return {**vars(self), "lines_of": None, "runs_in": None, "reading": self.reading.without_functions()}

    def written_as(self, topics: Iterable[str]) -> Rows:
        """These rows with ids of spans and traces as in these topics, with 0x or without."""
        names = {topic.removeprefix("0x"): topic for topic in topics}
        ids = [names.get(name.removeprefix("0x"), name) for name in self.topics.dictionary.to_pylist()]
        universe = tuple(names.get(name.removeprefix("0x"), name) for name in self.universe)
        topics = pa.DictionaryArray.from_arrays(self.topics.indices, strings(ids))
        return replace(self, topics=topics, universe=universe)

    def named_topics(self) -> list[str]:
        """The topics that have a row, each once."""
        named: list[str] = self.topics.dictionary.take(pc.unique(self.topics.indices)).to_pylist()
        return named

    def require(self, what: str, numbers: npt.NDArray[Any], right: Bools, needed: str) -> None:
        """InputError about the first row whose number is not right."""
        if not right.all():
            row = int(right.argmin())
            raise self.error(row, f"{what} {numbers[row]}: {needed} is needed")

    def error(self, row: int, problem: str) -> InputError:
        """An error about one row."""
        return InputError(f"{self.source}, topic {self.topics[row]}, document {self.docs[row]}: {problem}.")

    def both(self, row: int, other: int | None, problem: str) -> InputError:
        """An error about two rows of a topic (by default of one document), with their lines in a file."""
        topic, doc = self.topics[row].as_py(), self.docs[row].as_py()
        lines = self.lines_of(topic, doc) if self.lines_of else []
        if other is not None and self.lines_of:
            lines = sorted([lines[0], self.lines_of(topic, self.docs[other].as_py())[0]])
        return self.error(row, problem + (f" (lines {lines[0]} and {lines[1]})" if len(lines) > 1 else ""))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{topic: {document: value}}, the form that every tool takes."""
        result: dict[str, dict[str, float]] = {}
        for topic, doc, value in zip(self.topics.to_pylist(), self.docs.to_pylist(), self.values.tolist()):
            result.setdefault(topic, {})[doc] = value
        return result

    def filter(self, keep: Bools) -> Self:
        """Some of the rows."""
        return self if keep.all() else self.take(np.flatnonzero(keep))

    def take(self, places: Ints) -> Self:
        """Some of the rows, in this order."""
        rows = numeric(places)
        return self._with_each(lambda c: c.take(rows) if isinstance(c, pa.Array) else c[places])

    def slice(self, start: int, stop: int) -> Self:
        """Contiguous rows, not copied."""
        return self._with_each(lambda column: column[start:stop])

    def _with_each(self, change: Callable[[Any], Any]) -> Self:
        columns = ((name, getattr(self, name)) for name in _COLUMNS)
        return replace(self, **{name: change(column) for name, column in columns if column is not None})

    def parts(self) -> Iterator[Rows]:
        """The rows in parts of whole topics; in one part where the rows of a topic are not contiguous."""
        if len(self) <= PART:
            yield self
            return
        codes = flat(self.topics.indices)
        firsts = np.flatnonzero(codes[1:] != codes[:-1]) + 1
        topics = np.append(codes[:1], codes[firsts])
        if len(distinct(topics)) < len(topics):
            firsts = firsts[:0]
        cuts = distinct(firsts[np.searchsorted(firsts, np.arange(PART, firsts.max(initial=0), PART))])
        for start, stop in pairwise([0, *cuts.tolist(), len(self)]):
            part = self.slice(start, stop)
            yield replace(part, samples=(), universe=()) if start else part  # one warning is enough

    def read(self, reading: Reading, **columns: Any) -> Rows:
        """These rows with what the options of a run decide. columns: their ranks, for example."""
        rows = replace(self, reading=reading, **columns)
        if not reading.lower_is_better:
            return rows
        if rows.unscored is not None and rows.unscored.any():
            place = f"{self.source}, topic {self.topics[int(rows.unscored.argmax())]}"
            raise InputError(f"{place}: lower_is_better needs scores, and there are none.")
        return replace(rows, values=-np.asarray(self.values, dtype=np.float64) + 0.0)


def _in_one(docs: pa.ChunkedArray | pa.Array, source: str) -> pa.StringArray:
    """Document ids in one piece."""
    try:
        return one_array(docs.cast(pa.string()))
    except pa.ArrowInvalid:
        remedy = "A file is read in parts where the lines of each topic are contiguous: sort it by topic."
        raise InputError(f"{source}: more than 2 GiB of document ids at once. {remedy}") from None


def encoded(ids: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """Ids as codes into their distinct values."""
    if not len(ids):  # pyarrow before 19 puts no dictionaries of large strings together without a chunk
        return strings([]).dictionary_encode()
    if not pa.types.is_dictionary(ids.type):
        ids = pc.dictionary_encode(ids)
    codes = one_array(ids.unify_dictionaries() if isinstance(ids, pa.ChunkedArray) else ids)
    return pa.DictionaryArray.from_arrays(codes.indices, codes.dictionary.cast(pa.string()))


_ENOUGH = 10  # lists that show a direction
_MOST = 0.95  # of them
_CHANCE = 1e-6  # that documents are in the order of their ids
LEAST_ROWS = 2 * _ENOUGH
_SAMPLE = 256  # rows of a run in memory that are compared with the next ones


class Directions:
    """Counts the lists of a run whose scores rise, and those in the order of their ids."""

    def __init__(self, source: str, reading: Reading = DEFAULT):
        self.source, self.reading = source, reading
        self.scored = self.rising = self.unscored = self.by_id = 0
        self.log_chance = 0.0

    def add(self, rows: Rows, ordered: bool) -> None:
        """Count the lists of a piece; those that have ranks are looked at where they are ranked.

        ordered: whether documents with scores are in an order of their own.
        """
        self.reading, topics = rows.reading, flat(rows.topics.indices)
        same = topics[1:] == topics[:-1]
        if not same.any() or any(sample.pairs for sample in rows.samples):
            return
        if rows.unscored is None and ordered:
            self.count(topics[1:][same], np.diff(rows.values)[same])
        elif rows.unscored is not None and rows.unscored.all() and rows.ranks is None:
            pairs = np.bincount(topics[1:][same])
            in_order = np.bincount(topics[1:][same & _follow(rows.docs)], minlength=len(pairs))
            self.unscored += int(np.count_nonzero(pairs))
            self.by_id += int(np.count_nonzero(pairs * (pairs == in_order)))
            self.log_chance -= sum(math.lgamma(number + 2) for number in pairs[pairs > 0].tolist())

    def count(self, lists: npt.NDArray[Any], changes: npt.NDArray[Any]) -> None:
        """Count lists by the changes from a score to the next one, a change for each number of a list."""
        most = int(lists.max(initial=-1)) + 1
        rises, falls = (np.bincount(lists[sign * changes > 0], minlength=most) for sign in (1, -1))
        self.scored += int(np.count_nonzero(rises + falls))
        self.rising += int(np.count_nonzero(rises * (falls == 0)))

    def warn(self) -> None:
        """Warn of what the lists of the run show."""
        if self.reading.without_scores:
            return
        if self.scored >= _ENOUGH and self.rising >= _MOST * self.scored:
            what, remedy = "scores rise", f"if they are distances, {option('lower_is_better', True)}"
            if self.reading.lower_is_better:
                what = "distances fall"
                remedy = f"if higher scores are better, leave {option('lower_is_better', True)} out"
            where = f"from the first document on in {self.rising} of {counted(self.scored, 'list')}"
            in_order = f"if the lists are in their order, {option('order', 'file')}"
            warn(f"{self.source}: the {what} {where}; {remedy}, and {in_order}.")
        if self.log_chance < math.log(_CHANCE) and self.unscored >= _ENOUGH and self.by_id == self.unscored:
            what = f"all {self.unscored} lists without scores are in the order of their document ids"
            remedy = f"{option('order', 'file')} confirms"
            warn(f"{self.source}: {what}, which is taken for the ranking; {remedy}.")


def samples_of(topics: pa.DictionaryArray, scores: npt.NDArray[Any], ranks: Any, marks: Any) -> Samples:
    """A sample of rows. scores: as they were given. ranks, marks: columns of any type, or None."""
    if not len(scores) or (ranks is None and marks is None):
        return ()
    places = distinct(np.linspace(0, len(scores) - 1, _SAMPLE).astype(np.int64))
    seen_marks: list[str] = []
    texts, numbers = (None if given is None else known_column(given) for given in (marks, ranks))
    if texts is not None and not pa.types.is_primitive(texts.type):
        seen_marks = texts.cast(pa.string()).take(numeric(places)).to_pylist()
    if numbers is None or not (pa.types.is_integer(numbers.type) or pa.types.is_floating(numbers.type)):
        numbers = numeric(np.zeros(len(scores)))
    names = topics.dictionary_decode()

    def seen(rows: npt.NDArray[np.int64]) -> list[Seen]:
        here = numeric(rows)
        return list(zip(names.take(here).to_pylist(), numbers.take(here).to_pylist(), scores[rows].tolist()))

    places = places[places < len(scores) - 1]
    return (Sample(tuple(zip(seen(places), seen(places + 1))), frozenset(seen_marks)),)


def _follow(docs: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Whether each id comes after the one before it, as text or, where all are digits, as a number."""
    follows = truths(pc.greater(docs[1:], docs[:-1]))
    if pc.all(pc.utf8_is_digit(docs)).as_py():
        length = np.diff(flat(pc.binary_length(docs)).astype(np.int64))
        follows = (length > 0) | ((length == 0) & follows)
    return follows


def report_direction(
    layout: Layout, source: str, size: int, topic: Callable[[int], Any], score: Callable[[int], float]
) -> None:
    """Report the direction of rows that the kernel reads, by some of them. topic, score: those of a row."""
    if size < LEAST_ROWS or layout.reading.without_scores:
        return
    codes: dict[Any, int] = {}
    places = distinct(np.linspace(0, size - 2, _SAMPLE).astype(np.int64)).tolist()
    places = [place for place in places if topic(place) == topic(place + 1)]
    lists = np.array([codes.setdefault(topic(place), len(codes)) for place in places], np.int64)
    changes = np.array([float(score(place + 1)) - float(score(place)) for place in places])
    directions = Directions(source, layout.reading)
    directions.count(lists, -changes if layout.reading.lower_is_better else changes)
    directions.warn()
