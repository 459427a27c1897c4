"""TREC files as people have them: a readable file gives the right scores, any other a clear error."""

import gzip
import io
import re
import warnings

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, compare

MEASURES = "AP RR P@2 nDCG RBPT OIE APT c@1"

QRELS = """\
101 0 D1 1
101 0 D10 0
101 0 D2 2
102 0 ärztin-漢字 1
102 0 "q,u\\o'te" 0
103 0 D1 0
"""

RUN = """\
101 Q0 D10 1 9.5 sys
101 Q0 D1 2 7.25 sys
101 Q0 D3 3 7.25 sys
101 Q0 D2 4 -1.5 sys
102 Q0 "q,u\\o'te" 1 3 sys
102 Q0 ärztin-漢字 2 2 sys
102 Q0 ärztin 3 1 sys
103 Q0 D7 1 .5 sys
"""


def lines(text, change):
    return "".join(change(line) + "\n" for line in text.splitlines())


def gzipped(data, name="x"):
    """A gzip member with or without the name of its file."""
    buffer = io.BytesIO()
    with gzip.GzipFile(name, "wb", fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def interleaved(text):
    """The first line of every topic, then the second of every topic, and so on."""
    by_topic = {}
    for line in text.splitlines():
        by_topic.setdefault(line.split()[0], []).append(line)
    depth = max(map(len, by_topic.values()))
    return "".join(rows[at] + "\n" for at in range(depth) for rows in by_topic.values() if at < len(rows))


SHAPES = {
    "tabs": lambda text: text.replace(" ", "\t"),
    "several blanks": lambda text: text.replace(" ", "     "),
    "tabs and blanks": lambda text: text.replace(" ", " \t ", 7).replace("sys\n", "\t sys\n"),
    "leading blanks": lambda text: lines(text, lambda line: "  " + line),
    "leading tab": lambda text: "\t" + text,
    "trailing blanks": lambda text: lines(text, lambda line: line + " \t"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CRLF in some lines": lambda text: text.replace("\n", "\r\n", 2),
    "trailing blanks and CRLF": lambda text: text.replace("\n", "  \r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "byte order mark and CRLF": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "no last newline": lambda text: text.rstrip("\n"),
    "blank lines": lambda text: "\n\n" + text.replace("\n", "\n\n") + "\n",
    "lines of blanks": lambda text: " \n" + text.replace("\n", "\n \t \n"),
    "topics interleaved": interleaved,
    "upside down": lambda text: "".join(text.splitlines(keepends=True)[::-1]),
    "gzip": lambda text: gzipped(text.encode()),
    "gzip in two members": lambda text: gzipped(text.encode()[:70]) + gzipped(text.encode()[70:]),
    "gzip without a name, padded": lambda text: gzipped(text.encode(), "") + bytes(512),
    "gzip of CRLF": lambda text: gzipped(text.replace("\n", "\r\n").encode()),
}


def scored(folder, run=RUN, qrels=QRELS, name="run.txt", measures=MEASURES, **options):
    """Scores by measure and topic of files that hold this text."""
    for file, content in ((folder / name, run), (folder / "qrels.txt", qrels)):
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return calc(measures, folder / "qrels.txt", folder / name, **options)


def same(one, other):
    return one.topics == other.topics and np.array_equal(one.values, other.values)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def plain(folder):
    return scored(folder)


def test_the_plain_file_has_the_scores_that_one_counts_by_hand(plain):
    assert plain.topics == ("101", "102", "103")
    by_topic = plain.to_pandas()
    assert by_topic["RR"].tolist() == [1 / 3, 1 / 2, 0]  # 101: D3 stands before D1, which has the same score
    assert by_topic["P@2"].tolist() == [0, 0.5, 0]
    assert by_topic["AP"].tolist() == [(1 / 3 + 2 / 4) / 2, 1 / 2, 0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("which", ["run", "qrels"])
def test_the_shape_of_a_file_changes_no_score(tmp_path, plain, shape, which):
    text = SHAPES[shape](RUN if which == "run" else QRELS)
    assert same(scored(tmp_path, **{which: text}), plain)


def test_gzip_is_known_by_its_content_and_its_name(tmp_path, plain):
    assert same(scored(tmp_path, run=gzipped(RUN.encode()), name="run.gz"), plain)
    assert same(scored(tmp_path, run=gzipped(RUN.encode()), name="run"), plain)


@given(run=st.permutations(RUN.splitlines()), qrels=st.permutations(QRELS.splitlines()))
def test_the_order_of_lines_changes_no_score(folder, plain, run, qrels):
    assert same(scored(folder, "\n".join(run), "\n".join(qrels)), plain)


@pytest.mark.parametrize(("text", "value"), [
    ("+1.5", 1.5), ("1e5", 1e5), (".5", 0.5), ("-3", -3), ("1E-3", 0.001), ("2.", 2), ("007", 7),
    ("+.5e+1", 5), ("-0", 0),
    ("3.4028235e38", 3.4028235e38), ("1e-300", 1e-300), ("0.1000000000000000055511151231257827", 0.1),
    ("16777217", 2**24),
])  # fmt: skip
def test_numbers_are_read_as_they_are_written(tmp_path, text, value):
    """The document's place among others tells its score."""
    near = np.unique(
        np.float32([value - 0.25, np.nextafter(np.float32(value), np.float32(-np.inf)), value + 0.25])
    )
    others = [float(x) for x in near if x != np.float32(value)]
    run = f"1 Q0 m 1 {text} sys\n" + "".join(f"1 Q0 x{x} 1 {x!r} sys\n" for x in others)
    rank = 1 + sum(x > value for x in others)
    assert scored(tmp_path, run, "1 0 m 1\n", measures="RR").values[0, 0] == 1 / rank


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize(
    ("doc", "rank"), [("é", 1), ("b", 2), ("aa", 3), ("a", 4), ("B", 5), ("10", 6), ("1", 7)]
)
@pytest.mark.parametrize(
    "scores", [[1] * 7, [1 + at * 1e-9 for at in range(7)]], ids=["equal", "equal in 32 bits"]
)
def test_documents_of_the_same_score_stand_by_id_descending_bytewise(tmp_path, doc, rank, scores):
    ids = ["a", "10", "é", "B", "1", "aa", "b"]
    run = "".join(f"1 Q0 {name} 1 {score!r} sys\n" for name, score in zip(ids, scores))
    assert scored(tmp_path, run, f"1 0 {doc} 1\n", measures="RR").values[0, 0] == 1 / rank


def test_ids_may_be_long_and_begin_alike(tmp_path):
    long = "x" * 100_000
    docs = ["", "1", "0", "10"]
    run = "".join(
        f"{long}{q} Q0 {long}{d} 1 {-at} sys\n" for q in ("", "1", "2") for at, d in enumerate(docs)
    )
    results = scored(
        tmp_path, run, f"{long} 0 {long}10 1\n{long}2 0 {long}1 1\n{long}1 0 {long} 1\n", measures="RR"
    )
    assert results.values[0].tolist() == [1 / 4, 1, 1 / 2]


def test_topics_come_in_the_order_of_their_numbers(tmp_path):
    assert scored(tmp_path, qrels="10 0 a 1\n9 0 a 1\n101 0 a 1\n", run="9 Q0 a 1 1 s\n").topics == (
        "9",
        "10",
        "101",
    )


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_a_file_of_many_megabytes_is_read_to_its_end(tmp_path):
    rows = [(topic, doc, (doc * 7919 + topic) % 1009) for topic in range(60) for doc in range(1000)]
    run = "".join(f"{topic} Q0 document-{doc:06} 1 {score} some-system\n" for topic, doc, score in rows)
    qrels = "".join(f"{topic} 0 document-{doc:06} 1\n" for topic, doc, score in rows if score < 400)
    as_dict = {}
    for topic, doc, score in rows:
        as_dict.setdefault(str(topic), {})[f"document-{doc:06}"] = score
    results = scored(tmp_path, run, qrels)
    assert len(run) > 2**21
    assert same(results, calc(MEASURES, tmp_path / "qrels.txt", as_dict))
    with pytest.raises(InputError, match="line 60001"):
        scored(tmp_path, run + "one field too few 0\n", qrels)


CHARACTERS = st.characters(exclude_categories=["Z", "C"])
IDS = st.text(CHARACTERS, min_size=1, max_size=4) | st.sampled_from(["a", "a1", "a10", "é"])
SCORES = st.sampled_from(
    [0.0, -0.0, 1.0, 1 + 1e-9, 1.5, -3.0, 1e30, 1e-30, 2.0**24, 2.0**24 + 1]
) | st.floats(-1e6, 1e6)
TOPICS = st.sampled_from(["1", "2", "10", "q"])
QRELS_DICT = st.dictionaries(
    TOPICS, st.dictionaries(IDS, st.integers(0, 3), min_size=1, max_size=9), min_size=1
)
RUN_DICT = st.dictionaries(TOPICS, st.dictionaries(IDS, SCORES, min_size=1, max_size=12), min_size=1)


@given(qrels=QRELS_DICT, run=RUN_DICT)
@example(qrels={"1": {"a": 1}}, run={"1": {"b": 1.0, "a": 1 + 1e-9}})
def test_the_same_figures_as_trec_eval_for_any_ids_and_ties(folder, qrels, run):
    names = {"AP": "map", "RR": "recip_rank", "P@5": "P_5"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names.values())).evaluate(run)
    rows = [f"{q} Q0 {d} 1 {s!r} sys\n" for q, docs in run.items() for d, s in docs.items()]
    judged = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        ours = scored(folder, "".join(rows), "".join(judged), measures=list(names))
    for measure, values in zip(names, ours.values.tolist()):
        assert values == [theirs.get(topic, {}).get(names[measure], 0) for topic in ours.topics], measure


def test_a_topic_that_the_run_lacks_is_an_empty_list(tmp_path, plain):
    run = "".join(line for line in RUN.splitlines(keepends=True) if line.startswith("101"))
    results = scored(tmp_path, run, measures="RR RBPT")
    assert results.topics == plain.topics
    assert results.values[:, 1:].tolist() == [
        [0, 0],
        [0, 1],
    ]  # silence is right where there is nothing to find


def test_runs_are_named_by_their_files(tmp_path):
    scored(tmp_path, name="a.run")
    scored(tmp_path, gzipped(RUN.encode()), name="b.run.gz")
    table = compare(
        "AP RBPT", tmp_path / "qrels.txt", [tmp_path / "a.run", str(tmp_path / "b.run.gz")]
    ).to_pandas()
    assert table.index.tolist() == ["a.run", "b.run"]
    assert table.iloc[0].tolist() == table.iloc[1].tolist()


def test_topics_that_the_qrels_lack_are_counted_in_one_warning(tmp_path, plain):
    with pytest.warns() as caught:
        results = scored(tmp_path, "900 Q0 D1 1 2 s\n" + RUN + "901 Q0 D1 1 2 s\n900 Q0 D2 2 1 s\n")
    assert same(results, plain)
    assert [warning.category for warning in caught] == [IrTruncWarning]
    assert "2 topics" in str(caught[0].message)
    assert "run.txt" in str(caught[0].message)
    assert caught[0].filename.endswith("test_files.py")  # the place that the user wrote


def test_documents_behind_NIL_are_counted_in_one_warning(tmp_path):
    short = "1 Q0 a 1 9 s\n3 Q0 a 1 9 s\n"
    rest = "2 Q0 NIL 1 9 s\n2 Q0 a 2 8 s\n1 Q0 NIL 2 8 s\n1 Q0 b 3 7 s\n1 Q0 c 4 6 s\n3 Q0 NIL 2 8 s\n"
    qrels = "1 0 a 1\n1 0 b 1\n2 0 a 1\n3 0 b 0\n"
    with pytest.warns() as caught:
        results = scored(tmp_path, short + rest, qrels, nil="ends")
    assert [warning.category for warning in caught] == [IrTruncWarning]
    assert re.search(r"NIL ends 2 list.* 3 document", str(caught[0].message))
    assert same(results, scored(tmp_path, short, qrels))


@pytest.mark.parametrize("measure", ["NumRet", "NumRet(rel=1)", "Judged@10", "infAP", "AP", "P@5"])
@pytest.mark.filterwarnings("ignore:.*NIL ends")
def test_NIL_ends_the_list_for_every_measure(tmp_path, measure):
    run = "1 Q0 x 1 9 s\n1 Q0 a 2 8 s\n1 Q0 NIL 3 7 s\n1 Q0 b 4 6 s\n"
    qrels = "1 0 a 1\n1 0 b 1\n"
    cut = "".join(run.splitlines(keepends=True)[:2])
    assert same(
        scored(tmp_path, run, qrels, measures=measure, nil="ends"),
        scored(tmp_path, cut, qrels, measures=measure),
    )


@pytest.mark.parametrize("measure", [*MEASURES.split(), "NumRet", "Judged@10"])
def test_the_placeholder_is_no_document_but_shows_its_topic(tmp_path, measure):
    qrels, run = (
        QRELS + "104 0 __nil__ 1\n101 0 __nil__ 1\n",
        RUN + "101 Q0 __nil__ 1 99 s\n104 Q0 __nil__ 1 9 s\n",
    )
    results = scored(tmp_path, run, qrels, measures=measure)
    without = calc(measure, tmp_path / "qrels.txt", {"101": ["D10", "D3", "D1", "D2"]}).values[0, 0]
    assert results.topics == ("101", "102", "103", "104")
    assert results.values[0, 0] == without
    assert results.values[0, 3] == calc(measure, {"104": {"D": 0}}, {"104": {}}).values[0, 0]


def test_a_run_of_placeholders_only_is_silent_everywhere(tmp_path):
    run = "".join(f"{topic} Q0 __nil__ 1 0 s\n" for topic in (101, 102, 103))
    assert same(scored(tmp_path, run), calc(MEASURES, tmp_path / "qrels.txt", {}))
    assert not ir_trunc.rank(tmp_path / "qrels.txt", tmp_path / "run.txt").lengths.any()
