"""Parts that all plots share: colours, axes, lines with names, ticks, shaded tables, checks and files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc._core.errors import InputError, IrTruncError, printable
from ir_trunc._core.lazy import needed, pd
from ir_trunc._core.parameters import instance, numbers, text, whole
from ir_trunc._output.files import Target, check_outputs, output_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure
else:
    Axes = None  # only type checkers read `ax: Axes`

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

LineData = Mapping[Any, tuple[Any, Any]]  # lines by name: (x, y)

MOST_NAMES = 7  # up to this number of lines, names stand beside the lines; more lines have a legend

_ABOVE = "legend-above-"  # and its number of rows, which `set_title` reads
# Without the time, a file has the same bytes every time.
_UNDATED = {"svg": {"Date": None}, "svgz": {"Date": None}, "pdf": {"CreationDate": None}}


def label(name: object) -> str:
    """A name that matplotlib draws literally; the middle of a long name is left out."""
    text = printable(str(name))
    if len(text) > LONGEST:
        end = (LONGEST - 3) // 2
        text = f"{text[: LONGEST - 3 - end]}...{text[-end:]}"
    text = text.replace("$", r"\$")  # which would begin a formula
    return f" {text}" if text.startswith("_") else text  # an underscore hides a line from the legend


def ready_axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is None:
        ax = new_figure(width, height).add_subplot()
    if not hasattr(ax, "spines"):
        needed = "the Axes of matplotlib are needed, or None for new ones"
        raise InputError(f"ax of type {type(ax).__name__}: {needed}.")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def new_figure(width: float, height: float) -> Figure:
    """A new figure, made without pyplot: no window opens, and a notebook shows the figure once."""
    with needed("Pictures need matplotlib", "plot", IrTruncError):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), layout="constrained")


def panels(rows: int, columns: int) -> Any:
    """Axes in rows and columns with the same scales (rows x columns)."""
    size = (0.6 + 2.6 * columns, 1.4 + 1.9 * rows)
    grid = new_figure(*size).subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for ax in grid.flat:
        ready_axes(ax)
    return grid


def line_styles(count: int) -> list[dict[str, Any]]:
    """Colour, marker and line style of each of several lines."""
    return [
        {"color": colour, "marker": marker, "linestyle": line, "markersize": 5, "linewidth": 1.3}
        for colour, marker, line, _ in zip(cycle(COLOURS), cycle(MARKERS), cycle(LINES), range(count))
    ]


def draw_lines(ax: Axes, series: LineData, xlabel: str, ylabel: str, **properties: Any) -> Axes:
    """Draw a line for every (x, y), each with a style of its own and its name."""
    name_lines(ax, draw_unnamed_lines(ax, series, **properties))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def draw_unnamed_lines(ax: Axes, series: LineData, **properties: Any) -> list[tuple[str, Any]]:
    """Draw a line for every (x, y), each with a style of its own. Returns (name, line).

    Long lines without gaps have a marker at some points only, other ones each, so that these do not overlap.
    """
    drawn = []
    for place, (style, (name, (x, y))) in enumerate(zip(line_styles(len(series)), series.items())):
        every = 1 if np.isnan(np.asarray(y, float)).any() else max(len(x) // 7, 1)
        sparse = {"markevery": (place % every, every)}
        drawn.append((str(name), ax.plot(x, y, label=label(name), **sparse | style | properties)[0]))
    return drawn


def percent(*axes: Any) -> None:
    """Ticks of shares as per cent, whose sign is in the name of the axis."""
    for axis in axes:
        axis.set_major_formatter(lambda share, _: f"{100 * share:.4g}".replace("-", "\N{MINUS SIGN}"))


def name_lines(ax: Axes, drawn: Sequence[tuple[str, Any]]) -> None:
    """Write the name of each of several lines at its end, or a legend for many and for lines that meet."""
    if len(drawn) > MOST_NAMES or _meet([line.get_ydata() for _, line in drawn]):
        legend_above(ax) if max(len(name) for name, _ in drawn) > 20 else legend_beside(ax)
    elif len(drawn) > 1:
        at_ends(ax, drawn)


def beside(ax: Axes, points: Iterable[tuple[str, float, float, dict[str, Any]]], left: bool = False) -> None:
    """Write names beyond an edge of the axes, each joined to its point (name, x, y, style) by a thin line."""
    from matplotlib.transforms import ScaledTranslation

    from ir_trunc.plots._labels import Labels  # with matplotlib: not before something is drawn

    away = ScaledTranslation((-9 if left else 9) / 72, 0, ax.figure.dpi_scale_trans)
    words = SMALL | {"ha": "right" if left else "left", "va": "center", "annotation_clip": False}
    words["textcoords"] = ax.transAxes + away
    thin = {"arrowstyle": "-", "shrinkA": 1, "shrinkB": 0, "relpos": (float(left), 0.5)}
    thin |= {"color": GREY, "linewidth": 0.8}
    notes = [
        ax.annotate(label(name), (x, y), (0 if left else 1, 0.5), arrowprops=thin | style, **words)
        for name, x, y, style in points
    ]
    if notes:
        ax.add_artist(Labels(ax, notes)).set_clip_on(False)  # so that the layout leaves room beside the axes


def at_ends(ax: Axes, named: Iterable[tuple[str, Any]]) -> None:
    """Write the name of each line beside its last point; in the margin where it reaches the last x."""
    ends = [(name, line, *map(float, line.get_xydata()[-1])) for name, line in named]
    last, first = max(x for *_, x, _ in ends), min(line.get_xdata().min() for _, line, *_ in ends)
    edge = last - 0.03 * (last - first)
    styles = [{"color": line.get_color(), "linestyle": line.get_linestyle()} for _, line, *_ in ends]
    beside(ax, [(name, x, y, style) for (name, _, x, y), style in zip(ends, styles) if x >= edge])
    inside = SMALL | {"va": "center", "bbox": {"color": "white", "alpha": 0.8, "pad": 0.5, "linewidth": 0}}
    for name, _, x, y in ends:
        if x < edge:
            ax.annotate(label(name), (x, y), (6, 0), textcoords="offset points", **inside)


def _meet(heights: Sequence[Any]) -> bool:
    """Whether three or more lines end near each other, or two at the same height."""
    values = np.concatenate(heights)
    ends = np.sort([float(line[-1]) for line in heights])
    distances = np.diff(ends) / (np.nanmax(values) - np.nanmin(values) or 1)
    near = distances < 0.04
    return bool((near[1:] & near[:-1]).any() or (distances < 0.002).any())


def legend_beside(ax: Axes, **where: Any) -> Any:
    """A legend to the right of the axes."""
    beside = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    return ax.legend(**{"frameon": False, "fontsize": "small"} | (where or beside))


def legend_above(ax: Axes, columns: int = 1, **style: Any) -> None:
    """A legend above the axes."""
    legend = legend_beside(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, **style)
    legend.set_gid(f"{_ABOVE}{-(-len(legend.get_texts()) // columns)}")


def set_title(ax: Axes, words: str) -> None:
    """A title, above a legend that is above the axes."""
    legend = ax.get_legend()
    name = str(legend.get_gid()) if legend is not None else ""
    rows = int(name.removeprefix(_ABOVE)) if name.startswith(_ABOVE) else 0
    ax.set_title(words, pad=6 + (4 + 14 * rows if rows else 0))


def reference_line(ax: Axes, height: float, words: str) -> None:
    """A thin horizontal line with its meaning written on it."""
    ax.axhline(height, color=GREY, linewidth=0.8, zorder=1)
    place: dict[str, Any] = {"textcoords": "offset points", "ha": "left", "va": "bottom", "fontsize": "small"}
    ax.annotate(words, (0, height), (3, 2), xycoords=ax.get_yaxis_transform(), color="#555555", **place)


def integer_ticks(axis: Any) -> None:
    """Ticks at whole numbers only, for ranks, lengths and counts."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(7, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter("{x:.0f}")


