"""The compiled kernel gives the bits, the warnings and the errors of the Python code, whatever the data."""

import copy
import gzip
import os
import pickle
import random
import shutil
import warnings
from collections import defaultdict, namedtuple
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from faulty import python
from hypothesis import example, given, strategies as st

from ir_trunc._core.arrays import Texts
from ir_trunc._core.errors import IrTruncError
from ir_trunc._kernel import kernel
from ir_trunc._ranking import qrels as qrels_module
from ir_trunc._ranking.answers import read_answers
from ir_trunc._ranking.qrels import coded_qrels, read_qrels
from ir_trunc._ranking.runs import Builder, rank_run
from ir_trunc._read import text
from ir_trunc._read.reading import DEFAULT, QRELS as QRELS_LAYOUT, RUN, Reading
from ir_trunc._read.registry import read_rows, recognised

pytestmark = pytest.mark.skipif(kernel is None, reason="the kernel is not built, or turned off")

ARRAYS = ("lengths", "judged_offsets", "judged_ranks", "judged_grades", "first_scores", "scores", "costs")
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Qrel = namedtuple("Qrel", "query_id doc_id relevance")
QRELS = {
    "1": {"a": 1, "b": 0, "c": 3, "d1": -1, "é": 2},
    "2": {"a": 2},
    "3": {},
    "10": {f"d{at}": at % 3 for at in range(30)},
    "t é": {"a": 1},
}


def outcome(do, form):
    """What a call gives, in a form that can be compared, and what it warns of; or the error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = form(do())
        except Exception as error:
            return type(error).__name__, str(error)
    return found, [str(w.message) for w in said]


def in_bits(lists):
    arrays = [None if (a := getattr(lists, name)) is None else a.tobytes() for name in ARRAYS]
    starts = None if lists.scores is None else lists.starts.tobytes()
    nil = lists.nil.convention, lists.nil.held.tobytes()
    return arrays, starts, nil, lists.topics, lists.overlaps


def same(qrels, run, reading=DEFAULT, keep=True):
    """Compare the kernel with the Python code; returns whether the kernel was sure of the run."""
    found = outcome(lambda: rank_run(qrels, run, reading, keep), in_bits)
    with pytest.MonkeyPatch.context() as patch:
        for function in ("add_whole", "_add_by_kernel"):
            patch.setattr(Builder, function, lambda *_: False)
        assert found == outcome(lambda: rank_run(qrels, run, reading, keep), in_bits)
    return sure(qrels, run, reading, keep)


def sure(qrels, run, reading=DEFAULT, keep=True):
    """Whether the kernel is sure of a run."""
    try:
        return Builder(qrels, keep).add_whole(recognised(run, replace(RUN, reading=reading)))
    except IrTruncError:  # nobody recognises it
        return False


@pytest.fixture(scope="module")
def qrels():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_qrels(QRELS)


READINGS = [Reading(order) for order in ("score", "score64", "rank", "file")]
READINGS += [Reading(lower_is_better=True), Reading(duplicates="first"), Reading(duplicates="best")]
SCORES = [
    "1", "0.5", "-0.0", "0", "1e-5", "3.4028236e38", "1e39", "16777217", "16777216", "0.1", "0.10000000149",
    "1.", ".5", "+2", "12345678901234567890123", "4.9e-324", "1e-400", "-7.25E+2", "0.30000000000000004",
]  # fmt: skip
ODD_SCORES = ["nan", "inf", "1e999", "0x10", "1_0", "--1", "", "e5", "1e", "٣", "1,5", "NIL", "__nil__"]
ODD_BYTES = [
    b"\r", b"\n", b"\r\n", b"\t", b" ", b"  ", b"\x0b", b"\x00", b"\x1c", b"\xff", b"\xed\xa0\x80", b"#",
    b"\xef\xbb\xbf", b"\n\n", b"\n# remark\n", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\x7f", b"\xc0\x80",
]  # fmt: skip


def lines(rng):
    """Lines of a run: some sorted, some not, some topics unknown, some with ties."""
    made = []
    for topic in rng.sample(["1", "2", "3", "10", "x", "é", "zz"], rng.randint(1, 5)):
        known = [*"abcdefgh", *(f"d{at}" for at in range(12)), "é", "long" * 9, "日本"]
        docs = rng.sample(known, rng.randint(1, 12))
        scores = [rng.choice(SCORES) if rng.random() < 0.4 else repr(rng.gauss(0, 1)) for _ in docs]
        if rng.random() < 0.5:
            scores.sort(key=lambda text: -float(text))
        ranked = enumerate(zip(docs, scores), 1)
        made += [f"{topic} Q0 {doc} {rank} {score} tag" for rank, (doc, score) in ranked]
    return "\n".join(made).encode() + rng.choice([b"\n", b"\n", b"", b"\r\n"])


def mutated(rng, data, odd=(*ODD_SCORES, *SCORES)):
    """A file with one to three things that nobody expects."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        found = data.split(b"\n")
        if kind == 0:
            data = data[:at] + rng.choice(ODD_BYTES) + data[at:]
        elif kind == 1:
            data = data[:at] + data[at + rng.randint(1, 9) :]
        elif kind == 2:
            found.insert(rng.randrange(len(found) + 1), rng.choice(found))
            data = b"\n".join(found)
        elif kind == 3:
            fields = rng.choice(found).split(b" ")
            fields[rng.randrange(len(fields))] = rng.choice(odd).encode()
            found[rng.randrange(len(found))] = b" ".join(fields)
            data = b"\n".join(found)
        elif kind == 4:
            data = data.replace(b" ", rng.choice([b"\t", b"  ", b" \t", b" "]))
        else:
            data = data.replace(b"\n", rng.choice([b"\r\n", b"\r", b" \n", b"\n"]))
    return data


