"""The path of a run: how many files, functions and calls of ir_trunc a small call enters."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._kernel import kernel

PACKAGE = Path(ir_trunc.__file__).parent
QRELS, RUN, BY_RANK = {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, {"q": ["a", "b"]}

# What is entered, and the most files, functions and calls, with the kernel and without. Our own Python code
# counts, with lambdas, comprehensions and generator expressions; what is made at the first call does not.
LIMITS = {
    "a dict": ((RUN, {}), (15, 83, 110), (18, 119, 255)),
    "lists by rank": ((BY_RANK, {}), (17, 119, 200), (18, 119, 255)),
    "order='rank'": ((BY_RANK, {"order": "rank"}), (18, 119, 200), (19, 120, 255)),
}


def entered(run, options) -> Counter:
    """The code objects of ir_trunc that the second call enters, and how often."""
    codes = Counter()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
            codes[frame.f_code] += 1

    ir_trunc.calc("RBPT", QRELS, run, **options)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ir_trunc.calc("RBPT", QRELS, run, **options)
    finally:
        sys.setprofile(before)
    return codes


@pytest.mark.parametrize("case", LIMITS)
def test_a_small_call_takes_a_short_path(case):
    arguments, *limits = LIMITS[case]
    codes = entered(*arguments)
    files = {code.co_filename for code in codes}
    found = (len(files), len(codes), codes.total())
    limit = limits[0 if kernel else 1]
    assert all(number <= most for number, most in zip(found, limit)), f"{case}: {found}, at most {limit}"


@pytest.mark.skipif(not kernel, reason="the kernel is not built, or turned off")
def test_the_path_is_short_without_the_kernel_too():
    code = "import test_path as law; [law.test_a_small_call_takes_a_short_path(case) for case in law.LIMITS]"
    env = os.environ | {"IR_TRUNC_KERNEL": "0", "PYTHONPATH": os.fspath(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
