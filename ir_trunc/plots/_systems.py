"""Plots of scores of systems and measures, lines of any data, and captions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, mapping, numbers, text, whole
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.plots import _kit, _style
from ir_trunc.plots._kit import Axes

_BEST = _style.COLOURS[2]


def scores(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Mean scores as a table of measures and systems; the best system by each measure is dark.

    What there is more of is in rows. Scores of different measures have different scales, some of them without
    a zero, and are compared by measure only. Of a measure that counts losses the lowest is the best.

    Parameters
    ----------
    table : DataFrame
        Systems by measures, as `ir_trunc.compare(...).to_pandas()` makes it.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For anything but a table of numbers.

    Examples
    --------
    >>> from ir_trunc import compare, plots
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> table = compare("RBPT RR", qrels, {"mine": run, "short": {"1": ["a"]}}).to_pandas()
    >>> [text.get_text() for text in plots.scores(table).texts]
    ['0.820', '0.300', '0.750', '0.500']
    """
    means = _kit.number_table(table, "compare(...).to_pandas()")
    cells = means.to_numpy(float)
    signs = np.array([-1.0 if lower_is_better(str(name)) else 1.0 for name in means])
    best = cells * signs == (cells * signs).max(axis=0)
    names = (means.index, means.columns)
    if means.shape[1] >= len(means):
        cells, best, names = cells.T, best.T, names[::-1]
    rows, columns = cells.shape
    ax = _kit.ready_axes(ax, 1.6 + columns, 0.7 + 0.27 * rows)
    for (row, column), value in np.ndenumerate(cells):
        style: dict[str, Any] = {"color": _style.INK}
        if best[row, column]:
            style = {"color": "white", "weight": "bold"}
            ax.barh(row, 0.94, 0.84, column - 0.47, color=_BEST)
        ax.text(column, row, f"{value:.3f}", ha="center", va="center", fontsize="small", **style)
    ax.set_xticks(range(columns), [_style.label(name) for name in names[1]], fontsize="small")
    ax.set_yticks(range(rows), [_style.label(name) for name in names[0]], fontsize="small")
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    return ax


