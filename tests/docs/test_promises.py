"""Limits, tolerances, versions and times on the pages are those of the code."""

import re
from importlib import import_module
from pathlib import Path

from source import FILES, module_of, package_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "notebooks" / "promises.md").read_text(encoding="utf-8")
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


def values_of(package: str, name: str) -> set[float]:
    """The values of a constant in the modules of a package."""
    modules = (import_module(module_of(path)) for path in FILES if package_of(path) == package)
    return {vars(module)[name] for module in modules if name in vars(module)}


def test_limits_and_tolerances_on_the_page_are_those_of_the_code():
    rows = re.findall(r"^\| (\w[^|]*) \| ([\d,.e-]+)(?: bytes)? \|$", PAGE, re.MULTILINE)
    assert len(rows) == len(CONSTANTS)
    for words, value in rows:
        (constant,) = (name for start, name in CONSTANTS.items() if words.startswith(start))
        number = float(value) if "e" in value else int(value.replace(",", ""))
        assert number in values_of(*constant.split()), words


def test_versions_on_the_page_are_those_that_are_declared():
    (low,) = re.findall(r'requires-python = ">=(3\.\d+)"', PROJECT)
    *_, newest = re.findall(r"Programming Language :: Python :: (3\.\d+)", PROJECT)
    assert f"Python {low} to {newest}, and later ones without a promise." in PAGE


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
