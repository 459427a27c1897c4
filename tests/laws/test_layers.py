"""The house: a room imports only from the rooms above it, and optional packages only where they are used."""

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ir_trunc

PACKAGE = Path(ir_trunc.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

# From the first room to the last. A file imports from earlier rooms and from its own.
ROOMS = [
    "version",
    "_kernel",
    "_core",
    "measures",
    "_read",
    "_ranking",
    "scoring",
    "truncation",
    "plots",
    "synthetic",
    "meta",
    "reporting",
    "adapters",
    "cli",
    "__init__",
    "__main__",
]
THIRD_PARTY = {"_core": {"numpy", "pandas"}, "measures": {"numpy"}}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports_of(path: Path):
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            known = (PACKAGE.parent / node.module.replace(".", "/")).is_dir() and node.module.startswith(
                "ir_trunc"
            )
            yield from (f"{node.module}.{alias.name}" if known else node.module for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_the_rooms_above_it(path):
    room = room_of(path)
    for name in imports_of(path):
        if name.startswith("ir_trunc"):
            other = [*name.split("."), "__init__"][1]
            assert other in ROOMS[: ROOMS.index(room) + 1], f"{path} imports {name}"
        elif room in THIRD_PARTY:
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names | THIRD_PARTY[room], f"{path} imports {name}"


def test_no_file_imports_itself_by_way_of_others():
    """Whether for its annotations only or not: TopologicalSorter raises CycleError with the files."""
    names = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in FILES}
    known = {name for path, name in names.items() if path.name != "__init__.py"}
    graph = {name: known.intersection(imports_of(path)) for path, name in names.items()}
    TopologicalSorter(graph).prepare()


def test_a_measure_is_named_in_its_own_file_only():
    """Registry, provider, command line and listing know no measure by name.

    The demonstration shows some, and the tables of papers are made of some.
    """
    from ir_trunc.measures import registry

    for path in FILES:
        if room_of(path) == "measures" or path.stem == "demo" or path.parent.name == "reproduction":
            continue
        words = {node.value for node in nodes_of(path) if isinstance(node, ast.Constant)}
        names = {node.id for node in nodes_of(path) if isinstance(node, ast.Name)}
        assert not (words | names) & (set(registry) - {"R", "P", "c", "Q"}), path


@pytest.mark.parametrize(("name", "place"), [
    ("bootstrap", "scoring/bootstrap.py"), ("imshow", "plots"), ("Figure", "plots"),
])  # fmt: skip
def test_intervals_and_pictures_are_made_in_one_place(name, place):
    """Attributes and imports of this name, scipy's bootstrap for example, occur in one file or one room."""
    for path in FILES:
        used = {node.attr for node in nodes_of(path) if isinstance(node, ast.Attribute)}
        imports = {line for line in imports_of(path) if line.startswith(("matplotlib.figure", "scipy.stats"))}
        if name in used or (name == "Figure" and imports & {"matplotlib.figure"}):
            assert str(path.relative_to(PACKAGE)).startswith(place), path
