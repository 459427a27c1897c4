"""The formal properties of measures (Amigó, Mizzaro & Spina, SIGIR 2022), found by trying.

A case is a signed sum of scores that has to be positive. Each property declares its trials, which are
settings with their cases, and which of the cases decides. Five properties hold if every case does; their
cases are made from the lists of `tried_lists`. Deepness and Shallowness ask for a depth instead. The
collection of a case holds the documents of its lists, others that no list has, and one more irrelevant one,
all judged; the lists that are compared share it.

A batch holds the lists of many cases, which a measure scores in one pass. `RULE` says what the
verdicts mean.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.resources import files
from inspect import cleandoc
from itertools import chain, combinations, combinations_with_replacement, groupby, product
from math import comb
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.lazy import cached_property, pd, plots
from ir_trunc._core.parameters import Several, whole
from ir_trunc._core.rankings import Floats, Ints, Judgments, Rankings, first_of, offsets_of
from ir_trunc._output.tables import fitted
from ir_trunc._scoring.objects import MeasureLike, own_formula, parse_measure, parse_measures, written
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import labelled_table
from ir_trunc.measures import BoundMeasure, registry
from ir_trunc.measures.definition import CUTOFF
from ir_trunc.measures.params import QRELS, Sizes, Whole
from ir_trunc.measures.reading_cost import Named
from ir_trunc.measures.terminal import AMIGO
from ir_trunc.meta.matrix import index_of_measure
from ir_trunc.meta.procedures import procedure

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

Trials = Iterable[tuple[Mapping[str, str], Iterable[Case]]]
"""The cases of a property in each setting; the words of a setting say what is fixed in it."""

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


DEPTHS = tuple(2**power for power in range(14))  # every n that is tried for Deepness
SHARES = (1000, 100, 10, 5)  # the divisors of D that give n, for a measure with this parameter
SHALLOW = (*range(1, 33), 64, 128, 256)  # every m that is tried for Shallowness


def depths_beyond(limits: Iterable[int]) -> tuple[int, ...]:
    """Every n that is tried for Deepness: the last is beyond each limit."""
    return (*DEPTHS, *sorted(2 * limit for limit in limits if limit >= DEPTHS[-1]))


def _blocks(scale: GradeScale) -> Iterator[tuple[Mapping[str, str], Callable[[int], Case]]]:
    """One relevant document against n behind n irrelevant ones, by grade, where R = n and where R = 2n."""
    for grade in _relevant(scale):
        for R, times in (("n", 1), ("2n", 2)):
            yield {"grades": f"{grade} of {grades_text(scale)}", "R": R}, partial(_one_first, grade, times)


def _one_first(grade: int, times: int, n: int) -> Case:
    """`times` as many documents as n relevant and n irrelevant ones are judged."""
    return _better((grade,), (0,) * n + (grade,) * n, (0,) * n * times + (grade,) * n * times)


def _deepness(scale: GradeScale, reach: Reach, D: int | None) -> Trials:
    """Where D is fixed, each n is a setting."""
    for setting, case in _blocks(scale):
        if D is None:
            yield setting, map(case, depths_beyond(reach.limits))
        else:
            sizes = {f"D/{share}": max(1, D // share) for share in SHARES}
            yield from (({**setting, "n": name}, [case(n)]) for name, n in sizes.items())


def _shallowness(scale: GradeScale, reach: Reach, D: int | None) -> Trials:
    fitting = [m for m in SHALLOW if D is None or 4 * m <= D]
    for setting, case in _blocks(scale):
        yield setting, [tuple((-sign, ranking) for sign, ranking in reversed(case(m))) for m in fitting]


def last_cases(signs: Ints) -> int:
    """The first case of the last stretch with the same sign."""
    others = np.flatnonzero(signs != signs[-1])
    return int(others[-1]) + 1 if len(others) else 0


@dataclass(frozen=True)
class Property:
    """A property of measures, with its cases in each setting, and which of them decides."""

    number: int
    name: str
    meaning: str
    # Its cases, the smallest first. Those of a property about depth are those in each setting, and depend on
    # the size of the collection.
    trials: Callable[..., Iterable[Any]]
    decides: Callable[[Ints], Any] = np.argmin  # the place of the case that decides, from the sign of each
    about_depth: bool = False


PROPERTIES = (
    Property(1, "Priority", "swapping a better document up raises the score", _priority),
    Property(2, "Top-weightedness", "a correct swap of neighbours raises it more higher up",
             _top_weightedness),
    Property(3, "Deepness", "one relevant on top beats n relevant after n irrelevant, from some n on",
             _deepness, last_cases, about_depth=True),
    Property(4, "Shallowness", "one relevant on top loses to m relevant after m irrelevant, for some m",
             _shallowness, np.argmax, about_depth=True),
    Property(5, "Confidence", "appending an irrelevant document lowers the score", _confidence),
    Property(6, "Recall", "one more relevant document outside the list lowers it", _recall),
    Property(7, "Redundancy", "a relevant document adds more where it is the first", _redundancy),
)  # fmt: skip

_SAME = 1e-12  # relative to the scores compared; full rankings of a large collection differ by little more

_WORDS = {1: "strict", 0: "weak", -1: "violated"}


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
    def of(cls, scale: GradeScale, trials: Iterable[tuple[Property, Trials]]) -> Batch:
        """A batch of the trials of each property; gains depend on the scale."""
        places: dict[Ranking, int] = {}
        made = []
        for known, of_property in trials:
            for setting, cases in of_property:
                kept = list(cases)
                at = np.array([[places.setdefault(each, len(places)) for _, each in case] for case in kept])
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
            sides = scores[trial.at]
            margins = sides @ trial.signs
            ties = np.abs(margins) <= _SAME * np.maximum(np.abs(sides).max(axis=1), 1e-3)
            signs = np.where(ties, 0, np.sign(margins)).astype(int)
            case = int(trial.known.decides(signs))
            shows = self._show(trial, scores, case, int(signs[case]))
            verdict = _WORDS[int(signs[case])] if signs.any() else "constant"
            if signs.any() and trial.known.decides is last_cases:
                n, last = (len(self.rankings[trial.at[each, 1]].grades) // 2 for each in (case, -1))
                shows += f"; so for n = {n} to {last}" if n < last else ""
            yield trial.known.name, Part({**also, **trial.setting}, verdict, shows, len(np.unique(trial.at)))

    def _show(self, trial: Trial, scores: Floats, case: int, sign: int) -> str:
        """Both sides of a case with their scores; of four rankings, each side is a gain."""
        places = trial.at[case]

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


@lru_cache(maxsize=32)
def _batch(about_depth: bool, scale: GradeScale, reach: Reach, D: int | None) -> Batch:
    chosen = (each for each in PROPERTIES if each.about_depth == about_depth)
    if about_depth:
        return Batch.of(scale, ((each, each.trials(scale, reach, D)) for each in chosen))
    setting = {"grades": grades_text(scale)}  # of a property about every list, the only one
    return Batch.of(scale, ((each, [(setting, each.trials(scale, reach))]) for each in chosen))


# in words


def tried_on(scales: Sequence[GradeScale], reach: Reach) -> str:
    """The lists that were tried."""
    grades = " and ".join(map(grades_text, scales))
    beyond = f", and some longer than {' and '.join(map(str, reach.limits))}" if reach.limits else ""
    return f"lists of grades {grades} to length {reach.length}, some to length {SPARSE}{beyond}"


_SHARES = ", ".join(f"D/{share}" for share in SHARES)
_ALL_M = f"1 to 32, {', '.join(map(str, SHALLOW[32:]))}"


def tried(known: Property, scales: Sequence[GradeScale], reach: Reach, sizes: Sequence[int | str]) -> str:
    """What was tried for a property, in words."""
    D = f"; D = {' and '.join(map(str, sizes))}" if sizes else ""
    if not known.about_depth:
        return f"{tried_on(scales, reach)}, 0 to {OUTSIDE} and {reach.crowd} documents outside{D}"
    grades = " and ".join(f"{grades_text(_relevant(scale))} of {grades_text(scale)}" for scale in scales)
    n = f"m = {_ALL_M}; R = m and 2m"
    if known.decides is last_cases:
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


@dataclass(frozen=True)
class Claim:
    """A claim of the paper about a measure and a property."""

    says: str  # yes or no
    where: str
    scale: str = ""  # the grades that it speaks of, where it speaks of some only

    def is_about(self, setting: Mapping[str, str]) -> bool:
        """Whether a setting is meant: the paper knows the size of the collection, and compares top grades."""
        if setting.get("D") == QRELS:
            return False
        grade, _, scale = setting["grades"].rpartition(" of ")
        return scale.endswith(grade) and not scale.startswith("-") and self.scale in ("", scale)


@dataclass(frozen=True)
class Finding:
    """What one measure does with one property."""

    property: str
    parts: tuple[Part, ...]  # the verdict in each setting
    tried: str  # the lists, in words
    claim: Claim | None = None  # of the paper; None where it is not legible or silent

    @cached_property
    def verdict(self) -> str:
        """strict, weak, constant or violated; 'depends' where the settings disagree."""
        verdicts = {part.verdict for part in self.parts}
        return verdicts.pop() if len(verdicts) == 1 else "depends"

    @cached_property
    def depends_on(self) -> tuple[str, ...]:
        """What the verdict changes with ('grades', 'D', 'R', 'n'), by itself where there is any such."""
        if self.verdict != "depends":
            return ()
        named = dict.fromkeys(name for part in self.parts for name in part.setting)

        def changes(name: str) -> bool:
            rests = [tuple(item for item in part.setting.items() if item[0] != name) for part in self.parts]
            return len({*zip(rests, (part.verdict for part in self.parts))}) > len({*rests})

        return tuple(name for name in named if changes(name)) or tuple(named)

    @cached_property
    def examples(self) -> tuple[tuple[str, str, str], ...]:
        """Each verdict that occurs, with its setting in words and the first case that shows it."""
        first: dict[str, Part] = {}
        for part in self.parts:
            first.setdefault(part.verdict, part)
        return tuple((word, part.words(self.depends_on), part.shows) for word, part in first.items())

    @cached_property
    def shows(self) -> str:
        """The smallest ranking that shows the verdict, with scores; one for each verdict where it depends."""
        return "; ".join(f"{word} with {at}: {shows}" if at else shows for word, at, shows in self.examples)

    @cached_property
    def lists(self) -> int:
        """How many were tried, in all settings."""
        return sum(part.lists for part in self.parts)

    @cached_property
    def evidence(self) -> str:
        """What the verdict rests on: the smallest counter-example, or that there is none."""
        if self.verdict == "violated":
            return self.shows
        what = "only ties" if self.verdict == "constant" else "no counter-example"
        return f"{what} among {self.lists} lists; {self.shows}"

    @cached_property
    def paper(self) -> str:
        """What the paper says, and where; empty where it is not legible or silent."""
        return f"{self.claim.says} ({self.claim.where})" if self.claim else ""

    def disagrees(self) -> bool:
        """Whether the paper says otherwise than that it is strict, or not, in all settings it speaks of."""
        if self.claim is None:
            return False
        meant = [part for part in self.parts if self.claim.is_about(part.setting)]
        return bool(meant) and (self.claim.says == "yes") != all(part.verdict == "strict" for part in meant)


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """The seven findings for one measure, on lists over the grades of each of the `scales`."""

    measure: str
    scales: tuple[GradeScale, ...]
    reach: Reach
    findings: tuple[Finding, ...]

    def __getitem__(self, name: str) -> Finding:
        """The finding of a property, by its name."""
        return next(finding for finding in self.findings if finding.property == name)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each property: measure, property, verdict, depends_on, shows, tried, lists, paper."""
        columns = ["property", "verdict", "depends_on", "shows", "tried", "lists", "paper"]
        rows = [[getattr(finding, column) for column in columns] for finding in self.findings]
        table = pd.DataFrame(rows, columns=columns).assign(measure=self.measure)
        table["depends_on"] = table["depends_on"].map(" ".join)
        return table[["measure", *columns]]

    @property
    def heading(self) -> str:
        """The measure, and the lists that were tried."""
        return f"{self.measure}: {tried_on(self.scales, self.reach)}"

    def __repr__(self) -> str:
        lines = [self.heading]
        for finding, declared in zip(self.findings, PROPERTIES):
            more = f"on {', '.join(finding.depends_on)}" if finding.depends_on else finding.evidence
            lines.append(f"{declared.number} {finding.property:<17}{finding.verdict:<10}{more}")
            if finding.depends_on:
                lines += [f"{'':<19}{word} with {where}: {shows}" for word, where, shows in finding.examples]
            if finding.disagrees():
                lines.append(f"{'':<19}the paper says {finding.paper}")
        return fitted("\n".join(lines), indent=29)


