"""The public modules and functions, and their keywords."""

import inspect
import re
from importlib import import_module
from pkgutil import walk_packages
from typing import is_typeddict

import ir_trunc

DOCUMENTED = [
    "ir_trunc",
    *(f"ir_trunc.adapters.{name}" for name in ("arrow", "ir_measures", "pyterrier")),
    *(f"ir_trunc.{name}" for name in ("answers", "measures", "meta", "plots", "truncation")),
    "ir_trunc.truncation.study",
]
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


FUNCTIONS = {
    f"{name}.{word}": getattr(MODULES[name], word)
    for name in DOCUMENTED
    if name in MODULES
    for word in MODULES[name].__all__
    if inspect.isfunction(getattr(MODULES[name], word))
}


def parameters_of(name):
    return inspect.signature(FUNCTIONS[name]).parameters


def handed_on(name):
    """The keywords of `**options: Unpack[Options]`, where Options is a TypedDict of ours; PyTerrier's own."""
    if name == OF_PYTERRIER[0]:
        return {*inspect.signature(import_module("pyterrier").Experiment).parameters} - {"kwargs"}
    for parameter in parameters_of(name).values():
        if parameter.kind is parameter.VAR_KEYWORD:
            wanted = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
            assert wanted, f"{name}: the keywords of **{parameter.name} are not declared"
            owner = vars(import_module(FUNCTIONS[name].__module__))
            assert is_typeddict(owner[wanted[1]])
            return set(owner[wanted[1]].__annotations__)
    return set()
