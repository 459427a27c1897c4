"""Runs with terminal documents or with the effort of reading each document, and qrels to match.

They are ordinary runs, which other tools can score: the reciprocal rank of a run with its terminal documents
is `RRT`. Their columns hold all that the measures of ir_trunc compute with. The caller's data do not change.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Choice, Whole, checked
from ir_trunc._core.rankings import Bools, Ints
from ir_trunc._output.files import Target, check_outputs, qrels_lines, write_text
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import Convention, NilRule, RankedRows, Run
from ir_trunc._ranking.runs import RunLike, join_run, read_run
from ir_trunc._read.arrow import strings
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._read.rows import PLACEHOLDER, TERMINAL, Rows
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Effort, MaxRel, OnlyRel, SignedScale
from ir_trunc.measures.parts import Gains, binary, graded, scaled
from ir_trunc.measures.terminal import Terminal, perfect_end, share_at_end

Gain = Annotated[
    Literal["linear", "exp", "raw"],
    Choice("gains without rel: x / max_rel, (2^x - 1) / 2^max_rel, or the grade itself"),
]
Depth = Annotated[int | None, Whole("depth that the evaluation imposes, as @k")]


@dataclass(frozen=True, eq=False, repr=False)
class Wrapped:
    """A run with further documents or columns, and qrels to match: exactly what is scored.

    The formula of a measure, applied to these columns alone, gives its score. Answers are written in their
    normalised form. An answer that repeats an answer, or another one of its class, is marked,
    `__again__3__paris` at rank 3, and so is not judged; the qrels keep one answer of each class, the one that
    counts in the run, else the best. NIL is judged if the convention makes it right, and marked otherwise.

    Attributes
    ----------
    run : Run
        Its `to_pandas()` has query_id, doc_id, score, rank and gain; effort and utility if `with_effort` made
        it.
    qrels : pandas.DataFrame
        query_id, doc_id, relevance, gain. ir-measures takes both as they are.
    """

    run: Run
    qrels: pd.DataFrame
    _inputs: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"Wrapped(run: {counted(len(self.run), 'row')}, qrels: {counted(len(self.qrels), 'row')})"

    def write(self, run: Target | None = None, qrels: Target | None = None) -> None:
        """Write both: as tables with all columns where the name ends in .csv or .csv.gz, else as TREC files.

        Parameters
        ----------
        run, qrels : path
            Where to write them; what has no path is not written.

        Raises
        ------
        InputError
            If a TREC file cannot hold an id, or would hold nothing of what was added, both paths lead to one
            file, or one of them is an input.
        """
        check_outputs([run, qrels], self._inputs)
        if run is not None:
            if not _is_table(run) and "effort" in self.run.further:
                needed = "a TREC run has no columns for effort and utility; let its name end in .csv"
                raise InputError(f"{run}: {needed}.")
            lines = _table_lines(self.run.to_pandas()) if _is_table(run) else self.run.lines("wrapped")
            write_text(run, lines)
        if qrels is not None:
            judged = (self.qrels[name].tolist() for name in ("query_id", "doc_id", "relevance"))
            write_text(qrels, _table_lines(self.qrels) if _is_table(qrels) else qrels_lines(zip(*judged)))


@checked
@takes(HowRead)
def with_terminal(
    qrels: QrelsLike,
    run: RunLike,
    *,
    rel: OnlyRel = None,
    max_rel: MaxRel = None,
    gain: Gain = "linear",
    terminal: Terminal = "least",
    depth: Depth = None,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Wrapped:
    """The run with a terminal document at the end of every list that its system ended.

    Its gain is r_t m: r_t is 1 for a nil query, else the share of the topic's gain that was retrieved, and m
    is what a perfect end is worth, the gain of `__end__` in the qrels. Grades of qrels are whole numbers:
    that of `__end__` is 1, or `rel`, for a nil query, else 0. Its score is the next lower 32-bit float, so
    that it comes last in trec_eval's order too.

    Parameters
    ----------
    qrels, run, nil, **options
        As for `ir_trunc.calc`.
    rel : int, optional
        Lowest grade that counts as relevant, with gain 1; without it gains are graded.
    max_rel : int, optional
        Top of the judgement scale, by default the highest grade in the qrels.
    gain : {'linear', 'exp', 'raw'}
        Gains without `rel`: x / max_rel, (2^x - 1) / 2^max_rel, or the grade itself.
    terminal : {'least', 'full', 'unit'}
        What a perfect end is worth, as for `RBPT`.
    depth : int, optional
        The depth that the evaluation imposes, as `@k`: longer lists are cut there, and a list that fills it
        gets no terminal document.

    Returns
    -------
    Wrapped

    Raises
    ------
    InputError
        If the qrels or the run cannot be read, or the run holds `__end__` documents already.

    Examples
    --------
    >>> import ir_trunc
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"d": 0}}
    >>> run = {"1": {"a": 3, "b": 2}, "2": {"x": 1}}
    >>> ir_trunc.with_terminal(qrels, run).run.to_pandas()[["query_id", "doc_id", "rank", "gain"]]
      query_id   doc_id  rank  gain
    0        1        a     1   1.0
    1        1        b     2   0.0
    2        1  __end__     3   0.5
    3        2        x     1   0.0
    4        2  __end__     2   1.0
    """

    def gains_of(lists: Lists) -> Gains:
        if rel is not None:
            return binary(lists, rel)
        return graded(lists) if gain == "raw" else scaled(lists, gain, max_rel)

    gains, documents, judged, source = _scored(qrels, run, depth, gains_of, nil, reading)
    lists, topics = gains.lists, np.array(gains.lists.judgments.topics, dtype=object)
    perfect = np.ones(len(topics)) * perfect_end(lists, gains, terminal)
    of_end, ended = perfect * share_at_end(lists, gains), np.ones(len(topics), bool) & lists.stopped
    is_nil, (silent, _) = gains.R == 0, lists.silence
    for each in (perfect, of_end, ended, is_nil):
        each[silent] = 1  # silence is as right as NIL
    last, filled = np.zeros(len(topics), dtype=np.float32), lists.n > 0
    lowest = documents.groupby("query_id")["score"].min()
    with np.errstate(over="ignore"):  # scores beyond 32 bits
        last[filled] = np.nextafter(lowest.reindex(topics[filled]).to_numpy(np.float32), np.float32(-np.inf))
    ids = {"query_id": topics, "doc_id": TERMINAL}
    ends = pd.DataFrame({**ids, "score": last.astype(np.float64), "rank": lists.n + 1, "gain": of_end})
    rows = pd.concat([documents, ends[ended]], ignore_index=True)
    places = {topic: place for place, topic in enumerate(topics)}
    rows = rows.iloc[np.lexsort((rows["rank"], rows["query_id"].map(places)))]
    of_ideal = pd.DataFrame({**ids, "relevance": np.where(is_nil, rel or 1, 0), "gain": perfect})
    judged = pd.concat([judged, of_ideal], ignore_index=True)
    return Wrapped(_run(rows, lists.judgments.topics, source), judged, (qrels, run))


@checked
@takes(HowRead)
def with_effort(
    qrels: QrelsLike,
    run: RunLike,
    *,
    e: Effort = 0.05,
    gain: SignedScale = "linear",
    max_rel: MaxRel = None,
    depth: Depth = None,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Wrapped:
    """The run with the effort of reading each document, and its utility: the gain less the effort.

    Parameters
    ----------
    qrels, run, nil, **options
        As for `ir_trunc.calc`.
    e : float
        Effort of reading one document, in units of gain, >= 0. A run's costs take its place.
    gain : {'linear', 'exp', 'signed'}
        Gains, as for `FlatU`.
    max_rel : int, optional
        Top of the judgement scale, by default the highest grade in the qrels.
    depth : int, optional
        The depth that the evaluation imposes, as `@k`: longer lists are cut there.

    Returns
    -------
    Wrapped
        Its run has the columns effort and utility (gain less effort) too.

    Raises
    ------
    InputError
        If the qrels or the run cannot be read.

    Examples
    --------
    >>> import ir_trunc
    >>> wrapped = ir_trunc.with_effort({"1": {"a": 1}}, {"1": {"a": 3, "b": 2}}, e=0.25)
    >>> wrapped.run.to_pandas()[["doc_id", "gain", "effort", "utility"]]
      doc_id  gain  effort  utility
    0      a   1.0    0.25     0.75
    1      b   0.0    0.25    -0.25
    """
    gains, documents, judged, source = _scored(
        qrels, run, depth, lambda lists: scaled(lists, gain, max_rel), nil, reading
    )
    effort = documents.pop("cost") if "cost" in documents else e
    priced = documents.assign(effort=effort, utility=documents["gain"] - effort)
    return Wrapped(_run(priced, gains.lists.judgments.topics, source), judged, (qrels, run))


def _table_lines(table: pd.DataFrame) -> list[str]:
    return table.to_csv(index=False, lineterminator="\n").splitlines()


def _is_table(path: Target) -> bool:
    return os.fsdecode(path).endswith((".csv", ".csv.gz"))


def _run(documents: pd.DataFrame, topics: tuple[str, ...], source: str) -> Run:
    """Scored documents, whose scores fall, as a run."""
    names, docs = (strings(documents[name].tolist()) for name in ("query_id", "doc_id"))
    rows = Rows.of(source, names, docs, documents["score"].to_numpy())
    columns = {name: documents[name].to_numpy() for name in [*documents][4:]}
    return Run.of_rows(replace(rows, universe=topics), **columns)


def _scored(
    qrels: QrelsLike,
    run: RunLike,
    depth: int | None,
    gains_of: Callable[[Lists], Gains],
    nil: Any,
    reading: HowRead,
) -> tuple[Gains, pd.DataFrame, pd.DataFrame, str]:
    """The gains of a run's lists, its scored documents, its qrels, both with gains, and its name."""
    judged, how = read_qrels_of_runs(qrels, nil=nil, reading=reading)
    rows = read_run(run, **how)
    judged = judged.without(rows.reading.withheld)
    rankings, ranked, keys = join_run(judged, rows)
    gains = gains_of(Lists(rankings, depth))
    lists, costs = gains.lists, rankings.costs
    keys = keys[rankings.judged_ranks <= lists.lengths[rankings.judged_rows]]
    as_judged = keys < 0  # NIL where it is right
    as_judged |= judged.grades[keys] == lists.raw_grade if len(judged.grades) else False
    hits, gain = rankings.starts[lists.row] + lists.rank - 1, np.zeros(len(ranked.rows))
    gain[hits] = gains.hits
    columns = {
        "query_id": ranked.rows.topics.to_pylist(),
        "doc_id": _ids_as_judged(judged, ranked, hits[as_judged], hits[~as_judged]),
        "score": ranked.falling,
        "rank": ranked.rank,
        "gain": gain,
        **({} if costs is None else {"cost": costs}),
    }
    documents = pd.DataFrame(columns)[ranked.rank <= lists.lengths[ranked.topic]].reset_index(drop=True)
    judgments = lists.judgments
    by_nil = np.zeros(len(rankings), dtype=bool) if judgments.by_nil is None else judgments.by_nil
    frame = _qrels_frame(judged, keys[as_judged], by_nil)
    worth = dict(zip(judgments.grades.tolist(), (gains.judged.units / gains.unit).tolist()))
    return gains, documents, frame.assign(gain=frame["relevance"].map(worth).fillna(0.0)), rows.source


