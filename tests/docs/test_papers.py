"""What each paper has, and where it is: what is said of every call of the page holds."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import extension

from ir_trunc import meta
from ir_trunc._reproduce.reproduction import PAPERS
from ir_trunc.measures import families

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
OF_PAPER = {
    "liu2016": "Baldwin & Zhang", "amigo2022": "Mizzaro & Spina, SIGIR 2022", "sakai2004": "Sakai, NTCIR-4",
    "webber2010": "EVIA 2010", "penas2011": "Rodrigo, ACL 2011",
}  # fmt: skip


@pytest.fixture(scope="module")
def papers():
    pytest.importorskip("matplotlib")
    return extension("papers")


@pytest.fixture(scope="module")
def known(papers):
    return papers.names()


ROWS = extension("papers").rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['paper']} {row['place']}" for row in ROWS])
def test_a_call_gives_the_figure_or_the_sentence_of_its_place(papers, known, row):
    assert re.search(r"\bfound\b", row["holds"])
    assert papers.holds(row, known)


def test_every_paper_has_rows():
    assert {row["paper"] for row in ROWS} == PAPERS.keys() == OF_PAPER.keys()


def test_means_of_the_taus_are_those_of_the_text():
    """Webber et al., section 4.1: measures at depth 10, at depth 1,000, and between both."""
    cells = pd.read_csv(NOTEBOOKS / "webber2010.csv").query("table == 'Table 2'")
    names = list(dict.fromkeys([*cells["row"], *cells["column"]]))
    taus = cells.pivot(index="row", columns="column", values="computed").reindex(names, columns=names)
    values = taus.fillna(taus.T).fillna(1).to_numpy()
    blocks = dict(zip(names, ["10"] * 5 + ["1000"] * 5))
    means = meta.Agreement(tuple(names), values, "tau", "systems", np.zeros((10, 2)), 0.9).block_means(blocks)
    assert means.to_numpy()[[0, 1, 0], [0, 1, 1]].round(3).tolist() == [0.905, 0.86, 0.767]


def test_the_page_is_what_the_script_prints(papers):
    page = (NOTEBOOKS / "papers.md").read_text(encoding="utf-8")
    assert page == re.sub(r"\{\{(\w+)\}\}", lambda match: papers.table(match[1]), papers.TEMPLATE)


def test_every_measure_of_the_five_papers_is_on_it():
    calls = {name: " ".join(row["call"] for row in ROWS if row["paper"] == name) for name in PAPERS}
    mark_of = extension("reference").mark_of
    for definition in (member for family in families() for member in family.members):
        for paper, authors in OF_PAPER.items():
            if mark_of(definition.source) == "paper" and authors in definition.source:
                assert re.search(rf"\b{definition.name}\b", calls[paper]), (paper, definition.name)
