"""Standardised scores mapped onto 0 to 1: the twin from the definition, and figures by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import InputError, meta

FORMS = ("normal", "linear", "z")


def naive(scores, form):
    """Scores of systems on one topic, without arrays."""
    mean = math.fsum(scores) / len(scores)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))
    found = []
    for score in scores:
        z = (score - mean) / spread if max(scores) > min(scores) else 0.0
        if form == "normal":
            z = (1 + math.erf(z / math.sqrt(2))) / 2
        elif form == "linear":
            z = min(1.0, max(0.0, 0.15 * z + 0.5))
        found.append(z)
    return found


def matrix_of(topics):
    values = np.array(topics, dtype=np.float64).T[None]
    systems = tuple(f"s{at}" for at in range(values.shape[1]))
    return meta.ScoreMatrix(("AP",), systems, tuple(map(str, range(values.shape[2]))), values)


@given(
    st.lists(st.lists(st.integers(0, 20), min_size=4, max_size=4), min_size=1, max_size=5),
    st.sampled_from(FORMS),
)
def test_standardised_scores_equal_their_twin(topics, form):
    found = meta.standardised(matrix_of(topics), form)
    for at, scores in enumerate(topics):
        assert found.values[0, :, at].tolist() == pytest.approx(naive(scores, form), abs=1e-12)
        if form != "z":
            assert found.values.min() >= 0
            assert found.values.max() <= 1


def test_scores_by_hand():
    """Scores 0, 0, 0, 1: mean 1/4, sd sqrt(3)/4, so z is -1/sqrt(3) and sqrt(3)."""
    matrix = matrix_of([[0, 0, 0, 1]])
    assert meta.standardised(matrix, "z").values.ravel() == pytest.approx([-(3**-0.5)] * 3 + [3**0.5])
    linear = meta.standardised(matrix, "linear").values.ravel()
    assert linear == pytest.approx([0.5 - 0.15 / 3**0.5] * 3 + [0.5 + 0.15 * 3**0.5])
    assert meta.standardised(matrix).values.ravel() == pytest.approx([0.28185] * 3 + [0.95837], abs=1e-5)


def test_a_score_far_from_the_others_is_cut_to_0_or_1():
    """One of 101 systems: z is 10, and the linear form would be 2."""
    linear = meta.standardised(matrix_of([[1] + [0] * 100]), "linear").values.ravel()
    assert linear[0] == 1
    assert meta.standardised(matrix_of([[-1] + [0] * 100]), "linear").values.ravel()[0] == 0


def test_a_measure_of_the_whole_run_has_no_standardised_score():
    runs = {"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["x"]}}
    matrix = meta.score_matrix("c@1", {"1": {"x": 1}, "2": {"y": 1}}, runs)
    with pytest.raises(InputError, match="c@1 looks at all lists of a run"):
        meta.standardised(matrix)
