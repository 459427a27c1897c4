"""Calls of procedures with arguments that are right: those of the examples in their docstrings."""

import doctest
import inspect
from functools import cache
from unittest import mock

from ir_trunc import meta


def example_of(name):
    """The arguments of the last call in a procedure's example, with its defaults, and what it returned."""
    function, calls = meta.registry[name].function, []
    signature = inspect.signature(function)

    def recorded(*args, **kwargs):
        found = function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                given |= given.pop(parameter.name)
        calls.append((given, found))
        return found

    session = doctest.DocTestParser().get_doctest(inspect.getdoc(function), {}, name, None, 0)
    with mock.patch.object(meta, name, recorded):
        doctest.DocTestRunner(verbose=False).run(session, out=lambda _: None)
    assert calls, f"{name} needs an example that calls meta.{name}"
    return calls[-1]


@cache
def examples():
    """The example of every procedure, by name."""
    return {name: example_of(name) for name in sorted(meta.registry)}
