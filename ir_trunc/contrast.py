"""Pictures of systems beside each other: where their lists end, and what that does to their scores.

As in `ir_trunc.plots`, every function draws on the Axes it is given, or on those of a new figure, and returns them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ir_trunc.errors import InputError
from ir_trunc.plots import _ACCENT, _COLOURS, _GREY, _INK, _axes
from ir_trunc.rankings import Rankings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def ends(runs: Mapping[str, Rankings], longest: int = 20, ax: Axes | None = None) -> Axes:
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
