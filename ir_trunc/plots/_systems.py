"""Plots of scores of systems and measures, of recall and risk, and lines of any data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import flag, instance, mapping, number, numbers, whole
from ir_trunc._core.rankings import Rankings
from ir_trunc._inference.estimate import intervals_of_shares
from ir_trunc._read.text import read_sizes
from ir_trunc.measures.declaration import lower_is_better
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import QRELS, Size, Sizes, is_path
from ir_trunc.measures.parts import binary, collection_sizes
from ir_trunc.plots import _kit
from ir_trunc.plots._kit import Axes

_BEST = _kit.COLOURS[2]
_FIRST_ANSWERS = 10  # where curves of risk begin


def scores(table: Any, ax: Axes | None = None) -> Axes:
    """Mean scores as dots: a row for each system, and beside each other the measures, each on its own scale.

    The best system by each measure has a full dot; of a measure that counts losses the lowest mean is the
    best. Scores of different measures have different scales, and are compared by measure only.

    Parameters
    ----------
    table : Comparison or DataFrame
        What `ir_trunc.compare` returns, whose intervals of the means are drawn as bars, or a table of systems
        by measures.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For anything but a comparison or a table of numbers.

    Examples
    --------
    >>> from ir_trunc import compare, plots
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> ax = plots.scores(compare("RBPT RR", qrels, {"mine": run, "short": {"1": ["a"]}}))
    >>> [text.get_text() for text in ax.texts]
    ['RBPT', '0.820', '0.300', 'RR', '0.750', '0.500']
    """
    means = getattr(table, "means", None)
    if isinstance(means, Mapping):
        bounds = means["low"], means["high"]
        return scores_with_bounds(table.to_pandas()[[*table.measures]], bounds, table.alpha, ax)
    return scores_with_bounds(table, None, 0, ax)


def scores_with_bounds(
    means: pd.DataFrame,
    bounds: tuple[Floats, Floats] | None,
    alpha: float,
    ax: Axes | None,
    line: tuple[str, Floats] | None = None,
) -> Axes:
    """Mean scores as dots; `bounds` are the ends of their intervals (M x systems each), drawn as bars.

    line: a name, and the score of each measure at which there is a dotted line.
    """
    rows, columns = _kit.checked_table(means, "compare(...).to_pandas()", finite=None).shape
    ax = _kit.ready_axes(ax, 1.8 + 1.35 * columns, 1.2 + 0.36 * rows)
    from matplotlib.ticker import MaxNLocator

    ticks: dict[float, str] = {}
    level = "" if bounds is None else f" (bars: {100 * (1 - alpha):g} % confidence)"
    for column, (name, values) in enumerate(zip(means, means.to_numpy(float).T)):
        ends = [np.where(np.isnan(of[column]), values, of[column]) for of in bounds or ()] or [values, values]
        at = [] if line is None else [float(line[1][column])]
        lowest, highest = min([ends[0].min(), *at]), max([ends[1].max(), *at])
        span = (highest - lowest) or 1.0

        def x(score: Any, left: float = column + 0.12, lowest: Any = lowest, span: Any = span) -> Any:
            return left + 0.76 * (score - lowest) / span

        ax.text(column + 0.5, -0.95, _kit.label(name), ha="center", color=_kit.INK)
        ax.hlines(range(rows), x(ends[0]), x(ends[1]), color=_kit.INK, linewidth=1.2)
        for score in at:
            ax.vlines(x(score), -0.6, rows - 0.5, _kit.ACCENT, ":", linewidth=1.2)
        best = np.abs(values - (values.min() if lower_is_better(str(name)) else values.max())) <= TOLERANCE
        for row, score in enumerate(values):
            fill = _BEST if best[row] else "white"
            ax.plot(x(score), row, "o", markerfacecolor=fill, color=_BEST, markersize=6)
            style = _kit.SMALL | {"weight": "bold" if best[row] else "normal", "ha": "center"}
            inside = np.clip(x(score), column + 0.18, column + 0.82)  # of the column, whose edges are lines
            ax.annotate(f"{score:.3f}", (inside, row), (0, 5), textcoords="offset points", **style)
        within = [tick for tick in MaxNLocator(2).tick_values(lowest, highest) if lowest <= tick <= highest]
        ticks |= {x(tick): f"{tick:.4g}" for tick in (within or [lowest])}
        ax.axvline(column, color=_kit.GREY, linewidth=0.8)
    ax.set_xticks(list(ticks), list(ticks.values()), fontsize="small")
    _kit.name_rows(ax, range(rows), map(_kit.label, means.index), fontsize="small")
    named = "" if line is None else f"; dotted: {_kit.label(line[0])}"
    what = f"mean score, a scale for each measure{level}{named}"
    ax.set(xlim=(0, columns), ylim=(rows - 0.5, -1.3), xlabel=what)
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
    ax = _kit.shaded_table(_kit.checked_table(table, "study.agreement"), "{:.2f}", ax)
    columns = "measure by which lists are cut at their best"
    ax.set(xlabel=columns, ylabel="measure of full lists", title="Kendall's tau")
    return ax


def slope(
    before: pd.Series[float],
    after: pd.Series[float],
    ax: Axes | None = None,
    most_named: int = 30,
    *,
    pairs: pd.DataFrame | None = None,
    alpha: float = 0.05,
) -> Axes:
    """Places of systems before and after, a line for each.

    With the tests of `pairs`, moves that are significant are drawn in black: of systems which are
    significantly better than another system by one measure and significantly worse by the other. Without
    them, black moves are those by a tenth of the places or more.

    Parameters
    ----------
    before, after : Series
        Scores by system; their names are the titles. A lower score is better where the name is that of a
        measure of losses.
    ax : Axes, optional
    most_named : int
        How many systems are named at most, as far as their names have room, those that move furthest first.
        The picture says how many are not.
    pairs : DataFrame, optional
        The tests of all pairs of systems by two measures: `ir_trunc.compare(...).pairs()`. The names of
        `before` and `after` are those of the measures.
    alpha : float
        The significance level of `pairs`.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Where before and after have different systems, or `pairs` lacks one of their measures.

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
    most_named, alpha = whole("most_named", most_named, 1), number("alpha", alpha, 0, 1, inside=True)
    if set(before.index) != set(after.index):
        raise InputError("before and after must score the same systems.")
    count = len(before)
    both = before, after.reindex(before.index)
    places = [of.rank(ascending=lower_is_better(str(of.name)), method="first") for of in both]
    ends = pd.concat(places, axis=1, keys=[0, 1])
    moves = (ends[0] - ends[1]).abs().sort_values(ascending=False, kind="stable")
    letters = max(len(_kit.label(system)) for system in before.index)
    ax = _kit.ready_axes(ax, max(5.6, 3 + 0.15 * letters), 1.4 + 0.17 * min(count, most_named))
    far = max(1, math.ceil(count / 10))
    black = {*moves.index[moves >= far]}
    what = f"moved by {far} or more of {count} places"
    if pairs is not None:
        black, what = _certain_moves(pairs, both, alpha), f"significant moves, p < {alpha:g}"
    for system, left, right in ends.loc[moves.index].itertuples():
        style: dict[str, Any] = {"color": _kit.GREY, "linewidth": 0.8, "linestyle": "-", "zorder": 2}
        if system in black:
            dashes = "-" if right < left else "--"
            style = {"color": _kit.INK, "linewidth": 1.4, "linestyle": dashes, "zorder": 3}
        ax.plot([0, 1], [left, right], marker="o", markersize=3, clip_on=False, **style)
    inches = ax.get_position().height * ax.figure.bbox.height / ax.figure.dpi
    lines_of_letters = int(inches * 72 / 12)
    named = moves.index[: max(min(most_named, lines_of_letters), 1)]
    for side in (0, 1):
        _kit.beside(ax, [(system, side, ends[side][system], {}) for system in named], left=side == 0)
    names = [_kit.label(series.name or word) for series, word in ((before, "before"), (after, "after"))]
    words = [f"black: {what} (solid: up, dashed: down)"]
    if len(named) < count:
        words.append(f"named: the {len(named)} that move furthest")
    ax.set_xticks([0, 1], names)
    ax.set_yticks([])
    ax.set(title=f"Systems from best to worst\nby {names[0]} and by {names[1]}", xlabel="\n".join(words))
    ax.xaxis.label.set_fontsize("small")
    ax.set(xlim=(0, 1), ylim=(count + 0.5, 0.5))
    ax.spines["left"].set_visible(False)
    return ax


