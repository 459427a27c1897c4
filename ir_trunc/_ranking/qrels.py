"""Qrels, ready for any number of runs: reading them, and extending them by topics without judgments."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import repeat
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

import numpy as np

from ir_trunc._core.arrays import Texts
from ir_trunc._core.errors import InputError, ParameterError, counted, option, shown, warn
from ir_trunc._core.lazy import cached_property, npt, pd
from ir_trunc._core.parameters import one_of, text, whole
from ir_trunc._core.rankings import HIGHEST_GRADE, Ints, Judgments, Rankings, canonical_order, distinct
from ir_trunc._core.universe import Keys
from ir_trunc._kernel import kernel
from ir_trunc._ranking.ranked_rows import DOCUMENTS, Convention, NilRule, Notes, nil_rule, repeats
from ir_trunc._read.arrow import arrow_texts, flat, index_in, numeric, occurs, pa, pc, text_array, truths
from ir_trunc._read.readers.topics import read_topics, topics_as, warn_of_unjudged
from ir_trunc._read.reading import ANSWERS, DEFAULT, QRELS, RUN, Columns, HowRead, KeysLike, Reading
from ir_trunc._read.registry import Data, Withheld, recognised
from ir_trunc._read.rows import PLACEHOLDER, TERMINAL, Rows
from ir_trunc._read.tables import columns_of, possible_fields

Unjudged = Literal["exclude", "nil"]


@dataclass(eq=False)
class CodedRows:
    """Judgments without repeated pairs of topic and document, with ids as numbers."""

    source: str  # their name in messages
    topics: Texts  # the distinct ids, in the order in which they first occur
    docs: Texts
    topic: npt.NDArray[np.int32]  # of each judgment, the index of its id in `topics`
    doc: npt.NDArray[np.int32]
    grade: Ints | npt.NDArray[np.int32]
    universe: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    asked: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()  # fields whose columns the user named
    unfilled: tuple[tuple[str, int], ...] = ()  # topics with rows without a judgment, and how many of these
    classes: Ints | None = None  # of answers, as numbers

    @classmethod
    def of(cls, rows: Rows) -> CodedRows:
        """From rows; InputError where a document is judged twice for a topic."""
        topics, docs = rows.topics.dictionary_decode().dictionary_encode(), rows.docs.dictionary_encode()
        topic, doc = flat(topics.indices), flat(docs.indices)
        for row in repeats(topic.astype(np.int64), rows.docs)[:1].tolist():
            raise rows.both(row, None, "it is judged twice")
        names, ids = arrow_texts(topics.dictionary), arrow_texts(docs.dictionary)
        grades: Ints = np.asarray(rows.values, np.int64)
        classes = None if rows.classes is None else flat(rows.classes.indices).astype(np.int64)
        others = rows.universe, rows.levels, rows.asked, rows.named, rows.unfilled
        return cls(rows.source, names, ids, topic, doc, grades, *others, classes)

    def named_topics(self) -> list[str]:
        """The distinct topics of the rows."""
        return self.topics.to_list()

    def have(self, doc: str) -> bool:
        """Whether a document is judged."""
        return doc.encode(errors="replace") in bytes(self.docs.data) and doc in self.docs.to_list()

    def take(self, places: Ints) -> CodedRows:
        """Some of the judgments."""
        docs = text_array(self.docs).take(numeric(self.doc[places].astype(np.int64))).dictionary_encode()
        classes = None if self.classes is None else self.classes[places]
        topic, ids, grade = self.topic[places], arrow_texts(docs.dictionary), self.grade[places]
        return replace(self, topic=topic, docs=ids, doc=flat(docs.indices), grade=grade, classes=classes)

    def rows(self) -> Rows:
        """The judgments as rows, in the order of the file."""
        topic, doc = (numeric(codes.astype(np.int64)) for codes in (self.topic, self.doc))
        topics = pa.DictionaryArray.from_arrays(topic.cast(pa.int32()), text_array(self.topics))
        grades = self.grade.astype(np.int64)
        return Rows(self.source, topics, text_array(self.docs).take(doc), grades, universe=self.universe)


def coded_qrels(data: Data, rows: Rows | None = None) -> CodedRows | None:
    """Qrels by the kernel, from data of a common form or from their rows; None where it is not sure."""
    if kernel is None:
        return None
    others: tuple[Any, ...] = (tuple(data.value) if isinstance(data.value, dict) else (),)
    if rows is not None:
        names, ids = arrow_texts(rows.topics.dictionary), arrow_texts(rows.docs)
        columns = names.offsets, names.data, ids.offsets, ids.data, rows.values.astype(np.int64, copy=False)
        read = kernel.qrels_of_columns(flat(rows.topics.indices), *columns, _hash_seed())
        others = rows.universe, rows.levels, rows.asked, rows.named, rows.unfilled
    elif data.reader.compiled is None or data.layout.reading.columns or data.layout.levels:
        return None
    else:
        read = data.reader.compiled.qrels(data, _hash_seed())
    if not read:
        return None
    (topic_ends, topic_ids), (doc_ends, doc_ids), *codes = read
    buffers = topic_ends, doc_ends, *codes
    topic_ends, doc_ends, topic, doc, grade = map(np.frombuffer, buffers, repeat(np.int32))
    topics, docs = Texts(topic_ends, topic_ids), Texts(doc_ends, doc_ids)
    # A stable sort takes a tenth of the time where rows are nearly in order, as those of qrels are.
    pairs = topic * np.int64(max(1, len(docs)))
    pairs += doc
    pairs.sort(kind="stable")
    if not len(pairs) or (pairs[1:] == pairs[:-1]).any():
        return None
    return CodedRows(data.source if rows is None else rows.source, topics, docs, topic, doc, grade, *others)


@cache
def _odd(nil_id: str) -> Texts:
    """The ids with which a list is for Python."""
    return Texts.of([PLACEHOLDER, TERMINAL, nil_id])


@cache
def _hash_seed() -> int:
    """A random seed of the kernel's hashes, so that nobody can construct ids whose hashes collide."""
    return int.from_bytes(os.urandom(8), "little")


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """The judgments of a test collection, by document id.

    Attributes
    ----------
    given : CodedRows
        The judgments from which the qrels are made.
    judgments : Judgments
        The grades by topic.
    topic_ids : Texts
        The query universe, in canonical order.
    doc_ids : Texts
        The distinct ids of judged documents.
    keys, grades : array of int64
        One key (topic x documents + document, ascending) and one grade for each judged document.
    classes : array of int64, optional
        The answer class of each key, where documents are answers of which only the first of a class counts.
    normalise : function, optional
        Applied to the ids of a run before they are looked up.
    nil : NilRule
        The meaning of a NIL document.
    nesting : Keys, optional
        The keys of which the ids of topics consist.
    words : dict, optional
        The grades of the levels that are words.
    """

    given: CodedRows
    judgments: Judgments
    topic_ids: Texts
    doc_ids: Texts
    keys: Ints
    grades: Ints
    classes: Ints | None
    normalise: Callable[[str], str] | None
    nil: NilRule
    nesting: Keys | None = None
    words: Mapping[str, int] | None = None
    abstains: Callable[[str], object] | None = None  # whether an answer of a run stands for none

    @classmethod
    def of(
        cls,
        given: CodedRows,
        topics: Iterable[str] = (),
        *,
        levels: Sequence[int] = (),
        words: Mapping[str, int] | None = None,
        normalise: Callable[[str], str] | None = None,
        nil: NilRule | None = None,
    ) -> Self:
        """Qrels from judgments.

        `topics` and `levels` extend the query universe and the judgement scale beyond those of the rows.
        Judgments of a document NIL are left out, with a warning, where the rule gives NIL another meaning.
        """
        nil = nil or DOCUMENTS
        nil_id = normalise(nil.id) if normalise else nil.id
        of_rows = given.topics.to_list()
        universe = list(dict.fromkeys([*of_rows, *map(str, topics)]))
        if not universe:
            raise InputError(f"{given.source}: there is no topic; at least one is needed.")
        place = canonical_order(universe)
        is_sorted = place == list(range(len(place)))
        names = universe if is_sorted else [universe[q] for q in place]
        try:
            topic_ids = given.topics if is_sorted and len(universe) == len(of_rows) else Texts.of(names)
        except UnicodeEncodeError as error:
            why = f"topic {error.object!a} is not text that UTF-8 can hold"
            raise InputError(f"{given.source}: {why}.") from None
        rows = given
        if given.have(nil_id) or given.have(PLACEHOLDER):
            rows = _without_nil(given, nil, nil_id)
        # The topics of the rows are the first of the universe.
        code = rows.topic.astype(np.int64) if is_sorted else np.argsort(place)[rows.topic]
        doc_ids, grades, classes = rows.docs, rows.grade.astype(np.int64), rows.classes
        scale = list(levels)
        if classes is None:
            judgments = Judgments.from_rows(names, code, grades, scale)
        else:
            scale += distinct(grades).tolist()  # of a class, too, the levels below its best answer
            best = _best_of_classes(code, classes, grades)
            judgments = Judgments.from_rows(names, code[best], grades[best], scale)
        if levels:
            judgments = replace(judgments, scale_declared=True)
        keys = code * max(1, len(doc_ids))
        keys += rows.doc
        order = keys.argsort(kind="stable")
        columns = keys[order], grades[order], None if classes is None else classes[order]
        return cls(given, judgments, topic_ids, doc_ids, *columns, normalise, nil, words=words)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is in the kernel's memory, which is built anew."""
        return {name: value for name, value in vars(self).items() if name != "in_kernel"}

    def __repr__(self) -> str:
        return f"Qrels({self.judgments.described})"

    @cached_property
    def rows(self) -> Rows:
        """The judgments from which the qrels are made."""
        return self.given.rows()

    @cached_property
    def in_kernel(self) -> Any:
        """The judged documents in the kernel's memory; None where it cannot look those of a run up."""
        if kernel is None or self.classes is not None or self.normalise is not None:
            return None
        texts = self.topic_ids, self.doc_ids, _odd(self.nil.id)
        buffers = [buffer for ids in texts for buffer in (ids.offsets, ids.data)]
        return kernel.judged(*buffers, self.keys, self.grades, _hash_seed())

    @property
    def topics(self) -> pa.StringArray:
        """The query universe, in canonical order."""
        return text_array(self.topic_ids)

    @property
    def docs(self) -> pa.StringArray:
        """The distinct ids of judged documents."""
        return text_array(self.doc_ids)

    def changed(self, topics: Iterable[str] = (), nil: NilRule | None = None) -> Qrels:
        """These qrels over a larger query universe, or with another meaning of NIL."""
        universe = {*self.judgments.topics, *map(str, topics)}
        levels = self.judgments.levels.tolist() if self.judgments.scale_declared else ()
        kept: Any = {"levels": levels, "words": self.words, "normalise": self.normalise}
        changed = Qrels.of(self.given, universe, nil=nil or self.nil, **kept)
        return replace(changed, nesting=self.nesting, abstains=self.abstains)

    of_answers: ClassVar[bool] = False  # whether answers are graded, and not documents

    def completed(self, rankings: Rankings, notes: Notes, source: str) -> Rankings:
        """The lists of a run with what graded answers say of them. notes: those of the run."""
        raise NotImplementedError

    def without(self, withheld: Withheld | None) -> Qrels:
        """These qrels without judgments of documents that are withheld."""
        if withheld is None:
            return self
        leaves, topics = withheld.among(self.rows.topics, self.rows.docs), self.judgments.topics
        if not leaves.any():
            return self
        return replace(self, given=self.given.take(np.flatnonzero(~leaves))).changed(topics)

    def with_keys(self, keys: Keys | None) -> Qrels:
        """These qrels with keys, of which all ids of topics must consist."""
        if keys is None or keys == self.nesting:
            return self
        if self.nesting is not None:
            raise InputError(f"keys={str(keys)!r}: these qrels were read with keys={str(self.nesting)!r}.")
        keys.split(self.judgments.topics, self.given.source)
        return replace(self, nesting=keys)

    @cached_property
    def judgments_with_nil(self) -> Judgments:
        """The judgments of the lists of every run: where NIL is an answer, each nil query has one more."""
        judgments = self.judgments
        return judgments.with_nil(max(1, judgments.max_rel)) if self.nil.answers else judgments

    @property
    def nil_id(self) -> str:
        """The id of the NIL document, normalised as those of a run are."""
        return self.normalise(self.nil.id) if self.normalise else self.nil.id

    def find(self, topic: Ints, docs: pa.StringArray) -> Ints:
        """The index of each document in `keys`, -1 where it is not judged.

        `topic` has the position of each document's topic, `docs` the normalised ids.
        """
        size, all_docs = len(self.doc_ids), text_array(self.doc_ids)
        ends = topic.min(initial=len(self.topic_ids)) * size, (topic.max(initial=-1) + 1) * size
        near = distinct(self.keys[slice(*np.searchsorted(self.keys, ends))] % max(1, size))
        code = index_in(docs, all_docs.take(numeric(near)))  # among the documents judged for these topics
        rows = np.flatnonzero(code >= 0)
        keys = topic[rows] * size + near[code[rows]]
        places = np.searchsorted(self.keys, keys)
        judged = self.keys[np.minimum(places, len(self.keys) - 1)] == keys
        indices = np.full(len(code), -1)
        indices[rows[judged]] = places[judged]
        return indices

    @cached_property
    def right_words(self) -> list[list[Counter[str]]]:
        """The words of the right answers of every topic, in the order of the topics."""
        right = np.flatnonzero(self.grades > 0)
        topic, doc = np.divmod(self.keys[right], max(1, len(self.docs)))
        words: list[list[Counter[str]]] = [[] for _ in self.judgments.topics]
        for q, answer in zip(topic.tolist(), self.docs.take(numeric(doc)).to_pylist()):
            words[q].append(Counter(answer.split()))
        return words

    def summary(self) -> pd.DataFrame:
        """Numbers of topics, of nil queries, of topics with R relevant documents, and of documents by level.

        Of answers in classes, R is the number of classes, and levels are counted over all answers.
        """
        positive = self.judgments.grades > 0
        relevant = np.bincount(self.judgments.rows[positive], minlength=len(self.topic_ids))
        sizes, topics = np.unique(relevant, return_counts=True)
        # Where a "2" in the file is worth 1, its level is called by its grade.
        word_of = {grade: word for word, grade in (self.words or {}).items() if not word.isdecimal()}
        grades, documents = np.unique(self.grades[self.grades > 0], return_counts=True)
        counts = {("topics", "all"): len(relevant), ("topics", "nil"): int((relevant == 0).sum())}
        counts |= {("R", str(size)): count for size, count in zip(sizes.tolist(), topics.tolist())}
        levels = [str(word_of.get(grade, grade)) for grade in grades.tolist()]
        counts |= {("level", level): count for level, count in reversed([*zip(levels, documents.tolist())])}
        index = pd.MultiIndex.from_tuples(counts, names=["of", "value"])
        return pd.DataFrame({"count": [*counts.values()]}, index)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """`{topic: {document: grade}}`, with a placeholder for a topic without judgments."""
        topics = self.judgments.topics
        topic, doc = np.divmod(self.keys, max(1, len(self.docs)))
        result: dict[str, dict[str, int]] = {name: {} for name in topics}
        for q, document, grade in zip(topic, self.docs.take(numeric(doc)).to_pylist(), self.grades.tolist()):
            result[topics[q]][document] = grade
        return {name: docs or {PLACEHOLDER: 0} for name, docs in result.items()}


