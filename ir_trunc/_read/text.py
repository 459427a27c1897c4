"""Text files, plain or gzipped, as a whole or in blocks of lines, as JSON, and as a number for each topic.

Gzipped files are recognised by their first bytes, not by their names.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import file_digest, sha256
from itertools import chain
from typing import Any

import numpy as np

from ir_trunc._core.errors import FileError, InputError, MissingFileError, repeated, set_to, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import file_name

AnyPath = str | os.PathLike[str]
Starts = bytes | tuple[bytes, ...]  # one of them begins a file

# Bytes: what is computed from a block fits in the processor's cache; the next block uses the same memory.
BLOCK = 1 << 21

LONGEST_LINE = 1 << 20  # bytes: a file without line ends is refused before it fills the memory
LONGEST_DOCUMENT = 1 << 30  # bytes, decompressed, of files that are read at once: see `_check_size`
MOST_PACKING = 100  # how many times its own size a file may unpack to beyond that; TREC files reach 20

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_TAIL = 1 << 16  # bytes at the end of a block, where its last topic is searched first


def _check_size(size: int, more: str, why: str) -> None:
    """InputError about a size beyond 1 GiB, or the user's own limit. more, why: what is more, in words."""
    text = os.environ.get("IR_TRUNC_MAX_BYTES") or str(LONGEST_DOCUMENT)
    if not re.fullmatch(r"[1-9][0-9]{0,17}", text):
        raise InputError(f"IR_TRUNC_MAX_BYTES={shown(text)}: a whole number of bytes is needed.")
    most = int(text)
    if size > most:
        raise InputError(f"{more} than {most:,} bytes{why}. IR_TRUNC_MAX_BYTES={4 * most} raises the limit.")


def check_unpacked(size: int, packed: int, source: str) -> None:
    """InputError where a file unpacks to more than it could hold of a run or of judgments."""
    if size > MOST_PACKING * packed:
        why = f", over {MOST_PACKING} times its own size: hardly a run or qrels"
        _check_size(size, f"{source} unpacks to more", why)


# Python reads more texts as numbers: 1_000, and the digits of all scripts. `++` and `*+` give no digit back:
# a damaged number would take the square of its length.
_FLOAT = r"[+-]?([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]++)?|[+-]?(inf|infinity|nan)"
NUMBER = {int: pattern(r"[+-]?[0-9]{1,4000}"), float: pattern(_FLOAT, re.IGNORECASE)}


def number_of(value: Any) -> Any:
    """A number that is written as a text, as JSON of MTEB and DPR has some; other values as they are."""
    return float(value) if isinstance(value, str) and NUMBER[float].fullmatch(value) else value


class BadLineError(Exception):
    """A line that cannot be parsed; `before` is the number of lines that end before it in these bytes."""

    def __init__(self, data: bytes | memoryview, at: int, problem: str):
        super().__init__(problem)
        self.before = line_ends(bytes(data[:at]))


def line_ends(data: bytes) -> int:
    """The number of line ends: newlines, and carriage returns without one."""
    return data.count(b"\n") + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


def check_zeros(data: bytes | memoryview) -> None:
    """BadLineError where there is a zero byte."""
    codes = np.frombuffer(data, np.uint8)
    if codes.min(initial=1) == 0:
        raise BadLineError(data, int(codes.argmin()), "is not text: it holds a zero byte.")


def _check_lengths(view: memoryview) -> None:
    """BadLineError where a line is too long."""
    start = 0
    while len(view) - start > LONGEST_LINE:
        window = view[start : start + LONGEST_LINE + 1]
        end = next((end for size in (1 << 12, len(window)) if (end := _last_end(window, size)) >= 0), None)
        if end is None:
            check_zeros(view)
            problem = f"is longer than {LONGEST_LINE:,} bytes: is this a text file with line ends?"
            raise BadLineError(view, start, problem)
        start += end + 1


def _last_end(view: memoryview, size: int) -> int:
    """Where the last line ends in these last bytes; -1 where none does."""
    tail = bytes(view[-size:])
    end = max(tail.rfind(b"\n"), tail.rfind(b"\r"))
    return end if end < 0 else len(view) - len(tail) + end


