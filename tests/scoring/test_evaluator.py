"""Warnings of list ends and of confidences that probably do not come from the system."""

import warnings

import pytest

import ir_trunc
from ir_trunc import IrTruncWarning, calc, compare, rank

QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
SAME = {"1": {"a": 1.0}, "2": {"c": 1.0}}
SURER = {"1": {"a": 0.9}, "2": {"c": 0.4}}


@pytest.mark.parametrize("name", ["CWS", "K1"])
def test_confidences_that_are_all_equal_are_said_once_a_run(name):
    what = rf"the first documents of all 2 lists have the same score, 1, which {name} takes for confidence"
    with pytest.warns(IrTruncWarning, match=what) as caught:
        calc(f"RR {name} AP", QRELS, SAME)
    assert len(caught) == 1
    with pytest.warns(IrTruncWarning, match="CWS takes|K1 takes") as caught:
        compare(f"{name} RR", QRELS, {"a": SAME, "b": SAME, "c": SURER})
    assert len(caught) == 2


@pytest.mark.parametrize(
    ("measures", "run"),
    [("CWS K1", SURER), ("CWS K1", {"1": {"a": 1.0}}), ("RR AP c@1", SAME), ("CWS", {})],
)
def test_nothing_is_said_of_other_confidences_and_of_measures_that_read_none(measures, run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calc(measures, QRELS, run)
        calc("CWS K1", None, rank(QRELS, SAME))  # lists of somebody's own making


def test_lists_of_one_length_are_said_where_a_measure_reads_the_end():
    qrels = {str(topic): {"d1": 1} for topic in range(4)}
    run = {topic: {f"d{rank}": -rank for rank in range(1, 21)} for topic in qrels}
    with pytest.warns(
        ir_trunc.IrTruncWarning, match=r"100% of the lists have exactly 20 documents.* Write @20"
    ) as caught:
        ir_trunc.calc("AP RBPT SetP", qrels, run)
    assert len(caught) == 1
    with pytest.warns(
        ir_trunc.IrTruncWarning, match=r"WSS .*has no cutoff that says otherwise.*end the lists"
    ):
        ir_trunc.calc("WSS WSS@95", qrels, run)
    for measures in ("AP nDCG RR", "RBPT@20", "P@10 RR"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ir_trunc.calc(measures, qrels, run)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ir_trunc.calc(
            "RBPT", qrels, {topic: dict(list(docs.items())[: 5 + int(topic)]) for topic, docs in run.items()}
        )
        ir_trunc.calc("RBPT", None, ir_trunc.rank(qrels, run))
