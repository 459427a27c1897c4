"""Runs with terminal documents or with the effort of reading each document, and qrels to match.

They are ordinary runs, which other tools can score: the reciprocal rank of a run with its terminal documents
is `RRT`. The caller's data do not change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Unpack

import numpy as np
import pyarrow.compute as pc

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.judgments import HIGHEST_GRADE
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Number, Whole, checked
from ir_trunc._core.rankings import Bools, Ints
from ir_trunc._output.files import Target, check_outputs, qrels_lines, write_text
from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import RankedRows, Run
from ir_trunc._ranking.runs import RunLike, join_run, read_run
from ir_trunc._read.arrow import strings
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._read.rows import PLACEHOLDER, Rows

TERMINAL = "__end__"
"""The document id of terminal documents in wrapped runs."""

_AGAIN = "__again__"


@dataclass(frozen=True, eq=False, repr=False)
class Wrapped:
    """A run with further documents or columns, and qrels to match: exactly what is scored.

    Answers are written in their normalised form. An answer that repeats an answer, or another one of its
    class, is marked, `__again__3__paris` at rank 3, and so is not judged; the qrels keep one answer of each
    class, the one that counts in the run, else the best. NIL is judged if the convention makes it right, and
    marked otherwise.

    Attributes
    ----------
    run : Run
        Its `to_pandas()` has query_id, doc_id, score, rank and gain; effort and utility if `with_effort` made
        it.
    qrels : pandas.DataFrame
        query_id, doc_id, relevance. ir-measures takes both as they are.
    """

    run: Run
    qrels: pd.DataFrame
    _inputs: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"Wrapped(run: {counted(len(self.run), 'row')}, qrels: {counted(len(self.qrels), 'row')})"

    def write(self, run: Target, qrels: Target) -> None:
        """Write both as TREC files, gzipped if a name ends in .gz.

        Parameters
        ----------
        run, qrels : path
            Where to write them.

        Raises
        ------
        InputError
            If a TREC file cannot hold an id, both paths lead to one file, or one of them is an input.
        """
        check_outputs([run, qrels], self._inputs)
        self.run.write(run, "wrapped")
        judged = (self.qrels[name].tolist() for name in ("query_id", "doc_id", "relevance"))
        write_text(qrels, qrels_lines(zip(*judged)))


@checked
@takes(HowRead)
def with_terminal(
    qrels: QrelsLike,
    run: RunLike,
    *,
    rel: Annotated[int, Whole("lowest grade that counts as relevant", 1, HIGHEST_GRADE)] = 1,
    depth: Annotated[int | None, Whole("length that the evaluation imposed")] = None,
    **reading: Unpack[HowRead],
) -> Wrapped:
    """The run with a terminal document at the end of every list that its system ended.

    The terminal document's gain r_t is 1 for a nil query, else the share of the relevant documents retrieved.
    Its grade in the qrels, which must be a whole number, is `rel` for a nil query, else 0. Its score is the
    next lower 32-bit float, so that it comes last in trec_eval's order too.

    Parameters
    ----------
    qrels, run, **options
        As for `ir_trunc.calc`.
    rel : int
        Lowest grade that counts as relevant.
    depth : int, optional
        The length that the evaluation imposed; a list that fills it gets no terminal document.

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
    judged, reading = read_qrels_of_runs(qrels, reading=reading)
    source, documents, grades, lengths, hits, relevant = _scored(judged, read_run(run, **reading), rel)
    ends = np.ones(len(lengths), dtype=bool) if depth is None else lengths < depth
    last = np.zeros(len(lengths), dtype=np.float32)
    lowest = documents.groupby("query_id")["score"].min()
    topics = np.array(judged.judgments.topics, dtype=object)
    filled = lengths > 0
    with np.errstate(over="ignore"):  # scores beyond 32 bits
        last[filled] = np.nextafter(lowest.reindex(topics[filled]).to_numpy(np.float32), np.float32(-np.inf))
    recall = np.divide(hits, relevant, out=np.ones(len(hits)), where=relevant > 0)
    ids = {"query_id": topics, "doc_id": TERMINAL, "score": last.astype(np.float64), "rank": lengths + 1}
    terminal = pd.DataFrame({**ids, "gain": recall, "relevance": np.where(relevant == 0, rel, 0)})[ends]
    rows = pd.concat([documents, terminal[list(documents)]], ignore_index=True)
    places = {topic: place for place, topic in enumerate(topics)}
    order = np.lexsort((rows["rank"], rows["query_id"].map(places)))
    with_ends = pd.concat([grades, terminal[list(grades)]], ignore_index=True)
    return Wrapped(_run(rows.iloc[order], judged, source), with_ends, (qrels, run))


