"""Graded answers in the place of judgments: how good the answer was with the first k passages of a list."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ir_trunc._core.arrays import LARGEST, first_true
from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import InputError, ParameterError, counted, listed, option, shown, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import number, several
from ir_trunc._core.rankings import Ints, Judgments, Rankings, canonical_order, distinct, offsets_of
from ir_trunc._output.tables import table_text
from ir_trunc._ranking.qrels import CodedRows, Qrels
from ir_trunc._ranking.ranked_rows import Notes
from ir_trunc._read.arrow import flat, number_in, strings
from ir_trunc._read.reading import DEPTHS, Reading
from ir_trunc._read.registry import read_rows
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import FIELDS_OF_DEPTHS, header, usual
from ir_trunc._read.text import beginning, json_items

_SAME = 1e-12  # of scores that have to be equal


@dataclass(frozen=True, eq=False, repr=False)
class GradedAnswers(Qrels):
    """Scores of answers by question and depth; `read_depths` makes it.

    It is taken where qrels are. The scores are those of the measure `AnswerScore`.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each query_id and k in this order: score, the mean of those of repeats; right, the share of
        these that are right; where known, cost, their mean, and spread, the standard deviation of scores.
    range : tuple of two floats
        The lowest and the highest possible score.
    """

    of_answers = True

    table: Any = None
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def measure(self) -> str:
        """The measure of these scores, as text."""
        low, high = self.range
        return "AnswerScore" if self.range == (0, 1) else f"AnswerScore(low={low!r},high={high!r})"

    @property
    def depths(self) -> list[int]:
        """The depths that were tried for some question, ascending."""
        return sorted({*self.table["k"].tolist()})

    @property
    def tried(self) -> str:
        """These depths as text."""
        depths = self.depths
        in_a_row = len(depths) > 2 and depths[-1] - depths[0] == len(depths) - 1
        return f"{depths[0]} to {depths[-1]}" if in_a_row else listed(depths)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each k: questions, their number, and means of score, right, cost and spread."""
        by_depth = self.table.drop(columns="query_id").groupby("k")
        means: pd.DataFrame = by_depth.mean()
        means.insert(0, "questions", by_depth.size())
        return means

    def __repr__(self) -> str:
        return f"{counted(len(self.judgments.topics), 'question')}\n{table_text(self.to_pandas(), 3)}"

    def changed(self, topics: Any = (), nil: Any = None) -> Qrels:
        """An error: questions and NIL are for judgments of documents."""
        named = option("topics") if topics else option("nil")
        raise ParameterError(f"{named} has no effect on graded answers: leave it out.")

    def to_dict(self) -> Any:
        """An error: there are no judgments of documents."""
        raise ParameterError(f"{self.given.source}: graded answers are no judgments of documents.")

    def completed(self, rankings: Rankings, notes: Notes, source: str) -> Rankings:
        """The lists with the curves of their answers; the lists have to be those of these questions."""
        if notes.ignored:
            what = f"{counted(notes.ignored, 'question')} of the run ({notes.first_ignored} for example)"
            raise InputError(f"{source}: {what} without a score in {self.given.source}; leave these out.")
        depth, score = (self.table[name].to_numpy() for name in ("k", "score"))
        lengths, absent, offsets = rankings.lengths, rankings.missing, offsets_of(rankings.lengths + 1)
        sizes = self.table.groupby("query_id", sort=False, observed=True).size()
        row = np.repeat(np.arange(len(lengths)), sizes)
        at, latest = offsets[row] + np.minimum(depth, lengths[row]), np.full(offsets[-1], -1)
        latest[at] = np.arange(len(row))
        is_between = bool((latest < 0).any())
        rules = ["another cut means the next lower of these"] if is_between else []
        if short := len({*row[depth > lengths[row]].tolist()}):
            rules += [f"a k above the length of its list ({counted(short, 'list')}) means the whole list"]
        if rules:
            warn(f"{source}: answers were graded with {self.tried} passages; {', and '.join(rules)}.")
        differs = np.abs(score[latest[at]] - score) > _SAME
        if absent is not None:  # which are refused where they are not left out
            latest[offsets[:-1][absent]] = -1
            differs &= ~absent[row]
        for one in first_true(differs):
            both = f"k = {depth[one]} and {depth[latest[at[one]]]} both mean its whole list"
            both += f" of {counted(lengths[row[one]], 'document')}, and have other scores"
            raise InputError(f"{source}, question {rankings.topics[row[one]]}: {both}.")
        of_point, latest = np.repeat(np.arange(len(lengths)), lengths + 1), np.maximum.accumulate(latest)
        known = (latest >= 0) & (row[latest] == of_point)
        curves = {}
        for name in self.table.columns.intersection(("score", "right", "cost")):
            values = np.where(known, self.table[name].to_numpy(np.float64)[latest], np.nan)
            curves[name] = Curve(rankings.topics, offsets, values)
        return rankings.with_fields(answers=curves, depths=tuple(self.depths) if is_between else None)


