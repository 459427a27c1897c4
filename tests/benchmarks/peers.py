"""ir_trunc beside its peers: time, memory and scores, on workloads that are generated here.

    python tests/benchmarks/peers.py [--repeat 3] [--folder DIR] [--small] [--large] [--python] [PART ...]

Parts: files, memory, prepared, matrices, many, small, tiny, growth; all of them without a name. Every side
runs in a process of its own, in turn, in an empty folder, so that it imports what is installed (or on
PYTHONPATH) and not a checkout around it; below each table every side says which code it used. The sides of
`tiny` share a process. numpy's linear algebra has one thread: OpenBLAS starts one for each processor, which
waits in a loop and does nothing for any side. The figures are medians of user + system
seconds of the whole process (memory, prepared and matrices: of the call alone, its data being there) and of
seconds by the clock, which contain the making of that data; ratios are medians over the rounds. Peers
that are not installed are left out, and named. Where a peer's scores differ from ours by more than 1e-6 the
benchmark fails: nobody is fast and wrong. Each side computes nDCG@10, AP and P@5; ours does 20 measures in
`files`. --small: a hundredth of the lines. --large: `growth` goes to 70 million lines.
--python: measure the Python code where the kernel is not used; without it that is an error.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TWENTY = "nDCG@10 AP P@5 Bpref RBP RBPT nDCGT OIE RBPU Q RRT APT ERRT FlatU DCGU ERRU RBU SetF RR c@1"
THREE = "nDCG@10 AP P@5"

OURS = """
import ir_trunc
ready = ir_trunc.evaluator({measures!r}, sys.argv[1])
for run in sys.argv[2:]:
    means = ready.calc_aggregate(run)
print(json.dumps({{"scores": list(means.values())[:3]}}))
"""
PYTREC_EVAL = """
import gzip, pytrec_eval
names = ["ndcg_cut_10", "map", "P_5"]
opened = lambda path: gzip.open(path, "rt") if path.endswith(".gz") else open(path)
ready = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(open(sys.argv[1])), {*names})
for run in sys.argv[2:]:
    scores = ready.evaluate(pytrec_eval.parse_run(opened(run))).values()
print(json.dumps({"scores": [sum(topic[name] for topic in scores) / len(scores) for name in names]}))
"""
RANX = """
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
scores = evaluate(qrels, run, ["ndcg@10", "map", "precision@5"])
print(json.dumps({"scores": [float(score) for score in scores.values()]}))
"""
IN_MEMORY = """
import ir_measures, pyarrow, pyarrow.csv
from ir_measures import AP, P, ScoredDoc, nDCG
kind, tool = sys.argv[3:]
read = pyarrow.csv.ReadOptions(column_names=["query_id", "Q0", "doc_id", "rank", "score", "tag"])
text = {"query_id": pyarrow.string(), "doc_id": pyarrow.string(), "score": pyarrow.float64()}
table = pyarrow.csv.read_csv(sys.argv[2], read, pyarrow.csv.ParseOptions(delimiter=" "),
                             pyarrow.csv.ConvertOptions(column_types=text, include_columns=list(text)))
qrels = {}
for qrel in ir_measures.read_trec_qrels(sys.argv[1]):
    qrels.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
if kind in ("Arrow frame", "object frame"):
    run = table.to_pandas()
    if kind == "object frame":
        run = run.astype({"query_id": object, "doc_id": object})
else:
    rows = zip(*(table[name].to_pylist() for name in text))
    if kind == "named tuples":
        run = [ScoredDoc(*row) for row in rows]
    else:
        run = {}
        for topic, doc, score in rows:
            run.setdefault(topic, {})[doc] = score
del table
if tool == "ir_trunc":
    from ir_trunc import calc_aggregate
else:
    from ir_measures import calc_aggregate
measures = [nDCG @ 10, AP, P @ 5]
score = lambda: [*map(calc_aggregate(measures, qrels, run).get, measures)]
"""
PREPARED = """
qrels_file, run_file, tool = sys.argv[1:]
if tool == "ir_trunc":
    import ir_trunc
    ready = ir_trunc.evaluator({measures!r}, qrels_file)
    lists = ready.calc(run_file).rankings
    score = lambda: list(ready.calc_aggregate(lists).values())[:3]
