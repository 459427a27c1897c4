"""Negative grades, against published tools; sets that may be empty."""

import pickle
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import ParameterError, Rankings, calc, calc_aggregate
from ir_trunc.measures import registry

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


@pytest.mark.parametrize(("relevant", "others", "printed"), PUBLISHED)
def test_udcg_has_its_authors_figures(relevant, others, printed):
    """Utilities are 1 - p, written as grades in millionths; distractors have negative ones."""
    grades = [round((1 - p) * MILLION) for p in relevant] + [-round((1 - p) * MILLION) for p in others]
    found = calc(f"UDCG(gamma=0.333, max_rel={MILLION})", None, Rankings.from_lists([grades])).values[0]
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
    lists = Rankings.from_lists([[1]])
    refused(ParameterError, "'linear' or 'exp' is needed", calc, "ERRU(gain='signed')", None, lists)


# Sets that may be empty: push notifications, filtering, and set measures in which silence may be right.


# A list with an answer, silence on a nil query, another list on a nil query, silence on another query.
OF_FOUR = Rankings.from_lists([[1, 0], [], [0], []], [[1, 0], [0], [0], [1]])
CLASSICAL = [
    name
    for name, definition in registry.items()
    if "nil" in definition.params and definition.formula.__module__.endswith("classical")
]


@pytest.mark.parametrize("name", CLASSICAL)
def test_silence_on_a_nil_query_may_be_worth_something_to_every_classical_measure(name):
    """As in Qur'an QA 2023 and IslamicEval 2025, whose AP@10 is 1 for silence where there is no answer."""
    k = "@10" if "cutoff" in registry[name].params else ""
    texts = [f"{name}{option}{k}" for option in ("", "(nil=1)", "(nil=0.5)")]
    plain, one, half = calc(texts, None, OF_FOUR).values.tolist()
    assert plain == [plain[0], 0, 0, 0]
    assert one == [plain[0], 1, 0, 0]
    assert half == [plain[0], 0.5, 0, 0]


def test_the_classical_measures_of_ir_measures_take_nil():
    assert {"AP", "RR", "nDCG", "P", "R", "Success", "Bpref", "Rprec", "SetF", "ERR", "RBP"} <= {*CLASSICAL}


def test_a_measure_with_nil_is_written_read_pickled_and_computed_by_ir_measures():
    measure, plain = ir_trunc.parse_measure("AP(nil=1)@10"), ir_measures.AP @ 10
    qrels, run = {"1": {"a": 0}, "2": {"b": 1}}, {"2": {"b": 1.0}}
    assert str(measure) == "AP(nil=1)@10"
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert ir_measures.calc_aggregate([measure, plain], qrels, run) == {measure: 1, plain: 0.5}
    for given in (measure, "AP(nil=1)@10", ir_trunc.AP(nil=1) @ 10, "MAP(nil=1)@10"):
        assert calc_aggregate(given, qrels, run)["AP(nil=1)@10"] == 1
    condensed = calc_aggregate("AP(nil=1, judged_only=True)", qrels, {"1": ["x"], "2": ["x", "b"]})
    assert [*condensed.values()] == [1]
    refused(ParameterError, r"nil=2.*out of range", ir_trunc.parse_measure, "AP(nil=2)")


def test_another_id_may_stand_for_no_answer_at_the_command_line(command, tmp_path, monkeypatch):
    """-1 in Qur'an QA."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 0\n2 0 b 1\n", encoding="utf-8")
    Path("my.run").write_text("1 Q0 -1 1 0.5 tag\n2 Q0 b 1 0.5 tag\n", encoding="utf-8")
    words = ("qrels", "my.run", "AP(nil=1)@10", "--places", "2")
    assert command(*words, "--nil=-1=ends") == (0, "AP(nil=1)@10\t1.00\n", "")
    assert command(*words)[1] == "AP(nil=1)@10\t0.50\n"
    for wrong in ("-1=never", "-1", "-1=", "ends="):
        assert f"'{wrong}' is not one of ends, trec2001" in command(*words, f"--nil={wrong}")[2]
