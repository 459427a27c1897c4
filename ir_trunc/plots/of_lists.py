"""Pictures of lists: what is in them, how long they are, where they should end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc.core.checks import instance, mapping, text, whole
from ir_trunc.core.checks import series as numbers
from ir_trunc.core.curve import Curve
from ir_trunc.core.errors import InputError, shown
from ir_trunc.core.rankings import Rankings
from ir_trunc.plots.files import label
from ir_trunc.plots.looks import (
    ACCENT,
    COLOURS,
    GREY,
    INK,
    MOST_NAMES,
    axes,
    documents,
    legend_above,
    lines,
    shaded,
    table_of,
    whole_ticks,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST = 10_000
"""Documents of a list that a picture can show, at most."""

_FILLED = COLOURS[2]


def curve(curve: Curve, topic: str, measure: Any = "score", ax: Axes | None = None) -> Axes:
    """One topic's score at every depth, with the list's own end and its best cut marked; dotted: the empty
    list's score.
    """
    instance("curve", curve, Curve, "a Curve, as ir_trunc.curves makes them,")
    values = dict(curve.rows()).get(text("topic", topic))
    ax = axes(ax)
    if values is None:
        raise InputError(f"the curve has no topic {topic!r}; its first is {curve.topics[0]!r}.")
    best, own = int(curve.best()[0][curve.topics.index(topic)]), len(values) - 1
    ax.plot(values, color=INK, linewidth=1.3)
    ax.axhline(values[0], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    # Where the list ends at its best cut, its square is inside the diamond.
    marks = (("best cut", best, "D", "white", 10), ("own end", own, "s", ACCENT, 5.5))
    for what, depth, marker, fill, size in marks:
        look: dict[str, Any] = {"markerfacecolor": fill, "markersize": size, "linestyle": "none"}
        counted = f"{depth} document{'s' * (depth != 1)}"
        name = f"{what}: {counted}, {values[depth]:.3f}"
        ax.plot(depth, values[depth], marker, color=ACCENT, clip_on=False, label=name, **look)
    documents(ax.xaxis, "length of the list", own)
    ax.set(
        ylabel=label(f"{measure if isinstance(measure, str) else shown(measure)} of topic {topic}"),
        xlim=(0, max(own, 1)),
    )
    legend_above(ax)
    return ax


def lists(rankings: Rankings, title: str = "", longest: int = 40, ax: Axes | None = None) -> Axes:
    """All lists of a system by rank, the topics with most relevant documents on top: dark is relevant, light
    is not.

    What the rankings of a topic lack is white; a list that goes on beyond rank `longest` has an arrow. Below
    the line are nil queries. rankings: those of `Results.rankings`, or any.
    """
    instance("rankings", rankings, Rankings, "Rankings, as Results.rankings has them,")
    longest = whole("longest", longest, 1, MOST)
    order, relevant = _by_relevant(rankings)
    relevant_hits = rankings.judged_grades > 0
    cells = np.where(np.arange(longest) < rankings.lengths[:, None], 0.2, 0.0)
    seen = relevant_hits & (rankings.judged_ranks <= longest)
    cells[rankings.judged_rows[seen], rankings.judged_ranks[seen] - 1] = 1
    step = max(5, 10 ** int(np.log10(longest)) // 2)
    ax = axes(ax, 5.2, 1.2 + 0.09 * len(rankings))
    ax.pcolormesh(
        np.arange(longest + 1) + 0.5,
        np.arange(len(rankings) + 1),
        cells[order],
        cmap="Greys",
        vmin=0,
        vmax=1.15,
    )
    beyond = np.flatnonzero(rankings.lengths[order] > longest)
    ax.plot(np.full(len(beyond), longest + 1.2), beyond + 0.5, ">", color=INK, markersize=3, clip_on=False)
    answerable = int((relevant > 0).sum())
    if answerable < len(rankings):
        ax.axhline(answerable, color=ACCENT, linewidth=1)
        ax.text(
            longest + 0.5,
            answerable,
            "nil queries below",
            color=ACCENT,
            ha="right",
            va="bottom",
            fontsize="small",
        )
    ax.set_xticks([1, *range(step, longest + 1, step)])
    count = f"{len(rankings)} topic{'s' * (len(rankings) != 1)}"
    ax.set(
        title=label(text("title", title)),
        xlabel="rank (dark: relevant, light: not)",
        ylabel=f"{count}, those with most to find on top",
        xlim=(0.5, longest + 0.5),
        yticks=[],
    )
    ax.invert_yaxis()
    return ax


def side_by_side(runs: Mapping[str, Rankings], longest: int = 20, ax: Axes | None = None) -> Axes:
    """Every list of one or more systems by rank: full circles are relevant documents, and a bar is the end of
    the list. Topics with most relevant documents are on top.

    runs: rankings of the same topics by system, as `evaluator(...).calc(run).rankings` has them. longest:
    documents that are drawn of a list; of a longer one its length is written.
    """
    longest = whole("longest", longest, 1, MOST)
    for rankings in mapping("runs", runs, "{system: Rankings}").values():
        instance("runs", rankings, Rankings, "{system: Rankings}, as Results.rankings has them,")
    if len({rankings.topics for rankings in runs.values()}) != 1:
        raise InputError(f"{len(runs)} runs: the lists of at least one are needed, and of the same topics.")
    first = next(iter(runs.values()))
    order, relevant_of = _by_relevant(first)
    height = len(runs) + 1.25  # of a topic: its name, its lists, and a gap
    ax = axes(ax, 0.3 * longest + 2.5, 0.21 * len(order) * height + 0.9)
    labels: dict[float, str] = {}
    for at, topic in enumerate(order):
        top, count = at * height, relevant_of[topic] or "none"
        title = f"{label(first.topics[topic])}: {count} relevant"
        ax.text(0.5, top, title, va="center", fontsize="small", weight="bold", color=INK)
        for y, (system, rankings) in enumerate(runs.items(), 1):
            labels[top + y] = label(system)
            _circles(ax, top + y, rankings, topic, longest)
    for what, inside in (("relevant", _FILLED), ("not relevant", "white")):
        ax.scatter([], [], 34, inside, edgecolor=_FILLED, linewidth=0.9, label=what)
    ax.plot([], [], "|", color=ACCENT, markersize=11, markeredgewidth=2.2, label="end of the list")
    legend_above(ax, 3, handletextpad=0.1, columnspacing=1.2)
    ax.set_yticks(list(labels), list(labels.values()), fontsize="small")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set(xlabel="rank", xlim=(0, longest + 1), ylim=(len(order) * height - 0.6, -0.6))
    ax.set_xticks([1, *range(5, longest + 1, 5)])
    return ax


def _by_relevant(rankings: Rankings) -> tuple[Any, Any]:
    """Topics, those with most relevant documents first, and how many each has."""
    judged = rankings.judgments
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(rankings)) * ~judged.nil_queries
    return np.argsort(-relevant, kind="stable"), relevant


def _circles(ax: Axes, y: float, rankings: Rankings, topic: int, longest: int) -> None:
    """One list by rank, with its end or with what follows rank `longest`."""
    length = int(rankings.lengths[topic])
    hits = slice(rankings.judged_offsets[topic], rankings.judged_offsets[topic + 1])
    relevant = rankings.judged_ranks[hits][rankings.judged_grades[hits] > 0]
    ranks = np.arange(1, min(length, longest) + 1)
    fill = np.where(np.isin(ranks, relevant), _FILLED, "white")
    ax.scatter(ranks, np.full(len(ranks), y), 34, fill, edgecolor=_FILLED, linewidth=0.9)
    if length > longest:
        rest = f"... to {length}, {(relevant > longest).sum()} relevant"
        ax.text(longest + 0.7, y, rest, va="center", fontsize="small", color=INK)
    else:
        ax.plot([length + 0.5] * 2, [y - 0.4, y + 0.4], color=ACCENT, linewidth=2.2)


def lengths(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Each list's own length against its best one: the lists of one measure from `study.best_cuts`.

    The area of a circle grows with the number of lists in the same place.
    """
    measures = table_of(table, ("measure", "length", "best_length"), "study.best_cuts")["measure"].unique()
    for column in ("length", "best_length"):
        numbers(column, table[column])
    ax = axes(ax, 4.8, 4.6)
    if len(measures) != 1:
        raise InputError(f"one measure's lists can be shown, not {len(measures)}: pick the rows of one.")
    places = table.groupby(["length", "best_length"]).size().reset_index(name="lists")
    area = 12 + 300 * places["lists"] / len(table) * (places["lists"] > 1)
    look: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.8, "clip_on": False}
    ax.scatter(places["length"], places["best_length"], area, "#d0d0d0", **look, alpha=0.8)
    top = float(table[["length", "best_length"]].to_numpy().max())
    ax.plot([0, top], [0, top], color=ACCENT, linewidth=1.2, linestyle="--", zorder=3)
    documents(ax.xaxis, "own length", top)
    documents(ax.yaxis, "best length", top)
    title = f"{measures[0]}: own and best length of {len(table)} lists"
    ax.set(title=label(title), xlim=(-0.3, top * 1.2), ylim=(-0.3, top * 1.2))
    for x, y, side, words in (
        (0.03, 0.97, "left", "above the line: ended too early"),
        (0.98, 0.03, "right", "below the line: went on too long"),
    ):
        edge = "top" if y > 0.5 else "bottom"
        ax.text(x, y, words, transform=ax.transAxes, ha=side, va=edge, fontsize="small", color=INK)
    return ax


