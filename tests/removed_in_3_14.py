"""A plugin, `pytest -p removed_in_3_14`: it takes away what Python 3.14 removed."""

import ast
import importlib.abc
import pkgutil
import sqlite3
import urllib.parse

REMOVED = {
    ast: ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"),
    importlib.abc: ("ResourceReader", "Traversable", "TraversableResources"),
    pkgutil: ("find_loader", "get_loader", "ImpImporter", "ImpLoader"),
    sqlite3: ("version", "version_info"),
    urllib.parse: ("Quoter",),
}

for module, names in REMOVED.items():
    vars(module).pop("__getattr__", None)  # which makes some of them on demand, with a warning
    for name in names:
        vars(module).pop(name, None)
        assert not hasattr(module, name)
for name in ("n", "s"):
    if hasattr(ast.Constant, name):
        delattr(ast.Constant, name)
