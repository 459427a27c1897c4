"""Risk and coverage: whether wrong answers are the ones that a system was least sure of.

Answers are given in order of confidence, the score of a question's first document; the risk at a coverage is
the share of wrong ones among those given so far. Equal confidences count as the mean over all of their
orders. Questions without an answer have neither risk nor coverage: n is the number of answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ir_trunc._core.arrays import Bools, Floats, Ints
from ir_trunc.measures.answering import answers, first_scores, from_here_on
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel

GEIFMAN_CURVE = "Geifman & El-Yaniv, NeurIPS 2017, https://arxiv.org/abs/1705.08500"
GEIFMAN = "Geifman, Uziel & El-Yaniv, ICLR 2019, https://arxiv.org/abs/1805.08206"
TRAUB = "Traub et al., NeurIPS 2024, https://arxiv.org/abs/2407.01032"

QUESTION = "If a system gave only the answers that it is surest of, how many of these would be wrong?"


@dataclass(frozen=True)
class RankedAnswers:
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
        falls = np.append(True, sorted_[1:] != sorted_[:-1])[: len(order)]
        starts = np.flatnonzero(falls)
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
