"""Compiles the kernel; `python -m ir_trunc._kernel.build` compiles it in place, for a checkout.

An installation does so, too. Without a compiler, or without a stable binary interface of Python, one line
says so, and runs are read in Python with the same results.
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def fingerprint() -> str:
    """A number for the text of all C files, which the compiled module keeps as `sources`."""
    number = 0
    for path in sorted([*HERE.glob("*/*.c"), *HERE.glob("*/*.h")]):
        number = zlib.crc32(path.read_bytes().replace(b"\r\n", b"\n"), number)
    return f"{number:08x}"


def compile_into(folder: Path) -> Path:
    """The compiled module, made in this folder; raises what setuptools raises where it cannot be."""
    from tempfile import TemporaryDirectory

    from setuptools import Distribution, Extension

    extension = Extension(
        "_core",
        sorted(map(str, HERE.glob("*/*.c"))),
        define_macros=[("IR_TRUNC_SOURCES", f'"{fingerprint()}"')],
        extra_compile_args=["/std:c11"] if sys.platform == "win32" else ["-std=c11"],
        libraries=[] if sys.platform == "win32" else ["m"],
        py_limited_api=True,
    )
    command = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
    with TemporaryDirectory() as objects:
        command.build_lib, command.build_temp = str(folder), objects
        command.force = True  # the flags or the clock may differ from those of a module that is there
        command.ensure_finalized()
        command.run()
    return folder / str(command.get_ext_filename("_core"))


def compiled(folder: Path) -> Path | None:
    """The compiled module; None, and one line on the standard error, where it cannot be had.

    `IR_TRUNC_KERNEL=0` leaves it out, `required` raises what is wrong.
    """
    import sysconfig

    wanted = os.environ.get("IR_TRUNC_KERNEL", "")
    why = "this Python is not CPython with a GIL"  # which takes modules of the limited API
    if wanted == "0":
        why = "it is turned off"
    elif sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
        try:
            return compile_into(folder)
        except Exception as error:  # of a missing compiler, header or setuptools: they have no common type
            if wanted == "required":
                raise
            why = f"{type(error).__name__}: {error}".splitlines()[0]
    if wanted == "required":
        raise RuntimeError(f"The kernel of ir_trunc cannot be built: {why}.")
    absent = f"ir_trunc: its kernel is not compiled ({why})"
    print(f"{absent}; runs are read in Python, more slowly.", file=sys.stderr)
    return None


if __name__ == "__main__":
    module = compiled(HERE)
    print(f"built {module}" if module else "nothing is built")
