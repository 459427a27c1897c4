"""The core in the order of reading, and the rooms: the parts that can be taken away.

`tests/properties/test_rooms.py` holds that nothing below a room imports it, and takes rooms away in a copy.
`python tests/benchmarks/size.py` prints the table with lines of code; `.github/CONTRIBUTING.md` shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
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
    "answers as data": Room("_read/readers/answers.py"),
    "tables in files": Room("_read/readers/files.py", ()),
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
    "demonstration": Room("synthetic _cli/demo.py", (), "synthetic", "api/synthetic.md"),
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
        "meta _cli/meta.py _cli/_procedures.py",
        ("graded answers", "inference", "more measures", "saved results"),
        "meta cli/test_meta.py",
        "howto/trust-measures.md api/meta.md guide.md",
    ),
    "study": Room("truncation/study.py _cli/study.py", ("inference", "meta", "policies"), "study"),
    "reproduce": Room("_reproduce _cli/reproduce.py", ("meta", "study"), "reproduce"),
    "compare": Room(
        "_compare _cli/compare.py",
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
    "ir_trunc/_cli/_arguments.py", "ir_trunc/_read/readers/__init__.py", "tests/surface.txt",
    "pyproject.toml",
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


def with_those_above(name: str) -> set[str]:
    """A room, and the rooms that stand on it."""
    above = {name}
    while more := {other for other, room in ROOMS.items() if above.intersection(room.on)} - above:
        above |= more
    return above


def take_away(name: str, folder: Path) -> None:
    """Delete a room and those that stand on it from a copy of the repository."""
    gone = with_those_above(name)
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
