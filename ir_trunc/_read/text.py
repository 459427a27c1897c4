"""Text files, plain or gzipped, as a whole or in blocks of lines, as JSON, and as a number for each topic.

Gzipped files are recognised by their first bytes, not by their names.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import stat
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from typing import Any, cast

import numpy as np

from ir_trunc._core.errors import FileError, InputError, MissingFileError, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.parameters import file_name

# Bytes: what is computed from a block fits in the processor's cache; the next block uses the same memory.
BLOCK = 1 << 21

LONGEST_LINE = 1 << 20  # bytes: a file without line ends is refused before it fills the memory
LONGEST_DOCUMENT = 1 << 30  # bytes, decompressed, of files that are read at once: see `most_bytes`
MOST_MEMORY = 12  # how many times its own size a JSON text may take in memory beyond that; see `_Weight`
MOST_PACKING = 100  # how many times its own size a file may unpack to beyond that; TREC files reach 20

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_GZIP_FAULTS: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
_NEXT_OBJECT = pattern(rb"(?m)(?<=^\})\s+(?=\{)")  # between objects of JSON that take several lines each
_PACKED = 1 << 20  # bytes that are decompressed at once
_TAIL = 1 << 16  # bytes at the end of a block, where its last topic is searched first


def most_bytes() -> int:
    """The largest size, decompressed, of a file that is read at once: 1 GiB, or the user's own."""
    text = os.environ.get("IR_TRUNC_MAX_BYTES", "")
    if text and not re.fullmatch(r"[1-9][0-9]{0,17}", text):
        raise InputError(f"IR_TRUNC_MAX_BYTES={shown(text)}: a whole number of bytes is needed.")
    return int(text) if text else LONGEST_DOCUMENT


def check_unpacked(size: int, packed: int, source: str) -> None:
    """InputError where a file unpacks to more than it could hold of a run or of judgments."""
    if size > MOST_PACKING * packed and size > (most := most_bytes()):
        raise InputError(
            f"{source} unpacks to more than {most:,} bytes, over {MOST_PACKING} times its own size: hardly"
            f" a run or qrels. IR_TRUNC_MAX_BYTES={4 * most} raises the limit."
        )


# Python reads more texts as numbers: 1_000, and the digits of all scripts.
NUMBER = {
    int: pattern(r"[+-]?[0-9]{1,4000}"),
    float: pattern(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
    ),
}


def number_of(value: Any) -> Any:
    """A number that is written as a text, as JSON of MTEB and DPR has some; other values as they are."""
    return float(value) if isinstance(value, str) and NUMBER[float].fullmatch(value) else value


class BadLineError(Exception):
    """A line that cannot be parsed; `before` is the number of lines that end before it in these bytes."""

    def __init__(self, data: bytes | memoryview, at: int, problem: str):
        super().__init__(problem)
        above = bytes(data[:at])
        start = max(above.rfind(b"\n"), above.rfind(b"\r")) + 1
        self.before = line_ends(above)
        self.line = bytes(data[start : start + LONGEST_LINE]).splitlines()[0]


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
            raise BadLineError(
                view, start, f"is longer than {LONGEST_LINE:,} bytes: is this a text file with line ends?"
            )
        start += end + 1


def _last_end(view: memoryview, size: int) -> int:
    """Where the last line ends in these last bytes; -1 where none does."""
    tail = bytes(view[-size:])
    end = max(tail.rfind(b"\n"), tail.rfind(b"\r"))
    return end if end < 0 else len(view) - len(tail) + end


def parts(
    path: str | os.PathLike[str], source: str, document: bytes | tuple[bytes, ...] = ()
) -> Iterator[bytes]:
    """The bytes of a text file in parts, checked; lines of what begins as `document` may be long."""
    most, size, number, rest = most_bytes(), 0, 1, b""  # number, rest: of the line that has not ended yet
    with _opened(path, source) as stream:
        mark = stream.read(len(BYTE_ORDER_MARK))
        part = mark.removeprefix(BYTE_ORDER_MARK) + stream.read(BLOCK)
        is_document = part.lstrip().startswith(document)
        while part:
            size += len(part)
            if size > most:
                raise InputError(
                    f"{source} is larger than {most:,} bytes, which is the most that is read at once."
                    f" IR_TRUNC_MAX_BYTES={4 * most} raises the limit."
                )
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