def _each_once(data: Data) -> CodedRows:
    """Judgments without those that repeat one; InputError where two contradict each other."""
    rows = data.all_rows()
    pa.default_memory_pool().release_unused()  # or Arrow keeps what reading took
    coded = coded_qrels(data, rows) or CodedRows.of(without_repeats(rows))
    del rows
    pa.default_memory_pool().release_unused()
    return coded


def without_repeats(rows: Rows) -> Rows:
    """Judgments without those that repeat one, which a warning counts; InputError for a contradiction."""
    topics = flat(rows.topics.indices).astype(np.int64)
    docs = rows.docs.take(numeric(repeats(topics, rows.docs)))
    pa.default_memory_pool().release_unused()
    twice = np.flatnonzero(truths(pc.is_in(rows.docs, value_set=docs)))
    docs = rows.docs.take(numeric(twice)).dictionary_encode()
    pairs = topics[twice] * len(docs.dictionary) + flat(docs.indices)
    _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
    later = first[place] < np.arange(len(twice))
    again, before = twice[later], twice[first[place[later]]]
    for row in again[rows.values[again] != rows.values[before]][:1].tolist():
        raise rows.both(row, None, "it is judged twice")
    if len(again):
        what = f"{counted(len(again), 'judgment')} {'is' if len(again) == 1 else 'are'} there twice"
        example = f"topic {rows.topics[int(again[0])]}, document {rows.docs[int(again[0])]}"
        warn(f"{rows.source}: {what}, with the same grade (for example {example}), and count once.")
        rows = rows.filter(np.bincount(again, minlength=len(rows)) == 0)
    return rows


