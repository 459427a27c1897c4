"""Runs become Rankings: rows are ranked and joined to the judgments, and warnings report what is left out.

The compiled kernel takes plain runs as a whole. Others come as pieces of whole topics, from one file, one
frame or many machines. Each piece is ranked by itself, and the `Builder` keeps one list for each of its
topics: its length and its judged documents, never more than the qrels have, however long the lists are (costs
of documents, and their scores where they are kept, come on top). So runs can be larger than memory.
`Rankings.concat` joins the pieces, and the scores have the bits of a run in one piece. Where a question has
several searches, `by_question` makes one list of theirs.

The kernel gives the bits that `judged` gives. Where it is not sure what data mean, nothing of its result is
used: the data are read in Python, which understands them or raises an error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Annotated, Any, Literal, Protocol, Unpack, cast, get_args

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, counted, option, shown, warn
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import one_of
from ir_trunc._core.rankings import Ints, NilLists, Rankings, first_of, offsets_of
from ir_trunc._core.universe import Keys, Universe
from ir_trunc._kernel import kernel
from ir_trunc._ranking.answers import answers_of, overlaps_of, seeming_abstentions, seems_none
from ir_trunc._ranking.qrels import Frame, Qrels, QrelsLike, Unjudged, read_qrels_of_runs, ready_qrels
from ir_trunc._ranking.ranked_rows import Convention, NilRule, Notes, RankedRows, Run, refuse_ends
from ir_trunc._read.arrow import arrow_texts, flat, numeric, occurs, strings, text_array
from ir_trunc._read.reading import DEFAULT, RUN, SEARCH, HowRead, Option, Order, Reading, takes
from ir_trunc._read.registry import Data, is_path_like, read_rows, recognised
from ir_trunc._read.rows import Rows, Samples, encoded

_ORDERS = get_args(Order)
Missing = Literal["empty", "exclude", "error"]  # what topics of the qrels are that are not in the run


# fmt: off
class Options(HowRead, total=False):
    """How a run is read and which topics are scored: more rows of the table."""

    topics: Annotated[Any, Option(None, "FILE",
        "More topics that are scored, beside those of the qrels (TREC, TSV, CSV, JSON).")]
    missing: Annotated[Missing | None, Option(None, "",
        "Topics of the qrels without rows in the run: empty lists (the default), left out, or an error.")]
    unjudged: Annotated[Unjudged | None, Option(None, "",
        "Topics of a data set without judgments: left out (the default), or nil queries.")]
    nil: Annotated[NilRule | Convention | None, Option(None, "[ID=]MEANING",
        "What a document called NIL means: ends, trec2001, sakai, document (default: document, like any "
        "other); --nil=-1=ends for the id -1.")]
# fmt: on


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
    | Rows
    | Rankings
)
"""A run in any of its forms.

A path of a file (TREC, JSON, CSV, Parquet; plain or gzipped); `{topic: {document: score}}`, `{topic:
[document, ...]}` by rank, or `{topic: [item, ...]}` of pairs (document, score), of dicts with id and score,
or of the objects that frameworks of retrieval return; named tuples with query_id, doc_id and score, plain
tuples in this order, or dicts with these names; a frame or a Hugging Face Dataset with these columns (and
cost, where documents differ in it); an ir_datasets data set that has a run; what `read_run` or `truncate`
returns; or `Rankings`.
"""


@takes(HowRead, written=True)
def read_run(data: RunLike, **options: Unpack[HowRead]) -> Run:
    """A run as an object, which every function takes in the place of its data: it is read once.

    Parameters
    ----------
    data : RunLike
        In any form that `calc` takes.
    **options
        How it is read, see `Reading`.

    Returns
    -------
    Run
        Its `to_dict()` is as it was read; `to_pandas()` and `write(path)` have its lists by rank.

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
    reading = Reading(**options)
    rows = read_rows(data, replace(RUN, reading=reading))
    given: Any = getattr(rows, "given", replace(reading, withheld=rows.reading.withheld))
    return Run.of_rows(by_question(rows)[0], given)


