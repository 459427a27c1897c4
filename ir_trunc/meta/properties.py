"""The formal properties of measures (Amigó, Mizzaro & Spina, SIGIR 2022), found by trying."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from inspect import cleandoc
from itertools import product
from math import comb
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.lazy import cached_property, pd, plots
from ir_trunc._core.parameters import Several, whole
from ir_trunc._core.rankings import Floats
from ir_trunc._output.tables import fitted
from ir_trunc._scoring.objects import MeasureLike, parse_measure, parse_measures, written
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc._scoring.tables import labelled_table
from ir_trunc.measures import BoundMeasure, registry
from ir_trunc.measures.definition import CUTOFF
from ir_trunc.measures.params import QRELS, Sizes, Whole
from ir_trunc.measures.reading_cost import Named
from ir_trunc.meta import _trials
from ir_trunc.meta._trials import PROPERTIES, Batch, GradeScale, Part, Ranking, Reach, grades_text
from ir_trunc.meta.matrix import index_of_measure, own_formula
from ir_trunc.meta.procedures import procedure


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
        return f"{self.measure}: {_trials.tried_on(self.scales, self.reach)}"

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
Grading = Annotated[
    Sequence[int] | None,
    Several("grades of the lists, ascending, with 0 (by default 0,1 and then 0,1,2)", _GRADE),
]
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
        words = {each.name: _trials.tried(each, self.scales, self.reach, sizes) for each in PROPERTIES}
        findings = (Finding(name, tuple(parts[name]), words[name], self.claims.get(name)) for name in words)
        return Verdicts(self.name, self.scales, self.reach, tuple(findings))

    def computed(self) -> Verdicts:
        """The verdicts, found by trying."""
        parts: dict[str, list[Part]] = {each.name: [] for each in PROPERTIES}
        for scale, (size, scorer) in product(self.scales, self.scorers.items()):
            setting = {} if size is None else {"D": str(size)}
            fixed = size if isinstance(size, int) else None
            for batch in _trials.batches(scale, self.reach, fixed):
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
            whole("D", size, length + _trials.OUTSIDE + 2 + reach.crowd + max(reach.limits, default=0))
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
    numbers: list[Size] = [number, _trials.LARGER * number]
    if not isinstance(measure.definition.params["D"].kind, Sizes):
        return numbers
    return [QRELS, *numbers] if size == QRELS else [*numbers, QRELS]


def _uses_negative_grades(scorer: Scorer) -> bool:
    """Whether a list of one document differs with its grade, -1 or 0."""
    both = [((1, Ranking((grade,), (-1, 0, 1))),) for grade in (-1, 0)]
    harmful, irrelevant = scorer(Batch.of(HARMFUL, [(PROPERTIES[0], [({}, both)])]))
    return bool(harmful != irrelevant)


def _scores_by_formula(measure: BoundMeasure, D: Size, batch: Batch) -> Floats:
    sized = measure if D is None else replace(measure, params={**measure.params, "D": D})
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
        tried = _trials.tried_on(SCALES, Reach(self.rows[0].reach.length))
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


@procedure(
    source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051, section 2 and"
    " table 1"
)
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
    outside = comb(len(largest) - 1 + _trials.OUTSIDE, _trials.OUTSIDE)
    lists = sum(len(largest) ** n for n in range(length + 1)) * outside
    if lists > MOST_LISTS:
        raise ParameterError(
            f"scale={grades_text(largest)}, length={length}: {lists} lists would be tried, and at most"
            f" {MOST_LISTS} can be: take fewer grades or a shorter length."
        )
    named: Any = default_settings() if measures is None else measures
    chosen: list[Any] = [named] if _is_function(named) else [*parse_measures(named)]
    plans = [_plan(measure, grades, length) for measure in chosen]
    kept = _kept() if measures is None and scale is None and length == KEPT_LENGTH else {}
    tried = progress(plans, "properties", "measure")
    rows = (plan.findings(kept[plan.name]) if plan.name in kept else plan.computed() for plan in tried)
    return PropertyTable(tuple(rows))


def default_settings() -> list[str]:
    """Every measure of the registry by itself, @4 where a depth is needed."""
    cutoffs = {name: definition.params.get(CUTOFF) for name, definition in registry.items()}
    return [f"{name}@{TABLE_CUTOFF}" if k and k.required else name for name, k in cutoffs.items()]


properties.__doc__ = cleandoc(properties.__doc__ or "").replace(
    "\n\nParameters\n", f"\n\n{_trials.RULE}\n\nParameters\n", 1
)
