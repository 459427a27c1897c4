"""What Amigó, Mizzaro & Spina (2022) say of their measures, in figures."""

import pytest

from ir_trunc import calc, curves
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


def test_utility_at_every_cut_of_ten_irrelevant_documents_followed_by_relevant_ones():
    """Figure 1: the first ten documents only cost; a patient reader is paid back later, a satisfied or hasty
    one never.

    The paper's prose counts RBPU(p=0.8) among those that are never paid back; by its formula it is, from rank
    13 on.
    """
    rankings = Rankings.from_lists([[0] * 10 + [1] * 40], [[1] * 40 + [0] * 10])
    by_name = {
        str(m): curve.values
        for m, curve in curves("FlatU RBPU RBPU(p=0.98) DCGU RBU ERRU", None, rankings).items()
    }
    for values in by_name.values():
        assert (values[1:] < values[:-1])[:10].all()
    assert by_name["FlatU"][10] == pytest.approx(-0.5)
    assert by_name["FlatU"][11] == pytest.approx(-0.5 + 0.95)
    assert by_name["RBU"].max() == by_name["ERRU"].max() == 0
    assert min(by_name["RBPU(p=0.98)"].max(), by_name["DCGU"].max()) > 0
    assert by_name["RBPU"][12] < 0 < by_name["RBPU"][13]


def test_break_even_of_information_lies_between_ranks_18_and_19():
    """The paper says rank 20; with D = 20000 that needs beta = 1.0464."""
    at = [Rankings.from_lists([[None] * (rank - 1) + [1]], [[1]]) for rank in (18, 19, 20)]
    nothing = Rankings.from_lists([[]], [[1]])

    def gain(rankings, measure="OIE"):
        return calc(measure, None, rankings).values[0, 0] - calc(measure, None, nothing).values[0, 0]

    assert gain(at[0]) > 0 > gain(at[1]) > gain(at[2])
    assert gain(at[2], "OIE(beta=1.0464)") == pytest.approx(0, abs=0.01)


def test_a_collection_smaller_than_the_documents_known_is_refused():
    rankings = Rankings.from_lists([[1, None, None]], [[1, 0]])
    with pytest.raises(ValueError, match="D=3 is smaller than the 4 documents known for topic 1"):
        calc("OIE(D=3)", None, rankings)
