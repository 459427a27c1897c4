"""The documentation: every example prints what is shown, every command works in a fresh folder."""

import ast
import contextlib
import importlib.util
import io
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
from pages import blocks, run_console, run_python

import ir_trunc
from ir_trunc._cli.main import COMMANDS

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FOLDERS = ("start", "howto", "coming-from")
PAGES = [path for folder in FOLDERS for path in sorted((NOTEBOOKS / folder).glob("*.md"))]
PAGES += [NOTEBOOKS / "index.md", NOTEBOOKS / "cheat-sheet.md"]
PAGES.remove(NOTEBOOKS / "howto" / "own-measure.md")  # measures/test_declaration.py takes it back


@pytest.fixture
def folder(collection, monkeypatch):
    monkeypatch.chdir(collection)
    return collection


def write_files(page, folder):
    """The files that a page shows: blocks with the name of one."""
    shown = re.findall(r"^```\w+ (\S+\.\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    for name, text in shown:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_is_shown(page, folder, monkeypatch):
    if "import pyterrier" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pyterrier", reason="needs pip install 'ir_trunc[pyterrier]'")
    if "ir_measures.parse_measure" in page.read_text(encoding="utf-8") and not hasattr(ast, "Num"):
        pytest.skip("ir-measures itself parses no measures from Python 3.14 on")
    write_files(page, folder)
    names: dict[str, object] = {}
    monkeypatch.setattr(sys, "displayhook", lambda value: value is None or print(repr(value)))
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore", ir_trunc.IrTruncWarning)
        for block in blocks(page, "python"):
            run_python(block, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page, folder):
    write_files(page, folder)
    for block in blocks(page, "console"):
        run_console(block, folder)


def test_the_slider_shows_the_scores_of_the_product():
    spec = importlib.util.spec_from_file_location("play", NOTEBOOKS / "_ext" / "play.py")
    pytest.importorskip("docutils", reason="docutils comes with the extra docs")
    play = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(play)
    shown = play.table()["RBPT"]
    stop = shown["stops"].index(0.5)
    # The list's own documents, then the terminal document, whose gain is n/3, at all further ranks.
    expected = [(1 - 0.5**n) + 0.5**n * n / 3 for n in range(4)]
    np.testing.assert_allclose(shown["scores"][stop][0][:4], expected, atol=1e-4)
    assert [len(values) for values in shown["scores"][stop]] == 5 * [13]


def subject(file):
    """What the sheet says, from its first lines."""
    return re.search(rb"/Subject \((.*?)\)\n", file.read_bytes(), re.DOTALL)[1]


def test_the_sheet_to_print_is_one_page_with_what_the_product_computes(tmp_path):
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("cheat_sheet", NOTEBOOKS / "_ext" / "cheat_sheet.py")
    sheet = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sheet)
    kept = NOTEBOOKS / "cheat-sheet.pdf"
    sheet.draw(tmp_path / "new.pdf")
    assert subject(kept) == subject(tmp_path / "new.pdf"), "renew it by: .ci/renew"
    assert len(sheet.typed()) >= 8
    assert b"0.82" in subject(kept)  # RBPT of all that is found, and two more
    assert len(re.findall(rb"/Type /Page\b", kept.read_bytes())) == 1
    assert kept.stat().st_size < 100_000


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for index in NOTEBOOKS.rglob("*.md"):
        for entries in re.findall(
            r"^```{toctree}\n(.*?)^```$", index.read_text(encoding="utf-8"), re.M | re.S
        ):
            names = [
                line.strip() for line in entries.splitlines() if line.strip() and not line.startswith(":")
            ]
            listed |= {(index.parent / name).resolve() for name in names}
    pages = {path.with_suffix("").resolve() for path in NOTEBOOKS.rglob("*.md")}
    assert pages - listed == {(NOTEBOOKS / "index").resolve()}


def test_the_site_builds_without_a_warning(tmp_path):
    for package in (
        "sphinx",
        "myst_nb",
        "numpydoc",
        "pydata_sphinx_theme",
        "sphinx_copybutton",
        "sphinx_design",
    ):
        pytest.importorskip(package, reason=f"{package} comes with the extra docs")
    # From a copy: the build writes pages beside those that other tests read at the same time.
    for name in ("notebooks", "tests/benchmarks"):
        shutil.copytree(NOTEBOOKS.parent / name, tmp_path / name)
    shutil.copy(NOTEBOOKS.parent / "CHANGELOG.md", tmp_path)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "notebooks", "site"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    site = tmp_path / "site"
    figure = (
        (site / "guide.html").read_text(encoding="utf-8").partition("<figure")[2].partition("</figure>")[0]
    )
    links = re.findall(r'href="(reference/[^"#]+)#([^"]+)"', figure)
    assert {"rbpt", "c"} <= {heading for _, heading in links}
    for page, heading in links:
        assert f'id="{heading}"' in (site / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [[], *([name] for group in COMMANDS.values() for name in group)],
    ids=lambda words: " ".join(words) or "scores",
)
def test_help_begins_with_what_it_answers_and_shows_an_example_with_its_output(words, folder, command):
    change_detection = NOTEBOOKS / "start" / "change-detection.md"
    write_files(change_detection, folder)
    said = command(*words, "--help")[1]
    example = textwrap.dedent(re.split(r"^examples?\b.*:\n", said, flags=re.M)[1])
    for name, text in re.findall(r"^\$ cat (\S+)\n(.*?)(?=^\$ |\Z)", example, re.M | re.S):
        (folder / name).write_text(text, encoding="utf-8")
    if words == ["monitor"]:
        command("quickstart", "monitoring", "my-project")
    assert run_console(example, folder, str.split)
