"""The README says what happens: its commands and its Python are executed, and its table is computed."""

import re
import warnings

import pytest
from pages import ROOT, blocks, run_console, run_python

import ir_trunc
from ir_trunc import Rankings
from ir_trunc.measures import registry
from ir_trunc.synthetic import demo

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
PICTURE = "notebooks/demo.svg"


def test_there_are_exactly_two_set_up_commands_and_ci_runs_the_second():
    setup, tests = blocks(PAGE, "sh")
    assert setup == "pip install . && ir_trunc demo\n"
    assert tests.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_readme_has_at_most_900_words():
    assert len(README.split()) <= 900


def test_console_output_is_what_the_commands_print(collection):
    assert sum(run_console(block, collection) for block in blocks(PAGE, "console")) == 3


def test_python_blocks_run_and_the_advice_gains_what_is_written(collection):
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ir_trunc.IrTruncWarning)  # of the example, whose lists have no end
        for block in blocks(PAGE, "python"):
            run_python(block, names)
    advice = names["advice"]
    before, after = advice.score[advice.policies.index(advice.present)], advice.score[0]
    assert f"from {before:.2f}, with the present 5 chunks, to {after:.2f}" in README


def test_the_table_of_lists_is_computed():
    table = README.partition("| list | nDCG |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    grades = [[1, 0, 1], [1, 0, 1, 0, 0], [], [0, 0]]
    judged = [[1, 1, 1, 0], [1, 1, 1, 0, 0, 0], [0], [0, 0]]
    scores = ir_trunc.calc("nDCG RBPT RBPU OIE", None, Rankings.from_lists(grades, judged)).values.T
    assert [row[0].split(" ")[0] for row in rows] == ["1", "1", "empty,", "0"]
    for row, values in zip(rows, scores):
        for cell, value in zip(row[1:], values):
            assert float(cell) == pytest.approx(value, abs=0.00501)


def test_the_number_of_measures_is_as_written():
    assert len(registry) > int(re.search(r"There are more than (\d+)", README)[1])


def test_the_first_screen_names_the_measures_of_lists_that_end():
    """Those of table 1 of Liu et al. and of sections 3.2 to 3.4 of Amigó et al."""
    named = re.findall(r"\w+", README.partition("where a list ends: ")[2].partition(".")[0])
    of_papers = re.compile(r"SIGIR 2016, \S+ table 1|SIGIR 2022,( \S+)? section 3\.[234]")
    assert {*named} == {name for name, declared in registry.items() if of_papers.search(declared.source)}
    assert len(named) == 11


def test_the_picture_is_what_the_demonstration_draws(tmp_path):
    """Every text and figure in it, whatever the version of matplotlib that drew it."""
    pytest.importorskip("matplotlib")
    demo.draw(str(tmp_path / "demo.svg"))
    kept, drawn = (
        re.findall(r"<!-- (.*?) -->", path.read_text()) for path in (ROOT / PICTURE, tmp_path / "demo.svg")
    )
    assert kept == drawn, f"{PICTURE} is out of date; renew it by: ir_trunc demo --plot {PICTURE}"
    alternative = README.partition("![")[2].partition("]")[0]
    # The left system goes on: by the classical measures it is the better one, by the others it is not.
    scores = [float(text) for text in kept if re.fullmatch(r"\d+\.\d{3}", text)]
    better = [one > other for one, other in zip(scores[::2], scores[1::2], strict=True)]
    assert better == [True] * len(demo.CLASSICAL) + [False] * len(demo.TRUNCATION_AWARE)
    shown = [name.partition("(")[0] for name in (*demo.CLASSICAL, *demo.TRUNCATION_AWARE)]
    assert [name for name in re.findall(r"[\w@]+", alternative) if name in shown] == shown


def test_every_relative_link_leads_somewhere():
    for link in set(re.findall(r"\]\((?!http)([^)]+)\)", README)):
        file, _, anchor = link.partition("#")
        assert (ROOT / file).is_file(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [heading.lower().replace(" ", "-") for heading in headings], link


def test_every_notebook_is_in_the_table():
    listed = re.findall(r"\]\(notebooks/([^)]+\.ipynb)\)", README)
    assert sorted(listed) == listed
    assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} <= set(listed)
