"""Standardised scores, and the reference that standardises new systems."""

import json
import math

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import collection, matrix_of

from ir_trunc import InputError, meta

FORMS = ("normal", "linear", "z")


def in_form(scores, form):
    """Scores of systems on one topic, without arrays."""
    shapes = {
        "normal": lambda z: (1 + math.erf(z / math.sqrt(2))) / 2,
        "linear": lambda z: min(1.0, max(0.0, 0.15 * z + 0.5)),
        "z": lambda z: z,
    }
    return [shapes[form](z) for z in plain.standardised(scores)]


@given(
    st.lists(st.lists(st.integers(0, 20), min_size=4, max_size=4), min_size=1, max_size=5),
    st.sampled_from(FORMS),
)
def test_standardised_scores_equal_their_reference(topics, form):
    found = meta.standardised(matrix_of([np.transpose(topics)]), form)
    for at, scores in enumerate(topics):
        assert found.values[0, :, at].tolist() == pytest.approx(in_form(scores, form), abs=1e-12)
        if form != "z":
            assert found.values.min() >= 0
            assert found.values.max() <= 1


def test_a_score_far_from_the_others_is_cut_to_0_or_1():
    """One of 101 systems: z is 10, and the linear form would be 2."""
    for score, bound in ((1, 1), (-1, 0)):
        matrix = matrix_of([[[score], *[[0]] * 100]])
        assert meta.standardised(matrix, "linear").values[0, 0, 0] == bound


def test_a_saved_reference_standardises_new_systems(tmp_path):
    qrels, runs = collection(5, systems=7)
    matrix = meta.score_matrix("AP P@5", qrels, runs)
    meta.Reference.of(matrix.take(["s0", "s1", "s2"])).save(tmp_path / "reference.json")
    loaded = meta.Reference.load(tmp_path / "reference.json")
    assert loaded.systems == 3
    means = np.stack([loaded.mean, loaded.sd], 1).mean(axis=2)
    np.testing.assert_allclose(loaded.summary(), means, rtol=1e-9)
    new = loaded.standardise(matrix.take(["s5"], ["2", "0"]))
    for measure in matrix.measures:
        for at, topic in enumerate(("2", "0")):
            column = matrix.topics.index(topic)
            known = [matrix[measure][system, column] for system in range(3)]
            mean, sd = np.mean(known), np.std(known)
            expected = (matrix[measure][5, column] - mean) / sd if max(known) > min(known) else 0.0
            assert new[measure][0, at] == pytest.approx(expected)


def array(*values):
    return {"shape": [1, len(values)], "values": values}


def saved(**changed):
    data = {"measures": ["AP"], "topics": ["1"], "systems": 3, "mean": array(0.5), "sd": array(0.5)} | changed
    return json.dumps({"ir_trunc": "Reference", "format": 1, "data": data})


@pytest.mark.parametrize(("text", "says"), [
    (saved(topics=["1", "2"], mean=array(0.5, "NaN"), sd=array(0.5, 0.5)),
     "mean and sd: finite numbers are needed"),
    (saved(systems=0), "systems is 0: at least one is needed"),
    (saved(sd=array(-0.1)), "no standard deviation below 0"),
    (saved(topics=[1]), r"topics\[0\] is 1: a text is needed"),
    (saved(mean=array(0.5, 0.5)), "mean has the shape .* one value for each of the measures x topics"),
])  # fmt: skip
def test_a_reference_that_was_not_saved_is_refused(tmp_path, text, says):
    (tmp_path / "reference.json").write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        meta.Reference.load(tmp_path / "reference.json")
    assert "reference.json" in str(caught.value)
