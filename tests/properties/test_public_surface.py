"""The public names are listed; public functions have types, one order of arguments and numpydoc sections.

Public are the names in `__all__` of the modules that an API page documents or a page names.
"""

import inspect
import json
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages

import pytest
from messages import refused
from public import FUNCTIONS, MODULES, OF_PYTERRIER, handed_on, parameters_of

import ir_trunc
from ir_trunc import measures, meta, truncation, typing

ROOT = Path(__file__).parents[2]
NAMES = ROOT / "tests" / "public_names.txt"
LISTED = set(NAMES.read_text(encoding="utf-8").split())
ORDER = (
    {"policies"},
    {"measure", "measures", "truncated", "full"},
    {"qrels"},
    {"run", "runs", "pools", "matrix"},
)


def test_the_study_of_truncation_needs_no_import_of_its_own():
    assert truncation.__getattr__("study") is MODULES["ir_trunc.truncation.study"]
    assert "study" in dir(truncation)


def texts_of_pages():
    """README and pages, and the text and code of notebooks without what they print."""
    for path in [ROOT / "README.md", *(ROOT / "notebooks").rglob("*.md")]:
        yield path.read_text(encoding="utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            yield "".join(cell["source"])


PAGES = "\n".join(texts_of_pages())
DOCUMENTED_MODULES = set(re.findall(r"automodule:: (\S+)", PAGES))
IMPORTED = {
    f"{module}.{name}"
    for module, names in re.findall(r"from (ir_trunc[\w.]*) import ([\w, ]+)", PAGES)
    for name in re.split(r"[, ]+", names)
}
DOTTED = set(re.findall(r"(?<![\w/])(ir_trunc(?:\.[A-Za-z]\w*)+)(?!\w|/)", PAGES))
# What is registered needs no line in the list, nor do the results of procedures.
RESULTS = {str(inspect.signature(each.function).return_annotation) for each in meta.registry.values()}
REGISTERED = {
    *(f"{module}.{name}" for module in MODULES for name in (*measures.names(), *truncation.registry)),
    *(f"ir_trunc.meta.{name}" for name in (*meta.registry, *RESULTS)),
}


# Modules whose own packages are not installed, too.
WALKED = {module.name for module in walk_packages(ir_trunc.__path__, "ir_trunc.")}


def is_public(name):
    """A name of the list or an attribute of one, a module, something registered, or a page's own example."""
    owner, _, last = name.rpartition(".")
    known = name in LISTED | REGISTERED or name in WALKED or owner in LISTED | REGISTERED
    return known or f"class {last}(" in PAGES


def test_public_names_are_those_that_are_listed():
    """Users rely on them: a name that goes or comes needs a line in CHANGELOG.md, too."""
    modules = {name.rpartition(".")[0] for name in LISTED} & set(MODULES)
    public = {f"{module}.{name}" for module in modules for name in MODULES[module].__all__}
    assert public - REGISTERED == {name for name in LISTED if name.rpartition(".")[0] in MODULES}, (
        f"write the names into {NAMES.name}, sorted"
    )


def test_every_public_name_is_on_a_page():
    assert {
        name for name in LISTED - IMPORTED - DOTTED if name.rpartition(".")[0] not in DOCUMENTED_MODULES
    } == set()


def test_every_name_on_a_page_is_public():
    assert {name for name in IMPORTED | DOTTED if not is_public(name)} == set()


def test_few_names_are_at_the_top_level():
    """Beside measures and modules; classes that a function returns are in `ir_trunc.typing`."""
    assert len(set(ir_trunc.__all__) - set(measures.names())) <= 35


def test_arguments_and_results_have_types():
    for name, function in FUNCTIONS.items():
        assert inspect.signature(function).return_annotation is not inspect.Signature.empty, name
        for parameter in parameters_of(name).values():
            assert parameter.annotation is not inspect.Parameter.empty, (name, parameter.name)


def test_measures_come_first_then_qrels_then_runs():
    for name in FUNCTIONS.keys() - {*OF_PYTERRIER}:
        by_place = [word for word, each in parameters_of(name).items() if each.kind is not each.KEYWORD_ONLY]
        places = [place for word in by_place for place, words in enumerate(ORDER) if word in words]
        assert places == sorted(places), name


def test_the_documentation_has_the_sections_of_numpydoc():
    for name in filter(parameters_of, FUNCTIONS):
        parts = inspect.getdoc(FUNCTIONS[name]).split("\n---")
        sections = {title.splitlines()[-1]: body for title, body in pairwise(parts)}
        described = sections.get("Parameters", "")
        names = {
            word.strip(" *") for line in described.splitlines() for word in line.split(" : ")[0].split(",")
        }
        named = {word for word, each in parameters_of(name).items() if each.kind is not each.VAR_KEYWORD}
        assert named <= names, name
        assert handed_on(name) <= set(re.findall(r"\w+", described)), name
        returns_none = "None" in str(inspect.signature(FUNCTIONS[name]))
        assert "Returns" in sections or "Yields" in sections or returns_none, name
        assert "Examples" in sections, name


@pytest.mark.parametrize("call", [
    lambda **wrong: ir_trunc.calc("RR", {}, {}, **wrong),
    lambda **wrong: ir_trunc.compare("RR", {}, {}, **wrong),
    lambda **wrong: ir_trunc.with_effort({"q": {"a": 1}}, {"a": 1}, **wrong),
    lambda **wrong: meta.truncation_impact("RR", {"q": {"a": 1}}, {"r": {"q": ["a"]}}, **wrong),
    lambda **wrong: truncation.study.cuts("RR", {"q": {"a": 1}}, {"q": ["a"]}, **wrong),
])  # fmt: skip
def test_an_unknown_keyword_is_a_type_error_that_names_it(call):
    refused(TypeError, "'ordr'", call, ordr="rank")


def test_the_guide_takes_an_answer_to_each_of_its_questions():
    asked, nodes = set(), [import_module("ir_trunc.meta.guide").tree()]
    for node in nodes:
        asked |= {node["key"]} if "key" in node else set()
        nodes += [node[answer] for answer in ("yes", "no") if answer in node]
    keywords = {word for word, each in parameters_of("ir_trunc.meta.guide").items() if each.kind != 4}
    assert keywords | handed_on("ir_trunc.meta.guide") == asked
    refused(ir_trunc.ParameterError, "length is not answered", meta.guide, length=None, recall=True)


def test_the_types_of_arguments_can_be_imported():
    def mine(measures: typing.MeasureLike, qrels: typing.QrelsLike, run: typing.RunLike) -> None:
        """A function of a user's own."""

    assert inspect.signature(mine, eval_str=True).parameters["run"].annotation == typing.RunLike


def test_dir_shows_what_is_public():
    shown = set(dir(ir_trunc))
    assert set(ir_trunc.__all__) <= shown
    assert not {"scoring", "core", "annotations", "Any", "TYPE_CHECKING"} & shown
