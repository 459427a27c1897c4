"""Judged documents as the compiled kernel reads them, and as it keeps them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.rankings import Ints
from ir_trunc._kernel import kernel
from ir_trunc._read.arrow import Texts, numeric, pa
from ir_trunc._read.registry import Data
from ir_trunc._read.rows import PLACEHOLDER, Rows


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Qrels as the kernel reads them, no pair of topic and document twice.

    source: what to call them in a message. topics, docs: the ids that occur, each once, in the order of
    their coming. topic, doc, grade: of each judgment the places of its ids among these, and its grade.
    """

    source: str
    topics: Texts
    docs: Texts
    topic: npt.NDArray[np.int32]
    doc: npt.NDArray[np.int32]
    grade: npt.NDArray[np.int32]
    universe: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()

    def named_topics(self) -> list[str]:
        """The topics that have a row, each once."""
        return self.topics.list()

    def have(self, *ids: str) -> bool:
        """Whether one of these documents is judged."""
        near = [text for text in ids if text.encode(errors="replace") in bytes(self.docs.data)]
        return bool(near) and not set(near).isdisjoint(self.docs.list())

    def rows(self) -> Rows:
        """The judgments as rows, in the order of the file."""
        topic, doc = (numeric(codes.astype(np.int64)) for codes in (self.topic, self.doc))
        topics = pa.DictionaryArray.from_arrays(topic.cast(pa.int32()), self.topics.arrow())
        grades = self.grade.astype(np.int64)
        return Rows(self.source, topics, self.docs.arrow().take(doc), grades, universe=self.universe)


def coded_qrels(data: Data) -> CodedRows | None:
    """Qrels of a common form; None where the kernel is not sure of them, or there is no kernel."""
    way = None if kernel is None or data.layout.reading.columns else data.reader.compiled
    read = way and way.qrels(data, seed())
    if not read:
        return None
    topics, docs = (Texts(np.frombuffer(offsets, np.int32), ids) for offsets, ids in read[:2])
    topic, doc, grade = (np.frombuffer(column, np.int32) for column in read[2:])
    pairs = np.sort(topic.astype(np.int64) * max(1, len(docs)) + doc)
    if not len(pairs) or (pairs[1:] == pairs[:-1]).any():
        return None
    universe = tuple(data.value) if isinstance(data.value, dict) else ()
    return CodedRows(data.source, topics, docs, topic, doc, grade, universe)


class JudgedDocs:
    """The judged documents of qrels as the kernel has them.

    They are made of texts and numbers in buffers, and made anew of these where they are unpickled.
    """

    def __init__(self, *columns: Any):
        self.columns = columns
        self.here = kernel.judged(*columns, seed()) if kernel else None

    @classmethod
    def of(cls, topics: Texts, docs: Texts, nil: str, keys: Ints, grades: Ints) -> JudgedDocs:
        """Those of qrels. The kernel leaves lists with NIL or the placeholder to Python."""
        texts = (topics, docs, Texts.of([PLACEHOLDER, nil]))
        return cls(*(part for ids in texts for part in (ids.offsets, ids.data)), keys, grades)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.columns


def seed() -> int:
    """What the kernel's hashes begin with: nobody can make ids whose hashes meet."""
    return int.from_bytes(os.urandom(8), "little")