def parts(path: AnyPath, source: str, document: Starts = ()) -> Iterator[bytes]:
    """The bytes of a text file in parts, checked; lines of what begins as `document` may be long."""
    size, number, rest = 0, 1, b""  # number, rest: of the line that has not ended yet
    with _opened(path, source) as stream:
        part = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK) + stream.read(BLOCK)
        is_document = part.lstrip().startswith(document)
        while part:
            size += len(part)
            _check_size(size, f"{source} is larger", ", which is the most that is read at once")
            lines = part if is_document else rest + part
            try:
                check_zeros(lines)
                if not is_document:
                    _check_lengths(memoryview(lines))
            except BadLineError as error:
                raise InputError(f"{source}, line {number + error.before} {error}") from None
            whole = lines.removesuffix(b"\r")  # a newline may follow
            end = _last_end(memoryview(whole), len(whole)) + 1
            number, rest = number + line_ends(lines[:end]), b"" if is_document else lines[end:]
            yield part
            part = stream.read(BLOCK)


def file_lines(path: AnyPath, source: str, document: Starts = ()) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not blank, each with its name in messages; see `parts`."""
    return numbered_lines(parts(path, source, document), source)


def numbered_lines(data: Iterable[bytes], source: str) -> Iterator[tuple[str, bytes]]:
    """The lines that are not blank, each with its name in messages. data: parts of a text."""
    for number, line in enumerate(_lines(data), 1):
        if not line.isspace():
            yield f"{source}, line {number}", line.rstrip(b"\r\n")


def _lines(data: Iterable[bytes]) -> Iterator[bytes]:
    unended = list[bytes]()
    for part in data:
        unended.append(part)
        if line_ends(part):  # the last line may go on, as \r may with \n
            *lines, last = b"".join(unended).splitlines(keepends=True)
            unended = [last]
            yield from lines
    yield from b"".join(unended).splitlines(keepends=True)


def decoded(data: bytes, what: str) -> str:
    """Bytes as text; InputError where they are not UTF-8. what: 'run x, line 3: the id is', for example."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{what} not UTF-8 text.") from None


