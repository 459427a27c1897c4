"""Tables as text of at most 80 columns, Markdown, CSV, JSON, LaTeX and HTML; texts that fit a terminal.

A table that is too wide continues below; no column is left out. Only names that are too long lose their
middle.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import isfinite
from string import Template
from textwrap import wrap
from typing import Any, TextIO

from ir_trunc._core.errors import printable
from ir_trunc._core.lazy import pd

WIDTH = 80

_TABLE = WIDTH - 3  # pandas ends the lines of a table that continues below with a backslash
_LABELS, _CELL = 42, 30  # columns for the labels of a row, together, and for a column


def fitted(text: str, indent: int = 2) -> str:
    """The text with long lines broken at 80 columns; continued lines are indented."""
    how: dict[str, Any] = {"replace_whitespace": False, "break_on_hyphens": False}
    how["subsequent_indent"] = " " * indent
    return "\n".join("\n".join(wrap(printable(line), WIDTH, **how)) for line in text.splitlines())


def table_text(frame: pd.DataFrame, digits: int | None = 4, every_row: bool = False) -> str:
    """A table as text. digits: decimal places, -1 for all, None for those of pandas."""
    index, room = _labels(frame.index, _LABELS), _CELL
    if index.nlevels == 1 and not is_plain(index):  # a name of a column may take what is left
        room = max(room, _TABLE - 2 - max(map(len, map(str, [*index, index.name, frame.columns.name]))))
    p_values = _p_values(frame, 0 if digits is None else digits)
    names = enumerate(frame.columns)
    cells = {at: frame.iloc[:, at].map(p_values.get(name, _cell)).to_numpy() for at, name in names}
    shown = pd.DataFrame(cells, index=index, dtype=None)
    shown.columns = _labels(frame.columns, room)
    numbers = None if digits is None else partial(number_text, digits=digits)
    most = None if every_row else pd.get_option("display.max_rows")
    rows = {"max_rows": most, "min_rows": pd.get_option("display.min_rows"), "line_width": _TABLE}
    text: str = shown.to_string(float_format=numbers, index=not is_plain(frame.index), **rows)
    return text


def number_text(value: float, digits: int) -> str:
    """A number with this many decimal places, or with all for -1."""
    return repr(float(value)) if digits < 0 else f"{value:.{digits}f}"


def _p_values(frame: pd.DataFrame, digits: int) -> dict[Any, Any]:
    """How columns of p values are printed: a small one as a bound, in place of 0."""

    def shown(p: float) -> str:
        least = 10.0**-digits
        return f"<{number_text(least, digits)}" if p < least else number_text(p, digits)

    last = {name: name[-1] if isinstance(name, tuple) else name for name in frame.columns if digits > 0}
    return {name: shown for name, part in last.items() if part == "p" or str(part).startswith("p_")}


def is_plain(index: Any) -> bool:
    """Whether an index has row numbers only, and no names."""
    return isinstance(index, pd.RangeIndex) and index.name is None


def _labels(index: pd.Index[Any], room: int) -> Any:
    """The labels, shortened if all levels together would be wider than `room` columns."""
    if is_plain(index):
        return index
    each = max(10, room // index.nlevels - 1)  # a date has ten characters
    names = [None if name is None else shortened(str(name), each) for name in index.names]
    if index.nlevels > 1:
        return pd.MultiIndex.from_tuples([tuple(_cell(x, each) for x in row) for row in index], names=names)
    return pd.Index([_cell(x, each) for x in index], name=names[0])


def _cell(value: Any, room: int = _CELL) -> Any:
    return shortened(value, room) if isinstance(value, str) else value


def shortened(text: str, room: int) -> str:
    """The text, without its middle if it is longer than `room` characters."""
    shown = printable(text)
    if len(shown) <= room:
        return shown
    end = (room - 3) // 2
    return f"{shown[: room - 3 - end]}...{shown[len(shown) - end :]}"


def aligned_text(lines: Iterable[Sequence[str]], names: int, width: int = WIDTH) -> str:
    """Lines of cells as columns that line up: `names` columns to the left, the others to the right."""
    cells = [[printable(cell) for cell in line] for line in lines]
    blocks = []
    for block in _blocks(cells, names, width):
        widths = [max(map(len, column)) for column in zip(*block)]
        pads = [str.ljust] * names + [str.rjust] * (len(widths) - names)
        shown = ([pad(cell, width) for pad, cell, width in zip(pads, line, widths)] for line in block)
        blocks.append("\n".join("  ".join(line).rstrip() for line in shown))
    return "\n\n".join(blocks)


def _blocks(lines: list[list[str]], names: int, width: int) -> Iterator[list[list[str]]]:
    """The lines with as many columns at a time as fit, at least one, behind the names of the rows."""
    widths = [max(map(len, column)) + 2 for column in zip(*lines)]
    start = names
    while start < len(widths) or start == names:
        end, room = start + 1, width + 2 - sum(widths[:names]) - sum(widths[start : start + 1])
        while end < len(widths) and widths[end] <= room:
            room -= widths[end]
            end += 1
        yield [line[:names] + line[start:end] for line in lines]
        start = end


def csv_text(table: pd.DataFrame, places: int | None, separator: str = ",") -> str:
    """A table as CSV, with the names of its rows if there are any. places: decimals; None or -1 for all."""
    numbers = f"%.{places}f" if places is not None and places >= 0 else None
    index = not is_plain(table.index)
    return table.to_csv(sep=separator, index=index, lineterminator="\n", float_format=numbers)


def as_html(frame: pd.DataFrame, digits: int = 4, index: bool = True) -> str:
    """A table as HTML for a notebook; names are escaped."""
    numbers, p_values = f"{{:.{digits}f}}".format, _p_values(frame, digits)
    return frame.to_html(index=index, border=0, float_format=numbers, formatters=p_values)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int | None = None) -> str:
    """A table of Markdown cells; `left` columns (None: all) are aligned to the left, others to the right."""
    names = len(head) if left is None else left
    lines = [head, ["---"] * names + ["---:"] * (len(head) - names), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


FORMATS = "table", "tsv", "csv", "jsonl", "json", "markdown"
"""Forms of scores: a table to read, tab-separated, CSV, JSON Lines, a JSON list, Markdown."""
OF_PAPERS = "latex", "html"
"""Forms that only a comparison has."""
FOR_PAGES = "markdown", *OF_PAPERS
"""Forms in which a comparison or a leaderboard is written as a whole."""


def written_in(result: Any, form: str, places: int, as_table: Callable[[int], str]) -> str:
    """A comparison or leaderboard in a form for papers, in Markdown, or as a table to read."""
    forms = {"latex": partial(result.to_latex, ""), "html": result.to_html, "markdown": result.to_markdown}
    text: str = forms.get(form, as_table)(places if places >= 0 else 15)
    return text


Row = tuple[Any, ...]
"""Run and topic (or view of the topics), each where it is a column; measure; value."""


def write_scores(form: str, rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """Write scores in one of `FORMATS`. Counts have no decimals, and JSON has all.

    CSV and JSON have an entry for each value. The other forms have a column for each measure, or measures in
    rows; of one run, tsv has the lines of the `ir_measures` command.
    """
    if form in ("jsonl", "json"):
        out.writelines(_json_lines(form, rows, columns))
        return
    lines: Iterable[Sequence[str]] = (
        [*names, str(value) if isinstance(value, int) else number_text(value, places)]
        for *names, value in rows
    )
    if form == "csv":
        import csv  # for those who ask for it, as json

        csv.writer(out, lineterminator="\n").writerows(chain([columns], lines))
        return
    if form != "tsv" or "run" in columns:
        lines = _by_measure(lines, columns)
    left = max(1, len(columns) - 2)
    if form == "table":
        width = shutil.get_terminal_size().columns if out.isatty() else WIDTH
        print(aligned_text(lines, left, width), file=out)
    elif form == "markdown":
        head, *cells = ([re.sub(r"([\\|`*_<>])", r"\\\1", printable(cell)) for cell in row] for row in lines)
        out.write(markdown_table(head, cells, left))
    else:
        # A tab or a line end in a name would begin the next cell.
        escaped = {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
        out.writelines("\t".join(cell.translate(escaped) for cell in row) + "\n" for row in lines)


def _by_measure(lines: Iterable[Sequence[str]], columns: Sequence[str]) -> list[list[str]]:
    """A header and a row for each run and topic, a column for each measure; or measures in rows."""
    names = columns[:-2]
    if not names:
        return [["measure", "value"], *map(list, lines)]
    table: dict[tuple[str, ...], dict[str, str]] = {}
    for *key, measure, value in lines:
        table.setdefault(tuple(key), {})[measure] = value
    measures = dict.fromkeys(measure for values in table.values() for measure in values)
    rows = ([*key, *(values.get(measure, "") for measure in measures)] for key, values in table.items())
    return [[*names, *measures], *rows]


def table_lines(table: pd.DataFrame, form: str, places: int | None) -> str:
    """A table as text, CSV, TSV, JSON Lines or JSON."""
    if form == "table":
        return f"{table_text(table, places, every_row=True)}\n"
    if form in ("jsonl", "json"):
        table = table if is_plain(table.index) else table.reset_index()
        return "".join(_json_lines(form, table.to_dict("split")["data"], table.columns))
    return csv_text(table, places, "," if form == "csv" else "\t")


def _json_lines(form: str, rows: Iterable[Row], columns: Iterable[str]) -> Iterator[str]:
    """An object for each row, or one list of them; null where JSON has no number."""
    import json

    def finite(value: Any) -> Any:
        return None if isinstance(value, float) and not isfinite(value) else value

    records = (dict(zip(columns, map(finite, row))) for row in rows)
    for part in [[*records]] if form == "json" else records:
        yield f"{json.dumps(part, ensure_ascii=False)}\n"


SIGNIFICANT, BEST = "*", "+"  # marks of a mean; in text, where nothing is bold
_WARNINGS = 3  # warnings that are printed on a terminal at most
_LONG_NAME = 32  # letters of a name in one line, in LaTeX
_TABLE_TEX = Template(
    r"""% \usepackage{booktabs,graphicx}
