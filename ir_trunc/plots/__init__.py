"""Plots of lists, cuts, policies and scores. They need matplotlib: `pip install ".[plot]"`.

Every function draws on the Axes that it is given, or on those of a new figure, and returns them. `ax.figure`
shows the figure in a notebook, after `%matplotlib inline`, and `ax.figure.savefig("plot.pdf")` writes it.
Markers, line styles, lightness and words tell things apart, not hue alone. No global state of matplotlib is
changed.
"""

from ir_trunc.plots._kit import caption
from ir_trunc.plots._lists import calendar, curve, cuts, example, lengths, lists, nil, policies, side_by_side
from ir_trunc.plots._systems import abstention, agreement, lines, recall_curve, risk_coverage, scores, slope

__all__ = [
    "abstention", "agreement", "calendar", "caption", "curve", "cuts", "example", "lengths", "lines", "lists",
    "nil", "policies", "recall_curve", "risk_coverage", "scores", "side_by_side", "slope",
]  # fmt: skip