@pytest.mark.parametrize(("times", "change", "most"), [(150, lambda _, data: data, 150), (300, mutated, 299)])
def test_lines_of_runs_are_understood_or_refused_as_python_does(qrels, tmp_path, times, change, most):
    path, understood = tmp_path / "a.run", 0
    for seed in range(times):
        rng = random.Random(seed)
        path.write_bytes(change(rng, lines(rng)))
        understood += same(qrels, path, rng.choice(READINGS), rng.random() < 0.5)
    assert most / 5 < understood <= most  # the others are handed back


GRADES = ["0", "1", "2", "3", "-1", "007", "-0", "2147483647"]
ODD_GRADE_TEXTS = ["+1", "1.0", "0x1", "2147483648", "-99999999999999999999", "1_0", "", "x", "1e2", "٣"]


def judged_lines(rng):
    """Lines of qrels: topics in any order, and now and then apart."""
    topics, docs = ["1", "2", "10", "x", "é"], [*"abcdefgh", "é", "日本", "long" * 9]
    pairs = {(rng.choice(topics), rng.choice(docs)) for _ in range(30)}
    pairs = sorted(pairs) if rng.random() < 0.5 else list(pairs)
    return "".join(f"{topic} 0 {doc} {rng.choice(GRADES)}\n" for topic, doc in pairs).encode()


def judgments(path, **options):
    """What qrels are, in every form, or the error; the rows in their order."""

    def read():
        qrels = read_qrels(path, **options)
        return qrels, qrels.changed(["new"]), qrels.changed(nil="ends")

    return outcome(read, lambda forms: [described(qrels) for qrels in forms])


def given_as(rows):
    values = rows.values.tolist(), str(rows.values.dtype)
    return rows.source, rows.universe, values, rows.topics.type, rows.docs.type


def described(qrels):
    of = qrels.judgments
    arrays = (of.offsets, of.grades, of.levels, qrels.keys, qrels.grades)
    texts = [ids.to_pylist() for ids in (qrels.topics, qrels.docs, qrels.rows.docs, qrels.rows.topics)]
    return [array.tolist() for array in arrays], texts, of.topics, given_as(qrels.rows), qrels.to_dict()


def same_judgments(path, **options):
    """Compare both readings of qrels; returns whether the kernel was sure of them."""
    found = judgments(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qrels_module, "coded_qrels", lambda *_: None)
        assert found == judgments(path, **options)
    try:
        return coded_qrels(recognised(path, QRELS_LAYOUT)) is not None
    except IrTruncError:
        return False


