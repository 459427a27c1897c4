"""Harm: published figures of UDCG, and the compatibility of the tool of TREC."""

import ir_measures
import numpy as np
import pytest

from ir_trunc import ParameterError, Rankings, calc

MILLION = 1_000_000
# github.com/GiovanniTRA/UDCG, data/dataset_with_udcg.json: the probability that the model abstains, for
# relevant and for other passages, and the UDCG that is printed there, with 0.333 for the weight 1/3.
PUBLISHED = [
    ([2.086162567138672e-06, 1.341104507446289e-05], [0.1318359375, 0.1812744140625, 0.02081298828125],
     0.5553808928170055),
    ([5.960464477539063e-08, 6.616115570068359e-06],
     [0.00018215179443359375, 0.006114959716796875, 0.0093536376953125], 0.5501411475208001),
    ([3.0100345611572266e-05],
     [0.00010311603546142578, 0.007602691650390625, 0.01299285888671875, 0.00013053417205810547],
     0.4837510250741193),
]  # fmt: skip


def scores(measures, rankings):
    return calc(measures, None, rankings).to_pandas().iloc[0].tolist()


@pytest.mark.parametrize(("relevant", "others", "printed"), PUBLISHED)
def test_udcg_has_its_authors_figures(relevant, others, printed):
    """Utilities are 1 - p, written as grades in millionths; distractors have negative ones."""
    grades = [round((1 - p) * MILLION) for p in relevant] + [-round((1 - p) * MILLION) for p in others]
    found = scores(f"UDCG(gamma=0.333, max_rel={MILLION})", Rankings.from_lists([grades]))
    assert found == pytest.approx([printed], abs=1e-6)


def test_compatibility_is_that_of_the_tool_of_trec():
    """ir-measures has the tool's code to the depth of the list, which is here the 1000 of TREC's.

    The harmful ideal list is the helpful one of judgments with the opposite sign.
    """
    rng = np.random.default_rng(0)
    docs = [f"d{i:04}" for i in rng.permutation(1000)]
    judged = dict(zip(rng.choice(docs, 60, replace=False).tolist(), rng.integers(-3, 4, 60).tolist()))
    judged |= {"missed": 2, "missed too": -3}
    run = {"1": {doc: float(1000 - i) for i, doc in enumerate(docs)}}
    stock = ir_measures.parse_measure("Compat(p=0.9)")
    helpful, harmful = (
        ir_measures.calc_aggregate([stock], {"1": {doc: sign * x for doc, x in judged.items()}}, run)[stock]
        for sign in (1, -1)
    )
    assert 0 < harmful < 1
    found = calc("HarmCompat(p=0.9) CompatDiff(p=0.9)", {"1": judged}, run).to_pandas().iloc[0].tolist()
    assert found == pytest.approx([harmful, helpful - harmful], rel=1e-9)


def test_a_cascade_has_no_harm():
    """A gain is a probability there."""
    with pytest.raises(ParameterError, match="'linear' or 'exp' is needed"):
        calc("ERRU(gain='signed')", None, Rankings.from_lists([[1]]))
