"""The kernel's core compiles alone and keeps to its memory; where there is no compiler, one line says so."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# The source tree's, since an installed package has no C files.
KERNEL = Path(__file__).parents[2] / "ir_trunc" / "_kernel"
DRIVER = Path(__file__).parents[1] / "kernel_driver.c"

compiler = shutil.which("cc")
with_source = pytest.mark.skipif(not (KERNEL / "core").is_dir(), reason="the kernel's source is not here")


@pytest.mark.full
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
@pytest.mark.parametrize(("wanted", "line"), [
    ("", r"ir_trunc: its kernel is not compiled \(.*\); runs are read in Python, more slowly\."),
    ("0", ".*it is turned off.*"),
    ("required", None),
])  # fmt: skip
def test_a_build_without_a_compiler(tmp_path, wanted, line):
    """One line says that the kernel is left out; where it is required, that is an error."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import build; from pathlib import Path;"
    code += "print(build.compiled(Path(sys.argv[2])))"
    environment = {**os.environ, "IR_TRUNC_KERNEL": wanted, "PATH": str(tmp_path)}
    command = [sys.executable, "-c", code, str(KERNEL), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) == (line is not None), done.stderr
    if line:
        assert done.stdout.splitlines()[-1] == "None"
        assert re.fullmatch(line, done.stderr.splitlines()[-1])
