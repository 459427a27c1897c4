"""How often intervals by labels of a model and of people hold the true mean, and how wide they are.

    PYTHONPATH=. python tests/benchmarks/judged.py [TRIALS]

Scores of topics are simulated for two systems: shares with many zeros and ones, or 0 and 1 alone. The judge
errs independently, alike for both systems of a topic, in favour of one system, or upwards on a share of the
topics. Where the package ppi-python is installed, its means are compared with ours.
"""

import sys

import numpy as np

from ir_trunc._inference.estimate import CorrectedEstimate, Estimate

SIZES = [(n, topics) for topics in (150, 1000) for n in (20, 50, 100)]


def shares(random, size):
    """Scores of two systems: a third of the topics has 0 or 1, the others lie between."""
    ease = random.normal(size=(1, *size))
    values = 0.5 + 0.25 * (ease + random.normal(size=(2, *size))) + [[[0.05]], [[0.0]]]
    return np.clip(values, 0, 1)


def binary(random, size):
    """Scores of 0 and 1 of two systems, which agree on most topics."""
    ease = random.normal(size=(1, *size))
    return (ease + 0.7 * random.normal(size=(2, *size)) < [[[0.6]], [[0.4]]]).astype(float)


def independent(scores, random):
    wrong = random.random(scores.shape) < 0.2
    return np.where(wrong, random.permutation(scores, axis=-1), scores)


def by_topic(scores, random):
    moved = random.random((1, *scores.shape[1:])) < 0.3
    shift = np.where(moved, random.choice([-0.5, 0.5], scores.shape[1:]), 0)
    return np.clip(scores + shift, 0, 1)


def in_favour(scores, random):
    liked = random.random(scores.shape) < [[[0.3]], [[0.02]]]
    return np.where(liked, np.maximum(scores, random.random(scores.shape)), scores)


def upwards(share):
    def judge(scores, random):
        return np.where(random.random(scores.shape) < share, np.ceil(np.minimum(scores + 0.3, 1)), scores)

    return judge


JUDGES = {
    "independent": independent, "by topic": by_topic, "prefers one": in_favour,
    "up on 2 %": upwards(0.02), "up on 5 %": upwards(0.05), "up on 10 %": upwards(0.1),
}  # fmt: skip


def cell(kind, judge, n, topics, trials, random):
    """Coverage of the bounds by the judge, by people and by both, and width, of a mean and of a difference.

    Last comes the coverage of Student's t by both, with the best weight.
    """
    truth = kind(random, (4000, 1000)).mean(axis=(1, 2))
    people = kind(random, (trials, topics))
    judged = JUDGES[judge](people, random)
    labelled = np.arange(topics) < n
    rows = []
    for value, by_people, by_judge, limits in (
        (truth[0], people[0], judged[0], (0, 1)),
        (truth[0] - truth[1], people[0] - people[1], judged[0] - judged[1], (-1, 1)),
    ):
        alone, by_all = Estimate(by_people[:, :n], limits), Estimate(by_judge, limits)
        both = CorrectedEstimate.of(alone, by_all, labelled)
        held, widths = [], []
        for low, high in (by_all.interval(), alone.interval(), both.interval(), both.best.student()):
            held.append(np.mean((low <= value) & (value <= high)))
            widths.append(np.mean(high - low))
        rows.append((*held[:3], widths[2] / widths[1], held[3]))
    return rows


def same_as_ppi_python(random):
    """The largest difference of means and weights to those of ppi-python, over 200 samples."""
    from ppi_py import ppi_mean_pointestimate

    worst = 0.0
    for _ in range(200):
        people = shares(random, (1, 150))[0]
        judge = independent(people, random)
        labelled = np.arange(150) < 50
        ours = CorrectedEstimate.of(Estimate(people[:, :50]), Estimate(judge), labelled).best
        labels = people[0, :50], judge[0, :50], judge[0, 50:]
        theirs = ppi_mean_pointestimate(*labels, lam=float(ours.weight[0]))
        worst = max(worst, abs(float(ours.mean[0]) - float(np.ravel(theirs)[0])))
    return worst


def main(trials):
    random = np.random.default_rng(0)
    what = f"Coverage of 95 % intervals of a mean and of a difference, {trials} trials"
    print(f"{what}: by the judge alone, by")
    print("people alone and by both; the width of the latter by that of people alone; Student's t by both.\n")
    print("| scores | the judge errs | n | N | mean: judge | people | both | width | t", end=" ")
    print("| difference: judge | people | both | width | t |\n" + "|---" * 14 + "|")
    for kind in (shares, binary):
        for judge in JUDGES:
            for n, topics in SIZES:
                rows = cell(kind, judge, n, topics, trials, random)
                values = " | ".join(f"{value:.3f}" for row in rows for value in row)
                print(f"| {kind.__name__} | {judge} | {n} | {topics} | {values} |", flush=True)
    try:
        print(f"\nppi-python: the largest difference of means is {same_as_ppi_python(random):.1e}.")
    except ImportError:
        print("\nppi-python is not installed.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
