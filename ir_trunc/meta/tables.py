"""Tables of results: a row for each name, a row for each combination of names, or names by names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_trunc.core.later import pd


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