def _ids_as_judged(qrels: Qrels, ranked: RankedRows, counted: Ints, again: Ints) -> list[str]:
    """The ids of ranked rows; marked are those that do not count, and those whose class occurred above."""
    ids: list[str] = ranked.rows.docs.to_pylist()
    if qrels.classes is None and qrels.normalise is None and not qrels.nil.answers:
        return ids
    if qrels.normalise is not None:
        ids = [qrels.normalise(doc) for doc in ids]
    marked, counts = set(again.tolist()), set(counted.tolist())
    seen: set[tuple[int, str]] = set()
    for row, (topic, doc) in enumerate(zip(ranked.topic.tolist(), ids)):
        wrong_nil = qrels.nil.answers and doc == qrels.nil_id and row not in counts
        if row in marked or wrong_nil or (topic, doc) in seen:
            ids[row] = f"__again__{ranked.rank[row]}__{doc}"
        seen.add((topic, doc))
    return ids


def _qrels_frame(qrels: Qrels, counted: Ints, by_nil: Bools) -> pd.DataFrame:
    """The qrels with one relevant answer of each class, those that count in the run first, and right NILs."""
    topic, doc = np.divmod(qrels.keys, max(1, len(qrels.docs)))
    kept = np.ones(len(topic), dtype=bool)
    if qrels.classes is not None:
        counts = np.isin(np.arange(len(topic)), counted)  # -1 is NIL
        right = np.flatnonzero(qrels.grades > 0)
        order = right[np.lexsort((-qrels.grades[right], ~counts[right], qrels.classes[right], topic[right]))]
        kept[order[1:][(np.diff(topic[order]) == 0) & (np.diff(qrels.classes[order]) == 0)]] = False
    topics, docs = qrels.judgments.topics, qrels.docs.to_pylist()
    codes = zip(topic[kept], doc[kept], qrels.grades[kept].tolist())
    rows = [(topics[q], docs[d], grade) for q, d, grade in codes]
    rows += [(topics[q], qrels.nil_id, max(1, qrels.judgments.max_rel)) for q in np.flatnonzero(by_nil)]
    with_rows = {topic for topic, *_ in rows}
    rows += [(topic, PLACEHOLDER, 0) for topic in topics if topic not in with_rows]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
