"""Experiments on truncation and list lengths, on any runs (Amigó, Mizzaro & Spina 2022; Liu et al. 2016).

Every function takes measures, qrels and runs as `ir_trunc.compare` does, in this order, and how runs are
read (order, duplicates, stop, lower_is_better, columns, nil); it shows a progress bar where it takes
long, and returns a DataFrame. The measures of the paper's figures and tables are `CUTS`, `TRUNCATED`,
`PAPER_2022`, `FULL` and `EXAMPLE`. 'Best cut' is the depth at which a list scores best by a measure; of
several the lowest. `collections` finds the collections in a folder, and `over_collections` runs an experiment
on each and takes the mean.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, shown
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import file_name, flag, instance, mapping, text, whole
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.doors import rank, read_qrels_of_runs, read_run
from ir_trunc._ranking.likes import QrelsLike, RunLike
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.rank import say
from ir_trunc._ranking.ranked import RankedRows
from ir_trunc._read.arrow import occurs, pa, pc, strings
from ir_trunc._read.readers.topics import read_topics
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike, written
from ir_trunc.scoring.results import Result, as_table, axes
from ir_trunc.scoring.runs import RunsLike, each_run

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


@keywords_of(Evaluator)
def best_cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """Where each list should have ended, and what that would have been worth.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
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
    ready, tables = of_gains(Evaluator(measures, qrels, **options)), []
    for name, run in each_run(runs, "cutting"):
        for measure, curve in ready.curves(run).items():
            (depth, best), own = curve.best(), curve.own()
            names = {"system": name, "query_id": curve.topics, "measure": written(measure)}
            as_it_is = {"length": np.diff(curve.offsets) - 1, "score": own}
            at_best = {"best_length": depth, "best_score": best, "regret": best - own}
            tables.append(pd.DataFrame(names | as_it_is | at_best))
    if not tables:
        raise InputError("There is no run: at least one is needed.")
    return as_table(pd.concat(tables, ignore_index=True))


def of_gains(ready: Evaluator) -> Evaluator:
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
        Measures that score each list by itself.
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
    ready = of_gains(Evaluator(measures, qrels, **options))
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
    return as_table(table, index=pd.Index([bin_name(place) for place in bins], name="best_cut"))


def bin_of(length: npt.ArrayLike) -> Ints:
    """The bin of a length, in bins that double: 0 for 0, 1 for 1 to 4, and i for 2^i + 1 to 2^(i+1)."""
    lengths = np.asarray(length, dtype=np.float64)
    places: Ints = np.maximum(1, np.ceil(np.log2(np.maximum(lengths, 1))) - 1).astype(np.int64)
    return np.where(lengths == 0, 0, places)


def bin_name(place: int) -> str:
    """The lengths in a bin: '0', '1-4', '5-8', '9-16', ..."""
    return "0" if place == 0 else f"{1 if place == 1 else 2**place + 1}-{2 ** (place + 1)}"


MEAN = "mean"

_FORM = "a file with 'qrels' in its name and a folder 'runs' in one folder"


def collections(folder: str | os.PathLike[str]) -> dict[str, tuple[Path, Path]]:
    """The collections in a folder, whatever it is called.

    A collection is a folder that holds one file with 'qrels' in its name, and a folder `runs`. The folder
    given is one, or holds some; other folders in it are left alone.

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
        Where there is no such folder or no collection in it, or where two files could be the qrels.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ir_trunc.truncation import study
    >>> with TemporaryDirectory() as data:
    ...     (Path(data) / "mine" / "runs").mkdir(parents=True)
    ...     _ = (Path(data) / "mine" / "qrels.txt").write_text("1 0 a 1")
    ...     found = study.collections(data)
    >>> list(found)
    ['mine']
    """
    top = Path(file_name("folder", folder))
    if not top.is_dir():
        raise InputError(f"There is no folder {top}.")
    places = [top, *sorted(path for path in top.iterdir() if path.is_dir())]
    found = {}
    for place in places:
        if (place / "runs").is_dir() and (qrels := _qrels_in(place)):
            if len(qrels) > 1:
                raise InputError(
                    f"{place} holds {len(qrels)} files that may be the qrels, {' and '.join(qrels)}: one is"
                    " needed."
                )
            found[os.path.basename(os.path.abspath(place))] = (place / qrels[0], place / "runs")
    if not found:
        raise InputError(f"{top} holds no collection: {_FORM} are one.")
    return found


def _qrels_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file() and "qrels" in path.name.lower())