_GRADE = Whole("grade", -(2**31), 2**31)
_GRADES = Several("grades of the lists, ascending, with 0 (by default 0,1 and then 0,1,2)", _GRADE)
Grading = Annotated[Sequence[int] | None, _GRADES]
Length = Annotated[int, Whole("length of the longest lists of which all are tried", 4, 10)]

SCALES: tuple[GradeScale, ...] = ((0, 1), (0, 1, 2))  # tried by default
HARMFUL: GradeScale = (-1, 0, 1)  # tried by default, too, for measures that use negative grades
SIZE = 20_000  # of the collection, for a measure that takes it from the qrels by default
MOST_LISTS = 100_000  # that can be tried
MOST_RANKS = 200_000  # of the lists that exceed a limit
KEPT_LENGTH = 6  # for which the package keeps the verdicts on its measures

Function = Callable[[Sequence[int], Sequence[int]], float]
Scorer = Callable[[Batch], Floats]


def _is_function(measure: Any) -> bool:
    return callable(measure) and not isinstance(measure, (Measure, type))


Size = int | str | None
"""The size of the collection; None for a measure that does not take it."""


@dataclass(frozen=True)
class Plan:
    """What is tried for one measure: its settings, and what scores the lists in each."""

    name: str
    scales: tuple[GradeScale, ...]
    reach: Reach
    scorers: Mapping[Size, Scorer]
    claims: Mapping[str, Claim]

    def findings(self, parts: Mapping[str, Sequence[Part]]) -> Verdicts:
        """The verdicts, from those of each property in each setting."""
        sizes = [size for size in self.scorers if size is not None]
        words = {each.name: tried(each, self.scales, self.reach, sizes) for each in PROPERTIES}
        findings = (Finding(name, tuple(parts[name]), words[name], self.claims.get(name)) for name in words)
        return Verdicts(self.name, self.scales, self.reach, tuple(findings))

    def computed(self) -> Verdicts:
        """The verdicts, found by trying."""
        parts: dict[str, list[Part]] = {each.name: [] for each in PROPERTIES}
        for scale, (size, scorer) in product(self.scales, self.scorers.items()):
            setting = {} if size is None else {"D": str(size)}
            fixed = size if isinstance(size, int) else None
            # About lists over these grades, and about depth in a collection of this size.
            for batch in (_batch(False, scale, self.reach, None), _batch(True, scale, self.reach, fixed)):
                try:
                    scores = scorer(batch)
                except ParameterError as error:
                    where = f"{self.name} on lists of grades {grades_text(scale)}"
                    raise ParameterError(f"{where}: {error} Other grades are chosen by 'scale'.") from None
                for name, part in batch.judge(scores, setting):
                    parts[name].append(part)
        return self.findings(parts)


