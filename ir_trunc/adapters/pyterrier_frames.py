"""Frames of PyTerrier as `ir_trunc.calc` understands them, and results of systems."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ir_trunc._core.errors import InputError, shown, warn


def checked(frame: Any, name: str, value: str | None = None) -> pd.DataFrame:
    """A frame as `calc` understands it, under PyTerrier's names; further columns stay.

    value: 'score', 'label' or none.
    """
    from ir_trunc._read.reading import QRELS, RUN
    from ir_trunc._read.tables import column_name, ids_of_table, rows_of_table

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{name} of type {type(frame).__name__}: a DataFrame is needed.")
    fields = {"qid": "query_id"} | (
        {"docno": "doc_id", value: "score" if value == "score" else "relevance"} if value else {}
    )
    named = frame.rename(
        columns={column_name(frame.columns, field, name): ours for ours, field in fields.items()}
    )
    if value is None:
        return named.assign(qid=ids_of_table(named, "query_id", name))
    rows = rows_of_table(named, RUN if value == "score" else QRELS, name)
    return named.assign(
        **{"qid": rows.topics.to_pylist(), "docno": rows.docs.to_pylist(), value: rows.values}
    )


def of_topics(frame: pd.DataFrame, topics: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows for these topics, with a warning that counts the others."""
    known = frame["qid"].isin(topics["qid"])
    if not known.all():
        strangers = frame.loc[~known, "qid"].unique()
        none = "" if known.any() else "; NO topic is left"
        warn(
            f"{name}: {len(strangers)} topic(s) that the topics lack are left out (topic {min(strangers)} for"
            f" one){none}."
        )
    return frame[known]


def name_of(system: Any, at: int) -> str:
    """What to call a system that has no name."""
    return f"results {at}" if isinstance(system, pd.DataFrame) else str(system)


def results_of(name: str, system: Any, topics: pd.DataFrame, batch_size: int | None) -> pd.DataFrame:
    """All results of a system, which may already be results."""
    if isinstance(system, pd.DataFrame):
        results = system
    elif not hasattr(system, "transform"):
        raise InputError(f"system {shown(system)}: a transformer or a frame of results is needed.")
    elif batch_size is None:
        results = system.transform(topics)
    else:
        results = pd.concat(list(system.transform_gen(topics, batch_size=batch_size)), ignore_index=True)
    if not len(results):
        return pd.DataFrame(columns=["qid", "query", "docno", "score", "rank"])
    return of_topics(checked(results, f"run {name}", "score"), topics, f"run {name}")


def never_empty(results: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """pt.Experiment refuses a system without any result; a placeholder, never a document, makes a row."""
    from ir_trunc._read.rows import PLACEHOLDER

    if len(results):
        return results
    return pd.DataFrame({"qid": [topics["qid"].iloc[0]], "docno": [PLACEHOLDER], "score": [0.0], "rank": [0]})
