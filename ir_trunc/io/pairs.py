"""Pairs of topic and document by their hashes: which stand in a run twice, and which are judged.

Equal pairs have equal hashes; where hashes meet, the topics and the ids themselves decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.io.arrow import numeric, truths
from ir_trunc.rankings import Bools, Ints, offsets_of

Words = npt.NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio in 64 bits: spreads neighbouring numbers
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)  # of a word, as it lies in memory


def hashes_of(topics: Ints, docs: pa.StringArray) -> Words:
    """A 64-bit hash of every pair. topics: as numbers >= 0."""
    hashes: Words = _hashes(docs) ^ ((topics.astype(np.uint64) + np.uint64(1)) * _ODD)
    return hashes


def repeated(hashes: Words, topics: Ints, docs: pa.StringArray) -> tuple[int, int] | None:
    """Two rows with the same topic and document, or None where there are none."""
    ascending = np.sort(hashes)
    twice = ascending[1:][ascending[1:] == ascending[:-1]]
    if not len(twice):
        return None
    seen: dict[tuple[int, str], int] = {}
    for at in np.flatnonzero(np.isin(hashes, twice)):
        first = seen.setdefault((int(topics[at]), docs[at].as_py()), int(at))
        if first != at:
            return first, int(at)
    return None


@dataclass(frozen=True, eq=False)
class PairIndex:
    """Finds some pairs, all different, among any number of others.

    topics, docs: the pairs. hashes: ascending; order: which pair each belongs to. known: for every beginning that a hash can
    have, whether one has it. starts: for the same, with fewer bits, where the hashes with it begin; longest: how many have
    it at most.
    """

    topics: Ints
    docs: pa.StringArray
    hashes: Words
    order: Ints
    known: Bools
    starts: Ints
    longest: int

    @classmethod
    def of(cls, topics: Ints, docs: pa.StringArray) -> PairIndex:
        """An index of pairs."""
        hashes = hashes_of(topics, docs)
        order = np.argsort(hashes)
        hashes = hashes[order]
        size = 1 << min(20, max(7, len(topics).bit_length()))
        counts = np.bincount(_beginnings(hashes, size), minlength=size)
        known = np.zeros(8 * size, dtype=bool)  # so large that most other pairs are not among them
        known[_beginnings(hashes, len(known))] = True
        return cls(topics, docs, hashes, order, known, offsets_of(counts), int(counts.max()))

    def find(self, hashes: Words, topics: Ints, docs: pa.StringArray) -> tuple[Ints, Ints]:
        """Rows whose pair is in the index, in any order, and which pair it is."""
        near = np.flatnonzero(self.known[_beginnings(hashes, len(self.known))])
        beginning = _beginnings(hashes[near], len(self.starts) - 1)
        start, end = self.starts[beginning], self.starts[beginning + 1]
        rows, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for step in range(self.longest):
            more = np.flatnonzero(start + step < end)
            row, place = near[more], start[more] + step
            same = self.hashes[place] == hashes[row]
            rows.append(row[same])
            places.append(place[same])
        row, pair = np.concatenate(rows), self.order[np.concatenate(places)]
        same = self.topics[pair] == topics[row]
        same &= truths(pc.equal(docs.take(numeric(row)), self.docs.take(numeric(pair))))
        return row[same], pair[same]


def _beginnings(hashes: Words, size: int) -> Ints:
    """The first bits of hashes as a number below `size`, a power of two."""
    return (hashes >> np.uint64(65 - size.bit_length())).view(np.int64)


def _hashes(strings: pa.StringArray) -> Words:
    """A 64-bit hash of every string, eight bytes at a time for all strings at once."""
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, np.int32)[strings.offset : strings.offset + len(strings) + 1].astype(np.int64)
    padded = np.zeros(int(ends[-1] - ends[0]) + 8, dtype=np.uint8)
    if data:
        padded[:-8] = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    words = np.ndarray((len(padded) - 7,), dtype="<u8", buffer=padded, strides=(1,))
    starts, lengths = ends[:-1] - ends[0], np.diff(ends)
    hashes = lengths.astype(np.uint64) * _ODD
    for at in range(0, int(lengths.max(initial=0)), 8):
        longer = np.flatnonzero(lengths > at) if at else slice(None)
        word = words[starts[longer] + at] & _FIRST_BYTES[np.minimum(lengths[longer] - at, 8)]
        mixed = (hashes[longer] ^ word) * _ODD
        hashes[longer] = mixed ^ (mixed >> np.uint64(29))
    return hashes
