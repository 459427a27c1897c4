"""Layers: a package imports only from those below it, and no modules import in a circle."""

import ast
import sys
from graphlib import TopologicalSorter

from source import FILES, imports_of, module_of, nodes_of, package_of

# From the lowest layer to the highest: a file imports from earlier ones and from its own.
LAYERS = [
    "_core", "_kernel", "version", "measures", "_output", "_read", "_ranking", "_scoring", "_saved",
    "_ties", "_explanation", "_inference", "plots", "_judged", "truncation", "synthetic", "meta",
    "_compare", "answers", "_check", "_report", "_how_many", "_reproduce", "cdet", "adapters",
    "_cli", "typing", "__init__", "__main__",
]  # fmt: skip
THIRD_PARTY = {"_core": {"numpy", "pandas"}, "measures": {"numpy"}}


def test_a_package_imports_only_from_those_below_it():
    for path, name in [(file, name) for file in FILES for name in imports_of(file)]:
        package = package_of(path)
        if name.startswith("ir_trunc"):
            other = [*name.split("."), "__init__"][1]
            assert other in LAYERS[: LAYERS.index(package) + 1], f"{path} imports {name}"
        elif package in THIRD_PARTY:
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names | THIRD_PARTY[package], f"{path} imports {name}"


def test_no_modules_import_in_a_circle():
    """Nor for annotations only: TopologicalSorter raises CycleError with the modules."""
    names = {path: module_of(path) for path in FILES}
    modules = {name for path, name in names.items() if path.name != "__init__.py"}
    imports = {name: modules.intersection(imports_of(path)) for path, name in names.items()}
    TopologicalSorter(imports).prepare()


def test_a_measure_is_named_in_its_own_file_only():
    """Registry, provider, command line and listing know no measure by name.

    The demonstration shows some, the tables of papers are made of some, and Inspect AI is offered some.
    """
    from ir_trunc.measures import registry

    for path in FILES:
        if package_of(path) == "measures" or path.stem in ("demo", "reproduction", "inspect_ai"):
            continue
        words = {node.value for node in nodes_of(path) if isinstance(node, ast.Constant)}
        names = {node.id for node in nodes_of(path) if isinstance(node, ast.Name)}
        assert not (words | names) & (set(registry) - {"R", "P", "c", "Q"}), path


def test_a_name_is_defined_in_one_module():
    """Functions and classes of several modules; a conventional name (`main`) may recur.

    A picture of `ir_trunc.plots` has the name of the table that it shows.
    """
    owners: dict[str, set[str]] = {}
    for path in FILES:
        if package_of(path) == "plots":
            continue
        for node in nodes_of(path)[0].body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                owners.setdefault(node.name, set()).add(module_of(path))
    shared = {name: modules for name, modules in owners.items() if len(modules) > 1}
    assert set(shared) <= {"main", "Truncate", "measure", "Evaluator", "agreement"}, shared
