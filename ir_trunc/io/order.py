"""The one order of a run: topics together, scores descending as 32-bit floats, ties by document id descending.

That is trec_eval's order, so that truncated and classical measures speak of one list. Most runs arrive in it, and are only
checked; where they are not, only the topics that are out of order are sorted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.io.rows import Rows
from ir_trunc.rankings import Ints

Words = npt.NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio in 64 bits: spreads neighbouring numbers


def ranked_order(topics: Ints, rows: Rows) -> Ints | None:
    """Positions that bring the rows into order, or None where they are in it. topics: each row's topic, as a number."""
    with np.errstate(over="ignore"):
        scores = rows.values.astype(np.float32)
    order = None
    changes = np.flatnonzero(np.diff(topics))
    if len(changes) + 1 > np.count_nonzero(np.bincount(topics)):
        order = np.argsort(topics, kind="stable")
        topics, scores = topics[order], scores[order]
    same = topics[1:] == topics[:-1]
    wrong = same & (scores[1:] > scores[:-1])
    ties = np.flatnonzero(same & (scores[1:] == scores[:-1]))
    if len(ties):
        above, below = (rows.docs.take(pa.array(at if order is None else order[at])) for at in (ties, ties + 1))
        wrong[ties] |= np.asarray(pc.less(above, below).to_numpy(zero_copy_only=False))
    if not wrong.any():
        return order
    unsorted = np.zeros(int(topics.max()) + 1, dtype=bool)
    unsorted[topics[:-1][wrong]] = True
    at = np.flatnonzero(unsorted[topics])
    order = np.arange(len(topics)) if order is None else order
    part = {"topic": topics[at], "score": scores[at], "doc": rows.docs.take(pa.array(order[at]))}
    # A topic's rows stand together, but the topics in any order; sorted by first appearance they fill the same places.
    first = np.zeros(len(unsorted), dtype=np.int64)
    first[topics[::-1]] = np.arange(len(topics))[::-1]
    part["topic"] = first[part["topic"]]
    keys = [("topic", "ascending"), ("score", "descending"), ("doc", "descending")]
    order[at] = order[at][pc.sort_indices(pa.table(part), sort_keys=keys).to_numpy()]
    return order


def repeated(topics: Ints, docs: pa.StringArray) -> tuple[int, int] | None:
    """Two rows with the same topic and document, or None where there are none.

    Equal ids have equal hashes; where hashes meet, the ids themselves decide.
    """
    keys = _hashes(docs) ^ ((topics.astype(np.uint64) + np.uint64(1)) * _ODD)
    by_key = np.sort(keys)
    twice = by_key[1:][by_key[1:] == by_key[:-1]]
    if not len(twice):
        return None
    seen: dict[tuple[int, str], int] = {}
    for at in np.flatnonzero(np.isin(keys, twice)):
        first = seen.setdefault((int(topics[at]), docs[at].as_py()), int(at))
        if first != at:
            return first, int(at)
    return None


def _hashes(strings: pa.StringArray) -> Words:
    """A 64-bit hash of every string, eight bytes at a time for all strings at once."""
    _, offsets, data = strings.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[strings.offset : strings.offset + len(strings) + 1].astype(np.int64)
    padded = np.zeros((data.size if data else 0) + 8, dtype=np.uint8)
    if data:
        padded[: data.size] = np.frombuffer(data, dtype=np.uint8)
    words = np.ndarray((len(padded) - 7,), dtype="<u8", buffer=padded, strides=(1,))
    lengths = np.diff(bounds)
    hashes = lengths.astype(np.uint64) * _ODD
    for start in range(0, int(lengths.max(initial=0)), 8):
        longer = np.flatnonzero(lengths > start) if start else slice(None)
        here = words[np.minimum(bounds[:-1][longer] + start, len(words) - 1)]
        missing = np.clip(8 - (lengths[longer] - start), 0, 8).astype(np.uint64) * np.uint64(8)
        here = np.where(missing >= 64, np.uint64(0), here << np.minimum(missing, np.uint64(63)))
        mixed = (hashes[longer] ^ here) * _ODD
        hashes[longer] = mixed ^ (mixed >> np.uint64(29))
    return hashes