def by_question(rows: Rows) -> tuple[Rows, Notes | None]:
    """The rows of a run with one list for each question, and what is noted of the lists of its searches.

    None where they have no searches, and none are asked for.
    """
    reading, how = rows.reading, rows.reading.searches or "union"
    if not reading.by_search and reading.searches is None:
        return rows, None
    if not reading.by_search:
        what = f"{option('searches', how)}: nothing tells its searches apart"
        needed = f"spans, or keys whose innermost is {SEARCH!r}, are needed"
        raise InputError(f"{rows.source}: {what}; {needed}: {option('keys', ('question', SEARCH))}.")
    if how == "sequence" and reading.withheld is not None:
        what = f"{option('searches', 'sequence')} takes no {option('withheld')}"
        raise InputError(f"{rows.source}: {what}: leave one out.")
    named, keys = rows.named_topics(), cast(Keys, reading.nesting)
    # Those that returned nothing are in the universe alone; where it has them all, it has their order.
    ids = dict.fromkeys(rows.universe if {*named} <= {*rows.universe} else (*named, *rows.universe))
    if not rows.traced:
        keys.split(ids, rows.source)
    asked = np.array([name.rpartition(keys.separator)[0] for name in ids], object)
    plain = replace(reading, keys=None, searches=None, withheld=None)
    each = RankedRows.of(replace(rows, reading=plain), strings([*ids]))
    each.notes.known = False  # which topics the qrels have is seen later
    docs = pd.DataFrame({"question": asked[each.topic], "doc": each.rows.docs.to_pylist()})
    is_new, searched, is_one = ~docs.duplicated(), pd.Series(asked), how in ("first", "last")
    others = searched.duplicated(keep="first" if how == "first" else "last").to_numpy()
    keep = np.flatnonzero(~others[each.topic] if is_one else is_new)
    topics, numbers = encoded(strings(asked[each.topic[keep]].tolist())), Counter(asked.tolist())
    reading = replace(reading, keys=reading.of_questions, searches=None, stop=None)
    kept = each.rows.take(keep)
    kept = replace(kept, topics=topics, universe=(*numbers,), hidden=None, lines_of=None, reading=reading)
    several = [question for question, number in numbers.items() if number > 1]
    if not several:
        return kept, each.notes
    if not is_one:
        kept = replace(kept, ranks=None, reading=replace(reading, order="file"))
        if kept.unscored is not None:
            places = -np.arange(len(kept), dtype=np.float64)
            kept = replace(kept, unscored=np.ones(len(kept), bool), values=places)
    said = Universe(searches=how, several=len(several))
    if how == "sequence":
        in_union = is_new.groupby(docs["question"]).cumsum()
        ranks = in_union.groupby([docs["question"], docs["doc"]]).transform("first").tolist()
        bounds = zip(each.starts.tolist(), (each.starts + each.lengths).tolist())
        top = pd.Series(each.rows.values).groupby(each.topic).max().reindex(range(len(asked)))
        listed = {"sequence": [ranks[slice(*of)] for of in bounds], "top_scores": top.fillna(-np.inf)}
        of_questions: Any = pd.DataFrame(listed).groupby(asked).agg(tuple).to_dict()
        said = replace(said, **of_questions)
    if rows.reading.searches is None:
        what = f"{rows.source}: {said.searched} (for example {shown(several[0])})"
        last = f"{option('searches', 'last')} takes the last search alone"
        warn(f"{what}; {last}, {option('searches', 'union')} confirms.")
    return replace(kept, searched=said), each.notes


def in_memory(run: RunLike, options: Mapping[str, Any]) -> Run:
    """A run as an object, by those options that say how it is read."""
    how: Any = {name: options[name] for name in HowRead.__annotations__ if name in options}
    return run if isinstance(run, Run) else read_run(run, **how)


