"""Silence with a price: questions that a system may leave open where a wrong answer costs something.

A question is answered where its list is not empty, by the first document, and its score is the system's
confidence.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc._core.errors import ParameterError
from ir_trunc.measures.answering import EM, SQUAD, answers, first_scores, in_run
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel, Number, Whole
from ir_trunc.measures.parts import binary, over

WHITEHEAD = "Whitehead et al., ECCV 2022, https://arxiv.org/abs/2204.13631"
BEVENDORFF = "Bevendorff, Stein, Hagen & Potthast, NAACL 2019, https://aclanthology.org/N19-1068"

QUESTION = "Is a wrong answer worse than none, and by how much?"

Price = Annotated[
    float | None, Number("what a wrong answer costs, where a right one earns 1; by default 1", 0)
]
TargetConfidence = Annotated[
    float | None,
    Number("confidence that an answer should have, in place of the price t / (1 - t)", 0, 1, inside=True),
]
Positive = Annotated[
    "int | None", Whole("lowest grade of the positive class; without it every answer claims to be positive")
]

_SAME = 1e-12  # relative: sums that differ by less are equal, so that rounding chooses no threshold


@measure(source=WHITEHEAD, cutoff="none", range=(-math.inf, 1))
def UF(lists: Lists, rel: MinRel = 1, price: Price = None, target: TargetConfidence = None) -> Floats:
    """Utility of answering: a right answer earns 1, a wrong one costs its price.

    correct 1, unanswered 0, wrong -c

    c is the price; c = 1 is the measure of Peñas & Rodrigo (2011), and with any c it is the effective
    reliability of Whitehead et al. A target t makes the price t / (1 - t), for which an answer is worth
    giving just where it is right with a probability of t or more (Kalai et al., 2025,
    https://arxiv.org/abs/2509.04664).
    """
    if price is not None and target is not None:
        raise ParameterError(
            f"UF: price={price:g} and target={target:g} are two ways to say the same; give one of them."
        )
    if target is not None:
        price = target / (1 - target)
    answered, correct = answers(lists, rel)
    return np.where(answered, np.where(correct, 1.0, -(1.0 if price is None else price)), 0.0)


def outcomes(lists: Lists, rel: int, positive: int | None) -> tuple[Floats, Floats, Floats]:
    """True positives, false positives, and false negatives with the questions that are left open."""
    answered, correct = answers(lists, rel)
    wrong, missed = answered & ~correct, ~answered
    if positive is not None:
        of_class = lists.spread(binary(lists, positive).R > 0)
        correct, missed, wrong = correct & of_class, missed | (wrong & of_class), wrong & ~of_class
    return correct.astype(np.float64), wrong.astype(np.float64), missed.astype(np.float64)


def of_outcomes(tp: Floats, fp: Floats, missed: Floats, rel: int, positive: int | None) -> Floats:
    """F0.5u from numbers, or shares, of questions."""
    return over(1.25 * tp, 1.25 * tp + 0.25 * missed + fp)


@measure(source=BEVENDORFF, cutoff="none", scope="run", of_means=(outcomes, of_outcomes))
def F05u(lists: Lists, rel: MinRel = 1, positive: Positive = None) -> Floats:
    """F0.5u: the F-measure for right answers, in which an open question is one more false negative.

    1.25 tp / (1.25 tp + 0.25 (fn + u) + fp)

    Over the whole run; u: questions that are left open, nil queries included. Where some answers are of a
    positive class (the same author, in PAN 2020) and others are not, grades tell them apart: with positive=2
    a question has a positive answer where a document of grade 2 or more is relevant. A right answer to it is
    a true positive (tp), and a wrong one a false negative (fn); a wrong answer to another question is a false
    positive (fp), and a right one does not count. Without it all right answers are tp and all wrong ones fp.
    No answer that counts: 0.
    """
    tp, fp, missed = (in_run(lists, part) for part in outcomes(lists, rel, positive))
    return of_outcomes(tp, fp, missed, rel, positive)


def at_best_threshold(lists: Lists, given: Floats, rel: int) -> Floats:
    """What questions earn at the threshold of confidence with the highest sum, the highest of several."""
    answered = lists.n > 0
    own = lists.own(answered)
    silent = (binary(lists, rel).R == 0).astype(np.float64)
    confidence = first_scores(lists)[own]
    order = np.argsort(-confidence, kind="stable")
    sums: Floats = np.append(0.0, np.cumsum((lists.own(given)[own] - silent[own])[order]))
    falls = np.append(True, np.diff(confidence[order]) != 0)
    ends: Ints = np.append(np.flatnonzero(falls), len(order)) if len(order) else np.zeros(1, np.int64)
    reached = sums[ends]
    best = ends[np.argmax(reached >= reached.max() - _SAME * len(order))]
    kept = np.zeros(len(own), dtype=bool)
    kept[np.flatnonzero(own)[order[:best]]] = True
    return np.where(answered & lists.spread(kept), given, lists.spread(silent))


# Where the best threshold is the only one, a small change of the questions' weights does not move it: the
# values of the questions are their influence values, too.
at_best = partial(measure, source=SQUAD, cutoff="none", scope="run", reads=("confidence",))


@at_best(influence=lambda lists, rel: at_best_threshold(lists, EM(lists, rel), rel))
def BestEM(lists: Lists, rel: MinRel = 1) -> Floats:
    """Exact match at the best threshold: what it would be if the system knew how sure it has to be to answer.

    max over thresholds t of the mean EM of the run whose answers below t are left out

    Confidence is the score of a question's first document. The threshold is found on the questions that it is
    judged by, as in SQuAD 2.0 (best_exact). Answers of equal confidence are given together, where SQuAD's
    script takes them one by one in the order of its file. An empty list stays empty. Of several best
    thresholds the highest counts; `ScoreThreshold().fit(rankings, "EM")` is that threshold.
    """
    return at_best_threshold(lists, EM(lists, rel), rel)


@measure(source=SQUAD, cutoff="none")
def TokenF1(lists: Lists) -> Floats:
    """Token F1: how many words the first answer shares with the nearest right one.

    2 s / (w + w'), s words in common of w in the answer and w' in a right one; the highest of all right ones

    Silence on a nil query is worth 1, and silence or an answer is worth 0 where the other is right, as in EM.
    Words are what stands between blanks after the answers were normalised (`read_answers(..., "squad")`); a
    word counts as often as both answers have it. All answers of a level above 0 are right. Documents that are
    not answers have no words: for them the measure is EM.
    """
    exact = EM(lists, 1)
    if lists.overlaps is None:
        return exact
    return np.where(lists.n > 0, np.maximum(exact, lists.spread(lists.overlaps)), exact)


@at_best(influence=lambda lists: at_best_threshold(lists, TokenF1(lists), 1))
def BestTokenF1(lists: Lists) -> Floats:
    """Token F1 at the best threshold: what it would be if the system knew how sure it has to be to answer.

    max over thresholds t of the mean TokenF1 of the run whose answers below t are left out

    best_f1 of SQuAD 2.0; threshold and confidence are those of BestEM.
    """
    return at_best_threshold(lists, TokenF1(lists), 1)
