"""Runs become Rankings: rows are ranked and joined to the judgments, and warnings report what is left out.

The compiled kernel takes plain runs as a whole. Others come as pieces of whole topics, from one file, one
frame or many machines. Each piece is ranked by itself and keeps one list for each of its topics: its length
and its judged documents, never more than the qrels have, however long the lists are (costs of documents, and
their scores where they are kept, come on top). So runs can be larger than memory. `Rankings.concat` joins the
pieces, and the scores have the bits of a run in one piece.

The kernel gives the bits that `join` gives. Where it is not sure what data mean, nothing of its result is
used: the data are read in Python, which understands them or raises an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np

from ir_trunc._core.errors import InputError, counted, warn
from ir_trunc._core.parameters import one_of
from ir_trunc._core.rankings import Ints, NilLists, Rankings, first_of, offsets_of
from ir_trunc._core.universe import Universe
from ir_trunc._kernel import kernel
from ir_trunc._ranking.answers import overlaps_of
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._ranking.notes import Notes
from ir_trunc._ranking.qrels import Frame, Qrels, QrelsLike, Unjudged, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._read.arrow import Texts, flat, occurs, strings
from ir_trunc._read.reading import DEFAULT, RUN, Duplicates, HowRead, KeysLike, Order, Reading
from ir_trunc._read.registry import Data, read_rows, recognised, shape_of
from ir_trunc._read.rows import Rows, Samples

_ORDERS = get_args(Order)
Missing = Literal["empty", "exclude", "error"]  # what topics of the qrels are that are not in the run


class WithRun(Protocol):
    """A data set of ir_datasets that has a run."""

    def scoreddocs_iter(self) -> Any:
        """The documents of the run, and their scores."""


RunLike = (
    str
    | os.PathLike[str]
    | Mapping[Any, Mapping[Any, float] | Sequence[Any]]
    | Iterable[Sequence[Any] | Mapping[str, Any]]
    | Frame
    | WithRun
    | Rankings
)
"""A run in any of its forms.

