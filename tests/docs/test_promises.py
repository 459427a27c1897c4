"""The page of promises: each names tests that exist, and its figures are those of the code."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "notebooks" / "promises.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PROMISES = [promise.strip() for promise in re.findall(r"^- .*\n(?:  .*\n)*", PAGE, re.MULTILINE)]


def names_in(path: str) -> set[str]:
    """The tests of a file, by reading it: it may need packages that are not here."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[2:40])
def test_every_promise_names_a_test(promise):
    assert NAMED.search(promise)


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED.findall(PAGE)}))
def test_every_test_that_is_named_exists(path):
    named = {name for file, name in NAMED.findall(PAGE) if file == path}
    assert named - names_in(path) == set()


def test_the_page_is_made_of_promises_and_of_what_is_not_promised():
    """Every code in backquotes that looks like a test is one; every group has promises."""
    assert len(NAMED.findall(PAGE)) == PAGE.count("::")
    groups = PAGE.split("\n## ")[1:]
    assert len(groups) == 10
    assert all(re.search(r"^- ", group, re.MULTILINE) for group in groups)
    assert sum(len(re.findall(r"^- ", group, re.MULTILINE)) for group in groups) == len(PROMISES)


def constants(section: str) -> dict[str, float]:
    """What the tables of a group say of constants, each of which must have that value."""
    group = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    said = {}
    for value, name in re.findall(r"^\|[^|]+\| ([^|]+) \| `([\w.]+)` \|$", group, re.MULTILINE):
        text = value.replace(",", "").removesuffix(" bytes")
        said[name] = int(text) if text.isdigit() else float(text)
        module, _, constant = name.rpartition(".")
        assert getattr(import_module(module), constant) == said[name], name
    return said


def test_tolerances_on_the_page_are_those_of_the_code():
    assert len(constants("Precision")) == 7


def test_limits_on_the_page_are_those_of_the_code():
    assert len(constants("Memory, time and limits")) == 6


PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_versions_on_the_page_are_those_that_are_declared():
    low, beyond = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', PROJECT).groups()
    assert f"Python 3.{low} to 3.{int(beyond) - 1}." in PAGE


def test_the_lowest_versions_are_those_that_are_tested():
    """All that is declared for the oldest Python; what builds, checks and documents is always the newest."""
    tools = {"build", "hatchling", "ipykernel", "mypy", "nbclient", "ruff", "setuptools"}
    tools |= {"jupyterlab"}  # opens the notebooks
    tools |= {
        "haystack-ai",
        "langchain-core",
        "llama-index-core",
    }  # see .ci/run
    tools |= {"myst-nb", "numpydoc", "pydata-sphinx-theme", "sphinx", "sphinx-copybutton", "sphinx-design"}
    wanted = re.compile(r"\"([\w-]+)(?:\[\w+\])?>=([\d.]+)(?:; python_version < '[\d.]+')?\"")
    declared = dict(wanted.findall(PROJECT))
    tested = dict(
        line.split("==")
        for line in (ROOT / ".ci" / "constraints-lowest.txt").read_text(encoding="utf-8").split()
    )
    assert tested.keys() == declared.keys() - tools
    for name, version in tested.items():
        assert re.fullmatch(rf"{re.escape(declared[name])}(\.\d+)*", version), name


def test_the_figures_of_large_runs_are_those_of_the_last_table():
    results = (ROOT / "tests" / "benchmarks" / "results.md").read_text(encoding="utf-8")
    page = (ROOT / "notebooks" / "howto" / "large-runs.md").read_text(encoding="utf-8")
    said = " ".join(page.partition("## Figures")[2].partition("\n## ")[0].split())
    plain = results.partition("## File to scores")[2].partition("\n##")[0]
    growth = results.partition("## Growth")[2].partition("\n## ")[0]
    rows = {
        line.split(" | ")[0].strip("| "): [
            float(cell.replace(",", "")) for cell in re.findall(r"[\d.,]*\d", line)
        ]
        for line in (*plain.splitlines(), *growth.splitlines())
        if line.startswith("| ")
    }
    ours, theirs, large = rows["ir_trunc, 20 measures"], rows["trec_eval"], rows["69,800,000"]
    assert f"{ours[1]:.1f} s of processor time and {ours[3]:.0f} MiB" in said
    assert f"trec_eval 9.0.4 took {theirs[0]:.1f} s and {theirs[-2]:.0f} MiB" in said
    assert f"took {large[1]:.0f} s and {large[3]:.0f} MiB" in said
