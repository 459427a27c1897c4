"""What the library promises, by simulation; the exit status is 1 where a promise is broken.

    python tests/benchmarks/guarantees.py levels|thresholds|gates|intervals|units [--draws 1000]

`levels`: how often RiskControlled breaks its promise, with retrievers that miss relevant documents. For each
setting, calibration samples are drawn from a population of 40,000 topics, and the policy is fitted to each.
Printed are the share of samples for which it finds a level, the share of all samples for which it finds one
whose true loss is above alpha (which is to be at most delta), and the mean true loss and length where it
finds one. With delta='mean' the promise is about the mean of the true losses.

`thresholds`: how often the true risk above a threshold of a log of answers exceeds the risk that was asked
for. Answers of a generated system are drawn, the threshold is chosen on them, and its risk is computed in the
population. `observed` is `threshold(risk)`, `promised` is `threshold(risk, delta=0.1)`; `Bonferroni` tests 20
quantiles of the confidence, each at delta / 20. Printed are the share of draws that find a threshold, the
share that find one whose true risk is too high, with its Monte Carlo error, and the mean coverage of draws.
Errors fall with the confidence, or are worst among the most confident 2 %.

`gates`: how often `check` with require='shown' passes a run whose true change is just at the limit, in at
most alpha / 2 = 2.5 %. Simulated are scores of topics of two runs: reciprocal ranks of which a share of
topics is emptied and the others change a little, shares with many ties, differences of a run's own noise,
means of few users with many topics each, the share of silence that is wrong, and labels by people for some of
the topics. Beside it stands Student's t.

`intervals`: how often intervals of CWS, AURC and EAURC hold the true value, by Student's t and by the
bootstrap (BCa). Systems answer 60 % of the questions correctly, the more often the surer they are. The true
value is the mean over many samples of the same size.

`units`: false alarms of paired tests on lists with keys, by unit, and as flat tests would give them. Both
systems of a trial have scores of the same distribution: an effect of the system on each topic, on each
question, and noise by day. So every p value below .05 is a false alarm. A test is sound where about 5 % of
the trials are, 3.5 to 6.5 % of 1,000.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from ir_trunc import InputError, Rankings, parse_measure, read_log
from ir_trunc._core.universe import Keys, Nest
from ir_trunc._inference.estimate import CorrectedEstimate, Estimate
from ir_trunc._inference.significance import Setting, paired_tests
from ir_trunc._scoring.objects import bind
from ir_trunc.truncation import RiskControlled
from ir_trunc.truncation._fitting import Levels
from ir_trunc.truncation._validation import estimate_of
from ir_trunc.truncation.policies import risk as risks

POPULATION, LENGTH = 40_000, 12
LEVELS = [
    # risk, alpha, by, delta, calibration topics, share of relevant documents that the retriever misses,
    # share of unanswerable topics (by default a third; of 400 topics a tenth is 40), unit of the scores
    ("missed", 0.20, "score", 0.1, 8, 0.02), ("missed", 0.20, "score", 0.1, 20, 0.02),
    ("dropped", 0.20, "score", 0.1, 15, 0.12), ("Success@1", 0.30, "score", 0.1, 20, 0.06),
    ("missed", 0.02, "score", 0.1, 200, 0.005), ("dropped", 0.02, "score", 0.1, 200, 0.005),
    ("missed", 0.10, "score", 0.1, 100, 0.06, 1 / 3, 0.25),
    ("false_answer", 0.15, "score", 0.1, 400, 0.12, 0.1, 0.25),
    ("missed", 0.10, "score", 0.1, 30, 0.16), ("missed", 0.10, "score", 0.1, 100, 0.16),
    ("missed", 0.10, "score", 0.1, 100, 0.06), ("missed", 0.10, "score", 0.1, 400, 0.06),
    ("missed", 0.10, "share", 0.1, 400, 0.06), ("missed", 0.20, "score", 0.05, 100, 0.12),
    ("dropped", 0.10, "score", 0.1, 100, 0.12), ("dropped", 0.10, "score", "mean", 100, 0.12),
    ("false_answer", 0.10, "score", 0.1, 100, 0.12), ("false_answer", 0.15, "score", 0.1, 400, 0.12, 0.1),
    ("false_answer", 0.15, "score", 0.1, 1000, 0.12, 0.1), ("false_answer", 0.10, "score", "mean", 100, 0.12),
    ("RBPT(p=0.8)", 0.20, "score", 0.1, 100, 0.06), ("RBPT(p=0.8)", 0.25, "score", 0.1, 100, 0.06),
    ("RBPT(p=0.8)", 0.25, "score", 0.1, 400, 0.06), ("SetF", 0.25, "score", 0.1, 400, 0.06),
    ("Success@1", 0.10, "score", 0.1, 400, 0.06),
]  # fmt: skip


@cache
def population(topics: int, missing: float, nil: float, unit: float, seed: int = 0) -> Rankings:
    """0 to 4 relevant documents among 12, scores that overlap; a share of the topics is nil."""
    rng = np.random.default_rng(seed)
    relevant = rng.integers(1, 5, topics) * (rng.random(topics) > nil)
    grades = (np.arange(LENGTH) < relevant[:, None]).astype(int)
    missed = (rng.random(grades.shape) < missing) & (grades > 0)
    scores = 1 + rng.normal(0.4 + 0.4 * (grades & ~missed), 0.12) + rng.normal(0, 0.05, (topics, 1))
    scores = np.round(scores / unit) * unit
    order = np.argsort(-scores, axis=1)
    listed = np.take_along_axis(np.where(missed, 0, grades), order, axis=1)
    pools = [row + [1] * int(lost) for row, lost in zip(listed.tolist(), missed.sum(axis=1))]
    falling = np.take_along_axis(scores, order, axis=1)
    return Rankings.from_lists(listed.tolist(), pools, scores=falling.tolist())


@cache
def true_losses(risk: str, by: str, *of: float) -> tuple[np.ndarray, np.ndarray]:
    """Levels, and the expected loss at each, over the population; false answers among unanswerable topics."""
    everything = population(POPULATION, *of)
    keys = RiskControlled("missed", 0.1, by)._keys(everything)
    loss = risks._LOSSES[risk](everything) if risk in risks._LOSSES else risks._shortfall(everything, risk)
    levels, sums = Levels(keys, loss[None, :], everything.lengths).sums(np.arange(POPULATION))
    counted = everything.judgments.nil_queries.sum() if risk == "false_answer" else POPULATION
    return levels, sums[0] / counted


def level_trial(risk, alpha, by, delta, topics, missing, nil=1 / 3, unit=1e-9, *, draws, seed=1):
    """What happens in `draws` calibrations."""
    everything, rng = population(POPULATION, missing, nil, unit), np.random.default_rng(seed)
    levels, means = true_losses(risk, by, missing, nil, unit)
    losses, lengths = [], []
    for _ in range(draws):
        sample = everything.take(np.sort(rng.choice(POPULATION, topics, replace=False)))
        try:
            fitted = RiskControlled(risk, alpha, by, delta=delta).fit(sample)
        except InputError:
            continue
        losses.append(means[np.flatnonzero(levels >= fitted.level)[-1]])
        lengths.append(fitted.cut(sample).mean())
    broken = sum(loss > alpha for loss in losses) / draws
    error = np.sqrt(max(broken * (1 - broken), 1 / draws) / draws)
    return {
        "risk": risk, "alpha": alpha, "by": by, "delta": delta, "topics": topics, "missing": missing,
        "whole": means[-1], "least": means.min(), "accepted": len(losses) / draws, "broken": broken,
        "error": error, "mean_loss": np.mean(losses) if losses else np.nan,
        "length": np.mean(lengths) if lengths else np.nan,
    }  # fmt: skip


def levels(draws: int) -> bool:
    """Whether RiskControlled keeps its promise."""
    table = pd.DataFrame([level_trial(*setting, draws=draws) for setting in LEVELS])
    print(table.round(3).to_string(index=False))
    by_delta = table["delta"] != "mean"
    kept = table["broken"] <= table["delta"].where(by_delta, 1).astype(float) + 2 * table["error"]
    kept &= by_delta | (table["mean_loss"] <= table["alpha"] + 0.002)
    return bool(kept.all())


DELTA = 0.1
THRESHOLDS = [
    # answers, risk, error of the least confident answers, decimals of the confidence
    (100, 0.1, 0.4, 9), (300, 0.1, 0.4, 9), (1000, 0.1, 0.4, 9), (1000, 0.03, 0.4, 9), (3000, 0.03, 0.4, 9),
    (300, 0.2, 0.4, 9), (300, 0.1, 0.2, 9), (300, 0.1, 0.4, 1), (1000, 0.05, 0.1, 9), (200, 0.1, 0.1, 9),
    (1000, 0.15, -0.1, 9), (1000, 0.1, -0.02, 9),  # worst at the top, and as often wrong elsewhere
]  # fmt: skip


def error_at(confidence, worst: float):
    """The chance of a wrong answer: it falls from `worst`, or is -worst below .98 and a half above."""
    confidence = np.asarray(confidence)
    return worst * (1 - confidence) if worst > 0 else np.where(confidence > 0.98, 0.5, -worst)


def risk_above(threshold: float, worst: float) -> float:
    """The share of wrong answers among those with at least this confidence."""
    if worst > 0:
        return worst * (1 - threshold) / 2
    top = min(0.02, 1 - threshold)
    return (0.5 * top - worst * (1 - threshold - top)) / (1 - threshold)


def bonferroni(confidence, correct, risk: float) -> float:
    """The lowest of 20 quantiles at which the risk is shown at the level delta / 20; NaN for none."""
    levels = np.quantile(confidence, np.arange(20) / 20)
    kept = [confidence >= level for level in levels]
    shown = [stats.binom.cdf((~correct[of]).sum(), of.sum(), risk) <= DELTA / 20 for of in kept]
    return min(levels[shown], default=np.nan)


def threshold_trial(answers: int, risk: float, worst: float, decimals: int, kind: str, draws: int) -> dict:
    random, found, broken, coverage = np.random.default_rng(1), 0, 0, 0.0
    for _ in range(draws):
        exact = random.random(answers)
        correct = random.random(answers) >= error_at(exact, worst)
        confidence = np.floor(exact * 10**decimals) / 10**decimals
        rows = enumerate(zip(confidence.tolist(), correct.tolist()))
        items = [{"id": n, "answer": "a", "confidence": c, "correct": right} for n, (c, right) in rows]
        try:
            if kind == "Bonferroni":
                threshold = bonferroni(confidence, correct, risk)
            else:
                how = {"delta": DELTA} if kind == "promised" else {}
                threshold = read_log(items).threshold(risk, **how)
        except InputError:
            continue
        if np.isnan(threshold):
            continue
        found += 1
        broken += risk_above(threshold, worst) > risk + 1e-9
        coverage += 1 - threshold
    share = broken / draws
    return {
        "answers": answers, "risk": risk, "worst": worst, "decimals": decimals,
        "threshold": kind, "found": found / draws, "too high": share,
        "error": np.sqrt(share * (1 - share) / draws), "coverage": coverage / draws,
    }  # fmt: skip


def thresholds(draws: int) -> bool:
    """Whether a threshold with delta keeps its promise, and covers as much as that of Bonferroni."""
    kinds = "observed", "promised", "Bonferroni"
    rows = [threshold_trial(*setting, kind, draws) for setting, kind in product(THRESHOLDS, kinds)]
    table = pd.DataFrame(rows)
    print(table.round(3).to_string(index=False))
    promised = table[table["threshold"] == "promised"]
    others = table.loc[table["threshold"] == "Bonferroni", "coverage"].to_numpy()
    kept = (promised["too high"] <= DELTA + 2 * promised["error"]).all()
    return bool(kept and (promised["coverage"].to_numpy() >= others).all())


UNIT = (0.0, 1.0)
TOPICS = (10, 20, 50, 100, 200)


def emptied(share):
    """Reciprocal ranks, of which a share of the topics loses all and the others change a little."""

    def draw(random, size):
        old = 1 / random.integers(1, 8, size)
        new = np.where(random.random(size) < share, 0, np.clip(old + random.normal(0, 0.02, size), 0, 1))
        return new, old

    return draw


def ties(random, size):
    """Scores of 0, 1 and a half, nine of ten as before."""
    old = random.choice([0, 0.5, 1], size, p=[0.1, 0.2, 0.7])
    return np.where(random.random(size) < 0.9, old, random.choice([0, 0.5, 1], size)), old


def success(random, size):
    """Right on 95 % of the topics, and on 90 %."""
    draws = random.random(size)
    return (draws < 0.9).astype(float), (draws < 0.95).astype(float)


def users(random, size):
    """Means of 20 topics of each unit, a tenth of the units losing all."""
    old = random.beta(2, 2, (*size, 20)).mean(axis=-1)
    return np.where(random.random(size) < 0.1, 0, old), old


CELLS = {
    "RR, 10 % emptied": emptied(0.1), "RR, 5 % emptied": emptied(0.05), "ties": ties,
    "success .95 to .90": success, "users, 10 % lost": users,
}  # fmt: skip


def shown(difference, limit):
    return (difference.bound(0.025, upper=False) > limit + 1e-9).mean()


def wrongly(random, topics, trials):
    """Half of the lists are empty, of which .2 and then .3 have an answer."""
    passed = []
    for _ in range(trials):
        silent, wrong = random.random((2, topics)) < 0.5, random.random((2, topics)) < [[0.3], [0.2]]
        new, old = (Estimate.share(w * s * 1.0, s * 1.0) for s, w in zip(silent, wrong))
        passed.append((new - old).bound(0.025, upper=True) < 0.1)
    return np.mean(passed)


def by_people(random, n, trials):
    """People labelled a quarter of the topics, and a judge all of them."""
    both = emptied(0.1)(random, (trials, 4 * n))
    judge = [np.clip(of + random.normal(0.05, 0.1, of.shape), 0, 1) for of in both]
    pairs = [(Estimate(of[:, :n], UNIT), Estimate(by, UNIT)) for of, by in zip(both, judge)]
    new, old = (CorrectedEstimate.of(*pair, np.arange(4 * n) < n) for pair in pairs)
    many = emptied(0.1)(random, (400, 10_000))
    return shown(new - old, float((many[0] - many[1]).mean()))


def gates(trials: int) -> bool:
    """Whether gates pass no more than they promise."""
    random, all_passed = np.random.default_rng(0), []
    print(f"Passes at the limit, {trials} trials, for {TOPICS} topics; in brackets by Student's t\n")
    for name, draw in CELLS.items():
        new, old = draw(random, (400, 10_000))
        limit, cells = float((new - old).mean()), []
        for topics in TOPICS:
            new, old = draw(random, (trials, topics))
            difference = Estimate(new, UNIT) - Estimate(old, UNIT)
            all_passed.append(shown(difference, limit))
            cells.append(f"{all_passed[-1]:.3f} ({(difference.student()[0] > limit).mean():.3f})")
        print(f"{name:20} " + "  ".join(cells), flush=True)
    for name, passes in {"wrongly .2 to .3": wrongly, "Judged, RR 10 %": by_people}.items():
        shares = [passes(random, topics, trials) for topics in TOPICS]
        print(f"{name:20} " + "  ".join(f"{share:.3f}" for share in shares), flush=True)
        all_passed += shares
    most = 0.025 + 2 * np.sqrt(0.025 * 0.975 / trials)
    print(f"\nthe most is {max(all_passed):.3f}, and at most {most:.3f} may be")
    return bool(max(all_passed) <= most)


MEASURES = ("CWS", "AURC", "EAURC")


def sample(questions, random):
    """One run: a list of one document for each question, right with a chance that grows with its score."""
    confidence = random.random(questions)
    right = random.random(questions) < 0.2 + 0.8 * confidence
    lists = [[int(grade)] for grade in right]
    return Rankings.from_lists(lists, [[1, 0]] * questions, scores=confidence[:, None].tolist())


def intervals(trials: int) -> bool:
    """The coverage of intervals of measures of the whole run."""
    random = np.random.default_rng(0)
    names = f"{'questions':>9}  {'measure':7} {'t':>7} {'BCa':>7}"
    print(f"{names}   coverage of 95 % intervals, {trials} trials")
    for questions in (50, 200):
        for name in map(parse_measure, MEASURES):
            measure = bind(name)
            many = (measure.score(sample(questions, random)).mean() for _ in range(1500))
            truth, held = np.mean(list(many)), np.zeros(2)
            for _ in range(trials):
                estimate = estimate_of(name, sample(questions, random))
                held += [low <= truth <= high for low, high in (estimate.student(), estimate.interval())]
            t, bca = held / trials
            print(f"{questions:9}  {measure.definition.name:7} {t:7.3f} {bca:7.3f}", flush=True)
    return True


KEYS = Keys(("topic", "question", "day"))
EFFECTS = 0.1, 0.1, 0.3  # standard deviations of the effects on topics, on questions and by day
BLOCK = 20  # trials at once
SIZES = 20, 10, 100  # topics, questions of each, days of each


def nested_scores(random: np.random.Generator, systems: int, sizes: tuple[int, int, int]) -> np.ndarray:
    """Scores of systems with the same distribution (systems x lists)."""
    shapes = [(*sizes[:level], *[1] * (3 - level)) for level in (1, 2, 3)]
    effects = (random.normal(0, sd, (systems, *shape)) for sd, shape in zip(EFFECTS, shapes))
    return sum(effects, np.zeros((systems, *sizes))).reshape(systems, -1)


def units(trials: int) -> bool:
    """False alarms by unit, and of flat tests."""
    nest = Nest(KEYS, ["/".join(map(str, place)) for place in np.ndindex(SIZES)])
    random = np.random.default_rng(25)
    alarms: dict[tuple[str, str], int] = {}
    for first in range(0, trials, BLOCK):
        count = min(BLOCK, trials - first)
        flat = nested_scores(random, 2 * count, SIZES)
        pairs = np.arange(count)
        how = Setting(2 * pairs, 2 * pairs + 1, 0.05, 1000, seed=first)
        for level, unit in enumerate(KEYS.names):
            means = nest.means(flat, level)
            for test in ("t", "bootstrap", "randomisation") if level == 0 else ("t",):
                p = paired_tests(means, test, how).p
                alarms[unit, test] = alarms.get((unit, test), 0) + int((p < 0.05).sum())
    for (unit, test), number in alarms.items():
        what = "flat: each list is a unit" if unit == "day" else f"unit: {unit}"
        print(f"{what:<26} {test:<14} {100 * number / trials:5.1f} % false alarms")
    return True


SIMULATIONS = {run.__name__: run for run in (levels, thresholds, gates, intervals, units)}


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("what", choices=tuple(SIMULATIONS))
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    return 0 if SIMULATIONS[args.what](args.draws) else 1


if __name__ == "__main__":
    sys.exit(main())
