"""Fitting: the level that is best for a measure, scores as policies read them, profiles of training lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy as np
from ir_measures import Measure

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.curve import TOLERANCE, Curve
from ir_trunc._core.errors import InputError, ParameterError, option, shown
from ir_trunc._core.parameters import instance, one_of
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._core.universe import Nest, Universe
from ir_trunc._ranking.qrels import CodedRows, Qrels
from ir_trunc._ranking.ranked_rows import Convention, NilRule, nil_rule
from ir_trunc._ranking.runs import rank_rows
from ir_trunc._read.arrow import pc, strings
from ir_trunc._read.rows import Rows
from ir_trunc._saved import fields_of, from_json
from ir_trunc._scoring.objects import own_formula, parse_measures
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.definition import parts_of, value_from_means
from ir_trunc.measures.lists import Depths, running

_SAME = 1e-12  # relative: scores that differ by less are equal, so that rounding chooses no level


def single_measure(measure: Any) -> Measure:
    """A measure, from a text or an object; ParameterError for several."""
    measures = parse_measures(measure)
    if len(measures) > 1:
        names = ", ".join(map(str, measures))
        raise ParameterError(f"policies are fitted and judged by one measure, not {len(measures)}: {names}.")
    return measures[0]


def one_measure(measure: Any, by_list: str = "") -> BoundMeasure:
    """The formula of one measure; an error for several and for losses.

    by_list: why measures are refused whose score of a list depends on other lists; "" where they are not.
    """
    parsed = single_measure(measure)
    bound = own_formula(parsed, "it has no curve")
    if bound.definition.lower_is_better:
        problem = "counts losses, lower is better: policies need a measure whose higher values are better"
        raise ParameterError(f"{parsed} {problem}.")
    if by_list and bound.definition.scope == "run":
        raise ParameterError(f"{parsed} looks at all lists of a run at once: {by_list}.")
    return bound


def curve_of(measure: Any, rankings: Rankings) -> Curve:
    """The curve of one measure; ParameterError if its score of a list depends on other lists."""
    have = "Greedy, ScoreThreshold and ShareOfTop have one level for the whole run and can be fitted to it"
    by_list = f"a list alone has no best cut. {have}; an oracle needs another measure"
    return one_measure(measure, by_list).curve(rankings)


def best_levels(
    keys: Floats,
    rankings: Rankings,
    bound: BoundMeasure,
    sets: Iterable[Ints],
    weights: Floats | None = None,
    keep: float | None = None,
    meant: Callable[[Ints, Ints], Ints] | None = None,
) -> list[float]:
    """The level for which the measure is best if each list ends before its first document with a lower key.

    Each document has a key; keys fall along each list. There is a level for each of the sets of lists, which
    are given by their positions: infinity if nothing is better than empty lists; of several the highest.
    weights: of the lists (Q). keep: the share of the lists with an answer in the judgments that have to keep
    a relevant document; where no level reaches it, the nearest is best. The share is taken one standard error
    higher: of levels that reach it exactly, half would miss it on new topics. meant: the point that each
    cut means, from the lengths of lists and of what the measure sees of them; by default the cut itself.
    """
    depths = Depths(rankings, bound.cutoff, bound.judged_only)
    parts = np.array(parts_of(bound, depths))
    if weights is not None:
        parts = parts * depths.spread(weights)
    count = len(parts)
    if keep is not None:
        answerable = ~rankings.judgments.nil_queries
        wanted = min(keep + math.sqrt(keep * (1 - keep) / answerable.sum()), 1.0)
        has_answer = depths.spread(answerable)
        right = rankings.graded("right")
        kept = depths.sum(depths.grade > 0) > 0 if right is None else right
        parts = np.vstack([parts, kept * has_answer, has_answer])
    lengths = depths.whole.lengths
    if meant is not None:
        lengths, parts = rankings.lengths, parts[:, meant(rankings.lengths, lengths)]
    # The keys are those of whole lists, which policies cut; a measure looks at documents to its cutoff.
    keys = keys[rankings.ranks <= np.repeat(lengths, rankings.lengths)]
    levels = Levels(keys, parts, lengths)
    best = []
    for chosen in sets:
        candidates, sums = levels.sums(chosen)
        # The score of a measure of the whole run is computed from the means of its parts.
        means = sums / len(chosen)
        scores = value_from_means(bound, means[:count])
        if keep is not None:
            missing = np.maximum(wanted * means[-1] - means[-2] - TOLERANCE, 0)
            scores = np.where(missing > 0, -np.inf, scores) if missing.min() == 0 else -(1 + missing)
        highest = scores.max()
        best.append(float(candidates[np.argmax(scores >= highest - _SAME * abs(highest))]))
    return best


class Levels:
    """Sums over lists at each level, where a list ends before its first document with a lower key."""

    def __init__(self, keys: Floats, values: Floats, lengths: Ints):
        """Keys of all documents, falling along each list; rows of values after 0, 1, ..., n of them."""
        self._order = np.argsort(-keys, kind="stable")
        self._keys, offsets = keys[self._order], offsets_of(lengths + 1)
        self._lists = np.repeat(np.arange(len(lengths)), lengths)[self._order]
        self._empty = values[:, offsets[:-1]]
        # A document adds the rise of its list's values at its rank.
        self._rises = np.delete(np.diff(values, axis=1), offsets[1:-1] - 1, axis=1)[:, self._order]

    def sums(self, chosen: Ints) -> tuple[Floats, Floats]:
        """All levels that make a difference to these lists, from infinity down, and the sums at each."""
        is_chosen = np.zeros(self._empty.shape[1], bool)
        is_chosen[chosen] = True
        documents = np.flatnonzero(is_chosen[self._lists])
        empty = self._empty[:, is_chosen].sum(axis=1, keepdims=True)
        levels = np.append(np.inf, self._keys[documents])
        sums = np.cumsum(np.hstack([empty, self._rises[:, documents]]), axis=1)
        last_of_equals = np.append(levels[1:] < levels[:-1], True) & (levels > -np.inf)
        return levels[last_of_equals], sums[:, last_of_equals]


def check_rankings(rankings: Any) -> Rankings:
    """InputError unless these are Rankings."""
    return instance("rankings", rankings, Rankings, "Rankings, as ir_trunc.rank makes them,")


def rank_without_qrels(run: Rows, *, nil: NilRule | Convention | None = None) -> Rankings:
    """The lists of a run for its own topics, without judgments: what a policy cuts.

    Parameters
    ----------
    run : Rows
        As `ir_trunc.read_run(path)` gives it.
    nil : str or NilRule, optional
        See `ir_trunc.read_qrels`.

    Returns
    -------
    Rankings

    Examples
    --------
    >>> import ir_trunc
    >>> from ir_trunc.truncation import rank_without_qrels
    >>> rank_without_qrels(ir_trunc.read_run({"1": {"a": 0.9, "b": 0.2}}))
    Rankings(1 topics, 2 documents, 0 of them judged)
    """
    check_rows(run)
    topics = run.topics.dictionary.take(pc.unique(run.topics.indices)).to_pylist()
    return unjudged_lists(run, [*topics, *run.universe], nil)


def unjudged_lists(run: Rows, topics: Sequence[str], nil: NilRule | Convention | None) -> Rankings:
    """A run's lists for these topics, without judgments; a topic that the run lacks has the empty list."""
    if not topics:
        raise InputError(f"{run.source}: there is no list; at least one is needed.")
    nothing = Rows.of("no qrels", strings([]), strings([]), np.zeros(0, np.int64))
    qrels = Qrels.of(CodedRows.of(nothing), topics, nil=None if nil is None else nil_rule(nil))
    return rank_rows(qrels, [run], keep_scores=True)