def _plan(measure: Any, scale: GradeScale | None, length: int) -> Plan:
    scales = SCALES if scale is None else (scale,)
    if _is_function(measure):
        by_function = partial(_scores_by_function, measure)
        return Plan(getattr(measure, "__name__", "function"), scales, Reach(length), {None: by_function}, {})
    parsed = parse_measure(measure)
    bound = own_formula(parsed)
    reach = Reach(length, _limits(bound, length))
    sizes = _sizes(bound, "D" in parsed.params)
    for size in sizes:
        if isinstance(size, int):
            whole("D", size, length + OUTSIDE + 2 + reach.crowd + max(reach.limits, default=0))
    scorers = {size: partial(_scores_by_formula, bound, size) for size in sizes}
    if scale is None and _uses_negative_grades(scorers[sizes[0]]):
        scales += (HARMFUL,)
    cutoff = bound.definition.params.get(CUTOFF)
    is_cut = bound.cutoff is not None and cutoff is not None and not cutoff.required
    claims = {} if is_cut else _claims().get(bound.definition.name, {})  # they are about whole lists
    if bound.params.get("terminal", "full") != "full":  # the paper's, which all are on binary lists
        claims = {name: replace(claim, scale=grades_text(SCALES[0])) for name, claim in claims.items()}
    return Plan(written(parsed), scales, reach, scorers, claims)


