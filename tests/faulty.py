"""What tests of faults share: how long they try, seeds, small blocks; and processes, for other tests, too."""

import os
import random
import subprocess
import sys
from importlib import import_module

import ir_trunc

SEED = "IR_TRUNC_FAULTS_SEED"


def draws(*words) -> random.Random:
    """A source of chance for one case: the same for the same seed, whatever was drawn before."""
    return random.Random(":".join([os.environ[SEED], *map(str, words)]))


def constants(*names: str):
    """(module, name) of each constant of these names in the package, wherever it stands; each name must be
    somewhere.
    """
    for function in ("calc", "read_qrels"):
        import_module(getattr(ir_trunc, function).__module__)
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("ir_trunc.")]
    pairs = [(module, name) for module in modules for name in names]
    found = [(module, name) for module, name in pairs if isinstance(vars(module).get(name), int)]
    assert {name for _, name in found} == set(names), f"one of {names} has another name now"
    return found


def small_blocks(patch, size: int) -> None:
    """As if a file of some hundred bytes were large: it is read in blocks of so many bytes, and ranked in
    small parts.
    """
    for module, name in constants("BLOCK", "_TAIL", "PART"):
        if not module.__name__.endswith("scale"):
            patch.setattr(module, name, {"BLOCK": size, "_TAIL": 16, "PART": 7}[name])


def python(code: str, *words: object, **options):
    """Status, output and errors of a piece of Python in a process of its own, which has two minutes."""
    options |= {"capture_output": True, "text": True, "timeout": 120, "stdin": subprocess.DEVNULL}
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], **options)
    return done.returncode, done.stdout, done.stderr


def one_line(text: str) -> bool:
    """Whether a command said one thing, and no traceback."""
    return text.startswith("ir_trunc: ") and text.count("\n") == 1 and text.endswith("\n")