def test_lines_of_qrels_are_understood_or_refused_as_python_does(tmp_path):
    path, understood = tmp_path / "a.qrels", 0
    for seed in range(200):
        rng = random.Random(seed)
        path.write_bytes(data := judged_lines(rng))
        assert seed > 50 or same_judgments(path)
        path.write_bytes(mutated(rng, data, ODD_GRADE_TEXTS))
        understood += same_judgments(path)
    assert 25 < understood < 200


def test_qrels_of_several_blocks_gzipped_or_not(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 1 << 12)
    pairs = [(topic, doc) for topic in range(1, 60) for doc in range(40)]
    data = "".join(f"{topic} 0 d{topic * doc % 997} {doc % 3}\n" for topic, doc in pairs).encode()
    plain, packed = tmp_path / "a.qrels", tmp_path / "a.qrels.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data, 1))
    assert same_judgments(plain)
    assert same_judgments(packed)
    assert read_qrels(plain).to_dict() == read_qrels(packed).to_dict()
    assert len(read_qrels(plain).keys) == data.count(b"\n")


def test_qrels_with_a_meaning_of_nil_and_with_topics_beside_them(tmp_path):
    path = tmp_path / "a.qrels.gz"
    files = b"2 0 b 1\n10 0 NIL 2\n2 0 a 0", b"2 0 __nil__ 0\n1 0 a 1\n", b"1 0 a 1\r\n\n 1\t0  b 2 \r\n"
    for data in files:
        path.write_bytes(gzip.compress(data))
        for nil in (None, "ends", "sakai", "document"):
            assert same_judgments(path, nil=nil, topics=["7", "2"]) == (data[-1:] != b"\r")


def test_qrels_that_are_judged_twice_or_empty_are_left_to_python(tmp_path):
    path = tmp_path / "a.qrels"
    odd = b"", b"\n\n", b"# remark\n", b"1 0 a 1 x\n", b"1 0 a\n"
    for data in (b"1 0 a 1\n2 0 a 1\n1 0 a 1\n", *odd):
        path.write_bytes(data)
        assert not same_judgments(path)
    path.write_bytes(b"# a remark\n#\n1 0 a 1\n \t# b\n")
    assert same_judgments(path)
    assert kernel.qrels_of_lines(b"1 0 a 1\n#2 0 b 1\n", 1) is None  # the comment looks like a row
    assert kernel.qrels_of_lines(b"1 0 a 1", 1) is None  # the last line must end
    many = b"".join(b"1 0 d%08d 1\n" % doc for doc in range(400_000))  # their hashes do not meet
    assert kernel.qrels_of_lines(many, 1) is not None
    with pytest.raises(TypeError):
        kernel.qrels_of_lines("1 0 a 1\n", 1)
    assert kernel.qrels_of_dicts([], 1) is None


def test_qrels_that_the_kernel_read_can_be_pickled(tmp_path):
    path = tmp_path / "a.qrels"
    path.write_bytes(judged_lines(random.Random(4)))
    qrels = read_qrels(path)
    for copied in (pickle.loads(pickle.dumps(qrels)), copy.deepcopy(qrels)):
        assert described(copied) == described(qrels)
        assert copied.in_kernel is not None
        assert same(copied, {"1": {"a": 1.0, "b": 2.0}})


IDS = st.sampled_from([*"abcdefgh", "d1", "d2", "é", "日本", "", "#", "a b", "NIL", "__nil__", "\ud800"])
ODD_NUMBERS = [2**53 + 1, 10**400, -(10**30), True, None, "1", Fraction(1, 3), -0.0, float("nan"), 1e39]
NUMBERS = st.floats(width=64) | st.integers(-3, 3) | st.floats(-1, 1).map(np.float64)
NUMBERS |= st.floats(-1, 1, width=32).map(np.float32) | st.sampled_from(ODD_NUMBERS)
PLAIN_IDS = st.sampled_from([*"abcdefgh", "d1", "d2", "d3", "é", "日本"])
PLAIN = st.one_of(st.floats(-2, 2), st.integers(-3, 3), st.sampled_from([0.5, 0.25]).map(np.float64))
TOPICS = st.sampled_from(["1", "2", "3", "10", "x", "t é"])
DICTS = st.dictionaries(TOPICS, st.dictionaries(PLAIN_IDS, PLAIN, max_size=9), min_size=1)
ODD_TOPICS = st.one_of(TOPICS, st.sampled_from([1, 10, "", "\udfff", None, 1.0, "é"]))


