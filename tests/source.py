"""The source of the package as syntax trees: which modules there are, and what each imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ir_trunc

ROOT = Path(__file__).parents[1]
source_tree = pytest.mark.skipif(not (ROOT / "ir_trunc").is_dir(), reason="the package's source is not here")
PACKAGE = Path(ir_trunc.__file__).parent
# Templates are copied to users and are no modules of the package.
FILES = sorted(path for path in PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    """The first folder of a file below ir_trunc, or its own name."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports_of(path: Path) -> Iterator[str]:
    """The modules that a file imports, inside functions and for annotations, too."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            is_package = (PACKAGE.parent / node.module.replace(".", "/")).is_dir()
            own = is_package and node.module.startswith("ir_trunc")
            yield from (f"{node.module}.{alias.name}" if own else node.module for alias in node.names)
