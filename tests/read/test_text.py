"""Text files in blocks and as a whole, plain and gzipped: their bounds, and their faults by name."""

import bz2
import gzip
import json
import lzma
import os
import sys
import threading
import tracemalloc
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from messages import refused

from ir_trunc import InputError, IrTruncError, calc, read_answers
from ir_trunc._read.readers import trec
from ir_trunc._read.readers.topics import read_topics
from ir_trunc._read.reading import QRELS, RUN
from ir_trunc._read.registry import read_rows
from ir_trunc._read.text import LONGEST_DOCUMENT, LONGEST_LINE, blocks, json_content, read_json
from ir_trunc._report.report import read_texts
from ir_trunc.cdet import _scoring
from ir_trunc.truncation._text import read_cuts

GOOD = {
    "run": b"1 Q0 a 1 2.5 sys\r\n1 Q0 b 2 1.5 sys\n",
    "qrels": b"1 0 a 1\r\n1 0 b 0\n",
    "cuts": b"1\t10\r\n2\t0\n",
    "topics": b"1\tone\r\n2\ttwo\n",
    "answers": b"1 a yes 1\r\n1 b no 1\n",
}
READERS = {
    "run": lambda path: read_rows(path, RUN),
    "qrels": lambda path: read_rows(path, QRELS),
    "cuts": read_cuts,
    "topics": read_topics,
    "answers": read_answers,
}
each_kind = pytest.mark.parametrize("kind", READERS)
BLOCK = LONGEST_LINE


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Files of some megabytes have many blocks."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", BLOCK)


@pytest.fixture
def complaint(tmp_path):
    """The error about a gz file of these bytes, whose end is missing and never reached."""

    def complain(kind, data):
        path = tmp_path / f"{kind}.gz"
        path.write_bytes(gzip.compress(data, 1, mtime=0)[:-100])
        with pytest.raises(InputError) as caught:
            READERS[kind](path)
        return str(caught.value).replace(str(path), "FILE")

    return complain


@each_kind
def test_a_zero_byte_is_found_before_the_end_of_the_file(kind, complaint):
    line_3 = f"{kind} FILE, line 3 is not text: it holds a zero byte."
    assert complaint(kind, GOOD[kind] + bytes(8 * BLOCK)) == line_3
    assert complaint(kind, GOOD[kind] + b"1 Q0 \0\n" * BLOCK) == line_3


QUESTION = '{"qid": "q", "question-rank": 1, "doc-ranking": [' + '{"doc_id": "d", "score": 1}]}'
TOPIC = '{"topic": "%d", "results": {"2024-01-01": [' + QUESTION + "]}}\n"
PROPORTIONATE = {
    "one id": (read_topics, "", "xy\n"),
    "ids": (read_topics, "", "%d\tsome words of a query\n"),
    "a table": (read_topics, "qid,query\n", "%d,some words of a query\n"),
    "JSON lines": (read_topics, "", '{"_id": "%d", "text": "some words of a query"}\n'),
    "Change Detection": (READERS["run"], '{"runtag": "x"}\n', TOPIC),
    "other names": (READERS["qrels"], "", '{"query_id": "%d", "doc_id": "d", "relevance": 1, "of %d": 1}\n'),
    "days": (_scoring._days_of_file, "", "d%08d\t2024-01-01\n"),
    "texts": (lambda path: read_texts("documents", path, {"1"}), "", "%d\tsome words\n"),
}


