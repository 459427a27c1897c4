"""Several searches for one question: their lists become one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ir_trunc._core.errors import InputError, option, shown, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.universe import Keys, Universe
from ir_trunc._ranking.ranked_rows import Notes, RankedRows
from ir_trunc._read.arrow import strings
from ir_trunc._read.reading import SEARCH
from ir_trunc._read.rows import Rows, encoded


def by_question(rows: Rows) -> tuple[Rows, Notes]:
    """The rows of a run with one list for each question, and what is noted of the lists of its searches."""
    reading, how = rows.reading, rows.reading.searches or "union"
    if not reading.by_search:
        what = f"{option('searches', how)}: nothing tells its searches apart"
        needed = f"spans, or keys whose innermost is {SEARCH!r}, are needed"
        raise InputError(f"{rows.source}: {what}; {needed}: {option('keys', ('question', SEARCH))}.")
    if how == "sequence" and reading.withheld is not None:
        what = f"{option('searches', 'sequence')} takes no {option('withheld')}"
        raise InputError(f"{rows.source}: {what}: leave one out.")
    named, keys = rows.named_topics(), cast(Keys, reading.nesting)
    # Those that returned nothing are in the universe alone; where it has them all, it has their order.
    ids = dict.fromkeys(rows.universe if {*named} <= {*rows.universe} else (*named, *rows.universe))
    if not rows.traced:
        keys.split(ids, rows.source)
    asked = np.array([name.rpartition(keys.separator)[0] for name in ids], object)
    plain = replace(reading, keys=None, searches=None, withheld=None)
    each = RankedRows.of(replace(rows, reading=plain), strings([*ids]))
    each.notes.known = False  # which topics the qrels have is seen later
    docs = pd.DataFrame({"question": asked[each.topic], "doc": each.rows.docs.to_pylist()})
    is_new, searched, is_one = ~docs.duplicated(), pd.Series(asked), how in ("first", "last")
    others = searched.duplicated(keep="first" if how == "first" else "last").to_numpy()
    keep = np.flatnonzero(~others[each.topic] if is_one else is_new)
    topics, numbers = encoded(strings(asked[each.topic[keep]].tolist())), Counter(asked.tolist())
    reading = replace(reading, keys=reading.of_questions, searches=None, stop=None)
    kept = each.rows.take(keep)
    kept = replace(kept, topics=topics, universe=(*numbers,), hidden=None, lines_of=None, reading=reading)
    several = [question for question, number in numbers.items() if number > 1]
    if not several:
        return kept, each.notes
    if not is_one:
        kept = replace(kept, ranks=None, reading=replace(reading, order="file"))
        if kept.unscored is not None:
            places = -np.arange(len(kept), dtype=np.float64)
            kept = replace(kept, unscored=np.ones(len(kept), bool), values=places)
    said = Universe(searches=how, several=len(several))
    if how == "sequence":
        in_union = is_new.groupby(docs["question"]).cumsum()
        ranks = in_union.groupby([docs["question"], docs["doc"]]).transform("first").tolist()
        bounds = zip(each.starts.tolist(), (each.starts + each.lengths).tolist())
        top = pd.Series(each.rows.values).groupby(each.topic).max().reindex(range(len(asked)))
        listed = {"sequence": [ranks[slice(*of)] for of in bounds], "top_scores": top.fillna(-np.inf)}
        of_questions: Any = pd.DataFrame(listed).groupby(asked).agg(tuple).to_dict()
        said = replace(said, **of_questions)
    if rows.reading.searches is None:
        last = f"{option('searches', 'last')} takes the last search alone"
        remedy = f"{last}, {option('searches', 'union')} confirms"
        warn(f"{rows.source}: {said.searched} (for example {shown(several[0])}); {remedy}.")
    return replace(kept, searched=said), each.notes
