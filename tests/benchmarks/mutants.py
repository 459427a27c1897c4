"""Small changes to the code that a test should notice: draws some, runs tests, and lists those that survive.

python tests/benchmarks/mutants.py [FOLDER ...] [--draw 150] [--seed 0] [--first 0] [--last 150]
python tests/benchmarks/mutants.py ir_trunc/measures --tests tests/measures

A change swaps an operator, a comparison or a pair of functions such as min and max, adds 1 to a number, turns
a truth value, a condition or a sign; messages and signatures are left alone. Without --tests, the
examples of the module and at most 8 files of tests are run, which name it or what is public in it. Tests that
take longer than --seconds are stopped, and the change counts as undecided.
"""

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

NAMES = "measures truncation meta answers.py cdet adapters _check.py _compare.py _how_many.py _report"
FOLDERS = [Path("ir_trunc", name) for name in [*NAMES.split(), "_reproduce"]]
PAIRS = "Add Sub, Mult Div, Pow Mult, And Or, Lt LtE, Gt GtE, Eq NotEq, BitAnd BitOr"
PAIRS += ", In NotIn"  # codespell:ignore
PAIRS += ", min max, minimum maximum, argmin argmax, any all, floor ceil, zeros ones, left right, low high"
SWAPS = {a: b for pair in PAIRS.split(", ") for x, y in [pair.split()] for a, b in ((x, y), (y, x))}
MOST = 8  # files of tests
# Laws that hold for many modules.
EACH = ["tests/properties/test_direction.py", "tests/properties/test_estimands.py"]


def places(node):
    """The nodes below one that can be changed, in a fixed order."""
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.arguments, ast.AnnAssign, ast.ImportFrom)):
        return
    operator = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
    names = type(operator).__name__, getattr(node, "id", ""), getattr(node, "attr", "")
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float, bool)
    turned = isinstance(operator, (ast.Not, ast.USub, ast.Invert))
    turned |= isinstance(node, (ast.If, ast.IfExp, ast.While))
    if is_number or turned or any(name in SWAPS for name in names):
        yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.FunctionDef) and child in (node.returns, *node.decorator_list)):
            yield from places(child)


def changed(source, number):
    """The source with its place of this number changed, and the change as text."""
    tree = ast.parse(source)
    node = list(places(tree))[number]
    before = ast.unparse(node).partition("\n")[0]
    if isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.Compare):
        node.ops[0] = getattr(ast, SWAPS[type(node.ops[0]).__name__])()
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp):
        node.operand = ast.UnaryOp(node.op, node.operand)  # twice is not at all
    elif isinstance(node, (ast.Name, ast.Attribute)):
        field = "id" if isinstance(node, ast.Name) else "attr"
        setattr(node, field, SWAPS[getattr(node, field)])
    else:
        node.op = getattr(ast, SWAPS[type(node.op).__name__])()
    return ast.unparse(tree), f"{node.lineno}: {before} -> {ast.unparse(node)}".partition("\n")[0]


def tests_of(path):
    """Files of tests for a module: of its name, of its package, and others that name what is public in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    stem = (path.parent if path.stem == "__init__" else path).stem.strip("_")
    public = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    words = [stem, *sorted(name for name in public if name[0] != "_")]
    named = re.compile(r"\b_?(" + "|".join(words) + r")\b")
    package = Path("tests", path.parts[1].removesuffix(".py").strip("_"))
    found = sorted(Path("tests").rglob("test_*.py"))
    files = [file for file in found if not {"full", "faults", "docs"} & {*file.parts}]
    rank = {file: (stem not in file.stem, package not in file.parents, str(file)) for file in files}
    ranked = sorted(files, key=rank.get)
    chosen = [str(file) for file in ranked if stem in file.stem or named.search(file.read_text("utf-8"))]
    laws = [str(file) for file in files if package in file.parents and "laws" in file.stem]
    chosen += [file for file in laws if file not in chosen]  # of what is tested by what uses it
    return chosen[:MOST] + [each for each in EACH if each not in chosen]


def outcome(command, seconds, **options):
    """'killed', 'lived', 'undecided', or 'untried' where pytest finds none of the tests."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        return {0: "lived", 4: "untried", 5: "untried"}.get(process.wait(seconds), "killed")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "undecided"


parser = argparse.ArgumentParser()
parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS)
parser.add_argument("--tests", nargs="+")
parser.add_argument("--draw", type=int, default=150)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--first", type=int, default=0)
parser.add_argument("--last", type=int)
parser.add_argument("--seconds", type=float, default=200)
args = parser.parse_args()
paths = sorted(path for folder in args.folders for path in (folder, *folder.rglob("*.py")) if path.suffix)
sources = {path: path.read_text(encoding="utf-8") for path in paths}
possible = [(path, n) for path, text in sources.items() for n in range(len([*places(ast.parse(text))]))]
drawn = random.Random(args.seed).sample(possible, args.draw)[args.first : args.last]
counts = Counter()
with tempfile.TemporaryDirectory() as tree:
    shutil.copytree(".", tree, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    pytest = [sys.executable, "-B", "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    options = {"env": os.environ | {"PYTHONPATH": tree}, **quiet}
    os.chdir(tree)
    for done, (path, number) in enumerate(drawn, args.first):
        text, change = changed(sources[path], number)
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        example = f"tests/docs/test_reference.py::test_every_example_prints_what_stands_beside_it[{module}]"
        examples = [example] * bool(re.search(r"^ +>>> \w", sources[path], re.MULTILINE))
        path.write_text(text, encoding="utf-8")
        result = outcome([*pytest, *(args.tests or [*examples, *tests_of(path)])], args.seconds, **options)
        counts[result] += 1
        print(f"{done} {result}" + f" {path}:{change}" * (result != "killed"), flush=True)
        path.write_text(sources[path], encoding="utf-8")
print(f"{len(drawn)} of {len(possible)} changes: {dict(counts)}")
sys.exit(counts["killed"] < len(drawn))
