"""Pictures of lengths: where lists end, and where they should."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, text
from ir_trunc.plots import looks, style
from ir_trunc.plots.looks import Axes


def curve(curve: Curve, topic: str, measure: Any = "score", ax: Axes | None = None) -> Axes:
    """One topic's score at every depth, with the list's own end and its best cut marked.

    The dotted line is the score of the empty list.

    Parameters
    ----------
    curve : Curve
        As `ir_trunc.curves` makes it.
    topic : str
        The topic whose list is shown.
    measure : str or Measure
        What the axis is called.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Where the curve does not have the topic.

    Examples
    --------
    >>> from ir_trunc import curves, plots
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> ax = plots.curve(curves("RBPT", qrels, run)["RBPT"], "1", "RBPT")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('length of the list (documents)', 'RBPT of topic 1')
    """
    instance("curve", curve, Curve, "a Curve, as ir_trunc.curves makes them,")
    values = dict(curve.rows()).get(text("topic", topic))
    ax = looks.axes(ax)
    if values is None:
        raise InputError(f"the curve has no topic {topic!r}; its first is {curve.topics[0]!r}.")
    best, own = int(curve.best()[0][curve.topics.index(topic)]), len(values) - 1
    ax.plot(values, color=style.INK, linewidth=1.3)
    ax.axhline(values[0], color=style.GREY, linewidth=0.8, linestyle=":", zorder=1)
    # Where the list ends at its best cut, its square is inside the diamond.
    marks = (("best cut", best, "D", "white", 10), ("own end", own, "s", style.ACCENT, 5.5))
    for what, depth, marker, fill, size in marks:
        look: dict[str, Any] = {"markerfacecolor": fill, "markersize": size, "linestyle": "none"}
        counted = f"{depth} document{'s' * (depth != 1)}"
        name = f"{what}: {counted}, {values[depth]:.3f}"
        ax.plot(depth, values[depth], marker, color=style.ACCENT, clip_on=False, label=name, **look)
    looks.documents(ax.xaxis, "length of the list", own)
    name = measure if isinstance(measure, str) else shown(measure)
    ax.set(ylabel=style.label(f"{name} of topic {topic}"), xlim=(0, max(own, 1)))
    looks.legend_above(ax)
    return ax


def lengths(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Each list's own length against its best one: the lists of one measure from `study.best_cuts`.

    The area of a circle grows with the number of lists in the same place.

    Parameters
    ----------
    table : DataFrame
        With the columns measure, length and best_length.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For a table of several measures, or without these columns.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.truncation import study
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.lengths(study.best_cuts("RBPT", qrels, {"mine": run})).get_title()
    'RBPT: own and best length of 2 lists'
    """
    looks.table_of(table, ("measure", "length", "best_length"), "study.best_cuts")
    looks.check_numbers(table[["length", "best_length"]])
    measures = table["measure"].unique()
    ax = looks.axes(ax, 4.8, 4.6)
    if len(measures) != 1:
        raise InputError(f"one measure's lists can be shown, not {len(measures)}: pick the rows of one.")
    places = table.groupby(["length", "best_length"]).size().reset_index(name="lists")
    area = 12 + 300 * places["lists"] / len(table) * (places["lists"] > 1)
    look: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 0.8, "clip_on": False}
    ax.scatter(places["length"], places["best_length"], area, "#d0d0d0", **look, alpha=0.8)
    top = float(table[["length", "best_length"]].to_numpy().max())
    ax.plot([0, top], [0, top], color=style.ACCENT, linewidth=1.2, linestyle="--", zorder=3)
    looks.documents(ax.xaxis, "own length", top)
    looks.documents(ax.yaxis, "best length", top)
    title = f"{measures[0]}: own and best length of {len(table)} lists"
    ax.set(title=style.label(title), xlim=(-0.3, top * 1.2), ylim=(-0.3, top * 1.2))
    inside = style.SMALL | {"transform": ax.transAxes}
    ax.text(0.03, 0.97, "above the line: ended too early", ha="left", va="top", **inside)
    ax.text(0.98, 0.03, "below the line: went on too long", ha="right", va="bottom", **inside)
    return ax


def nil(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How many lists have each length before and after NIL ends them: the table of `study.lengths`.

    Parameters
    ----------
    table : DataFrame
        With the columns before and after; the index has the lengths.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For a table without these columns.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.truncation import study
    >>> plots.nil(study.lengths(None, {"mine": {"1": {"a": 3, "NIL": 2}}})).get_ylabel()
    'lists'
    """
    looks.table_of(table, ("before", "after"), "study.lengths")
    looks.check_numbers(table[["before", "after"]])
    ax = looks.axes(ax)
    for offset, (name, colour) in zip((-0.2, 0.2), (("before", "white"), ("after", style.INK))):
        look: dict[str, Any] = {"color": colour, "edgecolor": style.INK}
        ax.bar(np.arange(len(table)) + offset, table[name], 0.4, label=f"{name} NIL ends lists", **look)
    ax.set_xticks(range(len(table)), table.index)
    ax.set(xlabel="length of the list (documents)", ylabel="lists")
    looks.whole_ticks(ax.yaxis)
    looks.legend_above(ax, 2)
    return ax


def cuts(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Distribution of best cuts: lines for a few measures, a shaded table for many.

    Parameters
    ----------
    table : DataFrame
        That of `study.cuts`: bins by measures.
    ax : Axes, optional
        Where to draw; by default on a new figure.

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
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.cuts(study.cuts("RBPT SetF", qrels, {"mine": run})).get_ylabel()
    'lists (%)'
    """
    looks.check_numbers(looks.table_of(table, (), "study.cuts"))
    if table.shape[1] > looks.MOST_NAMES:
        ax = looks.shaded(100 * table.T, "{:.0f}", ax)
        ax.set(xlabel="best cut (documents)", title="lists (%)")
        return ax
    ax = looks.axes(ax, 7.2, 4.2)
    series = {name: (range(len(table)), 100 * shares) for name, shares in table.items()}
    looks.lines(ax, series, "best cut (documents)", "lists (%)")
    looks.slanted_ticks(ax, table.index)
    ax.set_ylim(bottom=0)
    return ax
