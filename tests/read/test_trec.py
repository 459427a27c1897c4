"""TREC files as people have them, qrels of NTCIR, and judged answers: scores, or an error with the line."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from messages import check, refused

from ir_trunc import InputError, IrTruncError, IrTruncWarning, calc, read_qrels, read_run
from ir_trunc.truncation import study

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
    "comments": lambda text: "# head\n" + text.replace("\n", "\n# 101 Q0 D9 1 9 t\n") + " # at the end\n",
    "comments and tabs": lambda text: text.replace(" ", "\t").replace("\n", "\n#\t101\t0\tD9\t1\n"),
}


def scored(folder, run=RUN, qrels=QRELS, measures=MEASURES):
    """Scores by measure and topic of files that hold this text."""
    for file, content in ((folder / "run.txt", run), (folder / "qrels.txt", qrels)):
        file.write_bytes(content.encode())
    return calc(measures, folder / "qrels.txt", folder / "run.txt")


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
    assert same(scored(tmp_path, **{which: SHAPES[shape](RUN if which == "run" else QRELS)}), plain)


@given(run=st.permutations(RUN.splitlines()), qrels=st.permutations(QRELS.splitlines()))
def test_the_order_of_lines_changes_no_score(folder, plain, run, qrels):
    assert same(scored(folder, "\n".join(run), "\n".join(qrels)), plain)


def test_topics_that_the_qrels_lack_are_counted_in_one_warning(tmp_path, plain):
    with pytest.warns() as caught:
        results = scored(tmp_path, "900 Q0 D1 1 2 s\n" + RUN + "901 Q0 D1 1 2 s\n900 Q0 D2 2 1 s\n")
    assert same(results, plain)
    assert [warning.category for warning in caught] == [IrTruncWarning]
    assert "2 topics" in str(caught[0].message)
    assert "run.txt" in str(caught[0].message)
    assert caught[0].filename.endswith("test_trec.py")  # the place that the user wrote


@pytest.mark.parametrize("measure", [*MEASURES.split(), "NumRet", "Judged@10"])
def test_the_placeholder_is_no_document_but_shows_its_topic(tmp_path, measure):
    qrels = QRELS + "104 0 __nil__ 1\n101 0 __nil__ 1\n"
    run = RUN + "101 Q0 __nil__ 1 99 s\n104 Q0 __nil__ 1 9 s\n"
    results = scored(tmp_path, run, qrels, measures=measure)
    without = calc(measure, tmp_path / "qrels.txt", {"101": ["D10", "D3", "D1", "D2"]}).values[0, 0]
    assert results.topics == ("101", "102", "103", "104")
    assert results.values[0, 0] == without
    assert results.values[0, 3] == calc(measure, {"104": {"D": 0}}, {"104": {}}).values[0, 0]


GOOD_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
GOOD_RUN = b"1 Q0 a 1 2.5 sys\n1 Q0 b 2 1.5 sys\n2 Q0 b 1 1.0 sys\n2 Q0 a 2 0.5 sys\n"
PACKED = gzip.compress(GOOD_RUN, mtime=0)


@pytest.fixture(scope="module")
def good_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    (folder / "good.qrels").write_bytes(GOOD_QRELS)
    (folder / "good.run").write_bytes(GOOD_RUN)
    return folder


def score_with(good_files, path, kind):
    """Scores of a file, beside good qrels or a good run."""
    qrels, run = (good_files / "good.qrels", path) if kind == "run" else (path, good_files / "good.run")
    return calc("AP RBPT nDCG@5", qrels, run)


def complaint_of_file(good_files, name, data, kind):
    """What is said about a file that holds these bytes."""
    (good_files / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        score_with(good_files, good_files / name, kind)
    message = str(caught.value)
    assert str(good_files / name) in message
    assert "\n" not in message
    return message


def with_line_3(kind, line):
    rows = {"run": GOOD_RUN, "qrels": GOOD_QRELS}[kind].splitlines()
    return b"\n".join([*rows[:2], line, *rows[2:], b""])


@pytest.mark.parametrize(("kind", "line", "parts"), [
    ("run", b"2 Q0 c 1 2.0", ["line 3", "5 fields", "6"]),
    ("run", b"2,Q0,c,1,2.0,sys", ["line 3", "1 field", "6"]),
    ("run", b"2 Q0 c 1 high sys", ["line 3", "topic 2", "document c", "'high'"]),
    ("run", b"2 Q0 c 1 0x1F sys", ["line 3", "topic 2", "document c", "'0x1F'"]),
    ("run", "2 Q0 c 1 ２ sys".encode(), ["line 3", "topic 2", "document c", "'２'"]),
    ("run", b"2 Q0 c 1 nan sys", ["line 3", "topic 2", "document c", "'nan'", "finite"]),
    ("run", b"2 Q0 c 1 1e999 sys", ["line 3", "topic 2", "document c", "'1e999'", "finite"]),
    ("run", b"2 Q0 c\xff 1 2.0 sys", ["line 3", "UTF-8"]),
    ("run", b"1 Q0 a 9 0.1 sys", ["topic 1", "document a", "twice"]),
    ("qrels", b"3 0 c", ["line 3", "3 fields", "4"]),
    ("qrels", b"3 0 c 1 1", ["line 3", "5 fields", "4"]),
    ("qrels", b"3 Q0 c 1 2.0 sys", ["line 3", "6 fields", "4"]),
    ("qrels", b"3 0 c relevant", ["line 3", "topic 3", "document c", "'relevant'"]),
    ("qrels", b"3 0 c 0x1", ["line 3", "topic 3", "document c", "'0x1'"]),
    ("qrels", "3 0 c ٢".encode(), ["line 3", "topic 3", "document c", "'٢'"]),
    ("qrels", b"3 0 c 2147483648", ["line 3", "topic 3", "document c", "2147483648", "2^31"]),
    ("qrels", b"3 0 c -9223372036854775808",
     ["line 3", "topic 3", "document c", "-9223372036854775808", "2^31"]),
    ("qrels", b"3 0 c -99999999999999999999", ["topic 3", "document c", "-99999999999999999999", "2^31"]),
    ("qrels", b"1 0 a 0", ["topic 1", "document a", "twice"]),
])  # fmt: skip
def test_a_bad_line_is_named(good_files, kind, line, parts):
    check(complaint_of_file(good_files, "bad", with_line_3(kind, line), kind), *parts)


@pytest.mark.parametrize("separator", [b" ", b"\t", b"  "])
@pytest.mark.parametrize(("rank", "problem"), [
    (b"0x10", "rank '0x10' is not a whole number"),
    (b"1.0", "rank '1.0' is not a whole number"),
    (b"x", "rank 'x' is not a whole number"),
    (b"2147483648", "rank '2147483648': a number below 2^31 is needed"),
    (b"-3000000000", "rank '-3000000000': a number below 2^31 is needed"),
])  # fmt: skip
def test_a_rank_that_decides_is_a_whole_number_whatever_is_between_the_fields(
    good_files, rank, problem, separator
):
    path = good_files / "ranks.run"
    path.write_bytes(separator.join([b"1", b"Q0", b"a", rank, b"2.5", b"sys\n"]) + GOOD_RUN[17:])
    with pytest.raises(InputError, match=rf"line 1 \(topic 1, document a\): {re.escape(problem)}\.$"):
        calc("RR", good_files / "good.qrels", path, order="rank")


@pytest.mark.parametrize(("name", "data", "part"), [
    ("empty", b"", "empty"),
    ("blank", b" \n\t\r\n\n", "empty"),
    ("mark", b"\xef\xbb\xbf", "empty"),
    ("plain.gz", GOOD_RUN, "not a gzip file"),
    ("twice.gz", gzip.compress(PACKED, mtime=0), "not text"),
    ("rubbish", bytes(range(1, 256)) * 9, "line 1"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_file_that_is_no_list_of_lines_is_named(good_files, name, data, part, kind):
    assert part in complaint_of_file(good_files, name, data, kind)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_missing_file_and_a_directory_are_named(good_files, kind):
    for form in (str, Path):
        with pytest.raises(IrTruncError, match=f"^{kind} .*/nothing-here: there is no such file") as caught:
            score_with(good_files, form(good_files / "nothing-here"), kind)
        assert isinstance(caught.value, FileNotFoundError)
        refused(InputError, f"^{kind} .* is a directory", score_with, good_files, form(good_files), kind)


def test_a_topic_of_thousands_of_digits_is_a_topic(good_files):
    """Python refuses to turn so long a text into a number."""
    (good_files / "long.qrels").write_bytes(b"9" * 5000 + b" 0 a 1\n1 0 a 1\n")
    assert calc("AP", good_files / "long.qrels", {"1": ["a"]}).topics[0] == "1"


def test_a_bad_value_that_is_long_is_shown_in_part(good_files):
    data = with_line_3("run", b"2 Q0 c 1 " + b"x" * 100_000 + b" sys")
    assert len(complaint_of_file(good_files, "long.run", data, "run")) < 1000


def test_line_numbers_are_right_behind_comments(tmp_path):
    good = "".join(f"{topic} Q0 d{rank} {rank} {-rank} t\n" for topic in range(1000) for rank in range(100))
    more = good.replace(" Q0 d", "x Q0 d")
    (tmp_path / "run").write_text(f"# head\n{good}# 1 Q0 x 1 1 t\n{more}last Q0 d 1 x t\n")
    refused(InputError, "line 200003 ", calc, "RR", {"1": {"a": 1}}, tmp_path / "run")


def test_a_comment_that_looks_like_a_row_is_said_once(tmp_path):
    (tmp_path / "run").write_text("#1 Q0 a 1 2 t\n#1 Q0 b 2 1 t\n1 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n#1 0 a 1\n")
    with pytest.warns(IrTruncWarning) as said:
        assert len(calc("RR", tmp_path / "qrels", tmp_path / "run").topics) == 1
    texts = [str(warning.message) for warning in said]
    assert ["'#1 0 a 1'" in text for text in texts] == [True, False]
    assert "'#1 Q0 a 1 2 t'. If it is one, its topic needs an id that does not begin with #." in texts[1]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_comment_is_left_out_whatever_ends_the_line_above(tmp_path, end):
    (tmp_path / "run").write_bytes(end.join([b"1 Q0 a 1 2 t", b"#1 Q0 b 2 1 t", b"1 Q0 c 3 0 t", b""]))
    with pytest.warns(IrTruncWarning, match="but one looks like a row: '#1 Q0 b 2 1 t'"):
        assert read_run(tmp_path / "run").docs.to_pylist() == ["a", "c"]


def test_a_comment_that_is_no_row_is_not_spoken_of(tmp_path, recwarn):
    (tmp_path / "run").write_text("#query Q0 doc rank score tag\n# 1 Q0 a 1 2\n#1 Q0 a 1 2\n1 Q0 a 1 2 t\n")
    assert calc("RR", {"1": {"a": 1}}, tmp_path / "run")
    assert not recwarn.list


NTCIR = "0001 clueweb12-a L3\n0001 clueweb12-b L0\n0002 clueweb12-a L1\n"
NTCIR_GRADES = {"0001": {"clueweb12-a": 3, "clueweb12-b": 0}, "0002": {"clueweb12-a": 1}}


@pytest.mark.needs("answers as data", "tables in files")
@pytest.mark.parametrize("shape", ["tabs", "CRLF", "byte order mark"])
def test_levels_are_grades(tmp_path, shape):
    (tmp_path / "qrels").write_bytes(SHAPES[shape]("# NTCIR\n\n" + NTCIR).encode())
    assert read_qrels(tmp_path / "qrels").to_dict() == NTCIR_GRADES


@pytest.mark.needs("answers as data", "tables in files")
@pytest.mark.parametrize(("line", "says"), [
    ("1 b X2", "line 2 .topic 1, document b.: relevance 'X2' is not a whole number"), ("1 0 b 2", "line 2"),
    ("1 b Lx", "line 2"), ("1 b L-1", "line 2"), ("1 b L9999999999", "line 2"), ("1 a L2", "judged twice"),
])  # fmt: skip
def test_a_line_of_another_form_is_named(tmp_path, line, says):
    (tmp_path / "qrels").write_text(f"1 a L1\n{line}\n")
    refused(InputError, says, read_qrels, tmp_path / "qrels")


def test_words_after_the_tag_are_counted_and_not_read(tmp_path):
    """trec_eval reads such lines, its own results.trunc among them; a blank in an id is an error."""
    (tmp_path / "long.run").write_text("1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag and words\n2 Q0 c 1 1.0 tag x\n")
    with pytest.warns(match=r"long.run: the words after the tag.* 2 lines \(for example line 2\)"):
        rows = read_run(tmp_path / "long.run")
    assert [*rows.docs.to_pylist(), *rows.values] == ["a", "b", "c", 2.0, 1.0, 1.0]
    (tmp_path / "long.run").write_text("1 Q0 my doc 1 2.0 tag\n")
    refused(InputError, "line 1: 7 fields; 6 are needed", read_run, tmp_path / "long.run")


# Ranked answers of the question answering tracks, and their judgments: strict and lenient.
JUDGED = """\
# question document judgment answer
1 AP-1 1 in 1968 he won
1 AP-2 2 in 1968, it says
1 AP-3 -1 in 1969
2 AP-4 -1 the Nile
2 AP-5 -1 of the Amazon
3 AP-6 1 Oslo
3 AP-6 3 Oslo, the capital of
"""
ANSWERED = """\
1 Q0 AP-2 1 0.3 sys in 1968, it says
1 Q0 AP-1 2 0.3 sys in 1968   he won
1 Q0 NIL 3 0.1 sys
1 Q0 AP-3 4 0.1 sys in 1969
2 Q0 NIL 1 0.2 sys
3 Q0 AP-9 1 0.1 sys Bergen
3 Q0 AP-6 2 0.7 sys Oslo
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged").write_text(JUDGED)
    (tmp_path / "sys.run").write_text(f"# question Q0 document rank score tag answer\n{ANSWERED}")
    nil_first = sorted(ANSWERED.splitlines(True), key=lambda line: line[0] != "2")
    (tmp_path / "nil-first.run").write_text("".join(nil_first))
    return tmp_path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("levels", "grade"), [(None, 0), ({"2": 1}, 1), ({"2": 1, "1": 2}, 1)])