def name_rows(ax: Axes, rows: Iterable[float], names: Iterable[str], **style: Any) -> None:
    """Names of rows beside the axes, without a spine and ticks."""
    ax.set_yticks([*rows], [*names], **style)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def slanted_ticks(ax: Axes, names: Any) -> None:
    """A tick with a slanted name for each of 0, 1, 2, ..."""
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")


def length_axis(axis: Any, what: str, longest: float, least: int = 100) -> None:
    """An axis of lengths from 0; logarithmic from `least` on, because the top of a list matters most."""
    axis.set_label_text(f"{what} (documents)")
    if longest >= least:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("symlog", linthresh=1)
        tens, of_ten = 10 ** np.arange(np.log10(longest) // 1 + 1), (1, 2, 5) if longest < 200 else (1,)
        axis.set_ticks([0, *(tick for tick in np.outer(tens, of_ten).ravel() if tick <= longest)])
        axis.set_major_formatter("{x:.0f}")
    else:
        integer_ticks(axis)


def checked_table(
    value: Any, made_by: str, columns: Iterable[str] = (), finite: Sequence[str] | None = ()
) -> pd.DataFrame:
    """The argument, if it is a table with these columns, as `made_by` makes it.

    finite: columns of finite numbers, None for all that there are.
    """
    table = instance("table", value, pd.DataFrame, f"the DataFrame that {made_by} makes")
    lacking = [name for name in (*columns, *(finite or ())) if list(table.columns).count(name) != 1]
    if lacking or not len(table):
        columns_found = ", ".join(map(str, table.columns)) or "none"
        what = f"column {lacking[0]}, once" if lacking else "rows"
        raise InputError(f"table: it needs {what}, as {made_by} makes it; its columns: {columns_found}.")
    for name, column in table.items():
        if finite is None or name in finite:
            numbers(str(name), column)
    return table


def only_value(column: pd.Series[str], of: str, what: str) -> str:
    """The value that all rows have; InputError if there are several."""
    values = column.unique()
    if len(values) != 1:
        raise InputError(f"one {of}'s {what} can be shown, not those of {len(values)}: pick the rows of one.")
    return str(values[0])


def checked_scores(name: str, value: Any) -> pd.Series[float]:
    """The argument, if it is a Series of finite numbers with distinct labels."""
    scores: pd.Series[float] = instance(name, value, pd.Series, "a Series of scores")
    numbers(name, scores)
    if not len(scores) or not scores.index.is_unique:
        raise InputError(f"{name}: at least one score is needed, and one for each thing that is scored.")
    return scores


def shaded_table(
    table: pd.DataFrame, form: str, ax: Axes | None = None, words: pd.DataFrame | None = None
) -> Axes:
    """A table with cells shaded by their numbers. words: texts of the cells in place of the numbers."""
    for name, column in table.items():
        numbers(str(name), column.dropna())
    width = 2 + (0.5 if words is None else 0.9) * table.shape[1]
    ax = ready_axes(ax, max(width, 4.8), max(1.2 + 0.25 * table.shape[0], 2.8))
    cells = table.to_numpy()
    texts = table.map(form.format) if words is None else words
    darkest = 2 * np.nanmax(cells) or 1  # numbers stay readable on the darkest cell
    ax.imshow(cells, cmap="Greys", aspect="auto", vmin=0, vmax=darkest)
    for (row, column), cell in np.ndenumerate(texts.to_numpy()):
        ax.text(column, row, cell, ha="center", va="center", color=INK)
    slanted_ticks(ax, [label(name) for name in table.columns])
    ax.set_yticks(range(table.shape[0]), [label(name) for name in table.index])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def check_picture(path: Target, inputs: Iterable[Target | None] = ()) -> None:
    """Raise InputError, IrTruncError or OSError if a picture cannot be drawn or written to this path."""
    check_outputs([path], inputs)
    with needed("Pictures need matplotlib", "plot", IrTruncError):
        from matplotlib.backend_bases import FigureCanvasBase
    if _kind(path) not in FigureCanvasBase.get_supported_filetypes():
        raise InputError(f"{os.fsdecode(path)}: the name of a picture ends in its kind, .png, .svg or .pdf.")


def save_picture(figure: Any, path: Target, fonts: str = "none") -> None:
    """Write a figure in the format of its file name. fonts: 'none' or 'path', letters in SVG as outlines."""
    from matplotlib import rc_context

    check_picture(path)
    data = io.BytesIO()
    settings: dict[str, Any] = {"svg.fonttype": fonts, "svg.hashsalt": "ir_trunc"}
    try:
        with rc_context(settings):
            figure.savefig(data, format=_kind(path), dpi=150, metadata=_UNDATED.get(_kind(path)))
    except (ValueError, RuntimeError) as error:
        raise IrTruncError(f"{os.fsdecode(path)}: {str(error).splitlines()[0]}.") from None
    with output_file(path) as file:
        file.write(data.getvalue())


def _kind(path: Target) -> str:
    return os.path.splitext(os.fsdecode(path))[1].lower().removeprefix(".")


def caption(ax: Axes, data: str, topics: int | None = None, systems: int | None = None) -> Axes:
    """Write below the title what the data are, and how many topics and systems.

    Parameters
    ----------
    ax : Axes
        The picture.
    data : str
        Name of the collection, as 'TREC-COVID round 1', or what it is, as 'generated data'.
    topics, systems : int, optional
        How many there are.

    Returns
    -------
    Axes
        Those that were given.

    Examples
    --------
    >>> from ir_trunc import plots
    >>> from ir_trunc.truncation import study
    >>> ax = plots.caption(plots.example(study.example("RBPT")), "generated data", topics=1)
    >>> ax.get_title()
    'generated data, 1 topic'
    """
    if ax is None:
        raise InputError("ax: the Axes that a picture returned are needed.")
    sizes = [text("data", data)]
    for word, count in (("topic", topics), ("system", systems)):
        if count is not None:
            size = whole(f"{word}s", count, 1)
            sizes.append(f"{size:,} {word}" if size == 1 else f"{size:,} {word}s")
    set_title(ax, f"{ready_axes(ax).get_title()}\n{label(', '.join(sizes))}".removeprefix("\n"))
    return ax
