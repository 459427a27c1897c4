"""Figures that Sakai (2004) prints. Levels S, A, B have the gains 3, 2, 1."""

from dataclasses import replace

import pytest

from ir_trunc import calc, curves
from ir_trunc._core.rankings import Rankings


def scored(measures, ranked, ideal):
    """Answers by rank, later ones of a class as 0, against the best level of every answer class."""
    rankings = replace(Rankings.from_lists([ranked]), judgments=Rankings.from_lists([ideal]).judgments)
    return calc(measures, None, rankings).values[:, 0].tolist()


def test_beatles():
    """McCartney (A), Lennon (A), Paul (again the first class: 0), George Harrison (S), Starr (A)."""
    found = scored("Q RMeasure", [2, 2, 0, 3, 2], ideal=[3, 3, 3, 3])
    assert found == pytest.approx([0.722, 0.625], abs=0.0005)


def test_nobel_prize():
    assert scored("Q", [3, 0, 0, 0, 3], ideal=[3, 3, 3]) == pytest.approx([0.524], abs=0.0005)


def test_one_relevant_document_at_rank_100():
    """The paper's 2/(100 + 1) is right, though its formula writes cig(100) + 1 for cig(100) + 100."""
    rankings = Rankings.from_lists([[None] * 99 + [1]], [[1]])
    Q, AWP, RMeasure = calc("Q AWP RMeasure", None, rankings).values[:, 0]
    assert pytest.approx(0.0198, abs=0.00005) == Q
    assert AWP == 1
    assert RMeasure == 0


def test_the_divisor_at_a_cutoff():
    """Two of three answers: figure 2 divides by R, Q@k by min(k, R)."""
    both = scored("Q Q@2 Q(ideal='full')@2", [3, 3], ideal=[3, 3, 3])
    assert both == pytest.approx([2 / 3, 1, 2 / 3])


def test_the_cumulative_gain_of_the_paper_s_example():
    """Section 2.2: two B-relevant documents behind three others have cg(5) = 2 for R = 2 and for R = 100."""
    rankings = Rankings.from_lists([[None] * 3 + [1, 1]] * 2, [[1] * 2, [1] * 100])
    assert curves("CG", None, rankings)["CG"].values.reshape(2, -1).tolist() == [[0, 0, 0, 0, 1, 2]] * 2
    assert calc("P@5 CG(gains={1: 3})@4", None, rankings).values.tolist() == [[0.4, 0.4], [3, 3]]


def test_normalised_irbu_has_recall():
    """Amigó et al. 2022, 3.1: iRBU does not see missing documents, and over the ideal list it does."""
    rankings = Rankings.from_lists([[1]] * 2, [[1], [1, 1]])
    iRBU, niRBU = calc("iRBU niRBU", None, rankings).values
    assert iRBU[0] == iRBU[1]
    assert niRBU[0] == 1 > niRBU[1]
