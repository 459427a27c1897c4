"""The best cut: what could be reached, not what a system can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc.truncation.declare import Policy, policy, unfitted
from ir_trunc.truncation.fitting import curve_of, single_measure

AMIGO = "Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051"


@dataclass(frozen=True)
class OneMeasure:
    """A measure, as an object or a text."""

    meaning: str
    allowed: str = "a measure that scores each list by itself"

    def clean(self, name: str, value: Any) -> Any:
        """The measure as an object."""
        return single_measure(value)


@policy(source=AMIGO)
class Oracle(Policy):
    """The best cut of every judged list by a measure.

    the lowest i for which measure(s_1 ... s_i) is highest, i = 0..n

    It sees the judgments, and no policy can beat it on that measure.
    """

    measure: Annotated[
        Any, OneMeasure("measure to be best by; the one that policies are fitted for if not given")
    ] = None
    sees_judgments = True

    def fit(self, rankings: Rankings, measure: Any) -> Oracle:
        """The oracle of this measure."""
        return self if self.measure is not None else Oracle(measure)

    def cut(self, rankings: Rankings) -> Ints:
        """The best depth of every list (Q); of several the lowest."""
        if self.measure is None:
            raise unfitted(self, "measure")
        return curve_of(self.measure, rankings).best()[0]
