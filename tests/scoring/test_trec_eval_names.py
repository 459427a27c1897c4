"""Measures under the names that trec_eval has for them."""

import pytest

import ir_trunc
from ir_trunc.measures import names, registry
from ir_trunc.scoring.objects import trec_eval_measures

TREC_EVAL = {
    "map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "ndcg_cut.10": "nDCG@10", "P_5": "P@5",
    "P.5": "P@5", "recall_100": "R@100", "bpref": "Bpref", "ndcg": "nDCG", "set_F": "SetF",
    "map_cut_10": "AP@10", "success_1": "Success@1", "num_ret": "NumRet", "ndcg_cut.5,10": "nDCG@5 nDCG@10",
}  # fmt: skip


@pytest.mark.parametrize(("name", "ours"), TREC_EVAL.items())
def test_the_names_trec_eval_measures_are_understood(name, ours):
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}, {"1": ["x", "a"], "2": ["c", "d"]}
    assert ir_trunc.calc_aggregate(name, qrels, run) == ir_trunc.calc_aggregate(ours, qrels, run)


@pytest.mark.parametrize(
    "name", ["gm_map", "official", "P_5.run", "P_x", "map_", "ndcg_cut_", "P_5x", "all_trec"]
)
def test_what_is_not_a_name_of_a_measure_is_refused(name, capsys):
    with pytest.raises(ir_trunc.UnknownMeasureError, match=name):
        ir_trunc.parse_measure(name)
    assert capsys.readouterr().out == ""


def test_a_name_trec_eval_measures_that_stands_for_many_is_one_measure_nowhere():
    assert len(ir_trunc.calc("ndcg_cut", {"1": {"a": 1}}, {"1": ["a"]}).measures) == 9
    with pytest.raises(ir_trunc.UnknownMeasureError, match="'ndcg_cut' is 9 measures in trec_eval"):
        ir_trunc.parse_measure("ndcg_cut")


def test_no_name_of_ours_is_one_trec_eval_measures_with_another_meaning():
    for name in set(names()) & set(registry):
        found = {str(measure).partition("@")[0].partition("(")[0] for measure in trec_eval_measures(name)}
        assert found <= {name, *registry[name].aliases}
