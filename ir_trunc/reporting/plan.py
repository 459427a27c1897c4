"""What a comparison of systems tests, and how: the arguments of `compare`, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import InputError, ParameterError, nearest, shown
from ir_trunc._core.parameters import number, one_of, text, whole
from ir_trunc._core.rankings import Floats
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.meta.paired import FOR_ALL_PAIRS, PAIR_TESTS, Setting, not_worse, paired_tests
from ir_trunc.meta.paired_tests import Correction, corrected, named_test
from ir_trunc.scoring.objects import parse_measure
from ir_trunc.scoring.statistics import PairTest

OF_PAIRS = ("p", "differences", "low", "high", "effects", "not_worse", "equivalent")
"""What a comparison holds for each measure and pair of systems."""


@dataclass(frozen=True)
class Plan:
    """What is to be tested, and how."""

    test: PairTest
    correction: Correction | None
    margins: Mapping[str, float]
    setting: Setting

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        baseline: str | None,
        test: Any,
        correction: Any,
        alpha: Any,
        margin: Any,
        measures: Sequence[Measure],
        repetitions: Any,
        seed: Any,
    ) -> Plan:
        """The arguments of `compare`, checked."""
        named: PairTest = named_test(test, PAIR_TESTS)
        if baseline is None:
            first, second = np.triu_indices(len(systems), k=1)
        else:
            first = np.flatnonzero(np.array(systems, dtype=object) != baseline)
            second = np.full(len(first), systems.index(baseline))
        level, draws = number("alpha", alpha, 0, 1, inside=True), whole("repetitions", repetitions, 1)
        setting = Setting(first, second, level, draws, whole("seed", seed, 0))
        return cls(named, _correction(correction, named), _margins(margin, measures, baseline), setting)

    def tested(
        self, paired: Mapping[str, Floats], untested: Mapping[str, str]
    ) -> tuple[dict[str, Floats], int]:
        """What the tests say (M x P each; NaN where nothing is tested), and how many draws there were."""
        P, draws = len(self.setting.first), 0
        found = {name: np.full((len(paired), P), np.nan) for name in OF_PAIRS}
        for row, (measure, scores) in enumerate(paired.items()):
            if measure in untested or not P:
                continue
            pairs = paired_tests(scores, self.test, self.setting)
            draws = pairs.draws
            difference = self.setting.differences(scores).mean(axis=1)
            p = corrected(pairs.p, self.correction)
            values = [p, difference, pairs.low, pairs.high, pairs.effect]
            if measure in self.margins:
                both = not_worse(scores, self.setting, self.margins[measure])
                values += [corrected(one, self.correction) for one in both]
            for name, value in zip(OF_PAIRS, values):
                found[name][row] = value
        return found, draws


def _correction(value: Any, test: PairTest) -> Correction | None:
    found = None if value is None else one_of("correction", value, ("auto", "holm", "bh"))
    if test in FOR_ALL_PAIRS:
        if found in ("holm", "bh"):
            raise ParameterError(f"correction={found!r}: {test} allows for all pairs itself; leave it out.")
        return None
    return None if found is None else "bh" if found == "bh" else "holm"


def _margins(margin: Any, measures: Sequence[Measure], baseline: str | None) -> dict[str, float]:
    if margin is None:
        return {}
    if baseline is None:
        raise ParameterError("margin says what is not worse than the baseline: baseline= is needed with it.")
    if not isinstance(margin, Mapping):
        above = number("margin", margin, 0, inside=True)
        given = {str(measure): above for measure in measures}
    else:
        given = {
            str(parse_measure(name)): number(f"margin of {name}", value, 0, inside=True)
            for name, value in margin.items()
        }
    for name in given:
        if lower_is_better(name):
            raise ParameterError(
                f"margin: {name} counts losses, lower is better: name the others in {{measure: number}}."
            )
        if name not in (known := [str(measure) for measure in measures]):
            raise ParameterError(
                f"margin: {name} is not among the measures, {', '.join(known)}.{nearest(name, known)}"
            )
    return given


def baseline_of(given: Any, systems: Sequence[str]) -> str:
    """The run that has this name, or that was read from this file, whose ending may be left out.

    Raises InputError where there is none, or where there are several.
    """
    name = text("baseline", given)
    if name in systems:
        return name
    file = Path(name).name.removesuffix(".gz")
    near = [system for system in systems if file in (Path(system).name, Path(system).stem)]
    if len(near) == 1:
        return near[0]
    several = f" Several are called so: {', '.join(near)}." if near else nearest(name, systems)
    some = ", ".join(systems[:10]) + ", ..." * (len(systems) > 10)
    raise InputError(f"baseline={shown(given)} is not one of the runs: {some}.{several}")
