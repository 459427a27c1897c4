"""Every form of a run, in one piece or in many, gives the same lists and scores to the last bit."""

import gzip
import os
import threading
import time
import tracemalloc
import warnings
from dataclasses import replace

import faulty
import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from generated import EVERY, groups, queries, same_lists, with_ids
from hypothesis import given, strategies as st
from messages import refused

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, evaluator, rank, read_answers, read_qrels
from ir_trunc._core.rankings import Rankings, canonical_order
from ir_trunc._ranking.runs import Builder, rank_rows, read_run
from ir_trunc._read import rows
from ir_trunc._read.reading import RUN
from ir_trunc._read.registry import read_rows, recognised
from ir_trunc._read.rows import Rows
from ir_trunc.measures import scores
from ir_trunc.truncation import LargestGap
from ir_trunc.truncation._text import parse_policy


@given(seed=st.integers(0, 9999), parts=st.integers(1, 4))
def test_rows_of_whole_topics_are_parts_under_every_nil_convention(seed, parts):
    qrels, run = with_ids(queries(seed, 6), seed)
    names = run["query_id"].unique()
    frames = [run[run["query_id"].isin(names[at])] for at in groups(len(names), parts, seed)]
    for nil in ("ends", "trec2001", "sakai", "document"):
        ready = read_qrels(qrels, nil=nil)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            whole = calc("AP", ready, run, missing="empty")
        with warnings.catch_warnings(record=True) as said_of_parts:
            warnings.simplefilter("always")
            builder = Builder(ready)
            builder.source = "run (DataFrame)"
            for frame in frames:
                builder.add(read_run(frame))
            assert not said_of_parts
            joined = builder.rankings()
        assert [str(w.message) for w in said_of_parts] == [str(w.message) for w in said], nil
        assert same_lists(joined, whole.rankings), nil
        some = [*EVERY.values()][seed % 9 :: 9]
        assert np.array(scores(some, joined)).tobytes() == np.array(scores(some, whole.rankings)).tobytes()


def test_answers_of_which_only_the_first_of_a_class_counts_come_in_parts():
    qrels = read_answers({"1": [["a", "the A"], {"b": 3}], "2": [], "3": [["c"]]}, "squad")
    docs = ["x", "an A", "the a", "d", "the", "C"]
    run = pd.DataFrame({"query_id": list("111223"), "doc_id": docs, "score": range(6)})
    joined = rank_rows(qrels, [read_run(run[run["query_id"] == topic]) for topic in "312"])
    whole = calc("Q", qrels, run).rankings
    assert whole.lengths.tolist() == [3, 2, 1]
    assert same_lists(joined, whole)


def test_no_part_at_all_is_a_silent_run_and_a_topic_in_two_parts_is_an_error():
    qrels = read_qrels({"1": {"a": 1}, "2": {"b": 0}})
    assert same_lists(rank_rows(qrels, []), calc("AP", qrels, {}).rankings)
    pieces = [read_run({topic: {"x": 1.0}}) for topic in "212"]
    refused(InputError, "topic 2 is in two pieces of the run", rank_rows, qrels, pieces)


def test_a_piece_that_starts_over_has_the_rows_of_all_before_it():
    qrels = read_qrels({"1": {"a": 1}, "2": {"b": 1}})
    first = read_run({"1": {"x": 2.0}})
    whole = replace(read_run({"1": {"x": 2.0, "a": 1.0}, "2": {"b": 1.0}}), starts_over=True)
    lists = rank_rows(qrels, [first, whole], keep_scores=True)
    assert same_lists(lists, rank_rows(qrels, [whole]))
    assert lists.scores[lists.places].tolist() == [2.0, 1.0, 1.0]


@pytest.mark.parametrize("policy", ["LargestGap", "ShareOfTop(share=0.5)", "Fixed(k=1)"])
def test_policies_take_the_rankings_of_scores_that_were_kept(policy):
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9, "x": 0.3, "y": 0.2}, "2": {"b": 0.1}}
    kept = calc("AP", qrels, run, keep_scores=True)
    assert kept.rankings.scores.tolist() == ir_trunc.rank(qrels, run).scores.tolist()
    chosen = parse_policy(policy)
    assert chosen.cut(kept.rankings).tolist() == chosen.cut(ir_trunc.rank(qrels, run)).tolist()
    again = ir_trunc.evaluator("AP", qrels).calc(run, keep_scores=True)
    assert chosen.cut(again.rankings).tolist() == chosen.cut(kept.rankings).tolist()
    assert calc("AP", None, kept.rankings, keep_scores=True).values.tolist() == kept.values.tolist()


