"""What a page of the documentation says is done: its blocks of Python and its commands."""

import ast
import contextlib
import glob
import importlib.util
import io
import re
import shlex
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from ir_trunc._cli.main import main

ROOT = Path(__file__).parent.parent


def extension(name: str) -> Any:
    """A module that builds the pages."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "notebooks" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(page: Path, language: str) -> list[str]:
    """The code of each block of this language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def anchors(text: str) -> list[str]:
    """The anchors that GitHub gives the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def run_python(block: str, names: dict[str, object]) -> None:
    """Run a block. A session prints what stands beside it; elsewhere a comparison must hold."""
    if block.startswith(">>> "):
        for source, expected in _steps(block):
            shown = expected.removeprefix("Traceback (most recent call last):\n    ...\n")
            assert shown == expected or "ir_trunc._core.errors." in shown, f"{source} goes wrong: {shown}"
            assert _printed(source, names).split() == shown.split(), source
        return
    for statement in ast.parse(block).body:
        code = ast.unparse(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Compare):
            assert eval(code, names), code
        else:
            exec(code, names)


def _steps(block: str) -> Iterator[tuple[str, str]]:
    """Source and printed output of each example; unlike doctest's, an output may have empty lines."""
    for part in re.split(r"^>>> ", block, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        more = list(takewhile(lambda line: line.startswith("..."), rest))
        yield "\n".join([first, *(line[4:] for line in more)]) + "\n", "\n".join(rest[len(more) :])


def _printed(source: str, names: dict[str, object]) -> str:
    """What an example prints, or the last line of its traceback."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(source, "<page>", "single"), names)
        except Exception as error:
            return "".join(traceback.format_exception_only(error))
    return out.getvalue()


def run_console(block: str, folder: Path, parts: Callable[[str], Any] = str) -> int:
    """Run the commands of a block, each of which prints what is shown; '...' leaves the end out.

    parts: of what texts are compared, their words for example.
    """
    steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    for step in steps:
        command, _, expected = step.partition("\n")
        status, out, err = (_in_a_shell if SHELL.search(command) else _here)(command, folder)
        assert status == 0, err
        shown, printed = parts(expected.removesuffix("...\n")), parts(out)
        assert printed[: len(shown) if shown != parts(expected) else None] == shown or not expected, command
    return len(steps)


SHELL = re.compile(r"[|<>;&$\\](?=([^']*'[^']*')*[^']*$)|^(?!ir_trunc )")
"""What only a shell does: pipes and redirections, outside quotes, and other programs."""


def _in_a_shell(command: str, folder: Path) -> tuple[int, str, str]:
    line = re.sub(r"^ir_trunc\b", f"{sys.executable} -m ir_trunc", command)
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def _here(command: str, folder: Path) -> tuple[int, str, str]:
    """The command line in this process, as the fixture `command` has it."""
    with (
        contextlib.chdir(folder),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        warnings.simplefilter("default")
        words = shlex.split(command)[1:]
        status = main([path for word in words for path in sorted(glob.glob(word)) or [word]])
    return status, out.getvalue(), err.getvalue()