def units_of(rankings: Rankings, unit: str | None = None) -> tuple[str, Ints, Floats]:
    """A key, by default the outermost, the number of its group for each list, and weights of the lists.

    The weights are those of the lists in the mean over the groups of this key.
    """
    nesting = rankings.universe and rankings.universe.nesting
    if not nesting and unit is None:
        return "", np.arange(len(rankings)), np.ones(len(rankings))
    if not nesting:
        what = f"unit={shown(unit)} names a key, and the lists have none"
        raise ParameterError(f"{what}: {option('keys')} names them.")
    name = nesting.names[0] if unit is None else one_of("unit", unit, nesting.names)
    return name, *Nest(nesting, rankings.topics).weights(nesting.names.index(name))


def check_rows(run: Any) -> None:
    """InputError unless these are the rows of a run."""
    instance("run", run, Rows, "the rows of a run, as ir_trunc.read_run has them,")


def falling_scores(rankings: Rankings) -> Floats:
    """The score of every document, list after list, for policies that compare scores.

    Lists are ordered by their scores as 32-bit floats. A score that is higher than the one above it only as
    a 64-bit float is set to that one.

    Parameters
    ----------
    rankings : Rankings
        Lists with the scores of all documents, as `ir_trunc.rank` gives them.

    Returns
    -------
    array of float64

    Raises
    ------
    InputError
        If the rankings have no scores, if these rise down a list, or if a list joins several searches.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.truncation import falling_scores
    >>> falling_scores(Rankings.from_lists([[1, 0], [0]], scores=[[0.9, 0.2], [0.4]]))
    array([0.9, 0.2, 0.4])
    """
    check_rankings(rankings)
    if rankings.scores is None:
        what = "the policy needs the scores of the documents, and these lists have none: a run needs scores"
        source = "ir_trunc.rank(...) or calc(..., keep_scores=True)"
        raise InputError(f"{what}, and rankings come with them from {source}.")
    universe = rankings.universe
    if universe is not None and universe.searches in ("union", "sequence"):
        last = f"read the run with {option('searches', 'last')}"
        what = f"the scores of several searches for one question are not comparable: {last}"
        raise InputError(f"{what}, or choose a policy without scores, as Fixed.")
    if universe is not None and universe.order not in ("score", "score64"):
        with np.errstate(over="ignore"):
            values, rows = rankings.scores[rankings.places].astype(np.float32), rankings.rows
        for at in np.flatnonzero((values[1:] > values[:-1]) & (rows[1:] == rows[:-1]))[:1].tolist():
            what = f"topic {rankings.topics[rows[at]]}: score {values[at + 1]:g} is below {values[at]:g}"
            needed = f"the policy needs {option('order', 'score')}, or take one as Fixed"
            raise InputError(f"{what} by {option('order', universe.order)}; {needed}.")
    if len(rankings) == 1:  # a live list should be cut in microseconds
        start = int(rankings.starts[0])
        return np.minimum.accumulate(rankings.scores[start : start + int(rankings.lengths[0])])
    return running(rankings.scores[rankings.places], offsets_of(rankings.lengths), np.minimum.accumulate)