else:
    from ranx import Qrels, Run, evaluate
    qrels, run = Qrels.from_file(qrels_file, kind="trec"), Run.from_file(run_file, kind="trec")
    score = lambda: [float(x) for x in evaluate(qrels, run, ["ndcg@10", "map", "precision@5"]).values()]
    score()  # compiles
"""
MATRICES = """
import numpy as np
tool, topics = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(0)
scores, labels = random.random((topics, 100), np.float32), (random.random((topics, 100)) < 0.05).astype(int)
if tool == "ir_trunc":
    import ir_trunc
    ready = ir_trunc.evaluator({measures!r}, None)
    score = lambda: list(ready.calc_aggregate(ir_trunc.Rankings.from_arrays(scores, labels)).values())[:3]
elif tool == "torchmetrics":
    import torch
    from torchmetrics import retrieval
    data = torch.tensor(scores).ravel(), torch.tensor(labels).ravel()
    rows = torch.arange(topics).repeat_interleave(100)
    kinds = [retrieval.RetrievalNormalizedDCG(top_k=10), retrieval.RetrievalMAP()]
    kinds += [retrieval.RetrievalPrecision(top_k=5)]
    score = lambda: [float(kind(*data, indexes=rows)) for kind in kinds]
else:
    import ir_measures
    from ir_measures import AP, P, nDCG
    names = [str(column) for column in range(100)]
    as_dicts = lambda of: {{str(row): dict(zip(names, cells)) for row, cells in enumerate(of.tolist())}}
    qrels, run = as_dicts(labels), as_dicts(scores)
    measures = [nDCG @ 10, AP, P @ 5]
    score = lambda: [*map(ir_measures.calc_aggregate(measures, qrels, run).get, measures)]
"""
TIMED = """
start = time.process_time()
scores = score()
print(json.dumps({"seconds": time.process_time() - start, "scores": scores}))
"""
TINY = """
import ir_measures, ir_trunc
import numpy as np
from ir_measures import AP, nDCG
random, measures = np.random.default_rng(0), [nDCG @ 10, AP]
docs = [f"d{{at}}" for at in range(10)]
qrels = {{topic: dict(zip(docs, random.integers(0, 2, 10).tolist())) for topic in "123"}}
run = {{topic: dict(zip(docs, random.random(10).tolist())) for topic in "123"}}
ours, theirs = (tool.evaluator(measures, qrels) for tool in (ir_trunc, ir_measures))
ready, from_arrays = ir_trunc.evaluator("RBPT", None), ir_trunc.Rankings.from_arrays
scores, labels = random.random((256, 100)), random.integers(0, 2, (256, 100))
calls = {{
    "calc_aggregate": lambda: ir_trunc.calc_aggregate(measures, qrels, run),
    "a ready evaluator": lambda: ours.calc_aggregate(run),
    "a matrix of 256 x 100, RBPT": lambda: ready.calc_aggregate(from_arrays(scores, labels)),
    "ir_measures.calc_aggregate": lambda: ir_measures.calc_aggregate(measures, qrels, run),
    "ir_measures, a ready evaluator": lambda: theirs.calc_aggregate(run),
}}
found = {{name: [] for name in calls}}
for _ in range({rounds}):
    for name, call in calls.items():
        start = time.process_time()
        for _ in range(100):
            call()
        found[name].append((time.process_time() - start) * 1e4)
assert all(abs(ours.calc_aggregate(run)[m] - theirs.calc_aggregate(run)[m]) < 1e-9 for m in measures)
print(json.dumps(found))
"""
USED = """
for name in {modules!r}:
    if name in sys.modules:
        said = f"{{name}} in {{sys.modules[name].__path__[0]}}"
        if name == "ir_trunc":
            from ir_trunc._kernel import absence
            said += f", kernel: {{absence or 'yes'}}"
        print(json.dumps(said))
        break
