"""The parts of OIE, and the bound of beta (Amigó et al. 2022, section 3.4)."""

import math

import pytest

from ir_trunc import Rankings, calc


def test_the_parts_of_oie_are_to_be_had_and_make_it_up():
    rankings = Rankings.from_lists([[1, None, 1], [None], []], [[1, 1, 1], [], [1]])
    *parts, whole = calc("OIE(part='S') OIE(part='G') OIE(part='joint') OIE", None, rankings).values
    assert parts[0] == pytest.approx([3 * math.log(20000) - math.log(6), math.log(20000), 0])
    assert parts[1] == pytest.approx([3 * math.log(20000 / 3), 0, math.log(20000)])
    assert whole == pytest.approx(parts[0] + parts[1] - 1.05 * parts[2])


@pytest.mark.parametrize("m", [2, 3, 20])
def test_the_bound_of_beta_is_that_of_large_collections(m):
    """m relevant documents behind m others less one on top: (2m - 1 - beta m) ln D, and a part without D."""
    beta = 1.2
    rankings = Rankings.from_lists([[None] * m + [1] * m, [1]], [[1] * m] * 2)
    small, large = (calc(f"OIE(D={D},beta={beta})", None, rankings).values[0] for D in (10**4, 10**8))
    growth = (large[0] - large[1] - small[0] + small[1]) / math.log(10**4)
    assert growth == pytest.approx(m * ((2 * m - 1) / m - beta))
