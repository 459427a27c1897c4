"""The documentation: every example prints what is shown, every command works in a fresh folder."""

import ast
import contextlib
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from pages import blocks, extension, run_console, run_python

import ir_trunc
from ir_trunc._cli.main import COMMANDS
from ir_trunc.measures import registry
from ir_trunc.synthetic.generated import chunks

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FOLDERS = ("start", "howto", "coming-from")
PAGES = [path for folder in FOLDERS for path in sorted((NOTEBOOKS / folder).glob("*.md"))]
PAGES += [NOTEBOOKS / "index.md", NOTEBOOKS / "cheat-sheet.md"]
FIRST_HITS = {
    "leaderboard": "start/change-detection",
    "judge": "start/evaluate-answers",
    "tokens": "howto/token-budget",
    "confidence interval": "howto/compare-systems",
    "agent": "howto/data",
    "threshold": "howto/choose-k",
    "no answer": "start/evaluate-answers",
    "RBPT": "reference/terminal-documents#rbpt",
    "OIE": "reference/utility#oie",
    "nDCGT": "reference/terminal-documents#ndcgt",
    "cutoff": "howto/cutoffs",
    "unanswerable": "start/evaluate-answers",
    "rag": "start/rag-pipeline",
    "langchain": "start/rag-pipeline",
    "pandas": "howto/frames",
    "trec_eval": "coming-from/trec-eval",
    "ragas": "coming-from/ragas",
    "significance": "howto/compare-systems",
    "gate": "howto/gate",
    "monitoring": "howto/live-policy",
    "screening": "start/screening",
    "own measure": "howto/own-measure",
    "best cut": "howto/best-cut",
    "latex": "howto/compare-systems",
    "latex leaderboard": "howto/compare-systems",
    "why this score": "howto/why-this-score",
    "tau between measures": "howto/trust-measures",
    "ax=": "gallery",
    "bibtex": "cite",
    "my leaderboard with zebras": "10-change-detection",  # pages that have any of the words
    "pyterrier": "start/pyterrier",
    "report": "howto/look-at-runs",
    "graded": "howto/graded-judgments",
    "unjudged": "howto/incomplete-judgments",
    "spark": "howto/large-runs",
    "hallucination": "start/evaluate-answers",
    "AURC": "reference/risk-and-coverage#aurc",
}
"""What people type into the search of the site, and the page that comes first."""
PAGES.remove(NOTEBOOKS / "howto" / "own-measure.md")  # measures/test_declaration.py takes it back


