"""The query universe made visible to every tool: topics without judgments get a placeholder row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ir_trunc.io.doors import read_qrels
from ir_trunc.io.frames import column_name
from ir_trunc.io.qrels import Qrels
from ir_trunc.io.rows import PLACEHOLDER
from ir_trunc.io.topics import read_topics


def with_topics(qrels: Any, topics: Any) -> Any:
    """Qrels over a larger query universe: topics without judgments are made visible by a placeholder that is no document.

    A dict, a pandas frame and named tuples keep their form, for use with ir-measures or PyTerrier; anything else becomes
    `Qrels`. topics: in any form that `read_topics` takes. The caller's qrels stay as they are.
    """
    import ir_measures

    universe = read_topics(topics)
    if isinstance(qrels, Mapping):
        return {**qrels, **{topic: {PLACEHOLDER: 0} for topic in universe if not qrels.get(topic)}}
    if hasattr(qrels, "itertuples"):
        import pandas as pd

        names = {field: column_name(qrels.columns, field, "qrels") for field in ("query_id", "doc_id", "relevance")}
        known = set(qrels[names["query_id"]].astype(str))
        missing = [topic for topic in universe if topic not in known]
        rows = {names["query_id"]: missing, names["doc_id"]: PLACEHOLDER, names["relevance"]: 0}
        return pd.concat([qrels, pd.DataFrame(rows)], ignore_index=True) if missing else qrels.copy()
    if isinstance(qrels, (str, os.PathLike, Qrels)) or hasattr(qrels, "__arrow_c_stream__"):
        return read_qrels(qrels, universe)
    judged = list(qrels)
    known = {str(item.query_id) for item in judged}
    return [*judged, *(ir_measures.Qrel(topic, PLACEHOLDER, 0) for topic in universe if topic not in known)]
