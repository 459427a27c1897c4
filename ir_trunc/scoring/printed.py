"""Summaries for a terminal: text and tables whose lines have at most 80 columns.

A table that is too wide continues below; no column is left out. Only names that are too long lose their
middle.
"""

from __future__ import annotations

from functools import partial
from textwrap import wrap
from typing import Any

from ir_trunc._core.errors import printable
from ir_trunc._core.lazy import pd

WIDTH = 80

_TABLE = WIDTH - 3  # pandas ends the lines of a table that continues below with a backslash
_LABELS, _CELL = 42, 30  # columns for the labels of a row, together, and for a column


def fitted(text: str, indent: int = 2) -> str:
    """The text with its long lines broken; what continues a line is indented."""
    lines = []
    for line in text.splitlines():
        shown = printable(line)
        lines += wrap(
            shown, WIDTH, subsequent_indent=" " * indent, replace_whitespace=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


def table_text(frame: pd.DataFrame, digits: int | None = 4, every_row: bool = False) -> str:
    """A table as text.

    digits: decimal places of its numbers, -1 for all; None leaves them to pandas. every_row: also where
    pandas would leave rows in the middle out.
    """
    index, columns = _labels(frame.index, _LABELS), _labels(frame.columns, _CELL)
    cells = {at: frame.iloc[:, at].map(_cell).to_numpy() for at in range(frame.shape[1])}
    shown = pd.DataFrame(cells, index=index, dtype=None)
    shown.columns = columns
    numbers = None if digits is None else partial(number_text, digits=digits)
    most = None if every_row else pd.get_option("display.max_rows")
    rows = {"max_rows": most, "min_rows": pd.get_option("display.min_rows")}
    text: str = shown.to_string(
        line_width=_TABLE, float_format=numbers, index=not is_plain(frame.index), **rows
    )
    return text


def number_text(value: float, digits: int) -> str:
    """A number with that many decimal places, or with all that it has for -1."""
    return repr(float(value)) if digits < 0 else f"{value:.{digits}f}"


def is_plain(index: Any) -> bool:
    """Whether rows have numbers only, and no names."""
    return isinstance(index, pd.RangeIndex) and index.name is None


def _labels(index: pd.Index[Any], room: int) -> Any:
    """The labels, shortened where all levels together would be wider than there is room."""
    if is_plain(index):
        return index
    each = max(8, room // index.nlevels - 1)
    names = [None if name is None else shortened(str(name), each) for name in index.names]
    if index.nlevels > 1:
        return pd.MultiIndex.from_tuples([tuple(_cell(x, each) for x in row) for row in index], names=names)
    return pd.Index([_cell(x, each) for x in index], name=names[0])


def _cell(value: Any, room: int = _CELL) -> Any:
    return shortened(value, room) if isinstance(value, str) else value


def shortened(text: str, room: int) -> str:
    """The text, without its middle where it is longer than there is room."""
    shown = printable(text)
    if len(shown) <= room:
        return shown
    end = (room - 3) // 2
    return f"{shown[: room - 3 - end]}...{shown[len(shown) - end :]}"
