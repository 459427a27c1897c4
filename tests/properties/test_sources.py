"""Everything names its source and its place there, and says whether it is a paper's, an extension or ours."""

import re

import pytest
from pages import ROOT

from ir_trunc import meta, truncation
from ir_trunc._cli.study import STUDIES
from ir_trunc._reproduce.reproduction import PAPERS
from ir_trunc.measures import families, lookup
from ir_trunc.measures.definition import mark_of

MEASURES = [definition for family in families() for definition in family.members]
DECLARED = [*MEASURES, *meta.registry.values(), *truncation.registry.values(), *STUDIES]
FIVE = ("Mizzaro & Spina, SIGIR 2022", "Baldwin & Zhang", "Rodrigo, ACL 2011", "Sakai, NTCIR-4", "EVIA 2010")
PLACE = re.compile(r"\b(section|eq\.|tables?|figures?) [0-9]", re.IGNORECASE)


def test_a_source_has_its_place_in_the_papers_and_its_mark():
    for declared in DECLARED:
        source = declared.source
        assert mark_of(source) == "ours" or re.search(r"https?://|[0-9]{4}", source), declared.name
        assert ("our extension" in source.partition("(")[0]) == (mark_of(source) == "extension"), (
            declared.name
        )
        if mark_of(source) == "paper" and any(paper in source for paper in FIVE):
            assert PLACE.search(source), declared.name


def test_every_table_that_is_computed_names_its_number():
    for paper in PAPERS.values():
        assert any(name in paper.source for name in FIVE)
        assert all(re.match(r"Table|Figure|Worked examples", title) for title in paper.titles)


@pytest.mark.parametrize("name", ["nRBPT", "nERRT", "SignedRBPT", "SignedDCG"])
def test_what_liu_s_paper_does_not_have_is_called_an_extension(name):
    """It has gains of 0 and more, no normalised RBP' and no ERR'; RR' is binary."""
    assert lookup(name).source.startswith("after ")
    assert ", our extension" in lookup(name).source


def test_the_reference_shows_the_marks():
    page = (ROOT / "notebooks" / "reference.md").read_text(encoding="utf-8")
    assert "*extension*: [after Liu, Moffat, Baldwin & Zhang, SIGIR 2016](https://doi.org/10" in page
    assert "*paper*: [Peñas & Rodrigo, ACL 2011](https://aclanthology.org/P11-1142), section 2.2" in page
    assert "*ours*: " in page
