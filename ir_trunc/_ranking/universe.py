"""The query universe made visible to every tool: topics without judgments get a placeholder row."""

from __future__ import annotations

from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._ranking.doors import read_qrels
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._read.readers.memory import dicts, named_tuples
from ir_trunc._read.readers.topics import read_topics, say_unjudged
from ir_trunc._read.reading import QRELS
from ir_trunc._read.registry import recognised
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._read.tables import columns_of


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
    import pandas as pd
    from ir_measures import Qrel

    if isinstance(qrels, Qrels):
        return read_qrels(qrels, topics)
    data = recognised(qrels, QRELS)
    rows, universe = data.all_rows(), read_topics(topics)
    known = {*rows.named_topics(), *rows.universe}
    say_unjudged(topics, universe, known, rows.source)
    missing = [topic for topic in universe if topic not in known]
    if data.reader is dicts:
        own = dict(zip(rows.universe, data.value))  # which may be numbers
        empty = [own[topic] for topic in universe if topic in own and not data.value[own[topic]]]
        return {**data.value, **{topic: {PLACEHOLDER: 0} for topic in [*empty, *missing]}}
    if data.reader is named_tuples:
        return [*data.value, *(Qrel(topic, PLACEHOLDER, 0) for topic in missing)]
    if not isinstance(data.value, pd.DataFrame):
        return Qrels.of(rows, [*rows.universe, *missing], levels=rows.levels)
    if not data.value.columns.is_unique:
        raise InputError("qrels: two columns of the frame have the same name; each needs its own.")
    values = {"query_id": missing, "doc_id": PLACEHOLDER, "relevance": 0}
    names = columns_of(data.value.columns, QRELS, rows.source)
    added = pd.DataFrame({name: values[field] for field, name in names.items()})
    return pd.concat([data.value, added], ignore_index=True) if missing else data.value.copy()
