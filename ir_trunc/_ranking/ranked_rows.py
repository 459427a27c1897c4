"""The rows of a run by rank, topic by topic, and what is noted about them: reported once.

The run's `Reading` selects the sort keys. By default they are the scores as 32-bit floats, as in ir-measures,
pytrec_eval and trec_eval 9, so that truncated and classical measures see the same list. A `NilRule` says what
a document NIL means to its list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, NoReturn, Self, get_args
from unicodedata import normalize

import ir_measures
import numpy as np

from ir_trunc._core.errors import InputError, counted, option, shown, warn
from ir_trunc._core.lazy import pattern, pd
from ir_trunc._core.rankings import Bools, Floats, Ints, distinct, offsets_of
from ir_trunc._output.files import Target, run_lines, write_text
from ir_trunc._read.arrow import flat, index_in, numeric, pa, pc, strings, truths
from ir_trunc._read.reading import DEFAULT, Order, Reading
from ir_trunc._read.rows import PLACEHOLDER, TERMINAL, Rows, Samples

_OF_A_DAY = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}$")  # as ids of Change Detection end
_PRECISION: dict[Order, type[np.floating[Any]]] = {"score": np.float32, "score64": np.float64}

Convention = Literal["ends", "trec2001", "sakai", "document"]


@dataclass(slots=True)
class Notes:
    """What is to be reported of a run. The notes of the parts of a run can be added up.

    Attributes
    ----------
    known : bool
        Whether the qrels have any of the run's topics.
    ignored : int
        The number of topics that are not in the qrels.
    first_ignored : str, optional
        The first of these topics in the order of text.
    cut_by_nil, behind_nil : int
        Lists that NIL ends before their last document, and the documents behind it.
    taken : int
        Lists with a NIL that counts as a document because no rule was chosen.
    lists, tied, rounded : int
        Lists of two documents or more whose order is decided by scores, those of them in which all scores are
        equal, and those with scores that differ only beyond the precision of the order.
    samples : tuple
        Sampled rows of the run. Ranks that do not decide the order are read of these only.
    ended, behind : int
        Lists that end before a row that was not shown, and shown rows behind it.
    seeming : tuple
        Wrong answers that look like abstentions, where none was declared.
    withheld, left : int
        Documents that are withheld, and the lists that they left.
    ends : int
        Whether documents stand for ends of lists.
    """

    known: bool = False
    ignored: int = 0
    first_ignored: str | None = None
    cut_by_nil: int = 0
    behind_nil: int = 0
    taken: int = 0
    lists: int = 0
    tied: int = 0
    rounded: int = 0
    samples: Samples = ()
    ended: int = 0
    behind: int = 0
    seeming: tuple[str, ...] = ()
    withheld: int = 0
    left: int = 0
    ends: int = False

    def add(self, other: Notes) -> None:
        """Count what was noted of another part of the run, too."""
        firsts = [name for name in (self.first_ignored, other.first_ignored) if name is not None]
        self.known, self.first_ignored = self.known or other.known, min(firsts, default=None)
        for name in (each.name for each in fields(self)):
            if name not in ("known", "first_ignored"):
                setattr(self, name, getattr(self, name) + getattr(other, name))

    def unmatched(self, source: str, topics: Sequence[str]) -> InputError | None:
        """The error where no topic of the run is among those of the qrels."""
        if self.first_ignored is None or self.known:
            return None
        of_run = f"the run has {counted(self.ignored, 'topic')}, {shown(self.first_ignored)} for example"
        of_qrels = f"the qrels have {counted(len(topics), 'topic')}, {shown(topics[0])} for example"
        hint = likeness(self.first_ignored, topics)
        return InputError(f"{source}: no topic of the run is in the qrels; {of_run}, {of_qrels}.{hint}")

    def warn(self, source: str, nil_id: str, reading: Reading, topics: Sequence[str] = ()) -> None:
        """Warn of each kind once. `source` is the name of the run."""
        for message in (*self._of_order(reading), *self._of_lists(nil_id, reading, topics)):
            warn(f"{source}: {message}.")

    def _of_order(self, reading: Reading) -> Iterator[str]:
        """Signs that something else than the scores gives the order."""
        ids_decide = f"of {self.lists} lists, so that document ids decide their order"
        if 2 * self.tied > self.lists and not reading.over_ties:
            has_ranks = any(sample.pairs for sample in self.samples)
            others = f", {option('order', 'rank')} the ranks" if has_ranks else ""
            others += f", {option('order', 'score64')} all digits of the scores" if self.rounded else ""
            others += f"; {option('ties', 'expected')} gives the mean score over all orders"
            remedy = f"{option('order', 'file')} takes the rows as they stand{others}"
            yield f"all scores are equal in {self.tied} {ids_decide}; {remedy}"
        elif self.rounded and not reading.over_ties:
            differ = f"scores differ only beyond 32 bits in {self.rounded} {ids_decide}"
            yield f"{differ}; {option('order', 'score64')} compares all digits"
        if not self.samples or reading.without_scores:
            return
        looked_at, rising, uneven = _directions(self.samples, reading.lower_is_better)
        against = looked_at - rising if reading.lower_is_better else rising
        scores_decide = f"of {looked_at} sampled lists, and the scores decide"
        if 2 * against > looked_at:
            remedy = f"if they are distances, {option('lower_is_better', True)}"
            if reading.lower_is_better:
                remedy = f"if higher scores are better, leave {option('lower_is_better', True)} out"
            remedy += f", and if the ranks are right, {option('order', 'rank')}"
            yield f"the ranks run against the scores in {against} {scores_decide}; {remedy}"
        elif 2 * uneven > looked_at:
            file, rank = (option("order", order) for order in ("file", "rank"))
            uneven_lists = f"the scores do not fall with the rank in {uneven} {scores_decide}"
            yield f"{uneven_lists}; {file} takes the rows as they stand, {rank} the ranks"

    def _of_lists(self, nil_id: str, reading: Reading, topics: Sequence[str]) -> Iterator[str]:
        """Signs that lists end elsewhere, and documents and topics that do not count."""
        if reading.stop is None and self.samples:
            marks = {mark for sample in self.samples for mark in sample.marks}
            if len(marks) > 1:
                several = f"the second column has several values ({', '.join(sorted(marks)[:5])})"
                yield f"{several}; if one ends the list, name it: {option('stop', '...')}"
        if reading.stop is not None and not self.ended:
            yield f"no row has the mark {reading.stop} in its second column: no list ends there"
        if reading.withheld is not None:
            left = f"{counted(self.withheld, 'document')} left {counted(self.left, 'list')}"
            yield f"{left}, as {option('withheld')} says"
        if self.behind:
            yield f"{self.behind} documents come after one that was not shown; their lists end before it"
        if self.first_ignored is not None:
            hint, none = likeness(self.first_ignored, topics).rstrip("."), ""
            if reading.keys:
                none = "; what a run returns for these costs it nothing: name all lists by "
                none += option("topics")
                if _OF_A_DAY.search(self.first_ignored):
                    none += ", or score runs of Change Detection by `ir_trunc cdet`"
            elif not hint:
                none = f"; {option('topics')} names those to which nothing is relevant"
            none = f"{'' if self.known else '; no document is left'}{none}{hint and f'.{hint}'}"
            ignored = f"{counted(self.ignored, 'topic')} that {'is' if self.ignored == 1 else 'are'} not"
            yield f"ignored {ignored} in the qrels (for example {self.first_ignored}){none}"
        if self.behind_nil:
            ends = f"{nil_id} ends {self.cut_by_nil} list(s) before their last document"
            yield f"{ends}; {self.behind_nil} document(s) behind it are left out"
        if self.taken:
            lists = f"{self.taken} lists hold" if self.taken > 1 else "1 list holds"
            remedy = f"{option('nil', 'ends')} ends these lists before it"
            yield f"{lists} a document called {nil_id}, taken for a document; {remedy}"


def refuse_ends(source: str) -> NoReturn:
    """Raise the InputError of a run with its ends in it, where something looks at lists or at their ends."""
    holds = f"{source}: it holds {TERMINAL} documents already, as with_terminal adds them for other tools"
    remedy = "Only the measures of ir-measures, without NumRet, take it; give the run as it was"
    raise InputError(f"{holds}. {remedy}.")


def likeness(topic: str, topics: Iterable[str]) -> str:
    """A sentence on an id of the qrels that differs from a run's in a way that may be an accident, or ""."""
    for what, form in (
        ("a byte order mark", lambda text: text.strip("\ufeff")),
        ("leading zeros", lambda text: text.strip().lstrip("0")),
        ("upper and lower case", lambda text: text.strip().casefold()),
        ("the form of its Unicode characters", lambda text: normalize("NFKC", text.strip())),
    ):
        for other in topics:
            if form(other) == form(topic) and other != topic:
                return f" {shown(topic)} and {shown(other)} differ by {what} alone: write them alike."
    return ""