def example(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Scores of one list at every cut, a line for each measure: the table of `study.example`.

    Parameters
    ----------
    table : DataFrame
        Cuts by measures.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For anything but a table of numbers.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.truncation import study
    >>> plots.example(study.example("RBPT")).get_ylabel()
    'score'
    """
    _kit.number_table(table, "study.example")
    numbers("cut", table.index)
    ax = _kit.ready_axes(ax, 7.2, 4.2)
    every = max(len(table) // 6, 1)
    _kit.draw_lines(ax, {name: (table.index, column) for name, column in table.items()}, "", "score")
    for place, line in enumerate(ax.lines[-table.shape[1] :]):
        line.set_markevery((place % every, every))
    ax.axhline(0, color=_style.GREY, linewidth=0.8, zorder=1)
    _kit.length_axis(ax.xaxis, "cut", 0)
    ax.set(xlim=(0, table.index.max()))
    return ax


def agreement(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Kendall's tau between orders of the systems as a shaded table: that of `study.agreement`.

    Parameters
    ----------
    table : DataFrame
        Measures of full lists by measures that cut them at their best.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For anything but a table.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import study
    >>> qrels, runs = generated.collection(topics=10, systems=4)
    >>> plots.agreement(study.agreement("RBPT OIE", "AP", qrels, runs)).get_title()
    "Kendall's tau"
    """
    ax = _kit.shaded_table(_kit.checked_table(table, (), "study.agreement"), "{:.2f}", ax)
    columns = "measure by which lists are cut at their best"
    ax.set(xlabel=columns, ylabel="measure of full lists", title="Kendall's tau")
    return ax


def slope(
    before: pd.Series[float], after: pd.Series[float], ax: Axes | None = None, labels: int = 30
) -> Axes:
    """Places of systems before and after, a line for each.

    Systems that move by a tenth of the places or more stand out.

    Parameters
    ----------
    before, after : Series
        Scores by system; their names are the titles.
    labels : int
        How many systems are named at most, as far as their names have room, those that move furthest first.
        The picture says how many are not.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Where before and after have different systems.

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_trunc import plots
    >>> before = pd.Series({"a": 0.5, "b": 0.4}, name="RBP")
    >>> ax = plots.slope(before, pd.Series({"a": 0.3, "b": 0.6}, name="RBPT"))
    >>> len(ax.lines)
    2
    """
    before, after = _kit.checked_scores("before", before), _kit.checked_scores("after", after)
    labels = whole("labels", labels, 1)
    if set(before.index) != set(after.index):
        raise InputError("before and after must score the same systems.")
    count = len(before)
    both = before, after.reindex(before.index)
    places = [series.rank(ascending=False, method="first") for series in both]
    ends = {system: (places[0][system], places[1][system]) for system in before.index}
    ax = _kit.ready_axes(ax, 5.6, 1.4 + 0.17 * min(count, labels))
    moved = sorted(ends, key=lambda system: -abs(ends[system][0] - ends[system][1]))
    far = max(1, math.ceil(count / 10))
    for system in moved:
        left, right = ends[system]
        style: dict[str, Any] = {"color": _style.GREY, "linewidth": 0.8, "linestyle": "-", "zorder": 2}
        if abs(left - right) >= far:
            dashes = "-" if right < left else "--"
            style = {"color": _style.INK, "linewidth": 1.4, "linestyle": dashes, "zorder": 3}
        ax.plot([0, 1], [left, right], marker="o", markersize=3, **style)
    from ir_trunc.plots._labels import beside

    inches = ax.get_position().height * ax.figure.bbox.height / ax.figure.dpi
    lines_of_letters = int(inches * 72 / 12)
    named = moved[: max(min(labels, lines_of_letters), 1)]
    for side in (0, 1):
        beside(ax, [(system, side, ends[system][side], {}) for system in named], left=side == 0)
    names = [_style.label(series.name or word) for series, word in ((before, "before"), (after, "after"))]
    words = [f"black: moved by {far} or more of {count} places (solid: up, dashed: down)"]
    if len(named) < count:
        words.append(f"named: the {len(named)} that move furthest")
    ax.set_xticks([0, 1], names)
    ax.set_yticks([])
    ax.set(title=f"Systems from best to worst\nby {names[0]} and by {names[1]}", xlabel="\n".join(words))
    ax.xaxis.label.set_fontsize("small")
    ax.set(xlim=(0, 1), ylim=(count + 0.5, 0.5))
    for end in ax.lines:
        end.set_clip_on(False)
    ax.spines["left"].set_visible(False)
    return ax


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
    columns = series if isinstance(series, pd.DataFrame) else mapping("series", series, "{name: Series}")
    points: dict[str, tuple[Any, Any]] = {}
    for name, values in columns.items():
        label = name if isinstance(name, str) else shown(name)
        clean = _kit.checked_scores(label, values.dropna() if isinstance(values, pd.Series) else values)
        numbers("index", clean.index.to_series())
        points[label] = (clean.index.to_numpy(), clean.to_numpy())
    if not points:
        raise InputError("series: at least one line is needed.")
    index = next(iter(columns.values())).index if isinstance(columns, Mapping) else columns.index
    if flag("best", best):
        points = {f"{name} (best: {y.max():.2f})": (x, y) for name, (x, y) in points.items()}
    ax = _kit.draw_lines(_kit.ready_axes(ax), points, str(index.name or ""), "score")
    for x, y in points.values() if best else ():
        ax.plot(x[np.argmax(y)], y.max(), "o", color=_style.ACCENT, markersize=8, zorder=3)
    if all(np.issubdtype(x.dtype, np.integer) for x, _ in points.values()):
        _kit.integer_ticks(ax.xaxis)
    return ax


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
            words.append(f"{number:,} {word}{'s' * (number != 1)}")
    above = _kit.ready_axes(ax).get_title()
    _kit.set_title(ax, "\n".join([above] * bool(above) + [_style.label(", ".join(words))]))
    return ax
