"""Calibration: a parameter that is put back gives what was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import meta
from ir_trunc._core.errors import ParameterError
from ir_trunc.cli.main import main
from ir_trunc.meta import calibration
from ir_trunc.scoring.objects import bind, parse_measure


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
@pytest.mark.parametrize("rank", [2, 7, 20])
def test_a_calibrated_parameter_breaks_even_when_put_back(measure, parameter, rank):
    found = meta.break_even(measure, parameter, rank)
    bound = bind(parse_measure(found.measure))
    assert bound.params[parameter] == found.value
    assert abs(calibration.gain_over_silence(bound, rank)) < 1e-9
    assert found.last_rank == rank
    assert calibration.gain_over_silence(bound, rank + 1) < 0 < calibration.gain_over_silence(bound, rank - 1)


def test_break_evens_that_are_known():
    assert meta.break_even("FlatU", "e", 20).value == pytest.approx(1 / 20)
    assert meta.break_even("OIE", "beta", 20).value == pytest.approx(1.0464, abs=5e-5)
    assert calibration.last_rank_that_pays(bind(parse_measure("OIE"))) == 18
    assert meta.break_even("RBPU", "e", 3).value == pytest.approx(0.64 / (1 + 0.8 + 0.64))


def test_a_deep_rank_breaks_even_in_a_moment_or_is_refused(capsys):
    assert meta.break_even("FlatU", "e", 100_000).value == pytest.approx(1e-5)
    assert meta.break_even("OIE", "beta", 15_000).last_rank == 15_000  # deeper lists than D are not tried
    assert main(["meta", "calibrate", "RBPU", "e", "--rank", "1000000"]) == 2
    assert "a whole number from 1 to 100000 is needed" in capsys.readouterr().err


def test_a_small_effort_is_found_too():
    """0.8^99 (1 - e) = e (1 + 0.8 + ... + 0.8^98), so e is 0.8^99 over the sum of 100 powers."""
    found = meta.break_even("RBPU", "e", 100)
    assert found.value == pytest.approx(0.8**99 / sum(0.8**i for i in range(100)))
    assert found.last_rank == 100


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda: meta.break_even("RBPU", "gain", 3), "'gain' cannot be calibrated; p, e can"),
    (lambda: meta.break_even("AP", "p", 3), "nothing can"),
    (lambda: meta.break_even("RBP", "p", 3), "more than nothing at every p .*, from 0.00249 to 0.998"),
    (lambda: meta.break_even("RBPU", "e", 10**30), "rank=1(0){30} is out of range: .* 1 to 100000"),
    (lambda: meta.break_even("OIE", "beta", 30000), "rank=30000 is beyond the D=20000 documents"),
    (lambda: meta.break_even("RBPU", "e", 0), "rank=0"),
    (lambda: meta.persistence(0, 10), "residual=0"),
    (lambda: meta.residual(1, 10), "p=1"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    with pytest.raises(ParameterError, match=says):
        wrong()
