"""The notebooks are kept as executed: in order, without errors, by public names. `.ci/run` executes them."""

import ast
import json
import re
from pathlib import Path

import pytest

import ir_trunc

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MODULES = {"adapters", "answers", "cdet", "meta", "plots", "synthetic", "truncation", "typing"}
PUBLIC = MODULES | {*ir_trunc.__all__}  # what users import

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(path):
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def source_of(cell):
    """A cell's Python, without IPython's magics."""
    return "\n".join(line for line in "".join(cell["source"]).splitlines() if not line.startswith(("%", "!")))


def shows(source):
    """Whether the cell prints, displays, or ends in an expression that no semicolon silences."""
    last = ast.parse(source).body[-1]
    ends_in_a_value = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    return ends_in_a_value or re.search(r"\b(print|display|subplots)\(", source) is not None


def test_every_cell_was_run_in_order_and_shows_what_it_shows(path):
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell["outputs"] or not shows(source_of(cell)), source_of(cell)


def test_no_output_is_an_error_or_a_warning(path):
    for cell in code_cells(path):
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", output["text"]


def test_notebooks_use_public_names_alone(path):
    for node in (node for cell in code_cells(path) for node in ast.walk(ast.parse(source_of(cell)))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "ir_trunc":
            names = [*node.module.split(".")[1:], *(alias.name for alias in node.names)]
            assert names[0] in PUBLIC
            assert not [name for name in names if name.startswith("_")]
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_") or node.attr == "__version__"
            if isinstance(node.value, ast.Name) and node.value.id == "ir_trunc":
                assert node.attr in PUBLIC, f"ir_trunc.{node.attr}"


def test_nothing_tells_of_the_machine_or_the_hour(path):
    notebook = read(path)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}
    assert not [cell["metadata"] for cell in notebook["cells"] if cell["metadata"]]
    pictures = re.compile(r'"image/png": "[^"]*"')
    text = pictures.sub("", path.read_text(encoding="utf-8"))
    assert not re.findall(r"(?<![\w./:])/(?:home|Users|root|tmp|usr|opt|var|mnt|work|workspace)/\S*", text)
    assert " at 0x" not in text


def test_a_notebook_is_small_enough_to_be_kept(path):
    assert path.stat().st_size < 400_000


def test_links_lead_to_files_that_are_there(path):
    """Also to those of the other notebooks: a name is changed in all of them."""
    for cell in read(path)["cells"]:
        if cell["cell_type"] == "markdown":
            for target in re.findall(r"\]\(([^)#\s]+)", "".join(cell["source"])):
                assert target.startswith("https://") or (path.parent / target).exists(), target


def test_data_that_everybody_can_get_stand_in_the_place_of_private_runs(path):
    """Of ir_datasets, with a named stand-in where they cannot be downloaded."""
    source = "\n".join("".join(cell["source"]) for cell in read(path)["cells"])
    if path.stem[:2] in ("01", "02", "03", "07"):
        assert 'ir_datasets.load("vaswani")' in source
        assert "except (OSError, RuntimeError)" in source
        assert "generated passages" in source
        assert "IR_TRUNC_TEST_DATA" not in source
        shown = json.dumps([cell.get("outputs") for cell in read(path)["cells"]])
        assert "Vaswani: " in shown
        assert "generated passages: " not in shown
    if path.stem.startswith("05"):
        assert "trec-dl-2019" in source
