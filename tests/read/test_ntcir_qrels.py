"""Qrels as NTCIR has them: `topic document L3`."""

import gzip

import pytest

from ir_trunc import InputError, calc_aggregate, read_qrels

LINES = "0001 clueweb12-a L3\n0001 clueweb12-b L0\n0002 clueweb12-a L1\n"
GRADES = {"0001": {"clueweb12-a": 3, "clueweb12-b": 0}, "0002": {"clueweb12-a": 1}}


@pytest.mark.parametrize(
    "text", [LINES, LINES.replace(" ", "\t"), "# NTCIR\n\n" + LINES.replace("\n", "\r\n")]
)
def test_levels_are_grades(tmp_path, text):
    (tmp_path / "qrels").write_bytes(text.encode())
    with gzip.open(tmp_path / "qrels.gz", "wb") as file:
        file.write(text.encode())
    for name in ("qrels", "qrels.gz"):
        assert read_qrels(tmp_path / name).to_dict() == GRADES
        assert read_qrels(str(tmp_path / name)).to_dict() == GRADES


def test_a_run_is_scored_by_them(tmp_path):
    (tmp_path / "qrels").write_text(LINES)
    run = {"0001": ["clueweb12-b", "clueweb12-a"], "0002": ["clueweb12-a"]}
    means = calc_aggregate("MSnDCG@10 nERR(gain='linear', max_rel=4)@10", tmp_path / "qrels", run)
    first, second = 0.6309297535714575, 0.5  # by formula: 1 / log2(3), and half of 3/4 over 3/4
    assert list(means.values()) == pytest.approx([(first + 1) / 2, (second + 1) / 2])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 a L1\n1 b 2\n", "line 2: '1 b 2': 'topic document L<grade>' is needed"),
        ("1 a L1\n1 0 b 2\n", "line 2"),
        ("1 a L1\n1 b Lx\n", "line 2"),
        ("1 a L1\n1 b L-1\n", "line 2"),
        ("1 a L1\n1 b L9999999999\n", "line 2"),
        ("1 a L1\n1 a L2\n", "judged twice"),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path, text, says):
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(InputError, match=says):
        read_qrels(tmp_path / "qrels")


def test_trec_lines_stay_trec_lines(tmp_path):
    (tmp_path / "qrels").write_text("1 0 L3 2\n1 0 b 0\n")
    assert read_qrels(tmp_path / "qrels").to_dict() == {"1": {"L3": 2, "b": 0}}
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match="empty"):
        read_qrels(tmp_path / "empty")
