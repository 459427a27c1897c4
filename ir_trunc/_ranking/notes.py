"""What is left out of a run, and signs that it is misread: counted during ranking, reported once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ir_trunc._core.errors import counted, warn
from ir_trunc._read.reading import Reading
from ir_trunc._read.rows import Samples

_SUMMED = (
    "ignored", "cut_by_nil", "behind_nil", "taken", "empty", "lists", "tied", "rounded", "samples", "ended",
    "behind",
)  # fmt: skip


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
    empty : int
        Answers of which the normaliser leaves nothing.
    lists, tied, rounded : int
        Lists of two documents or more whose order is decided by scores, those of them in which all scores are
        equal, and those with scores that differ only beyond the precision of the order.
    samples : tuple
        Sampled rows of the run. Ranks that do not decide the order are read of these only.
    ended, behind : int
        Lists that end before a row that was not shown, and shown rows behind it.
    """

    known: bool = False
    ignored: int = 0
    first_ignored: str | None = None
    cut_by_nil: int = 0
    behind_nil: int = 0
    taken: int = 0
    empty: int = 0
    lists: int = 0
    tied: int = 0
    rounded: int = 0
    samples: Samples = ()
    ended: int = 0
    behind: int = 0

    @classmethod
    def of_kernel(
        cls,
        known: bool,
        samples: Samples,
        lists: int,
        tied: int,
        rounded: int,
        ignored: int,
        first: str | None,
    ) -> Notes:
        """The notes of lists that the kernel has ranked; the counts are in its order."""
        return cls(known, ignored, first, lists=lists, tied=tied, rounded=rounded, samples=samples)

    def add(self, other: Notes) -> None:
        """Count what was noted of another part of the run, too."""
        firsts = [name for name in (self.first_ignored, other.first_ignored) if name is not None]
        self.known, self.first_ignored = self.known or other.known, min(firsts, default=None)
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def warn(self, source: str, nil_id: str, reading: Reading) -> None:
        """Warn of each kind once. `source` is the name of the run."""
        for message in (
            *self._of_order(reading),
            *self._of_marks(reading),
            *self._of_what_is_left_out(nil_id, reading),
        ):
            warn(f"{source}: {message}.")

    def _of_order(self, reading: Reading) -> Iterator[str]:
        """Signs that something else than the scores gives the order."""
        tied = 2 * self.tied > self.lists
        if tied and not reading.over_ties:
            digits = ", order='score64' all digits of the scores" if self.rounded else ""
            yield (
                f"all scores are equal in {self.tied} of {self.lists} lists, so that document ids decide"
                " their order; order='rank' takes the rank column, order='file' the rows as they"
                f" stand{digits}; ties='expected' gives the mean score over all orders"
            )
        elif self.rounded and not reading.over_ties:
            yield (
                f"scores differ only beyond 32 bits in {self.rounded} of {self.lists} lists, so that"
                " document ids decide their order; order='score64' compares all digits"
            )
        if not self.samples or reading.without_scores:
            return
        looked_at, rising, uneven = _directions(self.samples, reading.lower_is_better)
        against = looked_at - rising if reading.lower_is_better else rising
        if 2 * against > looked_at:
            remedy = "if they are distances, lower_is_better=True"
            if reading.lower_is_better:
                remedy = "if higher scores are better, leave lower_is_better out"
            yield (
                f"the rank column runs against the scores in {against} of {looked_at} sampled lists, and"
                f" the scores decide; {remedy}, and if the ranks are right, order='rank'"
            )
        elif 2 * uneven > looked_at:
            yield (
                f"the scores do not fall with the rank in {uneven} of {looked_at} sampled lists, and the"
                " scores decide; order='file' takes the rows as they stand, order='rank' the rank column"
            )

    def _of_marks(self, reading: Reading) -> Iterator[str]:
        """Signs that lists end elsewhere."""
        marks = {mark for sample in self.samples for mark in sample.marks}
        if reading.stop is None and len(marks) > 1:
            some = ", ".join(sorted(marks)[:5])
            yield f"the second column has several values ({some}); if one ends the list, name it: stop='...'"
        if reading.stop is not None and not self.ended:
            yield f"no row has the mark {reading.stop} in its second column: no list ends there"

    def _of_what_is_left_out(self, nil_id: str, reading: Reading) -> Iterator[str]:
        """Documents and topics that do not count."""
        if self.behind:
            yield f"{self.behind} documents come after one that was not shown; their lists end before it"
        if self.ignored:
            be = "is" if self.ignored == 1 else "are"
            none = "" if self.known else "; no topic is left"
            if reading.keys:
                none += (
                    "; what a run returns for these costs it nothing: name all lists by topics= (--topics),"
                    " or score runs of Change Detection by `ir_trunc cdet`"
                )
            yield (
                f"ignored {counted(self.ignored, 'topic')} that {be} not in the qrels (for example"
                f" {self.first_ignored}){none}"
            )
        if self.behind_nil:
            yield (
                f"{nil_id} ends {self.cut_by_nil} list(s) before their last document; {self.behind_nil}"
                " document(s) behind it are left out"
            )
        if self.empty:
            yield f"{self.empty} answer(s) that normalise to nothing are left out"
        if self.taken:
            what = f"{self.taken} lists hold" if self.taken > 1 else "1 list holds"
            yield (
                f"{what} a document called {nil_id}, taken for a document; nil='ends' ends these lists"
                " before it"
            )


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
