"""What happens beside the work: no network, no program, no code from data, no file that nobody asked for.

The process does not matter: hash seeds, spawned processes.
"""

import ast
import builtins
import gc
import multiprocessing
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import other_processor
import pytest
from generated import EVERY
from source import FILES, imports_of, nodes_of

import ir_trunc
from ir_trunc import meta
from ir_trunc.synthetic import demo

DATA = Path(str(demo.data()))


FOREIGN = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yaml", "subprocess",
    "multiprocessing", "socket", "http", "urllib", "requests", "ctypes", "runpy", "code"}  # fmt: skip
"""Modules that load objects, reach the network, or run programs and foreign code."""


def test_no_text_becomes_code_and_pickle_stays_between_the_workers_of_a_cluster():
    """Workers return the lists that they rank as bytes."""
    for path in FILES:
        allowed = {"pickle"} if path.match("adapters/arrow.py") else set()
        assert FOREIGN & {name.split(".")[0] for name in imports_of(path)} <= allowed, path
        called = {node.id for node in nodes_of(path) if isinstance(node, ast.Name)}
        called |= {node.attr for node in nodes_of(path) if isinstance(node, ast.Attribute)}
        assert not called & {"eval", "exec", "__import__", "read_pickle", "to_pickle", "popen"}, path


# what Python sees

WATCHED = """
import decimal, gc, hashlib, locale, os, random, signal, sys, warnings
import ir_measures, numpy as np, pandas, pyarrow.csv, pytrec_eval, scipy.stats, tqdm
def state():
    return (list(warnings.filters), warnings.showwarning, random.getstate(), str(np.random.get_state()),
            np.geterr(), str(decimal.getcontext()), locale.setlocale(locale.LC_ALL), os.getcwd(),
            dict(os.environ), sys.excepthook, gc.isenabled(), gc.get_threshold(),
            list(sys.path), sys.getrecursionlimit(), str(pandas.options),
            [signal.getsignal(n) for n in (2, 13, 15)])
warnings.simplefilter("ignore")
sys.argv = ["ir_trunc"]  # as if it were the command
before = state()
seen = []
WATCHED = ("socket.", "subprocess.", "urllib.", "http.", "ftplib.", "os.system", "os.exec", "os.fork",
           "os.posix_spawn", "pickle.find_class", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link",
           "os.symlink", "os.truncate")
def look(event, args):
    writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes or event.startswith(WATCHED):
        seen.append((event, str(args[:1])))
sys.addaudithook(look)
import ir_trunc
from ir_trunc import meta, truncation
from ir_trunc._cli.main import main
from ir_trunc.measures import registry
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.truncation import study
runs = ["never-stops.run", "stops-in-time.run", "says-little.run"]
"""

WORK = """
names = [d.name + "(D=1000)" * ("D" in d.params)
         + "@5" * bool(d.params.get(CUTOFF) and d.params[CUTOFF].required) for d in registry.values()]
qrels = {str(q): {f"d{d}": d % 3 for d in range(9)} for q in range(5)} | {"nil": {"a": 0}}
run = {str(q): {f"d{d}": 1.0 for d in range(12)} for q in (*range(7), "zz", "yy")}
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    scores = ir_trunc.calc(names, qrels, run).values.tobytes()
    matrix = meta.score_matrix("AP RBPT c@1", "demo.qrels", runs)
    drawn = [meta.power(matrix, "bootstrap", repetitions=50).p, meta.error_rates(matrix, size=3).fewer_wins]
    table = truncation.cross_validate(["Greedy", "LargestGap"], "RBPU", "demo.qrels", runs, folds=3).to_csv()
figures = hashlib.sha256(scores + b"".join(map(bytes, drawn)) + table.encode()).hexdigest()
print(figures, *(warning.message for warning in said))
ir_trunc.calc("NumRet nDCG@10", "demo.qrels", runs[0]).to_pandas()
ir_trunc.compare("RBPT AP", "demo.qrels", runs).by_view()
ir_trunc.with_terminal("demo.qrels", runs[0])
study.best_cuts("RBPU OIE", "demo.qrels", runs)
meta.agreement(matrix)
print(seen)
print([a for a, b in zip(before, state()) if a != b])
sys.stdout = open(os.devnull, "w")
seen.clear()
main(["demo.qrels", *runs, "RBPT", "AP"])
main(["truncate", runs[0], "--policy", "LargestGap"])
main(["study", "cuts", "demo.qrels", runs[0], "-m", "SetF"])
sys.stdout = sys.__stdout__
print(seen)
seen.clear()
truncation.write_cuts(os.environ["HOME"] + "/k", {"1": 2})
print(seen)
seen.clear()
try:
    ir_trunc.calc("AP", "no-such-set", runs[0])
except OSError:
    print(seen)
"""


