"""Processor time of whole commands against a budget, at several sizes.

    python tests/benchmarks/budgets.py [FOLDER]

Prints the seconds of each command, imports included, and exits with 1 where one takes more than its budget.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workloads import write

from ir_trunc import meta

TOPICS, DEPTH = 50, 100
HOW_MANY = """
import ir_trunc
from ir_trunc.synthetic.generated import chunks
retrieved, labels = chunks(questions={})
ir_trunc.how_many(labels, retrieved, present=5)
"""


def seconds(*words: str) -> float:
    """Processor seconds of Python with these words, which has to end well."""
    before = os.times()
    options = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, *words], **options)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def commands(folder: Path):
    """Commands with what they do, and their budgets in seconds; about 5 are imports on a busy machine."""
    ours = "-m", "ir_trunc"
    for questions, budget in ((500, 3), (5000, 3)):
        yield f"how_many, {questions} questions", ("-c", HOW_MANY.format(questions)), budget
    for systems, power, compare, report in ((10, 8, 8, 11), (100, 10, 12, 22), (300, 11, 18, None)):
        written = [write(folder / str(seed), TOPICS, DEPTH, seed) for seed in range(systems)]
        qrels, runs = written[0][0], {f"s{seed}": run for seed, (_, run) in enumerate(written)}
        matrix = folder / f"{systems}.json"
        meta.score_matrix("AP nDCG@10 RBPT@100", qrels, runs).save(matrix)
        yield f"meta power, {systems} systems", (*ours, "meta", "power", "--matrix", str(matrix)), power
        scored = (str(qrels), *map(str, runs.values()), "AP", "RBPT@100", "c@1")
        yield f"comparison, {systems} systems", (*ours, "compare", *scored, "--intervals"), compare
        if report:
            of_page = ("-m", " ".join(scored[-3:]), "-o", str(folder / "page.html"))
            page = (*ours, "report", *scored[:-3], *of_page)
            yield f"report, {systems} systems", page, report


def main(folder: Path) -> int:
    """How many commands take more than their budget."""
    missed = 0
    for name, words, budget in commands(folder):
        spent = seconds(*words)
        missed += spent > budget
        print(f"{name:<28} {spent:6.1f} s of {budget}{'  TOO MUCH' * (spent > budget)}", flush=True)
    return missed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(min(1, main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))))
