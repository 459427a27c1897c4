"""The table of a comparison as papers print it, with marks for the best mean and for significance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from ir_trunc.measures.declare import lower_is_better
from ir_trunc.meta.paired import FOR_ALL_PAIRS
from ir_trunc.meta.paired_tests import Correction
from ir_trunc.reporting.marked import HIGHER, LOWER, Cell, MarkedTable
from ir_trunc.scoring.pair_tests import PairTest

if TYPE_CHECKING:
    from ir_trunc.reporting.comparison import Comparison

_TESTS: Mapping[PairTest, str] = {
    "t": "paired t test",
    "bootstrap": "paired bootstrap test",
    "randomisation": "paired randomisation test",
    "tukey": "Tukey's HSD test over systems and topics",
    "randomised-tukey": "randomised Tukey HSD test",
}
_CORRECTIONS: Mapping[Correction, str] = {"holm": "Holm", "bh": "Benjamini and Hochberg"}

Marks = Mapping[tuple[int, int], str]


def marked_table(found: Comparison, digits: int) -> MarkedTable:
    """The table of means, with marks for what is significant."""
    letters = ascii_lowercase[: len(found.systems)] if found.baseline is None and found.compared else ""
    if len(letters) < len(found.systems):
        letters = ""
    marks = _marks(found, letters)
    cells = [
        [_cell(found, measure, system, marks, digits) for measure in range(len(found.measures))]
        for system in range(len(found.systems))
    ]
    notes = [
        *_of_losses(found),
        *_of_marks(found, letters, marks),
        *_of_tests(found, letters),
        *_of_margins(found),
    ]
    return MarkedTable(found.heading, letters, found.systems, found.measures, cells, notes, found.notes)


def tested_how(found: Comparison) -> str:
    """The test, its correction, its level and its draws."""
    parts = [_TESTS[found.test]]
    if found.test in FOR_ALL_PAIRS:
        parts.append("which allows for all pairs of systems")
    elif found.correction is None:
        parts.append("not corrected for the number of comparisons")
    else:
        count = f"{len(found.compared)} comparison{'s' * (len(found.compared) > 1)}"
        parts.append(f"corrected for {count} by {_CORRECTIONS[found.correction]}")
    parts.append(f"p < {found.alpha:g}")
    if found.draws:
        parts.append(f"{found.draws} draws, seed {found.seed}")
    return ", ".join(parts)


def _marks(found: Comparison, letters: str) -> Marks:
    """By measure and system: the letters of those it is above, or where it is to the baseline."""
    marks: dict[tuple[int, int], str] = defaultdict(str)
    place = {name: at for at, name in enumerate(found.systems)}
    for measure, pair in np.argwhere(found.p < found.alpha).tolist():
        (first, second), higher = found.compared[pair], found.differences[measure, pair] > 0
        if found.baseline is not None:
            marks[measure, place[first]] = HIGHER if higher else LOWER
        elif letters:
            above, below = (first, second) if higher else (second, first)
            marks[measure, place[above]] = "".join(
                sorted(marks[measure, place[above]] + letters[place[below]])
            )
    return dict(marks)


def _of_losses(found: Comparison) -> list[tuple[str, str]]:
    losses = [name for name in found.measures if lower_is_better(name)]
    return [("", f"Lower is better, and the lowest mean is marked: {', '.join(losses)}.")] if losses else []


def _cell(found: Comparison, measure: int, system: int, marks: Marks, digits: int) -> Cell:
    means = found.views[0, measure]
    mean = means[system]
    if not np.isfinite(mean):
        return Cell("-")
    top = np.nanmin(means) if lower_is_better(found.measures[measure]) else np.nanmax(means)
    best = len(set(means.tolist())) > 1 and bool(mean == top)
    below = _interval(found, measure, system, digits) if found.intervals else ""
    counts = bool((means == np.floor(means)).all() and means.max() > 1)
    return Cell(f"{mean:.{0 if counts else digits}f}", best, marks.get((measure, system), ""), below)


def _interval(found: Comparison, measure: int, system: int, digits: int) -> str:
    """The interval of the difference to the baseline, or of the mean where there is none."""
    low, high = found.mean_low[measure, system], found.mean_high[measure, system]
    if found.baseline is not None:
        pair = (found.systems[system], found.baseline)
        if pair not in found.compared:
            return ""
        low, high = (of[measure, found.compared.index(pair)] for of in (found.low, found.high))
    return "" if np.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"


def _of_marks(found: Comparison, letters: str, marks: Marks) -> list[tuple[str, str]]:
    if letters:
        return [("", "Letters behind a mean: significantly higher than the means of these systems.")]
    words = {HIGHER: "higher", LOWER: "lower"}
    used = set(marks.values())
    return [(s, f"significantly {w} than {found.baseline}.") for s, w in words.items() if s in used]


def _of_tests(found: Comparison, letters: str) -> list[tuple[str, str]]:
    said = []
    if found.compared and len(found.untested) < len(found.measures):
        said.append(f"Significance, for each measure: {tested_how(found)}.")
        if found.baseline is None and not letters:
            said.append(f"More than {len(ascii_lowercase)} systems have no marks unless there is a baseline.")
    if found.intervals:
        of = "means" if found.baseline is None else f"differences to {found.baseline}"
        said.append(f"In brackets: {100 * (1 - found.alpha):g} % confidence intervals of the {of}.")
    by_reason = defaultdict(list)
    for measure, reason in found.untested.items():
        by_reason[reason].append(measure)
    said += [f"Not tested: {', '.join(names)}; {reason}" for reason, names in by_reason.items()]
    return [("", sentence) for sentence in said]


def _of_margins(found: Comparison) -> list[tuple[str, str]]:
    """Which systems are shown not to be worse than the baseline, and which to be equivalent to it."""
    said = []
    for measure, margin in found.margins.items():
        if measure in found.untested:
            continue
        row = found.measures.index(measure)
        for of, words in ((found.not_worse, "not worse than"), (found.equivalent, "equivalent to")):
            shown = [one for (one, _), p in zip(found.compared, of[row]) if p < found.alpha]
            said.append(
                f"By {measure} {words} {found.baseline} within {margin:g}: {', '.join(shown) or 'none'}."
            )
    if said:
        said[-1] += f" One-sided t tests, corrected as above, p < {found.alpha:g}."
    return [("", sentence) for sentence in said]