def _without_nil(rows: CodedRows, nil: NilRule, nil_id: str) -> CodedRows:
    """The judgments of documents: no placeholder, and no NIL where that id has a meaning of its own."""
    docs = text_array(rows.docs)
    left_out = occurs(docs, PLACEHOLDER)[rows.doc]
    if nil.convention != "document":
        is_nil = occurs(docs, nil_id)[rows.doc]
        left_out |= is_nil
        if is_nil.any():
            what = f"{is_nil.sum()} judgment(s) of a document called {nil_id} are left out"
            warn(f"{rows.source}: {what}, since nil={nil.convention!r} gives that id a meaning of its own.")
    return rows.take(np.flatnonzero(~left_out))


def _best_of_classes(topic: Ints, classes: Ints, grades: Ints) -> Ints:
    """The rows of the best answer of each class, and those of every wrong answer."""
    by_class = np.lexsort((-grades, classes, topic))
    again = (np.diff(topic[by_class]) == 0) & (np.diff(classes[by_class]) == 0)
    first = np.concatenate(([True], ~again))[: len(by_class)]
    best: Ints = by_class[first | (grades[by_class] <= 0)]
    return best


class Frame(Protocol):
    """A table that Arrow's C stream takes: of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a stream."""


class WithQrels(Protocol):
    """A data set of ir_datasets that has qrels."""

    def qrels_iter(self) -> Any:
        """Its judgments."""


