"""Packages that are imported when they are first used, and those that need not be installed.

To score a run from files takes less time than to import pandas. Annotations name packages too, which only
type checkers read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Later", "needed", "pd"]


class Later:
    """A module that is imported when something of it is first asked for."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found


@contextmanager
def needed(what: str, extra: str, error: type[Exception] = ImportError) -> Iterator[None]:
    """Import packages that need not be installed: what needs them, and the extra that installs them."""
    try:
        yield
    except ImportError:
        raise error(f"{what}: pip install 'ir_trunc[{extra}]'.") from None


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Later("pandas")