@keywords_of(Evaluator)
def over_collections(
    experiment: Callable[..., pd.DataFrame],
    collections: Mapping[str, tuple[Any, Any]],
    *measures: Any,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """One experiment on several collections, and the mean of their tables.

    Parameters
    ----------
    experiment : function
        `study.agreement`, `study.cuts`, `study.lengths`, or any function of measures, qrels and runs that
        returns a table of numbers whose rows have names.
    collections : {name: (qrels, runs)}
        As `study.collections` finds them.
    *measures
        What the experiment takes before qrels and runs.
    topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`, where the experiment takes them.

    Returns
    -------
    pandas.DataFrame
        The rows of the mean, then those of every collection: the first level of the rows is 'mean' or the
        collection's name. Every collection counts alike. A row that a collection lacks counts as 0 in the
        mean, as a length does that no list has.

    Raises
    ------
    InputError
        Where there is no collection, one is called 'mean', or the tables have no mean.
    ParameterTypeError
        Where a collection is not a pair.

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
        if text("collection", name) == MEAN:
            raise InputError(f"A collection cannot be called {MEAN!r}: that is the name of the mean of all.")
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterTypeError(f"collection {name!r} is {shown(pair)}: a pair (qrels, runs) is needed.")
        tables[name] = _of_numbers(experiment(*measures, *pair, **options))
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
        pd.concat([mean, *tables.values()], keys=[MEAN, *tables], names=["collection", rows.name])
    )


def _of_numbers(table: Any) -> pd.DataFrame:
    found = instance("what the experiment returns", table, pd.DataFrame, "a table")
    named = found.index.name is not None and found.index.is_unique
    if not named or not all(pd.api.types.is_numeric_dtype(kind) for kind in found.dtypes):
        raise InputError("The experiment's table has no mean: numbers in rows with names are needed.")
    return found


@dataclass(frozen=True, eq=False, repr=False)
class NilReport(Result):
    """What the NIL rule makes of a run: which lists its system ended, and how long they are before and after.

    Parameters
    ----------
    ended_by_nil, short, left_alone : int
        Numbers of lists: the three rows of Liu et al.'s Table 2.
    before, after : array of int64
        Lengths by topic (Q).
    """

    shapes = axes(before="lists", after="lists")

    ended_by_nil: int
    short: int
    left_alone: int
    before: Ints
    after: Ints

    def to_pandas(self) -> pd.DataFrame:
        """Lists of each length, before and after: columns before, after; index length."""
        longest = int(max(self.before.max(initial=0), self.after.max(initial=0)))
        columns = {"before": self.before, "after": self.after}
        counts = {name: np.bincount(column, minlength=longest + 1) for name, column in columns.items()}
        return pd.DataFrame(counts).rename_axis("length")

    @property
    def heading(self) -> str:
        """How the lists end."""
        total = self.ended_by_nil + self.short + self.left_alone
        return (
            f"{total} lists: {self.ended_by_nil} ended by NIL, {self.short} short and so ended by the system,"
            f" {self.left_alone} at the imposed depth and left alone"
        )

    def __repr__(self) -> str:
        return fitted(self.heading)


@keywords_of(Reading)
def nil_report(
    run: RunLike,
    topics: Any = None,
    *,
    depth: int | None = None,
    nil: NilRule | Convention = "ends",
    **reading: Unpack[HowRead],
) -> NilReport:
    """What ending lists at NIL changes in a run.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`.
    topics : optional
        The query universe, in any form that `read_topics` takes; by default the run's own topics.
    depth : int, optional
        The length that the evaluation imposed: a list of that length without NIL is left alone, a shorter one
        was ended by its system. Without a depth every list was.
    nil : str or NilRule
        A convention, of which only 'ends' ends lists, or a rule: `NilRule(id="none")` for another id.
    order, duplicates, stop, lower_is_better, columns
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
    >>> ir_trunc.nil_report({"1": {"a": 3, "NIL": 2, "b": 1}, "2": {"x": 1}})
    2 lists: 1 ended by NIL, 1 short and so ended by the system, 0 at the imposed
      depth and left alone
    """
    rows = read_run(run, **reading)
    rule = nil_rule(nil)
    names = pc.unique(rows.topics).cast(pa.string()) if topics is None else strings(read_topics(topics))
    ranked = RankedRows.of(rows, names)
    say(ranked.notes, rows.source, rule.id, rows.reading)
    ends = rule.convention == "ends"
    at = np.flatnonzero(occurs(ranked.rows.docs, rule.id) & ends)
    after = rule.lengths(ranked, at)
    by_nil = len(at)
    full = np.zeros(len(after), dtype=bool) if depth is None else ranked.lengths >= whole("depth", depth, 1)
    full[ranked.topic[at]] = False
    left = int(full.sum())
    return NilReport(by_nil, len(after) - by_nil - left, left, ranked.lengths, after)
