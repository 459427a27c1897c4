"""What is public keeps one form: explicit arguments with types, in one order, and numpydoc sections.

Public is what a module named in `PUBLIC` lists in its `__all__`. A new public function is held to the laws by
being listed there.
"""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._core.errors import ParameterError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._read.reading import HowRead, Reading

PUBLIC = [
    "ir_trunc",
    "ir_trunc.adapters.ir_measures",
    "ir_trunc.adapters.pyterrier",
    "ir_trunc.adapters.scale",
    "ir_trunc.measures",
    "ir_trunc.meta",
    "ir_trunc.plots",
    "ir_trunc.truncation",
    "ir_trunc.truncation.study",
]
ORDER = ["measures", "qrels", "run", "runs"]

# The order of pt.Experiment, in whose place it is written.
OF_PYTERRIER = "ir_trunc.adapters.pyterrier.experiment"


NAMES = Path(__file__).parents[1] / "public_names.txt"


def public_names():
    """All public names but those of measures and policies, which their registries have."""
    from ir_trunc import measures, truncation

    declared = {*measures.names(), *truncation.registry}
    for module in PUBLIC:
        yield from (f"{module}.{name}" for name in import_module(module).__all__ if name not in declared)


def test_the_public_names_are_those_that_are_known():
    """Each of them is kept for those who use it: think twice, and write a line for the changelog."""
    known = NAMES.read_text(encoding="utf-8").split()
    assert sorted(public_names()) == known, f"write the names into {NAMES.name}"


def functions():
    for name in PUBLIC:
        module = import_module(name)
        for word in module.__all__:
            thing = getattr(module, word)
            if inspect.isfunction(thing):
                yield f"{name}.{word}", thing


FUNCTIONS = dict(functions())
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def parameters_of(name):
    return inspect.signature(FUNCTIONS[name]).parameters


@every_function
def test_arguments_are_explicit(name):
    kinds = {parameter.kind for parameter in parameters_of(name).values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds, "an editor and help() cannot show **options"


def test_keywords_that_are_handed_on_are_those_of_reading():
    shown = {option: parameter.default for option, parameter in inspect.signature(Reading).parameters.items()}
    assert set(shown) == set(HowRead.__annotations__)
    for name in ("nil_report", "truncation.cross_validate", "meta.pooled_runs", "meta.truncation_impact"):
        found = parameters_of(f"ir_trunc.{name}")
        assert {option: found[option].default for option in shown} == shown


@pytest.mark.parametrize(
    "call",
    [
        lambda **wrong: ir_trunc.compare("RR", {}, {}, **wrong),
        lambda **wrong: ir_trunc.with_effort({}, {}, **wrong),
        lambda **wrong: ir_trunc.meta.truncation_impact("RR", {}, {}, **wrong),
        lambda **wrong: ir_trunc.truncation.study.cuts("RR", {}, {}, **wrong),
    ],
)
def test_a_keyword_that_is_handed_on_is_refused_by_the_function_that_was_called(call):
    with pytest.raises(TypeError, match=r"\) got an unexpected keyword argument 'ordr'. Did you mean order"):
        call(ordr="rank")


def test_a_function_keeps_the_arguments_that_it_names_itself():
    def source(path, *, order="score", nil=None): ...

    @keywords_of(source)
    def function(nil="ends", **options):
        return nil, options

    assert str(inspect.signature(function)) == "(nil='ends', *, order='score')"
    assert function("sakai", order="rank") == ("sakai", {"order": "rank"})
    assert function.__name__ == "function"


def test_the_guide_takes_an_answer_to_each_of_its_questions():
    asked, nodes = set(), [import_module("ir_trunc.meta.guide").tree()]
    for node in nodes:
        asked |= {node["key"]} if "key" in node else set()
        nodes += [node[answer] for answer in ("yes", "no") if answer in node]
    assert set(parameters_of("ir_trunc.meta.guide")) == asked
    with pytest.raises(ParameterError, match="length is not answered"):
        ir_trunc.meta.guide(length=None, recall=True)


@every_function
def test_arguments_and_results_have_types(name):
    found = inspect.signature(FUNCTIONS[name])
    assert found.return_annotation is not inspect.Signature.empty
    for parameter in found.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, parameter.name


@every_function
def test_measures_come_before_qrels_and_qrels_before_runs(name):
    found = [ORDER.index(word) for word in parameters_of(name) if word in ORDER]
    assert found == sorted(found) or name == OF_PYTERRIER


@every_function
def test_the_documentation_has_the_sections_of_numpydoc(name):
    if not parameters_of(name):
        pytest.skip("without parameters")
    text = inspect.getdoc(FUNCTIONS[name])
    parts = {
        title.splitlines()[-1]: body for title, body in zip(text.split("\n---"), text.split("\n---")[1:])
    }
    described = parts.get("Parameters", "")
    names = {word.strip(" *") for line in described.splitlines() for word in line.split(" : ")[0].split(",")}
    assert set(parameters_of(name)) <= names
    assert "Returns" in parts or "Yields" in parts or "None" in str(inspect.signature(FUNCTIONS[name]))
    assert "Examples" in parts


@pytest.mark.parametrize(
    "name", ["calc", "calc_aggregate", "iter_calc", "curves", "evaluator", "compare", "rank"]
)
def test_all_functions_that_read_runs_have_the_options_of_reading(name):
    found = parameters_of(f"ir_trunc.{name}")
    for option, parameter in inspect.signature(Reading).parameters.items():
        assert found[option].default == parameter.default
        assert found[option].kind is inspect.Parameter.KEYWORD_ONLY
    of_calc = parameters_of("ir_trunc.calc")
    for option in ("topics", "nil", *inspect.signature(Reading).parameters):
        assert found[option] == of_calc[option]


def test_measure_has_one_signature_wherever_it_is():
    from ir_trunc.measures import measure

    assert inspect.signature(ir_trunc.measure) == inspect.signature(measure)


def test_the_types_of_arguments_can_be_imported():
    def mine(measures: ir_trunc.MeasureLike, qrels: ir_trunc.QrelsLike, run: ir_trunc.RunLike) -> None:
        """A function of a user's own."""

    assert inspect.signature(mine, eval_str=True).parameters["run"].annotation == ir_trunc.RunLike


def test_dir_shows_what_is_public():
    shown = set(dir(ir_trunc))
    assert set(ir_trunc.__all__) <= shown
    assert not {"scoring", "core", "annotations", "Any", "TYPE_CHECKING"} & shown
