"""Tables of scores with marks, as they stand in papers: for a terminal, LaTeX, HTML and Markdown."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from ir_trunc._core.errors import printable
from ir_trunc._core.lazy import pd
from ir_trunc.scoring.results import fitted, table_text

HIGHER, LOWER = "+", "-"
_WARNINGS = 3  # that are printed on a terminal
_IN_LATEX = {HIGHER: r"\uparrow", LOWER: r"\downarrow"}
_IN_HTML = {HIGHER: "\u2191", LOWER: "\u2193"}
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_{}[]|#~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


@dataclass(frozen=True)
class Cell:
    """A score. marks: letters of other rows, or `HIGHER` and `LOWER`. below: its interval, or nothing."""

    text: str
    best: bool = False
    marks: str = ""
    below: str = ""


@dataclass(frozen=True)
class MarkedTable:
    """A table of scores of systems.

    letters: what marks call the rows, or none. rows, columns: their names. cells: row by row. notes: a mark,
    or "", and what there is to say of it. warnings: what was guessed or left out; LaTeX has them as comments.
    """

    caption: str
    letters: Sequence[str]
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Cell]]
    notes: Sequence[tuple[str, str]]
    warnings: Sequence[str] = ()

    def text(self) -> str:
        """Within 80 columns; the best score of a column has a star."""
        widths = [max(len(row[at].marks) for row in self.cells) for at in range(len(self.columns))]
        names, lines = [], []
        for name, row in zip(self._rows(lambda letter: f"{letter} ", str), self.cells):
            names.append(name)
            lines.append([f"{c.text}{'*' if c.best else ' '}{c.marks:<{w}}" for c, w in zip(row, widths)])
            if any(cell.below for cell in row):
                names.append("")
                lines.append([f"{cell.below} {'':<{w}}" for cell, w in zip(row, widths)])
        frame = pd.DataFrame(lines, index=pd.Index(names, name="system"), columns=list(self.columns))
        shown = "\n".join(line.rstrip() for line in table_text(frame, None).splitlines())
        notes = [*self._notes("*", {}, str), *self.warnings[:_WARNINGS]]
        if (more := len(self.warnings) - _WARNINGS) > 0:
            notes.append(f"({more} more in `notes`)")
        return "\n".join([fitted(self.caption), "", shown, *[""] * bool(notes), *map(fitted, notes)])

    def latex(self, label: str = "") -> str:
        """A table environment that needs the package booktabs; the best score of a column is bold."""
        columns = " & ".join(["system", *map(latex, self.columns)])
        caption = f"\\caption{{{latex(self.caption)}}}" + (f"\n\\label{{{label}}}" if label else "")
        lines = []
        for name, row in zip(self._rows("\\textit{{{}}}~".format, latex), self.cells):
            scores = [self._pad(at, cell) + _latex_cell(cell) for at, cell in enumerate(row)]
            lines.append(f"{' & '.join([name, *scores])} \\\\")
            if any(cell.below for cell in row):
                below = [f"\\scriptsize {_minus(cell.below)}" if cell.below else "" for cell in row]
                lines.append(f" & {' & '.join(below)} \\\\")
        marks = {sign: f"${command}$" for sign, command in _IN_LATEX.items()}
        template = (files("ir_trunc.reporting") / "templates" / "table.tex").read_text(encoding="utf-8")
        return Template(template).substitute(
            caption=caption,
            form="l" * (len(self.columns) + 1),
            columns=columns,
            rows="\n".join(lines),
            notes="\n".join(self._notes("Bold:", marks, latex)),
            warnings="".join(f"% {printable(warning)}\n" for warning in self.warnings),
        )

    def html(self) -> str:
        """A table with caption, row and column headings; the best score of a column is strong."""
        head = "".join(f'<th scope="col">{_html(name)}</th>' for name in ("system", *self.columns))
        lines = []
        for name, row in zip(self._rows("<i>{}</i> ".format, _html), self.cells):
            cells = [_cell(cell, "<strong>{}</strong>", "<br><small>{}</small>", _html) for cell in row]
            scores = "".join(f"<td>{cell}</td>" for cell in cells)
            lines.append(f'<tr><th scope="row">{name}</th>{scores}</tr>')
        said = [*self._notes("Bold:", _IN_HTML, _html), *map(_html, self.warnings)]
        notes = "".join(f"<p>{note}</p>\n" for note in said)
        caption = f"<caption><span>{_html(self.caption)}</span></caption>"
        top = ["<table>", caption, f"<thead><tr>{head}</tr></thead>", "<tbody>"]
        return "\n".join([*top, *lines, "</tbody>", "</table>", notes])

    def markdown(self) -> str:
        """A table as GitHub's Markdown has it; the best score of a column is bold."""
        lines = [["system", *map(_markdown, self.columns)], ["---", *["---:"] * len(self.columns)]]
        for name, row in zip(self._rows("*{}* ".format, _markdown), self.cells):
            lines.append([name, *(_cell(cell, "**{}**", "<br>{}", _markdown) for cell in row)])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        said = [*self._notes("Bold:", _IN_HTML, _markdown), *map(_markdown, self.warnings)]
        return "\n\n".join([_markdown(self.caption), table, *said]) + "\n"

    def _rows(self, letter: Callable[[str], str], escape: Callable[[str], str]) -> list[str]:
        letters = [letter(one) for one in self.letters] or [""] * len(self.rows)
        return [before + escape(name) for before, name in zip(letters, self.rows)]

    def _notes(self, best: str, marks: Mapping[str, str], escape: Callable[[str], str]) -> list[str]:
        said = [f"{marks.get(mark, mark)} {escape(text)}".strip() for mark, text in self.notes]
        starred = any(cell.best for row in self.cells for cell in row)
        return [f"{escape(best)} the highest mean of a measure."] * starred + said

    def _pad(self, column: int, cell: Cell) -> str:
        """Room that brings a number's decimal point below those of its column."""
        cells = [row[column].text for row in self.cells if row[column].text != "-"]
        digits = max((_whole(text) for text in cells), default=0) - _whole(cell.text)
        minus = any(text.startswith("-") for text in cells) and not cell.text.startswith("-")
        return r"\phantom{$-$}" * minus + r"\phantom{0}" * digits


