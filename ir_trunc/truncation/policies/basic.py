"""The basic policies: lengths, levels that documents reach, distributions and the shape of the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.parameters import mapping, number, whole
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._read.arrow import one_id
from ir_trunc.measures.params import Kind, Number, Text, Whole
from ir_trunc.measures.terminal import AMIGO
from ir_trunc.truncation._fitting import best_levels, curve_of, falling_scores, one_measure, single_measure
from ir_trunc.truncation._policy import Policy, policy, unfitted

_FITTED = "; fitted where it is not given"
_BLOCK = 8192  # scores, which fit a processor's cache
_DIGITS = 9  # of what is compared to a level: other machines may differ in the last bits of a logarithm
_BAHRI_2020 = "Bahri, Tay, Zheng, Metzler & Tomkins, SIGIR 2020, https://doi.org/10.1145/3397271.3401188"
_ARAMPATZIS_2009 = "Arampatzis, Kamps & Robertson, SIGIR 2009, https://doi.org/10.1145/1571941.1572031"


class Level(Kind):
    """A finite number, or infinity, which nothing reaches."""

    allowed = "a finite number, or inf, which ends every list before its first document"

    def clean(self, name: str, value: Any) -> float:
        """The number as a float."""
        infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
        return float(value) if infinite else number(name, value)


class LevelPolicy(Policy):
    """A policy that keeps the documents whose key is at least a level, one of its parameters."""

    _level: ClassVar[str]

    def _keys(self, rankings: Rankings) -> Floats:
        """The key of every document; keys fall along each list."""
        raise NotImplementedError

    def _at(self, key: float) -> Policy:
        """The policy that keeps the documents with at least this key."""
        level: dict[str, Any] = {self._level: key}
        return replace(self, **level)

    def _lowest_key(self, level: float) -> float:
        return level

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Policy:
        """The best of all levels; of several the highest."""
        return self.learn_each(rankings, measure, [np.arange(len(rankings))], weights)[0]

    def learn_each(
        self,
        rankings: Rankings,
        measure: Any,
        sets: Sequence[Ints],
        weights: Floats | None = None,
        keep: float | None = None,
    ) -> list[Policy]:
        """The policy as it is fitted on each of several sets of lists, see `best_levels`."""
        if getattr(self, self._level, None) is not None:
            return [self] * len(sets)
        bound, meant = one_measure(measure), None if self.among is None else self._meant
        levels = best_levels(self._bounded_keys(rankings), rankings, bound, sets, weights, keep, meant)
        return [self._at(key) for key in levels]

    def lengths(self, rankings: Rankings) -> Ints:
        """How many documents reach the level (Q)."""
        level = getattr(self, self._level)
        if level is None:
            raise unfitted(self, self._level)
        reached = self._keys(rankings) >= self._lowest_key(level)
        if len(rankings) == 1:  # a live list should be cut in microseconds
            return np.array([np.count_nonzero(reached)])
        return np.bincount(rankings.rows[reached], minlength=len(rankings))

    def _bounded_keys(self, rankings: Rankings) -> Floats:
        """Keys for which every level gives the lengths within the bounds."""
        keys = self._keys(rankings)
        if not self.is_bounded:
            return keys
        ranks = rankings.ranks
        keys = np.where(ranks <= (self.at_least or 0), np.inf, keys)
        return np.where(ranks > self.longest(rankings)[rankings.rows], -np.inf, keys)


def shares_of_top(rankings: Rankings) -> Floats:
    """Each score as a share of its list's highest, which must be above 0."""
    scores, filled = falling_scores(rankings), rankings.lengths > 0
    top = np.ones(len(rankings))
    top[filled] = scores[offsets_of(rankings.lengths)[:-1][filled]]
    if (top <= 0).any():
        place = int((top <= 0).argmax())
        what = f"topic {rankings.topics[place]} has {top[place]:g} for its first document"
        raise InputError(f"ShareOfTop needs scores above 0: {what}. ScoreThreshold and LargestGap take any.")
    return scores / top[rankings.rows]


_Formula = Callable[[Floats], npt.NDArray[Any]]


def _of_documents(formula: _Formula, rankings: Rankings) -> Floats:
    """A formula of the scores of lists of one length (lists x n), for every document, list after list."""
    values = np.zeros(int(rankings.lengths.sum()))
    for _, places, scores in _blocks(rankings):
        values[places] = formula(scores)
    return values


