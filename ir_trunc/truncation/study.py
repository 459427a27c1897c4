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

from ir_trunc._core.errors import InputError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, whole
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.doors import rank, read_qrels_of_runs
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc.scoring.evaluator import Evaluator
from ir_trunc.scoring.objects import MeasureLike, written
from ir_trunc.scoring.protocol import as_table
from ir_trunc.scoring.runs import RunsLike, each_run
from ir_trunc.truncation.best_cuts import best_cuts, cuts, of_gains
from ir_trunc.truncation.collections import collections, over_collections
from ir_trunc.truncation.nil_reports import nil_report

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

# The measures of the figures and tables in Amigó, Mizzaro & Spina (2022).

EXAMPLE = "FlatU ERRU DCGU RBU RBU(p=0.9) RBU(p=0.98) RBPU RBPU(p=0.9) RBPU(p=0.98) RBPU(p=0.99)"
"""The measures of the paper's Figure 1."""

CUTS = (
    "FlatU RBU RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU RBPU(p=0.9) RBPU(p=0.98) "
    "nDCGT ERRT RBPT RBPT(p=0.9) RBPT(p=0.98) SetF OIE"
)
"""The measures of the paper's Figure 2."""

TRUNCATED = (
    "nDCGT ERRT RBPT RBPT(p=0.9) RBPT(p=0.98) RBU RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU RBPU(p=0.9)"
    " RBPU(p=0.98) OIE"
)
"""The columns of the paper's Table 2, as Liu et al. (2016) define the measures with a terminal document."""

PAPER_2022 = (
    "nDCGT(ideal='full') ERRT RBPT(p=0.8,tail=False) RBPT(p=0.9,tail=False) RBPT(p=0.98,tail=False)"
    " RBU(p=0.8) RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU(p=0.8) RBPU(p=0.9) RBPU(p=0.98) OIE"
)
"""The columns of the paper's Table 2 in the variants that give its figures of 1.00 on real runs.

They have one terminal document, and an ideal list that is never cut.
"""

FULL = "AP nDCG DCG ERRU(e=0) RBP RBP(p=0.9) RBP(p=0.98) iRBU iRBU(p=0.9) iRBU(p=0.98) OIE"
"""The rows of the paper's Table 2; ERRU(e=0) is expected reciprocal rank on the scale of the qrels."""

_MOST = 10**6  # documents of each kind in an example


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
    irrelevant, relevant = whole("irrelevant", irrelevant, 0, _MOST), whole("relevant", relevant, 0, _MOST)
    rankings = Rankings.from_lists([[0] * irrelevant + [1] * relevant])
    curves = Evaluator(measures, None).curves(rankings)
    table = as_table({written(measure): curve.values for measure, curve in curves.items()}).rename_axis("cut")
    return table / table.abs().max().replace(0, 1) if flag("scaled", scaled) else table


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
    from scipy.stats import kendalltau

    ready = None
    if qrels is not None:
        ready, reading = read_qrels_of_runs(qrels, nil=nil, reading=reading)
    at_best, at_end = of_gains(Evaluator(truncated, ready)), Evaluator(full, ready)
    best, own = {}, {}
    for name, run in each_run(runs, "comparing"):
        rankings = rank(ready, run, **reading)
        curves = at_best.curves(rankings)
        best[name] = {written(measure): curve.best()[1].mean() for measure, curve in curves.items()}
        own[name] = {written(measure): value for measure, value in at_end.calc_aggregate(rankings).items()}
    if len(own) < 2:
        raise InputError(f"{len(own)} run: an agreement on the order of systems needs two runs or more.")
    columns, rows = (pd.DataFrame(table).T for table in (best, own))
    taus = {x: {y: kendalltau(columns[x], rows[y]).statistic for y in rows} for x in columns}
    return as_table(pd.DataFrame(taus).rename_axis("full", axis=0).rename_axis("truncated", axis=1))


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
    return as_table({"before": [before[n] for n in index], "after": [after[n] for n in index]}, index)
