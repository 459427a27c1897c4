"""Pictures of what stopping is worth: policies, screening, and questions that are left open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, mapping, text, whole
from ir_trunc._core.rankings import Floats, Rankings
from ir_trunc._read.text import read_sizes
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import QRELS, Size, Sizes, is_path
from ir_trunc.measures.parts import binary, documents
from ir_trunc.plots import looks, style
from ir_trunc.plots.looks import Axes


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
    looks.table_of(table, ("system", "policy", "score", "low", "high"), "cross_validate")
    system = looks.the_one(table["system"], "system", "policies")
    if text("against", against) not in table:
        raise InputError(f"the table has no column {against!r}; it has: {', '.join(map(str, table))}.")
    looks.check_numbers({column: table[column] for column in ("score", "low", "high", against)})
    shown = table.sort_values("score", ascending=False, kind="stable")
    ax = looks.axes(ax, 6.4, 1.1 + 0.28 * len(shown))
    places = range(len(shown))
    bars = [shown["score"] - shown["low"], shown["high"] - shown["score"]]
    look: dict[str, Any] = {"color": style.INK, "markersize": 6, "capsize": 3, "elinewidth": 1.1}
    ax.errorbar(shown["score"], places, xerr=bars, fmt="o", **look)
    ax.set_yticks(places, [style.label(name) for name in shown["policy"]])
    for place, spent in zip(places, shown[against]):
        _beyond(ax, place, f"{spent:,.0f}" if abs(spent) >= 100 else f"{spent:.1f}")
    _beyond(ax, -0.9, _SPENT.get(against, f"mean {against}\nof a list"), va="bottom")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines["left"].set_visible(False)
    ax.set(xlabel="mean score (bars: 95 % confidence)", title=style.label(system))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    return ax


_SPENT = {"length": "mean length\n(documents)", "cost": "mean cost\n(units of gain)"}


def _beyond(ax: Axes, y: float, words: str, va: str = "center") -> None:
    """Words beyond the right edge, flush right."""
    look = style.SMALL | {"ha": "right", "va": va, "annotation_clip": False}
    ax.annotate(words, (1, y), (80, 0), ax.get_yaxis_transform(), "offset points", **look)


def recall_by_share(rankings: Rankings, D: Size = QRELS, rel: int = 1) -> tuple[Floats, Floats]:
    """Shares of the documents read, ascending from 0, and the mean recall from each of them on.

    The mean is over the topics that have relevant documents. InputError where none has.
    """
    lists = Lists(rankings)
    gains = binary(lists, rel)
    answerable = np.count_nonzero(gains.R)
    if not answerable:
        raise InputError(f"no topic has a document of grade {rel} or more: recall has no meaning.")
    row = lists.row[gains.relevant]
    share = lists.rank[gains.relevant] / documents(lists, D)[row]
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
        Where to draw; by default on a new figure.

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
    'share of the documents read'
    """
    named = {"": runs} if isinstance(runs, Rankings) else mapping("runs", runs, "{name: Rankings}")
    if not named:
        raise InputError("runs: at least one system is needed.")
    size, rel = Sizes("number of documents").clean("D", D), whole("rel", rel, 1)
    if is_path(size):
        size = read_sizes(str(size))
    ax = looks.axes(ax)
    ax.plot([0, 1], [0, 1], color=style.GREY, linewidth=0.8, linestyle=":", zorder=1)
    drawn = []
    for (name, rankings), look in zip(named.items(), looks.styles(len(named))):
        instance("runs", rankings, Rankings, "lists, as ir_trunc.rank makes them,")
        share, recall = recall_by_share(rankings, size, rel)
        marker = look.pop("marker")
        drawn += ax.step([*share, 1.0], [*recall, recall[-1]], where="post", **look)
        lists = Lists(rankings)
        wanted = binary(lists, rel).R > 0
        end = np.mean((lists.n / np.maximum(documents(lists, size), 1))[wanted])
        ax.plot(end, recall[-1], marker=marker, **look | {"markersize": 8, "label": style.label(name)})
    ax.set(xlabel="share of the documents read", ylabel="mean recall", xlim=(0, 1), ylim=(0, 1.02))
    ax.set_title("lists end at the markers; dotted: documents in random order", fontsize="small")
    looks.name_lines(ax, list(zip(named, drawn)))
    return ax


def risk_coverage(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Both risks at every coverage: the table of `truncation.risk_coverage`.

    Parameters
    ----------
    table : DataFrame
        With the columns coverage, risk and generalised_risk.
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
    >>> from ir_trunc.truncation import risk_coverage
    >>> table = risk_coverage({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9}, "2": {"x": 0.4}})
    >>> plots.risk_coverage(table).get_ylabel()
    'risk'
    """
    columns = ("coverage", "risk", "generalised_risk")
    shown = looks.table_of(table, columns, "truncation.risk_coverage")
    ax = looks.axes(ax)
    names = {"risk": "wrong answers among those given", "generalised_risk": "wrong answers among all"}
    # The steps end where answers of equal confidence come in together.
    series = {name: (shown["coverage"], shown[column]) for column, name in names.items()}
    looks.lines(ax, series, "coverage (share of the answers that are given)", "risk", markevery=(0.0, 0.1))
    looks.level(ax, float(shown["risk"].iloc[-1]), "all are given")
    ax.set(xlim=(0, 1))
    ax.set_ylim(bottom=0)
    return ax


def abstention(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """A measure's mean at every rate of abstention, a line for each confidence.

    Parameters
    ----------
    table : DataFrame
        That of `truncation.abstention_curve` for one measure, with the columns measure, confidence, rate and
        score.
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
    >>> from ir_trunc.truncation import abstention_curve
    >>> qrels = {"1": {"a": 1, "c": 1}, "2": {"b": 1}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> plots.abstention(abstention_curve("RR", qrels, run, confidence="gap", steps=2)).get_ylabel()
    'mean RR of the others'
    """
    shown = looks.table_of(table, ("measure", "confidence", "rate", "score"), "truncation.abstention_curve")
    measure = looks.the_one(shown["measure"], "measure", "curves")
    ax = looks.axes(ax)
    series = {
        str(name): (np.asarray(rows["rate"]), np.asarray(rows["score"]))
        for name, rows in shown.groupby("confidence", sort=False)
    }
    left_out = "lists that are left out (share); thin line: none"
    looks.lines(ax, series, left_out, f"mean {style.label(measure)} of the others")
    looks.level(ax, float(shown["score"].iloc[0]), "")
    return ax
