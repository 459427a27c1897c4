"""What a command shares with the operating system: standard streams, signals, an end without a result."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import IO, Any, TextIO, cast

from ir_trunc._core.errors import IrTruncError, printable

# Errors that end a command with one line; warnings are where the user makes them errors. Any other error is a
# fault of the program and keeps its traceback.
ENDINGS = (IrTruncError, OSError, MemoryError, ImportError, Warning)


def tell(message: str) -> None:
    """Print one line on standard error; where that is not possible, there is nobody to tell."""
    try:
        print(printable(message), file=sys.stderr, flush=True)
    except OSError:
        _abandon(sys.stderr)


def say(text: object) -> None:
    """Print on standard output before an exit status that holds though the reader has seen enough."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _abandon(sys.stdout)


def reason(error: BaseException) -> str:
    """What to tell about an error that ends a command."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted."
    if isinstance(error, MemoryError):
        return f"there is not enough memory: {error}." if str(error) else "there is not enough memory."
    if isinstance(error, ImportError):
        return f"a package cannot be imported: {str(error).rstrip('.')}."
    if isinstance(error, OSError) and error.errno:
        return f"{'standard output' if error.filename is None else error.filename}: {error.strerror}."
    return str(error)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Standard output and errors that take any text, whatever the caller made of them.

    A terminal shows control characters of ids and names and does not obey them; files and pipes get what is
    there. Writing to an output that the caller has closed is an error; messages go nowhere then.
    """
    with ExitStack() as stack:
        if sys.stdout is None:
            # A reader of nothing, which also keeps the number from the next file that is opened.
            nowhere = stack.enter_context(open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8"))
            stack.enter_context(redirect_stdout(nowhere))
        if sys.stderr is None:
            stack.enter_context(redirect_stderr(stack.enter_context(open(os.devnull, "w", encoding="utf-8"))))
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Ids are of any script, the terminal may not be.
                stream.reconfigure(errors="backslashreplace")
        if sys.stdout.isatty():
            stack.enter_context(redirect_stdout(cast(TextIO, _Shown(sys.stdout))))
        yield


class _Shown:
    """A terminal on which control characters are seen."""

    def __init__(self, stream: TextIO):
        self._stream = stream

    def write(self, text: str) -> int:
        lines = ("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
        return self._stream.write("\n".join(lines))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def flushed() -> OSError | None:
    """Write out what standard output still holds; the error where it cannot be written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _abandon(sys.stdout)
        return error
    return None


def _abandon(stream: IO[str]) -> None:
    """Send the stream to nowhere: Python writes what is left in it on exit and would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command as an exception does, so that no unfinished file stays behind."""
    before = {}
    if threading.current_thread() is threading.main_thread():  # no other may
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
