"""Ranked answers of TREC's question answering tracks, and their judgments: strict and lenient."""

import re

import pytest
from messages import refused

from ir_trunc import InputError, calc, read_qrels
from ir_trunc._cli.main import main
from ir_trunc.truncation import study

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
RUN = """\
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
    (tmp_path / "sys.run").write_text(f"# question Q0 document rank score tag answer\n{RUN}")
    (tmp_path / "nil-first.run").write_text(
        "".join(sorted(RUN.splitlines(True), key=lambda line: line[0] != "2"))
    )
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
    with pytest.warns(
        match=r"1 answer that the document does not support count as wrong \(strict\); levels="
    ):
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
    by_trec = calc("RR", qrels, files / name, nil="trec2001").values[0].tolist()
    assert by_trec == [1 / (2 - first), 1, 0.5]
    lengths = study.nil_report(files / name, depth=5)  # figure 1
    assert [*map(sorted, (lengths.before, lengths.after))] == [[1, 2, 4], [0, 2, 2]]


@pytest.mark.filterwarnings("ignore")
def test_scores_are_kept_where_ranks_are_asked_for(files):
    qrels = {"1": {}, "2": {}, "3": {"AP-6 Oslo": 1}}
    results = calc("RR NumRet", qrels, files / "sys.run", order="rank", keep_scores=True)
    assert results.values.tolist() == [[0, 0, 0.5], [4, 1, 2]]
    assert results.rankings.scores.tolist()[-2:] == pytest.approx([0.1, 0.7])


@pytest.mark.filterwarnings("ignore")
def test_one_command_compares_the_orders_of_systems(files, capsys):
    """Table 3 and figures 2 and 3."""
    (files / "other.run").write_text(RUN.replace("in 1968, it says", "in 1970, they say"))
    words = "meta truncation-impact judged sys.run other.run RBPT(p=0.5)@5 --levels 2=1"
    assert main(words.split()) == 0
    printed = capsys.readouterr().out
    before, after = (0.75 + 0.5 + 0.25) / 3, (liu([1, 1], 2) + liu([], 0) + liu([0, 1], 1)) / 3
    assert re.search(rf"sys.run +1.0000 +{before:.4f} +{after:.4f}", printed)
    before, after = (0.25 + 0.5 + 0.25) / 3, (liu([0, 1], 2) + liu([], 0) + liu([0, 1], 1)) / 3
    assert re.search(rf"other.run +1.0000 +{before:.4f} +{after:.4f}", printed)


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
    (files / "sys.run").write_text(f"{RUN}{line}\n")
    refused(InputError, message, calc, "RR", {"1": {"x": 1}}, files / "sys.run")


def test_a_tag_of_several_words_is_no_answer(files):
    run = "".join(f"1 Q0 d{rank} {rank} {9 - rank} my own tag\n" for rank in range(4))
    (files / "words.run").write_text(run)
    with pytest.warns(match="the words after the tag, the sixth field, are not read: 4 lines"):
        assert calc("RR", {"1": {"d1": 1}}, files / "words.run").values.tolist() == [[0.5]]
