"""A generated collection in which the length of a list is a decision, for examples without a download.

Systems differ in how well they rank and in how well they know when to stop; their names say both, as
`strong-never` and `fair-threshold` do. All is drawn from numpy's PCG64, named because numpy's default may
change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice

import numpy as np

from ir_trunc._core.parameters import generator, whole
from ir_trunc._core.rankings import Floats

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]

DOCUMENTS = 20_000
"""Documents of the collection, d00000 to d19999: the default of the measures that ask for its size D."""

QUALITIES = {"strong": 3.4, "fair": 2.8, "weak": 2.1}
"""Evidence for a relevant document less that for another one, in standard deviations of its noise."""

STOPS: dict[str, Callable[[Floats, bool], int]] = {
    "threshold": lambda scores, sees_nil: int((scores >= 0.5).sum()),
    "never": lambda scores, sees_nil: len(scores),
    "at-10": lambda scores, sees_nil: min(len(scores), 10),
    "knows-nil": lambda scores, sees_nil: 0 if sees_nil else len(scores),
    "brief": lambda scores, sees_nil: min(int((scores >= 0.5).sum()), 3),
}
"""How many documents a system shows, from its falling scores and whether it takes the topic for nil."""

_MOST_RELEVANT = 60
_OTHERS = 3  # irrelevant documents that every system scores, for each place in its list
_SHARED = 0.6  # of the noise's variance: what misleads one system misleads the others
_CENTRE, _SLOPE = 2.6, 1.6  # of the logistic function from evidence to score
_SEES_NIL = {True: 0.8, False: 0.05}  # how often a topic is taken for a nil query that is one, or is none


def collection(
    topics: int = 50, systems: int = 12, depth: int = 100, seed: int = 0, pool: int = 20
) -> tuple[Qrels, Runs]:
    """Judgments {topic: {document: grade}} and runs {system: {topic: {document: score}}}.

    Scores lie between 0 and 1; a threshold on them works in part, since some topics score higher than others.
    A list that its system left empty is {}. One seed gives one collection, on every machine.

    Parameters
    ----------
    topics : int
        A fifth of them are nil queries; the others have 1 to 60 relevant documents of grade 1 or 2, most of
        them few.
    systems : int
        Fifteen combine ways of ranking (`QUALITIES`) and of stopping (`STOPS`); more have other qualities and
        a number behind the name.
    depth : int
        The longest list.
    seed : int
        Start of the random numbers.
    pool : int
        Judged are the first documents of each list to this depth, and one relevant document that the author
        of the topic knew.

    Returns
    -------
    qrels, runs : dict

    Raises
    ------
    ParameterError
        If a number is not whole, or too small.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> qrels, runs = generated.collection(topics=10, systems=2)
    >>> list(runs)
    ['strong-threshold', 'fair-never']
    """
    for name, value in {"topics": topics, "systems": systems, "depth": depth, "pool": pool}.items():
        whole(name, value, 1)
    rng = generator(seed)
    made = [(name, gap + rng.uniform(-0.2, 0.2), stop) for name, gap, stop in islice(_systems(), systems)]
    nil = round(topics / 5)
    counts = rng.permutation(
        [0] * nil + np.geomspace(1, _MOST_RELEVANT, topics - nil).round().astype(int).tolist()
    )
    qrels: Qrels = {}
    runs: Runs = {name: {} for name, _, _ in made}
    for number, relevant in enumerate(counts.tolist(), 1):
        topic, size = f"t{number:03}", relevant + _OTHERS * depth
        documents = [f"d{number:05}" for number in rng.permutation(DOCUMENTS)[:size]]
        grades = np.append(1 + (rng.random(relevant) < 0.3), np.zeros(size - relevant, dtype=int))
        gains = 1.25 * (grades == 2) + (grades == 1)
        ease, level, shared = rng.uniform(0.7, 1.2), rng.normal(0, 0.6), rng.standard_normal(size)
        judged = {0} if relevant else set()
        for name, gap, stop in made:
            noise = np.sqrt(_SHARED) * shared + np.sqrt(1 - _SHARED) * rng.standard_normal(size)
            evidence = ease * gap * gains + noise + level
            scores = np.round(1 / (1 + np.exp(-_SLOPE * (evidence - _CENTRE))), 6)
            order = np.argsort(-scores, kind="stable")[:depth]
            sees_nil = rng.random() < _SEES_NIL[relevant == 0]
            shown = order[: stop(scores[order], sees_nil)].tolist()
            runs[name][topic] = {documents[at]: float(scores[at]) for at in shown}
            judged.update(shown[:pool])
        qrels[topic] = {documents[at]: int(grades[at]) for at in sorted(judged, key=documents.__getitem__)}
    return qrels, runs


def _systems() -> Iterator[tuple[str, float, Callable[[Floats, bool], int]]]:
    """Name, quality and stopping, without end."""
    # Three and five have no common divisor, so that fifteen in a row differ.
    for at in count():
        quality, stop = list(QUALITIES)[at % len(QUALITIES)], list(STOPS)[at % len(STOPS)]
        again = at // (len(QUALITIES) * len(STOPS))
        name = f"{quality}-{stop}-{again + 1}" if again else f"{quality}-{stop}"
        yield name, QUALITIES[quality], STOPS[stop]
