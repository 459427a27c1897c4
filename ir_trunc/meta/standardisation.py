"""Standardised scores: how much better a system is than others were on the same topic.

Webber et al., SIGIR 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ir_trunc.core.errors import InputError
from ir_trunc.core.rankings import Floats
from ir_trunc.meta.matrix import ScoreMatrix, matrix_of
from ir_trunc.meta.pairs import place_of, positions
from ir_trunc.scoring.protocol import Result, axes

if TYPE_CHECKING:
    import pandas as pd

_SAME = 1e-12  # relative


@dataclass(frozen=True, eq=False, repr=False)
class Reference(Result):
    """The difficulty of topics as a set of systems found it: what standardisation needs.

    Webber et al., SIGIR 2008.

    measures: M. topics: T. systems: how many there were. mean, sd: (M x T); the sd is that of the population.
    """

    shapes = axes(mean="measures topics", sd="measures topics")

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    systems: int
    mean: Floats
    sd: Floats

    def __post_init__(self) -> None:
        if self.systems < 1:
            raise InputError(f"systems is {self.systems}: at least one is needed.")
        if not (np.isfinite(self.mean).all() and np.isfinite(self.sd).all() and (self.sd >= 0).all()):
            raise InputError("mean and sd: finite numbers are needed, and no standard deviation below 0.")

    @classmethod
    def of(cls, matrix: ScoreMatrix) -> Reference:
        """The reference that these systems give."""
        matrix_of(matrix).refuse_whole_run(matrix.measures, "it cannot be standardised by topic")
        mean, sd = matrix.values.mean(axis=1), matrix.values.std(axis=1)
        equal = sd <= _SAME * np.abs(matrix.values).max(axis=1)  # the sd of equal values may not round to 0
        return cls(matrix.measures, matrix.topics, len(matrix.systems), mean, np.where(equal, 0.0, sd))

    def standardise(self, matrix: ScoreMatrix) -> ScoreMatrix:
        """(score - mean) / sd for every score; 0 where the sd is 0.

        Measures and topics must be among those of the reference.
        """
        measures = [place_of(name, self.measures) for name in matrix_of(matrix).measures]
        at = np.ix_(measures, positions(matrix.topics, self.topics))
        mean, sd = self.mean[at][:, None, :], self.sd[at][:, None, :]
        return replace(
            matrix, values=np.divide(matrix.values - mean, sd, out=np.zeros_like(matrix.values), where=sd > 0)
        )

    @property
    def heading(self) -> str:
        """How many systems, measures and topics there are."""
        return (
            f"difficulty of {len(self.topics)} topics as {self.systems} systems found it; means over the"
            " topics"
        )

    def summary(self) -> pd.DataFrame:
        """A row for each measure: mean and sd, averaged over topics."""
        import pandas as pd

        columns = {"mean": self.mean.mean(axis=1), "sd": self.sd.mean(axis=1)}
        return pd.DataFrame(columns, index=pd.Index(self.measures, name="measure"))

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and topic: measure, query_id, mean, sd."""
        import pandas as pd

        index = pd.MultiIndex.from_product([self.measures, self.topics], names=["measure", "query_id"])
        return pd.DataFrame({"mean": self.mean.ravel(), "sd": self.sd.ravel()}, index=index).reset_index()
