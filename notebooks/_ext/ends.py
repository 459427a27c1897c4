"""Draw ends.svg, what the end of a graded list is worth: `python notebooks/_ext/ends.py FILE`."""

import sys

import pandas as pd

import ir_trunc
from ir_trunc import plots
from ir_trunc.plots import _kit

TOPIC = {"a": 3, "b": 1, "c": 1, "d": 1}
LINES = {
    "terminal='least' (default)": "nDCGT",
    "terminal='full'": "nDCGT(max_rel=3,terminal='full')",
}


def draw(file):
    """Write the picture: a topic's documents, best first, and two others, cut at each depth."""
    ready = ir_trunc.evaluator(list(LINES.values()), {"1": TOPIC})
    rows = [ready.calc({"1": [*TOPIC, "x", "y"][:depth]}).values[:, 0] for depth in range(7)]
    ax = plots.lines(pd.DataFrame(rows, columns=list(LINES)).rename_axis("length of the list (documents)"))
    ax.axhline(1, color=_kit.GREY, linewidth=0.8, zorder=1)
    ax.set_ylabel("nDCGT")
    _kit.set_title(ax, "Grades 3, 1, 1, 1, 0, 0, cut at each depth")
    _kit.save_picture(ax.figure, file, "path")


if __name__ == "__main__":
    draw(sys.argv[1])
