"""Experiments on truncation and list lengths, on any runs (Amigó, Mizzaro & Spina 2022; Liu et al. 2016).

Every function takes measures, qrels and runs as `ir_trunc.compare` does, in this order, and how runs are
read (order, duplicates, stop, lower_is_better, columns, nil); it shows a progress bar where it takes
long, and returns a DataFrame. The measures of the paper's figures and tables are `CUTS`, `TRUNCATED`,
`PAPER_2022`, `FULL` and `EXAMPLE`. 'Best cut' is the depth at which a list scores best by a measure; of
several the lowest. `collections` finds the collections in a folder, and `over_collections` runs an experiment
on each and takes the mean.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ir_trunc.core.errors import InputError, ParameterError
from ir_trunc.core.keywords import keywords_of
from ir_trunc.ranking.doors import read_qrels_of_runs
from ir_trunc.ranking.likes import QrelsLike
from ir_trunc.ranking.nil import Convention, NilRule
from ir_trunc.read.reading import HowRead, Reading
from ir_trunc.scoring.evaluator import Evaluator, Options, rank
from ir_trunc.scoring.objects import MeasureLike, lower_is_better, written
from ir_trunc.scoring.runs import RunsLike, each_run
from ir_trunc.truncation.bins import bin_name, bin_of
from ir_trunc.truncation.collections import collections, over_collections
from ir_trunc.truncation.example import EXAMPLE, example
from ir_trunc.truncation.nil_reports import nil_report
from ir_trunc.truncation.papers import CUTS, FULL, PAPER_2022, TRUNCATED

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

__all__ = [
    "CUTS",
    "EXAMPLE",
    "FULL",
    "PAPER_2022",
    "TRUNCATED",
    "agreement",
    "best_cuts",
    "collections",
    "cuts",
    "example",
    "lengths",
    "over_collections",
]


@keywords_of(Evaluator)
def best_cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """Where each list should have ended, and what that would have been worth.

    Parameters
    ----------
    measures : MeasureLike
        Measures that look at each list alone.
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        A row for each system, topic and measure: length and score as they are, best_length, best_score, and
        regret (the difference of the scores). With a cutoff @k, lengths are counted to k.

    Raises
    ------
    InputError
        If there is no run.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3, "b": 2}}
    >>> table = study.best_cuts("RBPT(p=0.5)", qrels, {"mine": run})
    >>> table[["length", "score", "best_length", "best_score", "regret"]].values.tolist()
    [[2.0, 0.625, 1.0, 0.75, 0.125]]
    """
    import pandas as pd

    from ir_trunc.scoring.tables import Table

    ready, tables = _of_gains(Evaluator(measures, qrels, **options)), []
    for name, run in each_run(runs, "cutting"):
        for measure, curve in ready.curves(run).items():
            (depth, best), own = curve.best(), curve.own()
            columns = {
                "length": np.diff(curve.offsets) - 1,
                "score": own,
                "best_length": depth,
                "best_score": best,
            }
            names = {"system": name, "query_id": curve.topics, "measure": written(measure)}
            tables.append(pd.DataFrame(names | columns | {"regret": best - own}))
    if not tables:
        raise InputError("There is no run: at least one is needed.")
    return Table(pd.concat(tables, ignore_index=True))


def _of_gains(ready: Evaluator) -> Evaluator:
    """The evaluator, where its measures have best cuts: of losses, the highest value is not the best."""
    for measure in ready.measures:
        if lower_is_better(measure):
            raise ParameterError(f"{measure} counts losses, lower is better: its curve has no best cut here.")
    return ready


@keywords_of(Evaluator)
def cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """Distribution of the best cuts of all lists of all runs.

    Parameters
    ----------
    measures : MeasureLike
        Measures that look at each list alone.
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        Share of the lists whose best cut is in a bin. Rows: the bins 0, 1-4, 5-8, 9-16, 17-32 and so on to
        the longest list. Columns: measures.

    Raises
    ------
    InputError
        If there is no run.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3, "b": 2}}
    >>> study.cuts("RBPT(p=0.5) SetF", qrels, {"mine": run})
              RBPT(p=0.5)  SetF
    best_cut
    0                 0.0   0.0
    1-4               1.0   1.0
    """
    import pandas as pd

    from ir_trunc.scoring.tables import Table

    ready = _of_gains(Evaluator(measures, qrels, **options))
    found, longest, lists = Counter[tuple[str, int]](), 0, 0
    for _, run in each_run(runs, "cutting"):
        for measure, curve in ready.curves(run).items():
            at, counts = np.unique(bin_of(curve.best()[0]), return_counts=True)
            found.update({(written(measure), int(place)): int(count) for place, count in zip(at, counts)})
        longest, lists = max(longest, int(np.diff(curve.offsets).max()) - 1), lists + len(curve.topics)
    if not lists:
        raise InputError("There is no run: at least one is needed.")
    bins = range(int(bin_of(longest)) + 1)
    table = {name: [found[name, place] / lists for place in bins] for name in map(written, ready.measures)}
    return Table(table, index=pd.Index([bin_name(place) for place in bins], name="best_cut"))


@keywords_of(Reading)
def agreement(
    truncated: MeasureLike,
    full: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> pd.DataFrame:
    """Kendall's tau between two orderings of the systems: by full lists and by lists cut at their best.

    Parameters
    ----------
    truncated : MeasureLike
        Measures by which every list is cut at its best, and which then score it.
    full : MeasureLike
        Measures of the full lists.
    qrels, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        Columns: the measures `truncated`; rows: the measures `full`. Systems are ordered by mean scores over
        topics; NaN where a measure gives all systems one score.

    Raises
    ------
    InputError
        If there are fewer than two runs.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import study
    >>> study.agreement("RBPT OIE", "AP RBP", *generated.collection(topics=20, systems=5)).round(2)
    truncated  RBPT  OIE
    full
    AP          0.8  1.0
    RBP         0.8  1.0
    """
    import pandas as pd
    from scipy.stats import kendalltau

    from ir_trunc.scoring.tables import Table

    ready = None
    if qrels is not None:
        ready, reading = read_qrels_of_runs(qrels, nil=nil, reading=reading)
    at_best, at_end = _of_gains(Evaluator(truncated, ready)), Evaluator(full, ready)
    best, own = {}, {}
    for name, run in each_run(runs, "comparing"):
        rankings = rank(ready, run, **reading)
        best[name] = {
            written(measure): curve.best()[1].mean() for measure, curve in at_best.curves(rankings).items()
        }
        own[name] = {written(measure): value for measure, value in at_end.calc_aggregate(rankings).items()}
    if len(own) < 2:
        raise InputError(f"{len(own)} run: an agreement on the order of systems needs two runs or more.")
    columns, rows = (pd.DataFrame(table).T for table in (best, own))
    taus = {x: {y: kendalltau(columns[x], rows[y]).statistic for y in rows} for x in columns}
    return Table(pd.DataFrame(taus).rename_axis("full", axis=0).rename_axis("truncated", axis=1))


@keywords_of(Reading)
def lengths(
    qrels: QrelsLike | None,
    runs: RunsLike,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> pd.DataFrame:
    """How many lists have each length, before and after the document NIL is taken as the end of its list.

    Parameters
    ----------
    qrels : QrelsLike or None
        The lists are those of the qrels' topics, empty where a run lacks them; without qrels those of each
        run's own topics.
    runs : RunsLike
        As for `ir_trunc.compare`.
    nil : str or NilRule, optional
        See `ir_trunc.nil_report`; by default 'ends'.
    order, duplicates, stop, lower_is_better, columns
        How runs are read, as for `ir_trunc.calc`.

    Returns
    -------
    pandas.DataFrame
        Rows: the lengths that occur. Columns: before (all documents count, NIL too) and after.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> study.lengths(None, {"mine": {"1": {"a": 3, "NIL": 2}}})
            before  after
    length
    1            0      1
    2            1      0
    """
    import pandas as pd

    from ir_trunc.scoring.tables import Table

    topics = None
    if qrels is not None:
        judged, reading = read_qrels_of_runs(qrels, reading=reading)
        topics = judged.judgments.topics
    before, after = Counter[int](), Counter[int]()
    for _, run in each_run(runs, "counting"):
        report = nil_report(run, topics, nil="ends" if nil is None else nil, **reading)
        before.update(report.before.tolist())
        after.update(report.after.tolist())
    index = pd.Index(sorted({*before, *after}), name="length")
    return Table({"before": [before[n] for n in index], "after": [after[n] for n in index]}, index)
