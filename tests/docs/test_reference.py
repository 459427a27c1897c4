"""Pages that say what the code is: reference, glossary, limits, the comparison with other tools; examples.

Everything names its source and its place there, and says whether it is a paper's, an extension or ours.
"""

import doctest
import re
import sys
from importlib import import_module

import numpy as np
import pytest
from pages import ROOT, anchors, extension
from source import FILES, module_of, package_of

from ir_trunc import meta, truncation
from ir_trunc._cli.study import STUDIES
from ir_trunc._reproduce.reproduction import PAPERS
from ir_trunc.measures import families, lookup, names, registry

sys.path.insert(0, str(ROOT / "tests" / "comparison"))

import compare

reference = extension("reference")
PAGES = ROOT / "notebooks"
REFERENCE = (PAGES / "reference.md").read_text(encoding="utf-8")
GLOSSARY = (PAGES / "glossary.md").read_text(encoding="utf-8")


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
    renewed = extension("elsewhere").page() == page
    assert renewed, "coming-from/names.md is out of date; renew it by: .ci/renew"


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
    ("FlatU", [2 - 0.15, 2 - 0.25, 0, 0, -0.1]),
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


MEASURES = [definition for family in families() for definition in family.members]
DECLARED = [*MEASURES, *meta.registry.values(), *truncation.registry.values(), *STUDIES]
FIVE = ("Mizzaro & Spina, SIGIR 2022", "Baldwin & Zhang", "Rodrigo, ACL 2011", "Sakai, NTCIR-4", "EVIA 2010")
PLACE = re.compile(r"\b(section|eq\.|tables?|figures?) [0-9]", re.IGNORECASE)


def test_a_source_has_its_place_in_the_papers_and_its_mark():
    for declared in DECLARED:
        source = declared.source
        assert reference.mark_of(source) == "ours" or re.search(r"https?://|[0-9]{4}", source), declared.name
        is_extension = reference.mark_of(source) == "extension"
        assert ("our extension" in source.partition("(")[0]) == is_extension, declared.name
        if reference.mark_of(source) == "paper" and any(paper in source for paper in FIVE):
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
    assert "*extension*: [after Liu, Moffat, Baldwin & Zhang, SIGIR 2016](https://doi.org/10" in REFERENCE
    assert "*paper*: [Peñas & Rodrigo, ACL 2011](https://aclanthology.org/P11-1142), section 2.2" in REFERENCE
    assert "*ours*: " in REFERENCE


