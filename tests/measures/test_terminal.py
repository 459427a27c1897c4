"""Figures that Liu, Moffat, Baldwin & Zhang (2016) print."""

from collections import namedtuple

import numpy as np
import pytest
from ir_measures import Qrel

import ir_trunc
from ir_trunc import IrTruncWarning, calc
from ir_trunc._core.rankings import Rankings

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


def test_a_list_that_fills_the_imposed_depth_has_no_terminal_document():
    """Runs of five answers did not visibly stop: they keep their unmodified scores."""
    assert scored("RRT@5 APT@5", "00000", 0) == [0, 0]
    assert scored("nDCGT@5 RBPT@5", "11100", 3) == pytest.approx(scored("nDCG@5 RBP@5", "11100", 3))
    assert scored("RRT@5", "0000", 0) == [0.2]


# max_rel = 10; list, topic, then RRT, RBPT(p=.8), nDCGT, APT, APT with norm='count', by independent code.
GRADED = """
10,0,5  10,5,1           1 .7440 .9207 .8763 .7005
10,5,1  10,5,1           1 .8048     1     1 .7994
1       1                1 .8200     1     1 .5091
5       10,5,1          .5 .3500 .5300 .1814 .1450
0,10    10              .5 .8000 .6934 .5833 .5833
1,5,10  10,5,1          .1 .7400 .7495 .6464 .5167
10      10,10,5,5,1,1    1 .4500 .7340 .3436 .2869
-       -                1     1     1     1     1
0       -               .5 .8000 .6309 .5000 .5000
0,0     10               0     0     0     0     0
"""
LINEAR = (
    "RRT(gain='linear') RBPT(max_rel=10) nDCGT(max_rel=10) APT(gain='linear', max_rel=10)"
    " APT(gain='linear', norm='count', max_rel=10)"
)


@pytest.mark.parametrize("line", GRADED.strip().splitlines(), ids=lambda line: "/".join(line.split()[:2]))
def test_gains_of_graded_judgments_lie_between_0_and_1(line):
    ranked, of_topic, *expected = line.split()
    grades, judged = ([int(x) for x in text.split(",") if x != "-"] for text in (ranked, of_topic))
    values = calc(LINEAR, None, Rankings.from_lists([grades], [[*judged, 0, 0]])).values[:, 0]
    assert values.tolist() == pytest.approx([float(x) for x in expected], abs=0.00005)


@pytest.mark.filterwarnings("ignore:.*scale")
@pytest.mark.parametrize("measure", ["nDCGT", "RRT(gain='linear')", "APT(gain='linear')"])
def test_scores_do_not_depend_on_the_unit_of_the_grades(measure):
    lists, judged = [[2, 0, 0, 1], [0], [1, 2]], [[2, 1, 1, 0, 0], [1, 0], [2, 1, 0]]
    hundreds = [[[100 * grade for grade in grades] for grades in rows] for rows in (lists, judged)]
    values = [calc(measure, None, Rankings.from_lists(*rows)).values for rows in ((lists, judged), hundreds)]
    np.testing.assert_allclose(*values, rtol=1e-12)


RUN = {"1": {"a": 1.0}}
GRADED_MEASURES = "nDCGT RBPT APT(gain='linear') FlatU"


def test_a_scale_whose_top_the_qrels_may_lack_is_reported_once():
    with pytest.warns(IrTruncWarning) as issued:
        ready = ir_trunc.evaluator(GRADED_MEASURES, {"1": {"a": 1, "b": 5, "c": 0}})
    assert ready.calc(RUN).values.tolist() == ready.calc(RUN).values.tolist()
    assert [str(warning.message) for warning in issued] == [
        "the judgement scale is assumed to end at 5, the highest grade in the qrels (1, 5); nDCGT depends on"
        " it. Write max_rel=5, or the top that no document has."
    ]


@pytest.mark.parametrize(("measures", "grades"), [
    (GRADED_MEASURES, {"a": 1, "b": 2, "c": 0}),
    ("nDCGT(max_rel=10) RBPT(rel=1) APT RRT(gain='linear') nDCG@10", {"a": 5}),
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

    results = calc("RBPT", DataSet(), RUN)
    assert results.values.tolist() == calc("RBPT(max_rel=10)", {"1": {"a": 1, "b": 5}}, RUN).values.tolist()
    assert not recwarn.list
