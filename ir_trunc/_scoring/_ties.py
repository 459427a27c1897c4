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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, counted, noted
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of, sizes_of
from ir_trunc._scoring.objects import MeasureLike, read_measures
from ir_trunc._scoring.results import Results, TiedScores
from ir_trunc.measures import BoundMeasure, scores

LIMIT = 100_000
"""The most orders of one list that are scored for a measure."""

_CELLS = 1 << 21  # documents and judgments that are scored at a time
_UNJUDGED = np.iinfo(np.int64).min


def with_orders(measures: MeasureLike) -> dict[Measure, BoundMeasure]:
    """The measures with their formulas; ParameterError for one that does not score each list by itself."""
    formulas = {}
    for measure, formula in read_measures(measures).items():
        if formula is None or formula.definition.scope == "run":
            why = "looks at all lists of a run" if formula else "is computed by another tool"
            raise ParameterError(
                f"{measure} {why}: it has no expected score over ties. Leave one of both out."
            )
        formulas[measure] = formula
    return formulas


def score_ties(measures: MeasureLike, rankings: Rankings, source: str) -> TiedScores:
    """Scores over all orders of the documents whose scores are equal, as `order` compares them."""
    named = with_orders(measures)
    if rankings.scores is None:
        raise InputError(f"{source}: its lists have no scores that could be tied; leave ties='expected' out.")
    if rankings.overlaps is not None or (rankings.nil and rankings.nil.convention == "sakai"):
        what = "answers" if rankings.overlaps is not None else "a NIL that is right at rank 1 only"
        raise InputError(f"{source}: its lists hold {what}; ties='expected' is for documents.")
    if rankings.universe is not None and rankings.universe.searches in ("union", "sequence"):
        raise InputError(
            f"{source}: lists of several searches have no ties: take searches='last', or leave ties= out."
        )
    double = rankings.universe is not None and rankings.universe.order == "score64"
    with np.errstate(over="ignore"):
        keys = rankings.scores[rankings.places].astype(np.float64 if double else np.float32)
    rows, firsts = rankings.rows, offsets_of(rankings.lengths)
    begins = np.append(True, (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1]))[: len(keys)]
    tied = ~begins | ~np.append(begins[1:], True)[: len(keys)]
    grades = np.full(len(rows), _UNJUDGED)
    grades[firsts[rankings.judged_rows] + rankings.judged_ranks - 1] = rankings.judged_grades
    has_ties = np.bincount(rows[tied], minlength=len(rankings)) > 0
    judged = np.bincount(rows[tied & (grades != _UNJUDGED)], minlength=len(rankings))
    plain = np.array(scores(named.values(), rankings))
    values = np.array([plain] * 3)  # mean, least, greatest
    alike: dict[tuple[int | None, int | None, bool], list[int]] = defaultdict(list)
    for place, formula in enumerate(named.values()):
        alike[formula.cutoff, _binary_from(formula), formula.definition.ties == "orders"].append(place)
    # Lists with the same grades, ties and judgments have the same scores, unless a measure reads more.
    read_more = any(
        isinstance(formula.params.get("D"), dict)
        or "confidence" in formula.reads
        or formula.definition.ties == "orders"
        for formula in named.values()
    )
    offsets, done = rankings.judgments.offsets, dict[tuple[bytes, ...], int]()
    with noted(issued=False):  # the plain scores have given the warnings
        for q in np.flatnonzero(has_ties).tolist():
            here = slice(firsts[q], firsts[q + 1])
            of_list = grades[here][np.lexsort((grades[here], np.cumsum(begins[here])))]
            of_topic = np.sort(rankings.judgments.grades[offsets[q] : offsets[q + 1]])
            pattern = tuple(array.tobytes() for array in (of_list, begins[here], of_topic))
            if rankings.costs is None and not read_more and (same := done.setdefault(pattern, q)) != q:
                values[:, :, q] = values[:, :, same]
                continue
            costs = None if rankings.costs is None else rankings.costs[rankings.places[here]]
            for (cutoff, rel, whole), places in alike.items():
                formulas = [list(named.values())[place] for place in places]
                ranked = _List(formulas, rankings, q, grades[here], costs, cutoff or len(grades))
                groups = list(ranked.groups(np.flatnonzero(begins[here]), rel))
                if whole and groups:
                    values[:, places, q] = _over_orders(ranked, groups)
                for group in () if whole else groups:  # each changes the score by itself
                    values[:, places, q] += _over_steps(ranked, group) - plain[places, q]
    return TiedScores(has_ties, judged, *(Results(tuple(named), rankings, each) for each in values))


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
        yield (
            f"{runs} documents with the same score in a list. Over all of their orders, {measure} differs"
            f" most for {name}: {least:.4f} to {greatest:.4f}, on average {expected:.4f}, with ties in"
            f" {tied[name].tied.sum()} of {counted(len(tied[name].tied), 'list')}."
        )


def _binary_from(measure: BoundMeasure) -> int | None:
    """The lowest grade with a gain where gains are 0 or 1; 0: grades above 0 differ; None: all grades do."""
    params = measure.params
    below_1 = params.get("gain") == "signed" or min(params.get("gains") or [1]) < 1
    if measure.definition.ties != "gains" or below_1:
        return None
    return (params.get("rel") or 0) if params.get("gain", "binary") == "binary" else 0


class _Group(NamedTuple):
    """Tied documents of a list, of several kinds."""

    first: int  # place in the list
    members: Ints  # places in the list, kind by kind
    kinds: Ints  # of the members
    counts: Ints  # of each kind


