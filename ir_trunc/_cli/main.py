"""The command line: finds the command that the first word names."""

from __future__ import annotations

import os
import sys
import warnings
import zlib
from collections.abc import Sequence
from importlib import import_module

from ir_trunc._cli._process import ENDINGS, ended_by_signals, flushed, reason, standard_streams, tell
from ir_trunc._core.errors import IrTruncError, IrTruncWarning, at_command_line, nearest

__all__ = ["main"]

COMMANDS = {
    "score and compare": {
        "compare": "which runs differ: significance tests, intervals, tables for papers",
        "check": "a gate for pipelines: fail where a new run is worse than it may be",
        "report": "one HTML page about runs",
        "answers": "scores of a log of answers, and the threshold for a risk",
        "cdet": "scores of runs of TREC's Change Detection track",
    },
    "decide where lists end": {
        "how-many": "how many documents to return, from which score on, and when none",
        "truncate": "end the lists of a run by a policy",
        "wrap": "a run with the ends of its lists or with efforts, for other tools",
        "monitor": "whether live lists still look like those a policy was fitted on",
        "study": "experiments on best cuts, on lengths and on policies",
    },
    "choose measures": {
        "measures": "formula, parameters, range and source of each measure",
        "meta": "which measure to trust: power, agreement, pools, properties, a guide",
        "reproduce": "the tables of a paper, computed anew",
    },
    "begin": {
        "demo": "what the measures see, on a small collection",
    },
}
"""A line for each command, in groups. Each is a module of this package with a `main`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    warnings.showwarning = _show_warning
    with standard_streams(), ended_by_signals(), at_command_line():
        status, problem = 2, ""
        try:
            status = _run(words)
            _mention_missing_kernel()
        except SystemExit as end:  # of the parsers, which have said why, and of signals
            status = int(end.code or 0)
        except KeyboardInterrupt as error:
            status, problem = 130, reason(error)
        except ENDINGS as error:
            if isinstance(error, BrokenPipeError) and error.filename is None:
                status = 0
            else:
                problem = reason(error)
        lost = flushed()
        if lost and not isinstance(lost, BrokenPipeError):  # a reader that has seen enough is not a problem
            status, problem = 2, reason(lost)
        if problem:
            tell(f"ir_trunc: {problem}")
        return status


def _run(words: Sequence[str]) -> int:
    """The command that the first word names; any other first word is the qrels of runs to score."""
    words = _import_modules(words)
    command, names = words[0] if words else "", [name for group in COMMANDS.values() for name in group]
    if command and command not in names and not os.path.exists(command):
        _refuse_near_command(command, names)
    if command not in names and "--version" in words:
        from ir_trunc.version import show_versions

        show_versions()
        return 0
    if sys.flags.optimize > 1 and not {"-h", "--help", "measures"}.isdisjoint(words):
        tell("ir_trunc: help and formulas are docstrings, which python -OO leaves out: start it without -OO.")
    if words == ["-h"]:
        print(import_module("ir_trunc._cli.score").short_help())
        return 0
    module = command.replace("-", "_") if command in names else "score"
    status: int = import_module(f"ir_trunc._cli.{module}").main(words[command in names :])
    return status


def _refuse_near_command(word: str, names: Sequence[str]) -> None:
    """IrTruncError for a word that is nearly a command, or the name of a function, and not qrels."""
    near = nearest(word.replace("_", "-"), names)
    if word in ("calc", "curves"):
        near = " It is a function in Python; here, qrels come first: ir_trunc QRELS RUN ... MEASURE ..."
    if not near and "meta" in names:
        procedures = import_module("ir_trunc.meta").registry.values()
        near = f" Did you mean meta {word}?" if word in {each.command for each in procedures} else ""
    if near:
        from ir_trunc._read.readers.datasets import load_dataset

        if load_dataset(word) is None:
            raise IrTruncError(f"{word!r} is neither a command nor qrels.{near}")


def _mention_missing_kernel() -> None:
    """Tell a terminal once for an installation that runs are read slowly; a folder in the cache remembers."""
    if not sys.stderr.isatty():
        return
    from ir_trunc import _kernel

    if not _kernel.absence.startswith("it was not compiled"):
        return
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    installation = zlib.crc32(os.fsencode(_kernel.__path__[0]))
    try:
        os.makedirs(os.path.join(cache, "ir_trunc", f"no-kernel-{installation:08x}"))
    except OSError:  # it is there, or cannot be made: then nothing would remember it
        return
    what = "runs are read in Python, about 4 times slower, with the same scores"
    tell(f"ir_trunc: {what}. The kernel is missing: {_kernel.absence}. This line is not repeated.")


def _import_modules(words: Sequence[str]) -> list[str]:
    """Import the modules of `--import MODULE`, which any command takes; the other words."""
    modules, rest = [], []
    following = iter(words)
    for word in following:
        option, _, name = word.partition("=")
        if option != "--import":
            rest.append(word)
        elif module := name or next(following, ""):
            modules.append(module)
        else:
            raise IrTruncError("--import needs the name of a module: --import netp for netp.py.")
    if modules:
        sys.path.insert(0, os.getcwd())
    for name in modules:
        try:
            import_module(name.removesuffix(".py").replace(os.sep, "."))
        except IrTruncError as error:
            raise IrTruncError(f"--import {name}: {error}") from None
        except (Exception, SystemExit) as error:  # the module is the user's: anything may be wrong with it
            raise IrTruncError(f"--import {name!r} fails: {type(error).__name__}: {error}") from error
    return rest


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Tell a warning of ir_trunc, or of a module of the user's. Those of scipy and others are left out."""
    if category in (IrTruncWarning, UserWarning):
        tell(f"ir_trunc: warning: {message}")
