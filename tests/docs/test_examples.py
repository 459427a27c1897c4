"""The examples in docstrings run as a user would type them, and print what stands beside them."""

import doctest
import re
from importlib import import_module

import pytest
from source import FILES, module_of

FINDER = doctest.DocTestFinder(exclude_empty=True)

MODULES = [
    module_of(path) for path in FILES if re.search(r"^ +>>> \w", path.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.parametrize("name", MODULES)
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
    assert runner.tries or name == "ir_trunc.adapters.inspect_ai"  # whose decorators keep no docstring
    assert not runner.summarize(verbose=False).failed, "".join(said)
