"""Gain maps with gaps, numbers at the limits of 64 bits, collections of any size."""

import tracemalloc
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from ir_measures import DefaultPipeline, nDCG
from messages import refused
from reference_measures import REFERENCES, Query, Setting

from ir_trunc import IrTruncWarning, ParameterError, Rankings, calc

QRELS, RUN = {"1": {"a": 3, "b": 2}}, {"1": {"b": 2.0, "a": 1.0}}


def test_the_ideal_list_goes_by_gain_where_a_map_leaves_a_grade_out():
    measures = "nDCG(gains={2:7})@1 nDCG(gains={2:7}) Q(gains={2:7}) RWP(gains={2:7})"
    with pytest.warns(IrTruncWarning, match="leaves out grade 3, which keeps its gain 3, below the 7 of"):
        values = calc(measures, QRELS, RUN).values
    assert values[:, 0].tolist() == [1, 1, 1, 1]


def test_a_map_that_leaves_out_no_grade_of_the_scale_needs_no_warning():
    assert calc("nDCG(gains={2:2,3:7})@1", QRELS, RUN).values[0, 0] == pytest.approx(2 / 7)
    assert calc("nDCG(gains={2:7})@1", {"1": {"a": 1, "b": 2}}, RUN).values[0, 0] == 1


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_gain_of_grade_0_belongs_to_documents_that_were_judged_0(k):
    """Neither to negative grades nor to unjudged documents: as ir-measures has it, with any tool."""
    qrels = {"1": {"a": 2, "b": -1, "c": 0}}
    run = {"1": {"b": 4.0, "u": 3.0, "c": 2.0, "a": 1.0}}
    measure = nDCG(gains={0: 1}) @ k
    stock = next(provider for provider in DefaultPipeline.providers if provider.NAME == "pytrec_eval")
    (expected,) = stock.iter_calc([measure], qrels, run)
    assert calc(measure, qrels, run).values[0, 0] == pytest.approx(expected.value, abs=1e-9)


@pytest.mark.parametrize(("measure", "problem"), [
    ("nDCG(dcg='exp-log2')@5", r"gains 2\^g - 1 need grades or gains g of at most 1000, not 1024"),
    ("ERRU(e=0)", "exponential gains need a judgement scale of at most 1000"),
    ("Q(beta=1e308)", r"beta=1e\+308 is too large: a number > 0, and at most 1e\+100, is needed"),
    ("nDCG(gains={1:1e308})@5", "is too large"),
    ("nDCG(gains={-1:1,1:1})", "negative grades count as 0 and cannot have a gain"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:the judgement scale")
def test_numbers_that_64_bits_do_not_hold_are_refused_and_no_score_is_nan(measure, problem):
    refused(ParameterError, problem, calc, measure, {"1": {"a": 1024, "b": 1}}, RUN)


def test_the_largest_number_of_64_bits_is_a_cutoff():
    """As a float it would be one more, which is refused."""
    found = calc(f"nDCG@{2**63 - 1} nDCG", {"1": {"a": 2, "b": 1}}, RUN).values
    assert found[0].tolist() == found[1].tolist()
    refused(ParameterError, "is too large", calc, f"nDCG@{2**63}", {"1": {"a": 1}}, RUN)


def test_costs_whose_sum_is_no_number_are_refused():
    rankings = Rankings.from_lists([[1, 0, 0]], costs=[[1e308, 1e308, 1e308]])
    with pytest.raises(ParameterError, match=r"FlatU.*not every score is a finite number; smaller gains"):
        calc("FlatU", None, rankings)


def exact_spearman(grades, judged, D):
    """Ranks as fractions, over groups: each document listed, each level outside the list, all the rest."""
    n = len(grades)
    mean_rank, above = {}, 0
    for level in sorted({*judged, 0}, reverse=True):
        size = judged.count(level) if level else D - sum(1 for g in judged if g)
        mean_rank[level] = above + Fraction(size + 1, 2)
        above += size
    last = n + Fraction(D - n + 1, 2)
    groups = [(Fraction(i), mean_rank[g], 1) for i, g in enumerate(grades, 1)]
    missed = list(judged)
    for g in grades:
        if g:
            missed.remove(g)
    missed = [g for g in missed if g]
    groups += [(last, mean_rank[g], 1) for g in missed] + [(last, mean_rank[0], D - n - len(missed))]
    mean = Fraction(D + 1, 2)
    cov = sum(count * (x - mean) * (y - mean) for x, y, count in groups)
    var = [sum(group[2] * (group[at] - mean) ** 2 for group in groups) for at in (0, 1)]
    square = cov**2 / (var[0] * var[1])
    return sqrt(square) * (1 if cov >= 0 else -1)


@pytest.mark.parametrize("D", [30, 2 * 10**5, 10**7, 10**10, 10**12])
def test_correlations_are_as_precise_in_any_collection(D):
    grades, judged = [0, 1, 2, 0, 1, 0], [2, 2, 1, 1, 1, 3]
    rankings = Rankings.from_lists([[g or None for g in grades]], [judged])
    assert calc(f"Spearman(D={D})", None, rankings).values[0, 0] == pytest.approx(
        exact_spearman(grades, judged, D), rel=1e-13
    )
    n, R = len(grades), len(judged)
    pairs = [n * (2 * D - n - 1) // 2, R * (2 * D - R - 1) // 2 - 3 - 1]
    place = list(zip([*range(1, n + 1), *[n + 1] * 3], [*grades, 2, 1, 3]))
    sign = lambda x: (x > 0) - (x < 0)  # noqa: E731
    known = sum(sign(s - r) * sign(g - h) for at, (r, g) in enumerate(place) for s, h in place[at + 1 :])
    known += (D - len(place)) * sum(sign(g) for r, g in place[:n])
    tau = calc(f"KendallTau(D={D})", None, rankings).values[0, 0]
    assert tau == pytest.approx(known / sqrt(pairs[0]) / sqrt(pairs[1]), rel=1e-13)


# As many grades as documents: time and memory grow with documents.

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
            REFERENCES[name](Query(ranked, pool, [1.0] * len(ranked)), Setting(levels=levels, params=given))
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
