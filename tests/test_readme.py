"""The README says what happens: its commands, its Python and its new measure are executed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from generated import queries, rankings_of

from ir_trunc import demo
from ir_trunc.measures import registry

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = "notebooks/demo.svg"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def collection(tmp_path):
    for path in demo.data().iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


def test_there_are_exactly_two_set_up_commands_and_ci_runs_the_second():
    setup, tests = blocks("sh")
    assert setup == "pip install . && ir_trunc demo\n"
    assert tests.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_console_output_is_what_the_commands_print(collection):
    commands = 0
    for block in blocks("console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            command = command.replace("ir_trunc", f"{sys.executable} -m ir_trunc", 1)
            printed = subprocess.run(command, shell=True, cwd=collection, capture_output=True, text=True, check=True).stdout
            if expected.endswith("...\n"):
                expected = expected.removesuffix("...\n")
                printed = printed[: len(expected)]
            assert printed == expected
            commands += 1
    assert commands == 7


def test_python_blocks_run(collection, monkeypatch):
    monkeypatch.chdir(collection)
    names: dict = {}
    for block in blocks("python")[:-1]:
        for line in block.strip().splitlines():
            code = line.partition("  #")[0]
            if " == " in code:
                assert eval(code, names)
            else:
                exec(code, names)
    assert names["ir_trunc"].compare("RBPT AP", "demo.qrels", ["never-stops.run"]).shape == (1, 2)


def test_the_measure_for_developers_needs_only_its_function_and_its_twin():
    names: dict = {"__name__": "readme"}
    exec(compile(blocks("python")[-1], "README.md", "exec", dont_inherit=True), names)
    definition = registry.pop("NetP")
    run = queries(seed=5, count=20)
    rankings = rankings_of(run)
    for given in ({}, {"e": 0.5}, {"rel": 2}):
        measure = definition.bind(given)
        e, rel = given.get("e", 0.05), given.get("rel", 1)
        twin = [sum((g or 0) >= rel for g in q.grades) - e * len(q.grades) for q in run]
        np.testing.assert_allclose(measure.score(rankings), twin, rtol=1e-12, atol=1e-12)
        assert (measure.curve(rankings).own() == measure.score(rankings)).all()


def test_every_measure_is_in_the_table():
    table = README.partition("## Measures")[2].partition("\n`@k`")[0]
    listed = {name for cell in re.findall(r"`([^`]+)`", table) for name in cell.split()}
    assert listed == set(registry)


def test_the_picture_is_what_the_demonstration_draws(tmp_path):
    """Every text and figure in it, whatever the version of matplotlib that drew it."""
    pytest.importorskip("matplotlib")
    demo.draw(str(tmp_path / "demo.svg"))
    kept, drawn = (re.findall(r"<!-- (.*?) -->", path.read_text()) for path in (ROOT / PICTURE, tmp_path / "demo.svg"))
    assert kept == drawn, f"{PICTURE} is out of date; renew it by: ir_trunc demo --plot {PICTURE}"
    alternative = README.partition("![")[2].partition("]")[0]
    changes = [float(text.replace("\N{MINUS SIGN}", "-").removesuffix(" %")) for text in kept if text.endswith(" %")]
    assert [f"{abs(edge):.1f}" for edge in (min(changes), max(changes))] == re.findall(r"([\d.]+) %", alternative)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)]+)\)", README))))
def test_every_relative_link_leads_somewhere(link):
    file, _, anchor = link.partition("#")
    assert (ROOT / file).is_file()
    if anchor:
        headings = re.findall(r"^#+ (.*)$", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in [heading.lower().replace(" ", "-") for heading in headings]


def test_every_notebook_is_in_the_table():
    listed = re.findall(r"\]\(notebooks/([^)]+\.ipynb)\)", README)
    assert sorted(listed) == listed
    assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} <= set(listed)
