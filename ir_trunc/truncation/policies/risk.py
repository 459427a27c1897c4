"""A level whose risk on new topics is at most alpha: by Learn-then-Test, or by conformal risk control."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, nearest, shown, warn
from ir_trunc._core.parameters import generator
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings, offsets_of
from ir_trunc.measures.lists import running
from ir_trunc.measures.params import Choice, Kind, Number
from ir_trunc.truncation._fitting import Levels, curve_of, falling_scores, one_measure, units_of
from ir_trunc.truncation._policy import policy
from ir_trunc.truncation.policies.basic import Level, LevelPolicy, shares_of_top

_SLACK = 1e-12
_RISKS = "'missed', 'dropped', 'false_answer', 'wrong', or a measure from 0 to 1"
_LEVEL = Level("lowest score or share to keep; calibrated where it is not given")
_FAILS = "probability that the promise fails"
_PROBABILITY = Number(_FAILS, 0, 1, inside=True)
_DELTA = Choice(f"{_FAILS}; 'mean' for conformal risk control", ("mean",), _PROBABILITY)
_GIVEN = Choice("the topics over which the loss is averaged", ("all", "answerable", "unanswerable"))


class Risk(Kind):
    """A loss from 0 to 1 for each list: a word, or a measure whose shortfall it is."""

    allowed = f"{_RISKS} that scores each list by itself"

    def clean(self, name: str, value: Any) -> str:
        """The word, or the measure as text."""
        if isinstance(value, str) and value in _LOSSES:
            return value
        try:
            bound = one_measure(value)
        except ValueError as error:
            needed = f"{self.allowed} is needed ({error}).{nearest(value, _LOSSES)}"
            raise ParameterError(f"{name}={shown(value)}: {needed}") from None
        low, high = bound.range
        if bound.definition.scope == "run" or low < 0 or high > 1:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        return str(value)


@policy(source="Angelopoulos, Bates, Candès, Jordan & Lei 2021, https://arxiv.org/abs/2110.01052")
class RiskControlled(LevelPolicy):
    """Lists with a promised risk.

    number of i with s_i >= level (by='share': s_i / s_1 >= level); the level is calibrated on n topics so
    that P(E[loss] > alpha) <= delta

    risk='missed': the share of the relevant documents that are not kept, 0 if there are none.
    risk='dropped': the share of the relevant documents in the whole list that are not kept.
    risk='false_answer': 1 if something is kept though nothing is relevant. risk='wrong': 1 if the answer is
    not right, for graded answers (`ir_trunc.read_depths`). risk=a measure, such as RBPT or Success@5: 1 less
    its score.

    given='unanswerable', the default of 'false_answer', takes the mean over the topics with nothing relevant
    alone, given='answerable' over the others, given='all', the default of all other losses, over both. Where
    alpha is above the share of the topics that can lose anything, every level keeps a promise over 'all'.

    The promise is that of Learn-then-Test: the probability that `fit` returns a level with an expected loss
    above alpha is at most delta, if new topics are drawn as the calibration topics were. Of lists with keys
    the topics are the units of the outermost key, and their losses are means over lists. Levels are tested
    one after the other (fixed-sequence testing, Hoeffding-Bentkus p values), from whole lists to shorter
    ones, for 'false_answer' from empty lists to longer ones; the last level that is shown to keep the promise
    is chosen. A measure, and an answer, may be best between the ends: half of the topics, drawn at random,
    choose where the sequence begins, and the other half tests it. `fit` uses `risk` and ignores the measure.
    It raises InputError where no level is shown to keep the promise: a retriever that misses more than alpha
    cannot keep it, and a few topics cannot show it.

    delta='mean' is conformal risk control (Angelopoulos et al., ICLR 2024, https://arxiv.org/abs/2208.02814):
    (sum of losses + 1) / (n + 1) <= alpha, so that the mean loss over calibrations and new topics is at most
    alpha. It takes fewer topics, and holds only for losses with an end at which they are known to be 0:
    'dropped' (the whole list) and 'false_answer' (the empty list).
    """

    risk: Annotated[str, Risk(f"the loss: {_RISKS}")]
    alpha: Annotated[float, Number("highest expected loss", 0, 1, inside=True)]
    by: Annotated[str, Choice("what the level is of", ("score", "share"))] = "score"
    level: Annotated[float | None, _LEVEL] = None
    delta: Annotated[Any, _DELTA] = 0.1
    given: Annotated[str | None, _GIVEN] = None
    _level = "level"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given is None:
            object.__setattr__(self, "given", "unanswerable" if self.risk == "false_answer" else "all")
        keeps_all = self.at_most is None and self.budget is None
        is_zero_at_an_end = keeps_all if self.risk == "dropped" else not self.at_least
        is_zero_at_an_end &= self.risk in ("dropped", "false_answer")
        if self.delta == "mean" and not is_zero_at_an_end:
            holds = "delta='mean' holds only for losses that are known to be 0 at one end of every list"
            known = "'dropped' without at_most and budget, and 'false_answer' without at_least"
            raise ParameterError(f"{self}: {holds}: {known}. Give a number: delta=0.1.")

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> RiskControlled:
        """The policy with the level that keeps the promise; InputError if none is shown to keep it."""
        if self.level is not None:
            return self
        if self.risk in _LOSSES and (self.risk == "wrong") is (rankings.answers is None):
            labels = "graded answers, as read_depths has them" if self.risk == "wrong" else "judgments"
            raise ParameterError(f"{self}: risk={self.risk!r} is counted by {labels}.")
        keys = self._bounded_keys(rankings)
        _, units, weights = units_of(rankings)
        nil = rankings.judgments.nil_queries
        weights = weights * {"all": nil | ~nil, "answerable": ~nil, "unanswerable": nil}[str(self.given)]
        of_units = np.bincount(units, weights)
        counted = np.flatnonzero(of_units > 0)
        n, is_measure = len(counted), self.risk not in _LOSSES or self.risk == "wrong"
        topics = "topics" if self.given == "all" else f"{self.given} topics"
        fewest = _fewest_topics(self.alpha, self.delta) * (2 if is_measure else 1)
        if n < fewest:
            few = f"{n} {topics} are too few for this promise"
            raise InputError(f"{self}: {few}; at least {fewest} are needed to calibrate it.")
        self._warn_of_no_promise(float(np.average(nil, weights=weights)))
        loss = (_LOSSES.get(self.risk) or partial(_shortfall, measure=self.risk))(rankings)
        if self.among is not None:
            loss = loss[self._meant(rankings.lengths, rankings.lengths)]
        # Lists of one unit depend on each other: its loss is their mean.
        in_units = weights / np.where(of_units > 0, of_units, 1)[units]
        losses = Levels(keys, (loss * np.repeat(in_units, rankings.lengths + 1))[None, :], rankings.lengths)

        def means_of(chosen: Ints) -> tuple[Floats, Floats]:
            """All levels that make a difference to these units, from infinity down, and the mean losses."""
            levels, sums = losses.sums(np.flatnonzero(np.isin(units, chosen) | (of_units[units] == 0)))
            return levels, np.clip(sums[0] / len(chosen), 0.0, 1.0)

        start, tested = -np.inf, counted
        if is_measure:
            learning, tested = np.split(counted[generator(0).permutation(n)], [n // 2])
            levels, means = means_of(learning)
            best = np.flatnonzero(means <= means.min() + _SLACK)[-1]  # the lowest level with the lowest loss
            start = -np.inf if best == len(levels) - 1 else float(levels[best])
        levels, means = means_of(tested)
        order = np.arange(len(levels))  # from empty lists on
        if self.risk != "false_answer":
            order = order[levels >= start][::-1]  # to empty lists
        is_safe = self._are_shown(means[order], len(tested))
        if not is_safe[0]:
            least = f"{means[order[0]]:.3f} on average over {len(tested)} {topics}"
            what = f"no level is shown to keep this promise; the lists that lose least lose {least}"
            remedy = "Retrieve more, calibrate on more topics, or allow a higher alpha"
            raise InputError(f"{self}: {what}. {remedy}.")
        last = int(is_safe.argmin()) - 1 if not is_safe.all() else -1
        return replace(self, level=float(levels[order[last]]))

    def _warn_of_no_promise(self, nil: float) -> None:
        """Warn where every level keeps the promise, since too few topics can lose anything."""
        share = {"missed": 1 - nil, "dropped": 1 - nil, "false_answer": nil}.get(self.risk, 1.0)
        if share <= self.alpha:
            kind = "unanswerable" if self.risk == "false_answer" else "answerable"
            what = f"{share:.1%} of the topics are {kind}, and only these can lose anything"
            remedy = f"given={kind!r} takes the mean over them alone"
            warn(f"{self}: {what}: every level keeps this promise. {remedy}.")

    def _are_shown(self, means: Floats, n: int) -> Bools:
        """Whether each mean loss over n topics shows that the promise is kept."""
        if self.delta == "mean":
            return np.asarray((n * means + 1) / (n + 1) <= self.alpha + _SLACK)
        return np.asarray(_p_values(means, n, self.alpha) <= self.delta)

    def _keys(self, rankings: Rankings) -> Floats:
        return falling_scores(rankings) if self.by == "score" else shares_of_top(rankings)


def _fewest_topics(alpha: float, delta: Any) -> int:
    """The number of topics below which even a loss of 0 shows nothing."""
    if delta == "mean":
        return math.ceil(1 / alpha - _SLACK) - 1
    return math.ceil(math.log(delta) / math.log1p(-alpha) - _SLACK)


def _p_values(means: Floats, n: int, alpha: float) -> Floats:
    """Hoeffding-Bentkus p values of E[loss] > alpha, for losses from 0 to 1 with these means of n."""
    from scipy.special import bdtr, rel_entr

    below = np.minimum(means, alpha)
    hoeffding = np.exp(-n * (rel_entr(below, alpha) + rel_entr(1 - below, 1 - alpha)))
    bentkus = math.e * bdtr(np.ceil(n * means - n * _SLACK), n, alpha)
    return np.minimum(hoeffding, bentkus)


def _shortfall(rankings: Rankings, measure: str) -> Floats:
    """1 less a measure, after d = 0, 1, ..., n documents of every list."""
    curve = curve_of(measure, rankings)
    points = rankings.lengths + 1
    depth = np.arange(points.sum()) - np.repeat(offsets_of(points)[:-1], points)
    last = np.repeat(np.diff(curve.offsets) - 1, points)  # a cutoff may end the curve before the list
    return 1 - curve.values[np.repeat(curve.offsets[:-1], points) + np.minimum(depth, last)]


def _not_kept(rankings: Rankings, of_list: bool) -> Floats:
    """The share of a topic's (or list's) relevant documents that are below d = 0, 1, ..., n."""
    offsets, is_hit = offsets_of(rankings.lengths + 1), rankings.judged_grades > 0
    hits_at_rank = np.zeros(offsets[-1])
    hits_at_rank[offsets[:-1][rankings.judged_rows[is_hit]] + rankings.judged_ranks[is_hit]] = 1
    judged = rankings.judgments
    rows = rankings.judged_rows[is_hit] if of_list else judged.rows[judged.grades > 0]
    relevant = np.repeat(np.bincount(rows, minlength=len(rankings)), rankings.lengths + 1)
    return np.where(relevant > 0, 1 - running(hits_at_rank, offsets) / np.maximum(relevant, 1), 0.0)


def _false_answer(rankings: Rankings) -> Floats:
    """1 after d = 1, ..., n documents of a nil query, else 0."""
    loss = np.repeat(rankings.judgments.nil_queries.astype(np.float64), rankings.lengths + 1)
    loss[offsets_of(rankings.lengths + 1)[:-1]] = 0.0
    return loss


_LOSSES = {
    "missed": lambda rankings: _not_kept(rankings, of_list=False),
    "dropped": lambda rankings: _not_kept(rankings, of_list=True),
    "false_answer": _false_answer,
    "wrong": lambda rankings: 1 - rankings.graded("right"),
}
