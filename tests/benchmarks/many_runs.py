"""Processor time for many runs over one qrels: ten of our measures against ir-measures' nDCG@10 alone, file to means.

    python tests/benchmarks/many_runs.py QRELS RUN [RUN ...] [--repeat N]

Each side runs in processes of its own, in turn; the figures are user + system seconds of the whole process, Python and
imports included.
"""

import argparse
import os
import statistics
import subprocess
import sys

OURS = """
import sys, ir_trunc
ready = ir_trunc.evaluator("nDCG@10 AP P@5 Bpref RBP RBPT nDCGT OIE RBPU Q", sys.argv[1])
for run in sys.argv[2:]:
    print(run, *ready.calc_aggregate(run).values())
"""
THEIRS = """
import sys, ir_measures
from ir_measures import nDCG
ready = ir_measures.evaluator([nDCG @ 10], list(ir_measures.read_trec_qrels(sys.argv[1])))
for run in sys.argv[2:]:
    print(run, *ready.calc_aggregate(ir_measures.read_trec_run(run)).values())
"""


def measured(code: str, files: list[str]) -> tuple[float, float, dict[str, float]]:
    """Processor seconds, peak memory in MiB and the first measure's mean for every run."""
    before = os.times()
    process = subprocess.Popen([sys.executable, "-c", code, *files], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"a side failed with status {status}")
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    means = {line.split()[0]: float(line.split()[1]) for line in output.splitlines()}
    return seconds, usage.ru_maxrss / 1024, means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="qrels, then runs")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    ours, theirs, ratios = [], [], []
    for _ in range(args.repeat):
        mine, other = measured(OURS, args.files), measured(THEIRS, args.files)
        worst = max(abs(mine[2][run] - other[2][run]) for run in other[2])
        if worst > 1e-9:
            sys.exit(f"nDCG@10 differs by {worst}")
        ours.append(mine)
        theirs.append(other)
        ratios.append(mine[0] / other[0])
    for title, side in (("ir_trunc, ten measures", ours), ("ir_measures, nDCG@10", theirs)):
        seconds, memory = (statistics.median(column) for column in list(zip(*side))[:2])
        print(f"{title:24} {seconds:8.2f} s processor time {memory:8.0f} MiB")
    print(f"{'ratio':24} {statistics.median(ratios):8.3f}   ({len(args.files) - 1} runs, {args.repeat} pairs)")


if __name__ == "__main__":
    main()
