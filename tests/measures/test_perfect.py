"""Measures whose perfect list scores 1 on every scale, and figures of NTCIREVAL."""

import itertools

import pytest
from messages import refused

import ir_trunc
from ir_trunc import Rankings, calc

# Printed by pyNTCIREVAL 0.0.3 (PyPI) with the grades 1, 2 and 3: list, judgments, k, nERR@k, MSnDCG@k.
NTCIREVAL = [
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 1, 1.0, 1.0),
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 3, 0.902439024390244, 0.5939462358400547),
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 10, 0.9401579586877279, 0.809197741581698),
    ([0, 1], [1, 2, 3, 0], 1, 0.0, 0.0),
    ([0, 1], [1, 2, 3, 0], 3, 0.1518987341772152, 0.13249650743056282),
    ([1, 2], [1, 2], 1, 0.5, 0.5),
    ([1, 2], [1, 2], 10, 0.7777777777777778, 0.8597186998521972),
]


@pytest.mark.parametrize(("grades", "judged", "k", "nerr", "msndcg"), NTCIREVAL)
def test_equal_to_ntcireval(grades, judged, k, nerr, msndcg):
    rankings = Rankings.from_lists([grades], [judged])
    found = calc(f"nERR(gain='linear', max_rel=4)@{k} MSnDCG@{k}", None, rankings).to_pandas().iloc[0]
    assert found.tolist() == pytest.approx([nerr, msndcg], rel=1e-12)


@pytest.mark.parametrize("measure", ["nRBPT", "nRBPT(p=0.3)", "nERRT", "nERRT(gain='linear', max_rel=4)"])
def test_only_the_perfect_list_scores_1(measure):
    judged = [3, 2, 1, 1, 0]
    lists = [
        list(order)
        for n in range(6)
        for order in sorted(set(itertools.permutations(judged, n)), reverse=True)
    ]
    values = calc(measure, None, Rankings.from_lists(lists, [judged] * len(lists))).to_pandas().iloc[:, 0]
    best = [grades for grades, value in zip(lists, values) if value > 1 - 1e-9]
    assert best == [[3, 2, 1, 1]]
    assert max(values) == pytest.approx(1)


def test_err_on_any_scale_is_said_where_err_ends():
    """ERR's scale ends at 4 as in gdeval; ERRU(e=0) is the same formula for any."""
    rankings = Rankings.from_lists([[5, 0, 2]], [[5, 2, 0]])
    refused(ir_trunc.ParameterError, r"use ERRU\(e=0\)", calc, "ERR", None, rankings)
    with pytest.raises(ir_trunc.ParameterError, match=r"'max_rel'; .* ERRT and ERRU: with max_rel"):
        ir_trunc.parse_measure("ERR(max_rel=5)@10")
    found = calc("ERRU(e=0)", None, rankings).to_pandas().iloc[0, 0]
    first, third = 31 / 32, 3 / 32
    assert found == pytest.approx(first + (1 - first) * third / 3)
