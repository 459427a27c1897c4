"""How every result prints, shows in a notebook and converts to pandas."""

from __future__ import annotations

from typing import ClassVar

from ir_trunc._core.errors import printable
from ir_trunc._core.lazy import pd
from ir_trunc._output.tables import as_html, fitted, table_text


class Result:
    """The base class of results.

    A new kind of result is a frozen dataclass (`repr=False`) that defines `heading` and `to_pandas`. Results
    that are saved inherit from `ir_trunc._saved.Saved`.

    Attributes
    ----------
    digits : int
        Decimal places of the numbers in a summary.
    every_row : bool
        Whether a summary prints all of its rows, however many pandas would print.
    """

    digits: ClassVar[int] = 4
    every_row: ClassVar[bool] = False

    @property
    def heading(self) -> str:
        """What the result is and how it was computed, in a line."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The result as a table."""
        raise NotImplementedError

    def summary(self) -> pd.DataFrame:
        """The table below the heading where the result is printed."""
        return self.to_pandas()

    def report(self, places: int | None = None) -> str:
        """What a command prints: the result as it is printed, or more.

        places: decimal places of the numbers in a table, -1 for all; by default as it is printed.
        """
        own_form = type(self).__repr__ is not Result.__repr__
        return str(self) if places is None or own_form else self._text(places)

    def frames(self) -> dict[str, pd.DataFrame]:
        """All values, as tables by name; most results have one."""
        return {type(self).__name__.lower(): self.to_pandas()}

    def _text(self, digits: int) -> str:
        return f"{fitted(self.heading)}\n{table_text(self.summary(), digits, self.every_row)}"

    def __repr__(self) -> str:
        return self._text(self.digits)

    def _repr_html_(self) -> str:
        import html  # for notebooks: commands start sooner without its table of entities

        lines = "<br>".join(html.escape(printable(line)) for line in self.heading.splitlines())
        return f"<p>{lines}</p>\n{as_html(self.summary(), self.digits)}"
