"""Judgments, and one system's ranked lists, as flat arrays: methods that change lists return new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from ir_trunc._core import arrays
from ir_trunc._core.arrays import Bools, Floats, Ints, distinct, first_of, offsets_of, sizes_of
from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import InputError, ParameterError, counted, repeated, shown, warn
from ir_trunc._core.lazy import cached_property, npt
from ir_trunc._core.parameters import instance, number, several
from ir_trunc._core.universe import Universe

__all__ = ["Bools", "Floats", "Ints", "distinct", "first_of", "offsets_of", "sizes_of"]
__all__ += ["HIGHEST_GRADE", "Judgments", "NilLists", "Rankings", "canonical_order"]

HIGHEST_GRADE = 2**31 - 1


def canonical_order(topics: Sequence[str]) -> list[int]:
    """Positions that put topics in their one order: as numbers where all are numbers, as text otherwise."""
    joined = "".join(topics)
    if not (joined.isascii() and joined.isdigit() and all(topics)):
        return sorted(range(len(topics)), key=topics.__getitem__)
    numbers = [topic.lstrip("0") for topic in topics]  # not int(): ids may have thousands of digits
    keys = [*zip(map(len, numbers), numbers, topics)]
    return sorted(range(len(topics)), key=keys.__getitem__)


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """The grades of all judged documents of every topic, best first, without document ids."""

    topics: tuple[str, ...]  # Q ids in canonical order
    offsets: Ints  # Q + 1, into `grades`
    grades: Ints  # descending in each topic; negative grades stay negative
    levels: Ints  # positive grades of the scale, ascending; `take` keeps them: they belong to the collection
    by_nil: Bools | None = None  # nil queries (Q) whose only relevant document is NIL, added by `with_nil`
    scale_declared: bool = False  # by the data set; if not, `levels` are the grades that occur
    computed: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    """What measures have computed from these judgments, once for all runs."""

    def __post_init__(self) -> None:
        arrays.check_integers("grades", self.grades)
        arrays.check_integers("levels", self.levels)
        arrays.check_offsets("offsets of the judgments", self.offsets, len(self.topics), len(self.grades))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "rows"} | {"computed": {}}

    def __repr__(self) -> str:
        return f"Judgments({self.described})"

    @property
    def described(self) -> str:
        """How many topics, nil queries and judgments of each grade there are, in a line."""
        nil = int(self.nil_queries.sum())
        some_nil = f", {nil} of them {'a nil query' if nil == 1 else 'nil queries'}" if nil else ""
        grades, counts = np.unique(self.grades, return_counts=True)
        of_each = ", ".join(f"{count} of grade {grade}" for grade, count in zip(grades, counts))
        shown = of_each if len(grades) <= 6 else f"grades from {grades[0]} to {grades[-1]}"
        judgments = counted(len(self.grades), "judgment")
        return f"{counted(len(self.topics), 'topic')}{some_nil}; {judgments}{shown and ': '}{shown}"

    @classmethod
    def unchecked(cls, topics: tuple[str, ...], offsets: Ints, grades: Ints, levels: Ints) -> Judgments:
        """Judgments of arrays that are known to fit together."""
        judgments = object.__new__(cls)
        vars(judgments).update(topics=topics, offsets=offsets, grades=grades, levels=levels, computed={})
        return judgments

    @property
    def nil_queries(self) -> Bools:
        """Which topics have no relevant document except NIL (Q)."""
        relevant: Ints = np.bincount(self.rows[self.grades > 0], minlength=len(self.topics))
        none: Bools = relevant == 0
        return none if self.by_nil is None else none | self.by_nil

    @property
    def max_rel(self) -> int:
        """The highest grade of the judgement scale; 0 where nothing is relevant."""
        return int(self.levels[-1]) if len(self.levels) else 0

    @property
    def scale_is_open(self) -> bool:
        """Whether the scale may go on above its highest known grade: it is inferred, and has gaps."""
        return not self.scale_declared and self.max_rel > len(self.levels)

    @cached_property
    def most_judged(self) -> int:
        """The largest number of judged documents of a topic."""
        return int(sizes_of(self.offsets).max(initial=0))

    @classmethod
    def from_rows(
        cls, topics: Sequence[str], rows: Ints, grades: Ints, levels: Iterable[int] = ()
    ) -> Judgments:
        """Judgments of documents in any order. levels: grades of the scale, which need not occur."""
        # One sort of both takes a fifth of the time.
        keys = rows << 32
        keys |= HIGHEST_GRADE - grades
        keys.sort(kind="stable")
        offsets = offsets_of(np.bincount(rows, minlength=len(topics)))
        keys &= 2**32 - 1
        descending, scale = np.subtract(HIGHEST_GRADE, keys, out=keys), distinct(grades)
        if further := list(levels):
            scale = distinct(np.append(scale, further))
        return cls.unchecked(tuple(topics), offsets, descending, scale[scale.searchsorted(1) :])

    def with_nil(self, grade: int) -> Judgments:
        """The judgments with a document NIL of this grade for each nil query."""
        nil = self.nil_queries
        rows = np.append(self.rows, np.flatnonzero(nil))
        grades = np.append(self.grades, np.full(int(nil.sum()), grade))
        answered = Judgments.from_rows(self.topics, rows, grades, self.levels)
        return replace(answered, by_nil=nil, scale_declared=self.scale_declared)

    def without_nil(self) -> Judgments:
        """The judgments without the documents that `with_nil` added."""
        if self.by_nil is None:
            return self
        kept = ~(self.by_nil[self.rows] & (self.grades > 0))
        offsets = offsets_of(np.bincount(self.rows[kept], minlength=len(self.topics)))
        return replace(self, offsets=offsets, grades=self.grades[kept], by_nil=None)

    def take(self, positions: Ints) -> Judgments:
        """The judgments of some of the topics, by their positions."""
        counts = sizes_of(self.offsets)[positions]
        return replace(
            self,
            topics=tuple(self.topics[q] for q in positions),
            offsets=offsets_of(counts),
            grades=self.grades[arrays.indices_of_rows(self.offsets[positions], counts)],
            by_nil=None if self.by_nil is None else self.by_nil[positions],
        )

    @cached_property
    def rows(self) -> Ints:
        """The position of the topic of every entry of `grades`."""
        return np.arange(len(self.topics)).repeat(sizes_of(self.offsets))


@dataclass(frozen=True, eq=False)
class NilLists:
    """The lists of a run that hold the document NIL."""

    convention: str  # of a NilRule
    held: Bools  # which lists hold NIL (Q), before the convention shortens them

    def __len__(self) -> int:
        return int(self.held.sum())


# The type of each array of `Rankings`, and of what it holds one value each.
_ARRAYS = {
    "lengths": ("int64", "topics"),
    "starts": ("int64", "topics"),
    "judged_ranks": ("int64", "judged_ranks"),
    "judged_grades": ("int64", "judged_ranks"),
    "scores": ("float64 | None", "documents"),
    "costs": ("float64 | None", "documents"),
    "first_scores": ("float64 | None", "topics"),
    "overlaps": ("float64 | None", "topics"),
    "missing": ("bool | None", "topics"),
    "withheld": ("int64 | None", "topics"),
}

# The types of its other fields, which but for the judgments may be None.
_OBJECTS: dict[str, type] = {
    "judgments": Judgments, "nil": NilLists, "answers": Mapping, "depths": tuple, "universe": Universe,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Rankings:
    """One system's ranked list for every topic of the judgments.

    A topic without documents has the empty list. `Rankings.from_lists` makes rankings from grades, and
    `ir_trunc.rank` makes them from a run.

    Document ids are not kept. Of each list, the arrays hold the length and the judged documents by rank; all
    other documents are unjudged. Scores and costs of all documents are optional.

    Parameters
    ----------
    judgments : Judgments
        The grades of all judged documents of Q topics.
    lengths : array of int64
        The number of documents in each list (Q).
    judged_offsets : array of int64
        Offsets (Q + 1) into the next two arrays: list `q` owns the slice from `judged_offsets[q]` to
        `judged_offsets[q + 1]`.
    judged_ranks, judged_grades : array of int64
        The rank of each judged document, from 1 and ascending in its list, and its grade.
    starts : array of int64
        Where each list begins in `scores` and `costs` (Q).
    scores : array of float64, optional
        List `q` has the scores `scores[starts[q]:starts[q] + lengths[q]]`.
    costs : array of float64, optional
        The cost of reading each document, in units of gain, at the index of its score. By default all
        documents cost the same.
    first_scores : array of float64, optional
        The score of each list's first document (Q), -inf for an empty list. Measures use no other scores.
    nil : NilLists, optional
        Which lists hold the document NIL.
    overlaps : array of float64, optional
        Where documents are answers: the token F1 of each list's first answer with the nearest right one (Q).
    answers : dict of Curve, optional
        Where answers are graded, and not documents: their 'score' at each depth, whether it is 'right', and
        their 'cost' where it is known.
    depths : tuple of int, optional
        The depths at which these were graded, where others were not.
    missing : array of bool, optional
        The topics without rows in the run (Q).
    withheld : array of int64, optional
        The number of documents that left each list before ranks were given (Q).
    universe : Universe, optional
        What was assumed when the run was read.

    Raises
    ------
    InputError
        If the arrays do not fit together, or a value is not finite.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> Rankings.from_lists([[1, None, 1], []], judged=[[1, 1, 1], []])
    Rankings(2 topics, 3 documents, 2 of them judged)
    """

    judgments: Judgments
    lengths: Ints
    judged_offsets: Ints
    judged_ranks: Ints
    judged_grades: Ints
    starts: Ints
    scores: Floats | None = None
    costs: Floats | None = None
    first_scores: Floats | None = None
    nil: NilLists | None = None
    overlaps: Floats | None = None
    answers: Mapping[str, Curve] | None = None
    depths: tuple[int, ...] | None = None
    missing: Bools | None = None
    withheld: Ints | None = None
    universe: Universe | None = None

    def __post_init__(self) -> None:
        for name, kind in _OBJECTS.items():
            if getattr(self, name) is not None or name == "judgments":
                instance(name, getattr(self, name), kind, kind.__name__)
        documents = self.costs if self.scores is None else self.scores
        axes = {"topics": self.topics, "judged_ranks": self.judged_ranks, "documents": documents}
        for name, (dtype, axis) in _ARRAYS.items():
            arrays.check_array(name, getattr(self, name), dtype, axis, axes[axis])
        topics, lengths, ranks = self.topics, self.lengths, self.judged_ranks
        arrays.check_offsets("judged_offsets", self.judged_offsets, len(self), len(ranks))
        for q in arrays.first_true(lengths < 0):
            raise InputError(f"topic {topics[q]}: a length of {lengths[q]}; a list has 0 documents or more.")
        row = self.judged_rows
        above = np.append(0, ranks[:-1])
        above[self.judged_offsets[:-1][sizes_of(self.judged_offsets) > 0]] = 0
        for at in arrays.first_true((ranks <= above) | (ranks > lengths[row])):
            document = f"a judged document at rank {ranks[at]} of {lengths[row[at]]} documents"
            needed = f"after rank {above[at]}; rising ranks from 1 to the list's length are needed"
            raise InputError(f"topic {topics[row[at]]}: {document}, {needed}.")
        self._check_values("scores", self.scores, -np.inf)
        self._check_values("costs", self.costs, 0.0)
        if self.nil is not None and len(self.nil.held) != len(self):
            raise InputError(f"nil: {len(self.nil.held)} truth values for {len(self)} lists.")

    def _check_values(self, name: str, values: Any, low: float) -> None:
        """InputError unless these are finite numbers >= `low` for the documents of all lists, or None."""
        if values is None:
            return
        for place in arrays.first_true(~(np.isfinite(values) & (values >= low))):
            least = "" if low == -np.inf else f" >= {low:g}"
            raise InputError(f"{name}: {values[place]} at place {place}; finite numbers{least} are needed.")
        ends = np.where(self.lengths > 0, self.starts + self.lengths, 0)
        if (self.starts < 0).any() or ends.max(initial=0) > len(values):
            reach = f"lists reach from {self.starts.min()} to {ends.max()}"
            raise InputError(f"starts: {reach}, but there are {len(values)} {name}.")

    @classmethod
    def unchecked(cls, **fields: Any) -> Rankings:
        """Rankings of arrays that are known to fit together: checking takes longer than computing them.

        Optional fields may be left out, as in the constructor.
        """
        rankings = object.__new__(cls)
        vars(rankings).update(fields)
        return rankings

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids in canonical order (Q)."""
        return self.judgments.topics

    @property
    def judged_rows(self) -> Ints:
        """The position of the topic of every judged document of the lists."""
        return np.arange(len(self.lengths)).repeat(sizes_of(self.judged_offsets))

    @property
    def rows(self) -> Ints:
        """The position of the topic of every document, list after list."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def ranks(self) -> Ints:
        """The rank of every document, list after list."""
        return np.arange(1, self.lengths.sum() + 1) - offsets_of(self.lengths)[self.rows]

    @property
    def places(self) -> Ints:
        """The index of every document in `scores` and `costs`, list after list."""
        return arrays.indices_of_rows(self.starts, self.lengths)

    def with_fields(self, **fields: Any) -> Rankings:
        """These rankings with other values of fields, which are known to fit."""
        rankings = object.__new__(type(self))
        vars(rankings).update(vars(self), **fields)
        return rankings

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        judged = len(self.judged_ranks)
        return f"Rankings({len(self)} topics, {int(self.lengths.sum())} documents, {judged} of them judged)"

    @classmethod
    def from_lists(
        cls,
        lists: Sequence[Iterable[int | None]],
        judged: Sequence[Iterable[int]] | None = None,
        *,
        topics: Sequence[str] | None = None,
        scores: Sequence[Iterable[float]] | None = None,
        costs: Sequence[Iterable[float]] | None = None,
    ) -> Rankings:
        """Rankings from grades.

        Parameters
        ----------
        lists : sequence of iterables of int or None
            For each topic the grades in ranked order, None for an unjudged document.
        judged : sequence of iterables of int, optional
            For each topic the grades of all judged documents, retrieved or not; by default those of its list.
        topics : sequence of str, optional
            Ids in canonical order (numbers ascending, or text ascending), by default '1', '2', ...
        scores : sequence of iterables of float, optional
            One for each document, never rising.
        costs : sequence of iterables of float, optional
            One for each document, >= 0.

        Returns
        -------
        Rankings

        Raises
        ------
        InputError
            If one of the above does not hold, or a list has a grade that its judgments lack.

        Examples
        --------
        A topic with three relevant documents of which two are found, and a topic answered by silence:

        >>> from ir_trunc import Rankings
        >>> rankings = Rankings.from_lists([[1, None, 1], []], judged=[[1, 1, 1], []])
        >>> rankings.lengths
        array([3, 0])
        """
        rows = _rows("lists", lists)
        retrieved = [[grade for grade in row if grade is not None] for row in rows]
        pools, names = retrieved if judged is None else _rows("judged", judged), _names(topics, len(rows))
        if not len(rows) == len(pools) == len(names):
            what = f"{len(rows)} lists, {len(pools)} sets of judgments, {len(names)} topics"
            raise InputError(f"{what}: as many of each are needed.")
        judged_documents, hits = list[tuple[int, int]](), list[int]()
        for name, row, pool in zip(names, rows, pools):
            ranked = [(rank, _checked_grade(name, g)) for rank, g in enumerate(row, 1) if g is not None]
            pool[:] = [_checked_grade(name, grade) for grade in pool]
            for grade in Counter(grade for _, grade in ranked) - Counter(pool):
                lacking = f"a document of grade {grade} that `judged` lacks"
                raise InputError(f"topic {name}: the list holds {lacking}.")
            judged_documents += ranked
            hits.append(len(ranked))
        ranks, hit_grades = np.array(judged_documents, dtype=np.int64).reshape(-1, 2).T
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        flat_scores = _flat_values("scores", scores, names, lengths)
        flat_costs = _flat_values("costs", costs, names, lengths)
        starts, first_scores = offsets_of(lengths)[:-1], None
        if flat_scores is not None:
            topic_of = np.repeat(np.arange(len(names)), lengths)
            with np.errstate(over="ignore"):
                single = flat_scores.astype(np.float32)
            for at in arrays.first_true((topic_of[1:] == topic_of[:-1]) & (single[1:] > single[:-1])):
                above, score = flat_scores[at : at + 2].tolist()
                rises = f"score {score} comes after {above}; scores must fall down the list"
                raise InputError(f"topic {names[topic_of[at]]}: {rises}.")
            first_scores = first_of(flat_scores, starts, lengths)
        owner = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
        grades = np.array([grade for pool in pools for grade in pool], dtype=np.int64)
        judgments, listed = Judgments.from_rows(names, owner, grades), (offsets_of(hits), ranks, hit_grades)
        return cls(judgments, lengths, *listed, starts, flat_scores, flat_costs, first_scores)

    @classmethod
    def from_arrays(
        cls,
        scores: npt.ArrayLike,
        labels: npt.ArrayLike,
        *,
        shown: npt.ArrayLike | None = None,
        judged: npt.ArrayLike | None = None,
        topics: Sequence[str] | None = None,
    ) -> Rankings:
        """Rankings from matrices with a row for each topic and a column for each candidate document.

        Documents are ranked by falling score. Of equal scores, compared as 32-bit floats, the last column
        comes first: ir-measures has this order where ids are the columns' numbers with leading zeros.

        Parameters
        ----------
        scores : array of float (Q x K)
            The scores; those of documents that are not shown are not looked at. What `numpy.ma` masks is not
            shown.
        labels : array of int (Q x K)
            The grades; those of documents that are not judged are not looked at. What `numpy.ma` masks is not
            judged.
        shown : array of bool (Q x K), optional
            Which documents the lists hold, by default all. A judged document that is not shown counts among
            the judgments, as one that was not retrieved.
        judged : array of bool (Q x K), optional
            Which documents are judged, by default all. A cell that is neither shown nor judged is padding.
        topics : sequence of str, optional
            Ids in canonical order (numbers ascending, or text ascending), by default '1', '2', ...

        Returns
        -------
        Rankings

        Raises
        ------
        InputError
            Where the shapes differ, a score is not finite, a grade is not a whole number, or topics are not
            in canonical order.

        Examples
        --------
        >>> import numpy as np
        >>> from ir_trunc import Rankings, calc_aggregate
        >>> scores, labels = np.array([[0.1, 0.9, 0.5], [0.7, 0.2, 0.0]]), np.array([[0, 1, 1], [0, 0, 0]])
        >>> calc_aggregate("nDCG@2 RBPT", None, Rankings.from_arrays(scores, labels, shown=scores > 0.3))
        {nDCG@2: 0.5, RBPT: 0.9}
        """
        values, in_list = _matrix_and_mask("scores", scores, "shown", shown)
        grades, is_judged = _matrix_and_mask("labels", labels, "judged", judged)
        names = _names(topics, len(values))
        shapes = [(values if each is None else each).shape for each in (values, grades, in_list, is_judged)]
        if {*shapes} != {(len(names), values.shape[1])}:
            given = f"scores, labels, shown and judged of the shapes {', '.join(map(str, shapes))}"
            needed = "one shape is needed, with a row for each topic"
            raise InputError(f"{given} for {len(names)} topics: {needed}.")
        is_grade = (grades >= -HIGHEST_GRADE) & (grades <= HIGHEST_GRADE)
        if grades.dtype.kind == "f":
            is_grade &= np.floor(grades) == grades
        of_scores = "score {} is not a finite number; shown= leaves cells out"
        of_labels = "label {} is not a whole number below 2^31; judged= leaves cells out"
        checks = (of_scores, values, np.isfinite(values), in_list), (of_labels, grades, is_grade, is_judged)
        for what, array, right, which in checks:
            right = right if which is None else right | ~which
            if not right.all():
                row, column = np.unravel_index(right.argmin(), right.shape)
                raise InputError(f"topic {names[row]}, column {column}: {what.format(array[row, column])}.")
        if is_judged is not None:
            grades = np.where(is_judged, grades, 0)
        grades = grades.astype(np.int64, copy=False)
        cells, ranks, lengths = _first_cells(_columns_by_rank(values, in_list), in_list)
        offsets, flat = offsets_of(lengths), values.take(cells).astype(np.float64, copy=False)
        starts = offsets[:-1]
        if is_judged is not None:
            hits = np.flatnonzero(is_judged.ravel()[cells])
            offsets, ranks, cells = np.searchsorted(hits, offsets), ranks[hits], cells[hits]
        return cls.unchecked(
            judgments=_judgments_of_matrix(tuple(names), grades, is_judged),
            lengths=lengths,
            judged_offsets=offsets,
            judged_ranks=ranks,
            judged_grades=grades.take(cells),
            starts=starts,
            scores=flat,
            first_scores=first_of(flat, starts, lengths),
        )

    def cut(self, depth: npt.ArrayLike) -> Rankings:
        """The lists cut after `depth` documents. Shorter lists stay as they are.

        Parameters
        ----------
        depth : int or array of int
            One number for all lists, or one for each topic.

        Returns
        -------
        Rankings

        Raises
        ------
        InputError
            If a depth is not a whole number >= 0.

        Examples
        --------
        >>> from ir_trunc import Rankings
        >>> Rankings.from_lists([[1, 0, 1], [0]]).cut([2, 0]).lengths
        array([2, 0])
        """
        return self._cut(arrays.checked_depths(depth, self.topics))

    def _cut(self, depth: Ints | int) -> Rankings:
        lengths = np.minimum(self.lengths, depth)
        rows = self.judged_rows
        kept = self.judged_ranks <= lengths[rows]
        first, left = self.first_scores, self.withheld
        return self.with_fields(
            lengths=lengths,
            withheld=None if left is None else np.where(lengths < self.lengths, 0, left),
            judged_offsets=offsets_of(np.bincount(rows[kept], minlength=len(self))),
            judged_ranks=self.judged_ranks[kept],
            judged_grades=self.judged_grades[kept],
            first_scores=None if first is None else np.where(lengths > 0, first, -np.inf),
        )

    def condensed(self) -> Rankings:
        """The lists without unjudged documents, which left before ranks were given.

        A negative grade is no judgment here, as in trec_eval.

        Examples
        --------
        >>> from ir_trunc import Rankings
        >>> Rankings.from_lists([[None, 1, None, 0]]).condensed().judged_ranks
        array([1, 2])
        """
        shown = self.without_negative()
        rows, offsets, counts = shown.judged_rows, shown.judged_offsets, sizes_of(shown.judged_offsets)
        places, left = self.starts[rows] + shown.judged_ranks - 1, self.lengths - counts
        ranks = np.arange(1, len(rows) + 1) - offsets[:-1][rows]
        scores, costs = (None if x is None else x[places] for x in (self.scores, self.costs))
        first, stays = self.first_scores, np.bincount(rows[shown.judged_ranks == 1], minlength=len(self)) > 0
        if scores is not None:
            first = first_of(scores, offsets[:-1], counts)
        elif first is not None:  # NaN where it is not known
            first = np.where(stays, first, np.where(counts > 0, np.nan, -np.inf))
        universe = self.universe
        if universe is not None and universe.sequence is not None:
            new = dict(zip(zip(rows.tolist(), shown.judged_ranks.tolist()), ranks.tolist()))
            sequence = {
                topic: tuple([new[q, rank] for rank in search if (q, rank) in new] for search in searches)
                for q, topic in enumerate(self.topics)
                if (searches := universe.sequence.get(topic)) is not None
            }
            universe = replace(universe, sequence=sequence)
        return shown.with_fields(
            lengths=counts,
            judged_ranks=ranks,
            starts=offsets[:-1],
            scores=scores,
            costs=costs,
            first_scores=first,
            overlaps=None if self.overlaps is None else np.where(stays, self.overlaps, 0.0),
            withheld=left if self.withheld is None else left + self.withheld,
            universe=universe,
        )

    def without_negative(self) -> Rankings:
        """The lists, in which documents with a negative grade are not judged, as for trec_eval."""
        kept = self.judged_grades >= 0
        counts = np.bincount(self.judged_rows[kept], minlength=len(self))
        ranks, grades = self.judged_ranks[kept], self.judged_grades[kept]
        return self.with_fields(judged_offsets=offsets_of(counts), judged_ranks=ranks, judged_grades=grades)

    def take(self, positions: npt.ArrayLike) -> Rankings:
        """Some of the topics, by their positions.

        Parameters
        ----------
        positions : array of int
            0 stands for the first topic.

        Returns
        -------
        Rankings

        Raises
        ------
        InputError
            If a position is not there, or a mask is given.

        Examples
        --------
        >>> from ir_trunc import Rankings
        >>> Rankings.from_lists([[1, 0, 1], [0], []]).take([0, 2]).topics
        ('1', '3')
        """
        indices = arrays.as_array("positions", positions, "positions of topics are needed")
        if indices.size and indices.dtype.kind not in "iu":
            needed = f"whole numbers are needed, not {indices.dtype}"
            raise InputError(f"positions of topics: {needed}; np.flatnonzero makes them of a mask.")
        if indices.ndim != 1 or bool(((indices < 0) | (indices >= len(self))).any()):
            needed = f"a flat list of numbers from 0 to {len(self) - 1} is needed"
            raise InputError(f"positions of topics: {needed}, not {shown(positions)}.")
        indices = indices.astype(np.int64)
        return self._at(indices, self.judgments.take(indices))

    def _at(self, indices: Ints, judgments: Judgments) -> Rankings:
        """The lists at these positions, of which these are the judgments."""
        counts = sizes_of(self.judged_offsets)[indices]
        judged = arrays.indices_of_rows(self.judged_offsets[indices], counts)
        of_lists = {
            name: None if (values := getattr(self, name)) is None else values[indices]
            for name in ("lengths", "starts", "first_scores", "overlaps", "missing", "withheld")
        }
        return self.with_fields(
            judgments=judgments,
            judged_offsets=offsets_of(counts),
            judged_ranks=self.judged_ranks[judged],
            judged_grades=self.judged_grades[judged],
            nil=None if self.nil is None else NilLists(self.nil.convention, self.nil.held[indices]),
            answers=self.answers and {name: curve.take(indices) for name, curve in self.answers.items()},
            **of_lists,
        )

    @classmethod
    def concat(cls, judgments: Judgments, pieces: Sequence[Rankings]) -> Rankings:
        """The lists of one run, from pieces that have some of its topics each.

        Parameters
        ----------
        judgments : Judgments
            Those of all topics. A topic that no piece has gets the empty list.
        pieces : sequence of Rankings
            In any order. The result has scores, first scores, overlaps or NIL lists if every piece has them.

        Returns
        -------
        Rankings

        Raises
        ------
        InputError
            If a topic is in two pieces or not in the judgments, or only some of the pieces have costs.

        Examples
        --------
        >>> from ir_trunc import Rankings
        >>> whole = Rankings.from_lists([[1, 0], [], [0]])
        >>> Rankings.concat(whole.judgments, [whole.take([2]), whole.take([0])]).lengths
        array([2, 0, 1])
        """
        needed = "the judgments of all topics, as those of Rankings are,"
        every_topic = instance("judgments", judgments, Judgments, needed).topics
        given = several("pieces", pieces, "Rankings")
        pieces = [instance("a piece", piece, Rankings, "Rankings") for piece in given]
        topics = [topic for piece in pieces for topic in piece.topics]
        if unknown := set(topics).difference(every_topic):
            raise InputError(f"topic {min(unknown)} of a piece is not a topic of the judgments.")
        scores, costs = _joined(pieces, "scores"), _joined(pieces, "costs")
        if costs is None and any(piece.costs is not None for piece in pieces):
            raise InputError("only some pieces of the run have costs; all of them must, or none.")
        twice = repeated(topics)
        if twice is not None:
            raise InputError(f"topic {twice} is in two pieces of the run; one piece must have all its rows.")
        place = {topic: at for at, topic in enumerate(topics)}
        # The lists of all pieces one after the other, and behind them an empty one for all other topics.
        values = [piece.scores if costs is None else piece.costs for piece in pieces]
        documents = [0 if each is None else len(each) for each in values]
        starts = [piece.starts + above for piece, above in zip(pieces, offsets_of(documents))]
        counts = [sizes_of(piece.judged_offsets) for piece in pieces]
        missing = [np.zeros(len(p), bool) if p.missing is None else p.missing for p in pieces]
        nil = [piece.nil for piece in pieces if piece.nil is not None]
        held = np.concatenate([*(lists.held for lists in nil), [False]])
        none = np.zeros(0, np.int64)
        laid_out = cls.unchecked(
            lengths=_joined(pieces, "lengths", 0),
            judged_offsets=offsets_of(np.concatenate([*counts, [0]])),
            judged_ranks=_joined(pieces, "judged_ranks") if pieces else none,
            judged_grades=_joined(pieces, "judged_grades") if pieces else none,
            starts=np.concatenate([*starts, [0]]),
            scores=scores,
            costs=costs,
            withheld=_joined(pieces, "withheld", 0),
            first_scores=_joined(pieces, "first_scores", -np.inf),
            nil=NilLists(nil[0].convention, held) if len(nil) == len(pieces) > 0 else None,
            overlaps=_joined(pieces, "overlaps", 0.0) if pieces else None,
            missing=np.concatenate([*missing, [True]]),
        )
        return laid_out._at(np.array([place.get(topic, -1) for topic in every_topic], np.int64), judgments)

    def to_dicts(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Judgments and lists as dicts, for other tools.

        Ids are made up: 'r' and the rank in the list, 'j' and a number outside it. Scores fall by 1 from rank
        to rank, for any precision. A topic without judgments has a document of grade 0 for other tools.

        Returns
        -------
        qrels : dict
            {topic: {document: grade}}
        run : dict
            {topic: {document: score}}, without the topics whose list is empty.

        Examples
        --------
        >>> from ir_trunc import Rankings
        >>> qrels, run = Rankings.from_lists([[1, None]], judged=[[2, 1]]).to_dicts()
        >>> qrels, run
        ({'1': {'r1': 1, 'j0': 2}}, {'1': {'r1': 1.0, 'r2': 0.0}})
        """
        qrels: dict[str, dict[str, int]] = {}
        run: dict[str, dict[str, float]] = {}
        for q, (topic, length) in enumerate(zip(self.topics, self.lengths.tolist())):
            here = slice(self.judged_offsets[q], self.judged_offsets[q + 1])
            listed = self.judged_grades[here].tolist()
            all_grades = self.judgments.grades[self.judgments.offsets[q] : self.judgments.offsets[q + 1]]
            unlisted = Counter(all_grades.tolist()) - Counter(listed)
            grades = {f"r{rank}": grade for rank, grade in zip(self.judged_ranks[here].tolist(), listed)}
            grades |= {f"j{number}": grade for number, grade in enumerate(unlisted.elements())}
            qrels[topic] = grades or {"j": 0}
            if length:
                run[topic] = {f"r{rank}": float(length - rank) for rank in range(1, length + 1)}
        return qrels, run

    def unjudged(self) -> Rankings:
        """The lists without their judgments: what a system sees when it decides where to stop."""
        none, zeros = np.zeros(0, np.int64), np.zeros(len(self) + 1, np.int64)
        listed = {"judged_offsets": zeros, "judged_ranks": none, "judged_grades": none}
        judgments = Judgments(self.topics, zeros, none, none)
        return self.with_fields(judgments=judgments, **listed, overlaps=None, answers=None)

    def graded(self, name: str) -> Floats | None:
        """What `answers` say after d = 0, 1, ..., n documents of every list; None where they say nothing."""
        if not self.answers:
            return None
        curve = self.answers[name]
        return curve.values[arrays.indices_of_rows(curve.offsets[:-1], self.lengths + 1)]

    def costs_of_lists(self) -> Floats | None:
        """What each list costs (Q): that of its answer, or of its documents together; None if unknown."""
        if self.answers and "cost" in self.answers:
            return self.answers["cost"].at(self.lengths)
        if self.costs is None:
            return None
        return np.bincount(self.rows, self.costs[self.places], len(self)).astype(np.float64)


