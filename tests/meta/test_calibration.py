"""Calibration: a parameter that is put back gives what was asked for."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ir_trunc import meta
from ir_trunc._scoring.objects import bind, parse_measure
from ir_trunc.meta import calibration


def test_persistences_that_the_paper_prints():
    for depth, printed in ((10, 0.8), (100, 0.977), (1000, 0.9977)):
        places = len(str(printed)) - 2
        assert abs(meta.persistence(0.1, depth) - printed) <= 0.51 * 10**-places + (depth == 10) * 0.001


@given(st.floats(0.001, 0.999), st.integers(1, 2000))
def test_a_persistence_put_back_leaves_the_residual(residual, depth):
    p = meta.persistence(residual, depth)
    assert 0 < p < 1
    assert meta.residual(p, depth) == pytest.approx(residual, rel=1e-9)


SETTINGS = ("FlatU", "DCGU", "RBPU", "ERRU", "RBU", "RBPU(p=0.98)", "RBU(gain='linear')")


@pytest.mark.parametrize(
    ("measure", "parameter"), [*((name, "e") for name in SETTINGS), ("OIE", "beta"), ("RBPU(e=0.01)", "p")]
)
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
    assert meta.break_even("FlatU", "e", 20).value == pytest.approx(1 / 20)
    assert meta.break_even("OIE", "beta", 20).value == pytest.approx(1.0464, abs=5e-5)
    for text, last in (("OIE", 18), ("FlatU(e=0.6)", 1), ("FlatU(e=1.5)", 0)):
        assert calibration.last_rank_that_pays(bind(parse_measure(text))) == last
    for rank in (3, 100):  # p^(rank - 1) (1 - e) = e (1 + p + ... + p^(rank - 2))
        found = meta.break_even("RBPU", "e", rank)
        assert found.value == pytest.approx(0.8 ** (rank - 1) / sum(0.8**i for i in range(rank)))
        assert found.last_rank == rank
    assert meta.break_even("FlatU", "e", 100_000).value == pytest.approx(1e-5)
    assert meta.break_even("OIE", "beta", 15_000).last_rank == 15_000  # deeper lists than D are not tried