def read_depths(
    data: Any,
    *,
    range: tuple[float, float] = (0, 1),
    right: float | None = None,
    columns: Mapping[str, Any] | None = None,
) -> GradedAnswers:
    """Graded answers in the place of qrels: how good each was with the first k passages of a list.

    A cut means the largest k of the question that is at most the cut, and a cut below its lowest k is
    refused: k = 0 is the answer without passages, or silence. Values of k beyond the length of a list mean
    the whole list, and need the same score. Nothing is interpolated. The measure is called `AnswerScore`.

    Parameters
    ----------
    data : path, frame, list, dict
        CSV, JSON or JSON lines, Parquet; a frame; records; `{question: {k: score}}`; or logs of the same
        questions by k, `{0: read_log(...), 3: read_log(...)}`. Tables have a row for each question and k,
        with the columns

        query_id : the question (also qid, topic_id, question_id)
        k : the number of passages (also depth, n, passages)
        score : a number, or True and False for 1 and 0 (also correct, f1, grade)
        cost : optional, of the answer, such as its tokens, its price or its latency
        repeat : optional, which of several answers this is: their scores and costs are averaged

    range : tuple of two floats
        The lowest and the highest possible score.
    right : float, optional
        The score from which an answer counts as right, by default the highest possible one: for `keep=` of
        `how_many`, and the risk 'wrong' of `RiskControlled`.
    columns : dict, optional
        What the columns are called: `{"score": "em", "depth": "top_k", "cost": "latency"}`.

    Returns
    -------
    GradedAnswers
        It prints as a table with a row for each k; every function that takes qrels takes it.

    Raises
    ------
    InputError
        Where the data cannot be read, a score is no number or out of range, a question has a k twice, or all
        answers were graded at a single k.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.read_depths({"q1": {0: 0, 1: 1, 3: 1}, "q2": {0: 0, 1: 1, 3: 0}})
    2 questions
       questions  score  right
    k
    0          2  0.000  0.000
    1          2  1.000  1.000
    3          2  0.500  0.500
    """
    ends = [number("range", end) for end in several("range", range, "the lowest and the highest score")]
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise ParameterError(f"range={shown(range)}: the lowest and the highest score are needed.")
    low, high = ends
    least = number("right", high if right is None else right, low, high)
    logs = data.items() if isinstance(data, Mapping) else ()
    if logs and all(hasattr(log, "graded") for _, log in logs):
        data = [{"query_id": q, "k": k, "score": score} for k, log in logs for q, score in log.graded.items()]
    rows = read_rows(data, replace(DEPTHS, reading=Reading(columns=columns)))
    for outside in first_true((rows.values < low) | (rows.values > high)):
        needed = f"a score from {low:g} to {high:g} is needed, or read_depths(range=...)"
        raise _error(rows, outside, f"score {rows.values[outside]:g}; {needed}")
    names = rows.named_topics()
    order = [names[place] for place in canonical_order(names)]
    columns_of = {
        "query_id": pd.Categorical(rows.topics.to_pylist(), order),
        "k": _depths(rows),
        "score": rows.values,
        "right": (rows.values >= least - _SAME).astype(float),
        "cost": rows.costs,
    }
    table = pd.DataFrame({name: values for name, values in columns_of.items() if values is not None})
    keys, repeats = ["query_id", "k"], rows.classes
    each = table[keys].assign(repeat=repeats and repeats.to_pylist())
    for again in first_true(each.duplicated()):
        hint = "" if repeats else "; a column repeat tells several answers apart"
        raise _error(rows, again, f"it is there twice{hint}")
    if len(distinct(table["k"].to_numpy())) < 2:
        at = f"all answers were graded at k = {table['k'][0]}" if len(table) else "no answer was graded"
        raise InputError(f"{rows.source}: {at}: two depths are needed.")
    by_depth = table.groupby(keys, observed=True)
    means = by_depth.mean()
    if repeats:
        means["spread"] = by_depth["score"].std()
    none = Rows.of(rows.source, strings([]), strings([]), np.zeros(0, np.int64))
    graded = GradedAnswers.of(CodedRows.of(none), order)
    # A relevant document each, so that no question is a nil query.
    judgments = Judgments.from_rows(order, np.arange(len(order)), np.ones(len(order), np.int64))
    return replace(graded, judgments=judgments, table=means.reset_index(), range=(low, high))


def qrels_in(path: Any) -> Any:
    """The graded answers of a file with a header or with records of them; the path of any other file."""
    if not isinstance(path, str) or not os.path.isfile(path):
        return path
    start = beginning(path)
    names: Any = header(start)[0]
    if start[:1] in (b"{", b"["):
        names = next(iter(json_items(path, path)), None)
    fields = {FIELDS_OF_DEPTHS.get(name) for name in names} if isinstance(names, (list, dict)) else ()
    is_table = {"query_id", "depth", "score"} <= {*fields} and not {*usual("doc_id")} & {*names}
    return read_depths(path) if is_table else path


def _error(rows: Rows, row: Any, problem: str) -> InputError:
    """An error about one answer."""
    return InputError(f"{rows.source}, question {rows.topics[row]}, k = {rows.docs[row]}: {problem}.")


def _depths(rows: Rows) -> Ints:
    """The numbers of passages; InputError where one is no whole number from 0 on."""
    docs = rows.docs.dictionary_encode()
    values = [number_in(text) for text in docs.dictionary.to_pylist()]
    wrong = [value is None or not 0 <= value < LARGEST or value % 1 > 0 for value in values]
    codes: Ints = flat(docs.indices)
    for row in first_true(np.array(wrong, bool)[codes]):
        raise _error(rows, row, "a whole number of passages, from 0 on, is needed")
    depths: Ints = np.array(values, np.int64)[codes]
    return depths
