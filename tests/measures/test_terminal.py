"""Lists that end: stock measures where they fill the cutoff, complete lists, the scale of the judgments."""

from collections import Counter, namedtuple
from functools import cache
from itertools import product

import numpy as np
import pytest
from generated import settings_of
from ir_measures import Qrel

import ir_trunc
from ir_trunc import IrTruncWarning, calc, parse_measure
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures import registry
from ir_trunc.measures.declaration import CUTOFF

OF_STOCK = {
    "nDCGT": "nDCG", "nERRT": "nERR", "nERRT(gain='linear')": "nERR(gain='linear')", "nRBPT": "nRBP",
    "nDCGT(rel=1)": "nDCG(gains={2: 1, 3: 1})", "RBPT(rel=1)": "RBP(rel=1)", "nRBPT(rel=2)": "nRBP(rel=2)",
    "APT": "AP", "APT(norm='count')": "AP", "RRT": "RR", "PT": "P", "ERRT(max_rel=4)": "ERR",
}  # fmt: skip


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_list_that_fills_the_cutoff_is_scored_by_the_stock_measure(k):
    """Also if it does so with the documents that left it: a list that did not visibly stop has no end."""
    rng = np.random.default_rng(k)
    tops = [0, 3] * 100  # every other topic is a nil query
    lists = [rng.choice([None, -1, *range(top + 1)], rng.integers(0, 7)).tolist() for top in tops]
    of_topics = [
        [grade for grade in each if grade is not None] + rng.integers(0, top + 1, 3).tolist()
        for each, top in zip(lists, tops)
    ]
    rankings, left = Rankings.from_lists(lists, of_topics), rng.integers(0, 4, 200)
    rankings = rankings.with_fields(withheld=left)
    filled = rankings.lengths + left >= k
    for (terminal, stock), judged_only in product(OF_STOCK.items(), (False, True)):
        pair = [parse_measure(f"{name}@{k}")(judged_only=judged_only) for name in (terminal, stock)]
        ended, plain = calc(pair, None, rankings).values
        np.testing.assert_allclose(ended[filled], plain[filled], rtol=1e-12, atol=1e-15, err_msg=terminal)
        assert (ended[~filled] > plain[~filled]).any()


def bounded(name):
    """Settings without a cutoff whose end is worth the least gain, or a unit of the grades, and no more."""
    for change in ({"terminal": "least"} if name == "ERRT" else {}, *settings_of(registry[name])):
        full = "full" in (change.get("terminal"), change.get("terminal", "full") if name == "ERRT" else "")
        if not full and change.get("norm") != "count":
            yield {**change, CUTOFF: 30 if name == "PT" else None}


@cache
def lists_that_may_miss_documents(unit, lowest):
    """Lists, the same with one document that they missed, and the complete lists in order."""
    rng = np.random.default_rng(unit)
    lists, longer, complete, judged = [], [], [], []
    for _ in range(300):
        topic = (rng.integers(0, 4, rng.integers(0, 7)) * unit).tolist()
        gains = sorted((grade for grade in topic if grade >= lowest), reverse=True)
        kept = rng.random(len(topic)) < rng.random()
        ranked = [grade for grade, keep in zip(topic, kept) if keep] + [0] * int(rng.integers(0, 3))
        rng.shuffle(ranked)
        missing = sorted((Counter(gains) - Counter(ranked)).elements())[-1:]
        lists, longer = [*lists, ranked], [*longer, [*ranked, *missing]]
        complete, judged = [*complete, gains], [*judged, [*topic, 0, 0]]
    return [Rankings.from_lists(each, judged) for each in (lists, longer, complete)]


@pytest.mark.parametrize("name", ["RRT", "PT", "RBPT", "nDCGT", "APT", "ERRT", "nRBPT", "nERRT"])
@pytest.mark.parametrize("unit", [1, 7])
def test_the_complete_list_is_the_best_and_a_missing_document_never_harms(name, unit):
    for change in bounded(name):
        if change.get("max_rel"):
            change["max_rel"] *= unit
        measure = registry[name].bind(change)
        listed, more, best = map(measure.score, lists_that_may_miss_documents(unit, change.get("rel") or 1))
        assert (listed <= best + 1e-12).all(), change
        assert (more >= listed - 1e-12).all(), change
        if name not in ("PT", "ERRT") and change.get("norm") != "none" and change.get("tail", True):
            np.testing.assert_allclose(best, 1, rtol=1e-12, err_msg=str(change))


@pytest.mark.filterwarnings("ignore:.*scale")
@pytest.mark.parametrize("measure", ["nDCGT", "RBPT", "RRT(gain='linear')", "APT(gain='linear')"])
def test_scores_do_not_depend_on_the_unit_of_the_grades(measure):
    lists, judged = [[2, 0, 0, 1], [0], [1, 2]], [[2, 1, 1, 0, 0], [1, 0], [2, 1, 0]]
    hundreds = [[[100 * grade for grade in grades] for grades in rows] for rows in (lists, judged)]
    values = [calc(measure, None, Rankings.from_lists(*rows)).values for rows in ((lists, judged), hundreds)]
    np.testing.assert_allclose(*values, rtol=1e-12)


RUN = {"1": {"a": 1.0}}
GRADED_MEASURES = "nDCGT RBPT APT(gain='linear') APT(gain='linear',norm='count') FlatU"


def test_a_scale_whose_top_the_qrels_may_lack_is_reported_once():
    with pytest.warns(IrTruncWarning) as issued:
        ready = ir_trunc.evaluator(GRADED_MEASURES, {"1": {"a": 1, "b": 5, "c": 0}})
    assert ready.calc(RUN).values.tolist() == ready.calc(RUN).values.tolist()
    assert [str(warning.message) for warning in issued] == [
        "the judgement scale is assumed to end at 5, the highest grade in the qrels (1, 5); APT depends on"
        " it. Write max_rel=5, or the top that no document has."
    ]


@pytest.mark.parametrize(("measures", "grades"), [
    (GRADED_MEASURES, {"a": 1, "b": 2, "c": 0}),
    ("nDCGT RBPT APT(gain='linear') RBPT(gain='raw',norm='none') APT RRT(gain='linear') nDCG@10", {"a": 5}),
    ("FlatU(max_rel=10) RBPT(rel=1) nDCGT(max_rel=10,terminal='full')", {"a": 5}),
])  # fmt: skip
def test_a_scale_that_shows_or_does_not_matter_is_not_reported(measures, grades, recwarn):
    calc(measures, {"1": grades}, RUN)
    assert not recwarn.list


def test_a_scale_that_the_data_set_declares_is_not_reported(recwarn):
    GenericQuery = namedtuple("GenericQuery", "query_id text")

    class DataSet:
        def queries_iter(self):
            return iter([GenericQuery("1", "text")])

        def qrels_iter(self):
            return iter([Qrel("1", "a", 1), Qrel("1", "b", 5)])

        def qrels_defs(self):
            return {0: "", 1: "", 5: "", 10: ""}

    results = calc("FlatU", DataSet(), RUN)
    assert results.values.tolist() == calc("FlatU(max_rel=10)", {"1": {"a": 1, "b": 5}}, RUN).values.tolist()
    assert not recwarn.list