${warnings}\begin{table}
\centering
$caption
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tabular}{${form}}
\toprule
$columns \\
\midrule
$rows
\bottomrule
\end{tabular}}
\end{table}
"""
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # at the start of a row it would be an argument of the row before
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_{}[]|#~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


@dataclass(frozen=True)
class Cell:
    """A score as text."""

    text: str
    best: bool = False  # whether it is the best of its column
    marks: str = ""  # letters of other rows, or `SIGNIFICANT`
    below: str = ""  # the interval below the score; "" for none


@dataclass(frozen=True)
class MarkedTable:
    """A table of scores of systems with marks and notes, as papers print it."""

    caption: str
    letters: Sequence[str]  # the letter of each row in the marks; none if there are no letters
    rows: Sequence[str]  # their names, and those of the columns
    columns: Sequence[str]
    cells: Sequence[Sequence[Cell]]  # row by row
    best: str  # what it means that a score is the best of its column
    notes: Sequence[str]
    warnings: Sequence[str] = ()  # what was assumed or left out; comments in LaTeX

    def with_rows(self, rows: Sequence[str], cells: Sequence[Sequence[Cell]]) -> MarkedTable:
        """The table with further rows below, which have no letters."""
        letters = [*self.letters, *[""] * len(rows)] if self.letters else self.letters
        return replace(self, letters=letters, rows=[*self.rows, *rows], cells=[*self.cells, *cells])

    def text(self) -> str:
        """Text of at most 80 columns; the best score of a column has the mark `BEST`."""
        widths = [max(len(row[i].marks) for row in self.cells) for i in range(len(self.columns))]
        names, lines = [], []
        for name, row in zip(self._rows("{} ", str, "  "), self.cells):
            names.append(name)
            lines.append([f"{c.text}{BEST if c.best else ' '}{c.marks:<{w}}" for c, w in zip(row, widths)])
            if any(cell.below for cell in row):
                names.append("")
                lines.append([f"{cell.below} {'':<{w}}" for cell, w in zip(row, widths)])
        frame = pd.DataFrame(lines, index=pd.Index(names, name="system"), columns=list(self.columns))
        lines_of_text = table_text(frame, None).splitlines()  # a part may have nothing below its scores
        shown = "\n".join(line.rstrip() for line in lines_of_text if line.strip() or not line)
        notes, above = self.explained(BEST, str), [*self.warnings[:_WARNINGS]]
        if len(self.warnings) > _WARNINGS:
            above.append(f"({len(self.warnings) - _WARNINGS} more in `notes`)")
        below = ["", *map(fitted, notes)] if notes else []
        return "\n".join([*map(fitted, (self.caption, *above)), "", shown, *below])

    def latex(self, label: str = "") -> str:
        """A table environment for booktabs and graphicx; the caption explains the marks, the best is bold.

        A measure has two columns: the numbers end at its right edge, and marks follow in the second. A table
        that is too wide is made smaller.
        """
        over = "\\multicolumn{{2}}{{c}}{{{}}}".format
        lines = []
        for name, row in zip(self._rows("\\textit{{{}}}~", _latex_name), self.cells):
            lines.append([name, *map(_latex_cell, row)])
            if any(cell.below for cell in row):
                lines.append(["", *(over(f"\\scriptsize {_minus(cell.below)}") for cell in row)])
        sentences = [f"{latex(self.caption)}.", *self.explained("Bold:", latex)]
        return _TABLE_TEX.substitute(
            caption=f"\\caption{{{' '.join(sentences)}}}" + (f"\n\\label{{{label}}}" if label else ""),
            form="l" + "r@{}l" * len(self.columns),
            columns=" & ".join(["system", *(over(_stacked(name)) for name in self.columns)]),
            rows="\n".join(f"{' & '.join(cells)} \\\\" for cells in lines),
            warnings="".join(f"% {printable(warning)}\n" for warning in self.warnings),
        )

    def html(self) -> str:
        """A table with caption, row and column headings; the best score of a column is strong."""
        head = "".join(f'<th scope="col">{_html(name)}</th>' for name in ("system", *self.columns))
        lines = []
        for name, row in zip(self._rows("<i>{}</i> ", _html), self.cells):
            cells = [_marked(cell, "<strong>{}</strong>", "<br><small>{}</small>", _html) for cell in row]
            scores = "".join(f"<td>{cell}</td>" for cell in cells)
            lines.append(f'<tr><th scope="row">{name}</th>{scores}</tr>')
        above = [f"<p>{_html(warning)}</p>" for warning in self.warnings]
        notes = "".join(f"<p>{sentence}</p>\n" for sentence in self.explained("Bold:", _html))
        caption = f"<caption><span>{_html(self.caption)}</span></caption>"
        top = [*above, "<table>", caption, f"<thead><tr>{head}</tr></thead>", "<tbody>"]
        return "\n".join([*top, *lines, "</tbody>", "</table>", notes])

    def markdown(self) -> str:
        """A table as GitHub's Markdown has it; the best score of a column is bold."""
        cells = ([_marked(cell, "**{}**", "<br>{}", _markdown) for cell in row] for row in self.cells)
        rows = [[name, *row] for name, row in zip(self._rows("*{}* ", _markdown), cells)]
        table = markdown_table(["system", *map(_markdown, self.columns)], rows, 1).removesuffix("\n")
        above, notes = map(_markdown, self.warnings), self.explained("Bold:", _markdown)
        return "\n\n".join([_markdown(self.caption), *above, table, *notes]) + "\n"

    def _rows(self, form: str, escape: Callable[[str], str], blank: str = "") -> list[str]:
        """The names of the rows. form: of the letter before a name, or else `blank`."""
        letters = [form.format(letter) if letter else blank for letter in self.letters]
        return [before + escape(name) for before, name in zip(letters or [""] * len(self.rows), self.rows)]

    def explained(self, best: str, escape: Callable[[str], str]) -> list[str]:
        """What the marks mean, the notes included. best: the mark of the best score of a column."""
        has_best = any(cell.best for row in self.cells for cell in row)
        of_best = [f"{best} {escape(self.best)}"] if has_best else []
        return [*of_best, *map(escape, self.notes)]


