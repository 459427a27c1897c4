"""Measures as objects, whose parameters are checked when they are given, and by the names of trec_eval."""

import re

import ir_measures
import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import AP, RBPT, ParameterError, UnknownMeasureError, c, nDCG
from ir_trunc._scoring.objects import trec_eval_measures
from ir_trunc.measures import names, registry
from ir_trunc.measures.declaration import ELSEWHERE

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}


def test_a_change_keeps_other_parameters_and_takes_values_back():
    measure = RBPT(p=0.7, max_rel=3)
    assert str(measure(max_rel=None)) == "RBPT(p=0.7)"
    assert str(measure @ 5) == "RBPT(max_rel=3,p=0.7)@5"
    refused(ParameterError, "p=7 is out of range", measure, p=7)


@pytest.mark.parametrize(("measure", "says"), [
    (AP(persistence=3), "AP has no parameter 'persistence'; it has: "),
    (ir_measures.infAP(rel="high"), "invalid param rel='high'"),
    (nDCG(dcg="log3"), "nDCG: dcg='log3' is unknown"),
    (ir_measures.P(rel=0) @ 5, "P: rel=0 is out of range"),
])  # fmt: skip
def test_an_object_of_ir_measures_is_checked_where_it_comes_in(measure, says):
    with pytest.raises(ParameterError) as caught:
        ir_trunc.calc(measure, QRELS, RUN)
    assert says in str(caught.value)


def test_texts_print_as_one_would_write_them():
    assert str(RBPT(p=0.5) @ 10) == "RBPT(p=0.5)@10"
    assert str(RBPT(p=np.float64(0.25), rel=np.int32(2))) == "RBPT(p=0.25,rel=2)"
    assert str(c @ 1) == "c@1"
    assert str(c(unanswered=0) @ 1) == "c(unanswered=0)@1"
    assert str(RBPT(p=0.8, tail=True)) == "RBPT"
    assert str(ir_trunc.NDCGT) == "nDCGT"
    assert RBPT @ 10.0 == RBPT @ 10


@pytest.mark.parametrize(("given", "message"), [
    ({"p": 1}, "p=1 is out of range: a number > 0 and < 1"),
    ({"p": float("nan")}, "p=nan is out of range"),
    ({"p": "0.5"}, "p='0.5': a number > 0 and < 1 is needed, not str"),
    ({"p": True}, "not bool"),
    ({"rel": 1.5}, "rel=1.5 is out of range: a whole number >= 1"),
    ({"cutoff": 0}, "cutoff=0 is out of range"),
    ({"tail": 1}, "True or False is needed, not int"),
    ({"persistence": 0.5}, "no parameter 'persistence'; it has: p, rel, max_rel, tail, gain, terminal, norm"),
])  # fmt: skip
def test_wrong_parameters_say_what_is_allowed(given, message):
    with pytest.raises(ParameterError, match="RBPT") as caught:
        RBPT(**given)
    assert message in str(caught.value)


def test_a_missing_cutoff_is_named_when_the_measure_is_used():
    with pytest.raises(ValueError, match="PT needs a cutoff: write PT@10"):
        ir_measures.calc_aggregate([ir_trunc.PT], QRELS, RUN)


TREC_EVAL = {
    "map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "ndcg_cut.10": "nDCG@10", "P_5": "P@5",
    "P.5": "P@5", "recall_100": "R@100", "bpref": "Bpref", "ndcg": "nDCG", "set_F": "SetF",
    "map_cut_10": "AP@10", "success_1": "Success@1", "num_ret": "NumRet", "ndcg_cut.5,10": "nDCG@5 nDCG@10",
}  # fmt: skip


@pytest.mark.parametrize(("name", "ours"), TREC_EVAL.items())
def test_the_names_trec_eval_measures_are_understood(name, ours):
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}, {"1": ["x", "a"], "2": ["c", "d"]}
    assert ir_trunc.calc_aggregate(name, qrels, run) == ir_trunc.calc_aggregate(ours, qrels, run)


NO_MEASURES = ["gm_map", "official", "P_5.run", "P_x", "map_", "ndcg_cut_", "P_5x", "all_trec"]


@pytest.mark.parametrize("name", NO_MEASURES)
def test_what_is_not_a_name_of_a_measure_is_refused(name, capsys):
    refused(ir_trunc.UnknownMeasureError, name, ir_trunc.parse_measure, name)
    assert capsys.readouterr().out == ""


def test_a_name_trec_eval_measures_that_stands_for_many_is_one_measure_nowhere():
    assert len(ir_trunc.calc("ndcg_cut", {"1": {"a": 1}}, {"1": ["a"]}).measures) == 9
    with pytest.raises(ir_trunc.UnknownMeasureError, match="'ndcg_cut' is 9 measures in trec_eval"):
        ir_trunc.parse_measure("ndcg_cut")


def test_no_name_of_ours_is_one_trec_eval_measures_with_another_meaning():
    for name in set(names()) & set(registry):
        found = {str(measure).partition("@")[0].partition("(")[0] for measure in trec_eval_measures(name)}
        assert found <= {name, *registry[name].aliases}


def test_a_long_text_is_shortened_in_the_message():
    with pytest.raises(ir_trunc.UnknownMeasureError, match=r"^There is no measure 'xxxx.*xxxx'") as caught:
        ir_trunc.parse_measure("x" * 5000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", [
    "hit_rate", "hit_rate_at_10", "HitRate@5", "accuracy@5", "top_k_accuracy", "F1@5", "f1", "hole", "Hole@5",
    "exact_match", "map_at_10", "mrr", "mrr@5", "ndcg_at_10", "precision@5", "context_precision",
    "context_recall", "contextual_precision", "r_precision", "pr_auc", "RBP'", "NDCG'@10",
    *ELSEWHERE,
])  # fmt: skip
def test_a_name_of_another_framework_leads_to_the_measure(name, command):
    name = re.sub("(?<=[_@])k$", "5", name.split()[-1])  # of a row of the table the last one
    with pytest.raises(UnknownMeasureError) as refused:
        ir_trunc.parse_measure(name)
    here = str(refused.value).partition("Here it is ")[2].removesuffix(".")
    assert here in ELSEWHERE.values()
    assert f"Here it is {here}." in command("qrels", "run", name)[2]
    named = [word.strip(",").replace("@k", "@5") for word in here.split()]
    assert any((word[0].isupper() or word[0] == "n") and ir_trunc.parse_measure(word) for word in named)
