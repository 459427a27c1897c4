"""How often `policy.monitor` raises an alarm: where nothing has changed, and where something has.

    python tests/benchmarks/monitoring.py [--draws 1000]

Questions are drawn from one generated collection, some to fit a policy and others as live lists; false alarms
are to be at most 5 %; `error` is the Monte Carlo error. `shift` adds to the scores of the live lists a share
of their standard deviation.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd

from ir_trunc import InputError, Rankings
from ir_trunc.truncation import parse_policy

POPULATION, LENGTH = 20_000, 20
SETTINGS = [
    # policy, questions, live lists (fewer than 20 are refused), shift
    ("ScoreThreshold", 200, 2, 0.0), ("ScoreThreshold", 200, 5, 0.0), ("LargestGap", 200, 10, 0.0),
    ("ScoreThreshold", 20, 20, 0.0), ("ScoreThreshold", 200, 20, 0.0), ("LargestGap", 200, 20, 0.0),
    ("LargestGap", 50, 30, 0.0), ("ScoreThreshold", 50, 50, 0.0), ("ScoreThreshold", 200, 200, 0.0),
    ("ScoreThreshold", 200, 1000, 0.0), ("ShareOfTop", 200, 100, 0.0), ("LargestGap", 1000, 1000, 0.0),
    ("ScoreThreshold", 200, 200, 0.3), ("ScoreThreshold", 200, 200, 0.5), ("ScoreThreshold", 1000, 1000, 0.2),
]  # fmt: skip


def population(seed: int = 0) -> Rankings:
    """0 to 3 relevant documents of 20 or fewer; one question in three has none."""
    rng = np.random.default_rng(seed)
    relevant = rng.integers(1, 4, POPULATION) * (rng.random(POPULATION) > 1 / 3)
    grades = (np.arange(LENGTH) < relevant[:, None]).astype(int)
    scores = 2 + rng.normal(0.3 * grades, 0.15) + rng.normal(0, 0.1, (POPULATION, 1))
    order = np.argsort(-scores, axis=1)
    grades, scores = (np.take_along_axis(table, order, axis=1).tolist() for table in (grades, scores))
    lengths = rng.choice([LENGTH, LENGTH, 12, 7], POPULATION).tolist()
    cut = [[row[:n] for row, n in zip(table, lengths)] for table in (grades, scores)]
    return Rankings.from_lists(cut[0], scores=cut[1])


def trial(everything, name, questions, live, shift, draws, seed=1):
    rng, deviation = np.random.default_rng(seed), float(everything.first_scores.std())
    alarms, features = 0, {}
    for _ in range(draws):
        drawn = rng.choice(POPULATION, questions + live, replace=False)
        policy = parse_policy(name).fit(everything.take(np.sort(drawn[:questions])), "RBPT")
        lists = everything.take(np.sort(drawn[questions:]))
        if shift:
            lists = lists.with_fields(scores=everything.scores + shift * deviation)
        try:
            result = policy.monitor(lists)
        except InputError:  # too few lists to tell
            continue
        alarms += not result.matches
        for feature, shifted in zip(result.features, result.shifted):
            features[feature] = features.get(feature, 0) + shifted
    row = {"policy": name, "questions": questions, "live": live, "shift": shift, "alarms": alarms / draws}
    return row | {feature: count / draws for feature, count in features.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    everything = population()
    table = pd.DataFrame([trial(everything, *setting, draws=args.draws) for setting in SETTINGS])
    error = np.sqrt(table["alarms"] * (1 - table["alarms"]) / args.draws)
    table.insert(5, "error", error)
    print(table.round(3).to_string(index=False))
    unchanged = table.loc[table["shift"] == 0, "alarms"]
    return 0 if (unchanged <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / args.draws)).all() else 1


if __name__ == "__main__":
    sys.exit(main())