A path of a file (TREC, JSON, CSV, Parquet; plain or gzipped); `{topic: {document: score}}`, `{topic:
[document, ...]}` by rank, or `{topic: [item, ...]}` of pairs (document, score), of dicts with id and score,
or of the objects that frameworks of retrieval return; named tuples with query_id, doc_id and score, plain
tuples in this order, or dicts with these names; a frame or a Hugging Face Dataset with these columns (and
cost, where documents differ in it); an ir_datasets data set that has a run; or `Rankings`.
"""


def read_run(
    data: RunLike,
    *,
    order: Order = "score",
    duplicates: Duplicates = "error",
    stop: str | None = None,
    lower_is_better: bool = False,
    columns: Mapping[str, Any] | None = None,
    keys: KeysLike | None = None,
) -> Rows:
    """The rows of a run before they are ranked.

    Parameters
    ----------
    data : RunLike
        In any form that `calc` takes.
    order, duplicates, stop, lower_is_better, columns, keys
        How it is read, see `Reading`.

    Returns
    -------
    Rows
        One row for each document: `topics`, `docs` and `values`, the scores.

    Raises
    ------
    InputError
        If the run cannot be read as such.

    Examples
    --------
    >>> from ir_trunc import read_run
    >>> read_run({"q": {"a": 0.3, "b": 0.9}}).to_dict()
    {'q': {'a': 0.3, 'b': 0.9}}
    """
    reading = Reading(order, duplicates, stop, lower_is_better, columns, keys)
    return read_rows(data, replace(RUN, reading=reading))


def rank(
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    topics: Any = None,
    missing: Missing | None = None,
    unjudged: Unjudged | None = None,
    nil: NilRule | Convention | None = None,
    order: Order = "score",
    duplicates: Duplicates = "error",
    stop: str | None = None,
    lower_is_better: bool = False,
    columns: Mapping[str, Any] | None = None,
    keys: KeysLike | None = None,
) -> Rankings:
    """The ranked lists of a run with the scores of all documents, for the policies of `ir_trunc.truncation`.

    The rankings of `ir_trunc.calc` have them with `keep_scores=True`.

    Parameters
    ----------
    qrels, run, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `ir_trunc.calc`.

    Returns
    -------
    Rankings

    Raises
    ------
    InputError
        Where qrels or run cannot be read as such.
    ParameterError
        Where an option is not allowed.

    Examples
    --------
    >>> rankings = rank({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 2.0}})
    >>> rankings.topics, rankings.lengths.tolist()
    (('q',), [2])
    """
    reading = Reading(order, duplicates, stop, lower_is_better, columns, keys)
    missing = check_missing(missing)
    if qrels is None or isinstance(run, Rankings):
        return as_ranked(run, reading, missing, (topics, unjudged, nil))
    of_both: HowRead = {"columns": columns, "keys": keys}
    ready, how = read_qrels_of_runs(qrels, topics, nil=nil, unjudged=unjudged, reading=of_both)
    rankings = rank_run(ready, run, replace(reading, **how), keep_scores=True)
    return with_missing(rankings, missing, source_of(run))


def read_once(
    qrels: QrelsLike | None, options: Any
) -> tuple[Qrels | None, dict[str, Any], Callable[[Any], Rankings]]:
    """Qrels that are read once for several runs, the options that are left, and `rank` with both."""
    if qrels is None:
        return None, options, lambda run: rank(None, run, **options)
    reading: Any = dict(options)
    missing, topics, nil, unjudged = (
        reading.pop(name, None) for name in ("missing", "topics", "nil", "unjudged")
    )
    ready, how = read_qrels_of_runs(qrels, topics, nil=nil, unjudged=unjudged, reading=reading)
    left = {**how, "missing": missing}

    def rank_one(run: Any) -> Rankings:
        # Rankings have their own judgments: options that are in the qrels by now would be lost on them.
        return rank(ready, run, **(options if isinstance(run, Rankings) else left))

    return ready, left, rank_one


def check_missing(missing: Any) -> Missing | None:
    """What happens to topics that are not in the run; ParameterError for another value."""
    return None if missing is None else cast(Missing, one_of("missing", missing, get_args(Missing)))


def source_of(run: Any) -> str:
    """What to call a run in messages."""
    return f"run {run}" if shape_of(run) == "path" else f"run ({type(run).__name__})"


def with_missing(rankings: Rankings, missing: str | None, source: str) -> Rankings:
    """The lists of a run, where topics of the qrels without rows in the run are what `missing` says."""
    is_missing = np.zeros(len(rankings), bool) if rankings.missing is None else rankings.missing
    absent = np.flatnonzero(is_missing)
    if not len(absent) or missing == "empty":
        return rankings
    be = "is" if len(absent) == 1 else "are"
    what = f"{len(absent)} of the {counted(len(rankings), 'topic')} of the qrels {be} not in the run"
    message = f"{source}: {what} (for example {rankings.topics[absent[0]]})"
    if missing == "error" or (missing == "exclude" and len(absent) == len(rankings)):
        raise InputError(f"{message}; a run with rows for each topic is needed, or missing='empty'.")
    if missing is None:
        count = "counts as an empty list" if len(absent) == 1 else "count as empty lists"
        warn(f"{message} and {count}; missing='exclude' leaves out such topics, missing='empty' confirms.")
        return rankings
    warn(f"{message}; excluded from all means.")
    kept = rankings.take(np.flatnonzero(~is_missing))
    universe = replace(rankings.universe or Universe(), excluded=len(absent))
    return Rankings.unchecked(**vars(kept) | {"universe": universe})


def as_ranked(
    run: object, reading: Reading, missing: Missing | None = None, of_qrels: Sequence[Any] = ()
) -> Rankings:
    """A run that must be Rankings: keys and missing apply to it, other options are refused."""
    if not isinstance(run, Rankings):
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    if any(option is not None for option in of_qrels):
        why = "they have their topics and judgments, and NIL is no longer in them"
        raise InputError(f"topics, unjudged and nil have no effect on Rankings: {why}.")
    if missing is not None:  # what is assumed by default was reported when the run was ranked
        run = with_missing(run, missing, "Rankings")
    if reading.nesting is not None:
        reading.nesting.split(run.topics, "Rankings")
        universe = replace(run.universe or Universe(), nesting=reading.nesting)
        return as_ranked(replace(run, universe=universe), replace(reading, keys=None))
    if reading != DEFAULT:
        options = "order, duplicates, stop, lower_is_better and columns"
        raise InputError(f"Rankings have their order and ends: {options} are for other runs.")
    return run


@dataclass(frozen=True, eq=False)
class Piece:
    """The lists of some topics of a run, one for each topic of the qrels that the piece has."""

    rankings: Rankings
    notes: Notes
    source: str
    reading: Reading
    starts_over: bool = False  # whether it replaces the pieces before it: it has all their lists, too
    empty: tuple[str, ...] = ()  # topics without a document in the piece; the qrels need not have them


def rank_run(qrels: Qrels, run: Any, reading: Reading = DEFAULT, keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run, one for each topic of the qrels; with all scores, which policies need."""
    data = recognised(run, replace(RUN, reading=reading))
    ranked = rank_by_kernel(qrels, data, keep_scores)
    return _reported(qrels, ranked) if ranked else rank_rows(qrels, data.rows(), keep_scores)


