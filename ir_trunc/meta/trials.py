"""The cases of the seven properties, as lists that a measure scores in one pass, and their verdicts.

`ir_trunc.meta.properties.RULE` says what the verdicts mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ir_trunc._core.lazy import cached_property
from ir_trunc._core.rankings import Floats, Ints, Judgments, Rankings, first_of, offsets_of
from ir_trunc.meta.axioms import PROPERTIES, Case, Property, Ranking, Scale, named, one_against_block

_SAME = 1e-12  # relative to the scores compared; full rankings of a large collection differ by little more

DEPTHS = tuple(2**power for power in range(14))
"""Every n that is tried for Deepness."""

SHARES = (1000, 100, 10, 5)
"""What D is divided by to give n, where a measure knows the size D of the collection.

Most of a collection is unseen.
"""

SHALLOW = (*range(1, 33), 64, 128, 256)
"""Every m that is tried for Shallowness."""


@dataclass(frozen=True)
class Part:
    """What the cases of one property say in one setting.

    setting: what was fixed (grades, D, R, n). verdict: strict, weak, constant or violated. shows: the
    smallest case that shows it, with scores. cases: how many there were.
    """

    setting: Mapping[str, str]
    verdict: str
    shows: str
    cases: int


@dataclass(frozen=True)
class Trial:
    """A property in one setting. at: the places of each case's rankings in the batch (cases x sides)."""

    known: Property
    setting: Mapping[str, str]
    signs: Ints
    at: Ints


@dataclass(frozen=True)
class Batch:
    """Trials over the same rankings, which are the lists of one run."""

    rankings: tuple[Ranking, ...]
    lists: Rankings
    trials: tuple[Trial, ...]

    @classmethod
    def of(cls, scale: Scale, trials: Iterable[tuple[Property, Mapping[str, str], Iterable[Case]]]) -> Batch:
        """A batch from each property, with its setting and cases.

        Gains depend on the scale, not on the grades that occur.
        """
        places: dict[Ranking, int] = {}
        made = []
        for known, setting, cases in trials:
            kept = list(cases)
            at = np.array([[places.setdefault(ranking, len(places)) for _, ranking in case] for case in kept])
            made.append(Trial(known, setting, np.array([sign for sign, _ in kept[0]]), at))
        rankings = tuple(places)
        return cls(rankings, _as_lists(rankings, scale), tuple(made))

    @cached_property
    def alone(self) -> tuple[Rankings, ...]:
        """Each list as a run of its own."""
        return tuple(self.lists.take([at]) for at in range(len(self.rankings)))

    def judge(self, scores: Floats, also: Mapping[str, str]) -> Iterator[tuple[str, Part]]:
        """What the scores of the rankings say of each property, by its name. also: more of the setting."""
        for trial in self.trials:
            verdict, shows = self._decide(trial, scores)
            yield trial.known.name, Part({**also, **trial.setting}, verdict, shows, len(trial.at))

    def _decide(self, trial: Trial, scores: Floats) -> tuple[str, str]:
        sides = scores[trial.at]
        margins = sides @ trial.signs
        ties = np.abs(margins) <= _SAME * np.maximum(np.abs(sides).max(axis=1), 1e-3)
        signs = np.where(ties, 0, np.sign(margins)).astype(int)

        def show(case: int) -> str:
            return self._show(trial, case, scores, int(signs[case]))

        if not signs.any():
            return "constant", show(0)
        words = {1: "strict", 0: "weak", -1: "violated"}
        if trial.known.rule == "from some n on":
            below = np.flatnonzero(signs != signs[-1])
            begins = int(below[-1]) + 1 if len(below) else 0  # of the last stretch with the same sign
            n = len(self.rankings[trial.at[begins, 1]].grades) // 2
            to = len(self.rankings[trial.at[-1, 1]].grades) // 2
            return words[int(signs[-1])], show(begins) + f"; so for n = {n} to {to}" * (n < to)
        if trial.known.rule == "for some m":
            best = int(np.argmax(signs))
            return words[int(signs[best])], show(best)
        worst = int(signs.min())
        return words[worst], show(int(np.argmax(signs == worst)))

    def _show(self, trial: Trial, case: int, scores: Floats, sign: int) -> str:
        """Both sides of a case with their scores.

        Of four rankings, the sides are the gains of the first two and of the last two.
        """
        places = trial.at[case]

        def shows_it(digits: int) -> bool:
            rounded = [float(f"{score:.{digits}g}") for score in scores[places]]
            return bool(np.sign(trial.signs @ rounded) == sign)

        digits = next(filter(shows_it, range(4, 16)), 4)
        parts = [f"{self.rankings[place]} {scores[place]:.{digits}g}" for place in places]
        half = len(parts) // 2
        return f"{' - '.join(parts[:half])} {'=><'[sign]} {' - '.join(parts[half:])}"


def _as_lists(rankings: Sequence[Ranking], scale: Scale) -> Rankings:
    lengths, sizes = (np.array([len(getattr(r, name)) for r in rankings]) for name in ("grades", "judged"))
    grades, judged = (
        np.fromiter((grade for r in rankings for grade in getattr(r, name)), np.int64)
        for name in ("grades", "judged")
    )
    rows = np.arange(len(rankings))
    judgments = Judgments.from_rows([str(row) for row in rows], np.repeat(rows, sizes), judged, scale)
    offsets, scores = offsets_of(lengths), np.ones(len(grades))
    ranks = np.arange(1, len(grades) + 1) - np.repeat(offsets[:-1], lengths)
    first = first_of(scores, offsets[:-1], lengths)
    return Rankings(judgments, lengths, offsets, ranks, grades, offsets[:-1], scores, None, first)


@lru_cache(maxsize=8)
def every_list(scale: Scale, length: int) -> Batch:
    """The five properties about every list, on all lists up to a length over the grades of a scale."""
    grades = {"grades": named(scale)}
    return Batch.of(scale, ((p, grades, p.cases(scale, length)) for p in PROPERTIES if p.cases is not None))


@lru_cache(maxsize=16)
def depths(scale: Scale, D: int | None) -> Batch:
    """Deepness and Shallowness, with R = n and R = 2n, for relevant documents of each grade.

    D: the size of the collection, of which n is then a share and stands by itself; None where the measure has
    none.
    """
    deep, shallow = (known for known in PROPERTIES if known.cases is None)

    def trials() -> Iterator[tuple[Property, Mapping[str, str], Iterable[Case]]]:
        for grade in scale[1:]:
            for times in (1, 2):
                here = {"grades": f"{grade} of {named(scale)}", "R": "n" if times == 1 else "2n"}

                def case(n: int, times: int = times, grade: int = grade) -> Case:
                    return one_against_block(grade, n, times)

                if D is None:
                    yield deep, here, map(case, DEPTHS)
                else:
                    for share in SHARES:
                        yield deep, {**here, "n": f"D/{share}"}, [case(max(1, D // share))]
                fitting = [m for m in SHALLOW if D is None or 4 * m <= D]
                turned = (reversed(case(m)) for m in fitting)
                yield shallow, here, [tuple((-sign, ranking) for sign, ranking in pair) for pair in turned]

    return Batch.of(scale, trials())
