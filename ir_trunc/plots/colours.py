"""Colours, markers and lines of all pictures."""

from __future__ import annotations

INK = "#222222"
GREY = "#a6a6a6"
ACCENT = "#C24A00"
# Each of these has another lightness, so that colour-blind readers and grey paper tell them apart; the first
# ones most. Markers and line styles say the same without them.
COLOURS = ("#1A1A1A", "#E0780A", "#0070B8", "#6A1B7A", "#1F9A6A", "#6B1500", "#00656B")
MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":")
