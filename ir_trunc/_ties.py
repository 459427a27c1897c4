"""Scores where documents are tied: their mean over all orders of the ties, the least and the greatest.

Documents of one list with the same score are ordered anew; the documents and the end of a list stay as they
are. All results are exact. For most measures, what a document adds to the score depends on its rank, its
gain and the gains above it, but not on the order of these. The orders of a group of tied documents are then
the paths through a lattice, whose nodes are the numbers of documents of each kind that stand above. A step
has the same value in all paths: few orders show the values of all steps, and a pass over the nodes gives the
mean, the least and the greatest sum. Of other measures, all orders are scored.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, counted, noted, option
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings, offsets_of, sizes_of
from ir_trunc._read.reading import Reading
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Result, Results
from ir_trunc.measures import BoundMeasure, scores

LIMIT = 100_000
"""The most orders of one list that are scored for a measure."""

_CELLS = 1 << 18  # documents and judgments that are scored at a time
_UNJUDGED = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False, repr=False)
class TiedScores(Result):
    """Scores over all orders of the documents that have the same score in a list.

    Attributes
    ----------
    tied : array of bool
        The lists in which documents are tied (Q).
    judged : array of int
        How many judged documents are tied in each list (Q).
    expected, least, greatest : Results
        For each list the mean over all orders, the least and the greatest score.

    Examples
    --------
    >>> from ir_trunc import calc
    >>> run = {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    >>> results = calc("RR", {"q": {"a": 1}, "r": {"a": 1}}, run, ties="expected")
    >>> results.ties
    means over all orders of the ties in 1 of 2 lists, with 1 judged document
             expected  least  greatest
    measure
    RR         0.8750 0.7500    1.0000
    >>> results.ties.least["RR"].to_dict()
    {'q': 0.5, 'r': 1.0}
    """

    tied: Bools
    judged: Ints
    expected: Results
    least: Results
    greatest: Results

    @property
    def heading(self) -> str:
        """How many lists have ties, and how many judged documents are tied."""
        lists = f"{self.tied.sum()} of {counted(len(self.tied), 'list')}"
        judged = counted(int(self.judged.sum()), "judged document")
        return f"means over all orders of the ties in {lists}, with {judged}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure: the means of the expected, the least and the greatest scores."""
        bounds = {"expected": self.expected, "least": self.least, "greatest": self.greatest}
        return pd.DataFrame({name: each.aggregated.to_pandas()["value"] for name, each in bounds.items()})

    def over(self, keep: Bools) -> TiedScores:
        """The same over some of the topics."""
        parts = (each.over(keep) for each in (self.expected, self.least, self.greatest))
        return TiedScores(self.tied[keep], self.judged[keep], *parts)


def with_orders(measures: MeasureLike) -> dict[Measure, BoundMeasure]:
    """The measures with their formulas; ParameterError for one that does not score each list by itself."""
    formulas = {}
    for measure, formula in read_measures(measures).items():
        if formula is None or formula.definition.scope == "run":
            why = "looks at all lists of a run" if formula else "is computed by another tool"
            none = "it has no expected score over ties"
            raise ParameterError(f"{measure} {why}: {none}. Leave one of both out.")
        formulas[measure] = formula
    return formulas


def check_ties(measures: MeasureLike, reading: Reading, depth: int | None) -> None:
    """ParameterError where measures or options have no scores over ties."""
    with_orders(measures)
    if reading.without_scores:
        needed = f"{option('ties', 'expected')} needs {option('order', 'score')}"
        raise ParameterError(f"{option('order', reading.order)} leaves no ties: {needed}.")
    if depth is not None:
        what = "lists cut at a depth have one order; leave one out"
        raise ParameterError(f"{option('ties', 'expected')}: {what}.")


def score_ties(measures: MeasureLike, rankings: Rankings, source: str) -> TiedScores:
    """Scores over all orders of the documents whose scores are equal, as `order` compares them."""
    named = with_orders(measures)
    if rankings.scores is None:
        what = "its lists have no scores that could be tied"
        raise InputError(f"{source}: {what}; leave {option('ties', 'expected')} out.")
    of_answers = rankings.overlaps is not None or rankings.answers is not None
    if of_answers or (rankings.nil and rankings.nil.convention == "sakai"):
        what = "answers" if of_answers else "a NIL that is right at rank 1 only"
        raise InputError(f"{source}: its lists hold {what}; {option('ties', 'expected')} is for documents.")
    if rankings.universe is not None and rankings.universe.searches in ("union", "sequence"):
        remedy = f"take {option('searches', 'last')}, or leave {option('ties')} out"
        raise InputError(f"{source}: lists of several searches have no ties: {remedy}.")
    tied = _TiedLists.of(rankings)
    condensed = _TiedLists.of(rankings.condensed()) if any(f.judged_only for f in named.values()) else tied
    values = np.array([scores(named.values(), rankings)] * 3)  # mean, least, greatest
    alike: dict[tuple[int | None, int | None, bool, bool], list[int]] = defaultdict(list)
    for place, formula in enumerate(named.values()):
        of_orders = formula.definition.ties == "orders"
        alike[formula.cutoff, _binary_from(formula), of_orders, formula.judged_only].append(place)
    with noted(issued=False):  # the plain scores have given the warnings
        for (cutoff, rel, whole, judged_only), places in alike.items():
            formulas = [list(named.values())[place] for place in places]
            lists = (condensed if judged_only else tied).by_kind(rel)
            groups, first_of, found = lists.groups(cutoff, rel), dict[Any, int](), dict[int, Floats]()
            # Lists with the same grades, ties and judgments have the same scores, if nothing else is read.
            reads_more = (isinstance(f.params.get("D"), dict) or "confidence" in f.reads for f in formulas)
            alone = whole or rankings.costs is not None or any(reads_more)
            same = {q: q if alone else first_of.setdefault(lists.pattern(q), q) for q in groups}
            distinct = (groups[q] for q in groups if same[q] == q)
            if whole:
                orders = (_all_orders(of_list, formulas, lists) for of_list in distinct)
            else:
                orders = (_steps(group, formulas, lists) for of_list in distinct for group in of_list)
            for each, scored in lists.scored(orders, formulas):
                # The first order of each group is that of the list, whose score each group changes by itself.
                found[each.q] = found.get(each.q, 0.0 if whole else scored[:, 0]) + each.result(scored)
            for q, other in same.items():
                values[:, places, q] = found[other]
    return TiedScores(tied.has_ties, tied.judged, *(Results(tuple(named), rankings, each) for each in values))


def tie_notes(measure: str, lists: Mapping[str, Rankings]) -> Iterator[str]:
    """How much ties matter to a measure, in a line for all runs; a line for each run that has too many."""
    tied: dict[str, TiedScores] = {}
    for name, rankings in lists.items():
        try:
            tied[name] = score_ties(measure, rankings, name)
        except InputError as error:
            if rankings.scores is not None:  # without scores there are no ties
                yield f"{name}: {error}"
    tied = {name: ties for name, ties in tied.items() if ties.judged.any()}
    if tied:
        ranges = {name: ties.greatest.values - ties.least.values for name, ties in tied.items()}
        name = max(ranges, key=lambda name: float(ranges[name].mean()))
        expected, least, greatest = tied[name].to_pandas().iloc[0]
        runs = f"{counted(len(tied), 'run')} of {len(lists)} {'has' if len(tied) == 1 else 'have'}"
        values = f"{least:.4f} to {greatest:.4f}, on average {expected:.4f}"
        lists_tied = f"{tied[name].tied.sum()} of {counted(len(tied[name].tied), 'list')}"
        most = f"{measure} differs most for {name}: {values}, with ties in {lists_tied}"
        yield f"{runs} documents with the same score in a list. Over all of their orders, {most}."


def _binary_from(measure: BoundMeasure) -> int | None:
    """The lowest grade with a gain where gains are 0 or 1; 0: grades above 0 differ; None: all grades do."""
    params = measure.params
    below_1 = params.get("gain") == "signed" or min(params.get("gains") or [1]) < 1
    if measure.definition.ties != "gains" or below_1:
        return None
    return (params.get("rel") or 0) if params.get("gain", "binary") == "binary" else 0


class _Group(NamedTuple):
    """Tied documents of a list, kind by kind."""

    q: int  # place of the list
    first: int  # place in the list
    depth: int  # how many of the documents are above the depth where the evaluation looks
    kinds: Ints  # of the documents, from 0 on
    counts: Ints  # of each kind


class _Orders(NamedTuple):
    """Orders of the documents of a list, and what follows from their scores."""

    q: int
    places: Ints  # in the list: those of the documents that are ordered anew
    size: int  # how many
    documents: Callable[[slice], Ints]  # at these places, in some of the orders (orders x places)
    result: Callable[[Floats], Floats]  # mean, least, greatest (3 x M) from scores (M x orders)


@dataclass(frozen=True)
class _TiedLists:
    """Lists whose documents are ordered anew. Arrays of documents are in the order of the lists."""

    rankings: Rankings
    firsts: Ints  # the first document of each list, and the end
    grades: Ints  # of documents
    costs: Floats
    begins: Bools  # which documents have another score than the one above
    has_ties: Bools  # which lists have
    judged: Ints  # tied documents of each list that are judged

    @classmethod
    def of(cls, rankings: Rankings) -> _TiedLists:
        double = rankings.universe is not None and rankings.universe.order == "score64"
        places, rows, firsts = rankings.places, rankings.rows, offsets_of(rankings.lengths)
        assert rankings.scores is not None
        with np.errstate(over="ignore"):
            keys = rankings.scores[places].astype(np.float64 if double else np.float32)
        begins = np.append(True, (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1]))[: len(keys)]
        tied = ~begins | ~np.append(begins[1:], True)[: len(keys)]
        grades = np.full(len(rows), _UNJUDGED)
        grades[firsts[rankings.judged_rows] + rankings.judged_ranks - 1] = rankings.judged_grades
        costs = np.zeros(len(rows)) if rankings.costs is None else rankings.costs[places]
        has_ties = np.bincount(rows[tied], minlength=len(rankings)) > 0
        judged = np.bincount(rows[tied & (grades != _UNJUDGED)], minlength=len(rankings))
        return cls(rankings, firsts, grades, costs, begins, has_ties, judged)

    def by_kind(self, rel: int | None) -> _TiedLists:
        """The lists with tied documents in the order of their kinds, whatever order they came in."""
        kinds, number = self._kinds(rel), np.cumsum(self.begins)
        order = np.lexsort((self.grades, self.costs, kinds, number))
        return replace(self, grades=self.grades[order], costs=self.costs[order])

    def _kinds(self, rel: int | None) -> Floats:
        """What a measure reads of the grade of each document, the greatest first."""
        kinds: Floats | Ints | Bools = self.grades
        if rel is not None:
            kinds = self.grades >= rel if rel else np.maximum(self.grades, 0)
        return -kinds.astype(np.float64)

    def groups(self, cutoff: int | None, rel: int | None) -> dict[int, list[_Group]]:
        """For each list its groups of tied documents that begin above the cutoff and hold several kinds."""
        columns, starts = np.column_stack((self._kinds(rel), self.costs)), np.flatnonzero(self.begins)
        is_new = self.begins.copy()
        is_new[1:] |= (columns[1:] != columns[:-1]).any(axis=1)
        ends, owner = np.append(starts[1:], len(is_new)), self.rankings.rows[starts]
        depths = (np.inf if cutoff is None else cutoff) + self.firsts[owner] - starts
        several = np.add.reduceat(is_new, starts, dtype=np.int64) > 1 if len(starts) else self.begins
        groups = defaultdict[int, list[_Group]](list)
        for at in np.flatnonzero(several & (depths > 0)).tolist():
            q, size = int(owner[at]), int(ends[at] - starts[at])
            kind_of = np.cumsum(is_new[starts[at] : ends[at]]) - 1
            first, depth = int(starts[at] - self.firsts[q]), int(min(size, depths[at]))
            groups[q].append(_Group(q, first, depth, kind_of, np.bincount(kind_of)))
        return groups

    def pattern(self, q: int) -> tuple[Any, ...]:
        """What lists have in common that have the same scores."""
        here, offsets = slice(self.firsts[q], self.firsts[q + 1]), self.rankings.judgments.offsets
        of_topic = np.sort(self.rankings.judgments.grades[offsets[q] : offsets[q + 1]])
        left = 0 if self.rankings.withheld is None else self.rankings.withheld[q]
        return self.grades[here].tobytes(), self.begins[here].tobytes(), of_topic.tobytes(), left

    def scored(
        self, each: Iterable[_Orders], measures: list[BoundMeasure]
    ) -> Iterator[tuple[_Orders, Floats]]:
        """Each with the scores of its orders (M x orders). Those of several lists are computed together."""
        parts: list[Floats] = []
        for batch in self._batches(each):
            values = np.array(scores(measures, self._ordered(batch)))
            ends = np.cumsum([here.stop - here.start for _, here in batch])
            for (orders, here), part in zip(batch, np.split(values, ends[:-1], axis=1)):
                parts.append(part)
                if here.stop == orders.size:
                    yield orders, np.concatenate(parts, axis=1)
                    parts = []

    def _batches(self, each: Iterable[_Orders]) -> Iterator[list[tuple[_Orders, slice]]]:
        """Parts of the orders, as many at a time as have about `_CELLS` documents and judgments."""
        batch, room = list[tuple[_Orders, slice]](), _CELLS
        sizes = self.rankings.lengths + sizes_of(self.rankings.judgments.offsets)
        for orders in each:
            start = 0
            while start < orders.size:
                stop = min(orders.size, start + max(1, room // int(sizes[orders.q])))
                batch.append((orders, slice(start, stop)))
                room -= int(sizes[orders.q]) * (stop - start)
                start = stop
                if room <= 0:
                    yield batch
                    batch, room = [], _CELLS
        if batch:
            yield batch

    def _ordered(self, batch: Sequence[tuple[_Orders, slice]]) -> Rankings:
        """Each order as a list of its own."""
        owner = np.repeat([each.q for each, _ in batch], [here.stop - here.start for _, here in batch])
        documents = []
        for each, here in batch:
            order = np.tile(np.arange(*self.firsts[each.q : each.q + 2]), (here.stop - here.start, 1))
            order[:, each.places] = self.firsts[each.q] + each.documents(here)
            documents.append(order.ravel())
        places = np.concatenate(documents)
        lists = self.rankings.take(owner)
        is_judged = self.grades[places] != _UNJUDGED
        return lists.with_fields(
            starts=offsets_of(lists.lengths)[:-1],
            judged_offsets=offsets_of(np.bincount(lists.rows[is_judged], minlength=len(owner))),
            judged_ranks=lists.ranks[is_judged],
            judged_grades=self.grades[places][is_judged],
            scores=None,  # in another order
            costs=None if lists.costs is None else self.costs[places],
        )

    def check(self, orders: int, group: _Group, measure: BoundMeasure) -> None:
        """InputError where too many orders would have to be scored."""
        if orders > LIMIT:
            what = f"{len(group.kinds)} documents are tied from rank {group.first + 1} on"
            needed = f"{measure.definition.name} needs more than {LIMIT:,} of their orders"
            remedy = f"write a smaller cutoff @k, or leave {option('ties', 'expected')} out"
            raise InputError(f"topic {self.rankings.topics[group.q]}: {what}, and {needed}; {remedy}.")


def _all_orders(groups: list[_Group], measures: list[BoundMeasure], lists: _TiedLists) -> _Orders:
    """All orders of a list."""

    def of_kinds(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for kind in np.flatnonzero(left).tolist():
            fewer = (*left[:kind], left[kind] - 1, *left[kind + 1 :])
            yield from ((kind, *further) for further in of_kinds(fewer))
        if not any(left):
            yield ()

    orders = np.zeros((1, 0), np.int64)
    for group in groups:
        number = math.factorial(len(group.kinds)) // math.prod(map(math.factorial, group.counts.tolist()))
        lists.check(number * len(orders), group, measures[0])
        kinds = np.array(list(of_kinds(tuple(group.counts.tolist()))))
        documents = np.empty_like(kinds)
        members = group.first + np.arange(len(group.kinds))
        np.put_along_axis(documents, np.argsort(kinds, axis=1, kind="stable"), members[None], axis=1)
        orders = np.hstack([np.repeat(orders, number, axis=0), np.tile(documents, (len(orders), 1))])

    def result(values: Floats) -> Floats:
        return np.array([values.mean(axis=1), values.min(axis=1), values.max(axis=1)])

    places = np.concatenate([group.first + np.arange(len(group.kinds)) for group in groups])
    return _Orders(groups[0].q, places, len(orders), orders.__getitem__, result)


def _steps(group: _Group, measures: list[BoundMeasure], lists: _TiedLists) -> _Orders:
    """Orders of one group that tell what all do, if a measure does not look at the order above a document."""
    q, first, depth, kind_of, counts = group
    nodes = np.zeros((1, 0), np.int64)  # how many documents of each kind stand above, ascending
    for count in counts:
        room = np.minimum(count, depth - 1 - nodes.sum(axis=1)) + 1
        lists.check(int(room.sum()), group, measures[0])
        more = np.arange(room.sum()) - np.repeat(offsets_of(room)[:-1], room)
        nodes = np.column_stack((np.repeat(nodes, room, axis=0), more))
    level, left, kinds = nodes.sum(axis=1), counts - nodes, np.arange(len(counts))
    strides = np.append(np.cumprod((nodes.max(axis=0) + 1)[:0:-1])[::-1], 1)
    codes = nodes @ strides
    after = np.searchsorted(codes, codes[:, None] + strides)  # the node that a step leads to
    after[(left == 0) | (level[:, None] + 1 == depth)] = len(nodes)  # none
    # One order for each node: the documents above it by kind, then the others by kind. The order of a step
    # has one document in between. The step to the first kind that is left is in the order of its node, that
    # to the last kind so far is in the order of the node behind it.
    in_own = kinds == np.argmax(left > 0, axis=1)[:, None]
    in_after = (np.cumsum(nodes[:, ::-1], axis=1)[:, ::-1] - nodes == 0) & (after < len(nodes))
    steps = np.nonzero((left > 0) & ~in_own & ~in_after)
    of_node, of_kind = np.append(np.arange(len(nodes)), steps[0]), np.append(-np.ones(len(nodes)), steps[1])
    lists.check(len(of_node), group, measures[0])
    members = np.arange(len(kind_of))
    number = members - offsets_of(counts)[kind_of]  # of each member in its kind

    def documents(here: slice) -> Ints:
        above = nodes[of_node[here]][:, kind_of]
        part = np.where(number < above, 0, 2)
        part[(kind_of == of_kind[here, None]) & (number == above)] = 1
        return first + np.argsort(part, axis=1, kind="stable")

    def result(values: Floats) -> Floats:
        at_node = values[:, : len(nodes)]
        of_step = np.repeat(at_node[:, :, None], len(counts), axis=2)
        of_step[:, in_after] = at_node[:, after[in_after]]
        of_step[:, steps[0], steps[1]] = values[:, len(nodes) :]
        # Over the order of the node; 0 for no step.
        gain = np.where(in_own, 0.0, of_step - at_node[:, :, None])
        ahead = np.zeros((3, len(values), len(nodes) + 1))  # of all further steps
        for now in (np.flatnonzero(level == place) for place in reversed(range(depth))):
            sums = gain[:, now] + ahead[:, :, after[now]]
            share = left[now] / left[now].sum(axis=1, keepdims=True)
            ahead[:, :, now] = (sums[0] * share).sum(axis=2), sums[1].min(axis=2), sums[2].max(axis=2)
        return ahead[:, :, 0]

    return _Orders(q, first + members, len(of_node), documents, result)