def test_rankings_without_scores_say_what_keeps_them():
    found = calc("AP", {"1": {"a": 1}}, {"1": {"a": 0.9}}).rankings
    refused(InputError, r"ir_trunc\.rank.* or calc\(\.\.\., keep_scores=True\)", LargestGap().cut, found)
    none = "keep_scores=True: these Rankings have no scores"
    refused(InputError, none, calc, "AP", None, found, keep_scores=True)


def test_options_about_topics_hold_for_rankings_or_are_refused():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9}}
    rankings = ir_trunc.rank(qrels, run, missing="empty")
    for judged in (qrels, None):
        with pytest.warns(match=r"^Rankings: 1 of the 2 topics .* \(for example 2\); excluded"):
            results = calc("AP", judged, rankings, missing="exclude")
        assert (results.topics, results.universe.missing, results.universe.excluded) == (("1",), 0, 1)
        lacking = r"1 of the 2 topics of the qrels is not in the run \(for example 2"
        refused(InputError, lacking, ir_trunc.rank, judged, rankings, missing="error")
        for unchanged in ({}, {"missing": "empty"}):
            assert len(ir_trunc.rank(judged, rankings, **unchanged)) == 2
        for option in ({"topics": ["1"]}, {"nil": "ends"}):
            no_effect = "topics, unjudged and nil have no effect on Rankings"
            refused(InputError, no_effect, ir_trunc.rank, judged, rankings, **option)
            refused(InputError, no_effect, calc, "AP", judged, rankings, **option)


def test_one_warning_speaks_for_all_parts():
    qrels = read_qrels({"1": {"a": 1}})
    rest = r"run \(dict\): ignored 3 topics that are not in the qrels \(for example xx\)"
    rest += "; topics= names those to which nothing is relevant"
    runs = [{"zz": {"a": 1.0}, "yy": {"a": 1.0}}, {"xx": {"a": 1.0}}, {"1": {}}, {"1": {"a": 1.0}}]
    pieces = [read_run(run) for run in runs]
    unmatched = "no topic of the run is in the qrels; the run has 3 topics, 'xx' for example, the qrels have"
    refused(InputError, unmatched, rank_rows, qrels, pieces[:2])
    with pytest.warns(match=rf"^{rest}\.$"):
        rank_rows(qrels, pieces)


LIKE = {
    "leading zeros": ("007", "7"),
    "upper and lower case": ("Q-A", "q-a"),
    "the form of its Unicode characters": ("caf\u00e9", "cafe\u0301"),
}


@pytest.mark.parametrize("what", LIKE)
def test_topics_that_differ_by_their_spelling_are_named(what):
    """Where none matches, it is an error; where some do, the warning names the likeness."""
    ours, theirs = LIKE[what]
    hint = f"{theirs!r} and {ours!r} differ by {what} alone: write them alike."
    qrels = {ours: {"a": 1}, "x": {"a": 1}}
    with pytest.raises(InputError, match="no topic of the run is in the qrels; the run has 1") as raised:
        calc("AP", qrels, {theirs: ["a"]})
    assert str(raised.value).endswith(f"the qrels have 2 topics, {min(qrels)!r} for example. {hint}")
    with pytest.warns(IrTruncWarning, match="not in the run"), pytest.warns(IrTruncWarning, match=hint):
        calc("AP", qrels, {theirs: ["a"], "x": ["a"]})
    refused(InputError, r"'z' for example\.$", calc, "AP", {"z": {"a": 1}}, {"y": ["a"]})


def test_a_silent_run_matches_whatever_the_topics_are():
    assert calc("RBPT", {"q": {"a": 1}}, {}).aggregated["RBPT"] == 0
    with pytest.warns(IrTruncWarning, match="ignored 1 topic"):
        calc("RBPT", {"q": {"a": 1}}, {"q": {}, "other": {"b": 1.0}})


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
        falling = sorted(((np.float32(score), doc, score) for doc, score in zip(own["doc_id"], own["score"])))
        ranked = [(doc, score) for _, doc, score in reversed(falling)]
        docs = [doc for doc, _ in ranked]
        ranked = ranked[: docs.index("NIL")] if "NIL" in docs else ranked
        lists.append([qrels[name].get(doc) for doc, _ in ranked])
        scores.append([score for _, score in ranked])
    return Rankings.from_lists(lists, [qrels[name].values() for name in names], topics=names, scores=scores)


def lines(run: pd.DataFrame, separator: str = " ", end: str = "\n", score: str = "{}") -> bytes:
    """A TREC file."""
    rows = run[["query_id", "doc_id", "score"]].itertuples(index=False)
    fields = ((topic, "Q0", doc, "1", score.format(value), "tag") for topic, doc, value in rows)
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
    faulty.small_blocks(monkeypatch, 97)


