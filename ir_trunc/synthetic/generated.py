"""Generated runs, questions, retrieved chunks and streams of news, for examples without a download.

`collection`: systems that differ in how well they rank and in how well they know when to stop, which their
names tell: `strong-never`, `fair-threshold`. `quiz`: multiple-choice questions for systems that may stay
silent. `chunks`: questions with the chunks that a retriever returned. `stream`: questions that are asked anew
on each day. One seed gives the same data on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice, product
from typing import Annotated

import numpy as np

from ir_trunc._core.parameters import Seed, Whole, checked, generator
from ir_trunc._core.rankings import Floats

__all__ = [
    "COLLECTION_SIZE", "QUALITIES", "QUIZ_HABITS", "QUIZ_OPTIONS", "QUIZ_SKILLS", "STOPS", "STREAM_SYSTEMS",
    "chunks", "collection", "quiz", "stream",
]  # fmt: skip

GeneratedQrels = dict[str, dict[str, int]]
GeneratedRuns = dict[str, dict[str, dict[str, float]]]

COLLECTION_SIZE = 20_000
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


@checked
def collection(
    topics: Annotated[int, Whole("topics")] = 50,
    systems: Annotated[int, Whole("systems")] = 12,
    depth: Annotated[int, Whole("longest list")] = 100,
    seed: Seed = 0,
    pool: Annotated[int, Whole("depth to which each list is judged")] = 20,
) -> tuple[GeneratedQrels, GeneratedRuns]:
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
    rng = generator(seed)
    settings = [(name, gap + rng.uniform(-0.2, 0.2), stop) for name, gap, stop in islice(_systems(), systems)]
    nil = round(topics / 5)
    numbers = np.geomspace(1, _MOST_RELEVANT, topics - nil).round().astype(int)
    counts = rng.permutation([0] * nil + numbers.tolist())
    qrels: GeneratedQrels = {}
    runs: GeneratedRuns = {name: {} for name, _, _ in settings}
    for number, relevant in enumerate(counts.tolist(), 1):
        topic, size = f"t{number:03}", relevant + _OTHERS * depth
        documents = [f"d{number:05}" for number in rng.permutation(COLLECTION_SIZE)[:size]]
        grades = np.append(1 + (rng.random(relevant) < 0.3), np.zeros(size - relevant, dtype=int))
        gains = 1.25 * (grades == 2) + (grades == 1)
        ease, level, shared = rng.uniform(0.7, 1.2), rng.normal(0, 0.6), rng.standard_normal(size)
        judged = {0} if relevant else set()
        for name, gap, stop in settings:
            noise = np.sqrt(_SHARED) * shared + np.sqrt(1 - _SHARED) * rng.standard_normal(size)
            evidence = ease * gap * gains + noise + level
            scores = np.round(1 / (1 + np.exp(-_SLOPE * (evidence - _CENTRE))), 6)
            order = np.argsort(-scores, kind="stable")[:depth]
            sees_nil = rng.random() < _SEES_NIL[relevant == 0]
            shown = order[: stop(scores[order], sees_nil)].tolist()
            runs[name][topic] = {documents[place]: float(scores[place]) for place in shown}
            judged.update(shown[:pool])
        by_name = sorted(judged, key=documents.__getitem__)
        qrels[topic] = {documents[place]: int(grades[place]) for place in by_name}
    return qrels, runs


def _systems() -> Iterator[tuple[str, float, Callable[[Floats, bool], int]]]:
    """Name, quality and stopping, without end."""
    # Three and five have no common divisor, so that fifteen in a row differ.
    for number in count():
        quality, stop = list(QUALITIES)[number % len(QUALITIES)], list(STOPS)[number % len(STOPS)]
        repeated = number // (len(QUALITIES) * len(STOPS))
        name = f"{quality}-{stop}-{repeated + 1}" if repeated else f"{quality}-{stop}"
        yield name, QUALITIES[quality], STOPS[stop]


QUIZ_OPTIONS = "ABCD"

QUIZ_SKILLS = {"strong": 1.1, "good": 0.7, "fair": 0.3, "weak": -0.1}
"""Skills of systems, in standard deviations of the difficulty of questions."""

QUIZ_HABITS = ("always", "if-sure", "at-random")
"""When a system answers: always; if its confidence is at least 0.4; or as often as that, but at random."""

_NOISE = 0.7
_SURE = 0.4


@checked
def quiz(
    questions: Annotated[int, Whole("questions")] = 500, seed: Seed = 0
) -> tuple[GeneratedQrels, GeneratedRuns]:
    """Multiple-choice questions for systems that may stay silent.

    A system's margin on a question is its skill less the difficulty of the question, which is standard
    normal, with noise. The system is right where the margin is above 0, and picks one of the wrong options
    otherwise. Its confidence, between 0 and 1, follows the margin with more noise. A question that it leaves
    open has no option in its run, {}. Systems are named by skill and habit, as `good-if-sure`.

    Parameters
    ----------
    questions : int
        How many, with four options each, one of them right.
    seed : int
        Start of the random numbers: one seed gives one collection.

    Returns
    -------
    qrels, runs : dict
        Judgments {question: {option: 0 or 1}} and runs {system: {question: {option: confidence}}}.

    Raises
    ------
    ParameterError
        If a number is not whole, or too small.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> qrels, runs = generated.quiz(questions=10)
    >>> qrels["q01"]
    {'A': 0, 'B': 0, 'C': 0, 'D': 1}
    >>> runs["strong-if-sure"]["q07"]
    {}
    """
    rng = generator(seed)
    names = [f"q{number:0{len(str(questions))}}" for number in range(1, questions + 1)]
    key, difficulty = rng.integers(len(QUIZ_OPTIONS), size=questions), rng.standard_normal(questions)
    right = zip(names, (QUIZ_OPTIONS[place] for place in key))
    qrels = {name: {option: int(option == own) for option in QUIZ_OPTIONS} for name, own in right}
    runs: GeneratedRuns = {}
    for skill, mean in QUIZ_SKILLS.items():
        for habit in QUIZ_HABITS:
            margin = mean - difficulty + _NOISE * rng.standard_normal(questions)
            evidence = margin + _NOISE * rng.standard_normal(questions)
            confidence = (1 / (1 + np.exp(-1.6 * evidence))).round(6)
            unsure = confidence < _SURE
            quiet = {"always": np.zeros(questions, bool), "if-sure": unsure}
            quiet["at-random"] = rng.permutation(unsure)
            other_option = rng.integers(1, len(QUIZ_OPTIONS), size=questions)
            picked = (key + np.where(margin > 0, 0, other_option)) % len(QUIZ_OPTIONS)
            answers = zip(names, picked.tolist(), confidence.tolist(), quiet[habit].tolist())
            runs[f"{skill}-{habit}"] = {
                name: {} if silent else {QUIZ_OPTIONS[place]: value} for name, place, value, silent in answers
            }
    return qrels, runs


@checked
def chunks(
    questions: Annotated[int, Whole("questions")] = 200,
    retrieved: Annotated[int, Whole("chunks for each question", 5)] = 20,
    seed: Seed = 0,
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Questions with the chunks that a retriever returned, and the chunks that answer them.

    One question in four has no answer; the others have 1 to 5 chunks that answer them. Similarities are
    normal: about 0.72 (standard deviation 0.10) for these, about 0.45 (0.09) for all others, and those of a
    question are shifted together (0.04).

    Parameters
    ----------
    questions, retrieved : int
        How many questions, and chunks for each.
    seed : int
        One seed gives one collection.

    Returns
    -------
    dict, dict
        `{question: {chunk: similarity}}` and `{question: {chunk: 1}}`.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> retrieved, labels = generated.chunks(questions=8)
    >>> len(retrieved["q1"]), [len(answers) for answers in labels.values()]
    (20, [0, 4, 3, 2, 0, 1, 4, 5])
    """
    rng, retrieved_scores, labels = generator(seed), {}, {}
    for number in range(questions):
        drawn = int(rng.integers(1, 6))
        answers = drawn if number % 4 else 0
        shift, names = rng.normal(0, 0.04), [f"c{number}-{place}" for place in range(retrieved)]
        means = [(0.72, 0.10)] * answers + [(0.45, 0.09)] * (retrieved - answers)
        scores = [round(float(rng.normal(*mean) + shift), 3) for mean in means]
        retrieved_scores[f"q{number + 1}"] = dict(zip(names, scores))
        labels[f"q{number + 1}"] = dict.fromkeys(names[:answers], 1)
    return retrieved_scores, labels


