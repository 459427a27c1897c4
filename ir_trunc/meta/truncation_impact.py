"""How scores change when the ends of lists count (Liu et al., SIGIR 2016, Figure 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Unpack

import numpy as np
from ir_measures import Measure

from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import whole
from ir_trunc._core.rankings import Floats
from ir_trunc._ranking.qrels import QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.runs import read_run
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import RunsLike, by_name, each_run
from ir_trunc._scoring.tables import labelled_table
from ir_trunc.measures.params import Whole
from ir_trunc.meta.agreement import tau
from ir_trunc.meta.matrix import higher_is_better
from ir_trunc.meta.procedures import SingleMeasure, procedure


@dataclass(frozen=True, eq=False, repr=False)
class TruncationImpact(Result):
    """Share of truncated lists and both mean scores of every system."""

    measure: str  # with regard to the end of a list
    usual: str  # without
    depth: int
    systems: tuple[str, ...]
    truncated: Floats  # share of lists that are shorter than `depth` once NIL ends them
    before: Floats  # mean scores by `usual`
    after: Floats  # mean scores by `measure`

    def to_pandas(self) -> pd.DataFrame:
        """A row for each system: truncated, before, after, change."""
        columns = {"truncated": self.truncated, "before": self.before, "after": self.after}
        return labelled_table("system", self.systems, columns).assign(change=self.after - self.before)

    @property
    def tau(self) -> float:
        """Kendall's tau between the orders of the systems before and after; NaN for a single system."""
        if len(self.systems) < 2:
            return np.nan
        return tau(higher_is_better([self.usual], self.before), higher_is_better([self.measure], self.after))

    @property
    def heading(self) -> str:
        """Both measures, when a list is truncated, and tau."""
        measures = f"{self.usual} (before) and {self.measure} (after)"
        of_orders = f"; tau between both orders {self.tau:.3f}" if len(self.systems) > 1 else ""
        return f"{measures}; truncated: shorter than {self.depth}{of_orders}"

    def plot(self, ax: Any = None, top: int | None = None) -> Any:
        """Both scores of each system against its share of truncated lists, joined by a line. Returns Axes.

        top: how many systems are drawn, those with the best scores before; by default all.
        """
        count = len(self.systems) if top is None else whole("top", top, 1)
        best = np.sort(np.argsort(-higher_is_better([self.usual], self.before), kind="stable")[:count])
        before, after, x = self.before[best], self.after[best], 100 * self.truncated[best]
        shown = plots._kit.ready_axes(ax)
        shown.vlines(x, before, after, color=plots._kit.GREY, linewidth=1, zorder=1)
        usual = f"{plots._kit.label(self.usual)}, as usual"
        shown.plot(x, before, "o", color=plots._kit.INK, markerfacecolor="white", label=usual)
        shown.plot(
            x,
            after,
            "s",
            color=plots._kit.ACCENT,
            label=f"{plots._kit.label(self.measure)}, with the end",
        )
        shown.set(xlabel=f"lists of fewer than {self.depth} documents (%)", ylabel="mean score")
        plots._kit.legend_above(shown, 2)
        return shown


@procedure(
    source="Liu, Moffat, Baldwin & Zhang, SIGIR 2016, https://doi.org/10.1145/2911451.2914737, section 3,"
    " table 3 and figures 2 and 3"
)
@takes(HowRead)
def truncation_impact(
    measure: str | Measure,
    qrels: QrelsLike,
    runs: RunsLike,
    usual: Annotated[str | Measure, SingleMeasure("measure without regard to the end")] = "RBP(p=0.5)@5",
    depth: Annotated[int, Whole("length from which on a list is not truncated")] = 5,
    **reading: Unpack[HowRead],
) -> TruncationImpact:
    """How each system's scores change when the ends of its lists count.

    Before, the document NIL is worth 1 where nothing is relevant and 0 elsewhere, as at TREC 2001; after, it
    ends its list. A list that fills the evaluation depth need not have ended there: give both measures this
    depth as their cutoff, `RBPT(p=0.5)@5` and `RBP(p=0.5)@5` for example.

    Parameters
    ----------
    measure : text or measure
        A measure that reads the end of a list.
    qrels : path, dict, DataFrame or iterable
        Judgments, see `ir_trunc.read_qrels`.
    runs : folder, files or dict
        Runs, see `ir_trunc.compare`.
    usual : text or measure
        A measure that does not look at the end.
    depth : int
        A list of fewer documents counts as truncated; 1 or more.
    **options
        How runs are read, as for `ir_trunc.calc`.

    Returns
    -------
    TruncationImpact
        Share of truncated lists and both scores of each system.

    Raises
    ------
    InputError
        Where there is no run.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> qrels = {"1": {"a": 1}, "2": {"b": 0}}
    >>> runs = {"silent": {"1": ["a"], "2": ["NIL"]}, "talks": {"1": ["a", *"bcde"], "2": [*"abcde"]}}
    >>> print(meta.truncation_impact("RBPT(p=0.5)@5", qrels, runs).to_pandas().round(3))
            truncated  before  after  change
    system
    silent        1.0    0.50   1.00     0.5
    talks         0.0    0.25   0.25     0.0
    """
    ready, reading = read_qrels_of_runs(qrels, reading=reading)
    ends = Evaluator(measure, ready, nil="ends", **reading)
    plain = Evaluator(usual, ready, nil="trec2001", **reading)
    of_systems: dict[str, tuple[float, float, float]] = {}
    for name, rows in each_run(by_name(runs), "scoring"):
        run = read_run(rows, **reading)
        after, before = ends.calc(run), plain.calc(run)
        truncated = float((after.rankings.lengths < depth).mean())
        usual_mean, mean = (float(results.unit_means()[1][0].mean()) for results in (before, after))
        of_systems[name] = truncated, usual_mean, mean
    columns = np.array(list(of_systems.values())).T
    return TruncationImpact(str(ends.measures[0]), str(plain.measures[0]), depth, tuple(of_systems), *columns)
