"""Tests without those that need what was taken away: found by what they import, name and call."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from rooms import ROOT, owner_of

MEMBERS = {
    "plots": "plot scatter",
    "explanation": "explain",
    "inference": "estimate quantity",
    "ties": "ties",
}
"""Methods and options by which core code reaches a room."""

WORDS = {
    "demonstration": r"\bdemo\b",
    "explanation": "--explain",
    "labels by a model": "--judge",
    "plots": "--plot",
    "spans and stores": "^(items|pairs)$",  # as lists of documents
    "tables in files": r"\.(csv|tsv|json|jsonl|parquet)\b|^(csv|tsv|json|jsonl|parquet)$|--withheld",
    "ties": "--ties",
}
"""What only those who use a room write in texts, as at the command line."""


def leave_others(gone: Iterable[str], folder: Path) -> None:
    """Rewrite the test files of a copy without what needs these rooms."""
    needs = _Needs({*gone})
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted((folder / "tests").rglob("*.py"))}
    lost, before = 0, -1
    while lost > before:  # what goes may take more with it
        before = lost
        for path, tree in trees.items():
            needs.leave_out(path, tree)
        lost = sum(map(len, needs.helpers.values()))
    for path, tree in trees.items():
        path.write_text(ast.unparse(tree), encoding="utf-8")


class _Needs:
    """What code that needs these rooms has in it: modules, names, members and words."""

    def __init__(self, gone: set[str]):
        from ir_trunc import _OWNERS
        from ir_trunc.measures import registry

        def is_gone(module: str) -> bool:
            path = module.removeprefix("ir_trunc.").replace(".", "/")
            return {owner_of(f"{path}.py"), owner_of(path)} & gone != set()

        measures = [name for name, each in registry.items() if is_gone(each.formula.__module__)]
        public = [name for owner, names in _OWNERS.items() if is_gone(owner) for name in names.split()]
        package = ROOT / "ir_trunc"
        modules = [path.relative_to(package).with_suffix("").as_posix() for path in package.rglob("*.py")]
        dotted = [name.removesuffix("/__init__").replace("/", ".") for name in modules if is_gone(name)]
        self.modules = {f"ir_trunc.{name}" for name in dotted}
        self.modules |= {f"ir_trunc.{name}" for name in (*measures, *public)}
        self.measures = {*measures}
        self.members = {member for room in gone for member in MEMBERS.get(room, "").split()}
        commands = [name.rpartition("/")[2].replace("_", "-") for name in modules if "_cli/" in name]
        self.commands = {name for name in commands if is_gone(f"_cli/{name.replace('-', '_')}")}
        words = [rf"(?<![\w.])({'|'.join(map(re.escape, measures))})(?![\w])"] if measures else []
        words += [rf"{re.escape(name)}\b" for name in self.modules]
        words += [rf"(ir_trunc|you mean) {name}\b|^{name}( |$)" for name in self.commands]
        words += [WORDS[room] for room in gone if room in WORDS]
        self.words = re.compile("|".join(words) or "(?!)")
        pages = [page for ending in ("md", "ipynb") for page in (ROOT / "notebooks").rglob(f"*.{ending}")]
        self.pages = {page: bool(self.words.search(page.read_text("utf-8"))) for page in pages}
        self.helpers: dict[Path, set[str]] = {}  # names that modules of tests had

    def leave_out(self, path: Path, tree: ast.Module) -> None:
        """Take statements that need the rooms from a module, and what needs these in turn."""
        own, lost = self.helpers.setdefault(path, set()), set[str]()
        for other, names in self.helpers.items():
            if other.name == "conftest.py" and other.parent in path.parents:
                lost |= names
        words = self.words if path.name.startswith(("test_", "reference_")) else None
        lost |= own
        tree.body = self._left(tree.body, own, lost, words)

    def _left(
        self, body: list[ast.stmt], own: set[str], lost: set[str], words: re.Pattern[str] | None
    ) -> list[ast.stmt]:
        """The statements that are left; `own` and `lost` gain the names that go."""
        left = list[ast.stmt]()
        for node in body:
            gone = set[str]()
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                kept = [alias for alias in node.names if not self._is_gone(node, alias)]
                gone = {*map(_name, node.names)} - {*map(_name, kept)}
                node.names = kept
                left += [node] * bool(kept)
            elif isinstance(node, (ast.With, ast.If)):
                node.body = self._left(node.body, own, lost, words)
                left += [node] * bool(node.body)
            else:
                _drop_rows(node, partial(self._needs, lost=lost, words=words))
                if self._needs(node, lost, words):
                    gone = _bound(node)
                else:
                    left.append(node)
            own |= gone
            lost |= gone
        return left

    def _is_gone(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
        if isinstance(node, ast.Import):
            return alias.name in self.modules
        module = node.module or ""
        return (
            module in self.modules
            or f"{module}.{alias.name}" in self.modules
            or any(alias.name in names for path, names in self.helpers.items() if path.stem == module)
        )

    def _needs(self, node: ast.AST, lost: set[str], words: re.Pattern[str] | None) -> bool:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in lost:
                return True
            if isinstance(part, (ast.arg, ast.keyword)) and part.arg in lost | self.members:
                return True
            if isinstance(part, ast.Attribute):
                owner = ast.unparse(part.value)
                if part.attr in self.members or f"{owner}.{part.attr}" in self.modules:
                    return True
            is_import = isinstance(part, (ast.Import, ast.ImportFrom))
            if is_import and any(self._is_gone(part, alias) for alias in part.names):
                return True
            if isinstance(part, ast.FunctionDef) and part.name in self.measures:
                return True  # its reference implementation
            is_text = words and isinstance(part, ast.Constant) and isinstance(part.value, str)
            if is_text and (words.search(part.value) or self._is_lost(part.value, lost)):
                return True
        return False

    def _is_lost(self, text: str, lost: set[str]) -> bool:
        """Whether a text names a page that needs the rooms, or calls what a test file had."""
        pages = [page for page in self.pages if page.name in text]
        return any(self.pages[page] for page in pages) or any(f".{name}(" in text for name in lost)


def _name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in stored if isinstance(part.ctx, ast.Store)}


def _drop_rows(node: ast.stmt, needs: Callable[[ast.AST], bool]) -> None:
    """Take rows that need the rooms from the cases of a test."""
    for call in getattr(node, "decorator_list", ()):
        if isinstance(call, ast.Call) and len(call.args) > 1 and isinstance(call.args[1], ast.List):
            rows = [row for row in call.args[1].elts if not needs(row)]
            if rows:
                call.args[1].elts = rows
    table = getattr(node, "value", None)
    if isinstance(node, ast.Assign) and isinstance(table, ast.Dict):
        pairs = [pair for pair in zip(table.keys, table.values) if not any(map(needs, filter(None, pair)))]
        if pairs and len(pairs) < len(table.keys):
            table.keys, table.values = map(list, zip(*pairs))
