"""Kinds of parameters for measures: in Python, in measure strings and at the command line.

A formula names its parameters by annotation, `def RBPT(lists, p: Persistence = 0.8)`. The annotation holds a
kind, which turns what a user gives into a plain value or says what would be right.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from ir_trunc._core.arrays import LARGEST
from ir_trunc._core.errors import ParameterError, ParameterTypeError, shown
from ir_trunc._core.parameters import Choice, Flag, Kind, Number, Param, Text, Whole, wrong_type

__all__ = [
    "BinaryOrLinear", "Choice", "CollectionSize", "Effort", "Flag", "GainMap", "GradeGains", "Kind", "MaxRel",
    "MinRel", "Nil", "Number", "OnlyRel", "Param", "Persistence", "Scale", "SignedScale", "Text", "Whole",
]  # fmt: skip


class GainMap(Kind):
    """A gain for each grade; a grade that the map leaves out is its own gain.

    Negative grades and unjudged documents have gain 0, also where the map gives grade 0 a gain, as in
    ir-measures.
    """

    allowed = "a map from whole grades to numbers >= 0 that does not fall as the grade rises"

    def clean(self, name: str, value: Any) -> dict[int, float]:
        if not isinstance(value, Mapping):
            raise wrong_type(name, value, self.allowed)
        grade, gain = Whole("grade", low=-(2**31)), Number("gain", low=0)
        clean = {grade.clean(f"{name}, grade", x): gain.clean(f"{name}[{shown(x)}]", value[x]) for x in value}
        ordered = [clean[x] for x in sorted(clean)]
        if ordered != sorted(ordered):
            raise ParameterError(f"{name}={shown(value)} falls as the grade rises: {self.allowed} is needed.")
        if any(clean[x] > 0 for x in clean if x < 0):
            raise ParameterError(f"{name}={shown(value)}: negative grades count as 0 and cannot have a gain.")
        # A whole gain prints as a whole number, so that {1: 3} stays {1: 3}.
        return {x: int(g) if g.is_integer() else g for x, g in sorted(clean.items())}


MinRel = Annotated[int, Whole("lowest grade that counts as relevant; gains are then 0 or 1")]
OnlyRel = Annotated[
    "int | None", Whole("lowest grade that counts as relevant, with gain 1; without it gains are graded")
]
MaxRel = Annotated[
    int | None,
    Whole(
        "top of the judgement scale; by default that of the data set, or the highest grade in the qrels: give"
        " it where no document may have the top grade"
    ),
]
BinaryOrLinear = Annotated[
    Literal["binary", "linear"],
    Choice("gains: 1, or x / max_rel, of a grade of at least rel; 0 of a lower one"),
]
Scale = Annotated[Literal["linear", "exp"], Choice("gain scale: x / max_rel or (2^x - 1) / 2^max_rel")]
SignedScale = Annotated[
    Literal["linear", "exp", "signed"],
    Choice("gain scale: x / max_rel, (2^x - 1) / 2^max_rel, or x / max_rel with negative grades below 0"),
]
GradeGains = Annotated[
    dict[int, float] | None,
    GainMap("gain of each grade, 0 for negative grades and unjudged documents; by default the grade itself"),
]
Persistence = Annotated[
    float,
    Number("persistence: the probability that the reader goes on to the next document", 0, 1, inside=True),
]
JudgedOnly = Annotated[
    bool,
    Flag(
        "whether unjudged documents, and those with a negative grade, leave the list before ranks are given"
        " (condensed lists: Sakai, SIGIR 2007, https://doi.org/10.1145/1277741.1277756)"
    ),
]
Nil = Annotated[float, Number("what the empty list is worth on a nil query; any other list is worth 0", 0, 1)]
Effort = Annotated[float, Number("effort of reading one document, in units of gain", 0)]
CollectionSize = Annotated[int, Whole("number of documents in the collection")]


QRELS, TOOL = "qrels", "tool"

Size = int | str | dict[str, int]


def is_path(size: Size) -> bool:
    """Whether the numbers are in a file that has not been read yet."""
    return isinstance(size, str) and size not in (QRELS, TOOL)


class Sizes(Kind):
    """A number of documents, for all topics or for each.

    The path of a file stands for the numbers in it; whoever binds the measure reads it.
    """

    allowed = (
        "a whole number >= 1, 'qrels' (the documents that the qrels judge for the topic, if its list has no"
        " other), 'tool' (these, even if it has), a map {topic: number}, a data set, or the path of a file of"
        " lines 'topic<TAB>number'"
    )

    def clean(self, name: str, value: Any) -> Size:
        """The number, map or path as a plain Python object; ParameterError where it is not allowed."""
        if isinstance(value, (str, os.PathLike)):
            path = os.fspath(value)
            if isinstance(path, str) and path.strip() and "\0" not in path:
                return str(path)
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        if callable(getattr(value, "docs_count", None)):  # of ir_datasets
            value = value.docs_count()
        if isinstance(value, Mapping) or (hasattr(value, "to_dict") and not hasattr(value, "columns")):
            return self._by_topic(name, value)
        try:
            return Whole(self.meaning).clean(name, value)
        except ParameterTypeError:
            raise ParameterTypeError(f"{name}={shown(value)}: {self.allowed} is needed.") from None

    def _by_topic(self, name: str, value: Any) -> dict[str, int]:
        """The map, or what a pandas Series holds, with topics as text."""
        by_topic = value if isinstance(value, Mapping) else value.to_dict()
        if not isinstance(by_topic, Mapping) or not by_topic:
            raise ParameterError(f"{name}={shown(value)}: {self.allowed} is needed.")
        for topic in by_topic:
            whole = isinstance(topic, (int, np.integer)) and not isinstance(topic, bool)
            if not isinstance(topic, str) and not (whole and abs(topic) <= LARGEST):
                what = f"topic {shown(topic)} is {type(topic).__name__}"
                raise ParameterTypeError(f"{name}: {what}: topics are text.")
        size = Whole(self.meaning)
        sizes = {str(topic): size.clean(f"{name}[{shown(topic)}]", by_topic[topic]) for topic in by_topic}
        if len(sizes) < len(by_topic):
            raise ParameterError(f"{name}={shown(value)}: a topic is in it twice, as text and as a number.")
        return sizes


Documents = Annotated[Size, Sizes("number of documents of the collection, or of each topic's own")]