def _directions(samples: Samples, lower_is_better: bool) -> tuple[int, int, int]:
    """The number of lists with ranks and scores, those whose ranks mostly rise with the scores, uneven ones.

    A list is uneven where a document has a better score than one at a better rank.
    """
    looked_at = rising = uneven = 0
    for sample in samples:
        votes: dict[str | bytes, list[int]] = defaultdict(list)
        for (topic, rank, score), (other, next_rank, next_score) in sample.pairs:
            if topic == other and rank != next_rank and score != next_score:
                votes[topic].append(1 if (rank < next_rank) == (score < next_score) else -1)
        looked_at += len(votes)
        rising += sum(sum(of_list) > 0 for of_list in votes.values())
        uneven += sum((-1 if lower_is_better else 1) in of_list for of_list in votes.values())
    return looked_at, rising, uneven


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a run for some topics, by rank."""

    rows: Rows  # one for each document; those of a topic are contiguous
    topic: Ints  # of each row, the position of its topic among the Q topics
    rank: Ints  # of each row, from 1
    lengths: Ints  # of each list (Q)
    starts: Ints  # of each list (Q), the index of its first row
    notes: Notes
    missing: Bools  # topics without a row, and without an empty list, in the run (Q)
    withheld: Ints | None = None  # how many documents left each list (Q)

    def without_ends(self) -> RankedRows:
        """These rows; InputError where ends of lists are among them."""
        return refuse_ends(self.rows.source) if self.notes.ends else self

    @property
    def scores(self) -> Floats | None:
        """The score of each row; None if some rows have no score."""
        if self.rows.unscored is not None and self.rows.unscored.any():
            return None
        return np.asarray(self.rows.values, dtype=np.float64)

    @property
    def falling(self) -> Floats:
        """Scores that put the rows in this order in every tool: their own, or minus their ranks."""
        by_score = ranked_order(self.topic, replace(self.rows, reading=DEFAULT, unscored=None))
        if np.array_equal(by_score, np.arange(len(by_score))):
            return np.asarray(self.rows.values, dtype=np.float64)
        return -self.rank.astype(np.float64)

    def ids(self, place: int, length: int) -> tuple[list[str], int]:
        """The ids of a list down to a length, and how many of its documents have the score of a neighbour."""
        at = int(self.starts[place])
        rows = self.rows.take(np.arange(at, at + length))
        same = np.diff(_keys(rows)) == 0 if rows.reading.order in _PRECISION else np.zeros(0, bool)
        tied = np.append(same, False) | np.append(False, same)
        return rows.docs.to_pylist(), int(tied.sum())

    @classmethod
    def of(cls, run: Rows, topics: pa.StringArray) -> RankedRows:
        """The lists of these topics; a placeholder makes its topic known, and is not in the list."""
        position = index_in(run.topics.dictionary, topics)
        unknown = position < 0  # they get numbers beyond those of the qrels' topics
        position[unknown] = np.arange(len(topics), len(topics) + np.count_nonzero(unknown))
        topic = position[flat(run.topics.indices)]
        duplicates, again = run.reading.duplicates, repeats(topic, run.docs)
        if len(again) and duplicates == "error":
            problem = f"it is in the list twice; {option('duplicates', 'first', 'best')} keeps one of them"
            problem += run.runs_in() if run.runs_in else ""
            raise run.both(int(again[0]), None, problem)
        known = topic < len(topics)
        notes = Notes(known=bool(known.any()), ends=pc.equal(run.docs, _scalar(TERMINAL)).true_count > 0)
        if not known.all():
            codes = pc.unique(run.topics.indices.take(numeric(np.flatnonzero(~known))))
            names = run.topics.dictionary.take(codes)
            notes.ignored, notes.first_ignored = len(names), pc.min(names).as_py()
        missing = np.ones(len(topics), dtype=bool)
        missing[topic[known]] = False
        if run.universe:
            empty = index_in(strings(run.universe), topics)
            missing[empty[empty >= 0]] = False
        keep, left = known & ~truths(pc.equal(run.docs, _scalar(PLACEHOLDER))), None
        if run.reading.withheld is not None:
            leaves = run.reading.withheld.among(run.topics, run.docs) & keep
            keep, left = keep & ~leaves, np.bincount(topic[leaves], minlength=len(topics))
            notes.withheld, notes.left = int(leaves.sum()), int(np.count_nonzero(left))
        if duplicates == "first":
            keep[again] = False
        if not keep.all():
            run, topic = run.filter(keep), topic[keep]
        order = ranked_order(topic, run)
        if (order[1:] < order[:-1]).any():
            run, topic = run.take(order), topic[order]
        keep = np.ones(len(topic), dtype=bool)
        if duplicates == "best":
            keep[repeats(topic, run.docs)] = False
        if run.hidden is not None:
            first_hidden = np.full(len(topics), len(topic))
            np.minimum.at(first_hidden, topic[run.hidden], np.flatnonzero(run.hidden))
            ended = np.arange(len(topic)) >= first_hidden[topic]
            behind = int(np.count_nonzero(ended & ~run.hidden))
            notes.ended, notes.behind = len(distinct(topic[ended])), behind
            keep &= ~ended
        if not keep.all():
            run, topic = run.filter(keep), topic[keep]
        starts = np.zeros(len(topics), dtype=np.int64)
        starts[topic[::-1]] = np.arange(len(topic))[::-1]
        rank = np.arange(len(topic)) - starts[topic] + 1
        lengths = np.bincount(topic, minlength=len(topics))
        notes.samples = run.samples
        if run.reading.order in _PRECISION and run.unscored is None:
            keys, first = _keys(run), starts[lengths > 1]
            last = first + lengths[lengths > 1] - 1
            tied = int(np.count_nonzero(keys[first] == keys[last]))
            same_key = (topic[1:] == topic[:-1]) & (keys[1:] == keys[:-1])
            rounded = same_key & (run.values[1:] != run.values[:-1])
            notes.lists, notes.tied, notes.rounded = len(first), tied, len(distinct(topic[1:][rounded]))
        return cls(run, topic, rank, lengths, starts, notes, missing, left)


@cache
def _scalar(doc: str) -> pa.StringScalar:
    """An id as pyarrow has it: given a text, it would import pandas."""
    return strings([doc])[0]


def repeats(topic: Ints, docs: pa.StringArray) -> Ints:
    """The rows that repeat the topic and document of an earlier row; topics are numbers >= 0."""
    codes = docs.dictionary_encode()
    pairs = topic * len(codes.dictionary) + flat(codes.indices)
    if len(distinct(pairs)) == len(pairs):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(pairs, kind="stable")
    return np.sort(order[1:][np.diff(pairs[order]) == 0])


def _keys(rows: Rows) -> Ints | Floats:
    """The sort key of each row; the highest comes first."""
    keys: Ints | Floats
    if precision := _PRECISION.get(rows.reading.order):
        with np.errstate(over="ignore"):
            keys = rows.values.astype(precision).astype(np.float64)
    elif rows.reading.order == "file":
        keys = -np.arange(len(rows))
    elif rows.ranks is not None:
        keys = -rows.ranks
    else:
        raise InputError(f"{rows.source}: {option('order', 'rank')} needs ranks.")
    return keys if rows.unscored is None else np.where(rows.unscored, rows.values, keys)


def ranked_order(topic: Ints, rows: Rows) -> Ints:
    """The indices that sort the rows by rank. Topics keep their order if the rows of each are contiguous."""
    keys, place = _keys(rows), np.cumsum(np.diff(topic, prepend=topic[:1]) != 0)
    if place.max(initial=-1) >= len(distinct(topic)):
        place = topic
    by_rank = rows.reading.order == "rank"
    columns = pa.table([numeric(place), numeric(keys), rows.docs], ["place", "key", "doc"])
    falling = [("key", "descending")] if by_rank else [("key", "descending"), ("doc", "descending")]
    order: Ints = flat(pc.sort_indices(columns, [("place", "ascending"), *falling])).astype(np.int64)
    if by_rank:
        again = np.flatnonzero((np.diff(place[order]) == 0) & (np.diff(keys[order]) == 0))[:1]
        for row, other in zip(order[again + 1].tolist(), order[again].tolist()):
            problem = f"rank {-int(keys[row])} is in the list twice"
            raise rows.both(row, other, f"{problem}; {option('order', 'file')} takes the rows as they stand")
    return order


@dataclass(frozen=True, eq=False, repr=False)
class Run(Rows):
    """A run as an object: every function takes it where it takes the data that it was read from.

    `read_run` and `truncate` return one, and `with_terminal` and `with_effort` hold one. It knows how it was
    read: its order, its keys and what was withheld are then not said again. Iteration gives a named tuple
    query_id, doc_id, score for each document, which ir-measures takes.

    Attributes
    ----------
    topics, docs, values : arrays
        A row for each document as it was read: its topic, its id and its score.
    further : mapping of str to array
        More columns, by their names: gain, for example.
    given : Reading
        How it was read.
    """

    further: Mapping[str, Floats] = field(default_factory=dict)
    given: Reading = DEFAULT

    @classmethod
    def of_rows(cls, rows: Rows, given: Reading = DEFAULT, **further: Floats) -> Run:
        """The run that has these rows."""
        columns = {each.name: getattr(rows, each.name) for each in fields(Rows)}
        return cls(**columns, further=further, given=given)

    @staticmethod
    def cut(ranked: RankedRows, topics: Iterable[str], lengths: Ints) -> Run:
        """The first documents of the ranked rows of each topic of a run, in their order."""
        places = np.repeat(ranked.starts - offsets_of(lengths)[:-1], lengths) + np.arange(lengths.sum())
        run: Any = ranked.rows
        rows = replace(run, values=ranked.falling, samples=(), lines_of=None, runs_in=None, hidden=None)
        longest = int(lengths.max(initial=0))
        cut_at = longest if longest < ranked.lengths.max(initial=0) else run.cut_at
        reading = replace(rows.reading, stop=None)
        cut: Run = replace(rows.take(places), reading=reading, universe=(*topics,), cut_at=cut_at)
        return cut

    def __repr__(self) -> str:
        lengths = self.cuts.values()
        what = f"{counted(len(lengths), 'list')}, {counted(sum(lengths), 'document')}"
        return f"Run({what}, from {self.source})"

    def __iter__(self) -> Iterator[ir_measures.ScoredDoc]:
        _, ranked = self._ranked()
        rows = ranked.rows.topics.to_pylist(), ranked.rows.docs.to_pylist(), ranked.falling.tolist()
        return map(ir_measures.ScoredDoc, *rows)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "given": self.given.without_functions()}

    def _with_each(self, change: Any) -> Self:
        further = {name: change(column) for name, column in self.further.items()}
        return replace(super()._with_each(change), further=further)

    def _ranked(self) -> tuple[list[str], RankedRows]:
        """The topics in the order of the run, and the rows by rank."""
        topics = [*dict.fromkeys([*self.universe, *self.named_topics()])]
        return topics, RankedRows.of(self, strings(topics))

    @property
    def cuts(self) -> dict[str, int]:
        """The length of every list, `{topic: k}`."""
        topics, ranked = self._ranked()
        return dict(zip(topics, ranked.lengths.tolist()))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{topic: {document: score}}` as it was read; the empty list is `{}`."""
        return {**{topic: {} for topic in self.universe}, **super().to_dict()}

    def to_pandas(self) -> pd.DataFrame:
        """One row for each document: query_id, doc_id, score, rank, and what it has further.

        Topics with the empty list have no row.
        """
        _, ranked = self._ranked()
        rows: Any = ranked.rows
        ids = {"query_id": rows.topics.to_pylist(), "doc_id": rows.docs.to_pylist()}
        costs = {} if rows.costs is None else {"cost": rows.costs}
        return pd.DataFrame({**ids, "score": ranked.falling, "rank": ranked.rank, **costs, **rows.further})

    def write(self, path: Target, tag: str = "ir_trunc") -> None:
        """Write a TREC run; gzipped if the name ends in .gz.

        An empty list is written as the placeholder `__nil__`, which ir_trunc reads as the empty list again.
        """
        write_text(path, self.lines(tag))

    def lines(self, tag: str) -> Iterator[str]:
        """The lines of a TREC run."""
        topics, ranked = self._ranked()
        docs, scores = ranked.rows.docs.to_pylist(), ranked.falling.tolist()
        bounds = zip(ranked.starts.tolist(), (ranked.starts + ranked.lengths).tolist())
        lists = ([*zip(docs[at:end], scores[at:end])] or [(PLACEHOLDER, 0.0)] for at, end in bounds)
        rows = (
            (topic, doc, rank, score)
            for topic, documents in zip(topics, lists)
            for rank, (doc, score) in enumerate(documents, 1)
        )
        return run_lines(rows, tag)