def _certain_moves(pairs: pd.DataFrame, both: Iterable[pd.Series[float]], alpha: float) -> set[str]:
    """The systems that are significantly better than another by one measure, and worse by the other."""
    columns = ("measure", "system", "other", "difference", "p")
    table, better = _kit.checked_table(pairs, "compare(...).pairs()", columns), []
    for measure in (str(series.name) for series in both):
        rows = table[table["measure"] == measure]
        if not len(rows):
            measures = ", ".join(dict.fromkeys(map(str, table["measure"])))
            what = f"there is no test by {measure}, the name of a Series"
            raise InputError(f"pairs: {what}; it has: {measures}.")
        tested = rows[rows["p"] < alpha]
        wins = (tested["difference"] < 0) == lower_is_better(measure)
        names = zip(tested["system"], tested["other"], wins)
        better.append({(first, second) if won else (second, first) for first, second, won in names})
    return {system for pair in better[0] if pair[::-1] in better[1] for system in pair}


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
    _, first = next(iter(columns.items()))
    if flag("best", best):
        points = {f"{name} (best: {y.max():.2f})": (x, y) for name, (x, y) in points.items()}
    ax = _kit.draw_lines(_kit.ready_axes(ax), points, str(first.index.name or ""), "score")
    for x, y in points.values() if best else ():
        ax.plot(x[np.argmax(y)], y.max(), "o", color=_kit.ACCENT, markersize=8, zorder=3)
    if all(np.issubdtype(x.dtype, np.integer) for x, _ in points.values()):
        _kit.integer_ticks(ax.xaxis)
    return ax


