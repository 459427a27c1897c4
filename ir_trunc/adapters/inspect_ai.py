"""Inspect AI: metrics that tell an unanswered question from a wrong answer.

@scorer(metrics=[c_at_1(), answer_utility(price=2), abstention()])

Inspect finds them as `ir_trunc/c_at_1` and so on. A sample is unanswered where its score is NOANSWER or has
the reason 'refusal' or 'no_response'. Each epoch counts as a question of its own, since Inspect's means over
epochs, also over one, take NOANSWER for 0.
"""

from __future__ import annotations

from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.inspect_ai needs Inspect AI", "inspect"):
    from inspect_ai.scorer import NOANSWER, Metric, SampleScore, Value, metric, value_to_float

from ir_trunc._core.errors import InputError, counted, warn
from ir_trunc._core.parameters import number
from ir_trunc.answers import AnswerLog

__all__ = ["abstention", "answer_utility", "area_under_risk_coverage", "c_at_1"]


@metric(scores="unreduced")  # type: ignore[untyped-decorator, unused-ignore]
def c_at_1(correct_from: float = 1.0) -> Metric:
    """c@1 of Peñas and Rodrigo (2011): an unanswered question earns the accuracy over all questions.

    (n_correct + n_unanswered n_correct / n) / n

    Parameters
    ----------
    correct_from : float
        Lowest value of a score that is a correct answer; CORRECT is 1 and PARTIAL is 0.5.

    Returns
    -------
    Metric

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> scores = [SampleScore(score=Score(value=value)) for value in "CINN"]
    >>> c_at_1()(scores)
    0.375
    """
    return _metric("c@1", correct_from)


@metric(scores="unreduced")  # type: ignore[untyped-decorator, unused-ignore]
def answer_utility(price: float = 1.0, correct_from: float = 1.0) -> Metric:
    """UF: a correct answer earns 1, a wrong one costs its price, and an unanswered question earns 0.

    mean of 1 (correct), 0 (unanswered), -price (wrong)

    Parameters
    ----------
    price : float
        What a wrong answer costs, 0 or more.
    correct_from : float
        As for `c_at_1`.

    Returns
    -------
    Metric

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> scores = [SampleScore(score=Score(value=value)) for value in "CINN"]
    >>> answer_utility(price=2)(scores)
    -0.25
    """
    return _metric(f"UF(price={number('price', price, 0)!r})", correct_from)


@metric(scores="unreduced")  # type: ignore[untyped-decorator, unused-ignore]
def area_under_risk_coverage(confidence: str = "confidence", correct_from: float = 1.0) -> Metric:
    """AURC: the share of wrong answers, over all thresholds of confidence; lower is better.

    Parameters
    ----------
    confidence : str
        The name of the confidence in the metadata of the scores.
    correct_from : float
        As for `c_at_1`.

    Returns
    -------
    Metric

    Raises
    ------
    InputError
        Where an answer has no such confidence.

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> sure = [("C", 0.9), ("I", 0.4), ("N", 0.1)]
    >>> scores = [SampleScore(score=Score(value=value, metadata={"confidence": s})) for value, s in sure]
    >>> area_under_risk_coverage()(scores)
    0.25
    """
    return _metric("AURC", correct_from, confidence)


@metric(scores="unreduced")  # type: ignore[untyped-decorator, unused-ignore]
def abstention(correct_from: float = 1.0) -> Metric:
    """How many questions were answered correctly, wrongly and not at all.

    Parameters
    ----------
    correct_from : float
        As for `c_at_1`.

    Returns
    -------
    Metric

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> abstention()([SampleScore(score=Score(value=value)) for value in "CINN"])
    {'correct': 1, 'wrong': 1, 'unanswered': 2}
    """
    return _metric(None, correct_from)


def _metric(measure: str | None, correct_from: float, confidence: str | None = None) -> Metric:
    """The mean of a measure, 0 without samples as Inspect's own metrics; without a measure the counts."""
    number("correct_from", correct_from, 0, 1)

    def value(scores: list[SampleScore]) -> Value:
        log = _log(scores, correct_from, confidence)
        if measure is None:
            return {**log.counts}
        return float(next(iter(log.calc(measure).aggregated.values()))) if log.run else 0.0

    return value


def _log(samples: list[SampleScore], correct_from: float, confidence: str | None = None) -> AnswerLog:
    """The answers; each epoch of a sample is a question, and none says whether it has an answer.

    Those that the scorer could not score are left out, and a warning counts them.
    """
    scored = [(sample, value) for sample, value in zip(samples, map(_answer, samples)) if value == value]
    if len(scored) < len(samples):
        warn(f"ignored {counted(len(samples) - len(scored), 'sample')} without a score (value NaN).")
    run: dict[str, dict[str, float]] = {}
    for place, (sample, value) in enumerate(scored):
        answers = run[str(place)] = dict[str, float]()
        if value is not None:
            sure = 1.0 if confidence is None else _confidence(sample, confidence)
            answers["correct" if value >= correct_from else "wrong"] = sure
    known = {name: True if "correct" in answer else None for name, answer in run.items()}
    return AnswerLog(run, known, {}, confidence is not None, "samples")


_to_float = value_to_float()


def _answer(sample: SampleScore) -> float | None:
    """The value of the answer; None where the question was not answered."""
    score = sample.score
    if score.value == NOANSWER or getattr(score, "reason", None) in ("refusal", "no_response"):
        return None
    return float(_to_float(score.value))


def _confidence(sample: SampleScore, name: str) -> float:
    value: Any = (sample.score.metadata or {}).get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        what = f"metadata[{name!r}] is {value!r}; the confidence of the answer is needed, a number"
        raise InputError(f"sample {sample.sample_id}: {what}.")
    return float(value)
