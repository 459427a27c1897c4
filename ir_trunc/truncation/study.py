"""Experiments on truncation and list lengths, on any runs (Amigó, Mizzaro & Spina 2022; Liu et al. 2016).

Every function takes measures, qrels and runs as `ir_trunc.compare` does, in this order, and the options of
reading (order, duplicates, stop, lower_is_better, columns, nil). It shows a progress bar if it takes long,
and returns a DataFrame. The measures of the paper's figures and tables are `CUTS`, `TRUNCATED`, `FULL` and
`EXAMPLE`. The best cut of a list is the depth at which it scores best by a measure; of several the
lowest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Unpack

import numpy as np
from ir_measures import Measure

from ir_trunc._core.curve import bin_name, bin_of
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Flag, Seed, Whole, checked
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc._core.universe import Universe
from ir_trunc._inference.estimate import Estimate
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.ranked_rows import Convention, NilRule, RankedRows, nil_rule
from ir_trunc._ranking.runs import RunLike, rank, read_once, read_run, source_of
from ir_trunc._read.arrow import occurs, pa, pc, strings
from ir_trunc._read.readers.topics import read_topics
from ir_trunc._read.reading import SEARCH, HowRead, takes
from ir_trunc._scoring.evaluator import Evaluator, Options
from ir_trunc._scoring.objects import MeasureLike, written
from ir_trunc._scoring.results import Results, Statement, as_table
from ir_trunc._scoring.runs import RunsLike, each_run
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.truncation._fitting import one_measure
from ir_trunc.truncation._validation import topic_folds

__all__ = [
    "CUTS", "EXAMPLE", "FULL", "TRUNCATED",
    "agreement", "best_cuts", "cuts", "example", "nil_report", "searches", "system_means",
]  # fmt: skip

# The measures of the figures and tables in Amigó, Mizzaro & Spina (2022).

EXAMPLE = "FlatU ERRU DCGU RBU RBU(p=0.9) RBU(p=0.98) RBPU RBPU(p=0.9) RBPU(p=0.98) RBPU(p=0.99)"
"""The measures of the paper's Figure 1."""

TRUNCATED = (
    "nDCGT(ideal='full',terminal='full') ERRT RBPT(p=0.8,tail=False,terminal='full')"
    " RBPT(p=0.9,tail=False,terminal='full') RBPT(p=0.98,tail=False,terminal='full')"
    " RBU(p=0.8) RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU(p=0.8) RBPU(p=0.9) RBPU(p=0.98) OIE"
)
"""The columns of the paper's Table 2, with the settings that give its figures of 1.00 on real runs.

Lists have one terminal document, worth 1 where all is found, and an ideal list that is never cut. Liu et al.
(2016) define the same measures with an end for all further ranks, and cut the ideal list.
"""

CUTS = f"FlatU SetF {TRUNCATED}"
"""The measures of the paper's Figure 2, with the same settings."""

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
    cuts = np.arange(irrelevant + relevant + 1)
    curves = Evaluator(measures, None).curves(rankings).items()
    # The curve of a measure with a cutoff ends there.
    scores = {written(each): curve.values[np.minimum(cuts, len(curve.values) - 1)] for each, curve in curves}
    table = as_table(scores).rename_axis("cut")
    return table / table.abs().max().replace(0, 1) if scaled else table


@takes(Options)
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
    qrels, **options
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

    columns, rows = _means(truncated, full, qrels, runs, options)
    if len(rows) < 2:
        raise InputError("1 run: an agreement on the order of systems needs two runs or more.")
    taus = {x: {y: kendalltau(columns[x], rows[y]).statistic for y in rows} for x in columns}
    return as_table(pd.DataFrame(taus).rename_axis("full", axis=0).rename_axis("truncated", axis=1))


