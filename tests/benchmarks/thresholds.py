"""How often the true risk above a threshold of a log of answers exceeds the risk that was asked for.

    python tests/benchmarks/thresholds.py [--draws 1000]

Answers of a generated system are drawn, the threshold is chosen on them, and its risk is computed in the
population. `observed` is `threshold(risk)`, `promised` is `threshold(risk, delta=0.1)`; `Bonferroni` tests 20
quantiles of the confidence, each at delta / 20. Printed are the share of draws that find a threshold, the
share that find one whose true risk is too high, with its Monte Carlo error, and the mean coverage of draws.
Errors fall with the confidence, or are worst among the most confident 2 %.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd
from scipy import stats

from ir_trunc import InputError, read_log

DELTA = 0.1
SETTINGS = [
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


def trial(answers: int, risk: float, worst: float, decimals: int, kind: str, draws: int) -> dict:
    random, found, broken, coverage = np.random.default_rng(1), 0, 0, 0.0
    for _ in range(draws):
        exact = random.random(answers)
        correct = random.random(answers) >= error_at(exact, worst)
        confidence = np.floor(exact * 10**decimals) / 10**decimals
        items = [
            {"id": n, "answer": "a", "confidence": float(c), "correct": bool(right)}
            for n, (c, right) in enumerate(zip(confidence, correct))
        ]
        try:
            if kind == "Bonferroni":
                threshold = bonferroni(confidence, correct, risk)
            else:
                threshold = read_log(items).threshold(
                    risk, **({"delta": DELTA} if kind == "promised" else {})
                )
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    table = pd.DataFrame(
        [
            trial(*setting, kind, args.draws)
            for setting in SETTINGS
            for kind in ("observed", "promised", "Bonferroni")
        ]
    )
    print(table.round(3).to_string(index=False))
    promised = table[table["threshold"] == "promised"]
    others = table.loc[table["threshold"] == "Bonferroni", "coverage"].to_numpy()
    kept = (promised["too high"] <= DELTA + 2 * promised["error"]).all()
    return 0 if kept and (promised["coverage"].to_numpy() >= others).all() else 1


if __name__ == "__main__":
    sys.exit(main())