def _names(topics: Any, count: int) -> list[str]:
    """The ids of topics, by default '1', '2', ...; InputError unless they are in canonical order."""
    if topics is None:
        return [str(number) for number in range(1, count + 1)]
    names = several("topics", topics, "ids")
    if odd := [name for name in names if not isinstance(name, str)]:
        raise InputError(f"topic {shown(odd[0])} is {type(odd[0]).__name__}: topics are text.")
    if [names[place] for place in canonical_order(names)] != names or len(set(names)) != len(names):
        order = "canonical order (numbers ascending, or text ascending)"
        raise InputError(f"topics must be distinct and in {order}.")
    return names


def _matrix(name: str, values: Any, kinds: str) -> Any:
    """An array with a row for each topic; InputError for another shape or type of values."""
    needed = "a matrix (topics x documents) of " + ("truth values" if kinds == "b" else "numbers")
    array = arrays.as_array(name, values, f"{needed} is needed")
    if array.ndim != 2 or array.dtype.kind not in kinds:
        raise InputError(f"{name}: {needed} is needed, not {array.ndim} dimensions of {array.dtype}.")
    return array


def _matrix_and_mask(name: str, values: Any, which: str, given: Any) -> tuple[Any, Bools | None]:
    """A matrix, and the cells of it that count: those that are given, without those that it masks itself."""
    counted = None if given is None else _matrix(which, given, "b")
    mask = arrays.masked(values)
    matrix = _matrix(name, values if mask is None else values.data, "fiub")
    if name == "labels" and matrix.dtype.kind == "f" and (none := np.isnan(matrix)).any():
        mask = none if mask is None else mask | none
        if counted is None:
            warn(f"labels: {none.sum()} of {none.size} are NaN, which is no judgment.")
    if mask is None or (counted is not None and counted.shape != matrix.shape):
        return matrix, counted
    return matrix, ~mask if counted is None else counted & ~mask