def numbered_lines(data: Iterable[bytes], source: str) -> Iterator[tuple[str, bytes]]:
    """The lines that are not blank, each with its name in messages. data: parts of a text."""
    number, unended = 0, list[bytes]()

    def named(lines: list[bytes]) -> Iterator[tuple[str, bytes]]:
        nonlocal number
        for line in lines:
            number += 1
            if not line.isspace():
                yield f"{source}, line {number}", line.rstrip(b"\r\n")

    for part in data:
        unended.append(part)
        if line_ends(part):  # the last line may go on, as \r may with \n
            *lines, last = b"".join(unended).splitlines(keepends=True)
            unended = [last]
            yield from named(lines)
    yield from named(b"".join(unended).splitlines(keepends=True))


def decoded(data: bytes, what: str) -> str:
    """Bytes as text; InputError where they are not UTF-8. what: 'run x, line 3: the id is', for example."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{what} not UTF-8 text.") from None


def beginning(path: str | os.PathLike[str]) -> bytes:
    """The first bytes of a file, without byte order mark and blanks; none where it cannot be read."""
    with suppress(OSError, InputError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file, _unpacked(file, str(path)) as stream:
                return stream.read(_TAIL).removeprefix(BYTE_ORDER_MARK).lstrip()
    return b""


def blocks(path: str | os.PathLike[str], source: str) -> Iterator[memoryview]:
    """A file in blocks of whole lines; contiguous lines that begin with one word stay in one block.

    Each block is there until the next one is asked for, which takes its memory. Raises BadLineError, counted
    from the end of the last block, before it reads on in search of a line's or a topic's end.
    """
    with _opened(path, source) as stream:
        yield from _blocks(stream)


def _blocks(stream: io.BufferedReader) -> Iterator[memoryview]:
    rest: bytes | memoryview = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
    memory = np.empty(0, np.uint8)
    while True:
        size = len(rest) + max(len(rest), BLOCK)
        if size > len(memory):
            memory = np.empty(2 * size, np.uint8)  # with room for the rest of another block
        view = memory.data[:size]
        view[: len(rest)] = rest
        end = len(rest) + stream.readinto(view[len(rest) :])
        _check_lengths(view[:end])
        if end < len(view):
            break
        if bytes(view[:1]).isspace() and bytes(view).isspace():
            # White space may be left behind, but a newline that follows belongs to the same line end.
            cut = len(view) - (view[-1] == ord("\r"))
        else:
            cut = _start_of_last_group(view)
        rest = view[cut:]
        if cut:
            yield view[:cut]
        else:
            check_zeros(view)
    if end:
        yield view[:end]


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


def missing_file(path: str | os.PathLike[str], source: str) -> MissingFileError:
    """The error about a file that does not exist."""
    place = "" if os.path.isabs(path) else f" in {os.getcwd()}"
    return MissingFileError(f"{source}: there is no such file{place}.")


@contextmanager
def _opened(path: str | os.PathLike[str], source: str) -> Iterator[io.BufferedReader]:
    """The file's bytes, decompressed."""
    if not os.path.exists(path):
        raise missing_file(path, source)
    if os.path.isdir(path):
        raise InputError(f"{source} is a directory: name the files in it.")
    try:
        file = open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise FileError(f"{source} cannot be opened: {error.strerror}.") from None
    with file:
        start = file.peek()
        # A pipe may give less than asked for, and cannot be asked again.
        raw = file if len(start) > 2 else cast(io.BufferedReader, io.BufferedReader(io.BytesIO(file.read())))
        start = raw.peek()
        if other := _other_kind(start):
            raise InputError(f"{source} is {other}; a text file is needed, plain (UTF-8) or gzipped.")
        if os.fspath(path).endswith(".gz") and start and not start.startswith(GZIP_MAGIC):
            raise InputError(f"{source} is not a gzip file, although its name ends in .gz.")
        before = os.fstat(file.fileno())
        with _unpacked(raw, source) as stream:
            yield stream
        after = os.fstat(file.fileno())
        changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
        if stat.S_ISREG(after.st_mode) and changed:
            raise InputError(f"{source} was changed while it was read: read it again once it is complete.")


