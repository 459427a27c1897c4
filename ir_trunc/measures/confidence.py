"""Risk and coverage: what answers earn or cost, and whether the wrong ones are those of low confidence.

A question is answered where its list is not empty, by the first document, whose score is the system's
confidence. Risk and coverage: answers are given in order of confidence, and the risk at a coverage is the
share of wrong ones among those given so far. Equal confidences count as the mean over all of their orders.
Questions without an answer have neither risk nor coverage: n is the number of answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints
from ir_trunc._core.errors import ParameterError
from ir_trunc.measures.answering import EM, SQUAD, answers, first_scores, from_here_on, in_run
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel, Number, Whole
from ir_trunc.measures.parts import binary, over

WHITEHEAD = "Whitehead et al., ECCV 2022, https://arxiv.org/abs/2204.13631"
BEVENDORFF = "Bevendorff, Stein, Hagen & Potthast, NAACL 2019, https://aclanthology.org/N19-1068"
GEIFMAN_CURVE = "Geifman & El-Yaniv, NeurIPS 2017, https://arxiv.org/abs/1705.08500"
GEIFMAN = "Geifman, Uziel & El-Yaniv, ICLR 2019, https://arxiv.org/abs/1805.08206"
TRAUB = "Traub et al., NeurIPS 2024, https://arxiv.org/abs/2407.01032"

QUESTION = "How much worse is a wrong answer than none, and do wrong answers have low confidence?"

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
        both = f"price={price:g} and target={target:g} are two ways to say the same"
        raise ParameterError(f"UF: {both}; give one of them.")
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


# risk and coverage


class RankedAnswers(NamedTuple):
    """The answers of a run, the surest first."""

    order: Ints  # the position of the answer that stands at each place
    starts: Ints  # of the answers of each confidence, the first place
    sizes: Ints  # and their number
    wrong: Bools  # in the original order

    @classmethod
    def of(cls, wrong: Bools, confidence: Floats) -> RankedAnswers:
        """Sort answers that are in any order."""
        order = np.argsort(-confidence, kind="stable")
        sorted_ = confidence[order]
        starts = np.flatnonzero(np.append(True, sorted_[1:] != sorted_[:-1])[: len(order)])
        return cls(order, starts, np.diff(np.append(starts, len(order))), wrong)

    @property
    def place(self) -> Ints:
        """1, 2, ..., n."""
        return np.arange(1, len(self.order) + 1)

    @property
    def errors(self) -> Floats:
        """How many answers are wrong down to each place; the mean over the orders of equal confidences."""
        return np.cumsum(self.of_equals(self.wrong[self.order].astype(np.float64)))

    def of_equals(self, at_places: Floats) -> Floats:
        """The mean of values at the places that have the same confidence."""
        if not len(self.order):
            return at_places
        means: Floats = np.add.reduceat(at_places, self.starts) / self.sizes
        return np.repeat(means, self.sizes)

    def of_answers(self, at_places: Floats) -> Floats:
        """A value for each answer, from values at places."""
        result = np.empty(len(self.order))
        result[self.order] = self.of_equals(at_places)
        return result


OfAnswers = Callable[[RankedAnswers], Floats]


def selective_risk(ranked: RankedAnswers) -> Floats:
    """(e_1 + ... + e_i) / i at each place."""
    return ranked.errors / ranked.place


def generalised_risk(ranked: RankedAnswers) -> Floats:
    """(e_1 + ... + e_i) / n at each place."""
    return ranked.errors / len(ranked.order)


def in_best_order(ranked: RankedAnswers) -> RankedAnswers:
    """The answers with all right ones before all wrong ones."""
    return RankedAnswers.of(ranked.wrong, -ranked.wrong.astype(np.float64))


def excess_risk(ranked: RankedAnswers) -> Floats:
    """How much higher the selective risk is at each place than in the best order."""
    return selective_risk(ranked) - selective_risk(in_best_order(ranked))


def selective_influence(ranked: RankedAnswers) -> Floats:
    """r_i + e h_i - sum_{j >= i} r_j / j for the answer at place i, with h_i = sum_{j >= i} 1/j."""
    risk = selective_risk(ranked)
    rest = ranked.of_answers(risk - from_here_on(risk / ranked.place))
    return rest + ranked.wrong * ranked.of_answers(from_here_on(1 / ranked.place))


def generalised_influence(ranked: RankedAnswers) -> Floats:
    """g_i + e (n - i + 1) / n - AUGRC for the answer at place i."""
    risk, n = generalised_risk(ranked), len(ranked.order)
    return (
        ranked.of_answers(risk) + ranked.wrong * ranked.of_answers((n - ranked.place + 1) / n) - _mean(risk)
    )


def _mean(x: Floats) -> float:
    return float(x.mean()) if len(x) else 0.0


def area(lists: Lists, rel: int, risk: OfAnswers) -> Floats:
    """The risk at the place of each question's answer, where it has none the mean of the others."""
    answered, correct = answers(lists, rel)
    own_answered = lists.own(answered)
    at = np.flatnonzero(own_answered)
    wrong, confidence = ~lists.own(correct)[at], first_scores(lists)[at]
    ranked = RankedAnswers.of(wrong, confidence)
    risks = ranked.of_answers(risk(ranked))
    own = np.full(len(lists.lengths), _mean(risks))
    own[at] = risks
    result: Floats = lists.spread(own).copy()
    # A list that is cut to nothing leaves the other answers, whose places then change.
    query = lists.spread(np.arange(len(own)))
    for point in np.flatnonzero(~answered & lists.spread(own_answered)):
        others = at != query[point]
        rest = RankedAnswers.of(wrong[others], confidence[others])
        result[point] = _mean(rest.of_answers(risk(rest)))
    return result


