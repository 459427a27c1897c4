"""What Webber, Moffat & Zobel (2010) say of depth, in figures."""

import pytest

from ir_trunc import calc
from ir_trunc._core.rankings import Rankings


def test_area_under_precision_and_recall_by_hand():
    """As scikit-learn's auc(recall, precision) of lists that hold all relevant documents."""
    lists = [[1, 0, 1], [0, 1, 1], [0, 0, 1], [1]]
    found = calc("AUPRC AP AUPRC@2", None, Rankings.from_lists(lists, [*lists[:3], [1, 1]]))
    assert found.values[0].tolist() == pytest.approx([(1 + 7 / 12) / 2, (1 / 4 + 7 / 12) / 2, 1 / 6, 1 / 2])
    assert found.values[1].tolist() == pytest.approx([(1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2, 1 / 3, 1 / 2])
    assert found.values[2].tolist() == pytest.approx([1 / 2, 1 / 8, 0, 1 / 2])


def test_recall_with_an_abbreviated_divisor_is_precision_where_R_is_k_or_more():
    """Webber et al., section 4.2; it is called nCG(rel=1)@k here."""
    rankings = Rankings.from_lists([[1, 0, 1, 0, 1]] * 2, [[1] * 8 + [0] * 2, [1, 1, 1, 0, 0]])
    (many, few), (precision, _), (_, recall) = calc("nCG(rel=1)@5 P@5 R@5", None, rankings).values.tolist()
    assert (many, few) == (precision, recall) == (0.6, 1)
