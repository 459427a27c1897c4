"""Packages that are imported when they are first used: to score a run from files takes less time than pandas.

Annotations name them too. Only type checkers read those.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Later", "pd"]


class Later:
    """A module that is imported when something of it is first asked for."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Later("pandas")
