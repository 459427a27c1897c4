"""How often intervals of CWS, AURC and EAURC hold the true value: by Student's t and by the bootstrap (BCa).

    PYTHONPATH=. python tests/benchmarks/intervals.py [TRIALS]

Simulated systems answer 60 % of the questions correctly, the more often the surer they are. The true value is
the mean over many samples of the same size.
"""

import sys

import numpy as np

from ir_trunc import Rankings, parse_measure
from ir_trunc._scoring.objects import bind
from ir_trunc.truncation._validation import estimate_of

MEASURES = ("CWS", "AURC", "EAURC")


def sample(questions, random):
    """One run: a list of one document for each question, right with a chance that grows with its score."""
    confidence = random.random(questions)
    right = random.random(questions) < 0.2 + 0.8 * confidence
    lists = [[int(grade)] for grade in right]
    return Rankings.from_lists(lists, [[1, 0]] * questions, scores=confidence[:, None].tolist())


def main(trials):
    random = np.random.default_rng(0)
    print(
        f"{'questions':>9}  {'measure':7} {'t':>7} {'BCa':>7}   coverage of 95 % intervals, {trials} trials"
    )
    for questions in (50, 200):
        for name in map(parse_measure, MEASURES):
            measure = bind(name)
            many = (measure.score(sample(questions, random)).mean() for _ in range(1500))
            truth, held = np.mean(list(many)), np.zeros(2)
            for _ in range(trials):
                estimate = estimate_of(name, sample(questions, random))
                held += [low <= truth <= high for low, high in (estimate.student(), estimate.interval())]
            t, bca = held / trials
            print(f"{questions:9}  {measure.definition.name:7} {t:7.3f} {bca:7.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
