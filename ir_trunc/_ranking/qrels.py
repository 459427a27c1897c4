"""Qrels made ready for any number of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ir_trunc._core.errors import InputError, warn
from ir_trunc._core.lazy import cached_property
from ir_trunc._core.rankings import Ints, Judgments, canonical_order, distinct
from ir_trunc._ranking.judged_docs import CodedRows, JudgedDocs
from ir_trunc._ranking.nil import DOCUMENTS, NilRule
from ir_trunc._ranking.ranked import repeats
from ir_trunc._read.arrow import Texts, flat, index_in, numeric, occurs, pa
from ir_trunc._read.rows import PLACEHOLDER, Rows


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgments of a test collection, by document id.

    given: the rows that they are made of. judgments: the grades by topic. topic_ids: the query universe, in
    canonical order. doc_ids: the distinct judged ids. keys, grades: one for each judged document, keys (topic
    x documents + document) ascending. classes: the answer class of each key, where documents are answers of
    which only the first of a class counts. normalise: what is done to a run's ids before they are looked up.
    nil: what a NIL document means.
    """

    given: Rows | CodedRows
    judgments: Judgments
    topic_ids: Texts
    doc_ids: Texts
    keys: Ints
    grades: Ints
    classes: Ints | None
    normalise: Callable[[str], str] | None
    nil: NilRule

    @classmethod
    def of(
        cls,
        given: Rows | CodedRows,
        topics: Iterable[str] = (),
        *,
        levels: Iterable[int] = (),
        normalise: Callable[[str], str] | None = None,
        nil: NilRule | None = None,
    ) -> Qrels:
        """Qrels from rows.

        The query universe may have topics, and the judgement scale levels, that no row names.

        Judgments of a document NIL are left out, with a warning, where the rule gives NIL another meaning.
        """
        nil = nil or DOCUMENTS
        nil_id = normalise(nil.id) if normalise else nil.id
        if nil.means_something and not nil_id:
            raise InputError(
                f"{given.source}: the NIL id {nil.id!r} normalises to nothing: NilRule(id=...) names another."
            )
        universe = list(dict.fromkeys([*given.named_topics(), *map(str, topics)]))
        if not universe:
            raise InputError(f"{given.source}: there is no topic; at least one is needed.")
        names = [universe[at] for at in canonical_order(universe)]
        try:
            topic_ids = Texts.of(names)
        except UnicodeEncodeError as error:
            raise InputError(
                f"{given.source}: topic {error.object!a} is not text that UTF-8 can hold."
            ) from None
        if isinstance(given, CodedRows) and not given.have(nil_id, PLACEHOLDER):
            place = {name: at for at, name in enumerate(names)}
            code = np.array([place[name] for name in given.topics.list()], np.int64)[given.topic]
            doc_ids, doc, classes = given.docs, given.doc, None
            grades = given.grade.astype(np.int64)
        else:
            rows = given.rows() if isinstance(given, CodedRows) else given
            code, rows = _judged(rows, topic_ids.arrow(), nil, nil_id)
            docs = rows.docs.dictionary_encode()
            doc_ids, doc = Texts.of_arrow(docs.dictionary), flat(docs.indices)
            grades = np.asarray(rows.values, dtype=np.int64)
            classes = None if rows.classes is None else flat(rows.classes.indices).astype(np.int64)
        keys = code * max(1, len(doc_ids)) + doc
        order = np.argsort(keys)
        best = np.arange(len(keys)) if classes is None else _best_of_class(code, classes, grades)
        scale = {*levels, *distinct(grades).tolist()}  # an answer below the best of its class has a level too
        return cls(
            given,
            Judgments.from_rows(names, code[best], grades[best], scale),
            topic_ids,
            doc_ids,
            keys[order],
            grades[order],
            None if classes is None else classes[order],
            normalise,
            nil,
        )

    @cached_property
    def rows(self) -> Rows:
        """The judgments as they were given."""
        return self.given.rows() if isinstance(self.given, CodedRows) else self.given

    @cached_property
    def topics(self) -> pa.StringArray:
        """The query universe, in canonical order."""
        return self.topic_ids.arrow()

    @cached_property
    def docs(self) -> pa.StringArray:
        """The distinct judged ids."""
        return self.doc_ids.arrow()

    def changed(self, topics: Iterable[str] = (), nil: NilRule | None = None) -> Qrels:
        """These qrels over a larger query universe, or with another meaning of NIL."""
        known = {*self.judgments.topics, *map(str, topics)}
        levels = self.judgments.levels.tolist()
        return Qrels.of(self.given, known, levels=levels, normalise=self.normalise, nil=nil or self.nil)

    @cached_property
    def judgments_with_nil(self) -> Judgments:
        """The judgments of the ranked lists, whatever the run.

        Where NIL is an answer, it is one more judgment for a nil query.
        """
        return self.judgments.with_nil(max(1, self.judgments.max_rel)) if self.nil.answers else self.judgments

    @property
    def nil_id(self) -> str:
        """The NIL document's id as it is compared."""
        return self.normalise(self.nil.id) if self.normalise else self.nil.id

    def find(self, topic: Ints, docs: pa.StringArray) -> Ints:
        """Where each document is among the keys, -1 where it is not judged.

        topic: of each, as a position among the topics. docs: ids, normalised.
        """
        size = len(self.docs)
        ends = topic.min(initial=len(self.topics)) * size, (topic.max(initial=-1) + 1) * size
        near = distinct(self.keys[slice(*np.searchsorted(self.keys, ends))] % max(1, size))
        code = index_in(docs, self.docs.take(numeric(near)))  # among the documents judged for these topics
        known = np.flatnonzero(code >= 0)
        wanted = topic[known] * size + near[code[known]]
        at = np.searchsorted(self.keys, wanted)
        judged = self.keys[np.minimum(at, len(self.keys) - 1)] == wanted
        found = np.full(len(code), -1)
        found[known[judged]] = at[judged]
        return found

    @cached_property
    def judged_docs(self) -> JudgedDocs:
        """The judged documents as the compiled kernel has them."""
        return JudgedDocs.of(self.topic_ids, self.doc_ids, self.nil.id, self.keys, self.grades)

    @cached_property
    def right_words(self) -> list[list[Counter[str]]]:
        """The words of the right answers of every topic, in the order of the topics."""
        right = np.flatnonzero(self.grades > 0)
        topic, doc = np.divmod(self.keys[right], max(1, len(self.docs)))
        found: list[list[Counter[str]]] = [[] for _ in self.judgments.topics]
        for at, answer in zip(topic.tolist(), self.docs.take(numeric(doc)).to_pylist()):
            found[at].append(Counter(answer.split()))
        return found

    def to_dict(self) -> dict[str, dict[str, int]]:
        """`{topic: {document: grade}}`.

        A topic without judgments has the placeholder, so that every tool sees it.
        """
        topic, doc = np.divmod(self.keys, max(1, len(self.docs)))
        result: dict[str, dict[str, int]] = {name: {} for name in self.judgments.topics}
        for name, document, grade in zip(
            topic, self.docs.take(numeric(doc)).to_pylist(), self.grades.tolist()
        ):
            result[self.judgments.topics[name]][document] = grade
        return {name: docs or {PLACEHOLDER: 0} for name, docs in result.items()}


