"""Plots of lists by rank: relevant documents, and where the lists end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, mapping, text, whole
from ir_trunc._core.rankings import Rankings
from ir_trunc.plots import _kit, _style
from ir_trunc.plots._kit import Axes

MOST = 10_000  # documents of a list that a plot can show at most

_FILLED = _style.COLOURS[2]
_HOLLOW: dict[str, Any] = {
    "markersize": 3,
    "markerfacecolor": "white",
    "color": _style.INK,
    "markeredgewidth": 0.7,
}


def lists(rankings: Rankings, title: str = "", longest: int = 40, ax: Axes | None = None) -> Axes:
    """All lists of a system by rank: dark is relevant, light is not.

    The topics with most relevant documents are on top, and nil queries below the line. What the rankings of a
    topic lack is white; a list that goes on beyond rank `longest` has an arrow.

    Parameters
    ----------
    rankings : Rankings
        Those of `Results.rankings`, or any.
    title : str
        The title of the picture.
    longest : int
        Ranks that are shown, 1 or more.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        Where longest is not allowed.

    Examples
    --------
    >>> from ir_trunc import calc, plots
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.lists(calc("RR", qrels, run).rankings, "mine").get_title()
    'mine'
    """
    instance("rankings", rankings, Rankings, "Rankings, as Results.rankings has them,")
    longest = whole("longest", longest, 1, MOST)
    order, relevant = _by_relevant(rankings)
    relevant_hits = rankings.judged_grades > 0
    cells = np.where(np.arange(longest) < rankings.lengths[:, None], 0.2, 0.0)
    seen = relevant_hits & (rankings.judged_ranks <= longest)
    cells[rankings.judged_rows[seen], rankings.judged_ranks[seen] - 1] = 1
    step = max(5, 10 ** int(np.log10(longest)) // 2)
    ax = _kit.ready_axes(ax, 5.2, 1.2 + 0.09 * len(rankings))
    edges = np.arange(longest + 1) + 0.5, np.arange(len(rankings) + 1)
    ax.pcolormesh(*edges, cells[order], cmap="Greys", vmin=0, vmax=1.15)
    beyond = np.flatnonzero(rankings.lengths[order] > longest) + 0.5
    arrows: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "color": _style.INK, "markersize": 3}
    ax.plot(np.full(len(beyond), 1.015), beyond, ">", clip_on=False, **arrows)
    answerable = int((relevant > 0).sum())
    if answerable < len(rankings):
        ax.axhline(answerable, color=_style.ACCENT, linewidth=1)
        style = _style.SMALL | {"color": _style.ACCENT, "ha": "right", "va": "bottom"}
        ax.text(longest + 0.5, answerable, "nil queries below", **style)
    ax.set_xticks([1, *range(step, longest + 1, step)])
    what = f"{counted(len(rankings), 'topic')}, those with most to find on top"
    ax.set(title=_style.label(text("title", title)), xlabel="rank (dark: relevant, light: not)", ylabel=what)
    ax.set(xlim=(0.5, longest + 0.5), yticks=[])
    ax.invert_yaxis()
    return ax


def side_by_side(runs: Mapping[str, Rankings], longest: int = 20, ax: Axes | None = None) -> Axes:
    """Every list of one or more systems by rank.

    Full circles are relevant documents, and a bar is the end of the list. The topics with most relevant
    documents are on top.

    Parameters
    ----------
    runs : {system: Rankings}
        Rankings of the same topics, as `evaluator(...).calc(run).rankings` has them.
    longest : int
        Documents that are drawn of a list; of a longer one the length is written.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Where there is no run, or the runs have different topics.

    Examples
    --------
    >>> from ir_trunc import plots, rank
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.side_by_side({"mine": rank(qrels, run)}).get_xlabel()
    'rank'
    """
    longest = whole("longest", longest, 1, MOST)
    for rankings in mapping("runs", runs, "{system: Rankings}").values():
        instance("runs", rankings, Rankings, "{system: Rankings}, as Results.rankings has them,")
    if len({rankings.topics for rankings in runs.values()}) != 1:
        raise InputError(f"{len(runs)} runs: the lists of at least one are needed, and of the same topics.")
    first = next(iter(runs.values()))
    order, relevant_of = _by_relevant(first)
    height = len(runs) + 1.25  # of a topic: its name, its lists, and a gap
    letters = max(len(_style.label(system)) for system in runs)
    width = 0.08 * letters + max(0.3 * longest + 2, 4.6)  # inches; the legend needs the latter
    ax = _kit.ready_axes(ax, width, 0.21 * len(order) * height + 0.9)
    labels: dict[float, str] = {}
    for place, topic in enumerate(order):
        top, count = place * height, relevant_of[topic] or "none"
        title = f"{_style.label(first.topics[topic])}: {count} relevant"
        ax.text(0.5, top, title, va="center", weight="bold", **_style.SMALL)
        for y, (system, rankings) in enumerate(runs.items(), 1):
            labels[top + y] = _style.label(system)
            _circles(ax, top + y, rankings, topic, longest)
    for what, inside in (("relevant", _FILLED), ("not relevant", "white")):
        ax.scatter([], [], 34, inside, edgecolor=_FILLED, linewidth=0.9, label=what)
    ax.plot([], [], "|", color=_style.ACCENT, markersize=11, markeredgewidth=2.2, label="end of the list")
    _kit.legend_above(ax, 3, handletextpad=0.1, columnspacing=1.2)
    _kit.name_rows(ax, labels, labels.values(), fontsize="small")
    ax.set(xlabel="rank", xlim=(0, longest + 1), ylim=(len(order) * height - 0.6, -0.6))
    ax.set_xticks([1, *range(5, longest + 1, 5)])
    return ax


def calendar(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """The days of a topic: on which there was news, and on which each run reported something.

    Parameters
    ----------
    table : DataFrame
        Days by runs, of True and False; the first column says whether there was news. `calendar` of the
        scores of `ir_trunc.cdet` makes it.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For anything but a table of days by runs.

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_trunc import plots
    >>> days = pd.Index(["2024-01-01", "2024-01-02", "2024-01-03"], name="storms")
    >>> table = pd.DataFrame({"news": [True, False, False], "mine": [True, True, False]}, days)
    >>> [text.get_text() for text in plots.calendar(table).get_yticklabels()]
    ['news on 1 of 3 days', 'mine: 1 of 1, 1 false']
    """
    if {*_kit.checked_table(table, "calendar(topic)").dtypes} != {np.dtype(bool)}:
        raise InputError("table: True and False are needed, as calendar(topic) makes them.")
    days, news = len(table), table.iloc[:, 0].to_numpy(bool)
    ax = _kit.ready_axes(ax, 8.0, 1.1 + 0.34 * table.shape[1])
    names = [f"news on {news.sum()} of {counted(days, 'day')}"]
    ax.vlines(np.flatnonzero(news), -0.35, 0.35, color=_style.INK, linewidth=1.6)
    for row, (name, column) in enumerate(list(table.items())[1:], 1):
        reported = column.to_numpy(bool)
        right, false, missed = (
            np.flatnonzero(of) for of in (news & reported, reported & ~news, news & ~reported)
        )
        ax.vlines(right, row - 0.35, row + 0.35, color=_FILLED, linewidth=1.6)
        ax.vlines(false, row + 0.02, row + 0.35, color=_style.ACCENT, linewidth=1.0)
        ax.plot(missed, np.full(len(missed), row - 0.2), "o", **_HOLLOW)
        names.append(f"{_style.label(name)}: {len(right)} of {news.sum()}, {len(false)} false")
    ax.vlines([], 0, 0, color=_FILLED, linewidth=1.6, label="reported news")
    ax.plot([], [], "o", label="missed it", **_HOLLOW)
    ax.vlines([], 0, 0, color=_style.ACCENT, linewidth=1.0, label="reported without news (half bar)")
    _kit.legend_above(ax, 3, columnspacing=1.2)
    _kit.set_title(ax, _style.label(table.index.name or ""))
    _kit.name_rows(ax, range(len(names)), names, fontsize="small")
    step = max(1, -(-days // 7))
    ax.set_xticks(range(0, days, step), [str(day) for day in table.index[::step]], fontsize="small")
    ax.set(xlim=(-1, days), ylim=(len(names) - 0.4, -0.6))
    return ax


def _by_relevant(rankings: Rankings) -> tuple[Any, Any]:
    """Topics by falling number of relevant documents, and these numbers."""
    judged = rankings.judgments
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(rankings)) * ~judged.nil_queries
    return np.argsort(-relevant, kind="stable"), relevant


def _circles(ax: Axes, y: float, rankings: Rankings, topic: int, longest: int) -> None:
    """Draw one list by rank, with its end or the number of documents after rank `longest`."""
    length = int(rankings.lengths[topic])
    hits = slice(rankings.judged_offsets[topic], rankings.judged_offsets[topic + 1])
    relevant = rankings.judged_ranks[hits][rankings.judged_grades[hits] > 0]
    ranks = np.arange(1, min(length, longest) + 1)
    fill = np.where(np.isin(ranks, relevant), _FILLED, "white")
    ax.scatter(ranks, np.full(len(ranks), y), 34, fill, edgecolor=_FILLED, linewidth=0.9)
    if length > longest:
        rest = f"... to {length}, {(relevant > longest).sum()} relevant"
        ax.text(longest + 0.7, y, rest, va="center", **_style.SMALL)
    else:
        ax.plot([length + 0.5] * 2, [y - 0.4, y + 0.4], color=_style.ACCENT, linewidth=2.2)
