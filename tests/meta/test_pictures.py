"""Pictures of results say what they show."""

import pytest

from ir_trunc import meta
from ir_trunc.meta.guide import plot_guide
from ir_trunc.synthetic import demo


@pytest.fixture
def runs(tmp_path):
    for name in demo.SYSTEMS:
        (tmp_path / name).write_bytes((demo.data() / f"{name}.run").read_bytes())
    return [str(demo.data() / "demo.qrels"), str(tmp_path)]


def test_every_picture_says_what_it_shows(runs):
    matrix = meta.score_matrix("AP RBPT P@1", *runs)
    grid = meta.pool_grid(["P", "AP"], meta.pooled_runs(*runs), (1, 2), (1, 2, 3))
    agreement = meta.agreement(matrix)
    shown = [
        meta.power(matrix).plot(),
        agreement.scatter("AP", "RBPT"),
        meta.error_rates(matrix, repetitions=5).plot(),
        meta.swap_rates(matrix, repetitions=5).plot(),
        grid.plot("AP", "standardised"),
    ]
    for ax in shown:
        assert ax.get_xlabel()
        assert ax.get_ylabel()
    assert agreement.plot().get_title() == "Kendall's tau of systems by mean score"
    assert meta.predictivity(matrix, 3).plot().get_ylabel() == "Kendall's tau between halves (no unit)"
    assert len(grid.plot_all().figure.axes) == 6
    narrow = meta.pool_grid(["P", "Precision", "P"], meta.pooled_runs(*runs), (1,), (1, 2), ["raw"])
    assert narrow.measures == ("P", "Precision")
    assert (narrow.share[:, :, 0] == narrow.share[:, :, 1]).all()
    assert narrow.plot_all().figure.legends
    assert len(plot_guide().texts) > 20
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert not pyplot.get_fignums()  # a notebook that shows `.figure` would show the picture twice
