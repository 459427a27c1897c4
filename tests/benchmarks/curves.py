"""Processor time of seven measures at every depth, in nanoseconds per document of the lists.

    python tests/benchmarks/curves.py [QRELS RUN [RUN ...]]

Without files: 100 generated lists of 1000 documents, 400 of them judged and 40 relevant. The best of several
repetitions counts; reading files is not part of it.
"""

import sys
import time

import numpy as np

from ir_trunc import evaluator, read_qrels
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.runs import rank

MEASURES = "nDCGT RBPT ERRT RBPU DCGU RBU OIE"
REPETITIONS = 9


def generated() -> Rankings:
    rng = np.random.default_rng(0)
    pool = [2] * 15 + [1] * 25 + [0] * 360 + [None] * 600
    lists = [[pool[at] for at in rng.permutation(len(pool))] for _ in range(100)]
    return Rankings.from_lists(lists, [[grade for grade in row if grade is not None] for row in lists])


def nanoseconds(measures: str, runs: list[Rankings]) -> float:
    ready = evaluator(measures, None)
    documents = sum(int(run.lengths.sum()) for run in runs)
    best = float("inf")
    for _ in range(REPETITIONS):
        start = time.process_time()
        for run in runs:
            ready.curves(run)
        best = min(best, time.process_time() - start)
    return 1e9 * best / documents


def main() -> None:
    files = sys.argv[1:]
    qrels = read_qrels(files[0]) if files else None
    runs = [rank(qrels, path) for path in files[1:]] or [generated()]
    for measures in [*MEASURES.split(), MEASURES]:
        print(f"{measures:42}{nanoseconds(measures, runs):8.1f} ns")


if __name__ == "__main__":
    main()
