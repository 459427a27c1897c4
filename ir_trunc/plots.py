"""Pictures of truncation. They need matplotlib (`pip install 'ir_trunc[plot]'`) and change no global state of it.

Every function draws on the Axes it is given, or on those of a new figure, and returns them; `ax.figure` shows the picture in
a notebook and `ax.figure.savefig("it.pdf")` keeps it. What is told apart is told apart by marker, line style or words, not
by colour alone.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ir_trunc.curve import Curve
from ir_trunc.errors import InputError, IrTruncError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes

    from ir_trunc.rankings import Rankings

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


def lists(runs: Mapping[str, Rankings], longest: int = 20, ax: Axes | None = None) -> Axes:
    """Every list of one or more systems by rank: full circles are relevant documents, and a bar is the end of the list.

    runs: rankings of the same topics by system, as `evaluator(...).calc(run).rankings` has them. longest: documents that are
    drawn of a list; of a longer one its length is written.
    """
    topics = next(iter(runs.values())).topics
    ax = _axes(ax, 0.3 * longest + 2.5, 0.24 * len(topics) * (len(runs) + 0.6) + 0.7)
    labels: dict[float, str] = {}
    height = len(runs) + 0.6
    for at, topic in enumerate(topics):
        for place, (system, rankings) in enumerate(runs.items()):
            y, length = at * height + place, int(rankings.lengths[at])
            labels[y] = f"{topic}   {system}" if place == 0 else system
            hits = slice(rankings.hit_offsets[at], rankings.hit_offsets[at + 1])
            relevant = rankings.hit_ranks[hits][rankings.hit_grades[hits] > 0]
            ranks = np.arange(1, min(length, longest) + 1)
            fill = np.where(np.isin(ranks, relevant), _COLOURS[0], "white")
            ax.scatter(ranks, np.full(len(ranks), y), 34, fill, edgecolor=_COLOURS[0], linewidth=0.9)
            if length > longest:
                rest = f"... to {length}, {(relevant > longest).sum()} relevant"
                ax.text(longest + 0.7, y, rest, va="center", fontsize="small", color=_INK)
            else:
                ax.plot([length + 0.5] * 2, [y - 0.4, y + 0.4], color=_ACCENT, linewidth=2.2)
    for what, inside in (("relevant", _COLOURS[0]), ("not relevant", "white")):
        ax.scatter([], [], 34, inside, edgecolor=_COLOURS[0], linewidth=0.9, label=what)
    ax.plot([], [], "|", color=_ACCENT, markersize=11, markeredgewidth=2.2, label="end of the list")
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, handletextpad=0.1, columnspacing=1.2)
    ax.set_yticks(list(labels), list(labels.values()))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    cut = max(int(rankings.lengths.max(initial=0)) for rankings in runs.values()) > longest
    ax.set(xlabel="rank", xlim=(0, longest * (1.35 if cut else 1) + 1), ylim=(len(topics) * height - 0.5, -0.8))
    ax.set_xticks([1, *range(5, longest + 1, 5)])
    return ax


def change(before: pd.Series[float], after: pd.Series[float], ax: Axes | None = None) -> Axes:
    """By how much scores change, in per cent of the score before: two Series of scores by measure, a bar for each measure.

    Bars are dark where the score rises. Raises InputError for other measures after than before, and for scores before that
    are not above 0.
    """
    if set(before.index) != set(after.index) or not (before > 0).all():
        raise InputError("before and after must have the same measures, with scores above 0 before.")
    ax = _axes(ax, 4.8, 0.8 + 0.27 * len(before))
    percent = 100 * (after.reindex(before.index) / before - 1)
    places = range(len(percent))
    ax.barh(places, percent, 0.72, color=[_COLOURS[0] if value > 0 else _GREY for value in percent])
    for place, value in zip(places, percent):
        side = "left" if value > 0 else "right"
        ax.annotate(f"{value:+.1f} %".replace("-", "\N{MINUS SIGN}"), (value, place), (4 if value > 0 else -4, 0),
                    textcoords="offset points", ha=side, va="center", fontsize="small", color=_INK)  # fmt: skip
    ax.axvline(0, color=_INK, linewidth=0.9)
    ax.set_yticks(places, [str(measure) for measure in before.index])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.25)
    ax.set(xlabel="change of the score (%)", title=f"{after.name or 'after'} against {before.name or 'before'}")
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


def cuts(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Distribution of best cuts: the table of `study.cuts`. Lines for a few measures, a shaded table for many."""
    if table.shape[1] > _MOST_LINES:
        return _shaded(100 * table.T, ax)
    ax = _axes(ax, 7.2, 4.2)
    for style, (name, shares) in zip(_styles(table.shape[1]), table.items()):
        ax.plot(range(len(table)), 100 * shares, label=str(name), **style)
    ax.set_xticks(range(len(table)), table.index, rotation=45, ha="right", rotation_mode="anchor")
    ax.set(xlabel="best cut (documents)", ylabel="lists (%)")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def _shaded(percent: pd.DataFrame, ax: Axes | None) -> Axes:
    ax = _axes(ax, 2 + 0.5 * percent.shape[1], 1.2 + 0.25 * percent.shape[0])
    cells = percent.to_numpy()
    ax.imshow(cells, cmap="Greys", aspect="auto", vmin=0, vmax=1.3 * cells.max())
    for (row, column), value in np.ndenumerate(cells):
        ink = "white" if value > 0.65 * cells.max() else _INK
        ax.text(column, row, f"{value:.0f}", ha="center", va="center", color=ink, fontsize="small")
    ax.set_xticks(range(percent.shape[1]), percent.columns, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(percent.shape[0]), percent.index)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="best cut (documents)", title="lists (%)")
    return ax


def policies(table: pd.DataFrame, against: Literal["length", "cost"] = "length", ax: Axes | None = None) -> Axes:
    """Score of each policy against the length or the cost of its lists: the table of `cross_validate`, one system.

    Bars are the confidence intervals.
    """
    ax = _axes(ax)
    systems = table["system"].unique()
    if len(systems) != 1:
        raise InputError(f"one system's policies can be shown, not those of {len(systems)}: pick the rows of one.")
    for style, row in zip(_styles(len(table)), table.to_dict("records")):
        bar = [[row["score"] - row["low"]], [row["high"] - row["score"]]]
        look = style | {"linestyle": "none", "markersize": 8, "capsize": 3, "elinewidth": 0.9, "markerfacecolor": "white"}
        ax.errorbar(row[against], row["score"], bar, label=row["policy"], **look)
    if against == "length":
        _documents(ax.xaxis, "mean length", table["length"].max())
        ax.set_xlim(left=0)
    else:
        ax.set_xlabel("mean cost of a list (units of gain)")
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
