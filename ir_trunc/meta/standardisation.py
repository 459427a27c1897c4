"""Standardised scores: how much better a system is than others were on the same topic.

Those of Webber et al., SIGIR 2008, and the same mapped onto 0 to 1, compare over collections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy import special

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Floats
from ir_trunc._saved import Saved
from ir_trunc._scoring.tables import crossed, labelled_table
from ir_trunc.measures.params import Choice
from ir_trunc.measures.parts import over
from ir_trunc.meta.matrix import ScoreMatrix, index_of_measure, indices_of, matrix_of
from ir_trunc.meta.procedures import procedure

Form = Literal["normal", "linear", "z"]

SLOPE, CENTRE = 0.15, 0.5
"""Sakai's A and B: by Chebyshev's inequality at least 89 % of the scores then lie in 0.05 to 0.95."""

_SAME = 1e-12  # relative


@dataclass(frozen=True, eq=False, repr=False)
class Reference(Saved):
    """The difficulty of topics as a set of systems found it (Webber et al., SIGIR 2008)."""

    shapes: ClassVar[Mapping[str, str]] = {"mean": "measures topics", "sd": "measures topics"}

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    systems: int  # how many there were
    mean: Floats  # (M x T)
    sd: Floats  # of the population (M x T)

    def __post_init__(self) -> None:
        super().__post_init__()
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
        """(score - mean) / sd for scores on topics of the reference; 0 where the sd is 0."""
        measures = [index_of_measure(name, self.measures) for name in matrix_of(matrix).measures]
        cells = np.ix_(measures, indices_of(matrix.topics, self.topics))
        mean, sd = self.mean[cells][:, None, :], self.sd[cells][:, None, :]
        return replace(matrix, values=over(matrix.values - mean, sd))

    @property
    def heading(self) -> str:
        """How many systems, measures and topics there are."""
        topics = f"difficulty of {len(self.topics)} topics"
        return f"{topics} as {self.systems} systems found it; means over the topics"

    def summary(self) -> pd.DataFrame:
        """A row for each measure: mean and sd, averaged over topics."""
        columns = {"mean": self.mean.mean(axis=1), "sd": self.sd.mean(axis=1)}
        return labelled_table("measure", self.measures, columns)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure and topic: measure, query_id, mean, sd."""
        levels = {"measure": self.measures, "query_id": self.topics}
        return crossed(levels, {"mean": self.mean, "sd": self.sd})


@procedure(
    source="Webber, Moffat & Zobel, SIGIR 2008, https://doi.org/10.1145/1390334.1390346; the same, EVIA 2010,"
    " eq. 8; Sakai, ICTIR 2016"
)
def standardised(
    matrix: ScoreMatrix, form: Annotated[Form, Choice("what standardised scores become")] = "normal"
) -> ScoreMatrix:
    """Scores relative to how hard each topic was for these systems.

    With the mean m and the standard deviation s of the systems' scores on a topic, z = (score - m) / s, and
    0 where all systems are equal. 'normal' is the share of a normal distribution below z (Webber et al.);
    'linear' is 0.15 z + 0.5, cut to 0 and 1 (Sakai); 'z' is z itself. s is that of the population.

    Parameters
    ----------
    matrix : ScoreMatrix
        Scores of systems by topic, from `meta.score_matrix(measures, qrels, runs)`. Other systems than these
        are standardised by `Reference.of(matrix).standardise(others)`, and mapped by `in_form`.
    form : {'normal', 'linear', 'z'}
        What standardised scores become.

    Returns
    -------
    ScoreMatrix
        From 0 to 1; without bounds for 'z'.

    Raises
    ------
    InputError
        Where a measure looks at the whole run, and has no score of one topic alone.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> matrix = meta.score_matrix("AP RBPT", demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.standardised(matrix, "linear").means().round(3).tolist()
    [[0.601, 0.367, 0.532], [0.533, 0.387, 0.58]]
    """
    z_scores = Reference.of(matrix).standardise(matrix)
    return replace(z_scores, values=in_form(z_scores.values, form))


def in_form(z: Floats, form: Form) -> Floats:
    """Standardised scores in a form, see `standardised`."""
    if form == "z":
        return z
    return np.clip(SLOPE * z + CENTRE, 0.0, 1.0) if form == "linear" else np.asarray(special.ndtr(z))
