"""The core in the order of reading, and the rooms: the parts that can be taken away, with their tests.

`tests/properties/test_rooms.py` holds that nothing below a room imports it, and takes rooms away in a copy.
`python tests/benchmarks/size.py` prints the table with lines of code; `.github/CONTRIBUTING.md` shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Room:
    """A part that can be taken away: its paths, and the rooms that it stands on.

    package: files and folders of `ir_trunc`. tests, pages: those of `tests` and `notebooks` about it alone.
    """

    package: str
    on: tuple[str, ...] = ()
    tests: str = ""
    pages: str = ""


# The core in the order of reading; a folder stands for its files that are not named.
READING = (
    "__init__.py", "_scoring/evaluator.py", "_scoring/objects.py", "_scoring/results.py", "_scoring/runs.py",
    "_scoring", "measures/declaration.py", "measures/definition.py", "measures/lists.py", "measures/parts.py",
    "measures/terminal.py", "measures", "_core/rankings.py", "_core/universe.py",
    "_core/curve.py", "_core", "_read/reading.py", "_read/registry.py", "_read/rows.py",
    "_read/readers/trec.py", "_read/readers/memory.py", "_read/readers", "_read", "_ranking/runs.py",
    "_ranking/qrels.py", "_ranking/ranked_rows.py", "_ranking", "adapters", "_output",
    "_cli/main.py", "_cli/score.py", "_cli", "_kernel", "version.py", "typing.py", "__main__.py",
)  # fmt: skip

ROOMS = {
    "inference": Room("_inference", (), "inference properties/test_inference.py"),
    "ties": Room("_ties.py", (), "scoring/test_ties.py"),
    "explanation": Room("_explanation.py", (), "scoring/test_explanation.py", "howto/why-this-score.md"),
    "more measures": Room(
        "measures/confidence.py measures/harm.py measures/ideal.py measures/reading_cost.py", ()
    ),
    "answers as data": Room("_read/readers/answers.py", (), "answers/test_answers.py"),
    "tables in files": Room("_read/readers/files.py", (), "read/test_files.py"),
    "graded answers": Room("_ranking/depths.py measures/graded_answers.py", ()),
    "saved results": Room("_saved.py", ()),
    "plots": Room("plots", ("inference",), "plots", "gallery.md api/plots.md howto/look-at-runs.md"),
    "screening": Room(
        "measures/screening.py", (), "measures/test_screening.py reference_screening.py", "start/screening.md"
    ),
    "sessions": Room("measures/sessions.py", (), "sessions/test_measures.py reference_sessions.py"),
    "spans and stores": Room(
        "_read/readers/traces.py _read/readers/nested.py",
        (),
        "read/test_traces.py read/test_nested.py",
    ),
    "labels by a model": Room(
        "_judged.py", ("inference",), "judged benchmarks/judged.py", "howto/judged-labels.md"
    ),
    "demonstration": Room("synthetic _cli/demo.py", (), "synthetic calls.py", "api/synthetic.md"),
    "arrow": Room("adapters/arrow.py", (), "adapters/test_arrow.py", "howto/large-runs.md"),
    "torch": Room("adapters/torch.py", (), "adapters/test_torch.py"),
    "policies": Room(
        "truncation _cli/truncate.py",
        ("inference", "saved results"),
        "truncation",
        "howto/own-policy.md howto/choose-k.md api/truncation.md",
    ),
    "monitor": Room(
        "truncation/_monitoring.py _cli/monitor.py",
        ("inference", "policies"),
        "monitor benchmarks/monitoring.py",
        "howto/live-policy.md",
    ),
    "scikit-learn": Room(
        "adapters/sklearn.py truncation/policies/learned.py", ("policies",), "truncation/test_learned.py"
    ),
    "LangChain": Room("adapters/langchain.py", ("policies",), "adapters/test_langchain_standard.py"),
    "LlamaIndex": Room("adapters/llama_index.py", ("policies",)),
    "Haystack": Room("adapters/haystack.py", ("policies",)),
    "PyTerrier": Room(
        "adapters/pyterrier.py",
        ("policies",),
        "adapters/test_pyterrier.py",
        "start/pyterrier.md 07-pyterrier.ipynb",
    ),
    "meta": Room(
        "meta _cli/meta.py",
        ("graded answers", "inference", "more measures", "saved results"),
        "meta cli/test_meta.py",
        "howto/trust-measures.md api/meta.md guide.md",
    ),
    "study": Room("truncation/study.py _cli/study.py", ("inference", "meta", "policies"), "study"),
    "reproduce": Room("_reproduce _cli/reproduce.py", ("meta", "study"), "reproduce"),
    "compare": Room(
        "_compare.py _cli/compare.py",
        ("inference", "saved results"),
        "compare cli/test_comparing.py",
        "howto/compare-systems.md",
    ),
    "answers": Room(
        "answers.py _cli/answers.py",
        ("compare", "more measures", "policies"),
        "answers/test_log.py",
        "howto/answers.md",
    ),
    "Inspect": Room("adapters/inspect_ai.py", ("answers",), "adapters/test_inspect_ai.py"),
    "how_many": Room(
        "_how_many.py _cli/how_many.py", ("graded answers", "inference", "policies"), "how_many"
    ),
    "check": Room("_check.py _cli/check.py", ("answers", "compare", "inference"), "check", "howto/gate.md"),
    "report": Room(
        "_report _cli/report.py",
        ("check", "compare", "explanation", "inference", "policies", "ties"),
        "report",
    ),
    "Change Detection": Room(
        "cdet _read/readers/cdet.py _cli/cdet.py",
        ("compare", "inference", "report"),
        "cdet",
        "start/change-detection.md 10-change-detection.ipynb api/cdet.md",
    ),
}

# The lists in which a room has lines of its own: they go with it.
LISTS = (
    "ir_trunc/__init__.py", "ir_trunc/typing.py", "ir_trunc/truncation/__init__.py", "ir_trunc/_cli/main.py",
    "ir_trunc/_read/readers/__init__.py", "tests/surface.txt", "pyproject.toml",
)  # fmt: skip


def owner_of(path: str) -> str:
    """The room of a file of the package; "" for the core."""
    parts = [(part, name) for name, room in ROOMS.items() for part in room.package.split()]
    return max((each for each in parts if f"{path}/".startswith(f"{each[0]}/")), default=("", ""))[1]


def core() -> list[str]:
    """The Python files of the core in the order of reading."""
    package = ROOT / "ir_trunc"
    left = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    left, order = [path for path in left if not owner_of(path)], []
    for name in READING:
        found = [path for path in left if f"{path}/".startswith(f"{name}/")]
        order += [path for path in found if path == name or path not in READING]
        left = [path for path in left if path not in order]
    assert not left, f"READING lacks {left}"
    return order


def with_those_above(*names: str) -> set[str]:
    """Rooms, and those that stand on them."""
    above = {*names}
    while more := {other for other, room in ROOMS.items() if above.intersection(room.on)} - above:
        above |= more
    return above


def take_away(gone: set[str], folder: Path) -> None:
    """Delete rooms from a copy of the repository."""
    package = folder / "ir_trunc"
    modules = []
    for path in sorted(package.rglob("*.py")):
        if owner_of(path.relative_to(package).as_posix()) in gone:
            modules.append(".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"))
    for room in gone:
        for start, parts in (
            ("ir_trunc", ROOMS[room].package),
            ("tests", ROOMS[room].tests),
            ("notebooks", ROOMS[room].pages),
        ):
            for part in parts.split():
                _delete(folder / start / part, gone if start == "ir_trunc" else set(), package)
    for path in LISTS:
        if (file := folder / path).exists():
            file.write_text("".join(_left(file, modules, folder)), encoding="utf-8")


def _delete(path: Path, gone: set[str], package: Path) -> None:
    if path.is_dir():
        for each in sorted(path.iterdir()):
            _delete(each, gone, package)
        if not [*path.iterdir()]:
            path.rmdir()
    elif path.exists() and (not gone or owner_of(path.relative_to(package).as_posix()) in gone):
        path.unlink()


def _left(file: Path, modules: list[str], folder: Path) -> Iterator[str]:
    """The lines of a list without those of these modules."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    dropped = set[int]()
    own = ".".join(file.relative_to(folder).parent.parts)
    if file.suffix == ".py":
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.ImportFrom) and node.module in modules:
                dropped |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    short = [re.escape(name.removeprefix(f"{own}.")).replace("_", "[_-]") for name in modules]
    starts = re.compile(rf' *"?({"|".join([*short, *map(re.escape, modules)])})(?![\w-])')
    for number, line in enumerate(lines, 1):
        if number not in dropped and not starts.match(line):
            yield line


