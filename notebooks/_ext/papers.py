"""Print papers.md: `python notebooks/_ext/papers.py`. What papers.csv says of each call has to hold."""

import csv
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest, kendalltau

from ir_trunc import IrTruncWarning
from ir_trunc._output.tables import markdown_table
from ir_trunc._reproduce.reproduction import Reproduction

HERE = Path(__file__).parent
TEMPLATE = (HERE / "papers.txt").read_text(encoding="utf-8")


def rows():
    """The rows of papers.csv: paper, place, what, call, and what holds for what the call has `found`."""
    with open(HERE / "papers.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rounded(values, places=3):
    """Numbers as lists, rounded."""
    return np.round(np.asarray(values, float), places).tolist()


def stored(table):
    """How many cells of a table of Webber et al. agree on TREC-8, and how many there are."""
    cells = pd.read_csv(HERE.parent / "webber2010.csv").query("table == @table")
    same = Reproduction.from_pandas("webber2010", cells, "TREC-8").same
    return int(same.sum()), len(same)


def names():
    """What calls, and what is said of them, stand on."""
    known = {"np": np, "binomtest": binomtest, "kendalltau": kendalltau, "rounded": rounded, "stored": stored}
    exec(re.findall(r"^```python\n(.*?)^```$", TEMPLATE, re.MULTILINE | re.DOTALL)[0], known)
    return known


def holds(row, known):
    """Whether the figure or the sentence of the place comes out of the call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        return bool(eval(row["holds"], known | {"found": eval(row["call"], known)}))


def table(paper):
    """The table of a paper in Markdown."""
    of_paper = [row for row in rows() if row["paper"] == paper]
    cells = [[row["place"], row["what"], f"`{row['call']}`"] for row in of_paper]
    return markdown_table(["place", "what", "call"], cells).strip()


if __name__ == "__main__":
    import matplotlib as mpl

    mpl.use("agg")
    known = names()
    for row in rows():
        assert holds(row, known), row
    print(re.sub(r"\{\{(\w+)\}\}", lambda match: table(match[1]), TEMPLATE), end="")
