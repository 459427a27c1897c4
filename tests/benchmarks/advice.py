"""What `how_many` promises, by simulation, and how long it takes.

    python tests/benchmarks/advice.py optimism [--draws 300] [--questions 50]
    python tests/benchmarks/advice.py speed [--questions 50000]

`optimism` draws labelled questions from a population, asks for advice, and scores the advised policy on
20,000 other questions. It prints the bias of the highest score and of the score that is to be expected, each
with its standard error, how often their 95 % intervals hold the score on the other questions, and how often
a policy is said to be better than both references beyond chance. The scores of the population `random` say
nothing; those of `clear` separate relevant documents from others.

`speed` prints the processor time of `how_many` for questions with 20 documents each.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import ir_trunc
from ir_trunc import Rankings
from ir_trunc._core.rankings import offsets_of
from ir_trunc._scoring.objects import bind

DOCUMENTS = 20
POPULATIONS = {"random": 0.0, "blurred": 0.7, "clear": 2.0}


def questions(count: int, lead: float, random: np.random.Generator) -> Rankings:
    """Lists of 20 documents; relevant ones have a score higher by `lead`; a third has none."""
    relevant = np.where(random.random(count) < 1 / 3, 0, random.integers(1, 5, count))
    grades = np.arange(DOCUMENTS) < relevant[:, None]
    scores = random.normal(0, 1, grades.shape) + lead * grades + 5
    order = np.argsort(-scores, axis=1)
    grades, scores = (np.take_along_axis(table, order, axis=1) for table in (grades, scores))
    rows, places = np.nonzero(grades)
    judgments = ir_trunc._core.judgments.Judgments.from_rows(
        [str(number) for number in range(count)], rows, np.ones(len(rows), np.int64)
    )
    return Rankings(
        judgments,
        np.full(count, DOCUMENTS),
        offsets_of(relevant),
        places + 1,
        np.ones(len(rows), np.int64),
        DOCUMENTS * np.arange(count),
        scores.ravel(),
        first_scores=scores[:, 0].copy(),
    )


def optimism(args: argparse.Namespace) -> None:
    """Bias of the highest and of the expected score, and the coverage of their intervals."""
    bound = bind(ir_trunc.parse_measure(args.measure))
    for name, lead in POPULATIONS.items():
        others = questions(20_000, lead, np.random.default_rng(0))
        rows = []
        for draw in range(1, args.draws + 1):
            lists = questions(args.questions, lead, np.random.default_rng(draw))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                advice = ir_trunc.how_many(None, lists, args.measure, tolerance=args.tolerance)
            truth = bound.score(others.cut(advice.policy.cut(others))).mean()
            expected, low, high = advice.expected
            rows.append(
                (advice.score[0] - truth, advice.low[0] <= truth <= advice.high[0],
                 expected - truth, low <= truth <= high, advice.chance <= 0.05)
            )  # fmt: skip
        bias, covers, corrected, corrected_covers, beyond_chance = np.array(rows, float).T
        for what, differences, held in (("highest", bias, covers), ("expected", corrected, corrected_covers)):
            error = differences.std(ddof=1) / np.sqrt(args.draws)
            bias_of = f"{differences.mean():+.4f} (standard error {error:.4f})"
            print(f"{name}: {what} score {bias_of}, interval {held.mean():.1%}", flush=True)
        print(f"{name}: better than both references beyond chance in {beyond_chance.mean():.1%}", flush=True)


def speed(args: argparse.Namespace) -> None:
    """Processor seconds."""
    lists = questions(args.questions, 1.0, np.random.default_rng(0))
    start = time.process_time()
    ir_trunc.how_many(None, lists, args.measure)
    print(f"{args.questions} questions: {time.process_time() - start:.1f} s")


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("what", choices=["optimism", "speed"])
    parser.add_argument("--questions", type=int, help="default: 50 for optimism, 50000 for speed")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--measure", default="RBPT")
    parser.add_argument("--tolerance", type=float, default=0.01)
    args = parser.parse_args()
    args.questions = args.questions or {"optimism": 50, "speed": 50_000}[args.what]
    {"optimism": optimism, "speed": speed}[args.what](args)


if __name__ == "__main__":
    main()