def _limits(measure: BoundMeasure, length: int) -> tuple[int, ...]:
    """The cutoffs of a measure and of one inside it, and its parameters that no list to a length exceeds."""
    limits = {measure.cutoff}
    for name, value in measure.params.items():
        if isinstance(measure.definition.params[name].kind, Named):
            limits.add(own_formula(parse_measure(value)).cutoff)
        elif name != "D" and isinstance(value, (int, float)) and length < value < MOST_RANKS:
            limits.add(math.ceil(value))
    return tuple(sorted(limit for limit in limits if limit is not None))


def _sizes(measure: BoundMeasure, is_given: bool) -> list[Size]:
    """The sizes of the collection with which a measure is tried; None where it does not take a number."""
    size = measure.params.get("D")
    if is_given or "D" not in measure.definition.params:
        return [size if isinstance(size, int) else None]
    number = size if isinstance(size, int) else SIZE
    numbers: list[Size] = [number, LARGER * number]
    if not isinstance(measure.definition.params["D"].kind, Sizes):
        return numbers
    return [QRELS, *numbers] if size == QRELS else [*numbers, QRELS]


def _uses_negative_grades(scorer: Scorer) -> bool:
    """Whether a list of one document differs with its grade, -1 or 0."""
    both = [((1, Ranking((grade,), (-1, 0, 1))),) for grade in (-1, 0)]
    harmful, irrelevant = scorer(Batch.of(HARMFUL, [(PROPERTIES[0], [({}, both)])]))
    return bool(harmful != irrelevant)