# Profiles.

_DOCUMENTS = {"top score": 1, "gap": 2, "spread": 2}  # that a list needs, to have the feature
POINTS = 100  # of a distribution
_TWO = 2  # values that have a distribution


@dataclass(frozen=True)
class Profile:
    """What a policy was fitted on, as far as lists without labels can be compared with it.

    Attributes
    ----------
    measure : str
        The measure that the policy was fitted to.
    questions : int
        The number of independent questions: of lists, or with keys of values of the outermost key.
    without_answer : float
        The share of the questions that have no relevant document.
    silent : float
        The share of the lists that the policy leaves empty.
    length : float
        The mean of the lengths that it leaves.
    lengths : tuple of pairs
        Each length that it leaves, with the number of lists.
    lower_is_better : bool
        Whether the scores were distances. The policy takes live scores as such, too.
    score : str
        The column or key of the scores, if it was named.
    features : mapping of str to tuple of pairs
        Distributions over the lists: values with the share of lists that have no higher one, at most 100 of
        them. "top score", "gap" (the first score less the second), "spread" (the standard deviation of the
        scores) and "retrieved" (the number of documents).
    """

    measure: str
    questions: int
    without_answer: float
    silent: float
    length: float
    lengths: tuple[tuple[int, int], ...]
    lower_is_better: bool
    score: str
    features: Mapping[str, tuple[tuple[float, float], ...]]

    @classmethod
    def of(cls, policy: Any, rankings: Rankings, measure: Any) -> Profile:
        """The profile of the lists that a policy was fitted on."""
        if measure is not None:
            one_measure(measure)  # that it is one, also where a policy has no use for it
        lengths = policy.cut(rankings)
        values, universe = features_of(rankings).items(), rankings.universe or Universe()
        return cls(
            str(measure),
            independent(rankings),
            float(rankings.judgments.nil_queries.mean()),
            float((lengths == 0).mean()),
            float(lengths.mean()),
            tuple(zip(*(part.tolist() for part in np.unique(lengths, return_counts=True)))),
            universe.lower_is_better,
            universe.score,
            {name: _distribution(value) for name, value in values if len(value) >= _TWO},
        )

    @classmethod
    def from_dict(cls, data: Any, where: str) -> Profile:
        """The profile as JSON holds it; InputError that begins with `where` for anything else."""
        kinds = get_type_hints(cls)
        values = fields_of(data, kinds, where)
        profile = cls(**{name: from_json(values[name], kinds[name], f"{where}, {name}") for name in values})
        for problem in profile._problems():
            raise InputError(f"{where}, {problem}.")
        return profile

    def number_with(self, feature: str) -> int:
        """How many of the independent lists have a feature: a gap takes two documents."""
        fewest = _DOCUMENTS.get(feature, 0)
        shares = [share for value, share in self.features["retrieved"] if value < fewest]
        return round(self.questions * (1 - max(shares, default=0.0))) if feature in self.features else 0

    def _problems(self) -> Iterator[str]:
        """What no lists can have."""
        lists = sum(number for _, number in self.lengths)
        if self.questions < _TWO or lists < self.questions:
            yield f"questions is {self.questions}: from two to the number of lists are needed"
        for name, high in (("without_answer", 1), ("silent", 1), ("length", LARGEST)):
            value = getattr(self, name)
            if not 0 <= value <= high:
                yield f"{name} is {value}: a number from 0 to {high} is needed"
        if any(length < 0 or number < 1 for length, number in self.lengths):
            yield "lengths: lengths from 0 on, each with a number of lists, are needed"
        if "retrieved" not in self.features:
            yield "features: retrieved is missing"
        for name, points in self.features.items():
            values, shares = np.array(points, np.float64).reshape(-1, 2).T
            rise = (np.diff(values) > 0).all() and (np.diff(shares, prepend=0) > 0).all()
            if not (rise and np.isfinite(values).all() and shares[-1:].tolist() == [1]):
                yield f"features, {name}: values that rise, with shares that rise to 1, are needed"


