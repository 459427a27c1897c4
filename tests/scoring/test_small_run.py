"""What a small run costs before its first line is read: the modules that it imports."""

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._kernel import kernel

PACKAGE = Path(ir_trunc.__file__).parent

# Packages that a small run can do without. Some take longer to import than it takes to score.
OTHERS = {
    "scipy", "pandas", "ir_datasets", "pytrec_eval", "matplotlib", "jinja2", "sklearn", "tqdm",
    "importlib.metadata", "importlib.resources", "asyncio", "multiprocessing", "difflib", "html", "secrets",
    "pyarrow.parquet", "pyarrow.dataset", "pyarrow.fs", "pyarrow.pandas_compat",
    "ir_trunc.meta", "ir_trunc.plots", "ir_trunc.synthetic", "ir_trunc.cdet", "ir_trunc.answers",
    "ir_trunc._compare", "ir_trunc._check", "ir_trunc._report", "ir_trunc._how_many", "ir_trunc._reproduce",
}  # fmt: skip
# What the compiled kernel reads needs no Arrow.
READ = OTHERS | {"ir_trunc.truncation"} | ({"pyarrow"} if kernel else set())
MAIN = "from ir_trunc._cli.main import main"
SMALL_RUNS = [
    (f"{MAIN}; main([*sys.argv[1:], 'nDCG@10', 'RBPT', 'c@1'])", READ),
    (
        "from ir_trunc import calc_aggregate as calc; calc('nDCG@10 RBPT c@1', *sys.argv[1:]);"
        " calc('AP', {'q': {'a': 1}}, {'q': {'b': 2.0, 'a': 1.0}});"
        " calc('RBPT', [('q', 'a', 1)], [('q', 'b', 2), ('q', 'a', 1)])",
        READ | {"ir_trunc._cli"},
    ),
    (f"{MAIN}; main(['truncate', sys.argv[2], '--policy', 'LargestGap', '-o', 'cut.run'])", OTHERS),
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 b 1 2.0 x\nq Q0 a 2 1.0 x\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def printed_by(words, folder) -> str:
    """What a new process prints, which may import modules of the folder."""
    paths = os.pathsep.join([str(folder), str(PACKAGE.parent)])
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=os.environ | {"PYTHONPATH": paths},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@pytest.mark.parametrize(("code", "others"), SMALL_RUNS)
def test_a_small_run_imports_only_what_it_needs(code, others, files, tmp_path):
    code = f"import json, sys; {code}; print(json.dumps(sorted(sys.modules)))"
    imported = set(json.loads(printed_by(["-c", code, *files], tmp_path).splitlines()[-1]))
    assert "ir_trunc._ranking.runs" in imported
    assert imported & others == set()


SEEN = """
import gc
from ir_trunc import measure

@measure(source="what a process is like", range=(0, 1))
def Seen(lists):
    '''What a process is like while it scores.

    0
    '''
    print("cycles:", gc.isenabled(), *gc.get_threshold()[:1])
    return 0.0 * lists.n

"""


CYCLES = gc.get_threshold()[0]


@pytest.mark.parametrize(("words", "threshold"), [
    (["-m", "ir_trunc", "--import", "seen"], 100000),  # the command seldom looks for cycles
    (["-c", "import sys, ir_trunc, seen; ir_trunc.calc(sys.argv.pop(), *sys.argv[1:])"], CYCLES),
])  # fmt: skip
def test_only_the_command_changes_how_often_cycles_are_looked_for(words, threshold, files, tmp_path):
    (tmp_path / "seen.py").write_text(SEEN)
    assert f"cycles: True {threshold}\n" in printed_by([*words, *files, "Seen"], tmp_path)
