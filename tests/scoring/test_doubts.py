"""Scores that measures take for confidence, and that are all the same."""

import warnings

import pytest
from generated import ALL

from ir_trunc import IrTruncWarning, calc, compare, evaluator, rank
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.measures.questions import reads_confidences
from ir_trunc.scoring import evaluator as scoring

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


def test_what_reads_confidences_is_known_by_what_it_does():
    reading = {d.name for d in ALL if reads_confidences(d.bind({CUTOFF: 3} if CUTOFF in d.params else {}))}
    assert reading == {"CWS", "K1", "AURC", "EAURC", "AUGRC", "BestEM", "BestTokenF1"}


def test_what_a_measure_reads_is_tried_out_once_for_all_runs(monkeypatch):
    asked, tried_out = [], scoring.reads_the_end
    monkeypatch.setattr(scoring, "reads_the_end", lambda measure: asked.append(measure) or tried_out(measure))
    ready = evaluator("RBPT", QRELS)
    ready.calc(SURER)
    assert not asked  # no list calls for it
    for _ in range(3):
        with pytest.warns(IrTruncWarning, match="exactly 10 documents"):
            ready.calc({topic: {f"d{at}": -at for at in range(9)} | {"a": 1} for topic in "12"})
    assert len(asked) == 1