_OTHER_KINDS = {
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"PK\x03\x04": "a zip archive",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


def _other_kind(start: bytes) -> str:
    """What a file is by its first bytes, in words, where it is of another kind."""
    if start[:3] == b"BZh" and start[4:10] == b"1AY&SY":
        return "compressed by bzip2"
    if start[257:262] == b"ustar":
        return "a tar archive"
    return next((kind for magic, kind in _OTHER_KINDS.items() if start.startswith(magic)), "")


@contextmanager
def _unpacked(raw: io.BufferedReader, source: str) -> Iterator[io.BufferedReader]:
    if not raw.peek(2).startswith(GZIP_MAGIC):
        yield raw
        return
    faults = _GZIP_FAULTS
    unpacker: Callable[..., Any] = zlib.decompressobj
    with suppress(ImportError):  # isal is twice as fast
        from isal import isal_zlib

        faults, unpacker = (*faults, cast(type[Exception], isal_zlib.error)), isal_zlib.decompressobj
    try:
        yield io.BufferedReader(_Members(raw, unpacker, source))
    except faults as error:
        fault = _error_of_gzip(raw, error)
        what = "ends in the middle: the gzip file is truncated"
        problem = what if isinstance(fault, EOFError) else f"cannot be decompressed: {fault}"
        raise InputError(f"{source} {problem}.") from None


class _Members(io.RawIOBase):
    """The members of a gzip file, decompressed, one after the other; zeros may follow each.

    Python's own reader takes smaller pieces, copies them once more, and computes the checksum itself.
    """

    def __init__(self, raw: io.BufferedReader, unpacker: Callable[..., Any], source: str):
        self._raw, self._packed, self._source = raw, b"", source
        self._read = self._unpacked = 0  # bytes so far
        self._begin = partial(unpacker, zlib.MAX_WBITS | 16)  # with the header and the checksum of gzip
        self._member = self._begin()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            if not self._packed:
                self._packed = self._raw.read1(_PACKED)
                self._read += len(self._packed)
            if self._member.eof:
                while self._packed and not self._packed.lstrip(b"\0"):
                    self._packed = self._raw.read1(_PACKED)
                if not self._packed:
                    return 0
                self._packed, self._member = self._packed.lstrip(b"\0"), self._begin()
            data = self._member.decompress(self._packed, len(buffer))
            if not (data or self._packed or self._member.eof):
                raise EOFError("the gzip file is truncated")
            self._packed = self._member.unconsumed_tail or self._member.unused_data
        self._unpacked += len(data)
        check_unpacked(self._unpacked, self._read, self._source)
        buffer[: len(data)] = data
        return len(data)


def _error_of_gzip(raw: io.BufferedReader, error: Exception) -> Exception:
    """The error that Python's own gzip raises for these data, if they can be read once more."""
    if raw.seekable():
        raw.seek(0)
        try:
            with gzip.GzipFile(fileobj=raw) as again:
                while again.read(BLOCK):
                    pass
        except _GZIP_FAULTS as fault:
            return fault
    return error


class _Weight:
    """About the memory that JSON texts take as objects; InputError where it is out of proportion."""

    def __init__(self, source: str):
        self._source, self._size, self._memory = source, 0, 0

    def add(self, text: bytes) -> None:
        """An object or a list that holds nothing takes 20 times the bytes of its text."""
        self._size += len(text)
        self._memory += 200 * text.count(b"{") + 64 * text.count(b"[") + 8 * text.count(b",")
        if self._memory > MOST_MEMORY * self._size and self._memory > (most := most_bytes()):
            what = f"takes more than {most:,} bytes as objects and lists, over {MOST_MEMORY} times its text"
            remedy = f"IR_TRUNC_MAX_BYTES={4 * most} raises the limit"
            raise InputError(f"{self._source} {what}: hardly a run or qrels. {remedy}.")


def read_json(data: bytes, place: str) -> Any:
    """The content of a JSON text, without a name twice, NaN and infinity. place: its name in messages."""
    _Weight(place).add(data)
    text = decoded(data, f"{place} is")
    try:
        decoder, names = _counting()
        content = decoder.decode(text)
        return content if _once_each(names[0], text, 0, len(text)) else _CAREFUL.decode(text)
    except RecursionError:
        raise InputError(f"{place} is nested too deeply to be read.") from None
    except ValueError as error:
        long = "int_max_str_digits" in str(error)  # of the interpreter, which a user need not know
        problem = "a whole number has too many digits" if long else error
        raise InputError(f"{place} cannot be read as JSON: {problem}.") from None


def json_texts(data: Iterable[bytes], source: str) -> Iterator[tuple[str, bytes]]:
    """The texts of a file of JSON, each with its name in messages: one, or objects of a line or of several.

    data: parts of the file. The name of a text that is the whole file is `source`.
    """
    data, head = iter(data), list[bytes]()
    for part in data:
        head.append(part)
        if line_ends(part.strip()):
            break
    head = [b"".join(head)]
    lines = [line.strip() for _, line in islice(numbered_lines(head, source), 2)]
    if len(lines) > 1 and lines[0].startswith(b"{") and lines[0].endswith(b"}"):
        yield from numbered_lines(chain(head, data), source)
        return
    text, start = b"".join(chain(head, data)), 0
    head.clear()
    for number, gap in enumerate(_NEXT_OBJECT.finditer(text)):
        yield f"{source}, object {number}", text[start : gap.start()]
        start = gap.end()
    yield (f"{source}, object {number + 1}", text[start:]) if start else (source, text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"an object has the name {shown(name)} twice")
        content[name] = value
    return content


def _unknown(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _counting() -> tuple[Any, list[int]]:
    """A decoder, and how many names its objects have; it lets a name that is there twice pass."""
    names = [0]

    def count(content: dict[str, Any]) -> dict[str, Any]:
        names[0] += len(content)
        return content

    return json.JSONDecoder(object_hook=count, parse_constant=_unknown), names


def _once_each(names: int, text: str, start: int, end: int) -> bool:
    """Whether objects with so many names surely have each once; not where a text holds more of these signs.

    Without a blank before any colon, each name of the text has the two signs `":` behind it.
    """
    return names == text.count('":', start, end) and not _BLANK_COLON.search(text, start, end)


_BLANK_COLON = pattern(r"[ \t\n\r]:")
# Pairs take three times the memory of an object, and are made where its names may not be distinct.
_CAREFUL: Any = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_unknown)
_OPENING, _COMMA, _COLON, _ENDS = (
    pattern(rf"[ \t\n\r]*{sign}[ \t\n\r]*") for sign in ("([{\\[])", ",", ":", "[}\\]]")
)


def json_parts(path: str | os.PathLike[str], source: str) -> Iterator[Any]:
    """The content of a file of JSON in parts: lists of its items or of its objects, or dicts of its names."""
    objects, size, weight = list[Any](), 0, _Weight(source)
    for place, text in json_texts(parts(path, source, (b"{", b"[")), source):
        if place == source:
            yield from _parts_of_text(text, source)
            return
        weight.add(text)
        objects.append(read_json(text, place))
        size += len(text)
        if size > BLOCK:
            yield objects
            objects, size = [], 0
    if objects:
        yield objects


def _parts_of_text(data: bytes, source: str) -> Iterator[Any]:
    """A JSON text in parts; what is wrong in it is said of the whole."""
    _Weight(source).add(data)
    text = decoded(data, f"{source} is")
    opening = _OPENING.match(text)
    if opening is None:
        yield read_json(data, source)
        return
    is_object, begin, at, names = opening[1] == "{", 0, opening.end(), set[str]()
    part: Any = {} if is_object else []
    decoder, count = _counting()

    def value_at(start: int) -> tuple[Any, int]:
        count[0] = 0
        value, end = decoder.scan_once(text, start)
        sure = _once_each(count[0], text, start, end)
        return (value, end) if sure else _CAREFUL.scan_once(text, start)

    try:
        comma = None if _ENDS.match(text, at) else opening
        while comma:
            at = comma.end()
            if is_object and text[at] != '"':
                raise ValueError
            if is_object:
                name, at = decoder.parse_string(text, at + 1)
                colon = _COLON.match(text, at)
                if colon is None or name in names:
                    raise ValueError
                names.add(name)
                part[name], at = value_at(colon.end())
            else:
                value, at = value_at(at)
                part.append(value)
            comma = _COMMA.match(text, at)
            if at - begin > BLOCK and comma:
                yield part
                part, begin = type(part)(), at
        end = _ENDS.match(text, at)
        if end is None or end.end() < len(text) or end[0].strip() != "]}"[is_object]:
            raise ValueError
    except (ValueError, StopIteration, IndexError, RecursionError):
        read_json(data, source)
        raise
    yield part


def json_items(path: str | os.PathLike[str], source: str) -> Iterator[Any]:
    """The items of a list or the objects in a file of JSON, one by one; a single object is one item."""
    for content in json_parts(path, source):
        if not isinstance(content, list):
            yield json_content(path, source)
            return
        yield from content


def json_content(path: str | os.PathLike[str], source: str) -> Any:
    """The content of a file of JSON, or the list of its objects, which may take a line or several lines."""
    content, *others = json_parts(path, source)
    for other in others:
        content = content | other if isinstance(content, dict) else content + other
    return content


def read_numbers(path: str | os.PathLike[str], kind: str, number: str, low: int = 0) -> dict[str, int]:
    """{topic: whole number} from a file of lines `topic<TAB>number`; kind, number: names for messages."""
    path = file_name("path", path)
    source = f"{kind}s {path}"
    form = f"'topic<TAB>{number}' with a whole number {number} >= {low} is needed"
    number_of: dict[str, int] = {}
    for where, line in numbered_lines(parts(path, source), source):
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
