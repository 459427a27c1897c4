"""The best of many policies: how it is chosen, what chance has in its score, and what to expect of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.parameters import generator
from ir_trunc._inference.estimate import ALPHA, Estimate, stacked, weighted
from ir_trunc.measures.definition import Definition

RESAMPLES = 1000
_CELLS = 2_000_000  # of a block of bootstrap samples


def choose(scores: Floats, kept: Floats, ranks: Ints, tolerance: float, keep: float | None) -> Ints:
    """The place of the advised policy in each row of scores and kept shares (draws x policies)."""
    allowed = np.ones(scores.shape, bool)
    if keep is not None:  # where no policy keeps enough, the one that keeps the most
        allowed = kept >= np.minimum(keep, kept.max(axis=1, keepdims=True)) - TOLERANCE
    possible = np.where(allowed, np.round(scores, 12), -np.inf)
    near = possible >= possible.max(axis=1, keepdims=True) - tolerance - TOLERANCE
    rank = np.where(near, ranks, ranks.max() + 1)
    simplest = rank == rank.min(axis=1, keepdims=True)
    return np.asarray(np.where(simplest, possible, -np.inf).argmax(axis=1))


@dataclass(frozen=True)
class Draws:
    """Scores and kept shares in bootstrap samples of the questions, and scores on those left out (B x P)."""

    scores: Floats
    kept: Floats
    outside: Floats


def bootstrap(table: Floats, units: Ints, kinds: Bools, seed: int) -> Draws:
    """Scores and kept shares in bootstrap samples of units, and scores over the units left out.

    table: values by policy, weights of the questions that keep a relevant document by policy, all weights,
    weights of answerable questions (2P + 2 rows x Q). kinds: two kinds of units, which are drawn separately,
    and whose shares of the weights stay as they are, inside and outside.
    """
    random, count, policies = generator(seed), len(kinds), (len(table) - 2) // 2
    sums = np.stack([np.bincount(units, row, count) for row in table], axis=1)
    groups = [np.flatnonzero(kind) for kind in (kinds, ~kinds) if kind.any()]
    blocks = []
    for start in range(0, RESAMPLES, step := max(_CELLS // count, 1)):
        rows = min(step, RESAMPLES - start)
        drawn = np.hstack([group[random.integers(0, len(group), (rows, len(group)))] for group in groups])
        cells = (drawn + count * np.arange(rows)[:, None]).ravel()
        counts = np.bincount(cells, minlength=rows * count).reshape(rows, count)
        blocks.append((counts @ sums, *((counts[:, group] == 0) @ sums[group] for group in groups)))
    inside, *outside = (np.vstack(block) for block in zip(*blocks))
    weights = [sums[group, -2].sum() for group in groups]
    with np.errstate(invalid="ignore", divide="ignore"):
        kinds_left = [(weight, left) for weight, left in zip(weights, outside) if weight]
        means = sum(weight * left[:, :policies] / left[:, [-2]] for weight, left in kinds_left)
        scores, kept = inside[:, :policies] / inside[:, [-2]], inside[:, policies:-2] / inside[:, [-1]]
    return Draws(scores, np.nan_to_num(kept, nan=1.0), means / sum(weights))


def shares_of_first(scores: Floats) -> Floats:
    """The share of bootstrap samples in which each policy ranks first; ties share a sample."""
    best = scores >= scores.max(axis=1, keepdims=True) - TOLERANCE
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def chance_of_lead(leads: Floats, drawn: Floats) -> float:
    """How often chance alone gives some policy a lead over the present setting as large as the largest.

    leads: of the scores of policies; drawn: in bootstrap samples (B x P). White's reality check
    (Econometrica 2000, https://doi.org/10.1111/1468-0262.00152).
    """
    if not len(leads):
        return 1.0
    return float(((drawn - leads).max(axis=1) >= leads.max() - TOLERANCE).mean())


def of_best(
    each: Sequence[Estimate], scores: Floats, outside: Floats, chosen: Ints, seed: int = 0
) -> tuple[float, float, float]:
    """What to expect of the best of many on new questions: a score with its interval.

    It is that of what is chosen anew in each bootstrap sample, on the questions that this leaves out
    (Tsamardinos et al. 2018). The interval is that of what is chosen, in random weights of the questions and
    of one more at an end of the range, less the optimism of a choice on the same questions.

    each: an estimate of each policy; scores: on all questions (P); outside: on those left out (B x P);
    chosen: in each sample (B).
    """
    draws = np.arange(len(chosen))
    new = outside[draws, chosen]
    if not np.isfinite(new).any():
        return math.nan, math.nan, math.nan
    mean = float(np.nanmean(new))
    optimism = float(scores[chosen].mean()) - mean
    together = weighted(stacked(each))
    lows, highs = (ends[draws, chosen] - optimism for ends in together.draws(len(chosen), seed))
    low = min(float(np.quantile(lows, ALPHA / 2)), mean)
    high = max(float(np.quantile(highs, 1 - ALPHA / 2)), mean)
    least, most = together.range
    return mean, max(low, least), min(high, most)


def separation(first_scores: Floats | None, nil: Bools) -> tuple[float, float, float]:
    """AUROC of the top score for questions with against those without an answer, with DeLong's interval.

    Its quantile is Student's, with Welch's degrees of freedom: there may be few questions of one kind.
    """
    from scipy import stats

    if first_scores is None or min(nil.sum(), (~nil).sum()) < 2:
        return math.nan, math.nan, math.nan
    kinds = [np.sort(first_scores[~nil]), np.sort(first_scores[nil])]
    # For each question the share of those of the other kind with a lower top score; an equal one counts half.
    shares = [
        (other.searchsorted(own) + other.searchsorted(own, "right")) / (2 * len(other))
        for own, other in zip(kinds, kinds[::-1])
    ]
    auroc, variances = float(shares[0].mean()), [share.var(ddof=1) / len(share) for share in shares]
    variance = sum(variances)
    if variance <= TOLERANCE**2:  # all are in order, or all are equal
        low, high = Estimate(np.full(min(map(len, kinds)), auroc), (0.0, 1.0)).interval().tolist()
        return auroc, low, high
    freedom = variance**2 / sum(part**2 / (len(share) - 1) for part, share in zip(variances, shares))
    half = float(stats.t.ppf(1 - ALPHA / 2, freedom)) * math.sqrt(variance)
    return auroc, max(auroc - half, 0.0), min(auroc + half, 1.0)


def weights_of(nil: Bools, nested: Floats, unanswerable: float | None, measure: Definition) -> Floats:
    """The weight of each question, 1 on average, with which the unanswerable ones have the wanted share."""
    weights = nested
    if unanswerable is not None:
        share = float(nested[nil].sum() / len(nil))
        if share == 0 < unanswerable:
            what = "every question has an answer in the labels; add some without (empty labels, or topics=)"
            raise InputError(f"unanswerable={unanswerable:g}: {what}.")
        of_nil = unanswerable / share if share else 0.0
        weights = nested * np.where(nil, of_nil, (1 - unanswerable) / (1 - share))
    if measure.scope == "run" and measure.of_means is None and (weights != 1).any():
        what = "has no weighted mean, as `unanswerable` and `keys` need; RBPT, EM and c@1 have"
        raise ParameterError(f"{measure.name} looks at all lists of a run and {what}.")
    return weights
