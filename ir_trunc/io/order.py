"""The one order of a run: topics together, scores descending as 32-bit floats, ties by document id descending.

That is trec_eval's order, so that truncated and classical measures speak of one list. Most runs arrive in it, and are only
checked; where they are not, only the topics that are out of order are sorted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.io.arrow import flat, numeric, truths
from ir_trunc.io.rows import Rows
from ir_trunc.rankings import Ints


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
        above, below = (rows.docs.take(numeric(at if order is None else order[at])) for at in (ties, ties + 1))
        wrong[ties] |= truths(pc.less(above, below))
    if not wrong.any():
        return order
    unsorted = np.zeros(int(topics.max()) + 1, dtype=bool)
    unsorted[topics[:-1][wrong]] = True
    at = np.flatnonzero(unsorted[topics])
    order = np.arange(len(topics)) if order is None else order
    # A topic's rows stand together, but the topics in any order; sorted by first appearance they fill the same places.
    first = np.zeros(len(unsorted), dtype=np.int64)
    first[topics[::-1]] = np.arange(len(topics))[::-1]
    order[at] = order[at][_sorted(first[topics[at]], scores[at], rows.docs.take(numeric(order[at])))]
    return order


def _sorted(topics: Ints, scores: npt.NDArray[np.float32], docs: pa.StringArray) -> Ints:
    """Positions that sort by topic ascending, score descending and document id descending."""
    order: Ints = np.lexsort((-scores, topics))
    topics, scores = topics[order], scores[order]
    level = np.append(False, (topics[1:] == topics[:-1]) & (scores[1:] == scores[:-1]))
    tied = np.flatnonzero(level | np.append(level[1:], False))
    group = np.cumsum(~level)[tied]
    table = pa.Table.from_arrays([numeric(group), docs.take(numeric(order[tied]))], ["group", "doc"])
    order[tied] = order[tied][flat(pc.sort_indices(table, sort_keys=[("group", "ascending"), ("doc", "descending")]))]
    return order