def odd_dicts(values):
    """Dicts with ids and values that nobody expects, lists, or nothing, by topic."""
    dicts = st.dictionaries(st.one_of(IDS, st.integers(0, 9)), values, max_size=5)
    return st.dictionaries(ODD_TOPICS, st.one_of(dicts, st.lists(IDS, max_size=3), st.none()))


READING = st.sampled_from(READINGS)


@given(DICTS, READING, st.booleans())
def test_dicts_are_the_kernels_own(qrels, run, reading, keep):
    understood = same(qrels, run, reading, keep)
    assert understood or reading.order == "rank" or not any(run.values())
    assert same(qrels, defaultdict(dict, run), reading, keep) == understood


@given(odd_dicts(NUMBERS), READING)
@example({"\udfff": {}, "1": {"a": 0.0}}, DEFAULT)  # of a topic that is no text, without documents
def test_odd_dicts_are_understood_or_refused_as_python_does(qrels, run, reading):
    same(qrels, run, reading)


PLAIN_GRADES = st.integers(-2, 4)
ODD_GRADES = [2**31 - 1, 2**31, -(2**31), 10**400, True, None, 1.0, 0.5, "1", np.int64(2)]
ODD_GRADE_VALUES = st.one_of(PLAIN_GRADES, st.sampled_from(ODD_GRADES))
JUDGED = st.dictionaries(TOPICS, st.dictionaries(PLAIN_IDS, PLAIN_GRADES, max_size=9), min_size=1)


@given(JUDGED)
def test_dicts_and_tuples_of_grades_are_the_kernels_own(judged):
    some = any(judged.values())
    assert same_judgments(judged) == some
    assert same_judgments(judged, topics=["7"], nil="ends") == some
    assert same_judgments(defaultdict(dict, judged)) == some
    for kind in (Qrel, lambda *fields: fields):
        items = [kind(topic, doc, grade) for topic, docs in judged.items() for doc, grade in docs.items()]
        assert same_judgments(items) == some


@given(odd_dicts(ODD_GRADE_VALUES))
def test_odd_dicts_of_grades_are_understood_or_refused_as_python_does(judged):
    same_judgments(judged)


@given(st.lists(st.builds(lambda *fields: Qrel(*fields), ODD_TOPICS, IDS, ODD_GRADE_VALUES), max_size=6))
def test_odd_tuples_of_grades_are_understood_or_refused_as_python_does(items):
    same_judgments(items)


def as_tuples(run, kind=ScoredDoc):
    return [kind(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]


@given(DICTS, READING, st.booleans())
def test_named_tuples_are_the_kernels_own(qrels, run, reading, keep):
    for kind in (ScoredDoc, lambda *fields: fields):
        items = as_tuples(run, kind)
        understood, runs = same(qrels, items, reading, keep), (items, iter(items))
        assert understood or reading.order == "rank" or not items
        each, once = (outcome(lambda run=run: rank_run(qrels, run, reading, keep), in_bits) for run in runs)
        assert each == once or not items


@given(st.lists(st.builds(ScoredDoc, ODD_TOPICS, IDS, NUMBERS), max_size=6), READING)
def test_odd_named_tuples_are_understood_or_refused_as_python_does(qrels, items, reading):
    same(qrels, items, reading)


def frame(run):
    """A run as a table with a row for each document."""
    rows = [(topic, doc, float(score)) for topic, docs in run.items() for doc, score in docs.items()]
    types = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()})
    return pa.table([list(column) for column in zip(*rows)] or [[], [], []], schema=types)


def rows_are_sure(qrels, table, reading=DEFAULT):
    """Whether the kernel is sure of the rows of a table."""
    return Builder(qrels)._add_by_kernel(read_rows(table, replace(RUN, reading=reading)))


