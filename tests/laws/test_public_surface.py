"""The public names are listed; public functions have types, one order of arguments and numpydoc sections.

Public are the names in `__all__` of a module without an underscore in its dotted name.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import is_typeddict

import pytest

import ir_trunc
from ir_trunc import measures, meta, truncation

NAMES = Path(__file__).parents[1] / "public_names.txt"
DOCUMENTED = [
    "ir_trunc",
    "ir_trunc.adapters.arrow",
    "ir_trunc.adapters.ir_measures",
    "ir_trunc.adapters.pyterrier",
    "ir_trunc.adapters.scale",
    "ir_trunc.measures",
    "ir_trunc.meta",
    "ir_trunc.plots",
    "ir_trunc.truncation",
    "ir_trunc.truncation.study",
]
ORDER = (
    {"policies"},
    {"measure", "measures", "truncated", "full"},
    {"qrels"},
    {"run", "runs", "pools", "matrix"},
)
OF_PYTERRIER = (  # have the order of pt.Experiment and pt.GridSearch
    "ir_trunc.adapters.pyterrier.experiment",
    "ir_trunc.adapters.pyterrier.grid_search",
)


def public_modules():
    """All public modules that can be imported here: an adapter may lack what it adapts to."""
    for module in walk_packages(ir_trunc.__path__, "ir_trunc."):
        if not re.search(r"\._", module.name):
            try:
                yield import_module(module.name)
            except ImportError as error:
                if str(error.name).startswith("ir_trunc"):
                    raise


MODULES = {module.__name__: module for module in [ir_trunc, *public_modules()]}


def test_the_study_of_truncation_needs_no_import_of_its_own():
    assert truncation.__getattr__("study") is MODULES["ir_trunc.truncation.study"]
    assert "study" in dir(truncation)


def test_public_names_are_those_that_are_listed():
    """Users rely on them: a name that goes or comes needs a line in CHANGELOG.md, too.

    What is registered (measures, policies, procedures and the results of these) needs no line in the list.
    """
    results = {inspect.signature(each.function).return_annotation for each in meta.registry.values()}
    registered = {*measures.names(), *truncation.registry}
    of_meta = {*meta.registry, *map(str, results)}
    for name, module in MODULES.items():
        own = [thing for thing in vars(module).values() if getattr(thing, "__module__", "") == name]
        assert hasattr(module, "__all__") or not own, f"{name} needs __all__"
    names = [f"{name}.{word}" for name, module in MODULES.items() for word in getattr(module, "__all__", ())]
    assert len(names) == len(set(names))
    public = {name for name in names if name.rpartition(".")[2] not in registered}
    public -= {name for name in public if ".meta." in name and name.rpartition(".")[2] in of_meta}
    listed = {
        name for name in NAMES.read_text(encoding="utf-8").split() if name.rpartition(".")[0] in MODULES
    }
    assert public == listed, f"write the names into {NAMES.name}, sorted"


FUNCTIONS = {
    f"{name}.{word}": getattr(MODULES[name], word)
    for name in DOCUMENTED
    if name in MODULES
    for word in MODULES[name].__all__
    if inspect.isfunction(getattr(MODULES[name], word))
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def parameters_of(name):
    return inspect.signature(FUNCTIONS[name]).parameters


def handed_on(name):
    """The keywords of `**options: Unpack[Options]`, where Options is a TypedDict of the package."""
    for parameter in parameters_of(name).values():
        if parameter.kind is parameter.VAR_KEYWORD:
            wanted = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
            assert wanted, f"{name}: the keywords of **{parameter.name} are not declared"
            owner = vars(import_module(FUNCTIONS[name].__module__))
            assert is_typeddict(owner[wanted[1]])
            return set(owner[wanted[1]].__annotations__)
    return set()


@every_function
def test_arguments_and_results_have_types(name):
    assert inspect.signature(FUNCTIONS[name]).return_annotation is not inspect.Signature.empty
    for parameter in parameters_of(name).values():
        assert parameter.annotation is not inspect.Parameter.empty, parameter.name


@every_function
def test_measures_come_first_then_qrels_then_runs(name):
    by_place = [word for word, each in parameters_of(name).items() if each.kind is not each.KEYWORD_ONLY]
    places = [place for word in by_place for place, words in enumerate(ORDER) if word in words]
    assert places == sorted(places) or name in OF_PYTERRIER


@every_function
def test_the_documentation_has_the_sections_of_numpydoc(name):
    text = inspect.getdoc(FUNCTIONS[name])
    if not parameters_of(name):
        return
    titles, bodies = text.split("\n---"), text.split("\n---")[1:]
    sections = {title.splitlines()[-1]: body for title, body in zip(titles, bodies)}
    described = sections.get("Parameters", "")
    names = {word.strip(" *") for line in described.splitlines() for word in line.split(" : ")[0].split(",")}
    named = {word for word, each in parameters_of(name).items() if each.kind is not each.VAR_KEYWORD}
    assert named <= names
    assert handed_on(name) <= set(re.findall(r"\w+", described))
    assert "Returns" in sections or "Yields" in sections or "None" in str(inspect.signature(FUNCTIONS[name]))
    assert "Examples" in sections


@pytest.mark.parametrize(
    "call",
    [
        lambda **wrong: ir_trunc.calc("RR", {}, {}, **wrong),
        lambda **wrong: ir_trunc.compare("RR", {}, {}, **wrong),
        lambda **wrong: ir_trunc.with_effort({"q": {"a": 1}}, {"a": 1}, **wrong),
        lambda **wrong: meta.truncation_impact("RR", {"q": {"a": 1}}, {"r": {"q": ["a"]}}, **wrong),
        lambda **wrong: truncation.study.cuts("RR", {"q": {"a": 1}}, {"q": ["a"]}, **wrong),
    ],
)
def test_an_unknown_keyword_is_a_type_error_that_names_it(call):
    with pytest.raises(TypeError, match="'ordr'"):
        call(ordr="rank")


def test_the_guide_takes_an_answer_to_each_of_its_questions():
    asked, nodes = set(), [import_module("ir_trunc.meta.guide").tree()]
    for node in nodes:
        asked |= {node["key"]} if "key" in node else set()
        nodes += [node[answer] for answer in ("yes", "no") if answer in node]
    keywords = {word for word, each in parameters_of("ir_trunc.meta.guide").items() if each.kind != 4}
    assert keywords | handed_on("ir_trunc.meta.guide") == asked
    with pytest.raises(ir_trunc.ParameterError, match="length is not answered"):
        meta.guide(length=None, recall=True)


def test_the_types_of_arguments_can_be_imported():
    def mine(measures: ir_trunc.MeasureLike, qrels: ir_trunc.QrelsLike, run: ir_trunc.RunLike) -> None:
        """A function of a user's own."""

    assert inspect.signature(mine, eval_str=True).parameters["run"].annotation == ir_trunc.RunLike


def test_dir_shows_what_is_public():
    shown = set(dir(ir_trunc))
    assert set(ir_trunc.__all__) <= shown
    assert not {"scoring", "core", "annotations", "Any", "TYPE_CHECKING"} & shown
