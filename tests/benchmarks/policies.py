"""What policies are worth on real systems, and what a call of one costs.

    python tests/benchmarks/policies.py worth --qrels QRELS --runs FOLDER [--sample 10] [--out table.csv]
    python tests/benchmarks/policies.py collect covid-r1.csv robust03.csv trec8.csv > notebooks/policies.csv
    python tests/benchmarks/policies.py call

`worth` cross-validates every policy on the runs of a folder (or a sample of them) and prints, for each
measure, the mean over runs of the score as a share of the oracle's, and in how many runs a policy is better
or worse than the best fixed k by a paired t test at .05. `collect` puts such tables into one.

`call` prints the processor time of one call on 100 scores. All policies but two are to stay under 50
microseconds: `ScoreDistribution` takes 50 steps of expectation and maximisation, and `Learned` what the
`predict` of its model takes, which is timed beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
import timeit
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import ir_trunc
from ir_trunc.truncation import cross_validate, parse_policy
from ir_trunc.truncation.policies.learned import features

MEASURES = "RBPT(p=0.8) nDCGT SetF FlatU(e=0.2)"
POLICIES = (
    "Fixed(k=5) Fixed(k=10) Fixed(k=20) Fixed(k=100) Fixed(k=1000) Greedy ScoreThreshold ShareOfTop"
    " LargestGap AdaptiveK Knee Surprise ScoreDistribution"
)


def worth(args: argparse.Namespace) -> None:
    paths = sorted(path for path in Path(args.runs).iterdir() if path.is_file())
    chosen = np.random.default_rng(0).permutation(len(paths))[: args.sample or len(paths)]
    qrels, policies = ir_trunc.read_qrels(args.qrels), POLICIES.split()
    try:
        import sklearn  # noqa: F401

        policies.append("Learned")
    except ImportError:
        print("scikit-learn is not installed: Learned is left out", file=sys.stderr)
    rows = []
    for at in sorted(chosen.tolist()):
        run = {paths[at].name: ir_trunc.rank(qrels, str(paths[at]))}
        for measure in args.measures.split():
            greedy = cross_validate(["Greedy"], measure, None, run, folds=5)["score"][0]
            for policy in policies:
                try:
                    found = cross_validate([policy], measure, None, run, folds=5).to_dict("records")[0]
                except ir_trunc.InputError as error:  # scores below 0
                    print(f"{paths[at].name}: {error}", file=sys.stderr)
                    continue
                rows.append(found | {"measure": measure, "policy": policy, "greedy": greedy})
    table = pd.DataFrame(rows)
    if args.out:
        table.to_csv(args.out, index=False)
    means = summary(table)
    print(f"{len(chosen)} of {len(paths)} runs, {len(qrels.topics)} topics, 5 folds")
    for column in ("of_oracle", "length", "empty", "better", "worse"):
        print(f"\n{column}\n{means[column].unstack('measure').round(3).to_string()}")


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over runs, and in how many of them a policy is better or worse than the best fixed k."""
    lead = (table["score"] - table["greedy"]).where(table["p_value"] < 0.05, 0.0)
    table = table.assign(better=lead > 0, worse=lead < 0, runs=1)
    groups = table.groupby(["measure", "policy"], sort=False)
    return groups[["of_oracle", "length", "empty"]].mean().join(groups[["better", "worse", "runs"]].sum())


def collect(args: argparse.Namespace) -> None:
    each = {Path(path).stem: summary(pd.read_csv(path)) for path in args.tables}
    pd.concat(each, names=["collection"]).round(4).to_csv(sys.stdout)


def call(args: argparse.Namespace) -> None:
    scores = np.sort(np.random.default_rng(0).random(100))[::-1].copy()
    as_list, items = scores.tolist(), [(f"d{at}", score) for at, score in enumerate(scores.tolist())]
    texts = ("Fixed(10)", "ScoreThreshold(0.5)", "ShareOfTop(0.5)", "LargestGap", "AdaptiveK", "Knee",
             "Surprise(2)", "RiskControlled('missed', 0.1, level=0.5)", "ScoreDistribution(0.5)")  # fmt: skip
    policies = {text: parse_policy(text) for text in texts}
    try:
        lists = np.sort(np.random.default_rng(1).random((200, 100)))[:, ::-1]
        run = {str(q): {f"d{at}": s for at, s in enumerate(row)} for q, row in enumerate(lists.tolist())}
        qrels = {str(q): {f"d{at}": 1 for at in range(q % 30)} for q in range(200)}
        policies["Learned"] = parse_policy("Learned").fit(ir_trunc.rank(qrels, run), "SetF")
    except ImportError:
        print("scikit-learn is not installed: Learned is left out", file=sys.stderr)
    for text, policy in policies.items():
        array, of_list = (microseconds(lambda p=policy, g=given: p(g)) for given in (scores, as_list))
        kept = microseconds(lambda p=policy: p.keep(items))
        print(f"{text:40} array {array:8.1f}  list {of_list:8.1f}  keep, pairs {kept:8.1f} microseconds")
        if text == "Learned":
            x, _, _ = features(ir_trunc.Rankings.from_lists([[0] * 100], scores=[as_list]))
            of_model = microseconds(lambda p=policy, x=x: p.model.predict(x))
            print(f"{'  of which model.predict':40} array {of_model:8.1f}")


def microseconds(call: Callable[[], object]) -> float:
    """The processor time of a call: the least mean of five series."""
    timer = timeit.Timer(call, timer=time.process_time)
    number, _ = timer.autorange()
    return min(timer.repeat(5, number)) / number * 1e6


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    commands = {run.__name__: run for run in (worth, collect, call)}
    parser.add_argument("what", choices=tuple(commands))
    parser.add_argument("tables", nargs="*", help="what `worth --out` wrote, named after the collections")
    for option in ("--qrels", "--runs", "--out"):
        parser.add_argument(option)
    parser.add_argument("--sample", type=int, help="runs drawn at random (seed 0); by default all")
    parser.add_argument("--measures", default=MEASURES)
    args = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        commands[args.what](args)


if __name__ == "__main__":
    main()
