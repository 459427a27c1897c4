"""What `pool_grid` finds: how it prints, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ir_trunc.core.errors import InputError
from ir_trunc.core.rankings import Floats
from ir_trunc.meta.pairs import place_of, positions
from ir_trunc.scoring.printed import fitted, number_text, table_text
from ir_trunc.scoring.protocol import Result, axes

if TYPE_CHECKING:
    import pandas as pd


_WORDS = {"raw": "raw score", "normalised": "normalised by the ideal", "standardised": "standardised"}


def _plain(measure: str | Measure) -> str:
    """A measure as pictures name it: its persistence may depend on the depth."""
    return str(measure).replace("p={p},rel=1", "p by depth").replace("{p}", "by depth")


@dataclass(frozen=True, eq=False, repr=False)
class PoolGrid(Result):
    """Discriminative power for pool depths x evaluation depths x measures x forms.

    pool_depths: D. depths: K. measures: M texts without their cutoff. forms: F. share: (D x K x M x F), share
    of the system pairs that a paired t test tells apart at `alpha`. judged: judgments in each pool (D).
    coverage: share of the pooled ranks that are judged at all (D). topics, systems: how many there are.
    """

    digits = 3
    shapes = axes(share="pool_depths depths measures forms", judged="pool_depths", coverage="pool_depths")

    pool_depths: tuple[int, ...]
    depths: tuple[int, ...]
    measures: tuple[str, ...]
    forms: tuple[str, ...]
    share: Floats
    judged: tuple[int, ...]
    coverage: Floats
    alpha: float
    topics: int
    systems: int

    @staticmethod
    def assessment(pool_depth: int, depth: int) -> str:
        """How an evaluation depth lies to the pool: 'full', 'extended' or 'deeper'.

        'full' is where all that is evaluated of a pooled run was pooled and no more, 'extended' beyond,
        'deeper' before.
        """
        return "full" if pool_depth == depth else "extended" if depth > pool_depth else "deeper"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each cell: pool_depth, depth, measure, form, assessment, discriminative_power."""
        import pandas as pd

        cells = list(product(self.pool_depths, self.depths, self.measures, self.forms))
        frame = pd.DataFrame(cells, columns=["pool_depth", "depth", "measure", "form"])
        marks = [self.assessment(pool, depth) for pool, depth, _, _ in cells]
        return frame.assign(assessment=marks, discriminative_power=self.share.ravel())

    @property
    def heading(self) -> str:
        """The test, and each pool's size."""
        head = (
            f"discriminative power, paired t test, p < {self.alpha:g}; {self.systems} systems, {self.topics}"
            " topics"
        )
        pools = zip(self.pool_depths, self.judged, self.coverage)
        lines = [
            f"  pool {d}: {judged} judgments, {100 * c:.0f}% of the pooled ranks judged"
            for d, judged, c in pools
        ]
        return "\n".join([head, *lines, "columns: evaluation depth; = full assessment, + extended"])

    def summary(self) -> pd.DataFrame:
        """A row for each measure, form and pool depth, a column for each evaluation depth."""
        return self._marked(self.digits)

    def _text(self, digits: int) -> str:
        return f"{fitted(self.heading)}\n{table_text(self._marked(digits))}"

    def _marked(self, digits: int) -> pd.DataFrame:
        wide = self.to_pandas().pivot(
            index=["measure", "form", "pool_depth"], columns="depth", values="discriminative_power"
        )
        order = list(product(self.measures, self.forms, self.pool_depths))
        marked: pd.DataFrame = wide.loc[order].apply(
            lambda column: [self._cell(v, i[2], column.name, digits) for i, v in column.items()]
        )
        return marked

    def _cell(self, value: float, pool_depth: int, depth: int, digits: int) -> str:
        mark = {"full": "=", "extended": "+", "deeper": " "}[self.assessment(pool_depth, depth)]
        return number_text(value, digits) + mark

    def plot(self, measure: str | Measure | None = None, form: str = "raw", ax: Any = None) -> Any:
        """Discriminative power against evaluation depth.

        There is a line for each pool depth, and one for full assessment.

        Without a measure: the pictures of all measures and forms, see `plot_all`.
        """
        if measure is None:
            if ax is not None:
                raise InputError("ax is for one picture: name a measure, or leave ax out.")
            return self.plot_all()
        from ir_trunc.plots.looks import axes, name_lines

        shown = axes(ax)
        name_lines(shown, self._drawn(measure, form, shown))
        shown.set_title(f"{_plain(measure)}: {_WORDS[form]}", fontsize="medium")
        shown.set_xlabel("evaluation depth k (documents)")
        shown.set_ylabel(f"share of system pairs, p < {self.alpha:g}")
        return shown

    def _drawn(self, measure: str | Measure, form: str, ax: Any) -> list[tuple[str, Any]]:
        """One panel; its lines by their names."""
        from ir_trunc.plots.looks import unnamed_lines

        at = place_of(measure, self.measures), positions([form], self.forms)[0]
        of_one = self.share[:, :, at[0], at[1]]
        both = [d for d in self.pool_depths if d in self.depths]
        full = [of_one[self.pool_depths.index(d), self.depths.index(d)] for d in both]
        wide = ax.plot(both, full, color="0.8", linewidth=5, label="full assessment", zorder=1)
        depths = {f"pool {d}": (self.depths, line) for d, line in zip(self.pool_depths, of_one)}
        drawn = [("full assessment", wide[0]), *unnamed_lines(ax, depths)]
        ax.set_xscale("log")
        ax.set_xticks(self.depths, [str(depth) for depth in self.depths])
        ax.minorticks_off()
        return drawn

    def plot_all(self) -> Any:
        """All of it, a row for each measure and a column for each form. Returns one of the Axes."""
        from ir_trunc.plots.looks import panels

        grid = panels(len(self.measures), len(self.forms))
        for row, measure in zip(grid, self.measures):
            for ax, form in zip(row, self.forms):
                names, drawn = zip(*self._drawn(measure, form, ax))
                ax.label_outer()
            row[0].set_ylabel(_plain(measure))
        for ax, form in zip(grid[0], self.forms):
            ax.set_title(_WORDS[form], fontsize="medium")
        figure = grid[0, 0].figure
        for ax in grid[-1]:
            ax.set_xlabel("evaluation depth (documents)", fontsize="small")
        figure.supylabel(f"share of system pairs, p < {self.alpha:g}", fontsize="medium")
        figure.legend(drawn, names, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
        return grid[0, 0]
