"""Topic ids, for a query universe that is larger than what the qrels judge."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Any

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._read.readers.datasets import name_of
from ir_trunc._read.reading import TOPICS
from ir_trunc._read.registry import reader_of
from ir_trunc._read.tables import ids_of_table


def read_topics(data: Any) -> list[str]:
    """Topic ids, each once, in the order given.

    The column, field or name that holds the ids is called query_id, qid, _id or id.

    Parameters
    ----------
    data : path, str, dict, frame, column or iterable
        A file, plain or gzipped: TREC topics (`<num>` or `<topic number="...">`), lines `id<TAB>text` or of
        ids alone, CSV or TSV with a header, a JSON list or object, or JSON lines. An ir_datasets data set, or
        the id of one. A frame, or a column of pandas, polars, pyarrow or numpy. A dict whose keys are ids;
        ids; or items, named tuples or dicts.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        Where the data cannot be read as topics, with the line, and where there is no topic.

    Examples
    --------
    >>> from ir_trunc import read_topics
    >>> read_topics([{"qid": 3, "query": "jazz"}, {"qid": 1, "query": "blues"}])
    ['3', '1']
    """
    found = reader_of(data, TOPICS).table(data, TOPICS)
    names = [*found.topics]
    if found.columns is not None:
        names += ids_of_table(found.columns, "topic", found.source)
    if not names:
        raise InputError(f"{_named(data)}: there is no topic; at least one is needed.")
    return list(dict.fromkeys(names))


def say_unjudged(topics: Any, found: Iterable[str], judged: Collection[str], qrels: str) -> None:
    """Warn of topics that the qrels lack.

    topics: as the user gave them. found: their ids. qrels: what to call the qrels.

    It may be all of them, where someone adds the topics that nobody judged. What is wrong then is told by the
    run: that no topic is left is said where it has none of the qrels and none of these.
    """
    names = list(found)
    lacking = [name for name in names if name not in judged]
    if not lacking:
        return
    what = f"{len(lacking)} of {len(names)} topics (topic {shown(lacking[0])} for one)"
    nil = "nil queries, for which the empty list is right"
    warn(f"{_named(topics)}: no judgments in {qrels} for {what}; they count as {nil}.")


def _named(data: Any) -> str:
    """What to call topics in a message."""
    if isinstance(data, (str, os.PathLike)):
        return f"topics {os.fspath(data)}"
    named = f"of {name_of(data)}" if hasattr(data, "queries_iter") else f"({type(data).__name__})"
    return f"topics {named}"
