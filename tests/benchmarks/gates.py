"""How often `check` passes a run whose true drop is a multiple of the limit.

    PYTHONPATH=. python tests/benchmarks/gates.py [TRIALS]

P@10 of simulated systems: topics differ in how hard they are, and the new run loses the same expected amount
on each. For every number of topics and every rule it prints the share of runs that pass, by their true drop
in limits, and the number of topics that `plan()` finds.
"""

import sys

import numpy as np

from ir_trunc import check

LIMIT = 0.04
RULES = ("observed", "shown", "certain")
DROPS = (0, 1, 2)  # in limits


def run_of(chance, random):
    """Lists of ten documents, each of which is relevant (r) with the chance of its topic."""
    return {
        str(topic): [f"r{rank}" if hit else f"x{rank}" for rank, hit in enumerate(random.random(10) < p)]
        for topic, p in enumerate(chance)
    }


def main(trials):
    random = np.random.default_rng(0)
    judged = {f"r{rank}": 1 for rank in range(10)} | {f"x{rank}": 0 for rank in range(10)}
    print(f"P@10 worsens {LIMIT}, {trials} trials; share of runs that pass\n")
    print(
        "topics  rule      " + "".join(f"{f'drop {drop} x limit':>18}" for drop in DROPS) + "   topics needed"
    )
    for topics in (25, 50, 100, 200, 400):
        qrels = {str(topic): judged for topic in range(topics)}
        passed, needed = {rule: [0] * len(DROPS) for rule in RULES}, {rule: [] for rule in RULES}
        for _ in range(trials):
            chance = random.uniform(0.2, 0.9, topics)
            old = run_of(chance, random)
            for at, drop in enumerate(DROPS):
                new = run_of(chance - drop * LIMIT, random)
                for rule in RULES:
                    gate = check(f"P@10 worsens {LIMIT}", qrels, new, baseline=old, require=rule)
                    passed[rule][at] += gate.passed
                    needed[rule].append(gate.plan()["units_needed"].iloc[0])
        for rule in RULES:
            shares = "".join(f"{count / trials:18.3f}" for count in passed[rule])
            print(f"{topics:6}  {rule:8}  {shares}  {np.median(needed[rule]):14.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
