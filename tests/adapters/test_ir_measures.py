"""ir_trunc inside ir-measures: its strings, verbs, evaluators and input forms."""

import ast
import copy
import pickle

import ir_measures
import numpy as np
import pandas as pd
import pytest
from generated import ALL, settings_of
from ir_measures import AP, RR, P, Qrel, ScoredDoc, nDCG

import ir_trunc
from ir_trunc import OIE, RBPT, c, calc, nDCGT, parse_measure
from ir_trunc.adapters.ir_measures import register
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.truncation import truncate

QRELS = {"1": {"a": 1, "b": 0, "d": 2}, "2": {"x": 0}, "3": {"z": 2}, "4": {"y": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0, "e": 0.5}, "3": {"y": 3.0, "z": 1.0}}
# Where PyTerrier is imported, measures of the whole run are warned of.
pytestmark = pytest.mark.filterwarnings("ignore:.*of pt.Experiment are not valid")

MIXED = [RBPT(p=0.5), nDCG @ 10, AP, c @ 1, OIE, nDCGT @ 2]


def judgments():
    return (Qrel(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items())


def scored():
    return (ScoredDoc(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items())


FORMS = {
    "dict": (lambda: QRELS, lambda: RUN),
    "named tuples": (judgments, scored),
    "frame": (lambda: pd.DataFrame(judgments()), lambda: pd.DataFrame(scored())),
}
forms = pytest.mark.parametrize("form", FORMS)


@forms
def test_calc_aggregate_and_iter_calc_agree_with_our_verbs(form):
    qrels, run = FORMS[form]
    ours = ir_trunc.calc(MIXED, QRELS, RUN)
    theirs = ir_measures.calc_aggregate(MIXED, qrels(), run())
    assert {m: pytest.approx(v, abs=1e-12) for m, v in ours.aggregated.items()} == theirs
    metrics = {(m.query_id, m.measure): m.value for m in ir_measures.iter_calc(MIXED, qrels(), run())}
    assert metrics == {(m.query_id, m.measure): pytest.approx(m.value, abs=1e-12) for m in ours.per_query}


@forms
def test_an_evaluator_serves_several_runs(form):
    qrels, run = FORMS[form]
    evaluator = ir_measures.evaluator(MIXED, qrels())
    first = evaluator.calc_aggregate(run())
    silent = evaluator.calc_aggregate({})
    assert evaluator.calc_aggregate(run()) == first != silent
    assert silent[RBPT(p=0.5)] == 0.25  # only the nil query is answered rightly


def test_our_provider_answers_classical_measures_too():
    provider = ir_measures.providers.registry["ir_trunc"]
    measures = [RBPT, nDCG @ 10, AP, P @ 5, RR]
    ours = provider.calc_aggregate(measures, QRELS, RUN)
    stock = ir_measures.pytrec_eval.calc_aggregate(measures[1:], QRELS, RUN)
    assert {m: ours[m] for m in stock} == {m: pytest.approx(v, abs=1e-12) for m, v in stock.items()}
    assert provider.supports(nDCG @ 10)
    assert not provider.supports(ir_measures.infAP)


@pytest.mark.parametrize("definition", ALL, ids=lambda definition: definition.name)
def test_every_measure_is_an_object_whose_text_parses_back(definition):
    measure = getattr(ir_trunc, definition.name)
    for change in settings_of(definition):
        change = {name: value for name, value in change.items() if value is not None}
        if not set(change) <= set(measure.SUPPORTED_PARAMS):
            continue
        for given in (
            change,
            {k: np.asarray(v)[()] if isinstance(v, (int, float)) else v for k, v in change.items()},
        ):
            if definition.name in ir_measures.measures.__all__ and given is not change:
                continue  # stock classes take plain numbers only
            changed = measure(**given)
            assert parse_measure(str(changed)) == changed
            if "=-" not in str(changed) and hasattr(ast, "Num"):  # ir-measures itself reads neither
                assert ir_measures.parse_measure(str(changed)) == changed
            assert pickle.loads(pickle.dumps(changed)) == copy.copy(changed) == changed
            assert hash(changed) == hash(parse_measure(str(changed)))


def test_stock_names_stay_stock_objects():
    for name in ("P", "R", "AP", "RR", "nDCG", "ERR", "RBP", "SetP", "SetR", "SetF", "Rprec", "Bpref"):
        assert getattr(ir_trunc, name) is getattr(ir_measures, name)


def test_an_imposed_limit_is_said_in_ir_measures_too():
    qrels = {str(topic): {"d1": 1} for topic in range(4)}
    run = {topic: {f"d{rank}": 1 / rank for rank in range(1, 21)} for topic in qrels}
    with pytest.warns(ir_trunc.IrTruncWarning, match="end at 20 documents.* use RBPT@20"):
        ir_measures.calc_aggregate([AP, RBPT], qrels, run)


def test_the_length_at_which_a_policy_ended_lists_is_no_limit_in_ir_measures_either():
    qrels = {str(topic): {"d1": 1} for topic in range(10)}
    cut = truncate({key: [f"d{rank}" for rank in range(1, 6)] for key in qrels}, "Fixed(4)")
    assert ir_measures.calc_aggregate([RBPT], qrels, cut)[RBPT] == calc("RBPT", qrels, cut).aggregated["RBPT"]


def test_the_provider_stands_beside_those_of_ir_measures():
    assert ir_measures.ir_trunc is ir_measures.providers.registry["ir_trunc"]
    assert ir_measures.ir_trunc.calc_aggregate([RBPT], QRELS, RUN) == ir_measures.calc_aggregate(
        [RBPT], QRELS, RUN
    )


@pytest.mark.filterwarnings("ignore:.*most lists end at")
def test_judged_only_is_that_of_ir_measures():
    """Condensed lists, as trec_eval's -J has them: a negative grade is no judgment."""
    rng, grades = np.random.default_rng(3), [-1, 0, 0, 1, 2]
    qrels = {f"q{t}": {f"d{n}": int(g) for n, g in enumerate(rng.choice(grades, 8))} for t in range(50)}
    run = {t: {f"d{n}": -float(rank) for rank, n in enumerate(rng.permutation(16)[:9])} for t in qrels}
    texts = ["AP", "nDCG", "nDCG@3", "P@5", "R@3", "RR", "Rprec", "SetF", "SetP", "Success@2", "AP@3"]
    measures = [ir_measures.parse_measure(text)(judged_only=True) for text in texts]
    results = ir_trunc.calc(measures, qrels, run)
    metrics = ir_measures.pytrec_eval.iter_calc(measures, qrels, run)
    stock = {(metric.query_id, metric.measure): metric.value for metric in metrics}
    for measure, values in zip(measures, results.values):
        expected = [stock[topic, measure] for topic in results.topics]
        assert expected == pytest.approx(values, abs=1e-12), measure
    plain, condensed = ir_trunc.calc("RBPT RBPT(judged_only=True)", qrels, run).values
    assert (plain != condensed).any()


def test_registering_again_changes_nothing():
    before = (len(ir_measures.measures.registry), len(ir_measures.DefaultPipeline.providers))
    register()
    assert (len(ir_measures.measures.registry), len(ir_measures.DefaultPipeline.providers)) == before


def test_measures_explain_themselves():
    assert "(1 - p) sum_i g_i p^(i-1)" in RBPT.__doc__
    assert RBPT.SUPPORTED_PARAMS["p"].default == 0.8
    assert CUTOFF in RBPT.SUPPORTED_PARAMS


def test_measures_that_only_ir_measures_knows_are_asked_of_it():
    results = ir_trunc.calc("RBPT infAP nDCG(judged_only=True)@3 NumRet", QRELS, RUN)
    stock = ir_measures.calc_aggregate([ir_measures.infAP, ir_measures.NumRet], QRELS, RUN)
    assert results.aggregated["infAP"] == stock[ir_measures.infAP]
    assert results.aggregated["NumRet"] == stock[ir_measures.NumRet] == 5