@takes(Options, written=True)
def rank(qrels: QrelsLike | None, run: RunLike, **options: Unpack[Options]) -> Rankings:
    """The ranked lists of a run with the scores of all documents, for the policies of `ir_trunc.truncation`.

    The rankings of `ir_trunc.calc` have them with `keep_scores=True`.

    Parameters
    ----------
    qrels, run, **options
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
    how: Any = dict(options)
    topics, missing, unjudged, nil = qrels_options(how)
    reading = Reading(**how)
    if qrels is None or isinstance(run, Rankings):
        return as_ranked(run, reading, missing, (topics, unjudged, nil))
    ready, reading = ready_qrels(qrels, reading, topics, nil, unjudged)
    return with_missing(rank_run(ready, run, reading, keep_scores=True), missing, source_of(run))


def qrels_options(options: dict[str, Any]) -> tuple[Any, Missing | None, Any, Any]:
    """Topics, missing, unjudged and nil, taken out of the options: what is left is how runs are read."""
    topics, missing, unjudged, nil = map(options.pop, ("topics", "missing", "unjudged", "nil"), repeat(None))
    if missing is not None:
        one_of("missing", missing, get_args(Missing))
    return topics, missing, unjudged, nil


def read_once(qrels: QrelsLike | None, options: Any) -> tuple[Qrels | None, Callable[[Any], Rankings]]:
    """Qrels that are read once for several runs, and `rank` with them and with the options that are left."""
    if qrels is None:
        return None, lambda run: rank(None, run, **options)
    reading: Any = dict(options)
    topics, missing, unjudged, nil = qrels_options(reading)
    ready, how = read_qrels_of_runs(qrels, topics, nil=nil, unjudged=unjudged, reading=reading)

    def rank_one(run: Any) -> Rankings:
        # Rankings have their own judgments: options that are in the qrels by now would be lost on them.
        left = options if isinstance(run, Rankings) else {**how, "missing": missing}
        return rank(ready, run, **left)

    return ready, rank_one


def source_of(run: Any) -> str:
    """What to call a run in messages."""
    if isinstance(run, Rows):
        return run.source
    return f"run {run}" if is_path_like(run) else f"run ({type(run).__name__})"


def with_missing(rankings: Rankings, missing: str | None, source: str, alike: bool = False) -> Rankings:
    """The lists of a run, where topics of the qrels without rows in the run are what `missing` says.

    alike: whether other runs need the same topics, so that none can be left out of this one.
    """
    if rankings.missing is None or missing == "empty":
        return rankings
    (absent,) = rankings.missing.nonzero()
    if not len(absent):
        return rankings
    be = "is" if len(absent) == 1 else "are"
    what = f"{len(absent)} of the {counted(len(rankings), 'topic')} of the qrels {be} not in the run"
    message = f"{source}: {what} (for example {rankings.topics[absent[0]]})"
    if missing == "error" or (missing == "exclude" and len(absent) == len(rankings)):
        needed = f"a run with rows for each topic is needed, or {option('missing', 'empty')}"
        raise InputError(f"{message}; {needed}.")
    if missing is None:
        count = "counts as an empty list" if len(absent) == 1 else "count as empty lists"
        left_out = "" if alike else f"{option('missing', 'exclude')} leaves out such topics, "
        warn(f"{message} and {count}; {left_out}{option('missing', 'empty')} confirms.")
        return rankings
    warn(f"{message}; excluded from all means.")
    kept = rankings.take(np.flatnonzero(~rankings.missing))
    return kept.with_fields(universe=replace(rankings.universe or Universe(), excluded=len(absent)))


def as_ranked(
    run: object,
    reading: Reading,
    missing: Missing | None = None,
    of_qrels: Sequence[Any] = (),
    takes_ends: bool = False,
) -> Rankings:
    """A run that must be Rankings: keys and missing apply to it, other options are refused."""
    if not isinstance(run, Rankings):
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    if run.universe is not None and run.universe.holds_ends and not takes_ends:
        refuse_ends("Rankings")
    if any(option is not None for option in of_qrels):
        why = "they have their topics and judgments, and NIL is no longer in them"
        raise InputError(f"topics, unjudged and nil have no effect on Rankings: {why}.")
    if missing is not None:  # what is assumed by default was reported when the run was ranked
        run = with_missing(run, missing, "Rankings")
    if reading.nesting is not None:
        reading.nesting.split(run.topics, "Rankings")
        universe = replace(run.universe or Universe(), nesting=reading.nesting)
        run, reading = replace(run, universe=universe), replace(reading, keys=None)
    if reading != DEFAULT:
        options = "order, duplicates, stop, lower_is_better and columns"
        raise InputError(f"Rankings have their order and ends: {options} are for other runs.")
    return run


def rank_run(
    qrels: Qrels,
    run: Any,
    reading: Reading = DEFAULT,
    keep_scores: bool = False,
    must_match: bool = True,
    source: str = "",
    takes_ends: bool = False,
) -> Rankings:
    """The ranked lists of a run, one for each topic of the qrels; with all scores, which policies need.

    must_match: whether a run of which no topic is in the qrels is an error. source: its name in messages.
    takes_ends: whether ends of lists may be documents.
    """
    layout = RUN if reading is DEFAULT and not source else replace(RUN, reading=reading, source=source)
    if qrels.classes is not None:
        layout = replace(layout, answers=True)
    if isinstance(run, Rows):
        qrels = qrels.without(run.reading.withheld)
    data, builder = recognised(run, layout), Builder(qrels, keep_scores)
    if not builder.add_whole(data):
        for piece in data.rows():
            builder.add(piece)
    return builder.rankings(must_match, takes_ends)


def rank_rows(qrels: Qrels, pieces: Iterable[Rows], keep_scores: bool = False) -> Rankings:
    """The ranked lists of a run from pieces of whole topics, as `Data.rows` yields them."""
    builder = Builder(qrels, keep_scores)
    for piece in pieces:
        builder.add(piece)
    return builder.rankings()


def join_run(qrels: Qrels, run: Rows) -> tuple[Rankings, RankedRows, Ints]:
    """The lists of a whole run, its rows by rank, and of each judged document its key (see `Qrels.keys`)."""
    if qrels.of_answers:
        raise ParameterError(f"{qrels.given.source}: judgments of documents are needed, not graded answers.")
    ranked = by_rank(qrels, run)
    builder = Builder(qrels)
    builder.source, builder.reading, builder.searched = run.source, run.reading, run.searched
    rankings, keys = judged(qrels, ranked)
    builder.keep(rankings, ranked.notes)
    return builder.rankings(), ranked, keys


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of a run by their ids: it is read again, in Python, when they are asked for."""

    qrels: Qrels
    run: Any
    reading: Reading

    def __getstate__(self) -> dict[str, Any]:
        return {"qrels": self.qrels, "run": None, "reading": self.reading.without_functions()}

    @cached_property
    def _pieces(self) -> list[RankedRows]:
        layout = replace(RUN, reading=self.reading, answers=self.qrels.classes is not None)
        return [by_rank(self.qrels, by_question(rows)[0]) for rows in recognised(self.run, layout).rows()]

    def of(self, topic: str, scored: Rankings) -> tuple[list[str], int] | None:
        """The ids of a list, and how many of its documents are tied; None for a run that was a stream.

        scored: the list as it was scored; InputError where the run is another by now.
        """
        is_stream = is_path_like(self.run) and os.path.exists(self.run) and not os.path.isfile(self.run)
        if self.run is None or isinstance(self.run, (Iterator, Rankings)) or is_stream:
            return None
        place, length = self.qrels.judgments.topics.index(topic), int(scored.lengths[0])
        for ranked in self._pieces if length else ():
            if ranked.lengths[place] >= length:
                now, hits = judged(self.qrels, ranked, False)[0].take([place]), scored.judged_ranks
                if [*now.judged_ranks[: len(hits)]] == [*hits]:
                    return ranked.ids(place, length)
        if length:
            source = f"{source_of(self.run)}, topic {topic}"
            raise InputError(f"{source}: it has changed since it was scored; score it again.")
        return [], 0


