"""Lengths: one for all lists, given or fitted; given for each topic; or the best by the judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.parameters import mapping, whole
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._read.arrow import one_id
from ir_trunc.measures.params import Kind, Text, Whole
from ir_trunc.truncation._fitting import curve_of, single_measure
from ir_trunc.truncation._policy import Policy, policy, unfitted
from ir_trunc.truncation.policies.by_score import LevelPolicy

_BAHRI_2020 = "Bahri, Tay, Zheng, Metzler & Tomkins, SIGIR 2020, https://doi.org/10.1145/3397271.3401188"


@policy(source=_BAHRI_2020)
class Fixed(Policy):
    """The first k documents.

    min(k, n)
    """

    k: Annotated[int, Whole("documents to keep", low=0)]

    def lengths(self, rankings: Rankings) -> Ints:
        """k, or the whole of a shorter list (Q)."""
        return np.minimum(rankings.lengths, self.k)


@policy(source=_BAHRI_2020)
class Greedy(LevelPolicy):
    """The first k documents, for the k that is best on the training topics.

    min(k, n) with the k for which the measure's mean over the training topics is highest

    `fit` returns `Fixed(k)`; of several best k the lowest.
    """

    _level = "k"

    def _keys(self, rankings: Rankings) -> Floats:
        return -rankings.ranks.astype(np.float64)

    def _at(self, key: float) -> Fixed:
        k = (self.at_least or 0) if key == np.inf else int(-key)
        if self.among is not None:
            k = int(self._possible(np.array([k]), np.array([LARGEST]))[0])
        return Fixed(k, budget=self.budget)

    def lengths(self, rankings: Rankings) -> Ints:
        """ParameterError: the best k has to be fitted first."""
        raise unfitted(self, "k")


class CutsByTopic(Kind):
    """A length for each topic."""

    allowed = "a map {topic: k} with whole numbers >= 0"

    def clean(self, name: str, value: Any) -> dict[str, int]:
        """The map with plain whole numbers."""
        return {
            one_id(topic, "topic", name): whole(f"{name}, topic {shown(topic)}", k, 0)
            for topic, k in mapping(name, value, "{topic: k}").items()
        }


@policy(source="ours: the user, or a file of lines 'topic<TAB>k'")
class Given(Policy):
    """Cuts that are known already, from a file for example.

    min(cuts[topic], n)

    The policy is written as the path of its file. A topic without a cut is an error.
    """

    cuts: Annotated[Mapping[str, int], CutsByTopic("documents to keep of each topic")]
    source: Annotated[str, Text("name of the cuts in messages: their file")] = "cuts"

    not_live = "its cuts belong to topics, and such a list has none"

    def __str__(self) -> str:
        return self.source

    def lengths(self, rankings: Rankings) -> Ints:
        """Each topic's k, or the whole of a shorter list (Q); InputError where a topic has none."""
        missing = next((topic for topic in rankings.topics if topic not in self.cuts), None)
        if missing is not None:
            raise InputError(
                f"{self.source} has no cut for topic {missing}: every topic needs one, 0 for an empty list."
            )
        return np.minimum(rankings.lengths, [self.cuts[topic] for topic in rankings.topics])


class ListMeasure(Kind):
    """A measure, as an object or a text."""

    allowed = "a measure that scores each list by itself"

    def clean(self, name: str, value: Any) -> Any:
        """The measure as an object."""
        return single_measure(value)


@policy(source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051, section 4.2")
class Oracle(Policy):
    """The best cut of every judged list by a measure.

    the lowest i for which measure(s_1 ... s_i) is highest, i = 0..n

    It uses the judgments and gives an upper bound: no policy has a higher score by that measure.
    """

    measure: Annotated[
        Any, ListMeasure("measure to be best by; the one that policies are fitted for if not given")
    ] = None
    sees_judgments = True

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Oracle:
        """The oracle of this measure."""
        return self if self.measure is not None else replace(self, measure=measure)

    def lengths(self, rankings: Rankings) -> Ints:
        """The best depth of every list within the bounds (Q); of several the lowest."""
        if self.measure is None:
            raise unfitted(self, "measure")
        curve = curve_of(self.measure, rankings.cut(self.longest(rankings)) if self.is_bounded else rankings)
        counts = np.diff(curve.offsets)
        fewest = np.minimum(self.at_least or 0, counts - 1)
        depths = np.arange(len(curve.values)) - np.repeat(curve.offsets[:-1], counts)
        values = curve.values
        if self.among is not None:
            whole = np.repeat(rankings.lengths, counts)
            values = np.where(self._possible(depths, whole) == depths, values, np.nan)
        values = values[depths >= np.repeat(fewest, counts)]
        return fewest + replace(curve, offsets=offsets_of(counts - fewest), values=values).best()[0]
