"""`reproduce`: the tables of the papers, computed and compared with the printed figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ir_trunc._core.errors import InputError, ParameterTypeError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import one_of
from ir_trunc._core.rankings import Bools, Floats
from ir_trunc.plots import _kit
from ir_trunc.reporting._papers import PAPERS, Cells, Collection
from ir_trunc.scoring._saved import Saved

__all__ = ["Reproduction", "reproduce"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Saved):
    """The printed figures of a paper beside those that ir_trunc computes (C cells).

    Attributes
    ----------
    source : str
        The paper.
    data : str
        The collection of the computed figures.
    notes : tuple of str
        Known reasons for differences.
    tables, rows, columns : tuple of str
        The table, row and column of each cell.
    places : tuple of int
        Printed decimal places.
    printed, computed : numpy.ndarray
        The figures, shape (C,).
    """

    shapes: ClassVar = dict.fromkeys(("rows", "columns", "places", "printed", "computed"), "tables")

    source: str
    data: str
    notes: tuple[str, ...]
    tables: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    places: tuple[int, ...]
    printed: Floats
    computed: Floats

    @classmethod
    def of(cls, source: str, data: str, notes: Sequence[str], tables: Iterable[Cells]) -> Reproduction:
        """All tables of a paper in one result."""
        cells = [
            (table.title, table.places, *cell)
            for table in tables
            for cell in zip(table.rows, table.columns, table.printed, table.computed, strict=True)
        ]
        titles, places, rows, columns, printed, computed = zip(*cells)
        figures = np.array(printed), np.array(computed)
        return cls(source, data, tuple(notes), titles, rows, columns, places, *figures)

    @property
    def same(self) -> Bools:
        """Whether the computed figure of each cell rounds to the printed one."""
        half = 0.5 * 10.0 ** -np.array(self.places)
        return np.asarray(np.abs(self.printed - self.computed) <= half + _ROUNDING)

    @property
    def heading(self) -> str:
        """The paper, the data, and how many cells of each table agree."""
        titles, same = np.array(self.tables), self.same
        of_table = {title: same[titles == title] for title in dict.fromkeys(self.tables)}
        lines = [f"{title}: {int(cells.sum())} of {len(cells)} cells" for title, cells in of_table.items()]
        return "\n".join([self.source, f"computed on {self.data}", *lines, *self.notes])

    def to_pandas(self) -> pd.DataFrame:
        """A row for each cell: table, row, column, printed, computed, difference, same."""
        names = {"table": self.tables, "row": self.rows, "column": self.columns}
        frame = pd.DataFrame(names | {"printed": self.printed, "computed": self.computed})
        return frame.assign(difference=self.computed - self.printed, same=self.same)

    def summary(self) -> pd.DataFrame:
        """A row for each table: cells, how many agree, and the largest difference."""
        frame = self.to_pandas()
        groups = frame.assign(off=frame["difference"].abs()).groupby("table", sort=False)
        return groups.agg(cells=("same", "size"), same=("same", "sum"), largest_difference=("off", "max"))

    def table(self, title: str) -> pd.DataFrame:
        """One table in the paper's shape; each cell is 'printed computed', with * where they differ."""
        one_of("table", title, tuple(dict.fromkeys(self.tables)))
        frame = self.to_pandas()
        frame = frame.assign(places=self.places)[frame["table"] == title]
        cells = [
            f"{row.printed:.{row.places}f} {row.computed:.{row.places}f}{'' if row.same else '*'}"
            for row in frame.itertuples()
        ]
        wide: pd.DataFrame = frame.assign(cell=cells).pivot(index="row", columns="column", values="cell")
        return wide.loc[frame["row"].unique(), frame["column"].unique()].fillna("")

    def plot(self, ax: Any = None) -> Any:
        """Printed against computed figures; points on the diagonal agree."""
        axes, titles = _kit.ready_axes(ax), np.array(self.tables)
        ends = [float(min(self.printed.min(), self.computed.min())), float(max(self.printed.max(), 1))]
        axes.plot(ends, ends, color="0.8", linewidth=1, zorder=0)
        tables = list(dict.fromkeys(self.tables))
        for title, style in zip(tables, _kit.line_styles(len(tables))):
            cells, hollow = titles == title, {"linestyle": "none", "markerfacecolor": "none", "markersize": 6}
            axes.plot(self.printed[cells], self.computed[cells], label=title, **style | hollow)
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
    >>> found = reproduce("penas2011")
    >>> int(found.same.sum()), len(found.same)
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
    return Reproduction.of(wanted.source, data, wanted.notes, wanted.tables(*collections))
