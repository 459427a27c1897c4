"""The functions that score runs: names and order of arguments are those of ir-measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import ir_measures

from ir_trunc._core.curve import Curve
from ir_trunc._core.keywords import keywords_of
from ir_trunc._ranking.likes import QrelsLike, RunLike
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._read.reading import Duplicates, Order, Unpack
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike
from ir_trunc.scoring.results import Aggregated, ByMeasure, Results


def calc(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    topics: Any = None,
    nil: NilRule | Convention | None = None,
    order: Order = "score",
    duplicates: Duplicates = "error",
    stop: str | None = None,
    lower_is_better: bool = False,
    columns: Mapping[str, Any] | None = None,
    keep_scores: bool = False,
) -> Results:
    """Scores of a run by topic and on average.

    Every topic of the qrels is scored; one that the run lacks is an empty list.

    Parameters
    ----------
    measures : MeasureLike
        Texts (`"RBPT(p=0.5)"`; blanks separate several in one text), measure objects, or a list of both.
        Measures that ir_trunc does not compute itself are asked of ir-measures.
    qrels : QrelsLike or None
        A path, plain or gzipped; `{topic: {document: grade}}`; named tuples; a pandas, polars or pyarrow
        frame with the columns query_id, doc_id and relevance; an ir_datasets data set or its id;
        `read_answers(...)` for questions. None where the run comes as `Rankings`, which hold their judgments.
    run : RunLike
        A path, plain or gzipped; `{topic: {document: score}}`, or `{topic: [document, ...]}` by rank; named
        tuples; a frame with the columns query_id, doc_id and score (and cost, where documents differ in it);
        an ir_datasets data set that has a run; or `Rankings`.
    topics : optional
        More topics of the query universe, in any form that `read_topics` takes.
    nil : {'document', 'ends', 'trec2001', 'sakai'} or NilRule, optional
        What a NIL document in a run means: like any other by default, for `read_answers` the end of its list.
    order : {'score', 'score64', 'rank', 'file'}
        What decides the order of a list, see `Reading`.
    duplicates : {'error', 'first', 'best'}
        What a document is that is in a list twice: an error, or only its first row or its best counts.
    stop : str, optional
        The mark in the second column of a run before which a list ends, 'NS' for example.
    lower_is_better : bool
        Whether scores are distances.
    columns : dict, optional
        What the columns of a table, or the names of records, are called: `{"doc_id": "chunk"}`, our field and
        then their column. Each must be found in the run or in the qrels; fields that are not named have the
        usual names.
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
    >>> aggregated["RBPT"]
    0.84
    """
    ready = Evaluator(
        measures, qrels, topics=topics, nil=nil,
        order=order, duplicates=duplicates, stop=stop, lower_is_better=lower_is_better,
        columns=columns,
    )  # fmt: skip
    return ready.calc(run, keep_scores=keep_scores)


@keywords_of(Evaluator)
def calc_aggregate(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[Options]
) -> Aggregated:
    """Mean scores of a run.

    Parameters
    ----------
    measures, qrels, run, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.

    Returns
    -------
    Aggregated
        A dict from measure to value, which takes the texts of measures, too.

    Raises
    ------
    InputError, ParameterError, UnknownMeasureError
        As `calc` does.

    Examples
    --------
    >>> calc_aggregate("RBPT nDCG@10", {"q": {"a": 1}}, {"q": ["a", "b"]})
    {RBPT: 0.84, nDCG@10: 1.0}
    """
    return Evaluator(measures, qrels, **options).calc_aggregate(run)


@keywords_of(Evaluator)
def iter_calc(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[Options]
) -> Iterator[ir_measures.Metric]:
    """Scores of a run by topic, one at a time.

    Parameters
    ----------
    measures, qrels, run, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.

    Returns
    -------
    iterator of ir_measures.Metric
        query_id, measure and value, for each measure and topic.

    Raises
    ------
    InputError, ParameterError, UnknownMeasureError
        As `calc` does.

    Examples
    --------
    >>> for metric in iter_calc("RBPT", {"q": {"a": 1}, "r": {}}, {"q": ["a"]}):
    ...     print(metric.query_id, metric.value)
    q 1.0
    r 1.0
    """
    return Evaluator(measures, qrels, **options).iter_calc(run)


@keywords_of(Evaluator)
def curves(
    measures: MeasureLike, qrels: QrelsLike | None, run: RunLike, **options: Unpack[Options]
) -> ByMeasure[Curve]:
    """The score at every depth of every list.

    Parameters
    ----------
    measures, qrels, run, topics, nil, order, duplicates, stop, lower_is_better, columns
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


@keywords_of(Evaluator)
def evaluator(measures: MeasureLike, qrels: QrelsLike | None, **options: Unpack[Options]) -> Evaluator:
    """Measures and qrels made ready once, for several runs.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`.

    Returns
    -------
    Evaluator
        Its `calc(run)`, `calc_aggregate(run)`, `iter_calc(run)` and `curves(run)` score one run each.

    Raises
    ------
    InputError, ParameterError, UnknownMeasureError
        As `calc` does.

    Examples
    --------
    >>> ready = evaluator("RBPT", {"q": {"a": 1}})
    >>> [ready.calc_aggregate({"q": docs})["RBPT"] for docs in (["a"], ["a", "b"], [])]
    [1.0, 0.84, 0.0]
    """
    return Evaluator(measures, qrels, **options)
