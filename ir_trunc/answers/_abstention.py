"""Abstention: how scores and errors change if the lists with the lowest confidence are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Unpack

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Choice, Several, Whole, checked
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import takes
from ir_trunc._scoring.evaluator import Options
from ir_trunc._scoring.objects import MeasureLike, parse_measures
from ir_trunc._scoring.results import as_table
from ir_trunc.measures.answering import answers, first_scores
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel
from ir_trunc.measures.parts import over
from ir_trunc.measures.selective import RankedAnswers
from ir_trunc.truncation._fitting import one_measure

_CONFIDENCES: dict[str, Callable[[Floats], float]] = {
    "first": lambda scores: float(scores[0]),
    "gap": lambda scores: float(scores[0] - scores[1]) if len(scores) > 1 else 0.0,
    "spread": lambda scores: float(scores.std()),
}

Confidences = Annotated[
    str | Iterable[str], Several("confidences in a list", Choice("a confidence", tuple(_CONFIDENCES)))
]


@checked
@takes(Options)
def abstention_curve(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: RunLike,
    confidence: Confidences = ("first", "gap", "spread"),
    steps: Annotated[int, Whole("number of rates", low=2)] = 10,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """The mean of a measure if the lists with the lowest confidence are left out.

    Parameters
    ----------
    measures : MeasureLike
        Measures with a score for each topic; those of the whole run are refused.
    qrels, run, **options
        As for `ir_trunc.calc`.
    confidence : {'first', 'gap', 'spread'} or several of them
        The system's confidence in a list: the score of its first document; the difference from the second;
        the standard deviation of all scores. An empty list is left out before all others.
    steps : int
        The rates at which lists are left out are 0, 1/steps, ..., (steps - 1)/steps; the default is that of
        MTEB. At a rate r, round(r n) of n lists are left out (halves are rounded to the even number), but
        never all. The score is the mean over all orders of lists with equal confidence.

    Returns
    -------
    pandas.DataFrame
        A row for each measure, confidence and rate: measure, confidence, rate and score. The confidence
        'oracle' is the measure itself: the lists with the lowest scores are left out.

    Raises
    ------
    ParameterError
        For a measure of the whole run, and if an argument is not allowed.

    Examples
    --------
    >>> from ir_trunc.answers import abstention_curve
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> run = {"q1": {"a": 0.9, "x": 0.3}, "q2": {"y": 0.5, "b": 0.4}}
    >>> abstention_curve("RR", qrels, run, confidence="gap", steps=2)
    measure confidence  rate  score
         RR        gap   0.0   0.75
         RR        gap   0.5   1.00
         RR     oracle   0.0   0.75
         RR     oracle   0.5   1.00
    """
    rankings = rank(qrels, run, **options)
    confidences = {name: _confidence_in(rankings, name) for name in confidence}
    rows = []
    for measure in parse_measures(measures):
        by_list = "abstention needs a score of each list alone, such as EM instead of c@1"
        scores = one_measure(measure, by_list).score(rankings)
        for name, by_topic in {**confidences, "oracle": scores}.items():
            rows += [
                {"measure": str(measure), "confidence": name, "rate": step / steps, "score": score}
                for step, score in enumerate(_means_without_lowest(by_topic, scores, steps).tolist())
            ]
    return as_table(rows)


@takes(Options)
def nauc(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: RunLike,
    confidence: Confidences = ("first", "gap", "spread"),
    steps: Annotated[int, Whole("number of rates", low=2)] = 10,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Normalised area under the abstention curve: how well scores indicate which lists to leave out.

    (A - A_flat) / (A_oracle - A_flat), each A by the trapezoidal rule. A_flat is the area if the mean does
    not change, A_oracle if the lists with the lowest scores are left out first. Gisserot-Boukhlef, Faysse,
    Malherbe, Hudelot & Colombo, 2024, https://arxiv.org/abs/2402.12997; MTEB calls the confidences max, diff1
    and std.

    Parameters
    ----------
    measures, qrels, run, confidence, steps
        As for `abstention_curve`.
    **options
        As for `abstention_curve`.

    Returns
    -------
    pandas.DataFrame
        A row for each measure and confidence: measure, confidence, nauc, and the areas area, flat and oracle.
        nauc is at most 1, 0 if leaving lists out changes nothing, and NaN if all lists have the same score.

    Examples
    --------
    >>> from ir_trunc.answers import nauc
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> run = {"q1": {"a": 0.9, "x": 0.3}, "q2": {"y": 0.5, "b": 0.4}}
    >>> nauc("RR", qrels, run, confidence="gap")[["measure", "confidence", "nauc"]]
    measure confidence  nauc
         RR        gap   1.0
    """
    table = abstention_curve(measures, qrels, run, confidence, steps, **options)
    rows = []
    for measure, curves in table.groupby("measure", sort=False):
        areas = {}
        for name, curve in curves.groupby("confidence", sort=False):
            scores = curve["score"].to_numpy(np.float64)
            areas[str(name)] = float(((scores[1:] + scores[:-1]) / 2).sum() / steps)
        best, flat = areas.pop("oracle"), float(curves["score"].iloc[0]) * (1 - 1 / steps)
        differ = best - flat > 1e-12 * max(abs(best), abs(flat))
        for name, area in areas.items():
            ratio = (area - flat) / (best - flat) if differ else np.nan
            row = {"measure": measure, "confidence": name, "nauc": ratio}
            rows.append({**row, "area": area, "flat": flat, "oracle": best})
    return as_table(rows)


