"""The functions that score runs, and the evaluator that holds measures and qrels for several runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Unpack, get_args

import ir_measures
import numpy as np

from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError, counted, option, warn
from ir_trunc._core.lazy import ties as expected
from ir_trunc._core.parameters import flag, one_of, whole
from ir_trunc._core.rankings import Floats, Judgments, Rankings
from ir_trunc._core.universe import Universe
from ir_trunc._ranking import runs
from ir_trunc._ranking.qrels import Labels, Qrels, QrelsLike, Unjudged, ready_qrels
from ir_trunc._ranking.ranked_rows import Convention, NilRule
from ir_trunc._ranking.runs import Documents, Missing, Options as Options, RunLike, qrels_options, source_of
from ir_trunc._read.reading import DEFAULT, Duplicates, KeysLike, Option, Order, Reading, Searches, takes
from ir_trunc._read.rows import PLACEHOLDER, Rows
from ir_trunc._scoring.objects import MeasureLike, read_measures, refuses_ends
from ir_trunc._scoring.results import Aggregated, ByMeasure, Results
from ir_trunc.measures import BoundMeasure, curves as curves_of, scores
from ir_trunc.measures.definition import CUTOFF

__all__ = ["Evaluator", "calc", "calc_aggregate", "curves", "evaluator", "iter_calc"]

_HIGHEST_GRADE = 10**6  # of other providers
_OF_QRELS = ("NumQ", "NumRel")  # they count topics that the run lacks, as trec_eval -c does
_SHORTEST = 10  # a shorter limit that only some lists have is more likely the system's own
_SHARE = 0.5  # of the lists
_SHORTEST_OF_ALL, _SEVERAL = 3, 10  # a limit that all lists have, and how many these must be
IMPOSED = "probably a limit set by the evaluation"
_NAMED = 3  # runs that a warning names for each depth

ByFormula = dict[ir_measures.Measure, BoundMeasure | None]

Ties = Literal["id", "expected"]


# fmt: off
class ScoringOptions(Options, total=False):
    """How each run is read and scored: the last rows of the table."""

    ties: Annotated[Ties, Option("id", "",
        "Documents with the same score: by id (the default), or the expected score over all of their "
        "orders.")]
    depth: Annotated[int | None, Option(None, "COUNT",
        "One depth for all measures: @COUNT, or the lists cut there for measures without a cutoff.")]
# fmt: on


@takes(ScoringOptions, written=True)
class Evaluator:
    """Measures and qrels made ready once, for any number of runs.

    Parameters
    ----------
    measures, qrels, **options
        As for `ir_trunc.calc`, and so are the errors.

    Examples
    --------
    >>> ready = Evaluator("RBPT", {"q": {"a": 1}})
    >>> ready.calc({"q": ["a"]}).aggregated
    {RBPT: 1.0}
    """

    def __init__(self, measures: MeasureLike, qrels: QrelsLike | None, **options: Unpack[ScoringOptions]):
        how: Any = options
        topics, self.missing, unjudged, nil = qrels_options(how)
        ties, depth = how.pop("ties", "id"), how.pop("depth", None)
        by_id = isinstance(ties, str) and ties == "id"
        self.over_ties = not by_id and one_of("ties", ties, get_args(Ties)) == "expected"
        self.reading = Reading.of(**how) if how else DEFAULT
        if self.over_ties:
            self.reading = replace(self.reading, over_ties=True)
        self.alike = False  # whether all runs need the same topics
        self.by_measure, self.depth = read_measures(measures), None
        if depth is not None:
            self.by_measure, self.depth = _at_depth(self.by_measure, whole("depth", depth, 1))
        self.measures = tuple(self.by_measure)
        # Ends of lists may be documents for the measures of ir-measures, which see no ends.
        self.takes_ends = not any(map(refuses_ends, self.measures))
        self.bound = [bound for bound in self.by_measure.values() if bound]
        self.reads_lists = any(bound.reads for bound in self.bound)
        # Measures that other tools compute, by their places.
        self.others = {at: of for at, (of, bound) in enumerate(self.by_measure.items()) if bound is None}
        for measure in self.others.values():
            if not ir_measures.DefaultPipeline.supports(measure):
                known = f"{measure} is known to ir-measures, but no tool that is installed computes it"
                raise UnknownMeasureError(f"{known}{_install(measure)}.")
        if self.over_ties:
            expected.check_ties(self.measures, self.reading, self.depth)
        self.qrels: Qrels | None = None
        self.labels: Any = None  # of several kinds: what scores a run by all of them
        self.of_qrels = topics, unjudged, nil
        if isinstance(qrels, Labels):
            self.labels, qrels = qrels.scorer(self), qrels.mixed
        if qrels is not None:
            self.take(qrels)
        for bound in self.bound if self.reading.keys and self.reading.of_questions else ():
            if bound.definition.scope == "run" and bound.definition.of_means is None:
                why = f"{bound.definition.name} looks at all lists of a run and has no nested means"
                raise ParameterError(f"{why}: score it without keys.")

    def take(self, qrels: QrelsLike) -> None:
        """Read the qrels, which may have keys and columns of the runs."""
        topics, unjudged, nil = self.of_qrels
        self.qrels, self.reading = ready_qrels(qrels, self.reading, topics, nil, unjudged)
        warn_about_scale(self.bound, self.qrels.judgments)

    def __repr__(self) -> str:
        topics = "qrels in the runs" if self.qrels is None else counted(len(self.qrels.topic_ids), "topic")
        return f"Evaluator({', '.join(map(str, self.measures))}; {topics})"

    def calc(self, run: RunLike, *, keep_scores: bool = False) -> Results:
        """Scores of one run: by topic and on average. keep_scores: as for `ir_trunc.calc`."""
        if self.labels is not None:
            return self.labels(self, run, keep_scores)
        keep, source = flag("keep_scores", keep_scores), source_of(run)
        rankings = self._open(run, source, keep or (self.over_ties and not isinstance(run, Rankings)))
        documents = None if self.qrels is None else Documents(self.qrels, run, self.reading)
        if not isinstance(run, Rankings) and (self.reads_lists or rankings.costs is not None):
            warn_about_lists(self.by_measure, source, rankings, *self.chosen_depths(run))
        if self.over_ties:
            ties = expected.score_ties(self.measures, rankings, source)
            return replace(ties.expected, ties=ties, documents=documents)
        values = scores(self.bound, rankings)
        if self.others:
            for place, values_of_other in zip(self.others, self._ask_others(run, rankings)):
                values.insert(place, values_of_other)
        return Results(self.measures, rankings, np.array(values), documents=documents)

    def calc_aggregate(self, run: RunLike) -> Aggregated:
        """Mean scores of one run."""
        return self.calc(run).aggregated

    def iter_calc(self, run: RunLike) -> Iterator[ir_measures.Metric]:
        """Yield a Metric for each measure and topic."""
        return self.calc(run).metrics()

    def curves(self, run: RunLike) -> ByMeasure[Curve]:
        """The score at every depth of every list, for each measure."""
        for measure in self.others.values():
            raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: it has no curve.")
        if self.over_ties:
            ties = option("ties", "expected")
            raise ParameterError(f"{ties}: a curve belongs to one order of the list; leave ties out.")
        return ByMeasure(zip(self.measures, curves_of(self.bound, self._open(run, source_of(run)))))

    def chosen_depths(self, run: Any) -> tuple[int | None, ...]:
        """The length at which this cuts lists, and that at which a policy cut those of the run."""
        return self.depth, run.cut_at if isinstance(run, Rows) else None

    def _open(self, run: Any, source: str, keep_scores: bool = False) -> Rankings:
        """The lists of a run."""
        if self.qrels is not None and not isinstance(run, Rankings):
            rankings = runs.rank_run(self.qrels, run, self.reading, keep_scores, takes_ends=self.takes_ends)
            lists = runs.with_missing(rankings, self.missing, source, self.alike)
        else:
            lists = runs.as_ranked(run, self.reading, self.missing, self.of_qrels, self.takes_ends)
            if keep_scores and lists.scores is None:
                raise InputError("keep_scores=True: these Rankings have no scores that could be kept.")
        if self.depth is None:
            return lists
        universe = replace(lists.universe or Universe(), depth=self.depth)
        return lists.cut(self.depth).with_fields(universe=universe)

    @property
    def cut_note(self) -> str:
        """For which measures lists are cut at the depth; "" for none."""
        names = ", ".join(str(measure) for measure in self.by_measure if measure.params.get(CUTOFF) is None)
        return "" if self.depth is None else f"Lists are cut at {self.depth} documents for {names}."

    def _ask_others(self, run: Any, rankings: Rankings) -> list[Floats]:
        """Scores of the measures that only other providers of ir-measures know (Q each)."""
        asked = f"{next(iter(self.others.values()))} is asked of ir-measures"
        if self.qrels is None or isinstance(run, Rankings):
            raise InputError(f"{asked}, which needs document ids: Rankings have none.")
        if (highest := rankings.judgments.max_rel) > _HIGHEST_GRADE:
            why = f"whose tools take memory for each grade up to the highest, {highest}"
            raise InputError(f"{asked}, {why}: grades up to {_HIGHEST_GRADE:,} are possible.")
        qrels, run = rankings.to_dicts()
        all_run = {topic: run.get(topic) or {PLACEHOLDER: 0.0} for topic in rankings.topics}
        scores_of_others = []
        # One at a time: beside a judged_only measure, ir_measures 0.4.3 may let NumRet count judged documents
        # only.
        for measure in self.others.values():
            lists = all_run if measure.NAME in _OF_QRELS else run
            try:
                metrics = ir_measures.iter_calc([measure], qrels, lists)
                by_topic = {metric.query_id: metric.value for metric in metrics}
            except Exception as why:  # of many types
                raise InputError(f"{measure}: the tool that ir-measures asks for it fails ({why}).") from why
            values = [by_topic.get(topic, measure.DEFAULT) for topic in rankings.topics]
            scores_of_others.append(np.array(values, dtype=np.float64))
        return scores_of_others


def _install(measure: ir_measures.Measure) -> str:
    """What would compute a measure that no installed tool computes, for a message."""
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure) and (how := provider.install_instructions()):
            by_subtopic = ", with judgments by subtopic" if provider.NAME == "pyndeval" else ""
            return f"; {how} is what ir_measures.calc needs{by_subtopic}"
    return ""


def _at_depth(measures: ByFormula, depth: int) -> tuple[ByFormula, int | None]:
    """The measures at a depth, and the depth at which lists are cut for those that take no cutoff, if any."""
    found, cut_at = ByFormula(), None
    for measure, bound in measures.items():
        if CUTOFF in (measure.SUPPORTED_PARAMS if bound is None else bound.definition.params):
            found |= read_measures(measure @ min(depth, measure.params.get(CUTOFF, depth)))
        else:
            found[measure], cut_at = bound, depth
    return found, cut_at


def warn_about_scale(measures: Iterable[BoundMeasure], judgments: Judgments) -> None:
    """Warn where measures depend on the top of a scale that the qrels may not show: its grades have gaps."""
    if not judgments.scale_is_open:
        return
    if measure := next((measure for measure in measures if measure.infers_scale), None):
        top, grades = judgments.max_rel, ", ".join(map(str, judgments.levels[-4:]))
        assumed = f"the judgement scale is assumed to end at {top}, the highest grade in the qrels ({grades})"
        remedy = f"max_rel={top}, or the top that no document has"
        if "max_rel" not in measure.params:
            remedy = "rel=, for gains of 0 and 1"
        warn(f"{assumed}; {measure.definition.name} depends on it. Write {remedy}.")


def warn_about_lists(measures: ByFormula, source: str, rankings: Rankings, *chosen: int | None) -> None:
    """Warn where measures take more from the lists of a run than these say. chosen: see `imposed_depth`."""
    bound = [formula for formula in measures.values() if formula]
    for name in [formula.definition.name for formula in bound if "confidence" in formula.reads][:1]:
        warn_about_confidence(name, source, rankings)
    if rankings.costs is not None:
        warn_about_costs(bound, source, rankings.costs)
    if ends_at := imposed_depth(rankings, *chosen):
        warn_about_ends(measures, {source: ends_at})


def imposed_depth(rankings: Rankings, *chosen: int | None) -> int | None:
    """The length at which many lists end, so that it was probably not each list's own; None for no such.

    chosen: lengths at which the user or a policy ended lists, which are no such.
    """
    lengths = rankings.lengths if rankings.withheld is None else rankings.lengths + rankings.withheld
    depth = int(lengths.max(initial=0))
    if depth < _SHORTEST_OF_ALL or depth in chosen:
        return None
    filled, full = np.count_nonzero(lengths), np.count_nonzero(lengths == depth)
    # The five passages of a pipeline are the same limit; a few short lists may be equal by chance.
    every, many = full == filled >= _SEVERAL, full >= _SHARE * filled and filled > 1
    return depth if every or (depth >= _SHORTEST and many) else None


def warn_about_ends(measures: ByFormula, depths: Mapping[str, int | None]) -> None:
    """Warn of measures that read the ends of lists, where runs (by their names) end at an imposed depth."""
    of_ends = {of: each for of, each in measures.items() if each and "end" in each.reads and not each.cutoff}
    imposed = {depth for depth in depths.values() if depth is not None}
    runs_of = {depth: [name for name, of in depths.items() if of == depth] for depth in sorted(imposed)}
    if not of_ends or not runs_of:
        return
    lowest = min(imposed)
    where = f"{runs_of[lowest][0]}: most lists end at {lowest} documents"
    if len(depths) > 1:
        some = {depth: [*of[:_NAMED], "..."] if len(of) > _NAMED else of for depth, of in runs_of.items()}
        limits = "; ".join(f"{depth}: {', '.join(names)}" for depth, names in some.items())
        affected = sum(map(len, runs_of.values()))
        where = f"most lists of {affected} of {len(depths)} runs end at one depth ({limits})"
    cut = [str(measure @ lowest) for measure, of in of_ends.items() if CUTOFF in of.definition.params]
    rest = ", ".join(str(each) for each, of in of_ends.items() if CUTOFF not in of.definition.params)
    remedies = [f"if it is a limit, use {', '.join(cut)}"] if cut else []
    if rest:
        remedies += [f"for {rest}, end the lists where the system or its reader stopped (ir_trunc truncate)"]
    names = ", ".join(map(str, of_ends))
    treat = "treats" if len(of_ends) == 1 else "treat"
    warn(f"{where}, {IMPOSED}. {names} {treat} it as a decision of the system; {'; '.join(remedies)}.")


def warn_about_confidence(name: str, source: str, rankings: Rankings) -> None:
    """Warn of confidences that tell no answer from another; InputError where there are none to read.

    name: that of a measure that reads them.
    """
    if rankings.first_scores is None:
        needed = "measures of confidence need the scores of the documents, and these have none"
        which = "as read_predictions(predictions, no_answer=...) makes it of SQuAD's files"
        what = f"{source}: {name} reads how sure the system is of its answers: {needed}"
        raise InputError(f"{what}. A run {{question: {{answer: score}}}} has them, {which}.")
    first = rankings.first_scores[rankings.lengths > 0]
    if len(first) > 1 and (first == first[0]).all():
        equal = f"the first documents of all {len(first)} lists have the same score, {first[0]:g}"
        warn(f"{source}: {equal}, which {name} takes for confidence: it tells no answer from another.")


# The unit in which measures with a parameter take costs.
_COSTS_IN = {
    "e": "units of gain, where a relevant document is worth at most 1: divide tokens by what a relevant"
    " document may cost",
    "cost": "units of its own parameters: by default 1 for a document, or seconds, characters or tokens",
}


def warn_about_costs(measures: Sequence[BoundMeasure], source: str, costs: Floats) -> None:
    """Warn of costs that are hardly in the unit of the measures that read them."""
    mean = float(costs.sum() / max(1, len(costs)))
    for param, is_odd in (("e", mean > 1), ("cost", 0 < mean < 1)):
        names = [measure.definition.name for measure in measures if param in measure.definition.params]
        if names and is_odd:
            cost = f"{source}: documents cost {mean:.4g} on average"
            warn(f"{cost}, and {', '.join(names)} takes costs in {_COSTS_IN[param]}.")


def calc(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    topics: Any = None,
    missing: Missing | None = None,
    unjudged: Unjudged | None = None,
    nil: NilRule | Convention | None = None,
    order: Order = "score",
    duplicates: Duplicates = "error",
    stop: str | None = None,
    lower_is_better: bool = False,
    columns: Mapping[str, Any] | None = None,
    keys: KeysLike | None = None,
    searches: Searches | None = None,
    withheld: Any = None,
    ties: Ties = "id",
    depth: int | None = None,
    keep_scores: bool = False,
) -> Results:
    """Scores of a run by topic and on average.

    Every topic of the qrels is scored. `missing` decides about topics that are not in the run.

    Parameters
    ----------
    measures : MeasureLike
        Texts (`"RBPT(p=0.5)"`; blanks separate several in one text), measure objects, or a list of both.
        ir-measures computes those that ir_trunc does not have.
    qrels : QrelsLike or None
        A path, plain or gzipped; `{topic: {document: grade}}`; named tuples; a pandas, polars or pyarrow
        frame with the columns query_id, doc_id and relevance; an ir_datasets data set or its id;
        `read_answers(...)` for questions; `Judged` for labels by a model and by people. None where the run
        comes as `Rankings`, which hold their judgments.
    run : RunLike
        A path, plain or gzipped; `{topic: {document: score}}`, or `{topic: [document, ...]}` by rank; named
        tuples; a frame with the columns query_id, doc_id and score (and cost, where documents differ in it);
        an ir_datasets data set that has a run; or `Rankings`.
    topics : optional
        More topics to score, in any form that `read_topics` takes. Those without judgments are nil queries.
    missing : {'empty', 'exclude', 'error'}, optional
        What a topic of the qrels without rows in the run is: an empty list, left out, or an error. By default
        it is an empty list, and a warning counts such topics. A topic with an empty list in the run, as `{}`
        or a placeholder row, is not missing.
    unjudged : {'exclude', 'nil'}, optional
        Topics of a data set that have no judgment: they are not scored, or are nil queries, for which the
        empty list is right. By default they are not scored, and a warning counts them.
    nil : {'document', 'ends', 'trec2001', 'sakai'} or NilRule, optional
        What a NIL document in a run means: like any other by default, for `read_answers` the end of its list.
    order : {'score', 'score64', 'rank', 'file'}
        What decides the order of a list, see `Reading`.
    duplicates : {'error', 'first', 'best'}
        What happens to a document that is in a list twice: an error, or only its first or best row counts.
    stop : str, optional
        The mark in the second column of a run before which a list ends, 'NS' for example.
    lower_is_better : bool
        Whether scores are distances.
    columns : dict, optional
        What the columns of a table, or the names of records, are called: `{"doc_id": "chunk"}`, our field and
        then their column. Each must be found in the run or in the qrels; fields that are not named have the
        usual names.
    keys : tuple of str or str, optional
        The keys that identify a list together, outermost first: `("topic", "question", "day")` for columns of
        these names or tuples in the place of ids, `"topic/question/day"` for ids that have these parts. Dates
        are written as 2024-01-31, other times as 2024-01-31 03:00:00. Means are then nested: over days for
        each question, over questions for each topic, over topics.
    searches : {'union', 'last', 'sequence'}, optional
        The list of a question with several searches, which spans or an innermost key "search" tell apart: the
        union of the searches (the default), the last search, or the union with what `sDCG` and `nsDCG` need
        to know of the searches; see `Reading`. Judgments are of questions.
    withheld : dict, path or 'same id', optional
        Documents that leave lists and judgments before ranks are given: `{topic: ids}`, a file of judgments
        or of lines 'topic document', or 'same id' for the document that has the id of its topic. A warning
        counts them. A list that had k documents before they left fills the cutoff of `@k`.
    ties : {'id', 'expected'}
        What decides between documents of one list with the same score (as `order` compares scores): their
        ids, or nothing. With 'expected' a score is the mean over all orders of the ties, as in McSherry &
        Najork (ECIR 2008), and `results.ties` has the least and the greatest score, too. All are exact. A
        list keeps its documents and its end. The scores of a run are then held in memory.
    depth : int, optional
        One depth for all measures: those that take `@k` have it, with a smaller cutoff of their own kept, and
        the others (`SetF`) are of the lists cut there.
    keep_scores : bool
        Whether the `rankings` of the results hold the scores of all documents, as the policies of
        `ir_trunc.truncation` need them. Otherwise a run can be larger than memory.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        Where qrels or run cannot be read as such. It is a ValueError, as all errors of ir_trunc are.
    ParameterError
        Where a parameter of a measure or an option is not allowed.
    UnknownMeasureError
        Where there is no measure of this name, or no tool that computes it.

    Examples
    --------
    >>> results = calc("RBPT nDCG@10", {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    >>> results.to_pandas().round(3)
              RBPT  nDCG@10
    query_id
    q         0.84      1.0
    >>> aggregated, per_query = results
    >>> round(aggregated["RBPT"], 3)
    0.84
    """
    # Written out, as editors complete options that they can read.
    ready = Evaluator(
        measures, qrels, topics=topics, missing=missing, unjudged=unjudged, nil=nil,
        order=order, duplicates=duplicates, stop=stop, lower_is_better=lower_is_better,
        columns=columns, keys=keys, searches=searches, withheld=withheld, ties=ties, depth=depth,
    )  # fmt: skip
    return ready.calc(run, keep_scores=keep_scores)


@takes(ScoringOptions)
def calc_aggregate(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[ScoringOptions]
) -> Aggregated:
    """Mean scores of a run.

    Parameters
    ----------
    measures, qrels, run, **options
        As for `calc`, and so are the errors.

    Returns
    -------
    Aggregated
        A dict from measure to value, which takes the texts of measures, too.

    Examples
    --------
    >>> calc_aggregate("RBPT(p=0.5) nDCG@10", {"q": {"a": 1}}, {"q": ["a", "b"]})
    {RBPT(p=0.5): 0.75, nDCG@10: 1.0}
    """
    return Evaluator(measures, qrels, **options).calc_aggregate(run)


@takes(ScoringOptions)
def iter_calc(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[ScoringOptions]
) -> Iterator[ir_measures.Metric]:
    """Scores of a run by topic, one at a time.

    Parameters
    ----------
    measures, qrels, run, **options
        As for `calc`, and so are the errors.

    Returns
    -------
    iterator of ir_measures.Metric
        query_id, measure and value, for each measure and topic.

    Examples
    --------
    >>> for metric in iter_calc("RBPT", {"q": {"a": 1}, "r": {}}, {"q": ["a"]}):
    ...     print(metric.query_id, metric.value)
    q 1.0
    r 1.0
    """
    return Evaluator(measures, qrels, **options).iter_calc(run)


@takes(Options)
def curves(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[Options]
) -> ByMeasure[Curve]:
    """The score at every depth of every list.

    Parameters
    ----------
    measures, qrels, run, **options
        As for `calc`.

    Returns
    -------
    ByMeasure of Curve
        A dict from measure to curve, which takes the texts of measures, too.

    Raises
    ------
    InputError, ParameterError, UnknownMeasureError
        As `calc` does; UnknownMeasureError for a measure that only ir-measures computes, too.

    Examples
    --------
    >>> curve = curves("RBPT", {"q": {"a": 1}}, {"q": ["a", "b"]})["RBPT"]
    >>> [(topic, values.round(2).tolist()) for topic, values in curve.rows()]
    [('q', [0.0, 1.0, 0.84])]
    """
    return Evaluator(measures, qrels, **options).curves(run)


@takes(ScoringOptions)
def evaluator(measures: MeasureLike, qrels: QrelsLike | None, **options: Unpack[ScoringOptions]) -> Evaluator:
    """Measures and qrels made ready once, for several runs.

    Parameters
    ----------
    measures, qrels, **options
        As for `calc`, and so are the errors.

    Returns
    -------
    Evaluator
        Its `calc(run)`, `calc_aggregate(run)`, `iter_calc(run)` and `curves(run)` score one run each.

    Examples
    --------
    >>> ready = evaluator("SetF", {"q": {"a": 1, "b": 1}})
    >>> [ready.calc_aggregate({"q": docs})["SetF"] for docs in (["a", "b"], ["a", "c"], [])]
    [1.0, 0.5, 0.0]
    """
    return Evaluator(measures, qrels, **options)
