"""Monitoring: whether live lists still look like the lists that a policy was fitted on, without labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import number
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings
from ir_trunc._inference.significance import corrected
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.ranked_rows import Run, repeats
from ir_trunc._read.arrow import flat, strings
from ir_trunc._read.rows import encoded
from ir_trunc._scoring.results import Result
from ir_trunc.truncation._fitting import POINTS, Profile, features_of, independent

FEWEST = 20
"""With fewer independent lists than this, tests of this kind raise too many false alarms."""


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
        do = "policy.fit(rankings, measure) and how_many(...).policy return policies that do"
        raise ParameterError(f"{policy} does not know what it was fitted on: {do}, and their files keep it.")
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
        ids.append(names[code] + (f" ({lists[code]})" if lists[code] > 1 else ""))
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
    highest = np.minimum(lowest + 1 / (POINTS - 1), shares) * (np.arange(len(shares)) > 0)
    difference = max(np.abs(at - shares).max(), (below - highest).max(), (lowest - below).max())
    root = np.sqrt(n * independent / (n + independent))
    return float(kolmogorov((root + 0.12 + 0.11 / root) * difference))
