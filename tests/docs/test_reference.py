"""The reference and the glossary: up to date, complete, and every example and link in them works."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from pages import extension

from ir_trunc import meta
from ir_trunc.measures import families, names, registry

reference = extension("reference")
PAGES = Path(__file__).parents[2] / "notebooks"
REFERENCE = (PAGES / "reference.md").read_text(encoding="utf-8")
GLOSSARY = (PAGES / "glossary.md").read_text(encoding="utf-8")


def anchors(text: str) -> list[str]:
    """The anchors that GitHub gives the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def rows(section: str) -> dict[str, str]:
    """First and second cells of a table of the glossary."""
    text = GLOSSARY.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| `")]
    return {name: meaning.strip() for first, meaning in cells for name in re.findall(r"`([^`]+)`", first)}


def test_the_page_is_what_the_registries_say():
    """The page takes seconds to compute: once for all tests."""
    assert reference.page() == REFERENCE, "notebooks/reference.md is out of date; renew it by: .ci/renew"


def test_the_page_of_names_elsewhere_has_what_the_errors_say():
    page = (PAGES / "coming-from" / "names.md").read_text(encoding="utf-8")
    assert extension("elsewhere").page() == page, (
        "coming-from/names.md is out of date; renew it by: .ci/renew"
    )


def test_every_example_gives_what_stands_beside_it():
    session = REFERENCE.replace("```\n", "\n")  # a fence ends no output of Python
    examples = doctest.DocTestParser().get_doctest(session, {}, "reference.md", None, 0)
    assert doctest.DocTestRunner().run(examples) == (0, len(registry) + 3)


def test_every_measure_has_its_place_in_one_family():
    assert sorted(measure.name for family in families() for measure in family.members) == sorted(registry)
    assert all(family.question.endswith((".", "?")) and family.title for family in families())
    headings = anchors(REFERENCE)
    assert len(set(headings)) == len(headings)
    assert {name.lower() for name in registry} <= set(headings)
    for name in names():
        assert re.search(rf"`{re.escape(name)}[`@(\[]", REFERENCE), name


@pytest.mark.parametrize(("name", "expected"), [
    # one after the other: 1 0 1 and 1 0 1 0 0 of three relevant documents; empty; nil query: empty, 0 0
    ("AP", [5 / 9, 5 / 9, 0, 0, 0]),
    ("RRT", [1, 1, 0, 1, 1 / 3]),
    ("PT", [(2 + 2 / 3) / 5, 2 / 5, 0, 1 / 5, 1 / 5]),
    ("FlatU", [2 - 0.15, 2 - 0.25, 0, 0, -0.1]),
    ("EM", [1, 1, 0, 1, 0]),
    ("K1", [0.9, 0.9, 0, 0, -0.9]),
    ("c", [1, 1, 1 / 2, 1 / 2, 0]),
    ("SetP", [2 / 3, 2 / 5, 0, 0, 0]),
    ("RBPT", [0.2 * 1.64 + 0.8**3 * 2 / 3, 0.2 * 1.64 + 0.8**5 * 2 / 3, 0, 1, 0.8**2]),
])  # fmt: skip
def test_small_lists_are_scored_as_by_hand(name, expected):
    np.testing.assert_allclose(reference.boundary_scores(registry[name]), expected, rtol=1e-12)
    row = re.search(rf"^\| `{name}(?:@\d)?` \| (.*) \|$", REFERENCE, re.MULTILINE)[1]
    assert row == " | ".join(f"{value:.4f}" for value in expected)


def test_the_table_of_properties_has_the_verdicts_and_the_entries_say_what_they_depend_on():
    section = REFERENCE.partition("## The seven properties")[2]
    table = dict(re.findall(r"^\| \[([^\]]+)\]\([^)]*\) \| (.*) \|$", section, re.MULTILINE))
    signs = {"strict": "●", "weak": "◐", "constant": "○", "violated": "✕", "depends": "◇"}
    kept = meta.properties()
    for name in ("OIE", "RBPT", "KendallTau"):
        findings = kept[name].findings
        assert table[name] == " | ".join(signs[found.verdict] + "*" * found.disagrees() for found in findings)
    entry = "Priority on grades (strict with grades 0,1; violated with grades 0,1,2), Deepness on R and n"
    assert entry in REFERENCE


@pytest.mark.parametrize("page", ["reference.md", "glossary.md", "promises.md"])
def test_every_link_between_the_pages_leads_somewhere(page):
    links = re.findall(r"\]\(((?!http)[^)#]*)(?:#([^)]*))?\)", (PAGES / page).read_text(encoding="utf-8"))
    for file, anchor in links:
        target = PAGES / (file or page)
        assert target.is_file(), f"{page} links to {file}"
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), f"{file}#{anchor}"


def test_the_glossary_has_every_parameter_and_no_other():
    assert set(rows("Parameters")) == {name for definition in registry.values() for name in definition.params}


def test_the_glossary_has_every_sign_of_the_formulas():
    """Signs: single letters, what has an index, cg and cig. Names of measures and parameters have entries
    elsewhere.
    """
    known = {part for sign in rows("Signs in the formulas") for part in re.findall(r"\w+", sign)}
    for definition in registry.values():
        words = {word.rstrip("_") for word in re.findall(r"[A-Za-z]\w*", definition.equation)}
        signs = {word for word in words if len(word) == 1 or "_" in word or word in ("cg", "cig")} - {"a"}
        assert signs - known - set(registry) == set(), definition.name