def latex(text: str) -> str:
    """A text whose special characters are escaped for LaTeX."""
    return "".join(_LATEX.get(sign, sign) for sign in printable(text))


def _latex_name(name: str) -> str:
    """A name of a row; a long one has several lines."""
    if len(name) <= _LONG_NAME:
        return latex(name)
    parts = (f"{latex(sign)}\\allowbreak{{}}" if sign in "_-./" else latex(sign) for sign in name)
    return rf"\parbox[t]{{15em}}{{\raggedright {''.join(parts)}\strut}}"


def _stacked(name: str) -> str:
    """The name of a column, with a line for each of its words or parameters."""
    stack = latex(name).replace(",", ", ").replace(" ", r"\\")
    return rf"\shortstack{{{stack}}}" if r"\\" in stack else stack


def _minus(text: str) -> str:
    return text.replace("-", "$-$")


def _latex_cell(cell: Cell) -> str:
    text = "--" if cell.text == "-" else _minus(cell.text)
    score = f"\\textbf{{{text}}}" if cell.best else text
    return f"{score} & $^{{{cell.marks}}}$" if cell.marks else f"{score} &"


def _html(text: str) -> str:
    import html  # for notebooks: commands start sooner without its table of entities

    return html.escape(printable(text))


def _markdown(text: str) -> str:
    return "".join(_MARKDOWN.get(sign, sign) for sign in printable(text))


def _marked(cell: Cell, best: str, below: str, escape: Callable[[str], str]) -> str:
    """A cell of HTML or Markdown. best, below: formats of the best mean and of an interval."""
    text = best.format(cell.text) if cell.best else cell.text
    interval = below.format(escape(cell.below)) if cell.below else ""
    return text + (f"<sup>{escape(cell.marks)}</sup>" if cell.marks else "") + interval