def _judged(rows: Rows, topics: pa.StringArray, nil: NilRule, nil_id: str) -> tuple[Ints, Rows]:
    """The rows of judgments that count, and where their topics are among these."""
    code = index_in(rows.topics.dictionary, topics)[flat(rows.topics.indices)]
    again = repeats(code, rows.docs)
    if len(again):
        raise rows.twice(int(again[0]), "it is judged twice")
    left_out = occurs(rows.docs, nil_id, PLACEHOLDER)
    is_nil = np.zeros(len(rows), dtype=bool)
    is_nil[left_out] = occurs(rows.docs.take(numeric(np.flatnonzero(left_out))), nil_id)
    if nil.means_something and is_nil.any():
        what = f"{is_nil.sum()} judgment(s) of a document called {nil_id} are left out"
        warn(f"{rows.source}: {what}, since nil={nil.convention!r} gives that id a meaning of its own.")
    if not nil.means_something:
        left_out &= ~is_nil
    return code[~left_out], rows.filter(~left_out)


def _best_of_class(topic: Ints, classes: Ints, grades: Ints) -> Ints:
    """One row for each class of answers, its best; wrong answers each stand for themselves."""
    order = np.lexsort((-grades, classes, topic))
    same = (np.diff(topic[order]) == 0) & (np.diff(classes[order]) == 0)
    first = np.concatenate(([True], ~same))[: len(order)]
    return order[first | (grades[order] <= 0)]
