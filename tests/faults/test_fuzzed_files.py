"""Files with any bytes in them, against a parser and a scorer that were written from the definition of the
format.

The parser goes over a file line by line and knows nothing of blocks; the scorer goes over one
list after the other. What they can read must have the same scores here; what they cannot must be an error
that names a line that is bad.
"""

import gzip
import math
import re
import warnings
from collections import Counter

import numpy as np
import pytest
from faulty import draws, small_blocks
from reference_measures import REFERENCES, Query, Setting

from ir_trunc import IrTruncError, IrTruncWarning, calc

MEASURES = "AP RR P@2 nDCG SetR FlatU(e=0.25)"
NAMES, SETTINGS = ("AP", "RR", "P", "nDCG", "SetR", "FlatU"), {"P": (2,), "FlatU": (None, {"e": 0.25})}


# The parser


class Bad(Exception):
    """A file that is none. lines: the numbers of all lines that are bad; empty where it is not a matter of
    lines.
    """

    def __init__(self, lines=()):
        super().__init__(lines)
        self.lines = set(lines)


NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def lines_of(data: bytes) -> list[bytes]:
    r"""Lines end with \n, \r\n or \r."""
    *lines, last = re.split(rb"\r\n|\r|\n", data)
    return [*lines, last] if last else lines


def fields_of(line: bytes) -> list[bytes]:
    """Words between blanks, tabs, vertical tabs and form feeds."""
    return re.findall(rb"[^ \t\v\f]+", line)


def parsed(data: bytes, width: int, value_at: int) -> list[tuple[str, str, float]]:
    """(topic, document, value) of each line; Bad where one is not readable, or a pair is there twice.

    A judgment may be there twice, if both are equal.
    """
    data = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    rows, bad, where = [], [], {}
    for number, line in enumerate(lines_of(data), 1):
        fields = fields_of(line)
        try:
            if b"\0" in line:
                raise Bad
            if not fields or fields[0][:1] == b"#":
                continue
            if len(fields) > width == 6 and fields[3].isdigit():
                fields = fields[:width]  # words after the tag
            if len(fields) != width:
                raise Bad
            topic, doc = fields[0].decode(), fields[2].decode()
            value = _value(fields[value_at], whole=width == 4)
            if value is None:  # no judgment, but its topic is there
                rows.append((topic, "__nil__", 0))
                continue
        except (Bad, UnicodeDecodeError):
            bad.append(number)
        else:
            where.setdefault((topic, doc), []).append((number, value))
            rows.append((topic, doc, value))
    for found in where.values():
        if len({value if width == 4 else number for number, value in found}) > 1:
            bad += [number for number, _ in found]
    if bad or not rows:
        raise Bad(bad)
    return rows


def has_short_lines(kind: str, data: bytes) -> bool:
    """Whether what the damage has left may be of another form, in which all lines have fewer fields."""
    fields = [fields_of(line) for line in lines_of(data)]
    widths = {len(line) for line in fields if line and line[0][:1] != b"#"}
    return len(widths) == 1 and widths <= {"qrels": {2, 3}, "run": {3, 4}}[kind]


def _value(text: bytes, whole: bool) -> float | None:
    text = {b"true": b"1", b"false": b"0"}.get(text.lower(), text)
    if whole and re.fullmatch(b"[+-]?nan", text.lower()):
        return None
    if not NUMBER.fullmatch(text):
        raise Bad
    value = float(text)
    if not (abs(value) < 2**31 and value == int(value) if whole else math.isfinite(value)):
        raise Bad
    return int(value) if whole else value


# The scorer


def scored(qrels: bytes, run: bytes) -> dict[str, list[float]]:
    """Scores by topic."""
    judged: dict[str, dict[str, int]] = {}
    for topic, doc, grade in parsed(qrels, 4, 3):
        judged.setdefault(topic, {}).update({doc: grade} if doc != "__nil__" else {})
    lists: dict[str, list[tuple[np.float32, bytes]]] = {}
    for topic, doc, score in parsed(run, 6, 4):
        if doc != "__nil__":
            with np.errstate(over="ignore"):
                lists.setdefault(topic, []).append((np.float32(score), doc.encode()))
    ranked = {topic: [doc.decode() for _, doc in sorted(rows, reverse=True)] for topic, rows in lists.items()}
    levels = tuple(sorted({grade for grades in judged.values() for grade in grades.values() if grade > 0}))
    return {topic: by_definition(grades, ranked.get(topic, []), levels) for topic, grades in judged.items()}


def by_definition(judged: dict[str, int], docs: list[str], levels: tuple[int, ...]) -> list[float]:
    """Scores of one list. levels: of the judgment scale."""
    query = Query([judged.get(doc) for doc in docs], [*judged.values()], [0.0] * len(docs))
    return [REFERENCES[name](query, Setting(levels, *SETTINGS.get(name, ()))) for name in NAMES]


# The files

TOPICS = [b"1", b"2", b"10", b"q", "帰\u3000国".encode(), b"-0", b'"1"', b"1", b"1.0", "\ufeff1".encode()]
DOCS = [*'a b aa a1 a10 é NIL __nil__ nan " # \x85'.encode().split(b" "), b"x" * 40]
SCORES = b"1 2.5 -3 0 -0 1e5 +.5 2. 1.0000000001 16777217 1e300 1E-300 007".split()
GRADES = b"0 1 1 2 3 -1 007 +1 2147483647".split()
PIECES = [
    *b" |\t|\n|\r|\r\n|\n\n|\0|\v|\f|\x1c|#|# x\n".split(b"|"),
    *b"\x85|\xff|\xc2\xa0|\xe2\x80\xa8|\xed\xa0\x80|\xc0\x80|\xef\xbb\xbf|\xef\xbc\x91".split(b"|"),
    *b"\"|\\|,|;|'|+|-|.|e|_|0x1F|0x1|1_0|inf|nan|-Infinity|1e999|1e-999".split(b"|"),
    *b"99999999999|null|NA|true|NIL|__nil__".split(b"|"),
    *b"1 Q0 a 1 1 s\n|1 0 a 1\n|2 Q0 zz 1 0.5 s|7 0 zz 2\r|\r1 0 b 1|\t".split(b"|"),
]
SPACES = [b" ", b"\t", b" \t ", b"\v", b"\f", b"\n", b" \n", b"\r\n", b"\n\n"]


