"""Answers: logs of a system that may decline, the threshold for a risk, and confidence against scores."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from numbers import Real
from typing import Annotated, Any, Unpack

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, counted, listed, noted, option, shown, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Choice, Several, Whole, checked, flag, number, one_of
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.answers import seeming_abstentions, seems_none, squad, stands_for_none, token_f1
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.arrow import is_missing, one_id, values_of
from ir_trunc._read.reading import Columns, takes
from ir_trunc._read.registry import shape_of
from ir_trunc._read.tables import OF_LOGS, column_name, column_names, columns_by_name, matching, usual
from ir_trunc._read.text import json_items
from ir_trunc._scoring.evaluator import Evaluator, Options, calc
from ir_trunc._scoring.objects import MeasureLike, parse_measures
from ir_trunc._scoring.results import Results, as_table
from ir_trunc.measures.answering import PENAS, answers, first_scores
from ir_trunc.measures.confidence import RankedAnswers
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel
from ir_trunc.measures.parts import over
from ir_trunc.truncation._fitting import one_measure

__all__ = ["abstention_curve", "nauc", "risk_coverage"]

CHEN = "Chen, Zhang, Guo, Fan & Cheng 2024, https://aclanthology.org/2024.findings-emnlp.133"
WEI = "SimpleQA: Wei et al. 2024, https://arxiv.org/abs/2411.04368"
_NEEDED = "id, answer, confidence and correct"
_RIGHT, _WRONG = "correct", "wrong"
_SLACK = 1e-12
_JUDGES: dict[str, Callable[[str, str], float]] = {
    "em": lambda answer, reference: float(answer == reference),
    "f1": lambda answer, reference: token_f1(Counter(answer.split()), Counter(reference.split())),
}
Judge = Callable[[str, list[str]], float]


@dataclass(frozen=True, eq=False, repr=False)
class AnswerLog:
    """Answers of a system as qrels and run; `read_log` makes it.

    Attributes
    ----------
    run : dict
        For each question {'correct': confidence}, {'wrong': confidence}, or {} where it is unanswered.
    answerable : dict
        For each question True or False, or None where it is not known whether it has an answer.
    groups : dict
        The group of each question, if there are groups.
    has_confidence : bool
        Whether the answers have a confidence; else their scores are 1.
    source : str
        The name of the log in messages.
    candidates : dict, optional
        For unanswered questions whose candidate is in the log, whether it is right.
    """

    run: dict[str, dict[str, float]]
    answerable: dict[str, bool | None]
    groups: dict[str, str]
    has_confidence: bool
    source: str
    candidates: dict[str, bool] | None = None

    def __repr__(self) -> str:
        counts = self.counts
        numbers = ", ".join(f"{number} {name}" for name, number in counts.items())
        return f"{counted(sum(counts.values()), 'question')}: {numbers}"

    @property
    def graded(self) -> dict[str, float]:
        """1 for each question that is answered right, or left open where it has no answer; 0 for others."""
        scores = {name: float(has is False) for name, has in self.answerable.items()}
        return scores | {name: float(_RIGHT in answer) for name, answer in self.run.items() if answer}

    @property
    def counts(self) -> dict[str, int]:
        """How many questions are answered correctly, wrongly and not at all."""
        answers = [*self.run.values()]
        right, unanswered = sum(_RIGHT in answer for answer in answers), answers.count({})
        return {_RIGHT: right, _WRONG: len(answers) - right - unanswered, "unanswered": unanswered}

    def with_answerable(self, other: AnswerLog) -> AnswerLog:
        """The log, knowing what has an answer where another log of the same questions says it."""
        known, both = dict[str, bool | None](), f"{self.source} and {other.source}"
        if differing := self.run.keys() ^ other.run.keys():
            raise InputError(f"question {min(differing)} is in only one of {both}: both need it.")
        for name, has in self.answerable.items():
            of_other = other.answerable[name]
            if None not in (has, of_other) and has != of_other:
                raise InputError(f"question {name}: {both} differ in whether it has an answer.")
            known[name] = of_other if has is None else has
        return replace(self, answerable=known)

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The qrels; InputError where it is not known which questions have an answer."""
        if None in self.answerable.values():
            raise self._unknown("qrels depend")
        return self._qrels(nil=False)

    def _qrels(self, nil: bool) -> dict[str, dict[str, int]]:
        """The qrels if all unknown questions are nil queries, or none is."""
        known = {name: not nil if has is None else has for name, has in self.answerable.items()}
        return {name: {_RIGHT: 1, _WRONG: 0} if has else {_WRONG: 0} for name, has in known.items()}

    def calc(self, measures: MeasureLike) -> Results:
        """Scores, as `ir_trunc.calc` returns them.

        Where the log does not say of every question whether it has an answer, a measure is scored only if
        this makes no difference: if no score changes between all of these questions having an answer and
        none. For c@1 it makes none; a measure that rewards silence on questions without an answer is refused.

        Parameters
        ----------
        measures : MeasureLike

        Returns
        -------
        Results

        Raises
        ------
        InputError
            Where a measure depends on a column that the log does not have: answerable or confidence.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": 1, "answer": "a", "correct": 1}, {"id": 2, "answer": None}]
        >>> ir_trunc.read_log(items).calc("c@1").aggregated
        {c@1: 0.75}
        """
        evaluator = Evaluator(measures, self._qrels(nil=False))
        for bound in evaluator.bound:
            if "confidence" in bound.reads:
                self._need_confidence(bound.definition.name)
        results = evaluator.calc(self.run)
        if None in self.answerable.values():
            with noted(issued=False):
                others = calc(measures, self._qrels(nil=True), self.run)
            # A score by topic says it, where differences cancel out in the mean; a score of the run may not.
            same = np.isclose(results.values, others.values, rtol=0, atol=_SLACK, equal_nan=True)
            if names := [str(name) for name, row in zip(results.measures, same.tolist()) if not all(row)]:
                raise self._unknown(f"{', '.join(names)} depend{'s' if len(names) == 1 else ''}")
        return results

    def _need_confidence(self, what: str) -> None:
        if not self.has_confidence:
            raise InputError(f"{self.source}: {what} needs the column confidence, a number for each answer.")

    def _unknown(self, what: str) -> InputError:
        names = [name for name, has in self.answerable.items() if has is None]
        return InputError(
            f"{self.source}: {what} on which questions have an answer, and the log does not say it of"
            f" {counted(len(names), 'question')} (for example question {names[0]}). The column answerable"
            f" (true or false), or references, would tell; {option('all_answerable', True)} assumes that all"
            " have one."
        )

    def by_group(self, measures: MeasureLike) -> pd.DataFrame:
        """Scores of the questions of each group.

        Parameters
        ----------
        measures : MeasureLike

        Returns
        -------
        pandas.DataFrame
            A row for each group: group, questions (their number), and a column for each measure.

        Raises
        ------
        InputError
            Where the log has no column group, and as for `calc`.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": n, "answer": "a", "correct": n == 1, "group": "xy"[n == 2]} for n in (1, 2, 3)]
        >>> ir_trunc.read_log(items).by_group("c@1")
        group  questions  c@1
            x          2  0.5
            y          1  0.0
        """
        if not self.groups:
            raise InputError(f"{self.source} has no column group.")
        rows = []
        for group in dict.fromkeys(self.groups.values()):
            names = [name for name in self.run if self.groups[name] == group]
            run = {name: self.run[name] for name in names}
            known = {name: self.answerable[name] for name in names}
            part = replace(self, run=run, answerable=known, source=f"{self.source}, group {group}")
            scores = {str(name): float(mean) for name, mean in part.calc(measures).aggregated.items()}
            rows.append({"group": group, "questions": len(names), **scores})
        return as_table(rows)

    def risk_coverage(self) -> pd.DataFrame:
        """The share of wrong answers if only the most confident ones are given.

        Returns
        -------
        pandas.DataFrame
            The table of `answers.risk_coverage`. Coverage is a share of the answers: questions that are
            unanswered do not count.

        Raises
        ------
        InputError
            Where no answer has a confidence.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": n, "answer": "a", "correct": n < 3, "confidence": 1 / n} for n in (1, 2, 4)]
        >>> ir_trunc.read_log(items).risk_coverage()[["threshold", "answers", "risk"]].round(2)
         threshold  answers  risk
              1.00        1  0.00
              0.50        2  0.00
              0.25        3  0.33
        """
        self._need_confidence("risk by coverage")
        return risk_coverage(self._qrels(nil=False), self.run)

    def validation(self) -> pd.DataFrame:
        """How well the system chose what to answer, by the candidates behind unanswered questions.

        The figures of the Answer Validation Exercise, as Peñas & Rodrigo (2011, section 5) describe them.

        Returns
        -------
        pandas.DataFrame
            One row: accuracy (n_ac / n); rejected, the share of questions whose wrong candidate was held
            back; estimated = accuracy + rejected x accuracy, as if those were answered as well as the others;
            attainable, the accuracy if all right candidates had been given; precision, recall and F of the
            answers given among the right ones. With a confidence also its correlation with being right
            (pearson), and the probability that a right answer has a higher one than a wrong answer, ties
            counted half (auroc); both are NaN where all answers are right or all are wrong.

        Raises
        ------
        InputError
            Where an unanswered question has no candidate in the log.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": 1, "answer": "a", "correct": 1}, {"id": 2, "candidate": "b", "correct": 0}]
        >>> ir_trunc.read_log(items).validation()[["accuracy", "rejected", "estimated"]]
         accuracy  rejected  estimated
              0.5       0.5       0.75
        """
        candidates, n = self.candidates or {}, len(self.run)
        if missing := [name for name, answer in self.run.items() if not answer and name not in candidates]:
            raise InputError(f"{self.source}: question {missing[0]} is unanswered and has no candidate.")
        right, wrong = (self.counts[name] for name in (_RIGHT, _WRONG))
        held_back = sum(candidates.values())
        accuracy, rejected = right / n, (len(candidates) - held_back) / n
        figures = {"accuracy": accuracy, "rejected": rejected, "estimated": accuracy * (1 + rejected)}
        figures["attainable"] = (right + held_back) / n
        given, wanted = right + wrong, right + held_back
        figures |= {"precision": right / max(1, given), "recall": right / max(1, wanted)}
        figures["F"] = 2 * right / max(1, given + wanted)
        if self.has_confidence:
            from scipy import stats

            pairs = [(sure, of == _RIGHT) for answer in self.run.values() for of, sure in answer.items()]
            sure, is_right = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
            varied = np.ptp(sure) > 0 and np.ptp(is_right) > 0 if len(sure) else False
            figures["pearson"] = float(stats.pearsonr(sure, is_right).statistic) if varied else np.nan
            above = np.sign(np.subtract.outer(sure[is_right > 0], sure[is_right == 0]))
            figures["auroc"] = float((1 + above.mean()) / 2) if above.size else np.nan
        return as_table([figures])

    def figures(self) -> pd.DataFrame:
        """What evaluators of abstention count, of all answers together.

        Of K answers that were given and D questions that were left open, A are right, or would have been, and
        U not. An open question is A or U by its candidate, or by whether it has an answer.

        Returns
        -------
        pandas.DataFrame
            score and source of c@1 and UF; coverage K / n, risk UK / K, carefulness UD / U and alignment
            (AK + UD) / n; correct given attempted AK / K, 0 where K is 0, and F, its harmonic mean with
            AK / n. NaN where there is nothing to count, or the log does not say it of an open question.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": n, "answer": "a", "correct": n < 3} for n in (1, 2, 3)]
        >>> log = ir_trunc.read_log([*items, {"id": 4, "answer": None, "answerable": False}])
        >>> log.figures()["score"].round(2).to_dict()["alignment"]
        0.75
        """
        right, wrong, n = self.counts[_RIGHT], self.counts[_WRONG], len(self.run)
        may_be = {**self.answerable, **(self.candidates or {})}
        held_back = [may_be[name] for name, answer in self.run.items() if not answer]
        rightly = math.nan if None in held_back else held_back.count(False)
        attempted = right / max(1, right + wrong)
        means = {str(name): (mean, PENAS) for name, mean in self.calc("c@1 UF").aggregated.items()}
        rows = means | {
            "coverage": ((right + wrong) / n, CHEN),
            "risk": (1 - attempted if right + wrong else math.nan, CHEN),
            "carefulness": (rightly / (wrong + rightly) if wrong + rightly else math.nan, CHEN),
            "alignment": ((right + rightly) / n, CHEN),
            "correct given attempted": (attempted, WEI),
            "F": (2 * attempted * right / n / (attempted + right / n) if right else 0.0, WEI),
        }
        scores, sources = zip(*rows.values())
        return as_table({"score": scores, "source": sources}, [*rows])

    def threshold(self, risk: float, delta: float | None = None) -> float:
        """The lowest confidence from which on answers are wrong at most this often.

        Parameters
        ----------
        risk : float
            Highest share of wrong answers, from 0 to 1.
        delta : float, optional
            The probability with which the threshold may break its promise: that of other questions, drawn
            as those of the log were, at most this share is answered wrongly. Thresholds are tested from
            several starts down, those that give all answers, half of them, a quarter and so on, each by the
            binomial distribution at delta by the number of starts, until one is not shown to keep the risk
            (Learn-then-Test, https://arxiv.org/abs/2110.01052). Without it, the risk is the observed one on
            this log: on other questions it is exceeded half of the time or more, and always where wrong
            answers are as confident as others.

        Returns
        -------
        float
            Answers with at least this confidence are given.

        Raises
        ------
        InputError
            Where no threshold has such a risk, or is shown to have it, or no answer has a confidence.

        Examples
        --------
        >>> import ir_trunc
        >>> items = [{"id": n, "answer": "a", "correct": n < 3, "confidence": 1 / n} for n in (1, 2, 4)]
        >>> ir_trunc.read_log(items).threshold(risk=0.1)
        0.5
        """
        highest, table = number("risk", risk, 0, 1, inside=delta is not None), self.risk_coverage()
        if delta is not None:
            return self._promised(table, highest, number("delta", delta, 0, 1, inside=True))
        reaching = table[table["risk"] <= highest + _SLACK]
        if not len(reaching):
            lowest = table.iloc[int(table["risk"].argmin())]
            raise InputError(
                f"{self.source}: no threshold has a risk of at most {highest:g}; the lowest risk is"
                f" {lowest['risk']:.4g}, at the threshold {lowest['threshold']:g}."
            )
        return float(reaching["threshold"].iloc[-1])

    def _promised(self, table: pd.DataFrame, risk: float, delta: float) -> float:
        """The lowest threshold of the sequences, each of which goes on while its thresholds are shown.

        They begin at the thresholds that give n answers, n / 2, n / 4 and so on. There are as many as leave
        the last one enough answers to be shown without an error at its level, which is delta divided by the
        number of sequences. This number depends on n, the risk and delta alone.
        """
        from scipy.special import bdtr

        answers, best, sequences = table["answers"].to_numpy(), -1, 1
        n = int(answers[-1])
        while n / 2**sequences * math.log1p(-risk) <= math.log(delta / (sequences + 1)):
            sequences += 1
        wrong = (table["risk"] * answers).round()
        is_shown = np.append(bdtr(wrong, answers, risk) <= delta / sequences, False)
        for place in range(sequences):
            first = int(np.searchsorted(answers, n / 2**place))
            best = max(best, first + int(is_shown[first:].argmin()) - 1) if is_shown[first] else best
        if best < 0:
            fewest = math.ceil(math.log(delta) / math.log1p(-risk) - _SLACK)  # answers, all of them right
            raise InputError(
                f"{self.source}: no threshold is shown to have a risk of at most {risk:g} with"
                f" delta={delta:g}; that takes {fewest} answers without an error, more with errors. Log more"
                " answers, or allow a higher risk or delta."
            )
        return float(table["threshold"].iloc[best])


