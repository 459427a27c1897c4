"""Ranked lists as flat arrays, which are shared: whatever changes a list returns a new object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core import arrays
from ir_trunc._core.errors import InputError
from ir_trunc._core.flat import Bools, Floats, Ints, SomeLists, distinct, first_of, offsets_of, sizes_of
from ir_trunc._core.judgments import Judgments, NilLists, canonical_order
from ir_trunc._core.plain import arrays_of_lists, dicts_of

__all__ = ["Bools", "Floats", "Ints", "Judgments", "NilLists", "Rankings"]
__all__ += ["canonical_order", "distinct", "first_of", "offsets_of", "sizes_of"]


_ARRAYS = [field.name for field in fields(SomeLists) if field.name not in ("topics", "held")]


@dataclass(frozen=True, eq=False)
class Rankings:
    """One system's ranked list for every topic of the judgments.

    A topic without documents has the empty list. `Rankings.from_lists` makes rankings of plain grades,
    `ir_trunc.rank` makes them of a run.

    Parameters
    ----------
    judgments : Judgments
        The grades of all judged documents of Q topics.
    lengths : array of int64
        Documents in each list (Q).
    judged_offsets, judged_ranks, judged_grades : array of int64
        The judged documents of the lists by rank, all others being unjudged, and Q + 1 offsets of topics.
    starts : array of int64
        Where each list begins in `scores` and `costs` (Q).
    scores : array of float64, optional
        List `q` has the scores `scores[starts[q]:starts[q] + lengths[q]]`.
    costs : array of float64, optional
        What reading each document costs, in units of gain, in the places of its score; by default the same.
    first_scores : array of float64, optional
        The score of each list's first document (Q), -inf for an empty list. Measures use no other scores.
    nil : NilLists, optional
        Which lists hold the document NIL.
    overlaps : array of float64, optional
        Where documents are answers, the token F1 of each list's first with the nearest right one (Q).

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

    def __post_init__(self) -> None:
        arrays.fit_together(self)

    @classmethod
    def of_lists(cls, judgments: Judgments, lists: SomeLists, convention: str | None) -> Rankings:
        """Rankings of arrays that are known to fit together: to check them takes longer than to compute them.

        lists: of all topics. convention: what NIL is taken for; None where it is not known who holds it.
        """
        nil = NilLists(convention, lists.held) if convention else None
        made = object.__new__(cls)
        vars(made).update(judgments=judgments, nil=nil, **{name: getattr(lists, name) for name in _ARRAYS})
        return made

    def _lists(self, topics: Ints) -> SomeLists:
        """The lists alone, with these positions of their topics."""
        held = np.zeros(len(self), dtype=bool) if self.nil is None else self.nil.held
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return SomeLists(topics=topics, held=held, **arrays)

    def _changed(self, **arrays: Any) -> Rankings:
        """These rankings with other arrays, which are computed from arrays that were checked."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), **arrays)
        return made

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids in canonical order (Q)."""
        return self.judgments.topics

    @property
    def judged_rows(self) -> Ints:
        """The topic's position of every judged document of the lists."""
        return np.repeat(np.arange(len(self.topics)), self.judged_offsets[1:] - self.judged_offsets[:-1])

    @property
    def rows(self) -> Ints:
        """The topic's position of every document of the lists, one list after the other."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def ranks(self) -> Ints:
        """The rank of every document, one list after the other."""
        return np.arange(1, self.lengths.sum() + 1) - offsets_of(self.lengths)[self.rows]

    @property
    def places(self) -> Ints:
        """Where every document stands in `scores` and `costs`, one list after the other."""
        return self.starts[self.rows] + self.ranks - 1

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
        """Rankings from plain grades.

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
        return cls(*arrays_of_lists(lists, judged, topics, scores, costs))

    def cut(self, depth: npt.ArrayLike) -> Rankings:
        """The lists cut after `depth` documents; shorter lists stay as they are.

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
        lengths = np.minimum(self.lengths, arrays.depths(depth, self.topics))
        rows = self.judged_rows
        kept = self.judged_ranks <= lengths[rows]
        first = None if self.first_scores is None else np.where(lengths > 0, self.first_scores, -np.inf)
        return self._changed(
            lengths=lengths,
            judged_offsets=offsets_of(np.bincount(rows[kept], minlength=len(self))),
            judged_ranks=self.judged_ranks[kept],
            judged_grades=self.judged_grades[kept],
            first_scores=first,
        )

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
        at = arrays.positions(positions, len(self))
        convention = None if self.nil is None else self.nil.convention
        return self.of_lists(self.judgments.take(at), self._lists(np.arange(len(self))).take(at), convention)

    @classmethod
    def concat(cls, judgments: Judgments, pieces: Sequence[Rankings]) -> Rankings:
        """The lists of one run from pieces that have some of its topics each.

        Parameters
        ----------
        judgments : Judgments
            Those of all topics; a topic that no piece has gets the empty list.
        pieces : sequence of Rankings
            In any order. Scores are known where every piece has them.

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
        place = {topic: at for at, topic in enumerate(judgments.topics)}
        if strange := {topic for piece in pieces for topic in piece.topics}.difference(place):
            raise InputError(f"topic {min(strange)} of a piece is not a topic of the judgments.")
        some = [piece._lists(np.array([place[t] for t in piece.topics], np.int64)) for piece in pieces]
        known = [piece.nil.convention for piece in pieces if piece.nil is not None]
        convention = known[0] if known and len(known) == len(pieces) else None
        return cls.of_lists(judgments, SomeLists.concat(judgments.topics, some), convention)

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
        return dicts_of(self.judgments, self._lists(np.arange(len(self))))

    def unjudged(self) -> Rankings:
        """The lists without their judgments: what a system sees when it decides where to stop."""
        none, zeros = np.zeros(0, np.int64), np.zeros(len(self) + 1, np.int64)
        blank = Judgments(self.topics, zeros, none, none)
        found = {"judged_offsets": zeros, "judged_ranks": none, "judged_grades": none}
        return self._changed(judgments=blank, overlaps=None, **found)
