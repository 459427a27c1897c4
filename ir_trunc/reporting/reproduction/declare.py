"""`@reproduction`: a function that computes the tables of a paper, and `reproduce`, which runs one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ir_trunc._core.errors import InputError, ParameterTypeError, shown
from ir_trunc._core.parameters import one_of
from ir_trunc.reporting.reproduction.cells import Cells, Reproduction

Collection = tuple[Any, Any]
"""Qrels and runs."""


@dataclass(frozen=True)
class Declared:
    """A paper whose tables can be computed: its name here, source, what data it needs, and how."""

    name: str
    source: str
    data: str | None
    notes: tuple[str, ...]
    several: bool
    tables: Callable[..., Iterator[Cells]]


_DECLARED: dict[str, Declared] = {}


def reproduction(
    source: str, data: str | None = None, notes: tuple[str, ...] = (), several: bool = False
) -> Callable[[Callable[..., Iterator[Cells]]], Callable[..., Iterator[Cells]]]:
    """Declare how the tables of a paper are computed.

    Parameters
    ----------
    source : str
        The paper.
    data : str, optional
        The collection that it needs; without it the paper's own examples are enough.
    notes : tuple of str
        What is known where figures differ.
    several : bool
        Whether the figures are a mean over collections.
    """

    def declared(tables: Callable[..., Iterator[Cells]]) -> Callable[..., Iterator[Cells]]:
        _DECLARED[tables.__name__] = Declared(tables.__name__, source, data, notes, several, tables)
        return tables

    return declared


def reproductions() -> dict[str, Declared]:
    """The papers, by name."""
    return dict(sorted(_DECLARED.items()))


def reproduce(paper: str, *collections: Collection) -> Reproduction:
    """Compute the tables of a paper, and put them beside what is printed.

    Parameters
    ----------
    paper : {'amigo2022', 'liu2016', 'penas2011', 'sakai2004', 'webber2010'}
        Which paper.
    *collections : (qrels, runs)
        What the figures are computed on, as `ir_trunc.compare` takes them; runs are read as the paper did.
        Several collections are averaged. Papers whose examples need no collection take none.

    Returns
    -------
    Reproduction
        Every cell, printed and computed.

    Raises
    ------
    InputError
        Where a collection is missing, or there are more than the paper takes.
    ParameterTypeError
        Where a collection is not a pair.

    Examples
    --------
    >>> from ir_trunc.reporting.reproduction import reproduce
    >>> found = reproduce("penas2011")
    >>> int(found.same.sum()), len(found.same)
    (8, 8)
    """
    known = reproductions()
    declared = known[one_of("paper", paper, tuple(known))]
    if (declared.data is None) == bool(collections):
        needed = f"needs {declared.data}: give qrels and runs" if declared.data else "takes no collection"
        raise InputError(f"{paper} {needed}.")
    for collection in collections:
        if not isinstance(collection, tuple) or len(collection) != 2:
            raise ParameterTypeError(f"collection {shown(collection)}: a pair (qrels, runs) is needed.")
    if len(collections) > 1 and not declared.several:
        raise InputError(f"{paper} is computed on one collection; {len(collections)} are given.")
    data = "the paper's own examples"
    if collections:
        several = f"the mean of {len(collections)} collections"
        data = f"{several if len(collections) > 1 else 'the collection given'} (the paper: {declared.data})"
    return Reproduction.of(declared.source, data, declared.notes, declared.tables(*collections))


@cache
def printed(paper: str) -> Any:
    """The figures that a paper prints, as data."""
    return json.loads((files(__package__) / "printed.json").read_text(encoding="utf-8"))[paper]
