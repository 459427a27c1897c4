"""The one order of a run: topics together, scores descending as 32-bit floats, ties by document id descending.

That is trec_eval's order, so that truncated and classical measures speak of one list. Most runs arrive in it, and are only
checked; where they are not, only the topics that are out of order are sorted.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc.io.arrow import flat, numeric, truths
from ir_trunc.io.rows import Rows
from ir_trunc.rankings import Bools, Ints, distinct


def ranked_order(topics: Ints, rows: Rows) -> Ints | None:
    """Positions that bring the rows into order, or None where they are in it. topics: each row's topic, as a number."""
    with np.errstate(over="ignore"):
        scores = rows.values.astype(np.float32)
    order = None
    same = topics[1:] == topics[:-1]
    firsts = np.append(topics[:1], topics[1:][~same])
    if len(distinct(firsts)) < len(firsts):
        order = np.argsort(topics, kind="stable")
        topics, scores = topics[order], scores[order]
        same = topics[1:] == topics[:-1]
    rises = same & (scores[1:] > scores[:-1])
    if rises.any():
        order = np.arange(len(topics)) if order is None else order
        unsorted = np.zeros(int(topics.max()) + 1, dtype=bool)
        unsorted[topics[:-1][rises]] = True
        at = np.flatnonzero(unsorted[topics])
        # A topic's rows stand together, but the topics in any order; sorted by first appearance they fill the same places.
        first = np.cumsum(np.append(True, ~same))[at]
        by_score = at[np.lexsort((-scores[at], first))]
        order[at], scores[at] = order[by_score], scores[by_score]
    return _with_ties_in_order(order, same & (scores[1:] == scores[:-1]), rows.docs)


def _with_ties_in_order(order: Ints | None, tied: Bools, docs: pa.StringArray) -> Ints | None:
    """The same order with descending ids where rows are tied with the next."""
    ties = np.flatnonzero(tied)
    above, below = (docs.take(numeric(at if order is None else order[at])) for at in (ties, ties + 1))
    if not truths(pc.less(above, below)).any():
        return order
    order = np.arange(len(tied) + 1) if order is None else order
    group = np.cumsum(np.append(True, ~tied))
    at = np.flatnonzero(np.append(False, tied) | np.append(tied, False))
    table = pa.Table.from_arrays([numeric(group[at]), docs.take(numeric(order[at]))], ["group", "doc"])
    order[at] = order[at][flat(pc.sort_indices(table, sort_keys=[("group", "ascending"), ("doc", "descending")]))]
    return order
