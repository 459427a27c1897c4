"""Processor time of commands of meta-evaluation against a budget at several sizes.

    python tests/benchmarks/meta.py [FOLDER]

Prints the seconds of each command and exits with 1 where one takes more than its budget.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workloads import write

from ir_trunc import meta

TOPICS, DEPTH = 50, 100
REFERENCE = 10.0  # seconds, for verdicts that are read and pages that are made
BUDGETS = {  # seconds: of --test and the number of systems; 5 of them are imports on a busy machine
    ("t", 10): 8.0, ("t", 100): 8.0, ("t", 300): 12.0, ("randomisation", 100): 12.0,
}  # fmt: skip


def seconds(*words: str) -> float:
    """Processor seconds of a command, which has to end well."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "ir_trunc", *words], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(folder: Path) -> int:
    """How many commands take more than their budget."""
    times = {"measures --reference": (seconds("measures", "--reference"), REFERENCE)}
    for (test, systems), budget in BUDGETS.items():
        written = [write(folder / str(seed), TOPICS, DEPTH, seed) for seed in range(systems)]
        matrix = folder / f"{systems}.json"
        runs = {f"s{seed}": run for seed, (_, run) in enumerate(written)}
        meta.score_matrix("AP nDCG@10 RBPT@100", written[0][0], runs).save(matrix)
        words = ["meta", "power", "--matrix", str(matrix), "--test", test]
        times[f"meta power, {test}, {systems} systems"] = seconds(*words), budget
    for command, (spent, budget) in times.items():
        print(f"{command:<42} {spent:6.1f} s of {budget:g}" + "  TOO MUCH" * (spent > budget))
    return sum(spent > budget for spent, budget in times.values())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(min(1, main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))))
