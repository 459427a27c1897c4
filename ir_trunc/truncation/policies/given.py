"""Cuts that are known already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import mapping, whole
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc.measures.params import Text
from ir_trunc.truncation.declare import Policy, policy


@dataclass(frozen=True)
class Cuts:
    """A length for each topic."""

    meaning: str
    allowed: str = "a map {topic: k} with whole numbers >= 0"

    def clean(self, name: str, value: Any) -> dict[str, int]:
        """The map with plain whole numbers."""
        return {
            topic: whole(f"{name}, topic {topic}", k, 0)
            for topic, k in mapping(name, value, "{topic: k}").items()
        }


@policy(source="the user, or a file of lines 'topic<TAB>k'")
class Given(Policy):
    """Cuts that are known already, from a file for example.

    min(cuts[topic], n)

    As a text it is the path of its file. A topic without a cut is an error.
    """

    cuts: Annotated[Mapping[str, int], Cuts("documents to keep of each topic")]
    source: Annotated[str, Text("name of the cuts in messages: their file")] = "cuts"

    not_live = "its cuts belong to topics, and such a list has none"

    def __str__(self) -> str:
        return self.source

    def cut(self, rankings: Rankings) -> Ints:
        """Each topic's k, or the whole of a shorter list (Q); InputError where a topic has none."""
        missing = next((topic for topic in rankings.topics if topic not in self.cuts), None)
        if missing is not None:
            raise InputError(
                f"{self.source} has no cut for topic {missing}: every topic needs one, 0 for an empty list."
            )
        return np.minimum(rankings.lengths, [self.cuts[topic] for topic in rankings.topics])
