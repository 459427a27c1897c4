"""Figures that Liu, Moffat, Baldwin & Zhang (2016) print."""

import pytest

from ir_trunc import calc
from ir_trunc._core.rankings import Rankings

TABLE_1 = """
00     0  .333 .250 .500 .333
000    0  .250 .125 .431 .250
111    3 1.000 1.000 1.000 1.000
11     3 1.000 .917 .922 .648
11100  3 1.000 .906 .971 .917
101    3 1.000 .708 .698 .528
1      3 1.000 .667 .742 .306
10100  3 1.000 .646 .678 .491
011    3  .500 .458 .554 .403
01001  3  .500 .302 .490 .299
"""
MEASURES = "RRT RBPT(p=0.5) nDCGT APT"


def scored(measures: str, signs: str, relevant: int) -> list[float]:
    grades = [int(sign) for sign in signs]
    rankings = Rankings.from_lists([grades], [[1] * relevant + [0] * len(grades)])
    return calc(measures, None, rankings).values[:, 0].tolist()


@pytest.mark.parametrize("line", TABLE_1.strip().splitlines(), ids=lambda line: "R=".join(line.split()[:2]))
def test_table_1(line):
    signs, relevant, *printed = line.split()
    assert scored(MEASURES, signs, int(relevant)) == pytest.approx([float(x) for x in printed], abs=0.0005)


def test_an_empty_list_is_the_perfect_answer_to_a_nil_query():
    assert scored(MEASURES, "", relevant=0) == [1, 1, 1, 1]


def test_a_list_that_fills_the_imposed_depth_has_no_terminal_document():
    """Runs of five answers did not visibly stop: they keep their unmodified scores."""
    assert scored("RRT@5 APT@5", "00000", 0) == [0, 0]
    assert scored("nDCGT@5 RBPT@5", "11100", 3) == pytest.approx(scored("nDCG@5 RBP@5", "11100", 3))
    assert scored("RRT@5", "0000", 0) == [0.2]
