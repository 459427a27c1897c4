"""Several searches: what a session of searches for one question finds, where each costs the searcher more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError, option
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import GradeGains, Number, Whole
from ir_trunc.measures.parts import Gains, mapped, over

JARVELIN_2008 = "Järvelin, Price, Delcambre & Nielsen, ECIR 2008, https://doi.org/10.1007/978-3-540-78646-7_4"

QUESTION = "How much do several searches for one question find, and how soon?"

Patience = Annotated[float, Number("base of the discount of later searches: high if patient", 1, inside=True)]
Depth = Annotated["int | None", Whole("depth of each search, written @k: its first k documents are seen")]


def sessions(
    lists: Lists, bq: float, k: int | None, gains: Gains
) -> Iterator[tuple[slice, Floats, list[Floats]]]:
    """For each query its points, the gain of the session to each, and the discounts of the places to each.

    A list is the union of its searches. Its first d documents are what was shown before another new document
    was. A run without searches has one for each question.
    """
    universe, hits = lists.rankings.universe, gains.hits
    if universe is not None and universe.searches in ("union", "first", "last"):
        merged = option("searches", universe.searches)
        needed = f"read the run with {option('searches', 'sequence')}"
        raise ParameterError(f"sDCG and nsDCG need the searches that {merged} does not keep apart: {needed}.")
    known = (universe and universe.sequence) or {}
    query = np.arange(len(lists.lengths) + 1)
    bounds = np.searchsorted(lists.spread(query[:-1]), query).tolist()
    for q, topic in enumerate(lists.judgments.topics):
        own, points, seen = slice(*lists.offsets[q : q + 2]), slice(*bounds[q : q + 2]), set[int]()
        worth = dict(zip(lists.rank[own].tolist(), hits[own].tolist()))
        searches: Iterable[Iterable[int]] = known.get(topic, [range(1, int(lists.lengths[q]) + 1)])
        places = [(0, 0.0, 0.0)]  # documents so far, discount, and gain
        for number, search in enumerate(searches, 1):
            for rank, document in enumerate(search, 1):
                effort = (1 + math.log(number, bq)) * math.log2(rank + 1)
                discount = 1 / effort if k is None or rank <= k else 0.0
                gain = 0.0 if document in seen else worth.get(document, 0.0) * discount
                places.append((max(places[-1][0], document), discount, gain))
                seen.update([document] if discount else [])
        most, discounts, gained = np.array(places).T
        ends = np.searchsorted(most, lists.n[points], side="right")
        yield points, np.cumsum(gained)[ends - 1], [discounts[:end] for end in ends]


@measure(source=JARVELIN_2008, range=(0, np.inf), cutoff="none", at="k", takes_judged_only=False)
def sDCG(lists: Lists, bq: Patience = 4.0, gains: GradeGains = None, k: Depth = None) -> Floats:
    """Session-based discounted cumulative gain: the gains of several searches for one question.

    sum_j DCG_j / (1 + log_bq j), DCG_j = sum_{i <= k} g_ij / log2(i + 1)

    g_ij is the gain of document i of search j, 0 if an earlier search showed it within its first k. An empty
    search counts in j. The run is read with searches='sequence'; without several searches it is DCG@k.
    """
    each = [gained for _, gained, _ in sessions(lists, bq, k, mapped(lists, gains))]
    return np.concatenate([np.zeros(0), *each])


@measure(
    source=f"{JARVELIN_2008}, normalised by the best session of these lengths",
    cutoff="none",
    at="k",
    takes_judged_only=False,
    reads=lambda gains=None, **_: ("end",) if (gains or {}).get(0) else (),
)
def nsDCG(lists: Lists, bq: Patience = 4.0, gains: GradeGains = None, k: Depth = None) -> Floats:
    """Normalised session-based discounted cumulative gain.

    sDCG@k / sDCG@k of the best session

    The best session has as many searches as this one, of the same lengths, without a document twice, and the
    highest gains at the places with the lowest discounts. A short list is thus divided by what as many
    documents can reach, other than in nDCG. Empty list, nil query: 0.
    """
    worth = mapped(lists, gains)
    offsets, best = worth.judged.offsets, worth.ideal_hits
    values, ideal = np.zeros(len(lists.n)), np.zeros(len(lists.n))
    for q, (points, gained, places) in enumerate(sessions(lists, bq, k, worth)):
        gains_of_best = best[offsets[q] : offsets[q + 1]]
        values[points] = gained
        ideal[points] = [
            (np.sort(each)[::-1][: len(gains_of_best)] * gains_of_best[: len(each)]).sum() for each in places
        ]
    return over(values, ideal)
