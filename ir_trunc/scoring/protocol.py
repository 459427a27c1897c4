"""What every result can do: print, show itself in a notebook, become a DataFrame, be saved and loaded.

A new kind of result is a frozen dataclass (`repr=False`) that inherits from `Result` and defines `heading`
and `to_pandas`. Its fields are what is saved, each as the type of its annotation; `shapes` says how long the
axes of its arrays are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ir_trunc.core.checks import path as file_name
from ir_trunc.core.errors import InputError, printable, shown
from ir_trunc.core.later import pd
from ir_trunc.read.json_text import read_json
from ir_trunc.read.text import contents
from ir_trunc.read.write import Target, write_text
from ir_trunc.scoring import stored
from ir_trunc.scoring.printed import fitted, table_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from ir_trunc.scoring.tables import Table

FORMAT = 1
"""Counts the ways in which results were written."""


class Result:
    """The base of results: they print within 80 columns, convert to pandas and are saved as JSON.

    shapes: the axes of each array by their names, as "measures pairs". An axis named like a field has the
    field's length. digits: decimal places of the numbers in a summary. every_row:
    whether a summary prints all of its rows, however many pandas would.
    """

    shapes: ClassVar[Mapping[str, str]] = {}
    digits: ClassVar[int] = 4
    every_row: ClassVar[bool] = False

    @property
    def heading(self) -> str:
        """What the result is and how it was found, in a line."""
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

    def _data(self) -> Any:
        """What is saved, as JSON can hold it."""
        return stored.plain(self)

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        """What `_data` said. Raises InputError that begins with `where`."""
        found: Self = stored.object_of(data, cls, where)
        stored.check_shapes(found, cls.shapes, where)
        return found

    def save(self, path: Target) -> None:
        """Write the result as JSON, with every bit of its numbers; gzipped where the name ends in .gz.

        The file appears under its name once it is complete.
        """
        write_json(path, type(self).__name__, self._data())

    @classmethod
    def load(cls, path: Target) -> Self:
        """Read what `save` wrote. Raises InputError where the file holds something else."""
        return cls._from(*read_saved(path, cls.__name__))


def axes(**of: str) -> Mapping[str, str]:
    """The axes of arrays, as `Result.shapes` has them."""
    return of


def write_json(path: Target, kind: str, data: Any) -> None:
    """Write a result of a kind."""
    content = {"ir_trunc": kind, "format": FORMAT, "data": data}
    write_text(file_name("path", path), [json.dumps(content, allow_nan=False)])


def read_saved(path: Target, kind: str) -> tuple[Any, str]:
    """The data of a result of a kind, and what to call them in a message."""
    source = printable(file_name("path", path))
    found = read_json(contents(Path(source), source, b"{"), source)
    if not isinstance(found, dict) or set(found) != {"ir_trunc", "format", "data"}:
        raise InputError(f"{source} is not a result that {kind}.save wrote.")
    if found["ir_trunc"] != kind:
        raise InputError(f"{source} says that it holds {shown(found['ir_trunc'])}: a {kind} is needed.")
    if found["format"] is True or found["format"] != FORMAT:
        raise InputError(
            f"{source} has the format {shown(found['format'])}: this version reads format {FORMAT}."
        )
    return found["data"], source


def as_table(data: Any, index: Any = None) -> Table:
    """The data as a DataFrame that prints and is saved as results are."""
    from ir_trunc.scoring.tables import Table  # with pandas: not before there is a table

    return Table(data, index=index)


def as_html(frame: pd.DataFrame, digits: int = 4, index: bool = True) -> str:
    """A table for a notebook; names in it are escaped."""
    return frame.to_html(index=index, border=0, float_format=f"{{:.{digits}f}}".format)
