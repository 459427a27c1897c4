"""The seven properties of many measures at once, found out by trying.

It is Table 1 of Amigó, Mizzaro & Spina (SIGIR 2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ir_measures import Measure

from ir_trunc._core.lazy import pd
from ir_trunc.measures import registry
from ir_trunc.measures.definition import CUTOFF
from ir_trunc.meta.axioms import PROPERTIES
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.findings import Verdicts, tried_on
from ir_trunc.meta.pairs import place_of
from ir_trunc.meta.properties import Grading, Length, verdicts_of, with_rule
from ir_trunc.meta.tables import by_name
from ir_trunc.plots import looks
from ir_trunc.scoring.objects import MeasureLike, parse_measures
from ir_trunc.scoring.results import Result
from ir_trunc.scoring.runs import progress

TABLE_CUTOFF = 4
"""The depth of the measures that need one: within the longest list, and more than 2."""

_SHADES = {"strict": 0.75, "depends": 0.4, "weak": 0.2, "constant": 0.0, "violated": 0.0}


@dataclass(frozen=True, repr=False)
class PropertyTable(Result, Sequence[Verdicts]):
    """The verdicts on several measures, in rows."""

    every_row = True

    rows: tuple[Verdicts, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        """The verdicts on one measure, by its place, its text or its object."""
        if isinstance(at, (str, Measure)):
            at = place_of(at, [row.measure for row in self.rows])
        return self.rows[at]

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
        found = (verdicts.findings for verdicts in self.rows)
        cells = [[one.verdict + "*" * one.disagrees() for one in findings] for findings in found]
        names = [verdicts.measure for verdicts in self.rows]
        return by_name("measure", names, cells, [known.name for known in PROPERTIES])

    def plot(self, ax: Any = None) -> Any:
        """Measures by properties, dark where the property holds strictly.

        A star is where the paper says otherwise.
        """
        words = self.summary()
        shades = [[_SHADES[found.verdict] for found in verdicts.findings] for verdicts in self.rows]
        shown = looks.shaded(pd.DataFrame(shades, words.index, words.columns), "", ax, words)
        title = "the darker, the more strictly it holds; *: the paper says otherwise"
        shown.set_title(title, fontsize="medium")
        return shown


@procedure(source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051")
def property_table(
    measures: MeasureLike | None = None, scale: Grading = None, length: Length = 6
) -> PropertyTable:
    """The seven formal properties of measures, with the ranking that shows each verdict.

    Parameters
    ----------
    measures : text, measure or list of both, optional
        By default every measure of the registry in its default setting, @4 where a depth is needed.
    scale : sequence of int, optional
        Grades from which lists are made, 0 first; by default 0,1 and then 0,1,2.
    length : int
        Length of the longest lists of which all are tried, 4 to 10.

    Returns
    -------
    PropertyTable
        The verdicts on each measure, in rows.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.property_table("AP RBPT", length=4)["RBPT"]["Confidence"].verdict
    'weak'
    """
    chosen: list[Any] = [*(_all() if measures is None else parse_measures(measures))]
    found = verdicts_of(progress(chosen, "properties", "measure"), scale, length)
    return PropertyTable(tuple(found))


property_table.__doc__ = with_rule(property_table.__doc__)


def _all() -> Iterator[str]:
    for definition in registry.values():
        depth = definition.params.get(CUTOFF)
        yield f"{definition.name}@{TABLE_CUTOFF}" if depth and depth.required else definition.name
