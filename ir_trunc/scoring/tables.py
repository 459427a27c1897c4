"""Tables that stay pandas DataFrames, and keep the protocol of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd

from ir_trunc._core.errors import InputError, shown
from ir_trunc._output.files import Target
from ir_trunc._output.tables import table_text
from ir_trunc.scoring import stored

_ARRAYS = {"float": np.float64, "int": np.int64, "bool": np.bool_}


class Table(pd.DataFrame):
    """A DataFrame that prints all of its columns within 80 columns of a terminal, and is saved as JSON.

    `plot` is that of pandas; `ir_trunc.plots` has the pictures of these tables.
    """

    @property
    def _constructor(self) -> Callable[..., Table]:
        return Table

    def __repr__(self) -> str:
        return table_text(self, None) if self.shape[1] else super().__repr__()

    def to_pandas(self) -> pd.DataFrame:
        """The table as a plain DataFrame."""
        return pd.DataFrame(self)

    def save(self, path: Target) -> None:
        """Write the table as JSON, with every bit of its numbers; gzipped where the name ends in .gz.

        Raises InputError where a column or a row's label is neither numbers, nor truth values, nor text.
        """
        if self.columns.nlevels > 1 or not all(isinstance(name, str) for name in self.columns):
            raise InputError("A table with columns that are not named by texts cannot be saved.")
        levels = [
            _saved(self.index.get_level_values(at), f"rows, level {at}") for at in range(self.index.nlevels)
        ]
        plain_rows = isinstance(self.index, pd.RangeIndex) and self.index.equals(pd.RangeIndex(len(self)))
        data = {
            "rows": len(self),
            "index": None if plain_rows and self.index.name is None else levels,
            "index_names": list(self.index.names),
            "columns": list(self.columns),
            "columns_name": self.columns.name,
            "cells": [_saved(self.iloc[:, at], f"column {name}") for at, name in enumerate(self.columns)],
        }
        stored.write_json(path, "Table", data)

    @classmethod
    def load(cls, path: Target) -> Table:
        """Read what `save` wrote. Raises InputError where the file holds something else."""
        data, where = stored.read_saved(path, "Table")
        data = stored.named(data, ("rows", "index", "index_names", "columns", "columns_name", "cells"), where)
        count = stored.value_of(data["rows"], int, f"{where}, rows")
        columns = stored.value_of(data["columns"], tuple[str, ...], f"{where}, columns")
        names = stored.value_of(data["index_names"], tuple[str | None, ...], f"{where}, index_names")
        columns_name = stored.value_of(data["columns_name"], str | None, f"{where}, columns_name")
        levels = (
            None if data["index"] is None else _parts(data["index"], len(names), count, f"{where}, index")
        )
        cells = _parts(data["cells"], len(columns), count, f"{where}, cells")
        if (levels is None and names != (None,)) or not names:
            raise InputError(
                f"{where}, index_names is {shown(names)}: a name for each level of the rows is needed."
            )
        index: Any = pd.RangeIndex(count)
        if levels is not None and len(levels) > 1:
            index = pd.MultiIndex.from_arrays(levels, names=names)
        elif levels is not None:
            index = pd.Index(levels[0], name=names[0])
        found = cls(dict(enumerate(cells)), index=index)
        found.columns = pd.Index(list(columns), name=columns_name)
        return found


def _saved(values: Any, what: str) -> dict[str, Any]:
    """A column as its kind and its values."""
    kinds = {"f": "float", "i": "int", "b": "bool"}
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in kinds:
        return {"kind": kinds[values.dtype.kind], "values": stored.plain(values.tolist())}
    if not all(isinstance(value, str) for value in values):
        odd = next(value for value in values if not isinstance(value, str))
        raise InputError(f"{what} holds {shown(odd)}: numbers, truth values or texts can be saved.")
    return {"kind": "text", "values": list(values)}


def _parts(data: Any, parts: int, rows: int, where: str) -> list[Any]:
    """The columns that were saved, of which there are to be so many, each with so many rows."""
    if not isinstance(data, list) or len(data) != parts:
        raise InputError(f"{where}: a list of {parts} columns is needed.")
    return [_column(one, rows, f"{where}[{at}]") for at, one in enumerate(data)]


def _column(data: Any, rows: int, where: str) -> Any:
    data = stored.named(data, ("kind", "values"), where)
    kind = stored.value_of(data["kind"], Literal["float", "int", "bool", "text"], f"{where}, kind")
    if not isinstance(data["values"], list) or len(data["values"]) != rows:
        raise InputError(f"{where}: {rows} values are needed, one for each row.")
    if kind == "text":
        texts = stored.value_of(data["values"], tuple[str, ...], where)
        return pd.Series(list(texts), dtype=None if texts else object).array
    return stored.array_of({"shape": [rows], "values": data["values"]}, _ARRAYS[kind], where)
