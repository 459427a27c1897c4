"""ir_datasets: qrels by the id of a data set, with the topics of the data set as the query universe."""

from __future__ import annotations

from typing import Any

from ir_trunc.errors import InputError


def load(name: str) -> Any | None:
    """The data set of this id, or None where ir_datasets knows none."""
    import ir_datasets

    try:
        return ir_datasets.load(name)
    except KeyError:
        return None


def qrels_and_topics(dataset: Any) -> tuple[list[Any], list[str]]:
    """Judgments (named tuples) and topic ids of a data set."""
    name = dataset.dataset_id()
    if not dataset.has_qrels():
        raise InputError(f"data set {name} has no qrels: choose one of its parts that has.")
    try:
        qrels = list(dataset.qrels_iter())
        topics = [query.query_id for query in dataset.queries_iter()] if dataset.has_queries() else []
    except Exception as error:
        # Downloads, licence steps and broken caches all fail in ways of their own; what is to be done is the same.
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise InputError(f"data set {name} cannot be loaded: {reason[0]}") from error
    return qrels, topics