@pytest.mark.full
@pytest.mark.parametrize("form", PROPORTIONATE)
def test_lines_take_memory_by_their_bytes(form, tmp_path, monkeypatch):
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 12)
    read, head, line = PROPORTIONATE[form]
    text = head + "".join(line % ((number,) * line.count("%")) for number in range((1 << 17) // len(line)))
    (tmp_path / "file").write_text(text)
    read(tmp_path / "file")  # imports what it needs
    tracemalloc.start()
    try:
        read(tmp_path / "file")
        assert tracemalloc.get_traced_memory()[1] < 14 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.needs("spans and stores", "tables in files")
def test_many_lines_of_records_are_those_of_a_list(tmp_path, monkeypatch):
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 300)
    records = [{"qid": str(at // 9), "docno": f"d{at}", "label": at % 3} for at in range(40)]

    def read(*others):
        lines = [json.dumps(record) + "\n" for record in (*records, *others)]
        (tmp_path / "qrels").write_text("".join(lines))
        return READERS["qrels"](tmp_path / "qrels")

    assert read().to_dict() == read_rows(records, QRELS).to_dict()
    with pytest.raises(InputError, match=r"topic 9, document x: relevance 'y' is not a whole number"):
        read({"qid": "9", "docno": "x", "label": "y"})
    with pytest.raises(InputError, match=r"row 40: docno is missing|row 40: doc_id is missing"):
        read({"qid": "9", "docno": None, "label": 1})
    assert read({"qid": "9", "docno": "x"}).unfilled == (("9", 1),)


JSON_TEXTS = [
    "{}", " [ ] ", "5", '{"a": 1}', '{"a":{"b":[1,2]},"c":3} ', '[1,{"a":2},\n[3]]', '{"a":1,}', "[1,]",
    "[1 2]",
    '{"a" 1}', '{"a":1 "b":2}', '{"a":1}}', "[1]]", "[1}", '{"a":1]', "[", '{"a":', "[,1]", "{,}", "[NaN]",
    '{"a":1,"a":2}', "[1]x", "[truth]", "[1,2,3", '{"a":[}', '{"a\\u00e9":"\\n"}', "[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("text", JSON_TEXTS)
def test_a_file_of_json_is_what_its_text_is(tmp_path, monkeypatch, text):
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1)
    (tmp_path / "text").write_text(text)
    said = []
    for read in (lambda: read_json(text.encode(), "x"), lambda: json_content(tmp_path / "text", "x")):
        try:
            said.append(read())
        except InputError as error:
            said.append(str(error))
    assert said[0] == said[1]


@each_kind
@pytest.mark.parametrize("filler", [b"a", b" "])
def test_a_missing_line_end_is_found_before_the_end_of_the_file(kind, filler, complaint):
    said = complaint(kind, GOOD[kind] + filler * (8 * BLOCK))
    problem = f"is longer than {LONGEST_LINE:,} bytes: is this a text file with line ends?"
    assert said == f"{kind} FILE, line 3 {problem}"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_of_the_longest_length_is_read(end, tmp_path):
    path = tmp_path / "run"
    ids = [name * (LONGEST_LINE - len(b"1 Q0  1 1 s")) for name in (b"a", b"b", b"c", b"d", b"e", b"f")]
    path.write_bytes(b"".join(b"1 Q0 %b 1 %d s%b" % (doc, score, end) for score, doc in enumerate(ids)))
    assert READERS["run"](path).docs.to_pylist() == [doc.decode() for doc in ids]


def test_blank_lines_are_left_behind(tmp_path):
    path = tmp_path / "run"
    blanks = b"\n" * (BLOCK - 1) + b"\r\n" * BLOCK
    path.write_bytes(blanks + GOOD["run"] + blanks + b"2 Q0 a 1 2.5 sys\n" + blanks + b"2 Q0 a 2 high sys\n")
    refused(InputError, f"line {6 * BLOCK + 1} .*'high'", READERS["run"], path)
    assert max(map(len, blocks(path, "run"))) <= 2 * BLOCK


def test_documents_in_one_line_may_be_long_but_not_endless(tmp_path, monkeypatch):
    (tmp_path / "answers").write_text('{"1": [["yes"]],' + " " * 3 * BLOCK + '"2": [["no"]]}')
    assert read_answers(tmp_path / "answers").judgments.topics == ("1", "2")
    (tmp_path / "topics").write_text("<topics>" + " " * 3 * BLOCK + '<topic number="7"/></topics>')
    assert read_topics(tmp_path / "topics") == ["7"]
    assert LONGEST_DOCUMENT == 2**30
    monkeypatch.setattr("ir_trunc._read.text.LONGEST_DOCUMENT", 2 * BLOCK)
    for kind in ("answers", "topics"):
        refused(InputError, f"{kind} .* is larger than 2,097,152 bytes", READERS[kind], tmp_path / kind)


LIMITED = f"to more than {4 * BLOCK:,} bytes, over 100 times its own.* IR_TRUNC_MAX_BYTES={16 * BLOCK} raises"


@pytest.mark.needs("answers as data")
@pytest.mark.parametrize("kind", ["run", "qrels", "answers"])
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(kind, tmp_path, monkeypatch):
    path = tmp_path / f"{kind}.gz"
    path.write_bytes(gzip.compress(GOOD[kind] + b"\n" * 8 * BLOCK))
    monkeypatch.setenv("IR_TRUNC_MAX_BYTES", str(4 * BLOCK))
    refused(InputError, LIMITED, READERS[kind], path)
    monkeypatch.setenv("IR_TRUNC_MAX_BYTES", str(16 * BLOCK))
    assert READERS[kind](path) is not None


def test_a_file_that_unpacks_as_runs_do_may_have_any_size(tmp_path, monkeypatch):
    monkeypatch.setenv("IR_TRUNC_MAX_BYTES", "1")
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"".join(b"1 Q0 d%d 1 1 s\n" % rank for rank in range(20_000))))
    assert len(read_rows(path, RUN)) == 20_000


def test_parquet_that_unpacks_to_a_huge_table_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "qrels.parquet"
    columns = {"query_id": ["1"] * BLOCK, "doc_id": ["d"] * BLOCK, "relevance": np.ones(BLOCK, int)}
    pd.DataFrame(columns).to_parquet(path)
    monkeypatch.setenv("IR_TRUNC_MAX_BYTES", str(4 * BLOCK))
    refused(InputError, LIMITED, read_rows, path, QRELS)


@pytest.mark.parametrize("value", ["0", "1e9", "-1", "1GiB"])
def test_a_limit_that_is_no_number_of_bytes_is_refused(value, tmp_path, monkeypatch):
    (tmp_path / "answers").write_bytes(GOOD["answers"])
    monkeypatch.setenv("IR_TRUNC_MAX_BYTES", value)
    with pytest.raises(InputError, match=f"IR_TRUNC_MAX_BYTES='{value}': a whole number of bytes is needed"):
        READERS["topics"](tmp_path / "answers")


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \n"])
def test_judgments_between_blank_lines_take_no_memory_of_them(blank, tmp_path, monkeypatch):
    path = tmp_path / "qrels"
    path.write_bytes(b"1 0 a 1\n" + blank * 4 * BLOCK + b"2 0 b 1\n" + blank * 3 * BLOCK)
    joined = []
    of_kernel = SimpleNamespace(qrels_of_lines=lambda *lines: joined.append(lines[0]))
    monkeypatch.setattr(trec, "kernel", of_kernel)
    trec._qrels_by_kernel(SimpleNamespace(value=path, source="qrels"), 0)
    assert len(joined[0]) < 3 * BLOCK
    assert joined[0].split() == b"1 0 a 1 2 0 b 1".split()


def test_blocks_of_a_file_take_one_memory(tmp_path, monkeypatch):
    """Pages that the system must give first would take longer than what the kernel does with a block."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 12)
    path = tmp_path / "run"
    path.write_text("".join(f"{topic} Q0 d{rank} 1 1 s\n" for topic in range(300) for rank in range(9)))
    at = [np.frombuffer(block, np.uint8).__array_interface__["data"][0] for block in blocks(path, "run")]
    assert len(at) > 9
    assert len(set(at)) == 1


def test_a_topic_of_many_blocks_is_held_in_one_memory(tmp_path, monkeypatch):
    """While it grows, the smaller memory is let go."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 12)
    (tmp_path / "run").write_text(text := "".join(f"1 Q0 d{rank} 1 1 s\n" for rank in range(9000)))
    tracemalloc.start()
    try:
        assert sum(map(len, blocks(tmp_path / "run", "run"))) == len(text)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("lengths", [(1, 500, 1, 3, 3), (3, 3, 400, 1200, 2, 2, 2, 2, 2), (0, 1, 90, 1) * 9])
def test_blocks_together_are_the_file_and_each_topic_is_in_one(lengths, tmp_path, monkeypatch):
    """Whatever is longer: a topic, or a block."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 9)
    path = tmp_path / "run"
    text = "".join(f"q{at} Q0 d{rank} 1 1 s\n" for at, length in enumerate(lengths) for rank in range(length))
    path.write_text(text)
    found = [bytes(block).decode() for block in blocks(path, "run")]
    assert "".join(found) == text
    topics = [topic for block in found for topic in {line.split()[0] for line in block.splitlines()}]
    assert len(topics) == len(set(topics))


OF_GZIP = {str(topic): {"d1": 1} for topic in range(300)}
LINES = "".join(
    f"{topic} Q0 d{rank} {rank} {-rank} s\n" for topic in range(300) for rank in range(9)
).encode()
compress = partial(gzip.compress, mtime=0)  # data in the names of tests must be the same in every process
PACKED = compress(LINES)
NOT_A_BLOCK = PACKED[:10] + b"\x07" + PACKED[11:]


@pytest.fixture(params=["gzip", "isal"])
def package(request, monkeypatch):
    if request.param == "gzip":
        monkeypatch.setitem(sys.modules, "isal", None)
    else:
        pytest.importorskip("isal")


@pytest.mark.parametrize("data", [
    PACKED, PACKED + bytes(512),
    bytes(9).join(compress(LINES[at:at + 99], at % 10) for at in range(0, len(LINES), 99)),
])  # fmt: skip
def test_gzipped_lines_are_the_lines(package, data, tmp_path):
    (tmp_path / "run").write_bytes(LINES)
    (tmp_path / "run.gz").write_bytes(data)
    plain, packed = (calc("AP nDCG", OF_GZIP, tmp_path / name) for name in ("run", "run.gz"))
    assert packed.values.tobytes() == plain.values.tobytes()


TRUNCATED = "ends in the middle: the gzip file is truncated."
DAMAGED = "cannot be decompressed: the gzip file is damaged."


@pytest.mark.parametrize(("data", "problem"), [
    (PACKED[:-5], TRUNCATED),
    (PACKED[:3], TRUNCATED),
    (PACKED + b"behind the members", DAMAGED),
    (PACKED[:-8] + b"1234" + PACKED[-4:], DAMAGED),
    (compress(b""), "is empty: lines of the form "),
    (NOT_A_BLOCK, DAMAGED),
])  # fmt: skip
def test_a_broken_gzip_file_has_one_message(package, data, problem, tmp_path):
    (tmp_path / "run.gz").write_bytes(data)
    with pytest.raises(InputError) as found:
        calc("AP", OF_GZIP, tmp_path / "run.gz")
    assert str(found.value).removeprefix(f"run {tmp_path / 'run.gz'} ").startswith(problem)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are those of Unix")
def test_a_broken_gzip_file_in_a_pipe_is_said_to_be_broken(package, tmp_path):
    os.mkfifo(tmp_path / "run.gz")
    writer = threading.Thread(target=(tmp_path / "run.gz").write_bytes, args=[PACKED[:-20]])
    writer.start()
    refused(InputError, r"truncated|damaged", calc, "AP", OF_GZIP, tmp_path / "run.gz")
    writer.join()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_content_of_a_file_in_the_place_of_its_name_is_recognised(end):
    run, qrels = end.join(["1 Q0 a 1 2.5 t"] * 2), f"1 0 a 1{end}"
    with pytest.raises(InputError, match="this looks like the content of a run; write it to a file"):
        calc("AP", {"1": {"a": 1}}, run)
    with pytest.raises(InputError, match="this looks like the content of qrels; write it to a file"):
        calc("AP", qrels, {"1": ["a"]})
    for name, problem in (("x" * 300, "there is no such file"), ("1 Q0 a 1 1 x " * 400, "content of a run")):
        refused(InputError, problem, calc, "AP", {"1": {"a": 1}}, name)


ONE_LINE = b"1 Q0 a 1 2.5 t\n"


OTHER_KINDS = {
    "compressed by xz": lzma.compress(ONE_LINE),
    "compressed by bzip2": bz2.compress(ONE_LINE),
    "compressed by zstd": b"\x28\xb5\x2f\xfd\x20\x0f",
    "a 7z archive": b"7z\xbc\xaf\x27\x1c\0\4",
    "a zip archive": b"PK\x03\x04\x14\0" + ONE_LINE,
    "a tar archive": b"run".ljust(257, b"\0") + b"ustar\x0000" + ONE_LINE,
    "text in UTF-16": ONE_LINE.decode().encode("utf-16"),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_files_of_other_kinds_are_named(kind, tmp_path):
    (tmp_path / "run").write_bytes(OTHER_KINDS[kind])
    needed = "a text file is needed, plain .UTF-8. or gzipped"
    refused(InputError, rf"run is {kind}; {needed}", calc, "AP", {"1": {"a": 1}}, tmp_path / "run")
    refused(InputError, rf"run is {kind}; {needed}", calc, "AP", tmp_path / "run", {"1": ["a"]})


def test_errors_of_the_file_system_are_errors_of_ir_trunc_and_of_the_system(tmp_path):
    refused(FileNotFoundError, "run: the path is empty", calc, "AP", {"1": {"a": 1}}, "")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(IrTruncError) as caught:
        calc("AP", {"1": {"a": 1}}, tmp_path / "loop")
    assert isinstance(caught.value, OSError)