@given(DICTS, READING, st.booleans())
def test_columns_are_the_kernels_own(qrels, run, reading, keep):
    table = frame(run)
    if reading.order != "rank":
        assert rows_are_sure(qrels, table, reading) == bool(len(table))
    same(qrels, table, reading, keep)
    same(qrels, table.slice(1), reading, keep)
    same(qrels, table.to_pandas(), reading, keep)


@given(st.lists(st.tuples(TOPICS, IDS.filter(lambda doc: doc != "\ud800"), NUMBERS), max_size=6), READING)
def test_odd_columns_are_understood_or_refused_as_python_does(qrels, items, reading):
    topics, docs, scores = map(list, zip(*items)) if items else ([], [], [])
    same(qrels, {"query_id": topics, "doc_id": docs, "score": scores}, reading)


@pytest.mark.needs("spans and stores")
def test_columns_beside_the_usual_ones_are_left_to_python(qrels):
    table = frame({"1": {"a": 2.0, "b": 1.0}})
    assert rows_are_sure(qrels, table)
    for name, values in {"cost": [1.0, 2.0], "shown": [True, False], "rank": [1, 2]}.items():
        odd = table.append_column(name, [values])
        assert rows_are_sure(qrels, odd) == (name == "rank")  # which does not decide
        same(qrels, odd)
    assert not rows_are_sure(qrels, table.append_column("rank", [[1, 2]]), Reading("rank"))
    apart = pa.concat_tables([frame({"1": {"a": 2.0}}), frame({"2": {"a": 1.0}}), frame({"1": {"b": 3.0}})])
    assert not rows_are_sure(qrels, apart)
    same(qrels, apart)
    assert not rows_are_sure(read_answers({"1": [["a"]]}, "squad"), table)


@pytest.mark.parametrize(("scores", "dtype", "is_sure"), [
    ([0.5, 1 / 3, -0.0], "float64", True),
    ([0.5, 1 / 3, 2.0], "float32", True),
    ([2**53 + 1, 2**53, -1], "int64", True),
    ([2**64 - 1, 2**53 + 1, 0], "uint64", True),
    ([0.5, float("nan"), 1.0], "float64", False),
    ([0.5, float("inf"), 1.0], "float64", False),
    ([0.5, 1, 2.0], "object", False),
    ([True, False, True], "bool", False),
])  # fmt: skip
def test_frames_of_objects_are_the_kernels_own_where_scores_are_numbers(qrels, scores, dtype, is_sure):
    ids = {"query_id": ["1", "1", "2"], "doc_id": ["a", "é", "a"]}
    run = pd.DataFrame(ids, dtype=object).assign(score=np.array(scores, dtype))
    assert same(qrels, run) == is_sure
    assert same(qrels, run[::-1]) == is_sure


@pytest.mark.needs("spans and stores")
def test_empty_lists_are_a_run_beside_documents_of_unknown_topics(qrels):
    run = [{"query_id": "2", "contexts": []}, {"query_id": "x", "contexts": [{"id": "a", "score": 1.0}]}]
    same(qrels, run)
    with pytest.warns(UserWarning, match="ignored 1 topic .* no document is left"):
        lists = rank_run(qrels, run)
    assert [topic for topic, missing in zip(lists.topics, lists.missing) if not missing] == ["2"]


def test_columns_that_do_not_fit_together_are_refused(qrels):
    ends, text = np.array([0, 1], np.int32), np.array([97], np.uint8)
    good = {"topic_of": np.array([0], np.int32), "topic_ends": ends, "topics": text, "ends": ends}
    good |= {"docs": text, "scores": np.array([1.0])}

    def taken(**other):
        lists = kernel.begin(qrels.in_kernel, 0, False, False)
        return kernel.columns(lists, *{**good, **other}.values())

    assert taken()
    for topics in ([1], [-1], [0, 0], []):
        assert not taken(topic_of=np.array(topics, np.int32))
    for name, ends in (("topic_ends", [0, 2]), ("ends", [1, 0]), ("ends", [])):
        assert not taken(**{name: np.array(ends, np.int32)})
    for scores in ([1.0, 2.0], [np.nan]):
        assert not taken(scores=np.array(scores))


class Surprising(namedtuple("Surprising", "query_id doc_id score")):
    """Attributes that are not the tuple's fields."""

    @property
    def score(self):
        return 7.0