class Labels:
    """Labels of more than one kind, which correct each other: the base of `ir_trunc.Judged`."""

    mixed: Any  # Qrels: one label for each document

    def scorer(self, evaluator: Any) -> Callable[[Any, Any, bool], Any]:
        """What scores a run by all kinds of labels: `scorer(evaluator)(evaluator, run, keep_scores)`."""
        raise NotImplementedError

    def lists(self, run: Any, **options: Any) -> tuple[Any, Any, Any, str]:
        """A run by the first labels, by the second ones, for which topics these are, and how they agree."""
        raise NotImplementedError


class PathWithLevels(str):
    """The path of qrels whose levels are words, with their grades, as commands hand it on."""

    levels: Mapping[str, int]


QrelsLike = (
    str
    | os.PathLike[str]
    | Mapping[Any, Mapping[Any, int] | Collection[Any]]
    | Iterable[Sequence[Any] | Mapping[str, Any]]
    | Frame
    | WithQrels
    | Labels
    | Qrels
)
"""Qrels in any of their forms.

A path of a file (TREC, NTCIR, JSON, CSV, Parquet; plain or gzipped) or of a folder of BEIR, or the id of an
ir_datasets data set; `{topic: {document: grade}}`, or `{topic: [relevant document, ...]}`; named tuples with
query_id, doc_id and relevance, plain tuples in this order, or dicts with these names; a frame or a Hugging
Face Dataset with these columns; an ir_datasets data set; or what `read_qrels` or `read_answers` returns.
"""


