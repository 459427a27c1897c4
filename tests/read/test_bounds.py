"""Memory and time grow with what a file means: whoever made it, whatever it holds."""

import gzip
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from naive import TWINS
from naive_classical import Query, Setting

from ir_trunc import InputError, Rankings, calc, read_answers, read_qrels
from ir_trunc._ranking import qrels
from ir_trunc._ranking import runs as ranking
from ir_trunc._ranking.runs import rank_rows
from ir_trunc._read.readers.topics import read_topics
from ir_trunc._read.reading import QRELS, RUN
from ir_trunc._read.registry import read_rows, recognised
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import LONGEST_DOCUMENT, LONGEST_LINE, blocks
from ir_trunc.truncation._cuts import read_cuts

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
    """What is said about a gz file of these bytes that goes on for gigabytes: its end is missing, and is
    never reached.
    """

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


@each_kind
@pytest.mark.parametrize("filler", [b"a", b" "])
def test_a_missing_line_end_is_found_before_the_end_of_the_file(kind, filler, complaint):
    said = complaint(kind, GOOD[kind] + filler * (8 * BLOCK))
    assert (
        said
        == f"{kind} FILE, line 3 is longer than {LONGEST_LINE:,} bytes: is this a text file with line ends?"
    )


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_the_line_is_named_behind_many_blocks(kind, tmp_path):
    path = tmp_path / "lines"
    line, rest = (
        GOOD[kind].splitlines()[0].split(b" ", 1)[1],
        {"run": b"0 Q0 \0 1 1 s", "qrels": b"0 0 \0 1"}[kind],
    )
    many = b"".join(b"%d %b\n" % (topic, line) for topic in range(BLOCK // 4))
    for bad, problem in ((rest, "zero byte"), (b"x" * (LONGEST_LINE + 1), "longer than")):
        path.write_bytes(many + bad + b"\n" + many)
        with pytest.raises(InputError, match=f"line {BLOCK // 4 + 1} .*{problem}"):
            READERS[kind](path)


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
    with pytest.raises(InputError, match=f"line {6 * BLOCK + 1} .*'high'"):
        READERS["run"](path)
    assert max(map(len, blocks(path, "run"))) <= 2 * BLOCK


def test_documents_in_one_line_may_be_long_but_not_endless(tmp_path, monkeypatch):
    (tmp_path / "answers").write_text('{"1": [["yes"]],' + " " * 3 * BLOCK + '"2": [["no"]]}')
    assert read_answers(tmp_path / "answers").judgments.topics == ("1", "2")
    (tmp_path / "topics").write_text("<topics>" + " " * 3 * BLOCK + '<topic number="7"/></topics>')
    assert read_topics(tmp_path / "topics") == ["7"]
    assert LONGEST_DOCUMENT == 2**30
    monkeypatch.setattr("ir_trunc._read.text.LONGEST_DOCUMENT", 2 * BLOCK)
    for kind in ("answers", "topics"):
        with pytest.raises(InputError, match=f"{kind} .* is larger than 2,097,152 bytes"):
            READERS[kind](tmp_path / kind)


def test_a_piece_of_a_run_is_joined_without_a_table_of_all_pairs():
    qrels = {"1": {f"d{at}": at % 3 for at in range(3000)}, "2": {"d1": 1}}
    run = {"1": {f"d{at}": -at for at in range(1000, 4000)}, "2": {"d1": 0.5}}
    tracemalloc.start()
    try:
        rankings = rank_rows(read_qrels(qrels), recognised(run, RUN).rows())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e7  # 9,000,000 pairs of documents take seven times that
    assert rankings.judged_grades.tolist() == [*(at % 3 for at in range(1000, 3000)), 1]
    assert rankings.judged_ranks.tolist() == [*range(1, 2001), 1]


def test_a_piece_of_a_run_is_looked_up_among_the_judgments_of_its_own_topics(monkeypatch):
    ready = read_qrels({str(topic): {f"d{topic}-{at}": 1 for at in range(10)} for topic in range(100)})
    run = {"7": {f"d7-{at}": -at for at in range(20)}, "8": {"d7-1": 1.0, "d8-9": 0.5}}
    among, found = [], qrels.index_in
    monkeypatch.setattr(qrels, "index_in", lambda ids, of: among.append(len(of)) or found(ids, of))
    monkeypatch.setattr(ranking, "rank_rows_by_kernel", lambda *_: None)
    assert rank_rows(ready, recognised(run, RUN).rows()).judged_ranks.tolist() == [*range(1, 11), 2]
    assert among == [20]


def test_answers_that_normalise_to_the_same_are_all_found():
    qrels = read_answers({"1": [[f"answer {at}"] for at in range(200)]}, normalise="squad")
    run = {"1": ["The answer 7", "answer 7!", "Answer 8"]}
    rankings = rank_rows(qrels, recognised(run, RUN).rows())
    assert rankings.judged_ranks.tolist() == [1, 2, 3]
    assert rankings.judged_grades.tolist() == [1, 0, 1]


MANY_GRADES = "OIE(D=9000) KendallTau(D=9000) Spearman(D=9000) AGR RGR Q(adjusted=True)"


def test_as_many_grades_as_documents_have_the_scores_of_their_definitions():
    rng = np.random.default_rng(5)
    judged = [rng.permutation(2000)[:400].tolist(), rng.integers(0, 500, 400).tolist()]
    lists = [
        [None if rng.random() < 0.3 else grade for grade in rng.permutation(pool).tolist()[:300]]
        for pool in judged
    ]
    levels = tuple(sorted({grade for pool in judged for grade in pool if grade > 0}))
    values = calc(MANY_GRADES, None, Rankings.from_lists(lists, judged)).values
    names = ["OIE", "KendallTau", "Spearman", "AGR", "RGR", "Q"]
    params = [{"D": 9000}] * 3 + [{}, {}, {"adjusted": True}]
    for name, given, of_measure in zip(names, params, values):
        expected = [
            TWINS[name](Query(ranked, pool, [1.0] * len(ranked)), Setting(levels=levels, params=given))
            for ranked, pool in zip(lists, judged)
        ]
        np.testing.assert_allclose(of_measure, expected, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("measure", MANY_GRADES.split())
def test_memory_grows_with_the_documents_and_not_with_documents_times_grades(measure):
    grades = range(1, 3001)
    rankings = Rankings.from_lists([[grade] for grade in grades], topics=[f"{grade:04}" for grade in grades])
    tracemalloc.start()
    try:
        calc(measure, None, rankings)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e7  # a number for each topic and grade would take 7e7


def test_other_tools_are_not_asked_about_grades_for_which_they_would_take_all_memory():
    """trec_eval has a table of all grades up to the highest."""
    for grade, fits in ((10**6, True), (10**6 + 1, False), (2**31 - 1, False)):
        qrels, run = {"1": {"a": grade}}, {"1": {"a": 1.0}}
        assert calc("AP", qrels, run).values.tolist() == [[1]]
        if fits:
            assert calc("NumRet", qrels, run).values.tolist() == [[1]]
        else:
            with pytest.raises(
                InputError,
                match=f"NumRet is asked of ir-measures, .* highest, {grade}: grades up to 1,000,000",
            ):
                calc("NumRet", qrels, run)


@pytest.fixture
def held(monkeypatch, tmp_path):
    """The most memory that Python, numpy and Arrow hold while a run of these lines is scored in blocks of 64
    KiB.
    """
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 16)
    arrow = []

    def watched(function):
        def call(*args):
            result = function(*args)
            arrow.append(pa.total_allocated_bytes())
            return result

        return call

    for module, name in ((ranking, "rank_piece"), (Rows, "concat")):
        monkeypatch.setattr(module, name, watched(getattr(module, name)))

    def most(lines, name="some.run"):
        data = "".join(lines).encode()
        (tmp_path / name).write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
        arrow[:] = [before := pa.total_allocated_bytes()]
        tracemalloc.start()
        try:
            calc("AP", {"0": {"d1": 1}, "1": {"d2": 1}}, tmp_path / name)
            return tracemalloc.get_traced_memory()[1] + max(arrow) - before
        finally:
            tracemalloc.stop()

    return most


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_memory_does_not_grow_with_a_run_whose_topics_are_contiguous(held):
    """Ten times the lines, plain or gzipped; where topics are scattered the run is held as a whole."""

    def lines(topics):
        return [
            f"{topic} Q0 d{rank} {rank} {-rank} some-system\n"
            for topic in range(topics)
            for rank in range(100)
        ]

    for name in ("some.run", "some.run.gz"):
        held(lines(20), name)  # what is imported and cached stays
        few, many = held(lines(100), name), held(lines(1000), name)
        assert many < 1.5 * few
        assert held(lines(1000)[50:] + lines(1)[:50], name) > 4 * few


def test_blocks_of_a_file_take_one_memory(tmp_path, monkeypatch):
    """Pages that the system must give first would take longer than what the kernel does with a block."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 12)
    path = tmp_path / "run"
    path.write_text("".join(f"{topic} Q0 d{rank} 1 1 s\n" for topic in range(300) for rank in range(9)))
    at = [np.frombuffer(block, np.uint8).__array_interface__["data"][0] for block in blocks(path, "run")]
    assert len(at) > 9
    assert len(set(at)) == 1


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
