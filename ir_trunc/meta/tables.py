"""Tables: those that results are shown in, and scores in a table as the parts of a score matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Floats, canonical_order
from ir_trunc._read.arrow import one_id


def by_name(
    level: str, names: Sequence[str], values: Any, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A row for each name. level: what the names are, 'measure' for example.

    values: {column: values}, or rows of values under the names of the columns.
    """
    index = pd.Index(names, name=level)
    return pd.DataFrame(values, index=index, columns=None if columns is None else list(columns))


def crossed(levels: Mapping[str, Any], columns: Mapping[str, Any]) -> pd.DataFrame:
    """A row for each combination of names. The arrays of the columns have an axis for each level."""
    index = pd.MultiIndex.from_product(list(levels.values()), names=list(levels))
    return pd.DataFrame({name: np.ravel(of) for name, of in columns.items()}, index=index).reset_index()


def square_table(names: Sequence[str], values: Any) -> pd.DataFrame:
    """Values of every two names, names by names."""
    return pd.DataFrame(values, index=list(names), columns=list(names))


Names = tuple[str, ...]

_FORM = (
    "the columns system, query_id, measure, value, or system, query_id and one for each measure, are needed"
)


def scores_in(table: Any) -> tuple[Names, Names, Names, Floats]:
    """Measures, systems and topics of a table of scores, and the scores (M x S x T).

    Each score has to be there once.
    """
    frame = _long(_frame(table))
    if frame.empty:
        raise InputError("table: it has no scores.")
    for name in ("system", "query_id", "measure"):
        frame[name] = [one_id(value, name, f"table, row {row}") for row, value in enumerate(frame[name])]
    twice = frame.duplicated(["system", "query_id", "measure"])
    if twice.any():
        raise InputError(f"table: {_cell(frame[twice].iloc[0])} has two scores.")
    for row in frame[[not _is_number(value) for value in frame["value"]]].to_dict("records"):
        raise InputError(
            f"table: {_cell(row)} has the score {shown(row['value'])}: a finite number is needed."
        )
    measures, systems = (tuple(frame[name].unique().tolist()) for name in ("measure", "system"))
    ids = frame["query_id"].unique().tolist()
    topics = tuple(ids[at] for at in canonical_order(ids))
    keys = ["measure", "system", "query_id"]
    wanted = crossed({"measure": measures, "system": systems, "query_id": topics}, {})
    found = wanted.merge(frame.assign(value=frame["value"].astype(float)), how="left", on=keys)
    missing = found["value"].isna()
    if missing.any():
        raise InputError(
            f"table: {_cell(found[missing].iloc[0])} has no score ({int(missing.sum())} are missing): every"
            " system needs one for each topic and measure."
        )
    shape = len(measures), len(systems), len(topics)
    return measures, systems, topics, found["value"].to_numpy(np.float64).reshape(shape)


def _frame(table: Any) -> pd.DataFrame:
    found = table if isinstance(table, pd.DataFrame) or not hasattr(table, "to_pandas") else table.to_pandas()
    if not isinstance(found, pd.DataFrame):
        raise InputError(f"table of type {type(table).__name__}: a DataFrame with scores is needed.")
    frame = pd.DataFrame(found)
    named = [name for name in frame.index.names if name is not None]
    frame = frame.reset_index(named) if named else frame
    frame = frame.rename(columns={"qid": "query_id"}) if "query_id" not in frame else frame
    columns = list(frame.columns)
    if not {"system", "query_id"} <= set(columns) or len(set(columns)) < len(columns):
        raise InputError(f"table: {_FORM}, each once; its columns: {', '.join(map(str, columns)) or 'none'}.")
    return frame


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each score."""
    if {"measure", "value"} <= set(frame.columns):
        others = [column for column in frame if column not in ("system", "query_id", "measure", "value")]
        if others:
            raise InputError(
                f"table: the column {shown(others[0])} is not known beside measure and value: {_FORM}."
            )
        return frame.reset_index(drop=True)
    return frame.melt(["system", "query_id"], var_name="measure", value_name="value")


def _is_number(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and bool(np.isfinite(value))


def _cell(row: Any) -> str:
    return f"{shown(row['measure'])} of system {shown(row['system'])} on topic {shown(row['query_id'])}"
