"""Errors and warnings, and helpers for their messages: a message names the place and the correct input."""

from __future__ import annotations

import re
import reprlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# Control characters, marks that change the direction of text, separators of lines and paragraphs, byte order
# marks, halves of surrogate pairs.
_CONTROL = "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"


class IrTruncError(ValueError):
    """The base class of every error that ir_trunc raises on purpose."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(IrTruncError):
    """Qrels or a run that cannot be read as such; the message names file, line, topic or document."""


class FileError(InputError, OSError):
    """A file that cannot be opened."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class ParameterError(IrTruncError):
    """A measure's parameter is unknown, missing or out of its range."""


class ParameterTypeError(ParameterError, TypeError):
    """A measure's parameter has the wrong type."""


class UnknownMeasureError(IrTruncError):
    """No measure has this name, or the text cannot be read as a measure."""


class IrTruncWarning(UserWarning):
    """Something is left out of the evaluation, or looks wrong; the message counts it."""


def warn(message: str) -> None:
    """Warn with the location of the user's own line, not of one in this package or in those that call it."""
    (notes, issued), message = _NOTES.get(), printable(message)
    if notes is not None and message not in notes:
        notes.append(message)
    if not issued:
        return
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGES):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, IrTruncWarning, stacklevel=depth)


_PACKAGES = "ir_trunc.", "ir_measures.", "pyterrier."
_NOTES: ContextVar[tuple[list[str] | None, bool]] = ContextVar("notes", default=(None, True))


@contextmanager
def set_to(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    """Let a context variable have this value in a block."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


@contextmanager
def noted(issued: bool = True) -> Iterator[list[str]]:
    """Collect the messages of warnings, each once; they are still issued, unless `issued` is False."""
    notes: list[str] = []
    with set_to(_NOTES, (notes, issued)):
        yield notes


def printable(text: str) -> str:
    r"""The text with control characters as `\x1b`, and bytes of file names that are not UTF-8 as `\xff`."""
    return re.sub(_CONTROL, _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return match[0].encode("unicode_escape").decode()
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def nearest(name: object, known: Iterable[str]) -> str:
    """A question that offers the names nearest to a mistyped one; empty if none is near or it is not text."""
    if not isinstance(name, str):
        return ""
    import difflib  # only after a mistake: other commands start sooner

    folded = {word.casefold(): word for word in known}
    near = [folded[word] for word in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    near.sort(key=lambda word: sorted(word.casefold()) != sorted(name.casefold()))  # swapped letters first
    return f" Did you mean {either(near)}?" if near else ""


def either(words: Sequence[str]) -> str:
    """Alternatives: 'a', 'a or b', 'a, b or c'."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def option(name: str, *values: Any) -> str:
    """An option in a message, as whoever calls writes it: missing='exclude', at a terminal --missing exclude.

    values: what the option may be given, alternatives to each other; without any the option is only named. A
    list is given as a whole.
    """
    if not _AT_COMMAND_LINE.get():
        return f"{name}={either([*map(repr, values)])}"
    if values and isinstance(values[0], list):
        from shlex import quote

        return " ".join(f"--{name.replace('_', '-')} {quote(text)}" for text in values[0] or [""])
    words = either([*dict.fromkeys(_as_word(value) for value in values if value is not True)])
    return f"--{name.replace('_', '-')} {words}".rstrip()


def _as_word(value: Any) -> str:
    """A value of an option at the command line: a column or a grade as FIELD=VALUE, keys as outer/inner."""
    if isinstance(value, dict):
        return ",".join(f"{field}={each}" for field, each in value.items())
    return "/".join(value) if isinstance(value, tuple) else str(value)


_AT_COMMAND_LINE: ContextVar[bool] = ContextVar("at the command line", default=False)


@contextmanager
def at_command_line() -> Iterator[None]:
    """Messages name options as the command line has them."""
    with set_to(_AT_COMMAND_LINE, True):
        yield


def counted(number: int, what: str, many: str = "") -> str:
    """A number with its noun: '1 topic', '2 topics'. `many` is an irregular plural."""
    return f"{number} {what if number == 1 else many or plural(what)}"


def plural(what: str) -> str:
    """Several of what a noun or the name of a key stands for: 'topics', 'values of country'."""
    if what.endswith("query"):
        return f"{what[:-1]}ies"
    return f"values of {what}" if re.search(r"([^aeiou]y|[sxz]|[cs]h)$", what) else f"{what}s"


def listed(names: Iterable[object], none: str = "nothing") -> str:
    """Names for a message, in at most 200 characters."""
    text = ", ".join(map(str, names)) or none
    return text if len(text) <= 200 else f"{text[:197]}..."


def repeated(names: Iterable[Any]) -> Any:
    """The first name that an earlier one is equal to; None where all differ."""
    before = set[Any]()
    return next((name for name in names if name in before or before.add(name)), None)  # type: ignore[func-returns-value]


def shown(value: object) -> str:
    """A short representation of any value, in one line, for a message."""
    try:
        return " ".join(reprlib.repr(value).split())
    except Exception:
        # Python does not write out more than 4300 digits, and a user's own object may fail in any way.
        return f"<{type(value).__name__}>"