def _scores_by_formula(measure: BoundMeasure, D: Size, batch: Batch) -> Floats:
    sized = measure if D is None else measure.with_params(D=D)
    runs = [batch.lists] if measure.definition.scope == "list" else batch.alone
    scores: Floats = np.concatenate(list(map(sized.score, runs)))
    return -scores if measure.definition.lower_is_better else scores


def _scores_by_function(function: Function, batch: Batch) -> Floats:
    scores = np.full(len(batch.rankings), np.nan)
    for place, ranking in enumerate(batch.rankings):
        value = function(ranking.grades, ranking.judged)
        with suppress(TypeError, ValueError):
            scores[place] = float(value)
        if not math.isfinite(scores[place]):
            returned = f"returns {shown(value)} for {ranking}"
            raise ParameterError(f"The function {returned}; a finite number is needed.")
    return scores


def _rows_of(file: str) -> Iterable[dict[str, str]]:
    """The rows of a file of the package."""
    return csv.DictReader((files("ir_trunc.meta") / file).read_text(encoding="utf-8").splitlines())


def _claims() -> dict[str, dict[str, Claim]]:
    """The claims of the paper, by measure and property, where they are legible."""
    claims: dict[str, dict[str, Claim]] = {}
    for row in _rows_of("claims.csv"):
        for name in row["properties"].split():
            claims.setdefault(row["measure"], {})[name] = Claim(row["says"], row["where"], row["scale"])
    return claims


def _kept() -> dict[str, dict[str, list[Part]]]:
    """The verdicts that were computed for the reference: those in each setting, by measure and property."""
    parts: dict[str, dict[str, list[Part]]] = {}
    for row in _rows_of("verdicts.csv"):
        setting = {name: row[name] for name in _SETTING if row[name]}
        part = Part(setting, row["verdict"], row["shows"], int(row["lists"]))
        parts.setdefault(row["measure"], {}).setdefault(row["property"], []).append(part)
    return parts


def kept_text(measures: Sequence[str]) -> str:
    """The verdicts on measures, found anew, as the file in which the package keeps those of the registry."""
    table = [_plan(measure, None, KEPT_LENGTH).computed() for measure in measures]
    columns = ["measure", "property", *_SETTING, "verdict", "lists", "shows"]
    rows = [{"measure": row.measure, "property": each.property, **part.setting, **vars(part)}
            for row in table for each in row.findings for part in each.parts]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).to_csv(index=False, lineterminator="\n")


_SETTING = ("D", "grades", "R", "n")
TABLE_CUTOFF = 4  # of the measures that need one: within the longest list, and more than 2

_SHADES = {"strict": 0.75, "depends": 0.4, "weak": 0.2, "constant": 0.0, "violated": 0.0}