"""
MODULES = ["ir_trunc", "ranx", "torchmetrics", "ir_measures", "pytrec_eval"]  # each imports some of the later

# Python keeps what it has compiled, as it does for users: the peers, which are installed, are compiled
# already, and ir_trunc would be compiled anew in every process.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["OPENBLAS_NUM_THREADS"] = "1"


@dataclass
class Side:
    """A tool at work. name: what to call it. command: that prints its scores. output: in which form; '' for
    none. code: which code it uses; sides in Python say that themselves.
    """

    name: str
    command: list[str]
    output: str = "json"
    code: str = ""


@dataclass
class Figures:
    """One run of a side: processor seconds, wall seconds, peak memory (MiB), scores, code that it used."""

    seconds: float
    wall: float
    memory: float
    scores: list[float]
    code: str


def python(name: str, code: str, *words: object) -> Side:
    program = f"import json, sys, time\n{code}{USED.format(modules=MODULES)}"
    return Side(name, [sys.executable, "-c", program, *map(str, words)])


@cache
def used(module: str) -> str:
    """The code that a child uses which imports this module."""
    return json.loads(output(python(module, f"import {module}")))


def command(name: str, *words: object, title: str = "", form: str = "tsv") -> Side:
    installed = Path(sys.executable).with_name(name)
    return Side(title or f"`{name}` command", [*map(str, (installed, *words))], form, used(name))


def scoring(name: str, qrels: Path, run: Path) -> Side:
    return command(name, qrels, run, *THREE.split(), "-p", 9)


def trec_eval(qrels: Path, run: Path) -> Side:
    words = ["trec_eval", "-m", "ndcg_cut.10", "-m", "map", "-m", "P.5", str(qrels), str(run)]
    return Side("trec_eval", words, "trec_eval", str(shutil.which("trec_eval")))


def output(side: Side) -> str:
    """What a side prints."""
    with tempfile.TemporaryDirectory() as empty:
        return subprocess.check_output(side.command, env=ENVIRONMENT, cwd=empty, text=True)


def measured(side: Side) -> Figures:
    """Run a side once."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryDirectory() as empty:
        began = time.perf_counter()
        to = out if side.output else subprocess.DEVNULL
        process = subprocess.Popen(side.command, stdout=to, env=ENVIRONMENT, cwd=empty)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        if status:
            sys.exit(f"{side.name} failed: {' '.join(side.command[:3])[:200]}")
        out.seek(0)
        said = out.read()
    seconds, scores, code = usage.ru_utime + usage.ru_stime, [], side.code
    if side.output == "json":
        found, code = map(json.loads, said.splitlines())
        seconds, scores = found.get("seconds", seconds), found.get("scores", [])
    elif side.output:
        values = {line.split()[0].split("(")[0]: float(line.split()[-1]) for line in said.splitlines()}
        names = ["ndcg_cut_10", "map", "P_5"] if side.output == "trec_eval" else THREE.split()
        scores = [values[name] for name in names]
    return Figures(seconds, wall, usage.ru_maxrss / 1024, scores, code)


def head(title: str, columns: str) -> None:
    """Of a section with a table."""
    print(f"\n## {title}\n\n| {columns} |\n{'|---' * len(columns.split('|'))}|")


def compared(title: str, sides: list[Side], repeat: int) -> None:
    """Run the sides in turn, the first of them ours, check their scores, and print a table."""
    rounds = [[measured(side) for side in sides] for _ in range(repeat)]
    head(title, "side | processor s | ours / its | clock s | ours / its | MiB | ours / its")
    for at, side in enumerate(sides):
        own = [figures[at] for figures in rounds]
        exact = 5e-5 if side.output == "trec_eval" else 1e-6  # trec_eval prints four places
        for found in own:
            worst = max((abs(a - b) for a, b in zip(found.scores, rounds[0][0].scores)), default=0)
            if worst > exact:
                scores = f"{found.scores}, {rounds[0][0].scores}"
                sys.exit(f"{title}: {side.name} differs from ours by {worst}: {scores}")
        cells = []
        for what, places in (("seconds", 2), ("wall", 2), ("memory", 0)):
            ratio = statistics.median(getattr(f[0], what) / getattr(f[at], what) for f in rounds)
            cells.append(f"{statistics.median(getattr(f, what) for f in own):.{places}f}")
            cells.append(f"{ratio:.3f}" if at else "")
        print(f"| {side.name} | {' | '.join(cells)} |", flush=True)
    print("", *(f"- {side.name}: {figures.code}" for side, figures in zip(sides, rounds[0])), sep="\n")


