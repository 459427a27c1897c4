"""Colours, markers and line styles of all plots, and names as matplotlib needs them."""

from __future__ import annotations

from typing import Any

from ir_trunc._core.errors import printable

INK = "#222222"
GREY = "#a6a6a6"
ACCENT = "#C24A00"
# The colours differ in lightness, the first ones most, for colour-blind readers and for grey paper. Markers
# and line styles tell lines apart without colours.
COLOURS = ("#1A1A1A", "#E0780A", "#0070B8", "#6A1B7A", "#1F9A6A", "#6B1500", "#00656B")
MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":")
SMALL: dict[str, Any] = {"color": INK, "fontsize": "small"}  # the style of labels and annotations

LONGEST = 48  # characters of a name that are shown at most


def label(name: object) -> str:
    """A name that matplotlib draws literally; the middle of a long name is left out."""
    text = printable(str(name))
    if len(text) > LONGEST:
        end = (LONGEST - 3) // 2
        text = f"{text[: LONGEST - 3 - end]}...{text[-end:]}"
    text = text.replace("$", r"\$")  # which would begin a formula
    return f" {text}" if text.startswith("_") else text  # an underscore hides a line from the legend