def recall_by_share(rankings: Rankings, D: Size = QRELS, rel: int = 1) -> tuple[Floats, Floats]:
    """Shares of the documents read, ascending from 0, and the mean recall of answerable topics there."""
    lists = Lists(rankings)
    gains = binary(lists, rel)
    answerable = np.count_nonzero(gains.R)
    if not answerable:
        raise InputError(f"no topic has a document of grade {rel} or more: recall has no meaning.")
    row = lists.row[gains.relevant]
    share = lists.rank[gains.relevant] / collection_sizes(lists, D)[row]
    order = np.argsort(share, kind="stable")
    recall = np.cumsum(1 / gains.R[row[order]]) / answerable
    return np.append(0.0, share[order]), np.append(0.0, recall)


def recall_curve(
    runs: Rankings | Mapping[str, Rankings], D: Any = QRELS, rel: int = 1, ax: Axes | None = None
) -> Axes:
    """Mean recall against the share of the documents read, a line for each system with a marker at its end.

    Parameters
    ----------
    runs : Rankings or {name: Rankings}
        The lists of a system, as `ir_trunc.rank` makes them, or `{name: lists}`.
    D : int, str or dict
        Number of documents of each topic: a number, 'qrels' for those that are judged, `{topic: number}`, or
        the path of a file of lines `topic<TAB>number`.
    rel : int
        Lowest grade that counts as relevant.
    ax : Axes, optional

    Returns
    -------
    Axes
        A line rises where topics find a relevant document, each topic counting the same. The marker stands at
        the mean share read and the mean recall of the lists' own ends; dotted: documents in random order.

    Raises
    ------
    InputError
        No topic has a relevant document, or D lacks a topic of the judgments.

    Examples
    --------
    >>> from ir_trunc import plots, rank
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> plots.recall_curve({"mine": rank(qrels, {"1": ["a", "b"]})}).get_xlabel()
    'documents read (%)'
    """
    named = {"": runs} if isinstance(runs, Rankings) else mapping("runs", runs, "{name: Rankings}")
    if not named:
        raise InputError("runs: at least one system is needed.")
    size, rel = Sizes("number of documents").clean("D", D), whole("rel", rel, 1)
    if is_path(size):
        size = read_sizes(str(size))
    ax = _kit.ready_axes(ax)
    ax.plot([0, 1], [0, 1], color=_kit.GREY, linewidth=0.8, linestyle=":", zorder=1)
    drawn = []
    for (name, rankings), style in zip(named.items(), _kit.line_styles(len(named))):
        instance("runs", rankings, Rankings, "lists, as ir_trunc.rank makes them,")
        share, recall = recall_by_share(rankings, size, rel)
        marker = style.pop("marker")
        drawn += ax.step([*share, 1.0], [*recall, recall[-1]], where="post", **style)
        lists = Lists(rankings)
        wanted = binary(lists, rel).R > 0
        end = np.mean((lists.n / np.maximum(collection_sizes(lists, size), 1))[wanted])
        ax.plot(end, recall[-1], marker=marker, **style | {"markersize": 8, "label": _kit.label(name)})
    ax.set(xlabel="documents read (%)", ylabel="mean recall (%)", xlim=(0, 1), ylim=(0, 1.02))
    _kit.percent(ax.xaxis, ax.yaxis)
    ax.set_title("lists end at the markers; dotted: documents in random order", fontsize="small")
    _kit.name_lines(ax, list(zip(named, drawn)))
    return ax