@checked
@takes(HowRead)
def with_effort(
    qrels: QrelsLike,
    run: RunLike,
    *,
    e: Annotated[float, Number("effort of reading one document", 0)] = 0.05,
    rel: Annotated[int, Whole("lowest grade that counts as relevant", 1, HIGHEST_GRADE)] = 1,
    **reading: Unpack[HowRead],
) -> Wrapped:
    """The run with the effort of reading each document, and its utility: the gain less the effort.

    Parameters
    ----------
    qrels, run, **options
        As for `ir_trunc.calc`.
    e : float
        Effort of reading one document, in units of gain, >= 0.
    rel : int
        Lowest grade that counts as relevant, with gain 1.

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
    judged, reading = read_qrels_of_runs(qrels, reading=reading)
    source, documents, grades, *_ = _scored(judged, read_run(run, **reading), rel)
    priced = documents.assign(effort=e, utility=documents["gain"] - e)
    return Wrapped(_run(priced, judged, source), grades, (qrels, run))


def _run(documents: pd.DataFrame, qrels: Qrels, source: str) -> Run:
    """Scored documents, whose scores fall, as a run."""
    topics, docs = (strings(documents[name].tolist()) for name in ("query_id", "doc_id"))
    rows = Rows.of(source, topics, docs, documents["score"].to_numpy())
    rows = replace(rows, universe=qrels.judgments.topics)
    columns = {name: documents[name].to_numpy() for name in [*documents][4:]}
    return Run.of_rows(rows, **columns)


def _scored(qrels: Qrels, rows: Rows, rel: int) -> tuple[str, pd.DataFrame, pd.DataFrame, Ints, Ints, Ints]:
    """The scored documents of a run with binary gains, its qrels, and by topic length, hits and relevant.

    The name of the run comes first.
    """
    qrels = qrels.without(rows.reading.withheld)
    if pc.any(pc.equal(rows.docs, TERMINAL)).as_py():
        raise InputError(f"{rows.source}: it holds {TERMINAL} documents already.")
    rankings, ranked, places = join_run(qrels, rows)
    is_scored = ranked.rank <= rankings.lengths[ranked.topic]
    gain = np.zeros(len(ranked.rows))
    is_hit = rankings.judged_grades >= rel
    judged_rows = rankings.starts[rankings.judged_rows] + rankings.judged_ranks - 1
    gain[judged_rows[is_hit]] = 1
    as_judged = places < 0  # NIL where it is right
    as_judged |= qrels.grades[places] == rankings.judged_grades if len(qrels.grades) else False
    columns = {
        "query_id": ranked.rows.topics.to_pylist(),
        "doc_id": _ids_as_judged(qrels, ranked, judged_rows[as_judged], judged_rows[~as_judged]),
        "score": ranked.falling,
        "rank": ranked.rank,
        "gain": gain,
    }
    documents = pd.DataFrame(columns)[is_scored].reset_index(drop=True)
    judgments = rankings.judgments
    hits = np.bincount(rankings.judged_rows[is_hit], minlength=len(rankings))
    relevant = np.bincount(judgments.rows[judgments.grades >= rel], minlength=len(rankings))
    by_nil = np.zeros(len(rankings), dtype=bool) if judgments.by_nil is None else judgments.by_nil
    relevant[by_nil & (rankings.lengths == 0)] = 0  # silence is as right as NIL
    judged = _qrels_frame(qrels, places[as_judged], by_nil)
    return rows.source, documents, judged, rankings.lengths, hits, relevant


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
            ids[row] = f"{_AGAIN}{ranked.rank[row]}__{doc}"
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
    rows = [
        (topics[q], docs[d], grade)
        for q, d, grade in zip(topic[kept], doc[kept], qrels.grades[kept].tolist())
    ]
    rows += [(topics[q], qrels.nil_id, max(1, qrels.judgments.max_rel)) for q in np.flatnonzero(by_nil)]
    with_rows = {topic for topic, *_ in rows}
    rows += [(topic, PLACEHOLDER, 0) for topic in topics if topic not in with_rows]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