class Builder:
    """Takes a run, in pieces of whole topics or all at once, and gives its rankings."""

    def __init__(self, qrels: Qrels, keep_scores: bool = False):
        self.qrels, self.keep_scores = qrels, keep_scores
        self.source = ""  # that of the first piece, unless it is set, and so is how it is read
        self.reading: Reading | None = None
        self.pieces: list[Rankings] = []
        self.silent: list[str] = []  # topics without a document in the run; the qrels need not have them
        self.notes = Notes()
        self.searched: Universe | None = None  # what is said of questions with several searches

    def keep(self, piece: Rankings, notes: Notes) -> None:
        """Add ranked lists."""
        if self.pieces:
            self.settle()
            notes.add(self.notes)
        self.pieces.append(piece)
        self.notes = notes

    def settle(self) -> None:
        """Leave only those lists in the last piece that it has rows of, so that another piece may come."""
        *_, last = self.pieces
        if last.judgments is not self.qrels.judgments_with_nil or last.nil is None or last.missing is None:
            return
        filled = (last.lengths > 0) | last.nil.held  # a list that NIL ends at once belongs to the piece, too
        self.silent += [last.topics[q] for q in np.flatnonzero(~filled & ~last.missing)]
        self.pieces[-1] = last.take(np.flatnonzero(filled))

    def add(self, rows: Rows) -> None:
        """Add a piece, which must have all rows of its topics."""
        if rows.starts_over:
            self.pieces, self.silent, self.notes = [], [], Notes()
        self.source, self.reading = self.source or rows.source, self.reading or rows.reading
        rows, notes = by_question(rows)
        if notes is not None:
            self.reading = rows.reading
        self.searched = rows.searched
        if notes is not None or not self._add_by_kernel(rows):
            ranked = by_rank(self.qrels, rows)
            if notes is not None:
                ranked.notes.add(notes)
            self.keep(judged(self.qrels, ranked, self.keep_scores)[0], ranked.notes)

    def add_whole(self, run: Data) -> bool:
        """Add a whole run by the kernel; False where it is not sure of the run, or there is no kernel."""
        compiled, reading = run.reader.compiled, run.layout.reading
        by_python = reading.stop is not None or reading.columns or reading.withheld is not None
        by_python = by_python or reading.by_search or reading.searches is not None
        if kernel is None or compiled is None or by_python:
            return False
        lists = self._in_kernel(reading.order, reading.lower_is_better)
        samples = None if lists is None else compiled.run(lists, run)
        if samples is None or not self._keep_found(lists, samples, run):
            return False
        self.source, self.reading = run.source, reading
        return True

    def _add_by_kernel(self, rows: Rows) -> bool:
        further = {*map(type, (rows.costs, rows.ranks, rows.hidden, rows.unscored, rows.reading.withheld))}
        if kernel is None or rows.traced or rows.reading.order == "rank" or further != {type(None)}:
            return False
        # Where lower scores are better, the rows have the scores with the opposite sign.
        lists = self._in_kernel(rows.reading.order, False)
        if lists is None:
            return False
        topics, scores = rows.topics, np.ascontiguousarray(rows.values, np.float64)
        names, docs = arrow_texts(topics.dictionary), arrow_texts(rows.docs)
        columns = (flat(topics.indices), names.offsets, names.data, docs.offsets, docs.data, scores)
        if not kernel.columns(lists, *columns) or not self._keep_found(lists, rows.samples):
            return False
        self.silent += rows.universe
        return True

    def _in_kernel(self, order: Order, lower_is_better: bool) -> Any:
        """Lists of the kernel that take rows; None where the kernel does not understand the qrels."""
        known = self.qrels.in_kernel
        return known and kernel.begin(known, _ORDERS.index(order), lower_is_better, self.keep_scores)

    def _keep_found(self, lists: Any, samples: Samples, whole: Data | None = None) -> bool:
        """Add the lists that the kernel has ranked, of all topics for a whole run; False without rows."""
        numbers, scores, first_scores, rows, *counts = kernel.found(lists, whole is not None)
        if not rows:
            return False
        topics, lengths, offsets, ranks, grades, starts = map(np.frombuffer, numbers, repeat(np.int64))
        judgments, missing = self.qrels.judgments_with_nil, None
        (empty,) = (lengths == 0).nonzero()
        if whole is None:
            judgments = judgments.take(topics)
        else:
            missing = lengths == 0
            for q in empty if isinstance(whole.value, dict) else ():  # a list in a dict may be empty
                missing[q] = judgments.topics[q] not in whole.value
        rankings = Rankings.unchecked(
            judgments=judgments,
            lengths=lengths,
            judged_offsets=offsets,
            judged_ranks=ranks,
            judged_grades=grades,
            starts=starts,
            scores=np.frombuffer(scores) if self.keep_scores else None,
            first_scores=np.frombuffer(first_scores),
            nil=NilLists(self.qrels.nil.convention, np.zeros(len(lengths), bool)),
            missing=missing,
        )
        several, tied, rounded, ignored, first = counts
        notes = Notes(len(empty) < len(lengths), ignored, first, lists=several, tied=tied, rounded=rounded)
        notes.samples = samples
        self.keep(rankings, notes)
        return True

    def rankings(self, must_match: bool = True, takes_ends: bool = False) -> Rankings:
        """The lists of all topics of the qrels, after warnings of what is left out and what is doubtful."""
        qrels, reading, nil = self.qrels, self.reading or DEFAULT, self.qrels.nil.convention
        source, topics, ends = self.source or "run", qrels.judgments.topics, bool(self.notes.ends)
        if ends and not takes_ends:
            refuse_ends(source)
        how: Any = {"order": reading.order, "lower_is_better": reading.lower_is_better, "nil_means": nil}
        how |= {"nesting": reading.keys or qrels.nesting, "holds_ends": ends}
        how |= {"score": str(reading.columns.get("score", ""))} if reading.columns else {}
        universe = replace(self.searched, **how) if self.searched else Universe(**how)
        if len(self.pieces) == 1 and self.pieces[0].judgments is qrels.judgments_with_nil:
            rankings = self.pieces[0].with_fields(universe=universe)
        else:
            if self.pieces:
                self.settle()
            rankings, silent = Rankings.concat(qrels.judgments_with_nil, self.pieces), {*self.silent}
            missing = rankings.missing & np.array([topic not in silent for topic in rankings.topics], bool)
            held = rankings.nil if self.pieces else NilLists(nil, np.zeros(len(rankings), bool))
            rankings = rankings.with_fields(universe=universe, missing=missing, nil=held)
        none_matches = not self.notes.known and (rankings.missing is None or rankings.missing.all())
        if none_matches and must_match and (error := self.notes.unmatched(source, topics)):
            raise error
        if qrels.of_answers:
            rankings = qrels.completed(rankings, self.notes, source)
        self.notes.warn(source, qrels.nil.id, reading, topics)
        if self.notes.seeming:
            warn(f"{source}: {seeming_abstentions(self.notes.seeming, 'read_answers with ')}.")
        # An answer outside of all classes is a wrong answer.
        of_documents = len(qrels.keys) > 0 and qrels.classes is None and not len(rankings.judged_ranks)
        if of_documents and (documents := int(rankings.lengths.sum())):
            none = "its only document is not" if documents == 1 else f"none of its {documents} documents is"
            what = f"{none} judged; are these the ids of the qrels' collection?"
            warn(f"{source}: {what} (one that is judged is {qrels.docs[0]})")
        return rankings


