"""Sets that may be empty: push notifications, filtering, and set measures in which silence may be right."""

import ir_measures
import numpy as np
import pytest
from generated import queries, rankings_of

from ir_trunc import calc, calc_aggregate, read_answers
from ir_trunc._core.rankings import Rankings

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


def test_who_is_always_silent_has_the_share_of_silent_days():
    """Reported of the empty run: it has EG-1 and nCG-1 of the share of silent days, and EG-0 of nothing."""
    silent = DAYS.cut(0)
    found = {text: np.mean(value(text, silent)) for text in ("EG", "nCG@10", "EG(nil=0)", "GMP", "NilF")}
    assert found == {"EG": 0.5, "nCG@10": 0.5, "EG(nil=0)": 0, "GMP": 0, "NilF": 0.5}


def test_only_the_first_tweet_of_a_cluster_has_a_gain():
    clusters = read_answers({"day": [{"t1": 2, "t2": 2}, {"t3": 1}]})
    found = calc_aggregate("EG nCG@10 GMP", clusters, {"day": ["t1", "t2", "t3"]})
    assert list(found.values()) == pytest.approx([1.5 / 3, 1, 0.5 * 1.5 - 0.5])


@pytest.mark.parametrize("name", ["P", "R", "F"])
def test_with_nothing_for_silence_they_are_the_set_measures(name):
    rankings = rankings_of(queries(seed=8, count=60))
    assert value(f"Nil{name}(nil=0)", rankings) == value(f"Set{name}", rankings)
    with_silence, plain = np.array(value(f"Nil{name}", rankings)), np.array(value(f"Set{name}", rankings))
    right = rankings.judgments.nil_queries & (rankings.lengths == 0)
    assert right.any()
    assert (with_silence[right] == 1).all()
    assert (with_silence[~right] == plain[~right]).all()
    half = np.array(value(f"Nil{name}(nil=0.5)", rankings))
    assert (half[right] == 0.5).all()


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


def test_saying_nil_is_as_right_as_saying_nothing():
    qrels, run = {"1": {"a": 0}, "2": {"b": 1}}, {"1": {"NIL": 1.0}, "2": {"NIL": 1.0}}
    for answers in ({}, run):
        assert calc("NilF EG nCG", qrels, answers, nil="ends").values.tolist() == [[1, 0]] * 3