def _of_lists(formula: _Formula, rankings: Rankings) -> Ints:
    """A length by the scores of lists of one length (lists x n), for every list (Q); 0 for empty ones."""
    lengths = np.zeros(len(rankings), np.int64)
    for lists, _, scores in _blocks(rankings):
        lengths[lists] = formula(scores)
    return lengths


def _blocks(rankings: Rankings) -> Iterator[tuple[Any, Any, Floats]]:
    """Blocks of lists of one length: which they are, where their documents are, and the scores."""
    scores = falling_scores(rankings)
    if len(rankings) == 1:  # a live list should be cut in microseconds
        if len(scores):
            yield slice(None), slice(None), scores[None, :]
        return
    offsets = offsets_of(rankings.lengths)
    order = np.argsort(rankings.lengths, kind="stable")
    sizes, first = np.unique(rankings.lengths[order], return_index=True)
    for n, lists in zip(sizes.tolist(), np.split(order, first[1:])):
        step = max(1, _BLOCK // max(n, 1))
        for start in range(0, len(lists) if n else 0, step):
            some = lists[start : start + step]
            places = offsets[some][:, None] + np.arange(n)
            yield some, places, scores[places]


def _from_0_to_1(scores: Floats) -> Floats:
    """The scores of lists (lists x n), scaled from 0 for the last to 1 for the first; 0 if all are equal."""
    halves = scores / 2  # a difference may be beyond 64 bits
    last = halves[:, -1:]
    spanned = halves[:, :1] - last
    return np.divide(halves - last, spanned, np.zeros(scores.shape), where=spanned > 0)


@policy(source=_ARAMPATZIS_2009)
class ScoreThreshold(LevelPolicy):
    """The documents with at least this score.

    number of i with s_i >= threshold

    `fit` chooses the best of all thresholds; of several the highest. The paper models the distribution of the
    scores; here every threshold that makes a difference is tried.
    """

    threshold: Annotated[float | None, Level("lowest score to keep" + _FITTED)] = None
    _level = "threshold"

    def _keys(self, rankings: Rankings) -> Floats:
        return falling_scores(rankings)


@policy(source="ours, after common practice: a threshold relative to the best score")
class ShareOfTop(LevelPolicy):
    """The documents with at least this share of their list's highest score.

    number of i with s_i / s_1 >= share

    The highest score must be above 0. `fit` chooses the best of all shares; of several the highest. Those who
    sample from language models, and retrieval frameworks after them, call this rule min-p.
    """

    share: Annotated[float | None, Level("lowest share of the highest score to keep" + _FITTED)] = None
    _level = "share"

    def _keys(self, rankings: Rankings) -> Floats:
        return shares_of_top(rankings)


@policy(
    source="Holtzman, Buys, Du, Forbes & Choi, ICLR 2020, https://arxiv.org/abs/1904.09751", idempotent=False
)
class Nucleus(LevelPolicy):
    """The fewest documents with this share of a list's probability (top-p).

    number of i with P_1 + ... + P_(i-1) < p, P_i = exp(s_i / temperature) / sum_j exp(s_j / temperature)

    The rule by which language models choose the words to sample from, applied to the scores of a list. The
    scores should be logits or logarithms of probabilities; cosine similarities need a low temperature, such
    as 0.05. Sums are rounded to 9 digits. With p=0 every list is empty. `fit` chooses the best p for the
    given temperature; of several the lowest.
    """

    p: Annotated[float | None, Number("share of the probability to keep" + _FITTED, 0, 1)] = None
    temperature: Annotated[float, Number("what scores are divided by", 0, math.inf, inside=True)] = 1.0
    _level = "p"

    def _keys(self, rankings: Rankings) -> Floats:
        return -_of_documents(self._sums_above, rankings)

    def _sums_above(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp((scores / 2 - scores[:, :1] / 2) / self.temperature * 2)
        sums = np.cumsum(weights, axis=1)
        above: Floats = np.round((sums - weights) / sums[:, -1:], _DIGITS)
        above[:, 0] = 0
        return np.maximum.accumulate(above, axis=1)

    def _at(self, key: float) -> Policy:
        # Between this sum and the next: sums differ by 1e-9 or more.
        p = 0.0 if key == math.inf else min(round(-key + 0.5 / 10**_DIGITS, _DIGITS + 1), 1.0)
        return replace(self, p=p)

    def _lowest_key(self, level: float) -> float:
        return math.nextafter(-level, math.inf)


_STEPS = 50  # of expectation and maximisation
_FEWEST_SCORES = 3  # different scores
_NARROWEST = 0.02  # standard deviation of the normal, as a share of the scores' range
_TINY = 1e-12
_NONE = 1e-300  # documents that are not relevant, where rounding leaves none
_ROOT = math.sqrt(2 * math.pi)
_HIGHEST = round(-math.log(_TINY), 9)


def _surprises(scores: Floats) -> Floats:
    """-ln of the probability of a score at least as high in the distribution of the list."""
    x, n = _from_0_to_1(scores), scores.shape[1]
    # E[X] and E[X (1 - F)]; of the document at rank i, i - 1 of the n - 1 others are higher.
    a0, a1 = x.sum(axis=1, keepdims=True) / n, (x * np.arange(n)).sum(axis=1, keepdims=True)
    a1 /= n * max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shape, scale = a0 / (a0 - 2 * a1) - 2, 2 * a0 * a1 / (a0 - 2 * a1)
        levels = np.log(np.maximum(1 - shape / scale * x, 0.0)) / -shape
        levels = np.where(np.abs(shape) < _TINY, x / scale, levels)
    levels = np.where(a1 == 0, np.where(x > 0, _HIGHEST, 0.0), levels)  # all equal, or all but the first
    return np.minimum.accumulate(np.round(np.minimum(levels, _HIGHEST), _DIGITS), axis=1)


@policy(
    source="Bahri, Zheng, Tay, Metzler & Tomkins, SIGIR 2023, https://arxiv.org/abs/2010.09797",
    idempotent=False,
)
class Surprise(LevelPolicy):
    """The documents with surprisingly high scores for their list.

    number of i with -ln(1 - F(s_i - s_n)) >= surprise, F the generalised Pareto distribution of the list

    What a search returns is the upper tail of the scores of a collection, so that the excess of the scores
    over the last one is distributed as a generalised Pareto. It is fitted to each list by
    probability-weighted moments (Hosking & Wallis 1987); the paper fits by maximum likelihood, and finds
    where the tail begins by a test of fit. If all scores are equal, each surprise is 0; the highest is 27.6.
    `fit` chooses the best of all levels; of several the highest.
    """

    surprise: Annotated[float | None, Level("lowest surprise to keep, in nats" + _FITTED)] = None
    _level = "surprise"

    def _keys(self, rankings: Rankings) -> Floats:
        return _of_documents(_surprises, rankings)


def _probabilities(scores: Floats) -> Floats:
    """The probability of being relevant of each document, by the mixture of its list."""
    x, n = _from_0_to_1(scores), scores.shape[1]
    has_mixture = np.count_nonzero(x[:, 1:] != x[:, :-1], axis=1) >= _FEWEST_SCORES - 1
    values = np.full(scores.shape, 0.5)
    x = x[has_mixture]
    if not len(x):
        return values
    powers, alone = np.stack([np.ones(x.shape), x, x * x], axis=1), len(x) == 1
    # Of a live list, numbers of Python take a third of the time and have the same bits.
    higher, lower, root = (max, min, math.sqrt) if alone else (np.maximum, np.minimum, np.sqrt)

    def moments(weights: Floats) -> Any:
        """The sums of the weights, of weights times x and of weights times x^2, for every list."""
        sums = np.matmul(powers, weights[:, :, None])
        return sums.ravel().tolist() if alone else (sums[:, 0], sums[:, 1], sums[:, 2])

    _, sum_x, sum_xx = moments(np.ones(x.shape))
    share, centre, rate = 0.5, 1.0, n / sum_x
    width = root(higher(sum_xx / n - (sum_x / n) ** 2, 0.0))
    relevant = np.empty(x.shape)
    with np.errstate(over="ignore"):
        for _ in range(_STEPS):
            width = higher(width, _NARROWEST)
            # (c x - b) x - a: ln of (1 - share) Exponential(x) / (share Normal(x))
            c = 1 / (2 * width * width)
            b = 2 * c * centre + rate
            a = np.log(share / ((1 - share) * rate * width * _ROOT)) - c * centre * centre
            np.multiply(x, c, out=relevant)
            relevant -= b
            relevant *= x
            relevant -= a
            np.exp(relevant, out=relevant)
            relevant += 1
            np.reciprocal(relevant, out=relevant)
            weight, of_x, of_xx = moments(relevant)
            share, some = lower(higher(weight / n, 0.001), 0.999), higher(weight, _TINY)
            centre = of_x / some
            width = root(higher(of_xx - 2 * centre * of_x + centre * centre * weight, 0.0) / some)
            rate = lower(higher(n - weight, _NONE) / higher(sum_x - of_x, _TINY), 1 / _NARROWEST)
    upwards = np.maximum.accumulate(relevant[:, ::-1], axis=1)[:, ::-1]
    values[has_mixture] = np.round(upwards, _DIGITS)
    return values


@policy(source=_ARAMPATZIS_2009, idempotent=False)
class ScoreDistribution(LevelPolicy):
    """The documents that are relevant with at least this probability.

    number of i with P(relevant | s_i) >= probability

    Scores of relevant documents are assumed to be normal, those of the others exponential. This mixture is
    fitted to each list, from its last score to its first, by 50 steps of expectation and maximisation. The
    normal falls off faster than the exponential, so that very high scores would count as less relevant than
    lower ones: a document gets the highest probability of all from it down. In lists of fewer than three
    different scores every probability is 1/2. `fit` chooses the best of all levels; of several the highest.
    The paper derives the level from the mixture and the measure; here it is fitted on training topics. A call
    on 100 scores takes about 0.3 ms, with other policies except `Learned` at most a tenth of that.
    """

    probability: Annotated[float | None, Level("lowest probability of relevance to keep" + _FITTED)] = None
    _level = "probability"

    def _keys(self, rankings: Rankings) -> Floats:
        return _of_documents(_probabilities, rankings)


_TAGUCHI_2025 = "Taguchi, Maekawa & Bhutani, EMNLP 2025, https://doi.org/10.18653/v1/2025.emnlp-main.1017"


@policy(source=_TAGUCHI_2025, idempotent=False)
class LargestGap(Policy):
    """The documents above the largest gap between neighbouring scores.

    the lowest i < n with the highest s_i - s_(i+1); n where all scores are equal

    The shortened list has a largest gap of its own, so that cutting it again shortens it further.
    """

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the gap (Q)."""
        return _of_lists(_above_largest_gap, rankings)


@policy(source=_TAGUCHI_2025, idempotent=False)
class AdaptiveK(Policy):
    """The documents above the largest of the upper gaps, and a few more.

    min(n, buffer + i) with the lowest i <= n - 1 - floor((1 - share) (n - 1)) that has the highest
    s_i - s_(i+1); n where these are all 0

    The defaults are those of the paper. With share=1 and buffer=0 it is `LargestGap`.
    """

    share: Annotated[float, Number("share of the gaps, from the top, among which the largest is", 0, 1)] = 0.9
    buffer: Annotated[int, Whole("documents to keep below the gap", low=0)] = 5

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the gap, and `buffer` more (Q)."""
        above = _of_lists(lambda scores: _above_largest_gap(scores, self.share), rankings)
        return np.minimum(rankings.lengths, self.buffer + above)


_SLACK = 1e-9  # 0.1 of 10 gaps is one gap, though (1 - 0.9) * 10 is a little less


def _above_largest_gap(scores: Floats, share: float = 1.0) -> Ints:
    """The rank above the largest gap in this share of the gaps, from the top; n if these gaps are all 0."""
    n = scores.shape[1]
    count = n - 1 - math.floor((1 - share) * (n - 1) + _SLACK)
    if count < 1:
        return np.full(len(scores), n)
    with np.errstate(over="ignore"):
        gaps = scores[:, :count] - scores[:, 1 : count + 1]
    return np.where(gaps.max(axis=1) > 0, gaps.argmax(axis=1) + 1, n)


@policy(
    source="Satopää, Albrecht, Irwin & Raghavan, ICDCS Workshops 2011, https://doi.org/10.1109/ICDCSW.2011.20",
    idempotent=False,
)
class Knee(Policy):
    """The documents above the knee of the scores, where they stop falling steeply.

    i - 1 with the lowest i that is furthest below the straight line from s_1 to s_n: that has the highest
    (n - i) / (n - 1) - (s_i - s_n) / (s_1 - s_n); n where no score is below that line

    Scores that fall along a straight line, or slowly at first, have no knee: such a list stays whole.
    """

    def lengths(self, rankings: Rankings) -> Ints:
        """The rank above the knee (Q)."""
        return _of_lists(_above_knee, rankings)


_FEWEST_DOCUMENTS = 3  # two make a straight line
_SAME_DISTANCE = 1e-9  # smaller differences are rounding: a straight line has no knee


def _above_knee(scores: Floats) -> Ints:
    n = scores.shape[1]
    if n < _FEWEST_DOCUMENTS:
        return np.full(len(scores), n)
    below = np.arange(n - 1, -1, -1) / (n - 1) - _from_0_to_1(scores)
    below[:, 0] = below[:, -1] = 0.0
    furthest = below.max(axis=1, keepdims=True)
    has_knee = (furthest[:, 0] > _SAME_DISTANCE) & (scores[:, 0] > scores[:, -1])
    return np.where(has_knee, (below >= furthest * (1 - _SAME_DISTANCE)).argmax(axis=1), n)


@policy(source=_BAHRI_2020)
class Fixed(Policy):
    """The first k documents.

    min(k, n)
    """

    k: Annotated[int, Whole("documents to keep", low=0)]

    def lengths(self, rankings: Rankings) -> Ints:
        """k, or the whole of a shorter list (Q)."""
        return np.minimum(rankings.lengths, self.k)


@policy(source=_BAHRI_2020)
class Greedy(LevelPolicy):
    """The first k documents, for the k that is best on the training topics.

    min(k, n) with the k for which the measure's mean over the training topics is highest

    `fit` returns `Fixed(k)`; of several best k the lowest.
    """

    _level = "k"

    def _keys(self, rankings: Rankings) -> Floats:
        return -rankings.ranks.astype(np.float64)

    def _at(self, key: float) -> Fixed:
        k = (self.at_least or 0) if key == np.inf else int(-key)
        if self.among is not None:
            k = int(self._possible(np.array([k]), np.array([LARGEST]))[0])
        return Fixed(k, budget=self.budget)

    def lengths(self, rankings: Rankings) -> Ints:
        """ParameterError: the best k has to be fitted first."""
        raise unfitted(self, "k")


class CutsByTopic(Kind):
    """A length for each topic."""

    allowed = "a map {topic: k} with whole numbers >= 0"

    def clean(self, name: str, value: Any) -> dict[str, int]:
        """The map with plain whole numbers."""
        cuts, where = mapping(name, value, "{topic: k}").items(), f"{name}, topic"
        return {one_id(topic, "topic", name): whole(f"{where} {shown(topic)}", k, 0) for topic, k in cuts}


@policy(source="ours: the user, or a file of lines 'topic<TAB>k'")
class Given(Policy):
    """Cuts that are known already, from a file for example.

    min(cuts[topic], n)

    The policy is written as the path of its file. A topic without a cut is an error.
    """

    cuts: Annotated[Mapping[str, int], CutsByTopic("documents to keep of each topic")]
    source: Annotated[str, Text("name of the cuts in messages: their file")] = "cuts"

    not_live = "its cuts belong to topics, and such a list has none"

    def __str__(self) -> str:
        return self.source

    def lengths(self, rankings: Rankings) -> Ints:
        """Each topic's k, or the whole of a shorter list (Q); InputError where a topic has none."""
        missing = next((topic for topic in rankings.topics if topic not in self.cuts), None)
        if missing is not None:
            needed = "every topic needs one, 0 for an empty list"
            raise InputError(f"{self.source} has no cut for topic {missing}: {needed}.")
        return np.minimum(rankings.lengths, [self.cuts[topic] for topic in rankings.topics])


class ListMeasure(Kind):
    """A measure, as an object or a text."""

    allowed = "a measure that scores each list by itself"

    def clean(self, name: str, value: Any) -> Any:
        """The measure as an object."""
        return single_measure(value)


_BEST_BY = ListMeasure("measure to be best by; the one that policies are fitted for if not given")


@policy(source=f"{AMIGO}, section 4.2")
class Oracle(Policy):
    """The best cut of every judged list by a measure.

    the lowest i for which measure(s_1 ... s_i) is highest, i = 0..n

    It uses the judgments and gives an upper bound: no policy has a higher score by that measure.
    """

    measure: Annotated[Any, _BEST_BY] = None
    sees_judgments = True

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Oracle:
        """The oracle of this measure."""
        return self if self.measure is not None else replace(self, measure=measure)

    def lengths(self, rankings: Rankings) -> Ints:
        """The best depth of every list within the bounds (Q); of several the lowest."""
        if self.measure is None:
            raise unfitted(self, "measure")
        curve = curve_of(self.measure, rankings.cut(self.longest(rankings)) if self.is_bounded else rankings)
        counts = np.diff(curve.offsets)
        fewest = np.minimum(self.at_least or 0, counts - 1)
        depths = np.arange(len(curve.values)) - np.repeat(curve.offsets[:-1], counts)
        values = curve.values
        if self.among is not None:
            whole = np.repeat(rankings.lengths, counts)
            values = np.where(self._possible(depths, whole) == depths, values, np.nan)
        values = values[depths >= np.repeat(fewest, counts)]
        return fewest + replace(curve, offsets=offsets_of(counts - fewest), values=values).best()[0]
