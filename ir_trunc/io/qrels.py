"""Qrels made ready for any number of runs: a run's rows become ranked lists with grades."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.errors import InputError, IrTruncWarning
from ir_trunc.io.order import ranked_order, repeated
from ir_trunc.io.rows import NIL, PLACEHOLDER, Rows
from ir_trunc.rankings import Ints, Judgments, Rankings, canonical_order, offsets_of


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgments of a test collection, by document id.

    judgments: the grades by topic. topics: the query universe, in canonical order. docs: the distinct judged ids. keys,
    grades: one for each judged document, keys (topic x documents + document) ascending.
    """

    judgments: Judgments
    topics: pa.StringArray
    docs: pa.StringArray
    keys: Ints
    grades: Ints

    @classmethod
    def of(cls, rows: Rows, topics: Iterable[str] = ()) -> Qrels:
        """Qrels from rows, and the topics of the query universe that no row names."""
        named = rows.topics.dictionary.take(pc.unique(rows.topics.indices)).to_pylist()
        universe = list(dict.fromkeys([*named, *map(str, topics)]))
        names = pa.array([universe[at] for at in canonical_order(universe)], pa.string())
        if not universe:
            raise InputError(f"{rows.source}: there is no topic; at least one is needed.")
        code = pc.index_in(rows.topics.dictionary, value_set=names).fill_null(0).to_numpy()[rows.topics.indices.to_numpy()]
        twice = repeated(code, rows.docs)
        if twice:
            raise rows.error(twice[1], "it is judged twice")
        special = pc.is_in(rows.docs, value_set=pa.array([NIL, PLACEHOLDER])).to_numpy(zero_copy_only=False)
        docs = rows.docs.filter(pa.array(~special)).dictionary_encode()
        code, grades = code[~special].astype(np.int64), np.asarray(rows.values)[~special].astype(np.int64)
        keys = code * max(1, len(docs.dictionary)) + docs.indices.to_numpy()
        order = np.argsort(keys)
        judgments = Judgments.from_rows(names.to_pylist(), code, grades)
        return cls(judgments, names, docs.dictionary, keys[order], grades[order])

    def rank(self, run: Rows) -> Rankings:
        """The ranked lists of a run, one for each topic of the qrels."""
        return self.rank_and_places(run)[0]

    def rank_and_places(self, run: Rows) -> tuple[Rankings, Ints]:
        """The ranked lists of a run, and the place in `keys` of each of their judged documents."""
        code_of = pc.index_in(run.topics.dictionary, value_set=self.topics).fill_null(-1).to_numpy().astype(np.int64)
        code = code_of[run.topics.indices.to_numpy()]
        twice = repeated(run.topics.indices.to_numpy(), run.docs)
        if twice:
            raise run.error(twice[1], "it is in the list twice")
        special = pa.array([NIL, PLACEHOLDER])
        doc = pc.index_in(run.docs, value_set=pa.concat_arrays([special, self.docs])).fill_null(-1).to_numpy()
        keep = (code >= 0) & (doc != 1)
        if not keep.all():
            self._warn_of_strangers(run, code)
            run, code, doc = run.filter(keep), code[keep], doc[keep]
        order = ranked_order(code, run)
        scores = np.asarray(run.values, dtype=np.float64)
        if order is not None:
            code, doc, scores = code[order], doc[order], scores[order]
        lengths, starts, rank = _places(code, len(self.topics))
        lengths = _ended_by_nil(run.source, lengths, code[doc == 0], rank[doc == 0])
        hits, places = self._judged(code, doc, (doc > 1) & (rank <= lengths[code]))
        # Topics follow each other in the file's order, hits go in the qrels' order.
        hits, places = (part[np.argsort(code[hits], kind="stable")] for part in (hits, places))
        offsets = offsets_of(np.bincount(code[hits], minlength=len(self.topics)))
        return Rankings(self.judgments, lengths, offsets, rank[hits], self.grades[places], starts, scores), places

    def to_dict(self) -> dict[str, dict[str, int]]:
        """{topic: {document: grade}}; a topic without judgments has the placeholder, so that every tool sees it."""
        topic, doc = np.divmod(self.keys, max(1, len(self.docs)))
        result: dict[str, dict[str, int]] = {name: {} for name in self.judgments.topics}
        for name, document, grade in zip(topic, self.docs.take(pa.array(doc)).to_pylist(), self.grades.tolist()):
            result[self.judgments.topics[name]][document] = grade
        return {name: docs or {PLACEHOLDER: 0} for name, docs in result.items()}

    def _judged(self, code: Ints, doc: Ints, candidates: Ints) -> tuple[Ints, Ints]:
        """Rows whose document is judged for their topic, and the place of that judgment in `keys`."""
        at = np.flatnonzero(candidates)
        keys = code[at] * len(self.docs) + (doc[at] - 2)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        same = self.keys[found] == keys if len(self.keys) else np.zeros(len(at), dtype=bool)
        return at[same], found[same]

    def _warn_of_strangers(self, run: Rows, code: Ints) -> None:
        strangers = len(pc.unique(run.topics.indices.filter(pa.array(code < 0))))
        if strangers:
            what = f"{strangers} topics that the qrels lack are" if strangers > 1 else "1 topic that the qrels lack is"
            none = "; NO topic is left" if strangers == len(pc.unique(run.topics.indices)) else ""
            first = run.topics[int(np.argmax(code < 0))]
            warnings.warn(f"{run.source}: {what} left out (topic {first} first){none}.", IrTruncWarning, stacklevel=3)


def _places(code: Ints, topics: int) -> tuple[Ints, Ints, Ints]:
    """Length and start of every topic's list, and the rank of every row, where a topic's rows stand together."""
    lengths = np.bincount(code, minlength=topics)
    firsts = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1]))[: len(code)])
    starts = np.zeros(topics, dtype=np.int64)
    starts[code[firsts]] = firsts
    return lengths, starts, np.arange(len(code)) - starts[code] + 1


def _ended_by_nil(source: str, lengths: Ints, topics: Ints, ranks: Ints) -> Ints:
    """Lengths of lists that end before their NIL document; a warning counts the documents behind it."""
    if not len(topics):
        return lengths
    ended = lengths.copy()
    ended[topics] = ranks - 1
    behind = lengths[topics] - ranks
    if behind.any():
        what = f"{NIL} ends {np.count_nonzero(behind)} list(s) before their last document"
        warnings.warn(f"{source}: {what}; {behind.sum()} documents behind it are left out.", IrTruncWarning, stacklevel=3)
    return ended
