"""Pictures of answers: what risk a coverage has, and what leaving lists out would gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ir_trunc.core.errors import InputError
from ir_trunc.core.later import pd
from ir_trunc.plots.files import label
from ir_trunc.plots.looks import axes, level, lines, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    shown = table_of(table, columns, "truncation.risk_coverage")
    ax = axes(ax)
    names = {"risk": "wrong answers among those given", "generalised_risk": "wrong answers among all"}
    # The steps end where answers of equal confidence come in together.
    series = {name: (shown["coverage"], shown[column]) for column, name in names.items()}
    lines(ax, series, "coverage (share of the answers that are given)", "risk", markevery=(0.0, 0.1))
    level(ax, float(shown["risk"].iloc[-1]), "all are given")
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
    shown = table_of(table, ("measure", "confidence", "rate", "score"), "truncation.abstention_curve")
    measures = shown["measure"].unique()
    if len(measures) != 1:
        raise InputError(
            f"one measure's curves can be shown, not those of {len(measures)}: pick the rows of one."
        )
    ax = axes(ax)
    series = {
        str(name): (np.asarray(rows["rate"]), np.asarray(rows["score"]))
        for name, rows in shown.groupby("confidence", sort=False)
    }
    lines(
        ax,
        series,
        "lists that are left out (share); thin line: none",
        f"mean {label(measures[0])} of the others",
    )
    level(ax, float(shown["score"].iloc[0]), "")
    return ax
