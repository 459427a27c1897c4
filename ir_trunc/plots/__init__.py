"""Pictures of truncation. They need matplotlib: `pip install 'ir_trunc[plot]'`.

They change no global state of matplotlib.

Every function draws on the Axes it is given, or on those of a new figure, and returns them. `ax.figure` shows
the picture in a notebook, after `%matplotlib inline`, and `ax.figure.savefig("it.pdf")` keeps it. What is
told apart is told apart by marker, line style, lightness or words, not by hue alone.
"""

from ir_trunc.plots._cuts import abstention, curve, cuts, lengths, nil, policies, recall_curve, risk_coverage
from ir_trunc.plots._lists import lists, side_by_side
from ir_trunc.plots._systems import agreement, caption, example, lines, scores, slope

__all__ = [
    "abstention",
    "agreement",
    "caption",
    "curve",
    "cuts",
    "example",
    "lengths",
    "lines",
    "lists",
    "nil",
    "policies",
    "recall_curve",
    "risk_coverage",
    "scores",
    "side_by_side",
    "slope",
]
