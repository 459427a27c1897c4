"""The kernel's core compiles alone and keeps to its memory; where there is no compiler, one line says so."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ir_trunc

KERNEL = Path(ir_trunc.__file__).parent / "_kernel"
DRIVER = Path(__file__).parents[1] / "kernel_driver.c"

compiler = shutil.which("cc")
with_source = pytest.mark.skipif(not (KERNEL / "core").is_dir(), reason="the kernel's source is not here")


@with_source
@pytest.mark.skipif(compiler is None, reason="there is no C compiler")
def test_the_core_reads_mutated_files_under_sanitizers(tmp_path):
    program = tmp_path / "driver"
    sources = [DRIVER, *sorted((KERNEL / "core").glob("*.c"))]
    command = [compiler, "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", f"-I{KERNEL / 'core'}"]
    built = subprocess.run([*command, *sources, "-lm", "-o", program], capture_output=True, text=True)
    if "sanitize" in built.stderr or "asan" in built.stderr:
        pytest.skip(f"the compiler has no sanitizers: {built.stderr.splitlines()[-1]}")
    assert built.returncode == 0, built.stderr
    count = os.environ.get("IR_TRUNC_MUTATED_FILES", "5000")
    done = subprocess.run([program, count], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read, understood, as_qrels = map(int, re.findall(r"\d+", done.stdout))
    assert read == int(count)
    assert read / 4 < understood < read
    assert read / 4 < as_qrels < read


@with_source
def test_lines_of_the_source_are_as_short_as_those_of_python():
    for path in [DRIVER, *KERNEL.rglob("*.[ch]")]:
        assert max(map(len, path.read_text().splitlines())) <= 110, path


def built(tmp_path, wanted, path):
    """What a build into a folder says, with these settings."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import build; from pathlib import Path;"
        "print(build.compiled(Path(sys.argv[2])))"
    )
    environment = {**os.environ, "IR_TRUNC_KERNEL": wanted, "PATH": path}
    return subprocess.run(
        [sys.executable, "-c", code, str(KERNEL), str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
    )


@with_source
def test_without_a_compiler_one_line_says_so(tmp_path):
    done = built(tmp_path, "", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "None"
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ir_trunc: its kernel is not compiled (")
    assert last.endswith("); runs are read in Python, more slowly.")


@with_source
def test_a_kernel_that_is_required_is_an_error_where_it_cannot_be_built(tmp_path):
    assert built(tmp_path, "required", str(tmp_path)).returncode != 0


@with_source
def test_a_build_can_leave_the_kernel_out(tmp_path):
    done = built(tmp_path, "0", os.environ["PATH"])
    assert done.stdout.splitlines()[-1] == "None"
    assert "it is turned off" in done.stderr