@pytest.mark.needs("study")
def test_the_work_reaches_for_the_files_that_are_named_and_leaves_the_state_of_the_process(tmp_path):
    """No connection, no program, no pickle, no file written or moved, by Python's own account.

    Warnings, random numbers, numpy's errors, locale, folder, environment, signals and options stay. The watch
    can bark: an output is written and moved; ir_datasets makes its folders when it is asked. Figures and
    messages are the same whatever the seed of Python's hashes, by which sets are ordered.
    """
    said = set()
    for seed in "12":
        home = {"HOME": str(tmp_path), "IR_DATASETS_HOME": str(tmp_path / seed), "PYTHONHASHSEED": seed}
        how = {"cwd": DATA, "env": os.environ | home, "capture_output": True, "text": True}
        done = subprocess.run([sys.executable, "-B", "-c", WATCHED + WORK], timeout=120, **how)
        assert done.returncode == 0, done.stderr
        figures, *of_work, of_output, of_set = done.stdout.splitlines()
        said.add(figures)
    assert len(said) == 1
    assert "topics that are not in the qrels" in figures
    assert of_work == ["[]", "[]", "[]"]
    assert "open" in of_output
    assert "os.rename" in of_output
    assert "os.mkdir" in of_set
    assert "socket" not in of_set


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_an_evaluator_is_sent_to_spawned_processes_and_its_results_come_back(monkeypatch):
    if hasattr(builtins, other_processor.NAME):
        pytest.skip("processes that tests start are not on another processor")
    monkeypatch.chdir(DATA)
    ready = ir_trunc.evaluator("RBPT nDCG@10 OIE c@1 NumRet", "demo.qrels")
    runs = ["never-stops.run", "stops-in-time.run", "says-little.run"]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        there = pool.map(ready.calc, runs)
    assert [of.values.tobytes() for of in there] == [ready.calc(run).values.tobytes() for run in runs]


def test_numbers_are_64_bit_floats():
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "x": 1.0}}
    results = ir_trunc.calc("RBPT AP", qrels, run)
    curve = ir_trunc.curves("RBPT", qrels, run)[ir_trunc.RBPT]
    matrix = meta.score_matrix("AP", qrels, {"one": run})
    for values in (results.values, curve.values, results.to_pandas().to_numpy(), matrix.values):
        assert values.dtype == np.float64
    assert all(type(value) is float for value in results.aggregated.values())
    assert all(type(metric.value) is float for metric in results.metrics())


@pytest.fixture
def without_collector():
    """Without Python's search for cycles of objects."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("ties", ["id", "expected"])
def test_results_leave_memory_with_their_last_user(without_collector, ties):
    measures = [
        measure for measure, bound in EVERY.items() if ties == "id" or bound.definition.scope == "list"
    ]
    qrels = {"1": {"a": 2, "b": 1}, "2": {"y": 1}, "3": {"y": 0}}
    run = {"1": {"a": 0.5, "b": 0.5, "x": 0.25}, "2": {"x": 1.0}, "3": {}}
    for measure in measures:
        results = ir_trunc.calc(measure, qrels, run, ties=ties)
        judgments = weakref.ref(results.rankings.judgments)
        del results
        assert judgments() is None, measure


def test_rows_with_ranks_and_without_marks_are_read_without_pandas():
    """pyarrow asks pandas, where it is given None for a column."""
    rows = "[{'query_id': '1', 'doc_id': 'a', 'score': 1.0, 'rank': 1}]"
    code = f"import sys, ir_trunc; ir_trunc.read_run({rows}); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
