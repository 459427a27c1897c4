"""Figures that Liu, Moffat, Baldwin & Zhang (2016) print."""

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

TABLE_1 = """
00     0  .333 .250 .500 .333
000    0  .250 .125 .431 .250
111    3 1.000 1.000 1.000 1.000
11     3 1.000 .917 .922 .648
11100  3 1.000 .906 .971 .917
101    3 1.000 .708 .698 .528
1      3 1.000 .667 .742 .306
10100  3 1.000 .646 .678 .491
011    3  .500 .458 .554 .403
01001  3  .500 .302 .490 .299
"""
MEASURES = "RRT RBPT(p=0.5) nDCGT APT"


def scored(measures: str, signs: str, relevant: int) -> list[float]:
    grades = [int(sign) for sign in signs]
    rankings = Rankings.from_lists([grades], [[1] * relevant + [0] * len(grades)])
    return calc(measures, None, rankings).values[:, 0].tolist()


@pytest.mark.parametrize("line", TABLE_1.strip().splitlines(), ids=lambda line: "R=".join(line.split()[:2]))
def test_table_1(line):
    signs, relevant, *printed = line.split()
    assert scored(MEASURES, signs, int(relevant)) == pytest.approx([float(x) for x in printed], abs=0.0005)


def test_an_empty_list_is_the_perfect_answer_to_a_nil_query():
    assert scored(MEASURES, "", relevant=0) == [1, 1, 1, 1]


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


def test_what_a_list_that_lost_a_document_is_divided_by():
    qrels, run = {"q": dict.fromkeys("abc", 1)}, {"q": ["a", "z"]}
    with pytest.warns(match="1 document left 1 list"):
        results = calc("nDCGT@2 nERRT@2 nRBPT@2", qrels, run, withheld={"q": ["z"]})
    assert results.values[:, 0].tolist() == pytest.approx([0.6131, 0.8, 0.5556], abs=0.00005)


# max_rel = 10; list, topic, then RBPT; nDCGT and APT with the least, one unit and a full gain at the end.
GRADED = """
10,0,5    10,5,1         .9070 .9161 .9161 .9207 .8753 .8753 .8763
5         10,5,1         .3634 .3951 .3951 .5300 .1756 .1756 .1814
0,10      10             .8000 .6934 .6405 .6934 .5833 .5087 .5833
1,5,10    10,5,1         .8116 .6805 .6805 .7495 .5003 .5003 .6464
10        10,10,5,5,1,1  .4359 .6252 .6252 .7340 .3440 .3440 .3436
10        10,1,1,1       .9341 .9863 .9863 1.3972 .9013 .9013 1.0586
10,5,1,0  10,5,1         .9702 .9969 .9969 .9756 .9942 .9942 .9374
1         1,1            .6000 .8066 .8066 2.5474 .4583 .4583 .3810
5         5,5            .6000 .8066 .6518 1.0000 .4583 .4915 .4286
0         -              .8000 .6309 .6309 .6309 .5000 .5000 .5000
-         -              1     1     1     1     1     1     1
0,0       10             0     0     0     0     0     0     0
"""
ENDS = ("", ",terminal='unit'", ",terminal='full'")
LINEAR = " ".join(
    ["RBPT(max_rel=10)", *(f"nDCGT(max_rel=10{end})" for end in ENDS)]
    + [f"APT(gain='linear',max_rel=10{end})" for end in ENDS]
)
# RRT, and RBPT, APT with norm='count' of the literal readings
OTHERS = (
    "RRT(gain='linear') RBPT(gain='raw',terminal='unit',norm='none',p=.5)"
    " RBPT(max_rel=10,terminal='full',norm='none') APT(gain='linear',norm='count',max_rel=10,terminal='full')"
)
LITERAL = """
10,0,5  10,5,1           1 5.7422 .7440 .7005
10,5,1  10,5,1           1 6.5    .8048 .7994
5       10,5,1          .5 2.6562 .3500 .1450
0,10    10              .5 2.75   .8000 .5833
1,5,10  10,5,1          .1 3.125  .7400 .5167
-       -                1 1      1     1
0       -               .5 .5     .8000 .5000
0,0     10               0 0      0     0
"""


@pytest.mark.parametrize(
    ("measures", "line"),
    [(LINEAR, line) for line in GRADED.strip().splitlines()]
    + [(OTHERS, line) for line in LITERAL.strip().splitlines()],
    ids=lambda text: "/".join(text.split()[:2]),
)
def test_graded_ends(measures, line):
    ranked, of_topic, *expected = line.split()
    grades, judged = ([int(x) for x in text.split(",") if x != "-"] for text in (ranked, of_topic))
    values = calc(measures, None, Rankings.from_lists([grades], [[*judged, 0, 0]])).values[:, 0]
    assert values.tolist() == pytest.approx([float(x) for x in expected], abs=0.000051)


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


def test_binary_scores_are_not_divided():
    rankings = Rankings.from_lists([[1, 0, 1], [0, 1, 1], [], [0]], [[1] * 3 + [0], [1, 1, 0], [1], [0]])
    divided, plain = calc("RBPT RBPT(norm='none')", None, rankings).values
    assert divided.tobytes() == plain.tobytes()


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
