"""What Amigó, Mizzaro & Spina (2022) say of their measures, in figures."""

from ir_trunc import calc
from ir_trunc._core.rankings import Rankings

A, B = "1" * 10, "1" * 10 + "0" * 10


TRUNCATED = "nDCGT RBPT ERRT APT FlatU DCGU RBPU ERRU RBU OIE SetF"


def test_only_truncated_measures_prefer_the_list_that_ends():
    """Classical measures cannot tell the introduction's systems apart."""
    rankings = Rankings.from_lists([list(map(int, signs)) for signs in (A, B)], [[1] * 11 + [0] * 30] * 2)
    classical = calc("AP nDCG RBP P@10 nDCG@10 RR", None, rankings).values
    assert (classical[:, 0] == classical[:, 1]).all()
    truncated = calc(TRUNCATED, None, rankings).values
    assert (truncated[:, 0] > truncated[:, 1]).all()