def write_files(page, folder):
    """The files that a page shows: blocks with the name of one."""
    shown = re.findall(r"^```\w+ (\S+\.\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    for name, text in shown:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_is_shown(page, collection, monkeypatch):
    if "import pyterrier" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pyterrier", reason="needs pip install 'ir_trunc[pyterrier]'")
    if "ir_measures.parse_measure" in page.read_text(encoding="utf-8") and not hasattr(ast, "Num"):
        pytest.skip("ir-measures itself parses no measures from Python 3.14 on")
    write_files(page, collection)
    names: dict[str, object] = {}
    monkeypatch.setattr(sys, "displayhook", lambda value: value is None or print(repr(value)))
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore", ir_trunc.IrTruncWarning)
        has_torch = importlib.util.find_spec("torch") is not None
        for block in blocks(page, "python"):
            if "import torch" in block and not has_torch:
                continue
            run_python(block, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page, collection):
    write_files(page, collection)
    for block in blocks(page, "console"):
        run_console(block, collection)


def test_the_slider_shows_the_scores_of_the_product():
    pytest.importorskip("docutils", reason="docutils comes with the extra docs")
    shown = extension("play").table()["RBPT"]
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
    sheet, kept = extension("cheat_sheet"), NOTEBOOKS / "cheat-sheet.pdf"
    sheet.draw(tmp_path / "new.pdf")
    assert subject(kept) == subject(tmp_path / "new.pdf"), "renew it by: .ci/renew"
    assert len(sheet.typed()) >= 8
    assert b"0.82" in subject(kept)  # RBPT of all that is found, and two more
    assert len(re.findall(rb"/Type /Page\b", kept.read_bytes())) == 1
    assert kept.stat().st_size < 100_000


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for index in NOTEBOOKS.rglob("*.md"):
        for line in "".join(blocks(index, "{toctree}")).splitlines():
            if line.strip() and not line.startswith(":"):
                listed.add((index.parent / line.strip()).resolve())
    pages = {path.with_suffix("").resolve() for path in NOTEBOOKS.rglob("*.md")}
    assert pages - listed == {(NOTEBOOKS / "index").resolve()}


def test_the_site_builds_without_a_warning(tmp_path):
    packages = "sphinx myst_nb numpydoc pydata_sphinx_theme sphinx_copybutton sphinx_design"
    for package in packages.split():
        pytest.importorskip(package, reason=f"{package} comes with the extra docs")
    # From a copy: the build writes pages beside those that other tests read at the same time.
    for name in ("notebooks", "tests/benchmarks"):
        shutil.copytree(NOTEBOOKS.parent / name, tmp_path / name)
    shutil.copy(NOTEBOOKS.parent / "CHANGELOG.md", tmp_path)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "notebooks", "site"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    site = tmp_path / "site"
    figure = (site / "guide.html").read_text("utf-8").partition("<figure")[2].partition("</figure>")[0]
    links = re.findall(r'href="(reference/[^"#]+)#([^"]+)"', figure)
    assert {"rbpt", "c"} <= {heading for _, heading in links}
    for page, heading in links:
        assert f'id="{heading}"' in (site / page).read_text(encoding="utf-8")
    family = (site / "reference" / "terminal-documents.html").read_text(encoding="utf-8")
    rbpt = family.partition('<section id="rbpt">')[2].partition("</section>")[0]
    assert rbpt.index("<mfrac>") < rbpt.index("<em>Here</em>") < rbpt.index("<em>Used in</em>")
    assert "r_t m" not in rbpt.partition("<table")[0].partition("Gains are linear")[0]
    assert '"rbpt": "terminal-documents"' in (site / "reference.html").read_text(encoding="utf-8")
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    thumbnails = re.findall(r'<div><a href="#([^"]+)"><img', gallery)
    assert len(thumbnails) == (NOTEBOOKS / "gallery.md").read_text(encoding="utf-8").count("{picture}")
    assert all(f'<section id="{heading}">' in gallery for heading in thumbnails)
    if shutil.which("node") is None:
        pytest.skip("there is no node")
    queries = "\n".join(FIRST_HITS)
    program = ["node", Path(__file__).with_name("search.js"), site]
    hits = subprocess.run(program, input=queries, capture_output=True, text=True, check=True).stdout
    assert dict(zip(FIRST_HITS, hits.splitlines())) == FIRST_HITS


def test_formulas_are_typeset_as_they_are_computed():
    mathml = extension("formulas").mathml
    assert "<mfrac><mi>g</mi><mi>n</mi></mfrac>" in mathml("g / n")
    term = mathml("sum_i V_i g_i / sum_i V_i, V_i the rest")
    assert term.index("<mfrac>") < term.index("∑")
    assert term.count("<mfrac>") == 1
    for definition in registry.values():
        ElementTree.fromstring(f"<a>{mathml(definition.equation)}</a>".replace("&nbsp;", " "))


@pytest.mark.parametrize(
    "words",
    [[name] * bool(name) for name in ("", *(name for group in COMMANDS.values() for name in group))],
    ids=lambda words: " ".join(words) or "scores",
)
def test_help_begins_with_what_it_answers_and_shows_an_example_with_its_output(words, collection, command):
    change_detection = NOTEBOOKS / "start" / "change-detection.md"
    write_files(change_detection, collection)
    said = command(*words, "--help")[1]
    example = textwrap.dedent(re.split(r"^examples?\b.*:\n", said, flags=re.M)[1])
    for name, text in re.findall(r"^\$ cat (\S+)\n(.*?)(?=^\$ |\Z)", example, re.M | re.S):
        (collection / name).write_text(text, encoding="utf-8")
    if words == ["monitor"]:
        (retrieved, labels), (live, _) = chunks(questions=120), chunks(questions=120, seed=1)
        for name, data in {"labels": labels, "retrieved": retrieved, "live": live}.items():
            (collection / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    assert run_console(example, collection, str.split)
