"""A measure with values for its parameters: its scores and its curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc.core.curve import Curve
from ir_trunc.core.errors import ParameterError, shown
from ir_trunc.core.rankings import Floats, Rankings, offsets_of
from ir_trunc.measures.lists import Depths, Lists

if TYPE_CHECKING:
    from ir_trunc.measures.definition import Definition


@dataclass(frozen=True, eq=False)
class BoundMeasure:
    """A measure with values for its parameters: what can be computed.

    `Definition.bind` makes it.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import lookup
    >>> rankings = Rankings.from_lists([[1, None, 1], []], judged=[[1, 1, 1], []])
    >>> lookup("APT").bind({}).score(rankings).round(3)
    array([0.528, 1.   ])
    """

    definition: Definition
    params: Mapping[str, Any] = field(default_factory=dict)
    cutoff: int | None = None

    def of(self, lists: Lists) -> Floats:
        """The formula's value at every point of the lists, which must have this measure's cutoff."""
        values = self._values(lists)
        if lists.judgments.by_nil is not None and self.definition.scope == "list":
            # Where the document NIL is relevant, the empty list is still as right as where nothing is.
            silent, topic = lists.silence
            values[silent] = self._values(lists.nothing)[topic]
        return values

    def _values(self, lists: Lists) -> Floats:
        """ParameterError where a score is not a finite number: what goes in is then too large for 64 bits."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.definition.formula(lists, **self.params)
            if not isinstance(found, np.ndarray) or found.shape != lists.n.shape:
                needed = (
                    "an array with a value for every point of the lists, as lists.sum(...) and lists.n are"
                )
                raise ParameterError(f"{self.definition.name} returns {shown(found)}: {needed}, is needed.")
            values: Floats = found + 0.0  # -0.0 becomes 0.0
        if not np.isfinite(values).all():
            given = ", ".join(f"{name}={value!r}" for name, value in self.params.items() if value is not None)
            what = f"{self.definition.name}({given}): not every score is a finite number"
            raise ParameterError(f"{what}; smaller gains, costs or parameters are needed.")
        return values

    def score(self, rankings: Rankings) -> Floats:
        """The score of every list (Q), in the order of the topics."""
        return self.of(Lists(rankings, self.cutoff))

    def curve(self, rankings: Rankings) -> Curve:
        """The score at every depth of every list, to its end or to the cutoff.

        Where a measure looks at all lists of a run, one list at a time is cut and the others stay as they
        are.
        """
        return curves([self], rankings)[0]


def scores(measures: Iterable[BoundMeasure], rankings: Rankings) -> list[Floats]:
    """The scores of several measures; measures with the same cutoff share one view of the lists.

    Parameters
    ----------
    measures : iterable of BoundMeasure
        As `Definition.bind` makes them.
    rankings : Rankings
        The ranked lists, with their judgments (Q topics).

    Returns
    -------
    list of array of float64
        Q scores for each measure, in the order of the topics.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import lookup, scores
    >>> rankings = Rankings.from_lists([[1, 0], []])
    >>> scores([lookup("SetP").bind({}), lookup("RRT").bind({})], rankings)
    [array([0.5, 0. ]), array([1., 1.])]
    """
    view = cache(partial(Lists, rankings))
    return [measure.of(view(measure.cutoff)) for measure in measures]


def curves(measures: Iterable[BoundMeasure], rankings: Rankings) -> list[Curve]:
    """The curves of several measures; measures with the same cutoff share one view of the lists.

    Parameters
    ----------
    measures : iterable of BoundMeasure
        As `Definition.bind` makes them.
    rankings : Rankings
        The ranked lists, with their judgments.

    Returns
    -------
    list of Curve
        One for each measure.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import curves, lookup
    >>> (curve,) = curves([lookup("SetP").bind({})], Rankings.from_lists([[1, 0]]))
    >>> curve.values
    array([0. , 1. , 0.5])
    """
    view = cache(partial(Depths, rankings))
    depths = [(measure, view(measure.cutoff)) for measure in measures]
    return [
        Curve(rankings.topics, offsets_of(lists.lengths + 1), measure.of(lists)) for measure, lists in depths
    ]