STREAM_SYSTEMS = {
    "silent": (0.0, 0.0),
    "always": (1.0, 1.0),
    "alert": (0.8, 0.02),
    "nervous": (0.8, 0.3),
    "random": (0.08, 0.08),
}
"""How often a system answers on a day with news and on another day."""

_ANSWER = 3, 10  # documents of a system's answer: the fewest and the most
_GAINS = (1, 5, 10)


@checked
def stream(
    topics: Annotated[int, Whole("topics")] = 5,
    questions: Annotated[int, Whole("questions of each topic")] = 6,
    days: Annotated[int, Whole("days of the collection", 2)] = 60,
    seed: Seed = 0,
) -> tuple[GeneratedQrels, GeneratedRuns]:
    """A stream of news: judgments {topic/question/day: {document: gain}}, and runs of seven systems.

    Each question has news on 1 to 20 % of the days, the share drawn at random on a logarithmic scale. On such
    a day 1 to 4 new documents have the gains 1, 5 or 10, and on the next day the gain 0; the lists of days
    without news are nil. Systems differ in when they answer (`STREAM_SYSTEMS`); an answer has 3 to 10
    documents, on a day with news those of the day among them, most of them near the top. Two more systems
    know the judgments: `oracle` returns the ideal lists, and `late` returns them one day later.

    Parameters
    ----------
    topics, questions, days : int
        How many; days from 2024-01-01 on.
    seed : int
        One seed gives one stream.

    Returns
    -------
    qrels, runs : dict

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> qrels, runs = generated.stream(topics=1, questions=2, days=30)
    >>> sum(any(gains.values()) for gains in qrels.values()), len(qrels)
    (5, 60)
    >>> runs["late"]["t1/q1/2024-01-01"]
    {}
    """
    rng = generator(seed)
    dates = [str(day) for day in np.datetime64("2024-01-01") + np.arange(days)]
    qrels: GeneratedQrels = {}
    runs: GeneratedRuns = {name: {} for name in (*STREAM_SYSTEMS, "oracle", "late")}
    for topic, question in product(range(1, topics + 1), range(1, questions + 1)):
        has_news = rng.random(days) < 0.01 * 20 ** rng.random()
        before: dict[str, float] = {}
        for number, day in enumerate(dates):
            key = f"t{topic}/q{question}/{day}"
            documents = [f"d{topic}-{question}-{number}-{place}" for place in range(_ANSWER[1] + 4)]
            gains = rng.choice(_GAINS, rng.integers(1, 5)) if has_news[number] else np.zeros(0, int)
            ideal = dict(zip(documents, gains.astype(float).tolist()))
            qrels[key] = dict(zip(ideal, gains.tolist())) | dict.fromkeys(before, 0)
            runs["oracle"][key], runs["late"][key] = ideal, before
            before = ideal
            relevant = np.arange(len(documents)) < len(gains)
            for name, answers in STREAM_SYSTEMS.items():
                scores = (rng.standard_normal(len(documents)) + 2.0 * relevant).round(6)
                order = np.argsort(-scores, kind="stable")[: rng.integers(_ANSWER[0], _ANSWER[1] + 1)]
                shown = order if rng.random() < answers[0 if has_news[number] else 1] else order[:0]
                runs[name][key] = {documents[place]: float(scores[place]) for place in shown}
    return qrels, runs