def risk_coverage(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Both risks at every coverage: the table of `answers.risk_coverage`.

    The curves begin at the tenth answer, since a share of fewer says little. The band is the 95 %
    interval of the risk at each coverage.

    Parameters
    ----------
    table : DataFrame
        With the columns answers, coverage, risk and generalised_risk.
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
    >>> from ir_trunc.answers import risk_coverage
    >>> table = risk_coverage({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9}, "2": {"x": 0.4}})
    >>> plots.risk_coverage(table).get_ylabel()
    'wrong answers (%)'
    """
    columns = ("answers", "coverage", "risk", "generalised_risk")
    table = _kit.checked_table(table, "answers.risk_coverage", finite=columns)
    n = int(table["answers"].max())
    table = table[table["answers"] >= min(_FIRST_ANSWERS, n)]
    given, coverage, risk, of_all = table[list(columns)].to_numpy(np.float64).T
    ax = _kit.ready_axes(ax)
    # The steps end where answers of equal confidence come in together.
    series = {"of those given (risk), 95 % band": (coverage, risk)}
    series["of all answers (generalised risk)"] = (coverage, of_all)
    xlabel = f"coverage: answers that are given (%; 100 % is all {n})"
    _kit.draw_lines(ax, series, xlabel, "wrong answers (%)")
    band = intervals_of_shares(np.rint(risk * given), given)
    ax.fill_between(coverage, *band, color=_kit.COLOURS[0], alpha=0.2, linewidth=0)
    _kit.percent(ax.xaxis, ax.yaxis)
    _kit.reference_line(ax, float(risk[-1]), "all are given")
    ax.set(xlim=(0, 1))
    ax.set_ylim(bottom=0)
    return ax


def abstention(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """A measure's mean at every rate of abstention, a line for each confidence.

    Parameters
    ----------
    table : DataFrame
        That of `answers.abstention_curve` for one measure, with the columns measure, confidence, rate and
        score.
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
    >>> from ir_trunc.answers import abstention_curve
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.abstention(abstention_curve("RR", qrels, run, confidence="gap", steps=2)).get_ylabel()
    'mean RR of the others'
    """
    _kit.checked_table(table, "answers.abstention_curve", ("measure", "confidence", "rate", "score"))
    measure = _kit.only_value(table["measure"], "measure", "curves")
    ax = _kit.ready_axes(ax)
    of_confidence = table.groupby("confidence", sort=False)
    series = {name: (rows["rate"].to_numpy(), rows["score"].to_numpy()) for name, rows in of_confidence}
    left_out = "lists that are left out (%); thin line: none"
    _kit.draw_lines(ax, series, left_out, f"mean {_kit.label(measure)} of the others")
    _kit.percent(ax.xaxis)
    _kit.reference_line(ax, float(table["score"].iloc[0]), "")
    return ax
