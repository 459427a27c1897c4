"""From runs to their score matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._read.reading import Unpack
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.definition import RunScores
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike, bind, written
from ir_trunc.scoring.runs import RunsLike, by_name, score_each


@keywords_of(Evaluator)
def score_matrix(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> ScoreMatrix:
    """The scores of many runs, by topic.

    A progress bar shows on a terminal where it takes long.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.

    Returns
    -------
    ScoreMatrix
        Measures, systems and topics with their scores: what most of `ir_trunc.meta` starts from.

    Raises
    ------
    InputError
        Where there is no run, or qrels or a run cannot be read as such.
    ParameterError, UnknownMeasureError
        As `ir_trunc.calc` does.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> runs = {"short": {"q": ["a"]}, "long": {"q": ["a", "b", "c"]}}
    >>> meta.score_matrix("RBPT P@1", {"q": {"a": 1}}, runs).to_pandas().round(3)
                      RBPT  P@1
    system query_id
    short  q         1.000  1.0
    long   q         0.712  1.0
    """
    scored = dict(score_each(Evaluator(measures, qrels, **options), named_runs(runs)))
    results = list(scored.values())
    first = results[0]
    values = np.stack([result.values for result in results], axis=1)
    names = tuple(map(written, first.measures))
    whole = run_scores(dict(zip(names, map(bind, first.measures))), [result.rankings for result in results])
    return ScoreMatrix(names, tuple(scored), first.topics, values, whole)


def run_scores(
    measures: Mapping[str, BoundMeasure | None], rankings: Sequence[Rankings]
) -> dict[str, tuple[RunScores, ...]]:
    """The lists of all systems under those measures that look at whole runs, by name."""
    looking = {name: bound for name, bound in measures.items() if bound and bound.definition.scope == "run"}
    return {name: tuple(RunScores(bound, lists) for lists in rankings) for name, bound in looking.items()}


def named_runs(runs: RunsLike) -> dict[str, Any]:
    """Runs by name, from a folder, from paths or from a mapping."""
    named = by_name(runs)
    if not named:
        raise InputError(f"There is no run in {shown(runs)}: at least one is needed.")
    return named
