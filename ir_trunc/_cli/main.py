"""The command line: finds the command that the first word names; `measures` and `demo` are here."""

from __future__ import annotations

import os
import re
import sys
import warnings
import zlib
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from ir_trunc._cli._process import ENDINGS, ended_by_signals, flushed, reason, standard_streams, tell
from ir_trunc._core.errors import IrTruncError, IrTruncWarning, nearest

__all__ = ["main"]

if TYPE_CHECKING:
    from ir_trunc.measures import Definition

# Commands that are modules of this package, each with a `main`.
MODULES = (
    "quickstart",
    "truncate",
    "monitor",
    "study",
    "check",
    "report",
    "meta",
    "reproduce",
    "cdet",
    "answers",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    warnings.showwarning = _show_warning
    with standard_streams(), ended_by_signals():
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
            tell(f"ir_trunc: {_with_options(problem)}")
        return status


def _run(words: Sequence[str]) -> int:
    """The command that the first word names; any other first word is the qrels of runs to score."""
    words = _import_modules(words)
    command = words[0] if words else ""
    if command in COMMANDS:
        return COMMANDS[command](words[1:])
    if command in MODULES:
        status: int = import_module(f"ir_trunc._cli.{command}").main(words[1:])
        return status
    if command and not os.path.exists(command):
        near = nearest(command, [*COMMANDS, *MODULES])
        if command in ("calc", "compare", "curves", "how_many"):
            near = " It is a function in Python; here, qrels come first: ir_trunc QRELS RUN ... MEASURE ..."
        if near:
            from ir_trunc._read.readers.datasets import load_dataset

            if load_dataset(command) is None:
                raise IrTruncError(f"{command!r} is neither a command nor qrels.{near}")
    from ir_trunc._cli import score

    return score.main(words)


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
    tell(
        f"ir_trunc: runs are read in Python, about 4 times slower, with the same scores. The kernel is"
        f" missing: {_kernel.absence}. This line is not repeated."
    )


def _import_modules(words: Sequence[str]) -> list[str]:
    """The words without `--import MODULE`, which any command takes; the modules are imported."""
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
        except Exception as error:  # the module is the user's: anything may be wrong with it
            raise IrTruncError(f"--import {name!r} fails: {type(error).__name__}: {error}") from error
    return rest


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Tell a warning of ir_trunc, or of a module of the user's. Those of scipy and others are left out."""
    if category in (IrTruncWarning, UserWarning):
        tell(f"ir_trunc: warning: {_with_options(str(message))}")


def _with_options(message: str) -> str:
    """A message with `--missing exclude` where the library proposes missing='exclude'."""
    keyword = r"\b(duplicates|missing|nil|order|ties|unjudged)=('[^' ]+'(?: or '[^' ]+')*)"
    return re.sub(keyword, lambda match: f"--{match[1]} {match[2].replace(chr(39), '')}", message)


def _demo(words: Sequence[str]) -> int:
    """`ir_trunc demo [--plot FILE] [--copy FOLDER]`."""
    from ir_trunc._cli._arguments import OneLineParser, add_flag
    from ir_trunc.synthetic import demo

    about = "Show what the measures see, on a small collection."
    parser = OneLineParser(prog="ir_trunc demo", description=about)
    add_flag(parser, "plot", help="draw it into a file instead: .png, .svg, .pdf")
    about = "put the files of the collection there instead, to be scored"
    parser.add_argument("--copy", metavar="FOLDER", help=about)
    args = parser.parse_args(words)
    if args.plot is not None and args.copy is not None:
        parser.error("--plot and --copy are two things: ask for one at a time")
    if args.plot is not None:
        demo.draw(args.plot)
    elif args.copy is not None:
        names = demo.copy(args.copy)
        where = "This folder" if args.copy == "." else args.copy
        tell(f"{where} now has {', '.join(names)}.")
    else:
        print(demo.overview())
    return 0


def _measures(words: Sequence[str]) -> int:
    """`ir_trunc measures [NAME] [--reference]`: formula, parameters, range and source, from the registry."""
    from ir_trunc._cli._arguments import OneLineParser
    from ir_trunc._output.tables import fitted
    from ir_trunc.measures import families, lookup, registry

    def show(text: str) -> None:
        """Print a text; a line that is too long for a terminal goes on below, further in."""
        for line in text.splitlines():
            print(fitted(line, len(line) - len(line.lstrip()) + 2))

    parser = OneLineParser(prog="ir_trunc measures", description="List all measures, or describe one.")
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure")
    about = "everything about all measures, as a page in Markdown"
    parser.add_argument("--reference", action="store_true", help=about)
    args = parser.parse_args(words)
    if args.reference:
        if args.name:
            parser.error("--reference is a page of all measures: leave NAME out")
        from ir_trunc._reporting.reference import reference_page

        print(reference_page(), end="")
    elif args.name:
        definition = lookup(args.name.partition("@")[0].partition("(")[0])
        show(f"{definition.signature}\n\n{definition.describe()}\n{_example(definition)}")
    else:
        for family in families():
            show(f"\n{family.about}\n")
            for definition in family.members:
                low, high = definition.range
                about = f"range {low:g} to {high:g}; {definition.source.split(', http')[0]}"
                lines = (f"      {line}" for line in (*definition.equation.splitlines(), about))
                show("\n".join([f"  {definition.signature}", *lines]))
        print(f"\n{len(registry)} measures. 'ir_trunc measures NAME' tells more.")
    return 0


def _example(definition: Definition) -> str:
    """The score of one list under a measure, computed as it is asked for."""
    from ir_trunc._core.rankings import Rankings
    from ir_trunc.measures.definition import CUTOFF

    lists = Rankings.from_lists([[1, 0, 1]], [[1, 1, 1, 0]], scores=[[0.9, 0.5, 0.4]])
    params = {CUTOFF: 5} if CUTOFF in definition.params and definition.params[CUTOFF].required else {}
    value = definition.bind(params).score(lists)[0]
    name = f"{definition.name}@5" if params else definition.name
    return f"example: {name} of the list 1 0 1, of a topic with three relevant documents, is {value:.4f}"


COMMANDS = {"measures": _measures, "demo": _demo}
"""Commands that are functions here."""
