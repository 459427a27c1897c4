"""Experiments on truncation and list lengths, on any runs (Amigó, Mizzaro & Spina 2022; Liu et al. 2016).

Every function takes measures, qrels and runs as `ir_trunc.compare` does, in this order, and the options of
reading (order, duplicates, stop, lower_is_better, columns, nil). It shows a progress bar if it takes long,
and returns a DataFrame. The measures of the paper's figures and tables are `CUTS`, `TRUNCATED`, `PAPER_2022`,
`FULL` and `EXAMPLE`. The best cut of a list is the depth at which it scores best by a measure; of several the
lowest. `collections` finds the collections in a folder, and `over_collections` runs an experiment on each and
computes the mean.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from inspect import signature
from operator import add
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Flag, Whole, checked, file_name, instance, mapping, text
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.qrels import QrelsLike, read_qrels_of_runs
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._ranking.runs import RunLike, read_once, read_run
from ir_trunc._read.arrow import occurs, pa, pc, strings
from ir_trunc._read.readers.topics import read_topics
from ir_trunc._read.reading import HowRead, Unpack
from ir_trunc._scoring._runs import RunsLike, each_run
from ir_trunc._scoring.evaluator import Evaluator, Options
from ir_trunc._scoring.objects import MeasureLike, written
from ir_trunc._scoring.results import Result, as_table
from ir_trunc.measures.declaration import lower_is_better

__all__ = [
    "CUTS", "EXAMPLE", "FULL", "PAPER_2022", "TRUNCATED",
    "agreement", "best_cuts", "collections", "cuts", "example", "lengths", "nil_report", "over_collections",
]  # fmt: skip

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


@checked
def example(
    measures: MeasureLike = EXAMPLE,
    irrelevant: Annotated[int, Whole("irrelevant documents at the top", 0, _MOST)] = 10,
    relevant: Annotated[int, Whole("relevant documents after them", 0, _MOST)] = 40,
    scaled: Annotated[bool, Flag("whether scores are divided by the highest magnitude")] = True,
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
    rankings = Rankings.from_lists([[0] * irrelevant + [1] * relevant])
    curves = Evaluator(measures, None).curves(rankings)
    table = as_table({written(measure): curve.values for measure, curve in curves.items()}).rename_axis("cut")
    return table / table.abs().max().replace(0, 1) if scaled else table


def agreement(
    truncated: MeasureLike,
    full: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Kendall's tau between two orderings of the systems: by full lists and by lists cut at their best.

    Parameters
    ----------
    truncated : MeasureLike
        Measures by which every list is cut at its best, and which then score it.
    full : MeasureLike
        Measures of the full lists.
    qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
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

    judged, _, rank_one = read_once(qrels, options)
    of_truncated, of_full = Evaluator(truncated, judged), Evaluator(full, judged)
    _refuse_losses(of_truncated)
    best_means, full_means = {}, {}
    for name, run in each_run(runs, "comparing"):
        rankings = rank_one(run)
        curves, means = of_truncated.curves(rankings), of_full.calc_aggregate(rankings)
        best_means[name] = {written(measure): curve.best()[1].mean() for measure, curve in curves.items()}
        full_means[name] = {written(measure): mean for measure, mean in means.items()}
    if len(full_means) < 2:
        raise InputError("1 run: an agreement on the order of systems needs two runs or more.")
    columns, rows = (pd.DataFrame(means).T for means in (best_means, full_means))
    taus = {x: {y: kendalltau(columns[x], rows[y]).statistic for y in rows} for x in columns}
    return as_table(pd.DataFrame(taus).rename_axis("full", axis=0).rename_axis("truncated", axis=1))


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
        Counted are the lists of the qrels' topics, of which those that a run lacks are empty; without qrels
        the lists of each run.
    runs : RunsLike
        As for `ir_trunc.compare`.
    nil : str or NilRule, optional
        See `ir_trunc.truncation.study.nil_report`; by default 'ends'.
    order, duplicates, stop, lower_is_better, columns, keys
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


def best_cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """The best cut of each list, and its score there.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
    qrels, topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
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
    evaluator, tables = _refuse_losses(Evaluator(measures, qrels, **options)), []
    for name, run in each_run(runs, "cutting"):
        for measure, curve in evaluator.curves(run).items():
            (best_lengths, best_scores), scores = curve.best(), curve.own()
            columns = {
                "system": name,
                "query_id": curve.topics,
                "measure": written(measure),
                "length": np.diff(curve.offsets) - 1,
                "score": scores,
                "best_length": best_lengths,
                "best_score": best_scores,
                "regret": best_scores - scores,
            }
            tables.append(pd.DataFrame(columns))
    return as_table(pd.concat(tables, ignore_index=True))


def _refuse_losses(evaluator: Evaluator) -> Evaluator:
    for measure in filter(lower_is_better, evaluator.measures):
        raise ParameterError(f"{measure} counts losses, lower is better: its curve has no best cut here.")
    return evaluator


def cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """The distribution of the best cuts of all lists of all runs.

    Parameters
    ----------
    measures, qrels, runs
        As for `best_cuts`.
    topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `best_cuts`.

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
    evaluator = _refuse_losses(Evaluator(measures, qrels, **options))
    counts, longest, lists = Counter[tuple[str, int]](), 0, 0
    for _, run in each_run(runs, "cutting"):
        for measure, curve in evaluator.curves(run).items():
            counts.update((written(measure), number) for number in bin_of(curve.best()[0]).tolist())
        longest, lists = max(longest, int(np.diff(curve.offsets).max()) - 1), lists + len(curve.topics)
    bins = range(int(bin_of(longest)) + 1)
    names = map(written, evaluator.measures)
    shares = {name: [counts[name, number] / lists for number in bins] for name in names}
    return as_table(shares, index=pd.Index([bin_name(number) for number in bins], name="best_cut"))


def bin_of(length: npt.ArrayLike) -> Ints:
    """The bin of a length; bins double in width: 0 for 0, 1 for 1 to 4, and i for 2^i + 1 to 2^(i+1)."""
    values = np.asarray(length, dtype=np.float64)
    bins: Ints = np.maximum(1, np.ceil(np.log2(np.maximum(values, 1))) - 1).astype(np.int64)
    return np.where(values == 0, 0, bins)


def bin_name(number: int) -> str:
    """The lengths in a bin: '0', '1-4', '5-8', '9-16', ..."""
    return "0" if number == 0 else f"{1 if number == 1 else 2**number + 1}-{2 ** (number + 1)}"


def collections(folder: str | os.PathLike[str]) -> dict[str, tuple[Path, Path]]:
    """The collections in a folder.

    A collection is a folder with one file that has 'qrels' in its name, and a folder `runs`. The folder is a
    collection itself, or holds some; other folders in it are ignored.

    Parameters
    ----------
    folder : path
        Where to look.

    Returns
    -------
    dict
        {name: (qrels, runs)}, by the names of the folders.

    Raises
    ------
    InputError
        If there is no such folder or no collection in it, or if two files could be the qrels.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ir_trunc.truncation import study
    >>> with TemporaryDirectory() as data:
    ...     (Path(data) / "mine" / "runs").mkdir(parents=True)
    ...     _ = (Path(data) / "mine" / "qrels.txt").write_text("1 0 a 1")
    ...     by_name = study.collections(data)
    >>> list(by_name)
    ['mine']
    """
    top = Path(file_name("folder", folder))
    if not top.is_dir():
        raise InputError(f"There is no folder {top}.")
    collections = {}
    for path in [top, *sorted(path for path in top.iterdir() if path.is_dir())]:
        if not (path / "runs").is_dir():
            continue
        names = sorted(file.name for file in path.iterdir() if file.is_file())
        qrels = [name for name in names if "qrels" in name.lower()]
        if len(qrels) > 1:
            files = f"{len(qrels)} files that may be the qrels, {' and '.join(qrels)}"
            raise InputError(f"{path} holds {files}: one is needed.")
        if qrels:
            collections[os.path.basename(os.path.abspath(path))] = (path / qrels[0], path / "runs")
    if not collections:
        form = "a file with 'qrels' in its name and a folder 'runs' in one folder"
        raise InputError(f"{top} holds no collection: {form} are one.")
    return collections


def over_collections(
    experiment: Callable[..., pd.DataFrame],
    collections: Mapping[str, tuple[Any, Any]],
    *measures: Any,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """The tables of an experiment on several collections, and their mean.

    Parameters
    ----------
    experiment : function
        `study.agreement`, `study.cuts`, `study.lengths`, or any function of measures, qrels and runs that
        returns a table of numbers whose rows have names.
    collections : {name: (qrels, runs)}
        As `study.collections` returns them.
    *measures
        The arguments of the experiment before qrels and runs.
    topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
        As for `ir_trunc.calc`, if the experiment takes them.

    Returns
    -------
    pandas.DataFrame
        The rows of the mean, then those of every collection: the first level of the rows is 'mean' or the
        collection's name. Every collection has the same weight. A row that a collection lacks counts as 0 in
        the mean, for example a length that no list has.

    Raises
    ------
    InputError
        If there is no collection, one is called 'mean', or the tables have no mean.
    ParameterTypeError
        If a collection is not a pair.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import study
    >>> both = {name: generated.collection(topics=20, systems=5, seed=at) for at, name in enumerate("ab")}
    >>> study.over_collections(study.agreement, both, "RBPT", "AP RBP").round(2)
    truncated        RBPT
    collection full
    mean       AP     0.7
               RBP    0.7
    a          AP     0.8
               RBP    0.8
    b          AP     0.6
               RBP    0.6
    """
    if not callable(experiment):
        raise ParameterTypeError(f"experiment={shown(experiment)}: a function is needed, as study.agreement.")
    tables = {}
    for name, pair in mapping("collections", collections, "{name: (qrels, runs)}").items():
        if text("collection", name) == "mean":
            raise InputError("A collection cannot be called 'mean': that is the name of the mean of all.")
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterTypeError(f"collection {name!r} is {shown(pair)}: a pair (qrels, runs) is needed.")
        try:
            signature(experiment).bind(*measures, *pair, **options)
        except TypeError as error:
            problem = f"does not take measures, qrels, runs and options: {error}"
            raise ParameterTypeError(f"experiment={shown(experiment)} {problem}.") from None
        result = experiment(*measures, *pair, **options)
        table = instance("what the experiment returns", result, pd.DataFrame, "a table")
        has_names = table.index.name is not None and table.index.is_unique
        if not has_names or not all(pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes):
            raise InputError("The experiment's table has no mean: numbers in rows with names are needed.")
        tables[name] = table
    if not tables:
        raise InputError("There is no collection: at least one is needed.")
    first, *others = tables.values()
    rows = first.index
    for table in others:
        if list(table.columns) != list(first.columns):
            raise ParameterError("The tables of the collections have different columns, and no mean.")
        rows = rows.append(table.index.difference(rows, sort=False))
    if pd.api.types.is_numeric_dtype(rows.dtype):
        rows = rows.sort_values()
    aligned = [table.reindex(rows, fill_value=0) for table in tables.values()]
    mean = reduce(add, aligned) / len(aligned)
    return as_table(
        pd.concat([mean, *tables.values()], keys=["mean", *tables], names=["collection", rows.name])
    )


@dataclass(frozen=True, eq=False, repr=False)
class NilReport(Result):
    """Which lists of a run its system ended, and how long they are before and after the NIL rule.

    Attributes
    ----------
    ended_by_nil, short, left_alone : int
        Numbers of lists: the three rows of Liu et al.'s Table 2.
    before, after : array of int64
        Lengths by topic (Q).
    """

    ended_by_nil: int
    short: int
    left_alone: int
    before: Ints
    after: Ints

    def to_pandas(self) -> pd.DataFrame:
        """The number of lists of each length: columns before, after; index length."""
        longest = int(max(self.before.max(initial=0), self.after.max(initial=0)))
        columns = {"before": self.before, "after": self.after}
        counts = {name: np.bincount(column, minlength=longest + 1) for name, column in columns.items()}
        return pd.DataFrame(counts).rename_axis("length")

    @property
    def heading(self) -> str:
        """The numbers of lists, in words."""
        total = self.ended_by_nil + self.short + self.left_alone
        return (
            f"{total} lists: {self.ended_by_nil} ended by NIL, {self.short} short and so ended by the system,"
            f" {self.left_alone} at the imposed depth and left alone"
        )

    def __repr__(self) -> str:
        return fitted(self.heading)


@checked
def nil_report(
    run: RunLike,
    topics: Any = None,
    *,
    depth: Annotated[int | None, Whole("length that the evaluation imposed")] = None,
    nil: NilRule | Convention = "ends",
    **reading: Unpack[HowRead],
) -> NilReport:
    """The lengths of lists before and after the document NIL is taken as the end of its list.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`.
    topics : optional
        The topics, in any form that `read_topics` takes; by default those of the run.
    depth : int, optional
        The length that the evaluation imposed: a list of that length without NIL is left alone, a shorter one
        was ended by its system. Without a depth, every list was ended by its system.
    nil : str or NilRule
        A convention, or a rule: `NilRule(id="none")` for another id. Only the convention 'ends' ends lists.
    order, duplicates, stop, lower_is_better, columns, keys
        How the run is read, as for `ir_trunc.calc`.

    Returns
    -------
    NilReport

    Raises
    ------
    InputError
        If the run cannot be read.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.truncation.study.nil_report({"1": {"a": 3, "NIL": 2, "b": 1}, "2": {"x": 1}})
    2 lists: 1 ended by NIL, 1 short and so ended by the system, 0 at the imposed
      depth and left alone
    """
    rows = read_run(run, **reading)
    rule = nil_rule(nil)
    names = pc.unique(rows.topics).cast(pa.string()) if topics is None else strings(read_topics(topics))
    ranked = RankedRows.of(rows, names)
    ranked.notes.warn(rows.source, rule.id, rows.reading)
    ends = rule.convention == "ends"
    nil_rows = np.flatnonzero(occurs(ranked.rows.docs, rule.id) & ends)
    after = rule.lengths(ranked, nil_rows)
    by_nil = len(nil_rows)
    full = np.zeros(len(after), dtype=bool) if depth is None else ranked.lengths >= depth
    full[ranked.topic[nil_rows]] = False
    left_alone = int(full.sum())
    return NilReport(by_nil, len(after) - by_nil - left_alone, left_alone, ranked.lengths, after)
