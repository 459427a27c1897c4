"""Negative grades, against published tools; sets that may be empty."""

import pickle
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import ParameterError, Rankings, calc, calc_aggregate, read_answers
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


# Sets that may be empty: push notifications, filtering, and set measures in which silence may be right.

DAYS = Rankings.from_lists(
    # A day with three relevant tweets, one of them highly; the same, unseen; two silent days.
    [[2, 0, 1, None], [], [], [0]],
    [[2, 1, 1, 0], [2, 1, 1], [0], [0]],
    topics=["1", "2", "3", "4"],
)


def value(text, rankings=DAYS):
    return calc([text], None, rankings).values[0].tolist()


def test_a_day_of_push_notifications_by_the_guidelines_of_2016():
    """Gains of 0, 1/2 and 1; a silent day is worth 1 to who is silent, or nothing to anybody."""
    assert value("EG") == pytest.approx([1.5 / 4, 0, 1, 0])
    assert value("EG(nil=0)") == pytest.approx([1.5 / 4, 0, 0, 0])
    assert value("nCG@10") == pytest.approx([1.5 / 2, 0, 1, 0])
    assert value("nCG(nil=0)@10") == pytest.approx([1.5 / 2, 0, 0, 0])
    assert value("nCG@2") == pytest.approx([1 / 1.5, 0, 1, 0])  # two may be pushed: 1 and 1/2 at best
    assert value("EG@2") == pytest.approx([1 / 2, 0, 1, 0])


def test_only_the_first_tweet_of_a_cluster_has_a_gain():
    clusters = read_answers({"day": [{"t1": 2, "t2": 2}, {"t3": 1}]})
    found = calc_aggregate("EG nCG@10 GMP", clusters, {"day": ["t1", "t2", "t3"]})
    assert list(found.values()) == pytest.approx([1.5 / 3, 1, 0.5 * 1.5 - 0.5])


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_utility_is_that_of_trec_eval_on_real_runs(real_data):
    """trec_eval's `utility` is tp - fp: with tp once more it is T11U."""
    pytrec_eval, folder = pytest.importorskip("pytrec_eval"), real_data("covid-r1")
    qrels = ir_measures.util.QrelsConverter(
        ir_measures.read_trec_qrels(str(folder / "qrels.covid-r1.txt"))
    ).as_dict_of_dict()
    official = pytrec_eval.RelevanceEvaluator(qrels, {"utility", "num_rel_ret", "num_rel", "set_F"})
    for name in ("BERT.gz", "sab20.1.blind.gz", "smith.ql.gz"):
        run: dict = {}
        for row in ir_measures.read_trec_run(str(folder / "runs" / name)):
            if int(row.query_id) % 3 and len(run.get(row.query_id, ())) < 40:
                run.setdefault(row.query_id, {})[row.doc_id] = row.score
        values = official.evaluate(run)
        found = calc("T11SU NilF", qrels, run)
        for at, topic in enumerate(found.topics):
            if topic not in values:
                assert found.values[:, at].tolist() == pytest.approx([1 / 3, 0])
                continue
            of = values[topic]
            utility = (of["utility"] + of["num_rel_ret"]) / (2 * of["num_rel"])
            assert found.values[0, at] == pytest.approx((max(utility, -0.5) + 0.5) / 1.5)
            assert found.values[1, at] == pytest.approx(of["set_F"], abs=1e-6)


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
    plain, one, half = (value(f"{name}{option}{k}", OF_FOUR) for option in ("", "(nil=1)", "(nil=0.5)"))
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


def test_saying_nil_is_as_right_as_saying_nothing():
    qrels, run = {"1": {"a": 0}, "2": {"b": 1}}, {"1": {"NIL": 1.0}, "2": {"NIL": 1.0}}
    for answers in ({}, run):
        assert calc("NilF EG nCG", qrels, answers, nil="ends").values.tolist() == [[1, 0]] * 3
