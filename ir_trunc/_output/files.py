"""Files that are written whole or not at all, and lines of TREC files that can be read back.

All that ir_trunc writes goes through `output_file`: into a hidden file beside the target,
which is moved into place once it is complete. Whatever goes wrong, the target is what it was before.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import IO, Any, BinaryIO, TextIO, cast

from ir_trunc._core.errors import FileError, InputError, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import file_name

try:
    import fcntl
except ImportError:  # Windows, where unfinished files stay
    fcntl = None  # type: ignore[assignment]

Target = str | os.PathLike[str]

# White space as bytes.split() has it, by which lines are read: U+3000 or U+0085 is part of an id. The readers
# refuse zero bytes, and halves of surrogate pairs are not text.
_WORD = pattern(r"[^\s\0\ud800-\udfff]+", re.ASCII)
_BYTE_ORDER_MARK = "\ufeff"

_PART = 10_000  # lines that are written at a time

_DESCRIPTORS: dict[Target, int] = {"-": 1, "/dev/stdout": 1}
_DESCRIPTOR = pattern(r"/(?:dev|proc/self)/fd/([0-9]+)")
_TEMPORARY = ".ir_trunc"
_ABANDONED = pattern(r"\.[0-9a-f]{16}\.ir_trunc")
_OTHER_ARCHIVES = (".bz2", ".xz", ".zip", ".zst", ".tar")


def word(text: str, what: str, topic: str | None = None) -> str:
    """The text, if it is one field of a line; else InputError. what: the kind of field, as 'topic'."""
    if isinstance(text, str) and _WORD.fullmatch(text):
        return text
    where = what if topic is None else f"topic {topic}, {what}"
    if not isinstance(text, str):
        raise InputError(f"{where} {shown(text)} is not text, as ids and tags are.")
    needed = "a TREC file cannot hold an id that is empty or has blanks, tabs or line ends"
    raise InputError(f"{where} {text!r}: {needed}.")


def run_lines(rows: Iterable[tuple[str, str, int, float]], tag: str) -> Iterator[str]:
    """Lines of a TREC run from (topic, document, rank, score); InputError for what could not be read back."""
    word(tag, "tag")
    for topic, doc, rank, score in rows:
        yield f"{_topic(topic)} Q0 {word(doc, 'document', topic)} {rank} {score!r} {tag}"


def qrels_lines(rows: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Lines of TREC qrels from (topic, document, grade); InputError for what could not be read back."""
    for topic, doc, grade in rows:
        yield f"{_topic(topic)} 0 {word(doc, 'document', topic)} {grade}"


def _topic(topic: str) -> str:
    if word(topic, "topic").startswith("#"):
        raise InputError(f"topic {topic!r}: a line of a TREC file that begins with # is a comment.")
    return topic


def write_text(path: Target, lines: Iterable[str]) -> None:
    """Write lines of text, given without line ends, in UTF-8; gzipped where the name ends in .gz."""
    rest = iter(lines)
    with output_file(path) as file:
        part = list(islice(rest, _PART))
        # One byte order mark at the start of a file is taken for the file's own when it is read.
        if part and part[0].startswith(_BYTE_ORDER_MARK):
            file.write(_BYTE_ORDER_MARK.encode())
        while part:
            file.write("\n".join([*part, ""]).encode())
            part = list(islice(rest, _PART))


def check_folder(path: str) -> str:
    """The name of a folder that exists or can be made; else InputError or an OSError."""
    name = file_name("folder", path)
    if os.path.lexists(name) and not os.path.isdir(name):
        what = "a file" if os.path.exists(name) else "a link to what does not exist"
        raise InputError(f"{name} is {what}: the name of a folder is needed.")
    above = os.path.abspath(name)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(f"{name} cannot be written: the folder {above} is not writable.")
    return name


def make_folder(path: str) -> None:
    """Make a folder, and those above it, where it does not exist; errors are those of `check_folder`."""
    os.makedirs(check_folder(path), exist_ok=True)


@contextmanager
def output_file(path: Target) -> Iterator[IO[bytes]]:
    """A file to write to, which appears under its name when the block ends, and not where the block fails.

    Gzipped where the name ends in .gz, with the same bytes for the same contents. `-` is standard output. A
    file that is replaced keeps its permissions, and a symbolic link its place. Pipes and devices are written
    directly.
    """
    check_output(path)
    name = os.fsdecode(path)
    try:
        with _opened(path) as file:
            if name.endswith(".gz"):
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            else:
                yield file
    except OSError as error:
        ours = error.filename is None or str(error.filename).endswith(_TEMPORARY)
        if error.errno is None or not ours or _descriptor(path) == 1:
            raise
        raise OSError(error.errno, error.strerror, name) from error


@contextmanager
def printing(path: str | None) -> Iterator[TextIO]:
    """Where a text is written: standard output, or a file that appears once it is complete."""
    if path is None or path == "-":
        yield sys.stdout
        return
    with output_file(path) as file:
        out = io.TextIOWrapper(cast(BinaryIO, file), "utf-8", "backslashreplace", "")
        yield out
        out.detach()


def _opened(path: Target) -> Any:
    name, number = os.fsdecode(path), _descriptor(path)
    if number == 1:
        return _standard_output()
    if number is not None:
        # Opened by its name, a file that it stands for would lose its contents.
        return os.fdopen(os.dup(number), "wb")
    if os.path.exists(name) and not os.path.isfile(name):
        return open(name, "wb")
    return _beside(_resolved(name))


