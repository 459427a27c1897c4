"""Findings about the seven properties: verdicts, what they depend on, and what the paper says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._output.tables import fitted
from ir_trunc.meta.axioms import PROPERTIES, Scale, named
from ir_trunc.meta.trials import Part
from ir_trunc.scoring.results import Result


@dataclass(frozen=True)
class Claim:
    """What the paper says of a measure and a property: yes or no, and where.

    scale: the grades that it speaks of, where it speaks of some only.
    """

    says: str
    where: str
    scale: str = ""

    def is_about(self, grades: str) -> bool:
        """Whether these grades are meant.

        Where single documents are compared, the paper's are of the highest grade.
        """
        grade, _, scale = grades.rpartition(" of ")
        return scale.endswith(grade) and self.scale in ("", scale)

    def __str__(self) -> str:
        return f"{self.says} ({self.where})"


@dataclass(frozen=True)
class Finding:
    """What one measure does with one property.

    parts: the verdict in each setting. tried: the cases, in words. claim: what the paper says; None where it
    is not legible or silent.
    """

    property: str
    parts: tuple[Part, ...]
    tried: str
    claim: Claim | None = None

    @cached_property
    def verdict(self) -> str:
        """strict, weak, constant or violated; 'depends' where the settings disagree."""
        found = {part.verdict for part in self.parts}
        return found.pop() if len(found) == 1 else "depends"

    @cached_property
    def depends_on(self) -> tuple[str, ...]:
        """What the verdict changes with: 'grades', 'D', 'R', 'n'.

        Only those that change it by themselves, where there are any.
        """
        named = list(dict.fromkeys(name for part in self.parts for name in part.setting))
        if self.verdict != "depends":
            return ()

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
        first = {part.verdict: part for part in reversed(self.parts)}
        order = dict.fromkeys(part.verdict for part in self.parts)
        on = self.depends_on
        return tuple((word, _in_words(first[word].setting, on), first[word].shows) for word in order)

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
        """Whether the paper says otherwise.

        It does where it says yes and the property is not strict in all settings that it speaks of, or no and
        it is.
        """
        if self.claim is None:
            return False
        meant = [part for part in self.parts if self.claim.is_about(part.setting["grades"])]
        return bool(meant) and (self.claim.says == "yes") != all(part.verdict == "strict" for part in meant)


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """The seven findings for one measure, on lists up to `length` over the grades of each of the `scales`.

    cutoff: the measure's own, if it has one; where it is beyond `length`, no list of the five properties
    about every list fills it, and `repr` says so.
    """

    measure: str
    scales: tuple[Scale, ...]
    length: int
    findings: tuple[Finding, ...]
    cutoff: int | None = None

    def __getitem__(self, name: str) -> Finding:
        """The finding of a property, by its name."""
        return next(finding for finding in self.findings if finding.property == name)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each property: measure, property, verdict, depends_on, shows, tried, cases, paper."""
        columns = ["property", "verdict", "depends_on", "shows", "tried", "cases", "paper"]
        rows = [[getattr(found, column) for column in columns] for found in self.findings]
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
        for found, known in zip(self.findings, PROPERTIES):
            more = f"on {', '.join(found.depends_on)}" if found.depends_on else found.shows
            lines.append(f"{known.number} {found.property:<17}{found.verdict:<10}{more}")
            if found.depends_on:
                lines += [f"{'':<19}{word} with {where}: {shows}" for word, where, shows in found.examples]
            if found.disagrees():
                lines.append(f"{'':<19}the paper says {found.paper}")
        return fitted("\n".join(lines), indent=29)


def tried_on(scales: Sequence[Scale], length: int, cutoff: int | None = None) -> str:
    """The lists that were tried, in words, and whether they are all shorter than the cutoff."""
    lists = f"lists of grades {' and '.join(map(named, scales))} to length {length}"
    return lists + f" (none reaches the cutoff {cutoff})" * (cutoff is not None and cutoff > length)


def _in_words(setting: Mapping[str, str], names: Iterable[str]) -> str:
    """The part of a setting that is named."""

    def word(name: str) -> str:
        if name != "grades":
            return f"{name} = {setting[name]}"
        return f"grade {setting[name]}" if " of " in setting[name] else f"grades {setting[name]}"

    return ", ".join(word(name) for name in names if name in setting)