def rank_rows(qrels: Qrels, pieces: Iterable[Rows], keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run from pieces of whole topics, as `Data.rows` yields them."""
    return put_together(qrels, (rank_piece(qrels, piece, keep_scores) for piece in pieces))


def join_run(qrels: Qrels, run: Rows) -> tuple[Rankings, Joined]:
    """The ranked lists of a whole run, and its rows joined to the judgments with their document ids."""
    joined = join(qrels, run)
    return _reported(qrels, Piece(joined.rankings, joined.notes, run.source, run.reading)), joined


def rank_piece(qrels: Qrels, rows: Rows, keep_scores: bool = False) -> Piece:
    """The lists of a piece, which must have all rows of its topics."""
    if ranked := rank_rows_by_kernel(qrels, rows, keep_scores):
        return ranked
    joined = join(qrels, rows, keep_scores)
    # A list that NIL ends at once is empty, but belongs to the piece.
    filled = joined.ranked.lengths > 0
    empty = [joined.rankings.topics[q] for q in np.flatnonzero(~filled & ~joined.ranked.missing)]
    some = joined.rankings.take(np.flatnonzero(filled))
    return Piece(some, joined.notes, rows.source, rows.reading, rows.starts_over, tuple(empty))


def put_together(
    qrels: Qrels,
    pieces: Iterable[Piece],
    source: str | None = None,
    reading: Reading | None = None,
) -> Rankings:
    """The ranked lists of a run from its pieces."""
    kept: list[Piece] = []
    for piece in pieces:
        if piece.starts_over:
            kept.clear()
        kept.append(piece)
    notes = sum((piece.notes for piece in kept), Notes())
    for piece in kept[:1]:
        source, reading = source or piece.source, reading or piece.reading
    rankings = Rankings.concat(qrels.judgments_with_nil, [piece.rankings for piece in kept])
    empty = {topic for piece in kept for topic in piece.empty}
    if rankings.missing is not None and empty:
        present = [topic in empty for topic in rankings.topics]
        missing = rankings.missing & ~np.array(present, dtype=bool)
        rankings = Rankings.unchecked(**vars(rankings) | {"missing": missing})
    if not kept:
        nil = NilLists(qrels.nil.convention, np.zeros(len(rankings), dtype=bool))
        rankings = replace(rankings, nil=nil)
    return _reported(qrels, Piece(rankings, notes, source or "run", reading or DEFAULT))


def rank_by_kernel(qrels: Qrels, run: Data, keep_scores: bool) -> Piece | None:
    """The lists of a run by the kernel; None where it is not sure of the run, or there is no kernel."""
    compiled, reading = run.reader.compiled, run.layout.reading
    if compiled is None or reading.stop is not None or reading.columns:
        return None
    lists = _begun(qrels, reading.order, reading.lower_is_better, keep_scores)
    samples = None if lists is None else compiled.run(lists, run)
    ranked = _ranked(qrels, lists, samples, keep_scores, all_topics=True)
    if ranked is None:
        return None
    rankings, notes = ranked
    missing = rankings.lengths == 0
    if isinstance(run.value, dict):  # in which a topic may have the empty list
        missing[missing] = [rankings.topics[q] not in run.value for q in np.flatnonzero(missing)]
    rankings = Rankings.unchecked(**vars(rankings) | {"missing": missing})
    return Piece(rankings, notes, run.source, reading)


def rank_rows_by_kernel(qrels: Qrels, rows: Rows, keep_scores: bool) -> Piece | None:
    """The lists of rows, as `rank_by_kernel` gives those of a run."""
    further = (rows.costs, rows.ranks, rows.hidden, rows.unscored)
    if kernel is None or rows.reading.order == "rank" or any(column is not None for column in further):
        return None
    # Where lower scores are better, the rows have the scores with the opposite sign.
    lists = _begun(qrels, rows.reading.order, False, keep_scores)
    if lists is None:
        return None
    topics, scores = rows.topics, np.ascontiguousarray(rows.values, np.float64)
    names, docs = Texts.of_arrow(topics.dictionary), Texts.of_arrow(rows.docs)
    columns = (flat(topics.indices), names.offsets, names.data, docs.offsets, docs.data, scores)
    samples = rows.samples if kernel.columns(lists, *columns) else None
    ranked = _ranked(qrels, lists, samples, keep_scores, all_topics=False)
    return ranked and Piece(*ranked, rows.source, rows.reading, rows.starts_over, rows.universe)


def _begun(qrels: Qrels, order: Order, lower_is_better: bool, keep_scores: bool) -> Any:
    """Lists of the kernel that take a run; None where the kernel does not understand the qrels."""
    if kernel is None or qrels.classes is not None or qrels.normalise is not None:
        return None
    judged = qrels.judged_docs.in_kernel
    return judged and kernel.begin(judged, _ORDERS.index(order), lower_is_better, keep_scores)


def _ranked(
    qrels: Qrels, lists: Any, samples: Samples | None, keep_scores: bool, all_topics: bool
) -> tuple[Rankings, Notes] | None:
    """The lists of a run that the kernel took, and its notes; None without samples or documents."""
    if samples is None:
        return None
    numbers, scores, first_scores, rows, several, tied, rounded, ignored, first_ignored = kernel.found(
        lists, all_topics
    )
    if not rows:
        return None
    topics, lengths, offsets, ranks, grades, starts = [np.frombuffer(column, np.int64) for column in numbers]
    judgments = qrels.judgments_with_nil
    rankings = Rankings.unchecked(
        judgments=judgments if all_topics else judgments.take(topics),
        lengths=lengths,
        judged_offsets=offsets,
        judged_ranks=ranks,
        judged_grades=grades,
        starts=starts,
        scores=np.frombuffer(scores) if keep_scores else None,
        first_scores=np.frombuffer(first_scores),
        nil=NilLists(qrels.nil.convention, np.zeros(len(topics), dtype=bool)),
    )
    notes = Notes(
        known=bool(lengths.any()),
        ignored=ignored,
        first_ignored=first_ignored,
        lists=several,
        tied=tied,
        rounded=rounded,
        samples=samples,
    )
    return rankings, notes


def _reported(qrels: Qrels, run: Piece) -> Rankings:
    """The rankings of a whole run, after warnings of what is left out and what makes the run doubtful."""
    source = run.source
    nesting = run.reading.nesting or qrels.nesting
    universe = Universe(order=run.reading.order, nil_means=qrels.nil.convention, nesting=nesting)
    rankings = Rankings.unchecked(**vars(run.rankings) | {"universe": universe})
    run.notes.warn(source, qrels.nil.id, run.reading)
    documents = int(rankings.lengths.sum())
    # An answer outside of all classes is a wrong answer.
    if documents and len(qrels.keys) and qrels.classes is None and not len(rankings.judged_ranks):
        what = f"none of its {documents} documents is judged; are these the ids of the qrels' collection?"
        warn(f"{source}: {what} (one that is judged is {qrels.docs[0]})")
    return rankings


@dataclass(frozen=True, eq=False)
class Joined:
    """The rows of a run by rank, joined to the judgments in Python."""

    ranked: RankedRows
    rankings: Rankings  # of all topics of the qrels
    keys: Ints  # of each judged document, its index in `Qrels.keys`, or -1 for a NIL that is right
    notes: Notes


def join(qrels: Qrels, run: Rows, keep_scores: bool = True) -> Joined:
    """The rows by rank, joined to the judgments; nothing is reported yet."""
    ranked = by_rank(qrels, run)
    ids = ranked.rows.docs
    if qrels.normalise is not None:
        ids = strings([qrels.normalise(doc) for doc in ids.to_pylist()])
    nil_rows = np.flatnonzero(occurs(ids, qrels.nil_id))
    # Several answers may normalise to NIL: the first counts.
    nil_rows = nil_rows[np.diff(ranked.topic[nil_rows], prepend=-1) != 0]
    held = np.zeros(len(ranked.lengths), dtype=bool)
    lengths, notes = ranked.lengths, ranked.notes
    if len(nil_rows):
        held[ranked.topic[nil_rows]] = True
        lengths, notes = qrels.nil.lengths(ranked, nil_rows), qrels.nil.notes(ranked, nil_rows)
    key = qrels.find(ranked.topic, ids)
    row = np.flatnonzero((key >= 0) & (ranked.rank <= lengths[ranked.topic]))
    key = key[row]
    grade = _grades(qrels, ranked, row, key)
    if len(nil_rows) and qrels.nil.answers:
        right = qrels.nil.right(ranked, nil_rows, qrels.judgments.nil_queries)
        row, key = np.append(row, right), np.append(key, np.full(len(right), -1))
        grade = np.append(grade, np.full(len(right), max(1, qrels.judgments.max_rel)))
    # The judged documents follow the order of the qrels' topics; topics of the run may have another order.
    order = np.argsort(offsets_of(ranked.lengths)[ranked.topic[row]] + ranked.rank[row])
    row, key, grade = row[order], key[order], grade[order]
    scores = ranked.scores
    rankings = Rankings.unchecked(
        judgments=qrels.judgments_with_nil,
        lengths=lengths,
        judged_offsets=offsets_of(np.bincount(ranked.topic[row], minlength=len(lengths))),
        judged_ranks=ranked.rank[row],
        judged_grades=grade,
        starts=ranked.starts,
        scores=scores if keep_scores else None,
        costs=ranked.rows.costs,
        first_scores=None if scores is None else first_of(scores, ranked.starts, lengths),
        nil=NilLists(qrels.nil.convention, held),
        overlaps=None if qrels.classes is None else overlaps_of(qrels, ranked, lengths),
        missing=ranked.missing,
    )
    return Joined(ranked, rankings, key, notes)


def by_rank(qrels: Qrels, run: Rows) -> RankedRows:
    """The rows of the qrels' topics by rank; an answer that normalises to nothing is left out."""
    if qrels.normalise is None:
        return RankedRows.of(run, qrels.topics)
    run = replace(run, universe=(*run.universe, *run.named_topics()))
    docs = run.docs.to_pylist()
    answers = np.array([bool(qrels.normalise(doc)) for doc in docs], dtype=bool)
    empty = sum(bool(docs[row].strip()) for row in np.flatnonzero(~answers))  # a blank answer is silence
    ranked = RankedRows.of(run.filter(answers), qrels.topics)
    return replace(ranked, notes=replace(ranked.notes, empty=empty))


def _grades(qrels: Qrels, ranked: RankedRows, row: Ints, key: Ints) -> Ints:
    """The grade of each judged row; an answer whose class has another answer above it gets 0."""
    grade = qrels.grades[key]
    if qrels.classes is None:
        return grade
    right = np.flatnonzero(grade > 0)  # a wrong answer does not use up its class
    topic, of_class = ranked.topic[row[right]], qrels.classes[key[right]]
    order = np.lexsort((ranked.rank[row[right]], of_class, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(of_class[order]) == 0)
    grade[right[order[1:][again]]] = 0
    return grade
