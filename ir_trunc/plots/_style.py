"""Colours, markers and lines of all pictures, and names as they are written there."""

from __future__ import annotations

from typing import Any

from ir_trunc._core.errors import printable

INK = "#222222"
GREY = "#a6a6a6"
ACCENT = "#C24A00"
# Each of these has another lightness, so that colour-blind readers and grey paper tell them apart; the first
# ones most. Markers and line styles say the same without them.
COLOURS = ("#1A1A1A", "#E0780A", "#0070B8", "#6A1B7A", "#1F9A6A", "#6B1500", "#00656B")
MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":")
SMALL: dict[str, Any] = {"color": INK, "fontsize": "small"}
"""Letters beside what they explain."""

LONGEST = 48
"""Characters of a name that a picture has room for."""


def label(name: object) -> str:
    """A name as matplotlib draws it.

    A dollar sign does not begin a formula, and an underscore does not hide a line from the legend. Three dots
    stand for the middle of a long one.
    """
    text = printable(str(name))
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}...{text[-LONGEST // 4 :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
