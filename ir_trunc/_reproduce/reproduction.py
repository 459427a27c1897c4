"""`reproduce`: the tables of the papers, computed and compared with the printed figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib.resources import files
from itertools import chain
from operator import add
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterTypeError, shown
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import one_of, text
from ir_trunc._core.rankings import Bools, Floats, Rankings
from ir_trunc._ranking.qrels import read_qrels
from ir_trunc._scoring.evaluator import calc, calc_aggregate
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import by_name
from ir_trunc.meta.agreement import agreement
from ir_trunc.meta.matrix import ScoreMatrix, standardised
from ir_trunc.meta.pools import CONDITIONS_2010, PAPER_2010, PooledRuns, conditions, pooled_runs
from ir_trunc.meta.power import power
from ir_trunc.truncation import study

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
        remark = _REMARKS[paper](cells) if paper in _REMARKS else ""
        notes = (*about.notes, remark, f"Not tried: {about.not_tried}.")
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
        lines = [f"{title}: {same} of {cells} cells agree" for title, same, cells in counts]
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
        """One table as in the paper; a cell has the printed and the computed figure, * if they differ."""
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
        axes, figures = plots._kit.ready_axes(ax), self.cells[["printed", "computed"]]
        ends = [float(figures.min().min()), float(max(figures["printed"].max(), 1))]
        axes.plot(ends, ends, color="0.8", linewidth=1, zorder=0)
        tables = self.cells.groupby("table", sort=False)
        for (title, cells), style in zip(tables, plots._kit.line_styles(len(tables))):
            hollow = {"linestyle": "none", "markerfacecolor": "none", "markersize": 6}
            axes.plot(cells["printed"], cells["computed"], label=title, **style | hollow)
        axes.set(xlabel="printed in the paper", ylabel="computed here")
        plots._kit.legend_beside(axes, loc="upper left")
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
    >>> from ir_trunc import reproduce
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
        topics = [len(read_qrels(qrels).judgments.topics) for qrels, _ in collections]
        sizes = [f"{len(by_name(runs))} runs on {n} topics" for n, (_, runs) in zip(topics, collections)]
        data = f"{' and '.join(sizes)} (the paper: {wanted.data})"
    cells: pd.DataFrame = pd.concat(wanted.tables(*collections), ignore_index=True)
    return Reproduction.from_pandas(paper, cells, data)


# The papers, and how their tables are computed.

Collection = tuple[Any, Any]
"""Qrels and runs."""

Tables = Callable[..., Iterator[Any]]
"""A function of collections that yields a DataFrame for each table."""


def _cells(
    title: str, rows: Any, columns: Any, printed: Sequence[float], computed: Sequence[float], places: int
) -> pd.DataFrame:
    """A row for each cell of a table: printed with so many decimal places, and computed."""
    cells = {"table": title, "row": rows, "column": columns, "places": places}
    return pd.DataFrame(cells | {"printed": printed, "computed": computed}).astype({"printed": float})


@dataclass(frozen=True)
class Paper:
    """A paper whose tables can be computed; the figures and all texts about it are in printed.json."""

    tables: Tables
    source: str
    titles: Mapping[str, str]  # what the tables show, by their numbers
    not_tried: str  # its other tables and figures
    data: str | None = None  # the collection that it needs; None if its own examples are enough
    notes: tuple[str, ...] = ()  # known reasons for differences
    several: bool = False  # whether the figures are a mean over collections


_PRINTED = json.loads((files("ir_trunc._reproduce") / "printed.json").read_text(encoding="utf-8"))

_LIU = ("RRT", "RBPT(p=0.5)", "nDCGT", "APT")
_PENAS = ("c@1", "c(unanswered=0)@1")


def amigo2022(*collections: Collection) -> Iterator[pd.DataFrame]:
    """Kendall's tau between the system orders by full lists and by lists that are cut at their best."""
    table = _PRINTED["amigo2022"]["table_2"]
    taus = [study.agreement(study.TRUNCATED, list(table), *collection) for collection in collections]
    computed = (reduce(add, taus) / len(taus)).to_numpy()
    cells = [(row, column, figure) for row, of in table.items() for column, figure in of.items()]
    rows, columns, figures = zip(*cells)
    yield _cells("Table 2", rows, columns, figures, computed.ravel().tolist(), places=2)


def liu2016() -> Iterator[pd.DataFrame]:
    """Each list with its relevant documents, scored with the terminal document."""
    columns = ("r_t", *_LIU)
    for signs, relevant, figures in _PRINTED["liu2016"]["table_1"]:
        grades = [int(sign) for sign in signs]
        judged = [1] * relevant + [0] * (len(grades) - sum(grades))
        rankings = Rankings.from_lists([grades], [judged])
        behind = len(grades) + 1  # where the terminal document is
        precision, *scores = calc([f"PT@{behind}", *_LIU], None, rankings).values[:, 0].tolist()
        computed = [precision * behind - sum(grades), *scores]
        yield _cells("Table 1", f"{signs}, R = {relevant}", columns, figures, computed, places=3)


def penas2011() -> Iterator[pd.DataFrame]:
    """c@1 and accuracy of as many right, wrong and open questions as the paper counts."""
    for system, (right, wrong, unanswered), figures in _PRINTED["penas2011"]["table_3"]:
        lists: list[list[int]] = [[1]] * right + [[0]] * wrong + [[]] * unanswered
        topics = [f"{i:03}" for i in range(len(lists))]
        rankings = Rankings.from_lists(lists, [[1, 0]] * len(lists), topics=topics)
        means = calc_aggregate(_PENAS, None, rankings)
        yield _cells("Table 3", system, _PENAS, figures, [means[measure] for measure in _PENAS], places=2)


