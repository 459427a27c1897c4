"""Draw cheat-sheet.pdf, one page A4, from cheat-sheet.md: `python notebooks/_ext/cheat_sheet.py FILE`.

The lists, their scores and the table of what to type are those of the page; its Python is run, and nothing is
written a second time.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

from ir_trunc.plots._kit import ACCENT, COLOURS, GREY, INK, label, new_figure

PAGE = Path(__file__).parent.parent / "cheat-sheet.md"
A4 = (8.27, 11.69)  # inches


def computed():
    """The lists {name: (signs, relevant documents)}, and their scores as text."""
    [block] = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    lines = [line[4:] for line in block.splitlines() if line[:4] in (">>> ", "... ")]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(lines), names)
    return names["shapes"], names["scores"].loc[list(names["shapes"])].map("{:.2f}".format)


def typed():
    """What to type for what is wanted: the rows of the page's table."""
    rows = re.findall(r"^\| (.*?) \| `(.*?)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(want, command) for want, command in rows]


def words():
    """All that is on the sheet, a line for each row."""
    shapes, scores = computed()
    rows = [
        f"{name} {signs or '-'} {relevant} {' '.join(scores.loc[name])}"
        for name, (signs, relevant) in shapes.items()
    ]
    return "\n".join([" ".join(scores), *rows, *(" ".join(row) for row in typed())])


def draw(file):
    """Write the sheet."""
    shapes, scores = computed()
    sheet = new_figure(*A4)
    sheet.set_layout_engine("none")
    ax = sheet.add_axes((0.06, 0.04, 0.88, 0.92))
    ax.set(xlim=(0, 100), ylim=(100, 0))
    ax.axis("off")
    ax.text(
        0, 1, "ir_trunc: what each measure says of the shape of a list", fontsize=15, weight="bold", color=INK
    )
    ax.text(
        0,
        4.5,
        "Full circles are relevant documents, empty ones are not, the bar is the end of the list. The best"
        "\nscores of a measure are dark. Measures have different scales: compare within a column.",
        fontsize=9,
        va="center",
        color=INK,
    )
    _table(ax, shapes, scores, 9)
    _commands(ax, typed(), 60)
    sheet.savefig(file, format="pdf", metadata={"CreationDate": None, "Subject": words()})


def _table(ax, shapes, scores, top):
    """A row for each list: its name, its circles, how many documents are relevant, its scores."""
    start, step = 36, (100 - 36) / scores.shape[1]
    for at, measure in enumerate(scores):
        ax.text(start + (at + 0.5) * step, top, measure, ha="center", fontsize=8, color=INK)
    ax.text(32.5, top, "relevant", ha="center", fontsize=9, color=INK)
    for row, (name, (signs, relevant)) in enumerate(shapes.items(), 1):
        y = top + 4.4 * row
        ax.plot([0, 100], [y + 2.2] * 2, color="#e4e4e4", linewidth=0.8, zorder=0)
        ax.text(0, y, label(name), va="center", fontsize=9.5, color=INK)
        for at, sign in enumerate(signs):
            fill = COLOURS[2] if sign == "1" else "white"
            ax.plot(19 + 2 * at, y, "o", color=COLOURS[2], markerfacecolor=fill, markersize=7)
        end = 18.2 + 2 * len(signs)
        ax.plot([end] * 2, [y - 1.3, y + 1.3], color=ACCENT, linewidth=2.2)
        ax.text(32.5, y, str(relevant), ha="center", va="center", fontsize=9.5, color=INK)
        for at, measure in enumerate(scores):
            text = scores.loc[name, measure]
            best = float(text) == scores[measure].astype(float).max()
            look = {"color": "white", "weight": "bold"} if best else {"color": INK}
            if best:
                ax.fill_between(
                    [start + (at + 0.05) * step, start + (at + 0.95) * step],
                    y - 1.5,
                    y + 1.5,
                    color=COLOURS[2],
                )
            ax.text(start + (at + 0.5) * step, y, text, ha="center", va="center", fontsize=8.5, **look)


def _commands(ax, rows, top):
    """What to type."""
    ax.text(0, top, "I want to ...", fontsize=12, weight="bold", color=INK)
    for row, (want, command) in enumerate(rows, 1):
        y = top + 3.4 * row
        ax.text(0, y, want, va="center", fontsize=9.5, color=INK)
        ax.text(40, y, command.replace("$", r"\$"), va="center", fontsize=9, family="monospace", color=INK)
        ax.plot([0, 100], [y + 1.7] * 2, color=GREY, linewidth=0.4, zorder=0)


if __name__ == "__main__":
    draw(sys.argv[1])
