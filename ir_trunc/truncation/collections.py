"""Several collections: found in a folder, and one experiment on all of them with the mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, shown
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import file_name, instance, mapping, text
from ir_trunc._read.reading import Unpack
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.protocol import as_table

MEAN = "mean"

_FORM = "a file with 'qrels' in its name and a folder 'runs' in one folder"


def collections(folder: str | os.PathLike[str]) -> dict[str, tuple[Path, Path]]:
    """The collections in a folder, whatever it is called.

    A collection is a folder that holds one file with 'qrels' in its name, and a folder `runs`. The folder
    given is one, or holds some; other folders in it are left alone.

    Parameters
    ----------
    folder : path
        Where to look.

    Returns
    -------
    dict
        {name: (qrels, runs)}, by the names of the folders.

    Raises
    ------
    InputError
        Where there is no such folder or no collection in it, or where two files could be the qrels.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ir_trunc.truncation import study
    >>> with TemporaryDirectory() as data:
    ...     (Path(data) / "mine" / "runs").mkdir(parents=True)
    ...     _ = (Path(data) / "mine" / "qrels.txt").write_text("1 0 a 1")
    ...     found = study.collections(data)
    >>> list(found)
    ['mine']
    """
    top = Path(file_name("folder", folder))
    if not top.is_dir():
        raise InputError(f"There is no folder {top}.")
    places = [top, *sorted(path for path in top.iterdir() if path.is_dir())]
    found = {}
    for place in places:
        if (place / "runs").is_dir() and (qrels := _qrels_in(place)):
            if len(qrels) > 1:
                raise InputError(
                    f"{place} holds {len(qrels)} files that may be the qrels, {' and '.join(qrels)}: one is"
                    " needed."
                )
            found[os.path.basename(os.path.abspath(place))] = (place / qrels[0], place / "runs")
    if not found:
        raise InputError(f"{top} holds no collection: {_FORM} are one.")
    return found


def _qrels_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file() and "qrels" in path.name.lower())


@keywords_of(Evaluator)
def over_collections(
    experiment: Callable[..., pd.DataFrame],
    collections: Mapping[str, tuple[Any, Any]],
    *measures: Any,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """One experiment on several collections, and the mean of their tables.

    Parameters
    ----------
    experiment : function
        `study.agreement`, `study.cuts`, `study.lengths`, or any function of measures, qrels and runs that
        returns a table of numbers whose rows have names.
    collections : {name: (qrels, runs)}
        As `study.collections` finds them.
    *measures
        What the experiment takes before qrels and runs.
    topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`, where the experiment takes them.

    Returns
    -------
    pandas.DataFrame
        The rows of the mean, then those of every collection: the first level of the rows is 'mean' or the
        collection's name. Every collection counts alike. A row that a collection lacks counts as 0 in the
        mean, as a length does that no list has.

    Raises
    ------
    InputError
        Where there is no collection, one is called 'mean', or the tables have no mean.
    ParameterTypeError
        Where a collection is not a pair.

    Examples
    --------
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import study
    >>> both = {name: generated.collection(topics=20, systems=5, seed=at) for at, name in enumerate("ab")}
    >>> study.over_collections(study.agreement, both, "RBPT", "AP RBP").round(2)
    truncated        RBPT
    collection full
    mean       AP     0.7
               RBP    0.7
    a          AP     0.8
               RBP    0.8
    b          AP     0.6
               RBP    0.6
    """
    if not callable(experiment):
        raise ParameterTypeError(f"experiment={shown(experiment)}: a function is needed, as study.agreement.")
    tables = {}
    for name, pair in mapping("collections", collections, "{name: (qrels, runs)}").items():
        if text("collection", name) == MEAN:
            raise InputError(f"A collection cannot be called {MEAN!r}: that is the name of the mean of all.")
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterTypeError(f"collection {name!r} is {shown(pair)}: a pair (qrels, runs) is needed.")
        tables[name] = _of_numbers(experiment(*measures, *pair, **options))
    if not tables:
        raise InputError("There is no collection: at least one is needed.")
    first, *others = tables.values()
    rows = first.index
    for table in others:
        if list(table.columns) != list(first.columns):
            raise ParameterError("The tables of the collections have different columns, and no mean.")
        rows = rows.append(table.index.difference(rows, sort=False))
    if pd.api.types.is_numeric_dtype(rows.dtype):
        rows = rows.sort_values()
    aligned = [table.reindex(rows, fill_value=0) for table in tables.values()]
    mean = reduce(add, aligned) / len(aligned)
    return as_table(
        pd.concat([mean, *tables.values()], keys=[MEAN, *tables], names=["collection", rows.name])
    )


def _of_numbers(table: Any) -> pd.DataFrame:
    found = instance("what the experiment returns", table, pd.DataFrame, "a table")
    named = found.index.name is not None and found.index.is_unique
    if not named or not all(pd.api.types.is_numeric_dtype(kind) for kind in found.dtypes):
        raise InputError("The experiment's table has no mean: numbers in rows with names are needed.")
    return found
