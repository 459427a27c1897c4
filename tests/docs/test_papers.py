"""What each paper has, and where it is: the page is what the script prints, and every call of it runs."""

import re
from pathlib import Path

import numpy as np
import pytest
from pages import extension

from ir_trunc._reproduce.reproduction import PAPERS
from ir_trunc.measures import families
from ir_trunc.measures.definition import mark_of

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
OF_PAPER = {
    "liu2016": "Baldwin & Zhang", "amigo2022": "Mizzaro & Spina, SIGIR 2022", "sakai2004": "Sakai, NTCIR-4",
    "webber2010": "EVIA 2010", "penas2011": "Rodrigo, ACL 2011",
}  # fmt: skip


@pytest.fixture(scope="module")
def papers():
    pytest.importorskip("matplotlib")
    return extension("papers")


@pytest.mark.full
def test_every_call_gives_something(papers):
    found = papers.results()
    assert {row["paper"] for row, _ in found} == PAPERS.keys() == OF_PAPER.keys()
    assert not [row["call"] for row, value in found if value is None]


def of_lists(found):
    """The lists 101 and 1 of Liu et al., section 2: r_t is a share of R."""
    return [results.values[0, [0, 4]] for results in found]


FIGURES = {
    "for R in (3, 5, 10)]": (of_lists, [[0.7083, 0.6667], [0.675, 0.6], [0.65, 0.55]]),
    "nil='sakai'), {'love?'": (lambda found: found.values, [[1]]),
    'DCG(dcg="jk")@10\', qrels': (lambda found: found.measures[0].params["dcg"] == "jk", True),
    "form='z'": (lambda found: [found.values.mean(), found.values.std(axis=1).max()], [0, 1]),
    "log.counts": (lambda found: [*found.values()], [1, 1, 1]),  # 2 of 3 answered, 1 of 2 rightly
    "meta.persistence(0.1, 100)": (lambda found: found, 0.977237),
}
"""Figures of calls, by a part of the call, as the formula or sentence of the place has them."""


@pytest.mark.parametrize("part", FIGURES)
def test_a_call_gives_the_figure_of_its_place(papers, part):
    ((_, found),) = papers.results(part)
    figure_of, expected = FIGURES[part]
    assert np.array(figure_of(found), float) == pytest.approx(np.array(expected, float), abs=0.00005)


def test_the_page_is_what_the_script_prints(papers):
    page = (NOTEBOOKS / "papers.md").read_text(encoding="utf-8")
    assert page == re.sub(r"\{\{(\w+)\}\}", lambda match: papers.table(match[1]), papers.TEMPLATE)


def test_every_measure_of_the_five_papers_is_on_it(papers):
    calls = {
        paper: " ".join(row["call"] for row in papers.rows() if row["paper"] == paper) for paper in PAPERS
    }
    for definition in (member for family in families() for member in family.members):
        for paper, authors in OF_PAPER.items():
            if mark_of(definition.source) == "paper" and authors in definition.source:
                assert re.search(rf"\b{definition.name}\b", calls[paper]), (paper, definition.name)
