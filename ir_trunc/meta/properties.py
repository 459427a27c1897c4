"""The formal properties of measures (Amigó, Mizzaro & Spina, SIGIR 2022), found by trying."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from inspect import cleandoc
from itertools import product
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import Several, several, whole
from ir_trunc._core.rankings import Floats
from ir_trunc._output.tables import fitted
from ir_trunc.measures import BoundMeasure, registry
from ir_trunc.measures.definition import CUTOFF
from ir_trunc.measures.params import Whole
from ir_trunc.meta._trials import (
    DEPTHS,
    OUTSIDE,
    PROPERTIES,
    SHALLOW,
    SHARES,
    Batch,
    GradeScale,
    Part,
    depth_trials,
    grades_text,
    list_trials,
)
from ir_trunc.meta.matrix import index_of_measure, labelled_table
from ir_trunc.meta.pools import own_formulas
from ir_trunc.meta.procedures import procedure
from ir_trunc.plots import _kit
from ir_trunc.scoring._runs import progress
from ir_trunc.scoring.objects import MeasureLike, parse_measure, parse_measures, written
from ir_trunc.scoring.results import Result

__all__ = ["PropertyTable", "Verdicts", "properties"]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper about a measure and a property."""

    says: str  # yes or no
    where: str
    scale: str = ""  # the grades that it speaks of, where it speaks of some only

    def is_about(self, grades: str) -> bool:
        """Whether these grades are meant; single documents that are compared are of the highest grade."""
        grade, _, scale = grades.rpartition(" of ")
        return scale.endswith(grade) and self.scale in ("", scale)

    def __str__(self) -> str:
        return f"{self.says} ({self.where})"


@dataclass(frozen=True)
class Finding:
    """What one measure does with one property."""

    property: str
    parts: tuple[Part, ...]  # the verdict in each setting
    tried: str  # the cases, in words
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
            by_rest: dict[tuple[tuple[str, str], ...], set[str]] = {}
            for part in self.parts:
                rest = tuple(item for item in part.setting.items() if item[0] != name)
                by_rest.setdefault(rest, set()).add(part.verdict)
            return any(len(verdicts) > 1 for verdicts in by_rest.values())

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
        each = (f"{word} with {where}: {shows}" if where else shows for word, where, shows in self.examples)
        return "; ".join(each)

    @cached_property
    def cases(self) -> int:
        """How many were tried, in all settings."""
        return sum(part.cases for part in self.parts)

    @cached_property
    def paper(self) -> str:
        """What the paper says, and where; empty where it is not legible or silent."""
        return str(self.claim or "")

    def disagrees(self) -> bool:
        """Whether the paper says otherwise than that it is strict, or not, in all settings it speaks of."""
        if self.claim is None:
            return False
        meant = [part for part in self.parts if self.claim.is_about(part.setting["grades"])]
        return bool(meant) and (self.claim.says == "yes") != all(part.verdict == "strict" for part in meant)


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """The seven findings for one measure, on lists up to `length` over the grades of each of the `scales`."""

    measure: str
    scales: tuple[GradeScale, ...]
    length: int
    findings: tuple[Finding, ...]
    cutoff: int | None = None  # the measure's own; beyond `length`, no list fills it

    def __getitem__(self, name: str) -> Finding:
        """The finding of a property, by its name."""
        return next(finding for finding in self.findings if finding.property == name)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each property: measure, property, verdict, depends_on, shows, tried, cases, paper."""
        columns = ["property", "verdict", "depends_on", "shows", "tried", "cases", "paper"]
        rows = [[getattr(finding, column) for column in columns] for finding in self.findings]
        table = pd.DataFrame(rows, columns=columns)
        table["depends_on"] = table["depends_on"].map(" ".join)
        table.insert(0, "measure", self.measure)
        return table

    @property
    def heading(self) -> str:
        """The measure, and the lists that were tried."""
        return f"{self.measure}: {tried_on(self.scales, self.length, self.cutoff)}"

    def __repr__(self) -> str:
        lines = [self.heading]
        for finding, declared in zip(self.findings, PROPERTIES):
            more = f"on {', '.join(finding.depends_on)}" if finding.depends_on else finding.shows
            lines.append(f"{declared.number} {finding.property:<17}{finding.verdict:<10}{more}")
            if finding.depends_on:
                lines += [f"{'':<19}{word} with {where}: {shows}" for word, where, shows in finding.examples]
            if finding.disagrees():
                lines.append(f"{'':<19}the paper says {finding.paper}")
        return fitted("\n".join(lines), indent=29)


def tried_on(scales: Sequence[GradeScale], length: int, cutoff: int | None = None) -> str:
    """The lists that were tried, and whether they are all shorter than the cutoff."""
    lists = f"lists of grades {' and '.join(map(grades_text, scales))} to length {length}"
    return lists + f" (none reaches the cutoff {cutoff})" * (cutoff is not None and cutoff > length)


Grading = Annotated[
    Sequence[int] | None,
    Several("grades of the lists, 0 first (by default 0,1 and then 0,1,2)", Whole("grade", 0)),
]
Length = Annotated[int, Whole("length of the longest lists of which all are tried", 4, 10)]

SCALES: tuple[GradeScale, ...] = ((0, 1), (0, 1, 2))  # tried by default
LARGER = 10  # how many times larger the second collection is, for a measure with the size D as parameter
MOST_LISTS = 100_000  # that can be tried

_SHARES = ", ".join(f"D/{share}" for share in SHARES)
_ALL_M = f"1 to 32, {', '.join(map(str, SHALLOW[32:]))}"

RULE = f"""\
Each property is tried in several settings: on lists of grades 0,1 and on lists of grades 0,1,2; Deepness and
Shallowness with R = n relevant documents in the collection and with R = 2n (and as many irrelevant ones, all
judged), of each grade; and where a measure knows the size D of the collection, with its default D and with
{LARGER} times as much. The verdict in one setting:

    strict     the property holds in every case
    weak       no case is against it, but there are ties
    constant   all cases tie: the measure does not see what the property is about
    violated   there is a case against it