class Shadowed(ScoredDoc):
    """Attributes that may be changed."""


OtherOrder = namedtuple("OtherOrder", "score doc_id more query_id")


def test_odd_tuples_are_left_to_python(qrels):
    """Attributes that are not the fields, tuples of two kinds, documents that come apart or twice."""
    run = {"1": {"a": 2.0, "b": 1.0}}
    shadowed = as_tuples(run, Shadowed)
    shadowed[0].rank = 1
    twice = [ScoredDoc("1", "a", 1.0), ScoredDoc("1", "a", 2.0)]
    for odd in (
        as_tuples(run, Surprising),
        shadowed,
        [ScoredDoc("1", "a", 1.0), OtherOrder(2.0, "b", None, "1")],
        [ScoredDoc("1", "a", 1.0), tuple.__new__(ScoredDoc, ("1", "b"))],
        [("1", "a", 1.0), ("1", "b", 2.0, 3)],
        [("1", "a", 1.0), ["1", "b", 2.0]],
        [ScoredDoc("1", "a", 1.0), ScoredDoc("2", "a", 1.0), ScoredDoc("1", "b", 1.0)],
        twice,
    ):
        assert not same(qrels, odd)
    for reading in READINGS:
        assert not same(qrels, twice, reading)
    assert same(qrels, [OtherOrder(1.0, "a", None, "1"), OtherOrder(2.0, "b", None, "1")])


def test_files_of_several_blocks_gzipped_or_not(qrels, tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 1 << 18)
    rng = random.Random(5)
    data = "".join(
        f"{topic} Q0 d{doc} {rank} {rng.choice([rng.random(), 1.0]):.6g} tag\n"
        for topic in rng.sample(range(40), 40)
        for rank, doc in enumerate(rng.sample(range(10000), 900))
    ).encode()
    assert len(data) > 3 * text.BLOCK
    plain, packed = tmp_path / "a.run", tmp_path / "a.run.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data, 1))
    assert same(qrels, plain)
    assert same(qrels, packed)
    plain.write_bytes(b"\xef\xbb\xbf" + data)
    assert same(qrels, plain)
    plain.write_bytes(data + b"1 Q0 d1 1 1.0")
    assert not same(qrels, plain)


def test_numbers_are_rounded_as_python_rounds_them(tmp_path):
    rng = random.Random(3)
    texts = {rng.choice(["", "-"]) + number(rng) for _ in range(20000)}
    path = tmp_path / "a.run"
    path.write_text("".join(f"1 Q0 {at} 1 {text} t\n" for at, text in enumerate(texts)))
    lists = rank_run(read_qrels({"1": {"0": 1}}), path, Reading("file"), True)
    assert sure(read_qrels({"1": {"0": 1}}), path, Reading("file"))
    assert lists.scores.tobytes() == np.array([float(text) for text in texts]).tobytes()


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t\n"])
@pytest.mark.parametrize("blank", [" ", "\t", "  ", " \t"])
def test_lines_that_fit_into_64_bytes_and_longer_ones(tmp_path, blank, end):
    docs = ["a.1-b"[: 1 + at % 5] + "x" * at for at in range(70)]
    fields = [["1", "Q0", doc, str(at), f"{(-1) ** at * at / 8:.3f}", "t.1"] for at, doc in enumerate(docs)]
    path = tmp_path / "a.run"
    path.write_text("".join(blank.join(line) + end for line in fields))
    judged = read_qrels({"1": {doc: 1 + at % 3 for at, doc in enumerate(docs[::3])}})
    assert same(judged, path)
    path.write_text("".join(blank.join([*line[:2], *line[2:4], line[5], line[4]]) + end for line in fields))
    assert not same(judged, path)  # the tag where the score belongs
    path = tmp_path / "a.qrels"
    path.write_text("".join(blank.join(["1", "0", doc, str(at)]) + end for at, doc in enumerate(docs)))
    assert read_qrels(path).to_dict() == {"1": {doc: at for at, doc in enumerate(docs)}}


