"""A picture of policies: what they score, and what their lists cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir_trunc.core.checks import series as numbers
from ir_trunc.core.checks import text
from ir_trunc.core.errors import InputError
from ir_trunc.core.later import pd
from ir_trunc.plots.colours import INK
from ir_trunc.plots.files import label
from ir_trunc.plots.looks import axes, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def policies(table: pd.DataFrame, against: str = "length", ax: Axes | None = None) -> Axes:
    """A row for each policy: its score with the confidence interval, and what its lists cost.

    Parameters
    ----------
    table : DataFrame
        The rows of one system in the table of `truncation.cross_validate`.
    against : str
        What is written beside: the column 'length' or 'cost', or one of your own, as 'tokens'.
    ax : Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For a table of several systems, or without a column that is needed.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.synthetic import generated
    >>> from ir_trunc.truncation import cross_validate
    >>> qrels, runs = generated.collection(topics=10, systems=2)
    >>> table = cross_validate("Greedy LargestGap", "RBPT", qrels, {"fair": runs["fair-never"]}, folds=2)
    >>> len(plots.policies(table).get_yticks())
    2
    """
    systems = table_of(table, ("system", "policy", "score", "low", "high"), "cross_validate")[
        "system"
    ].unique()
    if len(systems) != 1:
        raise InputError(
            f"one system's policies can be shown, not those of {len(systems)}: pick the rows of one."
        )
    if text("against", against) not in table:
        raise InputError(f"the table has no column {against!r}; it has: {', '.join(map(str, table))}.")
    for column in ("score", "low", "high", against):
        numbers(column, table[column])
    shown = table.sort_values("score", ascending=False, kind="stable")
    ax = axes(ax, 6.4, 1.1 + 0.28 * len(shown))
    places = range(len(shown))
    bars = [shown["score"] - shown["low"], shown["high"] - shown["score"]]
    look: dict[str, Any] = {"color": INK, "markersize": 6, "capsize": 3, "elinewidth": 1.1}
    ax.errorbar(shown["score"], places, xerr=bars, fmt="o", **look)
    ax.set_yticks(places, [label(name) for name in shown["policy"]])
    for place, spent in zip(places, shown[against]):
        _beyond(ax, place, f"{spent:,.0f}" if abs(spent) >= 100 else f"{spent:.1f}")
    _beyond(ax, -0.9, _SPENT.get(against, f"mean {against}\nof a list"), va="bottom")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines["left"].set_visible(False)
    ax.set(xlabel="mean score (bars: 95 % confidence)", title=label(systems[0]))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    return ax


_SPENT = {"length": "mean length\n(documents)", "cost": "mean cost\n(units of gain)"}


def _beyond(ax: Axes, y: float, words: str, va: str = "center") -> None:
    """Words beyond the right edge, flush right."""
    look: dict[str, Any] = {"ha": "right", "va": va, "fontsize": "small", "color": INK}
    ax.annotate(
        words, (1, y), (80, 0), ax.get_yaxis_transform(), "offset points", annotation_clip=False, **look
    )
