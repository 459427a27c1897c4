"""What runs before ir_trunc is imported: the plug-in of PyTerrier, and the start of the command.

It is installed as the module `ir_trunc_plugin`, outside of the package. PyTerrier does not guard its
plug-ins: an exception here would end `import pyterrier`, and an import of ir_trunc here would slow it down.
"""

from __future__ import annotations

import os
import signal
import warnings
from importlib import import_module
from types import ModuleType


class _Truncation(ModuleType):
    """`pt.truncation`: the names of `ir_trunc.adapters.pyterrier`, which is imported at the first use."""

    def __getattr__(self, name: str) -> object:
        return getattr(import_module("ir_trunc.adapters.pyterrier"), name)

    def __dir__(self) -> list[str]:
        return dir(import_module("ir_trunc.adapters.pyterrier"))


def namespace() -> ModuleType:
    """Return what becomes `pt.truncation`, and add the measures to `pyterrier.measures`."""
    try:
        vars(import_module("pyterrier.measures")).setdefault("__getattr__", _measure)
    except Exception as error:  # of any kind: `import pyterrier` must not fail
        warnings.warn(f"ir_trunc cannot add its measures to PyTerrier: {error}", stacklevel=2)
    return _Truncation("pyterrier.truncation", _Truncation.__doc__)


def command() -> int:
    """Run `ir_trunc`; returns the exit status."""
    # numpy's OpenBLAS starts a thread for each processor when numpy is imported. They wait in a loop, which
    # takes as much processor time as a small run, and no command needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    main = import_module("ir_trunc.__main__").main
    import_module("ir_trunc._cli.main")
    signal.signal(signal.SIGINT, before)
    return main()


def _interrupted(number: int, _: object) -> None:
    """End a command that still imports: modules in C would make another error of an exception."""
    os.write(2, b"ir_trunc: interrupted.\n")
    os._exit(128 + number)


def _measure(name: str) -> object:
    """A measure by its name, for `from pyterrier.measures import RBPT`."""
    if not name.startswith("_"):
        objects = import_module("ir_trunc._scoring.objects").objects
        if name in objects:
            return objects[name]
    raise AttributeError(f"module 'pyterrier.measures' has no attribute {name!r}")
