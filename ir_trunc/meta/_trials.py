"""The seven formal properties of Amigó, Mizzaro & Spina (SIGIR 2022): their cases, and trials of them.

A case is a signed sum of scores that has to be positive. Five properties hold if every one of their cases
does; their cases are made from the lists of `tried_lists`. Deepness and Shallowness ask for a depth instead.
The collection of a case holds the documents of its lists, others that no list has, and one more irrelevant
one, all judged; the lists that are compared share it.

A batch holds the lists of many cases, which a measure scores in one pass. `RULE` says what the
verdicts mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, combinations, combinations_with_replacement, groupby, product
from math import comb
from typing import Literal

import numpy as np

from ir_trunc._core.lazy import cached_property
from ir_trunc._core.rankings import Floats, Ints, Judgments, Rankings, first_of, offsets_of

Grades = tuple[int, ...]

OUTSIDE = 2  # documents of other grades than 0 outside the lists of a case, at most
CROWD = 20  # judged documents outside short lists, or more than the deepest cutoff
CROWDED = 3  # length of the longest lists in a crowd
ENDING = 4  # documents of any grades at the end of lists that begin with irrelevant ones
SPARSE = 11  # length of the longest of these
DEEPEST_CUTOFF = 1000  # of those that a crowd exceeds
LARGER = 10  # how many times larger the other collection is, where a measure takes its size


@dataclass(frozen=True)
class Ranking:
    """Grades by rank, and the grades of all judged documents, ascending, which these are among."""

    grades: Grades
    judged: Grades

    def __str__(self) -> str:
        runs = [(grade, len(list(same))) for grade, same in groupby(self.grades)]
        shown = "".join(map(str, self.grades)) or "-"
        if len(self.grades) > 12:
            shown = " ".join(f"{grade}^{times}" if times > 1 else str(grade) for grade, times in runs)
        elif any(grade < 0 for grade in self.grades):
            shown = " ".join(map(str, self.grades))
        relevant = [grade for grade in self.judged if grade > 0]
        if relevant and max(relevant) > 1 and len(relevant) < 10:
            return f"{shown} (relevant: {','.join(map(str, relevant))})"
        return f"{shown} (R={len(relevant)})"


Case = tuple[tuple[int, Ranking], ...]
"""Signed rankings; the sum of their scores, with these signs, has to be above 0."""

GradeScale = tuple[int, ...]
"""The grades from which lists are made, ascending; 0 is one of them."""


@dataclass(frozen=True)
class Reach:
    """How long the lists are: all up to a length, and some that go beyond each limit of a measure."""

    length: int
    limits: tuple[int, ...] = ()  # ranks or amounts behind which a measure may see nothing

    @property
    def crowd(self) -> int:
        """The number of judged documents outside short lists: more than every cutoff."""
        return max([CROWD, *(limit + 2 for limit in self.limits if limit <= DEEPEST_CUTOFF)])


def grades_text(scale: Sequence[int]) -> str:
    """The grades of a scale, as messages name them."""
    return ",".join(map(str, scale))


@dataclass(frozen=True)
class Property:
    """A property of measures, with its rule and its cases."""

    number: int
    name: str
    meaning: str
    rule: Literal["every case", "from some n on", "for some m"]  # which of its cases decide
    # The smallest first; None for the two properties about depth, whose cases `one_against_block` makes.
    cases: Callable[[GradeScale, Reach], Iterator[Case]] | None = None


def _outside(scale: GradeScale) -> Iterator[Grades]:
    others = [grade for grade in scale if grade]
    return (missed for n in range(OUTSIDE + 1) for missed in combinations_with_replacement(others, n))


def _relevant(scale: GradeScale) -> Grades:
    return tuple(grade for grade in scale if grade > 0)


def _lists(scale: GradeScale, longest: int) -> Iterator[Grades]:
    return chain.from_iterable(product(scale, repeat=n) for n in range(longest + 1))


def tried_lists(scale: GradeScale, reach: Reach) -> Iterator[tuple[Grades, Grades, int]]:
    """Each list with the grades of its collection, and the place from which on documents are swapped.

    All lists up to a length, with up to two documents outside them; all up to length 3, with many outside
    them; lists of 5 to 11 documents that begin with irrelevant ones and end in any four; and for each limit
    lists that have 0 up to it, and then every list of two, 0 g 0 g and g 0 g. The longer lists have none or
    many documents outside them.
    """
    crowds = [(grade,) * reach.crowd for grade in scale]
    for longest, outside in ((reach.length, [*_outside(scale)]), (CROWDED, crowds)):
        for grades, missed in product(_lists(scale, longest), outside):
            yield grades, tuple(sorted((*grades, 0, *missed))), 0
    endings = [*product(scale, repeat=ENDING)]
    ends = [*_lists(scale, 2), *((*first, g, 0, g) for g in _relevant(scale) for first in ((0,), ()))]
    long = [((0,) * (n - ENDING), end) for n in range(ENDING + 1, SPARSE + 1) for end in endings]
    beyond = [((0,) * limit, end) for limit in reach.limits for end in ends]
    for (noise, end), missed in product((*long, *beyond), ((), *crowds)):
        yield (*noise, *end), tuple(sorted((*noise, *end, 0, *missed))), len(noise) - 1


def _swapped(grades: Grades, i: int, j: int) -> Grades:
    changed = list(grades)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)


def _better(one: Grades, other: Grades, judged: Grades) -> Case:
    return (1, Ranking(one, judged)), (-1, Ranking(other, judged))


def _priority(scale: GradeScale, reach: Reach) -> Iterator[Case]:
    for grades, judged, first in tried_lists(scale, reach):
        for j in range(first, len(grades)):
            for i in range(first, j):
                if grades[j] > grades[i]:
                    yield _better(_swapped(grades, i, j), grades, judged)


def _top_weightedness(scale: GradeScale, reach: Reach) -> Iterator[Case]:
    for grades, judged, first in tried_lists(scale, reach):
        rises = [i for i in range(first, len(grades) - 1) if grades[i] < grades[i + 1]]
        for i, j in combinations(rises, 2):
            if grades[i : i + 2] == grades[j : j + 2]:
                yield _better(_swapped(grades, i, i + 1), _swapped(grades, j, j + 1), judged)


def _confidence(scale: GradeScale, reach: Reach) -> Iterator[Case]:
    for grades, judged, _ in tried_lists(scale, replace(reach, length=reach.length - 1)):
        yield _better(grades, (*grades, 0), judged)


def _recall(scale: GradeScale, reach: Reach) -> Iterator[Case]:
    for grades, judged, _ in tried_lists(scale, reach):
        if any(grade > 0 for grade in grades):
            for grade in _relevant(scale):
                yield (1, Ranking(grades, judged)), (-1, Ranking(grades, tuple(sorted((*judged, grade)))))


def _redundancy(scale: GradeScale, reach: Reach) -> Iterator[Case]:
    beyond: list[tuple[int, Grades]] = [(limit + 1, ()) for limit in reach.limits]
    places = [*product(range(1, reach.length), _outside(scale)), *beyond]
    for (n, missed), above, below in product(places, _relevant(scale), _relevant(scale)):
        judged = tuple(sorted((*(0,) * (n + 1), above, below, *missed)))
        ends = (0, below), (0, 0), (above, below), (above, 0)
        yield tuple((sign, Ranking((0,) * (n - 1) + end, judged)) for sign, end in zip((1, -1, -1, 1), ends))


def one_against_block(grade: int, n: int, times: int) -> Case:
    """One relevant document against n behind n irrelevant ones; `times` as many of both are judged."""
    return _better((grade,), (0,) * n + (grade,) * n, (0,) * n * times + (grade,) * n * times)


_TOP = "a correct swap of neighbours raises it more higher up"
_DEEP = "one relevant on top beats n relevant after n irrelevant, from some n on"
_SHALLOW = "one relevant on top loses to m relevant after m irrelevant, for some m"
_FIRST = "a relevant document adds more where it is the first"

PROPERTIES = (
    Property(1, "Priority", "swapping a better document up raises the score", "every case", _priority),
    Property(2, "Top-weightedness", _TOP, "every case", _top_weightedness),
    Property(3, "Deepness", _DEEP, "from some n on"),
    Property(4, "Shallowness", _SHALLOW, "for some m"),
    Property(5, "Confidence", "appending an irrelevant document lowers the score", "every case", _confidence),
    Property(6, "Recall", "one more relevant document outside the list lowers it", "every case", _recall),
    Property(7, "Redundancy", _FIRST, "every case", _redundancy),
)

_SAME = 1e-12  # relative to the scores compared; full rankings of a large collection differ by little more

DEPTHS = tuple(2**power for power in range(14))  # every n that is tried for Deepness
SHARES = (1000, 100, 10, 5)  # the divisors of D that give n, for a measure with this parameter
SHALLOW = (*range(1, 33), 64, 128, 256)  # every m that is tried for Shallowness


@dataclass(frozen=True)
class Part:
    """What the cases of one property say in one setting."""

    setting: Mapping[str, str]  # what was fixed: grades, D, R, n
    verdict: str  # strict, weak, constant or violated
    shows: str  # the smallest case that shows it, with scores
    lists: int  # how many there were

    def words(self, names: Iterable[str]) -> str:
        """The named parts of the setting."""
        words = {name: f"{name} = {value}" for name, value in self.setting.items()}
        grades = self.setting["grades"]
        words["grades"] = f"grade {grades}" if " of " in grades else f"grades {grades}"
        return ", ".join(words[name] for name in names if name in words)


@dataclass(frozen=True)
class Trial:
    """A property in one setting."""

    known: Property
    setting: Mapping[str, str]
    signs: Ints
    at: Ints  # the places of each case's rankings in the batch (cases x sides)


@dataclass(frozen=True)
class Batch:
    """Trials over the same rankings, which are the lists of one run."""

    rankings: tuple[Ranking, ...]
    lists: Rankings
    trials: tuple[Trial, ...]

    @classmethod
    def of(
        cls, scale: GradeScale, trials: Iterable[tuple[Property, Mapping[str, str], Iterable[Case]]]
    ) -> Batch:
        """A batch from each property, with its setting and cases; gains depend on the scale."""
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
        return tuple(self.lists.take([row]) for row in range(len(self.rankings)))

    def judge(self, scores: Floats, also: Mapping[str, str]) -> Iterator[tuple[str, Part]]:
        """The verdict on each property, by its name. also: more of the setting."""
        for trial in self.trials:
            verdict, shows = self._decide(trial, scores)
            yield trial.known.name, Part({**also, **trial.setting}, verdict, shows, len(np.unique(trial.at)))

    def _decide(self, trial: Trial, scores: Floats) -> tuple[str, str]:
        sides = scores[trial.at]
        margins = sides @ trial.signs
        ties = np.abs(margins) <= _SAME * np.maximum(np.abs(sides).max(axis=1), 1e-3)
        signs = np.where(ties, 0, np.sign(margins)).astype(int)

        show = partial(self._show, trial, scores, signs)
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

    def _show(self, trial: Trial, scores: Floats, signs: Ints, case: int) -> str:
        """Both sides of a case with their scores; of four rankings, each side is a gain."""
        places, sign = trial.at[case], int(signs[case])

        def shows_it(digits: int) -> bool:
            rounded = [float(f"{score:.{digits}g}") for score in scores[places]]
            return bool(np.sign(trial.signs @ rounded) == sign)

        digits = next(filter(shows_it, range(4, 16)), 4)
        parts = [f"{self.rankings[place]} {scores[place]:.{digits}g}" for place in places]
        half = len(parts) // 2
        return f"{' - '.join(parts[:half])} {'=><'[sign]} {' - '.join(parts[half:])}"


def _as_lists(rankings: Sequence[Ranking], scale: GradeScale) -> Rankings:
    shown, all_judged = [r.grades for r in rankings], [r.judged for r in rankings]
    lengths, sizes = (np.array(list(map(len, each))) for each in (shown, all_judged))
    grades, judged = (np.fromiter(chain.from_iterable(each), np.int64) for each in (shown, all_judged))
    rows = np.arange(len(rankings))
    judgments = Judgments.from_rows([str(row) for row in rows], np.repeat(rows, sizes), judged, scale)
    offsets, scores = offsets_of(lengths), np.ones(len(grades))
    ranks = np.arange(1, len(grades) + 1) - np.repeat(offsets[:-1], lengths)
    first = first_of(scores, offsets[:-1], lengths)
    return Rankings(judgments, lengths, offsets, ranks, grades, offsets[:-1], scores, None, first)


@lru_cache(maxsize=16)
def list_trials(scale: GradeScale, reach: Reach) -> Batch:
    """The five properties about every list, on lists over the grades of a scale."""
    grades = {"grades": grades_text(scale)}
    return Batch.of(scale, ((p, grades, p.cases(scale, reach)) for p in PROPERTIES if p.cases is not None))


@lru_cache(maxsize=16)
def depth_trials(scale: GradeScale, D: int | None, limits: tuple[int, ...] = ()) -> Batch:
    """Deepness and Shallowness by grade, with R = n and R = 2n; where D is fixed, each n is a setting."""
    deep, shallow = (known for known in PROPERTIES if known.cases is None)
    depths = depths_beyond(limits)

    def trials() -> Iterator[tuple[Property, Mapping[str, str], Iterable[Case]]]:
        for grade in _relevant(scale):
            for times in (1, 2):
                here = {"grades": f"{grade} of {grades_text(scale)}", "R": "n" if times == 1 else "2n"}
                case = partial(one_against_block, grade, times=times)
                if D is None:
                    yield deep, here, map(case, depths)
                else:
                    for share in SHARES:
                        yield deep, {**here, "n": f"D/{share}"}, [case(max(1, D // share))]
                fitting = [m for m in SHALLOW if D is None or 4 * m <= D]
                turned = (reversed(case(m)) for m in fitting)
                yield shallow, here, [tuple((-sign, ranking) for sign, ranking in pair) for pair in turned]

    return Batch.of(scale, trials())


def depths_beyond(limits: Iterable[int]) -> tuple[int, ...]:
    """Every n that is tried for Deepness: the last is beyond each limit."""
    return (*DEPTHS, *sorted(2 * limit for limit in limits if limit >= DEPTHS[-1]))


def count_of_lists(scale: GradeScale, length: int) -> int:
    """How many lists to a length there are, with those documents outside them."""
    lists: int = sum(len(scale) ** n for n in range(length + 1))
    return lists * comb(len(scale) - 1 + OUTSIDE, OUTSIDE)


# in words


def tried_on(scales: Sequence[GradeScale], reach: Reach) -> str:
    """The lists that were tried."""
    grades = " and ".join(map(grades_text, scales))
    beyond = f", and some longer than {' and '.join(map(str, reach.limits))}" if reach.limits else ""
    return f"lists of grades {grades} to length {reach.length}, some to length {SPARSE}{beyond}"


_SHARES = ", ".join(f"D/{share}" for share in SHARES)
_ALL_M = f"1 to 32, {', '.join(map(str, SHALLOW[32:]))}"


def tried(rule: str, scales: Sequence[GradeScale], reach: Reach, sizes: Sequence[int | str]) -> str:
    """What was tried for a property, in words."""
    D = f"; D = {' and '.join(map(str, sizes))}" if sizes else ""
    if rule == "every case":
        return f"{tried_on(scales, reach)}, 0 to {OUTSIDE} and {reach.crowd} documents outside{D}"
    relevant = ([grade for grade in scale if grade > 0] for scale in scales)
    grades = " and ".join(f"{grades_text(of)} of {grades_text(scale)}" for of, scale in zip(relevant, scales))
    n = f"m = {_ALL_M}; R = m and 2m"
    if rule == "from some n on":
        by_rank = f"1, 2, 4 to {depths_beyond(reach.limits)[-1]}"
        depths = dict.fromkeys(_SHARES if isinstance(size, int) else by_rank for size in (sizes or (None,)))
        n = f"n = {' or '.join(depths)}; R = n and 2n"
    return f"{n}; relevant documents of grade {grades}{D}"


RULE = f"""\
Each property is tried in several settings: on lists of grades 0,1, on lists of grades 0,1,2, and on lists of
grades -1,0,1 where the measure uses negative grades; Deepness and Shallowness with R = n relevant documents
in the collection and with R = 2n (and as many irrelevant ones, all judged), of each grade; and where the
measure takes the size D of the collection, with the number of judged documents as D (if it allows that), with
a fixed D and with {LARGER} times as much. The verdict in one setting:

    strict     the property holds in every case
    weak       no case is against it, but there are ties
    constant   all cases tie: the measure does not see what the property is about
    violated   there is a case against it

Where the settings disagree the verdict is 'depends', followed by what it depends on and an example of each
verdict. The lists are all up to a length, by default of 6, with up to {OUTSIDE} judged documents outside
them; all up to length {CROWDED} with {CROWD} or more judged documents of one grade outside them; lists of
{ENDING + 1} to {SPARSE} documents that begin with irrelevant ones and end in any {ENDING}; and some that are
longer than each cutoff of the measure, or of a measure inside it, and than other limits on ranks.

Deepness: one relevant document on top beats n relevant ones after n irrelevant ones 'for some n large
enough'. The largest n that is tried decides: {DEPTHS[-1]}, or twice the limit of a measure that looks
further; where D is fixed, each of n = {_SHARES} is a setting of its own.
Shallowness: it loses to m relevant ones after m irrelevant ones for some m, of {_ALL_M}.

A violation is proved by the case that is shown. The other verdicts say that there is no counter-example among
the lists that were tried."""
