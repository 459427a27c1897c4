"""Monitoring: whether live lists still look like the lists that a policy was fitted on, without labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

import numpy as np

from ir_trunc._core.annotations import LARGEST
from ir_trunc._core.errors import InputError, ParameterError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import number
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings, offsets_of
from ir_trunc._core.universe import Universe
from ir_trunc._inference.p_values import corrected
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.ranked_rows import Run, repeats
from ir_trunc._read.arrow import flat, strings
from ir_trunc._read.rows import encoded
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.saved import fields_of, from_json
from ir_trunc.truncation._fitting import falling_scores, one_measure, units_of

__all__ = ["Monitoring", "Profile"]

FEWEST = 20
"""With fewer independent lists than this, tests of this kind raise too many false alarms."""

_DOCUMENTS = {"top score": 1, "gap": 2, "spread": 2}  # that a list needs, to have the feature
_POINTS = 100  # of a distribution
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
        if problem := next(profile._problems(), None):
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
            if not 0 <= (value := getattr(self, name)) <= high:
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
    places = np.unique(np.round(np.linspace(0, len(ordered) - 1, _POINTS)).astype(np.int64))
    points = np.unique(ordered[places])
    shares = np.searchsorted(ordered, points, side="right") / len(ordered)
    return tuple(zip(points.tolist(), shares.tolist()))


@dataclass(frozen=True, repr=False, eq=False)
class Monitoring(Result):
    """How live lists differ from those that a policy was fitted on.

    Attributes
    ----------
    policy : str
        The policy.
    profile : Profile
        What it was fitted on.
    lists : int
        The number of live lists; with keys, of values of the outermost key.
    alpha : float
        The probability of an alarm where nothing has changed is at most this.
    features : tuple of str
        What was compared (F).
    fitted, live : array of float64
        The mean of each over the lists that the policy was fitted on (for features of the scores the median),
        and over the live lists (F).
    p_value : array of float64
        Corrected by Holm's method for the number of features (F).
    doubts : tuple of str
        What could not be compared, and why.
    """

    policy: str
    profile: Profile
    lists: int
    alpha: float
    features: tuple[str, ...]
    fitted: Floats
    live: Floats
    p_value: Floats
    doubts: tuple[str, ...]

    @property
    def shifted(self) -> Bools:
        """Whether each feature has changed (F)."""
        return self.p_value <= self.alpha

    @property
    def matches(self) -> bool:
        """Whether the live lists look like those of the fit: all was compared, and no shift is shown."""
        return not self.shifted.any() and not self.doubts

    @property
    def heading(self) -> str:
        """The verdict, in words."""
        compared = f"{counted(self.lists, 'live list')}, {self.policy} fitted on {self.profile.questions}"
        limit = f"False alarms: at most {self.alpha:g}, from {FEWEST} lists on."
        doubts = "".join(f" {doubt}" for doubt in self.doubts)
        if self.shifted.any():
            names = ", ".join(name for name, shifted in zip(self.features, self.shifted) if shifted)
            advice = "Label new questions, and fit the policy again."
            return fitted(f"ALARM, shifted: {names}; {compared}. {advice} {limit}{doubts}")
        verdict = "Not enough to tell" if doubts else "No shift is shown"
        return fitted(f"{verdict}: {compared}. {limit}{doubts}")

    def to_pandas(self) -> pd.DataFrame:
        """A row for each feature: fitted, live, p_value and shifted."""
        columns = {"fitted": self.fitted, "live": self.live, "p_value": self.p_value, "shifted": self.shifted}
        return pd.DataFrame(columns, index=pd.Index(self.features, name="feature"))


def monitoring(policy: Any, rankings: Rankings, alpha: float) -> Monitoring:
    """Live lists against a policy's profile."""
    from scipy.stats import fisher_exact

    alpha = number("alpha", alpha, 0, 1, inside=True)
    profile, n = policy.fitted_on, independent(rankings)
    if profile is None:
        raise ParameterError(
            f"{policy} does not know what it was fitted on: policy.fit(rankings, measure) and"
            " how_many(...).policy return policies that do, and their files keep it."
        )
    was = profile.questions
    if min(n, was) < FEWEST:
        few = f"{counted(n, 'independent live list')}, and {policy} was fitted on {was}"
        raise InputError(f"{few}: too few to tell; {FEWEST} or more of both are needed.")
    lengths = policy.cut(rankings)
    share = float((lengths == 0).mean())
    silent_then, silent = round(profile.silent * was), round(share * n)
    table = [[silent_then, was - silent_then], [silent, n - silent]]
    rows = {"silent": (profile.silent, share, float(fisher_exact(table)[1]))}
    doubts = list(_doubts(profile, rankings.lengths, lengths))
    p_value = _rank_test(np.array(profile.lengths), was, lengths, n)
    rows["passages"] = (profile.length, float(lengths.mean()), p_value)
    live = features_of(rankings)
    for name in {**profile.features, **live}:
        values, in_fit = live.get(name, np.zeros(0)), profile.number_with(name)
        in_live = n * len(values) / len(rankings)
        if min(in_fit, round(in_live)) < FEWEST:  # so few would tell nothing, or too much
            if max(in_fit, len(values)):
                have_it = f"{in_fit or 'fewer than 2'} lists of the fit and {in_live:.0f} live ones have it"
                doubts.append(f"{name}: not compared, {have_it}; {FEWEST} of both are needed.")
            continue
        points = profile.features[name]
        median = next(value for value, share in points if share >= 0.5)
        p_value = _kolmogorov_smirnov(points, in_fit, values, in_live)
        with np.errstate(over="ignore"):
            rows[name] = (median, float(np.median(values)), p_value)
    fitted_values, live_values, p_values = np.array(list(rows.values()), np.float64).T
    columns = fitted_values, live_values, corrected(p_values, "holm")
    return Monitoring(str(policy), profile, n, alpha, tuple(rows), *columns, tuple(doubts))


