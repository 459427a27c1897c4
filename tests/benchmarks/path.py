"""The path of a run: how many files, functions and calls of ir_trunc a small call enters.

    python tests/benchmarks/path.py
    IR_TRUNC_KERNEL=0 python tests/benchmarks/path.py

Our own Python code counts, with lambdas, comprehensions and generator expressions; what is made at the first
call does not.
"""

import os
import sys
from collections import Counter
from pathlib import Path

import ir_trunc
from ir_trunc._kernel import kernel

PACKAGE = Path(ir_trunc.__file__).parent
QRELS, RUN, BY_RANK = {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, {"q": ["a", "b"]}

CASES = {"a dict": (RUN, {}), "lists by rank": (BY_RANK, {}), "order='rank'": (BY_RANK, {"order": "rank"})}


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


if __name__ == "__main__":
    print(f"With{'' if kernel else 'out'} the kernel: files, functions and calls of the second call")
    for case, arguments in CASES.items():
        codes = entered(*arguments)
        print(f"{case:<16}{len({code.co_filename for code in codes}):4}{len(codes):5}{codes.total():5}")
