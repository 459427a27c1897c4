"""One row for each line of qrels or of a run, as columns: what every door delivers, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError
from ir_trunc._core.judgments import HIGHEST_GRADE
from ir_trunc._core.rankings import distinct
from ir_trunc._read.arrow import flat, numeric, one_array, pa, pc
from ir_trunc._read.reading import DEFAULT, Reading

PART = 1 << 17  # rows that are worked on at a time: what is made of them fits in the processor's cache

PLACEHOLDER = "__nil__"
"""The document id that makes a topic visible: never retrieved, never judged, never pooled."""


Seen = tuple[str | bytes, float, float]  # topic, rank and score of a row


class Sample(NamedTuple):
    """What was looked at of a run, for signs that it is not what it seems: to look at all would take time.

    pairs: neighbouring rows. marks: of the second column.
    """

    pairs: tuple[tuple[Seen, Seen], ...] = ()
    marks: frozenset[str] = frozenset()


Samples = tuple[Sample, ...]

_COLUMNS = ("topics", "docs", "values", "classes", "costs", "ranks", "hidden", "unscored")


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns of qrels or of a run.

    source: what to call them in a message. topics: dictionary-encoded ids. docs: ids. values: grades (int64)
    or scores (float64). classes: of qrels of answers, the class that each answer belongs to,
    dictionary-encoded. costs: of a run, what reading each document costs; None where every document costs the
    same. reading: how a run's rows become lists. ranks: where they decide. hidden: rows that were not shown,
    where some may be. unscored: rows without a score, whose value is minus their place in the list. lines_of:
    finds the lines of a topic and a document in the rows' file. samples: what was looked at of a run.
    starts_over: of a piece of a run, that it has the rows of all pieces before it, too. universe: topics that
    are known to belong to the data, with or without a row. levels: of the judgment scale, where it is known.
    named: fields whose columns the user named.
    """

    source: str
    topics: pa.DictionaryArray
    docs: pa.StringArray
    values: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    classes: pa.DictionaryArray | None = None
    costs: npt.NDArray[np.float64] | None = None
    reading: Reading = DEFAULT
    ranks: npt.NDArray[np.int64] | None = None
    hidden: npt.NDArray[np.bool_] | None = None
    unscored: npt.NDArray[np.bool_] | None = None
    lines_of: Callable[[str, str], list[int]] | None = None
    samples: Samples = ()
    starts_over: bool = False
    universe: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()

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
            bad = np.flatnonzero(~np.isfinite(rows.values))
            if len(bad):
                raise rows.error(int(bad[0]), f"score {rows.values[bad[0]]}: a finite number is needed")
        else:
            bad = np.flatnonzero((rows.values < -HIGHEST_GRADE) | (rows.values > HIGHEST_GRADE))
            if len(bad):
                raise rows.error(int(bad[0]), f"grade {rows.values[bad[0]]}: a number below 2^31 is needed")
        return rows

    @classmethod
    def concat(cls, pieces: Sequence[Rows]) -> Rows:
        """The rows of all pieces of the same data, of which there is one at least."""
        first, *others = pieces
        if not others:
            return first

        def joined(name: str) -> Any:
            columns = [getattr(piece, name) for piece in pieces]
            known = next((column for column in columns if column is not None), None)
            if known is None or isinstance(known, pa.Array):
                return None if known is None else pa.chunked_array(columns)
            return np.concatenate(
                [np.zeros(len(p), known.dtype) if c is None else c for p, c in zip(pieces, columns)]
            )

        columns = {name: joined(name) for name in _COLUMNS}
        columns["docs"] = _in_one(columns["docs"], first.source)
        columns["topics"] = encoded(columns["topics"])
        columns["classes"] = None if columns["classes"] is None else encoded(columns["classes"])
        universe = tuple(topic for piece in pieces for topic in piece.universe)
        samples = tuple(sample for piece in pieces for sample in piece.samples)
        return replace(first, **columns, samples=samples, universe=universe)

    def __len__(self) -> int:
        return len(self.docs)

    def named_topics(self) -> list[str]:
        """The topics that have a row, each once."""
        named: list[str] = self.topics.dictionary.take(pc.unique(self.topics.indices)).to_pylist()
        return named

    def error(self, at: int, problem: str) -> InputError:
        """An error about one row."""
        return InputError(f"{self.source}, topic {self.topics[at]}, document {self.docs[at]}: {problem}.")

    def twice(self, at: int, problem: str) -> InputError:
        """An error about a topic and a document that two rows have.

        It names their lines where they come from a file.
        """
        lines = self.lines_of(self.topics[at].as_py(), self.docs[at].as_py()) if self.lines_of else []
        return self.error(at, problem + (f" (lines {lines[0]} and {lines[1]})" if len(lines) > 1 else ""))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{topic: {document: value}}, the form that every tool takes."""
        result: dict[str, dict[str, float]] = {}
        for topic, doc, value in zip(self.topics.to_pylist(), self.docs.to_pylist(), self.values.tolist()):
            result.setdefault(topic, {})[doc] = value
        return result

    def filter(self, keep: npt.NDArray[np.bool_]) -> Rows:
        """Some of the rows."""
        return self if keep.all() else self.take(np.flatnonzero(keep))

    def take(self, at: npt.NDArray[np.int64]) -> Rows:
        """Some of the rows, in this order."""
        rows = numeric(at)
        taken = {
            name: column.take(rows) if isinstance(column, pa.Array) else column[at]
            for name, column in self._known()
        }
        return replace(self, **taken)

    def slice(self, start: int, stop: int) -> Rows:
        """Contiguous rows, not copied."""
        return replace(self, **{name: column[start:stop] for name, column in self._known()})

    def _known(self) -> list[tuple[str, Any]]:
        """The columns that there are, and their names."""
        columns = [(name, getattr(self, name)) for name in _COLUMNS]
        return [(name, column) for name, column in columns if column is not None]

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
            yield replace(part, samples=()) if start else part  # which are said once

    def read(
        self,
        reading: Reading,
        ranks: npt.NDArray[np.int64] | None = None,
        hidden: npt.NDArray[np.bool_] | None = None,
        unscored: npt.NDArray[np.bool_] | None = None,
        samples: Samples = (),
    ) -> Rows:
        """These rows, to be read in this way."""
        rows = replace(self, reading=reading, ranks=ranks, hidden=hidden, unscored=unscored, samples=samples)
        if not reading.lower_is_better:
            return rows
        if unscored is not None and unscored.any():
            topic = self.topics[int(unscored.argmax())]
            raise InputError(
                f"{self.source}, topic {topic}: lower_is_better needs scores, and there are none."
            )
        return replace(rows, values=-np.asarray(self.values, dtype=np.float64) + 0.0)

    def with_costs(self, costs: npt.NDArray[np.float64]) -> Rows:
        """These rows with a cost for each, finite and not negative."""
        bad = np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))
        if len(bad):
            raise self.error(int(bad[0]), f"cost {costs[bad[0]]}: a finite number >= 0 is needed")
        return replace(self, costs=costs)


def _in_one(docs: pa.ChunkedArray | pa.Array, source: str) -> pa.StringArray:
    """Document ids in one piece."""
    try:
        return one_array(docs.cast(pa.string()))
    except pa.ArrowInvalid:
        raise InputError(
            f"{source}: more than 2 GiB of document ids at once. A file is read in parts where the lines"
            " of each topic are contiguous: sort it by topic."
        ) from None


def encoded(ids: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """Ids as codes into their distinct values."""
    if not pa.types.is_dictionary(ids.type):
        ids = pc.dictionary_encode(ids)
    codes = one_array(ids.unify_dictionaries() if isinstance(ids, pa.ChunkedArray) else ids)
    return pa.DictionaryArray.from_arrays(codes.indices, codes.dictionary.cast(pa.string()))
