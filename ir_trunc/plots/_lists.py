"""Plots of lists by rank, of lengths and cuts, and of policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_trunc._core.curve import Curve, bin_name, bin_of
from ir_trunc._core.errors import InputError, counted, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, mapping, numbers, text, whole
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.qrels import QrelsLike, read_qrels
from ir_trunc.plots import _kit
from ir_trunc.plots._kit import Axes

MOST = 10_000  # documents of a list that a plot can show at most

_FILLED = _kit.COLOURS[2]
_HOLLOW: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.7, "markerfacecolor": "white"}
_HOLLOW["color"] = _kit.INK
_RELEVANT = "relevant documents by topic"


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
    arrows: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "color": _kit.INK, "markersize": 3}
    ax.plot(np.full(len(beyond), 1.015), beyond, ">", clip_on=False, **arrows)
    answerable = int((relevant > 0).sum())
    if answerable < len(rankings):
        ax.axhline(answerable, color=_kit.ACCENT, linewidth=1)
        style = _kit.SMALL | {"color": _kit.ACCENT, "ha": "right", "va": "bottom"}
        ax.text(longest + 0.5, answerable, "nil queries below", **style)
    ax.set_xticks([1, *range(step, longest + 1, step)])
    what = f"{counted(len(rankings), 'topic')}, those with most to find on top"
    ax.set(title=_kit.label(text("title", title)), xlabel="rank (dark: relevant, light: not)", ylabel=what)
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
    letters = max(len(_kit.label(system)) for system in runs)
    width = 0.08 * letters + max(0.3 * longest + 2, 4.6)  # inches; the legend needs the latter
    ax = _kit.ready_axes(ax, width, 0.21 * len(order) * height + 0.9)
    labels: dict[float, str] = {}
    for place, topic in enumerate(order):
        top, count = place * height, relevant_of[topic] or "none"
        title = f"{_kit.label(first.topics[topic])}: {count} relevant"
        ax.text(0.5, top, title, va="center", weight="bold", **_kit.SMALL)
        for y, (system, rankings) in enumerate(runs.items(), 1):
            labels[top + y] = _kit.label(system)
            _circles(ax, top + y, rankings, topic, longest)
    for what, inside in (("relevant", _FILLED), ("not relevant", "white")):
        ax.scatter([], [], 34, inside, edgecolor=_FILLED, linewidth=0.9, label=what)
    ax.plot([], [], "|", color=_kit.ACCENT, markersize=11, markeredgewidth=2.2, label="end of the list")
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
    ax.vlines(np.flatnonzero(news), -0.35, 0.35, color=_kit.INK, linewidth=1.6)
    for row, (name, column) in enumerate(list(table.items())[1:], 1):
        reported = column.to_numpy(bool)
        right, false = np.flatnonzero(news & reported), np.flatnonzero(reported & ~news)
        missed = np.flatnonzero(news & ~reported)
        ax.vlines(right, row - 0.35, row + 0.35, color=_FILLED, linewidth=1.6)
        ax.vlines(false, row + 0.02, row + 0.35, color=_kit.ACCENT, linewidth=1.0)
        ax.plot(missed, np.full(len(missed), row - 0.2), "o", **_HOLLOW)
        names.append(f"{_kit.label(name)}: {len(right)} of {news.sum()}, {len(false)} false")
    ax.vlines([], 0, 0, color=_FILLED, linewidth=1.6, label="reported news")
    ax.plot([], [], "o", label="missed it", **_HOLLOW)
    ax.vlines([], 0, 0, color=_kit.ACCENT, linewidth=1.0, label="reported without news (half bar)")
    _kit.legend_above(ax, 3, columnspacing=1.2)
    _kit.set_title(ax, _kit.label(table.index.name or ""))
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
        ax.text(longest + 0.7, y, rest, va="center", **_kit.SMALL)
    else:
        ax.plot([length + 0.5] * 2, [y - 0.4, y + 0.4], color=_kit.ACCENT, linewidth=2.2)


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
    ax = _kit.ready_axes(ax)
    if values is None:
        raise InputError(f"the curve has no topic {topic!r}; its first is {curve.topics[0]!r}.")
    best, own = int(curve.best()[0][curve.topics.index(topic)]), len(values) - 1
    ax.plot(values, color=_kit.INK, linewidth=1.3)
    ax.axhline(values[0], color=_kit.GREY, linewidth=0.8, linestyle=":", zorder=1)
    # Where the list ends at its best cut, its square is inside the diamond.
    marks = (("best cut", best, "D", "white", 10), ("own end", own, "s", _kit.ACCENT, 5.5))
    for what, depth, marker, fill, size in marks:
        style: dict[str, Any] = {"markerfacecolor": fill, "markersize": size, "linestyle": "none"}
        name = f"{what}: {counted(depth, 'document')}, {values[depth]:.3f}"
        ax.plot(depth, values[depth], marker, color=_kit.ACCENT, clip_on=False, label=name, **style)
    _kit.length_axis(ax.xaxis, "length of the list", own)
    name = measure if isinstance(measure, str) else shown(measure)
    ax.set(ylabel=_kit.label(f"{name} of topic {topic}"), xlim=(0, max(own, 1)))
    _kit.legend_above(ax)
    return ax


_COARSE = 20  # documents: a list as long as this makes the axes of `lengths` logarithmic


def lengths(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Each list's own length against its best one: the lists of one measure from `study.best_cuts`.

    The area of a circle grows with the number of lists in the same place. From 20 documents on, the axes are
    logarithmic, and lists of about the same lengths share a circle.

    Parameters
    ----------
    table : DataFrame
        With the columns measure, length and best_length.
    ax : Axes, optional

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
    columns = ["length", "best_length"]
    _kit.checked_table(table, "study.best_cuts", ["measure"], columns)
    measure = _kit.only_value(table["measure"], "measure", "lists")
    ax = _kit.ready_axes(ax, 4.8, 4.6)
    places = table[columns].to_numpy(float)
    top = float(places.max())
    coarse = top >= _COARSE
    # Lengths whose circles would overlap share one: steps that are equal on the axis.
    steps = np.unique([0, *np.rint(np.geomspace(1, top, 18))]) if coarse else np.arange(top + 1)
    nearest = steps[np.abs(places[:, :, None] - steps).argmin(axis=2)]
    circles, lists = np.unique(nearest, axis=0, return_counts=True)
    x, y = circles.T
    largest = 80 if coarse else min((240 / (top + 1)) ** 2, 312)
    area = np.maximum(largest * lists / lists.max(), 8 if coarse else 6)
    ax.scatter(x, y, area, "#d0d0d0", edgecolor=_kit.INK, linewidth=0.8, clip_on=False)
    ax.plot([0, top], [0, top], color=_kit.ACCENT, linewidth=1.2, linestyle="--", zorder=0.5)
    _kit.length_axis(ax.xaxis, "own length", top, _COARSE)
    _kit.length_axis(ax.yaxis, "best length", top, _COARSE)
    title = f"{measure}: own and best length of {len(table)} lists"
    limits = (-0.3, max(top * (1.6 if coarse else 1.1), top + 0.3))
    ax.set(title=_kit.label(title), xlim=limits, ylim=limits)
    inside = _kit.SMALL | {"transform": ax.transAxes}
    ax.text(0.03, 0.97, "above the line: ended too early", ha="left", va="top", **inside)
    ax.text(0.98, 0.03, "below the line: went on too long", ha="right", va="bottom", **inside)
    return ax


def nil(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How many lists have each length before and after NIL ends them: the table of `study.nil_report`.

    Parameters
    ----------
    table : DataFrame
        With the columns before and after; the index has the lengths.
    ax : Axes, optional

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
    >>> plots.nil(study.nil_report({"mine": {"1": {"a": 3, "NIL": 2}}}).to_pandas()).get_ylabel()
    'lists'
    """
    _kit.checked_table(table, "study.nil_report", finite=("before", "after"))
    ax = _kit.ready_axes(ax)
    for offset, name, colour in ((-0.2, "before", "white"), (0.2, "after", _kit.INK)):
        x, label = np.arange(len(table)) + offset, f"{name} NIL ends lists"
        ax.bar(x, table[name], 0.4, color=colour, edgecolor=_kit.INK, label=label)
    ax.set_xticks(range(len(table)), table.index)
    ax.set(xlabel="length of the list (documents)", ylabel="lists")
    _kit.integer_ticks(ax.yaxis)
    _kit.legend_above(ax, 2)
    return ax


