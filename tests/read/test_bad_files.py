"""Files that cannot be read: one clear sentence that names the place, whatever the bytes are."""

import gzip
import math
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ir_trunc import InputError, IrTruncError, IrTruncWarning, calc

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
RUN = b"1 Q0 a 1 2.5 sys\n1 Q0 b 2 1.5 sys\n2 Q0 b 1 1.0 sys\n2 Q0 a 2 0.5 sys\n"
PACKED = gzip.compress(RUN, mtime=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    (folder / "good.qrels").write_bytes(QRELS)
    (folder / "good.run").write_bytes(RUN)
    return folder


def score_with(folder, path, kind):
    """Scores of a file, beside good qrels or a good run."""
    qrels, run = (folder / "good.qrels", path) if kind == "run" else (path, folder / "good.run")
    return calc("AP RBPT nDCG@5", qrels, run)


def complaint(folder, name, data, kind):
    """What is said about a file that holds these bytes."""
    (folder / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        score_with(folder, folder / name, kind)
    message = str(caught.value)
    assert str(folder / name) in message
    assert "\n" not in message
    return message


def with_line_3(line):
    return b"".join([*RUN.splitlines(keepends=True)[:2], line, b"\n", *RUN.splitlines(keepends=True)[2:]])


@pytest.mark.parametrize(("line", "parts"), [
    (b"2 Q0 c 1 2.0", ["line 3", "5 fields", "6"]),
    (b"2 Q0 c 1 2.0 my tag", ["line 3", "7 fields", "6"]),
    (b"2 0 c 1", ["line 3", "4 fields", "6"]),
    (b"2,Q0,c,1,2.0,sys", ["line 3", "1 field", "6"]),
    (b"2 Q0 c 1 high sys", ["line 3", "topic 2", "document c", "'high'"]),
    (b"2 Q0 c 1 1,5 sys", ["line 3", "topic 2", "document c", "'1,5'"]),
    (b"2 Q0 c 1 1_000 sys", ["line 3", "topic 2", "document c", "'1_000'"]),
    (b"2 Q0 c 1 0x1F sys", ["line 3", "topic 2", "document c", "'0x1F'"]),
    ("2 Q0 c 1 ２ sys".encode(), ["line 3", "topic 2", "document c", "'２'"]),
    (b"2 Q0 c 1 NaN sys", ["line 3", "topic 2", "document c", "'NaN'", "finite"]),
    (b"2 Q0 c 1 nan sys", ["line 3", "topic 2", "document c", "'nan'", "finite"]),
    (b"2 Q0 c 1 inf sys", ["line 3", "topic 2", "document c", "'inf'", "finite"]),
    (b"2 Q0 c 1 -Infinity sys", ["line 3", "topic 2", "document c", "'-Infinity'", "finite"]),
    (b"2 Q0 c 1 1e999 sys", ["line 3", "topic 2", "document c", "'1e999'", "finite"]),
    (b"2 Q0 c\xff 1 2.0 sys", ["line 3", "UTF-8"]),
    (b"1 Q0 a 9 0.1 sys", ["topic 1", "document a", "twice"]),
    (b"9 Q0 x 1 2 sys\n9 Q0 x 2 1 sys", ["topic 9", "document x", "twice"]),
])  # fmt: skip
def test_a_bad_line_of_a_run_is_named(folder, line, parts):
    message = complaint(folder, "bad.run", with_line_3(line), "run")
    assert [part for part in parts if part not in message] == [], message


@pytest.mark.parametrize(("line", "parts"), [
    (b"3 0 c", ["line 2", "3 fields", "4"]),
    (b"3 0 c 1 1", ["line 2", "5 fields", "4"]),
    (b"3 Q0 c 1 2.0 sys", ["line 2", "6 fields", "4"]),
    (b"3 0 c relevant", ["line 2", "topic 3", "document c", "'relevant'"]),
    (b"3 0 c 1.5", ["line 2", "topic 3", "document c", "'1.5'"]),
    (b"3 0 c 1e1", ["line 2", "topic 3", "document c", "'1e1'"]),
    (b"3 0 c 0x1", ["line 2", "topic 3", "document c", "'0x1'"]),
    (b"3 0 c nan", ["line 2", "topic 3", "document c", "'nan'"]),
    ("3 0 c ٢".encode(), ["line 2", "topic 3", "document c", "'٢'"]),
    (b"3 0 c 2147483648", ["line 2", "topic 3", "document c", "2147483648", "2^31"]),
    (b"3 0 c 9223372036854775808", ["line 2", "topic 3", "document c", "9223372036854775808", "2^31"]),
    (b"3 0 c 9223372036854775807", ["line 2", "topic 3", "document c", "9223372036854775807", "2^31"]),
    (b"3 0 c -9223372036854775808", ["line 2", "topic 3", "document c", "-9223372036854775808", "2^31"]),
    (b"3 0 c -99999999999999999999", ["topic 3", "document c", "-99999999999999999999", "2^31"]),
    (b"1 0 a 0", ["topic 1", "document a", "twice"]),
])  # fmt: skip
def test_a_bad_line_of_qrels_is_named(folder, line, parts):
    data = b"1 0 a 1\n" + line + b"\n2 0 a 2\n"
    message = complaint(folder, "bad.qrels", data, "qrels")
    assert [part for part in parts if part not in message] == [], message


@pytest.mark.parametrize("separator", [b" ", b"\t", b"  "])
@pytest.mark.parametrize(("rank", "problem"), [
    (b"0x10", "rank '0x10' is not a whole number"),
    (b"1.0", "rank '1.0' is not a whole number"),
    (b"2147483648", "rank '2147483648': a number below 2^31 is needed"),
    (b"-3000000000", "rank '-3000000000': a number below 2^31 is needed"),
])  # fmt: skip
def test_a_rank_that_decides_is_a_whole_number_whatever_is_between_the_fields(
    folder, rank, problem, separator
):
    path = folder / "ranks.run"
    path.write_bytes(separator.join([b"1", b"Q0", b"a", rank, b"2.5", b"sys\n"]) + RUN[17:])
    with pytest.raises(InputError, match=rf"line 1 \(topic 1, document a\): {re.escape(problem)}\.$"):
        calc("RR", folder / "good.qrels", path, order="rank")


@pytest.mark.parametrize(("name", "data", "part"), [
    ("empty", b"", "empty"),
    ("blank", b" \n\t\r\n\n", "empty"),
    ("mark", b"\xef\xbb\xbf", "empty"),
    ("empty.gz", b"", "empty"),
    ("packed-nothing.gz", gzip.compress(b"", mtime=0), "empty"),
    ("truncated.gz", PACKED[:-5], "truncated"),
    ("truncated", PACKED[: len(PACKED) // 2], "truncated"),
    ("two-bytes.gz", PACKED[:2], "truncated"),
    ("plain.gz", RUN, "not a gzip file"),
    ("checksum.gz", PACKED[:-8] + b"1234" + PACKED[-4:], "cannot be decompressed"),
    ("tail.gz", PACKED + b"tail", "cannot be decompressed"),
    ("twice.gz", gzip.compress(PACKED, mtime=0), "not text"),
    ("utf16", RUN.decode().encode("utf-16"), "not text"),
    ("archive.zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00", "not text"),
    ("rubbish", bytes(range(1, 256)) * 9, "line 1"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_file_that_is_no_list_of_lines_is_named(folder, name, data, part, kind):
    assert part in complaint(folder, name, data, kind)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_missing_file_and_a_directory_are_named(folder, kind):
    for form in (str, Path):
        with pytest.raises(FileNotFoundError, match=f"^{kind} .*/nothing-here: there is no such file"):
            score_with(folder, form(folder / "nothing-here"), kind)
        with pytest.raises(InputError, match=f"^{kind} .* is a directory"):
            score_with(folder, form(folder), kind)


def test_a_topic_of_thousands_of_digits_is_a_topic(folder):
    """Python refuses to turn so long a text into a number."""
    (folder / "long.qrels").write_bytes(b"9" * 5000 + b" 0 a 1\n1 0 a 1\n")
    assert calc("AP", folder / "long.qrels", {"1": ["a"]}).topics[0] == "1"


def test_a_bad_value_that_is_long_is_shown_in_part(folder):
    assert (
        len(complaint(folder, "long.run", with_line_3(b"2 Q0 c 1 " + b"x" * 100_000 + b" sys"), "run")) < 1000
    )


def scores_or_complaint(folder, data, kind):
    """Any bytes give finite scores or an error of ir_trunc's own."""
    (folder / "any").write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        try:
            values, message = score_with(folder, folder / "any", kind).values.ravel(), None
        except (IrTruncError, OSError) as error:
            values, message = [], str(error)
    assert message is None or (str(folder / "any") in message and "\n" not in message)
    assert all(math.isfinite(value) and 0 <= value <= 1 for value in values)


@given(data=st.binary(max_size=200), kind=st.sampled_from(["run", "qrels"]), packed=st.booleans())
@example(data=b"1 0 \x0b 1\n", kind="qrels", packed=False)
@example(data=b"\r1 Q0 a 1 1 s\r\r\n", kind="run", packed=False)
@example(data=b"1 0 \xc2\x85 1\n1 0 \xe2\x80\xa8 1\n", kind="qrels", packed=True)
def test_any_bytes_give_scores_or_a_clear_error(folder, data, kind, packed):
    scores_or_complaint(folder, gzip.compress(data) if packed else data, kind)


SPACES = b" |\t|\n|\r|\r\n|\0|\x0b|\x0c|\xff|\xef\xbb\xbf|\xc2\xa0".split(b"|")
WORDS = b'NIL|__nil__|"|1e400|-0|nan|0x1|+|,|#|null|\\'.split(b"|")
MARKS = SPACES + WORDS
LINES = [b"1 Q0 a 1 1 s\n", b"1 0 a 1\n", b"9" * 20]
PIECES = st.binary(max_size=3) | st.sampled_from(MARKS + LINES)
EDITS = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 12), PIECES), min_size=1, max_size=5)


@given(edits=EDITS, kind=st.sampled_from(["run", "qrels", "packed"]))
@example(edits=[(6, 1, b"-9223372036854775808")], kind="qrels")
@example(edits=[(0, 1, b"9" * 5000)], kind="qrels")
def test_a_damaged_file_gives_scores_or_a_clear_error(folder, edits, kind):
    data = {"run": RUN, "qrels": QRELS, "packed": PACKED}[kind]
    for at, length, piece in edits:
        data = data[:at] + piece + data[at + length :]
    scores_or_complaint(folder, data, "qrels" if kind == "qrels" else "run")