Where the settings disagree the verdict is 'depends', followed by what it depends on and an example of each
verdict. The cases are all lists up to a length, by default of 6, with up to {OUTSIDE} relevant documents
outside them.

Deepness: one relevant document on top beats n relevant ones after n irrelevant ones 'for some n large
enough'. The largest n that is tried decides, {DEPTHS[-1]}; where a measure knows D, each of n = {_SHARES}
is a setting of its own.
Shallowness: it loses to m relevant ones after m irrelevant ones for some m, of {_ALL_M}.

A violation is proved by the case that is shown. The other verdicts hold for what was tried."""

Function = Callable[[Sequence[int], Sequence[int]], float]
Scorer = Callable[[Batch], Floats]


def _is_function(measure: Any) -> bool:
    return callable(measure) and not isinstance(measure, (Measure, type))


def _check(measure: Any, scales: tuple[GradeScale, ...], length: int) -> Verdicts:
    sizes: list[int] = []
    cutoff: int | None = None
    claims: dict[str, Claim] = {}
    scorers: dict[int | None, Scorer]
    if _is_function(measure):
        name, scorers = getattr(measure, "__name__", "function"), {None: _function_scorer(measure)}
    else:
        parsed = parse_measure(measure)
        bound = own_formulas([parsed])[0]
        name, cutoff, claims = written(parsed), bound.cutoff, _claims().get(bound.definition.name, {})
        D = bound.params.get("D")
        if isinstance(D, int):
            whole("D", D, length + OUTSIDE + 2)
            sizes = [D] if "D" in parsed.params else [D, LARGER * D]
        scorers = {D: _formula_scorer(bound, D) for D in sizes} or {None: _formula_scorer(bound, None)}
    parts: dict[str, list[Part]] = {known.name: [] for known in PROPERTIES}
    for scale, (size, scorer) in product(scales, scorers.items()):
        also = {} if size is None else {"D": str(size)}
        for batch in (list_trials(scale, length), depth_trials(scale, size)):
            try:
                scores = scorer(batch)
            except ParameterError as error:
                where = f"{name} on lists of grades {grades_text(scale)}"
                raise ParameterError(f"{where}: {error} Other grades are chosen by 'scale'.") from None
            for prop, part in batch.judge(scores, also):
                parts[prop].append(part)
    findings = []
    for known in PROPERTIES:
        tried = _tried(known.rule, scales, tried_on(scales, length, cutoff), sizes)
        findings.append(Finding(known.name, tuple(parts[known.name]), tried, claims.get(known.name)))
    return Verdicts(name, scales, length, tuple(findings), cutoff)


def _tried(rule: str, scales: Sequence[GradeScale], lists: str, sizes: Sequence[int]) -> str:
    """What was tried for a property, in words."""
    D = f"; D = {' and '.join(map(str, sizes))}" if sizes else ""
    if rule == "every case":
        return f"{lists}, 0 to {OUTSIDE} relevant documents outside{D}"
    grades = " and ".join(f"{grades_text(scale[1:])} of {grades_text(scale)}" for scale in scales)
    n = f"m = {_ALL_M}; R = m and 2m"
    if rule == "from some n on":
        n = f"n = {_SHARES if sizes else f'1, 2, 4 to {DEPTHS[-1]}'}; R = n and 2n"
    return f"{n}; relevant documents of grade {grades}{D}"


def _formula_scorer(measure: BoundMeasure, D: int | None) -> Scorer:
    sized = measure if D is None else replace(measure, params={**measure.params, "D": D})
    sign = -1 if measure.definition.lower_is_better else 1

    by_list = measure.definition.scope == "list"

    def score(batch: Batch) -> Floats:
        return sign * np.concatenate(list(map(sized.score, [batch.lists] if by_list else batch.alone)))

    return score


def _function_scorer(function: Function) -> Scorer:
    def score(batch: Batch) -> Floats:
        found = np.empty(len(batch.rankings))
        for at, ranking in enumerate(batch.rankings):
            value = function(ranking.grades, ranking.judged)
            try:
                found[at] = float(value)
            except (TypeError, ValueError):
                found[at] = math.nan
            if not math.isfinite(found[at]):
                raise ParameterError(
                    f"The function returns {shown(value)} for {ranking}; a finite number is needed."
                )
        return found

    return score


def _claims() -> dict[str, dict[str, Claim]]:
    """The claims of the paper, by measure and property, where they are legible."""
    text = (files("ir_trunc.meta") / "claims.csv").read_text(encoding="utf-8")
    claims: dict[str, dict[str, Claim]] = {}
    for row in csv.DictReader(text.splitlines()):
        for name in row["properties"].split():
            claims.setdefault(row["measure"], {})[name] = Claim(row["says"], row["where"], row["scale"])
    return claims


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
        tried = tried_on(self.rows[0].scales, self.rows[0].length)
        return (
            f"{tried[:1].upper()}{tried[1:]}. * Amigó et al. 2022 say otherwise; 'properties NAME' shows why."
        )

    def report(self, places: int | None = None) -> str:
        """The table for all measures; for some of them the rankings behind every verdict."""
        return super().report(places) if len(self) == len(registry) else "\n\n".join(map(str, self))

    def summary(self) -> pd.DataFrame:
        """Measures by properties: the verdict, with a star where the paper says otherwise."""
        cells = [[each.verdict + "*" * each.disagrees() for each in row.findings] for row in self.rows]
        names = [verdicts.measure for verdicts in self.rows]
        return labelled_table("measure", names, cells, [known.name for known in PROPERTIES])

    def plot(self, ax: Any = None) -> Any:
        """Measures by properties, dark where the property holds; a star where the paper says otherwise."""
        words = self.summary()
        shades = [[_SHADES[finding.verdict] for finding in verdicts.findings] for verdicts in self.rows]
        shown = _kit.shaded_table(pd.DataFrame(shades, words.index, words.columns), "", ax, words)
        title = "the darker, the more strictly it holds; *: the paper says otherwise"
        shown.set_title(title, fontsize="medium")
        return shown


@procedure(source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051")
def properties(
    measures: MeasureLike | Function | None = None, scale: Grading = None, length: Length = 6
) -> PropertyTable:
    """The seven formal properties of measures, with the ranking that shows each verdict.

    Parameters
    ----------
    measures : text, measure, list of both or callable, optional
        By default every measure of the registry in its default setting, @4 where a depth is needed. A
        callable takes the grades by rank and the grades of all judged documents, and returns a number.
    scale : sequence of int, optional
        Grades from which lists are made, 0 first; by default 0,1 and then 0,1,2.
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
    scales = SCALES
    if scale is not None:
        given = tuple(whole("scale", grade, 0, 2**31) for grade in several("scale", scale, "grades"))
        if len(given) < 2 or given[0] != 0 or list(given) != sorted(set(given)):
            raise ParameterError(f"scale={given}: 0 and at least one grade above it, ascending, are needed.")
        scales = (given,)
    for grades in scales:
        lists = sum(len(grades) ** n for n in range(length + 1))
        lists *= math.comb(len(grades) + OUTSIDE - 1, OUTSIDE)
        if lists > MOST_LISTS:
            raise ParameterError(
                f"scale={grades_text(grades)}, length={length}: {lists} lists would be tried, and at most"
                f" {MOST_LISTS} can be: take fewer grades or a shorter length."
            )
    chosen: list[Any]
    if measures is None:
        cutoffs = {name: definition.params.get(CUTOFF) for name, definition in registry.items()}
        chosen = [f"{name}@{TABLE_CUTOFF}" * bool(k and k.required) or name for name, k in cutoffs.items()]
    else:
        named: Any = measures
        chosen = [named] if _is_function(named) else [*parse_measures(named)]
    measured = progress(chosen, "properties", "measure")
    return PropertyTable(tuple(_check(measure, scales, length) for measure in measured))


properties.__doc__ = cleandoc(properties.__doc__ or "").replace(
    "\n\nParameters\n", f"\n\n{RULE}\n\nParameters\n", 1
)