def test_judgments_equal_their_reference(files, levels, grade):
    found = read_qrels(files / "judged", levels=levels).to_dict()
    right = (levels or {}).get("1", 1)
    assert found == {
        "1": {"AP-1 in 1968 he won": right, "AP-2 in 1968, it says": grade, "AP-3 in 1969": 0},
        "2": {"AP-4 the Nile": 0, "AP-5 of the Amazon": 0},
        "3": {"AP-6 Oslo": right, "AP-6 Oslo, the capital of": 0},
    }


def test_what_strict_means_is_reported(files):
    with pytest.warns(match=r"1 answer that the document does not support .* wrong \(strict\); levels="):
        read_qrels(files / "judged")


def liu(grades, R):
    """RBP' with p = 0.5 of a list that its system ended: the rest of all ranks has the gain r_t."""
    r_t = sum(grades) / R if R else 1
    return sum(0.5 ** (rank + 1) * grade for rank, grade in enumerate(grades)) + 0.5 ** len(grades) * r_t


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sys.run", "nil-first.run"])
@pytest.mark.parametrize(("levels", "first"), [(None, 0), ({"2": 1}, 1)])
def test_lists_are_in_the_order_of_ranks_and_nil_ends_them(files, name, levels, first):
    """Liu et al. 2016, section 3: a pair of document and answer is right if the document supports it."""
    qrels = read_qrels(files / "judged", levels=levels)
    expected = [liu([first, 1], 1 + first), liu([], 0), liu([0, 1], 1)]
    assert calc("RBPT(p=0.5)@5", qrels, files / name, nil="ends").values[0].tolist() == expected
    assert calc("RR", qrels, files / name, nil="trec2001").values[0].tolist() == [1 / (2 - first), 1, 0.5]
    lengths = study.nil_report(files / name, depth=5)  # figure 1
    assert [*map(sorted, (lengths.before, lengths.after))] == [[1, 2, 4], [0, 2, 2]]