@dataclass(frozen=True)
class _List:
    """A list whose documents are ordered anew."""

    measures: list[BoundMeasure]
    rankings: Rankings
    q: int
    grades: Ints
    costs: Floats | None
    depth: int

    def groups(self, starts: Ints, rel: int | None) -> Iterator[_Group]:
        """The groups of tied documents that begin above the depth and hold several kinds of documents."""
        kinds = self.grades if rel is None else np.maximum(self.grades, 0) if rel == 0 else self.grades >= rel
        columns = np.column_stack(
            [-kinds.astype(np.float64), kinds * 0.0 if self.costs is None else self.costs]
        )
        for first, end in zip(starts.tolist(), [*starts[1:].tolist(), len(columns)]):
            here = columns[first:end]
            if first < self.depth and (here != here[0]).any():
                _, kind_of, counts = np.unique(here, axis=0, return_inverse=True, return_counts=True)
                by_kind = np.argsort(kind_of.ravel(), kind="stable")
                yield _Group(first, first + by_kind, kind_of.ravel()[by_kind], counts)

    def scores(self, places: Ints, rows: int, documents: Callable[[slice], Ints]) -> Floats:
        """Scores (M x rows) of the list where these places have other documents (rows x places)."""
        size, judged = len(self.grades), int(sizes_of(self.rankings.judgments.offsets)[self.q])
        step, parts = max(1, _CELLS // (size + judged)), []
        for begin in range(0, rows, step):
            order = np.tile(np.arange(size), (min(step, rows - begin), 1))
            order[:, places] = documents(slice(begin, begin + len(order)))
            grades = self.grades[order]
            is_judged = grades != _UNJUDGED
            changed = {
                "judged_offsets": offsets_of(is_judged.sum(axis=1)),
                "judged_ranks": np.nonzero(is_judged)[1] + 1,
                "judged_grades": grades[is_judged],
                "starts": np.arange(len(order)) * size,
                "costs": None if self.costs is None else self.costs[order].ravel(),
            }
            lists = Rankings.unchecked(**vars(self.rankings.take(np.full(len(order), self.q))) | changed)
            parts.append(np.array(scores(self.measures, lists)))
        return np.concatenate(parts, axis=1)

    def check(self, orders: int, group: _Group) -> None:
        """InputError where too many orders would have to be scored."""
        if orders > LIMIT:
            topic, name = self.rankings.topics[self.q], self.measures[0].definition.name
            what = f"{len(group.members)} documents are tied from rank {group.first + 1} on"
            raise InputError(
                f"topic {topic}: {what}, and {name} needs more than {LIMIT:,} of their orders; write a"
                " smaller cutoff @k, or leave ties='expected' out."
            )


def _over_orders(ranked: _List, groups: list[_Group]) -> Floats:
    """The mean, the least and the greatest score (3 x M) of all orders, each scored."""

    def of_kinds(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for kind in np.flatnonzero(left).tolist():
            fewer = (*left[:kind], left[kind] - 1, *left[kind + 1 :])
            yield from ((kind, *further) for further in of_kinds(fewer))
        if not any(left):
            yield ()

    orders = np.zeros((1, 0), np.int64)
    for group in groups:
        number = math.factorial(len(group.members)) // math.prod(map(math.factorial, group.counts.tolist()))
        ranked.check(number * len(orders), group)
        kinds = np.array(list(of_kinds(tuple(group.counts.tolist()))))
        documents = np.empty_like(kinds)
        np.put_along_axis(documents, np.argsort(kinds, axis=1, kind="stable"), group.members[None], axis=1)
        orders = np.hstack([np.repeat(orders, number, axis=0), np.tile(documents, (len(orders), 1))])
    places = np.concatenate([np.sort(group.members) for group in groups])
    values = ranked.scores(places, len(orders), orders.__getitem__)
    return np.array([values.mean(axis=1), values.min(axis=1), values.max(axis=1)])


def _over_steps(ranked: _List, group: _Group) -> Floats:
    """The same over the orders of one group, for measures that do not look at the order above a document."""
    _, members, kind_of, counts = group
    depth = min(ranked.depth - group.first, len(members))
    nodes = np.zeros((1, 0), np.int64)  # how many documents of each kind stand above, ascending
    for count in counts:
        room = np.minimum(count, depth - 1 - nodes.sum(axis=1)) + 1
        ranked.check(int(room.sum()), group)
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
    ranked.check(len(of_node), group)
    number = np.arange(len(members)) - offsets_of(counts)[kind_of]  # of each member in its kind

    def documents(here: slice) -> Ints:
        above = nodes[of_node[here]][:, kind_of]
        part = np.where(number < above, 0, 2)
        part[(kind_of == of_kind[here, None]) & (number == above)] = 1
        return members[np.argsort(part, axis=1, kind="stable")]

    values = ranked.scores(np.sort(members), len(of_node), documents)
    at_node = values[:, : len(nodes)]
    of_step = np.repeat(at_node[:, :, None], len(counts), axis=2)
    of_step[:, in_after] = at_node[:, after[in_after]]
    of_step[:, steps[0], steps[1]] = values[:, len(nodes) :]
    gain = np.where(in_own, 0.0, of_step - at_node[:, :, None])  # over the order of the node; 0 for no step
    ahead = np.zeros((3, len(values), len(nodes) + 1))  # of all further steps
    for now in (np.flatnonzero(level == place) for place in reversed(range(depth))):
        sums, share = gain[:, now] + ahead[:, :, after[now]], left[now] / left[now].sum(axis=1, keepdims=True)
        ahead[:, :, now] = (sums[0] * share).sum(axis=2), sums[1].min(axis=2), sums[2].max(axis=2)
    return at_node[:, 0] + ahead[:, :, 0]