def read_qrels(
    data: QrelsLike,
    topics: Any = None,
    *,
    nil: NilRule | Convention | None = None,
    columns: Mapping[str, Any] | None = None,
    keys: KeysLike | None = None,
    unjudged: Unjudged | None = None,
    levels: Mapping[str, int] | None = None,
) -> Qrels:
    """Qrels ready for any number of runs.

    Parameters
    ----------
    data : QrelsLike
        In any form that `calc` takes. A data set of ir_datasets brings its judgement scale. `Qrels` are
        returned as they are, unless `topics` or `nil` change them.
    topics : optional
        More topics of the query universe, in any form that `read_topics` takes. A warning counts those that
        the qrels lack.
    nil : {'document', 'ends', 'trec2001', 'sakai'} or NilRule, optional
        What a NIL document in a run means: like any other by default.
    columns : dict, optional
        The names of the columns of a table, as `{"doc_id": "chunk", "relevance": "grade"}`.
    keys : tuple of str or str, optional
        The keys that identify a list together, outermost first, see `Reading`.
    unjudged : {'exclude', 'nil'}, optional
        Topics of a data set or of a folder of BEIR that have no judgment: they are not scored, or are nil
        queries. By default they are not scored, and a warning counts them.
    levels : dict, optional
        The grades of levels that are words, as `{"S": 3, "A": 2, "B": 1}`; they are the judgement scale.
        Whole numbers stay what they are.

    Returns
    -------
    Qrels

    Raises
    ------
    InputError
        Where the qrels or the topics cannot be read as such.
    ParameterError
        Where `nil` is neither a convention nor a rule.

    Examples
    --------
    >>> from ir_trunc import read_qrels
    >>> read_qrels({"q1": {"a": 1, "b": 0}}, topics=["q1"]).to_dict()
    {'q1': {'a': 1, 'b': 0}}
    """
    reading, words = Reading(columns=columns, keys=keys), checked_levels(levels)
    return _read_qrels(data, reading, topics, nil, unjudged, words)


