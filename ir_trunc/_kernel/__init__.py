"""The compiled kernel, if there is one: it turns runs into lists, with the same bits as the Python code.

`kernel` is the compiled module or None, and `absence` says why it is None. Both are found when the first of
them is imported. `IR_TRUNC_KERNEL=0` turns the kernel off, `required` makes its absence an ImportError, and
`1`, the default, uses it if it is there. A kernel that was compiled from other sources than those beside it
is not used.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ir_trunc._core.errors import warn

kernel: Any
absence: str

BUILD = "python -m ir_trunc._kernel.build"


def __getattr__(name: str) -> Any:
    if name not in ("kernel", "absence"):  # not at once: the build has to be able to import this package
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(zip(("kernel", "absence"), _loaded()))
    return globals()[name]


def _loaded() -> tuple[Any, str]:
    """The compiled module; None, and why, where it is turned off, outdated or was not built."""
    setting = os.environ.get("IR_TRUNC_KERNEL", "")
    if setting not in ("", "0", "1", "required"):
        raise ImportError(f"IR_TRUNC_KERNEL={setting}: 0, 1 or required is needed.")
    if setting == "0":
        return None, "IR_TRUNC_KERNEL=0 turns it off"
    has_sources = os.path.isdir(os.path.join(os.path.dirname(__file__), "core"))
    compiled, why, cause = None, "", None
    try:
        compiled = import_module("ir_trunc._kernel._core")
    except ImportError as error:
        cause = error
        renewal = f"{BUILD} compiles it" if has_sources else "it needs CPython and a C compiler"
        why = f"it was not compiled when ir_trunc was installed; {renewal}"
    if compiled and has_sources:
        from ir_trunc._kernel.build import fingerprint

        if getattr(compiled, "sources", None) != fingerprint():
            why = f"it was compiled from other sources; {BUILD} compiles it anew"
    if why and setting == "required":
        raise ImportError(f"IR_TRUNC_KERNEL=required: the kernel is not used: {why}.") from cause
    if why and compiled:
        warn(f"The kernel is not used: {why}. Runs are read in Python, more slowly.")
    return None if why else compiled, why
