"""The patch of `.github/upstream` does what it says to a copy of the installed ir-measures."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import ir_measures
import pytest

PATCH = Path(__file__).parents[2] / ".github" / "upstream" / "ir_measures-plugins.patch"


@pytest.fixture
def patched(tmp_path):
    """A folder with a copy of ir-measures to which the patch was applied."""
    if shutil.which("patch") is None:
        pytest.skip("there is no command patch")
    shutil.copytree(Path(ir_measures.__file__).parent, tmp_path / "ir_measures")
    with PATCH.open() as text:
        subprocess.run(["patch", "-p1", "--quiet"], cwd=tmp_path, stdin=text, check=True)
    return tmp_path


def run(folder, *words):
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    command, environment = [sys.executable, *words], os.environ | {"PYTHONPATH": path}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_patch_passes_its_own_tests(patched):
    done = run(patched, "test/test_plugins.py")
    assert done.returncode == 0, done.stderr
    assert "Ran 4 tests" in done.stderr


def test_the_command_of_the_patched_ir_measures_knows_our_measures(patched, collection):
    names = [entry.name for entry in entry_points(group="ir_measures.plugins")]
    assert "ir_trunc" in names, "install ir_trunc again: its entry points are older than this test"
    files = [str(collection / "demo.qrels"), str(collection / "stops-in-time.run")]
    done = run(patched, "-m", "ir_measures", *files, "RBPT", "nDCG@10")
    assert done.stdout.splitlines()[0] == "RBPT\t0.5775", done.stderr
    assert run(patched, "-m", "ir_measures", *files, "RPBT").stderr.endswith("unknown measure: RPBT\n")
