"""Time and memory grow with documents, not with documents times grades."""

import tracemalloc

import numpy as np
import pytest
from naive import TWINS
from naive_classical import Query, Setting

from ir_trunc import InputError, Rankings, calc

MANY_GRADES = "OIE(D=9000) KendallTau(D=9000) Spearman(D=9000) AGR RGR Q(adjusted=True)"


def test_as_many_grades_as_documents_have_the_scores_of_their_definitions():
    rng = np.random.default_rng(5)
    judged = [rng.permutation(2000)[:400].tolist(), rng.integers(0, 500, 400).tolist()]
    lists = [
        [None if rng.random() < 0.3 else grade for grade in rng.permutation(pool).tolist()[:300]]
        for pool in judged
    ]
    levels = tuple(sorted({grade for pool in judged for grade in pool if grade > 0}))
    values = calc(MANY_GRADES, None, Rankings.from_lists(lists, judged)).values
    names = ["OIE", "KendallTau", "Spearman", "AGR", "RGR", "Q"]
    params = [{"D": 9000}] * 3 + [{}, {}, {"adjusted": True}]
    for name, given, of_measure in zip(names, params, values):
        expected = [
            TWINS[name](Query(ranked, pool, [1.0] * len(ranked)), Setting(levels=levels, params=given))
            for ranked, pool in zip(lists, judged)
        ]
        np.testing.assert_allclose(of_measure, expected, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("measure", MANY_GRADES.split())
def test_memory_grows_with_the_documents_and_not_with_documents_times_grades(measure):
    grades = range(1, 3001)
    rankings = Rankings.from_lists([[grade] for grade in grades], topics=[f"{grade:04}" for grade in grades])
    tracemalloc.start()
    try:
        calc(measure, None, rankings)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e7  # a number for each topic and grade would take 7e7


def test_other_tools_are_not_asked_about_grades_for_which_they_would_take_all_memory():
    """trec_eval has a table of all grades up to the highest."""
    for grade, fits in ((10**6, True), (10**6 + 1, False), (2**31 - 1, False)):
        qrels, run = {"1": {"a": grade}}, {"1": {"a": 1.0}}
        assert calc("AP", qrels, run).values.tolist() == [[1]]
        if fits:
            assert calc("NumRet", qrels, run).values.tolist() == [[1]]
        else:
            with pytest.raises(
                InputError,
                match=f"NumRet is asked of ir-measures, .* highest, {grade}: grades up to 1,000,000",
            ):
                calc("NumRet", qrels, run)