@pytest.mark.filterwarnings("ignore")
def test_scores_are_kept_where_ranks_are_asked_for(files):
    qrels = {"1": {}, "2": {}, "3": {"AP-6 Oslo": 1}}
    results = calc("RR NumRet", qrels, files / "sys.run", order="rank", keep_scores=True)
    assert results.values.tolist() == [[0, 0, 0.5], [4, 1, 2]]
    assert results.rankings.scores.tolist()[-2:] == pytest.approx([0.1, 0.7])


@pytest.mark.parametrize(("text", "message"), [
    ("1 AP-1 1 in 1968 he won\n1 AP-2 4 in 1969\n1 AP-3 1 x y\n", "line 2: judgment '4': one of -1, 1, 2, 3"),
    ("1 AP-1 1 in 1968 he won\n1 AP-2\n1 AP-3 1 x y\n", "line 2: 2 fields; 3 and an answer are needed"),
])  # fmt: skip
def test_judgments_that_are_wrong(files, text, message):
    many = "".join(f"1 AP-{n} 1 in the year {n}\n" for n in range(9, 9000))
    (files / "wrong").write_text(many + text)
    refused(InputError, message.replace("line 2", f"line {8991 + 2}"), read_qrels, files / "wrong")


@pytest.mark.parametrize(("line", "message"), [
    ("1 Q0 AP-8 one 0.1 sys won", r"line 8: rank 'one' and score '0\.1': numbers are needed"),
    ("1 Q0 AP-8 5 0.1", "line 8: 5 fields; 6 and an answer are needed"),
    ("1 Q0 AP-1 5 0 sys in 1968 he won", "topic 1.*AP-1 in 1968 he won"),
])  # fmt: skip
def test_runs_that_are_wrong(files, line, message):
    (files / "sys.run").write_text(f"{ANSWERED}{line}\n")
    refused(InputError, message, calc, "RR", {"1": {"x": 1}}, files / "sys.run")


def test_a_tag_of_several_words_is_no_answer(files):
    run = "".join(f"1 Q0 d{rank} {rank} {9 - rank} my own tag\n" for rank in range(4))
    (files / "words.run").write_text(run)
    with pytest.warns(match="the words after the tag, the sixth field, are not read: 4 lines"):
        assert calc("RR", {"1": {"d1": 1}}, files / "words.run").values.tolist() == [[0.5]]