def number(rng):
    """A number as text: of a few digits or of many, with an exponent or not, near a tie or not."""
    kind = rng.randrange(5)
    if kind == 0:
        return repr(rng.random() * 10 ** rng.randint(-30, 30))
    if kind == 1:
        return f"{rng.random() * 100:.{rng.randint(0, 30)}f}"
    if kind == 2:  # half way between two doubles, or next to it
        whole = (rng.getrandbits(53) | 1 << 52) * 2 + 1 + rng.choice([0, 0, 1, -1])
        places = rng.randint(0, 3)
        return f"{whole * 5**places}e-{places}"
    digits = str(rng.getrandbits(rng.randint(1, 66)))
    at = rng.randint(0, len(digits))
    if kind == 3:
        return f"{digits[:at]}.{digits[at:]}e{rng.randint(-320, 280)}"
    return f"{digits[:at]}.{digits[at:]}" if at else f".{digits}"


def test_ids_whose_hashes_meet_and_long_lists():
    rng = random.Random(1)
    docs = [bytes(rng.choices(b"\x01ab", k=rng.randint(1, 30))).decode() for _ in range(3000)]
    docs = list(dict.fromkeys(docs))
    judged = read_qrels({"1": {doc: at % 4 for at, doc in enumerate(docs[::2])}, "2": {docs[0]: 1}})
    assert same(judged, {"1": dict.fromkeys(docs, 1.0), "2": {docs[0]: 1, docs[1]: 1}})


def test_buffers_that_do_not_fit_are_refused():
    judged = read_qrels(QRELS)
    texts = judged.topic_ids, judged.doc_ids, Texts.of(["odd"])
    good = [*(part for ids in texts for part in (ids.offsets, ids.data)), judged.keys, judged.grades]
    assert kernel.judged(*good, 1) is not None
    for at in range(len(good)):
        assert kernel.judged(*good[:at], good[at][:0], *good[at + 1 :], 1) is None or len(good[at]) == 0
    assert kernel.judged(*good[:6], good[6][::-1].copy(), good[7], 1) is None
    for wrong in [(), (1,) * 9, ("a",) * 9]:
        with pytest.raises(TypeError):
            kernel.judged(*wrong)
    with pytest.raises((TypeError, ValueError)):
        kernel.lines(object(), b"")


SETTINGS = {"0": "False", "1": "True", "": "True", "required": "True", "off": "0, 1 or required is needed."}


@pytest.mark.parametrize(("wanted", "expected"), SETTINGS.items())
def test_the_environment_turns_the_kernel_off_or_requires_it(wanted, expected):
    code = "from ir_trunc._kernel import kernel; print(kernel is not None)"
    # In a folder where no source tree comes before the package that is installed.
    _, out, err = python(code, cwd=Path(__file__).parent, env=os.environ | {"IR_TRUNC_KERNEL": wanted})
    assert (out or err).strip().endswith(expected)


def test_a_kernel_of_other_sources_is_not_used(tmp_path):
    copy = shutil.copytree(Path(__file__).parents[2] / "ir_trunc", tmp_path / "ir_trunc")
    shutil.copy(kernel.__file__, copy / "_kernel")
    with open(copy / "_kernel" / "core" / "lists.c", "a", encoding="utf-8") as file:
        file.write("/* newer */\n")
    code = "import ir_trunc; print(ir_trunc.calc_aggregate('AP', {'q': {'a': 1}}, {'q': ['a']}))"
    for setting, status in {"": 0, "required": 1}.items():
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "IR_TRUNC_KERNEL": setting}
        ended, out, err = python(code, cwd=tmp_path, env=environment)
        assert (ended, out) == (status, "" if status else "{AP: 1.0}\n")
        assert err.count("it was compiled from other sources; python -m ir_trunc._kernel.build") == 1


COLLECTIONS = {name: f"qrels.{name}.txt" for name in ("covid-r1", "robust03", "trec8")}
COLLECTIONS["tar17-half"] = "qrel_abs_test.txt"


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_real_runs(collection, real_data):
    folder = real_data(collection)
    judged = read_qrels(folder / COLLECTIONS[collection])
    runs = sorted(path for path in (folder / "runs").rglob("*") if path.is_file())
    some = runs[:: max(1, len(runs) // 3)]
    assert sum(same(judged, path) for path in some) >= len(some) - 1  # one run is not as plain as others
