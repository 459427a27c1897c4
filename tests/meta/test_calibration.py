"""Calibration: a parameter that is put back gives what was asked for; weights of ranks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from messages import refused

from ir_trunc import ParameterError, Rankings, calc, meta
from ir_trunc._scoring.objects import bind, parse_measure
from ir_trunc.meta import calibration


@given(st.floats(0.001, 0.999), st.integers(1, 2000))
def test_a_persistence_put_back_leaves_the_residual(residual, depth):
    p = meta.persistence(residual, depth)
    assert 0 < p < 1
    assert meta.residual(p, depth) == pytest.approx(residual, rel=1e-9)


SETTINGS = dict.fromkeys(("FlatU", "DCGU", "RBPU", "ERRU", "RBU", "RBPU(p=0.98)", "RBU(gain='linear')"), "e")
SETTINGS |= {"OIE": "beta", "RBPU(e=0.01)": "p"}


@pytest.mark.parametrize(("measure", "parameter"), SETTINGS.items())
def test_a_calibrated_parameter_breaks_even_when_put_back(measure, parameter):
    rank = 2 if parameter == "p" else 20
    found = meta.break_even(measure, parameter, rank)
    bound = bind(parse_measure(found.measure))
    assert bound.params[parameter] == found.value
    before, at_rank, behind = calibration.gains_over_silence(bound, rank + np.arange(-1, 2))
    assert abs(at_rank) < 1e-9
    assert found.last_rank == rank
    assert behind < 0 < before


@pytest.mark.full
def test_break_evens_that_are_known():
    for text, last in (("OIE", 18), ("FlatU(e=0.6)", 1), ("FlatU(e=1.5)", 0)):
        assert calibration.last_rank_that_pays(bind(parse_measure(text))) == last
    for rank in (3, 100):  # p^(rank - 1) (1 - e) = e (1 + p + ... + p^(rank - 2))
        found = meta.break_even("RBPU", "e", rank)
        assert found.value == pytest.approx(0.8 ** (rank - 1) / sum(0.8**i for i in range(rank)))
        assert found.last_rank == rank
    assert meta.break_even("FlatU", "e", 100_000).value == pytest.approx(1e-5)
    assert meta.break_even("OIE", "beta", 15_000).last_rank == 15_000  # deeper lists than D are not tried


def test_the_shares_of_Webber_et_al_beyond_rank_100():
    """Section 3.1: 82 % of DCG's weight, half a percent of RBP's with p = .95, 77 % with p = .9977."""
    found = meta.rank_weights("DCG(dcg='jk') RBP(p=0.95) RBP(p=0.9977)")
    assert found.shares.round(3).tolist() == [0.824, 0.006, 0.771]
    assert "DCG(dcg='jk') 82.4 %" in found.heading


def test_weights_are_the_worth_of_one_document_by_its_rank():
    found = meta.rank_weights("RBP(p=0.5) AP nDCG@2 RBPT", depth=4, beyond=2)
    for measure, weights in zip(found.measures, found.weights):
        lists = [[1 if rank == at else None for rank in range(4)] for at in range(4)]
        rankings = Rankings.from_lists([[None] * 4, *lists], judged=[[1]] + [[1]] * 4)
        scores = calc(measure, None, rankings).values[0]
        assert weights == pytest.approx((scores[1:] - scores[0]) / (scores[1:] - scores[0]).sum(), abs=1e-12)
    assert found.to_pandas().loc[3, "AP"] == pytest.approx((1 / 3) / (25 / 12))
    assert found.shares[2] == 0


def test_the_plot_has_a_line_for_each_measure():
    ax = meta.rank_weights("RBP nDCG@2", depth=5, beyond=2).plot()
    assert [len(line.get_xdata()) for line in ax.lines[:2]] == [5, 2]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(("measures", "options", "problem"), [
    ("AP", {"depth": 10, "beyond": 10}, "beyond=10: a rank above the depth of 10 documents is needed"),
    ("c@1", {}, "c@1 looks at all lists of a run: no rank has a weight of its own"),
    ("R", {}, "needs a cutoff"), ("NumRet", {}, "NumRet is not computed by ir_trunc"),
    ("EC", {}, "EC gives no weight to the only relevant document of a list"),
])  # fmt: skip
def test_what_has_no_weights_is_refused(measures, options, problem):
    refused(ValueError, problem, meta.rank_weights, measures, **options)
    assert issubclass(ParameterError, ValueError)
