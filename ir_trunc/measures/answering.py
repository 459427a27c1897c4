"""Not answering: questions that a system may leave open (Peñas & Rodrigo 2011).

A question is unanswered where its list is empty, and correct where the first document is relevant. The
measures look at the whole run; their values per question are such that the plain mean over questions is the
measure.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints
from ir_trunc._core.errors import InputError
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Choice, MinRel, Number
from ir_trunc.measures.parts import binary, over

PENAS_2011 = "Peñas & Rodrigo, ACL 2011"
PENAS = f"{PENAS_2011}, https://aclanthology.org/P11-1142"
SQUAD = "Rajpurkar, Jia & Liang, ACL 2018, https://aclanthology.org/P18-2124"
VOORHEES = (
    "Voorhees, TREC 2002, https://www.nist.gov/publications/overview-trec-2002-question-answering-track"
)
HERRERA = "Herrera, Peñas & Verdejo, CLEF 2004, https://doi.org/10.1007/11519645_35"

QUESTION = "Does the system know which questions it had better leave open?"

Unanswered = Annotated[
    float | str,
    Choice(
        "what an unanswered question is worth: 'accuracy' n_ac/n, 'precision' n_ac/(n_ac + n_aw), "
        "'error' n_aw/(n_ac + n_aw), or a constant",
        ("accuracy", "precision", "error"),
        Number("constant", 0, 1),
    ),
]

of_confidence = partial(measure, cutoff="none", reads=("confidence",))


def answers(lists: Lists, rel: int, depth: int = 1) -> tuple[Bools, Bools]:
    """At every point: whether the question is answered, and with a relevant document to this depth."""
    return lists.n > 0, lists.sum(binary(lists, rel).relevant & (lists.rank <= depth)) > 0


def in_run(lists: Lists, at_points: Floats) -> Floats:
    """How many lists of the run have a property if one of them ends at this point and the others stay."""
    own = lists.own(at_points)
    return lists.spread(own.sum() - own) + at_points


def first_scores(lists: Lists) -> Floats:
    """The score of each list's first document (Q); -inf for an empty list."""
    if lists.first_scores is None:
        raise InputError("measures of confidence need the scores of the documents: these rankings have none.")
    return lists.first_scores


def rate(unanswered: float | str, correct: Floats, answered: Floats, n: float) -> Floats | float:
    """What an unanswered question is worth, given how many of n questions are answered, and correctly."""
    if not isinstance(unanswered, str):
        return unanswered
    if unanswered == "accuracy":
        return correct / n
    return over(correct if unanswered == "precision" else answered - correct, answered)


def shares(lists: Lists, unanswered: float | str, rel: int) -> tuple[Floats, Floats]:
    """Whether the question is answered correctly, and whether it is answered."""
    answered, correct = answers(lists, rel, lists.k or 1)
    return correct.astype(np.float64), answered.astype(np.float64)


def of_shares(correct: Floats, answered: Floats, unanswered: float | str, rel: int) -> Floats:
    """c@1 from the shares of the questions that are answered correctly, and answered."""
    return correct + (1 - answered) * rate(unanswered, correct, answered, 1.0)


@measure(
    source=f"{PENAS}, section 2.2 (unanswered= has the estimates that section 3 rejects)",
    cutoff="required",
    scope="run",
    of_means=(shares, of_shares),
)
def c(lists: Lists, unanswered: Unanswered = "accuracy", rel: MinRel = 1) -> Floats:
    """c@1: accuracy that gives an unanswered question the accuracy of the whole run.

    mean over n questions of: correct 1, wrong 0, unanswered n_ac/n

    n_ac, n_aw: questions answered correctly and wrongly. c@k: a relevant document in the first k is correct.
    Estimates that the paper rejects: unanswered=0 is plain accuracy; 1; 0.5; 'precision' over the answered;
    'error' over the answered.
    """
    correct, answered = shares(lists, unanswered, rel)
    value = rate(unanswered, in_run(lists, correct), in_run(lists, answered), float(len(lists.lengths)))
    return np.where(answered > 0, correct, value)


@measure(source=SQUAD, cutoff="none")
def EM(lists: Lists, rel: MinRel = 1) -> Floats:
    """Exact match: the first answer is right, or there is none and the system is silent.

    correct 1, silence on a nil query 1, anything else 0

    Over nil queries alone its mean is the accuracy of saying "no answer".
    """
    answered, correct = answers(lists, rel)
    nil_query = lists.spread(binary(lists, rel).R) == 0
    return np.where(correct | (nil_query & ~answered), 1.0, 0.0)


def cws_influence(lists: Lists, rel: int) -> Floats:
    """C(i)/i + sum_{j >= i} (correct_i - C(j)/j) / j at position i; C(i) of the first i are correct."""
    correct = answers(lists, rel)[1].astype(np.float64)
    order = np.argsort(-first_scores(lists), kind="stable")
    share, position = CWS(lists, rel)[order], np.arange(1, len(order) + 1)
    result = np.empty(len(order))
    result[order] = share + correct[order] * from_here_on(1 / position) - from_here_on(share / position)
    return result


def from_here_on(x: Floats) -> Floats:
    """The sum of a value and all that follow it."""
    return np.cumsum(x[::-1])[::-1]


@of_confidence(source=f"{VOORHEES}; {PENAS_2011}, section 5", scope="run", influence=cws_influence)
def CWS(lists: Lists, rel: MinRel = 1) -> Floats:
    """Confidence-weighted score: right answers should be the ones that the system was surest of.

    mean over positions i of (correct down to i) / i

    Questions are in order of the decreasing score of their first document. Unanswered questions come last;
    equal scores are taken in the order of the topics.
    """
    answered, correct = answers(lists, rel)
    own_answered, own_correct = lists.own(answered), lists.own(correct)
    order = np.argsort(-first_scores(lists), kind="stable")
    place = np.empty(len(order))
    place[order] = np.arange(1, len(order) + 1)
    down_to = np.empty(len(order))
    down_to[order] = np.cumsum(own_correct[order])
    # A list that is cut to nothing moves behind all answered questions, among the unanswered in the order of
    # topics.
    unanswered_before: Ints = np.cumsum(~own_answered) - ~own_answered
    last_place = own_answered.sum() - own_answered + unanswered_before + 1
    silent = ~answered
    right = np.where(silent, lists.spread(own_correct.sum() - own_correct), lists.spread(down_to))
    return right / np.where(silent, lists.spread(last_place), lists.spread(place))


@of_confidence(source=f"{HERRERA}; {PENAS_2011}, section 5 (eq. 12)", range=(-1, 1))
def K1(lists: Lists, rel: MinRel = 1) -> Floats:
    """K1: the system's own confidence, counted for it or against it.

    score of the first document if it is relevant, -score if not, 0 if unanswered

    Scores must lie in [0, 1].
    """
    answered, correct = answers(lists, rel)
    score = first_scores(lists)
    bad = (lists.lengths > 0) & ~((score >= 0) & (score <= 1))
    if bad.any():
        at = int(bad.argmax())
        topic = lists.judgments.topics[at]
        has = f"topic {topic} has {score[at]:g} for its first document"
        raise InputError(f"K1 needs self-scores from 0 to 1: {has}.")
    own = lists.spread(np.where(lists.lengths > 0, score, 0.0))
    return np.where(answered, np.where(correct, own, -own), 0.0)
