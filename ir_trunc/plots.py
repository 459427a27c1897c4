"""Pictures of truncation. They need matplotlib (`pip install 'ir_trunc[plot]'`) and change no global state of it.

Every function draws on the Axes it is given, or on those of a new figure, and returns them. `ax.figure` shows the picture in
a notebook, after `%matplotlib inline`, and `ax.figure.savefig("it.pdf")` keeps it. What is told apart is told apart by
marker, line style or words, not by colour alone.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc.curve import Curve
from ir_trunc.errors import InputError, IrTruncError
from ir_trunc.rankings import Rankings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_INK = "#222222"
_GREY = "#8c8c8c"
_ACCENT = "#D55E00"
# Colours that colour-blind readers can tell apart; markers and line styles say the same without them.
_COLOURS = ("#0072B2", _ACCENT, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", _INK)
_MARKERS = "osD^vPX*<>"
_LINES = ("-", "--", "-.", ":")
_MOST_LINES = 7


def _axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    if ax is None:
        # Without pyplot no list of figures is kept and no window opens.
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise IrTruncError("Pictures need matplotlib: pip install 'ir_trunc[plot]'.") from None

        ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _styles(count: int) -> list[dict[str, Any]]:
    """Looks of several lines."""
    looks = zip(cycle(_COLOURS), cycle(_MARKERS), cycle(_LINES), range(count))
    return [{"color": c, "marker": m, "linestyle": line, "markersize": 5, "linewidth": 1.3} for c, m, line, _ in looks]


def _documents(axis: Any, what: str, longest: float) -> None:
    """An axis of lengths from 0 on; logarithmic, with plain numbers, where lists are long: what matters is near the top."""
    axis.set_label_text(f"{what} (documents)")
    if longest >= 100:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("symlog", linthresh=1)
        axis.set_ticks([0, *(10**i for i in range(int(np.log10(longest)) + 1))])
        axis.set_major_formatter("{x:.0f}")


def curve(curve: Curve, topic: str, measure: Any = "score", ax: Axes | None = None) -> Axes:
    """One topic's score at every depth, with the list's own end and its best cut marked; dotted: the empty list's score."""
    ax = _axes(ax)
    values = dict(curve.rows()).get(topic)
    if values is None:
        raise InputError(f"the curve has no topic {topic!r}; its first is {curve.topics[0]!r}.")
    best, own = int(np.argmax(values)), len(values) - 1
    ax.plot(values, color=_INK, linewidth=1.3)
    ax.axhline(values[0], color=_GREY, linewidth=0.8, linestyle=":", zorder=1)
    for what, depth, marker, fill in (("best cut", best, "D", "white"), ("own end", own, "s", _ACCENT)):
        look: dict[str, Any] = {
            "color": _ACCENT,
            "markerfacecolor": fill,
            "markersize": 8,
            "linestyle": "none",
            "clip_on": False,
        }
        ax.plot(depth, values[depth], marker, label=f"{what}: {depth} documents, {values[depth]:.3g}", **look)
    _documents(ax.xaxis, "length of the list", own)
    ax.set(ylabel=f"{measure} of topic {topic}", xlim=(0, max(own, 1)))
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def lengths(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Each list's own length against its best one: the lists of one measure from `study.best_cuts`.

    The area of a circle grows with the number of lists in the same place.
    """
    ax = _axes(ax, 4.8, 4.6)
    measures = table["measure"].unique()
    if len(measures) != 1:
        raise InputError(f"one measure's lists can be shown, not {len(measures)}: pick the rows of one.")
    places = table.groupby(["length", "best_length"]).size().reset_index(name="lists")
    area = 12 + 300 * places["lists"] / len(table) * (places["lists"] > 1)
    ax.scatter(
        places["length"], places["best_length"], area, "none", edgecolor=_INK, linewidth=0.7, alpha=0.6, clip_on=False
    )
    top = float(table[["length", "best_length"]].to_numpy().max())
    ax.plot([0, top], [0, top], color=_ACCENT, linewidth=1, linestyle="--", label="own length is the best", zorder=3)
    _documents(ax.xaxis, "own length", top)
    _documents(ax.yaxis, "best length", top)
    ax.set(title=f"{measures[0]}: {len(table)} lists", xlim=(-0.3, top * 1.2), ylim=(-0.3, top * 1.2))
    ax.legend(frameon=False, loc="upper left")
    return ax


def lists(rankings: Rankings, title: str = "", longest: int = 40, ax: Axes | None = None) -> Axes:
    """All lists of a system by rank, the topics with most relevant documents on top: dark is relevant, light is not.

    What the rankings of a topic lack is white; a list that goes on beyond rank `longest` has an arrow. Below the line are
    nil queries. rankings: those of `Results.rankings`, or any.
    """
    judged, relevant_hits = rankings.judgments, rankings.hit_grades > 0
    relevant = np.bincount(judged.rows[judged.grades > 0], minlength=len(rankings))
    order = np.argsort(-relevant, kind="stable")
    cells = np.where(np.arange(longest) < rankings.lengths[:, None], 0.2, 0.0)
    seen = relevant_hits & (rankings.hit_ranks <= longest)
    cells[rankings.hit_rows[seen], rankings.hit_ranks[seen] - 1] = 1
    ax = _axes(ax, 5.2, 1.2 + 0.09 * len(rankings))
    ax.pcolormesh(np.arange(longest + 1) + 0.5, np.arange(len(rankings) + 1), cells[order], cmap="Greys", vmin=0, vmax=1.15)
    beyond = np.flatnonzero(rankings.lengths[order] > longest)
    ax.plot(np.full(len(beyond), longest + 1.2), beyond + 0.5, ">", color=_GREY, markersize=3, clip_on=False)
    answerable = int((relevant > 0).sum())
    if answerable < len(rankings):
        ax.axhline(answerable, color=_ACCENT, linewidth=1)
        ax.text(longest + 0.5, answerable, "nil queries below", color=_ACCENT, ha="right", va="bottom", fontsize="small")
    ax.set(title=title, xlabel="rank", ylabel="topics, by relevant documents", xlim=(0.5, longest + 0.5), yticks=[])
    ax.invert_yaxis()
    return ax


def nil(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How many lists have each length before and after NIL ends them: the table of `study.lengths`."""
    ax = _axes(ax)
    for offset, (name, colour) in zip((-0.2, 0.2), (("before", "white"), ("after", _INK))):
        ax.bar(
            np.arange(len(table)) + offset, table[name], 0.4, label=f"{name} NIL ends lists", color=colour, edgecolor=_INK
        )
    ax.set_xticks(range(len(table)), table.index)
    ax.set(xlabel="length of the list (documents)", ylabel="lists")
    ax.legend(frameon=False)
    return ax


def example(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Scores of one list at every cut, a line for each measure: the table of `study.example`."""
    ax = _axes(ax, 7.2, 4.2)
    for style, (name, scores) in zip(_styles(table.shape[1]), table.items()):
        ax.plot(table.index, scores, label=str(name), markevery=(len(ax.lines), 8), **style)
    ax.axhline(0, color=_GREY, linewidth=0.8, zorder=1)
    ax.set(xlabel="cut (documents)", ylabel="score", xlim=(0, table.index.max()))
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def cuts(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Distribution of best cuts: the table of `study.cuts`. Lines for a few measures, a shaded table for many."""
    if table.shape[1] > _MOST_LINES:
        ax = _shaded(100 * table.T, "{:.0f}", ax)
        ax.set(xlabel="best cut (documents)", title="lists (%)")
        return ax
    ax = _axes(ax, 7.2, 4.2)
    for style, (name, shares) in zip(_styles(table.shape[1]), table.items()):
        ax.plot(range(len(table)), 100 * shares, label=str(name), **style)
    ax.set_xticks(range(len(table)), table.index, rotation=45, ha="right", rotation_mode="anchor")
    ax.set(xlabel="best cut (documents)", ylabel="lists (%)")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def agreement(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Kendall's tau between orders of the systems as a shaded table: that of `study.agreement`."""
    ax = _shaded(table, "{:.2f}", ax)
    ax.set(xlabel="measure by which lists are cut at their best", ylabel="measure of full lists", title="Kendall's tau")
    return ax


def _shaded(table: pd.DataFrame, form: str, ax: Axes | None) -> Axes:
    ax = _axes(ax, 2 + 0.5 * table.shape[1], 1.2 + 0.25 * table.shape[0])
    cells = table.to_numpy()
    ax.imshow(cells, cmap="Greys", aspect="auto", vmin=0, vmax=2 * np.nanmax(cells))  # no shade hides its figure
    for (row, column), value in np.ndenumerate(cells):
        ax.text(column, row, form.format(value), ha="center", va="center", color=_INK)
    ax.set_xticks(range(table.shape[1]), table.columns, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(table.shape[0]), table.index)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def policies(table: pd.DataFrame, against: str = "length", ax: Axes | None = None) -> Axes:
    """Score of each policy against what its lists cost: the table of `cross_validate`, one system.

    against: the column 'length' or 'cost', or one of your own, as 'tokens'. Bars are the confidence intervals.
    """
    ax = _axes(ax)
    systems = table["system"].unique()
    if len(systems) != 1:
        raise InputError(f"one system's policies can be shown, not those of {len(systems)}: pick the rows of one.")
    if against not in table:
        raise InputError(f"the table has no column {against!r}; it has: {', '.join(map(str, table))}.")
    for style, row in zip(_styles(len(table)), table.to_dict("records")):
        bar = [[row["score"] - row["low"]], [row["high"] - row["score"]]]
        look = style | {"linestyle": "none", "markersize": 8, "capsize": 3, "elinewidth": 0.9, "markerfacecolor": "white"}
        ax.errorbar(row[against], row["score"], bar, label=row["policy"], **look)
    if against == "length":
        _documents(ax.xaxis, "mean length", table["length"].max())
        ax.set_xlim(left=0)
    else:
        ax.set_xlabel("mean cost of a list (units of gain)" if against == "cost" else f"mean {against} of a list")
    ax.set(ylabel="mean score (bars: 95 % confidence)", title=str(systems[0]))
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def slope(before: pd.Series[float], after: pd.Series[float], ax: Axes | None = None, labels: int = 30) -> Axes:
    """Places of systems before and after, a line for each: two Series of scores by system, whose names are the titles.

    Systems that move by a tenth of the places or more stand out. labels: about how many systems are named, those that move
    furthest first.
    """
    if set(before.index) != set(after.index):
        raise InputError("before and after must score the same systems.")
    count = len(before)
    places = [series.rank(ascending=False, method="first") for series in (before, after.reindex(before.index))]
    ends = {system: (places[0][system], places[1][system]) for system in before.index}
    ax = _axes(ax, 5.2, 1.2 + 0.17 * min(count, labels))
    named: list[tuple[float, float]] = []
    for system, (left, right) in sorted(ends.items(), key=lambda item: -abs(item[1][0] - item[1][1])):
        rises, far = right < left, abs(left - right) >= max(1, count / 10)
        colour, style, width = (_INK, "-" if rises else "--", 1.4) if far else (_GREY, "-", 0.7)
        ax.plot([0, 1], [left, right], style, color=colour, linewidth=width, marker="o", markersize=3, zorder=2 + far)
        room = min((min(abs(left - x), abs(right - y)) for x, y in named), default=count)
        if room >= 0.8 * count / labels:
            named.append((left, right))
            for x, y, side in ((-0.04, left, "right"), (1.04, right, "left")):
                ax.text(x, y, str(system), ha=side, va="center", fontsize="x-small")
    step = 5 if count <= 40 else 20
    ax.set_yticks([1, *range(step, count + 1, step)])
    ax.set_xticks([0, 1], [str(before.name or "before"), str(after.name or "after")])
    ax.set(ylabel="place of the system", xlim=(-0.7, 1.7), ylim=(1.015 * count + 0.7, 0.3 - 0.015 * count))
    ax.spines["left"].set_visible(False)
    ax.set_title("black: a tenth of the places or more, solid up, dashed down", fontsize="small", color=_INK)
    return ax