def a_file(rng, kind: str) -> bytes:
    """A readable file; topics mostly stand together, ties and odd ids are common."""
    topics = rng.sample(TOPICS, rng.randint(1, 5))
    rows = []
    for topic in dict.fromkeys(topics):
        for doc in rng.sample(DOCS, rng.randint(1, 8)):
            value = rng.choice(SCORES if kind == "run" else GRADES)
            rows.append([topic, b"Q0", doc, *([b"1", value, b"s"] if kind == "run" else [value])])
    if rng.random() < 0.2:
        rng.shuffle(rows)
    separator, end = rng.choice([b" ", b" ", b"\t", b"  "]), rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    return b"".join(separator.join(row) + end for row in rows)


def damaged(rng, data: bytes) -> bytes:
    """The same with some changes of some bytes."""
    for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
        at = rng.randint(0, len(data))
        before, behind = data[:at], data[at:]
        change = rng.choice(["replace", "insert", "space", "bit", "move", "end"])
        if change == "replace":
            piece = rng.choice([rng.choice(PIECES), rng.randbytes(rng.randint(1, 3))])
            data = before + piece + behind[rng.randint(0, 4) :]
        elif change == "insert":
            data = before + rng.choice(PIECES) + behind
        elif change == "space":
            data = before + re.sub(rb"\s", lambda _: rng.choice(SPACES), behind, count=1)
        elif change == "bit":
            data = before + bytes(byte ^ 1 << rng.randrange(8) for byte in behind[:1]) + behind[1:]
        elif change == "move":
            length, to = rng.randint(0, len(behind)), rng.randint(0, at)
            data = before[:to] + behind[:length] + before[to:] + behind[length:]
        else:
            data = before
    return b"\xef\xbb\xbf" * (rng.random() < 0.05) + data


def case(rng) -> dict[str, bytes]:
    """Qrels and a run, of which most often one is damaged."""
    files = {kind: a_file(rng, kind) for kind in ("qrels", "run")}
    for kind in rng.choice([("qrels",), ("run",), ("run",), ("qrels", "run")]):
        files[kind] = damaged(rng, files[kind])
    return files


def found_fault(folder, files: dict[str, bytes], rng) -> tuple[str, str]:
    """What these files are for the parser, and what is wrong with what ir_trunc makes of them; '' where
    nothing is.
    """
    for kind, data in files.items():
        (folder / kind).write_bytes(gzip.compress(data, mtime=0) if rng.random() < 0.1 else data)
    try:
        expected, bad = scored(files["qrels"], files["run"]), {}
    except Bad:
        expected, bad = None, {}
        for kind, shape in (("qrels", (4, 3)), ("run", (6, 4))):
            try:
                parsed(files[kind], *shape)
            except Bad as error:
                bad[kind] = error.lines
    short = expected is None and any(has_short_lines(kind, data) for kind, data in files.items())
    try:
        results = calc(MEASURES, folder / "qrels", folder / "run")
    except IrTruncError as error:
        if short:
            return "refused", ""
        if "no topic of the run is in the qrels" in str(error):
            shared = expected is None or any(any(values) for values in expected.values())
            return "read", f"refused, and topics are shared: {expected}" * shared
        return "refused", _wrong_refusal(str(error), bad, folder)
    except Exception as error:
        return "broken", f"{type(error).__name__}: {error}"
    if short:
        return "read", ""
    if expected is None:
        return "read", f"read, though these lines are bad: {bad}"
    if set(results.topics) != set(expected):
        return "read", f"topics {results.topics}, not {tuple(expected)}"
    values = [expected[topic] for topic in results.topics]
    if not np.allclose(results.values.T, values, rtol=1e-12, atol=1e-12):
        return "read", f"{MEASURES}: {results.values.T.tolist()}, not {values}, of {results.topics}"
    return "read", ""


def _wrong_refusal(message: str, bad: dict[str, set[int]], folder) -> str:
    named = next((kind for kind in bad if message.startswith(f"{kind} {folder / kind}")), None)
    if named is None or "\n" in message:
        return f"refused: {message!r}; bad is {bad}"
    found = re.findall(r"\blines? (\d+)(?: and (\d+))?", message)
    lines = {int(number) for numbers in found for number in numbers if number}
    right = lines <= bad[named] and bool(lines) == bool(bad[named])
    return "" if right else f"{message!r}, but the bad lines are {bad}"


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.weekly) for part in (1, 2, 3))])
def test_any_bytes_are_read_as_the_format_says_or_refused_by_their_line(
    tmp_path, monkeypatch, long_form, part
):
    counts = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        for number in range(6000 if long_form else 260):
            rng = draws("fuzz", part, number)
            with monkeypatch.context() as patch:
                small_blocks(patch, rng.choice([7, 16, 33, 64, 97, 250, 1 << 16]))
                files = case(rng)
                kind, fault = found_fault(tmp_path, files, rng)
            assert not fault, f"case {part}, {number}: {fault}\n{files}"
            counts[kind] += 1
    print(dict(counts))
    fewest = min(counts["read"], counts["refused"])
    assert fewest > sum(counts.values()) / 5, counts  # else there is little to learn
