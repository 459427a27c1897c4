"""What is shipped: the wheel, the sdist, types, extras, and how to cite."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml
from source import ROOT, source_tree

import ir_trunc

LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}
COMPILED = {".so", ".pyd"}  # the kernel, in a checkout where it was built
SOURCES = {".c", ".h"}


def files_in(*folders: str) -> set[str]:
    """The files of the source tree in these folders, as paths from its top."""
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    kept = (path for path in paths if not LEFT_OUT & set(path.parts) and path.suffix not in COMPILED)
    return {path.relative_to(ROOT).as_posix() for path in kept}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The names in the wheel and in the sdist, which are built as `python -m build` builds them."""
    pytest.importorskip("hatchling", reason="needs pip install '.[dev]'")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (of_wheel,), (of_sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(of_wheel) as wheel, tarfile.open(of_sdist) as sdist:
        return set(wheel.namelist()), {name.partition("/")[2] for name in sdist.getnames()}


@source_tree
def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(built):
    info = f"ir_trunc-{ir_trunc.__version__}.dist-info/"
    installed_as = {"ir_trunc_plugin.py": "ir_trunc/adapters/_plugin.py"}
    wheel = {installed_as.get(name, name) for name in built[0] if not name.startswith(info)}
    kernel = {name for name in wheel if Path(name).suffix in COMPILED}
    assert {Path(name).parent.name for name in kernel} <= {"_kernel"}
    assert wheel - kernel == {name for name in files_in("ir_trunc") if Path(name).suffix not in SOURCES}
    kinds = ".py .pyi .typed .qrels .run .json .md .csv .tex .css .html .js .yml .rst"
    assert {Path(name).suffix for name in wheel - kernel} <= set(kinds.split())
    beside = {name.removeprefix(info) for name in built[0] if name.startswith(info)}
    assert beside == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def test_links_of_the_readme_are_absolute_once_there_is_an_address():
    pytest.importorskip("hatchling", reason="needs pip install '.[dev]'")
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for address in ("", "https://example.org/tree/main"):
        described = {}
        module.ReadmeHook(str(ROOT), {"address": address}).update(described)
        links = re.findall(r"\]\(([^)]+)\)", described["readme"]["text"])
        written = re.findall(r"\]\(([^)]+)\)", readme)
        before = f"{address}/" if address else ""
        assert links == [link if "://" in link else f"{before}{link}" for link in written]


@source_tree
def test_the_sdist_holds_what_its_tests_need(built):
    top = {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "PKG-INFO"}
    top.add("hatch_build.py")
    dots = {".gitignore", ".pre-commit-config.yaml"}
    assert built[1] == files_in("ir_trunc", "tests", "notebooks", ".ci", ".github") | top | dots


def test_a_users_script_is_checked_against_the_types_that_are_shipped(tmp_path):
    """The package is marked as typed; without the mark every name would be unknown to mypy."""
    (tmp_path / "mine.py").write_text(
        "import ir_trunc\n"
        "from ir_trunc import meta, truncation\n"
        "from ir_trunc.truncation import study\n"
        'scores = ir_trunc.calc_aggregate("RBPT", {"q": {"d": 1}}, {"q": {"d": 1.0}})\n'
        'reveal_type(scores["RBPT"])\n'
        "reveal_type(study.best_cuts)\n"
        'reveal_type(meta.properties("AP")[0].findings)\n'
        "reveal_type(truncation.Fixed(k=10).k)\n"
        "ir_trunc.calc_aggregate()\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "mine.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    revealed = re.findall(r"Revealed type is \"(.*)\"", done.stdout)
    assert revealed[0].endswith("float")
    assert "DataFrame" in revealed[1]
    assert "Finding" in revealed[2]
    assert "int" in revealed[3]
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert re.match(r'mine.py:9: error: Missing positional arguments .* "calc_aggregate"', errors[0])


def test_the_extras_are_those_that_messages_and_readme_name():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    offered = set(re.findall(r"^(\w+) = \[", declared, re.MULTILINE))
    adapted = "dask fast haystack inspect langchain learn llamaindex plot pyterrier spark torch"
    assert offered == {*adapted.split(), "dev", "docs", "notebooks", "test"}
    pages = [*Path(ir_trunc.__file__).parent.rglob("*.py"), ROOT / "README.md"]
    offer = re.compile(r"pip install '?\"?(?:ir_trunc|\.)\[(\w+)\]")
    named = {name for page in pages for name in offer.findall(page.read_text("utf-8"))}
    assert named
    assert named <= offered


def test_versions_agree():
    assert metadata("ir_trunc")["Version"] == ir_trunc.__version__
    assert f"## {ir_trunc.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_names_the_library_and_its_five_papers():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cff["version"] == ir_trunc.__version__
    assert cff["license"] == metadata("ir_trunc")["License-Expression"]
    assert {"cff-version", "message", "title", "type", "authors"} <= set(cff)
    papers = cff["references"]
    assert [(paper["authors"][0]["family-names"], paper["year"]) for paper in papers] == [
        ("Amigó", 2022), ("Liu", 2016), ("Peñas", 2011), ("Sakai", 2004), ("Webber", 2010),
    ]  # fmt: skip
    sources = " ".join(definition.source for definition in ir_trunc.measures.registry.values())
    for paper in papers:
        assert paper.get("doi") or paper.get("url")
        assert paper.get("doi", paper.get("url")) in sources, paper["title"]
