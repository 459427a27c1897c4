"""The measures: one decorated function each, in a file for each family.

Importing this package fills `registry`, which everything else reads: the ir-measures provider, the command
line, the reference and the property tests of all measures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

from ir_trunc.measures.declaration import lookup, measure, names, registry
from ir_trunc.measures.definition import BoundMeasure, Definition, all_curves as curves, all_scores as scores

__all__ = [
    "BoundMeasure", "Definition", "Family", "curves", "families", "lookup", "measure", "names", "registry",
    "scores",
]  # fmt: skip

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

# As people read about them, since some measures only make sense after others; further files come after these.
_READING_ORDER = (
    "terminal", "ideal", "utility", "harm", "graded", "answering", "confidence", "screening", "reading_cost",
    "sessions", "classical",
)  # fmt: skip


class Family(NamedTuple):
    """The measures of one file.

    Parameters
    ----------
    title : str
        A word or two.
    about : str
        A sentence.
    question : str
        What the measures answer; empty where the file does not ask a question.
    members : tuple of Definition
        The measures, in the order of the file.
    """

    title: str
    about: str
    question: str
    members: tuple[Definition, ...]


def families() -> Iterator[Family]:
    """All measures by family; families that are declared outside this package come last.

    Examples
    --------
    >>> from ir_trunc.measures import families
    >>> [measure.name for measure in next(families()).members]
    ['RRT', 'PT', 'RBPT', 'nDCGT', 'APT', 'ERRT']
    """
    by_module: dict[str, list[Definition]] = {f"{__name__}.{file}": [] for file in _READING_ORDER}
    for definition in registry.values():
        by_module.setdefault(definition.formula.__module__, []).append(definition)
    for name, members in by_module.items():
        if not members:
            continue
        module = sys.modules.get(name)
        about = (getattr(module, "__doc__", None) or f"{name}.").partition("\n")[0]
        title = about.partition(":")[0].rstrip(".")
        yield Family(title, about, getattr(module, "QUESTION", ""), tuple(members))
