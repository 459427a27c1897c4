"""Several searches for one question: their lists become one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import cast

import numpy as np

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._core.universe import Keys, Universe
from ir_trunc._ranking.ranked_rows import Notes, RankedRows
from ir_trunc._read.arrow import strings
from ir_trunc._read.reading import SEARCH
from ir_trunc._read.rows import Rows, encoded


def searches_of(rows: Rows) -> dict[str, str]:
    """The id of each search, in their order, with its question; also of those that returned nothing."""
    named, keys = rows.named_topics(), cast(Keys, rows.reading.nesting)
    names = dict.fromkeys(rows.universe if {*named} <= {*rows.universe} else (*named, *rows.universe))
    if not rows.traced:
        keys.split(names, rows.source)
    return {name: name.rpartition(keys.separator)[0] for name in names}


def by_question(rows: Rows) -> tuple[Rows, Notes]:
    """The rows of a run with one list for each question, and what is noted of the lists of its searches."""
    reading, how = rows.reading, rows.reading.searches or "union"
    if not reading.by_search:
        needed = f"spans, or keys whose innermost is {SEARCH!r}, are needed: keys=('question', {SEARCH!r})"
        raise InputError(f"{rows.source}: searches={how!r}: nothing tells its searches apart; {needed}.")
    if how == "sequence" and reading.withheld is not None:
        raise InputError(f"{rows.source}: searches='sequence' takes no withheld=: leave one out.")
    asked = searches_of(rows)
    names, last = [*asked], {question: name for name, question in asked.items()}
    plain = replace(reading, keys=None, searches=None, withheld=None)
    each = RankedRows.of(replace(rows, reading=plain), strings(names))
    each.notes.known = False  # which topics the qrels have is seen later
    ranks: dict[str, dict[str, int]] = {question: {} for question in last}
    listed: dict[str, list[int]] = {name: [] for name in names}
    keep = []
    for row, (search, doc) in enumerate(zip(each.topic.tolist(), each.rows.docs.to_pylist())):
        name = names[search]
        known = ranks[asked[name]]
        if name == last[asked[name]] if how == "last" else doc not in known:
            keep.append(row)
        listed[name].append(known.setdefault(doc, len(known) + 1))
    kept = each.rows.take(np.array(keep, np.int64))
    topics = encoded(strings([asked[name] for name in kept.topics.to_pylist()]))
    reading = replace(reading, keys=reading.of_questions, searches=None, stop=None)
    kept = replace(kept, topics=topics, universe=(*last,), hidden=None, lines_of=None, reading=reading)
    several = [question for question, number in Counter(asked.values()).items() if number > 1]
    if not several:
        return kept, each.notes
    if how != "last":
        kept = replace(kept, ranks=None, reading=replace(reading, order="file"))
        if kept.unscored is not None:
            places = -np.arange(len(kept), dtype=np.float64)
            kept = replace(kept, unscored=np.ones(len(kept), bool), values=places)
    sequence: dict[str, tuple[list[int], ...]] = {}
    for name, question in asked.items():
        sequence[question] = (*sequence.get(question, ()), listed[name])
    told = Universe(searches=how, several=len(several), sequence=sequence if how == "sequence" else None)
    other = "" if rows.reading.searches else "; searches='last' takes the last search alone"
    warn(f"{rows.source}: {told.searched} (for example {shown(several[0])}){other}.")
    return replace(kept, searched=told), each.notes