def independent(rankings: Rankings) -> int:
    """The number of independent lists; with keys of values of the outermost key, whose lists may be alike.

    It is lower where some values have many more lists than others.
    """
    sizes = np.bincount(units_of(rankings)[1])
    return int(sizes.sum() ** 2 // (sizes**2).sum()) if len(sizes) else 0


def features_of(rankings: Rankings) -> dict[str, Floats]:
    """Features of lists that need no labels; those of scores only for lists that have enough of them."""
    n = rankings.lengths
    features = {"retrieved": n.astype(np.float64)}
    try:
        scores = falling_scores(rankings)
    except InputError:  # there are none, or they cannot be compared
        return features
    with np.errstate(over="ignore"):
        first = offsets_of(n)[:-1]
        mean = np.bincount(rankings.rows, scores, len(n)) / np.maximum(n, 1)
        square = (scores - mean[rankings.rows]) ** 2
        spread = np.sqrt(np.bincount(rankings.rows, square, len(n)) / np.maximum(n, 1))
        gap = scores[first[n > 1]] - scores[first[n > 1] + 1]
    return {"top score": scores[first[n > 0]], "gap": gap, "spread": spread[n > 1]} | features


def _distribution(values: Floats) -> tuple[tuple[float, float], ...]:
    """Some of the values, evenly spaced by rank, each with the share of values that are not higher."""
    ordered = np.sort(values)
    places = np.unique(np.round(np.linspace(0, len(ordered) - 1, POINTS)).astype(np.int64))
    points = np.unique(ordered[places])
    shares = np.searchsorted(ordered, points, side="right") / len(ordered)
    return tuple(zip(points.tolist(), shares.tolist()))