def beginning(path: AnyPath) -> bytes:
    """The first bytes of a file, without byte order mark and blanks; none where it cannot be read."""
    with suppress(OSError, InputError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file, _unpacked(file, str(path)) as stream:
                return stream.read(_TAIL).removeprefix(BYTE_ORDER_MARK).lstrip()
    return b""


def blocks(path: AnyPath, source: str) -> Iterator[memoryview]:
    """A file in blocks of whole lines; contiguous lines that begin with one word stay in one block.

    Each block is there until the next one is asked for, which takes its memory. Raises BadLineError, counted
    from the end of the last block, before it reads on in search of a line's or a topic's end.
    """
    memory = np.empty(0, np.uint8)
    with _opened(path, source) as stream:
        rest: bytes | memoryview = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
        while True:
            left = len(rest)
            size = left + max(left, BLOCK)
            if size > len(memory):
                memory = np.empty(size + BLOCK, np.uint8)  # with room for the rest of another block
            view = memory.data[:size]
            view[:left] = rest
            rest = b""  # lets a smaller memory go, before this one is filled
            end = left + stream.readinto(view[left:])
            _check_lengths(view[:end])
            if end < size:
                break
            if bytes(view[:1]).isspace() and bytes(view).isspace():
                # White space may be left behind, but a newline that follows belongs to the same line end.
                cut = size - (view[-1] == ord("\r"))
            else:
                cut = _start_of_last_group(view)
            rest = view[cut:]
            if cut:
                yield view[:cut]
            else:
                check_zeros(view)
        if end:
            last = [view[:end]]
            del view, memory  # the last block may be the whole file: whoever takes it may let it go
            yield last.pop()


def line_parts(block: memoryview) -> Iterator[bytes]:
    """The lines of a block in parts: one with many lines of a topic takes no more memory than others.

    BadLineError where a part holds a zero byte.
    """
    while len(block):
        line = bytes(block[BLOCK : BLOCK + LONGEST_LINE + 2]) if len(block) > 2 * BLOCK else b""
        end = BLOCK + (line.find(b"\n") + 1 or line.find(b"\r") + 1 or len(block))
        check_zeros(block[:end])
        yield bytes(block[:end])
        block = block[end:]


def _start_of_last_group(view: memoryview) -> int:
    """Where the last whole lines begin that have the same first word; 0 where all have it."""

    def has_last_word(at: int) -> bool:
        lines = (tail[tail.rfind(b"\n", 0, place) + 1 : tail.find(b"\n", place)] for place in (at, last))
        first_words = [line.split(maxsplit=1)[:1] for line in lines]
        return first_words[0] == first_words[1]

    for size in (_TAIL, 16 * _TAIL, len(view)):
        tail = bytes(view[-size:])
        first = tail.find(b"\n") + 1 if size < len(view) else 0  # the tail may begin inside a line
        last = tail.rfind(b"\n", 0, tail.rfind(b"\n")) + 1
        start = bisect_left(range(last), True, lo=first, key=has_last_word)
        if start > first:
            return len(view) - len(tail) + start
    return 0


def missing_file(path: AnyPath, source: str) -> MissingFileError:
    """The error about a file that does not exist."""
    place = "" if os.path.isabs(path) else f" in {os.getcwd()}"
    return MissingFileError(f"{source}: there is no such file{place}.")


_DIGESTS = ContextVar[dict[str, tuple[int, str]] | None]("digests", default=None)


@contextmanager
def digested() -> Iterator[dict[str, tuple[int, str]]]:
    """The number of bytes and the SHA-256 of each file that is read in this block, by its path."""
    digests: dict[str, tuple[int, str]] = {}
    with set_to(_DIGESTS, digests):
        yield digests


def keep_digest(path: str | os.PathLike[str], file: Any) -> None:
    """Keep the digest of an open file for `digested`."""
    if (digests := _DIGESTS.get()) is not None:
        file.seek(0)
        digests[os.fspath(path)] = os.path.getsize(path), file_digest(file, "sha256").hexdigest()


@contextmanager
def _opened(path: AnyPath, source: str) -> Iterator[io.BufferedReader]:
    """The file's bytes, decompressed."""
    if not os.path.exists(path):
        raise missing_file(path, source)
    if os.path.isdir(path):
        raise InputError(f"{source} is a directory: name the files in it.")
    try:
        file = open(path, "rb", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise FileError(f"{source} cannot be opened: {error.strerror}.") from None
    with file:
        digests = _DIGESTS.get()
        counted = _Counted(file, digest=sha256())
        whole: Any = io.BufferedReader(file if digests is None else counted)
        raw = whole
        if len(raw.peek()) <= 2:  # a pipe may give less than asked for, and cannot be asked again
            raw = io.BufferedReader(io.BytesIO(whole.read()))
        start = raw.peek()
        for at, signs, kind in _OTHER_KINDS:
            if start.startswith(signs, at):
                raise InputError(f"{source} is {kind}; a text file is needed, plain (UTF-8) or gzipped.")
        if os.fspath(path).endswith(".gz") and start and not start.startswith(GZIP_MAGIC):
            raise InputError(f"{source} is not a gzip file, although its name ends in .gz.")
        before = os.fstat(file.fileno())
        with _unpacked(raw, source) as stream:
            yield stream
        after = os.fstat(file.fileno())
        changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
        if stat.S_ISREG(after.st_mode) and changed:
            raise InputError(f"{source} was changed while it was read: read it again once it is complete.")
        if digests is not None:
            whole.read()  # what nobody asked for
            digests[os.fspath(path)] = counted.size, counted.digest.hexdigest()


_OTHER_KINDS = (  # with signs and where they stand
    (0, b"\xfd7zXZ\x00", "compressed by xz"),
    (0, b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (4, b"1AY&SY", "compressed by bzip2"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"PK\x03\x04", "a zip archive"),
    (257, b"ustar", "a tar archive"),
    (0, (b"\xff\xfe", b"\xfe\xff"), "text in UTF-16"),
)


@contextmanager
def _unpacked(raw: io.BufferedReader, source: str) -> Iterator[io.BufferedReader]:
    if not raw.peek(2).startswith(GZIP_MAGIC):
        yield raw
        return
    import gzip
    import zlib

    opener: Any = gzip.GzipFile
    damaged: list[Any] = [gzip.BadGzipFile, zlib.error]
    with suppress(ImportError):  # isal is twice as fast
        from isal import igzip, isal_zlib

        opener, damaged = igzip.IGzipFile, [*damaged, isal_zlib.error]
    try:
        packed = _Counted(raw)
        yield io.BufferedReader(_Counted(opener(fileobj=packed, mode="rb"), source, packed))
    except EOFError:
        raise InputError(f"{source} ends in the middle: the gzip file is truncated.") from None
    except (*damaged,):  # each says it in other words, and none says where
        raise InputError(f"{source} cannot be decompressed: the gzip file is damaged.") from None


class _Counted(io.RawIOBase):
    """The bytes of a stream, counted; what a gzip file unpacks to is checked against what it holds.

    digest: what takes all bytes, such as a SHA-256.
    """

    def __init__(self, stream: Any, source: str = "", packed: _Counted | None = None, digest: Any = None):
        self._stream, self._source, self._packed, self.size = stream, source, packed, 0
        self.digest = digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size: int = self._stream.readinto(buffer)
        self.size += size
        if self.digest is not None:
            self.digest.update(memoryview(buffer)[:size])
        if self._packed is not None:
            check_unpacked(self.size, self._packed.size, self._source)
        return size


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The content of an object, which `json` would give without what stands before an equal name."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError(f"an object has the name {shown(repeated(name for name, _ in pairs))} twice")
    return content


def _unknown(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_unknown)
_BLANK = b" \t\r\n"
_NEXT_TEXT = pattern(rb"\}[ \t]*[\r\n]\s*(?=[^\s,\]}])")  # inside of a text, a comma or an end would follow


def read_json(text: str | bytes, place: str) -> Any:
    """The content of a JSON text, without a name twice, NaN and infinity. place: its name in messages."""
    text = text if isinstance(text, str) else decoded(text, f"{place} is")
    if not text.strip():
        raise InputError(f"{place} is empty: JSON is needed.")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise InputError(f"{place} is nested too deeply to be read.") from None
    except ValueError as error:
        long = "int_max_str_digits" in str(error)  # of the interpreter, which a user need not know
        problem = "a whole number has too many digits" if long else error
        raise InputError(f"{place} cannot be read as JSON: {problem}.") from None


def as_dict(content: Any, place: str, needed: str) -> Mapping[Any, Any]:
    """Content of JSON that is an object; InputError for another."""
    if not isinstance(content, Mapping):
        kind = "null" if content is None else type(content).__name__
        raise InputError(f"{place}: an object {needed} is needed, not {kind}.")
    return content


def json_texts(data: Iterable[bytes], source: str) -> Iterator[tuple[str, str]]:
    """The texts of a file of JSON, each with its name in messages: one, or objects of a line or of several.

    data: parts of the file. The name of a text that is the whole file is `source`.
    """
    number, held, is_whole = 1, list[bytes](), True  # number: of the line in which what is held begins
    for part in chain(data, [b""]):
        held.append(part)
        if part and not _NEXT_TEXT.search(part):
            continue
        text = b"".join(held)
        start = len(text) - len(text.lstrip(_BLANK))  # of a file that begins with empty lines
        number += line_ends(text[:start])
        for gap in _NEXT_TEXT.finditer(text):
            place, is_whole = f"{source}, line {number}", False
            yield place, decoded(text[start : gap.start() + 1], f"{place} is")
            number, start = number + line_ends(text[start : gap.end()]), gap.end()
        held = [text[start:]]
    del text  # which may be the whole file
    if not is_whole:  # what is wrong is said of this line, without its end
        source, held = f"{source}, line {number}", [held[0].rstrip(_BLANK)]
    yield source, decoded(held.pop(), f"{source} is")


def json_parts(path: AnyPath, source: str) -> Iterator[Any]:
    """The content of a file of JSON: that of its one text, or lists of its objects, each of about a block."""
    objects, size = list[Any](), 0
    for place, text in json_texts(parts(path, source, (b"{", b"[")), source):
        if place == source:
            yield read_json(text, source)
            return
        objects.append(read_json(text, place))
        size += len(text)
        if size > BLOCK:
            yield objects
            objects, size = [], 0
    if objects:
        yield objects


def json_items(path: AnyPath, source: str) -> Iterator[Any]:
    """The items of a list or the objects in a file of JSON, one by one; a single object is one item."""
    for content in json_parts(path, source):
        yield from content if isinstance(content, list) else [content]


def json_content(path: AnyPath, source: str) -> Any:
    """The content of a file of JSON, or the list of its objects, which may take a line or several lines."""
    content, *others = json_parts(path, source)
    return [*chain(content, *others)] if others else content


def read_numbers(path: AnyPath, kind: str, number: str, low: int = 0) -> dict[str, int]:
    """{topic: whole number} from a file of lines `topic<TAB>number`; kind, number: names for messages."""
    path = file_name("path", path)
    source = f"{kind}s {path}"
    form = f"'topic<TAB>{number}' with a whole number {number} >= {low} is needed"
    number_of: dict[str, int] = {}
    for where, line in file_lines(path, source):
        fields = [decoded(field, f"{where}: the topic is") for field in line.split()]
        if len(fields) != 2 or not re.fullmatch(r"[0-9]{1,18}", fields[1]) or int(fields[1]) < low:
            raise InputError(f"{where}: {' '.join(fields)!r}: {form}.")
        if fields[0] in number_of:
            raise InputError(f"{where}: topic {fields[0]} has a {kind} already.")
        number_of[fields[0]] = int(fields[1])
    if not number_of:
        raise InputError(f"{source} is empty: {form}.")
    return number_of


def read_sizes(path: str) -> dict[str, int]:
    """{topic: number of documents} from a file."""
    return read_numbers(path, "size", "number", low=1)