def write(folder: Path, topics: int, depth: int, seed: int = 0) -> tuple[Path, Path]:
    """Qrels and run, made in a process of their own: what this one has used would count for its children."""
    words = [sys.executable, Path(__file__).with_name("workloads.py"), folder, topics, depth, seed]
    qrels, run = subprocess.check_output(list(map(str, words)), text=True).splitlines()
    return Path(qrels), Path(run)


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def files(folder: Path, topics: int, repeat: int, _: bool) -> None:
    qrels, run = write(folder, topics, 1000)
    packed = run.with_suffix(".run.gz")
    if not packed.exists():
        with open(packed, "wb") as file:
            subprocess.run(["gzip", "-6c", str(run)], stdout=file, check=True)
    sides = [python("ir_trunc, 20 measures", OURS.format(measures=TWENTY), qrels, run)]
    sides += [trec_eval(qrels, run)] * bool(shutil.which("trec_eval"))
    sides += [python("pytrec_eval", PYTREC_EVAL, qrels, run), scoring("ir_measures", qrels, run)]
    sides += [python("ranx", RANX, qrels, run)] * installed("ranx")
    compared(f"File to scores, {topics} topics x 1000", sides, repeat)
    by = "isal" if installed("isal") else "zlib"
    sides = [python(f"ir_trunc, 20 measures, {by}", OURS.format(measures=TWENTY), qrels, packed)]
    sides += [Side("gzip -dc alone", ["gzip", "-dc", str(packed)], "", "gzip")] * bool(shutil.which("gzip"))
    sides += [python("pytrec_eval, zlib", PYTREC_EVAL, qrels, packed)]
    compared(f"The same, gzipped, {topics} topics x 1000", sides, repeat)


def memory(folder: Path, topics: int, repeat: int, _: bool) -> None:
    qrels, run = write(folder, topics, 1000)
    for kind in ("Arrow frame", "object frame", "dict of dicts", "named tuples"):
        tools = "ir_trunc", "ir_measures"
        sides = [python(tool, IN_MEMORY + TIMED, qrels, run, kind, tool) for tool in tools]
        compared(f"In memory: {kind}, {topics} topics x 1000", sides, repeat)


def prepared(folder: Path, topics: int, repeat: int, _: bool) -> None:
    qrels, run = write(folder, topics, 1000)
    code, tools = PREPARED.format(measures=TWENTY) + TIMED, ["ir_trunc", *["ranx"] * installed("ranx")]
    names = (f"{tool}, {'20' if tool == 'ir_trunc' else '3'} measures" for tool in tools)
    sides = [python(name, code, qrels, run, tool) for name, tool in zip(names, tools)]
    compared(f"Prepared lists, {topics} topics x 1000", sides, repeat)


def matrices(_: Path, topics: int, repeat: int, __: bool) -> None:
    tools = ["ir_trunc", "ir_measures", *["torchmetrics"] * installed("torchmetrics")]
    sides = [python(tool, MATRICES.format(measures=THREE) + TIMED, tool, topics) for tool in tools]
    compared(f"Matrices of scores and labels, {topics} topics x 100", sides, repeat)