@takes(Options)
def system_means(
    truncated: MeasureLike,
    full: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """The means of each system by full lists and by lists cut at their best: what `agreement` orders.

    `meta.agreement(dict(table.items()))` has their taus with p values, and pictures of two columns each
    (figure 3 of Amigó, Mizzaro & Spina 2022).

    Parameters
    ----------
    truncated : MeasureLike
        Measures by which every list is cut at its best, and which then score it.
    full : MeasureLike
        Measures of the full lists.
    qrels, **options
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        A row for each system; columns: the measures `full`, and 'RBPT, cut' for a measure of cut lists.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> runs = {"long": {"q": ["a", "b", "c"]}, "late": {"q": ["b", "a"]}}
    >>> study.system_means("SetF", "SetF RR", {"q": {"a": 1}}, runs).round(2)
            SetF   RR  SetF, cut
    system
    long    0.50  1.0       1.00
    late    0.67  0.5       0.67
    """
    cut, whole = _means(truncated, full, qrels, runs, options)
    return as_table(whole.join(cut.add_suffix(", cut")).rename_axis("system"))


def _means(
    truncated: MeasureLike, full: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, options: Options
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Systems by measures: means of lists cut at their best, and of full lists."""
    judged, rank_one = read_once(qrels, options)
    of_truncated, of_full = Evaluator(truncated, judged), Evaluator(full, judged)
    _refuse_losses(of_truncated)
    best_means, full_means = {}, {}
    for name, run in each_run(runs, "comparing"):
        rankings = rank_one(run)
        curves, means = of_truncated.curves(rankings), of_full.calc_aggregate(rankings)
        best = Results(tuple(curves), rankings, np.array([curve.best()[1] for curve in curves.values()]))
        best_means[name] = {written(measure): mean for measure, mean in best.aggregated.items()}
        full_means[name] = {written(measure): mean for measure, mean in means.items()}
    return pd.DataFrame(best_means).T, pd.DataFrame(full_means).T


@takes(Options)
def best_cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """The best cut of each list, and its score there.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
    qrels, **options
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
            columns: dict[str, Any] = {"system": name, "query_id": curve.topics, "measure": written(measure)}
            columns |= {"length": np.diff(curve.offsets) - 1, "score": scores}
            columns |= {"best_length": best_lengths, "best_score": best_scores}
            tables.append(pd.DataFrame(columns | {"regret": best_scores - scores}))
    return as_table(pd.concat(tables, ignore_index=True))


def _refuse_losses(evaluator: Evaluator) -> Evaluator:
    for measure in filter(lower_is_better, evaluator.measures):
        raise ParameterError(f"{measure} counts losses, lower is better: its curve has no best cut here.")
    return evaluator


@takes(Options)
def cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """The distribution of the best cuts of all lists of all runs.

    Parameters
    ----------
    measures, qrels, runs
        As for `best_cuts`.
    **options
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
    table = best_cuts(measures, qrels, runs, **options)
    bins = range(int(bin_of(table["length"].max())) + 1)
    shares = pd.crosstab(bin_of(table["best_length"]), table["measure"], normalize="columns")
    shares = shares.reindex(bins, columns=table["measure"].unique(), fill_value=0.0)
    shares = shares.set_axis(pd.Index([bin_name(number) for number in bins], name="best_cut"))
    return as_table(shares.rename_axis(columns=None))


@checked
@takes(Options)
def searches(
    measure: str | Measure,
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    folds: Annotated[int, Whole("parts of the questions", 2)] = 5,
    seed: Seed = 0,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """What each further search for a question adds to the union of its searches, and when to stop.

    The union after j searches is one list: the searches in their order, each document at its first place.
    A question with fewer searches keeps its last union.

    Parameters
    ----------
    measure : str or Measure
        A measure that scores each list by itself.
    qrels, topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, searches, withheld
        As for `ir_trunc.calc`; `searches` is 'sequence' here. Judgments are of questions.
    run : RunLike
        The list of each search: spans, or lists with keys. An empty search counts.
    keys : tuple of str or str
        The keys of a list, ("question", "search") by default; the innermost is called "search".
    folds, seed : int
        Of the cross-validation of the policy, which stops after the first search whose top score reaches a
        level: parts of the questions, and the seed of their random assignment.

    Returns
    -------
    pandas.DataFrame
        Rows 'after 1', 'after 2', ...; 'oracle', the best stop of each question by the judgments, of several
        the earliest; and 'top score', the policy. Columns: score, the mean over the questions; gain, the rise
        of the score over the row above, for the last two over all searches; low and high, the 95 % interval
        of the gain, and its two-sided p_value; searches, the mean number.

    Raises
    ------
    InputError
        Where no question has several searches, or nothing tells them apart.
    ParameterError
        For a measure of the whole run, and for more folds than questions.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> qrels = {"q": {"b": 1}, "r": {"a": 1}}
    >>> run = {"q/1": {"a": 0.2}, "q/2": {"b": 0.9}, "r/1": {"a": 0.8}, "r/2": {"c": 0.3}}
    >>> study.searches("RBPT", qrels, run, folds=2)["score"].round(2).tolist()
    [0.5, 0.82, 0.9, 0.82]
    """
    formula = one_measure(measure, "a search has no gain by it")
    reading: Any = {"keys": ("question", SEARCH), **options, "searches": "sequence"}
    rankings = rank(qrels, run, **reading)
    curve, universe = formula.curve(rankings), rankings.universe or Universe()
    shown, tops_of = universe.sequence or {}, universe.top_scores or {}
    numbers = np.array([len(shown.get(topic, ())) for topic in rankings.topics])
    most, topics = int(numbers.max(initial=0)), np.arange(len(numbers))
    if most < 2:
        raise InputError(f"{source_of(run)}: no question has several searches.")
    depths, tops = np.zeros((most, len(topics)), np.int64), np.full((most, len(topics)), np.inf)
    for place, topic in enumerate(rankings.topics):
        for search, ranks in enumerate(shown.get(topic, ())):
            depths[search:, place] = max([depths[search, place], *ranks])
            tops[search, place] = tops_of[topic][search]
    tops[-1] = np.inf  # every level is reached by the last search
    table = curve.values[curve.offsets[:-1] + np.minimum(depths, np.diff(curve.offsets) - 1)]
    policy = np.zeros(len(topics), np.int64)
    for part in topic_folds(len(topics), folds, seed):
        others = np.setdiff1d(topics, part)
        stops = [(tops >= level).argmax(axis=0) for level in np.unique(tops[:, others])]
        best = int(np.argmax([table[stop[others], others].mean() for stop in stops]))
        policy[part] = stops[best][part]
    places = [*np.arange(most)[:, None], table.argmax(axis=0), policy]
    scored = [Estimate(table[place, topics], formula.range) for place in places]
    gains = [scored[row] - scored[min(row, most) - 1] for row in range(1, len(scored))]
    columns = {"score": [each.mean for each in scored], "gain": [np.nan, *(gain.mean for gain in gains)]}
    columns |= dict(zip(("low", "high"), np.array([[np.nan] * 2, *(gain.interval() for gain in gains)]).T))
    columns["p_value"] = [np.nan, *(gain.p() for gain in gains)]
    columns["searches"] = [np.minimum(place + 1, numbers).mean() for place in places]
    names = [*(f"after {search + 1}" for search in range(most)), "oracle", "top score"]
    return as_table(columns, index=pd.Index(names, name="stop"))


@dataclass(frozen=True, eq=False, repr=False)
class NilReport(Statement):
    """Which lists of all runs their systems ended, and how long they are before and after the NIL rule.

    Attributes
    ----------
    ended_by_nil, short, left_alone : int
        Numbers of lists: the three rows of Liu et al.'s Table 2.
    before, after : array of int64
        Lengths of the lists, run after run.
    runs : int
        Number of runs.
    """

    ended_by_nil: int
    short: int
    left_alone: int
    before: Ints
    after: Ints
    runs: int

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
        lists = f"{total} lists of {self.runs} runs" if self.runs > 1 else f"{total} lists"
        ended = f"{self.ended_by_nil} ended by NIL, {self.short} short and so ended by the system"
        return f"{lists}: {ended}, {self.left_alone} at the imposed depth and left alone"


@checked
@takes(HowRead)
def nil_report(
    runs: RunsLike,
    topics: Any = None,
    *,
    depth: Annotated[int | None, Whole("length that the evaluation imposed")] = None,
    nil: NilRule | Convention = "ends",
    **reading: Unpack[HowRead],
) -> NilReport:
    """The lengths of lists before and after the document NIL is taken as the end of its list.

    Of several runs, all lists are counted together (figure 1 of Liu et al. 2016).

    Parameters
    ----------
    runs : RunsLike
        As for `ir_trunc.compare`.
    topics : optional
        The topics, in any form that `read_topics` takes; by default those of each run.
    depth : int, optional
        The length that the evaluation imposed: a list of that length without NIL is left alone, a shorter one
        was ended by its system. Without a depth, every list was ended by its system.
    nil : str or NilRule
        A convention, or a rule: `NilRule(id="none")` for another id. Only the convention 'ends' ends lists.
    **options
        How runs are read, as for `ir_trunc.calc`.

    Returns
    -------
    NilReport

    Raises
    ------
    InputError
        If a run cannot be read.

    Examples
    --------
    >>> import ir_trunc
    >>> run = {"1": {"a": 3, "NIL": 2, "b": 1}, "2": {"x": 1}}
    >>> ir_trunc.truncation.study.nil_report({"mine": run})
    2 lists: 1 ended by NIL, 1 short and so ended by the system, 0 at the imposed
      depth and left alone
    """
    rule, counts, lengths = nil_rule(nil), np.zeros(3, np.int64), []
    shared = None if topics is None else strings(read_topics(topics))
    for _, run in each_run(runs, "counting"):
        rows = read_run(run, **reading)
        names = pc.unique(rows.topics).cast(pa.string()) if shared is None else shared
        ranked = RankedRows.of(rows, names).without_ends()
        ranked.notes.warn(rows.source, rule.id, rows.reading)
        nil_rows = np.flatnonzero(occurs(ranked.rows.docs, rule.id) & (rule.convention == "ends"))
        full = np.zeros(len(names), dtype=bool) if depth is None else ranked.lengths >= depth
        full[ranked.topic[nil_rows]] = False
        counts += [len(nil_rows), len(names) - len(nil_rows) - full.sum(), full.sum()]
        lengths.append([ranked.lengths, rule.lengths(ranked, nil_rows)])
    (by_nil, short, left_alone), (before, after) = counts.tolist(), np.concatenate(lengths, axis=1)
    return NilReport(by_nil, short, left_alone, before, after, len(lengths))
