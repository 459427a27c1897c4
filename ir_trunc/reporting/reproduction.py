"""`reproduce`: the tables of the papers, computed and compared with the printed figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterTypeError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import one_of, text
from ir_trunc._core.rankings import Bools
from ir_trunc.plots import _kit
from ir_trunc.reporting._papers import PAPERS, Collection
from ir_trunc.scoring.results import Result

__all__ = ["Reproduction", "reproduce"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """The printed figures of a paper beside those that ir_trunc computes.

    Attributes
    ----------
    source : str
        The paper.
    data : str
        The collection of the computed figures.
    notes : tuple of str
        Known reasons for differences.
    cells : DataFrame
        A row for each figure: table, row, column, places (printed decimal places), printed, computed.
    """

    source: str
    data: str
    notes: tuple[str, ...]
    cells: pd.DataFrame

    @classmethod
    def from_pandas(cls, paper: str, cells: pd.DataFrame, data: str) -> Reproduction:
        """The result from its cells, a CSV file of `ir_trunc reproduce -o` for example."""
        about = PAPERS[one_of("paper", paper, tuple(PAPERS))]
        notes = (*about.notes, about.note_of(cells))
        return cls(about.source, text("data", data), tuple(filter(None, notes)), cells)

    @property
    def same(self) -> Bools:
        """Whether the computed figure of each cell rounds to the printed one."""
        half = 0.5 * 10.0 ** -self.cells["places"].to_numpy()
        difference = (self.cells["printed"] - self.cells["computed"]).to_numpy()
        return np.asarray(np.abs(difference) <= half + _ROUNDING)

    @property
    def heading(self) -> str:
        """The paper, the data, and how many cells of each table agree."""
        counts = self.summary()[["same", "cells"]].itertuples()
        lines = [f"{title}: {same} of {cells} cells" for title, same, cells in counts]
        return "\n".join([self.source, f"computed on {self.data}", *lines, *self.notes])

    def to_pandas(self) -> pd.DataFrame:
        """A row for each cell: table, row, column, printed, computed, difference, same."""
        frame = self.cells.drop(columns="places")
        return frame.assign(difference=frame["computed"] - frame["printed"], same=self.same)

    def summary(self) -> pd.DataFrame:
        """A row for each table: cells, how many agree, and the largest difference."""
        frame = self.to_pandas()
        groups = frame.assign(off=frame["difference"].abs()).groupby("table", sort=False)
        return groups.agg(cells=("same", "size"), same=("same", "sum"), largest_difference=("off", "max"))

    def table(self, title: str) -> pd.DataFrame:
        """One table in the paper's shape; each cell is 'printed computed', with * where they differ."""
        one_of("table", title, self.cells["table"].unique())
        frame = self.cells.assign(same=self.same)[self.cells["table"] == title]
        texts = [
            f"{cell.printed:.{cell.places}f} {cell.computed:.{cell.places}f}{'' if cell.same else '*'}"
            for cell in frame.itertuples()
        ]
        wide: pd.DataFrame = frame.assign(text=texts).pivot(index="row", columns="column", values="text")
        return wide.loc[frame["row"].unique(), frame["column"].unique()].fillna("")

    def plot(self, ax: Any = None) -> Any:
        """Printed against computed figures; points on the diagonal agree."""
        axes, figures = _kit.ready_axes(ax), self.cells[["printed", "computed"]]
        ends = [float(figures.min().min()), float(max(figures["printed"].max(), 1))]
        axes.plot(ends, ends, color="0.8", linewidth=1, zorder=0)
        tables = self.cells.groupby("table", sort=False)
        for (title, cells), style in zip(tables, _kit.line_styles(len(tables))):
            hollow = {"linestyle": "none", "markerfacecolor": "none", "markersize": 6}
            axes.plot(cells["printed"], cells["computed"], label=title, **style | hollow)
        axes.set(xlabel="printed in the paper", ylabel="computed here")
        _kit.legend_beside(axes, loc="upper left")
        return axes


def reproduce(paper: str, *collections: Collection) -> Reproduction:
    """Compute the tables of a paper, and put them beside what is printed.

    Parameters
    ----------
    paper : {'amigo2022', 'liu2016', 'penas2011', 'sakai2004', 'webber2010'}
        Which paper.
    *collections : (qrels, runs)
        The data, as `ir_trunc.compare` takes them; runs are read as in the paper.
        Several collections are averaged. Papers whose examples need no collection take none.

    Returns
    -------
    Reproduction
        Every cell, printed and computed.

    Raises
    ------
    InputError
        If a collection is missing, or there are more than the paper takes.
    ParameterTypeError
        If a collection is not a pair.

    Examples
    --------
    >>> from ir_trunc.reporting.reproduction import reproduce
    >>> reproduction = reproduce("penas2011")
    >>> int(reproduction.same.sum()), len(reproduction.same)
    (8, 8)
    """
    wanted = PAPERS[one_of("paper", paper, tuple(PAPERS))]
    if (wanted.data is None) == bool(collections):
        needed = f"needs {wanted.data}: give qrels and runs" if wanted.data else "takes no collection"
        raise InputError(f"{paper} {needed}.")
    for collection in collections:
        if not isinstance(collection, tuple) or len(collection) != 2:
            raise ParameterTypeError(f"collection {shown(collection)}: a pair (qrels, runs) is needed.")
    if len(collections) > 1 and not wanted.several:
        raise InputError(f"{paper} is computed on one collection; {len(collections)} are given.")
    data = "the paper's own examples"
    if collections:
        several = f"the mean of {len(collections)} collections"
        data = f"{several if len(collections) > 1 else 'the collection given'} (the paper: {wanted.data})"
    cells = [
        (table.title, row, column, table.places, float(printed), float(computed))
        for table in wanted.tables(*collections)
        for row, column, printed, computed in zip(
            table.rows, table.columns, table.printed, table.computed, strict=True
        )
    ]
    columns = ["table", "row", "column", "places", "printed", "computed"]
    return Reproduction.from_pandas(paper, pd.DataFrame(cells, columns=columns), data)