def read_log(
    log: Any,
    judge: str | Judge | None = None,
    *,
    correct_from: float | None = None,
    all_answerable: bool = False,
    abstains: str | Iterable[str] | re.Pattern[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> AnswerLog:
    """Qrels and run of a log of answers.

    Parameters
    ----------
    log : path, frame, dict or list of dicts
        Questions with these fields. A path is of JSON lines or JSON, plain or gzipped; a dict is
        `{id: {field: value}}`.

        id : text or whole number, once in the log (also query_id, qid, query-id, topic_id, question_id, _id)
        answer : text; null or blank text is an unanswered question (also prediction)
        correct : true, false, or a number from 0 to 1; not needed where the question is unanswered
        confidence : number, optional
        references : right answer or list of right answers, for `judge`; an empty one means that the question
        has no answer (also reference)
        answerable : whether the question has an answer, optional
        group : text or whole number, optional
        candidate : what an unanswered question would have been answered with, optional; correct or the
        references then say whether it is right, see `validation`

    judge : {'em', 'f1'} or function, optional
        How correct an answer is by its references: exact match or token F1, the highest over the references,
        both with SQuAD's normalisation, see `read_answers`; or `judge(answer, references)` that returns a
        number from 0 to 1. By default the column correct says it.
    correct_from : float, optional
        Lowest value of correct that counts as right, above 0 and at most 1. By default 1, with a warning
        where values lie between 0 and 1.
    all_answerable : bool
        Whether questions have an answer of which the log does not say it.
    abstains : str, iterable of str or compiled pattern, optional
        Answers and references that stand for no answer, see `read_answers`.
    columns : dict, optional
        The columns of fields, `{'correct': 'score'}`.

    Returns
    -------
    AnswerLog
        With `qrels` and `run` for other functions, and the methods `calc`, `by_group`, `risk_coverage`,
        `threshold` and `validation`.

    Raises
    ------
    InputError
        Where the log cannot be read, a question is in it twice, or its fields contradict each other.
    ParameterError
        Where an argument is not allowed.

    Examples
    --------
    >>> from ir_trunc import read_log
    >>> log = read_log(
    ...     [
    ...         {"id": "q1", "answer": "Paris", "confidence": 0.9, "correct": True},
    ...         {"id": "q2", "answer": "1789", "confidence": 0.4, "correct": False},
    ...         {"id": "q3", "answer": None},
    ...     ]
    ... )
    >>> log
    3 questions: 1 correct, 1 wrong, 1 unanswered
    >>> log.calc("c@1 AURC").aggregated
    {c@1: 0.4444444444444444, AURC: 0.25}
    >>> decisions = {"a": {"answer": "yes", "references": "yes"}, "b": {"answer": "no", "references": "yes"}}
    >>> read_log(decisions, "em")
    2 questions: 1 correct, 1 wrong, 0 unanswered
    """
    source = f"log {os.fspath(log)}" if shape_of(log) == "path" else "log"
    least = number("correct_from", 1.0 if correct_from is None else correct_from, 0, 1)
    if not least:
        raise ParameterError("correct_from=0 makes every answer right: a number above 0 is needed.")
    judged, is_none = _judge(judge), stands_for_none(abstains)
    assumed = True if flag("all_answerable", all_answerable) else None
    seeming, unknown = list[str](), dict[str, str]()
    run: dict[str, dict[str, float]] = {}
    answerable: dict[str, bool | None] = {}
    groups: dict[str, str] = {}
    candidates: dict[str, bool] = {}
    sure = graded = 0
    table, names = _columns(log, source, Columns.of(columns, OF_LOGS))
    for values in zip(*table.values()):
        item = {field: value for field, value in zip(table, values) if not is_missing(value)}
        name = item["id"]
        where, said = f"{source}, question {name}", str(item.get("answer", ""))
        item = _as_compared(item, where, is_none, isinstance(judge, str))
        if "candidate" in item and not item["answer"]:
            value, _ = _assessed(item | {"answer": item["candidate"]}, judged, least, where)
            candidates[name] = bool(item["candidate"]) and value >= least
            item.pop("correct", None)
        if item["answer"] and not (judge or item.keys() & {"correct", "references"}) and seems_none(said):
            unknown[name] = said
            continue
        if item["answer"] and not (judge or table.keys() & {"correct", "references"}):
            columns_of_log = f"no column says whether it is correct; the log has: {listed(names)}"
            hint = option("columns", {"correct": "..."})
            raise InputError(f"{where}: {columns_of_log}. {hint} names it.")
        value, has_answer = _assessed(item, judged, least, where)
        answerable[name], run[name] = assumed if has_answer is None else has_answer, {}
        if item["answer"]:
            graded += 0 < value < 1
            if is_none is None and value < least and seems_none(said):
                seeming.append(said)
            sure += "confidence" in item
            confidence = _number("confidence", item.get("confidence", 1.0), where)
            run[name] = {_RIGHT if value >= least else _WRONG: confidence}
        if "group" in item:
            groups[name] = one_id(item["group"], "group", where)
    if unknown:
        texts = [*dict.fromkeys(unknown.values())]
        remedy = option("abstains", texts) if len(texts) < 6 else f"{option('abstains')}, texts or a pattern,"
        what = "answer looks like an abstention", "answers look like abstentions"
        place = f"correct is missing (question {min(unknown)}, for example)"
        raise InputError(
            f"{source}: {counted(len(unknown), *what)} and {place}; {remedy} takes them for no answer."
        )
    answered = sum(map(bool, run.values()))
    for field, count, n in (("confidence", sure, answered), ("group", len(groups), len(run))):
        if 0 < count < n:
            raise InputError(f"{source}: {field} is missing for {n - count} of {n}; all need it.")
    if seeming:
        warn(f"{source}: {seeming_abstentions(seeming, '')}.")
    if graded and correct_from is None:
        warn(
            f"{source}: {counted(graded, 'answer')} with a correctness between 0 and 1 count as wrong;"
            f" {option('correct_from', 0.5)}, for example, counts as right what reaches 0.5."
        )
    return AnswerLog(run, answerable, groups, sure > 0, source, candidates=candidates)


def _judge(judge: Any) -> Judge | None:
    """The function that says how correct an answer is by its references."""
    if judge is None or (callable(judge) and not isinstance(judge, type)):
        return judge
    compare = _JUDGES[one_of("judge", judge, _JUDGES)]
    return lambda answer, references: max(compare(answer, reference) for reference in references)


def _columns(data: Any, source: str, named: Columns) -> tuple[dict[str, list[Any]], list[Any]]:
    """The values of each field, a value for each question: ids as text, and None where one is missing.

    Beside them the names of all columns.
    """
    read = {*named.values(), *chain.from_iterable(map(usual, OF_LOGS))}
    columns, count = dict[Any, list[Any]](), 0  # of columns that are not read, the names alone
    if shape_of(data) == "frame":
        table = columns_by_name(data, source)
        names = column_names(table)
        once = {name for name in read if names.count(name) == 1}
        columns = {name: values_of(table[name]) if name in once else [] for name in names}
        count = len(next(iter(table.values()), ())) if isinstance(table, Mapping) else len(table)
    else:
        for count, item in enumerate(_items(data, source), 1):
            if not isinstance(item, Mapping):
                raise InputError(f"{source}, item {count}: {shown(item)}: a dict with {_NEEDED} is needed.")
            for name in item:
                if name not in columns:
                    columns[name] = [None] * (count - 1) if name in read else []
            for name, column in columns.items():
                if name in read:
                    column.append(item.get(name))
        names = [*columns]
    if not count:
        raise InputError(f"{source}: there is no question; at least one is needed.")
    named.check(names, OF_LOGS, source)
    fields = [f for f in OF_LOGS if f in ("id", "answer") or matching(names, f, named)]
    values = {field: columns[column_name(names, field, source, named)] for field in fields}
    values["id"] = [one_id(name, "id", f"{source}, item {n}") for n, name in enumerate(values["id"], 1)]
    ((name, times),) = Counter(values["id"]).most_common(1)
    if times > 1:
        raise InputError(f"{source}, question {name} is there twice; each question needs an id of its own.")
    return values, names


def _items(data: Any, source: str) -> Iterable[Any]:
    """What should be a dict for each question, from any form but frames; one dict may hold all by id."""
    shape = shape_of(data)
    if shape == "path":
        if os.fspath(data).removesuffix(".gz").endswith((".csv", ".tsv", ".parquet")):
            raise InputError(f"{source}: a path is of JSON or JSON lines; a table is given as a frame.")
        items = json_items(data, source)
        first = list(islice(items, 2))  # a file may be one object
        data = first[0] if len(first) == 1 and isinstance(first[0], Mapping) else chain(first, items)
    elif shape not in ("mapping", "list"):
        forms = "a path of JSON or JSON lines, a frame, a list of dicts or a dict by id"
        raise InputError(f"{source} of type {type(data).__name__}: {forms}, with {_NEEDED}, is needed.")
    if isinstance(data, Mapping) and all(isinstance(value, Mapping) for value in data.values()):
        return [{"id": name, **item} for name, item in data.items()]
    return [data] if isinstance(data, Mapping) else data


def _number(field: str, value: Any, where: str, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number between two bounds; in a correctness, True is 1 and False is 0."""
    try:
        return number(
            field, float(value) if high == 1 and isinstance(value, (bool, np.bool_)) else value, low, high
        )
    except ParameterError as error:
        raise InputError(f"{where}: {error}") from None


def _as_compared(
    item: dict[str, Any], where: str, is_none: Callable[[str], object] | None, by_squad: bool
) -> dict[str, Any]:
    """The item with its answers and a list of its references, as they are compared; empty if none."""

    def compared(text: str) -> str:
        text = "" if is_none is not None and is_none(text) else text.strip()
        return squad(text) if by_squad else text

    item = {"answer": ""} | item
    for field, value in item.items():
        if field in ("answer", "candidate"):
            if not isinstance(value, (str, Real)) or isinstance(value, (bool, np.bool_)):
                needed = "a text is needed, or null where it is unanswered"
                raise InputError(f"{where}: {field} {shown(value)}: {needed}.")
            item[field] = compared(str(value))
        elif field == "references":
            texts = [value] if isinstance(value, str) else value
            if not isinstance(texts, (list, tuple, np.ndarray)) or any(not isinstance(t, str) for t in texts):
                raise InputError(f"{where}: references {shown(value)}: a text or a list of texts is needed.")
            item[field] = [*filter(None, map(compared, texts))]
    return item


def _assessed(
    item: Mapping[str, Any], judge: Judge | None, least: float, where: str
) -> tuple[float, bool | None]:
    """How correct an answer is, and whether the question has one; InputError if these contradict."""
    answer, references = item["answer"], item.get("references")
    has_answer = None if references is None else bool(references)
    if "answerable" in item:
        answerable = item["answerable"]  # which may be 1 or 0
        if not isinstance(answerable, (np.bool_, Real)) or answerable not in (0, 1):
            raise InputError(f"{where}: answerable {shown(answerable)}: true or false is needed.")
        if has_answer not in (None, answerable):
            raise InputError(f"{where}: answerable is {bool(answerable)} and references {shown(references)}.")
        has_answer = bool(answerable)
    if judge is not None and answer and references is None:
        raise InputError(f"{where}: the judge needs references: texts, [] where there is no right answer.")
    if judge is None and answer and "correct" not in item:
        needed = "true, false or a number from 0 to 1 is needed"
        if references:
            needed += f"; {option('judge', 'em', 'f1')} compares the answer with the references"
        raise InputError(f"{where}: correct is missing: {needed}.")
    value = 0.0
    if judge is None:
        value = _number("correct", item.get("correct", 0.0), where, 0, 1)
    elif answer and references:
        value = _number("judge", judge(answer, references), where, 0, 1)
    if value > 0 and not answer and has_answer is not False:
        remedy = "is silence right there? answerable: false says so"
        raise InputError(f"{where} is unanswered and correct: {remedy}.")
    if not answer or value < least:
        return value, has_answer
    if has_answer is False:
        raise InputError(f"{where} is answered correctly and has no answer: one of the two is wrong.")
    return value, True


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
            for step, mean in enumerate(_means_without_lowest(by_topic, scores, steps).tolist()):
                row = {"measure": str(measure), "confidence": name, "rate": step / steps, "score": mean}
                rows.append(row)
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
