"""How often RiskControlled breaks its promise, with retrievers that miss relevant documents.

    python tests/benchmarks/guarantees.py [--draws 1000]

For each setting, calibration samples are drawn from a population of 40,000 topics, and the policy is fitted
to each. Printed are the share of samples for which it finds a level, the share of all samples for which it
finds one whose true loss is above alpha (which is to be at most delta), and the mean true loss and length
where it finds one. With delta='mean' the promise is about the mean of the true losses.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache

import numpy as np
import pandas as pd

from ir_trunc import InputError, Rankings
from ir_trunc.truncation import RiskControlled
from ir_trunc.truncation._fitting import Levels
from ir_trunc.truncation.policies import risk as risks

POPULATION, LENGTH = 40_000, 12
SETTINGS = [
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
    keys = risks._KEYS[by](everything)
    loss = risks._LOSSES[risk](everything) if risk in risks._LOSSES else risks._shortfall(everything, risk)
    levels, sums = Levels(keys, loss[None, :], everything.lengths).sums(np.arange(POPULATION))
    counted = everything.judgments.nil_queries.sum() if risk == "false_answer" else POPULATION
    return levels, sums[0] / counted


def trial(risk, alpha, by, delta, topics, missing, nil=1 / 3, unit=1e-9, *, draws, seed=1):
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    table = pd.DataFrame([trial(*setting, draws=args.draws) for setting in SETTINGS])
    print(table.round(3).to_string(index=False))
    by_delta = table["delta"] != "mean"
    kept = table["broken"] <= table["delta"].where(by_delta, 1).astype(float) + 2 * table["error"]
    kept &= by_delta | (table["mean_loss"] <= table["alpha"] + 0.002)
    return 0 if kept.all() else 1


if __name__ == "__main__":
    sys.exit(main())
