"""False alarms of paired t tests on lists with keys: by unit, and as if all lists were independent.

    PYTHONPATH=. python tests/benchmarks/units.py [TRIALS]

20 topics of 10 questions on 100 days, two systems that are equally good: both differ from topic to topic, from
question to question and from day to day. `compare` takes the nested means of topics.
"""

import sys

import numpy as np

from ir_trunc.meta.power import Setting, paired_tests

PAIR = Setting(np.array([0]), np.array([1]), 0.05, 0, 0)


def main(trials):
    random, alarms = np.random.default_rng(0), np.zeros(2)
    for _ in range(trials):
        scores = random.normal(0, 0.1, (2, 20, 1, 1)) + random.normal(0, 0.1, (2, 20, 10, 1))
        scores = scores + random.normal(0, 0.3, (2, 20, 10, 100))
        tested = scores.mean(axis=(2, 3)), scores.reshape(2, -1)
        alarms += [paired_tests(values, "t", PAIR).p[0] < 0.05 for values in tested]
    by_unit, flat = 100 * alarms / trials
    print(f"{trials} trials, p < .05: {by_unit:.1f} % false alarms by unit (20 topics), {flat:.1f} % by list")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