def nil(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How many lists have each length before and after NIL ends them: the table of `study.lengths`."""
    for name in ("before", "after"):
        numbers(name, table_of(table, ("before", "after"), "study.lengths")[name])
    ax = axes(ax)
    for offset, (name, colour) in zip((-0.2, 0.2), (("before", "white"), ("after", INK))):
        ax.bar(
            np.arange(len(table)) + offset,
            table[name],
            0.4,
            label=f"{name} NIL ends lists",
            color=colour,
            edgecolor=INK,
        )
    ax.set_xticks(range(len(table)), table.index)
    ax.set(xlabel="length of the list (documents)", ylabel="lists")
    whole_ticks(ax.yaxis)
    legend_above(ax, 2)
    return ax


def cuts(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Distribution of best cuts: the table of `study.cuts`. Lines for a few measures, a shaded table for
    many.
    """
    for name, column in table_of(table, (), "study.cuts").items():
        numbers(str(name), column)
    if table.shape[1] > MOST_NAMES:
        ax = shaded(100 * table.T, "{:.0f}", ax)
        ax.set(xlabel="best cut (documents)", title="lists (%)")
        return ax
    ax = axes(ax, 7.2, 4.2)
    series = {name: (range(len(table)), 100 * shares) for name, shares in table.items()}
    lines(ax, series, "best cut (documents)", "lists (%)")
    ax.set_xticks(range(len(table)), table.index, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_ylim(bottom=0)
    return ax
