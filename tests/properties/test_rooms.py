"""A room can be taken away: nothing below it knows it."""

import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from benchmarks import size
from rooms import ROOMS, ROOT, leave_others, owner_of, take_away, with_those_above
from source import FILES, PACKAGE, imports_of, module_of, source_tree

MODULES = {module_of(path): path for path in FILES}
# Those of `rooms.LISTS` that import rooms.
LINES = {"__init__.py", "typing.py", "truncation/__init__.py", "_read/readers/__init__.py"}


def rooms_that(path):
    """The rooms that a file imports."""
    for name in imports_of(path):
        while name not in MODULES and name:
            name = name.rpartition(".")[0]
        if name:
            yield owner_of(MODULES[name].relative_to(PACKAGE).as_posix())


def test_a_room_imports_only_rooms_that_it_stands_on():
    found = {name: set() for name in ("", *ROOMS)}
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        if name not in LINES:
            found[owner_of(name)] |= {*rooms_that(path)} - {"", owner_of(name)}
    assert found == {"": set()} | {name: {*room.on} for name, room in ROOMS.items()}


def test_rooms_stand_on_each_other_without_a_circle():
    TopologicalSorter({name: room.on for name, room in ROOMS.items()}).prepare()


@pytest.mark.full
@source_tree
def test_the_guide_shows_the_core_and_the_modules():
    """Its numbers of lines are those of the last `.ci/renew`."""
    guide = size.GUIDE.read_text(encoding="utf-8").partition(size.START)[2].partition(size.END)[0]
    shown, expected = (re.sub(r"\| [\d,]+ \|", "| |", text) for text in (guide, size.tables()))
    assert shown == expected, "python tests/benchmarks/size.py --renew"


QRELS, RUN = "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 2.5 x\nq Q0 c 2 1.5 x\nr Q0 b 1 1.0 x\n"
CALLS = {
    "import": [sys.executable, "-c", "import ir_trunc; ir_trunc.calc('RBPT', {'q': {'a': 1}}, {'q': ['a']})"],
    "--help": [sys.executable, "-m", "ir_trunc", "--help"],
    "score": [sys.executable, "-m", "ir_trunc", "qrels", "run", "RBPT", "nDCG@10"],
    "reference": [sys.executable, "notebooks/_ext/reference.py"],
    "ruff": ["ruff", "check", "ir_trunc"],
    "mypy": ["mypy"],
}  # fmt: skip


@pytest.fixture
def copy(tmp_path):
    """A copy of the repository."""
    left_out = shutil.ignore_patterns(".git", ".*_cache", ".hypothesis", "__pycache__", "site")
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=left_out)


def run(words, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(folder)}
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        env.pop(name, None)
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)


OF_ALL = (
    "docs", "benchmarks", "properties/test_odd_arguments.py", "properties/test_rooms.py",
    "properties/test_surface.py",
)  # fmt: skip
DRAWN = ("labels by a model", "policies", "Change Detection")
ROWS = [pytest.param([room], marks=[] if room in DRAWN else [pytest.mark.weekly], id=room) for room in ROOMS]


@source_tree
@pytest.mark.full
@pytest.mark.parametrize("rooms", [*ROWS, pytest.param([*ROOMS], id="all of them", marks=pytest.mark.weekly)])
def test_rooms_can_be_taken_away(rooms, copy, long_form):
    """All that is left works. The scheduled job checks types, and all tests but those of all modules.

    These are about pages and lists of names and messages; a page about one module goes with it.
    """
    gone = with_those_above(*rooms)
    take_away(gone, copy)
    leave_others(gone, copy)
    (copy / "qrels").write_text(QRELS)
    (copy / "run").write_text(RUN)
    for name, words in CALLS.items():
        if name == "mypy" and not long_form:
            continue
        done = run(words, copy)
        assert done.returncode == 0, f"{name}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    kept = ["tests", *(f"--ignore=tests/{path}" for path in OF_ALL)] if long_form else ["tests/core"]
    done = run([sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *kept], copy)
    assert done.returncode == 0, done.stdout[-5000:]
