"""How often `check` passes a run whose true drop is a multiple of the limit.

    PYTHONPATH=. python tests/benchmarks/gates.py [TRIALS]

First shares: how often `require='shown'` passes a run whose true share or true drop is just at the limit,
which is to happen in at most about 2.5 %.

Then P@10 of simulated systems: topics differ in how hard they are, and the new run loses the same expected
amount on each. For every number of topics and every rule it prints the share of runs that pass, by their true
drop in limits.
"""

import sys

import numpy as np

from ir_trunc import check

LIMIT = 0.04
RULES = ("observed", "shown")
DROPS = (0, 1, 2)  # in limits


def run_of(chance, random):
    """Lists of ten documents, each of which is relevant (r) with the chance of its topic."""
    return {
        str(topic): [f"r{rank}" if hit else f"x{rank}" for rank, hit in enumerate(random.random(10) < p)]
        for topic, p in enumerate(chance)
    }


def at_the_limit(trials):
    """Success@1 of runs that are right on a share of the topics, and of two runs with the same true drop."""
    random = np.random.default_rng(0)
    print(f"require='shown', {trials} trials; share that passes, with its Monte Carlo error\n")
    print("topics  share  Success@1 < share  drop  Success@1 worsens drop")
    for topics in (10, 25, 50, 100, 200):
        qrels = {str(topic): {"r": 1} for topic in range(topics)}
        for share, drop in ((0.9, 0.1), (0.97, 0.05), (0.5, 0.1)):
            passed = np.zeros(2)
            for _ in range(trials):
                draws = random.random(topics)
                old, new = (
                    {t: ["rx"[int(d > s)]] for t, d in zip(qrels, draws)} for s in (share, share - drop)
                )
                passed[0] += check(f"Success@1 < {share}", qrels, old, require="shown").passed
                condition = f"Success@1 worsens {drop}"
                passed[1] += check(condition, qrels, new, baseline=old, require="shown").passed
            means = passed / trials
            cells = [f"{m:.3f} ({e:.3f})" for m, e in zip(means, np.sqrt(means * (1 - means) / trials))]
            print(f"{topics:6}  {share:5.2f}  {cells[0]:>17}  {drop:4.2f}  {cells[1]:>22}", flush=True)


def main(trials):
    at_the_limit(trials)
    random = np.random.default_rng(0)
    judged = {f"r{rank}": 1 for rank in range(10)} | {f"x{rank}": 0 for rank in range(10)}
    print(f"\nP@10 worsens {LIMIT}, {trials} trials; share of runs that pass\n")
    print("topics  rule      " + "".join(f"{f'drop {drop} x limit':>18}" for drop in DROPS))
    for topics in (25, 50, 100, 200, 400):
        qrels = {str(topic): judged for topic in range(topics)}
        passed = {rule: [0] * len(DROPS) for rule in RULES}
        for _ in range(trials):
            chance = random.uniform(0.2, 0.9, topics)
            old = run_of(chance, random)
            for at, drop in enumerate(DROPS):
                new = run_of(chance - drop * LIMIT, random)
                for rule in RULES:
                    gate = check(f"P@10 worsens {LIMIT}", qrels, new, baseline=old, require=rule)
                    passed[rule][at] += gate.passed
        for rule in RULES:
            shares = "".join(f"{count / trials:18.3f}" for count in passed[rule])
            print(f"{topics:6}  {rule:8}  {shares}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
