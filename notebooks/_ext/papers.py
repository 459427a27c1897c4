"""Print papers.md: `python notebooks/_ext/papers.py`. Every call of papers.csv is run first."""

import csv
import re
import warnings
from pathlib import Path

from ir_trunc import IrTruncWarning
from ir_trunc._output.tables import markdown_table

HERE = Path(__file__).parent
TEMPLATE = (HERE / "papers.txt").read_text(encoding="utf-8")


def rows():
    """The rows of papers.csv: paper, place, what, call."""
    with open(HERE / "papers.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(part=""):
    """What each call with this part returns, with its row."""
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        exec(re.findall(r"^```python\n(.*?)^```$", TEMPLATE, re.MULTILINE | re.DOTALL)[0], names)
        return [(row, eval(row["call"], names)) for row in rows() if part in row["call"]]


def table(paper):
    """The table of a paper in Markdown."""
    of_paper = [row for row in rows() if row["paper"] == paper]
    cells = [[row["place"], row["what"], f"`{row['call']}`"] for row in of_paper]
    return markdown_table(["place", "what", "call"], cells).strip()


if __name__ == "__main__":
    import matplotlib as mpl

    mpl.use("agg")
    results()
    print(re.sub(r"\{\{(\w+)\}\}", lambda match: table(match[1]), TEMPLATE), end="")
