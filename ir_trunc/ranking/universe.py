"""The query universe made visible to every tool: topics without judgments get a placeholder row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ir_trunc.core.checks import mapping, several
from ir_trunc.core.errors import InputError, shown
from ir_trunc.ranking.doors import read_qrels
from ir_trunc.ranking.likes import QrelsLike
from ir_trunc.ranking.qrels import Qrels
from ir_trunc.read.columns import one_id
from ir_trunc.read.rows import PLACEHOLDER
from ir_trunc.read.tables import column_name
from ir_trunc.read.topics import read_topics, say_unjudged


def with_topics(qrels: QrelsLike, topics: Any) -> Any:
    """Qrels over a larger query universe.

    Topics without judgments are made visible by a placeholder, which is never a document. The caller's qrels
    stay as they are.

    Parameters
    ----------
    qrels : QrelsLike
        In any form that `calc` takes.
    topics
        In any form that `read_topics` takes. A warning counts those without judgments.

    Returns
    -------
    dict, pandas.DataFrame, list of named tuples or Qrels
        The form of the qrels, for use with ir-measures or PyTerrier; `Qrels` for all other forms.

    Raises
    ------
    InputError
        Where the qrels or the topics cannot be read as such.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.with_topics({"1": {"a": 1}, "2": {}}, ["1", "2"])
    {'1': {'a': 1}, '2': {'__nil__': 0}}
    """
    return _with_topics(qrels, topics)


def _with_topics(qrels: Any, topics: Any) -> Any:
    import ir_measures

    arrow = hasattr(qrels, "__arrow_c_stream__") and not hasattr(qrels, "itertuples")
    if arrow or isinstance(qrels, (str, os.PathLike, Qrels)):
        return read_qrels(qrels, topics)
    universe = read_topics(topics)
    if isinstance(qrels, Mapping):
        own = {one_id(topic, "query_id", "qrels (dict)"): topic for topic in qrels}  # which may be numbers
        say_unjudged(topics, universe, own, "qrels (dict)")
        keys = [own.get(topic, topic) for topic in universe]
        for key, docs in qrels.items():
            mapping(f"qrels (dict), topic {shown(key)}", docs, "{document: relevance}")
        return {**qrels, **{key: {PLACEHOLDER: 0} for key in keys if not qrels.get(key)}}
    if hasattr(qrels, "itertuples"):
        import pandas as pd

        if not qrels.columns.is_unique:
            raise InputError("qrels: two columns of the frame have the same name; each needs its own.")
        names = {
            field: column_name(qrels.columns, field, "qrels") for field in ("query_id", "doc_id", "relevance")
        }
        known = set(qrels[names["query_id"]].astype(str))
        say_unjudged(topics, universe, known, f"qrels ({type(qrels).__name__})")
        missing = [topic for topic in universe if topic not in known]
        rows = {names["query_id"]: missing, names["doc_id"]: PLACEHOLDER, names["relevance"]: 0}
        return pd.concat([qrels, pd.DataFrame(rows)], ignore_index=True) if missing else qrels.copy()
    judged = several("qrels", qrels, "a path, a dict, a frame or named tuples")
    if not all(hasattr(item, "query_id") for item in judged):
        raise InputError("qrels (named tuples): every item needs the fields query_id, doc_id, relevance.")
    known = {one_id(item.query_id, "query_id", "qrels (named tuples)") for item in judged}
    say_unjudged(topics, universe, known, "qrels (named tuples)")
    return [*judged, *(ir_measures.Qrel(topic, PLACEHOLDER, 0) for topic in universe if topic not in known)]