MEMBERS = {
    "answers as data": "read_answers",
    "plots": "plot scatter",
    "explanation": "explain",
    "inference": "estimate quantity",
    "monitor": "monitor",
    "ties": "ties",
}
"""Methods and options by which core code reaches a room."""

WORDS = {
    "demonstration": r"\bdemo\b",
    "explanation": "--explain",
    "labels by a model": "--judge",
    "plots": "--plot",
    "spans and stores": "^(items|pairs|.* by topic|.* with lists|search results|spans)$",
    "tables in files": r"(^|\.)(csv|tsv|json|jsonl|parquet)\b|^short lines$|--withheld",
    "ties": "--ties",
}
"""What only those who use a room write in texts, as at the command line."""


def leave_others(gone: set[str], folder: Path) -> None:
    """Rewrite the test files of a copy without what needs these rooms."""
    needs = _Needs(gone)
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
        self.tests = {Path(test).stem for room in gone for test in ROOMS[room].tests.split()}
        self.gone, self.measures = gone, {*measures}
        self.members = {member for room in gone for member in MEMBERS.get(room, "").split()}
        commands = [name.rpartition("/")[2].replace("_", "-") for name in modules if "_cli/" in name]
        self.commands = {name for name in commands if is_gone(f"_cli/{name.replace('-', '_')}")}
        words = [rf"(?<![\w.])({'|'.join(map(re.escape, measures))})(?![\w])"] if measures else []
        words += [rf"{re.escape(name)}\b" for name in self.modules]
        words += [rf"(ir_trunc|you mean) {name}\b|^{name} " for name in self.commands]
        words += [rf"^{name}$" for name in self.commands - {"answers"}]  # which is a field of data, too
        words += [rf"^{name.rpartition('.')[2]}\." for name in dotted if ".readers." in name]  # samples
        words += [rf"^{re.escape(name)}\.py$" for name in modules if is_gone(name)]
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
            module in self.modules | self.tests
            or f"{module}.{alias.name}" in self.modules
            or alias.name in self.members
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
            is_mark = isinstance(part, ast.Call) and ast.unparse(part.func) == "pytest.mark.needs"
            if is_mark and self.gone.intersection(arg.value for arg in part.args):
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
            if 0 < len(rows) < len(call.args[1].elts):
                call.args[1].elts = rows
                call.keywords = [word for word in call.keywords if word.arg != "ids"]  # one for each row
    table = getattr(node, "value", None)
    if isinstance(node, ast.Assign) and isinstance(table, ast.Dict):
        pairs = [pair for pair in zip(table.keys, table.values) if not any(map(needs, filter(None, pair)))]
        if pairs and len(pairs) < len(table.keys):
            table.keys, table.values = map(list, zip(*pairs))
