"""Pictures of your own series in the style of the others, and what each picture is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, mapping, numbers, text, whole
from ir_trunc.plots import looks, style
from ir_trunc.plots.looks import Axes


def lines(
    series: pd.DataFrame | Mapping[str, pd.Series[float]], best: bool = False, ax: Axes | None = None
) -> Axes:
    """A line for every column of a table, or for each Series, named where it ends.

    Parameters
    ----------
    series : DataFrame or {name: Series}
        Scores by any number: a rank, a threshold, a share. Missing scores (NaN) are left out of the line.
    best : bool
        Whether the highest score of each line has a dot, and its name the value.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Where there is no series, or one has no score, or a place twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_trunc import plots
    >>> ax = plots.lines(pd.DataFrame({"RBPT": [0.1, 0.4, 0.3], "RR": [0.2, 0.2, 0.5]}))
    >>> len(ax.lines)
    2
    """
    found = series if isinstance(series, pd.DataFrame) else mapping("series", series, "{name: Series}")
    points: dict[str, tuple[Any, Any]] = {}
    for name, values in found.items():
        clean = looks.scores_of(str(name), values.dropna() if isinstance(values, pd.Series) else values)
        numbers("index", clean.index.to_series())
        points[str(name)] = (clean.index.to_numpy(), clean.to_numpy())
    if not points:
        raise InputError("series: at least one line is needed.")
    index = next(iter(found.values())).index if isinstance(found, Mapping) else found.index
    highest = (
        {name: (x[np.argmax(y)], y.max()) for name, (x, y) in points.items()} if flag("best", best) else {}
    )
    named = {f"{n} (best: {highest[n][1]:.2f})" if best else n: found for n, found in points.items()}
    shown = looks.lines(looks.axes(ax), named, str(index.name or ""), "score")
    for place in highest.values():
        shown.plot(*place, "o", color=style.ACCENT, markersize=8, zorder=3)
    if all(np.issubdtype(x.dtype, np.integer) for x, _ in points.values()):
        looks.whole_ticks(shown.xaxis)
    return shown


def caption(ax: Axes, data: str, topics: int | None = None, systems: int | None = None) -> Axes:
    """Write below the title what the data are, and how many topics and systems.

    Parameters
    ----------
    ax : Axes
        The picture.
    data : str
        Name of the collection, as 'TREC-COVID round 1', or what it is, as 'generated data'.
    topics, systems : int, optional
        How many there are.

    Returns
    -------
    Axes
        Those that were given.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.truncation import study
    >>> ax = plots.caption(plots.example(study.example("RBPT")), "generated data", topics=1)
    >>> ax.get_title()
    'generated data, 1 topic'
    """
    if ax is None:
        raise InputError("ax: the Axes that a picture returned are needed.")
    words = [text("data", data)]
    for word, count in (("topic", topics), ("system", systems)):
        if count is not None:
            number = whole(f"{word}s", count, 1)
            words.append(f"{number:,} {word}{'' if number == 1 else 's'}")
    above = looks.axes(ax).get_title()
    looks.titled(ax, "\n".join([above] * bool(above) + [style.label(", ".join(words))]))
    return ax