@dataclass(frozen=True)
class NilRule:
    """The meaning of a document NIL, which stands for "there is no answer" in a run.

    Under every convention a topic without answers is a nil query, and the empty list is right for it.

    Parameters
    ----------
    convention : {'ends', 'trec2001', 'sakai', 'document'}
        - 'ends': the list ends before NIL, and documents behind it are left out (Liu et al. 2016).
        - 'trec2001': NIL is a document of gain 1 for a nil query and of gain 0 for others, at any rank.
        - 'sakai': as 'trec2001', but with a gain at rank 1 only (Sakai 2004).
        - 'document': NIL is a document like any other.
    id : str
        The document id of NIL.

    Raises
    ------
    InputError
        If the convention is unknown, or no document can have this id.

    Examples
    --------
    >>> from ir_trunc import NilRule, calc_aggregate
    >>> calc_aggregate("RRT", {"1": {"a": 0}}, {"1": ["none"]}, nil=NilRule("ends", id="none"))
    {RRT: 1.0}
    """

    convention: Convention = "ends"
    id: str = "NIL"
    chosen: bool = field(default=True, repr=False, compare=False, kw_only=True)
    """Whether the user chose this rule. If not, a run that holds the id gets a warning."""
    answers: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether NIL is the only relevant document of a nil query."""

    def __post_init__(self) -> None:
        if not isinstance(self.convention, str) or self.convention not in get_args(Convention):
            conventions = ", ".join(map(repr, get_args(Convention)))
            needed = f"{conventions} or a NilRule is needed; NilRule(id=...) names another id"
            raise InputError(f"nil={shown(self.convention)} is unknown: {needed}.")
        possible = isinstance(self.id, str) and bool(self.id.strip())
        if not possible or self.id == PLACEHOLDER:
            why = ", which never is a document," if possible else ""
            needed = f"a document id other than {PLACEHOLDER!r}{why} is needed"
            raise InputError(f"NilRule(id={shown(self.id)}): {needed}.")
        object.__setattr__(self, "answers", self.convention in ("trec2001", "sakai"))

    def lengths(self, run: RankedRows, nil_rows: Ints) -> Ints:
        """The lengths of the lists (Q), given the rows that hold NIL."""
        lengths = run.lengths.copy()
        if self.convention == "ends":
            lengths[run.topic[nil_rows]] = run.rank[nil_rows] - 1
        return lengths

    def count(self, notes: Notes, run: RankedRows, nil_rows: Ints) -> None:
        """Note what the rows that hold NIL do to the run."""
        if self.convention != "ends":
            notes.taken = 0 if self.chosen else len(nil_rows)
            return
        behind = run.lengths[run.topic[nil_rows]] - run.rank[nil_rows]
        notes.cut_by_nil, notes.behind_nil = int(np.count_nonzero(behind)), int(behind.sum())

    def right(self, run: RankedRows, nil_rows: Ints, nil_queries: Bools) -> Ints:
        """The rows in which NIL is the right answer of its topic."""
        right = nil_rows[nil_queries[run.topic[nil_rows]]]
        return right[run.rank[right] == 1] if self.convention == "sakai" else right


DOCUMENTS = NilRule("document", chosen=False)
"""The default for runs of documents: NIL is an ordinary document, as in every other tool."""


def nil_rule(nil: Any) -> NilRule:
    """The rule of a convention; a rule is returned as it is. InputError for anything else."""
    return nil if isinstance(nil, NilRule) else NilRule(nil)