def influence_of(risk: OfAnswers, of_answers: OfAnswers) -> Callable[[Lists, int], Floats]:
    """The influence value of every question; that of one without an answer is the measure itself."""

    def influence(lists: Lists, rel: int) -> Floats:
        answered, correct = answers(lists, rel)
        ranked = RankedAnswers.of(~correct[answered], first_scores(lists)[answered])
        value = _mean(risk(ranked))
        result = np.full(len(answered), value)
        result[answered] += len(answered) / max(1, answered.sum()) * (of_answers(ranked) - value)
        return result

    return influence


risk_measure = partial(measure, cutoff="none", scope="run", lower_is_better=True, reads=("confidence",))


@risk_measure(source=GEIFMAN_CURVE, influence=influence_of(selective_risk, selective_influence))
def AURC(lists: Lists, rel: MinRel = 1) -> Floats:
    """Area under the risk-coverage curve: the share of wrong answers, over all thresholds of confidence.

    1/n sum_i r_i, with r_i = (e_1 + ... + e_i) / i, answers in order of decreasing confidence

    e_i is 1 for a wrong answer and 0 for a right one, n the number of answers; questions that are left open
    do not count. Where every question is answered and no confidences are equal, AURC = 1 - CWS. The area is
    the mean over the n points of the curve. Traub et al.'s tool draws straight lines between the points
    instead, which adds (r_1 - r_n) / (2 n) where no confidences are equal. Of equal confidences it is the
    mean over their orders. No answer: 0.
    """
    return area(lists, rel, selective_risk)


@risk_measure(
    source=GEIFMAN,
    influence=influence_of(
        excess_risk, lambda ranked: selective_influence(ranked) - selective_influence(in_best_order(ranked))
    ),
)
def EAURC(lists: Lists, rel: MinRel = 1) -> Floats:
    """Excess area under the risk-coverage curve: what is lost by the order of the answers alone.

    AURC less the AURC of the same answers with all right ones before all wrong ones

    Also written E-AURC. The best order is computed exactly, not by the approximation a + (1 - a) ln(1 - a)
    for a share a of wrong answers. No answer, or right ones only: 0.
    """
    return area(lists, rel, excess_risk)


@risk_measure(source=TRAUB, influence=influence_of(generalised_risk, generalised_influence))
def AUGRC(lists: Lists, rel: MinRel = 1) -> Floats:
    """Area under the generalised risk-coverage curve: the chance that an answer is both given and wrong.

    1/n sum_i (e_1 + ... + e_i) / n, answers in order of decreasing confidence

    A wrong answer costs 1/n^2 for every place from its own to the last; in AURC the first few places weigh
    most. The area is the mean over the n points of the curve; Traub et al.'s tool draws straight lines from 0
    on, which takes off a / (2 n) for a share a of wrong answers. Questions that are left open do not count.
    No answer: 0.
    """
    return area(lists, rel, generalised_risk)
