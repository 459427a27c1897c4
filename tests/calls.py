"""Calls of public functions with arguments that are right: those of the examples in their docstrings."""

import doctest
import inspect
import sys
from contextlib import chdir
from functools import cache
from tempfile import TemporaryDirectory
from unittest import mock

from public import FUNCTIONS, MODULES, handed_on, parameters_of
from registries import kept

from ir_trunc._read.reading import options_of
from ir_trunc._scoring.evaluator import ScoringOptions

OPTIONS = {name: row.default for name, row in options_of(ScoringOptions).items()}


def example_of(name):
    """The arguments of the last call in a function's example, with its defaults, and what it returned."""
    module, _, word = name.rpartition(".")
    function, calls = FUNCTIONS[name], []
    signature = inspect.signature(function)

    def recorded(*args, **kwargs):
        found = function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {option: OPTIONS[option] for option in handed_on(name)} | bound.arguments
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                given |= given.pop(parameter.name)
        calls.append((given, found))
        return found

    names = vars(sys.modules[function.__module__]) | {word: recorded}
    session = doctest.DocTestParser().get_doctest(inspect.getdoc(function), names, name, None, 0)
    with TemporaryDirectory() as folder, chdir(folder), mock.patch.object(MODULES[module], word, recorded):
        doctest.DocTestRunner(verbose=False).run(session, out=lambda _: None)
    assert calls, f"{name} needs an example that calls it"
    return calls[-1]


@cache
def examples(module):
    """The example of every function of a module that takes arguments, by its name in ir_trunc."""
    own = [name for name in FUNCTIONS if name.rpartition(".")[0] == module and parameters_of(name)]
    with kept():
        return {name.removeprefix("ir_trunc."): example_of(name) for name in own}
