"""Tables that are pandas DataFrames and print as results do."""

from __future__ import annotations

from collections.abc import Callable

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