def check(qrels, run, forms, seed=0):
    """All that lists hold, and the scores of every ninth measure, another ninth for another seed.

    forms: functions of the run, by name; what they return is ranked.
    """
    expected = by_definition(qrels, run)
    some = [*EVERY.values()][seed % 9 :: 9]
    values = np.array(scores(some, expected)).tobytes()
    for name, form in forms.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = rank_rows(read_qrels(qrels, nil="ends"), recognised(form(run), RUN).rows())
        assert same_lists(found, expected), name
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


@pytest.mark.full
@given(seed=st.integers(0, 9999))
def test_memory(seed):
    check(*collection(seed), MEMORY, seed)


def test_a_run_may_be_empty():
    qrels, run = collection(1)
    check(qrels, run[:0], MEMORY)


@pytest.mark.parametrize("slow", [False, True])
def test_a_pipe_is_read_once(tmp_path, slow):
    """Though its topics are scattered, or it gives one byte of those by which a gzipped file is known."""
    qrels, run = collection(3)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = gzip.compress(lines(run)) if slow else FILES["scattered topics"](run)

    def write() -> None:
        with open(path, "wb", buffering=0) as pipe:
            for part in (data[:1], data[1:9], data[9:]):
                pipe.write(part)
                time.sleep(0.05 * slow)

    writer = threading.Thread(target=write)
    writer.start()
    check(qrels, run, {"pipe": lambda run: path})
    writer.join()


@pytest.mark.parametrize(("row", "problem"), [
    ("20 Q0 d 1 x t", r"a\.run, line 126 \(topic 20, document d\): score 'x' is not a number"),
    ("19 Q0 d99 1 1 t", "topic 19, document d99: it is in the list twice"),
])  # fmt: skip
def test_errors_name_the_line_in_any_block_whatever_ends_the_lines(tmp_path, row, problem):
    path = tmp_path / "a.run"
    ends = "\n", "\r", "\r\n", "\n\r"
    text = "".join(f"{at // 5} Q0 d{at} 1 {-at} t{ends[at % 4]}" for at in range(100))
    path.write_bytes((text + row).encode())
    refused(ValueError, problem, calc, "AP", {"1": {"d5": 1}}, path)


@pytest.mark.parametrize("end", [b" ", b"\t", b"\r", b"\n", b"\n "])
@pytest.mark.parametrize("before", [b"\n", b"\r", b"\r\n", b"\r ", b" \r"])
def test_a_field_that_is_missing_is_not_made_up_of_white_space(tmp_path, before, end):
    path = tmp_path / "a.run"
    path.write_bytes(b"1 Q0 d 1 0.5 t" + before + b"1 Q0 e 1 0.4" + end)
    refused(ValueError, "line 2: 5 fields; 6 are needed", calc, "AP", {"1": {"d": 1}}, path)


@given(at=st.integers(1, 9))
def test_a_byte_order_mark_in_the_middle_is_part_of_an_id_in_any_block(tmp_path_factory, at):
    """Files with marks that were put behind each other."""
    path = tmp_path_factory.mktemp("run") / "a.run"
    lines = (f"{chr(0xFEFF) * (topic == at)}{topic} Q0 d 1 1 tag\n" for topic in range(10))
    path.write_text("".join(lines), "utf-8")
    assert read_rows(path, RUN).topics[at].as_py() == f"\ufeff{at}"
    mark = rf"'\\ufeff{at}' and '{at}' differ by a byte order mark alone: write them alike\.$"
    ignored = rf"ignored 1 topic that is not in the qrels \(for example \\ufeff{at}\)\."
    with pytest.warns(match=f"{ignored} {mark}"):
        assert calc("RR", {str(topic): {"d": 1} for topic in range(10)}, path).values.sum() == 9


def test_a_field_that_nobody_reads_may_be_anything_and_a_byte_order_mark_may_come_in_pieces(tmp_path):
    in_pieces = b"".join(gzip.compress(bytes([byte])) for byte in "\ufeff1 Q0 d 1 2 t\n".encode())
    for data in (b"1 \xff d 1 +2 \xff\n", in_pieces):
        (tmp_path / "a.run").write_bytes(data)
        assert read_rows(tmp_path / "a.run", RUN).to_dict() == {"1": {"d": 2.0}}


def test_more_ids_than_fit_at_once_are_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    """A run with scattered topics is read as a whole."""
    path = tmp_path / "a.run"
    path.write_bytes(FILES["scattered topics"](collection(3)[1]))
    qrels = read_qrels({"q0": {"a": 1}})

    def full(column: pa.ChunkedArray) -> pa.Array:
        raise pa.ArrowInvalid("offset overflow while concatenating arrays")

    monkeypatch.setattr(rows, "one_array", full)
    too_many = r"a\.run: more than 2 GiB of document ids at once.* sort it by topic"
    refused(ValueError, too_many, calc, "AP", qrels, path)


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


