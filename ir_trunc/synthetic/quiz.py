"""Generated multiple-choice questions for systems that may stay silent.

Some systems know much, some know what they do not know.
By how much a system's skill exceeds the difficulty of a question, which is standard normal, with luck, is its
margin. It is right where that is above 0, and picks one of the wrong options else. How sure it is follows the
margin too, with more noise.
"""

from __future__ import annotations

import numpy as np

from ir_trunc._core.parameters import generator, whole
from ir_trunc.synthetic.generated import Qrels, Runs

OPTIONS = "ABCD"

SKILLS = {"strong": 1.1, "good": 0.7, "fair": 0.3, "weak": -0.1}
"""In standard deviations of the difficulty of questions."""

HABITS = ("always", "if-sure", "at-random")
"""When a system answers: always; if it is sure to 0.4 or more; or as often as that, but at random."""

_NOISE = 0.7
_SURE = 0.4


def collection(questions: int = 500, seed: int = 0) -> tuple[Qrels, Runs]:
    """Judgments {question: {option: 0 or 1}} and runs {system: {question: {option: how sure}}}.

    How sure a system is lies between 0 and 1; a question that it leaves open has no option in its run, {}.
    Systems are named by skill and habit, as `good-if-sure`.

    Parameters
    ----------
    questions : int
        How many, with four options each, one of them right.
    seed : int
        Start of the random numbers: one seed gives one collection.

    Returns
    -------
    qrels, runs : dict

    Raises
    ------
    ParameterError
        If a number is not whole, or too small.

    Examples
    --------
    >>> from ir_trunc.synthetic import quiz
    >>> qrels, runs = quiz.collection(questions=10)
    >>> qrels["q01"]
    {'A': 0, 'B': 0, 'C': 0, 'D': 1}
    >>> runs["strong-if-sure"]["q07"]
    {}
    """
    count = whole("questions", questions, 1)
    rng = generator(seed)
    names = [f"q{number:0{len(str(count))}}" for number in range(1, count + 1)]
    key, difficulty = rng.integers(len(OPTIONS), size=count), rng.standard_normal(count)
    qrels = {name: {option: int(option == OPTIONS[at]) for option in OPTIONS} for name, at in zip(names, key)}
    runs: Runs = {}
    for skill, mean in SKILLS.items():
        for habit in HABITS:
            margin = mean - difficulty + _NOISE * rng.standard_normal(count)
            sure = (1 / (1 + np.exp(-1.6 * (margin + _NOISE * rng.standard_normal(count))))).round(6)
            quiet = {
                "always": np.zeros(count, bool),
                "if-sure": sure < _SURE,
                "at-random": rng.permutation(sure < _SURE),
            }
            picked = (key + np.where(margin > 0, 0, rng.integers(1, len(OPTIONS), size=count))) % len(OPTIONS)
            answers = zip(names, picked.tolist(), sure.tolist(), quiet[habit].tolist())
            runs[f"{skill}-{habit}"] = {
                name: {} if silent else {OPTIONS[at]: value} for name, at, value, silent in answers
            }
    return qrels, runs
