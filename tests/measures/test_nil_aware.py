"""Sets that may be empty: push notifications, filtering, and set measures in which silence may be right."""

import pickle
from pathlib import Path

import ir_measures
import pytest
from messages import refused

import ir_trunc
from ir_trunc import ParameterError, calc, calc_aggregate, read_answers
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures import registry

pytrec_eval = pytest.importorskip("pytrec_eval")

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
    folder = real_data("covid-r1")
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