@lru_cache(maxsize=16)
def by_rank(qrels: Qrels, run: Rows) -> RankedRows:
    """The rows of the qrels' topics by rank, without answers that are blank or stand for none."""
    run = run.written_as(qrels.judgments.topics) if run.traced else run
    if qrels.classes is not None:
        run = answers_of(replace(run, universe=(*run.universe, *run.named_topics())), qrels.abstains)
    return RankedRows.of(run, text_array(qrels.topic_ids))


def judged(qrels: Qrels, ranked: RankedRows, keep_scores: bool = True) -> tuple[Rankings, Ints]:
    """The lists of all topics of the qrels, and of each judged document its key, -1 for a right NIL."""
    ids, notes = ranked.rows.docs, ranked.notes
    if qrels.normalise is not None:
        ids = strings([qrels.normalise(doc) for doc in ids.to_pylist()])
    nil_rows = np.flatnonzero(occurs(ids, qrels.nil_id))
    # Several answers may normalise to NIL: the first counts.
    nil_rows = nil_rows[np.diff(ranked.topic[nil_rows], prepend=-1) != 0]
    held, lengths = np.zeros(len(ranked.lengths), dtype=bool), ranked.lengths
    if len(nil_rows):
        held[ranked.topic[nil_rows]] = True
        lengths = qrels.nil.lengths(ranked, nil_rows)
        qrels.nil.count(notes, ranked, nil_rows)
    key = qrels.find(ranked.topic, ids)
    if qrels.classes is not None and qrels.abstains is None:
        others = key < 0
        others[nil_rows] &= qrels.nil.convention == "document"
        wrong = ranked.rows.docs.take(numeric(np.flatnonzero(others))).to_pylist()
        notes.seeming = tuple(filter(seems_none, wrong))
    row = np.flatnonzero((key >= 0) & (ranked.rank <= lengths[ranked.topic]))
    key = key[row]
    grade = qrels.grades[key]
    if qrels.classes is not None:
        grade[_repeats_of_classes(qrels.classes, ranked, row, key, grade)] = 0
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
        withheld=ranked.withheld,
        nil=NilLists(qrels.nil.convention, held),
        overlaps=None if qrels.classes is None else overlaps_of(qrels, ranked, lengths),
        missing=ranked.missing,
    )
    return rankings, key


def _repeats_of_classes(classes: Ints, ranked: RankedRows, row: Ints, key: Ints, grade: Ints) -> Ints:
    """The judged rows with another right answer of their class above them; a wrong one does not use it up."""
    right = np.flatnonzero(grade > 0)
    topic, of_class = ranked.topic[row[right]], classes[key[right]]
    order = np.lexsort((ranked.rank[row[right]], of_class, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(of_class[order]) == 0)
    repeated: Ints = right[order[1:][again]]
    return repeated
