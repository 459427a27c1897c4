"""However a run comes in - fast, tidied, line by line, in blocks, scattered, from memory - its lists are the
same.
"""

import gzip
import os
import threading
import time
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from generated import ALL, queries, with_ids
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import calc, read_qrels
from ir_trunc._core.rankings import Rankings, canonical_order
from ir_trunc._ranking.runs import rank_rows
from ir_trunc._read import rows, text
from ir_trunc._read.readers import memory
from ir_trunc._read.reading import RUN
from ir_trunc._read.registry import read_rows, recognised
from ir_trunc.measures import scores
from ir_trunc.measures.declaration import CUTOFF

EVERY = [d.bind({CUTOFF: 5} if d.params.get(CUTOFF) and d.params[CUTOFF].required else {}) for d in ALL]


def collection(seed: int) -> tuple[dict[str, dict[str, int]], pd.DataFrame]:
    """Qrels and a run whose topics stand together, the rows of each in no order."""
    qrels, run = with_ids(queries(seed, 6), seed)
    run = run.drop(columns="cost", errors="ignore")
    return qrels, run.sort_values("query_id", kind="stable", key=lambda ids: ids.map(hash))


def by_definition(qrels: dict[str, dict[str, int]], run: pd.DataFrame) -> Rankings:
    """Lists in trec_eval's order, topic by topic, one document after the other."""
    names = [list(qrels)[at] for at in canonical_order(list(qrels))]
    lists, scores = [], []
    for name in names:
        own = run[run["query_id"] == name]
        ranked = sorted(
            zip(own["doc_id"], own["score"]), key=lambda row: (np.float32(row[1]), row[0]), reverse=True
        )
        docs = [doc for doc, _ in ranked]
        ranked = ranked[: docs.index("NIL")] if "NIL" in docs else ranked
        lists.append([qrels[name].get(doc) for doc, _ in ranked])
        scores.append([score for _, score in ranked])
    return Rankings.from_lists(lists, [qrels[name].values() for name in names], topics=names, scores=scores)


def lines(run: pd.DataFrame, separator: str = " ", end: str = "\n", score: str = "{}") -> bytes:
    """A TREC file."""
    fields = (
        (topic, "Q0", doc, "1", score.format(value), "tag")
        for topic, doc, value in zip(run["query_id"], run["doc_id"], run["score"])
    )
    return "".join(separator.join(row) + end for row in fields).encode()


FILES = {
    "blanks": lines,
    "tabs": lambda run: lines(run, "\t"),
    "no end of the last line": lambda run: lines(run).rstrip(),
    "white space of all kinds": lambda run: lines(run, " \t  ", " \r\n\n"),
    "numbers that only the slow way reads": lambda run: lines(run, score="+{}"),
    "one odd line": lambda run: lines(run[:1], score="+{}") + lines(run[1:]),
    "gzipped": lambda run: gzip.compress(lines(run), mtime=0),
    "in pieces": lambda run: b"".join(
        gzip.compress(lines(run[at : at + 5]), mtime=0) for at in range(0, len(run), 5)
    ),
    "scattered topics": lambda run: lines(run.sample(frac=1, random_state=0)),
}
MEMORY = {
    "pandas": lambda run: run,
    "objects": lambda run: run.astype({"query_id": object, "doc_id": object}),
    "categories": lambda run: run.astype({"query_id": "category"}),
    "Arrow": lambda run: pa.Table.from_pandas(run, preserve_index=False),
    "Arrow in chunks": lambda run: pa.concat_tables(
        [pa.Table.from_pandas(run, preserve_index=False).slice(at, 4) for at in range(0, len(run) + 1, 4)]
    ),
    "scattered rows": lambda run: run.sample(frac=1, random_state=0),
    "named tuples": lambda run: [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)],
    "dicts": lambda run: {
        q: dict(zip(own["doc_id"], own["score"])) for q, own in run.groupby("query_id", sort=False)
    },
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """As if these runs were large."""
    monkeypatch.setattr(text, "BLOCK", 97)
    monkeypatch.setattr(text, "_TAIL", 16)
    monkeypatch.setattr(rows, "PART", 7)
    monkeypatch.setattr(memory, "PART", 7)


def same(a: Rankings, b: Rankings) -> bool:
    names = ("lengths", "judged_offsets", "judged_ranks", "judged_grades", "first_scores")
    return a.topics == b.topics and all(
        one.tobytes() == other.tobytes()
        for one, other in [
            *((getattr(a, name), getattr(b, name)) for name in names),
            (a.judgments.grades, b.judgments.grades),
            (a.judgments.levels, b.judgments.levels),
        ]
    )


def check(qrels, run, forms, seed=0):
    """All that lists hold, and the scores of every ninth measure, another ninth for another seed.

    forms: functions of the run, by name; what they return is ranked.
    """
    expected = by_definition(qrels, run)
    some = EVERY[seed % 9 :: 9]
    values = np.array(scores(some, expected)).tobytes()
    for name, form in forms.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = rank_rows(read_qrels(qrels, nil="ends"), recognised(form(run), RUN).rows())
        assert same(found, expected), name
        assert np.array(scores(some, found)).tobytes() == values, name


@given(seed=st.integers(0, 9999))
def test_files(tmp_path_factory, seed):
    path = tmp_path_factory.getbasetemp() / "a.run"

    def written(form):
        def write(run):
            path.write_bytes(form(run))
            return path

        return write

    qrels, run = collection(seed)
    if len(run):
        check(qrels, run, {name: written(form) for name, form in FILES.items()}, seed)


@given(seed=st.integers(0, 9999))
def test_memory(seed):
    check(*collection(seed), MEMORY, seed)