def _sakais_formula(cells: pd.DataFrame) -> str:
    """The remark on a misprint, where the figure beside it agrees."""
    last = cells.iloc[-1]
    if abs(last["printed"] - last["computed"]) > 0.5 * 10.0 ** -last["places"] + _ROUNDING:
        return ""
    formula = "The paper's formula for the last example has cig(100) + 1 for cig(100) + 100"
    return f"{formula}; its figure is right."


def sakai2004() -> Iterator[pd.DataFrame]:
    """Answers by rank, later ones of a class as 0, against the best level of every class."""
    for example, ranked, ideal, figures in _PRINTED["sakai2004"]["examples"]:
        grades = [0] * (ranked["rank"] - 1) + [ranked["grade"]] if isinstance(ranked, dict) else ranked
        rankings = Rankings.from_lists([grades])
        rankings = replace(rankings, judgments=Rankings.from_lists([ideal]).judgments)
        for measure, (figure, places) in figures.items():
            computed = float(calc(measure, None, rankings).values[0, 0])
            yield _cells("Worked examples", example, measure, [figure], [computed], places)


_NDCG = "anDCG"
_ORDERS = {"10": f"P R AP {_NDCG}", "all": "RBP(p=0.8,rel=1)", "1000": f"P R AP {_NDCG} RBP(p=0.9977,rel=1)"}
"""The measures of Table 2 by their evaluation depth."""


def _short_of_a_pair(cells: pd.DataFrame) -> str:
    """The remark on the text's shares of pairs, where each that differs would agree with one pair more."""
    pairs = 129 * 128 // 2
    text = cells[cells["table"] == "Figure 4, text"]
    differing = text[(text["computed"] - text["printed"]).abs() > 0.0005]
    counts = text["computed"] * pairs
    of_so_many = np.allclose(counts, counts.round(), atol=1e-6)
    with_one_more = (differing["computed"] + 1 / pairs).round(3)
    if differing.empty or not of_so_many or not np.isclose(with_one_more, differing["printed"]).all():
        return ""
    words = f"On TREC-8 the {len(differing)} figures of the text that differ are"
    return f"{words} one system pair of {pairs:,} short each."


def webber2010(collection: Collection) -> Iterator[pd.DataFrame]:
    """Discriminative power, and agreement between measures at several depths of pool and evaluation."""
    qrels, runs = collection
    pools = pooled_runs(qrels, runs, order="score64")
    figures = _PRINTED["webber2010"]

    basic = pools.score(["P@10", "RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=1)", "AP", f"{_NDCG}@1000"])
    yield _shares("Table 1", figures["table_1"], power(basic).share.tolist())

    orders = conditions(_ORDERS, pools, {"10": (10, 10), "all": (None, None), "1000": (None, 1000)})
    yield _triangle("Table 2", figures["table_2"], agreement(orders).values)

    measures = dict.fromkeys(CONDITIONS_2010, PAPER_2010) | {"shallow": PAPER_2010.replace("{p}", "0.8")}
    matrix = conditions(measures, pools, CONDITIONS_2010)
    yield _triangle("Table 3", figures["table_3"], agreement(power(matrix)).values)

    of_ndcg = [name for name in matrix.measures if name.startswith("anDCG")]
    taus = agreement(matrix.take(measures=of_ndcg)).values
    pairs, three = figures["figure_2"], [taus[0, 1], taus[0, 2], taus[2, 1]]
    yield _cells("Figure 2", "nDCG", list(pairs), list(pairs.values()), three, 3)

    shares = [float(power(matrix).share[0]) for matrix in _in_the_text(pools)]
    yield _shares("Figure 4, text", figures["figure_4"], shares)


def _in_the_text(pools: PooledRuns) -> Iterator[ScoreMatrix]:
    """The conditions that the text of section 5 names, in the order of the printed figures."""
    yield standardised(pools.score("AP@100"), "z")
    yield pools.score("R@100")
    yield pools.score("R@10", pools.in_pool(10))
    yield standardised(pools.score("AP@10"), "z")
    yield pools.score(f"{_NDCG}@20", pools.in_pool(20))
    yield pools.score(f"{_NDCG}@20", pools.in_pool(5))


def _shares(title: str, figures: dict[str, float], shares: Sequence[float]) -> pd.DataFrame:
    """Shares of system pairs, a row for each."""
    return _cells(title, list(figures), "share of pairs", list(figures.values()), shares, 3)


def _triangle(title: str, figures: dict[str, Sequence[Sequence[float]]], taus: Floats) -> pd.DataFrame:
    """The cells above the diagonal of a symmetric table."""
    names, rows = figures["measures"], figures["rows"]
    places = [(row, row + 1 + at) for row, cells in enumerate(rows) for at in range(len(cells))]
    first, second = ([names[place[axis]] for place in places] for axis in (0, 1))
    computed = [float(taus[place]) for place in places]
    return _cells(title, first, second, list(chain(*rows)), computed, places=2)


_TABLES = amigo2022, liu2016, penas2011, sakai2004, webber2010
PAPERS = {each.__name__: Paper(each, **_PRINTED[each.__name__]["about"]) for each in _TABLES}
"""The papers by name."""

_REMARKS = {"sakai2004": _sakais_formula, "webber2010": _short_of_a_pair}
"""Notes on papers that have to hold for the cells."""
