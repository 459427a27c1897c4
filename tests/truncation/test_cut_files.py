"""Files of cuts and runs that are cut: what is written is read again, and wrong lines are named."""

import gzip
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import calc, rank
from ir_trunc._core.errors import InputError
from ir_trunc._ranking.nil import Convention
from ir_trunc._ranking.runs import read_run
from ir_trunc.truncation import Given, parse_policy, ranked, read_cuts, write_cuts, write_run

# What lines are split at, and what is not UTF-8 text, cannot be written; "#" begins a comment; two ids stand
# for something.
ids = st.text(
    st.characters(exclude_characters="\0\t\n\v\f\r ", exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(lambda text: not text.startswith("#") and text not in ("NIL", "__nil__"))
scores = st.floats(-1e6, 1e6, width=32)
a_run = st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1, max_size=8), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cuts")


@pytest.mark.parametrize("name", ["cuts.tsv", "cuts.tsv.gz"])
@given(cuts=st.dictionaries(ids, st.integers(0, 10**6), min_size=1))
def test_cuts_round_trip(folder, name, cuts):
    write_cuts(folder / name, cuts)
    assert read_cuts(folder / name) == cuts


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("name", ["some.run", "some.run.gz"])
@given(run=a_run, data=st.data())
def test_a_run_that_is_cut_reads_as_the_same_lists_cut(folder, name, run, data):
    rows = read_run(run)
    whole = ranked(rows)
    cuts = {topic: data.draw(st.integers(0, 9)) for topic in whole.topics}
    write_run(folder / name, rows, cuts)
    back = ranked(read_run(folder / name))
    assert back.topics == whole.topics
    expected = whole.cut(Given(cuts).cut(whole))
    assert back.lengths.tolist() == expected.lengths.tolist()
    assert back.scores[back.places].tolist() == expected.scores[expected.places].tolist()


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@given(run=a_run, judged=st.integers(0, 2**30), data=st.data())
def test_a_run_that_is_cut_scores_as_its_lists_cut(folder, run, judged, data):
    """R comes from the qrels: relevant documents that were cut off are still missed."""
    rng = np.random.default_rng(judged)
    qrels = {
        topic: {doc: int(rng.integers(0, 3)) for doc in docs} | {"missed": 1} for topic, docs in run.items()
    }
    rows = read_run(run)
    cuts = {topic: data.draw(st.integers(0, 9)) for topic in run}
    write_run(folder / "scored.run", rows, cuts)
    kept = {
        topic: sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[: cuts[topic]]
        for topic, docs in run.items()
    }
    expected = {topic: {doc: run[topic][doc] for doc in docs} for topic, docs in kept.items()}
    measures = "nDCGT RBPT AP OIE SetF RBPU"
    found = calc(measures, qrels, folder / "scored.run").values
    assert (found == calc(measures, qrels, expected).values).all()


def test_published_cuts_are_read_whatever_separates_the_fields(folder):
    path = folder / "published.txt"
    path.write_bytes(b"\xef\xbb\xbf301\t12\r\n302 0\r\n\r\n  303\t  1000\n")
    assert read_cuts(path) == {"301": 12, "302": 0, "303": 1000}
    assert parse_policy(str(path)) == Given({"301": 12, "302": 0, "303": 1000}, str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1\t3\n2\t-1\n", "line 2: '2 -1': .* whole number k >= 0 is needed"),
        (b"1\t3.5\n", "line 1: '1 3.5'"),
        (b"1\n", "line 1: '1'"),
        (b"1\t2\t3\n", "line 1: '1 2 3'"),
        (b"1\t3\n\n1\t4\n", "line 3: topic 1 has a cut already"),
        (b"\n\n", "is empty: 'topic<TAB>k'"),
        (b"\xff\t3\n", "line 1: the topic is not UTF-8"),
        ("1\t٣\n".encode(), "line 1"),
    ],
)
def test_wrong_lines_are_named(folder, text, message):
    path = folder / "wrong.tsv"
    path.write_bytes(text)
    with pytest.raises(InputError, match=f"cuts .*wrong.tsv.*{message}"):
        read_cuts(path)


def test_a_file_that_is_not_there_or_broken(folder):
    with pytest.raises(FileNotFoundError, match=r"cuts .*none.tsv: there is no such file"):
        read_cuts(folder / "none.tsv")
    (folder / "broken.gz").write_bytes(gzip.compress(b"1\t3\n" * 99)[:-9])
    with pytest.raises(InputError, match="ends in the middle"):
        read_cuts(folder / "broken.gz")


def test_what_cannot_be_written_is_refused(folder):
    rows = read_run({"1": {"a": 1.0}, "2": {"b": 1.0}})
    with pytest.raises(InputError, match="topic 2 has no cut"):
        write_run(folder / "x.run", rows, {"1": 1})
    with pytest.raises(InputError, match="topic 'a b': a TREC file cannot hold"):
        write_cuts(folder / "x.tsv", {"a b": 1})
    assert not (folder / "x.run").exists()


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_an_empty_list_is_written_as_the_placeholder_which_every_convention_reads_as_no_document(folder):
    rows = read_run({"1": {"a": 3.0, "b": 2.0}, "2": {"c": 3.0, "NIL": 2.0}, "3": {"__nil__": 1.0, "d": 0.5}})
    write_run(folder / "nil.run", rows, {"1": 0, "2": 1, "3": 1, "4": 7})
    lines = [line.split()[:4] for line in (folder / "nil.run").read_text().splitlines()]
    assert lines == [
        ["1", "Q0", "__nil__", "1"],
        ["2", "Q0", "c", "1"],
        ["3", "Q0", "d", "1"],
        ["4", "Q0", "__nil__", "1"],
    ]
    for convention in get_args(Convention):
        empty = rank({"1": {"x": 1}, "2": {}, "3": {}, "4": {}}, folder / "nil.run", nil=convention).lengths
        assert empty.tolist() == [0, 1, 1, 0]
