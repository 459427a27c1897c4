"""Text files, plain or gzipped (known by their first bytes, not by their names), as a whole or in blocks of lines."""

from __future__ import annotations

import gzip
import io
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import cast

import pyarrow as pa

from ir_trunc.errors import InputError

BLOCK = 1 << 22  # bytes: what is made of a block fits in the processor's cache, and its memory is used again for the next

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_TAIL = 1 << 16  # bytes: where the last group of a block is looked for first


def contents(path: Path, source: str) -> bytes:
    """The bytes of a text file, without a byte order mark; InputError where it holds zero bytes."""
    with _opened(path, source) as stream:
        data = stream.read().removeprefix(BYTE_ORDER_MARK)
    if b"\0" in data:
        raise InputError(f"{source} is not text: it holds a zero byte.")
    return data


def blocks(path: Path, source: str) -> Iterator[pa.Buffer]:
    """The same in blocks of whole lines; lines that stand together and begin with the same word stay together."""
    with _opened(path, source) as stream:
        yield from _blocks(stream)


def blocks_of(data: bytes, source: str) -> Iterator[pa.Buffer]:
    """The same of a file that was read elsewhere."""
    with _unpacked(io.BufferedReader(io.BytesIO(data)), source) as stream:
        yield from _blocks(stream)


def _blocks(stream: io.BufferedReader) -> Iterator[pa.Buffer]:
    rest: bytes | memoryview = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
    while True:
        # In pyarrow's own memory: its threads would have to ask Python to free ours, and may do so while Python ends.
        buffer = pa.allocate_buffer(len(rest) + max(len(rest), BLOCK))
        view = memoryview(buffer).cast("B")
        view[: len(rest)] = rest
        end = len(rest) + stream.readinto(view[len(rest) :])
        if end < len(view):
            break
        cut = _start_of_last_group(view)
        rest = view[cut:]
        if cut:
            yield buffer.slice(0, cut)
    if end:
        yield buffer.slice(0, end)


def _start_of_last_group(view: memoryview) -> int:
    """Where the last whole lines begin that have the same first word; 0 where all have it."""
    size = _TAIL
    while True:
        tail = bytes(view[-size:])
        # The tail may begin inside a line, whose first word is not known then.
        least = 0 if size >= len(view) else tail.find(b"\n") + 1
        last = tail.rfind(b"\n", 0, tail.rfind(b"\n")) + 1
        same = partial(_same_word, tail, last)
        start = least + bisect_left(range(least, last + 1), True, key=same)
        if start > least:
            return len(view) - len(tail) + start
        if size >= len(view):
            return 0
        size *= 16


def _same_word(text: bytes, one: int, other: int) -> bool:
    """Whether the lines that have these bytes begin with the same word."""
    lines = (text[text.rfind(b"\n", 0, at) + 1 : text.find(b"\n", at)] for at in (one, other))
    first, second = (line.split(maxsplit=1)[:1] for line in lines)
    return first == second


@contextmanager
def _opened(path: Path, source: str) -> Iterator[io.BufferedReader]:
    """The file's bytes, decompressed."""
    if not path.exists():
        place = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise FileNotFoundError(f"{source}: there is no such file{place}.")
    if path.is_dir():
        raise InputError(f"{source} is a directory: name the files in it.")
    with open(path, "rb") as file:
        start = file.peek()
        # A pipe may give less than asked for, and cannot be asked again.
        raw = file if len(start) > 2 else cast(io.BufferedReader, io.BufferedReader(io.BytesIO(file.read())))
        start = raw.peek()
        if path.suffix == ".gz" and start and not start.startswith(GZIP_MAGIC):
            raise InputError(f"{source} is not a gzip file, whatever its name says.")
        with _unpacked(raw, source) as stream:
            yield stream


@contextmanager
def _unpacked(raw: io.BufferedReader, source: str) -> Iterator[io.BufferedReader]:
    packed = raw.peek(2).startswith(GZIP_MAGIC)
    stream = cast(io.BufferedReader, gzip.GzipFile(fileobj=raw)) if packed else raw
    try:
        yield stream
    except EOFError:
        raise InputError(f"{source} ends in the middle: the gzip file is truncated.") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{source} cannot be decompressed: {error}.") from None