def checked_levels(levels: Any) -> dict[str, int] | None:
    """The grades of levels that are words; ParameterError where they are none."""
    if levels is None:
        return None
    if not isinstance(levels, Mapping) or not levels:
        needed = "grades of levels, as {'S': 3, 'A': 2, 'B': 1}"
        raise ParameterError(f"levels={shown(levels)}: {needed}, are needed.")
    ends = -HIGHEST_GRADE, HIGHEST_GRADE
    return {text("levels", word): whole(f"levels, {word}", grade, *ends) for word, grade in levels.items()}


def _read_qrels(
    data: Any,
    reading: Reading,
    topics: Any,
    nil: Any,
    unjudged: str | None,
    words: Mapping[str, int] | None = None,
) -> Qrels:
    """As `read_qrels`, with columns and keys in one."""
    rule = None if nil is None else nil_rule(nil)
    more = [] if topics is None else topics_as(topics, reading)
    if isinstance(data, PathWithLevels):
        words = data.levels
    if isinstance(data, Qrels):
        names = reading.names if reading.names.needed else None
        for name, value in {"unjudged": unjudged, "levels": words, "columns": names}.items():
            if value is not None:
                given = f"{name}={value!r}"
                raise InputError(f"{given}: these qrels were read before; read_qrels takes {name} there.")
        if topics is not None:
            warn_of_unjudged(topics, more, data.judgments.topics, data.given.source)
        return (data.changed(more, rule) if more or rule else data).with_keys(reading.nesting)
    layout = QRELS if reading is DEFAULT and words is None else replace(QRELS, reading=reading, levels=words)
    source = recognised(data, layout)
    rows = coded_qrels(source) or _each_once(source)
    if rows.unfilled:
        warn_of_unfilled(rows)
    # Topics that come with a data set belong to it: those without judgments need no warning.
    if topics is not None:
        warn_of_unjudged(topics, more, {*rows.named_topics(), *rows.universe}, rows.source)
    if rows.asked or unjudged is not None:
        more += _asked(rows, more, unjudged)
    scale = [*words.values()] if words else rows.levels
    read = Qrels.of(rows, [*rows.universe, *more], levels=scale, words=words, nil=rule)
    return read if reading.keys is None else read.with_keys(reading.nesting)


def warn_of_unfilled(rows: CodedRows) -> None:
    """Warn of rows without a judgment."""
    count = sum(number for _, number in rows.unfilled)
    what = f"{count} of {counted(count + len(rows.grade), 'row')} have no judgment"
    warn(f"{rows.source}: {what} (for example topic {rows.unfilled[0][0]}) and count as unjudged.")


def _asked(rows: CodedRows, topics: Collection[str], unjudged: str | None) -> list[str]:
    """The topics of the qrels' collection that count as nil queries."""
    if unjudged is not None:
        one_of("unjudged", unjudged, get_args(Unjudged))
    if not rows.asked:
        if unjudged == "nil":
            what = f"{option('unjudged', 'nil')} is for data sets that have topics"
            raise InputError(f"{rows.source}: {what}; {option('topics')} names those of other qrels.")
        return []
    scored = {*rows.named_topics(), *rows.universe, *topics}
    others = [topic for topic in rows.asked if topic not in scored]
    if others and unjudged is None:
        number = f"{len(others)} of {counted(len(others) + len(scored), 'topic')}"
        what = f"{number} have no judgment (for example {others[0]}) and are not scored"
        nil, exclude = (option("unjudged", word) for word in ("nil", "exclude"))
        warn(f"{rows.source}: {what}; {nil} counts them as nil queries, {exclude} confirms.")
    return others if unjudged == "nil" else []