def test_a_run_may_be_empty():
    qrels, run = collection(1)
    check(qrels, run[:0], MEMORY)


def test_a_pipe_is_read_once(tmp_path):
    """Though its topics are scattered."""
    qrels, run = collection(3)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(FILES["scattered topics"](run)))
    writer.start()
    check(qrels, run, {"pipe": lambda run: path})
    writer.join()


def test_errors_name_the_line_in_any_block(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("".join(f"{at // 5} Q0 d{at} 1 {-at} t\n" for at in range(100)) + "20 Q0 d 1 x t\n")
    with pytest.raises(
        ValueError, match=r"a\.run, line 101 \(topic 20, document d\): score 'x' is not a number"
    ):
        calc("AP", {"1": {"d5": 1}}, path)


def test_a_topic_may_be_larger_than_a_block(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("".join(f"{topic} Q0 d{at} 1 {-at} t\n" for topic in (1, 2) for at in range(500)))
    results = calc("RR NumRet", {"1": {"d9": 1}, "2": {"d499": 1}, "3": {"d": 1}}, path)
    assert results.to_pandas()["RR"].tolist() == [1 / 10, 1 / 500, 0]


def test_a_document_twice_is_seen_in_any_block(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("".join(f"{topic} Q0 d{at % 49} 1 {-at} t\n" for topic in (1, 2) for at in range(50)))
    with pytest.raises(ValueError, match="topic 1, document d0: it is in the list twice"):
        calc("RR", {"1": {"d9": 1}}, path)


def test_a_topic_stays_in_one_block_whatever_its_length(tmp_path):
    """A run in order is read in a stream, also where topics are longer than what is searched for their
    beginning.
    """
    path = tmp_path / "a.run"
    path.write_text(
        "".join(f"{topic} Q0 d{at} 1 {-at} t\n" for topic in range(9) for at in range(topic * 20 % 70 + 5))
    )
    assert [rows.topics.dictionary.to_pylist() for rows in recognised(path, RUN).rows()]
    assert sum(len(rows) for rows in recognised(path, RUN).rows()) == len(path.read_text().splitlines())


@pytest.mark.parametrize("end", [b" ", b"\t", b"\r", b"\n", b"\n "])
@pytest.mark.parametrize("before", [b"\n", b"\r", b"\r\n", b"\r ", b" \r"])
def test_a_field_that_is_missing_is_not_made_up_of_white_space(tmp_path, before, end):
    path = tmp_path / "a.run"
    path.write_bytes(b"1 Q0 d 1 0.5 t" + before + b"1 Q0 e 1 0.4" + end)
    with pytest.raises(ValueError, match="line 2: 5 fields; 6 are needed"):
        calc("AP", {"1": {"d": 1}}, path)


def test_lines_that_end_in_carriage_returns_are_counted_in_any_block(tmp_path):
    path = tmp_path / "a.run"
    rows = [f"{at // 5} Q0 d{at} 1 {-at} t" for at in range(100)]
    path.write_bytes(
        "".join(row + ("\n", "\r", "\r\n", "\n\r")[at % 4] for at, row in enumerate(rows)).encode()
        + b"20 Q0 d 1 x t"
    )
    with pytest.raises(
        ValueError, match=r"a\.run, line 126 \(topic 20, document d\): score 'x' is not a number"
    ):
        calc("AP", {"1": {"d5": 1}}, path)


@given(at=st.integers(1, 9))
def test_a_byte_order_mark_in_the_middle_is_part_of_an_id_in_any_block(tmp_path_factory, at):
    """Files with marks that were put behind each other."""
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_text(
        "".join(f"{chr(0xFEFF) * (topic == at)}{topic} Q0 d 1 1 tag\n" for topic in range(10)), "utf-8"
    )
    assert read_rows(path, RUN).topics[at].as_py() == f"\ufeff{at}"
    with pytest.warns(match=rf"1 topic that the qrels lack is left out \(topic \ufeff{at} for one\)\.$"):
        assert calc("RR", {str(topic): {"d": 1} for topic in range(10)}, path).values.sum() == 9


def test_a_pipe_may_be_slow(tmp_path):
    """And give one byte of those by which a gzipped file is known."""
    qrels, run = collection(4)
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with open(path, "wb", buffering=0) as pipe:
            data = gzip.compress(lines(run))
            for part in (data[:1], data[1:9], data[9:]):
                pipe.write(part)
                time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    check(qrels, run, {"pipe": lambda run: path})
    writer.join()


def test_a_field_that_nobody_reads_may_be_anything(tmp_path):
    """On the slow way, that of the first line, as on the fast one."""
    path = tmp_path / "a.run"
    path.write_bytes(b"1 \xff d 1 +2 \xff\n1 \xff e 1 1 \xff\n")
    assert read_rows(path, RUN).to_dict() == {"1": {"d": 2.0, "e": 1.0}}


def test_a_byte_order_mark_may_come_in_pieces(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"".join(gzip.compress(bytes([byte])) for byte in "\ufeff1 Q0 d 1 1 t\n".encode()))
    assert read_rows(path, RUN).to_dict() == {"1": {"d": 1.0}}


def test_more_ids_than_fit_at_once_are_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    """A run with scattered topics is read as a whole."""
    path = tmp_path / "a.run"
    path.write_bytes(FILES["scattered topics"](collection(3)[1]))
    qrels = read_qrels({"q0": {"a": 1}})

    def full(column: pa.ChunkedArray) -> pa.Array:
        raise pa.ArrowInvalid("offset overflow while concatenating arrays")

    monkeypatch.setattr(rows, "one_array", full)
    with pytest.raises(
        ValueError, match=r"a\.run: more than 2 GiB of document ids at once.* sort it by topic"
    ):
        calc("AP", qrels, path)
