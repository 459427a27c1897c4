"""False alarms of paired tests on lists with keys: by unit, and as flat tests would give them.

    python tests/benchmarks/units.py [--trials 1000] [--topics 20] [--questions 10] [--days 100]

Both systems of a trial have scores of the same distribution: an effect of the system on each topic, on each
question, and noise by day. So every p value below .05 is a false alarm. A test is sound where about 5 % of
the trials are, 3.5 to 6.5 % of 1,000.
"""

from __future__ import annotations

import argparse

import numpy as np

from ir_trunc._core.universe import Keys, Nest
from ir_trunc._inference.significance import Setting, paired_tests

KEYS = Keys(("topic", "question", "day"))
EFFECTS = 0.1, 0.1, 0.3  # standard deviations of the effects on topics, on questions and by day
BLOCK = 20  # trials at once


def scores(random: np.random.Generator, systems: int, sizes: tuple[int, int, int]) -> np.ndarray:
    """Scores of systems with the same distribution (systems x lists)."""
    shapes = [(*sizes[:level], *[1] * (3 - level)) for level in (1, 2, 3)]
    effects = (random.normal(0, sd, (systems, *shape)) for sd, shape in zip(EFFECTS, shapes))
    return sum(effects, np.zeros((systems, *sizes))).reshape(systems, -1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name, default in (("trials", 1000), ("topics", 20), ("questions", 10), ("days", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    sizes = args.topics, args.questions, args.days
    nest = Nest(KEYS, ["/".join(map(str, place)) for place in np.ndindex(sizes)])
    random = np.random.default_rng(25)
    alarms: dict[tuple[str, str], int] = {}
    for first in range(0, args.trials, BLOCK):
        count = min(BLOCK, args.trials - first)
        flat = scores(random, 2 * count, sizes)
        pairs = np.arange(count)
        how = Setting(2 * pairs, 2 * pairs + 1, 0.05, 1000, seed=first)
        for level, unit in enumerate(KEYS.names):
            means = nest.means(flat, level)
            for test in ("t", "bootstrap", "randomisation") if level == 0 else ("t",):
                p = paired_tests(means, test, how).p
                alarms[unit, test] = alarms.get((unit, test), 0) + int((p < 0.05).sum())
    for (unit, test), number in alarms.items():
        what = "flat: each list is a unit" if unit == "day" else f"unit: {unit}"
        print(f"{what:<26} {test:<14} {100 * number / args.trials:5.1f} % false alarms")


if __name__ == "__main__":
    main()