def lists_apart(run: Run) -> Run:
    """A live run where each list of a question that comes again has an id of its own.

    It comes again where a document is in its list twice, unless `duplicates` says what that means.
    """
    topic, docs = flat(run.topics.indices).astype(np.int64), run.docs
    again = {*topic[repeats(topic, docs)].tolist()} if run.reading.duplicates == "error" else set()
    names, lists, ids, before = run.topics.dictionary.to_pylist(), Counter[int](), list[str](), -1
    seen = set[str]()
    for code, doc in zip(topic.tolist(), docs.to_pylist()) if again else ():
        if code in again and (code != before or doc in seen):
            lists[code] += 1
            seen = set()
        seen.add(doc)
        ids.append(names[code] + f" ({lists[code]})" * (lists[code] > 1))
        before = code
    return replace(run, topics=encoded(strings(ids))) if again else run


def _doubts(profile: Profile, retrieved: Ints, kept: Ints) -> Iterator[str]:
    """Why a shift of the lengths might not be seen."""
    retrieved_in_fit = profile.features["retrieved"]
    of_fit = np.repeat(*np.array(profile.lengths).T)
    differences = [(of_fit <= value).mean() - share for value, share in retrieved_in_fit]
    cut_in_fit = max((of_fit < retrieved_in_fit[0][0]).mean(), *differences) > 1e-9
    if cut_in_fit and kept.any() and (kept == retrieved).all():
        yield "No list is longer than the policy keeps: monitor needs the lists before the policy cuts them."


def _rank_test(then: Ints, was: int, lengths: Ints, n: int) -> float:
    """The p value of Wilcoxon's rank sum test with its correction for ties, by the normal approximation.

    then: lengths with the number of lists (L x 2). was, n: how many of both samples are independent.
    """
    from scipy.special import ndtr

    values = np.union1d(then[:, 0], lengths)
    first, second = np.zeros(len(values)), np.zeros(len(values))
    first[np.searchsorted(values, then[:, 0])] = then[:, 1] / then[:, 1].sum()
    np.add.at(second, np.searchsorted(values, lengths), 1 / len(lengths))
    both = (was * first + n * second) / (was + n)
    middle = np.cumsum(both) - both / 2 - 0.5
    spread = (both * middle**2).sum() * (1 / was + 1 / n) * (was + n) / (was + n - 1)
    return float(2 * ndtr(-abs((second - first) @ middle) / np.sqrt(spread))) if spread > 0 else 1.0


def _kolmogorov_smirnov(
    points: tuple[tuple[float, float], ...], n: int, values: Floats, independent: float
) -> float:
    """The p value of a two-sample test, where of the first sample of n values some points are known.

    Differences count at each point and just below it, where a value that many lists share shows. Below a
    point the share of the first sample is known up to the values that lie between two points.
    independent: how many of the values of the second sample are independent of each other.
    """
    from scipy.special import kolmogorov

    of_first, shares = np.array(points).T
    ordered = np.sort(values)
    at, below = (np.searchsorted(ordered, of_first, side) / len(ordered) for side in ("right", "left"))
    lowest = np.append(0.0, shares[:-1])
    highest = np.minimum(lowest + 1 / (_POINTS - 1), shares) * (np.arange(len(shares)) > 0)
    difference = max(np.abs(at - shares).max(), (below - highest).max(), (lowest - below).max())
    root = np.sqrt(n * independent / (n + independent))
    return float(kolmogorov((root + 0.12 + 0.11 / root) * difference))
