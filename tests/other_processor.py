"""A stand-in for another machine: numpy's powers, logarithms and sums have other last bits.

    PYTHONPATH=tests pytest -p other_processor

Every module of `ir_trunc` is compiled with a call around `a ** b` and `a @ b`, around functions and methods
in `ROUNDED`, and, outside `measures` and `_core`, around those in `SUMMED`. The call moves each float of 64
bits by -1, 0 or 1 units in the last place, which depends on its bits: equal values stay equal. A value
of at most 26 bits stays as it is, since every machine has exact results.

It cannot emulate: another order inside `np.add.reduce`, `bincount` and `cumsum`; functions that are handed on
and not called; `math`, scipy and pandas; processes that tests start.
"""

import ast
import builtins
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType

import numpy as np

ROUNDED = {"power", "float_power", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"}
ROUNDED |= {"dot", "vdot", "inner", "einsum", "matmul", "tensordot"}
SUMMED = {"sum", "mean", "average", "std", "var", "nansum", "nanmean"}
STABLE = ("ir_trunc.measures", "ir_trunc._core")  # whose sums have one order
NAME = "_as_on_another_processor"
FACTOR = np.uint64(0x9E3779B97F4A7C15)
EXACT = np.uint64(2**26 - 1)


def as_on_another_processor(result: object) -> object:
    """The same with other last bits, if it is a float of 64 bits or an array of such floats."""
    if isinstance(result, float):
        return type(result)(_moved(np.array([result]))[0])
    return _moved(result) if isinstance(result, np.ndarray) and result.dtype == np.float64 else result


def _moved(values: np.ndarray) -> np.ndarray:
    bits = values.copy().view(np.uint64)
    steps = (bits * FACTOR >> np.uint64(33)) % np.uint64(3)  # 0, 1, 2 for -1, 0, 1
    stays = (bits & EXACT == 0) | ~np.isfinite(values)
    return np.where(stays, bits, bits + steps - np.uint64(1)).view(np.float64)


class Moving(ast.NodeTransformer):
    """Puts the call around what other processors compute otherwise."""

    def __init__(self, module: str):
        self.called = ROUNDED if module.startswith(STABLE) else ROUNDED | SUMMED

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        squared = isinstance(node.right, ast.Constant) and node.right.value == 2  # numpy multiplies
        return _called(node) if isinstance(node.op, (ast.Pow, ast.MatMult)) and not squared else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        of = node.func
        if not isinstance(of, ast.Attribute) or of.attr not in self.called:
            return node
        return node if isinstance(of.value, ast.Name) and of.value.id == "math" else _called(node)


def _called(node: ast.expr) -> ast.expr:
    call = ast.Call(ast.Name(NAME, ast.Load()), [node], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def compiled(source: str | bytes, path: str, module: str) -> CodeType:
    return compile(Moving(module).visit(ast.parse(source)), path, "exec", dont_inherit=True)


class Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compiled(self.get_data(path), path, fullname)


class Finder(MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] != "ir_trunc":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = Loader(fullname, spec.origin)
        return spec


def pytest_configure(config):
    if "ir_trunc" in sys.modules:
        raise RuntimeError("ir_trunc was imported before the plugin other_processor.")
    setattr(builtins, NAME, as_on_another_processor)
    sys.meta_path.insert(0, Finder())
