"""Measures that other tools of ir-measures answer: they get exactly the lists that ir_trunc scores."""

import pytest

from ir_trunc import IrTruncWarning, calc, read_answers


def test_scores_that_only_64_bits_tell_apart_are_one_list_for_all_tools():
    qrels = {"1": {"a": 1, "b": 0}}
    run = {"1": {"a": 1700000001.0, "b": 1700000000.0}}
    with pytest.warns(IrTruncWarning, match="all scores are equal"):  # as 32-bit floats
        rr, compat = calc("RR Compat(p=0.8)", qrels, run).values[:, 0]
    assert rr == 0.5
    best = calc("Compat(p=0.8)", qrels, {"1": ["a", "b"]}).values[0, 0]
    assert compat < best


def test_normalised_answers_and_their_classes_are_seen_by_all_tools():
    answers = read_answers({"1": [["Paris", "City of Paris"], ["Lyon"]]}, "squad")
    run = {"1": {"The Paris": 3.0, "city of paris!": 2.0, "Rome": 1.0}}
    values = dict(zip(("own", "other"), calc("SetP NumRelRet NumRel", answers, run).values[:, 0]))
    assert values["own"] == pytest.approx(1 / 3)
    assert calc("NumRelRet", answers, run).values[0, 0] == 1
    assert calc("NumRet", answers, run).values[0, 0] == 3
    assert calc("NumRel", answers, run).values[0, 0] == 2


def test_a_list_that_nil_ends_is_as_short_for_all_tools():
    run = {"1": {"a": 3.0, "NIL": 2.0, "b": 1.0}, "2": {"NIL": 1.0}}
    with pytest.warns(UserWarning, match="NIL"):
        values = calc("NumRet", {"1": {"a": 1}, "2": {}}, run, nil="ends").values
    assert values.tolist() == [[1, 0]]