def many(folder: Path, topics: int, repeat: int, _: bool) -> None:
    made = [write(folder, 50, 1000, seed) for seed in range(max(2, 100 * topics // 6980))]
    qrels, runs = made[0][0], [run for _, run in made]
    sides = [python("ir_trunc, 20 measures", OURS.format(measures=TWENTY), qrels, *runs)]
    sides += [python("pytrec_eval", PYTREC_EVAL, qrels, *runs)]
    compared(f"{len(runs)} runs of 50 topics x 1000 over one qrels", sides, repeat)
    large = [write(folder, max(1, topics // 7), 1000, seed) for seed in range(8)]
    for of_size, what in ((made, "50"), (large, max(1, topics // 7))):
        words = [of_size[0][0], *(run for _, run in of_size), *TWENTY.split(), "--jobs"]
        sides = [command("ir_trunc", *words, jobs, title=f"--jobs {jobs}", form="") for jobs in (2, 1)]
        compared(f"The command, {len(of_size)} runs of {what} topics x 1000, 20 measures", sides, repeat)


def small(folder: Path, _: int, repeat: int, __: bool) -> None:
    qrels, run = write(folder, 50, 1000)
    sides = [scoring(name, qrels, run) for name in ("ir_trunc", "ir_measures")]
    compared("The command, one run of 50 topics x 1000", sides, repeat)
    codes = "import ir_trunc", "import ir_measures, numpy"
    compared("Import", [python(code, f"{code}; print('{{}}')") for code in codes], repeat)


def tiny(_: Path, __: int, repeat: int, ___: bool) -> None:
    """Three topics of ten documents, nDCG@10 and AP; medians over rounds of 100 calls."""
    said, code = map(json.loads, output(python("tiny", TINY.format(rounds=10 * repeat))).splitlines())
    head("Small calls", "call | processor us | its | ours / its")
    at_once, ready = said.pop("ir_measures.calc_aggregate"), said.pop("ir_measures, a ready evaluator")
    for (name, ours), theirs in zip(said.items(), (at_once, ready, at_once)):
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"| {name} | {statistics.median(ours):.0f} | {statistics.median(theirs):.0f} | {ratio:.2f} |")
    print(f"\n- ir_trunc: {code}\n- ir_measures: {used('ir_measures')}")


def growth(folder: Path, topics: int, repeat: int, large: bool) -> None:
    head("Growth, 20 measures, file to scores", "lines | processor s | ns a line | MiB")
    for count in (max(1, topics // 100), max(1, topics // 10), topics, *([topics * 10] if large else [])):
        qrels, run = write(folder, count, 1000)
        side = python("ir_trunc", OURS.format(measures=TWENTY), qrels, run)
        found = [measured(side) for _ in range(repeat)]
        seconds, most = (statistics.median(getattr(f, what) for f in found) for what in ("seconds", "memory"))
        print(f"| {count * 1000:,} | {seconds:.2f} | {1e6 * seconds / count:.0f} | {most:.0f} |", flush=True)


PARTS = {part.__name__: part for part in (files, memory, prepared, matrices, many, small, tiny, growth)}


def machine() -> str:
    versions = []
    peers = "ir_measures pytrec_eval ranx torchmetrics"
    for name in f"ir_trunc {peers} numpy pyarrow pandas isal".split():
        if installed(name):
            package = {"pytrec_eval": "pytrec-eval-terrier"}.get(name, name)
            versions.append(f"{package} {importlib.metadata.version(package)}")
        else:
            print(f"{name} is not installed: left out", file=sys.stderr)
    if not shutil.which("trec_eval"):
        print("trec_eval is not on the path: left out", file=sys.stderr)
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = f"{os.cpu_count()} x {(models or [platform.processor()])[0]}"
    return ", ".join([platform.system(), processor, f"Python {platform.python_version()}", *versions])


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=PARTS, help=", ".join(PARTS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the workloads here; a temporary folder without it")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--python", action="store_true")
    args = parser.parse_args()
    if not (used("ir_trunc").endswith("kernel: yes") or args.python):
        parser.error(f"the kernel is not used: {used('ir_trunc')}. --python measures the Python code.")
    print(machine(), used("ir_trunc"), sep=", ")
    with tempfile.TemporaryDirectory() as temporary:
        folder, topics = (args.folder or Path(temporary)).resolve(), 70 if args.small else 6980
        for name in args.parts or PARTS:
            PARTS[name](folder, topics, args.repeat, args.large)


if __name__ == "__main__":
    main()
