"""The examples in docstrings run as a user would type them, and print what stands beside them."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import ir_trunc

FINDER = doctest.DocTestFinder(exclude_empty=True)

MODULES = [found.name for found in walk_packages(ir_trunc.__path__, "ir_trunc.")]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_every_example_prints_what_stands_beside_it(name, tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    try:
        module = import_module(name)
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # what an adapter adapts to is not installed
    for test in FINDER.find(module):
        runner.run(test, out=said.append)
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_there_are_examples():
    """A finder that finds nothing would let every module pass."""
    examples = [test for test in FINDER.find(import_module("ir_trunc._core.rankings")) if test.examples]
    assert len(examples) >= 5