def read_qrels_of_runs(
    data: Any,
    topics: Any = None,
    *,
    nil: NilRule | Convention | None = None,
    unjudged: Unjudged | None = None,
    reading: HowRead,
) -> tuple[Qrels, HowRead]:
    """Qrels, and the options for reading their runs: each column that is named must be in one of the two."""
    # A wrong option is an error before the qrels are read.
    qrels, of_runs = ready_qrels(data, Reading.of(**reading), topics, nil, unjudged)
    return qrels, {name: getattr(of_runs, name) for name in (*reading, "columns", "keys")}  # type: ignore[return-value]


def ready_qrels(data: Any, reading: Reading, topics: Any, nil: Any, unjudged: Any) -> tuple[Qrels, Reading]:
    """Qrels, and how their runs are read: each column that is named must be in one of the two."""
    how = DEFAULT if reading.keys is None else Reading(keys=reading.of_questions)
    if reading.columns is None:
        qrels = _read_qrels(data, how, topics, nil, unjudged)
    else:
        names = reading.names
        # A name that is given for a field of runs never takes a column of the qrels.
        own = {field: name for field, name in names.items() if field in possible_fields(ANSWERS)}
        how = replace(how, columns=Columns(own, names.needed - set(possible_fields(RUN))))
        qrels = _read_qrels(data, how, topics, nil, unjudged)
        used = frozenset() if isinstance(data, Qrels) else qrels.given.named
        reading = replace(reading, columns=Columns(names, names.needed - used))
    if reading.withheld is not None:
        withheld = Withheld.of(reading.withheld)
        qrels, reading = qrels.without(withheld), replace(reading, withheld=withheld)
    same = reading.keys is not None and qrels.nesting == reading.of_questions
    return qrels, reading if same or qrels.nesting is None else replace(reading, keys=qrels.nesting)


def with_topics(qrels: QrelsLike, topics: Any) -> Any:
    """Qrels over a larger query universe.

    Topics without judgments are made visible by a placeholder, which is never a document. The caller's qrels
    stay as they are.

    Parameters
    ----------
    qrels : QrelsLike
        In any form that `calc` takes.
    topics
        In any form that `read_topics` takes. A warning counts those without judgments.

    Returns
    -------
    dict, pandas.DataFrame, list of named tuples or Qrels
        The form of the qrels, for use with ir-measures or PyTerrier; `Qrels` for all other forms.

    Raises
    ------
    InputError
        Where the qrels or the topics cannot be read as such.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.with_topics({"1": {"a": 1}, "2": {}}, ["1", "2"])
    {'1': {'a': 1}, '2': {'__nil__': 0}}
    """
    import pandas as pd
    from ir_measures import Qrel

    from ir_trunc._read.readers.memory import dicts, named_tuples

    if isinstance(qrels, Qrels):
        return read_qrels(qrels, topics)
    data = recognised(qrels, QRELS)
    rows, universe = data.all_rows(), read_topics(topics)
    present = {*rows.named_topics(), *rows.universe}
    warn_of_unjudged(topics, universe, present, rows.source)
    missing = [topic for topic in universe if topic not in present]
    if data.reader is dicts and all(isinstance(docs, Mapping) for docs in data.value.values()):
        own = dict(zip(rows.universe, data.value))  # which may be numbers
        empty = [own[topic] for topic in universe if topic in own and not data.value[own[topic]]]
        return {**data.value, **{topic: {PLACEHOLDER: 0} for topic in [*empty, *missing]}}
    if data.reader is named_tuples:
        return [*data.value, *(Qrel(topic, PLACEHOLDER, 0) for topic in missing)]
    if not isinstance(data.value, pd.DataFrame):
        return Qrels.of(CodedRows.of(rows), [*rows.universe, *missing], levels=rows.levels)
    if not data.value.columns.is_unique:
        raise InputError("qrels: two columns of the frame have the same name; each needs its own.")
    values = {"query_id": missing, "doc_id": PLACEHOLDER, "relevance": 0}
    names = columns_of(data.value.columns, QRELS, rows.source)
    added = pd.DataFrame({name: values[field] for field, name in names.items()})
    return pd.concat([data.value, added], ignore_index=True) if missing else data.value.copy()