@dataclass(frozen=True, repr=False)
class PropertyTable(Result):
    """The verdicts on several measures, in rows."""

    every_row = True

    rows: tuple[Verdicts, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Verdicts]:
        return iter(self.rows)

    def __getitem__(self, measure: int | str | Measure) -> Verdicts:
        """The verdicts on one measure, by its place, its text or its object."""
        if isinstance(measure, (str, Measure)):
            measure = index_of_measure(measure, [row.measure for row in self.rows])
        return self.rows[measure]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and property, see `Verdicts.to_pandas`."""
        return pd.concat([verdicts.to_pandas() for verdicts in self.rows], ignore_index=True)

    @property
    def heading(self) -> str:
        """The lists that were tried."""
        tried = tried_on(SCALES, Reach(self.rows[0].reach.length))
        star = "* Amigó et al. 2022 say otherwise; 'properties NAME' shows why."
        return f"{tried[:1].upper()}{tried[1:]}. {star}"

    def report(self, places: int | None = None) -> str:
        """The table for all measures; for some of them the rankings behind every verdict."""
        return super().report(places) if len(self) == len(registry) else "\n\n".join(map(str, self))

    def summary(self) -> pd.DataFrame:
        """Measures by properties: the verdict, with a star where the paper says otherwise."""
        cells = [[each.verdict + "*" * each.disagrees() for each in row.findings] for row in self.rows]
        names = [row.measure for row in self.rows]
        return labelled_table("measure", names, cells, [declared.name for declared in PROPERTIES])

    def plot(self, ax: Any = None) -> Any:
        """Measures by properties, dark where the property holds; a star where the paper says otherwise."""
        words = self.summary()
        shades = [[_SHADES[finding.verdict] for finding in verdicts.findings] for verdicts in self.rows]
        ax = plots._kit.shaded_table(pd.DataFrame(shades, words.index, words.columns), "", ax, words)
        ax.set_title("the darker, the more strictly it holds; *: the paper says otherwise", fontsize="medium")
        return ax


@procedure(source=f"{AMIGO}, section 2 and table 1")
def properties(
    measures: MeasureLike | Function | None = None, scale: Grading = None, length: Length = 6
) -> PropertyTable:
    """The seven formal properties of measures, with the ranking that shows each verdict.

    Parameters
    ----------
    measures : text, measure, list of both or callable, optional
        By default every measure of the registry in its default setting, @4 where a depth is needed; their
        verdicts are kept in a file of the package. A callable takes the grades by rank and the grades of all
        judged documents, and returns a number.
    scale : sequence of int, optional
        Grades from which lists are made, ascending, with 0; by default 0,1 and then 0,1,2, and -1,0,1 for a
        measure that uses negative grades.
    length : int
        Length of the longest lists of which all are tried, 4 to 10.

    Returns
    -------
    PropertyTable
        The verdicts on each measure, in rows.

    Raises
    ------
    ParameterError
        Where too many lists would be tried, or the function returns no finite number.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> found = meta.properties("AP RBPT", length=4)["RBPT"]
    >>> found["Confidence"].verdict, found["Confidence"].shows
    ('weak', '- (R=1) 0 = 0 (R=1) 0')
    """
    if scale is not None and (0 not in scale or len(scale) < 2 or list(scale) != sorted(scale)):
        raise ParameterError(f"scale={scale}: ascending grades are needed, 0 and at least one other.")
    grades = None if scale is None else tuple(scale)
    largest = grades or SCALES[-1]
    outside = comb(len(largest) - 1 + OUTSIDE, OUTSIDE)
    lists = sum(len(largest) ** n for n in range(length + 1)) * outside
    if lists > MOST_LISTS:
        where = f"scale={grades_text(largest)}, length={length}"
        many = f"{lists} lists would be tried, and at most {MOST_LISTS} can be"
        raise ParameterError(f"{where}: {many}: take fewer grades or a shorter length.")
    named: Any = default_settings() if measures is None else measures
    chosen: list[Any] = [named] if _is_function(named) else [*parse_measures(named)]
    plans = [_plan(measure, grades, length) for measure in chosen]
    kept = _kept() if measures is None and scale is None and length == KEPT_LENGTH else {}
    each = progress(plans, "properties", "measure")
    rows = (plan.findings(kept[plan.name]) if plan.name in kept else plan.computed() for plan in each)
    return PropertyTable(tuple(rows))


def default_settings() -> list[str]:
    """Every measure of the registry by itself, @4 where a depth is needed."""
    cutoffs = {name: definition.params.get(CUTOFF) for name, definition in registry.items()}
    return [f"{name}@{TABLE_CUTOFF}" if k and k.required else name for name, k in cutoffs.items()]


_BEFORE, _SECTION, _AFTER = cleandoc(properties.__doc__ or "").partition("\n\nParameters\n")
properties.__doc__ = f"{_BEFORE}\n\n{RULE}{_SECTION}{_AFTER}"
