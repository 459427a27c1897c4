"""Labels beside lines and points that are moved apart when the figure is drawn.

Only then the size of the figure, its limits and the size of the letters are known. This module imports
matplotlib at once; the others import it when they draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from ir_trunc._core.arrays import Floats

_LINE = 1.15  # distance of two labels, in heights of their letters


def apart(wanted: Floats, gap: float, low: float, high: float) -> Floats:
    """Positions at least `gap` apart and, if there is room, between low and high, nearest to those wanted."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    level = isotonic_regression(wanted[order] - steps).x  # less the gaps before it, a position never falls
    positions = np.empty(len(wanted))
    positions[order] = np.clip(level, low, max(high - steps[-1], low)) + steps
    return positions


def _text_box(note: Annotation, renderer: Any) -> Bbox:
    """The box of the letters, without the line to their point."""
    note.update_positions(renderer)
    return Text.get_window_extent(note, renderer)


class Labels(Artist):
    """The labels on one side of the axes. It draws nothing: it moves them before they are drawn."""

    def __init__(self, ax: Axes, notes: list[Annotation]) -> None:
        super().__init__()
        self.ax, self.notes = ax, notes
        self.set_zorder(-10)
        for note in notes:  # their size is returned below, whatever was drawn before
            note.set_in_layout(False)

    def get_tightbbox(self, renderer: Any = None) -> Bbox:
        """As wide as the labels, and as high as the axes."""
        boxes = [_text_box(note, renderer) for note in self.notes]
        x0, x1 = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
        return Bbox([[x0, self.ax.bbox.y0], [x1, self.ax.bbox.y1]])

    def draw(self, renderer: Any) -> None:
        """Move the labels apart, each as near as possible to its point."""
        box = self.ax.bbox
        wanted = np.array([self.ax.transData.transform(note.xy)[1] for note in self.notes])
        height = max(_text_box(note, renderer).height for note in self.notes)
        for note, place in zip(
            self.notes, apart(wanted, _LINE * height, box.y0 + height / 2, box.y1 - height / 2)
        ):
            note.set_y((place - box.y0) / box.height)
