"""Small changes to the code that a test should notice: draws some, runs tests, and lists those that survive.

python tests/benchmarks/mutants.py ir_trunc/measures tests/measures [--draw 60] [--seed 0] [-k "not drawn"]

A change swaps an operator or a comparison, or adds 1 to a number; messages and signatures are left alone.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = "Add Sub, Mult Div, Pow Mult, And Or, Lt LtE, Gt GtE, Eq NotEq, BitAnd BitOr"
SWAPS = {a: b for pair in PAIRS.split(", ") for x, y in [pair.split()] for a, b in ((x, y), (y, x))}


def places(node):
    """The nodes below one that can be changed, in a fixed order."""
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.arguments, ast.AnnAssign)):
        return
    operator = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    if is_number or type(operator).__name__ in SWAPS:
        yield node
    for child in ast.iter_child_nodes(node):
        yield from places(child)


def changed(source, number):
    """The source with its place of this number changed, and the change as text."""
    tree = ast.parse(source)
    node = list(places(tree))[number]
    before = ast.unparse(node)
    if isinstance(node, ast.Constant):
        node.value += 1
    elif isinstance(node, ast.Compare):
        node.ops[0] = getattr(ast, SWAPS[type(node.ops[0]).__name__])()
    else:
        node.op = getattr(ast, SWAPS[type(node.op).__name__])()
    return ast.unparse(tree), f"{node.lineno}: {before} -> {ast.unparse(node)}"


parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("tests", nargs="+")
parser.add_argument("--draw", type=int, default=60)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("-k", default="")
args = parser.parse_args()
sources = {path: path.read_text(encoding="utf-8") for path in sorted(args.folder.rglob("*.py"))}
possible = [(path, n) for path, text in sources.items() for n in range(len([*places(ast.parse(text))]))]
survivors = []
with tempfile.TemporaryDirectory() as tree:
    shutil.copytree(".", tree, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    pytest = [sys.executable, "-B", "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider"]
    command = [*pytest, "-k", args.k, *args.tests]
    options = {"cwd": tree, "env": os.environ | {"PYTHONPATH": tree}, "stdout": subprocess.DEVNULL}
    subprocess.run(command, **options, check=True)  # without a change
    for done, (path, number) in enumerate(random.Random(args.seed).sample(possible, args.draw), 1):
        text, change = changed(sources[path], number)
        Path(tree, path).write_text(text, encoding="utf-8")
        if subprocess.run(command, **options, stderr=subprocess.DEVNULL).returncode == 0:
            survivors.append(change)
            print(f"{path}:{change}", flush=True)
        Path(tree, path).write_text(sources[path], encoding="utf-8")
        print("..", done, "survived", len(survivors), flush=True)
count = len(survivors)
print(f"{args.draw} of {len(possible)} changes drawn, {args.draw - count} killed, {count} survived")
sys.exit(count > 0)
