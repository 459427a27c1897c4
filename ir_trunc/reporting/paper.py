"""Means of systems, and what tests say of them, as the table that papers print."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from ir_trunc._core.errors import counted
from ir_trunc._core.parameters import text, whole
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.meta.paired import FOR_ALL_PAIRS
from ir_trunc.meta.paired_tests import Correction
from ir_trunc.reporting.marked import HIGHER, LOWER, Cell, MarkedTable
from ir_trunc.reporting.plan import OF_PAIRS
from ir_trunc.scoring.results import axes
from ir_trunc.scoring.statistics import PairTest

_TESTS: Mapping[PairTest, str] = {
    "t": "paired t test",
    "bootstrap": "paired bootstrap test",
    "randomisation": "paired randomisation test",
    "tukey": "Tukey's HSD test over systems and topics",
    "randomised-tukey": "randomised Tukey HSD test",
}
_CORRECTIONS: Mapping[Correction, str] = {"holm": "Holm", "bh": "Benjamini and Hochberg"}

Marks = Mapping[tuple[int, int], str]


@dataclass(frozen=True, eq=False, repr=False)
class Tested:
    """The fields of a `Comparison`, and its table of means with marks for what is best and significant."""

    shapes = axes(
        nil="topics",
        values="measures systems topics",
        views="3 measures systems",
        mean_low="measures systems",
        mean_high="measures systems",
        **dict.fromkeys(OF_PAIRS, "measures compared"),
    )

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    nil: Bools
    values: Floats
    views: Floats
    compared: tuple[tuple[str, str], ...]
    p: Floats
    differences: Floats
    low: Floats
    high: Floats
    effects: Floats
    not_worse: Floats
    equivalent: Floats
    mean_low: Floats
    mean_high: Floats
    untested: Mapping[str, str]
    baseline: str | None
    test: PairTest
    correction: Correction | None
    alpha: float
    draws: int
    seed: int
    margins: Mapping[str, float]
    intervals: bool
    notes: tuple[str, ...]

    @property
    def heading(self) -> str:
        """How many systems and topics there are."""
        systems, topics = counted(len(self.systems), "system"), counted(len(self.topics), "topic")
        against = "" if self.baseline is None else f" (baseline: {self.baseline})"
        nil = f", {counted(int(self.nil.sum()), 'of them a nil query', 'of them nil queries')}"
        return f"Mean scores of {systems}{against} over {topics}{nil * bool(self.nil.any())}"

    def marked(self, digits: int = 4) -> MarkedTable:
        """The table of means with its marks, as it is printed with this many decimal places."""
        places, letters = whole("digits", digits, 0, 15), self._letters()
        marks = self._marks(letters)
        cells = [
            [self._cell(measure, system, marks, places) for measure in range(len(self.measures))]
            for system in range(len(self.systems))
        ]
        said = [("", sentence) for sentence in (*self._tests(letters), *self._margins())]
        notes = [*self._losses(), *self._meanings(letters, marks), *said]
        return MarkedTable(self.heading, letters, self.systems, self.measures, cells, notes, self.notes)

    def to_latex(self, label: str = "", digits: int = 4) -> str:
        r"""A LaTeX table for the package booktabs, with its marks explained below it.

        Parameters
        ----------
        label
            For `\ref`; "" for none.
        digits
            Decimal places of the means.
        """
        return self.marked(digits).latex(text("label", label))

    def to_html(self, digits: int = 4) -> str:
        """A table element with caption and headings, and paragraphs that explain its marks."""
        return self.marked(digits).html()

    def to_markdown(self, digits: int = 4) -> str:
        """A table in GitHub's Markdown, and paragraphs that explain its marks."""
        return self.marked(digits).markdown()

    def _letters(self) -> str:
        """What the marks call the systems, where all pairs are compared and there are letters enough."""
        if self.baseline is not None or not self.compared or len(self.systems) > len(ascii_lowercase):
            return ""
        return ascii_lowercase[: len(self.systems)]

    def _marks(self, letters: str) -> Marks:
        """By measure and system: the letters of those it is above, or where it is to the baseline."""
        marks: dict[tuple[int, int], str] = defaultdict(str)
        place = {name: at for at, name in enumerate(self.systems)}
        for measure, pair in np.argwhere(self.p < self.alpha).tolist():
            (first, second), higher = self.compared[pair], self.differences[measure, pair] > 0
            if self.baseline is not None:
                marks[measure, place[first]] = HIGHER if higher else LOWER
            elif letters:
                above, below = (first, second) if higher else (second, first)
                at = measure, place[above]
                marks[at] = "".join(sorted(marks[at] + letters[place[below]]))
        return dict(marks)

    def _cell(self, measure: int, system: int, marks: Marks, digits: int) -> Cell:
        means = self.views[0, measure]
        mean = means[system]
        if not np.isfinite(mean):
            return Cell("-")
        top = np.nanmin(means) if lower_is_better(self.measures[measure]) else np.nanmax(means)
        best = len(set(means.tolist())) > 1 and bool(mean == top)
        below = self._interval(measure, system, digits) if self.intervals else ""
        counts = bool((means == np.floor(means)).all() and means.max() > 1)
        return Cell(f"{mean:.{0 if counts else digits}f}", best, marks.get((measure, system), ""), below)

    def _interval(self, measure: int, system: int, digits: int) -> str:
        """The interval of the difference to the baseline, or of the mean where there is none."""
        low, high = self.mean_low[measure, system], self.mean_high[measure, system]
        if self.baseline is not None:
            pair = (self.systems[system], self.baseline)
            if pair not in self.compared:
                return ""
            low, high = (of[measure, self.compared.index(pair)] for of in (self.low, self.high))
        return "" if np.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"

    def _losses(self) -> list[tuple[str, str]]:
        losses = ", ".join(name for name in self.measures if lower_is_better(name))
        return [("", f"Lower is better, and the lowest mean is marked: {losses}.")] if losses else []

    def _meanings(self, letters: str, marks: Marks) -> list[tuple[str, str]]:
        if letters:
            return [("", "Letters behind a mean: significantly higher than the means of these systems.")]
        words = {HIGHER: "higher", LOWER: "lower"}
        used = set(marks.values())
        return [(s, f"significantly {w} than {self.baseline}.") for s, w in words.items() if s in used]

    def _tests(self, letters: str) -> list[str]:
        said = []
        if self.compared and len(self.untested) < len(self.measures):
            said.append(f"Significance, for each measure: {self._tested_how()}.")
            if self.baseline is None and not letters:
                many = f"More than {len(ascii_lowercase)} systems"
                said.append(f"{many} have no marks unless there is a baseline.")
        if self.intervals:
            of = "means" if self.baseline is None else f"differences to {self.baseline}"
            said.append(f"In brackets: {100 * (1 - self.alpha):g} % confidence intervals of the {of}.")
        by_reason = defaultdict(list)
        for measure, reason in self.untested.items():
            by_reason[reason].append(measure)
        return said + [f"Not tested: {', '.join(names)}; {reason}" for reason, names in by_reason.items()]

    def _tested_how(self) -> str:
        """The test, its correction, its level and its draws."""
        parts = [_TESTS[self.test]]
        if self.test in FOR_ALL_PAIRS:
            parts.append("which allows for all pairs of systems")
        elif self.correction is None:
            parts.append("not corrected for the number of comparisons")
        else:
            count = counted(len(self.compared), "comparison")
            parts.append(f"corrected for {count} by {_CORRECTIONS[self.correction]}")
        parts.append(f"p < {self.alpha:g}")
        if self.draws:
            parts.append(f"{self.draws} draws, seed {self.seed}")
        return ", ".join(parts)

    def _margins(self) -> list[str]:
        """Which systems are shown not to be worse than the baseline, and which to be equivalent to it."""
        said = []
        for measure, margin in self.margins.items():
            if measure in self.untested:
                continue
            row = self.measures.index(measure)
            for of, words in ((self.not_worse, "not worse than"), (self.equivalent, "equivalent to")):
                shown = [one for (one, _), p in zip(self.compared, of[row]) if p < self.alpha]
                within = f"{words} {self.baseline} within {margin:g}"
                said.append(f"By {measure} {within}: {', '.join(shown) or 'none'}.")
        if said:
            said[-1] += f" One-sided t tests, corrected as above, p < {self.alpha:g}."
        return said