def _columns_by_rank(values: npt.NDArray[Any], in_list: Bools | None) -> Ints:
    """The columns of a matrix of scores in the order of each row's ranking, those outside the lists last."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = 0.0 - values.astype(np.float32)
    # The bits of these numbers as integers of the same order, which are sorted with the columns below them.
    bits = single.view(np.int32)
    bits ^= (bits >> 31) & HIGHEST_GRADE
    if in_list is not None:
        bits[~in_list] = HIGHEST_GRADE
    last = values.shape[1] - 1
    columns = bits.astype(np.int64)  # all that follows is done in its memory
    columns <<= 32
    columns |= np.arange(last, -1, -1)
    columns.sort(axis=1)
    columns &= 2**32 - 1
    np.subtract(last, columns, out=columns)
    return columns


def _first_cells(columns: Ints, which: Bools | None) -> tuple[Ints, Ints, Ints]:
    """The cells of a matrix in the order of these columns, row by row; their ranks; their number in each row.

    which: the cells that count, which come first in each row; by default all.
    """
    height, width = columns.shape
    columns += width * np.arange(height)[:, None]
    ranks = np.broadcast_to(np.arange(1, width + 1), columns.shape)
    if which is None:
        return columns.ravel(), ranks.ravel(), np.full(height, width)
    counts = which.sum(axis=1)
    filled = ranks <= counts[:, None]
    return columns[filled], ranks[filled], counts


def _judgments_of_matrix(topics: tuple[str, ...], grades: Ints, which: Bools | None) -> Judgments:
    """The judgments of a matrix of grades. which: the cells that are judged, by default all."""
    rising = np.negative(grades, dtype=np.int32, casting="unsafe")  # in half the time of 64 bits
    counts = np.full(len(grades), grades.shape[1]) if which is None else which.sum(axis=1)
    if which is not None:
        rising[~which] = HIGHEST_GRADE
    rising.sort(axis=1)
    flat = rising.ravel() if which is None else rising[np.arange(grades.shape[1]) < counts[:, None]]
    is_first = np.ones(len(flat), bool)
    np.not_equal(flat[1:], flat[:-1], out=is_first[1:])
    levels = distinct(-flat[is_first].astype(np.int64))
    falling = np.negative(flat, dtype=np.int64)
    return Judgments.unchecked(topics, offsets_of(counts), falling, levels[levels.searchsorted(1) :])


def _rows(name: str, values: Any) -> list[list[Any]]:
    """One row of values for each list; InputError for anything else."""
    rows = several(name, values, "rows, one for each list,")
    return [several(f"{name}[{place}]", row, "the values of a list") for place, row in enumerate(rows)]


def _joined(pieces: Sequence[Rankings], name: str, *last: float) -> Any:
    """An array of all pieces, and a last value; None where a piece lacks it."""
    columns = [getattr(piece, name) for piece in pieces]
    if any(column is None for column in columns) or not (columns or last):
        return None
    if len(columns) == 1 and not last:
        return columns[0]
    return np.concatenate([*columns, last] if last else columns)


def _checked_grade(topic: str, value: Any) -> int:
    """A grade as an integer; InputError where it is not one."""
    number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    if not number or value != value or abs(value) > HIGHEST_GRADE or value != int(value):
        what = f"grade {shown(value)} is not a whole number below 2^31"
        raise InputError(f"topic {topic}: {what}; None stands for an unjudged document.")
    return int(value)


def _flat_values(
    name: str, rows: Sequence[Iterable[float]] | None, topics: Sequence[str], lengths: Ints
) -> Floats | None:
    """One finite number for each document of every list, as a flat array; InputError for other input."""
    if rows is None:
        return None
    values = _rows(name, rows)
    if len(values) != len(topics):
        given = f"{name} for {len(values)} lists, but there are {len(topics)}"
        raise InputError(f"{given}: one row for each list is needed.")
    for topic, row, length in zip(topics, values, lengths.tolist()):
        if len(row) != length:
            raise InputError(f"topic {topic}: {len(row)} {name} for {length} documents; one each is needed.")
    places = [f"topic {topic}, {name}" for topic in topics]
    checked = (number(place, value) for place, row in zip(places, values) for value in row)
    try:
        return np.fromiter(checked, np.float64)
    except ParameterError as error:
        raise InputError(str(error)) from None
