"""One depth for all measures, as Amigó et al. 2022 have it in their table 3."""

import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import ParameterError, Rankings, meta
from ir_trunc.synthetic import demo

QRELS = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}
RUN = {"q": [*"xyazbw"], "r": ["c"]}


def test_measures_that_take_a_cutoff_have_the_depth_and_the_others_see_the_lists_cut_there():
    measures = "RBPT nDCG SetF P@2 AP@5 c@1 Judged"
    found = ir_trunc.calc(measures, QRELS, RUN, depth=3)
    assert " ".join(map(str, found.measures)) == "RBPT@3 nDCG@3 SetF P@2 AP@3 c@1 Judged@3"
    uncut = ir_trunc.calc("RBPT@3 nDCG@3 P@2 AP@3 c@1 Judged@3", QRELS, RUN)
    assert found["RBPT@3"].values.tolist() == uncut["RBPT@3"].values.tolist()  # an imposed depth is no stop
    for measure in uncut.measures:
        assert found[measure].values.tolist() == uncut[measure].values.tolist(), measure
    shorter = {"q": RUN["q"][:3], "r": ["c"]}
    assert found["SetF"].values.tolist() == ir_trunc.calc("SetF", QRELS, shorter)["SetF"].values.tolist()
    assert "cut at depth    3" in str(found.universe)
    assert "cut at depth" not in str(ir_trunc.calc("AP", QRELS, RUN, depth=3).universe)


def test_rankings_are_cut_too_and_a_comparison_says_for_which_measures():
    lists = Rankings.from_lists([[0, 0, 1, 0, 1]])
    assert ir_trunc.calc("SetP", None, lists, depth=3)["SetP"].tolist() == [1 / 3]
    found = ir_trunc.compare("AP SetF", QRELS, {"one": RUN, "other": {"q": ["a"]}}, missing="empty", depth=3)
    assert found.measures == ("AP@3", "SetF")
    assert found.notes[0] == "Lists are cut at 3 documents for SetF."
    with pytest.raises(ParameterError, match="ties='expected': lists cut at a depth have one order"):
        ir_trunc.calc("SetF", QRELS, RUN, ties="expected", depth=3)
    refused(ParameterError, "depth=0", ir_trunc.calc, "SetF", QRELS, RUN, depth=0)


def test_no_warning_asks_for_the_depth_that_was_given(recwarn):
    qrels = {str(topic): {"a": 1} for topic in range(12)}
    run = {topic: [*"onmlkjihgfedcba"] for topic in qrels}
    ir_trunc.calc("SetF RBPT", qrels, run, depth=10)
    meta.score_matrix("SetF", qrels, {"one": run, "other": run}, depth=10)
    assert not recwarn.list


def test_coverage_is_of_the_measures_at_the_depth():
    """Table 3 has Cov of measures at 100, by P@10, R@100 and RR."""
    runs = sorted(demo.data().glob("*.run"))
    options = {"missing": "empty", "depth": 3}
    matrix = meta.score_matrix("OIE SetF P@1 R@9 RR", demo.data() / "demo.qrels", runs, **options)
    assert matrix.measures == ("OIE@3", "SetF", "P@1", "R@3", "RR@3")
    cov = meta.coverage(matrix, "P@1 R@3 RR@3").to_pandas()["cov"]
    assert np.isfinite(cov).all()
    uncut = meta.score_matrix("OIE R@3", demo.data() / "demo.qrels", runs, missing="empty")
    assert (uncut["OIE"] != matrix["OIE@3"]).any()
