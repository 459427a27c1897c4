"""What Webber, Moffat & Zobel (2010) say of depth, in figures."""

import math

import pytest

from ir_trunc import calc
from ir_trunc._core.rankings import Rankings


def scored(measures, grades, judged):
    return calc(measures, None, Rankings.from_lists([grades], [judged])).values[:, 0].tolist()


def test_abbreviated_average_precision_can_reach_1():
    AP, aAP = scored("AP@2 aAP@2", [1, 1], [1] * 8)
    assert (AP, aAP) == (0.25, 1)


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


def test_original_discount_leaves_the_first_two_ranks_alone():
    assert scored("DCG(dcg='jk')", [1, 1, 1], [1, 1, 1]) == pytest.approx([1 + 1 + 1 / math.log2(3)])


def test_ideal_list_cut_or_expanded():
    anDCG, enDCG = scored("anDCG@1 enDCG@1", [1], [1, 1])
    assert anDCG == 1
    assert enDCG == 1 / 2  # Webber et al.: no discount at rank 2
    assert scored("enDCG(dcg='log2')@1", [1], [1, 1]) == pytest.approx([1 / (1 + 1 / math.log2(3))])


@pytest.mark.parametrize(("k", "p"), [(10, 0.8), (100, 0.977), (1000, 0.9977)])
def test_persistence_that_leaves_a_tenth_beyond_depth_k(k, p):
    """The paper's rounded p for a residual of 0.1, over k documents that are all judged."""
    (residual,) = scored(f"RBPRes(p={p})@{k}", [0] * k, [0] * k)
    assert residual == pytest.approx(0.1, abs=0.01)
    assert scored(f"RBPRes(p={0.1 ** (1 / k)})@{k}", [0] * k, [0] * k) == pytest.approx([0.1])


def test_exponential_gains_by_hand():
    """Grades 1 and 3 in the wrong order: (1 + 7 / log2(3)) / (7 + 1 / log2(3))."""
    found = calc("nDCG(dcg='exp-log2')", {"1": {"a": 3, "b": 1}}, {"1": ["b", "a"]}).values
    assert found.tolist() == [[pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)))]]