def _confidence_in(rankings: Rankings, name: str) -> Floats:
    """The system's confidence in each list (Q); -inf for an empty list."""
    if rankings.scores is None:
        raise InputError("confidence needs the scores of the documents: these rankings have none.")
    confidences = np.full(len(rankings), -np.inf)
    for place in np.flatnonzero(rankings.lengths > 0):
        scores = rankings.scores[rankings.starts[place] :][: rankings.lengths[place]]
        confidences[place] = _CONFIDENCES[name](scores)
    return confidences


def _means_without_lowest(confidence: Floats, scores: Floats, steps: int) -> Floats:
    """The mean score of the lists that are left at each rate, over all orders of equal confidences."""
    n = len(scores)
    order = np.argsort(-confidence, kind="stable")
    averaged = RankedAnswers.of(np.zeros(n, dtype=bool), confidence).of_equals(scores[order])
    left: Ints = np.array([n - min(round(step / steps * n), n - 1) for step in range(steps)])
    return np.cumsum(averaged)[left - 1] / left


@checked
@takes(Options)
def risk_coverage(
    qrels: QrelsLike | None, run: RunLike, rel: MinRel = 1, **options: Unpack[Options]
) -> pd.DataFrame:
    """The risk-coverage curve: the share of wrong answers if only the most confident are given.

    A question is answered by its list's first document, whose score is the confidence. Answers of equal
    confidence are given together.

    Parameters
    ----------
    qrels, run, **options
        As for `ir_trunc.calc`.
    rel : int
        Lowest grade that counts as relevant.

    Returns
    -------
    pandas.DataFrame
        A row for each threshold, the highest first: threshold, answers (their number at or above it),
        coverage (their share of all answers; questions with an empty list have none), risk (share of wrong
        ones among them), generalised_risk (wrong ones as a share of all answers), recall and fallout (those
        given as a share of all right and of all wrong answers: the ROC curve; NaN where there is none). The
        measures `AURC` and `AUGRC` are the means of both risks over the answers, each answer of a tie at its
        expected place; where all confidences differ, they are the means of these columns.

    Raises
    ------
    InputError
        If the run cannot be read, has no scores or answers nothing.

    Examples
    --------
    >>> from ir_trunc.answers import risk_coverage
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
    >>> run = {"q1": {"a": 0.9}, "q2": {"x": 0.8}, "q3": {"c": 0.5}, "q4": {"y": 0.5}}
    >>> risk_coverage(qrels, run)
     threshold  answers  coverage  risk  generalised_risk  recall  fallout
           0.9        1      0.25   0.0              0.00     0.5      0.0
           0.8        2      0.50   0.5              0.25     0.5      0.5
           0.5        4      1.00   0.5              0.50     1.0      1.0
    """
    lists = Lists(rank(qrels, run, **options))
    answered, correct = answers(lists, rel)
    if not answered.any():
        raise InputError("risk_coverage: no question is answered; a curve needs an answer.")
    confidence = first_scores(lists)[answered]
    by_confidence = RankedAnswers.of(~correct[answered], confidence)
    ends: Ints = by_confidence.starts + by_confidence.sizes
    n, wrong = len(by_confidence.order), by_confidence.errors[ends - 1]
    right = ends - wrong
    return as_table(
        {
            "threshold": confidence[by_confidence.order][ends - 1],
            "answers": ends,
            "coverage": ends / n,
            "risk": wrong / ends,
            "generalised_risk": wrong / n,
            "recall": over(right, right[-1:], otherwise=np.nan),
            "fallout": over(wrong, wrong[-1:], otherwise=np.nan),
        }
    )
