"""What papers say of their measures in figures, and figures of other tools: NTCIREVAL, cwl_eval."""

import math

import pytest
from messages import refused

import ir_trunc
from ir_trunc import IrTruncWarning, Rankings, calc

# What Amigó, Mizzaro & Spina (2022) say of their measures, in figures.

A, B = "1" * 10, "1" * 10 + "0" * 10


TRUNCATED = "nDCGT RBPT ERRT APT FlatU DCGU RBPU ERRU RBU OIE SetF"


def test_only_truncated_measures_prefer_the_list_that_ends():
    """Classical measures cannot tell the introduction's systems apart."""
    rankings = Rankings.from_lists([list(map(int, signs)) for signs in (A, B)], [[1] * 11 + [0] * 30] * 2)
    classical = calc("AP nDCG RBP P@10 nDCG@10 RR", None, rankings).values
    assert (classical[:, 0] == classical[:, 1]).all()
    truncated = calc(TRUNCATED, None, rankings).values
    assert (truncated[:, 0] > truncated[:, 1]).all()


# Measures whose perfect list scores 1 on every scale, and figures of NTCIREVAL.

# Printed by pyNTCIREVAL 0.0.3 (PyPI) with the grades 1, 2 and 3: list, judgments, k, nERR@k, MSnDCG@k.
NTCIREVAL = [
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 1, 1.0, 1.0),
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 3, 0.902439024390244, 0.5939462358400547),
    ([3, 0, 1, 2, 0, 3], [3, 3, 2, 1, 1, 0, 0], 10, 0.9401579586877279, 0.809197741581698),
    ([0, 1], [1, 2, 3, 0], 1, 0.0, 0.0),
    ([0, 1], [1, 2, 3, 0], 3, 0.1518987341772152, 0.13249650743056282),
    ([1, 2], [1, 2], 1, 0.5, 0.5),
    ([1, 2], [1, 2], 10, 0.7777777777777778, 0.8597186998521972),
]


@pytest.mark.parametrize(("grades", "judged", "k", "nerr", "msndcg"), NTCIREVAL)
def test_equal_to_ntcireval(grades, judged, k, nerr, msndcg):
    rankings = Rankings.from_lists([grades], [judged])
    found = calc(f"nERR(gain='linear', max_rel=4)@{k} MSnDCG@{k}", None, rankings).to_pandas().iloc[0]
    assert found.tolist() == pytest.approx([nerr, msndcg], rel=1e-12)


def test_err_on_any_scale_is_said_where_err_ends():
    """ERR's scale ends at 4 as in gdeval; ERRU(e=0) is the same formula for any."""
    rankings = Rankings.from_lists([[5, 0, 2]], [[5, 2, 0]])
    refused(ir_trunc.ParameterError, r"use ERRU\(e=0\)", calc, "ERR", None, rankings)
    with pytest.raises(ir_trunc.ParameterError, match=r"'max_rel'; .* ERRT and ERRU: with max_rel"):
        ir_trunc.parse_measure("ERR(max_rel=5)@10")
    found = calc("ERRU(e=0)", None, rankings).to_pandas().iloc[0, 0]
    first, third = 31 / 32, 3 / 32
    assert found == pytest.approx(first + (1 - first) * third / 3)


# Reading cost: figures of cwl_eval, and the unit of costs.

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
    assert scores("FlatU RBPU EET(of='RBPU')", Rankings.from_lists([[0, 0]], [[1, 0, 0]]))[2] == 0


def test_costs_in_another_unit_than_the_measure_expects_get_a_warning():
    def run(cost):
        return [{"query_id": "1", "doc_id": "a", "score": 1.0, "cost": cost}]

    qrels = {"1": {"a": 1}}
    for measures, cost, says in (
        ("RBPU FlatU RBPT", 400.0, "cost 400 on average, and RBPU, FlatU takes costs in units of gain"),
        ("TBG RBPU", 0.35, r"cost 0\.35 on average, and TBG takes costs in units of its own"),
    ):
        with pytest.warns(IrTruncWarning, match=says):
            calc(measures, qrels, run(cost))
    calc("RBPU", qrels, run(0.35))
    calc("TBG RBPT", qrels, run(400.0))
