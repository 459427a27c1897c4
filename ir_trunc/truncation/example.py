"""What measures make of irrelevant documents before relevant ones (Amigó, Mizzaro & Spina 2022, Figure 1)."""

from __future__ import annotations

from ir_trunc.core.checks import flag, whole
from ir_trunc.core.later import pd
from ir_trunc.core.rankings import Rankings
from ir_trunc.scoring.evaluator import Evaluator
from ir_trunc.scoring.objects import MeasureLike, written
from ir_trunc.scoring.protocol import as_table

MOST = 10**6
"""Documents of each kind in an example, at most."""

EXAMPLE = "FlatU ERRU DCGU RBU RBU(p=0.9) RBU(p=0.98) RBPU RBPU(p=0.9) RBPU(p=0.98) RBPU(p=0.99)"
"""The measures of the paper's Figure 1."""


def example(
    measures: MeasureLike = EXAMPLE, irrelevant: int = 10, relevant: int = 40, scaled: bool = True
) -> pd.DataFrame:
    """Scores at every cut of irrelevant documents followed by relevant ones.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
    irrelevant, relevant : int
        Documents of each kind, at most 10^6.
    scaled : bool
        Whether scores are divided by the highest magnitude of their measure, as in the paper's figure: zero
        and the ratios stay.

    Returns
    -------
    pandas.DataFrame
        Columns: measures; rows: the cuts 0, 1, ..., irrelevant + relevant.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> study.example("RBPT(p=0.5)", irrelevant=1, relevant=2)
         RBPT(p=0.5)
    cut
    0           0.00
    1           0.00
    2           0.75
    3           1.00
    """
    irrelevant, relevant = whole("irrelevant", irrelevant, 0, MOST), whole("relevant", relevant, 0, MOST)
    rankings = Rankings.from_lists([[0] * irrelevant + [1] * relevant])
    found = {
        written(measure): curve.values
        for measure, curve in Evaluator(measures, None).curves(rankings).items()
    }
    table = as_table(found).rename_axis("cut")
    return table / table.abs().max().replace(0, 1) if flag("scaled", scaled) else table
