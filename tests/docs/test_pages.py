"""The documentation: every example prints what is shown, every command works in a fresh folder.

The README says what happens: its commands and its Python are executed, and its table is computed. Notebooks
are kept as executed: in order, without errors, by public names. `.ci/run` executes them.
"""

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
from pages import ROOT, anchors, blocks, extension, run_console, run_python

import ir_trunc
from ir_trunc import Rankings
from ir_trunc._cli.main import COMMANDS
from ir_trunc.measures import registry
from ir_trunc.synthetic import demo
from ir_trunc.synthetic.generated import chunks

NOTEBOOKS = ROOT / "notebooks"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = "notebooks/demo.svg"
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
    "nDCGT": "reference/terminal-documents#ndcgt",
    "cutoff": "howto/cutoffs",
    "rag": "start/rag-pipeline",
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
def test_commands_and_examples_print_what_is_shown(page, collection, monkeypatch):
    write_files(page, collection)
    for block in blocks(page, "console"):
        run_console(block, collection)
    if "import pyterrier" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pyterrier", reason="needs pip install 'ir_trunc[pyterrier]'")
    if "ir_measures.parse_measure" in page.read_text(encoding="utf-8") and not hasattr(ast, "Num"):
        pytest.skip("ir-measures itself parses no measures from Python 3.14 on")
    names: dict[str, object] = {}
    monkeypatch.setattr(sys, "displayhook", lambda value: value is None or print(repr(value)))
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore", ir_trunc.IrTruncWarning)
        has_torch = importlib.util.find_spec("torch") is not None
        for block in blocks(page, "python"):
            if "import torch" in block and not has_torch:
                continue
            run_python(block, names)


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


def test_there_are_exactly_two_set_up_commands_and_ci_runs_the_second():
    setup, tests = blocks(ROOT / "README.md", "sh")
    assert setup == "pip install . && ir_trunc demo\n"
    assert tests.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_readme_has_at_most_900_words():
    assert len(README.split()) <= 900


def test_console_output_is_what_the_commands_print(collection):
    assert sum(run_console(block, collection) for block in blocks(ROOT / "README.md", "console")) == 3


def test_python_blocks_run_and_the_advice_gains_what_is_written(collection):
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ir_trunc.IrTruncWarning)  # of the example, whose lists have no end
        for block in blocks(ROOT / "README.md", "python"):
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
    drawings = (path.read_text() for path in (ROOT / PICTURE, tmp_path / "demo.svg"))
    kept, drawn = (re.findall(r"<!-- (.*?) -->", text) for text in drawings)
    assert kept == drawn, f"{PICTURE} is out of date; renew it by: ir_trunc demo --plot {PICTURE}"
    alternative = README.partition("![")[2].partition("]")[0]
    # The left system goes on: by the classical measures it is the better one, by the others it is not.
    scores = [float(text) for text in kept if re.fullmatch(r"\d+\.\d{3}", text)]
    better = [one > other for one, other in zip(scores[::2], scores[1::2], strict=True)]
    assert better == [True] * len(demo.CLASSICAL) + [False] * len(demo.TRUNCATION_AWARE)
    shown = [name.partition("(")[0] for name in (*demo.CLASSICAL, *demo.TRUNCATION_AWARE)]
    assert [name for name in re.findall(r"[\w@]+", alternative) if name in shown] == shown


def test_every_notebook_is_in_the_table():
    listed = re.findall(r"\]\(notebooks/([^)]+\.ipynb)\)", README)
    assert sorted(listed) == listed
    assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} <= set(listed)


MODULES = {"adapters", "answers", "cdet", "meta", "plots", "synthetic", "truncation", "typing"}
PUBLIC = MODULES | {*ir_trunc.__all__}  # what users import

of_each_notebook = pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem
)


def cells_of(path, kind):
    """The cells of a notebook of this kind."""
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == kind]


def source_of(cell):
    """A cell's Python, without IPython's magics."""
    return "\n".join(line for line in "".join(cell["source"]).splitlines() if not line.startswith(("%", "!")))


def shows(source):
    """Whether the cell prints, displays, or ends in an expression that no semicolon silences."""
    last = ast.parse(source).body[-1]
    ends_in_a_value = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    return ends_in_a_value or re.search(r"\b(print|display|subplots)\(", source) is not None


@of_each_notebook
def test_every_cell_was_run_in_order_and_shows_what_it_shows_without_errors_and_warnings(path):
    cells = cells_of(path, "code")
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell["outputs"] or not shows(source_of(cell)), source_of(cell)
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", output["text"]


@of_each_notebook
def test_notebooks_use_public_names_alone(path):
    for node in (node for cell in cells_of(path, "code") for node in ast.walk(ast.parse(source_of(cell)))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "ir_trunc":
            names = [*node.module.split(".")[1:], *(alias.name for alias in node.names)]
            assert names[0] in PUBLIC
            assert not [name for name in names if name.startswith("_")]
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_") or node.attr == "__version__"
            if isinstance(node.value, ast.Name) and node.value.id == "ir_trunc":
                assert node.attr in PUBLIC, f"ir_trunc.{node.attr}"


@of_each_notebook
def test_a_notebook_is_small_and_nothing_in_it_tells_of_the_machine_or_the_hour(path):
    assert path.stat().st_size < 400_000
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}
    assert not [cell["metadata"] for cell in notebook["cells"] if cell["metadata"]]
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))
    assert not re.findall(r"(?<![\w./:])/(?:home|Users|root|tmp|usr|opt|var|mnt|work|workspace)/\S*", text)
    assert " at 0x" not in text


@pytest.mark.parametrize("name", ["01", "02", "03", "07"])
def test_data_that_everybody_can_get_stand_in_the_place_of_private_runs(name):
    """Of ir_datasets, with a named stand-in where they cannot be downloaded."""
    (path,) = NOTEBOOKS.glob(f"{name}-*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells)
    assert 'ir_datasets.load("vaswani")' in source
    assert "except (OSError, RuntimeError)" in source
    assert "generated passages" in source
    assert "IR_TRUNC_TEST_DATA" not in source
    shown = json.dumps([cell.get("outputs") for cell in cells])
    assert "Vaswani: " in shown
    assert "generated passages: " not in shown
    assert "trec-dl-2019" in (NOTEBOOKS / "05-depth-and-pools.ipynb").read_text(encoding="utf-8")


def text_of(path):
    """The text of a page, or that of a notebook."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    return "\n".join("".join(cell["source"]) for cell in cells_of(path, "markdown"))


def test_every_link_between_pages_leads_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *NOTEBOOKS.rglob("*.md")]
    for page in (*pages, *NOTEBOOKS.glob("*.ipynb")):
        for file, anchor in re.findall(r"\]\(((?!http)[^)#\s]*)(?:#([^)]*))?\)", text_of(page)):
            target = page.parent / file if file else page
            assert target.exists(), f"{page} links to {file}"
            assert not anchor or anchor in anchors(text_of(target)), f"{page} links to {file}#{anchor}"
