"""What is to be said of a run: counted where it is ranked. `ir_trunc._ranking.rank` says it, once."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ir_trunc._read.rows import Samples


@dataclass(frozen=True)
class Notes:
    """What of a run is left out, and signs that it is not what it seems.

    Notes can be added up where a run is ranked in parts. All but known, stranger and samples are counts.

    known: whether the qrels have any of the run's topics. strangers: topics that they lack; stranger: the
    first of these ids as text. cut_by_nil: lists that NIL ends before their last document; behind_nil:
    documents behind it. taken: lists with a NIL that is taken for a document since nobody said what it means.
    empty: answers of which their normaliser leaves nothing.

    lists: of two documents or more whose order is decided by scores; tied: those of them in which all scores
    are equal. samples: what was looked at of the run. ended: lists that end before a row that was not shown;
    behind: rows behind it that were shown.
    """

    known: bool = False
    strangers: int = 0
    stranger: str | None = None
    cut_by_nil: int = 0
    behind_nil: int = 0
    taken: int = 0
    empty: int = 0
    lists: int = 0
    tied: int = 0
    samples: Samples = ()
    ended: int = 0
    behind: int = 0

    def __add__(self, other: Notes) -> Notes:
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        strangers = [name for name in (self.stranger, other.stranger) if name is not None]
        return Notes(
            known=self.known or other.known,
            stranger=min(strangers, default=None),
            samples=self.samples + other.samples,
            **counts,
        )


_COUNTS = [field.name for field in fields(Notes) if field.type == "int"]