@contextmanager
def _beside(target: str) -> Iterator[IO[bytes]]:
    # Hidden: where a process is killed and leaves it behind, nobody takes it for a run in a folder of runs.
    # It is locked while its process lives: the next write to the folder removes those that nobody holds.
    folder, temporary = os.path.dirname(target) or ".", ""
    _remove_abandoned(folder)
    try:
        with ExitStack() as lock:
            while not os.path.exists(temporary):  # another writer may remove it before it is locked
                temporary = os.path.join(folder, f".{os.urandom(8).hex()}{_TEMPORARY}")
                file = lock.enter_context(open(temporary, "xb"))
                if fcntl is not None:
                    # The copy holds the lock until the file has its name.
                    lock.callback(os.close, os.dup(file.fileno()))
                    with suppress(OSError):  # a file system without locks
                        fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                before = os.stat(target)
                # Only root gives files away, and only where there are owners.
                with suppress(OSError, AttributeError):
                    os.chown(temporary, before.st_uid, before.st_gid)
                shutil.copymode(target, temporary)
            yield file
            file.close()
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _remove_abandoned(folder: str) -> None:
    """Remove unfinished files of processes that have died."""
    if fcntl is None:
        return
    with os.scandir(folder) as entries:
        names = [each.path for each in entries if _ABANDONED.fullmatch(each.name) and each.is_file()]
    for name in names:
        with suppress(OSError), open(name, "rb") as file:  # locked, gone by now, or another user's
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name)


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    stream = sys.stdout
    binary = getattr(stream, "buffer", None)
    if binary is None or stream.isatty():
        data = io.BytesIO()
        yield data
        stream.write(data.getvalue().decode())
    else:
        stream.flush()
        yield binary
        binary.flush()


def _descriptor(path: Target) -> int | None:
    """The descriptor that a path names, as `-` or `/dev/fd/1`; a `Path` is always the name of a file."""
    match = _DESCRIPTOR.fullmatch(os.fsdecode(path))
    return int(match[1]) if match else _DESCRIPTORS.get(path)


def check_output(path: Target) -> None:
    """Raise InputError or an OSError where a file cannot be written: better before the work than after it."""
    name = file_name("output", path)
    if _descriptor(path) is not None:
        return
    if name.endswith(_OTHER_ARCHIVES):
        raise InputError(f"{name}: outputs are compressed by gzip only; let its name end in .gz.")
    try:
        os.stat(name)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, and a circle of links
        raise FileError(f"{name} cannot be written: {error.strerror}.") from None
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name} is a directory: name a file in it.")
    if os.path.exists(name) and not os.access(name, os.W_OK):
        raise PermissionError(f"{name} cannot be written: its permissions do not allow it.")
    if os.path.exists(name) and not os.path.isfile(name):
        return
    folder = os.path.dirname(_resolved(name))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{name} cannot be written: the folder {folder} is not writable.")


def _resolved(name: str) -> str:
    """Where a file is or would be made; FileNotFoundError where a folder on the way does not exist."""
    folder, last = os.path.split(name)
    if not os.path.isdir(folder or "."):  # realpath alone would take nosuch/../x for x
        raise FileNotFoundError(f"{name} cannot be written: there is no folder {folder}.")
    place = os.path.join(os.path.realpath(folder), last)
    if os.path.islink(place):
        return _resolved(os.path.join(os.path.dirname(place), os.readlink(place)))
    return place


def check_outputs(outputs: Iterable[Target | None], inputs: Iterable[Any] = ()) -> None:
    """Check outputs before the work: InputError for one that is an input, too, or the file of another."""
    # An input that is no path is left out, as None is; one that is a folder stands for the files in it.
    wanted, read, folders = [path for path in outputs if path is not None], {}, dict[str, str]()
    for name in (os.fsdecode(path) for path in inputs if isinstance(path, (str, os.PathLike))):
        inside = [os.path.join(name, part) for part in os.listdir(name)] if os.path.isdir(name) else [name]
        read.update({_file(each): each for each in inside})
        if os.path.isdir(name):
            folders[os.path.realpath(name)] = name
    for number, path in enumerate(wanted):
        check_output(path)
        file = None if _descriptor(path) is not None else _file(path)
        if file is not None and file in read:
            what = f"the input {read[file]}, which would be overwritten"
            raise InputError(f"{path} is {what}: name another file.")
        if file is not None or (_descriptor(path) is None and not os.path.exists(path)):
            folder = folders.get(os.path.dirname(_resolved(os.fsdecode(path))))
            if folder is not None:
                what = f"in the folder {folder}, whose files would include it the next time"
                raise InputError(f"{path} is {what}: name a file elsewhere.")
        for other in wanted[:number]:
            if _place(path) == _place(other):
                raise InputError(f"{other} and {path} are one file: two outputs need two files.")


def _file(path: Target) -> tuple[int, int] | None:
    """The identity of an existing regular file; None for anything else."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
    return None


def _place(path: Target) -> object:
    """The identity of an output; that of a device is always new, because it can be written twice."""
    if os.path.exists(path) and not os.path.isfile(path) and _descriptor(path) is None:
        return object()
    return _descriptor(path) or _file(path) or _resolved(os.fsdecode(path))