def cuts(table: pd.DataFrame, ax: Axes | None = None, qrels: QrelsLike | None = None) -> Axes:
    """Distribution of best cuts: stems for a few measures, a shaded table for many.

    With qrels also that of the numbers of relevant documents by topic (Amigó et al. 2022, figure 2).

    Parameters
    ----------
    table : DataFrame
        That of `study.cuts`: bins by measures.
    ax : Axes, optional
    qrels : QrelsLike, optional
        The judgments, as `ir_trunc.calc` takes them.

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
    _kit.checked_table(table, "study.cuts", finite=None)
    relevant = None
    if qrels is not None:
        judgments = read_qrels(qrels).judgments
        R = bin_of(np.bincount(judgments.rows[judgments.grades > 0], minlength=len(judgments.topics)))
        bins = [bin_name(number) for number in range(max(len(table), int(R.max()) + 1))]
        table = table.reindex(bins, fill_value=0.0)
        relevant = np.bincount(R, minlength=len(bins)) / len(R)
    if table.shape[1] > _kit.MOST_NAMES:
        table = table if relevant is None else table.assign(**{_RELEVANT: relevant})
        ax = _kit.shaded_table(100 * table.T, "{:.0f}", ax)
        ax.set(xlabel="best cut (documents)", title="lists (%)")
        return ax
    ax = _kit.ready_axes(ax, 7.2, 4.2)
    middle, apart = (table.shape[1] - 1) / 2, 0.8 / table.shape[1]
    styles = _kit.line_styles(table.shape[1])
    for number, (style, (name, shares)) in enumerate(zip(styles, table.items())):
        x = np.arange(len(table)) + apart * (number - middle)
        ax.vlines(x, 0, 100 * shares, color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
        ax.plot(x, 100 * shares, label=_kit.label(name), **style | {"linestyle": "none"}, clip_on=False)
    if relevant is not None:
        ax.plot(100 * relevant, color=_kit.ACCENT, linewidth=1.2, label=_RELEVANT, zorder=0.5)
    ax.set(xlabel="best cut (documents)", ylabel="lists (%)")
    _kit.legend_beside(ax)
    _kit.slanted_ticks(ax, table.index)
    ax.set_ylim(bottom=0)
    return ax


def policies(table: pd.DataFrame, against: str = "length", ax: Axes | None = None) -> Axes:
    """A row for each policy: its score with the confidence interval, and what its lists cost.

    A policy whose interval is not known (NaN) has no bar.

    Parameters
    ----------
    table : DataFrame
        The rows of one system in the table of `truncation.cross_validate`.
    against : str
        What is written beside: the column 'length' or 'cost', or one of your own, as 'tokens'.
    ax : Axes, optional

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
    finite = ("score", text("against", against))
    _kit.checked_table(table, "cross_validate", ("system", "policy", "low", "high"), finite)
    for name in ("low", "high"):
        numbers(name, table[name].dropna())
    system = _kit.only_value(table["system"], "system", "policies")
    rows = table.sort_values("score", ascending=False, kind="stable")
    ax = _kit.ready_axes(ax, 6.4, 1.1 + 0.28 * len(rows))
    places = range(len(rows))
    bars = [rows["score"] - rows["low"], rows["high"] - rows["score"]]
    style: dict[str, Any] = {"color": _kit.INK, "markersize": 6, "capsize": 3, "elinewidth": 1.1}
    ax.errorbar(rows["score"], places, xerr=bars, fmt="o", **style)
    _kit.name_rows(ax, places, map(_kit.label, rows["policy"]))
    for place, spent in zip(places, rows[against]):
        _beyond(ax, place, f"{spent:,.0f}" if abs(spent) >= 100 else f"{spent:.1f}")
    _beyond(ax, -0.9, _SPENT.get(against, f"mean {against}\nof a list"), va="bottom")
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.set(xlabel="mean score (bars: 95 % confidence)", title=_kit.label(system))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    return ax


_SPENT = {"length": "mean length\n(documents)", "cost": "mean cost"}


def _beyond(ax: Axes, y: float, words: str, va: str = "center") -> None:
    """Words beyond the right edge, flush right."""
    style = _kit.SMALL | {"ha": "right", "va": va, "annotation_clip": False}
    ax.annotate(words, (1, y), (80, 0), ax.get_yaxis_transform(), "offset points", **style)


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
    _kit.checked_table(table, "study.example", finite=None)
    numbers("cut", table.index)
    ax = _kit.ready_axes(ax, 7.2, 4.2)
    _kit.draw_lines(ax, {name: (table.index, column) for name, column in table.items()}, "", "score")
    ax.axhline(0, color=_kit.GREY, linewidth=0.8, zorder=1)
    _kit.length_axis(ax.xaxis, "cut", 0)
    ax.set(xlim=(0, max(1, table.index.max())))
    return ax
