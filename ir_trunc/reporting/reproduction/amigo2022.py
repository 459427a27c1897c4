"""Amigó, Mizzaro & Spina (2022): Table 2, as the mean over any collections."""

from __future__ import annotations

from collections.abc import Iterator

from ir_trunc.reporting.reproduction.cells import Cells
from ir_trunc.reporting.reproduction.declare import Collection, printed, reproduction
from ir_trunc.truncation.study import PAPER_2022, agreement, over_collections


@reproduction(
    source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051",
    data="the mean of nine collections",
    notes=(
        "Rows are measures of full lists, columns of lists that are cut at their best.",
        "On other collections than the paper's the figures are others, too.",
    ),
    several=True,
)
def amigo2022(*collections: Collection) -> Iterator[Cells]:
    """Kendall's tau between the system orders by full lists and by lists that are cut at their best."""
    table = printed("amigo2022")["table_2"]
    named = {str(at): collection for at, collection in enumerate(collections)}
    computed = over_collections(agreement, named, PAPER_2022, list(table)).loc["mean"].to_numpy()
    cells = [(row, column, figure) for row, of in table.items() for column, figure in of.items()]
    rows, columns, figures = zip(*cells)
    yield Cells("Table 2", rows, columns, figures, computed.ravel().tolist(), places=2)