def latex(text: str) -> str:
    r"""A text in which no sign is a command of LaTeX.

    Examples
    --------
    >>> print(latex("bm25_50%"))
    bm25\_50\%
    """
    return "".join(_LATEX.get(sign, sign) for sign in printable(text))


def _whole(text: str) -> int:
    """Signs before the decimal point, the minus left out."""
    return len(text.lstrip("-").partition(".")[0])


def _minus(text: str) -> str:
    return text.replace("-", "$-$")


def _latex_cell(cell: Cell) -> str:
    text = "--" if cell.text == "-" else _minus(cell.text)
    marks = "".join(_IN_LATEX.get(mark, mark) for mark in cell.marks)
    return (f"\\textbf{{{text}}}" if cell.best else text) + (f"$^{{{marks}}}$" if marks else "")


def _html(text: str) -> str:
    return html.escape(printable(text))


def _markdown(text: str) -> str:
    return "".join(_MARKDOWN.get(sign, sign) for sign in printable(text))


def _cell(cell: Cell, best: str, below: str, escape: Callable[[str], str]) -> str:
    """A cell of HTML or Markdown. best, below: what is around the best mean and around an interval."""
    text = best.format(cell.text) if cell.best else cell.text
    marks = "".join(_IN_HTML.get(mark, mark) for mark in cell.marks)
    interval = below.format(escape(cell.below)) if cell.below else ""
    return text + (f"<sup>{marks}</sup>" if marks else "") + interval