MODULES = [
    module_of(path) for path in FILES if re.search(r"^ +>>> \w", path.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.parametrize("name", MODULES)
def test_every_example_prints_what_stands_beside_it(name, tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    try:
        module = import_module(name)
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # what an adapter adapts to is not installed
    for test in doctest.DocTestFinder().find(module):
        runner.run(test, out=said.append)
    assert runner.tries or name == "ir_trunc.adapters.inspect_ai"  # whose decorators keep no docstring
    assert not runner.summarize(verbose=False).failed, "".join(said)


PROMISES = (PAGES / "promises.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

# The first words of a row, with the package and the name of the constant.
CONSTANTS = {
    "best cut": "_core TOLERANCE",
    "fitted policies": "truncation _SAME",
    "the seven properties": "meta _SAME",
    "standardisation": "meta _SAME",
    "means of systems": "meta SAME",
    "bootstrap and randomisation": "_inference _SAME",
    "influence values": "measures _STEP",
    "longest line": "_read LONGEST_LINE",
    "largest file that is read at once": "_read LONGEST_DOCUMENT",
    "topics in a file": "_read MOST_TOPICS",
    "times its size": "_read MOST_PACKING",
    "block": "_read BLOCK",
    "highest grade, and": "_core HIGHEST_GRADE",
    "highest grade where": "_scoring _HIGHEST_GRADE",
    "largest whole number": "_core LARGEST",
}


def test_limits_and_tolerances_on_the_page_are_those_of_the_code():
    rows = re.findall(r"^\| (\w[^|]*) \| ([\d,.e-]+)(?: bytes)? \|$", PROMISES, re.MULTILINE)
    assert len(rows) == len(CONSTANTS)
    for words, value in rows:
        (constant,) = (name for start, name in CONSTANTS.items() if words.startswith(start))
        number = float(value) if "e" in value else int(value.replace(",", ""))
        package, name = constant.split()
        modules = (vars(import_module(module_of(path))) for path in FILES if package_of(path) == package)
        assert number in [module[name] for module in modules if name in module], words


def test_versions_on_the_page_are_those_that_are_declared():
    (low,) = re.findall(r'requires-python = ">=(3\.\d+)"', PROJECT)
    *_, newest = re.findall(r"Programming Language :: Python :: (3\.\d+)", PROJECT)
    assert f"Python {low} to {newest}, and later ones without a promise." in PROMISES


def test_the_lowest_versions_are_those_that_are_tested():
    """All that is declared; what builds, checks and documents is always the newest."""
    tools = """build codespell hatchling haystack-ai inspect-ai ipykernel jupyterlab langchain-core
        llama-index-core mypy myst-nb nbclient numpydoc pydata-sphinx-theme ruff setuptools sphinx
        sphinx-copybutton
        sphinx-design torch"""
    wanted = re.compile(r"\"([\w-]+)(?:\[\w+\])?>=([\d.]+)\"")
    declared = dict(wanted.findall(PROJECT))
    lowest = (ROOT / ".ci" / "constraints-lowest.txt").read_text(encoding="utf-8")
    tested = dict(line.split("==") for line in lowest.split())
    assert tested.keys() == declared.keys() - set(tools.split())
    for name, version in tested.items():
        assert re.fullmatch(rf"{re.escape(declared[name])}(\.\d+)*", version), name


def test_the_figures_of_large_runs_are_those_of_the_last_table():
    results = (ROOT / "tests" / "benchmarks" / "results.md").read_text(encoding="utf-8")
    page = (ROOT / "notebooks" / "howto" / "large-runs.md").read_text(encoding="utf-8")
    said = " ".join(page.partition("## Figures")[2].partition("\n## ")[0].split())
    plain = results.partition("## File to scores")[2].partition("\n##")[0]
    growth = results.partition("## Growth")[2].partition("\n## ")[0]
    rows = {
        name: cells
        for line in (*plain.splitlines(), *growth.splitlines())
        if line.startswith("| ")
        for name, *cells in [line.strip("| ").split(" | ")]
    }
    took, _, _, _, held = rows["ir_trunc, 20 measures"][:5]
    assert f"{took} s of processor time and {held} MiB" in said
    took, _, _, _, held, _ = rows["trec_eval"]
    assert f"trec_eval 9.0.4 took {took} s and {held} MiB" in said
    took, _, held = rows["69,800,000"]
    assert f"took {took} s and {held} MiB" in said


COMPARISON = compare.PAGE.read_text(encoding="utf-8")
COLUMNS = compare.columns_of(COMPARISON)
RENEW = "renew our own column by .ci/renew, the others by: python tests/comparison/compare.py --venvs FOLDER"


def test_every_tool_has_its_column_and_every_question_its_row():
    assert list(COLUMNS) == list(compare.TOOLS)
    questions = ["Version", *(question.__doc__ for question in compare.QUESTIONS)]
    assert all(list(cells) == questions for cells in COLUMNS.values()), RENEW


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_the_page_is_renewed_with_our_own_column():
    older = COMPARISON.replace(f"| {COLUMNS['ir_trunc']['Nil query']} |", "| of old |", 1)
    assert older != COMPARISON
    assert compare.renewed(older) == COMPARISON, RENEW


@pytest.mark.parametrize("tool", [tool for tool in compare.TOOLS if tool != "ir_trunc"])
def test_the_column_is_what_the_tool_does(tool):
    printed, tried = COLUMNS[tool], compare.asked(tool)
    if tried is None:
        pytest.skip(f"{compare.TOOLS[tool][0]} is not installed")
    if tried["Version"] != printed["Version"]:
        pytest.skip(f"the table is of {tool} {printed['Version']}; here is {tried['Version']}")
    assert tried == printed, RENEW


def test_the_command_prints_the_tools_that_are_there(capsys, monkeypatch):
    cells = {"Version": "1", **{question.__doc__: "none" for question in compare.QUESTIONS}}
    monkeypatch.setattr(compare, "asked", lambda tool, venvs: cells if tool == "ir_trunc" else None)
    monkeypatch.setattr(sys, "argv", ["compare.py"])
    compare.main()
    out, error = capsys.readouterr()
    assert out.splitlines()[2] == "| Version | 1 |"
    assert error.count("left out") == len(compare.TOOLS) - 1
