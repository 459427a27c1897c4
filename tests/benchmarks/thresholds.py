"""How often the true risk above a threshold of a log of answers exceeds the risk that was asked for.

    python tests/benchmarks/thresholds.py [--draws 1000]

Answers of a generated system are drawn, the threshold is chosen on them, and its risk is computed in the
population. `observed` is `threshold(risk)`, `promised` is `threshold(risk, delta=0.1)`. Printed are the share
of draws that find a threshold, the share that find one whose true risk is too high, with its Monte Carlo
error, and the mean coverage.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd

from ir_trunc import InputError, read_log

DELTA = 0.1
SETTINGS = [
    # answers, risk, error of the least confident answers, decimals of the confidence
    (100, 0.1, 0.4, 9), (300, 0.1, 0.4, 9), (1000, 0.1, 0.4, 9), (1000, 0.03, 0.4, 9), (3000, 0.03, 0.4, 9),
    (300, 0.2, 0.4, 9), (300, 0.1, 0.2, 9), (300, 0.1, 0.4, 1), (1000, 0.05, 0.1, 9),
]  # fmt: skip


def risk_above(threshold: float, worst: float) -> float:
    """The share of wrong answers among those with at least this confidence: the error falls from `worst`."""
    return worst * (1 - threshold) / 2


def trial(answers: int, risk: float, worst: float, decimals: int, promised: bool, draws: int) -> dict:
    random, found, broken, coverage = np.random.default_rng(1), 0, 0, 0.0
    for _ in range(draws):
        exact = random.random(answers)
        correct = random.random(answers) >= worst * (1 - exact)
        confidence = np.floor(exact * 10**decimals) / 10**decimals
        items = [
            {"id": n, "answer": "a", "confidence": float(c), "correct": bool(right)}
            for n, (c, right) in enumerate(zip(confidence, correct))
        ]
        log = read_log(items)
        try:
            threshold = log.threshold(risk, **({"delta": DELTA} if promised else {}))
        except InputError:
            continue
        found += 1
        broken += risk_above(threshold, worst) > risk + 1e-9
        coverage += 1 - threshold
    share = broken / draws
    return {
        "answers": answers, "risk": risk, "worst": worst, "decimals": decimals,
        "threshold": "promised" if promised else "observed", "found": found / draws, "too high": share,
        "error": np.sqrt(share * (1 - share) / draws), "coverage": coverage / max(found, 1),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    table = pd.DataFrame(
        [trial(*setting, promised, args.draws) for setting in SETTINGS for promised in (False, True)]
    )
    print(table.round(3).to_string(index=False))
    promised = table[table["threshold"] == "promised"]
    return 0 if (promised["too high"] <= DELTA + 2 * promised["error"]).all() else 1


if __name__ == "__main__":
    sys.exit(main())
