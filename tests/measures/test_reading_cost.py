"""Reading cost: figures of cwl_eval, and the unit of costs."""

import math

import pytest

import ir_trunc
from ir_trunc import IrTruncWarning, Rankings, calc

# A list of 1000 documents that cost 2, 3, 1, 2, 3, 1, ...; rank and grade of the relevant ones.
RELEVANT = {1: 2, 3: 1, 4: 2, 10: 2, 50: 1, 400: 2}
LONG = Rankings.from_lists(
    [[RELEVANT.get(i, 0) for i in range(1, 1001)]], costs=[[1.0 + i % 3 for i in range(1, 1001)]]
)
# Printed by cwl-eval 1.0.12 (PyPI) for it: EU, ETU, EC, ETC.
CWL_EVAL = {
    "p=0.8": [0.3932453296596158, 1.9662266482980795, 2.0655737704918034, 10.32786885245902],
    "reader='inst', T=1": [0.7303825899821135, 1.1172103114277259, 2.100667399164855, 3.2126932687933847],
    "reader='inst', T=3": [0.36517764418510457, 1.7445450056637566, 2.0641446602537443, 9.834621565446813],
    "reader='ift', T=2": [0.6859157074248705, 1.1307709734248952, 2.1667916232409743, 3.5720789690320283],
}
QUANTITIES = ("EU", "ETU", "EC", "ETC")


def scores(measures, rankings):
    return calc(measures, None, rankings).to_pandas().iloc[0].tolist()


def beyond(T):
    """The share of INST's readers who would go on past the last rank, and all gain and cost above it."""
    gain, going_on = 0.0, 1.0
    for i in range(1, 1001):
        gain += RELEVANT.get(i, 0) / 2
        going_on *= ((i + 2 * T - gain - 1) / (i + 2 * T - gain)) ** 2
    return going_on * gain, going_on * sum(1.0 + i % 3 for i in range(1, 1001))


@pytest.mark.parametrize(("reader", "printed"), CWL_EVAL.items())
def test_equal_to_cwl_eval_on_a_list_that_does_not_end_early(reader, printed):
    """cwl_eval leaves out the totals of those who would read past rank 1000; here they leave at the end."""
    found = scores([f"{name}({reader})" for name in QUANTITIES], LONG)
    if "inst" in reader:
        more = beyond(float(reader[-1]))
        printed = [printed[0], printed[1] + more[0], printed[2], printed[3] + more[1]]
    assert found == pytest.approx(printed, rel=1e-12)


def test_time_and_text_are_weighed_as_in_cwl_eval():
    """cwl_eval normalises the weights of its 1000 ranks; these figures are its EU times their sum.

    It weighs a document by where it begins. The figure of the U-measure is for a list that begins with one
    more document, without gain, so that each begins where ours ends.
    """
    assert scores("TBG(half_life=224) UMeasure(L=1000)", LONG) == pytest.approx(
        [3.87359935806114, 4.116499999999999], rel=1e-12
    )


def test_any_measure_of_single_lists_can_be_weighed_against_its_cost():
    rankings = Rankings.from_lists([[1, 0, 1]], [[1, 1, 0]], costs=[[10.0, 20.0, 30.0]])
    worth, found = scores("RBPT(p=0.5) EET(of='RBPT(p=0.5)')", rankings)
    assert found == pytest.approx(2 * math.exp(-0.06) * worth / (worth + math.exp(-0.06)))
    assert ir_trunc.EET(of=ir_trunc.nDCG @ 5) == ir_trunc.parse_measure("EET(of='nDCG@5')")
    negative = Rankings.from_lists([[0, 0]], [[1, 0, 0]])
    assert scores("FlatU RBPU EET(of='RBPU')", negative)[2] == 0


def test_costs_in_another_unit_than_the_measure_expects_get_a_warning():
    def run(cost):
        return [{"query_id": "1", "doc_id": doc, "score": 1.0, "cost": cost} for doc in "a"]

    qrels = {"1": {"a": 1}}
    with pytest.warns(
        IrTruncWarning, match="cost 400 on average, and RBPU, FlatU takes costs in units of gain"
    ):
        calc("RBPU FlatU RBPT", qrels, run(400.0))
    with pytest.warns(
        IrTruncWarning, match=r"cost 0\.35 on average, and TBG takes costs in units of its own"
    ):
        calc("TBG RBPU", qrels, run(0.35))
    calc("RBPU", qrels, run(0.35))
    calc("TBG RBPT", qrels, run(400.0))
