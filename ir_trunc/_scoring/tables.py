"""Tables that are pandas DataFrames and print as results do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ir_trunc._output.tables import table_text


class ResultTable(pd.DataFrame):
    """A DataFrame that prints all of its columns within 80 columns of a terminal.

    `plot` is that of pandas; `ir_trunc.plots` has the pictures of these tables.
    """

    @property
    def _constructor(self) -> Callable[..., ResultTable]:
        return ResultTable

    def __repr__(self) -> str:
        return table_text(self, None) if self.shape[1] else super().__repr__()

    def to_pandas(self) -> pd.DataFrame:
        """The table as a plain DataFrame."""
        return pd.DataFrame(self)


def labelled_table(
    level: str, names: Sequence[str], values: Any, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A row for each name; values: {column: values}, or rows of values under the names of the columns."""
    return pd.DataFrame(values, pd.Index(names, name=level), None if columns is None else list(columns))


def crossed(levels: Mapping[str, Any], columns: Mapping[str, Any]) -> pd.DataFrame:
    """A row for each combination of names. The arrays of the columns have an axis for each level."""
    index = pd.MultiIndex.from_product(list(levels.values()), names=list(levels))
    return pd.DataFrame({name: np.ravel(of) for name, of in columns.items()}, index=index).reset_index()


def square_table(names: Sequence[str], values: Any) -> pd.DataFrame:
    """Values of every two names, names by names."""
    return pd.DataFrame(values, index=list(names), columns=list(names))
