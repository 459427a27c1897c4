"""What every result can do: print, show itself in a notebook, become a DataFrame, be saved and loaded.

A new kind of result is a frozen dataclass (`repr=False`) that inherits from `Result` and defines `heading`
and `to_pandas`. Its fields are what is saved, each as the type of its annotation; `shapes` says how long the
axes of its arrays are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ir_trunc._core.errors import printable
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import Target
from ir_trunc.scoring import stored
from ir_trunc.scoring.printed import fitted, table_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from ir_trunc.scoring.tables import Table


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
        stored.write_json(path, type(self).__name__, self._data())

    @classmethod
    def load(cls, path: Target) -> Self:
        """Read what `save` wrote. Raises InputError where the file holds something else."""
        return cls._from(*stored.read_saved(path, cls.__name__))


def axes(**of: str) -> Mapping[str, str]:
    """The axes of arrays, as `Result.shapes` has them."""
    return of


def as_table(data: Any, index: Any = None) -> Table:
    """The data as a DataFrame that prints and is saved as results are."""
    from ir_trunc.scoring.tables import Table  # with pandas: not before there is a table

    return Table(data, index=index)


def as_html(frame: pd.DataFrame, digits: int = 4, index: bool = True) -> str:
    """A table for a notebook; names in it are escaped."""
    return frame.to_html(index=index, border=0, float_format=f"{{:.{digits}f}}".format)
