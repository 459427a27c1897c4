"""The way of a run from its form to a score: files of the package that it goes through, and calls.

    python tests/benchmarks/way.py [-v]

One measure, ready qrels. Every form is scored twice and counted the second time, so that imports and caches
are not counted. `-v` lists the files with the calls into each. A call counts as one between files where the
nearest function of the package on the stack is in another file.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

import ir_trunc

PACKAGE = str(Path(ir_trunc.__file__).parent)
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"a": 2.5, "x": 1.5}, "2": {"y": 3.0, "c": 2.0}}
ONE = {"1": {"a": 2.5}}


def counted(task: Callable[[], Any]) -> tuple[Counter[str], int, int]:
    """Calls into each file of the package, those of them between files, and all calls."""
    task()
    entered: Counter[str] = Counter()
    stack: list[str] = []
    between = 0

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal between
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE):
            return
        if event == "call":
            between += bool(stack) and stack[-1] != name
            stack.append(name)
            entered[name] += 1
        elif event == "return":
            stack.pop()

    sys.setprofile(watch)
    try:
        task()
    finally:
        sys.setprofile(None)
    return entered, between, sum(entered.values())


def forms(folder: Path) -> dict[str, Any]:
    """A small run in several forms."""
    rows = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    path = folder / "a.run"
    path.write_text("".join(f"{topic} Q0 {doc} 1 {score} tag\n" for topic, doc, score in rows))
    return {
        "TREC file": path,
        "dict of dicts": RUN,
        "dict, one document": ONE,
        "pandas frame": pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
        "named tuples": [ir_measures.ScoredDoc(*row) for row in rows],
    }


if __name__ == "__main__":
    ready = ir_trunc.read_qrels(QRELS)
    evaluator = ir_trunc.evaluator("RBPT", QRELS)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'':34}{'files':>6}{'between':>9}{'calls':>7}")
        for name, run in forms(Path(folder)).items():
            for door, task in {
                "calc": lambda run=run: ir_trunc.calc("RBPT", ready, run),
                "evaluator.calc": lambda run=run: evaluator.calc(run),
            }.items():
                entered, between, calls = counted(task)
                print(f"{name + ', ' + door:34}{len(entered):6}{between:9}{calls:7}")
                if "-v" in sys.argv:
                    for file, count in entered.most_common():
                        print(f"    {count:5}  {Path(file).relative_to(PACKAGE)}")