@pytest.fixture
def held(monkeypatch, tmp_path):
    """The most memory of Python, numpy and Arrow while a run of these lines is scored in blocks of 64 KiB."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 16)
    arrow = []

    def watched(function):
        def call(*args):
            result = function(*args)
            arrow.append(pa.total_allocated_bytes())
            return result

        return call

    for module, name in ((Builder, "add"), (Rows, "concat")):
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


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_memory_does_not_grow_with_a_run_whose_topics_are_contiguous(held):
    """Ten times the lines, plain or gzipped; where topics are scattered the run is held as a whole."""

    def lines(topics):
        return [f"{at // 100} Q0 d{at % 100} {at % 100} {-at} some-system\n" for at in range(100 * topics)]

    for name in ("some.run", "some.run.gz"):
        held(lines(20), name)  # what is imported and cached stays
        few, many = held(lines(100), name), held(lines(1000), name)
        assert many < 1.5 * few
        assert held(lines(1000)[50:] + lines(1)[:50], name) > 4 * few


JUDGED = {"a": {"a": 2, "b": 1, "c": 0}, "b": {"a": 1}, "c": {"c": 1}}
RETURNED = {"a": {"a": 9.0, "x": 8.0, "b": 7.0}, "b": {"b": 3.0, "a": 2.0}, "c": {"c": 1.0}}
LEFT = {"a": {"b": 1, "c": 0}, "b": {"a": 1}, "c": {}}, {"a": {"x": 8.0, "b": 7.0}, "b": {"a": 2.0}, "c": {}}
IDS = {"a": ["a"], "b": "b", "c": {"c"}, "other": ["x"]}
MEASURES = "RBPT nDCGT RR P@1 SetF NumRet"


WITHHELD = pytest.mark.filterwarnings("ignore:.*withheld=? says")


@WITHHELD
def test_lists_and_judgments_are_those_without_the_documents(tmp_path, command):
    texts = {"lines": "a a\nb b\nc c\n", "judgments": "a 0 a 0\nb 0 b 0\nc 0 c 0\n"}
    texts["ids.json"] = '{"a": ["a"], "b": ["b"], "c": ["c"]}'
    for name, data, form in (("qrels", JUDGED, "{} 0 {} {}\n"), ("run", RETURNED, "{} Q0 {} 1 {} t\n")):
        texts[name] = "".join(form.format(q, d, x) for q, docs in data.items() for d, x in docs.items())
    for name, written in texts.items():
        (tmp_path / name).write_text(written)
    lines, judgments, ids, qrels, run = (str(tmp_path / name) for name in texts)
    expected = calc(MEASURES, *LEFT).values.tolist()
    for withheld in (IDS, "same id", lines, judgments, ids):
        for returned in (RETURNED, run, {q: [*docs] for q, docs in RETURNED.items()}):
            for judged in (JUDGED, read_qrels(JUDGED)):
                results = calc(MEASURES, judged, returned, withheld=withheld, missing="error")
                assert results.values.tolist() == expected
    assert evaluator(MEASURES, JUDGED, withheld=IDS).calc(RETURNED).values.tolist() == expected
    for withheld in ("same id", lines):
        status, out, _ = command(qrels, run, "RR", "--withheld", withheld)
        assert (status, "0.5000" in out) == (0, True)


def test_it_is_reported_with_the_count():
    with pytest.warns(match=r"run \(dict\): 3 documents left 3 lists, as withheld= says"):
        calc("RR", JUDGED, RETURNED, withheld="same id")
    with pytest.warns(match=r"0 documents left 0 lists, as withheld= says"):
        calc("RR", JUDGED, RETURNED, withheld={"a": ["zzz"]})


@WITHHELD
def test_a_list_fills_the_cutoff_if_it_did_before_they_left():
    """Of the 3 documents of topic a 2 are left: RBPT@3 has no terminal document, and RBPT@4 has one."""
    left = calc("RBPT(p=0.5)@3 RBPT(p=0.5)@4 RBPT(p=0.5)@2 NumRet", JUDGED, RETURNED, withheld="same id")
    assert left.values[:, 0].tolist() == [0.25, 0.5, 0.25, 2]
    assert left.rankings.withheld.tolist() == [1, 1, 1]
    assert rank(JUDGED, RETURNED, withheld="same id").cut(1).withheld.tolist() == [0, 1, 1]
    curve = evaluator("RBPT(p=0.5)@3", JUDGED, withheld="same id").curves(RETURNED)["RBPT(p=0.5)@3"]
    assert curve.values[curve.offsets[0] : curve.offsets[1]].tolist() == [0, 0, 0.25]


@pytest.mark.parametrize("wrong", ["nowhere", 5, {"a": {"b": "c"}}, [("a", "b", "c")]])
def test_what_is_withheld_must_be_readable(wrong):
    refused(InputError, r"withheld: .*'same id' is needed", calc, "RR", JUDGED, RETURNED, withheld=wrong)
