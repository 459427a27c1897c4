"""Qrels and runs, whatever form they come in, and the ranked lists of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.judged_docs import coded_qrels
from ir_trunc._ranking.likes import QrelsLike, RunLike
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.rank import rank_run
from ir_trunc._read.readers.topics import read_topics, say_unjudged
from ir_trunc._read.reading import DEFAULT, QRELS, RUN, Columns, Duplicates, HowRead, Order, Reading
from ir_trunc._read.registry import read_rows, recognised
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import possible_fields


def read_qrels(
    data: QrelsLike,
    topics: Any = None,
    *,
    nil: NilRule | Convention | None = None,
    columns: Mapping[str, Any] | None = None,
) -> Qrels:
    """Qrels ready for any number of runs.

    Parameters
    ----------
    data : QrelsLike
        In any form that `calc` takes. A data set of ir_datasets brings its topics and its judgement scale.
        Qrels that are ready already stay as they are, but for what is asked here.
    topics : optional
        More topics of the query universe, in any form that `read_topics` takes. A warning counts those that
        the qrels lack.
    nil : {'document', 'ends', 'trec2001', 'sakai'} or NilRule, optional
        What a NIL document in a run means: like any other by default.
    columns : dict, optional
        What the columns of a table are called, as `{"doc_id": "chunk", "relevance": "grade"}`.

    Returns
    -------
    Qrels

    Raises
    ------
    InputError
        Where the qrels or the topics cannot be read as such.
    ParameterError
        Where `nil` is neither a convention nor a rule.

    Examples
    --------
    >>> from ir_trunc import read_qrels
    >>> read_qrels({"q1": {"a": 1, "b": 0}}, topics=["q1"]).to_dict()
    {'q1': {'a': 1, 'b': 0}}
    """
    names = Columns.of(columns)
    rule = None if nil is None else nil_rule(nil)
    more = [] if topics is None else read_topics(topics)
    if isinstance(data, Qrels):
        if names.needed:
            raise InputError(f"columns={names}: these qrels were read before; name their columns there.")
        if topics is not None:
            say_unjudged(topics, more, data.judgments.topics, data.given.source)
        return data.changed(more, rule) if more or rule else data
    found = recognised(data, replace(QRELS, reading=Reading(columns=names)))
    rows = coded_qrels(found) or found.all_rows()
    # The topics of a data set belong to it: there is nothing to say of those without judgments.
    if topics is not None:
        say_unjudged(topics, more, {*rows.named_topics(), *rows.universe}, rows.source)
    return Qrels.of(rows, [*rows.universe, *more], levels=rows.levels, nil=rule)


def read_qrels_of_runs(
    data: Any, topics: Any = None, *, nil: NilRule | Convention | None = None, reading: HowRead
) -> tuple[Qrels, HowRead]:
    """Qrels whose columns are named together with those of runs, and how these runs are then read.

    Each column that was named must be found in the qrels or in the runs.
    """
    names = Columns.of(reading.get("columns"))
    if not names:
        return read_qrels(data, topics, nil=nil), {**reading, "columns": None}
    qrels = read_qrels(data, topics, nil=nil, columns=names.needing(names.needed - set(possible_fields(RUN))))
    used = frozenset() if isinstance(data, Qrels) else qrels.rows.named
    return qrels, {**reading, "columns": names.needing(names.needed - used)}


def read_run(
    data: RunLike,
    *,
    order: Order = "score",
    duplicates: Duplicates = "error",
    stop: str | None = None,
    lower_is_better: bool = False,
    columns: Mapping[str, Any] | None = None,
) -> Rows:
    """The rows of a run, as they are before they are ranked.

    Parameters
    ----------
    data : RunLike
        In any form that `calc` takes.
    order, duplicates, stop, lower_is_better, columns
        How it is read, see `Reading`.

    Returns
    -------
    Rows
        One row for each document: `topics`, `docs` and `values`, the scores.

    Raises
    ------
    InputError
        If the run cannot be read as such.

    Examples
    --------
    >>> from ir_trunc import read_run
    >>> read_run({"q": {"a": 0.3, "b": 0.9}}).to_dict()
    {'q': {'a': 0.3, 'b': 0.9}}
    """
    return read_rows(data, replace(RUN, reading=Reading(order, duplicates, stop, lower_is_better, columns)))


def rank(
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
) -> Rankings:
    """The ranked lists of a run with the scores of all documents, for the policies of `ir_trunc.truncation`.

    The rankings of `ir_trunc.calc` have them with `keep_scores=True`.

    Parameters
    ----------
    qrels, run, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.

    Returns
    -------
    Rankings

    Raises
    ------
    InputError
        Where qrels or run cannot be read as such.
    ParameterError
        Where an option is not allowed.

    Examples
    --------
    >>> rankings = rank({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 2.0}})
    >>> rankings.topics, rankings.lengths.tolist()
    (('q',), [2])
    """
    how = Reading(order, duplicates, stop, lower_is_better, columns)
    if qrels is None or isinstance(run, Rankings):
        return as_ranked(run, how)
    judged, named = read_qrels_of_runs(qrels, topics, nil=nil, reading={"columns": columns})
    return rank_run(judged, run, replace(how, **named), keep_scores=True)


def as_ranked(run: Any, reading: Reading) -> Rankings:
    """A run that must be Rankings, which nothing is left to read of."""
    if not isinstance(run, Rankings):
        raise InputError("qrels are needed; only Rankings hold their own judgments.")
    if reading != DEFAULT:
        raise InputError(
            "Rankings have their order and ends: order, duplicates, stop, lower_is_better and columns are for"
            " other runs."
        )
    return run
