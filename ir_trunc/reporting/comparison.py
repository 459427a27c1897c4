"""Several systems under several measures, with significance tests: what a paper's table of results holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, UnknownMeasureError, nearest
from ir_trunc._core.lazy import pd
from ir_trunc.meta.tables import by_name, crossed
from ir_trunc.reporting.paper import Tested
from ir_trunc.scoring.objects import parse_measure
from ir_trunc.scoring.results import VIEWS, Result, as_table, fitted, table_text

_PRINTED = 20  # comparisons that are printed below the table; pairs() has all


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tested, Result):
    """Mean scores of S systems under M measures over T topics, and what tests say of P pairs of them.

    A comparison prints as a table, `comparison["AP"]` has the means of one measure, `to_pandas` those of all,
    and `to_latex`, `to_html` and `to_markdown` make tables for a paper or a page.

    Attributes
    ----------
    measures, systems, topics
        Their names.
    nil
        Which topics are nil queries (T).
    values
        Scores by topic (M x S x T).
    views
        Means (for counts: sums) over all topics, over those with answers and over nil queries (3 x M x S);
        NaN where there are no such topics.
    compared
        The pairs of systems (P): each system and the baseline, or all pairs.
    p
        P values (M x P), corrected as `correction` says.
    differences, low, high
        Differences of the means, first system less second, with confidence intervals (M x P).
    effects
        Effect sizes (M x P): the mean difference over its standard deviation, see `ir_trunc.meta.paired`.
    not_worse, equivalent
        P values of non-inferiority and of equivalence within `margins` (M x P), corrected too.
    mean_low, mean_high
        Confidence intervals of the means (M x S), by Student's t.
    untested
        For each measure without a test, the reason. Its arrays hold NaN.
    baseline
        The system that all others are compared with, or None.
    test, correction, alpha, draws, seed
        How it was tested; draws is 0 where nothing is drawn.
    margins
        For each measure, in its own units, what still counts as not worse.
    intervals
        Whether confidence intervals are printed.
    notes
        What was guessed or left out when the data were read, and which lists are empty.
    """

    def __post_init__(self) -> None:
        named = {name for pair in self.compared for name in pair} | {self.baseline or self.systems[0]}
        for what, names, known in (
            ("system", named, self.systems),
            ("measure", {*self.untested, *self.margins}, self.measures),
        ):
            if odd := sorted(names - set(known)):
                raise InputError(f"{what} {odd[0]!r} is not among those compared: {', '.join(known)}.")

    def __getitem__(self, measure: Any) -> pd.Series[float]:
        """The means of one measure, named by its text or object, by system."""
        found = self.to_pandas()
        name = measure if isinstance(measure, str) and measure in found else str(parse_measure(measure))
        if name not in found:
            known = f"The comparison has no measure {name}; it has: {', '.join(self.measures)}."
            raise UnknownMeasureError(known + nearest(name, self.measures))
        return found[name]

    def __iter__(self) -> Any:
        raise TypeError("A comparison is not iterable: to_pandas(), by_topic() and pairs() are its tables.")

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name) or name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"a comparison has no attribute {name!r}; to_pandas() makes its means a DataFrame."
        )

    def to_pandas(self) -> pd.DataFrame:
        """Mean scores: a row for each system, a column for each measure."""
        return by_name("system", self.systems, self.views[0].T, self.measures)

    def by_view(self) -> pd.DataFrame:
        """Means over all topics, over those with answers and over nil queries: rows of (queries, system)."""
        index = pd.MultiIndex.from_product([VIEWS, self.systems], names=["queries", "system"])
        cells = self.views.transpose(0, 2, 1).reshape(len(index), len(self.measures))
        return as_table(pd.DataFrame(cells, index, list(self.measures)))

    def by_topic(self) -> pd.DataFrame:
        """Scores by topic, in the columns system, query_id, measure and value."""
        levels = {"system": self.systems, "query_id": self.topics, "measure": self.measures}
        return as_table(crossed(levels, {"value": self.values.transpose(1, 2, 0)}))

    def pairs(self) -> pd.DataFrame:
        """What the tests say, a row for each measure and pair.

        The columns: measure, system, other, difference, low and high (its confidence interval), p, effect;
        with margins also margin, not_worse and equivalent (p values).
        """
        names = [(name, *pair) for name in self.measures for pair in self.compared]
        columns = {"difference": self.differences, "low": self.low, "high": self.high}
        columns |= {"p": self.p, "effect": self.effects}
        if self.margins:
            margins = [self.margins.get(name, np.nan) for name in self.measures]
            columns["margin"] = np.repeat(margins, len(self.compared))
            columns |= {"not_worse": self.not_worse, "equivalent": self.equivalent}
        found = as_table(pd.DataFrame(names, columns=["measure", "system", "other"]))
        return found.assign(**{name: values.ravel() for name, values in columns.items()})

    def __repr__(self) -> str:
        parts = [self.marked(self.digits).text()]
        shown = self.pairs()
        shown = shown[~shown["measure"].isin(list(self.untested))]
        if 0 < len(shown) <= _PRINTED:
            rows = ["measure", "system", *["other"] * (self.baseline is None)]
            columns = ["difference", "low", "high", "p", "effect"]
            parts.append(table_text(shown.set_index(rows)[columns], self.digits))
        elif len(shown):
            said = f"pairs() has the p values and effect sizes of all {len(shown)} comparisons."
            parts.append(fitted(said))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        return self.to_html(self.digits)
