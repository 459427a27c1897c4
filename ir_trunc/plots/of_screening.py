"""A picture of screening: how much of what is relevant is found by how much reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc.core.checks import instance, mapping, whole
from ir_trunc.core.errors import InputError
from ir_trunc.core.rankings import Floats, Rankings
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.parts import binary
from ir_trunc.measures.sizes import QRELS, Size, Sizes, documents, is_path
from ir_trunc.plots.colours import GREY
from ir_trunc.plots.files import label
from ir_trunc.plots.looks import axes, name_lines, styles
from ir_trunc.read.numbers import read_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    ax = axes(ax)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    drawn = []
    for (name, rankings), look in zip(named.items(), styles(len(named))):
        instance("runs", rankings, Rankings, "lists, as ir_trunc.rank makes them,")
        share, recall = recall_by_share(rankings, size, rel)
        marker = look.pop("marker")
        drawn += ax.step([*share, 1.0], [*recall, recall[-1]], where="post", **look)
        lists = Lists(rankings)
        wanted = binary(lists, rel).R > 0
        end = np.mean((lists.n / np.maximum(documents(lists, size), 1))[wanted])
        ax.plot(end, recall[-1], marker=marker, **look | {"markersize": 8, "label": label(name)})
    ax.set(xlabel="share of the documents read", ylabel="mean recall", xlim=(0, 1), ylim=(0, 1.02))
    ax.set_title("lists end at the markers; dotted: documents in random order", fontsize="small")
    name_lines(ax, list(zip(named, drawn)))
    return ax
