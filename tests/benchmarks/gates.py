"""How often `check` with require='shown' passes a run whose true change is just at the limit.

    PYTHONPATH=. python tests/benchmarks/gates.py [TRIALS]

In at most alpha / 2 = 2.5 % of trials it is to pass. Simulated are scores of topics of two runs: reciprocal
ranks of which a share of topics is emptied and the others change a little, shares with many ties, differences
of a run's own noise, means of few users with many topics each, the share of silence that is wrong, and labels
by people for some of the topics. Beside it stands Student's t.
"""

import sys

import numpy as np

from ir_trunc._inference.estimate import CorrectedEstimate, Estimate

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
    return difference.bound(0.025, upper=False) > limit + 1e-9


def main(trials):
    random, worst = np.random.default_rng(0), 0.0
    print(f"Passes at the limit, {trials} trials, for {TOPICS} topics; in brackets by Student's t\n")
    for name, draw in CELLS.items():
        new, old = draw(random, (400, 10_000))
        limit, cells = float((new - old).mean()), []
        for topics in TOPICS:
            new, old = draw(random, (trials, topics))
            difference = Estimate(new, UNIT) - Estimate(old, UNIT)
            passed, by_t = shown(difference, limit).mean(), (difference.student()[0] > limit).mean()
            worst = max(worst, passed)
            cells.append(f"{passed:.3f} ({by_t:.3f})")
        print(f"{name:20} " + "  ".join(cells), flush=True)
    cells = []
    for topics in TOPICS:  # half of the lists are empty, of which .2 and then .3 have an answer
        passed = []
        for _ in range(trials):
            silent, wrong = random.random((2, topics)) < 0.5, random.random((2, topics)) < [[0.3], [0.2]]
            parts = [Estimate.share(w * s * 1.0, s * 1.0) for s, w in zip(silent, wrong)]
            passed.append((parts[0] - parts[1]).bound(0.025, upper=True) < 0.1)
        worst = max(worst, np.mean(passed))
        cells.append(f"{np.mean(passed):.3f}")
    print(f"{'wrongly .2 to .3':20} " + "  ".join(cells))
    cells = []
    for n in TOPICS:
        new, old = emptied(0.1)(random, (trials, 4 * n))
        judge = [np.clip(of + random.normal(0.05, 0.1, of.shape), 0, 1) for of in (new, old)]
        known = np.arange(4 * n) < n
        each = [
            CorrectedEstimate.of(Estimate(of[:, :n], UNIT), Estimate(by, UNIT), known)
            for of, by in zip((new, old), judge)
        ]
        many = emptied(0.1)(random, (400, 10_000))
        passed = shown(each[0] - each[1], float((many[0] - many[1]).mean())).mean()
        worst = max(worst, passed)
        cells.append(f"{passed:.3f}")
    print(f"{'Judged, RR 10 %':20} " + "  ".join(cells))
    most = 0.025 + 2 * np.sqrt(0.025 * 0.975 / trials)
    print(f"\nthe most is {worst:.3f}, and at most {most:.3f} may be")
    return int(worst > most)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
